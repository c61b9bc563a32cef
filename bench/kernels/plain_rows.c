/* plain_rows: a row times weights, and a multiple of a row, as plain C that the compiler makes the
 * best of. */
#include "peers/plain_peers.h"

enum { LANES = 16 }; /* sums beside each other, which a compiler may not make of one */

float plain_times(const float *restrict x, const float *restrict w, size_t n)
{
    float sum[LANES] = {0}, all = 0;
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += x[j + k] * w[j + k];
    for (; j < n; j++)
        all += x[j] * w[j];
    for (size_t k = 0; k < LANES; k++)
        all += sum[k];
    return all;
}

void plain_add(float *restrict to, float factor, const float *restrict x, size_t n)
{
    for (size_t j = 0; j < n; j++)
        to[j] += factor * x[j];
}
