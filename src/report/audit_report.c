/* audit_report: what was found, how sure that is, and the rows themselves. */
#include "report/audit_report.h"

#include <math.h>

#include "base/memory.h"
#include "report/confusion.h"
#include "report/histogram.h"
#include "report/losses.h"
#include "report/names.h"
#include "report/page.h"
#include "report/png.h"
#include "report/svg.h"

enum { MOST_LISTED = 500, MOST_PICTURES = 240, MOST_CONFLICTS = 200, NAME_CHARACTERS = 24 };

/* ---- Tables of words ------------------------------------------------------------------------- */

/* A table in the making: cells row by row, each a text. */
struct cells {
    struct text *cell;
    size_t columns, rows, room;
    bool failed;
};

static void cells_begin(struct cells *cells, size_t columns, size_t most_rows)
{
    *cells = (struct cells){.columns = columns, .room = most_rows + 1};
    cells->cell = mem_zeroed(cells->room * columns, sizeof *cells->cell);
    cells->failed = !cells->cell;
}

/* The next row, or NULL if there is no memory. */
static struct text *cells_row(struct cells *cells)
{
    return cells->failed ? NULL : cells->cell + cells->columns * cells->rows++;
}

static void cells_head(struct cells *cells, const char *const *words)
{
    struct text *row = cells_row(cells);
    for (size_t i = 0; row && i < cells->columns; i++)
        text_append(&row[i], words[i]);
}

static void cells_end(struct text *out, struct cells *cells, const char *caption)
{
    size_t count = cells->columns * cells->rows;
    const char **words = (const char **)mem_alloc(count, sizeof *words);
    out->failed |= cells->failed || !words;
    for (size_t i = 0; i < count; i++) {
        out->failed |= cells->cell[i].failed;
        if (words)
            words[i] = words_of(&cells->cell[i]);
    }
    if (!out->failed)
        page_table(out, &(struct table){caption, words, cells->rows, cells->columns});
    for (size_t i = 0; i < count; i++)
        text_free(&cells->cell[i]);
    mem_free((void *)words);
    mem_free(cells->cell);
}

static void percent(struct text *out, double share)
{
    text_append_number(out, 100 * share, share > 0.999 || share < 0.01 ? 2 : 1);
    text_append(out, " %");
}

/* With a comma between thousands. */
static void count_of(struct text *out, unsigned long long count)
{
    if (count >= 1000) {
        count_of(out, count / 1000);
        text_format(out, ",%03llu", count % 1000);
    } else {
        text_format(out, "%llu", count);
    }
}

/* ---- Facts ----------------------------------------------------------------------------------- */

/* A row of two cells; its second one, or NULL if there is no memory. */
static struct text *fact(struct cells *cells, const char *name)
{
    struct text *row = cells_row(cells);
    if (!row)
        return NULL;
    text_append(&row[0], name);
    return &row[1];
}

static void facts(struct text *out, const struct audit_page *page)
{
    static const char *const head[] = {"Audit", ""};
    const temper_audit_report *report = page->report;
    struct cells cells;
    struct text *value;
    cells_begin(&cells, 2, 9);
    cells_head(&cells, head);
    if ((value = fact(&cells, "rows")))
        count_of(value, report->rows);
    if ((value = fact(&cells, "classes")))
        text_format(value, "%zu", report->classes);
    if ((value = fact(&cells, "loss")))
        append_loss(value, report->loss);
    if ((value = fact(&cells, "given labels predicted out of fold")))
        percent(value, report->accuracy);
    if ((value = fact(&cells, "labels that are wrong, estimated"))) {
        count_of(value, (unsigned long long)llround(report->wrong));
        text_append(value, " (");
        percent(value, report->wrong / (double)report->rows);
        text_append(value, ")");
    }
    if (!isnan(report->wrong_low) && (value = fact(&cells, "the same, with a probability of 90 %"))) {
        count_of(value, (unsigned long long)llround(report->wrong_low));
        text_append(value, " to ");
        count_of(value, (unsigned long long)llround(report->wrong_high));
    }
    if ((value = fact(&cells, "rows listed")))
        count_of(value, page->count);
    if ((value = fact(&cells, "rows with a conflict")))
        count_of(value, report->conflicts);
    cells_end(out, &cells, NULL);
}

/* Among the first ten, hundred, ..., and all that are listed. */
static void precision(struct text *out, const struct audit_page *page)
{
    static const char *const head[] = {"Among the first", "wrong labels to expect", "90 %"};
    struct cells cells;
    double low, high;
    if (page->report->by_row || page->count == 0)
        return;
    temper_audit_precision_range(page->report, page->count, &low, &high);
    cells_begin(&cells, isnan(low) ? 2 : 3, 24);
    cells_head(&cells, head);
    for (size_t first = 10; first <= 10 * page->count; first *= 10) {
        size_t count = first < page->count ? first : page->count;
        struct text *row = cells_row(&cells);
        if (!row)
            break;
        count_of(&row[0], count);
        percent(&row[1], temper_audit_precision(page->report, count));
        temper_audit_precision_range(page->report, count, &low, &high);
        if (!isnan(low)) {
            percent(&row[2], low);
            text_append(&row[2], " to ");
            percent(&row[2], high);
        }
        if (count == page->count)
            break;
    }
    cells_end(out, &cells, NULL);
}

/* ---- Pictures of figures --------------------------------------------------------------------- */

static void margins(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    size_t rows = (size_t)report->rows;
    double *margin = mem_alloc(rows, sizeof *margin);
    unsigned char *marked = mem_alloc(rows, 1);
    struct text picture = {0};
    const temper_margin_figure figure = {.title = "Margins of the given labels",
                                         .margins = margin,
                                         .marked = marked,
                                         .count = rows,
                                         .names = {"not listed", "listed"},
                                         .loss = report->loss};
    for (size_t i = 0; margin && marked && i < rows; i++) {
        margin[i] = report->suspects[i].margin;
        marked[i] = i < page->count;
    }
    if (margin && marked)
        histogram_draw(&picture, &figure);
    page_picture(out, words_of(&picture));
    out->failed |= picture.failed || !margin || !marked;
    text_free(&picture);
    mem_free(margin);
    mem_free(marked);
}

static void transition(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    const struct confusion table = {.sums = report->transition,
                                    .names = page->class_names,
                                    .classes = report->classes,
                                    .title = "True classes, estimated, and given labels",
                                    .row_word = "true",
                                    .column_word = "given"};
    struct text picture = {0};
    if (!report->transition || report->classes > CONFUSION_CLASSES)
        return;
    confusion_draw(&picture, &table);
    page_picture(out, words_of(&picture));
    out->failed |= picture.failed;
    text_free(&picture);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static void append_place(struct text *out, const struct audit_page *page, const temper_audit_suspect *suspect)
{
    if (suspect->line && page->source)
        text_format(out, "line %llu", suspect->line);
    else
        text_format(out, "row %llu", suspect->file_row + 1);
}

static void suspect_row(struct cells *cells, const struct audit_page *page, size_t rank)
{
    const temper_audit_suspect *suspect = &page->report->suspects[rank];
    struct text *row = cells_row(cells);
    if (!row)
        return;
    text_format(&row[0], "%zu", rank + 1);
    append_place(&row[1], page, suspect);
    append_short(&row[2], page->class_names[suspect->given], NAME_CHARACTERS);
    append_short(&row[3], page->class_names[suspect->suggested], NAME_CHARACTERS);
    text_append_number(&row[4], suspect->score, 4);
    text_append_number(&row[5], suspect->probability, 4);
    text_append(&row[6], suspect->conflict ? "conflict" : "");
}

static const char *const list_head[] = {"", "where", "given", "suggested", "score", "probability", ""};

static void list(struct text *out, const struct audit_page *page)
{
    struct cells cells;
    size_t shown = page->count < MOST_LISTED ? page->count : (size_t)MOST_LISTED;
    if (shown < page->count) {
        struct text words = {0};
        text_format(&words, "The first %zu of %zu; temper audit -o lists all.", shown, page->count);
        page_paragraph(out, words_of(&words));
        text_free(&words);
    }
    cells_begin(&cells, 7, shown);
    cells_head(&cells, list_head);
    for (size_t i = 0; i < shown; i++)
        suspect_row(&cells, page, i);
    cells_end(out, &cells, NULL);
}

static void conflicts(struct text *out, const struct audit_page *page)
{
    struct cells cells;
    size_t shown = 0;
    if (page->report->conflicts == 0)
        return;
    page_heading(out, "Conflicts");
    page_paragraph(out, "Rows with the same features as another row, and another label: at least "
                        "one of them is wrong, or the features do not tell them apart. The number "
                        "is the rank in the list of all rows.");
    cells_begin(&cells, 7, MOST_CONFLICTS);
    cells_head(&cells, list_head);
    for (size_t i = 0; i < page->report->rows && shown < MOST_CONFLICTS; i++)
        if (page->report->suspects[i].conflict) {
            suspect_row(&cells, page, i);
            shown++;
        }
    cells_end(out, &cells, NULL);
}

static void photograph(struct text *out, const struct audit_page *page, size_t rank)
{
    const temper_audit_suspect *suspect = &page->report->suspects[rank];
    size_t size = (size_t)page->picture[0] * page->picture[1] * page->picture[2];
    struct picture picture = {page->pixels + (size_t)suspect->row * size, page->picture[0], page->picture[1],
                              page->picture[2]};
    struct text source = {0}, caption = {0}, note = {0};
    png_append(&source, &picture);
    append_short(&caption, page->class_names[suspect->given], NAME_CHARACTERS);
    text_append(&caption, " \xe2\x86\x92 ");
    append_short(&caption, page->class_names[suspect->suggested], NAME_CHARACTERS);
    append_place(&note, page, suspect);
    text_append(&note, ", ");
    if (page->report->by_row)
        text_append_number(&note, suspect->score, 3);
    else
        percent(&note, suspect->score);
    page_grid_item(out, words_of(&source), words_of(&caption), words_of(&note));
    out->failed |= source.failed || caption.failed || note.failed;
    text_free(&source);
    text_free(&caption);
    text_free(&note);
}

static void photographs(struct text *out, const struct audit_page *page)
{
    size_t shown = page->count < MOST_PICTURES ? page->count : (size_t)MOST_PICTURES;
    if (!page->pixels || shown == 0)
        return;
    page_heading(out, "The pictures");
    page_paragraph(out, page->report->by_row
                            ? "The most suspicious first: the label as given \xe2\x86\x92 the one that "
                              "is suggested, and the score."
                            : "The most suspicious first: the label as given \xe2\x86\x92 the one that "
                              "is suggested, and how likely the given one is wrong.");
    page_grid_begin(out);
    for (size_t i = 0; i < shown; i++)
        photograph(out, page, i);
    page_grid_end(out);
}

/* ---- Page ------------------------------------------------------------------------------------ */

void audit_page_write(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    page_begin(out, report->by_row ? "Rows to look at again" : "Labels to look at again");
    page_source(out, &(struct page_source){.data = page->source,
                                           .rows = report->rows,
                                           .dropped = page->dropped,
                                           .class_names = page->class_names,
                                           .classes = report->classes});
    page_pictures_begin(out); /* tables may stand side by side as well */
    facts(out, page);
    precision(out, page);
    page_pictures_end(out);
    page_paragraph(out, report->by_row ? "The score is how far a row lies from its nearest neighbours, in "
                                         "standard deviations of the logarithm."
                                       : "The score is the probability that the given label is wrong. It comes "
                                         "from models that have not seen the row, and holds where mistakes depend "
                                         "on the class and not on the row: look before you change anything.");
    page_heading(out, "Margins, and which class became which");
    page_paragraph(out, report->in_pairs ? "Wrong labels keep to pairs of classes."
                                         : "Wrong labels look evenly spread, as far as can be told.");
    page_pictures_begin(out);
    margins(out, page);
    transition(out, page);
    page_pictures_end(out);
    photographs(out, page);
    page_heading(out, "The list");
    page_paragraph(out, "Rows are counted from 1, as the file has them; those that were left out "
                        "for missing values are not counted.");
    list(out, page);
    conflicts(out, page);
    page_end(out);
}
