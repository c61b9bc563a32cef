/* number_plain: what is still plain, and too rare for the fast way. */
#include "base/number_fast.h"

/* Whether the eight bytes from p on are digits: 0x30..0x39, so that their high half is 3, and still
 * is with 6 added. */
static bool are_digits(const char *p)
{
    const uint64_t high = 0xf0f0f0f0f0f0f0f0;
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return ((word & high) | ((word + 0x0606060606060606) & high) >> 4) == 0x3333333333333333;
}

/* Adds digits to those that there are; returns behind them. They may wrap around if there are too
 * many, which the caller counts. */
static inline const char *take_digits(const char *p, const char *to, uint64_t *digits)
{
    for (; to - p >= 8 && are_digits(p); p += 8)
        *digits = *digits * number_tens[8] + number_eight(p, 8);
    for (; p < to && (unsigned)*p - '0' < 10; p++)
        *digits = *digits * 10 + ((unsigned)*p - '0');
    return p;
}

/* Adds what e-07 at p says, of one or two digits that end the token. */
static bool take_exponent(const char *p, const char *to, int *power)
{
    uint64_t digits = 0;
    p++; /* to a sign or a digit; or to what ends the token, which is neither */
    bool negative = *p == '-';
    p += negative || *p == '+';
    if (to - p < 1 || to - p > 2 || take_digits(p, to, &digits) != to)
        return false;
    *power += negative ? -(int)digits : (int)digits;
    return *power >= -NUMBER_PLAIN_POWER && *power <= NUMBER_PLAIN_POWER;
}

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
