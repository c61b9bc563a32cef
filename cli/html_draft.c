/* html_draft: composes a page of HTML with the functions of report/html.h. */
#include "html_draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "output_paths.h"
#include "temper_extra.h"

/* Formats into memory from malloc; NULL, and noted in the draft, without memory. */
static char *format_text(struct html_draft *draft, const char *format, va_list arguments)
{
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

/* Closes the row of pictures, if one is open. */
static void end_pictures(struct html_draft *draft)
{
    if (draft->in_pictures)
        html_close(&draft->html);
    draft->in_pictures = false;
}

void draft_begin(struct html_draft *draft, const char *title)
{
    *draft = (struct html_draft){.failed = false};
    html_begin(&draft->html, title);
}

/* The body of each function that adds formatted text by a function of report/html.h. */
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

temper_status draft_picture(struct html_draft *draft, temper_status status, temper_text *svg, const temper_error *error)
{
    TRY(checked(status, error));
    if (!draft->in_pictures)
        html_open(&draft->html, "flow");
    draft->in_pictures = true;
    html_picture(&draft->html, svg->bytes);
    temper_text_free(svg);
    return TEMPER_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

void draft_table(struct html_draft *draft, size_t columns, const char *caption)
{
    draft->table = (struct table_builder){.columns = columns};
    draft->caption = caption;
}

void draft_cell(struct html_draft *draft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(draft, format, arguments);
    va_end(arguments);
    text_append(table_cell(&draft->table), text ? text : "");
    free(text);
}

void draft_table_end(struct html_draft *draft)
{
    end_pictures(draft);
    table_end(&draft->html, &draft->table, draft->caption);
}

/* ---- The page -------------------------------------------------------------------------------- */

temper_status draft_save(struct html_draft *draft, const char *path)
{
    end_pictures(draft);
    html_end(&draft->html);
    if (draft->failed || draft->html.failed)
        return fail_no_memory();
    return output_write(path, draft->html.bytes, draft->html.length);
}

void draft_free(struct html_draft *draft)
{
    text_free(&draft->table.words);
    text_free(&draft->html);
}
