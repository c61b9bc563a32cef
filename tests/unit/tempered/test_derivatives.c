/* Gradients and Hessians of all methods, by the activations and by the margin, held to
 * differences; and what every one of them has to obey. */
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { MOST = 5 };

static const temper_loss_spec losses[] = {
    {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.5},
    {.method = TEMPER_TEMPERED, .t2 = 1},
    {.method = TEMPER_TEMPERED, .t1 = 0.1, .t2 = 1.12},
    {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
    {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1},
    {.method = TEMPER_TEMPERED, .t1 = 2, .t2 = 2},
    {.method = TEMPER_TEMPERED, .t1 = 1.7, .t2 = 1.2},
    {.method = TEMPER_TEMPERED, .t2 = 3},
    {.method = TEMPER_TEMPERED, .t1 = 0.9, .t2 = 5},
    {.method = TEMPER_TEMPERED, .t1 = 0.4, .t2 = 0.4},
    {.method = TEMPER_TEMPERED, .t1 = 0.2, .t2 = 0.7},
    {.method = TEMPER_TEMPERED},
    {.method = TEMPER_TEMPERED, .t1 = 1.3, .t2 = 0.25},
    {.method = TEMPER_LOGISTIC, .t1 = NAN, .t2 = NAN},
    {.method = TEMPER_T_LOGISTIC, .t1 = NAN, .t2 = 1.6},
    {.method = TEMPER_GCE, .t1 = 0.6, .t2 = NAN},
    {.method = TEMPER_BREGMAN, .t1 = 0.5, .t2 = 1.5},
    {.method = TEMPER_BREGMAN, .t2 = 1},
    {.method = TEMPER_BREGMAN, .t1 = 1, .t2 = 1},
    {.method = TEMPER_BREGMAN, .t1 = 1.5, .t2 = 1.2},
    {.method = TEMPER_BREGMAN, .t1 = 0.8, .t2 = 0.7},
    {.method = TEMPER_BREGMAN, .t1 = 0.7, .t2 = 3},
    {.method = TEMPER_HINGE, .t1 = NAN, .t2 = NAN},
    {.method = TEMPER_HINGE, .t1 = NAN, .t2 = NAN, .smoothing = 8},
    {.method = TEMPER_HINGE, .t1 = NAN, .t2 = NAN, .smoothing = 1e-3},
    {.method = TEMPER_SCE, .alpha = 0.1, .beta = 1, .log_zero = -4},
    {.method = TEMPER_SCE, .alpha = 6, .beta = 0.1, .log_zero = -6},
    {.method = TEMPER_SCE, .alpha = 0, .beta = 1, .log_zero = -1},
};
enum { LOSSES = sizeof losses / sizeof *losses };

/* A place to differentiate at, and the coordinate to move. */
struct place {
    temper_loss_spec loss;
    double a[MOST];
    size_t n, label, c;
    size_t row; /* of the gradient */
};

/* Away from kinks: within the support for t2 < 1, off the hinge's corners and ties. */
static void draw_place(struct draw *draw, struct place *place)
{
    double t2 = temper_loss_resolve(place->loss).t2;
    bool hinge = place->loss.method == TEMPER_HINGE;
    for (size_t c = 0; c < place->n; c++) {
        double wobble = draw_uniform(draw, -1, 1);
        place->a[c] = hinge    ? 3 * (double)((c * 2 + place->row) % place->n) + wobble
                      : t2 < 1 ? 0.3 / (double)place->n * wobble
                               : 3 * wobble;
    }
}

static double step_for(const struct place *place)
{
    if (place->loss.method == TEMPER_HINGE)
        return 1e-4;
    return temper_loss_resolve(place->loss).t2 < 1 ? 0.02 : 0.2;
}

static double value_along(double x, void *context)
{
    struct place moved = *(struct place *)context;
    moved.a[moved.c] = x;
    return temper_loss_of_spec(moved.loss, moved.a, moved.n, moved.label, NULL, NULL);
}

static double gradient_along(double x, void *context)
{
    struct place moved = *(struct place *)context;
    double gradient[MOST];
    moved.a[moved.c] = x;
    temper_loss_of_spec(moved.loss, moved.a, moved.n, moved.label, gradient, NULL);
    return gradient[moved.row];
}

/* Every loss, at some places, for every label. */
static void everywhere(void (*check)(struct place *place), uint64_t seed)
{
    struct draw draw = draw_from(seed);
    size_t places = 0, step = test_step(5);
    for (size_t i = 0; i < LOSSES; i++)
        for (size_t n = 2; n <= MOST; n++)
            for (size_t label = 0; label < n; label++) {
                struct place place = {.loss = losses[i], .n = n, .label = label};
                place.row = draw_below(&draw, n);
                draw_place(&draw, &place);
                if (places++ % step == 0)
                    check(&place);
            }
}

static void check_gradient(struct place *place)
{
    double gradient[MOST];
    double value = temper_loss_of_spec(place->loss, place->a, place->n, place->label, gradient, NULL);
    double scale = fabs(value) + largest_size(gradient, place->n);
    for (place->c = 0; place->c < place->n; place->c++) {
        double slope = derivative(value_along, place, place->a[place->c], step_for(place));
        CHECKF(fabs(slope - gradient[place->c]) <= 1e-9 * scale, "%s(%g, %g), n = %zu: gradient %g, difference %g",
               temper_method_name(place->loss.method), place->loss.t1, place->loss.t2, place->n, gradient[place->c],
               slope);
    }
}

TEST(gradients)
{
    everywhere(check_gradient, 40);
}

static void check_hessian(struct place *place)
{
    double gradient[MOST], hessian[MOST * MOST];
    size_t n = place->n;
    temper_loss_of_spec(place->loss, place->a, n, place->label, gradient, hessian);
    double scale = largest_size(hessian, n * n) + largest_size(gradient, n);
    for (place->row = 0; place->row < n; place->row++)
        for (place->c = 0; place->c < n; place->c++) {
            double difference = derivative(gradient_along, place, place->a[place->c], step_for(place));
            double entry = hessian[place->row * n + place->c];
            CHECKF(fabs(difference - entry) <= 1e-9 * scale, "%s(%g, %g), n = %zu: hessian %g, difference %g",
                   temper_method_name(place->loss.method), place->loss.t1, place->loss.t2, n, entry, difference);
        }
}

TEST(hessians)
{
    everywhere(check_hessian, 41);
}

/* A shift of all activations changes nothing: gradients and rows of Hessians sum to 0; and a
 * Hessian is symmetric. To rounding of the largest entry in the row, however small that is. */
static void check_invariance(struct place *place)
{
    double gradient[MOST], hessian[MOST * MOST];
    size_t n = place->n;
    for (double stretch = 1; stretch < 30; stretch *= 5) {
        for (size_t c = 0; c < n; c++)
            place->a[c] *= stretch;
        temper_loss_of_spec(place->loss, place->a, n, place->label, gradient, hessian);
        CHECK_NEAR(sum_of(gradient, n), 0, 1e-14 * largest_size(gradient, n));
        for (size_t j = 0; j < n; j++) {
            CHECKF(fabs(sum_of(hessian + j * n, n)) <= 1e-13 * largest_size(hessian + j * n, n),
                   "%s(%g, %g), row %zu of %zu sums to %g, largest %g", temper_method_name(place->loss.method),
                   place->loss.t1, place->loss.t2, j, n, sum_of(hessian + j * n, n), largest_size(hessian + j * n, n));
            for (size_t k = 0; k < j; k++)
                CHECK(hessian[j * n + k] == hessian[k * n + j]);
        }
    }
}

TEST(shift_invariance_and_symmetry)
{
    everywhere(check_invariance, 42);
}

/* Asking for less gives the same. */
static void check_optional(struct place *place)
{
    double with[MOST], alone[MOST], hessian[MOST * MOST];
    size_t n = place->n;
    double value = temper_loss_of_spec(place->loss, place->a, n, place->label, with, hessian);
    CHECK(value == temper_loss_of_spec(place->loss, place->a, n, place->label, alone, NULL));
    CHECK(value == temper_loss_of_spec(place->loss, place->a, n, place->label, NULL, NULL));
    for (size_t c = 0; c < n; c++)
        CHECK(with[c] == alone[c]);
}

TEST(gradient_and_hessian_are_optional)
{
    everywhere(check_optional, 43);
}

/* ---- By the margin
 * -------------------------------------------------------------------------------- */

static double margin_value(double x, void *context)
{
    return temper_margin_loss_of_spec(*(const temper_loss_spec *)context, x, NULL, NULL);
}

static double margin_slope(double x, void *context)
{
    double slope;
    temper_margin_loss_of_spec(*(const temper_loss_spec *)context, x, &slope, NULL);
    return slope;
}

/* Margins that no edge of support (-+1/(1-t2)) and no corner of the hinge (1, 1 - smoothing) meets
 * within a step. */
static bool smooth_around(const temper_loss_spec *loss, double margin, double step)
{
    double t2 = temper_loss_resolve(*loss).t2;
    if (loss->method == TEMPER_HINGE)
        return fabs(margin - 1) > step && fabs(margin - 1 + loss->smoothing) > step;
    return t2 >= 1 || fabs(fabs(margin) - 1 / (1 - t2)) > 4 * step;
}

TEST(slopes_and_curvatures)
{
    for (size_t i = 0; i < LOSSES; i++)
        for (double m = -9.9; m < 10; m += 0.7) {
            temper_loss_spec loss = losses[i];
            double step = loss.method == TEMPER_HINGE ? 1e-4 : 0.1, slope, curvature;
            if (!smooth_around(&loss, m, step))
                continue;
            double value = temper_margin_loss_of_spec(loss, m, &slope, &curvature);
            double scale = isinf(value) ? 1 : 1e-9 * (fabs(value) + fabs(slope) + fabs(curvature));
            if (isfinite(value))
                CHECK_NEAR(slope, derivative(margin_value, &loss, m, step), scale);
            CHECKF(fabs(curvature - derivative(margin_slope, &loss, m, step)) <= scale,
                   "%s(%g, %g) at %g: curvature %g, difference %g", temper_method_name(loss.method), loss.t1, loss.t2,
                   m, curvature, derivative(margin_slope, &loss, m, step));
        }
}

/* Two classes with activations m/2, -m/2: slope = (g0 - g1)/2, curvature = (1,-1) H (1,-1)'/4. The
 * digits are those of each number itself, also where it is tiny. */
TEST(two_classes_are_the_margin)
{
    for (size_t i = 0; i < LOSSES; i++)
        for (double m = -60; m <= 60; m += 0.625) {
            const double a[2] = {m / 2, -m / 2};
            double g[2], h[4], slope, curvature;
            double value = temper_margin_loss_of_spec(losses[i], m, &slope, &curvature);
            CHECK_CLOSE(temper_loss_of_spec(losses[i], a, 2, 0, g, h), value, 1e-13);
            CHECK_CLOSE((g[0] - g[1]) / 2, slope, 1e-13);
            double along_margin = (h[0] - h[1] - h[2] + h[3]) / 4;
            CHECKF(fabs(along_margin - curvature) <= 1e-12 * fabs(curvature) + 1e-15 * fabs(slope),
                   "%s(%g, %g) at %g: %g, not %g", temper_method_name(losses[i].method), losses[i].t1, losses[i].t2, m,
                   along_margin, curvature);
            CHECK_CLOSE(temper_loss_of_spec(losses[i], a, 2, 1, NULL, NULL),
                        temper_margin_loss_of_spec(losses[i], -m, NULL, NULL), 1e-13);
        }
}

TEST_LIST(LISTED(gradients), LISTED(hessians), LISTED(shift_invariance_and_symmetry),
          LISTED(gradient_and_hessian_are_optional), LISTED(slopes_and_curvatures), LISTED(two_classes_are_the_margin))
