/* main_mpi: the program temper-mpi, for the processes of an MPI job. The only file that uses MPI. */
#define _DEFAULT_SOURCE /* usleep */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "options/command_line.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"

enum {
    PIECE = 1 << 30, /* bytes of a message: counts of MPI are ints */
    WAIT_MS = 10000, /* if all processes fail, they all arrive within that time */
    STEP_US = 1000,
    LINE_LENGTH = 1024,
};

static struct {
    temper_comm comm;
    MPI_Comm work, end; /* the exchange of exit codes has its own communicator: others may still be working */
    char line[LINE_LENGTH];
} group;

/* ---- The two calls of temper_comm -------------------------------------------------------------- */

/* For more bytes than an int can count: broadcasts by one process after another, in pieces. */
static int gather_large(const void *mine, const size_t *bytes, char *all)
{
    for (size_t r = 0; r < group.comm.size; all += bytes[r++]) {
        if (r == group.comm.rank && bytes[r])
            memcpy(all, mine, bytes[r]);
        for (size_t done = 0; done < bytes[r]; done += PIECE) {
            size_t left = bytes[r] - done;
            if (MPI_Bcast(all + done, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)r, group.work) != MPI_SUCCESS)
                return 1;
        }
    }
    return 0;
}

/* temper_comm.gather: concatenates the bytes of all processes in each. */
static int gather(void *context, const void *mine, const size_t *bytes, void *all)
{
    size_t size = group.comm.size, sum = 0;
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
    int failed = sum <= INT_MAX ? MPI_Allgatherv(mine, count[group.comm.rank], MPI_BYTE, all, count, from, MPI_BYTE,
                                                 group.work) != MPI_SUCCESS
                                : gather_large(mine, bytes, all);
    free(count);
    return failed;
}

/* Messages of at most PIECE bytes that the blocks need. */
static size_t pieces(const size_t *bytes)
{
    size_t count = 0;
    for (size_t r = 0; r < group.comm.size; r++)
        count += (bytes[r] + PIECE - 1) / PIECE;
    return count;
}

/* Posts a receive for each piece; MPI keeps the order of messages between two processes. */
static int receive(char *block, const size_t *bytes, MPI_Request **request)
{
    int failed = 0;
    size_t at = 0;
    for (size_t r = 0; r < group.comm.size; at += bytes[r++])
        for (size_t done = 0; done < bytes[r]; done += PIECE) {
            size_t left = bytes[r] - done;
            failed |= MPI_Irecv(block + at + done, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)r, 0, group.work,
                                (*request)++) != MPI_SUCCESS;
        }
    return failed;
}

static int send(const char *block, const size_t *bytes, MPI_Request **request)
{
    int failed = 0;
    size_t at = 0;
    for (size_t r = 0; r < group.comm.size; at += bytes[r++])
        for (size_t done = 0; done < bytes[r]; done += PIECE) {
            size_t left = bytes[r] - done;
            failed |= MPI_Isend(block + at + done, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)r, 0, group.work,
                                (*request)++) != MPI_SUCCESS;
        }
    return failed;
}

/* temper_comm.exchange: sends a piece to each process and receives one from each. */
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

/* ---- Start and end --------------------------------------------------------------------------- */

static void group_begin(int *count, char ***words)
{
    int provided, rank, size;
    MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &group.work);
    MPI_Comm_dup(MPI_COMM_WORLD, &group.end);
    MPI_Comm_rank(group.work, &rank);
    MPI_Comm_size(group.work, &size);
    group.comm = (temper_comm){(size_t)rank, (size_t)size, NULL, gather, exchange};
}

/* Prints the error that this process has kept, if no earlier process has failed. */
static void print_kept_error(void)
{
    if (group.line[0])
        fprintf(stderr, "temper: process %zu of %zu: %s\n", group.comm.rank + 1, group.comm.size, group.line);
}

/* Processes that have not failed wait for this one in a collective call: after a while it aborts them all. */
static void wait_or_abort(MPI_Request *request, int exit_code)
{
    int done = 0;
    for (int waited = 0; !done; waited++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && waited >= WAIT_MS) {
            print_kept_error();
            MPI_Abort(MPI_COMM_WORLD, exit_code);
        }
        if (!done)
            usleep(STEP_US);
    }
}

/* The exit code of all processes is that of the first one that has failed. */
static int group_end(int exit_code)
{
    size_t first = 0, size = group.comm.size;
    int *codes = malloc(size * sizeof *codes);
    MPI_Request request;
    if (!codes) {
        MPI_Abort(MPI_COMM_WORLD, exit_code ? exit_code : temper_status_exit_code(TEMPER_NO_MEMORY));
        return exit_code;
    }
    MPI_Iallgather(&exit_code, 1, MPI_INT, codes, 1, MPI_INT, group.end, &request);
    if (exit_code != 0)
        wait_or_abort(&request, exit_code);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (first + 1 < size && codes[first] == 0)
        first++;
    if (first == group.comm.rank && codes[first] != 0 && first > 0)
        print_kept_error();
    exit_code = codes[first];
    free(codes);
    MPI_Finalize();
    return exit_code;
}

const temper_comm *process_group_comm(void)
{
    return &group.comm;
}

bool process_group_is_first(void)
{
    return group.comm.rank == 0;
}

temper_status process_group_check(const char *command, const char *data)
{
    static const char *const shared[] = {"train", "tune", "audit", "predict", "eval", "help", "version", NULL};
    size_t i = 0;
    while (shared[i] && strcmp(shared[i], command) != 0)
        i++;
    if (!shared[i])
        return fail(TEMPER_USAGE,
                    "%s: only train, tune, audit, predict and eval can run in several processes; run 'temper %s'",
                    command, command);
    if (data && strcmp(data, "-") == 0 && group.comm.size > 1)
        return fail(TEMPER_USAGE, "%s: only one process has the standard input; give a file that all of them can read",
                    command);
    return TEMPER_OK;
}

bool process_group_keeps(const char *line, bool is_error)
{
    if (is_error && !process_group_is_first())
        snprintf(group.line, sizeof group.line, "%s", line);
    return !process_group_is_first();
}

int main(int count, char **words)
{
    output_prepare();
    group_begin(&count, &words);
    return group_end(interrupt_exit_code(command_line_run(count > 0 ? words + 1 : words)));
}

/* ---- Collective operations ----------------------------------------------------------------------- */

temper_status process_group_agree(temper_status status)
{
    int mine = (int)status, first = TEMPER_OK, *all = malloc(group.comm.size * sizeof *all);
    if (!all)
        return fail_no_memory();
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, group.work);
    for (size_t r = group.comm.size; r-- > 0;)
        first = all[r] != TEMPER_OK ? all[r] : first;
    free(all);
    return (temper_status)first;
}

/* Gathers the lengths of all processes into `in`, for the first one, which will receive all; returns their sum. */
static size_t gather_lengths(size_t length, size_t *in)
{
    size_t sum = 0;
    MPI_Allgather(&length, (int)sizeof length, MPI_BYTE, in, (int)sizeof length, MPI_BYTE, group.work);
    for (size_t r = 0; r < group.comm.size; r++)
        sum += in[r];
    if (process_group_is_first())
        return sum;
    memset(in, 0, group.comm.size * sizeof *in);
    return 0;
}

temper_status process_group_collect(char **bytes, size_t *length)
{
    size_t *in = calloc(2 * group.comm.size, sizeof *in);
    if (!in)
        return fail_no_memory();
    size_t *out = in + group.comm.size, sum = gather_lengths(*length, in);
    char *all = malloc(sum + 1);
    out[0] = *length;
    int failed = !all || exchange(NULL, *bytes, out, all, in);
    free(in);
    if (failed) {
        free(all);
        return fail_no_memory();
    }
    free(*bytes);
    *bytes = all;
    *length = sum;
    return TEMPER_OK;
}
