/* api_arrow: data from tables of the Arrow C data and stream interface. */
#include "api/api_internal.h"
#include "data/arrow/arrow_read.h"
#include "data/from_arrays.h"
#include "data/schema.h"
#include "temper_arrow.h"

temper_arrow_options temper_arrow_defaults(void)
{
    return (temper_arrow_options){.struct_size = sizeof(temper_arrow_options)};
}

/* The options that both calls have, completed. */
struct arrow_request {
    temper_arrow_options arrow;
    temper_read_options read;
    const char *name;
};

/* Labels of the caller leave no column for the role. */
static temper_status complete_options(const temper_arrow_options *given, struct arrow_request *full,
                                      temper_error *error)
{
    full->arrow = temper_arrow_defaults();
    TRY(api_options(&full->arrow, sizeof full->arrow, given, "arrow", error));
    TRY(api_read_options(&full->read, full->arrow.read, error));
    if (!full->arrow.read)
        full->read.automatic = 1;
    if (full->arrow.labels)
        full->read.label = "none";
    full->name = full->arrow.name ? full->arrow.name : "table";
    return TEMPER_OK;
}

/* Gives the rows the labels of the caller. */
static temper_status take_labels(const struct arrow_request *full, struct dataset *data, temper_error *error)
{
    if (!full->arrow.labels)
        return TEMPER_OK;
    if (full->arrow.label_count != data->x.rows)
        return error_set(error, TEMPER_USAGE, "there are %zu labels for %llu rows; give one for each",
                         full->arrow.label_count, (unsigned long long)data->x.rows);
    return dataset_set_labels(data, full->arrow.labels, error);
}

/* Whether all that is asked for is the numbers and their labels as they are. */
static bool may_borrow(const struct arrow_request *full)
{
    const temper_read_options *read = &full->read;
    return !full->arrow.model && !read->labels && !read->classes && !read->class_weight && !read->comm && !read->memory;
}

/* Reads the table, which is freed here or belongs to the data then. */
static temper_status read_table(const struct arrow_request *full, struct arrow_table *table, struct dataset **out,
                                temper_error *error)
{
    const struct model *model = full->arrow.model ? model_of(full->arrow.model) : NULL;
    struct schema *plain = NULL;
    temper_status status = TEMPER_OK;
    *out = NULL;
    if (may_borrow(full))
        status = arrow_borrow_list(table, &full->read, out, error);
    if (status == TEMPER_OK && *out)
        return TEMPER_OK;
    if (status == TEMPER_OK && model && !model->schema)
        status = schema_plain(model->features, &model->feature_names, &plain, error);
    if (status == TEMPER_OK)
        status = dataset_read_arrow(table, &full->read, plain ? plain : model ? model->schema : NULL, out, error);
    schema_free(plain);
    arrow_table_free(table);
    return status;
}

/* The table, once it is imported. */
static temper_status publish(const struct arrow_request *full, struct arrow_table *table, temper_data **data,
                             temper_error *error)
{
    struct dataset *made;
    TRY(read_table(full, table, &made, error));
    temper_status status = take_labels(full, made, error);
    if (status == TEMPER_OK)
        *data = (temper_data *)made;
    else
        dataset_free(made);
    return status;
}

temper_status temper_data_from_arrow_stream(struct ArrowArrayStream *stream, const temper_arrow_options *options,
                                            temper_data **data, temper_error *error)
{
    struct arrow_request full;
    struct arrow_table *table;
    temper_status status = complete_options(options, &full, error);
    if (status != TEMPER_OK) {
        stream->release(stream);
        return status;
    }
    TRY(arrow_table_of_stream(stream, full.name, &table, error));
    return publish(&full, table, data, error);
}

temper_status temper_data_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                                     const temper_arrow_options *options, temper_data **data, temper_error *error)
{
    struct arrow_request full;
    struct arrow_table *table;
    temper_status status = complete_options(options, &full, error);
    if (status != TEMPER_OK) {
        schema->release(schema);
        array->release(array);
        return status;
    }
    TRY(arrow_table_of_array(schema, array, full.name, &table, error));
    return publish(&full, table, data, error);
}
