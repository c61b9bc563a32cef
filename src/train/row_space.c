/* row_space: the products of the rows, their Cholesky factor, and the way back to weights of features. All in doubles.
 */
#include "train/row_space.h"

#include <string.h>

#include "base/memory.h"
#include "data/schema.h"
#include "data/subset.h"
#include "kernel/dispatch/kernel.h"
#include "objective/gram/row_gram.h"
#include "optim/cholesky.h"

/* Beyond this many rows the factor takes more memory than the data of most such problems, and longer than it saves. */
enum { MOST_ROWS = 2048 };
/* 256 MiB of floats: what every process can hold (docs/decisions/0037). */
static const uint64_t MOST_NUMBERS = 1 << 26;
/* Added to the diagonal, relative to it, so that there is a factor where rows are equal, or centred, and their products
 * singular: as if each row had a small feature of its own. A score changes by this share of a row's own part in it. */
static const double RIDGE = 1e-12;

struct row_space {
    struct dataset *data; /* its matrix is L */
    double *factor;       /* the numbers of that matrix */
    struct row_gram rows;
};

bool row_space_exists(const struct dataset *data)
{
    const struct matrix *x = &data->x;
    const uint64_t rows = dataset_all_rows(data);
    return x->kind != MATRIX_CSR && 4 * x->columns >= 5 * rows && rows > 0 && x->columns <= MOST_NUMBERS / rows;
}

bool row_space_fits(const struct dataset *data)
{
    return row_space_exists(data) && dataset_all_rows(data) <= MOST_ROWS;
}

double row_space_bytes(const struct dataset *data)
{
    const double rows = (double)dataset_all_rows(data);
    return row_space_fits(data) ? rows * rows * (double)sizeof(double) : 0;
}

/* ---- The factor ------------------------------------------------------------------------------------------ */

/* Rows that are 0 have a ridge too, that of a mean row. */
static void add_ridge(double *k, size_t n)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += k[i * n + i] / (double)n;
    for (size_t i = 0; i < n; i++)
        k[i * n + i] += RIDGE * (k[i * n + i] > 0 ? k[i * n + i] : mean);
}

/* The lower triangle of the products of the rows becomes L; *factored is false if it has none. */
static temper_status make_factor(struct row_space *space, bool *factored, temper_error *error)
{
    const size_t n = (size_t)space->rows.x->rows;
    TRY(row_gram(&space->rows, space->factor, error));
    add_ridge(space->factor, n);
    *factored = cholesky_factor(space->rows.kernel->cholesky_update, space->factor, n);
    return TEMPER_OK;
}

/* The data as the solver sees it, with features that have no names. */
static temper_status make_data(struct row_space *space, const struct dataset *data, temper_error *error)
{
    const uint64_t n = data->x.rows;
    TRY(dataset_borrow(data, &space->data, error));
    names_free(&space->data->features);
    schema_free(space->data->schema);
    space->data->features = (struct names){0};
    space->data->schema = NULL;
    space->data->x = (struct matrix){.kind = MATRIX_F64,
                                     .rows = n,
                                     .columns = n,
                                     .nonzeros = n * n,
                                     .dense = space->factor,
                                     .owned = {space->factor}};
    return TEMPER_OK;
}

temper_status row_space_new(const struct scaled_features *features, size_t threads, struct row_space **out,
                            temper_error *error)
{
    const char *wanted;
    const struct matrix *x = &features->data->x;
    struct row_space *space = mem_zeroed(1, sizeof *space);
    bool factored = false;
    *out = NULL;
    if (!space)
        return error_no_memory(error);
    space->rows = (struct row_gram){
        .x = x, .scale = scaled_features_scale(features), .kernel = kernel_choose(&wanted), .threads = threads};
    space->factor = mem_aligned((size_t)x->rows, (size_t)x->rows * sizeof *space->factor);
    temper_status status = space->factor ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK && space->rows.kernel) /* else the objective will report that */
        status = make_factor(space, &factored, error);
    if (status == TEMPER_OK && factored)
        status = make_data(space, features->data, error);
    if (status == TEMPER_OK && factored)
        *out = space;
    else
        row_space_free(space);
    return status;
}

void row_space_free(struct row_space *space)
{
    if (!space)
        return;
    if (space->data)
        dataset_free(space->data); /* and the factor with it */
    else
        mem_free(space->factor);
    mem_free(space);
}

const struct dataset *row_space_data(const struct row_space *space)
{
    return space->data;
}

/* ---- Weights ----------------------------------------------------------------------------------------------- */

temper_status row_space_weights(const struct row_space *space, struct solution v, double *w, temper_error *error)
{
    const size_t n = (size_t)space->rows.x->rows, columns = (size_t)space->rows.x->columns;
    const size_t stride = row_combine_stride(n);
    double *a = mem_zeroed(v.vectors, stride * sizeof *a);
    if (!a)
        return error_no_memory(error);
    for (size_t k = 0; k < v.vectors; k++) {
        for (size_t i = 0; i < n; i++)
            a[k * stride + i] = v.w[i * v.vectors + k];
        cholesky_solve_upper(space->factor, n, n, a + k * stride);
    }
    temper_status status = row_combine(&space->rows, a, v.vectors, w, error);
    if (status == TEMPER_OK && v.intercept)
        memcpy(w + columns * v.vectors, v.w + n * v.vectors, v.vectors * sizeof *w);
    mem_free(a);
    return status;
}
