/* distributed_read: MPI: each process reads some lines of a text, or some of several files; then the processes agree on
 * classes, columns and line numbers, and rows move to the process that holds their part. */
#ifndef DATA_DISTRIBUTED_READ_H
#define DATA_DISTRIBUTED_READ_H

#include "data/read/read.h"

/* What each process reports to all others about the lines it has read (an all-gather). */
struct rank_report {
    uint64_t size; /* of the file: local copies might differ */
    uint64_t rows, columns, nonzeros, lines;
    uint64_t filled, dropped; /* missing values that were replaced; rows dropped for one */
    uint64_t names;           /* bytes of its class names */
    uint64_t features;        /* a hash of its column names */
    uint32_t status, labelled, weighted, kind;
};

struct distributed_read {
    struct data_reader *reader;
    reader_fn *read; /* for text; NULL: whole files were read, and rows have no lines */
    const temper_comm *comm;
    struct dataset *data;
    uint64_t size;              /* of the file */
    struct rank_report *report; /* [ranks] */
    uint64_t *has, *gets;       /* [ranks + 1]: first row of each rank, as read and as it shall be */
    size_t *out_bytes, *in_bytes;
};

/* Allocates and frees the arrays. */
temper_status distributed_read_start(struct distributed_read *p);
void distributed_read_end(struct distributed_read *p);
temper_status distributed_read_report(struct distributed_read *p, temper_status read);
/* Merges classes, columns, lines and notes, and moves the rows. *whole: there are too many classes; reading all rows in
 * one process gives the message with the line. */
temper_status distributed_read_agree(struct distributed_read *p, bool *whole);
/* Moves the rows from `has` to `gets`; on failure the data is unchanged. */
temper_status redistribute_rows(struct distributed_read *p);

#endif
