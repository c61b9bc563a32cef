/* limit: what is in memory, what will be, and what is left. */
#include "data/memory/memory_limit.h"

#include <math.h>
#include <stdio.h>

#include "data/memory/page_window.h"
#include "data/memory/resident.h"

/* What the estimates leave out: small things, the borders of pages, memory that is freed and not
 * given back, stacks of threads. */
static const double SLACK_PROCESSES = 16.0 * 1024 * 1024; /* what MPI has under way */
static const double SLACK = 3.0 * 1024 * 1024, SLACK_THREAD = 256.0 * 1024, SLACK_SHARE = 1.03;

const char *memory_limit_text(double bytes, char out[LIMIT_TEXT])
{
    double mebi = ceil(bytes / (1024.0 * 1024.0));
    snprintf(out, LIMIT_TEXT, "%.0fM", mebi < 1e15 ? mebi : 1e15);
    return out;
}

temper_status memory_limit_check(const temper_read_options *options, bool mapped, temper_error *error)
{
    if (options->memory == 0 || comm_alone(options->comm) || mapped)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "--memory with several processes is for training from a .tmpr file; make one "
                     "by 'temper convert', or leave it out");
}

temper_status memory_limit_refuse(const struct dataset *data, const char *what, temper_error *error)
{
    if (data->storage.memory_limit == 0 || comm_alone(data->ranks.comm))
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "--memory with several processes is for training, not for %s; leave it out, and "
                     "give each process a machine that holds its part of the rows",
                     what);
}

/* Labels and weights lie in the file too, and stay once they were read. */
static double rows_of_file(const struct dataset *data)
{
    size_t row = (data->label ? sizeof *data->label : 0) + (data->weight ? sizeof *data->weight : 0);
    return data->storage.mapping ? (double)row * (double)data->x.rows : 0;
}

/* What must be left for the pages of the file. */
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

/* For this process. */
static temper_status plan_own(const struct dataset *data, const struct memory_limit_plan *plan, temper_error *error)
{
    char given[LIMIT_TEXT], least[LIMIT_TEXT];
    if (data->x.pages)
        page_window_forget(data->x.pages);
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

temper_status memory_limit_plan(const struct dataset *data, const struct memory_limit_plan *plan, temper_error *error)
{
    if (data->storage.memory_limit == 0)
        return TEMPER_OK;
    return comm_agree(data->ranks.comm, plan_own(data, plan, error), error);
}
