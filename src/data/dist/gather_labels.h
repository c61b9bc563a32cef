/* gather_labels: MPI: labels and weights of all rows in every process (an all-gather); their features stay distributed.
 *
 * Splits, rankings and counts over all rows are then computed by every process on the same numbers, at the cost of a
 * few bytes a row. */
#ifndef DATA_GATHER_LABELS_H
#define DATA_GATHER_LABELS_H

#include "data/dataset.h"

struct gathered_labels {
    const temper_comm *comm;
    size_t rows;       /* of all */
    size_t first, own; /* this process's rows among them */
    uint64_t *rows_of; /* rows of each process; NULL: there is only one */
    const uint32_t *label;
    const double *weight;    /* NULL: all 1 */
    uint32_t *gathered;      /* owned copies, */
    double *gathered_weight; /* or NULL if borrowed */
};

/* The data must have labels, and outlive the result. */
temper_status gathered_labels_needed(const struct dataset *data, struct gathered_labels *out, temper_error *error);
void gathered_labels_free(struct gathered_labels *all_rows);

/* All-gathers an array with `size` bytes for each row; `all` must not be `mine`. All processes have to call it: what
 * one of them allocates before, they agree on first (comm_agree). */
temper_status gather_labels(const struct gathered_labels *all_rows, const void *mine, size_t size, void *all,
                            temper_error *error);

/* A dataset of all rows without features, for code that reads labels and weights only; borrowed, not to be freed. */
struct dataset gathered_labels_dataset(const struct gathered_labels *all_rows, const struct dataset *data);

#endif
