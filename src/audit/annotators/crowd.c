/* crowd: EM over items and annotators. Blocks of items and of annotators run in parallel; sums over items are added in
 * the order of the blocks, so that any number of threads gives the same bits. */
#include "audit/annotators/crowd.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"

enum {
    ITEM_BLOCK = 512,
    ANNOTATOR_BLOCK = 16,
    ROUNDS = 12,           /* of estimating the priors */
    ROUND_ITERATIONS = 10, /* of EM in each */
    NAME_ROUNDS = 6,       /* of raising strengths */
    MOST_ITERATIONS = 400  /* of EM with the last priors */
};

static const double TOLERANCE = 1e-7;       /* nats for each vote by which EM must improve to continue */
static const double ROUND_TOLERANCE = 1e-4; /* mean change of a posterior between rounds */

/* ---- The start ------------------------------------------------------------------------------- */

/* The share of each label among the votes of an item; equal shares without votes. */
static void count_shares(struct crowd *crowd, size_t item)
{
    const struct votes *votes = crowd->votes;
    size_t classes = crowd->classes, from = votes->item_start[item], to = votes->item_start[item + 1];
    double *out = crowd->posterior + item * classes;
    crowd->has_votes[item] = to > from;
    for (size_t c = 0; c < classes; c++)
        out[c] = to > from ? 0 : 1 / (double)classes;
    for (size_t i = from; i < to; i++)
        out[votes->of_item[i].label] += 1 / (double)(to - from);
}

/* All arrays; false without memory. */
static bool allocate(struct crowd *crowd)
{
    size_t classes = crowd->classes, square = classes * classes, cells, each = sizeof(double);
    size_t wide = crowd->annotators * classes;
    if (!mul_size(crowd->items, classes, &cells))
        return false;
    crowd->posterior = mem_alloc(cells, each);
    crowd->has_votes = mem_alloc(crowd->items, sizeof *crowd->has_votes);
    crowd->pooled = mem_alloc(square, each);
    crowd->log_pooled = mem_alloc(square, each);
    crowd->pooled_count = mem_alloc(square, each);
    crowd->ability = mem_zeroed(crowd->annotators, each);
    crowd->ability_variance = mem_zeroed(crowd->annotators, each);
    crowd->correct = mem_zeroed(wide, each);
    crowd->total = mem_zeroed(wide, each);
    crowd->log_norm = mem_zeroed(wide, each);
    crowd->class_strength = mem_alloc(classes, each);
    crowd->part = mem_alloc(crowd->items / ITEM_BLOCK + 1, each);
    if (!crowd->one_coin) {
        crowd->count = mem_zeroed(crowd->annotators * square, each);
        crowd->log_matrix = mem_alloc(crowd->annotators * square, each);
    }
    return crowd->posterior && crowd->has_votes && crowd->pooled && crowd->log_pooled && crowd->pooled_count &&
           crowd->ability && crowd->ability_variance && crowd->correct && crowd->total && crowd->log_norm &&
           crowd->part && crowd->class_strength && (crowd->one_coin || (crowd->count && crowd->log_matrix));
}

temper_status crowd_new(const struct votes *votes, bool one_coin, size_t threads, struct crowd *out,
                        temper_error *error)
{
    size_t square, cells;
    *out = (struct crowd){.votes = votes,
                          .items = votes->items,
                          .annotators = votes->annotators,
                          .classes = votes->classes.count,
                          .threads = threads ? threads : thread_count_default(),
                          .one_coin = one_coin,
                          .variance = 1,
                          .strength = INFINITY};
    if (!mul_size(out->classes, out->classes, &square) || !mul_size(square, out->annotators, &cells) ||
        cells > CROWD_MOST_CELLS)
        out->one_coin = true;
    temper_status status = allocate(out) ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = row_prior_new(out->items, out->classes, out->has_votes, &out->prior, error);
    if (status != TEMPER_OK) {
        crowd_free(out);
        return status;
    }
    for (size_t c = 0; c < out->classes; c++)
        out->class_strength[c] = 1;
    for (size_t item = 0; item < out->items; item++)
        count_shares(out, item);
    return TEMPER_OK;
}

void crowd_free(struct crowd *crowd)
{
    row_prior_free(&crowd->prior);
    mem_free(crowd->posterior);
    mem_free(crowd->has_votes);
    mem_free(crowd->pooled);
    mem_free(crowd->log_pooled);
    mem_free(crowd->pooled_count);
    mem_free(crowd->ability);
    mem_free(crowd->ability_variance);
    mem_free(crowd->correct);
    mem_free(crowd->total);
    mem_free(crowd->log_norm);
    mem_free(crowd->count);
    mem_free(crowd->log_matrix);
    mem_free(crowd->part);
    mem_free(crowd->class_strength);
    *crowd = (struct crowd){0};
}

/* ---- The E-step ------------------------------------------------------------------------------ */

/* Adds the log probability of a vote, for each true class. */
static void add_vote(const struct crowd *crowd, struct half_vote vote, double *sum)
{
    size_t classes = crowd->classes;
    if (isfinite(crowd->strength)) {
        const double *row = crowd->log_matrix + ((size_t)vote.other * classes + vote.label) * classes;
        for (size_t c = 0; c < classes; c++)
            sum[c] += row[c];
        return;
    }
    const double *row = crowd->log_pooled + (size_t)vote.label * classes;
    const double *norm = crowd->log_norm + (size_t)vote.other * classes;
    for (size_t c = 0; c < classes; c++)
        sum[c] += row[c] - norm[c];
    sum[vote.label] += crowd->ability[vote.other];
}

/* Posterior of an item; returns the log likelihood of its votes. */
static double expect_item(const struct crowd *crowd, size_t item)
{
    const struct votes *votes = crowd->votes;
    size_t classes = crowd->classes;
    double *out = crowd->posterior + item * classes;
    row_prior_log(&crowd->prior, item, out);
    for (size_t i = votes->item_start[item]; i < votes->item_start[item + 1]; i++)
        add_vote(crowd, votes->of_item[i], out);
    double total = log_sum_exp(out, classes);
    for (size_t c = 0; c < classes; c++)
        out[c] = exp(out[c] - total);
    return crowd->has_votes[item] ? total : 0;
}

static temper_status expect_block(void *context, size_t block, size_t worker)
{
    struct crowd *crowd = context;
    size_t to = (block + 1) * ITEM_BLOCK;
    (void)worker;
    to = to < crowd->items ? to : crowd->items;
    crowd->part[block] = 0;
    for (size_t item = block * ITEM_BLOCK; item < to; item++)
        crowd->part[block] += expect_item(crowd, item);
    return TEMPER_OK;
}

temper_status crowd_expect(struct crowd *crowd, temper_error *error)
{
    size_t blocks = (crowd->items + ITEM_BLOCK - 1) / ITEM_BLOCK;
    temper_status status = parallel_blocks(blocks, crowd->threads, expect_block, crowd);
    if (status != TEMPER_OK)
        return error_no_memory(error);
    crowd->objective = crowd->penalty + crowd->prior.penalty;
    for (size_t i = 0; i < blocks; i++)
        crowd->objective += crowd->part[i];
    return TEMPER_OK;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Adds up the posteriors of the items that an annotator has labelled, by label. */
static void count_annotator(struct crowd *crowd, size_t annotator)
{
    const struct votes *votes = crowd->votes;
    size_t classes = crowd->classes;
    double *correct = crowd->correct + annotator * classes, *total = crowd->total + annotator * classes;
    double *count = crowd->count ? crowd->count + annotator * classes * classes : NULL;
    memset(correct, 0, classes * sizeof *correct);
    memset(total, 0, classes * sizeof *total);
    if (count)
        memset(count, 0, classes * classes * sizeof *count);
    for (size_t i = votes->annotator_start[annotator]; i < votes->annotator_start[annotator + 1]; i++) {
        struct half_vote vote = votes->of_annotator[i];
        const double *q = crowd->posterior + (size_t)vote.other * classes;
        for (size_t c = 0; c < classes; c++)
            total[c] += q[c];
        correct[vote.label] += q[vote.label];
        for (size_t c = 0; count && c < classes; c++)
            count[(size_t)vote.label * classes + c] += q[c];
    }
}

static temper_status count_block(void *context, size_t block, size_t worker)
{
    struct crowd *crowd = context;
    size_t to = (block + 1) * ANNOTATOR_BLOCK;
    (void)worker;
    to = to < crowd->annotators ? to : crowd->annotators;
    for (size_t annotator = block * ANNOTATOR_BLOCK; annotator < to; annotator++)
        count_annotator(crowd, annotator);
    return TEMPER_OK;
}

temper_status crowd_count(struct crowd *crowd, temper_error *error)
{
    size_t blocks = (crowd->annotators + ANNOTATOR_BLOCK - 1) / ANNOTATOR_BLOCK;
    temper_status status = parallel_blocks(blocks, crowd->threads, count_block, crowd);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* ---- EM -------------------------------------------------------------------------------------- */

/* EM with the present priors: at most so many iterations. The counts are those of the posterior on return. */
static temper_status iterate(struct crowd *crowd, size_t most, temper_error *error)
{
    double before = -INFINITY, enough = TOLERANCE * (double)crowd->votes->count;
    for (size_t i = 0; i < most; i++) {
        crowd_maximise(crowd);
        row_prior_fit(&crowd->prior, crowd->posterior);
        TRY(crowd_expect(crowd, error));
        TRY(crowd_count(crowd, error));
        crowd->iterations++;
        if (crowd->objective - before <= enough)
            break;
        before = crowd->objective;
    }
    return TEMPER_OK;
}

/* Mean of the absolute changes of an item's posterior since `old`, which is replaced. */
static double posterior_change(const struct crowd *crowd, double *old)
{
    double sum = 0;
    size_t cells = crowd->items * crowd->classes;
    for (size_t i = 0; i < cells; i++) {
        sum += fabs(crowd->posterior[i] - old[i]);
        old[i] = crowd->posterior[i];
    }
    return sum / (double)crowd->items;
}

/* Rounds of estimating the priors and of EM, until items keep their posterior. */
static temper_status fit_rounds(struct crowd *crowd, double *old, temper_error *error)
{
    posterior_change(crowd, old);
    for (size_t round = 0; round < ROUNDS; round++) {
        crowd_keep_names(crowd);
        crowd_pool(crowd);
        TRY(iterate(crowd, ROUND_ITERATIONS, error));
        if (posterior_change(crowd, old) < ROUND_TOLERANCE)
            break;
    }
    return TEMPER_OK;
}

/* Then EM to its end; again, if a class has lost its name. */
static temper_status fit_to_end(struct crowd *crowd, double *old, temper_error *error)
{
    TRY(crowd_count(crowd, error));
    for (int i = 0; i < NAME_ROUNDS; i++) {
        TRY(fit_rounds(crowd, old, error));
        TRY(iterate(crowd, MOST_ITERATIONS, error));
        if (!crowd_keep_names(crowd))
            break;
    }
    return TEMPER_OK;
}

temper_status crowd_fit(struct crowd *crowd, temper_error *error)
{
    double *old = mem_zeroed(crowd->items, crowd->classes * sizeof *old);
    temper_status status = old ? fit_to_end(crowd, old, error) : error_no_memory(error);
    mem_free(old);
    return status;
}
