/* crossval: fits candidates without some rows, and measures them on those rows.
 *
 * All candidates are first fitted on two disjoint halves; those that can still win, then on K folds. The results depend
 * neither on the order in which fits end nor on which candidates are fitted together, so that a table can be completed
 * in any number of sessions. */
#ifndef SEARCH_CROSSVAL_H
#define SEARCH_CROSSVAL_H

#include "data/dist/gather_labels.h"
#include "data/split.h"
#include "search/outcome_table.h"
#include "tempered/row_scores.h"
#include "train/scaled_features.h"

enum { STAGE_NONE, STAGE_HALVES, STAGE_FOLDS };

/* Rows whose labels are known to be right: rows of another dataset, or some of the data itself. */
struct trusted_rows {
    size_t count;         /* 0: none */
    struct dataset *data; /* other rows, with classes numbered as in the data; or NULL */
    const size_t *row;    /* or these rows of the data, with these labels */
    const uint32_t *label;
};

/* The rows and how they are split: decided before the first fit. */
struct crossval {
    const struct scaled_features *features;
    const temper_train_options *train;
    bool converges; /* fits_job.converges */
    struct trusted_rows trusted;
    size_t folds;
    const uint32_t *given_fold; /* of each row, or NULL: folds are drawn */

    /* Made by crossval_prepare, for the rows of all processes: */
    struct gathered_labels labels;
    struct split partition[2]; /* halves and folds; with two folds they are the same */
    double *weight;            /* of each row, with mean 1 over the rows of positive weight */
    double rows;               /* effective number of rows, for standard errors: fewer if weights differ */
};

/* The results. */
struct crossval_table {
    temper_tune_candidate *candidate;
    size_t count;
    double *fold_accuracy; /* [candidate * folds + fold]; NAN: not measured */
    struct outcome_table outcomes;
    bool *measured_again; /* of each candidate: by fits that converge as the final one does */
    size_t fits_done;
};

/* The calls that a run of fits makes. */
struct crossval_calls {
    temper_status (*candidate_done)(void *context, size_t candidate, temper_error *error);
    bool (*keep_going)(void *context, size_t fits_done);
    void *context;
};

/* Fills the second part of *cv from the first. */
temper_status crossval_prepare(struct crossval *cv, temper_error *error);
void crossval_free(struct crossval *cv);

/* The largest number of fits in a batch, and the bytes per row that their results take. */
size_t crossval_most_fits(const struct dataset *data);
size_t crossval_trial_bytes(const struct dataset *data);

/* Some candidates of a table, to be taken to a stage. */
struct crossval_stage {
    int stage;
    const size_t *which;
    const size_t *segment; /* of each entry: the first of its segment (penalty_path.h), which is complete in `which` */
    size_t count;
};

/* *finished is false where keep_going ended it. */
temper_status crossval_run(const struct crossval *cv, struct crossval_table *table, const struct crossval_stage *stage,
                           const struct crossval_calls *calls, bool *finished, temper_error *error);

/* Fits of one candidate in a stage. */
size_t crossval_parts(const struct crossval *cv, int stage);

#endif
