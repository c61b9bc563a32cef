/* Where digits end: the edge of support, the end of the double range, temperatures beyond reason.
 * Reference values by 60-digit arithmetic. */
#include <math.h>

#include "fixtures/test.h"
#include "kernel/loss/margin.h"
#include "temper_extra.h"

/* A class that is only just within the support: its p hangs on the last digits of lambda. */
TEST(two_classes_at_the_edge)
{
    static const double cases[][3] = {
        {-1.0101010089542657, 0.01, 5.0941378348599690e-10},
        {-1.1111111033262102, 0.1, 7.7426368924073380e-10},
        {-1.4285708591272135, 0.3, 7.1968567304693190e-10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double a[2] = {0, cases[i][0]};
        double p[2];
        temper_probabilities(a, 2, cases[i][1], p);
        CHECK_CLOSE(p[1], cases[i][2], 1e-9);
        /* the third opinion works in doubles alone: half of its digits */
        CHECK_CLOSE(temper_log_partition_bisection(a, 2, cases[i][1], NULL), temper_log_partition(a, 2, cases[i][1]),
                    1e-6);
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

TEST_LIST(LISTED(two_classes_at_the_edge), LISTED(exp_t_at_the_edge), LISTED(products_beyond_the_double_range),
          LISTED(hot_gradients), LISTED(gradients_of_far_activations), LISTED(infinite_margins_have_limits),
          LISTED(no_hessian_without_a_gradient), LISTED(tables_without_numbers_are_not_used))
