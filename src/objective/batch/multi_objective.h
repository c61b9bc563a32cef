/* group: many two-class models on the same rows at once: all the folds, penalties and temperatures
 * of a search. A block of rows that is in the cache serves every one of them, so that each costs a
 * fraction of an objective of its own.
 *
 * A member is what an objective (objective/objective.h) would be on the rows outside of the part
 * that it leaves out:
 *
 *     J(w) = (1 / sum s) sum_n s_n loss(x_n, c_n) + (l2 / 2) |w|^2
 *
 * with w, scaling and intercept as there. Its answers are pure functions of the request: the same
 * bits for any number of threads, whoever else is in the group, and whatever else is asked. */
#ifndef OBJECTIVE_MULTI_OBJECTIVE_H
#define OBJECTIVE_MULTI_OBJECTIVE_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct multi_spec {
    const struct dataset *data; /* with labels of two classes; borrowed */
    const struct scale *scale;  /* borrowed; any kind but log. NULL: features as they are */
    bool intercept;
    bool f64;       /* sums in doubles throughout; sparse data always has that */
    size_t threads; /* at least 1 */
    /* Ways to cut the rows into parts: partition[p][row] is a part; borrowed. */
    const uint32_t *const *partition;
};

enum { GROUP_NO_PARTITION = -1 };

struct multi_member {
    temper_loss_spec loss; /* resolved */
    double l2;
    int partition; /* of the spec, or GROUP_NO_PARTITION: every row counts */
    uint32_t part; /* its rows with this part of the partition do not count; others must exist, and
                      have a weight */
};

struct group;

/* Whether the data is of a kind that a group can be made of: two classes, dense or sparse. */
bool multi_supports(const struct dataset *data);

temper_status multi_objective_new(const struct multi_spec *spec, const struct multi_member *members, size_t count,
                                  struct group **out, temper_error *error);
/* Bytes that a group takes, about; `block`, a block of rows as a thread reads it. */
double multi_bytes(const struct multi_spec *spec, double *block);
void multi_objective_free(struct group *group);
size_t multi_size(const struct group *group); /* of a member's w */

enum group_kind {
    GROUP_EVALUATE, /* value and gradient */
    GROUP_LENGTH,   /* root mean square of the activations that w gives, on the rows that count */
    GROUP_SCORES,   /* the activations of all rows, the part that was left out too */
};

struct multi_request {
    enum group_kind kind;
    size_t member;
    const double *w;
    double number;    /* receives the value or the length */
    double *gradient; /* GROUP_EVALUATE: receives it */
    double *scores;   /* GROUP_SCORES: a number a row */
};

/* Answers all of them; a member may appear any number of times. One pass over the rows for every
 * GROUP_WIDTH requests. One call at a time. */
enum { GROUP_WIDTH = 48 };
temper_status multi_evaluate(struct group *group, struct multi_request *requests, size_t count, temper_error *error);

#endif
