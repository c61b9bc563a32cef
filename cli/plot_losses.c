/* plot_losses: temper plot losses. */
#include "message.h"
#include "output.h"
#include "plot.h"
#include "value.h"

/* Everything that the figure borrows. */
struct plot {
    struct numbers temperatures;
    struct losses losses;
    temper_loss_figure figure;
};

/* An option that changes nothing is a misunderstanding, though a harmless one. */
static void warn_unused(const struct arguments *arguments, enum option_id id, bool used)
{
    if (was_given(arguments, id) && !used)
        warn("--%s changes nothing: every loss brings its own, or takes none; name one without, "
             "such as --losses tempered",
             option_table[id].name);
}

/* The texts have been checked one by one; only here do --losses, --t1 and --t2 meet. */
static temper_status read_curves(const struct arguments *arguments, struct plot *plot)
{
    double t1 = number_of(arguments, OPT_PLOT_T1), t2 = number_of(arguments, OPT_PLOT_T2);
    temper_status status =
        read_losses(&option_table[OPT_LOSSES], text_of(arguments, OPT_LOSSES), t1, t2, &plot->losses);
    if (status != TEMPER_OK)
        return status;
    warn_unused(arguments, OPT_PLOT_T1, plot->losses.took_t1);
    warn_unused(arguments, OPT_PLOT_T2, plot->losses.took_t2);
    return read_numbers(&option_table[OPT_TEMPERATURES], text_of(arguments, OPT_TEMPERATURES), &plot->temperatures);
}

/* What belongs to panels that are not drawn is read all the same, and ignored by the library. */
static temper_status read_figure(const struct arguments *arguments, struct plot *plot)
{
    temper_status status = read_curves(arguments, plot);
    if (status != TEMPER_OK)
        return status;
    plot->figure = (temper_loss_figure){
        .temperatures = plot->temperatures.value,
        .temperature_count = plot->temperatures.count,
        .losses = plot->losses.value,
        .loss_count = plot->losses.count,
        .panels = text_of(arguments, OPT_PANELS),
    };
    return read_span(&option_table[OPT_MARGINS], text_of(arguments, OPT_MARGINS), &plot->figure.margin_from,
                     &plot->figure.margin_to);
}

/* The figure is made in memory, then written in one go. */
temper_status plot_losses(const struct arguments *arguments)
{
    struct plot plot;
    temper_error error;
    char *svg;
    size_t length;
    temper_status status = read_figure(arguments, &plot);
    if (status != TEMPER_OK)
        return status;
    if (temper_plot_losses(&plot.figure, &svg, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    status = output_write(text_of(arguments, OPT_OUTPUT), svg, length);
    temper_free(svg);
    return status;
}
