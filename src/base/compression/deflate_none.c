/* deflate_none: deflate.h without zlib: stored blocks (RFC 1951, section 3.2.4), which are valid and not compressed. */
#include <string.h>

#include "base/compression/deflate.h"

enum {
    STORED_BLOCK = 65535, /* most bytes of a block */
    BLOCK_HEADER = 5,
    ZLIB_HEADER = 2,
    ZLIB_TRAILER = 4,
    ADLER_MODULUS = 65521
};

static size_t stored_blocks(size_t length)
{
    return length / STORED_BLOCK + 1; /* an empty one at the end of a multiple */
}

size_t deflate_bound(size_t length)
{
    return ZLIB_HEADER + stored_blocks(length) * BLOCK_HEADER + length + ZLIB_TRAILER;
}

/* Adler-32 (RFC 1950): the sum of the bytes, and the sum of these sums. */
static uint32_t adler_sum(const unsigned char *bytes, size_t length)
{
    uint32_t sum = 1, sums = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (sum + bytes[i]) % ADLER_MODULUS;
        sums = (sums + sum) % ADLER_MODULUS;
    }
    return sums << 16 | sum;
}

/* One block: whether it is the last, its length and the complement of that, both little-endian, and the bytes. */
static unsigned char *store_block(const unsigned char *bytes, size_t length, bool last, unsigned char *out)
{
    unsigned char low = (unsigned char)(length & 255), high = (unsigned char)(length >> 8);
    const unsigned char header[BLOCK_HEADER] = {last, low, high, (unsigned char)~low, (unsigned char)~high};
    memcpy(out, header, sizeof header);
    memcpy(out + sizeof header, bytes, length);
    return out + sizeof header + length;
}

bool deflate_bytes(const unsigned char *bytes, size_t length, unsigned char *out, size_t *packed)
{
    unsigned char *at = out;
    *at++ = 0x78; /* deflate with a window of 32 KiB */
    *at++ = 0x01; /* the fastest level; makes the header a multiple of 31 */
    for (size_t blocks = stored_blocks(length), done = 0; blocks > 0; blocks--) {
        size_t piece = blocks > 1 ? STORED_BLOCK : length - done;
        at = store_block(bytes + done, piece, blocks == 1, at);
        done += piece;
    }
    uint32_t sum = adler_sum(bytes, length);
    for (int i = 0; i < ZLIB_TRAILER; i++)
        *at++ = (unsigned char)(sum >> (24 - 8 * i));
    *packed = (size_t)(at - out);
    return true;
}

uint32_t deflate_crc32(uint32_t sum, const unsigned char *bytes, size_t length)
{
    sum = ~sum;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}
