/* Minimisers with an L1 penalty on functions whose minimum is known: separable parabolas, whose minimum is a soft
 * threshold of each number, with supports below and above the largest working set; and what can go wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "optim/l1_model.h"
#include "optim/l1_penalty.h"
#include "optim/minimise.h"

/* sum_j k_j (w_j - c_j)^2 / 2, plus a coupling of neighbours; the last number is not penalised. */
struct parabolas {
    size_t n;
    const double *k, *c;
    double coupling; /* of w_j and w_j+1 */
    double l1;
    size_t hessians, products, fail_at, evaluations;
};

static double minimum_of(const struct parabolas *p, size_t j)
{
    double shift = j + 1 < p->n ? p->l1 / p->k[j] : 0, c = p->c[j];
    return c > shift ? c - shift : c < -shift ? c + shift : 0;
}

static temper_status evaluate(void *context, const double *w, double *value, double *g, temper_error *error)
{
    struct parabolas *p = context;
    *value = 0;
    if (++p->evaluations == p->fail_at)
        return error_set(error, TEMPER_IO, "as asked");
    for (size_t j = 0; j < p->n; j++) {
        *value += 0.5 * p->k[j] * (w[j] - p->c[j]) * (w[j] - p->c[j]) + (j + 1 < p->n ? p->l1 * fabs(w[j]) : 0);
        g[j] = p->k[j] * (w[j] - p->c[j]);
    }
    for (size_t j = 0; j + 1 < p->n; j++) {
        *value += p->coupling * w[j] * w[j + 1];
        g[j] += p->coupling * w[j + 1];
        g[j + 1] += p->coupling * w[j];
    }
    return TEMPER_OK;
}

static temper_status multiply(void *context, const double *v, double *product, temper_error *error)
{
    struct parabolas *p = context;
    (void)error;
    p->products++;
    for (size_t j = 0; j < p->n; j++)
        product[j] =
            p->k[j] * v[j] + (j > 0 ? p->coupling * v[j - 1] : 0) + (j + 1 < p->n ? p->coupling * v[j + 1] : 0);
    return TEMPER_OK;
}

static temper_status hessian_of(void *context, const size_t *index, size_t count, double *h, temper_error *error)
{
    struct parabolas *p = context;
    (void)error;
    p->hessians++;
    CHECK(count > 0 && index[count - 1] == p->n - 1); /* what is not penalised is always there */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            h[i * count + j] = i == j ? p->k[index[i]] : index[i] == index[j] + 1 ? p->coupling : 0;
    return TEMPER_OK;
}

static struct problem problem_of(struct parabolas *p)
{
    return (struct problem){.size = p->n,
                            .context = p,
                            .evaluate = evaluate,
                            .multiply = multiply,
                            .hessian_of = hessian_of,
                            .l1 = p->l1,
                            .penalised = p->n - 1};
}

static const struct optim_options strict = {
    .gradient_norm = 1e-9, .distance = {.share = 1e-9}, .max_iterations = 500, .no_memory = true};

static minimiser_fn *const minimisers[] = {minimise_proximal, minimise_orthant};

/* Numbers between -1 and 1 that do not repeat, and curvatures from 1 to 3. */
static void fill(double *k, double *c, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        c[j] = cos(1.7 * (double)j);
        k[j] = 2 + sin(0.3 * (double)j);
    }
}

static void check_minimum(size_t n, double l1, minimiser_fn *minimise, struct parabolas *p)
{
    double *k = mem_alloc(3 * n, sizeof *k), *c = k + n, *w = c + n;
    struct optim_result result;
    temper_error error;
    fill(k, c, n);
    *p = (struct parabolas){.n = n, .k = k, .c = c, .l1 = l1};
    memset(w, 0, n * sizeof *w);
    const struct problem problem = problem_of(p);
    CHECK(minimise(&problem, &strict, w, &result, &error) == TEMPER_OK);
    CHECKF(result.stop == OPTIM_CONVERGED && result.gradient_norm <= 1e-9, "stop %d, %g", (int)result.stop,
           result.gradient_norm);
    CHECK(result.hessians == p->hessians && result.products == p->products && result.evaluations == p->evaluations);
    size_t wrong = 0;
    for (size_t j = 0; j < n; j++)
        wrong += !(fabs(w[j] - minimum_of(p, j)) < 1e-8) || (minimum_of(p, j) == 0) != (w[j] == 0);
    CHECKF(wrong == 0, "%zu of %zu numbers are wrong", wrong, n);
    mem_free(k);
}

TEST(minima_of_separable_functions_are_soft_thresholds)
{
    static const size_t sizes[] = {1, 2, 17, 300, 1500};
    static const double penalties[] = {1e-3, 0.5, 1.5, 10};
    struct parabolas p;
    for (size_t m = 0; m < 2; m++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t l = 0; l < sizeof penalties / sizeof *penalties; l++)
                check_minimum(sizes[s], penalties[l], minimisers[m], &p);
}

/* A support beyond the largest working set: conjugate gradients take over. */
TEST(supports_of_any_size)
{
    struct parabolas p;
    check_minimum(2 * PROXIMAL_SET, 1.8, minimise_proximal, &p);
    CHECKF(p.hessians > 0 && p.products == 0, "%zu Hessians, %zu products", p.hessians, p.products);
    check_minimum(2 * PROXIMAL_SET, 0.01, minimise_proximal, &p);
    CHECKF(p.hessians > 0 && p.products > 0, "%zu Hessians, %zu products", p.hessians, p.products);
}

/* Many numbers with equal subgradients, as those of equal columns, which no threshold separates. */
TEST(equal_subgradients)
{
    enum { N = 1200 };
    double k[N], c[N], w[N] = {0};
    for (size_t j = 0; j < N; j++) {
        k[j] = 1;
        c[j] = 1;
    }
    for (size_t m = 0; m < 2; m++) {
        struct parabolas p = {.n = N, .k = k, .c = c, .l1 = 0.25};
        const struct problem problem = problem_of(&p);
        struct optim_result result;
        temper_error error;
        memset(w, 0, sizeof w);
        CHECK(minimisers[m](&problem, &strict, w, &result, &error) == TEMPER_OK);
        CHECK(result.stop == OPTIM_CONVERGED);
        CHECK_CLOSE(w[0], 0.75, 1e-9);
        CHECK_CLOSE(w[N - 2], 0.75, 1e-9);
        CHECK_CLOSE(w[N - 1], 1, 1e-9);
    }
}

/* ---- Coupled numbers: the conditions at the minimum, resumption, failures -----------------------------------------
 */

enum { COUPLED = 40, MOST = 60 };

struct saved {
    double *memory[MOST];
    size_t count[MOST], seen;
};

static bool save(void *context, const struct optim_progress *progress)
{
    struct saved *saved = context;
    if (!CHECK(saved->seen < MOST))
        return false;
    saved->memory[saved->seen] = malloc(progress->memory_count * sizeof(double));
    memcpy(saved->memory[saved->seen], progress->memory, progress->memory_count * sizeof(double));
    saved->count[saved->seen++] = progress->memory_count;
    return true;
}

static struct parabolas coupled(double *k, double *c)
{
    fill(k, c, COUPLED);
    return (struct parabolas){.n = COUPLED, .k = k, .c = c, .coupling = 0.4, .l1 = 0.5};
}

TEST(a_minimisation_resumes_to_the_same_bits)
{
    double k[COUPLED], c[COUPLED];
    for (size_t m = 0; m < 2; m++) {
        struct parabolas p = coupled(k, c);
        const struct problem problem = problem_of(&p);
        struct saved saved = {.seen = 0};
        struct optim_options options = strict;
        struct optim_result whole, rest;
        temper_error error;
        double w[COUPLED] = {0}, again[COUPLED];
        options.no_memory = false;
        options.on_progress = save;
        options.progress_context = &saved;
        CHECK(minimisers[m](&problem, &options, w, &whole, &error) == TEMPER_OK);
        CHECK(whole.stop == OPTIM_CONVERGED && saved.seen > 2);
        options.on_progress = NULL;
        for (size_t i = 0; i < saved.seen; i++) {
            memset(again, 0, sizeof again);
            options.memory = saved.memory[i];
            options.memory_count = saved.count[i];
            CHECK(minimisers[m](&problem, &options, again, &rest, &error) == TEMPER_OK);
            CHECKF(memcmp(w, again, sizeof w) == 0 && rest.iterations == whole.iterations, "from iteration %zu", i);
            free(saved.memory[i]);
        }
    }
}

TEST(coupled_numbers_fulfil_the_conditions)
{
    double k[COUPLED], c[COUPLED], g[COUPLED], value;
    for (size_t m = 0; m < 2; m++) {
        struct parabolas p = coupled(k, c);
        const struct problem problem = problem_of(&p);
        struct optim_result result;
        temper_error error;
        double w[COUPLED] = {0};
        CHECK(minimisers[m](&problem, &strict, w, &result, &error) == TEMPER_OK);
        evaluate(&p, w, &value, g, &error);
        CHECK(l1_gradient_norm(&problem, w, g) <= 1e-9);
        CHECK_CLOSE(result.value, value, 1e-12);
        size_t zeros = 0;
        for (size_t j = 0; j < COUPLED; j++)
            zeros += w[j] == 0;
        CHECKF(zeros > 5 && zeros < COUPLED - 5, "%zu zeros", zeros);
    }
}

TEST(failures_of_the_function_and_of_memory)
{
    double k[COUPLED], c[COUPLED];
    for (size_t m = 0; m < 2; m++) {
        struct parabolas p = coupled(k, c);
        const struct problem problem = problem_of(&p);
        struct optim_result result;
        temper_error error;
        p.fail_at = 3;
        double w[COUPLED] = {0};
        CHECK(minimisers[m](&problem, &strict, w, &result, &error) == TEMPER_IO);
        p.fail_at = 0;
        for (size_t n = 1;; n++) {
            memset(w, 0, sizeof w);
            fault_arm(n);
            temper_status status = minimisers[m](&problem, &strict, w, &result, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY);
        }
        struct problem without = problem;
        without.multiply = NULL;
        without.hessian_of = NULL;
        CHECK(minimisers[m](&without, &strict, w, &result, &error) == (m == 0 ? TEMPER_BUG : TEMPER_OK));
    }
}

/* Negative curvature is bounded by the box alone: the minimum is at an end of it, or at the kink. */
TEST(a_model_without_curvature_ends_at_its_box)
{
    const double h[4] = {-1, 0, 0, 0}, w[2] = {0.5, 0.25}, l1[2] = {0.1, 1}, box[2] = {2, 1};
    double x[2] = {0.5, 0.25}, r[2] = {-0.2, 0.4};
    const struct l1_model model = {2, h, w, l1, box, x, r};
    CHECK(l1_model_minimise(&model, 1e-12, 50));
    CHECK_CLOSE(x[0], 2.5, 0);
    CHECK_CLOSE(x[1], 0, 0);
}

/* Intervals on one side of 0: concave, the minimum is at an end; with curvature, a number that is not penalised moves
 * in every sweep, also from 0, and one that is penalised stays at 0. */
TEST(models_away_from_zero)
{
    const double concave[1] = {-1}, far[1] = {5}, none[1] = {0}, narrow[1] = {1};
    double x[1] = {5}, r[1] = {-0.2};
    CHECK(l1_model_minimise(&(struct l1_model){1, concave, far, none, narrow, x, r}, 1e-12, 50));
    CHECK_CLOSE(x[0], 6, 0);
    const double below[1] = {-5};
    double y[1] = {-5}, slope[1] = {0.2};
    CHECK(l1_model_minimise(&(struct l1_model){1, concave, below, none, narrow, y, slope}, 1e-12, 50));
    CHECK_CLOSE(y[0], -6, 0);
    /* x0^2 + x0 x1 / 2 + x1^2 - x0 / 4 - 2 x1 + 3 |x0|: x0 stays at 0, and x1 goes to 1. */
    const double h[4] = {2, 0.5, 0.5, 2}, w[2] = {0, 0}, l1[2] = {3, 0}, box[2] = {9, 9};
    double z[2] = {0, 0}, g[2] = {-0.25, -2};
    CHECK(l1_model_minimise(&(struct l1_model){2, h, w, l1, box, z, g}, 1e-12, 50));
    CHECK(z[0] == 0);
    CHECK_CLOSE(z[1], 1, 1e-12);
    /* The second sweep is not over all numbers, but includes the first one, which is still 0 and not penalised. */
    const double free[2] = {0, 0.1};
    double v[2] = {0, 0}, slopes[2] = {0, -2};
    CHECK(!l1_model_minimise(&(struct l1_model){2, h, w, free, box, v, slopes}, 1e-12, 2));
    CHECK_CLOSE(v[0], -0.2375, 1e-12);
}

TEST_LIST(LISTED(minima_of_separable_functions_are_soft_thresholds), LISTED(supports_of_any_size),
          LISTED(equal_subgradients), LISTED(a_minimisation_resumes_to_the_same_bits),
          LISTED(coupled_numbers_fulfil_the_conditions), LISTED(failures_of_the_function_and_of_memory),
          LISTED(a_model_without_curvature_ends_at_its_box), LISTED(models_away_from_zero))
