/* json_read: a cursor on the text, and the nesting of objects and arrays around it.
 *
 * The state is the cursor, the depth, and for each level whether its first member is still to come, which decides
 * whether a comma is expected. There is no recursion and no token list: every call reads one value at the cursor.
 * Numbers are converted by base/number, so that a double is read back with the bits with which it was written. */
#include "base/json/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

/* Bytes of a message without its place; temper_error holds both. */
enum { REASON = 400 };

/* Depth 0 is the level of the whole text, which is neither an object nor an array. */
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
    /* formatted first: the place is prepended to the sentence */
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    for (const char *p; (p = memchr(begin, '\n', (size_t)(json->value - begin))); begin = p + 1)
        line++;
    /* columns count bytes from 1 */
    size_t column = (size_t)(json->value - begin) + 1;
    json->status =
        error_at(json->error, TEMPER_BAD_DATA, line, column, "%s:%zu:%zu: %s", json->name, line, column, reason);
    return false;
}

/* The first failure is kept, as in json_fail: later calls only fail because of it. */
bool json_no_memory(struct json_reader *json)
{
    if (json->status == TEMPER_OK)
        json->status = error_no_memory(json->error);
    return false;
}

/* Reports that `expected` is missing at the cursor. The files are written by this library, so the likely causes are a
 * transfer that was interrupted (the text ends) and an edit by hand. */
static bool fail_here(struct json_reader *json, const char *expected)
{
    json->value = json->at;
    if (json->at == json->to)
        return json_fail(json, "the text ends where %s must come; it was cut off", expected);
    return json_fail(json, "%s must come here; the text is not as it was written", expected);
}

/* ---- Between values -------------------------------------------------------------------------- */

/* The four blanks of RFC 8259. */
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

/* A second value after the first would otherwise be ignored silently. */
bool json_end(struct json_reader *json)
{
    if (!begin_value(json))
        return false;
    return json->at == json->to || json_fail(json, "something follows the end; remove it");
}

/* ---- Objects and arrays ---------------------------------------------------------------------- */

/* Enters an object or array: its opening bracket, one level deeper. The depth is limited because `fresh` has one entry
 * for each level; there is no recursion that could exhaust the stack. */
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

/* The words are those of messages: "an object, '{', must come here". */
bool json_object(struct json_reader *json)
{
    return enter(json, '{', "an object, '{',");
}

bool json_array(struct json_reader *json)
{
    return enter(json, '[', "a list, '[',");
}

/* Advances over the comma to the next member, or over the closing bracket to the level above. A comma before the first
 * member or before the closing bracket is an error: in the latter case the caller requests a value and finds none. */
static bool more(struct json_reader *json, char bracket, const char *words)
{
    if (!begin_value(json))
        return false;
    /* no comma precedes the first member */
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
    /* an unescaped line break means that the closing quote is missing */
    const char *first = json->at;
    while (json->at < json->to && *json->at != '"' && *json->at != '\\' && *json->at != '\n')
        json->at++;
    size_t length = (size_t)(json->at - first);
    if (!take(json, '"'))
        return fail_here(json, "the end of a key, '\"',");
    /* no known key is that long, so the caller would ignore it at best */
    if (length >= JSON_KEY)
        return json_fail(json, "no key is as long as this; remove it");
    if (!take(json, ':'))
        return fail_here(json, "':'");
    memcpy(key, first, length);
    key[length] = '\0';
    return true;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The first byte in [p, to) that is no digit, or `to`. */
static const char *skip_digits(const char *p, const char *to)
{
    while (p < to && *p >= '0' && *p <= '9')
        p++;
    return p;
}

const char *json_number_end(const char *p, const char *to)
{
    p += p < to && *p == '-';
    const char *first = p;
    p = skip_digits(p, to);
    /* at least one digit, and no leading zero */
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

/* The grammar is checked here, the value computed by number_f64, which rounds correctly: a double that json_write
 * wrote is read back with the same bits. */
bool json_f64(struct json_reader *json, double *out)
{
    double value;
    if (!begin_value(json))
        return false;
    const char *end = json_number_end(json->at, json->to);
    if (!end)
        return fail_here(json, "a number");
    /* the grammar was checked, so only the range can fail */
    if (number_f64(json->at, end, &value) != NUMBER_OK)
        return json_fail(json, "the number is beyond the range of a double; it must be finite");
    json->at = end;
    *out = value;
    return true;
}

/* Numbers that a double cannot hold exactly, such as seeds, are read without a conversion to double. "1e3" and
 * "1.0" are refused. */
bool json_u64(struct json_reader *json, uint64_t *out)
{
    unsigned long long value;
    if (!begin_value(json))
        return false;
    const char *end = json_number_end(json->at, json->to);
    if (!end || !number_u64(json->at, end, &value))
        return fail_here(json, "a whole number from 0 to 2^64 - 1");
    json->at = end;
    *out = value;
    return true;
}

/* Counts on after `count` numbers, so that the message can name the number that was found. The place of that
 * message is the begin of the array, not the last number. */
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
        /* numbers beyond the expected count are parsed and dropped */
        if (found < count)
            out[found] = value;
        found++;
    }
    /* after an error json_item returned false too */
    if (json->status != TEMPER_OK || found == count)
        return json->status == TEMPER_OK;
    /* the message refers to the array, not to its last number */
    json->value = list;
    return json_fail(json, "%zu numbers, but %zu are needed; the text was changed", found, count);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Consumes a word (true, false, null) if it is next; nothing otherwise. A longer word that begins with it fails at
 * the next separator. */
static bool take_word(struct json_reader *json, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(json);
    if (json->status != TEMPER_OK || (size_t)(json->to - json->at) < length || memcmp(json->at, word, length) != 0)
        return false;
    json->at += length;
    return true;
}

/* 0 and 1 are not accepted in place of the words, as the writer never uses them. */
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

/* Called before the reader of an optional value, so a value that is not null is no error. */
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
        /* setting bit 5 makes letters small; digits are tested on the original byte */
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
    /* no hexadecimal number; or \u0000, which a C string cannot hold */
    if (code <= 0)
        return NULL;
    if (code >= 0xdc80 && code <= 0xdcff) {
        *(*out)++ = (char)(code & 0xff);
        return p;
    }
    /* a character beyond U+FFFF is a pair of surrogates, as in UTF-16 */
    if (code >= 0xd800 && code <= 0xdbff) {
        /* the second half must follow immediately */
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
    /* the character after the backslash, and at the same index what it stands for */
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

/* The result is never longer than the text: the shortest escape of a character of n bytes in UTF-8 has at least n
 * bytes.
 * */
const char *json_unescape(const char *p, const char *to, char **out)
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
        /* control characters must be escaped in JSON; invalid UTF-8 is refused */
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
        /* a backslash and the next byte are skipped together, so that an escaped quote does not end the string */
        p += *p == '\\' && to - p > 1 ? 2 : 1;
    return (size_t)(p - from) + 1;
}

/* Decodes into a block of the encoded length, in one pass. */
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
    json->at = json_unescape(json->at, json->to, &end);
    /* json_unescape stops at the first byte that it cannot decode; the closing quote is checked here */
    *end = '\0';
    if (!take(json, '"')) {
        mem_free(text);
        return fail_here(json, "a letter in UTF-8, an escape or the end of the text");
    }
    *out = text;
    return true;
}
