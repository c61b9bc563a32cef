/* audit_report: the page on an audit: what was found, how certain that is, and the rows themselves.
 *
 * The reader decides which labels to change, so the page says first how many wrong labels to expect among the first
 * rows of the list, then shows the rows one by one (report/review/), and then what is true of all of them: figures,
 * margins of models that have not seen the rows, which classes are confused, conflicts. */
#include "report/audit_report.h"

#include <math.h>

#include "base/memory.h"
#include "report/figures.h"
#include "report/health_section.h"
#include "report/html.h"
#include "report/review/review_page.h"
#include "report/svg.h"
#include "temper_extra.h"

/* Limits of the page; the files that the command writes have all rows. */
enum {
    MOST_CONFLICTS = 200, /* rows with equal features and different labels */
    NAME_CHARACTERS = 24  /* of a class; longer names end in an ellipsis */
};

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A share as a percentage, with a second decimal where it is close to 0 or 1. */
static void append_percent(struct text *out, double share)
{
    text_append_number(out, 100 * share, share > 0.999 || share < 0.01 ? 2 : 1);
    text_append(out, " %");
}

/* A whole number with a comma between thousands, by recursion from the highest group. */
static void append_count(struct text *out, size_t count)
{
    if (count >= 1000) {
        append_count(out, count / 1000);
        text_format(out, ",%03zu", count % 1000);
    } else {
        text_format(out, "%zu", count);
    }
}

/* ---- Summary --------------------------------------------------------------------------------- */

/* The table of facts: how many rows, how good the out-of-fold models are, how many labels are wrong. */
static void write_summary(struct text *out, const struct audit_page *page)
{
    static const char *const head[] = {"Audit", ""};
    const temper_audit_report *report = page->report;
    struct table_builder table = {.columns = 2};
    table_head(&table, head);
    append_count(table_fact(&table, "rows"), report->rows);
    text_format(table_fact(&table, "classes"), "%zu", report->classes);
    if (report->folds)
        append_loss(table_fact(&table, "loss"), report->loss);
    else
        text_append(table_fact(&table, "models"), "given probabilities");
    append_percent(table_fact(&table, "given labels predicted out of fold"), report->accuracy);
    /* The estimate is an expectation, so it need not be a whole number. */
    struct text *value = table_fact(&table, "wrong labels, estimated");
    append_count(value, (size_t)llround(report->wrong));
    text_append(value, " (");
    append_percent(value, report->wrong / (double)report->rows);
    text_append(value, ")");
    if (!isnan(report->wrong_low)) { /* estimated for two classes only */
        value = table_fact(&table, "90 % interval");
        append_count(value, (size_t)llround(report->wrong_low));
        text_append(value, " to ");
        append_count(value, (size_t)llround(report->wrong_high));
    }
    append_count(table_fact(&table, "rows listed"), page->count);
    append_count(table_fact(&table, "rows with a conflict"), report->conflicts);
    table_end(out, &table, NULL);
}

/* The expected precision among the first ten, hundred, ..., and all that are listed. */
static void write_precision(struct text *out, const struct audit_page *page)
{
    static const char *const head[] = {"Among the first", "wrong labels to expect", "90 % interval"};
    double low, high;
    if (page->report->by_row || page->count == 0) /* outlying rows have no probability */
        return;
    temper_audit_precision_range(page->report, page->count, &low, &high);
    struct table_builder table = {.columns = isnan(low) ? 2 : 3}; /* intervals are known for two classes only */
    table_head(&table, head);
    for (size_t first = 10, count = 0; count < page->count; first *= 10) { /* the last row is for all */
        count = first < page->count ? first : page->count;
        append_count(table_cell(&table), count);
        append_percent(table_cell(&table), temper_audit_precision(page->report, count));
        temper_audit_precision_range(page->report, count, &low, &high);
        if (table.columns < 3)
            continue;
        struct text *cell = table_cell(&table);
        append_percent(cell, low);
        text_append(cell, " to ");
        append_percent(cell, high);
    }
    table_end(out, &table, NULL);
}

/* Reasons not to trust the figures come before them. */
static void write_warnings(struct text *out, const temper_warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++) {
        struct text words = {0};
        text_append(&words, "Warning: ");
        text_append(&words, warnings->list[i].text);
        text_append(&words, ".");
        html_paragraph(out, words_of(&words));
        out->failed |= words.failed;
        text_free(&words);
    }
}

/* What was found, in a sentence, before the rows themselves. */
static void write_finding(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    struct text words = {0};
    if (!report->by_row) {
        text_append(&words, "About ");
        append_count(&words, (size_t)llround(report->wrong));
        text_append(&words, " labels (");
        append_percent(&words, report->wrong / (double)report->rows);
        text_append(&words, ") are estimated to be wrong. ");
    }
    append_count(&words, page->count);
    text_append(&words, page->count == 1 ? " row is listed" : " rows are listed");
    if (!report->by_row && page->count > 0) {
        text_append(&words, ", of which ");
        append_percent(&words, temper_audit_precision(report, page->count));
        text_append(&words, " should have a wrong label");
    }
    text_append(&words, ".");
    html_paragraph(out, words_of(&words));
    out->failed |= words.failed;
    text_free(&words);
}

/* ---- Pictures of figures --------------------------------------------------------------------- */

/* A histogram of the out-of-fold margins. Suspects are sorted, so the listed rows are the first `count` of them. */
static void write_margins(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    /* All rows are shown, listed or not: the reader sees how well the two separate. */
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
        margin[i] = report->suspects[i].margin; /* in the order of the ranks, not of the rows */
        marked[i] = i < page->count;
    }
    if (margin && marked)
        histogram_draw(&picture, &figure);
    html_picture(out, words_of(&picture));
    out->failed |= picture.failed || !margin || !marked;
    text_free(&picture);
    mem_free(margin);
    mem_free(marked);
}

/* The estimated joint counts of true and given classes as a heat map, if there are few enough classes to see. */
static void write_transition(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    const struct confusion table = {.sums = report->transition,
                                    .names = page->class_names,
                                    .classes = report->classes,
                                    .title = "True classes, estimated, and given labels",
                                    .row_title = "true",
                                    .column_title = "given"};
    struct text picture = {0};
    /* Not estimated, or too many classes to see. */
    if (!report->transition || report->classes > CONFUSION_CLASSES)
        return;
    confusion_draw(&picture, &table);
    html_picture(out, words_of(&picture));
    out->failed |= picture.failed;
    text_free(&picture);
}

/* ---- The rows -------------------------------------------------------------------------------- */

/* The line of a text file, which editors show, or else the row, counted from 1. */
static void append_place(struct text *out, const struct audit_page *page, const temper_audit_suspect *suspect)
{
    if (suspect->line && page->source)
        text_format(out, "line %zu", suspect->line);
    else
        text_format(out, "row %zu", suspect->file_row + 1);
}

static const char *const list_head[] = {"rank", "where", "given", "suggested", "score", "probability", "remark"};

enum { LIST_COLUMNS = sizeof list_head / sizeof *list_head };

/* One row of the list: rank, place, labels, score, probability of the given label, remark. */
static void add_suspect(struct table_builder *table, const struct audit_page *page, size_t rank)
{
    const temper_audit_suspect *suspect = &page->report->suspects[rank];
    text_format(table_cell(table), "%zu", rank + 1);
    append_place(table_cell(table), page, suspect);
    append_short(table_cell(table), page->class_names[suspect->given], NAME_CHARACTERS);
    append_short(table_cell(table), page->class_names[suspect->suggested], NAME_CHARACTERS);
    text_append_number(table_cell(table), suspect->score, 4);
    text_append_number(table_cell(table), suspect->probability, 4);
    text_append(table_cell(table), suspect->conflict ? "conflict" : "");
}

/* Rows with equal features and different labels, in the order of their rank. */
static void write_conflicts(struct text *out, const struct audit_page *page)
{
    struct table_builder table = {.columns = LIST_COLUMNS};
    size_t shown = 0;
    if (page->report->conflicts == 0)
        return;
    html_heading(out, "Conflicts");
    html_paragraph(out, "Rows with the same features as another row, and another label: at least one of them is wrong, "
                        "or the features cannot distinguish them. The rank is that in the list of all rows; rows are "
                        "counted from 1, without those left out for missing values.");
    table_head(&table, list_head);
    for (size_t i = 0; i < page->report->rows && shown < MOST_CONFLICTS; i++)
        if (page->report->suspects[i].conflict) {
            add_suspect(&table, page, i);
            shown++;
        }
    table_end(out, &table, "Conflicts");
}

/* ---- Page ------------------------------------------------------------------------------------ */

/* The page from top to bottom: summary, review, margins, conflicts. */
void audit_page_write(struct text *out, const struct audit_page *page)
{
    const temper_audit_report *report = page->report;
    review_begin(out, report->by_row ? "Rows to look at again" : "Labels to look at again", page->review);
    html_source(out, &(struct html_source){.data = page->source,
                                           .rows = report->rows,
                                           .dropped = page->dropped,
                                           .class_names = page->class_names,
                                           .classes = report->classes});
    write_warnings(out, &report->warnings);
    write_finding(out, page);
    text_append(out, page->review);
    html_heading(out, "The audit");
    html_open(out, "flow"); /* tables may be next to each other as well */
    write_summary(out, page);
    write_precision(out, page);
    html_close(out);
    html_paragraph(out, report->by_row ? "The score is how far a row is from its nearest neighbours, in "
                                         "standard deviations of the logarithm."
                                       : "The score is the probability that the given label is wrong. It comes "
                                         "from models that have not seen the row, and holds where mistakes depend "
                                         "on the class and not on the row: look before you change anything.");
    html_heading(out, "Margins, and which class became which");
    html_paragraph(out, report->in_pairs ? "Wrong labels keep to pairs of classes."
                                         : "Wrong labels look evenly spread, as far as can be told.");
    html_open(out, "flow");
    write_margins(out, page);
    write_transition(out, page);
    html_close(out);
    health_section_write(out, report, page->class_names);
    write_conflicts(out, page);
    html_end(out);
}
