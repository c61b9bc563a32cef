/* json_write: strings with escapes, and lists in lines of readable length. */
#include "base/json/json_write.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

/* Writes the escape of the character at p, if it needs one; false if not. `length` is that of the character in UTF-8; 0
 * means an invalid byte, which is written as an unpaired surrogate. DEL is escaped too, as editors do not show it. */
static bool write_escape(struct text *text, const char *p, size_t length)
{
    static const char letters[] = "\"\\\b\f\n\r\t", meanings[] = "\"\\bfnrt";
    unsigned char c = (unsigned char)*p;
    if (length == 0) {
        text_format(text, "\\udc%02x", c);
        return true;
    }
    /* c is not 0, as the string ends there */
    const char *found = strchr(letters, c);
    if (found)
        text_format(text, "\\%c", meanings[found - letters]);
    else if (c < 0x20 || c == 0x7f)
        text_format(text, "\\u%04x", c);
    return found || c < 0x20 || c == 0x7f;
}

/* Characters beyond ASCII are written as UTF-8, not as escapes, so that names of classes stay readable in the
 * file. */
void json_write_string(struct text *text, const char *string)
{
    const char *to = string + strlen(string);
    text_append(text, "\"");
    for (const char *p = string; p < to;) {
        size_t length = utf8_length(p, to);
        if (!write_escape(text, p, length))
            text_append_bytes(text, p, length);
        p += length ? length : 1;
    }
    text_append(text, "\"");
}

/* JSON has no notation for infinity and NaN; a caller that has such a value represents it in another way. */
void json_write_f64(struct text *text, double value)
{
    char number[NUMBER_LENGTH];
    assert(isfinite(value));
    text_append_bytes(text, number, number_write_f64(value, number));
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Where the current line begins. */
/* The caller may have written a key before the list, which counts for the length of the first line. */
static size_t line_start(const struct text *text)
{
    size_t at = text->length;
    while (at > 0 && text->bytes[at - 1] != '\n')
        at--;
    return at;
}

/* Before an item of this length: a comma unless it is the first, and a line break if the line would
 * exceed JSON_COLUMNS. *line is where the current line begins. */
static void separate(struct text *text, size_t *line, size_t length, bool first)
{
    if (!first)
        text_append(text, ",");
    /* the number is kept whole: a line breaks between two items only */
    if (first || text->length - *line + length + 3 <= JSON_COLUMNS) { /* a blank, "]," */
        text_append(text, first ? "" : " ");
        return;
    }
    text_append(text, "\n");
    *line = text->length;
}

/* Weights are long lists: as lines of bounded length they can be viewed, compared by diff and kept in version
 * control. */
void json_write_f64_array(struct text *text, const double *values, size_t count)
{
    size_t line = line_start(text);
    text_append(text, "[");
    for (size_t i = 0; i < count; i++) {
        char number[NUMBER_LENGTH];
        assert(isfinite(values[i]));
        size_t length = number_write_f64(values[i], number);
        separate(text, &line, length, i == 0);
        text_append_bytes(text, number, length);
    }
    text_append(text, "]");
}

/* The length of a string is that without escapes, so a line with many of them may exceed JSON_COLUMNS. */
void json_write_string_array(struct text *text, char *const *strings, size_t count)
{
    size_t line = line_start(text);
    text_append(text, "[");
    for (size_t i = 0; i < count; i++) {
        separate(text, &line, strlen(strings[i]) + 2, i == 0);
        json_write_string(text, strings[i]);
    }
    text_append(text, "]");
}
