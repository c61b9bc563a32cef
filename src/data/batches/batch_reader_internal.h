/* stream_inside: what the files of the stream share. */
#ifndef DATA_BATCH_READER_INTERNAL_H
#define DATA_BATCH_READER_INTERNAL_H

#include "base/source.h"
#include "base/text.h"
#include "data/batches/batch_reader.h"
#include "data/batches/dataset_batches.h"
#include "data/read/format.h"

struct batch_reader {
    const char *path;
    temper_read_options options;
    const struct schema *schema;
    const struct format *format;
    size_t portion;        /* bytes */
    struct source *source; /* NULL once it is used up */
    struct text rest;      /* read, and not given out */
    struct text header;    /* of a table: the lines up to the end of its first row of names */
    uint64_t header_lines;
    uint64_t lines;                /* of all portions before */
    bool begun;                    /* a batch was given out */
    bool labelled;                 /* and had labels */
    struct dataset_batches slices; /* of a file that is not in memory; else its whole is NULL */
    size_t width;                  /* numbers that are made of a row */
    struct text notes;
    uint64_t kept, dropped; /* rows so far; the latter for their missing values, */
    uint64_t filled;        /* of which others were given one */
};

/* Sentences, each once; false: no memory. */
bool batch_reader_add_notes(struct batch_reader *stream, const char *notes);
/* Counts a batch: rows that it has, rows and values that were missing. */
static inline void batch_reader_count(struct batch_reader *stream, uint64_t kept, uint64_t dropped, uint64_t filled)
{
    stream->kept += kept;
    stream->dropped += dropped;
    stream->filled += filled;
}

/* What the options ask for can be done portion by portion. */
bool batch_reader_can_split(const struct batch_reader *stream);
/* The next rows into an empty dataset, or past them if that is NULL; *some is false behind the
 * last.
 */
temper_status batch_reader_rows(struct batch_reader *stream, struct dataset *data, bool *some, temper_error *error);
/* The same for several processes: a batch for each. */
temper_status batch_reader_shared_rows(struct batch_reader *stream, struct dataset *data, bool *some,
                                       temper_error *error);

#endif
