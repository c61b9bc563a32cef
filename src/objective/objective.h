/* objective: the regularised mean loss over the rows of a dataset: value, gradient and Hessian products. The only
 * place where data meets loss.
 *
 *     J(w) = (1 / sum s) sum_n s_n loss(x_n, c_n) + (l2 / 2) |w|^2 + l1 |w|_1
 *
 * w is ordered by feature, w[j * vectors + k], with one vector for two classes and else one for each class; the
 * intercepts, which are not penalised, come last. Weights are those of the scaled features; the rows themselves are
 * never copied. J is a pure function of w: the same bits for any number of threads and any earlier evaluations.
 * Gradient and Hessian are those of J without its last term, which has none at 0: optim/l1_penalty.h. */
#ifndef OBJECTIVE_OBJECTIVE_H
#define OBJECTIVE_OBJECTIVE_H

#include "data/columns/scale.h"
#include "data/dataset.h"
#include "temper_extra.h"

struct objective_spec {
    const struct dataset *data; /* with labels of at least two classes; borrowed */
    const struct scale *scale;  /* borrowed; any kind but log. NULL: features as they are */
    temper_loss_spec loss;      /* resolved */
    double l2;
    double l1;
    bool intercept;
    bool f64;       /* sums in doubles throughout; always so for sparse data, */
    bool floats;    /* unless this is set; see sparse_takes_floats */
    bool curvature; /* store what accept, multiply and hessian need */
    bool by_column; /* sparse data of two classes has a transposed copy even where columns are few: many passes repay it
                     */
    bool few_passes; /* sparse data of two classes: as few as would not repay a transposed copy */
    /* Sparse data of two classes has no transposed copy, whatever it costs a pass: some evaluations at most are
     * expected. objective_misses_copies says whether more passes would be faster with another objective. */
    bool no_copies;
    size_t threads; /* at least 1 */
    /* The threads of the passes wait for the next one until the objective is freed, which is to be before the public
     * call returns; else every pass has its own. */
    bool keeps_threads;
    /* The divisor of the sums, where the rows are a shard of a larger dataset; 0: the sum of their weights. */
    double weight_sum;
    /* Rows held by remote workers: `data` then describes their shape and has none of them, and only values, gradients
     * and lengths can be computed. NULL: the rows of `data`. */
    const temper_shard_engine *engine;
};

struct objective;

/* Which calls besides value and gradient will be made. */
struct objective_uses {
    bool gram, class_grams, hessian;
};
/* About how many bytes it will use, with the temporary buffers of its calls; *block: bytes of a block of rows. */
double objective_bytes(const struct objective_spec *spec, struct objective_uses uses, double *block);

temper_status objective_new(const struct objective_spec *spec, struct objective **out, temper_error *error);
void objective_free(struct objective *objective);
size_t objective_size(const struct objective *objective); /* of w */
size_t objective_vectors(const struct objective *objective);
/* Whether there would be copies of the rows but for `no_copies`. */
bool objective_misses_copies(const struct objective *objective);

/* Another penalty or loss for the same rows. */
void objective_set_l2(struct objective *objective, double l2);
void objective_set_l1(struct objective *objective, double l1);
void objective_set_loss(struct objective *objective, temper_loss_spec loss);
/* The matrix of label noise for losses that have one, by_label[given * classes + true]; borrowed, NULL for none. */
void objective_set_transition(struct objective *objective, const double *by_label);
/* The weights of the dataset have changed: their sum is computed again. */
temper_status objective_reweigh(struct objective *objective, temper_error *error);

/* The calls of struct problem (optim/minimise.h); `context` is the objective. */
temper_status objective_evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error);
void objective_accept(void *context);
temper_status objective_multiply(void *context, const double *v, double *product, temper_error *error);
temper_status objective_hessian(void *context, double *h, temper_error *error);
/* Many classes of sparse rows: the second derivatives by the intercepts, less a term that may be negative. */
temper_status objective_intercept_curvature(void *context, double *curvature, temper_error *error);
/* Two classes: the same for the weights index[count], ascending, h[i * count + j]. The intercept, if there is one, is
 * the last of them. */
temper_status objective_hessian_of(void *context, const size_t *index, size_t count, double *h, temper_error *error);
/* Root mean square of the scores that v gives. */
temper_status objective_length(void *context, const double *v, double *length, temper_error *error);

/* Whether multiply works for this loss, precision and number of classes. (hessian does for one weight vector: that of
 * many classes would have (columns * classes)^2 entries.) */
bool objective_can_multiply(const struct objective *objective);

/* Of the w last evaluated: the mean loss without the penalty, and the weighted share of rows whose
 * class has the largest score. */
double objective_loss(const struct objective *objective);
double objective_accuracy(const struct objective *objective);

/* The sum over all rows of the squares of each unscaled feature, where sparse data has a transposed copy; else *known
 * is false. */
temper_status objective_squares(struct objective *objective, double *square, bool *known, temper_error *error);

/* The lower triangle of the Gram matrix (1 / sum s) X' D X of the scaled features and, if there is an intercept, a last
 * feature 1: gram[i * n + j], n = features (+ 1). D holds the curvature of each row's loss at w, or its weight if w is
 * NULL. From about `rows` rows, evenly spaced; 0: all. */
temper_status objective_gram(struct objective *objective, const double *w, size_t rows, double *gram,
                             temper_error *error);
/* Many classes: one such matrix for each, grams[(class * n + i) * n + j], with D the curvature by the score of that
 * class. `thin`: rows of small curvature and norm are sampled, out of up to four times as many, which makes the cost
 * that of the rows that matter. */
struct gram_rows {
    size_t about; /* rows that are used, evenly spaced; 0: all */
    bool thin;
};
temper_status objective_class_grams(struct objective *objective, const double *w, struct gram_rows rows, double *grams,
                                    temper_error *error);

#endif
