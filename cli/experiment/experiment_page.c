/* experiment_page: the results as a page of HTML, beside what the paper reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "html_draft.h"
#include "message.h"

/* All that a part of the page is made from. */
struct results {
    const struct plan *plan;
    const struct records *records;
    struct draft *draft;
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The best mean is bold; of times none is, as less is better there and noise is everything. */
static void add_line(const struct results *results, const struct cell *line)
{
    const struct plan *plan = results->plan;
    char text[GROUP_TEXT], name[LINE_TEXT];
    size_t best = plan->experiment->measure == MEASURE_ACCURACY
                      ? best_method(plan, results->records, *line, METHODS_MOST)
                      : METHODS_MOST;
    double highest = best < METHODS_MOST ? plan_group(plan, results->records, *line, best).mean : NAN;
    draft_cell(results->draft, "%s", plan_line_text(plan, line, name));
    for (size_t m = 0; m < plan->method_count; m++) {
        struct group group = plan_group(plan, results->records, *line, m);
        bool strong = fabs(group.mean - highest) < 5e-5; /* as far as two decimals tell */
        draft_cell(results->draft, "%s%s", strong ? TEMPER_PAGE_BOLD : "", plan_group_text(plan, &group, text));
    }
}

static void add_paper_line(const struct results *results, const struct cell *line)
{
    const struct plan *plan = results->plan;
    draft_cell(results->draft, "\xe2\x80\x83the paper");
    for (size_t m = 0; m < plan->method_count; m++) {
        struct reported paper = paper_value(plan, line, m);
        if (isnan(paper.mean))
            draft_cell(results->draft, "\xe2\x80\x93");
        else
            draft_cell(results->draft, "%.2f \xc2\xb1 %.2f", paper.mean, paper.deviation);
    }
}

static const char *caption_of(const struct plan *plan)
{
    if (plan->experiment->measure == MEASURE_TIME)
        return "Seconds of one training, mean \xc2\xb1 deviation over splits";
    return plan->splits > 1 ? "Accuracy on clean test rows in %, mean \xc2\xb1 deviation over splits"
                            : "Accuracy on clean test rows in %";
}

static void add_table(const struct results *results, const struct source *set)
{
    const struct plan *plan = results->plan;
    struct cell line;
    draft_table(results->draft, 1 + plan->method_count, caption_of(plan));
    draft_cell(results->draft, plan->experiment->measure == MEASURE_STARTS ? "start" : "noise");
    for (size_t m = 0; m < plan->method_count; m++)
        draft_cell(results->draft, "%s", plan->methods[m].label);
    for (size_t i = 0; plan_line(plan, i, &line); i++) {
        if (line.set != set)
            continue;
        add_line(results, &line);
        if (paper_has_line(plan, &line))
            add_paper_line(results, &line);
    }
    draft_table_end(results->draft);
}

static void add_regrets(const struct results *results, const struct cell *line, const char *name)
{
    draft_cell(results->draft, "%s", name);
    for (enum rule rule = 0; rule < RULES; rule++) {
        struct regret regret = regret_of(results->plan, results->records, line, rule);
        if (regret.count == 0)
            draft_cell(results->draft, "\xe2\x80\x93");
        else
            draft_cell(results->draft, "%.2f / %.2f", regret.mean, regret.worst);
    }
}

static void add_regret_table(const struct results *results, const struct source *set)
{
    struct cell line;
    char name[LINE_TEXT];
    draft_table(results->draft, 1 + RULES, "Regret in points, mean / worst over splits");
    draft_cell(results->draft, "noise");
    for (enum rule rule = 0; rule < RULES; rule++)
        draft_cell(results->draft, "%s", rule_names[rule]);
    for (size_t i = 0; set && plan_line(results->plan, i, &line); i++)
        if (line.set == set)
            add_regrets(results, &line, plan_line_text(results->plan, &line, name));
    if (!set)
        add_regrets(results, NULL, "all");
    draft_table_end(results->draft);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Room for the values of a set: series by points. */
struct curves {
    const char *series[METHODS_MOST];
    double x[LIST_LIMIT], value[METHODS_MOST * LIST_LIMIT], error[METHODS_MOST * LIST_LIMIT];
    size_t points;
};

/* The lines of a set that belong to one kind of noise, or to starts that are not from zero. */
static bool is_point(const struct plan *plan, const struct cell *line, const struct source *set, const char *noise)
{
    if (line->set != set)
        return false;
    if (plan->experiment->measure == MEASURE_STARTS)
        return line->deviation > 0;
    return line->rate == 0 || strcmp(line->noise, noise) == 0;
}

static void collect(const struct results *results, const struct source *set, const char *noise, struct curves *curves)
{
    const struct plan *plan = results->plan;
    struct cell line, points[LIST_LIMIT];
    curves->points = 0;
    for (size_t i = 0; plan_line(plan, i, &line) && curves->points < LIST_LIMIT; i++)
        if (is_point(plan, &line, set, noise))
            points[curves->points++] = line;
    for (size_t m = 0; m < plan->method_count; m++) {
        curves->series[m] = plan->methods[m].label;
        for (size_t i = 0; i < curves->points; i++) {
            struct group group = plan_group(plan, results->records, points[i], m);
            size_t at = m * curves->points + i;
            curves->x[i] = points[i].deviation > 0 ? log10(points[i].deviation) : 100 * points[i].rate;
            curves->value[at] = 100 * group.mean;
            curves->error[at] = group.count > 1 ? 100 * group.deviation : 0;
        }
    }
}

static bool any_known(const struct curves *curves, size_t series)
{
    for (size_t i = 0; i < series * curves->points; i++)
        if (!isnan(curves->value[i]))
            return true;
    return false;
}

static temper_status add_curves(const struct results *results, const struct source *set, const char *noise)
{
    struct curves curves;
    bool starts = results->plan->experiment->measure == MEASURE_STARTS;
    char title[TITLE_TEXT + 64], name[TITLE_TEXT], *svg = NULL;
    temper_error error;
    collect(results, set, noise, &curves);
    if (curves.points < 2 || !any_known(&curves, results->plan->method_count))
        return TEMPER_OK;
    snprintf(title, sizeof title, "%s%s%s", plan_title(results->plan, set, name), starts ? "" : ": ",
             starts ? "" : noise);
    const temper_line_figure figure = {
        .title = title,
        .x_title = starts ? "log\xe2\x82\x81\xe2\x82\x80 of the deviation of the start" : "rows with noise, %",
        .y_title = "accuracy, %",
        .x = curves.x,
        .points = curves.points,
        .series = curves.series,
        .series_count = results->plan->method_count,
        .values = curves.value,
        .errors = curves.error,
    };
    temper_status status = temper_plot_lines(&figure, &svg, NULL, &error);
    return draft_picture(results->draft, status, svg, &error);
}

/* Points above logistic regression: accuracies near 100 % would all look the same as bars. */
static temper_status add_gains(const struct results *results, const struct source *set)
{
    const struct plan *plan = results->plan;
    size_t logistic = find_method(plan, "logistic"), groups = 0, series = 0;
    char names[LIST_LIMIT][LINE_TEXT], *svg = NULL;
    const char *group_names[LIST_LIMIT], *series_names[METHODS_MOST];
    double values[LIST_LIMIT * METHODS_MOST];
    struct cell line;
    temper_error error;
    if (logistic == METHODS_MOST || plan->method_count < 2 || plan->method_count > 6)
        return TEMPER_OK;
    for (size_t m = 0; m < plan->method_count; m++)
        if (m != logistic)
            series_names[series++] = plan->methods[m].label;
    for (size_t i = 0; plan_line(plan, i, &line) && groups < LIST_LIMIT; i++) {
        double base = plan_group(plan, results->records, line, logistic).mean;
        if (line.set != set || isnan(base))
            continue;
        for (size_t m = 0, s = 0; m < plan->method_count; m++) {
            double gain = 100 * (plan_group(plan, results->records, line, m).mean - base);
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
    temper_status status = temper_plot_bars(&figure, &svg, NULL, &error);
    return draft_picture(results->draft, status, svg, &error);
}

static temper_status add_losses(struct draft *draft, const char *panels, bool as_printed)
{
    static const double temperatures[] = {0, 0.5, 1, 1.5, 2};
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
    char *svg = NULL;
    temper_error error;
    temper_status status = temper_plot_losses(&figure, &svg, NULL, &error);
    return draft_picture(draft, status, svg, &error);
}

/* ---- Sections -------------------------------------------------------------------------------- */

static bool rates_differ(const struct plan *plan)
{
    return plan->rates.count > 1;
}

static temper_status add_set(const struct results *results, const struct source *set)
{
    const struct plan *plan = results->plan;
    temper_status status = TEMPER_OK;
    char title[TITLE_TEXT];
    draft_heading(results->draft, "%s", plan_title(plan, set, title));
    if (plan->experiment->measure == MEASURE_SELECTION) {
        add_regret_table(results, set);
        return TEMPER_OK;
    }
    add_table(results, set);
    if (plan->experiment->measure == MEASURE_STARTS)
        return add_curves(results, set, "");
    if (plan->experiment->measure != MEASURE_ACCURACY)
        return TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && rates_differ(plan) && i < plan->noise_count; i++)
        status = add_curves(results, set, plan->noises[i]);
    return status == TEMPER_OK && !rates_differ(plan) ? add_gains(results, set) : status;
}

/* "2 splits, 3 folds, at most 4,000 rows of each set": what the figures rest on. */
static void add_opening(const struct results *results)
{
    const struct plan *plan = results->plan;
    bool tunes = plan->grid != NULL;
    char folds[64] = "", rows[64] = "";
    draft_paragraph(results->draft, "%s", plan->experiment->about);
    if (plan->experiment->measure == MEASURE_NOTHING)
        return;
    if (tunes)
        snprintf(folds, sizeof folds, ", %zu folds", plan->folds);
    if (plan->rows > 0)
        snprintf(rows, sizeof rows, ", at most %zu rows of each set", plan->rows);
    draft_paragraph(results->draft, "Here: %zu random split%s%s%s%s. Seed %llu; temper %s.%s", plan->splits,
                    plan->splits > 1 ? "s" : "", folds, rows,
                    plan->paper_temperatures ? ", the paper's temperatures, penalties tuned" : "", plan->seed,
                    temper_version(),
                    plan->quick ? " This is a quick run: fewer splits, folds, candidates and rows "
                                  "than in the paper."
                                : "");
    const char *penalties = tunes ? strstr(plan->grid, "l2=") : NULL; /* all that is left to tune */
    if (tunes)
        draft_command(results->draft, "%s", plan->paper_temperatures && penalties ? penalties : plan->grid);
}

static void add_closing(const struct results *results, const char *command)
{
    draft_heading(results->draft, "The same again");
    draft_paragraph(results->draft, "Every figure above is made from records, one for each split, "
                                    "noise and method, with seeds, options and choices. The same "
                                    "command gives the same records, whatever the number of "
                                    "threads, but for times; interrupted, it goes on from those "
                                    "that are there.");
    draft_command(results->draft, "%s", command);
    if (results->records->path)
        draft_command(results->draft, "%s", results->records->path);
}

static temper_status add_parts(const struct results *results, const char *command)
{
    const struct plan *plan = results->plan;
    temper_status status = TEMPER_OK;
    add_opening(results);
    if (plan->experiment->measure == MEASURE_NOTHING)
        status = add_losses(results->draft, "abc", true);
    else if (plan->experiment->measure == MEASURE_SELECTION)
        add_regret_table(results, NULL);
    if (status == TEMPER_OK)
        results_claims(results->draft, plan, results->records);
    for (size_t i = 0; status == TEMPER_OK && i < plan->set_count; i++)
        status = add_set(results, plan->sets[i]);
    if (status == TEMPER_OK && plan->experiment->measure == MEASURE_ACCURACY) {
        draft_heading(results->draft, "The losses");
        draft_paragraph(results->draft, "At the paper's temperatures for images: the last one is "
                                        "the only one with a cap.");
        status = add_losses(results->draft, "c", false);
    }
    if (status == TEMPER_OK && plan->experiment->measure == MEASURE_ACCURACY)
        status = results_margins(results->draft, plan, results->records);
    add_closing(results, command);
    return status;
}

temper_status results_page(const struct plan *plan, const struct records *records, const char *command,
                           const char *path)
{
    struct draft draft = {0};
    const struct results results = {plan, records, &draft};
    temper_status status = add_parts(&results, command);
    if (status == TEMPER_OK)
        status = draft_save(&draft, plan->experiment->title, path);
    draft_free(&draft);
    return status;
}
