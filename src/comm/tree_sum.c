/* tree: branches are added where they are; what is left goes to those who add a slice of it. */
#include "comm/tree_sum.h"

#include <string.h>

#include "base/memory.h"

enum {
    SLICE = 256,             /* numbers at a time, of all vectors, for the cache's sake */
    GATHER_MOST = 64 * 1024, /* bytes in all: below, everyone adds everything, in one call */
};

/* ---- Branches -------------------------------------------------------------------------------- */

/* A part of the tree: vectors from .. to of `count`; those that lie in it whole are added. */
struct branch {
    size_t from, to, count;
};

/* The end of the node that begins at `at` and is so wide. */
static size_t node_end(const struct branch *branch, size_t at, size_t width)
{
    return at + width < branch->count ? at + width : branch->count;
}

static void add(double *to, const double *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] += from[i];
}

/* vector[0] is that of number `from`. */
static void add_branch(const struct branch *branch, double *const *vector, size_t length)
{
    for (size_t done = 0; done < length; done += SLICE) {
        size_t part = length - done < SLICE ? length - done : SLICE;
        for (size_t step = 1; step < branch->count; step *= 2)
            for (size_t at = (branch->from + 2 * step - 1) / (2 * step) * (2 * step);
                 at + step < branch->count && node_end(branch, at, 2 * step) <= branch->to; at += 2 * step)
                add(vector[at - branch->from] + done, vector[at + step - branch->from] + done, part);
    }
}

/* The widest node that begins at `at` and lies in the branch. */
static size_t widest(const struct branch *branch, size_t at)
{
    size_t width = 1;
    while (at % (2 * width) == 0 && at + width < branch->count && node_end(branch, at, 2 * width) <= branch->to)
        width *= 2;
    return width;
}

/* Where the nodes begin that are left of a branch; how many. */
static size_t nodes_of(const struct branch *branch, size_t *node)
{
    size_t count = 0;
    for (size_t at = branch->from; at < branch->to; at += widest(branch, at))
        node[count++] = at;
    return count;
}

/* ---- Among processes ------------------------------------------------------------------------- */

struct summing {
    const struct holders *holders;
    size_t ranks, rank, count, length;
    size_t *node;       /* where all that is left begins, in order */
    size_t *nodes;      /* of each rank */
    size_t left, first; /* nodes in all, and before those of this rank */
    size_t *out_bytes, *in_bytes;
    double **at; /* count of them: the node that begins there, or NULL */
    double *out; /* what is sent */
    double *in;  /* what is received: a node's slice after another */
};

static size_t slice_start(const struct summing *s, size_t rank)
{
    return s->length / s->ranks * rank + (rank < s->length % s->ranks ? rank : s->length % s->ranks);
}

static size_t slice_length(const struct summing *s, size_t rank)
{
    return slice_start(s, rank + 1) - slice_start(s, rank);
}

static bool list_nodes(struct summing *s)
{
    const size_t *first = s->holders->first;
    s->node = mem_alloc(s->count, sizeof *s->node);
    s->nodes = mem_alloc(s->ranks, sizeof *s->nodes);
    s->out_bytes = mem_alloc(s->ranks, sizeof *s->out_bytes);
    s->in_bytes = mem_alloc(s->ranks, sizeof *s->in_bytes);
    s->at = (double **)mem_zeroed(s->count, sizeof *s->at);
    if (!s->node || !s->nodes || !s->out_bytes || !s->in_bytes || !s->at)
        return false;
    for (size_t r = 0; r < s->ranks; r++) {
        struct branch branch = {first[r], first[r + 1], s->count};
        s->first = r == s->rank ? s->left : s->first;
        s->nodes[r] = nodes_of(&branch, s->node + s->left);
        s->left += s->nodes[r];
    }
    return true;
}

/* The rest of the tree, for so many numbers of each node. */
static void add_rest(const struct summing *s, size_t length)
{
    for (size_t i = 0; i < s->left; i++)
        s->at[s->node[i]] = s->in + i * length;
    for (size_t step = 1; step < s->count; step *= 2)
        for (size_t at = 0; at + step < s->count; at += 2 * step)
            if (s->at[at + step]) {
                add(s->at[at], s->at[at + step], length);
                s->at[at + step] = NULL;
            }
}

static bool make_room(struct summing *s, size_t out, size_t in)
{
    s->out = mem_alloc(out, sizeof *s->out);
    s->in = mem_alloc(in, sizeof *s->in);
    return s->out && s->in;
}

/* Everyone has everything, and adds it. */
static temper_status sum_gathered(struct summing *s, double *const *vector, double *sum, temper_error *error)
{
    size_t own = s->holders->first[s->rank];
    if (!make_room(s, s->nodes[s->rank] * s->length, s->left * s->length))
        return error_no_memory(error);
    for (size_t i = 0; i < s->nodes[s->rank]; i++)
        memcpy(s->out + i * s->length, vector[s->node[s->first + i] - own], s->length * sizeof *s->out);
    for (size_t r = 0; r < s->ranks; r++)
        s->in_bytes[r] = s->nodes[r] * s->length * sizeof *s->in;
    temper_status status = comm_gather(s->holders->comm, s->out, s->in_bytes, s->in, error);
    if (status != TEMPER_OK)
        return status;
    add_rest(s, s->length);
    memcpy(sum, s->at[0], s->length * sizeof *sum);
    return TEMPER_OK;
}

/* A slice of each node for everyone; whole slices come back. */
static void pack(struct summing *s, double *const *vector)
{
    size_t own = s->holders->first[s->rank];
    double *to = s->out;
    for (size_t r = 0; r < s->ranks; r++) {
        size_t length = slice_length(s, r);
        s->out_bytes[r] = s->nodes[s->rank] * length * sizeof *s->out;
        s->in_bytes[r] = s->nodes[r] * slice_length(s, s->rank) * sizeof *s->in;
        for (size_t i = 0; i < s->nodes[s->rank]; i++, to += length)
            memcpy(to, vector[s->node[s->first + i] - own] + slice_start(s, r), length * sizeof *to);
    }
}

static temper_status sum_slices(struct summing *s, double *const *vector, double *sum, temper_error *error)
{
    size_t mine = slice_length(s, s->rank);
    if (!make_room(s, s->nodes[s->rank] * s->length, s->left * mine))
        return error_no_memory(error);
    pack(s, vector);
    temper_status status = comm_exchange(s->holders->comm, s->out, s->out_bytes, s->in, s->in_bytes, error);
    if (status != TEMPER_OK)
        return status;
    add_rest(s, mine);
    for (size_t r = 0; r < s->ranks; r++)
        s->in_bytes[r] = slice_length(s, r) * sizeof *sum;
    return comm_gather(s->holders->comm, s->at[0], s->in_bytes, sum, error);
}

static temper_status sum_among(const struct holders *holders, double *const *vector, size_t length, double *sum,
                               temper_error *error)
{
    struct summing s = {
        .holders = holders, .ranks = comm_size(holders->comm), .rank = comm_rank(holders->comm), .length = length};
    s.count = holders->first[s.ranks];
    temper_status status = TEMPER_NO_MEMORY;
    if (!list_nodes(&s))
        error_no_memory(error);
    else if (s.left * length * sizeof *sum <= GATHER_MOST)
        status = sum_gathered(&s, vector, sum, error);
    else
        status = sum_slices(&s, vector, sum, error);
    void *blocks[] = {s.node, s.nodes, s.out_bytes, s.in_bytes, (void *)s.at, s.out, s.in};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        mem_free(blocks[i]);
    return status;
}

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

/* The node of the tree that begins at `vector` and has so many; at most SLICE numbers. */
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

void tree_add(const double *const *vector, size_t count, size_t length, double *sum)
{
    if (count == 0)
        memset(sum, 0, length * sizeof *sum);
    for (size_t done = 0; count && done < length; done += SLICE)
        add_node(vector, count, done, length - done < SLICE ? length - done : SLICE, sum + done);
}
