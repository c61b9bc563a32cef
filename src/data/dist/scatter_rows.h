/* share: which rows a process keeps of data that several of them read. */
#ifndef DATA_SCATTER_ROWS_H
#define DATA_SCATTER_ROWS_H

#include "data/dataset.h"

/* Which rows of all a process keeps; `data` has all of them. */
struct row_range {
    uint64_t from, to;
};
struct row_range scatter_range(const struct dataset *data, const temper_comm *comm);

/* Every process has all rows; each keeps those of its parts (data/parts.h). Changes nothing where a
 * process is alone. */
temper_status scatter_rows(struct dataset *data, const temper_comm *comm, temper_error *error);

/* The notes of all processes in their order, as one text; freed by mem_free. */
temper_status scatter_notes(const struct dataset *data, const temper_comm *comm, char **out, temper_error *error);

/* TEMPER_USAGE where other processes hold other rows, which `what` cannot do with. */
temper_status scatter_refuse(const struct dataset *data, const char *what, temper_error *error);

#endif
