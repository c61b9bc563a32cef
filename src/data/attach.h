/* attach: names and weights that the caller's arrays come with. */
#ifndef DATA_ATTACH_H
#define DATA_ATTACH_H

#include "data/dataset.h"

/* New names for all classes, in their order. Two that mean the same, as 1 and 1.0 do, are refused.
 */
temper_status dataset_name_classes(struct dataset *data, const char *const *names, temper_error *error);
/* One for each column. */
temper_status dataset_name_features(struct dataset *data, const char *const *names, temper_error *error);
/* One for each row, multiplied with those that are there. */
temper_status dataset_set_weights(struct dataset *data, const double *weights, temper_error *error);

#endif
