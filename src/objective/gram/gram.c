/* moments: sums of weighted outer products of the rows: the Hessian of two classes, and the second
 * moments that a metric is made of. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "objective/gram/gram.h"

enum {
    LEAST_GROUPS = 8,         /* that are worth more memory than what follows */
    GROUP_BLOCKS = 6,         /* at least: sums are large, and new memory is slow */
    MOST_ROWS = 512,          /* of a block */
    BLOCK_BYTES = 800 * 1024, /* the same: read again and again, but from the cache */
    BLOCKS_AHEAD = 8,         /* asked for before they are needed */
};

static const double GROUP_BYTES = 128.0 * 1024 * 1024; /* of so few groups together, and */
static const double MORE_BYTES = 1024.0 * 1024;        /* of more */

static double moment_weight(const struct gram_work *m, size_t row)
{
    return m->weight ? m->weight[row] : weight_of(m->o, row);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The sums of rows and of weights belong to the share that has the last line. */
static bool has_rest(const struct gram_work *m, struct gram_lines lines)
{
    return lines.to == m->o->columns;
}

/* The rows whose weight is not 0, one after another in `to`, where they may lie already. */
static size_t kept_rows(const struct gram_work *m, struct span span, const void *rows, size_t number, void *to)
{
    const char *from = rows;
    size_t bytes = m->o->columns * number, kept = 0;
    for (size_t i = 0; i < span.count; i++)
        if (moment_weight(m, span.from + i) != 0)
            memmove((char *)to + kept++ * bytes, from + i * bytes, bytes);
    return kept;
}

static void dense_block_f32(const struct gram_work *m, struct span span, struct gram_lines lines, double *outer,
                            struct scratch *scratch)
{
    const struct objective *o = m->o;
    float *weight = scratch->moments, *rows = weight + m->block_rows;
    float *space = rows + m->block_rows * o->columns;
    const float *all = dense_rows_f32(o->kernel, o->x, span, o->spec.scale, rows);
    struct rows_f32 block = {all, span.count, o->columns};
    size_t kept = 0;
    for (size_t i = 0; i < span.count; i++)
        if (moment_weight(m, span.from + i) != 0)
            weight[kept++] = (float)moment_weight(m, span.from + i);
    if (kept < span.count)
        block = (struct rows_f32){rows, kept_rows(m, span, all, sizeof *all, rows), o->columns};
    o->kernel->linear_f32->gram(block, weight, lines, space, outer);
    if (has_rest(m, lines))
        o->kernel->linear_f32->back(block, weight, outer + o->columns * o->columns);
}

static void dense_block_f64(const struct gram_work *m, struct span span, struct gram_lines lines, double *outer,
                            struct scratch *scratch)
{
    const struct objective *o = m->o;
    double *weight = scratch->moments, *rows = weight + m->block_rows;
    double *space = rows + m->block_rows * o->columns;
    const double *all = dense_rows_f64(o->kernel, o->x, span, o->spec.scale, rows);
    struct rows_f64 block = {all, span.count, o->columns};
    size_t kept = 0;
    for (size_t i = 0; i < span.count; i++)
        if (moment_weight(m, span.from + i) != 0)
            weight[kept++] = moment_weight(m, span.from + i);
    if (kept < span.count)
        block = (struct rows_f64){rows, kept_rows(m, span, all, sizeof *all, rows), o->columns};
    o->kernel->linear_f64->gram(block, weight, lines, space, outer);
    if (has_rest(m, lines))
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
static void sparse_row(const struct products *p, size_t from, size_t to)
{
    size_t i = from;
    for (; i < from + (to - from) % 4; i++)
        one_line(p, i);
    for (; i < to; i += 4)
        four_lines(p, i);
}

/* The first entry of a row that is not before this line. */
static size_t entry_of_line(const struct row *row, size_t line)
{
    size_t low = 0, high = row->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_column(row, middle) < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void sparse_block(const struct gram_work *m, struct span span, struct gram_lines lines, double *outer,
                         const struct scratch *scratch)
{
    const struct objective *o = m->o;
    const double *factor = o->spec.scale ? o->spec.scale->factor : NULL;
    double *linear = outer + o->columns * o->columns, *value = scratch->moments;
    uint32_t *narrowed = (void *)(value + o->columns);
    for (size_t row = span.from; row < span.from + span.count; row++) {
        struct row entries = matrix_row(o->x, row);
        double weight = moment_weight(m, row);
        if (weight == 0)
            continue;
        size_t from = lines.from ? entry_of_line(&entries, lines.from) : 0;
        size_t to = has_rest(m, lines) ? entries.count : entry_of_line(&entries, lines.to);
        for (size_t i = 0; i < to; i++) {
            uint32_t j = row_column(&entries, i);
            value[i] = row_value(&entries, i) * (factor ? factor[j] : 1);
            if (i >= from)
                linear[j] += weight * value[i];
            if (!entries.column)
                narrowed[i] = j;
        }
        const uint32_t *column = entries.column ? entries.column : narrowed;
        struct products products = {column, value, weight, outer, o->columns};
        sparse_row(&products, from, to);
    }
}

static void add_block(const struct gram_work *m, struct span span, struct gram_lines lines, double *outer,
                      struct scratch *scratch)
{
    const struct objective *o = m->o;
    for (size_t i = 0; has_rest(m, lines) && i < span.count; i++) {
        outer[m->length - 2] += moment_weight(m, span.from + i);
        outer[m->length - 1] += weight_of(o, span.from + i);
    }
    if (o->x->kind == MATRIX_CSR)
        sparse_block(m, span, lines, outer, scratch);
    else if (o->spec.f64)
        dense_block_f64(m, span, lines, outer, scratch);
    else
        dense_block_f32(m, span, lines, outer, scratch);
}

/* A block of those of all processes. */
static struct span block_span(const struct gram_work *m, size_t block)
{
    const struct objective *o = m->o;
    struct cut cut = o->cut;
    cut.block_rows = m->block_rows;
    size_t part = block / m->part_blocks - o->first[comm_rank(o->spec.data->ranks.comm)];
    return cut_span(&cut, part, block % m->part_blocks);
}

void gram_add(const struct gram_work *m, struct gram_share share, double *outer, struct scratch *scratch)
{
    const struct objective *o = m->o;
    size_t first = o->first[comm_rank(o->spec.data->ranks.comm)], behind = first + o->cut.parts;
    size_t from = (share.from > first ? share.from : first) * m->part_blocks;
    size_t to = (share.to < behind ? share.to : behind) * m->part_blocks;
    size_t block = (from + m->step - 1) / m->step * m->step, asked = block;
    for (; block < to; block += m->step) {
        struct span span = block_span(m, block);
        for (; asked < to && asked <= block + BLOCKS_AHEAD * m->step; asked += m->step) {
            struct span soon = block_span(m, asked);
            page_window_soon(o->x, soon.from, soon.count);
        }
        page_window_some(o->x, span.from, span.count);
        if (span.count)
            add_block(m, span, share.lines, outer, scratch);
    }
}

/* ---- The matrix ------------------------------------------------------------------------------ */

/* Rows and columns of the features, and the intercept last; a mean over the rows taken. Nothing
 * moves down, so that from the last to the first it can be done in place. */
void gram_assemble(const struct gram_work *m, const double *total, double *out)
{
    const struct objective *o = m->o;
    const size_t columns = o->columns, n = columns + (o->spec.intercept ? 1 : 0);
    const double *linear = total + columns * columns;
    const double moment = total[m->length - 2], all = total[m->length - 1];
    if (o->spec.intercept) {
        for (size_t k = 0; k < columns; k++)
            out[columns * n + k] = linear[k] / all;
        out[columns * n + columns] = moment / all;
    }
    for (size_t j = columns; j-- > 0;)
        for (size_t k = j + 1; k-- > 0;)
            out[j * n + k] = total[j * columns + k] / all;
}

/* Blocks of more rows than those of an evaluation, or of as many; of the shape alone. */
void gram_blocks(struct gram_work *m)
{
    const struct objective *o = m->o;
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    size_t row = (o->columns + !o->columns) * real, rows = BLOCK_BYTES / row;
    rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    m->block_rows =
        o->x->kind == MATRIX_CSR || rows <= o->cut.block_rows ? o->cut.block_rows : rows / SOFTMAX_PAD * SOFTMAX_PAD;
    m->part_blocks = (o->cut.part_rows + m->block_rows - 1) / m->block_rows;
}

static double most_groups(const struct objective *o)
{
    double bytes = (double)o->columns * (double)o->columns * sizeof(double);
    double few = fmin(LEAST_GROUPS, floor(GROUP_BYTES / bytes));
    return fmin(fmax(1, fmax(few, floor(MORE_BYTES / bytes))), (double)o->parts.count);
}

static void choose_groups(struct gram_work *m)
{
    size_t blocks = m->o->parts.count * m->part_blocks / m->step + 1;
    size_t most = (size_t)most_groups(m->o), worth = blocks / GROUP_BLOCKS + 1;
    m->groups = worth < most ? worth : most;
    gram_find_groups(m);
}

/* A weight for each row of a block, the block in the type of the sums, and once more with weights;
 * sparse rows want room for one row, and for its columns where they have to be narrowed. */
bool gram_scratch(const struct gram_work *m)
{
    const struct objective *o = m->o;
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    bool sparse = o->x->kind == MATRIX_CSR, wide = o->x->column64 != NULL;
    size_t rows = sparse ? 1 : m->block_rows, numbers = 2 * o->columns + 1;
    if (sparse)
        numbers = wide ? 2 * o->columns : o->columns;
    for (size_t i = 0; i < o->workers; i++)
        if (!o->scratch[i].moments && !(o->scratch[i].moments = mem_aligned(rows, numbers * real)))
            return false;
    return true;
}

bool gram_measure(struct gram_work *m)
{
    size_t columns = m->o->columns, square;
    if (!mul_size(columns, columns, &square))
        return false;
    m->length = square + columns + 2;
    return true;
}

double gram_bytes(const struct objective *o, bool of_classes)
{
    double columns = (double)o->columns, rows = (double)o->rows, workers = (double)o->workers;
    double real = o->spec.f64 ? sizeof(double) : sizeof(float);
    struct gram_work m = {.o = o};
    gram_blocks(&m);
    double block = o->x->kind == MATRIX_CSR ? columns * real : (double)m.block_rows * (2 * columns + 1) * real;
    double matrices = workers;
    if (!of_classes)
        matrices = comm_alone(o->spec.data->ranks.comm) ? 2 : most_groups(o) + 1;
    double weights = rows * (of_classes ? (double)o->classes : 1);
    return workers * block + (matrices * (columns * columns + columns + 2) + weights) * 8;
}

/* How many sums there is room for. One process has that of all groups so far, in the matrix that it
 * makes if this is large enough, and one more; several have their own groups, and that of all. */
static size_t sums_needed(const struct gram_work *m)
{
    if (!comm_alone(m->o->spec.data->ranks.comm))
        return m->own_groups + !m->own_groups + 1;
    size_t all = m->groups > 1 ? 2 : 1;
    return m->in_out ? all - 1 : all;
}

static temper_status moments_run(struct gram_work *m, temper_error *error)
{
    const struct objective *o = m->o;
    bool alone = comm_alone(o->spec.data->ranks.comm);
    gram_blocks(m);
    choose_groups(m);
    if (!gram_measure(m) || !gram_scratch(m))
        return error_no_memory(error);
    m->in_out = alone && o->spec.intercept && o->columns > 0;
    size_t needed = sums_needed(m);
    m->sums = needed ? mem_aligned(needed, m->length * sizeof *m->sums) : NULL;
    if (needed && !m->sums)
        return error_no_memory(error);
    temper_status status = alone ? gram_alone(m, error) : gram_shared(m, error);
    mem_free(m->sums);
    return status;
}

size_t gram_step(const struct objective *o, size_t rows)
{
    size_t all = (size_t)dataset_all_rows(o->spec.data);
    return rows && rows < all ? all / rows : 1;
}

temper_status objective_gram(struct objective *o, const double *w, size_t rows, double *gram, temper_error *error)
{
    struct gram_work m = {.o = o, .step = gram_step(o, rows), .out = gram};
    if (w && !o->bending && !(o->bending = mem_alloc(o->rows, sizeof *o->bending)))
        return error_no_memory(error);
    temper_status status = w ? run_pass(o, PASS_WEIGH, w, NULL, error) : TEMPER_OK;
    m.weight = w ? o->bending : NULL;
    return status == TEMPER_OK ? moments_run(&m, error) : status;
}

temper_status objective_hessian(void *context, double *h, temper_error *error)
{
    struct objective *o = context;
    struct gram_work m = {.o = o, .weight = o->point[1 - o->last].bend, .step = 1};
    m.out = h;
    temper_status status = moments_run(&m, error);
    for (size_t j = 0; status == TEMPER_OK && j < o->columns; j++)
        h[j * o->size + j] += o->spec.l2;
    return status;
}
