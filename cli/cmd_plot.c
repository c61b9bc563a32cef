/* cmd_plot: temper plot. Which picture, and which options it has. */
#include <string.h>

#include "message.h"
#include "plot.h"

/* The word on the command line, and what it needs. */
static const struct picture {
    const char *name;
    bool data;
    temper_status (*plot)(const struct arguments *arguments);
} pictures[] = {
    {"losses", false, plot_losses},
    {"path", true, plot_path},
    {"report", true, plot_report},
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
        if (was_given(arguments, (enum option_id)i) &&
            !(pictures_with((enum option_id)i) >> picture & 1u))
            return complain(TEMPER_USAGE, "plot: --%s means nothing to 'plot %s'; drop it",
                            option_table[i].name, pictures[picture].name);
    return TEMPER_OK;
}

static temper_status check_operands(const struct arguments *arguments,
                                    const struct picture *picture)
{
    bool given = arguments->operand_count > 1;
    if (given && !picture->data)
        return complain(TEMPER_USAGE, "plot %s: one argument too many: %s; it takes no data",
                        picture->name, arguments->operand[1]);
    if (!given && picture->data)
        return complain(TEMPER_USAGE, "plot %s: the data is missing; give: temper plot %s DATA",
                        picture->name, picture->name);
    return TEMPER_OK;
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
    return status == TEMPER_OK ? pictures[picture].plot(arguments) : status;
}
