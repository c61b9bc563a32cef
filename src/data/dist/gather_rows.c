/* gather_rows: labels and weights first, which bring the number of rows of each process; then the features. */
#include "data/dist/gather_rows.h"

#include "base/memory.h"
#include "data/dist/gather_labels.h"
#include "data/subset.h"

/* An empty copy of the data, and the array of all its features. */
static temper_status begin_copy(const struct dataset *data, size_t row, struct dataset **out, temper_error *error)
{
    static const size_t none[1];
    const uint64_t rows = dataset_all_rows(data);
    TRY(dataset_rows(data, none, 0, out, error));
    struct dataset *copy = *out;
    mem_free(copy->label);
    mem_free(copy->weight);
    mem_free(copy->line);
    matrix_free(&copy->x);
    copy->label = NULL;
    copy->weight = NULL;
    copy->line = NULL;
    copy->x = (struct matrix){
        .kind = data->x.kind, .rows = rows, .columns = data->x.columns, .nonzeros = rows * data->x.columns};
    copy->x.dense = copy->x.owned[0] = mem_aligned((size_t)rows, row);
    return copy->x.dense ? TEMPER_OK : error_no_memory(error);
}

/* The arrays of labels and weights move to the copy. */
static void take_labels(struct gathered_labels *labels, struct dataset *copy)
{
    copy->label = labels->gathered;
    copy->weight = labels->gathered_weight;
    labels->gathered = NULL;
    labels->gathered_weight = NULL;
}

temper_status gather_rows(const struct dataset *data, struct dataset **out, temper_error *error)
{
    const struct matrix one = {
        .kind = data->x.kind, .columns = data->x.columns, .nonzeros = data->x.columns, .rows = 1};
    const size_t row = (size_t)matrix_bytes(&one);
    struct gathered_labels labels = {0};
    struct dataset *copy = NULL;
    temper_status status = comm_agree(data->ranks.comm, begin_copy(data, row, &copy, error), error);
    if (status == TEMPER_OK)
        status = gathered_labels_needed(data, &labels, error);
    if (status == TEMPER_OK)
        status = gather_labels(&labels, data->x.dense, row, copy->x.owned[0], error);
    if (status == TEMPER_OK) {
        take_labels(&labels, copy);
        *out = copy;
    } else {
        dataset_free(copy);
    }
    gathered_labels_free(&labels);
    return status;
}
