/* fold_path: a path of penalties on every fold of the rows: two classes and a convex loss. */
#ifndef SEARCH_FOLD_PATH_H
#define SEARCH_FOLD_PATH_H

#include "data/dataset.h"

/* Fits every penalty to the rows outside of every fold, and fills the arrays of *path. The options are completed; their
 * loss is that of all fits, their penalties are not used. */
temper_status fold_path(const struct dataset *data, const temper_train_options *options, const temper_fold_path *path,
                        temper_error *error);

#endif
