/* main_mpi: the program temper-mpi, for the processes of an MPI job. It implements process_group.h and the two
 * collective calls of temper_comm. The only file that uses MPI: the library and all other files are built without it.
 */
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
    PIECE = 1 << 30,     /* bytes of a message: counts of MPI are ints */
    WAIT_MS = 10000,     /* if all processes fail, they all arrive within that time */
    STEP_US = 1000,      /* between two checks: WAIT_MS steps of one millisecond */
    FORWARD_US = 500000, /* before a job is aborted: launchers may drop what they have not forwarded yet */
    LINE_LENGTH = 1024,  /* bytes of a kept error */
    HAS_ERROR = 0x100,   /* beside an exit code: the process has an error to print */
    FEW_RANKS = 512,     /* up to this number of processes an all-gather allocates nothing: a process without memory has
                            to be able to report that to the others */
};

/* State of this process. A global, because the functions of process_group.h are called from everywhere and have no
 * context; the program temper has no state at all. */
static struct {
    temper_comm comm;    /* rank, size and the calls below, for the library */
    MPI_Comm work;       /* the calls of the library */
    MPI_Comm steps, end; /* agreements of the command, and exit codes: others may still be in a call of the library */
    char line[LINE_LENGTH]; /* the last error of this process, or "" */
} group;

/* ---- The two calls of temper_comm -------------------------------------------------------------- */

/* All-gather for more bytes than an int can count: broadcasts by one process after another, in pieces. Slower than
 * MPI_Allgatherv, but without a second copy of the data. Returns 1 on failure. */
static int gather_large(const void *mine, const size_t *bytes, char *all)
{
    for (size_t r = 0; r < group.comm.size; all += bytes[r++]) {
        /* MPI_Bcast sends from the buffer in which the others receive. */
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

/* temper_comm.gather: concatenates the bytes of all processes, in the order of ranks, in each of them. bytes[r] is the
 * length from process r and equal in all processes, so that all take the same branch. Returns 0 or 1. */
static int gather(void *context, const void *mine, const size_t *bytes, void *all)
{
    size_t size = group.comm.size, sum = 0;
    int few[2 * FEW_RANKS], *count = size <= FEW_RANKS ? few : malloc(2 * size * sizeof *count);
    (void)context;
    if (!count)
        return 1;
    /* Offsets in the result. Values beyond INT_MAX are replaced by 0, because then the sum is too large and they are
     * not used. */
    int *from = count + size;
    for (size_t r = 0; r < size; r++) {
        count[r] = bytes[r] <= INT_MAX ? (int)bytes[r] : 0;
        from[r] = sum <= INT_MAX ? (int)sum : 0;
        sum += bytes[r];
    }
    int failed = sum <= INT_MAX ? MPI_Allgatherv(mine, count[group.comm.rank], MPI_BYTE, all, count, from, MPI_BYTE,
                                                 group.work) != MPI_SUCCESS
                                : gather_large(mine, bytes, all);
    if (count != few)
        free(count);
    return failed;
}

/* Returns how many messages of at most PIECE bytes are needed; none for an empty block. */
static size_t pieces(const size_t *bytes)
{
    size_t count = 0;
    for (size_t r = 0; r < group.comm.size; r++)
        count += (bytes[r] + PIECE - 1) / PIECE;
    return count;
}

/* Posts a receive for each piece. `block` holds the blocks of all processes one after another. Pieces have no numbers:
 * MPI keeps the order of messages between two processes with the same tag. */
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

/* Posts a send for each piece; the counterpart of receive, with the same division into pieces. */
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

/* temper_comm.exchange (MPI_Alltoallv with lengths of size_t): sends a block to each process and receives one from
 * each. All requests are posted before the first wait, so that no order of processes can deadlock. */
static int exchange(void *context, const void *out, const size_t *out_bytes, void *in, const size_t *in_bytes)
{
    size_t count = pieces(out_bytes) + pieces(in_bytes);
    MPI_Request *requests = (MPI_Request *)malloc((count + 1) * sizeof(MPI_Request));
    MPI_Request *next = requests;
    (void)context;
    if (!requests)
        return 1;
    /* Receives first, so that messages are delivered directly into their place instead of into buffers of MPI. */
    int failed = receive(in, in_bytes, &next);
    failed |= send(out, out_bytes, &next);
    /* Every request is waited for, even after a failure: the memory that it uses is freed next. */
    while (next > requests)
        failed |= MPI_Wait(--next, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    free((void *)requests);
    return failed;
}

/* ---- Start and end --------------------------------------------------------------------------- */

/* MPI_THREAD_FUNNELED: the library calculates in several threads, but only the main thread calls gather and exchange.
 * Duplicated communicators keep these messages apart from any others. */
static void group_begin(int *count, char ***words)
{
    int provided, rank, size;
    MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &group.work);
    MPI_Comm_dup(MPI_COMM_WORLD, &group.steps);
    MPI_Comm_dup(MPI_COMM_WORLD, &group.end);
    MPI_Comm_rank(group.work, &rank);
    MPI_Comm_size(group.work, &size);
    group.comm = (temper_comm){(size_t)rank, (size_t)size, NULL, gather, exchange};
}

/* Prints the error that this process has kept, with its rank: other processes may have failed for other reasons. The
 * first process (rank 0) has printed its errors at once. */
static void print_kept_error(void)
{
    if (group.line[0] && !process_group_is_first())
        fprintf(stderr, "temper: process %zu of %zu: %s\n", group.comm.rank + 1, group.comm.size, group.line);
}

/* Waits until all processes have come to the same agreement, or to the end, in a process that has failed. The others
 * may wait for this one in a collective call of the library, for ever; after WAIT_MS it prints its error and aborts the
 * job. */
static void wait_or_abort(MPI_Request *request, int exit_code)
{
    int done = 0;
    for (int waited = 0; !done; waited++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && waited >= WAIT_MS) {
            print_kept_error();
            usleep(FORWARD_US);
            MPI_Abort(MPI_COMM_WORLD, exit_code);
        }
        if (!done)
            /* Polling with a pause instead of MPI_Wait, which has no time limit and uses a whole core. */
            usleep(STEP_US);
    }
}

/* The first process that has failed and has an error to print; one that ends because of another has none. Without
 * such a process the first that has failed; without a failure the last. */
static size_t first_failure(const int *codes)
{
    size_t size = group.comm.size, first = 0;
    for (size_t r = 0; r < size; r++)
        if (codes[r] & HAS_ERROR)
            return r;
    while (first + 1 < size && codes[first] == 0)
        first++;
    return first;
}

/* Exchanges the exit codes and returns that of the first process that has failed, in all processes, as launchers report
 * any of them. Only that process prints its error, so that the user sees one message instead of one for each process.
 */
static int group_end(int exit_code)
{
    size_t size = group.comm.size;
    int mine = exit_code ? exit_code | (group.line[0] ? HAS_ERROR : 0) : 0;
    int few[FEW_RANKS], *codes = size <= FEW_RANKS ? few : malloc(size * sizeof *codes);
    MPI_Request request;
    /* Without memory the others cannot be informed in an orderly manner. */
    if (!codes) {
        MPI_Abort(MPI_COMM_WORLD, exit_code ? exit_code : temper_status_exit_code(TEMPER_NO_MEMORY));
        return exit_code;
    }
    MPI_Iallgather(&mine, 1, MPI_INT, codes, 1, MPI_INT, group.end, &request);
    if (exit_code != 0)
        wait_or_abort(&request, exit_code);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    size_t first = first_failure(codes);
    if (first == group.comm.rank && codes[first] != 0 && first > 0)
        print_kept_error();
    exit_code = codes[first] & ~HAS_ERROR;
    if (codes != few)
        free(codes);
    MPI_Finalize();
    return exit_code;
}

/* Passed to the library with the options for reading, also if there is one process only. */
const temper_comm *process_group_comm(void)
{
    return &group.comm;
}

/* Rank 0 prints and writes files. */
bool process_group_is_first(void)
{
    return group.comm.rank == 0;
}

/* The other commands would do the same work in each process and write the same files at the same time. */
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

/* Called for each message. Warnings and notes are the same in all processes, so those of the others are dropped. */
bool process_group_keeps(const char *line, bool is_error)
{
    if (is_error)
        snprintf(group.line, sizeof group.line, "%s", line);
    return !process_group_is_first();
}

/* MPI_Init_thread may remove words of the launcher, hence before the words are parsed. */
int main(int count, char **words)
{
    output_prepare();
    group_begin(&count, &words);
    return group_end(interrupt_exit_code(command_line_run(count > 0 ? words + 1 : words)));
}

/* ---- Collective operations ----------------------------------------------------------------------- */

/* Must be called by all processes at the same point. A process that has failed does not wait for ever for one that is
 * at another point: wait_or_abort. */
temper_status process_group_agree(temper_status status)
{
    int few[FEW_RANKS], *all = group.comm.size <= FEW_RANKS ? few : malloc(group.comm.size * sizeof *all);
    int mine = (int)status, first = TEMPER_OK;
    MPI_Request request;
    if (!all)
        return fail_no_memory();
    MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, group.steps, &request);
    if (status != TEMPER_OK)
        wait_or_abort(&request, temper_status_exit_code(status));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (size_t r = group.comm.size; r-- > 0;)
        first = all[r] != TEMPER_OK ? all[r] : first;
    if (all != few)
        free(all);
    return (temper_status)first;
}

/* Exchanges the lengths of the texts. In the first process, `in` gets the lengths of all and their sum is returned; in
 * the others, which receive nothing, `in` is all 0 and the result 0. */
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

/* The texts of all processes, one after the other in the first of them: an exchange in which each process sends its
 * text to rank 0 and nothing to the others. `lengths` has space for two numbers of each process. NULL on failure, in
 * all processes unless the exchange itself fails. */
static char *collect(size_t *lengths, const char *bytes, size_t length, size_t *sum)
{
    size_t *in = lengths, *out = lengths + group.comm.size;
    *sum = gather_lengths(length, in);
    /* One byte more, so that an empty text is not mistaken for a lack of memory. */
    char *all = malloc(*sum + 1);
    out[0] = length;
    if (process_group_agree(all ? TEMPER_OK : TEMPER_NO_MEMORY) == TEMPER_OK &&
        exchange(NULL, bytes, out, all, in) == 0)
        return all;
    free(all);
    return NULL;
}

temper_status process_group_collect(char **bytes, size_t *length)
{
    size_t *lengths = calloc(2 * group.comm.size, sizeof *lengths), sum = 0;
    char *all = NULL;
    if (process_group_agree(lengths ? TEMPER_OK : TEMPER_NO_MEMORY) == TEMPER_OK)
        all = collect(lengths, *bytes, *length, &sum);
    free(lengths);
    if (!all)
        return fail_no_memory();
    free(*bytes);
    *bytes = all;
    *length = sum;
    return TEMPER_OK;
}
