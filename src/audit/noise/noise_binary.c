/* noise_binary: sums over blocks of rows with two classes. Loops run along the rows of a block, in LANES independent
 * sums, which the compiler makes vectors of; logistic functions are those of the vector kernels. */
#include "audit/noise/noise_binary.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/loss/margin.h"

enum { LANES = 8 }; /* a divisor of NOISE_BLOCK, by more than which no product of probabilities underflows */
static const double LEAST_PROBABILITY = 1e-18;

struct noise_binary {
    struct margin_table table; /* of the logistic loss, whose slope is the probability of the other class */
    double *difference;        /* [(block * sources + source) * NOISE_BLOCK + row]: signed; 0 in the padding */
    double *sign;              /* [block * NOISE_BLOCK + row]: 1, -1, or 0 in the padding */
};

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void fill_rows(const struct noise_rows *rows, struct noise_binary *binary)
{
    for (size_t row = 0; row < rows->rows; row++) {
        size_t block = row / NOISE_BLOCK, at = row % NOISE_BLOCK;
        const double *e = rows->evidence + row * rows->sources * 2;
        double sign = rows->given[row] == 1 ? 1 : -1;
        binary->sign[block * NOISE_BLOCK + at] = sign;
        for (size_t k = 0; k < rows->sources; k++)
            binary->difference[(block * rows->sources + k) * NOISE_BLOCK + at] = sign * (e[2 * k + 1] - e[2 * k]);
    }
}

temper_status noise_binary_new(const struct noise_rows *rows, struct noise_binary **out, temper_error *error)
{
    size_t blocks = (rows->rows + NOISE_BLOCK - 1) / NOISE_BLOCK;
    struct noise_binary *binary = mem_aligned(1, sizeof *binary);
    if (!binary)
        return error_no_memory(error);
    binary->difference = mem_zeroed(blocks, rows->sources * NOISE_BLOCK * sizeof(double));
    binary->sign = mem_zeroed(blocks, NOISE_BLOCK * sizeof(double));
    if (!binary->difference || !binary->sign) {
        noise_binary_free(binary);
        return error_no_memory(error);
    }
    margin_table_build(&binary->table, 1, 1);
    fill_rows(rows, binary);
    *out = binary;
    return TEMPER_OK;
}

void noise_binary_free(struct noise_binary *binary)
{
    if (!binary)
        return;
    mem_free(binary->difference);
    mem_free(binary->sign);
    mem_free(binary);
}

struct binary_labels noise_binary_labels(const struct noise_fit *fit, double rate)
{
    const double *t = fit->transition;
    if (!t)
        return (struct binary_labels){{1 - rate, 1 - rate}, {rate, rate}};
    return (struct binary_labels){{t[0], t[3]}, {t[2], t[1]}};
}

/* ---- Sums along a block ------------------------------------------------------------------------------------------ */

static double add_lanes(const double lane[LANES])
{
    double sum = 0;
    for (size_t j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

static double dot(const double *a, const double *b)
{
    double lane[LANES] = {0};
    for (size_t i = 0; i < NOISE_BLOCK; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += a[i + j] * b[i + j];
    return add_lanes(lane);
}

static double sum_of(const double *a)
{
    double lane[LANES] = {0};
    for (size_t i = 0; i < NOISE_BLOCK; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += a[i + j];
    return add_lanes(lane);
}

/* The sum of the logarithms, of one product for each lane. */
static double sum_logarithms(const double *p)
{
    double lane[LANES], sum = 0;
    for (size_t j = 0; j < LANES; j++)
        lane[j] = 1;
    for (size_t i = 0; i < NOISE_BLOCK; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] *= p[i + j];
    for (size_t j = 0; j < LANES; j++)
        sum += log(lane[j]);
    return sum;
}

/* ---- The likelihood ---------------------------------------------------------------------------------------------- */

/* Fills other[] with the probabilities that the true class is not the label. */
static void fill_other(const struct noise_fit *fit, const double *w, size_t block, double *other)
{
    const struct noise_binary *binary = fit->binary;
    size_t sources = fit->rows->sources;
    const double *sign = binary->sign + block * NOISE_BLOCK;
    const double *difference = binary->difference + block * sources * NOISE_BLOCK;
    double margin[NOISE_BLOCK], loss[NOISE_BLOCK], offset = fit->offsets ? w[sources] : 0;
    for (size_t row = 0; row < NOISE_BLOCK; row++)
        margin[row] = offset * sign[row];
    for (size_t k = 0; k < sources; k++, difference += NOISE_BLOCK) {
        double slope = w[k] * w[k] / fit->unit[k];
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            margin[row] += slope * difference[row];
    }
    fit->kernel->margins(&binary->table, margin, NOISE_BLOCK, loss, other, NULL);
    for (size_t row = 0; row < NOISE_BLOCK; row++)
        other[row] = -other[row];
}

/* A number that depends on the label of a row, without a branch: mean + sign * half. */
struct by_label {
    double mean, half;
};

static struct by_label by_label(const double of[2])
{
    return (struct by_label){0.5 * (of[0] + of[1]), 0.5 * (of[1] - of[0])};
}

void noise_binary_block(const struct noise_fit *fit, const double *w, struct binary_labels labels, size_t block,
                        double *sums)
{
    size_t sources = fit->rows->sources, shared = noise_shared_parameters(fit), rows = noise_block_rows(fit, block);
    const double *sign = fit->binary->sign + block * NOISE_BLOCK;
    const double *difference = fit->binary->difference + block * sources * NOISE_BLOCK;
    struct by_label same = by_label(labels.same), otherwise = by_label(labels.other);
    double other[NOISE_BLOCK], p[NOISE_BLOCK], by_margin[NOISE_BLOCK], by_rate[NOISE_BLOCK];
    fill_other(fit, w, block, other);
    for (size_t row = 0; row < NOISE_BLOCK; row++) {
        double yes = same.mean + sign[row] * same.half, no = otherwise.mean + sign[row] * otherwise.half;
        double likely = yes + other[row] * (no - yes);
        p[row] = likely > LEAST_PROBABILITY ? likely : LEAST_PROBABILITY;
        by_margin[row] = other[row] * (1 - other[row]) * (yes - no) / p[row];
        by_rate[row] = (1 - 2 * other[row]) / p[row];
    }
    for (size_t row = rows; row < NOISE_BLOCK; row++) {
        p[row] = 1;
        by_margin[row] = by_rate[row] = 0;
    }
    for (size_t k = 0; k < sources; k++)
        sums[k] = 2 * w[k] / fit->unit[k] * dot(by_margin, difference + k * NOISE_BLOCK);
    if (fit->offsets)
        sums[sources] = dot(by_margin, sign);
    sums[shared] = -sum_logarithms(p);
    sums[shared + 1] = fit->transition ? 0 : sum_of(by_rate);
}

void noise_binary_priors(const struct noise_fit *fit, const double *w, double *prior)
{
    for (size_t block = 0; block < fit->blocks; block++) {
        double *out = prior + block * NOISE_BLOCK;
        fill_other(fit, w, block, out);
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            out[row] = 1 - out[row];
    }
}

/* The sum over the rows of each label follows from the sum over all rows and the signed one. */
void noise_binary_joint(const struct noise_fit *fit, const double *prior, const double *transition, double *joint)
{
    struct by_label same = by_label((const double[]){transition[0], transition[3]});
    struct by_label otherwise = by_label((const double[]){transition[2], transition[1]});
    double right = 0, signed_right = 0, rows = (double)fit->rows->rows, signs = 0, posterior[NOISE_BLOCK];
    for (size_t block = 0; block < fit->blocks; block++) {
        const double *sign = fit->binary->sign + block * NOISE_BLOCK, *own = prior + block * NOISE_BLOCK;
        for (size_t row = 0; row < NOISE_BLOCK; row++) {
            double yes = own[row] * (same.mean + sign[row] * same.half);
            double no = (1 - own[row]) * (otherwise.mean + sign[row] * otherwise.half);
            posterior[row] = yes / (yes + no + LEAST_PROBABILITY);
        }
        for (size_t row = noise_block_rows(fit, block); row < NOISE_BLOCK; row++)
            posterior[row] = 0;
        right += sum_of(posterior);
        signed_right += dot(posterior, sign);
        signs += sum_of(sign);
    }
    joint[0] = 0.5 * (right - signed_right);
    joint[3] = 0.5 * (right + signed_right);
    joint[1] = fmax(0.5 * (rows + signs) - joint[3], 0); /* not below 0 by rounding */
    joint[2] = fmax(0.5 * (rows - signs) - joint[0], 0);
}
