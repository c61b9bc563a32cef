/* residual_plain: the reference, one row at a time. */
#include "kernel/loss/residual.h"

static double plain_row(const struct residual_rows *rows, size_t i, double activation, struct residual_sums *sums)
{
    double a = activation + rows->bias, weight = rows->weight ? rows->weight[i] : 1;
    int for_one = a > 0, is_one = rows->label[i] == 1;
    double margin = is_one ? a : -a, value, slope, curvature;
    margins_plain(rows->table, &margin, 1, &value, &slope, &curvature);
    double residual = (is_one ? slope : -slope) * weight;
    if (rows->bend)
        rows->bend[i] = weight * curvature;
    sums->loss += weight * value;
    sums->correct += for_one == is_one ? weight : 0;
    sums->residual += residual;
    return residual;
}

void residual_f32_plain(const struct residual_rows *rows, float *activation, struct residual_sums *sums)
{
    for (size_t i = 0; i < rows->rows; i++)
        activation[i] = (float)plain_row(rows, i, (double)activation[i], sums);
}

void residual_f64_plain(const struct residual_rows *rows, double *activation, struct residual_sums *sums)
{
    for (size_t i = 0; i < rows->rows; i++)
        activation[i] = plain_row(rows, i, activation[i], sums);
}
