/* A group on several threads: the same bits as on one, and no race. */
#include <stdlib.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/multi_objective_fixture.h"
#include "fixtures/test.h"

enum { REQUESTS = 60 };

/* All numbers that the group answers with, one after another. */
static double *ask(const struct group_made *made, size_t threads, size_t *count)
{
    struct multi_objective *group = group_made_new(made, threads);
    struct multi_request requests[REQUESTS];
    size_t size = made->shape.columns + 1, rows = made->shape.rows, each = 1 + size + rows;
    double *w = calloc(REQUESTS, size * sizeof *w), *all = calloc(REQUESTS, each * sizeof *all);
    for (size_t i = 0; i < REQUESTS; i++) {
        requests[i] = (struct multi_request){.kind = (enum multi_kind)(i % 3),
                                             .member = i % GROUP_MADE_MEMBERS,
                                             .w = w + i * size,
                                             .gradient = all + i * each + 1,
                                             .scores = all + i * each + 1 + size};
        group_made_weights(made, requests[i].member, w + i * size);
    }
    CHECK(multi_evaluate(group, requests, REQUESTS, NULL) == TEMPER_OK);
    for (size_t i = 0; i < REQUESTS; i++)
        all[i * each] = requests[i].number;
    multi_objective_free(group);
    free(w);
    *count = REQUESTS * each;
    return all;
}

static void check_threads(struct group_shape shape)
{
    struct group_made *made = group_make(shape);
    size_t count;
    double *one = ask(made, 1, &count);
    for (size_t threads = 2; threads <= 5; threads += 3) {
        double *several = ask(made, threads, &count);
        CHECK(table_same_bits(one, several, count));
        free(several);
    }
    free(one);
    group_made_free(made);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    check_threads(
        (struct group_shape){.kind = MATRIX_F32, .rows = 6000, .columns = 12, .scaled = true, .intercept = true});
    check_threads((struct group_shape){
        .kind = MATRIX_U8, .rows = 5000, .columns = 9, .weighted = true, .f64 = true, .intercept = true});
    check_threads(
        (struct group_shape){.kind = MATRIX_CSR, .rows = 5000, .columns = 9, .scaled = true, .intercept = true});
    check_threads((struct group_shape){.kind = MATRIX_CSR, .rows = 600, .columns = 1501, .intercept = true});
}

TEST_LIST(LISTED(any_number_of_threads_gives_the_same_bits))
