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
    FEW_CLASSES = 20,     /* up to this number, classes are always accepted */
    LEAST_OF_NUMBERS = 8, /* with more classes: rows that a class has on average, if names are numbers, */
    LEAST_OF_TEXT = 2,    /* or text */
    LEAST_COUNTED = 20,   /* rows: fewer may count up by chance */
    NAME_SHOWN = 40       /* bytes of a name in a message */
};

/* ---- Too many classes ------------------------------------------------------------------------ */

/* Whether a class name is a number. Names that are numbers were rewritten as shortest decimals, so testing the
 * characters is enough. */
static bool is_number(const char *name)
{
    return *name && name[strspn(name, "+-.0123456789eE")] == '\0';
}

/* What kind of text the class names are. */
struct name_kinds {
    bool numbers;  /* all of them */
    bool fraction; /* at least one is a fraction: measured values, not classes */
};

/* One pass over the names; a decimal point in any of them marks the column as measured values. */
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

/* More classes than the rows can support: the label column is then probably a measured value or an identifier. Text
 * needs fewer rows a class, since it is more likely to be meant as classes than numbers are. */
static bool has_too_many(const struct dataset *data)
{
    size_t count = data->classes.count;
    struct name_kinds kinds = kinds_of(&data->classes);
    uint64_t least = kinds.numbers ? LEAST_OF_NUMBERS : LEAST_OF_TEXT;
    return count > FEW_CLASSES && (kinds.fraction || least * count > dataset_all_rows(data));
}

/* A column as messages show it and as the user would type it. */
struct column_text {
    char shown[4 * TOKEN_SHOWN + 16]; /* "column 'b'" */
    char option[NAME_SHOWN + 1];      /* as --label takes it without quotes */
};

/* Uses the name where it is short and printable, else the position counted from 1, which --label takes as well. */
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
    /* The remedy is meant to be copied into a shell: only names that need no quotes. */
    if (length > 0 && length <= NAME_SHOWN && name[strspn(name, plain)] == '\0')
        snprintf(text.option, sizeof text.option, "%s", name);
    return text;
}

/* A label column that was inferred is refused, since the guess is probably wrong; one that the user named gets a
 * warning. */
static temper_status check_class_count(struct dataset *data, const temper_read_options *options, temper_error *error)
{
    char file[PATH_SHOWN];
    unsigned long long rows = dataset_all_rows(data);
    const struct schema *schema = data->schema; /* of a table */
    if (!schema || schema->label_position == SCHEMA_NO_LABEL || !has_too_many(data))
        return TEMPER_OK;
    struct column_text column = column_text(schema->label, schema->label_position);
    bool numbers = kinds_of(&data->classes).numbers;
    if (!options->label && numbers)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: %s has %s different numbers in %s rows: this looks like a regression target; --label "
                         "NAME names another column, --label none says that there is none; --label %s if it is the "
                         "label",
                         source_shown(data, file), column.shown, count_shown(data->classes.count).text,
                         count_shown(rows).text, column.option);
    if (!options->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: %s classes in %s rows: is %s the label? --label NAME names "
                         "another, --label none says that there is none; --label %s if it is",
                         source_shown(data, file), count_shown(data->classes.count).text, count_shown(rows).text,
                         column.shown, column.option);
    dataset_note(data, "warning: %s classes in %s rows: is %s the label? %s--label names another",
                 count_shown(data->classes.count).text, count_shown(rows).text, column.shown,
                 numbers ? "this looks like a regression target; " : "");
    return TEMPER_OK;
}

/* ---- Similar class names --------------------------------------------------------------------- */

struct similar_names {
    size_t first, second; /* classes */
    size_t pairs;
};

/* Finds names that are equal after folding case and blanks: one hash table lookup for each class. Keeps the first pair
 * and counts all; false without memory. Similar classes are usually one class in two spellings ("yes", "Yes "), which
 * would be learnt as two. */
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

/* One warning, with the first pair as the example. */
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

/* The checks of labels, after reading. Labels of a separate file are no column of the table, so that no other column
 * could be the label instead; their number is not checked. */
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

/* The first feature of a row of dense floats or doubles. */
static double first_value(const struct matrix *x, uint64_t row)
{
    size_t at = (size_t)row * (size_t)x->columns;
    return x->kind == MATRIX_F64 ? ((const double *)x->dense)[at] : (double)((const float *)x->dense)[at];
}

/* Whether the first column is an index: integers that increase by one from 0 or 1. Where rows with missing values were
 * dropped, steps may be larger, but no value exceeds the number of rows that the file had. Such a column is a row
 * number that a program has written, and no feature: a model could use it where rows are sorted by class. */
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

/* Warns of a row index among the features, which many programs write as the first column, often without a name: a
 * model that uses it fits the order of the rows. A table of one feature is not suspected. */
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
    dataset_note(
        data,
        "warning: %s counts the rows, which tells nothing about others; pass --ignore %s " /* vocabulary: allowed */
        "if it is an index",
        column.shown, column.option);
}

/* The distance of an outlier from the other values, in units of their range. Heavy-tailed distributions have gaps
 * between their largest values too, but not such large ones. */
static const double FAR = 1000;

/* An entry of a dense matrix of any element type. */
static double value_at(const struct matrix *x, uint64_t row, size_t column)
{
    size_t at = (size_t)(row * x->columns) + column;
    if (x->kind == MATRIX_U8)
        return ((const uint8_t *)x->dense)[at];
    return x->kind == MATRIX_F64 ? ((const double *)x->dense)[at] : (double)((const float *)x->dense)[at];
}

/* The most extreme value on one side, its row, and the second most extreme value. */
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

/* Whether the extreme is farther from the others than FAR times their range, which goes from the next value on this
 * side to the extreme on the other. */
static bool is_outlier(const struct extreme *extreme, const struct extreme *other)
{
    double span = extreme->next + other->far; /* the other side is negated */
    return span > 0 && extreme->far - extreme->next > FAR * span;
}

/* Finds a single outlier of a dense column in one pass: the two most extreme values of each side are enough. It is
 * called for columns that the scale has flagged, never for sparse data. */
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
    /* The larger side first; both cannot be outliers, since each extends the range of the other. */
    if (is_outlier(&high, &low))
        *out = (struct outlier_value){high.row, high.far};
    else if (is_outlier(&low, &high))
        *out = (struct outlier_value){low.row, -low.far};
    else
        return false;
    return true;
}
