/* moments_groups: groups of parts, summed one after another by threads that share the lines of the
 * matrix; and the way of the sums through several processes. */
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "objective/gram/gram.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

static size_t group_start(const struct gram_work *m, size_t group)
{
    return m->o->parts.count * group / m->groups;
}

/* Whether the process before this one has begun its first group. */
static bool goes_on(const struct gram_work *m, size_t rank)
{
    const size_t *first = m->o->first;
    size_t group = 0;
    while (group_start(m, group + 1) <= first[rank] && group < m->groups)
        group++;
    return rank > 0 && first[rank] < first[rank + 1] && group_start(m, group) < first[rank];
}

void gram_find_groups(struct gram_work *m)
{
    const struct objective *o = m->o;
    size_t rank = comm_rank(o->spec.data->ranks.comm), from = o->first[rank], to = o->first[rank + 1];
    m->first_group = m->own_groups = 0;
    while (m->first_group < m->groups && group_start(m, m->first_group + 1) <= from)
        m->first_group++;
    while (m->first_group + m->own_groups < m->groups && group_start(m, m->first_group + m->own_groups) < to)
        m->own_groups++;
}

/* A group, whose lines several threads share. */
struct multi_evaluate {
    const struct gram_work *m;
    size_t group, shares;
    double *outer;
};

/* Lines get longer, so the first shares have more of them: about as many entries each. */
static size_t share_start(const struct multi_evaluate *run, size_t share)
{
    size_t columns = run->m->o->columns;
    double part = sqrt((double)share / (double)run->shares);
    return share < run->shares ? (size_t)(part * (double)columns) : columns;
}

static temper_status run_share(void *context, size_t share, size_t worker)
{
    const struct multi_evaluate *run = context;
    const struct gram_work *m = run->m;
    const struct gram_share all = {{share_start(run, share), share_start(run, share + 1)},
                                   group_start(m, run->group),
                                   group_start(m, run->group + 1)};
    gram_add(m, all, run->outer, &m->o->scratch[worker]);
    return TEMPER_OK;
}

/* Adds a group to the sums, which are 0, or those of its parts that other processes have. */
static temper_status run_group(const struct gram_work *m, size_t group, double *outer, temper_error *error)
{
    const struct objective *o = m->o;
    double work = (double)o->x->nonzeros * (double)o->columns / (double)m->step;
    size_t threads = worth_threads(o->workers, work), most = o->columns ? o->columns : 1;
    struct multi_evaluate run = {m, group, threads < most ? threads : most, outer};
    return parallel_blocks(run.shares, run.shares, run_share, &run) == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

static temper_status new_group(const struct gram_work *m, size_t group, double *outer, temper_error *error)
{
    memset(outer, 0, m->length * sizeof *outer);
    return run_group(m, group, outer, error);
}

static void add_sums(const struct gram_work *m, const double *from, double *to)
{
    for (size_t i = 0; i < m->length; i++)
        to[i] += from[i];
}

temper_status gram_alone(const struct gram_work *m, temper_error *error)
{
    double *total = m->in_out ? m->out : m->sums, *next = m->in_out ? m->sums : gram_of(m, 1);
    temper_status status = new_group(m, 0, total, error);
    for (size_t group = 1; status == TEMPER_OK && group < m->groups; group++) {
        status = new_group(m, group, next, error);
        if (status == TEMPER_OK)
            add_sums(m, next, total);
    }
    if (status == TEMPER_OK)
        gram_assemble(m, total, m->out);
    return status;
}

/* ---- Groups of several processes ------------------------------------------------------------- */

static temper_status own_groups(const struct gram_work *m, temper_error *error)
{
    bool waits = goes_on(m, comm_rank(m->o->spec.data->ranks.comm)); /* until its turn comes */
    temper_status status = TEMPER_OK;
    for (size_t own = waits ? 1 : 0; status == TEMPER_OK && own < m->own_groups; own++)
        status = new_group(m, m->first_group + own, gram_of(m, own), error);
    return status;
}

/* Groups of two processes, in the order of these. */
static temper_status continue_groups(const struct gram_work *m, temper_error *error)
{
    const temper_comm *comm = m->o->spec.data->ranks.comm;
    temper_status status = TEMPER_OK;
    for (size_t rank = 1; status == TEMPER_OK && rank < comm_size(comm); rank++) {
        if (!goes_on(m, rank))
            continue;
        const double *last = m->own_groups ? gram_of(m, m->own_groups - 1) : m->sums;
        status = comm_pass_on(comm, rank - 1, last, m->sums, m->length * sizeof *m->sums, error);
        if (status == TEMPER_OK && rank == comm_rank(comm))
            status = run_group(m, m->first_group, m->sums, error);
    }
    return status;
}

/* Groups that end before a process begins; each belongs to the one that has its last part. */
static size_t groups_before(const struct gram_work *m, size_t rank)
{
    size_t group = 0;
    while (group < m->groups && group_start(m, group + 1) <= m->o->first[rank])
        group++;
    return group;
}

/* The sum of the groups goes from process to process, each of which adds its own; the last one
 * tells all. It is in the room behind the own groups. */
static temper_status add_groups(const struct gram_work *m, temper_error *error)
{
    const temper_comm *comm = m->o->spec.data->ranks.comm;
    size_t ranks = comm_size(comm), bytes = m->length * sizeof *m->sums;
    double *total = gram_of(m, m->own_groups + !m->own_groups);
    temper_status status = TEMPER_OK;
    for (size_t rank = 0; status == TEMPER_OK && rank < ranks; rank++) {
        if (rank > 0)
            status = comm_pass_on(comm, rank - 1, total, total, bytes, error);
        if (status != TEMPER_OK || rank != comm_rank(comm))
            continue;
        size_t from = groups_before(m, rank), to = groups_before(m, rank + 1);
        for (size_t group = from; group < to; group++)
            if (group == 0)
                memcpy(total, gram_of(m, 0), bytes);
            else
                add_sums(m, gram_of(m, group - from), total);
    }
    return status == TEMPER_OK ? comm_broadcast(comm, ranks - 1, total, bytes, error) : status;
}

temper_status gram_shared(const struct gram_work *m, temper_error *error)
{
    temper_status status = comm_agree(m->o->spec.data->ranks.comm, own_groups(m, error), error);
    if (status == TEMPER_OK)
        status = continue_groups(m, error);
    if (status == TEMPER_OK)
        status = add_groups(m, error);
    if (status == TEMPER_OK)
        gram_assemble(m, gram_of(m, m->own_groups + !m->own_groups), m->out);
    return status;
}
