/* A group of models against one objective for each member. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/multi_objective_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "objective/objective.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4 };

/* ---- The same as an objective ---------------------------------------------------------------- */

/* The objective of the same rows, with weights that are 0 where the member leaves rows out. */
static struct objective *objective_of(const struct group_made *made, size_t number, struct dataset *copy,
                                      double *weight)
{
    const struct multi_member *member = &made->member[number];
    struct objective *objective = NULL;
    for (size_t row = 0; row < made->shape.rows; row++) {
        bool out = member->partition != MULTI_NO_PARTITION && made->partition[member->partition][row] == member->part;
        weight[row] = out ? 0 : made->data->weight ? made->data->weight[row] : 1;
    }
    *copy = *made->data;
    copy->weight = weight;
    struct objective_spec spec = {.data = copy,
                                  .scale = &made->scale,
                                  .loss = member->loss,
                                  .l2 = member->l2,
                                  .intercept = made->shape.intercept,
                                  .f64 = made->shape.f64,
                                  .threads = 1};
    CHECK(objective_new(&spec, &objective, NULL) == TEMPER_OK);
    return objective;
}

static double activation_of(const struct group_made *made, size_t row, const double *w)
{
    double x[GROUP_MADE_MOST], sum = made->shape.intercept ? w[made->shape.columns] : 0;
    matrix_row_f64(&made->data->x, row, x);
    scale_row(&made->scale, x);
    for (size_t j = 0; j < made->shape.columns; j++)
        sum += x[j] * w[j];
    return sum;
}

static void check_member(const struct group_made *made, struct multi_objective *group, size_t number)
{
    double w[GROUP_MADE_MOST], expected[GROUP_MADE_MOST], gradient[GROUP_MADE_MOST], value, length;
    size_t size = multi_size(group), rows = made->shape.rows;
    double *scores = calloc(rows, sizeof *scores), *weight = calloc(rows, sizeof *weight);
    double bound = made->shape.f64 || made->shape.kind == MATRIX_CSR ? 1e-11 : 2e-5;
    struct dataset copy;
    struct objective *objective = objective_of(made, number, &copy, weight);
    struct multi_request ask[] = {
        {.kind = MULTI_SCORES, .member = number, .w = w, .scores = scores},
        {.kind = MULTI_EVALUATE, .member = number, .w = w, .gradient = gradient},
        {.kind = MULTI_LENGTH, .member = number, .w = w},
    };
    group_made_weights(made, number, w);
    CHECK_EQ_SIZE(size, objective_size(objective));
    CHECK(multi_evaluate(group, ask, 3, NULL) == TEMPER_OK);
    objective_evaluate(objective, w, &value, expected, NULL);
    objective_length(objective, w, &length, NULL);
    CHECK_CLOSE(ask[1].number, value, bound);
    CHECK_CLOSE(ask[2].number, length, bound);
    double largest = largest_size(expected, size);
    for (size_t j = 0; j < size; j++)
        CHECKF(fabs(gradient[j] - expected[j]) <= bound * largest, "member %zu: gradient[%zu] %.17g, not %.17g", number,
               j, gradient[j], expected[j]);
    for (size_t row = 0; row < rows; row += 7)
        CHECK_NEAR(scores[row], activation_of(made, row, w), 10 * bound);
    objective_free(objective);
    free(scores);
    free(weight);
}

static void check_shape(struct group_shape shape)
{
    struct group_made *made = group_make(shape);
    struct multi_objective *group = group_made_new(made, 2);
    for (size_t number = 0; group && number < GROUP_MADE_MEMBERS; number++)
        check_member(made, group, number);
    multi_objective_free(group);
    group_made_free(made);
}

TEST(a_member_is_an_objective_of_its_rows)
{
    int step = (int)test_step(3);
    for (size_t k = 0; k < KINDS; k++)
        for (int variant = (int)k % step; variant < 8; variant += step)
            check_shape((struct group_shape){.kind = kinds[k],
                                             .rows = 331 + (size_t)variant,
                                             .columns = variant % 3 ? 19 : 299,
                                             .weighted = variant & 1,
                                             .scaled = variant & 2,
                                             .f64 = variant & 4,
                                             .intercept = variant != 2 && variant != 7});
}

TEST(sums_over_several_parts_are_those_of_an_objective)
{
    check_shape(
        (struct group_shape){.kind = MATRIX_F32, .rows = 5000, .columns = 5, .scaled = true, .intercept = true});
    check_shape(
        (struct group_shape){.kind = MATRIX_CSR, .rows = 5000, .columns = 5, .scaled = true, .intercept = true});
}

TEST(sparse_rows_of_many_columns)
{
    check_shape(group_made_wide);
}

TEST(features_far_from_zero_lose_no_digits)
{
    struct group_shape shape = {.kind = MATRIX_F32, .rows = 500, .columns = 5, .scaled = true, .intercept = true};
    struct group_made *made = group_make(shape);
    float *x = made->data->x.owned[0];
    for (size_t i = 0; i < shape.rows; i++)
        x[i * shape.columns] += 4e6f; /* a time stamp, say */
    scale_free(&made->scale);
    CHECK(scale_learn(made->data, SCALE_STANDARD, (struct scale_rows){NULL, shape.rows}, 1, &made->scale, NULL) ==
          TEMPER_OK);
    struct multi_objective *group = group_made_new(made, 1);
    for (size_t number = 0; group && number < 4; number++)
        check_member(made, group, number);
    multi_objective_free(group);
    group_made_free(made);
}

/* Its derivative is that of the penalty alone: rounding of the folded scaling would move its weight. */
TEST(a_constant_feature_has_no_gradient)
{
    struct group_shape shape = {.kind = MATRIX_F32, .rows = 500, .columns = 5, .scaled = true, .intercept = true};
    struct group_made *made = group_make(shape);
    double w[GROUP_MADE_MOST], gradient[GROUP_MADE_MOST];
    float *x = made->data->x.owned[0];
    for (size_t i = 0; i < shape.rows; i++)
        x[i * shape.columns] = 0.1f;
    scale_free(&made->scale);
    CHECK(scale_learn(made->data, SCALE_STANDARD, (struct scale_rows){NULL, shape.rows}, 1, &made->scale, NULL) ==
          TEMPER_OK);
    struct multi_objective *group = group_made_new(made, 1);
    for (size_t number = 0; group && number < GROUP_MADE_MEMBERS; number++) {
        struct multi_request ask = {.kind = MULTI_EVALUATE, .member = number, .w = w, .gradient = gradient};
        group_made_weights(made, number, w);
        CHECK(multi_evaluate(group, &ask, 1, NULL) == TEMPER_OK);
        CHECKF(gradient[0] == made->member[number].l2 * w[0], "member %zu: %g", number, gradient[0]);
    }
    multi_objective_free(group);
    group_made_free(made);
}

/* ---- Derivatives ----------------------------------------------------------------------------- */

struct along {
    struct multi_objective *group;
    size_t member, size;
    const double *w, *v;
};

static double value_along(double step, void *context)
{
    const struct along *along = context;
    double at[GROUP_MADE_MOST], gradient[GROUP_MADE_MOST];
    struct multi_request ask = {.kind = MULTI_EVALUATE, .member = along->member, .w = at, .gradient = gradient};
    for (size_t j = 0; j < along->size; j++)
        at[j] = along->w[j] + step * along->v[j];
    CHECK(multi_evaluate(along->group, &ask, 1, NULL) == TEMPER_OK);
    return ask.number;
}

TEST(gradients_are_differences_of_values)
{
    struct group_made *made = group_make((struct group_shape){.kind = MATRIX_F32,
                                                              .rows = 300,
                                                              .columns = 17,
                                                              .weighted = true,
                                                              .scaled = true,
                                                              .f64 = true,
                                                              .intercept = true});
    struct multi_objective *group = group_made_new(made, 1);
    double w[GROUP_MADE_MOST], v[GROUP_MADE_MOST], gradient[GROUP_MADE_MOST];
    struct draw draw = draw_from(3);
    for (size_t number = 0; group && number < GROUP_MADE_MEMBERS; number++) {
        size_t size = multi_size(group);
        struct multi_request ask = {.kind = MULTI_EVALUATE, .member = number, .w = w, .gradient = gradient};
        struct along along = {group, number, size, w, v};
        double slope = 0;
        if (made->member[number].loss.method == TEMPER_HINGE ||
            made->member[number].loss.t2 < 1) /* their slopes have corners */
            continue;
        group_made_weights(made, number, w);
        draw_normals(&draw, v, size, 0.1);
        multi_evaluate(group, &ask, 1, NULL);
        for (size_t j = 0; j < size; j++)
            slope += gradient[j] * v[j];
        CHECK_NEAR(derivative(value_along, &along, 0, 0.1), slope, 1e-8);
    }
    multi_objective_free(group);
    group_made_free(made);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

TEST(a_row_that_is_left_out_does_not_matter_whatever_it_holds)
{
    struct group_shape shape = {.kind = MATRIX_F32, .rows = 90, .columns = 7, .intercept = true};
    struct group_made *made = group_make(shape);
    double w[2][8] = {{1, 1, 1, 1, 1, 1, 1, 0}, {1, 1, 1, 1, 1, 1, 1, 0}}, gradient[2][8];
    struct multi_objective *group = group_made_new(made, 1);
    struct multi_request ask[2];
    for (int round = 0; group && round < 2; round++) {
        ask[round] =
            (struct multi_request){.kind = MULTI_EVALUATE, .member = 1, .w = w[round], .gradient = gradient[round]};
        CHECK(multi_evaluate(group, &ask[round], 1, NULL) == TEMPER_OK);
        for (size_t row = 0; row < shape.rows; row++)
            for (size_t j = 0; made->folds[row] == made->member[1].part && j < shape.columns; j++)
                ((float *)made->data->x.owned[0])[row * shape.columns + j] = 3e38F;
    }
    CHECK(isfinite(ask[0].number) && table_same_bits(&ask[0].number, &ask[1].number, 1));
    CHECK(table_same_bits(gradient[0], gradient[1], 7));
    multi_objective_free(group);
    group_made_free(made);
}

TEST(no_request_is_no_work)
{
    struct group_made *made = group_make((struct group_shape){.rows = 20, .columns = 3});
    struct multi_objective *group = group_made_new(made, 1);
    CHECK(multi_evaluate(group, NULL, 0, NULL) == TEMPER_OK);
    multi_objective_free(group);
    group_made_free(made);
}

TEST(three_classes_and_rows_without_labels_are_not_supported)
{
    struct dataset *three = table_pattern(MATRIX_F32, 9, 2, 3);
    struct dataset *none = table_random(MATRIX_F32, 9, 2);
    CHECK(!multi_supports(three));
    CHECK(!multi_supports(none));
    dataset_free(three);
    dataset_free(none);
}

static void check_faults(enum matrix_kind kind)
{
    struct group_made *made =
        group_make((struct group_shape){.kind = kind, .rows = 60, .columns = 4, .weighted = true});
    double w[4] = {0.1, 0.2, 0.3, 0.4}, gradient[4];
    struct multi_request ask = {.kind = MULTI_EVALUATE, .member = 2, .w = w, .gradient = gradient};
    struct multi_spec spec = group_made_spec(made, 2);
    for (size_t n = 1;; n++) {
        struct multi_objective *group = NULL;
        temper_error error;
        fault_arm(n);
        temper_status status = multi_objective_new(&spec, made->member, GROUP_MADE_MEMBERS, &group, &error);
        if (status == TEMPER_OK)
            status = multi_evaluate(group, &ask, 1, &error);
        fault_disarm();
        multi_objective_free(group);
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    group_made_free(made);
}

TEST(an_allocation_that_fails_is_an_error_and_leaks_nothing)
{
    check_faults(MATRIX_U8);
    check_faults(MATRIX_CSR);
}

TEST_LIST(LISTED(a_member_is_an_objective_of_its_rows), LISTED(sums_over_several_parts_are_those_of_an_objective),
          LISTED(sparse_rows_of_many_columns), LISTED(features_far_from_zero_lose_no_digits),
          LISTED(a_constant_feature_has_no_gradient), LISTED(gradients_are_differences_of_values),
          LISTED(a_row_that_is_left_out_does_not_matter_whatever_it_holds), LISTED(no_request_is_no_work),
          LISTED(three_classes_and_rows_without_labels_are_not_supported),
          LISTED(an_allocation_that_fails_is_an_error_and_leaks_nothing))
