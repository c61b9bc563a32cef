/* Exports models of all kinds, and writes beside each what the library itself says of some rows.
 *
 *     export_models FOLDER
 *
 * For each case NAME.c, NAME.onnx and NAME.txt: rows, features, classes (probabilities: 0 or 1),
 * then for each row its features, the number of its class and its probabilities; and NAME.names,
 * a class a line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/schema.h"
#include "fixtures/model_fixture.h"
#include "fixtures/numeric.h"
#include "model/model.h"
#include "predict/calibration_matrix.h"

enum { ROWS = 64, MOST_CLASSES_HERE = 512, MOST_FEATURES = 64 };

static const struct example {
    const char *name;
    size_t classes, features;
    temper_loss_spec loss;
    enum scale_kind scale;
} examples[] = {
    {"two_logistic", 2, 5, {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, SCALE_NONE},
    {"two_gce", 2, 5, {.method = TEMPER_GCE, .t1 = 0.3, .t2 = 1}, SCALE_NONE},
    {"two_tempered", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.4, .t2 = 1.12}, SCALE_NONE},
    {"two_hot", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.1, .t2 = 1.9}, SCALE_NONE},
    {"two_cauchy", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.7, .t2 = 2}, SCALE_NONE},
    {"two_cold", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.4, .t2 = 0.5}, SCALE_NONE},
    {"two_near", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.000000001}, SCALE_NONE},
    {"two_nearer", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.00001}, SCALE_NONE},
    {"two_bregman", 2, 5, {.method = TEMPER_BREGMAN, .t1 = 0.2, .t2 = 1.5}, SCALE_NONE},
    {"two_sparse", 2, 5, {.method = TEMPER_BREGMAN, .t1 = 0.5}, SCALE_NONE},
    {"two_sce", 2, 5, {.method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = 0.1, .beta = 1, .log_zero = -4}, SCALE_NONE},
    {"two_hinge", 2, 5, {.method = TEMPER_HINGE, .smoothing = 0.5}, SCALE_NONE},
    {"two_zero", 2, 5, {.method = TEMPER_TEMPERED, .t2 = 1.5}, SCALE_NONE},
    {"two_log", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.3}, SCALE_LOG},
    {"one_feature", 2, 1, {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.3}, SCALE_NONE},
    {"many_logistic", 3, 5, {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, SCALE_NONE},
    {"many_gce", 10, 20, {.method = TEMPER_GCE, .t1 = 0.7, .t2 = 1}, SCALE_NONE},
    {"many_tempered", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.2}, SCALE_NONE},
    {"many_t_logistic", 4, 5, {.method = TEMPER_T_LOGISTIC, .t1 = 1, .t2 = 1.5}, SCALE_NONE},
    {"many_hot", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.8, .t2 = 5}, SCALE_NONE},
    {"many_cold", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 0.8}, SCALE_NONE},
    {"many_sparse", 10, 20, {.method = TEMPER_BREGMAN, .t1 = 0.5}, SCALE_NONE},
    {"many_bregman", 26, 16, {.method = TEMPER_BREGMAN, .t1 = 0.6, .t2 = 1.4}, SCALE_NONE},
    {"many_sce", 10, 20, {.method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = 0.1, .beta = 1, .log_zero = -4}, SCALE_NONE},
    {"many_log", 5, 5, {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.3}, SCALE_LOG},
    {"many_classes", 300, 3, {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 2.5}, SCALE_NONE},
    {"many_cool", 300, 3, {.method = TEMPER_TEMPERED, .t1 = 0.7, .t2 = 0.9}, SCALE_NONE},
    {"many_hinge", 3, 5, {.method = TEMPER_HINGE, .smoothing = 1}, SCALE_NONE},
};

/* The same with calibrations of some order and floor. */
static const struct calibrated_example {
    struct example example;
    double order, floor;
    double matrix_floor, spread; /* of the numbers of the matrix; 0: none */
} calibrated_examples[] = {
    {{"two_order", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}, SCALE_NONE}, 0.4, 0, 0, 0},
    {{"two_floor", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.4}, SCALE_NONE}, 0.6, 0.2, 0, 0},
    {{"two_cold_floor", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 0.8}, SCALE_NONE}, 2, 0.01, 0, 0},
    {{"two_zero_floor", 2, 5, {.method = TEMPER_TEMPERED, .t2 = 1.5}, SCALE_NONE}, 0.5, 0.1, 0, 0},
    {{"two_hinge_floor", 2, 5, {.method = TEMPER_HINGE, .smoothing = 0.5}, SCALE_NONE}, 1.7, 0.1, 0, 0},
    {{"many_order", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}, SCALE_NONE}, 1.5, 0, 0, 0},
    {{"many_floor", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}, SCALE_NONE}, 0.3, 0.05, 0, 0},
    {{"many_hot_floor", 26, 16, {.method = TEMPER_TEMPERED, .t1 = 0.8, .t2 = 3}, SCALE_NONE}, 2, 1e-6, 0, 0},
    {{"two_hot_steep", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.4}, SCALE_NONE}, 2000, 0, 0, 0},
    {{"many_cold_steep", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 0.8}, SCALE_NONE}, 2000, 0.1, 0, 0},
    {{"many_hinge_floor", 3, 5, {.method = TEMPER_HINGE, .smoothing = 1}, SCALE_NONE}, 0.8, 0.3, 0, 0},
    {{"two_matrix", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}, SCALE_NONE}, 0.4, 0.1, 0.05, 0.5},
    {{"two_hot_matrix", 2, 5, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.6}, SCALE_NONE}, 1.4, 0, 0, 0.3},
    {{"two_hinge_matrix", 2, 5, {.method = TEMPER_HINGE, .smoothing = 0.5}, SCALE_NONE}, 1.7, 0.1, 0.2, 1},
    {{"many_matrix", 10, 20, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}, SCALE_NONE}, 0.6, 0.02, 0.01, 0.2},
    {{"many_cold_matrix", 5, 8, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 0.7}, SCALE_NONE}, 0.8, 0.1, 0.05, 0.2},
    {{"many_hot_matrix", 26, 16, {.method = TEMPER_TEMPERED, .t1 = 0.8, .t2 = 3}, SCALE_NONE}, 2, 1e-6, 0.001, 0.1},
};

/* Logarithms of the model's own probabilities, and the refinement by the library. */
static void refine(const struct model *model, const double *raw, double *p)
{
    double y[CALIBRATION_MATRIX_CLASSES];
    size_t classes = model->classes.count, top = place_of_largest(raw, classes);
    for (size_t c = 0; c < classes; c++)
        y[c] = log(raw[c] / raw[top]);
    matrix_refine(&model->calibration, classes, y, p);
}

/* What the library says: activations as model.h has them, then its own functions. */
static size_t apply(const struct model *model, const double *x, double *p)
{
    double a[MOST_CLASSES_HERE] = {0}, raw[MOST_CLASSES_HERE];
    size_t classes = model->classes.count;
    for (size_t v = 0; v < model->vectors; v++) {
        a[v] = model->bias[v];
        for (size_t i = 0; i < model->features; i++)
            a[v] += model->weights[v * model->features + i] * (model->scale.kind == SCALE_LOG ? log1p(x[i]) : x[i]);
    }
    if (model->vectors == 1) {
        a[1] = a[0] / 2;
        a[0] = -a[1];
    }
    if (model_has_probabilities(model)) {
        temper_probabilities(a, classes, model_t2(model), p);
        memcpy(raw, p, sizeof raw);
        temper_escort(p, classes, model_escort_order(model), p);
        double floor = model->calibration.floor;
        for (size_t c = 0; c < classes; c++)
            p[c] = (1 - floor) * p[c] + floor / (double)classes;
        if (model->calibration.matrix)
            refine(model, raw, p);
    }
    return place_of_largest(a, classes);
}

/* Rows of every size, so that some are certain and some are not; floats, as ONNX takes. */
static void write_rows(const struct model *model, const char *name)
{
    struct draw draw = draw_from(7);
    char path[64];
    snprintf(path, sizeof path, "%s.txt", name);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    bool has = model_has_probabilities(model);
    fprintf(file, "%d %zu %zu %d\n", ROWS, model->features, model->classes.count, has);
    for (size_t r = 0; r < ROWS; r++) {
        double x[MOST_FEATURES] = {0}, p[MOST_CLASSES_HERE] = {0};
        draw_normals(&draw, x, model->features, draw_scale(&draw, 0.01, 10));
        for (size_t i = 0; i < model->features; i++) {
            x[i] = (double)(float)(model->scale.kind == SCALE_LOG ? fabs(x[i]) : x[i]);
            fprintf(file, "%.17g ", x[i]);
        }
        fprintf(file, "%zu", apply(model, x, p));
        for (size_t c = 0; has && c < model->classes.count; c++)
            fprintf(file, " %.17g", p[c]);
        fprintf(file, "\n");
    }
    fclose(file);
    snprintf(path, sizeof path, "%s.names", name);
    file = fopen(path, "w");
    for (size_t c = 0; file && c < model->classes.count; c++)
        fprintf(file, "%s\n", model->classes.name[c]);
    if (!file || fclose(file) != 0)
        exit(1);
}

static void check(temper_status status, const temper_error *error)
{
    if (status == TEMPER_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

/* Numbers of a matrix: any will do. */
static double *made_matrix(size_t classes, double spread)
{
    struct draw draw = draw_from(11);
    double *matrix = mem_zeroed(classes + 1, classes * sizeof *matrix);
    if (!matrix)
        exit(1);
    draw_normals(&draw, matrix, (classes + 1) * classes, spread);
    return matrix;
}

static void export(const struct example *example, struct calibration calibration)
{
    struct model *model = model_made(example->classes, example->features, example->loss, false);
    char path[64];
    temper_error error;
    model->scale.kind = example->scale;
    model->calibration = calibration;
    classes_free(&model->classes); /* names that a C compiler could misread */
    for (size_t c = 0; c < example->classes; c++) {
        snprintf(path, sizeof path, "\303\244 \"?\?/%zu\\", c);
        classes_add(&model->classes, path, strlen(path));
    }
    snprintf(path, sizeof path, "%s.c", example->name);
    check(model_export_c(model, path, &error), &error);
    snprintf(path, sizeof path, "%s.onnx", example->name);
    check(model_export_onnx(model, path, &error), &error);
    write_rows(model, example->name);
    model->scale.kind = SCALE_NONE;
    model_free(model);
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) != 0)
        return 2;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        export(&examples[i], (struct calibration){0});
    for (size_t i = 0; i < sizeof calibrated_examples / sizeof *calibrated_examples; i++) {
        const struct calibrated_example *one = &calibrated_examples[i];
        struct calibration calibration = {.order = one->order, .floor = one->floor, .rows = ROWS};
        calibration.matrix_floor = one->matrix_floor;
        if (one->spread > 0)
            calibration.matrix = made_matrix(one->example.classes, one->spread);
        export(&one->example, calibration);
    }
    return 0;
}
