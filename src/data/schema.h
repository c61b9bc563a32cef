/* schema: how the columns of a table became features, so that another table can be converted in the same way.
 *
 * The CSV reader attaches one to the data; a model stores it. Given one, the reader makes the model's features from a
 * new file (dataset_read_like in data/read/read.h), in whatever order its columns are. */
#ifndef DATA_SCHEMA_H
#define DATA_SCHEMA_H

#include "data/dataset.h"
#include "data/table/column_rule.h"

/* The treatment of missing values, with the words of the command line. */
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

/* A used column: the numbers of its rule, or one for each of its categories (one-hot); and an indicator of gaps where
 * the rule has one. */
struct schema_column {
    char *name;              /* from the header; NULL without one */
    size_t position;         /* in the file, from 0 */
    struct names texts;      /* of a categorical column, in the order of their features; else none */
    struct column_rule rule; /* {0}: plain numbers, or a category that an option has named */
    double *fill;            /* SCHEMA_MEAN: the mean, or the share of each text; else NULL */
};

#define SCHEMA_NO_LABEL SIZE_MAX

struct schema {
    size_t file_columns;   /* of the file, used or not */
    char *label;           /* name of the column of labels; NULL if it has none */
    size_t label_position; /* or SCHEMA_NO_LABEL */
    enum schema_missing missing;
    bool automatic;    /* columns were inferred: more words are gaps, and so are cells that do not fit their column */
    struct names gaps; /* and these words, by --na */
    struct schema_column *column; /* in the order of the features */
    size_t columns;
    size_t features; /* of all columns */
};

/* The schema of data of other formats: numeric columns with these names (or none, by position), followed by the label.
 * `names` is empty or has `features` names. */
temper_status schema_plain(size_t features, const struct names *names, struct schema **out, temper_error *error);
temper_status schema_copy(const struct schema *schema, struct schema **out, temper_error *error);
void schema_free(struct schema *schema);
/* Frees the names and empties the list. */
void names_free(struct names *names);
/* Copies; false without memory: what was copied so far is freed by names_free. */
bool names_copy(const struct names *from, struct names *to);
/* A copy of a string, freed by mem_free; NULL stays NULL. False without memory. */
bool copy_string(const char *text, char **out);

/* Whether its columns have names: all have, or none. */
bool schema_has_names(const struct schema *schema);
/* How many features it has. */
size_t schema_column_features(const struct schema_column *column);
/* NAME, NAME=TEXT, c3=TEXT, NAME:month, NAME:missing; no names if there is neither a header nor a categorical column.
 * The caller frees the names, also on failure. */
temper_status schema_name_features(const struct schema *schema, struct names *names, temper_error *error);

bool schema_missing_find(const char *word, enum schema_missing *missing);
const char *schema_missing_name(enum schema_missing missing);

/* Adapts data that is not from a table to a model: entries of sparse data beyond the model's features are left out, and
 * a note counts them; missing columns are zeros; dense data must have as many columns and, where both have names, the
 * same names. */
temper_status schema_fit(const struct schema *schema, struct dataset *data, temper_error *error);

#endif
