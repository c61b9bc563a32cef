/* noise_model: slopes, offsets and rate by noise_posterior.h; the table of confused pairs by expectation maximisation
 * with a prior under which most of its cells are 0, from the sample to all rows. */
#include "audit/noise/noise_model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "audit/noise/noise_likelihood.h"
#include "audit/noise/noise_posterior.h"
#include "base/memory.h"

/* The rate is given by its log odds relative to the largest one. NO_NOISE: a rate of about 1e-4. */
static const double NO_NOISE = -9, MOST_LOG_ODDS = 6, FIRST_RATE = 0.1, LEAST_RATE = 1e-4;
/* Expected rows of a cell of the table that its prior takes away: cells with fewer are 0. */
static const double CELL_ROWS = 2;
/* Nats by which a table has to be likelier than uniform noise: for itself and for each of its cells. On 23 data sets
 * without noise and with uniform noise the gain was below that but for one of 34 % accuracy; planted pairs of classes
 * gain 10 to 70 for each cell. */
static const double TABLE_GAIN = 4, CELL_GAIN = 4;
/* Share of uniform noise and of the table from which the estimation of the table starts, and the least slope there. */
static const double TABLE_START = 0.1, SLOPE_START = 0.5;
/* The slopes from which it starts, relative to those of uniform noise. */
static const double STARTS[] = {1, 3};
/* The log likelihood at the ends of a 90 % range is this much below its maximum. */
static const double RANGE_NATS = 1.3528;
/* Temperatures of correct labels, and the nats that each slope beyond the first of a source has to gain. */
static const double TEMPERATURES[] = {1, 1.3}, SLOPE_COST = 0.5;
/* Correct labels are maximised until two iterations in a row gain less than this many nats. */
static const double CORRECT_GAIN = 0.01;
static const double LEAST_STEP = 0.05, MOST_STEP = 4, FIRST_STEP = 0.3; /* of the log odds, in the search of the ends */

enum {
    MOST_ITERATIONS = 100,
    TABLE_ROUNDS = 30,       /* of the table and the other parameters in turn */
    TABLE_STEPS = 8,         /* EM steps of the table in each round */
    TABLE_ITERATIONS = 10,   /* L-BFGS iterations of the other parameters in each round */
    CORRECT_ITERATIONS = 30, /* for each temperature, from the parameters of the one before */
};

/* ---- Transitions --------------------------------------------------------------------------------------------------
 */

static double log_odds_of(size_t classes, double rate)
{
    double share = fmin(fmax(rate, LEAST_RATE / 10) / noise_most_rate(classes), 1 - 1e-6);
    return log(share / (1 - share));
}

/* p(given | true class): a cell of the table, or uniform noise. */
static double transition_of(const double *transition, double rate, size_t classes, size_t true_class, uint32_t given)
{
    if (transition)
        return transition[true_class * classes + given];
    return true_class == given ? 1 - rate : rate / (double)(classes - 1);
}

/* log(sum exp a[i]), relative to the largest, so that nothing overflows. */
static double log_sum_exp(const double *a, size_t n)
{
    double top = a[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        top = fmax(top, a[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(a[i] - top);
    return top + log(sum);
}

void noise_model_scores(const struct noise_model *model, const double *evidence, double *out)
{
    for (size_t c = 0; c < model->classes; c++) {
        out[c] = model->offset[c];
        for (size_t k = 0; k < model->sources; k++)
            out[c] += model->slope[k] * evidence[k * model->classes + c];
    }
}

void noise_model_sharpen(struct noise_model *model, double factor)
{
    for (size_t k = 0; k < model->sources; k++)
        model->slope[k] *= factor;
    for (size_t c = 0; c < model->classes; c++)
        model->offset[c] *= factor;
}

/* The normaliser of the probabilities of the true classes is a constant of the row, and left out. */
double noise_model_row(const struct noise_model *model, const double *evidence, uint32_t given, double *out)
{
    noise_model_scores(model, evidence, out);
    for (size_t c = 0; c < model->classes; c++)
        out[c] += log(transition_of(model->transition, model->rate, model->classes, c, given));
    return log_sum_exp(out, model->classes);
}

void noise_model_log_labels(const struct noise_model *model, double *out)
{
    size_t classes = model->classes;
    for (size_t c = 0; c < classes; c++)
        for (size_t g = 0; g < classes; g++)
            out[c * classes + g] = log(transition_of(model->transition, model->rate, classes, c, (uint32_t)g));
}

double noise_model_likelihood(const struct noise_model *model, const double *evidence, uint32_t given, double *space)
{
    double joint = noise_model_row(model, evidence, given, space);
    noise_model_scores(model, evidence, space);
    return joint - log_sum_exp(space, model->classes);
}

/* ---- Confused pairs of classes ------------------------------------------------------------------------------------
 */

/* Noise that is uniform up to some pairs: p(g | c) = uniform / (C - 1) + pair[c][g]. */
struct confused_pairs {
    double uniform;
    double *pair;       /* [true * classes + given], 0 for equal classes and for most others */
    double *joint;      /* expected rows, in the same order */
    double *transition; /* that follows */
    double *prior;      /* of all blocks, as of noise_fill_priors */
};

/* The table that follows from the pairs. The given label is the true class at least in one row of a hundred. */
static void fill_transition(struct confused_pairs *pairs, size_t classes)
{
    for (size_t c = 0; c < classes; c++) {
        double *line = pairs->transition + c * classes, off = 0;
        for (size_t g = 0; g < classes; g++) {
            line[g] = pairs->uniform / (double)(classes - 1) + pairs->pair[c * classes + g];
            off += g == c ? 0 : line[g];
        }
        for (size_t g = 0; off > 0.99 && g < classes; g++)
            line[g] *= 0.99 / off;
        line[c] = fmax(1 - off, 0.01);
    }
}

/* E step: joint counts of true class and label, given the probabilities of the true classes. */
static temper_status fill_joint(const struct noise_fit *fit, struct confused_pairs *pairs, temper_error *error)
{
    size_t cells = fit->rows->classes * fit->rows->classes;
    if (noise_fill_joint(fit, pairs->prior, pairs->transition, pairs->joint) != TEMPER_OK)
        return error_no_memory(error);
    for (size_t i = 0; i < cells; i++)
        pairs->joint[i] *= fit->weight;
    return TEMPER_OK;
}

/* M step: a wrong label is of the uniform noise or of its pair; the prior takes CELL_ROWS rows from each pair. Returns
 * the number of pairs that remain. */
static size_t update_pairs(double rows, size_t classes, struct confused_pairs *pairs)
{
    double wrong = 0, each = pairs->uniform / (double)(classes - 1);
    size_t remaining = 0;
    for (size_t c = 0; c < classes; c++) {
        double of_class = 1e-300;
        for (size_t g = 0; g < classes; g++)
            of_class += pairs->joint[c * classes + g];
        for (size_t g = 0; g < classes; g++) {
            size_t cell = c * classes + g;
            double share = pairs->pair[cell] > 0 ? pairs->pair[cell] / (pairs->pair[cell] + each) : 0;
            double count = g == c ? 0 : pairs->joint[cell];
            pairs->pair[cell] = fmax(count * share - CELL_ROWS, 0) / of_class;
            wrong += count * (1 - share);
            remaining += pairs->pair[cell] > 0;
        }
    }
    pairs->uniform = fmin(fmax(wrong / rows, LEAST_RATE), 0.9 * noise_most_rate(classes));
    fill_transition(pairs, classes);
    return remaining;
}

/* The start of the estimation: every pair, and slopes of w that are not too small: where evidence seems weak, no label
 * contradicts it. */
static void begin_pairs(const struct noise_fit *fit, struct confused_pairs *pairs, double *w)
{
    size_t classes = fit->rows->classes, sources = fit->rows->sources;
    for (size_t k = 0; k < sources; k++)
        w[k] = fmax(w[k], sqrt(SLOPE_START));
    for (size_t i = sources; i < noise_shared_parameters(fit); i++)
        w[i] = 0;
    pairs->uniform = TABLE_START;
    for (size_t cell = 0; cell < classes * classes; cell++)
        pairs->pair[cell] = cell % (classes + 1) == 0 ? 0 : TABLE_START / (double)(classes - 1);
}

/* EM steps of the table, given the other parameters. *remaining is the number of pairs. */
static temper_status step_pairs(const struct noise_fit *fit, struct confused_pairs *pairs, const double *w,
                                size_t *remaining, temper_error *error)
{
    double rows = fit->weight * (double)fit->rows->rows;
    if (noise_fill_priors(fit, w, pairs->prior) != TEMPER_OK)
        return error_no_memory(error);
    *remaining = 1;
    for (size_t step = 0; step < TABLE_STEPS && *remaining > 0; step++) {
        TRY(fill_joint(fit, pairs, error));
        *remaining = update_pairs(rows, fit->rows->classes, pairs);
    }
    return TEMPER_OK;
}

/* A table and parameters in progress. */
struct table_estimate {
    double *w;
    double posterior; /* its logarithm */
    size_t remaining; /* pairs; with 0 none comes back: that is uniform noise, which was fitted before */
};

/* Whether a table is estimated on the sample first. Not of more than two classes, of which a sample has few rows of
 * each pair: on satimage with 40 % of the labels in pairs, average precision fell from 0.96 to 0.85. */
static bool sample_first(const struct noise_search *search)
{
    return search->has_sample && search->all.rows->classes == 2;
}

/* Estimates pairs and the other parameters in turn, of all rows or of the sample. */
static temper_status maximise_pairs(struct noise_search *search, bool of_sample, struct confused_pairs *pairs,
                                    struct table_estimate *table, temper_error *error)
{
    struct noise_fit *fit = of_sample ? &search->sample : &search->all;
    double before = -INFINITY;
    fill_transition(pairs, fit->rows->classes);
    search->all.transition = pairs->transition;
    for (size_t round = 0; round < TABLE_ROUNDS; round++) {
        TRY(step_pairs(fit, pairs, table->w, &table->remaining, error));
        if (table->remaining == 0)
            break;
        if (of_sample)
            TRY(noise_maximise_sample(search, round == 0 ? NOISE_FAR : NOISE_AGAIN, TABLE_ITERATIONS, table->w,
                                      &table->posterior, error));
        else
            TRY(noise_maximise(search, sample_first(search) ? (round == 0 ? NOISE_NEAR : NOISE_AGAIN) : NOISE_SEVERAL,
                               TABLE_ITERATIONS, table->w, &table->posterior, error));
        if (fabs(table->posterior - before) < 0.05)
            break;
        before = table->posterior;
    }
    return TEMPER_OK;
}

/* Workspace of all fits. */
struct noise_space {
    double *w, *uniform, *of_table; /* parameters of the model, of uniform noise and of a table */
    double *scaled;                 /* a table */
    double *kept;                   /* the pairs of the better start, and its parameters */
    double *by_class;               /* parameters with a slope for each class */
    struct confused_pairs pairs;
};

/* ---- Models -------------------------------------------------------------------------------------------------------
 */

/* Parameters and table as a model; `rate` of uniform noise. */
static temper_status make_model(const struct noise_fit *fit, const double *w, double rate, struct noise_model *out,
                                temper_error *error)
{
    size_t classes = fit->rows->classes, sources = fit->rows->sources, cells = classes * classes;
    struct noise_model model = {.classes = classes, .sources = sources, .rate = rate};
    model.offset = mem_zeroed(classes, sizeof *model.offset);
    model.transition = fit->transition ? mem_alloc(cells, sizeof *model.transition) : NULL;
    if (!model.offset || (fit->transition && !model.transition)) {
        mem_free(model.offset);
        mem_free(model.transition);
        return error_no_memory(error);
    }
    for (size_t k = 0; k < sources; k++)
        model.slope[k] = w[k] * w[k] / fit->unit[k];
    for (size_t c = 1; c <= fit->offsets; c++)
        model.offset[c] = w[sources + c - 1];
    if (fit->transition && model.transition)
        memcpy(model.transition, fit->transition, cells * sizeof *model.transition);
    *out = model;
    return TEMPER_OK;
}

static void free_model(struct noise_model *model)
{
    mem_free(model->offset);
    mem_free(model->transition);
}

/* scaled[] = the table with its wrong labels multiplied by `factor`, at most up to 0.98 of a class. */
static void scale_table(const double *table, size_t classes, double factor, double *scaled)
{
    for (size_t c = 0; c < classes; c++) {
        double off = 1 - table[c * classes + c], times = off > 0 ? fmin(factor, 0.98 / off) : 1;
        for (size_t g = 0; g < classes; g++)
            scaled[c * classes + g] = times * table[c * classes + g];
        scaled[c * classes + c] = 1 - times * off;
    }
}

/* The log posterior with the noise fixed at `step` from the best, in log odds of the rate or, for a table, logarithm of
 * its wrong labels; the other parameters are maximised from `best`, into space->w. */
static temper_status profile(struct noise_search *search, struct noise_space *space, const struct noise_model *best,
                             double step, double *posterior, temper_error *error)
{
    struct noise_fit *fit = &search->all;
    size_t classes = fit->rows->classes;
    double *w = space->w;
    for (size_t k = 0; k < fit->rows->sources; k++)
        w[k] = sqrt(best->slope[k] * fit->unit[k]);
    for (size_t c = 1; c <= fit->offsets; c++)
        w[fit->rows->sources + c - 1] = best->offset[c];
    fit->free_rate = false;
    fit->transition = NULL;
    fit->log_odds = fmin(fmax(log_odds_of(classes, best->rate) + step, NO_NOISE), MOST_LOG_ODDS);
    if (best->transition) {
        scale_table(best->transition, classes, exp(step), space->scaled);
        fit->transition = space->scaled;
    }
    return noise_maximise(search, NOISE_NEAR, MOST_ITERATIONS, w, posterior, error);
}

/* The model at one end of the range: the log posterior is taken to be a parabola in the step, which one profile
 * determines. `direction` is -1 or 1. */
static temper_status find_end(struct noise_search *search, struct noise_space *space,
                              const struct noise_estimate *estimate, double direction, struct noise_model *out,
                              temper_error *error)
{
    const struct noise_fit *fit = &search->all;
    double at;
    TRY(profile(search, space, &estimate->best, direction * FIRST_STEP, &at, error));
    double drop = fmax(estimate->log_posterior - at, 1e-6);
    double step = fmin(fmax(FIRST_STEP * sqrt(RANGE_NATS / drop), LEAST_STEP), MOST_STEP);
    TRY(profile(search, space, &estimate->best, direction * step, &at, error));
    return make_model(fit, space->w, noise_rate_of(fit->rows->classes, fit->log_odds), out, error);
}

/* ---- The estimate -------------------------------------------------------------------------------------------------
 */

static void free_space(struct noise_space *space)
{
    mem_free(space->w);
    mem_free(space->uniform);
    mem_free(space->of_table);
    mem_free(space->scaled);
    mem_free(space->kept);
    mem_free(space->by_class);
    mem_free(space->pairs.pair);
    mem_free(space->pairs.joint);
    mem_free(space->pairs.transition);
    mem_free(space->pairs.prior);
}

/* Without memory for a table where there are too many classes for one. The caller frees also after a failure. */
static temper_status allocate_space(const struct noise_fit *fit, struct noise_space *space, temper_error *error)
{
    size_t classes = fit->rows->classes, size = noise_shared_parameters(fit) + 1, cells, rows;
    space->w = mem_zeroed(size, sizeof *space->w);
    space->uniform = mem_zeroed(size, sizeof *space->uniform);
    space->of_table = mem_zeroed(size, sizeof *space->of_table);
    bool fine = space->w && space->uniform && space->of_table;
    if (fine && fit->offsets) {
        fine = mul_size(classes, classes, &cells) && mul_size(fit->padded, classes, &rows);
        space->scaled = fine ? mem_alloc(cells, sizeof(double)) : NULL;
        space->kept = fine ? mem_alloc(cells + size, sizeof(double)) : NULL;
        space->by_class = mem_alloc(classes, (fit->rows->sources + 1) * sizeof(double));
        space->pairs.pair = fine ? mem_alloc(cells, sizeof(double)) : NULL;
        space->pairs.joint = fine ? mem_alloc(cells, sizeof(double)) : NULL;
        space->pairs.transition = fine ? mem_alloc(cells, sizeof(double)) : NULL;
        space->pairs.prior = fine ? mem_alloc(rows, sizeof(double)) : NULL;
        fine = space->scaled && space->kept && space->by_class && space->pairs.pair && space->pairs.joint &&
               space->pairs.transition && space->pairs.prior;
    }
    return fine ? TEMPER_OK : error_no_memory(error);
}

/* Replaces the model and its log posterior by the table, whose parameters are in space->of_table. */
static temper_status take_table(struct noise_search *search, struct noise_space *space, struct noise_estimate *out,
                                temper_error *error)
{
    const struct noise_fit *fit = &search->all;
    size_t classes = fit->rows->classes;
    struct noise_model model;
    double posterior, right = 0;
    TRY(noise_maximise(search, NOISE_AGAIN, MOST_ITERATIONS, space->of_table, &posterior, error));
    TRY(fill_joint(fit, &space->pairs, error));
    for (size_t c = 0; c < classes; c++)
        right += space->pairs.joint[c * classes + c];
    TRY(make_model(fit, space->of_table, 1 - right / (double)fit->rows->rows, &model, error));
    free_model(&out->best);
    out->best = model;
    out->log_posterior = posterior;
    memcpy(space->w, space->of_table, noise_shared_parameters(fit) * sizeof *space->w);
    return TEMPER_OK;
}

/* The log posterior of a table, less CELL_GAIN for each cell. */
static double value_of(const struct table_estimate *table)
{
    return table->remaining > 0 ? table->posterior - CELL_GAIN * (double)table->remaining : -INFINITY;
}

/* The start of a table: slopes that are `factor` times those of uniform noise, in space->uniform. */
static void begin_table(const struct noise_fit *fit, struct noise_space *space, double factor)
{
    for (size_t k = 0; k < fit->rows->sources; k++)
        space->of_table[k] = sqrt(factor) * space->uniform[k];
    begin_pairs(fit, &space->pairs, space->of_table);
}

/* Copies pairs and parameters of a table to space->kept, or back. */
static void keep_table(const struct noise_fit *fit, struct noise_space *space, double *uniform, bool back)
{
    size_t cells = fit->rows->classes * fit->rows->classes, shared = noise_shared_parameters(fit);
    double *kept = space->kept, *pair = space->pairs.pair, *w = space->of_table;
    memcpy(back ? pair : kept, back ? kept : pair, cells * sizeof *pair);
    memcpy(back ? w : kept + cells, back ? kept + cells : w, shared * sizeof *w);
    *(back ? &space->pairs.uniform : uniform) = *(back ? uniform : &space->pairs.uniform);
}

/* Estimates tables of the sample, from two starts, since the likelihood has several maxima, and leaves the better one
 * as the start for all rows. *found: it may be clearly likelier than uniform noise on all rows. */
static temper_status try_sample(struct noise_search *search, struct noise_space *space, bool *found,
                                temper_error *error)
{
    const struct noise_fit *fit = &search->all;
    double without, best = -INFINITY, uniform = 0, need = TABLE_GAIN + CELL_GAIN;
    bool was_free = fit->free_rate;
    search->all.free_rate = true;
    memcpy(space->of_table, space->w, (noise_shared_parameters(fit) + 1) * sizeof *space->w);
    TRY(noise_maximise_sample(search, NOISE_NEAR, MOST_ITERATIONS, space->of_table, &without, error));
    search->all.free_rate = was_free;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        struct table_estimate table = {.w = space->of_table};
        begin_table(fit, space, STARTS[i]);
        TRY(maximise_pairs(search, true, &space->pairs, &table, error));
        if (value_of(&table) > best) {
            best = value_of(&table);
            keep_table(fit, space, &uniform, false);
        }
    }
    *found = best - without > TABLE_GAIN - 2 * sqrt(2 * search->sample.weight * need);
    if (*found)
        keep_table(fit, space, &uniform, true);
    return TEMPER_OK;
}

/* Estimates a table of all rows from space->pairs and space->of_table, and takes it where it is clearly likelier.
 * *least is the log posterior, less CELL_GAIN for each cell, that it has to exceed. */
static temper_status try_table(struct noise_search *search, struct noise_space *space, double *least,
                               struct noise_estimate *out, temper_error *error)
{
    struct table_estimate table = {.w = space->of_table};
    TRY(maximise_pairs(search, false, &space->pairs, &table, error));
    if (!(value_of(&table) > *least))
        return TEMPER_OK;
    *least = value_of(&table);
    return take_table(search, space, out, error);
}

/* Tables from two starts; with a sample from the better one of the sample. */
static temper_status try_tables(struct noise_search *search, struct noise_space *space, struct noise_estimate *out,
                                temper_error *error)
{
    struct noise_fit *fit = &search->all;
    double least = out->log_posterior + TABLE_GAIN;
    bool found = false;
    fit->free_rate = false;
    memcpy(space->uniform, space->w, noise_shared_parameters(fit) * sizeof *space->w);
    if (sample_first(search)) {
        TRY(try_sample(search, space, &found, error));
        if (found)
            TRY(try_table(search, space, &least, out, error));
    }
    for (size_t i = 0; !sample_first(search) && i < sizeof STARTS / sizeof *STARTS; i++) {
        begin_table(fit, space, STARTS[i]);
        TRY(try_table(search, space, &least, out, error));
    }
    fit->transition = out->best.transition;
    return TEMPER_OK;
}

/* Uniform noise, then the table. */
static temper_status find_best(struct noise_search *search, struct noise_space *space, struct noise_estimate *out,
                               temper_error *error)
{
    struct noise_fit *fit = &search->all;
    size_t classes = fit->rows->classes, shared = noise_shared_parameters(fit);
    for (size_t k = 0; k < fit->rows->sources; k++)
        space->w[k] = 1;
    space->w[shared] = log_odds_of(classes, FIRST_RATE * noise_most_rate(classes));
    fit->free_rate = true;
    TRY(noise_maximise(search, NOISE_SEVERAL, MOST_ITERATIONS, space->w, &out->log_posterior, error));
    TRY(make_model(fit, space->w, noise_rate_of(classes, space->w[shared]), &out->best, error));
    if (fit->offsets)
        TRY(try_tables(search, space, out, error));
    out->certainty = noise_certainty(fit, space->w);
    for (size_t k = 0; k < fit->rows->sources; k++)
        out->weight[k] = space->w[k] * space->w[k];
    return TEMPER_OK;
}

/* Raises out->without to the log posterior of correct labels that the evidence predicts less well than the softmax
 * says: classes that overlap more than others, errors on rows that seem sure. From the parameters without noise in
 * space->w. Each slope costs SLOPE_COST nats. Ends where noise is not clearly likelier any more. */
static temper_status find_correct(struct noise_search *search, struct noise_space *space, struct noise_estimate *out,
                                  temper_error *error)
{
    struct noise_fit *fit = &search->all;
    size_t sources = fit->rows->sources, classes = fit->rows->classes;
    double *w = space->by_class, cost = SLOPE_COST * (double)(sources * (classes - 1));
    temper_status status = TEMPER_OK;
    assert(w); /* there are classes with offsets, for which it was allocated */
    for (size_t i = 0; i < sources * classes; i++)
        w[i] = space->w[i / classes];
    memcpy(w + sources * classes, space->w + sources, fit->offsets * sizeof *w);
    fit->slopes = classes;
    fit->correct = true;
    search->least_gain = CORRECT_GAIN; /* of the parameters nothing is used but the value */
    for (size_t i = 0; status == TEMPER_OK && i < sizeof TEMPERATURES / sizeof *TEMPERATURES; i++) {
        double posterior = -INFINITY;
        if (out->log_posterior - out->without < NOISE_LEAST_GAIN)
            break;
        fit->temperature = TEMPERATURES[i];
        status = noise_maximise(search, i == 0 ? NOISE_FAR : NOISE_NEAR, CORRECT_ITERATIONS, w, &posterior, error);
        out->without = fmax(out->without, posterior - cost);
    }
    search->least_gain = 0;
    fit->slopes = 1;
    fit->correct = false;
    fit->temperature = 1;
    return status;
}

/* The range, and no noise at all. */
static temper_status find_range(struct noise_search *search, struct noise_space *space, struct noise_estimate *out,
                                temper_error *error)
{
    struct noise_fit *fit = &search->all;
    TRY(find_end(search, space, out, -1, &out->low, error));
    TRY(find_end(search, space, out, 1, &out->high, error));
    /* From slopes of 1: those of the estimate with noise are too steep. */
    for (size_t i = 0; i < noise_shared_parameters(fit); i++)
        space->w[i] = i < fit->rows->sources;
    fit->transition = NULL;
    fit->log_odds = NO_NOISE;
    TRY(noise_maximise(search, NOISE_FAR, MOST_ITERATIONS, space->w, &out->without, error));
    return fit->offsets ? find_correct(search, space, out, error) : TEMPER_OK;
}

temper_status noise_model_fit(const struct noise_rows *rows, bool best_only, struct noise_estimate *out,
                              temper_error *error)
{
    struct noise_search search;
    struct noise_space space = {0};
    struct noise_estimate found = {0};
    temper_status status = noise_search_new(rows, &search, error);
    if (status == TEMPER_OK)
        status = allocate_space(&search.all, &space, error);
    if (status == TEMPER_OK)
        status = find_best(&search, &space, &found, error);
    if (status == TEMPER_OK && !best_only)
        status = find_range(&search, &space, &found, error);
    free_space(&space);
    noise_search_free(&search);
    if (status == TEMPER_OK)
        *out = found;
    else
        noise_estimate_free(&found);
    return status;
}

void noise_estimate_free(struct noise_estimate *estimate)
{
    free_model(&estimate->best);
    free_model(&estimate->low);
    free_model(&estimate->high);
    *estimate = (struct noise_estimate){0};
}
