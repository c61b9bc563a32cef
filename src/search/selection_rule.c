/* choose: all thresholds of the rule, and the rule. */
#include "search/selection_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/grid.h"
#include "tempered/loss_family.h"

/* Starting values, set on other data sets with labels wrong in known ways; docs/tuning.md says what
 * each step is for. */
static const struct {
    double balance;                   /* a class predicted less often than this share is given up */
    double agreement;                 /* halves may agree that much less than those of the most accurate */
    double code_shorter;              /* step 1: of the code length of the most accurate */
    double band_error;                /* step 1: rows that are taken for another class more often than not */
    size_t band_from_many;            /* step 1: bands that count where there are more than two classes */
    double accuracy_least;            /* step 2: below the highest accuracy */
    double undecided_most;            /* step 2: of the most accurate one */
    double undecided_fewer;           /* step 2: as a share of that */
    double code_nats, undecided_z;    /* steps 1, 2: what few rows cannot show by chance, too */
    double top_ratio;                 /* step 3: surest rows that are wrong so much more often than all */
    double top_z;                     /* step 3: and by so many standard errors */
    double top_ratio_best;            /* step 3: the most accurate one has learnt the mistakes: below */
    double random_ratio;              /* warning: random labels are as wrong among the surest; above */
    double random_rows;               /* warning: so many rows among them are wrong */
    double hopeless, hopeless_errors; /* below the best of the halves; and standard errors of it */
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
          .hopeless = 0.02,
          .hopeless_errors = 3};

static const struct {
    const char *name;
    enum criterion criterion;
} criteria[] = {
    {"cv+c", BY_CV_C}, {"accuracy", BY_ACCURACY}, {"log-loss", BY_LOG_LOSS}, {"bounded-loss", BY_BOUNDED_LOSS}};

bool criterion_find(const char *name, enum criterion *criterion)
{
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++)
        if (!name || strcmp(name, criteria[i].name) == 0) {
            *criterion = criteria[i].criterion;
            return true;
        }
    return false;
}

const char *decision_name(enum decision decision)
{
    static const char *const names[] = {
#define DECISION_WORD(name, word) word,
        DECISION_LIST(DECISION_WORD)
#undef DECISION_WORD
    };
    return names[decision];
}

bool is_hopeless(const temper_tune_candidate *candidate, double best_half_accuracy, double rows)
{
    double error = sqrt(best_half_accuracy * (1 - best_half_accuracy) / rows);
    return candidate->half_accuracy < best_half_accuracy - rule.hopeless - rule.hopeless_errors * error;
}

/* ---- The best by one figure ------------------------------------------------------------------ */

typedef double figure_fn(const temper_tune_candidate *candidate);
typedef bool admit_fn(const struct question *question, const struct answer *answer,
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

/* The least figure among those admitted; equal ones: the larger penalty, then the first. */
static size_t least(const struct question *question, const struct answer *answer, figure_fn *figure, admit_fn *admit)
{
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < question->count; i++) {
        const temper_tune_candidate *candidate = &question->table[i];
        double value = candidate->stage ? figure(candidate) : (double)NAN;
        if (isnan(value) || !admit(question, answer, candidate))
            continue;
        double old = best == NO_CANDIDATE ? INFINITY : figure(&question->table[best]);
        if (best == NO_CANDIDATE || value < old || (value == old && candidate->l2 > question->table[best].l2))
            best = i;
    }
    return best;
}

/* Accuracies of halves and of folds cannot be compared. */
static bool fitted_on_folds(const struct question *question, const struct answer *answer,
                            const temper_tune_candidate *candidate)
{
    (void)question;
    (void)answer;
    return candidate->stage == 2;
}

static bool fitted(const struct question *question, const struct answer *answer, const temper_tune_candidate *candidate)
{
    (void)question;
    (void)answer;
    return candidate->stage > 0;
}

static bool is_reference(const struct question *question, const struct answer *answer,
                         const temper_tune_candidate *candidate)
{
    (void)question;
    (void)answer;
    return loss_is_two_temperature_at(candidate->loss, REFERENCE_T1, REFERENCE_T2);
}

static bool is_sound(const struct question *question, const struct answer *answer,
                     const temper_tune_candidate *candidate)
{
    const temper_tune_candidate *b = &question->table[answer->by_accuracy];
    return candidate->balance > rule.balance && candidate->agreement >= b->agreement - rule.agreement;
}

static bool is_sound_and_accurate(const struct question *question, const struct answer *answer,
                                  const temper_tune_candidate *candidate)
{
    const temper_tune_candidate *b = &question->table[answer->by_accuracy];
    return is_sound(question, answer, candidate) && candidate->half_accuracy >= b->half_accuracy - rule.accuracy_least;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* A model that is wrong about most rows of a band, and yet tells their labels in fewer bits, has
 * found a structure in them that the most accurate one has bent to. */
static bool by_code_length(const struct question *question, struct answer *answer)
{
    const temper_tune_candidate *b = &question->table[answer->by_accuracy];
    size_t j = least(question, answer, code_length, is_sound);
    bool turned = false;
    if (j == NO_CANDIDATE)
        return false;
    const temper_tune_candidate *candidate = &question->table[j];
    for (size_t i = question->classes > 2 ? rule.band_from_many : 0; i < TEMPER_CONFIDENCE_BANDS; i++)
        turned = turned || candidate->band_error[i] > rule.band_error;
    if (!turned || !(candidate->code_length <= rule.code_shorter * b->code_length) ||
        !((b->code_length - candidate->code_length) * question->rows >= rule.code_nats))
        return false;
    answer->best = j;
    answer->decided_by = DECIDED_CODE_LENGTH;
    snprintf(answer->reason, sizeof answer->reason,
             "it tells the given labels in %.3f nats a row, the most accurate candidate in %.3f, "
             "and contradicts most labels of one band of confidence: the labels there look turned",
             candidate->code_length, b->code_length);
    return true;
}

/* A model that bends to two contradicting groups of labels leaves many rows undecided. */
static bool by_undecided(const struct question *question, struct answer *answer)
{
    const temper_tune_candidate *b = &question->table[answer->by_accuracy];
    size_t j = least(question, answer, undecided, is_sound_and_accurate);
    if (j == NO_CANDIDATE || !(b->undecided >= rule.undecided_most))
        return false;
    const temper_tune_candidate *candidate = &question->table[j];
    double z = (b->undecided - candidate->undecided) / sqrt(b->undecided / question->rows);
    if (!(candidate->undecided <= rule.undecided_fewer * b->undecided && z >= rule.undecided_z))
        return false;
    answer->best = j;
    answer->decided_by = DECIDED_UNDECIDED;
    snprintf(answer->reason, sizeof answer->reason,
             "the most accurate candidate leaves %.1f %% of the rows all but undecided, as one does "
             "that bends to contradicting labels; this one leaves %.1f %%",
             100 * b->undecided, 100 * candidate->undecided);
    return true;
}

/* Whether labels contradict the reference where it is surest, more than elsewhere. */
static bool looks_systematic(const struct question *question, const struct answer *answer)
{
    if (answer->reference == NO_CANDIDATE)
        return false;
    const temper_tune_candidate *rho = &question->table[answer->reference];
    double error = 1 - rho->half_accuracy;
    double z = (rho->top_error - error) / sqrt(error * (1 - error) / (0.2 * question->rows));
    return rho->top_ratio >= rule.top_ratio && z >= rule.top_z;
}

/* At the penalty of the grid next to lambda_0. */
static size_t usual_reference(const struct question *question)
{
    size_t best = NO_CANDIDATE;
    double nearest = INFINITY;
    for (size_t i = 0; i < question->count; i++) {
        double distance = fabs(log(question->table[i].l2 / question->default_l2));
        if (question->table[i].stage && is_reference(question, NULL, &question->table[i]) &&
            (best == NO_CANDIDATE || distance < nearest)) {
            best = i;
            nearest = distance;
        }
    }
    return best;
}

static bool by_reference(const struct question *question, struct answer *answer)
{
    const temper_tune_candidate *b = &question->table[answer->by_accuracy];
    if (!answer->systematic || (!question->structured && !(b->top_ratio < rule.top_ratio_best)))
        return false;
    answer->best = usual_reference(question);
    answer->decided_by = DECIDED_REFERENCE;
    snprintf(answer->reason, sizeof answer->reason,
             "where (0.1, 1.12) is surest, labels contradict it %.1f times as often as elsewhere, "
             "and the most accurate candidate has learnt these labels",
             question->table[answer->reference].top_ratio);
    return true;
}

static void by_figure(const struct question *question, struct answer *answer, figure_fn *figure, enum decision decision)
{
    size_t best = least(question, answer, figure, fitted_on_folds);
    answer->best = best == NO_CANDIDATE ? answer->by_accuracy : best;
    answer->decided_by = best == NO_CANDIDATE ? DECIDED_ACCURACY : decision;
    snprintf(answer->reason, sizeof answer->reason, "it has the %s cross-validated %s",
             answer->decided_by == DECIDED_ACCURACY ? "highest" : "lowest", decision_name(answer->decided_by));
}

/* Trusted rows are few: among those that do about as well on them, the rule's choice, or else the
 * most accurate one. */
static void by_trusted(const struct question *question, struct answer *answer)
{
    double most = -INFINITY, count = (double)question->trusted;
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < question->count; i++)
        if (question->table[i].stage)
            most = fmax(most, question->table[i].trusted);
    double share = (most * count + 1) / (count + 2);
    double enough = most - sqrt(share * (1 - share) / count);
    for (size_t i = 0; i < question->count; i++) {
        const temper_tune_candidate *candidate = &question->table[i];
        if (candidate->stage && candidate->trusted >= enough &&
            (best == NO_CANDIDATE || candidate->accuracy > question->table[best].accuracy))
            best = i;
    }
    if (question->table[answer->best].trusted >= enough)
        best = answer->best;
    answer->best = best;
    answer->decided_by = DECIDED_TRUSTED;
    snprintf(answer->reason, sizeof answer->reason,
             "it is right on %.1f %% of the %zu trusted rows, and the best there on %.1f %%",
             100 * question->table[best].trusted, question->trusted, 100 * most);
}

/* ---- The rule -------------------------------------------------------------------------------- */

static void find_reference(const struct question *question, struct answer *answer)
{
    answer->reference = least(question, answer, accuracy, is_reference);
    answer->systematic = looks_systematic(question, answer);
    answer->random_share = NAN;
    if (answer->reference == NO_CANDIDATE || question->classes != 2)
        return;
    const temper_tune_candidate *rho = &question->table[answer->reference];
    if (rho->top_ratio > rule.random_ratio && rho->top_ratio < rule.top_ratio &&
        0.2 * question->rows * rho->top_error >= rule.random_rows)
        answer->random_share = rho->top_error;
}

void choose(const struct question *question, struct answer *answer)
{
    *answer = (struct answer){.decided_by = DECIDED_ACCURACY};
    answer->by_accuracy = least(question, answer, accuracy, fitted_on_folds);
    if (answer->by_accuracy == NO_CANDIDATE) /* interrupted: halves alone */
        answer->by_accuracy = least(question, answer, accuracy, fitted);
    find_reference(question, answer);
    if (question->criterion == BY_LOG_LOSS)
        by_figure(question, answer, log_loss, DECIDED_LOG_LOSS);
    else if (question->criterion == BY_BOUNDED_LOSS)
        by_figure(question, answer, bounded_loss, DECIDED_BOUNDED_LOSS);
    else if (question->criterion == BY_ACCURACY ||
             !(by_code_length(question, answer) || by_undecided(question, answer) || by_reference(question, answer)))
        by_figure(question, answer, accuracy, DECIDED_ACCURACY);
    if (question->trusted)
        by_trusted(question, answer);
    answer->collapsed = question->table[answer->best].balance < rule.balance;
}
