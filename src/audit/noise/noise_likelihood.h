/* noise_likelihood: how likely the given labels of all rows are, given the parameters of a noise model, and the
 * derivatives of that: where nearly all of the time of an estimate is spent.
 *
 * Rows are in blocks, which the threads share. All rows of a block have the same given label, so that the probability
 * of this label, given the true class, is one number for each class; only with more than NOISE_CLASSES classes, where
 * noise is uniform, are the labels of a block mixed. In a block evidence is class-major: the vector kernels run along
 * the rows. */
#ifndef AUDIT_NOISE_LIKELIHOOD_H
#define AUDIT_NOISE_LIKELIHOOD_H

#include "audit/noise/noise_model.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"

enum { NOISE_BLOCK = 128 }; /* rows at most, a multiple of NOISE_PAD */

struct noise_block {
    size_t first;  /* of its rows, among all, each block being padded to its stride */
    size_t rows;   /* without padding */
    size_t stride; /* the rows, rounded up to NOISE_PAD */
    uint32_t given;
};

/* A fit in progress. Parameters are the roots of the slopes, which keeps these positive, the offsets of all classes but
 * the first, and the log odds of the rate if that is free.
 *
 * Two kinds of models: labels with noise, and `correct` labels that the evidence predicts less well than the softmax
 * says. The latter have a slope for each class, and a temperature of the softmax, above which its tails are heavy. */
struct noise_fit {
    const struct noise_rows *rows;
    double unit[NOISE_SOURCES]; /* root mean square deviations of the sources within a row */
    size_t slopes;              /* of each source: 1 for all classes, or one for each */
    size_t offsets;             /* classes - 1, or 0 */
    const double
        *transition; /* fixed, [true * classes + given]; NULL: uniform noise, of this rate unless it is free: */
    bool free_rate;
    double log_odds;
    double weight;      /* of a row: the number of rows that it stands for, for those who use the sums */
    bool correct;       /* there is no noise */
    double temperature; /* t2 of the softmax, 1 with noise */
    const struct kernel *kernel;
    struct noise_block *block;
    size_t blocks, padded; /* rows with all padding */
    bool mixed;            /* the labels of a block differ */
    /* Of each block from first * sources * classes on: [(source * classes + class) * stride + row]; the padding is 0.
     */
    double *evidence;
    uint32_t *given; /* [first + row] */
    struct thread_team team;
    double *scratch; /* of each thread, for one block, two arrays [class * stride + row]: see struct block_work */
    double *sums;    /* of each block, of its log likelihood and the derivatives */
    struct noise_binary *binary; /* of two classes; NULL: there are more */
};

/* The largest rate considered. At (C - 1) / C, labels are independent of the true class; beyond, a label would be
 * evidence against its class. */
double noise_most_rate(size_t classes);
/* A rate by its log odds relative to the largest one. */
double noise_rate_of(size_t classes, double log_odds);

/* Copies the rows into blocks, and sets everything that depends on the rows alone. noise_fit_free is called also after
 * a failure. */
temper_status noise_fit_new(const struct noise_rows *rows, struct noise_fit *out, temper_error *error);
void noise_fit_free(struct noise_fit *fit);

/* The same parameters, table and kind of model as of another fit. */
void noise_fit_take_settings(struct noise_fit *fit, const struct noise_fit *of);

/* The number of parameters without the rate. */
size_t noise_shared_parameters(const struct noise_fit *fit);
/* Fills prior[first * classes + class * stride + row] of each block with the probabilities of the true classes. Of two
 * classes prior[first + row] instead: the probability that the true class is the given label. For labels that are not
 * mixed. */
temper_status noise_fill_priors(const struct noise_fit *fit, const double *w, double *prior);
/* joint[true * classes + given]: expected rows, from such probabilities and a table. */
temper_status noise_fill_joint(const struct noise_fit *fit, const double *prior, const double *transition,
                               double *joint);
/* The mean probability of the likeliest true class. */
double noise_certainty(const struct noise_fit *fit, const double *w);

/* *loss becomes minus the log likelihood of the given labels, *gradient, which has the size of w, its derivatives. */
temper_status noise_log_loss(const struct noise_fit *fit, const double *w, double *loss, double *gradient);

#endif
