/* draft: a page of HTML in the making, which owns its texts and pictures. */
#ifndef CLI_DRAFT_H
#define CLI_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

/* Start from {0}. Memory that ended is noted, and complained about by draft_save. */
struct draft {
    temper_page_block *blocks;
    size_t count, capacity;
    void **owned;
    size_t owned_count, owned_capacity;
    bool failed;
    /* The table that cells go to. */
    const char **cells;
    size_t cell_count, cell_capacity, columns;
    const char *caption;
};

void draft_heading(struct draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draft_paragraph(struct draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draft_command(struct draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keeps a picture that a call has just made, or complains about why it has not. */
temper_status draft_picture(struct draft *draft, temper_status status, char *svg, const temper_error *error);

/* A table: its head, then cells row by row, then its end. */
void draft_table(struct draft *draft, size_t columns, const char *caption);
void draft_cell(struct draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draft_table_end(struct draft *draft);

/* Writes the page. */
temper_status draft_save(struct draft *draft, const char *title, const char *path);
void draft_free(struct draft *draft);

#endif
