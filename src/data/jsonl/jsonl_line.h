/* jsonl_line: one line of JSON lines, a flat object, member by member.
 *
 * Values are numbers, texts, true, false and null; NaN, which Python's json module writes, is a null. Objects and lists
 * as values are refused, since a table has one value for each column. */
#ifndef DATA_JSONL_LINE_H
#define DATA_JSONL_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { JSONL_FAULT = 240 }; /* bytes of a message */

/* The inside of a string, still escaped. */
struct jsonl_string {
    const char *from, *to;
    bool escaped; /* has backslashes */
};

enum jsonl_kind { JSONL_NULL, JSONL_WORD, JSONL_TEXT }; /* a word is a number, true or false */

struct jsonl_member {
    struct jsonl_string key;
    const char *from, *to; /* the value as it is written, with its quotes */
    enum jsonl_kind kind;
    struct jsonl_string text; /* of a text */
};

struct jsonl_line {
    const char *from, *to;
    const char *at;          /* next byte to read */
    bool begun;              /* the opening brace was read */
    bool members;            /* at least one was read */
    const char *fault_at;    /* where the line is wrong; NULL: nowhere so far */
    char fault[JSONL_FAULT]; /* what is wrong, and what to do */
};

/* The line without its end; it is not blank. */
void jsonl_line_open(struct jsonl_line *line, const char *from, const char *to);
/* The next member; false at the end of the line, or at a fault. */
bool jsonl_line_next(struct jsonl_line *line, struct jsonl_member *member);
/* Writes the decoded string to `out`, which has room for all its bytes; returns the length. */
size_t jsonl_decode(const struct jsonl_string *string, char *out);
/* Whether the decoded string is this text; false without memory too. */
bool jsonl_string_is(const struct jsonl_string *string, const char *text);
/* Whether a text is a value of JSON that is no string: a number, true or false. */
bool jsonl_is_word(const char *text);

#endif
