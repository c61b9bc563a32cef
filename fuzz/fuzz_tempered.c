/* Any temperatures and any activations: what the header promises must hold, and quickly. */
#include <float.h>
#include <stdbool.h>

#include "bytes.h"
#include "temper_extra.h"

/* Classes at most. */
enum { MOST = 64 };

/* One case: temperatures, activations of n classes and a label. */
struct input {
    double t1, t2;
    size_t n, label;
    double a[MOST];
};

/* ---- From bytes ------------------------------------------------------------------------------ */

/* Temperatures: any bits, special values, values close to 1, where the formulas change, and ordinary ones. */
static double take_temperature(struct bytes *bytes)
{
    /* Limits of the family (0, 1, 2) and their neighbouring doubles. */
    static const double special[] = {
        0,       0.5,  1,     1.5,   2,  3,  5, 1 - DBL_EPSILON / 2, 1 + DBL_EPSILON, 1 - 1e-8, 1 + 1e-8, DBL_TRUE_MIN,
        DBL_MIN, 1e-3, 0.999, 1.001, 10, 100};
    uint8_t kind = take_byte(bytes);
    /* One input in 16 has arbitrary bits, most of which are extreme. */
    if (kind < 16)
        return take_bits(bytes);
    if (kind < 96)
        return special[kind % (sizeof special / sizeof *special)];
    if (kind < 128)
        return 1 + (take_share(bytes) - 0.5) * ldexp(1, -(kind % 32));
    return take_share(bytes) * (kind % 2 ? 2 : 5);
}

/* Activations: any bits, special values (also infinities and NaN), quarters, and numbers of many magnitudes. */
static double take_activation(struct bytes *bytes)
{
    static const double special[] = {0,      -0.0,    1,        -1,      INFINITY,     -INFINITY,
                                     NAN,    DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 1e307,
                                     -1e307, 1e16,    -1e16,    709.78,  -745.2};
    uint8_t kind = take_byte(bytes);
    if (kind < 16)
        return take_bits(bytes);
    if (kind < 48)
        return special[kind % (sizeof special / sizeof *special)];
    if (kind < 64)
        return (kind - 56) / 4.0;
    return (take_share(bytes) - 0.5) * ldexp(1, kind % 24 - 6);
}

/* Mostly few classes, sometimes up to MOST. */
static struct input take_input(struct bytes *bytes)
{
    struct input input = {.t1 = take_temperature(bytes), .t2 = take_temperature(bytes)};
    uint8_t size = take_byte(bytes);
    input.n = size < 224 ? size % 12 + 1 : size % MOST + 1;
    input.label = take_byte(bytes) % input.n;
    for (size_t c = 0; c < input.n; c++)
        input.a[c] = take_activation(bytes);
    return input;
}

/* ---- What must hold -------------------------------------------------------------------------- */

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static double maximum(const double *values, size_t n)
{
    double most = values[0];
    for (size_t i = 1; i < n; i++)
        most = fmax(most, values[i]);
    return most;
}

static double sum(const double *values, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += values[i];
    return total;
}

/* A probability distribution: non-negative, at most 1, and 1 in sum up to rounding. */
static void require_distribution(const double *p, const struct input *input, const char *what)
{
    for (size_t c = 0; c < input->n; c++)
        REQUIRE(p[c] >= 0 && p[c] <= 1, "%s[%zu] = %.17g, t2 = %.17g", what, c, p[c], input->t2);
    REQUIRE(fabs(sum(p, input->n) - 1) <= 1e-12, "sum of %s = %.17g, t2 = %.17g", what, sum(p, input->n), input->t2);
}

/* The log-partition function G, the probabilities, the escort distribution, the entropy and the divergence, for one
 * temperature t2. */
static void check_family(const struct input *input)
{
    double p[MOST], q[MOST];
    const double *a = input->a;
    size_t n = input->n;
    /* G exceeds the largest activation by the excess, which is computed separately to keep its digits. */
    double most = maximum(a, n), excess = temper_log_partition_excess(a, n, input->t2);
    double g = temper_log_partition(a, n, input->t2);
    REQUIRE(excess >= 0, "excess %.17g, t = %.17g", excess, input->t2);
    REQUIRE(g >= most, "G = %.17g, max a = %.17g, t = %.17g", g, most, input->t2);
    /* equal activations have the largest excess of all */
    double bound = -temper_log_t(1.0 / (double)n, input->t2);
    REQUIRE(excess <= bound * (1 + 1e-12), "excess %.17g > %.17g, t = %.17g", excess, bound, input->t2);
    temper_probabilities(a, n, input->t2, p);
    require_distribution(p, input, "p");
    /* Probabilities are ordered like the activations. */
    for (size_t c = 1; c < n; c++)
        REQUIRE((p[c] - p[0]) * (a[c] < a[0] ? -1 : 1) >= -1e-15, "a[%zu] = %.17g, a[0] = %.17g but p = %.17g, %.17g",
                c, a[c], a[0], p[c], p[0]);
    /* The gradient of G is the escort distribution of p. */
    temper_log_partition_gradient(a, n, input->t2, q);
    require_distribution(q, input, "gradient of G");
    temper_escort(p, n, 1, q);
    require_distribution(q, input, "escort");
    /* Zero up to rounding if p is concentrated on one class. */
    double entropy = temper_entropy(p, n, input->t2);
    REQUIRE(entropy >= -1e-14, "entropy %.17g, t = %.17g", entropy, input->t2);
    double divergence = temper_divergence(p, p, n, input->t2);
    REQUIRE(fabs(divergence) <= 1e-12, "D(p, p) = %.17g, t = %.17g", divergence, input->t2);
}

/* The loss is non-negative, bounded for t1 < 1, and its gradient has the signs of p - y and sums to 0. */
static void check_loss(const struct input *input)
{
    double gradient[MOST];
    size_t n = input->n, label = input->label;
    /* Label and temperatures are arbitrary. */
    double loss = temper_loss(input->a, n, label, input->t1, input->t2, gradient);
    REQUIRE(loss >= 0, "loss %.17g, t = %.17g, %.17g", loss, input->t1, input->t2);
    if (input->t1 < 1)
        REQUIRE(loss <= (1 + 1e-12) / (1 - input->t1), "loss %.17g beyond its cap, t1 = %.17g", loss, input->t1);
    REQUIRE(loss == temper_loss(input->a, n, label, input->t1, input->t2, NULL),
            "the value depends on the gradient being wanted, t = %.17g, %.17g", input->t1, input->t2);
    for (size_t c = 0; c < n; c++)
        REQUIRE(c == label ? gradient[c] <= 0 : gradient[c] >= 0, "gradient[%zu] = %.17g, label %zu, t = %.17g, %.17g",
                c, gradient[c], label, input->t1, input->t2);
    /* The sum of the gradient is 0, because adding a constant to all activations changes nothing. */
    if (all_finite(gradient, n))
        REQUIRE(fabs(sum(gradient, n)) <= 1e-12 * fabs(gradient[label]),
                "gradient sums to %.17g, entry of the label %.17g, t = %.17g, %.17g", sum(gradient, n), gradient[label],
                input->t1, input->t2);
}

/* Only methods with rounds, whose losses depend on other rows, return NaN as value or gradient. The Bregman loss is
 * defined for t1 < 1 and ends at 2; otherwise its gradient may be a difference of infinities. */
static void check_methods(const struct input *input)
{
#define METHOD_OF(name, ...) TEMPER_##name,
    static const temper_method methods[] = {TEMPER_METHOD_LIST(METHOD_OF)};
#undef METHOD_OF
    double gradient[MOST], hessian[MOST * MOST];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        temper_loss_spec spec = temper_train_defaults().loss; /* with the standard parameters of all methods */
        spec.method = methods[i];
        spec.t1 = input->t1;
        spec.t2 = input->t2;
        double loss = temper_loss_of_spec(spec, input->a, input->n, input->label, gradient, hessian);
        const char *name = temper_method_name(methods[i]);
        if (temper_loss_has_rounds(spec))
            REQUIRE(isnan(loss) && isnan(gradient[0]), "%s has a value, %.17g", name, loss);
        if (temper_loss_has_rounds(spec) || (methods[i] == TEMPER_BREGMAN && input->t1 >= 1))
            continue;
        REQUIRE(!isnan(loss), "%s, t = %.17g, %.17g", name, input->t1, input->t2);
        for (size_t c = 0; c < input->n; c++)
            REQUIRE(!isnan(gradient[c]), "%s, t = %.17g, %.17g", name, input->t1, input->t2);
    }
}

/* The loss as a function of the margin equals the loss of two classes with activations of plus and minus half the
 * margin. */
static void check_margin(const struct input *input)
{
    double margin = input->a[0], slope, curvature;
    /* The activations of the two classes. */
    double half[2] = {margin / 2, -margin / 2};
    double loss = temper_margin_loss(margin, input->t1, input->t2, &slope, &curvature);
    double same = temper_loss(half, 2, 0, input->t1, input->t2, NULL);
    REQUIRE(loss >= 0 && slope <= 0, "loss %.17g, slope %.17g, t = %.17g, %.17g", loss, slope, input->t1, input->t2);
    /* Half of the margin is exact. Next to the edge of support, at (1 - t2) |margin| = 1, the smaller probability is
     * that distance times a factor: the loss of a margin has all its digits, the solver for many classes loses them. */
    bool at_edge = input->t2 < 1 && fabs(1 - (1 - input->t2) * fabs(margin)) < 1e-9;
    /* The loss of a large t1 is exp(x)/(t1 - 1), x = (t1 - 1) -log p: it has x times the relative error of log p. */
    double exponent = input->t1 > 1 ? log1p((input->t1 - 1) * loss) : 0;
    if (fabs(margin) > 1e-300 && !at_edge)
        REQUIRE(loss == same || fabs(loss - same) <= 1e-11 * fmax(1, exponent) * same + 1e-300,
                "margin %.17g: %.17g, two classes: %.17g, t = %.17g, %.17g", margin, loss, same, input->t1, input->t2);
    double p = temper_margin_probability(margin, input->t2);
    REQUIRE(p >= 0 && p <= 1, "p = %.17g, t = %.17g", p, input->t2);
}

/* Calls all functions with arguments that may be invalid; they only have to return. */
static void call_everything(const struct input *input)
{
    double out[MOST];
    temper_iterations iterations;
    size_t n = input->n;
    temper_probabilities(input->a, n, input->t2, out);
    temper_log_partition_gradient(input->a, n, input->t2, out);
    temper_escort(input->a, n, input->t1, out);
    temper_entropy(input->a, n, input->t1);
    temper_divergence(input->a, out, n, input->t1);
    temper_loss(input->a, n, input->label, input->t1, input->t2, out);
    temper_log_partition_bisection(input->a, n, input->t2, &iterations);
    temper_log_partition_algorithm1(input->a, n, input->t2, 1e-10, 100, &iterations);
    temper_log_partition_algorithm2(input->a[0], input->t2, 1e-10, 100, &iterations);
    temper_loss_shape(input->t1, input->t2);
    temper_margin_loss(input->a[0], input->t1, input->t2, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct input input = take_input(&bytes);
    call_everything(&input);
    /* The promises hold for finite, non-negative temperatures and finite activations. */
    if (!(input.t1 >= 0 && input.t2 >= 0 && isfinite(input.t1) && isfinite(input.t2)))
        return 0;
    if (!all_finite(input.a, input.n))
        return 0;
    check_family(&input);
    check_loss(&input);
    check_methods(&input);
    check_margin(&input);
    return 0;
}
