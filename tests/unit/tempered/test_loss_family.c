/* The facts about the losses that training, tuning and reports rely on, and the map of (t1, t2):
 * convex, quasi-convex, bounded, trainable, and the inflection of the loss (remark 1 of the paper,
 * as corrected). Each statement is checked against values and derivatives of the loss itself. */
#include <math.h>
#include <string.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"
#include "tempered/loss_family.h"

/* ---- Which loss it is ------------------------------------------------------------------------ */

static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                              hinge = {.method = TEMPER_HINGE, .t1 = 0.5, .t2 = 1, .smoothing = 0.1};

static temper_loss_spec tempered_at(double t1, double t2)
{
    return (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2};
}

static temper_loss_spec bregman_at(double t1, double t2)
{
    return (temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = t1, .t2 = t2};
}

static temper_loss_spec sce_at(double alpha, double beta)
{
    return (temper_loss_spec){.method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = alpha, .beta = beta, .log_zero = -4};
}

/* A method that was added to the list and to nothing else must not be taken for one of the paper's. */
TEST(a_method_beyond_the_list_is_of_no_kind)
{
    const temper_loss_spec none = {.method = (temper_method)TEMPER_METHODS, .t1 = 1, .t2 = 1};
    CHECK(!loss_is_two_temperature(none) && !loss_has_temperatures(none) && !loss_is_convex(none));
    CHECK(!loss_has_probabilities(none) && loss_escort_order(none) == 0 &&
          !method_has_free_temperature(none.method, 0));
    CHECK_EQ_TEXT(method_name(none.method), "?");
    CHECK(method_parameter(none.method, 0) == NULL);
}

TEST(all_but_the_hinge_have_temperatures)
{
    CHECK(loss_has_temperatures(logistic) && loss_has_temperatures(tempered_at(0.3, 1)));
    CHECK(loss_has_temperatures(bregman_at(0.8, 1.2)) && !loss_has_temperatures(hinge));
}

TEST(two_temperature_losses_are_those_of_the_paper)
{
    static const temper_method methods[] = {TEMPER_TEMPERED, TEMPER_LOGISTIC, TEMPER_T_LOGISTIC, TEMPER_GCE};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        CHECK(loss_is_two_temperature((temper_loss_spec){.method = methods[i], .t1 = 1, .t2 = 1}));
    CHECK(!loss_is_two_temperature(hinge) && !loss_is_two_temperature(bregman_at(1, 1)));
    CHECK(!loss_is_two_temperature(sce_at(0.1, 1)));
    CHECK(loss_is_two_temperature_at(logistic, 1, 1) && loss_is_two_temperature_at(tempered_at(0.3, 1), 0.3, 1));
    CHECK(!loss_is_two_temperature_at(tempered_at(0.3, 1), 0.3, 1.1));
    CHECK(!loss_is_two_temperature_at(bregman_at(1, 1), 1, 1) && !loss_is_two_temperature_at(hinge, 0.5, 1));
}

/* A grid drops a candidate that is the same function as another; a cached value is valid for the
 * same specification only. */
TEST(same_function_and_same_specification_differ)
{
    temper_loss_spec other = hinge, cold = hinge;
    other.t1 = 7; /* no parameter of the hinge */
    cold.smoothing = 0;
    CHECK(loss_same_function(logistic, tempered_at(1, 1)) && !loss_same_spec(logistic, tempered_at(1, 1)));
    CHECK(loss_same_function(hinge, other) && !loss_same_spec(hinge, other));
    CHECK(!loss_same_function(hinge, cold) && !loss_same_spec(hinge, cold));
    CHECK(!loss_same_function(bregman_at(1, 1), tempered_at(1, 1)));
    CHECK(!loss_same_function(tempered_at(0.3, 1), tempered_at(0.4, 1)));
    CHECK(loss_same_spec(hinge, hinge) && loss_same_spec(bregman_at(0.8, 1.2), bregman_at(0.8, 1.2)));
}

TEST(two_classes_have_one_weight_vector)
{
    CHECK_EQ_SIZE(weight_vectors(2), 1);
    CHECK_EQ_SIZE(weight_vectors(3), 3);
    CHECK_EQ_SIZE(weight_vectors(1000), 1000);
}

/* ---- Convexity of any loss ------------------------------------------------------------------- */

/* Does the value at some midpoint exceed the mean of the ends? Three classes, random segments. */
static bool exceeds_a_chord(temper_loss_spec loss)
{
    struct draw draw = draw_from(72);
    for (int k = 0; k < 4000; k++) {
        double from[3], to[3], middle[3];
        draw_normals(&draw, from, 3, k % 2 ? 2 : 10);
        draw_normals(&draw, to, 3, k % 2 ? 2 : 10);
        for (size_t c = 0; c < 3; c++)
            middle[c] = (from[c] + to[c]) / 2;
        double ends = (any_loss(loss, from, 3, 0, NULL, NULL) + any_loss(loss, to, 3, 0, NULL, NULL)) / 2;
        if (any_loss(loss, middle, 3, 0, NULL, NULL) > ends * (1 + 1e-12) + 1e-12)
            return true;
    }
    return false;
}

TEST(the_hinge_is_convex)
{
    temper_loss_spec sharp = hinge;
    sharp.smoothing = 0;
    CHECK(loss_is_convex(hinge) && !exceeds_a_chord(hinge));
    CHECK(loss_is_convex(sharp) && !exceeds_a_chord(sharp));
}

TEST(convex_two_temperature_losses)
{
    for (double t1 = 0; t1 <= 2; t1 += 0.25)
        for (double t2 = 0; t2 <= 2; t2 += 0.25)
            if (loss_shape(t1, t2).smooth)
                CHECKF(loss_is_convex(tempered_at(t1, t2)) == !exceeds_a_chord(tempered_at(t1, t2)), "(%g, %g)", t1,
                       t2);
}

TEST(the_bregman_loss_is_convex_as_a_matching_loss)
{
    for (double t = 1; t < 2; t += 0.25)
        CHECKF(loss_is_convex(bregman_at(t, t)) && !exceeds_a_chord(bregman_at(t, t)), "t = %g", t);
    CHECK(!loss_is_convex(bregman_at(0.8, 1.2)) && exceeds_a_chord(bregman_at(0.8, 1.2)));
    CHECK(!loss_is_convex(bregman_at(0.5, 0.5)) && exceeds_a_chord(bregman_at(0.5, 0.5)));
}

/* Just where the weight of the cross-entropy reaches the bound of the reverse one. */
TEST(the_symmetric_cross_entropy_is_convex_for_large_alpha)
{
    CHECK(loss_is_convex(sce_at(4, 1)) && !exceeds_a_chord(sce_at(4, 1)));
    CHECK(!loss_is_convex(sce_at(3.5, 1)) && exceeds_a_chord(sce_at(3.5, 1)));
    CHECK(!loss_is_convex(sce_at(0.1, 1)) && loss_needs_second_start(sce_at(0.1, 1)));
    CHECK(!loss_needs_second_start(sce_at(4, 1)) && loss_gap(sce_at(4, 1)) == 0);
    CHECK_CLOSE(loss_gap(sce_at(1, 1)), 0.75, 1e-15);
    /* bounded without the cross-entropy only */
    CHECK(loss_bound(sce_at(0.1, 1)) == INFINITY && loss_bound(sce_at(0, 0.5)) == 2);
    CHECK_CLOSE(any_margin_loss(sce_at(0, 0.5), -800).value, 2, 1e-15);
}

TEST(the_symmetric_cross_entropy_has_one_inflection)
{
    for (double alpha = 0; alpha < 4; alpha += 0.5) {
        double at = loss_inflection(sce_at(alpha, 1));
        CHECKF(any_margin_loss(sce_at(alpha, 1), at - 0.01).curvature < 0, "alpha = %g", alpha);
        CHECKF(any_margin_loss(sce_at(alpha, 1), at + 0.01).curvature > 0, "alpha = %g", alpha);
    }
    CHECK(loss_inflection(sce_at(4, 1)) == -INFINITY);
}

/* Names with parameters, and back; temperatures only where the method leaves them free. */
TEST(losses_are_read_and_written_as_text)
{
    char text[TEMPER_LOSS_TEXT];
    temper_loss_spec loss = tempered_at(0.7, 1.3);
    CHECK(loss_parse("sce", 3, true, &loss) && loss.method == TEMPER_SCE && loss.t1 == 0.7);
    CHECK(loss.alpha == 0.1 && loss.beta == 1 && loss.log_zero == -4);
    CHECK(loss_parse("sce:0.5:2:-6", 12, true, &loss) && loss.alpha == 0.5 && loss.beta == 2 && loss.log_zero == -6);
    loss_format(loss, text);
    CHECK_EQ_TEXT(text, "sce:0.5:2:-6");
    loss_format(sce_at(0.1, 1), text);
    CHECK_EQ_TEXT(text, "sce");
    CHECK(temper_loss_parse("tempered:0.2:1.5", &loss) && loss.t1 == 0.2 && loss.t2 == 1.5);
    CHECK(temper_loss_parse("t-logistic:1.7", &loss) && loss.t1 == 0.2 && loss.t2 == 1.7);
    CHECK(temper_loss_parse("hinge:0.25", &loss) && loss.smoothing == 0.25);
    loss_format(loss, text);
    CHECK_EQ_TEXT(text, "hinge:0.25");
}

TEST(texts_that_are_no_loss_are_refused)
{
    static const char *const bad[] = {"",
                                      "sc",
                                      "sce:",
                                      "sce:1",
                                      "sce:1:1",
                                      "sce:1:1:4",
                                      "sce:-1:1:-4",
                                      "sce:1:1:-4:1",
                                      "sce:a:1:-4",
                                      "logistic:1",
                                      "gce:0.5:1",
                                      "hinge:-1",
                                      "gce:nan",
                                      "gce:inf",
                                      "sce ",
                                      "tempered:0.5",
                                      "sce:1:1:1e999"};
    temper_loss_spec loss = hinge;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECKF(!temper_loss_parse(bad[i], &loss) && loss_same_spec(loss, hinge), "%s", bad[i]);
    CHECK(!loss_parse("gce:0.5", 7, true, &loss) && loss_parse("gce:0.5", 7, false, &loss));
}

/* The other questions of training, which are not convexity. */
TEST(questions_that_are_not_convexity)
{
    /* constant outside the support, hence not convex, but no Hessian inside is indefinite */
    CHECK(loss_is_convex_in_support(tempered_at(0.5, 0.5)) && !loss_is_convex(tempered_at(0.5, 0.5)));
    CHECK(loss_is_convex_in_support(logistic) && !loss_is_convex_in_support(tempered_at(0.3, 1)));
    CHECK(!loss_is_convex_in_support(sce_at(4, 1)) && !loss_is_convex_in_support(bregman_at(1, 1)));
    CHECK(loss_has_convex_settings(logistic) && loss_has_convex_settings(tempered_at(1.5, 1)));
    CHECK(!loss_has_convex_settings(hinge) && !loss_has_convex_settings(bregman_at(1, 1)));
    CHECK(!loss_has_convex_settings(tempered_at(0.3, 1)));
    CHECK(!loss_needs_second_start(hinge) && !loss_needs_second_start(logistic));
    CHECK(!loss_needs_second_start(bregman_at(1.2, 1.1)) && loss_needs_second_start(bregman_at(0.8, 1.2)));
    CHECK(loss_needs_second_start(tempered_at(0.3, 1)) && loss_needs_second_start(tempered_at(0.5, 0.5)));
}

/* ---- The map of temperatures ----------------------------------------------------------------- */

/* Calls check at every legal pair of a grid that has 1 in it. */
static void over_the_map(void (*check)(double t1, double t2, const temper_loss_properties *shape))
{
    for (double t1 = 0; t1 <= 3; t1 += 0.25)
        for (double t2 = 0; t2 <= 3; t2 += 0.25) {
            temper_loss_properties shape = temper_loss_shape(t1, t2);
            check(t1, t2, &shape);
        }
}

static double edge_of(double t2)
{
    return t2 < 1 ? 1 / (1 - t2) : INFINITY;
}

/* ---- Two classes ----------------------------------------------------------------------------------- */

/* The smallest curvature at margins within the support. */
static double least_curvature(double t1, double t2)
{
    double least = INFINITY, curvature;
    for (double m = -40; m <= 40; m += 0.125)
        if (fabs(m) < edge_of(t2)) {
            temper_margin_loss(m, t1, t2, NULL, &curvature);
            least = fmin(least, curvature);
        }
    return least;
}

/* Is some value above the chord between two others? No convex function does that. */
static bool leaves_its_chords(double t1, double t2)
{
    for (double m = -40; m <= 40; m += 0.5)
        for (double h = 0.125; h < 40; h *= 2) {
            double left = temper_margin_loss(m - h, t1, t2, NULL, NULL);
            double right = temper_margin_loss(m + h, t1, t2, NULL, NULL);
            double middle = temper_margin_loss(m, t1, t2, NULL, NULL);
            if (middle > (left + right) / 2 * (1 + 1e-9))
                return true;
        }
    return false;
}

/* The sign of the curvature within the support is that of t1 - t2, and convexity needs a second
 * thing: that the loss is not capped at the edge. */
static void check_two_classes(double t1, double t2, const temper_loss_properties *shape)
{
    double least = least_curvature(t1, t2);
    CHECKF(t1 >= t2 ? least >= 0 : least < -1e-9, "(%g, %g): least curvature %g", t1, t2, least);
    bool convex = shape->convex || shape->extended;
    CHECKF(convex == !leaves_its_chords(t1, t2), "(%g, %g): convex %d, extended %d", t1, t2, shape->convex,
           shape->extended);
    double beyond = temper_margin_loss(-1.01 * edge_of(t2), t1, t2, NULL, NULL);
    CHECKF(!shape->extended || beyond == INFINITY, "(%g, %g): %g beyond the edge", t1, t2, beyond);
    CHECK(!(shape->convex && shape->extended));
}

TEST(convexity_of_two_classes)
{
    over_the_map(check_two_classes);
}

/* ---- Three classes --------------------------------------------------------------------------------- */

/* Smallest and largest eigenvalue that the Hessian reaches, within the support. */
static double least_eigenvalue(double t1, double t2, double *size)
{
    struct draw draw = draw_from(70);
    double least = INFINITY;
    temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2};
    *size = 0;
    for (int k = 0; k < 60; k++) {
        double a[3], g[3], h[9];
        draw_normals(&draw, a, 3, t2 < 1 ? 0.5 : 3);
        if (isinf(temper_loss_of_spec(loss, a, 3, 0, g, h)))
            continue;
        *size = fmax(*size, largest_size(h, 9));
        least = fmin(least, smallest_eigenvalue(h, 3));
    }
    return least;
}

static void check_three_classes(double t1, double t2, const temper_loss_properties *shape)
{
    double size, least = least_eigenvalue(t1, t2, &size);
    CHECKF(t1 >= t2 ? least >= -1e-13 * size : least < -1e-4 * size, "(%g, %g), convex %d: least eigenvalue %g of %g",
           t1, t2, shape->convex, least, size);
}

TEST(convexity_of_three_classes)
{
    over_the_map(check_three_classes);
}

/* Everywhere: on a segment the loss is nowhere above the larger of its ends. */
static void check_quasi_convex(double t1, double t2, const temper_loss_properties *shape)
{
    struct draw draw = draw_from(71);
    CHECK(shape->quasi_convex);
    for (int k = 0; k < 40; k++) {
        double from[4], to[4], middle[4], weight = draw_uniform(&draw, 0, 1);
        double scale = draw_scale(&draw, 0.1, 10);
        draw_normals(&draw, from, 4, scale);
        draw_normals(&draw, to, 4, scale);
        for (size_t c = 0; c < 4; c++)
            middle[c] = weight * from[c] + (1 - weight) * to[c];
        double ends = fmax(temper_loss(from, 4, 0, t1, t2, NULL), temper_loss(to, 4, 0, t1, t2, NULL));
        CHECKF(temper_loss(middle, 4, 0, t1, t2, NULL) <= ends * (1 + 1e-14), "(%g, %g)", t1, t2);
    }
}

TEST(quasi_convex_everywhere)
{
    over_the_map(check_quasi_convex);
}

/* ---- Bounds and slopes ----------------------------------------------------------------------------- */

static void check_bound(double t1, double t2, const temper_loss_properties *shape)
{
    double far = temper_margin_loss(-1e200, t1, t2, NULL, NULL);
    CHECK(shape->bounded == (t1 < 1));
    if (shape->bounded) {
        CHECK_CLOSE(shape->bound, 1 / (1 - t1), 0);
        CHECKF(far <= shape->bound && far > shape->bound * (1 - 1e-12), "(%g, %g): %g of %g", t1, t2, far,
               shape->bound);
    } else {
        CHECK(shape->bound == INFINITY && far > 100);
    }
}

TEST(bounded_for_t1_below_1)
{
    over_the_map(check_bound);
}

/* Training is refused where the slope, or the loss itself, is not finite everywhere: at the edge of
 * support p^(t2-t1) has to stay. */
static void check_smooth(double t1, double t2, const temper_loss_properties *shape)
{
    double near = 0, nearer = 0, value = 0;
    CHECK(shape->smooth == !(t2 < 1 && t1 > t2));
    if (t2 < 1) {
        value = temper_margin_loss(-edge_of(t2) + 1e-9, t1, t2, &nearer, NULL);
        temper_margin_loss(-edge_of(t2) + 1e-3, t1, t2, &near, NULL);
    } else {
        value = temper_margin_loss(-100, t1, t2, &nearer, NULL);
        temper_margin_loss(-1, t1, t2, &near, NULL);
    }
    if (shape->smooth)
        CHECKF(isfinite(value) && (t2 >= 1 || fabs(nearer) <= 1), "(%g, %g): slope %g", t1, t2, nearer);
    else
        CHECKF(fabs(nearer) > 5 * fabs(near), "(%g, %g): slope %g, then %g", t1, t2, near, nearer);
}

TEST(trainable_where_the_slope_stays_finite)
{
    over_the_map(check_smooth);
}

/* The slope is at most the importance factor, hence at most 1 for t1 <= t2. */
static void check_slope(double t1, double t2, const temper_loss_properties *shape)
{
    double slope;
    CHECK(shape->smooth || t1 > t2);
    for (double m = -30; m <= 30; m += 0.25) {
        temper_margin_loss(m, t1, t2, &slope, NULL);
        CHECK(slope <= 0 && (t1 > t2 || slope >= -1));
    }
}

TEST(slope_is_at_most_1_for_t1_up_to_t2)
{
    over_the_map(check_slope);
}

/* ---- The inflection -------------------------------------------------------------------------------- */

static double curvature_at(double m, double t1, double t2)
{
    double curvature;
    temper_margin_loss(m, t1, t2, NULL, &curvature);
    return curvature;
}

static void check_inflection(double t1, double t2, const temper_loss_properties *shape)
{
    double inflection = temper_inflection_margin(t1, t2);
    CHECK(shape->inflection == inflection);
    if (t1 >= t2) {
        CHECK(inflection == -INFINITY);
        return;
    }
    CHECKF(inflection <= 0 && inflection > -edge_of(t2), "(%g, %g): %g", t1, t2, inflection);
    double h = 1e-7 * (1 + fabs(inflection));
    CHECKF(curvature_at(inflection - h, t1, t2) < 0 && curvature_at(inflection + h, t1, t2) > 0,
           "(%g, %g): curvature %g before %g, %g after", t1, t2, curvature_at(inflection - h, t1, t2), inflection,
           curvature_at(inflection + h, t1, t2));
    for (double m = 0.01; m < 30; m *= 1.3)
        CHECK(curvature_at(inflection - m, t1, t2) <= 0 && curvature_at(inflection + m, t1, t2) >= 0);
    /* the equation of appendix B, lambda = (1-p)/p */
    double p = temper_margin_probability(inflection, t2), lambda = (1 - p) / p;
    CHECK_CLOSE(t2 * (1 + 1 / lambda), (t2 - t1) * (1 + pow(lambda, t2)), 1e-11);
}

TEST(curvature_changes_sign_at_the_inflection)
{
    over_the_map(check_inflection);
}

TEST(inflection_at_the_rim)
{
    for (double t2 = 0.25; t2 < 5; t2 += 0.25)
        CHECK(temper_inflection_margin(0, t2) == 0); /* 1 - p has its inflection at p = 1/2 */
    CHECK(temper_inflection_margin(0, 1e300) == 0);
    /* t2 = 1: 1 + 1/L = (1 - t1)(1 + L), so L = 1/(1 - t1), m = -log L */
    for (double t1 = 0.125; t1 < 1; t1 += 0.125)
        CHECK_CLOSE(temper_inflection_margin(t1, 1), log(1 - t1), 1e-13);
    CHECK_CLOSE(temper_inflection_margin(1 - 0x1p-50, 1), log(0x1p-50), 1e-13);
    CHECK(temper_inflection_margin(0.5, 1e4) == -INFINITY); /* beyond the double range */
    CHECK(temper_inflection_margin(0.1, 1e-3) == -INFINITY);
    CHECK(temper_inflection_margin(1e-3, 0.1) > -1 / 0.9);
    CHECK(isnan(temper_inflection_margin(-1, 1)) && isnan(temper_inflection_margin(1, NAN)));
}

TEST(illegal_temperatures_have_no_shape)
{
    static const double illegal[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++)
        for (int second = 0; second < 2; second++) {
            temper_loss_properties shape = second ? temper_loss_shape(1, illegal[i]) : temper_loss_shape(illegal[i], 1);
            CHECK(!shape.convex && !shape.extended && !shape.quasi_convex && !shape.bounded);
            CHECK(!shape.smooth && isnan(shape.bound) && isnan(shape.inflection));
        }
}

TEST_LIST(LISTED(a_method_beyond_the_list_is_of_no_kind), LISTED(the_symmetric_cross_entropy_is_convex_for_large_alpha),
          LISTED(the_symmetric_cross_entropy_has_one_inflection), LISTED(losses_are_read_and_written_as_text),
          LISTED(texts_that_are_no_loss_are_refused), LISTED(all_but_the_hinge_have_temperatures),
          LISTED(two_temperature_losses_are_those_of_the_paper), LISTED(same_function_and_same_specification_differ),
          LISTED(two_classes_have_one_weight_vector), LISTED(the_hinge_is_convex),
          LISTED(convex_two_temperature_losses), LISTED(the_bregman_loss_is_convex_as_a_matching_loss),
          LISTED(questions_that_are_not_convexity), LISTED(convexity_of_two_classes),
          LISTED(convexity_of_three_classes), LISTED(quasi_convex_everywhere), LISTED(bounded_for_t1_below_1),
          LISTED(trainable_where_the_slope_stays_finite), LISTED(slope_is_at_most_1_for_t1_up_to_t2),
          LISTED(curvature_changes_sign_at_the_inflection), LISTED(inflection_at_the_rim),
          LISTED(illegal_temperatures_have_no_shape))
