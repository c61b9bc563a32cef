/* Axes and curves of pictures: nice ticks that cover, labels, clipping, faithful sampling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "report/axis.h"

#define MINUS "\xe2\x88\x92"

/* A step is 1, 2 or 5 times a power of ten; no tick is missing at either end. */
static void check_ticks(double from, double to, size_t most)
{
    struct axis axis = {.from = from, .to = to, .pixel_to = 300};
    struct ticks ticks = axis_ticks(&axis, most);
    double slack = 1e-6 * (to - from);
    CHECK(ticks.digit == 1 || ticks.digit == 2 || ticks.digit == 5);
    CHECKF(ticks.count <= most + 1, "%zu ticks in [%g, %g]", ticks.count, from, to);
    CHECKF(2 * ticks.count >= (most - 1) / 2, "%zu ticks in [%g, %g]", ticks.count, from, to);
    if (ticks.count < 2)
        return;
    double step = tick_value(&ticks, 1) - tick_value(&ticks, 0);
    double first = tick_value(&ticks, 0), last = tick_value(&ticks, ticks.count - 1);
    CHECKF(first >= from - slack && first - step < from, "first %g in [%g, %g]", first, from, to);
    CHECKF(last <= to + slack && last + step > to, "last %g in [%g, %g]", last, from, to);
}

TEST(ticks_are_nice_and_cover)
{
    check_ticks(0, 1, 10);
    check_ticks(-5, 5, 8);
    check_ticks(-0.2, 5.2, 7);
    check_ticks(1e6, 1e6 + 1.5, 7);
    check_ticks(-1e300, 1e300, 6);
    check_ticks(0, 1e-300, 6);
    unsigned state = 1;
    for (int i = 0; i < 5000; i++) {
        state = state * 1664525u + 1013904223u;
        double width = pow(10, (int)(state >> 8) % 13 - 6) * (1 + (state >> 20) / 4096.0);
        double from = width * ((int)(state >> 4 & 1023) - 512) / 64.0;
        check_ticks(from, from + width, 2 + (state >> 12) % 9);
    }
}

/* All labels of a range, with blanks between them. */
static void check_labels(struct domain range, size_t most, int factor, const char *expected)
{
    struct axis axis = {.from = range.from, .to = range.to, .pixel_to = 300};
    struct ticks ticks = axis_ticks(&axis, most);
    struct text all = {0};
    size_t longest = 0;
    for (size_t i = 0; i < ticks.count; i++) {
        size_t start = all.length;
        tick_label(&all, &ticks, i);
        size_t bytes = all.length - start;
        size_t letters = all.bytes[start] == MINUS[0] ? bytes - 2 : bytes;
        longest = letters > longest ? letters : longest;
        text_append(&all, " ");
    }
    CHECK_EQ_TEXT(all.bytes, expected);
    CHECK(ticks.common_factor == factor);
    CHECKF(tick_label_length(&ticks) >= longest, "%s", all.bytes);
    text_free(&all);
}

TEST(labels_of_ticks)
{
    check_labels((struct domain){0, 1}, 5, 0, "0 0.2 0.4 0.6 0.8 1 ");
    check_labels((struct domain){-5, 5}, 6, 0, MINUS "4 " MINUS "2 0 2 4 ");
    check_labels((struct domain){0.29, 0.31}, 4, 0, "0.29 0.295 0.3 0.305 0.31 ");
    check_labels((struct domain){0, 20000}, 4, 0, "0 5000 10000 15000 20000 ");
    check_labels((struct domain){-1e9, 2e9}, 3, 9, MINUS "1 0 1 2 ");
    check_labels((struct domain){0, 3e-10}, 3, -10, "0 1 2 3 ");
    check_labels((struct domain){1e6, 1e6 + 1}, 2, 6, "1 1.0000005 1.000001 ");
}

static void check_quantity(double value, int digits, const char *expected)
{
    struct text text = {0};
    append_quantity(&text, value, digits);
    CHECK_EQ_TEXT(text.bytes, expected);
    text_free(&text);
}

TEST(quantities)
{
    check_quantity(0, 3, "0");
    check_quantity(2.5, 3, "2.5");
    check_quantity(1 / 0.7, 3, "1.43");
    check_quantity(100 / 3.0, 3, "33.3");
    check_quantity(-0.6, 3, MINUS "0.6");
    check_quantity(0.99999999, 9, "0.99999999");
    check_quantity(99999.9999, 3, "100000");
    check_quantity(3e9, 3,
                   "3\xc2\xb7"
                   "10\002"
                   "9\004");
    check_quantity(-2.5e-7, 3,
                   MINUS "2.5\xc2\xb7"
                         "10\002" MINUS "7\004");
    check_quantity(99999999.5, 3,
                   "10\002"
                   "8\004");
    check_quantity(1.5e308, 3,
                   "1.5\xc2\xb7"
                   "10\002"
                   "308\004");
    check_quantity(5e-324, 2,
                   "4.9\xc2\xb7"
                   "10\002" MINUS "324\004");
    check_quantity(1e-12, 9, "10\002" MINUS "12\004");
    check_quantity(INFINITY, 3, "inf");
}

/* ---- Clipping -------------------------------------------------------------------------------- */

static void check_clip(struct point from, struct point to, bool seen, struct point in, struct point out)
{
    struct box box = {10, 20, 100, 50};
    struct point start = from, end = to;
    if (!CHECK(segment_clip(box, &start, &end) == seen))
        return;
    if (!seen) {
        in = from;
        out = to;
    }
    CHECK_NEAR(start.x, in.x, 1e-12);
    CHECK_NEAR(start.y, in.y, 1e-12);
    CHECK_NEAR(end.x, out.x, 1e-12);
    CHECK_NEAR(end.y, out.y, 1e-12);
}

TEST(segments_are_cut_at_the_box)
{
    const struct point inside = {50, 40}, other = {60, 30}, none = {0, 0};
    check_clip(inside, other, true, inside, other);
    check_clip((struct point){0, 40}, (struct point){200, 40}, true, (struct point){10, 40}, (struct point){110, 40});
    check_clip((struct point){50, 100}, (struct point){50, 0}, true, (struct point){50, 70}, (struct point){50, 20});
    check_clip(inside, (struct point){50, 1000}, true, inside, (struct point){50, 70});
    check_clip((struct point){0, 0}, (struct point){9, 90}, false, none, none);
    check_clip((struct point){0, 65}, (struct point){40, 105}, false, none, none);
    check_clip((struct point){NAN, NAN}, inside, false, none, none);
    check_clip((struct point){0, 15}, (struct point){20, 35}, true, (struct point){10, 25}, (struct point){20, 35});
}

/* ---- Sampling -------------------------------------------------------------------------------- */

static double kink(const void *context, double x)
{
    return fabs(x - *(const double *)context);
}

static double pole(const void *context, double x)
{
    double edge = *(const double *)context;
    return x < edge ? 1 / (edge - x) : INFINITY;
}

static double jump(const void *context, double x)
{
    return x < *(const double *)context ? 0.5 : 3.5;
}

static double step(const void *context, double x)
{
    return 2 + 1.5 * tanh(500 * (x - *(const double *)context));
}

static double root(const void *context, double x)
{
    return sqrt(x - *(const double *)context); /* NaN to the left */
}

static const struct frame frame = {
    .x = {.from = -2, .to = 3, .pixel_from = 0, .pixel_to = 330},
    .y = {.from = 0, .to = 4, .pixel_from = 280, .pixel_to = 0},
};

/* The height of the path above a pixel column; NaN where it has none. */
static double height_at(const struct path *path, double x)
{
    for (size_t i = 1; i < path->count; i++) {
        struct point from = path->points[i - 1], to = path->points[i];
        if (from.x <= x && x < to.x)
            return from.y + (x - from.x) / (to.x - from.x) * (to.y - from.y);
    }
    return NAN;
}

/* Everywhere between the samples the path is where the function is, or both are out of sight. A
 * twentieth of a pixel to either side is allowed for, as the lines may be steep. */
static void check_followed(curve_function *function, double context)
{
    struct path path = {0};
    path_sample(&path, &frame, (struct domain){-2, 3}, function, &context);
    for (int i = 0; i < 3300; i++) {
        double pixel = 0.1 * i + 0.05, seen = height_at(&path, pixel);
        double x = -2 + pixel * 5 / 330, aside = 0.05 * 5 / 330;
        double left = axis_pixel(&frame.y, function(&context, x - aside));
        double right = axis_pixel(&frame.y, function(&context, x + aside));
        if (isnan(left) && !isnan(right))
            continue; /* its very beginning */
        double low = fmin(left, right) - 0.06, high = fmax(left, right) + 0.06;
        if (isnan(seen))
            CHECKF(isnan(left) || isnan(right) || low < 0.1 || high > 279.9, "gap at x = %g", x);
        else
            CHECKF(seen >= low && seen <= high, "%g at x = %g, not in [%g, %g]", seen, x, low, high);
    }
    CHECKF(path.count < 2000, "%zu points", path.count);
    path_free(&path);
}

TEST(curves_are_followed)
{
    /* The last is halfway between two samples, where a step looks like a line to a single look. */
    const double places[] = {0, 0.5, 0.123456, -1.99, 2.995, 1.0 / 3, -2 + 5 * 20.5 / 54};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        check_followed(kink, places[i]);
        check_followed(pole, places[i]);
        check_followed(jump, places[i]);
        check_followed(step, places[i]);
        check_followed(root, places[i]);
    }
}

TEST(curves_stay_in_the_frame)
{
    double edge = 1;
    struct path path = {0};
    path_sample(&path, &frame, (struct domain){-2, 3}, pole, &edge);
    CHECK(path.count > 10);
    for (size_t i = 0; i < path.count; i++) {
        struct point point = path.points[i];
        CHECKF(isnan(point.x) || (point.x >= 0 && point.x <= 330), "x = %g", point.x);
        CHECKF(isnan(point.y) || (point.y >= -1e-9 && point.y <= 280 + 1e-9), "y = %g", point.y);
    }
    CHECK(path_meets(&path, (struct box){0, 0, 330, 280}));
    CHECK(path_meets(&path, (struct box){175, 0, 10, 5}));
    CHECK(!path_meets(&path, (struct box){0, 0, 100, 100}));
    path_free(&path);
}

TEST(a_path_notes_that_memory_ended)
{
    double edge = 1;
    for (size_t n = 1; n <= 2; n++) {
        struct path path = {0};
        fault_arm(n);
        path_sample(&path, &frame, (struct domain){-2, 3}, pole, &edge);
        fault_disarm();
        CHECK(path.failed == fault_fired());
        CHECK(path.failed || n > 1);
        path_free(&path);
    }
}

TEST_LIST(LISTED(ticks_are_nice_and_cover), LISTED(labels_of_ticks), LISTED(quantities),
          LISTED(segments_are_cut_at_the_box), LISTED(curves_are_followed), LISTED(curves_stay_in_the_frame),
          LISTED(a_path_notes_that_memory_ended))
