/* multi_evaluate: requests in chunks, a pass over the rows for each. */
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "objective/batch/multi_objective_internal.h"

/* ---- A chunk --------------------------------------------------------------------------------- */

static size_t side_of(struct chunk *chunk, const struct member *member)
{
    size_t k = 0;
    while (k < chunk->sides && (chunk->side[k].partition != member->partition ||
                                (member->partition && chunk->side[k].part != member->part)))
        k++;
    chunk->side[k] = (struct side){member->partition, member->part};
    if (k == chunk->sides)
        chunk->sides++;
    return k;
}

static void add_request(struct group *group, struct multi_request *request)
{
    struct chunk *chunk = &group->chunk;
    const struct member *member = &group->member[request->member];
    chunk->column[chunk->count++] =
        (struct column){.request = request, .member = member, .side = side_of(chunk, member)};
    chunk->evaluated += request->kind == GROUP_EVALUATE;
}

/* ---- Its sums -------------------------------------------------------------------------------- */

/* Numbers that a part sums up for this chunk: all that lies behind each other. */
static size_t part_length(const struct group *group)
{
    return (size_t)2 * GROUP_WIDTH + (group->residual ? 0 : group->columns * group->chunk.evaluated);
}

static temper_status run_part(void *context, size_t number, size_t worker)
{
    struct group *group = context;
    struct multi_sums *sums = &group->sums[number];
    const struct multi_work work = {group, sums, &group->scratch[worker]};
    memset(sums->number, 0, part_length(group) * sizeof *sums->number);
    if (group->x->kind == MATRIX_CSR)
        multi_part_sparse(&work, number);
    else if (group->spec.f64)
        multi_part_f64(&work, number);
    else
        multi_part_f32(&work, number);
    return TEMPER_OK;
}

/* Some columns of x: scaling, the mean, the penalty. */
static void finish_columns_of(const struct group *group, size_t c, size_t from, size_t to)
{
    const struct column *column = &group->chunk.column[c];
    const struct scale *scale = group->fold ? group->spec.scale : NULL;
    const double *sum = group->total.gradient + c, *w = column->request->w;
    double intercept = group->total.intercept[c], weight = column->member->weight_sum;
    for (size_t j = from; j < to; j++) {
        double g = sum[j * group->chunk.evaluated];
        if (scale)
            g = (g - scale->offset[j] * intercept) * scale->factor[j];
        column->request->gradient[j] = g / weight + column->member->l2 * w[j];
    }
}

static void finish_gradients(const struct group *group)
{
    for (size_t from = 0; from < group->columns; from += GROUP_TURN) {
        size_t left = group->columns - from, count = left < GROUP_TURN ? left : GROUP_TURN;
        for (size_t c = 0; c < group->chunk.evaluated; c++)
            finish_columns_of(group, c, from, from + count);
    }
    for (size_t c = 0; group->spec.intercept && c < group->chunk.evaluated; c++) {
        const struct column *column = &group->chunk.column[c];
        column->request->gradient[group->columns] = group->total.intercept[c] / column->member->weight_sum;
    }
}

static void finish(const struct group *group)
{
    finish_gradients(group);
    for (size_t c = 0; c < group->chunk.count; c++) {
        const struct column *column = &group->chunk.column[c];
        struct multi_request *request = column->request;
        double mean = group->total.number[c] / column->member->weight_sum;
        if (request->kind == GROUP_LENGTH)
            request->number = sqrt(mean);
        if (request->kind == GROUP_EVALUATE)
            request->number = mean + penalty(request->w, group->columns, column->member->l2);
    }
}

static temper_status run_chunk(struct group *group, temper_error *error)
{
    struct chunk *chunk = &group->chunk;
    double work = (double)group->x->nonzeros * (double)chunk->count;
    size_t threads = worth_threads(group->workers, work);
    if (group->spec.f64)
        multi_pack_f64(group);
    else
        multi_pack_f32(group);
    const struct holders holders = {group->spec.data->ranks.comm, group->first};
    temper_status status = parallel_blocks(group->cut.parts, threads, run_part, group);
    status = status == TEMPER_OK ? tree_sum(&holders, group->vectors_of, part_length(group), group->total.number, error)
                                 : error_no_memory(error);
    if (status == TEMPER_OK && group->residual && chunk->evaluated)
        status = multi_csc_gradient(group, threads, error);
    if (status == TEMPER_OK)
        finish(group);
    chunk->count = chunk->evaluated = chunk->sides = 0;
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Those that want a gradient come first in each chunk; chunks are about equally wide. */
temper_status multi_evaluate(struct group *group, struct multi_request *requests, size_t count, temper_error *error)
{
    static const enum group_kind order[] = {GROUP_EVALUATE, GROUP_LENGTH, GROUP_SCORES};
    size_t chunks = (count + GROUP_WIDTH - 1) / GROUP_WIDTH;
    size_t width = chunks ? (count + chunks - 1) / chunks : 0;
    temper_status status = TEMPER_OK;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < count && status == TEMPER_OK; i++) {
            if (requests[i].kind != order[k])
                continue;
            add_request(group, &requests[i]);
            if (group->chunk.count == width)
                status = run_chunk(group, error);
        }
    if (status == TEMPER_OK && group->chunk.count > 0)
        status = run_chunk(group, error);
    return status;
}
