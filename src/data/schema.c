/* schema: creation, copying, feature names, and the adaptation of other data to a schema.
 *
 * A table is matched to a schema while it is read (data/csv); this file adapts data that is no table, for which only
 * the number and the names of the features can be compared. Sparse rows may have fewer columns, which are zeros, or
 * more, for which the model has no weights, and which are removed with a note. Dense rows must have exactly the
 * features of the model. */
#include "data/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"

/* The words of --missing, indexed by enum schema_missing. */
static const char *const missing_words[] = {
/* Expanded from the one list of words in schema.h. */
#define SCHEMA_MISSING_WORD(name, word) word,
    SCHEMA_MISSING_LIST(SCHEMA_MISSING_WORD)
#undef SCHEMA_MISSING_WORD
};

/* The meaning of a --missing argument; false for an unknown word. */
bool schema_missing_find(const char *word, enum schema_missing *missing)
{
    for (size_t i = 0; i < sizeof missing_words / sizeof *missing_words; i++)
        if (strcmp(word, missing_words[i]) == 0) {
            *missing = (enum schema_missing)i;
            return true;
        }
    return false;
}

/* The word as --missing takes it, and as model files store it. */
const char *schema_missing_name(enum schema_missing missing)
{
    return missing_words[missing];
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Also of a list that was filled in part. */
void names_free(struct names *names)
{
    for (size_t i = 0; names->name && i < names->count; i++)
        mem_free(names->name[i]);
    mem_free((void *)names->name);
    *names = (struct names){0};
}

/* Also of a half-built schema: arrays are zeroed at first. */
void schema_free(struct schema *schema)
{
    if (!schema)
        return;
    /* The number of columns is set only when the array exists. */
    for (size_t i = 0; schema->column && i < schema->columns; i++) {
        names_free(&schema->column[i].texts);
        mem_free(schema->column[i].name);
        mem_free(schema->column[i].fill);
    }
    names_free(&schema->gaps);
    mem_free(schema->column);
    mem_free(schema->label);
    mem_free(schema);
}

/* A copy that the caller frees; NULL is copied as NULL. false without memory. */
bool copy_string(const char *text, char **out)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? mem_alloc(size, 1) : NULL;
    if (copy)
        memcpy(copy, text, size);
    *out = copy;
    return copy || !text;
}

/* A deep copy; false without memory. The count grows with the copies, so that names_free frees what exists. */
bool names_copy(const struct names *from, struct names *to)
{
    *to = (struct names){0};
    /* An empty list has no array. */
    if (from->count == 0)
        return true;
    to->name = (char **)mem_zeroed(from->count, sizeof *to->name);
    if (!to->name)
        return false;
    /* Categories are copied in their order, which is that of the features. */
    for (; to->count < from->count; to->count++)
        if (!copy_string(from->name[to->count], &to->name[to->count]))
            return false;
    return true;
}

/* Copies name, categories and fill values, one for each feature of the column; false without memory. */
static bool copy_column(const struct schema_column *from, struct schema_column *to)
{
    to->position = from->position;
    to->rule = from->rule;
    /* Strings first; both are freed with the schema. */
    if (!copy_string(from->name, &to->name) || !names_copy(&from->texts, &to->texts))
        return false;
    if (!from->fill)
        return true;
    /* One fill value for each feature. */
    size_t count = schema_column_features(from);
    to->fill = mem_alloc(count, sizeof *to->fill);
    if (to->fill)
        memcpy(to->fill, from->fill, count * sizeof *to->fill);
    return to->fill != NULL;
}

/* A schema with `columns` empty columns; NULL without memory. */
static struct schema *new_schema(size_t columns)
{
    struct schema *schema = mem_zeroed(1, sizeof *schema);
    if (!schema)
        return NULL;
    schema->column = mem_zeroed(columns, sizeof *schema->column);
    if (!schema->column) {
        mem_free(schema);
        return NULL;
    }
    schema->columns = columns;
    return schema;
}

/* A deep copy, owned by the caller: models outlive the data that they were trained on. */
temper_status schema_copy(const struct schema *schema, struct schema **out, temper_error *error)
{
    struct schema *copy = new_schema(schema->columns);
    if (!copy)
        return error_no_memory(error);
    /* Plain numbers first, then what needs memory. */
    copy->file_columns = schema->file_columns;
    copy->label_position = schema->label_position;
    copy->missing = schema->missing;
    copy->features = schema->features;
    copy->automatic = schema->automatic;
    bool fine = copy_string(schema->label, &copy->label) && names_copy(&schema->gaps, &copy->gaps);
    for (size_t i = 0; fine && i < schema->columns; i++)
        fine = copy_column(&schema->column[i], &copy->column[i]);
    if (!fine) {
        schema_free(copy);
        return error_no_memory(error);
    }
    *out = copy;
    return TEMPER_OK;
}

/* The schema of data that is no table (arrays, images, LIBSVM): feature i is column i, and the label is the last
 * column, so that CSV files can be predicted by such a model. */
temper_status schema_plain(size_t features, const struct names *names, struct schema **out, temper_error *error)
{
    /* All columns are numeric. */
    struct schema *schema = new_schema(features);
    if (!schema)
        return error_no_memory(error);
    schema->features = features;
    schema->file_columns = features + 1;
    schema->label_position = features;
    /* A table without a header has no name for its label either. */
    bool fine = names->count == 0 || copy_string("label", &schema->label);
    for (size_t i = 0; fine && i < features; i++) {
        schema->column[i].position = i;
        fine = names->count == 0 || copy_string(names->name[i], &schema->column[i].name);
    }
    if (!fine) {
        schema_free(schema);
        return error_no_memory(error);
    }
    *out = schema;
    return TEMPER_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Either all columns have names or none. */
bool schema_has_names(const struct schema *schema)
{
    /* A header names all columns. */
    return schema->columns > 0 && schema->column[0].name;
}

/* A categorical column has one feature for each category (one-hot), others have the numbers of their rule. */
size_t schema_column_features(const struct schema_column *column)
{
    size_t numbers = column->texts.count ? column->texts.count : column_rule_numbers(&column->rule);
    return numbers + column->rule.indicator;
}

/* The name of feature `index` of a column: "NAME", "NAME=TEXT" for a category, "NAME:month" for a part of a date,
 * "NAME:missing" for the indicator; "c3" without a header. The caller frees it; NULL without memory. */
static char *feature_name(const struct schema_column *column, size_t index)
{
    bool indicator = column->rule.indicator && index + 1 == schema_column_features(column);
    const char *text = column->texts.count && !indicator ? column->texts.name[index] : NULL;
    struct column_suffix suffix = {COLUMN_INDICATOR_SUFFIX};
    if (!indicator && !text)
        suffix = column_rule_suffix(&column->rule, index);
    char number[32];
    const char *name = column->name ? column->name : number;
    /* Columns are counted from 1, as users do. */
    snprintf(number, sizeof number, "c%zu", column->position + 1);
    const char *rest = text ? text : suffix.text;
    size_t size = strlen(name) + strlen(rest) + 2;
    char *whole = mem_alloc(size, 1);
    if (whole)
        snprintf(whole, size, "%s%s%s", name, text ? "=" : "", rest);
    return whole;
}

/* The names of all features, in the order of the matrix. None if the table has no header and only numbers: positions
 * are then as good as names. After a failure the caller frees `names`. */
temper_status schema_name_features(const struct schema *schema, struct names *names, temper_error *error)
{
    /* Positions "c1", "c2", ... would say nothing that the number of a feature does not. */
    if (!schema_has_names(schema) && schema->features == schema->columns) {
        bool texts = false; /* a categorical column may have one text only */
        /* Any categorical column makes names necessary, and so does any other rule. */
        for (size_t i = 0; i < schema->columns; i++)
            texts |= schema->column[i].texts.count > 0 || !column_rule_is_plain(&schema->column[i].rule);
        if (!texts)
            return TEMPER_OK;
    }
    names->name = (char **)mem_alloc(schema->features, sizeof *names->name);
    if (!names->name)
        return error_no_memory(error);
    for (size_t i = 0; i < schema->columns; i++) {
        const struct schema_column *column = &schema->column[i];
        for (size_t k = 0; k < schema_column_features(column); k++) {
            char *name = feature_name(column, k);
            if (!name)
                return error_no_memory(error);
            names->name[names->count++] = name;
        }
    }
    return TEMPER_OK;
}

/* ---- Sparse data ----------------------------------------------------------------------------- */

/* How many entries of a row are in the first `features` columns. Columns ascend, so that the others are at its end. */
static uint64_t row_keeps(const struct matrix *x, uint64_t row, uint64_t features)
{
    page_window_rows(x, row, 1);
    /* Sparse data from files has 64-bit starts and 32-bit columns. */
    uint64_t from = x->row_start[row], to = x->row_start[row + 1];
    while (to > from && x->column[to - 1] >= features)
        to--;
    return to - from;
}

/* Replaces the matrix by one with the first `features` columns. The entries are copied, since the old arrays may be in
 * a mapped file, which is read-only. */
static temper_status truncate_rows(struct matrix *x, uint64_t features, uint64_t kept, temper_error *error)
{
    size_t rows = (size_t)x->rows;
    /* Everything is allocated before the old matrix is freed. */
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
    /* The entries that stay are the first ones of each row. */
    for (size_t row = 0; row < rows; row++) {
        size_t from = (size_t)x->row_start[row], count = (size_t)row_keeps(x, row, features);
        row_start[row] = at;
        memcpy(column + at, x->column + from, count * sizeof *column);
        memcpy(value + at, x->value + from, count * sizeof *value);
        at += count;
    }
    row_start[rows] = at;
    struct matrix truncated = {.kind = MATRIX_CSR,
                               .rows = x->rows,
                               .columns = features,
                               .nonzeros = kept,
                               .row_start = row_start,
                               .column = column,
                               .value = value,
                               .owned = {row_start, column, value}};
    /* Frees owned arrays only; a mapping stays until the dataset is freed. */
    matrix_free(x);
    *x = truncated;
    return TEMPER_OK;
}

/* Gives sparse data as many columns as the model has. Fewer columns need no change of the arrays, since missing ones
 * are 0; entries of features that the model has never seen are dropped, with a note. */
static temper_status fit_sparse(const struct schema *schema, struct dataset *data, temper_error *error)
{
    struct matrix *x = &data->x;
    uint64_t kept = 0, before = x->nonzeros, widest = x->columns;
    /* Missing columns are 0 in every row. */
    if (x->columns <= schema->features) {
        x->columns = schema->features;
        return TEMPER_OK;
    }
    /* A pass to count, so that the copy has its final size. */
    for (uint64_t row = 0; row < x->rows; row++)
        kept += row_keeps(x, row, schema->features);
    /* The copy must fit --memory. */
    struct memory_limit_plan plan = {
        .what = "leaving out features that the model does not know, which makes a copy of the data,",
        .needed = (double)kept * 8 + (double)x->rows * 8,
        .threads = 1};
    temper_status status = memory_limit_plan(data, &plan, error);
    if (status == TEMPER_OK)
        status = truncate_rows(x, schema->features, kept, error);
    if (status == TEMPER_OK)
        dataset_note(data, "features: %s %s ignored, of features beyond the model's %s (up to %s)",
                     count_shown(before - kept).text, before - kept == 1 ? "entry" : "entries",
                     count_shown(schema->features).text, count_shown(widest).text);
    return status;
}

/* ---- Dense data ------------------------------------------------------------------------------ */

/* Dense data cannot be completed or truncated: which column is missing is not known. */
static temper_status refuse_columns(const struct schema *schema, const struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: rows have %s feature%s, and the model was trained on %s; give data of "
                     "the same kind, read by the same options",
                     source_shown(data, file), count_shown(data->x.columns).text, plural(data->x.columns),
                     count_shown(schema->features).text);
}

/* Compares the feature names with those of the model: another order of the columns would silently give wrong
 * predictions. Data without names is accepted. */
static temper_status check_names(const struct schema *schema, struct dataset *data, temper_error *error)
{
    /* The names that the model expects. */
    struct names names = {0};
    char file[PATH_SHOWN];
    /* Formats without names are matched by position. */
    if (data->features.count == 0)
        return TEMPER_OK;
    temper_status status = schema_name_features(schema, &names, error);
    /* The shorter list decides; numbers of features were compared before, for dense data. */
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

/* Adapts data that is no table to the schema of a model, for prediction; tables are matched while they are read. Names
 * are compared before sparse data is truncated. */
temper_status schema_fit(const struct schema *schema, struct dataset *data, temper_error *error)
{
    bool sparse = data->x.kind == MATRIX_CSR;
    /* Sparse rows may be shorter or longer than those of the training data. */
    if (!sparse && data->x.columns != schema->features)
        return refuse_columns(schema, data, error);
    temper_status status = check_names(schema, data, error);
    if (status != TEMPER_OK || !sparse)
        return status;
    if (data->x.columns != schema->features) /* they no longer match the columns */
        names_free(&data->features);
    return fit_sparse(schema, data, error);
}
