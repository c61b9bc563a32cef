/* functions: the panels of log_t and exp_t.
 *
 * They are inverse to each other, so the second panel shows the window of the first, mirrored. */
#include "report/functions.h"

#include <math.h>

#include "report/palette.h"
#include "tempered/tempered_functions.h"

static const double largest_argument = 5; /* of log_t: what matters happens around 1 */
static const double lowest_value = -4;    /* where a log_t without a floor is cut off */
static const double border = 0.04;        /* free space around, as a share of the range */

/* ---- Colours --------------------------------------------------------------------------------- */

/* How many different temperatures on the same side of 1 there are, and how many below this one. */
static size_t rank_of(const temper_loss_figure *figure, double t, size_t *count)
{
    size_t rank = 0;
    *count = 0;
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double other = figure->temperatures[i];
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= figure->temperatures[j] == other;
        if (seen || other == 1 || (other < 1) != (t < 1))
            continue;
        ++*count;
        rank += other < t;
    }
    return rank;
}

/* The ordinary functions, t = 1, are black; the further from them, the darker. */
static struct stroke stroke_of(const temper_loss_figure *figure, double t)
{
    struct stroke stroke = palette_reference(palette_ink, 0);
    size_t count, rank = rank_of(figure, t, &count);
    if (t < 1)
        stroke.colour = palette_below(rank, count);
    else if (t > 1)
        stroke.colour = palette_above(rank, count);
    return stroke;
}

/* ---- The window ------------------------------------------------------------------------------ */

/* The floor of log_t, -1/(1 - t), where it has one. */
static double floor_of(double t)
{
    return t < 1 ? -1 / (1 - t) : -INFINITY;
}

static struct domain widened(double from, double to)
{
    double more = border * (to - from);
    return (struct domain){from - more, to + more};
}

static struct domain argument_window(void)
{
    return widened(0, largest_argument);
}

/* What log_t reaches at the largest argument, and its floor if all have one. */
static struct domain value_window(const temper_loss_figure *figure)
{
    double low = -1, high = 1.2;
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double t = figure->temperatures[i];
        low = fmin(low, floor_of(t));
        high = fmax(high, log_t(largest_argument, t));
    }
    return widened(fmax(low, lowest_value), high);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

static double log_curve(const void *context, double x)
{
    return log_t(x, *(const double *)context);
}

static double exp_curve(const void *context, double x)
{
    return exp_t(x, *(const double *)context);
}

static void describe_panel(struct panel *panel, const char *title, const char *y_title)
{
    panel->title = title;
    panel->x_title = SVG_ITALIC("x");
    panel->y_title = y_title;
    panel->guide_note = "asymptote";
}

static struct curve *add_temperature(struct panel *panel, const temper_loss_figure *figure, double t)
{
    struct curve *curve = panel_add_curve(panel, stroke_of(figure, t));
    text_append(&curve->label, SVG_ITALIC("t") " = ");
    append_quantity(&curve->label, t, PARAMETER_DIGITS);
    return curve;
}

void functions_log(struct panel *panel, const temper_loss_figure *figure)
{
    struct domain x = argument_window(), y = value_window(figure);
    describe_panel(panel, "Tempered logarithm", "log" SVG_SUB(SVG_ITALIC("t")) " " SVG_ITALIC("x"));
    panel->corners = "rRlL";
    panel_frame(panel, PANEL_WIDTH, PANEL_HEIGHT, x, y);
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double t = figure->temperatures[i], ceiling = 1 / (t - 1);
        struct curve *curve = add_temperature(panel, figure, t);
        struct colour colour = curve->stroke.colour;
        path_sample(&curve->path, &panel->frame, (struct domain){0, x.to}, log_curve, &figure->temperatures[i]);
        panel_add_mark(panel, (struct mark){{0, floor_of(t)}, colour, false});
        if (t > 1)
            panel_add_guide(panel, (struct guide){{0, ceiling}, {x.to, ceiling}, colour});
    }
}

void functions_exp(struct panel *panel, const temper_loss_figure *figure)
{
    struct domain x = value_window(figure), y = argument_window();
    describe_panel(panel, "Tempered exponential", "exp" SVG_SUB(SVG_ITALIC("t")) " " SVG_ITALIC("x"));
    panel->corners = "LRrl";
    panel_frame(panel, PANEL_WIDTH, PANEL_HEIGHT, x, y);
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double t = figure->temperatures[i], pole = 1 / (t - 1);
        struct curve *curve = add_temperature(panel, figure, t);
        struct colour colour = curve->stroke.colour;
        path_sample(&curve->path, &panel->frame, x, exp_curve, &figure->temperatures[i]);
        panel_add_mark(panel, (struct mark){{floor_of(t), 0}, colour, false});
        if (t > 1)
            panel_add_guide(panel, (struct guide){{pole, 0}, {pole, y.to}, colour});
    }
}
