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

struct batch_reader;

/* As dataset_read_like, which says what the schema is for; it and the options outlive the stream.
 */
temper_status batch_reader_open(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct batch_reader **out, temper_error *error);
/* How much of a text is read at a time: some MiB, unless a test wants cuts everywhere. */
void batch_reader_set_portion(struct batch_reader *stream, size_t bytes);
/* How many numbers will be made of each row: batches of a file that is not in memory are such that
 * they are few. */
void batch_reader_set_width(struct batch_reader *stream, size_t numbers);
/* Several processes (options->comm): a batch for each, in the order of the ranks, of which some may
 * have no rows; all end together. */
/* *batch is NULL behind the last row. After a failure only batch_reader_close may follow. */
temper_status batch_reader_next(struct batch_reader *stream, struct dataset **batch, temper_error *error);
/* All sentences so far, each once. */
const char *batch_reader_notes(const struct batch_reader *stream);
/* Rows so far that were dropped for their missing values. */
uint64_t batch_reader_dropped(const struct batch_reader *stream);
void batch_reader_close(struct batch_reader *stream);

#endif
