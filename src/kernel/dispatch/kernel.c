/* kernel: the table of instruction sets, and the choice of one that the processor supports. */
#include "kernel/dispatch/kernel.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* For rows of the table that need no probe. */
static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
/* The compiler flags of isa_avx2_*.c and these probes must agree, or an illegal instruction would be executed.
 * __builtin_cpu_supports also checks that the operating system saves the registers. */
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

/* One row of the table: the functions of an instruction set, in the order of struct kernel. */
#define KERNEL(set)                                                                                                    \
    #set, margins_##set, residual_f32_##set, residual_f64_##set, softmax_f32_##set, softmax_f64_##set,                 \
        &linear_f32_##set, &linear_f64_##set, &sparse_##set, &column_margins_##set, &column_range_##set,               \
        triangular_solve_##set, cholesky_update_##set

/* Fastest first. */
static const struct {
    bool (*runs_here)(void);
    struct kernel kernel;
} kernels[] = {
#if defined(__x86_64__)
    {has_avx512, {KERNEL(avx512)}},
    {has_avx2, {KERNEL(avx2)}},
#elif defined(__aarch64__)
    {always, {KERNEL(neon)}}, /* every arm64 has it */
#endif
    {always, {KERNEL(plain)}},
};

/* At least one: "plain" runs everywhere. */
enum { KERNEL_COUNT = sizeof kernels / sizeof *kernels };

/* NULL if the name is unknown, or the processor does not have the instruction set. */
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
        i++; /* at the latest at "plain" */
    return &kernels[i].kernel;
}

/* TEMPER_KERNEL overrides the choice, for tests and benchmarks; *wanted is its value for the message if there is
 * no such kernel. An empty value counts as not set. */
const struct kernel *kernel_choose(const char **wanted)
{
    *wanted = getenv("TEMPER_KERNEL");
    return *wanted && **wanted ? kernel_find(*wanted) : kernel_best();
}
