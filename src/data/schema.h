/* schema: how the columns of a table became features, so that another table can become the same.
 *
 * The CSV reader leaves one with the data it reads; a model keeps it. Given one, the reader makes
 * the model's features of a new file (dataset_read_like in data/read.h), whatever the order of its
 * columns. */
#ifndef DATA_SCHEMA_H
#define DATA_SCHEMA_H

#include "data/dataset.h"

/* What becomes of a missing value. Words as on the command line; refused if there is no rule. */
#define SCHEMA_MISSING_LIST(X)                                                                                         \
    X(REFUSE, "refuse")                                                                                                \
    X(ZERO, "zero")                                                                                                    \
    X(MEAN, "mean")                                                                                                    \
    X(DROP, "drop")

enum schema_missing {
#define SCHEMA_MISSING_ENUM(name, word) SCHEMA_##name,
    SCHEMA_MISSING_LIST(SCHEMA_MISSING_ENUM)
#undef SCHEMA_MISSING_ENUM
};

/* A column that is used: one feature if it holds numbers, else one for each of its texts. */
struct schema_column {
    char *name;         /* of the header; NULL without one */
    size_t position;    /* in the file, from 0 */
    struct names texts; /* of a categorical column, in the order of their features; else none */
    double *fill;       /* SCHEMA_MEAN: the mean, or the share of each text; else NULL */
};

#define SCHEMA_NO_LABEL SIZE_MAX

struct schema {
    size_t file_columns;   /* of the file, used or not */
    char *label;           /* name of the column of labels; NULL if it has none */
    size_t label_position; /* or SCHEMA_NO_LABEL */
    enum schema_missing missing;
    struct schema_column *column; /* in the order of the features */
    size_t columns;
    size_t features; /* of all columns */
};

/* Numbers only, in columns of these names (or of none, by position), a label behind them perhaps:
 * what data of other formats is. `names` may be empty, else it has `features` of them. */
temper_status schema_plain(size_t features, const struct names *names, struct schema **out, temper_error *error);
temper_status schema_copy(const struct schema *schema, struct schema **out, temper_error *error);
void schema_free(struct schema *schema);
/* Empty again. */
void names_free(struct names *names);

/* Whether its columns have names: all have, or none. */
bool schema_has_names(const struct schema *schema);
/* 1, or how many texts there are. */
size_t schema_column_features(const struct schema_column *column);
/* NAME, NAME=TEXT, c3=TEXT; no names for numbers without a header and without texts beside them.
 * What is made so far is the caller's to free, whatever happens. */
temper_status schema_name_features(const struct schema *schema, struct names *names, temper_error *error);

bool schema_missing_find(const char *word, enum schema_missing *missing);
const char *schema_missing_name(enum schema_missing missing);

/* Data that is not from a table, made to fit: entries of sparse data beyond the model's features
 * are left out, and a note counts them; fewer are zeros; dense data must have as many columns, and
 * where both have names, the same ones. */
temper_status schema_fit(const struct schema *schema, struct dataset *data, temper_error *error);

#endif
