/* cmd_plot: temper plot. Which picture, and which options it has. */
#include <string.h>

#include "message.h"
#include "output.h"
#include "plot.h"

/* The word on the command line, and what it needs. */
static const struct picture {
    const char *name;
    bool data;
    const char *kind, *extension; /* what is written by default */
    temper_status (*plot)(const struct arguments *arguments);
} pictures[] = {
    {"losses", false, "SVG", "svg", plot_losses},
    {"path", true, "SVG", "svg", plot_path},
    {"report", true, "HTML", "html", plot_report},
};

enum { LOSSES = 1, PATH = 2, REPORT = 4, ALL = LOSSES | PATH | REPORT };

/* Those that are not listed are for reading data. */
static unsigned pictures_with(enum option_id id)
{
    switch (id) {
    case OPT_PANELS:
    case OPT_TEMPERATURES:
    case OPT_LOSSES:
    case OPT_MARGINS:
        return LOSSES;
    case OPT_PLOT_T1:
    case OPT_PLOT_T2:
        return LOSSES | PATH;
    case OPT_PATH_L2:
    case OPT_STEPS:
    case OPT_LOSS:
    case OPT_SMOOTHING:
    case OPT_TRAIN_SCALE:
    case OPT_SOLVER:
    case OPT_PRECISION:
    case OPT_NO_INTERCEPT:
    case OPT_TOL:
    case OPT_MAX_ITER:
    case OPT_SEED:
        return PATH;
    case OPT_MODEL:
        return REPORT;
    case OPT_OUTPUT:
    case OPT_QUIET:
        return ALL;
    default:
        return PATH | REPORT;
    }
}

/* An option that this picture has no use for is a misunderstanding that would go unseen. */
static temper_status check_options(const struct arguments *arguments, size_t picture)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (was_given(arguments, (enum option_id)i) && !(pictures_with((enum option_id)i) >> picture & 1u))
            return complain(TEMPER_USAGE, "plot: --%s means nothing to 'plot %s'; drop it", option_table[i].name,
                            pictures[picture].name);
    return TEMPER_OK;
}

static temper_status check_operands(const struct arguments *arguments, const struct picture *picture)
{
    bool given = arguments->operand_count > 1;
    if (given && !picture->data)
        return complain(TEMPER_USAGE, "plot %s: one argument too many: %s; it takes no data", picture->name,
                        arguments->operand[1]);
    if (!given && picture->data)
        return complain(TEMPER_USAGE, "plot %s: the data is missing; give: temper plot %s DATA", picture->name,
                        picture->name);
    return TEMPER_OK;
}

/* Pages of angle brackets tell nobody anything; who says -o - wants them all the same. */
static temper_status check_output(const struct arguments *arguments, const struct picture *picture)
{
    if (was_given(arguments, OPT_OUTPUT) || !output_is_terminal(text_of(arguments, OPT_OUTPUT)))
        return TEMPER_OK;
    return complain(TEMPER_USAGE,
                    "plot %s: %s is not for a terminal; give it a file, as in -o %s.%s, or pipe it "
                    "on",
                    picture->name, picture->kind, picture->name, picture->extension);
}

/* The parser knows no other words. */
temper_status cmd_plot(const struct arguments *arguments)
{
    size_t picture = 0;
    while (strcmp(pictures[picture].name, arguments->operand[0]) != 0)
        picture++;
    temper_status status = check_operands(arguments, &pictures[picture]);
    if (status == TEMPER_OK)
        status = check_options(arguments, picture);
    if (status == TEMPER_OK)
        status = check_output(arguments, &pictures[picture]);
    return status == TEMPER_OK ? pictures[picture].plot(arguments) : status;
}
