/* Which solver narrow rows of two classes get, that it ends in the optimum of Newton's method after fewer passes, and
 * matrices for each of many classes. */
#include <math.h>
#include <stdlib.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

enum { ROWS = 640, COLUMNS = 10 };

/* Normal features, or ratios of normal numbers, which have heavy tails; the class is the largest of its scores, which
 * are noisy. */
static struct dataset *drawn_rows(size_t rows, size_t columns, size_t classes, bool heavy)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    double *x = calloc(rows * columns, sizeof *x);
    const char **labels = (const char **)calloc(rows, sizeof *labels);
    struct dataset *data = NULL;
    struct draw draw = draw_from(29);
    for (size_t i = 0; x && labels && i < rows; i++) {
        double noise[4], best = -INFINITY;
        draw_normals(&draw, x + i * columns, columns, 1);
        for (size_t j = 0; heavy && j < columns; j++) {
            double below;
            draw_normals(&draw, &below, 1, 1);
            x[i * columns + j] /= below;
        }
        draw_normals(&draw, noise, 4, 0.7);
        for (size_t c = 0; c < classes; c++) {
            double score = noise[c];
            for (size_t j = 0; j < columns; j++)
                score += j % classes == c ? x[i * columns + j] : 0;
            labels[i] = score > best ? names[c] : labels[i];
            best = fmax(best, score);
        }
    }
    if (x && labels)
        data = table_make(MATRIX_F64, rows, columns, x, labels);
    free(x);
    free((void *)labels);
    return data;
}

static struct dataset *normal_rows(size_t rows, size_t columns, size_t classes)
{
    return drawn_rows(rows, columns, classes, false);
}

static temper_train_options route_options(const char *solver, double t1, double t2)
{
    temper_train_options options = made_options();
    options.solver = solver;
    options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2};
    options.l2 = 1e-3;
    return options;
}

static temper_train_report trained(const struct dataset *data, temper_train_options options)
{
    temper_train_report report;
    temper_model_free(made_train(data, options, &report));
    return report;
}

/* The loss (t1, 1). */
static void check_solver(size_t rows, size_t columns, double t1, const char *wanted)
{
    struct dataset *data = normal_rows(rows, columns, 2);
    CHECK_EQ_TEXT(trained(data, route_options("auto", t1, 1)).solver, wanted);
    CHECK_EQ_TEXT(trained(data, route_options("newton", t1, 1)).solver, "newton");
    dataset_free(data);
}

/* Hessians of all rows where there are too few rows for a Gram matrix of some of them, or so few features that a
 * Hessian costs no more than a pass, and where the temperatures differ so much that the path decides. */
TEST(many_narrow_rows_of_two_classes_replace_hessians)
{
    check_solver(32 * COLUMNS, COLUMNS, 0.8, "lbfgs");
    check_solver(32 * COLUMNS, COLUMNS, 0.5, "lbfgs");
    check_solver(32 * COLUMNS - 1, COLUMNS, 0.5, "newton");
    check_solver(ROWS, 7, 0.5, "newton");
    check_solver(ROWS, COLUMNS, 0.3, "newton");
    check_solver(ROWS, COLUMNS, 1, "lbfgs");
    check_solver(ROWS, 7, 1, "newton");
}

/* A small limit of iterations is spent on Hessians, and so are warm starts, which are near the solution. */
TEST(a_convex_loss_begins_with_a_gram_matrix_unless_few_iterations_are_left)
{
    struct dataset *data = normal_rows(ROWS, COLUMNS, 2);
    temper_train_options options = route_options("auto", 1, 1);
    temper_train_report report;
    temper_model *model = made_train(data, options, &report);
    CHECK_EQ_TEXT(report.solver, "lbfgs");
    CHECK(report.hessians == 0 && report.stop == TEMPER_STOP_CONVERGED);
    options.warm_start = model;
    CHECK_EQ_TEXT(trained(data, options).solver, "newton");
    options.warm_start = NULL;
    options.max_iterations = 99;
    CHECK_EQ_TEXT(trained(data, options).solver, "newton");
    temper_model_free(model);
    dataset_free(data);
}

/* Heavy tails and a weak penalty: the curvature at the solution is far from that of W = 0, the gradient has not fallen
 * to a twentieth after six iterations, and Newton's method begins at W = 0, as if these had not been. */
TEST(a_trial_that_fails_leaves_newton_its_path)
{
    struct dataset *data = drawn_rows(ROWS, COLUMNS, 2, true);
    temper_train_options options = route_options("auto", 1, 1);
    options.l2 = 1e-7;
    temper_train_report now = trained(data, options);
    options.solver = "newton";
    temper_train_report oracle = trained(data, options);
    CHECK_EQ_TEXT(now.solver, "newton");
    CHECK(now.stop == TEMPER_STOP_CONVERGED && now.objective == oracle.objective);
    CHECK(now.hessians == oracle.hessians && now.iterations == oracle.iterations + 6);
    options.solver = "auto";
    check_same_on_threads(data, options);
    dataset_free(data);
}

TEST(it_ends_in_the_optimum_of_newton_after_fewer_passes)
{
    static const double pair[][2] = {{0.8, 1}, {0.5, 1}, {0.9, 1.4}, {1, 1}, {1.2, 1}};
    struct dataset *data = normal_rows(ROWS, COLUMNS, 2);
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        temper_train_report now = trained(data, route_options("auto", pair[i][0], pair[i][1])),
                            oracle = trained(data, route_options("newton", pair[i][0], pair[i][1]));
        CHECK(now.stop == TEMPER_STOP_CONVERGED && oracle.stop == TEMPER_STOP_CONVERGED);
        CHECK_CLOSE(now.objective, oracle.objective, 1e-6);
        CHECK(now.hessians == 0 && now.passes < oracle.passes);
    }
    check_same_on_threads(data, route_options("auto", 0.5, 1));
    check_same_on_threads(data, route_options("auto", 1, 1));
    dataset_free(data);
}

/* Every start of many classes has its own preconditioners, five of them: the most phases that a plan can have. */
TEST(three_starts_of_many_classes_have_room_for_their_phases)
{
    struct dataset *data = normal_rows(ROWS, COLUMNS, 4);
    temper_train_options options = route_options("auto", 0.3, 1);
    options.starts = 3;
    CHECK(trained(data, options).stop == TEMPER_STOP_CONVERGED);
    check_same_on_threads(data, options);
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    CHECK(trained(data, options).stop == TEMPER_STOP_CONVERGED);
    dataset_free(data);
}

TEST_LIST(LISTED(many_narrow_rows_of_two_classes_replace_hessians),
          LISTED(a_convex_loss_begins_with_a_gram_matrix_unless_few_iterations_are_left),
          LISTED(a_trial_that_fails_leaves_newton_its_path),
          LISTED(it_ends_in_the_optimum_of_newton_after_fewer_passes),
          LISTED(three_starts_of_many_classes_have_room_for_their_phases))
