/* column_margins_plain: the reference for one type; the including file defines `stored` and COLUMN. */

/* The margin is 0 for excluded rows, so that any later arithmetic on it is finite. */
static void COLUMN(margins)(const struct column_rows *rows, const stored *activation, double *margin)
{
    for (size_t i = 0; i < rows->count; i++) {
        double a = (double)activation[i] + rows->bias;
        margin[i] = rows->signed_weight[i] > 0 ? a : rows->signed_weight[i] < 0 ? -a : 0;
    }
}

/* dloss/da = slope times the sign of the label, which is that of signed_weight. */
static void COLUMN(residuals)(const struct column_rows *rows, const double *value, const double *slope,
                              stored *residual, struct column_totals *sums)
{
    for (size_t i = 0; i < rows->count; i++) {
        double r = rows->signed_weight[i] * slope[i];
        sums->loss += fabs(rows->signed_weight[i]) * value[i];
        sums->residual += r;
        residual[i] = (stored)r;
    }
}

#undef stored
#undef COLUMN
