/* line_search: the step length along a direction.
 *
 * Keeps a bracket: `low`, where the value has decreased sufficiently and the slope is still steep, and `high`, which is
 * too long. Between the two is a step that satisfies the strong Wolfe conditions; it is found by cubic interpolation,
 * safeguarded by bisection. Where the predicted decrease is below the rounding of the value, slopes alone decide: the
 * approximate Wolfe conditions of Hager and Zhang (2005). */
#include "optim/line_search.h"

#include <math.h>

#include "optim/vector.h"

/* Wolfe conditions: the value has to decrease by DELTA times slope times step; the slope to SIGMA of what it was. */
static const double DELTA = 0.1, SIGMA = 0.9;
/* A point is on a plateau if the gradient is below VANISHED of what it was, but the value decreased by less than
 * PLATEAU of slope times step: at the minimum of a parabola it is a half, of x^4 a quarter. */
static const double VANISHED = 0.05, PLATEAU = 0.2;

enum {
    MAX_TRIALS = 40,   /* evaluations of one line search at most */
    SETTLE_TRIALS = 10 /* after this many, the longest step of sufficient decrease is taken */
};

/* What a trial shows about the step: the curvature condition fails because the value is still falling steeply, or the
 * step is beyond the interval of acceptable ones, or both Wolfe conditions hold. */
enum verdict { TOO_SHORT, TOO_LONG, GOOD };

/* The curvature condition: SIGMA at_start <= slope <= -rise at_start, both slopes along the direction, at_start < 0. */
static enum verdict judge_slope(double slope, double at_start, double rise)
{
    if (slope < SIGMA * at_start)
        return TOO_SHORT;
    return slope > -rise * at_start ? TOO_LONG : GOOD;
}

/* Whether the decrease that the slope predicts is below the rounding of the value. */
static bool below_rounding(const struct line_search *search, double step)
{
    return -search->line.slope * step <= solver_rounding(search->state);
}

/* Whether a step is too short, too long or good; marks a point on a plateau as not smooth. */
static enum verdict judge(const struct line_search *search, struct line_point *at)
{
    const struct solver_state *state = search->state;
    const struct solver_head *head = state->head;
    const double slope = search->line.slope, predicted = -slope * at->step;
    /* A value or slope that is not finite: the step left the domain of the loss. */
    if (!at->smooth)
        return TOO_LONG;
    if (below_rounding(search, at->step)) {
        /* Relative to the lowest value, so that many steps cannot add up to an increase. */
        if (at->value > head->lowest + solver_rounding(state))
            return TOO_LONG;
        return judge_slope(at->slope, slope, 1 - 2 * DELTA);
    }
    /* A plateau: the gradient has vanished although the value has not decreased as it would at a minimum. The loss is
     * flat there; the minimum is at a shorter step. */
    const double decrease = head->value - at->value;
    if (state->trial_norm <= VANISHED * head->gradient_norm && decrease < PLATEAU * predicted) {
        at->smooth = false;
        return TOO_LONG;
    }
    if (!(decrease >= DELTA * predicted))
        return TOO_LONG;
    return judge_slope(at->slope, slope, SIGMA);
}

/* The minimum of the cubic through values and slopes at both ends (Nocedal and Wright 2006, equation 3.59); NaN if it
 * has none. */
static double cubic_minimum(const struct line_point *a, const struct line_point *b)
{
    const double width = b->step - a->step;
    const double d1 = a->slope + b->slope - 3 * (b->value - a->value) / width;
    const double d2 = sqrt(d1 * d1 - a->slope * b->slope);
    return b->step - width * (b->slope + d2 - d1) / (b->slope - a->slope + 2 * d2);
}

/* The zero of the line through both slopes. */
static double secant_zero(const struct line_point *a, const struct line_point *b)
{
    return a->step - a->slope * (b->step - a->step) / (b->slope - a->slope);
}

static double clamp(double x, double from, double to)
{
    return x < from ? from : x > to ? to : x;
}

/* The next step within the bracket, at least a twentieth of its width away from both ends, so that the bracket shrinks
 * by a constant factor at least. */
static double inside(const struct line_search *search)
{
    const struct line_point *low = &search->low, *high = &search->high;
    const double width = high->step - low->step;
    /* Nothing can be interpolated from such an end: a fifth of the bracket brings the step back quickly. */
    if (!high->smooth)
        return low->step + width / 5;
    /* Every fourth time bisection, in case interpolation converges slowly from one side. */
    double guess = NAN;
    if (search->trial % 4 != 3)
        guess = below_rounding(search, high->step) ? secant_zero(low, high) : cubic_minimum(low, high);
    if (!isfinite(guess))
        return low->step + width / 2;
    return clamp(guess, low->step + width / 20, high->step - width / 20);
}

/* Extrapolation: by the secant of the slopes, but two to ten times the longest step so far. */
static double outside(const struct line_search *search)
{
    const struct line_point *low = &search->low, *before = &search->before;
    const double guess = low->slope > before->slope ? secant_zero(before, low) : INFINITY;
    return clamp(guess, 2 * low->step, 10 * low->step);
}

/* ---- Trials ---------------------------------------------------------------------------- */

/* trial = w + step direction. */
static void place_trial(const struct line_search *search)
{
    const struct solver_state *state = search->state;
    vector_step(state->trial, state->w, search->step, search->line.direction, state->problem->size);
}

/* Whether the search cannot go on: no double is left between both ends, or the step is so short that w + step direction
 * equals w. */
static bool exhausted(const struct line_search *search)
{
    const struct solver_state *state = search->state;
    if (!(search->step > search->low.step) || !(search->step < search->high.step))
        return true;
    place_trial(search);
    return vector_equal(state->trial, state->w, state->problem->size);
}

/* Ends with the longest step of sufficient decrease, although the slope there is still steep. It is evaluated again,
 * because state->trial and its gradient may be those of another trial since. */
static enum line_state settle(struct line_search *search)
{
    if (!(search->low.step > 0))
        return LINE_FAILED;
    search->settled = true;
    search->step = search->low.step;
    place_trial(search);
    return LINE_EVALUATE;
}

/* The next trial, unless there were too many or the bracket is exhausted. */
static enum line_state propose(struct line_search *search)
{
    return search->trial < MAX_TRIALS && !exhausted(search) ? LINE_EVALUATE : settle(search);
}

/* The bracket is [0, infinity) at first: the start counts as a step of sufficient decrease. */
enum line_state line_begin(struct line_search *search, struct solver_state *state, struct line line)
{
    *search = (struct line_search){.state = state, .line = line};
    search->low = (struct line_point){0, state->head->value, line.slope, true};
    search->high = (struct line_point){.step = INFINITY};
    search->before = search->low;
    search->step = fmin(line.first, line.longest);
    return propose(search);
}

/* The trial as a point of the line. */
static struct line_point point_of_trial(const struct line_search *search)
{
    const struct solver_state *state = search->state;
    struct line_point at = {.step = search->step, .value = state->trial_value};
    at.slope = vector_dot(state->trial_gradient, search->line.direction, state->problem->size);
    at.smooth = solver_trial_finite(state) && isfinite(at.slope);
    return at;
}

/* The trial becomes an end of the bracket: `low` moves up through steps of sufficient decrease, `high` down. */
static void narrow(struct line_search *search, struct line_point at, enum verdict verdict)
{
    if (verdict == TOO_LONG) {
        search->high = at;
    } else {
        search->before = search->low;
        search->low = at;
    }
}

/* Judges the trial, then either ends or proposes another: by extrapolation until a step was too long, within the
 * bracket from then on. */
enum line_state line_continue(struct line_search *search)
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
    if (search->trial >= SETTLE_TRIALS && search->low.step > 0)
        return settle(search);
    search->step = isinf(search->high.step) ? fmin(outside(search), search->line.longest) : inside(search);
    search->trial++;
    return propose(search);
}
