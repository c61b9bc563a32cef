/* experiment_table: results on the standard output, for people and for programs. */
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"
#include "json.h"

enum { NAME_WIDTH = 22, CELL_WIDTH = 18 };

/* Columns on a terminal: a sign like the one for plus or minus takes one, and two bytes. */
static void print_cell(FILE *out, const char *text)
{
    size_t shown = 0;
    for (const char *at = text; *at; at++)
        shown += ((unsigned char)*at & 0xc0) != 0x80;
    fprintf(out, "%*s%s", shown < CELL_WIDTH ? (int)(CELL_WIDTH - shown) : 1, "", text);
}

static const struct record *any_record(const struct plan *plan, const struct records *records, struct cell line)
{
    char key[KEY_LENGTH];
    const struct record *record = NULL;
    for (line.split = 0; !record && line.split < plan->splits; line.split++)
        record = records_find(records, plan_key(plan, &line, key));
    return record;
}

static void print_set(FILE *out, const struct plan *plan, const struct records *records, const struct cell *line)
{
    const struct record *record = any_record(plan, records, *line);
    char title[TITLE_TEXT];
    fprintf(out, "\n%s", plan_title(plan, line->set, title));
    if (record)
        fprintf(out, ": %.0f rows to train and %.0f to test, %.0f features", record->rows, record->test_rows,
                record->features);
    fputc('\n', out);
}

/* ---- Methods --------------------------------------------------------------------------------- */

static void print_paper(FILE *out, const struct plan *plan, const struct cell *line)
{
    fprintf(out, "%-*s", NAME_WIDTH, "  the paper");
    for (size_t i = 0; i < plan->method_count; i++) {
        struct reported paper = paper_value(plan, line, i);
        char text[GROUP_TEXT] = "";
        if (!isnan(paper.mean))
            snprintf(text, sizeof text, "%.2f \xc2\xb1 %.2f", paper.mean, paper.deviation);
        print_cell(out, text);
    }
    fputc('\n', out);
}

static void print_methods(FILE *out, const struct plan *plan, const struct records *records)
{
    struct cell line;
    const struct source *set = NULL;
    char text[GROUP_TEXT], name[LINE_TEXT];
    for (size_t i = 0; plan_line(plan, i, &line); i++) {
        if (line.set != set) {
            print_set(out, plan, records, &line);
            fprintf(out, "%-*s", NAME_WIDTH, "");
            for (size_t m = 0; m < plan->method_count; m++)
                print_cell(out, plan->methods[m].label);
            fputc('\n', out);
        }
        set = line.set;
        fprintf(out, "%-*s", NAME_WIDTH, plan_line_text(plan, &line, name));
        for (size_t m = 0; m < plan->method_count; m++) {
            struct group group = plan_group(plan, records, line, m);
            print_cell(out, plan_group_text(plan, &group, text));
        }
        fputc('\n', out);
        if (paper_has_line(plan, &line))
            print_paper(out, plan, &line);
    }
}

/* ---- Regrets --------------------------------------------------------------------------------- */

static void print_regrets(FILE *out, const struct plan *plan, const struct records *records, const struct cell *line)
{
    char text[GROUP_TEXT];
    for (enum rule rule = 0; rule < RULES; rule++) {
        struct regret regret = regret_of(plan, records, line, rule);
        if (regret.count == 0)
            snprintf(text, sizeof text, "-");
        else
            snprintf(text, sizeof text, "%.2f / %.2f", regret.mean, regret.worst);
        print_cell(out, text);
    }
    fputc('\n', out);
}

static void print_selection(FILE *out, const struct plan *plan, const struct records *records)
{
    struct cell line;
    const struct source *set = NULL;
    char name[LINE_TEXT];
    fprintf(out, "\n%-*s", NAME_WIDTH, "");
    for (enum rule rule = 0; rule < RULES; rule++)
        print_cell(out, rule_names[rule]);
    fputc('\n', out);
    for (size_t i = 0; plan_line(plan, i, &line); i++) {
        if (line.set != set)
            print_set(out, plan, records, &line);
        set = line.set;
        fprintf(out, "%-*s", NAME_WIDTH, plan_line_text(plan, &line, name));
        print_regrets(out, plan, records, &line);
    }
    fprintf(out, "\n%-*s", NAME_WIDTH, "all");
    print_regrets(out, plan, records, NULL);
}

void results_text(FILE *out, const struct plan *plan, const struct records *records)
{
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
        print_methods(out, plan, records);
    else
        print_selection(out, plan, records);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_member_number(FILE *out, const char *name, double number)
{
    fprintf(out, ", \"%s\": ", name);
    json_number(out, number);
}

static void json_line(FILE *out, const struct cell *line)
{
    fputs("    {\"set\": ", out);
    json_text(out, line->set->name);
    fputs(", \"noise\": ", out);
    json_text(out, line->noise);
    json_member_number(out, "rate", line->rate);
}

static void json_values(FILE *out, const struct group *group)
{
    json_member_number(out, "mean", group->mean);
    json_member_number(out, "deviation", group->deviation);
    fputs(", \"values\": [", out);
    for (size_t i = 0; i < group->count; i++) {
        fputs(i ? ", " : "", out);
        json_number(out, group->value[i]);
    }
    fputs("]}", out);
}

/* Without a mark between them the list would be no JSON: `first` is for the caller to keep. */
static void json_methods(FILE *out, const struct plan *plan, const struct records *records, const struct cell *line,
                         bool *first)
{
    for (size_t m = 0; m < plan->method_count; m++) {
        struct group group = plan_group(plan, records, *line, m);
        fputs(*first ? "\n" : ",\n", out);
        *first = false;
        json_line(out, line);
        fputs(", \"method\": ", out);
        json_text(out, plan->methods[m].label);
        if (plan->experiment->measure == MEASURE_STARTS)
            json_member_number(out, "start_deviation", line->deviation);
        json_values(out, &group);
    }
}

static void json_regrets(FILE *out, const struct plan *plan, const struct records *records, const struct cell *line,
                         bool *first)
{
    for (enum rule rule = 0; rule < RULES; rule++) {
        struct regret regret = regret_of(plan, records, line, rule);
        fputs(*first ? "\n" : ",\n", out);
        *first = false;
        json_line(out, line);
        fputs(", \"rule\": ", out);
        json_text(out, rule_names[rule]);
        json_member_number(out, "splits", (double)regret.count);
        json_member_number(out, "mean_regret", regret.mean);
        json_member_number(out, "worst_regret", regret.worst);
        fputs("}", out);
    }
}

void results_json(FILE *out, const struct plan *plan, const struct records *records)
{
    struct cell line;
    bool first = true;
    fputs("{\n  \"experiment\": ", out);
    json_text(out, plan->experiment->name);
    json_text_field(out, "records", records->path);
    json_number_field(out, "splits", (double)plan->splits);
    json_number_field(out, "seed", (double)plan->seed);
    fputs(",\n  \"results\": [", out);
    for (size_t i = 0; plan_line(plan, i, &line); i++)
        if (plan->method_count > 0)
            json_methods(out, plan, records, &line, &first);
        else
            json_regrets(out, plan, records, &line, &first);
    fputs(first ? "]\n}\n" : "\n  ]\n}\n", out);
}
