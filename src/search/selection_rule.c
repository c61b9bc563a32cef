/* selection_rule: all thresholds of the rule in one table, then the rule step by step.
 *
 * CV+C begins with the most accurate candidate on the folds and checks three conditions in order: another candidate
 * describes the labels in a much shorter code while it contradicts a band of them (step 1); the most accurate one
 * leaves many rows undecided that another one decides (step 2); the confident rows of a robust reference look
 * systematically mislabelled, and the most accurate candidate has learnt that (step 3). The first that holds decides.
 * Rows whose labels are trusted, where there are any, are consulted last and may overrule. */
#include "search/selection_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/grid.h"
#include "tempered/loss_family.h"

/* The thresholds were set on data sets with labels that are wrong in known ways; docs/tuning.md explains each step. */
static const struct {
    double balance;                /* a class predicted less often than this share counts as lost */
    double agreement;              /* the halves may agree this much less than those of the most accurate */
    double code_shorter;           /* step 1: at most this share of the code length of the most accurate */
    double band_error;             /* step 1: a band of rows is contradicted more often than this */
    size_t band_from_many;         /* step 1: the first band that counts if there are more than two classes */
    double accuracy_least;         /* step 2: at most this far below the highest accuracy */
    double undecided_most;         /* step 2: at least this share of rows undecided by the most accurate one */
    double undecided_fewer;        /* step 2: at most this share of that */
    double code_nats, undecided_z; /* steps 1, 2: significance: nats on all rows, standard errors */
    double top_ratio;              /* step 3: the most confident rows are wrong so many times as often as all */
    double top_z;                  /* step 3: and more often by so many standard errors */
    double top_ratio_best;         /* step 3: below this, the most accurate one has learnt the mistakes */
    double random_ratio;           /* warning: labels look random above this ratio */
    double random_rows;            /* warning: and with so many wrong rows among the most confident */
    double prune, prune_errors; /* pruning: this far below the best accuracy of the halves, and so many standard errors
                                 * of the paired difference */
} rule = {.balance = 0.5,
          .agreement = 0.01,
          .code_shorter = 0.9,
          .band_error = 0.5,
          .band_from_many = 4,
          .accuracy_least = 0.10,
          .undecided_most = 0.03,
          .undecided_fewer = 0.4,
          .code_nats = 10,
          .undecided_z = 3,
          .top_ratio = 1.25,
          .top_z = 3,
          .top_ratio_best = 1,
          .random_ratio = 0.3,
          .random_rows = 10,
          .prune = 0.01,
          .prune_errors = 2};

static const struct {
    const char *name;
    enum criterion criterion;
    /* BY_CV_C is first, since criterion_find returns the first for NULL. */
} criteria[] = {
    {"cv+c", BY_CV_C}, {"accuracy", BY_ACCURACY}, {"log-loss", BY_LOG_LOSS}, {"bounded-loss", BY_BOUNDED_LOSS}};

/* False for an unknown name; NULL selects the first of the table, the default. */
bool criterion_find(const char *name, enum criterion *criterion)
{
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++)
        if (!name || strcmp(name, criteria[i].name) == 0) {
            *criterion = criteria[i].criterion;
            return true;
        }
    return false;
}

/* The word for temper_tune_report.decided_by. */
const char *decision_name(enum decision decision)
{
    static const char *const names[] = {
#define DECISION_WORD(name, word) word,
        DECISION_LIST(DECISION_WORD)
#undef DECISION_WORD
    };
    return names[decision];
}

/* Whether a candidate is pruned: its accuracy on the halves is below the best one by more than a margin plus a
 * multiple of the standard error of their difference. The margin allows for models of more rows to overtake. */
bool cannot_win(double behind, double error)
{
    return behind > rule.prune + rule.prune_errors * error;
}

/* ---- The best by one measure ----------------------------------------------------------------- */

/* A measure of a candidate, smaller being better, and a condition on the candidates that are compared. */
typedef double measure_fn(const temper_tune_candidate *candidate);
typedef bool admit_fn(const struct selection_input *in, const struct selection *out,
                      const temper_tune_candidate *candidate);

static double accuracy(const temper_tune_candidate *candidate)
{
    return -candidate->accuracy;
}

static double log_loss(const temper_tune_candidate *candidate)
{
    return candidate->log_loss;
}

static double bounded_loss(const temper_tune_candidate *candidate)
{
    return candidate->bounded_loss;
}

static double code_length(const temper_tune_candidate *candidate)
{
    return candidate->code_length;
}

static double undecided(const temper_tune_candidate *candidate)
{
    return candidate->undecided;
}

/* The admitted candidate of least measure; of equal ones that with the larger penalty, then the first. Candidates that
 * were not fitted, or whose measure is NAN, are not considered. Measures of which more is better are negated
 * (accuracy), so that one search serves all. */
static size_t least(const struct selection_input *in, const struct selection *out, measure_fn *measure, admit_fn *admit)
{
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < in->count; i++) {
        const temper_tune_candidate *candidate = &in->table[i];
        double value = candidate->stage ? measure(candidate) : (double)NAN;
        if (isnan(value) || !admit(in, out, candidate))
            continue;
        double old = best == NO_CANDIDATE ? INFINITY : measure(&in->table[best]);
        if (best == NO_CANDIDATE || value < old || (value == old && penalty_exceeds(candidate, &in->table[best])))
            best = i;
    }
    return best;
}

/* Accuracies on halves and on folds are not comparable, as models of the halves have seen fewer rows. */
static bool fitted_on_folds(const struct selection_input *in, const struct selection *out,
                            const temper_tune_candidate *candidate)
{
    (void)in;
    (void)out;
    return candidate->stage == 2;
}

/* The fallback where no candidate has been through the folds. */
static bool fitted(const struct selection_input *in, const struct selection *out,
                   const temper_tune_candidate *candidate)
{
    (void)in;
    (void)out;
    return candidate->stage > 0;
}

/* The reference is the loss (0.1, 1.12) at any penalty. It is bounded and heavy-tailed, and follows wrong labels
 * less than losses of larger t1. */
static bool is_reference(const struct selection_input *in, const struct selection *out,
                         const temper_tune_candidate *candidate)
{
    (void)in;
    (void)out;
    return loss_is_two_temperature_at(candidate->loss, REFERENCE_T1, REFERENCE_T2);
}

/* Steps 1 and 2 consider only candidates that predict every class, and whose half models agree nearly as often as
 * those of the most accurate candidate. Disagreement means that the result depends on the sample of rows. */
static bool is_sound(const struct selection_input *in, const struct selection *out,
                     const temper_tune_candidate *candidate)
{
    const temper_tune_candidate *b = &in->table[out->by_accuracy];
    return candidate->balance > rule.balance && candidate->agreement >= b->agreement - rule.agreement;
}

/* Step 2 compares shares of undecided rows, which would favour confident but wrong candidates without a bound on
 * accuracy. */
static bool is_sound_and_accurate(const struct selection_input *in, const struct selection *out,
                                  const temper_tune_candidate *candidate)
{
    const temper_tune_candidate *b = &in->table[out->by_accuracy];
    return is_sound(in, out, candidate) && candidate->half_accuracy >= b->half_accuracy - rule.accuracy_least;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Step 1. A candidate that contradicts most labels of a band of confidence, and yet describes the labels in fewer
 * nats, separates the rows with flipped labels from others. The most accurate candidate then has probably been
 * fitted to the flipped ones. Three conditions: a contradicted band, a relative gain, and a gain that is significant
 * on all rows. */
static bool by_code_length(const struct selection_input *in, struct selection *out)
{
    const temper_tune_candidate *b = &in->table[out->by_accuracy];
    size_t j = least(in, out, code_length, is_sound);
    bool contradicted = false;
    if (j == NO_CANDIDATE)
        return false;
    const temper_tune_candidate *candidate = &in->table[j];
    for (size_t i = in->classes > 2 ? rule.band_from_many : 0; i < TEMPER_CONFIDENCE_BANDS; i++)
        contradicted = contradicted || candidate->band_error[i] > rule.band_error;
    if (!contradicted || !(candidate->code_length <= rule.code_shorter * b->code_length) ||
        !((b->code_length - candidate->code_length) * in->rows >= rule.code_nats))
        return false;
    out->best = j;
    out->decided_by = DECIDED_CODE_LENGTH;
    snprintf(out->reason, sizeof out->reason,
             "it encodes the given labels in %.3f nats per row, the most accurate candidate in %.3f, and contradicts "
             "most labels of one band of confidence: the labels there look flipped",
             candidate->code_length, b->code_length);
    return true;
}

/* Step 2. A model that was fitted to two groups of contradicting labels has scores near 0 for many rows. Another
 * candidate is selected if it leaves far fewer rows undecided, by a share and by a number of standard errors. */
static bool by_undecided(const struct selection_input *in, struct selection *out)
{
    const temper_tune_candidate *b = &in->table[out->by_accuracy];
    size_t j = least(in, out, undecided, is_sound_and_accurate);
    if (j == NO_CANDIDATE || !(b->undecided >= rule.undecided_most))
        return false;
    const temper_tune_candidate *candidate = &in->table[j];
    /* The share is small, so the variance of its count is taken as that of a Poisson distribution. */
    double z = (b->undecided - candidate->undecided) / sqrt(b->undecided / in->rows);
    if (!(candidate->undecided <= rule.undecided_fewer * b->undecided && z >= rule.undecided_z))
        return false;
    out->best = j;
    out->decided_by = DECIDED_UNDECIDED;
    snprintf(out->reason, sizeof out->reason,
             "the most accurate candidate leaves %.1f %% of the rows almost undecided, as a model that fits "
             "contradicting labels does; this one leaves %.1f %%",
             100 * b->undecided, 100 * candidate->undecided);
    return true;
}

/* Whether labels contradict the reference significantly more often among its most confident fifth of the rows than
 * among all. Random noise is spread evenly, and errors of the model are rare there. */
static bool looks_systematic(const struct selection_input *in, const struct selection *out)
{
    if (out->reference == NO_CANDIDATE)
        return false;
    const temper_tune_candidate *rho = &in->table[out->reference];
    double error = 1 - rho->half_accuracy;
    double z = (rho->top_error - error) / sqrt(error * (1 - error) / (0.2 * in->rows));
    return rho->top_ratio >= rule.top_ratio && z >= rule.top_z;
}

/* The middle of the L1 penalties of the references on a logarithmic scale; NAN: they have none. */
static double middle_l1(const struct selection_input *in)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < in->count; i++)
        if (in->table[i].stage && is_reference(in, NULL, &in->table[i]) && in->table[i].l1 > 0) {
            sum += log(in->table[i].l1);
            count++;
        }
    return sum / count;
}

/* The reference at the penalty nearest to lambda_0 on a logarithmic scale, or to the middle of the L1 penalties:
 * accuracy on labels that look systematically wrong should not choose the penalty either. */
static size_t usual_reference(const struct selection_input *in)
{
    size_t best = NO_CANDIDATE;
    double nearest = INFINITY, middle = middle_l1(in);
    for (size_t i = 0; i < in->count; i++) {
        const temper_tune_candidate *candidate = &in->table[i];
        double distance = isnan(middle) ? fabs(log(candidate->l2 / in->default_l2)) : fabs(log(candidate->l1) - middle);
        if (in->table[i].stage && is_reference(in, NULL, &in->table[i]) &&
            (best == NO_CANDIDATE || distance < nearest)) {
            best = i;
            nearest = distance;
        }
    }
    return best;
}

/* Step 3. Selects the reference if labels look systematically wrong and the most accurate candidate has learnt them:
 * it is contradicted less often where it is confident. The user's assumption `structured` replaces the second
 * condition. */
static bool by_reference(const struct selection_input *in, struct selection *out)
{
    const temper_tune_candidate *b = &in->table[out->by_accuracy];
    if (!out->systematic || (!in->structured && !(b->top_ratio < rule.top_ratio_best)))
        return false;
    out->best = usual_reference(in);
    out->decided_by = DECIDED_REFERENCE;
    snprintf(out->reason, sizeof out->reason,
             "where (0.1, 1.12) is most confident, labels contradict it %.1f times as often as elsewhere, and the most "
             "accurate candidate has learnt these labels",
             in->table[out->reference].top_ratio);
    return true;
}

/* Selects the candidate of least measure on the folds; the most accurate one if none has that measure, as log-loss
 * with losses that have no probabilities. */
static void by_measure(const struct selection_input *in, struct selection *out, measure_fn *measure,
                       enum decision decision)
{
    size_t best = least(in, out, measure, fitted_on_folds);
    out->best = best == NO_CANDIDATE ? out->by_accuracy : best;
    out->decided_by = best == NO_CANDIDATE ? DECIDED_ACCURACY : decision;
    snprintf(out->reason, sizeof out->reason, "it has the %s cross-validated %s",
             out->decided_by == DECIDED_ACCURACY ? "highest" : "lowest", decision_name(out->decided_by));
}

/* Trusted rows are few, so that their accuracy has a large standard error: all candidates within one of the best are
 * considered equal. Among them the earlier selection stays if it is one of them, otherwise the most accurate is
 * selected. */
static void by_trusted(const struct selection_input *in, struct selection *out)
{
    double most = -INFINITY, count = (double)in->trusted;
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < in->count; i++)
        if (in->table[i].stage)
            most = fmax(most, in->table[i].trusted);
    /* Laplace's estimate, never 0 or 1: the standard error of 10 correct rows out of 10 is not 0. */
    double share = (most * count + 1) / (count + 2);
    double enough = most - sqrt(share * (1 - share) / count);
    for (size_t i = 0; i < in->count; i++) {
        const temper_tune_candidate *candidate = &in->table[i];
        if (candidate->stage && candidate->trusted >= enough &&
            (best == NO_CANDIDATE || candidate->accuracy > in->table[best].accuracy))
            best = i;
    }
    if (in->table[out->best].trusted >= enough)
        best = out->best;
    out->best = best;
    out->decided_by = DECIDED_TRUSTED;
    snprintf(out->reason, sizeof out->reason,
             "it predicts %.1f %% of the %zu trusted rows correctly, the best candidate there %.1f %%",
             100 * in->table[best].trusted, in->trusted, 100 * most);
}

/* ---- The rule -------------------------------------------------------------------------------- */

/* Sets the reference and what its errors suggest about the labels. Random labels contradict confident and other rows
 * alike; so if the most confident rows of two classes are contradicted at a rate similar to that of all rows, this
 * rate is reported as the share of random labels. */
static void find_reference(const struct selection_input *in, struct selection *out)
{
    out->reference = least(in, out, accuracy, is_reference);
    out->systematic = looks_systematic(in, out);
    out->random_share = NAN;
    if (out->reference == NO_CANDIDATE || in->classes != 2)
        return;
    const temper_tune_candidate *rho = &in->table[out->reference];
    if (rho->top_ratio > rule.random_ratio && rho->top_ratio < rule.top_ratio &&
        0.2 * in->rows * rho->top_error >= rule.random_rows)
        out->random_share = rho->top_error;
}

/* The steps of CV+C in order; the first that applies decides. Trusted rows, where given, are evidence of another
 * kind and may overrule any step. */
void select_candidate(const struct selection_input *in, struct selection *out)
{
    *out = (struct selection){.decided_by = DECIDED_ACCURACY};
    out->by_accuracy = least(in, out, accuracy, fitted_on_folds);
    if (out->by_accuracy == NO_CANDIDATE) /* no candidate has been through the folds */
        out->by_accuracy = least(in, out, accuracy, fitted);
    find_reference(in, out);
    if (in->criterion == BY_LOG_LOSS)
        by_measure(in, out, log_loss, DECIDED_LOG_LOSS);
    else if (in->criterion == BY_BOUNDED_LOSS)
        by_measure(in, out, bounded_loss, DECIDED_BOUNDED_LOSS);
    else if (in->criterion == BY_ACCURACY ||
             !(by_code_length(in, out) || by_undecided(in, out) || by_reference(in, out)))
        by_measure(in, out, accuracy, DECIDED_ACCURACY);
    if (in->trusted)
        by_trusted(in, out);
    out->collapsed = in->table[out->best].balance < rule.balance;
}
