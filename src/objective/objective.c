/* objective: creation of an objective, and the calls that the optimiser makes: value and gradient, Hessian-vector
 * products, lengths. The work over rows is in pass.c.
 *
 * All memory is allocated when the objective is created: for each worker the buffers of a block of rows, for each part
 * of the rows a gradient and its totals, and, where Hessians are wanted, two sets of curvatures, of the point last
 * evaluated and of the point accepted. Two-temperature losses of two classes have a table of the margin. An objective
 * of remote rows has none of that: its passes are requests to the workers. */
#include "objective/objective.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/objective_internal.h"
#include "tempered/loss_family.h"

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Divides the rows into blocks and parts, from the shape of the data alone: the division is part of the order of
 * summation. Each process has whole parts. */
static void choose_layout(struct objective *o)
{
    const temper_comm *comm = o->spec.data->ranks.comm;
    size_t rank = comm_rank(comm), ranks = comm_size(comm);
    /* By the size of the caches: a block is read twice, for scores and for the gradient. */
    size_t block_rows = o->x->kind == MATRIX_CSR
                            ? row_partition_sparse_block(o->classes)
                            : linear_block_rows(o->columns, o->classes, o->spec.f64 ? sizeof(double) : sizeof(float));
    /* Buffers have room for the rows of a block, or for all rows if these are fewer: memory that no pass will touch
     * would still cost a small training page faults. */
    size_t buffered = o->rows < block_rows ? o->rows + !o->rows : block_rows;
    /* An odd multiple: the entries of a row for neighbouring classes then never map to the same cache set. */
    o->stride = ((buffered + SOFTMAX_PAD - 1) / SOFTMAX_PAD | 1) * SOFTMAX_PAD;
    const struct row_partition partition = o->layout.partition = row_partition_of(o->spec.data);
    o->sparse.transposed = partition.transposed || (o->spec.by_column && !o->spec.no_copies && sparse_sell16_pays(o));
    o->sparse.scattered = partition.transposed && sparse_scatter_pays(o);
    o->sparse.by_rows = partition.transposed && o->vectors == 1 && o->spec.no_copies && !o->sparse.scattered;
    /* Their products are in doubles. */
    if (o->sparse.scattered || o->sparse.by_rows)
        o->spec.floats = false;
    o->layout.blocks = (struct block_layout){.rows = o->rows,
                                             .block_rows = block_rows,
                                             .part_rows = partition.rows_each,
                                             .part_blocks = (partition.rows_each + block_rows - 1) / block_rows,
                                             .parts = row_partition_first(&partition, rank + 1, ranks) -
                                                      row_partition_first(&partition, rank, ranks)};
}

/* Sets everything that needs no allocation; objective_bytes uses it too, for an objective that is never created. */
void objective_shape(struct objective *o, const struct objective_spec *spec)
{
    const struct dataset *data = spec->data;
    o->spec = *spec;
    o->x = &data->x;
    o->label = data->label;
    o->rows = (size_t)data->x.rows;
    o->columns = (size_t)data->x.columns;
    o->classes = data->classes.count;
    o->vectors = weight_vectors(o->classes);
    /* One intercept for each weight vector. */
    o->size = (o->columns + (spec->intercept ? 1 : 0)) * o->vectors;
    o->workers = spec->threads < 1 ? 1 : spec->threads;
    /* Sparse data computes in doubles, except for the passes of sparse_takes_floats. */
    if (o->x->kind == MATRIX_CSR)
        o->spec.f64 = true;
    /* Scaling that changes nothing is not applied. */
    if (spec->scale && spec->scale->kind == SCALE_NONE)
        o->spec.scale = NULL;
    o->weights.folded = scale_folds(o->x, o->spec.scale);
    choose_layout(o);
    /* A part is the unit of work, so more workers than parts would be idle. */
    if (o->workers > o->layout.blocks.parts)
        o->workers = o->layout.blocks.parts < 1 ? 1 : o->layout.blocks.parts;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The buffers of each worker, so that threads share none; false without memory, and objective_free frees the rest.
 * Scores are doubles even in float passes, since binary_rows converts them. */
static bool allocate_scratch(struct objective *o)
{
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    /* Scores of a block: one number a row, or one for each class. */
    size_t rows = o->stride, outputs = rows * (o->vectors == 1 ? 1 : o->classes);
    bool dense = o->x->kind != MATRIX_CSR;
    o->scratch = mem_zeroed(o->workers, sizeof *o->scratch);
    for (size_t i = 0; o->scratch && i < o->workers; i++) {
        struct pass_scratch *s = &o->scratch[i];
        s->first = mem_aligned(outputs, sizeof(double));
        s->second = mem_aligned(outputs, sizeof(double));
        s->third = mem_aligned(outputs, sizeof(double));
        s->classes = mem_alloc(2 * o->classes, sizeof *s->classes);
        s->loss = mem_aligned(rows, sizeof(double));
        /* A block of rows in the type of the sums. */
        s->rows = dense ? mem_aligned(linear_wide(rows, o->columns), real) : NULL;
        s->linear = dense ? mem_aligned(linear_scratch(rows, o->columns, o->classes), real) : NULL;
        if (!s->first || !s->second || !s->third || !s->classes || !s->loss || (dense && (!s->rows || !s->linear)))
            return false;
        for (size_t n = 0; n < 4; n++)
            if (!(s->number[n] = mem_aligned(rows, sizeof(double))))
                return false;
    }
    return o->scratch != NULL;
}

/* One gradient for each part, with its totals behind it, and the sum over parts. false without memory. */
static bool allocate_sums(struct objective *o)
{
    struct pass_sums *sums = &o->sums;
    /* The totals are part of the vector that the tree adds. */
    size_t length = pass_gradient(o) + TOTALS, parts = o->layout.blocks.parts;
    sums->part = mem_zeroed(parts, sizeof *sums->part);
    sums->vector = (double **)mem_zeroed(parts, sizeof *sums->vector);
    sums->numbers = mem_aligned(parts, length * sizeof *sums->numbers);
    sums->total = mem_aligned(length, sizeof *sums->total);
    for (size_t p = 0; sums->part && sums->numbers && p < parts; p++)
        sums->part[p].gradient = sums->numbers + p * length;
    if (sums->total)
        /* The intercepts' entries are the last of the gradient, with and without a transposed copy. */
        sums->intercept = sums->total + pass_gradient(o) - o->vectors;
    return sums->part && sums->vector && sums->numbers && sums->total;
}

/* What the Hessian is computed from, at two points: the optimiser may reject the last evaluated point and continue
 * from the accepted one. Nothing if no Hessian is wanted. */
static bool allocate_curvature(struct objective *o)
{
    struct curvature_state *c = &o->curvature;
    /* Whole blocks with padding, for the kernels. */
    size_t entries = o->layout.blocks.parts * o->layout.blocks.part_blocks * o->stride;
    bool many = o->vectors > 1;
    if (!o->spec.curvature || !objective_can_multiply(o))
        return true;
    /* Shared by both points: only the accepted one has a Hessian. */
    if (many && (!(c->escort_power = mem_alloc(entries, o->classes * sizeof(double))) ||
                 !(c->label_term = mem_alloc(o->rows, sizeof(double)))))
        return false;
    for (size_t i = 0; i < 2; i++) {
        struct eval_point *point = &c->point[i];
        if (many) {
            point->residual = mem_alloc(entries, o->classes * sizeof(double));
            point->loss = mem_alloc(o->rows, sizeof(double));
        } else {
            point->curvature = mem_alloc(o->rows, sizeof(double));
        }
        if (many ? !point->residual || !point->loss : !point->curvature)
            return false;
    }
    return true;
}

/* Builds the table of a margin loss, which is finer for more rows: errors of interpolation must stay small in their
 * sum. Rows with a given weight_sum are a shard of a dataset of unknown size, which gets the finest table. */
static void make_table(struct objective *o)
{
    const uint64_t rows = o->spec.weight_sum > 0 ? UINT64_MAX : dataset_all_rows(o->spec.data);
    margin_table_for_rows(o->table, o->spec.loss.t1, o->spec.loss.t2, rows, !o->spec.f64);
}

/* Allocates what a local objective needs; false without memory. */
static bool allocate(struct objective *o)
{
    size_t plain = o->columns * o->vectors;
    o->layout.first_part = row_partition_holders(&o->layout.partition, o->spec.data->ranks.comm);
    /* Intercepts behind the other weights. */
    o->weights.raw = mem_aligned(plain + o->vectors, sizeof *o->weights.raw);
    /* Weights in floats: for dense data in floats, and for sparse passes that gather floats. */
    bool floats = !o->spec.f64 || sparse_two_floats(o) ||
                  (o->x->kind == MATRIX_CSR && o->vectors > 1 && o->spec.curvature && objective_can_multiply(o));
    if (floats && (o->x->kind != MATRIX_CSR || sparse_fits_floats(o->x)) &&
        !(o->weights.f32 = mem_aligned(plain, sizeof *o->weights.f32)))
        return false;
    /* Only two classes have a loss of one margin. */
    if (o->vectors == 1 && loss_is_two_temperature(o->spec.loss)) {
        o->table = mem_aligned(1, sizeof *o->table);
        if (!o->table)
            return false;
        make_table(o);
    }
    return o->layout.first_part && o->weights.raw && allocate_sums(o) && allocate_curvature(o) && allocate_scratch(o);
}

/* The macro counts its arguments, so that a list of pointers is freed in one line. */
static void free_blocks(void *const *block, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mem_free(block[i]);
}

#define FREE_BLOCKS(...) free_blocks((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

void objective_free(struct objective *o)
{
    if (!o)
        return;
    for (size_t i = 0; o->scratch && i < o->workers; i++) {
        const struct pass_scratch *s = &o->scratch[i];
        FREE_BLOCKS(s->rows, s->linear, s->first, s->second, s->third, s->classes, s->loss, s->gram);
        FREE_BLOCKS(s->number[0], s->number[1], s->number[2], s->number[3]);
    }
    for (size_t i = 0; i < 2; i++)
        FREE_BLOCKS(o->curvature.point[i].curvature, o->curvature.point[i].residual, o->curvature.point[i].loss);
    FREE_BLOCKS(o->curvature.escort_power, o->curvature.label_term, o->curvature.row_weight, o->curvature.class_weight,
                o->curvature.row_norm);
    FREE_BLOCKS(o->sums.part, (void *)o->sums.vector, o->sums.numbers, o->sums.total);
    tree_buffers_free(&o->sums.among);
    FREE_BLOCKS(o->weights.raw, o->weights.f32, o->layout.first_part, o->table, o->scratch, o->reply);
    /* Nothing was made otherwise. */
    if (o->sparse.transposed)
        sparse_free(&o->sparse);
    thread_pool_free(o->pool);
    mem_free(o);
}

/* ---- Creation -------------------------------------------------------------------------------- */

/* Whether the sizes of all arrays can be computed without overflow: each has at most rows or columns times classes
 * numbers, with a factor below 8 * sizeof(double). */
static bool fits(const struct dataset *data)
{
    size_t size, rows = (size_t)data->x.rows, columns = (size_t)data->x.columns;
    size_t classes = data->classes.count;
    return mul_size(columns + 1, classes, &size) && mul_size(size, 8 * sizeof(double), &size) &&
           mul_size(rows + 2048, classes, &size) && mul_size(size, 8 * sizeof(double), &size);
}

/* Callback of comm_in_turn: adds this process's weights to the sum so far. */
static void add_weights(void *context, void *state)
{
    const struct objective *o = context;
    double *sum = state;
    for (size_t row = 0; row < o->rows; row++)
        *sum += o->spec.data->weight[row];
}

/* The divisor of all sums. Without weights it is the number of rows; with them, processes add theirs one after
 * another, so that the sum has the bits of one loop over all rows. */
static temper_status sum_weights(struct objective *o, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    double sum = 0;
    /* Exact for up to 2^53 rows. */
    o->weight_sum = o->spec.weight_sum > 0 ? o->spec.weight_sum : (double)dataset_all_rows(data);
    if (!data->weight || o->spec.weight_sum > 0)
        return TEMPER_OK;
    TRY(comm_in_turn(data->ranks.comm, add_weights, o, &sum, sizeof sum, error));
    o->weight_sum = sum;
    return TEMPER_OK;
}

/* Makes a local objective ready; a remote one has only a reply buffer. */
static temper_status prepare(struct objective *o, temper_error *error)
{
    bool complete = allocate(o);
    if (complete && o->spec.keeps_threads && o->workers > 1)
        complete = (o->pool = thread_pool_new(o->workers)) != NULL;
    TRY(comm_agree(o->spec.data->ranks.comm, complete ? TEMPER_OK : error_no_memory(error), error));
    TRY(sum_weights(o, error));
    TRY(check_same_kernel(o->kernel, o->spec.data->ranks.comm, error));
    return o->sparse.transposed ? sparse_prepare(o, error) : TEMPER_OK;
}

/* *out is set on success only; the caller frees it with objective_free. */
temper_status objective_new(const struct objective_spec *spec, struct objective **out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    /* Refused as lack of memory, which an overflow of sizes amounts to. */
    struct objective *o = fits(spec->data) ? mem_zeroed(1, sizeof *o) : NULL;
    if (!o)
        return error_no_memory(error);
    o->kernel = kernel;
    objective_shape(o, spec);
    temper_status status = spec->engine ? remote_objective_new(o, error) : prepare(o, error);
    if (status != TEMPER_OK) {
        objective_free(o);
        return status;
    }
    *out = o;
    return TEMPER_OK;
}

/* ---- Properties ------------------------------------------------------------------------------ */

size_t objective_size(const struct objective *o)
{
    return o->size;
}

size_t objective_vectors(const struct objective *o)
{
    return o->vectors;
}

/* Of data with few columns the parts have gradients, and products are those of the rows. */
bool objective_misses_copies(const struct objective *o)
{
    const bool few_columns = !o->sparse.transposed && o->spec.by_column && sparse_sell16_pays(o);
    return o->spec.no_copies && (o->sparse.by_rows || few_columns);
}

void objective_set_l2(struct objective *o, double l2)
{
    o->spec.l2 = l2;
}

void objective_set_l1(struct objective *o, double l1)
{
    o->spec.l1 = l1;
}

/* Another loss, as each phase of a training may have. The table is rebuilt in place, and
 * only if they differ. */
void objective_set_loss(struct objective *o, temper_loss_spec loss)
{
    o->spec.loss = loss;
    if (o->table && (o->table->t1 != loss.t1 || o->table->t2 != loss.t2))
        make_table(o);
}

void objective_set_transition(struct objective *o, const double *by_label)
{
    o->transition = by_label;
}

/* Weights are read in each pass; only their sum is kept. */
temper_status objective_reweigh(struct objective *o, temper_error *error)
{
    return sum_weights(o, error);
}

/* Hessian-vector products: two classes always (by the curvature of each row); many classes in doubles and for the
 * two-temperature family, the derivatives of which multiclass_f64.c has. */
bool objective_can_multiply(const struct objective *o)
{
    return o->vectors == 1 || (o->spec.f64 && loss_is_two_temperature(o->spec.loss));
}

double objective_loss(const struct objective *o)
{
    return o->loss;
}

double objective_accuracy(const struct objective *o)
{
    return o->accuracy;
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* J(w) and its gradient in one pass over the rows. Overwrites the last evaluated point, never the accepted one. */
temper_status objective_evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    struct objective *o = context;
    if (o->spec.engine)
        return remote_evaluate(o, w, value, gradient, error);
    /* What is stored for the Hessian is about to be overwritten. */
    o->curvature.point[o->curvature.last].prepared = false;
    TRY(run_pass(o, PASS_EVALUATE, w, gradient, error));
    /* Sums over all rows of all processes. */
    o->loss = pass_total(o, TOTAL_LOSS) / o->weight_sum;
    o->accuracy = pass_total(o, TOTAL_CORRECT) / o->weight_sum;
    /* Intercepts come last and are not penalised. */
    *value = o->loss + penalties(w, o->columns * o->vectors, o->spec.l2, o->spec.l1);
    return TEMPER_OK;
}

/* The point last evaluated becomes the accepted one, to which multiply and hessian refer; the other is overwritten by
 * the next evaluation. */
void objective_accept(void *context)
{
    struct objective *o = context;
    o->curvature.last = 1 - o->curvature.last;
}

/* The Hessian of J at the accepted point times v. For many classes the first product at a point converts what the
 * evaluation has stored; later ones reuse it. */
temper_status objective_multiply(void *context, const double *v, double *product, temper_error *error)
{
    struct objective *o = context;
    TRY(run_pass(o, PASS_MULTIPLY, v, product, error));
    o->curvature.point[1 - o->curvature.last].prepared = true;
    return TEMPER_OK;
}

/* At the accepted point, as products are, and by the same numbers of each row. */
temper_status objective_intercept_curvature(void *context, double *curvature, temper_error *error)
{
    struct objective *o = context;
    TRY(run_diagonal_pass(o, curvature, error));
    o->curvature.point[1 - o->curvature.last].prepared = true;
    return TEMPER_OK;
}

/* The root mean square of the scores of v: a length of v in units of the scores, which does not depend on the scaling
 * of the features. */
temper_status objective_length(void *context, const double *v, double *length, temper_error *error)
{
    struct objective *o = context;
    if (o->spec.engine)
        return remote_length(o, v, length, error);
    TRY(run_pass(o, PASS_LENGTH, v, NULL, error));
    *length = sqrt(pass_total(o, TOTAL_SQUARES) / o->weight_sum);
    return TEMPER_OK;
}
