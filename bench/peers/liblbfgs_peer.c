/* train_lbfgs: libLBFGS on our objective, where it is installed. */
#include <stddef.h>
#include <time.h>

#include "kernels/bench_passes.h"

#ifdef TEMPER_HAVE_LBFGS

#include <lbfgs.h>
#include <math.h>
#include <string.h>

struct peer {
    struct objective *objective;
    double target; /* of the norm */
    size_t passes;
    int reached;
};

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lbfgsfloatval_t evaluate(void *context, const lbfgsfloatval_t *w, lbfgsfloatval_t *gradient, const int n,
                                const lbfgsfloatval_t step)
{
    struct peer *peer = context;
    double value = NAN;
    temper_error error;
    (void)n, (void)step;
    objective_evaluate(peer->objective, w, &value, gradient, &error);
    peer->passes++;
    return value;
}

/* Its own test is relative to the weights; ours is not. */
static int progress(void *context, const lbfgsfloatval_t *w, const lbfgsfloatval_t *gradient,
                    const lbfgsfloatval_t value, const lbfgsfloatval_t w_norm, const lbfgsfloatval_t norm,
                    const lbfgsfloatval_t step, int n, int iteration, int tries)
{
    struct peer *peer = context;
    (void)w, (void)gradient, (void)value, (void)w_norm, (void)step, (void)n, (void)iteration;
    (void)tries;
    peer->reached = norm <= peer->target;
    return peer->reached || peer->passes > 5000;
}

static double norm_at_zero(struct objective *objective, double *w, double *gradient, size_t n)
{
    double value, sum = 0;
    temper_error error;
    memset(w, 0, n * sizeof *w);
    objective_evaluate(objective, w, &value, gradient, &error);
    for (size_t i = 0; i < n; i++)
        sum += gradient[i] * gradient[i];
    return sqrt(sum);
}

int peer_lbfgs(struct objective *objective, double tolerance, struct effort *effort, const char **why)
{
    size_t n = objective_size(objective);
    lbfgsfloatval_t *w = lbfgs_malloc((int)n), *gradient = lbfgs_malloc((int)n);
    lbfgs_parameter_t parameter;
    lbfgs_parameter_init(&parameter);
    parameter.epsilon = 0; /* `progress` ends it */
    struct peer peer = {.objective = objective};
    peer.target = tolerance * norm_at_zero(objective, w, gradient, n);
    memset(w, 0, n * sizeof *w);
    double start = processor_seconds();
    int code = lbfgs((int)n, w, NULL, evaluate, progress, &peer, &parameter);
    *effort = (struct effort){peer.reached ? (double)peer.passes : 0, processor_seconds() - start};
    *why = peer.reached                      ? "there"
           : code == LBFGSERR_ROUNDING_ERROR ? "stopped by a rounding error"
           : code < 0                        ? "stopped by its line search"
                                             : "not there after 5,000 passes";
    lbfgs_free(w);
    lbfgs_free(gradient);
    return 1;
}

#else

int peer_lbfgs(struct objective *objective, double tolerance, struct effort *effort, const char **why)
{
    (void)objective, (void)tolerance, (void)effort, (void)why;
    return 0;
}

#endif
