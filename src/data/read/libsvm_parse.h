/* libsvm_parse: the lines of a libsvm (svmlight) text.
 *
 *     label [qid:N] index:value index:value ... [# comment]
 *
 * Indices count from 1 (or 0 if asked) and ascend within a row. Blank lines and lines with nothing
 * but a comment are no rows. A row may lack its label if all rows do. */
#ifndef DATA_LIBSVM_PARSE_H
#define DATA_LIBSVM_PARSE_H

#include "data/read/csr_builder.h"

/* A piece of text, and what becomes of it. */
struct libsvm_piece {
    const char *from, *to; /* whole lines, the last perhaps without its newline; 64 zero bytes behind */
    bool zero_based;
    bool last; /* nothing follows: a line without a newline may have been cut off */
    struct sparse_rows *rows;
    uint64_t lines_before; /* of the file, where rows are to have their final lines; else 0 */
    uint64_t lines;        /* newlines seen */
    /* Where it failed: in the line after `lines` newlines, at this column from 1. */
    size_t column;
    char reason[360]; /* "value 'nan' is not finite; drop the row ..." */
};

/* TEMPER_OK, TEMPER_BAD_DATA with column and reason, or TEMPER_NO_MEMORY. */
temper_status libsvm_parse(struct libsvm_piece *piece);

/* How much room it makes for a piece of so many bytes: no text has more. */
size_t libsvm_most_rows(size_t bytes);
size_t libsvm_most_entries(size_t bytes);

/* What is wrong with the first row of its kind among rows of the other. */
const char *libsvm_label_fault(enum sparse_labels labels);

#endif
