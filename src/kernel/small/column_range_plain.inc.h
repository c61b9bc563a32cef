/* column_range_plain: the reference for one type; the including file defines `stored` and RANGE. */

/* First pass: range and weighted sum. NaN compares false, so a missing value does not enter the range. */
static void RANGE(first)(const struct column_range *range, const stored *rows)
{
    double *restrict low = range->low, *restrict high = range->high;
    double *restrict sum = range->sum;
    for (size_t i = 0; i < range->count; i++, rows += range->columns) {
        const double weight = range->weight[i];
        for (size_t j = 0; j < range->columns; j++) {
            const double x = (double)rows[j];
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
            sum[j] += weight * x;
        }
    }
}

/* Second pass: sums of deviations from the mean; that of d itself corrects the rounding of the mean. */
static void RANGE(second)(const struct column_range *range, const stored *rows)
{
    const double *restrict mean = range->mean;
    double *restrict sum = range->sum, *restrict square = range->square;
    for (size_t i = 0; i < range->count; i++, rows += range->columns) {
        const double weight = range->weight[i];
        for (size_t j = 0; j < range->columns; j++) {
            const double d = (double)rows[j] - mean[j];
            sum[j] += weight * d;
            square[j] += weight * d * d;
        }
    }
}

#undef stored
#undef RANGE
