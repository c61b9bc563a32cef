/* probability: scores to probabilities on vectors of rows, with the steps for lambda of softmax.inc.h.
 *
 * PROBABILITY_ROWS rows are computed together, step by step: each step is a long chain of dependent operations, and the
 * chains of several vectors overlap. All arrays of the workspace are [class * PROBABILITY_ROWS + row]. */
#include "kernel/dense/linear_simd.h"
#include "kernel/loss/probability.h"
#include "kernel/loss/softmax.inc.h"

enum { PROBABILITY_VECTORS = PROBABILITY_ROWS / LANES };

/* A group of rows in progress. */
struct probability_group {
    const struct probability_map *map;
    size_t classes, vectors; /* vectors of rows that there are */
    double *a;               /* activations */
    double *p;               /* e_c, then the result */
    double *u, *q;           /* of the matrix: the bounded scores order y_c, and its probabilities */
    struct lanes lanes[PROBABILITY_VECTORS];
    vec lambda[PROBABILITY_VECTORS];
    ivec unsure[PROBABILITY_VECTORS]; /* rows that are too inaccurate here */
};

/* ---- lambda ----------------------------------------------------------------------------------- */

/* Steps in low precision until few in full precision remain; `sparse`: t2 < 1. */
HOT void approach_lambda(struct probability_group *g, bool sparse)
{
    enum { ROUGH_STEPS = 12 };
    ivec active[PROBABILITY_VECTORS];
    bool more = true;
    for (size_t k = 0; k < g->vectors; k++)
        active[k] = ivec_all(-1);
    for (int step = 0; step < ROUGH_STEPS && more; step++) {
        more = false;
        for (size_t k = 0; k < g->vectors; k++) {
            struct class_sums sum = rough_sums(&g->lanes[k], g->lambda[k], sparse);
            vec next = halley_next(&g->lanes[k], &sum, rough_stretched_sum(&sum, g->lanes[k].s), g->lambda[k]);
            g->lambda[k] = vec_select(active[k], next, g->lambda[k]);
            active[k] &= farther(sum.p, (real)ROUGH_ENOUGH);
            more = more || vec_any(active[k]);
        }
    }
}

/* t2 > 1: steps in full precision; the last is the correction of third order. */
HOT void finish_lambda_hot(struct probability_group *g)
{
    ivec active[PROBABILITY_VECTORS];
    bool more = true;
    for (size_t k = 0; k < g->vectors; k++)
        active[k] = ivec_all(-1);
    for (int step = 0; step < MOST_STEPS && more; step++) {
        more = false;
        for (size_t k = 0; k < g->vectors; k++) {
            const struct lanes *lanes = &g->lanes[k];
            struct class_sums sum = full_sums(lanes, g->lambda[k], false);
            ivec far = farther(sum.p, (real)CLOSE_ENOUGH);
            vec next = correct(&sum, g->lambda[k], lanes->s).lambda;
            if (vec_any(far & active[k]))
                next = vec_select(far, halley_next(lanes, &sum, stretched_sum(&sum, lanes->s), g->lambda[k]), next);
            g->lambda[k] = vec_select(active[k], next, g->lambda[k]);
            g->unsure[k] = not_solved(sum.p);
            active[k] &= far;
            more = more || vec_any(active[k]);
        }
    }
}

/* t2 < 1: the steps of solve_sparse in softmax.inc.h; each lane ends when its sum is 1 up to rounding, or two steps
 * after it was close. */
HOT void finish_lambda_sparse(struct probability_group *g)
{
    enum { HALLEY_STEPS = 6, CLOSE_STEPS = 2 };
    ivec active[PROBABILITY_VECTORS], close_steps[PROBABILITY_VECTORS];
    bool more = true;
    for (size_t k = 0; k < g->vectors; k++) {
        active[k] = ivec_all(-1);
        close_steps[k] = ivec_all(0);
    }
    for (int step = 0; step < MOST_STEPS && more; step++) {
        more = false;
        for (size_t k = 0; k < g->vectors; k++) {
            const struct lanes *lanes = &g->lanes[k];
            struct class_sums sum = full_sums(lanes, g->lambda[k], true);
            vec next = step < HALLEY_STEPS ? halley_next(lanes, &sum, stretched_sum(&sum, lanes->s), g->lambda[k])
                                           : newton_next(lanes, &sum, g->lambda[k]);
            g->unsure[k] = not_solved(sum.p);
            active[k] &= farther(sum.p, (real)SOLVED) & (close_steps[k] < CLOSE_STEPS);
            close_steps[k] -= ~farther(sum.p, (real)CLOSE_ENOUGH); /* a true comparison is -1 */
            g->lambda[k] = vec_select(active[k], next, g->lambda[k]);
            more = more || vec_any(active[k]);
        }
    }
}

/* The largest activation of each row; lambda too, but for t2 = 1. */
HOT void solve_probability_group(struct probability_group *g)
{
    const struct softmax_shape shape = {.classes = g->classes, .t2 = g->map->t2};
    const struct start start = start_of(&shape);
    for (size_t k = 0; k < g->vectors; k++) {
        struct activation_summary summary = summarise_lanes(g->a + k * LANES, g->classes, PROBABILITY_ROWS);
        g->lanes[k] = (struct lanes){.a = g->a + k * LANES,
                                     .out = g->p + k * LANES,
                                     .classes = g->classes,
                                     .stride = PROBABILITY_ROWS,
                                     .s = g->map->t2 - 1,
                                     .max = summary.max,
                                     .power = start.power,
                                     .power_floor = start.power_floor};
        g->lambda[k] = first_guess(&summary, start);
        g->unsure[k] = ivec_all(0);
    }
    if (g->map->t2 > 1) {
        approach_lambda(g, false);
        finish_lambda_hot(g);
    } else if (g->map->t2 < 1) {
        if (start.power == 0) /* else full precision is as fast */
            approach_lambda(g, true);
        finish_lambda_sparse(g);
    }
}

/* ---- Order and floor -------------------------------------------------------------------------- */

/* y_c for t2 >= 1: log p of a class less that of the most probable one, log1p(s b / (1 + s lambda)) / -s, without
 * cancellation. */
HOT vec relative_log_p(const struct lanes *lanes, size_t c, vec per_u)
{
    vec gap = lanes->max - vec_load(lanes->a + c * lanes->stride);
    if (lanes->s == 0)
        return -gap;
    vec z = vec_min(gap * lanes->s * per_u, vec_all(LARGEST_GAP));
    return vec_log1p(z) * (-1 / lanes->s);
}

/* y_c for t2 < 1, where 1 + z is 0 at the edge of support: -infinity outside. Rows with a class within `edge` of it are
 * unsure. */
HOT vec sparse_relative_log_p(const struct lanes *lanes, size_t c, vec per_u, vec edge, ivec *unsure)
{
    vec gap = lanes->max - vec_load(lanes->a + c * lanes->stride), z = gap * lanes->s * per_u;
    vec u = vec_max(1 + z, vec_all(1e-30)), y = vec_log1p_with(z, u, vec_reciprocal(u)) * (-1 / lanes->s);
    *unsure |= vec_abs(1 + z) < edge;
    return vec_select(z > -1, y, vec_all(-__builtin_inf()));
}

/* The distance of 1 + z from 0 up to which rows are unsure, times 1 + s lambda. The error of 1 + z is some units in
 * the last place of 1, and that of order y_c is this times power / (1 + z), where e_c = (1 + z)^power. For powers of 1
 * and more the error of e_c itself is as small as that of 1 + z; but the matrix has order y_c. */
static double edge_of_support(const struct probability_map *map, bool matrix)
{
    const double power = map->order / (1 - map->t2);
    return matrix || power < 1 ? 2e-4 * power : 0;
}

/* e_c, and order y_c for the matrix; returns the sum of e_c. */
HOT vec escort_terms(struct probability_group *g, size_t k, bool sparse, bool matrix)
{
    const struct lanes *lanes = &g->lanes[k];
    vec sum = vec_all(0), per_u = lanes->s == 0 ? vec_all(1) : vec_reciprocal(1 + g->lambda[k] * lanes->s);
    const vec edge = sparse ? per_u * edge_of_support(g->map, matrix) : vec_all(0);
    for (size_t c = 0; c < g->classes; c++) {
        vec y = sparse ? sparse_relative_log_p(lanes, c, per_u, edge, &g->unsure[k]) : relative_log_p(lanes, c, per_u);
        vec score = y * g->map->order, e = vec_exp_or_zero(score);
        size_t at = c * PROBABILITY_ROWS + k * LANES;
        if (matrix)
            vec_store(g->u + at, vec_max(score, vec_all(g->map->least_score)));
        vec_store(g->p + at, e);
        sum += e;
    }
    return sum;
}

/* x_c := (1 - floor) x_c / sum + floor / C. */
HOT void with_floor(const struct probability_group *g, size_t k, double *x, vec sum, double floor)
{
    vec share = (1 - floor) / sum, least = vec_all(floor / (double)g->classes);
    for (size_t c = 0; c < g->classes; c++) {
        double *to = x + c * PROBABILITY_ROWS + k * LANES;
        vec_store(to, vec_fma(vec_load(to), share, least));
    }
}

/* ---- The matrix ------------------------------------------------------------------------------- */

/* q = softmax(u + u A + b) with its floor. */
HOT void matrix_probabilities(const struct probability_group *g, size_t k)
{
    const double *matrix = g->map->matrix, *offset = matrix + g->classes * g->classes;
    const double *u = g->u + k * LANES;
    double *q = g->q + k * LANES;
    vec top = vec_all(-__builtin_inf()), sum = vec_all(0);
    for (size_t c = 0; c < g->classes; c++) {
        vec score = vec_load(u + c * PROBABILITY_ROWS) + offset[c];
        for (size_t j = 0; j < g->classes; j++)
            score = vec_fma(vec_load(u + j * PROBABILITY_ROWS), vec_all(matrix[j * g->classes + c]), score);
        vec_store(q + c * PROBABILITY_ROWS, score);
        top = vec_max(top, score);
    }
    for (size_t c = 0; c < g->classes; c++) {
        vec e = vec_exp_or_zero(vec_load(q + c * PROBABILITY_ROWS) - top);
        vec_store(q + c * PROBABILITY_ROWS, e);
        sum += e;
    }
    with_floor(g, k, g->q, sum, g->map->matrix_floor);
}

/* p and q of the predicted class of each row: the first of those with the largest activation. */
HOT void of_predicted(const struct probability_group *g, size_t k, vec *p, vec *q)
{
    const struct lanes *lanes = &g->lanes[k];
    for (size_t c = g->classes; c-- > 0;) {
        size_t at = c * PROBABILITY_ROWS + k * LANES;
        ivec is = vec_load(lanes->a + c * lanes->stride) == lanes->max;
        *p = vec_select(is, vec_load(g->p + at), *p);
        *q = vec_select(is, vec_load(g->q + at), *q);
    }
}

/* Mixes q into p in the largest share that keeps the predicted class the most probable one, as matrix_refine does. */
HOT void mix_matrix(const struct probability_group *g, size_t k)
{
    vec share = vec_all(1), own_p = vec_all(0), own_q = vec_all(0);
    of_predicted(g, k, &own_p, &own_q);
    for (size_t c = 0; c < g->classes; c++) {
        size_t at = c * PROBABILITY_ROWS + k * LANES;
        vec lead = own_p - vec_load(g->p + at), ahead = vec_load(g->q + at) - own_q;
        share = vec_select(ahead > 0, vec_min(lead / (lead + ahead), share), share);
    }
    share *= g->map->share_kept;
    for (size_t c = 0; c < g->classes; c++) {
        size_t at = c * PROBABILITY_ROWS + k * LANES;
        vec p = vec_load(g->p + at);
        vec_store(g->p + at, vec_fma(share, vec_load(g->q + at) - p, p));
    }
}

/* ---- All -------------------------------------------------------------------------------------- */

HOT void group_probabilities(struct probability_group *g, bool matrix)
{
    solve_probability_group(g);
    if (g->map->t2 < 1)
        for (size_t k = 0; k < g->vectors; k++)
            with_floor(g, k, g->p, escort_terms(g, k, true, matrix), g->map->floor);
    else
        for (size_t k = 0; k < g->vectors; k++)
            with_floor(g, k, g->p, escort_terms(g, k, false, matrix), g->map->floor);
    for (size_t k = 0; matrix && k < g->vectors; k++) {
        matrix_probabilities(g, k);
        mix_matrix(g, k);
    }
}

/* ---- From the workspace to the rows of the caller ---------------------------------------------- */

#if defined(__AVX2__)
/* Four classes of four rows: rows of floats. */
HOT void store_four_f32(const double *p, float *out, size_t classes)
{
    __m128 a = _mm256_cvtpd_ps(_mm256_loadu_pd(p)), b = _mm256_cvtpd_ps(_mm256_loadu_pd(p + PROBABILITY_ROWS));
    __m128 c = _mm256_cvtpd_ps(_mm256_loadu_pd(p + 2 * PROBABILITY_ROWS));
    __m128 d = _mm256_cvtpd_ps(_mm256_loadu_pd(p + 3 * PROBABILITY_ROWS));
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(out, a);
    _mm_storeu_ps(out + classes, b);
    _mm_storeu_ps(out + 2 * classes, c);
    _mm_storeu_ps(out + 3 * classes, d);
}

/* The same of doubles. */
HOT void store_four(const double *p, double *out, size_t classes)
{
    const __m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + PROBABILITY_ROWS);
    const __m256d c = _mm256_loadu_pd(p + 2 * PROBABILITY_ROWS), d = _mm256_loadu_pd(p + 3 * PROBABILITY_ROWS);
    const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
    const __m256d ab_high = _mm256_unpackhi_pd(a, b), cd_high = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(out, _mm256_permute2f128_pd(ab, cd, 0x20));
    _mm256_storeu_pd(out + classes, _mm256_permute2f128_pd(ab_high, cd_high, 0x20));
    _mm256_storeu_pd(out + 2 * classes, _mm256_permute2f128_pd(ab, cd, 0x31));
    _mm256_storeu_pd(out + 3 * classes, _mm256_permute2f128_pd(ab_high, cd_high, 0x31));
}
#endif

/* All classes of some rows, four rows at a time; returns how many rows were stored. The last four classes overlap with
 * those before, where their number is no multiple of four. */
HOT size_t store_fours(const struct probability_rows *rows, const struct probability_group *g, size_t from,
                       size_t count)
{
    size_t i = 0;
#if defined(__AVX2__)
    const size_t classes = g->classes;
    for (; classes >= 4 && i + 4 <= count; i += 4)
        for (size_t c = 0, next; c < classes; c = next) {
            const size_t at = (from + i) * classes + c;
            if (rows->out)
                store_four(g->p + c * PROBABILITY_ROWS + i, rows->out + at, classes);
            else
                store_four_f32(g->p + c * PROBABILITY_ROWS + i, rows->out_f32 + at, classes);
            next = c + 4 == classes ? classes : c + 8 <= classes ? c + 4 : classes - 4;
        }
#else
    (void)rows, (void)g, (void)from, (void)count;
#endif
    return i;
}

HOT void store_probabilities(const struct probability_rows *rows, const struct probability_group *g, size_t from,
                             size_t count)
{
    for (size_t i = store_fours(rows, g, from, count); i < count; i++)
        for (size_t c = 0; c < g->classes; c++) {
            const double p = g->p[c * PROBABILITY_ROWS + i];
            if (rows->out)
                rows->out[(from + i) * g->classes + c] = p;
            else
                rows->out_f32[(from + i) * g->classes + c] = (float)p;
        }
}

/* Which of so many rows are unsure. */
HOT void store_unsure(const struct probability_group *g, size_t count, bool *unsure)
{
    for (size_t i = 0; i < count; i++)
        unsure[i] = g->unsure[i / LANES][i % LANES] != 0;
}

/* Scores to activations: the one score of two classes stands for -a/2 and a/2. */
HOT void load_scores(const struct probability_rows *rows, const struct probability_group *g, size_t from)
{
    for (size_t k = 0; k < g->vectors; k++) {
        const double *score = rows->score + from + k * LANES;
        double *a = g->a + k * LANES;
        if (g->classes == 2) {
            vec_store(a, vec_load(score) * -0.5);
            vec_store(a + PROBABILITY_ROWS, vec_load(score) * 0.5);
            continue;
        }
        for (size_t c = 0; c < g->classes; c++)
            vec_store(a + c * PROBABILITY_ROWS, vec_load(score + c * rows->stride));
    }
}

/* ---- Softmax ---------------------------------------------------------------------------------- */

/* t2 = 1 and no matrix, more than two classes, straight from the scores of `vectors` vectors of rows: what the general
 * case computes besides takes as long as the exponentials. The same bits as there. */
HOT void softmax_probabilities(const struct probability_rows *rows, size_t from, double *p, const size_t vectors)
{
    const size_t classes = rows->map->classes, stride = rows->stride;
    const double *score = rows->score + from;
    const vec least = vec_all(rows->map->floor / (double)classes);
    vec top[PROBABILITY_VECTORS], sum[PROBABILITY_VECTORS];
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        top[k] = vec_load(score + k * LANES);
        sum[k] = vec_all(0);
    }
    for (size_t c = 1; c < classes; c++)
        UNROLL for (size_t k = 0; k < vectors; k++) top[k] = vec_max(top[k], vec_load(score + c * stride + k * LANES));
    for (size_t c = 0; c < classes; c++)
        UNROLL for (size_t k = 0; k < vectors; k++)
        {
            const vec gap = top[k] - vec_load(score + c * stride + k * LANES);
            const vec e = vec_exp_or_zero(-gap * rows->map->order);
            vec_store(p + c * PROBABILITY_ROWS + k * LANES, e);
            sum[k] += e;
        }
    UNROLL for (size_t k = 0; k < vectors; k++) sum[k] = (1 - rows->map->floor) / sum[k];
    for (size_t c = 0; c < classes; c++)
        UNROLL for (size_t k = 0; k < vectors; k++)
        {
            double *to = p + c * PROBABILITY_ROWS + k * LANES;
            vec_store(to, vec_fma(vec_load(to), sum[k], least));
        }
}

/* All rows, SOFTMAX_VECTORS vectors of them at a time, and at last one by one: the same bits. */
HOT void softmax_of(const struct probability_rows *rows)
{
    enum { SOFTMAX_VECTORS = PROBABILITY_VECTORS < 4 ? PROBABILITY_VECTORS : 4, AT_A_TIME = SOFTMAX_VECTORS * LANES };
    struct probability_group g;
    g.classes = rows->map->classes;
    g.p = rows->space;
    size_t from = 0;
    for (; from + AT_A_TIME <= rows->rows; from += AT_A_TIME) {
        softmax_probabilities(rows, from, g.p, SOFTMAX_VECTORS);
        store_probabilities(rows, &g, from, AT_A_TIME);
    }
    for (; from < rows->rows; from += LANES) {
        const size_t left = rows->rows - from;
        softmax_probabilities(rows, from, g.p, 1);
        store_probabilities(rows, &g, from, left < LANES ? left : LANES);
    }
}

HOT void probabilities_of(const struct probability_rows *rows, const size_t classes, const bool matrix)
{
    const size_t array = PROBABILITY_ROWS * classes;
    for (size_t from = 0; from < rows->rows; from += PROBABILITY_ROWS) {
        size_t left = rows->rows - from, count = left < PROBABILITY_ROWS ? left : PROBABILITY_ROWS;
        struct probability_group g; /* not as a whole set to 0, which takes as long as some exponentials */
        g.map = rows->map;
        g.classes = classes;
        g.vectors = (count + LANES - 1) / LANES;
        g.a = rows->space;
        g.p = rows->space + array;
        g.u = matrix ? rows->space + 2 * array : NULL;
        g.q = matrix ? rows->space + 3 * array : NULL;
        load_scores(rows, &g, from);
        group_probabilities(&g, matrix);
        store_probabilities(rows, &g, from, count);
        if (rows->map->t2 != 1)
            store_unsure(&g, count, rows->unsure + from);
    }
}

/* Two classes are a case of their own: loops over a constant number of classes are unrolled. */
HOT void probabilities_run(const struct probability_rows *rows)
{
    const size_t classes = rows->map->classes;
    if (classes == 2 && rows->map->matrix)
        probabilities_of(rows, 2, true);
    else if (classes == 2)
        probabilities_of(rows, 2, false);
    else if (rows->map->t2 == 1 && !rows->map->matrix)
        softmax_of(rows);
    else
        probabilities_of(rows, classes, rows->map->matrix != NULL);
}
