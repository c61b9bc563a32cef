/* decompress_kind: recognises compressed files by their first bytes (RFC 1952, RFC 8878). */
#include <string.h>

#include "base/compression/decompress.h"

static const unsigned char gzip_magic[] = {GZIP_FIRST, 0x8b};
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
static const unsigned char skip_magic[] = {0x50, 0x2a, 0x4d, 0x18}; /* and 0x51 ... 0x5f */

const char *decompress_kind(const unsigned char *bytes, size_t length)
{
    if (length >= sizeof gzip_magic && memcmp(bytes, gzip_magic, sizeof gzip_magic) == 0)
        return "gzip";
    if (length < sizeof zstd_magic)
        return NULL;
    bool skippable = (bytes[0] & 0xf0) == skip_magic[0] && memcmp(bytes + 1, skip_magic + 1, 3) == 0;
    return skippable || memcmp(bytes, zstd_magic, sizeof zstd_magic) == 0 ? "zstd" : NULL;
}
