/* json_read: a cursor on the text, and the nesting of objects and arrays around it. */
#include "base/json/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

enum { REASON = 400 };

void json_open(struct json_reader *json, const char *name, const char *text, size_t length, temper_error *error)
{
    *json = (struct json_reader){
        .name = name, .from = text, .to = text + length, .at = text, .value = text, .error = error};
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Lines are counted only for a message, as errors are rare. */
bool json_fail(struct json_reader *json, const char *format, ...)
{
    char reason[REASON];
    size_t line = 1;
    const char *begin = json->from;
    va_list arguments;
    if (json->status != TEMPER_OK)
        return false;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    for (const char *p; (p = memchr(begin, '\n', (size_t)(json->value - begin))); begin = p + 1)
        line++;
    size_t column = (size_t)(json->value - begin) + 1;
    json->status =
        error_at(json->error, TEMPER_BAD_DATA, line, column, "%s:%zu:%zu: %s", json->name, line, column, reason);
    return false;
}

bool json_no_memory(struct json_reader *json)
{
    if (json->status == TEMPER_OK)
        json->status = error_no_memory(json->error);
    return false;
}

/* Reports that `expected` is missing at the cursor. */
static bool fail_here(struct json_reader *json, const char *expected)
{
    json->value = json->at;
    if (json->at == json->to)
        return json_fail(json, "the text ends where %s must come; it was cut off", expected);
    return json_fail(json, "%s must come here; the text is not as it was written", expected);
}

/* ---- Between values -------------------------------------------------------------------------- */

static void skip_blanks(struct json_reader *json)
{
    while (json->at < json->to && (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r'))
        json->at++;
}

/* The next character after blanks; '\0' at the end, which no rule accepts. */
static char next(struct json_reader *json)
{
    skip_blanks(json);
    return json->at < json->to ? *json->at : '\0';
}

/* Consumes the next character if it is this one. */
static bool take(struct json_reader *json, char letter)
{
    if (json->status != TEMPER_OK || next(json) != letter)
        return false;
    json->at++;
    return true;
}

/* Marks the beginning of a value, for messages; false after an error. */
static bool begin_value(struct json_reader *json)
{
    skip_blanks(json);
    json->value = json->at;
    return json->status == TEMPER_OK;
}

bool json_end(struct json_reader *json)
{
    if (!begin_value(json))
        return false;
    return json->at == json->to || json_fail(json, "something follows the end; remove it");
}

/* ---- Objects and arrays ---------------------------------------------------------------------- */

/* Enters an object or array: its opening bracket, one level deeper. */
static bool enter(struct json_reader *json, char bracket, const char *words)
{
    if (!begin_value(json))
        return false;
    if (!take(json, bracket))
        return fail_here(json, words);
    if (json->depth == JSON_DEPTH)
        return json_fail(json, "too deep; no such file was ever written");
    json->fresh[++json->depth] = true;
    return true;
}

bool json_object(struct json_reader *json)
{
    return enter(json, '{', "an object, '{',");
}

bool json_array(struct json_reader *json)
{
    return enter(json, '[', "a list, '[',");
}

/* Advances over the comma to the next member, or over the closing bracket and out. */
static bool more(struct json_reader *json, char bracket, const char *words)
{
    if (!begin_value(json))
        return false;
    bool first = json->fresh[json->depth];
    json->fresh[json->depth] = false;
    if (take(json, bracket)) {
        json->depth--;
        return false;
    }
    if (first || take(json, ','))
        return begin_value(json);
    return fail_here(json, words);
}

bool json_item(struct json_reader *json)
{
    return more(json, ']', "',' or ']'");
}

/* Known keys are plain names, so escapes in keys are not supported. */
bool json_key(struct json_reader *json, char key[JSON_KEY])
{
    if (!more(json, '}', "',' or '}'"))
        return false;
    if (!take(json, '"'))
        return fail_here(json, "a key in double quotes");
    const char *first = json->at;
    while (json->at < json->to && *json->at != '"' && *json->at != '\\' && *json->at != '\n')
        json->at++;
    size_t length = (size_t)(json->at - first);
    if (!take(json, '"'))
        return fail_here(json, "the end of a key, '\"',");
    if (length >= JSON_KEY)
        return json_fail(json, "no key is as long as this; remove it");
    if (!take(json, ':'))
        return fail_here(json, "':'");
    memcpy(key, first, length);
    key[length] = '\0';
    return true;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static const char *skip_digits(const char *p, const char *to)
{
    while (p < to && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* The end of a JSON number, whose grammar is stricter than number_f64's: no "+1", "01", ".5", "5.";
 * NULL if there is none. */
static const char *number_end(const char *p, const char *to)
{
    p += p < to && *p == '-';
    const char *first = p;
    p = skip_digits(p, to);
    if (p == first || (*first == '0' && p > first + 1))
        return NULL;
    if (p < to && *p == '.') {
        const char *point = ++p;
        p = skip_digits(p, to);
        if (p == point)
            return NULL;
    }
    if (p < to && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < to && (*p == '+' || *p == '-');
        first = p;
        p = skip_digits(p, to);
        return p > first ? p : NULL;
    }
    return p;
}

bool json_f64(struct json_reader *json, double *out)
{
    double value;
    if (!begin_value(json))
        return false;
    const char *end = number_end(json->at, json->to);
    if (!end)
        return fail_here(json, "a number");
    if (number_f64(json->at, end, &value) != NUMBER_OK)
        return json_fail(json, "the number is beyond the range of a double; it must be finite");
    json->at = end;
    *out = value;
    return true;
}

bool json_u64(struct json_reader *json, uint64_t *out)
{
    unsigned long long value;
    if (!begin_value(json))
        return false;
    const char *end = number_end(json->at, json->to);
    if (!end || !number_u64(json->at, end, &value))
        return fail_here(json, "a whole number from 0 to 2^64 - 1");
    json->at = end;
    *out = value;
    return true;
}

bool json_f64_array(struct json_reader *json, double *out, size_t count)
{
    size_t found = 0;
    if (!json_array(json))
        return false;
    const char *list = json->value;
    while (json_item(json)) {
        double value = 0;
        if (!json_f64(json, &value))
            return false;
        if (found < count)
            out[found] = value;
        found++;
    }
    if (json->status != TEMPER_OK || found == count)
        return json->status == TEMPER_OK;
    json->value = list;
    return json_fail(json, "%zu numbers, but %zu are needed; the text was changed", found, count);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool take_word(struct json_reader *json, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(json);
    if (json->status != TEMPER_OK || (size_t)(json->to - json->at) < length || memcmp(json->at, word, length) != 0)
        return false;
    json->at += length;
    return true;
}

bool json_bool(struct json_reader *json, bool *out)
{
    if (!begin_value(json))
        return false;
    bool value = take_word(json, "true");
    if (!value && !take_word(json, "false"))
        return fail_here(json, "true or false");
    *out = value;
    return true;
}

bool json_null(struct json_reader *json)
{
    return begin_value(json) && take_word(json, "null");
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* Four hexadecimal digits at p; -1 if they are not. */
static long hex4(const char *p, const char *to)
{
    long code = 0;
    if (to - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i], letter = c | 0x20;
        bool digit = c >= '0' && c <= '9';
        if (!digit && (letter < 'a' || letter > 'f'))
            return -1;
        code = code * 16 + (digit ? c - '0' : letter - 'a' + 10);
    }
    return code;
}

/* Decodes \uXXXX at p, or a surrogate pair of them; writes UTF-8 and returns the end, or NULL.
 * Unpaired surrogates dc80 to dcff encode single bytes that are not UTF-8. */
static const char *take_unicode(const char *p, const char *to, char **out)
{
    long code = hex4(p + 2, to);
    p += 6;
    if (code <= 0)
        return NULL;
    if (code >= 0xdc80 && code <= 0xdcff) {
        *(*out)++ = (char)(code & 0xff);
        return p;
    }
    if (code >= 0xd800 && code <= 0xdbff) {
        long low = to - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, to) : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return NULL;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    } else if (code >= 0xdc00 && code <= 0xdfff) {
        return NULL;
    }
    *out += utf8_encode((unsigned long)code, *out);
    return p;
}

/* Decodes the escape at p; returns its end, or NULL. */
static const char *take_escape(const char *p, const char *to, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (to - p < 2)
        return NULL;
    if (p[1] == 'u')
        return take_unicode(p, to, out);
    const char *found = p[1] ? strchr(letters, p[1]) : NULL;
    if (!found)
        return NULL;
    *(*out)++ = meanings[found - letters];
    return p + 2;
}

/* Decodes a string after its opening quote; decoding never lengthens it. Returns where it stopped: at
 * the closing quote, or at an error. */
static const char *unescape(const char *p, const char *to, char **out)
{
    while (p < to && *p != '"') {
        const char *before = p;
        if (*p == '\\') {
            p = take_escape(p, to, out);
            if (!p)
                return before;
            continue;
        }
        size_t length = utf8_length(p, to);
        if (length == 0 || (unsigned char)*p < 0x20)
            return before;
        memcpy(*out, p, length);
        *out += length;
        p += length;
    }
    return p;
}

/* An upper bound of the decoded length, with '\0': up to the first quote without a backslash. */
static size_t string_capacity(const char *p, const char *to)
{
    const char *from = p;
    while (p < to && *p != '"')
        p += *p == '\\' && to - p > 1 ? 2 : 1;
    return (size_t)(p - from) + 1;
}

bool json_string(struct json_reader *json, char **out)
{
    if (!begin_value(json))
        return false;
    if (!take(json, '"'))
        return fail_here(json, "a text in double quotes");
    char *text = mem_alloc(string_capacity(json->at, json->to), 1);
    if (!text)
        return json_no_memory(json);
    char *end = text;
    json->at = unescape(json->at, json->to, &end);
    *end = '\0';
    if (!take(json, '"')) {
        mem_free(text);
        return fail_here(json, "a letter in UTF-8, an escape or the end of the text");
    }
    *out = text;
    return true;
}
