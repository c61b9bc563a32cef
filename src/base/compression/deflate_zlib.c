/* deflate_zlib: deflate.h with zlib, at its highest level: what is packed is small and read many times. */
#include <zlib.h>

#include "base/compression/deflate.h"

size_t deflate_bound(size_t length)
{
    return compressBound((uLong)length);
}

bool deflate_bytes(const unsigned char *bytes, size_t length, unsigned char *out, size_t *packed)
{
    uLongf room = (uLongf)*packed;
    bool done = compress2(out, &room, bytes, (uLong)length, Z_BEST_COMPRESSION) == Z_OK;
    *packed = room;
    return done;
}

uint32_t deflate_crc32(uint32_t sum, const unsigned char *bytes, size_t length)
{
    return length ? (uint32_t)crc32(sum, bytes, (uInt)length) : sum; /* zlib starts again where bytes is NULL */
}
