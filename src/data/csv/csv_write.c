/* csv_write: a dataset as a table of text.
 *
 * A header (the names of the features, or f1, f2...), then `weight` if rows have weights, and the label
 * last. Sparse rows are written with all their zeros. Numbers have the fewest digits that read back as
 * the same value. */
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/memory/page_window.h"
#include "data/write/write.h"

enum { FULL = 1 << 16 }; /* bytes that are worth a write */

/* A table that is being written. Cells are collected in `text` and written in blocks of about FULL bytes. */
struct csv_writer {
    const struct dataset *data;
    char separator;
    struct text text;
    double *row; /* scratch for one */
    struct atomic_file *sink;
    temper_error *error;
};

/* Whether a text would be parsed as something else without quotes. All three separators count, whichever the file has,
 * so that the separator can be inferred when it is read. */
static bool needs_quotes(const char *text)
{
    size_t length = strlen(text);
    return length == 0 || text[strcspn(text, ",;\t\"\r\n")] != '\0' || text[0] == ' ' || text[length - 1] == ' ';
}

/* Quotes within the text are doubled. An empty text is quoted too: it would be a missing value otherwise. */
void csv_append_text(struct text *out, const char *text, bool quoted)
{
    if (!quoted && !needs_quotes(text)) {
        text_append(out, text);
        return;
    }
    text_append(out, "\"");
    /* Copies up to each quote, and writes the quote twice. */
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        text_append_bytes(out, text, (size_t)(quote - text));
        text_append(out, "\"\"");
    }
    text_append(out, text);
    text_append(out, "\"");
}

/* A single byte; text_format would be too slow for every cell. */
static void add_separator(struct csv_writer *writer)
{
    text_append_bytes(&writer->text, &writer->separator, 1);
}

/* Appends the shortest decimal that reads back as the same value of the matrix's type: a float needs fewer digits than
 * the same number as a double. */
static void add_number(struct csv_writer *writer, double value, bool f64)
{
    char digits[NUMBER_LENGTH];
    size_t length = f64 ? number_write_f64(value, digits) : number_write_f32((float)value, digits);
    text_append_bytes(&writer->text, digits, length);
}

/* Writes the collected text if it has at least `enough` bytes; 0 writes all. Also reports an allocation failure of
 * `text`, which appending does not. */
static temper_status flush(struct csv_writer *writer, size_t enough)
{
    struct text *text = &writer->text;
    if (text->failed)
        return error_no_memory(writer->error);
    if (text->length < enough)
        return TEMPER_OK;
    size_t length = text->length;
    text->length = 0;
    return length ? atomic_file_write(writer->sink, text->bytes, length, writer->error) : TEMPER_OK;
}

/* Always written: a reader that finds a text above the last column knows that the line is a header, for which a name
 * must not look like a number. Features without names are called f1, f2, ... */
static temper_status write_header(struct csv_writer *writer)
{
    const struct dataset *data = writer->data;
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; i < data->x.columns && status == TEMPER_OK; i++) {
        if (i > 0)
            add_separator(writer);
        if (i < data->features.count)
            csv_append_text(&writer->text, data->features.name[i], false);
        else
            text_format(&writer->text, "f%llu", (unsigned long long)i + 1);
        status = flush(writer, FULL);
    }
    if (data->weight)
        text_format(&writer->text, "%cweight", writer->separator);
    if (data->label) {
        add_separator(writer);
        csv_append_text(&writer->text, written_label_name(data), false);
    }
    text_append(&writer->text, "\n");
    return status;
}

/* Appends one row: features, weight, label. A row may be wide, and so the text is flushed within it. page_window_rows
 * announces the access to a mapped matrix. */
static temper_status write_row(struct csv_writer *writer, uint64_t index)
{
    const struct dataset *data = writer->data;
    temper_status status = TEMPER_OK;
    page_window_rows(&data->x, index, 1);
    matrix_row_f64(&data->x, index, writer->row);
    for (uint64_t i = 0; i < data->x.columns && status == TEMPER_OK; i++) {
        if (i > 0)
            add_separator(writer);
        add_number(writer, writer->row[i], matrix_has_doubles(&data->x));
        status = flush(writer, FULL);
    }
    if (data->weight) {
        add_separator(writer);
        add_number(writer, data->weight[index], true);
    }
    if (data->label) {
        add_separator(writer);
        csv_append_text(&writer->text, data->classes.name[data->label[index]], false);
    }
    text_append(&writer->text, "\n");
    return status;
}

/* CSV and TSV are one format with two separators. writer.row holds one row as doubles (columns elements), dense or not.
 * */
static temper_status write_table(const struct dataset *data, char separator, struct atomic_file *sink,
                                 temper_error *error)
{
    struct csv_writer writer = {.data = data, .separator = separator, .sink = sink, .error = error};
    writer.row = mem_alloc(data->x.columns, sizeof *writer.row);
    if (!writer.row)
        return error_no_memory(error);
    temper_status status = write_header(&writer);
    for (uint64_t i = 0; i < data->x.rows && status == TEMPER_OK; i++)
        status = write_row(&writer, i);
    if (status == TEMPER_OK)
        status = flush(&writer, 0);
    text_free(&writer.text);
    mem_free(writer.row);
    return status;
}

/* The writer_fn of the two formats. */
temper_status write_csv(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    return write_table(data, ',', sink, error);
}

temper_status write_tsv(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    return write_table(data, '\t', sink, error);
}
