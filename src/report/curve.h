/* curve: a function as a polyline in pixels, sampled adaptively and clipped to the frame. */
#ifndef REPORT_CURVE_H
#define REPORT_CURVE_H

#include "report/axis.h"
#include "report/svg.h"

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
