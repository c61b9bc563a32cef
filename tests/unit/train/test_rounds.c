/* Trimmed logistic regression and forward correction. The former: a fixed point of its concentration steps, better than
 * where they begin, the same for every kind of data, number of threads and way to write weights. The latter: a
 * stationary point of its definition, with the matrix of label noise that was planted. And what does not go together
 * with rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"
#include "tempered/loss_family.h"

enum { ROWS = 210, COLUMNS = 5 };

static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};

static temper_train_options trimmed_options(double trim)
{
    temper_train_options options = made_options();
    options.loss.method = TEMPER_TRIMMED;
    options.loss.trim = trim;
    options.l2 = 0.01;
    options.tolerance = 1e-8;
    return options;
}

/* The logistic loss of each row under the model. */
static void row_losses(const temper_model *model, const struct dataset *data, double *loss)
{
    size_t vectors = made_inside(model)->vectors, rows = (size_t)data->x.rows;
    double *a = calloc(rows * vectors, sizeof *a);
    CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_DECISIONS, 1, a, NULL) == TEMPER_OK);
    for (size_t row = 0; row < rows; row++) {
        uint32_t label = data->label[row];
        loss[row] = vectors == 1 ? any_margin_loss(logistic, label ? a[row] : -a[row]).value
                                 : any_loss(logistic, a + row * vectors, vectors, label, NULL, NULL);
    }
    free(a);
}

static const double *compared;

static int by_loss(const void *a, const void *b)
{
    double x = compared[*(const size_t *)a], y = compared[*(const size_t *)b];
    return x < y ? -1 : x > y;
}

/* weight[row]: what a concentration step gives each row; the mean loss of what is kept. Written apart from rounds.c. */
static double concentrate(const double *loss, const double *given, size_t rows, double trim, double *weight)
{
    size_t *order = calloc(rows, sizeof *order);
    double all = 0, sum = 0, used = 0;
    for (size_t i = 0; i < rows; i++) {
        order[i] = i;
        all += given ? given[i] : 1;
    }
    compared = loss;
    qsort(order, rows, sizeof *order, by_loss);
    for (size_t i = 0; i < rows; i++) {
        double mine = given ? given[order[i]] : 1;
        weight[order[i]] = fmax(0, fmin(mine, (1 - trim) * all - used));
        used += weight[order[i]];
        sum += weight[order[i]] * loss[order[i]];
    }
    free(order);
    return sum / used;
}

static double penalty(const temper_model *model)
{
    const struct model *inside = made_inside(model);
    double sum = 0;
    for (size_t i = 0; i < inside->vectors * inside->features; i++) {
        double factor = inside->scale.factor ? inside->scale.factor[i % inside->features] : 1;
        sum += inside->weights[i] / factor * inside->weights[i] / factor;
    }
    return inside->l2 / 2 * sum;
}

/* The largest difference of two models' weights, relative to the largest weight. */
static double difference(const temper_model *a, const temper_model *b)
{
    const struct model *x = made_inside(a), *y = made_inside(b);
    double worst = 0, size = 0;
    for (size_t i = 0; i < x->vectors * x->features; i++) {
        worst = fmax(worst, fabs(x->weights[i] - y->weights[i]));
        size = fmax(size, fabs(x->weights[i]));
    }
    return worst / size;
}

/* Fitted to the rows that it keeps, the model is itself; and the trimmed objective is below that of the logistic
 * solution, from which the steps begin. */
static void check_fixed_point(enum matrix_kind kind, size_t classes, double trim)
{
    struct dataset *data = made_data(kind, ROWS, COLUMNS, classes);
    temper_train_options options = trimmed_options(trim);
    temper_train_report report;
    double loss[ROWS], weight[ROWS];
    options.scale = "none";
    temper_model *model = made_train(data, options, &report);
    row_losses(model, data, loss);
    double mean = concentrate(loss, NULL, ROWS, trim, weight);
    CHECKF(fabs(report.train_loss - mean) <= 1e-5 * mean, "%g is reported, not %g", report.train_loss, mean);
    CHECK(report.loss.method == TEMPER_TRIMMED && report.loss.trim == trim);
    CHECK(made_inside(model)->training.weight_sum == ROWS);

    options.loss = logistic;
    temper_model *all = made_train(data, options, NULL);
    double other[ROWS], unused[ROWS];
    row_losses(all, data, other);
    double start = concentrate(other, NULL, ROWS, trim, unused) + penalty(all);
    CHECKF(mean + penalty(model) <= start * (1 + 1e-6), "%g, and %g at the start", mean + penalty(model), start);

    table_weigh(data, weight);
    temper_model *again = made_train(data, options, NULL);
    CHECKF(difference(model, again) <= 1e-4, "kind %d, %zu classes, trim %g: %g", (int)kind, classes, trim,
           difference(model, again));
    temper_model_free(model);
    temper_model_free(all);
    temper_model_free(again);
    dataset_free(data);
}

TEST(the_model_is_a_fixed_point_of_its_steps)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 4; classes++) {
            check_fixed_point(kinds[k], classes, 0.1);
            check_fixed_point(kinds[k], classes, 0.137); /* the boundary splits a row */
        }
}

TEST(nothing_trimmed_is_logistic_regression)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, classes);
        temper_train_options options = trimmed_options(0);
        temper_model *model = made_train(data, options, NULL);
        options.loss = logistic;
        temper_model *plain = made_train(data, options, NULL);
        CHECK(difference(plain, model) <= 1e-6);
        temper_model_free(model);
        temper_model_free(plain);
        dataset_free(data);
    }
}

/* A row of weight 3 is three rows. */
TEST(weights_are_repetitions)
{
    enum { FEW = 60 };
    struct dataset *few = made_data(MATRIX_F64, FEW, 3, 2);
    double weight[FEW], *x = calloc((size_t)FEW * 9, sizeof *x);
    const char *labels[3 * FEW];
    size_t rows = 0;
    for (size_t i = 0; i < FEW; i++) {
        weight[i] = (double)(i % 3 + 1);
        for (size_t k = 0; k < i % 3 + 1; k++, rows++) {
            memcpy(x + 3 * rows, (const double *)few->x.dense + 3 * i, 3 * sizeof *x);
            labels[rows] = few->classes.name[few->label[i]];
        }
    }
    struct dataset *many = table_make(MATRIX_F64, rows, 3, x, labels);
    table_weigh(few, weight);
    temper_train_options options = trimmed_options(0.2);
    options.scale = "none";
    temper_model *a = made_train(few, options, NULL), *b = made_train(many, options, NULL);
    CHECKF(difference(a, b) <= 1e-4, "%g", difference(a, b));
    temper_model_free(a);
    temper_model_free(b);
    dataset_free(few);
    dataset_free(many);
    free(x);
}

TEST(threads_do_not_matter)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F32, 3000, 8, classes);
        temper_train_options options = trimmed_options(0.15);
        temper_model *one = made_train(data, options, NULL);
        options.threads = 3;
        temper_model *three = made_train(data, options, NULL);
        CHECK(made_same_bytes(one, three));
        temper_model_free(one);
        temper_model_free(three);
        dataset_free(data);
    }
}

/* Labels that contradict the features are left out, where their share is known. */
TEST(flipped_labels_are_left_out)
{
    enum { N = 400 };
    double x[2 * N], loss[N];
    const char *labels[N];
    size_t wrong_kept = 0;
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = cos((double)i);
        x[2 * i + 1] = sin((double)i * 1.3);
        bool positive = x[2 * i] + x[2 * i + 1] > 0;
        labels[i] = positive != (i % 10 == 0) ? "1" : "0";
    }
    struct dataset *data = made_points(N, x, labels);
    temper_train_report report;
    temper_model *model = made_train(data, trimmed_options(0.1), &report);
    row_losses(model, data, loss);
    for (size_t i = 0; i < N; i += 10)
        wrong_kept += loss[i] < log(2);
    CHECKF(wrong_kept <= 2, "%zu wrong labels are predicted", wrong_kept);
    CHECKF(report.accuracy > 0.88 && report.accuracy < 0.92, "accuracy on all rows: %g", report.accuracy);
    temper_model_free(model);
    dataset_free(data);
}

/* ---- Forward correction ---------------------------------------------------------------------- */

static temper_train_options forward_options(void)
{
    temper_train_options options = trimmed_options(0);
    options.loss.method = TEMPER_FORWARD;
    options.scale = "none";
    return options;
}

/* |gradient| of the corrected objective by its definition, at the weights of the model times `times`. */
static double corrected_gradient(const struct model *model, const struct dataset *data, double times)
{
    size_t classes = model->classes.count, vectors = model->vectors, columns = model->features;
    double g[3 * (COLUMNS + 1)] = {0}, a[3], p[3], r[3], x[COLUMNS], weights = 0, norm = 0;
    for (size_t row = 0; row < data->x.rows; row++) {
        double column[3];
        for (size_t c = 0; c < classes; c++)
            column[c] = model->transition[c * classes + data->label[row]];
        double weight = data->weight ? data->weight[row] : 1;
        matrix_row_f64(&data->x, row, x);
        for (size_t k = 0; k < vectors; k++) {
            a[k] = times * model->bias[k];
            for (size_t j = 0; j < columns; j++)
                a[k] += times * model->weights[k * columns + j] * x[j];
        }
        if (vectors == 1) {
            double sign = data->label[row] ? 1 : -1;
            uint32_t y = data->label[row];
            r[0] = sign * forward_margin_loss(sign * a[0], column[y], column[1 - y]).slope;
        } else {
            forward_loss(column, a, vectors, p, r);
        }
        for (size_t k = 0; k < vectors; k++) {
            for (size_t j = 0; j < columns; j++)
                g[k * (columns + 1) + j] += weight * r[k] * x[j];
            g[k * (columns + 1) + columns] += weight * r[k];
        }
        weights += weight;
    }
    for (size_t k = 0; k < vectors; k++)
        for (size_t j = 0; j <= columns; j++) {
            double penalty = j < columns ? model->l2 * times * model->weights[k * columns + j] : 0;
            norm += pow(g[k * (columns + 1) + j] / weights + penalty, 2);
        }
    return sqrt(norm);
}

TEST(forward_correction_ends_where_the_gradient_is_small)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weight[i] = (double)(i % 4) / 2;
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 4; classes++)
            for (int weighted = 0; weighted < 2; weighted++) {
                struct dataset *data = made_data(kinds[k], ROWS, COLUMNS, classes);
                if (weighted)
                    table_weigh(data, weight);
                temper_train_report report;
                temper_model *model = made_train(data, forward_options(), &report);
                const struct model *inside = made_inside(model);
                double norm = corrected_gradient(inside, data, 1) / corrected_gradient(inside, data, 0);
                CHECKF(norm <= 1e-5, "kind %zu, %zu classes, weighted %d: %g", k, classes, weighted, norm);
                CHECK(report.loss.method == TEMPER_FORWARD && report.stop == TEMPER_STOP_CONVERGED);
                temper_model_free(model);
                dataset_free(data);
            }
}

/* Three classes in the plane; a fifth of the first is labelled as the second, a tenth of the second as the third. */
TEST(the_matrix_of_label_noise_is_found)
{
    enum { N = 3000 };
    double *x = calloc((size_t)2 * N, sizeof *x);
    const char **labels = (const char **)calloc(N, sizeof *labels);
    static const char *const names[] = {"a", "b", "c"};
    static const double planted[3][3] = {{0.8, 0.2, 0}, {0, 0.9, 0.1}, {0, 0, 1}};
    for (size_t i = 0; i < N; i++) {
        size_t c = i % 3, turn = i / 3 % 10;
        double angle = 2.1 * (double)c;
        x[2 * i] = 3 * cos(angle) + sin((double)i * 1.7);
        x[2 * i + 1] = 3 * sin(angle) + cos((double)i * 2.9);
        labels[i] = names[c == 0 && turn < 2 ? 1 : c == 1 && turn == 9 ? 2 : c];
    }
    struct dataset *data = made_points(N, x, labels);
    temper_model *model = made_train(data, forward_options(), NULL);
    const struct model *inside = made_inside(model);
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        for (size_t y = 0; y < 3; y++) {
            /* classes are in the order in which they first occur */
            double found = inside->transition[c * 3 + y];
            double wanted = planted[inside->classes.name[c][0] - 'a'][inside->classes.name[y][0] - 'a'];
            CHECKF(fabs(found - wanted) < 0.03, "T[%zu][%zu] = %g, not %g", c, y, found, wanted);
            CHECK(found > 0);
            sum += found;
        }
        CHECK_CLOSE(sum, 1, 1e-12);
    }
    temper_model_free(model);
    dataset_free(data);
    free(x);
    free((void *)labels);
}

/* The matrix is in the file, and the loss of an evaluation is that of the training. */
TEST(a_corrected_model_is_saved_and_evaluated)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, classes);
        temper_train_report report;
        temper_train_options options = forward_options();
        temper_model *model = made_train(data, options, &report), *back = NULL;
        temper_text text = {0};
        temper_evaluation found;
        CHECK(temper_model_to_text(model, &text, NULL) == TEMPER_OK);
        CHECK(temper_model_from_text(text.bytes, text.length, &back, NULL) == TEMPER_OK);
        if (back) {
            CHECK(table_same_bits(made_inside(model)->transition, made_inside(back)->transition, classes * classes));
            temper_evaluator *evaluator = NULL;
            CHECK(temper_evaluator_new(back, &evaluator, NULL) == TEMPER_OK);
            CHECK(temper_evaluator_add(evaluator, made_public(data), 1, NULL) == TEMPER_OK);
            CHECK(temper_evaluator_finish(evaluator, &found, NULL) == TEMPER_OK);
            CHECK_CLOSE(found.loss, report.train_loss, 1e-9);
            temper_evaluation_free(&found);
            temper_text none = {0};
            temper_error error = {0};
            made_inside(back)->transition[1] = (double)NAN;
            CHECK(temper_model_to_text(back, &none, &error) == TEMPER_BAD_DATA);
            CHECKF(strstr(error.message, "label noise"), "%s", error.message);
        }
        options.threads = 3;
        temper_model *other = made_train(data, options, NULL);
        CHECK(made_same_bytes(model, other));
        temper_text_free(&text);
        temper_model_free(model);
        temper_model_free(back);
        temper_model_free(other);
        dataset_free(data);
    }
}

/* Saved, loaded, and with a matrix that takes no class for another. */
static void check_uninformed(const struct dataset *data, const char *what)
{
    temper_train_report report = {0};
    temper_model *model = made_train(data, forward_options(), &report), *back = NULL;
    temper_text text = {0};
    if (!model)
        return;
    size_t classes = made_inside(model)->classes.count;
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_RANDOM_LABELS, "no better than chance"), "%s: %s", what,
           made_first_warning(&report.warnings));
    CHECK(temper_model_to_text(model, &text, NULL) == TEMPER_OK);
    CHECKF(temper_model_from_text(text.bytes, text.length, &back, NULL) == TEMPER_OK, "%s", what);
    for (size_t c = 0; c < classes; c++)
        for (size_t y = 0; y < classes; y++) {
            const double *transition = made_inside(model)->transition;
            CHECKF(y == c || transition[y * classes + c] < transition[c * classes + c], "%s: T[%zu][%zu] = %g, %g",
                   what, c, y, transition[y * classes + c], transition[c * classes + c]);
        }
    temper_text_free(&text);
    temper_model_free(model);
    temper_model_free(back);
}

/* A fit to the row of one class predicts that class for the row of the other: all labels look wrong. */
TEST(pilot_fits_that_are_wrong_do_not_exchange_classes)
{
    static const double x[] = {1, 0, 0, 1, -1, 0, 0, -1};
    static const char *const labels[] = {"a", "b", "c", "d"};
    for (size_t rows = 2; rows <= 4; rows++) {
        struct dataset *data = made_points(rows, x, labels);
        check_uninformed(data, "one row of each class");
        dataset_free(data);
    }
}

/* ---- Interruptions --------------------------------------------------------------------------- */

/* Stops at the given iteration of the given round, both from 0. */
struct round_stop {
    size_t round, iteration, begun;
};

static int stop_in_round(void *context, const temper_train_progress *progress)
{
    struct round_stop *stop = context;
    stop->begun += progress->iteration == 0;
    return stop->begun == stop->round + 1 && progress->iteration == stop->iteration;
}

static double largest_weight(const struct model *model)
{
    double largest = 0;
    for (size_t i = 0; i < model->vectors * model->features; i++)
        largest = fmax(largest, fabs(model->weights[i]));
    return largest;
}

/* Pilot fits are no models of the corrected loss, whatever they have learnt; neither are the initial weights of the
 * last fit. The command saves nothing where a report has no iterations. */
TEST(an_interrupted_forward_correction_has_learnt_something_or_no_iterations)
{
    for (size_t i = 0; i < 12; i++) {
        struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, 2 + i % 2);
        struct round_stop stop = {.round = i / 4, .iteration = i / 2 % 2};
        temper_train_options options = forward_options();
        temper_train_report report = {0};
        options.on_progress = stop_in_round;
        options.progress_context = &stop;
        temper_model *model = made_train(data, options, &report);
        bool learnt = stop.round == 2 && stop.iteration == 1;
        CHECK(report.stop == TEMPER_STOP_INTERRUPTED);
        CHECKF((report.iterations > 0) == learnt, "round %zu, iteration %zu: %zu", stop.round, stop.iteration,
               report.iterations);
        if (model) {
            CHECK((largest_weight(made_inside(model)) > 0) == learnt);
            CHECK((made_inside(model)->transition != NULL) == (stop.round == 2));
        }
        temper_model_free(model);
        dataset_free(data);
    }
}

/* Each round begins with the solution of the one before. */
TEST(an_interrupted_trimming_keeps_the_last_round)
{
    struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, 2);
    struct round_stop stop = {.round = 1};
    temper_train_options options = trimmed_options(0.1);
    temper_train_report report = {0};
    temper_model *all = made_train(data, trimmed_options(0), NULL);
    options.on_progress = stop_in_round;
    options.progress_context = &stop;
    temper_model *model = made_train(data, options, &report);
    CHECK(report.stop == TEMPER_STOP_INTERRUPTED && report.iterations > 0);
    CHECK(difference(all, model) <= 1e-12);
    temper_model_free(all);
    temper_model_free(model);
    dataset_free(data);
}

/* ---- Warnings -------------------------------------------------------------------------------- */

/* Rows whose labels hardly depend on them: which of them fit best changes with every fit. */
static struct dataset *weak_labels(size_t rows)
{
    double *x = calloc(2 * rows, sizeof *x);
    const char **labels = (const char **)calloc(rows, sizeof *labels);
    struct draw draw = draw_from(5);
    for (size_t i = 0; i < rows; i++) {
        draw_normals(&draw, x + 2 * i, 2, 1);
        labels[i] = draw_uniform(&draw, 0, 1) < 1 / (1 + exp(-0.2 * (x[2 * i] + x[2 * i + 1]))) ? "1" : "0";
    }
    struct dataset *data = made_points(rows, x, labels);
    free(x);
    free((void *)labels);
    return data;
}

TEST(limits_that_end_a_round_are_reported)
{
    struct dataset *data = weak_labels(4000);
    temper_train_options options = trimmed_options(0.4);
    temper_train_report report = {0};
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_NOT_CONVERGED, "stopped after 30 rounds"), "%s",
           made_first_warning(&report.warnings));
    options = forward_options();
    options.max_iterations = 1;
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_NOT_CONVERGED, "a fit to half of the rows"), "%s",
           made_first_warning(&report.warnings));
    dataset_free(data);
}

/* Two classes on either side; the third is spread over both, a quarter of the rows, which trimming leaves out. What is
 * left is separable, although not all rows are. */
TEST(what_trimming_leaves_out_counts_in_warnings)
{
    enum { N = 400 };
    double x[2 * N];
    const char *labels[N];
    for (size_t i = 0; i < N; i++) {
        double side = i % 2 ? 1 : -1;
        x[2 * i] = side * (2 + sin((double)i));
        x[2 * i + 1] = cos((double)i * 2.3);
        labels[i] = i % 8 == 1 || i % 8 == 2 ? "c" : side > 0 ? "a" : "b";
    }
    struct dataset *data = made_points(N, x, labels);
    temper_train_options options = trimmed_options(0.3);
    temper_train_report report = {0};
    options.tolerance = 1e-4;
    options.l2 = 0;
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_MISSING_CLASSES, "1 of 3 classes, with 25 % of the rows") &&
               made_warned(&report.warnings, TEMPER_WARNING_MISSING_CLASSES, "trim a smaller share"),
           "%s", made_first_warning(&report.warnings));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_SEPARABLE, "rows that trimming leaves"), "%s",
           made_first_warning(&report.warnings));
    dataset_free(data);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

#define REFUSED(change, status, words)                                                                                 \
    do {                                                                                                               \
        temper_train_options options = trimmed_options(0.2);                                                           \
        options.change;                                                                                                \
        made_refused(data, options, status, words);                                                                    \
    } while (0)

TEST(what_does_not_go_together_with_rounds_is_refused)
{
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 2);
    REFUSED(starts = 2, TEMPER_USAGE, "several starts");
    REFUSED(starts = 2; options.loss.method = TEMPER_FORWARD, TEMPER_USAGE, "loss forward repeats");
    REFUSED(validation = made_public(data), TEMPER_USAGE, "validation rows");
    REFUSED(checkpoint = "x.state", TEMPER_USAGE, "a checkpoint");
    REFUSED(loss.trim = -0.1, TEMPER_USAGE, "from 0 to 0.99");
    REFUSED(loss.trim = 1, TEMPER_USAGE, "try 0.2");
    REFUSED(loss.trim = NAN, TEMPER_USAGE, "try 0.2");
    dataset_free(data);
}

/* A class with few rows is left out first. */
TEST(rows_of_a_single_class_are_refused)
{
    double x[80];
    const char *labels[40];
    for (size_t i = 0; i < 40; i++) {
        x[2 * i] = sin((double)i);
        x[2 * i + 1] = cos((double)i * 2.1);
        labels[i] = i % 20 == 0 ? "b" : "a";
    }
    struct dataset *data = made_points(40, x, labels);
    REFUSED(loss.trim = 0.3, TEMPER_BAD_DATA, "trimming leaves rows of one class, 'a'");
    dataset_free(data);
}

TEST(no_allocation_may_fail_unnoticed)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 3);
    temper_train_options options = forward_options();
    for (size_t n = 1;; n++) {
        temper_model *model = NULL;
        temper_train_report report;
        temper_error error;
        fault_arm(n);
        temper_status status = temper_train(made_public(data), &options, &model, &report, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && n > 10);
            temper_model_free(model);
            break;
        }
        CHECKF(status == TEMPER_NO_MEMORY && !model, "allocation %zu", n);
    }
    dataset_free(data);
}

TEST_LIST(LISTED(the_model_is_a_fixed_point_of_its_steps), LISTED(nothing_trimmed_is_logistic_regression),
          LISTED(weights_are_repetitions), LISTED(threads_do_not_matter),
          LISTED(forward_correction_ends_where_the_gradient_is_small), LISTED(the_matrix_of_label_noise_is_found),
          LISTED(a_corrected_model_is_saved_and_evaluated), LISTED(flipped_labels_are_left_out),
          LISTED(what_does_not_go_together_with_rounds_is_refused), LISTED(rows_of_a_single_class_are_refused),
          LISTED(no_allocation_may_fail_unnoticed), LISTED(pilot_fits_that_are_wrong_do_not_exchange_classes),
          LISTED(an_interrupted_forward_correction_has_learnt_something_or_no_iterations),
          LISTED(an_interrupted_trimming_keeps_the_last_round), LISTED(limits_that_end_a_round_are_reported),
          LISTED(what_trimming_leaves_out_counts_in_warnings))
