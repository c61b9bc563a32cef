/* scatter_rows: MPI: which rows a process keeps of data that every process has read. One process alone keeps all: the
 * inline functions below return at once. */
#ifndef DATA_SCATTER_ROWS_H
#define DATA_SCATTER_ROWS_H

#include "data/dataset.h"

/* Rows [from, to) that a process keeps; `data` has all rows. */
struct row_range {
    uint64_t from, to;
};
struct row_range scatter_range(const struct dataset *data, const temper_comm *comm);

temper_status scatter_keep_own(struct dataset *data, const temper_comm *comm, temper_error *error);
/* Every process has all rows, and keeps those of its parts (row_partition.h). */
static inline temper_status scatter_rows(struct dataset *data, const temper_comm *comm, temper_error *error)
{
    return comm_alone(comm) ? TEMPER_OK : scatter_keep_own(data, comm, error);
}

/* The notes of all processes in the order of the ranks, as one text; freed by mem_free. */
temper_status scatter_notes(const struct dataset *data, const temper_comm *comm, char **out, temper_error *error);

temper_status scatter_unsupported(const struct dataset *data, const char *what, temper_error *error);
/* TEMPER_USAGE where other processes hold other rows: `what` needs all rows in one process. */
static inline temper_status scatter_refuse(const struct dataset *data, const char *what, temper_error *error)
{
    return comm_alone(data->ranks.comm) ? TEMPER_OK : scatter_unsupported(data, what, error);
}

#endif
