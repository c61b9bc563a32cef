/* choose: the rule CV+C: from what is known of the candidates to one of them.
 *
 * Accuracy against labels that are partly wrong is a good guide as long as the mistakes cannot be
 * learnt from x. Three further looks at the same predictions tell where they may have been. */
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

struct question {
    const temper_tune_candidate *table;
    size_t count;
    enum criterion criterion;
    bool structured; /* labels are known to be wrong where x says so */
    size_t classes;
    double rows;       /* that count */
    double default_l2; /* lambda_0 */
    size_t trusted;    /* rows; 0: there are none */
};

#define NO_CANDIDATE SIZE_MAX

struct answer {
    size_t best, by_accuracy;
    size_t reference; /* (0.1, 1.12) at its best penalty, or NO_CANDIDATE */
    enum decision decided_by;
    bool systematic;     /* labels look systematically wrong */
    double random_share; /* of labels that look random; NAN: nothing can be said */
    bool collapsed;      /* the best one hardly predicts some class */
    char reason[512];
};

/* At least one candidate must have been fitted. */
void choose(const struct question *question, struct answer *answer);

/* False if there is none of that name. NULL is "cv+c". */
bool criterion_find(const char *name, enum criterion *criterion);
const char *decision_name(enum decision decision);

/* Worth fitting on all folds, by what the halves say, where the best has this accuracy there. */
bool is_hopeless(const temper_tune_candidate *candidate, double best_half_accuracy, double rows);

#endif
