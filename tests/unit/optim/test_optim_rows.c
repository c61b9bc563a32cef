/* The minimisers on what they are for: losses summed over rows, convex and capped. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "fixtures/optim_fixture.h"
#include "fixtures/test.h"

enum { ROWS = 400, COLUMNS = 8 };

struct trial {
    struct toy toy;
    struct optim_options options;
    struct optim_result result;
    double w[COLUMNS];
};

static double start_norm(const struct toy_rows *rows)
{
    double w[COLUMNS] = {0}, gradient[COLUMNS], sum = 0;
    toy_rows(w, COLUMNS, gradient, NULL, rows);
    for (size_t j = 0; j < COLUMNS; j++)
        sum += gradient[j] * gradient[j];
    return sqrt(sum);
}

/* From 0 to `tolerance` of the gradient there. */
static struct trial prepare(const struct toy_rows *rows, double tolerance, bool limited)
{
    return (struct trial){
        .toy = {.function = toy_rows, .data = rows, .n = COLUMNS},
        .options = {.gradient_norm = tolerance * start_norm(rows),
                    .max_iterations = 1000,
                    .length = limited ? toy_length : NULL},
    };
}

static void run(struct trial *trial, size_t minimiser)
{
    struct problem problem = toy_problem(&trial->toy);
    temper_error error;
    const struct toy_minimiser *chosen = &toy_minimisers[minimiser];
    memset(trial->w, 0, sizeof trial->w);
    trial->toy.lengths = 0;
    CHECK(chosen->minimise(&problem, &trial->options, trial->w, &trial->result, &error) == TEMPER_OK);
    CHECKF(trial->result.stop == OPTIM_CONVERGED, "%s: %d after %zu evaluations, |g| = %g", chosen->name,
           trial->result.stop, trial->result.evaluations, trial->result.gradient_norm);
    CHECK(trial->result.gradient_norm <= trial->options.gradient_norm);
}

static const double temperatures[][2] = {{1, 1}, {0.1, 1.9}, {0.3, 1}, {0.4, 1.12}, {0, 1}};
enum { TEMPERATURES = 5 };

/* All three come to the same point, and cheaply. */
TEST(all_agree)
{
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.2});
    rows.lambda = 1e-3;
    for (size_t t = 0; t < TEMPERATURES; t++)
        for (int limited = 0; limited < 2; limited++) {
            rows.t1 = temperatures[t][0];
            rows.t2 = temperatures[t][1];
            struct trial trials[TOY_MINIMISERS];
            for (size_t m = 0; m < TOY_MINIMISERS; m++) {
                trials[m] = prepare(&rows, 1e-9, limited != 0);
                run(&trials[m], m);
                for (size_t j = 0; j < COLUMNS; j++)
                    CHECK_NEAR(trials[m].w[j], trials[0].w[j], 1e-5);
                CHECK_CLOSE(trials[m].result.value, trials[0].result.value, 1e-12);
                CHECKF(trials[m].result.evaluations <= 30, "%s at (%g, %g): %zu evaluations", toy_minimisers[m].name,
                       rows.t1, rows.t2, trials[m].result.evaluations);
                CHECK(trials[m].toy.lengths <= 12);
            }
            CHECKF(trials[1].result.hessians <= 11, "%zu Hessians at (%g, %g)", trials[1].result.hessians, rows.t1,
                   rows.t2);
            CHECKF(trials[2].result.products <= 60, "%zu products", trials[2].result.products);
        }
    toy_rows_free(&rows);
}

/* Features far from 0: the first direction is "all of one class", and one unit of it is so far
 * out that the gradient vanishes. */
TEST(plateau_is_not_the_end)
{
    struct toy_rows rows =
        toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.1, .offset = 3, .scale = 10, .bias = 0.4});
    rows.lambda = 1e-5;
    for (size_t t = 1; t <= 2; t++) {
        rows.t1 = temperatures[t][0];
        rows.t2 = temperatures[t][1];
        double zero[COLUMNS] = {0}, gradient[COLUMNS], leap[COLUMNS], norm = start_norm(&rows);
        const double start = toy_rows(zero, COLUMNS, gradient, NULL, &rows);
        for (size_t j = 0; j < COLUMNS; j++)
            leap[j] = -gradient[j] / norm;
        const double plateau = toy_rows(leap, COLUMNS, gradient, NULL, &rows);
        double flat = 0;
        for (size_t j = 0; j < COLUMNS; j++)
            flat += gradient[j] * gradient[j];
        /* That is what a naive step would call converged. */
        CHECK(sqrt(flat) <= 2e-3 * norm && toy_rows_right(&rows, leap) < 0.6);
        for (size_t m = 0; m < TOY_MINIMISERS; m++)
            for (int limited = 0; limited < 2; limited++) {
                struct trial trial = prepare(&rows, 1e-4, limited != 0);
                run(&trial, m);
                CHECKF(trial.result.value < fmin(start, plateau) - 0.15, "%s: %g", toy_minimisers[m].name,
                       trial.result.value);
                CHECKF(toy_rows_right(&rows, trial.w) > 0.78, "%s: %g", toy_minimisers[m].name,
                       toy_rows_right(&rows, trial.w));
                CHECK(trial.result.evaluations <= 200);
            }
    }
    toy_rows_free(&rows);
}

/* Units of measurement do not matter: not if all change, and with a preconditioner (or the Hessian) not if
 * they differ by powers of ten. */
TEST(units_do_not_matter)
{
    const struct toy_trouble odd = {.wrong = 0.2, .spread = 1e4};
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, odd);
    rows.t1 = 0.3;
    double preconditioner[COLUMNS];
    for (size_t j = 0; j < COLUMNS; j++) {
        preconditioner[j] = rows.lambda;
        for (size_t i = 0; i < ROWS; i++)
            preconditioner[j] += 0.25 * pow(rows.x[i * COLUMNS + j], 2) / ROWS;
    }
    double value = 0;
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        struct trial trial = prepare(&rows, 1e-8, true);
        trial.toy.preconditioner = preconditioner;
        run(&trial, m);
        CHECKF(trial.result.evaluations <= 60, "%zu", trial.result.evaluations);
        if (m == 0)
            value = trial.result.value;
        CHECK_CLOSE(trial.result.value, value, 1e-10);
    }
    toy_rows_free(&rows);
}

/* Values with the noise of floats: the gradient still falls to what was asked for. */
TEST(noise_in_the_value)
{
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.2});
    rows.lambda = 1e-3;
    for (size_t t = 0; t < TEMPERATURES; t++)
        for (size_t m = 0; m < TOY_MINIMISERS; m++) {
            rows.t1 = temperatures[t][0];
            rows.t2 = temperatures[t][1];
            struct trial trial = prepare(&rows, 1e-10, true);
            run(&trial, m);
            const double value = trial.result.value;
            trial.toy.noise = 1e-7;
            run(&trial, m);
            CHECKF(trial.result.evaluations <= 60, "%s: %zu", toy_minimisers[m].name, trial.result.evaluations);
            CHECK_CLOSE(trial.result.value, value, 5e-7);
        }
    toy_rows_free(&rows);
}

/* ---- Lengths of steps
 * ---------------------------------------------------------------------------- */

struct lengths {
    struct trial *trial;
    double before[COLUMNS], first, longest;
    size_t steps;
};

static bool measure(void *context, const struct optim_progress *progress)
{
    struct lengths *lengths = context;
    double step[COLUMNS], length = 0;
    for (size_t j = 0; j < COLUMNS; j++)
        step[j] = progress->w[j] - lengths->before[j];
    toy_length(&lengths->trial->toy, step, &length, NULL);
    if (progress->iteration == 1)
        lengths->first = length;
    lengths->longest = fmax(lengths->longest, length);
    lengths->steps += progress->iteration > 0;
    memcpy(lengths->before, progress->w, sizeof step);
    return true;
}

TEST(steps_are_not_longer_than_allowed)
{
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.2});
    rows.t1 = 0.1;
    rows.t2 = 1.9;
    rows.lambda = 1e-3;
    const double firsts[] = {0, 0.25, 3};
    for (size_t m = 0; m < TOY_MINIMISERS; m++)
        for (size_t f = 0; f < 3; f++) {
            struct trial trial = prepare(&rows, 1e-6, true);
            struct lengths lengths = {.trial = &trial};
            trial.options.first_length = firsts[f];
            trial.options.on_progress = measure;
            trial.options.progress_context = &lengths;
            run(&trial, m);
            CHECK_EQ_SIZE(lengths.steps, trial.result.iterations);
            const double limit = firsts[f] > 0 ? firsts[f] : 1;
            CHECKF(lengths.first <= limit * (1 + 1e-9) && lengths.first > 0.2 * limit, "%s: %g", toy_minimisers[m].name,
                   lengths.first);
            CHECKF(lengths.longest <= 8 * (1 + 1e-9), "%s: %g", toy_minimisers[m].name, lengths.longest);
        }
    toy_rows_free(&rows);
}

/* Features in odd units, without a preconditioner: activations become large, and the limit has to follow,
 * at a measurement now and then. */
TEST(limit_grows_where_it_must)
{
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.2, .spread = 1e4});
    rows.t1 = 0.1;
    rows.t2 = 1.9;
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        struct trial trial = prepare(&rows, 1e-9, true);
        run(&trial, m);
        CHECKF(trial.result.evaluations <= 250 && trial.toy.lengths <= 150, "%s: %zu evaluations, %zu lengths",
               toy_minimisers[m].name, trial.result.evaluations, trial.toy.lengths);
    }
    toy_rows_free(&rows);
}

/* A short history still converges; one that is asked for is used. */
TEST(history_is_bounded)
{
    struct toy_rows rows = toy_rows_make(ROWS, COLUMNS, (struct toy_trouble){.wrong = 0.2});
    const size_t histories[] = {1, 2, 5, 0};
    for (size_t h = 0; h < 4; h++) {
        struct trial trial = prepare(&rows, 1e-8, true);
        trial.options.history = histories[h];
        run(&trial, 0);
        CHECKF(trial.result.evaluations <= 80, "history %zu: %zu", histories[h], trial.result.evaluations);
    }
    toy_rows_free(&rows);
}

TEST(sizes_that_overflow)
{
    struct toy toy = {.function = toy_rosenbrock, .n = 2};
    struct problem problem = toy_problem(&toy);
    const struct optim_options options = {.max_iterations = 1, .history = SIZE_MAX / 2};
    struct optim_result result;
    temper_error error;
    double w[2] = {0};
    CHECK(minimise_lbfgs(&problem, &options, w, &result, &error) == TEMPER_NO_MEMORY);
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8};
    for (size_t m = 0; m < TOY_MINIMISERS; m++)
        for (size_t s = 0; s < 3; s++) {
            problem.size = sizes[s];
            CHECK(toy_minimisers[m].minimise(&problem, &(struct optim_options){0}, w, &result, &error) ==
                  TEMPER_NO_MEMORY);
        }
}

TEST_LIST(LISTED(all_agree), LISTED(sizes_that_overflow), LISTED(plateau_is_not_the_end), LISTED(units_do_not_matter),
          LISTED(noise_in_the_value), LISTED(steps_are_not_longer_than_allowed), LISTED(limit_grows_where_it_must),
          LISTED(history_is_bounded))
