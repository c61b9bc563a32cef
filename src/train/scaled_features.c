/* ground: the scaling, learnt once, and what follows from it. */
#include "train/scaled_features.h"

#include <math.h>

#include "base/memory.h"
#include "data/columns/column_stats.h"
#include "data/subset.h"
#include "objective/scores.h"

/* lambda_0 = 2e-4 tr Cov(x) / (C - 1) */
static const double DEFAULT_L2 = 2e-4;

/* The only scaling that makes a copy. */
static temper_status take_logarithms(struct scaled_features *ground, temper_error *error)
{
    temper_status status = dataset_borrow(ground->data, &ground->logarithms, error);
    if (status != TEMPER_OK)
        return status;
    struct matrix borrowed = ground->logarithms->x;
    status = scale_matrix(&ground->scale, &borrowed, ground->threads, &ground->logarithms->x, error);
    ground->data = ground->logarithms;
    return status;
}

temper_status scaled_features_new(const struct dataset *given, const char *scale, size_t threads,
                                  struct scaled_features *out, temper_error *error)
{
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
        status = take_logarithms(out, error);
    if (status != TEMPER_OK)
        scaled_features_free(out);
    return status;
}

void scaled_features_free(struct scaled_features *ground)
{
    dataset_free(ground->logarithms);
    scale_free(&ground->scale);
    *ground = (struct scaled_features){0};
}

const struct scale *scaled_features_scale(const struct scaled_features *ground)
{
    return ground->logarithms ? NULL : &ground->scale;
}

/* Of features whose variances, as the solver sees them, have this sum. */
static double l2_of_spread(double spread, size_t classes)
{
    return DEFAULT_L2 * spread / (double)(classes - 1);
}

double default_l2_of(const double *variance, const double *factor, size_t columns, size_t classes)
{
    double total = 0;
    for (size_t j = 0; j < columns; j++) {
        double size = factor ? factor[j] : 1;
        total += variance[j] * size * size;
    }
    return l2_of_spread(total, classes);
}

temper_status scaled_features_default_l2(const struct scaled_features *ground, double *l2, temper_error *error)
{
    const struct dataset *data = ground->data;
    struct column_stats sums;
    struct negative_entry negative;
    struct sum_task task = {.data = data, .count = (size_t)data->x.rows, .variances = true, .threads = ground->threads};
    if (ground->scale.spread > 0) { /* the scaling was learnt from the same sums */
        *l2 = l2_of_spread(ground->scale.spread, data->classes.count);
        return TEMPER_OK;
    }
    temper_status status = column_stats(&task, &sums, &negative, error);
    if (status != TEMPER_OK)
        return status;
    const double *factor = ground->logarithms ? NULL : ground->scale.factor;
    *l2 = default_l2_of(sums.variance, factor, (size_t)data->x.columns, data->classes.count);
    column_stats_free(&sums);
    return TEMPER_OK;
}

/* w . (x - offset) factor + b = (w factor) . x + (b - w factor . offset); logarithms are taken of
 * raw rows first. */
void scaled_features_raw_weights(const struct scaled_features *ground, struct solution solution, struct raw_weights out)
{
    const double *w = solution.w;
    size_t vectors = solution.vectors;
    size_t columns = (size_t)ground->data->x.columns;
    const struct scale *scale = &ground->scale;
    for (size_t k = 0; k < vectors; k++) {
        double bias = solution.intercept ? w[columns * vectors + k] : 0;
        for (size_t j = 0; j < columns; j++) {
            double offset = scale->offset ? scale->offset[j] : 0;
            double weight = w[j * vectors + k] * (scale->factor ? scale->factor[j] : 1);
            out.weights[j * out.column_step + k * out.vector_step] = weight;
            bias -= weight * offset;
        }
        out.bias[k] = bias;
    }
}

temper_status scaled_features_activations(const struct scaled_features *ground, struct solution solution,
                                          size_t threads, double *a, temper_error *error)
{
    return scaled_features_activations_of(ground, &ground->given->x, solution, threads, a, error);
}

temper_status scaled_features_activations_of(const struct scaled_features *ground, const struct matrix *rows,
                                             struct solution solution, size_t threads, double *a, temper_error *error)
{
    size_t vectors = solution.vectors;
    size_t columns = (size_t)ground->data->x.columns;
    struct raw_weights raw = {.weights = mem_alloc(columns, vectors * sizeof(double)),
                              .column_step = vectors,
                              .vector_step = 1,
                              .bias = mem_alloc(vectors, sizeof(double))};
    temper_status status = TEMPER_NO_MEMORY;
    if (raw.weights && raw.bias) {
        struct linear_model model = {raw.weights, raw.bias, vectors, columns, ground->scale.kind == SCALE_LOG};
        scaled_features_raw_weights(ground, solution, raw);
        status = activations(rows, &model, threads, a, error);
    } else {
        error_no_memory(error);
    }
    mem_free(raw.weights);
    mem_free(raw.bias);
    return status;
}
