/* scaled_features: the scaling, learnt once for all fits on the same rows, and what follows from it: the default
 * penalty, and weights for raw rows. Scaling is folded into weights wherever possible, so that rows are neither copied
 * nor changed. */
#include "train/scaled_features.h"

#include <math.h>

#include "base/memory.h"
#include "data/columns/column_stats.h"
#include "data/subset.h"
#include "objective/scores.h"

/* The factor of the default penalty, lambda_0 = 2e-4 tr Cov(x) / (C - 1): proportional to the variance, so that it does
 * not depend on the units of the features. */
static const double DEFAULT_L2 = 2e-4;

/* Replaces the data by a copy with logarithms, which cannot be folded into linear weights: the only scaling that copies
 * the rows. */
static temper_status make_logarithms(struct scaled_features *features, temper_error *error)
{
    temper_status status = dataset_borrow(features->data, &features->logarithms, error);
    if (status != TEMPER_OK)
        return status;
    /* Labels, weights and names stay borrowed; the matrix alone is new. */
    struct matrix borrowed = features->logarithms->x;
    status = scale_matrix(&features->scale, &borrowed, features->threads, &features->logarithms->x, error);
    features->data = features->logarithms;
    return status;
}

/* Learns the scaling from all rows of the dataset. Sparse data is not scaled by default, because offsets would make it
 * dense. */
temper_status scaled_features_new(const struct dataset *given, const char *scale, size_t threads,
                                  struct scaled_features *out, temper_error *error)
{
    /* The same defaults are used for remote rows: decide_scale in train_remote.c. */
    const char *word = scale ? scale : given->x.kind == MATRIX_CSR ? "none" : "standard";
    enum scale_kind kind;
    *out = (struct scaled_features){.given = given, .data = given, .threads = threads};
    if (!scale_find(word, &kind))
        return error_set(error, TEMPER_USAGE,
                         "there is no scaling '%.64s'; there are none, standard, minmax, maxabs, "
                         "log and pixels",
                         word);
    struct scale_rows all = {NULL, (size_t)given->x.rows};
    temper_status status = scale_learn(given, kind, all, threads, &out->scale, error);
    if (status == TEMPER_OK && kind == SCALE_LOG)
        status = make_logarithms(out, error);
    if (status != TEMPER_OK)
        scaled_features_free(out);
    return status;
}

/* The given dataset is borrowed, and stays. */
void scaled_features_free(struct scaled_features *features)
{
    dataset_free(features->logarithms);
    scale_free(&features->scale);
    *features = (struct scaled_features){0};
}

/* Logarithms are in the copy already; all other scalings are applied by the objective. */
const struct scale *scaled_features_scale(const struct scaled_features *features)
{
    return features->logarithms ? NULL : &features->scale;
}

/* The default penalty of scaled features; `spread` is the sum of their variances. */
static double default_l2_of_variance(double spread, size_t classes)
{
    return DEFAULT_L2 * spread / (double)(classes - 1);
}

/* The variance of a scaled feature is that of the raw one times the factor squared. */
double default_l2_of(const double *variance, const double *factor, size_t columns, size_t classes)
{
    double total = 0;
    for (size_t j = 0; j < columns; j++) {
        double size = factor ? factor[j] : 1;
        total += variance[j] * size * size;
    }
    return default_l2_of_variance(total, classes);
}

/* The default penalty. Standard scaling has summed the variances already; for any other scaling a pass over the data is
 * spent. */
temper_status scaled_features_default_l2(const struct scaled_features *features, double *l2, temper_error *error)
{
    const struct dataset *data = features->data;
    struct column_stats sums;
    struct negative_entry negative;
    struct sum_task task = {
        .data = data, .count = (size_t)data->x.rows, .variances = true, .threads = features->threads};
    if (features->scale.spread > 0) {
        *l2 = default_l2_of_variance(features->scale.spread, data->classes.count);
        return TEMPER_OK;
    }
    temper_status status = column_stats(&task, &sums, &negative, error);
    if (status != TEMPER_OK)
        return status;
    /* The copy with logarithms is scaled already, so that its variances are those that the solver sees. */
    const double *factor = features->logarithms ? NULL : features->scale.factor;
    *l2 = default_l2_of(sums.variance, factor, (size_t)data->x.columns, data->classes.count);
    column_stats_free(&sums);
    return TEMPER_OK;
}

/* Folds offsets and factors into the weights: w . (x - offset) factor + b = (w factor) . x + (b - w factor . offset).
 * With SCALE_LOG these weights apply to the logarithms of raw rows. */
void scaled_features_raw_weights(const struct scaled_features *features, struct solution solution,
                                 struct raw_weights out)
{
    const double *w = solution.w;
    size_t vectors = solution.vectors;
    size_t columns = (size_t)features->data->x.columns;
    const struct scale *scale = &features->scale;
    for (size_t k = 0; k < vectors; k++) {
        double bias = solution.intercept ? w[columns * vectors + k] : 0;
        for (size_t j = 0; j < columns; j++) {
            double offset = scale->offset ? scale->offset[j] : 0;
            double weight = w[j * vectors + k] * (scale->factor ? scale->factor[j] : 1);
            out.weights[j * out.column_step + k * out.vector_step] = weight;
            /* Offsets are in raw units, as the new weight is. */
            bias -= weight * offset;
        }
        out.bias[k] = bias;
    }
}

/* The scores of the rows that the scaling was learnt from. */
temper_status scaled_features_activations(const struct scaled_features *features, struct solution solution,
                                          size_t threads, double *a, temper_error *error)
{
    return scaled_features_activations_of(features, &features->given->x, solution, threads, a, error);
}

/* The scores of raw rows, by weights for raw rows, so that the rows need not be scaled; logarithms are taken row by
 * row. */
temper_status scaled_features_activations_of(const struct scaled_features *features, const struct matrix *rows,
                                             struct solution solution, size_t threads, double *a, temper_error *error)
{
    size_t vectors = solution.vectors;
    size_t columns = (size_t)features->data->x.columns;
    struct raw_weights raw = {.weights = mem_alloc(columns, vectors * sizeof(double)),
                              .column_step = vectors,
                              .vector_step = 1,
                              .bias = mem_alloc(vectors, sizeof(double))};
    temper_status status = TEMPER_NO_MEMORY;
    if (raw.weights && raw.bias) {
        struct linear_model model = {raw.weights, raw.bias, vectors, columns, features->scale.kind == SCALE_LOG, NULL};
        scaled_features_raw_weights(features, solution, raw);
        status = activations(rows, &model, threads, a, error);
    } else {
        error_no_memory(error);
    }
    mem_free(raw.weights);
    mem_free(raw.bias);
    return status;
}
