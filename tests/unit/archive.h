/* archive: bytes, and what gzip and zstd make of them, for the tests of those who read them. */
#ifndef TEST_ARCHIVE_H
#define TEST_ARCHIVE_H

#include <stddef.h>

struct blob {
    unsigned char *bytes;
    size_t length;
    size_t capacity; /* of what blob_add made; 0: not known */
};

/* Appending; the blob starts from {0} and is freed by blob_free. */
void blob_add(struct blob *blob, const void *bytes, size_t length);
void blob_add_text(struct blob *blob, const char *text);
void blob_free(struct blob *blob);

/* One member with every field that a header can have, one without, one frame with a checksum. */
void blob_add_gzip_full(struct blob *blob, const void *bytes, size_t length);
void blob_add_gzip(struct blob *blob, const void *bytes, size_t length);
void blob_add_zstd(struct blob *blob, const void *bytes, size_t length);
/* A frame to be skipped. */
void blob_add_zstd_skipped(struct blob *blob);
/* A frame of `mebibytes` zeros in 32 bytes each. */
void blob_add_zstd_bomb(struct blob *blob, size_t mebibytes);

/* Bytes that are the same every time, and compress a little. */
struct blob blob_noise(size_t length);
/* Lines of up to `longest` bytes and four; a newline now and then stands within quotes. */
struct blob blob_lines(size_t length, size_t longest);

#endif
