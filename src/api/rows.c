/* api: data made of rows of other data: some of them, both together, or parted at random. */
#include "base/memory.h"
#include "base/status.h"
#include "data/dist/scatter_rows.h"
#include "data/split.h"
#include "data/subset.h"

static const struct dataset *inside(const temper_data *data)
{
    return (const struct dataset *)data;
}

temper_status temper_data_select_rows(const temper_data *data, const size_t *row, size_t count, temper_data **taken,
                                      temper_error *error)
{
    struct dataset *copy;
    unsigned long long rows = inside(data)->x.rows;
    for (size_t i = 0; i < count; i++)
        if (row[i] >= rows)
            return error_set(error, TEMPER_USAGE,
                             "row %zu is beyond the %llu rows of the data, which are counted "
                             "from 0",
                             row[i], rows);
    temper_status status = dataset_rows(inside(data), row, count, &copy, error);
    if (status == TEMPER_OK)
        *taken = (temper_data *)copy;
    return status;
}

temper_status temper_data_concat(const temper_data *first, const temper_data *second, temper_data **joined,
                                 temper_error *error)
{
    struct dataset *whole;
    temper_status status = scatter_refuse(inside(first), "joining", error);
    if (status == TEMPER_OK)
        status = scatter_refuse(inside(second), "joining", error);
    if (status == TEMPER_OK)
        status = dataset_concat(inside(first), inside(second), &whole, error);
    if (status == TEMPER_OK)
        *joined = (temper_data *)whole;
    return status;
}

static temper_status take_part(const struct dataset *data, const struct split *split, uint32_t part, size_t *row,
                               struct dataset **out, temper_error *error)
{
    size_t count = split_rows(split, part, false, row);
    return dataset_rows(data, row, count, out, error);
}

static temper_status take_parts(const struct dataset *data, const struct split *split, temper_data **train,
                                temper_data **test, temper_error *error)
{
    struct dataset *first = NULL, *second = NULL;
    size_t *row = mem_alloc((size_t)data->x.rows, sizeof *row);
    if (!row)
        return error_no_memory(error);
    temper_status status = take_part(data, split, SPLIT_TRAIN, row, &first, error);
    if (status == TEMPER_OK)
        status = take_part(data, split, SPLIT_TEST, row, &second, error);
    mem_free(row);
    if (status != TEMPER_OK) {
        dataset_free(first);
        return status;
    }
    *train = (temper_data *)first;
    *test = (temper_data *)second;
    return TEMPER_OK;
}

temper_status temper_data_split(const temper_data *data, const temper_split_options *options, temper_data **train,
                                temper_data **test, temper_error *error)
{
    struct split split;
    struct split_options how = {options->seed, options->stratified != 0};
    temper_status status = scatter_refuse(inside(data), "a split", error);
    if (status == TEMPER_OK)
        status = split_test(inside(data), options->share, how, &split, error);
    if (status != TEMPER_OK)
        return status;
    status = take_parts(inside(data), &split, train, test, error);
    split_free(&split);
    return status;
}
