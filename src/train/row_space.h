/* row_space: fewer rows than features: the same problem with as many features as rows.
 *
 * The gradient of the loss is a combination of the rows, so that weights which begin at 0 stay one, w = X'a, wherever
 * a solver goes by gradients, Hessians and an L2 penalty; the minimum is one too (representer theorem). With X X' = L
 * L' and v = L'a, scores are X w = L v, and |w| = |v|: a training on the rows of L, whose features are as many as there
 * are rows, minimises the same function, with the same gradient norms. Then w = X' L'^-1 v. */
#ifndef TRAIN_ROW_SPACE_H
#define TRAIN_ROW_SPACE_H

#include "train/scaled_features.h"

struct row_space;

/* Whether the data of all processes is such that its rows may have such a space at all: dense, with clearly more
 * features than rows, and so small that each process can hold all of it, whatever memory limit there is. */
bool row_space_exists(const struct dataset *data);
/* And whether it has few enough rows. */
bool row_space_fits(const struct dataset *data);
/* Of the factor, which lives as long as the space; 0 where it does not fit. */
double row_space_bytes(const struct dataset *data);

/* *out is NULL where the products of the rows have no factor, as those of rows that are all 0. The features are
 * borrowed; all rows are in this process. */
temper_status row_space_new(const struct scaled_features *features, size_t threads, struct row_space **out,
                            temper_error *error);
void row_space_free(struct row_space *space);

/* The rows of L with the labels, weights and classes of the data. */
const struct dataset *row_space_data(const struct row_space *space);

/* Weights of the scaled features from weights of that data, each [feature * vectors + k]; and intercepts behind. */
temper_status row_space_weights(const struct row_space *space, struct solution v, double *w, temper_error *error);

#endif
