/* read: one way in for every format. */
#ifndef DATA_READ_H
#define DATA_READ_H

#include "base/source.h"
#include "data/dataset.h"
#include "temper.h"

/* What a reader is given; the options are those of temper.h, and outlive the call. */
struct reading {
    const char *path;
    struct source *source; /* the reader closes it */
    const temper_read_options *options;
    temper_error *error;
};

/* A reader fills an empty dataset; on failure the caller frees what it holds. */
typedef temper_status reader_fn(struct reading *reading, struct dataset *data);

reader_fn read_libsvm, read_csv, read_npy, read_idx, read_cifar, read_tmpr;

/* Opens the file, tells its format (--format, else content, else extension) and reads it; then
 * labels from --labels or from beside numbers that have none, weights from --weights FILE,
 * --classes and --class-weight, in this order.
 */
temper_status dataset_read(const char *path, const temper_read_options *options,
                           struct dataset **out, temper_error *error);

#endif
