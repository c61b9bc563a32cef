/* api: training on rows that lie with the workers of another engine. */
#include "remote/train_remote.h"

#include "base/thread.h"
#include "comm/tree_sum.h"
#include "objective/remote/remote_reply.h"

static const struct shard_plan *inside(const temper_shard_plan *plan)
{
    return (const struct shard_plan *)plan;
}

/* What was written becomes the caller's, or nothing is left of it. */
static temper_status publish(struct text *made, temper_status status, char **bytes, size_t *length)
{
    if (status != TEMPER_OK) {
        text_free(made);
        return status;
    }
    *bytes = made->bytes;
    *length = made->length;
    return TEMPER_OK;
}

temper_status temper_shard_stats(const temper_data *data, size_t threads, char **survey, size_t *length,
                                 temper_error *error)
{
    struct shard_stats taken;
    struct text made = {0};
    temper_status status =
        shard_stats_compute((const struct dataset *)data, threads ? threads : thread_count_default(), &taken, error);
    if (status != TEMPER_OK)
        return status;
    wire_begin(&made, SHARD_STATS_KIND);
    shard_stats_put(&made, &taken);
    shard_stats_put_sums(&made, &taken);
    wire_end(&made);
    shard_stats_free(&taken);
    return publish(&made, made.failed ? error_no_memory(error) : TEMPER_OK, survey, length);
}

temper_status temper_shard_plan_new(const temper_bytes *surveys, size_t count, const temper_train_options *options,
                                    temper_shard_plan **plan, temper_error *error)
{
    const temper_train_options defaults = temper_train_defaults();
    struct shard_plan *made;
    temper_status status = shard_plan_new(surveys, count, options ? options : &defaults, &made, error);
    if (status == TEMPER_OK)
        *plan = (temper_shard_plan *)made;
    return status;
}

void temper_shard_plan_free(temper_shard_plan *plan)
{
    shard_plan_free((struct shard_plan *)plan);
}

temper_status temper_shard_plan_to_text(const temper_shard_plan *plan, char **text, size_t *length, temper_error *error)
{
    struct text made = {0};
    temper_status status = shard_plan_write(inside(plan), &made, error);
    return publish(&made, status, text, length);
}

temper_status temper_shard_plan_from_text(const char *text, size_t length, temper_shard_plan **plan,
                                          temper_error *error)
{
    struct shard_plan *read;
    temper_status status = shard_plan_read(text, length, &read, error);
    if (status == TEMPER_OK)
        *plan = (temper_shard_plan *)read;
    return status;
}

size_t temper_shard_plan_weight_count(const temper_shard_plan *plan)
{
    return shard_plan_size(inside(plan));
}

double temper_shard_plan_l2(const temper_shard_plan *plan)
{
    return inside(plan)->l2;
}

size_t temper_shard_reply_length(const temper_shard_plan *plan, temper_shard_request_kind asked)
{
    return reply_length(shard_plan_size(inside(plan)), asked);
}

temper_status temper_shard_borrow(const temper_data *data, const temper_shard_plan *plan, size_t threads,
                                  temper_shard **shard, temper_error *error)
{
    struct shard *made;
    temper_status status = shard_new((const struct dataset *)data, inside(plan), threads, &made, error);
    if (status == TEMPER_OK)
        *shard = (temper_shard *)made;
    return status;
}

void temper_shard_free(temper_shard *shard)
{
    shard_free((struct shard *)shard);
}

temper_status temper_shard_reply(temper_shard *shard, const temper_shard_request *request, const double *w,
                                 double *answer, temper_error *error)
{
    return shard_answer((struct shard *)shard, request, w, answer, error);
}

void temper_shard_sum(const double *const *answers, size_t count, size_t length, double *sum)
{
    tree_add(answers, count, length, sum);
}

temper_status temper_train_shards(const temper_shard_plan *plan, const temper_shard_engine *engine,
                                  const temper_train_options *options, temper_model **model,
                                  temper_train_report *report, temper_error *error)
{
    const temper_train_options defaults = temper_train_defaults();
    struct model *trained;
    temper_train_report made;
    temper_status status = train_shards(inside(plan), engine, options ? options : &defaults, &trained, &made, error);
    if (status != TEMPER_OK)
        return status;
    if (report)
        *report = made;
    *model = (temper_model *)trained;
    return TEMPER_OK;
}
