/* pages: which part of a mapped file is in memory.
 *
 * Whoever goes through the rows of a matrix says so, a span at a time. Where the matrix lies in a
 * mapped file, what comes next is asked for before it is needed; and if the file may take only so
 * much memory, what was used first goes out of it again. Pages that went are read again when they
 * are touched: a forgotten word, or one said in the wrong order, costs time or memory, never a
 * wrong number. Any number of threads may speak at once. */
#ifndef DATA_PAGE_WINDOW_H
#define DATA_PAGE_WINDOW_H

#include "data/matrix.h"

struct page_window;
struct disk_array;

/* Of the bytes of a mapping, which outlives it. NULL: no memory. */
struct page_window *page_window_new(void *mapping, size_t length);
/* The same of arrays in temporary files; the spill outlives it. */
struct page_window *page_window_of_disk_array(struct disk_array *spill);
void page_window_free(struct page_window *pages);

/* The least that page_window_limit can keep to with so many threads, each of which reads about so
 * many bytes of each array at a time. */
size_t page_window_least(const struct matrix *x, size_t threads, size_t block);
/* From now on at most about so many bytes of the file are in memory; 0: as many as come. False: no
 * memory. Not while others speak. */
bool page_window_limit(struct page_window *pages, size_t bytes);
/* Drops what was read so far; it comes again when it is wanted. */
void page_window_forget(struct page_window *pages);
/* What lies before this offset may be written to from now on, which changes a private copy of the
 * page: it is never dropped again, but once now. */
void page_window_keep(struct page_window *pages, size_t offset);

/* These bytes are about to be read, and what follows them up to `end` soon after; NULL: nothing. */
void page_window_bytes(struct page_window *pages, const void *from, size_t length, const void *end);

/* Rows [from, from + count) are about to be read, and those behind them soon after. */
void page_window_rows(const struct matrix *x, uint64_t from, uint64_t count);
/* The same for one who leaves rows out: these alone are about to be read, or will be soon. */
void page_window_some(const struct matrix *x, uint64_t from, uint64_t count);
void page_window_soon(const struct matrix *x, uint64_t from, uint64_t count);
/* Rows in any order, one at a time. */
void page_window_row(const struct matrix *x, uint64_t row);

#endif
