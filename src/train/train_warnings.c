/* warnings: what a user should know of a model before trusting it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/columns/column_stats.h"
#include "data/columns/sanity_checks.h"
#include "tempered/loss_family.h"
#include "tempered/tempered_functions.h"
#include "train/remote/train_remote.h"
#include "train/train_state.h"

/* Solutions of different starts agree if at most this share of rows is predicted differently. */
static const double STARTS_DIFFER = 0.02;
/* Classes that are never predicted are worth a word if they have this share of the rows. */
static const double GIVEN_UP = 0.25;
/* Standard deviations of features that differ by more than this ask for scaling. */
static const double SIZES_DIFFER = 1e4;
enum { SIZES_ROWS = 2048 }; /* tell that; all of them would take as long as several passes */
/* A loss so far above that of no features is more than a coarse tolerance leaves. */
static const double LEAST_PLATEAU = 1e-3;

static void add(temper_train_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(temper_train_report *report, const char *format, ...)
{
    size_t used = strlen(report->warnings), room = sizeof report->warnings - used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(report->warnings + used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= room)
        report->warnings[used] = '\0'; /* no half sentences */
    else
        memcpy(report->warnings + used + length, "\n", 2);
}

/* ---- Nothing learnt -------------------------------------------------------------------------- */

/* Of rows that lie elsewhere. */
static temper_status planned_shares(const struct training_run *t, double **out)
{
    const struct shard_stats *all = &t->plan->all;
    double *share = mem_alloc(all->classes.count, sizeof *share);
    if (!share)
        return error_no_memory(t->error);
    for (size_t c = 0; c < all->classes.count; c++)
        share[c] = all->class_weight[c] / all->weight_sum;
    *out = share;
    return TEMPER_OK;
}

/* The shares of the classes, by weight. */
static void add_shares(void *context, void *state)
{
    const struct dataset *data = ((const struct training_run *)context)->data;
    double *share = state, *sum = share + data->classes.count;
    for (uint64_t row = 0; row < data->x.rows; row++) {
        double weight = data->weight ? data->weight[row] : 1;
        share[data->label[row]] += weight;
        *sum += weight;
    }
}

static temper_status class_shares(struct training_run *t, double **out)
{
    size_t classes = t->data->classes.count;
    if (t->plan)
        return planned_shares(t, out);
    double *share = mem_zeroed(classes + 1, sizeof *share);
    if (!share)
        return error_no_memory(t->error);
    temper_status status =
        comm_in_turn(t->data->ranks.comm, add_shares, t, share, (classes + 1) * sizeof *share, t->error);
    for (size_t c = 0; c < classes; c++)
        share[c] /= share[classes];
    if (status == TEMPER_OK)
        *out = share;
    else
        mem_free(share);
    return status;
}

/* The smallest mean loss without any features: p-hat is the escort of order 1/t1 of the shares
 * (section 5 of the paper), all on the largest for t1 = 0. */
static double loss_of_no_features(temper_loss_spec loss, const double *share, size_t classes)
{
    double sum = 0, total = 0, largest = 0;
    for (size_t c = 0; c < classes; c++)
        largest = fmax(largest, share[c]);
    if (loss.t1 == 0)
        return 1 - largest;
    for (size_t c = 0; c < classes; c++)
        sum += pow(share[c] / largest, 1 / loss.t1);
    for (size_t c = 0; c < classes; c++)
        if (share[c] > 0)
            total -= share[c] * log_t(pow(share[c] / largest, 1 / loss.t1) / sum, loss.t1);
    return total;
}

/* Only a loss that is flat far out can end there. Weights that are 0 have not leapt anywhere, and
 * who ran out of iterations has not ended. */
static bool may_be_plateau(const struct training_run *t)
{
    double norm = 0;
    for (size_t i = 0; i < t->size; i++)
        norm += t->answer[i] * t->answer[i];
    return loss_is_two_temperature(t->loss) && t->loss.t1 < 1 && norm > 0 && !t->interrupted &&
           t->stop != OPTIM_MAX_ITER && !t->options->no_intercept;
}

/* Where features tell nothing, the best model has the loss of no features but for what the
 * tolerance leaves. A plateau has about the loss of one class everywhere, with certainty. */
temper_status refuse_plateau(struct training_run *t, const temper_train_report *report)
{
    double largest = 0, *share = NULL;
    if (!may_be_plateau(t))
        return TEMPER_OK;
    temper_status status = class_shares(t, &share);
    if (status != TEMPER_OK)
        return status;
    for (size_t c = 0; c < t->data->classes.count; c++)
        largest = fmax(largest, share[c]);
    double least = loss_of_no_features(t->loss, share, t->data->classes.count);
    double certain = (1 - largest) / (1 - t->loss.t1);
    mem_free(share);
    if (report->train_loss <= fmax((least + certain) / 2, least + LEAST_PLATEAU))
        return TEMPER_OK;
    return error_set(t->error, TEMPER_BAD_DATA,
                     "nothing was learnt: training ended where the loss is flat (%.4g, and %.4g "
                     "without any features); lower t2, or start elsewhere with --starts 2",
                     report->train_loss, least);
}

/* ---- How it ended ---------------------------------------------------------------------------- */

static void warn_stop(const struct training_run *t, temper_train_report *report)
{
    if (report->stop == TEMPER_STOP_MAX_ITER)
        add(report,
            "stopped after %zu iteration%s with the gradient at %.4g of its start, not at %g; "
            "raise "
            "--max-iter, or --tol if that is good enough",
            t->options->max_iterations, plural(t->options->max_iterations), report->gradient_norm,
            t->options->tolerance);
    double fall = hinge_fall(t, t->answer_loss);
    if (report->stop == TEMPER_STOP_STALLED && fall > 0)
        add(report,
            "stalled with the gradient at %.4g of its start, not at %g: the hinge has kinks, and "
            "the last hundred iterations lowered the objective by less than %.2g; raise --tol, or "
            "pass --loss logistic",
            report->gradient_norm, t->options->tolerance, fall);
    else if (report->stop == TEMPER_STOP_STALLED)
        add(report,
            "stalled with the gradient at %.4g of its start, not at %g: rounding hides any further "
            "progress; %s, or raise --tol",
            report->gradient_norm, t->options->tolerance,
            t->f64 ? "pass --scale standard if the features differ in size" : "pass --precision f64");
    if (report->accuracy == 1 && t->l2 == 0)
        add(report, "the classes are separable and l2 is 0: the weights have no finite optimum; "
                    "pass --l2 1e-4 or more");
}

/* ---- Features -------------------------------------------------------------------------------- */

/* The variance of each feature, from rows spread evenly; several processes take all of theirs, for
 * a list of rows is of one alone. */
static temper_status sample_sums(const struct training_run *t, struct column_stats *sums)
{
    size_t rows = (size_t)t->data->x.rows, count = rows < SIZES_ROWS ? rows : SIZES_ROWS;
    struct negative_entry negative;
    size_t *row = mem_alloc(count, sizeof *row);
    if (!row)
        return error_no_memory(t->error);
    for (size_t i = 0; i < count; i++)
        row[i] = rows / count * i;
    bool alone = comm_alone(t->data->ranks.comm);
    struct sum_task task = {.data = t->data,
                            .row = alone ? row : NULL,
                            .count = alone ? count : rows,
                            .variances = true,
                            .threads = t->threads};
    temper_status status = column_stats(&task, sums, &negative, t->error);
    mem_free(row);
    return status;
}

static temper_status warn_sizes(struct training_run *t, temper_train_report *report)
{
    struct column_stats sums;
    double least = INFINITY, most = 0;
    if (t->ground->scale.kind != SCALE_NONE || t->data->x.kind == MATRIX_CSR)
        return TEMPER_OK;
    temper_status status = sample_sums(t, &sums);
    if (status != TEMPER_OK)
        return status;
    for (size_t j = 0; j < (size_t)t->data->x.columns; j++)
        if (sums.variance[j] > 0) {
            least = fmin(least, sums.variance[j]);
            most = fmax(most, sums.variance[j]);
        }
    column_stats_free(&sums);
    if (most > SIZES_DIFFER * SIZES_DIFFER * least)
        add(report,
            "features differ in size by a factor of %.1g, so that the penalty weighs on the small "
            "ones and the problem is ill-conditioned; pass --scale standard",
            sqrt(most / least));
    return TEMPER_OK;
}

/* One cell with a slip of the pen makes a scaled column useless. Of several processes none sees all
 * the rows that this takes. */
static void warn_lone(const struct training_run *t, temper_train_report *report)
{
    const struct dataset *data = t->ground->given;
    const struct scale *scale = &t->ground->scale;
    struct outlier_value lone;
    for (size_t i = 0; i < scale->lones && comm_alone(data->ranks.comm); i++) {
        if (!outlier_find(data, scale->lone[i], &lone))
            continue;
        unsigned long long line = data->line ? data->line[lone.row] : lone.row + 1;
        add(report,
            "%s: the value %.7g in %s %llu is over 1000 times as far from the others as they are "
            "from each other, and scaling makes these all but equal; correct it or drop the row",
            feature_text(data, scale->lone[i]).text, lone.value, data->line ? "line" : "row", line);
    }
}

/* ---- Predictions ----------------------------------------------------------------------------- */

static uint32_t winner(const double *a, size_t vectors)
{
    uint32_t best = 0;
    if (vectors == 1)
        return a[0] > 0;
    for (uint32_t k = 1; k < vectors; k++)
        if (a[k] > a[best])
            best = k;
    return best;
}

/* What an answer predicts for every training row. */
static temper_status predict_rows(struct training_run *t, const double *w, uint32_t *predicted)
{
    size_t vectors = objective_vectors(t->objective), rows = (size_t)t->data->x.rows;
    double *a = mem_alloc(rows < PREDICTED_ROWS ? rows : PREDICTED_ROWS, vectors * sizeof *a);
    if (!a)
        return error_no_memory(t->error);
    struct solution solution = {w, vectors, !t->options->no_intercept};
    temper_status status = TEMPER_OK;
    for (size_t from = 0; status == TEMPER_OK && from < rows; from += PREDICTED_ROWS) {
        size_t left = rows - from, count = left < PREDICTED_ROWS ? left : PREDICTED_ROWS;
        struct matrix slice = matrix_slice(&t->ground->given->x, from, count);
        status = scaled_features_activations_of(t->ground, &slice, solution, t->threads, a, t->error);
        for (size_t row = 0; status == TEMPER_OK && row < count; row++)
            predicted[from + row] = winner(a + row * vectors, vectors);
    }
    mem_free(a);
    return status;
}

static temper_status disagreement(const struct training_run *t, const uint32_t *a, const uint32_t *b, double *share)
{
    uint64_t different = 0, all;
    for (uint64_t row = 0; row < t->data->x.rows; row++)
        different += a[row] != b[row];
    temper_status status = comm_count(t->data->ranks.comm, different, NULL, &all, t->error);
    if (status == TEMPER_OK)
        *share = (double)all / (double)dataset_all_rows(t->data);
    return status;
}

/* Which classes are predicted at all. */
struct seen {
    const struct training_run *t;
    const uint32_t *predicted;
};

static void see_predictions(void *context, void *state)
{
    const struct seen *seen = context;
    unsigned char *is_there = state;
    for (uint64_t row = 0; row < seen->t->data->x.rows; row++)
        is_there[seen->predicted[row]] = 1;
}

/* A bounded loss can be least where some classes are right and the others are given up: their rows
 * have probabilities near 0, where the loss is flat. It is a solution, and a useless one. */
static temper_status warn_given_up(const struct training_run *t, const uint32_t *predicted, const double *share,
                                   temper_train_report *report)
{
    size_t classes = t->data->classes.count, left = 0, only = 0;
    double lost = 0;
    struct seen seen = {t, predicted};
    unsigned char *is_there = mem_zeroed(classes, 1);
    if (!is_there)
        return error_no_memory(t->error);
    temper_status status = comm_in_turn(t->data->ranks.comm, see_predictions, &seen, is_there, classes, t->error);
    for (size_t c = 0; c < classes; c++) {
        left += is_there[c];
        only = is_there[c] ? c : only;
        lost += is_there[c] ? 0 : share[c];
    }
    mem_free(is_there);
    if (status != TEMPER_OK)
        return status;
    if (left == 1)
        add(report,
            "every row is predicted to be '%.40s': the model has collapsed to one class; lower "
            "--l2, or pass --class-weight balanced",
            t->data->classes.name[only]);
    else if (lost >= GIVEN_UP)
        add(report,
            "%zu of %zu classes, with %.0f %% of the rows, are never predicted: this loss is least "
            "where they are given up; lower t2, or raise t1",
            classes - left, classes, 100 * lost);
    return TEMPER_OK;
}

static temper_status warn_starts(struct training_run *t, const uint32_t *first, uint32_t *other,
                                 temper_train_report *report)
{
    for (size_t k = 1; k < t->answers; k++) {
        double share;
        temper_status status = predict_rows(t, t->answer + k * t->size, other);
        if (status == TEMPER_OK)
            status = disagreement(t, first, other, &share);
        if (status != TEMPER_OK)
            return status;
        if (share > STARTS_DIFFER)
            add(report,
                "start %zu ends in another model, which predicts %.1f %% of the rows differently: "
                "the labels carry structure that no single fit can settle; look at the rows with "
                "'temper audit', or let a few trusted labels decide",
                k + 1, 100 * share);
    }
    return TEMPER_OK;
}

/* Whether the accuracy leaves room for classes that are never predicted. */
static bool may_have_given_up(const struct training_run *t, const double *share, const temper_train_report *report)
{
    double largest = 0;
    for (size_t c = 0; c < t->data->classes.count; c++)
        largest = fmax(largest, share[c]);
    return report->accuracy <= largest * (1 + 1e-9) || (t->data->classes.count > 2 && report->accuracy <= 1 - GIVEN_UP);
}

static temper_status check_predictions(struct training_run *t, const double *share, temper_train_report *report)
{
    size_t rows = (size_t)t->data->x.rows;
    uint32_t *first = mem_alloc(rows, sizeof *first), *other = mem_alloc(rows, sizeof *other);
    temper_status status = first && other ? predict_rows(t, t->answer, first) : error_no_memory(t->error);
    if (status == TEMPER_OK)
        status = warn_given_up(t, first, share, report);
    if (status == TEMPER_OK)
        status = warn_starts(t, first, other, report);
    mem_free(first);
    mem_free(other);
    return status;
}

/* A pass that is spent only where there may be something to say. */
static temper_status warn_predictions(struct training_run *t, temper_train_report *report)
{
    double *share = NULL;
    temper_status status = class_shares(t, &share);
    if (status != TEMPER_OK)
        return status;
    if (t->answers >= 2 || may_have_given_up(t, share, report))
        status = check_predictions(t, share, report);
    mem_free(share);
    return status;
}

temper_status warn_user(struct training_run *t, temper_train_report *report)
{
    warn_stop(t, report);
    if (t->plan)
        return TEMPER_OK; /* the others look at rows */
    warn_lone(t, report);
    temper_status status = warn_sizes(t, report);
    return status == TEMPER_OK ? warn_predictions(t, report) : status;
}
