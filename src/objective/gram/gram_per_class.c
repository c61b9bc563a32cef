/* moments_class: the second moments as each of many classes bends them.
 *
 * All rows are one group here, for there is a matrix for each class already. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/gram/gram.h"

/* Some classes, which are summed over the rows of one process after another: while one is at them,
 * the one before it is at the next ones. */
struct class_batch {
    const struct gram_work *m;
    size_t from, count;
};

static temper_status class_gram(void *context, size_t number, size_t worker)
{
    const struct class_batch *batch = context;
    const struct objective *o = batch->m->o;
    struct gram_work m = *batch->m;
    m.weight = o->class_bending + (batch->from + number) * o->rows;
    const struct gram_share all = {{0, o->columns}, 0, o->parts.count};
    gram_add(&m, all, gram_of(&m, number), &o->scratch[worker]);
    return TEMPER_OK;
}

/* Processes that have rows: the others have nothing to add, and come last. */
static size_t with_rows(const struct objective *o)
{
    size_t ranks = comm_size(o->spec.data->ranks.comm);
    return o->parts.count < ranks ? o->parts.count : ranks;
}

/* The sums of a batch to the next process; the last one has the whole, and tells all. */
static temper_status hand_on(const struct class_batch *batch, size_t ranks, size_t step, size_t batch_size,
                             temper_error *error)
{
    const struct gram_work *m = batch->m;
    const struct objective *o = m->o;
    const temper_comm *comm = o->spec.data->ranks.comm;
    size_t n = o->columns + (o->spec.intercept ? 1 : 0), bytes = m->length * sizeof(double);
    temper_status status = TEMPER_OK;
    for (size_t rank = ranks; status == TEMPER_OK && rank-- > 0;) {
        if (step < rank || (step - rank) * batch_size >= o->classes)
            continue;
        size_t from = (step - rank) * batch_size, left = o->classes - from;
        size_t count = left < batch_size ? left : batch_size;
        if (rank + 1 < ranks) {
            status = comm_pass_on(comm, rank, m->sums, m->sums, count * bytes, error);
            continue;
        }
        double *whole = m->sums + (comm_alone(comm) ? 0 : batch_size * m->length);
        if (comm_rank(comm) == rank && whole != m->sums)
            memcpy(whole, m->sums, count * bytes);
        status = comm_broadcast(comm, rank, whole, count * bytes, error);
        for (size_t i = 0; status == TEMPER_OK && i < count; i++)
            gram_assemble(m, whole + i * m->length, m->out + (from + i) * n * n);
    }
    return status;
}

static temper_status class_sums(const struct gram_work *m, size_t batch_size, temper_error *error)
{
    const struct objective *o = m->o;
    size_t ranks = with_rows(o), rank = comm_rank(o->spec.data->ranks.comm);
    size_t batches = (o->classes + batch_size - 1) / batch_size;
    temper_status status = TEMPER_OK;
    for (size_t step = 0; status == TEMPER_OK && step < batches + ranks - 1; step++) {
        struct class_batch batch = {m, (step - rank) * batch_size, 0};
        if (rank < ranks && step >= rank && step - rank < batches) {
            size_t left = o->classes - batch.from;
            batch.count = left < batch_size ? left : batch_size;
        }
        if (rank == 0 && batch.count)
            memset(m->sums, 0, batch.count * m->length * sizeof *m->sums);
        if (parallel_blocks(batch.count, o->workers, class_gram, &batch) != TEMPER_OK)
            return error_no_memory(error);
        status = hand_on(&batch, ranks, step, batch_size, error);
    }
    return status;
}

/* As many at once as there are threads, in any process. */
static temper_status batch_of_all(const struct objective *o, size_t *size, temper_error *error)
{
    uint64_t all;
    temper_status status = comm_count(o->spec.data->ranks.comm, o->workers, NULL, &all, error);
    size_t mean = (size_t)(all / comm_size(o->spec.data->ranks.comm));
    *size = mean < 1 ? 1 : mean < o->classes ? mean : o->classes;
    return status;
}

/* ---- Fewer rows ------------------------------------------------------------------------------ */

/* Between 0 and 1, evenly from row to row and class to class. */
static double place_of(size_t part, size_t row, size_t class)
{
    double place =
        (double)part * 0.7548776662466927 + (double)row * 0.6180339887498949 + (double)class * 0.5698402909980532;
    return place - floor(place);
}

static void thin_row(double *bending, double enough, double place)
{
    if (*bending < enough)
        *bending = place * enough < *bending ? enough : 0;
}

/* A row whose bending is a tenth of ENOUGH, say, stays with a chance of a tenth, and then counts as
 * ten: sums are right in the mean. Which ones stay follows from where they are in the parts of all
 * processes. */
static void thin_rows(struct objective *o)
{
    static const double ENOUGH = 0.05; /* the most is 0.25, for t1 = t2 = 1 */
    size_t first = o->first[comm_rank(o->spec.data->ranks.comm)];
    for (size_t part = 0; part < o->cut.parts; part++) {
        size_t from = part * o->cut.part_rows, left = o->rows - from;
        size_t count = left < o->cut.part_rows ? left : o->cut.part_rows;
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < o->classes; c++)
                thin_row(&o->class_bending[c * o->rows + from + i], ENOUGH * weight_of(o, from + i),
                         place_of(first + part, i, c));
    }
}

static temper_status class_moments(struct objective *o, struct gram_work *m, const double *w, bool thin,
                                   temper_error *error)
{
    size_t batch, copies = comm_alone(o->spec.data->ranks.comm) ? 1 : 2;
    temper_status status = batch_of_all(o, &batch, error);
    if (status != TEMPER_OK)
        return status;
    m->sums = gram_measure(m) && gram_scratch(m) ? mem_aligned(copies * batch, m->length * sizeof *m->sums) : NULL;
    if (!m->sums)
        return error_no_memory(error);
    status = run_pass(o, PASS_WEIGH, w, NULL, error);
    if (thin && status == TEMPER_OK)
        thin_rows(o);
    return status == TEMPER_OK ? class_sums(m, batch, error) : status;
}

temper_status objective_class_grams(struct objective *o, const double *w, struct gram_rows rows, double *grams,
                                    temper_error *error)
{
    struct gram_work m = {.o = o, .step = gram_step(o, rows.about), .groups = 1, .out = grams};
    gram_blocks(&m);
    o->class_bending = mem_alloc(o->rows, o->classes * sizeof *o->class_bending);
    temper_status status = o->class_bending ? class_moments(o, &m, w, rows.thin, error) : error_no_memory(error);
    mem_free(m.sums);
    mem_free(o->class_bending); /* large, and seldom wanted */
    o->class_bending = NULL;
    return status;
}
