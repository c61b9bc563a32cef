/* train_passes: how often training reads the data, against libLBFGS. */
#ifndef TRAIN_PASSES_H
#define TRAIN_PASSES_H

#include "objective/objective.h"

/* What a minimisation took. */
struct effort {
    double passes; /* over the rows; 0: did not get there */
    double seconds;
};

/* libLBFGS with its defaults, from 0 until the gradient is `tolerance` times what it was; false if
 * it is not here. `why` is its own word for how it ended. */
int peer_lbfgs(struct objective *objective, double tolerance, struct effort *effort, const char **why);

#endif
