/* selection_rule: the rule CV+C, which selects a candidate from their cross-validated measures (docs/tuning.md).
 *
 * Accuracy on partly wrong labels is a good criterion as long as the mistakes cannot be predicted from the features.
 * Three further criteria on the same predictions detect where they may have been learnt. */
#ifndef SEARCH_SELECTION_RULE_H
#define SEARCH_SELECTION_RULE_H

#include <stdbool.h>

#include "base/status.h"

#define DECISION_LIST(X)                                                                                               \
    X(ACCURACY, "accuracy")                                                                                            \
    X(CODE_LENGTH, "code-length")                                                                                      \
    X(UNDECIDED, "undecided")                                                                                          \
    X(REFERENCE, "reference")                                                                                          \
    X(TRUSTED, "trusted")                                                                                              \
    X(LOG_LOSS, "log-loss")                                                                                            \
    X(BOUNDED_LOSS, "bounded-loss")

enum decision {
#define DECISION_ENUM(name, word) DECIDED_##name,
    DECISION_LIST(DECISION_ENUM)
#undef DECISION_ENUM
};

enum criterion { BY_CV_C, BY_ACCURACY, BY_LOG_LOSS, BY_BOUNDED_LOSS };

struct selection_input {
    const temper_tune_candidate *table;
    size_t count;
    enum criterion criterion;
    bool structured; /* labels are assumed to be wrong by a rule that depends on the features */
    size_t classes;
    double rows;       /* effective number */
    double default_l2; /* lambda_0 */
    size_t trusted;    /* number of trusted rows */
};

#define NO_CANDIDATE SIZE_MAX

struct selection {
    size_t best, by_accuracy;
    size_t reference; /* (0.1, 1.12) at its best penalty, or NO_CANDIDATE */
    enum decision decided_by;
    bool systematic;     /* labels look systematically wrong */
    double random_share; /* of labels that look random; NAN: unknown */
    bool collapsed;      /* the selected candidate hardly predicts some class */
    char reason[512];
};

/* At least one candidate must have been fitted. */
void select_candidate(const struct selection_input *in, struct selection *out);

/* False if there is no criterion of that name. NULL is "cv+c". */
bool criterion_find(const char *name, enum criterion *criterion);
const char *decision_name(enum decision decision);

/* Whether a candidate is not worth fitting on the folds: on the halves, its accuracy is this much below the best one,
 * with this standard error of the difference. */
bool cannot_win(double behind, double error);

/* Whether the penalty of a is the larger one: that of the simpler model. */
static inline bool penalty_exceeds(const temper_tune_candidate *a, const temper_tune_candidate *b)
{
    return a->l2 > b->l2 || (a->l2 == b->l2 && a->l1 > b->l1);
}

#endif
