/* memory_limit: what is resident, what an operation will add, and what remains for the pages of a mapped file. */
#define _DEFAULT_SOURCE /* sysconf */
#include "data/memory/memory_limit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/memory/page_window.h"

/* What the estimates leave out: small allocations, partial pages, freed memory that the allocator keeps, stacks. */
static const double SLACK_PROCESSES = 16.0 * 1024 * 1024; /* buffers of MPI */
static const double SLACK = 3.0 * 1024 * 1024, SLACK_THREAD = 256.0 * 1024, SLACK_SHARE = 1.03;

/* "412M", rounded up, so that the number given in a message suffices as a limit. */
const char *memory_limit_text(double bytes, char out[LIMIT_TEXT])
{
    double mebi = ceil(bytes / (1024.0 * 1024.0));
    snprintf(out, LIMIT_TEXT, "%.0fM", mebi < 1e15 ? mebi : 1e15);
    return out;
}

/* Several processes with a memory limit need a mapped file, of which each reads its rows. */
temper_status memory_limit_not_mapped(temper_error *error)
{
    return error_set(error, TEMPER_USAGE,
                     "--memory with several processes is for training from a .tmpr file; make one "
                     "by 'temper convert', or leave it out");
}

/* The error of any operation but training, with several processes. */
temper_status memory_limit_unsupported(const char *what, temper_error *error)
{
    return error_set(error, TEMPER_USAGE,
                     "--memory with several processes is for training, not for %s; leave it out, and "
                     "give each process a machine that holds its part of the rows",
                     what);
}

enum { GUESS = 16 * 1024 * 1024 }; /* a program that has just started */

/* Resident bytes of this process, from the second number of /proc/self/statm (in pages); a guess where the system has
 * no such file. */
uint64_t resident_bytes(void)
{
    char text[128], *second;
    long page = sysconf(_SC_PAGESIZE);
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return GUESS;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0 || page <= 0)
        return GUESS;
    text[got] = '\0';
    strtoull(text, &second, 10); /* virtual size: skipped */
    unsigned long long pages = strtoull(second, NULL, 10);
    return pages ? (uint64_t)pages * (uint64_t)page : GUESS;
}

/* Bytes of the labels and weights of a mapped file. They are read in every pass and never dropped, so they count as
 * resident although they are not yet. */
static double rows_of_file(const struct dataset *data)
{
    size_t row = (data->label ? sizeof *data->label : 0) + (data->weight ? sizeof *data->weight : 0);
    return data->storage.mapping ? (double)row * (double)data->x.rows : 0;
}

/* The least number of bytes for the pages of the file that threads read at the same time. Rows read strictly in order
 * need one array's worth; a file smaller than this needs no more than its size. */
static double least_window(const struct dataset *data, const struct memory_limit_plan *plan)
{
    static const struct matrix one_array = {.kind = MATRIX_U8};
    if (!data->x.pages)
        return 0;
    const struct matrix *x = plan->in_order ? &one_array : &data->x;
    double least = (double)page_window_least(x, plan->threads, (size_t)plan->block);
    double all = (double)matrix_bytes(&data->x);
    return data->storage.mapping && all < least ? all : least;
}

/* The decision of this process: refuses an operation that does not fit, else gives the pages of the file all that
 * remains. Pages are dropped first, so that they do not count as resident. */
static temper_status plan_own(const struct dataset *data, const struct memory_limit_plan *plan, temper_error *error)
{
    char given[LIMIT_TEXT], least[LIMIT_TEXT];
    if (data->x.pages)
        page_window_forget(data->x.pages);
    /* What cannot be dropped: resident now, and estimated for the operation. */
    double fixed = (double)resident_bytes() + rows_of_file(data) + SLACK_SHARE * plan->needed + SLACK +
                   SLACK_THREAD * (double)plan->threads + (comm_alone(data->ranks.comm) ? 0 : SLACK_PROCESSES);
    double window = least_window(data, plan);
    if (fixed + window > (double)data->storage.memory_limit)
        return error_set(error, TEMPER_NO_MEMORY, "%s needs %s of memory, and --memory gives %s; give that much%s",
                         plan->what, memory_limit_text(fixed + window, least),
                         memory_limit_text((double)data->storage.memory_limit, given),
                         plan->threads > 1 ? ", or pass fewer --threads" : "");
    if (data->x.pages && !page_window_limit(data->x.pages, (size_t)((double)data->storage.memory_limit - fixed)))
        return error_no_memory(error);
    return TEMPER_OK;
}

/* All processes continue or none does, with the message of the first that cannot. */
temper_status memory_limit_apply(const struct dataset *data, const struct memory_limit_plan *plan, temper_error *error)
{
    return comm_agree(data->ranks.comm, plan_own(data, plan, error), error);
}
