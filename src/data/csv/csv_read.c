/* csv_read: a table of text, chunk by chunk, on one thread or several, as a sequence of batches.
 *
 * One thread parses directly into the rows of the batch. Several threads parse a chunk each into a row buffer, and the
 * buffers are appended in the order of the file; so the result is the same, and so is the first error. What the columns
 * are is decided once, from the first lines of the file, for all batches. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"
#include "data/read/file_join.h"
#include "data/read/parallel_parse.h"

/* One of the first chunks, from which the columns are planned. */
struct csv_lookahead {
    struct text_chunk *chunk;
    struct csv_chunk text; /* what is left of it to parse */
};

/* The state of a table that is being read, from its first lines to its last batch; owned by the data_reader. */
struct csv_reader {
    struct data_reader *reader;
    struct text_chunks *chunks;
    size_t threads;
    struct csv_column_plan plan;
    struct csv_rows rows;        /* of the present batch */
    struct csv_lookahead *ahead; /* the first chunks that have lines: mostly one */
    size_t ahead_count;
    size_t ahead_first;      /* the number of the first of them */
    bool at_end;             /* the last of them is the last of the file */
    struct csv_rows *buffer; /* with several threads: rows of chunks that are not appended yet */
    size_t buffers;
    uint64_t file_size;     /* of a plain file; 0: the length of the text is not known */
    uint64_t expected;      /* bytes of the present batch, until the first chunk of it is parsed; 0: not known */
    uint64_t blank_bytes;   /* of chunks that had blank lines only, before the first line */
    uint64_t kept, dropped; /* rows of all batches that were parsed */
    bool skipped;           /* other batches were not */
    bool has_first;         /* the rows of the first chunk were parsed when the columns were planned, */
    size_t first_bytes;     /* which has this length */
    bool in_rank_lines;     /* chunks are those of this rank's lines, which follow the header */
    bool begins_file;       /* and they begin with the file's first line */
};

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* The text of a chunk: without the byte order mark that a file may begin with, and with a newline at its end. The
 * newline overwrites the first of the zero bytes that follow every chunk (CHUNK_ZEROS); the parser relies on it instead
 * of checking for the end of the text. */
static struct csv_chunk text_of(struct text_chunk *chunk, bool may_have_mark)
{
    struct csv_chunk text = {.from = chunk->bytes};
    size_t length = chunk->length;
    if (may_have_mark && chunk->number == 0 && length >= 3 && memcmp(chunk->bytes, "\xef\xbb\xbf", 3) == 0)
        text.from += 3;
    if (chunk->bytes + length > text.from && chunk->bytes[length - 1] != '\n') {
        chunk->bytes[length++] = '\n';
        text.no_newline = true;
    }
    text.to = chunk->bytes + length;
    return text;
}

/* Reads one more chunk and appends it to csv->ahead; only sets at_end if nothing is left. Chunks ahead are not given
 * back: they are parsed again as rows. */
static temper_status look_further(struct csv_reader *csv)
{
    struct text_chunk *chunk;
    temper_error *error = csv->reader->error;
    struct csv_lookahead *ahead = mem_resize(csv->ahead, csv->ahead_count + 1, sizeof *ahead);
    if (!ahead)
        return error_no_memory(error);
    csv->ahead = ahead;
    TRY(text_chunks_next(csv->chunks, &chunk, error));
    csv->at_end = chunk->last;
    if (chunk->length == 0)
        return TEMPER_OK;
    if (csv->ahead_count == 0)
        csv->ahead_first = chunk->number;
    ahead[csv->ahead_count++] = (struct csv_lookahead){chunk, text_of(chunk, true)};
    return TEMPER_OK;
}

/* The part of a chunk that contains rows. Chunks that were read ahead have it stored, since the header and blank lines
 * before it are cut off; all other chunks are parsed whole. */
static struct csv_chunk text_to_parse(const struct csv_reader *csv, struct text_chunk *chunk)
{
    if (csv->in_rank_lines) {
        struct csv_chunk text = text_of(chunk, false);
        text.first_line = csv->begins_file && chunk->number == 0;
        return text;
    }
    size_t nth = chunk->number - csv->ahead_first;
    return nth < csv->ahead_count ? csv->ahead[nth].text : text_of(chunk, true);
}

/* ---- The first lines ------------------------------------------------------------------------- */

/* Reads chunks until one has a line that is not blank, and makes its text begin at that line. Chunks of blank lines
 * only are given back, and their bytes are counted, so that offsets in the file can be computed later. *found is false
 * for a blank file. */
static temper_status find_first_line(struct csv_reader *csv, bool *found)
{
    *found = false;
    csv_format_set(&csv->plan.format, csv_is_tsv(csv->reader) ? '\t' : ',');
    while (!csv->at_end) {
        TRY(look_further(csv));
        if (csv->ahead_count == 0)
            break;
        struct csv_chunk *text = &csv->ahead[0].text;
        text->from = csv_skip_blank_lines(&csv->plan.format, text->from, text->to, &csv->rows.lines);
        *found = text->from < text->to;
        if (*found)
            return TEMPER_OK;
        csv->blank_bytes += csv->ahead[0].chunk->length;
        text_chunks_give_back(csv->chunks, csv->ahead[--csv->ahead_count].chunk);
    }
    return TEMPER_OK;
}

/* The lines of the file that a row takes: a header may have newlines within quotes. */
static uint64_t lines_of_row(const struct csv_line *line)
{
    return count_lines(line->from, (size_t)(line->next - line->from));
}

/* Where a line begins, and the number of lines before it. */
struct csv_line_start {
    const char *from, *to; /* `to`: the end of the chunk; from NULL: there is no such line */
    uint64_t lines;
};

/* Finds the second line that is not blank, which may be in a later chunk: a header may be followed by many blank lines.
 * start->from is NULL if there is no second line. */
static temper_status find_second_line(struct csv_reader *csv, const struct csv_line *first,
                                      struct csv_line_start *start)
{
    const char *p = first->next;
    start->lines = csv->rows.lines + lines_of_row(first);
    for (size_t i = 0;; p = csv->ahead[i].text.from) {
        start->to = csv->ahead[i].text.to;
        p = csv_skip_blank_lines(&csv->plan.format, p, start->to, &start->lines);
        start->from = p < start->to ? p : NULL;
        if (start->from)
            return TEMPER_OK;
        if (!csv->at_end)
            TRY(look_further(csv));
        if (++i == csv->ahead_count)
            return TEMPER_OK;
    }
}

/* Splits one of the first two lines into cells, and reports an error with its line and column. */
static temper_status split_line(struct csv_reader *csv, const struct csv_line_start *start, struct csv_line *line)
{
    enum csv_error_kind kind = csv_line_read(&csv->plan.format, start->from, start->to, line);
    if (kind == CSV_FINE)
        return TEMPER_OK;
    struct csv_error error = {.kind = kind, .line = 1, .column = 1};
    for (const char *p = start->from; p < line->next; p++) { /* `next` is where the error is */
        error.line += *p == '\n';
        error.column = *p == '\n' ? 1 : error.column + 1;
    }
    return csv_error_report(&csv->plan, &error, start->lines, csv->reader->error);
}

/* ---- Inferred columns -------------------------------------------------------------------------- */

/* The texts of the chunks ahead, of which the first begins at `from`. The caller frees them; NULL without memory. */
static struct csv_chunk *sample_of(const struct csv_reader *csv, const char *from)
{
    struct csv_chunk *chunk = mem_alloc(csv->ahead_count, sizeof *chunk);
    for (size_t i = 0; chunk && i < csv->ahead_count; i++)
        chunk[i] = csv->ahead[i].text;
    if (chunk)
        chunk[0].from = from;
    return chunk;
}

/* Parses the first chunk as a table of plain numbers, strictly. *plain: it is one, and no column counts or identifies
 * its rows. Then these rows are the first of the table, unless it is read in batches or by several processes; so a
 * table of plain numbers is read no slower than without inference. */
static temper_status try_plain(struct csv_reader *csv, bool *plain)
{
    struct csv_column_plan strict = csv->plan;
    struct csv_rows rows = {.lines = csv->rows.lines, .spill = csv->reader->spill};
    strict.missing = CSV_REFUSE;
    strict.categories = strict.width = 0;
    strict.category = strict.slot = NULL;
    temper_status status = csv_columns_finish(&strict, csv->reader);
    if (status == TEMPER_OK && !csv_rows_start(&rows, &strict))
        status = error_no_memory(csv->reader->error);
    if (status == TEMPER_OK)
        *plain = csv_parse(&strict, &csv->ahead[0].text, &rows) && !csv_rows_are_suspect(&strict, &rows);
    if (rows.error.kind == CSV_MEMORY)
        status = error_no_memory(csv->reader->error);
    csv->has_first = *plain && csv->ahead_count == 1 && !csv->reader->batch_bytes && !csv->reader->rank.active;
    if (csv->has_first)
        csv->rows = rows; /* which was empty */
    else
        csv_rows_free(&rows, &strict);
    mem_free(strict.category);
    mem_free(strict.slot);
    return status;
}

/* Infers the columns of a table whose first rows are not plain numbers. */
static temper_status infer_columns(struct csv_reader *csv)
{
    bool plain = false;
    if (csv->plan.inferred.gaps.count == 0) /* numbers may be gaps too */
        TRY(try_plain(csv, &plain));
    csv->plan.inferred.applied = true;
    if (plain)
        return TEMPER_OK;
    if (csv->reader->rank.active) /* gaps and categories depend on all rows: this process is to read them */
        return error_set(csv->reader->error, TEMPER_BAD_DATA, "%s: columns are inferred from all rows; read it whole",
                         place_text(csv->plan.path).text);
    struct csv_chunk *chunk = sample_of(csv, csv->ahead[0].text.from);
    const struct csv_sample sample = {chunk, csv->ahead_count};
    temper_status status =
        chunk ? csv_infer_columns(&csv->plan, csv->reader, &sample) : error_no_memory(csv->reader->error);
    mem_free(chunk);
    return status;
}

/* ---- The columns ------------------------------------------------------------------------------- */

/* Decides on the header, with the rows below the first line if the table may be inferred. */
static temper_status find_header(struct csv_reader *csv, const struct csv_line *first, const struct csv_line *second)
{
    bool automatic = csv->reader->options->automatic;
    struct csv_chunk *chunk = automatic ? sample_of(csv, first->next) : NULL;
    const struct csv_sample below = {chunk, csv->ahead_count};
    if (automatic && !chunk)
        return error_no_memory(csv->reader->error);
    temper_status status = csv_find_header(&csv->plan, csv->reader, first, second, automatic ? &below : NULL);
    mem_free(chunk);
    return status;
}

/* Decides on the header and the columns. With a header the first row begins after it. */
static temper_status plan_columns(struct csv_reader *csv, const struct csv_line *first, const struct csv_line *second)
{
    struct csv_column_plan *plan = &csv->plan;
    struct csv_chunk *text = &csv->ahead[0].text;
    TRY(find_header(csv, first, second));
    if (plan->join && !plan->origin && plan->header != file_join_has_header(plan->join))
        return error_set(csv->reader->error, TEMPER_USAGE,
                         "%s: whether its files begin with a header cannot be inferred; pass --header yes or no",
                         place_text(plan->path).text);
    TRY(csv_columns_plan(plan, csv->reader, first));
    text->first_line = !plan->header;
    if (plan->header) {
        csv->rows.lines += plan->origin ? 0 : lines_of_row(first);
        text->from = first->next;
    }
    /* All searches need the final roles and the rows without the header. */
    if (plan->inferred.wanted) {
        TRY(infer_columns(csv));
    } else {
        for (size_t i = 0; i < csv->ahead_count; i++)
            csv_columns_text(plan, &csv->ahead[i].text);
        csv_columns_find_texts(plan, &csv->ahead[0].text);
    }
    return csv_columns_finish(plan, csv->reader);
}

/* Splits the first two lines, of which the second may not exist, and plans the columns. */
static temper_status plan_from_lines(struct csv_reader *csv, struct csv_line *first, struct csv_line *second)
{
    const struct csv_chunk *text = &csv->ahead[0].text;
    struct csv_line_start start = {text->from, text->to, csv->rows.lines};
    TRY(split_line(csv, &start, first));
    TRY(find_second_line(csv, first, &start));
    if (start.from) {
        TRY(split_line(csv, &start, second));
        if (csv->reader->options->automatic && !csv_complete_header(first, second, &csv->plan.short_header))
            return error_no_memory(csv->reader->error);
    }
    return plan_columns(csv, first, start.from ? second : NULL);
}

/* The separator of an option, else of the format, else of the first lines. */
static void choose_separator(struct csv_reader *csv)
{
    struct csv_column_plan *plan = &csv->plan;
    const temper_read_options *options = csv->reader->options;
    const struct csv_chunk *text = &csv->ahead[0].text;
    if (options->separator) {
        csv_format_set(&plan->format, options->separator[0]);
    } else if (plan->format.separator != '\t') {
        csv_format_set(&plan->format, options->automatic ? csv_infer_separator(text->from, text->to)
                                                         : csv_find_separator(text->from, text->to));
        plan->separator_inferred = plan->format.separator != ',';
    }
}

/* Passes over the lines that --skip counts. */
static void skip_lines(struct csv_reader *csv)
{
    struct csv_chunk *text = &csv->ahead[0].text;
    for (size_t left = csv->reader->options->skip; left > 0 && text->from < text->to; left--) {
        const char *newline = memchr(text->from, '\n', (size_t)(text->to - text->from));
        text->from = newline ? newline + 1 : text->to;
        csv->plan.skipped++;
    }
}

/* Passes over lines before the table: those that an option counts, else those that have another number of cells. */
static void skip_preamble(struct csv_reader *csv)
{
    struct csv_chunk *text = &csv->ahead[0].text;
    const char *next = text->from;
    if (csv->plan.skipped == 0 && csv->reader->options->automatic && !csv->plan.origin)
        csv->plan.skipped = csv_count_preamble(&csv->plan.format, text->from, text->to, &next);
    text->from = csv_skip_blank_lines(&csv->plan.format, next, text->to, &csv->rows.lines);
    csv->rows.lines += csv->plan.skipped;
}

/* Refuses a text without the separator that an option has named, and one that consists of comments. */
static temper_status check_first_lines(const struct csv_reader *csv)
{
    const struct csv_chunk *text = &csv->ahead[0].text;
    const struct csv_column_plan *plan = &csv->plan;
    char present;
    if (csv->reader->options->automatic && text->from < text->to && csv_is_all_comments(text->from, text->to))
        return error_set(csv->reader->error, TEMPER_BAD_DATA, "%s: no rows, only comments; give a file with rows",
                         place_text(plan->path).text);
    uint64_t ruler = csv_ruler_line(text->from, text->to);
    if (csv->reader->options->automatic && ruler > 0)
        return error_at(
            csv->reader->error, TEMPER_BAD_DATA, (size_t)ruler, 0,
            "%s:%llu: a line of dashes, as databases print for people; export the table as CSV (psql --csv, "
            "mysql --batch, sqlite3 -csv -header)",
            place_text(plan->path).text, (unsigned long long)ruler);
    if (csv->reader->options->separator && csv_separator_is_absent(&plan->format, text->from, text->to, &present))
        return error_set(csv->reader->error, TEMPER_BAD_DATA,
                         "%s: the first lines are not separated by --sep %s, but by %s as it seems; pass --sep %s, or "
                         "drop the option",
                         place_text(plan->path).text, csv_separator_name(plan->format.separator),
                         csv_separator_name(present), csv_separator_name(present));
    return TEMPER_OK;
}

/* Makes the column plan from the first lines of the file, before any row is parsed. The separator is inferred first,
 * since the lines cannot be split without it. The chunks stay in csv->ahead; the caller makes them the next ones again.
 * */
static temper_status look_ahead(struct csv_reader *csv)
{
    struct csv_column_plan *plan = &csv->plan;
    bool found;
    plan->path = csv->reader->path;
    plan->origin = csv->reader->origin;
    plan->join = csv->reader->join;
    TRY(csv_check_options(csv->reader));
    TRY(find_first_line(csv, &found));
    if (!found)
        return error_set(csv->reader->error, TEMPER_BAD_DATA,
                         "%s: no rows, it is empty or blank; give a file with rows", place_text(plan->path).text);
    skip_lines(csv);
    choose_separator(csv);
    TRY(check_first_lines(csv));
    skip_preamble(csv);
    if (csv->ahead[0].text.from == csv->ahead[0].text.to)
        return error_set(csv->reader->error, TEMPER_BAD_DATA, "%s: no rows after %llu skipped lines; give --skip fewer",
                         place_text(plan->path).text, (unsigned long long)plan->skipped);
    struct csv_line first = {0}, second = {0};
    temper_status status = plan_from_lines(csv, &first, &second);
    csv_line_free(&first);
    csv_line_free(&second);
    return status;
}

/* ---- The rows of a batch --------------------------------------------------------------------- */

/* Called after the first chunk of a batch, of `bytes` bytes, was appended. If the size of the batch is known, memory
 * for all of its rows is reserved at once, in proportion to the rows of that chunk; growing step by step would move the
 * arrays several times. */
static void expect_rest(struct csv_reader *csv, size_t bytes)
{
    size_t total = (size_t)csv->expected;
    if (total > bytes)
        csv_rows_expect(&csv->rows, &csv->plan, estimate_total(csv->rows.rows, bytes, total));
    csv->expected = 0;
}

/* One thread: parses every chunk directly into the rows of the batch, without buffers or copies. Line numbers are those
 * of the file already, since csv->rows.lines continues from chunk to chunk. */
static temper_status read_straight(struct csv_reader *csv)
{
    struct text_chunk *chunk;
    for (;;) {
        TRY(text_chunks_next(csv->chunks, &chunk, csv->reader->error));
        if (chunk->length == 0)
            return TEMPER_OK;
        struct csv_chunk text = text_to_parse(csv, chunk);
        if (!csv_parse(&csv->plan, &text, &csv->rows))
            return csv_error_report(&csv->plan, &csv->rows.error, 0, csv->reader->error);
        expect_rest(csv, chunk->length);
        disk_array_used(csv->rows.spill, csv->plan.cell_size * chunk->length);
        text_chunks_give_back(csv->chunks, chunk);
    }
}

/* Several threads: parses a chunk into its buffer, which also holds the error if there is one. Called by any thread;
 * the slot belongs to it until append_buffer was called for it. */
static void parse_chunk(void *context, struct text_chunk *chunk, size_t slot)
{
    struct csv_reader *csv = context;
    struct csv_chunk text = text_to_parse(csv, chunk);
    csv_rows_clear(&csv->buffer[slot]);
    csv->buffer[slot].bytes = chunk->length;
    csv_parse(&csv->plan, &text, &csv->buffer[slot]);
}

/* Appends a buffer to the rows of the batch; called for one chunk at a time, in file order. The codes are translated
 * first: an error of the buffer is reported only after all rows before it were accepted, so that the first error of the
 * file wins. */
static temper_status append_buffer(void *context, size_t slot)
{
    struct csv_reader *csv = context;
    struct csv_rows *buffer = &csv->buffer[slot], *rows = &csv->rows;
    csv_rows_recode(buffer, rows, &csv->plan);
    if (buffer->error.kind != CSV_FINE)
        return csv_error_report(&csv->plan, &buffer->error, rows->lines, csv->reader->error);
    if (!csv_rows_append(buffer, rows, &csv->plan))
        return error_no_memory(csv->reader->error);
    expect_rest(csv, buffer->bytes);
    disk_array_used(rows->spill, csv->plan.cell_size * buffer->bytes);
    return TEMPER_OK;
}

/* Allocates the buffers at the first parallel batch; they are kept for later batches, with their memory and their
 * classes. csv->buffers counts those that have to be freed, including one that failed halfway. */
static temper_status make_buffers(struct csv_reader *csv)
{
    size_t count = 2 * csv->threads; /* for each thread one to parse into, and one that waits to be appended */
    csv->buffer = mem_zeroed(count, sizeof *csv->buffer);
    if (!csv->buffer)
        return error_no_memory(csv->reader->error);
    for (csv->buffers = 0; csv->buffers < count; csv->buffers++)
        if (!csv_rows_start(&csv->buffer[csv->buffers], &csv->plan)) {
            csv->buffers++;
            return error_no_memory(csv->reader->error);
        }
    return TEMPER_OK;
}

/* Chunk n is parsed into buffer n % buffers, and appended after chunk n - 1. `first` is the number of the first chunk
 * of this batch. */
static temper_status read_in_parallel(struct csv_reader *csv, size_t first)
{
    if (!csv->buffer)
        TRY(make_buffers(csv));
    for (size_t i = 0; i < csv->buffers; i++)
        csv_rows_forget_codes(&csv->buffer[i], &csv->plan); /* those of another batch */
    const struct parallel_parse work = {.chunks = csv->chunks,
                                        .threads = csv->threads,
                                        .slots = csv->buffers,
                                        .first = first,
                                        .context = csv,
                                        .parse = parse_chunk,
                                        .merge = append_buffer};
    return parallel_parse(&work, csv->reader->error);
}

/* Reads all chunks of the batch into csv->rows; reader->ended if there is none. A batch of one last chunk is not worth
 * a second thread. */
static temper_status read_rows(struct csv_reader *csv)
{
    struct text_chunk *chunk;
    TRY(text_chunks_next(csv->chunks, &chunk, csv->reader->error));
    csv->reader->ended = chunk->length == 0 && !csv->has_first;
    if (chunk->length == 0)
        return TEMPER_OK;
    bool last = chunk->last;
    size_t number = chunk->number;
    text_chunks_unread(csv->chunks, chunk);
    return csv->threads == 1 || last ? read_straight(csv) : read_in_parallel(csv, number);
}

/* ---- One rank's lines ------------------------------------------------------------------------ */

/* Reopens the file on this process's byte range. All ranks have made the same column plan from the first lines of the
 * file; from here on each reads only its own lines. The range is computed collectively at the first attempt and is
 * given at a second one, when the number of lines before it is known. */
static temper_status open_rank_lines(struct csv_reader *csv)
{
    struct data_reader *reader = csv->reader;
    struct rank_lines *rank = &reader->rank;
    const struct csv_lookahead *first = &csv->ahead[0];
    struct source *source;
    uint64_t first_row = csv->blank_bytes + (uint64_t)(first->text.from - first->chunk->bytes);
    if (rank->to == 0) {
        rank->from = first_row;
        rank->to = csv->file_size;
        TRY(csv_own_byte_range(reader, &rank->from, &rank->to));
    }
    /* Only the rank that has the file's first line can mistake a header for a row. */
    csv->begins_file = rank->from == first_row && first->text.first_line;
    if (comm_rank(reader->options->comm) > 0)
        csv->rows.lines = rank->lines_before;
    text_chunks_close(csv->chunks);
    csv->chunks = NULL;
    csv->in_rank_lines = true;
    csv->ahead_count = 0;
    TRY(source_open_span(reader->path, rank->from, rank->to, &source, reader->error));
    csv->file_size = source_file_size(source);
    return text_chunks_open(source, true, 0, &csv->chunks, reader->error);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void free_csv_reader(void *state)
{
    struct csv_reader *csv = state;
    for (size_t i = 0; i < csv->buffers; i++)
        csv_rows_free(&csv->buffer[i], &csv->plan);
    mem_free(csv->buffer);
    mem_free(csv->ahead);
    csv_rows_free(&csv->rows, &csv->plan);
    csv_columns_free(&csv->plan);
    text_chunks_close(csv->chunks);
    mem_free(csv);
}

/* Names the kept columns for the caller; those of a table without a header get a number. */
static temper_status name_kept(struct csv_reader *csv)
{
    const struct csv_column_plan *plan = &csv->plan;
    struct names *names = &csv->reader->kept;
    if (plan->kept_count == 0)
        return TEMPER_OK;
    names->name = (char **)mem_zeroed(plan->kept_count, sizeof *names->name);
    if (!names->name)
        return error_no_memory(csv->reader->error);
    for (; names->count < plan->kept_count; names->count++) {
        struct text name = {0};
        size_t column = plan->kept[names->count];
        if (plan->header && plan->names.name[column][0] != '\0')
            text_append(&name, plan->names.name[column]);
        else
            text_format(&name, "column %zu", column + 1);
        if (name.failed)
            return error_no_memory(csv->reader->error);
        names->name[names->count] = name.bytes;
    }
    return TEMPER_OK;
}

/* Opens the table and plans its columns. What was made so far is freed with the reader's state. The chunks that were
 * read ahead become the next ones again, in their order. */
static temper_status open_table(struct data_reader *reader)
{
    struct csv_reader *csv = mem_zeroed(1, sizeof *csv);
    if (!csv) {
        data_reader_close_source(reader);
        return error_no_memory(reader->error);
    }
    reader->state = csv;
    reader->free_state = free_csv_reader;
    csv->reader = reader;
    csv->rows = (struct csv_rows){.lines = reader->rank.lines_before};
    csv->threads = reader->options->threads ? reader->options->threads : thread_count_default();
    if (!source_compression(reader->source))
        csv->file_size = source_file_size(reader->source);
    struct source *source = reader->source;
    reader->source = NULL;
    TRY(text_chunks_open(source, true, reader->batch_bytes, &csv->chunks, reader->error));
    TRY(look_ahead(csv));
    TRY(name_kept(csv));
    if (reader->rank.active)
        return open_rank_lines(csv);
    csv->first_bytes = csv->ahead[0].chunk->length;
    if (csv->has_first)
        text_chunks_give_back(csv->chunks, csv->ahead[0].chunk);
    for (size_t i = csv->has_first ? 0 : csv->ahead_count; i-- > 0;)
        text_chunks_unread(csv->chunks, csv->ahead[i].chunk);
    return TEMPER_OK;
}

/* Makes empty rows for the next batch; the count of lines continues. csv->expected is the size of the batch in bytes,
 * as far as it is known. */
static temper_status start_batch(struct csv_reader *csv)
{
    const struct data_reader *reader = csv->reader;
    uint64_t lines = csv->rows.lines;
    csv->expected = csv->file_size;
    if (reader->batch_bytes && (csv->expected == 0 || csv->expected > reader->batch_bytes))
        csv->expected = reader->batch_bytes;
    text_chunks_start_batch(csv->chunks);
    if (csv->has_first) { /* the only batch */
        expect_rest(csv, csv->first_bytes);
        return TEMPER_OK;
    }
    csv_rows_free(&csv->rows, &csv->plan);
    csv->rows = (struct csv_rows){.spill = reader->spill, .lines = lines};
    return csv_rows_start(&csv->rows, &csv->plan) ? TEMPER_OK : error_no_memory(reader->error);
}

/* Reads or skips one batch. A batch may have no rows, because all of them were dropped; a table without any row is
 * refused only at its end, and not at all by a rank, because other ranks may have rows. */
static temper_status next_batch(struct csv_reader *csv, struct dataset *data)
{
    struct data_reader *reader = csv->reader;
    bool batches = reader->batch_bytes != 0, some = false;
    if (reader->skip) {
        TRY(text_chunks_skip_batch(csv->chunks, &csv->rows.lines, &some, reader->error));
        csv->skipped = true;
        reader->ended = !some;
        return TEMPER_OK;
    }
    TRY(start_batch(csv));
    TRY(read_rows(csv));
    reader->rank.lines = csv->rows.lines;
    csv->kept += csv->rows.rows;
    csv->dropped += csv->rows.dropped;
    bool no_rows =
        batches ? reader->ended && csv->kept == 0 && !csv->skipped : csv->rows.rows == 0 && !reader->rank.active;
    if (no_rows && reader->options->allow_empty && csv->dropped == 0)
        return TEMPER_OK;
    if (no_rows)
        return csv_refuse_no_rows(&csv->plan, csv->dropped, reader->error);
    if (batches && csv->rows.rows == 0) {
        data->file.missing_dropped = csv->rows.dropped;
        return TEMPER_OK;
    }
    return csv_to_dataset(&csv->plan, &csv->rows, reader, data);
}

/* The reader_fn of CSV and TSV. Without a limit the whole table is one batch, and the state is freed at once. */
temper_status read_csv(struct data_reader *reader, struct dataset *data)
{
    temper_status status = reader->state ? TEMPER_OK : open_table(reader);
    if (status == TEMPER_OK)
        status = next_batch(reader->state, data);
    if (status != TEMPER_OK || reader->batch_bytes == 0)
        data_reader_free_state(reader);
    return status;
}
