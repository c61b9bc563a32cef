/* noise_posterior: the parameters of a noise model that maximise its posterior.
 *
 * Evaluations of all rows take nearly all of the time, so that a sample of them comes first: the parameters are
 * maximised on the sample, and L-BFGS on all rows starts there, preconditioned by the Hessian of the sample. The
 * maximum is that of all rows, to the same tolerance as without a sample. */
#ifndef AUDIT_NOISE_POSTERIOR_H
#define AUDIT_NOISE_POSTERIOR_H

#include "audit/noise/noise_likelihood.h"

enum { NOISE_HESSIAN = 32 }; /* parameters of a preconditioner at most: each takes an evaluation of the sample */

struct noise_search {
    struct noise_fit all, sample; /* the settings of `all` are those of both */
    struct noise_rows sample_rows;
    bool has_sample; /* there are enough rows for one */
    /* A maximisation whose value alone matters ends where two iterations in a row gain less than this, in nats; 0: it
     * ends where the gradient is small. */
    double least_gain;
    size_t hessian;                               /* the number of parameters of the preconditioner; 0: there is none */
    double factor[NOISE_HESSIAN * NOISE_HESSIAN]; /* its Cholesky factor */
};

/* What is known of a start: nothing, and which of several maxima is found matters, so that no sample comes first;
 * nothing; that it is near the maximum; that it is near that of the last call. */
enum noise_start { NOISE_SEVERAL, NOISE_FAR, NOISE_NEAR, NOISE_AGAIN };

/* noise_search_free is called also after a failure. */
temper_status noise_search_new(const struct noise_rows *rows, struct noise_search *out, temper_error *error);
void noise_search_free(struct noise_search *search);

/* Maximises the posterior over the parameters from w; *posterior is its logarithm there, up to a constant. */
temper_status noise_maximise(struct noise_search *search, enum noise_start start, size_t iterations, double *w,
                             double *posterior, temper_error *error);
/* The same for the sample alone, where there is one: *posterior is an estimate of that of all rows. */
temper_status noise_maximise_sample(struct noise_search *search, enum noise_start start, size_t iterations, double *w,
                                    double *posterior, temper_error *error);

#endif
