/* lines: a few series of points with their error bars. */
#include "report/lines.h"

#include <math.h>

#include "base/memory.h"
#include "report/figure.h"
#include "report/names.h"
#include "report/palette.h"
#include "report/range.h"

static const double wide = 400, high = 280;
static const double cap = 3.5, dot = 2.6; /* half the width of a bar's end; a point */

static double value_at(const temper_line_figure *figure, size_t series, size_t point)
{
    return figure->values[series * figure->points + point];
}

static double error_at_point(const temper_line_figure *figure, size_t series, size_t point)
{
    return figure->errors ? figure->errors[series * figure->points + point] : 0;
}

/* From the lowest end of a bar to the highest. */
static struct domain value_range(const temper_line_figure *figure)
{
    struct domain range = {INFINITY, -INFINITY};
    for (size_t s = 0; s < figure->series_count; s++)
        for (size_t i = 0; i < figure->points; i++) {
            double value = value_at(figure, s, i), error = error_at_point(figure, s, i);
            range.from = fmin(range.from, value - error); /* a NAN changes nothing */
            range.to = fmax(range.to, value + error);
        }
    return range;
}

/* Series stand a little apart, or their bars would hide each other. */
static double shift(const temper_line_figure *figure, size_t series)
{
    return 3 * ((double)series - 0.5 * (double)(figure->series_count - 1));
}

static struct point place(const temper_line_figure *figure, const struct frame *frame, size_t series, size_t point)
{
    struct point at = frame_point(frame, figure->x[point], value_at(figure, series, point));
    at.x += shift(figure, series);
    return at;
}

static void draw_bar(struct text *out, struct point at, double half, const struct stroke *stroke)
{
    const struct point top = {at.x, at.y - half}, bottom = {at.x, at.y + half};
    svg_line(out, top, bottom, stroke);
    svg_line(out, (struct point){at.x - cap, top.y}, (struct point){at.x + cap, top.y}, stroke);
    svg_line(out, (struct point){at.x - cap, bottom.y}, (struct point){at.x + cap, bottom.y}, stroke);
}

/* Bars and points beneath the lines. */
static void draw_points(struct text *out, const struct frame *frame, const void *context)
{
    const temper_line_figure *figure = context;
    double pixels = fabs(axis_pixel(&frame->y, 1) - axis_pixel(&frame->y, 0));
    for (size_t s = 0; s < figure->series_count; s++) {
        const struct colour colour = palette_category(s).colour;
        const struct stroke thin = {.colour = colour, .width = 1.1};
        for (size_t i = 0; i < figure->points; i++) {
            struct point at = place(figure, frame, s, i);
            double error = error_at_point(figure, s, i);
            if (isnan(at.y))
                continue;
            if (error > 0)
                draw_bar(out, at, error * pixels, &thin);
            svg_fill(out, (struct box){at.x - dot, at.y - dot, 2 * dot, 2 * dot}, colour);
        }
    }
}

static void add_series(struct panel *panel, const temper_line_figure *figure, size_t series)
{
    struct curve *curve = panel_add_curve(panel, palette_category(series));
    curve->stroke.width = 1.8;
    append_short(&curve->label, figure->series[series], 40);
    for (size_t i = 0; i < figure->points; i++) {
        struct point at = place(figure, &panel->frame, series, i);
        path_append(&curve->path, isnan(at.y) ? (struct point){NAN, NAN} : at);
    }
}

void lines_draw(struct text *out, const temper_line_figure *figure)
{
    struct panel *panel = mem_zeroed(1, sizeof *panel);
    struct domain x = {figure->x[0], figure->x[figure->points - 1]};
    if (!panel) {
        out->failed = true;
        return;
    }
    panel->title = figure->title;
    panel->x_title = figure->x_title;
    panel->y_title = figure->y_title;
    panel_frame(panel, wide, high, range_padded(x, 0.05), range_padded(value_range(figure), 0.06));
    panel->layer = draw_points;
    panel->layer_context = figure;
    for (size_t s = 0; s < figure->series_count; s++)
        add_series(panel, figure, s);
    figure_draw(out, figure->title, panel, 1);
    panel_free(panel);
    mem_free(panel);
}
