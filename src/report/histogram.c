/* histogram: margins in bars, with the loss drawn over them. */
#include "report/histogram.h"

#include <math.h>

#include "base/memory.h"
#include "report/figure.h"
#include "report/losses.h"
#include "report/palette.h"
#include "report/range.h"
#include "tempered/loss_family.h"

enum { BARS = 44 };

struct bars {
    struct domain range;
    size_t count[BARS][2]; /* not marked, and marked */
    size_t highest;        /* of both together */
    size_t beyond;         /* rows outside the range, which are in the first and the last bar */
    struct colour colours[2];
};

/* ---- Counting -------------------------------------------------------------------------------- */

static bool is_marked(const temper_margin_figure *figure, size_t row)
{
    return figure->marked && figure->marked[row];
}

/* Both signs are to be seen, with 0 at the edge of a bar: it parts right from wrong. */
static struct domain with_zero_on_edge(struct domain range)
{
    range.from = fmin(range.from, 0);
    range.to = fmax(range.to, 0);
    double step = (range.to - range.from) / (BARS - 1);
    double below = ceil(-range.from / step - 1e-9);
    return (struct domain){-below * step, (BARS - below) * step};
}

static void count_rows(struct bars *bars, const temper_margin_figure *figure)
{
    double step = (bars->range.to - bars->range.from) / BARS;
    for (size_t i = 0; i < figure->count; i++) {
        double place = floor((figure->margins[i] - bars->range.from) / step);
        bars->beyond += place < 0 || place >= BARS;
        bars->count[(size_t)fmin(fmax(place, 0), BARS - 1)][is_marked(figure, i)]++;
    }
    for (size_t i = 0; i < BARS; i++) {
        size_t both = bars->count[i][0] + bars->count[i][1];
        bars->highest = both > bars->highest ? both : bars->highest;
    }
}

/* A few far rows must not squeeze all others into one bar. */
static bool fill_bars(struct bars *bars, const temper_margin_figure *figure)
{
    const double left_out = 0.002;
    struct domain range;
    if (!range_of_most(figure->margins, figure->count, left_out, &range))
        return false;
    bars->range = with_zero_on_edge(range_padded(range, 0.02));
    bars->colours[0] = palette_pale(palette_group(0), 0.45);
    bars->colours[1] = palette_pale(palette_group(1), 0.1);
    count_rows(bars, figure);
    return true;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void draw_bars(struct text *out, const struct frame *frame, const void *context)
{
    const struct bars *bars = context;
    double step = (bars->range.to - bars->range.from) / BARS;
    for (size_t i = 0; i < BARS; i++) {
        double bottom = 0;
        for (size_t part = 2; part-- > 0;) { /* the marked ones are few: at the bottom */
            double top = bottom + (double)bars->count[i][part];
            struct point from = frame_point(frame, bars->range.from + step * (double)i, top);
            struct point to = frame_point(frame, bars->range.from + step * (double)(i + 1), bottom);
            if (bars->count[i][part] > 0)
                svg_fill(out, (struct box){from.x + 0.5, from.y, to.x - from.x - 1, to.y - from.y},
                         bars->colours[part]);
            bottom = top;
        }
    }
}

static double loss_at(const void *context, double margin)
{
    return any_margin_loss(*(const temper_loss_spec *)context, margin).value;
}

static void add_loss(struct panel *panel, const temper_margin_figure *figure)
{
    struct domain margins = {panel->frame.x.from, panel->frame.x.to};
    double highest = 0;
    for (size_t i = 0; i <= BARS; i++) {
        double at = margins.from + (margins.to - margins.from) * (double)i / BARS;
        double loss = loss_at(&figure->loss, at);
        highest = isfinite(loss) ? fmax(highest, loss) : highest;
    }
    panel_right(panel, (struct domain){0, highest > 0 ? 1.08 * highest : 1}, "loss");
    struct frame frame = {panel->frame.x, panel->right};
    struct curve *curve = panel_add_curve(panel, (struct stroke){.colour = palette_ink, .width = 2});
    text_append(&curve->label, "loss: ");
    append_loss(&curve->label, figure->loss);
    path_sample(&curve->path, &frame, margins, loss_at, &figure->loss);
}

static void fill_panel(struct panel *panel, const struct bars *bars, const temper_margin_figure *figure)
{
    double top = 1.06 * (double)(bars->highest > 0 ? bars->highest : 1);
    panel->title = figure->title;
    panel->x_title =
        bars->beyond ? "margin of the given label (rows beyond are at the ends)" : "margin of the given label";
    panel->y_title = "rows";
    panel_frame(panel, PANEL_WIDTH, PANEL_HEIGHT, bars->range, (struct domain){0, top});
    panel->layer = draw_bars;
    panel->layer_context = bars;
    for (size_t i = 0; i < (figure->marked ? 2 : 1); i++)
        panel_add_key(panel, (struct key){figure->names[i], bars->colours[i], KEY_BOX});
    add_loss(panel, figure);
}

void histogram_draw(struct text *out, const temper_margin_figure *figure)
{
    struct bars bars = {.highest = 0};
    struct panel *panel = mem_zeroed(1, sizeof *panel);
    if (!panel || !fill_bars(&bars, figure)) {
        mem_free(panel);
        out->failed = true;
        return;
    }
    fill_panel(panel, &bars, figure);
    figure_draw(out, figure->title, panel, 1);
    panel_free(panel);
    mem_free(panel);
}
