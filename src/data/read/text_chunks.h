/* chunks: a text source in pieces that end where a line ends.
 *
 * What takes time or must be waited for, an archive or a pipe, is read ahead by a thread of its
 * own: while one piece is parsed the next is unpacked. The thread is born with text_chunks_open and
 * joined by text_chunks_close. A plain file is read by whoever asks for the next piece, right into
 * the cache that it will be parsed from. */
#ifndef DATA_TEXT_CHUNKS_H
#define DATA_TEXT_CHUNKS_H

#include "base/source.h"

struct text_chunks;

enum {
    CHUNK_ZEROS = 64 /* bytes of 0 behind every chunk, so that a parser may read words ahead */
};

struct chunk {
    char *bytes;   /* owned by the chunks; valid until the chunk is given back */
    size_t length; /* ends behind a newline, but for the last chunk of a file that has none there */
    size_t number; /* 0, 1, 2... */
    bool last;
};

/* `quoted`: a newline between double quotes does not end a line (CSV). Its first chunk is of 1 MiB
 * then, others are smaller. A line longer than a chunk makes it grow, up to 256 MiB, and a longer
 * one is refused. Takes over the source and closes it, also on failure. Where no thread can be
 * started, text_chunks_next reads. */
temper_status text_chunks_open(struct source *source, bool quoted, struct text_chunks **out, temper_error *error);
/* The next chunk, in order; length 0 and `last` behind the end, as often as one asks. An error of
 * the source comes after all chunks before it. Any number of chunks may be held at once; these two
 * calls may come from several threads. */
temper_status text_chunks_next(struct text_chunks *chunks, struct chunk **chunk, temper_error *error);
void text_chunks_give_back(struct text_chunks *chunks, struct chunk *chunk);
/* Will be the next one again; of several, the last one first. */
void text_chunks_unread(struct text_chunks *chunks, struct chunk *chunk);
/* Chunks that were not given back are gone too. May come at any time: nothing is waited for. */
void text_chunks_close(struct text_chunks *chunks);

#endif
