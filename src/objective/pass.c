/* pass: one pass over all rows. The weights are brought into the form of the kernels, the parts are summed by the
 * worker threads, and their sums are added by a tree of fixed shape: a deterministic sum, the same bits for any
 * number of threads and processes (Demmel and Nguyen, "Parallel reproducible summation", 2015, survey such
 * fixed-order reductions). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "objective/objective_internal.h"

/* ---- Blocks (blocks.h): the division of rows, shared with batches of objectives -------------------------------------
 */

/* Scaling is folded into the weights unless the mean of a column is more than this many standard deviations from 0:
 * floats would lose digits in the difference w . x - w . offset. */
static const double FAR_FROM_ZERO = 16;

/* Rows of the i-th block of a part; empty behind the end of the part or of the rows. The block's number counts over
 * all parts, for arrays with one entry a block. */
struct row_span block_rows_of(const struct block_layout *layout, size_t part, size_t i)
{
    /* Numbered through all parts, for arrays that have an entry for each block. */
    size_t block = part * layout->part_blocks + i;
    size_t start = part * layout->part_rows, from = start + i * layout->block_rows;
    size_t end = start + layout->part_rows < layout->rows ? start + layout->part_rows : layout->rows;
    size_t left = from < end ? end - from : 0;
    return (struct row_span){from, left < layout->block_rows ? left : layout->block_rows, block};
}

/* Some rows of a CSR matrix for the kernels; borrowed. Starts are absolute, so columns and values are not shifted. */
struct sparse_rows span_entries(const struct matrix *x, struct row_span span)
{
    return (struct sparse_rows){.start = x->row_start ? x->row_start + span.from : NULL,
                                .start32 = x->row_start32 ? x->row_start32 + span.from : NULL,
                                .column = x->column,
                                .column64 = x->column64,
                                .value = x->value,
                                .value64 = x->value64,
                                .rows = span.count};
}

/* Whether any mean is far from 0, in units of the scaled feature (standard deviations for --scale standard). */
static bool is_far(const struct scale *scale, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        if (fabs(scale->offset[j] * scale->factor[j]) > FAR_FROM_ZERO)
            return true;
    return false;
}

/* Sparse data has no offsets, so folding loses nothing. */
bool scale_folds(const struct matrix *x, const struct scale *scale)
{
    return scale && (x->kind == MATRIX_CSR || !is_far(scale, (size_t)x->columns));
}

/* (l2 / 2) |w|^2 over the first `count` weights, which excludes the intercepts. */
double l2_penalty(const double *w, size_t count, double l2)
{
    size_t i = 0;
    double sum[4] = {0}; /* four independent sums hide the latency of an addition */
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += w[i + k] * w[i + k];
    for (; i < count; i++)
        sum[0] += w[i] * w[i];
    return 0.5 * l2 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* The L1 norm in one sum in the order of the weights; without it, the bits of l2_penalty. */
double penalties(const double *w, size_t count, double l2, double l1)
{
    double sum = 0, smooth = l2_penalty(w, count, l2);
    if (l1 == 0)
        return smooth;
    for (size_t i = 0; i < count; i++)
        sum += fabs(w[i]);
    return smooth + l1 * sum;
}

/* MPI: an error in all processes unless all have chosen the same kernels: different instruction sets round
 * differently, and results would depend on which machine has which rows. */
temper_status check_same_kernel(const struct kernel *kernel, const temper_comm *comm, temper_error *error)
{
    char first[32];
    if (comm_alone(comm))
        return TEMPER_OK;
    snprintf(first, sizeof first, "%s", kernel->name);
    /* Compared with the first process only: equality is transitive. */
    TRY(comm_broadcast(comm, 0, first, sizeof first, error));
    temper_status status = TEMPER_OK;
    if (strcmp(first, kernel->name) != 0)
        status = error_set(error, TEMPER_USAGE,
                           "processes run on different processors (%s, %s); set TEMPER_KERNEL to "
                           "one that all of them have",
                           first, kernel->name);
    return comm_agree(comm, status, error);
}

/* ---- Passes
 * ------------------------------------------------------------------------------------------------------------ */

/* ---- Scaling, folded into the weights -------------------------------------------------------- */

/* Rounds to nearest; values beyond the range of floats become infinite, which sparse_fits_floats rules out for the
 * data. */
static void to_floats(const double *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* Training starts at 0, where the products can be skipped. */
static bool all_zero(const double *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (w[i] != 0)
            return false;
    return true;
}

/* Brings w into the form of the kernels. Scaling is folded in by w . (x - offset) factor + b = (w factor) . x + (b - w
 * factor . offset): scaling the weights once replaces scaling every row. Sparse passes in floats without scaling read
 * the floats alone, so the doubles are then not written. */
static void fold_weights(struct objective *o, enum pass pass, const double *w)
{
    struct pass_weights *weights = &o->weights;
    size_t vectors = o->vectors, plain = o->columns * vectors;
    const struct scale *scale = o->spec.scale;
    bool sparse = o->x->kind == MATRIX_CSR;
    double *raw = weights->raw, *bias = raw + plain;
    bool floats = sparse ? sparse_takes_floats(o, pass) : weights->f32 != NULL;
    weights->all_zero = all_zero(w, plain);
    for (size_t k = 0; k < vectors; k++)
        /* Without an intercept its weight is 0, and folding still changes it by the offsets. */
        bias[k] = o->spec.intercept ? w[plain + k] : 0;
    if (floats && !weights->folded && sparse) {
        to_floats(w, plain, weights->f32);
        return;
    }
    memcpy(raw, w, plain * sizeof *w);
    for (size_t j = 0; weights->folded && j < o->columns; j++)
        for (size_t k = 0; k < vectors; k++) {
            raw[j * vectors + k] *= scale->factor[j];
            bias[k] -= raw[j * vectors + k] * scale->offset[j];
        }
    if (floats)
        to_floats(raw, plain, weights->f32);
}

/* The chain rule for the folded scaling, in place, for columns [from, to). */
static void unfold_gradient(const struct objective *o, size_t from, size_t to, double *gradient)
{
    const struct scale *scale = o->spec.scale;
    for (size_t j = from; o->weights.folded && j < to; j++)
        for (size_t k = 0; k < o->vectors; k++) {
            double *g = &gradient[j * o->vectors + k];
            *g = scaled_derivative(scale, j, *g, o->sums.intercept[k]);
        }
}

/* Mean and penalty for columns [from, to), so that the threads of sparse_gradient can each finish their columns. */
void finish_columns(const struct objective *o, const double *w, size_t from, size_t to, double *gradient)
{
    const double share = 1 / o->weight_sum, l2 = o->spec.l2;
    unfold_gradient(o, from, to, gradient);
    for (size_t i = from * o->vectors; i < to * o->vectors; i++)
        gradient[i] = gradient[i] * share + l2 * w[i];
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* What the workers of one pass share. */
struct pass_job {
    struct objective *o;
    enum pass pass;
};

/* Callback of pool_blocks: one part on one worker. Its sums start at 0, whichever thread runs it, so that they do
 * not depend on the schedule. */
static temper_status run_part(void *context, size_t number, size_t worker)
{
    const struct pass_job *job = context;
    struct objective *o = job->o;
    struct part_sums *part = &o->sums.part[number];
    struct pass_work work = {o, job->pass, part, &o->scratch[worker]};
    part->loss = part->correct = part->squares = 0;
    memset(part->gradient, 0, pass_gradient(o) * sizeof *part->gradient);
    if (o->x->kind == MATRIX_CSR)
        sparse_part(&work, number);
    else if (o->spec.f64)
        dense_part_f64(&work, number);
    else
        dense_part_f32(&work, number);
    return TEMPER_OK;
}

/* Callback of parallel_blocks: the parts of a range, one after another, whose gradients are added up in one array. */
static temper_status run_range(void *context, size_t range, size_t worker)
{
    const struct pass_job *job = context;
    struct objective *o = job->o;
    const size_t parts = o->layout.blocks.parts, end = row_scatter_first_part(parts, range + 1);
    if (pass_has_gradient(job->pass))
        memset(o->sparse.scatter + range * o->columns, 0, o->columns * sizeof *o->sparse.scatter);
    for (size_t part = row_scatter_first_part(parts, range); part < end; part++)
        run_part(context, part, worker);
    return TEMPER_OK;
}

/* All parts, or all ranges of them, on the workers; false without memory. */
static bool run_parts(struct pass_job *job, size_t threads)
{
    struct objective *o = job->o;
    bool scatter = o->sparse.scatter;
    return pool_blocks(o->pool, scatter ? SCATTER_RANGES : o->layout.blocks.parts, threads,
                       scatter ? run_range : run_part, job) == TEMPER_OK;
}

/* Adds the sums of all parts, of all processes, into sums.total. Gradient and totals are one vector, so that MPI sends
 * one message; passes without a gradient add the totals alone. */
static temper_status add_parts(struct objective *o, bool gradient, temper_error *error)
{
    const struct holders holders = {o->spec.data->ranks.comm, o->layout.first_part, &o->sums.among};
    /* Passes without a gradient add the totals alone. */
    size_t skip = gradient ? 0 : pass_gradient(o), length = pass_gradient(o) + TOTALS - skip;
    for (size_t p = 0; p < o->layout.blocks.parts; p++) {
        const struct part_sums *part = &o->sums.part[p];
        double *totals = part->gradient + pass_gradient(o);
        totals[TOTAL_LOSS] = part->loss;
        totals[TOTAL_CORRECT] = part->correct;
        totals[TOTAL_SQUARES] = part->squares;
        o->sums.vector[p] = part->gradient + skip;
    }
    return tree_sum(&holders, o->sums.vector, length, o->sums.total + skip, error);
}

double pass_total(const struct objective *o, size_t which)
{
    return o->sums.total[pass_gradient(o) + which];
}

/* The mean gradient with its penalty, from the sums of the parts. With a transposed copy the parts have summed the
 * intercepts only, and the rest is computed column by column. */
static temper_status take_gradient(struct objective *o, enum pass pass, const double *w, double *gradient,
                                   temper_error *error)
{
    size_t plain = o->columns * o->vectors;
    for (size_t k = 0; o->spec.intercept && k < o->vectors; k++)
        gradient[plain + k] = o->sums.intercept[k] / o->weight_sum;
    if (o->sparse.transposed)
        return sparse_gradient(o, pass, w, gradient, error);
    memcpy(gradient, o->sums.total, plain * sizeof *gradient);
    finish_columns(o, w, 0, o->columns, gradient);
    return TEMPER_OK;
}

/* The means over all rows of what PASS_DIAGONAL computes for each class: the sums of the intercepts of a pass. Without
 * weights there are no scores to compute, and no entry of the data is read. */
temper_status run_diagonal_pass(struct objective *o, double *mean, temper_error *error)
{
    struct pass_job job = {o, PASS_DIAGONAL};
    o->weights.all_zero = true;
    if (!run_parts(&job, threads_worth(o->workers, (double)o->rows * (double)o->vectors)))
        return error_no_memory(error);
    TRY(add_parts(o, true, error));
    for (size_t k = 0; k < o->vectors; k++)
        mean[k] = o->sums.intercept[k] / o->weight_sum;
    return TEMPER_OK;
}

/* The order is fixed: weights, scores of all rows where a SELL-16 copy gives them, parts, their sum, gradient. */
temper_status run_pass(struct objective *o, enum pass pass, const double *w, double *gradient, temper_error *error)
{
    struct pass_job job = {o, pass};
    /* The number of multiplications decides how many threads are worth waking. */
    size_t threads = threads_worth(o->workers, (double)o->x->nonzeros * (double)o->vectors);
    fold_weights(o, pass, w);
    if (o->sparse.transposed)
        TRY(sparse_activate(o, pass, threads, error));
    if (!run_parts(&job, threads))
        return error_no_memory(error);
    if (pass == PASS_WEIGH)
        return TEMPER_OK; /* its results are numbers of rows, not sums */
    TRY(add_parts(o, gradient != NULL, error));
    return gradient ? take_gradient(o, pass, w, gradient, error) : TEMPER_OK;
}
