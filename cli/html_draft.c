/* draft: a page of HTML in the making. */
#include "html_draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "output_paths.h"

/* Makes room for one more; false without memory. */
static bool grow(void **array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity ? 2 * *capacity : 32;
    void *larger = realloc(*array, more * size);
    if (!larger)
        return false;
    *array = larger;
    *capacity = more;
    return true;
}

/* The block is the draft's from now on, and freed at once if it cannot be kept. */
static void *keep(struct draft *draft, void *block)
{
    void *owned = (void *)draft->owned;
    if (!block || !grow(&owned, draft->owned_count, &draft->owned_capacity, sizeof block)) {
        draft->failed = true;
        free(block);
        return NULL;
    }
    draft->owned = (void **)owned;
    draft->owned[draft->owned_count++] = block;
    return block;
}

static const char *format_text(struct draft *draft, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return keep(draft, text);
}

static void add(struct draft *draft, temper_page_block block)
{
    void *blocks = draft->blocks;
    if (!grow(&blocks, draft->count, &draft->capacity, sizeof block)) {
        draft->failed = true;
        return;
    }
    draft->blocks = blocks;
    draft->blocks[draft->count++] = block;
}

#define ADD_TEXT(kind_of)                                                                                              \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        const char *text = format_text(draft, format, arguments);                                                      \
        va_end(arguments);                                                                                             \
        if (text)                                                                                                      \
            add(draft, (temper_page_block){.kind = (kind_of), .text = text});                                          \
    } while (0)

void draft_heading(struct draft *draft, const char *format, ...)
{
    ADD_TEXT(TEMPER_PAGE_HEADING);
}

void draft_paragraph(struct draft *draft, const char *format, ...)
{
    ADD_TEXT(TEMPER_PAGE_PARAGRAPH);
}

void draft_command(struct draft *draft, const char *format, ...)
{
    ADD_TEXT(TEMPER_PAGE_COMMAND);
}

/* The library's pictures are freed by temper_free, which is not ours to mix: so they are copied. */
temper_status draft_picture(struct draft *draft, temper_status status, char *svg, const temper_error *error)
{
    if (status != TEMPER_OK)
        return complain_error(error);
    size_t length = 0;
    while (svg[length])
        length++;
    char *copy = malloc(length + 1);
    if (copy)
        for (size_t i = 0; i <= length; i++)
            copy[i] = svg[i];
    temper_free(svg);
    if (keep(draft, copy))
        add(draft, (temper_page_block){.kind = TEMPER_PAGE_PICTURE, .text = copy});
    return TEMPER_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

void draft_table(struct draft *draft, size_t columns, const char *caption)
{
    draft->cells = NULL;
    draft->cell_count = draft->cell_capacity = 0;
    draft->columns = columns;
    draft->caption = caption;
}

void draft_cell(struct draft *draft, const char *format, ...)
{
    void *cells = (void *)draft->cells;
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(draft, format, arguments);
    va_end(arguments);
    if (!text || !grow(&cells, draft->cell_count, &draft->cell_capacity, sizeof text)) {
        draft->failed = true;
        return;
    }
    draft->cells = (const char **)cells;
    draft->cells[draft->cell_count++] = text;
}

void draft_table_end(struct draft *draft)
{
    size_t rows = draft->cell_count / draft->columns;
    const char **cells = (const char **)keep(draft, (void *)draft->cells);
    draft->cells = NULL;
    if (cells && rows > 0)
        add(draft, (temper_page_block){.kind = TEMPER_PAGE_TABLE,
                                       .text = draft->caption,
                                       .cells = cells,
                                       .rows = rows,
                                       .columns = draft->columns});
}

/* ---- The whole ------------------------------------------------------------------------------- */

temper_status draft_save(struct draft *draft, const char *title, const char *path)
{
    temper_error error;
    char *html;
    size_t length;
    if (draft->failed)
        return complain_no_memory();
    if (temper_page_to_html(title, draft->blocks, draft->count, &html, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(path, html, length);
    temper_free(html);
    return status;
}

void draft_free(struct draft *draft)
{
    for (size_t i = 0; i < draft->owned_count; i++)
        free(draft->owned[i]);
    free((void *)draft->owned);
    free((void *)draft->cells);
    free(draft->blocks);
    *draft = (struct draft){0};
}
