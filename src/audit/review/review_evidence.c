/* review_evidence: the difference of the activations of two classes, (w_suggested - w_given) . (f(x) - mean), is a sum
 * over features. Each term is the weight times the distance of the row from the mean row, which standardising does not
 * change. Sparse rows are compared with an empty row instead, so that features they lack have no part. */
#include "audit/review/review_evidence.h"

#include <math.h>

#include "base/memory.h"
#include "data/columns/column_stats.h"
#include "data/memory/page_window.h"

/* What the rows share. */
struct evidence_job {
    const struct model *model;
    const struct review_columns *columns;
    const double *mean; /* NULL: 0 */
    double *sum;        /* [columns]: the parts of the current row, else 0 */
    uint32_t *touched;  /* [features]: its columns that are not 0 */
    size_t touches;
};

/* The weight of a feature for one class against another. With two classes there is one vector, for class 1. */
static double weight_between(const struct model *model, uint32_t given, uint32_t suggested, size_t feature)
{
    const double *w = model->weights + feature;
    if (model->vectors == 1)
        return suggested == 1 ? *w : -*w;
    return w[suggested * model->features] - w[given * model->features];
}

static double bias_between(const struct model *model, uint32_t given, uint32_t suggested)
{
    if (model->vectors == 1)
        return suggested == 1 ? model->bias[0] : -model->bias[0];
    return model->bias[suggested] - model->bias[given];
}

/* A feature as the weights take it. */
static double transformed(const struct model *model, double x)
{
    return model->scale.kind == SCALE_LOG ? log1p(x) : x;
}

/* Inserts a part into the list of those of its sign, [from, from + *count), the largest first. */
static void insert_part(struct review_part *list, size_t *count, struct review_part part)
{
    size_t at = *count < REVIEW_EACH ? (*count)++ : REVIEW_EACH;
    for (; at > 0 && fabsf(part.part) > fabsf(list[at - 1].part); at--)
        if (at < REVIEW_EACH)
            list[at] = list[at - 1];
    if (at < REVIEW_EACH)
        list[at] = part;
}

/* Adds the part of a feature to its column. */
static void add_part(struct evidence_job *job, size_t feature, double part)
{
    size_t column = review_column_of(job->columns, feature);
    if (part == 0)
        return;
    if (job->sum[column] == 0)
        job->touched[job->touches++] = (uint32_t)column;
    job->sum[column] += part;
}

/* Merges the two lists, ordered by size; `rest` is reduced by what is listed. Resets the sums for the next row. */
static void collect(struct evidence_job *job, struct review_evidence *out)
{
    struct review_part list[2][REVIEW_EACH];
    size_t count[2] = {0}, at[2] = {0};
    for (size_t i = 0; i < job->touches; i++) {
        uint32_t column = job->touched[i];
        double part = job->sum[column];
        job->sum[column] = 0;
        if (part != 0)
            insert_part(list[part > 0], &count[part > 0], (struct review_part){column, (float)part});
    }
    job->touches = 0;
    for (out->count = 0; at[0] < count[0] || at[1] < count[1]; out->count++) {
        bool left = at[0] < count[0], right = at[1] < count[1];
        size_t side = !left || (right && list[1][at[1]].part >= -list[0][at[0]].part);
        out->part[out->count] = list[side][at[side]++];
        out->rest -= (double)out->part[out->count].part;
    }
}

/* The evidence of one row. */
static void explain_row(struct evidence_job *job, const struct matrix *x, const temper_audit_suspect *item,
                        struct review_evidence *out)
{
    const struct model *model = job->model;
    page_window_rows(x, item->row, 1);
    struct row row = matrix_row(x, item->row);
    out->rest = bias_between(model, item->given, item->suggested);
    for (size_t i = 0; i < row.count; i++) {
        size_t feature = row.dense ? i : row_column(&row, i);
        double value = row.dense ? review_feature_value(&row, i) : row_value(&row, i);
        double weight = weight_between(model, item->given, item->suggested, feature);
        double activation = weight * transformed(model, value);
        out->rest += activation;
        add_part(job, feature, activation - (job->mean ? weight * job->mean[feature] : 0));
    }
    collect(job, out);
}

/* The mean of each feature, of logarithms where the model has them. */
static temper_status find_means(const struct review_request *request, double **mean)
{
    const struct sum_task task = {.data = request->data,
                                  .count = (size_t)request->data->x.rows,
                                  .logs = request->model->scale.kind == SCALE_LOG,
                                  .threads = request->threads};
    struct negative_entry negative = {0};
    struct column_stats stats = {0};
    TRY(column_stats(&task, &stats, &negative, request->error));
    *mean = stats.mean;
    stats.mean = NULL;
    column_stats_free(&stats);
    return TEMPER_OK;
}

temper_status review_find_evidence(const struct review_request *request, const struct review_columns *columns,
                                   struct review_evidence *evidence, double **mean)
{
    const struct matrix *x = &request->data->x;
    *mean = NULL;
    if (!request->model)
        return TEMPER_OK;
    if (x->kind != MATRIX_CSR)
        TRY(find_means(request, mean));
    struct evidence_job job = {.model = request->model, .columns = columns, .mean = *mean};
    job.sum = mem_zeroed(columns->count, sizeof *job.sum);
    job.touched = mem_alloc((size_t)x->columns, sizeof *job.touched);
    temper_status status = job.sum && job.touched ? TEMPER_OK : error_no_memory(request->error);
    for (size_t i = 0; status == TEMPER_OK && i < request->count; i++)
        explain_row(&job, x, &request->items[i], &evidence[i]);
    mem_free(job.sum);
    mem_free(job.touched);
    return status;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The part of a pixel, over all of its colours. */
static double pixel_part(const struct review_request *request, const double *mean, const temper_audit_suspect *item,
                         size_t size, size_t pixel)
{
    const struct matrix *x = &request->data->x;
    struct row row = matrix_row(x, item->row);
    double sum = 0;
    for (size_t i = pixel; i < row.count; i += size) {
        double value = transformed(request->model, review_feature_value(&row, i));
        sum += weight_between(request->model, item->given, item->suggested, i) * (value - mean[i]);
    }
    return sum;
}

/* Sixteen shades of each colour, which compress well. */
void review_draw_evidence(const struct review_request *request, const double *mean, const temper_audit_suspect *item,
                          size_t size, unsigned char *rgb)
{
    static const double strongest[2][3] = {{0, 114, 178}, {179, 71, 0}};
    double largest = 0;
    page_window_rows(&request->data->x, item->row, 1);
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs(pixel_part(request, mean, item, size, i)));
    for (size_t i = 0; i < size; i++) {
        double part = pixel_part(request, mean, item, size, i);
        double share = largest > 0 ? round(15 * fabs(part) / largest) / 15 : 0;
        for (size_t c = 0; c < 3; c++)
            rgb[c * size + i] = (unsigned char)lround(245 + share * (strongest[part > 0][c] - 245));
    }
}
