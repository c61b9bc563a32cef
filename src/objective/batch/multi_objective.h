/* multi_objective: many two-class models on the same rows at once: all folds, penalties and temperatures of a search.
 * A block of rows that is in the cache serves all of them, so that each costs a fraction of a separate objective.
 *
 * A member equals an objective (objective/objective.h) on the rows outside of the part that it leaves out:
 *
 *     J(w) = (1 / sum s) sum_n s_n loss(x_n, c_n) + (l2 / 2) |w|^2
 *
 * with w, scaling and intercept as there. Each result is a pure function of its request: the same bits for any number
 * of threads and whatever the other members and requests are. */
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
    /* Partitions of the rows, as into folds: partition[p][row] is a part; borrowed. */
    const uint32_t *const *partition;
};

enum { MULTI_NO_PARTITION = -1 };

struct multi_member {
    temper_loss_spec loss; /* resolved */
    double l2;
    int partition; /* of the spec, or MULTI_NO_PARTITION: every row counts */
    uint32_t part; /* its rows in this part have weight 0; others must have a weight above 0 */
};

struct multi_objective;

/* Whether the data has two classes, which this needs. */
bool multi_supports(const struct dataset *data);

temper_status multi_objective_new(const struct multi_spec *spec, const struct multi_member *members, size_t count,
                                  struct multi_objective **out, temper_error *error);
/* About how many bytes it uses; *block: bytes of a block of rows. */
double multi_bytes(const struct multi_spec *spec, double *block);
void multi_objective_free(struct multi_objective *multi);
size_t multi_size(const struct multi_objective *multi); /* of a member's w */
/* Its threads, for loops between evaluations; NULL: there is one. */
struct thread_pool *multi_threads(const struct multi_objective *multi);

enum multi_kind {
    MULTI_EVALUATE, /* value and gradient */
    MULTI_LENGTH,   /* root mean square of the scores that w gives, on the member's rows */
    MULTI_SCORES,   /* the scores of all rows, with those that the member leaves out */
};

struct multi_request {
    enum multi_kind kind;
    size_t member;
    const double *w;
    double number;    /* receives the value or the length */
    double *gradient; /* MULTI_EVALUATE: receives it */
    double *scores;   /* MULTI_SCORES: a number a row */
};

/* Computes all requests; a member may appear any number of times. One pass over the rows for every MULTI_WIDTH
 * requests. Not to be called from two threads at once. */
enum { MULTI_WIDTH = 48 };
temper_status multi_evaluate(struct multi_objective *multi, struct multi_request *requests, size_t count,
                             temper_error *error);

#endif
