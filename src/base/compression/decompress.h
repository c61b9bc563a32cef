/* decompress: gzip and zstd, a piece at a time, from memory to memory. decompress.c does it with zlib and libzstd; in a
 * standalone build decompress_none.c takes its place, and refuses. */
#ifndef BASE_COMPRESSION_DECOMPRESS_H
#define BASE_COMPRESSION_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* The outcome of a step. */
enum decompress_result {
    DECOMPRESS_CONTINUES, /* the output is full, or the input is consumed */
    DECOMPRESS_END,       /* of the last member or frame, and of the input */
    DECOMPRESS_TRUNCATED, /* the input ends within a member or frame */
    DECOMPRESS_DAMAGED,
    DECOMPRESS_GARBAGE,    /* bytes after the archive that are no archive */
    DECOMPRESS_TOO_WIDE,   /* zstd: it needs more memory than is allowed */
    DECOMPRESS_DICTIONARY, /* zstd: it needs the dictionary that it was made with */
    DECOMPRESS_NO_MEMORY,
    DECOMPRESS_UNSUPPORTED /* a standalone build */
};

/* Input and output of a step, which advances the pointers. */
struct byte_flow {
    const unsigned char *in;
    size_t in_left;
    bool in_ended; /* nothing follows `in` */
    unsigned char *out;
    size_t out_left;
};

struct decompressor;

/* The format inferred from the first bytes: "gzip", "zstd", or NULL if it is neither. */
enum { DECOMPRESS_MAGIC = 4, GZIP_FIRST = 0x1f };
const char *decompress_kind(const unsigned char *bytes, size_t length);

/* `kind` is a result of decompress_kind. NULL without memory. */
struct decompressor *decompress_open(const char *kind);
/* At most one pass over the input; out_left > 0. Not to be called again after a failure or the end. */
enum decompress_result decompress_step(struct decompressor *decompressor, struct byte_flow *flow);
/* The message of the library about the damage that the last step found: "incorrect data check". */
const char *decompress_cause(const struct decompressor *decompressor);
void decompress_close(struct decompressor *decompressor);

#endif
