/* memory: allocation with checked multiplication; an allocation of zero bytes is never NULL.
 *
 * Tests make the n-th allocation fail by wrapping malloc, calloc and realloc at link time
 * (tests/unit/fixtures/fault_injection.h), so the library itself needs no switch and no global for it. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* False, and *out unchanged, on overflow. */
bool mul_size(size_t a, size_t b, size_t *out);
bool add_size(size_t a, size_t b, size_t *out);

/* NULL if count * size does not fit or there is no memory. Freed by mem_free. */
void *mem_alloc(size_t count, size_t size);
void *mem_zeroed(size_t count, size_t size);
/* The old block remains valid after a failure. */
void *mem_resize(void *block, size_t count, size_t size);
/* 64-byte aligned, for SIMD loads; freed by mem_free too. */
void *mem_aligned(size_t count, size_t size);
/* The same for arrays of a quarter of a megabyte and more that are short-lived, and written soon and as a whole: in
 * huge pages, since a small page costs a fault of about a microsecond. Takes up to 2 MB more. */
void *mem_paged(size_t count, size_t size);
void mem_free(void *block);

#endif
