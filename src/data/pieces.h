/* pieces: what each of several processes has read of one text, and what it will hold. */
#ifndef DATA_PIECES_H
#define DATA_PIECES_H

#include "data/read.h"

/* What everyone tells everyone of its lines. */
struct told {
    uint64_t size; /* of the file: a copy may be another one */
    uint64_t rows, columns, nonzeros, lines;
    uint64_t names; /* bytes of the names of its classes */
    uint32_t status, labelled;
};

struct pieces {
    struct reading *reading;
    const temper_comm *comm;
    struct dataset *data;
    uint64_t size;        /* of the file */
    struct told *told;    /* by everyone */
    uint64_t *has, *gets; /* rows before those of each rank, as read and as wanted */
    size_t *out_bytes, *in_bytes;
};

/* Rows to where they belong, by `has` and `gets`; the data keeps what it had if that fails. */
temper_status pieces_move(struct pieces *pieces);

#endif
