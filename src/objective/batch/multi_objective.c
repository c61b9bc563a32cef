/* multi_objective: creation of a batched objective, and its passes: requests are processed in batches, each of which is
 * one pass over the rows.
 *
 * The weights of the requests of a batch are the columns of a matrix W, so that the scores of a block of rows are one
 * matrix product X W instead of many products of a matrix and a vector, and the gradients are X' R with the matrix R of
 * residuals. A row that a member holds out has weight 0 for it. Sums are made by parts of the rows and added by a fixed
 * tree, as in objective/pass.c. */
#include "objective/batch/multi_objective.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/batch/multi_objective_internal.h"
#include "tempered/loss_family.h"

enum {
    /* Gradients are added to the part's sums once a block. For this to be a small share of the time, a block has */
    LEAST_ROWS = 256,  /* rows, even if it then exceeds the cache a little, */
    MOST_WIDE = 16384, /* unless there are more columns */
    SPARSE_ROWS = 128,
    TRANSPOSE_BYTES = 512 * 1024, /* larger gradients are computed from a transposed copy */
};

/* Whether this dataset can be fitted in batches: two classes only, since each request is one column of the weight
 * matrix. */
bool multi_supports(const struct dataset *data)
{
    return data->label && data->classes.count == 2;
}

/* ---- Members --------------------------------------------------------------------------------- */

/* The table of a two-temperature loss, built on first use and shared by members of equal temperatures; NULL without
 * memory. The objective owns it. */
static const struct margin_table *table_for(struct multi_objective *multi, temper_loss_spec loss)
{
    /* A linear search: few temperatures occur in one search. */
    for (size_t k = 0; k < multi->tables; k++)
        if (multi->table[k]->t1 == loss.t1 && multi->table[k]->t2 == loss.t2)
            return multi->table[k];
    struct margin_table *table = mem_aligned(1, sizeof *table);
    if (!table)
        return NULL;
    margin_table_build(table, loss.t1, loss.t2);
    multi->table[multi->tables++] = table;
    return table;
}

/* Whether the member before has the same rows: members of one fold are usually neighbours, and the sum of weights is
 * then copied. */
static bool like_last(const struct multi_objective *multi, size_t i)
{
    const struct multi_member_state *member = &multi->member[i];
    return i && member[-1].partition == member->partition && member[-1].part == member->part;
}

/* Adds the weights of each member's rows; called by one process after the other with the sums so far, so that the
 * order of additions is that of a single process. */
static void add_weights(void *context, void *state)
{
    const struct multi_objective *multi = context;
    const struct dataset *data = multi->spec.data;
    double *sum = state;
    for (size_t i = 0; i < multi->members; i++) {
        const struct multi_member_state *member = &multi->member[i];
        /* Rows of the member's held-out part do not count. */
        for (size_t row = 0; !like_last(multi, i) && row < data->x.rows; row++)
            if (!member->partition || member->partition[row] != member->part)
                sum[i] += data->weight ? data->weight[row] : 1;
    }
}

/* The divisor of each member's sums: the total weight of the rows outside of its held-out part. */
static temper_status sum_weights(struct multi_objective *multi, temper_error *error)
{
    double *sum = mem_zeroed(multi->members, sizeof *sum);
    if (!sum)
        return error_no_memory(error);
    /* One pass for all members, in the order of the rows. */
    temper_status status =
        comm_in_turn(multi->spec.data->ranks.comm, add_weights, multi, sum, multi->members * sizeof *sum, error);
    for (size_t i = 0; i < multi->members; i++)
        multi->member[i].weight_sum = like_last(multi, i) ? multi->member[i - 1].weight_sum : sum[i];
    mem_free(sum);
    return status;
}

/* Resolves each member: its loss table and the partition from which its part is held out. false without memory. */
static bool make_members(struct multi_objective *multi, const struct multi_member *members)
{
    for (size_t i = 0; i < multi->members; i++) {
        const struct multi_member *from = &members[i];
        struct multi_member_state *to = &multi->member[i];
        *to = (struct multi_member_state){
            .losses = {.kernel = multi->kernel, .loss = from->loss}, .l2 = from->l2, .part = from->part};
        /* Without a partition the member is fitted on all rows. */
        if (from->partition != MULTI_NO_PARTITION)
            to->partition = multi->spec.partition[from->partition];
        if (loss_is_two_temperature(from->loss) && !(to->losses.table = table_for(multi, from->loss)))
            return false;
    }
    return true;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The buffers of one worker; threads share none. Sizes are for the widest batch, MULTI_WIDTH requests. false without
 * memory. */
static bool allocate_scratch(const struct multi_objective *multi, struct multi_scratch *s)
{
    size_t real = multi->spec.f64 ? sizeof(double) : sizeof(float), rows = multi->stride;
    bool dense = multi->x->kind != MATRIX_CSR;
    /* Sparse data needs no copy of its rows, but scores by row before they are transposed. */
    s->rows = mem_aligned(rows, (dense ? multi->columns : MULTI_WIDTH) * real);
    /* Workspace of the dense kernels; sparse ones need none. */
    s->linear = mem_aligned(dense ? linear_scratch(rows, multi->columns, MULTI_WIDTH) : 0, real);
    s->activation = mem_aligned(rows * MULTI_WIDTH, real);
    s->residual = mem_aligned(rows * MULTI_WIDTH, real);
    s->signed_weight = mem_aligned(rows * MULTI_WIDTH, sizeof(double));
    /* Margins, values and slopes; curvatures are never needed here. */
    for (size_t n = 0; n < 3; n++)
        if (!(s->number[n] = mem_aligned(rows, sizeof(double))))
            return false;
    return s->rows && s->linear && s->activation && s->residual && s->signed_weight;
}

/* Losses, intercepts and gradients of a part are one array, so that the tree sum adds them in one message. */
static struct multi_sums sums_at(double *block)
{
    return (struct multi_sums){block, block + MULTI_WIDTH, block + (size_t)2 * MULTI_WIDTH};
}

/* Length of a part's sums. With a transposed copy, gradients are not summed by parts. */
static size_t part_numbers(const struct multi_objective *multi)
{
    return (multi->transposed ? 2 : 2 + multi->columns) * MULTI_WIDTH;
}

/* The total always contains the gradients. */
static size_t total_numbers(const struct multi_objective *multi)
{
    return (2 + multi->columns) * MULTI_WIDTH;
}

/* The sums of all parts in one allocation, and their total. false without memory; multi_objective_free frees the rest.
 */
static bool allocate_sums(struct multi_objective *multi)
{
    /* One array for the numbers of all parts, so that they are released at once. */
    size_t parts = multi->layout.parts, each = part_numbers(multi);
    multi->first = row_partition_holders_together(&multi->parts, multi->spec.data->ranks.comm);
    multi->sums = mem_zeroed(parts, sizeof *multi->sums);
    multi->vectors_of = (double **)mem_zeroed(parts, sizeof *multi->vectors_of);
    multi->numbers = mem_aligned(parts, each * sizeof(double));
    double *total = mem_aligned(total_numbers(multi), sizeof *total);
    if (!total)
        return false;
    multi->total = sums_at(total);
    if (!multi->first || !multi->sums || !multi->vectors_of || !multi->numbers)
        return false;
    /* Pointers into that array, in the two forms in which it is used. */
    for (size_t p = 0; p < parts; p++) {
        multi->vectors_of[p] = multi->numbers + p * each;
        multi->sums[p] = sums_at(multi->vectors_of[p]);
    }
    return true;
}

/* Everything but the transposed copy; false without memory. No more tables than members can be needed. */
static bool allocate(struct multi_objective *multi)
{
    size_t real = multi->spec.f64 ? sizeof(double) : sizeof(float);
    /* [feature * count + request], at most MULTI_WIDTH requests. */
    size_t gradient = multi->columns * MULTI_WIDTH;
    multi->member = mem_zeroed(multi->members, sizeof *multi->member);
    multi->table = (struct margin_table **)mem_zeroed(multi->members, sizeof(void *));
    multi->scratch = mem_zeroed(multi->workers, sizeof *multi->scratch);
    multi->weights = mem_aligned(gradient, real);
    multi->pool = multi->workers > 1 ? thread_pool_new(multi->workers) : NULL;
    if (multi->workers > 1 && !multi->pool)
        return false;
    if (!multi->member || !multi->table || !multi->scratch || !multi->weights || !allocate_sums(multi))
        return false;
    for (size_t i = 0; i < multi->workers; i++)
        if (!allocate_scratch(multi, &multi->scratch[i]))
            return false;
    return true;
}

static void free_scratch(const struct multi_scratch *s)
{
    void *blocks[] = {s->rows,          s->linear,    s->activation, s->residual,
                      s->signed_weight, s->number[0], s->number[1],  s->number[2]};
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        mem_free(blocks[n]);
}

/* Also after a creation that failed half-way: everything is zeroed at first. */
void multi_objective_free(struct multi_objective *multi)
{
    if (!multi)
        return;
    for (size_t i = 0; multi->scratch && i < multi->workers; i++)
        free_scratch(&multi->scratch[i]);
    for (size_t k = 0; k < multi->tables; k++)
        mem_free(multi->table[k]);
    mem_free((void *)multi->table);
    mem_free(multi->member);
    mem_free(multi->first);
    tree_buffers_free(&multi->among);
    mem_free(multi->sums);
    mem_free((void *)multi->vectors_of);
    mem_free(multi->numbers);
    mem_free(multi->total.number);
    mem_free(multi->scratch);
    mem_free(multi->weights);
    mem_free(multi->residual);
    mem_free(multi->all_residuals);
    csc_free(&multi->csc);
    thread_pool_free(multi->pool);
    mem_free(multi);
}

/* ---- Creation -------------------------------------------------------------------------------- */

/* Whether the sizes of all buffers can be computed without overflow: none exceeds this product. */
static bool fits(const struct dataset *data)
{
    size_t size, rows = (size_t)data->x.rows, columns = (size_t)data->x.columns;
    return mul_size(columns + 1, (size_t)MULTI_WIDTH * 8 * sizeof(double), &size) && mul_size(rows + 2048, size, &size);
}

/* Rows of a block: by the cache, but at least LEAST_ROWS, since the gradients are added to the sums once a block. */
static size_t dense_block_rows(const struct multi_objective *multi)
{
    size_t rows = linear_block_rows(multi->columns, MULTI_WIDTH, multi->spec.f64 ? sizeof(double) : sizeof(float));
    return rows < LEAST_ROWS && multi->columns <= MOST_WIDE ? LEAST_ROWS : rows;
}

/* Chooses blocks and parts from the shape of the data alone, so that results do not depend on threads or processes. A
 * sum of this objective covers `together` parts of the partition. */
static void choose_parts(struct multi_objective *multi)
{
    const struct dataset *data = multi->spec.data;
    bool sparse = multi->x->kind == MATRIX_CSR;
    /* The gradients of a full batch decide whether a transposed copy is worth its memory. */
    double gradient = (double)multi->columns * MULTI_WIDTH * sizeof(double);
    size_t block_rows = sparse ? SPARSE_ROWS : dense_block_rows(multi);
    size_t rank = comm_rank(data->ranks.comm), ranks = comm_size(data->ranks.comm);
    /* Row indices of the transposed copy have 32 bits. */
    multi->transposed = sparse && dataset_all_rows(data) <= UINT32_MAX && gradient > TRANSPOSE_BYTES;
    /* An odd multiple of the padding: equal rows of neighbouring requests then never map to the same cache set. */
    multi->stride = ((block_rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD | 1) * SOFTMAX_PAD;
    multi->parts = row_partition_of(data);
    size_t part_rows = multi->parts.rows_each * multi->parts.together;
    /* Whole sums, so that no process holds a part of one. */
    size_t first = row_partition_first(&multi->parts, rank, ranks);
    size_t end = row_partition_first(&multi->parts, rank + 1, ranks);
    multi->layout = (struct block_layout){.rows = multi->rows,
                                          .block_rows = block_rows,
                                          .part_rows = part_rows,
                                          .part_blocks = (part_rows + block_rows - 1) / block_rows,
                                          .parts = (end - first + multi->parts.together - 1) / multi->parts.together};
}

/* Sets what follows from the specification and the shape, without allocating: multi_bytes uses it too. */
static void fill(struct multi_objective *multi, const struct multi_spec *spec)
{
    multi->spec = *spec;
    multi->x = &spec->data->x;
    multi->rows = (size_t)multi->x->rows;
    multi->columns = (size_t)multi->x->columns;
    multi->size = multi->columns + (spec->intercept ? 1 : 0);
    /* Scaling that changes nothing is not applied. */
    if (spec->scale && spec->scale->kind == SCALE_NONE)
        multi->spec.scale = NULL;
    /* Sparse data is multiplied in doubles: its scores are sums of few products, gathered one by one. */
    if (multi->x->kind == MATRIX_CSR)
        multi->spec.f64 = true;
    multi->fold = scale_folds(multi->x, multi->spec.scale);
    choose_parts(multi);
    /* A sum is the unit of work. */
    multi->workers = spec->threads < multi->layout.parts ? spec->threads : multi->layout.parts;
    if (multi->workers < 1)
        multi->workers = 1;
}

/* Members are kept in their order, by which requests refer to them. *out is set on success only. */
temper_status multi_objective_new(const struct multi_spec *spec, const struct multi_member *members, size_t count,
                                  struct multi_objective **out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    /* Checked before anything is computed from these sizes. */
    struct multi_objective *multi = fits(spec->data) ? mem_zeroed(1, sizeof *multi) : NULL;
    if (!multi)
        return error_no_memory(error);
    multi->kernel = kernel;
    multi->members = count;
    fill(multi, spec);
    /* MPI: all processes take part in the sum of the weights. */
    temper_status status =
        allocate(multi) && make_members(multi, members) ? sum_weights(multi, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = check_same_kernel(kernel, spec->data->ranks.comm, error);
    /* Last, since it is the largest. */
    if (status == TEMPER_OK && multi->transposed)
        status = multi_transpose(multi, error);
    if (status == TEMPER_OK)
        *out = multi;
    else
        multi_objective_free(multi);
    return status;
}

/* Bytes that multi_objective_new will allocate, for --memory; it must be kept in step with the allocations above.
 * *block: bytes of the rows of a block. */
double multi_bytes(const struct multi_spec *spec, double *block)
{
    struct multi_objective g = {0};
    fill(&g, spec);
    double real = g.spec.f64 ? sizeof(double) : sizeof(float), rows = (double)g.stride;
    double columns = (double)g.columns, gradient = columns * MULTI_WIDTH;
    bool dense = g.x->kind != MATRIX_CSR;
    double scratch = rows * real * ((dense ? columns : MULTI_WIDTH) + 2 * MULTI_WIDTH) +
                     rows * sizeof(double) * (MULTI_WIDTH + 3) +
                     (dense ? real * (double)linear_scratch(g.stride, g.columns, MULTI_WIDTH) : 0);
    double transposed = g.transposed ? csc_bytes(g.x, spec->data->storage.memory_limit, g.workers) +
                                           (double)g.rows * MULTI_WIDTH * sizeof(double)
                                     : 0;
    *block = (double)matrix_bytes(g.x) / ((double)g.rows + 1) * (double)g.layout.block_rows;
    /* Sums of all parts, and their total. */
    double sums = (double)part_numbers(&g) * (double)g.layout.parts + (double)total_numbers(&g);
    return sums * sizeof(double) + gradient * real + scratch * (double)g.workers + transposed;
}

size_t multi_size(const struct multi_objective *multi)
{
    return multi->size;
}

struct thread_pool *multi_threads(const struct multi_objective *multi)
{
    return multi->pool;
}

/* ---- A batch --------------------------------------------------------------------------------- */

/* The index of the member's rows among the subsets of the batch, added if it is new. Members that are fitted on the
 * same rows share their row weights. */
static size_t subset_of(struct request_batch *batch, const struct multi_member_state *member)
{
    size_t k = 0;
    /* Partitions are compared by address: members of one search share them. */
    while (k < batch->subsets && (batch->subset[k].partition != member->partition ||
                                  (member->partition && batch->subset[k].part != member->part)))
        k++;
    batch->subset[k] = (struct row_subset){member->partition, member->part};
    if (k == batch->subsets)
        batch->subsets++;
    return k;
}

/* Adds a request to the batch; the caller adds those with a gradient first, so that their residuals are adjacent
 * columns. */
static void add_request(struct multi_objective *multi, struct multi_request *request)
{
    struct request_batch *batch = &multi->batch;
    const struct multi_member_state *member = &multi->member[request->member];
    batch->column[batch->count++] =
        (struct multi_column){.request = request, .member = member, .subset = subset_of(batch, member)};
    batch->evaluated += request->kind == MULTI_EVALUATE;
}

/* ---- Its sums -------------------------------------------------------------------------------- */

/* Length of a part's sums for this batch: gradients only of the requests that need one. */
static size_t part_length(const struct multi_objective *multi)
{
    return (size_t)2 * MULTI_WIDTH + (multi->residual ? 0 : multi->columns * multi->batch.evaluated);
}

/* Callback of pool_blocks: one part on one worker. Its sums start at 0, whichever thread runs it. */
static temper_status run_part(void *context, size_t number, size_t worker)
{
    struct multi_objective *multi = context;
    struct multi_sums *sums = &multi->sums[number];
    const struct multi_work work = {multi, sums, &multi->scratch[worker]};
    /* Only as much of the sums as this batch uses. */
    memset(sums->number, 0, part_length(multi) * sizeof *sums->number);
    if (multi->x->kind == MATRIX_CSR)
        multi_part_sparse(&work, number);
    else if (multi->spec.f64)
        multi_part_f64(&work, number);
    else
        multi_part_f32(&work, number);
    return TEMPER_OK;
}

/* Features [from, to) of one gradient, from the sums over rows: undoes the folded scaling by the chain rule, divides
 * by the weight of the rows, adds the gradient of the penalty. */
static void finish_columns_of(const struct multi_objective *multi, size_t c, size_t from, size_t to)
{
    const struct multi_column *column = &multi->batch.column[c];
    const struct scale *scale = multi->fold ? multi->spec.scale : NULL;
    const double *sum = multi->total.gradient + c, *w = column->request->w;
    double intercept = multi->total.intercept[c], weight = column->member->weight_sum;
    for (size_t j = from; j < to; j++) {
        /* Adjacent requests are adjacent in memory. */
        double g = sum[j * multi->batch.evaluated];
        if (scale)
            g = scaled_derivative(scale, j, g, intercept);
        column->request->gradient[j] = g / weight + column->member->l2 * w[j];
    }
}

/* Tile by tile: the total is stored [feature * evaluated + request], and a tile of it stays in the cache for all
 * requests. */
static void finish_gradients(const struct multi_objective *multi)
{
    for (size_t from = 0; from < multi->columns; from += MULTI_TILE) {
        size_t left = multi->columns - from, count = left < MULTI_TILE ? left : MULTI_TILE;
        for (size_t c = 0; c < multi->batch.evaluated; c++)
            finish_columns_of(multi, c, from, from + count);
    }
    /* The intercept is neither scaled nor penalised. */
    for (size_t c = 0; multi->spec.intercept && c < multi->batch.evaluated; c++) {
        const struct multi_column *column = &multi->batch.column[c];
        column->request->gradient[multi->columns] = multi->total.intercept[c] / column->member->weight_sum;
    }
}

/* From the sums to the results: mean losses with penalty, root mean squares of scores. */
static void finish(const struct multi_objective *multi)
{
    finish_gradients(multi);
    for (size_t c = 0; c < multi->batch.count; c++) {
        const struct multi_column *column = &multi->batch.column[c];
        struct multi_request *request = column->request;
        double mean = multi->total.number[c] / column->member->weight_sum;
        if (request->kind == MULTI_LENGTH)
            request->number = sqrt(mean);
        if (request->kind == MULTI_EVALUATE)
            request->number = mean + l2_penalty(request->w, multi->columns, column->member->l2);
    }
}

/* One pass over all rows for the requests of the batch, which is empty afterwards. */
static temper_status run_batch(struct multi_objective *multi, temper_error *error)
{
    struct request_batch *batch = &multi->batch;
    /* The number of multiplications decides how many threads are worth waking. */
    double work = (double)multi->x->nonzeros * (double)batch->count;
    size_t threads = threads_worth(multi->workers, work);
    if (multi->spec.f64)
        multi_pack_f64(multi);
    else
        multi_pack_f32(multi);
    /* The processes that hold the sums, for the tree sum. */
    const struct holders holders = {multi->spec.data->ranks.comm, multi->first, &multi->among};
    temper_status status = pool_blocks(multi->pool, multi->layout.parts, threads, run_part, multi);
    status = status == TEMPER_OK ? tree_sum(&holders, multi->vectors_of, part_length(multi), multi->total.number, error)
                                 : error_no_memory(error);
    /* The parts have stored residuals instead of gradients. */
    if (status == TEMPER_OK && multi->residual && batch->evaluated)
        status = multi_csc_gradient(multi, threads, error);
    if (status == TEMPER_OK)
        finish(multi);
    /* Emptied after failures too: a later call starts with its own requests. */
    batch->count = batch->evaluated = batch->subsets = 0;
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Processes all requests in batches of about equal width: a narrow last batch would cost nearly as much as a full one.
 * Requests with a gradient come first, so that only the batch in which they end is mixed. */
temper_status multi_evaluate(struct multi_objective *multi, struct multi_request *requests, size_t count,
                             temper_error *error)
{
    static const enum multi_kind order[] = {MULTI_EVALUATE, MULTI_LENGTH, MULTI_SCORES};
    /* Equal widths: ceil(count / batches) each. */
    size_t batches = (count + MULTI_WIDTH - 1) / MULTI_WIDTH;
    size_t width = batches ? (count + batches - 1) / batches : 0;
    temper_status status = TEMPER_OK;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < count && status == TEMPER_OK; i++) {
            if (requests[i].kind != order[k])
                continue;
            add_request(multi, &requests[i]);
            if (multi->batch.count == width)
                status = run_batch(multi, error);
        }
    if (status == TEMPER_OK && multi->batch.count > 0)
        status = run_batch(multi, error);
    return status;
}
