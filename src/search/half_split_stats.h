/* half_split_stats: measures of a candidate, and of the labels, from two models of disjoint half-splits. */
#ifndef SEARCH_HALF_SPLIT_STATS_H
#define SEARCH_HALF_SPLIT_STATS_H

#include "base/status.h"

struct half_split {
    size_t rows, classes;
    const uint32_t *label;
    const double *weight;         /* or NULL: all 1 */
    const uint32_t *part;         /* 0 or 1: the half of each row */
    const uint16_t *predicted[2]; /* of all rows, by the model that has not seen this half */
    const double *confidence;     /* of the model that has not seen the row: best score less second best */
};

/* Fills half_accuracy and the measures after it. */
temper_status half_split_measure(const struct half_split *halves, temper_tune_candidate *out, temper_error *error);
/* Copies what half_split_measure fills. */
void half_split_copy(const temper_tune_candidate *from, temper_tune_candidate *to);

#endif
