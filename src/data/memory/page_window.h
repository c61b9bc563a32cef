/* page_window: controls which pages of a mapped file are resident.
 *
 * Code that reads the rows of a matrix announces each span of rows. If the matrix is in a mapped file, the following
 * pages are prefetched (MADV_WILLNEED); and if the file may use a limited amount of memory, the pages used longest ago
 * are dropped (MADV_DONTNEED). Dropped pages are read again when they are touched, so a missing or misplaced
 * announcement costs time or memory, never a wrong number. Any number of threads may announce at once. Matrices in
 * ordinary memory have no window, and the inline functions below return at once. */
#ifndef DATA_PAGE_WINDOW_H
#define DATA_PAGE_WINDOW_H

#include "data/matrix.h"

struct page_window;
struct disk_array;

/* For a mapping, which must outlive it. NULL: no memory. */
struct page_window *page_window_new(void *mapping, size_t length);
/* The same for arrays in temporary files, which must outlive it. */
struct page_window *page_window_of_disk_array(struct disk_array *disk);
void page_window_free(struct page_window *pages);

/* The least limit with which so many threads can work, each reading about `block` bytes of each array at a time. */
size_t page_window_least(const struct matrix *x, size_t threads, size_t block);
/* From now on at most about so many bytes of the file are resident; 0: no limit. False: no memory. Not while other
 * threads announce rows. */
bool page_window_limit(struct page_window *pages, size_t bytes);
/* Drops all pages; they are read again when touched. */
void page_window_forget(struct page_window *pages);
/* Bytes before this offset may be written to from now on, which makes private copies of their pages: these are dropped
 * once now and never again. */
void page_window_keep(struct page_window *pages, size_t offset);

/* These bytes are about to be read, and those up to `end` soon after; NULL: no others. */
void page_window_bytes(struct page_window *pages, const void *from, size_t length, const void *end);

/* The calls behind the inline functions; x->pages is not NULL. */
void page_window_announce(const struct matrix *x, uint64_t from, uint64_t count, bool more);
void page_window_use(const struct matrix *x, uint64_t from, uint64_t count);
void page_window_prefetch(const struct matrix *x, uint64_t from, uint64_t count);

/* Rows [from, from + count) are about to be read, and those behind them soon after. */
static inline void page_window_rows(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages && count)
        page_window_announce(x, from, count, true);
}

/* The same for readers that skip rows: these rows alone are about to be read, */
static inline void page_window_some(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages && count)
        page_window_use(x, from, count);
}

/* or will be soon. */
static inline void page_window_soon(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages && count)
        page_window_prefetch(x, from, count);
}

/* Rows in any order, one at a time. */
static inline void page_window_row(const struct matrix *x, uint64_t row)
{
    if (x->pages)
        page_window_announce(x, row, 1, false);
}

#endif
