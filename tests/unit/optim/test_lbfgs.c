/* L-BFGS in reverse communication: minimisations that are advanced in turn give the bits of each one alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/optim_fixture.h"
#include "fixtures/test.h"
#include "optim/lbfgs.h"

enum { RUNS = 8, ROWS = 120, COLUMNS = 6, MOST_ROUNDS = 3000 };

static const double PRECONDITIONER[COLUMNS] = {1, 2, 0.5, 1, 0.25, 1};

/* Each has rows of its own; some have a preconditioner, some lengths, some too few iterations. */
struct side {
    struct toy_rows rows;
    struct toy toy;
    struct problem problem;
    struct optim_options options;
    double start[COLUMNS];
};

static void side_make(struct side *side, size_t number)
{
    memset(side, 0, sizeof *side);
    side->rows = toy_rows_make(ROWS + number, COLUMNS, (struct toy_trouble){.wrong = 0.05 * (double)number});
    side->rows.t1 = 0.1 * (double)number;
    side->rows.t2 = 1 + 0.2 * (double)(number % 3);
    side->rows.lambda = 1e-3;
    side->toy = (struct toy){.function = toy_rows, .data = &side->rows, .n = COLUMNS};
    side->toy.preconditioner = number % 2 ? PRECONDITIONER : NULL;
    side->problem = toy_problem(&side->toy);
    side->options = (struct optim_options){.gradient_norm = 1e-9,
                                           .max_iterations = number == 5 ? 3 : 150,
                                           .history = 4,
                                           .length = number % 4 ? toy_length : NULL};
    side->start[0] = 0.01 * (double)number;
}

static struct lbfgs *begin(const struct side *side)
{
    struct lbfgs *run = NULL;
    CHECK(lbfgs_new(COLUMNS, side->problem.precondition != NULL, &side->options, side->start, &run, NULL) == TEMPER_OK);
    return run;
}

/* One question and its answer; false if there are no more. */
static bool advance(const struct side *side, struct lbfgs *run)
{
    const struct lbfgs_request asked = lbfgs_next_request(run);
    const struct problem *problem = &side->problem;
    double number = 0;
    if (asked.what == LBFGS_DONE)
        return false;
    if (asked.what == LBFGS_VALUE)
        problem->evaluate(problem->context, asked.point, &number, asked.answer, NULL);
    if (asked.what == LBFGS_LENGTH && side->options.length)
        side->options.length(problem->context, asked.point, &number, NULL);
    if (asked.what == LBFGS_PRECONDITION && CHECK(problem->precondition != NULL))
        problem->precondition(problem->preconditioner, asked.answer);
    return CHECK(lbfgs_reply(run, number, NULL) == TEMPER_OK);
}

static void check_same(const struct side *side, const struct lbfgs *run)
{
    struct optim_result alone, result = lbfgs_result(run);
    double w[COLUMNS];
    memcpy(w, side->start, sizeof w);
    CHECK(minimise_lbfgs(&side->problem, &side->options, w, &alone, NULL) == TEMPER_OK);
    CHECK(lbfgs_best(run) && memcmp(w, lbfgs_best(run), sizeof w) == 0);
    CHECK(result.stop == alone.stop && result.value == alone.value && result.gradient_norm == alone.gradient_norm);
    CHECK_EQ_SIZE(result.iterations, alone.iterations);
    CHECK_EQ_SIZE(result.evaluations, alone.evaluations);
}

TEST(runs_side_by_side_are_what_each_is_alone)
{
    struct side sides[RUNS];
    struct lbfgs *runs[RUNS];
    size_t going = RUNS;
    for (size_t i = 0; i < RUNS; i++) {
        side_make(&sides[i], i);
        runs[i] = begin(&sides[i]);
    }
    for (size_t round = 0; going > 0 && CHECK(round < MOST_ROUNDS); round++) {
        going = 0;
        for (size_t i = 0; i < RUNS; i++)
            going += advance(&sides[i], runs[i]);
    }
    for (size_t i = 0; i < RUNS; i++) {
        check_same(&sides[i], runs[i]);
        CHECK(lbfgs_result(runs[i]).stop == (i == 5 ? OPTIM_MAX_ITER : OPTIM_CONVERGED));
        lbfgs_close(runs[i]);
        toy_rows_free(&sides[i].rows);
    }
}

TEST(a_question_stays_until_it_is_answered)
{
    struct side side;
    side_make(&side, 3);
    struct lbfgs *run = begin(&side);
    do {
        const struct lbfgs_request first = lbfgs_next_request(run), again = lbfgs_next_request(run);
        CHECK(first.what == again.what && first.point == again.point && first.answer == again.answer);
    } while (advance(&side, run));
    lbfgs_close(run);
    toy_rows_free(&side.rows);
}

TEST(the_best_point_is_known_at_any_time)
{
    struct side side;
    side_make(&side, 2);
    struct lbfgs *run = begin(&side);
    double last = INFINITY;
    CHECK(!lbfgs_best(run));
    while (advance(&side, run)) {
        if (!CHECK(lbfgs_best(run) != NULL))
            break;
        const double value = lbfgs_result(run).value;
        CHECKF(value <= last * (1 + 1e-6), "%.17g after %.17g", value, last);
        last = value;
    }
    CHECK(lbfgs_next_request(run).what == LBFGS_DONE);
    CHECK(lbfgs_reply(run, 1, NULL) == TEMPER_OK); /* to nothing: nothing happens */
    CHECK(lbfgs_result(run).value == last);
    lbfgs_close(run);
    toy_rows_free(&side.rows);
}

TEST(a_start_without_a_value_ends_the_run)
{
    struct optim_options options = {.gradient_norm = 1e-9, .max_iterations = 10};
    const double start[2] = {1, 2};
    struct lbfgs *run = NULL;
    CHECK(lbfgs_new(2, false, &options, start, &run, NULL) == TEMPER_OK);
    struct lbfgs_request asked = lbfgs_next_request(run);
    CHECK(asked.what == LBFGS_VALUE && memcmp(asked.point, start, sizeof start) == 0);
    asked.answer[0] = asked.answer[1] = 0;
    CHECK(lbfgs_reply(run, NAN, NULL) == TEMPER_OK);
    CHECK(lbfgs_next_request(run).what == LBFGS_DONE && !lbfgs_best(run));
    CHECK(lbfgs_result(run).stop == OPTIM_NOT_FINITE && isnan(lbfgs_result(run).value));
    lbfgs_close(run);
}

/* ---- Another penalty ------------------------------------------------------------------------- */

/* Minimises to the end; the number of evaluations. */
static size_t finish(const struct side *side, struct lbfgs *run)
{
    while (advance(side, run))
        ;
    CHECK(lbfgs_result(run).stop == OPTIM_CONVERGED);
    return lbfgs_result(run).evaluations;
}

/* Logistic regression: convex, and all of w is penalised. */
static void convex_make(struct side *side, double lambda)
{
    side_make(side, 0);
    side->rows.t1 = side->rows.t2 = 1;
    side->rows.lambda = lambda;
    side->options.history = (size_t)2 * COLUMNS;
    side->options.convex = true;
}

TEST(a_solver_continues_with_another_penalty)
{
    struct side side;
    convex_make(&side, 1e-2);
    struct lbfgs *kept = begin(&side);
    finish(&side, kept);
    memcpy(side.start, lbfgs_best(kept), sizeof side.start);
    for (double next = 1e-3; next > 1e-6; next /= 10) {
        double shift = next - side.rows.lambda;
        side.rows.lambda = next;
        struct lbfgs *cold = begin(&side);
        lbfgs_restart(kept, &side.options, side.start, shift, COLUMNS);
        CHECK(!lbfgs_best(kept) && lbfgs_next_request(kept).what == LBFGS_VALUE);
        size_t evaluations = finish(&side, kept), alone = finish(&side, cold);
        CHECKF(evaluations < alone, "%zu evaluations, and %zu without the pairs", evaluations, alone);
        for (size_t j = 0; j < COLUMNS; j++)
            CHECK(fabs(lbfgs_best(kept)[j] - lbfgs_best(cold)[j]) < 1e-9 / next);
        memcpy(side.start, lbfgs_best(kept), sizeof side.start);
        lbfgs_close(cold);
    }
    lbfgs_close(kept);
    toy_rows_free(&side.rows);
}

/* A shift that leaves no curvature: the pairs are dropped, and it still ends at the minimum. */
TEST(pairs_of_no_curvature_are_dropped)
{
    struct side side;
    convex_make(&side, 1);
    struct lbfgs *kept = begin(&side), *cold;
    finish(&side, kept);
    cold = begin(&side);
    lbfgs_restart(kept, &side.options, side.start, -1e6, COLUMNS);
    CHECK_EQ_SIZE(finish(&side, kept), finish(&side, cold));
    CHECK(memcmp(lbfgs_best(kept), lbfgs_best(cold), sizeof side.start) == 0);
    lbfgs_close(kept);
    lbfgs_close(cold);
    toy_rows_free(&side.rows);
}

TEST(the_largest_entry_of_the_gradient_may_decide)
{
    struct side side;
    convex_make(&side, 1e-3);
    size_t last = SIZE_MAX;
    for (double entry = 1e-8; entry < 0.1; entry *= 1000) {
        double gradient[COLUMNS], value, largest = 0;
        side.options.gradient_entry = entry;
        struct lbfgs *run = begin(&side);
        size_t evaluations = finish(&side, run);
        CHECK(evaluations < last);
        last = evaluations;
        side.problem.evaluate(side.problem.context, lbfgs_best(run), &value, gradient, NULL);
        for (size_t j = 0; j < COLUMNS; j++)
            largest = fmax(largest, fabs(gradient[j]));
        CHECKF(largest <= entry, "%g", largest);
        lbfgs_close(run);
    }
    toy_rows_free(&side.rows);
}

/* ---- Resuming from a memory ------------------------------------------------------------------ */

struct kept {
    double memory[400];
    size_t count;
};

static bool keep(void *context, const struct optim_progress *progress)
{
    struct kept *kept = context;
    kept->count = progress->memory_count;
    if (CHECK(kept->count <= sizeof kept->memory / sizeof *kept->memory))
        memcpy(kept->memory, progress->memory, kept->count * sizeof(double));
    return progress->iteration < 7;
}

TEST(a_run_goes_on_from_a_memory)
{
    struct side side;
    struct kept kept;
    side_make(&side, 1);
    struct side whole = side;
    side.options.on_progress = keep;
    side.options.progress_context = &kept;
    struct lbfgs *run = begin(&side);
    while (advance(&side, run))
        ;
    CHECK(lbfgs_result(run).stop == OPTIM_STOPPED);
    lbfgs_close(run);
    side.options.on_progress = NULL;
    side.options.memory = kept.memory;
    side.options.memory_count = kept.count;
    run = begin(&side);
    while (advance(&side, run))
        ;
    whole.toy.data = &whole.rows;
    whole.problem = toy_problem(&whole.toy);
    check_same(&whole, run);
    lbfgs_close(run);
    /* Of another function: found out by its first answer. */
    run = begin(&side);
    memset(lbfgs_next_request(run).answer, 0, COLUMNS * sizeof(double));
    CHECK(lbfgs_reply(run, 1e6, NULL) == TEMPER_BAD_DATA);
    lbfgs_close(run);
    kept.memory[0] = 99;
    CHECK(lbfgs_new(COLUMNS, true, &side.options, side.start, &run, NULL) == TEMPER_BAD_DATA);
    toy_rows_free(&side.rows);
}

TEST(no_memory)
{
    struct side side;
    side_make(&side, 1);
    for (size_t n = 1;; n++) {
        struct lbfgs *run = NULL;
        fault_arm(n);
        temper_status status = lbfgs_new(COLUMNS, true, &side.options, side.start, &run, NULL);
        fault_disarm();
        lbfgs_close(run);
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && !run);
    }
    toy_rows_free(&side.rows);
}

TEST_LIST(LISTED(runs_side_by_side_are_what_each_is_alone), LISTED(a_question_stays_until_it_is_answered),
          LISTED(the_best_point_is_known_at_any_time), LISTED(a_start_without_a_value_ends_the_run),
          LISTED(a_solver_continues_with_another_penalty), LISTED(pairs_of_no_curvature_are_dropped),
          LISTED(the_largest_entry_of_the_gradient_may_decide), LISTED(a_run_goes_on_from_a_memory), LISTED(no_memory))
