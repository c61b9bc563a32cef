/* batch_reader: the rows of a file in batches of bounded size, for a model.
 *
 * Text (CSV, libsvm) and CIFAR records are read a batch at a time by the iterator of data/read/read.h. A .tmpr file is
 * mapped, and handed out in slices that borrow its features: they must be freed before the batch reader is closed.
 * Other formats, and files whose labels or weights are in another file, are one batch, or, under a memory limit, such
 * slices too. */
#ifndef DATA_BATCH_READER_H
#define DATA_BATCH_READER_H

#include "base/text.h"
#include "data/dataset.h"
#include "data/read/read.h"
#include "data/schema.h"

struct batch_reader {
    struct data_reader reader;
    temper_read_options options;
    bool splits;           /* batches are read one by one; else the file is read whole */
    size_t batch_bytes;    /* of the file, in a batch */
    bool begun;            /* a batch was read */
    struct dataset *whole; /* a file that was read whole and is handed out in slices; else NULL */
    uint64_t sliced;       /* rows of it that were handed out */
    size_t slice_rows;     /* rows of a slice */
    size_t width;          /* numbers that the caller computes for a row */
    struct text notes;
    uint64_t kept, dropped; /* rows so far; the latter because of missing values, */
    uint64_t filled;        /* of which others were filled */
};

/* Slices have a multiple of this many rows, as many as the kernels process at once: so every row is computed together
 * with the same rows as in the whole file. */
enum { SLICE_LEAST = 256 };

/* As dataset_read_like, which defines the role of the schema; it and the options outlive the batch reader. */
temper_status batch_reader_open(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct batch_reader **out, temper_error *error);
/* Bytes of text in a batch: some MiB unless a test wants batch boundaries everywhere. */
void batch_reader_set_bytes(struct batch_reader *batches, size_t bytes);
/* How many numbers the caller will compute for each row; slices are made so small that these are few. */
void batch_reader_set_width(struct batch_reader *batches, size_t numbers);
/* *batch is NULL after the last row. After a failure only batch_reader_close may follow. With several processes
 * (options->comm) there is a batch for each, in the order of the ranks, of which some may have no rows; all end
 * together. */
temper_status batch_reader_next(struct batch_reader *batches, struct dataset **batch, temper_error *error);
/* All notes so far, each once. */
const char *batch_reader_notes(const struct batch_reader *batches);
/* Rows so far that were dropped because of missing values. */
uint64_t batch_reader_dropped(const struct batch_reader *batches);
void batch_reader_close(struct batch_reader *batches);

/* ---- For batch_reader_mpi.c ------------------------------------------------------------------ */

/* Adds notes, each once; false without memory. */
bool batch_reader_add_notes(struct batch_reader *batches, const char *notes);
/* Counts the rows of a batch, and the rows and values that were missing. */
static inline void batch_reader_count(struct batch_reader *batches, uint64_t kept, uint64_t dropped, uint64_t filled)
{
    batches->kept += kept;
    batches->dropped += dropped;
    batches->filled += filled;
}
/* The next rows into an empty dataset; passes over them if `skip`. *some is false after the last. */
temper_status batch_reader_rows(struct batch_reader *batches, struct dataset *data, bool skip, bool *some,
                                temper_error *error);
/* The same for several processes: a batch for each. */
temper_status batch_reader_shared_rows(struct batch_reader *batches, struct dataset *data, bool *some,
                                       temper_error *error);

#endif
