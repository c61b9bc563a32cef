/* sparse_rows: rows of a sparse matrix while they are being read. */
#ifndef DATA_SPARSE_ROWS_H
#define DATA_SPARSE_ROWS_H

#include "data/dataset.h"

struct sparse_rows {
    uint64_t *row_start; /* rows + 1 of them, once there is room for any */
    uint32_t *label;     /* of each row, in `classes`; rows without a label count in `unlabelled` */
    uint64_t *line;      /* the line of each row, counted from the first line of its text */
    uint32_t *column;
    float *value;
    size_t rows, row_room;
    size_t nonzeros, room;
    uint64_t unlabelled;
    uint64_t columns; /* the largest index seen, + 1 */
    struct classes classes;
    bool qid; /* some row had one */
};

/* Room for so many rows and entries more; false, and nothing lost, without memory. Capacity
 * doubles, and what is never touched takes no memory. */
bool sparse_rows_reserve(struct sparse_rows *rows, size_t more_rows, size_t more_entries);

/* Adds copies of the rows of `piece`, whose lines begin `lines_before` further down. */
temper_status sparse_rows_append(struct sparse_rows *rows, const struct sparse_rows *piece,
                                 uint64_t lines_before, temper_error *error);

/* Forgets the rows and keeps the memory. */
void sparse_rows_clear(struct sparse_rows *rows);
void sparse_rows_free(struct sparse_rows *rows);

/* Hands everything over to an empty dataset. */
void sparse_rows_move(struct sparse_rows *rows, struct dataset *data);

#endif
