/* experiment_results: means and comparisons over splits, as tables for a terminal and as JSON. Accuracies are shares in
 * the results and in JSON, and percent in tables.
 *
 * A line is a data set with a kind and rate of noise (or a start), and has a value for each method and split. Methods
 * are compared split by split, by a paired test, since the splits are the same for all of them. Rules of selection are
 * compared by their regret, the accuracy that a choice loses against the best candidate on clean rows. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "experiment/experiment.h"
#include "json_csv.h"
#include "temper_extra.h"

/* ---- Values of all splits -------------------------------------------------------------------- */

/* The measured values of one method on a line, over the splits that have a result: training time in seconds or
 * accuracy. */
struct split_values plan_values(const struct experiment_plan *plan, const struct result_file *results,
                                struct experiment_cell line, size_t method)
{
    struct split_values values = {.count = 0};
    bool time = plan->experiment->measure == MEASURE_TIME;
    /* `line` is a copy, used to look up the cells of the splits. */
    line.method = &plan->methods[method];
    for (line.split = 0; line.split < plan->splits; line.split++) {
        const struct cell_result *result = result_of(plan, results, &line);
        /* A failed fit has no accuracy and is left out, too. */
        double value = !result ? (double)NAN : time ? result->seconds_train : result->accuracy;
        if (!isnan(value))
            values.value[values.count++] = value;
    }
    values.mean = mean_of(values.value, values.count);
    values.deviation = deviation_of(values.value, values.count);
    return values;
}

/* A paired test over the splits that both cells have. Pairing removes the variation between splits, which is often
 * larger than the difference of the methods. */
temper_paired_test compare_cells(const struct experiment_plan *plan, const struct result_file *results,
                                 struct experiment_cell first, struct experiment_cell second)
{
    /* Accuracies of both cells, split by split. */
    double a[SPLITS_MOST], b[SPLITS_MOST];
    size_t count = 0;
    temper_paired_test paired = {.mean = NAN, .deviation = NAN, .t_p = NAN, .w_p = NAN};
    for (size_t split = 0; split < plan->splits; split++) {
        first.split = second.split = split;
        const struct cell_result *left = result_of(plan, results, &first);
        const struct cell_result *right = result_of(plan, results, &second);
        if (!left || !right || isnan(left->accuracy) || isnan(right->accuracy))
            continue;
        a[count] = left->accuracy;
        b[count++] = right->accuracy;
    }
    if (count > 0) /* finite numbers, at most SPLITS_MOST: only memory could fail, and it is NAN */
        (void)temper_paired_compare(a, b, count, &paired, NULL);
    return paired;
}

/* By the label as given; METHODS_MOST: not in the plan. */
size_t find_method(const struct experiment_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->method_count; i++)
        if (strcmp(plan->methods[i].label, name) == 0)
            return i;
    return METHODS_MOST;
}

/* The method of the highest mean, apart from `but`; METHODS_MOST if none has results. A mean of NAN never compares as
 * larger. */
size_t best_method(const struct experiment_plan *plan, const struct result_file *results, struct experiment_cell line,
                   size_t but)
{
    size_t best = METHODS_MOST;
    double mean = -INFINITY;
    for (size_t i = 0; i < plan->method_count; i++) {
        struct split_values values = plan_values(plan, results, line, i);
        if (i != but && values.mean > mean) {
            best = i;
            mean = values.mean;
        }
    }
    return best;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* "97.31 +- 0.12", without deviation for one split. Milliseconds for times, hundredths of a point for accuracies. */
const char *plan_values_text(const struct experiment_plan *plan, const struct split_values *values,
                             char text[VALUES_TEXT])
{
    bool time = plan->experiment->measure == MEASURE_TIME;
    /* Seconds to milliseconds, percent to hundredths. */
    int decimals = time ? 3 : 2;
    double unit = time ? 1 : 100;
    if (values->count == 0)
        snprintf(text, VALUES_TEXT, "\xe2\x80\x93"); /* a dash */
    else if (values->count == 1)
        snprintf(text, VALUES_TEXT, "%.*f", decimals, unit * values->mean);
    else
        snprintf(text, VALUES_TEXT, "%.*f \xc2\xb1 %.*f", decimals, unit * values->mean, decimals,
                 unit * values->deviation);
    return text;
}

/* ---- Regrets --------------------------------------------------------------------------------- */

/* In the order of enum selection_rule. */
const char *const rule_names[RULES] = {"tuned logistic", "default (0.3, 1)", "(0.4, 1.12)", "CV accuracy", "CV+C"};

/* The regret of a rule in one split: points of accuracy that its choice loses against the best candidate on clean test
 * rows, which no rule can see. */
static double regret_in(const struct cell_result *result, enum selection_rule rule)
{
    /* In the order of enum selection_rule. */
    const double chosen[RULES] = {result->logistic, result->standard, result->reference, result->by_accuracy,
                                  result->accuracy};
    return 100 * (result->best - chosen[rule]);
}

/* Adds the splits of one line; `mean` is a sum until regret_of divides it. */
static void add_regrets(const struct experiment_plan *plan, const struct result_file *results,
                        struct experiment_cell line, enum selection_rule rule, struct rule_regret *regret)
{
    for (line.split = 0; line.split < plan->splits; line.split++) {
        const struct cell_result *result = result_of(plan, results, &line);
        double value = result ? regret_in(result, rule) : NAN;
        if (isnan(value))
            continue;
        regret->mean += value;
        /* The first value replaces NAN, which fmax would ignore anyway. */
        regret->worst = regret->count ? fmax(regret->worst, value) : value;
        regret->count++;
    }
}

/* Mean and worst regret on a line, or over all lines (`line` NULL). */
struct rule_regret regret_of(const struct experiment_plan *plan, const struct result_file *results,
                             const struct experiment_cell *line, enum selection_rule rule)
{
    struct rule_regret regret = {0, NAN, 0};
    struct experiment_cell each;
    if (line)
        add_regrets(plan, results, *line, rule, &regret);
    for (size_t i = 0; !line && plan_line(plan, i, &each); i++)
        add_regrets(plan, results, each, rule, &regret);
    regret.mean = regret.count ? regret.mean / (double)regret.count : NAN;
    return regret;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

enum { NAME_WIDTH = 22, CELL_WIDTH = 18 };

/* Right-aligns by characters, not by bytes: the plus-minus sign takes two bytes and one column. A text that is too wide
 * still gets one blank before it. */
static void print_cell(FILE *out, const char *text)
{
    size_t shown = 0;
    for (const char *at = text; *at; at++)
        /* Continuation bytes of UTF-8 take no column. */
        shown += ((unsigned char)*at & 0xc0) != 0x80;
    fprintf(out, "%*s%s", shown < CELL_WIDTH ? (int)(CELL_WIDTH - shown) : 1, "", text);
}

/* The first split that has a result: the numbers of rows and features are the same in all. */
static const struct cell_result *any_result(const struct experiment_plan *plan, const struct result_file *results,
                                            struct experiment_cell line)
{
    const struct cell_result *result = NULL;
    for (line.split = 0; !result && line.split < plan->splits; line.split++)
        result = result_of(plan, results, &line);
    return result;
}

/* The heading of a data set, with its size if it is known. */
static void print_set(FILE *out, const struct experiment_plan *plan, const struct result_file *results,
                      const struct experiment_cell *line)
{
    const struct cell_result *result = any_result(plan, results, *line);
    char title[TITLE_TEXT];
    fprintf(out, "\n%s", plan_title(plan, line->set, title));
    if (result)
        fprintf(out, ": %.0f rows to train and %.0f to test, %.0f features", result->rows, result->test_rows,
                result->features);
    fputc('\n', out);
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* The values of the paper, below those measured here. */
static void print_paper(FILE *out, const struct experiment_plan *plan, const struct experiment_cell *line)
{
    fprintf(out, "%-*s", NAME_WIDTH, "  the paper");
    for (size_t i = 0; i < plan->method_count; i++) {
        struct paper_value paper = reported_value(plan, line, i);
        char text[VALUES_TEXT] = "";
        if (!isnan(paper.mean))
            snprintf(text, sizeof text, "%.2f \xc2\xb1 %.2f", paper.mean, paper.deviation);
        print_cell(out, text);
    }
    fputc('\n', out);
}

/* A table for each data set: lines are kinds of noise, columns are methods. */
static void print_methods(FILE *out, const struct experiment_plan *plan, const struct result_file *results)
{
    struct experiment_cell line;
    const struct paper_data *set = NULL;
    char text[VALUES_TEXT], name[LINE_TEXT];
    for (size_t i = 0; plan_line(plan, i, &line); i++) {
        if (line.set != set) { /* lines of a set are consecutive */
            print_set(out, plan, results, &line);
            fprintf(out, "%-*s", NAME_WIDTH, "");
            for (size_t m = 0; m < plan->method_count; m++)
                print_cell(out, plan->methods[m].label);
            fputc('\n', out);
        }
        set = line.set;
        fprintf(out, "%-*s", NAME_WIDTH, plan_line_text(plan, &line, name));
        for (size_t m = 0; m < plan->method_count; m++) {
            struct split_values values = plan_values(plan, results, line, m);
            print_cell(out, plan_values_text(plan, &values, text));
        }
        fputc('\n', out);
        if (paper_has_line(plan, &line))
            print_paper(out, plan, &line);
    }
}

/* ---- Regrets --------------------------------------------------------------------------------- */

/* Mean and worst regret of each rule on a line. */
static void print_regrets(FILE *out, const struct experiment_plan *plan, const struct result_file *results,
                          const struct experiment_cell *line)
{
    char text[VALUES_TEXT];
    for (enum selection_rule rule = 0; rule < RULES; rule++) {
        struct rule_regret regret = regret_of(plan, results, line, rule);
        if (regret.count == 0)
            snprintf(text, sizeof text, "-");
        else
            snprintf(text, sizeof text, "%.2f / %.2f", regret.mean, regret.worst);
        print_cell(out, text);
    }
    fputc('\n', out);
}

/* The table of the experiment "selection". */
static void print_selection(FILE *out, const struct experiment_plan *plan, const struct result_file *results)
{
    struct experiment_cell line;
    const struct paper_data *set = NULL;
    char name[LINE_TEXT];
    fprintf(out, "\n%-*s", NAME_WIDTH, "");
    for (enum selection_rule rule = 0; rule < RULES; rule++)
        print_cell(out, rule_names[rule]);
    fputc('\n', out);
    for (size_t i = 0; plan_line(plan, i, &line); i++) {
        if (line.set != set)
            print_set(out, plan, results, &line);
        set = line.set;
        fprintf(out, "%-*s", NAME_WIDTH, plan_line_text(plan, &line, name));
        print_regrets(out, plan, results, &line);
    }
    /* The last line is over all sets and noises. */
    fprintf(out, "\n%-*s", NAME_WIDTH, "all");
    print_regrets(out, plan, results, NULL);
}

/* The table of the command; nothing for a figure of functions. */
void results_text(FILE *out, const struct experiment_plan *plan, const struct result_file *results)
{
    /* The unit of the numbers, for the head of the output. */
    static const char *const what[] = {
        [MEASURE_NOTHING] = "",
        [MEASURE_ACCURACY] = "Accuracy on clean test rows in %",
        [MEASURE_TIME] = "Seconds of one training",
        [MEASURE_STARTS] = "Accuracy on clean test rows in %",
        [MEASURE_SELECTION] = "Regret against the best candidate in points, mean / worst",
    };
    if (plan->experiment->measure == MEASURE_NOTHING)
        return;
    fprintf(out, "%s\n%s, %zu split%s%s\n", plan->experiment->title, what[plan->experiment->measure], plan->splits,
            plan->splits > 1 ? "s" : "", plan->splits > 1 && plan->method_count > 0 ? ", mean \xc2\xb1 deviation" : "");
    if (plan->method_count > 0)
        print_methods(out, plan, results);
    else
        print_selection(out, plan, results);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The members that identify a line. The object stays open for the caller's members. */
static void json_line(FILE *out, const struct experiment_cell *line)
{
    fputs("    {\"set\": ", out);
    json_text(out, line->set->name);
    fputs(", \"noise\": ", out);
    json_text(out, line->noise);
    json_number_member(out, "rate", line->rate);
}

/* Mean, deviation and the values of the splits; closes the object that json_line opened. */
static void json_values(FILE *out, const struct split_values *values)
{
    json_number_member(out, "mean", values->mean);
    json_number_member(out, "deviation", values->deviation);
    fputs(", \"values\": [", out);
    for (size_t i = 0; i < values->count; i++) {
        fputs(i ? ", " : "", out);
        json_number(out, values->value[i]);
    }
    fputs("]}", out);
}

/* One object for each method. *first: whether the next object is the first of the list, which has no comma before it;
 * it is kept over all lines. */
static void json_methods(FILE *out, const struct experiment_plan *plan, const struct result_file *results,
                         const struct experiment_cell *line, bool *first)
{
    for (size_t m = 0; m < plan->method_count; m++) {
        struct split_values values = plan_values(plan, results, *line, m);
        fputs(*first ? "\n" : ",\n", out);
        *first = false;
        json_line(out, line);
        fputs(", \"method\": ", out);
        json_text(out, plan->methods[m].label);
        if (plan->experiment->measure == MEASURE_STARTS)
            json_number_member(out, "start_deviation", line->deviation);
        json_values(out, &values);
    }
}

/* One object for each rule, as json_methods. */
static void json_regrets(FILE *out, const struct experiment_plan *plan, const struct result_file *results,
                         const struct experiment_cell *line, bool *first)
{
    for (enum selection_rule rule = 0; rule < RULES; rule++) {
        struct rule_regret regret = regret_of(plan, results, line, rule);
        fputs(*first ? "\n" : ",\n", out);
        *first = false;
        json_line(out, line);
        fputs(", \"rule\": ", out);
        json_text(out, rule_names[rule]);
        json_number_member(out, "splits", (double)regret.count);
        json_number_member(out, "mean_regret", regret.mean);
        json_number_member(out, "worst_regret", regret.worst);
        fputs("}", out);
    }
}

/* One object with the list of all lines; valid JSON also without any result. */
void results_json(FILE *out, const struct experiment_plan *plan, const struct result_file *results)
{
    struct experiment_cell line;
    bool first = true;
    fputs("{\n  \"experiment\": ", out);
    json_text(out, plan->experiment->name);
    json_text_field(out, "records", results->path);
    json_number_field(out, "splits", (double)plan->splits);
    json_number_field(out, "seed", (double)plan->seed);
    fputs(",\n  \"results\": [", out);
    for (size_t i = 0; plan_line(plan, i, &line); i++)
        if (plan->method_count > 0)
            json_methods(out, plan, results, &line, &first);
        else
            json_regrets(out, plan, results, &line, &first);
    /* An empty list is closed on the same line. */
    fputs(first ? "]\n}\n" : "\n  ]\n}\n", out);
}
