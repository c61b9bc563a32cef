/* tree_sum: each process adds its complete subtrees; the roots of these are then exchanged, and either
 * every process adds all of them, or each adds one slice of all (reduce-scatter, then all-gather). */
#include "comm/tree_sum.h"

#include <string.h>

#include "base/memory.h"

enum {
    SLICE = 256,             /* numbers of all vectors that are added at a time, so that they stay in the cache */
    GATHER_MOST = 64 * 1024, /* bytes in all up to which every process adds everything, with one all-gather */
};

/* ---- Subtrees -------------------------------------------------------------------------------- */

/* The vectors from .. to of `count`; the tree's nodes that cover only these can be added. */
struct branch {
    size_t from, to, count;
};

/* The end of the node of this width that begins at `at`; the last one may be incomplete. */
static size_t node_end(const struct branch *branch, size_t at, size_t width)
{
    return at + width < branch->count ? at + width : branch->count;
}

/* to += from */
static void add(double *to, const double *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] += from[i];
}

/* Adds all nodes within the range, level by level; the sum of a node replaces its first vector.
 * vector[0] is vector number `from`. */
static void add_branch(const struct branch *branch, double *const *vector, size_t length)
{
    for (size_t done = 0; done < length; done += SLICE) {
        size_t part = length - done < SLICE ? length - done : SLICE;
        for (size_t step = 1; step < branch->count; step *= 2)
            /* nodes of 2 * step vectors that begin at or after `from` and end at or before `to` */
            for (size_t at = (branch->from + 2 * step - 1) / (2 * step) * (2 * step);
                 at + step < branch->count && node_end(branch, at, 2 * step) <= branch->to; at += 2 * step)
                add(vector[at - branch->from] + done, vector[at + step - branch->from] + done, part);
    }
}

/* Width of the widest node within the range that begins at `at`. */
static size_t widest(const struct branch *branch, size_t at)
{
    size_t width = 1;
    while (at % (2 * width) == 0 && at + width < branch->count && node_end(branch, at, 2 * width) <= branch->to)
        width *= 2;
    return width;
}

/* The roots of the complete subtrees of a range: where each begins; returns how many. */
static size_t nodes_of(const struct branch *branch, size_t *node)
{
    size_t count = 0;
    for (size_t at = branch->from; at < branch->to; at += widest(branch, at))
        node[count++] = at;
    return count;
}

/* ---- Among processes ------------------------------------------------------------------------- */

/* State of one sum among processes. */
struct distributed_sum {
    const struct holders *holders;
    struct tree_buffers *buffers;
    size_t ranks, rank, count, length;
};

/* Rank r adds numbers slice_start(r) .. slice_start(r + 1) of each vector. */
static size_t slice_start(const struct distributed_sum *s, size_t rank)
{
    return s->length / s->ranks * rank + (rank < s->length % s->ranks ? rank : s->length % s->ranks);
}

/* Differs by at most one between ranks; may be 0 for vectors shorter than the number of ranks. */
static size_t slice_length(const struct distributed_sum *s, size_t rank)
{
    return slice_start(s, rank + 1) - slice_start(s, rank);
}

/* Whether every process receives all nodes. */
static bool is_gathered(const struct distributed_sum *s)
{
    return s->buffers->left * s->length * sizeof(double) <= GATHER_MOST;
}

/* Lists the nodes that are left on every rank; false without memory. */
static bool list_nodes(const struct distributed_sum *s)
{
    struct tree_buffers *b = s->buffers;
    const size_t *first = s->holders->first;
    b->node = mem_alloc(s->count, sizeof *b->node);
    b->nodes = mem_alloc(s->ranks, sizeof *b->nodes);
    b->out_bytes = mem_alloc(s->ranks, sizeof *b->out_bytes);
    b->in_bytes = mem_alloc(s->ranks, sizeof *b->in_bytes);
    b->at = (double **)mem_zeroed(s->count, sizeof *b->at);
    if (!b->node || !b->nodes || !b->out_bytes || !b->in_bytes || !b->at)
        return false;
    for (size_t r = 0; r < s->ranks; r++) {
        /* every process lists the nodes of all ranks: they follow from the distribution alone, so nothing is sent
         * for it */
        struct branch branch = {first[r], first[r + 1], s->count};
        b->first = r == s->rank ? b->left : b->first;
        b->nodes[r] = nodes_of(&branch, b->node + b->left);
        b->left += b->nodes[r];
    }
    return true;
}

/* Memory for vectors of this length, and for all shorter ones, whichever algorithm adds them. */
static bool allocate_buffers(const struct distributed_sum *s)
{
    struct tree_buffers *b = s->buffers;
    if (!list_nodes(s))
        return false;
    size_t slices = b->left * slice_length(s, s->rank), gathered = GATHER_MOST / sizeof(double);
    b->out = mem_alloc(b->nodes[s->rank] * s->length, sizeof *b->out);
    b->in = mem_alloc(is_gathered(s) ? b->left * s->length : slices > gathered ? slices : gathered, sizeof *b->in);
    return b->out && b->in;
}

/* Where vectors are longer than all before: new memory. All processes come here at the same sum, so that they can agree
 * that each has it; if one has none, none begins to exchange anything. */
static temper_status prepare_buffers(const struct distributed_sum *s, temper_error *error)
{
    if (s->buffers->node && s->length <= s->buffers->longest)
        return TEMPER_OK;
    tree_buffers_free(s->buffers);
    temper_status status = allocate_buffers(s) ? TEMPER_OK : error_no_memory(error);
    s->buffers->longest = s->length;
    status = comm_agree(s->holders->comm, status, error);
    if (status != TEMPER_OK)
        tree_buffers_free(s->buffers);
    return status;
}

void tree_buffers_free(struct tree_buffers *buffers)
{
    void *blocks[] = {buffers->node,       buffers->nodes, buffers->out_bytes, buffers->in_bytes,
                      (void *)buffers->at, buffers->out,   buffers->in};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        mem_free(blocks[i]);
    *buffers = (struct tree_buffers){0};
}

/* Adds the upper levels of the tree, for `length` numbers of each node; the sum is at[0]. The loops visit the nodes of
 * the complete tree in the same order as add_branch, which makes the result independent of the distribution. */
static void add_rest(const struct distributed_sum *s, size_t length)
{
    const struct tree_buffers *b = s->buffers;
    for (size_t i = 0; i < b->left; i++)
        b->at[b->node[i]] = b->in + i * length;
    for (size_t step = 1; step < s->count; step *= 2)
        for (size_t at = 0; at + step < s->count; at += 2 * step)
            /* NULL where the right node was added within its process already */
            if (b->at[at + step]) {
                add(b->at[at], b->at[at + step], length);
                b->at[at + step] = NULL;
            }
}

/* Short vectors: every process receives all nodes and adds them. Every process then has the same nodes and adds them by
 * the same tree, so that all have the same bits without a broadcast. */
static temper_status sum_gathered(const struct distributed_sum *s, double *const *vector, double *sum,
                                  temper_error *error)
{
    const struct tree_buffers *b = s->buffers;
    size_t own = s->holders->first[s->rank];
    for (size_t i = 0; i < b->nodes[s->rank]; i++)
        memcpy(b->out + i * s->length, vector[b->node[b->first + i] - own], s->length * sizeof *b->out);
    for (size_t r = 0; r < s->ranks; r++)
        b->in_bytes[r] = b->nodes[r] * s->length * sizeof *b->in;
    TRY(comm_gather(s->holders->comm, b->out, b->in_bytes, b->in, error));
    add_rest(s, s->length);
    memcpy(sum, b->at[0], s->length * sizeof *sum);
    return TEMPER_OK;
}

/* Copies for each rank its slice of each node of this process. */
static void pack(const struct distributed_sum *s, double *const *vector)
{
    const struct tree_buffers *b = s->buffers;
    size_t own = s->holders->first[s->rank];
    double *to = b->out;
    for (size_t r = 0; r < s->ranks; r++) {
        size_t length = slice_length(s, r);
        b->out_bytes[r] = b->nodes[s->rank] * length * sizeof *b->out;
        b->in_bytes[r] = b->nodes[r] * slice_length(s, s->rank) * sizeof *b->in;
        for (size_t i = 0; i < b->nodes[s->rank]; i++, to += length)
            memcpy(to, vector[b->node[b->first + i] - own] + slice_start(s, r), length * sizeof *to);
    }
}

/* Long vectors: each process adds one slice of all nodes, then the slices are gathered. */
static temper_status sum_slices(const struct distributed_sum *s, double *const *vector, double *sum,
                                temper_error *error)
{
    const struct tree_buffers *b = s->buffers;
    pack(s, vector);
    TRY(comm_exchange(s->holders->comm, b->out, b->out_bytes, b->in, b->in_bytes, error));
    add_rest(s, slice_length(s, s->rank));
    for (size_t r = 0; r < s->ranks; r++)
        b->in_bytes[r] = slice_length(s, r) * sizeof *sum;
    return comm_gather(s->holders->comm, b->at[0], b->in_bytes, sum, error);
}

/* One of two algorithms by the size of the data. Short vectors cost latency, so one all-gather; long ones cost
 * bandwidth and additions, which are split among the processes. */
static temper_status sum_among(const struct holders *holders, double *const *vector, size_t length, double *sum,
                               temper_error *error)
{
    struct tree_buffers once = {0};
    const struct distributed_sum s = {.holders = holders,
                                      .buffers = holders->buffers ? holders->buffers : &once,
                                      .ranks = comm_size(holders->comm),
                                      .rank = comm_rank(holders->comm),
                                      .count = holders->first[comm_size(holders->comm)],
                                      .length = length};
    temper_status status = prepare_buffers(&s, error);
    if (status == TEMPER_OK)
        status = is_gathered(&s) ? sum_gathered(&s, vector, sum, error) : sum_slices(&s, vector, sum, error);
    tree_buffers_free(&once);
    return status;
}

/* The subtrees within this process first, in place; with one process that is the whole tree, and vector[0] has the
 * sum. */
temper_status tree_sum(const struct holders *holders, double *const *vector, size_t length, double *sum,
                       temper_error *error)
{
    size_t rank = comm_rank(holders->comm), size = comm_size(holders->comm);
    const struct branch branch = {holders->first[rank], holders->first[rank + 1], holders->first[size]};
    add_branch(&branch, vector, length);
    if (!comm_alone(holders->comm))
        return sum_among(holders, vector, length, sum, error);
    if (sum != vector[0])
        memcpy(sum, vector[0], length * sizeof *sum);
    return TEMPER_OK;
}

/* The sum of a node of `count` vectors, by recursion; numbers from .. from + length, at most SLICE. The left child has
 * the largest power of two below `count` vectors: the same tree as that of add_branch. Pairwise summation (Higham
 * 1993): the rounding error grows with the logarithm of `count`. The tree depends on the number of vectors alone, and
 * not on which process or thread has them. */
static void add_node(const double *const *vector, size_t count, size_t from, size_t length, double *sum)
{
    double right[SLICE];
    size_t half = 1;
    if (count == 1) {
        memcpy(sum, vector[0] + from, length * sizeof *sum);
        return;
    }
    while (2 * half < count)
        half *= 2;
    add_node(vector, half, from, length, sum);
    add_node(vector + half, count - half, from, length, right);
    add(sum, right, length);
}

/* Slice by slice, so that the buffers of the recursion (one for each level) stay in the first-level cache. */
void tree_add(const double *const *vector, size_t count, size_t length, double *sum)
{
    if (count == 0)
        memset(sum, 0, length * sizeof *sum);
    for (size_t done = 0; count && done < length; done += SLICE)
        add_node(vector, count, done, length - done < SLICE ? length - done : SLICE, sum + done);
}
