/* page: a page of HTML that needs nothing else: no scripts, no fonts, nothing from elsewhere.
 *
 * Words are escaped; a failed allocation is noted in the text, which the caller checks at the end.
 * On dark screens the neutral colours of the pictures change too, by a few rules of CSS that know
 * the palette; the pictures themselves stay as they are. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

void page_begin(struct text *out, const char *title);
/* With the version of the program below it, and no date: the same input makes the same bytes. */
void page_end(struct text *out);

void page_heading(struct text *out, const char *words);
void page_paragraph(struct text *out, const char *words);
/* "Data: crowd.csv, 190 rows, 2 classes: good, bad.": what a page is of. */
struct page_source {
    const char *model; /* file names as the user gave them; NULL or "": not known */
    const char *data;
    unsigned long long rows, dropped; /* the latter for missing values, and not among the former */
    const char *const *class_names;
    size_t classes;
};

void page_source(struct text *out, const struct page_source *source);
/* As it is typed. */
void page_command(struct text *out, const char *words);

/* SVG text, put in as it is. Pictures between begin and end stand side by side. */
void page_pictures_begin(struct text *out);
void page_picture(struct text *out, const char *svg);
void page_pictures_end(struct text *out);

/* Photographs in rows, each with a caption and a fainter note; `source` is a data: address, put in
 * as it is. */
void page_grid_begin(struct text *out);
void page_grid_item(struct text *out, const char *source, const char *caption, const char *note);
void page_grid_end(struct text *out);

/* cells[rows][columns], the first row being the head; numbers are set to the right. The caption may
 * be NULL. */
struct table {
    const char *caption;
    const char *const *cells;
    size_t rows, columns;
};

void page_table(struct text *out, const struct table *table);

#endif
