/* html: pages of HTML that need nothing else.
 *
 * The structure is for people and for screen readers: one main element, one heading of the first level, header cells
 * with a scope, and a name for each region that scrolls, which can be reached by keyboard. tests/pages/check opens the
 * pages in a browser and looks for barriers. */
#include "report/html.h"

#include <string.h>

#include "base/memory.h"
#include "report/palette.h"
#include "report/svg.h"
#include "temper_extra.h"

enum { CLASSES_NAMED = 10, NAME_CHARACTERS = 24 }; /* in the paragraph below the title */

/* Pictures and tables that are wider than the screen scroll; the text does not. Colours are variables, which the dark
 * scheme exchanges; those of the text have a contrast of at least 4.5:1 to the paper. Cells with numbers have digits of
 * equal width, so that columns line up. */
static const char style[] =
    ":root{color-scheme:light dark;--paper:#ffffff;--ink:#222222;--soft:#595959;--line:#dddddd;"
    "--wash:#f5f6f7;--focus:#0072b2}\n"
    "body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:62rem;background:var(--paper);"
    "color:var(--ink);font:16px/1.55 \"Helvetica Neue\",Helvetica,Arial,\"Liberation Sans\","
    "\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:0 0 1rem}\n"
    "h2{font-size:1.2rem;margin:2.4rem 0 .6rem}\n"
    "p{max-width:44rem;margin:.6rem 0}\n"
    "pre{background:var(--wash);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;"
    "overflow-x:auto;font-size:.9rem}\n"
    ".scroll{overflow-x:auto;max-width:100%;margin:1rem 0}\n"
    ":focus-visible{outline:2px solid var(--focus);outline-offset:2px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);padding-bottom:.3rem}\n"
    "th,td{padding:.3rem .9rem .3rem 0;text-align:left;border-bottom:1px solid var(--line)}\n"
    "th{font-weight:600}tbody th{font-weight:400}\n"
    "td.n,th.n{text-align:right}\n"
    ".flow{display:flex;flex-wrap:wrap;gap:1rem 1.5rem;margin:1rem 0;align-items:flex-start}\n"
    ".flow .scroll{margin:0}\n"
    ".scroll svg{display:block;min-width:var(--least);max-width:100%;height:auto}\n"
    "footer{color:var(--soft);font-size:.85rem;margin-top:3rem}\n"
    "@media (prefers-color-scheme:dark){\n"
    ":root{--paper:#15171b;--ink:#e4e6e9;--soft:#a3a8b0;--line:#33373e;--wash:#1d2025;--focus:#56b4e9}\n"
    "}\n"
    "@media print{body{max-width:none;padding:0}svg,table{break-inside:avoid}}\n";

/* An element without attributes; the text is escaped. */
static void element(struct text *out, const char *name, const char *words)
{
    text_format(out, "<%s>", name);
    svg_escape(out, words);
    text_format(out, "</%s>\n", name);
}

/* Rules of the dark scheme that exchange the neutral colours of pictures. SVG elements are found by the value of their
 * colour attribute, as pictures have neither classes nor ids. */
static void append_dark_rules(struct text *out)
{
    /* Colours of data stay the same in both schemes: they are readable on both backgrounds. */
    for (size_t i = 0; i < PALETTE_NEUTRALS; i++) {
        struct colour light = palette_neutrals[i].light, dark = palette_neutrals[i].dark;
        for (int stroke = 0; stroke < 2; stroke++) /* lines have a stroke, areas and text a fill */
            text_format(out, "svg [%s=\"#%02x%02x%02x\"]{%s:#%02x%02x%02x}\n", stroke ? "stroke" : "fill",
                        (unsigned)light.red, (unsigned)light.green, (unsigned)light.blue, stroke ? "stroke" : "fill",
                        (unsigned)dark.red, (unsigned)dark.green, (unsigned)dark.blue);
    }
}

/* Valid as HTML and well formed as XML, so that either kind of parser can check it. A page is one file without links to
 * others: style and pictures are part of it, so that it can be sent and archived. The policy, if there is one,
 * restricts what the page may load. */
void html_begin_with(struct text *out, const char *title, const char *more_style, const char *policy)
{
    text_append(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"generator\" content=\"temper\"/>\n");
    if (policy)
        text_format(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n", policy);
    element(out, "title", *title ? title : "temper");
    text_append(out, "<style>\n");
    text_append(out, style);
    text_append(out, "@media (prefers-color-scheme:dark){\n");
    append_dark_rules(out);
    text_append(out, "}\n");
    text_append(out, more_style ? more_style : "");
    text_append(out, "</style>\n</head>\n<body>\n<main>\n");
    element(out, "h1", *title ? title : "temper");
}

/* A page that only shows: no scripts, and nothing from elsewhere, whatever a browser finds in its text. */
void html_begin(struct text *out, const char *title)
{
    html_begin_with(
        out, title, NULL,
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'");
}

/* Closes the page. */
void html_end(struct text *out)
{
    text_format(out, "</main>\n<footer>Made by temper %s.</footer>\n", temper_version());
    text_append(out, "</body>\n</html>\n");
}

/* A heading of the second level; the title of the page is the only one of the first. */
void html_heading(struct text *out, const char *words)
{
    element(out, "h2", words);
}

/* A paragraph of plain text. */
void html_paragraph(struct text *out, const char *words)
{
    element(out, "p", words);
}

/* The sentence about the source: model, file, rows, classes. Only the first ten class names are listed, which shows the
 * kind of data well enough. */
static void source_words(struct text *words, const struct html_source *source)
{
    if (source->model && *source->model)
        text_format(words, "Model: %s. ", source->model);
    text_append(words, "Data: ");
    if (source->data && *source->data)
        text_format(words, "%s, ", source->data);
    text_format(words, "%llu row%s", source->rows, plural(source->rows));
    if (source->dropped)
        text_format(words, " (%llu more dropped: values are missing)", source->dropped);
    text_format(words, ", %zu class%s", source->classes, source->classes == 1 ? "" : "es");
    for (size_t i = 0; i < source->classes && i < CLASSES_NAMED; i++) {
        text_append(words, i ? ", " : ": ");
        append_short(words, source->class_names[i], NAME_CHARACTERS);
    }
    text_append(words, source->classes > CLASSES_NAMED ? ", ..." : ".");
}

/* The paragraph below the title. */
void html_source(struct text *out, const struct html_source *source)
{
    struct text words = {0};
    source_words(&words, source);
    html_paragraph(out, words_of(&words));
    out->failed |= words.failed;
    text_free(&words);
}

/* Line by line: escaping drops the newlines, as it does all control characters. */
void html_link(struct text *out, const char *words, const char *address)
{
    text_append(out, "<p><a href=\"");
    svg_escape(out, address);
    text_append(out, "\">");
    svg_escape(out, words);
    text_append(out, "</a></p>\n");
}

void html_command(struct text *out, const char *words)
{
    text_append(out, "<pre tabindex=\"0\">");
    while (*words) {
        size_t length = strcspn(words, "\n");
        struct text line = {0};
        text_append_bytes(&line, words, length);
        svg_escape(out, words_of(&line));
        out->failed |= line.failed;
        text_free(&line);
        words += length;
        if (*words) {
            text_append(out, "\n");
            words++;
        }
    }
    text_append(out, "</pre>\n");
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* A region that scrolls sideways can have the focus of the keyboard, so it needs a name; regions of a page have
 * different names, so they are numbered. */
static void region_begin(struct text *out, const char *kind, const char *name, int least_width)
{
    size_t number = 1; /* a page has a dozen regions at most, so they are counted in its text */
    for (const char *at = words_of(out); (at = strstr(at, "role=\"region\"")); at++)
        number++;
    text_format(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s %zu", kind, number);
    if (name && *name) {
        text_append(out, ": ");
        svg_escape(out, name);
    }
    text_append(out, "\"");
    if (least_width)
        text_format(out, " style=\"--least:%dpx\"", least_width);
    text_append(out, ">\n");
}

/* The classes are in the style sheet above. */
void html_open(struct text *out, const char *class_name)
{
    text_format(out, "<div class=\"%s\">\n", class_name);
}

/* Closes what html_open has opened. */
void html_close(struct text *out)
{
    text_append(out, "</div>\n");
}

/* An SVG document has a title and a description, so that the element needs no further text. */
void html_picture(struct text *out, const char *svg)
{
    if (!*svg)
        return;
    /* Charts shrink on small screens, but a row of several is scrolled before its text becomes unreadable. */
    double width = svg_size(svg).width;
    region_begin(out, "Picture", NULL, width > 480 ? (int)(0.75 * width) : 0);
    text_append(out, svg);
    text_append(out, "</div>\n");
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A cell that begins with this mark is bold. */
static bool is_strong(const char *cell)
{
    return *cell == *TEMPER_PAGE_BOLD;
}

/* Whether a cell begins like a number, perhaps after a sign or a comparison. */
static bool is_number(const char *cell)
{
    const char *digits = cell + is_strong(cell);
    digits += strspn(digits, "-+<>~ "); /* "< 0.1 %" is a number too */
    return (*digits >= '0' && *digits <= '9') || strncmp(digits, "\xe2\x88\x92", 3) == 0;
}

/* A column whose cells below the head are all numbers, apart from the first column, is aligned right. */
static bool column_is_numbers(const char *const *cells, size_t rows, size_t columns, size_t column)
{
    bool numbers = rows > 1 && column > 0;
    for (size_t row = 1; numbers && row < rows; row++)
        numbers = is_number(cells[row * columns + column]);
    return numbers;
}

/* Header cells of columns and rows have a scope; an empty header is an ordinary cell. */
static void table_row(struct text *out, const char *const *cells, size_t columns, bool head, const bool *right)
{
    text_append(out, "<tr>");
    for (size_t i = 0; i < columns; i++) {
        const char *cell = cells[i];
        bool header = *cell && (head || i == 0); /* the first row and the first column */
        text_append(out, header ? "<th" : "<td");
        if (header)
            text_append(out, head ? " scope=\"col\"" : " scope=\"row\"");
        text_append(out, right[i] ? " class=\"n\">" : ">");
        text_append(out, is_strong(cell) ? "<b>" : "");
        svg_escape(out, cell + is_strong(cell));
        text_append(out, is_strong(cell) ? "</b>" : "");
        text_append(out, header ? "</th>" : "</td>");
    }
    text_append(out, "</tr>\n");
}

/* The alignment of all columns is decided first: it depends on all rows. Columns of numbers are aligned right, decided
 * by their cells; the first row is the head, and the first cell of every other row the head of that row, for screen
 * readers. */
void html_table(struct text *out, const char *caption, const char *const *cells, size_t rows, size_t columns)
{
    bool *right = mem_zeroed(columns, sizeof *right); /* which columns are aligned right */
    if (!right) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < columns; i++)
        right[i] = column_is_numbers(cells, rows, columns, i);
    region_begin(out, "Table", caption ? caption : cells[0], 0);
    text_append(out, "<table>\n");
    if (caption)
        element(out, "caption", caption);
    for (size_t row = 0; row < rows; row++) {
        text_append(out, row == 0 ? "<thead>" : row == 1 ? "<tbody>\n" : "");
        table_row(out, cells + row * columns, columns, row == 0, right);
        text_append(out, row == 0 ? "</thead>\n" : "");
    }
    text_append(out, rows > 1 ? "</tbody>\n</table></div>\n" : "</table></div>\n");
    mem_free(right);
}

/* Cells share one text, with a zero byte before each. */
struct text *table_cell(struct table_builder *table)
{
    text_append_bytes(&table->words, "", 1);
    table->count++;
    return &table->words;
}

/* Tables of facts have two columns. */
struct text *table_fact(struct table_builder *table, const char *name)
{
    text_append(table_cell(table), name);
    return table_cell(table);
}

/* The first row. */
void table_head(struct table_builder *table, const char *const *names)
{
    for (size_t i = 0; i < table->columns; i++)
        text_append(table_cell(table), names[i]);
}

/* The cells are separated only now, as the text may have moved while it grew. */
void table_end(struct text *out, struct table_builder *table, const char *caption)
{
    const char **cells = (const char **)mem_alloc(table->count, sizeof *cells);
    const char *at = table->words.bytes; /* the zero byte before the next cell */
    out->failed |= table->words.failed || !cells;
    for (size_t i = 0; !out->failed && i < table->count; i++) {
        cells[i] = at + 1; /* after the '\0' before the cell */
        at = cells[i] + strlen(cells[i]);
    }
    if (!out->failed)
        html_table(out, caption, cells, table->count / table->columns, table->columns);
    mem_free((void *)cells);
    text_free(&table->words);
}
