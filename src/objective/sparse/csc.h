/* turned: a sparse matrix column by column, for gradients that are too large to be added to at
 * random. */
#ifndef OBJECTIVE_CSC_H
#define OBJECTIVE_CSC_H

#include "data/dataset.h"
#include "kernel/sparse/sparse_products.h"

/* Columns are worked through in groups that have about as many entries each. */
enum { TURNED_GROUPS = 64 };

struct turned {
    uint64_t *start; /* of each column; what lies between two of them are its entries, */
    uint32_t *row;   /* ascending */
    float *value;    /* or, where the values of the matrix are doubles, */
    double *value64;
    size_t columns;
    size_t first; /* of these columns among all */
    uint64_t nonzeros;
    size_t group[TURNED_GROUPS + 1]; /* the first column of each, and their number behind */
    size_t *bounds; /* several processes: the first column of each, and their number behind */
    struct spill
        *spill; /* where the entries are if not in memory, and the pages of it; else NULL */
    struct pages *pages;
};

/* At most UINT32_MAX rows. With a limit of memory (0: none) that it would take too much of, the
 * entries are in temporary files. False: no memory, or out->spill has failed; what there is, is
 * freed by turned_free in any case. */
bool turned_make(const struct matrix *x, uint64_t memory, struct turned *out);
/* Bytes of memory that it takes, with so many threads. */
double turned_bytes(const struct matrix *x, uint64_t memory, size_t threads);
/* Several processes: each has some columns, about as many entries, of the rows of all, which are
 * numbered through. To be freed in any case. */
temper_status turned_share(const struct dataset *data, struct turned *out, temper_error *error);
void turned_free(struct turned *turned);
/* Frees the entries, where they are in memory; `first`, `columns` and `bounds` stay. */
void turned_drop(struct turned *turned);

struct turned_group {
    size_t from, to;            /* columns */
    struct sparse_rows entries; /* as rows, whose columns are row numbers */
};
struct turned_group turned_group(const struct turned *turned, size_t group);
/* The entries of the group are about to be read. */
void turned_expect(const struct turned *turned, const struct turned_group *group);

/* Finds the groups, once `start` is what it will be. */
void turned_divide(struct turned *turned);

/* The counting sort: where each column begins, two places further on; then the entries of columns
 * [from, end), rows in their order. start[column + 1] is where the next one goes, and in the end
 * where the column behind it begins. */
void turned_count(const struct matrix *x, struct turned *to);
void turned_fill(const struct matrix *x, struct turned *to, size_t from, size_t end);
/* The way through temporary files, and whether it is taken. */
bool turned_spills(const struct matrix *x, uint64_t memory);
bool turned_spill_make(const struct matrix *x, uint64_t memory, struct turned *out);

#endif
