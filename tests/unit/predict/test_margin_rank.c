/* Margin noise changes the rows of the truly largest or smallest margins: those of the minimum of the regression, which
 * is found here by Newton's method in doubles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { ROWS = 600, FEATURES = 5, WEIGHTS = FEATURES + 1, CHANGED = ROWS / 10 };

static double features[ROWS * FEATURES];
static int labels[ROWS];

/* Separable rows with columns of very different size: the regression is far from its minimum when its gradient has
 * fallen to 1e-4 of that at zero. */
static temper_data *separable(void)
{
    const struct random random = {.seed = 11};
    temper_data *data = NULL;
    temper_error error = {0};
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = (int)(i % 2);
        for (size_t j = 0; j < FEATURES; j++)
            features[i * FEATURES + j] =
                (random_normal(random, i * FEATURES + j) + (labels[i] ? 3.5 : 0)) * pow(10, (double)j - 2);
    }
    CHECKF(temper_data_from_f64(features, ROWS, FEATURES, labels, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

/* Margin of a row at weights w, the intercept last. */
static double margin_of(const double *w, size_t row)
{
    double a = w[FEATURES];
    for (size_t j = 0; j < FEATURES; j++)
        a += w[j] * features[row * FEATURES + j];
    return labels[row] ? a : -a;
}

/* One step of Newton's method on the mean logistic loss + l2/2 |w|^2 without the intercept. */
static void newton_step(double *w, double l2)
{
    double gradient[WEIGHTS], hessian[WEIGHTS * WEIGHTS] = {0};
    for (size_t j = 0; j < WEIGHTS; j++) {
        gradient[j] = j < FEATURES ? l2 * w[j] : 0;
        hessian[j * WEIGHTS + j] = j < FEATURES ? l2 : 0;
    }
    for (size_t i = 0; i < ROWS; i++) {
        double x[WEIGHTS], q = 1 / (1 + exp(margin_of(w, i)));
        memcpy(x, features + i * FEATURES, FEATURES * sizeof *x);
        x[FEATURES] = 1;
        for (size_t j = 0; j < WEIGHTS; j++) {
            gradient[j] -= (labels[i] ? q : -q) * x[j] / ROWS;
            for (size_t k = 0; k < WEIGHTS; k++)
                hessian[j * WEIGHTS + k] += q * (1 - q) * x[j] * x[k] / ROWS;
        }
    }
    CHECK(cholesky_solve(hessian, WEIGHTS, 0, gradient));
    for (size_t j = 0; j < WEIGHTS; j++)
        w[j] -= gradient[j];
}

/* The margin that CHANGED rows exceed. */
static double threshold(const double *w)
{
    double sorted[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        sorted[i] = margin_of(w, i);
        for (size_t k = i; k > 0 && sorted[k] > sorted[k - 1]; k--) {
            double swap = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = swap;
        }
    }
    return (sorted[CHANGED - 1] + sorted[CHANGED]) / 2;
}

TEST(the_largest_margins_are_those_of_the_minimum)
{
    temper_data *data = separable(), *noisy = NULL;
    temper_noise_options options = temper_noise_defaults();
    temper_noise_change *changes = NULL;
    temper_error error = {0};
    size_t count = 0;
    double w[WEIGHTS] = {0};
    options.kind = "large-margin";
    options.rate = 0.1;
    options.rank_scale = "none";
    if (!CHECKF(temper_data_add_noise(data, &options, &noisy, &changes, &count, &error) == TEMPER_OK, "%s",
                error.message))
        return;
    for (int step = 0; step < 60; step++)
        newton_step(w, options.rank_l2);
    double least = threshold(w);
    CHECK(count == CHANGED);
    for (size_t i = 0; i < count; i++)
        CHECKF(margin_of(w, changes[i].row - 1) > least, "row %zu: %g, not above %g", changes[i].row,
               margin_of(w, changes[i].row - 1), least);
    temper_data_free(noisy);
    temper_free(changes);
    temper_data_free(data);
}

TEST(separable_rows_need_a_penalty)
{
    temper_data *data = separable(), *noisy = NULL;
    temper_noise_options options = temper_noise_defaults();
    temper_error error = {0};
    options.kind = "large-margin";
    options.rate = 0.1;
    options.rank_l2 = 0;
    CHECK(temper_data_add_noise(data, &options, &noisy, NULL, NULL, &error) == TEMPER_BAD_DATA && !noisy);
    CHECKF(strstr(error.message, "linearly separable") && strstr(error.message, "--rank-l2"), "%s", error.message);
    temper_data_free(data);
}

TEST_LIST(LISTED(the_largest_margins_are_those_of_the_minimum), LISTED(separable_rows_need_a_penalty))
