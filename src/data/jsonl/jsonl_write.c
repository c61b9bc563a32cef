/* jsonl_write: a dataset as JSON lines, an object for each row.
 *
 * Keys are the names of the features, or f1, f2...; then `weight` if rows have weights, and the label. Sparse rows are
 * written with all their zeros, since a key that a row lacks is a gap. Numbers have the fewest digits that read back
 * as the same value; labels are texts. */
#include <string.h>

#include "base/json/json_write.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/memory/page_window.h"
#include "data/write/write.h"

enum { FULL = 1 << 16 }; /* bytes that are worth a write */

struct jsonl_writer {
    const struct dataset *data;
    struct text text;
    double *row; /* scratch for one */
    struct atomic_file *sink;
    temper_error *error;
};

/* Writes the collected text if it has at least `enough` bytes; 0 writes all. */
static temper_status flush(struct jsonl_writer *writer, size_t enough)
{
    struct text *text = &writer->text;
    if (text->failed)
        return error_no_memory(writer->error);
    size_t length = text->length;
    if (length < enough || length == 0)
        return TEMPER_OK;
    text->length = 0;
    return atomic_file_write(writer->sink, text->bytes, length, writer->error);
}

static void append_number(struct jsonl_writer *writer, double value, bool f64)
{
    char digits[NUMBER_LENGTH];
    size_t length = f64 ? number_write_f64(value, digits) : number_write_f32((float)value, digits);
    text_append_bytes(&writer->text, digits, length);
}

static void append_key(struct jsonl_writer *writer, uint64_t feature)
{
    const struct names *names = &writer->data->features;
    if (feature < names->count)
        json_write_string(&writer->text, names->name[feature]);
    else
        text_format(&writer->text, "\"f%llu\"", (unsigned long long)feature + 1);
    text_append(&writer->text, ":");
}

/* One object. A row may be wide, and so the text is flushed within it. */
static temper_status write_row(struct jsonl_writer *writer, uint64_t index)
{
    const struct dataset *data = writer->data;
    temper_status status = TEMPER_OK;
    page_window_rows(&data->x, index, 1);
    matrix_row_f64(&data->x, index, writer->row);
    for (uint64_t i = 0; i < data->x.columns && status == TEMPER_OK; i++) {
        text_append(&writer->text, i > 0 ? "," : "{");
        append_key(writer, i);
        append_number(writer, writer->row[i], matrix_has_doubles(&data->x));
        status = flush(writer, FULL);
    }
    if (data->weight) {
        text_append(&writer->text, ",\"weight\":");
        append_number(writer, data->weight[index], true);
    }
    if (data->label) {
        text_append(&writer->text, ",");
        json_write_string(&writer->text, written_label_name(data));
        text_append(&writer->text, ":");
        json_write_string(&writer->text, data->classes.name[data->label[index]]);
    }
    text_append(&writer->text, "}\n");
    return status;
}

/* The writer_fn. */
temper_status write_jsonl(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    struct jsonl_writer writer = {.data = data, .sink = sink, .error = error};
    writer.row = mem_alloc(data->x.columns, sizeof *writer.row);
    temper_status status = writer.row ? TEMPER_OK : error_no_memory(error);
    for (uint64_t i = 0; i < data->x.rows && status == TEMPER_OK; i++)
        status = write_row(&writer, i);
    if (status == TEMPER_OK)
        status = flush(&writer, 0);
    text_free(&writer.text);
    mem_free(writer.row);
    return status;
}
