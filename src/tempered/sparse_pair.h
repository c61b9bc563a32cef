/* sparse_pair: the probabilities of two classes for t2 < 1, where one of them reaches 0 at a finite margin.
 *
 * The general solver needs twice the digits there (log_partition_sparse.h), since 1 - (1-t)(b + lambda) cancels near
 * the edge of support. For two classes the distance from the edge is known before anything is solved, and error-free
 * transformations give all its digits: doubles suffice. The general solver is the oracle of the tests. */
#ifndef TEMPERED_SPARSE_PAIR_H
#define TEMPERED_SPARSE_PAIR_H

/* log p of the likelier class and log q of the other. */
struct sparse_pair {
    double log_p, log_q;
};

/* The margin at which q reaches 0, 1/(1-t), as a sum of two doubles: differences from it keep their digits. */
struct support_edge {
    double high, low;
};
struct support_edge support_edge(double t);

/* At a finite margin >= 0, 0 <= t < 1. */
struct sparse_pair sparse_pair_at_margin(double margin, double t);
/* At the margin 1/(1-t) - gap, 0 < gap <= 1/(1-t); a tiny gap keeps the digits that its margin would lose. */
struct sparse_pair sparse_pair_at_gap(double gap, double t);

#endif
