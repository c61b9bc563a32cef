/* decimal: value = m 2^q, so that value * 10^k = m 5^k * 2^(q + k), which is exact in 128 bits. */
#include "base/decimal.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

enum { LEAST_POWER = 3, MOST_POWER = 27 }; /* 5^27 < 2^63 */

static const uint64_t LOW = 10000000000000000, HIGH = 100000000000000000; /* 17 digits: LOW <= */

/* A number scaled to 17 digits before the point: x / 2^shift. */
struct scaled {
    wide x;
    int shift;
    uint64_t five; /* 5^power: the distance to the next number is this / 2^shift */
    bool even, lowest;
};

static bool scale_by(double value, int power, struct scaled *s)
{
    int exponent;
    uint64_t m = (uint64_t)ldexp(frexp(value, &exponent), 53);
    if (power < LEAST_POWER || power > MOST_POWER)
        return false;
    s->five = 1;
    for (int i = 0; i < power; i++)
        s->five *= 5;
    s->x = (wide)m * s->five;
    s->shift = -(exponent - 53 + power);
    s->even = m % 2 == 0;
    s->lowest = m == (uint64_t)1 << 52; /* numbers below it lie closer */
    return s->shift > 0 && s->shift < 120;
}

/* The nearest multiple of `unit`, ties to an even one. */
static uint64_t nearest(const struct scaled *s, uint64_t unit)
{
    uint64_t whole = (uint64_t)(s->x >> s->shift), count = whole / unit;
    wide rest = s->x - ((wide)(count * unit) << s->shift);
    wide half = (wide)unit << (s->shift - 1);
    return (count + (rest > half || (rest == half && count % 2 == 1))) * unit;
}

static bool reads_back(const struct scaled *s, uint64_t digits)
{
    wide decimal = (wide)digits << s->shift;
    bool below = decimal < s->x;
    wide off = 2 * (below ? s->x - decimal : decimal - s->x);
    if (below && s->lowest)
        off *= 2;
    return off < s->five || (off == s->five && s->even);
}

bool decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    struct scaled s = {0};
    if (!(value > 1e-12 && value < 1e15))
        return false;
    int guess = (int)floor(log10(value)); /* one off at most, near a power of ten */
    if (!scale_by(value, DECIMAL_DIGITS - 1 - guess, &s))
        return false;
    uint64_t whole = (uint64_t)(s.x >> s.shift);
    if (whole >= HIGH || whole < LOW) {
        guess += whole >= HIGH ? 1 : -1;
        if (!scale_by(value, DECIMAL_DIGITS - 1 - guess, &s))
            return false;
    }
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
