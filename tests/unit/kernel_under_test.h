/* kernel_under_test: the kernel that TEMPER_KERNEL names; tests are skipped where it cannot run. */
#ifndef KERNEL_UNDER_TEST_H
#define KERNEL_UNDER_TEST_H

#include <stdlib.h>

#include "kernel/dispatch/kernel.h"
#include "test.h"

/* Declares `kernel`, or ends the test. */
#define KERNEL_OR_SKIP                                                                             \
    const char *wanted;                                                                            \
    const struct kernel *kernel = kernel_choose(&wanted);                                          \
    if (!kernel)                                                                                   \
    SKIP("this processor does not run TEMPER_KERNEL")

/* That ends where it was asked for, so that a sanitizer sees who reads on; freed by free. */
static inline void *memory(size_t count, size_t size)
{
    void *p = malloc(count * size + (count == 0));
    if (!p)
        abort();
    return p;
}

#endif
