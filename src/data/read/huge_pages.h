/* chunks_pages: large arrays that are about to be filled, in large pages of memory.
 *
 * The system gives memory a page at a time, when it is first written to; for an array of many
 * megabytes that takes as long as half of the parsing. Advice only: without it all works the same.
 */
#ifndef DATA_HUGE_PAGES_H
#define DATA_HUGE_PAGES_H

#include <stddef.h>

/* `bytes` is what the array will probably hold. A last part of it is left out, so that a guess that
 * is a little too high costs no memory. */
void page_window_expect(void *array, size_t bytes);

/* What the whole of `total` bytes probably has, if the first `seen` of them have `count`, and a
 * little more; SIZE_MAX if that is no size. */
size_t page_window_guess(size_t count, size_t seen, size_t total);

#endif
