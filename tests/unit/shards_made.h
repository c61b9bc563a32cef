/* shards_made: rows cut into shards, and an engine that asks them one after another. */
#ifndef TEST_SHARDS_MADE_H
#define TEST_SHARDS_MADE_H

#include "data/dataset.h"
#include "temper.h"

enum { MOST_SHARDS = 5 };

struct shards {
    size_t count;
    temper_data *data[MOST_SHARDS];
    char *survey[MOST_SHARDS];
    temper_bytes bytes[MOST_SHARDS];
    temper_plan *plan, *sent; /* and as it arrives at the workers */
    temper_shard *shard[MOST_SHARDS];
    bool backwards;  /* the last shard answers first */
    size_t fails_at; /* this question, from 1, is not answered by the last shard; 0: all are */
    size_t asked;
};

/* Cuts into so many shards, of different sizes. */
bool shards_cut(const struct dataset *data, size_t count, struct shards *shards);
/* Surveys, agrees and makes the shards ready; stops at the first failure. */
temper_status shards_prepare(struct shards *shards, const temper_train_options *options,
                             temper_error *error);
temper_status shards_train(struct shards *shards, const temper_train_options *options,
                           temper_model **model, temper_train_report *report, temper_error *error);
/* All but the data. */
void shards_release(struct shards *shards);
void shards_free(struct shards *shards);

/* The whole way; must work. NULL, and a failed check, if it does not. */
temper_model *shards_model(const struct dataset *data, size_t count,
                           const temper_train_options *options, temper_train_report *report);

#endif
