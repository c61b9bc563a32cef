/* csv_write: a dataset as a table of text.
 *
 * A header (the features' names, or f1, f2...), then `weight` if rows have weights, and `label`
 * last. Sparse rows are written with all their zeros. Numbers are the shortest that read back as
 * the same. */
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/memory/page_window.h"
#include "data/write/write.h"

enum { FULL = 1 << 16 }; /* bytes that are worth a call of the sink */

struct writing {
    const struct dataset *data;
    char separator;
    struct text text;
    double *row; /* scratch for one */
    struct atomic_file *sink;
    temper_error *error;
};

/* Whether a text would be read as something else without quotes. */
static bool needs_quotes(const char *text)
{
    size_t length = strlen(text);
    return length == 0 || text[strcspn(text, ",;\t\"\r\n")] != '\0' || text[0] == ' ' || text[length - 1] == ' ';
}

/* Quotes within are doubled. */
void csv_append_text(struct text *out, const char *text, bool quoted)
{
    if (!quoted && !needs_quotes(text)) {
        text_append(out, text);
        return;
    }
    text_append(out, "\"");
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        text_append_bytes(out, text, (size_t)(quote - text));
        text_append(out, "\"\"");
    }
    text_append(out, text);
    text_append(out, "\"");
}

/* The text so far is long, so this is no place for printf. */
static void add_separator(struct writing *writing)
{
    text_append_bytes(&writing->text, &writing->separator, 1);
}

/* As the matrix holds it: a float has fewer digits than the same number as a double. */
static void add_number(struct writing *writing, double value, bool f64)
{
    char digits[NUMBER_LENGTH];
    size_t length = f64 ? number_write_f64(value, digits) : number_write_f32((float)value, digits);
    text_append_bytes(&writing->text, digits, length);
}

/* Passes on what has gathered, if it is enough. */
static temper_status flush(struct writing *writing, size_t enough)
{
    struct text *text = &writing->text;
    if (text->failed)
        return error_no_memory(writing->error);
    if (text->length < enough)
        return TEMPER_OK;
    size_t length = text->length;
    text->length = 0;
    return length ? atomic_file_write(writing->sink, text->bytes, length, writing->error) : TEMPER_OK;
}

/* Always there: a reader that sees `label` above the last column knows that it is a header. */
static temper_status write_header(struct writing *writing)
{
    const struct dataset *data = writing->data;
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; i < data->x.columns && status == TEMPER_OK; i++) {
        if (i > 0)
            add_separator(writing);
        if (i < data->features.count)
            csv_append_text(&writing->text, data->features.name[i], false);
        else
            text_format(&writing->text, "f%llu", (unsigned long long)i + 1);
        status = flush(writing, FULL);
    }
    if (data->weight)
        text_format(&writing->text, "%cweight", writing->separator);
    if (data->label)
        text_format(&writing->text, "%clabel", writing->separator);
    text_append(&writing->text, "\n");
    return status;
}

/* Rows may be wide: they are passed on in pieces. */
static temper_status write_row(struct writing *writing, uint64_t index)
{
    const struct dataset *data = writing->data;
    temper_status status = TEMPER_OK;
    page_window_rows(&data->x, index, 1);
    matrix_row_f64(&data->x, index, writing->row);
    for (uint64_t i = 0; i < data->x.columns && status == TEMPER_OK; i++) {
        if (i > 0)
            add_separator(writing);
        add_number(writing, writing->row[i], matrix_has_doubles(&data->x));
        status = flush(writing, FULL);
    }
    if (data->weight) {
        add_separator(writing);
        add_number(writing, data->weight[index], true);
    }
    if (data->label) {
        add_separator(writing);
        csv_append_text(&writing->text, data->classes.name[data->label[index]], false);
    }
    text_append(&writing->text, "\n");
    return status;
}

/* CSV and TSV are one format with two separators. */
static temper_status write_table(const struct dataset *data, char separator, struct atomic_file *sink,
                                 temper_error *error)
{
    struct writing writing = {.data = data, .separator = separator, .sink = sink, .error = error};
    writing.row = mem_alloc(data->x.columns, sizeof *writing.row);
    if (!writing.row)
        return error_no_memory(error);
    temper_status status = write_header(&writing);
    for (uint64_t i = 0; i < data->x.rows && status == TEMPER_OK; i++)
        status = write_row(&writing, i);
    if (status == TEMPER_OK)
        status = flush(&writing, 0);
    text_free(&writing.text);
    mem_free(writing.row);
    return status;
}

temper_status write_csv(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    return write_table(data, ',', sink, error);
}

temper_status write_tsv(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    return write_table(data, '\t', sink, error);
}
