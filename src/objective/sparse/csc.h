/* csc: a sparse matrix in compressed sparse columns, the transpose of the CSR rows. A gradient of many columns does not
 * fit the cache, and adding rows to it would touch memory at random; column by column each sum is written once. */
#ifndef OBJECTIVE_CSC_H
#define OBJECTIVE_CSC_H

#include "data/dataset.h"
#include "kernel/sparse/sparse_products.h"

/* Columns are processed in groups with about equally many entries, the unit of work of a thread. */
enum { CSC_GROUPS = 64 };

struct csc_matrix {
    uint64_t *start; /* [columns + 1] used: entries [start[j], start[j + 1]) are those of column j */
    uint32_t *row;   /* of each entry, ascending within a column */
    float *value;    /* or, if the CSR matrix has doubles, */
    double *value64;
    size_t columns;
    size_t first; /* MPI: index of the first of these columns */
    uint64_t nonzeros;
    size_t group[CSC_GROUPS + 1]; /* the first column of each group, and the end */
    size_t *bounds;               /* MPI: the first column of each process, and the end */
    struct disk_array *disk;      /* temporary files that hold the entries, and their pages; else NULL */
    struct page_window *pages;
};

/* At most UINT32_MAX rows. If the entries would take too much of a memory limit (0: none), they are stored in temporary
 * files. False: no memory, or out->disk has failed; csc_free is called in any case. */
bool csc_make(const struct matrix *x, uint64_t memory, struct csc_matrix *out);
/* Bytes of memory that it uses with so many threads. */
double csc_bytes(const struct matrix *x, uint64_t memory, size_t threads);
/* MPI: each process receives some columns, with about equally many entries, of the rows of all processes. csc_free is
 * called in any case. */
temper_status csc_distribute(const struct dataset *data, struct csc_matrix *out, temper_error *error);
void csc_free(struct csc_matrix *csc);
/* Frees the entries, which are in memory; `first`, `columns` and `bounds` stay. */
void csc_drop(struct csc_matrix *csc);

struct csc_group {
    size_t from, to;            /* columns */
    struct sparse_rows entries; /* in the form of CSR rows: the "columns" are row indices */
};
struct csc_group csc_group(const struct csc_matrix *csc, size_t group);
/* Announces that the entries of the group are about to be read from a temporary file. */
void csc_expect(const struct csc_matrix *csc, const struct csc_group *group);

/* Fills `group` from `start`. */
void csc_divide(struct csc_matrix *csc);

/* The two steps of a counting sort by column. The first fills start[column + 2] with the end of each column; the second
 * places the entries of columns [from, end), in the order of the rows, and advances start[column + 1] from the
 * beginning of the column to its end, which is where the next column begins. */
void csc_count(const struct matrix *x, struct csc_matrix *to);
void csc_fill(const struct matrix *x, struct csc_matrix *to, size_t from, size_t end);
/* Whether temporary files are needed; and csc_make with them. */
bool csc_uses_disk(const struct matrix *x, uint64_t memory);
bool csc_disk_make(const struct matrix *x, uint64_t memory, struct csc_matrix *out);

#endif
