/* probability: scores to probabilities on vectors of rows, with the steps for lambda of softmax.inc.h.
 *
 * PROBABILITY_ROWS rows are computed together, step by step: each step is a long chain of dependent operations, and the
 * chains of several vectors overlap. All arrays of the workspace are [class * PROBABILITY_ROWS + row]. */
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
};

/* ---- lambda ----------------------------------------------------------------------------------- */

/* Steps in low precision until few in full precision remain. */
HOT void approach_lambda(struct probability_group *g)
{
    enum { ROUGH_STEPS = 12 };
    ivec active[PROBABILITY_VECTORS];
    bool more = true;
    for (size_t k = 0; k < g->vectors; k++)
        active[k] = ivec_all(-1);
    for (int step = 0; step < ROUGH_STEPS && more; step++) {
        more = false;
        for (size_t k = 0; k < g->vectors; k++) {
            struct class_sums sum = rough_sums(&g->lanes[k], g->lambda[k], false);
            vec next = halley_next(&g->lanes[k], &sum, rough_stretched_sum(&sum, g->lanes[k].s), g->lambda[k]);
            g->lambda[k] = vec_select(active[k], next, g->lambda[k]);
            active[k] &= farther(sum.p, (real)ROUGH_ENOUGH);
            more = more || vec_any(active[k]);
        }
    }
}

/* Steps in full precision; the last is the correction of third order. */
HOT void finish_lambda(struct probability_group *g)
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
            active[k] &= far;
            more = more || vec_any(active[k]);
        }
    }
}

/* The largest activation of each row; for t2 > 1 lambda too. */
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
                                     .max = summary.max};
        g->lambda[k] = first_guess(&summary, start);
    }
    if (g->map->t2 == 1)
        return;
    approach_lambda(g);
    finish_lambda(g);
}

/* ---- Order and floor -------------------------------------------------------------------------- */

/* y_c: log p of a class less that of the most probable one, log1p(s b / (1 + s lambda)) / -s, without cancellation. */
HOT vec relative_log_p(const struct lanes *lanes, size_t c, vec per_u)
{
    vec gap = lanes->max - vec_load(lanes->a + c * lanes->stride);
    if (lanes->s == 0)
        return -gap;
    vec z = vec_min(gap * lanes->s * per_u, vec_all(LARGEST_GAP));
    return vec_log1p(z) * (-1 / lanes->s);
}

/* e_c, and order y_c for the matrix; returns the sum of e_c. */
HOT vec escort_terms(const struct probability_group *g, size_t k, bool matrix)
{
    const struct lanes *lanes = &g->lanes[k];
    vec sum = vec_all(0), per_u = lanes->s == 0 ? vec_all(1) : vec_reciprocal(1 + g->lambda[k] * lanes->s);
    for (size_t c = 0; c < g->classes; c++) {
        vec score = relative_log_p(lanes, c, per_u) * g->map->order, e = vec_exp(score);
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
        vec e = vec_exp(vec_load(q + c * PROBABILITY_ROWS) - top);
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
    for (size_t k = 0; k < g->vectors; k++)
        with_floor(g, k, g->p, escort_terms(g, k, matrix), g->map->floor);
    for (size_t k = 0; matrix && k < g->vectors; k++) {
        matrix_probabilities(g, k);
        mix_matrix(g, k);
    }
}

/* From the workspace to the rows of the caller. */
HOT void store_probabilities(const struct probability_rows *rows, const struct probability_group *g, size_t from,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < g->classes; c++)
            rows->out[(from + i) * g->classes + c] = g->p[c * PROBABILITY_ROWS + i];
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

HOT void probabilities_of(const struct probability_rows *rows, const size_t classes, const bool matrix)
{
    const size_t array = PROBABILITY_ROWS * classes;
    for (size_t from = 0; from < rows->rows; from += PROBABILITY_ROWS) {
        size_t left = rows->rows - from, count = left < PROBABILITY_ROWS ? left : PROBABILITY_ROWS;
        struct probability_group g = {.map = rows->map,
                                      .classes = classes,
                                      .vectors = (count + LANES - 1) / LANES,
                                      .a = rows->space,
                                      .p = rows->space + array,
                                      .u = matrix ? rows->space + 2 * array : NULL,
                                      .q = matrix ? rows->space + 3 * array : NULL};
        load_scores(rows, &g, from);
        group_probabilities(&g, matrix);
        store_probabilities(rows, &g, from, count);
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
    else
        probabilities_of(rows, classes, rows->map->matrix != NULL);
}
