/* evidence: what the fits, the neighbours and the ridge regression say about the true class of every row, and the label
 * noise that is estimated from it. */
#include <math.h>
#include <string.h>

#include "audit/audit_steps.h"
#include "audit/contradictions.h"
#include "audit/noise/noise_counts.h"
#include "base/memory.h"
#include "base/thread.h"

/* The noise is estimated from an evenly spread sample of so many rows times classes, and LEAST_SAMPLE rows more;
 * intermediate estimates from one in INTERMEDIATE_SHARE of these, but no fewer than INTERMEDIATE_SAMPLE. */
enum { SAMPLE_CELLS = 60000, LEAST_SAMPLE = 1000, INTERMEDIATE_SHARE = 6, INTERMEDIATE_SAMPLE = 2000 };
/* Votes are counted among the nearest neighbours, and among all that were searched for: the latter are less local, and
 * vary less. */
enum { NEAREST = 5 };
/* Rounds in which neighbours vote with the probabilities of their true classes. */
enum { CLEANED_ROUNDS = 2 };

/* Nats by which the labels have to be likelier with noise than without any, for each label that is called wrong: over
 * the number of other classes, and times how unsure the true classes are. */
static const double GAIN_PER_LABEL = 0.4;
/* The cleaned sources are given up after the first round where all sources are likelier by GIVE_UP_NATS, and by
 * GIVE_UP_SHARE of what the votes of true classes have gained. In 1,505 audits of design sets, of which the cleaned
 * sources were likelier in 334 in the end, they were in none of the 297 that were given up. */
static const double GIVE_UP_NATS = 50, GIVE_UP_SHARE = 0.2;
/* Where the likelihood says less than NOISE_LEAST_GAIN, contradictions that are independent of the evidence decide; the
 * evidence is then taken to be sure: the median margin is SURE_MARGIN nats. */
static const double SURE_MARGIN = 8;
/* What may be added to given probabilities before their logarithms are taken; the likelihood chooses. */
static const double ADDED[] = {LEAST_ADDED, 0.01, 0.1};
/* The slope of given probabilities that show no noise: a little above 1, so that rows whose labels are equally probable
 * are in the order of how sure another class is. */
static const double GIVEN_SLOPE = 1.0005;

/* Sources of evidence that are combined. */
struct source_set {
    size_t first, losses; /* scores of these losses */
    bool votes, rff;      /* votes of the neighbours' given labels, regression */
    const double *true_p; /* NULL, or [row * classes + class]: neighbours vote with these */
};

/* What the estimation works on. */
struct source_job {
    const struct audit_input *in;
    struct audit_fits *fits;
    const struct audit_neighbours *near;
    size_t sample;                     /* rows */
    double *sampled;                   /* evidence of the sample, of at most NOISE_SOURCES sources */
    uint32_t *given;                   /* its labels */
    double *row;                       /* of each thread: evidence of one row, and one number per class */
    double vote[AUDIT_NEIGHBOURS + 1]; /* log(1 + C v) of v votes, which are whole numbers for given labels */
    double *log_p, *true_p;            /* of all rows: posteriors of the true class */
    unsigned char *ones; /* of two classes: [row * 2], the NEAREST and all neighbours with label 1; else NULL */
};

/* ---- Evidence about one row ---------------------------------------------------------------------------------------
 */

static size_t count_sources(const struct source_set *set)
{
    return set->losses + (set->votes ? 2 : 0) + (set->rff ? 1 : 0) + (set->true_p ? 1 : 0);
}

/* Two classes: sums of true_p in registers. */
static void count_two(const uint32_t *neighbour, size_t count, const double *true_p, double *out)
{
    double zero = 0, one = 0;
    for (size_t i = 0; i < count; i++) {
        zero += true_p[(size_t)neighbour[i] * 2];
        one += true_p[(size_t)neighbour[i] * 2 + 1];
    }
    out[0] = zero;
    out[1] = one;
}

/* out[class] = the votes of the first `count` neighbours, which vote with their given labels, or, if true_p is not
 * NULL, with these. */
static void count_votes(const struct source_job *job, const uint32_t *neighbour, size_t count, const double *true_p,
                        double *out)
{
    size_t classes = job->in->classes;
    memset(out, 0, classes * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        if (!true_p)
            out[job->in->data->label[neighbour[i]]]++;
        for (size_t c = 0; true_p && c < classes; c++)
            out[c] += true_p[neighbour[i] * classes + c];
    }
}

/* out[class] = log(1 + C v) of the votes v, which is log((v + 1/C) / (count + 1)) up to a constant of the row. */
static void fill_votes(const struct source_job *job, const uint32_t *neighbour, size_t count, const double *true_p,
                       double *out)
{
    size_t classes = job->in->classes;
    if (classes == 2 && true_p)
        count_two(neighbour, count, true_p, out);
    else
        count_votes(job, neighbour, count, true_p, out);
    for (size_t c = 0; c < classes; c++)
        out[c] = true_p ? log1p((double)classes * out[c]) : job->vote[(size_t)out[c]];
}

/* The same of both numbers of neighbours that are counted, by their given labels: out[2 * classes]. Of two classes they
 * follow from what was counted before. */
static void fill_label_votes(const struct source_job *job, size_t row, double *out)
{
    const struct audit_neighbours *near = job->near;
    const uint32_t *neighbour = near->neighbour + row * near->count;
    size_t nearest = near->count < NEAREST ? near->count : (size_t)NEAREST;
    if (job->ones) {
        const unsigned char *ones = job->ones + row * 2;
        out[0] = job->vote[nearest - ones[0]];
        out[1] = job->vote[ones[0]];
        out[2] = job->vote[near->count - ones[1]];
        out[3] = job->vote[ones[1]];
        return;
    }
    fill_votes(job, neighbour, nearest, NULL, out);
    fill_votes(job, neighbour, near->count, NULL, out + job->in->classes);
}

/* Fills out[source * classes + class]. */
static void fill_evidence(const struct source_job *job, const struct source_set *set, size_t row, double *out)
{
    const struct audit_neighbours *near = job->near;
    size_t classes = job->in->classes;
    const uint32_t *neighbour = near->neighbour + row * near->count;
    for (size_t i = 0; i < set->losses; i++, out += classes)
        memcpy(out, job->fits->activation[set->first + i] + row * classes, classes * sizeof *out);
    if (set->votes) {
        fill_label_votes(job, row, out);
        out += 2 * classes;
    }
    if (set->true_p) {
        fill_votes(job, neighbour, near->count, set->true_p, out);
        out += classes;
    }
    if (set->rff)
        memcpy(out, near->rff + row * classes, classes * sizeof *out);
}

/* ---- Loops over rows ----------------------------------------------------------------------------------------------
 */

enum { ROW_CHUNK = 256 }; /* rows that a thread takes at a time */

/* What is computed of a row, by `work`, which may use its thread's part of job->row. */
struct row_loop {
    const struct source_job *job;
    const struct source_set *set;
    const struct noise_model *model[2]; /* one, or those of a range */
    double log_label[2][4];             /* of each, for two classes: log p(given | true), [true * 2 + given] */
    size_t rows;
    double *out;
    void (*work)(const struct row_loop *loop, size_t row, size_t worker);
    const struct audit_noise *noise; /* of range_row alone */
};

/* Numbers of a thread in job->row. */
static size_t row_space(const struct audit_input *in)
{
    return (NOISE_SOURCES + 1) * in->classes;
}

/* The part of a thread. */
static double *space_of(const struct source_job *job, size_t worker)
{
    return job->row + worker * row_space(job->in);
}

/* Callback of parallel_blocks. */
static temper_status row_chunk(void *context, size_t chunk, size_t worker)
{
    const struct row_loop *loop = context;
    size_t end = (chunk + 1) * ROW_CHUNK < loop->rows ? (chunk + 1) * ROW_CHUNK : loop->rows;
    for (size_t row = chunk * ROW_CHUNK; row < end; row++)
        loop->work(loop, row, worker);
    return TEMPER_OK;
}

/* All rows, which do not depend on each other. A row costs some logarithms for each class and neighbour. */
static temper_status each_row(struct row_loop loop)
{
    const struct audit_input *in = loop.job->in;
    double work = (double)loop.rows * (double)in->classes * (double)(loop.job->near->count + 20);
    size_t chunks = (loop.rows + ROW_CHUNK - 1) / ROW_CHUNK;
    temper_status status = parallel_blocks(chunks, threads_worth(in->threads, work), row_chunk, &loop);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(in->error);
}

/* Work of a row_loop: the neighbours with label 1. */
static void count_ones(const struct row_loop *loop, size_t row, size_t worker)
{
    const struct audit_neighbours *near = loop->job->near;
    const uint32_t *label = loop->job->in->data->label, *neighbour = near->neighbour + row * near->count;
    uint32_t nearest = 0, all = 0;
    (void)worker;
    for (size_t i = 0; i < near->count; i++) {
        all += label[neighbour[i]];
        nearest = i < NEAREST ? all : nearest;
    }
    loop->job->ones[row * 2] = (unsigned char)nearest;
    loop->job->ones[row * 2 + 1] = (unsigned char)all;
}

/* ---- Estimates from a set of sources ------------------------------------------------------------------------------
 */

/* Work of a row_loop: evidence and label of a row of the sample. */
static void sample_row(const struct row_loop *loop, size_t i, size_t worker)
{
    const struct audit_input *in = loop->job->in;
    size_t row = i * in->rows / loop->rows;
    (void)worker;
    fill_evidence(loop->job, loop->set, row, loop->out + i * count_sources(loop->set) * in->classes);
    loop->job->given[i] = in->data->label[row];
}

/* Rows of the sample of an intermediate estimate. */
static size_t intermediate_rows(const struct source_job *job)
{
    size_t part = job->sample / INTERMEDIATE_SHARE;
    if (job->sample <= INTERMEDIATE_SAMPLE)
        return job->sample;
    return part > INTERMEDIATE_SAMPLE ? part : (size_t)INTERMEDIATE_SAMPLE;
}

/* Estimates the noise from the sample, or, for the likeliest model alone, from a part of it. */
static temper_status fit_set(const struct source_job *job, const struct source_set *set, bool best_only,
                             struct noise_estimate *out)
{
    const struct audit_input *in = job->in;
    size_t sources = count_sources(set), sample = best_only ? intermediate_rows(job) : job->sample;
    TRY(each_row((struct row_loop){.job = job, .set = set, .rows = sample, .out = job->sampled, .work = sample_row}));
    struct noise_rows rows = {.evidence = job->sampled,
                              .given = job->given,
                              .rows = sample,
                              .classes = in->classes,
                              .sources = sources,
                              .calibrated = in->options->probabilities && !in->features,
                              .threads = in->threads};
    return noise_model_fit(&rows, best_only, out, in->error);
}

/* noise_model_row by a model of the loop. Of two classes the logarithms of the probabilities of labels are in the loop.
 */
static double joint_of(const struct row_loop *loop, size_t model, const double *evidence, uint32_t given, double *out)
{
    if (loop->job->in->classes != 2)
        return noise_model_row(loop->model[model], evidence, given, out);
    noise_model_scores(loop->model[model], evidence, out);
    out[0] += loop->log_label[model][given];
    out[1] += loop->log_label[model][2 + given];
    double top = fmax(out[0], out[1]);
    return top + log(1 + exp(fmin(out[0], out[1]) - top));
}

/* Fills the logarithms of two classes. */
static void fill_log_labels(struct row_loop *loop)
{
    for (size_t i = 0; i < 2 && loop->model[i] && loop->job->in->classes == 2; i++)
        noise_model_log_labels(loop->model[i], loop->log_label[i]);
}

/* Work of a row_loop: log p(true class | evidence, given label). */
static void posterior_row(const struct row_loop *loop, size_t row, size_t worker)
{
    double *space = space_of(loop->job, worker);
    const struct audit_input *in = loop->job->in;
    double *log_p = loop->out + row * in->classes;
    fill_evidence(loop->job, loop->set, row, space);
    double all = joint_of(loop, 0, space, in->data->label[row], log_p);
    for (size_t c = 0; c < in->classes; c++)
        log_p[c] -= all;
}

/* log_p[row * classes + class] of all rows. */
static temper_status fill_posteriors(const struct source_job *job, const struct source_set *set,
                                     const struct noise_model *model, double *log_p)
{
    struct row_loop loop = {
        .job = job, .set = set, .model = {model}, .rows = job->in->rows, .out = log_p, .work = posterior_row};
    fill_log_labels(&loop);
    return each_row(loop);
}

/* Work of a row_loop: the range of the probability that the given label is wrong, which includes its estimate. */
static void range_row(const struct row_loop *loop, size_t row, size_t worker)
{
    double *space = space_of(loop->job, worker);
    const struct audit_input *in = loop->job->in;
    const struct audit_noise *noise = loop->noise;
    uint32_t given = in->data->label[row];
    double *joint = space + NOISE_SOURCES * in->classes, end[2];
    double score = fmax(-expm1(noise->log_posterior[row * in->classes + given]), 0);
    fill_evidence(loop->job, loop->set, row, space);
    for (size_t i = 0; i < 2; i++) {
        double all = joint_of(loop, i, space, given, joint);
        end[i] = fmax(-expm1(joint[given] - all), 0);
    }
    noise->low[row] = fmin(end[0], score);
    noise->high[row] = fmax(end[1], score);
}

/* The same of all rows, by the models at the ends of the range. */
static temper_status fill_range(const struct source_job *job, const struct source_set *set,
                                const struct audit_noise *noise)
{
    struct row_loop loop = {.job = job,
                            .set = set,
                            .model = {&noise->estimate.low, &noise->estimate.high},
                            .rows = job->in->rows,
                            .work = range_row,
                            .noise = noise};
    fill_log_labels(&loop);
    return each_row(loop);
}

/* ---- The choice of sources ----------------------------------------------------------------------------------------
 */

/* The contradictions of the scores of the robust loss. */
static temper_status see_contradictions(const struct source_job *job, struct contradictions *out)
{
    const struct audit_input *in = job->in;
    const double *activation = job->fits->activation[job->fits->losses - 1];
    double *margin = mem_alloc(in->rows, sizeof *margin);
    if (!margin)
        return error_no_memory(in->error);
    for (size_t row = 0; row < in->rows; row++)
        margin[row] = signed_margin(activation + row * in->classes, in->classes, in->data->label[row]);
    temper_status status = contradictions_of(margin, in->rows, out);
    mem_free(margin);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(in->error);
}

/* The log likelihood of the labels of the intermediate sample by a model. */
static double intermediate_likelihood(const struct source_job *job, const struct source_set *set,
                                      const struct noise_model *model)
{
    const struct audit_input *in = job->in;
    size_t sample = intermediate_rows(job);
    double sum = 0, *evidence = job->row, *score = job->row + NOISE_SOURCES * in->classes;
    for (size_t i = 0; i < sample; i++) {
        size_t row = i * in->rows / sample;
        fill_evidence(job, set, row, evidence);
        sum += noise_model_likelihood(model, evidence, in->data->label[row], score);
    }
    return sum;
}

/* Whether cleaned sources cannot become likelier than all sources: by log likelihoods of the intermediate sample, of
 * the score alone, with the first votes, and of all sources. */
static bool is_hopeless(const struct source_job *job, double score, double votes, double all)
{
    double rows = (double)job->sample / (double)intermediate_rows(job);
    return rows * (all - votes) > GIVE_UP_NATS + GIVE_UP_SHARE * rows * (votes - score);
}

/* Scores of the robust loss and votes of the neighbours' true classes, which are estimated in turn: given labels of the
 * neighbours would predict also the wrong labels where these are frequent, and noise could not be told from overlap.
 * *set is the score alone, and becomes the set of the last estimate. *out is to be freed also after a failure; its
 * log_posterior is -infinity if that of all sources, whose log likelihood on the intermediate sample is `all`, cannot
 * be reached. */
static temper_status fit_cleaned(const struct source_job *job, double all, struct source_set *set,
                                 struct noise_estimate *out)
{
    size_t cells = job->in->rows * job->in->classes;
    TRY(fit_set(job, set, true, out));
    double score = out->log_posterior;
    for (size_t round = 0; round < CLEANED_ROUNDS; round++) {
        TRY(fill_posteriors(job, set, &out->best, job->log_p));
        for (size_t i = 0; i < cells; i++)
            job->true_p[i] = exp(job->log_p[i]);
        set->true_p = job->true_p;
        noise_estimate_free(out);
        TRY(fit_set(job, set, round + 1 < CLEANED_ROUNDS, out));
        if (round == 0 && is_hopeless(job, score, out->log_posterior, all)) {
            out->log_posterior = -INFINITY;
            break;
        }
    }
    return TEMPER_OK;
}

/* Estimates the noise from all sources and from the cleaned ones, and keeps the likelier. Where noise follows a rule,
 * from the scores of the robust loss alone. *gain becomes the nats by which the labels are likelier with noise than
 * without any. */
static temper_status choose_set(const struct source_job *job, bool by_rule, struct source_set *set,
                                struct noise_estimate *out, double *gain)
{
    struct source_set cleaned = {.first = job->fits->losses - 1, .losses = 1};
    *set = cleaned;
    /* Neighbours would have the same wrong labels, and confirm them. */
    if (by_rule) {
        TRY(fit_set(job, set, false, out));
        *gain = out->log_posterior - out->without;
        return TEMPER_OK;
    }
    struct noise_estimate other = {0};
    *set =
        (struct source_set){.losses = job->fits->losses, .votes = job->near->count > 0, .rff = job->near->rff != NULL};
    TRY(fit_set(job, set, false, out));
    double without = out->without;
    temper_status status = TEMPER_OK;
    if (job->near->count > 0)
        status = fit_cleaned(job, intermediate_likelihood(job, set, &out->best), &cleaned, &other);
    if (status == TEMPER_OK && job->near->count > 0 && other.log_posterior > out->log_posterior) {
        struct noise_estimate swapped = *out;
        *out = other;
        other = swapped;
        *set = cleaned;
    }
    noise_estimate_free(&other);
    *gain = out->log_posterior - fmax(without, out->without);
    return status;
}

/* Replaces the models by those of uniform noise with the share of contradictions as its rate, and its standard errors
 * as the range, where contradictions are independent of how sure the evidence is: all of it, or the scores of the
 * robust loss, `of_scores`, if the rest contradicts about as many labels. The likelihood cannot tell such noise from
 * weak evidence if all evidence is about equally sure, as of classes far apart. *found: they are. */
static temper_status assume_independent(const struct source_job *job, const struct source_set *set,
                                        const struct contradictions *of_scores, struct noise_estimate *estimate,
                                        bool *found)
{
    const struct audit_input *in = job->in;
    struct noise_model *models[] = {&estimate->best, &estimate->low, &estimate->high};
    double *margin = mem_alloc(in->rows, sizeof *margin), *score = job->row + NOISE_SOURCES * in->classes;
    if (!margin)
        return error_no_memory(in->error);
    for (size_t row = 0; row < in->rows; row++) {
        fill_evidence(job, set, row, job->row);
        noise_model_scores(&estimate->best, job->row, score);
        margin[row] = signed_margin(score, in->classes, in->data->label[row]);
    }
    struct contradictions seen;
    if (contradictions_of(margin, in->rows, &seen) != TEMPER_OK) {
        mem_free(margin);
        return error_no_memory(in->error);
    }
    double median = fabs(margin[in->rows / 2]), error = sqrt(seen.share * (1 - seen.share) / (double)in->rows);
    bool alike = fabs(of_scores->share - seen.share) <= 0.25 * fmax(of_scores->share, seen.share);
    *found = median > 0 && (seen.independent || (of_scores->independent && alike));
    for (size_t i = 0; *found && i < 3; i++) {
        static const double errors[] = {0, -1.645, 1.645}; /* 90 % */
        mem_free(models[i]->transition);
        models[i]->transition = NULL;
        models[i]->rate = fmin(fmax(seen.share + errors[i] * error, 1e-4), 0.49);
        memcpy(models[i]->slope, estimate->best.slope, sizeof estimate->best.slope);
        memcpy(models[i]->offset, estimate->best.offset, in->classes * sizeof *estimate->best.offset);
    }
    for (size_t i = 0; *found && i < 3; i++)
        noise_model_sharpen(models[i], SURE_MARGIN / median);
    estimate->certainty = *found ? 1 : estimate->certainty;
    mem_free(margin);
    return TEMPER_OK;
}

/* ---- The noise ----------------------------------------------------------------------------------------------------
 */

/* The loss whose scores have the larger weight; the first, if that is equal. */
static size_t main_loss(const struct source_set *set, const struct noise_estimate *estimate)
{
    size_t main = 0;
    for (size_t i = 1; i < set->losses; i++)
        main = estimate->weight[i] > estimate->weight[main] ? i : main;
    return set->first + main;
}

/* The share of rows whose given label is the class that a loss predicts. */
static double accuracy_of_fits(const struct audit_input *in, const struct audit_fits *fits, size_t loss)
{
    double correct = 0;
    for (size_t row = 0; row < in->rows; row++)
        correct += signed_margin(fits->activation[loss] + row * in->classes, in->classes, in->data->label[row]) > 0;
    return correct / (double)in->rows;
}

/* Given probabilities of more than two classes: estimates the noise by counts, where these show pairs of classes.
 * *found: they do, and *noise is filled. */
static temper_status count_noise(const struct source_job *job, struct audit_noise *noise, bool *found)
{
    const struct audit_input *in = job->in;
    struct noise_model *model = &noise->estimate.best;
    const struct noise_counts_rows rows = {.probability = in->options->probabilities,
                                           .given = in->data->label,
                                           .rows = in->rows,
                                           .classes = in->classes,
                                           .threads = in->threads};
    double certainty = 0;
    TRY(noise_counts_fit(&rows, job->true_p, model, &noise->gain, in->error));
    *found = noise->gain > 0;
    for (size_t row = 0; *found && row < in->rows; row++) {
        double *evidence = job->true_p + row * in->classes, *log_p = noise->log_posterior + row * in->classes, top = 0;
        double all = noise_model_row(model, evidence, in->data->label[row], log_p);
        for (size_t c = 0; c < in->classes; c++) {
            log_p[c] -= all;
            top = fmax(top, exp(evidence[c]));
        }
        certainty += top / (double)in->rows;
        noise->low[row] = noise->high[row] = (double)NAN; /* counts have no range */
    }
    noise->estimate.certainty = certainty;
    return TEMPER_OK;
}

/* Given probabilities: their logarithms, with the addition under which the labels are the likeliest. */
static temper_status choose_addition(const struct source_job *job)
{
    struct source_set set = {.losses = 1};
    double best = -INFINITY, added = LEAST_ADDED;
    for (size_t i = 0; i < sizeof ADDED / sizeof *ADDED; i++) {
        struct noise_estimate estimate = {0};
        audit_log_probabilities(job->in, ADDED[i], job->fits);
        TRY(fit_set(job, &set, true, &estimate));
        if (estimate.log_posterior > best) {
            best = estimate.log_posterior;
            added = ADDED[i];
        }
        noise_estimate_free(&estimate);
    }
    audit_log_probabilities(job->in, added, job->fits);
    return TEMPER_OK;
}

/* Whether the labels show that some of them are wrong, of which the posteriors expect a number. */
static bool is_decided(const struct source_job *job, const struct audit_noise *noise)
{
    const struct audit_input *in = job->in;
    double wrong = 0, each = GAIN_PER_LABEL * (1 - noise->estimate.certainty) / (double)(in->classes - 1);
    for (size_t row = 0; row < in->rows; row++)
        wrong += fmax(-expm1(noise->log_posterior[row * in->classes + in->data->label[row]]), 0);
    return noise->gain >= fmax(NOISE_LEAST_GAIN, each * wrong);
}

/* Given probabilities that show no noise are taken as they are: rows are then in the order of the probability of their
 * label. */
static void take_as_given(const struct source_job *job, struct noise_estimate *estimate)
{
    struct noise_model *models[] = {&estimate->best, &estimate->low, &estimate->high};
    audit_log_probabilities(job->in, LEAST_ADDED, job->fits);
    for (size_t i = 0; i < 3; i++)
        models[i]->slope[0] = GIVEN_SLOPE;
}

/* Chooses the sources, and fills all of *noise but the arrays themselves, which are allocated. */
static temper_status estimate_noise(const struct source_job *job, struct audit_noise *noise)
{
    struct source_set set;
    bool independent = false;
    if (job->in->options->probabilities && job->in->classes > 2)
        TRY(count_noise(job, noise, &noise->decided));
    if (noise->decided)
        return TEMPER_OK;
    if (job->in->options->probabilities)
        TRY(choose_addition(job));
    struct contradictions seen;
    TRY(see_contradictions(job, &seen));
    TRY(choose_set(job, seen.by_rule, &set, &noise->estimate, &noise->gain));
    if (noise->gain < NOISE_LEAST_GAIN)
        TRY(assume_independent(job, &set, &seen, &noise->estimate, &independent));
    TRY(fill_posteriors(job, &set, &noise->estimate.best, noise->log_posterior));
    noise->by_rule = seen.by_rule;
    noise->decided = !seen.by_rule && (independent || is_decided(job, noise));
    if (!noise->decided && job->in->options->probabilities && !job->in->features) {
        take_as_given(job, &noise->estimate);
        TRY(fill_posteriors(job, &set, &noise->estimate.best, noise->log_posterior));
    }
    TRY(fill_range(job, &set, noise));
    job->fits->main = main_loss(&set, &noise->estimate);
    return TEMPER_OK;
}

/* Allocates what the estimation needs; what it leaves, into *noise. */
static temper_status allocate(const struct audit_input *in, struct source_job *job, struct audit_noise *noise)
{
    size_t most = SAMPLE_CELLS / in->classes + LEAST_SAMPLE, each = in->classes * sizeof(double), sources;
    for (size_t v = 0; v <= AUDIT_NEIGHBOURS; v++)
        job->vote[v] = log1p((double)in->classes * (double)v);
    job->sample = in->rows < most ? in->rows : most;
    if (!mul_size(NOISE_SOURCES, each, &sources))
        return error_no_memory(in->error);
    job->sampled = mem_alloc(job->sample, sources);
    job->given = mem_alloc(job->sample, sizeof *job->given);
    job->row = mem_alloc(in->threads, row_space(in) * sizeof *job->row);
    job->true_p = mem_alloc(in->rows, each);
    if (in->classes == 2 && job->near->count > 0)
        job->ones = mem_alloc(in->rows, 2 * sizeof *job->ones);
    job->log_p = noise->log_posterior = mem_alloc(in->rows, each);
    noise->low = mem_alloc(in->rows, sizeof *noise->low);
    noise->high = mem_alloc(in->rows, sizeof *noise->high);
    bool fine = job->sampled && job->given && job->row && job->true_p && job->log_p && noise->low && noise->high;
    if (!fine || (in->classes == 2 && job->near->count > 0 && !job->ones))
        return error_no_memory(in->error);
    return job->ones ? each_row((struct row_loop){.job = job, .rows = in->rows, .work = count_ones}) : TEMPER_OK;
}

temper_status audit_estimate_noise(const struct audit_input *in, struct audit_fits *fits,
                                   const struct audit_neighbours *near, struct audit_noise *out,
                                   temper_audit_report *report)
{
    struct source_job job = {.in = in, .fits = fits, .near = near};
    temper_status status = allocate(in, &job, out);
    if (status == TEMPER_OK)
        status = estimate_noise(&job, out);
    if (status == TEMPER_OK)
        report->accuracy = accuracy_of_fits(in, fits, fits->main);
    mem_free(job.sampled);
    mem_free(job.given);
    mem_free(job.row);
    mem_free(job.true_p);
    mem_free(job.ones);
    return status;
}
