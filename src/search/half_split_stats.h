/* halves: what two models of disjoint halves tell of a setting and of the labels. */
#ifndef SEARCH_HALF_SPLIT_STATS_H
#define SEARCH_HALF_SPLIT_STATS_H

#include "base/status.h"

struct half_split_stats {
    size_t rows, classes;
    const uint32_t *label;
    const double *weight;         /* or NULL: all 1 */
    const uint32_t *part;         /* 0 or 1: the half of each row */
    const uint16_t *predicted[2]; /* for all rows, by the model that has not seen that half */
    const double *confidence;     /* of the model that has not seen the row: top score - next */
};

/* Fills half_accuracy and what stands behind it. */
temper_status half_split_measure(const struct half_split_stats *halves, temper_tune_candidate *out,
                                 temper_error *error);

#endif
