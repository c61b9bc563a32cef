/* noise_sums: sums over rows of the likelihood of labels with noise, for the noise model of an audit.
 *
 * All rows of a call have the same given label. Arrays are [... * stride + row]; lanes run along the rows. The rows
 * from `rows` to the stride are padding: read, and without effect on the sums. */
#ifndef KERNEL_NOISE_SUMS_H
#define KERNEL_NOISE_SUMS_H

#include <stddef.h>

/* Rows are padded to a multiple of NOISE_PAD; there are at most NOISE_MOST sources; probabilities of given labels are
 * at least NOISE_LEAST. */
enum { NOISE_PAD = 16, NOISE_MOST = 16 };
#define NOISE_LEAST 1e-18

/* Two classes: the probability that the true class is the label is the logistic function of the margin
 * offset + sum_k slope_k difference_k. */
struct noise_margins {
    size_t rows, stride, sources;
    const double *difference; /* [source * stride + row] */
    const double *slope;      /* of each source */
    double offset;
    double same, other; /* the probability of the label if it is the true class, and if it is not */
};

/* Derivatives of the log likelihood of the labels by slopes, offset and the two probabilities. */
struct noise_margin_sums {
    double *by_slope; /* [sources] */
    double by_offset, by_same, by_other, log_likelihood;
};

/* More classes: the true class has the probabilities softmax(offset_c + sum_k slope_k evidence_kc). */
struct noise_scores {
    size_t rows, stride, sources, classes;
    const double *evidence; /* [(source * classes + class) * stride + row] */
    const double *slope;    /* of each source */
    const double *offset;   /* of each class */
    const double *chance;   /* of each class: the probability of the label if that is the true class */
    double *space;          /* NOISE_SPACE numbers for each class */
};
enum { NOISE_SPACE = 3 * NOISE_PAD };

/* Derivatives of the log likelihood of the labels by slopes, offsets and chances. */
struct noise_score_sums {
    double *by_slope, *by_offset, *by_chance;
    double log_likelihood;
};

struct noise_kernels {
    void (*margins)(const struct noise_margins *rows, struct noise_margin_sums *sums);
    /* The same of labels that are the true classes (same = 1, other = 0), without a least probability. by_same and
     * by_other become 0. */
    void (*margins_correct)(const struct noise_margins *rows, struct noise_margin_sums *sums);
    /* Fills margin[stride]. */
    void (*margin_values)(const struct noise_margins *rows, double *margin);
    /* by_slope[sources]: the sums of slope[row] * difference over the stride. */
    void (*margin_dots)(const struct noise_margins *rows, const double *slope, double *by_slope);
    /* Fills own[stride] with the probabilities that the true class is the label. */
    void (*margin_priors)(const struct noise_margins *rows, double *own);
    /* The expected number of rows whose label is the true class, by such probabilities. */
    double (*margin_joint)(const struct noise_margins *rows, const double *own);
    void (*scores)(const struct noise_scores *rows, struct noise_score_sums *sums);
    /* Fills prior[class * stride + row] with the probabilities of the true classes. */
    void (*score_priors)(const struct noise_scores *rows, double *prior);
    /* joint[classes]: the expected number of rows of each true class, by such probabilities. */
    void (*score_joint)(const struct noise_scores *rows, const double *prior, double *joint);
};

/* The reference: one row after another, by the functions of the C library. */
extern const struct noise_kernels noise_plain, noise_avx2, noise_avx512, noise_neon, noise_wasm128;

#endif
