/* half_split_stats: error rates by rank of the confidence of the model that has not seen the row. */
#include "search/half_split_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Ranks that separate the bands of confidence. */
static const double bounds[TEMPER_CONFIDENCE_BANDS - 1] = {0.1, 0.2, 0.4, 0.6, 0.8, 0.9};
/* The rank from which rows are the most confident ones; and the share of the median confidence below which a row is
 * undecided. */
static const double TOP = 0.8, UNDECIDED = 0.1;
/* Cells of the code length for each predicted class, by rank. */
enum { CELLS_BINARY = 10, CELLS_MULTICLASS = 4 };

struct confidence_rank {
    double confidence;
    size_t row;
};

/* A row in its cell of the code length. */
struct coded_row {
    uint64_t cell;
    uint32_t label;
    double weight;
};

struct half_split_workspace {
    struct confidence_rank *order;
    struct coded_row *coded;
    double *rank;  /* of each row within its half, in (0, 1); -1: it has no weight */
    double *share; /* [2][classes]: predicted, labelled */
};

/* Without weights, every row counts once. */
static double weight_of(const struct half_split *halves, size_t row)
{
    return halves->weight ? halves->weight[row] : 1;
}

/* The prediction of a row by the model that has not seen it. */
static uint32_t held_out(const struct half_split *halves, size_t row)
{
    return halves->predicted[halves->part[row]][row];
}

/* Whether the held-out prediction contradicts the given label. */
static bool is_wrong(const struct half_split *halves, size_t row)
{
    return held_out(halves, row) != halves->label[row];
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Ties by row, so that the order is strict. */
static int by_confidence(const void *a, const void *b)
{
    const struct confidence_rank *first = a, *second = b;
    if (first->confidence != second->confidence)
        return first->confidence < second->confidence ? -1 : 1;
    return first->row < second->row ? -1 : first->row > second->row;
}

/* Ranks the rows of one half by confidence; equal ones get the middle of their ranks. Returns the weight of the
 * undecided rows. */
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
    for (size_t i = 0, end; i < count; i = end) {
        double equal = 0;
        for (end = i; end < count && space->order[end].confidence == space->order[i].confidence; end++)
            equal += weight_of(halves, space->order[end].row);
        for (size_t k = i; k < end; k++)
            space->rank[space->order[k].row] = (before + equal / 2) / all;
        before += equal;
        if (isnan(median) && before >= all / 2)
            median = space->order[i].confidence;
    }
    for (size_t i = 0; i < count; i++)
        if (space->order[i].confidence < UNDECIDED * median)
            undecided += weight_of(halves, space->order[i].row);
    return undecided;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* The band of a rank; bands are narrower at both ends. */
static size_t band_of(double rank)
{
    size_t band = 0;
    while (band < TEMPER_CONFIDENCE_BANDS - 1 && rank >= bounds[band])
        band++;
    return band;
}

/* Error rates of all rows, of each band and of the most confident, and the agreement of the two models. */
static void measure_errors(const struct half_split *halves, const struct half_split_workspace *space,
                           temper_tune_candidate *out)
{
    double all = 0, wrong = 0, agree = 0, band[TEMPER_CONFIDENCE_BANDS][2] = {{0}};
    double top = 0, top_wrong = 0;
    for (size_t row = 0; row < halves->rows; row++) {
        double weight = weight_of(halves, row), rank = space->rank[row];
        double miss = is_wrong(halves, row) ? weight : 0;
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

/* The class that is predicted least, for what it has. */
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

/* log Gamma(x), x > 0, by Stirling's series; lgamma writes to a global. */
static double log_gamma(double x)
{
    const double half_log_two_pi = 0.91893853320467274178;
    double shift = 0;
    while (x < 10) {
        shift += log(x);
        x += 1;
    }
    double y = 1 / (x * x);
    double series = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x;
    return (x - 0.5) * log(x) - x + half_log_two_pi + series - shift;
}

/* By cell, then label, then weight: sums have the same bits whatever the order of the rows. */
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
            nats -= log_gamma(of_label + alpha) - log_gamma(alpha);
            in_cell += of_label;
        }
        nats += log_gamma(in_cell + 1); /* C alpha = 1 */
    }
    return nats;
}

/* The code length per row, given the predicted class and the rank of the confidence. */
static double measure_code(const struct half_split *halves, const struct half_split_workspace *space)
{
    size_t cells = halves->classes == 2 ? CELLS_BINARY : CELLS_MULTICLASS, count = 0;
    double all = 0;
    for (size_t row = 0; row < halves->rows; row++) {
        double rank = space->rank[row];
        if (rank < 0)
            continue;
        uint64_t cell = (uint64_t)held_out(halves, row) * cells + (uint64_t)(rank * (double)cells);
        space->coded[count++] = (struct coded_row){cell, halves->label[row], weight_of(halves, row)};
        all += weight_of(halves, row);
    }
    qsort(space->coded, count, sizeof *space->coded, by_cell);
    return code_length(space->coded, count, halves->classes) / all;
}

/* Ranks are within each half: the confidences of two models are not on the same scale. */
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
