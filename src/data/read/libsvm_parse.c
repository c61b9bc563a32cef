/* libsvm_parse: a fast way through what is right, and a careful one to say what is wrong. */
#include "data/read/libsvm_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/quote_text.h"
#include "data/read/libsvm_fast.h"

enum {
    /* The shortest entry is "1:1 ", the shortest row a digit and a newline. */
    BYTES_PER_ENTRY = 4,
    BYTES_PER_ROW = 2,
    ROUNDING = 1 << 18,
};

/* 2^31 - 1, as far as other tools count too. */
static const unsigned long long LARGEST_INDEX = 2147483647;

/* Where the parser is. Every text ends in a '\0', which is neither a digit nor a blank, so that
 * scans need no other end. */
struct cursor {
    struct libsvm_piece *piece;
    const char *p;
    const char *line; /* where the current line begins */
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool ends_token(char c)
{
    return is_blank(c) || c == '\n' || c == '\0' || c == '#';
}

/* ---- What is wrong --------------------------------------------------------------------------- */

static temper_status fail(struct cursor *at, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static temper_status fail(struct cursor *at, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(at->piece->reason, sizeof at->piece->reason, format, arguments);
    va_end(arguments);
    at->piece->column = (size_t)(where - at->line) + 1;
    return TEMPER_BAD_DATA;
}

static const char *token_end(const char *p)
{
    while (!ends_token(*p))
        p++;
    return p;
}

static temper_status fail_nul(struct cursor *at, const char *where)
{
    return fail(at, where, "a NUL byte; convert the file to plain text, from UTF-16 perhaps");
}

/* The index at `from` is not one, and not the first of its line; `to` ends its token. */
static temper_status fail_index(struct cursor *at, const char *from, const char *to)
{
    struct token_text token = token_text(from, token_end(from));
    unsigned long long index;
    if (*from == '\0' && from < at->piece->to)
        return fail_nul(at, from);
    if (from > at->line && from[-1] == '\r') /* it ended a line, and is a blank to us */
        return fail(at, from - 1, "a carriage return inside a line; end lines by \\n or \\r\\n");
    if (to == token_end(from))
        return fail(at, from, "'%s' has no value; write index:value", token.text);
    if (*from == '-')
        return fail(at, from, "index '%s' is negative; count indices from %d", token.text,
                    at->piece->zero_based ? 0 : 1);
    if (number_u64(from, to, &index) && index > LARGEST_INDEX)
        return fail(at, from, "index %llu is larger than %llu; number the features anew", index, LARGEST_INDEX);
    const char *digits = from;
    while (is_digit(*digits))
        digits++;
    if (from == to || digits < to)
        return fail(at, from, "'%s' is not index:value; write a whole number before the ':'", token.text);
    return fail(at, from, "index '%s' is larger than %llu; number the features anew", token.text, LARGEST_INDEX);
}

static temper_status fail_value(struct cursor *at, const char *from, enum number_result result)
{
    struct token_text token = token_text(from, token_end(from));
    if (result == NUMBER_NOT_FINITE)
        return fail(at, from, "value '%s' is not finite; drop the row or the entry", token.text);
    if (result == NUMBER_OVERFLOW)
        return fail(at, from, "value '%s' is too large for a float; rescale the feature", token.text);
    if (*from == '\0' && from < at->piece->to)
        return fail_nul(at, from);
    if (from == token_end(from))
        return fail(at, from, "a value is missing after ':'; write index:value");
    return fail(at, from, "value '%s' is not a number; write index:value", token.text);
}

const char *libsvm_label_fault(enum sparse_labels labels)
{
    return labels == SPARSE_UNLABELLED ? "this row has no label, rows before it have; add one"
                                       : "this row has a label, rows before it have none; remove it";
}

/* Indices that do not ascend; `before` is the one before, `index` this one, as in the file. */
static temper_status fail_order(struct cursor *at, const char *from, unsigned long long before,
                                unsigned long long index)
{
    if (index == before)
        return fail(at, from, "index %llu comes twice in this row; keep one of them", index);
    return fail(at, from, "index %llu comes after %llu; sort the row by index", index, before);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static temper_status parse_value(struct cursor *at, float *value)
{
    const char *behind = token_end(at->p);
    enum number_result result = number_f32(at->p, behind, value);
    if (result != NUMBER_OK)
        return fail_value(at, at->p, result);
    at->p = behind;
    return TEMPER_OK;
}

/* "index:", as it stands there; the cursor behind the colon. */
static temper_status parse_index(struct cursor *at, unsigned long long *index)
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

/* Any entry, looked at with care. */
static temper_status parse_entry(struct cursor *at, int64_t *before)
{
    struct sparse_rows *rows = at->piece->rows;
    const char *from = at->p;
    unsigned long long index = 0;
    int64_t base = at->piece->zero_based ? 0 : 1;
    temper_status status = parse_index(at, &index);
    if (status != TEMPER_OK)
        return status;
    int64_t column = (int64_t)index - base;
    if (column <= *before) {
        if (column < 0)
            return fail(at, from, "index 0; count indices from 1, or pass --zero-based");
        return fail_order(at, from, (unsigned long long)*before + (unsigned long long)base, index);
    }
    status = parse_value(at, &rows->value[rows->nonzeros]);
    if (status != TEMPER_OK)
        return status;
    rows->column[rows->nonzeros++] = (uint32_t)column;
    *before = column;
    return TEMPER_OK;
}

/* As many entries as are plain and one blank apart; stops in front of anything else. Not inline, so
 * that the loop has all registers. */
static __attribute__((noinline)) void quick_entries(struct cursor *at, int64_t *before)
{
    struct sparse_rows *rows = at->piece->rows;
    const unsigned base = at->piece->zero_based ? 0 : 1;
    uint32_t *column = rows->column + rows->nonzeros;
    float *value = rows->value + rows->nonzeros;
    const char *p = at->p;
    uint64_t least = (uint64_t)(*before + 1) + base, index;
    while (*p == ' ') {
        const char *end = libsvm_plain(p + 1, &index, value);
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

static bool is_qid(const char *p)
{
    return memcmp(p, "qid:", 4) == 0 && is_digit(p[4]);
}

static void skip_blanks(struct cursor *at)
{
    while (is_blank(*at->p))
        at->p++;
}

/* To the end of the line, or of the text. */
static void skip_comment(struct cursor *at)
{
    const char *newline = memchr(at->p, '\n', (size_t)(at->piece->to - at->p));
    at->p = newline ? newline : at->piece->to;
}

static temper_status parse_entries(struct cursor *at)
{
    struct sparse_rows *rows = at->piece->rows;
    int64_t before = -1;
    for (;;) {
        quick_entries(at, &before);
        skip_blanks(at);
        if (*at->p == '#')
            skip_comment(at);
        if (*at->p == '\n' || at->p == at->piece->to)
            break;
        if (is_qid(at->p)) {
            rows->qid = true;
            at->p = token_end(at->p);
            continue;
        }
        temper_status status = parse_entry(at, &before);
        if (status != TEMPER_OK)
            return status;
    }
    if ((uint64_t)(before + 1) > rows->columns)
        rows->columns = (uint64_t)(before + 1);
    return TEMPER_OK;
}

/* nan and 1e400 look like numbers and are none; as names of classes they would only hide a fault.
 */
static temper_status check_label(struct cursor *at, const char *from, const char *to)
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

static temper_status add_label(struct cursor *at, const char *from, const char *to)
{
    struct sparse_rows *rows = at->piece->rows;
    uint32_t class = classes_find(&rows->classes, from, (size_t)(to - from));
    if (class == CLASSES_NONE) {
        temper_status status = check_label(at, from, to);
        if (status != TEMPER_OK)
            return status;
        class = classes_add(&rows->classes, from, (size_t)(to - from));
    }
    if (class == CLASSES_FULL) /* of the whole line, as where the classes of pieces are merged */
        return fail(at, at->line, SPARSE_TOO_MANY, MOST_CLASSES);
    if (class == CLASSES_NO_MEMORY)
        return TEMPER_NO_MEMORY;
    rows->label[rows->rows] = class;
    return TEMPER_OK;
}

/* The first token of a row, unless it is index:value already. */
static temper_status parse_label(struct cursor *at)
{
    struct sparse_rows *rows = at->piece->rows;
    const char *from = at->p, *to = token_end(from);
    bool without = memchr(from, ':', (size_t)(to - from)) != NULL;
    enum sparse_labels labels = without ? SPARSE_UNLABELLED : SPARSE_LABELLED;
    if (rows->labels == SPARSE_NO_ROWS) {
        rows->labels = labels;
        rows->label_column = (size_t)(from - at->line) + 1;
    }
    if (rows->labels != labels)
        return fail(at, from, "%s", libsvm_label_fault(labels));
    if (without) {
        rows->label[rows->rows] = 0;
        return TEMPER_OK;
    }
    at->p = to;
    return add_label(at, from, to);
}

/* A last line that stops behind its label was probably cut off. */
static temper_status check_cut(struct cursor *at, size_t entries_before)
{
    if (at->p == at->piece->to && at->piece->last && at->piece->rows->nonzeros == entries_before)
        return fail(at, at->p,
                    "the last line has a label, no features and no newline: the file seems "
                    "cut off; fetch it again, or end the line");
    return TEMPER_OK;
}

static temper_status parse_row(struct cursor *at)
{
    struct sparse_rows *rows = at->piece->rows;
    size_t entries = rows->nonzeros;
    rows->line[rows->rows] = at->piece->lines_before + at->piece->lines + 1;
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

static temper_status parse_line(struct cursor *at)
{
    at->line = at->p;
    skip_blanks(at);
    if (*at->p == '#')
        skip_comment(at);
    if (at->p == at->piece->to || *at->p == '\n')
        return TEMPER_OK;
    return parse_row(at);
}

/* The same for all pieces of about the same length, so that what one needs is enough for the next.
 */
static size_t rounded(size_t bytes)
{
    return (bytes / ROUNDING + 1) * ROUNDING;
}

size_t libsvm_most_rows(size_t bytes)
{
    return rounded(bytes) / BYTES_PER_ROW;
}

size_t libsvm_most_entries(size_t bytes)
{
    return rounded(bytes) / BYTES_PER_ENTRY;
}

temper_status libsvm_parse(struct libsvm_piece *piece)
{
    struct cursor at = {.piece = piece, .p = piece->from};
    size_t bytes = (size_t)(piece->to - piece->from);
    if (!csr_builder_reserve(piece->rows, libsvm_most_rows(bytes), libsvm_most_entries(bytes)))
        return TEMPER_NO_MEMORY;
    while (at.p < piece->to) {
        temper_status status = parse_line(&at);
        if (status != TEMPER_OK)
            return status;
        if (at.p < piece->to) { /* at the newline */
            at.p++;
            piece->lines++;
        }
    }
    return TEMPER_OK;
}
