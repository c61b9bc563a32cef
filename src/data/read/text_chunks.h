/* text_chunks: a text source in chunks that end at a line boundary.
 *
 * Sources that are slow or must be waited for (an archive, a pipe) are read ahead by a thread, so that one chunk is
 * decompressed while another is parsed. It is started by text_chunks_open and joined by text_chunks_close. A plain
 * file is read by the thread that calls text_chunks_next, directly into the cache that the chunk is parsed from. */
#ifndef DATA_TEXT_CHUNKS_H
#define DATA_TEXT_CHUNKS_H

#include "base/source.h"

struct text_chunks;

enum {
    CHUNK_ZEROS = 64 /* zero bytes after every chunk, so that a parser may load whole words */
};

struct text_chunk {
    char *bytes;   /* owned by the text_chunks; valid until the chunk is given back */
    size_t length; /* ends after a newline, except for the last chunk of a file without a final newline */
    size_t number; /* 0, 1, 2... */
    bool last;
};

/* `quoted`: a newline between double quotes does not end a line (CSV); the first chunk has 1 MiB then, others are
 * smaller. `batch_bytes`: see text_chunks_start_batch; chunks are not longer than that. A line longer than a chunk
 * makes the chunk grow, up to 256 MiB; a longer line is refused. Takes over the source and closes it, also on failure.
 * If no thread can be started, text_chunks_next reads. */
temper_status text_chunks_open(struct source *source, bool quoted, size_t batch_bytes, struct text_chunks **out,
                               temper_error *error);
/* Starts a batch: text_chunks_next returns chunks until they have batch_bytes in sum, then chunks of length 0. With
 * batch_bytes 0, and before the first batch is started, there is no such limit. Which chunks belong to a batch depends
 * on the text alone, not on threads. */
void text_chunks_start_batch(struct text_chunks *chunks);
/* Passes over the chunks of the batch; adds their newlines to *lines. *some: there was at least one chunk. */
temper_status text_chunks_skip_batch(struct text_chunks *chunks, uint64_t *lines, bool *some, temper_error *error);
/* The next chunk, in order; length 0 at the end of the batch, and `last` too at the end of the text. An error of the
 * source is returned after all chunks before it. Any number of chunks may be held at once; these two functions may be
 * called from several threads. */
temper_status text_chunks_next(struct text_chunks *chunks, struct text_chunk **chunk, temper_error *error);
void text_chunks_give_back(struct text_chunks *chunks, struct text_chunk *chunk);
/* Makes the chunk the next one again; several are given back in reverse order. */
void text_chunks_unread(struct text_chunks *chunks, struct text_chunk *chunk);
/* Also frees chunks that were not given back. May be called at any time. */
void text_chunks_close(struct text_chunks *chunks);

/* ---- Line boundaries ------------------------------------------------------------------------- */

/* The position after the last newline in [from, to); 0 if there is none. */
size_t last_newline(const char *bytes, size_t from, size_t to);
/* The same, counting only newlines outside double quotes. `odd`: a quote is open at `to`. */
size_t last_line_end(const char *bytes, size_t from, size_t to, bool odd);
/* Whether there is an odd number of double quotes. */
bool odd_quotes(const char *bytes, size_t length);
/* The number of newlines. */
uint64_t count_lines(const char *bytes, size_t length);

/* ---- Arrays that are about to be filled ------------------------------------------------------ */

/* Advises the system to use huge pages for an array that will probably hold so many bytes: page faults of a large
 * array would take half as long as parsing. The last 1/16 is left out, so that a high estimate costs no memory. */
void huge_pages_advise(void *array, size_t bytes);
/* How many items `total` bytes probably have if the first `seen` bytes have `count`, plus 2 %; SIZE_MAX on overflow. */
size_t estimate_total(size_t count, size_t seen, size_t total);

#endif
