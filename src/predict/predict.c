/* predict: the scores of all rows, then classes or probabilities row by row.
 *
 * A score is x . w_k + b_k of the raw features: scaling was multiplied into the weights after training. The class is
 * that of the largest score. Probabilities are the tempered softmax exp_t2 of the scores, and calibrated ones follow
 * from it by an escort distribution, a floor and perhaps a matrix (predict/calibration.h). */
#include "predict/predict.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "objective/scores.h"
#include "predict/calibration.h"
#include "predict/calibration_matrix.h"
#include "predict/true_label.h"
#include "tempered/log_partition.h"
#include "tempered/loss_family.h"
#include "tempered/row_scores.h"

enum { BLOCK_ROWS = 256 }; /* rows of a thread's unit of work */

/* Numbers per row; 0 where the model has no such output. Hinge has no probabilities at all; calibrated ones are an
 * escort distribution of order t1, which does not exist for t1 = 0. */
size_t output_width(const struct model *model, temper_prediction output)
{
    size_t classes = model->classes.count;
    switch (output) {
    case TEMPER_PREDICT_LABELS:
        return 1;
    case TEMPER_PREDICT_PROBABILITIES:
        return model_has_probabilities(model) ? classes : 0;
    /* The distribution of the loss as it was trained, without calibration. */
    case TEMPER_PREDICT_RAW_PROBABILITIES:
        return loss_has_probabilities(model->loss) ? classes : 0;
    case TEMPER_PREDICT_DECISIONS:
        return model->vectors;
    case TEMPER_PREDICT_TRUE_PROBABILITIES:
        return model_has_probabilities(model) && model->noise.known ? classes : 0;
    }
    return 0;
}

/* ---- One row --------------------------------------------------------------------------------- */

/* The class of the largest score, the first of equal ones. For two classes the score is that of class 1, and 0
 * predicts class 0. */
size_t predicted_class(const struct model *model, const double *a)
{
    return class_of_scores(a, model->vectors);
}

/* Two classes have one score, which stands for the activations -a/2 and a/2. The t2 of a hinge, which has no
 * distribution of its own, is 1: its scores are taken as those of a softmax. */
void raw_log_probabilities(const struct model *model, const double *a, double *out)
{
    const double two[] = {-a[0] / 2, a[0] / 2};
    size_t classes = model->vectors == 1 ? 2 : model->vectors;
    if (model->vectors == 1)
        a = two;
    struct partition family = partition_solve(a, classes, model_t2(model));
    for (size_t c = 0; c < classes; c++)
        out[c] = partition_log_p(&family, c, a[c]) - family.log_top;
}

/* Fills p[classes] with the tempered softmax of the scores; calibrated: with its escort distribution p^order / sum
 * p^order, mixed with the uniform one by the floor of the calibration, and refined by its matrix. */
void predicted_probabilities(const struct model *model, const double *a, bool calibrated, double *p)
{
    size_t classes = model->vectors == 1 ? 2 : model->vectors;
    /* Order 1 leaves the distribution as it is. */
    double order = calibrated ? model_escort_order(model) : 1;
    double floor = calibrated ? model->calibration.floor : 0;
    double log_p[CALIBRATION_MATRIX_CLASSES];
    bool refined = calibrated && model->calibration.matrix;
    raw_log_probabilities(model, a, p);
    if (refined)
        memcpy(log_p, p, classes * sizeof *p);
    escort_with_floor(order, floor, p, classes, p);
    if (refined)
        matrix_refine(&model->calibration, classes, log_p, p);
}

/* ---- All rows-------------------------------------------------------------------------------- */

/* The weights as [feature * vectors + k], the layout of the kernels; models store them by class. To be freed; NULL:
 * out of memory. */
static double *weights_by_feature(const struct model *model)
{
    double *weights = mem_alloc(model->features, model->vectors * sizeof *weights);
    for (size_t k = 0; weights && k < model->vectors; k++)
        for (size_t j = 0; j < model->features; j++)
            weights[j * model->vectors + k] = model->weights[k * model->features + j];
    return weights;
}

/* Dense rows must have the features of the model. Sparse rows may have any number of columns: missing ones are 0,
 * and those beyond the model's have no weight. */
static temper_status check_columns(const struct model *model, const struct matrix *x, temper_error *error)
{
    if (x->kind == MATRIX_CSR || x->columns == model->features)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA, "the data has %s features, the model %s; give it the same ones",
                     count_shown(x->columns).text, count_shown(model->features).text);
}

/* The weights are for unscaled features, as scaling was multiplied into them after training. Only the logarithm is
 * not linear, and is taken of the features here. */
temper_status decide(const struct model *model, const struct matrix *x, size_t threads, double *out,
                     temper_error *error)
{
    TRY(check_columns(model, x, error));
    double *weights = weights_by_feature(model);
    if (!weights)
        return error_no_memory(error);
    /* Borrows weights and bias for the duration of the call. */
    struct linear_model linear = {weights, model->bias, model->vectors, model->features,
                                  model->scale.kind == SCALE_LOG};
    temper_status status = activations(x, &linear, threads, out, error);
    mem_free(weights);
    return status;
}

/* Shared by the threads of one prediction, which write disjoint parts of `out`. */
struct predict_job {
    const struct model *model;
    temper_prediction output;
    size_t rows, width;
    const double *activation;
    double *out;
    double *given; /* true labels: [row * 2 * width], the probabilities of the given ones, and a workspace; else NULL */
};

/* The work of one thread on one block: rows are independent of each other. */
static temper_status predict_block(void *context, size_t block, size_t worker)
{
    const struct predict_job *job = context;
    size_t from = block * BLOCK_ROWS, to = from + BLOCK_ROWS;
    (void)worker;
    for (size_t row = from; row < to && row < job->rows; row++) {
        const double *a = job->activation + row * job->model->vectors;
        double *out = job->out + row * job->width;
        if (job->output == TEMPER_PREDICT_LABELS) {
            *out = (double)predicted_class(job->model, a);
        } else if (job->given) {
            double *given = job->given + row * 2 * job->width;
            predicted_probabilities(job->model, a, true, given);
            true_probabilities(&job->model->noise, job->width, given, given + job->width, out);
        } else {
            predicted_probabilities(job->model, a, job->output == TEMPER_PREDICT_PROBABILITIES, out);
        }
    }
    return TEMPER_OK;
}

/* Names the reason for which a model does not have an output, and what it has instead. */
static temper_status refuse_output(const struct model *model, temper_prediction output, temper_error *error)
{
    if (output == TEMPER_PREDICT_TRUE_PROBABILITIES && model_has_probabilities(model))
        return error_set(error, TEMPER_USAGE,
                         "the model has no estimate of the label noise, which probabilities of the "
                         "true label need; train it with --estimate-noise");
    return error_set(error, TEMPER_USAGE, "this model has no %sprobabilities (%s, not calibrated); ask for --decision",
                     output == TEMPER_PREDICT_RAW_PROBABILITIES ? "" : "calibrated ",
                     loss_has_probabilities(model->loss) ? "t1 = 0" : method_name(model->loss.method));
}

/* Fills out[rows * width]. Decisions are the scores themselves and need no second array. */
temper_status predict(const struct model *model, const struct matrix *x, temper_prediction output, size_t threads,
                      double *out, temper_error *error)
{
    size_t rows = (size_t)x->rows, width = output_width(model, output);
    bool needs_given = output == TEMPER_PREDICT_TRUE_PROBABILITIES;
    if (width == 0)
        return refuse_output(model, output, error);
    /* The scores are the result. */
    if (output == TEMPER_PREDICT_DECISIONS)
        return decide(model, x, threads, out, error);
    double *a = mem_alloc(rows, model->vectors * sizeof *a);
    double *given = needs_given ? mem_alloc(rows, 2 * width * sizeof *given) : NULL;
    temper_status status = a && (given || !needs_given) ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = decide(model, x, threads, a, error);
    struct predict_job job = {model, output, rows, width, a, out, given};
    /* The last block may have fewer rows. */
    size_t blocks = (rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    if (status == TEMPER_OK && parallel_blocks(blocks, threads, predict_block, &job) != TEMPER_OK)
        status = error_no_memory(error);
    mem_free(a);
    mem_free(given);
    return status;
}
