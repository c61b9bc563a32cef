/* process_group_mpi: the processes of an MPI job. The only file that knows of MPI. */
#define _DEFAULT_SOURCE /* usleep */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "process_group.h"

enum {
    PIECE = 1 << 30,     /* bytes of a message: counts of MPI are ints */
    PATIENCE_MS = 10000, /* a failure that all share ends all processes within that */
    STEP_US = 1000,
    LINE_LENGTH = 1024,
};

static struct {
    temper_comm comm;
    MPI_Comm work, end; /* the last word has a channel of its own: others may still be at work */
    char line[LINE_LENGTH];
} team;

/* ---- The two calls --------------------------------------------------------------------------- */

/* More than an int can count: one process after another, in pieces. */
static int gather_large(const void *mine, const size_t *bytes, char *all)
{
    for (size_t r = 0; r < team.comm.size; all += bytes[r++]) {
        if (r == team.comm.rank && bytes[r])
            memcpy(all, mine, bytes[r]);
        for (size_t done = 0; done < bytes[r]; done += PIECE) {
            size_t left = bytes[r] - done;
            if (MPI_Bcast(all + done, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)r, team.work) != MPI_SUCCESS)
                return 1;
        }
    }
    return 0;
}

static int gather(void *context, const void *mine, const size_t *bytes, void *all)
{
    size_t size = team.comm.size, sum = 0;
    int *count = malloc(2 * size * sizeof *count);
    (void)context;
    if (!count)
        return 1;
    int *from = count + size;
    for (size_t r = 0; r < size; r++) {
        count[r] = bytes[r] <= INT_MAX ? (int)bytes[r] : 0;
        from[r] = sum <= INT_MAX ? (int)sum : 0;
        sum += bytes[r];
    }
    int failed = sum <= INT_MAX ? MPI_Allgatherv(mine, count[team.comm.rank], MPI_BYTE, all, count, from, MPI_BYTE,
                                                 team.work) != MPI_SUCCESS
                                : gather_large(mine, bytes, all);
    free(count);
    return failed;
}

static size_t pieces(const size_t *bytes)
{
    size_t count = 0;
    for (size_t r = 0; r < team.comm.size; r++)
        count += (bytes[r] + PIECE - 1) / PIECE;
    return count;
}

/* One piece after another; messages between two processes never overtake each other. */
static int receive(char *block, const size_t *bytes, MPI_Request **request)
{
    int failed = 0;
    size_t at = 0;
    for (size_t r = 0; r < team.comm.size; at += bytes[r++])
        for (size_t done = 0; done < bytes[r]; done += PIECE) {
            size_t left = bytes[r] - done;
            failed |= MPI_Irecv(block + at + done, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)r, 0, team.work,
                                (*request)++) != MPI_SUCCESS;
        }
    return failed;
}

static int send(const char *block, const size_t *bytes, MPI_Request **request)
{
    int failed = 0;
    size_t at = 0;
    for (size_t r = 0; r < team.comm.size; at += bytes[r++])
        for (size_t done = 0; done < bytes[r]; done += PIECE) {
            size_t left = bytes[r] - done;
            failed |= MPI_Isend(block + at + done, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)r, 0, team.work,
                                (*request)++) != MPI_SUCCESS;
        }
    return failed;
}

static int exchange(void *context, const void *out, const size_t *out_bytes, void *in, const size_t *in_bytes)
{
    size_t count = pieces(out_bytes) + pieces(in_bytes);
    MPI_Request *requests = (MPI_Request *)malloc((count + 1) * sizeof(MPI_Request));
    MPI_Request *next = requests;
    (void)context;
    if (!requests)
        return 1;
    int failed = receive(in, in_bytes, &next);
    failed |= send(out, out_bytes, &next);
    while (next > requests)
        failed |= MPI_Wait(--next, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    free((void *)requests);
    return failed;
}

/* ---- The beginning and the end --------------------------------------------------------------- */

void process_group_begin(int *count, char ***words)
{
    int provided, rank, size;
    MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &team.work);
    MPI_Comm_dup(MPI_COMM_WORLD, &team.end);
    MPI_Comm_rank(team.work, &rank);
    MPI_Comm_size(team.work, &size);
    team.comm = (temper_comm){(size_t)rank, (size_t)size, NULL, gather, exchange};
}

/* What nobody else has said. */
static void speak_up(void)
{
    if (team.line[0])
        fprintf(stderr, "temper: process %zu of %zu: %s\n", team.comm.rank + 1, team.comm.size, team.line);
}

/* A process that fails alone leaves the others waiting for it: it ends them. */
static void wait_or_abort(MPI_Request *request, int exit_code)
{
    int done = 0;
    for (int waited = 0; !done; waited++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && waited >= PATIENCE_MS) {
            speak_up();
            MPI_Abort(MPI_COMM_WORLD, exit_code);
        }
        if (!done)
            usleep(STEP_US);
    }
}

int process_group_end(int exit_code)
{
    size_t first = 0, size = team.comm.size;
    int *codes = malloc(size * sizeof *codes);
    MPI_Request request;
    if (!codes) {
        MPI_Abort(MPI_COMM_WORLD, exit_code ? exit_code : temper_status_exit_code(TEMPER_NO_MEMORY));
        return exit_code;
    }
    MPI_Iallgather(&exit_code, 1, MPI_INT, codes, 1, MPI_INT, team.end, &request);
    if (exit_code != 0)
        wait_or_abort(&request, exit_code);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (first + 1 < size && codes[first] == 0)
        first++;
    if (first == team.comm.rank && codes[first] != 0 && first > 0)
        speak_up();
    exit_code = codes[first];
    free(codes);
    MPI_Finalize();
    return exit_code;
}

const temper_comm *process_group_comm(void)
{
    return &team.comm;
}

bool process_group_is_first(void)
{
    return team.comm.rank == 0;
}

temper_status process_group_check(const char *command, const char *data)
{
    static const char *const shared[] = {"train", "tune", "audit", "predict", "eval", "help", "version", NULL};
    size_t i = 0;
    while (shared[i] && strcmp(shared[i], command) != 0)
        i++;
    if (!shared[i])
        return complain(TEMPER_USAGE,
                        "%s: processes share train, tune, audit, predict and eval only; run 'temper "
                        "%s'",
                        command, command);
    if (data && strcmp(data, "-") == 0 && team.comm.size > 1)
        return complain(TEMPER_USAGE,
                        "%s: the standard input is that of one process alone; give a file that all "
                        "of them can read",
                        command);
    return TEMPER_OK;
}

bool process_group_keeps(const char *line, bool complaint)
{
    if (complaint && !process_group_is_first())
        snprintf(team.line, sizeof team.line, "%s", line);
    return !process_group_is_first();
}

/* ---- Together -------------------------------------------------------------------------------- */

temper_status process_group_agree(temper_status status)
{
    int mine = (int)status, first = TEMPER_OK, *all = malloc(team.comm.size * sizeof *all);
    if (!all)
        return complain_no_memory();
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, team.work);
    for (size_t r = team.comm.size; r-- > 0;)
        first = all[r] != TEMPER_OK ? all[r] : first;
    free(all);
    return (temper_status)first;
}

/* How much everyone has; the first process will have it all. */
static size_t measure(size_t length, size_t *in)
{
    size_t sum = 0;
    MPI_Allgather(&length, (int)sizeof length, MPI_BYTE, in, (int)sizeof length, MPI_BYTE, team.work);
    for (size_t r = 0; r < team.comm.size; r++)
        sum += in[r];
    if (process_group_is_first())
        return sum;
    memset(in, 0, team.comm.size * sizeof *in);
    return 0;
}

temper_status process_group_collect(char **bytes, size_t *length)
{
    size_t *in = calloc(2 * team.comm.size, sizeof *in);
    if (!in)
        return complain_no_memory();
    size_t *out = in + team.comm.size, sum = measure(*length, in);
    char *all = malloc(sum + 1);
    out[0] = *length;
    int failed = !all || exchange(NULL, *bytes, out, all, in);
    free(in);
    if (failed) {
        free(all);
        return complain_no_memory();
    }
    free(*bytes);
    *bytes = all;
    *length = sum;
    return TEMPER_OK;
}
