/* csv_span: which bytes of a table a process reads: whole lines, of which those within quotes are
 * none.
 *
 * Whether a place lies within quotes is told by all the bytes before it. So everyone counts the
 * quotes of a piece, and tells the others. */
#include "base/memory.h"
#include "data/csv/csv.h"
#include "data/read/text_chunks.h"

enum { BLOCK = 256 * 1024 };

struct spans {
    const char *path;
    const temper_comm *comm;
    uint64_t from, to;  /* of all rows */
    unsigned char *odd; /* of each process: whether its piece has an odd number of quotes */
    uint64_t *start;    /* of each, and the end */
    unsigned char *block;
    temper_error *error;
};

/* Pieces of equal length, which lines will be made of. */
static uint64_t piece_start(const struct spans *spans, size_t rank)
{
    return spans->from + (spans->to - spans->from) / spans->comm->size * rank;
}

static uint64_t piece_end(const struct spans *spans, size_t rank)
{
    return rank + 1 == spans->comm->size ? spans->to : piece_start(spans, rank + 1);
}

static temper_status count_quotes(struct spans *spans, bool *odd)
{
    struct source *source;
    size_t rank = spans->comm->rank, got = 1;
    temper_status status =
        source_open_span(spans->path, piece_start(spans, rank), piece_end(spans, rank), &source, spans->error);
    if (status != TEMPER_OK)
        return status;
    while (status == TEMPER_OK && got > 0) {
        status = source_read(source, spans->block, BLOCK, &got, spans->error);
        if (status == TEMPER_OK)
            *odd ^= odd_quotes((const char *)spans->block, got);
    }
    source_close(source);
    return status;
}

/* Where the first line begins that does so at `at` or behind it; `odd`: a quote is open there. */
static temper_status find_line(struct spans *spans, uint64_t at, bool odd, uint64_t *start)
{
    struct source *source;
    size_t got = 1;
    uint64_t place = at - 1; /* its newline, if it is one, is not within quotes unless `at` is */
    bool found = false;
    temper_status status = source_open_span(spans->path, place, spans->to, &source, spans->error);
    if (status != TEMPER_OK)
        return status;
    while (status == TEMPER_OK && !found && got > 0) {
        status = source_read(source, spans->block, BLOCK, &got, spans->error);
        for (size_t i = 0; status == TEMPER_OK && !found && i < got; i++, place++) {
            found = spans->block[i] == '\n' && !odd;
            if (spans->block[i] == '"' && place >= at)
                odd = !odd;
        }
    }
    source_close(source);
    *start = found ? place : spans->to;
    return status;
}

/* Everyone finds its own beginning, which is the end of the one before it. */
static temper_status find_starts(struct spans *spans)
{
    size_t rank = spans->comm->rank;
    bool odd = false;
    unsigned char mine;
    uint64_t start = spans->from;
    temper_status status = comm_agree(spans->comm, count_quotes(spans, &odd), spans->error);
    mine = odd;
    if (status == TEMPER_OK)
        status = comm_gather_each(spans->comm, &mine, 1, spans->odd, spans->error);
    if (status != TEMPER_OK)
        return status;
    odd = false;
    for (size_t r = 0; r < rank; r++)
        odd ^= spans->odd[r] != 0;
    if (piece_start(spans, rank) > spans->from)
        status = find_line(spans, piece_start(spans, rank), odd, &start);
    status = comm_agree(spans->comm, status, spans->error);
    if (status == TEMPER_OK)
        status = comm_gather_each(spans->comm, &start, sizeof start, spans->start, spans->error);
    spans->start[spans->comm->size] = spans->to;
    return status;
}

temper_status csv_own_byte_range(const struct data_reader *reader, uint64_t *from, uint64_t *to)
{
    const temper_comm *comm = reader->options->comm;
    struct spans spans = {.path = reader->path,
                          .comm = comm,
                          .from = *from,
                          .to = *to,
                          .odd = mem_alloc(comm->size, sizeof *spans.odd),
                          .start = mem_alloc(comm->size + 1, sizeof *spans.start),
                          .block = mem_alloc(BLOCK, 1),
                          .error = reader->error};
    temper_status status =
        spans.odd && spans.start && spans.block ? find_starts(&spans) : error_no_memory(reader->error);
    if (status == TEMPER_OK) {
        *from = spans.start[comm->rank];
        *to = spans.start[comm->rank + 1];
    }
    mem_free(spans.odd);
    mem_free(spans.start);
    mem_free(spans.block);
    return status;
}
