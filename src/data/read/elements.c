/* elements: byte order, integers of every width, and the search for what is not finite. */
#include "data/read/elements.h"

#include <math.h>
#include <string.h>

#define EXACT_IN_DOUBLE (UINT64_C(1) << 53) /* integers below are doubles */

/* The first byte of the integer 1; compilers make it a constant. */
bool host_is_big_endian(void)
{
    static const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* Reverses the bytes of each element in place. `size` may be 1, which changes nothing. */
void swap_elements(void *bytes, size_t count, size_t size)
{
    unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++, at += size)
        for (size_t j = 0; j < size / 2; j++) {
            unsigned char kept = at[j];
            at[j] = at[size - 1 - j];
            at[size - 1 - j] = kept;
        }
}

/* Searches for the first NaN or infinity among `count` floats. Both have an exponent of all ones: without the sign bit,
 * adding 1 to the exponent then carries into the sign bit. Two floats are tested per 64-bit addition; carries are
 * collected over the whole array, and the exact position is searched only if there was one. */
size_t first_not_finite_f32(const float *value, size_t count)
{
    uint64_t carried = 0, pair;
    size_t i = 0;
    /* The loop has no branch, so that it runs at the speed of memory. */
    for (; i + 2 <= count; i += 2) {
        memcpy(&pair, value + i, sizeof pair);
        carried |= (pair & 0x7fffffff7fffffffu) + 0x0080000000800000u;
    }
    /* No pair carried: only a last odd element is left to test. */
    if ((carried & 0x8000000080000000u) != 0)
        i = 0;
    while (i < count && isfinite(value[i]))
        i++;
    return i;
}

/* The same with one double per 64-bit word. */
size_t first_not_finite_f64(const double *value, size_t count)
{
    uint64_t carried = 0, bits;
    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, value + i, sizeof bits);
        carried |= (bits & 0x7fffffffffffffffu) + 0x0010000000000000u;
    }
    if ((carried & 0x8000000000000000u) == 0)
        return count;
    size_t i = 0;
    while (i < count && isfinite(value[i]))
        i++;
    return i;
}

/* Loads an integer that is in the byte order of this machine, as sign and magnitude, so that all types from int8 to
 * uint64 can be compared in one way. memcpy is used since the address need not be aligned. */
struct integer integer_load(const unsigned char *at, struct element element)
{
    uint64_t bits = 0;
    uint32_t four;
    uint16_t two;
    switch (element.size) {
    case 1:
        bits = *at;
        break;
    case 2:
        memcpy(&two, at, sizeof two);
        bits = two;
        break;
    case 4:
        memcpy(&four, at, sizeof four);
        bits = four;
        break;
    default:
        memcpy(&bits, at, sizeof bits);
    }
    /* The sign bit of an integer of this width. */
    uint64_t sign = UINT64_C(1) << (8 * element.size - 1);
    bool negative = element.kind == 'i' && (bits & sign) != 0;
    /* Two's complement: below 0 the magnitude is 2^width - bits; for eight bytes 2^64 is 0. */
    uint64_t magnitude = negative ? (sign << 1) - bits : bits;
    return (struct integer){.negative = negative, .magnitude = magnitude};
}

/* One type of integers. A piece is converted without branches, by vector instructions, and the place of an integer that
 * is too large is searched only in a piece that has one. */
#define INTEGERS_TO_FLOATS(name, type)                                                                                 \
    static size_t name(const unsigned char *raw, size_t count, float *out)                                             \
    {                                                                                                                  \
        enum { PIECE = 256 };                                                                                          \
        for (size_t from = 0, to; from < count; from = to) {                                                           \
            type number;                                                                                               \
            unsigned large = 0;                                                                                        \
            to = count - from < PIECE ? count : from + PIECE;                                                          \
            for (size_t i = from; i < to; i++) {                                                                       \
                memcpy(&number, raw + i * sizeof number, sizeof number);                                               \
                large |= (unsigned)(number > (type)EXACT_IN_FLOAT) | (unsigned)(number < -(type)EXACT_IN_FLOAT);       \
                out[i] = (float)number;                                                                                \
            }                                                                                                          \
            for (size_t i = from; large && i < to; i++) {                                                              \
                memcpy(&number, raw + i * sizeof number, sizeof number);                                               \
                if (number > (type)EXACT_IN_FLOAT || number < -(type)EXACT_IN_FLOAT)                                   \
                    return i;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        return count;                                                                                                  \
    }

INTEGERS_TO_FLOATS(int64_to_floats, int64_t)
INTEGERS_TO_FLOATS(int32_to_floats, int32_t)

/* The two types that numpy and the C interface have by default are converted by vectors, others one by one. */
size_t integers_to_floats(const unsigned char *raw, struct element element, size_t count, float *out)
{
    if (element.kind == 'i' && element.size == sizeof(int64_t))
        return int64_to_floats(raw, count, out);
    if (element.kind == 'i' && element.size == sizeof(int32_t))
        return int32_to_floats(raw, count, out);
    for (size_t i = 0; i < count; i++) {
        struct integer integer = integer_load(raw + i * element.size, element);
        if (integer.magnitude > EXACT_IN_FLOAT)
            return i;
        float magnitude = (float)integer.magnitude;
        out[i] = integer.negative ? -magnitude : magnitude;
    }
    return count;
}

/* Whether a double represents the integer exactly: at most 53 significant bits, followed by any number of zeros. The
 * exponent is never a limit for 64-bit integers. */
bool integer_fits_double(struct integer integer)
{
    uint64_t rest = integer.magnitude;
    while (rest >= EXACT_IN_DOUBLE && rest % 2 == 0)
        rest /= 2;
    return rest < EXACT_IN_DOUBLE;
}
