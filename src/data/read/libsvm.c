/* libsvm: reads libsvm (svmlight) text, as a sequence of batches, on one thread or several.
 *
 *     label [qid:N] index:value index:value ... [# comment]
 *
 * Indices count from 1 (or 0 if asked) and ascend within a row. Blank lines and lines with nothing but a comment are
 * not rows. A row may lack its label if all rows do.
 *
 * Entries in their usual notation are parsed by take_plain_entries; all others, and errors, by parse_entry. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/number_fast.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/quote_text.h"
#include "data/read/csr_builder.h"
#include "data/read/parallel_parse.h"
#include "data/read/read.h"

/* Lower bounds of the text, from which the arrays of a chunk are allocated before it is parsed: the parser needs no
 * checks of capacity. */
enum {
    /* The shortest entry is "1:1 ", the shortest row a digit and a newline. */
    BYTES_PER_ENTRY = 4,
    BYTES_PER_ROW = 2,
    ROUNDING = 1 << 18,
    WRITTEN_PER_BYTE = 2 /* bytes of arrays for a byte of text, about */
};

/* 2^31 - 1, the limit of other tools too. Columns are stored as uint32_t. */
static const unsigned long long LARGEST_INDEX = 2147483647;

/* A chunk of text, the rows that it becomes, and the error that ended it, if any. */
struct libsvm_chunk {
    const char *from, *to; /* whole lines, the last perhaps without its newline; zero bytes follow */
    bool zero_based;
    bool last; /* the end of the file: a line without a newline may have been truncated */
    struct csr_builder *rows;
    uint64_t lines_before; /* of the file, if rows are to have their final line numbers; else 0 */
    uint64_t lines;        /* newlines so far */
    /* The error: in the line after `lines` newlines, at this column from 1. */
    size_t column;
    char reason[360]; /* "value 'nan' is not finite; drop the row ..."; empty: out of memory */
};

/* The state of the parser. Every text ends in a '\0', which is neither a digit nor a blank, so that scans need no other
 * end. */
struct libsvm_cursor {
    struct libsvm_chunk *text;
    const char *p;
    const char *line; /* where the current line begins */
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* A carriage return counts as a blank, so that \r\n ends a line without a special case. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Whether a byte ends a label, an index or a value. The '\0' after the text does too. */
static bool ends_token(char c)
{
    return is_blank(c) || c == '\n' || c == '\0' || c == '#';
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Records an error at `where` in the current line, as a message without its place, and returns TEMPER_BAD_DATA. The
 * line in the file is added by report(), since a chunk does not know how many lines are before it. */
static temper_status fail(struct libsvm_cursor *at, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static temper_status fail(struct libsvm_cursor *at, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(at->text->reason, sizeof at->text->reason, format, arguments);
    va_end(arguments);
    at->text->column = (size_t)(where - at->line) + 1;
    return TEMPER_BAD_DATA;
}

/* The end of the token at p. */
static const char *token_end(const char *p)
{
    while (!ends_token(*p))
        p++;
    return p;
}

/* Texts in UTF-16 are the usual cause: every second byte is NUL. */
static temper_status fail_nul(struct libsvm_cursor *at, const char *where)
{
    return fail(at, where, "a NUL byte; convert the file to plain text, from UTF-16 perhaps");
}

/* Reports the token [from, to) before a ':', which is not a valid index; tests the likely causes from the most to the
 * least specific. */
static temper_status fail_index(struct libsvm_cursor *at, const char *from, const char *to)
{
    struct token_text token = token_text(from, token_end(from));
    unsigned long long index;
    if (*from == '\0' && from < at->text->to)
        return fail_nul(at, from);
    if (from > at->line && from[-1] == '\r') /* which is a blank here, and a line end in files of old systems */
        return fail(at, from - 1, "a carriage return inside a line; end lines by \\n or \\r\\n");
    if (to == token_end(from))
        return fail(at, from, "'%s' has no value; write index:value", token.text);
    if (*from == '-')
        return fail(at, from, "index '%s' is negative; count indices from %d", token.text,
                    at->text->zero_based ? 0 : 1);
    if (number_u64(from, to, &index) && index > LARGEST_INDEX)
        return fail(at, from, "index %llu is larger than %llu; renumber the features", index, LARGEST_INDEX);
    /* What remains is either not a number, or one with more than 64 bits. */
    const char *digits = from;
    while (is_digit(*digits))
        digits++;
    if (from == to || digits < to)
        return fail(at, from, "'%s' is not index:value; write a whole number before the ':'", token.text);
    return fail(at, from, "index '%s' is larger than %llu; renumber the features", token.text, LARGEST_INDEX);
}

/* Reports a value that is not a finite float. */
static temper_status fail_value(struct libsvm_cursor *at, const char *from, enum number_result result)
{
    struct token_text token = token_text(from, token_end(from));
    if (result == NUMBER_NOT_FINITE)
        return fail(at, from, "value '%s' is not finite; drop the row or the entry", token.text);
    if (result == NUMBER_OVERFLOW)
        return fail(at, from, "value '%s' is too large for a float; rescale the feature", token.text);
    if (*from == '\0' && from < at->text->to)
        return fail_nul(at, from);
    if (from == token_end(from))
        return fail(at, from, "a value is missing after ':'; write index:value");
    return fail(at, from, "value '%s' is not a number; write index:value", token.text);
}

/* The message for the first row with a label among rows without, or the reverse; `labels` is what this row has. */
static const char *label_message(enum sparse_labels labels)
{
    return labels == SPARSE_UNLABELLED ? "this row has no label, rows before it have; add one"
                                       : "this row has a label, rows before it have none; remove it";
}

/* Reports indices that do not ascend: `before` is the previous one, `index` this one, both counted as in the file. CSR
 * rows must be sorted and must not repeat a column. */
static temper_status fail_order(struct libsvm_cursor *at, const char *from, unsigned long long before,
                                unsigned long long index)
{
    if (index == before)
        return fail(at, from, "index %llu comes twice in this row; keep one of them", index);
    return fail(at, from, "index %llu comes after %llu; sort the row by index", index, before);
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Parses the value at the cursor in any notation. Values are floats, also those written with more digits; a number that
 * overflows a float is refused. */
static temper_status parse_value(struct libsvm_cursor *at, float *value)
{
    const char *behind = token_end(at->p);
    enum number_result result = number_f32(at->p, behind, value);
    if (result != NUMBER_OK)
        return fail_value(at, at->p, result);
    at->p = behind;
    return TEMPER_OK;
}

/* Parses "index:" and moves to the value. The length is checked after the loop: an overflow of `number` needs more than
 * 10 digits, and is refused with them. */
static temper_status parse_index(struct libsvm_cursor *at, unsigned long long *index)
{
    const char *from = at->p, *p = from;
    unsigned long long number = 0;
    for (; is_digit(*p); p++)
        number = number * 10 + (unsigned long long)(*p - '0');
    if (*p != ':' || p == from || p - from > 10 || number > LARGEST_INDEX) {
        while (!ends_token(*p) && *p != ':')
            p++;
        return fail_index(at, from, p);
    }
    at->p = p + 1;
    *index = number;
    return TEMPER_OK;
}

/* Parses one entry in any notation and appends it. *before is the column of the previous entry of the row, -1 at its
 * start. */
static temper_status parse_entry(struct libsvm_cursor *at, int64_t *before)
{
    struct csr_builder *rows = at->text->rows;
    const char *from = at->p;
    unsigned long long index = 0;
    int64_t base = at->text->zero_based ? 0 : 1;
    TRY(parse_index(at, &index));
    int64_t column = (int64_t)index - base;
    /* Column -1 is index 0 of a text that counts from 1. */
    if (column <= *before) {
        if (column < 0)
            return fail(at, from, "index 0; count indices from 1, or pass --zero-based");
        return fail_order(at, from, (unsigned long long)*before + (unsigned long long)base, index);
    }
    TRY(parse_value(at, &rows->value[rows->nonzeros]));
    rows->column[rows->nonzeros++] = (uint32_t)column;
    *before = column;
    return TEMPER_OK;
}

/* Parses one entry in plain notation, such as 12:0.345, at p, if a blank or a newline follows it. Returns the position
 * of that byte, or NULL if the entry has another notation or is wrong. number_look classifies 16 or more bytes at once,
 * which may reach beyond the text: a chunk has zeros after it. */
static inline const char *take_plain(const char *p, uint64_t *index, float *value)
{
    struct number_view view = number_look(p, ' ');
    struct number_fast number;
    struct number_shape shape;
    if (!view.ends)
        return NULL;
    unsigned length = (unsigned)__builtin_ctz(view.ends);
    unsigned colon = (unsigned)__builtin_ctz(view.stops), from = colon + 1;
    if (colon - 1 >= 8 || p[colon] != ':') /* colon 0 wraps around */
        return NULL;
    /* A short value: index and digits are converted together, by one multiplication sequence for both. */
    if (number_shape(p + from, length - from, view.stops >> from, 8, &shape)) {
        unsigned last = number_last(&shape);
        struct number_pair two = number_two(p, colon, p + length - last, last);
        *index = two.first;
        number_shaped(p + from, &shape, two.second, &number);
    } else {
        *index = number_eight(p, colon);
        if (!number_fast_long(p + from, p + length, &number))
            return NULL;
    }
    return number_fast_f32(&number, value) ? p + length : NULL;
}

/* Appends entries in plain notation that are separated by single blanks, and stops before anything else, which
 * parse_entries handles. The column order is checked by comparing each index with `least`, the smallest that is
 * allowed. The function is not inlined, so that the loop has all registers. */
static __attribute__((noinline)) void take_plain_entries(struct libsvm_cursor *at, int64_t *before)
{
    struct csr_builder *rows = at->text->rows;
    const unsigned base = at->text->zero_based ? 0 : 1;
    uint32_t *column = rows->column + rows->nonzeros;
    float *value = rows->value + rows->nonzeros;
    const char *p = at->p;
    uint64_t least = (uint64_t)(*before + 1) + base, index;
    while (*p == ' ') {
        const char *end = take_plain(p + 1, &index, value);
        if (!end || index < least)
            break;
        p = end;
        least = index + 1;
        *column++ = (uint32_t)index - base;
        value++;
    }
    at->p = p;
    *before = (int64_t)(least - base) - 1;
    rows->nonzeros = (size_t)(column - rows->column);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* "qid:3", a query number, which ranking tools write before the entries; it is ignored with a note. */
static bool is_qid(const char *p)
{
    return memcmp(p, "qid:", 4) == 0 && is_digit(p[4]);
}

static void skip_blanks(struct libsvm_cursor *at)
{
    while (is_blank(*at->p))
        at->p++;
}

/* Moves to the end of the line, or of the text. */
static void skip_comment(struct libsvm_cursor *at)
{
    const char *newline = memchr(at->p, '\n', (size_t)(at->text->to - at->p));
    at->p = newline ? newline : at->text->to;
}

/* Parses the entries of a row up to its newline, mostly by take_plain_entries. Updates rows->columns from the last
 * index of the row, which is the largest. */
static temper_status parse_entries(struct libsvm_cursor *at)
{
    struct csr_builder *rows = at->text->rows;
    int64_t before = -1;
    for (;;) {
        take_plain_entries(at, &before);
        skip_blanks(at);
        if (*at->p == '#')
            skip_comment(at);
        if (*at->p == '\n' || at->p == at->text->to)
            break;
        if (is_qid(at->p)) {
            rows->qid = true;
            at->p = token_end(at->p);
            continue;
        }
        TRY(parse_entry(at, &before));
    }
    if ((uint64_t)(before + 1) > rows->columns)
        rows->columns = (uint64_t)(before + 1);
    return TEMPER_OK;
}

/* Refuses a label that is a number but not finite: nan and 1e400 as names of classes would hide an error. */
static temper_status check_label(struct libsvm_cursor *at, const char *from, const char *to)
{
    struct token_text token = token_text(from, to);
    double ignored;
    enum number_result result = number_f64(from, to, &ignored);
    if (result == NUMBER_NOT_FINITE || result == NUMBER_OVERFLOW)
        return fail(at, from, "label '%s' is not finite; give the row a label or drop it", token.text);
    if (memchr(from, '\0', (size_t)(to - from)))
        return fail_nul(at, from);
    return TEMPER_OK;
}

/* Stores the class of the row's label. Only a label that is not a class yet has to be checked. */
static temper_status add_label(struct libsvm_cursor *at, const char *from, const char *to)
{
    struct csr_builder *rows = at->text->rows;
    uint32_t class = classes_find(&rows->classes, from, (size_t)(to - from));
    if (class == CLASSES_NONE) {
        TRY(check_label(at, from, to));
        class = classes_add(&rows->classes, from, (size_t)(to - from));
    }
    if (class == CLASSES_FULL) /* of the whole line, as when the classes of chunks are merged */
        return fail(at, at->line, SPARSE_TOO_MANY, count_shown(MOST_CLASSES).text);
    if (class == CLASSES_NO_MEMORY)
        return TEMPER_NO_MEMORY;
    rows->label[rows->rows] = class;
    return TEMPER_OK;
}

/* Parses the first token of a row, which is its label unless it contains a ':'. The first row of the text decides
 * whether all rows have labels; its column is kept for a message about the contradiction between two chunks. */
static temper_status parse_label(struct libsvm_cursor *at)
{
    struct csr_builder *rows = at->text->rows;
    const char *from = at->p, *to = token_end(from);
    bool without = memchr(from, ':', (size_t)(to - from)) != NULL;
    enum sparse_labels labels = without ? SPARSE_UNLABELLED : SPARSE_LABELLED;
    if (rows->labels == SPARSE_NO_ROWS) {
        rows->labels = labels;
        rows->label_column = (size_t)(from - at->line) + 1;
    }
    if (rows->labels != labels)
        return fail(at, from, "%s", label_message(labels));
    if (without) {
        rows->label[rows->rows] = 0;
        return TEMPER_OK;
    }
    at->p = to;
    return add_label(at, from, to);
}

/* A last line of the file that has a label, no entries and no newline was probably truncated. Elsewhere a row without
 * entries is valid: all its features are 0. */
static temper_status check_cut(struct libsvm_cursor *at, size_t entries_before)
{
    if (at->p == at->text->to && at->text->last && at->text->rows->nonzeros == entries_before)
        return fail(at, at->p,
                    "the last line has a label, no features and no newline: the file seems "
                    "cut off; fetch it again, or end the line");
    return TEMPER_OK;
}

/* Parses one row. Its line is stored first, since errors of the label refer to it; the row is counted only when all of
 * it is valid. */
static temper_status parse_row(struct libsvm_cursor *at)
{
    struct csr_builder *rows = at->text->rows;
    size_t entries = rows->nonzeros;
    rows->line[rows->rows] = at->text->lines_before + at->text->lines + 1;
    temper_status status = parse_label(at);
    if (status == TEMPER_OK)
        status = parse_entries(at);
    if (status == TEMPER_OK)
        status = check_cut(at, entries);
    if (status != TEMPER_OK)
        return status;
    rows->row_start[++rows->rows] = rows->nonzeros;
    return TEMPER_OK;
}

/* Parses a line: a row, or blanks, or a comment. */
static temper_status parse_line(struct libsvm_cursor *at)
{
    at->line = at->p;
    skip_blanks(at);
    if (*at->p == '#')
        skip_comment(at);
    if (at->p == at->text->to || *at->p == '\n')
        return TEMPER_OK;
    return parse_row(at);
}

/* Rounds the size of a chunk up, so that all chunks of about the same length ask for the same capacity, and the arrays
 * of a buffer are allocated once. */
static size_t rounded(size_t bytes)
{
    return (bytes / ROUNDING + 1) * ROUNDING;
}

/* Upper bounds of the rows and entries in a text of so many bytes. */
static size_t most_rows(size_t bytes)
{
    return rounded(bytes) / BYTES_PER_ROW;
}

static size_t most_entries(size_t bytes)
{
    return rounded(bytes) / BYTES_PER_ENTRY;
}

/* Parses all lines of a chunk into text->rows. Returns TEMPER_OK, TEMPER_BAD_DATA with column and reason set, or
 * TEMPER_NO_MEMORY. */
static temper_status parse_chunk(struct libsvm_chunk *text)
{
    struct libsvm_cursor at = {.text = text, .p = text->from};
    size_t bytes = (size_t)(text->to - text->from);
    if (!csr_builder_reserve(text->rows, most_rows(bytes), most_entries(bytes)))
        return TEMPER_NO_MEMORY;
    while (at.p < text->to) {
        TRY(parse_line(&at));
        if (at.p < text->to) { /* at the newline */
            at.p++;
            text->lines++;
        }
    }
    return TEMPER_OK;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* With several threads: a chunk that is parsed and not appended yet. The rows before an error are valid. */
struct libsvm_buffer {
    struct libsvm_chunk text;
    struct csr_builder rows;
    temper_status status;
};

/* The state of a text that is being read, from batch to batch; owned by the data_reader. */
struct libsvm_reader {
    struct data_reader *reader;
    struct text_chunks *chunks;
    size_t threads;
    struct csr_builder rows; /* of the present batch */
    enum sparse_labels labels;
    struct libsvm_buffer *buffer;
    size_t buffers;
    uint64_t lines;         /* of all that was parsed or skipped */
    uint64_t file_size;     /* of a plain file; 0: the length of the text is not known */
    uint64_t expected;      /* bytes of the present batch, until the first chunk of it is parsed; 0: not known */
    uint64_t kept, columns; /* of all batches */
    bool skipped;           /* some batches were not parsed */
};

/* A file may begin with a byte order mark. */
static size_t byte_order_mark(const struct text_chunk *chunk)
{
    bool first = chunk->number == 0 && chunk->length >= 3;
    return first && memcmp(chunk->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* The text of a chunk without the byte order mark, to be parsed into `rows`. */
static struct libsvm_chunk text_of(const struct libsvm_reader *svm, const struct text_chunk *chunk,
                                   struct csr_builder *rows)
{
    return (struct libsvm_chunk){
        .from = chunk->bytes + byte_order_mark(chunk),
        .to = chunk->bytes + chunk->length,
        .zero_based = svm->reader->options->zero_based,
        .last = chunk->last,
        .rows = rows,
    };
}

/* Reports the error of a chunk with its place in the file. svm->lines counts the lines before the chunk. */
static temper_status report(struct libsvm_reader *svm, const struct libsvm_chunk *text)
{
    struct data_reader *reader = svm->reader;
    size_t line = (size_t)(svm->lines + text->lines + 1);
    if (text->reason[0] == '\0')
        return error_no_memory(reader->error);
    return error_at(reader->error, TEMPER_BAD_DATA, line, text->column, "%s:%zu:%zu: %s", place_text(reader->path).text,
                    line, text->column, text->reason);
}

/* Called after the first chunk of a batch, of `bytes` bytes, was appended. If the size of the batch is known, memory
 * for all of its rows and entries is reserved in proportion. The upper bounds of one more chunk are added, since
 * parse_chunk reserves them for the last chunk too and would double the arrays otherwise. */
static void expect_rest(struct libsvm_reader *svm, size_t bytes)
{
    struct csr_builder *rows = &svm->rows;
    size_t total = (size_t)svm->expected, all_rows, entries;
    if (total > bytes && add_size(estimate_total(rows->rows, bytes, total), most_rows(bytes), &all_rows) &&
        add_size(estimate_total(rows->nonzeros, bytes, total), most_entries(bytes), &entries))
        csr_builder_expect(rows, all_rows, entries);
    svm->expected = 0;
}

/* ---- The rows of a batch --------------------------------------------------------------------- */

/* One thread: parses directly into the rows of the batch. */
static temper_status read_straight(struct libsvm_reader *svm)
{
    struct text_chunk *chunk;
    for (;;) {
        TRY(text_chunks_next(svm->chunks, &chunk, svm->reader->error));
        if (chunk->length == 0)
            return TEMPER_OK;
        struct libsvm_chunk text = text_of(svm, chunk, &svm->rows);
        text.lines_before = svm->lines;
        if (parse_chunk(&text) != TEMPER_OK)
            return report(svm, &text);
        svm->lines += text.lines;
        expect_rest(svm, chunk->length);
        disk_array_used(svm->rows.spill, WRITTEN_PER_BYTE * chunk->length);
        text_chunks_give_back(svm->chunks, chunk);
    }
}

/* Several threads: parses a chunk into the buffer of its slot. Called by any thread; the error, if any, stays in the
 * buffer. */
static void parse_into_buffer(void *context, struct text_chunk *chunk, size_t slot)
{
    struct libsvm_reader *svm = context;
    struct libsvm_buffer *buffer = &svm->buffer[slot];
    csr_builder_clear(&buffer->rows);
    buffer->text = text_of(svm, chunk, &buffer->rows);
    buffer->status = parse_chunk(&buffer->text);
}

/* All rows of a chunk have labels or none has; the same must hold between chunks. */
static temper_status check_labels(struct libsvm_reader *svm, const struct csr_builder *rows)
{
    enum sparse_labels before = svm->rows.labels;
    if (before == SPARSE_NO_ROWS || rows->labels == SPARSE_NO_ROWS || before == rows->labels)
        return TEMPER_OK;
    size_t line = (size_t)(svm->lines + rows->line[0]);
    return error_at(svm->reader->error, TEMPER_BAD_DATA, line, rows->label_column, "%s:%zu:%zu: %s",
                    place_text(svm->reader->path).text, line, rows->label_column, label_message(rows->labels));
}

/* Adds the rows of a buffer to the batch. An error of csr_builder_append has a line but no file; the path is added
 * here. */
static temper_status append_rows(struct libsvm_reader *svm, struct csr_builder *rows)
{
    temper_error found;
    temper_error *error = svm->reader->error;
    temper_status status = csr_builder_append(&svm->rows, rows, svm->lines, &found);
    if (status == TEMPER_BAD_DATA)
        return error_at(error, status, found.line, found.column, "%s:%zu:%zu: %s", place_text(svm->reader->path).text,
                        found.line, found.column, found.message);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* Appends a buffer to the batch, in file order. Its valid rows are appended before its error is reported: they may
 * contradict earlier chunks (labels, number of classes), and that error is further up in the file. */
static temper_status append_buffer(void *context, size_t slot)
{
    struct libsvm_reader *svm = context;
    struct libsvm_buffer *buffer = &svm->buffer[slot];
    size_t bytes = (size_t)(buffer->text.to - buffer->text.from);
    TRY(check_labels(svm, &buffer->rows));
    TRY(append_rows(svm, &buffer->rows));
    if (buffer->status != TEMPER_OK)
        return report(svm, &buffer->text);
    svm->lines += buffer->text.lines;
    expect_rest(svm, bytes);
    disk_array_used(svm->rows.spill, WRITTEN_PER_BYTE * bytes);
    return TEMPER_OK;
}

/* Chunk n is parsed into buffer n % buffers, and appended after chunk n - 1. `first` is the number of the first chunk
 * of this batch. */
static temper_status read_in_parallel(struct libsvm_reader *svm, size_t first)
{
    if (!svm->buffer) {
        svm->buffers = 2 * svm->threads; /* for each thread one to parse into, and one that waits to be appended */
        svm->buffer = mem_zeroed(svm->buffers, sizeof *svm->buffer);
    }
    /* The arrays of the batch are allocated by this thread: allocators keep memory with the thread that first asked
     * for it, and the threads below end before the batch does. */
    if (!svm->buffer || !csr_builder_reserve(&svm->rows, 1, 1))
        return error_no_memory(svm->reader->error);
    for (size_t i = 0; i < svm->buffers; i++)
        svm->buffer[i].rows.placed = 0; /* class numbers of another batch */
    const struct parallel_parse work = {.chunks = svm->chunks,
                                        .threads = svm->threads,
                                        .slots = svm->buffers,
                                        .first = first,
                                        .context = svm,
                                        .parse = parse_into_buffer,
                                        .merge = append_buffer};
    return parallel_parse(&work, svm->reader->error);
}

/* Reads all chunks of the batch. A batch of one last chunk is not worth a second thread. */
static temper_status read_rows(struct libsvm_reader *svm)
{
    struct text_chunk *chunk;
    TRY(text_chunks_next(svm->chunks, &chunk, svm->reader->error));
    svm->reader->ended = chunk->length == 0 && svm->reader->batch_bytes;
    if (chunk->length == 0)
        return TEMPER_OK;
    bool last = chunk->last;
    size_t number = chunk->number;
    text_chunks_unread(svm->chunks, chunk);
    return svm->threads == 1 || last ? read_straight(svm) : read_in_parallel(svm, number);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void free_libsvm_reader(void *state)
{
    struct libsvm_reader *svm = state;
    for (size_t i = 0; svm->buffer && i < svm->buffers; i++)
        csr_builder_free(&svm->buffer[i].rows);
    mem_free(svm->buffer);
    csr_builder_free(&svm->rows);
    text_chunks_close(svm->chunks);
    mem_free(svm);
}

/* Creates the state and takes over the source. After a failure the state is freed by the reader, with what was made so
 * far. */
static temper_status open_text(struct data_reader *reader)
{
    struct libsvm_reader *svm = mem_zeroed(1, sizeof *svm);
    if (!svm) {
        data_reader_close_source(reader);
        return error_no_memory(reader->error);
    }
    reader->state = svm;
    reader->free_state = free_libsvm_reader;
    svm->reader = reader;
    svm->lines = reader->rank.lines_before;
    svm->labels = (enum sparse_labels)reader->rank.labels_before;
    svm->threads = reader->options->threads ? reader->options->threads : thread_count_default();
    if (!source_compression(reader->source))
        svm->file_size = source_file_size(reader->source);
    struct source *source = reader->source;
    reader->source = NULL;
    return text_chunks_open(source, false, reader->batch_bytes, &svm->chunks, reader->error);
}

/* Refuses a text that has no rows, or no row with a feature, as far as it was read. */
static temper_status refuse_empty(const struct libsvm_reader *svm)
{
    struct data_reader *reader = svm->reader;
    if (svm->kept == 0 && reader->options->allow_empty)
        return TEMPER_OK;
    if (svm->kept == 0)
        return error_set(reader->error, TEMPER_BAD_DATA, "%s: no rows, only blanks and comments; give a file with rows",
                         place_text(reader->path).text);
    if (svm->columns == 0)
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: no row has a feature; write index:value after labels, or name the format of the file "
                         "with --format",
                         place_text(reader->path).text);
    return TEMPER_OK;
}

/* Moves the rows to the dataset. Whether they have labels is remembered, since later batches must agree. A rank may
 * have no rows: others may have some. */
static temper_status finish_batch(struct libsvm_reader *svm, struct dataset *data)
{
    struct data_reader *reader = svm->reader;
    bool batches = reader->batch_bytes != 0;
    reader->rank.lines = svm->lines;
    svm->kept += svm->rows.rows;
    svm->columns = svm->rows.columns > svm->columns ? svm->rows.columns : svm->columns;
    if (batches ? reader->ended && !svm->skipped : !reader->rank.active)
        TRY(refuse_empty(svm));
    if (batches && svm->rows.rows == 0)
        return TEMPER_OK;
    if (svm->rows.qid)
        dataset_note(data, "qid: ignored; temper does not rank");
    svm->labels = svm->rows.labels;
    csr_builder_move(&svm->rows, data);
    data->file.format = "libsvm";
    data->file.separator = ' ';
    return TEMPER_OK;
}

/* Reads or skips one batch. The new rows start with the label state of earlier batches, so that a contradiction is
 * found. */
static temper_status next_batch(struct libsvm_reader *svm, struct dataset *data)
{
    struct data_reader *reader = svm->reader;
    bool some = false;
    if (reader->skip) {
        TRY(text_chunks_skip_batch(svm->chunks, &svm->lines, &some, reader->error));
        svm->skipped = true;
        reader->ended = !some;
        return TEMPER_OK;
    }
    csr_builder_free(&svm->rows);
    svm->rows.labels = svm->labels;
    svm->rows.spill = reader->spill;
    svm->expected = svm->file_size;
    if (reader->batch_bytes && (svm->expected == 0 || svm->expected > reader->batch_bytes))
        svm->expected = reader->batch_bytes;
    text_chunks_start_batch(svm->chunks);
    TRY(read_rows(svm));
    return finish_batch(svm, data);
}

/* The reader_fn of libsvm. Without a limit the whole text is one batch, and the state is freed at once. */
temper_status read_libsvm(struct data_reader *reader, struct dataset *data)
{
    temper_status status = reader->state ? TEMPER_OK : open_text(reader);
    if (status == TEMPER_OK)
        status = next_batch(reader->state, data);
    if (status != TEMPER_OK || reader->batch_bytes == 0)
        data_reader_free_state(reader);
    return status;
}
