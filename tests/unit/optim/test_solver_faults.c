/* Every minimiser with everything that can be wrong around it: numbers of a memory that is to be resumed, sizes that no
 * memory holds, functions that fail, are not finite or have no curvature at the n-th call. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "optim/minimise.h"
#include "optim/solver_state.h"

enum { SIZE = 4, MINIMISERS = 5, MOST_MEMORY = 4096, CALLS = 40 };

static minimiser_fn *const minimisers[MINIMISERS] = {minimise_lbfgs, minimise_newton, minimise_tron, minimise_proximal,
                                                     minimise_orthant};

/* What happens at the n-th call of one kind. */
enum trouble { NO_TROUBLE, FAILS, NOT_A_NUMBER, INFINITE, NEGATIVE };

/* sum_j (j + 1) log cosh(w_j - 1): convex, of bounded slope, and not a parabola. With l1 > 0 the penalty is added. */
struct valley {
    double l1;
    enum trouble evaluation, curvature;
    size_t at, evaluations, curvatures; /* the trouble begins at the call number `at` */
    double here[SIZE];
};

static bool in_trouble(enum trouble trouble, size_t call, size_t at)
{
    return trouble != NO_TROUBLE && call >= at;
}

static double troubled(enum trouble trouble, double number)
{
    return trouble == NOT_A_NUMBER ? (double)NAN : trouble == INFINITE ? (double)INFINITY : -number;
}

static temper_status evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    struct valley *valley = context;
    *value = 0;
    for (size_t j = 0; j < SIZE; j++) {
        const double k = (double)(j + 1);
        *value += k * log(cosh(w[j] - 1)) + (j + 1 < SIZE ? valley->l1 * fabs(w[j]) : 0);
        gradient[j] = k * tanh(w[j] - 1);
    }
    memcpy(valley->here, w, sizeof valley->here);
    if (!in_trouble(valley->evaluation, ++valley->evaluations, valley->at))
        return TEMPER_OK;
    if (valley->evaluation == FAILS)
        return error_set(error, TEMPER_IO, "as asked");
    *value = troubled(valley->evaluation, *value);
    return TEMPER_OK;
}

/* One entry of the Hessian. */
static double curvature_at(struct valley *valley, size_t j, bool trouble)
{
    const double cosine = cosh(valley->here[j] - 1), curvature = (double)(j + 1) / (cosine * cosine);
    return trouble ? troubled(valley->curvature, curvature) : curvature;
}

/* Counts a request for curvature; TEMPER_IO if it is to fail. */
static temper_status request(struct valley *valley, bool *trouble, temper_error *error)
{
    *trouble = in_trouble(valley->curvature, ++valley->curvatures, valley->at);
    return *trouble && valley->curvature == FAILS ? error_set(error, TEMPER_IO, "as asked") : TEMPER_OK;
}

static temper_status multiply(void *context, const double *v, double *product, temper_error *error)
{
    bool trouble;
    temper_status status = request(context, &trouble, error);
    for (size_t j = 0; j < SIZE; j++)
        product[j] = curvature_at(context, j, trouble) * v[j];
    return status;
}

static temper_status hessian_of(void *context, const size_t *index, size_t count, double *h, temper_error *error)
{
    bool trouble;
    temper_status status = request(context, &trouble, error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            h[i * count + j] = i == j ? curvature_at(context, index[i], trouble) : 0;
    return status;
}

static temper_status hessian(void *context, double *h, temper_error *error)
{
    static const size_t all[SIZE] = {0, 1, 2, 3};
    return hessian_of(context, all, SIZE, h, error);
}

/* The minimisers with an L1 penalty get one. */
static struct problem problem_of(struct valley *valley, size_t minimiser)
{
    valley->l1 = minimiser >= 3 ? 1.5 : 0;
    return (struct problem){.size = SIZE,
                            .context = valley,
                            .evaluate = evaluate,
                            .multiply = multiply,
                            .hessian = hessian,
                            .hessian_of = hessian_of,
                            .l1 = valley->l1,
                            .penalised = minimiser >= 3 ? SIZE - 1 : 0};
}

static const struct optim_options options = {
    .gradient_norm = 1e-7, .distance = {.share = 1e-9, .absolute = 1e-12}, .max_iterations = 60, .history = 3};

static double value_at(struct valley *valley, const double *w)
{
    struct valley clean = {.l1 = valley->l1};
    double value, gradient[SIZE];
    evaluate(&clean, w, &value, gradient, NULL);
    return value;
}

/* The minimum: w_j = 1 without a penalty; with 1.5 those of slope 1 are 0. */
TEST(without_trouble_all_find_the_minimum)
{
    for (size_t m = 0; m < MINIMISERS; m++) {
        struct valley valley = {0};
        struct problem problem = problem_of(&valley, m);
        struct optim_result result;
        double w[SIZE] = {0};
        CHECK(minimisers[m](&problem, &options, w, &result, NULL) == TEMPER_OK);
        CHECKF(result.stop == OPTIM_CONVERGED, "%zu: %d", m, (int)result.stop);
        for (size_t j = 0; j < SIZE; j++) {
            const double slope = j + 1 < SIZE ? valley.l1 / (double)(j + 1) : 0;
            CHECK_NEAR(w[j], slope >= tanh(1) ? 0 : 1 - atanh(slope), 1e-6);
        }
    }
}

/* From the n-th call on: an error of the function is the result; else a point that is no worse than the start, and a
 * reason to stop that is true. */
static void check_trouble(size_t m, struct valley valley)
{
    struct problem problem = problem_of(&valley, m);
    struct optim_result result = {.stop = OPTIM_MAX_ITER};
    temper_error error = {0};
    double w[SIZE] = {0}, before = value_at(&valley, w);
    const bool fails = valley.evaluation == FAILS || valley.curvature == FAILS;
    temper_status status = minimisers[m](&problem, &options, w, &result, &error);
    const size_t calls = valley.evaluation != NO_TROUBLE ? valley.evaluations : valley.curvatures;
    CHECKF(status == (fails && calls >= valley.at ? TEMPER_IO : TEMPER_OK), "%zu, at %zu: %s", m, valley.at,
           error.message);
    CHECKF(value_at(&valley, w) <= before, "%zu, at %zu", m, valley.at);
    for (size_t j = 0; j < SIZE; j++)
        CHECK(isfinite(w[j]));
    if (status == TEMPER_OK && result.stop == OPTIM_CONVERGED)
        CHECKF(result.gradient_norm <= options.gradient_norm, "%zu, at %zu: %g", m, valley.at, result.gradient_norm);
}

TEST(trouble_at_every_call)
{
    static const enum trouble kinds[] = {FAILS, NOT_A_NUMBER, INFINITE, NEGATIVE};
    for (size_t m = 0; m < MINIMISERS; m++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (size_t at = 1; at <= CALLS; at++) {
                if (kinds[k] != NEGATIVE)
                    check_trouble(m, (struct valley){.evaluation = kinds[k], .at = at});
                check_trouble(m, (struct valley){.curvature = kinds[k], .at = at});
            }
}

/* ---- Lengths --------------------------------------------------------------------------------- */

/* The length of a step as the largest change of a number, at most `calls` times. */
static temper_status length_of(void *context, const double *v, double *length, temper_error *error)
{
    struct valley *valley = context;
    *length = 0;
    for (size_t j = 0; j < SIZE; j++)
        *length = fmax(*length, fabs(v[j]));
    bool trouble;
    return request(valley, &trouble, error);
}

/* Steps of at most a tenth: the minimum is found all the same; and an error of the measurement is the result. */
TEST(steps_are_limited)
{
    for (size_t m = 0; m < MINIMISERS; m++)
        for (size_t at = 0; at <= CALLS; at++) {
            struct valley valley = {.curvature = at > 0 ? FAILS : NO_TROUBLE, .at = at};
            struct problem problem = problem_of(&valley, m);
            struct optim_options limited = options;
            struct optim_result result;
            temper_error error = {0};
            double w[SIZE] = {0};
            limited.length = length_of;
            limited.first_length = 0.1;
            temper_status status = minimisers[m](&problem, &limited, w, &result, &error);
            CHECK(status == (at > 0 && valley.curvatures >= at ? TEMPER_IO : TEMPER_OK));
            if (status == TEMPER_OK)
                CHECKF(result.stop == OPTIM_CONVERGED && fabs(w[3] - 1) < 1e-6, "%zu: %d, %g", m, (int)result.stop,
                       w[3]);
        }
}

/* ---- Memories -------------------------------------------------------------------------------- */

struct saved {
    size_t stop_at, count;
    double memory[MOST_MEMORY];
};

static bool save(void *context, const struct optim_progress *progress)
{
    struct saved *saved = context;
    if (!CHECK(progress->memory_count <= MOST_MEMORY))
        return false;
    saved->count = progress->memory_count;
    memcpy(saved->memory, progress->memory, progress->memory_count * sizeof(double));
    return progress->iteration < saved->stop_at;
}

static temper_status resume(size_t m, const struct saved *saved, double *w)
{
    struct valley valley = {0};
    struct problem problem = problem_of(&valley, m);
    struct optim_options again = options;
    struct optim_result result;
    temper_error error = {0};
    again.memory = saved->memory;
    again.memory_count = saved->count;
    memset(w, 0, SIZE * sizeof *w);
    return minimisers[m](&problem, &again, w, &result, &error);
}

/* Each number of the head in turn becomes another. It is refused, or without consequence for the minimum. */
static void check_heads(size_t m, struct saved *saved)
{
    static const double numbers[] = {-1, -0.5, 0, 0.5, 3, 1e9, 1e18, -1e300, 1e300};
    double w[SIZE], *head = saved->memory;
    for (size_t i = 0; i < sizeof(struct solver_head) / sizeof(double); i++) {
        const double kept = head[i];
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            head[i] = numbers[k];
            temper_status status = resume(m, saved, w);
            CHECKF(status == TEMPER_OK || status == TEMPER_BAD_DATA, "%zu at %zu", m, i);
            for (size_t j = 0; status == TEMPER_OK && j < SIZE; j++)
                CHECKF(isfinite(w[j]) && fabs(w[j]) < 10, "%zu: %g at %zu: %g", m, numbers[k], i, w[j]);
        }
        head[i] = kept;
    }
    CHECK(resume(m, saved, w) == TEMPER_OK);
}

/* Norms, limits and values of the wrong sign or order are refused. */
static void check_signs(size_t m, struct saved *saved)
{
    struct solver_head *head = (struct solver_head *)saved->memory, kept = *head;
    double *const numbers[] = {&head->gradient_norm, &head->start_norm,    &head->best_norm, &head->progress_norm,
                               &head->stiffness,     &head->length_limit,  &head->radius,    &head->gamma,
                               &head->evaluations,   &head->history_limit, &head->pairs,     &head->next};
    double w[SIZE];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = -1;
        CHECKF(resume(m, saved, w) == TEMPER_BAD_DATA, "%zu: number %zu", m, i);
        *head = kept;
    }
    head->lowest = head->value + 1;
    CHECK(resume(m, saved, w) == TEMPER_BAD_DATA);
    *head = kept;
    head->best_value = head->lowest - 1;
    CHECK(resume(m, saved, w) == TEMPER_BAD_DATA);
    *head = kept;
    head->iteration = head->evaluations;
    CHECK(resume(m, saved, w) == TEMPER_BAD_DATA);
    *head = kept;
    head->extra += 1;
    CHECK(resume(m, saved, w) == TEMPER_BAD_DATA);
    *head = kept;
    if (head->pairs > 0 && head->pairs < head->history_limit) { /* the ring is filled from its beginning on */
        head->next = head->pairs - 1;
        CHECK(resume(m, saved, w) == TEMPER_BAD_DATA);
        *head = kept;
    }
    CHECK(resume(m, saved, w) == TEMPER_OK);
}

TEST(memories_with_a_wrong_number)
{
    static struct saved saved;
    for (size_t m = 0; m < MINIMISERS; m++)
        for (size_t stop_at = 0; stop_at < 5; stop_at += 2) {
            struct valley valley = {0};
            struct problem problem = problem_of(&valley, m);
            struct optim_options watched = options;
            struct optim_result result;
            double w[SIZE] = {0};
            saved.stop_at = stop_at;
            watched.on_progress = save;
            watched.progress_context = &saved;
            CHECK(minimisers[m](&problem, &watched, w, &result, NULL) == TEMPER_OK);
            CHECK(result.stop == OPTIM_STOPPED || (stop_at > 2 && result.stop == OPTIM_CONVERGED));
            check_heads(m, &saved);
            check_signs(m, &saved);
        }
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* No size is multiplied beyond what a size_t holds; an allocation that is asked for fails. */
TEST(sizes_beyond_memory)
{
    for (size_t m = 0; m < MINIMISERS; m++)
        for (size_t size = SIZE_MAX; size > (size_t)1 << 24; size -= size / 3) {
            struct valley valley = {0};
            struct problem problem = problem_of(&valley, m);
            struct optim_result result = {.evaluations = 99};
            temper_error error = {0};
            double w[SIZE] = {0};
            problem.size = size;
            problem.penalised = m >= 3 ? size - 1 : 0;
            fault_arm_from(minimisers[m] == minimise_proximal ? 2 : 1); /* its first one is small */
            temper_status status = minimisers[m](&problem, &options, w, &result, &error);
            fault_disarm();
            CHECKF(status == TEMPER_NO_MEMORY && result.evaluations == 99, "%zu: %zu", m, size);
        }
}

/* A problem without what the method needs is a mistake of the caller. */
TEST(what_a_method_needs)
{
    struct valley valley = {0};
    struct problem problem = problem_of(&valley, 3);
    struct optim_result result;
    double w[SIZE] = {0};
    problem.multiply = NULL;
    CHECK(minimise_proximal(&problem, &options, w, &result, NULL) == TEMPER_BUG);
    problem = problem_of(&valley, 3);
    problem.hessian_of = NULL;
    CHECK(minimise_proximal(&problem, &options, w, &result, NULL) == TEMPER_BUG);
    CHECK_EQ_SIZE(valley.evaluations, 0);
}

/* Numbers of the methods that no iteration leaves: a radius of 0, a negative scale, a pair of negative curvature. */
TEST(memories_that_agree_with_themselves_alone)
{
    static struct saved saved;
    enum { PAIRS = sizeof(struct solver_head) / sizeof(double) + 3 * SIZE };
    for (size_t m = 0; m < MINIMISERS; m++) {
        struct valley valley = {0};
        struct problem problem = problem_of(&valley, m);
        struct optim_options watched = options;
        struct optim_result result;
        double w[SIZE] = {0};
        saved.stop_at = 2;
        watched.on_progress = save;
        watched.progress_context = &saved;
        CHECK(minimisers[m](&problem, &watched, w, &result, NULL) == TEMPER_OK && result.stop == OPTIM_STOPPED);
        struct solver_head *head = (struct solver_head *)saved.memory, kept = *head;
        head->radius = 0;
        CHECK((resume(m, &saved, w) == TEMPER_BAD_DATA) ==
              (minimisers[m] == minimise_newton || minimisers[m] == minimise_tron));
        *head = kept;
        if (minimisers[m] == minimise_newton) {
            const double scale = saved.memory[PAIRS];
            saved.memory[PAIRS] = -1;
            CHECK(resume(m, &saved, w) == TEMPER_BAD_DATA);
            saved.memory[PAIRS] = scale;
        }
        if (minimisers[m] == minimise_lbfgs || minimisers[m] == minimise_orthant) {
            for (size_t j = 0; j < SIZE; j++)
                saved.memory[PAIRS + j] = -saved.memory[PAIRS + j];
            saved.memory[PAIRS + 2 * SIZE] = -saved.memory[PAIRS + 2 * SIZE];
            CHECKF(resume(m, &saved, w) == TEMPER_BAD_DATA, "%zu", m);
        }
    }
}

/* The function is not finite any more at the point of the memory. */
TEST(a_point_that_has_lost_its_value)
{
    static struct saved saved;
    for (size_t m = 0; m < MINIMISERS; m++) {
        struct valley valley = {0}, lost = {.evaluation = NOT_A_NUMBER, .at = 1};
        struct problem problem = problem_of(&valley, m), other = problem_of(&lost, m);
        struct optim_options watched = options, again = options;
        struct optim_result result;
        temper_error error = {0};
        double w[SIZE] = {0};
        saved.stop_at = 1;
        watched.on_progress = save;
        watched.progress_context = &saved;
        CHECK(minimisers[m](&problem, &watched, w, &result, NULL) == TEMPER_OK);
        again.memory = saved.memory;
        again.memory_count = saved.count;
        CHECK(minimisers[m](&other, &again, w, &result, &error) == TEMPER_BAD_DATA);
        CHECKF(strstr(error.message, "the function has another value there"), "%s", error.message);
    }
}

/* ---- Many numbers ---------------------------------------------------------------------------- */

enum { LARGE = PROXIMAL_SET + 500 };

/* sum_j (w_j - 2)^2 / 2, all of them in the support: too many for a working set, so that conjugate gradients are used.
 */
struct wide_bowl {
    enum trouble curvature;
    size_t at, products;
};

static temper_status wide_evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    (void)context, (void)error;
    *value = 0;
    for (size_t j = 0; j < LARGE; j++) {
        *value += (w[j] - 2) * (w[j] - 2) / 2 + (j + 1 < LARGE ? 0.5 * fabs(w[j]) : 0);
        gradient[j] = w[j] - 2;
    }
    return TEMPER_OK;
}

static temper_status wide_multiply(void *context, const double *v, double *product, temper_error *error)
{
    struct wide_bowl *bowl = context;
    const bool trouble = in_trouble(bowl->curvature, ++bowl->products, bowl->at);
    for (size_t j = 0; j < LARGE; j++)
        product[j] = trouble ? troubled(bowl->curvature, v[j]) : v[j] * (1 + (double)(j % 7));
    return trouble && bowl->curvature == FAILS ? error_set(error, TEMPER_IO, "as asked") : TEMPER_OK;
}

static temper_status no_set(void *context, const size_t *index, size_t count, double *h, temper_error *error)
{
    (void)context, (void)index, (void)count, (void)h;
    return error_set(error, TEMPER_BUG, "a working set of the whole support");
}

/* From a start where all numbers are in the support. Curvature that is no number, or negative, leaves steepest descent.
 */
TEST(products_of_a_large_support)
{
    static const enum trouble kinds[] = {NO_TROUBLE, FAILS, NOT_A_NUMBER, INFINITE, NEGATIVE};
    static double w[LARGE];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t at = 1; at <= 3; at++) {
            struct wide_bowl bowl = {.curvature = kinds[k], .at = at};
            struct problem problem = {.size = LARGE,
                                      .context = &bowl,
                                      .evaluate = wide_evaluate,
                                      .multiply = wide_multiply,
                                      .hessian_of = no_set,
                                      .l1 = 0.5,
                                      .penalised = LARGE - 1};
            struct optim_result result;
            temper_error error = {0};
            for (size_t j = 0; j < LARGE; j++)
                w[j] = 1;
            temper_status status = minimise_proximal(&problem, &options, w, &result, &error);
            const bool failed = kinds[k] == FAILS && bowl.products >= at;
            CHECKF(status == (failed ? TEMPER_IO : TEMPER_OK), "%d at %zu: %s", (int)kinds[k], at, error.message);
            if (status == TEMPER_OK)
                CHECKF(fabs(w[0] - 1.5) < 1e-3 && fabs(w[LARGE - 1] - 2) < 1e-3, "%d at %zu: %g %g", (int)kinds[k], at,
                       w[0], w[LARGE - 1]);
        }
}

/* ---- Lengths that say nothing ---------------------------------------------------------------- */

static temper_status odd_length(void *context, const double *v, double *length, temper_error *error)
{
    const struct valley *valley = context;
    (void)v, (void)error;
    *length = valley->at == 1 ? 0 : valley->at == 2 ? (double)INFINITY : (double)NAN;
    return TEMPER_OK;
}

/* A step that changes no score, or of which nothing is known, is not shortened. */
TEST(lengths_that_are_none)
{
    for (size_t m = 0; m < MINIMISERS; m++)
        for (size_t at = 1; at <= 3; at++) {
            struct valley valley = {.at = at};
            struct problem problem = problem_of(&valley, m);
            struct optim_options limited = options;
            struct optim_result result;
            double w[SIZE] = {0};
            limited.length = odd_length;
            CHECK(minimisers[m](&problem, &limited, w, &result, NULL) == TEMPER_OK);
            CHECKF(fabs(w[3] - 1) < 1e-6, "%zu: %g", m, w[3]);
        }
}

/* Sizes at which each of the sums and products exceeds a size_t for itself. */
TEST(sizes_at_every_limit)
{
    static const size_t roots[] = {3037000500, 3037000499, 4294967296};
    for (size_t m = 0; m < MINIMISERS; m++)
        for (size_t k = 1; k < 64; k++) {
            struct valley valley = {0};
            struct problem problem = problem_of(&valley, m);
            struct optim_result result = {.evaluations = 99};
            double w[SIZE] = {0};
            problem.size = k < 4 ? roots[k - 1] : SIZE_MAX / (k - 3);
            problem.penalised = m >= 3 ? problem.size - 1 : 0;
            fault_arm_from(minimisers[m] == minimise_proximal ? 2 : 1);
            temper_status status = minimisers[m](&problem, &options, w, &result, NULL);
            fault_disarm();
            CHECKF(status == TEMPER_NO_MEMORY && result.evaluations == 99, "%zu: %zu", m, problem.size);
        }
}

/* A memory of Newton's method without the numbers of the method, of the right kind and size otherwise. */
TEST(shorter_memories)
{
    static struct saved saved;
    struct valley valley = {0};
    struct problem problem = problem_of(&valley, 1);
    struct optim_options watched = options;
    struct optim_result result;
    double w[SIZE] = {0};
    saved.stop_at = 2;
    watched.on_progress = save;
    watched.progress_context = &saved;
    CHECK(minimise_newton(&problem, &watched, w, &result, NULL) == TEMPER_OK);
    saved.count -= 2 * SIZE;
    ((struct solver_head *)saved.memory)->extra = 0;
    CHECK(resume(1, &saved, w) == TEMPER_BAD_DATA);
}

/* ---- Preconditioners ------------------------------------------------------------------------- */

static void divide(void *context, double *v)
{
    const double *diagonal = context;
    for (size_t j = 0; j < SIZE; j++)
        v[j] *= diagonal[j];
}

/* Both kinds at once: the diagonal decides. The same minimum. */
TEST(two_preconditioners)
{
    static double inverse[SIZE] = {1, 0.5, 1.0 / 3, 0.25};
    for (size_t m = 0; m < 3; m++)
        for (size_t both = 0; both < 2; both++) {
            struct valley valley = {0};
            struct problem problem = problem_of(&valley, m);
            struct optim_result result;
            double w[SIZE] = {0};
            problem.precondition = divide;
            problem.preconditioner = inverse;
            problem.diagonal = both ? inverse : NULL;
            problem.diagonal_group = both;
            CHECK(minimisers[m](&problem, &options, w, &result, NULL) == TEMPER_OK);
            for (size_t j = 0; j < SIZE; j++)
                CHECK_NEAR(w[j], 1, 1e-6);
        }
}

/* M^-1 that is negative, or no number: not positive definite, so that no direction is one of descent. The value does
 * not rise, and the minimisation ends. */
TEST(preconditioners_that_are_none)
{
    static const double wrong[] = {-1, 0, NAN, INFINITY, 1e-300, 1e300};
    for (size_t m = 0; m < 3; m++)
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            struct valley valley = {0};
            struct problem problem = problem_of(&valley, m);
            struct optim_result result;
            double w[SIZE] = {0}, numbers[SIZE] = {wrong[k], wrong[k], wrong[k], wrong[k]};
            const double before = value_at(&valley, w);
            problem.precondition = divide;
            problem.preconditioner = numbers;
            CHECK(minimisers[m](&problem, &options, w, &result, NULL) == TEMPER_OK);
            CHECKF(value_at(&valley, w) <= before, "%zu: %g", m, wrong[k]);
            CHECK(result.stop != OPTIM_CONVERGED || fabs(w[3] - 1) < 1e-6);
        }
}

/* A kernel that does not exist. */
TEST(an_unknown_kernel)
{
    struct valley valley = {0};
    struct problem problem = problem_of(&valley, 1);
    struct optim_result result;
    temper_error error = {0};
    double w[SIZE] = {0};
    const char *given = getenv("TEMPER_KERNEL");
    char kept[32] = "";
    if (given)
        snprintf(kept, sizeof kept, "%s", given);
    CHECK(setenv("TEMPER_KERNEL", "none", 1) == 0);
    CHECK(minimise_newton(&problem, &options, w, &result, &error) == TEMPER_USAGE);
    CHECKF(strstr(error.message, "TEMPER_KERNEL=none"), "%s", error.message);
    CHECK((given ? setenv("TEMPER_KERNEL", kept, 1) : unsetenv("TEMPER_KERNEL")) == 0);
}

TEST_LIST(LISTED(without_trouble_all_find_the_minimum), LISTED(trouble_at_every_call), LISTED(steps_are_limited),
          LISTED(memories_with_a_wrong_number), LISTED(sizes_beyond_memory), LISTED(what_a_method_needs),
          LISTED(memories_that_agree_with_themselves_alone), LISTED(a_point_that_has_lost_its_value),
          LISTED(products_of_a_large_support), LISTED(lengths_that_are_none), LISTED(sizes_at_every_limit),
          LISTED(shorter_memories), LISTED(two_preconditioners), LISTED(preconditioners_that_are_none),
          LISTED(an_unknown_kernel))
