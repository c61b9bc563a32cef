/* number_fast: reads numbers in ordinary notation, -12.345 or 1.5e-07, in place.
 *
 * A SIMD comparison of 32 bytes finds the ends of digits and tokens; digits are then converted eight at
 * a time (SWAR), without branches on their number. Exact by construction: what one rounding cannot
 * decide is left to base/number. All functions may read NUMBER_PLAIN_AHEAD bytes from their first
 * argument on, valid or not. */
#ifndef BASE_NUMBER_FAST_H
#define BASE_NUMBER_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Part of every 64-bit x86, so that no CPU probe is needed; elsewhere 64-bit integer arithmetic. */
#if defined __SSE2__ && defined __x86_64__
#define NUMBER_SSE2
#include <emmintrin.h>
#endif

enum {
    NUMBER_PLAIN_AHEAD = 64,
    NUMBER_PLAIN_DIGITS = 18, /* fit in 63 bits: signed integers convert to double faster */
    NUMBER_PLAIN_POWER = 22   /* 10^22 is the last power of ten that is a double */
};

/* A parsed number: digits * 10^power. */
struct number_fast {
    uint64_t digits;
    int power;
    bool negative;
};

/* ---- Ends of digits and tokens --------------------------------------------------------------- */

/* Bit masks of 32 bytes: bit i of `stops` is set if byte i is no digit, of `ends` if it ends a token. */
struct number_view {
    uint32_t stops, ends;
};

#ifdef NUMBER_SSE2
/* Masks of the 16 bytes at p, stored from bit `shift` on. */
static inline void number_look_16(const char *p, char separator, int shift, struct number_view *view)
{
    __m128i bytes;
    memcpy(&bytes, p, sizeof bytes);
    /* '0'..'9' become -128..-119, the least that a signed byte holds. */
    __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8((char)(0x80 - '0')));
    __m128i digits = _mm_cmplt_epi8(moved, _mm_set1_epi8(-128 + 10));
    __m128i ends =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(separator)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    view->stops |= ((uint32_t)_mm_movemask_epi8(digits) ^ 0xffff) << shift;
    view->ends |= (uint32_t)_mm_movemask_epi8(ends) << shift;
}
#else
/* Collects the top bit of each of eight bytes. */
static inline uint32_t number_top_bits(uint64_t word)
{
    return (uint32_t)(((word & 0x8080808080808080) >> 7) * 0x0102040810204080 >> 56);
}

/* Sets the top bit of each byte that is 0, and of no other. */
static inline uint64_t number_zero_bytes(uint64_t word)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    return ~(((word & low) + low) | word | low);
}

/* The same in 64-bit words, eight bytes at a time. */
static inline void number_look_16(const char *p, char separator, int shift, struct number_view *view)
{
    const uint64_t ones = 0x0101010101010101, low = 0x7f * ones;
    for (int half = 0; half < 16; half += 8) {
        uint64_t word, separators = ones * (unsigned char)separator;
        memcpy(&word, p + half, sizeof word);
        uint64_t below = ~((word & low) + (0x80 - '0') * ones);  /* top bit: less than '0' ... */
        uint64_t above = (word & low) + (0x80 - '9' - 1) * ones; /* ... or more than '9' */
        uint64_t ends = number_zero_bytes(word ^ separators) | number_zero_bytes(word ^ '\n' * ones);
        view->stops |= number_top_bits(below | above | word) << (shift + half);
        view->ends |= number_top_bits(ends) << (shift + half);
    }
}
#endif

/* Masks of the bytes at p, 32 of them or at least those up to the end of the token; a token ends at a
 * separator or a newline. On big-endian machines, which number_eight does not support, no end is
 * found, so that every number is left to base/number. */
static inline struct number_view number_look(const char *p, char separator)
{
    struct number_view view = {0, 0};
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    number_look_16(p, separator, 0, &view);
    if (!view.ends) /* most tokens are shorter, often all of a file */
        number_look_16(p + 16, separator, 16, &view);
#else
    (void)p, (void)separator;
#endif
    return view;
}

/* ---- Digits ---------------------------------------------------------------------------------- */

/* The value of the first `count` (1 to 8) bytes at p, which are digits. */
static inline uint64_t number_eight(const char *p, unsigned count)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word <<= (64 - 8 * count) & 63;                     /* to the upper end, with leading zeros */
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;     /* pairs: 10 * first + second */
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16; /* fours */
    return (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

/* Two such numbers at once. */
struct number_pair {
    uint32_t first, second;
};

#ifdef NUMBER_SSE2
/* The same arithmetic on both halves of a register. */
static inline struct number_pair number_two(const char *p, unsigned count, const char *q, unsigned more)
{
    uint64_t first, second;
    memcpy(&first, p, sizeof first);
    memcpy(&second, q, sizeof second);
    first <<= (64 - 8 * count) & 63;
    second <<= (64 - 8 * more) & 63;
    __m128i bytes = _mm_set_epi64x((long long)second, (long long)first);
    bytes = _mm_and_si128(bytes, _mm_set1_epi8(0x0f));
    __m128i pairs = _mm_srli_epi16(_mm_mullo_epi16(bytes, _mm_set1_epi16(2561)), 8);
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (struct number_pair){(uint32_t)both, (uint32_t)(both >> 32)};
}
#else
static inline struct number_pair number_two(const char *p, unsigned count, const char *q, unsigned more)
{
    return (struct number_pair){(uint32_t)number_eight(p, count), (uint32_t)number_eight(q, more)};
}
#endif

static const double number_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const uint64_t number_tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The usual form of a number: a sign, one to eight digits, and optionally a point and decimals. */
struct number_shape {
    unsigned sign, whole, decimals;
};

/* The form of the token of `length` bytes at p; `stops` has a bit for each byte that is no digit, the
 * one after the token included. False if it has another form, or more decimals than `most`. */
static inline bool number_shape(const char *p, unsigned length, uint32_t stops, unsigned most,
                                struct number_shape *shape)
{
    shape->sign = *p == '-';
    stops &= ~(uint32_t)shape->sign;
    unsigned point = (unsigned)__builtin_ctz(stops);
    shape->whole = point - shape->sign;
    shape->decimals = 0;
    if (shape->whole - 1 >= 8) /* 0 wraps around */
        return false;
    if (point == length)
        return true;
    stops &= stops - 1;
    shape->decimals = length - point - 1;
    return p[point] == '.' && shape->decimals - 1 < most && (unsigned)__builtin_ctz(stops) == length;
}

/* Combines the last digits (the decimals, at most eight, if there are any) with the others. */
static inline void number_shaped(const char *p, const struct number_shape *shape, uint64_t last,
                                 struct number_fast *number)
{
    *number = (struct number_fast){last, -(int)shape->decimals, shape->sign};
    if (shape->decimals == 0)
        return;
    p += shape->sign;
    uint64_t whole = shape->whole == 1 ? (uint64_t)(*p - '0') : number_eight(p, shape->whole);
    number->digits += whole * number_tens[shape->decimals];
}

/* The number of those last digits. */
static inline unsigned number_last(const struct number_shape *shape)
{
    return shape->decimals ? shape->decimals : shape->whole;
}

/* Numbers of any form with up to 18 digits, and a total exponent of up to 22. */
bool number_fast_long(const char *p, const char *to, struct number_fast *number);

/* Reads the token of `length` bytes at p; false if it is no number, or not in ordinary notation. The
 * caller has found its end before, so that the processor can search for the next token meanwhile. */
static inline bool number_fast_read(const char *p, unsigned length, uint32_t stops, struct number_fast *number)
{
    struct number_shape shape;
    if (!number_shape(p, length, stops, 16, &shape) || shape.whole + shape.decimals > NUMBER_PLAIN_DIGITS)
        return number_fast_long(p, p + length, number);
    unsigned more = shape.decimals > 8 ? shape.decimals - 8 : 0; /* of numbers with 16 digits, mostly eight */
    shape.decimals -= more;
    unsigned last = number_last(&shape);
    number_shaped(p, &shape, number_eight(p + length - more - last, last), number);
    if (more > 0) {
        number->digits = number->digits * number_tens[more] + number_eight(p + length - more, more);
        number->power -= (int)more;
    }
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The absolute value in double; exact rounding if the digits are below 2^53, else within 2 ulp. */
static inline double number_fast_size(const struct number_fast *number)
{
    double digits = (double)(int64_t)number->digits;
    return number->power < 0 ? digits / number_powers[-number->power] : digits * number_powers[number->power];
}

/* Sets the sign bit without a branch: signs of data are unpredictable. */
static inline double number_signed(double size, bool negative)
{
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(&size, &bits, sizeof bits);
    return size;
}

/* The nearest double; false if that needs more than one rounding. */
static inline bool number_fast_f64(const struct number_fast *number, double *value)
{
    *value = number_signed(number_fast_size(number), number->negative);
    return number->digits <= (uint64_t)1 << 53;
}

/* The nearest float: that of the double, unless a point halfway between two floats is within the error
 * of the double. Never denormal, as it is at least 1e-22; possible overflow is left to base/number. */
static inline bool number_fast_f32(const struct number_fast *number, float *value)
{
    double size = number_fast_size(number);
    uint64_t bits;
    if (number->power > 20) /* 10^18 * 10^20 is a float */
        return false;
    memcpy(&bits, &size, sizeof bits);
    *value = (float)number_signed(size, number->negative);
    return (bits & 0x1fffffff) - 0x0ffffffc > 8; /* wraps around below */
}

#endif
