/* audit_list: from what is known of the rows to a ranked list, and to figures about all of them. */
#include <math.h>
#include <stdlib.h>

#include "audit/audit_state.h"
#include "base/memory.h"
#include "data/duplicate_rows.h"
#include "search/tune_state.h"
#include "tempered/losses.h"

/* Rows further from their neighbours than all but some of 10,000 would be. */
static const double misplaced = 3.5;

/* A row and what it is sorted by. */
struct rank {
    double key; /* ascending */
    size_t row;
};

/* ---- One row --------------------------------------------------------------------------------- */

static size_t best_other(const double *a, size_t count, uint32_t own)
{
    size_t best = own == 0;
    for (size_t c = best + 1; c < count; c++)
        if (c != own && a[c] > a[best])
            best = c;
    return best;
}

static void fill_suspect(struct audit *audit, size_t row, double *space, temper_audit_suspect *out)
{
    const double *a = audit->activation + row * audit->classes;
    uint32_t given = audit->data->label[row];
    double all = audit_row(audit, row, space);
    size_t other = best_other(space, audit->classes, given);
    *out = (temper_audit_suspect){
        .row = row,
        .file_row = audit->data->origin ? audit->data->origin[row] : row,
        .line = audit->data->line ? audit->data->line[row] : 0,
        .given = given,
        .suggested = (uint32_t)other,
        .score = fmax(-expm1(space[given] - all), 0),
        .probability = exp(space[other] - all),
        .margin = a[given] - a[best_other(a, audit->classes, given)],
        .distance = audit->distance[row],
        .importance = importance(a, audit->classes, given, audit->loss.t1, audit->loss.t2),
        .low = (double)NAN,
        .high = (double)NAN,
    };
    temper_audit_report *report = &audit->report;
    report->wrong += out->score;
    for (size_t c = 0; report->transition && c < audit->classes; c++)
        report->transition[c * audit->classes + given] += exp(space[c] - all);
}

/* What the score would be at the ends of the range of the share of wrong labels. */
static void add_range(struct audit *audit, size_t row, temper_audit_suspect *out)
{
    const double *evidence = audit->evidence + TWO_EVIDENCE * row;
    double space[2];
    double all = noise_binary_row(&audit->two.low, evidence, out->given, space);
    out->low = fmin(exp(space[1 - out->given] - all), out->score);
    all = noise_binary_row(&audit->two.high, evidence, out->given, space);
    out->high = fmax(exp(space[1 - out->given] - all), out->score);
    audit->report.wrong_low += out->low;
    audit->report.wrong_high += out->high;
}

/* ---- Distances ------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct rank *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

static double median(struct rank *rank, size_t count)
{
    qsort(rank, count, sizeof *rank, by_key);
    return rank[count / 2].key;
}

/* How far the logarithm of a distance is from the median, which is 0, in units of 1.4826 times the
 * median deviation: the standard deviation, were they normal. */
static void score_distances(struct audit *audit, struct rank *rank)
{
    temper_audit_suspect *suspects = audit->report.suspects;
    for (size_t row = 0; row < audit->rows; row++) {
        suspects[row].score = log(fmax(suspects[row].distance, 1e-300));
        rank[row] = (struct rank){fabs(suspects[row].score), row};
    }
    double unit = 1.4826 * median(rank, audit->rows);
    for (size_t row = 0; row < audit->rows; row++) {
        suspects[row].score = unit > 0 ? fmin(suspects[row].score / unit, 1e6) : 0;
        suspects[row].low = suspects[row].high = (double)NAN; /* they were of a probability */
    }
}

/* ---- Conflicts ------------------------------------------------------------------------------- */

static temper_status mark_conflicts(struct audit *audit)
{
    temper_audit_suspect *suspects = audit->report.suspects;
    const uint32_t *label = audit->data->label;
    uint64_t *first = mem_alloc(audit->rows, sizeof *first);
    temper_status status =
        first ? duplicates_of_all(audit->given, &audit->roll, first, audit->error) : error_no_memory(audit->error);
    for (size_t row = 0; status == TEMPER_OK && row < audit->rows; row++)
        if (label[row] != label[first[row]])
            suspects[first[row]].conflict = 1;
    for (size_t row = 0; status == TEMPER_OK && row < audit->rows; row++) {
        suspects[row].conflict = suspects[first[row]].conflict;
        audit->report.conflicts += suspects[row].conflict != 0;
    }
    mem_free(first);
    return status;
}

/* ---- The list -------------------------------------------------------------------------------- */

static temper_status sort_suspects(struct audit *audit, struct rank *rank)
{
    temper_audit_suspect *sorted = mem_alloc(audit->rows, sizeof *sorted);
    temper_audit_suspect *suspects = audit->report.suspects;
    if (!sorted)
        return error_no_memory(audit->error);
    /* By the probability of the given label, which has its digits where the score is nearly 1. */
    for (size_t row = 0; row < audit->rows; row++)
        rank[row] = (struct rank){audit->report.by_row ? -suspects[row].score : audit->belief[row], row};
    qsort(rank, audit->rows, sizeof *rank, by_key);
    for (size_t i = 0; i < audit->rows; i++)
        sorted[i] = suspects[rank[i].row];
    mem_free(suspects);
    audit->report.suspects = sorted;
    double enough = audit->report.by_row ? misplaced : 0.5;
    while (audit->report.supported < audit->rows && sorted[audit->report.supported].score >= enough)
        audit->report.supported++;
    return TEMPER_OK;
}

static void warn(struct audit *audit)
{
    temper_audit_report *report = &audit->report;
    if (report->wrong > 0.5 * (double)audit->rows)
        sentence_add(report->warnings, sizeof report->warnings,
                     "more than half of the labels look wrong: either the features tell little "
                     "about them, or the classes are named wrongly; do not trust this list");
    if (audit->rows < 200)
        sentence_add(report->warnings, sizeof report->warnings,
                     "with %zu rows the share of wrong labels is a guess; look at the order of the "
                     "list, not at its probabilities",
                     audit->rows);
}

temper_status audit_list(struct audit *audit)
{
    temper_audit_report *report = &audit->report;
    size_t cells = audit->classes <= NOISE_CLASSES ? audit->classes * audit->classes : 0;
    double *space = mem_alloc(audit->classes, sizeof *space);
    struct rank *rank = mem_alloc(audit->rows, sizeof *rank);
    report->suspects = mem_alloc(audit->rows, sizeof *report->suspects);
    report->transition = cells ? mem_zeroed(cells, sizeof *report->transition) : NULL;
    report->rows = audit->rows;
    report->classes = audit->classes;
    report->in_pairs = audit->model.in_pairs;
    report->by_row = audit->options->kind && audit->options->kind[0] == 'r';
    temper_status status =
        space && rank && report->suspects && (!cells || report->transition) ? TEMPER_OK : error_no_memory(audit->error);
    for (size_t row = 0; status == TEMPER_OK && row < audit->rows; row++)
        fill_suspect(audit, row, space, &report->suspects[row]);
    for (size_t row = 0; status == TEMPER_OK && audit->classes == 2 && row < audit->rows; row++)
        add_range(audit, row, &report->suspects[row]);
    if (audit->classes > 2)
        report->wrong_low = report->wrong_high = (double)NAN;
    if (status == TEMPER_OK)
        status = mark_conflicts(audit);
    if (status == TEMPER_OK && report->by_row)
        score_distances(audit, rank);
    if (status == TEMPER_OK)
        status = sort_suspects(audit, rank);
    if (status == TEMPER_OK)
        warn(audit);
    mem_free(space);
    mem_free(rank);
    return status;
}
