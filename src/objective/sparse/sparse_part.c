/* sparse: a part of sparse rows, and the gradient through the transposed matrix. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/objective_internal.h"

bool sparse_fits_floats(const struct matrix *x)
{
    for (uint64_t e = 0; x->kind == MATRIX_CSR && x->value64 && e < x->nonzeros; e++)
        if (fabs(x->value64[e]) > (double)FLT_MAX)
            return false;
    return true;
}

bool sparse_takes_floats(const struct objective *o, enum pass pass)
{
    const bool enough = pass == PASS_MULTIPLY || pass == PASS_LENGTH || (pass == PASS_EVALUATE && o->spec.floats);
    return o->raw_f32 && enough;
}

/* Copies of more entries than that would take much memory, and gathering from so much data waits
 * for that anyway. */
static const uint64_t SLAB_ENTRIES = (uint64_t)1 << 24;

bool sparse_two_floats(const struct objective *o)
{
    return o->vectors == 1 && o->transposed && o->spec.floats && o->sparse->slabs &&
           dataset_all_nonzeros(o->spec.data) <= SLAB_ENTRIES;
}

static bool has_slabs(const struct objective *o, enum pass pass)
{
    return sell16_there(&o->by_row) && sparse_takes_floats(o, pass);
}

temper_status sparse_activate(struct objective *o, enum pass pass, size_t threads, temper_error *error)
{
    if (o->zero || !has_slabs(o, pass))
        return TEMPER_OK;
    temper_status status = sell16_times(&o->by_row, o->sparse, threads, o->raw_f32, o->activation);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* Without the intercept; where there are slabs, they are there already. */
static double *two_activations(const struct work *work, struct span span)
{
    const struct objective *o = work->o;
    const bool slabs = has_slabs(o, work->pass);
    double *activation = slabs ? o->activation + span.from : work->scratch->first;
    if (o->zero)
        memset(activation, 0, span.count * sizeof *activation);
    else if (!slabs && sparse_takes_floats(o, work->pass))
        o->sparse->in_order(span_entries(o->x, span), o->raw_f32, activation);
    else if (!slabs)
        o->sparse->times(span_entries(o->x, span), o->raw, activation);
    return activation;
}

/* Residuals go into the gradient, or wait for the transposed matrix. */
static void binary_block(const struct work *work, struct span span)
{
    struct objective *o = work->o;
    const bool floats = sparse_takes_floats(o, work->pass);
    double *activation = two_activations(work, span);
    double *r = o->transposed && !floats ? o->residual + span.from : work->scratch->second;
    for (size_t i = 0; i < span.count; i++)
        activation[i] += o->raw[o->columns];
    binary_rows(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    if (floats) {
        float *to = o->residual_f32 + span.from;
        work->part->gradient[0] += sum_products(r, NULL, span.count);
        for (size_t i = 0; i < span.count; i++)
            to[i] = (float)r[i];
        return;
    }
    for (size_t i = 0; i < span.count; i++)
        work->part->gradient[o->transposed ? 0 : o->columns] += r[i];
    if (!o->transposed)
        o->sparse->back(span_entries(o->x, span), r, work->part->gradient);
}

/* Between [row * classes + class] and [class * stride + row]. */
static void to_classes(const struct objective *o, size_t count, const double *by_row, double *by_class)
{
    const double *bias = o->raw + o->columns * o->vectors;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_class[c * o->stride + i] = by_row[i * o->classes + c] + bias[c];
}

static void to_rows(const struct objective *o, size_t count, const double *by_class, double *by_row)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_row[i * o->classes + c] = by_class[c * o->stride + i];
}

static void to_rows_f32(const struct objective *o, size_t count, const double *by_class, float *by_row)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_row[i * o->classes + c] = (float)by_class[c * o->stride + i];
}

/* Residuals go into the gradient, or wait for the transposed matrix. */
static void many_residuals(const struct work *work, struct span span, const double *residual)
{
    struct objective *o = work->o;
    double *by_row = work->scratch->third;
    double *intercept = work->part->gradient + (o->transposed ? 0 : o->columns * o->vectors);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            intercept[c] += residual[c * o->stride + i];
    if (o->transposed && sparse_takes_floats(o, work->pass)) {
        to_rows_f32(o, span.count, residual, o->residual_f32 + span.from * o->classes);
    } else if (o->transposed) {
        to_rows(o, span.count, residual, o->residual + span.from * o->classes);
    } else {
        to_rows(o, span.count, residual, by_row);
        o->sparse->many_back(span_entries(o->x, span), o->classes, by_row, work->part->gradient);
    }
}

static void multiclass_block(const struct work *work, struct span span)
{
    struct objective *o = work->o;
    double *by_row = work->scratch->third, *activation = work->scratch->first;
    double *residual = work->scratch->second;
    if (o->zero)
        memset(by_row, 0, span.count * o->classes * sizeof *by_row);
    else if (sparse_takes_floats(o, work->pass))
        o->sparse->many_times_f32(span_entries(o->x, span), o->classes, o->raw_f32, by_row);
    else
        o->sparse->many_times(span_entries(o->x, span), o->classes, o->raw, by_row);
    to_classes(o, span.count, by_row, activation);
    multiclass_rows_f64(work, span, activation, residual);
    if (pass_has_gradient(work->pass))
        many_residuals(work, span, residual);
}

void sparse_part(const struct work *work, size_t part)
{
    for (size_t i = 0; i < work->o->cut.part_blocks; i++) {
        struct span span = cut_span(&work->o->cut, part, i);
        page_window_rows(work->o->x, span.from, span.count);
        if (span.count && work->o->vectors == 1)
            binary_block(work, span);
        else if (span.count)
            multiclass_block(work, span);
    }
}

/* ---- The transposed matrix ------------------------------------------------------------------- */

struct column_pass {
    struct objective *o;
    bool floats;
    const double *w;
    double *gradient;
    const void *residual; /* of all rows */
};

static temper_status column_group(void *context, size_t group, size_t worker)
{
    const struct column_pass *pass = context;
    const struct objective *o = pass->o;
    const struct csc_group columns = csc_group(&o->turned, group);
    csc_expect(&o->turned, &columns);
    (void)worker;
    double *to_columns = pass->gradient + columns.from * o->vectors;
    if (o->vectors == 1 && pass->floats)
        o->sparse->in_order(columns.entries, pass->residual, to_columns);
    else if (o->vectors == 1)
        o->sparse->times(columns.entries, pass->residual, to_columns);
    else if (pass->floats)
        o->sparse->many_times_f32(columns.entries, o->vectors, pass->residual, to_columns);
    else
        o->sparse->many_times(columns.entries, o->vectors, pass->residual, to_columns);
    finish_columns(o, pass->w, columns.from, columns.to, pass->gradient);
    return TEMPER_OK;
}

/* All columns of this process at once. */
static temper_status column_slabs(const struct column_pass *pass, size_t threads)
{
    const struct objective *o = pass->o;
    const size_t first = o->turned.first;
    temper_status status = sell16_times(&o->by_column, o->sparse, threads, pass->residual, pass->gradient + first);
    if (status == TEMPER_OK)
        finish_columns(o, pass->w, first, first + o->turned.columns, pass->gradient);
    return status;
}

static temper_status all_columns(struct column_pass *pass, size_t threads)
{
    if (pass->floats && sell16_there(&pass->o->by_column))
        return column_slabs(pass, threads);
    return parallel_blocks(TURNED_GROUPS, threads, column_group, pass);
}

/* ---- Several processes: residuals of all rows, some columns, and all columns back ------------ */

static temper_status gather_residuals(struct column_pass *pass, temper_error *error)
{
    const struct objective *o = pass->o;
    const temper_comm *comm = o->spec.data->ranks.comm;
    uint64_t rows = dataset_all_rows(o->spec.data);
    size_t ranks = comm_size(comm), *bytes = mem_alloc(ranks, sizeof *bytes);
    if (!bytes)
        return error_no_memory(error);
    for (size_t r = 0; r < ranks; r++)
        bytes[r] = (size_t)(row_partition_first_row(&o->parts, rows, r + 1, ranks) -
                            row_partition_first_row(&o->parts, rows, r, ranks)) *
                   o->vectors * (pass->floats ? sizeof(float) : sizeof(double));
    temper_status status = comm_gather(comm, pass->residual, bytes, o->all_residuals, error);
    mem_free(bytes);
    pass->residual = o->all_residuals;
    return status;
}

/* `each`: numbers of a column. */
static temper_status gather_columns(const struct column_pass *pass, size_t each, temper_error *error)
{
    const struct objective *o = pass->o;
    const struct csc_matrix *turned = &o->turned;
    const temper_comm *comm = o->spec.data->ranks.comm;
    size_t ranks = comm_size(comm), *bytes = mem_alloc(ranks, sizeof *bytes);
    size_t own = turned->columns * each;
    double *mine = mem_alloc(own, sizeof *mine);
    temper_status status = TEMPER_NO_MEMORY;
    if (bytes && mine) {
        for (size_t r = 0; r < ranks; r++)
            bytes[r] = (turned->bounds[r + 1] - turned->bounds[r]) * each * sizeof *mine;
        memcpy(mine, pass->gradient + turned->first * each, own * sizeof *mine);
        status = comm_gather(comm, mine, bytes, pass->gradient, error);
    } else {
        error_no_memory(error);
    }
    mem_free(bytes);
    mem_free(mine);
    return status;
}

temper_status sparse_gradient(struct objective *o, enum pass pass_kind, const double *w, double *gradient,
                              temper_error *error)
{
    struct column_pass pass = {o, sparse_takes_floats(o, pass_kind), w, gradient, o->residual};
    size_t threads = worth_threads(o->workers, (double)o->x->nonzeros * (double)o->vectors);
    temper_status status = TEMPER_OK;
    if (pass.floats)
        pass.residual = o->residual_f32;
    if (o->all_residuals)
        status = gather_residuals(&pass, error);
    if (status == TEMPER_OK && all_columns(&pass, threads) != TEMPER_OK)
        status = error_no_memory(error);
    return status == TEMPER_OK && o->all_residuals ? gather_columns(&pass, o->vectors, error) : status;
}

/* ---- Squares of the columns ------------------------------------------------------------------ */

/* In the order of the rows, as slabs have them. */
static double sum_squares(const struct sparse_rows *entries, size_t column, bool f64)
{
    double sum = 0;
    uint64_t end = sparse_start(entries, column + 1);
    for (uint64_t e = sparse_start(entries, column); e < end; e++) {
        double value = (double)(float)sparse_value(entries, e, f64);
        sum += value * value;
    }
    return sum;
}

static temper_status square_group(void *context, size_t group, size_t worker)
{
    const struct column_pass *pass = context;
    const struct csc_group columns = csc_group(&pass->o->turned, group);
    csc_expect(&pass->o->turned, &columns);
    (void)worker;
    for (size_t j = 0; j < columns.entries.rows; j++)
        pass->gradient[columns.from + j] = sum_squares(&columns.entries, j, columns.entries.value64 != NULL);
    return TEMPER_OK;
}

temper_status objective_squares(struct objective *o, double *square, bool *known, temper_error *error)
{
    struct column_pass pass = {.o = o, .gradient = square};
    size_t threads = worth_threads(o->workers, (double)o->x->nonzeros);
    bool slabs = sell16_there(&o->by_column);
    *known = slabs || o->turned.row;
    if (!*known)
        return TEMPER_OK;
    if (slabs)
        sell16_squares(&o->by_column, square + o->turned.first);
    else if (parallel_blocks(TURNED_GROUPS, threads, square_group, &pass) != TEMPER_OK)
        return error_no_memory(error);
    return o->all_residuals ? gather_columns(&pass, 1, error) : TEMPER_OK;
}

/* Slabs of both matrices. Of several processes, the second takes the place of the entries that it
 * is made of. */
static bool make_slabs(struct objective *o)
{
    const struct span all = {.count = o->rows};
    const struct sparse_rows rows = span_entries(o->x, all);
    const struct csc_matrix *turned = &o->turned;
    const struct sparse_rows columns = {.start = turned->start,
                                        .column = turned->row,
                                        .value = turned->value,
                                        .value64 = turned->value64,
                                        .rows = turned->columns};
    o->activation = mem_alloc(o->rows, sizeof *o->activation);
    if (!o->activation || !sell16_make(&rows, o->columns, &o->by_row))
        return false;
    if (comm_alone(o->spec.data->ranks.comm)) {
        o->turned.columns = o->columns;
        return sell16_reorder(&rows, o->columns, &o->by_column);
    }
    bool made = sell16_make(&columns, (size_t)dataset_all_rows(o->spec.data), &o->by_column);
    csc_drop(&o->turned);
    return made;
}

static temper_status make_turned(struct objective *o, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    if (!comm_alone(data->ranks.comm))
        return csc_distribute(data, &o->turned, error);
    if (csc_make(o->x, data->storage.memory_limit, &o->turned))
        return TEMPER_OK;
    return o->turned.spill ? disk_array_failure(o->turned.spill, error) : error_no_memory(error);
}

temper_status sparse_prepare(struct objective *o, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    size_t all = (size_t)dataset_all_rows(data);
    bool shared = !comm_alone(data->ranks.comm);
    if (!o->transposed)
        return TEMPER_OK;
    o->residual = mem_alloc(o->rows, o->vectors * sizeof *o->residual);
    if (o->raw_f32)
        o->residual_f32 = mem_alloc(o->rows, o->vectors * sizeof(float));
    if (shared)
        o->all_residuals = mem_alloc(all, o->vectors * sizeof *o->residual);
    if (!o->residual || (o->raw_f32 && !o->residual_f32) || (shared && !o->all_residuals))
        return error_no_memory(error);
    bool slabs = o->raw_f32 && o->vectors == 1 && !data->storage.memory_limit;
    temper_status status = shared || !slabs ? make_turned(o, error) : TEMPER_OK;
    return status == TEMPER_OK && slabs && !make_slabs(o) ? error_no_memory(error) : status;
}
