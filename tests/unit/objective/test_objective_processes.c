/* The result of a request to a batched objective does not depend on the other requests of its batch. */
#include <stdlib.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/multi_objective_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "kernel/dispatch/kernel.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4 };

/* Answers of every member to every kind of request, each asked alone. */
struct alone {
    double *w, *gradient, *scores; /* [member][GROUP_MADE_MOST], ... , [member][rows] */
    double value[GROUP_MADE_MEMBERS], length[GROUP_MADE_MEMBERS];
};

static struct multi_request request_of(const struct group_made *made, const struct alone *to, size_t number,
                                       size_t kind)
{
    return (struct multi_request){.kind = (enum multi_kind)kind,
                                  .member = number,
                                  .w = to->w + number * GROUP_MADE_MOST,
                                  .gradient = to->gradient + number * GROUP_MADE_MOST,
                                  .scores = to->scores + number * made->shape.rows};
}

static struct alone answers(const struct group_made *made)
{
    struct alone to = {.w = calloc(GROUP_MADE_MEMBERS * GROUP_MADE_MOST, sizeof(double)),
                       .gradient = calloc(GROUP_MADE_MEMBERS * GROUP_MADE_MOST, sizeof(double)),
                       .scores = calloc(GROUP_MADE_MEMBERS * made->shape.rows, sizeof(double))};
    for (size_t number = 0; number < GROUP_MADE_MEMBERS; number++)
        group_made_weights(made, number, to.w + number * GROUP_MADE_MOST);
    return to;
}

static void answers_free(struct alone *to)
{
    free(to->w);
    free(to->gradient);
    free(to->scores);
}

static void ask_alone(const struct group_made *made, struct alone *to)
{
    for (size_t number = 0; number < GROUP_MADE_MEMBERS; number++) {
        struct multi_objective *group = NULL; /* not even other members are there */
        struct multi_spec spec = group_made_spec(made, 1);
        CHECK(multi_objective_new(&spec, &made->member[number], 1, &group, NULL) == TEMPER_OK);
        for (size_t kind = MULTI_EVALUATE; kind <= MULTI_SCORES; kind++) {
            struct multi_request ask = request_of(made, to, number, kind);
            ask.member = 0;
            CHECK(multi_evaluate(group, &ask, 1, NULL) == TEMPER_OK);
            if (kind == MULTI_EVALUATE)
                to->value[number] = ask.number;
            if (kind == MULTI_LENGTH)
                to->length[number] = ask.number;
        }
        multi_objective_free(group);
    }
}

static void check_answer(const struct group_made *made, const struct multi_request *got, const struct alone *alone)
{
    struct multi_request want = request_of(made, alone, got->member, got->kind);
    size_t size = made->shape.columns + made->shape.intercept;
    if (got->kind == MULTI_EVALUATE)
        CHECK(table_same_bits(&got->number, &alone->value[got->member], 1) &&
              table_same_bits(got->gradient, want.gradient, size));
    if (got->kind == MULTI_LENGTH)
        CHECK(table_same_bits(&got->number, &alone->length[got->member], 1));
    if (got->kind == MULTI_SCORES)
        CHECK(table_same_bits(got->scores, want.scores, made->shape.rows));
}

/* So many requests, drawn at random: any order, any mixture. */
static void ask_together(const struct group_made *made, const struct alone *alone, size_t count, size_t threads)
{
    struct multi_objective *group = group_made_new(made, threads);
    struct multi_request ask[128];
    struct draw draw = draw_from(count);
    double *gradient = calloc(count * GROUP_MADE_MOST, sizeof *gradient);
    double *scores = calloc(count * made->shape.rows, sizeof *scores);
    for (size_t i = 0; i < count; i++) {
        size_t kind = draw_below(&draw, 5);
        ask[i] = request_of(made, alone, draw_below(&draw, GROUP_MADE_MEMBERS), kind < 3 ? kind : MULTI_EVALUATE);
        ask[i].gradient = gradient + i * GROUP_MADE_MOST;
        ask[i].scores = scores + i * made->shape.rows;
    }
    CHECK(multi_evaluate(group, ask, count, NULL) == TEMPER_OK);
    for (size_t i = 0; i < count; i++)
        check_answer(made, &ask[i], alone);
    multi_objective_free(group);
    free(gradient);
    free(scores);
}

static void check_batches(struct group_shape shape)
{
    static const size_t counts[] = {1, 2, 3, 5, 12, 13, 31, 32, 33, 64, 67, 101};
    struct group_made *made = group_make(shape);
    struct alone alone = answers(made);
    ask_alone(made, &alone);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k += test_step(2))
        ask_together(made, &alone, counts[k], 1 + k % 3);
    answers_free(&alone);
    group_made_free(made);
}

/* Few and many columns take different ways through the kernels. */
TEST(results_do_not_depend_on_the_batch)
{
    static const char *const kernels[] = {"plain", "avx2", "avx512", "neon"};
    for (size_t n = 0; n < sizeof kernels / sizeof *kernels; n++) {
        if (!kernel_find(kernels[n]))
            continue;
        setenv("TEMPER_KERNEL", kernels[n], 1);
        for (size_t k = 0; k < KINDS; k++)
            for (int wide = 0; wide < 2; wide++)
                check_batches((struct group_shape){.kind = kinds[k],
                                                   .rows = wide ? 150 : 1300,
                                                   .columns = wide ? 299 : 6,
                                                   .weighted = k & 1,
                                                   .scaled = wide,
                                                   .f64 = k == 1,
                                                   .intercept = true});
        check_batches(group_made_wide);
        unsetenv("TEMPER_KERNEL");
    }
}

TEST_LIST(LISTED(results_do_not_depend_on_the_batch))
