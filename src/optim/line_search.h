/* line_search: the step length along a direction: one that satisfies the strong Wolfe conditions. In reverse
 * communication:
 *
 *     state = line_begin(&search, state, line);
 *     while (state == LINE_EVALUATE) {
 *         ... evaluate state->trial ...
 *         state = line_continue(&search);
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
    bool smooth; /* usable for interpolation: finite, and not flat */
};

struct line_search {
    struct solver_state *state;
    struct line line;
    struct line_point low, high; /* high.step is infinite until a step was too long */
    struct line_point before;    /* the previous `low` */
    double step;                 /* that of state->trial */
    size_t trial;                /* how many were evaluated before it */
    bool settled;                /* it is taken, whatever its value */
};

enum line_state {
    LINE_EVALUATE, /* value and gradient at state->trial are needed */
    LINE_FAILED,   /* no step decreases the value */
    LINE_FOUND,    /* state->trial, which was evaluated last */
    LINE_LIMITED   /* the same, and `longest` limited it */
};

/* The state and the direction must not move. */
enum line_state line_begin(struct line_search *search, struct solver_state *state, struct line line);
/* After state->trial was evaluated: solver_evaluated. */
enum line_state line_continue(struct line_search *search);

#endif
