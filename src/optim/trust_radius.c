/* trust: how far a quadratic model of the function can be trusted, learnt from its predictions. */
#include "optim/trust_radius.h"

#include <math.h>

#include "optim/vector.h"

/* What the value fell by, as a share of the promise: a step is taken from TAKEN on; the region
 * shrinks below POOR and grows from FINE on, more so from EXACT on. */
static const double TAKEN = 0.05, POOR = 0.25, FINE = 0.7, EXACT = 0.9;
static const double GROW = 2.5, LEAP = 4;
/* On a plateau the gradient is below this share of what it was, though the promise was not kept. */
static const double VANISHED = 0.05;

double trust_radius_predicted(const struct trust_step *step)
{
    return -step->slope - 0.5 * step->bend;
}

void trust_radius_shrink(struct trust_step *step, double *vector, double factor, size_t n)
{
    vector_scale(vector, factor, n);
    step->norm *= factor;
    step->slope *= factor;
    step->bend *= factor * factor;
    step->at_edge = true;
}

bool trust_radius_place(struct solver_state *run, const double *step)
{
    const size_t n = run->problem->size;
    vector_step(run->trial, run->w, 1, step, n);
    return !vector_equal(run->trial, run->w, n);
}

/* What the value fell by. Below its rounding the slopes at both ends tell better: their mean is
 * exact for a parabola. */
static double actual_fall(const struct solver_state *run, const struct trust_step *step)
{
    const struct optim_head *head = run->head;
    const double fall = head->value - run->trial_value, noise = solver_noise(run);
    if (trust_radius_predicted(step) > noise || run->trial_value > head->lowest + noise)
        return fall;
    const double slope = vector_dot(run->trial_gradient, step->step, run->problem->size);
    return -0.5 * (step->slope + slope);
}

/* Where between w and the trial the parabola through both values and the slope at w is lowest. */
static double backtrack(const struct solver_state *run, const struct trust_step *step)
{
    const double excess = run->trial_value - run->head->value - step->slope;
    const double guess = -0.5 * step->slope / excess;
    if (!isfinite(guess))
        return 0.25;
    return guess < 0.1 ? 0.1 : guess > 0.5 ? 0.5 : guess;
}

bool trust_radius_update(struct solver_state *run, const struct trust_step *step)
{
    struct optim_head *head = run->head;
    if (!solver_trial_finite(run)) {
        head->radius = 0.2 * step->norm;
        return false;
    }
    const double kept = actual_fall(run, step) / trust_radius_predicted(step);
    const bool plateau = run->trial_norm <= VANISHED * head->gradient_norm;
    const bool taken = kept >= (plateau ? POOR : TAKEN);
    if (!(kept >= POOR)) /* NaN too */
        head->radius = step->norm * (taken ? 0.5 : backtrack(run, step));
    else if (step->at_edge && kept >= FINE)
        head->radius = fmax(head->radius, step->norm * (kept >= EXACT ? LEAP : GROW));
    if (step->limited && kept >= FINE)
        solver_widen(run);
    return taken;
}
