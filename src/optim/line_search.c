/* line_search: how far to go in a direction.
 *
 * Keeps a bracket: `low`, where the value has fallen enough and still falls steeply, and `high`,
 * which is too far. Between the two lies a step that satisfies the strong Wolfe conditions. Where
 * the promised fall is below the rounding of the value, slopes alone decide: the approximate Wolfe
 * conditions of Hager and Zhang (2005). */
#include "optim/line_search.h"

#include <math.h>

#include "optim/vector.h"

/* The value has to fall by DELTA of what the slope promises; the slope to SIGMA of what it was. */
static const double DELTA = 0.1, SIGMA = 0.9;
/* A point is on a plateau if the gradient is below VANISHED of what it was, but the value fell by
 * less than PLATEAU of the promise: at the bottom of a parabola it is a half, of x^4 a quarter. */
static const double VANISHED = 0.05, PLATEAU = 0.2;

enum {
    TRIALS = 40, /* in all */
    ENOUGH = 10  /* if a step that will do, if not well, is known by then, it is taken */
};

enum verdict { TOO_SHORT, TOO_LONG, GOOD };

static enum verdict judge_slope(double slope, double at_start, double rise)
{
    if (slope < SIGMA * at_start)
        return TOO_SHORT;
    return slope > -rise * at_start ? TOO_LONG : GOOD;
}

static bool below_noise(const struct line_search *search, double step)
{
    return -search->line.slope * step <= solver_noise(search->run);
}

/* Marks a flat point as not smooth. */
static enum verdict judge(const struct line_search *search, struct line_point *at)
{
    const struct solver_state *run = search->run;
    const struct optim_head *head = run->head;
    const double slope = search->line.slope, promised = -slope * at->step;
    if (!at->smooth)
        return TOO_LONG;
    if (below_noise(search, at->step)) {
        /* Measured from the lowest value, so that many steps cannot add up to a rise. */
        if (at->value > head->lowest + solver_noise(run))
            return TOO_LONG;
        return judge_slope(at->slope, slope, 1 - 2 * DELTA);
    }
    const double fall = head->value - at->value;
    if (run->trial_norm <= VANISHED * head->gradient_norm && fall < PLATEAU * promised) {
        at->smooth = false;
        return TOO_LONG;
    }
    if (!(fall >= DELTA * promised))
        return TOO_LONG;
    return judge_slope(at->slope, slope, SIGMA);
}

/* Where the cubic through values and slopes at both ends is smallest; NaN if nowhere. */
static double cubic_minimum(const struct line_point *a, const struct line_point *b)
{
    const double width = b->step - a->step;
    const double d1 = a->slope + b->slope - 3 * (b->value - a->value) / width;
    const double d2 = sqrt(d1 * d1 - a->slope * b->slope);
    return b->step - width * (b->slope + d2 - d1) / (b->slope - a->slope + 2 * d2);
}

/* Where the line through both slopes is zero. */
static double secant_zero(const struct line_point *a, const struct line_point *b)
{
    return a->step - a->slope * (b->step - a->step) / (b->slope - a->slope);
}

static double clamp(double x, double from, double to)
{
    return x < from ? from : x > to ? to : x;
}

static double inside(const struct line_search *search)
{
    const struct line_point *low = &search->low, *high = &search->high;
    const double width = high->step - low->step;
    if (!high->smooth)
        return low->step + width / 5;
    /* Interpolation that creeps along one side is cut short by halving now and then. */
    double guess = NAN;
    if (search->trial % 4 != 3)
        guess = below_noise(search, high->step) ? secant_zero(low, high) : cubic_minimum(low, high);
    if (!isfinite(guess))
        return low->step + width / 2;
    return clamp(guess, low->step + width / 20, high->step - width / 20);
}

/* Farther than anything so far: by the secant of the slopes, but two to ten times as far. */
static double outside(const struct line_search *search)
{
    const struct line_point *low = &search->low, *before = &search->before;
    const double guess = low->slope > before->slope ? secant_zero(before, low) : INFINITY;
    return clamp(guess, 2 * low->step, 10 * low->step);
}

/* ---- Step by step ---------------------------------------------------------------------------- */

static void go_to(const struct line_search *search)
{
    const struct solver_state *run = search->run;
    vector_step(run->trial, run->w, search->step, search->line.direction, run->problem->size);
}

/* No number between both ends is left, or w would not change. */
static bool exhausted(const struct line_search *search)
{
    const struct solver_state *run = search->run;
    if (!(search->step > search->low.step) || !(search->step < search->high.step))
        return true;
    go_to(search);
    return vector_equal(run->trial, run->w, run->problem->size);
}

/* The search ends without the best of steps; the last one that will do is good enough. */
static enum line_state settle(struct line_search *search)
{
    if (!(search->low.step > 0))
        return LINE_FAILED;
    search->settled = true;
    search->step = search->low.step;
    go_to(search);
    return LINE_ASKS;
}

static enum line_state propose(struct line_search *search)
{
    return search->trial < TRIALS && !exhausted(search) ? LINE_ASKS : settle(search);
}

enum line_state line_begin(struct line_search *search, struct solver_state *run, struct line line)
{
    *search = (struct line_search){.run = run, .line = line};
    search->low = (struct line_point){0, run->head->value, line.slope, true};
    search->high = (struct line_point){.step = INFINITY};
    search->before = search->low;
    search->step = fmin(line.first, line.longest);
    return propose(search);
}

/* The trial as a point of the line. */
static struct line_point point_of_trial(const struct line_search *search)
{
    const struct solver_state *run = search->run;
    struct line_point at = {.step = search->step, .value = run->trial_value};
    at.slope = vector_dot(run->trial_gradient, search->line.direction, run->problem->size);
    at.smooth = solver_trial_finite(run) && isfinite(at.slope);
    return at;
}

/* Keeps the point that was neither good nor the last as an end of the bracket. */
static void narrow(struct line_search *search, struct line_point at, enum verdict verdict)
{
    if (verdict == TOO_LONG) {
        search->high = at;
    } else {
        search->before = search->low;
        search->low = at;
    }
}

enum line_state line_next(struct line_search *search)
{
    if (search->settled)
        return LINE_FOUND;
    struct line_point at = point_of_trial(search);
    const enum verdict verdict = judge(search, &at);
    if (verdict == GOOD)
        return LINE_FOUND;
    if (verdict == TOO_SHORT && search->step >= search->line.longest)
        return LINE_LIMITED;
    narrow(search, at, verdict);
    if (search->trial >= ENOUGH && search->low.step > 0)
        return settle(search);
    search->step = isinf(search->high.step) ? fmin(outside(search), search->line.longest) : inside(search);
    search->trial++;
    return propose(search);
}
