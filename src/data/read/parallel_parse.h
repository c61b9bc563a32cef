/* parallel_parse: the chunks of a text, parsed on several threads and joined in the order of the
 * text.
 *
 * Each thread takes the next chunk as soon as it is done with its last one; nobody waits for the
 * slowest of a round. What is parsed is joined as soon as all before it is: by whichever thread
 * finds it so, one at a time. So the result, and the first fault, are those of a single thread. */
#ifndef DATA_PARALLEL_PARSE_H
#define DATA_PARALLEL_PARSE_H

#include "data/read/text_chunks.h"

struct parallel_parse {
    struct text_chunks *chunks;
    size_t threads;
    size_t parts; /* places for what is parsed and not joined yet: at least `threads` */
    size_t first; /* the number of the next chunk */
    void *context;
    /* Any thread: parses a chunk into part 0 .. parts-1, which is its own until it is joined; keeps
     * nothing of the chunk. What fails is kept there, for `join` to tell. */
    void (*parse)(void *context, struct chunk *chunk, size_t part);
    /* In the order of the text: a failure ends the work. */
    temper_status (*join)(void *context, size_t part);
};

/* All chunks that are left. A failure to join goes before one of the source, which comes behind. */
temper_status parallel_parse(const struct parallel_parse *work, temper_error *error);

#endif
