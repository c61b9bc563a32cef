/* outcome_table: which held-out rows each candidate predicts correctly, one bit for each row and candidate.
 *
 * Accuracies alone cannot be compared well: two candidates are wrong on mostly the same rows, so that their difference
 * has a far smaller standard error than either accuracy. The bits also allow resampling of rows. */
#ifndef SEARCH_OUTCOME_TABLE_H
#define SEARCH_OUTCOME_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* The two tables: of the halves, and of the folds. */
enum outcome_stage { OUTCOMES_HALVES, OUTCOMES_FOLDS, OUTCOME_STAGES };

struct outcome_table {
    size_t candidates;
    size_t stride;                  /* every so many rows of the data has bits: 1 unless the data is large */
    size_t rows;                    /* that have bits */
    size_t words;                   /* 64-bit words of one candidate */
    uint64_t *bits[OUTCOME_STAGES]; /* [candidate * words + word]; owned */
};

/* All bits are 0. *out is untouched on failure. */
temper_status outcome_table_new(size_t candidates, size_t rows, struct outcome_table *out, temper_error *error);
void outcome_table_free(struct outcome_table *table);

/* Bytes of a table, for memory estimates. */
double outcome_table_bytes(size_t candidates, size_t rows);

/* Stores the outcomes of one candidate; correct[row] is 0 or 1 for all rows of the data. */
void outcome_table_set(struct outcome_table *table, enum outcome_stage stage, size_t candidate, const uint8_t *correct);

/* Whether the candidate predicts the row of the table correctly, which is row `row * stride` of the data. */
static inline bool outcome_of(const struct outcome_table *table, enum outcome_stage stage, size_t candidate, size_t row)
{
    return table->bits[stage][candidate * table->words + row / 64] >> (row % 64) & 1;
}

/* The difference of two accuracies on the same rows. */
struct paired_difference {
    double mean;       /* accuracy of the first less that of the second */
    double error;      /* its standard error */
    double discordant; /* the share of rows that exactly one of them predicts correctly */
};

/* Of two candidates in a stage; weight[row of the data] is not negative. */
struct paired_difference outcome_difference(const struct outcome_table *table, enum outcome_stage stage, size_t first,
                                            size_t second, const double *weight);

/* Whether two candidates are as accurate as each other: within one standard error of the difference, whichever of them
 * is the more accurate one. */
static inline bool outcomes_are_equal(struct paired_difference difference)
{
    return fabs(difference.mean) <= difference.error;
}

#endif
