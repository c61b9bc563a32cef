/* calibration: maximises the likelihood over order and floor: a search over the order, and for each order the floor by
 * Newton's method, since the likelihood is concave in it.
 *
 * The profile likelihood, the largest over all floors for a given order, is a function of one variable that may have
 * several maxima. So it is evaluated at powers of two around an order of the right magnitude first, and golden-section
 * search refines the best of them. Labels may be smoothed and rows weighted; both enter the likelihood as weights of
 * its terms. */
#include "predict/calibration.h"

#include <math.h>

#include "base/memory.h"
#include "predict/calibration_matrix.h"
#include "predict/predict.h"

/* The floor is searched in these bounds: at 0, one row of probability 0 would make the likelihood 0. */
static const double LEAST_FLOOR = 1e-9, MOST_FLOOR = 1 - 1e-6, FIRST_FLOOR = 0.02;

enum {
    FLOOR_STEPS = 60, /* of Newton's method or bisection, of which 36 alone would do; 5 to 10 are usual */
    DOUBLINGS = 12,   /* the order is searched from 2^-12 to 2^12 times the typical one */
    ORDER_STEPS = 20  /* of the golden section: the order is found to 1e-4 of itself */
};

/* A likelihood that is being maximised. */
struct calibration_problem {
    size_t rows, classes;
    const uint32_t *label;
    const double *weight; /* or NULL */
    double weight_sum;
    /* Every label counts as every class with this share, after J. Platt, "Probabilistic outputs for support vector
     * machines" (1999): otherwise the best order is infinite where the scores are right for all rows. */
    double smoothing;
    double *log_p; /* [row * classes + c]: log phat_c less that of the most probable class; may be -infinity */
    double *q;     /* the same of the escort distribution of the order that is being tried */
};

static double row_weight(const struct calibration_problem *problem, size_t row)
{
    return problem->weight ? problem->weight[row] : 1;
}

/* The largest term is exp(0) = 1, so that the sum cannot be 0, and p^order may be representable where p underflows. */
void escort_with_floor(double order, double floor, const double *log_p, size_t classes, double *p)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++)
        sum += p[c] = exp(order * log_p[c]);
    for (size_t c = 0; c < classes; c++)
        p[c] = (1 - floor) * (p[c] / sum) + floor / (double)classes;
}

/* ---- The floor ----------------------------------------------------------------------------------------------------
 */

/* The derivative of the mean log likelihood by the floor, and its own derivative, which is never positive. A class of
 * probability p = q + floor (1/C - q) contributes log p. */
static void floor_slope(const struct calibration_problem *problem, double floor, double *first, double *second)
{
    double uniform = 1 / (double)problem->classes, share = problem->smoothing * uniform;
    *first = *second = 0;
    for (size_t row = 0; row < problem->rows; row++) {
        const double *q = problem->q + row * problem->classes;
        double slope = 0, curvature = 0;
        for (size_t c = 0; c < problem->classes; c++) {
            double weight = c == problem->label[row] ? 1 - problem->smoothing + share : share;
            double change = (uniform - q[c]) / (q[c] + floor * (uniform - q[c]));
            slope += weight * change;
            curvature -= weight * change * change;
        }
        *first += row_weight(problem, row) * slope;
        *second += row_weight(problem, row) * curvature;
    }
}

/* The floor of the largest likelihood for the present q: the root of x f'(x). Newton's method in the logarithm of the
 * floor, since floors differ by orders of magnitude: in the floor itself, where the likelihood is a logarithm of it, a
 * step would only double it. The slope falls monotonically, so that its sign shows on which side of the bracket the
 * maximum is; a step that leaves the bracket, or is not half of the last but one, is a bisection. */
static double best_floor(const struct calibration_problem *problem)
{
    double low = LEAST_FLOOR, high = MOST_FLOOR, floor = FIRST_FLOOR, first, second;
    double step = log(high / low), step_before = step;
    floor_slope(problem, low, &first, &second);
    if (first <= 0)
        return low;
    for (int i = 0; i < FLOOR_STEPS && fabs(step) > 1e-9; i++) {
        floor_slope(problem, floor, &first, &second);
        *(first > 0 ? &low : &high) = floor;
        double newton = -first / (first + floor * second), next = floor * exp(newton);
        /* Not so for a NaN either. */
        bool fine = next > low && next < high && fabs(newton) < 0.5 * fabs(step_before);
        step_before = step;
        step = fine ? newton : log(sqrt(low * high) / floor);
        floor = fine ? next : sqrt(low * high);
    }
    return floor;
}

/* ---- The order ----------------------------------------------------------------------------------------------------
 */

/* The mean log likelihood for the present q and a floor. */
static double likelihood(const struct calibration_problem *problem, double floor)
{
    double uniform = 1 / (double)problem->classes, share = problem->smoothing * uniform, sum = 0;
    for (size_t row = 0; row < problem->rows; row++) {
        const double *q = problem->q + row * problem->classes;
        double of_row = 0;
        for (size_t c = 0; c < problem->classes; c++)
            of_row += (c == problem->label[row] ? 1 - problem->smoothing + share : share) *
                      log(q[c] + floor * (uniform - q[c]));
        sum += row_weight(problem, row) * of_row;
    }
    return sum / problem->weight_sum;
}

/* Fills q for an order, and returns the largest likelihood over all floors; *floor is where it is. */
static double profile(struct calibration_problem *problem, double order, double *floor)
{
    for (size_t row = 0; row < problem->rows; row++) {
        const double *y = problem->log_p + row * problem->classes;
        escort_with_floor(order, 0, y, problem->classes, problem->q + row * problem->classes);
    }
    *floor = best_floor(problem);
    return likelihood(problem, *floor);
}

/* An order of the right magnitude: that at which a typical class is a factor e less probable than the best one. 0 if no
 * class differs from another. */
static double typical_order(const struct calibration_problem *problem)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < problem->rows * problem->classes; i++)
        if (problem->log_p[i] < 0 && isfinite(problem->log_p[i])) {
            sum -= problem->log_p[i];
            count++;
        }
    return count > 0 ? (double)count / sum : 0;
}

/* The order of the largest likelihood. The likelihood may have several maxima in the order, so that the best power of
 * two comes first; then golden sections between its neighbours. */
static double best_order(struct calibration_problem *problem, double typical)
{
    const double golden = (sqrt(5) - 1) / 2;
    double best = -INFINITY, centre = 0, floor;
    for (int i = -DOUBLINGS; i <= DOUBLINGS; i++) {
        double value = profile(problem, ldexp(typical, i), &floor);
        if (value > best) {
            best = value;
            centre = i;
        }
    }
    double low = centre - 1, high = centre + 1;
    double x[2] = {high - golden * (high - low), low + golden * (high - low)};
    double value[2] = {profile(problem, typical * exp2(x[0]), &floor), profile(problem, typical * exp2(x[1]), &floor)};
    for (int i = 0; i < ORDER_STEPS; i++) {
        int keep = value[0] > value[1] ? 0 : 1; /* the better point is inside the next interval */
        *(keep ? &low : &high) = x[1 - keep];
        x[1 - keep] = x[keep];
        value[1 - keep] = value[keep];
        x[keep] = keep ? low + golden * (high - low) : high - golden * (high - low);
        value[keep] = profile(problem, typical * exp2(x[keep]), &floor);
    }
    return typical * exp2((low + high) / 2);
}

/* ---- The whole ----------------------------------------------------------------------------------------------------
 */

/* Allocates the arrays and fills log_p. False: out of memory. */
static bool prepare(const struct model *model, const struct calibration_rows *rows, struct calibration_problem *problem)
{
    size_t classes = problem->classes, cells;
    if (!mul_size(rows->rows, classes, &cells))
        return false;
    problem->log_p = mem_alloc(cells, sizeof *problem->log_p);
    problem->q = mem_alloc(cells, sizeof *problem->q);
    if (!problem->log_p || !problem->q)
        return false;
    for (size_t row = 0; row < rows->rows; row++) {
        problem->weight_sum += row_weight(problem, row);
        raw_log_probabilities(model, rows->score + row * model->vectors, problem->log_p + row * classes);
    }
    problem->smoothing = 1 / (2 + (double)rows->distinct);
    return true;
}

/* Refines order and floor by a matrix, for the same rows and labels. */
static temper_status fit_matrix(const struct calibration_problem *problem, size_t distinct, struct calibration *found,
                                temper_error *error)
{
    struct matrix_rows rows = {.log_p = problem->log_p,
                               .label = problem->label,
                               .weight = problem->weight,
                               .rows = problem->rows,
                               .classes = problem->classes,
                               .evidence = (double)(distinct < problem->rows ? distinct : problem->rows),
                               .smoothing = problem->smoothing};
    return matrix_fit(&rows, found, error);
}

/* *out is written on success only. The order comes from a search over the profile likelihood, the floor with it, and
 * the matrix last, given both. */
temper_status calibration_fit(const struct model *model, const struct calibration_rows *rows, struct calibration *out,
                              temper_error *error)
{
    struct calibration_problem problem = {.rows = rows->rows,
                                          .classes = model->vectors == 1 ? 2 : model->vectors,
                                          .label = rows->label,
                                          .weight = rows->weight};
    struct calibration found = {.order = 1, .rows = rows->rows, .folds = out->folds};
    bool enough_memory = prepare(model, rows, &problem);
    double typical = enough_memory ? typical_order(&problem) : 0;
    if (typical > 0) {
        found.order = best_order(&problem, typical);
        profile(&problem, found.order, &found.floor);
        /* At its lower bound the floor explains nothing, and 0 keeps small probabilities as they are. */
        if (found.floor <= LEAST_FLOOR)
            found.floor = 0;
    }
    temper_status status = enough_memory ? TEMPER_OK : error_no_memory(error);
    if (typical > 0)
        status = fit_matrix(&problem, rows->distinct, &found, error);
    mem_free(problem.log_p);
    mem_free(problem.q);
    if (status == TEMPER_OK)
        *out = found;
    return status;
}
