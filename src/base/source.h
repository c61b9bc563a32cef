/* source: bytes from a file, a pipe or the standard input; gzip and zstd are decompressed.
 *
 * The compression is inferred from the first bytes, not from the name. A truncated or damaged
 * archive is an error, never an end of file; several gzip members or zstd frames in a row are one
 * stream; other bytes after them are an error. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct source;
struct text; /* base/text.h */

/* "-" is the standard input. A directory, a missing or an unreadable file is refused by name:
 * TEMPER_NO_INPUT if it is not there, TEMPER_IO if it cannot be read. */
temper_status source_open(const char *path, struct source **out, temper_error *error);
/* Of an uncompressed regular file: the lines that begin in the rank-th of `ranks` pieces of equal
 * length. */
temper_status source_open_lines(const char *path, size_t rank, size_t ranks, struct source **out, temper_error *error);
/* Of such a file: bytes from .. to. */
temper_status source_open_span(const char *path, uint64_t from, uint64_t to, struct source **out, temper_error *error);
/* Bytes in memory, which the source takes over and frees (mem_free), on failure too. `name` is for messages. */
temper_status source_bytes(const char *name, char *bytes, size_t length, struct source **out, temper_error *error);
/* Bytes in memory, which the caller keeps until the source is closed; decompressed as those of a file are. */
temper_status source_borrow(const char *name, const void *bytes, size_t length, struct source **out,
                            temper_error *error);
/* A function that makes the bytes of a source. */
struct source_maker {
    void *context;
    /* Fills up to `size` bytes; fewer only at the end. Not called again after a failure. */
    temper_status (*fill)(void *context, void *bytes, size_t size, size_t *got, temper_error *error);
    void (*free_context)(void *context); /* when the source is closed */
};
/* Bytes that are made as they are read. Takes over the context, on failure too. `name` is for messages. */
temper_status source_made(const char *name, const struct source_maker *maker, struct source **out, temper_error *error);
/* Fills up to `size` bytes; fewer only at the end. *got = 0 is the end. After a failure every
 * further read fails in the same way. */
temper_status source_read(struct source *source, void *bytes, size_t size, size_t *got, temper_error *error);
/* The next bytes without consuming them, at most 64 KiB; fewer only if the stream ends there. */
temper_status source_peek(struct source *source, size_t size, const unsigned char **bytes, size_t *got,
                          temper_error *error);
/* Called by another thread: a read that waits for a pipe soon fails with TEMPER_INTERRUPTED. */
void source_stop(struct source *source);
/* For messages: shortened, and "standard input" for "-". */
const char *source_name(const struct source *source);
/* "gzip", "zstd" or NULL. */
const char *source_compression(const struct source *source);
/* Bytes of the file on disk; 0 where that is unknown (a pipe). */
uint64_t source_file_size(const struct source *source);
/* Whether source_read_at works: for regular files that are not compressed and were opened by name and whole. */
bool source_has_places(const struct source *source);
/* Fills `size` bytes from byte `at` of the file on, whatever was read before; several threads may call it at once. A
 * file that ends earlier is TEMPER_IO. */
temper_status source_read_at(const struct source *source, uint64_t at, void *bytes, size_t size, temper_error *error);
void source_close(struct source *source);

/* What a file that is read whole has to be like: reading ends where it is not, so that a device without an end cannot
 * fill the memory. */
struct whole_file {
    const char *begins; /* or NULL; a file that begins otherwise is read in part, and its content is for the caller to
                         * refuse */
    size_t begins_length;
    size_t most; /* bytes; a larger file is TEMPER_BAD_DATA. 0: any number */
};

/* Appends all bytes of a file to `text`, which is empty, and which the caller frees, on failure too. `expected` may be
 * NULL. */
temper_status source_whole(const char *path, const struct whole_file *expected, struct text *text, temper_error *error);

#endif
