/* axis: maps data to pixels, chooses ticks and ranges, and samples functions as polylines in a frame of two axes. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/svg.h"

enum axis_scale {
    AXIS_LINEAR,
    AXIS_LOG10,   /* the data are decimal logarithms: the tick at 3 is labelled 10^3 */
    AXIS_CATEGORY /* the i-th category covers [i, i + 1] and has its name at the centre */
};

/* Data in [from, to], from < to, is drawn between two pixels (in either direction). */
struct axis {
    double from, to;
    double pixel_from, pixel_to;
    enum axis_scale scale;
    const char *title;        /* NULL: none */
    const char *const *names; /* of the categories */
    bool hidden;              /* no ticks, grid and title: the values are written in the chart */
};

double axis_pixel(const struct axis *axis, double value);

/* Ticks at integer multiples of a step of 1, 2 or 5 times a power of ten; or at the centres of categories. */
struct ticks {
    const struct axis *axis;
    double first; /* in steps */
    size_t count;
    int digit;         /* 1, 2 or 5 */
    int power;         /* step = digit * 10^power */
    int common_factor; /* labels omit this power of ten; the title of the axis states it */
};

/* At most `most` + 1 ticks. The range must be wider than 1e-7 of its largest absolute value, or labels could coincide.
 */
struct ticks axis_ticks(const struct axis *axis, size_t most);
double tick_value(const struct ticks *ticks, size_t index);
void tick_label(struct text *out, const struct ticks *ticks, size_t index);
/* An upper bound for the number of characters of a label of numbers. */
size_t tick_label_length(const struct ticks *ticks);

/* A number with so many significant digits: -1.5, 0.6, 3 x 10^9 (with the marks of svg.h). */
void append_quantity(struct text *out, double value, int digits);
/* 10^power, with the marks of svg.h. */
void append_power(struct text *out, int power);

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* The arithmetic of the axes needs some room below the largest double. */
#define LARGEST_DRAWN 1e300

struct domain {
    double from, to;
};

/* The smallest and the largest of finite numbers, `stride` apart; count > 0. */
struct domain range_of(const double *values, size_t count, size_t stride);
/* The same without the outermost `share` of them on either side. False without memory. */
bool range_of_most(const double *values, size_t count, double share, struct domain *range);
/* Wider by a share on both sides, and never too narrow for distinct labels at its ends. */
struct domain range_padded(struct domain range, double share);

/* ---- Curves ---------------------------------------------------------------------------------- */

/* Start from {0}. A point of NaNs starts a new segment. `failed` stays set after a failed allocation. */
struct path {
    struct point *points;
    size_t count;
    size_t capacity;
    bool failed;
};

void path_free(struct path *path);
void path_append(struct path *path, struct point point);

/* The two axes that a curve is drawn against. */
struct frame {
    struct axis x, y;
};

struct box frame_box(const struct frame *frame);
struct point frame_point(const struct frame *frame, double x, double y);

typedef double curve_function(const void *context, double x);

/* Appends y = function(x) for x in the domain. Kinks, jumps and poles are resolved to a fraction of a pixel; values
 * beyond the frame, also infinite ones, are drawn up to its border, NaN not at all. */
void path_sample(struct path *path, const struct frame *frame, struct domain domain, curve_function *function,
                 const void *context);

/* The part of a segment inside a box: false if there is none. */
bool segment_clip(struct box box, struct point *from, struct point *to);
bool path_meets(const struct path *path, struct box box);

#endif
