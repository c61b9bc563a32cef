/* experiment_groups: records of all splits together: means, deviations, comparisons, regrets. */
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"

double accuracy_of(const struct record *record)
{
    return record->accuracy;
}

double seconds_of(const struct record *record)
{
    return record->seconds_train;
}

static const struct record *find(const struct plan *plan, const struct records *records, const struct cell *cell)
{
    char key[KEY_LENGTH];
    return records_find(records, plan_key(plan, cell, key));
}

struct group group_of(const struct plan *plan, const struct records *records, struct cell cell, record_member *member)
{
    struct group group = {.count = 0};
    for (cell.split = 0; cell.split < plan->splits; cell.split++) {
        const struct record *record = find(plan, records, &cell);
        double value = record ? member(record) : NAN;
        if (!isnan(value))
            group.value[group.count++] = value;
    }
    group.mean = temper_mean(group.value, group.count);
    group.deviation = temper_standard_deviation(group.value, group.count);
    return group;
}

struct group plan_group(const struct plan *plan, const struct records *records, struct cell line, size_t method)
{
    line.method = &plan->methods[method];
    return group_of(plan, records, line, plan->experiment->measure == MEASURE_TIME ? seconds_of : accuracy_of);
}

temper_paired_test group_compare(const struct plan *plan, const struct records *records, struct cell first,
                                 struct cell second)
{
    double a[SPLITS_MOST], b[SPLITS_MOST];
    size_t count = 0;
    temper_paired_test paired = {.mean = NAN, .deviation = NAN, .t_p = NAN, .w_p = NAN};
    for (size_t split = 0; split < plan->splits; split++) {
        first.split = second.split = split;
        const struct record *left = find(plan, records, &first);
        const struct record *right = find(plan, records, &second);
        if (!left || !right || isnan(left->accuracy) || isnan(right->accuracy))
            continue;
        a[count] = left->accuracy;
        b[count++] = right->accuracy;
    }
    if (count > 0) /* finite numbers, at most SPLITS_MOST: only memory could fail, and it is NAN */
        (void)temper_paired_compare(a, b, count, &paired, NULL);
    return paired;
}

size_t find_method(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->method_count; i++)
        if (strcmp(plan->methods[i].label, name) == 0)
            return i;
    return METHODS_MOST;
}

size_t best_method(const struct plan *plan, const struct records *records, struct cell line, size_t but)
{
    size_t best = METHODS_MOST;
    double mean = -INFINITY;
    for (size_t i = 0; i < plan->method_count; i++) {
        struct group group = plan_group(plan, records, line, i);
        if (i != but && group.mean > mean) {
            best = i;
            mean = group.mean;
        }
    }
    return best;
}

/* ---- Words ----------------------------------------------------------------------------------- */

#define PLUS_MINUS " \xc2\xb1 "

const char *group_percent(const struct group *group, char text[GROUP_TEXT])
{
    if (group->count == 0)
        snprintf(text, GROUP_TEXT, "\xe2\x80\x93");
    else if (group->count == 1)
        snprintf(text, GROUP_TEXT, "%.2f", 100 * group->mean);
    else
        snprintf(text, GROUP_TEXT, "%.2f" PLUS_MINUS "%.2f", 100 * group->mean, 100 * group->deviation);
    return text;
}

const char *group_seconds(const struct group *group, char text[GROUP_TEXT])
{
    if (group->count == 0)
        snprintf(text, GROUP_TEXT, "\xe2\x80\x93");
    else if (group->count == 1)
        snprintf(text, GROUP_TEXT, "%.3f", group->mean);
    else
        snprintf(text, GROUP_TEXT, "%.3f" PLUS_MINUS "%.3f", group->mean, group->deviation);
    return text;
}

const char *plan_group_text(const struct plan *plan, const struct group *group, char text[GROUP_TEXT])
{
    return plan->experiment->measure == MEASURE_TIME ? group_seconds(group, text) : group_percent(group, text);
}

/* ---- Regrets --------------------------------------------------------------------------------- */

const char *const rule_names[RULES] = {"tuned logistic", "default (0.3, 1)", "(0.4, 1.12)", "CV accuracy", "CV+C"};

static double regret_in(const struct record *record, enum rule rule)
{
    const double chosen[RULES] = {record->logistic, record->standard, record->reference, record->by_accuracy,
                                  record->accuracy};
    return 100 * (record->best - chosen[rule]);
}

static void add_regrets(const struct plan *plan, const struct records *records, struct cell line, enum rule rule,
                        struct regret *regret)
{
    for (line.split = 0; line.split < plan->splits; line.split++) {
        const struct record *record = find(plan, records, &line);
        double value = record ? regret_in(record, rule) : NAN;
        if (isnan(value))
            continue;
        regret->mean += value;
        regret->worst = regret->count ? fmax(regret->worst, value) : value;
        regret->count++;
    }
}

struct regret regret_of(const struct plan *plan, const struct records *records, const struct cell *line, enum rule rule)
{
    struct regret regret = {0, NAN, 0};
    struct cell each;
    if (line)
        add_regrets(plan, records, *line, rule, &regret);
    for (size_t i = 0; !line && plan_line(plan, i, &each); i++)
        add_regrets(plan, records, each, rule, &regret);
    regret.mean = regret.count ? regret.mean / (double)regret.count : NAN;
    return regret;
}
