/* label_noise: how often each class is labelled as another, estimated by an audit and kept in a model. */
#ifndef AUDIT_LABEL_NOISE_H
#define AUDIT_LABEL_NOISE_H

#include "data/dataset.h"
#include "model/model.h"
#include "temper_extra.h"

/* Refuses what the audit would refuse, with the options of the training. For callers to check before a long training.
 */
temper_status label_noise_check(const struct dataset *data, const temper_train_options *options, temper_error *error);

/* Audits the training rows with the loss and the penalty of the model, sets model->noise, and appends warnings. The
 * loss must have two temperatures. The progress of `options` is not called; that of `progress` is, unless it is NULL.
 * TEMPER_INTERRUPTED: the caller has asked to stop, and the model is unchanged. */
struct label_noise_progress {
    temper_tune_progress_fn *call;
    void *context;
};
temper_status label_noise_estimate(const struct dataset *data, const temper_train_options *options,
                                   struct label_noise_progress progress, struct model *model, temper_warnings *warnings,
                                   temper_error *error);

#endif
