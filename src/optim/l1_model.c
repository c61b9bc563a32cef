/* l1_model: coordinate descent with the gradient of the model kept up to date ("covariance updates" of Friedman, Hastie
 * and Tibshirani 2010, "Regularization paths for generalized linear models via coordinate descent"): an update of one
 * number that changes takes n operations, one of a number that stays takes none.
 *
 * After a sweep over all numbers, sweeps over those that are not 0 follow until they have converged: most numbers are
 * 0 and stay so. The order is fixed. */
#include "optim/l1_model.h"

#include <math.h>

#include "optim/vector.h"

void l1_model_mirror(double *h, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            h[j * n + i] = h[i * n + j];
}

/* The change of m if x_j becomes `to`. */
static double change(const struct l1_model *model, size_t j, double to)
{
    const double step = to - model->x[j], curvature = model->h[j * model->n + j];
    return step * (model->r[j] + 0.5 * curvature * step) + model->l1[j] * (fabs(to) - fabs(model->x[j]));
}

/* Without positive curvature the minimum over an interval is at an end of it, or at the kink. */
static double lowest_of_ends(const struct l1_model *model, size_t j)
{
    const double low = model->w[j] - model->box[j], high = model->w[j] + model->box[j];
    const double candidates[] = {low, high, low < 0 && high > 0 ? 0 : low};
    double best = model->x[j], least = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const double value = change(model, j, candidates[i]);
        if (value < least) {
            least = value;
            best = candidates[i];
        }
    }
    return best;
}

/* Where m is lowest along x_j: the minimum of the parabola, moved towards 0 by l1 / curvature, within the box. */
static double lowest_point(const struct l1_model *model, size_t j)
{
    const double curvature = model->h[j * model->n + j];
    if (!(curvature > 0))
        return lowest_of_ends(model, j);
    const double free = model->x[j] - model->r[j] / curvature, shift = model->l1[j] / curvature;
    const double to = free > shift ? free - shift : free < -shift ? free + shift : 0;
    const double low = model->w[j] - model->box[j], high = model->w[j] + model->box[j];
    return to < low ? low : to > high ? high : to;
}

/* Minimises m along x_j, and returns the square of the derivative that it had there: curvature times step, for a
 * parabola. */
static double update(const struct l1_model *model, size_t j)
{
    const size_t n = model->n;
    const double to = lowest_point(model, j), step = to - model->x[j], curvature = model->h[j * n + j];
    if (step == 0)
        return 0;
    const double slope = curvature > 0 ? curvature * step : fabs(model->r[j]) + model->l1[j];
    vector_add(model->r, step, model->h + j * n, n);
    model->x[j] = to;
    return slope * slope;
}

/* One sweep; `all`: over the numbers that are 0 too. */
static double sweep(const struct l1_model *model, bool all)
{
    double sum = 0;
    for (size_t j = 0; j < model->n; j++)
        if (all || model->x[j] != 0 || model->l1[j] == 0)
            sum += update(model, j);
    return sqrt(sum);
}

bool l1_model_minimise(const struct l1_model *model, double tolerance, size_t sweeps)
{
    for (size_t done = 0; done < sweeps;) {
        if (sweep(model, true) <= tolerance)
            return true;
        for (done++; done < sweeps && sweep(model, false) > tolerance;)
            done++;
        done++;
    }
    return false;
}
