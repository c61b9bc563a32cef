/* memory: overflow-checked allocation. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

enum { VECTOR_ALIGNMENT = 64 }; /* a cache line, and an AVX-512 register */

bool mul_size(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

bool add_size(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b)
        return false;
    *out = a + b;
    return true;
}

/* malloc(0) may be NULL, which callers would take for a failure. */
static bool block_size(size_t count, size_t size, size_t *bytes)
{
    if (!mul_size(count, size, bytes))
        return false;
    if (*bytes == 0)
        *bytes = 1;
    return true;
}

void *mem_alloc(size_t count, size_t size)
{
    size_t bytes;
    return block_size(count, size, &bytes) ? malloc(bytes) : NULL;
}

void *mem_zeroed(size_t count, size_t size)
{
    size_t bytes;
    return block_size(count, size, &bytes) ? calloc(1, bytes) : NULL;
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    return block_size(count, size, &bytes) ? realloc(block, bytes) : NULL;
}

void *mem_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes) || !add_size(bytes, VECTOR_ALIGNMENT - 1, &bytes))
        return NULL;
    /* C11 wants the size to be a multiple of the alignment. */
    return aligned_alloc(VECTOR_ALIGNMENT, bytes / VECTOR_ALIGNMENT * VECTOR_ALIGNMENT);
}

void mem_free(void *block)
{
    free(block);
}
