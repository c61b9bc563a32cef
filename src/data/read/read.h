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
    const struct schema *schema; /* features are to be those of a model; NULL: as they come */
    struct disk_array *spill;    /* where large arrays go; NULL: into memory */
    bool is_portion;             /* of a text that comes in portions: no limit of its own */
    uint64_t lines_before;       /* of a text that comes in portions: lines of those before it */
    int labels_before;           /* and whether those have labels: enum sparse_labels; 0: not known */
    bool piece;                  /* others have the rest of the text: it may have no rows */
    uint64_t lines;              /* of a text: those before, and those that were read */
    uint64_t from, to;           /* of a piece of a table: its bytes; to 0: not known yet */
};

/* A reader fills an empty dataset; on failure the caller frees what it holds. */
typedef temper_status reader_fn(struct reading *reading, struct dataset *data);

reader_fn read_libsvm, read_csv, read_npy, read_idx, read_cifar, read_tmpr;

/* Opens the file, tells its format (--format, else content, else extension) and reads it; then
 * labels from --labels or from beside numbers that have none, weights from --weights FILE,
 * --classes and --class-weight, in this order.
 */
temper_status dataset_read(const char *path, const temper_read_options *options, struct dataset **out,
                           temper_error *error);

/* The same for a model: features are those of the schema, in its order.
 *
 * A table (CSV): columns are found by the names of the header if both have names, else by position:
 * the file has as many columns as the one that the schema is of, or those that it uses and no
 * others. Columns that the schema does not know are ignored, with a note; those that are missing
 * are refused by name. The label's column may be there or not; options->label "none" passes over
 * it. A text that training never saw is all zeros for its column, and counted in a note. Missing
 * values are filled by the schema's rule, or by options->missing. Other formats: schema_fit. */
temper_status dataset_read_like(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct dataset **out, temper_error *error);

/* The format of the file that is open, by option, content or name; the note goes to `data`. */
struct format;
temper_status read_format(struct reading *reading, struct dataset *data, const struct format **format);
/* What the options ask for beyond the file itself, in the order of above. */
temper_status read_complete(struct reading *reading, struct dataset *data);
/* A text, libsvm or a table, that several processes read: each its own lines, then each has the
 * rows of its parts (data/parts.h). Closes the source. *whole instead, where that would not tell
 * what one process does: then all have to read everything. */
temper_status read_lines_of_all(struct reading *reading, reader_fn *read, struct dataset *data, bool *whole);
/* Reads what is open as that format, and completes it. Closes the source. */
temper_status read_as(struct reading *reading, const struct format *format, struct dataset *data);

#endif
