/* line_search: how far to go in a direction: to where the slope has flattened and the value has
 * fallen as the slope promised (strong Wolfe conditions). */
#ifndef OPTIM_LINE_SEARCH_H
#define OPTIM_LINE_SEARCH_H

#include "optim/run.h"

struct line {
    const double *direction;
    double slope;   /* of the value along it, at w; negative */
    double first;   /* the step to try first */
    double longest; /* no step is longer */
};

enum line_end {
    LINE_FAILED, /* no step makes the value smaller */
    LINE_FOUND,
    LINE_LIMITED, /* a good one, and `longest` kept it from being longer */
};

/* Leaves the point found in run->trial, evaluated last. */
temper_status line_search(struct optim_run *run, const struct line *line, enum line_end *end);

#endif
