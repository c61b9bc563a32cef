/* dual_descent: coordinate ascent on the dual (Hsieh et al. 2008; Yu, Huang and Lin 2011; Shalev-Shwartz and Zhang
 * 2013, who bound the epochs).
 *
 * The objective divided by the penalty is |w|^2 / 2 + sum_i C_i log(1 + exp(-m_i)), with m_i = y_i (w.x_i + b), y_i =
 * +-1 and C_i = s_i / (l2 sum s). With w = sum_i C_i p_i y_i x_i its dual is
 *
 *     D(p) = -|w|^2 / 2 + sum_i C_i H(p_i),   0 < p_i < 1,   sum_i C_i p_i y_i = 0,
 *
 * H the entropy. The constraint is met by an augmented Lagrangian: b = centre + share * sum_i C_i p_i y_i, as if rows
 * had one more feature of square `share`, and the centre is moved to b after each epoch. Each row in its turn gets the
 * p_i that maximises D with that feature; by the logit u of p that is the root of an increasing function with a slope
 * of at least 1, for which Newton's method needs a few steps. At the end p is made to meet the constraint, so that D
 * bounds the objective from below.
 *
 * Where many epochs are needed, rows of counts for example, most of the gap is that of a few rows. So from some epoch
 * on a row is left out whose part of the gap was small when it was last visited, at times. */
#include "objective/sparse/dual_descent.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/memory/page_window.h"
#include "data/memory/prefetch_row.h"
#include "data/random_streams.h"
#include "objective/objective_internal.h"
#include "objective/sparse/dense_block.h"
#include "objective/sparse/dual_rows.h"

/* More are worth the threads that conjugate gradients have, and the ascent has not. Each of several processes has all
 * of them. */
static const uint64_t MOST_ENTRIES = (uint64_t)1 << 24;
/* More are beyond the second-level cache, where an epoch costs more than a product with copies of the rows: it has to
 * be some epochs (docs/decisions/0042). LARGE_CURVATURE limits the curvature below, and LARGE_EPOCHS the epochs. */
static const uint64_t CACHED_ENTRIES = (uint64_t)1 << 20;
static const double LARGE_CURVATURE = 1.5;
/* Measured (docs/decisions/0021): the curvature of a row's loss, relative to the penalty, in the mean over rows, up to
 * which some epochs suffice; Shalev-Shwartz and Zhang bound the epochs by one more than it, times a logarithm. */
static const double MOST_CURVATURE = 400;
/* Above this the ascent is on trial: where sum C |x|^2 p (1 - p), which the first epoch begins from 0, still grows by
 * more than this in the second one, the optimum is far away, and many epochs would be needed. */
static const double TRIAL_CURVATURE = 25, MOST_GROWTH = 1.35;
/* Dense rows: up to which share of the gap may be left by an epoch, as estimated (docs/decisions/0037). */
static const double MOST_RATE = 0.4;
/* The weights of more are not in the second-level cache, and are prefetched. */
enum { CACHED_COLUMNS = 1 << 17 };
enum { LARGE_EPOCHS = 12, MAX_EPOCHS = 50, NEWTON_STEPS = 8, SAMPLE_ROWS = 256 };
/* The expected gap at the end, as a share of the one that is asked for. */
static const double MARGIN = 0.4;
/* The same of the gradient, whose estimate is too small, as rows have features in common. */
static const double GRADIENT_MARGIN = 0.25;
/* The square of the constant feature, relative to the mean of |x|^2. The larger, the sooner b is known, and the more
 * the steps of rows depend on each other, so that more epochs are needed. */
static const double CONSTANT_SHARE = 0.01;
/* The least product of that square and of the response of the imbalance to b: by how much an epoch corrects b where
 * most probabilities are near 0, and rows respond little. Chosen on texts (docs/decisions/0038). */
static const double RESPONSE = 15;
/* Rows are left out if an epoch leaves more than SLOW of the gap, and the part of the row was less than SMALL_PART of
 * the mean; each time a row is left out, its part is taken for PART_GROWTH times as large. */
static const double SLOW = 0.25, SMALL_PART = 0.3, PART_GROWTH = 10, LEAST_PART = 1e-5;
/* The error that Newton's method may leave, relative to the way so far. That of its last step is at most half the
 * largest second derivative of the probability (0.0963) times the stiffness and the square of the step. */
static const double SMALL_ERROR = 0.01, STEP_ERROR = 0.0482;
/* By what share of it p of a row is lowered at most, to meet the constraint; and what that may cost, as a share of the
 * gap that is wanted. */
static const double MOST_LOWERED = 0.25, LOWERED_GAP = 0.05;
/* A product of numbers of at least 1/2 is not multiplied further below this. */
static const double SMALL_PRODUCT = 0x1p-960;

/* Of one row, in one cache line or two, since rows are visited in a random order. */
struct dual_point {
    double sign;      /* y: 1 or -1 */
    double cost;      /* C */
    double stiffness; /* C |x|^2 */
    double p, logit;
    double part; /* of the gap, when the row was last visited */
};

struct dual_state {
    const struct objective *o;
    struct dual_rows rows;
    double *w;                /* and the intercept behind it */
    double *ascent;           /* after the first epoch: sum C y x, by which the gradient at W = 0 is known */
    double *pairs;            /* in the same memory: sparse rows, in the first epoch: w and sum C y x of each column */
    double *balanced;         /* in the same memory: w at the end, of p that meet the constraint */
    struct dual_point *point; /* of each row */
    uint32_t *order;          /* of the rows; then that of the blocks of rows */
    double *products;         /* dense rows: of each block, those of its rows; else NULL */
    double share, centre;     /* b = centre + share * imbalance */
    double imbalance;         /* sum C p y */
    double entropy;           /* sum C H(p), a little less */
    double gap, second_gap;   /* estimates: during the last epoch, and during the second one */
    double squares;           /* the same of the square of the gradient, divided by that of the penalty */
    double zero_gradient;     /* the norm of the gradient at W = 0 */
    double first_curvature;   /* of an ascent on trial: sum C |x|^2 p (1 - p) after the first epoch; else 0 */
    bool on_trial;            /* gives up after two epochs if the optimum is far away */
    struct dual_goal goal;
    size_t epoch;
    uint64_t visits; /* of rows, in all epochs */
};

/* The arrays of the library itself without a call, which would be a tenth of the time of a row of a few words. */
static inline struct row row_at(const struct dual_state *d, size_t i)
{
    const struct matrix *x = &d->rows.x;
    if (x->row_start && x->column && x->value && !x->pages) {
        const uint64_t start = x->row_start[i];
        return (struct row){.kind = MATRIX_CSR,
                            .count = (size_t)(x->row_start[i + 1] - start),
                            .column = x->column + start,
                            .value = x->value + start};
    }
    page_window_row(x, i);
    return matrix_row(x, i);
}

/* ---- The sample ------------------------------------------------------------------------------ */

/* The sum of |x|^2 over the rows of a sample, and their number. */
struct norm_sum {
    double squares;
    uint64_t rows;
};

/* Adds those rows of a sample of `all` that a matrix has, whose first row is number `first`. */
static void add_sample(const struct matrix *x, uint64_t all, uint64_t first, struct norm_sum *sum)
{
    const uint64_t count = all < SAMPLE_ROWS ? all : SAMPLE_ROWS;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = all * i / count - first;
        if (at >= x->rows)
            continue;
        page_window_row(x, at);
        const struct row row = matrix_row(x, at);
        sum->squares += squared_norm(&row);
        sum->rows++;
    }
}

/* The same of dense rows, of a single process. */
static void add_dense_sample(const struct matrix *x, const struct kernel *kernel, struct norm_sum *sum)
{
    const uint64_t count = x->rows < SAMPLE_ROWS ? x->rows : SAMPLE_ROWS;
    for (uint64_t i = 0; i < count; i++) {
        const struct dense_block row = {x, kernel, (size_t)(x->rows * i / count), 1};
        double square[DENSE_PRODUCTS];
        dense_products(&row, square);
        sum->squares += square[0];
        sum->rows++;
    }
}

/* A second derivative of at most 1/4, times the mean of |x|^2, divided by the penalty of all rows. */
static double sample_curvature(const struct norm_sum *sum, const struct objective_spec *spec, uint64_t rows)
{
    return 0.25 * sum->squares / (double)sum->rows / (spec->l2 * (double)rows);
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

/* A row that is being visited. */
struct dual_visit {
    struct dual_point *point;
    struct row row;
    double stiffness;        /* C (|x|^2 + share) */
    double margin, logit, p; /* before; and the new ones */
};

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

/* The root of f(u) = K (p(u) - p) + m + u with K the stiffness, p the probability of the row so far and m its margin,
 * by Newton's method within a bracket. `before` is the logit that the way is measured from. */
static double solve_row(const struct dual_visit *visit, struct logit_start start, double before)
{
    const double stiffness = visit->stiffness, p = visit->point->p;
    double u = start.u, now = start.p, low = start.low, high = start.high;
    for (size_t k = 0; k < NEWTON_STEPS; k++) {
        const double off = stiffness * (now - p) + visit->margin + u;
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

static double bias_of(const struct dual_state *d)
{
    return d->centre + d->share * d->imbalance;
}

/* Reads a row: its margin and, in the first epoch, its norm. */
static void read_row(const struct dual_state *d, size_t i, struct dual_visit *visit)
{
    struct dual_point *point = visit->point = &d->point[i];
    visit->row = row_at(d, i);
    const double score = d->epoch == 0 ? row_dot_pairs(&visit->row, d->pairs) : row_dot(&visit->row, d->w);
    visit->margin = point->sign * (score + bias_of(d));
    if (d->epoch == 0) /* the row is in the cache now: no pass of its own */
        point->stiffness = point->cost * squared_norm(&visit->row);
    visit->stiffness = point->stiffness + point->cost * d->share;
}

static void solve_visit(const struct dual_state *d, struct dual_visit *visit)
{
    const struct dual_point *point = visit->point;
    const bool first = d->epoch == 0;
    const struct logit_start start =
        first ? first_start(visit->stiffness, visit->margin) : start_at(point, visit->margin);
    visit->logit = solve_row(visit, start, first ? start.low : point->logit);
    visit->p = probability_of(visit->logit);
}

/* H(p) = q |u| - log(1 - q) with u the logit of p and q the smaller of p and 1 - p; without a logarithm, at most 4 %
 * less.
 */
static double least_entropy(double p, double logit)
{
    const double q = least_of(p, 1 - p);
    return q > 0 ? q * (fabs(logit) + 1 + q * (1.0 / 2 + q / 3)) : 0;
}

/* The gap of objective and dual is the sum over rows of C times the Kullback-Leibler divergence between p and the
 * probability by the margin, whose logit is -m; nearly p (1 - p) (u + m)^2 / 2. The gradient by w, divided by the
 * penalty, is the sum of C y x times the difference of the two probabilities; as if rows were orthogonal. Returns the
 * change of C p y. */
static double update_point(struct dual_state *d, const struct dual_visit *visit)
{
    struct dual_point *point = visit->point;
    const double c = point->cost, off = point->logit + visit->margin;
    const double change = c * point->sign * (visit->p - point->p);
    point->part = 0.5 * c * point->p * (1 - point->p) * off * off;
    d->gap += point->part;
    d->squares += 2 * point->part * visit->stiffness * point->p * (1 - point->p);
    d->entropy += c * (least_entropy(visit->p, visit->logit) - least_entropy(point->p, point->logit));
    d->imbalance += change;
    point->logit = visit->logit;
    point->p = visit->p;
    return change;
}

static void apply_visit(struct dual_state *d, const struct dual_visit *visit)
{
    const double change = update_point(d, visit);
    if (d->epoch == 0)
        row_add_pairs(&visit->row, change, visit->point->cost * visit->point->sign, d->pairs);
    else
        row_add(&visit->row, change, d->w);
}

/* A row that will be visited soon. */
static void prefetch_visit(const struct dual_state *d, size_t i)
{
    __builtin_prefetch(&d->point[i], 1);
    prefetch_row(&d->rows.x, i);
}

/* Its weights, once the row itself is in the cache. */
static void prefetch_weights(const struct dual_state *d, size_t i)
{
    const struct row row = row_at(d, i);
    const double *w = d->epoch == 0 ? d->pairs : d->w;
    const size_t each = d->epoch == 0 ? 2 : 1;
    for (size_t e = 0; row.column && e < row.count; e++)
        __builtin_prefetch(w + each * row.column[e], 1);
}

static void visit_rows(struct dual_state *d, const uint32_t *rows, size_t count)
{
    struct dual_visit visit[TOGETHER];
    for (size_t k = 0; k < count; k++)
        read_row(d, rows[k], &visit[k]);
    for (size_t k = 0; k < count; k++)
        solve_visit(d, &visit[k]);
    for (size_t k = 0; k < count; k++)
        apply_visit(d, &visit[k]);
}

/* ---- A block of dense rows ------------------------------------------------------------------- */

/* The rows of the block in their order, each with the weights that the ones before it have changed, by their products
 * with each other: so the weights are read and written once for all of them. */
static void visit_block(struct dual_state *d, const struct dense_block *block, double *products)
{
    double score[DENSE_BLOCK_ROWS], change[DENSE_BLOCK_ROWS] = {0}, constant[DENSE_BLOCK_ROWS];
    dense_times(block, d->w, score);
    if (d->epoch == 0)
        dense_products(block, products);
    for (size_t i = 0; i < block->count; i++) {
        const double *line = products + i * DENSE_BLOCK_ROWS;
        struct dual_point *point = &d->point[block->first + i];
        constant[i] = point->cost * point->sign;
        if (!(point->cost > 0))
            continue;
        for (size_t k = 0; k < i; k++)
            score[i] += change[k] * line[k];
        point->stiffness = point->cost * line[i];
        struct dual_visit visit = {.point = point,
                                   .stiffness = point->stiffness + point->cost * d->share,
                                   .margin = point->sign * (score[i] + bias_of(d))};
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
    enum { BLOCK_ROWS = 8, BLOCK_ENTRIES = 1 << 17, LEAST_ROWS = 2048 };
    enum { SHORT_ROWS = 32, SHORT_LENGTH = 32, LEAST_SHORT_ROWS = 1 << 15 };
    if (x->nonzeros <= BLOCK_ENTRIES || x->rows < LEAST_ROWS)
        return 1;
    return x->rows >= LEAST_SHORT_ROWS && x->nonzeros <= SHORT_LENGTH * x->rows ? SHORT_ROWS : BLOCK_ROWS;
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

/* What an epoch leaves of the gap, in the mean of those since the second. */
static double rate_of(const struct dual_state *d)
{
    return d->epoch > 2 ? fmin(pow(d->gap / d->second_gap, 1 / (double)(d->epoch - 2)), 1) : 1;
}

/* Leaves out rows without weight and, after some epochs, those of a small part of the gap. Returns how many are left.
 */
static size_t choose_rows(struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows;
    const bool slow = d->epoch > 2 && rate_of(d) > SLOW;
    const double small = slow ? SMALL_PART * d->gap / (double)rows : -1;
    size_t count = 0;
    if (!slow && !d->rows.labels.weight)
        return rows;
    for (size_t k = 0; k < rows; k++) {
        struct dual_point *point = &d->point[d->order[k]];
        if (point->part <= small)
            point->part = PART_GROWTH * most_of(point->part, LEAST_PART * small);
        else if (point->cost > 0)
            d->order[count++] = d->order[k];
    }
    return count;
}

/* By how much a unit of b lowers the imbalance, once the rows are visited: sum C p (1 - p) / (1 + K p (1 - p)), by a
 * sample. */
static double response_of(const struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows, step = rows / SAMPLE_ROWS + 1;
    double sum = 0;
    for (size_t i = 0; i < rows; i += step) {
        const struct dual_point *point = &d->point[i];
        const double slope = point->p * (1 - point->p);
        sum += point->cost * slope / (1 + point->stiffness * slope);
    }
    return sum * (double)step;
}

/* At the end of an epoch. Where most rows respond little, because their p are near 0, the constant feature is made
 * larger. */
static void move_centre(struct dual_state *d)
{
    const double response = response_of(d);
    d->centre = bias_of(d);
    if (response > 0 && d->share > 0)
        d->share = most_of(d->share, RESPONSE / response);
}

/* All blocks of dense rows, in a random order. */
static void visit_blocks(struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows, blocks = (rows + DENSE_BLOCK_ROWS - 1) / DENSE_BLOCK_ROWS;
    draw_order(d->epoch, d->order, blocks);
    for (size_t b = 0; b < blocks; b++) {
        const size_t at = d->order[b], first = at * DENSE_BLOCK_ROWS, left = rows - first;
        const struct dense_block block = {&d->rows.x, d->o->kernel, first,
                                          left < DENSE_BLOCK_ROWS ? left : DENSE_BLOCK_ROWS};
        visit_block(d, &block, d->products + at * DENSE_PRODUCTS);
    }
    d->visits += rows;
}

/* Sparse rows by pairs: the first `count` of the order. */
static void visit_pairs(struct dual_state *d, size_t count)
{
    enum { ROWS_AHEAD = 8, WEIGHTS_AHEAD = 4 };
    const bool wide = d->o->columns > CACHED_COLUMNS;
    const size_t ahead = wide ? ROWS_AHEAD : TOGETHER;
    for (size_t k = 0; k < count; k += TOGETHER) {
        const size_t end = k + TOGETHER < count ? k + TOGETHER : count;
        for (size_t next = k + ahead; next < k + ahead + TOGETHER && next < count; next++)
            prefetch_visit(d, d->order[next]);
        for (size_t next = k + WEIGHTS_AHEAD; wide && next < k + WEIGHTS_AHEAD + TOGETHER && next < count; next++)
            prefetch_weights(d, d->order[next]);
        visit_rows(d, d->order + k, end - k);
    }
    d->visits += count;
}

/* After the first epoch: both numbers of each column in arrays of their own. */
static void divide_pairs(struct dual_state *d)
{
    for (size_t j = 0; j < d->o->columns; j++) {
        d->w[j] = d->pairs[2 * j];
        d->ascent[j] = d->pairs[2 * j + 1]; /* the same memory, behind which the pairs are that are left */
    }
}

static void run_epoch(struct dual_state *d)
{
    size_t count = 0;
    if (!d->products) {
        order_rows(d);
        count = choose_rows(d);
    }
    move_centre(d);
    d->gap = 0;
    d->squares = 0;
    if (d->products)
        visit_blocks(d);
    else
        visit_pairs(d, count);
    if (d->epoch == 0 && !d->products)
        divide_pairs(d);
    d->epoch++;
    if (d->epoch == 2)
        d->second_gap = d->gap;
}

/* The gap that is small enough. At the optimum the objective equals D, of which this takes a lower bound. */
static double wanted_gap(const struct dual_state *d)
{
    return MARGIN * d->goal.share * (d->entropy - l2_penalty(d->w, d->o->columns, 1));
}

/* Whether the end is expected to be good enough. Estimates are of points within the epoch; its end is as much better as
 * an epoch is than the one before it. */
static bool is_near(const struct dual_state *d, double wanted, double rate)
{
    const double gradient = GRADIENT_MARGIN * d->goal.gradient * d->zero_gradient / d->o->spec.l2;
    return d->gap * rate <= wanted && d->squares * rate <= gradient * gradient;
}

static double curvature_of(const struct dual_state *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->rows.x.rows; i++)
        sum += d->point[i].stiffness * d->point[i].p * (1 - d->point[i].p);
    return sum;
}

/* Whether an ascent on trial is given up, after the second epoch. */
static bool gives_up(const struct dual_state *d)
{
    return d->on_trial && d->epoch == 2 && !(curvature_of(d) <= MOST_GROWTH * d->first_curvature);
}

/* Whether another epoch is worth while. Where so many at the rate so far do not suffice, other solvers are faster. */
static bool continues(const struct dual_state *d)
{
    const double wanted = wanted_gap(d), rate = rate_of(d);
    const size_t most = d->rows.x.nonzeros > CACHED_ENTRIES ? LARGE_EPOCHS : MAX_EPOCHS;
    if (d->epoch < 2)
        return true;
    if (d->epoch >= most || is_near(d, wanted, rate) || gives_up(d))
        return false;
    return d->epoch == 2 || d->gap * pow(rate, (double)(most - d->epoch)) <= wanted;
}

/* The second derivative of the objective by the intercept, with p for the probabilities by the margins. */
static double bias_curvature(const struct dual_state *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->rows.x.rows; i++)
        sum += d->point[i].cost * d->point[i].p * (1 - d->point[i].p);
    return d->o->spec.l2 * sum;
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

/* w += factor x_i, of either kind. */
static void add_row(const struct dual_state *d, size_t i, double factor, double *w)
{
    const struct dense_block block = {&d->rows.x, d->o->kernel, i, 1};
    if (d->products) {
        dense_back(&block, &factor, w);
    } else {
        const struct row row = row_at(d, i);
        row_add(&row, factor, w);
    }
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

/* H(p) = min(p, 1 - p) |u| - log max(p, 1 - p) with u the logit of p. Logarithms of products, as long as the cost stays
 * the same, instead of sums of logarithms. */
static double dual_value(const struct dual_state *d)
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
    return sum - cost * log(product) - l2_penalty(d->balanced, d->o->columns, 1);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void dual_free(struct dual_state *d)
{
    dual_rows_free(&d->rows);
    mem_free(d->point);
    mem_free(d->order);
    mem_free(d->ascent);
    mem_free(d->products);
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
        TRY(dual_rows_gather(o, &d->rows, error));
    d->point = mem_paged(rows, sizeof *d->point);
    d->order = mem_alloc(2 * rows, sizeof *d->order);
    const bool dense = o->x->kind != MATRIX_CSR;
    d->ascent = d->pairs = mem_paged(o->columns, (dense ? 1 : 2) * sizeof *d->ascent);
    d->products = dense ? mem_zeroed(rows / DENSE_BLOCK_ROWS + 1, DENSE_PRODUCTS * sizeof *d->products) : NULL;
    const bool enough = d->point && d->order && d->ascent && (d->products || !dense);
    TRY(comm_agree(comm, enough ? TEMPER_OK : error_no_memory(error), error));
    memset(d->pairs, 0, o->columns * (dense ? 1 : 2) * sizeof *d->pairs);
    const struct gathered_labels *labels = &d->rows.labels;
    struct norm_sum sum = {0};
    if (dense)
        add_dense_sample(&d->rows.x, o->kernel, &sum);
    else
        add_sample(&d->rows.x, rows, 0, &sum);
    d->share = o->spec.intercept ? CONSTANT_SHARE * sum.squares / (double)sum.rows : 0;
    d->on_trial = !dense && sample_curvature(&sum, &o->spec, rows) > TRIAL_CURVATURE;
    for (size_t i = 0; enough && i < rows; i++) { /* it is, which an analyser cannot see */
        const double cost = (labels->weight ? labels->weight[i] : 1) / (o->spec.l2 * o->weight_sum);
        d->point[i] = (struct dual_point){.sign = labels->label[i] == 1 ? 1 : -1, .cost = cost};
    }
    return TEMPER_OK;
}

/* ---- The interface --------------------------------------------------------------------------- */

/* Callback of comm_in_turn. */
static void add_own_sample(void *context, void *state)
{
    const struct dataset *data = context;
    add_sample(&data->x, dataset_all_rows(data), data->ranks.first_row, state);
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
    return (x->kind == MATRIX_F32 || x->kind == MATRIX_F64) && has_dual(spec) &&
           rows * spectrum->second_moment <= MOST_RATE * n * spectrum->mean * spectrum->mean;
}

/* Where rows outnumber features, some directions of p change no weights. They converge the slowest: by the curvature,
 * an epoch leaves up to 1 - 1 / (1 + curvature) of them. */
static double most_curvature(const struct dataset *data)
{
    const double rows = (double)dataset_all_rows(data), columns = (double)data->x.columns;
    if (dataset_all_nonzeros(data) <= CACHED_ENTRIES)
        return MOST_CURVATURE;
    return LARGE_CURVATURE * fmax(1, columns / rows);
}

temper_status dual_descent_suits(const struct objective_spec *spec, bool *suits, temper_error *error)
{
    const struct dataset *data = spec->data;
    struct norm_sum sum = {0};
    *suits = false;
    if (data->x.kind != MATRIX_CSR || !has_dual(spec) || dataset_all_nonzeros(data) > MOST_ENTRIES)
        return TEMPER_OK;
    TRY(comm_in_turn(data->ranks.comm, add_own_sample, (void *)data, &sum, sizeof sum, error));
    *suits = sample_curvature(&sum, spec, dataset_all_rows(data)) <= most_curvature(data);
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
    const double products = data->x.kind == MATRIX_CSR ? 0 : rows * DENSE_BLOCK_ROWS * sizeof(double);
    return rows * own + (double)data->x.columns * 2 * sizeof(double) + all + products;
}

/* The intercept and the bound. */
static void finish(struct dual_state *d, struct dual_result *result)
{
    const struct objective *o = d->o;
    d->balanced = d->ascent;
    memcpy(d->balanced, d->w, o->columns * sizeof *d->w);
    if (o->spec.intercept) {
        d->w[o->columns] = bias_of(d);
        result->bias_curvature = bias_curvature(d);
        balance(d, wanted_gap(d));
    }
    result->lower_bound = o->spec.l2 * dual_value(d);
}

temper_status dual_descent(const struct objective *objective, struct dual_goal goal, double *w,
                           struct dual_result *result, temper_error *error)
{
    struct dual_state d = {.o = objective, .w = w, .goal = goal};
    temper_status status = prepare(&d, error);
    if (status == TEMPER_OK) {
        memset(w, 0, objective->size * sizeof *w);
        run_epoch(&d);
        d.zero_gradient = zero_gradient_norm(&d);
        d.first_curvature = d.on_trial ? curvature_of(&d) : 0;
        *result = (struct dual_result){.zero_value = log(2), .zero_gradient = d.zero_gradient};
        while (continues(&d))
            run_epoch(&d);
        result->given_up = gives_up(&d);
        result->epochs = (size_t)((d.visits + d.rows.x.rows - 1) / d.rows.x.rows);
        if (!result->given_up)
            finish(&d, result);
    }
    dual_free(&d);
    return status;
}
