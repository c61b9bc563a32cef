/* libsvm: reads libsvm (svmlight) text, many lines at a time. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/chunks.h"
#include "data/libsvm_parse.h"
#include "data/read.h"
#include "data/token.h"

/* One chunk, and what becomes of it. */
struct work {
    struct chunk *chunk;
    struct libsvm_piece piece;
    temper_status status;
    struct sparse_rows
        rows; /* a single thread parses straight into the whole, and leaves this empty */
};

/* Chunks that are parsed together, one to a thread; results are appended in the order of the text,
 * so that any number of threads gives the same dataset, and the first fault of the file is
 * reported. */
struct batch {
    struct work *work;
    size_t size, count;
};

struct libsvm_reading {
    struct reading *reading;
    struct chunks *chunks;
    struct sparse_rows whole;
    struct batch batch;
    uint64_t lines; /* of all batches before */
    bool at_end;
};

static void batch_free(struct batch *batch)
{
    for (size_t i = 0; batch->work && i < batch->size; i++)
        sparse_rows_free(&batch->work[i].rows);
    mem_free(batch->work);
}

static bool batch_new(struct batch *batch, size_t size)
{
    *batch = (struct batch){.work = mem_zeroed(size, sizeof *batch->work), .size = size};
    return batch->work != NULL;
}

/* Editors of one system put three bytes in front of a text. */
static size_t byte_order_mark(const struct chunk *chunk)
{
    bool first = chunk->number == 0 && chunk->length >= 3;
    return first && memcmp(chunk->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static temper_status batch_fill(struct libsvm_reading *state)
{
    struct batch *batch = &state->batch;
    for (batch->count = 0; batch->count < batch->size && !state->at_end; batch->count++) {
        struct chunk *chunk;
        temper_status status = chunks_next(state->chunks, &chunk, state->reading->error);
        if (status != TEMPER_OK)
            return status;
        state->at_end = chunk->last;
        struct work *work = &batch->work[batch->count];
        work->chunk = chunk;
        bool direct = batch->size == 1; /* then there is nothing to append */
        work->piece = (struct libsvm_piece){
            .from = chunk->bytes + byte_order_mark(chunk),
            .to = chunk->bytes + chunk->length,
            .zero_based = state->reading->options->zero_based,
            .last = chunk->last,
            .lines_before = direct ? state->lines : 0,
            .rows = direct ? &state->whole : &work->rows,
        };
    }
    return TEMPER_OK;
}

static temper_status parse_block(void *context, size_t block, size_t worker)
{
    struct batch *batch = context;
    struct work *work = &batch->work[block];
    (void)worker;
    if (batch->size > 1)
        sparse_rows_clear(&work->rows);
    return work->status = libsvm_parse(&work->piece);
}

/* Says where a piece failed. */
static temper_status report(struct libsvm_reading *state, const struct libsvm_piece *piece)
{
    struct reading *reading = state->reading;
    size_t line = (size_t)(state->lines + piece->lines + 1);
    if (piece->reason[0] == '\0')
        return error_no_memory(reading->error);
    return error_at(reading->error, TEMPER_BAD_DATA, line, piece->column, "%s:%zu:%zu: %s",
                    place_text(reading->path).text, line, piece->column, piece->reason);
}

/* A label where others have none, in two pieces that each are of one mind. */
static temper_status check_labels(struct libsvm_reading *state, const struct sparse_rows *piece,
                                  uint64_t lines)
{
    const struct sparse_rows *whole = &state->whole;
    if (whole->rows == 0 || piece->rows == 0 || (whole->unlabelled > 0) == (piece->unlabelled > 0))
        return TEMPER_OK;
    size_t line = (size_t)(lines + piece->line[0]);
    return error_at(state->reading->error, TEMPER_BAD_DATA, line, 1, "%s:%zu:1: %s",
                    place_text(state->reading->path).text, line,
                    piece->unlabelled
                        ? "this row has no label, rows before it have; add one"
                        : "this row has a label, rows before it have none; remove it");
}

/* Adds a piece to the whole; what it says of a failure has a line, and here gets its file. */
static temper_status append(struct libsvm_reading *state, const struct sparse_rows *piece)
{
    temper_error fault;
    temper_error *error = state->reading->error;
    temper_status status = sparse_rows_append(&state->whole, piece, state->lines, &fault);
    if (status == TEMPER_BAD_DATA)
        return error_at(error, status, fault.line, fault.column, "%s:%zu:%zu: %s",
                        place_text(state->reading->path).text, fault.line, fault.column,
                        fault.message);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

static temper_status batch_append(struct libsvm_reading *state)
{
    struct batch *batch = &state->batch;
    for (size_t i = 0; i < batch->count; i++) {
        struct libsvm_piece *piece = &batch->work[i].piece;
        temper_status status = batch->work[i].status;
        if (status != TEMPER_OK)
            return report(state, piece);
        if (batch->size > 1)
            status = check_labels(state, piece->rows, state->lines);
        if (status == TEMPER_OK && batch->size > 1)
            status = append(state, piece->rows);
        if (status != TEMPER_OK)
            return status;
        state->lines += piece->lines;
    }
    return TEMPER_OK;
}

static void batch_give_back(struct libsvm_reading *state)
{
    for (size_t i = 0; i < state->batch.count; i++)
        chunks_give_back(state->chunks, state->batch.work[i].chunk);
    state->batch.count = 0;
}

/* Parses the batch. What is wrong with a piece, batch_append finds in its place; without memory for
 * the threads none was parsed at all. */
static temper_status batch_parse(struct libsvm_reading *state, size_t threads)
{
    struct batch *batch = &state->batch;
    temper_status status = parallel_blocks(batch->count, threads, parse_block, batch);
    if (status == TEMPER_NO_MEMORY)
        return error_no_memory(state->reading->error);
    return batch_append(state);
}

static temper_status read_batches(struct libsvm_reading *state, size_t threads)
{
    while (!state->at_end) {
        temper_status status = batch_fill(state);
        if (status == TEMPER_OK)
            status = batch_parse(state, threads);
        batch_give_back(state);
        if (status != TEMPER_OK)
            return status;
    }
    return TEMPER_OK;
}

static temper_status finish(struct libsvm_reading *state, struct dataset *data)
{
    struct reading *reading = state->reading;
    if (state->whole.rows == 0)
        return error_set(reading->error, TEMPER_BAD_DATA,
                         "%s: no rows, only blanks and comments; give a file with rows",
                         place_text(reading->path).text);
    if (state->whole.columns == 0)
        return error_set(
            reading->error, TEMPER_BAD_DATA,
            "%s: no row has a feature; write index:value behind labels, or say what the "
            "file is by --format",
            place_text(reading->path).text);
    if (state->whole.qid)
        dataset_note(data, "qid: ignored; temper does not rank");
    sparse_rows_move(&state->whole, data);
    data->format = "libsvm";
    return TEMPER_OK;
}

temper_status read_libsvm(struct reading *reading, struct dataset *data)
{
    struct libsvm_reading state = {.reading = reading};
    size_t threads = reading->options->threads ? reading->options->threads : thread_count_default();
    temper_status status = chunks_open(reading->source, false, &state.chunks, reading->error);
    if (status != TEMPER_OK)
        return status;
    if (batch_new(&state.batch, threads))
        status = read_batches(&state, threads);
    else
        status = error_no_memory(reading->error);
    if (status == TEMPER_OK)
        status = finish(&state, data);
    batch_free(&state.batch);
    sparse_rows_free(&state.whole);
    chunks_close(state.chunks);
    return status;
}
