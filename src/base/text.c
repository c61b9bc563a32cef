/* text: a growing string, and UTF-8 (RFC 3629).
 *
 * Appending cannot fail in the eyes of the caller: without memory the text is marked as failed, later calls do nothing,
 * and the mark is checked once at the end. Numbers are formatted without printf's %f, whose decimal point depends on
 * the locale of the process. */
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* Leaves an empty text that can be appended to again; also clears `failed`. */
void text_free(struct text *text)
{
    mem_free(text->bytes);
    *text = (struct text){0};
}

/* Grows the buffer for `extra` more bytes and the final '\0'. The capacity doubles, so that appending
 * n bytes takes O(n) time. Sets `failed` without memory. */
static bool text_reserve(struct text *text, size_t extra)
{
    size_t needed;
    if (text->failed)
        return false;
    /* a length that wraps around would reserve too little */
    if (!add_size(text->length, extra, &needed) || !add_size(needed, 1, &needed))
        goto fail;
    /* the usual case: most texts are built of many short pieces */
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed)
        if (!mul_size(capacity, 2, &capacity))
            goto fail;
    char *bytes = mem_resize(text->bytes, capacity, 1);
    if (!bytes)
        goto fail;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
fail:
    text->failed = true;
    return false;
}

/* The bytes may contain zeros (wire_format stores binary numbers in a text). A terminator follows them each time,
 * so that `bytes` is a C string between any two calls. */
void text_append_bytes(struct text *text, const char *bytes, size_t length)
{
    if (!text_reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

/* Formats twice, as the length has no bound: the first call only measures. The terminator that vsnprintf writes is
 * within the byte that text_reserve always adds. */
void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !text_reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

/* Rounds to a multiple of 10^-decimals in integers: printf's %f would follow the locale. */
void text_append_number(struct text *text, double value, int decimals)
{
    static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    assert(decimals >= 0 && decimals <= 9);
    double scaled = fabs(value) * power[decimals];
    if (!isfinite(value)) {
        text_append(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    if (scaled >= 9e15) { /* beyond 2^53 there are no digits after the point */
        text_format(text, "%.0f", value);
        return;
    }
    /* below 9e15 the product is exact to one unit, and fits in 64 bits */
    long long whole = llround(scaled), unit = (long long)power[decimals];
    if (whole == 0) { /* never "-0" */
        text_append(text, "0");
        return;
    }
    /* the sign apart, as the whole part of -0.5 is 0 */
    text_format(text, "%s%lld", value < 0 ? "-" : "", whole / unit);
    long long fraction = whole % unit;
    if (fraction == 0)
        return;
    /* a fraction other than 0 has a last digit other than 0, so this ends */
    while (fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    text_format(text, ".%0*lld", decimals, fraction);
}

/* isspace() depends on the locale, so these four are listed. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* tolower() of ASCII, in any locale. */
static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Two strings have the same folded form exactly if text_alike is true for them, so that the form can be a key for
 * sorting or hashing. */
void text_append_folded(struct text *text, const char *string)
{
    text_append(text, ""); /* so that `bytes` is not NULL */
    for (; *string; string++) {
        char small = small_letter(*string);
        if (!is_blank(small))
            text_append_bytes(text, &small, 1);
    }
}

/* Compares character by character, skipping blanks of both. */
bool text_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (is_blank(*a))
            a++;
        while (is_blank(*b))
            b++;
        if (small_letter(*a) != small_letter(*b))
            return false;
        if (!*a)
            return true;
    }
}

/* ---- Counts ------------------------------------------------------------------------------------ */

/* A comma between groups of three digits, in every locale: output must not depend on the environment. */
struct count_text count_shown(unsigned long long count)
{
    char digits[24];
    struct count_text out;
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", count), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) /* a group begins where a multiple of three digits remains */
            out.text[at++] = ',';
        out.text[at++] = digits[i];
    }
    out.text[at] = '\0';
    return out;
}

/* ---- Names that are nearly the same ------------------------------------------------------------ */

enum { SUGGESTED_LENGTH = 48 }; /* longer names are not compared */

/* The case of ASCII letters is no difference. */
static bool same_letter(char a, char b)
{
    return small_letter(a) == small_letter(b);
}

/* Optimal string alignment distance: the number of insertions, deletions, substitutions and swaps of neighbours that
 * turn `a` into `b`, the case of letters aside. The recurrence needs three rows of its table. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][SUGGESTED_LENGTH + 1], columns = strlen(b), i;
    /* From an empty prefix of a, j insertions give the first j letters of b. */
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    for (i = 1; a[i - 1]; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        /* i deletions give an empty prefix of b. */
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            now[j] = min_size(last[j - 1] + !same_letter(a[i - 1], b[j - 1]), min_size(last[j], now[j - 1]) + 1);
            /* A swap of neighbours, the most frequent typing mistake, counts once. */
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                now[j] = min_size(now[j], before[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][columns];
}

/* Offers a candidate; the nearest one so far is kept, the first among equals. A prefix of two letters or more counts as
 * distance 1, however much is missing, and so does a longer form of a name of three or more; otherwise about one
 * mistake in four characters is tolerated. */
void suggestion_offer(struct suggestion *suggestion, const char *name)
{
    size_t typed = strlen(suggestion->typed), length = strlen(name);
    if (typed == 0 || typed > SUGGESTED_LENGTH || length > SUGGESTED_LENGTH)
        return;
    bool prefix = typed >= 2 && strncmp(name, suggestion->typed, typed) == 0;
    bool extended = length >= 3 && strncmp(name, suggestion->typed, length) == 0;
    size_t distance = prefix || extended ? 1 : edit_distance(suggestion->typed, name);
    if (distance > 1 + length / 4 || distance >= length || (suggestion->name && distance >= suggestion->distance))
        return;
    suggestion->name = name;
    suggestion->distance = distance;
}

/* A sentence that does not fit is dropped as a whole: half a sentence could state the opposite. */
void sentence_append(char *list, size_t size, const char *format, ...)
{
    size_t used = strlen(list), left = size - used;
    va_list arguments;
    va_start(arguments, format);
    /* writes as much as fits; the terminator is restored below if that was not all */
    int length = vsnprintf(list + used, left, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= left)
        list[used] = '\0';
    else
        memcpy(list + used + length, "\n", 2);
}

void warning_append(temper_warnings *warnings, temper_warning_code code, const char *format, ...)
{
    size_t capacity = sizeof warnings->list / sizeof *warnings->list;
    if (warnings->count == capacity)
        return;
    temper_warning *warning = &warnings->list[warnings->count];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof warning->text)
        return;
    warning->code = code;
    warnings->count++;
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

/* Length of a character, from its first byte; 0 for bytes that cannot be first: 80 to bf continue a character, c0 and
 * c1 would begin overlong forms of ASCII, and f5 to ff code points beyond U+10FFFF. */
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Decodes the code point, because some invalid sequences have the right bits in every byte: overlong forms,
 * surrogates (which belong to UTF-16) and code points beyond the last plane. */
size_t utf8_length(const char *p, const char *to)
{
    const unsigned char *bytes = (const unsigned char *)p;
    /* the least code point that needs this many bytes; a smaller one is an overlong form */
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = sequence_length(bytes[0]);
    if (length < 2)
        return length;
    if ((size_t)(to - p) < length)
        return 0;
    /* the bits of the first byte after its length mark */
    unsigned long code = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    int surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || surrogate || code > 0x10ffff ? 0 : length;
}

/* From the last byte to the first, six bits each; the remaining bits share the first byte with the mark of the
 * length. The caller passes a valid code point, and 4 bytes for `out`. */
size_t utf8_encode(unsigned long code, char *out)
{
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(length == 1 ? code : marks[length] | code);
    return length;
}
