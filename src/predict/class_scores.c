/* class_scores: one walk over the rows of a class from the highest score to the lowest, equal scores in one step.
 *
 * The area under the ROC curve is the probability that a row of the class has a higher score than another row, equal
 * scores counting one half (Mann and Whitney). Average precision is the sum of the precision at each score, weighted by
 * the recall that it adds, without interpolation. */
#include "predict/class_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    FIRST_ROWS = 1024,
    CELLS_MOST = 1 << 20,     /* intervals of all classes, */
    INTERVALS_LEAST = 256,    /* but for each at least so many, */
    INTERVALS_MOST = 1 << 16, /* and at most */
};

static const double LOG_ODDS_MOST = 40; /* beyond this, probabilities cannot be told from 0 and 1 */

void class_scores_free(struct class_scores *scores)
{
    mem_free(scores->score);
    mem_free(scores->weight);
    mem_free(scores->label);
    mem_free(scores->interval);
    *scores = (struct class_scores){.classes = scores->classes, .probabilities = scores->probabilities};
}

/* ---- Intervals ------------------------------------------------------------------------------- */

/* The interval of a score: equal steps of the log-odds, between -LOG_ODDS_MOST and LOG_ODDS_MOST. */
static size_t interval_of(const struct class_scores *scores, double score)
{
    double x = scores->probabilities ? log(score / (1 - score)) : score;
    double share = (fmin(fmax(x, -LOG_ODDS_MOST), LOG_ODDS_MOST) / LOG_ODDS_MOST + 1) / 2;
    size_t at = (size_t)(share * (double)scores->intervals);
    return at < scores->intervals ? at : scores->intervals - 1;
}

/* The smallest score of an interval. */
static double interval_start(const struct class_scores *scores, size_t at)
{
    double x = LOG_ODDS_MOST * (2 * (double)at / (double)scores->intervals - 1);
    return scores->probabilities ? 1 / (1 + exp(-x)) : x;
}

/* Adds a row to the interval of each of its scores. */
static void count_row(struct class_scores *scores, const double *score, uint32_t label, double weight)
{
    for (size_t c = 0; c < scores->classes; c++) {
        struct score_interval *to = &scores->interval[c * scores->intervals + interval_of(scores, score[c])];
        *(c == label ? &to->positive : &to->negative) += weight;
    }
}

/* Replaces the rows so far by their counts. */
static temper_status group_rows(struct class_scores *scores, temper_error *error)
{
    size_t intervals = CELLS_MOST / scores->classes;
    intervals = intervals > INTERVALS_MOST ? INTERVALS_MOST : intervals;
    intervals = intervals < INTERVALS_LEAST ? INTERVALS_LEAST : intervals;
    scores->interval = mem_zeroed(scores->classes, intervals * sizeof *scores->interval);
    if (!scores->interval)
        return error_no_memory(error);
    scores->intervals = intervals;
    for (size_t row = 0; row < scores->rows; row++)
        count_row(scores, scores->score + row * scores->classes, scores->label[row], scores->weight[row]);
    mem_free(scores->score);
    mem_free(scores->weight);
    mem_free(scores->label);
    scores->score = scores->weight = NULL;
    scores->label = NULL;
    return TEMPER_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Makes space for twice the rows. An array that has grown before another could not is no harm. */
static temper_status grow(struct class_scores *scores, temper_error *error)
{
    size_t capacity = scores->capacity ? 2 * scores->capacity : FIRST_ROWS;
    double *score = mem_resize(scores->score, capacity, scores->classes * sizeof *score);
    scores->score = score ? score : scores->score;
    double *weight = mem_resize(scores->weight, capacity, sizeof *weight);
    scores->weight = weight ? weight : scores->weight;
    uint32_t *label = mem_resize(scores->label, capacity, sizeof *label);
    scores->label = label ? label : scores->label;
    if (!score || !weight || !label)
        return error_no_memory(error);
    scores->capacity = capacity;
    return TEMPER_OK;
}

/* Rows of weight 0 have no influence on any result. */
temper_status class_scores_add(struct class_scores *scores, const double *score, uint32_t label, double weight,
                               temper_error *error)
{
    size_t classes = scores->classes;
    if (!(weight > 0))
        return TEMPER_OK;
    if (!scores->intervals && (scores->rows + 1) * classes > CLASS_SCORES_EXACT)
        TRY(group_rows(scores, error));
    if (scores->intervals) {
        count_row(scores, score, label, weight);
        return TEMPER_OK;
    }
    if (scores->rows == scores->capacity)
        TRY(grow(scores, error));
    memcpy(scores->score + scores->rows * classes, score, classes * sizeof *score);
    scores->weight[scores->rows] = weight;
    scores->label[scores->rows++] = label;
    return TEMPER_OK;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* Weights of the rows above the present score. */
struct rank_walk {
    double positives, negatives; /* of all rows */
    double above, others_above;  /* of the class, and of all others */
    double pairs;                /* weights of pairs that are in the right order, ties one half */
    double precision_sum;
    struct class_ranking best;
};

/* Adds all rows of one score. */
static void walk_step(struct rank_walk *walk, double threshold, double positive, double negative)
{
    walk->pairs += negative * (walk->above + positive / 2);
    walk->above += positive;
    walk->others_above += negative;
    double flagged = walk->above + walk->others_above;
    if (positive > 0)
        walk->precision_sum += positive * (walk->above / flagged);
    double f1 = 2 * walk->above / (flagged + walk->positives);
    if (f1 > walk->best.best_f1)
        walk->best = (struct class_ranking){.best_threshold = threshold,
                                            .best_f1 = f1,
                                            .best_precision = walk->above / flagged,
                                            .best_recall = walk->above / walk->positives,
                                            .best_flagged = flagged / (walk->positives + walk->negatives)};
}

/* The areas from the sums; without rows of the class nothing is defined. */
static struct class_ranking walk_end(const struct rank_walk *walk)
{
    const double none = (double)NAN;
    struct class_ranking ranking = walk->best;
    if (!(walk->positives > 0))
        return (struct class_ranking){none, none, none, none, none, none, none};
    ranking.auc = walk->negatives > 0 ? walk->pairs / (walk->positives * walk->negatives) : none;
    ranking.average_precision = walk->precision_sum / walk->positives;
    return ranking;
}

/* A row in the order of its score. */
struct ranked_score {
    double score;
    size_t row;
};

/* Descending; equal scores by row, so that sums have a fixed order. */
static int by_score(const void *left, const void *right)
{
    const struct ranked_score *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* The exact walk over sorted rows. */
static void walk_rows(const struct class_scores *scores, uint32_t class_number, struct ranked_score *order,
                      struct rank_walk *walk)
{
    for (size_t row = 0; row < scores->rows; row++) {
        order[row] = (struct ranked_score){scores->score[row * scores->classes + class_number], row};
        *(scores->label[row] == class_number ? &walk->positives : &walk->negatives) += scores->weight[row];
    }
    qsort(order, scores->rows, sizeof *order, by_score);
    for (size_t i = 0; i < scores->rows;) {
        double score = order[i].score, sum[2] = {0, 0};
        for (; i < scores->rows && order[i].score == score; i++)
            sum[scores->label[order[i].row] == class_number] += scores->weight[order[i].row];
        walk_step(walk, score, sum[1], sum[0]);
    }
}

/* The same over intervals. */
static void walk_intervals(const struct class_scores *scores, uint32_t class_number, struct rank_walk *walk)
{
    const struct score_interval *interval = scores->interval + class_number * scores->intervals;
    for (size_t i = 0; i < scores->intervals; i++) {
        walk->positives += interval[i].positive;
        walk->negatives += interval[i].negative;
    }
    for (size_t i = scores->intervals; i-- > 0;)
        if (interval[i].positive + interval[i].negative > 0)
            walk_step(walk, interval_start(scores, i), interval[i].positive, interval[i].negative);
}

temper_status class_scores_rank(const struct class_scores *scores, uint32_t class_number, struct class_ranking *out,
                                temper_error *error)
{
    struct rank_walk walk = {0};
    if (scores->intervals) {
        walk_intervals(scores, class_number, &walk);
    } else {
        struct ranked_score *order = mem_alloc(scores->rows, sizeof *order);
        if (!order)
            return error_no_memory(error);
        walk_rows(scores, class_number, order, &walk);
        mem_free(order);
    }
    *out = walk_end(&walk);
    return TEMPER_OK;
}
