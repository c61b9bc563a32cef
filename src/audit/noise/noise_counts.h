/* noise_counts: which class is labelled as which, from the probabilities of a model that has learnt from such labels.
 *
 * A model that is fitted to noisy labels predicts these: where 40 % of class c are called g, the probabilities of its
 * rows are about 0.6 and 0.4, and the likelihood is highest without any noise. So the transition table is counted
 * instead, as in C. G. Northcutt, L. Jiang and I. L. Chuang, "Confident learning" (2021): among the surer half of the
 * rows that are predicted as c, the share with the label g. The probabilities of the true class are then those whose
 * product with the table is nearest to the probabilities of the model. For more than two classes. */
#ifndef AUDIT_NOISE_COUNTS_H
#define AUDIT_NOISE_COUNTS_H

#include "audit/noise/noise_model.h"

struct noise_counts_rows {
    const double *probability; /* [row * classes + class] */
    const uint32_t *given;
    size_t rows, classes, threads;
};

/* If the counts show that wrong labels keep to certain pairs of classes: fills evidence[row * classes + class] with the
 * logarithms of the probabilities of the true class, which are the one source of the model *out with the table, that
 * the caller frees, and sets *gain to the nats by which the table is likelier than uniform noise. Otherwise *gain is 0.
 */
temper_status noise_counts_fit(const struct noise_counts_rows *rows, double *evidence, struct noise_model *out,
                               double *gain, temper_error *error);

#endif
