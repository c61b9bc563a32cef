/* shard: the worker's side of remote training: the rows of one worker, and the replies to requests about them: loss and
 * gradient at given weights, or the length of a step.
 *
 * A shard is an objective on its own rows that divides by the weight of all rows, so that the sum of all replies is the
 * value or gradient of the whole. Requests and replies are bytes, whose transport is the caller's, such as Dask. A
 * worker keeps no state between requests but its objective. */
#include <math.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/classes.h"
#include "data/dist/scatter_rows.h"
#include "data/subset.h"
#include "objective/objective.h"
#include "objective/remote/remote_reply.h"
#include "remote/train_remote.h"
#include "temper_extra.h"
#include "tempered/loss_family.h"
#include "train/train.h"

struct shard {
    struct dataset *data;        /* borrowed rows, with labels numbered by the classes of all shards */
    struct objective *objective; /* over these rows, without a penalty */
    bool two_temperature;        /* the loss of the plan has two temperatures, and the objective tables for it */
};

/* Accepts NULL, and a shard that could not be completed. */
void shard_free(struct shard *shard)
{
    if (!shard)
        return;
    objective_free(shard->objective);
    dataset_free(shard->data);
    mem_free(shard);
}

/* Refuses rows that differ from those of the statistics: gradients of another size could not be summed. */
static temper_status check_alike(const struct dataset *data, const struct shard_plan *plan, temper_error *error)
{
    /* The types of the numbers may differ between shards; the layout may not. */
    bool sparse = data->x.kind == MATRIX_CSR, wanted = plan->all.kind == MATRIX_CSR;
    if (!data->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "a shard has no labels to learn from; give a label for each of its rows");
    if (data->x.columns == plan->all.columns && sparse == wanted)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     "this shard has %llu %s features, and the plan is for %llu %s ones; make a "
                     "shard of the rows that were surveyed",
                     (unsigned long long)data->x.columns, sparse ? "sparse" : "dense",
                     (unsigned long long)plan->all.columns, wanted ? "sparse" : "dense");
}

/* Borrows the rows, and gives their labels the class numbers of the plan, which are those of all shards together.
 * TEMPER_BAD_DATA for a class that was not counted. */
static temper_status take_rows(const struct dataset *data, const struct shard_plan *plan, struct shard *shard,
                               temper_error *error)
{
    uint64_t row;
    temper_status status = dataset_borrow(data, &shard->data, error);
    if (status != TEMPER_OK)
        return status;
    status = classes_adopt(shard->data, &plan->all.classes, &row, error);
    if (status == TEMPER_BAD_DATA)
        return error_set(error, TEMPER_BAD_DATA,
                         "row %llu of a shard has the class '%.64s', which the plan does not "
                         "have; make a shard of the rows that were surveyed",
                         (unsigned long long)row + 1, shard->data->classes.name[shard->data->label[row]]);
    return status;
}

/* Checks the rows and makes their objective. It divides by the sum of the weights of all shards, so that the replies of
 * all shards sum to the mean over all rows. The coordinator adds the penalty. */
static temper_status fill(const struct dataset *data, const struct shard_plan *plan, size_t threads,
                          struct shard *shard, temper_error *error)
{
    temper_status status = scatter_refuse(data, "a shard", error);
    if (status == TEMPER_OK)
        status = check_alike(data, plan, error);
    if (status == TEMPER_OK)
        status = take_rows(data, plan, shard, error);
    if (status != TEMPER_OK)
        return status;
    shard->two_temperature = loss_is_two_temperature(plan->loss);
    struct objective_spec spec = {.data = shard->data,
                                  .scale = &plan->scale,
                                  .loss = plan->loss,
                                  .intercept = plan->intercept,
                                  .f64 = plan->f64,
                                  .threads = threads ? threads : thread_count_default(),
                                  .weight_sum = plan->all.weight_sum};
    return objective_new(&spec, &shard->objective, error);
}

/* threads 0: as many as the machine has. *out is untouched on failure. */
temper_status shard_new(const struct dataset *data, const struct shard_plan *plan, size_t threads, struct shard **out,
                        temper_error *error)
{
    /* Zeroed, so that a shard that is not complete can be freed. */
    struct shard *shard = mem_zeroed(1, sizeof *shard);
    if (!shard)
        return error_no_memory(error);
    temper_status status = fill(data, plan, threads, shard, error);
    if (status != TEMPER_OK) {
        shard_free(shard);
        return status;
    }
    *out = shard;
    return TEMPER_OK;
}

/* Loss, accuracy and gradient: the contribution of this shard to those of all rows. `answer` has the layout of
 * remote_reply.h. */
static temper_status compute_gradient(struct shard *shard, const double *w, double *answer, temper_error *error)
{
    double value; /* no penalty: the loss again */
    temper_status status = objective_evaluate(shard->objective, w, &value, answer + REPLY_GRADIENT, error);
    answer[REPLY_LOSS] = objective_loss(shard->objective);
    answer[REPLY_ACCURACY] = objective_accuracy(shard->objective);
    return status;
}

/* The square of the length of a step v, the root mean square change of the scores: squares add up over shards. */
static temper_status compute_length(struct shard *shard, const double *v, double *answer, temper_error *error)
{
    double length;
    temper_status status = objective_length(shard->objective, v, &length, error);
    if (status == TEMPER_OK)
        answer[REPLY_SQUARES] = length * length;
    return status;
}

/* Computes one reply. The loss may change from request to request, because hinges are rounded in phases; the objective
 * stays the same. */
temper_status shard_answer(struct shard *shard, const temper_shard_request *request, const double *w, double *answer,
                           temper_error *error)
{
    temper_status status = train_check_loss(request->loss, error);
    if (status != TEMPER_OK)
        return status;
    /* Its tables of the loss would have to be of another kind. */
    if (shard->two_temperature && !loss_is_two_temperature(request->loss))
        return error_set(error, TEMPER_USAGE,
                         "the plan is for losses of two temperatures, and the request for another "
                         "one; pass on the loss that the engine was asked with");
    objective_set_loss(shard->objective, request->loss);
    /* The kind comes from the network: values of no kind end below. */
    switch (request->kind) {
    case TEMPER_SHARD_GRADIENT:
        return compute_gradient(shard, w, answer, error);
    case TEMPER_SHARD_SQUARED_NORM:
        return compute_length(shard, w, answer, error);
    }
    return error_set(error, TEMPER_USAGE,
                     "there is no such request to a shard; ask for TEMPER_SHARD_GRADIENT or "
                     "TEMPER_SHARD_SQUARED_NORM");
}
