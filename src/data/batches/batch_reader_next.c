/* batch_reader_next: batch after batch, and what is known behind the last. */
#include <string.h>

#include "base/memory.h"
#include "data/batches/batch_reader_internal.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"

/* Of all portions together: each for itself would tell its own figures. */
static bool note_missing(struct batch_reader *stream)
{
    const char *told = stream->options.missing;
    bool means = told ? strcmp(told, "mean") == 0 : stream->schema && stream->schema->missing == SCHEMA_MEAN;
    struct dataset all = {.file.missing_dropped = stream->dropped, .file.missing_filled = stream->filled};
    csv_note_missing(&all, stream->kept, means, true);
    return batch_reader_add_notes(stream, all.notes);
}

/* One batch, which has no rows if all of a portion were dropped. */
static temper_status next_batch(struct batch_reader *stream, struct dataset *data, bool *some, temper_error *error)
{
    if (!comm_alone(stream->options.comm))
        return batch_reader_shared_rows(stream, data, some, error);
    temper_status status = batch_reader_rows(stream, data, some, error);
    if (status != TEMPER_OK || !*some)
        return status;
    batch_reader_count(stream, data->x.rows, data->file.missing_dropped, data->file.missing_filled);
    return batch_reader_add_notes(stream, data->notes) ? TEMPER_OK : error_no_memory(error);
}

/* Behind the last batch. */
static temper_status finish(struct batch_reader *stream, temper_error *error)
{
    if (!batch_reader_can_split(stream))
        return TEMPER_OK;
    if (stream->kept == 0 && stream->dropped > 0)
        return error_set(error, TEMPER_BAD_DATA, "%s: every row has a missing value; pass --missing zero or mean",
                         place_text(stream->path).text);
    return note_missing(stream) ? TEMPER_OK : error_no_memory(error);
}

temper_status batch_reader_next(struct batch_reader *stream, struct dataset **batch, temper_error *error)
{
    struct dataset *data = mem_zeroed(1, sizeof *data);
    bool some = false;
    if (!data)
        return error_no_memory(error);
    temper_status status = next_batch(stream, data, &some, error);
    bool empty = some && data->x.rows == 0 && comm_alone(stream->options.comm);
    if (status != TEMPER_OK || !some || empty) {
        dataset_free(data);
        data = NULL;
    }
    if (status == TEMPER_OK && empty)
        return batch_reader_next(stream, batch, error);
    if (status == TEMPER_OK && !some)
        status = finish(stream, error);
    if (status == TEMPER_OK)
        *batch = data;
    return status;
}
