/* csv_plain: numbers as most of them are written, -12.345 or 1.5e-07, read where they stand.
 *
 * Exact by construction: what one rounding cannot decide is left to base/number. The text must hold
 * a byte that is neither a digit nor a point further on, as a line's newline is. */
#ifndef DATA_CSV_PLAIN_H
#define DATA_CSV_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CSV_PLAIN_DIGITS = 19, /* that fit in 64 bits */
    CSV_PLAIN_POWER = 22   /* 10^22 is the last power of ten that is a double */
};

/* A number taken apart: digits * 10^power. */
struct csv_plain {
    uint64_t digits;
    int power;
    bool negative;
};

static inline const char *csv_digits(const char *p, uint64_t *digits)
{
    for (unsigned d; (d = (unsigned)*p - '0') < 10; p++)
        *digits = *digits * 10 + d;
    return p;
}

/* Eight digits at once, if there are eight. */
static inline bool csv_eight_digits(const char *p, uint64_t *digits)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, p, sizeof word);
    /* Each byte must be 0x30..0x39: its high half 3, and still 3 with 6 added. */
    if (((word & 0xf0f0f0f0f0f0f0f0) | ((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) !=
        0x3333333333333333)
        return false;
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;     /* pairs: 10 * first + second */
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16; /* fours */
    word = (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
    *digits = *digits * 100000000 + word;
    return true;
#else
    (void)p, (void)digits;
    return false;
#endif
}

/* Behind e-07, of one or two digits, at p. */
static inline const char *csv_exponent(const char *p, int *power)
{
    uint64_t digits = 0;
    p++;
    bool negative = *p == '-';
    p += negative || *p == '+';
    const char *first = p;
    p = csv_digits(p, &digits);
    if (p == first || p - first > 2)
        return NULL;
    *power += negative ? -(int)digits : (int)digits;
    return p;
}

/* Behind the number at p; NULL if it is written in another way, has more digits or a larger power.
 * Reads eight bytes at once where `to` leaves room for them. */
static inline const char *csv_plain_read(const char *p, const char *to, struct csv_plain *number)
{
    uint64_t digits = 0;
    number->negative = *p == '-';
    p += number->negative;
    const char *first = p;
    p = csv_digits(p, &digits);
    ptrdiff_t count = p - first, decimals = 0;
    if (*p == '.') {
        const char *point = ++p;
        while (to - p >= 8 && csv_eight_digits(p, &digits))
            p += 8;
        p = csv_digits(p, &digits);
        decimals = p - point;
        count += decimals;
    }
    if (count == 0 || count > CSV_PLAIN_DIGITS)
        return NULL;
    number->digits = digits;
    number->power = -(int)decimals;
    if (*p != 'e' && *p != 'E')
        return p;
    p = csv_exponent(p, &number->power);
    bool exact = number->power >= -CSV_PLAIN_POWER && number->power <= CSV_PLAIN_POWER;
    return exact ? p : NULL;
}

/* Its size in double; right to the last bit if the digits are below 2^53, else within 2 units. */
static inline double csv_plain_size(const struct csv_plain *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double digits = (double)number->digits;
    return number->power < 0 ? digits / powers[-number->power] : digits * powers[number->power];
}

/* The nearest double; false if that takes more than one rounding. */
static inline bool csv_plain_f64(const struct csv_plain *number, double *value)
{
    double size = csv_plain_size(number);
    *value = number->negative ? -size : size;
    return number->digits <= (uint64_t)1 << 53;
}

/* The nearest float: that of the double, unless the middle between two floats is as near to it as
 * its own error. It is never denormal, at least 1e-22; one that may be too large is left to others.
 */
static inline bool csv_plain_f32(const struct csv_plain *number, float *value)
{
    double size = csv_plain_size(number);
    uint64_t bits;
    if (size > 1e38)
        return false;
    memcpy(&bits, &size, sizeof bits);
    *value = (float)(number->negative ? -size : size);
    return (bits & 0x1fffffff) - 0x0ffffffc > 8; /* wraps around below */
}

/* One plain number at p, which `ending` ends; NULL if it is not plain. */
static inline const char *csv_take_number(const char *p, const char *to, char ending, bool f64,
                                          void *out)
{
    struct csv_plain number;
    double wide;
    float narrow;
    const char *end = csv_plain_read(p, to, &number);
    if (!end || *end != ending)
        return NULL;
    if (f64 ? !csv_plain_f64(&number, &wide) : !csv_plain_f32(&number, &narrow))
        return NULL;
    if (f64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &narrow, sizeof narrow);
    return end + 1;
}

/* A single digit, as counts and 0/1 features are. */
static inline const char *csv_take_digit(const char *p, char ending, bool f64, void *out)
{
    unsigned digit = (unsigned)*p - '0';
    double wide = digit;
    float narrow = (float)digit;
    if (digit > 9 || p[1] != ending)
        return NULL;
    if (f64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &narrow, sizeof narrow);
    return p + 2;
}

#endif
