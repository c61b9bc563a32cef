/* number: decimal text to binary floating point and back, correctly rounded.
 *
 * Each direction has a fast path that is exact by construction, and falls back to the C library's
 * conversion in the C locale where that cannot decide. */
#define _GNU_SOURCE /* strtod_l and strtof_l: strtod and strtof follow the locale */
#include "base/number.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_fast.h"

enum {
    LONGEST_TOKEN = 1024,  /* passed to the C library; longer ones are shortened to the same value */
    DECISIVE_DIGITS = 800, /* at most 768 digits decide between which two doubles a number is */
    MOST_DIGITS = 19,      /* that fit in 64 bits */
    EXACT_POWER = 22,      /* 10^22 is the last power of ten that is a double */
    WIDE_POWER = 27,       /* and 10^27 the last that is an 80-bit long double */
};

/* Bound of exponents: more than the digits of any file could compensate. */
static const long long LARGEST_EXPONENT = 1000000000000000;

/* A parsed token: mantissa * 10^exponent, if the mantissa holds all digits. */
struct decimal {
    uint64_t mantissa;  /* the first digits */
    long long exponent; /* of the last digit */
    long long digits;   /* without leading zeros */
    bool negative;
    bool whole; /* the mantissa holds every digit */
};

/* All exact: 10^27 = 2^27 * 5^27, and 5^27 has 63 bits, which fit in the 64-bit mantissa of an 80-bit long double. */
static const long double power_of_ten[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                           1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                           1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* isdigit() is undefined for negative char values. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends digits to the mantissa; returns the end of them. */
static const char *scan_digits(const char *p, const char *to, struct decimal *number)
{
    long long digits = number->digits;
    for (; p < to && is_digit(*p); p++) {
        /* further digits do not fit in 64 bits, and are only counted */
        if (digits < MOST_DIGITS)
            number->mantissa = number->mantissa * 10 + (uint64_t)(*p - '0');
        digits += number->mantissa != 0; /* leading zeros do not count */
    }
    number->digits = digits;
    return p;
}

/* Parses e+12; NULL if there are no digits. */
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

/* Parses the whole token; false if it is not one decimal number. */
static bool scan_decimal(const char *p, const char *to, struct decimal *number)
{
    *number = (struct decimal){0};
    if (p < to && (*p == '+' || *p == '-'))
        number->negative = *p++ == '-';
    const char *first = p;
    p = scan_digits(p, to, number);
    /* digits on either side of the point; one suffices, so "5." and ".5" are numbers */
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
    /* else the mantissa has the first 19 digits only */
    number->whole = number->digits <= MOST_DIGITS;
    return p == to;
}

/* The nearest double, if one operation in long double decides it: all numbers within its rounding
 * error round to the same double. */
static bool quick_f64(const struct decimal *number, double *out)
{
    long long e = number->exponent;
    /* the error bound below needs a long double of 64 bits or more: not where it is the same as double */
    if (!number->whole || e < -WIDE_POWER || e > WIDE_POWER || LDBL_MANT_DIG < 64)
        return false;
    long double v = (long double)number->mantissa;
    v = e < 0 ? v / power_of_ten[-e] : v * power_of_ten[e];
    /* two roundings of relative error 2^-64 each are within 2^-62 */
    double low = (double)(v * (1 - 0x1p-62L)), high = (double)(v * (1 + 0x1p-62L));
    *out = number->negative ? -low : low;
    return low == high;
}

/* The nearest float, from the nearest double unless that is halfway between two floats. */
static bool quick_f32(const struct decimal *number, float *out)
{
    double nearest;
    uint64_t bits;
    /* denormal floats and overflow are left to the C library; zero has an exact answer */
    if (!quick_f64(number, &nearest) || fabs(nearest) < (double)FLT_MIN || fabs(nearest) > 1e38)
        return number->whole && number->mantissa == 0 ? (*out = number->negative ? -0.0f : 0, true) : false;
    memcpy(&bits, &nearest, sizeof bits);
    *out = (float)nearest;
    /* the 29 bits that a float does not have: exactly one half is the only undecidable case */
    return (bits & 0x1fffffff) != 0x10000000;
}

/* nan, inf and infinity, with or without a sign, as the C library accepts them. */
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

/* A number of any length in few characters: its first digits, a 1 after them if any of the others is
 * not 0, and the exponent. Both round to the same double and to the same float. */
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
    /* digits that were dropped scale the number, and the digit appended above counts as one */
    exponent += number->digits - kept - 1;
    /* Out of range for the C library in any case, but within its int. */
    exponent = exponent > INT_MAX / 2 ? INT_MAX / 2 : exponent;
    exponent = exponent < -(INT_MAX / 2) ? -(INT_MAX / 2) : exponent;
    snprintf(end, (size_t)(copy + LONGEST_TOKEN + 1 - end), "e%lld", exponent);
}

/* A copy that ends in '\0', as the C library needs. */
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

/* The C library's conversion in the C locale: correctly rounded, and slow. Reached by numbers whose digits or power of
 * ten are not exact as doubles, so that one multiplication or division would round twice. The token is copied, since
 * strtod_l needs a terminator and may not read behind the text. */
static bool slow_f64(const char *from, const char *to, const struct decimal *number, double *as_f64, float *as_f32)
{
    char copy[LONGEST_TOKEN + 1];
    copy_token(from, to, number, copy);
    /* made for each call, as a global one would need a lock; this path is rare */
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

/* The fast path handles nearly all numbers of real files. Numbers that round to infinity are refused, those that
 * underflow are rounded. */
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

/* Not by way of the double in all cases: rounding twice would give the wrong float where the double is halfway
 * between two floats (quick_f32 detects this). */
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

/* The bound is checked before each multiplication, so that the value never wraps around. */
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

/* ---- Numbers of the fast path that are not short -------------------------------------------- */

/* Are the eight bytes at p digits? Those are 0x30..0x39: the upper half is 3, also with 6 added. */
static bool are_digits(const char *p)
{
    const uint64_t high = 0xf0f0f0f0f0f0f0f0;
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return ((word & high) | ((word + 0x0606060606060606) & high) >> 4) == 0x3333333333333333;
}

/* Appends digits, eight at a time; returns the end of them. Too many wrap around, which the caller
 * detects by their number. */
static inline const char *take_digits(const char *p, const char *to, uint64_t *digits)
{
    for (; to - p >= 8 && are_digits(p); p += 8)
        *digits = *digits * number_tens[8] + number_eight(p, 8);
    for (; p < to && (unsigned)*p - '0' < 10; p++)
        *digits = *digits * 10 + ((unsigned)*p - '0');
    return p;
}

/* Adds the exponent e-07 at p, of one or two digits up to the end of the token. */
static bool take_exponent(const char *p, const char *to, int *power)
{
    uint64_t digits = 0;
    p++; /* to a sign or a digit, or to the end of the token, which is neither */
    bool negative = *p == '-';
    p += negative || *p == '+';
    if (to - p < 1 || to - p > 2 || take_digits(p, to, &digits) != to)
        return false;
    *power += negative ? -(int)digits : (int)digits;
    return *power >= -NUMBER_PLAIN_POWER && *power <= NUMBER_PLAIN_POWER;
}

/* Called by number_fast_read for numbers that are longer than its special form: exponents, or more digits. Digits
 * before and after the decimal point are collected in one integer, and the point becomes a power of ten. False: too
 * many digits for 64 bits, or no number; the caller then takes the general path, which also reports errors. */
bool number_fast_long(const char *p, const char *to, struct number_fast *number)
{
    uint64_t digits = 0;
    number->negative = p < to && *p == '-';
    p += number->negative;
    const char *first = p;
    p = take_digits(p, to, &digits);
    ptrdiff_t count = p - first;
    number->power = 0;
    if (p < to && *p == '.') {
        first = ++p;
        p = take_digits(p, to, &digits);
        number->power = -(int)(p - first);
        count += p - first;
    }
    number->digits = digits;
    if (count == 0 || count > NUMBER_PLAIN_DIGITS)
        return false;
    return p == to || ((*p == 'e' || *p == 'E') && take_exponent(p, to, &number->power));
}

/* ---- Shortest digits in integers ------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

enum { LEAST_POWER = 3, MOST_POWER = 27 }; /* 5^27 < 2^63 */

/* A double is m 2^q with an integer m < 2^53, so that value * 10^k = m 5^k * 2^(q + k), where m 5^k is exact in 128
 * bits. Digits are computed and compared on this scale, so that no rounding takes place. */
static const uint64_t LOW = 10000000000000000, HIGH = 100000000000000000; /* 17 digits: LOW <= x < HIGH */

/* A number scaled to 17 digits before the point: x / 2^shift. */
struct scaled_number {
    wide x;
    int shift;
    uint64_t five; /* 5^power: the distance to the next double is this / 2^shift */
    bool even, lowest;
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* e of a normal number in 2^e .. 2^(e + 1). */
static int binary_exponent(double value)
{
    return (int)(bits_of(value) >> 52 & 2047) - 1023;
}

/* value * 10^power as x / 2^shift; false if that does not fit. The product is exact: the mantissa has 53 bits, and
 * 5^power fits into the rest of 128 bits for the powers that are allowed; the factor 2^power goes into the shift. The
 * interval of decimals that read back as `value` can then be computed in integers. */
static bool scale_by(double value, int power, struct scaled_number *s)
{
    /* 5^i, up to MOST_POWER */
    static const uint64_t FIVE[] = {1,
                                    5,
                                    25,
                                    125,
                                    625,
                                    3125,
                                    15625,
                                    78125,
                                    390625,
                                    1953125,
                                    9765625,
                                    48828125,
                                    244140625,
                                    1220703125,
                                    6103515625,
                                    30517578125,
                                    152587890625,
                                    762939453125,
                                    3814697265625,
                                    19073486328125,
                                    95367431640625,
                                    476837158203125,
                                    2384185791015625,
                                    11920928955078125,
                                    59604644775390625,
                                    298023223876953125,
                                    1490116119384765625,
                                    7450580596923828125};
    if (power < LEAST_POWER || power > MOST_POWER)
        return false;
    int exponent = binary_exponent(value);
    uint64_t m = bits_of(value) % ((uint64_t)1 << 52) + ((uint64_t)1 << 52);
    s->five = FIVE[power];
    s->x = (wide)m * s->five;
    s->shift = -(exponent - 52 + power);
    s->even = m % 2 == 0;
    s->lowest = m == (uint64_t)1 << 52; /* a power of two: doubles below it are closer */
    return s->shift > 0 && s->shift < 120;
}

/* The nearest multiple of `unit`, ties to even. */
static uint64_t nearest(const struct scaled_number *s, uint64_t unit)
{
    uint64_t whole = (uint64_t)(s->x >> s->shift), count = whole / unit;
    wide rest = s->x - ((wide)(count * unit) << s->shift);
    wide half = (wide)unit << (s->shift - 1);
    return (count + (rest > half || (rest == half && count % 2 == 1))) * unit;
}

/* Is the double nearest to these digits the original one? */
static bool reads_back(const struct scaled_number *s, uint64_t digits)
{
    wide decimal = (wide)digits << s->shift;
    bool below = decimal < s->x;
    /* twice the distance, which is compared with that of neighbouring doubles: half of an odd number would be no
     * integer */
    wide off = 2 * (below ? s->x - decimal : decimal - s->x);
    if (below && s->lowest)
        off *= 2;
    return off < s->five || (off == s->five && s->even);
}

/* floor(log10(value)) for values of 1e-12 to 1e15; off by at most one where a power of ten is no double. */
static int decimal_exponent(double value)
{
    static const double TEN[] = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,
                                 1e2,   1e3,   1e4,   1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    enum { LEAST = -12 };
    /* floor(e log10(2)), with 1233 / 4096 for log10(2): one too small, or exact */
    int product = 1233 * binary_exponent(value), least = (product - (product < 0 ? 4095 : 0)) / 4096;
    least = least < LEAST ? LEAST : least;
    return least + (value >= TEN[least + 1 - LEAST]);
}

/* The shortest digits of value > 0 that read back: *digits has DECIMAL_DIGITS digits, d.ddd *
 * 10^exponent, of which those after the first 15, or 16, are 0 if the number reads back without them;
 * the nearest ones, ties to even, as printf has them. False outside about 1e-11 .. 1e14. */
bool decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    struct scaled_number s = {0};
    /* a first bound, for the logarithm; the precise one is that of scale_by */
    if (!(value > 1e-12 && value < 1e15))
        return false;
    int guess = decimal_exponent(value); /* off by at most one, near a power of ten */
    if (!scale_by(value, DECIMAL_DIGITS - 1 - guess, &s))
        return false;
    uint64_t whole = (uint64_t)(s.x >> s.shift);
    if (whole >= HIGH || whole < LOW) {
        guess += whole >= HIGH ? 1 : -1;
        if (!scale_by(value, DECIMAL_DIGITS - 1 - guess, &s))
            return false;
    }
    /* 15, 16, then 17 digits: with 17 every double reads back */
    uint64_t found = 0;
    for (uint64_t unit = 100; unit >= 1; unit /= 10) {
        found = nearest(&s, unit);
        if (reads_back(&s, found))
            break;
    }
    *exponent = found >= HIGH ? guess + 1 : guess; /* 9.99... became 10 */
    *digits = found >= HIGH ? found / 10 : found;
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Significant digits, without trailing zeros: d.ddd * 10^exponent. */
struct digit_string {
    char digit[24];
    int count, exponent;
};

/* The digits that printf computes for this precision (number of significant digits), which glibc rounds correctly. The
 * fallback of the integer method above. Trailing zeros are dropped, so that 1 is written as 1 and not as 1.00000. */
static struct digit_string digits_of(double value, int precision)
{
    struct digit_string digits = {0};
    char printed[64];
    snprintf(printed, sizeof printed, "%.*e", precision - 1, value);
    const char *e = strchr(printed, 'e');
    for (const char *p = printed; p < e; p++) /* skips the decimal point of any locale */
        if (is_digit(*p))
            digits.digit[digits.count++] = *p;
    while (digits.count > 1 && digits.digit[digits.count - 1] == '0')
        digits.count--;
    digits.exponent = (int)strtol(e + 1, NULL, 10);
    return digits;
}

/* The shortest digits by integer arithmetic, without the C library; false for very large and very small numbers. */
static bool quick_digits(double value, struct digit_string *digits)
{
    uint64_t number;
    if (!decimal_shortest(value, &number, &digits->exponent))
        return false;
    /* Two halves: divisions of 32 bits are shorter, and the two chains of them overlap. */
    uint32_t low = (uint32_t)(number % 100000000), high = (uint32_t)(number / 100000000);
    for (int i = DECIMAL_DIGITS - 1; i >= DECIMAL_DIGITS - 8; i--, low /= 10, high /= 10) {
        digits->digit[i] = (char)('0' + low % 10);
        digits->digit[i - 8] = (char)('0' + high % 10);
    }
    digits->digit[0] = (char)('0' + high);
    digits->count = DECIMAL_DIGITS;
    while (digits->count > 1 && digits->digit[digits->count - 1] == '0')
        digits->count--;
    return true;
}

/* Writes digits in ordinary notation for exponents -5 to 15, in scientific notation otherwise: 0.001, 120, 1.5e-7,
 * 1e30. At most 17 digits, a sign, a point, five zeros and an exponent, so that NUMBER_LENGTH suffices. */
static size_t lay_out(const struct digit_string *digits, bool negative, char out[NUMBER_LENGTH])
{
    size_t n = 0;
    int e = digits->exponent, count = digits->count;
    /* all integers up to 2^53 are written without an exponent */
    bool plain = e >= -5 && e < 16;
    if (negative)
        out[n++] = '-';
    if (plain && e < 0) {
        out[n++] = '0';
        out[n++] = '.';
        for (int i = -1; i > e; i--)
            out[n++] = '0';
    }
    int whole = !plain ? 1 : e < 0 ? count : e + 1 < count ? e + 1 : count; /* digits in front of a point, or all */
    memcpy(out + n, digits->digit, (size_t)whole);
    n += (size_t)whole;
    if (whole < count) {
        out[n++] = '.';
        memcpy(out + n, digits->digit + whole, (size_t)(count - whole));
        n += (size_t)(count - whole);
    }
    for (int i = count - 1; plain && i < e; i++)
        out[n++] = '0';
    out[n] = '\0';
    if (!plain)
        n += (size_t)snprintf(out + n, NUMBER_LENGTH - n, "e%d", e);
    return n;
}

/* Values that the general code does not handle: not finite, and zero with its sign. */
static size_t write_special(double value, char out[NUMBER_LENGTH])
{
    const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : value < 0 ? "-inf" : "0";
    if (value == 0 && signbit(value))
        word = "-0";
    memcpy(out, word, strlen(word) + 1);
    return strlen(word);
}

/* Decimals of fifteen digits are distinct doubles, so if the first fifteen digits read back, the
 * shortest text is theirs without trailing zeros; else one digit more at a time. Denormal numbers
 * have fewer. */
size_t number_write_f64(double value, char out[NUMBER_LENGTH])
{
    size_t length = 0;
    struct digit_string quick;
    if (!isfinite(value) || value == 0)
        return write_special(value, out);
    if (quick_digits(fabs(value), &quick))
        return lay_out(&quick, value < 0, out);
    for (int precision = fabs(value) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        struct digit_string digits = digits_of(fabs(value), precision);
        double back = 0;
        length = lay_out(&digits, value < 0, out);
        if (number_f64(out, out + length, &back) == NUMBER_OK && back == value)
            break;
    }
    return length;
}

/* As for doubles: six digits always survive the conversion to float and back, and nine always suffice. The smallest
 * number of digits that survives is found by trying: reading back decides. Subnormal numbers have fewer significant
 * digits, and so begin with one. */
size_t number_write_f32(float value, char out[NUMBER_LENGTH])
{
    size_t length = 0;
    if (!isfinite(value) || value == 0)
        return write_special((double)value, out);
    for (int precision = fabsf(value) < FLT_MIN ? 1 : 6; precision <= 9; precision++) {
        struct digit_string digits = digits_of(fabs((double)value), precision);
        float back = 0;
        length = lay_out(&digits, value < 0, out);
        if (number_f32(out, out + length, &back) == NUMBER_OK && back == value)
            break;
    }
    return length;
}
