/* libsvm: reads libsvm (svmlight) text, many lines at a time. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/quote_text.h"
#include "data/read/huge_pages.h"
#include "data/read/libsvm_parse.h"
#include "data/read/parallel_parse.h"
#include "data/read/read.h"

enum { WRITTEN_A_BYTE = 2 }; /* of the arrays, for a byte of text, about */

/* What becomes of a chunk, where several are parsed at once. */
struct part {
    struct libsvm_piece piece;
    struct sparse_rows rows;
    temper_status status;
};

struct libsvm_reading {
    struct reading *reading;
    struct text_chunks *chunks;
    size_t threads;
    struct sparse_rows whole;
    struct part *part; /* parts of them, if there are several threads */
    size_t parts;
    uint64_t lines;     /* of what is in the whole */
    uint64_t file_size; /* of a plain file; 0: not known how long the text is */
};

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Editors of one system put three bytes in front of a text. */
static size_t byte_order_mark(const struct chunk *chunk)
{
    bool first = chunk->number == 0 && chunk->length >= 3;
    return first && memcmp(chunk->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static struct libsvm_piece piece_of(const struct libsvm_reading *state, const struct chunk *chunk,
                                    struct sparse_rows *rows)
{
    return (struct libsvm_piece){
        .from = chunk->bytes + byte_order_mark(chunk),
        .to = chunk->bytes + chunk->length,
        .zero_based = state->reading->options->zero_based,
        .last = chunk->last,
        .rows = rows,
    };
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

/* The first piece, of so many bytes, is in the whole: the others will be like it. */
static void expect_rest(struct libsvm_reading *state, size_t bytes)
{
    struct sparse_rows *whole = &state->whole;
    size_t total = (size_t)state->file_size, rows, entries;
    if (total > bytes && add_size(page_window_guess(whole->rows, bytes, total), libsvm_most_rows(bytes), &rows) &&
        add_size(page_window_guess(whole->nonzeros, bytes, total), libsvm_most_entries(bytes), &entries))
        csr_builder_expect(whole, rows, entries);
    state->file_size = 0; /* it is known now */
}

/* ---- One thread: straight into the whole ----------------------------------------------------- */

static temper_status read_straight(struct libsvm_reading *state)
{
    struct chunk *chunk;
    temper_status status;
    while ((status = text_chunks_next(state->chunks, &chunk, state->reading->error)) == TEMPER_OK &&
           chunk->length > 0) {
        struct libsvm_piece piece = piece_of(state, chunk, &state->whole);
        piece.lines_before = state->lines;
        if (libsvm_parse(&piece) != TEMPER_OK)
            return report(state, &piece);
        state->lines += piece.lines;
        expect_rest(state, chunk->length);
        disk_array_used(state->whole.spill, WRITTEN_A_BYTE * chunk->length);
        text_chunks_give_back(state->chunks, chunk);
    }
    return status;
}

/* ---- Several: in parts, which are appended in the order of the text -------------------------- */

static void parse_part(void *context, struct chunk *chunk, size_t number)
{
    struct libsvm_reading *state = context;
    struct part *part = &state->part[number];
    csr_builder_clear(&part->rows);
    part->piece = piece_of(state, chunk, &part->rows);
    part->status = libsvm_parse(&part->piece);
}

/* A label where others have none, in two pieces that each are of one mind. */
static temper_status check_labels(struct libsvm_reading *state, const struct sparse_rows *rows)
{
    enum sparse_labels before = state->whole.labels;
    if (before == SPARSE_NO_ROWS || rows->labels == SPARSE_NO_ROWS || before == rows->labels)
        return TEMPER_OK;
    size_t line = (size_t)(state->lines + rows->line[0]);
    return error_at(state->reading->error, TEMPER_BAD_DATA, line, rows->label_column, "%s:%zu:%zu: %s",
                    place_text(state->reading->path).text, line, rows->label_column, libsvm_label_fault(rows->labels));
}

/* Adds rows to the whole; what it says of a failure has a line, and here gets its file. */
static temper_status append(struct libsvm_reading *state, struct sparse_rows *rows)
{
    temper_error fault;
    temper_error *error = state->reading->error;
    temper_status status = csr_builder_append(&state->whole, rows, state->lines, &fault);
    if (status == TEMPER_BAD_DATA)
        return error_at(error, status, fault.line, fault.column, "%s:%zu:%zu: %s",
                        place_text(state->reading->path).text, fault.line, fault.column, fault.message);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* The rows before a fault may have one of their own, beside those of other parts: it comes first.
 */
static temper_status join_part(void *context, size_t number)
{
    struct libsvm_reading *state = context;
    struct part *part = &state->part[number];
    temper_status status = check_labels(state, &part->rows);
    if (status == TEMPER_OK)
        status = append(state, &part->rows);
    if (status == TEMPER_OK && part->status != TEMPER_OK)
        status = report(state, &part->piece);
    state->lines += part->piece.lines;
    expect_rest(state, (size_t)(part->piece.to - part->piece.from));
    disk_array_used(state->whole.spill, WRITTEN_A_BYTE * (size_t)(part->piece.to - part->piece.from));
    return status;
}

static temper_status read_in_parts(struct libsvm_reading *state)
{
    state->parts = 2 * state->threads; /* one to work on, and one that waits */
    state->part = mem_zeroed(state->parts, sizeof *state->part);
    /* The whole begins here: allocators keep memory with the thread that has first asked for it,
     * and those below end before the whole does. */
    if (!state->part || !csr_builder_reserve(&state->whole, 1, 1))
        return error_no_memory(state->reading->error);
    const struct parallel_parse work = {.chunks = state->chunks,
                                        .threads = state->threads,
                                        .parts = state->parts,
                                        .context = state,
                                        .parse = parse_part,
                                        .join = join_part};
    return parallel_parse(&work, state->reading->error);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* A file of one chunk is not worth a second thread. */
static temper_status read_rows(struct libsvm_reading *state)
{
    struct chunk *chunk;
    temper_status status = text_chunks_next(state->chunks, &chunk, state->reading->error);
    if (status != TEMPER_OK || chunk->length == 0)
        return status;
    text_chunks_unread(state->chunks, chunk);
    return state->threads == 1 || chunk->last ? read_straight(state) : read_in_parts(state);
}

static temper_status finish(struct libsvm_reading *state, struct dataset *data)
{
    struct reading *reading = state->reading;
    reading->lines = state->lines;
    if (!reading->piece && state->whole.rows == 0)
        return error_set(reading->error, TEMPER_BAD_DATA,
                         "%s: no rows, only blanks and comments; give a file with rows",
                         place_text(reading->path).text);
    if (!reading->piece && state->whole.columns == 0)
        return error_set(
            reading->error, TEMPER_BAD_DATA,
            "%s: no row has a feature; write index:value after labels, or name the format of the file with --format",
            place_text(reading->path).text);
    if (state->whole.qid)
        dataset_note(data, "qid: ignored; temper does not rank");
    csr_builder_move(&state->whole, data);
    data->file.format = "libsvm";
    data->file.separator = ' ';
    return TEMPER_OK;
}

temper_status read_libsvm(struct reading *reading, struct dataset *data)
{
    struct libsvm_reading state = {.reading = reading, .lines = reading->lines_before};
    state.whole.labels = (enum sparse_labels)reading->labels_before;
    state.whole.spill = reading->spill;
    state.threads = reading->options->threads ? reading->options->threads : thread_count_default();
    if (!source_compression(reading->source))
        state.file_size = source_file_size(reading->source);
    temper_status status = text_chunks_open(reading->source, false, &state.chunks, reading->error);
    if (status != TEMPER_OK)
        return status;
    status = read_rows(&state);
    if (status == TEMPER_OK)
        status = finish(&state, data);
    for (size_t i = 0; state.part && i < state.parts; i++)
        csr_builder_free(&state.part[i].rows);
    mem_free(state.part);
    csr_builder_free(&state.whole);
    text_chunks_close(state.chunks);
    return status;
}
