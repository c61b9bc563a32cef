/* tmpr_layout: where everything is stored in a .tmpr file, and its header. docs/tmpr.md has the format.
 *
 * The layout follows from a few numbers alone, so that a reader computes it and
 * compares: an offset or a length that a file claims is never used. */
#ifndef DATA_TMPR_LAYOUT_H
#define DATA_TMPR_LAYOUT_H

#include "data/tmpr/tmpr.h"

enum {
    TMPR_VERSION = 1,
    TMPR_HEADER = 256,        /* bytes, with the table of sections */
    TMPR_CHECKSUM_OFFSET = 56 /* of the head's checksum, which covers all of the head but itself */
};

/* In the order of the file. The names and checksums are the head's, the others the bulk's. */
enum tmpr_section {
    TMPR_CLASS_NAMES,
    TMPR_FEATURE_NAMES,
    TMPR_CHECKSUMS, /* uint64_t of each block */
    TMPR_LABELS,    /* uint32_t of each row */
    TMPR_WEIGHTS,   /* double of each row */
    TMPR_LINES,     /* uint64_t of each row */
    TMPR_ROW_START, /* CSR: uint64_t, rows + 1 */
    TMPR_COLUMNS,   /* CSR: uint32_t of each entry */
    TMPR_VALUES,    /* CSR: float of each entry; dense: the matrix */
    TMPR_SECTIONS
};

struct tmpr_layout {
    enum matrix_kind kind;
    uint64_t rows, columns, nonzeros, classes;
    uint64_t file_length;
    uint64_t offset[TMPR_SECTIONS];
    uint64_t length[TMPR_SECTIONS]; /* in bytes; 0: it is not there */
    size_t blocks;
};

/* Fills in offsets, lengths that follow from others, blocks and file_length. Given: kind, rows,
 * columns, nonzeros, classes, the lengths of the names, and 0 or 1 as the lengths of labels,
 * weights and lines. False if no file can be that large, or the numbers do not fit together. */
bool tmpr_layout_plan(struct tmpr_layout *layout);

void tmpr_header_encode(const struct tmpr_layout *layout, unsigned char header[TMPR_HEADER]);
/* Refuses every header that the layout would not have given; `path` is for the message. The
 * checksum is not looked at. */
temper_status tmpr_header_decode(const unsigned char header[TMPR_HEADER], const char *path, struct tmpr_layout *layout,
                                 temper_error *error);

/* Where the bulk begins: the length of the head. */
static inline uint64_t tmpr_bulk_offset(const struct tmpr_layout *layout)
{
    return layout->offset[TMPR_LABELS];
}

/* The bytes [*from, *to) of the file that block `block` covers. */
void tmpr_block_range(const struct tmpr_layout *layout, size_t block, uint64_t *from, uint64_t *to);

/* Little-endian numbers are also how this machine has them; a big-endian one is refused. */
temper_status tmpr_check_host(const char *path, temper_error *error);

#endif
