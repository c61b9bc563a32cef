/* csv_plain: cells that are plain numbers, read where they stand. A chunk has zeros behind it, so
 * that one may read ahead. */
#ifndef DATA_CSV_FAST_H
#define DATA_CSV_FAST_H

#include "base/number_fast.h"

/* One plain number at p, which `ending` ends; NULL if it is not plain. */
static inline const char *csv_take_number(const char *p, char ending, bool f64, void *out)
{
    struct number_fast number;
    double wide;
    float narrow;
    struct number_view view = number_look(p, ending);
    unsigned length = view.ends ? (unsigned)__builtin_ctz(view.ends) : 0;
    if (length == 0 || p[length] != ending || !number_fast_read(p, length, view.stops, &number))
        return NULL;
    if (f64 ? !number_fast_f64(&number, &wide) : !number_fast_f32(&number, &narrow))
        return NULL;
    if (f64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &narrow, sizeof narrow);
    return p + length + 1;
}

/* A single digit, as counts and 0/1 features are. */
static inline const char *csv_take_digit(const char *p, char ending, bool f64, void *out)
{
    unsigned digit = (unsigned)*p - '0';
    double wide = digit;
    float narrow = (float)digit;
    if (digit > 9 || p[1] != ending)
        return NULL;
    if (f64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &narrow, sizeof narrow);
    return p + 2;
}

#endif
