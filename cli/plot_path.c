/* plot_path: temper plot path. Trains along a grid of penalties and draws the weights. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "plot.h"
#include "reading.h"
#include "training.h"
#include "value.h"

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
    bool dense = temper_data_nonzeros(walk->raw) == temper_data_rows(walk->raw) * temper_data_features(walk->raw);
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
    walk->options.warm = *model;
    temper_model *next;
    if (temper_train(walk->data, &walk->options, &next, &report, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_model_free(*model);
    *model = next;
    walk->accuracy[step] = report.accuracy;
    double *weights = walk->weights + step * walk->count;
    for (size_t i = 0; i < temper_model_vectors(next); i++)
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

temper_status plot_path(const struct arguments *arguments)
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
