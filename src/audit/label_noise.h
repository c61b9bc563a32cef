/* label_noise: how often each class is labelled as another, estimated by an audit and kept in a model. */
#ifndef AUDIT_LABEL_NOISE_H
#define AUDIT_LABEL_NOISE_H

#include "data/dataset.h"
#include "model/model.h"
#include "temper_extra.h"

/* Audits the training rows with the loss and the penalty of the model, and sets model->noise. The loss must have two
 * temperatures. */
temper_status label_noise_estimate(const struct dataset *data, const temper_train_options *options, struct model *model,
                                   temper_error *error);

#endif
