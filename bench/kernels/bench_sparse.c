/* Sparse data: one evaluation against reading the arrays, and whole trainings against LIBLINEAR. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "kernels/bench.h"
#include "kernels/machine_limits.h"
#include "objective/objective.h"
#include "peers/liblinear_process.h"
#include "temper.h"

/* `low` and `high` are the labels kept; 0: all. */
static struct sparse_set {
    const char *name, *file;
    int low, high;
    double l2, target;
} sets[] = {
    {"a9a", "a9a/a9a.gz", 0, 0, 1.5e-3, 0.5},
    {"amazon-kitchen", "amazon-kitchen/train.libsvm.gz", 0, 0, 2.3e-2, 0.5},
    {"20news 2 v 3", "20news/train.libsvm.gz", 2, 3, 1.9e-4, 0.7},
    {"20news 8 v 9", "20news/train.libsvm.gz", 8, 9, 1.9e-4, 0.7},
    {"20news, 20 classes", "20news/train.libsvm.gz", 0, 0, 1e-5, 0.7},
};

/* ---- One evaluation -------------------------------------------------------------------------- */

struct evaluation {
    struct objective *objective;
    const struct matrix *x;
    double *w, *gradient;
    float sink;
};

static void run_evaluation(void *context)
{
    struct evaluation *e = context;
    double value;
    objective_evaluate(e->objective, e->w, &value, e->gradient, NULL);
}

/* Column numbers are as wide as floats, and no sum of them traps. */
static void run_stream(void *context)
{
    struct evaluation *e = context;
    size_t entries = (size_t)e->x->nonzeros;
    e->sink += limit_read(e->x->value, entries) + limit_read((const float *)e->x->column, entries);
}

static void compare_evaluation(const struct sparse_set *set, struct dataset *data)
{
    const temper_loss_spec loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    struct objective_spec spec = {
        .data = data, .loss = loss, .l2 = set->l2, .intercept = true, .f64 = true, .threads = 1};
    struct evaluation e = {.x = &data->x};
    temper_error error;
    char what[120];
    size_t classes = data->classes.count == 2 ? 1 : data->classes.count;
    if (objective_new(&spec, &e.objective, &error) != TEMPER_OK)
        return;
    e.w = calloc(objective_size(e.objective), sizeof *e.w);
    e.gradient = calloc(objective_size(e.objective), sizeof *e.gradient);
    struct contender c[] = {{"evaluate", run_evaluation, &e, (double)data->x.nonzeros, 0, 0, 0},
                            {"stream", run_stream, &e, (double)data->x.nonzeros, 0, 0, 0}};
    snprintf(what, sizeof what, "%s: an evaluation%s against reading the arrays", set->name,
             classes > 1 ? ", a class," : "");
    c[0].work *= (double)classes;
    if (e.w && e.gradient) {
        bench_time(c, 2);
        bench_at_most(what, &c[0], &c[1], 6);
    }
    free(e.w);
    free(e.gradient);
    objective_free(e.objective);
}

static void evaluate_set(const struct sparse_set *set, const char *path)
{
    const temper_read_options options = {.struct_size = sizeof(temper_read_options), .threads = 1};
    temper_data *data;
    temper_error error;
    if (temper_data_read(path, &options, &data, &error) != TEMPER_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return;
    }
    compare_evaluation(set, (struct dataset *)data);
    temper_data_free(data);
}

/* ---- Whole trainings ------------------------------------------------------------------------- */

enum { TRAININGS = 5 };

/* Whole processes, reading and writing too: LIBLINEAR does not tell its parts apart. Both stop at a
 * gradient of 1e-4 of that at 0 with the same penalty on all weights; two classes end at the same
 * objective. For more, LIBLINEAR minimises another one, class by class, with its own default
 * tolerance: test accuracies are within their sampling error. */
static void compare_training(const struct sparse_set *set, const struct sparse_file *file)
{
    char temper[600], model[600], l2[32], cost[32], tolerance[32], what[120];
    double ours = 1e300, theirs = 1e300;
    child_beside("../temper", temper, sizeof temper);
    snprintf(model, sizeof model, "%s.model", file->path);
    snprintf(l2, sizeof l2, "%.17g", set->l2);
    snprintf(cost, sizeof cost, "%.17g", 1 / (set->l2 * (double)file->rows));
    snprintf(tolerance, sizeof tolerance, "%.17g",
             file->classes == 2 ? 1e-4 * (double)file->rows / (double)file->fewest : 0.01);
    const char *const train[] = {temper,           "train",     file->path, "--loss", "logistic", "--l2", l2,
                                 "--no-intercept", "--threads", "1",        "-q",     "-m",       model,  NULL};
    const char *const liblinear[] = {"liblinear-train", "-q",       "-s",  "0", "-c", cost, "-e",
                                     tolerance,         file->path, model, NULL};
    for (int i = 0; i < TRAININGS; i++) {
        double a = child_seconds(train), b = child_seconds(liblinear);
        ours = a < ours ? a : ours;
        theirs = b < theirs ? b : theirs;
    }
    remove(model);
    snprintf(what, sizeof what, "%s: of the time of liblinear-train -s 0", set->name);
    if (theirs < 1e300 && ours < 1e300) {
        printf("  %s: temper %.1f ms / liblinear-train %.1f ms\n", set->name, 1e3 * ours, 1e3 * theirs);
        bench_figure(what, ours / theirs, set->target);
    } else
        printf("  %-62s %35s\n", set->name, ours < 1e300 ? "missing: liblinear-train" : "missing: temper");
}

/* ---- All ------------------------------------------------------------------------------------- */

static void each_set(const char *folder, void (*use)(const struct sparse_set *set, const struct sparse_file *file))
{
    const char *data = getenv("TEMPER_DATA");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char from[600];
        struct sparse_file file = {.low = sets[i].low, .high = sets[i].high};
        snprintf(from, sizeof from, "%s/%s", data ? data : TEMPER_SOURCE_DIR "/../shared/data", sets[i].file);
        snprintf(file.path, sizeof file.path, "%s/bench-sparse.libsvm", folder);
        if (sparse_unpack(from, &file))
            use(&sets[i], &file);
        else
            printf("  %-62s %35s\n", sets[i].name, "missing: the data");
        remove(file.path);
    }
}

static void use_evaluation(const struct sparse_set *set, const struct sparse_file *file)
{
    evaluate_set(set, file->path);
}

void bench_sparse(const char *folder)
{
    bench_section("Sparse data: an evaluation");
    each_set(folder, use_evaluation);
    bench_section("Sparse data: whole trainings (processor time, reading and writing included)");
    each_set(folder, compare_training);
}
