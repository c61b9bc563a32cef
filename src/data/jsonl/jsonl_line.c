/* jsonl_line: the scanner of one flat object. */
#include "data/jsonl/jsonl_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/memory.h"
#include "data/quote_text.h"

enum { WORD_SHOWN = 24 }; /* bytes of a wrong word in a message */

void jsonl_line_open(struct jsonl_line *line, const char *from, const char *to)
{
    *line = (struct jsonl_line){.from = from, .to = to, .at = from};
}

/* ---- Faults ------------------------------------------------------------------------------------ */

/* Records the first fault. Returns false. */
__attribute__((format(printf, 3, 4))) static bool fail(struct jsonl_line *line, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->fault, sizeof line->fault, format, arguments);
    va_end(arguments);
    line->fault_at = at;
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next byte after blanks; '\0' at the end of the line. */
static char peek(struct jsonl_line *line)
{
    while (line->at < line->to && is_blank(*line->at))
        line->at++;
    return line->at < line->to ? *line->at : '\0';
}

/* The line ends, or something else than `expected` comes. */
static bool fail_expected(struct jsonl_line *line, const char *expected)
{
    if (line->at == line->to)
        return fail(line, line->at,
                    "the line ends within its object; write each object on a line of its own (jq -c . FILE)");
    return fail(line, line->at, "%s must come here; check the quotes and commas before it", expected);
}

/* A word that is no value: shown, with what was probably meant. */
static bool fail_word(struct jsonl_line *line)
{
    static const char finite[] = "a finite number, or null for a gap";
    static const char *const meant[][2] = {{"True", "true"},     {"TRUE", "true"},      {"False", "false"},
                                           {"FALSE", "false"},   {"None", "null"},      {"Null", "null"},
                                           {"NULL", "null"},     {"undefined", "null"}, {"NA", "null"},
                                           {"Infinity", finite}, {"-Infinity", finite}, {"inf", finite}};
    const char *from = line->at, *to = from;
    while (to < line->to && !strchr(",:{}[]\" \t\r", *to))
        to++;
    size_t length = (size_t)(to - from);
    struct token_text shown = token_text(from, from + (length < WORD_SHOWN ? length : WORD_SHOWN));
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strlen(meant[i][0]) == length && memcmp(from, meant[i][0], length) == 0)
            return fail(line, from, "'%s' is no value of JSON; write %s", shown.text, meant[i][1]);
    if (length == 0)
        return fail_expected(line, "a value");
    if (*from == '\'')
        return fail(line, from, "a text in single quotes; JSON has double quotes");
    if (strchr("+-.0123456789", *from))
        return fail(line, from, "'%s' is no number of JSON; write it as 1, -1.5 or 1e5, or as a text in double quotes",
                    shown.text);
    return fail(line, from, "'%s' is no value of JSON; write a text in double quotes, or null for a gap", shown.text);
}

/* Whether \ud800 to \udfff is at `at`. */
static bool is_surrogate(const char *at, const char *to)
{
    bool digits = to - at >= 6 && at[1] == 'u';
    for (int i = 2; digits && i < 6; i++)
        digits = strchr("0123456789abcdefABCDEF", at[i]) != NULL;
    return digits && (at[2] | 0x20) == 'd' && at[3] >= '8';
}

/* A string that cannot be decoded from `at` on. */
static bool fail_string(struct jsonl_line *line, const char *at)
{
    if (at == line->to)
        return fail(line, at, "the text has no closing quote on its line; write \\n for a line break within a text");
    if ((unsigned char)*at < 0x20)
        return fail(line, at, "a control character within a text; write it as an escape, such as \\t");
    if (*at != '\\')
        return fail(line, at, "a byte that is not UTF-8; save the file as UTF-8, or pass --encoding latin-1");
    if (line->to - at >= 6 && memcmp(at, "\\u0000", 6) == 0)
        return fail(line, at, "a NUL character within a text; remove it");
    if (is_surrogate(at, line->to))
        return fail(line, at, "half of a pair of surrogates, which are one character; write both");
    if (line->to - at >= 2 && at[1] == 'u')
        return fail(line, at, "\\u is not followed by four hexadecimal digits; write all of them");
    return fail(line, at, "no escape of JSON; write \\\\ for a backslash");
}

/* ---- Strings ----------------------------------------------------------------------------------- */

size_t jsonl_decode(const struct jsonl_string *string, char *out)
{
    size_t length = (size_t)(string->to - string->from);
    char *end = out;
    if (!string->escaped) {
        memcpy(out, string->from, length);
        return length;
    }
    json_unescape(string->from, string->to, &end);
    return (size_t)(end - out);
}

bool jsonl_string_is(const struct jsonl_string *string, const char *text)
{
    size_t length = strlen(text);
    if (!string->escaped)
        return (size_t)(string->to - string->from) == length && memcmp(string->from, text, length) == 0;
    char *decoded = mem_alloc((size_t)(string->to - string->from) + 1, 1);
    bool same = decoded && jsonl_decode(string, decoded) == length && memcmp(decoded, text, length) == 0;
    mem_free(decoded);
    return same;
}

bool jsonl_is_word(const char *text)
{
    const char *to = text + strlen(text);
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || json_number_end(text, to) == to;
}

/* The closing quote of a string, found without decoding; NULL if there is none. */
static const char *closing_quote(const char *p, const char *to, bool *escaped)
{
    *escaped = false;
    for (; p < to && *p != '"'; p++)
        if (*p == '\\') {
            *escaped = true;
            p += to - p > 1;
        }
    return p < to ? p : NULL;
}

/* Decodes the string in small steps, only to find where it is wrong; NULL if it is right. */
static const char *find_wrong(const char *from, const char *to)
{
    enum { STEP = 64 };
    char ignored[STEP];
    while (from < to) {
        /* A step may end within a character or an escape; then one more from there on has the whole of it. */
        const char *end = to - from > STEP ? from + STEP : to;
        char *out = ignored;
        const char *stop = json_unescape(from, end, &out);
        if (stop == from)
            return from;
        from = stop;
    }
    return NULL;
}

/* Takes a string whose opening quote is at the cursor. */
static bool take_string(struct jsonl_line *line, struct jsonl_string *string)
{
    const char *from = line->at + 1;
    const char *end = closing_quote(from, line->to, &string->escaped);
    const char *wrong = find_wrong(from, end ? end : line->to);
    if (wrong || !end)
        return fail_string(line, wrong ? wrong : line->to);
    string->from = from;
    string->to = end;
    line->at = end + 1;
    return true;
}

/* ---- Values ------------------------------------------------------------------------------------ */

/* Takes a word if it comes next, and does not go on. */
static bool take_word(struct jsonl_line *line, const char *word)
{
    size_t length = strlen(word);
    const char *end = line->at + length;
    if ((size_t)(line->to - line->at) < length || memcmp(line->at, word, length) != 0)
        return false;
    if (end < line->to && !strchr(",:{}[]\" \t\r", *end))
        return false;
    line->at = end;
    return true;
}

/* A value that is no text. */
static bool take_other(struct jsonl_line *line, struct jsonl_member *member)
{
    member->kind = JSONL_NULL;
    if (take_word(line, "null") || take_word(line, "NaN"))
        return true;
    member->kind = JSONL_WORD;
    if (take_word(line, "true") || take_word(line, "false"))
        return true;
    const char *end = json_number_end(line->at, line->to);
    if (!end || (end < line->to && !strchr(",}]: \t\r", *end)))
        return fail_word(line);
    line->at = end;
    return true;
}

static bool take_value(struct jsonl_line *line, struct jsonl_member *member)
{
    char next = peek(line);
    member->from = line->at;
    if (next == '{')
        return fail(line, line->at,
                    "an object within an object; a table has one value for each key: give its values keys of their "
                    "own");
    if (next == '[')
        return fail(line, line->at,
                    "a list within an object; a table has one value for each key: give its values keys of their own");
    bool text = next == '"';
    if (text)
        member->kind = JSONL_TEXT;
    if (!(text ? take_string(line, &member->text) : take_other(line, member)))
        return false;
    member->to = line->at;
    return true;
}

/* ---- Members ----------------------------------------------------------------------------------- */

/* The opening brace. */
static bool begin(struct jsonl_line *line)
{
    char first = peek(line);
    line->begun = true;
    if (first == '[')
        return fail(line, line->at,
                    "a list; JSON lines have an object on each line (of a file that is one list: jq -c '.[]' FILE)");
    if (first != '{')
        return fail(line, line->at, "no object; write {\"key\": value, ...} on each line");
    line->at++;
    return true;
}

/* After the closing brace, which is at the cursor. Returns false: there is no other member. */
static bool end(struct jsonl_line *line)
{
    line->at++;
    char next = peek(line);
    if (next == ',')
        return fail(line, line->at, "a comma after the object; write one object a line, without commas between them");
    if (line->at < line->to)
        return fail(line, line->at, "more text after the object; write one object a line");
    return false;
}

/* The key at the cursor and its colon. */
static bool take_key(struct jsonl_line *line, struct jsonl_member *member)
{
    char next = peek(line);
    if (next == '\'')
        return fail(line, line->at, "a key in single quotes; JSON has double quotes");
    if (next == '}')
        return fail(line, line->at, "a comma before the closing brace; remove it");
    if (next != '"')
        return fail_expected(line, "a key in double quotes");
    if (!take_string(line, &member->key))
        return false;
    if (peek(line) != ':')
        return fail_expected(line, "a colon after the key");
    line->at++;
    return true;
}

bool jsonl_line_next(struct jsonl_line *line, struct jsonl_member *member)
{
    if (line->fault_at || (!line->begun && !begin(line)))
        return false;
    char next = peek(line);
    if (next == '}')
        return end(line);
    if (line->members && next != ',')
        return fail_expected(line, "a comma or a closing brace");
    line->at += line->members;
    line->members = true;
    return take_key(line, member) && take_value(line, member);
}
