/* tree: vectors added in pairs, pairs of pairs and so on: a fixed tree over their numbers.
 *
 * What is added to what depends on how many there are, never on who holds them: any number of
 * processes gives the same bits. A process adds what lies in its own branches, so that few vectors
 * travel: one, where the branches are whole. */
#ifndef COMM_TREE_SUM_H
#define COMM_TREE_SUM_H

#include "comm/comm.h"

/* Who holds which vectors: rank r those from first[r] up to first[r + 1]. */
struct holders {
    const temper_comm *comm;
    const size_t *first; /* size + 1 */
};

/* The sum of first[size] vectors, at least one, of `length` numbers. Those of this process are
 * vector[0], vector[1] ..., which are overwritten; `sum` may be vector[0]. */
temper_status tree_sum(const struct holders *holders, double *const *vector, size_t length, double *sum,
                       temper_error *error);

/* The same sum of vectors that one process has, and keeps; 0 of none. `sum` is none of them. */
void tree_add(const double *const *vector, size_t count, size_t length, double *sum);

#endif
