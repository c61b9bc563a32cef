/* csv_tokenize: scans the cells of a table.
 *
 * Every text ends in a newline, at which the scan of an unquoted cell stops; so only the search for a closing quote
 * has to check for the end of the text. Anything that RFC 4180 leaves open is an error here: guessing the meaning of
 * a stray quote would shift all cells after it. */
#include <string.h>

#include "base/number.h"
#include "data/csv/csv.h"

/* A table of 256 flags: the scan of an unquoted cell is one load for each byte. */
void csv_format_set(struct csv_format *format, char separator)
{
    *format = (struct csv_format){.separator = separator};
    format->stop[(unsigned char)separator] = true;
    format->stop['\n'] = format->stop['\r'] = true;
    format->stop['"'] = format->stop['\0'] = true;
    if (separator == ' ')
        format->stop['\t'] = true;
}

/* A tab is a blank unless it is the separator. If blanks separate, tabs do too. */
static bool is_blank(const struct csv_format *format, char c)
{
    return c == ' ' || (c == '\t' && format->separator != '\t');
}

/* The position after a run of blanks that separates two cells; p is after the first of them. Blanks before the end of
 * a line separate nothing. */
static const char *skip_blanks(const struct csv_format *format, const char *p, struct csv_cell *cell)
{
    while (is_blank(format, *p))
        p++;
    bool returned = *p == '\r' && p[1] == '\n';
    cell->ends_line = returned || *p == '\n';
    return cell->ends_line ? p + 1 + returned : p;
}

/* The cell should end at p: by the separator, \n or \r\n. A carriage return without a newline ended lines on old
 * systems only; within a line it is most likely damage. */
static enum csv_error_kind end_cell(const struct csv_format *format, const char *p, struct csv_cell *cell)
{
    bool returned = *p == '\r' && p[1] == '\n';
    cell->ends_line = returned || *p == '\n';
    cell->next = p + 1 + returned;
    if (!cell->ends_line && format->separator == ' ' && is_blank(format, *p))
        cell->next = skip_blanks(format, p + 1, cell);
    if (cell->ends_line || *p == format->separator || (format->separator == ' ' && *p == '\t'))
        return CSV_FINE;
    cell->from = p;
    return *p == '\0' ? CSV_NUL : *p == '\r' ? CSV_RETURN : CSV_QUOTE_INSIDE;
}

/* Scans an unquoted cell from its first byte p up to the byte that ends it; trailing blanks do not belong to it. */
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

/* A quoted cell; p is after the opening quote. Two quotes are one quote of the text; a single one closes the cell,
 * and only blanks may follow it. */
static enum csv_error_kind scan_quoted(const struct csv_format *format, const char *p, const char *to,
                                       struct csv_cell *cell)
{
    cell->from = p;
    cell->quoted = true;
    for (; (p = memchr(p, '"', (size_t)(to - p))) && p[1] == '"'; p += 2)
        cell->doubled = true;
    /* After an open quote anything may follow; a NUL byte in it is the more useful message. */
    const char *nul = memchr(cell->from, '\0', (size_t)((p ? p : to) - cell->from));
    if (nul || !p) {
        cell->from = nul ? nul : cell->from - 1;
        return nul ? CSV_NUL : CSV_QUOTE_OPEN;
    }
    cell->to = p++;
    while (is_blank(format, *p) && format->separator != ' ')
        p++;
    if (format->stop[(unsigned char)*p] && *p != '"')
        return end_cell(format, p, cell);
    cell->from = p;
    return CSV_QUOTE_AFTER;
}

/* Scans one cell; leading blanks do not belong to it. An opening quote is recognised only as the first byte after them.
 * */
enum csv_error_kind csv_scan(const struct csv_format *format, const char *p, const char *to, struct csv_cell *cell)
{
    cell->quoted = cell->doubled = false;
    while (is_blank(format, *p))
        p++;
    return *p == '"' ? scan_quoted(format, p + 1, to, cell) : scan_bare(format, p, cell);
}

/* Words that programs write for "no value". "Na" and "none" are not among them: they are values in real tables. */
bool csv_is_missing(const struct csv_cell *cell)
{
    static const char words[][5] = {"NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "?"};
    size_t length = (size_t)(cell->to - cell->from);
    if (length == 0)
        return true;
    /* Cells contain no NUL byte, so a NUL after the first `length` bytes ends the word. */
    for (size_t i = 0; length <= 4 && i < sizeof words / sizeof *words; i++)
        if (words[i][length] == '\0' && memcmp(words[i], cell->from, length) == 0)
            return true;
    return false;
}

/* 1e400 is a number too, although it overflows. */
bool csv_is_number(const struct csv_cell *cell)
{
    double ignored;
    enum number_result result = number_f64(cell->from, cell->to, &ignored);
    return result == NUMBER_OK || result == NUMBER_OVERFLOW;
}

/* Cells with doubled quotes never match: they would have to be unquoted first. */
bool csv_cell_is(const struct csv_cell *cell, const char *text, size_t length)
{
    return !cell->doubled && (size_t)(cell->to - cell->from) == length && memcmp(cell->from, text, length) == 0;
}

/* Skips the second of two quotes. */
size_t csv_unquote(const struct csv_cell *cell, char *out)
{
    char *end = out;
    for (const char *p = cell->from; p < cell->to; p++) {
        *end++ = *p;
        p += cell->doubled && *p == '"'; /* the second of the two */
    }
    return (size_t)(end - out);
}

/* Skips lines of blanks only. If tabs separate, a line of tabs is a row of empty cells. */
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
