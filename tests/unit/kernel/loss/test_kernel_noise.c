/* Sums of the likelihood of noisy labels of each kernel: equal to the reference, for any number of rows and sources,
 * whatever the padding has. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"

enum { CLASSES = 5, MOST_ROWS = 48, CELLS = NOISE_MOST * CLASSES * MOST_ROWS };

static double evidence[CELLS];
static const double slope[NOISE_MOST] = {0.4, 0.1, 0.7, 0.2, 0.5, 0.3, 0.6, 0.05, 0.15, 0.25, 0.35, 0.45, 0.1, 0.2};
static const double offset[CLASSES] = {0, 0.5, -0.3, 1, -1}, chance[CLASSES] = {0.02, 0.7, 0, 0.1, 1e-4};
static const size_t row_counts[] = {1, 7, 8, 16, 17, 33, 47, 48}, source_counts[] = {1, 2, 3, 4, 5, 6, 7, NOISE_MOST};

/* Evidence that is large enough for probabilities near 0 and 1; the padding too, which has no effect. */
static void draw_evidence(void)
{
    struct random random = {5, 3};
    for (size_t i = 0; i < CELLS; i++)
        evidence[i] = 8 * random_normal(random, i);
}

static size_t padded(size_t rows)
{
    return (rows + NOISE_PAD - 1) / NOISE_PAD * NOISE_PAD;
}

static void check_near(const double *found, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECKF(fabs(found[i] - expected[i]) <= 1e-11 * (1 + fabs(expected[i])), "%zu: %.17g and %.17g", i, found[i],
               expected[i]);
}

/* All functions of margins. */
static void check_margins(const struct noise_kernels *noise, const struct noise_margins *rows)
{
    double by[2][NOISE_MOST], value[2][MOST_ROWS];
    struct noise_margin_sums sums[2] = {{.by_slope = by[0]}, {.by_slope = by[1]}};
    noise->margins(rows, &sums[0]);
    noise_plain.margins(rows, &sums[1]);
    check_near(by[0], by[1], rows->sources);
    double found[] = {sums[0].by_offset, sums[0].by_same, sums[0].by_other, sums[0].log_likelihood};
    double expected[] = {sums[1].by_offset, sums[1].by_same, sums[1].by_other, sums[1].log_likelihood};
    check_near(found, expected, 4);
    noise->margins_correct(rows, &sums[0]);
    noise_plain.margins_correct(rows, &sums[1]);
    check_near(by[0], by[1], rows->sources);
    double of_correct[] = {sums[0].by_offset, sums[0].by_same, sums[0].by_other, sums[0].log_likelihood};
    double of_plain[] = {sums[1].by_offset, 0, 0, sums[1].log_likelihood};
    check_near(of_correct, of_plain, 4);
    noise->margin_values(rows, value[0]);
    noise_plain.margin_values(rows, value[1]);
    check_near(value[0], value[1], rows->stride);
    noise->margin_dots(rows, value[1], by[0]);
    noise_plain.margin_dots(rows, value[1], by[1]);
    check_near(by[0], by[1], rows->sources);
    noise->margin_priors(rows, value[0]);
    noise_plain.margin_priors(rows, value[1]);
    check_near(value[0], value[1], rows->rows);
    memset(value[1] + rows->rows, 0, (rows->stride - rows->rows) * sizeof(double));
    found[0] = noise->margin_joint(rows, value[1]);
    expected[0] = noise_plain.margin_joint(rows, value[1]);
    check_near(found, expected, 1);
}

TEST(margins_of_two_classes)
{
    KERNEL_OR_SKIP;
    draw_evidence();
    for (size_t i = 0; i < sizeof row_counts / sizeof *row_counts; i++)
        for (size_t k = 0; k < sizeof source_counts / sizeof *source_counts; k++) {
            struct noise_margins rows = {.rows = row_counts[i],
                                         .stride = padded(row_counts[i]),
                                         .sources = source_counts[k],
                                         .difference = evidence,
                                         .slope = slope,
                                         .offset = 0.3,
                                         .same = 0.9,
                                         .other = 0.05};
            check_margins(kernel->noise, &rows);
            rows.other = 0; /* probabilities down to NOISE_LEAST */
            check_margins(kernel->noise, &rows);
        }
}

/* All functions of scores. */
static void check_scores(const struct noise_kernels *noise, const struct noise_scores *rows)
{
    static double prior[2][CLASSES * MOST_ROWS];
    double by_slope[2][NOISE_MOST], by_offset[2][CLASSES], by_chance[2][CLASSES], joint[2][CLASSES];
    struct noise_score_sums sums[2] = {{by_slope[0], by_offset[0], by_chance[0], 0},
                                       {by_slope[1], by_offset[1], by_chance[1], 0}};
    noise->scores(rows, &sums[0]);
    noise_plain.scores(rows, &sums[1]);
    check_near(by_slope[0], by_slope[1], rows->sources);
    check_near(by_offset[0], by_offset[1], CLASSES);
    check_near(by_chance[0], by_chance[1], CLASSES);
    check_near(&sums[0].log_likelihood, &sums[1].log_likelihood, 1);
    noise->score_priors(rows, prior[0]);
    noise_plain.score_priors(rows, prior[1]);
    for (size_t c = 0; c < CLASSES; c++)
        check_near(prior[0] + c * rows->stride, prior[1] + c * rows->stride, rows->rows);
    noise->score_joint(rows, prior[0], joint[0]);
    noise_plain.score_joint(rows, prior[0], joint[1]);
    check_near(joint[0], joint[1], CLASSES);
}

TEST(scores_of_more_classes)
{
    KERNEL_OR_SKIP;
    static double space[NOISE_SPACE * CLASSES];
    draw_evidence();
    for (size_t i = 0; i < sizeof row_counts / sizeof *row_counts; i++)
        for (size_t k = 0; k < sizeof source_counts / sizeof *source_counts; k++) {
            struct noise_scores rows = {.rows = row_counts[i],
                                        .stride = padded(row_counts[i]),
                                        .sources = source_counts[k],
                                        .classes = CLASSES,
                                        .evidence = evidence,
                                        .slope = slope,
                                        .offset = offset,
                                        .chance = chance,
                                        .space = space};
            check_scores(kernel->noise, &rows);
        }
}

TEST_LIST(LISTED(margins_of_two_classes), LISTED(scores_of_more_classes))
