/* crossval: fits candidates without some rows, and measures them on those.
 *
 * First on two halves, all of them; then, those that are worth it, on K folds. What is found does
 * not depend on the order in which fits end, nor on which candidates are fitted together: so a
 * table can be filled in any number of runs. */
#ifndef SEARCH_CROSSVAL_H
#define SEARCH_CROSSVAL_H

#include "data/dist/gather_labels.h"
#include "data/split.h"
#include "train/scaled_features.h"

enum { STAGE_NONE, STAGE_HALVES, STAGE_FOLDS };

/* Rows whose labels are right: others than those of the ground, or some of them. */
struct trusted {
    size_t count;                  /* 0: there are none */
    struct dataset *data;          /* other rows, with labels numbered as the ground has them; or NULL */
    const unsigned long long *row; /* or these */
    const uint32_t *label;
};

struct crossval {
    const struct scaled_features *ground;
    const temper_train_options *train;
    struct trusted trusted;
    size_t folds, threads;
    const uint32_t *fold; /* of each row, or NULL: they are drawn */
    temper_tune_candidate *table;
    size_t count;
    double *fold_accuracy; /* [candidate][fold]; NAN where there is none */

    /* Called as fits_job has it. */
    temper_status (*ended)(void *context, size_t candidate, temper_error *error);
    bool (*goes_on)(void *context, size_t fits_done);
    void *context;

    /* ---- Made by crossval_prepare, for the rows of all processes */
    struct gathered_labels roll;
    struct split partition[2]; /* halves and folds; with two folds they are the same */
    double *weight;            /* of each row, their mean over rows that count being 1 */
    double rows;               /* those rows, for standard errors: fewer if weights differ */
    size_t done;               /* fits */
};

/* Fills the last part; all before is the caller's. `note` has 256 bytes. */
temper_status crossval_prepare(struct crossval *cv, char *note, temper_error *error);
void crossval_free(struct crossval *cv);

/* How many fits go at once, at most, and how many bytes their results take for each row. */
size_t crossval_most_fits(const struct dataset *data);
size_t crossval_trial_bytes(const struct dataset *data);
/* Takes the candidates `which` to a stage. *finished is false where goes_on ended it. */
temper_status crossval_run(struct crossval *cv, int stage, const size_t *which, size_t count, bool *finished,
                           temper_error *error);

/* Fits of one candidate in a stage. */
size_t crossval_parts(const struct crossval *cv, int stage);

/* From activations of one row to the class, and to the distance of the runner-up. */
uint32_t activations_winner(const double *a, size_t vectors, double *confidence);

#endif
