/* lbfgs: L-BFGS as a run that its caller advances, so that one pass over the data can answer the
 * questions of many runs at once.
 *
 *     lbfgs_new(size, metric, &options, start, &run, error);
 *     for (;;) {
 *         struct lbfgs_question asked = lbfgs_asks(run);
 *         if (asked.what == LBFGS_DONE)
 *             break;
 *         ... find the answer: a number, and for some questions asked.answer too ...
 *         lbfgs_answer(run, number, error);
 *     }
 *
 * minimise_lbfgs (optim/problem.h) is that loop for a single run. Runs share nothing: different
 * ones may be advanced by different threads. */
#ifndef OPTIM_LBFGS_H
#define OPTIM_LBFGS_H

#include "optim/minimise.h"

enum lbfgs_what {
    LBFGS_VALUE,  /* the value at `point` is the number; its gradient goes to `answer` */
    LBFGS_LENGTH, /* that of the step `point`, as options->length tells it, is the number; 0 if
                     there is no such thing: steps are not limited then */
    LBFGS_METRIC, /* `answer` has a vector, to be overwritten by M^-1 times it; the number means
                     nothing. Asked only of those who said that there is a metric */
    LBFGS_DONE,
};

struct lbfgs_question {
    enum lbfgs_what what;
    const double *point;
    double *answer;
};

struct lbfgs;

/* `metric`: LBFGS_METRIC will be asked. The options are copied; of their calls only `follow` is
 * made. The start is not looked at if the options have a memory, which is copied too:
 * TEMPER_BAD_DATA where that does not fit. */
temper_status lbfgs_new(size_t size, bool metric, const struct optim_options *options, const double *start,
                        struct lbfgs **out, temper_error *error);
void lbfgs_close(struct lbfgs *self); /* not _free, which is a name of libLBFGS */

/* The question stays the same, and its vectors stay where they are, until it is answered. */
struct lbfgs_question lbfgs_asks(const struct lbfgs *self);
/* Allocates nothing, and fails only if options->memory turns out to be that of another function:
 * TEMPER_BAD_DATA. */
temper_status lbfgs_answer(struct lbfgs *self, double number, temper_error *error);

/* At any time: the best point so far, as problem.h says; NULL before the first value. */
const double *lbfgs_best(const struct lbfgs *self);
/* And what it took; `stop` means nothing before the run is done. */
struct optim_result lbfgs_result(const struct lbfgs *self);

#endif
