/* kernel_under_test: the kernel that TEMPER_KERNEL names; tests are skipped where it cannot run. */
#ifndef KERNEL_UNDER_TEST_H
#define KERNEL_UNDER_TEST_H

#include "kernel/kernel.h"
#include "test.h"

/* Declares `kernel`, or ends the test. */
#define KERNEL_OR_SKIP                                                                             \
    const char *wanted;                                                                            \
    const struct kernel *kernel = kernel_choose(&wanted);                                          \
    if (!kernel)                                                                                   \
    SKIP("this processor does not run TEMPER_KERNEL")

#endif
