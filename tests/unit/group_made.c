/* group_made: rows, partitions and members. */
#include "group_made.h"

#include <stdlib.h>

#include "numeric.h"
#include "table.h"
#include "test.h"

static const temper_loss_spec losses[GROUP_MADE_LOSSES] = {
    {TEMPER_LOGISTIC, 1, 1, 0},     {TEMPER_TEMPERED, 0.3, 1, 0},   {TEMPER_TEMPERED, 0.1, 1.9, 0},
    {TEMPER_T_LOGISTIC, 1, 1.5, 0}, {TEMPER_TEMPERED, 0.5, 0.7, 0}, {TEMPER_HINGE, 0, 0, 0.5},
    {TEMPER_BREGMAN, 0.6, 1.4, 0},
};

const struct group_shape group_made_wide = {.kind = MATRIX_CSR,
                                            .rows = 150,
                                            .columns = 1501,
                                            .weighted = true,
                                            .scaled = true,
                                            .intercept = true};

static void make_members(struct group_made *made)
{
    for (size_t i = 0; i < GROUP_MADE_MEMBERS; i++)
        made->member[i] = (struct multi_member){
            .loss = losses[i / 4],
            .l2 = 0.01 * (double)(i % 3),
            .partition = i % 4 == 0 ? GROUP_NO_PARTITION : i % 4 == 3,
            .part = i % 4 == 2 ? 4 : 1,
        };
}

struct group_made *group_make(struct group_shape shape)
{
    struct group_made *made = calloc(1, sizeof *made);
    struct draw draw = draw_from(shape.rows + 31 * shape.columns);
    size_t rows = shape.rows, columns = shape.columns;
    double *values = calloc(rows * columns, sizeof *values), *weights = calloc(rows, 8);
    const char **labels = (const char **)calloc(rows, sizeof *labels);
    made->shape = shape;
    made->folds = calloc(rows, sizeof *made->folds);
    made->halves = calloc(rows, sizeof *made->halves);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            values[i * columns + j] = draw_below(&draw, 3) ? 0 : (double)draw_below(&draw, 9);
        labels[i] = draw_below(&draw, 2) || i == 0 ? "yes" : "no";
        weights[i] = i % 5 == 4 ? 0 : draw_uniform(&draw, 0.5, 3);
        made->folds[i] = (uint32_t)draw_below(&draw, 5);
        made->halves[i] = (uint32_t)(i % 2);
    }
    made->data = table_make(shape.kind, rows, columns, values, labels);
    if (shape.weighted)
        table_weigh(made->data, weights);
    CHECK(scale_learn(made->data, shape.scaled ? SCALE_STANDARD : SCALE_NONE,
                      (struct scale_rows){NULL, rows}, 1, &made->scale, NULL) == TEMPER_OK);
    made->partition[0] = made->folds;
    made->partition[1] = made->halves;
    make_members(made);
    free(values);
    free(weights);
    free((void *)labels);
    return made;
}

void group_made_free(struct group_made *made)
{
    dataset_free(made->data);
    scale_free(&made->scale);
    free(made->folds);
    free(made->halves);
    free(made);
}

struct multi_spec group_made_spec(const struct group_made *made, size_t threads)
{
    return (struct multi_spec){.data = made->data,
                               .scale = &made->scale,
                               .intercept = made->shape.intercept,
                               .f64 = made->shape.f64,
                               .threads = threads,
                               .partition = made->partition};
}

struct group *group_made_new(const struct group_made *made, size_t threads)
{
    struct group *group = NULL;
    temper_error error;
    struct multi_spec spec = group_made_spec(made, threads);
    CHECK(multi_supports(made->data));
    CHECKF(multi_objective_new(&spec, made->member, GROUP_MADE_MEMBERS, &group, &error) ==
               TEMPER_OK,
           "%s", error.message);
    return group;
}

void group_made_weights(const struct group_made *made, size_t member, double *w)
{
    struct draw draw = draw_from(1000 + member);
    draw_normals(&draw, w, made->shape.columns + made->shape.intercept,
                 0.3 / sqrt((double)made->shape.columns + 1));
}
