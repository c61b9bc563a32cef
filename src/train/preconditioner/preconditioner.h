/* preconditioner: approximations M of the Hessian whose inverse is cheap to apply; the solvers take their steps in the
 * norm of M, which saves most of the iterations on correlated or badly scaled features.
 *
 * The kinds, and where they are:
 *   Gram           M = c G + l2, G the Gram matrix (second moments) of the features, c the curvature of the loss at
 *                  W = 0; one Cholesky factor for all classes                                preconditioner.c
 *   per class      the Gram matrix of each class, rows weighted by the curvature at W        preconditioner.c
 *   diagonal       sparse data: 1 / sqrt(c E[x_j^2] + l2) for each feature j                 preconditioner.c
 *   batch          many two-class fits: one Gram factor for each penalty                     preconditioner_batch.h
 *   low rank       a batch of few fits: a few principal directions and one number            preconditioner_batch.h
 *   shared         the factors of a pilot fit on all rows, shared with the fits of its folds preconditioner_shared.h
 *
 * A preconditioner changes the path of the optimiser and never the function that is minimised, so it may be made from
 * a sample of the rows. */
#ifndef TRAIN_PRECONDITIONER_H
#define TRAIN_PRECONDITIONER_H

#include "objective/gram/spectrum.h"
#include "objective/objective.h"

/* Factors of all classes together take at most this many bytes; beyond, one factor serves all classes. */
#define PRECONDITIONER_MOST_BYTES (256.0 * 1024 * 1024)

/* How a Gram matrix is sampled and regularised, for all kinds: a tenth of the rows, but at least ROWS_PER_FEATURE of
 * them for each feature; MIN_ROWS_PER_FEATURE where that many would take longer than they save. RIDGE, relative to the
 * mean of the diagonal, is added to the diagonal and keeps the Cholesky factor away from singular. */
enum { PRECONDITIONER_ROW_SHARE = 10, PRECONDITIONER_ROWS_PER_FEATURE = 16, PRECONDITIONER_MIN_ROWS_PER_FEATURE = 4 };
#define PRECONDITIONER_RIDGE 1e-7

enum preconditioner_kind {
    PRECONDITIONER_NONE,
    PRECONDITIONER_GRAM,     /* one factor, or one for each class */
    PRECONDITIONER_DIAGONAL, /* one number for each feature */
};

struct kernel;

struct preconditioner {
    enum preconditioner_kind kind; /* NONE: nothing to apply, as where the matrix had no factor */
    const struct kernel *kernel;
    double *factor;    /* Gram: Cholesky factors, n x n each */
    size_t factors;    /* 1, or as many as vectors */
    bool borrowed;     /* the factors belong to another preconditioner, which must outlive this one */
    double *workspace; /* for some vectors of n numbers */
    double *diagonal;  /* diagonal: of M^-1, one number for each feature and one for the intercepts */
    size_t n, vectors; /* numbers of a weight vector; weight vectors */
};

/* What a preconditioner is made for. */
struct preconditioner_spec {
    struct objective *objective; /* of the loss and data below */
    const struct dataset *data;
    const struct scale *scale; /* of the features, or NULL */
    temper_loss_spec loss;
    double l2;
    const double *w; /* the curvature is that at w; NULL: that at W = 0, where all rows are alike */
    size_t threads;
};

/* Makes one of that kind. out->kind is PRECONDITIONER_NONE if the matrix is not positive definite, as where all
 * features are 0. *out is to be freed whatever the status. */
temper_status preconditioner_create(enum preconditioner_kind kind, const struct preconditioner_spec *spec,
                                    struct preconditioner *out, temper_error *error);
/* The same factors with a workspace of its own. False: out of memory. */
bool preconditioner_borrow(const struct preconditioner *lender, struct preconditioner *out);
/* v becomes M^-1 v: v[j * vectors + k]. The context is a struct preconditioner of kind Gram. */
void preconditioner_apply(void *context, double *v);
void preconditioner_free(struct preconditioner *preconditioner);

/* Whether a Gram preconditioner pays for such a loss on such data. */
bool preconditioner_suits(temper_loss_spec loss, const struct dataset *data);
/* How many iterations a training of two classes should make before a Gram preconditioner is made, which they may save;
 * 0: none. The preconditioner is that of spec->w = NULL. */
temper_status preconditioner_delay(const struct preconditioner_spec *spec, double tolerance, size_t *iterations,
                                   temper_error *error);
/* Whether a training of fewer rows than features should be made in the space of the rows (row_space.h): whether the
 * products of all rows take less time than the passes over all features that they save. spec->objective is not used. */
bool preconditioner_row_space_pays(const struct preconditioner_spec *spec, double tolerance,
                                   const struct spectrum *spectrum);
/* Whether a training continues with the preconditioner of its current weights after a few iterations. */
bool preconditioner_is_renewed(const struct dataset *data, temper_loss_spec loss);
/* Whether each of many classes gets a matrix of n x n of its own where the curvature is not that at W = 0. */
bool preconditioner_per_class(const struct dataset *data, temper_loss_spec loss, size_t n);
/* Subtracts the mean over the classes from each of n features: v[j * vectors + k]. */
void preconditioner_centre(double *v, size_t vectors, size_t n);
/* The second derivative of a loss at W = 0, where all classes have the same score. */
double initial_curvature(temper_loss_spec loss, size_t classes);

#endif
