/* wasi_calls: what a browser has none of: temporary files, advice about pages, archives. The library asks for the first
 * only under a limit of memory; the second is advice; the third is refused with a message. */
#include "wasi_calls.h"

#include <errno.h>
#include <stddef.h>

#include "base/decompress.h"

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

/* ---- In place of src/base/decompress.c: no zlib and no libzstd here ------------------------------------------------
 */

struct decompressor {
    char unused;
};

/* The page unpacks gzip itself, before the library sees the bytes. */
const char *decompress_kind(const unsigned char *bytes, size_t length)
{
    static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return "gzip";
    for (size_t i = 0; i < sizeof zstd_magic; i++)
        if (i >= length || bytes[i] != zstd_magic[i])
            return NULL;
    return "zstd";
}

struct decompressor *decompress_open(const char *kind)
{
    static const struct decompressor none;
    (void)kind;
    return (struct decompressor *)&none; /* which no function writes to */
}

enum decompress_result decompress_step(struct decompressor *decompressor, struct byte_flow *flow)
{
    (void)decompressor, (void)flow;
    return DECOMPRESS_DAMAGED;
}

const char *decompress_cause(const struct decompressor *decompressor)
{
    (void)decompressor;
    return "this page cannot unpack it; unpack it first";
}

void decompress_close(struct decompressor *decompressor)
{
    (void)decompressor;
}
