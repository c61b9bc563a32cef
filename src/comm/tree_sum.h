/* tree_sum: pairwise summation of vectors in a fixed binary tree over their numbers.
 *
 * The order of additions depends on the number of vectors, never on which process holds them, so that
 * any number of processes gives the same bits. A process adds the subtrees that it holds completely,
 * so that few vectors are sent: one, if its vectors form one subtree. */
#ifndef COMM_TREE_SUM_H
#define COMM_TREE_SUM_H

#include "comm/comm.h"

/* Memory of sums among processes, kept from one sum to the next of the same distribution. Zeros at first. */
struct tree_buffers {
    size_t longest;     /* numbers of the longest vectors so far */
    size_t *node;       /* where each node begins that is left after each process has added its own, in order of rank */
    size_t *nodes;      /* of each rank */
    size_t left, first; /* nodes of all ranks, and of lower ranks */
    size_t *out_bytes, *in_bytes;
    double **at; /* of each vector: the sum of the node that begins there, or NULL */
    double *out; /* what is sent */
    double *in;  /* what is received: nodes, or one slice of each */
};

void tree_buffers_free(struct tree_buffers *buffers);

/* The distribution of the vectors: rank r holds those from first[r] up to first[r + 1]. */
struct holders {
    const temper_comm *comm;
    const size_t *first;          /* size + 1 */
    struct tree_buffers *buffers; /* NULL: of this sum alone */
};

/* The sum of first[size] vectors, at least one, of `length` numbers. Those of this process are
 * vector[0], vector[1] ..., which are overwritten; `sum` may be vector[0]. If one process has no memory,
 * all return TEMPER_NO_MEMORY; only a sum of vectors that are longer than all before needs some. */
temper_status tree_sum(const struct holders *holders, double *const *vector, size_t length, double *sum,
                       temper_error *error);

/* The same sum of vectors of this process, which are not changed; 0 of none. `sum` is none of them. */
void tree_add(const double *const *vector, size_t count, size_t length, double *sum);

#endif
