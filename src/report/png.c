/* png: encodes small images as PNG (ISO/IEC 15948): the three chunks that an image needs, without filters. */
#include "report/png.h"

#include <string.h>

#include "base/compression/deflate.h"
#include "base/memory.h"

/* Stores a number in the byte order of PNG, big-endian. */
static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* One chunk: length of the bytes, name, bytes, and the CRC-32 of name and bytes. */
static void append_chunk(struct text *out, const char *name, const unsigned char *bytes, uint32_t length)
{
    unsigned char number[4];
    uint32_t sum = deflate_crc32(deflate_crc32(0, (const unsigned char *)name, 4), bytes, length);
    put_u32(number, length);
    text_append_bytes(out, (const char *)number, 4);
    text_append_bytes(out, name, 4);
    text_append_bytes(out, (const char *)bytes, length);
    put_u32(number, sum);
    text_append_bytes(out, (const char *)number, 4);
}

/* From planes (all red, all green, all blue) to pixels; each line begins with the number of its filter, 0: none. */
static void fill_lines(const struct picture *picture, unsigned char *line)
{
    size_t plane = (size_t)picture->height * picture->width; /* bytes of one colour */
    for (uint32_t y = 0; y < picture->height; y++) {
        *line++ = 0;
        for (uint32_t x = 0; x < picture->width; x++)
            for (uint32_t c = 0; c < picture->colours; c++)
                *line++ = picture->pixels[c * plane + (size_t)y * picture->width + x];
    }
}

/* The IDAT chunk: all lines, compressed as far as possible, since pages contain hundreds of small images and each is
 * encoded once. */
static void append_lines(struct text *out, const struct picture *picture)
{
    size_t length = picture->height * ((size_t)picture->width * picture->colours + 1);
    size_t packed = deflate_bound(length);
    unsigned char *lines = mem_alloc(length, 1), *bytes = mem_alloc(packed, 1);
    if (lines && bytes) {
        fill_lines(picture, lines);
        out->failed |= !deflate_bytes(lines, length, bytes, &packed);
        append_chunk(out, "IDAT", bytes, (uint32_t)packed);
    } else {
        out->failed = true;
    }
    mem_free(lines);
    mem_free(bytes);
}

/* Base64 (RFC 4648): three bytes become four letters of six bits each; the end is padded with =. */
static void append_base64(struct text *out, const unsigned char *bytes, size_t length)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i; /* 1 or 2 at the end: padded */
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        char letters[4] = {digit[group >> 18], digit[group >> 12 & 63], left > 1 ? digit[group >> 6 & 63] : '=',
                           left > 2 ? digit[group & 63] : '='};
        text_append_bytes(out, letters, sizeof letters);
    }
}

/* The signature, then the chunks IHDR, IDAT and IEND, as a data: address. */
void png_append(struct text *out, const struct picture *picture)
{
    struct text file = {0};
    unsigned char header[13] = {0};
    put_u32(header, picture->width);
    put_u32(header + 4, picture->height);
    header[8] = 8;                             /* bits of a sample */
    header[9] = picture->colours == 3 ? 2 : 0; /* colour type: RGB or grey */
    text_append_bytes(&file, "\x89PNG\r\n\x1a\n", 8);
    append_chunk(&file, "IHDR", header, sizeof header);
    append_lines(&file, picture);
    append_chunk(&file, "IEND", (const unsigned char *)"", 0);
    text_append(out, "data:image/png;base64,");
    if (!file.failed)
        append_base64(out, (const unsigned char *)file.bytes, file.length);
    out->failed |= file.failed;
    text_free(&file);
}
