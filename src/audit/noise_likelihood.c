/* noise_likelihood: sums over blocks of rows, in their order. */
#include "audit/noise_likelihood.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
    LANES = 8,    /* independent sums, which the compiler makes vectors of */
    PRODUCTS = 16 /* probabilities that are multiplied before one logarithm; none is below LEAST_PROBABILITY */
};
static const double LEAST_PROBABILITY = 1e-18;

double noise_most_rate(size_t classes)
{
    return 0.98 * (double)(classes - 1) / (double)classes;
}

double noise_rate_of(size_t classes, double log_odds)
{
    return noise_most_rate(classes) / (1 + exp(-log_odds));
}

size_t noise_shared_parameters(const struct noise_fit *fit)
{
    return fit->rows->sources * fit->slopes + fit->offsets;
}

size_t noise_block_rows(const struct noise_fit *fit, size_t block)
{
    size_t left = fit->rows->rows - block * NOISE_BLOCK;
    return left < NOISE_BLOCK ? left : (size_t)NOISE_BLOCK;
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------
 */

/* The root mean square deviation of a source from its mean over the classes; 1 for a source that is constant. */
static double unit_of(const struct noise_rows *rows, size_t source)
{
    double sum = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        const double *e = rows->evidence + (row * rows->sources + source) * rows->classes;
        double mean = 0;
        for (size_t c = 0; c < rows->classes; c++)
            mean += e[c] / (double)rows->classes;
        for (size_t c = 0; c < rows->classes; c++)
            sum += (e[c] - mean) * (e[c] - mean);
    }
    double unit = sqrt(sum / ((double)rows->rows * (double)rows->classes));
    return unit > 0 ? unit : 1;
}

static void fill_blocks(struct noise_fit *fit)
{
    const struct noise_rows *rows = fit->rows;
    size_t cells = rows->sources * rows->classes;
    for (size_t row = 0; row < rows->rows; row++) {
        const double *from = rows->evidence + row * cells;
        double *to = fit->evidence + row / NOISE_BLOCK * cells * NOISE_BLOCK + row % NOISE_BLOCK;
        for (size_t i = 0; i < cells; i++)
            to[i * NOISE_BLOCK] = from[i];
        fit->given[row] = rows->given[row];
    }
}

temper_status noise_fit_new(const struct noise_rows *rows, struct noise_fit *out, temper_error *error)
{
    bool has_offsets = rows->classes <= NOISE_CLASSES && !rows->calibrated;
    const char *wanted;
    size_t cells, each;
    *out = (struct noise_fit){.rows = rows,
                              .slopes = 1,
                              .temperature = 1,
                              .offsets = has_offsets ? rows->classes - 1 : 0,
                              .kernel = kernel_choose(&wanted),
                              .blocks = (rows->rows + NOISE_BLOCK - 1) / NOISE_BLOCK};
    if (!out->kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    if (!mul_size(rows->classes, NOISE_BLOCK * sizeof(double), &cells) || !mul_size(cells, rows->sources, &each))
        return error_no_memory(error);
    out->evidence = mem_zeroed(out->blocks, each);
    out->given = mem_zeroed(out->blocks, NOISE_BLOCK * sizeof *out->given);
    out->activation = mem_aligned(1, cells);
    out->prior = mem_aligned(1, cells);
    if (!out->evidence || !out->given || !out->activation || !out->prior)
        return error_no_memory(error);
    for (size_t k = 0; k < rows->sources; k++)
        out->unit[k] = unit_of(rows, k);
    fill_blocks(out);
    return TEMPER_OK;
}

void noise_fit_free(struct noise_fit *fit)
{
    mem_free(fit->evidence);
    mem_free(fit->given);
    mem_free(fit->activation);
    mem_free(fit->prior);
}

/* ---- Probabilities of the true classes ----------------------------------------------------------------------------
 */

/* Fills fit->activation with the scores of the classes. */
static void fill_activations(const struct noise_fit *fit, const double *w, size_t block)
{
    size_t classes = fit->rows->classes, sources = fit->rows->sources;
    const double *offset = w + sources * fit->slopes;
    for (size_t c = 0; c < classes; c++) {
        double *activation = fit->activation + c * NOISE_BLOCK;
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            activation[row] = c > 0 && fit->offsets ? offset[c - 1] : 0;
        for (size_t k = 0; k < sources; k++) {
            const double *evidence = fit->evidence + ((block * sources + k) * classes + c) * NOISE_BLOCK;
            double root = w[k * fit->slopes + c % fit->slopes], slope = root * root / fit->unit[k];
            for (size_t row = 0; row < NOISE_BLOCK; row++)
                activation[row] += slope * evidence[row];
        }
    }
}

/* Fills loss[] with minus the logarithms of the probabilities of the given labels, as those of the true classes, and
 * fit->prior with the gradients by the activations. */
static void fill_losses(const struct noise_fit *fit, const double *w, size_t block, double *loss)
{
    fill_activations(fit, w, block);
    struct softmax_f64 softmax = {.shape = {.rows = NOISE_BLOCK,
                                            .classes = fit->rows->classes,
                                            .stride = NOISE_BLOCK,
                                            .t1 = 1,
                                            .t2 = fit->temperature},
                                  .activation = fit->activation,
                                  .label = fit->given + block * NOISE_BLOCK,
                                  .gradient = fit->prior,
                                  .loss = loss};
    fit->kernel->softmax_f64(&softmax);
}

/* The gradient of the logistic loss is the softmax, less 1 at the given label. */
void noise_fill_prior(const struct noise_fit *fit, const double *w, size_t block)
{
    const uint32_t *given = fit->given + block * NOISE_BLOCK;
    double loss[NOISE_BLOCK];
    fill_losses(fit, w, block, loss);
    for (size_t row = 0; row < NOISE_BLOCK; row++)
        fit->prior[(size_t)given[row] * NOISE_BLOCK + row] += 1;
}

/* ---- The likelihood of a block ------------------------------------------------------------------------------------
 */

/* Of uniform noise: fills p[] with the probabilities of the given labels, and fit->activation with the derivatives of
 * their logarithms by the activations: the probability of the class given the label less that without it. Returns the
 * derivative of minus the log likelihood by the rate. */
static double uniform_slopes(const struct noise_fit *fit, double rate, size_t block, double *p)
{
    size_t classes = fit->rows->classes, rows = noise_block_rows(fit, block);
    const uint32_t *given = fit->given + block * NOISE_BLOCK;
    double each = rate / (double)(classes - 1), own[NOISE_BLOCK], factor[NOISE_BLOCK], by_rate = 0;
    for (size_t row = 0; row < NOISE_BLOCK; row++)
        own[row] = fit->prior[(size_t)given[row] * NOISE_BLOCK + row];
    for (size_t row = 0; row < NOISE_BLOCK; row++) {
        p[row] = own[row] * (1 - rate) + (1 - own[row]) * each;
        factor[row] = row < rows ? each / p[row] - 1 : 0;
    }
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            fit->activation[c * NOISE_BLOCK + row] = fit->prior[c * NOISE_BLOCK + row] * factor[row];
    for (size_t row = 0; row < rows; row++) {
        fit->activation[(size_t)given[row] * NOISE_BLOCK + row] = own[row] * ((1 - rate) / p[row] - 1);
        by_rate -= ((1 - own[row]) / (double)(classes - 1) - own[row]) / p[row];
    }
    return by_rate;
}

/* The same of a table. */
static void table_slopes(const struct noise_fit *fit, size_t block, double *p)
{
    size_t classes = fit->rows->classes, rows = noise_block_rows(fit, block);
    const uint32_t *given = fit->given + block * NOISE_BLOCK;
    double inverse[NOISE_BLOCK];
    memset(p, 0, NOISE_BLOCK * sizeof *p);
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++) {
            double joint = fit->prior[c * NOISE_BLOCK + row] * fit->transition[c * classes + given[row]];
            fit->activation[c * NOISE_BLOCK + row] = joint;
            p[row] += joint;
        }
    for (size_t row = 0; row < NOISE_BLOCK; row++) {
        p[row] = p[row] > LEAST_PROBABILITY ? p[row] : LEAST_PROBABILITY;
        inverse[row] = 1 / p[row];
    }
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++) {
            size_t cell = c * NOISE_BLOCK + row;
            fit->activation[cell] = row < rows ? fit->activation[cell] * inverse[row] - fit->prior[cell] : 0;
        }
}

/* The same without noise. Returns minus the log likelihood. */
static double correct_slopes(const struct noise_fit *fit, const double *w, size_t block)
{
    size_t rows = noise_block_rows(fit, block);
    double loss[NOISE_BLOCK], sum = 0;
    fill_losses(fit, w, block, loss);
    for (size_t c = 0; c < fit->rows->classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            fit->activation[c * NOISE_BLOCK + row] = row < rows ? -fit->prior[c * NOISE_BLOCK + row] : 0;
    for (size_t row = 0; row < rows; row++)
        sum += loss[row];
    return sum;
}

/* The sum of the logarithms, of products of PRODUCTS at a time. */
static double sum_logarithms(const double *p, size_t count)
{
    double sum = 0;
    for (size_t from = 0; from < count; from += PRODUCTS) {
        double product = 1;
        for (size_t i = from; i < count && i < from + PRODUCTS; i++)
            product *= p[i] > LEAST_PROBABILITY ? p[i] : LEAST_PROBABILITY;
        sum += log(product);
    }
    return sum;
}

/* `count` is a multiple of LANES. */
static double dot(const double *a, const double *b, size_t count)
{
    double lane[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += a[i + j] * b[i + j];
    for (size_t j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

/* Adds minus the derivatives of a block by all parameters but the rate, from those by the activations. */
static void add_gradient(const struct noise_fit *fit, const double *w, size_t block, double *gradient)
{
    size_t classes = fit->rows->classes, slopes = fit->rows->sources * fit->slopes;
    size_t cells = classes / fit->slopes * NOISE_BLOCK; /* that a slope is for */
    for (size_t i = 0; i < slopes; i++)
        gradient[i] -=
            2 * w[i] / fit->unit[i / fit->slopes] *
            dot(fit->activation + i % fit->slopes * cells, fit->evidence + (block * slopes + i) * cells, cells);
    for (size_t c = 1; c <= fit->offsets; c++) {
        double sum = 0;
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            sum += fit->activation[c * NOISE_BLOCK + row];
        gradient[slopes + c - 1] -= sum;
    }
}

double noise_log_loss(const struct noise_fit *fit, const double *w, double *gradient)
{
    size_t classes = fit->rows->classes, shared = noise_shared_parameters(fit);
    double rate = noise_rate_of(classes, fit->free_rate ? w[shared] : fit->log_odds), loss = 0, by_rate = 0;
    memset(gradient, 0, (shared + fit->free_rate) * sizeof *gradient);
    for (size_t block = 0; block < fit->blocks; block++) {
        double p[NOISE_BLOCK];
        if (fit->correct) {
            loss += correct_slopes(fit, w, block);
        } else {
            noise_fill_prior(fit, w, block);
            if (fit->transition)
                table_slopes(fit, block, p);
            else
                by_rate += uniform_slopes(fit, rate, block, p);
            loss -= sum_logarithms(p, noise_block_rows(fit, block));
        }
        add_gradient(fit, w, block, gradient);
    }
    if (fit->free_rate)
        gradient[shared] = by_rate * rate * (1 - rate / noise_most_rate(classes));
    return loss;
}
