/* write: one way out for every format. */
#ifndef DATA_WRITE_H
#define DATA_WRITE_H

#include "base/atomic_file.h"
#include "data/dataset.h"
#include "temper_extra.h"

/* A writer puts a whole dataset into a sink; what its format cannot hold (feature names, weights,
 * sparse zeros) it leaves out or writes out, as its file says. */
typedef temper_status writer_fn(const struct dataset *data, struct atomic_file *sink, temper_error *error);

writer_fn write_libsvm, write_csv, write_tsv, write_jsonl, write_npy, write_idx, write_cifar, write_tmpr;

/* The name of the label in files that have names: that in the table which the data is from, unless a feature has it
 * too, or it looks like a number; else "label". */
const char *written_label_name(const struct dataset *data);

/* By format, else by the extension of the path. Labels of formats that keep them apart (npy, idx)
 * go to a second file: PATH.labels, one a line; or, for NAME-images-idx3-ubyte,
 * NAME-labels-idx1-ubyte. All files are written, or none. */
temper_status dataset_write(const struct dataset *data, const char *path, const char *format, temper_error *error);
/* What it would refuse of the name and the format. */
temper_status dataset_write_check(const char *path, const char *format, temper_error *error);
/* The same where weights are what matters: most formats have no place for them. */
temper_status dataset_write_check_weights(const char *path, const char *format, temper_error *error);
/* With one more file, or NULL. */
temper_status dataset_write_with(const struct dataset *data, const char *path, const char *format,
                                 const temper_attachment *with, temper_error *error);
/* The same for data that differs from `original` in its labels alone: a copy of the text that was read, if it can be
 * copied (data/write/text_edit.h) and all of its rows are there. */
temper_status dataset_write_relabelled(const struct dataset *original, const struct dataset *relabelled,
                                       const char *path, const char *format, const temper_attachment *with,
                                       temper_error *error);

#endif
