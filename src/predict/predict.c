/* predict: the scores of all rows, then classes or probabilities, block by block.
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
#include "kernel/dispatch/kernel.h"
#include "objective/scores.h"
#include "predict/calibration.h"
#include "predict/calibration_matrix.h"
#include "predict/true_label.h"
#include "tempered/log_partition.h"
#include "tempered/loss_family.h"
#include "tempered/row_scores.h"

enum { CHUNK_ROWS = 128 }; /* rows that are predicted at a time: their numbers stay in the cache */

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

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The model as the kernels read it: weights as [feature * vectors + k]; models store them by class, which is the same
 * for one vector. *own is to be freed; false: out of memory. */
static bool linear_of(const struct model *model, struct linear_model *linear, double **own)
{
    *own = NULL;
    *linear = (struct linear_model){.weights = model->weights,
                                    .bias = model->bias,
                                    .vectors = model->vectors,
                                    .columns = model->features,
                                    .logs = model->scale.kind == SCALE_LOG,
                                    .best = model->best_kernel};
    if (model->vectors == 1)
        return true;
    double *weights = mem_alloc(model->features, model->vectors * sizeof *weights);
    for (size_t k = 0; weights && k < model->vectors; k++)
        for (size_t j = 0; j < model->features; j++)
            weights[j * model->vectors + k] = model->weights[k * model->features + j];
    linear->weights = *own = weights;
    return weights != NULL;
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
    struct linear_model linear;
    double *own;
    TRY(check_columns(model, x, error));
    if (!linear_of(model, &linear, &own))
        return error_no_memory(error);
    temper_status status = activations(x, &linear, threads, out, error);
    mem_free(own);
    return status;
}

/* ---- All rows -------------------------------------------------------------------------------- */

/* Shared by the threads of one prediction, which write disjoint parts of the output. */
struct predict_job {
    const struct model *model;
    temper_prediction output;
    size_t width;
    struct prediction_target target;
    probability_fn *kernel; /* NULL: row by row */
    struct probability_map map;
    /* Workspace of each worker, `each` numbers: of the kernel, or numbers of one row; then predictions of a chunk that
     * are converted to floats or to those of the true label. */
    double *space;
    size_t row_space, each;
};

/* Whether probabilities of a chunk are stored before they are converted. */
static bool needs_chunk(const struct predict_job *job)
{
    return job->target.f32 || job->output == TEMPER_PREDICT_TRUE_PROBABILITIES;
}

/* What the kernel has to know of the model. For very high t2 it cannot be used. */
static void choose_kernel(struct predict_job *job, const struct kernel *kernel)
{
    const struct model *model = job->model;
    const struct calibration *calibration = &model->calibration;
    bool calibrated = job->output != TEMPER_PREDICT_RAW_PROBABILITIES;
    double t2 = model_t2(model);
    bool fits = probability_fits(t2, log((double)model->classes.count));
    bool probabilities = job->output != TEMPER_PREDICT_LABELS && job->output != TEMPER_PREDICT_DECISIONS;
    job->kernel = fits && probabilities ? kernel->probabilities : NULL;
    job->map = (struct probability_map){.classes = model->classes.count,
                                        .t2 = t2,
                                        .order = calibrated ? model_escort_order(model) : 1,
                                        .floor = calibrated ? calibration->floor : 0,
                                        .matrix = calibrated ? calibration->matrix : NULL,
                                        .matrix_floor = calibration->matrix_floor,
                                        .least_score = CALIBRATION_LEAST_SCORE,
                                        .share_kept = CALIBRATION_SHARE_KEPT};
}

/* The scores of one row. */
static void row_scores(const struct score_rows *rows, size_t i, size_t vectors, double *a)
{
    for (size_t k = 0; k < vectors; k++)
        a[k] = rows->score[k * rows->stride + i];
}

/* p[i * classes + c] of one row, by the formulas; `space` has the scores. */
static void fill_exactly(const struct predict_job *job, const struct score_rows *rows, size_t i, double *space,
                         double *p)
{
    row_scores(rows, i, job->model->vectors, space);
    predicted_probabilities(job->model, space, job->output != TEMPER_PREDICT_RAW_PROBABILITIES, p);
}

/* The same of a chunk of rows, as doubles or as floats, by the kernel, and by the formulas for rows that are unsure
 * there. */
static void run_kernel(const struct predict_job *job, const struct score_rows *rows, double *space,
                       struct prediction_target p)
{
    bool unsure[CHUNK_ROWS] = {false};
    size_t classes = job->map.classes;
    job->kernel(&(struct probability_rows){.map = &job->map,
                                           .score = rows->score,
                                           .stride = rows->stride,
                                           .rows = rows->count,
                                           .space = space,
                                           .out = p.f64,
                                           .out_f32 = p.f32,
                                           .unsure = unsure});
    for (size_t i = 0; job->map.t2 != 1 && i < rows->count; i++) {
        double *exact = space + classes; /* the space of the kernel is free again */
        if (!unsure[i])
            continue;
        fill_exactly(job, rows, i, space, exact);
        for (size_t c = 0; c < classes; c++)
            if (p.f64)
                p.f64[i * classes + c] = exact[c];
            else
                p.f32[i * classes + c] = (float)exact[c];
    }
}

/* The same as doubles, by the kernel or row by row. */
static void fill_probabilities(const struct predict_job *job, const struct score_rows *rows, double *space, double *p)
{
    if (job->kernel) {
        run_kernel(job, rows, space, (struct prediction_target){.f64 = p});
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        fill_exactly(job, rows, i, space, p + i * job->map.classes);
}

/* The same of the true label. */
static void fill_true(const struct predict_job *job, const struct score_rows *rows, double *space, double *p)
{
    size_t classes = job->map.classes;
    double *given = space + job->row_space, *ratio = space;
    fill_probabilities(job, rows, space, given);
    for (size_t i = 0; i < rows->count; i++)
        true_probabilities(&job->model->noise, classes, given + i * classes, ratio, p + i * classes);
}

/* Fills `out` with the predictions of a chunk of rows. */
static void fill_chunk(const struct predict_job *job, const struct score_rows *rows, double *space, double *out)
{
    size_t vectors = job->model->vectors;
    switch (job->output) {
    case TEMPER_PREDICT_DECISIONS:
        for (size_t i = 0; i < rows->count; i++)
            row_scores(rows, i, vectors, out + i * vectors);
        break;
    case TEMPER_PREDICT_LABELS:
        for (size_t i = 0; i < rows->count; i++) {
            row_scores(rows, i, vectors, space);
            out[i] = (double)predicted_class(job->model, space);
        }
        break;
    case TEMPER_PREDICT_TRUE_PROBABILITIES:
        fill_true(job, rows, space, out);
        break;
    case TEMPER_PREDICT_PROBABILITIES:
    case TEMPER_PREDICT_RAW_PROBABILITIES:
        fill_probabilities(job, rows, space, out);
        break;
    }
}

/* Callback of scores_each: the predictions of some rows, a chunk at a time. */
static void predict_rows(void *context, const struct score_rows *rows, size_t worker)
{
    const struct predict_job *job = context;
    double *space = job->space + worker * job->each;
    double *buffer = job->target.f32 ? space + job->each - CHUNK_ROWS * job->width : NULL;
    for (size_t i = 0; i < rows->count; i += CHUNK_ROWS) {
        size_t left = rows->count - i, count = left < CHUNK_ROWS ? left : CHUNK_ROWS;
        const struct score_rows chunk = {rows->from + i, count, rows->stride, rows->score + i};
        size_t at = chunk.from * job->width;
        if (job->kernel && buffer && job->output != TEMPER_PREDICT_TRUE_PROBABILITIES) {
            run_kernel(job, &chunk, space, (struct prediction_target){.f32 = job->target.f32 + at});
            continue;
        }
        fill_chunk(job, &chunk, space, buffer ? buffer : job->target.f64 + at);
        for (size_t n = 0; buffer && n < count * job->width; n++)
            job->target.f32[at + n] = (float)buffer[n];
    }
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

/* The workspace of all workers. False: out of memory. */
static bool allocate_space(struct predict_job *job, size_t threads)
{
    size_t classes = job->map.classes, chunks = 0;
    /* At most 10^7 classes, so that these sizes cannot overflow. */
    if (needs_chunk(job))
        chunks = (job->target.f32 ? CHUNK_ROWS * job->width : 0) + CHUNK_ROWS * classes;
    job->row_space = job->kernel ? probability_space(&job->map) : classes;
    job->each = job->row_space + chunks;
    job->space = mem_aligned(threads, job->each * sizeof *job->space);
    return job->space != NULL;
}

/* The number of threads that the rows are worth, of those that the caller allows; 0: of all processors, which are
 * counted only where there is work for a second. Probabilities cost about as much as 20 features. */
static size_t worth_threads(const struct model *model, const struct matrix *x, size_t threads)
{
    double work = ((double)x->nonzeros + 20 * (double)x->rows) * (double)model->vectors;
    if (threads == 0 && threads_worth(2, work) == 2)
        threads = thread_count_default();
    return threads ? threads_worth(threads, work) : 1;
}

/* Fills target[rows * width]. */
temper_status predict(const struct model *model, const struct matrix *x, temper_prediction output, size_t threads,
                      struct prediction_target target, temper_error *error)
{
    struct predict_job job = {.model = model, .output = output, .target = target};
    struct linear_model linear;
    double *own = NULL;
    job.width = output_width(model, output);
    if (job.width == 0)
        return refuse_output(model, output, error);
    TRY(check_columns(model, x, error));
    const struct kernel *kernel = scores_kernel(model->best_kernel, error);
    if (!kernel)
        return TEMPER_USAGE;
    choose_kernel(&job, kernel);
    threads = worth_threads(model, x, threads);
    temper_status status =
        linear_of(model, &linear, &own) && allocate_space(&job, threads) ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = scores_each(x, &linear, threads, predict_rows, &job, error);
    mem_free(job.space);
    mem_free(own);
    return status;
}
