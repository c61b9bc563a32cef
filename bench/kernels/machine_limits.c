/* limits: reading memory, and multiplying in registers only. */
#include "kernels/machine_limits.h"

#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef float vector __attribute__((vector_size(VECTOR_BYTES)));
enum { LANES = VECTOR_BYTES / sizeof(float), STREAMS = 8, CHAINS = 12, AHEAD = 1024 };

float limit_read(const float *x, size_t n)
{
    vector sum[STREAMS] = {{0}}, all = {0};
    float total = 0;
    for (size_t i = 0; i + STREAMS * LANES <= n; i += STREAMS * LANES)
#pragma GCC unroll 8
        for (size_t k = 0; k < STREAMS; k++) {
            vector v;
            memcpy(&v, x + i + k * LANES, sizeof v);
            __builtin_prefetch(x + i + k * LANES + AHEAD);
            sum[k] += v;
        }
    for (size_t k = 0; k < STREAMS; k++)
        all += sum[k];
    for (size_t lane = 0; lane < LANES; lane++)
        total += all[lane];
    return total;
}

double limit_fma(size_t rounds, float *sink)
{
    vector chain[CHAINS], factor = {0}, add = {0};
    for (size_t k = 0; k < CHAINS; k++)
        chain[k] = factor + (float)k;
    factor += 0.999f;
    add += 1e-3f;
    for (size_t i = 0; i < rounds; i++)
#pragma GCC unroll 12
        for (size_t k = 0; k < CHAINS; k++)
            chain[k] = chain[k] * factor + add; /* contracted: see bench/CMakeLists.txt */
    for (size_t k = 1; k < CHAINS; k++)
        chain[0] += chain[k];
    *sink = chain[0][0];
    return (double)rounds * CHAINS * LANES;
}
