/* The calls among processes, and sums that do not depend on their number. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "comm/tree_sum.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "temper_tcp.h"

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
    const struct holders holders = {comm, first, NULL};
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

/* ---- A process without memory ---------------------------------------------------------------- */

enum { FAILING_RANKS = 3, LONG = 4001 };

/* The steps of a rank; the allocation `failing` of the rank `victim` fails. */
struct failing_steps {
    temper_status (*step)(const temper_comm *comm, double *sum, temper_error *error);
    size_t victim, failing;
    temper_status status[FAILING_RANKS];
    char message[FAILING_RANKS][80];
    double sum[FAILING_RANKS][LONG];
};

/* Sums of one vector of each rank, of all three kinds: short, longer, which grows the buffers, and again short. */
static temper_status sum_thrice(const temper_comm *comm, double *sum, temper_error *error)
{
    static const size_t lengths[] = {5, LONG, 700};
    const size_t first[] = {0, 1, 2, 3};
    struct tree_buffers buffers = {0};
    const struct holders holders = {comm, first, &buffers};
    static _Thread_local double mine[LONG];
    double *vector = mine;
    temper_status status = TEMPER_OK;
    for (size_t l = 0; status == TEMPER_OK && l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t i = 0; i < lengths[l]; i++)
            mine[i] = number(comm->rank, i);
        status = tree_sum(&holders, &vector, lengths[l], sum, error);
    }
    tree_buffers_free(&buffers);
    return status;
}

/* A block that is longer than an error; a number; a count; a state that every rank changes. */
static temper_status broadcast_and_count(const temper_comm *comm, double *sum, temper_error *error)
{
    static _Thread_local double block[LONG];
    uint64_t before, all;
    char text[16] = "";
    temper_comm own = *comm;
    block[LONG - 1] = (double)comm->rank;
    TRY(comm_broadcast(comm, 2, block, sizeof block, error));
    TRY(comm_broadcast(comm, 1, sum, sizeof *sum, error));
    TRY(comm_count(comm, comm->rank, &before, &all, error));
    TRY(comm_in_turn(comm, append, &own, text, sizeof text, error));
    return block[LONG - 1] == 2 && all == 3 && strcmp(text, "abc") == 0 ? TEMPER_OK : TEMPER_BAD_DATA;
}

static void run_steps(void *context, const temper_comm *comm)
{
    struct failing_steps *steps = context;
    temper_error error = {0};
    if (comm->rank == steps->victim)
        fault_arm_here(steps->failing);
    steps->status[comm->rank] = steps->step(comm, steps->sum[comm->rank], &error);
    if (comm->rank == steps->victim)
        fault_disarm();
    memcpy(steps->message[comm->rank], error.message, sizeof steps->message[0] - 1);
}

/* Every allocation of every rank fails once: all ranks have the status and the words of the one that lacked memory.
 * Returns the number of allocations of a rank. */
static size_t check_steps(struct failing_steps *steps)
{
    for (steps->victim = 0; steps->victim < FAILING_RANKS; steps->victim++)
        for (steps->failing = 1;; steps->failing++) {
            team_run(FAILING_RANKS, run_steps, steps);
            bool fired = fault_fired();
            for (size_t r = 0; r < FAILING_RANKS; r++) {
                CHECKF(steps->status[r] == (fired ? TEMPER_NO_MEMORY : TEMPER_OK), "allocation %zu of rank %zu: %d",
                       steps->failing, steps->victim, (int)steps->status[r]);
                CHECK(!fired || strcmp(steps->message[r], steps->message[steps->victim]) == 0);
            }
            if (!fired)
                break;
        }
    return steps->failing - 1;
}

TEST(a_sum_without_memory_in_one_process_fails_in_all)
{
    static struct failing_steps steps = {.step = sum_thrice};
    CHECKF(check_steps(&steps) >= 14, "%zu allocations", steps.failing);
    for (size_t i = 0; i < 700; i++)
        for (size_t r = 0; r < FAILING_RANKS; r++)
            CHECK(steps.sum[r][i] == number(0, i) + number(1, i) + number(2, i));
}

TEST(so_does_a_broadcast)
{
    static struct failing_steps steps = {.step = broadcast_and_count};
    CHECKF(check_steps(&steps) >= 1, "%zu allocations", steps.failing);
}

static int gather_nothing(void *context, const void *mine, const size_t *bytes, void *all)
{
    (void)context, (void)mine, (void)bytes, (void)all;
    return 1;
}

/* Where no process can be reached, an agreement on success is none, and a failure of this process stays its own. */
TEST(processes_that_cannot_be_reached)
{
    const temper_comm comm = {.rank = 0, .size = 2, .gather = gather_nothing};
    const size_t first[] = {0, 1, 2};
    double mine = 1, *vector = &mine, sum = 0;
    temper_error error = {0};
    if (!CHECK(comm_agree(&comm, TEMPER_OK, &error) == TEMPER_IO && error.status == TEMPER_IO))
        return; /* comm_end would ask again, for ever */
    CHECK(comm_agree(&comm, TEMPER_BAD_DATA, NULL) == TEMPER_BAD_DATA);
    CHECK(comm_end(&comm, TEMPER_OK, NULL) == TEMPER_IO);
    error = (temper_error){0};
    CHECK(temper_comm_sum(&comm, first, &vector, 1, &sum, &error) == TEMPER_IO && error.status == TEMPER_IO);
}

/* Rank 0 of 600, the others of which send zeros. */
static int gather_zeros(void *context, const void *mine, const size_t *bytes, void *all)
{
    size_t sum = 0;
    (void)context;
    for (size_t r = 0; r < 600; r++)
        sum += bytes[r];
    memset(all, 0, sum);
    memcpy(all, mine, bytes[0]);
    return 0;
}

/* So many that their lengths are in allocated memory, which has to be freed; AddressSanitizer finds leaks. */
TEST(hundreds_of_processes)
{
    const temper_comm comm = {.rank = 0, .size = 600, .gather = gather_zeros};
    unsigned char each[600], block[3] = {1, 2, 3};
    memset(each, 9, sizeof each);
    CHECK(comm_gather_each(&comm, block, 1, each, NULL) == TEMPER_OK && each[0] == 1 && each[1] == 0 && each[599] == 0);
    CHECK(comm_broadcast(&comm, 0, block, sizeof block, NULL) == TEMPER_OK && block[0] == 1 && block[2] == 3);
}

TEST_LIST(LISTED(processes_tell_each_other), LISTED(turns_are_taken_in_order),
          LISTED(trees_have_the_same_sum_for_any_number_of_processes),
          LISTED(a_sum_without_memory_in_one_process_fails_in_all), LISTED(so_does_a_broadcast),
          LISTED(processes_that_cannot_be_reached), LISTED(hundreds_of_processes))
