/* page: a page of HTML that needs nothing else. */
#include "report/page.h"

#include <string.h>

#include "report/names.h"
#include "report/svg.h"
#include "temper.h"

enum { CLASSES_NAMED = 10, NAME_CHARACTERS = 24 };

/* Attribute selectors find the neutral colours of palette.h, and the two darkest of the others. */
static const char style[] =
    ":root{color-scheme:light dark;--paper:#ffffff;--ink:#222222;--soft:#5f5f5f;--line:#dddddd;"
    "--wash:#f5f6f7}\n"
    "body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:62rem;background:var(--paper);"
    "color:var(--ink);font:16px/1.55 \"Helvetica Neue\",Helvetica,Arial,\"Liberation Sans\","
    "\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:0 0 1rem}\n"
    "h2{font-size:1.2rem;margin:2.4rem 0 .6rem}\n"
    "p{max-width:44rem;margin:.6rem 0}\n"
    "pre{background:var(--wash);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;"
    "overflow-x:auto;font-size:.9rem}\n"
    ".table{overflow-x:auto;margin:1rem 0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);padding-bottom:.3rem}\n"
    "th,td{padding:.3rem .9rem .3rem 0;text-align:left;border-bottom:1px solid var(--line)}\n"
    "th{font-weight:600}\n"
    "td.n,th.n{text-align:right}\n"
    ".pictures{display:flex;flex-wrap:wrap;gap:1rem 1.5rem;margin:1rem 0;align-items:flex-start}\n"
    ".pictures svg{max-width:100%;height:auto}\n"
    ".pictures .table{margin:0 1.5rem 0 0}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:1rem;"
    "margin:1rem 0}\n"
    ".grid figure{margin:0}\n"
    ".grid img{width:100%;image-rendering:pixelated;border:1px solid var(--line)}\n"
    ".grid figcaption{font-size:.8rem;line-height:1.35;overflow-wrap:anywhere}\n"
    ".grid figcaption span{color:var(--soft);font-size:.72rem;white-space:nowrap}\n"
    "footer{color:var(--soft);font-size:.85rem;margin-top:3rem}\n"
    "@media (prefers-color-scheme:dark){\n"
    ":root{--paper:#15171b;--ink:#e4e6e9;--soft:#a3a8b0;--line:#33373e;--wash:#1d2025}\n"
    "svg [fill=\"#ffffff\"]{fill:#15171b}\n"
    "svg [fill=\"#222222\"]{fill:#e4e6e9}\n"
    "svg [stroke=\"#222222\"]{stroke:#e4e6e9}\n"
    "svg [fill=\"#666666\"]{fill:#a3a8b0}\n"
    "svg [stroke=\"#b0b0b0\"]{stroke:#565c66}\n"
    "svg [stroke=\"#e8e8e8\"]{stroke:#2a2e35}\n"
    "svg [fill=\"#e8e8e8\"]{fill:#2a2e35}\n"
    "svg [stroke=\"#0072b2\"]{stroke:#3a9fe0}\n"
    "svg [fill=\"#0072b2\"]{fill:#3a9fe0}\n"
    "svg [stroke=\"#d55e00\"]{stroke:#f07d2e}\n"
    "svg [fill=\"#d55e00\"]{fill:#f07d2e}\n"
    "}\n"
    "@media print{body{max-width:none;padding:0}.pictures svg,table{break-inside:avoid}}\n";

static void element(struct text *out, const char *name, const char *words)
{
    text_format(out, "<%s>", name);
    svg_escape(out, words);
    text_format(out, "</%s>\n", name);
}

/* Valid as HTML and well formed as XML, so that either kind of reader can check it. */
void page_begin(struct text *out, const char *title)
{
    text_append(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"generator\" content=\"temper\"/>\n");
    element(out, "title", title);
    text_append(out, "<style>\n");
    text_append(out, style);
    text_append(out, "</style>\n</head>\n<body>\n");
    element(out, "h1", title);
}

void page_end(struct text *out)
{
    text_format(out, "<footer>Made by temper %s.</footer>\n", temper_version());
    text_append(out, "</body>\n</html>\n");
}

void page_heading(struct text *out, const char *words)
{
    element(out, "h2", words);
}

void page_paragraph(struct text *out, const char *words)
{
    element(out, "p", words);
}

static void source_words(struct text *words, const struct page_source *source)
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

void page_source(struct text *out, const struct page_source *source)
{
    struct text words = {0};
    source_words(&words, source);
    page_paragraph(out, words_of(&words));
    out->failed |= words.failed;
    text_free(&words);
}

/* Line by line: escaping drops the newlines, as it does all control characters. */
void page_command(struct text *out, const char *words)
{
    text_append(out, "<pre>");
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

void page_pictures_begin(struct text *out)
{
    text_append(out, "<div class=\"pictures\">\n");
}

void page_picture(struct text *out, const char *svg)
{
    text_append(out, svg);
}

void page_pictures_end(struct text *out)
{
    text_append(out, "</div>\n");
}

/* ---- Photographs ----------------------------------------------------------------------------- */

void page_grid_begin(struct text *out)
{
    text_append(out, "<div class=\"grid\">\n");
}

void page_grid_item(struct text *out, const char *source, const char *caption, const char *note)
{
    text_append(out, "<figure><img alt=\"\" src=\"");
    text_append(out, source);
    text_append(out, "\"/><figcaption>");
    svg_escape(out, caption);
    text_append(out, "<br/><span>");
    svg_escape(out, note);
    text_append(out, "</span></figcaption></figure>\n");
}

void page_grid_end(struct text *out)
{
    text_append(out, "</div>\n");
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool is_strong(const char *cell)
{
    return *cell == *TEMPER_PAGE_BOLD;
}

static bool is_figure(const char *cell)
{
    const char *digits = cell + is_strong(cell);
    digits += strspn(digits, "-+<>~ ");
    return (*digits >= '0' && *digits <= '9') || strncmp(digits, "\xe2\x88\x92", 3) == 0;
}

/* A column of figures, its head apart, is set to the right; the first one names the rows. */
static bool column_is_figures(const struct table *table, size_t column)
{
    bool figures = table->rows > 1 && column > 0;
    for (size_t row = 1; row < table->rows; row++)
        figures &= is_figure(table->cells[row * table->columns + column]);
    return figures;
}

static void table_row(struct text *out, const struct table *table, size_t row)
{
    const char *name = row == 0 ? "th" : "td";
    text_append(out, "<tr>");
    for (size_t i = 0; i < table->columns; i++) {
        text_format(out, column_is_figures(table, i) ? "<%s class=\"n\">" : "<%s>", name);
        const char *cell = table->cells[row * table->columns + i];
        text_append(out, is_strong(cell) ? "<b>" : "");
        svg_escape(out, cell + is_strong(cell));
        text_append(out, is_strong(cell) ? "</b>" : "");
        text_format(out, "</%s>", name);
    }
    text_append(out, "</tr>\n");
}

void page_table(struct text *out, const struct table *table)
{
    text_append(out, "<div class=\"table\"><table>\n");
    if (table->caption)
        element(out, "caption", table->caption);
    for (size_t row = 0; row < table->rows; row++) {
        if (row < 2)
            text_append(out, row == 0 ? "<thead>" : "<tbody>\n");
        table_row(out, table, row);
        if (row == 0)
            text_append(out, "</thead>\n");
    }
    text_append(out, table->rows > 1 ? "</tbody>\n</table></div>\n" : "</table></div>\n");
}
