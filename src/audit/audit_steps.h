/* audit_steps: the steps of an audit, and what each of them hands to the later ones.
 *
 * Every struct below is filled by one step and read-only afterwards, so that a signature shows which results a step
 * depends on. */
#ifndef AUDIT_AUDIT_STEPS_H
#define AUDIT_AUDIT_STEPS_H

#include "audit/audit.h"
#include "audit/noise/noise_model.h"
#include "data/dist/gather_labels.h"
#include "data/split.h"
#include "train/scaled_features.h"

#define LEAST_ADDED 1e-4 /* to a given probability */

enum { AUDIT_NEIGHBOURS = 20, AUDIT_DIMENSIONS = 32, AUDIT_LOSSES = 2 };

/* What is audited, and how: the request, checked and completed by defaults. */
struct audit_input {
    const struct dataset *given; /* the rows of this process */
    const struct dataset *data;  /* labels and line numbers of all rows: `given`, or this copy: */
    struct dataset all;
    struct gathered_labels labels;
    uint64_t *line;
    size_t *origin;
    const struct dataset
        *features;        /* the rows in the form whose neighbours are compared; NULL: there are no features */
    size_t rows, classes; /* of all processes */
    const temper_audit_options *options;
    temper_train_options train;
    double selection_tolerance; /* of the fits that select temperatures and penalty */
    size_t threads;
    double started; /* a clock, seconds */
    temper_error *error;
    struct audited_weights *weights; /* filled by the ranking; NULL: not needed */
};

/* The settings, and the scores of models that have not seen the row. */
struct audit_fits {
    size_t losses; /* 1, or 2 of which the noise model weighs the scores */
    size_t main;   /* the one with the larger weight */
    temper_loss_spec loss[AUDIT_LOSSES];
    double l2;
    struct scaled_features features;
    struct split folds;
    double *activation[AUDIT_LOSSES]; /* [row * classes + class] */
};

/* The rows in a space of few dimensions; no neighbours (`count` 0) without features. */
struct audit_neighbours {
    size_t count;
    uint32_t *neighbour;   /* [row * count + i], nearest first */
    double *distance;      /* to the furthest of them, that of the median row being 1; NAN without features */
    double *rff;           /* [row * classes + class]: class shares by rff_ridge.h; NULL with more than NOISE_CLASSES,
                            * and without features */
    uint32_t *twin;        /* of each row: the nearest of its neighbours by all features; NULL: not asked for, or */
    double *twin_distance; /* without features. Its distance */
};

/* Which labels are wrong, according to all of the evidence. */
struct audit_noise {
    struct noise_estimate estimate;
    double gain;  /* nats by which the labels are likelier with noise than without any */
    bool decided; /* that is enough, or contradictions are independent of the evidence; not if: */
    bool by_rule; /* labels contradict the surest rows more than the others: a model could learn these mistakes */
    double *log_posterior; /* [row * classes + class]: of the true class, given the evidence and the label */
    double *low, *high;    /* of each row: the range of the probability that its label is wrong */
};

/* TEMPER_NO_MEMORY where the audit would exceed the memory limit of the data. */
temper_status audit_budget(const struct audit_input *in);

/* Fits every fold with the loss and the penalty (NAN: the default) of `fits`, and fills the rest of it. */
temper_status audit_out_of_fold(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report);

/* Checks the probabilities and the features that the caller gives, and sets in->features. */
temper_status audit_check_given(struct audit_input *in);
/* Fills *fits, like audit_out_of_fold, with the logarithms of the given probabilities. */
temper_status audit_take_probabilities(const struct audit_input *in, struct audit_fits *fits,
                                       temper_audit_report *report);
/* Their logarithms, after `added` was added to each: trees and saturated softmaxes give 0, and differences between
 * small probabilities may be chance. */
void audit_log_probabilities(const struct audit_input *in, double added, struct audit_fits *fits);
/* Warns of given probabilities that come from models which have seen the rows, as far as that shows. */
void audit_warn_in_sample(const struct audit_input *in, const struct audit_neighbours *near,
                          temper_audit_report *report);

/* Draws the folds, stratified by class, or takes those of the options. */
temper_status audit_split(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report);

/* Embeds the rows, and finds their neighbours. */
temper_status audit_embed(const struct audit_input *in, const struct audit_fits *fits, struct audit_neighbours *out);

/* The nearest rows of all rows alone, features being scaled by the name of the scale, in one process. Neighbours and
 * distances are freed by the caller, also on failure. */
temper_status audit_nearest(const struct dataset *data, const char *scale, struct audit_neighbours *out,
                            temper_error *error);

/* Finds the nearest neighbour of each row by all features, if the health of the data set is asked for. */
temper_status audit_find_twins(const struct audit_input *in, const struct audit_fits *fits,
                               struct audit_neighbours *near);

/* Combines fits and neighbours, estimates the label noise, and sets fits->main. */
temper_status audit_estimate_noise(const struct audit_input *in, struct audit_fits *fits,
                                   const struct audit_neighbours *near, struct audit_noise *out,
                                   temper_audit_report *report);

/* Sorts the rows by suspicion, and fills the report. */
temper_status audit_rank(const struct audit_input *in, const struct audit_fits *fits,
                         const struct audit_neighbours *near, const struct audit_noise *noise,
                         temper_audit_report *report);

/* Adds the health of the data set to the finished ranking, if it is asked for. */
temper_status audit_health(const struct audit_input *in, const struct audit_fits *fits,
                           const struct audit_neighbours *near, temper_audit_report *report);

#endif
