/* tree_sum: pairwise summation of vectors in a fixed binary tree over their numbers.
 *
 * The order of additions depends on the number of vectors, never on which process holds them, so that
 * any number of processes gives the same bits. A process adds the subtrees that it holds completely,
 * so that few vectors are sent: one, if its vectors form one subtree. */
#ifndef COMM_TREE_SUM_H
#define COMM_TREE_SUM_H

#include "comm/comm.h"

/* The distribution of the vectors: rank r holds those from first[r] up to first[r + 1]. */
struct holders {
    const temper_comm *comm;
    const size_t *first; /* size + 1 */
};

/* The sum of first[size] vectors, at least one, of `length` numbers. Those of this process are
 * vector[0], vector[1] ..., which are overwritten; `sum` may be vector[0]. */
temper_status tree_sum(const struct holders *holders, double *const *vector, size_t length, double *sum,
                       temper_error *error);

/* The same sum of vectors of this process, which are not changed; 0 of none. `sum` is none of them. */
void tree_add(const double *const *vector, size_t count, size_t length, double *sum);

#endif
