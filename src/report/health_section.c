/* health_section: tables of the classes, of pairs of classes that are mislabelled or overlap, of near duplicates and of
 * outliers. Each is limited to what a person reads; temper audit --health --json has longer lists.
 *
 * Rows are named by their place in the file, which the list of suspects has; its order is by score, so that an index
 * from rows to suspects is made first. Pairs of classes are found by repeated searches for the next largest cell, as
 * only a few are shown. */
#include "report/health_section.h"

#include <math.h>

#include "base/memory.h"
#include "report/html.h"
#include "report/svg.h"

enum { MOST_CLASSES_SHOWN = 100, MOST_PAIRS_SHOWN = 10, MOST_ROWS_SHOWN = 20, NAME_CHARACTERS = 24 };
/* Pairs of classes below these are not shown: expected rows, and share. */
static const double LEAST_ROWS = 0.5, LEAST_SHARE = 0.005;

/* What is written, and where each row is in the list of suspects, which has its place in the file. */
struct health_page {
    struct text *out;
    const temper_audit_report *report;
    const char *const *names;
    size_t *rank;
};

/* A class as a cell of a table. */
static void add_name(const struct health_page *page, struct table_builder *table, size_t class_number)
{
    append_short(table_cell(table), page->names[class_number], NAME_CHARACTERS);
}

/* A row as two cells: its place and its label. */
static void add_row(const struct health_page *page, struct table_builder *table, size_t row)
{
    const temper_audit_suspect *suspect = &page->report->suspects[page->rank[row]];
    if (suspect->line)
        text_format(table_cell(table), "line %zu", suspect->line);
    else
        text_format(table_cell(table), "row %zu", suspect->file_row + 1);
    add_name(page, table, suspect->given);
}

/* A share as a percentage. */
static void add_percent(struct table_builder *table, double share)
{
    struct text *cell = table_cell(table);
    text_append_number(cell, 100 * share, 1);
    text_append(cell, " %");
}

/* Writes a table, unless it has its head only. */
static void end_table(const struct health_page *page, struct table_builder *table, const char *caption)
{
    if (table->count > table->columns) {
        table_end(page->out, table, caption);
        return;
    }
    page->out->failed |= table->words.failed;
    text_free(&table->words);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* One line for each class. */
static void write_classes(const struct health_page *page)
{
    static const char *const head[] = {"class",     "rows",       "probably wrong", "probably missed",
                                       "predicted", "duplicates", "outliers",       "conflicts"};
    struct table_builder table = {.columns = sizeof head / sizeof *head};
    size_t classes = page->report->classes;
    table_head(&table, head);
    for (size_t c = 0; c < classes && c < MOST_CLASSES_SHOWN; c++) {
        const temper_class_health *class = &page->report->health->classes[c];
        add_name(page, &table, c);
        text_format(table_cell(&table), "%zu", class->rows);
        text_append_number(table_cell(&table), class->wrong, 1);
        text_append_number(table_cell(&table), class->missed, 1);
        add_percent(&table, class->predicted);
        text_format(table_cell(&table), "%zu", class->duplicates);
        text_format(table_cell(&table), "%zu", class->outliers);
        text_format(table_cell(&table), "%zu", class->conflicts);
    }
    table_end(page->out, &table, classes > MOST_CLASSES_SHOWN ? "The first 100 classes" : "Classes");
    html_paragraph(page->out,
                   "Probably wrong: rows with this label that are expected to be of another class. Probably "
                   "missed: rows of this class that are expected to have another label. Predicted: the share "
                   "of these labels that models which have not seen the row predict.");
}

/* ---- Pairs of classes ------------------------------------------------------------------------ */

/* The largest cell apart from the diagonal that comes after the cell `after` of value `limit` in descending order, or
 * the number of cells. Of a symmetric table, cells above the diagonal. A scan for each of the few cells that are shown
 * needs no sorted copy. */
static size_t next_cell(const double *table, size_t classes, bool symmetric, double limit, size_t after)
{
    size_t cells = classes * classes, best = cells;
    for (size_t i = 0; i < cells; i++) {
        bool skipped = i / classes == i % classes || (symmetric && i / classes > i % classes);
        bool later = table[i] < limit || (table[i] == limit && i > after);
        if (!skipped && later && (best == cells || table[i] > table[best]))
            best = i;
    }
    return best;
}

/* The most frequent mistakes: true class, given label, expected rows. */
static void write_mistakes(const struct health_page *page)
{
    static const char *const head[] = {"true class", "given label", "rows, expected"};
    const double *cells = page->report->transition;
    size_t classes = page->report->classes, at = 0;
    struct table_builder table = {.columns = 3};
    double limit = INFINITY;
    table_head(&table, head);
    for (size_t i = 0; cells && i < MOST_PAIRS_SHOWN; i++) {
        at = next_cell(cells, classes, false, limit, at);
        if (at == classes * classes || cells[at] < LEAST_ROWS)
            break;
        limit = cells[at];
        add_name(page, &table, at / classes);
        add_name(page, &table, at % classes);
        text_append_number(table_cell(&table), limit, 1);
    }
    end_table(page, &table, "Most frequent mistakes");
}

/* Classes that the models confuse, apart from wrong labels. */
static void write_overlap(const struct health_page *page)
{
    static const char *const head[] = {"class", "and", "overlap"};
    const double *cells = page->report->health->overlap;
    size_t classes = page->report->classes, at = 0;
    struct table_builder table = {.columns = 3};
    double limit = INFINITY;
    table_head(&table, head);
    for (size_t i = 0; cells && i < MOST_PAIRS_SHOWN; i++) {
        at = next_cell(cells, classes, true, limit, at);
        if (at == classes * classes || cells[at] < LEAST_SHARE)
            break;
        limit = cells[at];
        add_name(page, &table, at / classes);
        add_name(page, &table, at % classes);
        add_percent(&table, limit);
    }
    end_table(page, &table, "Classes that overlap");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Pairs of rows with nearly equal features; those with different labels come first. */
static void write_duplicates(const struct health_page *page)
{
    static const char *const head[] = {"row", "label", "other row", "its label", "distance"};
    const temper_audit_health *health = page->report->health;
    struct table_builder table = {.columns = sizeof head / sizeof *head};
    struct text words = {0};
    if (health->duplicate_rows)
        text_format(&words, "%zu rows have near duplicates, %zu of them with another label.", health->duplicate_rows,
                    health->across_rows);
    else
        text_append(&words, "No row has a near duplicate.");
    html_paragraph(page->out, words_of(&words));
    page->out->failed |= words.failed;
    text_free(&words);
    if (health->duplicate_count == 0)
        return;
    table_head(&table, head);
    for (size_t i = 0; i < health->duplicate_count && i < MOST_ROWS_SHOWN; i++) {
        const temper_near_duplicate *pair = &health->duplicates[i];
        add_row(page, &table, pair->row);
        add_row(page, &table, pair->other);
        text_append_number(table_cell(&table), pair->distance, 3);
    }
    table_end(page->out, &table, "Near duplicates");
}

/* Rows far from all others. */
static void write_outliers(const struct health_page *page)
{
    static const char *const head[] = {"row", "label", "deviations"};
    const temper_audit_health *health = page->report->health;
    struct table_builder table = {.columns = sizeof head / sizeof *head};
    if (health->outlier_count == 0) {
        html_paragraph(page->out, "No row is far from all others.");
        return;
    }
    table_head(&table, head);
    for (size_t i = 0; i < health->outlier_count && i < MOST_ROWS_SHOWN; i++) {
        add_row(page, &table, health->outliers[i]);
        text_append_number(table_cell(&table), health->outlier_scores[i], 1);
    }
    table_end(page->out, &table, "Outliers");
}

/* ---- All of it ------------------------------------------------------------------------------- */

void health_section_write(struct text *out, const temper_audit_report *report, const char *const *names)
{
    struct health_page page = {.out = out, .report = report, .names = names};
    if (!report->health)
        return;
    page.rank = mem_alloc(report->rows, sizeof *page.rank);
    if (!page.rank) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < report->rows; i++)
        page.rank[report->suspects[i].row] = i;
    html_heading(out, "Health of the data set");
    write_classes(&page);
    html_open(out, "flow");
    write_mistakes(&page);
    write_overlap(&page);
    html_close(out);
    if (report->neighbour_count) {
        write_duplicates(&page);
        write_outliers(&page);
    } else {
        html_paragraph(out, "Without features, near duplicates and outliers are not known.");
    }
    mem_free(page.rank);
}
