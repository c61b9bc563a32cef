/* wasi_calls: what a browser has none of: temporary files, which the library needs only under a limit of memory, and
 * advice about pages. */
#include "wasi_calls.h"

#include <errno.h>
#include <stddef.h>

int mkstemp(char *path)
{
    (void)path;
    errno = ENOSYS;
    return -1;
}

int madvise(void *from, size_t length, int advice);
int madvise(void *from, size_t length, int advice)
{
    (void)from, (void)length, (void)advice;
    return 0;
}
