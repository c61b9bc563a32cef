/* double_double: numbers of 106 bits as the sum of two doubles, for differences that cancel.
 *
 * Built of sums and products of doubles alone, each rounded once (-ffp-contract=off): every processor computes the same
 * bits, also where long double has no more digits than double. Products by Dekker, without fma: where the processor has
 * none, it is a slow function. For magnitudes between 1e-280 and 1e290; errors are relative, a few times 2^-104. */
#ifndef TEMPERED_DOUBLE_DOUBLE_H
#define TEMPERED_DOUBLE_DOUBLE_H

/* The value is high + low; high is the nearest double to it. */
struct double_double {
    double high, low;
};

/* The exact sum where |a| >= |b|. */
static inline struct double_double dd_ordered_sum(double a, double b)
{
    double sum = a + b;
    return (struct double_double){sum, b - (sum - a)};
}

/* The exact sum of any two doubles. */
static inline struct double_double dd_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct double_double){sum, (a - (sum - part)) + (b - part)};
}

/* The upper 26 bits of a double, by which it becomes a sum of two whose products are exact. */
static inline double dd_upper_half(double a)
{
    double shifted = 134217729 * a; /* 2^27 + 1 */
    return shifted - (shifted - a);
}

/* The exact product of two doubles. */
static inline struct double_double dd_product(double a, double b)
{
    double product = a * b;
    double a_upper = dd_upper_half(a), a_lower = a - a_upper;
    double b_upper = dd_upper_half(b), b_lower = b - b_upper;
    double low = ((a_upper * b_upper - product) + a_upper * b_lower + a_lower * b_upper) + a_lower * b_lower;
    return (struct double_double){product, low};
}

static inline struct double_double dd_negate(struct double_double a)
{
    return (struct double_double){-a.high, -a.low};
}

/* The low parts are added exactly too: the sum may be much smaller than its terms. */
static inline struct double_double dd_add(struct double_double a, struct double_double b)
{
    struct double_double high = dd_sum(a.high, b.high), low = dd_sum(a.low, b.low);
    struct double_double sum = dd_ordered_sum(high.high, high.low + low.high);
    return dd_ordered_sum(sum.high, sum.low + low.low);
}

/* The same where |a| >= |b|, and the sum is not much smaller than a. */
static inline struct double_double dd_add_smaller(struct double_double a, struct double_double b)
{
    struct double_double sum = dd_ordered_sum(a.high, b.high);
    return dd_ordered_sum(sum.high, sum.low + (a.low + b.low));
}

static inline struct double_double dd_add_double(struct double_double a, double b)
{
    struct double_double sum = dd_sum(a.high, b);
    return dd_ordered_sum(sum.high, sum.low + a.low);
}

static inline struct double_double dd_multiply(struct double_double a, struct double_double b)
{
    struct double_double product = dd_product(a.high, b.high);
    return dd_ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline struct double_double dd_multiply_double(struct double_double a, double b)
{
    struct double_double product = dd_product(a.high, b);
    return dd_ordered_sum(product.high, product.low + a.low * b);
}

/* The quotient of the high parts, and that of its remainder. */
static inline struct double_double dd_divide(struct double_double a, struct double_double b)
{
    double quotient = a.high / b.high;
    struct double_double rest = dd_add(a, dd_negate(dd_multiply_double(b, quotient)));
    return dd_ordered_sum(quotient, rest.high / b.high);
}

/* a 2^exponent, |exponent| < 2000. */
struct double_double dd_scale(struct double_double a, int exponent);

/* e^x = 2^exponent (1 + fraction), |fraction| < 1/2: apart, so that e^x - 1 keeps its digits where x is small. */
struct dd_exponential {
    struct double_double fraction;
    int exponent;
};
/* For |x| < 1e6. */
struct dd_exponential dd_exponential(struct double_double x);

/* e^x and e^x - 1 for x < 700; far below 0 they are 0 and -1. */
struct double_double dd_exp(struct double_double x);
struct double_double dd_expm1(struct double_double x);

#endif
