/* Where digits end: the edge of support, the end of the double range, temperatures beyond reason.
 * Reference values by 60-digit arithmetic. */
#include <math.h>

#include "fixtures/test.h"
#include "kernel/loss/margin.h"
#include "temper_extra.h"

/* A class that is only just within the support: its p depends on digits beyond those of a double. */
TEST(two_classes_at_the_edge)
{
    static const double cases[][3] = {
        {-1.0101010089542657, 0.01, 5.0941378354628517e-10},
        {-1.1111111033262102, 0.1, 7.7426368924066204e-10},
        {-1.4285708591272135, 0.3, 7.1968567304691432e-10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double a[2] = {0, cases[i][0]};
        double p[2];
        temper_probabilities(a, 2, cases[i][1], p);
        CHECK_CLOSE(p[1], cases[i][2], 1e-14);
        /* the third opinion works in doubles alone: half of its digits */
        CHECK_CLOSE(temper_log_partition_bisection(a, 2, cases[i][1], NULL), temper_log_partition(a, 2, cases[i][1]),
                    1e-6);
    }
}

/* The last class has u = 1 - (1-t)(b + lambda) from 1e-3 down to 1e-15; with several others lambda needs digits beyond
 * those of a double too. */
TEST(many_classes_at_the_edge)
{
    static const struct {
        double t;
        size_t n;
        double a[5], p, top;
    } rows[] = {
        {0, 4, {0.2, 0, -0.1, -0.29999999999999}, 7.500944310123713876e-15, 0.4999999999999975089},
        {0.1, 3, {0, 0, -0.5954297002979406}, 9.492615434995783553e-11, 0.4999999999525369228},
        {0.3, 5, {0.5, 0.1, 0.4, 0.45, -0.16837707172630306}, 3.704199257368232817e-22, 0.3378642663932417545},
        {0.5, 4, {0.3, 0.3, 0.25, -0.8711266173679285}, 1.000009866210929592e-24, 0.3428843884780827355},
        {0.7, 4, {0, -0.5, -1, -2.8166662948224794}, 4.641588841219845764e-24, 0.5704124684474323309},
        {0.9, 3, {1, 0.5, -8.55042378823422}, 1.000008074055924381e-100, 0.6312864001194935473},
        {0.97, 4, {2, 2, -3, -30.6120918435263}, 9.999999999992696141e-101, 0.4990217400308040853},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double p[5];
        temper_probabilities(rows[i].a, rows[i].n, rows[i].t, p);
        CHECK_CLOSE(p[rows[i].n - 1], rows[i].p, 3e-14); /* what rounding log p to a double leaves */
        CHECK_CLOSE(p[0], rows[i].top, 1e-15);
    }
}

TEST(exp_t_at_the_edge)
{
    CHECK_CLOSE(temper_exp_t(-1.428571428571428, 0.3), 1.1098169739555178e-22, 1e-12);
    CHECK(temper_exp_t(-10 / 7.0 - 1e-9, 0.3) == 0 && temper_exp_t(-3, 0.3) == 0);
    for (double x = -1.9; x < -0.4; x += 0.01) { /* the two ways meet */
        CHECK_CLOSE(temper_exp_t(x, 0.4999999999), temper_exp_t(x, 0.5), 1e-6);
        CHECK_CLOSE(temper_exp_t(x, 0), fmax(0, 1 + x), 1e-14);
    }
}

TEST(products_beyond_the_double_range)
{
    const double a[2] = {0, -1e308};
    CHECK_CLOSE(temper_exp_t(-1e308, 60), 5.618838843500344e-06, 1e-12);
    CHECK_CLOSE(temper_log_partition_bisection(a, 2, 60, NULL), temper_log_partition(a, 2, 60), 1e-9);
    const double far[2] = {1.5e308, -1.5e308};
    CHECK_CLOSE(temper_log_partition_bisection(far, 2, 60, NULL), 1.5e308, 1e-15);
    CHECK(isnan(temper_log_partition_algorithm1(far, 2, 60, 1e-10, 100, NULL)));
    const temper_loss_spec hinge = {.method = TEMPER_HINGE, .smoothing = 1e300};
    CHECK_CLOSE(temper_margin_loss_of_spec(hinge, -1e200, NULL, NULL), 5e99, 1e-12);
}

/* The gradient at high temperatures is what the escort says. */
TEST(hot_gradients)
{
    double a[10], gradient[10], q[10];
    for (int c = 0; c < 10; c++)
        a[c] = 1e-3 * c;
    for (double t = 1e2; t < 1e300; t *= 1e14) {
        temper_loss(a, 10, 3, t, t, gradient); /* t1 = t2: importance 1 */
        temper_log_partition_gradient(a, 10, t, q);
        for (int c = 0; c < 10; c++)
            CHECK_NEAR(gradient[c], q[c] - (c == 3), 1e-12);
    }
}

TEST(gradients_of_far_activations)
{
    const double far[3] = {0, 1e308, -1e308};
    double gradient[3];
    for (double t1 = 0; t1 < 6; t1++)
        for (size_t label = 0; label < 3; label++) {
            double loss = temper_loss(far, 3, label, t1, 1, gradient);
            CHECKF(!isnan(loss) && !isnan(gradient[0]) && !isnan(gradient[1]) && !isnan(gradient[2]),
                   "t1 = %g, label %zu", t1, label);
        }
    for (double t1 = 1e100; t1 < 1e308; t1 *= 1e50) { /* products with t1 beyond any range */
        const temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = t1, .t2 = 1};
        double hessian[9];
        for (size_t label = 0; label < 3; label++) {
            temper_loss_of_spec(loss, far, 3, label, gradient, hessian);
            for (int i = 0; i < 9; i++)
                CHECKF(!isnan(hessian[i]) && !isnan(gradient[i / 3]), "t1 = %g, label %zu", t1, label);
        }
    }
    temper_loss((const double[]){-1e308, 1e308}, 2, 0, 1, 1, gradient);
    CHECK(gradient[0] == -1 && gradient[1] == 1);
}

TEST(infinite_margins_have_limits)
{
    double slope, curvature;
    temper_margin_loss(-INFINITY, 1, 1, &slope, &curvature);
    CHECK(slope == -1 && curvature == 0);
    temper_margin_loss(-INFINITY, 0.3, 1, &slope, &curvature);
    CHECK(slope == 0 && curvature == 0);
    temper_margin_loss(-INFINITY, 1.6, 1, &slope, &curvature);
    CHECK(slope == -INFINITY && curvature == INFINITY);
}

TEST(no_hessian_without_a_gradient)
{
    const temper_loss_spec loss = {.method = TEMPER_LOGISTIC};
    const double a[2] = {1, 2};
    double hessian[4] = {0};
    CHECK(isnan(temper_loss_of_spec(loss, a, 2, 0, NULL, hessian)) && isnan(hessian[3]));
}

/* Polynomials of what is infinite are no polynomials. */
TEST(tables_without_numbers_are_not_used)
{
    static struct margin_table table;
    margin_table_build(&table, 1e6, 2);
    CHECK(table.form == MARGIN_EXACT);
    margin_table_build(&table, NAN, 2);
    CHECK(table.form == MARGIN_EXACT);
}

TEST_LIST(LISTED(two_classes_at_the_edge), LISTED(many_classes_at_the_edge), LISTED(exp_t_at_the_edge),
          LISTED(products_beyond_the_double_range), LISTED(hot_gradients), LISTED(gradients_of_far_activations),
          LISTED(infinite_margins_have_limits), LISTED(no_hessian_without_a_gradient),
          LISTED(tables_without_numbers_are_not_used))
