/* objective_internal: the structures that the files of the objective share.
 *
 * An objective is filled in three steps: the specification is copied, the layout is derived from the shape of the
 * data alone, and buffers are allocated. A pass then folds the weights, runs all parts on the worker threads (each
 * part has its own sums) and adds the sums of the parts by a tree of fixed shape (comm/tree_sum.h). */
#ifndef OBJECTIVE_OBJECTIVE_INTERNAL_H
#define OBJECTIVE_OBJECTIVE_INTERNAL_H

#include "comm/tree_sum.h"
#include "data/dist/row_partition.h"
#include "kernel/dense/linear.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/sparse/sparse_products.h"
#include "objective/blocks.h"
#include "objective/objective.h"
#include "objective/sparse/csc.h"
#include "objective/sparse/row_scatter.h"
#include "objective/sparse/sell16.h"
#include "tempered/loss_family.h"

/* A matrix up to this size stays in the cache from one pass to the next, so kernels skip prefetching. */
enum { CACHED_BYTES = 3 << 19 };

/* A larger one is read from memory, where loops over long rows should not pause: see binary_fused_rows. */
enum { BEYOND_CACHES = 16 << 20 };

/* What a pass over the rows computes. */
enum pass {
    PASS_EVALUATE, /* scores of w: losses and residuals */
    PASS_MULTIPLY, /* scores of v times the curvature at the accepted point: a Hessian-vector product */
    PASS_LENGTH,   /* scores of v: the sum of their squares */
    PASS_DIAGONAL, /* the diagonal of each row's Hessian by the scores at the accepted point; no scores are computed */
    PASS_WEIGH,    /* scores of w: the curvature of each row's loss, kept for Gram matrices */
};

static inline bool pass_has_gradient(enum pass pass)
{
    return pass == PASS_EVALUATE || pass == PASS_MULTIPLY || pass == PASS_DIAGONAL;
}

/* Sums over the rows of one part. */
struct part_sums {
    double loss, correct, squares;
    double *gradient; /* [columns * vectors], then [vectors] of the intercepts; with a CSC copy only the latter.
                       * Followed by TOTALS numbers, into which the three sums above are copied. */
};

/* Index of these sums behind the gradient. */
enum { TOTAL_LOSS, TOTAL_CORRECT, TOTAL_SQUARES, TOTALS };

/* Results of an evaluation that its Hessian is computed from. */
struct eval_point {
    double *curvature; /* two classes: s_n times the second derivative, [row] */
    double *residual;  /* multiclass: [block][class * stride + row], before the row weights */
    double *loss;      /* multiclass: [row] */
    bool prepared;     /* multiclass: `residual` holds the escort, `loss` the weights; see multiclass_multiply */
};

/* Buffers of one worker thread. */
struct pass_scratch {
    void *rows;                   /* a block of rows in the type of the sums */
    void *linear;                 /* workspace of the dense kernels */
    void *first, *second, *third; /* scores and residuals of a block */
    double *number[4];            /* [row]: margins, losses, slopes, curvatures */
    void *loss;                   /* multiclass: [row] in the type of the sums */
    double *classes;              /* [2 * classes] */
    void *gram;                   /* a block for gram.c; NULL until first used */
    size_t gram_collected;        /* rows in it that have not been added */
};

/* How the rows are divided; a function of the data's shape, so that sums have the same bits for any number of
 * threads and processes. */
struct objective_layout {
    struct row_partition partition; /* the parts of all processes */
    size_t *first_part;             /* [ranks + 1]: the first part of each process */
    struct block_layout blocks;     /* the parts and blocks of this process */
};

/* The weights of the current pass in the form that the kernels read. */
struct pass_weights {
    bool folded;   /* scaling is applied to the weights instead of the rows */
    double *raw;   /* [columns * vectors], then [vectors] intercepts */
    float *f32;    /* the same without intercepts; NULL where no pass reads floats */
    bool all_zero; /* as at the start of training: scores are the intercepts */
};

/* Sums of the current pass. */
struct pass_sums {
    struct part_sums *part;    /* [parts] */
    double **vector;           /* [parts]: the numbers of each part that are added up */
    double *numbers;           /* storage of all parts' gradients */
    double *total;             /* their sum */
    double *intercept;         /* the intercepts' entries of `total` */
    struct tree_buffers among; /* of the sum over processes */
};

/* Sparse data with many columns: the gradient is computed column by column from a transposed copy and the
 * residuals of all rows. */
struct sparse_copies {
    bool transposed;       /* all this is used */
    struct csc_matrix csc; /* MPI: some columns, with the entries of all processes' rows */
    double *residual;      /* [rows * vectors] */
    float *residual_f32;   /* for passes of sparse_takes_floats */
    void *all_residuals;   /* MPI: residuals of all processes' rows, either type; NULL: one process */
    /* Two classes in floats and no memory limit: SELL-16 copies of the matrix and of its transpose; `csc` then has
     * no entries. */
    struct sell16 by_row, by_column;
    double *activation; /* [rows]: scores computed from `by_row` */
    bool scattered;     /* instead of all copies: gradients are added up row by row (row_scatter.h) */
    double *scatter;    /* one process: [SCATTER_RANGES * columns]; else NULL */
    bool by_rows;       /* the same without arrays of ranges: from the residuals of all rows, by one thread */
};

/* What Hessians and Gram matrices are computed from. */
struct curvature_state {
    struct eval_point point[2]; /* the last evaluated and the accepted one */
    size_t last;                /* which of them is the last evaluated */
    double *escort_power;       /* multiclass: q_c p_c^(t2 - 1) at the accepted point, laid out like `residual` */
    double *label_term;         /* multiclass: (t2 - t1) p_y^(t2 - 1) there, [row] */
    double *row_weight;         /* result of PASS_WEIGH, [row]; NULL until first used */
    double *class_weight;       /* the same for each class, [class * rows + row]; NULL: not wanted */
    float *row_norm;            /* squared norm of each row relative to the mean of its part; NULL until first used */
};

struct objective {
    struct objective_spec spec; /* what was asked for */
    /* Decided at creation. */
    const struct kernel *kernel;
    struct margin_table *table; /* two classes, two-temperature losses; else NULL */
    const double *transition;   /* forward correction: [given * classes + true], borrowed; else NULL */
    const struct matrix *x;
    const uint32_t *label;
    size_t rows; /* of this process */
    size_t columns, classes, vectors, size;
    size_t stride; /* rows of a block rounded up to SOFTMAX_PAD */
    size_t workers;
    struct thread_pool *pool; /* NULL: each loop has its own threads */
    double weight_sum;        /* of all processes' rows */
    struct objective_layout layout;
    /* State of the passes. */
    struct pass_weights weights;
    struct pass_sums sums;
    struct sparse_copies sparse;
    struct curvature_state curvature;
    struct pass_scratch *scratch; /* [workers] */
    double *reply;                /* of a remote engine, else NULL */
    double loss, accuracy;        /* of the last evaluation */
};

/* Length of a part's gradient. */
static inline size_t pass_gradient(const struct objective *o)
{
    return o->sparse.transposed ? o->vectors : (o->columns + 1) * o->vectors;
}

static inline double weight_of(const struct objective *o, size_t row)
{
    return o->spec.data->weight ? o->spec.data->weight[row] : 1;
}

/* Whether the loss of the current phase is corrected by the matrix of label noise. */
static inline bool is_corrected(const struct objective *o)
{
    return o->transition && loss_has_transition(o->spec.loss);
}

/* One part of a pass on one worker. */
struct pass_work {
    struct objective *o;
    enum pass pass;
    struct part_sums *part;
    struct pass_scratch *scratch;
};

/* Fills everything that follows from the data's shape and the options: sizes, blocks, parts. */
void objective_shape(struct objective *o, const struct objective_spec *spec);
/* Bytes used while Gram matrices are summed: one matrix, or one for each class. */
double gram_bytes(const struct objective *o, bool of_classes);

/* From scores (intercepts included) to residuals r, by the kind of pass. */
void binary_rows(const struct pass_work *work, struct row_span span, const double *activation, double *r);
/* sum x factor in eight interleaved sums, which hides the latency of an addition; factor NULL: ones. */
double sum_products(const double *x, const double *factor, size_t count);
/* Input of the fused evaluation kernel for a block; and its sums into the part. */
struct residual_rows binary_evaluation(const struct pass_work *work, struct row_span span);
void binary_add(const struct pass_work *work, const struct residual_sums *sums);
/* Rows of a call of the fused products, 0: they are not used; `step` is that of the kernel. */
size_t binary_fused_rows(const struct objective *o, size_t step);
/* The same for many classes, [class * stride + row]; the padding rows become 0. */
void multiclass_rows_f32(const struct pass_work *work, struct row_span span, const float *activation, float *r);
void multiclass_rows_f64(const struct pass_work *work, struct row_span span, const double *activation, double *r);

/* One part of a pass, for each kind of data. */
void dense_part_f32(const struct pass_work *work, size_t part);
void dense_part_f64(const struct pass_work *work, size_t part);
void sparse_part(const struct pass_work *work, size_t part);

/* Whether a pass over sparse data gathers floats, half as many bytes. Lengths and Hessian products only shape the
 * steps, so floats are precise enough; values and gradients use them where the spec allows it. */
bool sparse_takes_floats(const struct objective *o, enum pass pass);
/* Two classes: whether products with SELL-16 copies are faster than with CSR rows. Without a kernel, as where memory is
 * only estimated: whether they could be. */
bool sparse_sell16_pays(const struct objective *o);
/* Two classes, few passes: whether gradients are added up row by row. */
bool sparse_scatter_pays(const struct objective *o);
/* Two classes: whether any pass gathers floats. */
bool sparse_two_floats(const struct objective *o);
/* Whether no value is beyond the range of floats. */
bool sparse_fits_floats(const struct matrix *x);
/* Allocates the transposed copies, if the layout uses them. */
temper_status sparse_prepare(struct objective *o, temper_error *error);
void sparse_free(struct sparse_copies *sparse);
/* Scores of all rows, where there is a SELL-16 copy to compute them from. */
temper_status sparse_activate(struct objective *o, enum pass pass, size_t threads, temper_error *error);
/* The gradient of all rows from the transposed copy. */
temper_status sparse_gradient(struct objective *o, enum pass pass, const double *w, double *gradient,
                              temper_error *error);
/* Columns [from, to) of a gradient, from sums over rows: undoes the scaling, divides, adds the penalty. */
void finish_columns(const struct objective *o, const double *w, size_t from, size_t to, double *gradient);

/* The same calls where the rows are held by a remote engine. */
temper_status remote_objective_new(struct objective *o, temper_error *error);
temper_status remote_evaluate(struct objective *o, const double *w, double *value, double *gradient,
                              temper_error *error);
temper_status remote_length(struct objective *o, const double *v, double *length, temper_error *error);

/* One pass over all rows with the weights w. `gradient`, unless NULL, receives the sum of residual times row,
 * divided by the sum of the row weights, plus the gradient of the penalty. */
temper_status run_pass(struct objective *o, enum pass pass, const double *w, double *gradient, temper_error *error);
temper_status run_diagonal_pass(struct objective *o, double *mean, temper_error *error);
/* A sum (TOTAL_LOSS, ...) of the last pass that had any. */
double pass_total(const struct objective *o, size_t which);

#endif
