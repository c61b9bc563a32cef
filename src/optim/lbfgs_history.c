/* lbfgs_history: a ring buffer of pairs (s, y), and the two-loop recursion over it (Nocedal 1980, "Updating
 * quasi-Newton matrices with limited storage").
 *
 * The pairs define the inverse Hessian approximation H = V' H0 V + rho s s', V = I - rho y s', rho = 1/(s'y), applied
 * from the oldest pair to the newest, with H0 = gamma M^-1. The recursion applies H to a vector in 4 n multiplications
 * for each pair, without forming H: the first loop goes through the pairs from the newest to the oldest, the second
 * back. It is divided at H0, because the caller applies the preconditioner M^-1 in between. */
#include "optim/lbfgs_history.h"

#include <math.h>

#include "base/memory.h"
#include "optim/vector.h"

/* Pairs that are kept by default, and the fewest for very long vectors. */
enum { HISTORY = 100, LEAST_HISTORY = 5 };
/* Bytes of all pairs together, unless the options specify the number of pairs. */
static const size_t PAIRS_BYTES = (size_t)256 << 20;
/* A pair is kept if its curvature s'y is more than this share of |s| |y|; below, it is rounding, and 1/(s'y) would be
 * arbitrarily large. */
static const double CURVED = 1e-10;

/* 100 pairs; fewer, but at least 5, where they would exceed PAIRS_BYTES. */
size_t lbfgs_history_limit(size_t size, const struct optim_options *options)
{
    if (options->history > 0)
        return options->history;
    const size_t numbers = PAIRS_BYTES / sizeof(double) / 2; /* of s, and as many of y */
    if (size <= numbers / HISTORY)
        return HISTORY;
    const size_t affordable = numbers / size;
    return affordable > LEAST_HISTORY ? affordable : LEAST_HISTORY;
}

/* s, y and 1/(s'y) of each pair; direction, difference and alpha of each pair. */
bool lbfgs_history_workspace(size_t size, size_t limit, struct solver_workspace *room)
{
    size_t two = 0, pair = 0;
    return mul_size(2, size, &two) && add_size(two, 1, &pair) && mul_size(pair, limit, &room->extra) &&
           add_size(two, limit, &room->scratch);
}

/* The length n of s and y. */
static size_t size_of(const struct lbfgs_history *pairs)
{
    return pairs->state->problem->size;
}

/* Doubles of one pair in the ring buffer. */
static size_t pair_size(const struct lbfgs_history *pairs)
{
    return 2 * size_of(pairs) + 1;
}

/* The pair in that slot: s at [0, n), y at [n, 2n), 1/(s'y) at 2n. */
static double *pair_at(const struct lbfgs_history *pairs, size_t slot)
{
    return pairs->state->extra + slot * pair_size(pairs);
}

/* The slot of the pair that is `age` pairs older than the newest one; head->next is the slot after that one. */
static size_t slot_of(const struct lbfgs_history *pairs, size_t age)
{
    return ((size_t)pairs->state->head->next + pairs->limit - 1 - age) % pairs->limit;
}

/* Forgets all pairs: the inverse Hessian is M^-1 then, not scaled. */
void lbfgs_history_clear(const struct lbfgs_history *pairs)
{
    struct solver_head *head = pairs->state->head;
    head->pairs = head->next = head->extra = 0;
    head->gamma = 1;
}

/* For memories from a file, of which any bit may be wrong: counters that are possible, and 1/(s'y) exactly as s and y
 * give it. The sum has a fixed order, so that equality is a safe check. */
bool lbfgs_history_is_valid(const struct lbfgs_history *pairs)
{
    const struct solver_head *head = pairs->state->head;
    const size_t n = size_of(pairs);
    if (head->history_limit != (double)pairs->limit || head->pairs > head->history_limit ||
        head->next >= head->history_limit || !(head->gamma > 0) ||
        head->extra != head->pairs * (double)pair_size(pairs))
        return false;
    /* The ring buffer is filled from slot 0 on. */
    if (head->pairs < head->history_limit && head->next != head->pairs)
        return false;
    for (size_t slot = 0; slot < (size_t)head->pairs; slot++) {
        const double *pair = pair_at(pairs, slot);
        if (pair[2 * n] != 1 / vector_dot(pair, pair + n, n) || !(pair[2 * n] > 0))
            return false;
    }
    return true;
}

/* ---- The two-loop recursion --------------------------------------------------------------------------- */

/* From the newest pair to the oldest: alpha = s'd / s'y, d -= alpha y. Each update of d is fused with the dot product
 * of the next pair, which halves the times that d is read from memory. O(n pairs). */
void lbfgs_history_first_loop(const struct lbfgs_history *pairs, double *d)
{
    const size_t n = size_of(pairs), count = (size_t)pairs->state->head->pairs;
    if (count == 0)
        return;
    const double *pair = pair_at(pairs, slot_of(pairs, 0));
    double dot = vector_dot(pair, d, n);
    for (size_t age = 0; age < count; age++) {
        const double *y = pair + n;
        pairs->weight[age] = pair[2 * n] * dot;
        if (age + 1 == count) {
            vector_add(d, -pairs->weight[age], y, n);
        } else {
            pair = pair_at(pairs, slot_of(pairs, age + 1));
            dot = vector_add_dot(d, -pairs->weight[age], y, pair, n);
        }
    }
}

/* d *= gamma; from the oldest pair to the newest: d += (alpha - y'd / s'y) s. */
void lbfgs_history_second_loop(const struct lbfgs_history *pairs, double gamma, double *d)
{
    const size_t n = size_of(pairs), count = (size_t)pairs->state->head->pairs;
    vector_scale(d, gamma, n);
    if (count == 0)
        return;
    const double *pair = pair_at(pairs, slot_of(pairs, count - 1));
    double dot = vector_dot(pair + n, d, n);
    for (size_t age = count; age-- > 0;) {
        const double *s = pair, along = pairs->weight[age] - pair[2 * n] * dot;
        if (age == 0) {
            vector_add(d, along, s, n);
        } else {
            pair = pair_at(pairs, slot_of(pairs, age - 1));
            dot = vector_add_dot(d, along, s, pair + n, n);
        }
    }
}

/* ---- A new pair ------------------------------------------------------------------------------- */

/* s and y are outputs too: y is replaced by M^-1 y before the pair is completed. The pair is written to its slot at
 * once (the slot of the oldest one, if all are in use), but counts only when it is completed. */
bool lbfgs_history_begin(struct lbfgs_history *pairs, double *s, double *y)
{
    const struct solver_state *state = pairs->state;
    const size_t n = size_of(pairs);
    vector_subtract(s, state->trial, state->w, n);
    vector_subtract(y, state->trial_gradient, state->gradient, n);
    const double sy = vector_dot(s, y, n);
    if (!(sy > CURVED * vector_norm(s, n) * vector_norm(y, n)) || !isfinite(1 / sy))
        return false;
    double *pair = pair_at(pairs, (size_t)state->head->next);
    vector_copy(pair, s, n);
    vector_copy(pair + n, y, n);
    pair[2 * n] = 1 / sy;
    pairs->sy = sy;
    return true;
}

/* gamma = s'y / y'M^-1 y scales the initial inverse Hessian to the curvature along the newest pair (Shanno and Phua
 * 1978), which is what lets the line search begin at a step of 1. */
void lbfgs_history_complete(const struct lbfgs_history *pairs, const double *preconditioned_y)
{
    struct solver_head *head = pairs->state->head;
    const size_t n = size_of(pairs);
    const double *y = pair_at(pairs, (size_t)head->next) + n;
    const double gamma = pairs->sy / vector_dot(y, preconditioned_y, n);
    head->gamma = gamma > 0 && isfinite(gamma) ? gamma : 1;
    head->next = (double)(((size_t)head->next + 1) % pairs->limit);
    head->pairs = fmin(head->pairs + 1, (double)pairs->limit);
    head->extra = head->pairs * (double)pair_size(pairs);
}

/* gamma is that of the newest pair, as lbfgs_history_complete computes it with M = 1. */
void lbfgs_history_shift(const struct lbfgs_history *pairs, double shift, size_t penalised)
{
    struct solver_head *head = pairs->state->head;
    const size_t n = size_of(pairs), count = (size_t)head->pairs;
    for (size_t age = count; age-- > 0;) {
        double *s = pair_at(pairs, slot_of(pairs, age)), *y = s + n;
        vector_add(y, shift, s, penalised);
        const double sy = vector_dot(s, y, n), yy = vector_dot(y, y, n);
        if (!(sy > CURVED * vector_norm(s, n) * sqrt(yy)) || !isfinite(1 / sy)) {
            lbfgs_history_clear(pairs);
            return;
        }
        s[2 * n] = 1 / sy;
        head->gamma = sy / yy;
    }
}
