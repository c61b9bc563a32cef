/* consensus: labels from the votes of several annotators, with or without a model of the items' features. */
#ifndef AUDIT_CONSENSUS_H
#define AUDIT_CONSENSUS_H

#include "audit/annotators/crowd.h"
#include "data/dataset.h"
#include "data/split.h"
#include "temper_extra.h"

/* temper_consensus in internal types. */
temper_status consensus(const struct votes *votes, const temper_consensus_options *options,
                        temper_consensus_report *report, temper_error *error);
/* temper_consensus_label. */
temper_status consensus_label(const struct dataset *data, const struct votes *votes,
                              const temper_consensus_report *report, struct dataset **out, temper_error *error);
/* temper_votes_probabilities. */
temper_status consensus_probabilities(const struct votes *votes, const struct dataset *table, double *out,
                                      temper_error *error);

/* ---- The steps ------------------------------------------------------------------------------- */

/* The most probable class of an item; of equal ones the more frequent, then the first. */
uint32_t crowd_best_class(const struct crowd *crowd, size_t item);

/* Models of the features, fitted to the consensus of other folds. */
struct consensus_model {
    const struct dataset *data;
    const temper_consensus_options *options;
    struct dataset *labelled; /* the same features, with the consensus as labels */
    struct split folds;       /* drawn once, for all rounds */
    double *evidence;         /* log P, [item * classes + class], by models that have not seen the item's fold */
    size_t done, all;         /* fits */
    double started;           /* a clock, seconds */
};

/* Draws the folds. *usable is false, with a note in the report, if there are too few rows or classes. */
temper_status consensus_model_new(const struct crowd *crowd, const temper_consensus_options *options,
                                  struct consensus_model *out, bool *usable, temper_consensus_report *report,
                                  temper_error *error);
void consensus_model_free(struct consensus_model *model);
/* Fits all folds to the present consensus, and fills the evidence. */
temper_status consensus_model_fit(struct consensus_model *model, const struct crowd *crowd, temper_error *error);

/* Fills the report from what was estimated. */
temper_status consensus_summarise(const struct crowd *crowd, bool majority, temper_consensus_report *report,
                                  temper_error *error);

#endif
