/* gather_rows: MPI: all rows of dense data in every process (an all-gather), for data that is so small that each of
 * them computes the same from it. */
#ifndef DATA_GATHER_ROWS_H
#define DATA_GATHER_ROWS_H

#include "data/dataset.h"

/* A copy of the rows, labels and weights of all processes, with classes and names, as a single process without a memory
 * limit has them; without lines. The data is dense and has labels. All processes have to call it. */
temper_status gather_rows(const struct dataset *data, struct dataset **out, temper_error *error);

#endif
