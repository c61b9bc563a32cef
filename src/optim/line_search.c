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

struct point {
    double step, value, slope;
    bool smooth; /* can be interpolated: finite, and not flat */
};

struct search {
    struct optim_run *run;
    const struct line *line;
    struct point low, high; /* high.step is infinite as long as nothing was too far */
};

enum verdict { TOO_SHORT, TOO_LONG, GOOD };

static enum verdict judge_slope(double slope, double at_start, double rise)
{
    if (slope < SIGMA * at_start)
        return TOO_SHORT;
    return slope > -rise * at_start ? TOO_LONG : GOOD;
}

static bool below_noise(const struct search *search, double step)
{
    return -search->line->slope * step <= run_noise(search->run);
}

/* Marks a flat point as not smooth. */
static enum verdict judge(const struct search *search, struct point *at)
{
    const struct optim_run *run = search->run;
    const struct optim_head *head = run->head;
    const double slope = search->line->slope, promised = -slope * at->step;
    if (!at->smooth)
        return TOO_LONG;
    if (below_noise(search, at->step)) {
        /* Measured from the lowest value, so that many steps cannot add up to a rise. */
        if (at->value > head->lowest + run_noise(run))
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
static double cubic_minimum(const struct point *a, const struct point *b)
{
    const double width = b->step - a->step;
    const double d1 = a->slope + b->slope - 3 * (b->value - a->value) / width;
    const double d2 = sqrt(d1 * d1 - a->slope * b->slope);
    return b->step - width * (b->slope + d2 - d1) / (b->slope - a->slope + 2 * d2);
}

/* Where the line through both slopes is zero. */
static double secant_zero(const struct point *a, const struct point *b)
{
    return a->step - a->slope * (b->step - a->step) / (b->slope - a->slope);
}

static double clamp(double x, double from, double to)
{
    return x < from ? from : x > to ? to : x;
}

static double inside(const struct search *search, size_t trial)
{
    const struct point *low = &search->low, *high = &search->high;
    const double width = high->step - low->step;
    if (!high->smooth)
        return low->step + width / 5;
    /* Interpolation that creeps along one side is cut short by halving now and then. */
    double guess = NAN;
    if (trial % 4 != 3)
        guess = below_noise(search, high->step) ? secant_zero(low, high) : cubic_minimum(low, high);
    if (!isfinite(guess))
        return low->step + width / 2;
    return clamp(guess, low->step + width / 20, high->step - width / 20);
}

/* Farther than anything so far: by the secant of the slopes, but two to ten times as far. */
static double outside(const struct search *search, const struct point *before)
{
    const struct point *low = &search->low;
    const double guess = low->slope > before->slope ? secant_zero(before, low) : INFINITY;
    return clamp(guess, 2 * low->step, 10 * low->step);
}

static temper_status try_step(struct search *search, double step, struct point *at)
{
    struct optim_run *run = search->run;
    const size_t n = run->problem->size;
    vector_step(run->trial, run->w, step, search->line->direction, n);
    temper_status status = run_try(run);
    if (status != TEMPER_OK)
        return status;
    *at = (struct point){.step = step, .value = run->trial_value};
    at->slope = vector_dot(run->trial_gradient, search->line->direction, n);
    at->smooth = run_trial_finite(run) && isfinite(at->slope);
    return TEMPER_OK;
}

/* No number between both ends is left, or w would not change. */
static bool exhausted(const struct search *search, double step)
{
    const struct optim_run *run = search->run;
    const size_t n = run->problem->size;
    if (!(step > search->low.step) || !(step < search->high.step))
        return true;
    vector_step(run->trial, run->w, step, search->line->direction, n);
    return vector_equal(run->trial, run->w, n);
}

/* The search ended without the best of steps; the last one that will do is good enough. */
static temper_status settle(struct search *search, enum line_end *end)
{
    struct point at;
    if (!(search->low.step > 0))
        return TEMPER_OK;
    *end = LINE_FOUND;
    return try_step(search, search->low.step, &at);
}

temper_status line_search(struct optim_run *run, const struct line *line, enum line_end *end)
{
    struct search search = {.run = run, .line = line};
    search.low = (struct point){0, run->head->value, line->slope, true};
    search.high = (struct point){.step = INFINITY};
    struct point before = search.low;
    double step = fmin(line->first, line->longest);
    *end = LINE_FAILED;
    for (size_t trial = 0; trial < TRIALS && !exhausted(&search, step); trial++) {
        struct point at;
        temper_status status = try_step(&search, step, &at);
        if (status != TEMPER_OK)
            return status;
        const enum verdict verdict = judge(&search, &at);
        if (verdict == GOOD || (verdict == TOO_SHORT && step >= line->longest)) {
            *end = verdict == GOOD ? LINE_FOUND : LINE_LIMITED;
            return TEMPER_OK;
        }
        if (verdict == TOO_LONG) {
            search.high = at;
        } else {
            before = search.low;
            search.low = at;
        }
        if (trial >= ENOUGH && search.low.step > 0)
            break;
        step = isinf(search.high.step) ? fmin(outside(&search, &before), line->longest)
                                       : inside(&search, trial);
    }
    return settle(&search, end);
}
