/* health: sums an audit up by class and by pair of classes, and lists near duplicates and outliers. */
#include "audit/health/health.h"

#include <math.h>
#include <stdlib.h>

#include "audit/audit_steps.h"
#include "audit/radix_sort.h"
#include "base/memory.h"
#include "data/duplicate_rows.h"

/* Rows are near duplicates if their distance is at most this share of the median distance of a row to its nearest. */
static const double NEAR = 0.1;
/* Robust z-score of an outlier, as in ranking.c. */
static const double OUTLIER = 3.5;

void audit_health_free(temper_audit_health *health)
{
    if (!health)
        return;
    mem_free(health->classes);
    mem_free(health->overlap);
    mem_free(health->duplicates);
    mem_free(health->outliers);
    mem_free(health->outlier_scores);
    mem_free(health);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* The class that the fits predict for a row: the first of the largest activations. */
static size_t predicted_class(const struct audit_input *in, const struct audit_fits *fits, size_t row)
{
    const double *a = fits->activation[fits->main] + row * in->classes;
    size_t best = 0;
    for (size_t c = 1; c < in->classes; c++)
        if (a[c] > a[best])
            best = c;
    return best;
}

/* Adds one row to its class, and to the table confused[true class * classes + predicted class], if there is one. The
 * true class is the given or the suggested one, with their probabilities. */
static void add_row(const struct audit_input *in, const temper_audit_suspect *suspect, size_t predicted,
                    temper_audit_health *health, double score)
{
    temper_class_health *class = &health->classes[suspect->given];
    class->rows++;
    class->wrong += score;
    class->predicted += predicted == suspect->given;
    class->conflicts += suspect->conflict != 0;
    if (!health->overlap)
        return;
    health->overlap[suspect->given * in->classes + predicted] += 1 - score;
    health->overlap[suspect->suggested * in->classes + predicted] += suspect->probability;
}

/* Turns the table of confusions into symmetric shares. */
static void share_overlap(double *overlap, size_t classes, double *rows)
{
    for (size_t c = 0; c < classes; c++)
        for (size_t p = 0; p < classes; p++)
            rows[c] += overlap[c * classes + p];
    for (size_t c = 0; c < classes; c++)
        for (size_t p = 0; p <= c; p++) {
            double both = overlap[c * classes + p] + overlap[p * classes + c], all = rows[c] + rows[p];
            double share = c != p && all > 0 ? both / all : 0;
            overlap[c * classes + p] = overlap[p * classes + c] = share;
        }
}

/* Fills the classes and the overlap. The scores of kind "row" are distances, so that 1 - p(given) is taken from the
 * probability of the suggested class there. */
static temper_status fill_classes(const struct audit_input *in, const struct audit_fits *fits,
                                  const temper_audit_report *report, temper_audit_health *health)
{
    size_t classes = in->classes;
    double *rows = mem_zeroed(classes, sizeof *rows);
    if (!rows)
        return error_no_memory(in->error);
    for (size_t i = 0; i < report->rows; i++) {
        const temper_audit_suspect *suspect = &report->suspects[i];
        double score = report->by_row ? suspect->probability : suspect->score;
        add_row(in, suspect, predicted_class(in, fits, suspect->row), health, score);
    }
    if (health->overlap)
        share_overlap(health->overlap, classes, rows);
    for (size_t c = 0; c < classes; c++) {
        temper_class_health *class = &health->classes[c];
        class->predicted = class->rows ? class->predicted / (double)class->rows : (double)NAN;
        for (size_t g = 0; report->transition && g < classes; g++)
            class->missed += g == c ? 0 : report->transition[c * classes + g];
        if (!report->transition)
            class->missed = (double)NAN;
    }
    mem_free(rows);
    return TEMPER_OK;
}

/* ---- Duplicates ------------------------------------------------------------------------------ */

/* Pairs across classes first, then by distance; ties by row. */
static int by_importance(const void *a, const void *b)
{
    const temper_near_duplicate *one = a, *other = b;
    if (one->across != other->across)
        return other->across - one->across;
    if (one->distance != other->distance)
        return one->distance < other->distance ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* The median distance to the nearest row: the unit of distances; 0 if most rows have an equal one, or without
 * distances. `space` has one number per row. */
static double median_distance(const struct audit_input *in, const struct audit_neighbours *near, uint64_t *space)
{
    if (!near->twin)
        return 0;
    for (size_t row = 0; row < in->rows; row++)
        space[row] = radix_key(near->twin_distance[row]);
    return radix_number(radix_select(space, in->rows, in->rows / 2));
}

/* Whether two rows are near each other, and the pair is not that of the other row's twin. */
static bool is_pair(const struct audit_neighbours *near, size_t row, double median)
{
    if (!near->twin || !(near->twin_distance[row] <= NEAR * median))
        return false;
    size_t other = near->twin[row];
    return !(other < row && near->twin[other] == row && near->twin_distance[other] <= NEAR * median);
}

/* Lists each row with the first row of equal features, or else with its twin, if that is near. */
static void list_pairs(const struct audit_input *in, const struct audit_neighbours *near, const uint64_t *first,
                       double median, temper_audit_health *health)
{
    const uint32_t *label = in->data->label;
    for (size_t row = 0; row < in->rows; row++) {
        bool equal = first[row] != row;
        if (!equal && !(is_pair(near, row, median) && first[near->twin[row]] != row))
            continue;
        size_t other = equal ? (size_t)first[row] : near->twin[row];
        health->duplicates[health->duplicate_count++] =
            (temper_near_duplicate){.row = row,
                                    .other = other,
                                    .distance = equal ? 0 : near->twin_distance[row] / median,
                                    .across = label[row] != label[other]};
    }
    qsort(health->duplicates, health->duplicate_count, sizeof *health->duplicates, by_importance);
}

/* Counts the rows of the pairs, each once. `seen` has a byte per row, 0 before. */
static void count_duplicates(const struct audit_input *in, temper_audit_health *health, unsigned char *seen)
{
    enum { IN_PAIR = 1, ACROSS = 2 };
    for (size_t i = 0; i < health->duplicate_count; i++) {
        const temper_near_duplicate *pair = &health->duplicates[i];
        unsigned char mark = (unsigned char)(pair->across ? IN_PAIR | ACROSS : IN_PAIR);
        seen[pair->row] |= mark;
        seen[pair->other] |= mark;
    }
    for (size_t row = 0; row < in->rows; row++) {
        health->duplicate_rows += (seen[row] & IN_PAIR) != 0;
        health->across_rows += (seen[row] & ACROSS) != 0;
        health->classes[in->data->label[row]].duplicates += (seen[row] & IN_PAIR) != 0;
    }
}

/* Equal rows are found among all, near ones among the neighbours. */
static temper_status fill_duplicates(const struct audit_input *in, const struct audit_neighbours *near,
                                     temper_audit_health *health)
{
    const struct dataset *features = in->given->x.columns > 0 ? in->given : in->features;
    if (!features)
        return TEMPER_OK;
    uint64_t *first = mem_alloc(in->rows, sizeof *first);
    uint64_t *space = mem_alloc(in->rows, sizeof *space);
    unsigned char *seen = mem_zeroed(in->rows, 1);
    temper_status status = first && space && seen ? TEMPER_OK : error_no_memory(in->error);
    status = comm_agree(in->labels.comm, status, in->error);
    if (status == TEMPER_OK)
        status = duplicates_of_all(features, &in->labels, in->threads, first, in->error);
    if (status == TEMPER_OK && first && space && seen) {
        list_pairs(in, near, first, median_distance(in, near, space), health);
        count_duplicates(in, health, seen);
    }
    mem_free(first);
    mem_free(space);
    mem_free(seen);
    return status;
}

/* ---- Outliers -------------------------------------------------------------------------------- */

/* A row and its score, to be sorted. */
struct outlier_order {
    double score;
    size_t row;
};

static int by_score(const void *a, const void *b)
{
    const struct outlier_order *one = a, *other = b;
    if (one->score != other->score)
        return one->score > other->score ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* 1.4826 times the median absolute logarithm of the distances, whose median is 0: a robust standard deviation. `space`
 * has one number per row. The lower median for an even number of rows. */
static double spread_of(const struct audit_input *in, const double *distance, uint64_t *space)
{
    for (size_t row = 0; row < in->rows; row++)
        space[row] = radix_key(fabs(log(fmax(distance[row], 1e-300))));
    return 1.4826 * radix_number(radix_select(space, in->rows, in->rows - 1 - in->rows / 2));
}

/* Lists the rows whose distance to their neighbours is unusually large. */
static temper_status fill_outliers(const struct audit_input *in, const struct audit_neighbours *near,
                                   temper_audit_health *health)
{
    size_t count = 0;
    if (!in->features)
        return TEMPER_OK;
    struct outlier_order *order = mem_alloc(in->rows, sizeof *order);
    uint64_t *space = mem_alloc(in->rows, sizeof *space);
    if (!order || !space) {
        mem_free(order);
        mem_free(space);
        return error_no_memory(in->error);
    }
    double unit = spread_of(in, near->distance, space);
    mem_free(space);
    for (size_t row = 0; unit > 0 && row < in->rows; row++) {
        double score = fmin(log(fmax(near->distance[row], 1e-300)) / unit, 1e6);
        if (score >= OUTLIER)
            order[count++] = (struct outlier_order){score, row};
    }
    qsort(order, count, sizeof *order, by_score);
    for (size_t i = 0; i < count; i++) {
        health->outliers[i] = order[i].row;
        health->outlier_scores[i] = order[i].score;
        health->classes[in->data->label[order[i].row]].outliers++;
    }
    health->outlier_count = count;
    mem_free(order);
    return TEMPER_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* The report owns the result from the beginning, so that it is freed with it after a failure. */
temper_status audit_health(const struct audit_input *in, const struct audit_fits *fits,
                           const struct audit_neighbours *near, temper_audit_report *report)
{
    if (!in->options->health)
        return TEMPER_OK;
    size_t cells = in->classes <= NOISE_CLASSES ? in->classes * in->classes : 0;
    temper_audit_health *health = report->health = mem_zeroed(1, sizeof *health);
    if (!health)
        return error_no_memory(in->error);
    health->classes = mem_zeroed(in->classes, sizeof *health->classes);
    health->overlap = cells ? mem_zeroed(cells, sizeof *health->overlap) : NULL;
    health->duplicates = mem_alloc(in->rows, sizeof *health->duplicates);
    health->outliers = mem_alloc(in->rows, sizeof *health->outliers);
    health->outlier_scores = mem_alloc(in->rows, sizeof *health->outlier_scores);
    if (!health->classes || (cells && !health->overlap) || !health->duplicates || !health->outliers ||
        !health->outlier_scores)
        return error_no_memory(in->error);
    TRY(fill_classes(in, fits, report, health));
    TRY(fill_duplicates(in, near, health));
    return fill_outliers(in, near, health);
}
