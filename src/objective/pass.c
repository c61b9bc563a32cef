/* pass: all rows once, in parts, and their sums in the order of the parts. */
#include <string.h>

#include "base/thread.h"
#include "objective/objective_internal.h"

/* ---- Scaling, folded into the weights -------------------------------------------------------- */

static void to_floats(const double *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

static bool all_zero(const double *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (w[i] != 0)
            return false;
    return true;
}

/* w . (x - offset) factor + b = (w factor) . x + (b - w factor . offset). */
static void fold(struct objective *o, enum pass pass, const double *w)
{
    size_t vectors = o->vectors, plain = o->columns * vectors;
    const struct scale *scale = o->spec.scale;
    double *bias = o->raw + plain;
    bool floats = o->x->kind == MATRIX_CSR ? sparse_takes_floats(o, pass) : o->raw_f32 != NULL;
    o->zero = all_zero(w, plain);
    for (size_t k = 0; k < vectors; k++)
        bias[k] = o->spec.intercept ? w[plain + k] : 0;
    if (floats && !o->fold && o->x->kind == MATRIX_CSR) {
        to_floats(w, plain, o->raw_f32);
        return;
    }
    memcpy(o->raw, w, plain * sizeof *w);
    for (size_t j = 0; o->fold && j < o->columns; j++)
        for (size_t k = 0; k < vectors; k++) {
            o->raw[j * vectors + k] *= scale->factor[j];
            bias[k] -= o->raw[j * vectors + k] * scale->offset[j];
        }
    if (floats)
        to_floats(o->raw, plain, o->raw_f32);
}

/* Scaling the other way round, for a gradient by the raw weights. */
static void unfold(const struct objective *o, size_t from, size_t to, double *gradient)
{
    const struct scale *scale = o->spec.scale;
    for (size_t j = from; o->fold && j < to; j++)
        for (size_t k = 0; k < o->vectors; k++) {
            double *g = &gradient[j * o->vectors + k];
            *g = (*g - scale->offset[j] * o->intercept[k]) * scale->factor[j];
        }
}

void finish_columns(const struct objective *o, const double *w, size_t from, size_t to, double *gradient)
{
    const double share = 1 / o->weight_sum, l2 = o->spec.l2;
    unfold(o, from, to, gradient);
    for (size_t i = from * o->vectors; i < to * o->vectors; i++)
        gradient[i] = gradient[i] * share + l2 * w[i];
}

/* ---- Parts ----------------------------------------------------------------------------------- */

struct pass_job {
    struct objective *o;
    enum pass pass;
};

static temper_status run_part(void *context, size_t number, size_t worker)
{
    const struct pass_job *job = context;
    struct objective *o = job->o;
    struct part *part = &o->part[number];
    struct work work = {o, job->pass, part, &o->scratch[worker]};
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

/* The totals behind the gradient, which travel with it, or alone. */
static temper_status add_parts(struct objective *o, bool gradient, temper_error *error)
{
    const struct holders holders = {o->spec.data->ranks.comm, o->first};
    size_t skip = gradient ? 0 : pass_gradient(o), length = pass_gradient(o) + TOTALS - skip;
    for (size_t p = 0; p < o->cut.parts; p++) {
        double *totals = o->part[p].gradient + pass_gradient(o);
        totals[TOTAL_LOSS] = o->part[p].loss;
        totals[TOTAL_CORRECT] = o->part[p].correct;
        totals[TOTAL_SQUARES] = o->part[p].squares;
        o->vectors_of[p] = o->part[p].gradient + skip;
    }
    return tree_sum(&holders, o->vectors_of, length, o->total + skip, error);
}

double pass_total(const struct objective *o, size_t which)
{
    return o->total[pass_gradient(o) + which];
}

/* The transposed matrix has its own sums for all but the intercepts. */
static temper_status take_gradient(struct objective *o, enum pass pass, const double *w, double *gradient,
                                   temper_error *error)
{
    size_t plain = o->columns * o->vectors;
    for (size_t k = 0; o->spec.intercept && k < o->vectors; k++)
        gradient[plain + k] = o->intercept[k] / o->weight_sum;
    if (o->transposed)
        return sparse_gradient(o, pass, w, gradient, error);
    memcpy(gradient, o->total, plain * sizeof *gradient);
    finish_columns(o, w, 0, o->columns, gradient);
    return TEMPER_OK;
}

temper_status run_pass(struct objective *o, enum pass pass, const double *w, double *gradient, temper_error *error)
{
    struct pass_job job = {o, pass};
    size_t threads = worth_threads(o->workers, (double)o->x->nonzeros * (double)o->vectors);
    fold(o, pass, w);
    temper_status status = sparse_activate(o, pass, threads, error);
    if (status != TEMPER_OK)
        return status;
    if (parallel_blocks(o->cut.parts, threads, run_part, &job) != TEMPER_OK)
        return error_no_memory(error);
    if (pass == PASS_WEIGH)
        return TEMPER_OK; /* rows only */
    status = add_parts(o, gradient != NULL, error);
    return status == TEMPER_OK && gradient ? take_gradient(o, pass, w, gradient, error) : status;
}
