/* run_made: small problems to train on, and by definition what training is to make of them. */
#include "run_made.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binary.h"
#include "numeric.h"
#include "table.h"
#include "tempered/loss_family.h"
#include "test.h"

enum { MOST_COLUMNS = 512, MOST_VECTORS = 8 };

/* ---- Data ------------------------------------------------------------------------------------ */

/* Weights of each class in turn. */
static double *make_rule(size_t columns, size_t classes)
{
    double *weights = calloc(columns * classes, sizeof *weights);
    for (size_t i = 0; weights && i < columns * classes; i++)
        weights[i] = random_normal((struct random){77, (uint32_t)(i / columns)}, i % columns);
    return weights;
}

/* The class whose weights like the row best. */
static size_t rule(const double *weights, const double *x, size_t columns, size_t classes)
{
    double most = -INFINITY;
    size_t best = 0;
    for (size_t c = 0; c < classes; c++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++)
            sum += (x[j] - 2) * weights[c * columns + j];
        if (sum > most) {
            most = sum;
            best = c;
        }
    }
    return best;
}

struct dataset *made_data(enum matrix_kind kind, size_t rows, size_t columns, size_t classes)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    struct draw draw = draw_from(rows + 31 * columns + 7 * classes);
    double *values = calloc(rows * columns, sizeof *values), *weights = make_rule(columns, classes);
    const char **labels = (const char **)calloc(rows, sizeof *labels);
    struct dataset *data = NULL;
    if (values && weights && labels) {
        for (size_t i = 0; i < rows; i++) {
            double *x = values + i * columns;
            for (size_t j = 0; j < columns; j++)
                x[j] = draw_below(&draw, 2) ? 0 : (double)draw_below(&draw, 9);
            labels[i] = names[i < classes  ? i
                              : i % 7 == 3 ? draw_below(&draw, classes)
                                           : rule(weights, x, columns, classes)];
        }
        data = table_make(kind, rows, columns, values, labels);
    }
    free(values);
    free(weights);
    free((void *)labels);
    return data;
}

struct dataset *made_points(size_t rows, const double *xy, const char *const *labels)
{
    return table_make(MATRIX_F64, rows, 2, xy, labels);
}

const temper_data *made_public(const struct dataset *data)
{
    return (const temper_data *)data;
}

const struct model *made_inside(const temper_model *model)
{
    return (const struct model *)model;
}

/* ---- Training -------------------------------------------------------------------------------- */

temper_train_options made_options(void)
{
    temper_train_options options = temper_train_defaults();
    options.threads = 1;
    return options;
}

temper_model *made_train(const struct dataset *data, temper_train_options options,
                         temper_train_report *report)
{
    temper_error error = {0};
    temper_model *model = NULL;
    temper_status status = temper_train(made_public(data), &options, &model, report, &error);
    CHECKF(status == TEMPER_OK, "%s", error.message);
    return model;
}

temper_tune_report made_tune(const struct dataset *data, temper_tune_options options,
                             temper_model **model)
{
    temper_tune_report report = {0};
    temper_error error = {0};
    CHECKF(temper_tune(made_public(data), &options, model, &report, &error) == TEMPER_OK, "%s",
           error.message);
    return report;
}

void made_refused(const struct dataset *data, temper_train_options options, temper_status wanted,
                  const char *words)
{
    temper_error error = {0};
    temper_model *model = (temper_model *)&error; /* any address that is not NULL */
    temper_train_report report, before;
    memset(&report, 42, sizeof report);
    memcpy(&before, &report, sizeof report);
    temper_status status = temper_train(made_public(data), &options, &model, &report, &error);
    CHECKF(status == wanted, "%d: %s", (int)status, error.message);
    CHECKF(strstr(error.message, words) != NULL, "'%s' says nothing of '%s'", error.message, words);
    CHECK((void *)model == (void *)&error && memcmp(&report, &before, sizeof report) == 0);
    if (status == TEMPER_OK)
        temper_model_free(model);
}

double made_precision(const temper_audit_report *report, const bool *wrong, size_t rows)
{
    double hits = 0, sum = 0;
    for (size_t i = 0; i < rows; i++)
        if (wrong[report->suspects[i].row]) {
            hits++;
            sum += hits / (double)(i + 1);
        }
    return sum / hits;
}

struct blob made_bytes(const temper_model *model)
{
    temper_error error = {0};
    char path[64]; /* other tests may run in the same folder */
    snprintf(path, sizeof path, "made-%ld.temper", (long)getpid());
    CHECKF(temper_model_save(model, path, &error) == TEMPER_OK, "%s", error.message);
    struct blob blob = binary_file(path);
    unlink(path);
    return blob;
}

bool made_same_bytes(const temper_model *a, const temper_model *b)
{
    if (!a || !b)
        return false;
    struct blob left = made_bytes(a), right = made_bytes(b);
    bool same = left.length > 0 && left.length == right.length &&
                memcmp(left.bytes, right.bytes, left.length) == 0;
    if (!same)
        printf("%.*s\n---- not\n%.*s\n", (int)left.length, (const char *)left.bytes,
               (int)right.length, (const char *)right.bytes);
    blob_free(&left);
    blob_free(&right);
    return same;
}

int made_follow(void *context, const temper_progress *progress)
{
    struct made_stop *stop = context;
    stop->last = *progress;
    stop->calls += progress->iteration > 0;
    return stop->after > 0 && stop->calls >= stop->after;
}

/* ---- By definition --------------------------------------------------------------------------- */

/* f(x), as the weights want it, and as the penalty does. */
struct features {
    double plain[MOST_COLUMNS], scaled[MOST_COLUMNS];
};

static void take_row(const struct model *model, const struct dataset *data, size_t row,
                     struct features *x)
{
    matrix_row_f64(&data->x, row, x->plain);
    for (size_t j = 0; j < model->features; j++) {
        if (model->scale.kind == SCALE_LOG)
            x->plain[j] = log1p(x->plain[j]);
        x->scaled[j] = x->plain[j];
        if (model->scale.offset)
            x->scaled[j] = (x->plain[j] - model->scale.offset[j]) * model->scale.factor[j];
    }
}

static double row_loss(const struct model *model, const double *a, uint32_t label, double *g)
{
    if (model->vectors > 1)
        return any_loss(model->loss, a, model->vectors, label, g, NULL);
    double sign = label ? 1 : -1;
    struct margin_loss loss = any_margin_loss(model->loss, sign * a[0]);
    g[0] = sign * loss.slope;
    return loss.value;
}

static double add_row(const struct model *model, double times, const struct features *x,
                      uint32_t label, double weight, double *gradient)
{
    size_t columns = model->features;
    double a[MOST_VECTORS], g[MOST_VECTORS];
    for (size_t k = 0; k < model->vectors; k++) {
        a[k] = model->bias[k];
        for (size_t j = 0; j < columns; j++)
            a[k] += x->plain[j] * model->weights[k * columns + j];
        a[k] *= times;
    }
    double loss = row_loss(model, a, label, g);
    for (size_t k = 0; k < model->vectors; k++) {
        for (size_t j = 0; j < columns; j++)
            gradient[k * columns + j] += weight * g[k] * x->scaled[j];
        if (model->intercept)
            gradient[model->vectors * columns + k] += weight * g[k];
    }
    return weight * loss;
}

double made_objective(const struct model *model, double times, const struct dataset *data,
                      double *gradient)
{
    size_t plain = model->vectors * model->features;
    struct features x;
    double loss = 0, weights = 0, squares = 0;
    memset(gradient, 0, (plain + model->vectors) * sizeof *gradient);
    for (size_t row = 0; row < data->x.rows; row++) {
        double weight = data->weight ? data->weight[row] : 1;
        take_row(model, data, row, &x);
        loss += add_row(model, times, &x, data->label[row], weight, gradient);
        weights += weight;
    }
    for (size_t i = 0; i < plain + model->vectors; i++)
        gradient[i] /= weights;
    for (size_t i = 0; i < plain; i++) {
        double factor = model->scale.factor ? model->scale.factor[i % model->features] : 1;
        double w = times * model->weights[i] / factor;
        squares += w * w;
        gradient[i] += model->l2 * w;
    }
    return loss / weights + 0.5 * model->l2 * squares;
}

static double norm_at(const struct model *model, double times, const struct dataset *data)
{
    size_t size = model->vectors * (model->features + 1);
    double sum = 0, *gradient = calloc(size, sizeof *gradient);
    if (!gradient)
        return NAN;
    made_objective(model, times, data, gradient);
    for (size_t i = 0; i < size; i++)
        sum += gradient[i] * gradient[i];
    free(gradient);
    return sqrt(sum);
}

double made_gradient(const struct model *model, const struct dataset *data)
{
    return norm_at(model, 1, data) / norm_at(model, 0, data);
}
