/* html: a page of HTML that needs nothing else: no fonts, no other files, and scripts on pages for review alone
 * (report/review/).
 *
 * Texts are escaped; a failed allocation is noted in the text, which the caller checks at the end. On dark screens a
 * few rules of CSS exchange the neutral colours of the pictures (palette_neutrals); the pictures themselves do not
 * change. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

void html_begin(struct text *out, const char *title);
/* With rules after the style sheet, and a Content-Security-Policy; NULL: none. Both are copied as they are. */
void html_begin_with(struct text *out, const char *title, const char *more_style, const char *policy);
/* With the version of the program and no date: the same input makes the same bytes. */
void html_end(struct text *out);

void html_heading(struct text *out, const char *words);
void html_paragraph(struct text *out, const char *words);
/* A paragraph that is a link. */
void html_link(struct text *out, const char *words, const char *address);
/* Commands as they are typed, line by line. */
void html_command(struct text *out, const char *words);

/* "Data: crowd.csv, 190 rows, 2 classes: good, bad.": what a page is about. */
struct html_source {
    const char *model; /* file names as the user gave them; NULL or "": not known */
    const char *data;
    unsigned long long rows, dropped; /* dropped for missing values, not included in rows */
    const char *const *class_names;
    size_t classes;
};

void html_source(struct text *out, const struct html_source *source);

/* Elements between open and close are arranged by the class: "flow" places pictures and tables next to each other where
 * there is space. */
void html_open(struct text *out, const char *class_name);
void html_close(struct text *out);
/* `svg` is copied as it is; "" is allowed. */
void html_picture(struct text *out, const char *svg);

/* cells[rows][columns]: the first row is the head, the first column names the rows; numbers are aligned right. The
 * caption may be NULL. */
void html_table(struct text *out, const char *caption, const char *const *cells, size_t rows, size_t columns);

/* A table built cell by cell, row by row: start from {.columns = n}, append words to each table_cell. */
struct table_builder {
    struct text words; /* the cells, each after a '\0' */
    size_t columns, count;
};

struct text *table_cell(struct table_builder *table);
/* A row of two cells, the first being a name; returns the second. */
struct text *table_fact(struct table_builder *table, const char *name);
void table_head(struct table_builder *table, const char *const *names);
/* Writes the table and frees it. */
void table_end(struct text *out, struct table_builder *table, const char *caption);

#endif
