/* comm: collective operations, made of the all-gather and all-to-all callbacks of temper_comm.
 *
 * Before each operation the processes exchange one byte: the status of what each has done alone since the last one
 * (agree_on_status). A process whose local step fails makes no further operation; it returns to the end of the call
 * of the library (comm_end), where it sends its status as this byte. The others receive it instead of waiting for a
 * process that does not come, and end as well. So no step of a training has to know which of its allocations may fail
 * in one process alone.
 *
 * The operations: numbers of all ranks and their prefix sums, a file that one rank reads for all, and sums in the order
 * of the ranks (comm_in_turn), which have the bits of a single process at the price of one message after the other. */
#include "comm/comm.h"

#include <string.h>

#include "base/checkpoint_file.h"
#include "base/memory.h"
#include "base/source.h"
#include "base/text.h"

/* The callback of the caller failed. Its cause is unknown here, and usually another process has ended, so the
 * message refers to the output of the others. */
static temper_status lost(temper_error *error)
{
    return error_set(error, TEMPER_IO,
                     "the processes cannot reach each other any more; look at what the others have "
                     "said, and continue with --resume if there is a checkpoint");
}

/* A number for each rank. A process without memory must be able to report that to the others: up to this number of
 * ranks the messages for it need none. */
enum { RANKS_WITHOUT_MEMORY = 512 };

struct rank_numbers {
    size_t few[RANKS_WITHOUT_MEMORY], *number;
};

/* Zeros; NULL without memory. */
static size_t *rank_numbers(const temper_comm *comm, struct rank_numbers *numbers)
{
    numbers->number = numbers->few;
    if (comm_size(comm) > RANKS_WITHOUT_MEMORY)
        return numbers->number = mem_zeroed(comm_size(comm), sizeof *numbers->number);
    memset(numbers->few, 0, comm_size(comm) * sizeof *numbers->few);
    return numbers->few;
}

static void rank_numbers_free(struct rank_numbers *numbers)
{
    if (numbers->number != numbers->few)
        mem_free(numbers->number);
}

/* ---- Messages, without an agreement before them ------------------------------------------------ */

static temper_status send_all(const temper_comm *comm, const void *mine, const size_t *bytes, void *all,
                              temper_error *error)
{
    return comm->gather(comm->context, mine, bytes, all) == 0 ? TEMPER_OK : lost(error);
}

/* The callback takes a length for each rank (as MPI_Allgatherv); here all are equal. */
static temper_status send_each(const temper_comm *comm, const void *mine, size_t bytes, void *all, temper_error *error)
{
    struct rank_numbers numbers;
    size_t *each = rank_numbers(comm, &numbers);
    if (!each)
        return error_no_memory(error);
    for (size_t i = 0; i < comm_size(comm); i++)
        each[i] = bytes;
    temper_status status = send_all(comm, mine, each, all, error);
    rank_numbers_free(&numbers);
    return status;
}

/* An all-gather to which only `from` contributes; by a copy of the block, as input and output must not overlap.
 * temper_comm has no broadcast of its own: the fewer calls it has, the easier it is to provide. */
static temper_status send_from(const temper_comm *comm, size_t from, void *copy, void *block, size_t bytes,
                               temper_error *error)
{
    struct rank_numbers numbers;
    size_t *each = rank_numbers(comm, &numbers);
    if (!each)
        return error_no_memory(error);
    /* all ranks state the same lengths; those other than `from` send nothing */
    each[from] = bytes;
    if (comm->rank == from && bytes)
        memcpy(copy, block, bytes);
    temper_status status = send_all(comm, copy, each, block, error);
    rank_numbers_free(&numbers);
    return status;
}

/* An all-to-all in which one pair of ranks has a length other than 0. For the last rank there is no receiver, and
 * nothing is sent. */
static temper_status send_next(const temper_comm *comm, size_t from, const void *out, void *in, size_t bytes,
                               temper_error *error)
{
    struct rank_numbers numbers_out, numbers_in;
    size_t *bytes_out = rank_numbers(comm, &numbers_out), *bytes_in = rank_numbers(comm, &numbers_in);
    temper_status status = TEMPER_NO_MEMORY;
    if (bytes_out && bytes_in) {
        if (comm_rank(comm) == from && from + 1 < comm_size(comm))
            bytes_out[from + 1] = bytes;
        if (comm_rank(comm) == from + 1)
            bytes_in[from] = bytes;
        status = comm->exchange(comm->context, out, bytes_out, in, bytes_in) == 0 ? TEMPER_OK : lost(error);
    } else {
        error_no_memory(error);
    }
    rank_numbers_free(&numbers_out);
    rank_numbers_free(&numbers_in);
    return status;
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* A process is at the end of a call of the library: the bit beside its status. */
enum { AT_END = 0x80 };

/* What the processes have reported to each other. */
struct agreement {
    size_t failed; /* the lowest rank with a failure, the same choice on every process; the number of ranks: none */
    size_t ended;  /* ranks that are at the end of the call */
    bool final;    /* `failed` is at the end; others may have failures that they recover from */
};

/* One byte of each rank, as failures are rare. */
static temper_status exchange_statuses(const temper_comm *comm, unsigned char mine, struct agreement *agreement,
                                       temper_error *error)
{
    unsigned char few[RANKS_WITHOUT_MEMORY] = {0}, *all = few;
    if (comm->size > RANKS_WITHOUT_MEMORY && !(all = mem_zeroed(comm->size, 1)))
        return error_no_memory(error);
    temper_status status = send_each(comm, &mine, 1, all, error);
    *agreement = (struct agreement){.failed = comm->size};
    for (size_t r = comm->size; status == TEMPER_OK && r-- > 0;) {
        bool at_end = all[r] & AT_END, is_failure = (all[r] & ~AT_END) != TEMPER_OK;
        agreement->ended += at_end;
        if (is_failure && (at_end || !agreement->final)) {
            agreement->failed = r;
            agreement->final = at_end;
        }
    }
    if (all != few)
        mem_free(all);
    return status;
}

/* The status and the error of the lowest rank that failed, in all. */
static temper_status share_error(const temper_comm *comm, size_t failed, temper_status status, temper_error *error)
{
    /* errors have a fixed size and no pointers, so they can be sent as bytes */
    temper_error shared = {0}, copy;
    error_set(&shared, status, "process %zu has failed: %s", failed + 1, temper_status_name(status));
    /* a caller may pass no error structure */
    if (error && status != TEMPER_OK)
        shared = *error;
    TRY(send_from(comm, failed, &copy, &shared, sizeof shared, error));
    if (error)
        *error = shared;
    return shared.status;
}

/* The agreement before anything is sent. `*status` of this process becomes that of all. Returns the
 * number of processes that are at the end of the call; all of them if they cannot be reached. */
static size_t agree_on_status(const temper_comm *comm, bool at_end, temper_status *status, temper_error *error)
{
    struct agreement agreement;
    temper_error unreached;
    unsigned char mine = (unsigned char)((unsigned)*status | (at_end ? AT_END : 0U));
    temper_status reached = exchange_statuses(comm, mine, &agreement, &unreached);
    if (reached == TEMPER_OK && agreement.failed < comm->size)
        *status = share_error(comm, agreement.failed, *status, error);
    else if (reached == TEMPER_OK && !at_end && agreement.ended > 0)
        *status = error_set(error, TEMPER_USAGE,
                            "another process is at the end of a call that this one has not ended; pass the same "
                            "options to all");
    /* a failure of this process is worth more than that it cannot be reported */
    if (reached != TEMPER_OK && *status == TEMPER_OK) {
        *status = reached;
        if (error)
            *error = unreached;
    }
    return reached == TEMPER_OK ? agreement.ended : comm->size;
}

temper_status comm_agree_ranks(const temper_comm *comm, temper_status status, temper_error *error)
{
    agree_on_status(comm, false, &status, error);
    return status;
}

/* A process that has failed may be here while the others are about to begin an operation. They learn of the failure
 * by that, and come here, too. */
temper_status comm_end_ranks(const temper_comm *comm, temper_status status, temper_error *error)
{
    while (agree_on_status(comm, true, &status, error) < comm->size)
        ;
    return status;
}

/* ---- Operations -------------------------------------------------------------------------------- */

temper_status comm_gather_ranks(const temper_comm *comm, const void *mine, const size_t *bytes, void *all,
                                temper_error *error)
{
    TRY(comm_agree(comm, TEMPER_OK, error));
    return send_all(comm, mine, bytes, all, error);
}

temper_status comm_gather_each_ranks(const temper_comm *comm, const void *mine, size_t bytes, void *all,
                                     temper_error *error)
{
    TRY(comm_agree(comm, TEMPER_OK, error));
    return send_each(comm, mine, bytes, all, error);
}

/* out_bytes of rank r towards rank s equals in_bytes of rank s from rank r; both are known beforehand, so that the
 * lengths need not be sent. */
temper_status comm_exchange(const temper_comm *comm, const void *out, const size_t *out_bytes, void *in,
                            const size_t *in_bytes, temper_error *error)
{
    if (comm_alone(comm))
        return comm_gather(comm, out, out_bytes, in, error);
    TRY(comm_agree(comm, TEMPER_OK, error));
    return comm->exchange(comm->context, out, out_bytes, in, in_bytes) == 0 ? TEMPER_OK : lost(error);
}

/* Memory for the copy that a broadcast needs; a short one needs none. */
struct block_copy {
    unsigned char few[512], *bytes;
};

/* All processes have it, or none continues. */
static temper_status block_copy(const temper_comm *comm, size_t bytes, struct block_copy *copy, temper_error *error)
{
    copy->bytes = bytes > sizeof copy->few ? mem_alloc(bytes, 1) : copy->few;
    return comm_agree(comm, copy->bytes ? TEMPER_OK : error_no_memory(error), error);
}

static void block_copy_free(struct block_copy *copy)
{
    if (copy->bytes != copy->few)
        mem_free(copy->bytes);
}

temper_status comm_broadcast_ranks(const temper_comm *comm, size_t from, void *block, size_t bytes, temper_error *error)
{
    struct block_copy copy;
    temper_status status = block_copy(comm, bytes, &copy, error);
    if (status == TEMPER_OK)
        status = send_from(comm, from, copy.bytes, block, bytes, error);
    block_copy_free(&copy);
    return status;
}

/* Rank 0 alone writes checkpoints. */
temper_status comm_check_replaceable(const temper_comm *comm, const char *path, temper_error *error)
{
    temper_status status = comm_rank(comm) == 0 ? checkpoint_file_refuse_other(path, error) : TEMPER_OK;
    return comm_agree(comm, status, error);
}

/* One read instead of one for each process: the path may exist on the machine of rank 0 only, and all processes
 * get the same bytes even if the file is replaced meanwhile. `text` is empty on entry; the caller frees it, on
 * failure too. */
temper_status comm_read_file(const temper_comm *comm, const char *path, const struct whole_file *expected,
                             struct text *text, temper_error *error)
{
    temper_status status = comm_rank(comm) == 0 ? source_whole(path, expected, text, error) : TEMPER_OK;
    TRY(comm_agree(comm, status, error));
    /* the length first, so that the other ranks can allocate */
    uint64_t length = text->length;
    TRY(comm_broadcast(comm, 0, &length, sizeof length, error));
    /* zeroed and one byte longer, so that the text ends in a terminator as on rank 0 */
    if (comm_rank(comm) > 0) {
        text->bytes = mem_zeroed((size_t)length + 1, 1);
        if (!text->bytes)
            status = error_no_memory(error);
    }
    TRY(comm_agree(comm, status, error));
    text->length = (size_t)length;
    /* an empty file may have no bytes on rank 0 */
    return text->bytes && length > 0 ? comm_broadcast(comm, 0, text->bytes, (size_t)length, error) : TEMPER_OK;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Gathers all numbers, as the ranks are few: each process then computes any prefix of the sum. Integers, so the
 * order does not matter. */
temper_status comm_count_ranks(const temper_comm *comm, uint64_t mine, uint64_t *before, uint64_t *all,
                               temper_error *error)
{
    uint64_t few[RANKS_WITHOUT_MEMORY], *each = few, sum = 0, first = 0;
    if (comm_size(comm) > RANKS_WITHOUT_MEMORY && !(each = mem_alloc(comm_size(comm), sizeof *each)))
        return error_no_memory(error);
    temper_status status = comm_gather_each(comm, &mine, sizeof mine, each, error);
    for (size_t i = 0; status == TEMPER_OK && i < comm_size(comm); i++) {
        first += i < comm_rank(comm) ? each[i] : 0;
        sum += each[i];
    }
    if (each != few)
        mem_free(each);
    if (status == TEMPER_OK && before)
        *before = first;
    if (status == TEMPER_OK)
        *all = sum;
    return status;
}

/* All ranks call it, as it is a collective operation. */
temper_status comm_pass_on(const temper_comm *comm, size_t from, const void *out, void *in, size_t bytes,
                           temper_error *error)
{
    TRY(comm_agree(comm, TEMPER_OK, error));
    return send_next(comm, from, out, in, bytes, error);
}

/* The result is that of one process that handles the rows of all ranks in order, also for operations that are not
 * associative (floating-point sums, order of first occurrence). Takes as many steps as there are ranks, so it is
 * for small states only. */
temper_status comm_in_turn_ranks(const temper_comm *comm, turn_fn *add, void *context, void *state, size_t bytes,
                                 temper_error *error)
{
    struct block_copy copy;
    size_t last = comm_size(comm) - 1;
    temper_status status = block_copy(comm, bytes, &copy, error);
    /* one rank computes at a time; the others wait in the exchange */
    for (size_t turn = 0; status == TEMPER_OK && turn <= last; turn++) {
        if (turn == comm_rank(comm))
            add(context, state);
        if (turn < last)
            status = send_next(comm, turn, state, state, bytes, error);
    }
    if (status == TEMPER_OK)
        status = send_from(comm, last, copy.bytes, state, bytes, error);
    block_copy_free(&copy);
    return status;
}
