/* auditing: one audit on its way; what its files share. */
#ifndef AUDIT_AUDIT_STATE_H
#define AUDIT_AUDIT_STATE_H

#include "audit/noise_binary.h"
#include "audit/noise_em.h"
#include "data/dist/gather_labels.h"
#include "data/split.h"
#include "train/scaled_features.h"

enum { AUDIT_NEIGHBOURS = 20, AUDIT_DIMENSIONS = 32 };

struct audit {
    const struct dataset *given; /* the rows that this process has */
    const struct dataset *data;  /* labels and lines of all rows: as given, or this: */
    struct dataset all;
    struct gathered_labels roll;
    uint64_t *line;
    size_t *origin;
    const temper_audit_options *options;
    temper_error *error;

    /* ---- What was decided before the fits */
    temper_train_options train;
    double choosing; /* the tolerance of fits that choose temperatures */
    temper_loss_spec loss;
    double l2;
    struct scaled_features ground;
    struct split folds;
    size_t rows, classes, threads;
    size_t neighbours; /* of each row */

    /* ---- On the way */
    double started;                /* a clock */
    temper_status heard;           /* TEMPER_OK, or why it is not known whether another process stops */
    size_t done;                   /* fits */
    double *activation;            /* [row * classes + class], by models that have not seen the row */
    double *belief;                /* what they think of the given label */
    double *evidence;              /* activations and the votes of neighbours; of two classes, by noise_two.h */
    uint32_t *neighbour;           /* [row * neighbours + i] */
    double *distance;              /* of each row to them; the median row's is 1 */
    double *curve;                 /* [row * 2 + class], by curves.h; NULL for more classes */
    struct noise_em model;         /* of more than two classes */
    struct noise_binary_range two; /* of two */
    temper_audit_report report;
};

/* ---- Steps, in their order ------------------------------------------------------------------- */

temper_status audit_choose(struct audit *audit);
temper_status audit_fit(struct audit *audit);
temper_status audit_neighbours(struct audit *audit);
temper_status audit_evidence(struct audit *audit);
temper_status audit_list(struct audit *audit);

/* TEMPER_NO_MEMORY where the audit would not keep to the limit of the data. */
temper_status audit_budget(const struct audit *audit);

/* log p(true class, given label) of a row, up to what all classes share, into out[classes]; returns
 * the logarithm of their sum. */
double audit_row(const struct audit *audit, size_t row, double *out);

#endif
