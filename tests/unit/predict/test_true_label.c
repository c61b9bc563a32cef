/* Probabilities of the true label: the inverse of the noise. */
#include "predict/true_label.h"

#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"

enum { CLASSES = 4 };

/* given = truth T, from which the truth must follow again. */
static void check_inverse(const struct label_noise *noise, size_t classes, const double *truth, double error)
{
    double given[CLASSES] = {0}, ratio[CLASSES], found[CLASSES];
    for (size_t c = 0; c < classes; c++)
        for (size_t g = 0; g < classes; g++) {
            double uniform = c == g ? 1 - noise->rate : noise->rate / ((double)classes - 1);
            given[g] += truth[c] * (noise->transition ? noise->transition[c * classes + g] : uniform);
        }
    true_probabilities(noise, classes, given, ratio, found);
    for (size_t c = 0; c < classes; c++)
        CHECKF(fabs(found[c] - truth[c]) < error, "class %zu: %.12g instead of %.12g", c, found[c], truth[c]);
}

TEST(the_noise_is_inverted)
{
    double pair[] = {0.8, 0.2, 0.3, 0.7};
    double matrix[] = {0.7, 0.1, 0.1, 0.1, 0, 1, 0, 0, 0.2, 0, 0.8, 0, 0.05, 0.05, 0.3, 0.6};
    struct draw draw = draw_from(11);
    for (int i = 0; i < 50; i++) {
        double truth[CLASSES], sum = 0;
        for (size_t c = 0; c < CLASSES; c++)
            sum += truth[c] = draw_scale(&draw, 1e-2, 1);
        for (size_t c = 0; c < CLASSES; c++)
            truth[c] /= sum;
        check_inverse(&(struct label_noise){true, 0.2, matrix}, CLASSES, truth, 1e-7);
        check_inverse(&(struct label_noise){true, 0.3, NULL}, CLASSES, truth, 1e-7);
        const double two[] = {truth[0], 1 - truth[0]};
        check_inverse(&(struct label_noise){true, 0.25, pair}, 2, two, 1e-12);
    }
}

/* More certain than the noise allows: the nearest distribution, not a number outside of [0, 1]. */
TEST(probabilities_beyond_the_noise_are_bounded)
{
    double pair[] = {0.8, 0.2, 0.3, 0.7}, ratio[CLASSES], found[CLASSES];
    const double sure[] = {0.1, 0.9}, other[] = {0.9, 0.1}, one[] = {1, 0, 0, 0};
    true_probabilities(&(struct label_noise){true, 0.25, pair}, 2, sure, ratio, found);
    CHECK(found[0] == 0 && found[1] == 1);
    true_probabilities(&(struct label_noise){true, 0.25, pair}, 2, other, ratio, found);
    CHECK(found[0] == 1 && found[1] == 0);
    true_probabilities(&(struct label_noise){true, 0.3, NULL}, CLASSES, one, ratio, found);
    CHECKF(fabs(found[0] - 1) < 1e-6, "%g", found[0]);
}

TEST(labels_without_information_are_left_undecided)
{
    double useless[] = {0.5, 0.5, 0.5, 0.5}, ratio[2], found[2];
    const double given[] = {0.5, 0.5};
    true_probabilities(&(struct label_noise){true, 0.5, useless}, 2, given, ratio, found);
    CHECK(found[0] == 0.5 && found[1] == 0.5);
}

TEST_LIST(LISTED(the_noise_is_inverted), LISTED(probabilities_beyond_the_noise_are_bounded),
          LISTED(labels_without_information_are_left_undecided))
