/* gram: Gram matrices X' D X, sums of weighted outer products of the rows: the Hessian of two classes, and the matrices
 * that preconditioners are made of.
 *
 * Only the lower triangle is computed. Rows are taken in blocks, each of which is one symmetric rank-k update (the
 * BLAS operation syrk) from the cache. The rows are in groups, whose sums are added in their order. Several threads
 * compute a group each; where there are fewer groups than threads, they divide the lines of the matrix among them.
 * Either way each entry is summed over the rows in one fixed order. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/gram/gram.h"

enum {
    LEAST_GROUPS = 8,         /* so many groups may use GROUP_BYTES together, more of them MORE_BYTES */
    GROUP_BLOCKS = 6,         /* blocks of a group, at least: its sums are large, and fresh memory is slow */
    MOST_ROWS = 512,          /* of a block */
    BLOCK_BYTES = 800 * 1024, /* of a block: it is read repeatedly, from the cache */
    BLOCKS_AHEAD = 8,         /* blocks of a mapped file that are prefetched */
};

static const double GROUP_BYTES = 128.0 * 1024 * 1024;
static const double MORE_BYTES = 1024.0 * 1024;

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* A sparse row, and the matrix that its products are added to. */
struct gram_row {
    const uint32_t *column;
    const double *value;
    double weight;
    double *outer;
    size_t columns;
};

/* Adds entry i times all entries up to it: one line of the lower triangle. */
static void one_line(const struct gram_row *p, size_t i)
{
    /* Lines of the matrix are `columns` apart. */
    double *line = p->outer + p->column[i] * p->columns, factor = p->weight * p->value[i];
    for (size_t e = 0; e <= i; e++)
        line[p->column[e]] += factor * p->value[e];
}

/* The same for entries i .. i + 3: four lines of the matrix share the reading of the row. */
static void four_lines(const struct gram_row *p, size_t i)
{
    const uint32_t *column = p->column + i;
    double *a = p->outer + column[0] * p->columns, *b = p->outer + column[1] * p->columns;
    double *c = p->outer + column[2] * p->columns, *d = p->outer + column[3] * p->columns;
    const double fa = p->weight * p->value[i], fb = p->weight * p->value[i + 1];
    const double fc = p->weight * p->value[i + 2], fd = p->weight * p->value[i + 3];
    /* Entries before i: the rectangular part of the four lines. */
    for (size_t e = 0; e <= i; e++) {
        const size_t k = p->column[e];
        const double v = p->value[e];
        a[k] += fa * v;
        b[k] += fb * v;
        c[k] += fc * v;
        d[k] += fd * v;
    }
    /* The corner: products among the four entries themselves, the lower triangle of a 4 x 4 block. */
    b[column[1]] += fb * p->value[i + 1];
    c[column[1]] += fc * p->value[i + 1];
    d[column[1]] += fd * p->value[i + 1];
    c[column[2]] += fc * p->value[i + 2];
    d[column[2]] += fd * p->value[i + 2];
    d[column[3]] += fd * p->value[i + 3];
}

/* Columns ascend within a row, so pairs (i, e <= i) are the lower triangle. The remainder modulo 4 comes first, where
 * lines are short. */
static void sparse_row(const struct gram_row *p, size_t from, size_t to)
{
    size_t i = from;
    for (; i < from + (to - from) % 4; i++)
        one_line(p, i);
    for (; i < to; i += 4)
        four_lines(p, i);
}

/* The first entry of a row in column `line` or behind it, by bisection: where a thread's lines begin. */
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

/* Adds a block of CSR rows. Sparse data has no offsets, so scaling is a factor for each column. */
static void sparse_block(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                         const struct pass_scratch *scratch)
{
    const struct objective *o = m->o;
    /* Factors only: sparse scaling has no offsets. */
    const double *factor = o->spec.scale ? o->spec.scale->factor : NULL;
    double *linear = outer + m->columns * m->columns, *value = scratch->gram;
    uint32_t *narrowed = (void *)(value + m->columns);
    for (size_t row = span.from; row < span.from + span.count; row++) {
        struct row entries = matrix_row(o->x, row);
        double weight = gram_row_weight(m, row);
        if (weight == 0)
            continue;
        size_t from = lines.from ? entry_of_line(&entries, lines.from) : 0;
        size_t to = gram_has_last_line(m, lines) ? entries.count : entry_of_line(&entries, lines.to);
        /* Entries before `from` belong to lines of other threads, but occur as the second factor. */
        for (size_t i = 0; i < to; i++) {
            uint32_t j = row_column(&entries, i);
            value[i] = row_value(&entries, i) * (factor ? factor[j] : 1);
            if (i >= from)
                linear[j] += weight * value[i];
            if (!entries.column)
                narrowed[i] = j;
        }
        const uint32_t *column = entries.column ? entries.column : narrowed;
        struct gram_row products = {column, value, weight, outer, m->columns};
        sparse_row(&products, from, to);
    }
}

/* The entries of a CSR row that are in chosen columns, scaled; their number. */
static size_t choose_entries(const struct gram_work *m, const struct row *row, uint32_t *line, double *value)
{
    const double *factor = m->o->spec.scale ? m->o->spec.scale->factor : NULL;
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++) {
        const uint32_t j = row_column(row, i), at = m->position[j];
        if (at == GRAM_NOT_CHOSEN)
            continue;
        line[count] = at;
        value[count++] = row_value(row, i) * (factor ? factor[j] : 1);
    }
    return count;
}

/* The same as sparse_block for chosen columns: the entries of a row are few, so that each thread reads all of them. */
static void chosen_block(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                         const struct pass_scratch *scratch)
{
    double *linear = outer + m->columns * m->columns, *value = scratch->gram;
    uint32_t *line = (void *)(value + m->columns);
    for (size_t row = span.from; row < span.from + span.count; row++) {
        struct row entries = matrix_row(m->o->x, row);
        double weight = gram_row_weight(m, row);
        if (weight == 0)
            continue;
        size_t count = choose_entries(m, &entries, line, value), from = 0, to = 0;
        while (from < count && line[from] < lines.from)
            from++;
        for (to = from; to < count && line[to] < lines.to; to++)
            linear[line[to]] += weight * value[to];
        struct gram_row products = {line, value, weight, outer, m->columns};
        sparse_row(&products, from, to);
    }
}

/* Adds a block to the lines of one thread, in the form of its data. The last two numbers of `outer` are the sums of D
 * and of the row weights. They are what the intercept and the division by N need: X'D1 is the line of the intercept,
 * the sum of D its diagonal entry. */
static void add_block(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                      struct pass_scratch *scratch)
{
    const struct objective *o = m->o;
    for (size_t i = 0; gram_has_last_line(m, lines) && i < span.count; i++) {
        outer[m->length - 2] += gram_row_weight(m, span.from + i);
        outer[m->length - 1] += weight_of(o, span.from + i);
    }
    if (o->x->kind == MATRIX_CSR && m->index)
        chosen_block(m, span, lines, outer, scratch);
    else if (o->x->kind == MATRIX_CSR)
        sparse_block(m, span, lines, outer, scratch);
    else if (o->spec.f64)
        gram_dense_f64(m, span, lines, outer, scratch);
    else
        gram_dense_f32(m, span, lines, outer, scratch);
}

/* Adds the dense rows that wait until a block of them is full. */
static void add_collected(const struct gram_work *m, struct gram_lines lines, double *outer,
                          struct pass_scratch *scratch)
{
    if (!scratch->gram_collected)
        return;
    if (m->o->spec.f64)
        gram_collected_f64(m, lines, outer, scratch);
    else
        gram_collected_f32(m, lines, outer, scratch);
}

/* The rows of a block, the number of which counts over all parts of all processes. */
static struct row_span block_span(const struct gram_work *m, size_t block)
{
    const struct objective *o = m->o;
    /* The layout of the passes, with this module's larger blocks. */
    struct block_layout cut = o->layout.blocks;
    cut.block_rows = m->block_rows;
    size_t part = block / m->part_blocks - o->layout.first_part[comm_rank(o->spec.data->ranks.comm)];
    return block_rows_of(&cut, part, block % m->part_blocks);
}

/* Adds those blocks of parts [share.from, share.to) that this process holds, every step-th one: a sample of the rows
 * if step > 1. The sample is counted over all processes, so that it does not depend on their number. */
void gram_add(const struct gram_work *m, struct gram_share share, double *outer, struct pass_scratch *scratch)
{
    const struct objective *o = m->o;
    /* Parts of this process among those of the share. */
    size_t first = o->layout.first_part[comm_rank(o->spec.data->ranks.comm)], behind = first + o->layout.blocks.parts;
    size_t from = (share.from > first ? share.from : first) * m->part_blocks;
    size_t to = (share.to < behind ? share.to : behind) * m->part_blocks;
    /* The first sampled block at or behind the share's start. */
    size_t block = (from + m->step - 1) / m->step * m->step, asked = block;
    for (; block < to; block += m->step) {
        struct row_span span = block_span(m, block);
        /* Sampled blocks are far apart, so the system's readahead does not help: the next ones are requested here. */
        for (; asked < to && asked <= block + BLOCKS_AHEAD * m->step; asked += m->step) {
            struct row_span soon = block_span(m, asked);
            page_window_soon(o->x, soon.from, soon.count);
        }
        page_window_some(o->x, span.from, span.count);
        if (span.count)
            add_block(m, span, share.lines, outer, scratch);
        /* Rows that wait for others are added at the end of their part, the unit that processes do not divide. */
        if (block + m->step >= to || (block + m->step) / m->part_blocks != block / m->part_blocks)
            add_collected(m, share.lines, outer, scratch);
    }
}

/* ---- The matrix ------------------------------------------------------------------------------ */

/* The mean over the rows, with the intercept as last line. It works in place (out = total): entries only move to higher
 * addresses, so the loops go from the last to the first. The result is X'DX / N in its lower triangle, N the sum of the
 * row weights; with an intercept, X has a last column of ones. Entries above the diagonal are not set: the Cholesky
 * factorisation reads the lower triangle alone. */
void gram_assemble(const struct gram_work *m, const double *total, double *out)
{
    const struct objective *o = m->o;
    const size_t columns = m->columns, n = columns + (o->spec.intercept ? 1 : 0);
    const double *linear = total + columns * columns;
    const double curvature = total[m->length - 2], all = total[m->length - 1];
    if (o->spec.intercept) {
        for (size_t k = 0; k < columns; k++)
            out[columns * n + k] = linear[k] / all;
        out[columns * n + columns] = curvature / all;
    }
    for (size_t j = columns; j-- > 0;)
        for (size_t k = j + 1; k-- > 0;)
            out[j * n + k] = total[j * columns + k] / all;
}

/* Rows of a block: at least those of an evaluation, and as many as fit the cache, since each block is read once for
 * every few lines of the matrix. By the shape of the data alone. */
void gram_blocks(struct gram_work *m)
{
    const struct objective *o = m->o;
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    size_t row = (m->columns + !m->columns) * real, rows = BLOCK_BYTES / row;
    rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    m->block_rows = o->x->kind == MATRIX_CSR || rows <= o->layout.blocks.block_rows ? o->layout.blocks.block_rows
                                                                                    : rows / SOFTMAX_PAD * SOFTMAX_PAD;
    m->part_blocks = (o->layout.blocks.part_rows + m->block_rows - 1) / m->block_rows;
    /* Whole vectors, as blocks have them. */
    size_t all = (o->rows + SOFTMAX_PAD) / SOFTMAX_PAD * SOFTMAX_PAD;
    m->buffered_rows = all < m->block_rows ? all : m->block_rows;
}

/* How many sums of groups the memory allows, each as large as the matrix. */
static double most_groups(const struct gram_work *m)
{
    double bytes = (double)m->columns * (double)m->columns * sizeof(double);
    double few = fmin(LEAST_GROUPS, floor(GROUP_BYTES / bytes));
    return fmin(fmax(1, fmax(few, floor(MORE_BYTES / bytes))), (double)m->o->layout.partition.count);
}

/* Allocates the workers' buffers on first use; false without memory. Dense: a weight for each row, the block in the
 * type of the sums, and the block multiplied by the weights. Sparse: the scaled values of one row, and its columns
 * where they are stored in 64 bits. */
bool gram_scratch(const struct gram_work *m)
{
    const struct objective *o = m->o;
    size_t real = o->spec.f64 ? sizeof(double) : sizeof(float);
    bool sparse = o->x->kind == MATRIX_CSR, wide = o->x->column64 != NULL;
    size_t rows = sparse ? 1 : m->buffered_rows, numbers = 2 * m->columns + 1;
    if (sparse)
        numbers = wide || m->index ? 2 * m->columns : m->columns;
    for (size_t i = 0; i < o->workers; i++)
        if (!o->scratch[i].gram && !(o->scratch[i].gram = mem_aligned(rows, numbers * real)))
            return false;
    return true;
}

/* The length of a sum: the square matrix, the sum of the rows, two totals. false on overflow. */
bool gram_measure(struct gram_work *m)
{
    size_t columns = m->columns, square;
    if (!mul_size(columns, columns, &square))
        return false;
    m->length = square + columns + 2;
    return true;
}

/* The estimate for --memory; mirrors gram_run and class_grams. */
double gram_bytes(const struct objective *o, bool of_classes)
{
    double columns = (double)o->columns, rows = (double)o->rows, workers = (double)o->workers;
    double real = o->spec.f64 ? sizeof(double) : sizeof(float);
    struct gram_work m = {.o = o, .columns = o->columns};
    gram_blocks(&m);
    double block = o->x->kind == MATRIX_CSR ? columns * real : (double)m.buffered_rows * (2 * columns + 1) * real;
    double matrices = workers;
    if (!of_classes)
        matrices = most_groups(&m) + 1;
    if (!of_classes && comm_alone(o->spec.data->ranks.comm))
        matrices = fmax(2, fmin(workers + 1, matrices));
    double weights = rows * (of_classes ? (double)o->classes + 0.5 : 1); /* and the norms of the rows, in floats */
    return workers * block + (matrices * (columns * columns + columns + 2) + weights) * 8;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The first part of a group; groups are ranges of parts, the unit that MPI processes exchange. */
size_t gram_group_start(const struct gram_work *m, size_t group)
{
    return m->o->layout.partition.count * group / m->groups;
}

/* The groups that have parts of this process; the first and the last may have parts of others too. */
static void find_groups(struct gram_work *m)
{
    const struct objective *o = m->o;
    size_t rank = comm_rank(o->spec.data->ranks.comm), from = o->layout.first_part[rank],
           to = o->layout.first_part[rank + 1];
    m->first_group = m->own_groups = 0;
    while (m->first_group < m->groups && gram_group_start(m, m->first_group + 1) <= from)
        m->first_group++;
    while (m->first_group + m->own_groups < m->groups && gram_group_start(m, m->first_group + m->own_groups) < to)
        m->own_groups++;
}

/* As many groups as are worth their memory and their addition; by the shape of the data alone, since the grouping is
 * part of the order of summation. */
static void choose_groups(struct gram_work *m)
{
    /* Blocks that are used, by sampling. */
    size_t blocks = m->o->layout.partition.count * m->part_blocks / m->step + 1;
    size_t most = (size_t)most_groups(m), worth = blocks / GROUP_BLOCKS + 1;
    m->groups = worth < most ? worth : most;
    find_groups(m);
}

/* A group, and the threads among which the lines of the matrix are divided. */
struct gram_group_job {
    const struct gram_work *m;
    size_t group, shares;
    double *outer;
};

/* Line i of the triangle has i + 1 entries: boundaries at the square root give shares of about equal work. */
static size_t share_start(const struct gram_group_job *run, size_t share)
{
    size_t columns = run->m->columns;
    /* The triangle above line i has i^2 / 2 entries. */
    double part = sqrt((double)share / (double)run->shares);
    return share < run->shares ? (size_t)(part * (double)columns) : columns;
}

/* Callback of pool_blocks: all rows of the group for the lines of one share. */
static temper_status run_share(void *context, size_t share, size_t worker)
{
    const struct gram_group_job *run = context;
    const struct gram_work *m = run->m;
    const struct gram_share all = {{share_start(run, share), share_start(run, share + 1)},
                                   gram_group_start(m, run->group),
                                   gram_group_start(m, run->group + 1)};
    gram_add(m, all, run->outer, &m->o->scratch[worker]);
    return TEMPER_OK;
}

/* By the additions of one group, approximately. */
static size_t gram_threads(const struct gram_work *m)
{
    const struct objective *o = m->o;
    return threads_worth(o->workers, (double)o->x->nonzeros * (double)m->columns / (double)m->step);
}

/* Adds this process's parts of a group to `outer`, which is 0 or contains the sums of parts that processes before it
 * hold. */
temper_status gram_run_group(const struct gram_work *m, size_t group, double *outer, temper_error *error)
{
    const struct objective *o = m->o;
    size_t threads = gram_threads(m), most = m->columns ? m->columns : 1;
    struct gram_group_job run = {m, group, threads < most ? threads : most, outer};
    return pool_blocks(o->pool, run.shares, run.shares, run_share, &run) == TEMPER_OK ? TEMPER_OK
                                                                                      : error_no_memory(error);
}

/* The sums of a group, from 0. */
temper_status gram_new_group(const struct gram_work *m, size_t group, double *outer, temper_error *error)
{
    memset(outer, 0, m->length * sizeof *outer);
    return gram_run_group(m, group, outer, error);
}

/* Element by element, in the order of memory. */
void gram_add_sums(const struct gram_work *m, const double *from, double *to)
{
    for (size_t i = 0; i < m->length; i++)
        to[i] += from[i];
}

/* One process: groups that are computed at the same time, one by each thread. */
struct gram_round {
    const struct gram_work *m;
    size_t first;  /* the first of them */
    double *total; /* where the sums of group 0 are made */
};

/* The sums of the group with this number in its round. */
static double *round_sums(const struct gram_round *round, size_t number)
{
    if (round->first + number == 0)
        return round->total;
    return round->m->in_out ? gram_of(round->m, number) : gram_of(round->m, number + 1);
}

/* Callback of pool_blocks: all lines of one group. Rows are read, converted and scaled once, where threads that divide
 * the lines would each do so. */
static temper_status run_whole_group(void *context, size_t number, size_t worker)
{
    const struct gram_round *round = context;
    const struct gram_work *m = round->m;
    const size_t group = round->first + number;
    double *outer = round_sums(round, number);
    const struct gram_share all = {{0, m->columns}, gram_group_start(m, group), gram_group_start(m, group + 1)};
    memset(outer, 0, m->length * sizeof *outer);
    gram_add(m, all, outer, &m->o->scratch[worker]);
    return TEMPER_OK;
}

/* How many groups are computed at once: one for each thread, or one by all threads. */
static size_t groups_at_once(const struct gram_work *m, size_t left)
{
    const size_t threads = gram_threads(m);
    return threads <= left ? threads : 1;
}

/* One process: each group is added to the total, in their order. */
static temper_status gram_alone(const struct gram_work *m, temper_error *error)
{
    struct gram_round round = {m, 0, m->in_out ? m->out : m->sums};
    for (size_t count; round.first < m->groups; round.first += count) {
        count = groups_at_once(m, m->groups - round.first);
        if (count == 1)
            TRY(gram_new_group(m, round.first, round_sums(&round, 0), error));
        else if (pool_blocks(m->o->pool, count, count, run_whole_group, &round) != TEMPER_OK)
            return error_no_memory(error);
        for (size_t i = round.first == 0; i < count; i++)
            gram_add_sums(m, round_sums(&round, i), round.total);
    }
    gram_assemble(m, round.total, m->out);
    return TEMPER_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* How many sums are allocated. One process needs the total of the groups so far, which may be stored in `out`, and the
 * groups that are computed at once; several need their own groups and the total. */
static size_t sums_needed(const struct gram_work *m)
{
    if (!comm_alone(m->o->spec.data->ranks.comm))
        /* At least one sum even without groups: messages of other processes need a buffer. */
        return m->own_groups + !m->own_groups + 1;
    size_t all = m->groups > 1 ? 1 + groups_at_once(m, m->groups) : 1;
    return m->in_out ? all - 1 : all;
}

/* Chooses blocks and groups, allocates the sums, and computes m->out. */
static temper_status gram_run(struct gram_work *m, temper_error *error)
{
    const struct objective *o = m->o;
    bool alone = comm_alone(o->spec.data->ranks.comm);
    gram_blocks(m);
    choose_groups(m);
    if (!gram_measure(m) || !gram_scratch(m))
        return error_no_memory(error);
    /* With an intercept `out` is large enough for the total: n^2 >= columns^2 + columns + 2 for columns > 0. */
    m->in_out = alone && o->spec.intercept && m->columns > 0;
    size_t needed = sums_needed(m);
    m->sums = needed ? mem_aligned(needed, m->length * sizeof *m->sums) : NULL;
    if (needed && !m->sums)
        return error_no_memory(error);
    temper_status status = alone ? gram_alone(m, error) : gram_shared(m, error);
    mem_free(m->sums);
    return status;
}

/* Every step-th block, for about `rows` rows of all; 1: every block. */
size_t gram_step(const struct objective *o, size_t rows)
{
    size_t all = (size_t)dataset_all_rows(o->spec.data);
    return rows && rows < all ? all / rows : 1;
}

/* A pass for the curvature of each row at w, then the products. The buffer of curvatures is kept for the next call. */
temper_status objective_gram(struct objective *o, const double *w, size_t rows, double *gram, temper_error *error)
{
    struct gram_work m = {.o = o, .columns = o->columns, .step = gram_step(o, rows), .out = gram};
    if (w && !o->curvature.row_weight &&
        !(o->curvature.row_weight = mem_alloc(o->rows, sizeof *o->curvature.row_weight)))
        return error_no_memory(error);
    temper_status status = w ? run_pass(o, PASS_WEIGH, w, NULL, error) : TEMPER_OK;
    m.weight = w ? o->curvature.row_weight : NULL;
    return status == TEMPER_OK ? gram_run(&m, error) : status;
}

/* The Hessian at the accepted point: the Gram matrix of the curvatures that the evaluation has stored, plus l2 on the
 * diagonal without the intercept. Lower triangle. */
temper_status objective_hessian(void *context, double *h, temper_error *error)
{
    struct objective *o = context;
    struct gram_work m = {
        .o = o, .columns = o->columns, .weight = o->curvature.point[1 - o->curvature.last].curvature, .step = 1};
    m.out = h;
    temper_status status = gram_run(&m, error);
    for (size_t j = 0; status == TEMPER_OK && j < o->columns; j++)
        h[j * o->size + j] += o->spec.l2;
    return status;
}

/* Frees the workers' buffers, which have another size for another number of columns. */
static void drop_scratch(const struct objective *o)
{
    for (size_t i = 0; i < o->workers; i++) {
        mem_free(o->scratch[i].gram);
        o->scratch[i].gram = NULL;
    }
}

/* Lines and columns of the Hessian at the accepted point, for some of the weights. The matrix is summed from these
 * columns alone: `count`^2 operations a row, whatever the number of all columns. */
temper_status objective_hessian_of(void *context, const size_t *index, size_t count, double *h, temper_error *error)
{
    struct objective *o = context;
    const size_t columns = count - (o->spec.intercept ? 1 : 0);
    struct gram_work m = {
        .o = o, .columns = columns, .weight = o->curvature.point[1 - o->curvature.last].curvature, .step = 1};
    m.index = index;
    m.out = h;
    if (o->x->kind == MATRIX_CSR && !(m.position = mem_alloc(o->columns, sizeof *m.position)))
        return error_no_memory(error);
    for (size_t j = 0; m.position && j < o->columns; j++)
        m.position[j] = GRAM_NOT_CHOSEN;
    for (size_t i = 0; m.position && i < columns; i++)
        m.position[index[i]] = (uint32_t)i;
    drop_scratch(o);
    temper_status status = gram_run(&m, error);
    drop_scratch(o);
    mem_free(m.position);
    for (size_t j = 0; status == TEMPER_OK && j < columns; j++)
        h[j * count + j] += o->spec.l2;
    return status;
}
