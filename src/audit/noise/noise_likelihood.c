/* noise_likelihood: sums over blocks of rows. Threads compute the sums of single blocks, which are then added in the
 * order of the blocks: the same bits for any number of threads. */
#include "audit/noise/noise_likelihood.h"

#include <math.h>
#include <string.h>

#include "audit/noise/noise_binary.h"
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

/* The most parameters that a fit of these rows can have: a slope for each source and class, offsets and a rate. */
static size_t most_parameters(const struct noise_rows *rows)
{
    return (rows->classes <= NOISE_CLASSES ? (rows->sources + 1) * rows->classes : rows->sources) + 1;
}

/* Multiplications of one evaluation, a softmax being about as long as 20 of a class. */
static double work_of(const struct noise_rows *rows)
{
    return (double)rows->rows * (double)rows->classes * (2 * (double)rows->sources + 20);
}

/* Arrays for the blocks, the threads and their sums; those that exist are freed by noise_fit_free. */
static bool allocate_blocks(struct noise_fit *fit)
{
    const struct noise_rows *rows = fit->rows;
    size_t cells, each;
    if (!mul_size(rows->classes, NOISE_BLOCK * sizeof(double), &cells) || !mul_size(cells, rows->sources, &each))
        return false;
    fit->evidence = mem_zeroed(fit->blocks, each);
    fit->given = mem_zeroed(fit->blocks, NOISE_BLOCK * sizeof *fit->given);
    fit->scratch = mem_aligned(2 * fit->team.threads, cells);
    fit->sums = mem_alloc(fit->blocks, (most_parameters(rows) + 1) * sizeof *fit->sums);
    if (fit->team.threads > 1)
        fit->team.pool = thread_pool_new(fit->team.threads);
    return fit->evidence && fit->given && fit->scratch && fit->sums && (fit->team.threads == 1 || fit->team.pool);
}

temper_status noise_fit_new(const struct noise_rows *rows, struct noise_fit *out, temper_error *error)
{
    bool has_offsets = rows->classes <= NOISE_CLASSES && !rows->calibrated;
    const char *wanted;
    *out = (struct noise_fit){.rows = rows,
                              .slopes = 1,
                              .temperature = 1,
                              .offsets = has_offsets ? rows->classes - 1 : 0,
                              .kernel = kernel_choose(&wanted),
                              .team = {NULL, threads_worth(rows->threads ? rows->threads : 1, work_of(rows))},
                              .blocks = (rows->rows + NOISE_BLOCK - 1) / NOISE_BLOCK};
    if (!out->kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    if (!allocate_blocks(out))
        return error_no_memory(error);
    for (size_t k = 0; k < rows->sources; k++)
        out->unit[k] = unit_of(rows, k);
    fill_blocks(out);
    return rows->classes == 2 ? noise_binary_new(rows, &out->binary, error) : TEMPER_OK;
}

void noise_fit_free(struct noise_fit *fit)
{
    thread_pool_free(fit->team.pool);
    mem_free(fit->evidence);
    mem_free(fit->given);
    mem_free(fit->scratch);
    mem_free(fit->sums);
    noise_binary_free(fit->binary);
}

/* ---- Probabilities of the true classes ----------------------------------------------------------------------------
 */

/* One block at given parameters. */
struct block_work {
    const struct noise_fit *fit;
    const double *w;
    size_t block;
    /* [class * NOISE_BLOCK + row]: activations, later derivatives by these, and the probabilities of the true classes,
     * or the gradients of the losses of correct labels. */
    double *activation, *prior;
};

static struct block_work block_work(const struct noise_fit *fit, const double *w, size_t block, size_t worker)
{
    size_t cells = fit->rows->classes * NOISE_BLOCK;
    double *scratch = fit->scratch + 2 * worker * cells;
    return (struct block_work){fit, w, block, scratch, scratch + cells};
}

/* Fills work->activation with the scores of the classes. */
static void fill_activations(const struct block_work *work)
{
    const struct noise_fit *fit = work->fit;
    const double *w = work->w;
    size_t block = work->block, classes = fit->rows->classes, sources = fit->rows->sources;
    const double *offset = w + sources * fit->slopes;
    for (size_t c = 0; c < classes; c++) {
        double *activation = work->activation + c * NOISE_BLOCK;
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
 * work->prior with the gradients by the activations. */
static void fill_losses(const struct block_work *work, double *loss)
{
    const struct noise_fit *fit = work->fit;
    fill_activations(work);
    struct softmax_f64 softmax = {.shape = {.rows = NOISE_BLOCK,
                                            .classes = fit->rows->classes,
                                            .stride = NOISE_BLOCK,
                                            .t1 = 1,
                                            .t2 = fit->temperature},
                                  .activation = work->activation,
                                  .label = fit->given + work->block * NOISE_BLOCK,
                                  .gradient = work->prior,
                                  .loss = loss};
    fit->kernel->softmax_f64(&softmax);
}

/* The gradient of the logistic loss is the softmax, less 1 at the given label. */
static void fill_prior(const struct block_work *work)
{
    const uint32_t *given = work->fit->given + work->block * NOISE_BLOCK;
    double loss[NOISE_BLOCK];
    fill_losses(work, loss);
    for (size_t row = 0; row < NOISE_BLOCK; row++)
        work->prior[(size_t)given[row] * NOISE_BLOCK + row] += 1;
}

/* Where the probabilities of all blocks go. */
struct prior_job {
    const struct noise_fit *fit;
    const double *w;
    double *out;
};

/* Callback of pool_blocks. */
static temper_status copy_prior(void *context, size_t block, size_t worker)
{
    const struct prior_job *job = context;
    size_t cells = job->fit->rows->classes * NOISE_BLOCK;
    const struct block_work work = block_work(job->fit, job->w, block, worker);
    fill_prior(&work);
    memcpy(job->out + block * cells, work.prior, cells * sizeof *work.prior);
    return TEMPER_OK;
}

temper_status noise_fill_priors(const struct noise_fit *fit, const double *w, double *prior)
{
    struct prior_job job = {fit, w, prior};
    if (fit->binary) {
        noise_binary_priors(fit, w, prior);
        return TEMPER_OK;
    }
    return pool_blocks(fit->team.pool, fit->blocks, fit->team.threads, copy_prior, &job);
}

double noise_certainty(const struct noise_fit *fit, const double *w)
{
    double sum = 0;
    for (size_t block = 0; block < fit->blocks; block++) {
        const struct block_work work = block_work(fit, w, block, 0);
        fill_prior(&work);
        for (size_t row = 0; row < noise_block_rows(fit, block); row++) {
            double top = 0;
            for (size_t c = 0; c < fit->rows->classes; c++)
                top = fmax(top, work.prior[c * NOISE_BLOCK + row]);
            sum += top;
        }
    }
    return sum / (double)fit->rows->rows;
}

/* ---- The likelihood of a block ------------------------------------------------------------------------------------
 */

/* Of uniform noise: fills p[] with the probabilities of the given labels, and work->activation with the derivatives of
 * their logarithms by the activations: the probability of the class given the label less that without it. Returns the
 * derivative of minus the log likelihood by the rate. */
static double uniform_slopes(const struct block_work *work, double rate, double *p)
{
    const struct noise_fit *fit = work->fit;
    size_t classes = fit->rows->classes, rows = noise_block_rows(fit, work->block);
    const uint32_t *given = fit->given + work->block * NOISE_BLOCK;
    double each = rate / (double)(classes - 1), own[NOISE_BLOCK], factor[NOISE_BLOCK], by_rate = 0;
    for (size_t row = 0; row < NOISE_BLOCK; row++)
        own[row] = work->prior[(size_t)given[row] * NOISE_BLOCK + row];
    for (size_t row = 0; row < NOISE_BLOCK; row++) {
        p[row] = own[row] * (1 - rate) + (1 - own[row]) * each;
        factor[row] = row < rows ? each / p[row] - 1 : 0;
    }
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            work->activation[c * NOISE_BLOCK + row] = work->prior[c * NOISE_BLOCK + row] * factor[row];
    for (size_t row = 0; row < rows; row++) {
        work->activation[(size_t)given[row] * NOISE_BLOCK + row] = own[row] * ((1 - rate) / p[row] - 1);
        by_rate -= ((1 - own[row]) / (double)(classes - 1) - own[row]) / p[row];
    }
    return by_rate;
}

/* The same of a table. */
static void table_slopes(const struct block_work *work, double *p)
{
    const struct noise_fit *fit = work->fit;
    size_t classes = fit->rows->classes, rows = noise_block_rows(fit, work->block);
    const uint32_t *given = fit->given + work->block * NOISE_BLOCK;
    double inverse[NOISE_BLOCK];
    memset(p, 0, NOISE_BLOCK * sizeof *p);
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++) {
            double joint = work->prior[c * NOISE_BLOCK + row] * fit->transition[c * classes + given[row]];
            work->activation[c * NOISE_BLOCK + row] = joint;
            p[row] += joint;
        }
    for (size_t row = 0; row < NOISE_BLOCK; row++) {
        p[row] = p[row] > LEAST_PROBABILITY ? p[row] : LEAST_PROBABILITY;
        inverse[row] = 1 / p[row];
    }
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++) {
            size_t cell = c * NOISE_BLOCK + row;
            work->activation[cell] = row < rows ? work->activation[cell] * inverse[row] - work->prior[cell] : 0;
        }
}

/* The same without noise. Returns minus the log likelihood. */
static double correct_slopes(const struct block_work *work)
{
    size_t rows = noise_block_rows(work->fit, work->block);
    double loss[NOISE_BLOCK], sum = 0;
    fill_losses(work, loss);
    for (size_t c = 0; c < work->fit->rows->classes; c++)
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            work->activation[c * NOISE_BLOCK + row] = row < rows ? -work->prior[c * NOISE_BLOCK + row] : 0;
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

/* Fills gradient[] with the derivatives of the log likelihood of a block by all parameters but the rate, from those by
 * the activations. */
static void fill_gradient(const struct block_work *work, double *gradient)
{
    const struct noise_fit *fit = work->fit;
    size_t classes = fit->rows->classes, slopes = fit->rows->sources * fit->slopes;
    size_t cells = classes / fit->slopes * NOISE_BLOCK; /* that a slope is for */
    for (size_t i = 0; i < slopes; i++)
        gradient[i] =
            2 * work->w[i] / fit->unit[i / fit->slopes] *
            dot(work->activation + i % fit->slopes * cells, fit->evidence + (work->block * slopes + i) * cells, cells);
    for (size_t c = 1; c <= fit->offsets; c++) {
        double sum = 0;
        for (size_t row = 0; row < NOISE_BLOCK; row++)
            sum += work->activation[c * NOISE_BLOCK + row];
        gradient[slopes + c - 1] = sum;
    }
}

/* ---- The likelihood of all rows -----------------------------------------------------------------------------------
 */

/* The sums of a block are its derivatives by the shared parameters, minus the log likelihood, and its derivative by the
 * rate. */
struct likelihood_job {
    const struct noise_fit *fit;
    const double *w;
    size_t shared;
    double rate;
};

/* Callback of pool_blocks. */
static temper_status likelihood_block(void *context, size_t block, size_t worker)
{
    const struct likelihood_job *job = context;
    const struct noise_fit *fit = job->fit;
    const struct block_work work = block_work(fit, job->w, block, worker);
    double p[NOISE_BLOCK], *sums = fit->sums + block * (job->shared + 2);
    double *loss = sums + job->shared, *by_rate = loss + 1;
    if (fit->binary && !fit->correct) {
        noise_binary_block(fit, job->w, noise_binary_labels(fit, job->rate), block, sums);
        return TEMPER_OK;
    }
    *by_rate = 0;
    if (fit->correct) {
        *loss = correct_slopes(&work);
    } else {
        fill_prior(&work);
        if (fit->transition)
            table_slopes(&work, p);
        else
            *by_rate = uniform_slopes(&work, job->rate, p);
        *loss = -sum_logarithms(p, noise_block_rows(fit, block));
    }
    fill_gradient(&work, sums);
    return TEMPER_OK;
}

temper_status noise_log_loss(const struct noise_fit *fit, const double *w, double *loss, double *gradient)
{
    size_t classes = fit->rows->classes, shared = noise_shared_parameters(fit);
    struct likelihood_job job = {fit, w, shared, noise_rate_of(classes, fit->free_rate ? w[shared] : fit->log_odds)};
    double by_rate = 0;
    temper_status status = pool_blocks(fit->team.pool, fit->blocks, fit->team.threads, likelihood_block, &job);
    if (status != TEMPER_OK)
        return status;
    memset(gradient, 0, (shared + fit->free_rate) * sizeof *gradient);
    *loss = 0;
    for (size_t block = 0; block < fit->blocks; block++) {
        const double *sums = fit->sums + block * (shared + 2);
        for (size_t i = 0; i < shared; i++)
            gradient[i] -= sums[i];
        *loss += sums[shared];
        by_rate += sums[shared + 1];
    }
    if (fit->free_rate)
        gradient[shared] = by_rate * job.rate * (1 - job.rate / noise_most_rate(classes));
    return TEMPER_OK;
}
