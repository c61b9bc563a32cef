/* double_double: the exponential function of numbers of 106 bits. */
#include "tempered/double_double.h"

#include <stdint.h>
#include <string.h>

/* r coth(r/2) = sum of 2 B_2k/(2k)! r^2k with Bernoulli's numbers B. Up to |r| = log(2)/2 a term is a 300th of the
 * one before: those of LEADING need all digits, for the others, below 1e-17 of the sum, doubles suffice. */
enum { LEADING = 6, FOLLOWING = 7 };
static const struct double_double leading[LEADING] = {
    {0.16666666666666666, 9.25185853854297e-18},     {-0.002777777777777778, 1.0601087908747154e-19},
    {6.613756613756614e-05, -4.460143857711533e-21}, {-1.6534391534391535e-06, 6.91519490800733e-23},
    {4.17535139757362e-08, -2.4146901182265198e-24}, {-1.0568380277374986e-09, 7.034193343859738e-27},
};
static const double following[FOLLOWING] = {2.6765073061369358e-11, -6.779360592645165e-13, 1.717212411255569e-14,
                                            -4.349737397116124e-16, 1.1018005656720459e-17, -2.7908929371625045e-19,
                                            7.069414079258935e-21};

/* log 2 as a sum of three doubles: the first has 32 bits, so that its products with exponents are exact. */
static const double LOG2_FIRST = 0x1.62e42feep-1;
static const struct double_double LOG2_REST = {0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87};

/* Adding and subtracting it rounds to the nearest whole number: the sum has no bits for fractions. */
static const double ROUNDING = 0x1.8p52;

/* r coth(r/2) - 2 from the square of r, by Horner's scheme. */
static struct double_double even_part(struct double_double square)
{
    double tail = following[FOLLOWING - 1];
    for (int k = FOLLOWING - 2; k >= 0; k--)
        tail = tail * square.high + following[k];
    struct double_double sum = dd_add_double(leading[LEADING - 1], tail * square.high);
    for (int k = LEADING - 2; k >= 0; k--)
        sum = dd_add_smaller(leading[k], dd_multiply(sum, square));
    return dd_multiply(sum, square);
}

/* With x = k log 2 + r: e^r - 1 = 2 r/(r coth(r/2) - r), in which only even powers of r have coefficients, and nothing
 * cancels. */
struct dd_exponential dd_exponential(struct double_double x)
{
    double k = (x.high * 1.4426950408889634 + ROUNDING) - ROUNDING;
    struct double_double r = x;
    if (k != 0)
        r = dd_add(dd_sum(x.high - k * LOG2_FIRST, x.low), dd_multiply_double(LOG2_REST, -k));
    struct double_double two = {.high = 2}, even = dd_add_smaller(two, even_part(dd_multiply(r, r)));
    struct double_double below = dd_add_smaller(even, dd_negate(r));
    return (struct dd_exponential){dd_divide((struct double_double){2 * r.high, 2 * r.low}, below), (int)k};
}

/* 2^exponent by its bits, between -1022 and 1023. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* In two factors, as 2^exponent may be below the normal range. */
struct double_double dd_scale(struct double_double a, int exponent)
{
    double first = power_of_two(exponent / 2), second = power_of_two(exponent - exponent / 2);
    return (struct double_double){a.high * first * second, a.low * first * second};
}

/* Below it e^x is 0 in doubles. */
static const double LOWEST = -746;

struct double_double dd_exp(struct double_double x)
{
    if (x.high < LOWEST)
        return (struct double_double){0};
    const struct dd_exponential e = dd_exponential(x);
    return dd_scale(dd_add_double(e.fraction, 1), e.exponent);
}

struct double_double dd_expm1(struct double_double x)
{
    if (x.high < LOWEST)
        return (struct double_double){.high = -1};
    const struct dd_exponential e = dd_exponential(x);
    return e.exponent == 0 ? e.fraction : dd_add_double(dd_scale(dd_add_double(e.fraction, 1), e.exponent), -1);
}
