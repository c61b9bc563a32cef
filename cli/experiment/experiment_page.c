/* experiment_page: the results as a page of HTML, next to what the paper reports: opening, claims, a section with table
 * and picture for each data set, the losses, and histograms of margins. Everything but the margins, which need two
 * models, is made from results alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "html_draft.h"
#include "message.h"
#include "temper_extra.h"

/* ---- Margins --------------------------------------------------------------------------------- */

/* The line whose margins are most instructive: the first one with large-margin noise, else the first with any label
 * noise. Instance noise changes features, so no label of it could be marked as flipped. */
static bool instructive_line(const struct experiment_plan *plan, struct experiment_cell *line)
{
    struct experiment_cell each;
    bool found = false;
    for (size_t i = 0; plan_line(plan, i, &each); i++) {
        bool large = strcmp(each.noise, "large-margin") == 0;
        if (each.rate > 0 && strcmp(each.noise, "instance") != 0 && (!found || large)) {
            *line = each;
            found = true;
        }
        if (found && large)
            break;
    }
    return found;
}

/* Predicts the decision values of the training rows and draws the histogram of their margins. margins[rows] is a work
 * array; flipped[rows] marks the rows whose label the noise has changed. */
static temper_status draw(struct html_draft *draft, const temper_model *model, const struct split_rows *rows,
                          const unsigned char *flipped, double *margins, const char *title)
{
    const uint32_t *given = temper_data_labels(rows->noisy);
    size_t count = (size_t)temper_data_rows(rows->noisy);
    temper_error error;
    temper_text svg = {0};
    if (temper_predict(model, rows->noisy, TEMPER_PREDICT_DECISIONS, 0, margins, &error) != TEMPER_OK)
        return fail_with(&error);
    for (size_t i = 0; i < count; i++)
        /* The decision value is for class 1; the margin is that of the given label. */
        margins[i] = given[i] ? margins[i] : -margins[i];
    const temper_margin_figure figure = {
        .title = title,
        .margins = margins,
        .marked = flipped,
        .count = count,
        .names = {"right label", "flipped label"},
        .loss = temper_model_loss(model),
    };
    temper_status status = temper_plot_margins(&figure, &svg, &error);
    return draft_picture(draft, status, &svg, &error);
}

/* Trains again with the parameters that the tuning of the first split has chosen (models are not kept in the file of
 * results), and draws. Without a result there is nothing to draw, which is no failure. */
static temper_status draw_method(struct html_draft *draft, const struct experiment_plan *plan,
                                 const struct result_file *results, const struct experiment_cell *cell,
                                 const struct split_rows *rows, const unsigned char *flipped)
{
    const struct cell_result *result = result_of(plan, results, cell);
    /* The same seed and scaling as in the measurement, so the model is the same. */
    temper_train_options options = cell_train_options(plan, cell);
    temper_train_report report;
    temper_model *model;
    temper_error error;
    double *margins = calloc((size_t)temper_data_rows(rows->noisy), sizeof *margins);
    if (!margins)
        return fail_no_memory();
    /* No result, or a failed fit. */
    if (!result || isnan(result->t1)) {
        free(margins);
        return TEMPER_OK;
    }
    options.loss = cell->method->loss;
    options.loss.t1 = result->t1;
    options.loss.t2 = result->t2;
    options.l2 = result->l2;
    options.calibrate = "none"; /* only scores are used */
    temper_status status = temper_train(rows->noisy, &options, &model, &report, &error);
    if (status == TEMPER_OK) {
        status = draw(draft, model, rows, flipped, margins, cell->method->label);
        temper_model_free(model);
    } else {
        status = fail_with(&error);
    }
    free(margins);
    return status;
}

/* The histograms of logistic and tempered next to each other, for those of them that the plan has. */
static temper_status draw_both(struct html_draft *draft, const struct experiment_plan *plan,
                               const struct result_file *results, struct experiment_cell line,
                               const struct split_rows *rows, const temper_noise_change *changes)
{
    static const char *const names[] = {"logistic", "tempered"};
    temper_status status = TEMPER_OK;
    unsigned char *flipped = calloc((size_t)temper_data_rows(rows->noisy), 1);
    if (!flipped)
        return fail_no_memory();
    for (size_t i = 0; i < rows->changed; i++)
        flipped[changes[i].row - 1] = 1; /* the public row numbers count from 1 */
    for (size_t i = 0; status == TEMPER_OK && i < 2; i++) {
        size_t method = find_method(plan, names[i]);
        if (method == METHODS_MOST)
            continue;
        line.method = &plan->methods[method];
        status = draw_method(draft, plan, results, &line, rows, flipped);
    }
    free(flipped);
    return status;
}

/* Rebuilds the data, split and noise of the first split, which the seeds make identical to those of the measurement,
 * and draws the margins. Only for two classes, since a margin against the given class is then one decision value.
 * Models are fitted again with the parameters that the measurement has chosen; the histograms show where flipped labels
 * are, which a model that fits them moves to positive margins. */
static temper_status add_margins(struct html_draft *draft, const struct experiment_plan *plan,
                                 const struct result_file *results)
{
    struct experiment_cell line;
    struct loaded_data loaded = {NULL, NULL};
    struct split_rows rows = {NULL, NULL, NULL, 0};
    temper_noise_change *changes = NULL;
    char name[LINE_TEXT], title[TITLE_TEXT];
    if (!instructive_line(plan, &line))
        return TEMPER_OK;
    temper_status status = plan_load(plan, line.set, &loaded);
    if (status == TEMPER_OK && temper_data_classes(loaded.data) == 2) {
        status = split_make(plan, &loaded, line.split, &rows);
        if (status == TEMPER_OK)
            status = split_add_noise(plan, &line, &loaded, &rows, &changes);
        if (status == TEMPER_OK) {
            draft_paragraph(draft,
                            "Training rows of %s (%s) by the margin of their given label, in the "
                            "first split, for models with the parameters chosen there.",
                            plan_title(plan, line.set, title), plan_line_text(plan, &line, name));
            status = draw_both(draft, plan, results, line, &rows, changes);
        }
    }
    temper_free(changes);
    split_rows_free(&rows);
    loaded_free(&loaded);
    return status;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* What each part of the page is made from. */
struct page_context {
    const struct experiment_plan *plan;
    const struct result_file *results;
    struct html_draft *draft;
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* One row of the table: mean and deviation of each method. The best mean is bold; times, which vary too much, have no
 * bold mean. */
static void add_line(const struct page_context *context, const struct experiment_cell *line)
{
    const struct experiment_plan *plan = context->plan;
    char text[VALUES_TEXT], name[LINE_TEXT];
    /* METHODS_MOST means that no cell is bold: NAN compares as different. */
    size_t best = plan->experiment->measure == MEASURE_ACCURACY
                      ? best_method(plan, context->results, *line, METHODS_MOST)
                      : METHODS_MOST;
    double highest = best < METHODS_MOST ? plan_values(plan, context->results, *line, best).mean : NAN;
    draft_cell(context->draft, "%s", plan_line_text(plan, line, name));
    for (size_t m = 0; m < plan->method_count; m++) {
        struct split_values values = plan_values(plan, context->results, *line, m);
        bool strong = fabs(values.mean - highest) < 5e-5; /* equal to two decimals */
        draft_cell(context->draft, "%s%s", strong ? TEMPER_PAGE_BOLD : "", plan_values_text(plan, &values, text));
    }
}

/* The numbers of the paper below ours; the em space indents its label, a dash stands for an absent number. */
static void add_paper_line(const struct page_context *context, const struct experiment_cell *line)
{
    const struct experiment_plan *plan = context->plan;
    draft_cell(context->draft, "\xe2\x80\x83the paper");
    for (size_t m = 0; m < plan->method_count; m++) {
        struct paper_value paper = reported_value(plan, line, m);
        if (isnan(paper.mean))
            draft_cell(context->draft, "\xe2\x80\x93");
        else
            draft_cell(context->draft, "%.2f \xc2\xb1 %.2f", paper.mean, paper.deviation);
    }
}

/* With the unit of the table; one split has no deviation. */
static const char *caption_of(const struct experiment_plan *plan)
{
    if (plan->experiment->measure == MEASURE_TIME)
        return "Seconds of one training, mean \xc2\xb1 deviation over splits";
    return plan->splits > 1 ? "Accuracy on clean test rows in %, mean \xc2\xb1 deviation over splits"
                            : "Accuracy on clean test rows in %";
}

/* The table of a data set: lines are kinds and rates of noise (or starts), columns are methods. */
static void add_table(const struct page_context *context, const struct paper_data *set)
{
    const struct experiment_plan *plan = context->plan;
    struct experiment_cell line;
    draft_table(context->draft, 1 + plan->method_count, caption_of(plan));
    draft_cell(context->draft, plan->experiment->measure == MEASURE_STARTS ? "start" : "noise");
    for (size_t m = 0; m < plan->method_count; m++)
        draft_cell(context->draft, "%s", plan->methods[m].label);
    for (size_t i = 0; plan_line(plan, i, &line); i++) {
        if (line.set != set)
            continue;
        add_line(context, &line);
        if (paper_has_line(plan, &line))
            add_paper_line(context, &line);
    }
    draft_table_end(context->draft);
}

/* One row of the table of regrets; `line` NULL: over all lines of all sets. */
static void add_regrets(const struct page_context *context, const struct experiment_cell *line, const char *name)
{
    draft_cell(context->draft, "%s", name);
    for (enum selection_rule rule = 0; rule < RULES; rule++) {
        struct rule_regret regret = regret_of(context->plan, context->results, line, rule);
        if (regret.count == 0)
            draft_cell(context->draft, "\xe2\x80\x93");
        else
            draft_cell(context->draft, "%.2f / %.2f", regret.mean, regret.worst);
    }
}

/* Regrets of the selection rules on one data set, a row for each noise; `set` NULL: one row for everything. */
static void add_regret_table(const struct page_context *context, const struct paper_data *set)
{
    struct experiment_cell line;
    char name[LINE_TEXT];
    draft_table(context->draft, 1 + RULES, "Regret in points, mean / worst over splits");
    draft_cell(context->draft, "noise");
    for (enum selection_rule rule = 0; rule < RULES; rule++)
        draft_cell(context->draft, "%s", rule_names[rule]);
    for (size_t i = 0; set && plan_line(context->plan, i, &line); i++)
        if (line.set == set)
            add_regrets(context, &line, plan_line_text(context->plan, &line, name));
    if (!set)
        add_regrets(context, NULL, "all");
    draft_table_end(context->draft);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The curves of one picture in the layout of temper_line_figure. */
struct accuracy_curves {
    const char *series[METHODS_MOST]; /* labels of the methods */
    double x[LIST_LIMIT], value[METHODS_MOST * LIST_LIMIT],
        error[METHODS_MOST * LIST_LIMIT]; /* percent; log10 of the deviation for starts */
    size_t points;
};

/* Whether a line is a point of the curves for this noise. The clean line belongs to all kinds of noise as rate 0; the
 * start from zero has no place on a logarithmic axis. */
static bool is_point(const struct experiment_plan *plan, const struct experiment_cell *line,
                     const struct paper_data *set, const char *noise)
{
    if (line->set != set)
        return false;
    if (plan->experiment->measure == MEASURE_STARTS)
        return line->deviation > 0;
    return line->rate == 0 || strcmp(line->noise, noise) == 0;
}

/* Gathers the points first, then the values of each method at all of them: value[method][point]. */
static void collect(const struct page_context *context, const struct paper_data *set, const char *noise,
                    struct accuracy_curves *curves)
{
    const struct experiment_plan *plan = context->plan;
    struct experiment_cell line, points[LIST_LIMIT];
    curves->points = 0;
    for (size_t i = 0; plan_line(plan, i, &line) && curves->points < LIST_LIMIT; i++)
        if (is_point(plan, &line, set, noise))
            points[curves->points++] = line;
    for (size_t m = 0; m < plan->method_count; m++) {
        curves->series[m] = plan->methods[m].label;
        for (size_t i = 0; i < curves->points; i++) {
            struct split_values values = plan_values(plan, context->results, points[i], m);
            /* Series by series, as the figure expects. */
            size_t at = m * curves->points + i;
            /* Starts are on a logarithmic axis, rates in percent. */
            curves->x[i] = points[i].deviation > 0 ? log10(points[i].deviation) : 100 * points[i].rate;
            curves->value[at] = 100 * values.mean;
            /* One split has no deviation: no error bar. */
            curves->error[at] = values.count > 1 ? 100 * values.deviation : 0;
        }
    }
}

/* A picture without any value would be refused by temper_plot_lines. */
static bool any_known(const struct accuracy_curves *curves, size_t series)
{
    for (size_t i = 0; i < series * curves->points; i++)
        if (!isnan(curves->value[i]))
            return true;
    return false;
}

/* Accuracy against noise rate or deviation, a curve for each method. */
static temper_status add_curves(const struct page_context *context, const struct paper_data *set, const char *noise)
{
    struct accuracy_curves curves;
    bool starts = context->plan->experiment->measure == MEASURE_STARTS;
    char title[TITLE_TEXT + 64], name[TITLE_TEXT];
    temper_text svg = {0};
    temper_error error;
    collect(context, set, noise, &curves);
    /* One point is no curve: the table above has it. */
    if (curves.points < 2 || !any_known(&curves, context->plan->method_count))
        return TEMPER_OK;
    snprintf(title, sizeof title, "%s%s%s", plan_title(context->plan, set, name), starts ? "" : ": ",
             starts ? "" : noise);
    const temper_line_figure figure = {
        .title = title,
        .x_title = starts ? "log\xe2\x82\x81\xe2\x82\x80 of the deviation of the start" : "rows with noise, %",
        .y_title = "accuracy, %",
        .x = curves.x,
        .points = curves.points,
        .series = curves.series,
        .series_count = context->plan->method_count,
        .values = curves.value,
        .errors = curves.error,
    };
    temper_status status = temper_plot_lines(&figure, &svg, &error);
    return draft_picture(context->draft, status, &svg, &error);
}

/* Bars of the gain over logistic regression in points: as bars from 0, accuracies near 100 % would all look the same.
 * Skipped without logistic regression, or with more methods than the colours can distinguish. */
static temper_status add_gains(const struct page_context *context, const struct paper_data *set)
{
    const struct experiment_plan *plan = context->plan;
    size_t logistic = find_method(plan, "logistic"), groups = 0, series = 0;
    char names[LIST_LIMIT][LINE_TEXT];
    temper_text svg = {0};
    const char *group_names[LIST_LIMIT], *series_names[METHODS_MOST];
    double values[LIST_LIMIT * METHODS_MOST];
    struct experiment_cell line;
    temper_error error;
    if (logistic == METHODS_MOST || plan->method_count < 2 || plan->method_count > 6)
        return TEMPER_OK;
    for (size_t m = 0; m < plan->method_count; m++)
        if (m != logistic)
            series_names[series++] = plan->methods[m].label;
    for (size_t i = 0; plan_line(plan, i, &line) && groups < LIST_LIMIT; i++) {
        double base = plan_values(plan, context->results, line, logistic).mean;
        if (line.set != set || isnan(base))
            continue;
        for (size_t m = 0, s = 0; m < plan->method_count; m++) {
            /* A method without results gets a bar of length 0, since bars cannot be absent. */
            double gain = 100 * (plan_values(plan, context->results, line, m).mean - base);
            if (m != logistic)
                values[groups * series + s++] = isnan(gain) ? 0 : gain;
        }
        group_names[groups] = plan_line_text(plan, &line, names[groups]);
        groups++;
    }
    const temper_bar_figure figure = {.title = "Points above logistic regression",
                                      .groups = group_names,
                                      .group_count = groups,
                                      .series = series_names,
                                      .series_count = series,
                                      .values = values};
    if (groups == 0)
        return TEMPER_OK;
    temper_status status = temper_plot_bars(&figure, &svg, &error);
    return draft_picture(context->draft, status, &svg, &error);
}

/* A figure of losses; `as_printed`: at the temperatures of the paper's Figure 1. */
static temper_status add_losses(struct html_draft *draft, const char *panels, bool as_printed)
{
    /* Those of the panels log_t and exp_t in Figure 1. */
    static const double temperatures[] = {0, 0.5, 1, 1.5, 2};
    /* The temperatures of Figure 1, or those of the paper's experiments with images. */
    double t1 = as_printed ? 0.6 : 0.1, t2 = as_printed ? 1.6 : 1.12;
    const temper_loss_spec losses[] = {{.method = TEMPER_HINGE},
                                       {.method = TEMPER_LOGISTIC},
                                       {.method = TEMPER_T_LOGISTIC, .t2 = t2},
                                       {.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2}};
    const temper_loss_figure figure = {.temperatures = temperatures,
                                       .temperature_count = 5,
                                       .losses = losses,
                                       .loss_count = 4,
                                       .margin_from = -6,
                                       .margin_to = 4,
                                       .panels = panels};
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_losses(&figure, &svg, &error);
    return draft_picture(draft, status, &svg, &error);
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* Several rates are drawn as curves, one rate as bars. */
static bool rates_differ(const struct experiment_plan *plan)
{
    return plan->rates.count > 1;
}

/* The section of a data set: heading, table and, where the experiment has one, a picture. */
static temper_status add_set(const struct page_context *context, const struct paper_data *set)
{
    const struct experiment_plan *plan = context->plan;
    temper_status status = TEMPER_OK;
    char title[TITLE_TEXT];
    draft_heading(context->draft, "%s", plan_title(plan, set, title));
    if (plan->experiment->measure == MEASURE_SELECTION) {
        add_regret_table(context, set);
        return TEMPER_OK;
    }
    add_table(context, set);
    if (plan->experiment->measure == MEASURE_STARTS)
        return add_curves(context, set, "");
    if (plan->experiment->measure != MEASURE_ACCURACY)
        return TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && rates_differ(plan) && i < plan->noise_count; i++)
        status = add_curves(context, set, plan->noises[i]);
    return status == TEMPER_OK && !rates_differ(plan) ? add_gains(context, set) : status;
}

/* "2 splits, 3 folds, at most 4,000 rows of each set": the size of the experiment. */
static void add_opening(const struct page_context *context)
{
    const struct experiment_plan *plan = context->plan;
    /* Times and starts have no grid. */
    bool tunes = plan->grid != NULL;
    char folds[64] = "", rows[64] = "";
    draft_paragraph(context->draft, "%s", plan->experiment->about);
    if (plan->experiment->measure == MEASURE_NOTHING)
        return;
    if (tunes)
        snprintf(folds, sizeof folds, ", %zu folds", plan->folds);
    if (plan->rows > 0)
        snprintf(rows, sizeof rows, ", at most %zu rows of each set", plan->rows);
    draft_paragraph(context->draft, "Here: %zu random split%s%s%s%s. Seed %llu; temper %s.%s", plan->splits,
                    plan->splits > 1 ? "s" : "", folds, rows,
                    plan->paper_temperatures ? ", the paper's temperatures, penalties tuned" : "", plan->seed,
                    temper_version(),
                    plan->quick ? " This is a quick run: fewer splits, folds, candidates and rows "
                                  "than in the paper."
                                : "");
    const char *penalties =
        tunes ? strstr(plan->grid, "l2=") : NULL; /* with fixed temperatures only penalties are tuned */
    if (tunes)
        draft_command(context->draft, "%s", plan->paper_temperatures && penalties ? penalties : plan->grid);
}

/* The command and the file of results, from which a reader can repeat the page. */
static void add_closing(const struct page_context *context, const char *command)
{
    draft_heading(context->draft, "How to repeat this");
    draft_paragraph(context->draft, "Every figure above is computed from results in a file, one for each split, "
                                    "noise and method, with seeds, options and choices. The same "
                                    "command gives the same results for any number of threads, "
                                    "except for times; after an interruption it continues from "
                                    "those in the file.");
    draft_command(context->draft, "%s", command);
    if (context->results->path)
        draft_command(context->draft, "%s", context->results->path);
}

/* All sections in order: summary first, so that a reader may stop after the claims. */
static temper_status add_parts(const struct page_context *context, const char *command)
{
    const struct experiment_plan *plan = context->plan;
    temper_status status = TEMPER_OK;
    add_opening(context);
    if (plan->experiment->measure == MEASURE_NOTHING)
        status = add_losses(context->draft, "abc", true);
    else if (plan->experiment->measure == MEASURE_SELECTION)
        add_regret_table(context, NULL);
    if (status == TEMPER_OK)
        results_claims(context->draft, plan, context->results);
    for (size_t i = 0; status == TEMPER_OK && i < plan->set_count; i++)
        status = add_set(context, plan->sets[i]);
    if (status == TEMPER_OK && plan->experiment->measure == MEASURE_ACCURACY) {
        /* A reminder of the losses that the experiment compares. */
        draft_heading(context->draft, "The losses");
        draft_paragraph(context->draft, "At the paper's temperatures for images: only the last "
                                        "one is bounded.");
        status = add_losses(context->draft, "c", false);
    }
    if (status == TEMPER_OK && plan->experiment->measure == MEASURE_ACCURACY)
        status = add_margins(context->draft, plan, context->results);
    add_closing(context, command);
    return status;
}

/* Writes the page to `path`, completely or not at all. */
temper_status results_page(const struct experiment_plan *plan, const struct result_file *results, const char *command,
                           const char *path)
{
    struct html_draft draft;
    const struct page_context context = {plan, results, &draft};
    draft_begin(&draft, plan->experiment->title);
    temper_status status = add_parts(&context, command);
    if (status == TEMPER_OK)
        status = draft_save(&draft, path);
    draft_free(&draft);
    return status;
}
