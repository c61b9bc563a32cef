/* csv_read: a table of text, chunk by chunk, on one thread or several.
 *
 * One thread parses straight into the whole. Several parse a chunk each into a part of its own, and
 * the parts are joined in the order of the file; so the result is the same, and so is the first
 * fault. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/chunks.h"
#include "data/csv.h"
#include "data/token.h"

/* A chunk in hand, and what becomes of it. */
struct held {
    struct chunk *chunk;
    struct csv_piece piece;
    struct csv_part part;
    bool has_part;         /* made before, to be used again */
    size_t row;            /* of the whole, where its rows go */
    uint64_t lines_before; /* of the file */
};

struct csv_reading {
    struct reading *reading;
    struct chunks *chunks;
    size_t threads;
    struct csv_plan plan;
    struct csv_part whole;
    struct held *held;
    size_t count, capacity; /* of held */
    bool at_end;
};

/* ---- Chunks
 * ------------------------------------------------------------------------------------------ */

/* A piece of a chunk: without a byte order mark, with a newline at its end, for which there is
 * room. */
static struct csv_piece piece_of(struct chunk *chunk)
{
    struct csv_piece piece = {.from = chunk->bytes};
    size_t length = chunk->length;
    if (chunk->number == 0 && length >= 3 && memcmp(chunk->bytes, "\xef\xbb\xbf", 3) == 0)
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
    if (state->count == state->capacity) {
        size_t capacity = state->capacity ? state->capacity * 2 : 2 * state->threads;
        struct held *grown = mem_resize(state->held, capacity, sizeof *grown);
        if (!grown)
            return error_no_memory(error);
        memset(grown + state->capacity, 0, (capacity - state->capacity) * sizeof *grown);
        state->held = grown;
        state->capacity = capacity;
    }
    temper_status status = chunks_next(state->chunks, &chunk, error);
    if (status != TEMPER_OK)
        return status;
    state->at_end = chunk->last;
    if (chunk->length == 0)
        return TEMPER_OK;
    struct held *held = &state->held[state->count++];
    held->chunk = chunk;
    held->piece = piece_of(chunk);
    return TEMPER_OK;
}

/* The parts stay, for the next chunks. */
static void give_back(struct csv_reading *state)
{
    for (size_t i = 0; i < state->count; i++)
        chunks_give_back(state->chunks, state->held[i].chunk);
    state->count = 0;
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
        piece->from =
            csv_skip_blank_lines(&state->plan.format, piece->from, piece->to, &state->whole.lines);
        *found = piece->from < piece->to;
        if (*found)
            return TEMPER_OK;
        give_back(state); /* nothing but blank lines */
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
static temper_status find_second_line(struct csv_reading *state, const struct csv_line *first,
                                      struct place *place)
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
static temper_status read_line(struct csv_reading *state, const struct place *place,
                               struct csv_line *line)
{
    enum csv_fault_kind kind = csv_line_read(&state->plan.format, place->from, place->to, line);
    if (kind == CSV_FINE)
        return TEMPER_OK;
    struct csv_fault fault = {.kind = kind, .line = 1, .column = 1};
    for (const char *p = place->from; p < line->next; p++) { /* which is where the fault is */
        fault.line += *p == '\n';
        fault.column = *p == '\n' ? 1 : fault.column + 1;
    }
    return csv_fault_report(&state->plan, &fault, place->lines, state->reading->error);
}

/* Decides what the columns are, from the first lines. */
static temper_status plan_columns(struct csv_reading *state, const struct csv_line *first,
                                  const struct csv_line *second)
{
    struct csv_plan *plan = &state->plan;
    struct csv_piece *piece = &state->held[0].piece;
    temper_status status = csv_find_header(plan, state->reading, first, second);
    if (status == TEMPER_OK)
        status = csv_plan_columns(plan, state->reading, first);
    if (status != TEMPER_OK)
        return status;
    piece->first = !plan->header;
    if (plan->header) {
        state->whole.lines += count_lines(first);
        piece->from = first->next;
    }
    for (size_t i = 0; i < state->count; i++)
        csv_plan_text(plan, &state->held[i].piece);
    return csv_plan_finish(plan, state->reading);
}

/* The first two lines, which may be all there is. */
static temper_status look_at_lines(struct csv_reading *state, struct csv_line *first,
                                   struct csv_line *second)
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
    struct csv_plan *plan = &state->plan;
    bool found;
    plan->path = state->reading->path;
    temper_status status = find_first_line(state, &found);
    if (status != TEMPER_OK)
        return status;
    if (!found)
        return error_set(state->reading->error, TEMPER_BAD_DATA,
                         "%s: no rows; the file is empty or has blank lines only",
                         place_text(plan->path).text);
    const struct csv_piece *piece = &state->held[0].piece;
    if (plan->format.separator != '\t') {
        csv_format_set(&plan->format, csv_find_separator(piece->from, piece->to));
        plan->separator_told = plan->format.separator != ',';
    }
    struct csv_line first = {0}, second = {0};
    status = look_at_lines(state, &first, &second);
    csv_line_free(&first);
    csv_line_free(&second);
    if (status == TEMPER_OK && !csv_part_start(&state->whole, plan))
        status = error_no_memory(state->reading->error);
    return status;
}

/* ---- All the lines
 * ----------------------------------------------------------------------------------- */

/* One thread: no parts, no copies. */
static temper_status parse_straight(struct csv_reading *state)
{
    for (size_t i = 0; i < state->count; i++)
        if (!csv_parse(&state->plan, &state->held[i].piece, &state->whole))
            return csv_fault_report(&state->plan, &state->whole.fault, 0, state->reading->error);
    return TEMPER_OK;
}

/* Several: a chunk into its part. */
static temper_status parse_block(void *context, size_t block, size_t worker)
{
    struct csv_reading *state = context;
    struct held *held = &state->held[block];
    (void)worker;
    csv_part_clear(&held->part, &state->plan);
    bool fine = csv_parse(&state->plan, &held->piece, &held->part);
    return fine ? TEMPER_OK : TEMPER_BAD_DATA; /* the fault is in the part */
}

/* And the part into the whole, where it belongs. */
static temper_status copy_block(void *context, size_t block, size_t worker)
{
    struct csv_reading *state = context;
    const struct held *held = &state->held[block];
    (void)worker;
    csv_part_copy(&held->part, &state->whole, &state->plan, held->row, held->lines_before);
    return TEMPER_OK;
}

/* Made once, when their chunk first comes. */
static temper_status make_parts(struct csv_reading *state)
{
    for (size_t i = 0; i < state->count; i++) {
        struct held *held = &state->held[i];
        if (!held->has_part && !csv_part_start(&held->part, &state->plan)) {
            csv_part_free(&held->part, &state->plan);
            return error_no_memory(state->reading->error);
        }
        held->has_part = true;
    }
    return TEMPER_OK;
}

/* Finds the place of each part in the whole, in order; the first fault ends it. */
static temper_status join_parts(struct csv_reading *state)
{
    struct csv_part *whole = &state->whole;
    size_t rows = whole->rows;
    for (size_t i = 0; i < state->count; i++) {
        struct held *held = &state->held[i];
        csv_part_recode(&held->part, whole, &state->plan);
        if (held->part.fault.kind != CSV_FINE)
            return csv_fault_report(&state->plan, &held->part.fault, whole->lines,
                                    state->reading->error);
        held->row = rows;
        held->lines_before = whole->lines;
        rows += held->part.rows;
        whole->lines += held->part.lines;
        whole->missing += held->part.missing;
        whole->dropped += held->part.dropped;
    }
    if (!csv_part_reserve(whole, &state->plan, rows))
        return error_no_memory(state->reading->error);
    whole->rows = rows;
    return TEMPER_OK;
}

/* Parse, join, copy: the middle step is the only one that is not shared among threads. */
static temper_status parse_in_parts(struct csv_reading *state)
{
    temper_status status = make_parts(state);
    if (status != TEMPER_OK)
        return status;
    /* Blocks answer BAD_DATA only, so this is a crew that could not be made. */
    if (parallel_blocks(state->count, state->threads, parse_block, state) == TEMPER_NO_MEMORY)
        return error_no_memory(state->reading->error);
    status = join_parts(state);
    if (status == TEMPER_OK &&
        parallel_blocks(state->count, state->threads, copy_block, state) != TEMPER_OK)
        status = error_no_memory(state->reading->error);
    return status;
}

/* Chunk by chunk, or as many at once as keep the threads busy. */
static temper_status read_rows(struct csv_reading *state)
{
    size_t batch = state->threads == 1 ? 1 : 2 * state->threads;
    for (;;) {
        temper_status status = TEMPER_OK;
        while (status == TEMPER_OK && state->count < batch && !state->at_end)
            status = hold_next(state);
        /* What was read before a failure is looked at first: its faults come first in the file. */
        temper_status parsed = state->threads == 1 ? parse_straight(state) : parse_in_parts(state);
        if (parsed != TEMPER_OK || status != TEMPER_OK)
            return parsed != TEMPER_OK ? parsed : status;
        give_back(state);
        if (state->at_end)
            return TEMPER_OK;
    }
}

/* Whatever there is of it. */
static void free_state(struct csv_reading *state)
{
    for (size_t i = 0; i < state->capacity; i++)
        if (state->held[i].has_part)
            csv_part_free(&state->held[i].part, &state->plan);
    mem_free(state->held);
    csv_part_free(&state->whole, &state->plan);
    csv_plan_free(&state->plan);
    chunks_close(state->chunks);
}

temper_status read_csv(struct reading *reading, struct dataset *data)
{
    struct csv_reading state = {.reading = reading};
    state.threads = reading->options->threads ? reading->options->threads : thread_count_default();
    temper_status status = chunks_open(reading->source, true, &state.chunks, reading->error);
    if (status != TEMPER_OK)
        return status;
    status = begin(&state);
    if (status == TEMPER_OK)
        status = read_rows(&state);
    if (status == TEMPER_OK)
        status = csv_finish(&state.plan, &state.whole, reading, data);
    free_state(&state);
    return status;
}
