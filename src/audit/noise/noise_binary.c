/* noise_binary: blocks of two classes by the kernels of margins. */
#include "audit/noise/noise_binary.h"

#include <math.h>

#include "base/memory.h"
#include "kernel/loss/margin.h"

struct noise_binary {
    struct margin_table table; /* of the losses of correct labels; t2 = 0: not built yet */
    /* Of each block from first * sources on: [source * stride + row], signed; and from first * 2 sources on the same of
     * single classes, [(source * 2 + class) * stride + row], negative for class 0; filled when it is first needed. */
    double *difference, *by_class;
    bool has_classes;
};

/* 1 for label 1, -1 for label 0. */
static double sign_of(const struct noise_block *block)
{
    return block->given == 1 ? 1 : -1;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void fill_differences(const struct noise_fit *fit, const struct noise_block *block, double *out)
{
    size_t sources = fit->rows->sources, stride = block->stride;
    double sign = sign_of(block);
    for (size_t k = 0; k < sources; k++) {
        const double *zero = fit->evidence + (block->first * sources + k * stride) * 2, *one = zero + stride;
        for (size_t row = 0; row < stride; row++)
            out[k * stride + row] = sign * (one[row] - zero[row]);
    }
}

/* Of single classes. */
static void fill_by_class(const struct noise_fit *fit, const struct noise_block *block, double *out)
{
    size_t sources = fit->rows->sources, stride = block->stride;
    const double *evidence = fit->evidence + block->first * sources * 2;
    for (size_t i = 0; i < 2 * sources; i++) {
        double sign = i % 2 ? sign_of(block) : -sign_of(block);
        for (size_t row = 0; row < stride; row++)
            out[i * stride + row] = sign * evidence[i * stride + row];
    }
}

temper_status noise_binary_new(const struct noise_fit *fit, struct noise_binary **out, temper_error *error)
{
    struct noise_binary *binary = mem_aligned(1, sizeof *binary);
    if (!binary)
        return error_no_memory(error);
    binary->table.t2 = 0;
    binary->has_classes = false;
    binary->difference = mem_aligned(fit->padded, fit->rows->sources * sizeof(double));
    binary->by_class = mem_aligned(fit->padded, fit->rows->sources * 2 * sizeof(double));
    if (!binary->difference || !binary->by_class) {
        noise_binary_free(binary);
        return error_no_memory(error);
    }
    for (size_t i = 0; i < fit->blocks; i++)
        fill_differences(fit, &fit->block[i], binary->difference + fit->block[i].first * fit->rows->sources);
    *out = binary;
    return TEMPER_OK;
}

void noise_binary_free(struct noise_binary *binary)
{
    if (!binary)
        return;
    mem_free(binary->difference);
    mem_free(binary->by_class);
    mem_free(binary);
}

/* ---- The likelihood ---------------------------------------------------------------------------------------------- */

enum { MOST_SLOPES = 2 * NOISE_SOURCES };

/* A block as the kernels take it, with the slopes of w, which `slope` has space for. */
static struct noise_margins margins_of(const struct noise_fit *fit, const double *w, size_t number, double *slope)
{
    const struct noise_block *block = &fit->block[number];
    size_t slopes = fit->rows->sources * fit->slopes;
    for (size_t i = 0; i < slopes; i++)
        slope[i] = w[i] * w[i] / fit->unit[i / fit->slopes];
    return (struct noise_margins){.rows = block->rows,
                                  .stride = block->stride,
                                  .sources = slopes,
                                  .difference = (fit->slopes == 1 ? fit->binary->difference : fit->binary->by_class) +
                                                block->first * slopes,
                                  .slope = slope,
                                  .offset = fit->offsets ? sign_of(block) * w[slopes] : 0};
}

/* p(given label | true class) of a table, or of uniform noise of a rate. */
static void set_labels(const struct noise_block *block, const double *transition, double rate,
                       struct noise_margins *out)
{
    size_t own = block->given, other = 1 - own;
    out->same = transition ? transition[own * 2 + own] : 1 - rate;
    out->other = transition ? transition[other * 2 + own] : rate;
}

/* Correct labels with a temperature other than 1: the loss and its derivatives by the slopes. */
static void correct_sums(const struct noise_fit *fit, const struct noise_margins *rows, struct noise_margin_sums *sums)
{
    double margin[NOISE_BLOCK], loss[NOISE_BLOCK], slope[NOISE_BLOCK];
    fit->kernel->noise->margin_values(rows, margin);
    fit->kernel->margins(&fit->binary->table, margin, rows->stride, loss, slope, NULL);
    sums->log_likelihood = sums->by_offset = 0;
    for (size_t row = 0; row < rows->stride; row++)
        slope[row] = row < rows->rows ? -slope[row] : 0;
    for (size_t row = 0; row < rows->rows; row++) {
        sums->log_likelihood -= loss[row];
        sums->by_offset += slope[row];
    }
    fit->kernel->noise->margin_dots(rows, slope, sums->by_slope);
}

void noise_binary_block(const struct noise_fit *fit, const double *w, double rate, size_t block, double *sums)
{
    size_t shared = noise_shared_parameters(fit), slopes = shared - fit->offsets;
    double slope[MOST_SLOPES];
    struct noise_margins rows = margins_of(fit, w, block, slope);
    struct noise_margin_sums found = {.by_slope = sums};
    set_labels(&fit->block[block], fit->transition, rate, &rows);
    if (fit->correct && fit->temperature == 1)
        fit->kernel->noise->margins_correct(&rows, &found);
    else if (fit->correct)
        correct_sums(fit, &rows, &found);
    else
        fit->kernel->noise->margins(&rows, &found);
    for (size_t i = 0; i < slopes; i++)
        sums[i] *= 2 * w[i] / fit->unit[i / fit->slopes];
    if (fit->offsets)
        sums[slopes] = sign_of(&fit->block[block]) * found.by_offset;
    sums[shared] = -found.log_likelihood;
    sums[shared + 1] = fit->transition || fit->correct ? 0 : found.by_same - found.by_other;
}

/* The table of losses of the temperature, where correct labels need one. Without floats, which no kernel of these sums
 * reads. */
static void build_table(const struct noise_fit *fit)
{
    struct noise_binary *binary = fit->binary;
    if (fit->correct && fit->temperature != 1 && binary->table.t2 != fit->temperature)
        margin_table_for_rows(&binary->table, 1, fit->temperature, UINT64_MAX, false);
}

void noise_binary_take_table(struct noise_fit *fit, const struct noise_fit *of)
{
    build_table(of);
    if (fit->binary->table.t2 != of->binary->table.t2)
        fit->binary->table = of->binary->table;
}

void noise_binary_prepare(const struct noise_fit *fit)
{
    struct noise_binary *binary = fit->binary;
    build_table(fit);
    if (fit->slopes == 1 || binary->has_classes)
        return;
    for (size_t i = 0; i < fit->blocks; i++)
        fill_by_class(fit, &fit->block[i], binary->by_class + fit->block[i].first * fit->rows->sources * 2);
    binary->has_classes = true;
}

void noise_binary_priors(const struct noise_fit *fit, const double *w, double *prior)
{
    double slope[MOST_SLOPES];
    for (size_t block = 0; block < fit->blocks; block++) {
        struct noise_margins rows = margins_of(fit, w, block, slope);
        fit->kernel->noise->margin_priors(&rows, prior + fit->block[block].first);
    }
}

void noise_binary_joint(const struct noise_fit *fit, const double *prior, const double *transition, double *joint)
{
    double right[2] = {0, 0}, all[2] = {0, 0};
    for (size_t block = 0; block < fit->blocks; block++) {
        const struct noise_block *of = &fit->block[block];
        struct noise_margins rows = {.rows = of->rows, .stride = of->stride};
        set_labels(of, transition, 0, &rows);
        right[of->given] += fit->kernel->noise->margin_joint(&rows, prior + of->first);
        all[of->given] += (double)of->rows;
    }
    joint[0] = right[0];
    joint[3] = right[1];
    joint[1] = fmax(all[1] - right[1], 0); /* not below 0 by rounding */
    joint[2] = fmax(all[0] - right[0], 0);
}
