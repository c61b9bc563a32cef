/* gram: what the files that sum weighted outer products share. */
#ifndef OBJECTIVE_GRAM_H
#define OBJECTIVE_GRAM_H

#include "objective/objective_internal.h"

#define GRAM_NOT_CHOSEN UINT32_MAX

/* Parts are summed in groups, which are added in their order; the number of groups depends on the shape of the data
 * alone. Where a group has parts of two processes, the second continues the sums of the first. */
struct gram_work {
    const struct objective *o;
    size_t columns;       /* of the matrix: all of the data, or the chosen ones: */
    const size_t *index;  /* their numbers, ascending; NULL: all */
    uint32_t *position;   /* sparse data: of each column of the data among the chosen ones, or GRAM_NOT_CHOSEN */
    const double *weight; /* of each row; NULL: the weights of the data */
    size_t block_rows;    /* more rows: the matrix is updated less often */
    size_t buffered_rows; /* room in the workers' buffers: a block, or all rows if these are fewer */
    size_t part_blocks;
    size_t step; /* every step-th block only */
    size_t groups;
    size_t first_group, own_groups; /* those that have parts of this process */
    double *out;
    size_t length; /* of a group's sums: columns^2, columns, the sum of D, the sum of the row weights */
    double *sums;  /* of the own groups */
    bool in_out;   /* the total is summed in `out`, which is large enough */
};

/* Lines of the matrix, and parts [from, to), counted over all processes. */
struct gram_share {
    struct gram_lines lines;
    size_t from, to;
};

static inline double *gram_of(const struct gram_work *m, size_t group)
{
    return m->sums + group * m->length;
}

/* The diagonal of D for one row: a curvature, or the row's weight where no weights are given. */
static inline double gram_row_weight(const struct gram_work *m, size_t row)
{
    return m->weight ? m->weight[row] : weight_of(m->o, row);
}

/* Several threads divide the lines of the matrix. Sums that are no lines (of the rows, of the weights) belong to the
 * thread with the last line, so that they are added once. */
static inline bool gram_has_last_line(const struct gram_work *m, struct gram_lines lines)
{
    return lines.to == m->columns;
}

/* Adds a block of dense rows to some lines of the matrix; rows that do not fill a block wait in the scratch. */
void gram_dense_f32(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                    struct pass_scratch *scratch);
void gram_dense_f64(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                    struct pass_scratch *scratch);
/* Adds those that wait. */
void gram_collected_f32(const struct gram_work *m, struct gram_lines lines, double *outer,
                        struct pass_scratch *scratch);
void gram_collected_f64(const struct gram_work *m, struct gram_lines lines, double *outer,
                        struct pass_scratch *scratch);

/* Adds the rows of this process that are in the share. */
void gram_add(const struct gram_work *m, struct gram_share share, double *outer, struct pass_scratch *scratch);
/* The first part of a group. */
size_t gram_group_start(const struct gram_work *m, size_t group);
/* Adds a group to `outer`; or begins with 0. */
temper_status gram_run_group(const struct gram_work *m, size_t group, double *outer, temper_error *error);
temper_status gram_new_group(const struct gram_work *m, size_t group, double *outer, temper_error *error);
void gram_add_sums(const struct gram_work *m, const double *from, double *to);
/* MPI: all groups; m->sums has the own groups and behind them the total. */
temper_status gram_shared(const struct gram_work *m, temper_error *error);
/* The matrix from its sums, which may be in the same memory. */
void gram_assemble(const struct gram_work *m, const double *total, double *out);

/* Set block_rows, buffered_rows and part_blocks; the length; the workers' buffers. False: no memory. */
void gram_blocks(struct gram_work *m);
bool gram_measure(struct gram_work *m);
bool gram_scratch(const struct gram_work *m);
/* Every step-th block makes about so many rows; 0: all. */
size_t gram_step(const struct objective *o, size_t rows);

#endif
