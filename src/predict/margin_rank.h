/* rank: how clearly a logistic regression classifies each row, for noise that goes by it. */
#ifndef PREDICT_MARGIN_RANK_H
#define PREDICT_MARGIN_RANK_H

#include "data/noise/noise.h"

/* Noise of the rows of smallest, or largest, margin, as options->rank_l2, rate and seed say. */
temper_status noise_by_rank(const struct dataset *data, const temper_noise_options *options, bool largest,
                            struct noise *out, temper_error *error);

#endif
