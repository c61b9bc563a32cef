/* memory: overflow-checked allocation, and huge pages for large arrays. */
#define _GNU_SOURCE /* madvise with MADV_HUGEPAGE is no part of POSIX */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef _WIN32
#include "base/windows/heap_calls.h"
#endif

enum {
    VECTOR_ALIGNMENT = 64, /* a cache line, and an AVX-512 register */
    HUGE_PAGE = 1 << 21,
    LARGE_BLOCK = 2 * HUGE_PAGE, /* least size for huge pages */
    PAGED_BLOCK = HUGE_PAGE / 8, /* the same for mem_paged: 64 small pages take longer to get than a huge one */
};

/* Checked by a division beforehand: size_t wraps around silently, and a product that wrapped would allocate a
 * block that is too small. */
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

/* count * size in *bytes, at least 1: malloc(0) may be NULL, which callers would take for a failure.
 * False on overflow. */
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

/* By calloc, not by a loop: large blocks come from the system as zero pages, which cost nothing before they are
 * touched. */
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

/* Requests huge pages (2 MiB): random accesses to arrays larger than the cache would otherwise miss the TLB
 * each time. A failure is ignored, as small pages work too. */
static void advise_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    /* Only complete huge pages within the block can be advised: the first boundary at or after its begin, and the
     * last one before its end. */
    uintptr_t from = (uintptr_t)block, to = (from + bytes) / HUGE_PAGE * HUGE_PAGE;
    size_t skip = (HUGE_PAGE - from % HUGE_PAGE) % HUGE_PAGE;
    if (from + skip < to)
        (void)madvise((char *)block + skip, to - from - skip, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void *mem_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes) || !add_size(bytes, VECTOR_ALIGNMENT - 1, &bytes))
        return NULL;
    /* C11 requires a multiple of the alignment. */
    void *block = aligned_alloc(VECTOR_ALIGNMENT, bytes / VECTOR_ALIGNMENT * VECTOR_ALIGNMENT);
    if (block && bytes >= LARGE_BLOCK)
        advise_huge_pages(block, bytes);
    return block;
}

/* Blocks from LARGE_BLOCK on contain huge pages wherever they begin. */
void *mem_paged(size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes) || bytes < PAGED_BLOCK || bytes >= LARGE_BLOCK)
        return mem_aligned(count, size);
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *block = aligned_alloc(HUGE_PAGE, bytes);
    if (block)
        advise_huge_pages(block, bytes);
    return block;
}

/* Blocks of aligned_alloc are freed by free() too (C11), so that one function serves all of the above. */
void mem_free(void *block)
{
    free(block);
}
