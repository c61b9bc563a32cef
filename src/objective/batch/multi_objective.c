/* group: made once for a dataset and all members. */
#include "objective/batch/multi_objective.h"

#include "base/memory.h"
#include "objective/batch/multi_objective_internal.h"
#include "tempered/loss_family.h"

enum {
    /* Gradients are added up once a block. So that it does not count: */
    LEAST_ROWS = 256,  /* of a block, even if it does not quite stay in the cache, */
    MOST_WIDE = 16384, /* unless they have more columns */
    SPARSE_ROWS = 128,
    TRANSPOSE_BYTES = 512 * 1024, /* a gradient that is larger is not added to at random */
};

bool multi_supports(const struct dataset *data)
{
    return data->label && data->classes.count == 2;
}

/* ---- Members --------------------------------------------------------------------------------- */

/* The table of these temperatures, made if it is not there; NULL: no memory. */
static const struct margin_table *table_for(struct group *group, temper_loss_spec loss)
{
    for (size_t k = 0; k < group->tables; k++)
        if (group->table[k]->t1 == loss.t1 && group->table[k]->t2 == loss.t2)
            return group->table[k];
    struct margin_table *table = mem_aligned(1, sizeof *table);
    if (!table)
        return NULL;
    margin_table_build(table, loss.t1, loss.t2);
    group->table[group->tables++] = table;
    return table;
}

/* Members that leave out the same part come one after another as a rule. */
static bool like_last(const struct group *group, size_t i)
{
    const struct member *member = &group->member[i];
    return i && member[-1].partition == member->partition && member[-1].part == member->part;
}

static void add_weights(void *context, void *state)
{
    const struct group *group = context;
    const struct dataset *data = group->spec.data;
    double *sum = state;
    for (size_t i = 0; i < group->members; i++) {
        const struct member *member = &group->member[i];
        for (size_t row = 0; !like_last(group, i) && row < data->x.rows; row++)
            if (!member->partition || member->partition[row] != member->part)
                sum[i] += data->weight ? data->weight[row] : 1;
    }
}

/* Of the rows of all processes that count for a member. */
static temper_status sum_weights(struct group *group, temper_error *error)
{
    double *sum = mem_zeroed(group->members, sizeof *sum);
    if (!sum)
        return error_no_memory(error);
    temper_status status =
        comm_in_turn(group->spec.data->ranks.comm, add_weights, group, sum, group->members * sizeof *sum, error);
    for (size_t i = 0; i < group->members; i++)
        group->member[i].weight_sum = like_last(group, i) ? group->member[i - 1].weight_sum : sum[i];
    mem_free(sum);
    return status;
}

static bool make_members(struct group *group, const struct multi_member *members)
{
    for (size_t i = 0; i < group->members; i++) {
        const struct multi_member *from = &members[i];
        struct member *to = &group->member[i];
        *to = (struct member){
            .losses = {.kernel = group->kernel, .loss = from->loss}, .l2 = from->l2, .part = from->part};
        if (from->partition != GROUP_NO_PARTITION)
            to->partition = group->spec.partition[from->partition];
        if (loss_is_two_temperature(from->loss) && !(to->losses.table = table_for(group, from->loss)))
            return false;
    }
    return true;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool allocate_scratch(const struct group *group, struct multi_scratch *s)
{
    size_t real = group->spec.f64 ? sizeof(double) : sizeof(float), rows = group->stride;
    bool dense = group->x->kind != MATRIX_CSR;
    s->rows = mem_aligned(rows, (dense ? group->columns : GROUP_WIDTH) * real);
    s->linear = mem_aligned(dense ? linear_scratch(rows, group->columns, GROUP_WIDTH) : 0, real);
    s->activation = mem_aligned(rows * GROUP_WIDTH, real);
    s->residual = mem_aligned(rows * GROUP_WIDTH, real);
    s->pull = mem_aligned(rows * GROUP_WIDTH, sizeof(double));
    for (size_t n = 0; n < 3; n++)
        if (!(s->number[n] = mem_aligned(rows, sizeof(double))))
            return false;
    return s->rows && s->linear && s->activation && s->residual && s->pull;
}

static struct multi_sums sums_at(double *block)
{
    return (struct multi_sums){block, block + GROUP_WIDTH, block + (size_t)2 * GROUP_WIDTH};
}

/* Of a part, and of all of them: these have gradients in any case. */
static size_t part_numbers(const struct group *group)
{
    return (group->transposed ? 2 : 2 + group->columns) * GROUP_WIDTH;
}

static size_t total_numbers(const struct group *group)
{
    return (2 + group->columns) * GROUP_WIDTH;
}

static bool allocate_sums(struct group *group)
{
    size_t parts = group->cut.parts, each = part_numbers(group);
    group->first = row_partition_holders_together(&group->parts, group->spec.data->ranks.comm);
    group->sums = mem_zeroed(parts, sizeof *group->sums);
    group->vectors_of = (double **)mem_zeroed(parts, sizeof *group->vectors_of);
    group->numbers = mem_aligned(parts, each * sizeof(double));
    double *total = mem_aligned(total_numbers(group), sizeof *total);
    if (!total)
        return false;
    group->total = sums_at(total);
    if (!group->first || !group->sums || !group->vectors_of || !group->numbers)
        return false;
    for (size_t p = 0; p < parts; p++) {
        group->vectors_of[p] = group->numbers + p * each;
        group->sums[p] = sums_at(group->vectors_of[p]);
    }
    return true;
}

static bool allocate(struct group *group)
{
    size_t real = group->spec.f64 ? sizeof(double) : sizeof(float);
    size_t gradient = group->columns * GROUP_WIDTH;
    group->member = mem_zeroed(group->members, sizeof *group->member);
    group->table = (struct margin_table **)mem_zeroed(group->members, sizeof(void *));
    group->scratch = mem_zeroed(group->workers, sizeof *group->scratch);
    group->weights = mem_aligned(gradient, real);
    if (!group->member || !group->table || !group->scratch || !group->weights || !allocate_sums(group))
        return false;
    for (size_t i = 0; i < group->workers; i++)
        if (!allocate_scratch(group, &group->scratch[i]))
            return false;
    return true;
}

static void free_scratch(const struct multi_scratch *s)
{
    void *blocks[] = {s->rows, s->linear,    s->activation, s->residual,
                      s->pull, s->number[0], s->number[1],  s->number[2]};
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        mem_free(blocks[n]);
}

void multi_objective_free(struct group *group)
{
    if (!group)
        return;
    for (size_t i = 0; group->scratch && i < group->workers; i++)
        free_scratch(&group->scratch[i]);
    for (size_t k = 0; k < group->tables; k++)
        mem_free(group->table[k]);
    mem_free((void *)group->table);
    mem_free(group->member);
    mem_free(group->first);
    mem_free(group->sums);
    mem_free((void *)group->vectors_of);
    mem_free(group->numbers);
    mem_free(group->total.number);
    mem_free(group->scratch);
    mem_free(group->weights);
    mem_free(group->residual);
    mem_free(group->all_residuals);
    csc_free(&group->turned);
    mem_free(group);
}

/* ---- Birth ----------------------------------------------------------------------------------- */

/* Everything is as large as the data at most, times the width of a chunk: one product tells. */
static bool fits(const struct dataset *data)
{
    size_t size, rows = (size_t)data->x.rows, columns = (size_t)data->x.columns;
    return mul_size(columns + 1, (size_t)GROUP_WIDTH * 8 * sizeof(double), &size) && mul_size(rows + 2048, size, &size);
}

static size_t dense_block_rows(const struct group *group)
{
    size_t rows = linear_block_rows(group->columns, GROUP_WIDTH, group->spec.f64 ? sizeof(double) : sizeof(float));
    return rows < LEAST_ROWS && group->columns <= MOST_WIDE ? LEAST_ROWS : rows;
}

/* Blocks and parts: functions of the data's shape alone. This process has whole parts. */
static void choose_parts(struct group *group)
{
    const struct dataset *data = group->spec.data;
    bool sparse = group->x->kind == MATRIX_CSR;
    double gradient = (double)group->columns * GROUP_WIDTH * sizeof(double);
    size_t block_rows = sparse ? SPARSE_ROWS : dense_block_rows(group);
    size_t rank = comm_rank(data->ranks.comm), ranks = comm_size(data->ranks.comm);
    group->transposed = sparse && dataset_all_rows(data) <= UINT32_MAX && gradient > TRANSPOSE_BYTES;
    group->stride = ((block_rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD | 1) * SOFTMAX_PAD;
    group->parts = row_partition_of(data);
    size_t part_rows = group->parts.rows_each * group->parts.together;
    size_t first = row_partition_first(&group->parts, rank, ranks);
    size_t end = row_partition_first(&group->parts, rank + 1, ranks);
    group->cut = (struct cut){.rows = group->rows,
                              .block_rows = block_rows,
                              .part_rows = part_rows,
                              .part_blocks = (part_rows + block_rows - 1) / block_rows,
                              .parts = (end - first + group->parts.together - 1) / group->parts.together};
}

static void fill(struct group *group, const struct multi_spec *spec)
{
    group->spec = *spec;
    group->x = &spec->data->x;
    group->rows = (size_t)group->x->rows;
    group->columns = (size_t)group->x->columns;
    group->size = group->columns + (spec->intercept ? 1 : 0);
    if (spec->scale && spec->scale->kind == SCALE_NONE)
        group->spec.scale = NULL;
    if (group->x->kind == MATRIX_CSR)
        group->spec.f64 = true;
    group->fold = scale_folds(group->x, group->spec.scale);
    choose_parts(group);
    group->workers = spec->threads < group->cut.parts ? spec->threads : group->cut.parts;
    if (group->workers < 1)
        group->workers = 1;
}

temper_status multi_objective_new(const struct multi_spec *spec, const struct multi_member *members, size_t count,
                                  struct group **out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct group *group = fits(spec->data) ? mem_zeroed(1, sizeof *group) : NULL;
    if (!group)
        return error_no_memory(error);
    group->kernel = kernel;
    group->members = count;
    fill(group, spec);
    temper_status status =
        allocate(group) && make_members(group, members) ? sum_weights(group, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = kernels_agree(kernel, spec->data->ranks.comm, error);
    if (status == TEMPER_OK && group->transposed)
        status = multi_transpose(group, error);
    if (status == TEMPER_OK)
        *out = group;
    else
        multi_objective_free(group);
    return status;
}

double multi_bytes(const struct multi_spec *spec, double *block)
{
    struct group g = {0};
    fill(&g, spec);
    double real = g.spec.f64 ? sizeof(double) : sizeof(float), rows = (double)g.stride;
    double columns = (double)g.columns, gradient = columns * GROUP_WIDTH;
    bool dense = g.x->kind != MATRIX_CSR;
    double scratch = rows * real * ((dense ? columns : GROUP_WIDTH) + 2 * GROUP_WIDTH) +
                     rows * sizeof(double) * (GROUP_WIDTH + 3) +
                     (dense ? real * (double)linear_scratch(g.stride, g.columns, GROUP_WIDTH) : 0);
    double turned = g.transposed ? csc_bytes(g.x, spec->data->storage.memory_limit, g.workers) +
                                       (double)g.rows * GROUP_WIDTH * sizeof(double)
                                 : 0;
    *block = (double)matrix_bytes(g.x) / ((double)g.rows + 1) * (double)g.cut.block_rows;
    double sums = (double)part_numbers(&g) * (double)g.cut.parts + (double)total_numbers(&g);
    return sums * sizeof(double) + gradient * real + scratch * (double)g.workers + turned;
}

size_t multi_size(const struct group *group)
{
    return group->size;
}
