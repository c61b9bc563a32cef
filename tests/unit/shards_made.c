/* shards_made: what an engine does, in one process. */
#include "shards_made.h"

#include <stdlib.h>

#include "base/status.h"
#include "run_made.h"
#include "test.h"

bool shards_cut(const struct dataset *data, size_t count, struct shards *shards)
{
    size_t rows = (size_t)data->x.rows, *row = calloc(rows, sizeof *row), from = 0;
    temper_error error;
    *shards = (struct shards){.count = count};
    bool done = row != NULL;
    for (size_t i = 0; done && i < rows; i++)
        row[i] = i;
    for (size_t s = 0; done && s < count; s++) {
        size_t to = rows * (s + 1) * (s + 2) / (count * (count + 1));
        done = temper_data_take(made_public(data), row + from, to - from, &shards->data[s],
                                &error) == TEMPER_OK;
        from = to;
    }
    free(row);
    return CHECK(done);
}

temper_status shards_prepare(struct shards *shards, const temper_train_options *options,
                             temper_error *error)
{
    temper_status status = TEMPER_OK;
    char *text = NULL;
    size_t length;
    for (size_t s = 0; status == TEMPER_OK && s < shards->count; s++) {
        status =
            temper_survey(shards->data[s], 1, &shards->survey[s], &shards->bytes[s].length, error);
        shards->bytes[s].bytes = shards->survey[s];
    }
    if (status == TEMPER_OK)
        status = temper_plan_new(shards->bytes, shards->count, options, &shards->plan, error);
    if (status == TEMPER_OK)
        status = temper_plan_text(shards->plan, &text, &length, error);
    if (status == TEMPER_OK)
        status = temper_plan_from_text(text, length, &shards->sent, error);
    temper_free(text);
    for (size_t s = 0; status == TEMPER_OK && s < shards->count; s++)
        status = temper_shard_borrow(shards->data[s], shards->sent, 1, &shards->shard[s], error);
    return status;
}

static temper_status ask(void *context, const temper_question *question, const double *w,
                         double *sum, temper_error *error)
{
    struct shards *shards = context;
    size_t length = temper_answer_length(shards->plan, question->asked);
    double *answers = malloc(shards->count * length * sizeof *answers);
    const double *answer[MOST_SHARDS];
    temper_status status = TEMPER_OK;
    if (++shards->asked == shards->fails_at) {
        status = error_set(error, TEMPER_IO, "worker 3 is gone");
    } else if (!answers) {
        status = error_no_memory(error);
    }
    for (size_t i = 0; status == TEMPER_OK && i < shards->count; i++) {
        size_t s = shards->backwards ? shards->count - 1 - i : i;
        status = temper_shard_answer(shards->shard[s], question, w, answers + s * length, error);
        answer[s] = answers + s * length;
    }
    if (status == TEMPER_OK)
        temper_reduce(answer, shards->count, length, sum);
    free(answers);
    return status;
}

temper_status shards_train(struct shards *shards, const temper_train_options *options,
                           temper_model **model, temper_train_report *report, temper_error *error)
{
    temper_engine engine = {shards, ask};
    return temper_train_shards(shards->plan, &engine, options, model, report, error);
}

void shards_release(struct shards *shards)
{
    for (size_t s = 0; s < shards->count; s++) {
        temper_shard_free(shards->shard[s]);
        temper_free(shards->survey[s]);
        shards->shard[s] = NULL;
        shards->survey[s] = NULL;
    }
    temper_plan_free(shards->plan);
    temper_plan_free(shards->sent);
    shards->plan = shards->sent = NULL;
}

void shards_free(struct shards *shards)
{
    shards_release(shards);
    for (size_t s = 0; s < shards->count; s++)
        temper_data_free(shards->data[s]);
}

temper_model *shards_model(const struct dataset *data, size_t count,
                           const temper_train_options *options, temper_train_report *report)
{
    struct shards shards;
    temper_error error = {0};
    temper_model *model = NULL;
    if (shards_cut(data, count, &shards)) {
        temper_status status = shards_prepare(&shards, options, &error);
        if (status == TEMPER_OK)
            status = shards_train(&shards, options, &model, report, &error);
        CHECKF(status == TEMPER_OK, "%zu shards: %s", count, error.message);
    }
    shards_free(&shards);
    return model;
}
