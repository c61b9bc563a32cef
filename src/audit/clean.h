/* clean: training rows of which an audit has removed, down-weighted or relabelled those that it does not believe. */
#ifndef AUDIT_CLEAN_H
#define AUDIT_CLEAN_H

#include "audit/label_noise.h"
#include "data/dataset.h"
#include "temper_extra.h"

struct cleaned_rows {
    struct dataset *data; /* borrows the features of the given rows */
    size_t changed;       /* rows that were dropped or relabelled, or have less than half of their weight */
    double wrong;         /* labels that the audit expects to be wrong */
    double seconds;
    temper_warnings warnings; /* of the audit */
};

/* Refuses an unknown word. */
temper_status clean_check(const temper_train_options *options, temper_error *error);

/* Audits the rows with the defaults of an audit, and as options->clean says drops the listed rows ("drop": weight 0, so
 * that the others keep their places), gives them their suggested labels ("relabel"), or multiplies the weight of every
 * row by the probability that its label is right ("weigh"). A class that would lose its last row keeps all of
 * them. TEMPER_INTERRUPTED: the caller has asked to stop. The caller frees out->data, which is NULL after a
 * failure. */
temper_status clean_labels(const struct dataset *data, const temper_train_options *options,
                           struct label_noise_progress progress, struct cleaned_rows *out, temper_error *error);

#endif
