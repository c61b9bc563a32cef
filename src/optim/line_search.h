/* line_search: how far to go in a direction: to where the slope has flattened and the value has
 * fallen as the slope promised (strong Wolfe conditions).
 *
 *     state = line_begin(&search, run, line);
 *     while (state == LINE_ASKS) {
 *         ... evaluate run->trial ...
 *         state = line_next(&search);
 *     } */
#ifndef OPTIM_LINE_SEARCH_H
#define OPTIM_LINE_SEARCH_H

#include "optim/solver_state.h"

struct line {
    const double *direction;
    double slope;   /* of the value along it, at w; negative */
    double first;   /* the step to try first */
    double longest; /* no step is longer */
};

struct line_point {
    double step, value, slope;
    bool smooth; /* can be interpolated: finite, and not flat */
};

struct line_search {
    struct solver_state *run;
    struct line line;
    struct line_point low, high; /* high.step is infinite as long as nothing was too far */
    struct line_point before;    /* the `low` before the last */
    double step;                 /* that of run->trial */
    size_t trial;                /* how many were tried before it */
    bool settled;                /* it is the last, whatever its value */
};

enum line_state {
    LINE_ASKS,   /* for value and gradient at run->trial */
    LINE_FAILED, /* no step makes the value smaller */
    LINE_FOUND,  /* run->trial, which was evaluated last */
    LINE_LIMITED /* the same, and `longest` kept it from being longer */
};

/* The run, and the direction, must stay where they are. */
enum line_state line_begin(struct line_search *search, struct solver_state *run, struct line line);
/* After run->trial was evaluated: solver_tried. */
enum line_state line_next(struct line_search *search);

#endif
