/* lbfgs: L-BFGS in reverse communication: it returns a request instead of calling the function, so that one pass over
 * the data can serve the requests of many minimisations at once.
 *
 *     lbfgs_new(size, preconditioned, &options, start, &lbfgs, error);
 *     for (;;) {
 *         struct lbfgs_request request = lbfgs_next_request(lbfgs);
 *         if (request.what == LBFGS_DONE)
 *             break;
 *         ... compute the reply: a number, and for some requests request.answer too ...
 *         lbfgs_reply(lbfgs, number, error);
 *     }
 *
 * minimise_lbfgs (optim/minimise.h) is that loop for a single minimisation. Different ones share nothing, and may be
 * advanced by different threads. */
#ifndef OPTIM_LBFGS_H
#define OPTIM_LBFGS_H

#include "optim/minimise.h"

enum lbfgs_request_kind {
    LBFGS_VALUE,  /* the number is the value at `point`; its gradient goes to `answer` */
    LBFGS_LENGTH, /* the number is the length of the step `point`, as of options->length; 0: steps are not limited */
    LBFGS_PRECONDITION, /* `answer` has a vector v, to be overwritten by M^-1 v; the number is ignored. Only if
                           `preconditioned` */
    LBFGS_DONE,
};

struct lbfgs_request {
    enum lbfgs_request_kind what;
    const double *point;
    double *answer;
};

struct lbfgs;

/* `preconditioned`: there will be requests of LBFGS_PRECONDITION. The options are copied; of their callbacks only
 * on_progress is called. The start is not read if the options have a memory, which is copied too: TEMPER_BAD_DATA where
 * that does not fit. */
temper_status lbfgs_new(size_t size, bool preconditioned, const struct optim_options *options, const double *start,
                        struct lbfgs **out, temper_error *error);
void lbfgs_close(struct lbfgs *self); /* not _free, which is a name of libLBFGS */

/* Begins another minimisation with an object whose last one has ended: of the function that has shift |w|^2 / 2 over
 * the first `penalised` numbers more than the last one, as of another penalty, or a function near that. The pairs are
 * kept, with the curvature that they have in it. Not for a preconditioned one, nor from a memory; options->history does
 * not count. */
void lbfgs_restart(struct lbfgs *self, const struct optim_options *options, const double *start, double shift,
                   size_t penalised);

/* The request stays the same, and its vectors stay where they are, until the reply. */
struct lbfgs_request lbfgs_next_request(const struct lbfgs *self);
/* Allocates nothing, and fails only if options->memory turns out to be that of another function: TEMPER_BAD_DATA. */
temper_status lbfgs_reply(struct lbfgs *self, double number, temper_error *error);

/* At any time: the best point so far, as minimise.h defines it; NULL before the first value. */
const double *lbfgs_best(const struct lbfgs *self);
/* Its value and the counters; `stop` is not set before the minimisation is done. */
struct optim_result lbfgs_result(const struct lbfgs *self);

#endif
