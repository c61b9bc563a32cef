/* log_partition_solver: Newton's method for lambda of docs/math.md, section 4, for one number type.
 *
 * The including file defines `real` as double or long double and SOLVER(name), which makes names
 * distinct; <tgmath.h> selects the functions. For all temperatures but 1, and where (t - 1) log n is
 * small enough for lambda to be finite.
 *
 * Newton's method is applied to S^(-s), S = sum p_c: that function of lambda is concave for t > 1 and
 * convex for t < 1, so that from a start with S >= 1 lambda increases monotonically up to the root. */
struct SOLVER(family) {
    const double *a;
    size_t n;
    size_t top; /* a[top] is the largest */
    real s;     /* t - 1 */
};

/* Sums over classes at one lambda. */
struct SOLVER(sums) {
    real rest;   /* sum of p_c over c != top */
    real excess; /* S - 1, without cancellation near certainty */
    real slope;  /* T = -dS/dlambda */
};

/* log p at distance x = b_c + lambda: -log(1 + s x)/s. */
static real SOLVER(log_p)(real x, real s)
{
    real z = s * x;
    if (fabs(z) < (real)1e-9)
        return -x * (1 - z / 2 + z * z / 3);
    if (z <= -1)
        return (real)-INFINITY;
    return -log1p(z) / s;
}

/* b_c; where it overflows, SOLVER(far_log_p) is used. */
static real SOLVER(gap)(const struct SOLVER(family) * family, size_t c)
{
    return (real)family->a[family->top] - (real)family->a[c];
}

/* log p_c for b_c beyond the double range, from half of it: 1 + s(b + lambda) is then 2 s (half). */
static real SOLVER(far_log_p)(const struct SOLVER(family) * family, size_t c, real lambda)
{
    real half = (real)family->a[family->top] / 2 - (real)family->a[c] / 2 + lambda / 2;
    if (family->s <= 0 || half > (real)DBL_MAX)
        return (real)-INFINITY;
    return -(log(family->s) + log(half) + log((real)2)) / family->s;
}

/* log p_c of any class. */
static real SOLVER(class_log_p)(const struct SOLVER(family) * family, size_t c, real lambda)
{
    real gap = SOLVER(gap)(family, c);
    return gap < (real)1e300 ? SOLVER(log_p)(gap + lambda, family->s) : SOLVER(far_log_p)(family, c, lambda);
}

/* S - 1 and dS/dlambda; the term of the likeliest class is separate, so that S - 1 does not cancel. */
static struct SOLVER(sums) SOLVER(evaluate)(const struct SOLVER(family) * family, real lambda)
{
    struct SOLVER(sums) sums = {0};
    real carry = 0; /* of Kahan's compensated sum: a thousand classes lose no digits */
    for (size_t c = 0; c < family->n; c++) {
        if (c == family->top)
            continue;
        real p = exp(SOLVER(class_log_p)(family, c, lambda));
        if (p == 0)
            continue;
        real term = p - carry, sum = sums.rest + term;
        carry = (sum - sums.rest) - term;
        sums.rest = sum;
        sums.slope += p / (1 + family->s * (SOLVER(gap)(family, c) + lambda));
    }
    real log_top = SOLVER(log_p)(lambda, family->s);
    sums.excess = sums.rest + expm1(log_top);
    sums.slope += exp(log_top) / (1 + family->s * lambda);
    return sums;
}

/* E(log S, s) S/T: the step of Newton's method on S^(-s). */
static real SOLVER(step)(const struct SOLVER(sums) * sums, real s)
{
    real log_sum = log1p(sums->excess), z = s * log_sum;
    real stretched = fabs(z) < (real)1e-9 ? log_sum * (1 + z / 2) : expm1(z) / s;
    return stretched * (1 + sums->excess) / sums->slope;
}

/* The start: the largest of four lower bounds of lambda, which are exact for one certain class, all
 * classes equal, two classes, and one class against others that are equal. Classes outside the support
 * even at lambda = 0, or almost infinitely far, are left out: they would only distort the mean. */
static real SOLVER(start)(const struct SOLVER(family) * family)
{
    real others = 0, sum = 0, second = (real)INFINITY, s = family->s;
    for (size_t c = 0; c < family->n; c++) {
        real gap = SOLVER(gap)(family, c);
        if (c == family->top || s * gap <= -1 || gap > (real)1e300)
            continue;
        others++;
        sum += gap;
        second = fmin(second, gap);
    }
    if (others == 0)
        return 0;
    real all = expm1(s * log(others + 1)) / s - sum / (others + 1);
    real pair = expm1(s * log((real)2)) / s, log_share = -s * log(others), share = exp(log_share);
    real half = (2 * pair - expm1(log_share) / s - share * (sum / others)) / (1 + share);
    return fmax(fmax((real)0, all), fmax(pair - second / 2, half));
}

/* lambda, and the number of updates; at least two classes. */
static real SOLVER(solve)(const struct SOLVER(family) * family, size_t *updates)
{
    /* For t > 1 convergence is quadratic, so a sum this near to 1 needs one more step only; for
     * t < 1 the second derivative is unbounded at the edge of support, and lambda must be stationary. */
    const real nearly = family->s > 0 ? (real)1e-9 : 0;
    const real reached = (real)1e-15 * (real)family->n;
    real lambda = SOLVER(start)(family);
    bool moved = false;
    for (*updates = 0;;) {
        struct SOLVER(sums) sums = SOLVER(evaluate)(family, lambda);
        real next = lambda + SOLVER(step)(&sums, family->s);
        /* The start may be above the root by rounding: then the first step leads below it. */
        if (next == lambda || (!(next > lambda) && moved))
            return lambda;
        lambda = next;
        moved = true;
        if (sums.excess > reached)
            ++*updates; /* later ones refine only classes at the edge of support */
        if (sums.excess < nearly)
            return lambda;
    }
}

/* log p_top = log(1 - rest), where that is more accurate than lambda. */
static real SOLVER(log_top)(const struct SOLVER(family) * family, real lambda)
{
    real rest = SOLVER(evaluate)(family, lambda).rest;
    return rest < (real)0.5 ? log1p(-rest) : SOLVER(log_p)(lambda, family->s);
}
