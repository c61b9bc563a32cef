/* text: a growing string. */
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void text_free(struct text *text)
{
    mem_free(text->bytes);
    *text = (struct text){0};
}

/* Room for `extra` more bytes and the final '\0'; capacity doubles, so appending is linear. */
static bool text_reserve(struct text *text, size_t extra)
{
    size_t needed;
    if (text->failed)
        return false;
    if (!add_size(text->length, extra, &needed) || !add_size(needed, 1, &needed))
        goto fail;
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

void text_append_number(struct text *text, double value, int decimals)
{
    static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    assert(decimals >= 0 && decimals <= 9);
    double scaled = fabs(value) * power[decimals];
    if (!isfinite(value)) {
        text_append(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    if (scaled >= 9e15) { /* no digits after the point that mean anything */
        text_format(text, "%.0f", value);
        return;
    }
    long long whole = llround(scaled), unit = (long long)power[decimals];
    if (whole == 0) { /* never "-0" */
        text_append(text, "0");
        return;
    }
    text_format(text, "%s%lld", value < 0 ? "-" : "", whole / unit);
    long long fraction = whole % unit;
    if (fraction == 0)
        return;
    while (fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    text_format(text, ".%0*lld", decimals, fraction);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whatever the locale. */
static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void text_append_folded(struct text *text, const char *string)
{
    text_append(text, ""); /* so that there are bytes, whatever comes */
    for (; *string; string++) {
        char small = small_letter(*string);
        if (!is_blank(small))
            text_append_bytes(text, &small, 1);
    }
}

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

void sentence_append(char *list, size_t size, const char *format, ...)
{
    size_t used = strlen(list), left = size - used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(list + used, left, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= left)
        list[used] = '\0';
    else
        memcpy(list + used + length, "\n", 2);
}
