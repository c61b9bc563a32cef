/* archive: made by zlib and libzstd themselves. */
#include "archive.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/random.h"
#include "test.h"

/* Doubles: under a sanitizer every reallocation copies. */
static void blob_reserve(struct blob *blob, size_t length)
{
    if (length <= blob->capacity)
        return;
    unsigned char *grown = realloc(blob->bytes, length * 2);
    if (!grown)
        abort();
    blob->bytes = grown;
    blob->capacity = length * 2;
}

void blob_add(struct blob *blob, const void *bytes, size_t length)
{
    blob_reserve(blob, blob->length + length + 1);
    if (length > 0)
        memcpy(blob->bytes + blob->length, bytes, length);
    blob->length += length;
}

void blob_add_text(struct blob *blob, const char *text)
{
    blob_add(blob, text, strlen(text));
}

void blob_free(struct blob *blob)
{
    free(blob->bytes);
    *blob = (struct blob){0};
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static void add_gzip(struct blob *blob, const void *bytes, size_t length, gz_header *header)
{
    z_stream zlib = {0};
    CHECK(deflateInit2(&zlib, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    if (header)
        CHECK(deflateSetHeader(&zlib, header) == Z_OK);
    size_t room = deflateBound(&zlib, length) + 256;
    unsigned char *packed = malloc(room);
    if (!packed)
        abort();
    zlib.next_in = (unsigned char *)bytes;
    zlib.avail_in = (unsigned)length;
    zlib.next_out = packed;
    zlib.avail_out = (unsigned)room;
    CHECK(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
    blob_add(blob, packed, room - zlib.avail_out);
    deflateEnd(&zlib);
    free(packed);
}

void blob_add_gzip(struct blob *blob, const void *bytes, size_t length)
{
    add_gzip(blob, bytes, length, NULL);
}

void blob_add_gzip_full(struct blob *blob, const void *bytes, size_t length)
{
    unsigned char name[] = "name.csv", comment[] = "a comment", extra[] = "extra";
    gz_header header = {.text = 1, .time = 12345, .os = 3, .hcrc = 1};
    header.name = name;
    header.comment = comment;
    header.extra = extra;
    header.extra_len = sizeof extra;
    add_gzip(blob, bytes, length, &header);
}

/* ---- zstd ------------------------------------------------------------------------------------ */

void blob_add_zstd(struct blob *blob, const void *bytes, size_t length)
{
    size_t room = ZSTD_compressBound(length);
    unsigned char *packed = malloc(room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!packed || !context)
        abort();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(context, packed, room, bytes, length);
    CHECK(!ZSTD_isError(made));
    blob_add(blob, packed, made);
    ZSTD_freeCCtx(context);
    free(packed);
}

void blob_add_zstd_skipped(struct blob *blob)
{
    blob_add(blob, "\x53\x2a\x4d\x18\x03\0\0\0abc", 11);
}

/* Blocks of 128 KiB, each a byte and how often it is repeated. */
void blob_add_zstd_bomb(struct blob *blob, size_t mebibytes)
{
    blob_add(blob, "\x28\xb5\x2f\xfd\0\x38", 6); /* no length, no checksum, a window of 128 KiB */
    for (size_t i = 0; i < mebibytes * 8; i++)
        blob_add(blob, "\x02\0\x10\0", 4);
    blob_add(blob, "\x01\0\0", 3); /* the last block, empty */
}

struct blob blob_noise(size_t length)
{
    struct blob blob = {malloc(length + 1), length, length + 1};
    if (!blob.bytes)
        abort();
    for (size_t i = 0; i < length; i++)
        blob.bytes[i] = (unsigned char)(random_bits((struct random){1, 2}, i / 3) >> i % 3 * 8);
    return blob;
}

struct blob blob_lines(size_t length, size_t longest)
{
    struct random random = {longest, 3};
    struct blob text = {malloc(length + 1), 0, length + 1};
    uint64_t next = 0;
    if (!text.bytes)
        abort();
    while (text.length < length) {
        uint64_t bits = random_bits(random, next++);
        size_t line = (bits >> 8) % longest + 4, left = length - text.length;
        line = line < left ? line : left;
        unsigned char *at = text.bytes + text.length;
        memset(at, (int)('a' + bits % 26), line);
        if (line >= 4 && bits % 3 == 0) {
            at[line - 4] = at[line - 2] = '"';
            at[line - 3] = '\n';
        }
        at[line - 1] = '\n';
        text.length += line;
    }
    return text;
}
