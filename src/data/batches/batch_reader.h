/* stream: the rows of a file in batches of bounded size, for a model.
 *
 * Text (CSV, libsvm) and CIFAR records are read a portion at a time; a .tmpr file is mapped, and
 * given out in slices that borrow its features: they must be freed before the stream is closed.
 * Other formats, and files whose labels or weights lie in another file, come as one batch, or, with
 * a limit of memory, in such slices too. */
#ifndef DATA_BATCH_READER_H
#define DATA_BATCH_READER_H

#include "data/dataset.h"
#include "data/schema.h"

struct stream;

/* As dataset_read_like, which says what the schema is for; it and the options outlive the stream.
 */
temper_status stream_open(const char *path, const temper_read_options *options,
                          const struct schema *schema, struct stream **out, temper_error *error);
/* How much of a text is read at a time: some MiB, unless a test wants cuts everywhere. */
void stream_set_portion(struct stream *stream, size_t bytes);
/* How many numbers will be made of each row: batches of a file that is not in memory are such that
 * they are few. */
void stream_set_width(struct stream *stream, size_t numbers);
/* Several processes (options->comm): a batch for each, in the order of the ranks, of which some may
 * have no rows; all end together. */
/* *batch is NULL behind the last row. After a failure only stream_close may follow. */
temper_status stream_next(struct stream *stream, struct dataset **batch, temper_error *error);
/* All sentences so far, each once. */
const char *stream_notes(const struct stream *stream);
/* Rows so far that were dropped for their missing values. */
uint64_t stream_dropped(const struct stream *stream);
void stream_close(struct stream *stream);

#endif
