/* class_scores: how well the scores of a class rank its rows above all others: areas under the ROC curve and the curve
 * of precision and recall, and the threshold of the largest F1.
 *
 * Scores are kept and sorted, and the results are exact, equal scores included, up to CLASS_SCORES_EXACT scores (rows
 * times classes). Of more, the weights are counted in narrow intervals of the log-odds, and the rows of an interval
 * count as equal: memory is bounded, and the results do not depend on the order or the size of the batches. */
#ifndef PREDICT_CLASS_SCORES_H
#define PREDICT_CLASS_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { CLASS_SCORES_EXACT = 1 << 18 };

/* Weights of the rows in an interval of scores, of one class and of all others. */
struct score_interval {
    double positive, negative;
};

/* Initialised to zeros except for `classes` and `probabilities`. */
struct class_scores {
    size_t classes;
    bool probabilities; /* scores are between 0 and 1; else log-odds or the like */
    size_t rows, capacity;
    double *score;                   /* [row * classes + class] */
    double *weight;                  /* of each row */
    uint32_t *label;                 /* of each row */
    size_t intervals;                /* 0: exact */
    struct score_interval *interval; /* [class * intervals + i], ascending */
};

/* Areas are NAN where they are undefined: without rows of the class, the first also without others. */
struct class_ranking {
    double auc, average_precision;
    double best_threshold, best_f1;                   /* rows of this score or more are taken for the class */
    double best_precision, best_recall, best_flagged; /* flagged: share of all rows */
};

/* Adds a row with a score for each class. */
temper_status class_scores_add(struct class_scores *scores, const double *score, uint32_t label, double weight,
                               temper_error *error);
/* Ranks the rows by the scores of one class, against all others. */
temper_status class_scores_rank(const struct class_scores *scores, uint32_t class_number, struct class_ranking *out,
                                temper_error *error);
void class_scores_free(struct class_scores *scores);

#endif
