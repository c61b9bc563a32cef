/* limit: keeps what is done with a dataset within the memory that the user allows.
 *
 * What will be needed is told before it is taken. It fits, and what is left goes to the pages of
 * the mapped file; or it does not, and is refused with the least that would do. */
#ifndef DATA_MEMORY_LIMIT_H
#define DATA_MEMORY_LIMIT_H

#include "data/dataset.h"

/* `needed` bytes will be taken beside those that are in memory, to do `what` ("the training") on so
 * many threads, each of which reads so many bytes of the matrix at a time. No limit: all is well.
 * Not while others read the data. */
struct memory_limit_plan {
    const char *what;
    double needed;
    size_t threads;
    double block;
    bool in_order; /* the bytes of the file one after another, not those of rows */
};
temper_status memory_limit_plan(const struct dataset *data, const struct memory_limit_plan *plan, temper_error *error);

/* Several processes keep a limit, each its own, with mapped files only. */
temper_status memory_limit_check(const temper_read_options *options, bool mapped, temper_error *error);
/* And not where they keep something of the rows of all, as `what` does. */
temper_status memory_limit_refuse(const struct dataset *data, const char *what, temper_error *error);

/* A size as --memory takes it, rounded up: "64M". */
enum { LIMIT_TEXT = 24 };
const char *memory_limit_text(double bytes, char out[LIMIT_TEXT]);

#endif
