/* dataset: a matrix with its labels, weights and names, and where each row came from. */
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

struct dataset {
    struct matrix x;
    uint32_t *label; /* class of each row; NULL if the data has no labels */
    struct classes classes;
    double *weight;          /* of each row; NULL: all 1 */
    struct names features;   /* x.columns names, or none */
    struct schema *schema;   /* how columns became features; NULL: not from a table of text */
    uint64_t *line;          /* the line of the file that each row begins on; NULL: not a text file */
    size_t *origin;          /* of rows that were picked from a file: which there; NULL: all are here */
    char *source;            /* the file, as the user named it */
    const char *format;      /* "libsvm", "csv", "npy", "idx", "cifar", "tmpr" */
    const char *compression; /* of the file: "gzip", "zstd", or NULL */
    uint32_t picture[3];     /* rows that are pictures: height, width, colours (1, or 3 one after
                              * the other); else 0 */
    bool header;             /* of a table: its first line has names */
    char separator;          /* of a text as it was read; 0: no text, or a copy of some rows */
    size_t weight_column;    /* of a table: where its weights are, from 1; 0: not in it */
    bool labels_apart;       /* labels are from a file that an option named */
    uint64_t missing_filled, missing_dropped; /* values that were missing; rows that went with them */
    char notes[1024];                         /* what the user should know, a sentence a line: "qid: ignored\n" */
    void *mapping;                            /* of a .tmpr file that is mapped, else NULL */
    size_t mapping_length;
    const temper_comm *comm; /* other processes hold the other rows; NULL: these are all. Then: */
    uint64_t first_row;      /* of these among all */
    uint64_t all_rows, all_nonzeros;
    struct disk_array *spill;  /* where its arrays are if not in memory, else NULL */
    struct page_window *pages; /* of the mapping or the spill, else NULL */
    uint64_t memory;           /* bytes that the process may take; 0: no limit */
};

/* Of all processes that share the data. */
static inline uint64_t dataset_all_rows(const struct dataset *data)
{
    return data->comm ? data->all_rows : data->x.rows;
}

static inline uint64_t dataset_all_nonzeros(const struct dataset *data)
{
    return data->comm ? data->all_nonzeros : data->x.nonzeros;
}

void dataset_free(struct dataset *data);
/* Frees one of its arrays, unless that is a part of the mapped file. */
void dataset_free_array(const struct dataset *data, void *array);
/* The final numbers of the classes, and the labels with them. */
temper_status dataset_sort_classes(struct dataset *data, temper_error *error);
/* Adds a sentence to the notes, once; quietly cut off when they are full. */
void dataset_note(struct dataset *data, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
