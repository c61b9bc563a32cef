/* fold_scores: scores of rows by models that were not fitted to them; for calibration and for the expected accuracy.
 *
 * Rows are numbered among those of all processes, which make the same decisions. */
#ifndef SEARCH_FOLD_SCORES_H
#define SEARCH_FOLD_SCORES_H

#include <stdbool.h>

#include "data/dist/gather_labels.h"
#include "model/model.h"
#include "temper_extra.h"

struct fold_scores {
    const struct dataset *data; /* the rows of this process */
    const temper_train_options *options;
    struct model *model; /* fitted to all rows: its loss, its penalty, and perhaps the initial weights of the fits */
    temper_error *error;
    const char *phase; /* of the fits, for the caller's progress */
    double started;    /* when the caller's call began, by train_clock */
    bool from_model;   /* fits start from the weights of the model, with fewer digits; false: as the training does */
    struct gathered_labels labels;
    uint32_t *fold;      /* of each row; NULL where the model itself scores */
    size_t fitted;       /* folds that are scored by models of the others; 0: the model itself scores */
    size_t *row;         /* the rows that are scored, ascending */
    size_t count;        /* of them, */
    size_t from, to;     /* and those among them that this process has: row[from .. to - 1] */
    double *score;       /* [(to - from) * vectors], of the rows of this process */
    bool stopped;        /* by the caller of any process */
    temper_error failed; /* of a fit without a fold of the rows that its data made impossible; else TEMPER_OK */
};

/* Lists every `stride`-th of the usable rows, by their number among all, and makes space for their scores. A systematic
 * sample keeps the shares of the classes where a file is sorted by class. */
temper_status fold_scores_choose(struct fold_scores *s, const bool *usable, size_t stride);
/* Fits without each of the first `fitted` folds, and scores its rows. */
temper_status fold_scores_fit(struct fold_scores *s);
/* Scores the rows by the model itself. */
temper_status fold_scores_by_model(struct fold_scores *s);
/* Whether the fits were stopped, or one of them was impossible. */
bool fold_scores_abandoned(const struct fold_scores *s);
/* The scores of all processes into all[count * vectors]. */
temper_status fold_scores_gather(const struct fold_scores *s, double *all);
void fold_scores_free(struct fold_scores *s);

#endif
