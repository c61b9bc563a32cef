/* arrays: memory for the benchmarks. */
#define _DEFAULT_SOURCE
#include "kernels/bench_arrays.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/random.h"

enum { LARGE_PAGE = 1 << 21, DRAWN = 1 << 20 };

void *array_zeros(size_t count, size_t size)
{
    size_t bytes = (count * size / LARGE_PAGE + 1) * LARGE_PAGE;
    void *array = aligned_alloc(LARGE_PAGE, bytes);
    if (!array)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(array, bytes, MADV_HUGEPAGE); /* if it fails, small pages do too */
#endif
    memset(array, 0, bytes);
    return array;
}

float *array_normals(size_t count, double scale)
{
    const struct random random = {.seed = 3};
    float *array = array_zeros(count, sizeof *array);
    for (size_t i = 0; array && i < count; i++)
        array[i] = i < DRAWN ? (float)(scale * random_normal(random, i)) : array[i - DRAWN];
    return array;
}
