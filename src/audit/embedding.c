/* embedding: the rows as points of a few dimensions, and what follows from their positions: nearest neighbours, the
 * distance to them, and a nonlinear regression of the label.
 *
 * A linear model is wrong where the boundary between classes is curved; the rows around a row are not. */
#include "audit/embedding.h"

#include <math.h>
#include <string.h>

#include "audit/audit_steps.h"
#include "audit/knn.h"
#include "audit/radix_sort.h"
#include "audit/rff_ridge.h"
#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"
#include "objective/gram/pca.h"

enum { PCA_ROWS = 512 }; /* rows from which the principal components are estimated */

/* ---- Projection of rows of bytes ------------------------------------------------------------- */

/* A product of rows and directions in blocks, by the kernel that training uses for many classes. Threads share all
 * fields but their parts of workspace and out. */
struct projection_job {
    const struct matrix *x;
    const struct linear_f32 *kernel;
    size_t columns, count, block_rows;
    float *directions;
    float *workspace;                      /* of each worker: a block of rows, its projection by direction, scratch */
    size_t block_size, product_size, each; /* numbers of the first two, and of all three */
    double *out;
};

/* Projects one block of rows: converts bytes to floats, and multiplies them by all directions. */
static temper_status project_block(void *context, size_t number, size_t worker)
{
    const struct projection_job *job = context;
    size_t from = number * job->block_rows, left = (size_t)job->x->rows - from;
    size_t rows = left < job->block_rows ? left : job->block_rows;
    float *block = job->workspace + worker * job->each, *product = block + job->block_size;
    /* The directions take the place of the classes of a linear model. */
    struct many_f32 many = {.block = {block, rows, job->columns},
                            .classes = job->count,
                            .stride = job->block_rows,
                            .scratch = product + job->product_size};
    /* Rows of a mapped file: pages are managed by a window, so that memory stays within its limit. */
    page_window_rows(job->x, from, rows);
    job->kernel->from_u8((const uint8_t *)job->x->dense + from * job->columns, rows, job->columns,
                         (struct rows_scale){0}, block);
    job->kernel->many_times(&many, job->directions, product);
    /* The kernel's product is by direction; the result is by row. */
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < job->count; k++)
            job->out[(from + i) * job->count + k] = (double)product[k * job->block_rows + i];
    return TEMPER_OK;
}

/* Sets the block sizes and allocates the workspace of all threads. The scale factors of the columns are multiplied
 * into the directions, so that the rows need no scaling. False: out of memory; the caller frees what there is. */
static bool allocate_projection(struct projection_job *job, struct directions directions, size_t threads)
{
    size_t cells = job->columns * job->count;
    job->block_rows = linear_block_rows(job->columns, job->count, sizeof(float));
    job->block_size = job->block_rows * job->columns;
    job->product_size = job->block_rows * job->count;
    job->each = job->block_size + job->product_size + linear_scratch(job->block_rows, job->columns, job->count);
    job->directions = mem_alloc(cells, sizeof *job->directions);
    job->workspace = mem_aligned(threads, job->each * sizeof *job->workspace);
    if (!job->directions || !job->workspace)
        return false;
    for (size_t i = 0; i < cells; i++) {
        double factor = directions.factor ? directions.factor[i / job->count] : 1;
        job->directions[i] = (float)(directions.w[i] * factor);
    }
    return true;
}

/* linear_block_rows chooses a block size that suits the cache, as in training. */
temper_status project_bytes(const struct matrix *x, struct directions directions, size_t threads, double *out,
                            temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct projection_job job = {
        .x = x, .kernel = kernel->linear_f32, .columns = (size_t)x->columns, .count = directions.count, .out = out};
    temper_status status = TEMPER_NO_MEMORY;
    if (allocate_projection(&job, directions, threads))
        status = parallel_blocks(((size_t)x->rows + job.block_rows - 1) / job.block_rows, threads, project_block, &job);
    mem_free(job.directions);
    mem_free(job.workspace);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* ---- Embedding ------------------------------------------------------------------------------- */

/* Fills out[column * dimensions + k] with the directions of the projection: unit vectors if there are no more
 * columns than dimensions, otherwise principal components, estimated from PCA_ROWS rows. */
static temper_status find_directions(const struct audit_input *in, const struct scaled_features *features,
                                     size_t dimensions, double *out)
{
    size_t columns = (size_t)features->data->x.columns;
    if (columns > dimensions)
        return pca_find(features->data, scaled_features_scale(features),
                        (struct pca_options){dimensions, PCA_ROWS, in->train.seed}, out, NULL, in->error);
    /* The identity matrix. */
    for (size_t i = 0; i < columns * columns; i++)
        out[i] = i % (columns + 1) == 0 ? 1 : 0;
    return TEMPER_OK;
}

/* Converts the points to floats. They are centred first, since a common offset would use up the digits of a float,
 * and divided by their largest coordinate, so that no squared distance overflows. Changes `point`. */
static void centre_to_float(double *point, size_t rows, size_t dimensions, float *out)
{
    double mean[AUDIT_DIMENSIONS] = {0}, largest = 0;
    for (size_t i = 0; i < rows * dimensions; i += dimensions)
        for (size_t j = 0; j < dimensions; j++)
            mean[j] += point[i + j] / (double)rows;
    for (size_t i = 0; i < rows * dimensions; i += dimensions)
        for (size_t j = 0; j < dimensions; j++) {
            point[i + j] -= mean[j];
            largest = fmax(largest, fabs(point[i + j]));
        }
    for (size_t i = 0; i < rows * dimensions; i++)
        out[i] = (float)(largest > 0 ? point[i] / largest : 0);
}

/* The features to embed, which are those of the fits except for standardised bytes. Bytes are usually pixels, which
 * share one unit: standardised, a nearly constant pixel at the border would count as much as one of the object.
 * `factor` is space for one number per column, to which the result points. */
static struct scaled_features embedding_features(const struct audit_input *in, const struct scaled_features *of_fits,
                                                 double *factor)
{
    struct scaled_features features = *of_fits;
    if (in->features->x.kind != MATRIX_U8 || features.scale.kind != SCALE_STANDARD)
        return features;
    for (size_t j = 0; j < (size_t)in->features->x.columns; j++)
        factor[j] = 1;
    features.scale.factor = factor;
    return features;
}

/* Fills out[row * vectors + k] for the rows of this process. Bytes are projected in single precision: bytes are
 * exact in it, and rounded products are precise enough for distances. */
static temper_status project(const struct audit_input *in, const struct scaled_features *features,
                             struct solution projection, double *out)
{
    const struct matrix *x = &features->data->x;
    const struct scale *scale = scaled_features_scale(features);
    if (x->kind != MATRIX_U8)
        return scaled_features_activations(features, projection, in->threads, out, in->error);
    struct directions directions = {projection.w, projection.vectors, scale ? scale->factor : NULL};
    return project_bytes(x, directions, in->threads, out, in->error);
}

/* Fills point[row * dimensions + k] with the positions of the rows of all processes. Each process projects its rows
 * and receives the others; `directions` is space for the directions. */
static temper_status find_points(const struct audit_input *in, const struct scaled_features *scaled, size_t dimensions,
                                 double *directions, double *point)
{
    struct solution projection = {directions, dimensions, false};
    bool alone = comm_alone(in->given->ranks.comm);
    double *factor = mem_alloc((size_t)in->features->x.columns, sizeof *factor);
    /* A single process projects into the result directly. */
    double *own = alone ? point : mem_alloc(in->labels.own, dimensions * sizeof *own);
    temper_status status = factor && own ? TEMPER_OK : error_no_memory(in->error);
    if (status == TEMPER_OK) {
        struct scaled_features features = embedding_features(in, scaled, factor);
        status = find_directions(in, &features, dimensions, directions);
        if (status == TEMPER_OK)
            status = project(in, &features, projection, own);
    }
    if (status == TEMPER_OK && !alone)
        status = gather_labels(&in->labels, own, dimensions * sizeof *own, point, in->error);
    if (!alone)
        mem_free(own);
    mem_free(factor);
    return status;
}

/* The same for the features whose neighbours are compared: those of the fits, or others that the caller gives. */
static temper_status find_scaled_points(const struct audit_input *in, const struct audit_fits *fits, size_t dimensions,
                                        double *directions, double *point)
{
    struct scaled_features own;
    if (fits->features.given == in->features)
        return find_points(in, &fits->features, dimensions, directions, point);
    TRY(scaled_features_new(in->features, in->train.scale, in->threads, &own, in->error));
    temper_status status = find_points(in, &own, dimensions, directions, point);
    scaled_features_free(&own);
    return status;
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* Replaces squared distances by distances in units of the median one. If the median is 0, most rows have duplicates:
 * then the others are infinitely far. */
static temper_status divide_by_median(const struct audit_input *in, double *distance)
{
    uint64_t *key = mem_alloc(in->rows, sizeof *key);
    if (!key)
        return error_no_memory(in->error);
    for (size_t row = 0; row < in->rows; row++)
        key[row] = radix_key(distance[row]);
    /* The upper median for an even number of rows. */
    double median = radix_number(radix_select(key, in->rows, in->rows / 2));
    for (size_t row = 0; row < in->rows; row++)
        distance[row] = median > 0 ? sqrt(distance[row] / median) : distance[row] > 0 ? INFINITY : 1;
    mem_free(key);
    return TEMPER_OK;
}

/* Regression by random Fourier features, unless there are too many classes. */
static temper_status fit_rff(const struct audit_input *in, const struct audit_fits *fits, struct points points,
                             double **out)
{
    if (in->classes > NOISE_CLASSES)
        return TEMPER_OK;
    *out = mem_alloc(in->rows, in->classes * sizeof **out);
    if (!*out)
        return error_no_memory(in->error);
    const struct rff_ridge ridge = {.points = points,
                                    .label = in->data->label,
                                    .classes = in->classes,
                                    .part = fits->folds.part,
                                    .seed = in->train.seed,
                                    .threads = in->threads};
    return rff_ridge_fit(&ridge, *out, in->error);
}

/* Without features there are no neighbours, and distances are unknown. */
static temper_status leave_out(const struct audit_input *in, struct audit_neighbours *out)
{
    out->neighbour = mem_alloc(1, sizeof *out->neighbour);
    out->distance = mem_alloc(in->rows, sizeof *out->distance);
    for (size_t row = 0; out->distance && row < in->rows; row++)
        out->distance[row] = (double)NAN;
    return out->neighbour && out->distance ? TEMPER_OK : error_no_memory(in->error);
}

/* Embeds all rows into *points, whose array the caller frees, also after a failure. */
static temper_status embed_points(const struct audit_input *in, const struct audit_fits *fits, struct points *points)
{
    size_t columns = (size_t)in->features->x.columns, cells;
    size_t dimensions = columns < AUDIT_DIMENSIONS ? columns : (size_t)AUDIT_DIMENSIONS;
    if (!mul_size(in->rows, dimensions, &cells))
        return error_no_memory(in->error);
    double *directions = mem_alloc(columns, dimensions * sizeof *directions);
    double *point = mem_alloc(cells, sizeof *point);
    float *x = mem_alloc(cells, sizeof *x);
    *points = (struct points){x, in->rows, dimensions, in->given->ranks.comm};
    temper_status status = directions && point && x ? find_scaled_points(in, fits, dimensions, directions, point)
                                                    : error_no_memory(in->error);
    if (status == TEMPER_OK)
        centre_to_float(point, in->rows, dimensions, x);
    mem_free(directions);
    mem_free(point);
    return status;
}

/* Finds the neighbours of all points, and the distances to them. */
static temper_status find_neighbours(const struct audit_input *in, struct points points, struct audit_neighbours *out)
{
    /* knn_find needs more rows than neighbours. */
    out->count = in->rows > AUDIT_NEIGHBOURS ? AUDIT_NEIGHBOURS : in->rows - 1;
    out->neighbour = mem_alloc(in->rows, out->count * sizeof *out->neighbour);
    out->distance = mem_alloc(in->rows, sizeof *out->distance);
    if (!out->neighbour || !out->distance)
        return error_no_memory(in->error);
    TRY(knn_find(points, out->count, in->threads, out->neighbour, out->distance, in->error));
    return divide_by_median(in, out->distance);
}

/* Embeds all rows and fills *out, which the caller frees also after a failure. The points in double precision are
 * freed before the search, which works on floats. */
temper_status audit_embed(const struct audit_input *in, const struct audit_fits *fits, struct audit_neighbours *out)
{
    struct points points = {0};
    if (!in->features)
        return leave_out(in, out);
    temper_status status = embed_points(in, fits, &points);
    if (status == TEMPER_OK)
        status = find_neighbours(in, points, out);
    if (status == TEMPER_OK)
        status = fit_rff(in, fits, points, &out->rff);
    mem_free((void *)points.x);
    return status;
}

/* The same search without an audit. */
temper_status audit_nearest(const struct dataset *data, const char *scale, struct audit_neighbours *out,
                            temper_error *error)
{
    struct audit_input in = {.given = data,
                             .data = data,
                             .features = data,
                             .rows = (size_t)data->x.rows,
                             .classes = data->classes.count,
                             .train = {.seed = 1},
                             .threads = thread_count_default(),
                             .error = error};
    struct audit_fits fits = {.l2 = (double)NAN};
    struct points points = {0};
    temper_status status = scaled_features_new(data, scale, in.threads, &fits.features, error);
    if (status == TEMPER_OK)
        status = embed_points(&in, &fits, &points);
    if (status == TEMPER_OK)
        status = find_neighbours(&in, points, out);
    mem_free((void *)points.x);
    scaled_features_free(&fits.features);
    return status;
}
