/* tune_state: one tuning, split by lifetime, and the steps that are in files of their own. */
#ifndef SEARCH_TUNE_STATE_H
#define SEARCH_TUNE_STATE_H

#include "base/text.h"
#include "model/model.h"
#include "search/crossval.h"
#include "search/grid.h"
#include "search/many_fits.h"
#include "search/selection_rule.h"

/* What was asked, checked and completed by defaults. */
struct tune_request {
    const struct dataset *data;
    const temper_tune_options *options;
    temper_error *error;
    bool wants_model;
    temper_train_options train;  /* of the final fit; loss and penalty are those of a candidate */
    temper_train_options search; /* of the fits on halves and folds: the same with a wider tolerance */
    enum criterion criterion;
    bool structured; /* labels are assumed to be wrong by a rule that depends on the features */
    bool prunes;     /* candidates that cannot win by the halves are not fitted on the folds */
};

/* What was decided before the first fit. */
struct tune_setup {
    struct scaled_features features;
    double default_l2;
    struct dataset *trusted; /* a copy with classes numbered as in the data; or NULL */
    struct crossval cv;
    unsigned char identity[16]; /* of a checkpoint: a hash of all that the table depends on */
};

/* What is in progress. */
struct tune_progress {
    const char *phase;
    size_t fits_before, fits_planned; /* fits of earlier phases, and of all */
    double started, saved;            /* clocks, seconds: the start, and the last checkpoint */
    bool stopped;
    temper_status comm_status; /* of the exchange by which all processes stop together */
};

struct tune_state {
    struct tune_request request;
    struct tune_setup setup;
    struct tune_progress progress;
    /* Results: */
    struct crossval_table table;
    struct selection selection;
    struct model *model;
    temper_tune_report report;
};

/* Checks the trusted rows, and fills setup->cv.trusted; labels of other rows are mapped by class name. */
temper_status tune_trusted_rows(const struct tune_request *request, struct tune_setup *setup);

/* Continues the table of a checkpoint, if there is one and it is wanted. */
temper_status tune_checkpoint_load(struct tune_state *t);
/* Saves the table: now, or only if the last time is long ago. */
temper_status tune_checkpoint_save(struct tune_state *t, bool now, temper_error *error);

/* Reports progress after `done` fits of this phase; false if the caller of any process wants to stop. */
bool tune_report_progress(struct tune_state *t, size_t done);

/* The rows whose true labels would distinguish the most promising candidates best. */
temper_status tune_ask_labels(struct tune_state *t);

/* Fills report.suggested_ask and report.suggested_reason: whether and why true labels are needed. */
void tune_suggest_ask(struct tune_state *t);

/* The fits of one candidate on all parts of a partition. */
struct fold_models {
    size_t parts, rows;
    uint16_t *predicted; /* [part][row], of the rows of this process */
    double *mean;        /* of the weights of all parts, for scaled features */
};
temper_status fold_models_fit(struct tune_state *t, size_t candidate, int stage, struct fold_models *out,
                              bool *finished);
void fold_models_free(struct fold_models *models);

/* Fits the selected candidate on all rows, and compares the model with those of its folds. */
temper_status tune_final_fit(struct tune_state *t);
/* Replaces the weights of the model by the mean of the candidates within one standard error of the choice. */
temper_status tune_average(struct tune_state *t);
/* The fit on all rows: from 0, or from the mean of the fold models if it ends in another optimum than theirs. */
temper_status tune_fit_all_rows(struct tune_state *t, const struct fold_models *models);

#endif
