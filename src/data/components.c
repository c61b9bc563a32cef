/* components: random directions, multiplied twice by X' X and made orthonormal again. Two rounds
 * find the space that matters for neighbours as well as an exact decomposition does. */
#include "data/components.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/pages.h"
#include "data/streams.h"

enum { SAMPLE = 512, ROUNDS = 2 };

struct iteration {
    const struct dataset *data;
    const struct scale *scale;
    size_t columns, count;
    double *directions, *next;
    double *row;        /* a dense row as scaled */
    double *projection; /* of a row: count */
};

/* One entry of a row: the row's part along each direction, or the other way round. */
static void project(struct iteration *it, size_t column, double x)
{
    const double *restrict direction = it->directions + column * it->count;
    double *restrict projection = it->projection;
    const size_t count = x != 0 ? it->count : 0;
    for (size_t k = 0; k < count; k++)
        projection[k] += x * direction[k];
}

static void collect(struct iteration *it, size_t column, double x)
{
    double *restrict next = it->next + column * it->count;
    const double *restrict projection = it->projection;
    const size_t count = x != 0 ? it->count : 0;
    for (size_t k = 0; k < count; k++)
        next[k] += x * projection[k];
}

static void each_entry(struct iteration *it, struct row row,
                       void (*visit)(struct iteration *, size_t, double))
{
    if (row.kind != MATRIX_CSR) {
        for (size_t j = 0; j < it->columns; j++)
            visit(it, j, it->row[j]);
        return;
    }
    for (size_t e = 0; e < row.count; e++) {
        size_t column = row_column(&row, e);
        double factor = it->scale ? it->scale->factor[column] : 1;
        visit(it, column, row_value(&row, e) * factor);
    }
}

/* The rows of the sample that are here, behind those of the processes before this one. */
static void multiply_own(void *context, void *state)
{
    struct iteration *it = context;
    size_t rows = (size_t)dataset_all_rows(it->data), sample = rows < SAMPLE ? rows : SAMPLE;
    (void)state; /* which is it->next */
    for (size_t i = 0; i < sample; i++) {
        uint64_t at = i * rows / sample - it->data->first_row; /* huge, if it is before them */
        if (at >= it->data->x.rows)
            continue;
        pages_row(&it->data->x, at);
        struct row row = matrix_row(&it->data->x, at);
        memset(it->projection, 0, it->count * sizeof *it->projection);
        if (row.kind != MATRIX_CSR) {
            matrix_row_f64(&it->data->x, at, it->row);
            if (it->scale)
                scale_row(it->scale, it->row);
        }
        each_entry(it, row, project);
        each_entry(it, row, collect);
    }
}

static temper_status multiply(struct iteration *it, temper_error *error)
{
    size_t bytes = it->columns * it->count * sizeof *it->next;
    memset(it->next, 0, bytes);
    return comm_in_turn(it->data->comm, multiply_own, it, it->next, bytes, error);
}

static double dot(const struct iteration *it, size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < it->columns; j++)
        sum += it->next[j * it->count + a] * it->next[j * it->count + b];
    return sum;
}

/* Gram-Schmidt, twice over each vector; one that depends on those before it becomes 0. */
static void orthonormalise(struct iteration *it)
{
    for (size_t k = 0; k < it->count; k++) {
        double before = sqrt(dot(it, k, k));
        for (size_t again = 0; again < 2; again++)
            for (size_t b = 0; b < k; b++) {
                double share = dot(it, k, b);
                for (size_t j = 0; j < it->columns; j++)
                    it->next[j * it->count + k] -= share * it->next[j * it->count + b];
            }
        double norm = sqrt(dot(it, k, k));
        double factor = norm > 1e-10 * before ? 1 / norm : 0;
        for (size_t j = 0; j < it->columns; j++)
            it->next[j * it->count + k] *= factor;
    }
    memcpy(it->directions, it->next, it->columns * it->count * sizeof *it->next);
}

temper_status components_find(const struct dataset *data, const struct scale *scale, size_t count,
                              uint64_t seed, double *directions, temper_error *error)
{
    size_t columns = (size_t)data->x.columns;
    struct iteration it = {.data = data,
                           .scale = scale,
                           .columns = columns,
                           .count = count,
                           .directions = directions,
                           .next = mem_alloc(columns, count * sizeof *it.next),
                           .row = mem_alloc(columns, sizeof *it.row),
                           .projection = mem_alloc(count, sizeof *it.projection)};
    temper_status status = TEMPER_OK;
    if (it.next && it.row && it.projection) {
        for (size_t i = 0; i < columns * count; i++)
            directions[i] = random_normal((struct random){seed, STREAM_COMPONENTS}, i);
        for (size_t round = 0; status == TEMPER_OK && round < ROUNDS; round++) {
            status = multiply(&it, error);
            orthonormalise(&it);
        }
    } else {
        status = error_no_memory(error);
    }
    mem_free(it.next);
    mem_free(it.row);
    mem_free(it.projection);
    return status;
}
