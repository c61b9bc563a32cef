/* Progress reports, stopping and resuming; and everything that can fail. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/optim_fixture.h"
#include "fixtures/test.h"
#include "optim/solver_state.h"

enum { ROWS = 120, COLUMNS = 6, MOST_ITERATIONS = 200 };

/* What was seen of a run, iteration by iteration. */
struct record {
    size_t count;   /* iterations seen, the start included */
    size_t stop_at; /* says "no more" there */
    struct optim_progress seen[MOST_ITERATIONS];
    double w[MOST_ITERATIONS][COLUMNS]; /* copies, and of the memory too */
    double *memory[MOST_ITERATIONS];
};

static bool record(void *context, const struct optim_progress *progress)
{
    struct record *record = context;
    if (!CHECK(record->count < MOST_ITERATIONS))
        return false;
    const size_t k = record->count++;
    record->seen[k] = *progress;
    memcpy(record->w[k], progress->w, sizeof record->w[k]);
    record->memory[k] = malloc(progress->memory_count * sizeof(double));
    if (!record->memory[k])
        abort();
    memcpy(record->memory[k], progress->memory, progress->memory_count * sizeof(double));
    return progress->iteration < record->stop_at;
}

static void forget(struct record *record)
{
    for (size_t k = 0; k < record->count; k++)
        free(record->memory[k]);
    record->count = 0;
}

/* A run and how it ended. */
struct run {
    const struct toy_minimiser *minimiser;
    struct toy toy;
    struct optim_options options;
    struct optim_result result;
    temper_status status;
    temper_error error;
    double w[COLUMNS];
};

static struct toy_rows make_rows(void)
{
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.2});
    rows.t1 = 0.2;
    rows.t2 = 1.5;
    rows.lambda = 1e-3;
    return rows;
}

static struct run prepare(const struct toy_rows *rows, size_t minimiser)
{
    return (struct run){
        .minimiser = &toy_minimisers[minimiser],
        .toy = {.function = toy_rows, .data = rows, .n = COLUMNS},
        /* A history that is shorter than the run, so that old pairs are overwritten. */
        .options = {.gradient_norm = 1e-9, .max_iterations = 150, .history = 4, .length = toy_length},
    };
}

static void go(struct run *run)
{
    struct problem problem = toy_problem(&run->toy);
    memset(run->w, 0, sizeof run->w);
    memset(&run->result, 0, sizeof run->result);
    run->status = run->minimiser->minimise(&problem, &run->options, run->w, &run->result, &run->error);
}

static bool same_progress(const struct optim_progress *a, const struct optim_progress *b)
{
    return a->iteration == b->iteration && a->evaluations == b->evaluations && a->products == b->products &&
           a->hessians == b->hessians && a->value == b->value && a->gradient_norm == b->gradient_norm &&
           a->memory_count == b->memory_count;
}

static bool same_result(const struct run *a, const struct run *b)
{
    return a->result.stop == b->result.stop && a->result.iterations == b->result.iterations &&
           a->result.evaluations == b->result.evaluations && a->result.products == b->result.products &&
           a->result.hessians == b->result.hessians &&
           memcmp(&a->result.value, &b->result.value, sizeof(double)) == 0 &&
           a->result.gradient_norm == b->result.gradient_norm &&
           a->result.at_last_evaluation == b->result.at_last_evaluation && memcmp(a->w, b->w, sizeof a->w) == 0;
}

/* A minimisation that resumes from iteration k gives the bits of one that never stopped. */
static void check_resumed(const struct run *whole, const struct record *all, size_t k)
{
    static struct record rest;
    struct run run = *whole;
    rest.count = 0;
    rest.stop_at = SIZE_MAX;
    run.options.progress_context = &rest;
    run.options.memory = all->memory[k];
    run.options.memory_count = all->seen[k].memory_count;
    run.toy.evaluations = 0;
    go(&run);
    CHECK(run.status == TEMPER_OK && same_result(&run, whole));
    CHECK_EQ_SIZE(rest.count, all->count - k - 1); /* the point it begins at is not shown again */
    for (size_t i = 0; i < rest.count && k + 1 + i < all->count; i++) {
        const size_t j = k + 1 + i;
        CHECKF(same_progress(&rest.seen[i], &all->seen[j]), "from %zu at %zu", k, j);
        CHECK(memcmp(rest.w[i], all->w[j], sizeof rest.w[i]) == 0);
        CHECK(memcmp(rest.memory[i], all->memory[j], rest.seen[i].memory_count * sizeof(double)) == 0);
    }
    forget(&rest);
}

TEST(resumes_to_the_same_bits)
{
    static struct record all;
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++)
        for (int noisy = 0; noisy < 2; noisy++) {
            struct run whole = prepare(&rows, m);
            all.stop_at = SIZE_MAX;
            whole.toy.noise = noisy ? 1e-7 : 0;
            whole.options.on_progress = record;
            whole.options.progress_context = &all;
            go(&whole);
            CHECK(whole.status == TEMPER_OK && whole.result.stop == OPTIM_CONVERGED);
            CHECK_EQ_SIZE(all.count, whole.result.iterations + 1);
            CHECK(whole.result.iterations > 5);
            for (size_t k = 0; k < all.count; k++)
                check_resumed(&whole, &all, k);
            forget(&all);
        }
    toy_rows_free(&rows);
}

/* A run that ends otherwise resumes to the same end. */
TEST(resumes_to_other_ends)
{
    static struct record all;
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        struct run whole = prepare(&rows, m);
        all.stop_at = SIZE_MAX;
        whole.options.on_progress = record;
        whole.options.progress_context = &all;
        whole.options.max_iterations = 4;
        go(&whole);
        CHECK(whole.result.stop == OPTIM_MAX_ITER && whole.result.iterations == 4);
        for (size_t k = 0; k < all.count; k++)
            check_resumed(&whole, &all, k);
        forget(&all);
        whole.options.gradient_norm = 1e-300; /* beyond rounding: stalls */
        whole.options.max_iterations = MOST_ITERATIONS - 1;
        go(&whole);
        CHECK(whole.result.stop == OPTIM_STALLED || whole.result.stop == OPTIM_MAX_ITER);
        CHECK(whole.result.gradient_norm < 1e-9);
        check_resumed(&whole, &all, all.count - 1);
        forget(&all);
    }
    toy_rows_free(&rows);
}

TEST(stops_when_told)
{
    static struct record all;
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        double value = INFINITY;
        for (size_t k = 0; k < 6; k++) {
            struct run run = prepare(&rows, m);
            all.stop_at = k;
            run.options.on_progress = record;
            run.options.progress_context = &all;
            go(&run);
            CHECK(run.status == TEMPER_OK && run.result.stop == OPTIM_STOPPED);
            CHECK_EQ_SIZE(run.result.iterations, k);
            CHECK_EQ_SIZE(all.count, k + 1);
            CHECK(memcmp(run.w, all.w[k], sizeof run.w) == 0);
            CHECK(run.result.value < value);
            value = run.result.value;
            forget(&all);
        }
    }
    toy_rows_free(&rows);
}

static bool is_without_memory(void *context, const struct optim_progress *progress)
{
    CHECK(!progress->memory && progress->memory_count == 0);
    ++*(size_t *)context;
    return true;
}

TEST(a_run_may_forget)
{
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        size_t seen = 0;
        struct run whole = prepare(&rows, m), run = whole;
        go(&whole);
        run.options.no_memory = true;
        run.options.on_progress = is_without_memory;
        run.options.progress_context = &seen;
        go(&run);
        CHECK(same_result(&run, &whole));
        CHECK_EQ_SIZE(seen, run.result.iterations + 1);
    }
    toy_rows_free(&rows);
}

/* ---- Memory that does not fit ---------------------------------------------------------------- */

static temper_status resume_with(struct run run, const double *memory, size_t count)
{
    run.options.on_progress = NULL;
    run.options.memory = memory;
    run.options.memory_count = count;
    go(&run);
    return run.status;
}

/* With one number of the last memory replaced. */
static temper_status resume_damaged(struct run run, const struct record *record, size_t place, double number)
{
    const size_t last = record->count - 1;
    double *memory = record->memory[last];
    const double kept = memory[place];
    memory[place] = number;
    const temper_status status = resume_with(run, memory, record->seen[last].memory_count);
    memory[place] = kept;
    return status;
}

TEST(wrong_memory_is_refused)
{
    static struct record all;
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        struct run run = prepare(&rows, m);
        all.stop_at = 5;
        run.options.on_progress = record;
        run.options.progress_context = &all;
        go(&run);
        const size_t count = all.seen[5].memory_count;
        const double *memory = all.memory[5];
        CHECK(resume_with(run, memory, count) == TEMPER_OK);
        for (size_t size = 0; size < count; size++)
            CHECKF(resume_with(run, memory, size) == TEMPER_BAD_DATA, "%zu numbers", size);
        /* No number may be NaN; the run's own kind, size and counters come first. */
        for (size_t i = 0; i < count; i++)
            CHECKF(resume_damaged(run, &all, i, NAN) == TEMPER_BAD_DATA, "NaN at %zu", i);
        for (size_t i = 0; i < 6; i++) {
            CHECKF(resume_damaged(run, &all, i, -1) == TEMPER_BAD_DATA, "-1 at %zu", i);
            CHECKF(resume_damaged(run, &all, i, memory[i] + 0.5) == TEMPER_BAD_DATA, "a half at %zu", i);
        }
        /* The gradient has the norm that the head says, and pairs the curvature. */
        const size_t gradient = sizeof(struct solver_head) / sizeof(double) + COLUMNS;
        const size_t pairs = gradient + 2 * (size_t)COLUMNS;
        CHECK(resume_damaged(run, &all, gradient, memory[gradient] + 0.1) == TEMPER_BAD_DATA);
        for (size_t i = pairs; i < count && m == 0; i++)
            CHECKF(resume_damaged(run, &all, i, memory[i] + 0.1) == TEMPER_BAD_DATA, "at %zu", i);
        /* That of another minimiser, of another function, of other options. */
        struct run other = run;
        other.minimiser = &toy_minimisers[(m + 1) % TOY_MINIMISERS];
        CHECK(resume_with(other, memory, count) == TEMPER_BAD_DATA);
        struct toy_rows changed = rows;
        changed.t1 = 0.5;
        other = run;
        other.toy.data = &changed;
        CHECK(resume_with(other, memory, count) == TEMPER_BAD_DATA);
        if (m == 0) {
            other = run;
            other.options.history = 50;
            CHECK(resume_with(other, memory, count) == TEMPER_BAD_DATA);
        }
        CHECK(resume_with(run, memory, count) == TEMPER_OK);
        forget(&all);
    }
    toy_rows_free(&rows);
}

/* ---- Failures ----------------------------------------------------------------------------------
 */

TEST(no_memory)
{
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        struct run run = prepare(&rows, m);
        size_t n = 1;
        for (;; n++) {
            fault_arm(n);
            go(&run);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(run.status == TEMPER_NO_MEMORY && run.result.evaluations == 0);
            for (size_t j = 0; j < COLUMNS; j++)
                CHECK(run.w[j] == 0);
        }
        /* All of it at the start: two blocks, whatever the number of iterations. */
        CHECK_EQ_SIZE(n, 3);
        CHECK(run.status == TEMPER_OK);
    }
    toy_rows_free(&rows);
}

/* The problem fails at its n-th evaluation: that ends the run, and w is the best so far. */
TEST(failures_of_the_problem)
{
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        double value = 1e300, gradient[COLUMNS];
        for (size_t n = 1; n <= 8; n++) {
            struct run run = prepare(&rows, m);
            run.toy.fail_at = n;
            go(&run);
            CHECK(run.status == TEMPER_IO && run.result.evaluations == 0);
            const double now = toy_rows(run.w, COLUMNS, gradient, NULL, &rows);
            CHECK(now <= value);
            value = now;
        }
        CHECK(value < 0.9 * toy_rows((const double[COLUMNS]){0}, COLUMNS, gradient, NULL, &rows));
    }
    toy_rows_free(&rows);
}

static temper_status no_length(void *context, const double *v, double *length, temper_error *error)
{
    (void)context;
    (void)v;
    *length = NAN;
    return error_set(error, TEMPER_IO, "as asked");
}

static temper_status no_product(void *context, const double *v, double *product, temper_error *error)
{
    return no_length(context, v, product, error);
}

static temper_status no_hessian(void *context, double *h, temper_error *error)
{
    return no_length(context, h, h, error);
}

TEST(failures_of_curvature)
{
    struct toy_rows rows = make_rows();
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        struct run run = prepare(&rows, m);
        run.options.length = no_length;
        go(&run);
        CHECK(run.status == TEMPER_IO && run.w[0] == 0);
        run = prepare(&rows, m);
        struct problem problem = toy_problem(&run.toy);
        problem.multiply = no_product;
        problem.hessian = no_hessian;
        if (m > 0)
            CHECK(run.minimiser->minimise(&problem, &run.options, run.w, &run.result, &run.error) == TEMPER_IO);
    }
    toy_rows_free(&rows);
}

TEST_LIST(LISTED(resumes_to_the_same_bits), LISTED(resumes_to_other_ends), LISTED(stops_when_told),
          LISTED(a_run_may_forget), LISTED(wrong_memory_is_refused), LISTED(no_memory), LISTED(failures_of_the_problem),
          LISTED(failures_of_curvature))
