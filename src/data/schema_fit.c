/* schema_fit: data that is not from a table, made to fit a model. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/class_names.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"
#include "data/schema.h"

/* ---- Sparse data ----------------------------------------------------------------------------- */

/* Columns ascend within a row, so those beyond are at its end. */
static uint64_t row_keeps(const struct matrix *x, uint64_t row, uint64_t features)
{
    page_window_rows(x, row, 1);
    uint64_t from = x->row_start[row], to = x->row_start[row + 1];
    while (to > from && x->column[to - 1] >= features)
        to--;
    return to - from;
}

/* Copies what is kept: the old arrays may be a part of a mapped file. */
static temper_status cut_entries(struct matrix *x, uint64_t features, uint64_t kept, temper_error *error)
{
    size_t rows = (size_t)x->rows;
    uint64_t *row_start = mem_alloc(rows + 1, sizeof *row_start);
    uint32_t *column = mem_alloc((size_t)kept, sizeof *column);
    float *value = mem_alloc((size_t)kept, sizeof *value);
    if (!row_start || !column || !value) {
        mem_free(row_start);
        mem_free(column);
        mem_free(value);
        return error_no_memory(error);
    }
    size_t at = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t from = (size_t)x->row_start[row], count = (size_t)row_keeps(x, row, features);
        row_start[row] = at;
        memcpy(column + at, x->column + from, count * sizeof *column);
        memcpy(value + at, x->value + from, count * sizeof *value);
        at += count;
    }
    row_start[rows] = at;
    struct matrix cut = {.kind = MATRIX_CSR,
                         .rows = x->rows,
                         .columns = features,
                         .nonzeros = kept,
                         .row_start = row_start,
                         .column = column,
                         .value = value,
                         .owned = {row_start, column, value}};
    matrix_free(x);
    *x = cut;
    return TEMPER_OK;
}

static temper_status fit_sparse(const struct schema *schema, struct dataset *data, temper_error *error)
{
    struct matrix *x = &data->x;
    uint64_t kept = 0, before = x->nonzeros, widest = x->columns;
    if (x->columns <= schema->features) {
        x->columns = schema->features;
        return TEMPER_OK;
    }
    for (uint64_t row = 0; row < x->rows; row++)
        kept += row_keeps(x, row, schema->features);
    struct memory_limit_plan plan = {
        .what = "leaving out features that the model does not know, which makes a copy of the data,",
        .needed = (double)kept * 8 + (double)x->rows * 8,
        .threads = 1};
    temper_status status = memory_limit_plan(data, &plan, error);
    if (status == TEMPER_OK)
        status = cut_entries(x, schema->features, kept, error);
    if (status == TEMPER_OK)
        dataset_note(data,
                     "features: %llu %s ignored, of features beyond the model's %zu (up to "
                     "%llu)",
                     (unsigned long long)(before - kept), before - kept == 1 ? "entry" : "entries", schema->features,
                     (unsigned long long)widest);
    return status;
}

/* ---- Dense data ------------------------------------------------------------------------------ */

static temper_status refuse_columns(const struct schema *schema, const struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: rows have %llu feature%s, and the model was trained on %zu; give data of "
                     "the same kind, read by the same options",
                     source_shown(data, file), (unsigned long long)data->x.columns, plural(data->x.columns),
                     schema->features);
}

/* Where both have names, another order would give wrong answers without a word. */
static temper_status check_names(const struct schema *schema, struct dataset *data, temper_error *error)
{
    struct names names = {0};
    char file[PATH_SHOWN];
    if (data->features.count == 0)
        return TEMPER_OK;
    temper_status status = schema_name_features(schema, &names, error);
    for (size_t i = 0; status == TEMPER_OK && i < names.count && i < data->features.count; i++) {
        const char *name = names.name[i], *other = data->features.name[i];
        if (strcmp(name, other) != 0)
            status = error_set(error, TEMPER_BAD_DATA,
                               "%s: feature %zu is '%.60s', and that of the model is '%.60s'; give "
                               "data with the features that it was trained on",
                               source_shown(data, file), i + 1, token_text(other, other + strlen(other)).text,
                               token_text(name, name + strlen(name)).text);
    }
    names_free(&names);
    return status;
}

temper_status schema_fit(const struct schema *schema, struct dataset *data, temper_error *error)
{
    bool sparse = data->x.kind == MATRIX_CSR;
    if (!sparse && data->x.columns != schema->features)
        return refuse_columns(schema, data, error);
    temper_status status = check_names(schema, data, error);
    if (status != TEMPER_OK || !sparse)
        return status;
    if (data->x.columns != schema->features) /* they speak of other columns */
        names_free(&data->features);
    return fit_sparse(schema, data, error);
}
