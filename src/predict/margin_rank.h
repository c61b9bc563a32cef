/* margin_rank: label noise on the rows of smallest or largest margin of a logistic regression. */
#ifndef PREDICT_MARGIN_RANK_H
#define PREDICT_MARGIN_RANK_H

#include "data/noise/noise.h"
#include "temper_extra.h"

/* Fits a logistic regression with options->rank_l2, and draws noise on the rows of smallest or largest margin. */
temper_status noise_by_rank(const struct dataset *data, const temper_noise_options *options, bool largest,
                            struct noise *out, temper_error *error);

#endif
