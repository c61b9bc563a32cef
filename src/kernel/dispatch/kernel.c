/* kernel: the table of instruction sets, and the choice of one that the processor supports. */
#include "kernel/dispatch/kernel.h"

#if defined(__x86_64__) && !defined(TEMPER_CPU_SUPPORTS)
#include <cpuid.h>
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* For rows of the table that need no probe. */
static bool always(void)
{
    return true;
}

#if defined(__x86_64__) && defined(TEMPER_CPU_SUPPORTS)
/* The compiler's run-time library executes CPUID once, when the program starts. A virtual machine leaves to the host
 * for each CPUID: a probe takes 14 microseconds there, and a training of few rows makes twenty. The compiler flags of
 * isa_avx2_*.c and these probes must agree, or an illegal instruction would be executed. */
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#elif defined(__x86_64__)
/* Bits of CPUID and of the register XCR0 (Intel's manual, volume 1, chapters 14 and 15). XCR0 has a bit for each set of
 * registers that the operating system saves. */
enum {
    LEAF1_ECX_AVX2 = bit_FMA | bit_OSXSAVE | bit_AVX,
    LEAF7_EBX_AVX2 = bit_AVX2,
    LEAF7_EBX_AVX512 = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW,
    XCR0_YMM = 0x06, /* XMM, upper halves of YMM */
    XCR0_ZMM = 0xe6  /* these, masks, upper halves of ZMM, ZMM 16 to 31 */
};
static const unsigned leaf7_ebx_vl = bit_AVX512VL; /* bit 31: no int */

static bool has_registers(unsigned wanted)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & wanted) == wanted;
}

/* For compilers whose run-time library has no __builtin_cpu_supports. */
static bool has_features(unsigned leaf7_ebx, unsigned registers)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & LEAF1_ECX_AVX2) != LEAF1_ECX_AVX2)
        return false;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (ebx & leaf7_ebx) != leaf7_ebx)
        return false;
    return has_registers(registers);
}

static bool has_avx2(void)
{
    return has_features(LEAF7_EBX_AVX2, XCR0_YMM);
}

static bool has_avx512(void)
{
    return has_features(LEAF7_EBX_AVX2 | LEAF7_EBX_AVX512 | leaf7_ebx_vl, XCR0_ZMM);
}
#endif

/* Probabilities have no plain kernel. */
#define PROBABILITIES(set)    PROBABILITIES_##set
#define PROBABILITIES_plain   NULL
#define PROBABILITIES_avx2    probabilities_avx2
#define PROBABILITIES_avx512  probabilities_avx512
#define PROBABILITIES_neon    probabilities_neon
#define PROBABILITIES_wasm128 probabilities_wasm128

/* One row of the table: the functions of an instruction set, in the order of struct kernel. */
#define KERNEL(set)                                                                                                    \
    #set, margins_##set, residual_f32_##set, residual_f64_##set, softmax_f32_##set, softmax_f64_##set,                 \
        softmax_targets_f32_##set, softmax_targets_f64_##set, PROBABILITIES(set), &linear_f32_##set,                   \
        &linear_f64_##set, &sparse_##set, &column_margins_##set, &column_range_##set, triangular_solve_##set,          \
        cholesky_update_##set, &noise_##set, neighbours_##set, waves_##set

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
#elif defined(__wasm_simd128__)
    {always, {KERNEL(wasm128)}}, /* a browser without it does not load the module */
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

/* The table is ordered so that a processor which runs one row runs all after it: AVX-512 includes AVX2 here. */
const struct kernel *kernel_choose_known(const struct kernel *best, const char **wanted)
{
    bool runs = false;
    *wanted = getenv("TEMPER_KERNEL");
    if (!*wanted || !**wanted)
        return best;
    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        runs = runs || &kernels[i].kernel == best;
        if (strcmp(kernels[i].kernel.name, *wanted) == 0)
            return runs ? &kernels[i].kernel : NULL;
    }
    return NULL;
}
