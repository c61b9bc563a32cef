/* objective: made once for a dataset, then asked for values, gradients and curvature. */
#include "objective/objective.h"

#include <math.h>

#include "base/memory.h"
#include "objective/objective_internal.h"
#include "tempered/loss_family.h"

/* ---- Shape ----------------------------------------------------------------------------------- */

static void choose_scaling(struct objective *o)
{
    if (o->spec.scale && o->spec.scale->kind == SCALE_NONE)
        o->spec.scale = NULL;
    o->fold = scale_folds(o->x, o->spec.scale);
}

/* Blocks: functions of the data's shape alone, as parts are. This process has whole parts. */
static void choose_parts(struct objective *o)
{
    const temper_comm *comm = o->spec.data->ranks.comm;
    size_t rank = comm_rank(comm), ranks = comm_size(comm);
    size_t block_rows = o->x->kind == MATRIX_CSR
                            ? row_partition_sparse_block(o->classes)
                            : linear_block_rows(o->columns, o->classes, o->spec.f64 ? sizeof(double) : sizeof(float));
    /* An odd multiple: entries of neighbouring classes then never share a line of the cache. */
    o->stride = ((block_rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD | 1) * SOFTMAX_PAD;
    o->parts = row_partition_of(o->spec.data);
    o->transposed = o->parts.turned;
    o->cut = (struct cut){.rows = o->rows,
                          .block_rows = block_rows,
                          .part_rows = o->parts.rows_each,
                          .part_blocks = (o->parts.rows_each + block_rows - 1) / block_rows,
                          .parts = row_partition_first(&o->parts, rank + 1, ranks) -
                                   row_partition_first(&o->parts, rank, ranks)};
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool allocate_scratch(struct objective *o)
{
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    size_t rows = o->stride, outputs = rows * (o->vectors == 1 ? 1 : o->classes);
    bool dense = o->x->kind != MATRIX_CSR;
    o->scratch = mem_zeroed(o->workers, sizeof *o->scratch);
    for (size_t i = 0; o->scratch && i < o->workers; i++) {
        struct scratch *s = &o->scratch[i];
        s->first = mem_aligned(outputs, sizeof(double));
        s->second = mem_aligned(outputs, sizeof(double));
        s->third = mem_aligned(outputs, sizeof(double));
        s->classes = mem_alloc(2 * o->classes, sizeof *s->classes);
        s->loss = mem_aligned(rows, sizeof(double));
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

static bool allocate_parts(struct objective *o)
{
    size_t length = pass_gradient(o) + TOTALS;
    o->first = row_partition_holders(&o->parts, o->spec.data->ranks.comm);
    o->part = mem_zeroed(o->cut.parts, sizeof *o->part);
    o->vectors_of = (double **)mem_zeroed(o->cut.parts, sizeof *o->vectors_of);
    o->sums = mem_aligned(o->cut.parts, length * sizeof *o->sums);
    o->total = mem_aligned(length, sizeof *o->total);
    for (size_t p = 0; o->part && o->sums && p < o->cut.parts; p++)
        o->part[p].gradient = o->sums + p * length;
    if (o->total)
        o->intercept = o->total + pass_gradient(o) - o->vectors;
    return o->first && o->part && o->vectors_of && o->sums && o->total;
}

static bool allocate_points(struct objective *o)
{
    size_t entries = o->cut.parts * o->cut.part_blocks * o->stride;
    bool many = o->vectors > 1;
    if (!o->spec.curvature || !objective_can_multiply(o))
        return true;
    if (many && (!(o->escort_bend = mem_alloc(entries, o->classes * sizeof(double))) ||
                 !(o->lean = mem_alloc(o->rows, sizeof(double)))))
        return false;
    for (size_t i = 0; i < 2; i++) {
        struct point *point = &o->point[i];
        if (many) {
            point->residual = mem_alloc(entries, o->classes * sizeof(double));
            point->loss = mem_alloc(o->rows, sizeof(double));
        } else {
            point->bend = mem_alloc(o->rows, sizeof(double));
        }
        if (many ? !point->residual || !point->loss : !point->bend)
            return false;
    }
    return true;
}

/* Rows that are some of many are treated as many. */
static void make_table(struct objective *o)
{
    const uint64_t rows = o->spec.weight_sum > 0 ? UINT64_MAX : dataset_all_rows(o->spec.data);
    margin_table_for_rows(o->table, o->spec.loss.t1, o->spec.loss.t2, rows);
}

static bool allocate(struct objective *o)
{
    size_t plain = o->columns * o->vectors;
    o->raw = mem_aligned(plain + o->vectors, sizeof *o->raw);
    bool floats = !o->spec.f64 || sparse_two_floats(o) ||
                  (o->x->kind == MATRIX_CSR && o->vectors > 1 && o->spec.curvature && objective_can_multiply(o));
    if (floats && sparse_fits_floats(o->x) && !(o->raw_f32 = mem_aligned(plain, sizeof *o->raw_f32)))
        return false;
    if (o->vectors == 1 && loss_is_two_temperature(o->spec.loss)) {
        o->table = mem_aligned(1, sizeof *o->table);
        if (!o->table)
            return false;
        make_table(o);
    }
    return o->raw && allocate_parts(o) && allocate_points(o) && allocate_scratch(o);
}

void objective_free(struct objective *o)
{
    if (!o)
        return;
    for (size_t i = 0; o->scratch && i < o->workers; i++) {
        struct scratch *s = &o->scratch[i];
        void *blocks[] = {s->rows, s->linear,  s->first,     s->second,    s->third,     s->classes,
                          s->loss, s->moments, s->number[0], s->number[1], s->number[2], s->number[3]};
        for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
            mem_free(blocks[n]);
    }
    void *blocks[] = {o->scratch,
                      o->answer,
                      o->table,
                      o->raw,
                      o->raw_f32,
                      o->first,
                      o->part,
                      (void *)o->vectors_of,
                      o->sums,
                      o->total,
                      o->residual,
                      o->residual_f32,
                      o->activation,
                      o->all_residuals,
                      o->escort_bend,
                      o->lean,
                      o->bending,
                      o->class_bending,
                      o->point[0].bend,
                      o->point[1].bend,
                      o->point[0].residual,
                      o->point[1].residual,
                      o->point[0].loss,
                      o->point[1].loss};
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        mem_free(blocks[n]);
    csc_free(&o->turned);
    sell16_free(&o->by_row);
    sell16_free(&o->by_column);
    mem_free(o);
}

/* ---- Birth ----------------------------------------------------------------------------------- */

/* Everything is as large as the data at most, times the number of classes: one product tells. */
static bool fits(const struct dataset *data)
{
    size_t size, rows = (size_t)data->x.rows, columns = (size_t)data->x.columns;
    size_t classes = data->classes.count;
    return mul_size(columns + 1, classes, &size) && mul_size(size, 8 * sizeof(double), &size) &&
           mul_size(rows + 2048, classes, &size) && mul_size(size, 8 * sizeof(double), &size);
}

static void add_weights(void *context, void *state)
{
    const struct objective *o = context;
    double *sum = state;
    for (size_t row = 0; row < o->rows; row++)
        *sum += o->spec.data->weight[row];
}

static temper_status sum_weights(struct objective *o, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    double sum = 0;
    o->weight_sum = o->spec.weight_sum > 0 ? o->spec.weight_sum : (double)dataset_all_rows(data);
    if (!data->weight || o->spec.weight_sum > 0)
        return TEMPER_OK;
    temper_status status = comm_in_turn(data->ranks.comm, add_weights, o, &sum, sizeof sum, error);
    o->weight_sum = sum;
    return status;
}

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
    o->size = (o->columns + (spec->intercept ? 1 : 0)) * o->vectors;
    o->workers = spec->threads < 1 ? 1 : spec->threads;
    if (o->x->kind == MATRIX_CSR)
        o->spec.f64 = true;
    choose_scaling(o);
    choose_parts(o);
    if (o->workers > o->cut.parts)
        o->workers = o->cut.parts < 1 ? 1 : o->cut.parts;
}

/* All that rows need. */
static temper_status prepare(struct objective *o, temper_error *error)
{
    temper_status status = allocate(o) ? sum_weights(o, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = kernels_agree(o->kernel, o->spec.data->ranks.comm, error);
    return status == TEMPER_OK ? sparse_prepare(o, error) : status;
}

temper_status objective_new(const struct objective_spec *spec, struct objective **out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct objective *o = fits(spec->data) ? mem_zeroed(1, sizeof *o) : NULL;
    if (!o)
        return error_no_memory(error);
    o->kernel = kernel;
    o->sparse = kernel->sparse;
    objective_shape(o, spec);
    temper_status status = spec->engine ? remote_objective_new(o, error) : prepare(o, error);
    if (status != TEMPER_OK) {
        objective_free(o);
        return status;
    }
    *out = o;
    return TEMPER_OK;
}

/* ---- Questions ------------------------------------------------------------------------------- */

size_t objective_size(const struct objective *o)
{
    return o->size;
}

size_t objective_vectors(const struct objective *o)
{
    return o->vectors;
}

void objective_set_l2(struct objective *o, double l2)
{
    o->spec.l2 = l2;
}

void objective_set_loss(struct objective *o, temper_loss_spec loss)
{
    o->spec.loss = loss;
    if (o->table && (o->table->t1 != loss.t1 || o->table->t2 != loss.t2))
        make_table(o);
}

bool objective_can_multiply(const struct objective *o)
{
    return o->vectors == 1 || (o->spec.f64 && loss_is_two_temperature(o->spec.loss));
}

bool objective_can_hessian(const struct objective *o)
{
    return o->vectors == 1;
}

double objective_loss(const struct objective *o)
{
    return o->loss;
}

double objective_accuracy(const struct objective *o)
{
    return o->accuracy;
}
