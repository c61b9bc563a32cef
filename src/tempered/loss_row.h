/* row: an example as the losses see it: a solved family, its activations and the label. */
#ifndef TEMPERED_LOSS_ROW_H
#define TEMPERED_LOSS_ROW_H

#include <math.h>

#include "tempered/log_partition.h"

struct row {
    struct partition family;
    const double *a; /* n of them */
    size_t n, label;
    double t1;
};

static inline double row_log_p(const struct row *row, size_t c)
{
    return partition_log_p(&row->family, c, row->a[c]);
}

/* The same where a softmax of finite activations has it beyond the double range. */
static inline long double row_log_p_wide(const struct row *row, size_t c)
{
    const struct partition *family = &row->family;
    double log_p = row_log_p(row, c);
    if (family->t != 1 || log_p != -INFINITY || row->a[c] == -INFINITY || isinf(family->max))
        return log_p;
    return (long double)row->a[c] - family->max - family->lambda;
}

#endif
