/* moments: what the two files of weighted outer products share. */
#ifndef OBJECTIVE_GRAM_H
#define OBJECTIVE_GRAM_H

#include "objective/objective_internal.h"

/* Groups of parts with sums of their own, which are added one after another; their number depends
 * on the shape of the data alone. Where the parts of a group are those of two processes, the second
 * goes on with the sums of the first. Threads share the lines of the matrix, not the rows: so one
 * alone has two of these large sums at most, however many groups and threads there are. */
struct gram_work {
    const struct objective *o;
    const double *weight; /* of each row; NULL: that of the data */
    size_t block_rows;    /* the more, the rarer are sums added to the matrix */
    size_t part_blocks;
    size_t step; /* every step-th block only */
    size_t groups;
    size_t first_group, own_groups; /* those of which this process has any part */
    double *out;
    size_t length; /* of a group's sums: columns^2, columns, and the sums of weights: of the
                    * moments, and of the rows */
    double *sums;  /* of the own groups */
    bool in_out;   /* they begin in `out`, where there is room for them */
};

/* Lines of the matrix for one of several threads, and blocks of parts from .. to, of all processes,
 * that are here. */
struct gram_share {
    struct gram_lines lines;
    size_t from, to;
};

static inline double *gram_of(const struct gram_work *m, size_t group)
{
    return m->sums + group * m->length;
}

/* Adds a share. */
void gram_add(const struct gram_work *m, struct gram_share share, double *outer, struct scratch *scratch);
/* Which groups have parts here, of m->groups. */
void gram_find_groups(struct gram_work *m);
/* All groups: by one process, a group at a time beside the sum of those before it; by several, each
 * of which has room for the sum of all behind its own groups. */
temper_status gram_alone(const struct gram_work *m, temper_error *error);
temper_status gram_shared(const struct gram_work *m, temper_error *error);
/* A matrix from such sums, which may be in the same place. */
void gram_assemble(const struct gram_work *m, const double *total, double *out);

/* Before the first call: block_rows and part_blocks; length; what threads need. False: no memory.
 */
void gram_blocks(struct gram_work *m);
bool gram_measure(struct gram_work *m);
bool gram_scratch(const struct gram_work *m);
/* Every so many-th block for about so many rows; 0: all. */
size_t gram_step(const struct objective *o, size_t rows);

#endif
