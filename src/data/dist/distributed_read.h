/* pieces: what each of several processes has read of one text, or of several files, and what it
 * will hold. */
#ifndef DATA_DISTRIBUTED_READ_H
#define DATA_DISTRIBUTED_READ_H

#include "data/read/read.h"

/* What everyone tells everyone of its lines. */
struct told {
    uint64_t size; /* of the file: a copy may be another one */
    uint64_t rows, columns, nonzeros, lines;
    uint64_t filled, dropped; /* values that were missing; rows that went with them */
    uint64_t names;           /* bytes of the names of its classes */
    uint64_t features;        /* a digest of the names of its columns */
    uint32_t status, labelled, weighted, kind;
};

struct distributed_read {
    struct data_reader *reader;
    reader_fn *read; /* of such text; NULL: of files, and rows have no lines */
    const temper_comm *comm;
    struct dataset *data;
    uint64_t size;        /* of the file */
    struct told *told;    /* by everyone */
    uint64_t *has, *gets; /* rows before those of each rank, as read and as wanted */
    size_t *out_bytes, *in_bytes;
};

/* Room for what is told and moved. */
temper_status distributed_read_start(struct distributed_read *pieces);
void distributed_read_end(struct distributed_read *pieces);
temper_status distributed_read_report(struct distributed_read *pieces, temper_status read);
/* Classes, columns, lines and notes of all, and rows to where they belong. *whole where there are
 * too many classes, which one process can place. */
temper_status distributed_read_agree(struct distributed_read *pieces, bool *whole);
/* Rows to where they belong, by `has` and `gets`; the data keeps what it had if that fails. */
temper_status redistribute_rows(struct distributed_read *pieces);

#endif
