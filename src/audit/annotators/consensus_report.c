/* consensus_report: labels, annotators, and the items to label again, from what was estimated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/annotators/consensus.h"
#include "base/memory.h"

static const double QUANTILE = 1.6448536269514722; /* of the normal distribution at 0.95: a 90 % interval */
/* Standard deviations are multiplied by it: priors are estimated from the same votes and the items' classes by the same
 * annotators, but taken as known. On crowds of bench/quality/annotators.py 90 % intervals without it have the true
 * accuracy in 65 to 95 % of cases, mostly 80 to 88 %. */
static const double WIDENED = 1.3;

/* Limits of the flags: of kappa = (accuracy - chance) / (1 - chance), of accuracy in chances, and of shares. */
static const double RANDOM_KAPPA = 0.15, RANDOM_HIGH = 0.3, INVERTED = 0.75;
static const double CONSTANT_LABELS = 0.95, CONSTANT_CLASS = 0.8;
static const double MOST_MISSING = 0.9; /* share of information */

/* ---- Items ----------------------------------------------------------------------------------- */

static double entropy_of(const double *q, size_t classes)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++)
        if (q[c] > 0)
            sum -= q[c] * log(q[c]);
    return sum;
}

/* The expected largest probability after one more vote by the pooled matrix, less the present one: the sum over labels
 * l of max_c q_c pooled[c][l]. Never below 0, as the mean of the next posterior is the present one. */
static double gain_of(const struct crowd *crowd, const double *q, double best)
{
    size_t classes = crowd->classes;
    double sum = 0;
    for (size_t l = 0; l < classes; l++) {
        double most = 0;
        for (size_t c = 0; c < classes; c++)
            most = fmax(most, q[c] * crowd->pooled[l * classes + c]);
        sum += most;
    }
    return fmax(sum - best, 0);
}

static void fill_item(const struct crowd *crowd, size_t item, bool majority, temper_item_consensus *out)
{
    const struct votes *votes = crowd->votes;
    const double *q = crowd->posterior + item * crowd->classes;
    size_t from = votes->item_start[item], to = votes->item_start[item + 1], agreeing = 0;
    uint32_t label = crowd_best_class(crowd, item);
    for (size_t i = from; i < to; i++)
        agreeing += votes->of_item[i].label == label;
    bool known = to > from || (!majority && crowd->prior.evidence);
    *out = (temper_item_consensus){.label = known ? label : TEMPER_NO_LABEL,
                                   .votes = to - from,
                                   .probability = known ? q[label] : (double)NAN,
                                   .agreement = to > from ? (double)agreeing / (double)(to - from) : (double)NAN,
                                   .entropy = entropy_of(q, crowd->classes),
                                   .gain = gain_of(crowd, q, q[label])};
}

/* Sort key of an item to label again. */
struct again_order {
    double gain, entropy;
    size_t item;
};

/* Gains that differ by rounding are equal: mostly 0, where no single vote could change the label. */
static int by_gain(const void *first, const void *second)
{
    const struct again_order *a = first, *b = second;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    if (a->entropy != b->entropy)
        return a->entropy > b->entropy ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static temper_status rank_items(temper_consensus_report *report, temper_error *error)
{
    struct again_order *order = mem_alloc(report->items, sizeof *order);
    if (!order)
        return error_no_memory(error);
    for (size_t i = 0; i < report->items; i++)
        order[i] = (struct again_order){round(report->item[i].gain * 1e9), report->item[i].entropy, i};
    qsort(order, report->items, sizeof *order, by_gain);
    for (size_t i = 0; i < report->items; i++)
        report->again[i] = order[i].item;
    mem_free(order);
    return TEMPER_OK;
}

/* ---- Annotators ------------------------------------------------------------------------------ */

/* Shares of the true classes among the items of an annotator, of its labels, and of labels that are the consensus. */
struct annotator_shares {
    double *classes, *labels;
};

/* The share of what is not known about an annotator's accuracy because its labels are not known to be right or wrong
 * (Louis 1982): the variance of "right", given all votes, over its variance without any. */
static double missing_information(const struct crowd *crowd, size_t annotator, double accuracy)
{
    const struct votes *votes = crowd->votes;
    size_t from = votes->annotator_start[annotator], to = votes->annotator_start[annotator + 1];
    double unknown = 0;
    for (size_t i = from; i < to; i++) {
        struct half_vote vote = votes->of_annotator[i];
        double q = crowd->posterior[(size_t)vote.other * crowd->classes + vote.label];
        unknown += q * (1 - q) / (double)(to - from);
    }
    return fmin(unknown / fmax(accuracy * (1 - accuracy), 1e-9), MOST_MISSING);
}

/* Posterior variance of the accuracy: of the matrix given its prior, and of the ability. */
static double accuracy_variance(const struct crowd *crowd, size_t annotator, const double *share, double accuracy)
{
    size_t classes = crowd->classes;
    double matrix = 0, tilt = 0;
    bool finite = isfinite(crowd->strength);
    for (size_t c = 0; c < classes; c++) {
        double right = crowd_confusion(crowd, annotator, c, c), mean = crowd_prior_mean(crowd, annotator, c, c);
        double total = crowd->total[annotator * classes + c];
        double strength = crowd->strength * crowd->class_strength[c];
        double prior = finite ? strength / (total + strength) : 1;
        if (finite)
            matrix += share[c] * share[c] * right * (1 - right) / (total + strength + 1);
        tilt += share[c] * prior * mean * (1 - mean);
    }
    double variance = matrix + tilt * tilt * crowd->ability_variance[annotator];
    return WIDENED * WIDENED * variance / (1 - missing_information(crowd, annotator, accuracy));
}

/* Wilson's score interval of as many labels as have this variance, which is sound near 0 and 1 too. */
static void fill_interval(temper_annotator_summary *out, double variance)
{
    double p = out->accuracy, square = QUANTILE * QUANTILE;
    double labels = fmax(p * (1 - p), 1e-12) / fmax(variance, 1e-12);
    double centre = (p + square / (2 * labels)) / (1 + square / labels);
    double half = QUANTILE / (1 + square / labels) * sqrt(p * (1 - p) / labels + square / (4 * labels * labels));
    out->low = fmin(fmax(centre - half, 0), p);
    out->high = fmax(fmin(centre + half, 1), p);
}

static unsigned flags_of(const temper_annotator_summary *one, const struct annotator_shares *shares, size_t classes)
{
    size_t usual = 0;
    double rest = fmax(1 - one->chance, 1e-9);
    if (one->labels < TEMPER_ANNOTATOR_FEWEST || classes < 2)
        return 0;
    for (size_t c = 1; c < classes; c++)
        usual = shares->labels[c] > shares->labels[usual] ? c : usual;
    if (shares->labels[usual] >= CONSTANT_LABELS && shares->classes[usual] < CONSTANT_CLASS)
        return TEMPER_ANNOTATOR_CONSTANT;
    if (one->high < one->chance && one->accuracy < INVERTED * one->chance)
        return TEMPER_ANNOTATOR_INVERTED;
    if ((one->accuracy - one->chance) / rest < RANDOM_KAPPA && (one->high - one->chance) / rest < RANDOM_HIGH)
        return TEMPER_ANNOTATOR_RANDOM;
    return 0;
}

/* The most frequent kind of mistake: expected labels by true class and label. */
static void find_confused(const struct crowd *crowd, size_t annotator, const struct annotator_shares *shares,
                          temper_annotator_summary *out)
{
    size_t classes = crowd->classes;
    for (size_t c = 0; c < classes; c++) {
        double total = crowd->total[annotator * classes + c];
        for (size_t l = 0; l < classes && total > 0; l++) {
            double labels = crowd->count ? crowd->count[(annotator * classes + l) * classes + c]
                                         : total * crowd_confusion(crowd, annotator, c, l);
            /* A label that it never gave cannot be its mistake. */
            if (l != c && shares->labels[l] > 0 && labels > out->confused_labels) {
                out->confused = (uint32_t)c;
                out->confused_with = (uint32_t)l;
                out->confused_labels = labels;
            }
        }
    }
}

static void fill_annotator(const struct crowd *crowd, size_t annotator, const temper_item_consensus *item,
                           const struct annotator_shares *shares, temper_annotator_summary *out)
{
    const struct votes *votes = crowd->votes;
    size_t classes = crowd->classes, from = votes->annotator_start[annotator],
           to = votes->annotator_start[annotator + 1], agreeing = 0;
    double labels = (double)(to - from);
    *out = (temper_annotator_summary){.labels = to - from};
    memset(shares->labels, 0, classes * sizeof *shares->labels);
    for (size_t i = from; i < to; i++) {
        shares->labels[votes->of_annotator[i].label] += 1 / labels;
        agreeing += item[votes->of_annotator[i].other].label == votes->of_annotator[i].label;
    }
    /* Without labels, as for the average item. */
    for (size_t c = 0; c < classes; c++)
        shares->classes[c] = to > from ? crowd->total[annotator * classes + c] / labels : 1 / (double)classes;
    for (size_t c = 0; c < classes; c++) {
        out->accuracy += shares->classes[c] * crowd_confusion(crowd, annotator, c, c);
        out->chance += shares->classes[c] * shares->labels[c];
    }
    out->agreement = to > from ? (double)agreeing / labels : (double)NAN;
    fill_interval(out, accuracy_variance(crowd, annotator, shares->classes, out->accuracy));
    find_confused(crowd, annotator, shares, out);
    out->flags = flags_of(out, shares, classes);
}

/* ---- The report ------------------------------------------------------------------------------ */

static temper_status allocate_report(const struct crowd *crowd, temper_consensus_report *report, temper_error *error)
{
    size_t classes = crowd->classes;
    report->items = crowd->items;
    report->annotators = crowd->annotators;
    report->classes = classes;
    report->item = mem_alloc(crowd->items, sizeof *report->item);
    report->posterior = mem_alloc(crowd->items, classes * sizeof *report->posterior);
    report->annotator = mem_alloc(crowd->annotators, sizeof *report->annotator);
    report->shares = mem_alloc(classes, sizeof *report->shares);
    report->again = mem_alloc(crowd->items, sizeof *report->again);
    size_t square, cells;
    if (mul_size(classes, classes, &square) && mul_size(square, crowd->annotators, &cells) && cells <= CROWD_MOST_CELLS)
        report->confusion = mem_alloc(cells, sizeof *report->confusion);
    else
        cells = 0;
    bool made = report->item && report->posterior && report->annotator && report->shares && report->again &&
                (report->confusion || cells == 0);
    return made ? TEMPER_OK : error_no_memory(error);
}

static temper_status fill_annotators(const struct crowd *crowd, temper_consensus_report *report, temper_error *error)
{
    size_t classes = crowd->classes;
    struct annotator_shares shares = {mem_alloc(classes, sizeof(double)), mem_alloc(classes, sizeof(double))};
    bool made = shares.classes && shares.labels;
    for (size_t a = 0; made && a < crowd->annotators; a++) {
        fill_annotator(crowd, a, report->item, &shares, &report->annotator[a]);
        for (size_t i = 0; report->confusion && i < classes * classes; i++)
            report->confusion[a * classes * classes + i] = crowd_confusion(crowd, a, i / classes, i % classes);
    }
    mem_free(shares.classes);
    mem_free(shares.labels);
    return made ? TEMPER_OK : error_no_memory(error);
}

/* How often the model alone would give the consensus. */
static double model_agreement(const struct crowd *crowd, const temper_item_consensus *item)
{
    size_t agreeing = 0, all = 0, classes = crowd->classes;
    for (size_t i = 0; i < crowd->items; i++) {
        const double *evidence = crowd->prior.evidence + i * classes;
        size_t best = 0;
        for (size_t c = 1; c < classes; c++)
            best = evidence[c] > evidence[best] ? c : best;
        all += item[i].votes > 0;
        agreeing += item[i].votes > 0 && item[i].label == best;
    }
    return all ? (double)agreeing / (double)all : (double)NAN;
}

/* Shares of the classes: with a model, of the posteriors. */
static void fill_shares(const struct crowd *crowd, double *shares)
{
    double all = 0;
    memset(shares, 0, crowd->classes * sizeof *shares);
    for (size_t i = 0; i < crowd->items; i++) {
        all += crowd->has_votes[i];
        for (size_t c = 0; c < crowd->classes; c++)
            shares[c] += crowd->has_votes[i] ? crowd->posterior[i * crowd->classes + c] : 0;
    }
    for (size_t c = 0; c < crowd->classes; c++)
        shares[c] /= all;
}

temper_status consensus_summarise(const struct crowd *crowd, bool majority, temper_consensus_report *report,
                                  temper_error *error)
{
    TRY(allocate_report(crowd, report, error));
    memcpy(report->posterior, crowd->posterior, crowd->items * crowd->classes * sizeof *crowd->posterior);
    report->wrong = 0;
    for (size_t i = 0; i < crowd->items; i++) {
        fill_item(crowd, i, majority, &report->item[i]);
        report->wrong += report->item[i].label == TEMPER_NO_LABEL ? 0 : 1 - report->item[i].probability;
    }
    fill_shares(crowd, report->shares);
    TRY(fill_annotators(crowd, report, error));
    TRY(rank_items(report, error));
    report->suggested_again = (size_t)ceil(fmin(report->wrong, (double)report->items));
    if (report->wrong < 0.5)
        report->suggested_again = 0;
    report->strength = crowd->strength;
    report->iterations = crowd->iterations;
    report->likelihood = majority ? (double)NAN : crowd->objective;
    if (majority)
        report->wrong = (double)NAN;
    if (crowd->prior.evidence) {
        report->sharpness = crowd->prior.sharpness;
        report->model_agreement = model_agreement(crowd, report->item);
    }
    return TEMPER_OK;
}
