/* margin_rank: trains on the given labels, then takes the score of each row's label less the largest other one.
 *
 * That is the margin of the row: positive where the model predicts the label. Noise by margin changes the labels of
 * correctly classified rows in the order of their margins, to the class with the second largest score. A model that has
 * not converged is refused, since its order of the rows would depend on the solver. */
#include "predict/margin_rank.h"

#include "base/memory.h"
#include "base/thread.h"
#include "data/noise/noise_rows.h"
#include "predict/predict.h"
#include "temper_extra.h"
#include "train/train.h"

/* Scores and margins of all rows. */
struct margin_ranking {
    double *activation; /* [row * vectors + k] */
    double *margin;
    uint32_t *runner_up; /* the best class other than the label; NULL for two classes */
};

/* Also for a ranking that was allocated in part. */
static void ranking_free(struct margin_ranking *ranking)
{
    mem_free(ranking->activation);
    mem_free(ranking->margin);
    mem_free(ranking->runner_up);
}

/* Allocates the arrays; on failure nothing remains allocated. */
static temper_status ranking_new(const struct dataset *data, size_t vectors, struct margin_ranking *ranking,
                                 temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    *ranking = (struct margin_ranking){.margin = mem_alloc(rows, sizeof *ranking->margin)};
    /* Otherwise the product would overflow; activation stays NULL, which counts as out of memory. */
    if (rows <= SIZE_MAX / vectors)
        ranking->activation = mem_alloc(rows * vectors, sizeof *ranking->activation);
    if (vectors > 1)
        ranking->runner_up = mem_alloc(rows, sizeof *ranking->runner_up);
    if (ranking->activation && ranking->margin && (vectors == 1 || ranking->runner_up))
        return TEMPER_OK;
    ranking_free(ranking);
    error_no_memory(error);
    return TEMPER_NO_MEMORY; /* a constant, for static analysers */
}

/* The class of the largest score apart from `own`; of equal scores the first. */
static uint32_t best_other(const double *a, size_t classes, uint32_t own)
{
    uint32_t best = own == 0;
    for (uint32_t c = best + 1; c < classes; c++)
        if (c != own && a[c] > a[best])
            best = c;
    return best;
}

/* Fills margins and runner-up classes from the scores. A negative margin means that the model predicts another
 * class. */
static void find_margins(const struct dataset *data, size_t vectors, struct margin_ranking *ranking)
{
    for (size_t row = 0; row < (size_t)data->x.rows; row++) {
        const double *a = ranking->activation + row * vectors;
        uint32_t own = data->label[row];
        if (vectors == 1) { /* the score of class 1 against class 0 */
            ranking->margin[row] = own ? *a : -*a;
            continue;
        }
        ranking->runner_up[row] = best_other(a, vectors, own);
        ranking->margin[row] = a[own] - a[ranking->runner_up[row]];
    }
}

/* Computes the margins of all rows; on success the caller frees *ranking. */
static temper_status rank(const struct dataset *data, const struct model *model, const temper_noise_options *options,
                          struct margin_ranking *ranking, temper_error *error)
{
    size_t threads = options->threads ? options->threads : thread_count_default();
    temper_status status = ranking_new(data, model->vectors, ranking, error);
    if (status != TEMPER_OK)
        return status;
    status = decide(model, &data->x, threads, ranking->activation, error);
    if (status == TEMPER_OK)
        find_margins(data, model->vectors, ranking);
    else
        ranking_free(ranking);
    return status;
}

/* The largest margins are those that change last: a gradient of 1e-4 of that at W = 0, enough for a classifier, ends
 * so early on separable rows that most of them are others. Sums of floats cannot be solved to 1e-8. */
static const double RANK_TOLERANCE = 1e-8;
enum { RANK_ITERATIONS = 20000 };

/* Where rounding ends the minimisation a little above the tolerance, the ranking is as good as it can be. */
static const double STALLED_TOLERANCE = 1e-6;

/* The options of that logistic regression; all others are defaults, so that the noise depends on data and options
 * only. */
static temper_train_options rank_training(const temper_noise_options *options)
{
    temper_train_options training = temper_train_defaults();
    training.loss.method = TEMPER_LOGISTIC;
    training.l2 = options->rank_l2;
    training.scale = options->rank_scale;
    training.seed = options->seed;
    training.threads = options->threads;
    training.precision = "f64";
    training.tolerance = RANK_TOLERANCE;
    training.max_iterations = RANK_ITERATIONS;
    return training;
}

/* Refuses to rank by a model that is not at its minimum. Without a penalty separable rows have none, however small the
 * gradient has become. */
static temper_status check_converged(const temper_train_report *report, temper_error *error)
{
    if (report->l2 == 0 && report->accuracy == 1)
        return error_set(error, TEMPER_BAD_DATA,
                         "the rows are linearly separable, so that the logistic regression that ranks them has no "
                         "minimum without a penalty; give an l2 above 0 by --rank-l2 (rank_l2)");
    if (report->stop == TEMPER_STOP_CONVERGED ||
        (report->stop == TEMPER_STOP_STALLED && report->gradient_norm <= STALLED_TOLERANCE))
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     "the logistic regression that ranks the rows has no minimum within %d iterations (l2 %g, gradient "
                     "%.1e); give a larger l2 by --rank-l2 (rank_l2), or another --rank-scale (rank_scale)",
                     RANK_ITERATIONS, report->l2, report->gradient_norm);
}

/* Trains a logistic regression with penalty and scaling of the options, and lets noise_margin change the labels of
 * the rows of smallest or largest margin. The model is freed before the noise is drawn. */
temper_status noise_by_rank(const struct dataset *data, const temper_noise_options *options, bool largest,
                            struct noise *out, temper_error *error)
{
    const temper_train_options training = rank_training(options);
    temper_train_report report;
    struct margin_ranking ranking;
    struct model *model;
    temper_status status = noise_check_classes(data, error);
    if (status == TEMPER_OK)
        status = train(data, &training, &model, &report, error);
    if (status != TEMPER_OK)
        return status;
    status = check_converged(&report, error);
    if (status == TEMPER_OK)
        status = rank(data, model, options, &ranking, error);
    model_free(model);
    if (status != TEMPER_OK)
        return status;
    /* Borrowed by noise_margin for the duration of the call. */
    struct margins margins = {ranking.margin, ranking.runner_up};
    status = noise_margin(data, margins, options->rate, largest, out, error);
    ranking_free(&ranking);
    return status;
}
