/* residual_body: residual.h on vectors of doubles; included after margin_body.h by the file of each
 * instruction set. Activations are floats or doubles: that is a constant to the compiler, as are
 * the other two questions, so that none is asked inside of a loop. */
#include "kernel/loss/residual.h"

typedef float half_vec __attribute__((vector_size(SIMD_BYTES / 2)));
typedef uint32_t half_uvec __attribute__((vector_size(SIMD_BYTES / 2)));

enum { STEP = GROUP * LANES };

/* What is asked; always a constant. */
struct residual_way {
    bool floats, weighted, bends;
};

/* Sums of each lane. */
struct residual_lanes {
    vec loss, correct, residual;
};

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
                       const struct residual_way way)
{
    const ivec sign = (ivec)vec_all(-0.0);
    vec m[GROUP];
    ivec turn[GROUP]; /* the sign of those who are not class 1 */
    struct margin_vec loss[GROUP];
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        const size_t at = i + (size_t)g * LANES;
        vec a = load_number(activation, at, way.floats) + rows->bias;
        ivec is_one = load_is_one(rows->label + at);
        vec weight = way.weighted ? vec_load(rows->weight + at) : vec_all(1);
        turn[g] = ~is_one & sign;
        m[g] = (vec)((ivec)a ^ turn[g]);
        sums->correct += (vec)((ivec)weight & ~((a > 0) ^ is_one));
    }
    margins_group(rows->table, m, way.bends, loss);
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        const size_t at = i + (size_t)g * LANES;
        vec weight = way.weighted ? vec_load(rows->weight + at) : vec_all(1);
        vec r = (vec)((ivec)loss[g].slope ^ turn[g]);
        r = way.weighted ? r * weight : r;
        sums->loss += way.weighted ? loss[g].value * weight : loss[g].value;
        sums->residual += r;
        store_number(activation, at, r, way.floats);
        if (way.bends)
            vec_store(rows->bend + at, loss[g].curvature * weight);
    }
}

/* The last rows: filled up with rows that weigh nothing. */
static void residual_rest(const struct residual_rows *rows, size_t i, void *activation, struct residual_lanes *sums,
                          const bool floats)
{
    double number[STEP] = {0}, weight[STEP] = {0}, bend[STEP];
    uint32_t label[STEP] = {0};
    const size_t count = rows->rows - i, size = floats ? sizeof(float) : sizeof(double);
    char *from = (char *)activation + i * size;
    struct residual_rows rest = {
        .table = rows->table, .label = label, .weight = weight, .rows = STEP, .bias = rows->bias, .bend = bend};
    memcpy(number, from, count * size);
    memcpy(label, rows->label + i, count * sizeof *label);
    for (size_t k = 0; k < count; k++)
        weight[k] = rows->weight ? rows->weight[i + k] : 1;
    if (floats)
        residual_step(&rest, 0, number, sums, (struct residual_way){true, true, true});
    else
        residual_step(&rest, 0, number, sums, (struct residual_way){false, true, true});
    memcpy(from, number, count * size);
    if (rows->bend)
        memcpy(rows->bend + i, bend, count * sizeof *bend);
}

HOT double sum_lanes(vec v)
{
    double lane[LANES], sum = 0;
    vec_store(lane, v);
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

HOT void residual_loop(const struct residual_rows *rows, void *activation, struct residual_sums *sums,
                       const struct residual_way way)
{
    struct residual_lanes lanes = {vec_all(0), vec_all(0), vec_all(0)};
    size_t i = 0;
    for (; i + STEP <= rows->rows; i += STEP) {
        residual_fetch(rows, i, STEP);
        residual_step(rows, i, activation, &lanes, way);
    }
    if (i < rows->rows)
        residual_rest(rows, i, activation, &lanes, way.floats);
    sums->loss += sum_lanes(lanes.loss);
    sums->correct += sum_lanes(lanes.correct);
    sums->residual += sum_lanes(lanes.residual);
}

HOT void residual_run(const struct residual_rows *rows, void *activation, struct residual_sums *sums, const bool floats)
{
    if (rows->weight && rows->bend)
        residual_loop(rows, activation, sums, (struct residual_way){floats, true, true});
    else if (rows->weight)
        residual_loop(rows, activation, sums, (struct residual_way){floats, true, false});
    else if (rows->bend)
        residual_loop(rows, activation, sums, (struct residual_way){floats, false, true});
    else
        residual_loop(rows, activation, sums, (struct residual_way){floats, false, false});
}

#define RESIDUAL_FUNCTIONS(set)                                                                                        \
    void residual_f32_fine_##set(const struct residual_rows *rows, float *activation, struct residual_sums *sums)      \
    {                                                                                                                  \
        if (rows->table->form == MARGIN_EXACT)                                                                         \
            residual_f32_plain(rows, activation, sums);                                                                \
        else                                                                                                           \
            residual_run(rows, activation, sums, true);                                                                \
    }                                                                                                                  \
    void residual_f64_##set(const struct residual_rows *rows, double *activation, struct residual_sums *sums)          \
    {                                                                                                                  \
        if (rows->table->form == MARGIN_EXACT)                                                                         \
            residual_f64_plain(rows, activation, sums);                                                                \
        else                                                                                                           \
            residual_run(rows, activation, sums, false);                                                               \
    }
