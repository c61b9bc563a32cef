/* given_probabilities: an audit by the probabilities of any model, in place of the scores of temper's own fits; and the
 * features, such as embeddings, that such an audit compares rows by. */
#include "audit/given_probabilities.h"

#include <math.h>

#include "audit/audit_steps.h"
#include "base/memory.h"
#include "base/text.h"
#include "tempered/loss_family.h"

/* Probabilities that are written with few digits, or as floats, sum to 1 within this; they are then normalised. */
static const double SUM_TOLERANCE = 0.01;

/* ---- Checks ---------------------------------------------------------------------------------- */

/* A probability above 1 is found by its sum, or by the negative one beside it. */
bool probabilities_are_bad(const double *p, size_t classes, struct probability_fault *fault)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        *fault = (struct probability_fault){isfinite(p[c]) ? "include" : "include the value", p[c]};
        if (!isfinite(p[c]) || p[c] < 0)
            return true;
        sum += p[c];
    }
    *fault = (struct probability_fault){"sum to", sum};
    return !(fabs(sum - 1) <= SUM_TOLERANCE);
}

/* Rows are counted from 0, as callers of a library do. */
static temper_status check_probabilities(const struct audit_input *in, size_t rows, size_t classes)
{
    struct probability_fault fault;
    for (size_t row = 0; row < rows; row++)
        if (probabilities_are_bad(in->options->probabilities + row * classes, classes, &fault))
            return error_set(in->error, TEMPER_BAD_DATA,
                             "the probabilities of row %zu, counted from 0, %s %g; give probabilities >= 0 that sum "
                             "to 1, one for each of %zu classes",
                             row, fault.what, fault.value, classes);
    return TEMPER_OK;
}

/* What train_check refuses, except data without features. */
static temper_status check_labels(const struct audit_input *in)
{
    const struct dataset *data = in->given;
    const char *source = data->file.path ? data->file.path : "data";
    if (!data->label)
        return error_set(in->error, TEMPER_BAD_DATA,
                         "%s: there are no labels to audit; pass --label COLUMN or --labels FILE", source);
    if (data->classes.count < 2)
        return error_set(in->error, TEMPER_BAD_DATA, "%s: all rows have one class; an audit needs two or more", source);
    return TEMPER_OK;
}

/* Refuses features of other rows, and outliers where there is nothing to measure distances by. */
static temper_status check_features(const struct audit_input *in)
{
    const struct dataset *features = in->features;
    const char *kind = in->options->kind;
    if (features && features->x.rows != in->given->x.rows)
        return error_set(in->error, TEMPER_BAD_DATA,
                         "%s: there are features of %s row%s for %s labels; give the features of the same rows in "
                         "the same order",
                         features->file.path ? features->file.path : "features", count_shown(features->x.rows).text,
                         plural(features->x.rows), count_shown(in->given->x.rows).text);
    if (!features && kind && kind[0] == 'r')
        return error_set(in->error, TEMPER_USAGE,
                         "outliers are found by their features, and there are none; pass --features FILE");
    return TEMPER_OK;
}

/* Arrays of the caller are those of all rows, so several processes could not tell which are theirs. */
temper_status audit_check_given(struct audit_input *in)
{
    const temper_audit_options *options = in->options;
    const struct dataset *other = (const struct dataset *)options->features;
    in->features = other ? other : in->given->x.columns > 0 ? in->given : NULL;
    bool given = options->probabilities || other || options->fold;
    if (given && !comm_alone(in->given->ranks.comm))
        return error_set(in->error, TEMPER_USAGE,
                         "an audit with given probabilities, features or folds runs in one process; start it without "
                         "mpirun");
    if (options->probabilities) {
        TRY(check_labels(in));
        TRY(check_probabilities(in, (size_t)in->given->x.rows, in->given->classes.count));
    }
    return check_features(in);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* One number per class and row. */
void audit_log_probabilities(const struct audit_input *in, double added, struct audit_fits *fits)
{
    for (size_t i = 0; i < in->rows * in->classes; i++)
        fits->activation[0][i] = log(in->options->probabilities[i] + added);
}

/* The logarithms of the probabilities are activations of a softmax: t1 = t2 = 1. Folds are drawn where
 * the regression on random features needs them. */
temper_status audit_take_probabilities(const struct audit_input *in, struct audit_fits *fits,
                                       temper_audit_report *report)
{
    size_t cells;
    TRY(audit_budget(in));
    if (in->features && in->classes <= NOISE_CLASSES)
        TRY(audit_split(in, fits, report));
    if (!mul_size(in->rows, in->classes, &cells))
        return error_no_memory(in->error);
    fits->activation[0] = mem_alloc(cells, sizeof *fits->activation[0]);
    if (!fits->activation[0])
        return error_no_memory(in->error);
    audit_log_probabilities(in, LEAST_ADDED, fits);
    fits->loss[0] = loss_resolve((temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1});
    fits->l2 = (double)NAN;
    return TEMPER_OK;
}

/* ---- Models that have seen the rows ----------------------------------------------------------- */

/* At most one label in SEEN_ALL contradicts the probabilities; or, where there are neighbours, SEEN_RATIO times as many
 * contradict the majority of these, and at least SEEN_LEAST of all rows. */
static const double SEEN_ALL = 1000, SEEN_RATIO = 10, SEEN_LEAST = 0.05;
enum { SEEN_ROWS = 100 }; /* with fewer rows agreement is no evidence */

/* The share of rows whose label is not that of most of their neighbours. */
static double contradicted_by_neighbours(const struct audit_input *in, const struct audit_neighbours *near)
{
    const uint32_t *label = in->data->label;
    double wrong = 0;
    for (size_t row = 0; row < in->rows; row++) {
        size_t same = 0;
        for (size_t i = 0; i < near->count; i++)
            same += label[near->neighbour[row * near->count + i]] == label[row];
        wrong += near->count > 0 && 2 * same < near->count;
    }
    return wrong / (double)in->rows;
}

/* Models reproduce the labels that they were fitted to, so that nothing would look wrong. */
void audit_warn_in_sample(const struct audit_input *in, const struct audit_neighbours *near,
                          temper_audit_report *report)
{
    double wrong = 1 - report->accuracy, others = contradicted_by_neighbours(in, near);
    bool all = wrong * SEEN_ALL <= 1, more = others >= SEEN_LEAST && others >= SEEN_RATIO * wrong;
    if (in->rows < SEEN_ROWS || !(all || more))
        return;
    if (more)
        warning_append(&report->warnings, TEMPER_WARNING_IN_SAMPLE,
                       "the probabilities contradict %.2g %% of the labels and neighbouring rows %.2g %%: the models "
                       "have probably seen these rows; give probabilities from models that were fitted without the "
                       "row, such as those of cross_val_predict",
                       100 * wrong, 100 * others);
    else
        warning_append(&report->warnings, TEMPER_WARNING_IN_SAMPLE,
                       "the probabilities agree with %s: either hardly any is wrong, or the models have seen these "
                       "rows; give probabilities from models that were fitted without the row, such as those of "
                       "cross_val_predict",
                       wrong > 0 ? "nearly all labels" : "all labels");
}
