/* train_remote: training on rows that remote workers hold, a shard with each.
 *
 * The plan is what all of them use; a shard computes replies to requests about its rows; training calls an engine that
 * returns the sum of all replies (temper_extra.h: remote engines). */
#ifndef REMOTE_TRAIN_REMOTE_H
#define REMOTE_TRAIN_REMOTE_H

#include "model/model.h"
#include "remote/shard_stats.h"
#include "temper_extra.h"

struct shard_plan {
    struct shard_stats all; /* of all shards; without the statistics of the columns */
    struct scale scale;
    temper_loss_spec loss; /* resolved */
    double l2;
    bool intercept, f64;
};

/* From the statistics of all shards, in their order. */
temper_status shard_plan_new(const temper_bytes *stats, size_t count, const temper_train_options *options,
                             struct shard_plan **out, temper_error *error);
void shard_plan_free(struct shard_plan *plan);
temper_status shard_plan_write(const struct shard_plan *plan, struct text *out, temper_error *error);
temper_status shard_plan_read(const char *bytes, size_t length, struct shard_plan **out, temper_error *error);
/* How many numbers the weights are. */
size_t shard_plan_size(const struct shard_plan *plan);
/* A dataset with the size, classes and names of the rows, and without rows. It borrows from the plan, and is not to be
 * freed. */
struct dataset shard_plan_rows(const struct shard_plan *plan);

struct shard;

/* Data and plan are borrowed; threads 0: as many as the machine has. */
temper_status shard_new(const struct dataset *data, const struct shard_plan *plan, size_t threads, struct shard **out,
                        temper_error *error);
void shard_free(struct shard *shard);
temper_status shard_answer(struct shard *shard, const temper_shard_request *request, const double *w, double *answer,
                           temper_error *error);

/* The public call (temper.h: temper_train_shards) in our own types. */
temper_status train_shards(const struct shard_plan *plan, const temper_shard_engine *engine,
                           const temper_train_options *options, struct model **model, temper_train_report *report,
                           temper_error *error);

#endif
