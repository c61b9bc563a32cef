/* chunks_pages: madvise, where the system has it. */
#define _GNU_SOURCE /* madvise: POSIX's own has no such advice */
#include "data/read/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 1 << 21 };

void page_window_expect(void *array, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = (uintptr_t)array, to = from + (bytes - bytes / 16);
    from = (from + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    to = to / LARGE_PAGE * LARGE_PAGE;
    if (from < to)
        (void)madvise((char *)array + (from - (uintptr_t)array), to - from, MADV_HUGEPAGE);
#else
    (void)array, (void)bytes;
#endif
}

size_t page_window_guess(size_t count, size_t seen, size_t total)
{
    double guess = 1.02 * (double)count * (double)total / (double)(seen > 0 ? seen : 1);
    return guess < (double)(SIZE_MAX / 2) ? (size_t)guess : SIZE_MAX;
}
