/* libsvm_parse: a fast way through what is right, and a careful one to say what is wrong. */
#include "data/libsvm_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/token.h"

enum {
    LONGEST_LABEL = 256,
    /* The shortest entry is "1:1 ", the shortest row a digit and a newline. */
    BYTES_PER_ENTRY = 4,
    BYTES_PER_ROW = 2,
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

/* ---- What is wrong
 * ------------------------------------------------------------------------------- */

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
        return fail(at, from, "index '%s' is negative; indices count from %d", token.text,
                    at->piece->zero_based ? 0 : 1);
    if (number_u64(from, to, &index) && index > LARGEST_INDEX)
        return fail(at, from, "index %llu is too large; at most %llu", index, LARGEST_INDEX);
    const char *digits = from;
    while (is_digit(*digits))
        digits++;
    if (from == to || digits < to)
        return fail(at, from, "'%s' is not index:value; the index must be a whole number",
                    token.text);
    return fail(at, from, "index '%s' is too large; at most %llu", token.text, LARGEST_INDEX);
}

static temper_status fail_value(struct cursor *at, const char *from, enum number_result result)
{
    struct token_text token = token_text(from, token_end(from));
    if (result == NUMBER_NOT_FINITE)
        return fail(at, from, "value '%s' is not finite; drop the row or the entry", token.text);
    if (result == NUMBER_OVERFLOW)
        return fail(at, from, "value '%s' is too large for a float; rescale the feature",
                    token.text);
    if (*from == '\0' && from < at->piece->to)
        return fail_nul(at, from);
    if (from == token_end(from))
        return fail(at, from, "a value is missing behind ':'; write index:value");
    return fail(at, from, "value '%s' is not a number; write index:value", token.text);
}

/* Indices that do not ascend; `before` is the one before, `index` this one, as in the file. */
static temper_status fail_order(struct cursor *at, const char *from, unsigned long long before,
                                unsigned long long index)
{
    if (index == before)
        return fail(at, from, "index %llu comes twice in this row; keep one of them", index);
    return fail(at, from, "index %llu comes after %llu; sort the row by index", index, before);
}

/* ---- Entries
 * -------------------------------------------------------------------------------------- */

/* A value that is a few digits, perhaps with a point: most are. NULL for all others. */
static inline const char *quick_value(const char *p, float *value)
{
    static const float tenth[] = {1, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    uint32_t digits = 0;
    const char *first = p, *point;
    bool negative = *p == '-';
    p += negative;
    for (; is_digit(*p); p++)
        digits = digits * 10 + (uint32_t)(*p - '0');
    size_t count = (size_t)(p - first) - negative, behind = 0;
    if (*p == '.') {
        for (point = ++p; is_digit(*p); p++)
            digits = digits * 10 + (uint32_t)(*p - '0');
        behind = (size_t)(p - point);
        count += behind;
    }
    /* At most seven digits are below 2^24, and 10^10 is a float: one division rounds correctly. */
    if (count == 0 || count > 9 || digits >= 1u << 24 || !ends_token(*p))
        return NULL;
    float size = (float)digits / tenth[behind];
    *value = negative ? -size : size;
    return p;
}

static inline temper_status parse_value(struct cursor *at, float *value)
{
    if (is_digit(at->p[0]) && at->p[1] == ' ') { /* counts and flags are mostly this */
        *value = (float)(at->p[0] - '0');
        at->p++;
        return TEMPER_OK;
    }
    const char *behind = quick_value(at->p, value);
    if (!behind) {
        behind = token_end(at->p);
        enum number_result result = number_f32(at->p, behind, value);
        if (result != NUMBER_OK)
            return fail_value(at, at->p, result);
    }
    at->p = behind;
    return TEMPER_OK;
}

/* "index:", as it stands there; the cursor behind the colon. */
static inline temper_status parse_index(struct cursor *at, unsigned long long *index)
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

static inline temper_status parse_entry(struct cursor *at, int64_t *before)
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
            return fail(at, from, "index 0; indices count from 1, or pass --zero-based");
        return fail_order(at, from, (unsigned long long)*before + (unsigned long long)base, index);
    }
    status = parse_value(at, &rows->value[rows->nonzeros]);
    if (status != TEMPER_OK)
        return status;
    rows->column[rows->nonzeros++] = (uint32_t)column;
    *before = column;
    return TEMPER_OK;
}

/* ---- Rows
 * ----------------------------------------------------------------------------------------- */

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
    if (to - from > LONGEST_LABEL)
        return fail(at, from, "a label of %zu characters; at most %d", (size_t)(to - from),
                    LONGEST_LABEL);
    if (result == NUMBER_NOT_FINITE || result == NUMBER_OVERFLOW)
        return fail(at, from, "label '%s' is not finite; give the row a label or drop it",
                    token.text);
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
    if (class == CLASSES_FULL)
        return fail(at, from, "more than %d different labels; is this really the label?",
                    MOST_CLASSES);
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
    if (rows->rows > 0 && without != (rows->unlabelled > 0))
        return fail(at, from,
                    without ? "this row has no label, rows before it have; add one"
                            : "this row has a label, rows before it have none; remove it");
    if (without) {
        rows->label[rows->rows] = 0;
        rows->unlabelled++;
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
    temper_status status = parse_label(at);
    if (status == TEMPER_OK)
        status = parse_entries(at);
    if (status == TEMPER_OK)
        status = check_cut(at, entries);
    if (status != TEMPER_OK)
        return status;
    rows->line[rows->rows] = at->piece->lines_before + at->piece->lines + 1;
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

temper_status libsvm_parse(struct libsvm_piece *piece)
{
    struct cursor at = {.piece = piece, .p = piece->from};
    size_t bytes = (size_t)(piece->to - piece->from);
    if (!sparse_rows_reserve(piece->rows, bytes / BYTES_PER_ROW + 1, bytes / BYTES_PER_ENTRY + 1))
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
