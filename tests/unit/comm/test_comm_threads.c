/* The calls among processes, and sums that do not depend on their number. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "comm/tree_sum.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"

/* ---- Small calls ----------------------------------------------------------------------------- */

static void tell(void *context, const temper_comm *comm)
{
    uint64_t before = 99, all = 99;
    temper_error error = {0};
    int word[2] = {(int)comm->rank, 7};
    int *result = context;
    bool good = comm_count(comm, comm->rank + 1, &before, &all, &error) == TEMPER_OK &&
                all == comm->size * (comm->size + 1) / 2 && before == comm->rank * (comm->rank + 1) / 2;
    good = comm_broadcast(comm, comm->size - 1, word, sizeof word, &error) == TEMPER_OK &&
           word[0] == (int)comm->size - 1 && good;
    /* Ranks 1 and 2 fail, with words of their own: all have those of 1. */
    temper_status status = TEMPER_OK;
    if (comm->rank == 1 || comm->rank == 2)
        status =
            error_at(&error, comm->rank == 1 ? TEMPER_BAD_DATA : TEMPER_IO, 10 + comm->rank, 3, "rank %zu", comm->rank);
    status = comm_agree(comm, status, &error);
    if (comm->size > 1)
        good = good && status == TEMPER_BAD_DATA && error.line == 11 && strcmp(error.message, "rank 1") == 0;
    else
        good = good && status == TEMPER_OK;
    result[comm->rank] = good;
}

TEST(processes_tell_each_other)
{
    for (size_t size = 1; size <= 5; size++) {
        int result[TEAM_MOST] = {0};
        team_run(size, tell, result);
        for (size_t r = 0; r < size; r++)
            CHECKF(result[r], "rank %zu of %zu", r, size);
    }
}

/* Order matters: append the own letter. */
static void append(void *context, void *state)
{
    const temper_comm *comm = context;
    char *text = state;
    text[strlen(text)] = (char)('a' + (int)comm->rank);
}

static void take_turns(void *context, const temper_comm *comm)
{
    char text[16] = "";
    int *result = context;
    temper_comm own = *comm;
    result[comm->rank] = comm_in_turn(comm, append, &own, text, sizeof text, NULL) == TEMPER_OK &&
                         strncmp(text, "abcdefgh", comm->size) == 0 && strlen(text) == comm->size;
}

TEST(turns_are_taken_in_order)
{
    for (size_t size = 1; size <= 5; size++) {
        int result[TEAM_MOST] = {0};
        team_run(size, take_turns, result);
        for (size_t r = 0; r < size; r++)
            CHECK(result[r]);
    }
}

/* ---- The tree -------------------------------------------------------------------------------- */

struct adding {
    size_t count, length;
    double *sum[TEAM_MOST];
};

static double number(size_t vector, size_t i)
{
    return random_normal((struct random){5, (uint32_t)vector}, i);
}

static void add_up(void *context, const temper_comm *comm)
{
    struct adding *adding = context;
    size_t first[TEAM_MOST + 1], length = adding->length;
    for (size_t r = 0; r <= comm->size; r++)
        first[r] = adding->count * r / comm->size;
    size_t own = first[comm->rank + 1] - first[comm->rank];
    double **vector = (double **)calloc(own + 1, sizeof *vector);
    for (size_t v = 0; vector && v < own; v++) {
        vector[v] = malloc(length * sizeof **vector);
        for (size_t i = 0; vector[v] && i < length; i++)
            vector[v][i] = number(first[comm->rank] + v, i);
    }
    double *sum = malloc(length * sizeof *sum);
    const struct holders holders = {comm, first};
    if (tree_sum(&holders, vector, length, sum, NULL) == TEMPER_OK)
        adding->sum[comm->rank] = sum;
    else
        free(sum);
    for (size_t v = 0; vector && v < own; v++)
        free(vector[v]);
    free((void *)vector);
}

/* Short ones, which everyone adds, and long ones, which are added in slices. */
TEST(trees_have_the_same_sum_for_any_number_of_processes)
{
    static const size_t counts[] = {1, 2, 3, 5, 21, 63, 64}, lengths[] = {1, 3, 700, 9001};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            struct adding one = {counts[c], lengths[l], {NULL}};
            team_run(1, add_up, &one);
            double expected = 0;
            for (size_t v = 0; v < counts[c]; v++)
                expected += number(v, lengths[l] - 1);
            CHECK(one.sum[0]);
            if (one.sum[0])
                CHECK_CLOSE(one.sum[0][lengths[l] - 1], expected, 1e-12);
            for (size_t size = 2; size <= 7; size++) {
                struct adding many = {counts[c], lengths[l], {NULL}};
                team_run(size, add_up, &many);
                for (size_t r = 0; r < size; r++) {
                    CHECKF(many.sum[r] && one.sum[0] &&
                               memcmp(many.sum[r], one.sum[0], lengths[l] * sizeof(double)) == 0,
                           "%zu vectors of %zu, rank %zu of %zu", counts[c], lengths[l], r, size);
                    free(many.sum[r]);
                }
            }
            free(one.sum[0]);
        }
}

TEST_LIST(LISTED(processes_tell_each_other), LISTED(turns_are_taken_in_order),
          LISTED(trees_have_the_same_sum_for_any_number_of_processes))
