/* deflate without zlib, as standalone builds have it: zlib must read back every byte, and agree about the checksum.
 * The file is compiled in here, under other names than those of the library. */
#define deflate_bound stored_bound
#define deflate_bytes stored_bytes
#define deflate_crc32 plain_crc32
#include "base/compression/deflate_none.c"
#undef deflate_bound
#undef deflate_bytes
#undef deflate_crc32

#include <stdlib.h>
#include <zlib.h>

#include "fixtures/test.h"

enum { LONGEST = 2 * 65535 + 1 };

/* Bytes without a pattern that a length could hide in. */
static unsigned char *some_bytes(size_t length)
{
    unsigned char *bytes = malloc(length + 1);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    return bytes;
}

static void check_round_trip(size_t length)
{
    size_t packed = stored_bound(length);
    unsigned char *bytes = some_bytes(length), *out = malloc(packed), *back = malloc(length + 1);
    uLongf unpacked = (uLongf)length + 1;
    CHECK(stored_bytes(bytes, length, out, &packed));
    CHECK(packed == stored_bound(length));
    CHECK(uncompress(back, &unpacked, out, (uLong)packed) == Z_OK);
    CHECK(unpacked == length && memcmp(bytes, back, length) == 0);
    CHECK(plain_crc32(0, bytes, length) == crc32(0, bytes, (uInt)length));
    free(bytes);
    free(out);
    free(back);
}

TEST(stored_blocks)
{
    static const size_t lengths[] = {0, 1, 812, 65534, 65535, 65536, 2 * 65535, LONGEST};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_round_trip(lengths[i]);
}

/* A checksum of two pieces is that of the whole. */
TEST(checksum_continues)
{
    unsigned char *bytes = some_bytes(1000);
    CHECK(plain_crc32(plain_crc32(0, bytes, 300), bytes + 300, 700) == crc32(0, bytes, 1000));
    free(bytes);
}

TEST_LIST(LISTED(stored_blocks), LISTED(checksum_continues))
