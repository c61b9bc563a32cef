/* dual_descent: coordinate ascent on the dual (Hsieh et al. 2008; Yu, Huang and Lin 2011; Shalev-Shwartz and Zhang
 * 2013, who bound the epochs).
 *
 * The objective divided by the penalty is |w|^2 / 2 + sum_i C_i log(1 + exp(-m_i)), with m_i = y_i (w.x_i + b), y_i =
 * +-1 and C_i = s_i / (l2 sum s). With w = sum_i C_i p_i y_i x_i its dual is
 *
 *     D(p) = -|w|^2 / 2 + sum_i C_i H(p_i),   0 < p_i < 1,   sum_i C_i p_i y_i = 0,
 *
 * H the entropy. Each row in its turn gets the p_i that maximises D, with b for the multiplier of the constraint; by
 * the logit u of p that is the root of an increasing function with a slope of at least 1, for which Newton's method
 * needs a few steps. b follows the constraint. At the end p is made to meet it, so that D bounds the objective from
 * below. */
#include "objective/sparse/dual_descent.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/dist/gather_labels.h"
#include "data/memory/page_window.h"
#include "data/memory/prefetch_row.h"
#include "data/random_streams.h"
#include "objective/objective_internal.h"

/* More are beyond the second-level cache, where rows in a random order cost more than the passes that they save. */
static const uint64_t MOST_ENTRIES = (uint64_t)1 << 20;
/* Measured (docs/decisions/0021): the curvature of a row's loss, relative to the penalty, in the mean over rows, up to
 * which some epochs suffice; Shalev-Shwartz and Zhang bound the epochs by one more than it, times a logarithm. */
static const double MOST_CURVATURE = 25;
/* Dense rows: up to which share of the gap may be left by an epoch, as estimated (docs/decisions/0037). */
static const double MOST_RATE = 0.4;
enum { MAX_EPOCHS = 12, NEWTON_STEPS = 8, BIAS_STEPS = 32, SAMPLE_ROWS = 256 };
/* The expected gap at the end, as a share of the one that is asked for. */
static const double MARGIN = 0.3;
/* Steps of b, as shares of the whole one, if only the rows responded to it. They respond an epoch later, so that the
 * steps of an epoch must not add up to more than pi^2 / 2, or b would oscillate. */
static const double BIAS_STEP = 0.125, BIAS_STEP_DENSE = 0.04;
/* The error that Newton's method may leave, relative to the way so far. That of its last step is at most half the
 * largest second derivative of the probability (0.0963) times the stiffness and the square of the step. */
static const double SMALL_ERROR = 0.01, STEP_ERROR = 0.0482;
/* H(p) >= ENTROPY p (1 - p). */
static const double ENTROPY = 2.772588722239781;
/* By what share of it p of a row is lowered at most, to meet the constraint; and what that may cost, as a share of the
 * gap that is wanted. */
static const double MOST_LOWERED = 0.25, LOWERED_GAP = 0.05;
/* A product of numbers of at least 1/2 is not multiplied further below this. */
static const double SMALL_PRODUCT = 0x1p-960;

/* All rows, of all processes. */
struct dual_rows {
    struct matrix x; /* of a single process borrowed, else the arrays below */
    struct gathered_labels labels;
    uint64_t *start;
    uint32_t *column;
    double *value;
};

/* Of one row, in one cache line or two, since rows are visited in a random order. */
struct dual_point {
    double sign;      /* y: 1 or -1 */
    double cost;      /* C */
    double stiffness; /* C |x|^2 */
    double p, logit;
};

struct dual_state {
    const struct objective *o;
    struct dual_rows rows;
    double *w;                /* and the intercept behind it */
    double *ascent;           /* in the first epoch: sum C y x, by which the gradient at W = 0 is known */
    double *balanced;         /* in the same memory: w at the end, of p that meet the constraint */
    struct dual_point *point; /* of each row */
    uint32_t *order;          /* of the rows; then that of the blocks of rows */
    double *products;         /* dense rows: of each block, those of its rows; else NULL */
    double bias, imbalance;   /* b; sum C p y */
    double response;          /* by how much a unit of b lowers the imbalance, once the rows are visited */
    double curvature;         /* sum C p (1 - p) */
    double gap, gap_before;   /* estimates during the last two epochs */
    size_t epoch;
};

/* ---- Rows of all processes ------------------------------------------------------------------- */

/* w . x in four interleaved sums. A loop for the arrays of the library itself, and one for others, of the same bits; so
 * in the functions below. */
static double row_dot(const struct row *row, const double *w)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0; /* an array would not be kept in registers */
    size_t e = 0;
    if (column && value)
        for (; e + 4 <= count; e += 4) {
            sum0 += w[column[e]] * (double)value[e];
            sum1 += w[column[e + 1]] * (double)value[e + 1];
            sum2 += w[column[e + 2]] * (double)value[e + 2];
            sum3 += w[column[e + 3]] * (double)value[e + 3];
        }
    for (; e + 4 <= count; e += 4) {
        sum0 += w[row_column(row, e)] * row_value(row, e);
        sum1 += w[row_column(row, e + 1)] * row_value(row, e + 1);
        sum2 += w[row_column(row, e + 2)] * row_value(row, e + 2);
        sum3 += w[row_column(row, e + 3)] * row_value(row, e + 3);
    }
    for (; e < count; e++)
        sum0 += w[row_column(row, e)] * row_value(row, e);
    return (sum0 + sum1) + (sum2 + sum3);
}

/* w += factor x; entries one after the other, as a column may occur twice */
static void row_add(const struct row *row, double factor, double *w)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    size_t e = 0;
    if (column && value)
        for (; e + 4 <= count; e += 4) {
            w[column[e]] += factor * (double)value[e];
            w[column[e + 1]] += factor * (double)value[e + 1];
            w[column[e + 2]] += factor * (double)value[e + 2];
            w[column[e + 3]] += factor * (double)value[e + 3];
        }
    for (; e < count; e++)
        w[row_column(row, e)] += factor * row_value(row, e);
}

static double squared_norm(const struct row *row)
{
    const float *value = row->value;
    const size_t count = row->count;
    double sum0 = 0, sum1 = 0;
    size_t e = 0;
    if (value)
        for (; e + 2 <= count; e += 2) {
            sum0 += (double)value[e] * (double)value[e];
            sum1 += (double)value[e + 1] * (double)value[e + 1];
        }
    for (; e + 2 <= count; e += 2) {
        sum0 += row_value(row, e) * row_value(row, e);
        sum1 += row_value(row, e + 1) * row_value(row, e + 1);
    }
    return sum0 + sum1 + (e < count ? row_value(row, e) * row_value(row, e) : 0);
}

/* w += factor x and other += constant x, for a single reading of the row. */
static void row_add_both(const struct row *row, double factor, double *restrict w, double constant,
                         double *restrict other)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    size_t e = 0;
    if (column && value)
        for (; e < count; e++) {
            const double x = (double)value[e];
            w[column[e]] += factor * x;
            other[column[e]] += constant * x;
        }
    for (; e < count; e++) {
        w[row_column(row, e)] += factor * row_value(row, e);
        other[row_column(row, e)] += constant * row_value(row, e);
    }
}

static struct row row_at(const struct dual_state *d, size_t i)
{
    page_window_row(&d->rows.x, i);
    return matrix_row(&d->rows.x, i);
}

/* ---- One row --------------------------------------------------------------------------------- */

/* fmin and fmax are calls, for the sake of NaN. */
static inline double least_of(double a, double b)
{
    return a < b ? a : b;
}

static inline double most_of(double a, double b)
{
    return a > b ? a : b;
}

static double probability_of(double logit)
{
    return 1 / (1 + exp(-logit));
}

/* Where Newton's method begins: at u, whose probability is p; the root is between `low` and `high`. */
struct logit_start {
    double u, p, low, high;
};

/* From the logit of p, where f below is m + u, to -m, where f is K (p(-m) - p). */
static struct logit_start start_at(const struct dual_point *point, double margin)
{
    return (struct logit_start){point->logit, point->p, least_of(point->logit, -margin),
                                most_of(point->logit, -margin)};
}

/* Before the first visit p is 0, so that the root is at most K below -m. A straight line for the probability is close,
 * as most margins are small then. */
static struct logit_start first_start(double stiffness, double margin)
{
    const double low = -margin - stiffness, line = -(margin + 0.5 * stiffness) / (1 + 0.25 * stiffness);
    const double u = least_of(most_of(line, low), -margin);
    return (struct logit_start){u, probability_of(u), low, -margin};
}

/* The root of f(u) = K (p(u) - p) + m + u with K = C |x|^2, p the probability of the row so far and m its margin, by
 * Newton's method within a bracket. `before` is the logit that the way is measured from. */
static double solve_row(const struct dual_point *point, double margin, struct logit_start start, double before)
{
    const double stiffness = point->stiffness;
    double u = start.u, now = start.p, low = start.low, high = start.high;
    for (size_t k = 0; k < NEWTON_STEPS; k++) {
        const double off = stiffness * (now - point->p) + margin + u;
        double next = u - off / (1 + stiffness * now * (1 - now));
        if (off > 0)
            high = u;
        else
            low = u;
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        const double step = fabs(next - u);
        u = next;
        if (STEP_ERROR * stiffness * step * step <= SMALL_ERROR * fabs(u - before))
            break;
        now = probability_of(u);
    }
    return u;
}

/* ---- A pair of rows -------------------------------------------------------------------------- */

/* Rows are visited in pairs: both are solved for the weights before the pair, so that the processor overlaps what would
 * otherwise wait for each other. D does not decrease: alone, the steps of the two add at least s^2 / 2 and t^2 / 2 to
 * it, s and t the lengths of their changes of w, and the product of the changes, which is left out, is at most s t. For
 * more than two rows that would not hold. */
enum { TOGETHER = 2 };

/* A row that is being visited. */
struct dual_visit {
    struct dual_point *point;
    struct row row;
    double margin, logit, p; /* before; and the new ones */
};

/* Reads a row: its margin and, in the first epoch, its norm. */
static void read_row(const struct dual_state *d, size_t i, struct dual_visit *visit)
{
    struct dual_point *point = visit->point = &d->point[i];
    visit->row = row_at(d, i);
    visit->margin = point->sign * (row_dot(&visit->row, d->w) + d->bias);
    if (d->epoch == 0) /* the row is in the cache now: no pass of its own */
        point->stiffness = point->cost * squared_norm(&visit->row);
}

static void solve_visit(const struct dual_state *d, struct dual_visit *visit)
{
    const struct dual_point *point = visit->point;
    const bool first = d->epoch == 0;
    const struct logit_start start =
        first ? first_start(point->stiffness, visit->margin) : start_at(point, visit->margin);
    visit->logit = solve_row(point, visit->margin, start, first ? start.low : point->logit);
    visit->p = probability_of(visit->logit);
}

/* The gap of objective and dual is the sum over rows of C times the Kullback-Leibler divergence between p and the
 * probability by the margin, whose logit is -m; nearly p (1 - p) (u + m)^2 / 2. Returns the change of C p y. */
static double update_point(struct dual_state *d, const struct dual_visit *visit)
{
    struct dual_point *point = visit->point;
    const double c = point->cost, stiffness = point->stiffness, off = point->logit + visit->margin;
    const double was = point->p * (1 - point->p), now = visit->p * (1 - visit->p);
    const double change = c * point->sign * (visit->p - point->p);
    d->gap += 0.5 * c * was * off * off;
    point->logit = visit->logit;
    point->p = visit->p;
    d->imbalance += change;
    d->curvature += c * (now - was);
    d->response += c * (now / (1 + stiffness * now) - was / (1 + stiffness * was));
    return change;
}

static void apply_visit(struct dual_state *d, const struct dual_visit *visit)
{
    const double change = update_point(d, visit);
    if (d->epoch == 0)
        row_add_both(&visit->row, change, d->w, visit->point->cost * visit->point->sign, d->ascent);
    else
        row_add(&visit->row, change, d->w);
}

/* A row that will be visited soon. */
static void prefetch_visit(const struct dual_state *d, size_t i)
{
    __builtin_prefetch(&d->point[i], 1);
    prefetch_row(&d->rows.x, i);
}

/* Rows without weight are not visited. */
static void visit_pair(struct dual_state *d, const uint32_t *rows, size_t count)
{
    struct dual_visit visit[TOGETHER];
    size_t visits = 0;
    for (size_t k = 0; k < count; k++)
        if (d->point[rows[k]].cost > 0)
            read_row(d, rows[k], &visit[visits++]);
    for (size_t k = 0; k < visits; k++)
        solve_visit(d, &visit[k]);
    for (size_t k = 0; k < visits; k++)
        apply_visit(d, &visit[k]);
}

/* ---- A block of dense rows ------------------------------------------------------------------- */

/* Some consecutive rows are visited one after the other by their products with each other, so that the weights are read
 * and written once for all of them. In doubles, but for the products of floats, which are those of steps within a
 * block.
 */
enum { DENSE_ROWS = 8, DENSE_PRODUCTS = DENSE_ROWS * DENSE_ROWS };

struct dense_block {
    const struct matrix *x;
    const struct kernel *kernel;
    size_t first, count; /* rows */
};

static struct rows_f32 floats_of(const struct dense_block *block)
{
    const size_t columns = (size_t)block->x->columns;
    return (struct rows_f32){(const float *)block->x->dense + block->first * columns, block->count, columns};
}

static struct rows_f64 doubles_of(const struct dense_block *block)
{
    const size_t columns = (size_t)block->x->columns;
    return (struct rows_f64){(const double *)block->x->dense + block->first * columns, block->count, columns};
}

static void dense_times(const struct dense_block *block, const double *w, double *out)
{
    const struct linear_f64 *linear = block->kernel->linear_f64;
    if (block->x->kind == MATRIX_F32)
        linear->times_f32(floats_of(block), (struct linear_hints){.cached = true}, w, out);
    else
        linear->times_cached(doubles_of(block), w, out);
}

static void dense_back(const struct dense_block *block, const double *r, double *w)
{
    const struct linear_f64 *linear = block->kernel->linear_f64;
    if (block->x->kind == MATRIX_F32)
        linear->back_f32(floats_of(block), (struct linear_hints){.cached = true}, r, w);
    else
        linear->back_cached(doubles_of(block), r, w);
}

static void dense_products(const struct dense_block *block, double *products)
{
    for (size_t i = 0; i < block->count; i++) {
        const struct dense_block upto = {block->x, block->kernel, block->first, i + 1};
        double *line = products + i * DENSE_ROWS;
        if (block->x->kind == MATRIX_F32) {
            const struct rows_f32 rows = floats_of(&upto);
            float out[DENSE_ROWS];
            block->kernel->linear_f32->times_cached(rows, rows.x + i * rows.columns, out);
            for (size_t k = 0; k <= i; k++)
                line[k] = (double)out[k];
        } else {
            const struct rows_f64 rows = doubles_of(&upto);
            block->kernel->linear_f64->times_cached(rows, rows.x + i * rows.columns, line);
        }
    }
}

static void visit_block(struct dual_state *d, const struct dense_block *block, double *products)
{
    double score[DENSE_ROWS], change[DENSE_ROWS] = {0}, constant[DENSE_ROWS];
    dense_times(block, d->w, score);
    if (d->epoch == 0)
        dense_products(block, products);
    for (size_t i = 0; i < block->count; i++) {
        const double *line = products + i * DENSE_ROWS;
        struct dual_point *point = &d->point[block->first + i];
        constant[i] = point->cost * point->sign;
        if (!(point->cost > 0))
            continue;
        for (size_t k = 0; k < i; k++)
            score[i] += change[k] * line[k];
        struct dual_visit visit = {.point = point, .margin = point->sign * (score[i] + d->bias)};
        point->stiffness = point->cost * line[i];
        solve_visit(d, &visit);
        change[i] = update_point(d, &visit);
    }
    dense_back(block, change, d->w);
    if (d->epoch == 0)
        dense_back(block, constant, d->ascent);
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

/* Where the entries are not in the second-level cache, rows are drawn in blocks, of which all but the first row are
 * read as the hardware expects. */
static size_t rows_of_block(const struct matrix *x)
{
    enum { BLOCK_ROWS = 8, CACHED_ENTRIES = 1 << 17, LEAST_ROWS = 2048 };
    return x->nonzeros > CACHED_ENTRIES && x->rows >= LEAST_ROWS ? BLOCK_ROWS : 1;
}

/* A random order of 0..count-1 that is a function of the epoch: a shuffle by SplitMix64 (Steele, Lea, Flood 2014),
 * whose numbers take a fifth of the time of random_permutation. The bias of a product instead of a remainder is 2^-32.
 */
static void draw_order(size_t epoch, uint32_t *order, size_t count)
{
    uint64_t state = random_bits((struct random){epoch, STREAM_DUAL_ORDER}, 0);
    for (size_t i = 0; i < count; i++) { /* inside-out Fisher-Yates shuffle */
        uint64_t bits = state += UINT64_C(0x9E3779B97F4A7C15);
        bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
        const size_t j = (size_t)(((bits >> 32) * (uint64_t)(i + 1)) >> 32);
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}

/* The order of the rows in this epoch. */
static void order_rows(struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows, each = rows_of_block(&d->rows.x), blocks = (rows + each - 1) / each;
    uint32_t *block = d->order + rows, *next = d->order;
    draw_order(d->epoch, block, blocks);
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = block[b] * each; i < (block[b] + 1) * each && i < rows; i++)
            *next++ = (uint32_t)i;
}

static void move_bias(struct dual_state *d)
{
    if (d->o->spec.intercept && d->response > 0)
        d->bias += (d->products ? BIAS_STEP_DENSE : BIAS_STEP) * d->imbalance / d->response;
}

static void visit_blocks(struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows, often = rows / BIAS_STEPS + 1;
    const size_t blocks = (rows + DENSE_ROWS - 1) / DENSE_ROWS;
    draw_order(d->epoch, d->order, blocks);
    for (size_t b = 0, done = 0; b < blocks; b++) {
        const size_t first = d->order[b] * DENSE_ROWS, left = rows - first;
        const struct dense_block block = {&d->rows.x, d->o->kernel, first, left < DENSE_ROWS ? left : DENSE_ROWS};
        visit_block(d, &block, d->products + d->order[b] * DENSE_PRODUCTS);
        if ((done + block.count) / often > done / often)
            move_bias(d);
        done += block.count;
    }
}

static void visit_pairs(struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows, often = rows / BIAS_STEPS + 1;
    order_rows(d);
    for (size_t k = 0; k < rows; k += TOGETHER) {
        const size_t end = k + TOGETHER < rows ? k + TOGETHER : rows;
        for (size_t next = end; next < end + TOGETHER && next < rows; next++)
            prefetch_visit(d, d->order[next]);
        visit_pair(d, d->order + k, end - k);
        if (end / often > k / often)
            move_bias(d);
    }
}

static void run_epoch(struct dual_state *d)
{
    d->gap_before = d->gap;
    d->gap = 0;
    if (d->products)
        visit_blocks(d);
    else
        visit_pairs(d);
    d->epoch++;
}

/* What the gap is divided by in an epoch, by the last two. */
static double rate_of(const struct dual_state *d)
{
    return d->epoch > 2 ? fmin(d->gap / d->gap_before, 1) : 1;
}

/* H(p) = min(p, 1 - p) |u| - log max(p, 1 - p) with u the logit of p. Logarithms of products, as long as the cost stays
 * the same, instead of sums of logarithms. */
static double dual_value(const struct dual_state *d, const double *w)
{
    double sum = 0, product = 1, cost = 0;
    for (size_t i = 0; i < d->rows.x.rows; i++) {
        const struct dual_point *point = &d->point[i];
        const double p = point->p, smaller = least_of(p, 1 - p);
        if (point->cost != cost || product < SMALL_PRODUCT) {
            sum -= cost * log(product);
            cost = point->cost;
            product = 1;
        }
        product *= most_of(p, 1 - p);
        if (smaller > 0)
            sum += cost * smaller * fabs(point->logit);
    }
    return sum - cost * log(product) - l2_penalty(w, d->o->columns, 1);
}

/* The gap that is small enough. At the optimum the objective equals D, of which this takes a lower bound. Stiff rows,
 * as long dense ones are, have p near 0 or 1, where the bound of the entropy would be too low. */
static double wanted_gap(const struct dual_state *d, double share)
{
    if (d->products)
        return MARGIN * share * dual_value(d, d->w);
    return MARGIN * share * (ENTROPY * d->curvature - l2_penalty(d->w, d->o->columns, 1));
}

/* Whether another epoch is worth while. The estimate of the gap is of points within the epoch; its end is as much
 * better as the epoch was than the one before it. Where MAX_EPOCHS at that rate do not suffice, other solvers are
 * faster. */
static bool continues(const struct dual_state *d, double share)
{
    const double wanted = wanted_gap(d, share), rate = rate_of(d);
    if (d->epoch < 2)
        return true;
    if (d->epoch == MAX_EPOCHS || d->gap * rate <= wanted)
        return false;
    return d->epoch == 2 || d->gap * pow(rate, (double)(MAX_EPOCHS - d->epoch)) <= wanted;
}

/* ---- The bound ------------------------------------------------------------------------------- */

/* The norm of the gradient at W = 0, where every p is 1/2: minus half of sum C y x, times the penalty. */
static double zero_gradient_norm(const struct dual_state *d)
{
    double squares = 2 * l2_penalty(d->ascent, d->o->columns, 1), intercept = 0;
    for (size_t i = 0; d->o->spec.intercept && i < d->rows.x.rows; i++)
        intercept += d->point[i].cost * d->point[i].sign;
    return 0.5 * d->o->spec.l2 * sqrt(squares + intercept * intercept);
}

/* The sum of C p over those of a class among every `step`-th row. */
static double class_sum(const struct dual_state *d, double sign, size_t step)
{
    double sum = 0;
    for (size_t i = 0; i < d->rows.x.rows; i += step)
        sum += d->point[i].cost * d->point[i].p * (1 + sign * d->point[i].sign); /* times 2 or 0: no branches */
    return 0.5 * sum;
}

/* Of how many rows one is lowered, if it is of the class with too much. All p lowered by the same share
 * would cost the least; the cost is about that share times the imbalance, and grows with the step as the share does. */
static size_t lowered_step(const struct dual_state *d, double sign, double gap)
{
    const double sum = class_sum(d, sign, 1), off = fabs(d->imbalance);
    const double most = fmin(MOST_LOWERED, LOWERED_GAP * gap / off) * sum / off;
    const size_t step = most > 1 ? (size_t)fmin(most, (double)d->rows.x.rows) : 1;
    return class_sum(d, sign, step) * MOST_LOWERED > off ? step : 1;
}

static void add_row(const struct dual_state *d, size_t i, double factor, double *w)
{
    const struct dense_block block = {&d->rows.x, d->o->kernel, i, 1};
    const struct row row = row_at(d, i);
    if (d->products)
        dense_back(&block, &factor, w);
    else
        row_add(&row, factor, w);
}

/* Makes sum C p y = 0 by smaller p of some rows of the class that has too much. Their w is kept apart: it would need
 * another b. */
static void balance(struct dual_state *d, double gap)
{
    const double excess = d->imbalance > 0 ? 1 : -1;
    if (d->imbalance == 0)
        return;
    const size_t step = lowered_step(d, excess, gap);
    const double sum = class_sum(d, excess, step), share = sum > 0 ? fmin(fabs(d->imbalance) / sum, 1) : 0;
    for (size_t i = 0; share > 0 && i < d->rows.x.rows; i += step) {
        struct dual_point *point = &d->point[i];
        if (point->sign != excess || !(point->p > 0))
            continue;
        add_row(d, i, -share * excess * point->cost * point->p, d->balanced);
        point->p *= 1 - share;
        point->logit = log(point->p) - log1p(-point->p);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void dual_free(struct dual_state *d)
{
    gathered_labels_free(&d->rows.labels);
    mem_free(d->rows.start);
    mem_free(d->rows.column);
    mem_free(d->rows.value);
    mem_free(d->point);
    mem_free(d->order);
    mem_free(d->ascent);
    mem_free(d->products);
}

/* The own rows in the form that is gathered. */
struct packed_rows {
    uint64_t *length;
    uint32_t *column;
    double *value;
    size_t *bytes; /* room for a number for each process */
};

static void pack_rows(const struct matrix *x, const struct packed_rows *own)
{
    for (uint64_t i = 0, entry = 0; i < x->rows; i++) {
        page_window_row(x, i);
        const struct row row = matrix_row(x, i);
        own->length[i] = row.count;
        for (size_t e = 0; e < row.count; e++, entry++) {
            own->column[entry] = row_column(&row, e);
            own->value[entry] = row_value(&row, e);
        }
    }
}

/* The arrays of all processes from those of each. */
static temper_status gather_entries(const struct objective *o, const struct packed_rows *own, struct dual_rows *rows,
                                    temper_error *error)
{
    const temper_comm *comm = o->spec.data->ranks.comm;
    const size_t entries = (size_t)o->x->nonzeros, ranks = comm_size(comm);
    pack_rows(o->x, own);
    TRY(gather_labels(&rows->labels, own->length, sizeof *own->length, rows->start + 1, error));
    rows->start[0] = 0;
    for (size_t i = 0; i < rows->labels.rows; i++)
        rows->start[i + 1] += rows->start[i];
    TRY(comm_gather_each(comm, &entries, sizeof entries, own->bytes, error));
    for (size_t r = 0; r < ranks; r++)
        own->bytes[r] *= sizeof *own->column;
    TRY(comm_gather(comm, own->column, own->bytes, rows->column, error));
    for (size_t r = 0; r < ranks; r++)
        own->bytes[r] *= sizeof *own->value / sizeof *own->column;
    return comm_gather(comm, own->value, own->bytes, rows->value, error);
}

/* MPI: all rows in every process, which computes the same. */
static temper_status gather_rows(const struct objective *o, struct dual_rows *rows, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    const size_t all = (size_t)dataset_all_nonzeros(data), entries = (size_t)o->x->nonzeros;
    const struct packed_rows own = {.length = mem_alloc((size_t)o->x->rows + 1, sizeof *own.length),
                                    .column = mem_alloc(entries + 1, sizeof *own.column),
                                    .value = mem_alloc(entries + 1, sizeof *own.value),
                                    .bytes = mem_alloc(comm_size(data->ranks.comm), sizeof *own.bytes)};
    rows->start = mem_alloc((size_t)dataset_all_rows(data) + 1, sizeof *rows->start);
    rows->column = mem_alloc(all + 1, sizeof *rows->column);
    rows->value = mem_alloc(all + 1, sizeof *rows->value);
    bool enough = own.length && own.column && own.value && own.bytes && rows->start && rows->column && rows->value;
    temper_status status = comm_agree(data->ranks.comm, enough ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && enough)
        status = gather_entries(o, &own, rows, error);
    mem_free(own.length);
    mem_free(own.column);
    mem_free(own.value);
    mem_free(own.bytes);
    rows->x = (struct matrix){.kind = MATRIX_CSR,
                              .rows = dataset_all_rows(data),
                              .columns = o->x->columns,
                              .nonzeros = all,
                              .row_start = rows->start,
                              .column = rows->column,
                              .value64 = rows->value};
    return status;
}

/* Rows, and a point for each of them, with p = 0; the stiffness follows in the first epoch. */
static temper_status prepare(struct dual_state *d, temper_error *error)
{
    const struct objective *o = d->o;
    const temper_comm *comm = o->spec.data->ranks.comm;
    TRY(gathered_labels_needed(o->spec.data, &d->rows.labels, error));
    const size_t rows = d->rows.labels.rows;
    d->rows.x = *o->x;
    if (!comm_alone(comm))
        TRY(gather_rows(o, &d->rows, error));
    d->point = mem_paged(rows, sizeof *d->point);
    d->order = mem_alloc(2 * rows, sizeof *d->order);
    d->ascent = mem_zeroed(o->columns, sizeof *d->ascent);
    const bool dense = o->x->kind != MATRIX_CSR;
    d->products = dense ? mem_zeroed(rows / DENSE_ROWS + 1, DENSE_PRODUCTS * sizeof *d->products) : NULL;
    const bool enough = d->point && d->order && d->ascent && (d->products || !dense);
    TRY(comm_agree(comm, enough ? TEMPER_OK : error_no_memory(error), error));
    const struct gathered_labels *labels = &d->rows.labels;
    for (size_t i = 0; enough && i < rows; i++) { /* it is, which an analyser cannot see */
        const double cost = (labels->weight ? labels->weight[i] : 1) / (o->spec.l2 * o->weight_sum);
        d->point[i] = (struct dual_point){.sign = labels->label[i] == 1 ? 1 : -1, .cost = cost};
    }
    return TEMPER_OK;
}

/* ---- The interface --------------------------------------------------------------------------- */

/* The sum of |x|^2 over the rows of a sample, and their number. */
struct norm_sum {
    double squares;
    uint64_t rows;
};

/* Callback of comm_in_turn: adds those rows of the sample that this process has. */
static void add_norms(void *context, void *state)
{
    const struct dataset *data = context;
    struct norm_sum *sum = state;
    const uint64_t all = dataset_all_rows(data), count = all < SAMPLE_ROWS ? all : SAMPLE_ROWS;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = all * i / count - data->ranks.first_row;
        if (at >= data->x.rows)
            continue;
        page_window_row(&data->x, at);
        const struct row row = matrix_row(&data->x, at);
        sum->squares += squared_norm(&row);
        sum->rows++;
    }
}

/* Scaled weights would have to be kept beside those of raw rows. */
static bool is_scaled(const struct objective_spec *spec)
{
    return spec->scale && spec->scale->kind != SCALE_NONE;
}

/* Whether the objective has the dual above. */
static bool has_dual(const struct objective_spec *spec)
{
    return spec->data->classes.count == 2 && !spec->engine && !is_scaled(spec) && spec->l2 > 0 && spec->l1 == 0 &&
           loss_is_two_temperature_at(spec->loss, 1, 1) && dataset_all_rows(spec->data) <= UINT32_MAX;
}

/* The products of two different rows, beside those of rows with themselves: the second moment of the eigenvalues of all
 * products, X X', less 1, relative to their mean. About what an epoch leaves of the gap. */
bool dual_descent_suits_dense(const struct objective_spec *spec, const struct spectrum *spectrum)
{
    const struct matrix *x = &spec->data->x;
    const double n = (double)x->columns, rows = (double)x->rows;
    return (x->kind == MATRIX_F32 || x->kind == MATRIX_F64) && has_dual(spec) && comm_alone(spec->data->ranks.comm) &&
           !x->pages && rows * spectrum->second_moment <= MOST_RATE * n * spectrum->mean * spectrum->mean;
}

/* A second derivative of at most 1/4, times |x|^2, divided by the penalty of all rows. */
temper_status dual_descent_suits(const struct objective_spec *spec, bool *suits, temper_error *error)
{
    const struct dataset *data = spec->data;
    struct norm_sum sum = {0};
    *suits = false;
    if (data->x.kind != MATRIX_CSR || !has_dual(spec) || dataset_all_nonzeros(data) > MOST_ENTRIES)
        return TEMPER_OK;
    TRY(comm_in_turn(data->ranks.comm, add_norms, (void *)data, &sum, sizeof sum, error));
    *suits = sum.squares / 4 <= MOST_CURVATURE * spec->l2 * (double)dataset_all_rows(data) * (double)sum.rows;
    return TEMPER_OK;
}

/* Numbers of the rows and columns; of several processes the rows of all, and once more the own ones. */
double dual_descent_bytes(const struct objective_spec *spec)
{
    const struct dataset *data = spec->data;
    const double rows = (double)dataset_all_rows(data), entry = sizeof(uint32_t) + sizeof(double);
    const double own = sizeof(struct dual_point) + 2 * sizeof(uint32_t),
                 gathered = 2 * sizeof(double) + sizeof(uint32_t);
    const double entries = (double)dataset_all_nonzeros(data) + (double)data->x.nonzeros;
    const double all = comm_alone(data->ranks.comm) ? 0 : rows * gathered + entries * entry;
    return rows * own + (double)data->x.columns * sizeof(double) + all;
}

temper_status dual_descent(const struct objective *objective, double share, double *w, struct dual_result *result,
                           temper_error *error)
{
    struct dual_state d = {.o = objective, .w = w};
    temper_status status = prepare(&d, error);
    if (status == TEMPER_OK) {
        memset(w, 0, objective->size * sizeof *w);
        run_epoch(&d);
        *result = (struct dual_result){.zero_value = log(2), .zero_gradient = zero_gradient_norm(&d)};
        while (continues(&d, share))
            run_epoch(&d);
        d.balanced = d.ascent;
        memcpy(d.balanced, w, objective->columns * sizeof *w);
        if (objective->spec.intercept) {
            balance(&d, wanted_gap(&d, share));
            w[objective->columns] = d.bias;
        }
        result->epochs = d.epoch;
        result->lower_bound = objective->spec.l2 * dual_value(&d, d.balanced);
    }
    dual_free(&d);
    return status;
}
