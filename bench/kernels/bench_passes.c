/* train_passes: real data, trained with the defaults and by libLBFGS to the same gradient. */
#include "kernels/bench_passes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/bench.h"
#include "temper.h"

struct set {
    const char *name, *file;
    temper_read_options read;
    double tolerance;
    double l2;
    const char *scale;
};

static const char *data_folder(void)
{
    const char *folder = getenv("TEMPER_DATA");
    return folder ? folder : TEMPER_SOURCE_DIR "/../shared/data";
}

/* NULL where it is missing. */
static temper_data *read_set(const struct set *set)
{
    char path[1000];
    temper_data *data = NULL;
    temper_error error;
    snprintf(path, sizeof path, "%s/%s", data_folder(), set->file);
    temper_read_options options = set->read;
    options.struct_size = sizeof options;
    if (temper_data_read(path, &options, &data, &error) != TEMPER_OK)
        printf("  %s: NOT MEASURED: %s\n", set->name, error.message);
    return data;
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static temper_train_options options_of(const struct set *set)
{
    temper_train_options options = temper_train_defaults();
    options.loss = temper_loss_resolve((temper_loss_spec){.method = TEMPER_LOGISTIC});
    options.l2 = set->l2;
    options.scale = set->scale;
    options.tolerance = set->tolerance;
    options.threads = 1;
    return options;
}

/* A pass for every evaluation, product and Hessian. */
static int train(const struct set *set, const temper_data *data, struct effort *effort, temper_train_report *report)
{
    temper_train_options options = options_of(set);
    temper_model *model;
    temper_error error;
    double start = processor_seconds();
    if (temper_train(data, &options, &model, report, &error) != TEMPER_OK) {
        printf("  %s: NOT MEASURED: %s\n", set->name, error.message);
        return 0;
    }
    temper_model_free(model);
    *effort = (struct effort){(double)(report->evaluations + report->products + report->hessians),
                              processor_seconds() - start};
    return 1;
}

/* The objective that training sees, summed in doubles so that it has smooth values. */
static int peer(const struct set *set, const struct dataset *data, struct effort *effort, const char **why)
{
    struct objective *objective;
    struct scale scale;
    enum scale_kind kind = SCALE_NONE;
    temper_error error;
    struct scale_rows all = {NULL, (size_t)data->x.rows};
    int done = 0;
    if (!scale_find(set->scale, &kind) || scale_learn(data, kind, all, 1, &scale, &error) != TEMPER_OK)
        return 0;
    struct objective_spec spec = {.data = data,
                                  .scale = &scale,
                                  .loss = options_of(set).loss,
                                  .l2 = set->l2,
                                  .intercept = true,
                                  .f64 = true,
                                  .threads = 1};
    if (objective_new(&spec, &objective, &error) == TEMPER_OK) {
        done = peer_lbfgs(objective, set->tolerance, effort, why);
        objective_free(objective);
    }
    scale_free(&scale);
    return done;
}

static void compare(const struct set *set)
{
    temper_data *data = read_set(set);
    temper_train_report report;
    struct effort ours, theirs;
    const char *why;
    char what[120];
    if (!data)
        return;
    if (train(set, data, &ours, &report)) {
        printf("  %s: %s, %zu evaluations, %zu Hessians, %.3f s; %s\n", set->name, report.solver, report.evaluations,
               report.hessians, ours.seconds, temper_stop_name(report.stop));
        /* The public handle is the dataset itself. */
        if (!peer(set, (const struct dataset *)data, &theirs, &why)) {
            printf("  libLBFGS is not here (on Debian: liblbfgs-dev): not compared\n");
        } else if (theirs.passes == 0) {
            printf("  %s: libLBFGS did not get there: %s\n", set->name, why);
        } else {
            printf("  %s: libLBFGS %.0f passes, %.3f s\n", set->name, theirs.passes, theirs.seconds);
            snprintf(what, sizeof what, "%s: passes, of libLBFGS's", set->name);
            bench_figure(what, ours.passes / theirs.passes, 0.3);
            snprintf(what, sizeof what, "%s: seconds, of libLBFGS's", set->name);
            bench_figure(what, ours.seconds / theirs.seconds, 1);
        }
        if (report.hessians) {
            snprintf(what, sizeof what, "%s: Hessians", set->name);
            bench_figure(what, (double)report.hessians, 12);
        }
    }
    temper_data_free(data);
}

static void ten_classes(const struct set *set)
{
    temper_data *data = read_set(set);
    temper_train_report report;
    struct effort ours;
    char what[120];
    if (data && train(set, data, &ours, &report)) {
        snprintf(what, sizeof what, "%s: passes", set->name);
        bench_figure(what, ours.passes, 30);
        snprintf(what, sizeof what, "%s: seconds", set->name);
        bench_figure(what, ours.seconds, 1);
    }
    temper_data_free(data);
}

void bench_passes(const char *folder)
{
    (void)folder;
    static const char fashion[] = "fashion-mnist/train-images-idx3-ubyte.gz";
    static const struct set two[] = {
        {"Fashion-MNIST 0 v 6", fashion, {.classes = "0,6"}, 1e-5, 1e-4, "standard"},
        {"CIFAR-10 frog v ship",
         "cifar10/frog-ship.bin.gz",
         {.channel = "blue", .format = "cifar"},
         1e-5,
         1e-4,
         "standard"},
        {"a9a", "a9a/a9a.gz", {0}, 1e-5, 1e-4, "none"},
        {"Covertype 2 v 3", "covtype/covtype.data.gz", {.classes = "2,3", .format = "csv"}, 1e-5, 1e-4, "standard"},
    };
    static const struct set many[] = {
        {"Fashion-MNIST, 10 classes, standardised, l2 1e-2", fashion, {0}, 1e-3, 1e-2, "standard"},
        {"Fashion-MNIST, 10 classes, standardised, l2 1e-4", fashion, {0}, 1e-3, 1e-4, "standard"},
    };
    bench_section("Passes over the rows to a gradient of 1e-5 of that at 0, logistic");
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        compare(&two[i]);
    bench_section("Passes over the rows to a gradient of 1e-3 of that at 0, logistic");
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        ten_classes(&many[i]);
}
