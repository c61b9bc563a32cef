/* curve: a function as a polyline in pixels: cells of its domain are bisected until the chord is accurate. */
#include "report/curve.h"

#include <math.h>

#include "base/memory.h"

/* The cells that every curve is sampled in, and how often each may be bisected: from 6 pixels down to 1/600 of one. */
enum { CELLS = 54, HALVINGS = 12 };

static const double tolerance = 0.04; /* pixels between the chord and the curve */

void path_free(struct path *path)
{
    mem_free(path->points);
    *path = (struct path){0};
}

void path_append(struct path *path, struct point point)
{
    if (path->failed)
        return;
    if (path->count == path->capacity) {
        size_t capacity = path->capacity ? path->capacity * 2 : 128;
        struct point *points = mem_resize(path->points, capacity, sizeof *points);
        if (!points) {
            path->failed = true;
            return;
        }
        path->points = points;
        path->capacity = capacity;
    }
    path->points[path->count++] = point;
}

struct box frame_box(const struct frame *frame)
{
    const struct axis *x = &frame->x, *y = &frame->y;
    return (struct box){
        .left = fmin(x->pixel_from, x->pixel_to),
        .top = fmin(y->pixel_from, y->pixel_to),
        .width = fabs(x->pixel_to - x->pixel_from),
        .height = fabs(y->pixel_to - y->pixel_from),
    };
}

struct point frame_point(const struct frame *frame, double x, double y)
{
    return (struct point){axis_pixel(&frame->x, x), axis_pixel(&frame->y, y)};
}

/* ---- Clipping -------------------------------------------------------------------------------- */

/* One edge of the Liang-Barsky algorithm: the shares [*enter, *leave] of a segment with p <= q * share. */
static bool clip_edge(double q, double p, double *enter, double *leave)
{
    if (q == 0)
        return p <= 0;
    double share = p / q;
    if (q > 0)
        *enter = fmax(*enter, share);
    else
        *leave = fmin(*leave, share);
    return *enter <= *leave;
}

bool segment_clip(struct box box, struct point *from, struct point *to)
{
    double enter = 0, leave = 1;
    struct point start = *from, run = {to->x - from->x, to->y - from->y};
    if (isnan(run.x) || isnan(run.y))
        return false;
    if (!clip_edge(run.x, box.left - start.x, &enter, &leave) ||
        !clip_edge(-run.x, start.x - box.left - box.width, &enter, &leave) ||
        !clip_edge(run.y, box.top - start.y, &enter, &leave) ||
        !clip_edge(-run.y, start.y - box.top - box.height, &enter, &leave))
        return false;
    if (leave < 1) /* whole ends stay as they are, to the bit */
        *to = (struct point){start.x + leave * run.x, start.y + leave * run.y};
    if (enter > 0)
        *from = (struct point){start.x + enter * run.x, start.y + enter * run.y};
    return true;
}

bool path_meets(const struct path *path, struct box box)
{
    for (size_t i = 1; i < path->count; i++) {
        struct point from = path->points[i - 1], to = path->points[i];
        if (segment_clip(box, &from, &to))
            return true;
    }
    return false;
}

/* ---- Sampling -------------------------------------------------------------------------------- */

struct curve_sampler {
    struct path *path;
    const struct frame *frame;
    struct box box;
    struct domain domain;
    curve_function *function;
    const void *context;
};

/* The curve at a share of the domain. Values far outside the frame are clamped, so that a pole becomes an ordinary
 * kink; where the curve crosses the frame does not change. */
static struct point sample(const struct curve_sampler *sampler, double share)
{
    const struct box *box = &sampler->box;
    double x = sampler->domain.from * (1 - share) + sampler->domain.to * share;
    double y = sampler->function(sampler->context, x);
    if (isnan(y))
        return (struct point){NAN, NAN};
    double pixel = axis_pixel(&sampler->frame->y, y);
    pixel = fmin(fmax(pixel, box->top - box->height), box->top + 2 * box->height);
    return (struct point){axis_pixel(&sampler->frame->x, x), pixel};
}

/* Appends the visible part of a segment; starts a new polyline if it does not continue the last one. */
static void append_segment(struct curve_sampler *sampler, struct point from, struct point to)
{
    struct path *path = sampler->path;
    if (!segment_clip(sampler->box, &from, &to))
        return;
    struct point last = path->count ? path->points[path->count - 1] : (struct point){NAN, NAN};
    if (last.x != from.x || last.y != from.y) {
        if (path->count)
            path_append(path, (struct point){NAN, NAN});
        path_append(path, from);
    }
    path_append(path, to);
}

/* Whether the point is within the tolerance of the chord. */
static bool near_chord(struct point from, struct point to, struct point point)
{
    double dx = to.x - from.x, dy = to.y - from.y;
    double cross = dx * (point.y - from.y) - dy * (point.x - from.x);
    return fabs(cross) <= tolerance * hypot(dx, dy); /* false for a NaN */
}

/* A cell of the domain, with the curve at its ends. */
struct curve_cell {
    double from, to;
    struct point first, last;
};

static bool is_straight(const struct curve_sampler *sampler, const struct curve_cell *cell, struct point middle)
{
    if (isnan(cell->first.y) && isnan(middle.y) && isnan(cell->last.y))
        return true;
    /* A second sample off the centre, because a step function is symmetric about its middle. */
    struct point aside = sample(sampler, cell->from + 0.29 * (cell->to - cell->from));
    return near_chord(cell->first, cell->last, middle) && near_chord(cell->first, cell->last, aside);
}

/* Appends a cell, bisected where it is not straight. */
static void refine(struct curve_sampler *sampler, struct curve_cell cell, int halvings)
{
    double centre = 0.5 * (cell.from + cell.to);
    struct point middle = sample(sampler, centre);
    if (halvings == 0 || is_straight(sampler, &cell, middle)) {
        append_segment(sampler, cell.first, cell.last);
        return;
    }
    refine(sampler, (struct curve_cell){cell.from, centre, cell.first, middle}, halvings - 1);
    refine(sampler, (struct curve_cell){centre, cell.to, middle, cell.last}, halvings - 1);
}

void path_sample(struct path *path, const struct frame *frame, struct domain domain, curve_function *function,
                 const void *context)
{
    struct curve_sampler sampler = {
        .path = path,
        .frame = frame,
        .box = frame_box(frame),
        .domain = domain,
        .function = function,
        .context = context,
    };
    struct curve_cell cell = {.last = sample(&sampler, 0)};
    for (int i = 0; i < CELLS; i++) {
        cell.from = cell.to;
        cell.to = (double)(i + 1) / CELLS;
        cell.first = cell.last;
        cell.last = sample(&sampler, cell.to);
        refine(&sampler, cell, HALVINGS);
    }
}
