/* group_inside: what the files of the group share.
 *
 * Requests are taken in chunks. The weights of a chunk are the columns of one matrix, so that a
 * block of rows is multiplied with all of them at once, and so are their residuals with the block.
 * From activations to residuals it goes column by column. */
#ifndef OBJECTIVE_MULTI_OBJECTIVE_INTERNAL_H
#define OBJECTIVE_MULTI_OBJECTIVE_INTERNAL_H

#include "data/dist/row_partition.h"
#include "objective/batch/multi_objective.h"
#include "objective/blocks.h"
#include "objective/sparse/csc.h"

/* Columns of x between vectors of their own and those of a chunk are turned so many at a time,
 * which stay in the cache. */
enum { GROUP_TURN = 64 };

struct member {
    struct margin_source losses;
    double l2;
    const uint32_t *partition; /* NULL: every row counts */
    uint32_t part;
    double weight_sum;
};

/* A request. */
struct column {
    struct multi_request *request;
    const struct member *member;
    double bias;
    size_t side;
};

/* Some rows count, the others do not: many members have that in common. */
struct side {
    const uint32_t *partition;
    uint32_t part;
};

struct chunk {
    struct column column[GROUP_WIDTH];
    size_t count;
    size_t evaluated; /* how many want a gradient; they come first */
    struct side side[GROUP_WIDTH];
    size_t sides;
};

/* Sums of a part, one behind the other. */
struct multi_sums {
    double *number;    /* [GROUP_WIDTH] of the losses, or of the squares */
    double *intercept; /* [GROUP_WIDTH] */
    double *gradient;  /* [column of x * evaluated + column of the chunk] */
};

struct multi_scratch {
    void *rows, *linear;         /* as the kernels want them; sparse: numbers row by row, none */
    void *activation, *residual; /* [column * stride + row], in the type of the sums */
    double *number[4];           /* a row each: margins, values, slopes; unused */
    double *pull;                /* [side * stride + row], as kernel/column.h wants it */
};

struct group {
    struct multi_spec spec;
    const struct kernel *kernel;
    const struct matrix *x;
    size_t rows, columns, size;
    bool fold; /* scaling goes into the weights, not into the rows */
    struct member *member;
    size_t members;
    struct margin_table **table; /* different ones */
    size_t tables;
    struct row_partition parts; /* of all processes; taken together they are the group's: */
    size_t *first;              /* the first one of each process, and their number behind */
    struct cut cut;             /* those of this one */
    size_t stride;
    struct multi_sums *sums; /* a part each, */
    double **vectors_of;     /* where they begin, */
    double *numbers;         /* and all of them */
    struct multi_sums total;
    size_t workers;
    struct multi_scratch *scratch; /* a worker each */
    struct chunk chunk;            /* the one at work, */
    void *weights;                 /* and its weights: [column of x * count + column] */
    /* Sparse data with many columns: gradients are made of residuals, [row * evaluated + column],
     * and the turned matrix; else NULL. */
    bool transposed;
    double *residual;
    double *all_residuals;    /* those of all processes; NULL: there is only one */
    struct csc_matrix turned; /* of several processes each has some columns, of all rows */
};

/* A part of a pass, and the thread's own space for it. */
struct multi_work {
    const struct group *group;
    struct multi_sums *sums;
    const struct multi_scratch *scratch;
};

/* The weights of the chunk, as the rows that the kernels see want them. */
void multi_pack_f32(struct group *group);
void multi_pack_f64(struct group *group);
/* From the activations of a block to its residuals. */
void multi_columns_f64(const struct multi_work *work, struct span span);
/* One part of a pass; each is for data of its kind. */
void multi_part_sparse(const struct multi_work *work, size_t part);
void multi_part_f32(const struct multi_work *work, size_t part);
void multi_part_f64(const struct multi_work *work, size_t part);
/* The turned matrix and room for residuals; then the gradients that wait for it. */
temper_status multi_transpose(struct group *group, temper_error *error);
temper_status multi_csc_gradient(struct group *group, size_t threads, temper_error *error);

#endif
