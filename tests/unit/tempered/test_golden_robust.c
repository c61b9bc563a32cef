/* The robust relatives of cross-entropy against values of 420-digit arithmetic: tests/golden/robust.tsv, made by
 * tools/make-golden-robust. Value, gradient, and the same by the margin for two classes. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"
#include "tempered/losses.h"

enum { MOST = 10 };

/* One line of the file. */
struct robust_row {
    char name[16];
    size_t n, label;
    temper_loss_spec loss;
    double column[MOST]; /* of forward */
    double a[MOST], value, gradient[MOST];
};

static bool read_numbers(FILE *file, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fscanf(file, "%lf", &out[i]) != 1)
            return false;
    return true;
}

static bool next_row(FILE *file, struct robust_row *row)
{
    double own[3];
    if (fscanf(file, "%15s %zu %zu", row->name, &row->n, &row->label) != 3 || row->n > MOST)
        return false;
    row->loss = temper_train_defaults().loss;
    CHECK(temper_method_find(row->name, &row->loss.method));
    if (row->loss.method == TEMPER_FORWARD) {
        CHECK(read_numbers(file, row->column, row->n));
    } else {
        CHECK(read_numbers(file, own, 3));
        row->loss.alpha = own[0];
        row->loss.beta = own[1];
        row->loss.log_zero = own[2];
    }
    return read_numbers(file, row->a, row->n) && read_numbers(file, &row->value, 1) &&
           read_numbers(file, row->gradient, row->n);
}

/* Values to 1e-12 relative, gradients to 1e-12 of their largest entry; numbers below the range are 0. */
static void compare(const struct robust_row *row, size_t line)
{
    double g[MOST], p[MOST], largest = DBL_MIN, slope;
    bool forward = row->loss.method == TEMPER_FORWARD;
    double value = forward ? forward_loss(row->column, row->a, row->n, p, g)
                           : temper_loss_of_spec(row->loss, row->a, row->n, row->label, g, NULL);
    for (size_t c = 0; c < row->n; c++)
        largest = fmax(largest, fabs(row->gradient[c]));
    CHECKF(fabs(value - row->value) <= 1e-12 * row->value + DBL_MIN, "line %zu: %s is %.17g, not %.17g", line,
           row->name, value, row->value);
    for (size_t c = 0; c < row->n; c++)
        CHECKF(fabs(g[c] - row->gradient[c]) <= 1e-12 * largest, "line %zu: gradient %zu is %.17g, not %.17g", line, c,
               g[c], row->gradient[c]);
    if (row->n != 2)
        return;
    double margin = row->a[row->label] - row->a[1 - row->label];
    if (forward) {
        struct margin_loss loss = forward_margin_loss(margin, row->column[row->label], row->column[1 - row->label]);
        value = loss.value;
        slope = loss.slope;
    } else {
        value = temper_margin_loss_of_spec(row->loss, margin, &slope, NULL);
    }
    /* The difference of the activations is rounded, and the loss as steep as its slope. */
    double rounding = 4 * DBL_EPSILON * (fabs(row->a[0]) + fabs(row->a[1])) * largest;
    CHECKF(fabs(value - row->value) <= 1e-12 * row->value + rounding, "line %zu: %.17g by the margin, not %.17g", line,
           value, row->value);
    CHECKF(fabs(slope - row->gradient[row->label]) <= 1e-12 * largest + rounding, "line %zu: slope %.17g, not %.17g",
           line, slope, row->gradient[row->label]);
}

TEST(values_and_gradients)
{
    FILE *file = fopen(TEMPER_SOURCE_DIR "/tests/golden/robust.tsv", "r");
    struct robust_row row;
    size_t line = 0;
    if (!CHECK(file != NULL))
        return;
    while (next_row(file, &row))
        compare(&row, ++line);
    fclose(file);
    CHECKF(line == 300, "%zu lines", line);
}

static double forward_slope(double margin, void *context)
{
    const double *noise = context;
    return forward_margin_loss(margin, noise[0], noise[1]).slope;
}

/* The curvature by differences of the slope; the identity is the cross-entropy. */
TEST(curvature_of_forward_correction)
{
    static double noises[][2] = {{0.9, 0.2}, {0.6, 0.4}, {1, 0.001}, {0.75, 0.05}};
    for (size_t i = 0; i < 4; i++)
        for (double m = -8; m <= 8; m += 0.5) {
            double curvature = forward_margin_loss(m, noises[i][0], noises[i][1]).curvature;
            CHECK_NEAR(curvature, derivative(forward_slope, noises[i], m, 0.2), 1e-9);
        }
    for (double m = -30; m <= 30; m += 1.5) {
        struct margin_loss plain = tempered_margin_loss(m, 1, 1), same = forward_margin_loss(m, 1, 0);
        CHECK_CLOSE(same.value, plain.value, 1e-13);
        CHECK_CLOSE(same.slope, plain.slope, 1e-13);
        CHECK_NEAR(same.curvature, plain.curvature, 1e-15);
    }
}

TEST_LIST(LISTED(curvature_of_forward_correction), LISTED(values_and_gradients))
