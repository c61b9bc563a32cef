/* memory_stream_windows: through a temporary file, which Windows keeps in memory while there is enough of it. */
#include "memory_stream.h"

#include <stdlib.h>

FILE *memory_stream_open(char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    return tmpfile();
}

/* The bytes are terminated, as those of open_memstream are. */
static bool read_back(FILE *stream, char **bytes, size_t *length)
{
    int64_t end = fseeko(stream, 0, SEEK_END) == 0 ? ftello(stream) : -1;
    if (ferror(stream) || end < 0 || fseeko(stream, 0, SEEK_SET) != 0)
        return false;
    *bytes = malloc((size_t)end + 1);
    *length = (size_t)end;
    if (!*bytes || fread(*bytes, 1, *length, stream) != *length)
        return false;
    (*bytes)[*length] = '\0';
    return true;
}

bool memory_stream_close(FILE *stream, char **bytes, size_t *length)
{
    bool kept = read_back(stream, bytes, length);
    return fclose(stream) == 0 && kept;
}
