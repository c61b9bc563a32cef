/* number: a fast path that is exact by construction, and the C library's conversion behind it. */
#define _GNU_SOURCE /* strtod_l and strtof_l: the plain ones follow the locale */
#include "base/number.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum {
    LONGEST_TOKEN = 1024,  /* for the C library; longer ones are shortened without a loss */
    DECISIVE_DIGITS = 800, /* no more than 768 tell between which two doubles a number lies */
    MOST_DIGITS = 19,      /* that fit in 64 bits */
    EXACT_POWER = 22,      /* 10^22 is the last power of ten that is a double */
    WIDE_POWER = 27,       /* and 10^27 the last that is an 80-bit long double */
};

/* Exponents stop growing here: far beyond what the digits of any file could make up for. */
static const long long LARGEST_EXPONENT = 1000000000000000;

/* A token taken apart: mantissa * 10^exponent, where the mantissa has all its digits. */
struct decimal {
    uint64_t mantissa;  /* the first digits */
    long long exponent; /* behind the last digit */
    long long digits;   /* leading zeros aside */
    bool negative;
    bool whole; /* the mantissa holds every digit */
};

static const long double power_of_ten[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                           1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                           1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds digits to the mantissa; returns behind them. */
static const char *scan_digits(const char *p, const char *to, struct decimal *number)
{
    long long digits = number->digits;
    for (; p < to && is_digit(*p); p++) {
        if (digits < MOST_DIGITS)
            number->mantissa = number->mantissa * 10 + (uint64_t)(*p - '0');
        digits += number->mantissa != 0; /* leading zeros do not count */
    }
    number->digits = digits;
    return p;
}

/* e+12; NULL if there are no digits. */
static const char *scan_exponent(const char *p, const char *to, struct decimal *number)
{
    long long value = 0, sign = 1;
    p++;
    if (p < to && (*p == '+' || *p == '-'))
        sign = *p++ == '-' ? -1 : 1;
    const char *first = p;
    for (; p < to && is_digit(*p); p++)
        value = value < LARGEST_EXPONENT ? value * 10 + (*p - '0') : value;
    number->exponent += sign * value;
    return p > first ? p : NULL;
}

/* False if the token is not one decimal number from end to end. */
static bool scan_decimal(const char *p, const char *to, struct decimal *number)
{
    *number = (struct decimal){0};
    if (p < to && (*p == '+' || *p == '-'))
        number->negative = *p++ == '-';
    const char *first = p;
    p = scan_digits(p, to, number);
    size_t seen = (size_t)(p - first);
    if (p < to && *p == '.') {
        const char *point = ++p;
        p = scan_digits(p, to, number);
        number->exponent -= p - point;
        seen += (size_t)(p - point);
    }
    if (seen == 0)
        return false;
    if (p < to && (*p == 'e' || *p == 'E') && !(p = scan_exponent(p, to, number)))
        return false;
    number->whole = number->digits <= MOST_DIGITS;
    return p == to;
}

/* The nearest double, if one operation in long double tells it: the numbers within its rounding
 * error must round to the same double. */
static bool quick_f64(const struct decimal *number, double *out)
{
    long long e = number->exponent;
    if (!number->whole || e < -WIDE_POWER || e > WIDE_POWER || LDBL_MANT_DIG < 64)
        return false;
    long double v = (long double)number->mantissa;
    v = e < 0 ? v / power_of_ten[-e] : v * power_of_ten[e];
    double low = (double)(v * (1 - 0x1p-62L)), high = (double)(v * (1 + 0x1p-62L));
    *out = number->negative ? -low : low;
    return low == high;
}

/* The nearest float, from the nearest double unless that lies in the middle between two floats. */
static bool quick_f32(const struct decimal *number, float *out)
{
    double nearest;
    uint64_t bits;
    if (!quick_f64(number, &nearest) || fabs(nearest) < (double)FLT_MIN || fabs(nearest) > 1e38)
        return number->whole && number->mantissa == 0 ? (*out = number->negative ? -0.0f : 0, true) : false;
    memcpy(&bits, &nearest, sizeof bits);
    *out = (float)nearest;
    return (bits & 0x1fffffff) != 0x10000000;
}

/* nan, inf and infinity, the sign aside; the C library's own words for them. */
static bool is_word_for_infinity(const char *p, const char *to)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    if (p < to && (*p == '+' || *p == '-'))
        p++;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t i = 0, length = strlen(words[w]);
        while (i < length && p + i < to && (p[i] | 0x20) == words[w][i])
            i++;
        if (i == length && p + i == to)
            return true;
    }
    return false;
}

/* A number of any length in few characters: its first digits, a 1 behind them if any of the others
 * is not 0, and the exponent. Both round to the same double and to the same float. */
static void shorten(const char *p, const char *to, const struct decimal *number, char copy[LONGEST_TOKEN + 1])
{
    char *end = copy;
    long long kept = 0, exponent = number->exponent;
    bool rest = false;
    *end++ = number->negative ? '-' : '+';
    for (; p < to && (*p | 0x20) != 'e'; p++) {
        if (!is_digit(*p) || (kept == 0 && *p == '0'))
            continue;
        if (kept < DECISIVE_DIGITS) {
            *end++ = *p;
            kept++;
        } else {
            rest = rest || *p != '0';
        }
    }
    *end++ = rest ? '1' : '0';
    exponent += number->digits - kept - 1;
    /* The C library knows what is beyond its range; long long might be beyond its int. */
    exponent = exponent > INT_MAX / 2 ? INT_MAX / 2 : exponent;
    exponent = exponent < -(INT_MAX / 2) ? -(INT_MAX / 2) : exponent;
    snprintf(end, (size_t)(copy + LONGEST_TOKEN + 1 - end), "e%lld", exponent);
}

/* A copy that ends in '\0', as the C library wants it. */
static void copy_token(const char *from, const char *to, const struct decimal *number, char copy[LONGEST_TOKEN + 1])
{
    size_t length = (size_t)(to - from);
    if (length > LONGEST_TOKEN) {
        shorten(from, to, number, copy);
        return;
    }
    memcpy(copy, from, length);
    copy[length] = '\0';
}

/* The C library's conversion in the C locale; it rounds correctly, and takes its time. */
static bool slow_f64(const char *from, const char *to, const struct decimal *number, double *as_f64, float *as_f32)
{
    char copy[LONGEST_TOKEN + 1];
    copy_token(from, to, number, copy);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    if (as_f64)
        *as_f64 = strtod_l(copy, NULL, plain);
    else
        *as_f32 = strtof_l(copy, NULL, plain);
    freelocale(plain);
    return true;
}

enum number_result number_f64(const char *from, const char *to, double *out)
{
    struct decimal number;
    if (!scan_decimal(from, to, &number))
        return is_word_for_infinity(from, to) ? NUMBER_NOT_FINITE : NUMBER_NONE;
    double value;
    if (!quick_f64(&number, &value) && !slow_f64(from, to, &number, &value, NULL))
        return NUMBER_NONE;
    if (isinf(value))
        return NUMBER_OVERFLOW;
    *out = value;
    return NUMBER_OK;
}

enum number_result number_f32(const char *from, const char *to, float *out)
{
    struct decimal number;
    if (!scan_decimal(from, to, &number))
        return is_word_for_infinity(from, to) ? NUMBER_NOT_FINITE : NUMBER_NONE;
    float value;
    if (!quick_f32(&number, &value) && !slow_f64(from, to, &number, NULL, &value))
        return NUMBER_NONE;
    if (isinf(value))
        return NUMBER_OVERFLOW;
    *out = value;
    return NUMBER_OK;
}

bool number_u64(const char *from, const char *to, unsigned long long *out)
{
    unsigned long long value = 0;
    if (from == to)
        return false;
    for (; from < to; from++) {
        if (!is_digit(*from) || value > (ULLONG_MAX - (unsigned)(*from - '0')) / 10)
            return false;
        value = value * 10 + (unsigned)(*from - '0');
    }
    *out = value;
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Significant digits, without trailing zeros: d.ddd * 10^exponent. */
struct digits {
    char digit[24];
    int count, exponent;
};

static struct digits digits_of(double value, int precision)
{
    struct digits digits = {0};
    char printed[64];
    snprintf(printed, sizeof printed, "%.*e", precision - 1, value);
    const char *e = strchr(printed, 'e');
    for (const char *p = printed; p < e; p++) /* steps over the point, however the locale writes it */
        if (is_digit(*p))
            digits.digit[digits.count++] = *p;
    while (digits.count > 1 && digits.digit[digits.count - 1] == '0')
        digits.count--;
    digits.exponent = (int)strtol(e + 1, NULL, 10);
    return digits;
}

/* The same without the library, for numbers of ordinary size: as many as are needed. */
static bool quick_digits(double value, struct digits *digits)
{
    uint64_t number;
    if (!decimal_shortest(value, &number, &digits->exponent))
        return false;
    for (int i = DECIMAL_DIGITS - 1; i >= 0; i--, number /= 10)
        digits->digit[i] = (char)('0' + number % 10);
    digits->count = DECIMAL_DIGITS;
    while (digits->count > 1 && digits->digit[digits->count - 1] == '0')
        digits->count--;
    return true;
}

/* As people write it: 0.001, 120, 1.5e-7, 1e+30 as 1e30. */
static size_t lay_out(const struct digits *digits, bool negative, char out[NUMBER_LENGTH])
{
    size_t n = 0;
    int e = digits->exponent, count = digits->count;
    bool plain = e >= -5 && e < 16;
    if (negative)
        out[n++] = '-';
    if (plain && e < 0) {
        out[n++] = '0';
        out[n++] = '.';
        for (int i = -1; i > e; i--)
            out[n++] = '0';
    }
    for (int i = 0; i < count; i++) {
        out[n++] = digits->digit[i];
        if (i + 1 < count && (plain ? i == e : i == 0))
            out[n++] = '.';
    }
    for (int i = count - 1; plain && i < e; i++)
        out[n++] = '0';
    out[n] = '\0';
    if (!plain)
        n += (size_t)snprintf(out + n, NUMBER_LENGTH - n, "e%d", e);
    return n;
}

static size_t write_special(double value, char out[NUMBER_LENGTH])
{
    const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : value < 0 ? "-inf" : "0";
    if (value == 0 && signbit(value))
        word = "-0";
    memcpy(out, word, strlen(word) + 1);
    return strlen(word);
}

/* Fifteen digits tell any two decimals of so many digits apart, so if they read back, the shortest
 * text is theirs without the trailing zeros; else one digit more at a time. Denormal numbers have
 * fewer. */
size_t number_write_f64(double value, char out[NUMBER_LENGTH])
{
    size_t length = 0;
    struct digits quick;
    if (!isfinite(value) || value == 0)
        return write_special(value, out);
    if (quick_digits(fabs(value), &quick))
        return lay_out(&quick, value < 0, out);
    for (int precision = fabs(value) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        struct digits digits = digits_of(fabs(value), precision);
        double back = 0;
        length = lay_out(&digits, value < 0, out);
        if (number_f64(out, out + length, &back) == NUMBER_OK && back == value)
            break;
    }
    return length;
}

size_t number_write_f32(float value, char out[NUMBER_LENGTH])
{
    size_t length = 0;
    if (!isfinite(value) || value == 0)
        return write_special((double)value, out);
    for (int precision = fabsf(value) < FLT_MIN ? 1 : 6; precision <= 9; precision++) {
        struct digits digits = digits_of(fabs((double)value), precision);
        float back = 0;
        length = lay_out(&digits, value < 0, out);
        if (number_f32(out, out + length, &back) == NUMBER_OK && back == value)
            break;
    }
    return length;
}
