/* half_split_stats: error rates by rank of the confidence of the model that has not seen the row.
 *
 * Two models, each fitted without one half of the rows, predict every row once held out and once not. Ranks of the
 * confidence within a half make the scores of different losses comparable. Three kinds of measures follow: error rates
 * in bands of the rank, which show labels that contradict confident predictions; the agreement of the two models, which
 * shows how much the fit depends on the rows; and the length of a code for the labels given predicted class and band,
 * which is short wherever labels are predictable, even where they are flipped. */
#include "search/half_split_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/statistics.h"

/* Upper ranks of the bands of confidence but the last; rank 0 is the least confident row, 1 the most. */
static const double bounds[TEMPER_CONFIDENCE_BANDS - 1] = {0.1, 0.2, 0.4, 0.6, 0.8, 0.9};
/* Rows of rank TOP and more count as the most confident ones. Rows with less than UNDECIDED times the median
 * confidence count as undecided. */
static const double TOP = 0.8, UNDECIDED = 0.1;
/* The code length divides the rows of each predicted class into this number of cells by rank; fewer for many
 * classes, which leave fewer rows per cell. */
enum { CELLS_BINARY = 10, CELLS_MULTICLASS = 4 };

/* Sort key of a row. */
struct confidence_rank {
    double confidence;
    size_t row;
};

/* Sort key of a row for the code length; `cell` combines predicted class and rank. */
struct coded_row {
    uint64_t cell;
    uint32_t label;
    double weight;
};

/* Arrays of one call of half_split_measure: one entry per row, except `share`. */
struct half_split_workspace {
    struct confidence_rank *order;
    struct coded_row *coded;
    double *rank;  /* of each row within its half, in (0, 1); -1: it has no weight */
    double *share; /* [2][classes]: predicted, labelled */
};

/* The weight of a row; 1 without weights. */
static double weight_of(const struct half_split *halves, size_t row)
{
    return halves->weight ? halves->weight[row] : 1;
}

/* predicted[p] are the predictions of the model fitted without part p, which has not seen the rows of that part. */
static uint32_t held_out(const struct half_split *halves, size_t row)
{
    return halves->predicted[halves->part[row]][row];
}

/* Whether the held-out prediction differs from the given label, whichever of the two is right. */
static bool is_wrong(const struct half_split *halves, size_t row)
{
    return held_out(halves, row) != halves->label[row];
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Ties by row: qsort is not stable, and results must not depend on its implementation. */
static int by_confidence(const void *a, const void *b)
{
    const struct confidence_rank *first = a, *second = b;
    if (first->confidence != second->confidence)
        return first->confidence < second->confidence ? -1 : 1;
    return first->row < second->row ? -1 : first->row > second->row;
}

/* Fills space->rank of the rows of one half with the share of weight that is less confident, plus half the weight of
 * equal confidence. Returns the weight of the undecided rows of the half. */
static double rank_part(const struct half_split *halves, struct half_split_workspace *space, uint32_t part)
{
    double all = 0, before = 0, median = NAN, undecided = 0;
    size_t count = 0;
    for (size_t row = 0; row < halves->rows; row++)
        if (halves->part[row] == part && weight_of(halves, row) > 0) {
            space->order[count++] = (struct confidence_rank){halves->confidence[row], row};
            all += weight_of(halves, row);
        }
    qsort(space->order, count, sizeof *space->order, by_confidence);
    /* Runs of equal confidence share one rank, so that it does not depend on the order of the rows. */
    for (size_t i = 0, end; i < count; i = end) {
        double equal = 0;
        for (end = i; end < count && space->order[end].confidence == space->order[i].confidence; end++)
            equal += weight_of(halves, space->order[end].row);
        for (size_t k = i; k < end; k++)
            space->rank[space->order[k].row] = (before + equal / 2) / all;
        before += equal;
        /* The weighted median: the first confidence at which half of the weight is reached. */
        if (isnan(median) && before >= all / 2)
            median = space->order[i].confidence;
    }
    for (size_t i = 0; i < count; i++)
        if (space->order[i].confidence < UNDECIDED * median)
            undecided += weight_of(halves, space->order[i].row);
    return undecided;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* The band of a rank in [0, 1], by the bounds above. */
static size_t band_of(double rank)
{
    size_t band = 0;
    while (band < TEMPER_CONFIDENCE_BANDS - 1 && rank >= bounds[band])
        band++;
    return band;
}

/* Weighted error rates of all rows, of each band and of the most confident rows, and the share of rows for which
 * both half models predict the same class. */
static void measure_errors(const struct half_split *halves, const struct half_split_workspace *space,
                           temper_tune_candidate *out)
{
    double all = 0, wrong = 0, agree = 0, band[TEMPER_CONFIDENCE_BANDS][2] = {{0}};
    double top = 0, top_wrong = 0;
    for (size_t row = 0; row < halves->rows; row++) {
        double weight = weight_of(halves, row), rank = space->rank[row];
        double miss = is_wrong(halves, row) ? weight : 0;
        /* Rows without weight have no rank. */
        if (rank < 0)
            continue;
        all += weight;
        wrong += miss;
        agree += halves->predicted[0][row] == halves->predicted[1][row] ? weight : 0;
        band[band_of(rank)][0] += weight;
        band[band_of(rank)][1] += miss;
        top += rank >= TOP ? weight : 0;
        top_wrong += rank >= TOP ? miss : 0;
    }
    out->half_accuracy = 1 - wrong / all;
    out->agreement = agree / all;
    for (size_t i = 0; i < TEMPER_CONFIDENCE_BANDS; i++)
        out->band_error[i] = band[i][0] > 0 ? band[i][1] / band[i][0] : (double)NAN;
    out->top_error = top > 0 ? top_wrong / top : 0;
    out->top_ratio = wrong > 0 ? out->top_error / (wrong / all) : 0;
}

/* The least ratio, over the classes that occur, of the weight predicted as a class to the weight labelled so. Near 0, a
 * candidate has given up a class. Bounded losses can reach a low value that way, since all rows of the class then cost
 * no more than the bound. */
static double measure_balance(const struct half_split *halves, const struct half_split_workspace *space)
{
    double least = INFINITY, *predicted = space->share, *labelled = predicted + halves->classes;
    memset(predicted, 0, 2 * halves->classes * sizeof *predicted);
    for (size_t row = 0; row < halves->rows; row++)
        if (space->rank[row] >= 0) {
            predicted[held_out(halves, row)] += weight_of(halves, row);
            labelled[halves->label[row]] += weight_of(halves, row);
        }
    for (size_t c = 0; c < halves->classes; c++)
        if (labelled[c] > 0)
            least = fmin(least, predicted[c] / labelled[c]);
    return least;
}

/* ---- Code length ----------------------------------------------------------------------------- */

/* By cell, then label, then weight: rows that compare equal are interchangeable, so that the sums have the same bits
 * for any order of the rows. */
static int by_cell(const void *a, const void *b)
{
    const struct coded_row *first = a, *second = b;
    if (first->cell != second->cell)
        return first->cell < second->cell ? -1 : 1;
    if (first->label != second->label)
        return first->label < second->label ? -1 : 1;
    return first->weight < second->weight ? -1 : first->weight > second->weight;
}

/* The code length of the labels, in nats: -log of their probability in each cell under a Dirichlet prior with alpha =
 * 1/C (the Dirichlet-multinomial distribution). Rows are sorted by cell and label. */
static double code_length(const struct coded_row *coded, size_t count, size_t classes)
{
    double alpha = 1 / (double)classes, nats = 0;
    for (size_t i = 0; i < count;) {
        uint64_t cell = coded[i].cell;
        double in_cell = 0;
        while (i < count && coded[i].cell == cell) {
            uint32_t label = coded[i].label;
            double of_label = 0;
            for (; i < count && coded[i].cell == cell && coded[i].label == label; i++)
                of_label += coded[i].weight;
            /* log Gamma(n + alpha) / Gamma(alpha) for each label, log Gamma(N + 1) / Gamma(1) for the cell, of N
             * rows. */
            nats -= log_gamma(of_label + alpha) - log_gamma(alpha);
            in_cell += of_label;
        }
        nats += log_gamma(in_cell + 1); /* C alpha = 1 */
    }
    return nats;
}

/* The code length of the labels in nats per unit of weight, where a row's cell is given by predicted class and rank
 * of confidence. Short where labels are predictable from the cell, even if they contradict the prediction. */
static double measure_code(const struct half_split *halves, const struct half_split_workspace *space)
{
    size_t cells = halves->classes == 2 ? CELLS_BINARY : CELLS_MULTICLASS, count = 0;
    double all = 0;
    for (size_t row = 0; row < halves->rows; row++) {
        double rank = space->rank[row];
        if (rank < 0)
            continue;
        /* A rank is less than 1, so that a class has exactly `cells` cells. */
        uint64_t cell = (uint64_t)held_out(halves, row) * cells + (uint64_t)(rank * (double)cells);
        space->coded[count++] = (struct coded_row){cell, halves->label[row], weight_of(halves, row)};
        all += weight_of(halves, row);
    }
    qsort(space->coded, count, sizeof *space->coded, by_cell);
    return code_length(space->coded, count, halves->classes) / all;
}

void half_split_copy(const temper_tune_candidate *from, temper_tune_candidate *to)
{
    to->half_accuracy = from->half_accuracy;
    to->agreement = from->agreement;
    memcpy(to->band_error, from->band_error, sizeof to->band_error);
    to->top_error = from->top_error;
    to->top_ratio = from->top_ratio;
    to->undecided = from->undecided;
    to->balance = from->balance;
    to->code_length = from->code_length;
}

/* Ranks are within each half, since the scores of two models are not on the same scale: penalty and rows alike, one may
 * still have larger weights. A rank of -1 marks rows that count nowhere. */
temper_status half_split_measure(const struct half_split *halves, temper_tune_candidate *out, temper_error *error)
{
    struct half_split_workspace space = {.order = mem_alloc(halves->rows, sizeof *space.order),
                                         .coded = mem_alloc(halves->rows, sizeof *space.coded),
                                         .rank = mem_alloc(halves->rows, sizeof *space.rank),
                                         .share = mem_alloc(halves->classes, 2 * sizeof *space.share)};
    bool allocated = space.order && space.coded && space.rank && space.share;
    if (allocated) {
        double all = 0;
        for (size_t row = 0; row < halves->rows; row++) {
            space.rank[row] = -1;
            all += weight_of(halves, row);
        }
        double first = rank_part(halves, &space, 0), second = rank_part(halves, &space, 1);
        measure_errors(halves, &space, out);
        out->undecided = (first + second) / all;
        out->balance = measure_balance(halves, &space);
        out->code_length = measure_code(halves, &space);
    }
    mem_free(space.order);
    mem_free(space.coded);
    mem_free(space.rank);
    mem_free(space.share);
    return allocated ? TEMPER_OK : error_no_memory(error);
}
