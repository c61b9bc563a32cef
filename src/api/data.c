/* api: data in and out. */
#include "base/thread.h"
#include "data/columns/scale.h"
#include "data/dataset.h"
#include "data/dist/scatter_rows.h"
#include "data/memory/memory_limit.h"
#include "data/read/read.h"
#include "data/schema.h"
#include "data/subset.h"
#include "data/write/write.h"
#include "temper.h"

/* The public handle is the dataset itself. */
static const struct dataset *inside(const temper_data *data)
{
    return (const struct dataset *)data;
}

temper_status temper_data_read(const char *path, const temper_read_options *options, temper_data **data,
                               temper_error *error)
{
    const temper_read_options defaults = {0};
    struct dataset *read;
    temper_status status = dataset_read(path, options ? options : &defaults, &read, error);
    if (status == TEMPER_OK)
        *data = (temper_data *)read;
    return status;
}

temper_status temper_data_read_like(const temper_data *like, const char *path, const temper_read_options *options,
                                    temper_data **data, temper_error *error)
{
    const struct dataset *model = inside(like);
    const temper_read_options defaults = {0};
    struct schema *plain = NULL;
    struct dataset *read;
    temper_status status = TEMPER_OK;
    if (!model->schema)
        status = schema_plain((size_t)model->x.columns, &model->features, &plain, error);
    if (status == TEMPER_OK)
        status = dataset_read_like(path, options ? options : &defaults, plain ? plain : model->schema, &read, error);
    schema_free(plain);
    if (status == TEMPER_OK)
        *data = (temper_data *)read;
    return status;
}

void temper_data_free(temper_data *data)
{
    dataset_free((struct dataset *)data);
}

temper_status temper_data_write(const temper_data *data, const char *path, const char *format, temper_error *error)
{
    temper_status status = scatter_refuse(inside(data), "writing", error);
    return status == TEMPER_OK ? dataset_write(inside(data), path, format, error) : status;
}

temper_status temper_data_write_check(const char *path, const char *format, temper_error *error)
{
    return dataset_write_check(path, format, error);
}

temper_status temper_data_write_with_attachment(const temper_data *data, const char *path, const char *format,
                                                const temper_attachment *with, temper_error *error)
{
    if (!with || !with->path || with->path[0] == '\0' || (!with->bytes && with->length > 0))
        return error_set(error, TEMPER_USAGE, "the second file has no name or no bytes; give both");
    temper_status status = scatter_refuse(inside(data), "writing", error);
    return status == TEMPER_OK ? dataset_write_with(inside(data), path, format, with, error) : status;
}

unsigned long long temper_data_rows(const temper_data *data)
{
    return inside(data)->x.rows;
}

unsigned long long temper_data_total_rows(const temper_data *data)
{
    return dataset_all_rows(inside(data));
}

unsigned long long temper_data_dropped_rows(const temper_data *data)
{
    return inside(data)->file.missing_dropped;
}

unsigned long long temper_data_features(const temper_data *data)
{
    return inside(data)->x.columns;
}

unsigned long long temper_data_stored_values(const temper_data *data)
{
    return inside(data)->x.nonzeros;
}

size_t temper_data_classes(const temper_data *data)
{
    return inside(data)->label ? inside(data)->classes.count : 0;
}

const uint32_t *temper_data_labels(const temper_data *data)
{
    return inside(data)->label;
}

const char *temper_data_class_name(const temper_data *data, size_t class_number)
{
    return class_number < inside(data)->classes.count ? inside(data)->classes.name[class_number] : NULL;
}

const char *temper_data_format(const temper_data *data)
{
    return inside(data)->file.format;
}

const char *temper_data_notes(const temper_data *data)
{
    return inside(data)->notes;
}

const char *temper_data_feature_name(const temper_data *data, unsigned long long column)
{
    return column < inside(data)->features.count ? inside(data)->features.name[column] : NULL;
}

/* The scaled matrix takes the place of the borrowed one. */
static temper_status scale_copy(const struct dataset *data, enum scale_kind kind, size_t threads, struct dataset *copy,
                                temper_error *error)
{
    struct scale scale;
    if (kind == SCALE_NONE)
        return TEMPER_OK;
    struct scale_rows all = {NULL, (size_t)data->x.rows};
    double numbers = (double)data->x.nonzeros;
    struct memory_limit_plan plan = {.what = "scaling, which makes a copy of the data,",
                                     .needed = numbers * sizeof(double),
                                     .threads = threads ? threads : thread_count_default(),
                                     .block = numbers / ((double)data->x.rows + 1)};
    temper_status status = memory_limit_plan(data, &plan, error);
    if (status != TEMPER_OK)
        return status;
    status = scale_learn(data, kind, all, threads, &scale, error);
    if (status != TEMPER_OK)
        return status;
    status = scale_matrix(&scale, &data->x, threads, &copy->x, error);
    scale_free(&scale);
    return status;
}

temper_status temper_data_scale(const temper_data *data, const char *scale, size_t threads, temper_data **scaled,
                                temper_error *error)
{
    enum scale_kind kind;
    struct dataset *copy;
    if (!scale_find(scale, &kind))
        return error_set(error, TEMPER_USAGE,
                         "there is no scaling '%.64s'; there are none, standard, minmax, maxabs, "
                         "log and pixels",
                         scale);
    temper_status status = dataset_borrow(inside(data), &copy, error);
    if (status != TEMPER_OK)
        return status;
    status = scale_copy(inside(data), kind, threads, copy, error);
    if (status != TEMPER_OK) {
        dataset_free(copy);
        return status;
    }
    *scaled = (temper_data *)copy;
    return TEMPER_OK;
}
