/* csv_errors: messages for errors in a table: what is wrong, where, and the remedy.
 *
 * An error is kept as facts until its line is known: a chunk that is parsed by one of several threads does not know
 * how many lines are before it. */
#include "data/csv/csv.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/quote_text.h"
#include "data/read/file_join.h"

enum { TEXTS_SHOWN = 60, OPTION_SHOWN = 120 }; /* bytes of a list of columns, for a sentence or an option */

/* Placeholders: @t the cell's text, @c the column, @o its name for an option, @n the number of fields, @m the expected
 * number, @l advice to name the label, @s a list of the columns of text, @a the same for an option. Every message says
 * what is wrong and, after the semicolon, what the user can do about it. */
static const char *const messages[] = {
    [CSV_QUOTE_OPEN] = "the quote that opens here is never closed; close it, or double it and quote "
                       "the cell",
    [CSV_QUOTE_INSIDE] = "a quote inside a cell; put the cell in quotes and double the quote",
    [CSV_QUOTE_AFTER] = "text after a closing quote; double the quote if it belongs to the cell",
    [CSV_RETURN] = "a carriage return inside a line; end lines by \\n or \\r\\n, or quote the cell",
    [CSV_NUL] = "a NUL byte; convert the file to plain text, from UTF-16 perhaps",
    [CSV_FIELDS] = "expected @m fields, found @n; correct the line or remove it",
    [CSV_FIELDS_CUT] = "expected @m fields, found @n; the file seems cut off: complete the last line or "
                       "remove it",
    [CSV_TEXT] = "text '@t' in @c; pass @l--categorical @o for a 0/1 feature of each text, or "
                 "--ignore @o",
    [CSV_TEXT_FIRST] = "text '@t' in @c; pass --header yes if this is a header, or @l--categorical @o, "
                       "or --ignore @o",
    [CSV_TEXT_LIKE] = "text '@t' in @c, where the model has numbers; correct the cell, or give a "
                      "file with the columns that the model was trained on",
    [CSV_TEXT_FIRST_LIKE] = "text '@t' in @c, where the model has numbers; pass --header yes if this "
                            "is a header, or correct the cell",
    [CSV_TEXT_LATER] = "text '@t' in @c; if it is a column of numbers, correct the cell, or empty it and pass "
                       "--missing; else pass --categorical @o for a 0/1 feature of each text, or --ignore @o",
    [CSV_TEXT_FIGURE] = "'@t' in @c is not a plain number; write it as 1234.5, without commas, spaces and signs of "
                        "money or percent, or pass --ignore @o",
    [CSV_TEXT_MANY] = "text in columns @s; pass @l--categorical NAMES for a 0/1 feature of each text where these "
                      "are few, and --ignore NAMES for the others; to leave all out: --ignore @a",
    [CSV_TEXT_FIRST_MANY] = "text in columns @s; pass --header yes if this is a header, or @l--categorical NAMES for a "
                            "0/1 feature of each text, and --ignore NAMES for the others; to leave all out: --ignore "
                            "@a",
    [CSV_MISSING] = "no value in @c; drop the row, or pass --missing zero, mean or drop",
    [CSV_NOT_FINITE] = "value '@t' in @c is not finite; correct it, drop the row, or pass --ignore @o",
    [CSV_TOO_LARGE_F32] = "value '@t' in @c is too large for a float; pass --type f64",
    [CSV_TOO_LARGE] = "value '@t' in @c is too large for a double; correct it or drop the row",
    [CSV_LABEL_MISSING] = "no label in @c; drop the row or pass --missing drop, or name another "
                          "--label",
    [CSV_LABEL_NOT_FINITE] = "label '@t' in @c is not finite; correct it or drop the row",
    [CSV_LABELS] = "more than 65,536 different labels in @c; name another --label",
    [CSV_VALUES] = "more than 65,536 different texts in @c; pass --ignore @o",
    [CSV_WEIGHT_MISSING] = "no weight in @c; drop the row or pass --missing drop",
    [CSV_WEIGHT] = "weight '@t' in @c is not a number of at least 0; correct it or drop the row",
};

/* Stores the kind and the start of the cell's text, with control characters escaped. The text is limited to
 * CSV_TOKEN_SHOWN bytes, each of which becomes at most four: the remedy must fit into the message after it. */
void csv_error_set(struct csv_error *found, enum csv_error_kind kind, const char *from, const char *to)
{
    size_t length = (size_t)(to - from);
    struct token_text shown = token_text(from, from + (length < CSV_TOKEN_SHOWN ? length : CSV_TOKEN_SHOWN));
    snprintf(found->token, sizeof found->token, "%.*s%s", 4 * CSV_TOKEN_SHOWN, shown.text,
             length > CSV_TOKEN_SHOWN ? "..." : "");
    found->kind = kind;
}

/* ---- Columns of text ------------------------------------------------------------------------- */

/* Appends the columns that contain text for a sentence: "age, 3 ('home town'), city". Names that an option would not
 * accept are replaced by numbers. The list ends with "..." when it exceeds TEXTS_SHOWN bytes. */
static void append_texts(struct text *text, const struct csv_column_plan *plan)
{
    size_t start = text->length;
    for (size_t i = 0; i < plan->texts; i++) {
        size_t column = plan->text[i];
        const char *name = column < plan->names.count ? plan->names.name[column] : "";
        struct csv_column_text option = csv_column_option(plan, column);
        if (text->length - start > TEXTS_SHOWN) {
            text_append(text, ", ...");
            return;
        }
        text_append(text, i == 0 ? "" : ", ");
        text_append(text, option.text);
        if (*name && strcmp(name, option.text) != 0)
            text_format(text, " (%s)", csv_column_shown(plan, column).text + strlen("column "));
    }
}

/* The same for an option, which is copied from the message and so must be whole: by names, "age,3,city"; if that is too
 * long, by numbers; and if there may be more of them than were kept, or numbers are too long as well, "NAMES". */
static void append_texts_option(struct text *text, const struct csv_column_plan *plan)
{
    struct text list = {0};
    for (int numbers = 0; numbers < 2; numbers++) {
        text_free(&list);
        for (size_t i = 0; i < plan->texts; i++)
            if (numbers)
                text_format(&list, "%s%zu", i ? "," : "", plan->text[i] + 1);
            else
                text_format(&list, "%s%s", i ? "," : "", csv_column_option(plan, plan->text[i]).text);
        if (list.length <= OPTION_SHOWN)
            break;
    }
    bool whole = plan->texts < CSV_TEXTS_KEPT && list.length <= OPTION_SHOWN && !list.failed;
    text_append(text, whole ? list.bytes : "NAMES");
    text->failed |= list.failed;
    text_free(&list);
}

/* Whether other columns have text too, from the first row on. Then one message lists all of them; otherwise the user
 * would learn of the next column only in the next attempt. */
static bool is_one_of_many(const struct csv_column_plan *plan, size_t column)
{
    bool found = false;
    for (size_t i = 0; i < plan->texts && !found; i++)
        found = plan->text[i] == column;
    return found && plan->texts > 1;
}

/* ---- Sentences ------------------------------------------------------------------------------- */

/* The line number of the first row, if there are no blank lines before it. */
static uint64_t first_row(const struct csv_column_plan *plan)
{
    return plan->header && !plan->origin ? 2 : 1;
}

/* Advice to name the label, if it was only guessed and the column begins with text; further down it is rather a wrong
 * cell. The result is inserted before "--categorical", and so ends in a comma and a blank. */
static void append_label(struct text *text, const struct csv_column_plan *plan, const struct csv_error *found)
{
    if (!plan->label_guessed || found->line > first_row(plan))
        return;
    if (is_one_of_many(plan, found->field))
        text_append(text, "--label NAME if one is the label, ");
    else
        text_format(text, "--label %s if it is the label, ", csv_column_option(plan, found->field).text);
}

/* Appends what a letter after @ stands for. Letters are documented above `messages`; the default covers @n and @m. */
static void append_value(struct text *text, char part, const struct csv_column_plan *plan,
                         const struct csv_error *found)
{
    if (part == 't')
        text_append(text, found->token);
    else if (part == 'c')
        text_append(text, csv_column_shown(plan, found->field).text);
    else if (part == 'o')
        text_append(text, csv_column_option(plan, found->field).text);
    else if (part == 'l')
        append_label(text, plan, found);
    else if (part == 's')
        append_texts(text, plan);
    else if (part == 'a')
        append_texts_option(text, plan);
    else
        text_format(text, "%zu", part == 'n' ? found->count : plan->columns);
}

/* Whether a text is a number in a notation that spreadsheets write: "1,500", "$5" or "5 %". Dates ("1-2-2020",
 * "1/2/2020") are not, since '-' is only accepted as a sign and '/' not at all. */
static bool is_figure(const char *token)
{
    bool signed_first = *token == '-' || *token == '+';
    return token[signed_first + strspn(token + signed_first, "0123456789.,'_ $%")] == '\0' &&
           strpbrk(token, "0123456789") != NULL;
}

/* Selects the message for a cell of text: with a model the roles of columns are fixed, other columns may have text, or
 * it may be a number in another notation. The parser knows only CSV_TEXT and CSV_TEXT_FIRST; the refinement is made
 * here, once per file, so that the parser needs no other columns. */
static enum csv_error_kind kind_for(const struct csv_column_plan *plan, const struct csv_error *found)
{
    bool first = found->kind == CSV_TEXT_FIRST;
    if (!first && found->kind != CSV_TEXT)
        return found->kind;
    if (plan->matched)
        return first ? CSV_TEXT_FIRST_LIKE : CSV_TEXT_LIKE;
    if (is_one_of_many(plan, found->field))
        return first ? CSV_TEXT_FIRST_MANY : CSV_TEXT_MANY;
    if (is_figure(found->token))
        return CSV_TEXT_FIGURE;
    return first || found->line <= first_row(plan) ? found->kind : CSV_TEXT_LATER;
}

/* Appends the message, with its values inserted. */
static void expand_message(struct text *text, const struct csv_column_plan *plan, const struct csv_error *found)
{
    /* Plain text up to the next '@' is copied, then the placeholder's value is inserted. */
    for (const char *p = messages[kind_for(plan, found)]; *p;) {
        size_t plain = strcspn(p, "@");
        text_append_bytes(text, p, plain);
        p += plain;
        if (*p == '@') {
            append_value(text, p[1], plan, found);
            p += 2;
        }
    }
}

const char *csv_error_file(const struct csv_column_plan *plan, uint64_t *line)
{
    const char *path = plan->path;
    if (plan->join)
        file_join_place(plan->join, &path, line);
    return path;
}

size_t csv_error_column(const struct csv_column_plan *plan, const struct csv_error *found)
{
    if (!plan->origin || found->column == 0)
        return found->column;
    return plan->origin->find_column(plan->origin->context, found->line, found->field);
}

/* Formats the error as file:line:column: message, or file:line: message if it concerns the whole line, and returns
 * TEMPER_BAD_DATA (or TEMPER_NO_MEMORY). `lines_before` turns a line of the chunk into a line of the file. */
temper_status csv_error_report(const struct csv_column_plan *plan, const struct csv_error *found, uint64_t lines_before,
                               temper_error *error)
{
    struct text text = {0};
    /* The rules below depend on the line in the file, not in the chunk. */
    struct csv_error placed = *found;
    placed.line += lines_before;
    size_t column = csv_error_column(plan, &placed);
    uint64_t own = placed.line;
    struct place_text place = place_text(csv_error_file(plan, &own));
    size_t line = (size_t)own;
    temper_status status = TEMPER_BAD_DATA;
    if (found->kind != CSV_MEMORY)
        expand_message(&text, plan, &placed);
    if (found->kind == CSV_MEMORY || text.failed)
        status = error_no_memory(error);
    else if (column == 0)
        error_at(error, status, line, 0, "%s:%zu: %s", place.text, line, text.bytes);
    else
        error_at(error, status, line, column, "%s:%zu:%zu: %s", place.text, line, column, text.bytes);
    text_free(&text);
    return status;
}
