/* losses: Figure 1 of the paper: log_t, exp_t, and losses as functions of the margin. */
#include "report/losses.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure.h"
#include "report/functions.h"
#include "report/palette.h"
#include "tempered/loss_family.h"

/* ---- Labels ---------------------------------------------------------------------------------- */

static void append_parameter(struct text *out, const char *name, double value)
{
    text_append(out, name);
    append_quantity(out, value, PARAMETER_DIGITS);
}

static const char first_temperature[] = ", " SVG_ITALIC("t") SVG_SUB("1") " = ";
static const char second_temperature[] = ", " SVG_ITALIC("t") SVG_SUB("2") " = ";

void append_loss(struct text *out, temper_loss_spec loss)
{
    text_append(out, method_name(loss.method));
    switch (loss.method) {
    case TEMPER_LOGISTIC:
        break;
    case TEMPER_HINGE:
        if (loss.smoothing > 0)
            append_parameter(out, ", smoothed over ", loss.smoothing);
        break;
    case TEMPER_T_LOGISTIC:
        append_parameter(out, ", " SVG_ITALIC("t") " = ", loss.t2);
        break;
    case TEMPER_GCE:
        append_parameter(out, first_temperature, loss.t1);
        break;
    default:
        append_parameter(out, first_temperature, loss.t1);
        append_parameter(out, second_temperature, loss.t2);
    }
}

/* ---- The range of the losses ----------------------------------------------------------------- */

static double loss_curve(const void *context, double margin)
{
    return any_margin_loss(*(const temper_loss_spec *)context, margin).value;
}

/* 1/(1 - t1), or infinity. */
static double cap_of(temper_loss_spec loss)
{
    if (loss.method == TEMPER_HINGE)
        return INFINITY;
    loss = loss_resolve(loss);
    return loss_shape(loss.t1, loss.t2).bound;
}

/* The finite values of a curve on a coarse grid: a pole counts as high as it looks. */
static struct domain span_of(const temper_loss_figure *figure, const temper_loss_spec *loss)
{
    enum { STEPS = 40 };
    struct domain span = {INFINITY, 0};
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

static void insert_sorted(double *values, size_t count, double value)
{
    size_t place = count;
    for (; place > 0 && values[place - 1] > value; place--)
        values[place] = values[place - 1];
    values[place] = value;
}

/* All curves in full, unless some are so high that others would be flattened: then these leave the
 * frame at the top, but not before something of them is seen. */
static double common_height(const temper_loss_figure *figure)
{
    const double over_median = 3, over_least = 6, seen = 1.25;
    const double largest = 1e300; /* the arithmetic of the axes needs some room */
    const double unit = 0.5;      /* losses are about 1 at the margin 0: less is no reason to cut */
    double heights[PANEL_CURVES] = {0}, highest = 0, lowest = 0;
    size_t count = figure->loss_count;
    assert(count > 0 && count <= PANEL_CURVES);
    for (size_t i = 0; i < count; i++) {
        struct domain span = span_of(figure, &figure->losses[i]);
        insert_sorted(heights, i, fmax(span.to, unit));
        highest = fmax(highest, span.to);
        if (isfinite(span.from))
            lowest = fmax(lowest, span.from);
    }
    double height = fmin(over_median * heights[(count - 1) / 2], over_least * heights[0]);
    height = fmin(highest, fmax(height, seen * lowest));
    return height > 1 / largest ? fmin(height, largest) : 1;
}

/* The smallest cap above a height. */
static double cap_above(const temper_loss_figure *figure, double height)
{
    double least = INFINITY;
    for (size_t i = 0; i < figure->loss_count; i++) {
        double cap = cap_of(figure->losses[i]);
        if (cap > height)
            least = fmin(least, cap);
    }
    return least;
}

/* From just below 0 to above the curves; to above the next cap too, if that is not far away, or if
 * there is no other to be seen. */
static struct domain loss_range(const temper_loss_figure *figure)
{
    const double near = 1.3, far = 2.5, above = 0.07, below = 0.04;
    double top = common_height(figure), cap = cap_above(figure, top);
    if (cap <= near * top || (cap <= far * top && cap == cap_above(figure, 0)))
        top = cap;
    return (struct domain){-below * top, top + above * top};
}

/* ---- The panel ------------------------------------------------------------------------------- */

static bool is_reference(temper_method method)
{
    return method == TEMPER_LOGISTIC || method == TEMPER_HINGE;
}

/* What everyone knows is drawn in black and grey, so that colour is left for what is new. */
static struct stroke loss_stroke(const temper_loss_figure *figure, size_t index)
{
    temper_method method = figure->losses[index].method;
    size_t coloured = 0, same = 0;
    for (size_t i = 0; i < index; i++) {
        coloured += !is_reference(figure->losses[i].method);
        same += figure->losses[i].method == method;
    }
    if (!is_reference(method))
        return palette_category(coloured);
    return palette_reference(method == TEMPER_HINGE ? palette_hinge : palette_ink, same);
}

static void add_cap(struct panel *panel, double cap, struct colour colour)
{
    struct level *level = panel_add_level(panel, cap, colour);
    text_append(&level->label, "cap ");
    append_quantity(&level->label, cap, 3);
}

/* Where the loss begins to bend down: it gives up on rows further to the left. */
static void add_inflection(struct panel *panel, const temper_loss_spec *loss, struct colour colour)
{
    if (!loss_is_two_temperature(*loss))
        return;
    temper_loss_spec resolved = loss_resolve(*loss);
    double margin = loss_shape(resolved.t1, resolved.t2).inflection;
    if (isfinite(margin))
        panel_add_mark(panel, (struct mark){{margin, loss_curve(loss, margin)}, colour, true});
}

static void add_loss(struct panel *panel, const temper_loss_figure *figure, size_t index)
{
    const temper_loss_spec *loss = &figure->losses[index];
    const struct domain margins = {figure->margin_from, figure->margin_to};
    struct curve *curve = panel_add_curve(panel, loss_stroke(figure, index));
    append_loss(&curve->label, *loss);
    path_sample(&curve->path, &panel->frame, margins, loss_curve, loss);
    double cap = cap_of(*loss);
    if (isfinite(cap))
        add_cap(panel, cap, curve->stroke.colour);
    add_inflection(panel, loss, curve->stroke.colour);
}

static void losses_panel(struct panel *panel, const temper_loss_figure *figure)
{
    struct domain margins = {figure->margin_from, figure->margin_to};
    panel->title = "Losses";
    panel->x_title = "margin";
    panel->y_title = "loss";
    panel->mark_note = "inflection";
    panel->corners = "RLrl";
    panel_frame(panel, PANEL_WIDTH, PANEL_HEIGHT, margins, loss_range(figure));
    for (size_t i = 0; i < figure->loss_count; i++)
        add_loss(panel, figure, i);
}

/* ---- The figure ------------------------------------------------------------------------------ */

static const struct kind {
    char letter;
    const char *shown;
    void (*fill)(struct panel *panel, const temper_loss_figure *figure);
} kinds[] = {
    {'a', "(a)", functions_log},
    {'b', "(b)", functions_exp},
    {'c', "(c)", losses_panel},
};

static const struct kind *find_kind(char letter)
{
    size_t i = 0;
    while (i + 1 < sizeof kinds / sizeof *kinds && kinds[i].letter != letter)
        i++;
    assert(kinds[i].letter == letter); /* the caller has refused all others */
    return &kinds[i];
}

void losses_draw(struct text *out, const temper_loss_figure *figure)
{
    size_t count = strlen(figure->panels);
    struct panel *panels = mem_zeroed(count, sizeof *panels);
    if (!panels) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct kind *kind = find_kind(figure->panels[i]);
        panels[i].letter = count > 1 ? kind->shown : NULL; /* one panel needs no letter */
        kind->fill(&panels[i], figure);
    }
    figure_draw(out, "Tempered functions and losses", panels, count);
    for (size_t i = 0; i < count; i++)
        panel_free(&panels[i]);
    mem_free(panels);
}
