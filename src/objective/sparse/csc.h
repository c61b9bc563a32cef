/* turned: a sparse matrix column by column, for gradients that are too large to be added to at
 * random. */
#ifndef OBJECTIVE_CSC_H
#define OBJECTIVE_CSC_H

#include "data/dataset.h"
#include "kernel/sparse/sparse_products.h"

/* Columns are worked through in groups that have about as many entries each. */
enum { TURNED_GROUPS = 64 };

struct csc_matrix {
    uint64_t *start; /* of each column; what lies between two of them are its entries, */
    uint32_t *row;   /* ascending */
    float *value;    /* or, where the values of the matrix are doubles, */
    double *value64;
    size_t columns;
    size_t first; /* of these columns among all */
    uint64_t nonzeros;
    size_t group[TURNED_GROUPS + 1]; /* the first column of each, and their number behind */
    size_t *bounds;                  /* several processes: the first column of each, and their number behind */
    struct disk_array *spill;        /* where the entries are if not in memory, and the pages of it; else NULL */
    struct page_window *pages;
};

/* At most UINT32_MAX rows. With a limit of memory (0: none) that it would take too much of, the
 * entries are in temporary files. False: no memory, or out->spill has failed; what there is, is
 * freed by csc_free in any case. */
bool csc_make(const struct matrix *x, uint64_t memory, struct csc_matrix *out);
/* Bytes of memory that it takes, with so many threads. */
double csc_bytes(const struct matrix *x, uint64_t memory, size_t threads);
/* Several processes: each has some columns, about as many entries, of the rows of all, which are
 * numbered through. To be freed in any case. */
temper_status csc_distribute(const struct dataset *data, struct csc_matrix *out, temper_error *error);
void csc_free(struct csc_matrix *turned);
/* Frees the entries, where they are in memory; `first`, `columns` and `bounds` stay. */
void csc_drop(struct csc_matrix *turned);

struct csc_group {
    size_t from, to;            /* columns */
    struct sparse_rows entries; /* as rows, whose columns are row numbers */
};
struct csc_group csc_group(const struct csc_matrix *turned, size_t group);
/* The entries of the group are about to be read. */
void csc_expect(const struct csc_matrix *turned, const struct csc_group *group);

/* Finds the groups, once `start` is what it will be. */
void csc_divide(struct csc_matrix *turned);

/* The counting sort: where each column begins, two places further on; then the entries of columns
 * [from, end), rows in their order. start[column + 1] is where the next one goes, and in the end
 * where the column behind it begins. */
void csc_count(const struct matrix *x, struct csc_matrix *to);
void csc_fill(const struct matrix *x, struct csc_matrix *to, size_t from, size_t end);
/* The way through temporary files, and whether it is taken. */
bool csc_uses_disk(const struct matrix *x, uint64_t memory);
bool csc_disk_make(const struct matrix *x, uint64_t memory, struct csc_matrix *out);

#endif
