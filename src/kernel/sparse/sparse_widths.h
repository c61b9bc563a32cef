/* sparse_widths: loops over sparse rows, compiled for the widths in which their arrays come. */
#ifndef KERNEL_SPARSE_WIDTHS_H
#define KERNEL_SPARSE_WIDTHS_H

#include "kernel/sparse/sparse_products.h"

/* `wide` says that columns have 64 bits, `f64` that values are doubles. A body is compiled for
 * floats and for doubles with columns of 32 bits, and once for the rest, which asks at every entry.
 */
#define BY_WIDTH(rows, body)                                                                                           \
    do {                                                                                                               \
        const bool has_wide = (rows).column64 != NULL, has_f64 = (rows).value64 != NULL;                               \
        if (!has_wide && !has_f64)                                                                                     \
            body(false, false);                                                                                        \
        else if (!has_wide)                                                                                            \
            body(false, true);                                                                                         \
        else                                                                                                           \
            body(true, has_f64);                                                                                       \
    } while (0)

#endif
