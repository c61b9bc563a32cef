/* roll: labels and weights of all rows, whoever holds their features.
 *
 * What is drawn, ranked or counted over all rows at once is done by every process, on the same
 * numbers: these few bytes a row are what it takes. */
#ifndef DATA_GATHER_LABELS_H
#define DATA_GATHER_LABELS_H

#include "data/dataset.h"

struct gathered_labels {
    const temper_comm *comm;
    size_t rows;       /* of all */
    size_t first, own; /* those of this process among them */
    uint64_t *rows_of; /* each process; NULL: there is only one */
    const uint32_t *label;
    const double *weight;    /* NULL: all 1 */
    uint32_t *gathered;      /* where these are copies, */
    double *gathered_weight; /* else NULL */
};

/* The data, with labels, is borrowed. */
temper_status gathered_labels_needed(const struct dataset *data, struct gathered_labels *out, temper_error *error);
void gathered_labels_free(struct gathered_labels *roll);

/* One entry of so many bytes a row, of all processes; `all` may not be `mine`. */
temper_status gather_labels(const struct gathered_labels *roll, const void *mine, size_t size, void *all,
                            temper_error *error);

/* As if all rows were here, for who looks at labels and weights alone: borrowed, not to be freed.
 */
struct dataset gathered_labels_dataset(const struct gathered_labels *roll, const struct dataset *data);

#endif
