/* order: the smaller and the larger of two sizes, and the order of doubles for qsort. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stddef.h>

static inline size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Ascending. Callers exclude NaN, which is neither less nor greater: the order would be inconsistent. */
static inline int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

#endif
