/* components: random directions, multiplied twice by X' X and made orthonormal again. Two rounds
 * find the space that matters for neighbours as well as an exact decomposition does. */
#include "objective/gram/pca.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/memory/page_window.h"
#include "data/random_streams.h"
#include "objective/gram/pca_dense.h"

enum { ROUNDS = 2 };

/* ---- Sparse rows ----------------------------------------------------------------------------- */

static double entry_of(const struct iteration *it, const struct row *row, size_t e, size_t column)
{
    return row_value(row, e) * (it->scale ? it->scale->factor[column] : 1);
}

/* A row's part along each direction; then the other way round. */
static void project(struct iteration *it, const struct row *row)
{
    double *restrict projection = it->projection;
    memset(projection, 0, it->count * sizeof *projection);
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row_column(row, e);
        const double *restrict direction = it->directions + column * it->count;
        double x = entry_of(it, row, e, column);
        for (size_t k = 0; k < it->count; k++)
            projection[k] += x * direction[k];
    }
}

static void collect(struct iteration *it, const struct row *row)
{
    const double *restrict projection = it->projection;
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row_column(row, e);
        double *restrict next = it->next + column * it->count;
        double x = entry_of(it, row, e, column);
        for (size_t k = 0; k < it->count; k++)
            next[k] += x * projection[k];
    }
}

/* The rows of the sample that are here, behind those of the processes before this one. */
static void multiply_own(void *context, void *state)
{
    struct iteration *it = context;
    (void)state; /* which is it->next */
    for (size_t i = 0; i < it->sample; i++) {
        uint64_t at = pca_row(it, i);
        if (at >= it->data->x.rows)
            continue;
        page_window_row(&it->data->x, at);
        struct row row = matrix_row(&it->data->x, at);
        project(it, &row);
        collect(it, &row);
    }
}

/* ---- Directions ------------------------------------------------------------------------------ */

static temper_status multiply(struct iteration *it, temper_error *error)
{
    size_t bytes = it->columns * it->count * sizeof *it->next;
    memset(it->next, 0, bytes);
    return it->data->x.kind == MATRIX_CSR ? comm_in_turn(it->data->ranks.comm, multiply_own, it, it->next, bytes, error)
                                          : pca_multiply_dense(it, error);
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Gram-Schmidt, twice over each vector; one that depends on those before it becomes 0. */
static void orthonormalise(double *vector, size_t count, size_t length)
{
    for (size_t k = 0; k < count; k++) {
        double *v = vector + k * length, before = sqrt(dot(v, v, length));
        for (size_t again = 0; again < 2; again++)
            for (size_t b = 0; b < k; b++) {
                const double *other = vector + b * length;
                double share = dot(v, other, length);
                for (size_t j = 0; j < length; j++)
                    v[j] -= share * other[j];
            }
        double norm = sqrt(dot(v, v, length));
        double factor = norm > 1e-10 * before ? 1 / norm : 0;
        for (size_t j = 0; j < length; j++)
            v[j] *= factor;
    }
}

/* Directions beside each other, so that sums run along memory; and back. */
static void next_directions(struct iteration *it)
{
    size_t count = it->count, columns = it->columns;
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < count; k++)
            it->directions[k * columns + j] = it->next[j * count + k];
    orthonormalise(it->directions, count, columns);
    memcpy(it->next, it->directions, columns * count * sizeof *it->next);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < columns; j++)
            it->directions[j * count + k] = it->next[k * columns + j];
}

/* directions' X' X directions, of which the last round has the right half. */
static temper_status find_moments(struct iteration *it, double *moments, temper_error *error)
{
    size_t count = it->count;
    temper_status status = multiply(it, error);
    memset(moments, 0, count * count * sizeof *moments);
    for (size_t j = 0; status == TEMPER_OK && j < it->columns; j++)
        for (size_t k = 0; k < count; k++)
            for (size_t l = 0; l < count; l++)
                moments[k * count + l] += it->directions[j * count + k] * it->next[j * count + l] / (double)it->sample;
    return status;
}

temper_status pca_find(const struct dataset *data, const struct scale *scale, struct pca_options how,
                       double *directions, double *moments, temper_error *error)
{
    size_t columns = (size_t)data->x.columns, rows = (size_t)dataset_all_rows(data);
    struct iteration it = {.data = data,
                           .scale = scale,
                           .columns = columns,
                           .count = how.count,
                           .sample = rows < how.sample ? rows : how.sample,
                           .directions = directions,
                           .next = mem_alloc(columns, how.count * sizeof *it.next),
                           .projection = mem_alloc(how.count, sizeof *it.projection)};
    temper_status status = TEMPER_OK;
    if (it.next && it.projection) {
        for (size_t i = 0; i < columns * how.count; i++)
            directions[i] = random_normal((struct random){how.seed, STREAM_COMPONENTS}, i);
        for (size_t round = 0; status == TEMPER_OK && round < ROUNDS; round++) {
            status = multiply(&it, error);
            next_directions(&it);
        }
        if (status == TEMPER_OK && moments)
            status = find_moments(&it, moments, error);
    } else {
        status = error_no_memory(error);
    }
    mem_free(it.next);
    mem_free(it.projection);
    return status;
}
