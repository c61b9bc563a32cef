/* pass: all rows once, in parts, and their sums in the order of the parts. */
#include <string.h>

#include "base/thread.h"
#include "objective/inside.h"

/* ---- Scaling, folded into the weights -------------------------------------------------------- */

static void to_floats(const double *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* w . (x - offset) factor + b = (w factor) . x + (b - w factor . offset). Products with sparse data
 * of many classes take floats alone. */
static void fold(struct objective *o, enum pass pass, const double *w)
{
    size_t vectors = o->vectors, plain = o->columns * vectors;
    const struct scale *scale = o->spec.scale;
    double *bias = o->raw + plain;
    bool floats = o->raw_f32 && (o->x->kind != MATRIX_CSR || pass == PASS_MULTIPLY);
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

void finish_columns(const struct objective *o, const double *w, size_t from, size_t to,
                    double *gradient)
{
    unfold(o, from, to, gradient);
    for (size_t i = from * o->vectors; i < to * o->vectors; i++)
        gradient[i] = gradient[i] / o->weight_sum + o->spec.l2 * w[i];
}

/* ---- Parts ----------------------------------------------------------------------------------- */

struct pass_job {
    struct objective *o;
    enum pass pass;
};

static size_t gradient_length(const struct objective *o)
{
    return o->transposed ? o->vectors : (o->columns + 1) * o->vectors;
}

static temper_status run_part(void *context, size_t number, size_t worker)
{
    const struct pass_job *job = context;
    struct objective *o = job->o;
    struct part *part = &o->part[number];
    struct work work = {o, job->pass, part, &o->scratch[worker]};
    part->loss = part->correct = part->squares = 0;
    memset(part->gradient, 0, gradient_length(o) * sizeof *part->gradient);
    if (o->x->kind == MATRIX_CSR)
        sparse_part(&work, number);
    else if (o->spec.f64)
        dense_part_f64(&work, number);
    else
        dense_part_f32(&work, number);
    return TEMPER_OK;
}

static void add_parts(const struct objective *o, double *gradient)
{
    size_t plain = o->columns * o->vectors;
    memcpy(gradient, o->part[0].gradient, plain * sizeof *gradient);
    for (size_t p = 1; p < o->cut.parts; p++)
        for (size_t i = 0; i < plain; i++)
            gradient[i] += o->part[p].gradient[i];
}

/* Adds the parts up; the transposed matrix has its own sums for all but the intercepts. */
static temper_status sum_parts(struct objective *o, enum pass pass, const double *w,
                               double *gradient)
{
    size_t plain = o->columns * o->vectors, skip = o->transposed ? 0 : plain;
    double *intercept = o->intercept;
    memset(intercept, 0, o->vectors * sizeof *intercept);
    for (size_t p = 0; p < o->cut.parts; p++)
        for (size_t k = 0; k < o->vectors; k++)
            intercept[k] += o->part[p].gradient[skip + k];
    for (size_t k = 0; o->spec.intercept && k < o->vectors; k++)
        gradient[plain + k] = intercept[k] / o->weight_sum;
    if (o->transposed)
        return sparse_gradient(o, pass, w, gradient);
    add_parts(o, gradient);
    finish_columns(o, w, 0, o->columns, gradient);
    return TEMPER_OK;
}

temper_status run_pass(struct objective *o, enum pass pass, const double *w, double *gradient)
{
    struct pass_job job = {o, pass};
    size_t threads = worth_threads(o->workers, (double)o->x->nonzeros * (double)o->vectors);
    fold(o, pass, w);
    temper_status status = parallel_blocks(o->cut.parts, threads, run_part, &job);
    return status == TEMPER_OK && gradient ? sum_parts(o, pass, w, gradient) : status;
}
