/* diagonal: the metric of sparse data: one number a feature, between nothing and the curvature.
 *
 * Frequent features bend the objective far more than rare ones, which the penalty alone bends, and
 * conjugate gradients take a product for every such difference. The diagonal of the curvature where
 * training starts, b E x^2 + l2, b being that of the loss, would take away too much of it, for rows
 * tie frequent features to each other: its root takes fewer products (docs/speed.md). */
#include <math.h>

#include "base/memory.h"
#include "data/columns/column_stats.h"
#include "train/train_state.h"

/* Rows as they come, where there is no copy by columns. */
static temper_status add_squares(struct training_run *t, double *square)
{
    struct column_stats sums;
    struct negative_entry negative;
    struct sum_task task = {
        .data = t->data, .count = (size_t)dataset_all_rows(t->data), .variances = true, .threads = t->threads};
    temper_status status = column_stats(&task, &sums, &negative, t->error);
    if (status != TEMPER_OK)
        return status;
    for (size_t j = 0; j < (size_t)t->data->x.columns; j++)
        square[j] = sums.variance[j] + sums.mean[j] * sums.mean[j];
    column_stats_free(&sums);
    return TEMPER_OK;
}

/* Mean squares of the features as scaled. */
static temper_status take_squares(struct training_run *t, double *square)
{
    const struct scale *scale = scaled_features_scale(t->ground);
    const double rows = (double)dataset_all_rows(t->data);
    bool known;
    temper_status status = objective_squares(t->objective, square, &known, t->error);
    if (status == TEMPER_OK && !known)
        status = add_squares(t, square);
    for (size_t j = 0; status == TEMPER_OK && j < (size_t)t->data->x.columns; j++) {
        double factor = scale ? scale->factor[j] : 1;
        square[j] *= factor * factor / (known ? rows : 1);
    }
    return status;
}

/* Finite and positive, whatever the features are. */
static double scatter_range(double curvature)
{
    double root = sqrt(curvature);
    return root > 0 && isfinite(root) && isfinite(1 / root) ? 1 / root : 1;
}

temper_status preconditioner_diagonal_prepare(struct training_run *t, const struct phase *phase)
{
    size_t columns = (size_t)t->data->x.columns;
    double bend = initial_curvature(phase->loss, t->data->classes.count);
    struct preconditioner *metric = &t->metric;
    preconditioner_free(metric);
    *metric = (struct preconditioner){.vectors = objective_vectors(t->objective)};
    metric->n = t->size / metric->vectors;
    metric->diagonal = mem_alloc(columns + 1, sizeof *metric->diagonal);
    if (!metric->diagonal)
        return error_no_memory(t->error);
    temper_status status = take_squares(t, metric->diagonal);
    if (status != TEMPER_OK)
        return status;
    for (size_t j = 0; j < columns; j++)
        metric->diagonal[j] = scatter_range(bend * metric->diagonal[j] + phase->l2);
    metric->diagonal[columns] = scatter_range(bend); /* intercepts, if there are any */
    return TEMPER_OK;
}
