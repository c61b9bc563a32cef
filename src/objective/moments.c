/* moments: sums of weighted outer products of the rows: the Hessian of two classes, and the second
 * moments that a metric is made of. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/inside.h"

enum {
    MOST_GROUPS = 8,
    MOST_ROWS = 512,          /* of a block */
    BLOCK_BYTES = 800 * 1024, /* the same: read again and again, but from the cache */
};

static const double GROUP_BYTES = 128.0 * 1024 * 1024; /* of all groups together */

/* Groups of blocks with sums of their own, added in order; their number depends on the shape of the
 * data alone. */
struct moments {
    const struct objective *o;
    const double *weight; /* of each row; NULL: that of the data */
    size_t block_rows;    /* the more, the rarer are sums added to the matrix */
    size_t step;          /* every step-th block only */
    size_t groups;
    double *out;
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
    float *weight = scratch->moments, *rows = weight + m->block_rows;
    float *space = rows + m->block_rows * o->columns;
    struct rows_f32 block = {dense_rows_f32(o->kernel, o->x, span, o->spec.scale, rows), span.count,
                             o->columns};
    for (size_t i = 0; i < span.count; i++)
        weight[i] = (float)moment_weight(m, span.from + i);
    o->kernel->linear_f32->gram(block, weight, space, outer);
    o->kernel->linear_f32->back(block, weight, outer + o->columns * o->columns);
}

static void dense_block_f64(const struct moments *m, struct span span, double *outer,
                            struct scratch *scratch)
{
    const struct objective *o = m->o;
    double *weight = scratch->moments, *rows = weight + m->block_rows;
    double *space = rows + m->block_rows * o->columns;
    struct rows_f64 block = {dense_rows_f64(o->kernel, o->x, span, o->spec.scale, rows), span.count,
                             o->columns};
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

static void add_blocks(const struct moments *m, size_t group, struct scratch *scratch)
{
    const struct objective *o = m->o;
    size_t blocks = (o->rows + m->block_rows - 1) / m->block_rows;
    double *outer = outer_of(m, group);
    memset(outer, 0, m->length * sizeof *outer);
    for (size_t b = group * m->step; b < blocks; b += m->groups * m->step) {
        size_t from = b * m->block_rows, left = o->rows - from;
        struct span span = {from, left < m->block_rows ? left : m->block_rows, b};
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
}

static temper_status moments_group(void *context, size_t group, size_t worker)
{
    const struct moments *m = context;
    add_blocks(m, group, &m->o->scratch[worker]);
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
static void assemble(const struct moments *m)
{
    double *out = m->out;
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

/* Blocks of more rows than those of an evaluation, or of as many; of the shape alone. */
static size_t moment_rows(const struct objective *o)
{
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    size_t row = (o->columns + !o->columns) * real, rows = BLOCK_BYTES / row;
    rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    return o->x->kind == MATRIX_CSR || rows <= o->cut.block_rows ? o->cut.block_rows
                                                                 : rows / SOFTMAX_PAD * SOFTMAX_PAD;
}

/* A weight for each row of a block, the block in the type of the sums, and once more with weights;
 * sparse rows want room for one row. */
static bool scratch_for_moments(const struct moments *m)
{
    const struct objective *o = m->o;
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    bool sparse = o->x->kind == MATRIX_CSR;
    size_t rows = sparse ? 1 : m->block_rows, numbers = sparse ? o->columns : 2 * o->columns + 1;
    for (size_t i = 0; i < o->workers; i++)
        if (!o->scratch[i].moments && !(o->scratch[i].moments = mem_aligned(rows, numbers * real)))
            return false;
    return true;
}

static bool moments_length(struct moments *m)
{
    size_t columns = m->o->columns, square;
    if (!mul_size(columns, columns, &square))
        return false;
    m->length = square + columns + 2;
    return true;
}

static temper_status moments_run(struct moments *m, temper_error *error)
{
    const struct objective *o = m->o;
    m->block_rows = moment_rows(o);
    size_t blocks = (o->rows + m->block_rows - 1) / m->block_rows / m->step + 1;
    double bytes = (double)o->columns * (double)o->columns * sizeof(double);
    m->groups = bytes * MOST_GROUPS <= GROUP_BYTES ? MOST_GROUPS
                : bytes >= GROUP_BYTES             ? 1
                                                   : (size_t)(GROUP_BYTES / bytes);
    m->groups = m->groups < blocks ? m->groups : blocks;
    if (!moments_length(m) || !scratch_for_moments(m))
        return error_no_memory(error);
    m->sums = mem_aligned(m->groups, m->length * sizeof *m->sums);
    double work = (double)o->x->nonzeros * (double)o->columns / (double)m->step;
    temper_status status =
        m->sums ? parallel_blocks(m->groups, worth_threads(o->workers, work), moments_group, m)
                : TEMPER_NO_MEMORY;
    if (status == TEMPER_OK) {
        add_groups(m);
        assemble(m);
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
    m.out = gram;
    return moments_run(&m, error);
}

/* The matrix of one class; sums belong to workers, not to groups. */
static temper_status class_gram(void *context, size_t class, size_t worker)
{
    const struct moments *all = context;
    const struct objective *o = all->o;
    size_t n = o->columns + (o->spec.intercept ? 1 : 0);
    struct moments m = *all;
    m.weight = o->class_bending + class * o->rows;
    m.sums = outer_of(all, worker);
    m.out = all->out + class * n * n;
    add_blocks(&m, 0, &o->scratch[worker]);
    assemble(&m);
    return TEMPER_OK;
}

temper_status objective_class_grams(struct objective *o, const double *w, size_t rows,
                                    double *grams, temper_error *error)
{
    struct moments m = {.o = o,
                        .step = rows && rows < o->rows ? o->rows / rows : 1,
                        .block_rows = moment_rows(o),
                        .groups = 1,
                        .out = grams};
    temper_status status = TEMPER_NO_MEMORY;
    o->class_bending = mem_alloc(o->rows, o->classes * sizeof *o->class_bending);
    if (o->class_bending && moments_length(&m) && scratch_for_moments(&m))
        m.sums = mem_aligned(o->workers, m.length * sizeof *m.sums);
    if (m.sums && run_pass(o, PASS_WEIGH, w, NULL) == TEMPER_OK)
        status = parallel_blocks(o->classes, o->workers, class_gram, &m);
    mem_free(m.sums);
    mem_free(o->class_bending); /* large, and seldom wanted */
    o->class_bending = NULL;
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

temper_status objective_hessian(void *context, double *h, temper_error *error)
{
    struct objective *o = context;
    struct moments m = {.o = o, .weight = o->point[1 - o->last].bend, .step = 1};
    m.out = h;
    temper_status status = moments_run(&m, error);
    for (size_t j = 0; status == TEMPER_OK && j < o->columns; j++)
        h[j * o->size + j] += o->spec.l2;
    return status;
}
