/* noise_pilot: the estimate of the matrix of label noise for forward correction.
 *
 * The rows are divided into two halves, stratified by label; a logistic regression that is fitted to one half predicts
 * the other, so that no row is predicted by a model that has seen its label. Among the rows that are predicted to be of
 * class c, those of at least median confidence stand for the anchor points of Patrini et al.: they are almost all of
 * class c, and the shares of their given labels estimate T[c][.]. Counting labels, instead of averaging predicted
 * probabilities, does not rely on the calibration of the pilot fits. */
#include "train/noise_pilot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "tempered/row_scores.h"
#include "train/train_streams.h"

/* The weight of the prior in rows, for each class. */
static const double PRIOR_ROWS = 2;
/* The least share of wrong labels in the prior: no entry may be 0, or a single row could have an infinite loss. */
static const double LEAST_NOISE = 1e-3;
/* The largest, as a share of the noise of labels that are drawn at random, (classes - 1) / classes: with that much a
 * label says nothing about the class, and with more it speaks against it. */
static const double MOST_NOISE = 0.9;

/* The rows of a class so far. */
struct class_pair {
    bool seen, waits; /* waits: the last row has no partner yet */
    uint32_t half;    /* of the last row */
};

/* Divides the rows of positive weight, so that a fit to either half has some, whatever rows a search hides. Of each two
 * rows of a class that follow one another, one is in each half, by chance; the first rows of the classes are in either
 * half in turn. */
static void draw_halves(const struct dataset *data, struct random random, struct class_pair *pairs, uint32_t *half)
{
    uint32_t classes = 0;
    for (size_t row = 0; row < (size_t)data->x.rows; row++) {
        struct class_pair *pair = &pairs[data->label[row]];
        half[row] = 0;
        if (data->weight && data->weight[row] == 0)
            continue;
        if (pair->waits)
            half[row] = 1 - pair->half;
        else
            half[row] = pair->seen ? (uint32_t)(random_bits(random, row) & 1) : classes++ % 2;
        *pair = (struct class_pair){.seen = true, .waits = !pair->waits, .half = half[row]};
    }
}

/* The halves are drawn at once; predictions follow, when the fits of both halves are known. */
temper_status noise_pilot_new(const struct dataset *data, uint64_t seed, struct noise_pilot **out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    struct noise_pilot *pilot = mem_zeroed(1, sizeof *pilot);
    if (!pilot)
        return error_no_memory(error);
    pilot->rows = rows;
    pilot->half = mem_alloc(rows, sizeof *pilot->half);
    pilot->predicted = mem_alloc(rows, sizeof *pilot->predicted);
    pilot->confidence = mem_alloc(rows, sizeof *pilot->confidence);
    struct class_pair *pairs = mem_zeroed(data->classes.count, sizeof *pairs);
    bool enough = pilot->half && pilot->predicted && pilot->confidence && pairs;
    if (enough)
        draw_halves(data, (struct random){seed, STREAM_PILOT}, pairs, pilot->half);
    mem_free(pairs);
    if (!enough) {
        noise_pilot_free(pilot);
        return error_no_memory(error);
    }
    *out = pilot;
    return TEMPER_OK;
}

void noise_pilot_free(struct noise_pilot *pilot)
{
    if (!pilot)
        return;
    mem_free(pilot->half);
    mem_free(pilot->predicted);
    mem_free(pilot->confidence);
    mem_free(pilot);
}

/* Predicts the rows of one half by the scores of the fit to the other half: the row's likeliest class and its
 * confidence. */
void noise_pilot_predict(struct noise_pilot *pilot, uint32_t half, const double *score, size_t vectors)
{
    for (size_t row = 0; row < pilot->rows; row++)
        if (pilot->half[row] == half)
            pilot->predicted[row] = predicted_with_confidence(score + row * vectors, vectors, &pilot->confidence[row]);
}

/* The median confidence of the rows of positive weight that are predicted to be of a class; `space` has a number for
 * each row. */
static double median_confidence(const struct noise_pilot *pilot, const double *weight, uint32_t class, double *space)
{
    size_t count = 0;
    for (size_t row = 0; row < pilot->rows; row++)
        if (pilot->predicted[row] == class && weight[row] > 0)
            space[count++] = pilot->confidence[row];
    qsort(space, count, sizeof *space, compare_doubles);
    return count ? space[count / 2] : INFINITY;
}

/* Adds the weights of the confident rows of one predicted class to table[given * classes + class], the column of that
 * class. */
static void count_labels(const struct noise_pilot *pilot, const struct labelled_rows *rows, uint32_t class,
                         double least, double *table)
{
    for (size_t row = 0; row < pilot->rows; row++)
        if (pilot->predicted[row] == class && pilot->confidence[row] >= least)
            table[rows->label[row] * rows->classes + class] += rows->weight[row];
}

/* The share of the counted labels that differ from the predicted class. */
static double counted_noise(const double *table, size_t classes)
{
    double all = 0, right = 0;
    for (size_t y = 0; y < classes; y++)
        for (size_t c = 0; c < classes; c++) {
            all += table[y * classes + c];
            right += y == c ? table[y * classes + c] : 0;
        }
    return all > 0 ? 1 - right / all : 0;
}

/* Whether the predicted class is the most frequent label among its counts. A fit predicts the likeliest label, so that
 * anything else is chance, and as an estimate it would exchange classes. */
static bool own_label_leads(const double *table, size_t classes, size_t c)
{
    for (size_t y = 0; y < classes; y++)
        if (table[y * classes + c] > table[c * classes + c])
            return false;
    return true;
}

/* Counts become probabilities. The prior of each class is the noise of all classes together, spread evenly: it decides
 * where a class is hardly ever predicted, or not by its own label, and keeps every entry above 0. `scale` turns weights
 * into rows. */
static void normalise(double *table, size_t classes, double noise, double scale)
{
    for (size_t c = 0; c < classes; c++) {
        double sum = 0, rows = own_label_leads(table, classes, c) ? scale : 0;
        for (size_t y = 0; y < classes; y++) {
            double prior = y == c ? 1 - noise : noise / (double)(classes - 1);
            double *entry = &table[y * classes + c];
            *entry = *entry * rows + PRIOR_ROWS * prior;
            sum += *entry;
        }
        for (size_t y = 0; y < classes; y++)
            table[y * classes + c] /= sum;
    }
}

/* Counts given labels against predicted classes, and turns the counts into T. `table` is T transposed, so that the
 * numbers that a row of label y needs, T[.][y], are next to each other. The weights are rescaled to a mean of 1 over
 * the rows that have one, so that the prior counts as PRIOR_ROWS rows, whatever the unit of the weights. */
temper_status noise_pilot_estimate(struct noise_pilot *pilot, const struct labelled_rows *rows, double *table,
                                   temper_error *error)
{
    size_t classes = rows->classes, count = pilot->rows, positive = 0;
    double *space = mem_alloc(count, sizeof *space), sum = 0;
    if (!space)
        return error_no_memory(error);
    memset(table, 0, classes * classes * sizeof *table);
    for (size_t row = 0; row < count; row++) {
        sum += rows->weight[row];
        positive += rows->weight[row] > 0;
    }
    for (uint32_t c = 0; c < classes; c++)
        count_labels(pilot, rows, c, median_confidence(pilot, rows->weight, c, space), table);
    mem_free(space);
    double noise = counted_noise(table, classes), chance = (double)(classes - 1) / (double)classes;
    pilot->at_chance = noise >= chance;
    normalise(table, classes, fmax(LEAST_NOISE, fmin(noise, MOST_NOISE * chance)), (double)positive / sum);
    return TEMPER_OK;
}
