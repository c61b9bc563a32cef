/* axis: from data to pixels, and where the ticks go. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Data in [from, to], from < to, is drawn between two pixels (in either direction). */
struct axis {
    double from, to;
    double pixel_from, pixel_to;
    bool powers; /* the data are logarithms: the label of 3 is 10^3, and between there is none */
};

double axis_pixel(const struct axis *axis, double value);

/* Ticks at whole multiples of `step`, which is 1, 2 or 5 times a power of ten. */
struct ticks {
    double first; /* in steps */
    size_t count;
    int digit;         /* 1, 2 or 5 */
    int power;         /* step = digit * 10^power */
    int common_factor; /* labels leave out this power of ten, for the title of the axis to name */
    bool powers;
};

/* As many as there are, but at most `most` + 1. The range must be wider than 1e-7 of its largest
 * value, or the labels could not tell the ticks apart. */
struct ticks axis_ticks(const struct axis *axis, size_t most);
double tick_value(const struct ticks *ticks, size_t index);
void tick_label(struct text *out, const struct ticks *ticks, size_t index);
/* How many characters the longest label has, at most. */
size_t tick_label_length(const struct ticks *ticks);

/* A number as people write it, with so many significant digits: -1.5, 0.6, 3 x 10^9 (in the marks
 * of svg.h). */
void append_quantity(struct text *out, double value, int digits);
/* 10^power, in the marks of svg.h. */
void append_power(struct text *out, int power);

#endif
