/* multi_objective_internal: the structures that the files of the batched objective share.
 *
 * Requests are processed in batches. The weights of a batch are the columns of one matrix, so that a block of rows is
 * multiplied with all of them at once, and so are their residuals with the block; from scores to residuals each
 * request has its own loss. */
#ifndef OBJECTIVE_MULTI_OBJECTIVE_INTERNAL_H
#define OBJECTIVE_MULTI_OBJECTIVE_INTERNAL_H

#include "comm/tree_sum.h"
#include "data/dist/row_partition.h"
#include "objective/batch/multi_objective.h"
#include "objective/blocks.h"
#include "objective/sparse/csc.h"

/* Features that are copied at a time between the requests' vectors and the matrix of a batch: these stay in the
 * cache. */
enum { MULTI_TILE = 64 };

struct multi_member_state {
    struct margin_source losses;
    double l2;
    const uint32_t *partition; /* NULL: every row counts */
    uint32_t part;
    double weight_sum;
};

/* A request of the current batch. */
struct multi_column {
    struct multi_request *request;
    const struct multi_member_state *member;
    double bias;
    size_t subset;
};

/* The rows outside of one part of a partition: those that several members are fitted on. */
struct row_subset {
    const uint32_t *partition;
    uint32_t part;
};

struct request_batch {
    struct multi_column column[MULTI_WIDTH];
    size_t count;
    size_t evaluated; /* requests that need a gradient; they come first */
    struct row_subset subset[MULTI_WIDTH];
    size_t subsets;
};

/* Sums of a part, stored one after the other. */
struct multi_sums {
    double *number;    /* [MULTI_WIDTH] of the losses, or of the squares */
    double *intercept; /* [MULTI_WIDTH] */
    double *gradient;  /* [feature * evaluated + request] */
};

struct multi_scratch {
    void *rows, *linear;         /* a block and the kernels' workspace; sparse: scores by row, unused */
    void *activation, *residual; /* [request * stride + row], in the type of the sums */
    double *number[4];           /* a row each: margins, values, slopes; unused */
    double *signed_weight;       /* [subset * stride + row]: y times the row weight, or 0 */
};

struct multi_objective {
    struct multi_spec spec;
    const struct kernel *kernel;
    const struct matrix *x;
    size_t rows, columns, size;
    bool fold; /* scaling is applied to the weights instead of the rows */
    struct multi_member_state *member;
    size_t members;
    struct margin_table **table; /* one for each pair of temperatures */
    size_t tables;
    struct row_partition parts; /* of all processes; `together` of them share a sum here */
    size_t *first;              /* the first such sum of each process, and the end */
    struct block_layout layout; /* the parts and blocks of this process */
    size_t stride;
    struct multi_sums *sums; /* [parts] */
    double **vectors_of;     /* [parts]: their numbers, */
    double *numbers;         /* stored here */
    struct multi_sums total;
    struct tree_buffers among; /* of the sum over processes */
    size_t workers;
    struct thread_pool *pool;      /* for all passes; NULL: one thread */
    struct multi_scratch *scratch; /* [workers] */
    struct request_batch batch;    /* the requests in progress, */
    void *weights;                 /* and their weights: [feature * count + request] */
    /* Sparse data with many columns: gradients are computed from the residuals, [row * evaluated + request], and a
     * transposed copy; else NULL. */
    bool transposed;
    double *residual;
    double *all_residuals; /* MPI: those of all processes; else NULL */
    struct csc_matrix csc; /* MPI: some columns, with the entries of all rows */
};

/* One part of a pass on one worker. */
struct multi_work {
    const struct multi_objective *multi;
    struct multi_sums *sums;
    const struct multi_scratch *scratch;
};

/* Packs the weights of the batch, with the scaling folded in. */
void multi_pack_f32(struct multi_objective *multi);
void multi_pack_f64(struct multi_objective *multi);
/* From the scores of a block to its residuals. */
void multi_columns_f64(const struct multi_work *work, struct row_span span);
/* One part of a pass; each is for data of its kind. */
void multi_part_sparse(const struct multi_work *work, size_t part);
void multi_part_f32(const struct multi_work *work, size_t part);
void multi_part_f64(const struct multi_work *work, size_t part);
/* Makes the transposed copy; and computes the gradients from it. */
temper_status multi_transpose(struct multi_objective *multi, temper_error *error);
temper_status multi_csc_gradient(struct multi_objective *multi, size_t threads, temper_error *error);

#endif
