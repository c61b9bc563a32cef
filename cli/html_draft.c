/* html_draft: composes a page of HTML with the functions of report/html.h. Errors of memory are collected in the draft,
 * so that the callers, which add dozens of paragraphs, need to check only draft_save. */
#include "html_draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "output_paths.h"
#include "report/review/review_page.h"
#include "temper_extra.h"

/* Formats into memory from malloc. Returns NULL if there is none and records that in the draft. */
static char *format_text(struct html_draft *draft, const char *format, va_list arguments)
{
    /* The list is traversed twice: once to measure the text, once to print it. */
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    draft->failed |= !text;
    return text;
}

/* Closes the row of pictures, if one is open. Called before anything that is not a picture. */
static void end_pictures(struct html_draft *draft)
{
    if (draft->in_pictures)
        html_close(&draft->html);
    draft->in_pictures = false;
}

/* The head of the page with the style sheet comes from report/html.h, so that all pages look the same. */
void draft_begin(struct html_draft *draft, const char *title)
{
    *draft = (struct html_draft){.failed = false};
    html_begin(&draft->html, title);
}

/* Style and policy of the section are in the head. */
void draft_begin_review(struct html_draft *draft, const char *title, const char *section)
{
    *draft = (struct html_draft){.failed = false};
    if (section)
        review_begin(&draft->html, title, section);
    else
        html_begin(&draft->html, title);
}

/* The body of each function that adds formatted text by a function of report/html.h. A macro, because a va_list must be
 * started in the function that has the ellipsis. The functions of report/html.h escape the text. */
#define ADD_TEXT(add)                                                                                                  \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        char *text = format_text(draft, format, arguments);                                                            \
        va_end(arguments);                                                                                             \
        end_pictures(draft);                                                                                           \
        if (text)                                                                                                      \
            add(&draft->html, text);                                                                                   \
        free(text);                                                                                                    \
    } while (0)

/* The next three differ only in the element: h2, p, and a command in a fixed-width font. */
void draft_heading(struct html_draft *draft, const char *format, ...)
{
    ADD_TEXT(html_heading);
}

void draft_paragraph(struct html_draft *draft, const char *format, ...)
{
    ADD_TEXT(html_paragraph);
}

void draft_command(struct html_draft *draft, const char *format, ...)
{
    ADD_TEXT(html_command);
}

void draft_link(struct html_draft *draft, const char *words, const char *address)
{
    end_pictures(draft);
    html_link(&draft->html, words, address);
}

/* Consecutive pictures are put into one element of class "flow", which arranges as many beside each other as the window
 * has space for. */
temper_status draft_picture(struct html_draft *draft, temper_status status, temper_text *svg, const temper_error *error)
{
    /* After a failed call *svg is not set and must not be freed. */
    TRY(checked(status, error));
    if (!draft->in_pictures)
        html_open(&draft->html, "flow");
    draft->in_pictures = true;
    html_picture(&draft->html, svg->bytes);
    temper_text_free(svg);
    return TEMPER_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The cells are collected in the builder, and the table is added to the page by draft_table_end. */
void draft_table(struct html_draft *draft, size_t columns, const char *caption)
{
    /* The caption is borrowed until draft_table_end. */
    draft->table = (struct table_builder){.columns = columns};
    draft->caption = caption;
}

/* A cell is added even if its text is lost, because otherwise all later cells would be in the wrong column. */
void draft_cell(struct html_draft *draft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(draft, format, arguments);
    va_end(arguments);
    text_append(table_cell(&draft->table), text ? text : "");
    free(text);
}

/* Pictures end here and not in draft_table, so that the page is changed in one place only. */
void draft_table_end(struct html_draft *draft)
{
    /* The page may end with a row of pictures. */
    end_pictures(draft);
    table_end(&draft->html, &draft->table, draft->caption);
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Nothing is written if any part of the page is missing. */
temper_status draft_save(struct html_draft *draft, const char *path)
{
    end_pictures(draft);
    html_end(&draft->html);
    /* Two records of failure: of texts formatted here, and of the page itself. */
    if (draft->failed || draft->html.failed)
        return fail_no_memory();
    return output_write(path, draft->html.bytes, draft->html.length);
}

/* Also frees a table that was not ended, as after an error between its cells. */
void draft_free(struct html_draft *draft)
{
    text_free(&draft->table.words);
    text_free(&draft->html);
}
