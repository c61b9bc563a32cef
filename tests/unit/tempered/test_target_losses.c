/* Losses of labels that are distributions: hard labels are a special case, gradients are derivatives, losses of the
 * own probabilities are 0. Against many digits: python/tests/test_torch.py. */
#include "tempered/target_losses.h"

#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { CLASSES = 5 };

static const double pairs[][2] = {{0.8, 1.2}, {0.3, 1},   {1, 1},     {0.8, 2}, {1, 1.5},  {0, 1.3},
                                  {0.2, 0.5}, {1.2, 1.7}, {0.5, 0.5}, {0, 0.7}, {1.5, 1.5}};
enum { PAIRS = sizeof pairs / sizeof *pairs };
static const temper_method methods[] = {TEMPER_TEMPERED, TEMPER_BREGMAN};

static temper_loss_spec spec_of(size_t method, size_t pair)
{
    return (temper_loss_spec){.method = methods[method], .t1 = pairs[pair][0], .t2 = pairs[pair][1]};
}

TEST(a_hard_label_is_the_loss_of_that_class)
{
    struct draw draw = draw_from(70);
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < PAIRS; k++)
            for (size_t label = 0; label < CLASSES; label++) {
                const temper_loss_spec spec = spec_of(m, k);
                double a[CLASSES], y[CLASSES] = {0}, g[CLASSES], exact[CLASSES];
                draw_normals(&draw, a, CLASSES, 2);
                y[label] = 1;
                double loss = target_loss(spec, a, CLASSES, y, g);
                double hard = temper_loss_of_spec(spec, a, CLASSES, label, exact, NULL);
                CHECK_NEAR(loss, hard, 1e-14 * (1 + hard));
                for (size_t c = 0; c < CLASSES; c++)
                    CHECK_NEAR(g[c], exact[c], 1e-13 * (1 + largest_size(exact, CLASSES)));
            }
}

/* A loss as a function of one activation. */
struct along {
    temper_loss_spec spec;
    double a[CLASSES], y[CLASSES];
    size_t c;
};

static double loss_along(double x, void *context)
{
    struct along along = *(struct along *)context;
    along.a[along.c] = x;
    return target_loss(along.spec, along.a, CLASSES, along.y, NULL);
}

TEST(gradients_are_derivatives)
{
    struct draw draw = draw_from(71);
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < PAIRS; k++) {
            struct along along = {.spec = spec_of(m, k)};
            double g[CLASSES];
            /* all classes within the support, where the loss is smooth */
            draw_normals(&draw, along.a, CLASSES, along.spec.t2 < 1 ? 0.1 : 1.5);
            draw_probabilities(&draw, along.y, CLASSES);
            along.y[3] += along.y[2];
            along.y[2] = 0;
            target_loss(along.spec, along.a, CLASSES, along.y, g);
            for (along.c = 0; along.c < CLASSES; along.c++)
                CHECK_NEAR(g[along.c], derivative(loss_along, &along, along.a[along.c], 0.02), 1e-9);
        }
}

TEST(the_own_probabilities_have_no_loss)
{
    struct draw draw = draw_from(72);
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < PAIRS; k++) {
            double a[CLASSES], p[CLASSES], g[CLASSES];
            draw_normals(&draw, a, CLASSES, 1);
            temper_probabilities(a, CLASSES, pairs[k][1], p);
            CHECK_NEAR(target_loss(spec_of(m, k), a, CLASSES, p, g), 0, 1e-14);
            /* The two-temperature loss is least where the escort of order t1 of p is the label, the other at p. */
            for (size_t c = 0; c < CLASSES && m == 1; c++)
                CHECK_NEAR(g[c], 0, 1e-14);
        }
}

/* One class certain, labels elsewhere; and no family at all. */
TEST(infinite_activations)
{
    const double a[3] = {INFINITY, 0, -INFINITY}, y[3] = {0.5, 0.25, 0.25}, both[3] = {INFINITY, INFINITY, 0};
    double g[3];
    const temper_loss_spec bounded = {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.5};
    const temper_loss_spec bregman = {.method = TEMPER_BREGMAN, .t1 = 0.5, .t2 = 1.5};
    /* sqrt(p / y) is sqrt(2), 0, 0 */
    CHECK_NEAR(target_loss(bounded, a, 3, y, g), 2 - 2 * 0.5 * sqrt(2), 1e-15);
    CHECK(isfinite(target_loss(bregman, a, 3, y, g)) && isfinite(g[0]) && isfinite(g[1]) && isfinite(g[2]));
    CHECK(isnan(target_loss(bounded, both, 3, y, g)) && isnan(g[0]));
    CHECK(isnan(target_loss(bregman, both, 3, y, NULL)));
}

TEST_LIST(LISTED(a_hard_label_is_the_loss_of_that_class), LISTED(gradients_are_derivatives),
          LISTED(the_own_probabilities_have_no_loss), LISTED(infinite_activations))
