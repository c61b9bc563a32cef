/* review_columns: the columns of rows as a person knows them. A categorical column is one column here and several
 * features of a model; columns that are not features (numbers of customers, texts) are columns too. */
#ifndef AUDIT_REVIEW_COLUMNS_H
#define AUDIT_REVIEW_COLUMNS_H

#include "base/text.h"
#include "data/dataset.h"
#include "data/schema.h"

#define REVIEW_NO_FEATURE SIZE_MAX

/* One column, and the features that were made of it. */
struct review_column {
    size_t first;                       /* feature; REVIEW_NO_FEATURE: none */
    const struct schema_column *schema; /* NULL: not from a table */
};

struct review_columns {
    const struct dataset *data;
    bool raw; /* columns of the file, whose cells can be read again */
    size_t count;
    struct review_column *column; /* [count]; NULL: column i is feature i */
    uint32_t *column_of;          /* [features]; NULL: feature i is column i */
    char **header;                /* [count], names of the file; NULL: none */
};

/* review_columns_free is needed whatever the status. */
temper_status review_columns_open(const struct dataset *data, struct review_columns *out, temper_error *error);
void review_columns_free(struct review_columns *columns);

/* The column of a feature. */
static inline size_t review_column_of(const struct review_columns *columns, size_t feature)
{
    return columns->column_of ? columns->column_of[feature] : feature;
}

/* Whether features were made of the column. */
static inline bool review_is_feature(const struct review_columns *columns, size_t column)
{
    return !columns->column || columns->column[column].first != REVIEW_NO_FEATURE;
}

/* The value of a feature of a row of any kind. */
double review_feature_value(const struct row *row, size_t feature);

/* Appends the name as a JSON string. */
void review_append_name(struct text *out, const struct review_columns *columns, size_t column);
/* Appends the value of a row as JSON: a number, or the text of a category; null if the column has no feature. */
void review_append_value(struct text *out, const struct review_columns *columns, size_t column, size_t row);
/* A number with so many significant digits. */
void review_append_rounded(struct text *out, double value, int digits);

#endif
