/* importance: the importance factors of labelled rows, p^(t2 - t1): by how much the two-temperature loss reduces the
 * gradient of a row. A batch of rows at a time, so that the scores of all classes need less memory than the rows. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "predict/predict.h"
#include "tempered/log_partition.h"
#include "tempered/loss_family.h"

enum { BATCH_ROWS = 8192, BLOCK_ROWS = 256 }; /* rows of which scores are kept; rows of a thread's unit of work */

/* The rows of one batch; read-only for the threads, except for their parts of `out`. */
struct importance_batch {
    const struct model *model;
    const uint32_t *label;  /* of each row, as the data numbers classes */
    const uint32_t *number; /* of each class of the data: that of the model */
    size_t rows;
    const double *activation;
    double *out;
};

/* Computed as exp((t2 - t1) log p), since p itself may underflow. Two classes have one score, which stands for the
 * activations -a/2 and a/2. */
static double row_importance(const struct model *model, const double *a, uint32_t label)
{
    const double two[] = {-a[0] / 2, a[0] / 2};
    /* Positive for t1 < t2: improbable labels then have small factors. */
    const double gap = model->loss.t2 - model->loss.t1;
    if (model->vectors == 1)
        a = two;
    struct partition family = partition_solve(a, model->classes.count, model->loss.t2);
    return exp(gap * partition_log_p(&family, label, a[label]));
}

/* The work of one thread on one block: rows are independent of each other. */
static temper_status fill_block(void *context, size_t block, size_t worker)
{
    const struct importance_batch *batch = context;
    size_t from = block * BLOCK_ROWS, to = from + BLOCK_ROWS;
    (void)worker;
    for (size_t i = from; i < to && i < batch->rows; i++)
        batch->out[i] =
            row_importance(batch->model, batch->activation + i * batch->model->vectors, batch->number[batch->label[i]]);
    return TEMPER_OK;
}

/* Computes the scores of a batch into `activation`, which is used again for the next one, then the factors. `batch`
 * has the fields that all batches share. */
static temper_status fill_batches(const struct dataset *data, size_t threads, struct importance_batch batch,
                                  double *activation, temper_error *error)
{
    temper_status status = TEMPER_OK;
    double *out = batch.out;
    for (uint64_t from = 0; status == TEMPER_OK && from < data->x.rows; from += BATCH_ROWS) {
        uint64_t left = data->x.rows - from, count = left < BATCH_ROWS ? left : BATCH_ROWS;
        /* A view of the batch's rows; nothing is copied. */
        struct matrix rows = matrix_slice(&data->x, from, count);
        status = decide(batch.model, &rows, threads, activation, error);
        batch.rows = (size_t)count;
        batch.label = data->label + from;
        batch.out = out + from;
        if (status == TEMPER_OK &&
            parallel_blocks((batch.rows + BLOCK_ROWS - 1) / BLOCK_ROWS, threads, fill_block, &batch) != TEMPER_OK)
            status = error_no_memory(error);
    }
    return status;
}

/* Finds the model's number of each class by name. A class that the model does not have is refused: its rows have no
 * probability. */
static temper_status match_classes(const struct model *model, const struct dataset *data, uint32_t *number,
                                   temper_error *error)
{
    for (size_t c = 0; c < data->classes.count; c++) {
        const char *name = data->classes.name[c];
        number[c] = classes_find(&model->classes, name, strlen(name));
        if (number[c] == CLASSES_NONE)
            return error_set(error, TEMPER_BAD_DATA,
                             "the model does not have the class '%.80s'; give it rows of its own classes", name);
    }
    return TEMPER_OK;
}

/* Other losses have no temperatures, hence no such factor. */
static temper_status check_request(const struct model *model, const struct dataset *data, temper_error *error)
{
    if (!loss_is_two_temperature(model->loss))
        return error_set(error, TEMPER_USAGE,
                         "only two-temperature losses have importance factors; the loss of this model is %s",
                         temper_method_name(model->loss.method));
    if (!data->label)
        return error_set(error, TEMPER_USAGE, "importance factors need labels, and the data has none");
    return TEMPER_OK;
}

/* Fills out[rows]. For t1 = t2 all factors are 1, and the scores are not computed. */
temper_status importances(const struct model *model, const struct dataset *data, size_t threads, double *out,
                          temper_error *error)
{
    temper_status status = check_request(model, data, error);
    if (status != TEMPER_OK)
        return status;
    uint32_t *number = mem_alloc(data->classes.count, sizeof *number);
    /* [row of the batch * vectors + k] */
    double *activation = mem_alloc(BATCH_ROWS, model->vectors * sizeof *activation);
    if (number && activation)
        status = match_classes(model, data, number, error);
    else
        status = error_no_memory(error);
    struct importance_batch batch = {.model = model, .number = number, .activation = activation, .out = out};
    /* The classes are matched before, so that errors do not depend on the temperatures. */
    if (status == TEMPER_OK && model->loss.t1 == model->loss.t2)
        for (uint64_t i = 0; i < data->x.rows; i++)
            out[i] = 1;
    else if (status == TEMPER_OK)
        status = fill_batches(data, threads, batch, activation, error);
    mem_free(number);
    mem_free(activation);
    return status;
}
