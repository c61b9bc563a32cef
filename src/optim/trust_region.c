/* trust_region: the radius within which a quadratic model of the function is trusted, learnt from how well it predicted
 * the last decrease; and the minimiser of such a model with a dense Hessian.
 *
 * The subproblem is solved by the method of Moré and Sorensen (1983, "Computing a trust region step"): its solution
 * solves (H + shift) s = -g for a shift that makes H + shift at least semidefinite and |s| the radius. 1/|s| is nearly
 * linear in the shift, so that Newton's method finds it in two or three factorisations; bounds on the shift guard it.
 * In the hard case, where s stays short for every such shift, a direction of no curvature makes up the rest. */
#include "optim/trust_region.h"

#include <math.h>

#include "optim/cholesky.h"
#include "optim/vector.h"

/* Ratio of the actual decrease to the predicted one: a step is accepted from ACCEPT_RATIO on, on a plateau from
 * SHRINK_RATIO on; the region shrinks below SHRINK_RATIO and grows from GROW_RATIO on, more so from GOOD_RATIO on. */
static const double ACCEPT_RATIO = 0.05, SHRINK_RATIO = 0.25, GROW_RATIO = 0.7, GOOD_RATIO = 0.9;
/* Factors by which the radius grows, relative to the norm of the step. */
static const double GROWTH = 2.5, GOOD_GROWTH = 4;
/* On a plateau the gradient is below this share of what it was, though the value decreased less than predicted. */
static const double PLATEAU_SHARE = 0.05;

/* The decrease of the model: -(g's + s'Hs/2). */
double trust_predicted_decrease(const struct trust_step *step)
{
    return -step->slope - 0.5 * step->curvature;
}

/* After the limit has made the region smaller, the model may be minimised inexactly, and the step end within it. */
bool trust_step_is_free(const struct trust_step *step)
{
    return !step->at_boundary && !step->limited;
}

/* Slope and norm are linear in the step, the curvature is quadratic. */
void trust_scale_step(struct trust_step *step, double *vector, double factor, size_t n)
{
    vector_scale(vector, factor, n);
    step->norm *= factor;
    step->slope *= factor;
    step->curvature *= factor * factor;
    step->at_boundary = true;
}

/* A step below the rounding of w changes nothing. */
bool trust_place_trial(struct solver_state *state, const double *step)
{
    const size_t n = state->problem->size;
    vector_step(state->trial, state->w, 1, step, n);
    return !vector_equal(state->trial, state->w, n);
}

/* The decrease of the value. Below its rounding the slopes at both ends give it more accurately: their mean is exact
 * for a parabola. */
static double actual_decrease(const struct solver_state *state, const struct trust_step *step)
{
    const struct solver_head *head = state->head;
    const double decrease = head->value - state->trial_value, noise = solver_rounding(state);
    if (trust_predicted_decrease(step) > noise || state->trial_value > head->lowest + noise)
        return decrease;
    const double slope = vector_dot(state->trial_gradient, step->step, state->problem->size) + step->penalty;
    return -0.5 * (step->slope + slope);
}

/* Where between w and the trial the parabola through both values and the slope at w is lowest. */
static double backtrack(const struct solver_state *state, const struct trust_step *step)
{
    const double excess = state->trial_value - state->head->value - step->slope;
    const double guess = -0.5 * step->slope / excess;
    if (!isfinite(guess))
        return 0.25;
    return guess < 0.1 ? 0.1 : guess > 0.5 ? 0.5 : guess;
}

/* Whether the step is accepted; sets the next radius. The usual rules for the ratio, with two additions: on a plateau a
 * step must do better to be accepted, and a rejected step is shortened to the minimum of the interpolating parabola. */
bool trust_accept_step(struct solver_state *state, const struct trust_step *step)
{
    struct solver_head *head = state->head;
    if (!solver_trial_finite(state)) {
        head->radius = 0.2 * step->norm;
        return false;
    }
    const double ratio = actual_decrease(state, step) / trust_predicted_decrease(step);
    const bool plateau = state->trial_norm <= PLATEAU_SHARE * head->gradient_norm;
    const bool accepted = ratio >= (plateau ? SHRINK_RATIO : ACCEPT_RATIO);
    if (!(ratio >= SHRINK_RATIO)) /* NaN too */
        head->radius = step->norm * (accepted ? 0.5 : backtrack(state, step));
    else if (step->at_boundary && ratio >= GROW_RATIO)
        head->radius = fmax(head->radius, step->norm * (ratio >= GOOD_RATIO ? GOOD_GROWTH : GROWTH));
    if (step->limited && ratio >= GROW_RATIO)
        solver_extend_limit(state);
    return accepted;
}

/* ---- The subproblem with a dense Hessian ----------------------------------------------------- */

static const double CLOSE = 0.1; /* relative distance to the boundary that is close enough */
/* Two or three are usual; rounding can make the bounds on the shift meet without success. */
enum { FACTORISATIONS = 50 };

/* Errors of a Hessian that was summed in doubles, as a share of the largest diagonal entry, for each of its rows. */
static const double ROUNDING_PER_ROW = 1e-15;

/* The search for the shift, the Lagrange multiplier of the constraint. */
struct shift_search {
    const struct trust_region *region;
    double shift;
    double least;     /* the smallest shift: the rounding of H */
    double low, high; /* the shift is between these; */
    double safe;      /* and H + shift is not definite up to here */
    double norm;      /* of s */
    bool solved;      /* s has been computed at all */
};

/* Bounds on the shift from those on the eigenvalues: Gershgorin's circles around the diagonal of H. The sums of |h_ij|
 * over each row are kept in z. */
static void find_bounds(struct shift_search *search)
{
    const struct trust_region *region = search->region;
    const size_t n = region->n;
    double *around = region->z;
    double least = INFINITY, most = 0, lowest = INFINITY, highest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        around[i] = 0;
        for (size_t j = 0; j < i; j++) {
            const double size = fabs(region->h[i * n + j]);
            around[i] += size;
            around[j] += size;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double diagonal = region->h[i * n + i];
        least = fmin(least, diagonal);
        most = fmax(most, fabs(diagonal));
        lowest = fmin(lowest, diagonal - around[i]);
        highest = fmax(highest, diagonal + around[i]);
    }
    const double pull = vector_norm(region->g, n) / region->radius;
    /* A direction whose curvature is rounding has a gradient that is rounding too, and their quotient is no step: the
     * least shift makes it a short one. */
    search->least = fmax(region->rounding, ROUNDING_PER_ROW * (double)n) * most;
    /* H + shift is not definite as long as any diagonal entry plus the shift is not positive. */
    search->safe = -least;
    search->low = fmax(search->least, fmax(search->safe, pull - highest));
    search->high = fmax((1 + CLOSE) * search->low, pull - lowest);
}

/* Factors H + shift; where that is not positive definite, the failing pivot gives a lower bound on the shift. */
static bool factored(struct shift_search *search)
{
    const struct trust_region *region = search->region;
    const size_t n = region->n;
    double *l = region->factor, *v = region->z, pivot = 0;
    for (size_t i = 0; i < n; i++) {
        vector_copy(l + i * n, region->h + i * n, i + 1);
        l[i * n + i] += search->shift;
    }
    const size_t made = cholesky_try(region->update, l, n, &pivot);
    if (made == n)
        return true;
    /* v = (L'^-1 of the row that failed, -1) has v'(H + shift)v = pivot <= 0. */
    vector_copy(v, l + made * n, made);
    cholesky_solve_upper(l, n, made, v);
    search->safe = fmax(search->safe, search->shift - pivot / (1 + vector_dot(v, v, made)));
    search->low = fmax(search->low, search->safe);
    search->high = fmax(search->high, (1 + 1e-10) * search->low);
    return false;
}

/* z: a unit vector that H + shift nearly annihilates: L y = (+-1, ...) with signs that let y grow,
 * L'z = y, and a step of inverse iteration. Returns z'(H + shift)z. */
static double flattest(const struct trust_region *region)
{
    const size_t n = region->n;
    const double *l = region->factor;
    double *z = region->z;
    for (size_t i = 0; i < n; i++) {
        const double sum = vector_dot(l + i * n, z, i);
        z[i] = (sum > 0 ? -1 - sum : 1 - sum) / l[i * n + i];
    }
    cholesky_solve_upper(l, n, n, z);
    vector_scale(z, 1 / vector_norm(z, n), n);
    cholesky_solve_lower(l, n, z);
    const double before = vector_dot(z, z, n); /* z'(H + shift)^-1 z */
    cholesky_solve_upper(l, n, n, z);
    const double norm = vector_norm(z, n);
    vector_scale(z, 1 / norm, n);
    /* With u = A^-1 z: u'Au / u'u = z'A^-1 z / |u|^2. */
    return before / (norm * norm);
}

/* The hard case: s is too short, and the distance from it to the boundary can be covered along z at next to no cost. */
static bool hard_case(struct shift_search *search)
{
    const struct trust_region *region = search->region;
    const size_t n = region->n;
    const double flat = flattest(region), radius = region->radius;
    search->safe = fmax(search->safe, search->shift - flat);
    search->low = fmax(search->low, search->safe);
    const double along = vector_dot(region->s, region->z, n);
    /* tau: the root of |s + tau z| = radius that is smaller in magnitude, without cancellation. */
    const double room = (radius - search->norm) * (radius + search->norm);
    const double tau = room / (along + copysign(sqrt(along * along + room), along));
    /* s'(H + shift)s = -g's */
    const double value = -vector_dot(region->s, region->g, n) + search->shift * radius * radius;
    if (!(tau * tau * flat <= CLOSE * (2 - CLOSE) * value))
        return false;
    vector_add(region->s, tau, region->z, n);
    search->norm = radius;
    return true;
}

/* One step of Newton's method for 1/|s(shift)| = 1/radius: the derivative of |s| follows from L^-1 s. The result is
 * kept within the bounds. */
static void newton_shift(struct shift_search *search)
{
    const struct trust_region *region = search->region;
    const size_t n = region->n;
    vector_copy(region->z, region->s, n);
    vector_scale(region->z, 1 / search->norm, n);
    cholesky_solve_lower(region->factor, n, region->z);
    const double slope = vector_dot(region->z, region->z, n);
    search->shift += (search->norm / region->radius - 1) / slope;
    search->shift = fmin(fmax(search->shift, search->low), search->high);
}

/* s = -(H + shift)^-1 g, from the factor. True if it is the solution: on the boundary within CLOSE, within the region
 * with the least shift (a semidefinite H is no hard case: nothing is gained along its null space), or completed by the
 * hard case. Otherwise the bounds and the shift are improved. */
static bool is_solved(struct shift_search *search)
{
    const struct trust_region *region = search->region;
    const size_t n = region->n;
    for (size_t i = 0; i < n; i++)
        region->s[i] = -region->g[i];
    cholesky_solve_full(region->factor, n, region->s);
    search->norm = vector_norm(region->s, n);
    search->solved = isfinite(search->norm);
    const double over = search->norm - region->radius;
    if (!search->solved || fabs(over) <= CLOSE * region->radius || (over < 0 && search->shift <= search->least))
        return search->solved;
    if (over > 0) {
        search->low = fmax(search->low, search->shift);
    } else {
        search->high = fmin(search->high, search->shift);
        if (hard_case(search))
            return true;
    }
    newton_shift(search);
    return false;
}

/* If rounding keeps all shifts from succeeding: the last s shortened to the boundary or, if none was computed, the
 * steepest descent step to the boundary. */
static void fall_back(struct shift_search *search)
{
    const struct trust_region *region = search->region;
    const double norm = search->solved ? search->norm : vector_norm(region->g, region->n);
    if (search->solved && norm <= region->radius)
        return;
    if (!search->solved)
        for (size_t i = 0; i < region->n; i++)
            region->s[i] = -region->g[i];
    vector_scale(region->s, region->radius / norm, region->n);
    search->norm = region->radius;
}

/* Each round factors H + shift, which either gives s or a better bound on the shift. */
bool trust_region_solve(const struct trust_region *region)
{
    struct shift_search search = {.region = region};
    find_bounds(&search);
    search.shift = search.low;
    for (size_t k = 0; k < FACTORISATIONS; k++) {
        /* The shift must exceed `safe`: otherwise one between the bounds is tried. */
        if (search.shift <= search.safe)
            search.shift = fmax(0.001, sqrt(search.low / search.high)) * search.high;
        if (!factored(&search)) {
            search.shift = search.safe;
            continue;
        }
        if (is_solved(&search))
            return search.norm > (1 - CLOSE) * region->radius;
    }
    fall_back(&search);
    return true;
}

/* Entries off the diagonal count twice. */
double trust_region_curvature(const double *h, const double *s, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += s[i] * (2 * vector_dot(h + i * n, s, i) + h[i * n + i] * s[i]);
    return sum;
}
