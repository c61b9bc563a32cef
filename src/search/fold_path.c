/* fold_path: the fits of one penalty after the other; those of the folds run in step, so that a pass over the rows
 * serves all of them.
 *
 * A fit starts from the solutions of its fold for the penalties before. With few features, the fits of a penalty share
 * one preconditioner, the Hessian at the mean of their starts: folds have most of their rows in common, and the
 * solutions of a convex loss change little from one penalty to the next. So a fit takes a few passes, and a path one
 * Hessian for each penalty. With many features, where a Hessian takes longer than the passes that it saves, each fold
 * has one L-BFGS solver for the whole path: its pairs, which a change of the penalty changes by a known term, are the
 * preconditioner. */
#include "search/fold_path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/memory_limit.h"
#include "objective/batch/multi_objective.h"
#include "optim/lbfgs.h"
#include "search/many_fits.h"
#include "tempered/loss_family.h"
#include "train/row_space.h"
#include "train/train.h"

/* Features of dense rows up to which a Hessian takes less time than the passes that it saves. */
enum { DENSE_HESSIAN_MOST = 400 };

/* A path in progress. */
struct path_state {
    const struct dataset *data;
    const temper_train_options *options;
    const temper_fold_path *path;
    struct scaled_features features;
    /* Fewer rows than features: their space (train/row_space.h), whose products of rows serve all folds and penalties,
     * and its features; else NULL and empty. */
    struct row_space *row_space;
    struct scaled_features inner;
    const struct scaled_features *seen; /* by the solvers: one of the two */
    struct split folds;
    struct fit_spec *fit;              /* all, [fold * penalties + i] */
    struct fit_spec *now;              /* those of the penalty in progress, by fold */
    struct multi_objective *objective; /* of all fits */
    struct kept_solver *kept;          /* of each fold, with many features; else NULL */
    size_t size, penalty;              /* of a weight vector; the one in progress */
    double *next, *last, *second; /* [fold * size]: solutions of the penalty in progress and of the two before it */
    double *centre;               /* the mean of the starts */
    double started;
    size_t done; /* fits that have ended */
};

/* ---- Checks ------------------------------------------------------------------------------------ */

static temper_status check(const struct dataset *data, const temper_train_options *options,
                           const temper_fold_path *path, temper_error *error)
{
    temper_loss_spec loss = loss_resolve(options->loss);
    size_t fits;
    TRY(train_check(data, options, error));
    if (data->classes.count != 2)
        return error_set(error, TEMPER_USAGE,
                         "a path of folds is for two classes, and there are %zu; train one fit at a time",
                         data->classes.count);
    if (!loss_is_convex(loss) || !loss_is_one_run(loss) || options->l1 > 0)
        return error_set(error, TEMPER_USAGE,
                         "a path of folds is for smooth convex losses such as logistic, without an L1 penalty");
    if (!comm_alone(data->ranks.comm) || data->storage.memory_limit > 0)
        return error_set(error, TEMPER_USAGE, "a path of folds is for rows in the memory of one process");
    if (path->penalties == 0 || !path->l2 || !path->fold || !mul_size(path->folds, path->penalties, &fits))
        return error_set(
            error, TEMPER_USAGE,
            "a path of folds needs the fold of each row and penalties; give fold, folds, l2 and penalties");
    if (!path->weights || !path->intercepts || !path->iterations || !path->stops || !path->scores)
        return error_set(error, TEMPER_USAGE, "a path of folds fills all arrays of the path, and one of them is NULL");
    for (size_t i = 0; i < fits; i++)
        TRY(train_check_l2(isnan(path->l2[i]) ? -1 : path->l2[i], error));
    for (size_t row = 0; data->weight && row < data->x.rows; row++)
        if (!(data->weight[row] > 0))
            return error_set(error, TEMPER_USAGE, "row %zu has weight 0; a path of folds needs rows that count",
                             row + 1);
    return split_check_given(data, path->fold, path->folds, error);
}

/* Rows outside of a fold that all have one class have no minimum. */
static temper_status check_classes(const struct dataset *data, const temper_fold_path *path, temper_error *error)
{
    size_t all = 0, *count = mem_zeroed(path->folds, 2 * sizeof *count);
    temper_status status = count ? TEMPER_OK : error_no_memory(error);
    for (size_t row = 0; count && row < data->x.rows; row++) {
        count[2 * path->fold[row] + data->label[row]]++;
        all += data->label[row];
    }
    for (size_t f = 0; status == TEMPER_OK && f < path->folds; f++)
        if (count[2 * f + 1] == all || count[2 * f] == data->x.rows - all)
            status = error_set(error, TEMPER_BAD_DATA, "fold %zu has all rows of a class; give other folds", f + 1);
    mem_free(count);
    return status;
}

/* ---- One penalty ------------------------------------------------------------------------------- */

static double l2_of(const struct path_state *p, size_t fold, size_t penalty)
{
    return p->path->l2[fold * p->path->penalties + penalty];
}

/* As of a path of a search (crossval.c): linear in log(penalty), at most by as much as the last two solutions differ; 0
 * where penalties do not fall. */
static double extrapolation(const struct path_state *p, size_t fold)
{
    if (p->penalty < 2)
        return 0;
    double l2 = l2_of(p, fold, p->penalty), last = l2_of(p, fold, p->penalty - 1),
           second = l2_of(p, fold, p->penalty - 2);
    return 0 < l2 && l2 < last && last < second ? fmin(log(last / l2) / log(second / last), 1) : 0;
}

/* All fits, without their starts. */
static void list_fits(const struct path_state *p)
{
    for (size_t i = 0; i < p->path->folds * p->path->penalties; i++)
        p->fit[i] = (struct fit_spec){.loss = loss_resolve(p->options->loss),
                                      .l2 = p->path->l2[i],
                                      .part = (uint32_t)(i / p->path->penalties),
                                      .after = FIT_BEGINS_AT_ZERO,
                                      .member = i};
}

/* The fits of the penalty in progress, and the mean of their starts. */
static void prepare_fits(struct path_state *p)
{
    memset(p->centre, 0, p->size * sizeof *p->centre);
    for (size_t f = 0; f < p->path->folds; f++) {
        const double *last = p->last + f * p->size, *second = p->second + f * p->size;
        struct fit_spec *fit = &p->now[f];
        *fit = p->fit[f * p->path->penalties + p->penalty];
        fit->initial = p->penalty > 0 ? last : NULL;
        fit->second = p->penalty > 1 ? second : NULL;
        fit->extrapolation = extrapolation(p, f);
        fit->kept = p->kept ? &p->kept[f] : NULL;
        for (size_t j = 0; j < p->size; j++)
            p->centre[j] += (last[j] + fit->extrapolation * (last[j] - second[j])) / (double)p->path->folds;
    }
}

/* The end of a minimiser as the public call reports it. */
static temper_stop stop_of(enum optim_stop stop)
{
    return stop == OPTIM_CONVERGED  ? TEMPER_STOP_CONVERGED
           : stop == OPTIM_MAX_ITER ? TEMPER_STOP_MAX_ITER
                                    : TEMPER_STOP_STALLED;
}

/* fits_job.ended: writes the result of a fold. */
static temper_status take_fit(void *context, const struct fit_end *end, temper_error *error)
{
    struct path_state *p = context;
    const temper_fold_path *path = p->path;
    size_t rows = (size_t)p->data->x.rows, place = end->fit * path->penalties + p->penalty;
    (void)error;
    memcpy(p->next + end->fit * p->size, end->w, p->size * sizeof *end->w);
    path->iterations[place] = end->iterations;
    path->stops[place] = stop_of(end->stop);
    for (size_t row = 0; row < rows; row++)
        if (path->fold[row] == end->fit)
            path->scores[p->penalty * rows + row] = end->activation[row];
    p->done++;
    return TEMPER_OK;
}

/* The solutions of all folds, one number of each after the other; of the row space as weights of all features. Freed by
 * the caller. */
static temper_status gather_solutions(const struct path_state *p, double **out, temper_error *error)
{
    const size_t folds = p->path->folds;
    double *w = mem_alloc(p->size, folds * sizeof *w), *all = NULL;
    for (size_t i = 0; w && i < p->size * folds; i++)
        w[i] = p->next[i % folds * p->size + i / folds];
    *out = w;
    if (!w || !p->row_space)
        return w ? TEMPER_OK : error_no_memory(error);
    all = mem_alloc((size_t)p->data->x.columns + 1, folds * sizeof *all);
    const struct solution inner = {w, folds, !p->options->no_intercept};
    temper_status status = all ? row_space_weights(p->row_space, inner, all, error) : error_no_memory(error);
    mem_free(w);
    *out = all;
    return status;
}

/* The weights of the penalty in progress, for raw rows. */
static temper_status write_weights(const struct path_state *p, temper_error *error)
{
    const temper_fold_path *path = p->path;
    const size_t columns = (size_t)p->data->x.columns, step = path->penalties * columns;
    double *w = NULL, *bias = mem_alloc(path->folds, sizeof *bias);
    temper_status status = bias ? gather_solutions(p, &w, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        scaled_features_raw_weights(&p->features, (struct solution){w, path->folds, !p->options->no_intercept},
                                    (struct raw_weights){path->weights + p->penalty * columns, 1, step, bias});
    for (size_t f = 0; status == TEMPER_OK && f < path->folds; f++)
        path->intercepts[f * path->penalties + p->penalty] = bias[f];
    mem_free(w);
    mem_free(bias);
    return status;
}

/* fits_job.goes_on: the progress of all fits, as that of a training. */
static bool goes_on(void *context)
{
    const struct path_state *p = context;
    const temper_train_options *options = p->options;
    temper_train_progress shown = {.phase = TEMPER_PHASE_FOLDS,
                                   .iteration = p->done,
                                   .max_iterations = p->path->folds * p->path->penalties,
                                   .objective = (double)NAN,
                                   .gradient = (double)NAN,
                                   .tolerance = options->tolerance,
                                   .accuracy = (double)NAN,
                                   .validation = (double)NAN,
                                   .seconds = train_clock() - p->started};
    return !options->on_progress || options->on_progress(options->progress_context, &shown) == 0;
}

/* The largest entry that a gradient may have at the end of a fit. In the row space a gradient has the norm of that of
 * all features, but not its entries: none of those exceeds the norm, which is at most the largest entry times the root
 * of their number. */
static double entry_limit(const struct path_state *p)
{
    return p->path->gradient_entry / (p->row_space ? sqrt((double)p->size) : 1);
}

/* The fits of one penalty, preconditioned by the Hessian at the mean of their starts, W = 0 for the first penalty, or
 * by what the solvers of the folds have kept. */
static temper_status fit_penalty(struct path_state *p, temper_error *error)
{
    prepare_fits(p);
    struct fits_job job = {.features = p->seen,
                           .partition = &p->folds,
                           .fit = p->now,
                           .count = p->path->folds,
                           .options = p->options,
                           .threads = p->options->threads,
                           .converges = true,
                           .gradient_entry = entry_limit(p),
                           .objective = p->objective,
                           .curvature_at = p->kept ? NULL : p->centre,
                           .ended = take_fit,
                           .goes_on = goes_on,
                           .context = p};
    bool finished;
    TRY(fits_batched(&job, &finished, error));
    if (!finished)
        return error_set(error, TEMPER_INTERRUPTED, "interrupted");
    TRY(write_weights(p, error));
    double *oldest = p->second;
    p->second = p->last;
    p->last = p->next;
    p->next = oldest;
    return TEMPER_OK;
}

/* ---- The path ---------------------------------------------------------------------------------- */

/* Whether fits are preconditioned by a Hessian. */
static bool has_hessian(const struct path_state *p)
{
    const struct matrix *x = &p->seen->data->x;
    return x->columns <= (x->kind == MATRIX_CSR ? FITS_SPARSE_HESSIAN_MOST : DENSE_HESSIAN_MOST);
}

static temper_status allocate(struct path_state *p, temper_error *error)
{
    size_t folds = p->path->folds;
    p->size = fits_size(p->seen, p->options);
    p->fit = mem_zeroed(folds, p->path->penalties * sizeof *p->fit);
    p->now = mem_zeroed(folds, sizeof *p->now);
    p->kept = has_hessian(p) ? NULL : mem_zeroed(folds, sizeof *p->kept);
    p->next = mem_zeroed(folds, p->size * sizeof *p->next);
    p->last = mem_zeroed(folds, p->size * sizeof *p->last);
    p->second = mem_zeroed(folds, p->size * sizeof *p->second);
    p->centre = mem_zeroed(p->size, sizeof *p->centre);
    if (!p->fit || !p->now || !p->next || !p->last || !p->second || !p->centre || (!p->kept && !has_hessian(p)))
        return error_no_memory(error);
    return split_given(p->data, p->path->fold, folds, &p->folds, error);
}

/* One objective for all fits: a sparse one has a transposed copy of the rows. */
static temper_status make_objective(struct path_state *p, temper_error *error)
{
    struct fits_job job = {.features = p->seen,
                           .partition = &p->folds,
                           .fit = p->fit,
                           .count = p->path->folds * p->path->penalties,
                           .options = p->options,
                           .threads = p->options->threads};
    list_fits(p);
    return fits_objective_new(&job, &p->objective, error);
}

/* The features as the solvers see them. Rows so few that the space of the rows has a Hessian repay their
 * products; with more, its stricter limit of gradient entries costs more than shorter passes save. */
static temper_status choose_features(struct path_state *p, temper_error *error)
{
    TRY(scaled_features_new(p->data, p->options->scale, p->options->threads, &p->features, error));
    p->seen = &p->features;
    if (!row_space_fits(p->features.data) || p->data->x.rows > DENSE_HESSIAN_MOST)
        return TEMPER_OK;
    TRY(row_space_new(&p->features, p->options->threads, &p->row_space, error));
    if (!p->row_space)
        return TEMPER_OK;
    p->seen = &p->inner;
    return scaled_features_new(row_space_data(p->row_space), "none", p->options->threads, &p->inner, error);
}

static void path_free(struct path_state *p)
{
    for (size_t f = 0; p->kept && f < p->path->folds; f++)
        lbfgs_close(p->kept[f].solver);
    multi_objective_free(p->objective);
    mem_free(p->kept);
    mem_free(p->fit);
    mem_free(p->now);
    mem_free(p->next);
    mem_free(p->last);
    mem_free(p->second);
    mem_free(p->centre);
    split_free(&p->folds);
    scaled_features_free(&p->inner);
    row_space_free(p->row_space);
    scaled_features_free(&p->features);
}

temper_status fold_path(const struct dataset *data, const temper_train_options *options, const temper_fold_path *path,
                        temper_error *error)
{
    temper_train_options full = *options;
    struct path_state p = {.data = data, .options = &full, .path = path, .started = train_clock()};
    if (!full.threads)
        full.threads = thread_count_default();
    TRY(check(data, &full, path, error));
    TRY(check_classes(data, path, error));
    temper_status status = choose_features(&p, error);
    if (status == TEMPER_OK)
        status = allocate(&p, error);
    if (status == TEMPER_OK)
        status = make_objective(&p, error);
    for (; status == TEMPER_OK && p.penalty < path->penalties; p.penalty++)
        status = fit_penalty(&p, error);
    path_free(&p);
    return status;
}
