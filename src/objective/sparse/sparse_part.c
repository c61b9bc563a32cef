/* sparse_part: passes over CSR rows.
 *
 * Few columns: residuals times rows are added to the part's gradient. Many columns: the residuals of all rows are
 * stored, and the gradient is computed column by column from a transposed copy, CSC or SELL-16. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/objective_internal.h"

/* Whether all values are within the range of floats; those beyond FLT_MAX would become infinite. Only matrices of
 * doubles, from arrays of a caller, can have such values. */
bool sparse_fits_floats(const struct matrix *x)
{
    /* Floats need no test. */
    for (uint64_t e = 0; x->kind == MATRIX_CSR && x->value64 && e < x->nonzeros; e++)
        if (fabs(x->value64[e]) > (double)FLT_MAX)
            return false;
    return true;
}

/* Whether a pass gathers floats. Lengths and Hessian products tolerate their rounding; values and gradients use them
 * only where the specification allows it. */
bool sparse_takes_floats(const struct objective *o, enum pass pass)
{
    /* Curvatures for Gram matrices (PASS_WEIGH) always come from doubles. */
    const bool enough = pass == PASS_MULTIPLY || pass == PASS_LENGTH || (pass == PASS_EVALUATE && o->spec.floats);
    return o->weights.f32 && enough;
}

/* SELL-16 copies of more entries would take much memory, and products with so much data are bound by memory anyway. */
static const uint64_t SELL16_ENTRIES = (uint64_t)1 << 24;

/* The conditions for SELL-16: two classes, a kernel for it, and few enough entries. A function of the whole data, so
 * that it does not depend on the number of processes. */
bool sparse_sell16_pays(const struct objective *o)
{
    return o->x->kind == MATRIX_CSR && o->vectors == 1 && o->spec.floats && (!o->kernel || o->kernel->sparse->sell16) &&
           dataset_all_rows(o->spec.data) <= UINT32_MAX && dataset_all_nonzeros(o->spec.data) <= SELL16_ENTRIES;
}

enum {
    SCATTER_COLUMNS = 1 << 16, /* at most: the sums of all columns stay in the L2 cache */
    SCATTER_ENTRIES = 8,       /* a column, at least: adding up the arrays of the ranges must be cheap */
    SCATTER_MOST = 1 << 22,    /* entries: with more, a pass is worth more threads than there are ranges */
};

/* A function of the whole data, as sparse_sell16_pays. */
bool sparse_scatter_pays(const struct objective *o)
{
    const uint64_t entries = dataset_all_nonzeros(o->spec.data);
    return o->x->kind == MATRIX_CSR && o->vectors == 1 && o->spec.few_passes && o->columns <= SCATTER_COLUMNS &&
           entries >= SCATTER_ENTRIES * (uint64_t)o->columns && entries <= SCATTER_MOST;
}

bool sparse_two_floats(const struct objective *o)
{
    return o->sparse.transposed && !o->sparse.by_rows && sparse_sell16_pays(o);
}

/* Whether this pass computes its scores from the SELL-16 copy, which holds floats. */
static bool uses_sell16(const struct objective *o, enum pass pass)
{
    return sell16_exists(&o->sparse.by_row) && sparse_takes_floats(o, pass);
}

/* Scores of all rows at once, before the parts run: a slice contains rows of similar length, thus of different parts.
 */
temper_status sparse_activate(struct objective *o, enum pass pass, size_t threads, temper_error *error)
{
    if (o->weights.all_zero || !uses_sell16(o, pass))
        return TEMPER_OK;
    const struct thread_team team = {o->pool, threads};
    temper_status status =
        sell16_times(&o->sparse.by_row, o->kernel->sparse, team, o->weights.f32, o->sparse.activation);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* Scores of a span without the intercept, in the worker's buffer or, where sparse_activate has computed them, in the
 * array of all rows. */
static double *binary_scores(const struct pass_work *work, struct row_span span)
{
    const struct objective *o = work->o;
    const bool ready = uses_sell16(o, work->pass);
    double *activation = ready ? o->sparse.activation + span.from : work->scratch->first;
    /* At the start of training all scores are 0, and no entry has to be read. */
    if (o->weights.all_zero)
        memset(activation, 0, span.count * sizeof *activation);
    else if (!ready && sparse_takes_floats(o, work->pass))
        o->kernel->sparse->in_order(span_entries(o->x, span), o->weights.f32, activation);
    else if (!ready)
        o->kernel->sparse->times(span_entries(o->x, span), o->weights.raw, activation);
    return activation;
}

/* The array that the gradient of a part is added to. */
static double *scatter_of(const struct pass_work *work)
{
    const struct objective *o = work->o;
    const size_t part = (size_t)(work->part - o->sums.part);
    return o->sparse.scatter + row_scatter_range(o->layout.blocks.parts, part) * o->columns;
}

/* One block for two classes. The residuals are added to the part's gradient, or stored for the transposed copy, in
 * which case only the intercept is summed here. */
static void binary_block(const struct pass_work *work, struct row_span span)
{
    struct objective *o = work->o;
    const bool floats = sparse_takes_floats(o, work->pass);
    double *activation = binary_scores(work, span);
    /* Residuals in floats are converted below, after their sum. */
    double *r = o->sparse.transposed && !floats ? o->sparse.residual + span.from : work->scratch->second;
    for (size_t i = 0; i < span.count; i++)
        activation[i] += o->weights.raw[o->columns];
    binary_rows(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    /* The intercept is summed before rounding, in doubles. */
    if (floats) {
        float *to = o->sparse.residual_f32 + span.from;
        work->part->gradient[0] += sum_products(r, NULL, span.count);
        for (size_t i = 0; i < span.count; i++)
            to[i] = (float)r[i];
        return;
    }
    for (size_t i = 0; i < span.count; i++)
        /* With a transposed copy, the part's gradient consists of the intercepts only. */
        work->part->gradient[o->sparse.transposed ? 0 : o->columns] += r[i];
    const struct sparse_rows entries = span_entries(o->x, span);
    if (!o->sparse.transposed)
        o->kernel->sparse->back(entries, r, work->part->gradient);
    else if (o->sparse.scatter)
        row_scatter_entries(&entries, r, scatter_of(work));
}

/* Scores from the order of the sparse kernels, [row * classes + class], to that of the losses, [class * stride + row],
 * with the intercepts added. */
static void to_classes(const struct objective *o, size_t count, const double *by_row, double *by_class)
{
    const double *bias = o->weights.raw + o->columns * o->vectors;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_class[c * o->stride + i] = by_row[i * o->classes + c] + bias[c];
}

/* Residuals in the opposite direction. */
static void to_rows(const struct objective *o, size_t count, const double *by_class, double *by_row)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_row[i * o->classes + c] = by_class[c * o->stride + i];
}

/* The same, rounded to floats for the transposed copy. */
static void to_rows_f32(const struct objective *o, size_t count, const double *by_class, float *by_row)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_row[i * o->classes + c] = (float)by_class[c * o->stride + i];
}

/* Adds the residuals of a block to the sums of the intercepts, and to the part's gradient, or stores them for the
 * transposed copy. */
static void many_residuals(const struct pass_work *work, struct row_span span, const double *residual)
{
    struct objective *o = work->o;
    double *by_row = work->scratch->third;
    /* Intercepts are behind the other weights, or alone. */
    double *intercept = work->part->gradient + (o->sparse.transposed ? 0 : o->columns * o->vectors);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            intercept[c] += residual[c * o->stride + i];
    if (o->sparse.transposed && sparse_takes_floats(o, work->pass)) {
        to_rows_f32(o, span.count, residual, o->sparse.residual_f32 + span.from * o->classes);
    } else if (o->sparse.transposed) {
        to_rows(o, span.count, residual, o->sparse.residual + span.from * o->classes);
    } else {
        to_rows(o, span.count, residual, by_row);
        o->kernel->sparse->many_back(span_entries(o->x, span), o->classes, by_row, work->part->gradient);
    }
}

/* One block for many classes. by_row and the buffers of many_residuals are the same memory: it is free again by then.
 * The scores are computed row by row, all classes of an entry at once, since the weights of a feature are next to each
 * other; the loss needs them class by class (to_classes). */
static void multiclass_block(const struct pass_work *work, struct row_span span)
{
    struct objective *o = work->o;
    double *by_row = work->scratch->third, *activation = work->scratch->first;
    double *residual = work->scratch->second;
    if (o->weights.all_zero)
        memset(by_row, 0, span.count * o->classes * sizeof *by_row);
    else if (sparse_takes_floats(o, work->pass))
        o->kernel->sparse->many_times_f32(span_entries(o->x, span), o->classes, o->weights.f32, by_row);
    else
        o->kernel->sparse->many_times(span_entries(o->x, span), o->classes, o->weights.raw, by_row);
    to_classes(o, span.count, by_row, activation);
    multiclass_rows_f64(work, span, activation, residual);
    if (pass_has_gradient(work->pass))
        many_residuals(work, span, residual);
}

/* One part: its blocks in order, each after announcing its pages. */
void sparse_part(const struct pass_work *work, size_t part)
{
    for (size_t i = 0; i < work->o->layout.blocks.part_blocks; i++) {
        struct row_span span = block_rows_of(&work->o->layout.blocks, part, i);
        page_window_rows(work->o->x, span.from, span.count);
        if (span.count && work->o->vectors == 1)
            binary_block(work, span);
        else if (span.count)
            multiclass_block(work, span);
    }
}

/* ---- The transposed copy --------------------------------------------------------------------- */

/* A gradient that is computed column by column. */
struct column_pass {
    struct objective *o;
    bool floats; /* the residuals are floats */
    const double *w;
    double *gradient;     /* [column * vectors + k], the result */
    const void *residual; /* of all rows */
};

/* Callback of pool_blocks: the gradient of one group of columns, each of which is the sum of its entries times the
 * residuals of their rows. Scaling, mean and penalty are applied while the columns are in the cache. */
static temper_status column_group(void *context, size_t group, size_t worker)
{
    const struct column_pass *pass = context;
    const struct objective *o = pass->o;
    /* In the form of CSR rows: the kernels for scores compute gradients as well. */
    const struct csc_group columns = csc_group(&o->sparse.csc, group);
    csc_expect(&o->sparse.csc, &columns);
    (void)worker;
    double *to_columns = pass->gradient + columns.from * o->vectors;
    if (o->sparse.scattered || o->sparse.by_rows)
        row_scatter_by_columns(&columns.entries, o->sparse.by_rows ? NULL : &o->layout.partition, pass->residual,
                               to_columns);
    else if (o->vectors == 1 && pass->floats)
        o->kernel->sparse->in_order(columns.entries, pass->residual, to_columns);
    else if (o->vectors == 1)
        o->kernel->sparse->times(columns.entries, pass->residual, to_columns);
    else if (pass->floats)
        o->kernel->sparse->many_times_f32(columns.entries, o->vectors, pass->residual, to_columns);
    else
        o->kernel->sparse->many_times(columns.entries, o->vectors, pass->residual, to_columns);
    finish_columns(o, pass->w, columns.from, columns.to, pass->gradient);
    return TEMPER_OK;
}

/* The gradient of all columns of this process, from the SELL-16 copy of the transpose. */
static temper_status column_slices(const struct column_pass *pass, size_t threads)
{
    const struct objective *o = pass->o;
    /* MPI: this process's columns begin here. */
    const size_t first = o->sparse.csc.first;
    const struct thread_team team = {o->pool, threads};
    temper_status status =
        sell16_times(&o->sparse.by_column, o->kernel->sparse, team, pass->residual, pass->gradient + first);
    if (status == TEMPER_OK)
        finish_columns(o, pass->w, first, first + o->sparse.csc.columns, pass->gradient);
    return status;
}

/* The gradient of all columns of this process. Each column is summed by one thread in the order of the rows: the same
 * bits for any number of threads. */
static temper_status all_columns(struct column_pass *pass, size_t threads)
{
    if (pass->floats && sell16_exists(&pass->o->sparse.by_column))
        return column_slices(pass, threads);
    return pool_blocks(pass->o->pool, CSC_GROUPS, threads, column_group, pass);
}

/* ---- MPI: all-gather the residuals, compute some columns, all-gather the columns ------------- */

/* Gathers the residuals of all rows in every process, since a column has entries of all rows. The ranks hold whole
 * parts, from which the byte counts follow. pass->residual then refers to all rows. */
static temper_status gather_residuals(struct column_pass *pass, temper_error *error)
{
    const struct objective *o = pass->o;
    const temper_comm *comm = o->spec.data->ranks.comm;
    uint64_t rows = dataset_all_rows(o->spec.data);
    size_t ranks = comm_size(comm), *bytes = mem_alloc(ranks, sizeof *bytes);
    if (!bytes)
        return error_no_memory(error);
    /* Ranks hold whole parts, so the partition gives their rows. */
    for (size_t r = 0; r < ranks; r++)
        bytes[r] = (size_t)(row_partition_first_row(&o->layout.partition, rows, r + 1, ranks) -
                            row_partition_first_row(&o->layout.partition, rows, r, ranks)) *
                   o->vectors * (pass->floats ? sizeof(float) : sizeof(double));
    temper_status status = comm_gather(comm, pass->residual, bytes, o->sparse.all_residuals, error);
    mem_free(bytes);
    pass->residual = o->sparse.all_residuals;
    return status;
}

/* Gathers the columns that each process has computed, `each` numbers a column. The own ones are copied first, since
 * the buffers of a gather must not overlap. */
static temper_status gather_columns(const struct column_pass *pass, size_t each, temper_error *error)
{
    const struct objective *o = pass->o;
    const struct csc_matrix *csc = &o->sparse.csc;
    const temper_comm *comm = o->spec.data->ranks.comm;
    size_t ranks = comm_size(comm), *bytes = mem_alloc(ranks, sizeof *bytes);
    size_t own = csc->columns * each;
    double *mine = mem_alloc(own, sizeof *mine);
    temper_status status = TEMPER_NO_MEMORY;
    if (bytes && mine) {
        /* By the bounds of the distributed copy. */
        for (size_t r = 0; r < ranks; r++)
            bytes[r] = (csc->bounds[r + 1] - csc->bounds[r]) * each * sizeof *mine;
        memcpy(mine, pass->gradient + csc->first * each, own * sizeof *mine);
        status = comm_gather(comm, mine, bytes, pass->gradient, error);
    } else {
        error_no_memory(error);
    }
    mem_free(bytes);
    mem_free(mine);
    return status;
}

/* The block of rows that begins here, after announcing its pages. */
static struct sparse_rows block_entries(const struct objective *o, size_t from)
{
    const size_t left = o->rows - from, block = o->layout.blocks.block_rows;
    const struct row_span span = {.from = from, .count = left < block ? left : block};
    page_window_rows(o->x, span.from, span.count);
    return span_entries(o->x, span);
}

/* The gradient from the rows, each of which is added to all of its columns. */
static void rows_gradient(const struct objective *o, double *gradient)
{
    memset(gradient, 0, o->columns * sizeof *gradient);
    for (size_t from = 0; from < o->rows; from += o->layout.blocks.block_rows) {
        const struct sparse_rows entries = block_entries(o, from);
        row_scatter_entries(&entries, o->sparse.residual + from, gradient);
    }
}

/* The gradient from the residuals that the parts have stored: products with the transposed copy, and with several
 * processes a gather before and after. */
temper_status sparse_gradient(struct objective *o, enum pass pass_kind, const double *w, double *gradient,
                              temper_error *error)
{
    if (o->sparse.scatter) {
        row_scatter_total(o->sparse.scatter, o->columns, gradient);
        finish_columns(o, w, 0, o->columns, gradient);
        return TEMPER_OK;
    }
    if (o->sparse.by_rows && !o->sparse.all_residuals) {
        rows_gradient(o, gradient);
        finish_columns(o, w, 0, o->columns, gradient);
        return TEMPER_OK;
    }
    struct column_pass pass = {o, sparse_takes_floats(o, pass_kind), w, gradient, o->sparse.residual};
    size_t threads = threads_worth(o->workers, (double)o->x->nonzeros * (double)o->vectors);
    temper_status status = TEMPER_OK;
    /* Set by the passes of sparse_takes_floats in place of the doubles. */
    if (pass.floats)
        pass.residual = o->sparse.residual_f32;
    if (o->sparse.all_residuals)
        status = gather_residuals(&pass, error);
    if (status == TEMPER_OK && all_columns(&pass, threads) != TEMPER_OK)
        status = error_no_memory(error);
    return status == TEMPER_OK && o->sparse.all_residuals ? gather_columns(&pass, o->vectors, error) : status;
}

/* ---- Sums of squares of the columns ---------------------------------------------------------- */

/* Sum of the squares of a column, in the order of its rows and rounded to floats as in SELL-16 copies, so that both
 * give the same bits. */
static double sum_squares(const struct sparse_rows *entries, size_t column, bool f64)
{
    double sum = 0;
    uint64_t end = sparse_start(entries, column + 1);
    for (uint64_t e = sparse_start(entries, column); e < end; e++) {
        /* Rounded to a float first, as in the copy. */
        double value = (double)(float)sparse_value(entries, e, f64);
        sum += value * value;
    }
    return sum;
}

/* Callback of pool_blocks: the sums of squares of one group of columns. */
static temper_status square_group(void *context, size_t group, size_t worker)
{
    const struct column_pass *pass = context;
    const struct csc_group columns = csc_group(&pass->o->sparse.csc, group);
    csc_expect(&pass->o->sparse.csc, &columns);
    (void)worker;
    for (size_t j = 0; j < columns.entries.rows; j++)
        pass->gradient[columns.from + j] = sum_squares(&columns.entries, j, columns.entries.value64 != NULL);
    return TEMPER_OK;
}

/* The same sums without a copy. */
static void squares_of_rows(const struct objective *o, double *square)
{
    memset(square, 0, o->columns * sizeof *square);
    for (size_t from = 0; from < o->rows; from += o->layout.blocks.block_rows) {
        const struct sparse_rows entries = block_entries(o, from);
        row_scatter_squares(&entries, square);
    }
}

/* Only for data with a transposed copy, where a column is contiguous; without one *known is false. These are the
 * diagonal of X'X, from which the diagonal preconditioner is made. */
temper_status objective_squares(struct objective *o, double *square, bool *known, temper_error *error)
{
    struct column_pass pass = {.o = o, .gradient = square};
    size_t threads = threads_worth(o->workers, (double)o->x->nonzeros);
    bool sell16 = sell16_exists(&o->sparse.by_column);
    bool of_rows = o->sparse.scatter || (o->sparse.by_rows && !o->sparse.all_residuals);
    if (of_rows)
        squares_of_rows(o, square);
    /* Neither copy exists for data with few columns. */
    *known = sell16 || o->sparse.csc.row || of_rows;
    if (!*known || of_rows)
        return TEMPER_OK;
    if (sell16)
        sell16_squares(&o->sparse.by_column, square + o->sparse.csc.first);
    else if (pool_blocks(o->pool, CSC_GROUPS, threads, square_group, &pass) != TEMPER_OK)
        return error_no_memory(error);
    return o->sparse.all_residuals ? gather_columns(&pass, 1, error) : TEMPER_OK;
}

/* Makes the SELL-16 copies of the matrix and of its transpose; false without memory. With one process both come from
 * the rows; MPI: the transpose is made from the distributed CSC columns, the entries of which are then freed. */
static bool make_sell16(struct objective *o)
{
    const struct row_span all = {.count = o->rows};
    const struct sparse_rows rows = span_entries(o->x, all);
    const struct csc_matrix *csc = &o->sparse.csc;
    const struct sparse_rows columns = {
        .start = csc->start, .column = csc->row, .value = csc->value, .value64 = csc->value64, .rows = csc->columns};
    const struct thread_team team = {o->pool, threads_worth(o->workers, (double)o->x->nonzeros)};
    /* Scores of all rows at once. */
    o->sparse.activation = mem_alloc(o->rows, sizeof *o->sparse.activation);
    if (!o->sparse.activation || !sell16_make(&rows, o->columns, team, &o->sparse.by_row))
        return false;
    if (comm_alone(o->spec.data->ranks.comm)) {
        /* sparse_gradient reads the number of columns there, though no CSC entries exist. */
        o->sparse.csc.columns = o->columns;
        return sell16_transpose(&rows, o->columns, team, &o->sparse.by_column);
    }
    bool made = sell16_make(&columns, (size_t)dataset_all_rows(o->spec.data), team, &o->sparse.by_column);
    csc_drop(&o->sparse.csc);
    return made;
}

/* The CSC copy: distributed over the processes, or in memory, or in temporary files under a memory limit. */
static temper_status make_csc(struct objective *o, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    if (!comm_alone(data->ranks.comm))
        return csc_distribute(data, &o->sparse.csc, error);
    if (csc_make(o->x, data->storage.memory_limit, &o->sparse.csc))
        return TEMPER_OK;
    return o->sparse.csc.disk ? disk_array_failure(o->sparse.csc.disk, error) : error_no_memory(error);
}

/* Allocates residuals and makes the copies: SELL-16 for two classes in floats without a memory limit, else CSC. */
temper_status sparse_prepare(struct objective *o, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    size_t all = (size_t)dataset_all_rows(data);
    bool shared = !comm_alone(data->ranks.comm);
    o->sparse.residual = mem_alloc(o->rows, o->vectors * sizeof *o->sparse.residual);
    /* Floats and doubles: which one a pass uses depends on its kind. */
    if (o->weights.f32)
        o->sparse.residual_f32 = mem_alloc(o->rows, o->vectors * sizeof(float));
    if (shared)
        o->sparse.all_residuals = mem_alloc(all, o->vectors * sizeof *o->sparse.residual);
    if (!o->sparse.residual || (o->weights.f32 && !o->sparse.residual_f32) || (shared && !o->sparse.all_residuals))
        return error_no_memory(error);
    if (o->sparse.scattered && !shared) {
        o->sparse.scatter = mem_paged(SCATTER_RANGES, o->columns * sizeof *o->sparse.scatter);
        return o->sparse.scatter ? TEMPER_OK : error_no_memory(error);
    }
    if (o->sparse.by_rows && !shared)
        return TEMPER_OK;
    bool sell16 = o->weights.f32 && o->vectors == 1 && !data->storage.memory_limit;
    /* MPI needs CSC columns in any case: the exchange between processes has that form. */
    temper_status status = shared || !sell16 ? make_csc(o, error) : TEMPER_OK;
    return status == TEMPER_OK && sell16 && !make_sell16(o) ? error_no_memory(error) : status;
}

void sparse_free(struct sparse_copies *sparse)
{
    csc_free(&sparse->csc);
    sell16_free(&sparse->by_row);
    sell16_free(&sparse->by_column);
    mem_free(sparse->residual);
    mem_free(sparse->residual_f32);
    mem_free(sparse->activation);
    mem_free(sparse->all_residuals);
    mem_free(sparse->scatter);
}
