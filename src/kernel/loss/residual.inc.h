/* residual: residual.h on vectors of doubles; included after margin.inc.h. The type of the activations and
 * the other cases are constants to the compiler, so that loops have no branches on them. */
#include "kernel/loss/residual.h"

typedef float half_vec __attribute__((vector_size(SIMD_BYTES / 2)));
typedef uint32_t half_uvec __attribute__((vector_size(SIMD_BYTES / 2)));

enum { STEP = GROUP * LANES };

/* The case that a loop is compiled for. */
struct residual_case {
    bool floats, weighted, curved;
};

/* Sums of each lane. */
struct residual_lanes {
    vec loss, correct, residual;
};

/* LANES activations from index i on, as doubles. */
HOT vec load_number(const void *from, size_t i, const bool floats)
{
    half_vec half;
    if (!floats)
        return vec_load((const double *)from + i);
    memcpy(&half, (const float *)from + i, sizeof half);
    return __builtin_convertvector(half, vec);
}

HOT void store_number(void *to, size_t i, vec v, const bool floats)
{
    half_vec half;
    if (!floats) {
        vec_store((double *)to + i, v);
        return;
    }
    half = __builtin_convertvector(v, half_vec);
    memcpy((float *)to + i, &half, sizeof half);
}

/* All ones where the label is 1. */
HOT ivec load_is_one(const uint32_t *label)
{
    half_uvec half;
    memcpy(&half, label, sizeof half);
    return __builtin_convertvector(half, ivec) == 1;
}

/* STEP rows from i on. */
HOT void residual_step(const struct residual_rows *rows, size_t i, void *activation, struct residual_lanes *sums,
                       const struct residual_case as)
{
    /* the margin is the activation with its sign flipped for the other class; so is the residual, from the slope */
    const ivec sign = (ivec)vec_all(-0.0);
    vec m[GROUP];
    ivec flip[GROUP]; /* sign bit of rows that are not class 1 */
    struct margin_vec loss[GROUP];
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        const size_t at = i + (size_t)g * LANES;
        vec a = load_number(activation, at, as.floats) + rows->bias;
        ivec is_one = load_is_one(rows->label + at);
        vec weight = as.weighted ? vec_load(rows->weight + at) : vec_all(1);
        flip[g] = ~is_one & sign;
        m[g] = (vec)((ivec)a ^ flip[g]);
        sums->correct += (vec)((ivec)weight & ~((a > 0) ^ is_one));
    }
    margins_group(rows->table, m, as.curved, loss);
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        const size_t at = i + (size_t)g * LANES;
        vec weight = as.weighted ? vec_load(rows->weight + at) : vec_all(1);
        vec r = (vec)((ivec)loss[g].slope ^ flip[g]);
        r = as.weighted ? r * weight : r;
        sums->loss += as.weighted ? loss[g].value * weight : loss[g].value;
        sums->residual += r;
        store_number(activation, at, r, as.floats);
        if (as.curved)
            vec_store(rows->curvature + at, loss[g].curvature * weight);
    }
}

/* The last rows, padded with rows of weight 0. */
BINARY_PASS static void residual_rest(const struct residual_rows *rows, size_t i, void *activation,
                                      struct residual_lanes *sums, const bool floats)
{
    double number[STEP] = {0}, weight[STEP] = {0}, curvature[STEP];
    uint32_t label[STEP] = {0};
    const size_t count = rows->rows - i, size = floats ? sizeof(float) : sizeof(double);
    /* copied to arrays of full length, so that no memory after the block is accessed */
    char *from = (char *)activation + i * size;
    struct residual_rows rest = {.table = rows->table,
                                 .label = label,
                                 .weight = weight,
                                 .rows = STEP,
                                 .bias = rows->bias,
                                 .curvature = curvature};
    memcpy(number, from, count * size);
    memcpy(label, rows->label + i, count * sizeof *label);
    for (size_t k = 0; k < count; k++)
        weight[k] = rows->weight ? rows->weight[i + k] : 1;
    if (floats)
        residual_step(&rest, 0, number, sums, (struct residual_case){true, true, true});
    else
        residual_step(&rest, 0, number, sums, (struct residual_case){false, true, true});
    memcpy(from, number, count * size);
    if (rows->curvature)
        memcpy(rows->curvature + i, curvature, count * sizeof *curvature);
}

HOT double sum_lanes(vec v)
{
    double lane[LANES], sum = 0;
    vec_store(lane, v);
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

/* All rows of a block in one pass; sums of lanes are added at the end, in the order of the lanes. */
HOT void residual_loop(const struct residual_rows *rows, void *activation, struct residual_sums *sums,
                       const struct residual_case as)
{
    struct residual_lanes lanes = {vec_all(0), vec_all(0), vec_all(0)};
    size_t i = 0;
    for (; i + STEP <= rows->rows; i += STEP) {
        residual_fetch(rows, i, STEP);
        residual_step(rows, i, activation, &lanes, as);
    }
    if (i < rows->rows)
        residual_rest(rows, i, activation, &lanes, as.floats);
    sums->loss += sum_lanes(lanes.loss);
    sums->correct += sum_lanes(lanes.correct);
    sums->residual += sum_lanes(lanes.residual);
}

/* One loop for each combination of weights and curvature. */
HOT void residual_run(const struct residual_rows *rows, void *activation, struct residual_sums *sums, const bool floats)
{
    if (rows->weight && rows->curvature)
        residual_loop(rows, activation, sums, (struct residual_case){floats, true, true});
    else if (rows->weight)
        residual_loop(rows, activation, sums, (struct residual_case){floats, true, false});
    else if (rows->curvature)
        residual_loop(rows, activation, sums, (struct residual_case){floats, false, true});
    else
        residual_loop(rows, activation, sums, (struct residual_case){floats, false, false});
}
