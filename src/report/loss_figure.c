/* loss_figure: Figure 1 of the paper: log_t, exp_t, and losses as functions of the margin.
 *
 * Losses differ by orders of magnitude: some are bounded by 1/(1 - t1), others grow exponentially. Most of this file
 * chooses a range in which all curves of a figure can be compared. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/figures.h"
#include "report/palette.h"
#include "temper_extra.h"
#include "tempered/loss_family.h"
#include "tempered/tempered_functions.h"

/* Enough to distinguish 1 from 1 + 1e-8; trailing zeros are not shown. */
enum { PARAMETER_DIGITS = 9 };

/* ---- Labels ---------------------------------------------------------------------------------- */

/* ", t1 = " and the value. */
static void append_parameter(struct text *out, const char *name, double value)
{
    text_append(out, name);
    append_quantity(out, value, PARAMETER_DIGITS);
}

/* In the markup of svg.h: an italic t with an index. */
static const char first_temperature[] = ", " SVG_ITALIC("t") SVG_SUB("1") " = ";
static const char second_temperature[] = ", " SVG_ITALIC("t") SVG_SUB("2") " = ";

/* ", alpha = 0.1", for each parameter that only this method has. */
static void append_own(struct text *out, temper_loss_spec loss)
{
    const temper_loss_parameter *parameter;
    for (size_t k = 0; (parameter = method_parameter(loss.method, k)); k++) {
        text_format(out, ", %s = ", strcmp(parameter->name, "log_zero") == 0 ? "log 0" : parameter->name);
        append_quantity(out, *loss_parameter(&loss, parameter), PARAMETER_DIGITS);
    }
}

/* Parameters that the method fixes are left out: logistic is t1 = t2 = 1, generalised cross entropy has t2 = 1. */
void append_loss(struct text *out, temper_loss_spec loss)
{
    text_append(out, method_name(loss.method));
    switch (loss.method) {
    case TEMPER_HINGE:
        if (loss.smoothing > 0)
            append_parameter(out, ", smoothed over ", loss.smoothing);
        break;
    case TEMPER_T_LOGISTIC:
        append_parameter(out, ", " SVG_ITALIC("t") " = ", loss.t2);
        break;
    default:
        if (method_has_free_temperature(loss.method, 0))
            append_parameter(out, first_temperature, loss.t1);
        if (method_has_free_temperature(loss.method, 1))
            append_parameter(out, second_temperature, loss.t2);
        append_own(out, loss);
    }
}

/* ---- log_t and exp_t -------------------------------------------------------------------------- */

/* They are inverse to each other, so panel b shows the window of panel a, mirrored. */
static const double largest_argument = 5; /* of log_t: the interesting part is around 1 */
static const double lowest_value = -4;    /* where a log_t without a lower bound leaves the frame */

/* How many different temperatures there are on the same side of 1, and how many of them are below t. */
static size_t rank_of(const temper_loss_figure *figure, double t, size_t *count)
{
    size_t rank = 0; /* of t among the different ones */
    *count = 0;
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double other = figure->temperatures[i];
        /* Repeated temperatures count once, so that both curves get the same colour. */
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

/* The ordinary functions, t = 1, are black, as the logistic loss is. */
static struct stroke temperature_stroke(const temper_loss_figure *figure, double t)
{
    size_t count, rank = rank_of(figure, t, &count);
    struct colour colour = t < 1 ? palette_below(rank, count) : t > 1 ? palette_above(rank, count) : palette_ink;
    return palette_line(colour, 0);
}

/* The lower bound of log_t, -1/(1 - t), where it has one. */
static double lower_bound(double t)
{
    return t < 1 ? -1 / (1 - t) : -INFINITY;
}

/* With a small border, so that curves do not touch the frame at the ends. */
static struct domain widened(double from, double to)
{
    double more = 0.04 * (to - from);
    return (struct domain){from - more, to + more};
}

/* From the lowest bound, if all curves have one, to the largest value of log_t at the largest argument. */
static struct domain value_window(const temper_loss_figure *figure)
{
    /* At least this window, also if all curves are flat. */
    double low = -1, high = 1.2;
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double t = figure->temperatures[i];
        low = fmin(low, lower_bound(t));
        high = fmax(high, log_t(largest_argument, t));
    }
    return widened(fmax(low, lowest_value), high);
}

/* For path_sample; the context is the temperature. */
static double log_curve(const void *context, double x)
{
    return log_t(x, *(const double *)context);
}

/* For path_sample; the context is the temperature. */
static double exp_curve(const void *context, double x)
{
    return exp_t(x, *(const double *)context);
}

/* One curve for each temperature; the end of a bounded log_t as a dot, the asymptote 1/(t - 1) for t > 1. */
static void describe_functions(struct chart *chart, const temper_loss_figure *figure, bool is_log)
{
    struct domain values = value_window(figure), arguments = widened(0, largest_argument);
    struct domain x = is_log ? arguments : values, y = is_log ? values : arguments;
    chart->title = is_log ? "Tempered logarithm" : "Tempered exponential";
    /* Where curves of this shape leave space for the legend. */
    chart->corners = is_log ? "rRlL" : "LRrl";
    chart->frame.x.title = SVG_ITALIC("x");
    chart->frame.y.title = is_log ? "log" SVG_SUB(SVG_ITALIC("t")) " " SVG_ITALIC("x")
                                  : "exp" SVG_SUB(SVG_ITALIC("t")) " " SVG_ITALIC("x");
    chart_axes(chart, CHART_WIDTH, CHART_HEIGHT, x, y);
    for (size_t i = 0; i < figure->temperature_count; i++) {
        const double *t = &figure->temperatures[i];
        struct chart_layer *line = chart_add(chart, LAYER_LINE, temperature_stroke(figure, *t), SVG_ITALIC("t") " = ");
        append_quantity(&line->name, *t, PARAMETER_DIGITS);
        path_sample(&line->path, &chart->frame, (struct domain){is_log ? 0 : x.from, x.to},
                    is_log ? log_curve : exp_curve, t);
    }
    /* Special points and asymptotes have the colour of their curve. */
    struct chart_layer *guides = chart_add(chart, LAYER_GUIDES, palette_guide(palette_grey), "asymptote");
    struct chart_layer *ends = chart_add(chart, LAYER_MARKS, palette_line(palette_grey, 0), NULL);
    for (size_t i = 0; i < figure->temperature_count; i++) {
        double t = figure->temperatures[i], low = lower_bound(t), limit = 1 / (t - 1); /* limit: for t > 1 only */
        struct colour colour = temperature_stroke(figure, t).colour;
        struct point end = is_log ? (struct point){0, low} : (struct point){low, 0};
        chart_item(chart, ends, (struct chart_item){.from = end, .colour = colour, .radius = 2.5});
        struct point from = is_log ? (struct point){0, limit} : (struct point){limit, 0};
        struct point to = is_log ? (struct point){x.to, limit} : (struct point){limit, y.to};
        if (t > 1)
            chart_item(chart, guides, (struct chart_item){from, to, colour, 0, ""});
    }
}

/* ---- The range of the losses ----------------------------------------------------------------- */

/* For path_sample; the context is the loss. */
static double loss_curve(const void *context, double margin)
{
    return any_margin_loss(*(const temper_loss_spec *)context, margin).value;
}

/* The range of the finite values of a loss on a coarse grid of margins. Only a range for the axis is wanted: a coarse
 * grid finds it, and infinite values at the ends of the margins are left out. */
static struct domain span_of(const temper_loss_figure *figure, const temper_loss_spec *loss)
{
    enum { STEPS = 40 };
    struct domain span = {INFINITY, 0}; /* losses are not negative */
    for (int i = 0; i <= STEPS; i++) {
        double share = (double)i / STEPS;
        double margin = figure->margin_from * (1 - share) + figure->margin_to * share;
        double value = loss_curve(loss, margin);
        if (!isfinite(value))
            continue;
        span.from = fmin(span.from, value);
        span.to = fmax(span.to, value);
    }
    return span;
}

/* Insertion sort: there are at most two dozen. */
static void insert_sorted(double *values, size_t count, double value)
{
    size_t place = count;
    for (; place > 0 && values[place - 1] > value; place--)
        values[place] = values[place - 1];
    values[place] = value;
}

/* The height of the highest curve, unless it would flatten the others: then high curves leave the frame at the top, but
 * a part of each is shown. */
static double common_height(const temper_loss_figure *figure)
{
    const double over_median = 3, over_least = 6, visible = 1.25;
    const double largest = 1e300; /* leaves room for the arithmetic of the axes */
    const double unit = 0.5;      /* losses are about 1 at the margin 0: lower curves need not limit others */
    double heights[CHART_CURVES] = {0}, highest = 0, lowest = 0;
    size_t count = figure->loss_count;
    assert(count > 0 && count <= CHART_CURVES);
    for (size_t i = 0; i < count; i++) {
        struct domain span = span_of(figure, &figure->losses[i]);
        insert_sorted(heights, i, fmax(span.to, unit));
        highest = fmax(highest, span.to);
        if (isfinite(span.from))
            lowest = fmax(lowest, span.from);
    }
    double height = fmin(over_median * heights[(count - 1) / 2], over_least * heights[0]);
    height = fmin(highest, fmax(height, visible * lowest));
    return height > 1 / largest ? fmin(height, largest) : 1;
}

/* The smallest cap above a height. */
static double cap_above(const temper_loss_figure *figure, double height)
{
    double least = INFINITY;
    for (size_t i = 0; i < figure->loss_count; i++) {
        double cap = loss_bound(figure->losses[i]);
        if (cap > height)
            least = fmin(least, cap);
    }
    return least;
}

/* From just below 0 to above the curves; to above the next cap too, if it is near, or if no other is shown. */
static struct domain loss_range(const temper_loss_figure *figure)
{
    const double near = 1.3, far = 2.5, above = 0.07, below = 0.04;
    double top = common_height(figure), cap = cap_above(figure, top);
    if (cap <= near * top || (cap <= far * top && cap == cap_above(figure, 0)))
        top = cap;
    return (struct domain){-below * top, top + above * top};
}

/* ---- The panel of the losses ----------------------------------------------------------------- */

/* The colour of the method; several losses of the same method and colour differ in their dashes. */
static struct stroke loss_stroke(const temper_loss_figure *figure, size_t index)
{
    struct stroke stroke = palette_loss(figure->losses[index], 0);
    size_t same = 0; /* losses of this colour before it */
    for (size_t i = 0; i < index; i++) {
        struct stroke other = palette_loss(figure->losses[i], 0);
        same += memcmp(&other.colour, &stroke.colour, sizeof other.colour) == 0;
    }
    return palette_loss(figure->losses[index], same);
}

/* The upper bound of a loss as a dashed level with its value. Several losses may have the same. */
static void add_cap(struct chart *chart, struct chart_layer *caps, double cap, struct colour colour)
{
    struct text words = {0};
    struct chart_item *item = chart_item(chart, caps, (struct chart_item){.from = {0, cap}, .colour = colour});
    text_append(&words, "cap ");
    append_quantity(&words, cap, 3);
    if (cap > chart->frame.y.to)
        text_append(&words, " \xe2\x86\x91"); /* an arrow: the level is above the frame */
    chart_label(chart, item, &words);
}

/* Curves, their caps, and their inflections where these are in view. */
static void describe_losses(struct chart *chart, const temper_loss_figure *figure)
{
    const struct domain margins = {figure->margin_from, figure->margin_to};
    chart->title = "Losses";
    chart->frame.x.title = "margin";
    chart->frame.y.title = "loss";
    chart->corners = "RLrl";
    chart_axes(chart, CHART_WIDTH, CHART_HEIGHT, margins, loss_range(figure));
    struct chart_layer *caps = chart_add(chart, LAYER_LEVELS, palette_line(palette_grey, 0), NULL);
    for (size_t i = 0; i < figure->loss_count; i++) {
        const temper_loss_spec *loss = &figure->losses[i];
        struct chart_layer *line = chart_add(chart, LAYER_LINE, loss_stroke(figure, i), NULL);
        double cap = loss_bound(*loss);
        append_loss(&line->name, *loss);
        path_sample(&line->path, &chart->frame, margins, loss_curve, loss);
        if (isfinite(cap))
            add_cap(chart, caps, cap, line->stroke.colour);
    }
    struct chart_layer *marks = chart_add(chart, LAYER_MARKS, palette_line(palette_grey, 0), "inflection");
    for (size_t i = 0; i < figure->loss_count; i++) {
        double margin = loss_inflection(figure->losses[i]);
        if (isfinite(margin))
            chart_item(chart, marks,
                       (struct chart_item){.from = {margin, loss_curve(&figure->losses[i], margin)},
                                           .colour = loss_stroke(figure, i).colour});
    }
}

/* ---- The figure ------------------------------------------------------------------------------ */

/* The letters are those of the figure in the paper. */
void losses_describe(struct chart *chart, const temper_loss_figure *figure, char panel)
{
    assert(panel >= 'a' && panel <= 'c'); /* the caller has refused all others */
    if (panel == 'c')
        describe_losses(chart, figure);
    else
        describe_functions(chart, figure, panel == 'a');
}

/* One picture with up to three charts. */
void losses_draw(struct text *out, const temper_loss_figure *figure)
{
    static const char *const letters[] = {"(a)", "(b)", "(c)"};
    struct chart charts[3] = {{0}};
    size_t count = strlen(figure->panels);
    assert(count <= 3);
    for (size_t i = 0; i < count; i++) {
        losses_describe(&charts[i], figure, figure->panels[i]);
        charts[i].letter = count > 1 ? letters[figure->panels[i] - 'a'] : NULL; /* one panel needs no letter */
    }
    figure_draw(out, "Tempered functions and losses", charts, count, false);
}
