/* evaluate: sums over the rows in their order, whichever process has them; means at the end.
 *
 * Rows arrive in batches, so that a file of any size can be evaluated. Each row is reduced to a few numbers (label,
 * predicted class, losses, confidence) on several threads, and those are added by one. With several processes the
 * numbers of all rows of a batch are gathered and every process adds all of them: the result has the same bits for any
 * number of processes. */
#include "predict/evaluate.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "predict/class_scores.h"
#include "predict/predict.h"
#include "tempered/loss_family.h"
#include "tempered/row_scores.h"
#include "tempered/tempered_functions.h"

enum {
    BLOCK_ROWS = 512,             /* of a thread's task */
    ROWS_AT_ONCE = 1 << 16,       /* whose probabilities are in memory */
    BINS = 15,                    /* of the expected calibration error: equal widths of the largest probability */
    LINES = TEMPER_THRESHOLDS + 1 /* of the table of thresholds of a class: the last is that of the largest F1 */
};

static const double thresholds[TEMPER_THRESHOLDS] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};

static const double LEAST_PROBABILITY = 1e-15; /* before taking logarithms */

/* A raw probability of at least this is accurate enough for its logarithm; for t2 < 1 the edge of support costs digits
 * (kernel/loss/probability.h). */
static const double LEAST_ACCURATE = 1e-290, LEAST_ACCURATE_SPARSE = 1e-6;

/* Weighted sums over the rows with their largest probability in one interval. */
struct calibration_bin {
    double weight, confidence, correct;
};

/* Weights of the rows with at least a threshold's probability of a class: all, and those of the class. */
struct threshold_sums {
    double flagged, correct;
};

/* Sums over all batches so far. Losses are sums over rows of known class only: a class that the model does not have
 * has no score. */
struct evaluator {
    const struct model *model;
    bool calibrated; /* the model has probabilities; otherwise log_loss, brier and bin stay 0 */
    unsigned long long rows, unknown;
    double weight, known; /* sums of weights: of all rows, and of those whose class is known */
    double correct, loss, log_loss, brier;
    struct calibration_bin bin[BINS];
    double *confusion; /* [label * classes + predicted]: weights */
    struct class_scores scores;
    struct threshold_sums threshold[2][TEMPER_THRESHOLDS]; /* of two classes */
};

/* Accepts NULL. */
void evaluator_free(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    mem_free(evaluator->confusion);
    class_scores_free(&evaluator->scores);
    mem_free(evaluator);
}

/* The model is borrowed and must live until evaluator_end or evaluator_free. */
temper_status evaluator_new(const struct model *model, struct evaluator **out, temper_error *error)
{
    size_t classes = model->classes.count, cells;
    struct evaluator *evaluator = mem_zeroed(1, sizeof *evaluator);
    if (!evaluator || !mul_size(classes, classes, &cells)) {
        mem_free(evaluator);
        return error_no_memory(error);
    }
    evaluator->model = model;
    evaluator->calibrated = model_has_probabilities(model);
    evaluator->scores.classes = classes;
    evaluator->scores.probabilities = evaluator->calibrated || loss_has_probabilities(model->loss);
    evaluator->confusion = mem_zeroed(cells, sizeof *evaluator->confusion);
    if (!evaluator->confusion) {
        evaluator_free(evaluator);
        return error_no_memory(error);
    }
    *out = evaluator;
    return TEMPER_OK;
}

/* ---- One row --------------------------------------------------------------------------------- */

/* The loss of one row that the model was trained with, without weight and penalty. */
double model_row_loss(const struct model *model, const double *a, uint32_t label, double *space)
{
    size_t classes = model->classes.count;
    double *column = space + classes; /* of the matrix of label noise: P(label | true class) */
    for (size_t c = 0; model->transition && c < classes; c++)
        column[c] = model->transition[c * classes + label];
    return loss_of_scores(model->loss, model->transition ? column : NULL, a, model->vectors, label, space);
}

/* The Brier score. With two classes both terms are equal, and by convention one of them counts; with more, the sum
 * over all. */
static double row_brier(const double *p, size_t classes, uint32_t label)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++)
        sum += (p[c] - (c == label)) * (p[c] - (c == label));
    return classes == 2 ? sum / 2 : sum;
}

/* What one row adds to the sums. Computed by the process that has the row, then exchanged as bytes. */
struct evaluated_row {
    double weight, loss, log_p, brier, confidence; /* log_p: of the label; confidence: the largest probability */
    uint32_t label, predicted, top;                /* top: the class of the largest probability */
};

/* Fills the fields that need calibrated probabilities p[classes]. `top` is kept besides `predicted`, so that confidence
 * and correctness in a calibration bin refer to the same class. */
static void evaluate_probabilities(size_t classes, const double *p, struct evaluated_row *row)
{
    size_t top = 0;
    for (size_t c = 1; c < classes; c++)
        if (p[c] > p[top])
            top = c;
    row->log_p = log(fmax(p[row->label], LEAST_PROBABILITY));
    row->brier = row_brier(p, classes, row->label);
    row->confidence = p[top];
    row->top = (uint32_t)top;
}

/* Bins have equal widths in the confidence; a confidence of exactly 1 belongs to the last one. */
static void add_probabilities(struct evaluator *e, const struct evaluated_row *row)
{
    /* The confidence of C classes is at least 1/C, so that the first bins may stay empty. */
    size_t number = (size_t)(row->confidence * BINS);
    struct calibration_bin *bin = &e->bin[number < BINS ? number : BINS - 1];
    e->log_loss -= row->weight * row->log_p;
    e->brier += row->weight * row->brier;
    bin->weight += row->weight;
    bin->confidence += row->weight * row->confidence;
    bin->correct += row->top == row->label ? row->weight : 0;
}

/* Two classes: adds a row to the thresholds that its probabilities reach. */
static void add_to_thresholds(struct evaluator *e, const struct evaluated_row *row, const double *p)
{
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < TEMPER_THRESHOLDS && p[c] >= thresholds[i]; i++) {
            e->threshold[c][i].flagged += row->weight;
            e->threshold[c][i].correct += row->label == c ? row->weight : 0;
        }
}

/* Must be called in the order of the rows: floating-point sums depend on it. p[classes] are the numbers that rank it.
 */
static temper_status add_row(struct evaluator *e, const struct evaluated_row *row, const double *p, temper_error *error)
{
    e->rows++;
    e->weight += row->weight;
    if (row->label == CLASSES_NONE) {
        e->unknown++;
        return TEMPER_OK;
    }
    /* From here on, rows of known class only. */
    e->known += row->weight;
    e->correct += row->predicted == row->label ? row->weight : 0;
    e->confusion[row->label * e->model->classes.count + row->predicted] += row->weight;
    e->loss += row->weight * row->loss;
    if (e->calibrated)
        add_probabilities(e, row);
    if (e->model->classes.count == 2)
        add_to_thresholds(e, row, p);
    return class_scores_add(&e->scores, p, row->label, row->weight, error);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* The model's number of each class of the data, found by name, or CLASSES_NONE; to be freed. NULL: out of memory. */
static uint32_t *match_classes(const struct model *model, const struct dataset *data)
{
    uint32_t *number = mem_alloc(data->classes.count, sizeof *number);
    for (size_t c = 0; number && c < data->classes.count; c++)
        number[c] = classes_find(&model->classes, data->classes.name[c], strlen(data->classes.name[c]));
    return number;
}

/* The evaluated rows of a batch, which processes exchange, and the numbers that rank them, [row * classes + c]:
 * calibrated probabilities; without them those of the loss; without these the scores. */
struct evaluated_batch {
    struct evaluated_row *row;
    double *p;
};

/* Allocates a batch of so many rows, of zeros: padding is sent to other processes too and must be initialised. False:
 * out of memory. */
static bool batch_alloc(struct evaluated_batch *batch, size_t rows, size_t classes)
{
    batch->row = mem_zeroed(rows, sizeof *batch->row);
    batch->p = mem_zeroed(rows, classes * sizeof *batch->p);
    return batch->row && batch->p;
}

static void batch_free(struct evaluated_batch *batch)
{
    mem_free(batch->row);
    mem_free(batch->p);
}

/* Gathers the evaluated rows of all processes. Every process then adds all of them in the same order, and ends with
 * the same sums as a single process would. */
static temper_status add_gathered(struct evaluator *e, const struct dataset *data, const struct evaluated_batch *here,
                                  temper_error *error)
{
    const temper_comm *comm = data->ranks.comm;
    size_t classes = e->model->classes.count, all_rows = (size_t)dataset_all_rows(data);
    uint64_t own = data->x.rows, *rows = mem_alloc(comm_size(comm), sizeof *rows);
    size_t *bytes = mem_alloc(comm_size(comm), sizeof *bytes);
    struct evaluated_batch all = {0};
    bool fine = batch_alloc(&all, all_rows, classes) && rows && bytes;
    temper_status status = comm_agree(comm, fine ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && fine) { /* in all processes */
        status = comm_gather_each(comm, &own, sizeof own, rows, error);
        /* Processes have different numbers of rows, hence messages of different sizes. */
        for (size_t r = 0; status == TEMPER_OK && r < comm_size(comm); r++)
            bytes[r] = (size_t)rows[r] * sizeof *all.row;
        if (status == TEMPER_OK)
            status = comm_gather(comm, here->row, bytes, all.row, error);
        for (size_t r = 0; status == TEMPER_OK && r < comm_size(comm); r++)
            bytes[r] = (size_t)rows[r] * classes * sizeof *all.p;
        if (status == TEMPER_OK)
            status = comm_gather(comm, here->p, bytes, all.p, error);
        for (size_t row = 0; status == TEMPER_OK && row < all_rows; row++)
            status = add_row(e, &all.row[row], all.p + row * classes, error);
    }
    mem_free(rows);
    mem_free(bytes);
    batch_free(&all);
    return status;
}

/* Adds the evaluated rows of a batch in their order: those of this process, or, with several, those of all. */
static temper_status add_batch(struct evaluator *e, const struct dataset *data, const struct evaluated_batch *here,
                               temper_error *error)
{
    size_t classes = e->model->classes.count;
    if (!comm_alone(data->ranks.comm))
        return add_gathered(e, data, here, error);
    for (size_t row = 0; data->label && row < (size_t)data->x.rows; row++)
        TRY(add_row(e, &here->row[row], here->p + row * classes, error));
    return TEMPER_OK;
}

/* ---- The rows of this process ---------------------------------------------------------------- */

/* A batch whose rows are evaluated on several threads. */
struct evaluation_job {
    const struct model *model;
    const struct dataset *data;
    uint32_t *number; /* of match_classes */
    bool calibrated;
    double *a;                    /* scores, [row * vectors + k] */
    double *raw;                  /* [row * classes + c]: probabilities of the loss, from which it follows; NULL: not */
    double *own_raw;              /* to be freed: those that are not the numbers of the ranking */
    double *space;                /* of each worker: two numbers for each class */
    struct evaluated_batch batch; /* the result */
};

static void job_free(struct evaluation_job *job)
{
    mem_free(job->number);
    mem_free(job->a);
    mem_free(job->own_raw);
    mem_free(job->space);
    batch_free(&job->batch);
}

/* The loss -log_t1 p of the label, where the probability is accurate; else from the scores. */
static double job_row_loss(const struct evaluation_job *job, size_t row, uint32_t label, double *space)
{
    const struct model *model = job->model;
    double p = job->raw ? job->raw[row * model->classes.count + label] : 0;
    if (p >= (model_t2(model) < 1 ? LEAST_ACCURATE_SPARSE : LEAST_ACCURATE))
        return -log_t(p, model->loss.t1);
    return model_row_loss(model, job->a + row * model->vectors, label, space);
}

/* Fills a row of the batch. A row of a class that the model does not have counts as wrong and has no loss. */
static void evaluate_row(const struct evaluation_job *job, size_t row, double *space)
{
    const struct dataset *data = job->data;
    size_t classes = job->model->classes.count;
    struct evaluated_row *to = &job->batch.row[row];
    to->label = job->number[data->label[row]];
    to->weight = data->weight ? data->weight[row] : 1;
    to->predicted = (uint32_t)predicted_class(job->model, job->a + row * job->model->vectors);
    if (to->label == CLASSES_NONE)
        return;
    to->loss = job_row_loss(job, row, to->label, space);
    if (job->calibrated)
        evaluate_probabilities(classes, job->batch.p + row * classes, to);
}

/* Callback of parallel_blocks. */
static temper_status evaluate_block(void *context, size_t block, size_t worker)
{
    const struct evaluation_job *job = context;
    size_t rows = (size_t)job->data->x.rows, end = (block + 1) * BLOCK_ROWS < rows ? (block + 1) * BLOCK_ROWS : rows;
    for (size_t row = block * BLOCK_ROWS; row < end; row++)
        evaluate_row(job, row, job->space + worker * 2 * job->model->classes.count);
    return TEMPER_OK;
}

/* Decision values as the numbers of the ranking. */
static void rank_by_scores(const struct evaluation_job *job)
{
    size_t vectors = job->model->vectors, rows = (size_t)job->data->x.rows;
    if (vectors > 1)
        memcpy(job->batch.p, job->a, rows * vectors * sizeof *job->a);
    for (size_t row = 0; vectors == 1 && row < rows; row++) {
        job->batch.p[2 * row] = -job->a[row];
        job->batch.p[2 * row + 1] = job->a[row];
    }
}

/* Fills scores, the numbers of the ranking and, where the loss follows from them, raw probabilities. */
static temper_status fill_predictions(struct evaluation_job *job, bool probabilities, size_t threads,
                                      temper_error *error)
{
    const struct model *model = job->model;
    const struct matrix *x = &job->data->x;
    struct prediction_target p = {.f64 = job->batch.p}, raw = {.f64 = job->own_raw};
    TRY(decide(model, x, threads, job->a, error));
    if (job->calibrated)
        TRY(predict(model, x, TEMPER_PREDICT_PROBABILITIES, threads, p, error));
    else if (probabilities)
        TRY(predict(model, x, TEMPER_PREDICT_RAW_PROBABILITIES, threads, p, error));
    else
        rank_by_scores(job);
    if (job->own_raw)
        TRY(predict(model, x, TEMPER_PREDICT_RAW_PROBABILITIES, threads, raw, error));
    return TEMPER_OK;
}

/* Whether the loss is a function of the raw probability of the label alone. */
static bool loss_follows_from_p(const struct model *model)
{
    return loss_is_two_temperature(model->loss) && !model->transition;
}

/* Evaluates all rows into job->batch. */
static temper_status evaluate_rows(const struct evaluator *e, struct evaluation_job *job, size_t threads,
                                   temper_error *error)
{
    const struct model *model = e->model;
    size_t rows = (size_t)job->data->x.rows, classes = model->classes.count;
    bool own_raw = e->calibrated && loss_follows_from_p(model);
    job->number = match_classes(model, job->data);
    job->a = mem_alloc(rows, model->vectors * sizeof *job->a);
    job->own_raw = own_raw ? mem_alloc(rows, classes * sizeof *job->own_raw) : NULL;
    job->space = mem_alloc(threads, 2 * classes * sizeof *job->space);
    if (!batch_alloc(&job->batch, rows, classes) || !job->number || !job->a || !job->space ||
        (own_raw && !job->own_raw))
        return error_no_memory(error);
    if (!job->data->label) /* of no rows */
        return TEMPER_OK;
    if (loss_follows_from_p(model))
        job->raw = own_raw ? job->own_raw : job->batch.p;
    TRY(fill_predictions(job, e->scores.probabilities, threads, error));
    /* Logarithm, power and Brier score take as long as some multiplications for each class. */
    threads = threads_worth(threads, (double)rows * (40 + 4 * (double)classes));
    return parallel_blocks((rows + BLOCK_ROWS - 1) / BLOCK_ROWS, threads, evaluate_block, job);
}

/* Rows [from, from + count) of a single process, which share everything else. */
static struct dataset rows_of(const struct dataset *data, size_t from, size_t count)
{
    struct dataset part = *data;
    part.x = matrix_slice(&data->x, from, count);
    part.label = data->label ? data->label + from : NULL;
    part.weight = data->weight ? data->weight + from : NULL;
    return part;
}

/* Evaluates and adds rows. Processes agree on failures before each exchange; otherwise one that failed would leave the
 * others waiting forever. */
static temper_status add_rows(struct evaluator *e, const struct dataset *data, size_t threads, temper_error *error)
{
    struct evaluation_job job = {.model = e->model, .data = data, .calibrated = e->calibrated};
    temper_status status = comm_agree(data->ranks.comm, evaluate_rows(e, &job, threads, error), error);
    if (status == TEMPER_OK)
        status = comm_agree(data->ranks.comm, add_batch(e, data, &job.batch, error), error);
    job_free(&job);
    return status;
}

/* A single process takes some rows at a time, so that their probabilities need little memory. */
temper_status evaluator_add(struct evaluator *e, const struct dataset *data, size_t threads, temper_error *error)
{
    /* A process without rows may have no labels either, which is no error. */
    bool unlabelled = !data->label && data->x.rows > 0;
    size_t rows = (size_t)data->x.rows;
    temper_status status = TEMPER_OK;
    if (unlabelled)
        status = error_set(error, TEMPER_BAD_DATA,
                           "%s: there are no labels to compare with; pass --label COLUMN or --labels FILE",
                           data->file.path ? data->file.path : "data");
    status = comm_agree(data->ranks.comm, status, error);
    if (status == TEMPER_OK && !comm_alone(data->ranks.comm))
        return add_rows(e, data, threads, error);
    for (size_t from = 0; status == TEMPER_OK && from < rows; from += ROWS_AT_ONCE) {
        const struct dataset part = rows_of(data, from, rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE);
        status = add_rows(e, &part, threads, error);
    }
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Balanced accuracy: the mean recall over the classes that occur in the data. Unlike accuracy it is not raised by
 * always predicting a frequent class. */
static double balanced(const struct evaluator *e)
{
    size_t classes = e->model->classes.count, seen = 0;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        double all = 0;
        for (size_t k = 0; k < classes; k++)
            all += e->confusion[c * classes + k];
        /* Classes without rows have no recall. */
        if (all > 0) {
            seen++;
            sum += e->confusion[c * classes + c] / all;
        }
    }
    return seen ? sum / (double)seen : (double)NAN;
}

/* The expected calibration error: the mean of |confidence - accuracy| over the bins, weighted by their rows. The sums
 * of a bin are not divided by its weight, as that would cancel. It is 0 for a model whose probabilities are right on
 * average in every bin (Naeini, Cooper and Hauskrecht 2015). */
static double calibration_error(const struct evaluator *e)
{
    double sum = 0;
    for (size_t b = 0; b < BINS; b++)
        sum += fabs(e->bin[b].confidence - e->bin[b].correct);
    return sum / e->known;
}

/* a / b, undefined where b is 0. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

/* Precision, recall and F1 of a class from the confusion matrix. */
static temper_class_quality quality_of(const struct evaluator *e, size_t c)
{
    size_t classes = e->model->classes.count;
    temper_class_quality quality = {0};
    double correct = e->confusion[c * classes + c];
    for (size_t k = 0; k < classes; k++) {
        quality.weight += e->confusion[c * classes + k];
        quality.predicted += e->confusion[k * classes + c];
    }
    quality.precision = ratio(correct, quality.predicted);
    quality.recall = ratio(correct, quality.weight);
    quality.f1 = ratio(2 * correct, quality.weight + quality.predicted);
    return quality;
}

/* The figures of a class whose means are taken. */
static double *figure_of(temper_class_quality *quality, size_t which)
{
    double *const figure[] = {&quality->precision, &quality->recall, &quality->f1, &quality->auc,
                              &quality->average_precision};
    return figure[which];
}

/* The mean over the classes for which a figure is defined: of all alike, or by the weights of their rows. */
static temper_class_quality mean_quality(temper_class_quality *quality, size_t classes, bool weighted)
{
    enum { FIGURES = 5 };
    temper_class_quality mean = {0};
    for (size_t c = 0; c < classes; c++) {
        mean.weight += quality[c].weight;
        mean.predicted += quality[c].predicted;
    }
    for (size_t i = 0; i < FIGURES; i++) {
        double sum = 0, weights = 0;
        for (size_t c = 0; c < classes; c++) {
            double figure = *figure_of(&quality[c], i), weight = weighted ? quality[c].weight : 1;
            if (!isnan(figure)) {
                sum += weight * figure;
                weights += weight;
            }
        }
        *figure_of(&mean, i) = ratio(sum, weights);
    }
    return mean;
}

/* The table of thresholds of one of two classes. */
static void fill_thresholds(const struct evaluator *e, size_t c, double weight, const struct class_ranking *ranking,
                            temper_threshold *out)
{
    for (size_t i = 0; i < TEMPER_THRESHOLDS; i++) {
        const struct threshold_sums *sums = &e->threshold[c][i];
        out[i] = (temper_threshold){.threshold = thresholds[i],
                                    .precision = ratio(sums->correct, sums->flagged),
                                    .recall = ratio(sums->correct, weight),
                                    .f1 = ratio(2 * sums->correct, sums->flagged + weight),
                                    .flagged = ratio(sums->flagged, e->known)};
    }
    out[TEMPER_THRESHOLDS] = (temper_threshold){.threshold = ranking->best_threshold,
                                                .precision = ranking->best_precision,
                                                .recall = ranking->best_recall,
                                                .f1 = ranking->best_f1,
                                                .flagged = ranking->best_flagged};
}

/* Fills the figures of the classes, their means and the thresholds. What was allocated is in *out on failure too. */
static temper_status fill_classes(const struct evaluator *e, temper_evaluation *out, temper_error *error)
{
    size_t classes = e->model->classes.count;
    bool has_thresholds = classes == 2 && e->scores.probabilities;
    out->quality = mem_alloc(classes, sizeof *out->quality);
    out->thresholds = has_thresholds ? mem_alloc(classes, LINES * sizeof *out->thresholds) : NULL;
    if (!out->quality || (has_thresholds && !out->thresholds))
        return error_no_memory(error);
    for (size_t c = 0; c < classes; c++) {
        struct class_ranking ranking;
        TRY(class_scores_rank(&e->scores, (uint32_t)c, &ranking, error));
        out->quality[c] = quality_of(e, c);
        out->quality[c].auc = ranking.auc;
        out->quality[c].average_precision = ranking.average_precision;
        if (out->thresholds)
            fill_thresholds(e, c, out->quality[c].weight, &ranking, out->thresholds + c * LINES);
    }
    out->macro = mean_quality(out->quality, classes, false);
    out->weighted = mean_quality(out->quality, classes, true);
    out->grouped = e->scores.intervals > 0;
    return TEMPER_OK;
}

/* Accuracy is relative to all rows, losses to rows of known class; without such rows they are NAN. The evaluator is
 * freed in any case; `out` NULL discards the results. */
temper_status evaluator_end(struct evaluator *e, temper_evaluation *out, temper_error *error)
{
    /* Nothing to report: discarded by the caller, or no row with a positive weight. */
    if (!out || e->rows == 0 || !(e->weight > 0)) {
        evaluator_free(e);
        return out ? error_set(error, TEMPER_BAD_DATA, "there are no rows to evaluate; give some") : TEMPER_OK;
    }
    /* Without rows of known class, means of losses would be 0/0. */
    bool known = e->known > 0, calibrated = known && e->calibrated;
    temper_evaluation made = {.rows = e->rows,
                              .unknown = e->unknown,
                              .weight = e->weight,
                              .accuracy = e->correct / e->weight,
                              .balanced_accuracy = balanced(e),
                              .loss = known ? e->loss / e->known : (double)NAN,
                              .log_loss = calibrated ? e->log_loss / e->known : (double)NAN,
                              .brier = calibrated ? e->brier / e->known : (double)NAN,
                              .ece = calibrated ? calibration_error(e) : (double)NAN,
                              .classes = e->model->classes.count};
    temper_status status = fill_classes(e, &made, error);
    if (status == TEMPER_OK) {
        made.confusion = e->confusion;
        e->confusion = NULL; /* it belongs to the caller now */
        *out = made;
    } else {
        mem_free(made.quality);
        mem_free(made.thresholds);
    }
    evaluator_free(e);
    return status;
}
