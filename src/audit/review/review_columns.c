/* review_columns: maps features back to the columns that a person knows, and writes their values. */
#include "audit/review/review_columns.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/csv/csv_raw_rows.h"
#include "data/memory/page_window.h"
#include "report/review/review_page.h"

enum { NAME_LIMIT = 120 }; /* bytes of a name of a column or a category */

/* ---- Columns --------------------------------------------------------------------------------- */

/* Allocates the columns of a table: those of the file if it can be read again, else those that became features. */
static temper_status allocate_columns(const struct schema *schema, struct review_columns *out, temper_error *error)
{
    out->count = out->raw ? schema->file_columns : schema->columns;
    out->column = mem_alloc(out->count, sizeof *out->column);
    out->column_of = mem_alloc(schema->features, sizeof *out->column_of);
    if (!out->column || !out->column_of)
        return error_no_memory(error);
    for (size_t i = 0; i < out->count; i++)
        out->column[i] = (struct review_column){.first = REVIEW_NO_FEATURE};
    return TEMPER_OK;
}

/* Other formats than tables have one column a feature, for which no arrays are needed. */
temper_status review_columns_open(const struct dataset *data, struct review_columns *out, temper_error *error)
{
    const struct schema *schema = data->schema;
    *out = (struct review_columns){.data = data, .count = (size_t)data->x.columns};
    if (!schema || schema->features != data->x.columns)
        return TEMPER_OK;
    out->raw = csv_can_reread(data);
    TRY(allocate_columns(schema, out, error));
    size_t feature = 0;
    for (size_t i = 0; i < schema->columns; i++) {
        size_t column = out->raw ? schema->column[i].position : i;
        out->column[column] = (struct review_column){feature, &schema->column[i]};
        for (size_t last = feature + schema_column_features(&schema->column[i]); feature < last; feature++)
            out->column_of[feature] = (uint32_t)column;
    }
    return TEMPER_OK;
}

void review_columns_free(struct review_columns *columns)
{
    for (size_t i = 0; columns->header && i < columns->count; i++)
        mem_free(columns->header[i]);
    mem_free((void *)columns->header);
    mem_free(columns->column);
    mem_free(columns->column_of);
    *columns = (struct review_columns){0};
}

/* The header of the file has names of columns that are not features too. */
void review_append_name(struct text *out, const struct review_columns *columns, size_t column)
{
    const struct dataset *data = columns->data;
    const char *name = columns->header ? columns->header[column] : NULL;
    struct text number = {0};
    if (!name && columns->column && columns->column[column].schema)
        name = columns->column[column].schema->name;
    if (!name && !columns->column && column < data->features.count)
        name = data->features.name[column];
    if (!name) {
        text_format(&number, "%s %zu", columns->column ? "column" : "feature", column + 1);
        name = number.bytes ? number.bytes : "";
    }
    review_string(out, name, strlen(name), NAME_LIMIT);
    out->failed |= number.failed;
    text_free(&number);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The value of a feature, by bisection where the row is sparse. */
double review_feature_value(const struct row *row, size_t feature)
{
    size_t from = 0, to = row->count;
    if (row->dense)
        switch (row->kind) {
        case MATRIX_F32:
            return (double)((const float *)row->dense)[feature];
        case MATRIX_F64:
            return ((const double *)row->dense)[feature];
        default:
            return ((const uint8_t *)row->dense)[feature];
        }
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (row_column(row, middle) < feature)
            from = middle + 1;
        else
            to = middle;
    }
    return from < row->count && row_column(row, from) == feature ? row_value(row, from) : 0;
}

/* The text of a categorical column: that whose feature is largest, which is 1 unless the value was missing. */
static void append_category(struct text *out, const struct review_column *column, const struct row *row)
{
    size_t best = 0;
    double most = 0;
    for (size_t i = 0; i < column->schema->texts.count; i++) {
        double value = review_feature_value(row, column->first + i);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    const char *text = most == 1 ? column->schema->texts.name[best] : "";
    review_string(out, text, strlen(text), NAME_LIMIT);
}

void review_append_value(struct text *out, const struct review_columns *columns, size_t column, size_t row)
{
    const struct matrix *x = &columns->data->x;
    const struct review_column *made = columns->column ? &columns->column[column] : NULL;
    char number[NUMBER_LENGTH];
    if (made && made->first == REVIEW_NO_FEATURE) {
        text_append(out, "null");
        return;
    }
    page_window_rows(x, row, 1);
    struct row values = matrix_row(x, row);
    if (made && made->schema->texts.count) {
        append_category(out, made, &values);
        return;
    }
    double value = review_feature_value(&values, made ? made->first : column);
    size_t length = matrix_has_doubles(x) ? number_write_f64(value, number) : number_write_f32((float)value, number);
    text_append_bytes(out, number, length);
}

void review_append_rounded(struct text *out, double value, int digits)
{
    char number[NUMBER_LENGTH];
    if (value != 0 && isfinite(value)) {
        double unit = pow(10, floor(log10(fabs(value))) - (digits - 1));
        value = unit > 0 && isfinite(unit) ? round(value / unit) * unit : value;
    }
    /* The shortest decimal of a float hides the error of the multiplication. */
    float narrow = (float)value;
    text_append_bytes(out, number, number_write_f32(isfinite(narrow) ? narrow : 0, number));
}
