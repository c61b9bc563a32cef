/* read: an iterator over the batches of a data file, whatever its format; and the whole file, which is one batch
 * without a limit. */
#ifndef DATA_READ_H
#define DATA_READ_H

#include "base/source.h"
#include "data/dataset.h"
#include "temper.h"

struct format;
struct jsonl_table;
struct arrow_table;
struct file_join;

/* What a table of CSV was made from as it is read. Each row has one line there, the header none. */
struct table_origin {
    const void *context;
    /* The byte of the line, from 1, where the cell of a column is written; 0: unknown. */
    size_t (*find_column)(const void *context, uint64_t line, size_t column);
};

/* A file that is being read. The path, the options and the schema outlive it. */
struct data_reader {
    const char *path;
    const void *bytes; /* the content of the file, if it is in memory: then `path` is only a name; else NULL */
    size_t byte_count;
    const temper_read_options *options;
    temper_error *error;         /* where the present call reports */
    const struct schema *schema; /* the features are to be those of a model; NULL: those of the file */
    const struct format *format;
    struct source *source;             /* NULL once the reader of the format has taken it over */
    const struct arrow_table *arrow;   /* the table in memory, if that is read: then `path` is only a name; else NULL */
    struct file_join *join;            /* `path` stands for several files, which are read as one; else NULL */
    struct jsonl_table *jsonl;         /* of JSON lines; else NULL */
    const struct table_origin *origin; /* the source is a table that was converted; NULL: it is the file */
    struct disk_array *spill;          /* holds large arrays under a memory limit; NULL: they are in memory */

    /* Batches. */
    size_t batch_bytes; /* bytes of the file in a batch, about; 0: the whole file is one batch */
    bool skip;          /* the next batch is to be passed over, not parsed: another process reads it */
    bool reencoded;     /* the source is a copy in UTF-8 */
    bool ended;         /* nothing was left for the present batch */
    struct names kept;  /* the columns of options->keep, once the first lines were read */
    uint64_t rows;      /* of the batches before */
    void *state;        /* of a format that is read in batches, from batch to batch */
    void (*free_state)(void *state);

    /* One process's lines of a text that several processes read together (data/dist). */
    struct rank_lines {
        bool active;           /* the others have the rest of the text: there may be no rows here */
        uint64_t lines_before; /* lines of the ranks before, once they are known */
        int labels_before;     /* whether their rows have labels: enum sparse_labels; 0: not known */
        uint64_t lines;        /* lines_before, and those that were read here */
        uint64_t from, to;     /* of a table: the bytes of this rank; to 0: not known yet */
    } rank;
};

/* The reader of a format fills an empty dataset with the next batch; on failure the caller frees what it holds. It
 * closes the source, or hands it to its state. Without a limit (batch_bytes 0) no state is left. */
typedef temper_status reader_fn(struct data_reader *reader, struct dataset *data);

reader_fn read_libsvm, read_csv, read_jsonl, read_arrow, read_npy, read_idx, read_cifar, read_tmpr;

/* Opens the file and recognises its format: --format, else content, else extension. Given: path, options, error. What
 * was inferred becomes a note of `data`. */
temper_status data_reader_open(struct data_reader *reader, struct dataset *data);
/* The next batch into an empty dataset, or reader->ended. A batch may have no rows if all were dropped. The batch is
 * completed: its features are those of the schema; labels from --labels or from a file beside numbers that have none,
 * weights from --weights FILE, --classes and --class-weight are applied, in this order. */
temper_status data_reader_next(struct data_reader *reader, struct dataset *data);
void data_reader_close(struct data_reader *reader);

/* For the readers of formats. */
static inline void data_reader_close_source(struct data_reader *reader)
{
    source_close(reader->source);
    reader->source = NULL;
}
void data_reader_free_state(struct data_reader *reader);

/* Reads a whole file. */
temper_status dataset_read(const char *path, const temper_read_options *options, struct dataset **out,
                           temper_error *error);

/* The same of the content of a file, which is in memory; `name` is for messages and for the format. No other file is
 * looked for by that name. */
temper_status dataset_read_memory(const char *name, const void *bytes, size_t length,
                                  const temper_read_options *options, struct dataset **out, temper_error *error);

/* The same of a table in memory, which is not used afterwards; `schema` as below, or NULL. */
temper_status dataset_read_arrow(const struct arrow_table *table, const temper_read_options *options,
                                 const struct schema *schema, struct dataset **out, temper_error *error);

/* The same for a model: features are those of the schema, in its order.
 *
 * A table (CSV): columns are found by the names of the header if both have names, else by position: the file has as
 * many columns as the one that the schema was made from, or those that it uses and no others. Columns that the schema
 * does not have are ignored, with a note; missing ones are refused by name. The label's column may be there or not;
 * options->label "none" ignores it. A text that was not in the training data gives zeros for its column, and is counted
 * in a note. Missing values are filled by the schema's rule, or by options->missing. Other formats: schema_fit. */
temper_status dataset_read_like(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct dataset **out, temper_error *error);

/* The next batch under options->memory: arrays that are not mapped from a file go to temporary files. */
temper_status data_reader_next_limited(struct data_reader *reader, struct dataset *data);
/* What the options ask for beyond the file itself, in the order given above. */
temper_status read_complete(struct data_reader *reader, struct dataset *data);
/* A text (libsvm or a table) that several processes read: each its own lines, then each receives the rows of its part
 * (data/dist/row_partition.h). Closes the source. *whole instead where the result would differ from that of one
 * process: then all have to read everything. */
temper_status read_distributed(struct data_reader *reader, reader_fn *read, struct dataset *data, bool *whole);

#endif
