/* libsvm_plain: entries as most are written, 12:0.345, read where they stand. A chunk has zeros
 * behind it, so that one may read ahead. */
#ifndef DATA_LIBSVM_FAST_H
#define DATA_LIBSVM_FAST_H

#include "base/number_fast.h"

/* The entry at p, with a blank or a newline behind it; returns where it ends, or NULL if it is
 * written in another way, or wrong. */
static inline const char *libsvm_plain(const char *p, uint64_t *index, float *value)
{
    struct number_view view = number_look(p, ' ');
    struct number_fast number;
    struct number_shape shape;
    if (!view.ends)
        return NULL;
    unsigned length = (unsigned)__builtin_ctz(view.ends);
    unsigned colon = (unsigned)__builtin_ctz(view.stops), from = colon + 1;
    if (colon - 1 >= 8 || p[colon] != ':') /* 0 wraps around */
        return NULL;
    if (number_shape(p + from, length - from, view.stops >> from, 8, &shape)) {
        unsigned last = number_last(&shape);
        struct number_pair two = number_two(p, colon, p + length - last, last);
        *index = two.first;
        number_shaped(p + from, &shape, two.second, &number);
    } else {
        *index = number_eight(p, colon);
        if (!number_fast_long(p + from, p + length, &number))
            return NULL;
    }
    return number_fast_f32(&number, value) ? p + length : NULL;
}

#endif
