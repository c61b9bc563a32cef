/* memory_stream: by open_memstream of POSIX; windows/memory_stream_windows.c where there is none. */
#include "memory_stream.h"

FILE *memory_stream_open(char **bytes, size_t *length)
{
    return open_memstream(bytes, length);
}

/* open_memstream keeps bytes and length up to date at each flush and grows the buffer as needed. ferror is read before
 * fclose, which frees the stream. NOLINTNEXTLINE(readability-non-const-parameter): the same signature on Windows */
bool memory_stream_close(FILE *stream, char **bytes, size_t *length)
{
    (void)bytes, (void)length;
    bool failed = ferror(stream) != 0;
    return fclose(stream) == 0 && !failed;
}
