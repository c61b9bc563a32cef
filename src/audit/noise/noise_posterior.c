/* noise_posterior: L-BFGS on all rows or on the sample; the Hessian of the sample by differences of gradients. */
#include "audit/noise/noise_posterior.h"

#include <math.h>
#include <string.h>

#include "optim/cholesky.h"
#include "optim/minimise.h"

/* Standard deviations of the normal priors around 0: weak for slopes, which are per standard deviation of their source;
 * those of the offsets keep a rare class from being explained away. */
static const double SLOPE_SPREAD = 10, OFFSET_SPREAD = 2;
/* Norm of the gradient at convergence, times the root of the number of rows: differences of hundredths of a nat, on all
 * rows together, decide nothing. The maximum of a sample is that of all rows to about 1 only. */
static const double CLOSE = 2e-3, CLOSE_OF_SAMPLE = 2e-2;
/* Differences of parameters, which are of the order of 1, for those of gradients. */
static const double DIFFERENCE = 1e-4;

enum {
    HISTORY = 10,
    /* The sample has one of SAMPLE_SHARE rows, at least SAMPLE_ROWS, and there is none of more than half of the rows.
     */
    SAMPLE_SHARE = 4,
    SAMPLE_ROWS = 1536
};

/* ---- The posterior ----------------------------------------------------------------------------------------------- */

/* Adds minus the log density of the priors and its gradient; returns the former. */
static double add_priors(const struct noise_fit *fit, const double *w, double *gradient)
{
    size_t slopes = fit->rows->sources * fit->slopes;
    double value = 0;
    for (size_t k = 0; k < slopes; k++) {
        double slope = w[k] * w[k];
        value += slope * slope / (2 * SLOPE_SPREAD * SLOPE_SPREAD);
        gradient[k] += 2 * slope * w[k] / (SLOPE_SPREAD * SLOPE_SPREAD);
    }
    for (size_t i = slopes; i < noise_shared_parameters(fit); i++) {
        value += w[i] * w[i] / (2 * OFFSET_SPREAD * OFFSET_SPREAD);
        gradient[i] += w[i] / (OFFSET_SPREAD * OFFSET_SPREAD);
    }
    return value;
}

static size_t count_parameters(const struct noise_fit *fit)
{
    return noise_shared_parameters(fit) + fit->free_rate;
}

/* Of all rows, also those that a sample stands for. */
static double count_rows(const struct noise_fit *fit)
{
    return fit->weight * (double)fit->rows->rows;
}

/* problem.evaluate: minus the log posterior of a row, on average. */
static temper_status evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    const struct noise_fit *fit = context;
    double rows = count_rows(fit);
    if (noise_log_loss(fit, w, value, gradient) != TEMPER_OK)
        return error_no_memory(error);
    *value *= fit->weight;
    for (size_t i = 0; i < count_parameters(fit); i++)
        gradient[i] *= fit->weight;
    *value = (*value + add_priors(fit, w, gradient)) / rows;
    for (size_t i = 0; i < count_parameters(fit); i++)
        gradient[i] /= rows;
    return TEMPER_OK;
}

/* ---- The preconditioner ------------------------------------------------------------------------------------------ */

/* Makes the factor of a Hessian h, row by row, that may be indefinite: slopes of useless sources are near 0, where they
 * have no curvature. A multiple of the unit matrix is added until there is a factor. */
static bool factor_hessian(const struct kernel *kernel, const double *h, size_t size, double *factor)
{
    double most = 0, added = 0;
    for (size_t i = 0; i < size; i++)
        most = fmax(most, fabs(h[i * size + i]));
    for (size_t attempt = 0; attempt < 10 && most > 0 && isfinite(most); attempt++) {
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j <= i; j++)
                factor[i * size + j] = (h[i * size + j] + h[j * size + i]) / 2 + (i == j ? added : 0);
        if (cholesky_factor(kernel->cholesky_update, factor, size))
            return true;
        added = fmax(4 * added, 1e-3 * most);
    }
    return false;
}

/* Fills the preconditioner by the Hessian of the sample at w. Without one if there are too many parameters. */
static temper_status find_hessian(struct noise_search *search, const double *w, temper_error *error)
{
    struct noise_fit *sample = &search->sample;
    size_t size = count_parameters(sample);
    double at[NOISE_HESSIAN], gradient[NOISE_HESSIAN], value, h[NOISE_HESSIAN * NOISE_HESSIAN];
    search->hessian = 0;
    if (size > NOISE_HESSIAN)
        return TEMPER_OK;
    memcpy(at, w, size * sizeof *at);
    TRY(evaluate(sample, at, &value, gradient, error));
    for (size_t i = 0; i < size; i++) {
        at[i] = w[i] + DIFFERENCE;
        TRY(evaluate(sample, at, &value, h + i * size, error));
        at[i] = w[i];
        for (size_t j = 0; j < size; j++)
            h[i * size + j] = (h[i * size + j] - gradient[j]) / DIFFERENCE;
    }
    if (factor_hessian(sample->kernel, h, size, search->factor))
        search->hessian = size;
    return TEMPER_OK;
}

/* problem.precondition */
static void precondition(void *context, double *v)
{
    const struct noise_search *search = context;
    cholesky_solve_full(search->factor, search->hessian, v);
}

/* ---- Maximisation ------------------------------------------------------------------------------------------------ */

/* What the last iterations have gained. */
struct gain_watch {
    double least, value; /* in nats of a row, on average; the value after the last iteration */
    size_t small;        /* iterations in a row that have gained less */
};

/* optim_options.on_progress: false after two iterations in a row that have gained too little. */
static bool still_gains(void *context, const struct optim_progress *progress)
{
    struct gain_watch *watch = context;
    bool small = progress->iteration > 0 && watch->value - progress->value < watch->least;
    watch->small = small ? watch->small + 1 : 0;
    watch->value = progress->value;
    return watch->small < 2;
}

/* Maximises one of the two fits, preconditioned if there is a preconditioner for so many parameters. */
static temper_status maximise(struct noise_search *search, struct noise_fit *fit, size_t iterations, double *w,
                              double *posterior, temper_error *error)
{
    struct problem problem = {.size = count_parameters(fit), .context = fit, .evaluate = evaluate};
    double close = fit == &search->sample ? CLOSE_OF_SAMPLE : CLOSE;
    struct optim_options options = {.gradient_norm = close / sqrt(count_rows(fit)),
                                    .max_iterations = iterations,
                                    .history = HISTORY,
                                    .no_memory = true};
    struct optim_result result;
    struct gain_watch watch = {.least = search->least_gain / count_rows(fit)};
    if (search->least_gain > 0) {
        options.on_progress = still_gains;
        options.progress_context = &watch;
    }
    if (search->hessian > 0 && search->hessian == problem.size) {
        problem.precondition = precondition;
        problem.preconditioner = search;
    }
    TRY(minimise_lbfgs(&problem, &options, w, &result, error));
    *posterior = -result.value * count_rows(fit);
    return TEMPER_OK;
}

temper_status noise_maximise_sample(struct noise_search *search, enum noise_start start, size_t iterations, double *w,
                                    double *posterior, temper_error *error)
{
    noise_fit_take_settings(&search->sample, &search->all);
    if (start != NOISE_AGAIN)
        search->hessian = 0;
    if (start == NOISE_NEAR)
        TRY(find_hessian(search, w, error));
    TRY(maximise(search, &search->sample, iterations, w, posterior, error));
    return start == NOISE_FAR ? find_hessian(search, w, error) : TEMPER_OK;
}

temper_status noise_maximise(struct noise_search *search, enum noise_start start, size_t iterations, double *w,
                             double *posterior, temper_error *error)
{
    if (search->has_sample)
        noise_fit_take_settings(&search->sample, &search->all);
    if (start != NOISE_AGAIN)
        search->hessian = 0;
    if (search->has_sample && start == NOISE_FAR)
        TRY(noise_maximise_sample(search, start, iterations, w, posterior, error));
    else if (search->has_sample && start == NOISE_NEAR)
        TRY(find_hessian(search, w, error));
    return maximise(search, &search->all, iterations, w, posterior, error);
}

/* ---- All rows and the sample ------------------------------------------------------------------------------------- */

/* An evenly spread sample. */
static temper_status make_sample(struct noise_search *search, size_t rows, temper_error *error)
{
    const struct noise_fit *all = &search->all;
    search->sample_rows = *all->rows;
    search->sample_rows.rows = rows;
    search->sample_rows.among = all->rows->rows;
    search->has_sample = true;
    TRY(noise_fit_new(&search->sample_rows, &search->sample, error));
    search->sample.weight = (double)all->rows->rows / (double)rows;
    memcpy(search->sample.unit, all->unit, sizeof all->unit);
    return TEMPER_OK;
}

temper_status noise_search_new(const struct noise_rows *rows, struct noise_search *out, temper_error *error)
{
    size_t sample = rows->rows / SAMPLE_SHARE > SAMPLE_ROWS ? rows->rows / SAMPLE_SHARE : (size_t)SAMPLE_ROWS;
    out->has_sample = false;
    out->least_gain = 0;
    out->hessian = 0;
    TRY(noise_fit_new(rows, &out->all, error));
    return 2 * sample <= rows->rows && out->all.offsets > 0 ? make_sample(out, sample, error) : TEMPER_OK;
}

void noise_search_free(struct noise_search *search)
{
    noise_fit_free(&search->all);
    if (search->has_sample)
        noise_fit_free(&search->sample);
}
