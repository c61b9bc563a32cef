/* cmd_plot: temper plot. Figures of losses, of weights along a path of penalties, and reports on models.
 *
 * The three kinds share a command and the reading of data, and differ in their options, which kinds_with lists. The
 * path fits one penalty after the other, the strongest first, each from the weights of the one before, which is much
 * cheaper than separate fits. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "base/path.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "temper_extra.h"

/* ---- plot losses ------------------------------------------------------------------------------ */

/* Warns about --t1 or --t2 if no loss in the list takes its temperatures from there. Only a warning, because the figure
 * is right all the same. */
static void warn_unused(const struct arguments *arguments, enum option_id id, bool used)
{
    if (was_given(arguments, id) && !used)
        warn("--%s has no effect: every loss has its own temperatures, or none; name one without, such as "
             "--losses tempered",
             option_table[id].name);
}

/* Draws loss functions and their derivatives. Options of panels that are not drawn are parsed too, so that mistakes in
 * them are reported; the library ignores the values. */
static temper_status plot_losses(const struct arguments *arguments)
{
    struct number_list temperatures;
    struct loss_list losses;
    temper_loss_figure figure = {.panels = text_of(arguments, OPT_PANELS)};
    temper_error error;
    temper_text svg = {0};
    TRY(read_losses(&option_table[OPT_LOSSES], text_of(arguments, OPT_LOSSES), number_of(arguments, OPT_PLOT_T1),
                    number_of(arguments, OPT_PLOT_T2), &losses));
    warn_unused(arguments, OPT_PLOT_T1, losses.took_t1);
    warn_unused(arguments, OPT_PLOT_T2, losses.took_t2);
    TRY(read_numbers(&option_table[OPT_TEMPERATURES], text_of(arguments, OPT_TEMPERATURES), &temperatures));
    TRY(read_span(&option_table[OPT_MARGINS], text_of(arguments, OPT_MARGINS), &figure.margin_from, &figure.margin_to));
    /* The lists are borrowed by the figure and stay in this frame until it is drawn. */
    figure.temperatures = temperatures.value;
    figure.temperature_count = temperatures.count;
    figure.losses = losses.value;
    figure.loss_count = losses.count;
    TRY(checked(temper_plot_losses(&figure, &svg, &error), &error));
    return output_write_text(text_of(arguments, OPT_OUTPUT), &svg);
}

/* ---- plot path -------------------------------------------------------------------------------- */

enum { WEIGHT_NAME_LENGTH = 160 };

/* Fits along a sequence of penalties (a regularisation path). */
struct weight_path {
    const struct arguments *arguments;
    temper_train_options options;      /* l2 and warm_start change from step to step */
    temper_data *raw, *data;           /* as read, and scaled; the latter may borrow from the former */
    size_t steps, count;               /* number of penalties; weights of one model, without intercepts */
    double *l2, *accuracy;             /* [steps] */
    double *weights;                   /* [steps][count] */
    char (*names)[WEIGHT_NAME_LENGTH]; /* [count], for the labels of the curves */
    const char **name_list;            /* [count] pointers into names, as the library expects them */
};

/* Reads the training options. --t1 and --t2 of plot are separate entries of the option table because 'plot losses' has
 * other defaults; a copy of the arguments presents them as those of train. */
static temper_status read_path_options(struct weight_path *path)
{
    struct arguments arguments = *path->arguments;
    arguments.given[OPT_T1] = arguments.given[OPT_PLOT_T1];
    arguments.given[OPT_T2] = arguments.given[OPT_PLOT_T2];
    return train_options(&arguments, &path->options);
}

/* Reads and scales the rows. The features are scaled here and not in training, because the weights of a model apply to
 * unscaled rows and could not be compared between features. Data without zeros counts as dense and is standardised, as
 * 'temper train' does. */
static temper_status read_rows(struct weight_path *path)
{
    temper_error error;
    TRY(read_data(path->arguments, path->arguments->operand[1], &path->raw, NULL));
    print_notes(path->arguments, path->raw);
    if (temper_data_classes(path->raw) < 2)
        return fail(TEMPER_BAD_DATA, "plot path: the data has %s; give labelled rows of two classes or more",
                    temper_data_classes(path->raw) ? "one class only" : "no labels");
    /* Sparse data is not standardised: centring would make it dense. */
    bool dense = temper_data_stored_values(path->raw) == temper_data_rows(path->raw) * temper_data_features(path->raw);
    const char *scale = path->options.scale ? path->options.scale : dense ? "standard" : "none";
    path->options.scale = "none";
    return checked(temper_data_scale(path->raw, scale, path->options.threads, &path->data, &error), &error);
}

/* Allocates the arrays and places the penalties at equal distances on a logarithmic axis, the strongest first: the
 * first fit is then easy, and each later one begins at the solution of its neighbour. */
static temper_status place_penalties(struct weight_path *path)
{
    double from, to;
    size_t classes = temper_data_classes(path->data);
    TRY(read_span(&option_table[OPT_PATH_L2], text_of(path->arguments, OPT_PATH_L2), &from, &to));
    path->steps = size_of(path->arguments, OPT_STEPS);
    /* Two classes need one weight vector, more classes one each. */
    path->count = (size_t)temper_data_features(path->data) * (classes > 2 ? classes : 1);
    path->l2 = calloc(path->steps, sizeof *path->l2);
    path->accuracy = calloc(path->steps, sizeof *path->accuracy);
    /* steps * count must not overflow size_t, which would allocate too little. */
    path->weights =
        path->count <= SIZE_MAX / path->steps ? calloc(path->steps * path->count, sizeof *path->weights) : NULL;
    if (!path->l2 || !path->accuracy || !path->weights)
        return fail_no_memory();
    for (size_t i = 0; i < path->steps; i++) {
        double share = (double)i / (double)(path->steps - 1);
        path->l2[i] = to * pow(from / to, share);
    }
    return TEMPER_OK;
}

/* Names the weights: "petal width", or "petal width -> setosa" where each class has a weight vector. */
static temper_status name_weights(struct weight_path *path)
{
    size_t features = (size_t)temper_data_features(path->data);
    bool per_class = path->count > features;
    path->names = calloc(path->count, sizeof *path->names);
    path->name_list = (const char **)calloc(path->count, sizeof *path->name_list);
    if (!path->names || !path->name_list)
        return fail_no_memory();
    for (size_t i = 0; i < path->count; i++) {
        const char *name = temper_data_feature_name(path->data, i % features);
        char number[32];
        snprintf(number, sizeof number, "feature %zu", i % features + 1);
        /* Both names are limited to 70 bytes so that they fit with the arrow (U+2192) between them. */
        snprintf(path->names[i], WEIGHT_NAME_LENGTH, "%.70s%s%.70s", name ? name : number,
                 per_class ? " \xe2\x86\x92 " : "", per_class ? temper_data_class_name(path->data, i / features) : "");
        path->name_list[i] = path->names[i];
    }
    return TEMPER_OK;
}

/* Fits one penalty, starting from *model unless it is NULL, and replaces *model by the result. Warm starts make a path
 * of n penalties much cheaper than n separate fits. */
static temper_status train_step(struct weight_path *path, size_t step, temper_model **model)
{
    temper_error error;
    temper_train_report report;
    size_t features = (size_t)temper_data_features(path->data);
    temper_model *next;
    /* All other options are the same for every step. */
    path->options.l2 = path->l2[step];
    path->options.warm_start = *model;
    path->options.calibrate = "none"; /* only weights and labels are used */
    TRY(checked(temper_train(path->data, &path->options, &next, &report, &error), &error));
    temper_model_free(*model);
    *model = next;
    path->accuracy[step] = report.accuracy;
    /* Only the weights of the features are copied; intercepts are not drawn. */
    double *weights = path->weights + step * path->count;
    for (size_t i = 0; i < temper_model_weight_vectors(next); i++)
        memcpy(weights + i * features, temper_model_weights(next, i), features * sizeof *weights);
    return TEMPER_OK;
}

/* Draws all weights and the training accuracy against the penalty, and writes the figure. */
static temper_status draw_path(const struct weight_path *path)
{
    temper_error error;
    temper_text svg = {0};
    const temper_path_figure figure = {
        .l2 = path->l2,
        .steps = path->steps,
        .weights = path->weights,
        .names = path->name_list,
        .count = path->count,
        .accuracy = path->accuracy,
    };
    TRY(checked(temper_plot_path(&figure, &svg, &error), &error));
    return output_write_text(text_of(path->arguments, OPT_OUTPUT), &svg);
}

/* The steps of 'plot path': options, data, penalties, one fit for each, figure. */
static temper_status run_path(struct weight_path *path)
{
    temper_model *model = NULL;
    temper_status status = TEMPER_OK;
    TRY(read_path_options(path));
    TRY(read_rows(path));
    TRY(place_penalties(path));
    TRY(name_weights(path));
    for (size_t i = 0; status == TEMPER_OK && i < path->steps; i++)
        status = train_step(path, i, &model);
    temper_model_free(model);
    return status == TEMPER_OK ? draw_path(path) : status;
}

/* Owns the arrays of the path, and frees them whichever step has failed. */
static temper_status plot_path(const struct arguments *arguments)
{
    struct weight_path path = {.arguments = arguments};
    temper_status status = run_path(&path);
    temper_data_free(path.data); /* first: it may borrow from the other */
    temper_data_free(path.raw);
    free(path.l2);
    free(path.accuracy);
    free(path.weights);
    free(path.names);
    free((void *)path.name_list);
    return status;
}

/* ---- plot report ------------------------------------------------------------------------------ */

/* Adds all rows to the report, one batch in memory at a time. */
static temper_status add_batches(temper_model_report *report, struct model_application *application)
{
    temper_error error;
    temper_data *batch;
    for (;;) {
        TRY(application_next(application, &batch));
        if (!batch)
            return TEMPER_OK;
        temper_status status = temper_model_report_add(report, batch, threads_of(application->arguments), &error);
        temper_data_free(batch);
        TRY(checked(status, &error));
    }
}

/* Collects the statistics of all rows, then writes the page, or a single figure if the path ends in .svg.
 * temper_model_report_finish releases the report in every case. */
static temper_status report_on(struct model_application *application)
{
    const struct arguments *arguments = application->arguments;
    const char *path = text_of(arguments, OPT_OUTPUT);
    temper_model_report *report;
    temper_error error;
    temper_text text = {0};
    TRY(checked(temper_model_report_new(application->model, &report, &error), &error));
    temper_status status = add_batches(report, application);
    if (status != TEMPER_OK) {
        temper_model_report_finish(report, 0, NULL, NULL); /* frees it */
        return status;
    }
    /* How many rows were dropped is known only after the last batch. */
    temper_model_report_set_source(report, text_of(arguments, OPT_MODEL), arguments->operand[0],
                                   temper_batch_reader_dropped_rows(application->reader));
    TRY(checked(temper_model_report_finish(report, path_ends_in(path, ".svg"), &text, &error), &error));
    return output_write_text(path, &text);
}

/* Reports on a model applied to labelled rows. application_begin expects the data as the first operand, so the word
 * "report" is removed from a copy of the arguments. */
static temper_status plot_report(const struct arguments *arguments)
{
    struct model_application application;
    struct arguments shifted = *arguments;
    shifted.operand[0] = arguments->operand[1];
    shifted.operand_count = 1;
    temper_status status = application_begin(&application, &shifted, true);
    if (status == TEMPER_OK)
        status = report_on(&application);
    application_end(&application);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* The kinds of plots. The order is that of the bits below. */
static const struct plot_kind {
    const char *name;               /* first operand */
    bool data;                      /* whether a second operand names a data file */
    const char *format, *extension; /* of the output by default */
    temper_status (*plot)(const struct arguments *arguments);
} plot_kinds[] = {
    {"losses", false, "SVG", "svg", plot_losses},
    {"path", true, "SVG", "svg", plot_path},
    {"report", true, "HTML", "html", plot_report},
};

/* One bit for each kind: bit i stands for plot_kinds[i]. */
enum { LOSSES = 1, PATH = 2, REPORT = 4, ALL = LOSSES | PATH | REPORT };

/* Returns the set of kinds that have the option. Options that are not listed are for reading data, which path and
 * report do. */
static unsigned kinds_with(enum option_id id)
{
    switch (id) {
    case OPT_PANELS:
    case OPT_TEMPERATURES:
    case OPT_LOSSES:
    case OPT_MARGINS:
        return LOSSES;
    case OPT_PLOT_T1:
    case OPT_PLOT_T2:
        return LOSSES | PATH;
    case OPT_PATH_L2:
    case OPT_STEPS:
    case OPT_LOSS:
    case OPT_SMOOTHING:
    case OPT_TRAIN_SCALE:
    case OPT_SOLVER:
    case OPT_PRECISION:
    case OPT_NO_INTERCEPT:
    case OPT_TOL:
    case OPT_MAX_ITER:
    case OPT_SEED:
        return PATH;
    case OPT_MODEL:
        return REPORT;
    case OPT_OUTPUT:
    case OPT_QUIET:
        return ALL;
    default:
        return PATH | REPORT;
    }
}

/* Operands and options must fit the kind of plot: the option table knows the command plot only, not its kinds. */
static temper_status check_arguments(const struct arguments *arguments, size_t kind)
{
    const struct plot_kind *plot = &plot_kinds[kind];
    bool given = arguments->operand_count > 1;
    if (given && !plot->data)
        return fail(TEMPER_USAGE, "plot %s: too many arguments: %s; it takes no data", plot->name,
                    arguments->operand[1]);
    if (!given && plot->data)
        return fail(TEMPER_USAGE, "plot %s: the data is missing; give: temper plot %s DATA", plot->name, plot->name);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (was_given(arguments, (enum option_id)i) && !(kinds_with((enum option_id)i) >> kind & 1u))
            return fail(TEMPER_USAGE, "plot: --%s has no effect on 'plot %s'; drop it", option_table[i].name,
                        plot->name);
    /* Markup is useless on a terminal, unless -o - asks for it. */
    if (!was_given(arguments, OPT_OUTPUT) && output_is_terminal(text_of(arguments, OPT_OUTPUT)))
        return fail(TEMPER_USAGE, "plot %s: %s is not for a terminal; give a file, as in -o %s.%s, or use a pipe",
                    plot->name, plot->format, plot->name, plot->extension);
    return TEMPER_OK;
}

/* The loop ends because the parser has accepted only names of kinds as the first operand. */
temper_status cmd_plot(const struct arguments *arguments)
{
    size_t kind = 0;
    while (strcmp(plot_kinds[kind].name, arguments->operand[0]) != 0)
        kind++;
    TRY(check_arguments(arguments, kind));
    return plot_kinds[kind].plot(arguments);
}
