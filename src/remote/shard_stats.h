/* shard_stats: what the coordinator has to know of remote rows before it can train on them: how many there are, their
 * classes, and the statistics of their columns. */
#ifndef REMOTE_SHARD_STATS_H
#define REMOTE_SHARD_STATS_H

#include "base/wire_format.h"
#include "data/columns/column_stats.h"
#include "data/dataset.h"

struct shard_stats {
    uint64_t rows, nonzeros, columns;
    enum matrix_kind kind;
    double weight_sum;
    struct classes classes;
    double *class_weight; /* of each class, the sum over its rows */
    struct names features;
    char fingerprint[33];
    struct column_stats sums; /* arrays NULL: freed, no longer needed */
};

/* Goes through the rows three times. */
temper_status shard_stats_compute(const struct dataset *data, size_t threads, struct shard_stats *out,
                                  temper_error *error);
/* Accepts statistics that are not complete, as after a failure. */
void shard_stats_free(struct shard_stats *stats);

/* To and from a message: everything but the column statistics (put, get), and these (put_sums, get_sums). False: out of
 * memory. */
void shard_stats_put(struct text *out, const struct shard_stats *stats);
void shard_stats_put_sums(struct text *out, const struct shard_stats *stats);
bool shard_stats_get(struct wire_reader *record, struct shard_stats *out);
bool shard_stats_get_sums(struct wire_reader *record, struct shard_stats *out);

/* A message from worker to coordinator. *out is untouched on failure. */
temper_status shard_stats_read(const char *bytes, size_t length, struct shard_stats *out, temper_error *error);

/* Adds the rows of another shard, the `number`-th from 1, to those of all before it. */
temper_status shard_stats_merge(struct shard_stats *all, const struct shard_stats *next, size_t number,
                                temper_error *error);
/* After the last: classes get the order that one file of all rows would give them. */
temper_status shard_stats_finish(struct shard_stats *all, temper_error *error);

#define SHARD_STATS_KIND "tsurvey1"

#endif
