/* preconditioner: the kinds that a single training makes: Gram, per-class Gram, diagonal.
 *
 * Gram:     M = c X'X / N + l2, factored by Cholesky. At W = 0 the curvature c is the same number for all rows and
 *           classes, so that one factor serves all classes. Later each class has the Gram matrix of rows weighted by
 *           their curvature along the weights of that class: the diagonal blocks of the Hessian.
 * Diagonal: sparse data. Frequent features have far more curvature than rare ones, on which the penalty acts alone,
 *           and conjugate gradients need a product for every such difference. The diagonal of the Hessian at W = 0,
 *           c E[x^2] + l2, would overcorrect, because rows tie frequent features to each other; its square root takes
 *           fewer products (docs/notes/2026-11-16-speed.md). */
#include "train/preconditioner/preconditioner.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/thread.h"
#include "data/columns/column_stats.h"
#include "kernel/dispatch/kernel.h"
#include "objective/gram/spectrum.h"
#include "optim/cholesky.h"
#include "tempered/loss_family.h"

/* Features beyond which a dense factor is not worth its memory and time. */
enum { MAX_COLUMNS = 4096 };
/* Beyond this difference of temperatures t2 - t1 the Gram matrix is a poor approximation of the curvature; worse, a
 * preconditioned step fits noise that depends on x as if it were signal, and ends where a logistic regression would
 * (docs/decisions/0007). With many classes it has led to better optima. */
static const double MAX_GAP_BINARY = 0.5, MAX_GAP_MULTICLASS = 1.1;

/* Rows for the Gram matrix: where adding them up takes longer than this many passes over the data, fewer rows and some
 * more passes are faster, down to the minimum per feature. A preconditioner for a few iterations, or of two classes, is
 * worth fewer passes than the one in which many classes continue. Matrices of single classes look at more rows, of
 * which they use few: see worth_thinning. */
static const double WORTH_PASSES = 4, WORTH_PASSES_LATER = 20;
enum { CLASS_ROWS_PER_FEATURE = 25 };
/* With fewer rows a pass takes less than solving with a matrix for each class, let alone making them. */
enum { MIN_CLASS_ROWS_PER_FEATURE = 32 };

/* Borrowed factors belong to another preconditioner. */
void preconditioner_free(struct preconditioner *preconditioner)
{
    if (!preconditioner->borrowed)
        mem_free(preconditioner->factor);
    mem_free(preconditioner->workspace);
    mem_free(preconditioner->diagonal);
    *preconditioner = (struct preconditioner){0};
}

/* ---- Which kind ------------------------------------------------------------------------------ */

/* Dense data of moderate width, and temperatures that do not differ much. */
bool preconditioner_suits(temper_loss_spec loss, const struct dataset *data)
{
    return data->x.kind != MATRIX_CSR && data->x.columns <= MAX_COLUMNS &&
           loss_gap(loss) <= (data->classes.count == 2 ? MAX_GAP_BINARY : MAX_GAP_MULTICLASS);
}

/* Whether the preconditioner of W = 0 is replaced by that of the current weights. For two classes it would not pay; the
 * curvature of rows at W /= 0 is known for two-temperature losses alone (weigh_rows in objective/multiclass.inc.h). */
bool preconditioner_is_renewed(const struct dataset *data, temper_loss_spec loss)
{
    return data->classes.count > 2 && loss_is_two_temperature(loss);
}

/* Whether each class gets a Gram matrix: of the current weights, since at W = 0 all classes are alike. They halve the
 * passes (docs/decisions/0029); n x n numbers for each class have to fit into memory, and enough rows have to be
 * there. */
bool preconditioner_per_class(const struct dataset *data, temper_loss_spec loss, size_t n)
{
    double numbers = (double)n * (double)n * (double)data->classes.count;
    return preconditioner_is_renewed(data, loss) &&
           (double)dataset_all_rows(data) >= (double)MIN_CLASS_ROWS_PER_FEATURE * (double)n &&
           numbers * sizeof(double) <= PRECONDITIONER_MOST_BYTES;
}

/* The curvature c of the loss at W = 0, where all rows are alike. Softmax of C classes at equal scores has 2 (1 - 1/C)
 * times the curvature of the two-class loss. */
double initial_curvature(temper_loss_spec loss, size_t classes)
{
    double curvature = loss_initial_curvature(loss);
    if (!(curvature > 0)) /* that of the logistic loss */
        curvature = 0.25;
    return classes == 2 ? curvature : curvature * 2 * (1 - 1 / (double)classes);
}

/* ---- The Gram matrix ------------------------------------------------------------------------- */

/* Workspace for applying the inverse: vectors of many classes are solved for together where they share a factor. */
static double *new_workspace(const struct preconditioner *preconditioner)
{
    return mem_aligned(preconditioner->vectors > 1 ? CHOLESKY_TOGETHER : 1, preconditioner->n * sizeof(double));
}

/* One matrix, or one for each class where the curvature is that of the current weights. */
static bool allocate_factors(const struct preconditioner_spec *spec, struct preconditioner *out)
{
    size_t square;
    const char *wanted;
    out->kernel = kernel_choose(&wanted); /* there is one, or there would be no objective */
    out->factors = spec->w && preconditioner_per_class(spec->data, spec->loss, out->n) ? out->vectors : 1;
    if (mul_size(out->n, out->n, &square) && mul_size(square, sizeof(double), &square))
        out->factor = mem_alloc(out->factors, square);
    out->workspace = new_workspace(out);
    return out->factor && out->workspace;
}

/* How many rows the Gram matrix is made from. A tenth is enough if it is many times the number of features: with fewer
 * the smallest eigenvalues are lost in noise, and with them some of what the preconditioner saves. */
static size_t sampled_rows(const struct preconditioner_spec *spec, const struct preconditioner *out)
{
    size_t rows = (size_t)dataset_all_rows(spec->data);
    size_t n = out->n, share = rows / PRECONDITIONER_ROW_SHARE;
    if (out->factors > 1)
        return max_size(share, n * CLASS_ROWS_PER_FEATURE);
    /* A row takes n / 2 products for each feature of the Gram matrix, and 2 for each weight vector of a pass. */
    double worth = spec->w ? WORTH_PASSES_LATER : WORTH_PASSES;
    double affordable = worth * 4 * (double)rows * (double)out->vectors;
    size_t wanted = max_size(share, n * PRECONDITIONER_ROWS_PER_FEATURE);
    if (affordable / (double)n < (double)wanted)
        wanted = (size_t)(affordable / (double)n);
    return max_size(wanted, n * PRECONDITIONER_MIN_ROWS_PER_FEATURE);
}

/* ---- Whether the Gram matrix is worth its time ----------------------------------------------- */

/* Measured (docs/decisions/0020): iterations of L-BFGS with the Gram matrix to a tolerance of 0.1, and how many more
 * for each factor of 10; */
static const double GRAM_ITERATIONS = 10, ITERATIONS_A_DIGIT = 1.7;
/* without it, by as many times more as this power of the second moment of the eigenvalues, relative to their mean; */
static const double PLAIN_EXPONENT = 1.7;
/* and how many times faster the multiplications of the Gram matrix are than those of a pass or a factorisation, which
 * are limited by memory. */
static const double GRAM_SPEED = 3;

/* How many times as many iterations there are without the Gram matrix. Eigenvalues of the Hessian at W = 0: curvature
 * times those of the rows, plus the penalty. */
static double plain_factor(const struct preconditioner_spec *spec, const struct spectrum *spectrum)
{
    const double c = initial_curvature(spec->loss, spec->data->classes.count), mean = c * spectrum->mean + spec->l2;
    const double square = c * c * spectrum->second_moment + spec->l2 * (2 * c * spectrum->mean + spec->l2);
    return pow(fmax(1, square / (mean * mean)), PLAIN_EXPONENT);
}

/* Multiplications: each pass has 2 for each number of the data; the Gram matrix one for each pair of features of its
 * rows, its factor n^3 / 6, and both triangular solves of an iteration n^2. */
temper_status preconditioner_delay(const struct preconditioner_spec *spec, double tolerance, size_t *iterations,
                                   temper_error *error)
{
    const struct preconditioner gram = {
        .n = objective_size(spec->objective), .vectors = 1, .factors = 1}; /* for sampled_rows */
    const double n = (double)gram.n, pass = 2 * n * (double)dataset_all_rows(spec->data);
    const double made = n * n * ((double)sampled_rows(spec, &gram) / (2 * GRAM_SPEED) + n / 6);
    const double needed = GRAM_ITERATIONS + ITERATIONS_A_DIGIT * fmax(0, -1 - log10(tolerance));
    struct spectrum spectrum;
    *iterations = 0;
    TRY(spectrum_estimate(spec->data, spec->scale, &spectrum, error));
    const double plain = needed * plain_factor(spec, &spectrum);
    if (plain * pass <= needed * (pass + 2 * n * n) + made)
        *iterations = (size_t)(2 * plain + made / pass);
    return TEMPER_OK;
}

/* Products of rows, in doubles, beside the multiplications of a pass, which memory limits. */
static const double ROW_GRAM_SPEED = 5;
/* Fewer numbers are trained in less than a millisecond either way. */
static const double LEAST_NUMBERS = 1 << 16;

bool preconditioner_row_space_pays(const struct preconditioner_spec *spec, double tolerance,
                                   const struct spectrum *spectrum)
{
    const double rows = (double)dataset_all_rows(spec->data), n = (double)spec->data->x.columns;
    const double vectors = spec->data->classes.count == 2 ? 1 : (double)spec->data->classes.count;
    const double needed = GRAM_ITERATIONS + ITERATIONS_A_DIGIT * fmax(0, -1 - log10(tolerance));
    /* In passes over all features: each has 2 multiplications a number and class. */
    const double made = rows / (4 * ROW_GRAM_SPEED * vectors) + rows * rows / (12 * n * vectors);
    return rows * n >= LEAST_NUMBERS && needed * plain_factor(spec, spectrum) * (1 - rows / n) > made;
}

/* Matrices of classes that take longer than a few passes are made from fewer of the rows of little curvature; where
 * features are few and some of them rare, that would cost more passes than it saves. */
static bool worth_thinning(const struct preconditioner_spec *spec, size_t n, size_t rows)
{
    double of_pass = (double)rows * (double)n / 4;
    return of_pass > WORTH_PASSES * (double)dataset_all_rows(spec->data);
}

/* Computes the Gram matrices, rows weighted by their curvature, in the memory of the factors, which replace them. At W
 * = 0 all rows have the same curvature: X'X is computed without weights, then multiplied by that number. */
static temper_status compute_grams(const struct preconditioner_spec *spec, struct preconditioner *out,
                                   temper_error *error)
{
    size_t n = out->n, wanted = sampled_rows(spec, out);
    struct gram_rows rows = {wanted, worth_thinning(spec, n, wanted)};
    if (out->factors > 1)
        return objective_class_grams(spec->objective, spec->w, rows, out->factor, error);
    TRY(objective_gram(spec->objective, spec->w, wanted, out->factor, error));
    if (spec->w)
        return TEMPER_OK;
    double curvature = initial_curvature(spec->loss, spec->data->classes.count);
    for (size_t i = 0; i < n * n; i++)
        out->factor[i] *= curvature;
    return TEMPER_OK;
}

/* The factor for a weight vector: its own, or the single one that all share. */
static double *factor_at(const struct preconditioner *preconditioner, size_t vector)
{
    return preconditioner->factor + (preconditioner->factors > 1 ? vector * preconditioner->n * preconditioner->n : 0);
}

/* Adds the penalty, from which intercepts are exempt, and the ridge, which is relative to the mean of the diagonals of
 * all factors. */
static void add_diagonals(const struct preconditioner *out, size_t columns, double l2)
{
    const size_t n = out->n;
    double mean = 0;
    for (size_t f = 0; f < out->factors; f++)
        for (size_t j = 0; j < n; j++)
            mean += factor_at(out, f)[j * n + j] / (double)(n * out->factors);
    for (size_t f = 0; f < out->factors; f++)
        for (size_t j = 0; j < n; j++)
            factor_at(out, f)[j * n + j] += PRECONDITIONER_RIDGE * mean + (j < columns ? l2 : 0);
}

/* ---- Cholesky factors ------------------------------------------------------------------------ */

/* The factors that this process computes: those from `first` on. */
struct factor_job {
    const struct preconditioner *preconditioner;
    size_t first;
};

/* TEMPER_BAD_DATA if the matrix is not positive definite. */
static temper_status factor_one(void *context, size_t number, size_t worker)
{
    const struct factor_job *job = context;
    const struct preconditioner *preconditioner = job->preconditioner;
    (void)worker;
    double *factor = factor_at(preconditioner, job->first + number);
    return cholesky_factor(preconditioner->kernel->cholesky_update, factor, preconditioner->n) ? TEMPER_OK
                                                                                               : TEMPER_BAD_DATA;
}

/* All-gathers the factors that each process has computed. The shares of the processes are contiguous, r / size to (r +
 * 1) / size of the factors, as in factor_all. A copy is sent, because input and output of a gather must not overlap. */
static temper_status gather_factors(const temper_comm *comm, const struct factor_job *job, size_t count,
                                    temper_error *error)
{
    const struct preconditioner *preconditioner = job->preconditioner;
    size_t size = comm_size(comm), square = preconditioner->n * preconditioner->n * sizeof(double);
    size_t *bytes = mem_alloc(size, sizeof *bytes);
    double *mine = mem_alloc(count, square);
    temper_status status = TEMPER_NO_MEMORY;
    if (bytes && mine) {
        for (size_t r = 0; r < size; r++)
            bytes[r] = (preconditioner->factors * (r + 1) / size - preconditioner->factors * r / size) * square;
        if (count)
            memcpy(mine, factor_at(preconditioner, job->first), count * square);
        status = comm_gather(comm, mine, bytes, preconditioner->factor, error);
    } else {
        error_no_memory(error);
    }
    mem_free(bytes);
    mem_free(mine);
    return status;
}

/* Several factors are distributed over the processes and threads; a single one is computed by each process. A
 * factorisation costs n^3 / 3 operations for each class. */
static temper_status factor_all(const struct preconditioner_spec *spec, const struct preconditioner *out,
                                temper_error *error)
{
    const temper_comm *comm = out->factors > 1 ? spec->data->ranks.comm : NULL;
    size_t rank = comm_rank(comm), size = comm_size(comm);
    struct factor_job job = {out, out->factors * rank / size};
    size_t count = out->factors * (rank + 1) / size - job.first;
    temper_status status = parallel_blocks(count, spec->threads, factor_one, &job);
    if (status == TEMPER_NO_MEMORY)
        return error_no_memory(error);
    if (comm_alone(comm))
        return status;
    status = comm_agree(comm, status, NULL);
    return status == TEMPER_OK ? gather_factors(comm, &job, count, error) : status;
}

/* A matrix that is not positive definite is no error: the solver does without. */
static temper_status create_gram(const struct preconditioner_spec *spec, struct preconditioner *out,
                                 temper_error *error)
{
    if (!allocate_factors(spec, out))
        return error_no_memory(error);
    TRY(compute_grams(spec, out, error));
    add_diagonals(out, (size_t)spec->data->x.columns, spec->l2);
    temper_status status = factor_all(spec, out, error);
    if (status != TEMPER_BAD_DATA)
        return status;
    out->kind = PRECONDITIONER_NONE; /* all features 0, say: steps are not preconditioned */
    return TEMPER_OK;
}

/* Factors are read-only once made, so several threads may use them; workspaces are not shared. */
bool preconditioner_borrow(const struct preconditioner *lender, struct preconditioner *out)
{
    *out = *lender;
    out->borrowed = true;
    out->workspace = out->factor ? new_workspace(out) : NULL;
    return !out->factor || out->workspace;
}

/* ---- Diagonal -------------------------------------------------------------------------------- */

/* E[x_j^2] by a pass over the rows, where the objective has no copy of the matrix by columns. */
static temper_status mean_squares_of_rows(const struct preconditioner_spec *spec, double *square, temper_error *error)
{
    struct column_stats sums;
    struct negative_entry negative;
    struct sum_task task = {
        .data = spec->data, .count = (size_t)dataset_all_rows(spec->data), .variances = true, .threads = spec->threads};
    TRY(column_stats(&task, &sums, &negative, error));
    for (size_t j = 0; j < (size_t)spec->data->x.columns; j++)
        square[j] = sums.variance[j] + sums.mean[j] * sums.mean[j];
    column_stats_free(&sums);
    return TEMPER_OK;
}

/* E[x_j^2] of the scaled features. */
static temper_status mean_squares(const struct preconditioner_spec *spec, double *square, temper_error *error)
{
    const double rows = (double)dataset_all_rows(spec->data);
    bool known;
    TRY(objective_squares(spec->objective, square, &known, error));
    if (!known)
        TRY(mean_squares_of_rows(spec, square, error));
    for (size_t j = 0; j < (size_t)spec->data->x.columns; j++) {
        double factor = spec->scale ? spec->scale->factor[j] : 1;
        square[j] *= factor * factor / (known ? rows : 1);
    }
    return TEMPER_OK;
}

/* 1 / sqrt(curvature), or 1 where that is not finite and positive. */
static double inverse_root(double curvature)
{
    double root = sqrt(curvature);
    return root > 0 && isfinite(root) && isfinite(1 / root) ? 1 / root : 1;
}

/* The diagonal of M^-1, one number for each feature and one for the intercepts, which are not penalised. */
static temper_status create_diagonal(const struct preconditioner_spec *spec, struct preconditioner *out,
                                     temper_error *error)
{
    size_t columns = (size_t)spec->data->x.columns;
    double curvature = initial_curvature(spec->loss, spec->data->classes.count);
    out->diagonal = mem_alloc(columns + 1, sizeof *out->diagonal);
    if (!out->diagonal)
        return error_no_memory(error);
    TRY(mean_squares(spec, out->diagonal, error));
    for (size_t j = 0; j < columns; j++)
        out->diagonal[j] = inverse_root(curvature * out->diagonal[j] + spec->l2);
    out->diagonal[columns] = inverse_root(curvature); /* intercepts, if there are any */
    return TEMPER_OK;
}

/* *out is valid for preconditioner_free from the beginning. */
temper_status preconditioner_create(enum preconditioner_kind kind, const struct preconditioner_spec *spec,
                                    struct preconditioner *out, temper_error *error)
{
    *out = (struct preconditioner){.kind = kind, .vectors = objective_vectors(spec->objective)};
    out->n = objective_size(spec->objective) / out->vectors;
    return kind == PRECONDITIONER_DIAGONAL ? create_diagonal(spec, out, error) : create_gram(spec, out, error);
}

/* ---- Applying the inverse -------------------------------------------------------------------- */

/* Several right-hand sides at once: the vectors k, k + 1, ... of those interleaved in v. */
static void solve_together(const struct preconditioner *preconditioner, size_t k, double *v)
{
    size_t vectors = preconditioner->vectors, left = vectors - k;
    size_t count = left < CHOLESKY_TOGETHER ? left : CHOLESKY_TOGETHER;
    double *space = preconditioner->workspace;
    for (size_t j = 0; j < preconditioner->n; j++)
        for (size_t i = 0; i < CHOLESKY_TOGETHER; i++)
            space[j * CHOLESKY_TOGETHER + i] = i < count ? v[j * vectors + k + i] : 0;
    preconditioner->kernel->triangular_solve(preconditioner->factor, preconditioner->n, space);
    for (size_t j = 0; j < preconditioner->n; j++)
        for (size_t i = 0; i < count; i++)
            v[j * vectors + k + i] = space[j * CHOLESKY_TOGETHER + i];
}

/* v -= its mean over the classes, feature by feature: the projection off the direction that changes all scores
 * alike. */
void preconditioner_centre(double *v, size_t vectors, size_t n)
{
    for (size_t j = 0; j < n; j++, v += vectors) {
        double mean = 0;
        for (size_t k = 0; k < vectors; k++)
            mean += v[k];
        mean /= (double)vectors;
        for (size_t k = 0; k < vectors; k++)
            v[k] -= mean;
    }
}

/* Solves with the factor of class k: gathers the entries of that class, which are interleaved in v, and scatters the
 * solution back. */
static void solve_class(const struct preconditioner *preconditioner, size_t k, double *v)
{
    double *column = preconditioner->workspace;
    for (size_t j = 0; j < preconditioner->n; j++)
        column[j] = v[j * preconditioner->vectors + k];
    cholesky_solve_full(factor_at(preconditioner, k), preconditioner->n, column);
    for (size_t j = 0; j < preconditioner->n; j++)
        v[j * preconditioner->vectors + k] = column[j];
}

/* The loss does not change where the scores of all classes change by the same amount, so that gradients have no such
 * component, and the curvature along it is the penalty alone. Matrices of single classes do not know that: their steps
 * would have that component, and many more would be needed to return. It is projected out before and after. */
static void solve_classes(const struct preconditioner *preconditioner, double *v)
{
    preconditioner_centre(v, preconditioner->vectors, preconditioner->n);
    for (size_t k = 0; k < preconditioner->vectors; k++)
        solve_class(preconditioner, k, v);
    preconditioner_centre(v, preconditioner->vectors, preconditioner->n);
}

/* v becomes M^-1 v, by the case: one vector, many vectors with one factor, or many with one each. */
void preconditioner_apply(void *context, double *v)
{
    const struct preconditioner *preconditioner = context;
    if (preconditioner->vectors == 1)
        cholesky_solve_full(preconditioner->factor, preconditioner->n, v);
    else if (preconditioner->factors == 1)
        for (size_t k = 0; k < preconditioner->vectors; k += CHOLESKY_TOGETHER)
            solve_together(preconditioner, k, v);
    else
        solve_classes(preconditioner, v);
}
