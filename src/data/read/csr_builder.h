/* csr_builder: rows of a sparse matrix (CSR) while they are being read. */
#ifndef DATA_CSR_BUILDER_H
#define DATA_CSR_BUILDER_H

#include "data/dataset.h"

/* Whether rows begin with a label: all do, or none. */
enum sparse_labels { SPARSE_NO_ROWS, SPARSE_LABELLED, SPARSE_UNLABELLED };

struct csr_builder {
    struct disk_array *spill; /* where the arrays are; NULL: in memory */
    uint64_t *row_start;      /* rows + 1 of them, once there is space for any */
    uint32_t *label;          /* of each row, in `classes` */
    uint64_t *line;           /* the line of each row, counted from the first line of its text */
    uint32_t *column;
    float *value;
    size_t rows, row_capacity;
    size_t nonzeros, capacity;
    enum sparse_labels labels; /* as the first row has, complete or not */
    size_t label_column;       /* where in its line */
    uint64_t columns;          /* the largest index seen, + 1 */
    struct classes classes;
    uint32_t *place; /* the numbers of its classes in the rows that it was appended to */
    size_t placed;
    bool qid; /* some row had one */
};

/* One label too many, with MOST_CLASSES: reported when a chunk is parsed, or when it is appended. */
#define SPARSE_TOO_MANY "more than %s different labels; begin lines with a class, not an identifier"

/* Reserves space for so many more rows and entries; false without memory, and nothing is lost. Capacities double, and
 * pages that are never touched take no memory. */
bool csr_builder_reserve(struct csr_builder *rows, size_t more_rows, size_t more_entries);

/* Reserves space for so many rows and entries in all, which will probably come; does nothing without memory. */
void csr_builder_expect(struct csr_builder *rows, size_t all_rows, size_t all_entries);

/* Adds copies of the rows of `chunk`, whose lines begin `lines_before` further down. A chunk is
 * always added to the same rows. */
temper_status csr_builder_append(struct csr_builder *rows, struct csr_builder *chunk, uint64_t lines_before,
                                 temper_error *error);

/* Removes the rows and keeps the memory and the classes: those of the next rows are mostly the same. */
void csr_builder_clear(struct csr_builder *rows);
void csr_builder_free(struct csr_builder *rows);

/* Moves everything to an empty dataset. */
void csr_builder_move(struct csr_builder *rows, struct dataset *data);

#endif
