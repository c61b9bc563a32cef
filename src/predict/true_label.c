/* true_label: maximum likelihood by expectation maximisation, which keeps every iterate a distribution. It is the
 * unfolding of W. H. Richardson, "Bayesian-based iterative method of image restoration" (1972), for classes. */
#include "predict/true_label.h"

#include <math.h>

/* With 3 to 10 classes and 5 to 20 % of wrong labels half of the rows need fewer than 22 to 170 steps; of the
 * others some, whose solution has a class of probability 0, reach the limit, where a step changes less than 1e-5. */
enum { MOST_STEPS = 1000 };

static const double ENOUGH = 1e-12; /* the largest change of a probability in the last step */

/* T(c, g): the probability that class c is labelled g. */
static double transition(const struct label_noise *noise, size_t classes, size_t c, size_t g)
{
    if (noise->transition)
        return noise->transition[c * classes + g];
    return c == g ? 1 - noise->rate : noise->rate / ((double)classes - 1);
}

/* The product of x, whose sum is given, with row or column `at` of T: sum_k x[k] T(at, k), or sum_k x[k] T(k, at). The
 * rate that all classes share needs no loop over the classes. */
static double product(const struct label_noise *noise, size_t classes, const double *x, double sum, size_t at,
                      bool column)
{
    double result = 0;
    if (!noise->transition) {
        double other = transition(noise, classes, 0, 1);
        return other * sum + (transition(noise, classes, at, at) - other) * x[at];
    }
    for (size_t k = 0; k < classes; k++)
        result += x[k] * noise->transition[column ? k * classes + at : at * classes + k];
    return result;
}

/* ratio[g] = given_g over the probability of label g by the present estimate: how much too rare the estimate has it.
 * Returns their sum. */
static double compare_labels(const struct label_noise *noise, size_t classes, const double *given,
                             const double *estimate, double *ratio)
{
    double sum = 0, sum_of_ratios = 0;
    for (size_t k = 0; k < classes; k++)
        sum += estimate[k];
    for (size_t g = 0; g < classes; g++) {
        double expected = product(noise, classes, estimate, sum, g, true);
        /* 0 only where the noise model excludes a label that the calibration does not. */
        ratio[g] = expected > 0 ? given[g] / expected : 0;
        sum_of_ratios += ratio[g];
    }
    return sum_of_ratios;
}

/* Two classes have a closed form: p = pi T(1, 1) + (1 - pi) T(0, 1). */
static double true_of_two(const struct label_noise *noise, double given)
{
    double none = transition(noise, 2, 0, 1), all = transition(noise, 2, 1, 1);
    /* Labels that do not depend on the class carry no information about it. */
    if (!(fabs(all - none) > 0))
        return 0.5;
    return fmin(1, fmax(0, (given - none) / (all - none)));
}

/* A step multiplies each class by the mean of ratio[g] over its labels, T(c, g). */
void true_probabilities(const struct label_noise *noise, size_t classes, const double *given, double *ratio,
                        double *out)
{
    if (classes == 2) {
        out[1] = true_of_two(noise, given[1]);
        out[0] = 1 - out[1];
        return;
    }
    for (size_t c = 0; c < classes; c++)
        out[c] = given[c];
    for (int step = 0; step < MOST_STEPS; step++) {
        double change = 0, sum = 0;
        double ratios = compare_labels(noise, classes, given, out, ratio);
        for (size_t c = 0; c < classes; c++) {
            double factor = product(noise, classes, ratio, ratios, c, false);
            change = fmax(change, fabs(out[c] * (factor - 1)));
            sum += out[c] *= factor;
        }
        /* Exactly 1 but for rounding, and for labels that the noise model excludes. */
        for (size_t c = 0; c < classes; c++)
            out[c] = sum > 0 ? out[c] / sum : 1 / (double)classes;
        if (!(change > ENOUGH))
            break;
    }
}
