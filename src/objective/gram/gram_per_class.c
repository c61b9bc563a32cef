/* gram_per_class: one Gram matrix for each class, weighted by the curvature of the loss by the score of that class.
 *
 * Threads compute different classes here, so all rows are one group. MPI: the sums of a batch of classes are passed
 * from process to process as in a pipeline: while one works on a batch, the one before it works on the next. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/gram/gram.h"

/* Classes [from, from + count). */
struct class_batch {
    const struct gram_work *m;
    size_t from, count;
};

/* Callback of pool_blocks: the sums of one class over this process's rows, into place `number` of the batch. */
static temper_status class_gram(void *context, size_t number, size_t worker)
{
    const struct class_batch *batch = context;
    const struct objective *o = batch->m->o;
    struct gram_work m = *batch->m;
    /* Curvatures are stored class by class. */
    m.weight = o->curvature.class_weight + (batch->from + number) * o->rows;
    const struct gram_share all = {{0, o->columns}, 0, o->layout.partition.count};
    gram_add(&m, all, gram_of(&m, number), &o->scratch[worker]);
    return TEMPER_OK;
}

/* Number of processes that have rows; those without any are the last ranks and take no part in the pipeline. */
static size_t with_rows(const struct objective *o)
{
    size_t ranks = comm_size(o->spec.data->ranks.comm);
    return o->layout.partition.count < ranks ? o->layout.partition.count : ranks;
}

/* After each step of the pipeline: passes the sums of every batch in progress to the next process; the last one has
 * the total and broadcasts it to all. Backwards by rank, so that a process has sent its sums before it receives
 * others. */
static temper_status pass_sums_on(const struct class_batch *batch, size_t ranks, size_t step, size_t batch_size,
                                  temper_error *error)
{
    const struct gram_work *m = batch->m;
    const struct objective *o = m->o;
    const temper_comm *comm = o->spec.data->ranks.comm;
    size_t n = o->columns + (o->spec.intercept ? 1 : 0), bytes = m->length * sizeof(double);
    temper_status status = TEMPER_OK;
    for (size_t rank = ranks; status == TEMPER_OK && rank-- > 0;) {
        /* No batch is at this rank in this step. */
        if (step < rank || (step - rank) * batch_size >= o->classes)
            continue;
        size_t from = (step - rank) * batch_size, left = o->classes - from;
        size_t count = left < batch_size ? left : batch_size;
        if (rank + 1 < ranks) {
            status = comm_pass_on(comm, rank, m->sums, m->sums, count * bytes, error);
            continue;
        }
        /* A separate buffer for the broadcast: this process's own sums of another batch are still in use. */
        double *whole = m->sums + (comm_alone(comm) ? 0 : batch_size * m->length);
        if (comm_rank(comm) == rank && whole != m->sums)
            memcpy(whole, m->sums, count * bytes);
        status = comm_broadcast(comm, rank, whole, count * bytes, error);
        for (size_t i = 0; status == TEMPER_OK && i < count; i++)
            gram_assemble(m, whole + i * m->length, m->out + (from + i) * n * n);
    }
    return status;
}

/* The pipeline: in step s, process r adds its rows to batch s - r. Only the first process starts from 0. So every
 * matrix is summed over the rows in their order, whatever the number of processes, and after the first steps all
 * processes work at once, each on another batch of classes. */
static temper_status class_sums(const struct gram_work *m, size_t batch_size, temper_error *error)
{
    const struct objective *o = m->o;
    size_t ranks = with_rows(o), rank = comm_rank(o->spec.data->ranks.comm);
    size_t batches = (o->classes + batch_size - 1) / batch_size;
    temper_status status = TEMPER_OK;
    for (size_t step = 0; status == TEMPER_OK && step < batches + ranks - 1; step++) {
        /* No classes for ranks that the pipeline has not reached, or has left. */
        struct class_batch batch = {m, 0, 0};
        if (rank < ranks && step >= rank && step - rank < batches) {
            batch.from = (step - rank) * batch_size;
            size_t left = o->classes - batch.from;
            batch.count = left < batch_size ? left : batch_size;
        }
        if (rank == 0 && batch.count)
            memset(m->sums, 0, batch.count * m->length * sizeof *m->sums);
        if (pool_blocks(o->pool, batch.count, o->workers, class_gram, &batch) != TEMPER_OK)
            return error_no_memory(error);
        status = pass_sums_on(&batch, ranks, step, batch_size, error);
    }
    return status;
}

/* The number of classes of a batch, one for each thread: the mean number of threads over all processes (they may
 * differ), at most the number of classes. */
static temper_status batch_of_all(const struct objective *o, size_t *size, temper_error *error)
{
    uint64_t all;
    temper_status status = comm_count(o->spec.data->ranks.comm, o->workers, NULL, &all, error);
    /* The same in all processes: they exchange batches of this size. */
    size_t mean = (size_t)(all / comm_size(o->spec.data->ranks.comm));
    *size = mean < 1 ? 1 : mean < o->classes ? mean : o->classes;
    return status;
}

/* ---- Sampling rows --------------------------------------------------------------------------- */

/* A quasi-random number in [0, 1): an additive recurrence (Kronecker sequence) over part, row and class. */
static double quasi_random(size_t part, size_t row, size_t class)
{
    /* The golden ratio, and 1 / p and 1 / p^2 of the plastic number p (R2 sequence). */
    double u =
        (double)part * 0.7548776662466927 + (double)row * 0.6180339887498949 + (double)class * 0.5698402909980532;
    return u - floor(u);
}

/* The squared norm of a row, in eight interleaved sums. The intercept counts as a feature, so that no norm is 0. */
static double squared_norm(const float *x, size_t columns)
{
    float sum[8] = {1};
    size_t j = 0;
    for (; j + 8 <= columns; j += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += x[j + k] * x[j + k];
    for (; j < columns; j++)
        sum[0] += x[j] * x[j];
    return (double)((sum[0] + sum[4]) + (sum[1] + sum[5])) + (double)((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* The rows of a part of this process. */
static struct row_span part_span(const struct objective *o, size_t part)
{
    const size_t each = o->layout.blocks.part_rows, from = part * each, left = o->rows - from;
    return (struct row_span){from, left < each ? left : each, part};
}

/* Callback of pool_blocks: the squared norms of the rows of a part, relative to their mean, which makes them
 * independent of the number of processes. Squares beyond the range of floats: all rows count alike. */
static temper_status part_norms(void *context, size_t part, size_t worker)
{
    const struct objective *o = context;
    const struct row_span span = part_span(o, part);
    float *norm = o->curvature.row_norm + span.from;
    double sum = 0;
    for (size_t i = 0; i < span.count; i++) {
        const struct row_span one = {span.from + i, 1, part};
        page_window_some(o->x, one.from, 1);
        const float *row = dense_rows_f32(o->kernel, o->x, one, o->spec.scale, o->scratch[worker].gram);
        norm[i] = (float)squared_norm(row, o->columns);
        sum += (double)norm[i];
    }
    for (size_t i = 0; i < span.count; i++)
        norm[i] = isfinite(sum) ? (float)((double)norm[i] * (double)span.count / sum) : 1;
    return TEMPER_OK;
}

/* Computed once: norms do not depend on the weights. Sparse data has none. */
static temper_status prepare_norms(struct objective *o, temper_error *error)
{
    if (o->curvature.row_norm || o->x->kind == MATRIX_CSR)
        return TEMPER_OK;
    o->curvature.row_norm = mem_alloc(o->rows, sizeof *o->curvature.row_norm);
    if (!o->curvature.row_norm || pool_blocks(o->pool, o->layout.blocks.parts, o->workers, part_norms, o) != TEMPER_OK)
        return error_no_memory(error);
    return TEMPER_OK;
}

/* Keeps a row with probability min(1, p), and then divides its curvature by that. */
static void thin_row(double *curvature, double p, double u)
{
    if (p < 1)
        *curvature = u < p ? *curvature / p : 0;
}

/* Importance sampling: a row stays with a probability proportional to its curvature times its squared norm, and then
 * counts inversely, so that sums are unbiased. With the norm, a row in which a rare feature is set is seldom left out:
 * scaled to a variance of 1, such a feature has large values (docs/decisions/0039). `enough` is the curvature from
 * which a row of mean norm always stays. The choice depends on the row's position in the parts of all processes, and so
 * not on their number. */
static void thin_rows(struct objective *o, double enough)
{
    const size_t first = o->layout.first_part[comm_rank(o->spec.data->ranks.comm)];
    /* Parts are counted over all processes. */
    for (size_t part = 0; part < o->layout.blocks.parts; part++) {
        const struct row_span span = part_span(o, part);
        for (size_t i = 0; i < span.count; i++) {
            const size_t row = span.from + i;
            const double norm = o->curvature.row_norm ? (double)o->curvature.row_norm[row] : 1;
            for (size_t c = 0; c < o->classes; c++) {
                double *curvature = &o->curvature.class_weight[c * o->rows + row];
                thin_row(curvature, *curvature * norm / (enough * weight_of(o, row)), quasi_random(first + part, i, c));
            }
        }
    }
}

/* Samples among more rows than are to be used, up to LOOKED_AT times as many: rows that matter are found among more,
 * and reading mapped files takes time. */
static temper_status choose_rows(struct objective *o, struct gram_work *m, temper_error *error)
{
    enum { LOOKED_AT = 4 };
    static const double ENOUGH = 0.06; /* the maximum is 0.25 for t1 = t2 = 1 */
    const size_t used = m->step;
    m->step = used > LOOKED_AT ? used / LOOKED_AT : 1;
    TRY(prepare_norms(o, error));
    thin_rows(o, ENOUGH * (double)used / (double)m->step);
    return TEMPER_OK;
}

/* Allocates the sums of a batch (twice with MPI), computes the curvatures by class, then all matrices. */
static temper_status class_grams(struct objective *o, struct gram_work *m, const double *w, bool thin,
                                 temper_error *error)
{
    /* MPI: the total is broadcast from a second buffer. */
    size_t batch, copies = comm_alone(o->spec.data->ranks.comm) ? 1 : 2;
    TRY(batch_of_all(o, &batch, error));
    m->sums = gram_measure(m) && gram_scratch(m) ? mem_aligned(copies * batch, m->length * sizeof *m->sums) : NULL;
    if (!m->sums)
        return error_no_memory(error);
    TRY(run_pass(o, PASS_WEIGH, w, NULL, error));
    if (thin)
        TRY(choose_rows(o, m, error));
    return class_sums(m, batch, error);
}

/* The curvature of each row by the score of each class, and one Gram matrix for each class. */
temper_status objective_class_grams(struct objective *o, const double *w, struct gram_rows rows, double *grams,
                                    temper_error *error)
{
    struct gram_work m = {.o = o, .columns = o->columns, .step = gram_step(o, rows.about), .groups = 1, .out = grams};
    gram_blocks(&m);
    o->curvature.class_weight = mem_alloc(o->rows, o->classes * sizeof *o->curvature.class_weight);
    temper_status status = o->curvature.class_weight ? class_grams(o, &m, w, rows.thin, error) : error_no_memory(error);
    mem_free(m.sums);
    mem_free(o->curvature.class_weight); /* large, and rarely needed */
    o->curvature.class_weight = NULL;
    return status;
}
