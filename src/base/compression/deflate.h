/* deflate: bytes into the zlib format (RFC 1950), and the checksum of PNG. deflate_zlib.c compresses; in a standalone
 * build deflate_none.c takes its place, and stores the bytes as they are, which every reader of the format accepts. */
#ifndef BASE_COMPRESSION_DEFLATE_H
#define BASE_COMPRESSION_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The greatest length of the result for `length` bytes. */
size_t deflate_bound(size_t length);
/* *packed is the room in `out`, then the length of the result. false without memory. */
bool deflate_bytes(const unsigned char *bytes, size_t length, unsigned char *out, size_t *packed);
/* CRC-32 (ISO 3309) of further bytes; 0 before the first. */
uint32_t deflate_crc32(uint32_t sum, const unsigned char *bytes, size_t length);

#endif
