/* ranking: sorts the rows by the probability that their label is wrong, or by their distance from other rows, and sums
 * up what is true of all of them. */
#include <math.h>

#include "audit/audit_steps.h"
#include "audit/radix_sort.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/duplicate_rows.h"
#include "tempered/losses.h"

/* Robust z-score from which a row counts as misplaced; of normally distributed ones about 2 in 10,000 are above it. */
static const double MISPLACED = 3.5;
/* An audit decides from this certainty on. Beyond SURE the lack of a gain is good news. */
static const double DECIDED_CERTAINTY = 0.6, SURE = 0.9;

/* ---- One row --------------------------------------------------------------------------------- */

/* The index of the largest of a[count] apart from a[own]; the first of equal ones. */
static size_t best_other(const double *a, size_t count, uint32_t own)
{
    size_t best = own == 0;
    for (size_t c = best + 1; c < count; c++)
        if (c != own && a[c] > a[best])
            best = c;
    return best;
}

/* Adds the row to the expected weights. `log_p` is the posterior of its true class. */
static void add_weight(const struct audit_input *in, const temper_audit_suspect *suspect, const double *log_p)
{
    struct audited_weights *weights = in->weights;
    double weight = in->labels.weight ? in->labels.weight[suspect->row] : 1;
    weights->rows += weight > 0;
    weights->wrong += weight > 0 ? suspect->score : 0;
    for (size_t c = 0; weights->joint && c < in->classes; c++)
        weights->joint[c * in->classes + suspect->given] += weight * exp(log_p[c]);
}

/* The score is 1 - p(given label is right), by expm1 so that small scores keep their digits. Also adds
 * the row to the expected number of wrong labels and to the expected counts of (true, given) classes. */
static void fill_suspect(const struct audit_input *in, const struct audit_fits *fits, const struct audit_noise *noise,
                         size_t row, temper_audit_report *report)
{
    const double *a = fits->activation[fits->main] + row * in->classes;
    const double *log_p = noise->log_posterior + row * in->classes;
    const temper_loss_spec *loss = &fits->loss[fits->main];
    temper_audit_suspect *out = &report->suspects[row];
    uint32_t given = in->data->label[row];
    /* The suggested label: the likeliest true class apart from the given one. */
    size_t other = best_other(log_p, in->classes, given);
    *out = (temper_audit_suspect){
        .row = row,
        .file_row = in->data->origin ? in->data->origin[row] : row,
        .line = in->data->line ? in->data->line[row] : 0,
        .given = given,
        .suggested = (uint32_t)other,
        .score = fmax(-expm1(log_p[given]), 0),
        .probability = exp(log_p[other]),
        .margin = a[given] - a[best_other(a, in->classes, given)],
        .importance = importance(a, in->classes, given, loss->t1, loss->t2),
        .low = noise->low[row],
        .high = noise->high[row],
    };
    report->wrong += out->score;
    report->wrong_low += out->low;
    report->wrong_high += out->high;
    /* Expected counts of (true, given) classes: the posterior of each true class. */
    for (size_t c = 0; report->transition && c < in->classes; c++)
        report->transition[c * in->classes + given] += exp(log_p[c]);
    if (in->weights)
        add_weight(in, out, log_p);
}

/* Fills the entries in the order of the rows. */
static void fill_suspects(const struct audit_input *in, const struct audit_fits *fits,
                          const struct audit_neighbours *near, const struct audit_noise *noise,
                          temper_audit_report *report)
{
    for (size_t row = 0; row < in->rows; row++) {
        fill_suspect(in, fits, noise, row, report);
        report->suspects[row].distance = near->distance[row];
    }
}

/* ---- All rows -------------------------------------------------------------------------------- */

/* Replaces the scores by robust z-scores of the log distances. Distances are in units of their median, so the median
 * of the logarithms is 0; 1.4826 times their median absolute value estimates a normal standard deviation. `order` is
 * space for twice the rows. */
static void score_distances(temper_audit_report *report, struct keyed_row *order)
{
    temper_audit_suspect *suspects = report->suspects;
    size_t rows = (size_t)report->rows;
    for (size_t row = 0; row < rows; row++) {
        suspects[row].score = log(fmax(suspects[row].distance, 1e-300));
        order[row] = (struct keyed_row){radix_key(fabs(suspects[row].score)), row};
    }
    radix_sort(order, rows, order + rows);
    /* With a median deviation of 0 there is no scale, and no row is misplaced. */
    double unit = 1.4826 * fabs(suspects[order[rows / 2].row].score);
    for (size_t row = 0; row < rows; row++) {
        suspects[row].score = unit > 0 ? fmin(suspects[row].score / unit, 1e6) : 0;
        suspects[row].low = suspects[row].high = (double)NAN; /* ranges of a probability */
    }
}

/* Marks rows with the same features and different labels, at least one of which must be wrong or the features
 * insufficient. Two passes: the first row of each set of duplicates collects the mark, then passes it to all. */
static temper_status mark_conflicts(const struct audit_input *in, temper_audit_report *report)
{
    temper_audit_suspect *suspects = report->suspects;
    const uint32_t *label = in->data->label;
    const struct dataset *features = in->given->x.columns > 0 ? in->given : in->features;
    if (!features)
        return TEMPER_OK;
    uint64_t *first = mem_alloc(in->rows, sizeof *first); /* the first row with the same features */
    temper_status status = first ? TEMPER_OK : error_no_memory(in->error);
    status = comm_agree(in->labels.comm, status, in->error);
    if (status == TEMPER_OK && first)
        status = duplicates_of_all(features, &in->labels, in->threads, first, in->error);
    for (size_t row = 0; status == TEMPER_OK && first && row < in->rows; row++)
        if (label[row] != label[first[row]])
            suspects[first[row]].conflict = 1;
    for (size_t row = 0; status == TEMPER_OK && first && row < in->rows; row++) {
        suspects[row].conflict = suspects[first[row]].conflict;
        report->conflicts += suspects[row].conflict != 0;
    }
    mem_free(first);
    return status;
}

/* Sorts the entries, the most suspicious first, and counts those that are supported: more likely wrong than right,
 * or misplaced. The key of labels is the posterior of the given label and not the score, which near 1 has lost the
 * digits that distinguish rows. */
static temper_status sort_suspects(const struct audit_input *in, const struct audit_noise *noise,
                                   struct keyed_row *order, temper_audit_report *report)
{
    temper_audit_suspect *sorted = mem_alloc(in->rows, sizeof *sorted);
    temper_audit_suspect *suspects = report->suspects;
    if (!sorted)
        return error_no_memory(in->error);
    for (size_t row = 0; row < in->rows; row++) {
        double key =
            report->by_row ? -suspects[row].score : noise->log_posterior[row * in->classes + suspects[row].given];
        order[row] = (struct keyed_row){radix_key(key), row};
    }
    radix_sort(order, in->rows, order + in->rows);
    for (size_t i = 0; i < in->rows; i++)
        sorted[i] = suspects[order[i].row];
    mem_free(suspects);
    report->suspects = sorted;
    /* The list is sorted by the score, up to rounding, so that supported rows are its first ones. */
    double enough = report->by_row ? MISPLACED : 0.5;
    while (!report->undecided && report->supported < in->rows && sorted[report->supported].score >= enough)
        report->supported++;
    return TEMPER_OK;
}

/* Whether the labels show that some of them are wrong. Otherwise nothing is listed by default. */
static void decide(const struct audit_noise *noise, temper_audit_report *report)
{
    report->gain = fmax(noise->gain, 0);
    report->certainty = noise->estimate.certainty;
    report->undecided = !report->by_row && (!noise->decided || report->certainty < DECIDED_CERTAINTY);
    if (!report->undecided)
        return;
    if (noise->by_rule)
        warning_append(
            &report->warnings, TEMPER_WARNING_UNDECIDED,
            "labels contradict the surest rows more often than the others, as mistakes do that follow a rule: a "
            "model learns these as if they were right, so that no row is listed and no share of wrong labels "
            "should be believed; ask for the most suspicious rows by number, and look at them");
    else if (report->certainty >= SURE)
        sentence_append(
            report->notes, sizeof report->notes,
            "no sign of wrong labels: the few that the features contradict are as many as a correct labelling "
            "leaves; ask for the most suspicious rows by number");
    else
        warning_append(
            &report->warnings, TEMPER_WARNING_UNDECIDED,
            "these data cannot tell wrong labels from overlapping classes: no row is listed, and no share of "
            "wrong labels should be believed; ask for the most suspicious rows by number, and look at them");
}

/* Warnings where the probabilities of the list should not be trusted. */
static void warn(temper_audit_report *report)
{
    if (report->wrong > 0.5 * (double)report->rows)
        warning_append(&report->warnings, TEMPER_WARNING_MOSTLY_WRONG,
                       "more than half of the labels look wrong: either the features contain little information "
                       "about them, or the classes are named wrongly; do not trust this list");
    if (report->rows < 200)
        warning_append(&report->warnings, TEMPER_WARNING_FEW_ROWS,
                       "with %zu rows the share of wrong labels is a guess; look at the order of the "
                       "list, not at its probabilities",
                       (size_t)report->rows);
}

/* Fills the report. It owns suspects and transition from the beginning, so that they are freed with it after a
 * failure. With many classes there is no transition table, which would have classes^2 cells. */
temper_status audit_rank(const struct audit_input *in, const struct audit_fits *fits,
                         const struct audit_neighbours *near, const struct audit_noise *noise,
                         temper_audit_report *report)
{
    /* The same bound as for the noise model's table. */
    size_t cells = in->classes <= NOISE_CLASSES ? in->classes * in->classes : 0;
    struct keyed_row *order = mem_alloc(in->rows, 2 * sizeof *order); /* and space for the sort */
    report->suspects = mem_alloc(in->rows, sizeof *report->suspects);
    report->transition = cells ? mem_zeroed(cells, sizeof *report->transition) : NULL;
    if (cells && in->weights)
        in->weights->joint = mem_zeroed(cells, sizeof *in->weights->joint);
    report->rows = in->rows;
    report->classes = in->classes;
    report->in_pairs = noise->estimate.best.transition != NULL;
    report->by_row = in->options->kind && in->options->kind[0] == 'r';
    decide(noise, report);
    temper_status status = TEMPER_NO_MEMORY;
    bool has_tables = !cells || (report->transition && (!in->weights || in->weights->joint));
    if (order && report->suspects && has_tables) {
        fill_suspects(in, fits, near, noise, report);
        status = mark_conflicts(in, report);
    } else {
        error_no_memory(in->error);
    }
    if (status == TEMPER_OK && report->by_row)
        score_distances(report, order);
    if (status == TEMPER_OK)
        status = sort_suspects(in, noise, order, report);
    if (status == TEMPER_OK)
        warn(report);
    mem_free(order);
    return status;
}
