/* inside: what the files of the objective share. */
#ifndef OBJECTIVE_OBJECTIVE_INTERNAL_H
#define OBJECTIVE_OBJECTIVE_INTERNAL_H

#include "data/dist/row_partition.h"
#include "kernel/dense/linear.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/sparse/sparse_products.h"
#include "objective/blocks.h"
#include "objective/objective.h"
#include "objective/sparse/csc.h"
#include "objective/sparse/sell16.h"

/* Data that stays in the cache from one pass to the next: nothing is fetched in advance. */
enum { CACHED_BYTES = 3 << 19 };

/* What a pass over the rows is for. */
enum pass {
    PASS_EVALUATE, /* activations of w: loss and residuals */
    PASS_MULTIPLY, /* activations of v: times the curvature of the accepted point */
    PASS_LENGTH,   /* activations of v: their squares */
    PASS_WEIGH,    /* activations of w: how much each row bends the objective */
};

static inline bool pass_has_gradient(enum pass pass)
{
    return pass == PASS_EVALUATE || pass == PASS_MULTIPLY;
}

/* Sums of a part. */
struct part {
    double loss, correct, squares;
    double *gradient; /* [columns * vectors], then [vectors] of the intercepts; where the matrix is
                       * transposed, only those. Room for the three numbers above behind it. */
};

/* Where these three are in the sums of all parts, behind the gradient. */
enum { TOTAL_LOSS, TOTAL_CORRECT, TOTAL_SQUARES, TOTALS };

/* What is kept of an evaluation for the curvature there. */
struct point {
    double *bend;     /* two classes: s_n times the second derivative, a row each */
    double *residual; /* many: [block][class * stride + row], before the weights */
    double *loss;     /* many: a row each */
    bool prepared;    /* many: `residual` is the escort, `loss` weights; see multiclass_multiply */
};

struct scratch {
    void *rows;                   /* a block in the type of the sums */
    void *linear;                 /* of the kernels */
    void *first, *second, *third; /* activations and residuals of a block */
    double *number[4];            /* a row each: margins, values, slopes, curvatures */
    void *loss;                   /* a row each, in the type of the sums: of many classes */
    double *classes;              /* two for each class */
    void *moments;                /* a block; NULL until moments.c needs it */
};

struct objective {
    struct objective_spec spec;
    const struct kernel *kernel;
    const struct sparse_kernels *sparse;
    struct margin_table *table; /* two classes, Tsallis losses; else NULL */
    const struct matrix *x;
    const uint32_t *label;
    size_t rows; /* of this process */
    size_t columns, classes, vectors, size;
    double weight_sum; /* of all rows */

    bool fold;      /* scaling goes into the weights, not into the rows */
    double *raw;    /* weights for the rows as the kernels see them, and the intercepts behind */
    float *raw_f32; /* sparse data: where sparse_takes_floats */
    bool zero;      /* they are all 0, as where training starts: activations are the intercepts */

    struct row_partition parts; /* of all processes; */
    size_t *first;              /* the first one of each, and their number behind */
    struct cut cut;             /* those of this one */
    size_t stride;              /* rows of a block rounded up to SOFTMAX_PAD */
    struct part *part;
    double **vectors_of; /* the gradient of each part, or what is to be added up of it */
    double *sums;        /* all gradients of the parts */
    double *total;       /* the sum of all of them */
    double *intercept;   /* that of the intercepts, within it */

    /* Sparse data with many columns: the transposed matrix, and residuals to multiply it with. */
    bool transposed;
    struct csc_matrix turned; /* of several processes each has some columns, of all rows */
    double *residual;         /* [rows * vectors] */
    float *residual_f32;      /* of passes that sparse_takes_floats */
    /* Two classes in floats: copies of both matrices, unless there is a limit of memory, and the
     * activations that the first of them gives. `turned` has no entries then. */
    struct sell16 by_row, by_column;
    double *activation;
    void *all_residuals; /* one of these of all processes; NULL: there is only one */

    struct point point[2]; /* the last evaluated and the accepted one */
    double *escort_bend;   /* many: q_c p_c^(t2 - 1) at the accepted point, like `residual` */
    double *lean;          /* many: (t2 - t1) p_y^(t2 - 1) there, a row each */
    double *bending;       /* of PASS_WEIGH, a row each; NULL until it is asked for */
    double *class_bending; /* the same for each class, [class * rows + row]; NULL: not wanted */
    size_t last;           /* which point is the last evaluated */
    struct scratch *scratch;
    size_t workers;
    double *answer;        /* of the engine, where there is one */
    double loss, accuracy; /* of the last evaluation */
};

/* Numbers of a part's gradient. */
static inline size_t pass_gradient(const struct objective *o)
{
    return o->transposed ? o->vectors : (o->columns + 1) * o->vectors;
}

static inline double weight_of(const struct objective *o, size_t row)
{
    return o->spec.data->weight ? o->spec.data->weight[row] : 1;
}

/* A part of a pass, and the thread's own space for it. */
struct work {
    struct objective *o;
    enum pass pass;
    struct part *part;
    struct scratch *scratch;
};

/* What follows from the shape of the data and the options: sizes, blocks, parts. */
void objective_shape(struct objective *o, const struct objective_spec *spec);
/* Bytes that the moments take while they are summed: one matrix, or one for each class. */
double gram_bytes(const struct objective *o, bool of_classes);

/* From activations to residuals r, by the pass; intercepts are in the activations already. */
void binary_rows(const struct work *work, struct span span, const double *activation, double *r);
/* In eight sums, for one alone would wait for itself; factor NULL: ones. */
double sum_products(const double *x, const double *factor, size_t count);
/* An evaluation by the kernel, which has a table; its sums go to the part. */
struct residual_rows binary_evaluation(const struct work *work, struct span span);
void binary_add(const struct work *work, const struct residual_sums *sums);
/* The same for many classes, [class * stride + row]; rows behind the span become 0. */
void multiclass_rows_f32(const struct work *work, struct span span, const float *activation, float *r);
void multiclass_rows_f64(const struct work *work, struct span span, const double *activation, double *r);
/* One block of PASS_MULTIPLY; the first pass at a point makes it ready. */
void multiclass_multiply(const struct work *work, struct span span, const double *activation, double *r);

/* One part of a pass; each is for data of its kind. */
void dense_part_f32(const struct work *work, size_t part);
void dense_part_f64(const struct work *work, size_t part);
void sparse_part(const struct work *work, size_t part);
/* The transposed matrix, if the shape of the data wants it. */
/* Whether a pass gathers floats, half as many bytes. Lengths and products with the
 * curvature, which steps are made of, need no more digits than they have. Values and gradients do
 * only where the spec says that these are not to be found to more digits. */
bool sparse_takes_floats(const struct objective *o, enum pass pass);
/* Two classes: whether any does. */
bool sparse_two_floats(const struct objective *o);
/* Activations of all rows, where there are slabs for them. */
temper_status sparse_activate(struct objective *o, enum pass pass, size_t threads, temper_error *error);
/* No value is beyond the range of floats. */
bool sparse_fits_floats(const struct matrix *x);
temper_status sparse_prepare(struct objective *o, temper_error *error);
/* The gradient of all parts at once, where the matrix is transposed: its parts have intercepts
 * only. */
temper_status sparse_gradient(struct objective *o, enum pass pass, const double *w, double *gradient,
                              temper_error *error);
/* Some columns of a gradient from the sums over rows: scaling, the mean, the penalty. */
void finish_columns(const struct objective *o, const double *w, size_t from, size_t to, double *gradient);

/* Of an engine: what all others would do with rows. */
temper_status remote_objective_new(struct objective *o, temper_error *error);
temper_status remote_evaluate(struct objective *o, const double *w, double *value, double *gradient,
                              temper_error *error);
temper_status remote_length(struct objective *o, const double *v, double *length, temper_error *error);

/* A pass over all rows with the weights w. `gradient`, unless NULL, receives the sum of residuals
 * times rows, divided by the sum of the weights, and that of the penalty. */
temper_status run_pass(struct objective *o, enum pass pass, const double *w, double *gradient, temper_error *error);
/* Of the last pass that had any. */
double pass_total(const struct objective *o, size_t which);
#endif
