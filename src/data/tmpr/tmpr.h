/* tmpr: our own file of data, made to be mapped. docs/tmpr.md has the format.
 *
 * A file is one header, the names, a list of checksums, and then the bulk: labels, weights, line
 * numbers and the matrix, exactly as they are in memory. Opening checks all but the bulk; each
 * block of the bulk has a checksum of its own, so that a reader that needs a part of a large file
 * can check that part alone, when it is needed.
 *
 * A mapped file must stay as it is while it is open: a process that cuts it short takes pages away
 * from all processes that have it mapped (SIGBUS). Writers that replace files whole, as ours do, are harmless.
 */
#ifndef DATA_TMPR_H
#define DATA_TMPR_H

#include "data/dataset.h"

/* The first bytes of every file. The line ends and the ^Z are changed by a transfer as text, which is
 * noticed then. */
#define TMPR_MAGIC "TMPR\r\n\x1a\n"
enum {
    TMPR_MAGIC_LENGTH = 8,
    TMPR_BLOCK = 1 << 20 /* bytes under one checksum */
};

/* Maps a file: milliseconds, whatever its size. (A pipe or an archive cannot be mapped, and is read
 * into memory.) Header, names and checksums are checked; the bulk is not: no row, label, weight or
 * line may be used before its block was verified. Labels, weights and lines may be written to: that
 * changes a private copy of the page, never the file. */
temper_status tmpr_open(const char *path, struct dataset **out, temper_error *error);

/* Checks the blocks that hold rows [from, to) and all that belongs to these rows: for a pass
 * over a file that is larger than the memory. Of each block its checksum, then its values (labels below
 * the number of classes, columns in order and in range, values finite). */
temper_status tmpr_verify_rows(const struct dataset *data, uint64_t from, uint64_t to, temper_error *error);
/* Checks all of them, on so many threads (0: as many as the machine runs at once). */
temper_status tmpr_verify(const struct dataset *data, size_t threads, temper_error *error);

#endif
