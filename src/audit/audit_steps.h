/* audit_steps: the steps of an audit, and what each of them hands to the later ones.
 *
 * Every struct below is filled by one step and read-only afterwards, so that a signature shows which results a step
 * depends on. */
#ifndef AUDIT_AUDIT_STEPS_H
#define AUDIT_AUDIT_STEPS_H

#include "audit/audit.h"
#include "audit/noise_binary.h"
#include "audit/noise_em.h"
#include "data/dist/gather_labels.h"
#include "data/split.h"
#include "train/scaled_features.h"

enum { AUDIT_NEIGHBOURS = 20, AUDIT_DIMENSIONS = 32 };

/* What is audited, and how: the request, checked and completed by defaults. */
struct audit_input {
    const struct dataset *given; /* the rows of this process */
    const struct dataset *data;  /* labels and line numbers of all rows: `given`, or this copy: */
    struct dataset all;
    struct gathered_labels labels;
    uint64_t *line;
    size_t *origin;
    size_t rows, classes; /* of all processes */
    const temper_audit_options *options;
    temper_train_options train;
    double selection_tolerance; /* of the fits that select temperatures and penalty */
    size_t threads;
    double started; /* a clock, seconds */
    temper_error *error;
    struct audited_weights *weights; /* filled by the ranking; NULL: not needed */
};

/* The setting, and the scores of models that have not seen the row. */
struct audit_fits {
    temper_loss_spec loss;
    double l2;
    struct scaled_features features;
    struct split folds;
    double *activation; /* [row * classes + class] */
};

/* The rows in a space of few dimensions. */
struct audit_neighbours {
    size_t count;
    uint32_t *neighbour; /* [row * count + i], nearest first */
    double *distance;    /* to the furthest of them, that of the median row being 1 */
    double *rff;         /* [row * 2 + class]: class shares by rff_ridge.h; NULL for more than two classes */
};

/* Which labels are wrong, according to all of the evidence. */
struct audit_noise {
    double *evidence;                 /* [row * classes + class]; two classes: [row * BINARY_EVIDENCE] */
    double *belief;                   /* of each row: the probability that its given label is right */
    struct noise_em em;               /* more than two classes */
    struct noise_binary_range binary; /* two classes */
};

/* TEMPER_NO_MEMORY where the audit would exceed the memory limit of the data. */
temper_status audit_budget(const struct audit_input *in);

/* Fits every fold with the loss and the penalty (NAN: the default) of `fits`, and fills the rest of it. */
temper_status audit_out_of_fold(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report);

/* Embeds the rows, and finds their neighbours. */
temper_status audit_embed(const struct audit_input *in, const struct audit_fits *fits, struct audit_neighbours *out);

/* Combines fits and neighbours, and estimates the label noise. */
temper_status audit_estimate_noise(const struct audit_input *in, const struct audit_fits *fits,
                                   const struct audit_neighbours *near, struct audit_noise *out,
                                   temper_audit_report *report);

/* log p(true class, given label) of a row, up to a constant of the row, into out[classes]; returns the logarithm of
 * their sum. */
double audit_joint(const struct audit_input *in, const struct audit_noise *noise, size_t row, double *out);

/* Sorts the rows by suspicion, and fills the report. */
temper_status audit_rank(const struct audit_input *in, const struct audit_fits *fits,
                         const struct audit_neighbours *near, const struct audit_noise *noise,
                         temper_audit_report *report);

#endif
