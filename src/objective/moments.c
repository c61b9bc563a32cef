/* moments: sums of weighted outer products of the rows: the Hessian of two classes, and the second
 * moments that a metric is made of. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/moments.h"

enum {
    LEAST_GROUPS = 8,         /* that are worth more memory than what follows */
    GROUP_BLOCKS = 6,         /* at least: sums are large, and new memory is slow */
    MOST_ROWS = 512,          /* of a block */
    BLOCK_BYTES = 800 * 1024, /* the same: read again and again, but from the cache */
};

static const double GROUP_BYTES = 128.0 * 1024 * 1024; /* of so few groups together, and */
static const double MORE_BYTES = 1024.0 * 1024;        /* of more */

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

static void add_block(const struct moments *m, struct span span, double *outer,
                      struct scratch *scratch)
{
    const struct objective *o = m->o;
    for (size_t i = 0; i < span.count; i++) {
        outer[m->length - 2] += moment_weight(m, span.from + i);
        outer[m->length - 1] += weight_of(o, span.from + i);
    }
    if (o->x->kind == MATRIX_CSR)
        sparse_block(m, span, outer, scratch);
    else if (o->spec.f64)
        dense_block_f64(m, span, outer, scratch);
    else
        dense_block_f32(m, span, outer, scratch);
}

/* Those of the parts from .. to, of all processes, that are here. */
void moments_add(const struct moments *m, size_t from, size_t to, double *outer,
                 struct scratch *scratch)
{
    const struct objective *o = m->o;
    size_t first = o->first[comm_rank(o->spec.data->comm)], behind = first + o->cut.parts;
    struct cut cut = o->cut;
    cut.block_rows = m->block_rows;
    for (size_t part = from > first ? from : first; part < to && part < behind; part++)
        for (size_t i = 0; i < m->part_blocks; i++) {
            struct span span = cut_span(&cut, part - first, i);
            if (span.count == 0 || (part * m->part_blocks + i) % m->step != 0)
                continue;
            pages_some(o->x, span.from, span.count, span.from + m->step * m->block_rows);
            add_block(m, span, outer, scratch);
        }
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static size_t group_start(const struct moments *m, size_t group)
{
    return m->o->parts.count * group / m->groups;
}

/* Whether the process before this one has begun its first group. */
static bool goes_on(const struct moments *m, size_t rank)
{
    const size_t *first = m->o->first;
    size_t group = 0;
    while (group_start(m, group + 1) <= first[rank] && group < m->groups)
        group++;
    return rank > 0 && first[rank] < first[rank + 1] && group_start(m, group) < first[rank];
}

static void find_groups(struct moments *m)
{
    const struct objective *o = m->o;
    size_t rank = comm_rank(o->spec.data->comm), from = o->first[rank], to = o->first[rank + 1];
    m->first_group = m->own_groups = 0;
    while (m->first_group < m->groups && group_start(m, m->first_group + 1) <= from)
        m->first_group++;
    while (m->first_group + m->own_groups < m->groups &&
           group_start(m, m->first_group + m->own_groups) < to)
        m->own_groups++;
}

static void run_group(const struct moments *m, size_t own, struct scratch *scratch)
{
    size_t group = m->first_group + own;
    moments_add(m, group_start(m, group), group_start(m, group + 1), moments_of(m, own), scratch);
}

static temper_status moments_group(void *context, size_t own, size_t worker)
{
    const struct moments *m = context;
    if (own == 0 && goes_on(m, comm_rank(m->o->spec.data->comm)))
        return TEMPER_OK; /* when its turn comes */
    memset(moments_of(m, own), 0, m->length * sizeof(double));
    run_group(m, own, &m->o->scratch[worker]);
    return TEMPER_OK;
}

/* Groups of two processes, in the order of these. */
static temper_status continue_groups(const struct moments *m, temper_error *error)
{
    const temper_comm *comm = m->o->spec.data->comm;
    temper_status status = TEMPER_OK;
    for (size_t rank = 1; status == TEMPER_OK && rank < comm_size(comm); rank++) {
        if (!goes_on(m, rank))
            continue;
        const double *last = m->own_groups ? moments_of(m, m->own_groups - 1) : m->sums;
        status = comm_pass_on(comm, rank - 1, last, m->sums, m->length * sizeof *m->sums, error);
        if (status == TEMPER_OK && rank == comm_rank(comm))
            run_group(m, 0, &m->o->scratch[0]);
    }
    return status;
}

/* The sum of all groups, each of which is with the process that has its last part. */
static temper_status add_groups(const struct moments *m, temper_error *error)
{
    const temper_comm *comm = m->o->spec.data->comm;
    size_t size = comm_size(comm), *first = mem_zeroed(size + 1, sizeof *first);
    double **vector = (double **)mem_zeroed(m->groups, sizeof *vector);
    temper_status status = TEMPER_NO_MEMORY;
    if (first && vector) {
        const struct holders holders = {comm, first};
        for (size_t r = 0; r <= size; r++)
            while (first[r] < m->groups && group_start(m, first[r] + 1) <= m->o->first[r])
                first[r]++;
        for (size_t own = 0; own < m->own_groups; own++)
            vector[own] = moments_of(m, own);
        status = tree_sum(&holders, vector, m->length, m->sums, error);
    } else {
        error_no_memory(error);
    }
    mem_free(first);
    mem_free((void *)vector);
    return status;
}

/* ---- The matrix ------------------------------------------------------------------------------ */

/* Rows and columns of the features, and the intercept last; a mean over the rows taken. */
void moments_assemble(const struct moments *m, const double *total, double *out)
{
    const struct objective *o = m->o;
    const double *linear = total + o->columns * o->columns;
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
void moments_blocks(struct moments *m)
{
    const struct objective *o = m->o;
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    size_t row = (o->columns + !o->columns) * real, rows = BLOCK_BYTES / row;
    rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    m->block_rows = o->x->kind == MATRIX_CSR || rows <= o->cut.block_rows
                        ? o->cut.block_rows
                        : rows / SOFTMAX_PAD * SOFTMAX_PAD;
    m->part_blocks = (o->cut.part_rows + m->block_rows - 1) / m->block_rows;
}

static double most_groups(const struct objective *o)
{
    double bytes = (double)o->columns * (double)o->columns * sizeof(double);
    double few = fmin(LEAST_GROUPS, floor(GROUP_BYTES / bytes));
    return fmin(fmax(1, fmax(few, floor(MORE_BYTES / bytes))), (double)o->parts.count);
}

static void choose_groups(struct moments *m)
{
    size_t blocks = m->o->parts.count * m->part_blocks / m->step + 1;
    size_t most = (size_t)most_groups(m->o), worth = blocks / GROUP_BLOCKS + 1;
    m->groups = worth < most ? worth : most;
    find_groups(m);
}

/* A weight for each row of a block, the block in the type of the sums, and once more with weights;
 * sparse rows want room for one row. */
bool moments_scratch(const struct moments *m)
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

bool moments_measure(struct moments *m)
{
    size_t columns = m->o->columns, square;
    if (!mul_size(columns, columns, &square))
        return false;
    m->length = square + columns + 2;
    return true;
}

double moments_bytes(const struct objective *o, bool of_classes)
{
    double columns = (double)o->columns, rows = (double)o->rows, workers = (double)o->workers;
    double real = o->spec.f64 ? sizeof(double) : sizeof(float);
    struct moments m = {.o = o};
    moments_blocks(&m);
    double block =
        o->x->kind == MATRIX_CSR ? columns * real : (double)m.block_rows * (2 * columns + 1) * real;
    double matrices = of_classes ? workers : most_groups(o);
    double weights = rows * (of_classes ? (double)o->classes : 1);
    return workers * block + (matrices * (columns * columns + columns + 2) + weights) * 8;
}

static temper_status moments_run(struct moments *m, temper_error *error)
{
    const struct objective *o = m->o;
    moments_blocks(m);
    choose_groups(m);
    if (!moments_measure(m) || !moments_scratch(m))
        return error_no_memory(error);
    m->sums = mem_aligned(m->own_groups + !m->own_groups, m->length * sizeof *m->sums);
    if (!m->sums)
        return error_no_memory(error);
    double work = (double)o->x->nonzeros * (double)o->columns / (double)m->step;
    temper_status status = TEMPER_OK;
    if (parallel_blocks(m->own_groups, worth_threads(o->workers, work), moments_group, m) !=
        TEMPER_OK)
        status = error_no_memory(error);
    if (status == TEMPER_OK)
        status = continue_groups(m, error);
    if (status == TEMPER_OK)
        status = add_groups(m, error);
    if (status == TEMPER_OK)
        moments_assemble(m, m->sums, m->out);
    mem_free(m->sums);
    return status;
}

size_t moments_step(const struct objective *o, size_t rows)
{
    size_t all = (size_t)dataset_all_rows(o->spec.data);
    return rows && rows < all ? all / rows : 1;
}

temper_status objective_gram(struct objective *o, const double *w, size_t rows, double *gram,
                             temper_error *error)
{
    struct moments m = {.o = o, .step = moments_step(o, rows), .out = gram};
    if (w && !o->bending && !(o->bending = mem_alloc(o->rows, sizeof *o->bending)))
        return error_no_memory(error);
    temper_status status = w ? run_pass(o, PASS_WEIGH, w, NULL, error) : TEMPER_OK;
    m.weight = w ? o->bending : NULL;
    return status == TEMPER_OK ? moments_run(&m, error) : status;
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
