/* csv_cell: what a cell is, and where it ends.
 *
 * Every text ends in a newline, which no scan of a bare cell passes; so only the search for a
 * closing quote has to look where the text ends. Anything that RFC 4180 leaves open is a fault
 * here: guessing what a stray quote means shifts all the cells behind it. */
#include <string.h>

#include "base/number.h"
#include "data/csv/csv.h"

void csv_format_set(struct csv_format *format, char separator)
{
    *format = (struct csv_format){.separator = separator};
    format->stop[(unsigned char)separator] = true;
    format->stop['\n'] = format->stop['\r'] = true;
    format->stop['"'] = format->stop['\0'] = true;
}

/* A tab is a blank unless it separates. */
static bool is_blank(const struct csv_format *format, char c)
{
    return c == ' ' || (c == '\t' && format->separator != '\t');
}

/* At p a cell should end: by the separator, \n or \r\n. A return that no newline follows would end
 * lines on old systems only; within a line it is most likely damage. */
static enum csv_error_kind end_cell(const struct csv_format *format, const char *p, struct csv_cell *cell)
{
    bool returned = *p == '\r' && p[1] == '\n';
    cell->ends_line = returned || *p == '\n';
    cell->next = p + 1 + returned;
    if (cell->ends_line || *p == format->separator)
        return CSV_FINE;
    cell->from = p;
    return *p == '\0' ? CSV_NUL : *p == '\r' ? CSV_RETURN : CSV_QUOTE_INSIDE;
}

/* A cell without quotes, as it stands there; p is at its first letter. */
static enum csv_error_kind scan_bare(const struct csv_format *format, const char *p, struct csv_cell *cell)
{
    cell->from = p;
    while (!format->stop[(unsigned char)*p])
        p++;
    const char *to = p;
    while (to > cell->from && is_blank(format, to[-1]))
        to--;
    cell->to = to;
    return end_cell(format, p, cell);
}

/* p is behind the opening quote. Two quotes stand for one; a single one closes the cell, and
 * nothing but blanks may follow it. */
static enum csv_error_kind scan_quoted(const struct csv_format *format, const char *p, const char *to,
                                       struct csv_cell *cell)
{
    cell->from = p;
    cell->quoted = true;
    for (; (p = memchr(p, '"', (size_t)(to - p))) && p[1] == '"'; p += 2)
        cell->doubled = true;
    /* What is behind an open quote may be anything, so a NUL byte in it is the better answer. */
    const char *nul = memchr(cell->from, '\0', (size_t)((p ? p : to) - cell->from));
    if (nul || !p) {
        cell->from = nul ? nul : cell->from - 1;
        return nul ? CSV_NUL : CSV_QUOTE_OPEN;
    }
    cell->to = p++;
    while (is_blank(format, *p))
        p++;
    if (format->stop[(unsigned char)*p] && *p != '"')
        return end_cell(format, p, cell);
    cell->from = p;
    return CSV_QUOTE_BEHIND;
}

enum csv_error_kind csv_scan(const struct csv_format *format, const char *p, const char *to, struct csv_cell *cell)
{
    cell->quoted = cell->doubled = false;
    while (is_blank(format, *p))
        p++;
    return *p == '"' ? scan_quoted(format, p + 1, to, cell) : scan_bare(format, p, cell);
}

/* Words that programs write for "no value". "Na" and "none" are not among them: they mean
 * something. */
bool csv_is_missing(const struct csv_cell *cell)
{
    static const char words[][5] = {"NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "?"};
    size_t length = (size_t)(cell->to - cell->from);
    if (length == 0)
        return true;
    /* No cell holds a NUL byte, so one behind the first `length` letters ends the word. */
    for (size_t i = 0; length <= 4 && i < sizeof words / sizeof *words; i++)
        if (words[i][length] == '\0' && memcmp(words[i], cell->from, length) == 0)
            return true;
    return false;
}

/* 1e400 is a number too, though none that we keep. */
bool csv_is_number(const struct csv_cell *cell)
{
    double ignored;
    enum number_result result = number_f64(cell->from, cell->to, &ignored);
    return result == NUMBER_OK || result == NUMBER_OVERFLOW;
}

size_t csv_unquote(const struct csv_cell *cell, char *out)
{
    char *end = out;
    for (const char *p = cell->from; p < cell->to; p++) {
        *end++ = *p;
        p += cell->doubled && *p == '"'; /* the second of the two */
    }
    return (size_t)(end - out);
}

/* A line of blanks alone. If tabs separate, a line of tabs is a row of empty cells. */
const char *csv_skip_blank_lines(const struct csv_format *format, const char *p, const char *to, uint64_t *lines)
{
    for (;;) {
        const char *start = p;
        while (p < to && is_blank(format, *p))
            p++;
        if (p + 1 < to && *p == '\r' && p[1] == '\n')
            p++;
        if (p == to || *p != '\n')
            return p == to ? to : start;
        p++;
        if (lines)
            ++*lines;
    }
}
