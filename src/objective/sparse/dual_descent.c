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
#include "data/random_streams.h"
#include "objective/objective_internal.h"

/* More are beyond the second-level cache, where rows in a random order cost more than the passes that they save. */
static const uint64_t MOST_ENTRIES = (uint64_t)1 << 20;
/* Measured (docs/decisions/0021): the curvature of a row's loss, relative to the penalty, in the mean over rows, up to
 * which some epochs suffice; Shalev-Shwartz and Zhang bound the epochs by one more than it, times a logarithm. */
static const double MOST_CURVATURE = 25;
enum { MAX_EPOCHS = 12, NEWTON_STEPS = 8, BIAS_STEPS = 32, SAMPLE_ROWS = 256 };
/* The expected gap at the end, as a share of the one that is asked for. */
static const double MARGIN = 0.3;
/* Steps of b, as shares of the whole one, if only the rows responded to it. They respond an epoch later, so that the
 * steps of an epoch must not add up to more than pi^2 / 2, or b would oscillate. */
static const double BIAS_STEP = 0.125;
/* The error that Newton's method may leave, relative to the way so far. That of its last step is at most half the
 * largest second derivative of the probability (0.0963) times the stiffness and the square of the step. */
static const double SMALL_ERROR = 0.01, STEP_ERROR = 0.0482;
/* H(p) >= ENTROPY p (1 - p). */
static const double ENTROPY = 2.772588722239781;

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
    double *balanced;         /* w at the end, of p that meet the constraint */
    struct dual_point *point; /* of each row */
    size_t *order;            /* of the rows */
    double bias, imbalance;   /* b; sum C p y */
    double response;          /* by how much a unit of b lowers the imbalance, once the rows are visited */
    double curvature;         /* sum C p (1 - p) */
    double gap, gap_before;   /* estimates during the last two epochs */
    size_t epoch;
};

/* ---- Rows of all processes ------------------------------------------------------------------- */

/* w . x in four interleaved sums. A loop for the arrays of the library itself, and one for others, of the same bits. */
static double row_dot(const struct row *row, const double *w)
{
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0; /* an array would not be kept in registers */
    size_t e = 0;
    if (row->column && row->value)
        for (; e + 4 <= row->count; e += 4) {
            sum0 += w[row->column[e]] * (double)row->value[e];
            sum1 += w[row->column[e + 1]] * (double)row->value[e + 1];
            sum2 += w[row->column[e + 2]] * (double)row->value[e + 2];
            sum3 += w[row->column[e + 3]] * (double)row->value[e + 3];
        }
    for (; e + 4 <= row->count; e += 4) {
        sum0 += w[row_column(row, e)] * row_value(row, e);
        sum1 += w[row_column(row, e + 1)] * row_value(row, e + 1);
        sum2 += w[row_column(row, e + 2)] * row_value(row, e + 2);
        sum3 += w[row_column(row, e + 3)] * row_value(row, e + 3);
    }
    for (; e < row->count; e++)
        sum0 += w[row_column(row, e)] * row_value(row, e);
    return (sum0 + sum1) + (sum2 + sum3);
}

/* w += factor x */
static void row_add(const struct row *row, double factor, double *w)
{
    size_t e = 0;
    if (row->column && row->value)
        for (; e < row->count; e++)
            w[row->column[e]] += factor * (double)row->value[e];
    for (; e < row->count; e++)
        w[row_column(row, e)] += factor * row_value(row, e);
}

static double squared_norm(const struct row *row)
{
    double sum0 = 0, sum1 = 0;
    size_t e = 0;
    for (; e + 2 <= row->count; e += 2) {
        const double x0 = row_value(row, e), x1 = row_value(row, e + 1);
        sum0 += x0 * x0;
        sum1 += x1 * x1;
    }
    return sum0 + sum1 + (e < row->count ? row_value(row, e) * row_value(row, e) : 0);
}

static struct row row_at(const struct dual_state *d, size_t i)
{
    page_window_row(&d->rows.x, i);
    return matrix_row(&d->rows.x, i);
}

/* A row that will be visited soon. Rows of files that are read by windows have not arrived in memory. */
static void prefetch_row(const struct dual_state *d, size_t i)
{
    const struct matrix *x = &d->rows.x;
    enum { LINE_ENTRIES = 16 };
    __builtin_prefetch(&d->point[i], 1);
    if (!x->column || !x->value || x->pages)
        return;
    const uint64_t end = matrix_start(x, i + 1);
    for (uint64_t e = matrix_start(x, i); e < end; e += LINE_ENTRIES) {
        __builtin_prefetch(x->column + e);
        __builtin_prefetch(x->value + e);
    }
}

/* ---- One row --------------------------------------------------------------------------------- */

static double probability_of(double logit)
{
    return 1 / (1 + exp(-logit));
}

/* The root of f(u) = K (p(u) - p) + m + u with K = C |x|^2, p the probability of the row so far and m its margin. It is
 * between the logit of p, where f is m + u, and -m, where f is K (p(-m) - p); p = 0 before the first visit. Newton's
 * method within that bracket. */
static double solve_row(double stiffness, double margin, double p, double before)
{
    double u = before, now = p, low = fmin(before, -margin), high = fmax(before, -margin);
    for (size_t k = 0; k < NEWTON_STEPS; k++) {
        const double off = stiffness * (now - p) + margin + u;
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

/* The gap of objective and dual is the sum over rows of C times the Kullback-Leibler divergence between p and the
 * probability by the margin, whose logit is -m; nearly p (1 - p) (u + m)^2 / 2. */
static void visit(struct dual_state *d, size_t i)
{
    struct dual_point *point = &d->point[i];
    const double c = point->cost, stiffness = point->stiffness, p = point->p;
    if (!(c > 0))
        return;
    const struct row row = row_at(d, i);
    const double margin = point->sign * (row_dot(&row, d->w) + d->bias), off = point->logit + margin;
    d->gap += 0.5 * c * p * (1 - p) * off * off;
    /* Before the first visit p is 0: the root is at most C |x|^2 below -m. */
    point->logit = solve_row(stiffness, margin, p, d->epoch ? point->logit : -margin - stiffness);
    point->p = probability_of(point->logit);
    const double change = c * point->sign * (point->p - p), now = point->p * (1 - point->p), was = p * (1 - p);
    d->imbalance += change;
    d->curvature += c * (now - was);
    d->response += c * (now / (1 + stiffness * now) - was / (1 + stiffness * was));
    row_add(&row, change, d->w);
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

static void run_epoch(struct dual_state *d)
{
    const size_t rows = (size_t)d->rows.x.rows, often = rows / BIAS_STEPS + 1;
    d->gap_before = d->gap;
    d->gap = 0;
    random_permutation((struct random){d->epoch, STREAM_DUAL_ORDER}, d->order, rows);
    for (size_t k = 0; k < rows; k++) {
        if (k + 1 < rows)
            prefetch_row(d, d->order[k + 1]);
        visit(d, d->order[k]);
        if (d->o->spec.intercept && (k + 1) % often == 0 && d->response > 0)
            d->bias += BIAS_STEP * d->imbalance / d->response;
    }
    d->epoch++;
}

/* What the gap is divided by in an epoch, by the last two. */
static double rate_of(const struct dual_state *d)
{
    return d->epoch > 2 ? fmin(d->gap / d->gap_before, 1) : 1;
}

/* The gap that is small enough. At the optimum the objective equals D, of which this takes a lower bound. */
static double wanted_gap(const struct dual_state *d, double share)
{
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

/* Makes sum C p y = 0 by smaller p of the class that has too much. Their w is kept apart: it would need another b. */
static void balance(struct dual_state *d)
{
    const double excess = d->imbalance > 0 ? 1 : -1;
    double sum = 0;
    for (size_t i = 0; i < d->rows.x.rows; i++)
        if (d->point[i].sign == excess)
            sum += d->point[i].cost * d->point[i].p;
    const double share = sum > 0 ? fabs(d->imbalance) / sum : 0;
    for (size_t i = 0; share > 0 && i < d->rows.x.rows; i++)
        if (d->point[i].sign == excess && d->point[i].cost > 0) {
            const struct row row = row_at(d, i);
            row_add(&row, -share * excess * d->point[i].cost * d->point[i].p, d->balanced);
            d->point[i].p *= 1 - share;
        }
}

static double entropy(double p)
{
    return p > 0 && p < 1 ? -p * log(p) - (1 - p) * log1p(-p) : 0;
}

static double dual_value(const struct dual_state *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->rows.x.rows; i++)
        sum += d->point[i].cost * entropy(d->point[i].p);
    return sum - l2_penalty(d->balanced, d->o->columns, 1);
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
    mem_free(d->balanced);
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

/* Rows, and a point for each of them, with p = 0. */
static temper_status prepare(struct dual_state *d, temper_error *error)
{
    const struct objective *o = d->o;
    const temper_comm *comm = o->spec.data->ranks.comm;
    TRY(gathered_labels_needed(o->spec.data, &d->rows.labels, error));
    const size_t rows = d->rows.labels.rows;
    d->rows.x = *o->x;
    if (!comm_alone(comm))
        TRY(gather_rows(o, &d->rows, error));
    d->point = mem_alloc(rows, sizeof *d->point);
    d->order = mem_alloc(rows, sizeof *d->order);
    d->balanced = mem_alloc(o->columns, sizeof *d->balanced);
    const bool enough = d->point && d->order && d->balanced;
    TRY(comm_agree(comm, enough ? TEMPER_OK : error_no_memory(error), error));
    const struct gathered_labels *labels = &d->rows.labels;
    for (size_t i = 0; enough && i < rows; i++) { /* it is, which an analyser cannot see */
        const struct row row = row_at(d, i);
        const double cost = (labels->weight ? labels->weight[i] : 1) / (o->spec.l2 * o->weight_sum);
        d->point[i] = (struct dual_point){
            .sign = labels->label[i] == 1 ? 1 : -1, .cost = cost, .stiffness = cost * squared_norm(&row)};
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

/* A second derivative of at most 1/4, times |x|^2, divided by the penalty of all rows. */
temper_status dual_descent_suits(const struct objective_spec *spec, bool *suits, temper_error *error)
{
    const struct dataset *data = spec->data;
    struct norm_sum sum = {0};
    *suits = false;
    if (data->x.kind != MATRIX_CSR || data->classes.count != 2 || spec->engine || is_scaled(spec) || !(spec->l2 > 0) ||
        spec->l1 > 0 || !loss_is_two_temperature_at(spec->loss, 1, 1) || dataset_all_nonzeros(data) > MOST_ENTRIES)
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
    const double own = sizeof(struct dual_point) + sizeof(size_t), gathered = 2 * sizeof(double) + sizeof(uint32_t);
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
        do
            run_epoch(&d);
        while (continues(&d, share));
        memcpy(d.balanced, w, objective->columns * sizeof *w);
        if (objective->spec.intercept) {
            balance(&d);
            w[objective->columns] = d.bias;
        }
        *result = (struct dual_result){.epochs = d.epoch, .lower_bound = objective->spec.l2 * dual_value(&d)};
    }
    dual_free(&d);
    return status;
}
