/* moments: sums of weighted outer products of the rows: the Hessian of two classes, and the second
 * moments that a metric is made of. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/inside.h"

enum { MOST_GROUPS = 8 };

static const double GROUP_BYTES = 128.0 * 1024 * 1024; /* of all groups together */

/* Groups of blocks with sums of their own, added in order; their number depends on the shape of the
 * data alone. */
struct moments {
    const struct objective *o;
    const double *weight; /* of each row; NULL: that of the data */
    size_t step;          /* every step-th block only */
    size_t groups;
    size_t length; /* of a group's sums: columns^2, columns, and the sums of weights: of the
                    * moments, and of the rows */
    double *sums;
};

static double *outer_of(const struct moments *m, size_t group)
{
    return m->sums + group * m->length;
}

static double moment_weight(const struct moments *m, size_t row)
{
    return m->weight ? m->weight[row] : weight_of(m->o, row);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void dense_block_f32(const struct moments *m, struct span span, double *outer,
                            struct scratch *scratch)
{
    const struct objective *o = m->o;
    float *weight = scratch->first, *space = scratch->moments;
    struct rows_f32 block = {dense_rows_f32(o->kernel, o->x, span, o->spec.scale, scratch->rows),
                             span.count, o->columns};
    for (size_t i = 0; i < span.count; i++)
        weight[i] = (float)moment_weight(m, span.from + i);
    o->kernel->linear_f32->gram(block, weight, space, outer);
    o->kernel->linear_f32->back(block, weight, outer + o->columns * o->columns);
}

static void dense_block_f64(const struct moments *m, struct span span, double *outer,
                            struct scratch *scratch)
{
    const struct objective *o = m->o;
    double *weight = scratch->first, *space = scratch->moments;
    struct rows_f64 block = {dense_rows_f64(o->kernel, o->x, span, o->spec.scale, scratch->rows),
                             span.count, o->columns};
    for (size_t i = 0; i < span.count; i++)
        weight[i] = moment_weight(m, span.from + i);
    o->kernel->linear_f64->gram(block, weight, space, outer);
    o->kernel->linear_f64->back(block, weight, outer + o->columns * o->columns);
}

/* A row's entries, and the matrix that their products are added to. */
struct products {
    const uint32_t *column;
    const double *value;
    double weight;
    double *outer;
    size_t columns;
};

static void one_line(const struct products *p, size_t i)
{
    double *line = p->outer + p->column[i] * p->columns, factor = p->weight * p->value[i];
    for (size_t e = 0; e <= i; e++)
        line[p->column[e]] += factor * p->value[e];
}

/* Entries i .. i + 4 with all up to them: four lines of the matrix share what is read of the row.
 */
static void four_lines(const struct products *p, size_t i)
{
    const uint32_t *column = p->column + i;
    double *a = p->outer + column[0] * p->columns, *b = p->outer + column[1] * p->columns;
    double *c = p->outer + column[2] * p->columns, *d = p->outer + column[3] * p->columns;
    const double fa = p->weight * p->value[i], fb = p->weight * p->value[i + 1];
    const double fc = p->weight * p->value[i + 2], fd = p->weight * p->value[i + 3];
    for (size_t e = 0; e <= i; e++) {
        const size_t k = p->column[e];
        const double v = p->value[e];
        a[k] += fa * v;
        b[k] += fb * v;
        c[k] += fc * v;
        d[k] += fd * v;
    }
    b[column[1]] += fb * p->value[i + 1];
    c[column[1]] += fc * p->value[i + 1];
    d[column[1]] += fd * p->value[i + 1];
    c[column[2]] += fc * p->value[i + 2];
    d[column[2]] += fd * p->value[i + 2];
    d[column[3]] += fd * p->value[i + 3];
}

/* Columns ascend within a row, so the lower triangle is that of the pairs behind each other. What
 * is left over of fours comes first, where lines are short. */
static void sparse_row(const struct products *p, size_t count)
{
    size_t i = 0;
    for (; i < count % 4; i++)
        one_line(p, i);
    for (; i < count; i += 4)
        four_lines(p, i);
}

static void sparse_block(const struct moments *m, struct span span, double *outer,
                         const struct scratch *scratch)
{
    const struct objective *o = m->o;
    const double *factor = o->spec.scale ? o->spec.scale->factor : NULL;
    double *linear = outer + o->columns * o->columns, *value = scratch->moments;
    for (size_t row = span.from; row < span.from + span.count; row++) {
        struct row entries = matrix_row(o->x, row);
        double weight = moment_weight(m, row);
        if (weight == 0)
            continue;
        for (size_t i = 0; i < entries.count; i++) {
            size_t j = entries.column[i];
            value[i] = (double)entries.value[i] * (factor ? factor[j] : 1);
            linear[j] += weight * value[i];
        }
        struct products products = {entries.column, value, weight, outer, o->columns};
        sparse_row(&products, entries.count);
    }
}

static temper_status moments_group(void *context, size_t group, size_t worker)
{
    const struct moments *m = context;
    const struct objective *o = m->o;
    struct scratch *scratch = &o->scratch[worker];
    size_t blocks = (o->rows + o->cut.block_rows - 1) / o->cut.block_rows;
    double *outer = outer_of(m, group);
    memset(outer, 0, m->length * sizeof *outer);
    for (size_t b = group * m->step; b < blocks; b += m->groups * m->step) {
        size_t from = b * o->cut.block_rows, left = o->rows - from;
        struct span span = {from, left < o->cut.block_rows ? left : o->cut.block_rows, b};
        for (size_t i = 0; i < span.count; i++) {
            outer[m->length - 2] += moment_weight(m, from + i);
            outer[m->length - 1] += weight_of(o, from + i);
        }
        if (o->x->kind == MATRIX_CSR)
            sparse_block(m, span, outer, scratch);
        else if (o->spec.f64)
            dense_block_f64(m, span, outer, scratch);
        else
            dense_block_f32(m, span, outer, scratch);
    }
    return TEMPER_OK;
}

/* ---- The matrix ------------------------------------------------------------------------------ */

static void add_groups(const struct moments *m)
{
    double *total = outer_of(m, 0);
    for (size_t g = 1; g < m->groups; g++)
        for (size_t i = 0; i < m->length; i++)
            total[i] += outer_of(m, g)[i];
}

/* Rows and columns of the features, and the intercept last; a mean over the rows taken. */
static void assemble(const struct moments *m, double *out)
{
    const struct objective *o = m->o;
    const double *total = outer_of(m, 0), *linear = total + o->columns * o->columns;
    size_t n = o->columns + (o->spec.intercept ? 1 : 0);
    double all = total[m->length - 1];
    for (size_t j = 0; j < o->columns; j++)
        for (size_t k = 0; k <= j; k++)
            out[j * n + k] = total[j * o->columns + k] / all;
    if (!o->spec.intercept)
        return;
    for (size_t k = 0; k < o->columns; k++)
        out[o->columns * n + k] = linear[k] / all;
    out[o->columns * n + o->columns] = total[m->length - 2] / all;
}

/* The kernels want room for a block more, sparse rows for one row. */
static bool scratch_for_moments(const struct objective *o)
{
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    size_t rows = o->x->kind == MATRIX_CSR ? 1 : o->stride;
    for (size_t i = 0; i < o->workers; i++)
        if (!o->scratch[i].moments &&
            !(o->scratch[i].moments = mem_aligned(rows, o->columns * real)))
            return false;
    return true;
}

static temper_status moments_run(struct moments *m, double *out, temper_error *error)
{
    const struct objective *o = m->o;
    size_t blocks = (o->rows + o->cut.block_rows - 1) / o->cut.block_rows / m->step + 1, square;
    double bytes = (double)o->columns * (double)o->columns * sizeof(double);
    m->groups = bytes * MOST_GROUPS <= GROUP_BYTES ? MOST_GROUPS
                : bytes >= GROUP_BYTES             ? 1
                                                   : (size_t)(GROUP_BYTES / bytes);
    m->groups = m->groups < blocks ? m->groups : blocks;
    if (!mul_size(o->columns, o->columns, &square) || !scratch_for_moments(o))
        return error_no_memory(error);
    m->length = square + o->columns + 2;
    m->sums = mem_aligned(m->groups, m->length * sizeof *m->sums);
    double work = (double)o->x->nonzeros * (double)o->columns / (double)m->step;
    temper_status status =
        m->sums ? parallel_blocks(m->groups, worth_threads(o->workers, work), moments_group, m)
                : TEMPER_NO_MEMORY;
    if (status == TEMPER_OK) {
        add_groups(m);
        assemble(m, out);
    }
    mem_free(m->sums);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

temper_status objective_gram(struct objective *o, const double *w, size_t rows, double *gram,
                             temper_error *error)
{
    size_t step = rows && rows < o->rows ? o->rows / rows : 1;
    struct moments m = {.o = o, .step = step};
    if (w && !o->bending && !(o->bending = mem_alloc(o->rows, sizeof *o->bending)))
        return error_no_memory(error);
    if (w && run_pass(o, PASS_WEIGH, w, NULL) != TEMPER_OK)
        return error_no_memory(error);
    m.weight = w ? o->bending : NULL;
    return moments_run(&m, gram, error);
}

temper_status objective_hessian(void *context, double *h, temper_error *error)
{
    struct objective *o = context;
    struct moments m = {.o = o, .weight = o->point[1 - o->last].bend, .step = 1};
    temper_status status = moments_run(&m, h, error);
    for (size_t j = 0; status == TEMPER_OK && j < o->columns; j++)
        h[j * o->size + j] += o->spec.l2;
    return status;
}
