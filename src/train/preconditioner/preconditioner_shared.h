/* preconditioner_shared: the preconditioners of a pilot fit on all rows, shared with the fits that leave some rows out.
 *
 * Each such fit would add up Gram matrices of nearly the same rows, twice; with many classes that takes longer than
 * everything else it does. A preconditioner changes the path of the optimiser and not what is minimised: it need not be
 * exact, and rows that a fit must not see have no other part in it. Losses with several optima follow the path of a
 * training of their own: first with the preconditioner of W = 0. */
#ifndef TRAIN_PRECONDITIONER_SHARED_H
#define TRAIN_PRECONDITIONER_SHARED_H

#include "train/preconditioner/preconditioner.h"
#include "train/scaled_features.h"

struct shared_preconditioner {
    struct preconditioner initial; /* of W = 0, for the first iterations; kind NONE: the other from the beginning */
    struct preconditioner later;   /* of the weights after these iterations */
};

/* What all pilot fits have in common. */
struct pilot_spec {
    const struct scaled_features *features;
    const temper_train_options *options;   /* tolerance, solver, precision and no_intercept are used */
    temper_train_progress_fn *on_progress; /* ends a pilot fit, if it returns other than 0 */
    void *progress_context;
    size_t threads;
};

/* A fit that wants a shared preconditioner, or does not. */
struct pilot_target {
    temper_loss_spec loss;
    double l2;
    bool wanted;
};

/* Whether fits of such a loss that leave rows out should share: there are many classes, and a Gram preconditioner. */
bool shared_preconditioner_suits(temper_loss_spec loss, const struct dataset *data);

/* Whether the fits of such a loss begin with the preconditioner of W = 0: where there may be several optima. */
bool shared_preconditioner_has_initial(temper_loss_spec loss);

/* A pilot fit of that loss and penalty. *out is to be freed whatever the status. *finished is false where `follow`
 * ended it. Both kinds are NONE where there are no factors: all features 0, say. */
temper_status shared_preconditioner_fit(const struct pilot_spec *spec, const struct pilot_target *target,
                                        struct shared_preconditioner *out, bool *finished, temper_error *error);
void shared_preconditioner_free(struct shared_preconditioner *shared);

struct shared_preconditioners;

/* One for each loss and penalty that several of the targets want, as far as memory allows: a fit without one can make
 * its own, which is the same. */
temper_status shared_preconditioners_new(const struct pilot_spec *spec, const struct pilot_target *target, size_t count,
                                         struct shared_preconditioners **out, bool *finished, temper_error *error);
void shared_preconditioners_free(struct shared_preconditioners *all);
/* For the target of that number; NULL: there is none. */
const struct shared_preconditioner *shared_preconditioners_find(const struct shared_preconditioners *all,
                                                                size_t target);

/* Bytes at most, of any list of so many targets on such data. */
double shared_preconditioners_most_bytes(const struct dataset *data, size_t fits);

#endif
