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

struct pages;
struct spill;

/* Of the bytes of a mapping, which outlives it. NULL: no memory. */
struct pages *pages_new(void *mapping, size_t length);
/* The same of arrays in temporary files; the spill outlives it. */
struct pages *pages_of_spill(struct spill *spill);
void pages_free(struct pages *pages);

/* The least that pages_limit can keep to with so many threads, each of which reads about so many
 * bytes of each array at a time. */
size_t pages_least(const struct matrix *x, size_t threads, size_t block);
/* From now on at most about so many bytes of the file are in memory; 0: as many as come. False: no
 * memory. Not while others speak. */
bool pages_limit(struct pages *pages, size_t bytes);
/* Drops what was read so far; it comes again when it is wanted. */
void pages_forget(struct pages *pages);
/* What lies before this offset may be written to from now on, which changes a private copy of the
 * page: it is never dropped again, but once now. */
void pages_keep(struct pages *pages, size_t offset);

/* These bytes are about to be read, and what follows them up to `end` soon after; NULL: nothing. */
void pages_bytes(struct pages *pages, const void *from, size_t length, const void *end);

/* Rows [from, from + count) are about to be read, and those behind them soon after. */
void pages_rows(const struct matrix *x, uint64_t from, uint64_t count);
/* The same for one who leaves rows out: these alone are about to be read, or will be soon. */
void pages_some(const struct matrix *x, uint64_t from, uint64_t count);
void pages_soon(const struct matrix *x, uint64_t from, uint64_t count);
/* Rows in any order, one at a time. */
void pages_row(const struct matrix *x, uint64_t row);

#endif
