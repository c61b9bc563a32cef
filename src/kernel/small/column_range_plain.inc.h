/* spread_plain_body: the reference for one type; the including file defines `stored` and SPREAD. */

static void SPREAD(first)(const struct column_range *spread, const stored *rows)
{
    double *restrict low = spread->low, *restrict high = spread->high;
    double *restrict sum = spread->sum;
    for (size_t i = 0; i < spread->count; i++, rows += spread->columns) {
        const double weight = spread->weight[i];
        for (size_t j = 0; j < spread->columns; j++) {
            const double x = (double)rows[j];
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
            sum[j] += weight * x;
        }
    }
}

static void SPREAD(second)(const struct column_range *spread, const stored *rows)
{
    const double *restrict mean = spread->mean;
    double *restrict sum = spread->sum, *restrict square = spread->square;
    for (size_t i = 0; i < spread->count; i++, rows += spread->columns) {
        const double weight = spread->weight[i];
        for (size_t j = 0; j < spread->columns; j++) {
            const double d = (double)rows[j] - mean[j];
            sum[j] += weight * d;
            square[j] += weight * d * d;
        }
    }
}

#undef stored
#undef SPREAD
