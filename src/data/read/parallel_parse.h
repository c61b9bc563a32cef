/* parallel_parse: the chunks of a text, parsed on several threads and merged in the order of the text.
 *
 * Each thread takes the next chunk as soon as it has parsed its last one. A parsed chunk is merged as soon as all
 * chunks before it are, by whichever thread finds it ready, one at a time. So the result and the first error are those
 * of a single thread. */
#ifndef DATA_PARALLEL_PARSE_H
#define DATA_PARALLEL_PARSE_H

#include "data/read/text_chunks.h"

struct parallel_parse {
    struct text_chunks *chunks;
    size_t threads;
    size_t slots; /* places for chunks that are parsed and not merged yet: at least `threads` */
    size_t first; /* the number of the next chunk */
    void *context;
    /* Called by any thread: parses a chunk into slot 0 .. slots-1, which no other thread uses until it is merged; keeps
     * no pointer into the chunk. An error is kept in the slot, for `merge` to report. */
    void (*parse)(void *context, struct text_chunk *chunk, size_t slot);
    /* Called in the order of the text; a failure ends the work. */
    temper_status (*merge)(void *context, size_t slot);
};

/* All chunks of the batch. A failure to merge takes precedence over one of the source, which is further down. */
temper_status parallel_parse(const struct parallel_parse *work, temper_error *error);

#endif
