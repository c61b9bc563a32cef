/* input: a descriptor to read from: a file, a pipe or the standard input.
 *
 * Calls that may fail return 0 or what errno said; input_failed makes a message of it. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct input {
    int file;            /* -1: none */
    bool borrowed;       /* the standard input, which stays open */
    bool waits;          /* a read may wait: not a regular file */
    uint64_t size;       /* of a regular file, else 0 */
    uint64_t taken;      /* bytes read so far */
    bool limited;        /* to `size` bytes, from wherever it began */
    atomic_bool stopped; /* set by another thread */
};

/* "-" is the standard input. Directories are refused with EISDIR. */
int input_open(struct input *input, const char *path);
/* Of a regular file that was just opened, only the lines that begin in the rank-th of so many
 * pieces of equal length; `size` is theirs then. */
int input_keep_lines(struct input *input, size_t rank, size_t ranks);
/* The same for bytes from .. to. */
int input_keep_span(struct input *input, uint64_t from, uint64_t to);
/* One successful read; interrupted ones are repeated. *got = 0 is the end of the file. */
int input_read(struct input *input, void *bytes, size_t size, size_t *got);
/* From another thread: a read that waits gives up soon, with ECANCELED. */
void input_stop(struct input *input);
/* Also after input_open has failed. */
void input_close(struct input *input);

/* "NAME: cannot be read: cause; remedy". */
temper_status input_failed(const char *name, int failure, temper_error *error);

#endif
