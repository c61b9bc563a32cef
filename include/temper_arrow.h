/* temper_arrow: tables of other programs (polars, pyarrow, DuckDB, pandas) by the Arrow C data and stream interface,
 * https://arrow.apache.org/docs/format/CDataInterface.html. Nothing of Arrow is needed: the three structs below are its
 * published binary interface, and are skipped where another header has defined them. */
#ifndef TEMPER_ARROW_H
#define TEMPER_ARROW_H

#include "temper.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

/* The type of an array, and of its children. */
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *schema); /* NULL: it was released, or moved elsewhere */
    void *private_data;
};

/* The values of an array, and of its children. */
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Arrays of one type, one after another: the chunks of a table. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};
#endif

/* Begin with temper_arrow_defaults(). */
typedef struct temper_arrow_options {
    size_t struct_size; /* set by temper_arrow_defaults() */
    const temper_read_options
        *read;                 /* those that concern the columns of a table; NULL: the defaults, with `automatic` */
    const temper_model *model; /* columns become the features of this model; NULL: they are inferred */
    const int *labels;         /* instead of a column: classes as whole numbers, one a row; NULL: a column */
    size_t label_count;        /* of labels */
    const char *name;          /* for messages; NULL: "table" */
} temper_arrow_options;

TEMPER_API temper_arrow_options temper_arrow_defaults(void);

/* The rows of a table: a stream of arrays of structs, whose fields are the columns. Columns become what those of the
 * same table in a CSV file would become (docs/data.md), and a model trained on either is the same: integers, floats,
 * decimals and booleans, texts, dates, times and timestamps, dictionaries of these; nulls are gaps. A list of a fixed
 * size is one feature for each of its numbers. Lists of other sizes, structs and maps as columns are refused.
 *
 * Numbers are copied once, into the matrix. A table of one list of floats or doubles, in one chunk, and perhaps a
 * column of labels, is not copied: the data keeps the array until it is freed.
 *
 * The stream is moved: it is released before the call returns or with the data, after failures too. */
TEMPER_API temper_status temper_data_from_arrow_stream(struct ArrowArrayStream *stream,
                                                       const temper_arrow_options *options, temper_data **data,
                                                       temper_error *error);
/* The same for one array; schema and array are moved. */
TEMPER_API temper_status temper_data_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                                                const temper_arrow_options *options, temper_data **data,
                                                temper_error *error);

#ifdef __cplusplus
}
#endif

#endif
