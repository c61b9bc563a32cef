/* optim_toys: small functions to minimise, and a problem that is made of one of them. */
#ifndef OPTIM_TOYS_H
#define OPTIM_TOYS_H

#include "optim/minimise.h"

enum { TOY_MOST = 100 }; /* numbers */

/* Value at w; gradient (n), and the Hessian (n x n, whole) unless h is NULL. */
typedef double toy_function(const double *w, size_t n, double *gradient, double *h,
                            const void *data);

/* What a problem is made of, and what was asked of it. */
struct toy {
    toy_function *function;
    const void *data;
    size_t n;
    double noise;          /* relative, added to the value: the same at the same w */
    const double *metric;  /* diagonal of M, or NULL */
    size_t fail_at;        /* this evaluation fails with TEMPER_IO; 0: none */
    double trap;           /* beyond this |w_0| the value is -1e9 and the gradient NaN; 0: none */
    bool no_curvature;     /* Hessians hold a NaN */
    double last[TOY_MOST]; /* evaluated */
    double here[TOY_MOST]; /* accepted: where curvature is that of */
    size_t evaluations, products, hessians, accepts, lengths;
    size_t strays; /* curvature asked for before anything was accepted */
};

struct problem toy_problem(struct toy *toy);
/* Root mean square of X v, for toys whose data are rows. */
temper_status toy_length(void *context, const double *v, double *length, temper_error *error);

/* sum_i k_i (w_i - 1)^2 / 2 in coordinates mixed by a reflection; k from 1 to *(double *)data. */
toy_function toy_quadratic;
toy_function toy_rosenbrock;  /* chained; smallest, 0, at (1, ..., 1) */
toy_function toy_powell;      /* 4 numbers; the Hessian is singular at the minimum, 0 at 0 */
toy_function toy_saddle;      /* x^2/2 - y^2/2 + y^4/4: smallest, -1/4, at (0, +-1) */
toy_function toy_slope;       /* w_0: unbounded below */
toy_function toy_log_barrier; /* w - log w, NaN for w <= 0: smallest at 1, in every coordinate */
toy_function toy_dip;         /* 1 number: a dip of -0.2 near 1/4, and from 1 on flat at -0.15 */
toy_function toy_rows;        /* data: struct toy_rows */

/* Two classes: the mean of the margin loss over rows, and lambda/2 |w|^2. */
struct toy_rows {
    size_t rows, columns;
    double *x; /* the label, +1 or -1, multiplied in */
    double t1, t2, lambda;
};

/* What is awkward about rows. */
struct toy_trouble {
    double wrong;  /* share of labels that are */
    double spread; /* of scales: column j is multiplied by spread^(j / columns) */
    double offset; /* the mean of every column, in standard deviations */
    double scale;  /* of all columns; 0: 1 */
    double bias;   /* makes one class more frequent */
};

/* Normal features, the last column the intercept, labels from a linear rule with some noise. */
struct toy_rows toy_rows_make(size_t rows, size_t columns, struct toy_trouble trouble);
void toy_rows_free(struct toy_rows *rows);
/* The share of rows that w classifies as their labels say. */
double toy_rows_right(const struct toy_rows *rows, const double *w);

/* The minimisers, by name. */
struct toy_minimiser {
    const char *name;
    minimiser_fn *minimise;
};
enum { TOY_MINIMISERS = 3 };
extern const struct toy_minimiser toy_minimisers[TOY_MINIMISERS];

#endif
