/* html_draft: a page of HTML that is composed piece by piece and then written at once. */
#ifndef CLI_HTML_DRAFT_H
#define CLI_HTML_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/html.h"
#include "temper_extra.h"

/* Begin with draft_begin. Lack of memory is recorded, and reported by draft_save. */
struct html_draft {
    struct text html;
    bool in_pictures;           /* consecutive pictures share a row */
    struct table_builder table; /* in progress */
    const char *caption;
    bool failed;
};

void draft_begin(struct html_draft *draft, const char *title);
/* For a page that will contain this section of review (temper_tune_ask_section); NULL: none. */
void draft_begin_review(struct html_draft *draft, const char *title, const char *section);
void draft_heading(struct html_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draft_paragraph(struct html_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph that is a link. */
void draft_link(struct html_draft *draft, const char *words, const char *address);
void draft_command(struct html_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a picture that a library call has just made and frees it, or reports the error of that call. `svg` is a pointer
 * so that the call may be an argument. */
temper_status draft_picture(struct html_draft *draft, temper_status status, temper_text *svg,
                            const temper_error *error);

/* A table: draft_table, then the cells row by row, then draft_table_end. The caption (or NULL) must stay valid. */
void draft_table(struct html_draft *draft, size_t columns, const char *caption);
void draft_cell(struct html_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draft_table_end(struct html_draft *draft);

/* Writes the page. */
temper_status draft_save(struct html_draft *draft, const char *path);
void draft_free(struct html_draft *draft);

#endif
