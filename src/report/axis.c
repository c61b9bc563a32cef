/* axis: maps data to pixels, chooses ticks and ranges, and samples functions.
 *
 * Ticks are multiples of 1, 2 or 5 times a power of ten, the smallest that gives no more than the wanted number.
 * Functions are sampled adaptively: a cell is halved until its middle is within a fraction of a pixel of the chord, so
 * that smooth parts take few points and kinks are sharp. Segments are clipped to the frame (Liang and Barsky 1984), so
 * that no coordinate is far outside the picture. */
#include "report/axis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* Beyond these powers, labels such as 250000 or 0.00025 are harder to read than a power of ten. */
enum { LARGEST_PLAIN_POWER = 4, SMALLEST_PLAIN_POWER = -3, MOST_DECIMALS = 9 };

static const char minus_sign[] = "\xe2\x88\x92";
static const char times_sign[] = "\xc2\xb7";

/* The pixel of a value by linear interpolation. Logarithmic axes hold logarithms in from and to, so it serves them too.
 * */
double axis_pixel(const struct axis *axis, double value)
{
    double share = (value - axis->from) / (axis->to - axis->from);
    return axis->pixel_from + share * (axis->pixel_to - axis->pixel_from);
}

/* count * 10^power; dividing by an exact power of ten gives the nearest to 0.3, unlike 3 * 0.1. */
static double scale_ten(double count, int power)
{
    return power < 0 ? count / pow(10, -power) : count * pow(10, power);
}

/* The exponent of the decimal notation: 2 for 123. */
static int floor_power(double value)
{
    return (int)floor(log10(value));
}

/* The smallest of 1, 2, 5, 10 x 10^k that is at least `least`. */
static void choose_step(struct ticks *ticks, double least)
{
    static const int digits[] = {1, 2, 5};
    ticks->power = floor_power(least);
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        ticks->digit = digits[i];
        /* With a tolerance for rounding: ten steps of 0.1 must fit into 1. */
        if (scale_ten(ticks->digit, ticks->power) >= least * (1 - 1e-9))
            return;
    }
    ticks->digit = 1;
    ticks->power++;
}

/* The power of ten that is factored out of the labels: 0 where plain numbers are readable. */
static int common_factor(double largest)
{
    int power = floor_power(largest);
    return power > LARGEST_PLAIN_POWER || power < SMALLEST_PLAIN_POWER ? power : 0;
}

/* The step is the smallest nice number for which there are at most `most` intervals. Ticks at the ends are kept in
 * spite of rounding. */
struct ticks axis_ticks(const struct axis *axis, size_t most)
{
    assert(axis->from < axis->to && most > 0);
    struct ticks ticks = {.axis = axis, .digit = 1};
    if (axis->scale == AXIS_CATEGORY) {
        ticks.count = (size_t)axis->to;
        return ticks;
    }
    /* Categories have been handled: from here on there is a step. */
    double least = (axis->to - axis->from) / (double)most;
    bool powers = axis->scale == AXIS_LOG10; /* only whole powers of ten have a label */
    choose_step(&ticks, powers ? fmax(least, 1) : least);
    if (!powers)
        ticks.common_factor = common_factor(fmax(fabs(axis->from), fabs(axis->to)));
    double step = scale_ten(ticks.digit, ticks.power);
    /* In units of the step; the tolerance keeps ticks at the ends. */
    ticks.first = ceil(axis->from / step - 1e-9);
    double last = floor(axis->to / step + 1e-9);
    ticks.count = last < ticks.first ? 0 : (size_t)(last - ticks.first) + 1;
    return ticks;
}

/* Computed from integers, so that 0.3 is the double nearest to 0.3. */
double tick_value(const struct ticks *ticks, size_t index)
{
    if (ticks->axis->scale == AXIS_CATEGORY)
        return (double)index + 0.5;
    return scale_ten((ticks->first + (double)index) * ticks->digit, ticks->power);
}

/* A true minus sign is as wide as the digits; a hyphen is not. */
static void append_signed(struct text *out, double value, int decimals)
{
    if (value < 0)
        text_append(out, minus_sign);
    text_append_number(out, fabs(value), decimals);
}

/* The number in a label: the tick without the common factor. */
static double label_value(const struct ticks *ticks, size_t index)
{
    int power = ticks->power - ticks->common_factor;
    return scale_ten((ticks->first + (double)index) * ticks->digit, power);
}

/* The same number of decimals for all labels of an axis: as many as the step has. */
static int label_decimals(const struct ticks *ticks)
{
    int decimals = ticks->common_factor - ticks->power;
    return decimals < 0 ? 0 : decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS;
}

/* The name of a category, a power of ten, or a number without the common factor. */
void tick_label(struct text *out, const struct ticks *ticks, size_t index)
{
    if (ticks->axis->scale == AXIS_CATEGORY)
        text_append(out, ticks->axis->names[index]);
    else if (ticks->axis->scale == AXIS_LOG10)
        append_power(out, (int)lround(tick_value(ticks, index)));
    else
        append_signed(out, label_value(ticks, index), label_decimals(ticks));
}

/* From the first and the last label, as one of them is the longest. */
size_t tick_label_length(const struct ticks *ticks)
{
    if (ticks->count == 0)
        return 0;
    if (ticks->axis->scale == AXIS_LOG10)
        return sizeof "10-9" - 1;
    double first = label_value(ticks, 0), last = label_value(ticks, ticks->count - 1);
    double largest = fmax(fabs(first), fabs(last));
    /* Ticks ascend: if any is negative, the first is. */
    size_t sign = first < 0, decimals = (size_t)label_decimals(ticks);
    size_t whole = largest < 1 ? 1 : (size_t)floor_power(largest) + 1;
    return sign + whole + (decimals ? decimals + 1 : 0);
}

/* Digits after the point so that `digits` of them are significant. */
static int decimals_for(double size, int digits)
{
    int decimals = digits - 1 - floor_power(size);
    return decimals < 0 ? 0 : decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS;
}

/* With a true minus sign in the exponent. */
void append_power(struct text *out, int power)
{
    text_format(out, "10" SVG_SUP("%s%d"), power < 0 ? minus_sign : "", abs(power));
}

/* Plain notation for readable sizes; otherwise a mantissa and a power of ten. Rounding may carry 9.996 to 10, which
 * moves the power by one. */
void append_quantity(struct text *out, double value, int digits)
{
    double size = fabs(value);
    if (size == 0 || !isfinite(value)) {
        text_append_number(out, value, 0);
        return;
    }
    int power = common_factor(size);
    if (power == 0) {
        append_signed(out, value, decimals_for(size, digits));
        return;
    }
    /* In two steps, as 10^power itself may overflow. */
    double scaled = scale_ten(scale_ten(value, -power / 2), -power - (-power / 2));
    double unit = pow(10, 1 - digits); /* the last significant digit of the mantissa */
    scaled = round(scaled / unit) * unit;
    if (fabs(scaled) >= 10) {
        scaled /= 10;
        power++;
    }
    if (scaled != 1) { /* 10^9 needs no 1 before it */
        append_signed(out, scaled, digits - 1);
        text_append(out, times_sign);
    }
    append_power(out, power);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* The stride allows for interleaved coordinates. */
struct domain range_of(const double *values, size_t count, size_t stride)
{
    struct domain range = {values[0], values[0]}; /* count > 0 */
    for (size_t i = 1; i < count; i++) {
        range.from = fmin(range.from, values[i * stride]);
        range.to = fmax(range.to, values[i * stride]);
    }
    return range;
}

/* The range without a share of the values on either side: empirical quantiles, by sorting a copy. False without memory.
 * */
bool range_of_most(const double *values, size_t count, double share, struct domain *range)
{
    double *sorted = mem_alloc(count, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    size_t left_out = (size_t)(share * (double)count); /* on either side */
    *range = (struct domain){sorted[left_out], sorted[count - 1 - left_out]};
    mem_free(sorted);
    return true;
}

/* Halves are added, not differences doubled, so that ranges near the largest double do not overflow. */
struct domain range_padded(struct domain range, double share)
{
    const double narrowest = 1e-4; /* relative to the larger end */
    double middle = range.from / 2 + range.to / 2, half = range.to / 2 - range.from / 2;
    double least = narrowest * fmax(fabs(range.from), fabs(range.to));
    if (half <= least) /* a single value: half of it, or 1, on either side */
        half = middle == 0 ? 1 : fmax(fabs(middle) / 2, least);
    /* The share is of the whole range, on each side. */
    half *= 1 + 2 * share;
    return (struct domain){middle - half, middle + half};
}

/* ---- Curves: cells of the domain are bisected until the chord is accurate --------------------- */

/* The cells that every curve is sampled in, and how often each may be bisected: from 6 pixels down to 1/600 of one. */
enum { CELLS = 54, HALVINGS = 12 };

static const double tolerance = 0.04; /* pixels between the chord and the curve */

/* Leaves an empty path, which can be used again. */
void path_free(struct path *path)
{
    mem_free(path->points);
    *path = (struct path){0};
}

/* The capacity doubles. After a failed allocation further points are ignored. */
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

/* The y axis usually has its larger pixel at the bottom, so either end may be the upper one. */
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

/* A point in data units as a point in pixels. */
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
    /* Where the segment crosses the line of this edge. */
    double share = p / q;
    if (q > 0)
        *enter = fmax(*enter, share);
    else
        *leave = fmin(*leave, share);
    return *enter <= *leave;
}

/* Liang-Barsky: the four edges narrow the interval of the parameter of the segment. */
bool segment_clip(struct box box, struct point *from, struct point *to)
{
    double enter = 0, leave = 1; /* the visible part of the segment, as shares of its length */
    struct point start = *from, run = {to->x - from->x, to->y - from->y};
    /* A gap of the curve, or infinite ends of opposite sign. */
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

/* Whether any segment of the path has a part in the box. Segments with NaN are gaps. */
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

/* What the recursive sampling of one curve needs at every step. */
struct curve_sampler {
    struct path *path; /* the result, in pixels */
    const struct frame *frame;
    struct box box;       /* of the frame, in pixels */
    struct domain domain; /* of x, in data units */
    curve_function *function;
    const void *context; /* passed to the function */
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
    /* One frame height above and below is enough to keep the slope at the crossing. */
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

/* Whether the chord represents the curve in this cell. Cells where the function is nowhere defined need no
 * bisection. */
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

/* Neighbouring cells share their end, so each point is evaluated once. CELLS equal cells are refined separately, up to
 * HALVINGS times: a kink or a pole, at which no chord fits, costs a bounded number of evaluations. */
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
