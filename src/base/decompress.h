/* unpack: gzip and zstd, undone a piece at a time. Knows no files. */
#ifndef BASE_DECOMPRESS_H
#define BASE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* How a step ended. */
enum decompress_result {
    UNPACK_GOES_ON, /* the output is full, or the input used up */
    UNPACK_END,     /* of the last member or frame, and of the input */
    UNPACK_CUT,     /* the input ends within a member or frame */
    UNPACK_DAMAGED,
    UNPACK_GARBAGE,    /* what follows the archive is none */
    UNPACK_TOO_WIDE,   /* zstd: it would need more memory than we give */
    UNPACK_DICTIONARY, /* zstd: it was made with a dictionary */
    UNPACK_NO_MEMORY
};

/* What a step works on; it moves the pointers. */
struct flow {
    const unsigned char *in;
    size_t in_left;
    bool in_ended; /* nothing follows `in` */
    unsigned char *out;
    size_t out_left;
};

struct decompressor;

/* What is told by its first bytes: "gzip", "zstd", or NULL if it is neither. */
enum { UNPACK_MAGIC = 4 };
const char *decompress_kind(const unsigned char *bytes, size_t length);

/* `kind` is what decompress_kind gave. NULL without memory. */
struct decompressor *decompress_open(const char *kind);
/* At most one pass over what is there; out_left > 0. Once it has failed or ended it is not called
 * again. */
enum decompress_result decompress_step(struct decompressor *unpacker, struct flow *flow);
/* What the last step found damaged, in the words of the library: "incorrect data check". */
const char *decompress_cause(const struct decompressor *unpacker);
void decompress_close(struct decompressor *unpacker);

#endif
