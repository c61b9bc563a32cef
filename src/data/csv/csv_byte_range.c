/* csv_byte_range: the bytes of a table that each of several processes reads: whole lines; a newline within quotes
 * does not end a line.
 *
 * Whether a position is within quotes depends on all bytes before it. So every rank counts the quotes of an equal
 * share of the bytes, and the parities are gathered. */
#include "base/memory.h"
#include "data/csv/csv.h"
#include "data/read/text_chunks.h"

/* Bytes of one read call. One block is allocated per process, and both passes over the file reuse it. */
enum { BLOCK = 256 * 1024 };

/* The division of the rows among the processes while it is computed. Every rank has its own copy; `odd` and `start` are
 * equal on all ranks after the two gathers. */
struct byte_ranges {
    const char *path;
    const temper_comm *comm;
    uint64_t from, to;  /* the bytes of all rows */
    unsigned char *odd; /* of each rank: whether its share has an odd number of quotes */
    uint64_t *start;    /* of each rank's lines, and the end of the last */
    unsigned char *block;
    temper_error *error;
};

/* Shares of equal length; line boundaries are found afterwards. The division comes before the multiplication, so that
 * the product cannot overflow; the bytes that the division drops belong to the last rank. */
static uint64_t share_start(const struct byte_ranges *ranges, size_t rank)
{
    return ranges->from + (ranges->to - ranges->from) / ranges->comm->size * rank;
}

/* The last share ends with the file. */
static uint64_t share_end(const struct byte_ranges *ranges, size_t rank)
{
    return rank + 1 == ranges->comm->size ? ranges->to : share_start(ranges, rank + 1);
}

/* Whether this rank's share has an odd number of quotes. The parity is enough: the state at a position is "within
 * quotes" exactly if an odd number of quotes precedes it, and a doubled quote within a cell changes the parity twice.
 * */
static temper_status count_quotes(struct byte_ranges *ranges, bool *odd)
{
    struct source *source;
    size_t rank = ranges->comm->rank, got = 1;
    temper_status status =
        source_open_span(ranges->path, share_start(ranges, rank), share_end(ranges, rank), &source, ranges->error);
    if (status != TEMPER_OK)
        return status;
    while (status == TEMPER_OK && got > 0) {
        status = source_read(source, ranges->block, BLOCK, &got, ranges->error);
        if (status == TEMPER_OK)
            *odd ^= odd_quotes((const char *)ranges->block, got);
    }
    source_close(source);
    return status;
}

/* Finds the first line that begins at `at` or after it, and stores its offset in the file in *start; the end of all
 * rows if no line begins there. `odd`: a quote is open at `at`. The search reads on past this rank's share if
 * necessary: a line belongs to the rank in whose share it begins. */
static temper_status find_line(struct byte_ranges *ranges, uint64_t at, bool odd, uint64_t *start)
{
    struct source *source;
    size_t got = 1;
    uint64_t place = at - 1; /* a newline just before `at` is within quotes only if `at` is */
    bool found = false;
    temper_status status = source_open_span(ranges->path, place, ranges->to, &source, ranges->error);
    if (status != TEMPER_OK)
        return status;
    while (status == TEMPER_OK && !found && got > 0) {
        status = source_read(source, ranges->block, BLOCK, &got, ranges->error);
        for (size_t i = 0; status == TEMPER_OK && !found && i < got; i++, place++) {
            found = ranges->block[i] == '\n' && !odd;
            if (ranges->block[i] == '"' && place >= at)
                odd = !odd;
        }
    }
    source_close(source);
    *start = found ? place : ranges->to;
    return status;
}

/* Fills ranges->start on every rank. Two collective exchanges: the quote parities, from which each rank derives its
 * state at the start of its share, then the line starts. The start of a rank's lines is also the end of the lines of
 * the rank before, so that no byte is read twice and none is lost. */
static temper_status find_starts(struct byte_ranges *ranges)
{
    size_t rank = ranges->comm->rank;
    /* The state at the start of this share: the combined parity of all shares before it. */
    bool odd = false;
    unsigned char mine;
    uint64_t start = ranges->from;
    temper_status status = comm_agree(ranges->comm, count_quotes(ranges, &odd), ranges->error);
    mine = odd;
    if (status == TEMPER_OK)
        status = comm_gather_each(ranges->comm, &mine, 1, ranges->odd, ranges->error);
    if (status != TEMPER_OK)
        return status;
    odd = false;
    for (size_t r = 0; r < rank; r++)
        odd ^= ranges->odd[r] != 0;
    /* Rank 0 begins with the first row; with fewer bytes than ranks all shares but the last are empty, and begin there
     * too. */
    if (share_start(ranges, rank) > ranges->from)
        status = find_line(ranges, share_start(ranges, rank), odd, &start);
    status = comm_agree(ranges->comm, status, ranges->error);
    if (status == TEMPER_OK)
        status = comm_gather_each(ranges->comm, &start, sizeof start, ranges->start, ranges->error);
    ranges->start[ranges->comm->size] = ranges->to;
    return status;
}

/* Collective: every rank calls it, and all return the same status. */
temper_status csv_own_byte_range(const struct data_reader *reader, uint64_t *from, uint64_t *to)
{
    const temper_comm *comm = reader->options->comm;
    struct byte_ranges ranges = {.path = reader->path,
                                 .comm = comm,
                                 .from = *from,
                                 .to = *to,
                                 .odd = mem_alloc(comm->size, sizeof *ranges.odd),
                                 .start = mem_alloc(comm->size + 1, sizeof *ranges.start),
                                 .block = mem_alloc(BLOCK, 1),
                                 .error = reader->error};
    bool allocated = ranges.odd && ranges.start && ranges.block;
    /* A failed read is reported by another collective call: all have to leave this one. */
    temper_status status = comm_agree(comm, allocated ? TEMPER_OK : error_no_memory(reader->error), reader->error);
    if (status == TEMPER_OK && allocated)
        status = find_starts(&ranges);
    if (status == TEMPER_OK) {
        *from = ranges.start[comm->rank];
        *to = ranges.start[comm->rank + 1];
    }
    mem_free(ranges.odd);
    mem_free(ranges.start);
    mem_free(ranges.block);
    return status;
}
