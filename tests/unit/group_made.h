/* group_made: a group of members of every sort on random rows, and what is needed to ask it. */
#ifndef GROUP_MADE_H
#define GROUP_MADE_H

#include "objective/batch/multi_objective.h"

enum { GROUP_MADE_LOSSES = 7, GROUP_MADE_MEMBERS = 4 * GROUP_MADE_LOSSES, GROUP_MADE_MOST = 1600 };

struct group_shape {
    enum matrix_kind kind;
    size_t rows, columns;
    bool weighted, scaled, f64, intercept;
};

struct group_made {
    struct group_shape shape;
    struct dataset *data;
    struct scale scale;
    uint32_t *folds, *halves; /* two partitions */
    const uint32_t *partition[2];
    /* Every loss, with every row, and without a fold or a half. */
    struct multi_member member[GROUP_MADE_MEMBERS];
};

/* Sparse, with so many columns that gradients are made column by column. */
extern const struct group_shape group_made_wide;

struct group_made *group_make(struct group_shape shape);
void group_made_free(struct group_made *made);
struct multi_spec group_made_spec(const struct group_made *made, size_t threads);
struct group *group_made_new(const struct group_made *made, size_t threads);
/* Small numbers that are the member's own. */
void group_made_weights(const struct group_made *made, size_t member, double *w);

#endif
