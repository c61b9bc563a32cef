/* sanity_checks: labels and features that are probably not what the user meant: too many classes, class names that
 * differ in case only, a row index among the features, an outlier that dominates a column. */
#include "data/columns/sanity_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"
#include "data/schema.h"
#include "data/string_table.h"

enum {
    FEW_CLASSES = 20,     /* so many are always accepted; of more, a class needs on average */
    LEAST_OF_NUMBERS = 4, /* so many rows */
    LEAST_OF_TEXT = 2,
    LEAST_COUNTED = 20, /* rows: fewer may count up by chance */
    NAME_SHOWN = 40     /* bytes of a name in a message */
};

/* ---- Too many classes ------------------------------------------------------------------------ */

/* By its characters: names of classes are shortest decimals already. */
static bool is_number(const char *name)
{
    return *name && name[strspn(name, "+-.0123456789eE")] == '\0';
}

/* What kind of text the class names are. */
struct name_kinds {
    bool numbers;  /* all of them */
    bool fraction; /* at least one is a fraction: measured values, not classes */
};

static struct name_kinds kinds_of(const struct classes *classes)
{
    struct name_kinds kinds = {true, false};
    for (size_t c = 0; c < classes->count; c++) {
        bool number = is_number(classes->name[c]);
        kinds.numbers = kinds.numbers && number;
        kinds.fraction = kinds.fraction || (number && strchr(classes->name[c], '.'));
    }
    return kinds;
}

/* Text is more likely to be meant as classes than numbers are. */
static bool has_too_many(const struct dataset *data)
{
    size_t count = data->classes.count;
    struct name_kinds kinds = kinds_of(&data->classes);
    uint64_t least = kinds.numbers ? LEAST_OF_NUMBERS : LEAST_OF_TEXT;
    return count > FEW_CLASSES && (kinds.fraction || least * count > dataset_all_rows(data));
}

struct column_text {
    char shown[4 * TOKEN_SHOWN + 16]; /* "column 'b'" */
    char option[NAME_SHOWN + 1];      /* as --label takes it without quotes */
};

/* The name where it is short and printable, else the position. */
static struct column_text column_text(const char *given, size_t position)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    struct column_text text;
    const char *name = given ? given : "";
    size_t length = strlen(name);
    snprintf(text.option, sizeof text.option, "%zu", position + 1);
    snprintf(text.shown, sizeof text.shown, "column %s", text.option);
    if (length > 0 && length <= NAME_SHOWN)
        snprintf(text.shown, sizeof text.shown, "column '%s'", token_text(name, name + length).text);
    if (length > 0 && length <= NAME_SHOWN && name[strspn(name, plain)] == '\0')
        snprintf(text.option, sizeof text.option, "%s", name);
    return text;
}

/* An inferred label column is refused, a named one gets a warning. */
static temper_status check_class_count(struct dataset *data, const temper_read_options *options, temper_error *error)
{
    char file[PATH_SHOWN];
    unsigned long long rows = dataset_all_rows(data);
    const struct schema *schema = data->schema; /* of a table */
    if (!schema || schema->label_position == SCHEMA_NO_LABEL || !has_too_many(data))
        return TEMPER_OK;
    struct column_text column = column_text(schema->label, schema->label_position);
    if (!options->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: %zu classes in %llu rows: is %s the label? --label NAME names "
                         "another, --label none says that there is none; --label %s if it is",
                         source_shown(data, file), data->classes.count, rows, column.shown, column.option);
    dataset_note(data, "warning: %zu classes in %llu rows: is %s the label? --label names another", data->classes.count,
                 rows, column.shown);
    return TEMPER_OK;
}

/* ---- Similar class names --------------------------------------------------------------------- */

struct similar_names {
    size_t first, second; /* classes */
    size_t pairs;
};

/* Names are compared after folding case and blanks, by a hash table. */
static bool find_similar(const struct classes *classes, struct similar_names *alike)
{
    struct string_table folded = {0};
    struct text text = {0};
    bool done = true;
    for (size_t c = 0; done && c < classes->count; c++) {
        text.length = 0;
        text_append_folded(&text, classes->name[c]);
        uint32_t other = text.failed ? UINT32_MAX : string_table_find(&folded, text.bytes, text.length);
        if (other == UINT32_MAX)
            done = !text.failed && string_table_add(&folded, text.bytes, text.length, (uint32_t)c);
        else if (alike->pairs++ == 0)
            *alike = (struct similar_names){other, c, 1};
    }
    text_free(&text);
    string_table_free(&folded);
    return done;
}

/* Reports the first pair and the number of others. */
static temper_status check_class_names(struct dataset *data, temper_error *error)
{
    struct similar_names alike = {0};
    char more[40] = "";
    if (!find_similar(&data->classes, &alike))
        return error_no_memory(error);
    if (alike.pairs == 0)
        return TEMPER_OK;
    if (alike.pairs > 1)
        snprintf(more, sizeof more, " (and %zu more pair%s)", alike.pairs - 1, plural(alike.pairs - 1));
    const char *first = data->classes.name[alike.first], *second = data->classes.name[alike.second];
    dataset_note(data,
                 "warning: labels '%.*s' and '%.*s'%s differ only in case or blanks, and are "
                 "different classes; correct them if they are not",
                 NAME_SHOWN, token_text(first, first + strlen(first)).text, NAME_SHOWN,
                 token_text(second, second + strlen(second)).text, more);
    return TEMPER_OK;
}

/* Labels of a separate file are not a column of the table. */
temper_status check_label_values(struct dataset *data, const temper_read_options *options, temper_error *error)
{
    temper_status status = TEMPER_OK;
    if (data->classes.count == 0)
        return TEMPER_OK;
    if (!options->labels)
        status = check_class_count(data, options, error);
    return status == TEMPER_OK ? check_class_names(data, error) : status;
}

/* ---- Features that count the rows ------------------------------------------------------------ */

static double first_value(const struct matrix *x, uint64_t row)
{
    size_t at = (size_t)row * (size_t)x->columns;
    return x->kind == MATRIX_F64 ? ((const double *)x->dense)[at] : (double)((const float *)x->dense)[at];
}

/* Whether the first column counts up from 0 or 1, by one a row; rows that were dropped leave gaps. */
static bool counts_rows(const struct dataset *data)
{
    const struct matrix *x = &data->x;
    double before = first_value(x, 0), most = (double)(x->rows + data->file.missing_dropped);
    if (before != 0 && before != 1 && data->file.missing_dropped == 0)
        return false;
    for (uint64_t row = 1; row < x->rows; row++) {
        double value = first_value(x, row), step = value - before;
        if (!(step >= 1) || step != (double)(uint64_t)step || value > most)
            return false;
        before = value;
    }
    return true;
}

/* Programs write an index as the first column, often without a name. A table of one feature is not suspected. */
void check_feature_values(struct dataset *data)
{
    const struct schema *schema = data->schema; /* of a table */
    bool numbers = data->x.kind == MATRIX_F32 || data->x.kind == MATRIX_F64;
    if (!schema || schema->columns < 2 || !numbers || data->ranks.comm || data->x.rows < LEAST_COUNTED)
        return;
    const struct schema_column *first = &schema->column[0];
    if (first->position > 0 || first->texts.count > 0 || !counts_rows(data))
        return;
    struct column_text column = column_text(first->name, 0);
    dataset_note(data,
                 "warning: %s counts the rows, which tells nothing about others; pass --ignore %s "
                 "if it is an index",
                 column.shown, column.option);
}

/* Heavy-tailed distributions have gaps between their largest values too, but not so large ones. */
static const double FAR = 1000;

static double value_at(const struct matrix *x, uint64_t row, size_t column)
{
    size_t at = (size_t)(row * x->columns) + column;
    if (x->kind == MATRIX_U8)
        return ((const uint8_t *)x->dense)[at];
    return x->kind == MATRIX_F64 ? ((const double *)x->dense)[at] : (double)((const float *)x->dense)[at];
}

/* The extreme value on one side, and the next one. */
struct extreme {
    double far, next;
    uint64_t row;
};

/* `value` is negated for minima, so that larger is more extreme. */
static void extreme_add(struct extreme *extreme, double value, uint64_t row)
{
    if (value > extreme->far) {
        extreme->next = extreme->far;
        extreme->far = value;
        extreme->row = row;
    } else if (value > extreme->next) {
        extreme->next = value;
    }
}

/* The other values span from the next one here to the extreme on the other side. */
static bool is_outlier(const struct extreme *extreme, const struct extreme *other)
{
    double span = extreme->next + other->far; /* the other side is negated */
    return span > 0 && extreme->far - extreme->next > FAR * span;
}

/* One pass over the column keeps the two most extreme values of each side. */
bool outlier_find(const struct dataset *data, size_t column, struct outlier_value *out)
{
    const struct matrix *x = &data->x;
    struct extreme high = {-INFINITY, -INFINITY, 0}, low = high;
    for (uint64_t row = 0; x->kind != MATRIX_CSR && row < x->rows; row++) {
        if (data->weight && !(data->weight[row] > 0))
            continue;
        page_window_row(x, row);
        double value = value_at(x, row, column);
        extreme_add(&high, value, row);
        extreme_add(&low, -value, row);
    }
    if (is_outlier(&high, &low))
        *out = (struct outlier_value){high.row, high.far};
    else if (is_outlier(&low, &high))
        *out = (struct outlier_value){low.row, -low.far};
    else
        return false;
    return true;
}
