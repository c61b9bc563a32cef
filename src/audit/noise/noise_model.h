/* noise_model: how often each class was given the label of another, from evidence about the rows and their given
 * labels.
 *
 * Evidence about a row is independent of the row's own label and has several sources: scores of models that have not
 * seen the row, labels of its neighbours, a regression without its fold. The true class of a row has the probabilities
 * softmax(sum of slope * source, plus an offset of the class), and a row of class c is given the label g with the
 * probability transition[c][g]: uniform noise of one rate, or, where that is clearly likelier, uniform noise and some
 * pairs of classes that are confused more often. All parameters are maximum a posteriori estimates, after A. P. Dawid
 * and A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm" (1979), with the
 * evidence in place of several observers. The model assumes that noise depends on the class alone.
 *
 * Where classes overlap, only the labels of the surest rows contain information about the rate, so that it remains
 * uncertain: hence a range, and a measure of how much the labels say for any noise at all. */
#ifndef AUDIT_NOISE_MODEL_H
#define AUDIT_NOISE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Nats by which the labels have to be likelier with noise than without any, for a decision. On 23 clean data sets one
 * had more, 4.2, against correct labels with one slope for each source. */
#define NOISE_LEAST_GAIN 4.0

enum {
    NOISE_SOURCES = 8,   /* at most */
    NOISE_CLASSES = 256, /* with more, noise is uniform and classes have no offsets: too few rows for each */
};

struct noise_rows {
    const double *evidence; /* [(row * sources + source) * classes + class] */
    const uint32_t *given;
    size_t rows, classes, sources;
    size_t among;    /* 0, or: the rows are an evenly spread sample of so many in the arrays */
    bool calibrated; /* the evidence is log probabilities of a model of the given labels: there are no offsets, and no
                      * table, since such a model has learnt from the same labels which classes are confused */
    size_t threads;  /* at most; 0 is 1 */
};

struct noise_model {
    size_t classes, sources;
    double slope[NOISE_SOURCES]; /* not negative */
    double *offset;              /* [classes] */
    double rate;                 /* share of wrong labels */
    double *transition;          /* [true * classes + given]; NULL: uniform, by the rate */
};

/* The likeliest model, and models at the ends of the 90 % range of the share of wrong labels. */
struct noise_estimate {
    struct noise_model best, low, high;
    double weight[NOISE_SOURCES]; /* of the sources: slopes of the best model per standard deviation */
    double log_posterior;         /* of the best model, without constants: comparable for equal rows */
    double without;               /* the same of the likeliest model without any noise; see noise_likelihood.h */
    double certainty;             /* mean probability of the likeliest true class */
};

/* `best_only`: without `low`, `high` and `without`. *out, which is untouched on failure, is freed by
 * noise_estimate_free. */
temper_status noise_model_fit(const struct noise_rows *rows, bool best_only, struct noise_estimate *out,
                              temper_error *error);
void noise_estimate_free(struct noise_estimate *estimate);

/* The scores of the true classes of a row, without their label: sum of slope * source, plus the offsets. */
void noise_model_scores(const struct noise_model *model, const double *evidence, double *out);
/* Multiplies slopes and offsets. */
void noise_model_sharpen(struct noise_model *model, double factor);

/* Of one row: log p(true class, given label) into out[classes], up to a constant of the row; returns the logarithm of
 * their sum. `evidence` is [source * classes + class]. */
double noise_model_row(const struct noise_model *model, const double *evidence, uint32_t given, double *out);
/* out[true * classes + given]: log p(given label | true class). */
void noise_model_log_labels(const struct noise_model *model, double *out);
/* log p(given label) of one row; `space` is for one number per class. */
double noise_model_likelihood(const struct noise_model *model, const double *evidence, uint32_t given, double *space);

#endif
