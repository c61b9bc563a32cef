/* pilots: a short training on all rows, of whose metric the fits make use that leave some out.
 *
 * Each fit would take second moments of nearly the same rows, twice; with many classes that takes
 * longer than all else it does. A metric changes the way, not what is minimised: it need not be
 * exact, and rows that a fit must not see have no other part in it. Losses with several optima go
 * the way of a training of their own: first in the metric of W = 0. */
#ifndef TRAIN_PRECONDITIONER_SHARED_H
#define TRAIN_PRECONDITIONER_SHARED_H

#include "search/many_fits.h"
#include "train/train_state.h"

/* Whether the fit takes its steps in the metric of a pilot: those do that leave rows out, have many
 * classes, and a metric at all. */
bool shared_preconditioner_suits(const struct fits_job *job, const struct fit_spec *fit);

/* Whoever waits for a pilot, and on how many threads it runs. */
struct pilot_progress {
    temper_train_progress_fn *on_progress;
    void *context;
    size_t threads;
};

/* To be freed by shared_preconditioner_free, whatever the status. *finished is false where `watch`
 * ended it. Without factors where there are none: all features 0, say. */
temper_status shared_preconditioner_fit(const struct fits_job *job, const struct fit_spec *fit,
                                        struct pilot_progress watch, struct shared_preconditioner *out, bool *finished,
                                        temper_error *error);
void shared_preconditioner_free(struct shared_preconditioner *pilot);

struct shared_preconditioners;

/* One for each loss and penalty that several fits share, as far as memory goes: a fit without one
 * can have its own, which is the same. */
temper_status shared_preconditioners_new(const struct fits_job *job, struct pilot_progress watch,
                                         struct shared_preconditioners **out, bool *finished, temper_error *error);
void shared_preconditioners_free(struct shared_preconditioners *pilots);
/* For the fit of that number; NULL: there is none. */
const struct shared_preconditioner *shared_preconditioners_find(const struct shared_preconditioners *pilots,
                                                                size_t fit);

/* At most, of any job of so many fits on such data. */
double shared_preconditioners_most_bytes(const struct dataset *data, size_t fits);

#endif
