/* kernel: which instruction sets there are, and which the processor has. */
#include "kernel/kernel.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif

/* Fastest first. */
static const struct {
    bool (*runs_here)(void);
    struct kernel kernel;
} kernels[] = {
#if defined(__x86_64__)
    {has_avx512, {"avx512", margins_avx512, softmax_f32_avx512, softmax_f64_avx512}},
    {has_avx2, {"avx2", margins_avx2, softmax_f32_avx2, softmax_f64_avx2}},
#elif defined(__aarch64__)
    {always, {"neon", margins_neon, softmax_f32_neon, softmax_f64_neon}}, /* part of arm64 */
#endif
    {always, {"plain", margins_plain, softmax_f32_plain, softmax_f64_plain}},
};

enum { KERNEL_COUNT = sizeof kernels / sizeof *kernels };

const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++)
        if (strcmp(kernels[i].kernel.name, name) == 0)
            return kernels[i].runs_here() ? &kernels[i].kernel : NULL;
    return NULL;
}

const struct kernel *kernel_best(void)
{
    size_t i = 0;
    while (!kernels[i].runs_here())
        i++; /* ends at "plain" */
    return &kernels[i].kernel;
}

const struct kernel *kernel_choose(const char **wanted)
{
    *wanted = getenv("TEMPER_KERNEL");
    return *wanted && **wanted ? kernel_find(*wanted) : kernel_best();
}
