/* api: rows for a model, batch by batch. */
#include "data/batches/batch_reader.h"

#include "base/memory.h"
#include "model/model.h"

struct temper_batch_reader {
    struct batch_reader *stream;
    struct schema *plain; /* of a model that has none of its own */
};

temper_status temper_batch_reader_open(const temper_model *public, const char *path, const temper_read_options *options,
                                       temper_batch_reader **stream, temper_error *error)
{
    const struct model *model = (const struct model *)public;
    const temper_read_options defaults = {0};
    temper_batch_reader *made = mem_zeroed(1, sizeof *made);
    temper_status status = TEMPER_OK;
    if (!made)
        return error_no_memory(error);
    if (!model->schema)
        status = schema_plain(model->features, &model->feature_names, &made->plain, error);
    if (status == TEMPER_OK)
        status = batch_reader_open(path, options ? options : &defaults, made->plain ? made->plain : model->schema,
                                   &made->stream, error);
    if (status != TEMPER_OK) {
        temper_batch_reader_close(made);
        return status;
    }
    batch_reader_set_width(made->stream, model->classes.count);
    *stream = made;
    return TEMPER_OK;
}

temper_status temper_batch_reader_next(temper_batch_reader *stream, temper_data **batch, temper_error *error)
{
    struct dataset *data;
    temper_status status = batch_reader_next(stream->stream, &data, error);
    if (status == TEMPER_OK)
        *batch = (temper_data *)data;
    return status;
}

const char *temper_batch_reader_notes(const temper_batch_reader *stream)
{
    return batch_reader_notes(stream->stream);
}

unsigned long long temper_batch_reader_dropped_rows(const temper_batch_reader *stream)
{
    return batch_reader_dropped(stream->stream);
}

void temper_batch_reader_close(temper_batch_reader *stream)
{
    if (!stream)
        return;
    batch_reader_close(stream->stream);
    schema_free(stream->plain);
    mem_free(stream);
}
