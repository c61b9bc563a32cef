/* name_list: parses lists such as A,"B,C",D or NAME=VALUE pairs, which several options take: splits at commas and
 * removes quotes. */
#include "data/name_list.h"

#include <string.h>

#include "base/memory.h"
#include "data/quote_text.h"

/* Position of the parser: reads from `from`, writes to `to`, which is never longer. */
struct list_cursor {
    const char *from;
    char *to;
    char *equals; /* the last one outside quotes in what was written */
    bool unclosed;
};

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* Copies a quoted text; two quotes within it are one, as in CSV. Without a closing quote, `unclosed` is set. */
static void copy_quoted(struct list_cursor *cursor)
{
    /* Behind the opening quote. */
    for (cursor->from++; *cursor->from; cursor->from++) {
        if (*cursor->from == '"') {
            cursor->from++;
            /* A single quote closes the text. */
            if (*cursor->from != '"')
                return;
        }
        *cursor->to++ = *cursor->from;
    }
    cursor->unclosed = true;
}

/* Copies an item up to its comma or the end of the text; returns where it ends without trailing blanks. Quotes count
 * at the beginning of a name or value only, so that 5" is an ordinary text. */
static char *copy_item(struct list_cursor *cursor)
{
    /* `end` is behind the last character that is no blank, or that was quoted. */
    char *start = cursor->to, *end = start;
    cursor->equals = NULL;
    cursor->from = skip_blanks(cursor->from);
    while (*cursor->from && *cursor->from != ',' && !cursor->unclosed) {
        /* At the beginning of the name, or of the value behind '='. */
        bool opens = *cursor->from == '"' && (cursor->to == start || cursor->equals == cursor->to - 1);
        if (opens) {
            copy_quoted(cursor);
            end = cursor->to;
            continue;
        }
        if (*cursor->from == '=')
            cursor->equals = cursor->to;
        /* Blanks within a name stay; those behind it are left out by `end`. */
        bool blank = *cursor->from == ' ' || *cursor->from == '\t';
        *cursor->to++ = *cursor->from++;
        if (!blank)
            end = cursor->to;
    }
    return end;
}

/* The error shows the whole option, since an item alone may be empty. */
static temper_status refuse_list(temper_error *error, const char *option, const char *text, const char *what)
{
    /* Long or binary arguments are truncated and escaped. */
    struct token_text shown = token_text(text, text + strlen(text));
    return error_set(error, TEMPER_USAGE, "%s %s: %s", option, shown.text, what);
}

/* Parses one item; NULL, or what is wrong with it. The last '=' outside of quotes separates name and value: names may
 * contain one. */
static const char *take_item(struct list_cursor *cursor, bool pairs, struct list_item *item)
{
    char *name = cursor->to, *end = copy_item(cursor);
    char *equals = pairs ? cursor->equals : NULL;
    /* The three faults, in the order in which a user would look for them. */
    if (cursor->unclosed)
        return "a quote is not closed; put a second \" behind the name";
    if (end == name || equals == name)
        return "a name is missing; write names with a comma between them, as A,B";
    if (pairs && (!equals || equals + 1 == end))
        return "a value is missing; write NAME=VALUE with a comma between them";
    *end = '\0';
    /* The next item follows its predecessor in the copy. */
    cursor->to = end + 1;
    *item = (struct list_item){.name = name};
    if (pairs) {
        *equals = '\0';
        item->value = equals + 1;
    }
    return NULL;
}

/* Parses the argument of an option. The text is copied once and the items point into the copy; list_free frees both. */
temper_status list_read(const char *option, const char *text, bool pairs, struct list *out, temper_error *error)
{
    struct list list = {0};
    size_t length = strlen(text), most = 1;
    const char *fault = NULL;
    /* An upper bound: commas within quotes count too. */
    for (const char *p = text; *p; p++)
        most += *p == ',';
    list.item = mem_alloc(most, sizeof *list.item);
    /* Removing quotes never makes a text longer, and a comma becomes a final zero. */
    list.text = mem_alloc(length + 2, 1);
    if (!list.item || !list.text) {
        list_free(&list);
        return error_no_memory(error);
    }
    struct list_cursor cursor = {.from = text, .to = list.text};
    do {
        cursor.from += list.count > 0; /* over the comma */
        fault = take_item(&cursor, pairs, &list.item[list.count++]);
    } while (!fault && *cursor.from == ',');
    if (fault) {
        list_free(&list);
        return refuse_list(error, option, text, fault);
    }
    *out = list;
    return TEMPER_OK;
}

void list_free(struct list *list)
{
    mem_free(list->item);
    mem_free(list->text);
    *list = (struct list){0};
}
