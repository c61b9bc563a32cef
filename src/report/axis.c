/* axis: maps data to pixels, chooses the ticks and the range of an axis. */
#include "report/axis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/svg.h"

/* Beyond these powers, labels such as 250000 or 0.00025 are harder to read than a power of ten. */
enum { LARGEST_PLAIN_POWER = 4, SMALLEST_PLAIN_POWER = -3, MOST_DECIMALS = 9 };

static const char minus_sign[] = "\xe2\x88\x92";
static const char times_sign[] = "\xc2\xb7";

double axis_pixel(const struct axis *axis, double value)
{
    double share = (value - axis->from) / (axis->to - axis->from);
    return axis->pixel_from + share * (axis->pixel_to - axis->pixel_from);
}

/* count * 10^power; dividing by an exact power of ten gives the nearest to 0.3, unlike 3 * 0.1. */
static double scale_ten(double count, int power)
{
    return power < 0 ? count / pow(10, -power) : count * pow(10, power);
}

/* The exponent of the decimal notation: 2 for 123. */
static int floor_power(double value)
{
    return (int)floor(log10(value));
}

/* The smallest of 1, 2, 5, 10 x 10^k that is at least `least`. */
static void choose_step(struct ticks *ticks, double least)
{
    static const int digits[] = {1, 2, 5};
    ticks->power = floor_power(least);
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        ticks->digit = digits[i];
        /* With a tolerance for rounding: ten steps of 0.1 must fit into 1. */
        if (scale_ten(ticks->digit, ticks->power) >= least * (1 - 1e-9))
            return;
    }
    ticks->digit = 1;
    ticks->power++;
}

/* The power of ten that is factored out of the labels: 0 where plain numbers are readable. */
static int common_factor(double largest)
{
    int power = floor_power(largest);
    return power > LARGEST_PLAIN_POWER || power < SMALLEST_PLAIN_POWER ? power : 0;
}

struct ticks axis_ticks(const struct axis *axis, size_t most)
{
    assert(axis->from < axis->to && most > 0);
    struct ticks ticks = {.axis = axis, .digit = 1};
    if (axis->scale == AXIS_CATEGORY) {
        ticks.count = (size_t)axis->to;
        return ticks;
    }
    double least = (axis->to - axis->from) / (double)most;
    bool powers = axis->scale == AXIS_LOG10; /* only whole powers of ten have a label */
    choose_step(&ticks, powers ? fmax(least, 1) : least);
    if (!powers)
        ticks.common_factor = common_factor(fmax(fabs(axis->from), fabs(axis->to)));
    double step = scale_ten(ticks.digit, ticks.power);
    ticks.first = ceil(axis->from / step - 1e-9);
    double last = floor(axis->to / step + 1e-9);
    ticks.count = last < ticks.first ? 0 : (size_t)(last - ticks.first) + 1;
    return ticks;
}

double tick_value(const struct ticks *ticks, size_t index)
{
    if (ticks->axis->scale == AXIS_CATEGORY)
        return (double)index + 0.5;
    return scale_ten((ticks->first + (double)index) * ticks->digit, ticks->power);
}

/* A true minus sign is as wide as the digits; a hyphen is not. */
static void append_signed(struct text *out, double value, int decimals)
{
    if (value < 0)
        text_append(out, minus_sign);
    text_append_number(out, fabs(value), decimals);
}

/* The number in a label: the tick without the common factor. */
static double label_value(const struct ticks *ticks, size_t index)
{
    int power = ticks->power - ticks->common_factor;
    return scale_ten((ticks->first + (double)index) * ticks->digit, power);
}

static int label_decimals(const struct ticks *ticks)
{
    int decimals = ticks->common_factor - ticks->power;
    return decimals < 0 ? 0 : decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS;
}

void tick_label(struct text *out, const struct ticks *ticks, size_t index)
{
    if (ticks->axis->scale == AXIS_CATEGORY)
        text_append(out, ticks->axis->names[index]);
    else if (ticks->axis->scale == AXIS_LOG10)
        append_power(out, (int)lround(tick_value(ticks, index)));
    else
        append_signed(out, label_value(ticks, index), label_decimals(ticks));
}

size_t tick_label_length(const struct ticks *ticks)
{
    if (ticks->count == 0)
        return 0;
    if (ticks->axis->scale == AXIS_LOG10)
        return sizeof "10-9" - 1;
    double first = label_value(ticks, 0), last = label_value(ticks, ticks->count - 1);
    double largest = fmax(fabs(first), fabs(last));
    size_t sign = first < 0, decimals = (size_t)label_decimals(ticks);
    size_t whole = largest < 1 ? 1 : (size_t)floor_power(largest) + 1;
    return sign + whole + (decimals ? decimals + 1 : 0);
}

/* Digits after the point so that `digits` of them are significant. */
static int decimals_for(double size, int digits)
{
    int decimals = digits - 1 - floor_power(size);
    return decimals < 0 ? 0 : decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS;
}

void append_power(struct text *out, int power)
{
    text_format(out, "10" SVG_SUP("%s%d"), power < 0 ? minus_sign : "", abs(power));
}

void append_quantity(struct text *out, double value, int digits)
{
    double size = fabs(value);
    if (size == 0 || !isfinite(value)) {
        text_append_number(out, value, 0);
        return;
    }
    int power = common_factor(size);
    if (power == 0) {
        append_signed(out, value, decimals_for(size, digits));
        return;
    }
    /* In two steps, as 10^power itself may overflow. */
    double scaled = scale_ten(scale_ten(value, -power / 2), -power - (-power / 2));
    double unit = pow(10, 1 - digits);
    scaled = round(scaled / unit) * unit;
    if (fabs(scaled) >= 10) {
        scaled /= 10;
        power++;
    }
    if (scaled != 1) { /* 10^9 needs no 1 before it */
        append_signed(out, scaled, digits - 1);
        text_append(out, times_sign);
    }
    append_power(out, power);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

struct domain range_of(const double *values, size_t count, size_t stride)
{
    struct domain range = {values[0], values[0]};
    for (size_t i = 1; i < count; i++) {
        range.from = fmin(range.from, values[i * stride]);
        range.to = fmax(range.to, values[i * stride]);
    }
    return range;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool range_of_most(const double *values, size_t count, double share, struct domain *range)
{
    double *sorted = mem_alloc(count, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    size_t left_out = (size_t)(share * (double)count);
    *range = (struct domain){sorted[left_out], sorted[count - 1 - left_out]};
    mem_free(sorted);
    return true;
}

struct domain range_padded(struct domain range, double share)
{
    const double narrowest = 1e-4; /* relative to the larger end */
    double middle = range.from / 2 + range.to / 2, half = range.to / 2 - range.from / 2;
    double least = narrowest * fmax(fabs(range.from), fabs(range.to));
    if (half <= least) /* a single value: half of it, or 1, on either side */
        half = middle == 0 ? 1 : fmax(fabs(middle) / 2, least);
    half *= 1 + 2 * share;
    return (struct domain){middle - half, middle + half};
}
