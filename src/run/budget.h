/* budget: what trainings will take of memory, in bytes. */
#ifndef RUN_BUDGET_H
#define RUN_BUDGET_H

#include "data/dataset.h"
#include "run/auditing.h"
#include "run/tuning.h"

enum { HESSIAN_MOST = 512 }; /* features, where a solver of two classes makes one */

double solver_history(double size);   /* of L-BFGS */
double training_vectors(double size); /* of the size of w, and the text of the model */

/* So many trainings over the same rows; `block` as objective_bytes has it. */
double fits_bytes(const struct dataset *data, const temper_train_options *options, size_t fits,
                  size_t threads, double *block);

/* TEMPER_NO_MEMORY where it would not keep to the limit of the data. */
temper_status tuning_budget(const struct tuning *t);
temper_status audit_budget(const struct audit *audit);

#endif
