/* importance: how much of its gradient each labelled row is allowed. A chunk of rows at a time, so
 * that activations of all classes never take as much memory as the rows themselves. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "predict/predict.h"
#include "tempered/log_partition.h"
#include "tempered/loss_family.h"

enum { CHUNK_ROWS = 8192, BLOCK_ROWS = 256 };

struct chunk {
    const struct model *model;
    const uint32_t *label;  /* of its first row, in the data's numbers */
    const uint32_t *number; /* the model's for each of the data's */
    size_t rows;
    const double *activation;
    double *out;
};

static double row_importance(const struct model *model, const double *a, uint32_t label)
{
    const double two[] = {-a[0] / 2, a[0] / 2};
    const double gap = model->loss.t2 - model->loss.t1;
    if (model->vectors == 1)
        a = two;
    struct partition family = partition_solve(a, model->classes.count, model->loss.t2);
    return exp(gap * partition_log_p(&family, label, a[label]));
}

static temper_status fill_block(void *context, size_t block, size_t worker)
{
    const struct chunk *chunk = context;
    size_t from = block * BLOCK_ROWS, to = from + BLOCK_ROWS;
    (void)worker;
    for (size_t i = from; i < to && i < chunk->rows; i++)
        chunk->out[i] =
            row_importance(chunk->model, chunk->activation + i * chunk->model->vectors, chunk->number[chunk->label[i]]);
    return TEMPER_OK;
}

static temper_status fill_chunks(const struct dataset *data, size_t threads, struct chunk chunk, double *activation,
                                 temper_error *error)
{
    temper_status status = TEMPER_OK;
    double *out = chunk.out;
    for (uint64_t from = 0; status == TEMPER_OK && from < data->x.rows; from += CHUNK_ROWS) {
        uint64_t left = data->x.rows - from, count = left < CHUNK_ROWS ? left : CHUNK_ROWS;
        struct matrix rows = matrix_slice(&data->x, from, count);
        status = decide(chunk.model, &rows, threads, activation, error);
        chunk.rows = (size_t)count;
        chunk.label = data->label + from;
        chunk.out = out + from;
        if (status == TEMPER_OK &&
            parallel_blocks((chunk.rows + BLOCK_ROWS - 1) / BLOCK_ROWS, threads, fill_block, &chunk) != TEMPER_OK)
            status = error_no_memory(error);
    }
    return status;
}

static temper_status match_classes(const struct model *model, const struct dataset *data, uint32_t *number,
                                   temper_error *error)
{
    for (size_t c = 0; c < data->classes.count; c++) {
        const char *name = data->classes.name[c];
        number[c] = classes_find(&model->classes, name, strlen(name));
        if (number[c] == CLASSES_NONE)
            return error_set(error, TEMPER_BAD_DATA,
                             "the model does not know the class '%.80s'; give it rows of its own "
                             "classes",
                             name);
    }
    return TEMPER_OK;
}

static temper_status refuse(const struct model *model, const struct dataset *data, temper_error *error)
{
    if (!loss_is_two_temperature(model->loss))
        return error_set(error, TEMPER_USAGE,
                         "importance factors are those of the losses with two temperatures; this "
                         "model is of another (%s)",
                         temper_method_name(model->loss.method));
    if (!data->label)
        return error_set(error, TEMPER_USAGE, "importance factors are those of given labels, and there are none");
    return TEMPER_OK;
}

temper_status importances(const struct model *model, const struct dataset *data, size_t threads, double *out,
                          temper_error *error)
{
    temper_status status = refuse(model, data, error);
    if (status != TEMPER_OK)
        return status;
    uint32_t *number = mem_alloc(data->classes.count, sizeof *number);
    double *activation = mem_alloc(CHUNK_ROWS, model->vectors * sizeof *activation);
    if (number && activation)
        status = match_classes(model, data, number, error);
    else
        status = error_no_memory(error);
    struct chunk chunk = {.model = model, .number = number, .activation = activation, .out = out};
    if (status == TEMPER_OK && model->loss.t1 == model->loss.t2)
        for (uint64_t i = 0; i < data->x.rows; i++)
            out[i] = 1;
    else if (status == TEMPER_OK)
        status = fill_chunks(data, threads, chunk, activation, error);
    mem_free(number);
    mem_free(activation);
    return status;
}
