/* cmd_plot: figures of losses, of the path of a fit, and of a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "message.h"
#include "options/data_options.h"
#include "options/options.h"
#include "options/train_options.h"
#include "output_paths.h"

/* Everything that the figure borrows. */
struct plot {
    struct numbers temperatures;
    struct losses losses;
    temper_loss_figure figure;
};

/* An option that changes nothing is a misunderstanding, though a harmless one. */
static void warn_unused(const struct arguments *arguments, enum option_id id, bool used)
{
    if (was_given(arguments, id) && !used)
        warn("--%s changes nothing: every loss brings its own, or takes none; name one without, "
             "such as --losses tempered",
             option_table[id].name);
}

/* The texts have been checked one by one; only here do --losses, --t1 and --t2 meet. */
static temper_status read_curves(const struct arguments *arguments, struct plot *plot)
{
    double t1 = number_of(arguments, OPT_PLOT_T1), t2 = number_of(arguments, OPT_PLOT_T2);
    temper_status status =
        read_losses(&option_table[OPT_LOSSES], text_of(arguments, OPT_LOSSES), t1, t2, &plot->losses);
    if (status != TEMPER_OK)
        return status;
    warn_unused(arguments, OPT_PLOT_T1, plot->losses.took_t1);
    warn_unused(arguments, OPT_PLOT_T2, plot->losses.took_t2);
    return read_numbers(&option_table[OPT_TEMPERATURES], text_of(arguments, OPT_TEMPERATURES), &plot->temperatures);
}

/* What belongs to panels that are not drawn is read all the same, and ignored by the library. */
static temper_status read_figure(const struct arguments *arguments, struct plot *plot)
{
    temper_status status = read_curves(arguments, plot);
    if (status != TEMPER_OK)
        return status;
    plot->figure = (temper_loss_figure){
        .temperatures = plot->temperatures.value,
        .temperature_count = plot->temperatures.count,
        .losses = plot->losses.value,
        .loss_count = plot->losses.count,
        .panels = text_of(arguments, OPT_PANELS),
    };
    return read_span(&option_table[OPT_MARGINS], text_of(arguments, OPT_MARGINS), &plot->figure.margin_from,
                     &plot->figure.margin_to);
}

/* The figure is made in memory, then written in one go. */
static temper_status plot_losses(const struct arguments *arguments)
{
    struct plot plot;
    temper_error error;
    char *svg;
    size_t length;
    temper_status status = read_figure(arguments, &plot);
    if (status != TEMPER_OK)
        return status;
    if (temper_plot_losses(&plot.figure, &svg, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    status = output_write(text_of(arguments, OPT_OUTPUT), svg, length);
    temper_free(svg);
    return status;
}

enum { NAME_LENGTH = 160 };

struct walk {
    const struct arguments *arguments;
    temper_train_options options;
    temper_data *raw, *data; /* as read, and scaled */
    size_t steps, count;     /* penalties, and weights of a model */
    double *l2, *accuracy, *weights;
    char (*names)[NAME_LENGTH];
    const char **name_list;
};

/* ---- Before ---------------------------------------------------------------------------------- */

/* The options of training under the names that they have there. */
static temper_status read_options(struct walk *walk)
{
    struct arguments arguments = *walk->arguments;
    arguments.given[OPT_T1] = arguments.given[OPT_PLOT_T1];
    arguments.given[OPT_T2] = arguments.given[OPT_PLOT_T2];
    return training_options(&arguments, &walk->options);
}

/* Rows that have every entry are dense, and are scaled as 'temper train' would. Scaled before, not
 * in training, as the weights of a model are for rows as they are. */
static temper_status scale(struct walk *walk)
{
    temper_error error;
    bool dense = temper_data_stored_values(walk->raw) == temper_data_rows(walk->raw) * temper_data_features(walk->raw);
    const char *name = walk->options.scale ? walk->options.scale : dense ? "standard" : "none";
    if (temper_data_scale(walk->raw, name, walk->options.threads, &walk->data, &error) != TEMPER_OK)
        return complain_error(&error);
    walk->options.scale = "none";
    return TEMPER_OK;
}

static temper_status read_rows(struct walk *walk)
{
    temper_status status = read_data(walk->arguments, walk->arguments->operand[1], &walk->raw, NULL);
    if (status != TEMPER_OK)
        return status;
    print_notes(walk->arguments, walk->raw);
    if (temper_data_classes(walk->raw) < 2)
        return complain(TEMPER_BAD_DATA,
                        "plot path: the data has %s; give labelled rows of two "
                        "classes or more",
                        temper_data_classes(walk->raw) ? "one class only" : "no labels");
    return scale(walk);
}

/* Penalties at equal distances on a logarithmic axis, the strongest first. */
static temper_status lay_out(struct walk *walk)
{
    double from, to;
    size_t classes = temper_data_classes(walk->data);
    temper_status status = read_span(&option_table[OPT_PATH_L2], text_of(walk->arguments, OPT_PATH_L2), &from, &to);
    if (status != TEMPER_OK)
        return status;
    walk->steps = (size_t)number_of(walk->arguments, OPT_STEPS);
    walk->count = (size_t)temper_data_features(walk->data) * (classes > 2 ? classes : 1);
    walk->l2 = calloc(walk->steps, sizeof *walk->l2);
    walk->accuracy = calloc(walk->steps, sizeof *walk->accuracy);
    walk->weights =
        walk->count <= SIZE_MAX / walk->steps ? calloc(walk->steps * walk->count, sizeof *walk->weights) : NULL;
    if (!walk->l2 || !walk->accuracy || !walk->weights)
        return complain_no_memory();
    for (size_t i = 0; i < walk->steps; i++) {
        double share = (double)i / (double)(walk->steps - 1);
        walk->l2[i] = to * pow(from / to, share);
    }
    return TEMPER_OK;
}

/* "petal width", or "petal width -> setosa" where each class has weights of its own. */
static temper_status name_weights(struct walk *walk)
{
    size_t features = (size_t)temper_data_features(walk->data);
    walk->names = calloc(walk->count, sizeof *walk->names);
    walk->name_list = (const char **)calloc(walk->count, sizeof *walk->name_list);
    if (!walk->names || !walk->name_list)
        return complain_no_memory();
    for (size_t i = 0; i < walk->count; i++) {
        const char *name = temper_data_feature_name(walk->data, i % features);
        char number[32];
        bool many = walk->count > features;
        snprintf(number, sizeof number, "feature %zu", i % features + 1);
        snprintf(walk->names[i], NAME_LENGTH, "%.70s%s%.70s", name ? name : number, many ? " \xe2\x86\x92 " : "",
                 many ? temper_data_class_name(walk->data, i / features) : "");
        walk->name_list[i] = walk->names[i];
    }
    return TEMPER_OK;
}

/* ---- Training -------------------------------------------------------------------------------- */

static temper_status train_one(struct walk *walk, size_t step, temper_model **model)
{
    temper_error error;
    temper_train_report report;
    size_t features = (size_t)temper_data_features(walk->data);
    walk->options.l2 = walk->l2[step];
    walk->options.warm_start = *model;
    temper_model *next;
    if (temper_train(walk->data, &walk->options, &next, &report, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_model_free(*model);
    *model = next;
    walk->accuracy[step] = report.accuracy;
    double *weights = walk->weights + step * walk->count;
    for (size_t i = 0; i < temper_model_weight_vectors(next); i++)
        memcpy(weights + i * features, temper_model_weights(next, i), features * sizeof *weights);
    return TEMPER_OK;
}

static temper_status train_all(struct walk *walk)
{
    temper_model *model = NULL;
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < walk->steps; i++)
        status = train_one(walk, i, &model);
    temper_model_free(model);
    return status;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static temper_status draw(const struct walk *walk)
{
    temper_error error;
    char *svg;
    size_t length;
    const temper_path_figure figure = {
        .l2 = walk->l2,
        .steps = walk->steps,
        .weights = walk->weights,
        .names = walk->name_list,
        .count = walk->count,
        .accuracy = walk->accuracy,
    };
    if (temper_plot_path(&figure, &svg, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(text_of(walk->arguments, OPT_OUTPUT), svg, length);
    temper_free(svg);
    return status;
}

static temper_status plot_path(const struct arguments *arguments)
{
    struct walk walk = {.arguments = arguments};
    temper_status status = read_options(&walk);
    if (status == TEMPER_OK)
        status = read_rows(&walk);
    if (status == TEMPER_OK)
        status = lay_out(&walk);
    if (status == TEMPER_OK)
        status = name_weights(&walk);
    if (status == TEMPER_OK)
        status = train_all(&walk);
    if (status == TEMPER_OK)
        status = draw(&walk);
    temper_data_free(walk.data); /* first: it may borrow from the other */
    temper_data_free(walk.raw);
    free(walk.l2);
    free(walk.accuracy);
    free(walk.weights);
    free(walk.names);
    free((void *)walk.name_list);
    return status;
}

static bool ends_in_svg(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

static temper_status add_batches(temper_model_report *reporter, struct application *application)
{
    temper_error error;
    for (;;) {
        temper_data *batch;
        temper_status status = application_next(application, &batch);
        if (status != TEMPER_OK || !batch)
            return status;
        status = temper_model_report_add(reporter, batch, threads_of(application->arguments), &error);
        temper_data_free(batch);
        if (status != TEMPER_OK)
            return complain_error(&error);
    }
}

static temper_status save(const struct application *application, temper_model_report *reporter)
{
    const struct arguments *arguments = application->arguments;
    const char *path = text_of(arguments, OPT_OUTPUT);
    temper_error error;
    char *text;
    size_t length;
    temper_model_report_set_source(reporter, text_of(arguments, OPT_MODEL), arguments->operand[0],
                                   temper_batch_reader_dropped_rows(application->stream));
    if (temper_model_report_finish(reporter, ends_in_svg(path), &text, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(path, text, length);
    temper_free(text);
    return status;
}

static temper_status report_on(struct application *application)
{
    temper_error error;
    temper_model_report *reporter;
    if (temper_model_report_new(application->model, &reporter, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = add_batches(reporter, application);
    if (status == TEMPER_OK)
        return save(application, reporter);
    temper_model_report_finish(reporter, 0, NULL, NULL, NULL);
    return status;
}

/* The word "report" is not for who applies models to data, which is what stands behind it. */
static temper_status plot_report(const struct arguments *arguments)
{
    struct application application;
    struct arguments shifted = *arguments;
    shifted.operand[0] = arguments->operand[1];
    shifted.operand_count = 1;
    temper_status status = application_begin(&application, &shifted);
    if (status == TEMPER_OK)
        status = report_on(&application);
    application_end(&application);
    return status;
}

/* The word on the command line, and what it needs. */
static const struct picture {
    const char *name;
    bool data;
    const char *kind, *extension; /* what is written by default */
    temper_status (*plot)(const struct arguments *arguments);
} pictures[] = {
    {"losses", false, "SVG", "svg", plot_losses},
    {"path", true, "SVG", "svg", plot_path},
    {"report", true, "HTML", "html", plot_report},
};

enum { LOSSES = 1, PATH = 2, REPORT = 4, ALL = LOSSES | PATH | REPORT };

/* Those that are not listed are for reading data. */
static unsigned pictures_with(enum option_id id)
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

/* An option that this picture has no use for is a misunderstanding that would go unseen. */
static temper_status check_options(const struct arguments *arguments, size_t picture)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (was_given(arguments, (enum option_id)i) && !(pictures_with((enum option_id)i) >> picture & 1u))
            return complain(TEMPER_USAGE, "plot: --%s means nothing to 'plot %s'; drop it", option_table[i].name,
                            pictures[picture].name);
    return TEMPER_OK;
}

static temper_status check_operands(const struct arguments *arguments, const struct picture *picture)
{
    bool given = arguments->operand_count > 1;
    if (given && !picture->data)
        return complain(TEMPER_USAGE, "plot %s: one argument too many: %s; it takes no data", picture->name,
                        arguments->operand[1]);
    if (!given && picture->data)
        return complain(TEMPER_USAGE, "plot %s: the data is missing; give: temper plot %s DATA", picture->name,
                        picture->name);
    return TEMPER_OK;
}

/* Pages of angle brackets tell nobody anything; who says -o - wants them all the same. */
static temper_status check_output(const struct arguments *arguments, const struct picture *picture)
{
    if (was_given(arguments, OPT_OUTPUT) || !output_is_terminal(text_of(arguments, OPT_OUTPUT)))
        return TEMPER_OK;
    return complain(TEMPER_USAGE,
                    "plot %s: %s is not for a terminal; give it a file, as in -o %s.%s, or pipe it "
                    "on",
                    picture->name, picture->kind, picture->name, picture->extension);
}

/* The parser knows no other words. */
temper_status cmd_plot(const struct arguments *arguments)
{
    size_t picture = 0;
    while (strcmp(pictures[picture].name, arguments->operand[0]) != 0)
        picture++;
    temper_status status = check_operands(arguments, &pictures[picture]);
    if (status == TEMPER_OK)
        status = check_options(arguments, picture);
    if (status == TEMPER_OK)
        status = check_output(arguments, &pictures[picture]);
    return status == TEMPER_OK ? pictures[picture].plot(arguments) : status;
}
