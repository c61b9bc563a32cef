/* column_finish: from the sums of all rows to means and variances. */
#include "data/column_finish.h"

#include <math.h>

/* Means; and 0 is among the values of a sparse column that some row does not store. */
void column_finish_first(const struct summing *summing, struct column_stats *out)
{
    const struct part *all = &summing->all;
    for (size_t j = 0; j < summing->columns; j++) {
        bool zeros = summing->sparse && all->count[j] < *all->rows;
        out->low[j] = zeros && all->low[j] > 0 ? 0 : all->low[j];
        out->high[j] = zeros && all->high[j] < 0 ? 0 : all->high[j];
        out->mean[j] = *all->rows > 0 ? all->sum[j] / *all->weight : 0;
    }
}

/* The variance from the squares around a mean that is itself rounded: hence the correction. The
 * second pass counts the same rows and entries again. */
void column_finish_second(const struct summing *summing, struct column_stats *out)
{
    const struct part *all = &summing->all;
    for (size_t j = 0; j < summing->columns; j++) {
        double sum = all->sum[j], square = all->square[j], mean = out->mean[j];
        if (summing->sparse) { /* the rows that do not store this column hold 0 */
            double zeros = fmax(0, *all->weight - all->stored[j]);
            zeros = all->count[j] < *all->rows ? zeros : 0;
            sum -= zeros * mean;
            square += zeros * mean * mean;
        }
        double variance = *all->rows > 0 ? (square - sum * sum / *all->weight) / *all->weight : 0;
        out->variance[j] = variance < 0 ? 0 : variance; /* NaN stays */
    }
}

/* The squares are of whole numbers: around another near the mean nothing of them is lost. */
void column_finish_bytes(const struct summing *summing, struct column_stats *out)
{
    const struct part *all = &summing->all;
    double n = *all->weight;
    for (size_t j = 0; j < summing->columns && n > 0; j++) {
        double near = rint(out->mean[j]), off = all->sum[j] - n * near;
        double square = all->square[j] - near * (all->sum[j] + off);
        out->variance[j] = fmax(0, (square - off * off / n) / n);
    }
}
