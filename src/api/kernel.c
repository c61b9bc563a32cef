/* api: which kernels are in use. */
#include "kernel/dispatch/kernel.h"
#include "temper.h"

const char *temper_kernel_name(void)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    return kernel ? kernel->name : NULL;
}
