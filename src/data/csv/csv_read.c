/* csv_read: a table of text, chunk by chunk, on one thread or several.
 *
 * One thread parses straight into the whole. Several parse a chunk each into a part of its own, and
 * the parts are appended in the order of the file; so the result is the same, and so is the first
 * fault. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"
#include "data/read/huge_pages.h"
#include "data/read/parallel_parse.h"

/* One of the chunks that the plan is made from. */
struct held {
    struct chunk *chunk;
    struct csv_piece piece;
};

struct csv_reading {
    struct reading *reading;
    struct text_chunks *chunks;
    size_t threads;
    struct csv_column_plan plan;
    struct csv_rows whole;
    struct held *held; /* the first chunks that have lines: mostly one */
    size_t count;
    size_t first; /* the number of the first of them */
    bool at_end;
    struct csv_rows *part; /* parts of them, if there are several threads */
    size_t parts;
    uint64_t file_size; /* of a plain file; 0: not known how long the text is */
    uint64_t before;    /* bytes of chunks that were blank, and gone before the plan */
    bool in_piece;      /* chunks are those of a piece of the file, behind what was planned by, */
    bool begins_file;   /* which begins with the file's first line */
};

/* ---- Chunks
 * ------------------------------------------------------------------------------------------ */

/* A piece of a chunk: without a byte order mark, where the file may begin with one; with a newline
 * at its end, for which there is room. */
static struct csv_piece piece_of(struct chunk *chunk, bool marked)
{
    struct csv_piece piece = {.from = chunk->bytes};
    size_t length = chunk->length;
    if (marked && chunk->number == 0 && length >= 3 && memcmp(chunk->bytes, "\xef\xbb\xbf", 3) == 0)
        piece.from += 3;
    if (chunk->bytes + length > piece.from && chunk->bytes[length - 1] != '\n') {
        chunk->bytes[length++] = '\n';
        piece.cut = true;
    }
    piece.to = chunk->bytes + length;
    return piece;
}

/* Takes one chunk more, if there is one. */
static temper_status hold_next(struct csv_reading *state)
{
    struct chunk *chunk;
    temper_error *error = state->reading->error;
    struct held *held = mem_resize(state->held, state->count + 1, sizeof *held);
    if (!held)
        return error_no_memory(error);
    state->held = held;
    temper_status status = text_chunks_next(state->chunks, &chunk, error);
    if (status != TEMPER_OK)
        return status;
    state->at_end = chunk->last;
    if (chunk->length == 0)
        return TEMPER_OK;
    if (state->count == 0)
        state->first = chunk->number;
    held[state->count++] = (struct held){chunk, piece_of(chunk, true)};
    return TEMPER_OK;
}

/* The piece of a chunk, or what the plan has left of it. */
static struct csv_piece piece_to_parse(const struct csv_reading *state, struct chunk *chunk)
{
    if (state->in_piece) {
        struct csv_piece piece = piece_of(chunk, false);
        piece.first = state->begins_file && chunk->number == 0;
        return piece;
    }
    size_t nth = chunk->number - state->first;
    return nth < state->count ? state->held[nth].piece : piece_of(chunk, true);
}

/* ---- The first lines
 * --------------------------------------------------------------------------------- */

/* Holds chunks until one has a line that is not blank, and makes its piece begin there. */
static temper_status find_first_line(struct csv_reading *state, bool *found)
{
    *found = false;
    csv_format_set(&state->plan.format, csv_is_tsv(state->reading) ? '\t' : ',');
    while (!state->at_end) {
        temper_status status = hold_next(state);
        if (status != TEMPER_OK)
            return status;
        if (state->count == 0)
            break;
        struct csv_piece *piece = &state->held[0].piece;
        piece->from = csv_skip_blank_lines(&state->plan.format, piece->from, piece->to, &state->whole.lines);
        *found = piece->from < piece->to;
        if (*found)
            return TEMPER_OK;
        state->before += state->held[0].chunk->length;
        text_chunks_give_back(state->chunks, state->held[--state->count].chunk); /* only blank lines */
    }
    return TEMPER_OK;
}

/* A header may have newlines within quotes. */
static uint64_t count_lines(const struct csv_line *line)
{
    uint64_t lines = 0;
    for (const char *p = line->from; p < line->next; p++)
        lines += *p == '\n';
    return lines;
}

/* Where a line is, and how many are before it. */
struct place {
    const char *from, *to; /* NULL if there is none */
    uint64_t lines;
};

/* Where the second line is, perhaps in a later chunk. */
static temper_status find_second_line(struct csv_reading *state, const struct csv_line *first, struct place *place)
{
    const char *p = first->next;
    place->lines = state->whole.lines + count_lines(first);
    for (size_t i = 0;; p = state->held[i].piece.from) {
        place->to = state->held[i].piece.to;
        p = csv_skip_blank_lines(&state->plan.format, p, place->to, &place->lines);
        place->from = p < place->to ? p : NULL;
        if (place->from)
            return TEMPER_OK;
        temper_status status = state->at_end ? TEMPER_OK : hold_next(state);
        if (status != TEMPER_OK || ++i == state->count)
            return status;
    }
}

/* One of the first two lines taken apart. */
static temper_status read_line(struct csv_reading *state, const struct place *place, struct csv_line *line)
{
    enum csv_error_kind kind = csv_line_read(&state->plan.format, place->from, place->to, line);
    if (kind == CSV_FINE)
        return TEMPER_OK;
    struct csv_error fault = {.kind = kind, .line = 1, .column = 1};
    for (const char *p = place->from; p < line->next; p++) { /* which is where the fault is */
        fault.line += *p == '\n';
        fault.column = *p == '\n' ? 1 : fault.column + 1;
    }
    return csv_error_report(&state->plan, &fault, place->lines, state->reading->error);
}

/* Decides what the columns are, from the first lines. */
static temper_status plan_columns(struct csv_reading *state, const struct csv_line *first,
                                  const struct csv_line *second)
{
    struct csv_column_plan *plan = &state->plan;
    struct csv_piece *piece = &state->held[0].piece;
    temper_status status = csv_find_header(plan, state->reading, first, second);
    if (status == TEMPER_OK)
        status = csv_columns_plan(plan, state->reading, first);
    if (status != TEMPER_OK)
        return status;
    piece->first = !plan->header;
    if (plan->header) {
        state->whole.lines += count_lines(first);
        piece->from = first->next;
    }
    for (size_t i = 0; i < state->count; i++)
        csv_columns_text(plan, &state->held[i].piece);
    csv_columns_find_texts(plan, &state->held[0].piece);
    return csv_columns_finish(plan, state->reading);
}

/* The first two lines, which may be all there is. */
static temper_status look_at_lines(struct csv_reading *state, struct csv_line *first, struct csv_line *second)
{
    const struct csv_piece *piece = &state->held[0].piece;
    struct place place = {piece->from, piece->to, state->whole.lines};
    temper_status status = read_line(state, &place, first);
    if (status == TEMPER_OK)
        status = find_second_line(state, first, &place);
    if (status == TEMPER_OK && place.from)
        status = read_line(state, &place, second);
    if (status != TEMPER_OK)
        return status;
    return plan_columns(state, first, place.from ? second : NULL);
}

/* The plan, from the first chunk or chunks, which stay in hand. */
static temper_status begin(struct csv_reading *state)
{
    struct csv_column_plan *plan = &state->plan;
    bool found;
    plan->path = state->reading->path;
    temper_status status = find_first_line(state, &found);
    if (status != TEMPER_OK)
        return status;
    if (!found)
        return error_set(state->reading->error, TEMPER_BAD_DATA,
                         "%s: no rows, it is empty or blank; give a file with rows", place_text(plan->path).text);
    const struct csv_piece *piece = &state->held[0].piece;
    if (plan->format.separator != '\t') {
        csv_format_set(&plan->format, csv_find_separator(piece->from, piece->to));
        plan->separator_told = plan->format.separator != ',';
    }
    struct csv_line first = {0}, second = {0};
    status = look_at_lines(state, &first, &second);
    csv_line_free(&first);
    csv_line_free(&second);
    if (status == TEMPER_OK && !csv_rows_start(&state->whole, plan))
        status = error_no_memory(state->reading->error);
    return status;
}

/* ---- All the lines
 * ----------------------------------------------------------------------------------- */

/* The first chunk, of so many bytes, is in the whole: the others will be like it. */
static void expect_rest(struct csv_reading *state, size_t bytes)
{
    size_t total = (size_t)state->file_size;
    if (total > bytes)
        csv_rows_expect(&state->whole, &state->plan, page_window_guess(state->whole.rows, bytes, total));
    state->file_size = 0; /* it is known now */
}

/* One thread: no parts, no copies. */
static temper_status read_straight(struct csv_reading *state)
{
    struct chunk *chunk;
    temper_status status;
    while ((status = text_chunks_next(state->chunks, &chunk, state->reading->error)) == TEMPER_OK &&
           chunk->length > 0) {
        struct csv_piece piece = piece_to_parse(state, chunk);
        if (!csv_parse(&state->plan, &piece, &state->whole))
            return csv_error_report(&state->plan, &state->whole.fault, 0, state->reading->error);
        expect_rest(state, chunk->length);
        disk_array_used(state->whole.spill, state->plan.cell_size * chunk->length);
        text_chunks_give_back(state->chunks, chunk);
    }
    return status;
}

/* Several: a chunk into its part. A fault is in the part. */
static void parse_part(void *context, struct chunk *chunk, size_t number)
{
    struct csv_reading *state = context;
    struct csv_piece piece = piece_to_parse(state, chunk);
    csv_rows_clear(&state->part[number]);
    state->part[number].bytes = chunk->length;
    csv_parse(&state->plan, &piece, &state->part[number]);
}

/* And the part to the whole. */
static temper_status join_part(void *context, size_t number)
{
    struct csv_reading *state = context;
    struct csv_rows *part = &state->part[number], *whole = &state->whole;
    csv_rows_recode(part, whole, &state->plan);
    if (part->fault.kind != CSV_FINE)
        return csv_error_report(&state->plan, &part->fault, whole->lines, state->reading->error);
    if (!csv_rows_append(part, whole, &state->plan))
        return error_no_memory(state->reading->error);
    expect_rest(state, part->bytes);
    disk_array_used(whole->spill, state->plan.cell_size * part->bytes);
    return TEMPER_OK;
}

static temper_status read_in_parts(struct csv_reading *state)
{
    state->parts = 2 * state->threads; /* one to work on, and one that waits */
    state->part = mem_zeroed(state->parts, sizeof *state->part);
    if (!state->part)
        return error_no_memory(state->reading->error);
    for (size_t i = 0; i < state->parts; i++)
        if (!csv_rows_start(&state->part[i], &state->plan))
            return error_no_memory(state->reading->error);
    const struct parallel_parse work = {.chunks = state->chunks,
                                        .threads = state->threads,
                                        .parts = state->parts,
                                        .first = state->first,
                                        .context = state,
                                        .parse = parse_part,
                                        .join = join_part};
    return parallel_parse(&work, state->reading->error);
}

/* From the first line on. A file of one chunk is not worth a second thread. */
static temper_status read_rows(struct csv_reading *state)
{
    for (size_t i = state->count; i-- > 0;)
        text_chunks_unread(state->chunks, state->held[i].chunk);
    return state->threads == 1 || state->at_end ? read_straight(state) : read_in_parts(state);
}

/* Whatever there is of it. */
static void free_state(struct csv_reading *state)
{
    for (size_t i = 0; state->part && i < state->parts; i++)
        csv_rows_free(&state->part[i], &state->plan);
    mem_free(state->part);
    mem_free(state->held);
    csv_rows_free(&state->whole, &state->plan);
    csv_columns_free(&state->plan);
    text_chunks_close(state->chunks);
}

/* ---- A piece of the file, others having the rest --------------------------------------------- */

/* Everyone has made the same plan; from here on it is the own lines. */
static temper_status open_piece(struct csv_reading *state)
{
    struct reading *reading = state->reading;
    const struct held *first = &state->held[0];
    struct source *source;
    uint64_t rows = state->before + (uint64_t)(first->piece.from - first->chunk->bytes);
    temper_status status = TEMPER_OK;
    if (reading->to == 0) {
        reading->from = rows;
        reading->to = state->file_size;
        status = csv_own_byte_range(reading, &reading->from, &reading->to);
    }
    state->begins_file = reading->from == rows && first->piece.first;
    if (comm_rank(reading->options->comm) > 0)
        state->whole.lines = reading->lines_before;
    text_chunks_close(state->chunks);
    state->chunks = NULL;
    state->in_piece = true;
    state->at_end = false;
    state->count = state->first = 0;
    if (status == TEMPER_OK)
        status = source_open_span(reading->path, reading->from, reading->to, &source, reading->error);
    if (status != TEMPER_OK)
        return status;
    state->file_size = source_file_size(source);
    return text_chunks_open(source, true, &state->chunks, reading->error);
}

temper_status read_csv(struct reading *reading, struct dataset *data)
{
    struct csv_reading state = {.reading = reading, .whole = {.spill = reading->spill, .lines = reading->lines_before}};
    state.threads = reading->options->threads ? reading->options->threads : thread_count_default();
    if (!source_compression(reading->source))
        state.file_size = source_file_size(reading->source);
    temper_status status = text_chunks_open(reading->source, true, &state.chunks, reading->error);
    if (status != TEMPER_OK)
        return status;
    status = begin(&state);
    if (status == TEMPER_OK && reading->piece)
        status = open_piece(&state);
    if (status == TEMPER_OK)
        status = read_rows(&state);
    reading->lines = state.whole.lines;
    if (status == TEMPER_OK)
        status = csv_to_dataset(&state.plan, &state.whole, reading, data);
    free_state(&state);
    return status;
}
