/* calibration_matrix: fits matrix scaling by L-BFGS, and applies it.
 *
 * The parameters are in units of the standard deviations of their priors, so that the prior is the same for all of them
 * and the problem is well scaled for a method without a preconditioner. The fit starts with all parameters 0, which is
 * the calibration by order and floor alone. */
#include "predict/calibration_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "optim/minimise.h"
#include "predict/calibration.h"

/* Standard deviations of the priors: of the matrix in two widths, of its offsets relative to that, of the logit of the
 * floor. The wide one is taken where it lowers the log loss of held-out rows, after a fit to half of the rows, by at
 * least the share LEAST_GAIN. Chosen on 23 data sets (docs/decisions/0012-calibration.md). */
static const double WIDE = 0.2, NARROW = 0.05, OFFSET_FACTOR = 5, FLOOR_SPREAD = 3, LEAST_GAIN = 0.01;

/* The prior of the floor is around that of the calibration within these bounds, where its logit is finite. */
static const double LEAST_FLOOR = 1e-6, MOST_FLOOR = 0.999;

enum {
    MOST_ITERATIONS = 100, /* 2,000 lower the log loss by another 0.04 % */
    HISTORY = 10
};

static const double GRADIENT_NORM = 1e-5;

/* ---- Probabilities ------------------------------------------------------------------------------------------------
 */

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double logit(double p)
{
    return log(p / (1 - p));
}

/* u of a row: scores relative to the best class, whose score is 0. Classes outside the support have log p = -infinity;
 * the bound keeps u A finite. */
static void relative_scores(double order, const double *log_p, size_t classes, double *u)
{
    for (size_t c = 0; c < classes; c++)
        u[c] = fmax(order * log_p[c], CALIBRATION_LEAST_SCORE);
}

/* q = softmax(u + scale[0] (u A) + scale[1] b), shifted by the largest score so that exp cannot overflow. `matrix` has
 * A and, behind it, b. The predicted class has u = 0, which is passed over. While fitting, parameters are in units of
 * their priors' standard deviations, which `scale` has; a stored matrix has been multiplied by them. */
static void transformed(const double *matrix, const double scale[2], const double *u, size_t classes, double *q)
{
    const double *offset = matrix + classes * classes;
    double top = -INFINITY, sum = 0;
    for (size_t c = 0; c < classes; c++)
        q[c] = u[c] + scale[1] * offset[c];
    for (size_t j = 0; j < classes; j++) {
        double factor = scale[0] * u[j];
        for (size_t c = 0; factor != 0 && c < classes; c++)
            q[c] += factor * matrix[j * classes + c];
    }
    for (size_t c = 0; c < classes; c++)
        top = fmax(top, q[c]);
    for (size_t c = 0; c < classes; c++)
        sum += q[c] = exp(q[c] - top);
    for (size_t c = 0; c < classes; c++)
        q[c] /= sum;
}

/* Mixes p' of the matrix into p, in the largest share that keeps the predicted class the most probable one. For another
 * class c that leads in p' by d = p'_c - p'_y > 0 and trails in p by l = p_y - p_c, the two are equal at the share l /
 * (l + d); the smallest of these is taken, less a margin for rounding (CALIBRATION_SHARE_KEPT). The predicted class y
 * is the first of those with log_p = 0. */
void matrix_refine(const struct calibration *calibration, size_t classes, const double *log_p, double *p)
{
    static const double as_stored[2] = {1, 1};
    double u[CALIBRATION_MATRIX_CLASSES], q[CALIBRATION_MATRIX_CLASSES], share = 1;
    double floor = calibration->matrix_floor, uniform = 1 / (double)classes;
    size_t predicted = 0;
    relative_scores(calibration->order, log_p, classes, u);
    transformed(calibration->matrix, as_stored, u, classes, q);
    while (predicted + 1 < classes && log_p[predicted] < 0)
        predicted++;
    for (size_t c = 0; c < classes; c++)
        q[c] = (1 - floor) * q[c] + floor * uniform;
    for (size_t c = 0; c < classes; c++)
        if (q[c] > q[predicted]) {
            double lead = p[predicted] - p[c];
            share = fmin(share, lead / (lead + q[c] - q[predicted]));
        }
    for (size_t c = 0; c < classes; c++)
        p[c] += share * CALIBRATION_SHARE_KEPT * (q[c] - p[c]);
}

/* ---- The fit ------------------------------------------------------------------------------------------------------
 */

/* A, b, and the logit of the floor. */
size_t matrix_parameters(size_t classes)
{
    return classes * classes + classes + 1;
}

/* The centre of the floor's prior, as a logit. */
static double prior_floor(const struct calibration *calibration)
{
    return logit(fmin(fmax(calibration->floor, LEAST_FLOOR), MOST_FLOOR));
}

/* Adds one row to the gradient; returns its negative log likelihood. With the mixture P_c = (1 - f) q_c + f / C and
 * label weights w_c (label smoothing: every class has a share of the label), the loss is -sum w_c log P_c. By the score
 * of class c its derivative is g_c - q_c sum_k g_k, g_c = -w_c (1 - f) q_c / P_c: the derivative of a softmax. By the
 * logit of the floor it has the factor f (1 - f). */
static double add_row(const struct matrix_rows *rows, size_t row, double floor, const double *q, double *slope,
                      double *floor_slope)
{
    double uniform = 1 / (double)rows->classes, share = rows->smoothing * uniform, value = 0, mean = 0;
    *floor_slope = 0;
    for (size_t c = 0; c < rows->classes; c++) {
        double weight = c == rows->label[row] ? 1 - rows->smoothing + share : share;
        double p = (1 - floor) * q[c] + floor * uniform;
        value -= weight * log(p);
        slope[c] = -weight / p * (1 - floor) * q[c];
        mean += slope[c];
        *floor_slope -= weight / p * (uniform - q[c]) * floor * (1 - floor);
    }
    for (size_t c = 0; c < rows->classes; c++)
        slope[c] -= mean * q[c];
    return value;
}

/* The mean negative log likelihood plus half the squares of the parameters, which are standard normal by their prior,
 * divided by the number of rows that the likelihood counts for. The slopes of each row are distributed to A as an outer
 * product with u, to b as they are. */
double matrix_objective(const struct matrix_rows *rows, const struct calibration *calibration, const double *parameter,
                        double *gradient)
{
    const double spread[2] = {rows->spread, OFFSET_FACTOR * rows->spread};
    size_t classes = rows->classes, count = matrix_parameters(classes), last = count - 1;
    double floor = logistic(prior_floor(calibration) + FLOOR_SPREAD * parameter[last]), sum = 0, weights = 0, prior = 0;
    memset(gradient, 0, count * sizeof *gradient);
    for (size_t row = 0; row < rows->rows; row++) {
        double u[CALIBRATION_MATRIX_CLASSES], q[CALIBRATION_MATRIX_CLASSES], slope[CALIBRATION_MATRIX_CLASSES],
            by_floor;
        double weight = rows->weight ? rows->weight[row] : 1;
        relative_scores(calibration->order, rows->log_p + row * classes, classes, u);
        transformed(parameter, spread, u, classes, q);
        sum += weight * add_row(rows, row, floor, q, slope, &by_floor);
        weights += weight;
        for (size_t j = 0; j < classes; j++) {
            double factor = weight * spread[0] * u[j];
            for (size_t c = 0; factor != 0 && c < classes; c++)
                gradient[j * classes + c] += factor * slope[c];
        }
        for (size_t c = 0; c < classes; c++)
            gradient[classes * classes + c] += weight * spread[1] * slope[c];
        gradient[last] += weight * FLOOR_SPREAD * by_floor;
    }
    for (size_t i = 0; i < count; i++) {
        prior += parameter[i] * parameter[i] / 2;
        gradient[i] = gradient[i] / weights + parameter[i] / rows->evidence;
    }
    return sum / weights + prior / rows->evidence;
}

/* A fit in progress, for the callback. */
struct matrix_problem {
    const struct matrix_rows *rows;
    const struct calibration *calibration;
};

/* problem.evaluate. */
static temper_status evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    const struct matrix_problem *problem = context;
    (void)error;
    *value = matrix_objective(problem->rows, problem->calibration, w, gradient);
    return TEMPER_OK;
}

/* Fits with rows->spread. The result of a limit of iterations is as good as a minimum: all of them are better than the
 * start. Without a matrix if the likelihood is not finite. */
static temper_status fit_spread(const struct matrix_rows *rows, struct calibration *calibration, temper_error *error)
{
    size_t classes = rows->classes, count = matrix_parameters(classes);
    struct matrix_problem context = {rows, calibration};
    struct problem problem = {.size = count, .context = &context, .evaluate = evaluate};
    struct optim_options options = {
        .gradient_norm = GRADIENT_NORM, .max_iterations = MOST_ITERATIONS, .history = HISTORY, .no_memory = true};
    struct optim_result result;
    double *parameter = mem_zeroed(count, sizeof *parameter);
    if (!parameter)
        return error_no_memory(error);
    temper_status status = minimise_lbfgs(&problem, &options, parameter, &result, error);
    if (status != TEMPER_OK || result.stop == OPTIM_NOT_FINITE) {
        mem_free(parameter);
        return status;
    }
    for (size_t i = 0; i < count - 1; i++)
        parameter[i] *= i < classes * classes ? rows->spread : OFFSET_FACTOR * rows->spread;
    calibration->matrix_floor = logistic(prior_floor(calibration) + FLOOR_SPREAD * parameter[count - 1]);
    calibration->matrix = parameter; /* its last number is not used any more */
    return TEMPER_OK;
}

/* ---- The width of the priors --------------------------------------------------------------------------------------
 */

/* A row's half follows from its scores, so that equal rows are in one half. */
static bool in_second_half(const struct matrix_rows *rows, size_t row)
{
    return XXH3_64bits(rows->log_p + row * rows->classes, rows->classes * sizeof *rows->log_p) & 1;
}

/* Adds the log losses of the rows of a half: of order and floor alone, and with the matrix. */
static void add_losses(const struct matrix_rows *rows, const struct calibration *calibration, bool second,
                       double loss[2])
{
    size_t classes = rows->classes;
    for (size_t row = 0; row < rows->rows; row++) {
        double p[CALIBRATION_MATRIX_CLASSES];
        const double *log_p = rows->log_p + row * classes;
        double weight = rows->weight ? rows->weight[row] : 1;
        if (in_second_half(rows, row) != second)
            continue;
        escort_with_floor(calibration->order, calibration->floor, log_p, classes, p);
        loss[0] -= weight * log(fmax(p[rows->label[row]], DBL_MIN));
        matrix_refine(calibration, classes, log_p, p);
        loss[1] -= weight * log(fmax(p[rows->label[row]], DBL_MIN));
    }
}

/* Fits to one half, and adds the losses of the other; without a matrix that of the matrix is infinite, so that the
 * narrow prior is taken. Rows of the other half get weight 0. The evidence shrinks with the weight of the half, so that
 * the prior counts as it would with fewer rows. */
static temper_status add_half(const struct matrix_rows *rows, const struct calibration *calibration, bool second,
                              double *weight, double loss[2], temper_error *error)
{
    struct matrix_rows half = *rows;
    struct calibration found = *calibration;
    double all = 0, kept = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        double given = rows->weight ? rows->weight[row] : 1;
        weight[row] = in_second_half(rows, row) == second ? given : 0;
        all += given;
        kept += weight[row];
    }
    if (!(kept > 0)) {
        loss[1] = INFINITY;
        return TEMPER_OK;
    }
    half.weight = weight;
    half.spread = WIDE;
    half.evidence = rows->evidence * kept / all;
    TRY(fit_spread(&half, &found, error));
    if (found.matrix)
        add_losses(rows, &found, !second, loss);
    else
        loss[1] = INFINITY;
    mem_free(found.matrix);
    return TEMPER_OK;
}

/* Two-fold cross-validation of the wide prior against no matrix at all. */
static temper_status select_spread(const struct matrix_rows *rows, const struct calibration *calibration,
                                   double *spread, temper_error *error)
{
    double loss[2] = {0}, *weight = mem_alloc(rows->rows, sizeof *weight);
    temper_status status = weight ? TEMPER_OK : error_no_memory(error);
    for (int half = 0; status == TEMPER_OK && half < 2; half++)
        status = add_half(rows, calibration, half == 1, weight, loss, error);
    mem_free(weight);
    *spread = loss[1] <= (1 - LEAST_GAIN) * loss[0] ? WIDE : NARROW;
    return status;
}

/* The width of the prior first, then the fit to all rows with it. */
temper_status matrix_fit(const struct matrix_rows *rows, struct calibration *calibration, temper_error *error)
{
    struct matrix_rows chosen = *rows;
    if (rows->classes > CALIBRATION_MATRIX_CLASSES)
        return TEMPER_OK;
    TRY(select_spread(rows, calibration, &chosen.spread, error));
    return fit_spread(&chosen, calibration, error);
}
