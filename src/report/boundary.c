/* boundary: rows of two features, and the lines along which models part them. */
#include "report/boundary.h"

#include <math.h>

#include "base/memory.h"
#include "report/figure.h"
#include "report/palette.h"
#include "report/range.h"

enum { MOST_POINTS = 3000 }; /* more make a blot, and a slow page */

static const double dot_radius = 2.7;

/* ---- Points ---------------------------------------------------------------------------------- */

static size_t points_shown(const temper_boundary_figure *figure)
{
    return figure->count < MOST_POINTS ? figure->count : MOST_POINTS;
}

/* Two classes differ by their shape too. */
static void draw_point(struct text *out, struct point at, uint32_t label)
{
    const double side = 1.8 * dot_radius;
    struct colour colour = palette_pale(palette_group(label), 0.25);
    if (label == 0)
        svg_dot(out, at, dot_radius, colour);
    else
        svg_fill(out, (struct box){at.x - side / 2, at.y - side / 2, side, side}, colour);
}

static bool is_flipped(const temper_boundary_figure *figure, size_t row)
{
    return figure->flipped && figure->flipped[row];
}

/* Evenly chosen rows; rings go on top of all points, as they are few and what matters. */
static void draw_points(struct text *out, const struct frame *frame, const void *context)
{
    const struct stroke ring = {.colour = palette_ink, .width = 1.3};
    const temper_boundary_figure *figure = context;
    size_t shown = points_shown(figure);
    for (int rings = 0; rings < 2; rings++)
        for (size_t i = 0; i < shown; i++) {
            size_t row = (size_t)((double)i * ((double)figure->count / (double)shown));
            const double *point = figure->points + 2 * row;
            struct point at = frame_point(frame, point[0], point[1]);
            if (!rings)
                draw_point(out, at, figure->labels[row]);
            else if (is_flipped(figure, row))
                svg_circle(out, at, dot_radius + 2.2, &ring);
        }
}

static void add_keys(struct panel *panel, const temper_boundary_figure *figure)
{
    bool any = false;
    for (size_t i = 0; i < figure->count; i++)
        any |= is_flipped(figure, i);
    for (size_t i = 0; i < 2; i++)
        panel_add_key(panel, (struct key){.label = figure->class_names[i],
                                          .colour = palette_pale(palette_group(i), 0.25),
                                          .shape = i == 0 ? KEY_DOT : KEY_SQUARE});
    if (any)
        panel_add_key(panel, (struct key){"wrong label", palette_ink, KEY_CIRCLE});
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The first is what everyone knows, in black; the next colours are taken by the points. */
static struct stroke line_stroke(size_t index)
{
    return index == 0 ? palette_reference(palette_ink, 1) : palette_category(index + 1);
}

/* Where w x + b = 0 crosses the frame; solved for the feature that changes less along it, so that
 * nothing is divided by a weight near 0. */
static void add_line(struct panel *panel, const temper_boundary *boundary, struct stroke stroke)
{
    const struct axis *x = &panel->frame.x, *y = &panel->frame.y;
    const double *w = boundary->weights, b = boundary->intercept;
    struct curve *curve = panel_add_curve(panel, stroke);
    struct point from, to;
    text_append(&curve->label, boundary->name);
    if (fabs(w[1]) * (y->to - y->from) >= fabs(w[0]) * (x->to - x->from)) {
        from = frame_point(&panel->frame, x->from, -(b + w[0] * x->from) / w[1]);
        to = frame_point(&panel->frame, x->to, -(b + w[0] * x->to) / w[1]);
    } else {
        from = frame_point(&panel->frame, -(b + w[1] * y->from) / w[0], y->from);
        to = frame_point(&panel->frame, -(b + w[1] * y->to) / w[0], y->to);
    }
    bool drawn = isfinite(from.x) && isfinite(from.y) && isfinite(to.x) && isfinite(to.y);
    if (!drawn || !segment_clip(frame_box(&panel->frame), &from, &to)) {
        text_append(&curve->label, " (not in view)");
        return;
    }
    path_append(&curve->path, from);
    path_append(&curve->path, to);
}

void boundary_draw(struct text *out, const temper_boundary_figure *figure)
{
    const double around = 0.05;
    struct panel *panel = mem_zeroed(1, sizeof *panel);
    if (!panel) {
        out->failed = true;
        return;
    }
    panel->title = figure->title;
    panel->x_title = figure->x_title;
    panel->y_title = figure->y_title;
    panel_frame(panel, PANEL_WIDTH, PANEL_HEIGHT, range_padded(range_of(figure->points, figure->count, 2), around),
                range_padded(range_of(figure->points + 1, figure->count, 2), around));
    panel->layer = draw_points;
    panel->layer_context = figure;
    add_keys(panel, figure);
    for (size_t i = 0; i < figure->boundary_count; i++)
        add_line(panel, &figure->boundaries[i], line_stroke(i));
    figure_draw(out, figure->title, panel, 1);
    panel_free(panel);
    mem_free(panel);
}
