/* noise: adds noise to the labels or features of a dataset on purpose, as in section 7 of the paper.
 *
 * Nothing is changed in place: each kind makes a list of changes, and noise_apply a dataset from
 * it. A rate is a share of all rows: exactly round(rate * rows) of them change, or it is an error.
 * The changes are a pure function of data, seed and rate; with the same seed a higher rate changes the same rows and
 * more (though a pool may then give them other features). */
#ifndef DATA_NOISE_H
#define DATA_NOISE_H

#include "data/dataset.h"

#define NO_ROW UINT64_MAX

/* One row that changed. */
struct label_change {
    uint64_t row;
    uint32_t was, is; /* its label; the same for instance noise */
    uint64_t from;    /* instance noise: the row that its features come from, else NO_ROW */
};

/* The changes, ascending by row. */
struct noise {
    struct label_change *change;
    size_t count;
};

/* Label noise: each chosen row gets another class, uniformly. */
temper_status noise_random(const struct dataset *data, double rate, uint64_t seed, struct noise *out,
                           temper_error *error);
/* Class k becomes the next one, the last the first; or as `map` says: "A=B,...", rows of other
 * classes staying as they are. */
temper_status noise_pair(const struct dataset *data, double rate, const char *map, uint64_t seed, struct noise *out,
                         temper_error *error);
/* Each row draws its class from the row of its class in a transition matrix (class-conditional noise): a CSV file of
 * C lines of C numbers, classes in their order, or in that of a first line with their names. */
temper_status noise_transition(const struct dataset *data, const char *path, uint64_t seed, struct noise *out,
                               temper_error *error);

/* Instance noise: each chosen row keeps its label and gets the features of a row of another class:
 * of a row of `pool` whose class `data` does not have, none twice before all were used; without a
 * pool, of a row of `data` itself. */
temper_status noise_instance(const struct dataset *data, const struct dataset *pool, double rate, uint64_t seed,
                             struct noise *out, temper_error *error);

/* Predictions of a classifier. */
struct margins {
    const double *margin;      /* above 0: the row is classified correctly, and how clearly */
    const uint32_t *runner_up; /* the class that comes next; NULL if there are only two */
};

/* Adversarial label noise: the correctly classified rows of the smallest, or largest, margin get
 * the runner-up's label. */
temper_status noise_margin(const struct dataset *data, struct margins margins, double rate, bool largest,
                           struct noise *out, temper_error *error);

/* The noisy dataset. Label noise borrows the features, so `data` must live as long. `pool` is that
 * of noise_instance. */
temper_status noise_apply(const struct dataset *data, const struct dataset *pool, const struct noise *noise,
                          struct dataset **out, temper_error *error);
void noise_free(struct noise *noise);

#endif
