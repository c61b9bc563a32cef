/* libsvm_write: a dataset as libsvm text.
 *
 * Indices count from 1. Zeros of a dense matrix are left out, so that columns of nothing but zeros
 * at the right end are lost; feature names, weights and lines are lost too. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/memory/page_window.h"
#include "data/write/write.h"

/* A label must be one token, and must not look like an entry (':') or a comment ('#'), or the file could not be read
 * back. */
static temper_status check_names(const struct classes *classes, temper_error *error)
{
    for (size_t i = 0; i < classes->count; i++) {
        const char *name = classes->name[i];
        if (name[0] == '\0' || strpbrk(name, " \t\r\n\v\f:#"))
            return error_set(error, TEMPER_BAD_DATA,
                             "class '%.64s' is empty or has a blank, ':' or '#' in it, which libsvm "
                             "cannot hold; write csv or tmpr",
                             name);
    }
    return TEMPER_OK;
}

/* One entry as it is written. */
struct libsvm_entry {
    uint64_t index; /* from 1 */
    double value;
    bool is_float; /* the value is one, and is written as one */
};

/* Stored entry i of a row; of a dense row every column is one. Bytes are written as floats, which gives them the fewest
 * digits. */
static struct libsvm_entry entry_at(const struct row *row, size_t i)
{
    switch (row->kind) {
    case MATRIX_CSR:
        return (struct libsvm_entry){(uint64_t)row_column(row, i) + 1, row_value(row, i), row->value};
    case MATRIX_F32:
        return (struct libsvm_entry){i + 1, (double)((const float *)row->dense)[i], true};
    case MATRIX_F64:
        return (struct libsvm_entry){i + 1, ((const double *)row->dense)[i], false};
    default:
        return (struct libsvm_entry){i + 1, (double)((const uint8_t *)row->dense)[i], true};
    }
}

/* " 12:0.345", with the fewest digits that read back as the same value. */
static temper_status write_entry(struct atomic_file *sink, struct libsvm_entry entry, temper_error *error)
{
    char text[NUMBER_LENGTH + 32];
    size_t length = (size_t)snprintf(text, sizeof text, " %llu:", (unsigned long long)entry.index);
    length += entry.is_float ? number_write_f32((float)entry.value, text + length)
                             : number_write_f64(entry.value, text + length);
    return atomic_file_write(sink, text, length, error);
}

/* Zeros of a dense row are left out. A stored zero of a sparse row is kept: it is part of the matrix's structure. */
static bool is_written(const struct row *row, struct libsvm_entry entry)
{
    return entry.value != 0 || row->kind == MATRIX_CSR; /* a stored zero stays */
}

/* Whether nothing of the row would be written. */
static bool row_is_empty(const struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (is_written(row, entry_at(row, i)))
            return false;
    return true;
}

/* Writes one line: the label, then the entries. Without labels the row begins with the blank before its first entry,
 * which readers skip; a row with neither would be a blank line, and is refused. */
static temper_status write_row(const struct dataset *data, uint64_t index, struct atomic_file *sink,
                               temper_error *error)
{
    page_window_rows(&data->x, index, 1);
    struct row row = matrix_row(&data->x, index);
    const char *label = data->label ? data->classes.name[data->label[index]] : "";
    if (!data->label && row_is_empty(&row))
        return error_set(error, TEMPER_BAD_DATA,
                         "row %llu has neither label nor features, which libsvm cannot hold; write "
                         "csv or tmpr",
                         (unsigned long long)index + 1);
    temper_status status = atomic_file_write(sink, label, strlen(label), error);
    for (size_t i = 0; status == TEMPER_OK && i < row.count; i++) {
        struct libsvm_entry entry = entry_at(&row, i);
        if (is_written(&row, entry))
            status = write_entry(sink, entry, error);
    }
    return status == TEMPER_OK ? atomic_file_write(sink, "\n", 1, error) : status;
}

/* All names are checked before anything is written. */
temper_status write_libsvm(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    temper_status status = check_names(&data->classes, error);
    for (uint64_t i = 0; status == TEMPER_OK && i < data->x.rows; i++)
        status = write_row(data, i, sink, error);
    return status;
}
