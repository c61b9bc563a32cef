/* scale: brings features to a common size: x becomes (f(x) - offset) * factor.
 *
 * Learnt from the training rows only, so that no test row has an influence; a model folds offset and factor into its
 * weights, and stores them. Sparse data stays sparse: its offsets are all 0. */
#ifndef DATA_SCALE_H
#define DATA_SCALE_H

#include "data/dataset.h"

#define SCALE_LIST(X)                                                                                                  \
    X(NONE, "none", "features as they are")                                                                            \
    X(STANDARD, "standard", "mean 0, standard deviation 1; sparse data is only divided")                               \
    X(MINMAX, "minmax", "from 0 to 1; not for sparse data")                                                            \
    X(MAXABS, "maxabs", "within -1 and 1, 0 stays 0")                                                                  \
    X(LOG, "log", "log(1 + x) of features that are never negative, then standard")                                     \
    X(PIXELS, "pixels", "divided by 255, so that bytes are within 0 and 1")

enum scale_kind {
#define SCALE_ENUM(name, word, text) SCALE_##name,
    SCALE_LIST(SCALE_ENUM)
#undef SCALE_ENUM
};

enum { SCALE_OUTLIERS = 8 };

struct scale {
    enum scale_kind kind;
    size_t columns;
    double *offset, *factor;        /* of each column */
    size_t constants;               /* number of constant columns, whose factor is 1 */
    bool *is_zero;                  /* of each column: it is 0 in every row, as scaled; NULL: not known */
    size_t outlier[SCALE_OUTLIERS]; /* the first columns of dense data whose variance is almost all that of
                                     * one value, but for indicators */
    size_t outliers;
    double spread; /* the sum of the variances of the columns as scaled; 0: not known */
};

/* False if there is none of that name; NULL-safe the other way round. */
bool scale_find(const char *name, enum scale_kind *kind);
const char *scale_name(enum scale_kind kind);

/* "feature 3 'height'", counted from 1: not the column of the file, where labels are columns too.
 */
struct feature_text {
    char text[128];
};
struct feature_text feature_text(const struct dataset *data, uint64_t column);

/* The rows to learn from; `row` NULL: all. Rows of weight 0 are left out. */
struct scale_rows {
    const size_t *row;
    size_t count;
};

/* The same bits for any number of threads. */
temper_status scale_learn(const struct dataset *data, enum scale_kind kind, struct scale_rows rows, size_t threads,
                          struct scale *out, temper_error *error);
/* The same from given statistics, for any kind but log; of `data` only the column names and the kind are used. */
struct column_stats;
temper_status scale_from_sums(const struct dataset *data, enum scale_kind kind, const struct column_stats *sums,
                              struct scale *out, temper_error *error);
void scale_free(struct scale *scale);

/* A dense row, in place. A value below 0 under `log`, which training never saw, becomes NaN only
 * below -1; the caller has refused it before. */
void scale_row(const struct scale *scale, double *x);
/* A scaled copy: floats, or doubles if the data is in doubles; CSR stays CSR. */
temper_status scale_matrix(const struct scale *scale, const struct matrix *x, size_t threads, struct matrix *out,
                           temper_error *error);

#endif
