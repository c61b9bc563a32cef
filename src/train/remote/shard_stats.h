/* survey: what has to be known of rows that lie elsewhere before they can be trained on together:
 * how many there are, their classes, and the statistics of their columns. */
#ifndef REMOTE_SHARD_STATS_H
#define REMOTE_SHARD_STATS_H

#include "base/wire_format.h"
#include "data/column_stats.h"
#include "data/dataset.h"

struct survey {
    uint64_t rows, nonzeros, columns;
    enum matrix_kind kind;
    double weight_sum;
    struct classes classes;
    double *class_weight; /* of each class, the sum over its rows */
    struct names features;
    char fingerprint[33];
    struct column_sums sums; /* arrays NULL: not known any more */
};

/* Goes through the rows three times. */
temper_status survey_take(const struct dataset *data, size_t threads, struct survey *out,
                          temper_error *error);
/* Takes half-built ones too. */
void survey_free(struct survey *survey);

/* To and from a record, without the statistics of the columns, and these. False: no memory. */
void survey_put(struct text *out, const struct survey *survey);
void survey_put_sums(struct text *out, const struct survey *survey);
bool survey_get(struct record *record, struct survey *out);
bool survey_get_sums(struct record *record, struct survey *out);

/* A message from worker to coordinator. *out is untouched on failure. */
temper_status survey_read(const char *bytes, size_t length, struct survey *out,
                          temper_error *error);

/* Adds the rows of another shard, the `number`-th from 1, to those of all before it. */
temper_status survey_join(struct survey *all, const struct survey *next, size_t number,
                          temper_error *error);
/* After the last: classes get the order that one file of all rows would give them. */
temper_status survey_settle(struct survey *all, temper_error *error);

#define SURVEY_KIND "tsurvey1"

#endif
