/* experiment_claims_more: the claims about times, starts and choices. */
#include <math.h>
#include <string.h>

#include "draft.h"
#include "experiment.h"
#include "experiment_judge.h"

/* ---- Times ----------------------------------------------------------------------------------- */

void judge_times(const struct judge *judge)
{
    size_t ours = find_method(judge->plan, "tempered");
    size_t plain = find_method(judge->plan, "logistic"), sets = 0, near = 0;
    struct cell line;
    struct words words = {""};
    if (ours == METHODS_MOST || plain == METHODS_MOST)
        return;
    for (size_t i = 0; plan_line(judge->plan, i, &line); i++) {
        double ratio = plan_group(judge->plan, judge->records, line, ours).mean /
                       plan_group(judge->plan, judge->records, line, plain).mean;
        double paper = paper_seconds(line.set->name, "tempered").mean / paper_seconds(line.set->name, "logistic").mean;
        if (isnan(ratio))
            continue;
        sets++;
        near += ratio <= 2;
        words_add(&words, " %s: %.2f times logistic regression", line.set->name, ratio);
        words_add(&words, isnan(paper) ? "." : " (paper %.2f).", paper);
    }
    draft_cell(judge->draft, "\"In general, the runtime of the 2TLR is comparable to the other "
                             "methods\", Covertype apart.");
    draft_cell(judge->draft, "%s (at most twice that of logistic regression on %zu of %zu sets).%s",
               in_part(near, sets), near, sets, words.text);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

/* The smallest deviation at which a start ends more than a point below zero's; INFINITY: none. */
static double first_bad(const struct judge *judge, const struct source *set, size_t method, double *lost)
{
    struct cell line;
    double zero = NAN;
    *lost = 0;
    for (size_t i = 0; plan_line(judge->plan, i, &line); i++) {
        struct group group = plan_group(judge->plan, judge->records, line, method);
        if (line.set != set)
            continue;
        if (line.deviation == 0)
            zero = group.mean;
        *lost = group.count > 0 ? 100 * (zero - group.mean) : 100;
        if (line.deviation > 0 && *lost > 1)
            return line.deviation;
    }
    return INFINITY;
}

void judge_starts(const struct judge *judge)
{
    struct words words = {""};
    size_t cases = 0, as_said = 0;
    for (size_t i = 0; i < judge->plan->set_count; i++)
        for (size_t m = 0; m < judge->plan->method_count; m++) {
            double lost, bad = first_bad(judge, judge->plan->sets[i], m, &lost);
            cases++;
            as_said += bad > 0.01 && bad <= 0.1;
            words_add(&words, " %s, %s: ", judge->plan->sets[i]->name, judge->plan->methods[m].label);
            if (isinf(bad))
                words_add(&words, "none.");
            else
                words_add(&words, "from %g on (%.1f points).", bad, lost);
        }
    draft_cell(judge->draft, "\"We observed the method to converge to bad local minima for std > 0.01.\"");
    draft_cell(judge->draft,
               "%s: bad means more than a point below a start from zero; they begin just above "
               "0.01 in %zu of %zu cases.%s",
               in_part(as_said, cases), as_said, cases, words.text);
}

/* ---- Selection ------------------------------------------------------------------------------- */

/* How often the rule stepped in, and what came of it. */
struct steps {
    size_t all, overrides, better, worse, needless, warned, rightly;
};

static void count_step(const struct record *record, bool structured, struct steps *steps)
{
    bool other = strcmp(record->decided, "accuracy") != 0;
    steps->all++;
    steps->overrides += other;
    steps->needless += other && !structured;
    steps->better += other && record->accuracy > record->by_accuracy;
    steps->worse += other && record->accuracy < record->by_accuracy;
    steps->warned += record->warned == 1;
    steps->rightly += record->warned == 1 && structured;
}

/* What temper claims, not the paper: the rule repairs structured noise and harms nothing. */
void judge_rule(const struct judge *judge)
{
    struct cell line;
    struct steps steps = {0};
    char key[KEY_LENGTH];
    for (size_t i = 0; plan_line(judge->plan, i, &line); i++)
        for (line.split = 0; line.split < judge->plan->splits; line.split++) {
            const struct record *record = records_find(judge->records, plan_key(judge->plan, &line, key));
            if (record)
                count_step(record, strstr(line.noise, "margin") != NULL, &steps);
        }
    draft_cell(judge->draft, "CV+C changes the choice of plain cross-validation only where labels "
                             "are wrong in a way that x tells, and then for the better.");
    draft_cell(judge->draft,
               "Of %zu cases it changed %zu: %zu for the better, %zu for the worse; %zu of them "
               "without noise by margins. It warned of systematically wrong labels %zu times, %zu "
               "of them rightly.",
               steps.all, steps.overrides, steps.better, steps.worse, steps.needless, steps.warned, steps.rightly);
}
