/* tuning: one tuning on its way; what its files share. */
#ifndef SEARCH_TUNE_STATE_H
#define SEARCH_TUNE_STATE_H

#include "base/text.h"
#include "model/model.h"
#include "search/crossval.h"
#include "search/grid.h"
#include "search/many_fits.h"
#include "search/selection_rule.h"

struct tuning {
    const struct dataset *data;
    const temper_tune_options *options;
    temper_error *error;
    bool wants_model;

    /* ---- What was decided before the first fit */
    temper_train_options train;
    enum criterion criterion;
    bool structured;
    bool drops; /* hopeless candidates are not fitted on all folds */
    struct scaled_features ground;
    double default_l2;
    struct grid grid;
    struct crossval cv;
    struct dataset *trusted;
    unsigned char identity[16]; /* of a checkpoint: all that decides the table */

    /* ---- On the way */
    const char *phase;
    size_t before, planned; /* fits: those that a phase does not count itself, and all */
    double started, saved;  /* a clock */
    bool stopped;
    temper_status heard; /* TEMPER_OK, or why it is not known whether another process stops */
    struct answer answer;
    struct model *model;
    temper_tune_report report;
};

/* ---- Steps, in their order ------------------------------------------------------------------- */

temper_status tuning_prepare(struct tuning *t);
temper_status tuning_load(struct tuning *t); /* the checkpoint, if there is one */
temper_status tuning_fit(struct tuning *t);
temper_status tuning_choose(struct tuning *t);
temper_status tuning_ask(struct tuning *t);
temper_status tuning_final(struct tuning *t);

/* ---- Parts of them --------------------------------------------------------------------------- */

/* Maps the labels of other rows, which must be like ours. */
temper_status tuning_trust(struct tuning *t);
/* Now if `at_once`, else only if the last time is long ago. */
temper_status tuning_save(struct tuning *t, bool at_once);
/* Asks the caller, after so many fits of this phase, whether to go on. */
bool tuning_goes_on(struct tuning *t, size_t done);

/* TEMPER_NO_MEMORY where the search would not keep to the limit of the data. */
temper_status tuning_budget(const struct tuning *t);

/* Fits of one candidate: its parts of a partition, with all that they predict. */
struct fold_models {
    size_t parts, rows;
    uint16_t *predicted; /* [part][row], of the rows here */
    double *mean;        /* of their weights, as the solver sees features */
};
temper_status fold_models_fit(struct tuning *t, size_t candidate, int stage, struct fold_models *out, bool *finished);
void fold_models_free(struct fold_models *models);

/* The final model: from 0, or from the mean of the fold models if it goes astray. */
temper_status tuning_fit_all(struct tuning *t, const struct fold_models *models);

#endif
