/* Arguments that training never gives: each has a defined answer, NaN where there is none. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fixtures/test.h"
#include "tempered/loss_family.h"
#include "tempered/losses.h"
#include "tempered/paper_solvers.h"
#include "tempered/sparse_pair.h"
#include "tempered/target_losses.h"
#include "tempered/tempered_functions.h"

TEST(a_smoothing_that_is_none_has_no_loss)
{
    static const double wrong[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        struct margin_loss hinge = hinge_margin_loss(0.5, wrong[i]);
        CHECK(isnan(hinge.value) && isnan(hinge.slope) && isnan(hinge.curvature));
    }
    CHECK(isnan(hinge_margin_loss(NAN, 0.5).value));
    CHECK_CLOSE(hinge_margin_loss(0.5, 0.5).value, 0.25, 1e-15);
}

/* Three classes, of which one is infinitely better: the loss is infinite, and has no shared gradient. */
TEST(a_hinge_without_bounds)
{
    const double a[3] = {0, INFINITY, 1};
    const temper_loss_spec loss = {.method = TEMPER_HINGE, .smoothing = 0.5};
    double gradient[3] = {9, 9, 9};
    CHECK(hinge_loss(loss, a, 3, 0, gradient, NULL) == INFINITY);
    CHECK(gradient[0] == -1 && gradient[1] == 1 && gradient[2] == 0);
}

/* The label has a probability of 1.1e-310, so that its slope of about -1/p is beyond the double range: the other
 * entries are infinite by their shares of it, and none is NaN. With a probability of 1e-305 all are finite. */
TEST(a_bregman_gradient_beyond_the_double_range)
{
    const temper_loss_spec loss = {.method = TEMPER_BREGMAN, .t1 = 0.99999998766725184, .t2 = 5.5479947914917839e-310};
    const double a[3] = {1, 0, 0}, closer[3] = {1, 1e-305, 0};
    double gradient[3];
    CHECK(isfinite(bregman_loss(loss, a, 3, 2, gradient, NULL)));
    CHECK(gradient[0] == INFINITY && gradient[1] == INFINITY && gradient[2] == -INFINITY);
    CHECK(isfinite(bregman_loss(loss, closer, 3, 1, gradient, NULL)));
    CHECK(isfinite(gradient[0]) && isfinite(gradient[1]) && isfinite(gradient[2]));
    CHECK(gradient[1] < -1e300 && gradient[0] > 0 && gradient[2] >= 0);
}

TEST(names_that_are_too_long)
{
    char name[300];
    temper_loss_spec loss = {.method = TEMPER_GCE, .t1 = 0.5}, before = loss;
    memset(name, 'x', sizeof name);
    CHECK(!loss_parse(name, sizeof name, false, &loss));
    CHECK(memcmp(&loss, &before, sizeof loss) == 0);
    CHECK(loss_parse("logistic", 8, false, &loss) && loss.method == TEMPER_LOGISTIC);
}

/* Methods beyond the list are of no kind; temperatures that are no numbers are difficult. */
TEST(facts_of_methods_that_are_none)
{
    const temper_loss_spec none = {.method = (temper_method)TEMPER_METHODS, .t1 = 1, .t2 = 1};
    const temper_loss_spec strange = {.method = TEMPER_TEMPERED, .t1 = NAN, .t2 = 1};
    const temper_loss_spec convex = {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1};
    const temper_loss_spec above = {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1.5};
    CHECK(!loss_has_temperatures(none) && !loss_is_two_temperature(none) && !loss_needs_second_start(none));
    CHECK(!method_has_free_temperature((temper_method)TEMPER_METHODS, 0));
    CHECK(!method_has_free_temperature(TEMPER_HINGE, 1) && method_has_free_temperature(TEMPER_TEMPERED, 1));
    CHECK(loss_needs_second_start(strange) && loss_needs_second_start(above) && !loss_needs_second_start(convex));
    CHECK(!loss_takes_targets(none) && loss_takes_targets(convex));
    CHECK(loss_takes_targets((temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = 1.5, .t2 = 1}));
    CHECK(!loss_takes_targets((temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = 2, .t2 = 1}));
    CHECK(!loss_takes_targets((temper_loss_spec){.method = TEMPER_HINGE}));
}

/* Too few updates: the answer is reported as not converged. */
TEST(iterations_may_be_limited)
{
    const double a[3] = {1, -2, 0.5};
    const struct stop_rule one = {.tolerance = 1e-15, .limit = 1};
    struct iterations iterations;
    CHECK(isfinite(algorithm1(a, 3, 1.5, one, &iterations)));
    CHECK(!iterations.converged && iterations.updates == 1);
    CHECK(isfinite(algorithm2(2, 1.5, one, &iterations)));
    CHECK(!iterations.converged && iterations.updates == 1);
}

/* 1 - s margin below the normal numbers: of t = 1e-310 and margin 1 it is t, and the smaller probability half of it. */
TEST(a_probability_below_normal_numbers)
{
    struct sparse_pair pair = sparse_pair_at_margin(1, 1e-310);
    CHECK(pair.log_p == 0);
    CHECK_CLOSE(pair.log_q, log(1e-310) - log(2), 1e-12);
    CHECK(sparse_pair_at_margin(1, 0).log_q == -INFINITY);
}

/* Classes without probability have none in the escort distribution; a NaN makes all of it NaN. */
TEST(escorts_of_odd_distributions)
{
    double q[3];
    escort_t((const double[3]){0.5, 0, 0.5}, 3, 0.5, q);
    CHECK(q[0] == 0.5 && q[1] == 0 && q[2] == 0.5);
    escort_t((const double[3]){0.5, 0, NAN}, 3, 0.5, q);
    CHECK(isnan(q[0]) && isnan(q[1]) && isnan(q[2]));
    escort_t((const double[3]){0.5, 0, 0.5}, 3, -1, q);
    CHECK(isnan(q[0]) && isnan(q[1]));
}

TEST(facts_of_single_methods)
{
    const temper_loss_spec trimmed = {.method = TEMPER_TRIMMED, .t1 = 1, .t2 = 1, .trim = 0.2};
    const temper_loss_spec hinge = {.method = TEMPER_HINGE, .smoothing = 0.5};
    const temper_loss_spec sce = {.method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = 1, .beta = 0, .log_zero = -4};
    const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    CHECK(!loss_needs_second_start(trimmed) && !loss_is_one_run(trimmed) && !loss_is_one_run(hinge));
    CHECK(loss_is_one_run(logistic) && loss_is_one_run(sce));
    CHECK(loss_initial_curvature(hinge) == 0);
    CHECK_CLOSE(loss_initial_curvature(logistic), 0.25, 1e-15);
    CHECK_CLOSE(loss_initial_curvature(sce), 0.25, 1e-12); /* the cross-entropy alone */
    temper_loss_spec other = logistic;
    other.t2 = 1.5;
    CHECK(loss_same_spec(logistic, logistic) && !loss_same_spec(logistic, other) && !loss_same_spec(logistic, hinge));
    other = logistic;
    other.t1 = 0.5;
    CHECK(!loss_same_spec(logistic, other));
    /* A method beyond the list has no loss, by scores or by margins. */
    const double a[2] = {1, 0};
    const temper_loss_spec none = {.method = (temper_method)TEMPER_METHODS, .t1 = 1, .t2 = 1};
    CHECK(isnan(any_loss(none, a, 2, 0, NULL, NULL)) && isnan(any_margin_loss(none, 1).value));
    /* Activations whose difference overflows, below t = 1: the larger one has all of the probability. */
    struct iterations iterations;
    CHECK(bisection((const double[2]){1.5e308, -1.5e308}, 2, 0.5, &iterations) == 1.5e308);
}

TEST_LIST(LISTED(a_smoothing_that_is_none_has_no_loss), LISTED(a_hinge_without_bounds),
          LISTED(a_bregman_gradient_beyond_the_double_range), LISTED(names_that_are_too_long),
          LISTED(facts_of_methods_that_are_none), LISTED(iterations_may_be_limited),
          LISTED(a_probability_below_normal_numbers), LISTED(escorts_of_odd_distributions),
          LISTED(facts_of_single_methods))
