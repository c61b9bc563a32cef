/* heap_calls: of Windows, where an aligned block must not be freed by free(): all blocks of memory.c are aligned ones.
 */
#ifndef BASE_HEAP_CALLS_H
#define BASE_HEAP_CALLS_H

#include <malloc.h>
#include <string.h>

enum { HEAP_ALIGNMENT = 16 };

static inline void *heap_zeroed(size_t bytes)
{
    void *block = _aligned_malloc(bytes, HEAP_ALIGNMENT);
    return block ? memset(block, 0, bytes) : NULL;
}

#define malloc(bytes)                   _aligned_malloc(bytes, HEAP_ALIGNMENT)
#define calloc(one, bytes)              heap_zeroed(bytes)
#define realloc(block, bytes)           _aligned_realloc(block, bytes, HEAP_ALIGNMENT)
#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#define free(block)                     _aligned_free(block)

#endif
