/* gram_dist: MPI: the groups of a Gram matrix, whose sums are passed from process to process in the order of the rows.
 */
#include <string.h>

#include "objective/gram/gram.h"

/* Whether the first group of a process has parts of the process before it. Every process computes this for all ranks,
 * so that sender and receiver agree without a message. */
static bool shares_first_group(const struct gram_work *m, size_t rank)
{
    const size_t *first = m->o->layout.first_part;
    size_t group = 0;
    /* The group that contains the first part of the rank. */
    while (gram_group_start(m, group + 1) <= first[rank] && group < m->groups)
        group++;
    return rank > 0 && first[rank] < first[rank + 1] && gram_group_start(m, group) < first[rank];
}

/* The groups of this process, in parallel with the other processes, but for a first one that must continue the sums of
 * another. */
static temper_status own_groups(const struct gram_work *m, temper_error *error)
{
    bool waits = shares_first_group(m, comm_rank(m->o->spec.data->ranks.comm)); /* for the sums of the process before */
    temper_status status = TEMPER_OK;
    for (size_t own = waits ? 1 : 0; status == TEMPER_OK && own < m->own_groups; own++)
        status = gram_new_group(m, m->first_group + own, gram_of(m, own), error);
    return status;
}

/* Groups with parts of two processes, in the order of the processes: the second receives the sums of the first and
 * adds its rows to them, so that the order of additions is that of one process. */
static temper_status continue_groups(const struct gram_work *m, temper_error *error)
{
    const temper_comm *comm = m->o->spec.data->ranks.comm;
    temper_status status = TEMPER_OK;
    for (size_t rank = 1; status == TEMPER_OK && rank < comm_size(comm); rank++) {
        if (!shares_first_group(m, rank))
            continue;
        /* A process without groups sends or receives nothing, but the call needs a buffer. */
        const double *last = m->own_groups ? gram_of(m, m->own_groups - 1) : m->sums;
        status = comm_pass_on(comm, rank - 1, last, m->sums, m->length * sizeof *m->sums, error);
        if (status == TEMPER_OK && rank == comm_rank(comm))
            status = gram_run_group(m, m->first_group, m->sums, error);
    }
    return status;
}

/* Number of groups that end before the rows of a process; a group belongs to the process with its last part. */
static size_t groups_before(const struct gram_work *m, size_t rank)
{
    size_t group = 0;
    while (group < m->groups && gram_group_start(m, group + 1) <= m->o->layout.first_part[rank])
        group++;
    return group;
}

/* The total is passed from process to process, each adding its groups in order; the last one broadcasts it. */
static temper_status add_groups(const struct gram_work *m, temper_error *error)
{
    const temper_comm *comm = m->o->spec.data->ranks.comm;
    size_t ranks = comm_size(comm), bytes = m->length * sizeof *m->sums;
    /* The total is stored behind the sums of the groups. */
    double *total = gram_of(m, m->own_groups + !m->own_groups);
    temper_status status = TEMPER_OK;
    for (size_t rank = 0; status == TEMPER_OK && rank < ranks; rank++) {
        if (rank > 0)
            status = comm_pass_on(comm, rank - 1, total, total, bytes, error);
        if (status != TEMPER_OK || rank != comm_rank(comm))
            continue;
        size_t from = groups_before(m, rank), to = groups_before(m, rank + 1);
        for (size_t group = from; group < to; group++)
            /* The first group starts the total, as in gram_alone. */
            if (group == 0)
                memcpy(total, gram_of(m, 0), bytes);
            else
                gram_add_sums(m, gram_of(m, group - from), total);
    }
    return status == TEMPER_OK ? comm_broadcast(comm, ranks - 1, total, bytes, error) : status;
}

/* All processes fail together if one does: an exchange with a process that has returned would never end. */
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
