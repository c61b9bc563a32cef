/* dataset: a matrix with its labels, weights and names, and where it came from. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "base/disk_array.h"
#include "comm/comm.h"
#include "data/classes.h"
#include "data/matrix.h"

struct names {
    char **name;
    size_t count; /* 0: there are none */
};

struct schema; /* data/schema.h */
struct stat;

/* The file that a dataset was read from. */
struct data_file {
    char *path;               /* as the user wrote it; NULL: not from a file */
    const char *format;       /* "libsvm", "csv", "tsv", "jsonl", "npy", "idx", "cifar", "tmpr", "arrow", "arrays" */
    const char *compression;  /* "gzip", "zstd", or NULL */
    uint32_t image_shape[3];  /* rows that are images: height, width, channels (1, or 3 stored one plane after the
                               * other); else 0 */
    bool header;              /* CSV: the first line has the column names */
    char separator;           /* text formats: the separator of the file; 0: not text, or a copy of some rows */
    size_t weight_column;     /* CSV: the column of the row weights, counted from 1; 0: none */
    uint64_t skipped_lines;   /* text formats: lines before the table that are no part of it */
    bool reencoded;           /* the bytes that were read are not those of the file, which had another encoding */
    bool short_header;        /* CSV: the header lacks the name of one column */
    bool separate_labels;     /* labels come from another file, named by an option */
    uint64_t missing_filled;  /* missing values that were replaced */
    uint64_t missing_dropped; /* rows that were dropped for a missing value */
};

/* Texts of columns that an option keeps with the rows, be they features or not. */
struct kept_cells {
    size_t columns;  /* 0: none */
    char *bytes;     /* the texts of a row, each with its final zero, then those of the next */
    uint64_t *start; /* of each row, in bytes */
};

/* MPI: the rows of this process among those of all processes. */
struct data_ranks {
    const temper_comm *comm; /* NULL: one process holds all rows, and the numbers below are unused */
    uint64_t first_row;      /* index of this process's first row */
    uint64_t all_rows, all_nonzeros;
};

/* What shows that a file is the same, and as it was. */
struct file_state {
    uint64_t device, number, size;
    int64_t modified; /* seconds */
};

/* Where the arrays are stored, if not simply on the heap. */
struct data_storage {
    void *mapping; /* a mapped .tmpr file, else NULL */
    size_t mapping_length;
    struct file_state mapped;  /* of that file, when it was mapped */
    struct disk_array *disk;   /* temporary files that hold the arrays, else NULL */
    struct page_window *pages; /* which pages of the mapping or the temporary files are resident, else NULL */
    void *held;                /* what the caller has given, with arrays that are borrowed from it, else NULL */
    void (*release_held)(void *held);
    uint64_t memory_limit; /* bytes that the process may use (--memory); 0: no limit */
};

struct dataset {
    struct matrix x;
    uint32_t *label; /* class of each row; NULL: no labels */
    struct classes classes;
    double *weight;        /* of each row; NULL: all 1 */
    struct names features; /* x.columns names, or none */
    struct schema *schema; /* how the columns of a table became features; NULL: not read from a table */
    uint64_t *line;        /* line of the file on which each row begins; NULL: not a text file */
    struct kept_cells kept;
    size_t *origin;   /* after --classes: index of each row in the file; NULL: all rows were kept */
    char notes[4096]; /* messages for the user, one a line: "qid: ignored\n" */
    struct data_file file;
    struct data_ranks ranks;
    struct data_storage storage;
};

/* Rows and stored entries over all processes. */
static inline uint64_t dataset_all_rows(const struct dataset *data)
{
    return data->ranks.comm ? data->ranks.all_rows : data->x.rows;
}

static inline uint64_t dataset_all_nonzeros(const struct dataset *data)
{
    return data->ranks.comm ? data->ranks.all_nonzeros : data->x.nonzeros;
}

void dataset_free(struct dataset *data);
/* Frees one of its arrays, unless it is in the mapped file or in a temporary file. */
void dataset_free_array(const struct dataset *data, void *array);
/* Keeps the state of the file that was mapped. */
void dataset_keep_state(struct dataset *data, const struct stat *file);
/* TEMPER_IO if the mapped file has been written to since: results may be of neither content. A file that was removed,
 * or replaced by another one of its name, is still there as it was. */
temper_status dataset_check_unchanged(const struct dataset *data, temper_error *error);
/* Gives the classes their final order (classes_sort) and renumbers the labels. */
temper_status dataset_sort_classes(struct dataset *data, temper_error *error);
/* Adds a sentence to the notes, unless they have it already; truncated when they are full. */
void dataset_note(struct dataset *data, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
