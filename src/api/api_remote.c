/* api_remote: training on shards, rows that the workers of another engine hold (Dask, Spark). */
#include "api/api_internal.h"
#include "base/thread.h"
#include "comm/tree_sum.h"
#include "objective/remote/remote_reply.h"
#include "remote/train_remote.h"

/* temper_shard_plan is struct shard_plan under its public name; the type is never defined. */
static const struct shard_plan *plan_of(const temper_shard_plan *plan)
{
    return (const struct shard_plan *)plan;
}

/* Statistics of one shard (classes, sums for scaling) as a message for the coordinator; on the worker. */
temper_status temper_shard_stats(const temper_data *data, size_t threads, temper_text *stats, temper_error *error)
{
    struct shard_stats taken;
    struct text made = {0};
    temper_status status =
        shard_stats_compute(dataset_of(data), threads ? threads : thread_count_default(), &taken, error);
    if (status != TEMPER_OK)
        return status;
    /* The kind and a checksum guard against messages of another version or purpose. */
    wire_begin(&made, SHARD_STATS_KIND);
    shard_stats_put(&made, &taken);
    shard_stats_put_sums(&made, &taken);
    wire_end(&made);
    shard_stats_free(&taken);
    return api_publish_text(&made, TEMPER_OK, stats, error);
}

/* Combines the statistics of all shards into the plan: classes, scaling and penalty, which must be the same for all of
 * them. On the coordinator. */
temper_status temper_shard_plan_new(const temper_bytes *stats, size_t count, const temper_train_options *options,
                                    temper_shard_plan **plan, temper_error *error)
{
    temper_train_options full;
    struct shard_plan *made;
    TRY(api_train_options(&full, options, error));
    TRY(shard_plan_new(stats, count, &full, &made, error));
    *plan = (temper_shard_plan *)made;
    return TEMPER_OK;
}

/* NULL is allowed. */
void temper_shard_plan_free(temper_shard_plan *plan)
{
    shard_plan_free((struct shard_plan *)plan);
}

/* The plan as a message to the workers. */
temper_status temper_shard_plan_to_text(const temper_shard_plan *plan, temper_text *text, temper_error *error)
{
    struct text made = {0};
    temper_status status = shard_plan_write(plan_of(plan), &made, error);
    return api_publish_text(&made, status, text, error);
}

/* The worker's side of temper_shard_plan_to_text. */
temper_status temper_shard_plan_from_text(const char *text, size_t length, temper_shard_plan **plan,
                                          temper_error *error)
{
    struct shard_plan *read;
    TRY(shard_plan_read(text, length, &read, error));
    *plan = (temper_shard_plan *)read;
    return TEMPER_OK;
}

/* Length of the weight vectors in requests. */
size_t temper_shard_plan_weight_count(const temper_shard_plan *plan)
{
    return shard_plan_size(plan_of(plan));
}

/* The penalty, also where the plan has chosen it. */
double temper_shard_plan_l2(const temper_shard_plan *plan)
{
    return plan_of(plan)->l2;
}

/* Numbers in the reply to a request of this kind, the same for all shards, so that replies can be summed. */
size_t temper_shard_reply_length(const temper_shard_plan *plan, temper_shard_request_kind kind)
{
    return reply_length(shard_plan_size(plan_of(plan)), kind);
}

/* Prepares the rows of a worker for requests; `data` and `plan` must outlive the shard. */
temper_status temper_shard_borrow(const temper_data *data, const temper_shard_plan *plan, size_t threads,
                                  temper_shard **shard, temper_error *error)
{
    struct shard *made;
    TRY(shard_new(dataset_of(data), plan_of(plan), threads, &made, error));
    *shard = (temper_shard *)made;
    return TEMPER_OK;
}

/* The data of the shard stay with the caller. */
void temper_shard_free(temper_shard *shard)
{
    shard_free((struct shard *)shard);
}

/* Computes the shard's contribution to the mean over the rows of all shards: loss, accuracy and gradient at w, or the
 * mean square of the activations. */
temper_status temper_shard_reply(temper_shard *shard, const temper_shard_request *request, const double *w,
                                 double *reply, temper_error *error)
{
    return shard_answer((struct shard *)shard, request, w, reply, error);
}

/* Adds replies in the fixed order of a binary tree: the result does not depend on the order in which they arrived. */
void temper_shard_sum(const double *const *replies, size_t count, size_t length, double *sum)
{
    tree_add(replies, count, length, sum);
}

/* Runs the optimiser on the coordinator, which has no rows; it evaluates the objective through `engine`. */
temper_status temper_train_shards(const temper_shard_plan *plan, const temper_shard_engine *engine,
                                  const temper_train_options *options, temper_model **model,
                                  temper_train_report *report, temper_error *error)
{
    temper_train_options full;
    struct model *trained;
    temper_train_report made;
    TRY(api_train_options(&full, options, error));
    TRY(train_shards(plan_of(plan), engine, &full, &trained, &made, error));
    if (report)
        *report = made;
    *model = (temper_model *)trained;
    return TEMPER_OK;
}
