/* model: what training leaves behind: weights for raw rows, and all that is needed to apply them.
 *
 * A model file is readable JSON. It holds no clock, duration, thread count, host or path: equal
 * training gives equal bytes. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "data/columns/scale.h"
#include "data/dataset.h"
#include "data/schema.h"

struct kernel;

/* How the model was trained, for people who read the file. Words are those of the command line. */
struct model_training {
    char solver[16];      /* "newton" */
    char stop[16];        /* "converged" */
    char init[32];        /* "zero", "normal:0.001", "warm" */
    char precision[8];    /* of the sums: "f32", "f64" */
    char fingerprint[33]; /* of the data: 128 bits in hexadecimal */
    double tolerance;
    size_t max_iterations;
    uint64_t seed;
    uint64_t rows;
    double weight_sum;
    double objective, loss; /* with and without the penalty */
    double gradient;        /* norm, relative to that at 0 */
    double accuracy;        /* on the training rows, weighted */
    uint64_t iterations, evaluations, starts;
};

/* How p-hat becomes calibrated probabilities: p_c = (1 - floor) q_c + floor / C, q being the escort distribution of
 * p-hat of that order. Fitted to rows that the scores have not been fitted to (predict/calibration.h). */
struct calibration {
    double order;         /* 0: not fitted; the order is then that of the loss, and the floor 0 */
    double floor;         /* from 0 to 1 */
    uint64_t rows, folds; /* fitted to so many rows, scored by so many models of other folds; 0 folds: by the model */
    /* Matrix scaling of the scores (predict/calibration_matrix.h): A[from * classes + to], followed by the offsets, and
     * a floor of its own. NULL: none. */
    double *matrix;
    double matrix_floor;
};

enum { CALIBRATION_MATRIX_CLASSES = 40 }; /* of more, pairs are too many to be estimated, or to be fast */
/* Scores u of the matrix are at least this: so improbable a class says nothing further about the others. */
#define CALIBRATION_LEAST_SCORE (-60.0)
/* The share of the matrix is at most this, which leaves the predicted class ahead despite rounding. */
#define CALIBRATION_SHARE_KEPT (1 - 1e-9)

/* How often each class is given the label of another, estimated by an audit of the training rows. */
struct label_noise {
    bool known;
    double rate;        /* share of wrong labels among the rows of positive weight */
    double *transition; /* [true * classes + given], by weight, rows that sum to 1; NULL: that rate for all classes */
};

struct model {
    struct classes classes;
    size_t features;
    struct names feature_names; /* or none */
    temper_loss_spec loss;      /* resolved */
    double l2;
    bool intercept; /* whether one was trained */
    /* Activations of a raw row: bias + weights . f(x), f = log(1 + x) if scale.kind is SCALE_LOG,
     * else x itself. One vector for two classes (its sign is for class 1 against class 0), one for
     * each class otherwise. */
    size_t vectors;
    double *weights;       /* [vectors][features] */
    double *transition;    /* forward correction: [true * classes + given], P(given label | true class); else NULL */
    double *bias;          /* [vectors] */
    struct scale scale;    /* as it was learnt; the weights have it in them already. Arrays NULL for
                            * SCALE_NONE */
    struct schema *schema; /* how a table becomes features; NULL: not from a table. A copy */
    struct calibration calibration;
    struct label_noise noise;
    struct model_training training;
    const struct kernel *best_kernel; /* of this machine, so that predictions need not probe it; NULL: not known */
};

/* An empty model of that shape, all zero; loss, names and the rest are the caller's to fill. At
 * least two classes and one feature. */
temper_status model_new(size_t classes, size_t features, struct model **out, temper_error *error);
void model_free(struct model *model);

/* Whole or not at all. Equal models give equal bytes. A number that is not finite is refused. */
temper_status model_save(const struct model *model, const char *path, temper_error *error);
/* Refuses what is not a model, a newer version, a broken checksum, and any inconsistency, with
 * file:line:column. */
temper_status model_load(const char *path, struct model **out, temper_error *error);
/* The same of the bytes of a file. */
temper_status model_read_text(const char *bytes, size_t length, struct model **out, temper_error *error);

/* ---- Applying -------------------------------------------------------------------------------- */

/* Whether calibrated probabilities exist: for every calibrated model; otherwise not for hinge, nor for t1 = 0. */
bool model_has_probabilities(const struct model *model);
/* The order of the escort that turns p-hat into calibrated probabilities: that of the calibration; without one t1, or 1
 * for bregman, whose p-hat is calibrated where the model fits. */
double model_escort_order(const struct model *model);
/* The temperature of p-hat: that of the loss, or 1 for a hinge, which has none. */
double model_t2(const struct model *model);

/* ---- Export ---------------------------------------------------------------------------------- */

/* One self-contained C file: labels and calibrated probabilities, no dependency but libm. */
temper_status model_export_c(const struct model *model, const char *path, temper_error *error);
/* An ONNX graph: input "x" float [N, features], outputs "label" (string) and "probabilities". */
temper_status model_export_onnx(const struct model *model, const char *path, temper_error *error);

#endif
