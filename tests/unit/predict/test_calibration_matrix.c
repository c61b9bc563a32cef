/* Matrix scaling: its gradient, what it learns, and what it never changes. */
#include "predict/calibration_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "predict/calibration.h"

enum { ROWS = 400, CLASSES = 4 };

/* Log probabilities relative to the best class, of random scores; some of them -infinity, as t2 < 1 has them. */
static void draw_log_p(struct draw *draw, double *log_p, size_t rows, size_t classes)
{
    draw_normals(draw, log_p, rows * classes, 2);
    for (size_t row = 0; row < rows; row++) {
        double *y = log_p + row * classes, top = y[place_of_largest(y, classes)];
        for (size_t c = 0; c < classes; c++)
            y[c] = (row + c) % 7 == 0 && y[c] < top ? -INFINITY : y[c] - top;
    }
}

/* Labels of the predicted class, but class 1 is given as class 2 in a third of its rows. */
static void confuse(const double *log_p, uint32_t *label, size_t rows, size_t classes)
{
    for (size_t row = 0; row < rows; row++) {
        label[row] = (uint32_t)place_of_largest(log_p + row * classes, classes);
        if (label[row] == 1 && row % 3 == 0)
            label[row] = 2;
        else if (row % 11 == 0)
            label[row] = (uint32_t)(row % classes);
    }
}

struct made_rows {
    double log_p[ROWS * CLASSES], weight[ROWS];
    uint32_t label[ROWS];
};

static struct matrix_rows make_rows(struct made_rows *made, uint64_t seed)
{
    struct draw draw = draw_from(seed);
    draw_log_p(&draw, made->log_p, ROWS, CLASSES);
    confuse(made->log_p, made->label, ROWS, CLASSES);
    for (size_t row = 0; row < ROWS; row++)
        made->weight[row] = (double)(row % 3) / 2;
    return (struct matrix_rows){made->log_p, made->label, made->weight, ROWS, CLASSES, ROWS, 1.0 / (2 + ROWS), 0.2};
}

TEST(the_gradient_is_that_of_differences)
{
    static struct made_rows made;
    struct matrix_rows rows = make_rows(&made, 3);
    struct calibration calibration = {.order = 0.7, .floor = 0.05};
    enum { COUNT = CLASSES * CLASSES + CLASSES + 1 };
    double w[COUNT], gradient[COUNT], unused[COUNT];
    struct draw draw = draw_from(5);
    CHECK(matrix_parameters(CLASSES) == COUNT);
    draw_normals(&draw, w, COUNT, 0.5);
    matrix_objective(&rows, &calibration, w, gradient);
    for (size_t i = 0; i < COUNT; i++) {
        double step = 1e-6, at = w[i];
        w[i] = at + step;
        double above = matrix_objective(&rows, &calibration, w, unused);
        w[i] = at - step;
        double below = matrix_objective(&rows, &calibration, w, unused);
        w[i] = at;
        CHECK_NEAR(gradient[i], (above - below) / (2 * step), 1e-7);
    }
}

/* The mean log loss of other rows of the same kind. */
static double log_loss(const struct matrix_rows *rows, const struct calibration *calibration)
{
    double sum = 0, p[CLASSES];
    for (size_t row = 0; row < rows->rows; row++) {
        const double *y = rows->log_p + row * CLASSES;
        escort_with_floor(1, calibration->floor, y, CLASSES, p);
        if (calibration->matrix)
            matrix_refine(calibration, CLASSES, y, p);
        sum -= log(p[rows->label[row]]) / (double)rows->rows;
    }
    return sum;
}

TEST(confused_classes_are_learnt)
{
    static struct made_rows made, other;
    struct matrix_rows rows = make_rows(&made, 3), held_out = make_rows(&other, 4);
    struct calibration calibration = {.order = 1, .floor = 0.05};
    double before = log_loss(&held_out, &calibration);
    CHECK(matrix_fit(&rows, &calibration, NULL) == TEMPER_OK);
    if (!CHECK(calibration.matrix != NULL))
        return;
    double after = log_loss(&held_out, &calibration);
    CHECKF(after < before - 0.05, "%g, and %g before", after, before);
    mem_free(calibration.matrix);
}

/* With hardly any evidence the priors decide: the probabilities are those of order and floor. */
TEST(without_evidence_nothing_changes)
{
    static struct made_rows made;
    struct matrix_rows rows = make_rows(&made, 3);
    struct calibration calibration = {.order = 1, .floor = 0.05};
    double p[CLASSES], refined[CLASSES];
    rows.evidence = 1e-6;
    CHECK(matrix_fit(&rows, &calibration, NULL) == TEMPER_OK && calibration.matrix);
    for (size_t row = 0; calibration.matrix && row < ROWS; row++) {
        escort_with_floor(1, 0.05, made.log_p + row * CLASSES, CLASSES, p);
        memcpy(refined, p, sizeof p);
        matrix_refine(&calibration, CLASSES, made.log_p + row * CLASSES, refined);
        for (size_t c = 0; c < CLASSES; c++)
            CHECK_NEAR(refined[c], p[c], 1e-4);
    }
    mem_free(calibration.matrix);
}

/* The sum of squares of a fitted matrix. */
static double fitted_size(const struct matrix_rows *rows)
{
    struct calibration calibration = {.order = 1, .floor = 0.05};
    double sum = 0;
    CHECK(matrix_fit(rows, &calibration, NULL) == TEMPER_OK && calibration.matrix);
    for (size_t i = 0; calibration.matrix && i < CLASSES * CLASSES; i++)
        sum += calibration.matrix[i] * calibration.matrix[i];
    mem_free(calibration.matrix);
    return sum;
}

/* Labels drawn from the probabilities of order and floor: a matrix could only fit to chance, and the halves show it. */
TEST(chance_gets_the_narrow_prior)
{
    static struct made_rows made;
    struct matrix_rows rows = make_rows(&made, 3);
    struct draw draw = draw_from(8);
    double confused = fitted_size(&rows), p[CLASSES];
    for (size_t row = 0; row < ROWS; row++) {
        double u = draw_uniform(&draw, 0, 1);
        escort_with_floor(1, 0.05, made.log_p + row * CLASSES, CLASSES, p);
        made.label[row] = 0;
        while (made.label[row] + 1 < CLASSES && (u -= p[made.label[row]]) > 0)
            made.label[row]++;
    }
    double chance = fitted_size(&rows);
    CHECKF(chance < confused / 10, "%g, and %g", chance, confused);
}

/* Whatever the matrix: distributions whose most probable class is the predicted one. */
TEST(the_predicted_class_stays_the_most_probable)
{
    struct draw draw = draw_from(9);
    for (size_t classes = 2; classes <= CALIBRATION_MATRIX_CLASSES; classes += 19) {
        double matrix[(CALIBRATION_MATRIX_CLASSES + 1) * CALIBRATION_MATRIX_CLASSES], y[CALIBRATION_MATRIX_CLASSES],
            p[CALIBRATION_MATRIX_CLASSES];
        struct calibration calibration = {.order = 1, .floor = 0.01, .matrix = matrix, .matrix_floor = 0.1};
        for (size_t i = 0; i < 200; i++) {
            double sum = 0;
            draw_normals(&draw, matrix, (classes + 1) * classes, i % 2 ? 0.2 : 5);
            draw_log_p(&draw, y, 1, classes);
            escort_with_floor(1, calibration.floor, y, classes, p);
            matrix_refine(&calibration, classes, y, p);
            for (size_t c = 0; c < classes; c++) {
                CHECKF(p[c] >= 0, "%g", p[c]);
                sum += p[c];
            }
            CHECK_CLOSE(sum, 1, 1e-12);
            CHECK(place_of_largest(p, classes) == place_of_largest(y, classes));
        }
    }
}

/* Two equal scores have equal probabilities in p, and the first is the predicted class. */
TEST(ties_stay_ties)
{
    double matrix[6] = {0.3, -0.2, 0.5, 0.1, -2, 2}, y[2] = {0, 0}, p[2] = {0.5, 0.5};
    struct calibration calibration = {.order = 1, .matrix = matrix};
    matrix_refine(&calibration, 2, y, p);
    CHECK(p[0] == 0.5 && p[1] == 0.5);
}

TEST(very_many_classes_have_no_matrix)
{
    struct matrix_rows rows = {.classes = CALIBRATION_MATRIX_CLASSES + 1};
    struct calibration calibration = {.order = 1};
    CHECK(matrix_fit(&rows, &calibration, NULL) == TEMPER_OK && !calibration.matrix);
}

/* Of the choice of the prior, too: a fit with a prior that was not chosen would be another one. */
TEST(each_lack_of_memory_is_reported)
{
    static struct made_rows made;
    const struct matrix_rows rows = make_rows(&made, 3);
    size_t n = 1;
    for (bool fired = true; fired; n += fired) {
        struct calibration calibration = {.order = 1, .floor = 0.05};
        temper_error error = {0};
        fault_arm(n);
        temper_status status = matrix_fit(&rows, &calibration, &error);
        fault_disarm();
        fired = fault_fired();
        CHECKF(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK) && error.status == status, "allocation %zu: %d", n,
               (int)status);
        mem_free(calibration.matrix);
    }
    CHECKF(n > 3, "%zu allocations", n - 1);
}

TEST_LIST(LISTED(the_gradient_is_that_of_differences), LISTED(confused_classes_are_learnt),
          LISTED(without_evidence_nothing_changes), LISTED(chance_gets_the_narrow_prior),
          LISTED(the_predicted_class_stays_the_most_probable), LISTED(ties_stay_ties),
          LISTED(very_many_classes_have_no_matrix), LISTED(each_lack_of_memory_is_reported))
