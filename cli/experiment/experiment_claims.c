/* experiment_claims: the claims of the paper, each with a verdict computed from the results. Verdicts are phrased from
 * counts and significance tests only; no claim is hard-coded as true. Accuracies are shares internally and points
 * (percent) in all texts. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "html_draft.h"
#include "temper_extra.h"

/* What is judged, and the page that the verdicts go to: two cells of a table for each claim. */
struct claim_context {
    struct html_draft *draft;
    const struct experiment_plan *plan;
    const struct result_file *results;
};

/* Sentences that follow each other, truncated if they are too long. */
struct sentences {
    char text[3072];
};

static const double significance = 0.05; /* p below which a difference counts */

/* Appends; what does not fit is truncated, never written beyond the buffer. */
__attribute__((format(printf, 2, 3))) static void sentences_add(struct sentences *words, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(words->text);
    va_start(arguments, format);
    vsnprintf(words->text + used, sizeof words->text - used, format, arguments);
    va_end(arguments);
}

/* Of how many cases a claim speaks. */
enum claim_extent { IN_ALL_CASES, IN_MOST_CASES, IN_SOME_CASES };

/* What was found: cases in which the claim holds, and in which its contrary does; the others decide nothing. */
struct claim_evidence {
    size_t all, holds, fails;
};

/* The only place where counts become a verdict, so that equal evidence gets equal words whichever claim it is about: in
 * part where more cases are for the claim than against it. No case that decides anything is too little to refute, as it
 * is to confirm. */
static const char *verdict_words(enum claim_extent extent, struct claim_evidence found)
{
    const size_t needed = extent == IN_ALL_CASES ? found.all : extent == IN_MOST_CASES ? found.all / 2 + 1 : 1;
    if (found.holds + found.fails == 0)
        return "Undecided with so few splits";
    if (found.holds >= needed)
        return "Reproduced";
    return found.holds > found.fails ? "Reproduced in part" : "Not reproduced";
}

/* For claims that each case either meets or not. */
static const char *in_part(size_t found, size_t all)
{
    return verdict_words(IN_ALL_CASES, (struct claim_evidence){all, found, all - found});
}

/* One row of the table of claims. */
static void verdict(const struct claim_context *claims, const char *claim, const char *found)
{
    draft_cell(claims->draft, "%s", claim);
    draft_cell(claims->draft, "%s", found);
}

/* A paired test of two methods over the splits of a line. */
static temper_paired_test compare(const struct claim_context *claims, struct experiment_cell line, size_t first,
                                  size_t second)
{
    struct experiment_cell other = line;
    line.method = &claims->plan->methods[first];
    other.method = &claims->plan->methods[second];
    return compare_cells(claims->plan, claims->results, line, other);
}

/* The direction of a significant difference: 1 if the first method is better, -1 if worse, else 0. A p of NAN, as for
 * one split, is not significant. */
static int sign_of(const temper_paired_test *paired)
{
    if (!(paired->t_p < significance))
        return 0;
    return paired->mean > 0 ? 1 : -1;
}

/* ---- Is the two-temperature loss the best? --------------------------------------------------- */

/* Outcomes of significance tests over the lines of a table. */
struct claim_tally {
    size_t lines, better, worse, equal;                 /* lines with a test, and their verdicts */
    char best[LINE_TEXT + 160], worst[LINE_TEXT + 160]; /* the line of the largest difference */
    double most, least;                                 /* differences of these lines, as shares */
};

/* Compares tempered with the best other method on one line. The rival is chosen by the mean on the same test rows,
 * which favours the rivals: the claim is tested in its strongest form. */
static void count_line(const struct claim_context *claims, const struct experiment_cell *line,
                       struct claim_tally *tally)
{
    size_t ours = find_method(claims->plan, "tempered");
    size_t rival = best_method(claims->plan, claims->results, *line, ours);
    char name[LINE_TEXT], words[LINE_TEXT + 160];
    /* The command line may have left out either of them. */
    if (ours == METHODS_MOST || rival == METHODS_MOST)
        return;
    temper_paired_test paired = compare(claims, *line, ours, rival);
    if (isnan(paired.mean))
        return;
    int sign = sign_of(&paired);
    tally->lines++;
    tally->better += sign > 0;
    tally->worse += sign < 0;
    tally->equal += sign == 0;
    snprintf(words, sizeof words, "%s, %s: %+.2f points against %s (p = %.2g)", line->set->name,
             plan_line_text(claims->plan, line, name), 100 * paired.mean, claims->plan->methods[rival].label,
             paired.t_p);
    /* The extreme lines are quoted in the verdict. */
    if (tally->lines == 1 || paired.mean > tally->most) {
        tally->most = paired.mean;
        snprintf(tally->best, sizeof tally->best, "%s", words);
    }
    if (tally->lines == 1 || paired.mean < tally->least) {
        tally->least = paired.mean;
        snprintf(tally->worst, sizeof tally->worst, "%s", words);
    }
}

/* "2TLR is best": counts over all lines with noise. Clean lines are not part of the claim. A case is a data set with a
 * kind and rate of noise. In each the means over the splits are compared by a paired test with the best other method;
 * only significant differences count as better or worse, so that the verdict does not depend on the luck of a few
 * splits. */
static void check_superior(const struct claim_context *claims, const char *claim)
{
    struct claim_tally tally = {0};
    struct experiment_cell line;
    char words[1024];
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++)
        if (line.rate > 0)
            count_line(claims, &line, &tally);
    if (tally.lines == 0)
        return;
    const char *head = verdict_words(IN_ALL_CASES, (struct claim_evidence){tally.lines, tally.better, tally.worse});
    snprintf(words, sizeof words,
             "%s: of %zu cases tempered is better than the best of the others in %zu, worse in %zu, "
             "and not significantly different in %zu. Most: %s. Least: %s.",
             head, tally.lines, tally.better, tally.worse, tally.equal, tally.best, tally.worst);
    verdict(claims, claim, words);
}

/* ---- One method against another -------------------------------------------------------------- */

/* The claim is about "some cases": one significantly worse line is enough. It compares t-logistic with logistic. Splits
 * are the same for all methods, which makes the comparison a paired one. */
static void check_t_logistic(const struct claim_context *claims)
{
    size_t ours = find_method(claims->plan, "t-logistic");
    size_t plain = find_method(claims->plan, "logistic"), lines = 0, worse = 0, better = 0;
    struct experiment_cell line;
    char words[512];
    if (ours == METHODS_MOST || plain == METHODS_MOST)
        return;
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++) {
        temper_paired_test paired = compare(claims, line, ours, plain);
        lines += isnan(paired.mean) ? 0 : 1; /* NAN: one of both has no results yet */
        worse += sign_of(&paired) < 0;
        better += sign_of(&paired) > 0;
    }
    snprintf(words, sizeof words,
             "%s: t-logistic is worse than logistic regression in %zu of %zu cases and better in "
             "%zu.",
             verdict_words(IN_SOME_CASES, (struct claim_evidence){lines, worse, better}), worse, lines, better);
    if (lines > 0)
        verdict(claims, "\"In some cases t-LR provides even worse results than LR.\"", words);
}

/* ---- The paper's own figures ----------------------------------------------------------------- */

/* Differences between the accuracies of temper and those of the paper, for one method. */
struct paper_gap {
    size_t count, near; /* within two deviations of the difference */
    double sum;         /* of temper's mean minus the paper's, in points */
};

/* Compares the means of a method with those of the paper, over all lines that it reports. A value counts as reproduced
 * within two standard deviations of the difference, since the splits of the paper are not known. */
static struct paper_gap find_gap(const struct claim_context *claims, size_t method)
{
    struct paper_gap gap = {0, 0, 0};
    struct experiment_cell line;
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++) {
        struct paper_value paper = reported_value(claims->plan, &line, method);
        struct split_values values = plan_values(claims->plan, claims->results, line, method);
        if (isnan(paper.mean) || values.count == 0)
            continue;
        /* The paper's values are in percent. Deviations of independent means add in quadrature. */
        double less = 100 * values.mean - paper.mean;
        double spread = hypot(paper.deviation, values.count > 1 ? 100 * values.deviation : 0);
        gap.count++;
        gap.near += fabs(less) <= 2 * spread;
        gap.sum += less;
    }
    return gap;
}

/* Whether the numbers of Table 1 are reproduced: one sentence for each method. */
static void check_figures(const struct claim_context *claims)
{
    struct sentences words = {""};
    size_t all = 0, near = 0;
    for (size_t m = 0; m < claims->plan->method_count; m++) {
        struct paper_gap gap = find_gap(claims, m);
        /* Methods that the paper does not have. */
        if (gap.count == 0)
            continue;
        all += gap.count;
        near += gap.near;
        sentences_add(&words,
                      " %s: ours is %+.2f points from the paper's on average, within two deviations in "
                      "%zu of %zu.",
                      claims->plan->methods[m].label, gap.sum / (double)gap.count, gap.near, gap.count);
    }
    if (all == 0)
        return;
    draft_cell(claims->draft, "The accuracies of Table 1.");
    draft_cell(claims->draft, "%s (%zu of %zu).%s", in_part(near, all), near, all, words.text);
}

/* ---- Which temperatures are chosen ----------------------------------------------------------- */

/* Whether the grid contains a t1 of 1 or more, so that a choice of t1 < 1 means something; a range such as 0.1..1:5 is
 * assumed to. */
static bool offers_uncapped(const char *grid)
{
    const char *list = strstr(grid, "t1=");
    char word[WORD_LENGTH], item[WORD_LENGTH];
    /* Without a list of t1 the tuner uses its own, which includes 1. */
    if (!list)
        return true;
    /* The word "t1=A,B,C", whose items are then examined. */
    next_word(&list, ' ', word);
    for (list = word + strlen("t1="); list;) {
        next_word(&list, ',', item);
        if (strstr(item, "..") || strtod(item, NULL) >= 1)
            return true;
    }
    return false;
}

/* "The optimal t1 is below 1": counts the choices of all tunings. Grids without t1 >= 1, and fixed temperatures, leave
 * nothing to choose, so there is no verdict on them. */
static void check_capped(const struct claim_context *claims)
{
    size_t method = find_method(claims->plan, "tempered"), all = 0, capped = 0;
    struct experiment_cell line;
    char words[256];
    if (method == METHODS_MOST || claims->plan->paper_temperatures || !offers_uncapped(claims->plan->grid))
        return;
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++) {
        line.method = &claims->plan->methods[method];
        for (line.split = 0; line.split < claims->plan->splits; line.split++) {
            const struct cell_result *result = result_of(claims->plan, claims->results, &line);
            all += result && !isnan(result->t1); /* failed fits have no t1 */
            capped += result && result->t1 < 1;
        }
    }
    if (all == 0)
        return;
    snprintf(words, sizeof words, "%s: t1 < 1 was chosen in %zu of %zu tunings.",
             verdict_words(IN_MOST_CASES, (struct claim_evidence){all, capped, all - capped}), capped, all);
    verdict(claims, "\"In most cases, the optimal performance is achieved when 0 < t1 < 1.\"", words);
}

/* ---- Up to a third of noise ------------------------------------------------------------------ */

/* Points of accuracy that a method loses between clean rows and the highest noise rate up to a third, which goes to
 * *rate; NAN if either was not measured. Rates ascend within a data set, so the last one wins. */
static double loss_to_third(const struct claim_context *claims, const struct paper_data *set, size_t method,
                            double *rate)
{
    struct experiment_cell line;
    double clean = NAN, noisy = NAN;
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++) {
        double mean = plan_values(claims->plan, claims->results, line, method).mean;
        if (line.set != set || isnan(mean))
            continue;
        if (line.rate == 0)
            clean = mean;
        else if (line.rate <= 0.34) {
            noisy = mean;
            *rate = line.rate;
        }
    }
    return 100 * (clean - noisy);
}

/* "Not considerably affected" is taken as a loss of less than one point. */
static void check_third(const struct claim_context *claims)
{
    size_t ours = find_method(claims->plan, "tempered"), sets = 0, small = 0;
    size_t plain = find_method(claims->plan, "logistic");
    struct sentences words = {""};
    double rate = 0;
    if (ours == METHODS_MOST)
        return;
    for (size_t i = 0; i < claims->plan->set_count; i++) {
        const struct paper_data *set = claims->plan->sets[i];
        double loss = loss_to_third(claims, set, ours, &rate);
        if (isnan(loss))
            continue;
        sets++;
        small += loss < 1;
        sentences_add(&words, " %s: tempered loses %.2f points at %g %%", set->name, loss, 100 * rate);
        if (plain != METHODS_MOST)
            sentences_add(&words, ", logistic %.2f", loss_to_third(claims, set, plain, &rate));
        sentences_add(&words, ".");
    }
    if (sets == 0)
        return;
    draft_cell(claims->draft, "\"Its performance is not considerably affected by up to 33 %% noise.\"");
    draft_cell(claims->draft, "%s (less than a point on %zu of %zu sets).%s", in_part(small, sets), small, sets,
               words.text);
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* "Comparable" is taken as at most twice the time of logistic regression. Ratios are compared with the paper's, since
 * the machines differ. */
static void check_times(const struct claim_context *claims)
{
    size_t ours = find_method(claims->plan, "tempered");
    size_t plain = find_method(claims->plan, "logistic"), sets = 0, near = 0;
    struct experiment_cell line;
    struct sentences words = {""};
    if (ours == METHODS_MOST || plain == METHODS_MOST)
        return;
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++) {
        double ratio = plan_values(claims->plan, claims->results, line, ours).mean /
                       plan_values(claims->plan, claims->results, line, plain).mean;
        double paper = paper_seconds(line.set->name, "tempered").mean / paper_seconds(line.set->name, "logistic").mean;
        if (isnan(ratio))
            continue;
        sets++;
        near += ratio <= 2;
        sentences_add(&words, " %s: %.2f times logistic regression", line.set->name, ratio);
        sentences_add(&words, isnan(paper) ? "." : " (paper %.2f).", paper);
    }
    draft_cell(claims->draft, "\"In general, the runtime of the 2TLR is comparable to the other "
                              "methods\", Covertype apart.");
    draft_cell(claims->draft, "%s (at most twice that of logistic regression on %zu of %zu sets).%s",
               in_part(near, sets), near, sets, words.text);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

/* The smallest standard deviation of the initial weights that ends more than a point below the start from zero;
 * INFINITY if there is none. *lost is the difference in points. Deviations ascend, and the first line of a set starts
 * from zero. */
static double first_bad(const struct claim_context *claims, const struct paper_data *set, size_t method, double *lost)
{
    struct experiment_cell line;
    double zero = NAN;
    *lost = 0;
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++) {
        struct split_values values = plan_values(claims->plan, claims->results, line, method);
        if (line.set != set)
            continue;
        if (line.deviation == 0)
            zero = values.mean;
        *lost = values.count > 0 ? 100 * (zero - values.mean) : 100; /* without any result all starts have failed */
        if (line.deviation > 0 && *lost > 1)
            return line.deviation;
    }
    return INFINITY;
}

/* The claim places the beginning of bad minima just above 0.01, that is, at 0.1 in the list of deviations. */
static void check_starts(const struct claim_context *claims)
{
    struct sentences words = {""};
    size_t cases = 0, as_said = 0;
    for (size_t i = 0; i < claims->plan->set_count; i++)
        for (size_t m = 0; m < claims->plan->method_count; m++) {
            double lost, bad = first_bad(claims, claims->plan->sets[i], m, &lost);
            cases++;
            as_said += bad > 0.01 && bad <= 0.1; /* the claim holds */
            sentences_add(&words, " %s, %s: ", claims->plan->sets[i]->name, claims->plan->methods[m].label);
            if (isinf(bad))
                sentences_add(&words, "none.");
            else
                sentences_add(&words, "from %g on (%.1f points).", bad, lost);
        }
    draft_cell(claims->draft, "\"We observed the method to converge to bad local minima for std > 0.01.\"");
    draft_cell(claims->draft,
               "%s: bad means more than a point below a start from zero; they begin just above "
               "0.01 in %zu of %zu cases.%s",
               in_part(as_said, cases), as_said, cases, words.text);
}

/* ---- Selection ------------------------------------------------------------------------------- */

/* How often the selection rule CV+C overrode cross-validated accuracy, and with which effect. */
struct override_counts {
    size_t all, overrides, better, worse, needless, warned, rightly;
};

/* Classifies one tuning. `structured`: the noise depends on the margin, which is where the rule should act. */
static void count_step(const struct cell_result *result, bool structured, struct override_counts *steps)
{
    /* The rule overrode plain accuracy. */
    bool other = strcmp(result->decided, "accuracy") != 0;
    steps->all++;
    steps->overrides += other;
    steps->needless += other && !structured; /* an override without cause */
    steps->better += other && result->accuracy > result->by_accuracy;
    steps->worse += other && result->accuracy < result->by_accuracy;
    steps->warned += result->warned == 1;
    steps->rightly += result->warned == 1 && structured; /* warnings with cause */
}

/* A claim of temper, not of the paper: the rule helps with structured noise and does no harm otherwise. A change counts
 * as needless where there is no margin noise, and as better or worse by the accuracy on clean rows of the final choice
 * against that of plain cross-validation. */
static void check_rule(const struct claim_context *claims)
{
    struct experiment_cell line;
    struct override_counts steps = {0};
    for (size_t i = 0; plan_line(claims->plan, i, &line); i++)
        for (line.split = 0; line.split < claims->plan->splits; line.split++) {
            const struct cell_result *result = result_of(claims->plan, claims->results, &line);
            if (result)
                count_step(result, strstr(line.noise, "margin") != NULL, &steps);
        }
    draft_cell(claims->draft, "CV+C changes the choice of plain cross-validation only where label errors "
                              "depend on x, and then improves it.");
    draft_cell(claims->draft,
               "Of %zu cases it changed %zu: %zu for the better, %zu for the worse; %zu of them "
               "without margin noise. It warned of systematically wrong labels %zu times, %zu "
               "of them rightly.",
               steps.all, steps.overrides, steps.better, steps.worse, steps.needless, steps.warned, steps.rightly);
}

/* ---- All claims ------------------------------------------------------------------------------ */

/* Appends the table of claims that belong to the kind of experiment. */
void results_claims(struct html_draft *draft, const struct experiment_plan *plan, const struct result_file *results)
{
    const struct claim_context claims = {draft, plan, results};
    /* Several rates: the claims of Figure 2; one rate: those of Table 1. */
    bool rates = plan->rates.count > 1;
    if (plan->experiment->measure == MEASURE_NOTHING)
        return;
    draft_heading(draft, "The claims");
    draft_table(draft, 2, NULL);
    /* The head of the table. */
    verdict(&claims, "claim", "found here");
    switch (plan->experiment->measure) {
    case MEASURE_ACCURACY:
        check_superior(&claims, rates ? "\"2TLR is significantly more robust to this noise than all "
                                        "the other methods.\""
                                      : "\"2TLR consistently has superior performance in all cases "
                                        "on all datasets.\"");
        if (rates)
            check_third(&claims);
        check_t_logistic(&claims);
        check_capped(&claims);
        check_figures(&claims);
        break;
    case MEASURE_TIME:
        check_times(&claims);
        break;
    case MEASURE_STARTS:
        check_starts(&claims);
        break;
    case MEASURE_SELECTION:
        check_rule(&claims);
        break;
    case MEASURE_NOTHING:
        break;
    }
    draft_table_end(draft);
    /* A caution about the tests, where there are any. */
    if (plan->experiment->measure == MEASURE_ACCURACY)
        draft_paragraph(draft, "Better and worse: a paired t-test over splits with p < 0.05. The "
                               "splits share rows, so that p is too small rather than too large; "
                               "one split allows no test.");
}
