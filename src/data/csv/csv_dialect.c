/* csv_dialect: infers the separator of a table, and whether it has a header, from the first two lines.
 *
 * The rules are given in csv.h. If neither is certain, the file is refused and the user decides: a header that is taken
 * for a row adds a class of one row, and a row that is taken for a header is lost; neither would be noticed. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/read/format.h"

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Only used for the first two lines, so the array may grow slowly. line->cell is an array of line->count cells that
 * point into the text; the caller frees it by csv_line_free, also after an error. */
enum csv_error_kind csv_line_read(const struct csv_format *format, const char *p, const char *to, struct csv_line *line)
{
    size_t capacity = 0;
    *line = (struct csv_line){.from = p};
    for (bool ended = false; !ended; line->count++) {
        if (line->count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            struct csv_cell *grown = mem_resize(line->cell, capacity, sizeof *grown);
            if (!grown)
                return CSV_MEMORY;
            line->cell = grown;
        }
        struct csv_cell *cell = &line->cell[line->count];
        enum csv_error_kind kind = csv_scan(format, p, to, cell);
        if (kind != CSV_FINE) {
            line->next = cell->from; /* the position of the error */
            return kind;
        }
        ended = cell->ends_line;
        line->next = p = cell->next;
    }
    return CSV_FINE;
}

void csv_line_free(struct csv_line *line)
{
    mem_free(line->cell);
    *line = (struct csv_line){0};
}

bool csv_complete_header(struct csv_line *first, const struct csv_line *second, bool *completed)
{
    static const char nothing[] = "";
    if (first->count + 1 != second->count)
        return true;
    struct csv_cell *cell = mem_resize(first->cell, second->count, sizeof *cell);
    if (!cell)
        return false;
    first->cell = cell;
    const struct csv_cell *last = &second->cell[first->count];
    bool at_end = last->from == last->to;
    if (!at_end)
        memmove(cell + 1, cell, first->count * sizeof *cell);
    cell[at_end ? first->count : 0] = (struct csv_cell){.from = nothing, .to = nothing};
    first->count++;
    *completed = true;
    return true;
}

/* ---- Separator ------------------------------------------------------------------------------- */

/* Decided by the option or the name of the file, not by its content: a .tsv file is split at tabs only, even if its
 * first line contains commas. In other files csv_find_separator may find a tab. */
bool csv_is_tsv(const struct data_reader *reader)
{
    const char *name = reader->options->format;
    const struct format *format = name ? format_named(name) : format_of_path(reader->path);
    return format && strcmp(format->name, "tsv") == 0;
}

/* Chooses the separator by counting the candidates of the first line outside quotes. A single comma decides for commas,
 * even if there are more semicolons: CSV is by far the most frequent dialect. A line of one column has no separator,
 * and any will do. */
char csv_find_separator(const char *p, const char *to)
{
    size_t commas = 0, tabs = 0, semicolons = 0;
    bool quoted = false;
    for (; p < to && (quoted || *p != '\n'); p++) {
        quoted ^= *p == '"';
        commas += !quoted && *p == ',';
        tabs += !quoted && *p == '\t';
        semicolons += !quoted && *p == ';';
    }
    if (commas > 0 || (tabs == 0 && semicolons == 0))
        return ',';
    return tabs >= semicolons ? '\t' : ';';
}

/* ---- Separator by the number of cells ---------------------------------------------------------- */

enum { LINES_COUNTED = 64, LINES_LEAST = 2, BYTES_COUNTED = 1 << 17 };

/* The cells of the first lines under one separator. */
struct field_counts {
    size_t count[LINES_COUNTED]; /* of each line that is not blank; 0: it cannot be split */
    size_t lines;
    size_t usual; /* what most lines have */
    size_t agree; /* how many of them */
};

/* The number that most lines have; the larger one of two. */
static void find_usual(struct field_counts *counts)
{
    for (size_t i = 0; i < counts->lines; i++) {
        size_t same = 0, value = counts->count[i];
        for (size_t k = 0; k < counts->lines; k++)
            same += counts->count[k] == value;
        if (value > 0 && (same > counts->agree || (same == counts->agree && value > counts->usual))) {
            counts->usual = value;
            counts->agree = same;
        }
    }
}

/* Counts the cells of a line; *p moves after it. A line that cannot be split counts 0, and ends at its newline. */
static size_t count_line(const struct csv_format *format, const char **p, const char *to)
{
    struct csv_cell cell = {.next = *p};
    size_t count = 0;
    for (; !cell.ends_line; count++)
        if (csv_scan(format, cell.next, to, &cell) != CSV_FINE) {
            const char *newline = memchr(*p, '\n', (size_t)(to - *p));
            *p = newline ? newline + 1 : to;
            return 0;
        }
    *p = cell.next;
    return count;
}

static struct field_counts count_fields(const struct csv_format *format, const char *p, const char *to)
{
    struct field_counts counts = {.lines = 0};
    const char *enough = to - p > BYTES_COUNTED ? p + BYTES_COUNTED : to; /* lines may be long */
    while (counts.lines < LINES_COUNTED && (p = csv_skip_blank_lines(format, p, to, NULL)) < to &&
           (p < enough || counts.lines < LINES_LEAST))
        counts.count[counts.lines++] = count_line(format, &p, to);
    find_usual(&counts);
    return counts;
}

/* Whether nine tenths of the lines have the same number of cells, at least two; the first may have one less if it may
 * be a header that lacks a name. */
static bool is_regular(const struct field_counts *counts, bool short_header)
{
    bool header = short_header && counts->lines > 0 && counts->count[0] + 1 == counts->usual;
    return counts->usual >= 2 && (counts->agree + header) * 10 >= counts->lines * 9;
}

static size_t line_length(const char *p, const char *to)
{
    const char *newline = memchr(p, '\n', (size_t)(to - p));
    return (size_t)((newline ? newline : to) - p);
}

/* The separator under which the first lines are regular; the more frequent ones first. Numbers with decimal commas are
 * regular under commas too: then semicolons decide. What is regular under none is left to the first line. */
char csv_infer_separator(const char *p, const char *to)
{
    static const char candidates[] = ",;\t| ";
    struct csv_format format;
    struct field_counts counts[sizeof candidates - 1];
    for (size_t i = 0; i < sizeof candidates - 1; i++) {
        csv_format_set(&format, candidates[i]);
        counts[i] = count_fields(&format, p, to);
        bool agrees = counts[i].count[0] == counts[i].usual;
        if (i == 0 && agrees && is_regular(&counts[0], false) && !memchr(p, ';', line_length(p, to)))
            return ','; /* by far the most frequent */
    }
    bool comma = is_regular(&counts[0], false), semicolon = is_regular(&counts[1], false);
    if (comma && semicolon && counts[1].count[0] == counts[1].usual)
        return ';';
    for (int rule = 0; rule < 3; rule++) /* all lines agree; all but the first; the first has one cell less */
        for (size_t i = 0; i < sizeof candidates - 1; i++)
            if (is_regular(&counts[i], rule == 2) && (rule > 0 || counts[i].count[0] == counts[i].usual))
                return candidates[i];
    for (size_t i = 0; i + 1 < sizeof candidates - 1; i++)
        if (counts[i].usual >= 2 && counts[i].agree * 2 > counts[i].lines)
            return candidates[i];
    return csv_find_separator(p, to);
}

/* Whether the first lines have no such separator, but another one. */
bool csv_separator_is_absent(const struct csv_format *format, const char *p, const char *to, char *present)
{
    struct csv_format other;
    *present = csv_infer_separator(p, to);
    csv_format_set(&other, *present);
    return count_fields(format, p, to).usual < 2 && count_fields(&other, p, to).usual >= 2 && *present != ' ';
}

/* The number of the first of the three first lines that consists of dashes, with marks between them, as databases draw
 * under a header and around a table; 0: there is none. */
uint64_t csv_ruler_line(const char *p, const char *to)
{
    for (uint64_t line = 1; line <= 3 && p < to; line++) {
        size_t length = line_length(p, to), run = 0, longest = 0, others = 0;
        for (size_t i = 0; i < length; i++) {
            run = p[i] == '-' ? run + 1 : 0; /* a single dash may be a gap */
            longest = run > longest ? run : longest;
            others += p[i] == '\0' || !strchr("-+| \t\r:", p[i]);
        }
        if (others == 0 && longest >= 4)
            return line;
        p += length + (p + length < to);
    }
    return 0;
}

/* Whether all lines begin with #, as comments do. */
bool csv_is_all_comments(const char *p, const char *to)
{
    while (p < to) {
        if (*p != '#' && *p != '\n' && *p != '\r')
            return false;
        p += line_length(p, to);
        p += p < to;
    }
    return true;
}

/* Whether a line that cannot be split belongs to the table all the same, so that its fault is to be reported: it has as
 * many separators as the others, or bytes that no text has. */
static bool is_faulty_row(const struct csv_format *format, const char *p, const char *to, size_t usual)
{
    size_t separators = 0, length = line_length(p, to);
    for (size_t i = 0; i < length; i++)
        separators += p[i] == format->separator;
    return separators + 1 == usual || memchr(p, '\0', length) != NULL;
}

uint64_t csv_count_preamble(const struct csv_format *format, const char *p, const char *to, const char **next)
{
    const struct field_counts counts = count_fields(format, p, to);
    uint64_t lines = 0;
    size_t skipped = 0;
    *next = p;
    while (skipped < counts.lines && counts.count[skipped] != counts.usual)
        skipped++;
    /* A header may lack the name of the first or the last column. */
    if (skipped > 0 && counts.count[skipped - 1] + 1 == counts.usual && counts.usual > 2)
        skipped--;
    if (counts.usual < 2 || skipped == counts.lines)
        return 0;
    for (; skipped > 0; skipped--) {
        const char *line = csv_skip_blank_lines(format, *next, to, &lines);
        *next = line;
        if (count_line(format, next, to) == 0 && is_faulty_row(format, line, to, counts.usual)) {
            *next = p;
            return 0;
        }
        for (; line < *next; line++)
            lines += *line == '\n';
    }
    return lines;
}

/* ---- Header ---------------------------------------------------------------------------------- */

/* Whether `name` is a cell of the line, and not a number: "3" may mean the third column. Missing values do not count
 * either: a column named NA is more likely a cell without a value. */
static bool names_cell(const char *name, const struct csv_line *line)
{
    for (size_t i = 0; name && i < line->count; i++)
        if (csv_cell_is(&line->cell[i], name, strlen(name)) && !csv_is_number(&line->cell[i]) &&
            !csv_is_missing(&line->cell[i]))
            return true;
    return false;
}

/* The same for a list of names. A list that cannot be parsed gives false here; csv_columns_plan parses it again and
 * reports the error. */
static bool list_names_cell(const char *text, const struct csv_line *line)
{
    struct list list;
    bool found = false;
    if (!text || list_read("", text, false, &list, NULL) != TEMPER_OK)
        return false;
    for (size_t i = 0; i < list.count && !found; i++)
        found = names_cell(list.item[i].name, line);
    list_free(&list);
    return found;
}

/* Whether an option names a cell of the first line, which then must be a header. */
static bool options_name_cell(const temper_read_options *options, const struct csv_line *line)
{
    return names_cell(options->label, line) || names_cell(options->weights, line) ||
           list_names_cell(options->ignore, line) || list_names_cell(options->categorical, line);
}

/* Whether the last cell is `label`, which write_csv writes above the labels. This makes files that temper wrote read
 * back without --header, even if all cells are text. */
static bool ends_in_label(const struct csv_line *line)
{
    return line->count > 0 && csv_cell_is(&line->cell[line->count - 1], "label", 5);
}

/* The number of cells that are numbers. */
static size_t count_numbers(const struct csv_line *line)
{
    size_t count = 0;
    for (size_t i = 0; i < line->count; i++)
        count += csv_is_number(&line->cell[i]);
    return count;
}

/* Whether only the first cell is empty, and all others are text: programs that number the rows write no name above the
 * numbers. */
static bool has_empty_corner(const struct csv_line *line)
{
    if (line->count < 2 || line->cell[0].from < line->cell[0].to)
        return false;
    for (size_t i = 1; i < line->count; i++)
        if (csv_is_number(&line->cell[i]) || csv_is_missing(&line->cell[i]))
            return false;
    return true;
}

/* Compares the first two lines column by column, as csv.h describes. Only columns with a number in the second line are
 * evidence: text above a number is a heading, a number above a number is a row. Missing cells above numbers say
 * nothing. */
static bool looks_like_header(const struct csv_line *first, const struct csv_line *second)
{
    size_t texts = 0;
    for (size_t i = 0; i < first->count && i < second->count; i++) {
        if (!csv_is_number(&second->cell[i]))
            continue;
        if (csv_is_number(&first->cell[i]))
            return false;
        texts += !csv_is_missing(&first->cell[i]) || (i == 0 && has_empty_corner(first));
    }
    return texts > 0;
}

/* A table of texts: by the rows below the first line, if the table may be inferred; else it is refused. */
static temper_status guess_text_header(struct csv_column_plan *plan, const struct data_reader *reader,
                                       const struct csv_line *first, const struct csv_sample *below)
{
    enum csv_header_guess guess = CSV_HEADER_UNKNOWN;
    if (below && !csv_header_by_columns(plan, first, below, &guess))
        return error_no_memory(reader->error);
    plan->header = guess == CSV_HEADER_YES;
    if (guess != CSV_HEADER_UNKNOWN)
        return TEMPER_OK;
    return error_set(reader->error, TEMPER_BAD_DATA,
                     "%s: no numbers in the first two rows, so the first may be a header or not; "
                     "pass --header yes or --header no",
                     place_text(plan->path).text);
}

/* Applies the rules from the most to the least certain one; refuses the file if none applies. Sets plan->header. A
 * single line is a header if it contains no number: then the table has no rows, which is reported later. */
static temper_status guess_header(struct csv_column_plan *plan, const struct data_reader *reader,
                                  const struct csv_line *first, const struct csv_line *second,
                                  const struct csv_sample *below)
{
    if (reader->schema && csv_match_header(reader->schema, first))
        plan->header = true;
    else if (!second)
        plan->header = count_numbers(first) == 0;
    else if (options_name_cell(reader->options, first))
        plan->header = true;
    else if (ends_in_label(first) && !ends_in_label(second))
        plan->header = true;
    else if (count_numbers(second) > 0 || count_numbers(first) > 0)
        plan->header = looks_like_header(first, second);
    else
        return guess_text_header(plan, reader, first, below);
    return TEMPER_OK;
}

/* Whether the first line is a comment of another program, before the table begins. The number of fields must differ as
 * well: a header may begin with '#', as in "#id,x,y". */
static bool is_comment(const struct csv_line *first, const struct csv_line *second)
{
    const struct csv_cell *cell = &first->cell[0];
    return second && second->count != first->count && cell->to > cell->from && *cell->from == '#';
}

/* Sets plan->header from --header yes or no, else by guess_header; plan->header_given records which, since an inferred
 * header is mentioned in a note and in messages about text in the first line. */
temper_status csv_find_header(struct csv_column_plan *plan, const struct data_reader *reader,
                              const struct csv_line *first, const struct csv_line *second,
                              const struct csv_sample *below)
{
    const char *given = reader->options->header;
    if (is_comment(first, second))
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: the first line begins with # and has %zu field%s, the next one %zu; "
                         "remove lines that are no rows, as by: grep -v '^#'",
                         place_text(plan->path).text, first->count, plural(first->count), second->count);
    plan->header_given = given && strcmp(given, "auto") != 0;
    if (!plan->header_given)
        return guess_header(plan, reader, first, second, below);
    plan->header = strcmp(given, "yes") == 0;
    if (!plan->header && strcmp(given, "no") != 0)
        return error_set(reader->error, TEMPER_USAGE, "--header is none of yes, no and auto; pass one of them");
    return TEMPER_OK;
}
