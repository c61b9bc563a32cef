/* memory_limit: keeps operations on a dataset within the memory that --memory allows.
 *
 * Before an operation starts, its need is estimated. If it fits, what is left of the limit is given to the resident
 * pages of the mapped file; if not, the operation is refused, and the message has the least limit that would do.
 * Without a limit nothing of this runs: the inline functions below return at once. */
#ifndef DATA_MEMORY_LIMIT_H
#define DATA_MEMORY_LIMIT_H

#include "data/dataset.h"

/* An operation that will allocate `needed` bytes and run so many threads, each of which reads `block` bytes of the
 * matrix at a time. */
struct memory_limit_plan {
    const char *what; /* for the message: "the training" */
    double needed;
    size_t threads;
    double block;
    bool in_order; /* reads the bytes of the file in order, not row by row from several arrays */
};

temper_status memory_limit_apply(const struct dataset *data, const struct memory_limit_plan *plan, temper_error *error);
/* TEMPER_NO_MEMORY if the operation does not fit. Not while other threads read the data. */
static inline temper_status memory_limit_plan(const struct dataset *data, const struct memory_limit_plan *plan,
                                              temper_error *error)
{
    return data->storage.memory_limit == 0 ? TEMPER_OK : memory_limit_apply(data, plan, error);
}

temper_status memory_limit_not_mapped(temper_error *error);
/* MPI: each process keeps a limit, with mapped files only. */
static inline temper_status memory_limit_check(const temper_read_options *options, bool mapped, temper_error *error)
{
    return options->memory == 0 || comm_alone(options->comm) || mapped ? TEMPER_OK : memory_limit_not_mapped(error);
}

temper_status memory_limit_unsupported(const char *what, temper_error *error);
/* MPI: refuses a limit for operations that keep something of all processes' rows, as `what` does. */
static inline temper_status memory_limit_refuse(const struct dataset *data, const char *what, temper_error *error)
{
    bool limited = data->storage.memory_limit > 0 && !comm_alone(data->ranks.comm);
    return limited ? memory_limit_unsupported(what, error) : TEMPER_OK;
}

/* A size as --memory takes it, rounded up: "64M". */
enum { LIMIT_TEXT = 24 };
const char *memory_limit_text(double bytes, char out[LIMIT_TEXT]);

/* Bytes of memory that the process uses at present, with mapped files and the program itself; a guess where the system
 * does not report it. */
uint64_t resident_bytes(void);

#endif
