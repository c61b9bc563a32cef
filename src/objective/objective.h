/* objective: sums the loss over the rows of a dataset: value, gradient and curvature. The only
 * place where data meets loss.
 *
 *     J(w) = (1 / sum s) sum_n s_n loss(x_n, c_n) + (l2 / 2) |w|^2
 *
 * w is feature by feature, w[j * vectors + k], one vector for two classes and one a class
 * otherwise, and the intercepts, which are not penalised, come last. It refers to features as
 * scaled; the rows themselves are never copied. J is a pure function of w: the same bits for any
 * number of threads and whatever was evaluated before. */
#ifndef OBJECTIVE_OBJECTIVE_H
#define OBJECTIVE_OBJECTIVE_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct objective_spec {
    const struct dataset *data; /* with labels of at least two classes; borrowed */
    const struct scale *scale;  /* borrowed; any kind but log. NULL: features as they are */
    temper_loss_spec loss;      /* resolved */
    double l2;
    bool intercept;
    bool f64;       /* sums in doubles throughout; sparse data always has that, */
    bool floats;    /* unless this: many classes, and curvature; see sparse_takes_floats */
    bool curvature; /* keep what accept, multiply and hessian need */
    size_t threads; /* at least 1 */
    /* What sums are divided by where the rows are some of many; 0: their own weights. */
    double weight_sum;
    /* Rows that lie elsewhere: `data` says how many and what they are like, and has none of them.
     * Values, gradients and lengths are asked for; there is nothing else. NULL: those of `data`. */
    const temper_shard_engine *engine;
};

struct objective;

/* What is asked of an objective beyond values and gradients. */
struct objective_uses {
    bool gram, class_grams, hessian;
};
/* Bytes that it will take, about: what it keeps, and what its calls take for a while. `block`, a
 * block of rows as a thread reads it. */
double objective_bytes(const struct objective_spec *spec, struct objective_uses uses, double *block);

temper_status objective_new(const struct objective_spec *spec, struct objective **out, temper_error *error);
void objective_free(struct objective *objective);
size_t objective_size(const struct objective *objective); /* of w */
size_t objective_vectors(const struct objective *objective);

/* Another penalty or loss for the same rows. */
void objective_set_l2(struct objective *objective, double l2);
void objective_set_loss(struct objective *objective, temper_loss_spec loss);

/* The calls of struct problem (optim/problem.h); `context` is the objective. */
temper_status objective_evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error);
void objective_accept(void *context);
temper_status objective_multiply(void *context, const double *v, double *product, temper_error *error);
temper_status objective_hessian(void *context, double *h, temper_error *error);
/* Root mean square of the activations that v gives. */
temper_status objective_length(void *context, const double *v, double *length, temper_error *error);

/* Whether multiply and hessian work for this loss, precision and number of classes. */
bool objective_can_multiply(const struct objective *objective);
bool objective_can_hessian(const struct objective *objective);

/* Of the w last evaluated: the mean loss without the penalty, and the weighted share of rows whose
 * class has the largest activation. */
double objective_loss(const struct objective *objective);
double objective_accuracy(const struct objective *objective);

/* The sum over all rows of the squares of each feature, not scaled, where sparse data lies column
 * by column as well; else *known is false. */
temper_status objective_squares(struct objective *objective, double *square, bool *known, temper_error *error);

/* The lower triangle of the second moments of the scaled features and, if there is an intercept, of
 * a last feature that is 1: gram[i * n + j], n = features (+ 1). Rows count as much as they bend
 * the objective at w, or all alike if w is NULL. From about `rows` rows, spread evenly. */
temper_status objective_gram(struct objective *objective, const double *w, size_t rows, double *gram,
                             temper_error *error);
/* Many classes: one such matrix for each, grams[(class * n + i) * n + j], in which rows count as
 * much as they bend the objective along the weights of that class. `thin`: of rows that bend it
 * little, a few stand for all, so that the time is that of the rows which matter. */
struct gram_rows {
    size_t about; /* how many are looked at, spread evenly; 0: all */
    bool thin;
};
temper_status objective_class_grams(struct objective *objective, const double *w, struct gram_rows rows, double *grams,
                                    temper_error *error);

#endif
