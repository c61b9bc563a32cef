/* memory_budget: estimates of the memory that a training will take, in bytes. */
#ifndef TRAIN_MEMORY_BUDGET_H
#define TRAIN_MEMORY_BUDGET_H

#include "data/dataset.h"

enum { HESSIAN_MOST = 512 }; /* features, where a solver of two classes makes one */

double solver_history(double size);   /* of L-BFGS, for weights of that size */
double training_vectors(double size); /* of the size of w, and the text of the model */

#endif
