/* noise_likelihood: sums over blocks of rows. Threads compute the sums of single blocks, which are then added in the
 * order of the blocks: the same bits for any number of threads. */
#include "audit/noise/noise_likelihood.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "audit/noise/noise_binary.h"
#include "base/memory.h"

enum {
    LANES = 8,    /* independent sums, which the compiler makes vectors of */
    PRODUCTS = 16 /* probabilities that are multiplied before one logarithm; none is below NOISE_LEAST */
};

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

/* ---- Blocks -------------------------------------------------------------------------------------------------------
 */

/* Where row i of the fit is in the arrays of the rows. */
static size_t place_of(const struct noise_rows *rows, size_t i)
{
    return rows->among ? i * rows->among / rows->rows : i;
}

/* The root mean square deviation of a source from its mean over the classes; 1 for a source that is constant. */
static double unit_of(const struct noise_rows *rows, size_t source)
{
    double sum = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        const double *e = rows->evidence + (place_of(rows, row) * rows->sources + source) * rows->classes;
        double mean = 0;
        for (size_t c = 0; c < rows->classes; c++)
            mean += e[c] / (double)rows->classes;
        for (size_t c = 0; c < rows->classes; c++)
            sum += (e[c] - mean) * (e[c] - mean);
    }
    double unit = sqrt(sum / ((double)rows->rows * (double)rows->classes));
    return unit > 0 ? unit : 1;
}

/* The number of rows of each label, count[label + 1], and of all labels before it in the end: count[label]. */
static void count_labels(const struct noise_rows *rows, size_t *count)
{
    memset(count, 0, (rows->classes + 1) * sizeof *count);
    for (size_t row = 0; row < rows->rows; row++)
        count[rows->given[place_of(rows, row)] + 1]++;
    for (size_t c = 0; c < rows->classes; c++)
        count[c + 1] += count[c];
}

/* Divides the rows from..to of an order into blocks of a label. */
static void add_blocks(struct noise_fit *fit, size_t from, size_t to, uint32_t given)
{
    for (; from < to; from += NOISE_BLOCK) {
        size_t rows = to - from < NOISE_BLOCK ? to - from : (size_t)NOISE_BLOCK;
        size_t stride = (rows + NOISE_PAD - 1) / NOISE_PAD * NOISE_PAD;
        fit->block[fit->blocks++] = (struct noise_block){fit->padded, rows, stride, given};
        fit->padded += stride;
    }
}

/* The blocks of all rows, and their order: by label, and as they are within a label, or as they are if labels are
 * mixed. Position i of the order is row order[i] of the arrays. */
static void plan_blocks(struct noise_fit *fit, size_t *count, size_t *order)
{
    const struct noise_rows *rows = fit->rows;
    if (fit->mixed) {
        for (size_t row = 0; row < rows->rows; row++)
            order[row] = place_of(rows, row);
        add_blocks(fit, 0, rows->rows, 0);
        return;
    }
    count_labels(rows, count);
    for (size_t c = 0; c < rows->classes; c++)
        add_blocks(fit, count[c], count[c + 1], (uint32_t)c);
    for (size_t row = 0; row < rows->rows; row++) {
        size_t place = place_of(rows, row);
        order[count[rows->given[place]]++] = place;
    }
}

/* Copies evidence and labels into the blocks. */
static void fill_blocks(struct noise_fit *fit, const size_t *order)
{
    const struct noise_rows *rows = fit->rows;
    size_t cells = rows->sources * rows->classes;
    for (size_t b = 0; b < fit->blocks; b++) {
        const struct noise_block *block = &fit->block[b];
        double *to = fit->evidence + block->first * cells;
        for (size_t i = 0; i < block->rows; i++, order++) {
            const double *from = rows->evidence + *order * cells;
            for (size_t k = 0; k < cells; k++)
                to[k * block->stride + i] = from[k];
            fit->given[block->first + i] = rows->given[*order];
        }
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
    if (!mul_size(rows->classes, sizeof(double), &cells) || !mul_size(cells, rows->sources, &each))
        return false;
    fit->evidence = mem_zeroed(fit->padded, each);
    fit->given = mem_zeroed(fit->padded, sizeof *fit->given);
    fit->scratch = mem_aligned(2 * fit->team.threads, cells * NOISE_BLOCK);
    fit->sums = mem_alloc(fit->blocks, (most_parameters(rows) + 1) * sizeof *fit->sums);
    if (fit->team.threads > 1)
        fit->team.pool = thread_pool_new(fit->team.threads);
    return fit->evidence && fit->given && fit->scratch && fit->sums && (fit->team.threads == 1 || fit->team.pool);
}

/* Divides the rows into blocks and copies them there. */
static temper_status make_blocks(struct noise_fit *fit, temper_error *error)
{
    const struct noise_rows *rows = fit->rows;
    size_t most = rows->rows / NOISE_BLOCK + (fit->mixed ? 1 : rows->classes);
    size_t *order = mem_alloc(rows->rows, sizeof *order), *count = mem_alloc(rows->classes + 1, sizeof *count);
    fit->block = mem_alloc(most, sizeof *fit->block);
    bool fine = order && count && fit->block;
    if (fine) {
        plan_blocks(fit, count, order);
        fine = allocate_blocks(fit);
    }
    if (fine)
        fill_blocks(fit, order);
    mem_free(order);
    mem_free(count);
    return fine ? TEMPER_OK : error_no_memory(error);
}

temper_status noise_fit_new(const struct noise_rows *rows, struct noise_fit *out, temper_error *error)
{
    bool has_offsets = rows->classes <= NOISE_CLASSES && !rows->calibrated;
    const char *wanted;
    *out = (struct noise_fit){.rows = rows,
                              .slopes = 1,
                              .temperature = 1,
                              .weight = 1,
                              .offsets = has_offsets ? rows->classes - 1 : 0,
                              .kernel = kernel_choose(&wanted),
                              .team = {NULL, threads_worth(rows->threads ? rows->threads : 1, work_of(rows))},
                              .mixed = rows->classes > NOISE_CLASSES};
    if (!out->kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    TRY(make_blocks(out, error));
    for (size_t k = 0; k < rows->sources; k++)
        out->unit[k] = unit_of(rows, k);
    return rows->classes == 2 ? noise_binary_new(out, &out->binary, error) : TEMPER_OK;
}

void noise_fit_take_settings(struct noise_fit *fit, const struct noise_fit *of)
{
    fit->slopes = of->slopes;
    fit->transition = of->transition;
    fit->free_rate = of->free_rate;
    fit->log_odds = of->log_odds;
    fit->correct = of->correct;
    fit->temperature = of->temperature;
    if (fit->binary)
        noise_binary_take_table(fit, of);
}

void noise_fit_free(struct noise_fit *fit)
{
    thread_pool_free(fit->team.pool);
    mem_free(fit->block);
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
    const struct noise_block *block;
    /* [class * stride + row]: activations, later derivatives by these, and the probabilities of the true classes, or
     * the gradients of the losses of correct labels. */
    double *activation, *prior;
};

static struct block_work block_work(const struct noise_fit *fit, const double *w, size_t block, size_t worker)
{
    size_t cells = fit->rows->classes * NOISE_BLOCK;
    double *scratch = fit->scratch + 2 * worker * cells;
    return (struct block_work){fit, w, &fit->block[block], scratch, scratch + cells};
}

/* The evidence of a block. */
static const double *evidence_of(const struct block_work *work)
{
    return work->fit->evidence + work->block->first * work->fit->rows->sources * work->fit->rows->classes;
}

/* Fills work->activation with the scores of the classes. */
static void fill_activations(const struct block_work *work)
{
    const struct noise_fit *fit = work->fit;
    const double *w = work->w;
    size_t classes = fit->rows->classes, sources = fit->rows->sources, stride = work->block->stride;
    const double *offset = w + sources * fit->slopes;
    for (size_t c = 0; c < classes; c++) {
        double *activation = work->activation + c * stride;
        for (size_t row = 0; row < stride; row++)
            activation[row] = c > 0 && fit->offsets ? offset[c - 1] : 0;
        for (size_t k = 0; k < sources; k++) {
            const double *evidence = evidence_of(work) + (k * classes + c) * stride;
            double root = w[k * fit->slopes + c % fit->slopes], slope = root * root / fit->unit[k];
            for (size_t row = 0; row < stride; row++)
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
    struct softmax_f64 softmax = {.shape = {.rows = work->block->stride,
                                            .classes = fit->rows->classes,
                                            .stride = work->block->stride,
                                            .t1 = 1,
                                            .t2 = fit->temperature},
                                  .activation = work->activation,
                                  .label = fit->given + work->block->first,
                                  .gradient = work->prior,
                                  .loss = loss};
    fit->kernel->softmax_f64(&softmax);
}

/* The gradient of the logistic loss is the softmax, less 1 at the given label. */
static void fill_prior(const struct block_work *work)
{
    const uint32_t *given = work->fit->given + work->block->first;
    double loss[NOISE_BLOCK];
    fill_losses(work, loss);
    for (size_t row = 0; row < work->block->stride; row++)
        work->prior[(size_t)given[row] * work->block->stride + row] += 1;
}

double noise_certainty(const struct noise_fit *fit, const double *w)
{
    double sum = 0;
    for (size_t block = 0; block < fit->blocks; block++) {
        const struct block_work work = block_work(fit, w, block, 0);
        fill_prior(&work);
        for (size_t row = 0; row < work.block->rows; row++) {
            double top = 0;
            for (size_t c = 0; c < fit->rows->classes; c++)
                top = fmax(top, work.prior[c * work.block->stride + row]);
            sum += top;
        }
    }
    return sum / (double)fit->rows->rows;
}

/* ---- Blocks of one label by the kernels ---------------------------------------------------------------------------
 */

/* Parameters as the kernels take them, for one block. */
struct label_work {
    struct noise_scores rows;
    double slope[NOISE_SOURCES];
    double *by_offset, *by_chance; /* space for these derivatives */
};

/* Fills chance[class], the probability of a label: by a table, or, if there is none, by uniform noise of this rate. */
static void fill_chances(const double *transition, double rate, size_t classes, uint32_t given, double *chance)
{
    for (size_t c = 0; c < classes; c++) {
        double uniform = c == given ? 1 - rate : rate / (double)(classes - 1);
        chance[c] = transition ? transition[c * classes + given] : uniform;
    }
}

/* Slopes and offsets from w; NULL: neither. Chances as of fill_chances. */
static void begin_label(const struct block_work *work, const double *transition, double rate, struct label_work *out)
{
    const struct noise_fit *fit = work->fit;
    size_t classes = fit->rows->classes, sources = fit->rows->sources;
    double *offset = work->activation + NOISE_SPACE * classes, *chance = offset + classes;
    const double *w = work->w;
    fill_chances(transition, rate, classes, work->block->given, chance);
    for (size_t k = 0; w && k < sources; k++)
        out->slope[k] = w[k] * w[k] / fit->unit[k];
    for (size_t c = 0; w && c < classes; c++)
        offset[c] = c > 0 && fit->offsets ? w[sources + c - 1] : 0;
    out->rows = (struct noise_scores){.rows = work->block->rows,
                                      .stride = work->block->stride,
                                      .sources = sources,
                                      .classes = classes,
                                      .evidence = evidence_of(work),
                                      .slope = out->slope,
                                      .offset = offset,
                                      .chance = chance,
                                      .space = work->activation};
    out->by_offset = chance + classes;
    out->by_chance = out->by_offset + classes;
}

/* Fills sums[] of a block: derivatives of the log likelihood by the shared parameters, minus the log likelihood, and
 * its derivative by the rate. */
static void label_block(const struct block_work *work, double rate, double *sums)
{
    const struct noise_fit *fit = work->fit;
    size_t classes = fit->rows->classes, sources = fit->rows->sources, shared = noise_shared_parameters(fit);
    struct label_work label;
    begin_label(work, fit->transition, rate, &label);
    struct noise_score_sums found = {.by_slope = sums, .by_offset = label.by_offset, .by_chance = label.by_chance};
    fit->kernel->noise->scores(&label.rows, &found);
    for (size_t k = 0; k < sources; k++)
        sums[k] *= 2 * work->w[k] / fit->unit[k];
    for (size_t c = 1; c <= fit->offsets; c++)
        sums[sources + c - 1] = label.by_offset[c];
    sums[shared] = -found.log_likelihood;
    double by_rate = 0;
    for (size_t c = 0; c < classes; c++)
        by_rate += c == work->block->given ? label.by_chance[c] : -label.by_chance[c] / (double)(classes - 1);
    sums[shared + 1] = fit->transition ? 0 : by_rate;
}

/* What is computed of all blocks: probabilities of the true classes, or expected rows of each. */
struct prior_job {
    const struct noise_fit *fit;
    const double *w;
    double *out;
    const double *prior, *transition;
};

/* Callback of pool_blocks. */
static temper_status prior_block(void *context, size_t block, size_t worker)
{
    const struct prior_job *job = context;
    const struct block_work work = block_work(job->fit, job->w, block, worker);
    struct label_work label;
    begin_label(&work, NULL, 0, &label);
    job->fit->kernel->noise->score_priors(&label.rows, job->out + work.block->first * job->fit->rows->classes);
    return TEMPER_OK;
}

temper_status noise_fill_priors(const struct noise_fit *fit, const double *w, double *prior)
{
    struct prior_job job = {.fit = fit, .w = w, .out = prior};
    assert(!fit->mixed);
    if (fit->binary) {
        noise_binary_priors(fit, w, prior);
        return TEMPER_OK;
    }
    return pool_blocks(fit->team.pool, fit->blocks, fit->team.threads, prior_block, &job);
}

/* Callback of pool_blocks: the joint counts of one block, into its sums. */
static temper_status joint_block(void *context, size_t block, size_t worker)
{
    const struct prior_job *job = context;
    size_t classes = job->fit->rows->classes;
    const struct block_work work = block_work(job->fit, NULL, block, worker);
    struct label_work label;
    begin_label(&work, job->transition, 0, &label);
    job->fit->kernel->noise->score_joint(&label.rows, job->prior + work.block->first * classes,
                                         job->fit->sums + block * classes);
    return TEMPER_OK;
}

temper_status noise_fill_joint(const struct noise_fit *fit, const double *prior, const double *transition,
                               double *joint)
{
    struct prior_job job = {.fit = fit, .prior = prior, .transition = transition};
    size_t classes = fit->rows->classes, threads = fit->team.threads;
    if (fit->binary) {
        noise_binary_joint(fit, prior, transition, joint);
        return TEMPER_OK;
    }
    TRY(pool_blocks(fit->team.pool, fit->blocks, threads_worth(threads, (double)fit->padded * (double)classes * 4),
                    joint_block, &job));
    memset(joint, 0, classes * classes * sizeof *joint);
    for (size_t block = 0; block < fit->blocks; block++)
        for (size_t c = 0; c < classes; c++)
            joint[c * classes + fit->block[block].given] += fit->sums[block * classes + c];
    return TEMPER_OK;
}

/* ---- The likelihood of a block ------------------------------------------------------------------------------------
 */

/* Of uniform noise and labels that are mixed: fills p[] with the probabilities of the given labels, and
 * work->activation with the derivatives of their logarithms by the activations: the probability of the class given the
 * label less that without it. Returns the derivative of minus the log likelihood by the rate. */
static double uniform_slopes(const struct block_work *work, double rate, double *p)
{
    const struct noise_fit *fit = work->fit;
    size_t classes = fit->rows->classes, rows = work->block->rows, stride = work->block->stride;
    const uint32_t *given = fit->given + work->block->first;
    double each = rate / (double)(classes - 1), own[NOISE_BLOCK], factor[NOISE_BLOCK], by_rate = 0;
    for (size_t row = 0; row < stride; row++)
        own[row] = work->prior[(size_t)given[row] * stride + row];
    for (size_t row = 0; row < stride; row++) {
        p[row] = own[row] * (1 - rate) + (1 - own[row]) * each;
        factor[row] = row < rows ? each / p[row] - 1 : 0;
    }
    for (size_t c = 0; c < classes; c++)
        for (size_t row = 0; row < stride; row++)
            work->activation[c * stride + row] = work->prior[c * stride + row] * factor[row];
    for (size_t row = 0; row < rows; row++) {
        work->activation[(size_t)given[row] * stride + row] = own[row] * ((1 - rate) / p[row] - 1);
        by_rate -= ((1 - own[row]) / (double)(classes - 1) - own[row]) / p[row];
    }
    return by_rate;
}

/* The same without noise. Returns minus the log likelihood. */
static double correct_slopes(const struct block_work *work)
{
    size_t rows = work->block->rows, stride = work->block->stride;
    double loss[NOISE_BLOCK], sum = 0;
    fill_losses(work, loss);
    for (size_t c = 0; c < work->fit->rows->classes; c++)
        for (size_t row = 0; row < stride; row++)
            work->activation[c * stride + row] = row < rows ? -work->prior[c * stride + row] : 0;
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
            product *= p[i] > NOISE_LEAST ? p[i] : NOISE_LEAST;
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
    size_t stride = work->block->stride, cells = classes / fit->slopes * stride; /* that a slope is for */
    for (size_t i = 0; i < slopes; i++)
        gradient[i] = 2 * work->w[i] / fit->unit[i / fit->slopes] *
                      dot(work->activation + i % fit->slopes * cells, evidence_of(work) + i * cells, cells);
    for (size_t c = 1; c <= fit->offsets; c++) {
        double sum = 0;
        for (size_t row = 0; row < stride; row++)
            sum += work->activation[c * stride + row];
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
    if (fit->binary) {
        noise_binary_block(fit, job->w, job->rate, block, sums);
        return TEMPER_OK;
    }
    if (!fit->correct && !fit->mixed) {
        label_block(&work, job->rate, sums);
        return TEMPER_OK;
    }
    *by_rate = 0;
    if (fit->correct) {
        *loss = correct_slopes(&work);
    } else {
        fill_prior(&work);
        *by_rate = uniform_slopes(&work, job->rate, p);
        *loss = -sum_logarithms(p, work.block->rows);
    }
    fill_gradient(&work, sums);
    return TEMPER_OK;
}

temper_status noise_log_loss(const struct noise_fit *fit, const double *w, double *loss, double *gradient)
{
    size_t classes = fit->rows->classes, shared = noise_shared_parameters(fit);
    struct likelihood_job job = {fit, w, shared, noise_rate_of(classes, fit->free_rate ? w[shared] : fit->log_odds)};
    double by_rate = 0;
    if (fit->binary)
        noise_binary_prepare(fit);
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
