/* api_data: data from files and arrays, derived data (selected, split, scaled, noisy), batches for a model. */
#include <string.h>

#include "api/api_internal.h"
#include "base/memory.h"
#include "base/thread.h"
#include "data/batches/batch_reader.h"
#include "data/columns/scale.h"
#include "data/columns/summary.h"
#include "data/dist/scatter_rows.h"
#include "data/from_arrays.h"
#include "data/memory/memory_limit.h"
#include "data/noise/noise.h"
#include "data/read/read.h"
#include "data/schema.h"
#include "data/split.h"
#include "data/subset.h"
#include "data/write/write.h"
#include "predict/margin_rank.h"

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Zeros and NULLs are the defaults of all other fields. */
temper_read_options temper_read_defaults(void)
{
    return (temper_read_options){.struct_size = sizeof(temper_read_options)};
}

/* Ends a call that several processes make together: each gets data, or none does. `made` is NULL after a failure. */
static temper_status publish_data(const temper_comm *comm, temper_status status, struct dataset *made,
                                  temper_data **data, temper_error *error)
{
    status = comm_end(comm, status, error);
    if (status == TEMPER_OK)
        *data = (temper_data *)made;
    else
        dataset_free(made);
    return status;
}

/* Reads a file (or a list of shards); NULL options mean the defaults. *data is set on success only. */
temper_status temper_data_read(const char *path, const temper_read_options *options, temper_data **data,
                               temper_error *error)
{
    temper_read_options full;
    struct dataset *read = NULL;
    TRY(api_read_options(&full, options, error));
    temper_status status = dataset_read(path, &full, &read, error);
    return publish_data(full.comm, status, read, data, error);
}

/* As temper_data_read, of bytes in place of a file. */
temper_status temper_data_read_memory(const char *name, const void *bytes, size_t length,
                                      const temper_read_options *options, temper_data **data, temper_error *error)
{
    temper_read_options full;
    struct dataset *read = NULL;
    if (!bytes && length > 0)
        return error_set(error, TEMPER_USAGE, "there are no bytes to read; give their address");
    TRY(api_read_options(&full, options, error));
    temper_status status = dataset_read_memory(name ? name : "memory", bytes, length, &full, &read, error);
    return publish_data(full.comm, status, read, data, error);
}

/* Reads a file with the columns of `like`, so that both have the same features. Data without a schema (arrays, libsvm)
 * gets one that only has the names of its columns. */
temper_status temper_data_read_like(const temper_data *like, const char *path, const temper_read_options *options,
                                    temper_data **data, temper_error *error)
{
    const struct dataset *model = dataset_of(like);
    temper_read_options full;
    struct schema *plain = NULL;
    struct dataset *read = NULL;
    temper_status status = TEMPER_OK;
    TRY(api_read_options(&full, options, error));
    if (!model->schema)
        status = schema_plain((size_t)model->x.columns, &model->features, &plain, error);
    if (status == TEMPER_OK)
        status = dataset_read_like(path, &full, plain ? plain : model->schema, &read, error);
    schema_free(plain);
    return publish_data(full.comm, status, read, data, error);
}

/* NULL is allowed. Data that borrow from this one must be freed first. */
void temper_data_free(temper_data *data)
{
    dataset_free((struct dataset *)data);
}

/* Writes all rows. Under MPI each rank has only some of the rows, which would give an incomplete file: refused. */
temper_status temper_data_write(const temper_data *data, const char *path, const char *format, temper_error *error)
{
    TRY(scatter_refuse(dataset_of(data), "writing", error));
    return dataset_write(dataset_of(data), path, format, error);
}

/* Whether `path` can be written in this format, before hours of work. */
temper_status temper_data_write_check(const char *path, const char *format, temper_error *error)
{
    return dataset_write_check(path, format, error);
}

/* Writes two files (the data, and the bytes of the attachment) which both appear, or neither does. */
temper_status temper_data_write_with_attachment(const temper_data *data, const char *path, const char *format,
                                                const temper_attachment *with, temper_error *error)
{
    /* Checked before the data are written, which may take long. */
    if (!with || !with->path || with->path[0] == '\0' || (!with->bytes && with->length > 0))
        return error_set(error, TEMPER_USAGE, "the second file has no name or no bytes; give both");
    TRY(scatter_refuse(dataset_of(data), "writing", error));
    return dataset_write_with(dataset_of(data), path, format, with, error);
}

/* The rows of both must be the same, in one order; only the labels differ. */
temper_status temper_data_write_relabelled(const temper_data *original, const temper_data *relabelled, const char *path,
                                           const char *format, const temper_attachment *with, temper_error *error)
{
    const struct dataset *before = dataset_of(original), *after = dataset_of(relabelled);
    if (!before->label || !after->label || before->x.rows != after->x.rows ||
        before->classes.count != after->classes.count)
        return error_set(error, TEMPER_USAGE,
                         "the two data have other rows or classes; give data and a relabelled copy");
    TRY(scatter_refuse(after, "writing", error));
    return dataset_write_relabelled(before, after, path, format, with, error);
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

/* Rows in this process; with MPI, those of this rank. */
size_t temper_data_rows(const temper_data *data)
{
    return dataset_of(data)->x.rows;
}

/* Rows of all ranks together. */
size_t temper_data_total_rows(const temper_data *data)
{
    return dataset_all_rows(dataset_of(data));
}

/* Rows of the file, of all processes, that were left out for missing values. */
size_t temper_data_dropped_rows(const temper_data *data)
{
    return dataset_of(data)->file.missing_dropped;
}

/* Columns of the matrix: after one-hot encoding, without label and weight. */
size_t temper_data_features(const temper_data *data)
{
    return dataset_of(data)->x.columns;
}

/* Rows times columns for dense data; the explicitly stored values for sparse data. */
size_t temper_data_stored_values(const temper_data *data)
{
    return dataset_of(data)->x.nonzeros;
}

/* 0 for data without labels, although such data may know the classes of a schema. */
size_t temper_data_classes(const temper_data *data)
{
    return dataset_of(data)->label ? dataset_of(data)->classes.count : 0;
}

/* Class numbers from 0, one for each row; NULL without labels. Valid as long as the data. */
const uint32_t *temper_data_labels(const temper_data *data)
{
    return dataset_of(data)->label;
}

/* NULL beyond the last class. */
const char *temper_data_class_name(const temper_data *data, size_t class_number)
{
    const struct classes *classes = &dataset_of(data)->classes;
    return class_number < classes->count ? classes->name[class_number] : NULL;
}

/* The format of the file that was read, such as "csv"; NULL for arrays. */
const char *temper_data_format(const temper_data *data)
{
    return dataset_of(data)->file.format;
}

/* What the reader inferred or repaired, as sentences for the user. */
const char *temper_data_notes(const temper_data *data)
{
    return dataset_of(data)->notes;
}

/* NULL for unnamed features. */
const char *temper_data_feature_name(const temper_data *data, size_t column)
{
    return column < dataset_of(data)->features.count ? dataset_of(data)->features.name[column] : NULL;
}

/* Refused under MPI, where a rank has only some of the rows. */
temper_status temper_data_summarise(const temper_data *data, size_t threads, temper_data_summary *summary,
                                    temper_error *error)
{
    TRY(scatter_refuse(dataset_of(data), "a summary", error));
    return dataset_summary(dataset_of(data), threads, summary, error);
}

/* Frees the arrays in the summary; the struct is the caller's. */
void temper_data_summary_free(temper_data_summary *summary)
{
    summary_free(summary);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

/* Null pointers are refused here, since Python and other bindings pass them for absent arguments. */
static temper_status check_arguments(const void *x, temper_data *const *data, temper_error *error)
{
    if (x && data)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "no numbers, or nowhere to put the data; give both");
}

/* The dataset takes over what matrix.owned points to, on success only. */
static temper_status data_from_matrix(const struct matrix *x, const int *labels, temper_data **data,
                                      temper_error *error)
{
    struct dataset *made;
    TRY(dataset_from_matrix(x, labels, &made, error));
    *data = (temper_data *)made;
    return TEMPER_OK;
}

/* The constructors for dense matrices differ in the type of the elements only. */
static temper_status borrow_dense(struct matrix x, const int *labels, temper_data **data, temper_error *error)
{
    TRY(check_arguments(x.dense, data, error));
    return data_from_matrix(&x, labels, data, error);
}

/* float64 features. */
temper_status temper_data_borrow_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                     temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_F64, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

/* float32 features, which stay float32 in memory. */
temper_status temper_data_borrow_f32(const float *x, size_t rows, size_t columns, const int *labels, temper_data **data,
                                     temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_F32, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

/* Bytes, for images: an eighth of the memory of float64. */
temper_status temper_data_borrow_u8(const unsigned char *x, size_t rows, size_t columns, const int *labels,
                                    temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_U8, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

/* Copies the features, so the caller may free `x` at once. The copy belongs to the data set if it could be made. */
temper_status temper_data_from_f64(const double *x, size_t rows, size_t columns, const int *labels, temper_data **data,
                                   temper_error *error)
{
    size_t count;
    struct matrix matrix = {.kind = MATRIX_F64, .rows = rows, .columns = columns};
    TRY(check_arguments(x, data, error));
    /* An overflow of the product is reported as lack of memory, which it is. */
    double *copy = mul_size(rows, columns, &count) ? mem_alloc(count, sizeof *copy) : NULL;
    if (!copy)
        return error_no_memory(error);
    memcpy(copy, x, count * sizeof *copy);
    matrix.dense = matrix.owned[0] = copy;
    temper_status status = data_from_matrix(&matrix, labels, data, error);
    if (status != TEMPER_OK)
        mem_free(copy);
    return status;
}

/* The labels are copied. */
temper_status temper_data_from_labels(const int *labels, size_t rows, temper_data **data, temper_error *error)
{
    struct dataset *made;
    TRY(check_arguments(labels, data, error));
    TRY(dataset_from_labels(labels, rows, &made, error));
    *data = (temper_data *)made;
    return TEMPER_OK;
}

/* Column numbers are converted to 32 bits, in whatever type they are stored: hence the limit of columns. */
static temper_status check_sparse(const temper_csr_any *x, temper_error *error)
{
    const size_t size[] = {x->row_start_size, x->column_size, x->value_size};
    if (!x->row_start || !x->column || !x->value)
        return error_set(error, TEMPER_USAGE,
                         "an array of the sparse rows is missing; give row_start, column and "
                         "value");
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i] != 4 && size[i] != 8)
            return error_set(error, TEMPER_USAGE,
                             "an array of the sparse rows has elements of %zu bytes; give "
                             "integers and floating point numbers of 4 or 8",
                             size[i]);
    if ((uint64_t)x->columns > (uint64_t)UINT32_MAX + 1)
        return error_set(error, TEMPER_BAD_DATA,
                         "there are %zu columns, and at most 4294967296 are possible; number the "
                         "features that occur",
                         x->columns);
    return TEMPER_OK;
}

/* CSR with 32- or 64-bit indices, and float32 or float64 values: SciPy chooses these types by the size of the matrix,
 * and converting would need a copy. Of each pair of pointers in struct matrix exactly one is set, which determines the
 * width. */
temper_status temper_data_borrow_csr_any(const temper_csr_any *x, const int *labels, temper_data **data,
                                         temper_error *error)
{
    TRY(check_arguments(x, data, error));
    TRY(check_sparse(x, error));
    struct matrix matrix = {.kind = MATRIX_CSR, .rows = x->rows, .columns = x->columns};
    /* Each of the three arrays has its own width. */
    if (x->row_start_size == sizeof *matrix.row_start)
        matrix.row_start = x->row_start;
    else
        matrix.row_start32 = x->row_start;
    if (x->column_size == sizeof *matrix.column)
        matrix.column = x->column;
    else
        matrix.column64 = x->column;
    if (x->value_size == sizeof *matrix.value)
        matrix.value = x->value;
    else
        matrix.value64 = x->value;
    return data_from_matrix(&matrix, labels, data, error);
}

/* CSR with the library's preferred types. */
temper_status temper_data_borrow_csr(const temper_csr *x, const int *labels, temper_data **data, temper_error *error)
{
    TRY(check_arguments(x, data, error));
    const temper_csr_any sparse = {.rows = x->rows,
                                   .columns = x->columns,
                                   .row_start = x->row_start,
                                   .column = x->column,
                                   .value = x->value,
                                   .row_start_size = sizeof *x->row_start,
                                   .column_size = sizeof *x->column,
                                   .value_size = sizeof *x->value};
    return temper_data_borrow_csr_any(&sparse, labels, data, error);
}

/* One name for each class, copied; messages and models use them. */
temper_status temper_data_set_class_names(temper_data *data, const char *const *names, temper_error *error)
{
    return dataset_name_classes((struct dataset *)data, names, error);
}

/* One name for each column, copied; models keep them to match columns of files at prediction. */
temper_status temper_data_set_feature_names(temper_data *data, const char *const *names, temper_error *error)
{
    return dataset_name_features((struct dataset *)data, names, error);
}

/* One weight >= 0 for each row, copied, which multiplies the loss of the row. It is multiplied with weights that the
 * rows already have, so class weights of the reader stay in effect. */
temper_status temper_data_set_weights(temper_data *data, const double *weights, temper_error *error)
{
    return dataset_set_weights((struct dataset *)data, weights, error);
}

/* ---- Derived data ------------------------------------------------------------------------------------------------ */

/* Replaces the borrowed matrix of `copy` by the scaled one, if that fits the memory limit. */
static temper_status scale_copy(const struct dataset *data, enum scale_kind kind, size_t threads, struct dataset *copy,
                                temper_error *error)
{
    struct scale scale;
    if (kind == SCALE_NONE)
        return TEMPER_OK;
    /* All rows: NULL stands for the identity selection. */
    struct scale_rows all = {NULL, (size_t)data->x.rows};
    /* Eight bytes for each stored number; one row at a time is the working set of a thread. */
    double numbers = (double)data->x.nonzeros;
    struct memory_limit_plan plan = {.what = "scaling, which makes a copy of the data,",
                                     .needed = numbers * sizeof(double),
                                     .threads = threads ? threads : thread_count_default(),
                                     .block = numbers / ((double)data->x.rows + 1)};
    temper_status status = memory_limit_plan(data, &plan, error);
    if (status != TEMPER_OK)
        return status;
    status = scale_learn(data, kind, all, threads, &scale, error);
    if (status != TEMPER_OK)
        return status;
    status = scale_matrix(&scale, &data->x, threads, &copy->x, error);
    scale_free(&scale);
    return status;
}

/* A scaled copy with parameters estimated from all rows. With "none" the copy borrows the features of `data`, which
 * must outlive it. */
temper_status temper_data_scale(const temper_data *data, const char *scale, size_t threads, temper_data **scaled,
                                temper_error *error)
{
    enum scale_kind kind;
    struct dataset *copy = NULL;
    if (!scale_find(scale, &kind))
        return error_set(error, TEMPER_USAGE,
                         "there is no scaling '%.64s'; there are none, standard, minmax, maxabs, "
                         "log and pixels",
                         scale);
    /* Shares features, labels and names with `data`, and replaces the features below. */
    temper_status status = dataset_borrow(dataset_of(data), &copy, error);
    if (status == TEMPER_OK)
        status = scale_copy(dataset_of(data), kind, threads, copy, error);
    return publish_data(dataset_of(data)->ranks.comm, status, copy, scaled, error);
}

/* Copies the rows row[0..count), in that order; a row may occur several times, as in a bootstrap sample. */
temper_status temper_data_select_rows(const temper_data *data, const size_t *row, size_t count, temper_data **selected,
                                      temper_error *error)
{
    struct dataset *copy;
    size_t rows = temper_data_rows(data);
    for (size_t i = 0; i < count; i++)
        if (row[i] >= rows)
            return error_set(error, TEMPER_USAGE,
                             "row %zu is beyond the %zu rows of the data, which are counted "
                             "from 0",
                             row[i], rows);
    TRY(dataset_rows(dataset_of(data), row, count, &copy, error));
    *selected = (temper_data *)copy;
    return TEMPER_OK;
}

/* The rows of both, one after the other. Classes are matched by name, so class numbers of `second` may change. Refused
 * under MPI, where each rank has only some of the rows. */
temper_status temper_data_concat(const temper_data *first, const temper_data *second, temper_data **joined,
                                 temper_error *error)
{
    struct dataset *whole;
    TRY(scatter_refuse(dataset_of(first), "joining", error));
    TRY(scatter_refuse(dataset_of(second), "joining", error));
    TRY(dataset_concat(dataset_of(first), dataset_of(second), &whole, error));
    *joined = (temper_data *)whole;
    return TEMPER_OK;
}

/* Copies the rows of one part; `row` has space for the numbers of all rows. */
static temper_status copy_part(const struct dataset *data, const struct split *split, uint32_t part, size_t *row,
                               struct dataset **out, temper_error *error)
{
    size_t count = split_rows(split, part, false, row);
    return dataset_rows(data, row, count, out, error);
}

/* Both outputs are set, or neither. */
static temper_status copy_parts(const struct dataset *data, const struct split *split, temper_data **train,
                                temper_data **test, temper_error *error)
{
    struct dataset *first = NULL, *second = NULL;
    size_t *row = mem_alloc((size_t)data->x.rows, sizeof *row);
    if (!row)
        return error_no_memory(error);
    temper_status status = copy_part(data, split, SPLIT_TRAIN, row, &first, error);
    if (status == TEMPER_OK)
        status = copy_part(data, split, SPLIT_TEST, row, &second, error);
    mem_free(row);
    if (status != TEMPER_OK) {
        dataset_free(first);
        return status;
    }
    *train = (temper_data *)first;
    *test = (temper_data *)second;
    return TEMPER_OK;
}

temper_split_options temper_split_defaults(void)
{
    return (temper_split_options){.struct_size = sizeof(temper_split_options), .share = 0.25, .seed = 1};
}

/* A random split into training and test rows, with the same result for the same seed on every machine. */
temper_status temper_data_split(const temper_data *data, const temper_split_options *options, temper_data **train,
                                temper_data **test, temper_error *error)
{
    temper_split_options full = temper_split_defaults();
    struct split split;
    TRY(api_options(&full, sizeof full, options, "split", error));
    TRY(scatter_refuse(dataset_of(data), "a split", error));
    TRY(split_test(dataset_of(data), full.share, (struct split_options){full.seed, full.stratified != 0}, &split,
                   error));
    temper_status status = copy_parts(dataset_of(data), &split, train, test, error);
    split_free(&split);
    return status;
}

/* ---- Noise ------------------------------------------------------------------------------------------------------- */

temper_noise_options temper_noise_defaults(void)
{
    return (temper_noise_options){
        .struct_size = sizeof(temper_noise_options), .kind = "random", .rate = 0.1, .seed = 1, .rank_l2 = 1e-4};
}

/* Draws which rows change and how, without changing them. */
typedef temper_status noise_maker(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                  temper_error *error);

/* Uniform: a label becomes each of the other classes with equal probability. */
static temper_status make_random(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                 temper_error *error)
{
    return noise_random(data, options->rate, options->seed, noise, error);
}

/* Each class is confused with one other class, given by the map or the next one. */
static temper_status make_pair(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                               temper_error *error)
{
    return noise_pair(data, options->rate, options->map, options->seed, noise, error);
}

/* An arbitrary transition matrix from a file; the rate is in the matrix. */
static temper_status make_matrix(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                 temper_error *error)
{
    if (!options->matrix)
        return error_set(error, TEMPER_USAGE, "noise of kind matrix needs a file of probabilities; pass --matrix");
    return noise_transition(data, options->matrix, options->seed, noise, error);
}

/* Features are replaced by those of rows of other classes, while labels stay. */
static temper_status make_instance(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                   temper_error *error)
{
    return noise_instance(data, dataset_of(options->pool), options->rate, options->seed, noise, error);
}

/* Changes the labels of rows near the decision boundary of a logistic regression. */
static temper_status make_small_margin(const struct dataset *data, const temper_noise_options *options,
                                       struct noise *noise, temper_error *error)
{
    return noise_by_rank(data, options, false, noise, error);
}

/* Changes the labels of rows farthest from the boundary: the hardest noise for convex losses. */
static temper_status make_large_margin(const struct dataset *data, const temper_noise_options *options,
                                       struct noise *noise, temper_error *error)
{
    return noise_by_rank(data, options, true, noise, error);
}

/* Names on the command line and in Python; the message of temper_data_add_noise lists them too. */
static const struct noise_kind {
    const char *name;
    noise_maker *make;
} noise_kinds[] = {
    {"random", make_random},
    {"pair", make_pair},
    {"matrix", make_matrix},
    {"small-margin", make_small_margin},
    {"large-margin", make_large_margin},
    {"instance", make_instance},
};

/* NULL for an unknown name. */
static noise_maker *find_noise(const char *name)
{
    for (size_t i = 0; name && i < sizeof noise_kinds / sizeof *noise_kinds; i++)
        if (strcmp(noise_kinds[i].name, name) == 0)
            return noise_kinds[i].make;
    return NULL;
}

/* Internally, rows of the pool are numbered after those of the data; the caller's numbers start at 1 in each. */
static size_t source_row(uint64_t from, const temper_data *pool, uint64_t rows)
{
    if (from == NO_ROW)
        return 0;
    return (pool && from >= rows ? from - rows : from) + 1;
}

/* The list of changes for the caller; NULL without memory. */
static temper_noise_change *list_changes(const struct noise *noise, const temper_data *pool, uint64_t rows)
{
    temper_noise_change *changes = mem_alloc(noise->count, sizeof *changes);
    for (size_t i = 0; changes && i < noise->count; i++) {
        const struct label_change *change = &noise->change[i];
        changes[i] = (temper_noise_change){
            .row = change->row + 1, .was = change->was, .is = change->is, .from = source_row(change->from, pool, rows)};
    }
    return changes;
}

/* Applies the noise; outputs are set only if everything succeeded. */
static temper_status publish_noise(const struct dataset *data, const temper_data *pool, const struct noise *noise,
                                   temper_data **noisy, temper_noise_change **changes, temper_error *error)
{
    struct dataset *made;
    temper_noise_change *list = list_changes(noise, pool, data->x.rows);
    if (!list)
        return error_no_memory(error);
    temper_status status = noise_apply(data, dataset_of(pool), noise, &made, error);
    if (status != TEMPER_OK) {
        mem_free(list);
        return status;
    }
    *noisy = (temper_data *)made;
    *changes = list;
    return TEMPER_OK;
}

/* A copy of the data with noise, and its *count changes. The copy borrows what it does not change; the data, and the
 * pool of instance noise, must outlive it. */
temper_status temper_data_add_noise(const temper_data *data, const temper_noise_options *options, temper_data **noisy,
                                    temper_noise_change **changes, size_t *count, temper_error *error)
{
    temper_noise_options full = temper_noise_defaults();
    struct noise noise = {0};
    TRY(api_options(&full, sizeof full, options, "noise", error));
    /* The kind is checked before anything is allocated. */
    noise_maker *make = find_noise(full.kind);
    if (!make)
        return error_set(error, TEMPER_USAGE,
                         "there is no noise of kind '%.64s'; kinds are random, pair, matrix, "
                         "small-margin, large-margin and instance",
                         full.kind ? full.kind : "");
    TRY(scatter_refuse(dataset_of(data), "noise", error));
    TRY(make(dataset_of(data), &full, &noise, error));
    temper_status status = publish_noise(dataset_of(data), full.pool, &noise, noisy, changes, error);
    if (status == TEMPER_OK)
        *count = noise.count;
    noise_free(&noise);
    return status;
}

/* ---- Batches for a model ----------------------------------------------------------------------------------------- */

struct temper_batch_reader {
    struct batch_reader *reader;
    struct schema *plain; /* of a model that has no schema of its own; else NULL */
};

/* Opens `path` with the columns and classes of the model. The model must stay alive, since its schema is borrowed. */
temper_status temper_batch_reader_open(const temper_model *model, const char *path, const temper_read_options *options,
                                       temper_batch_reader **reader, temper_error *error)
{
    const struct model *known = model_of(model);
    temper_read_options full;
    TRY(api_read_options(&full, options, error));
    temper_batch_reader *made = mem_zeroed(1, sizeof *made);
    temper_status status = made ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK && !known->schema)
        status = schema_plain(known->features, &known->feature_names, &made->plain, error);
    if (status == TEMPER_OK)
        status = batch_reader_open(path, &full, made->plain ? made->plain : known->schema, &made->reader, error);
    status = comm_end(full.comm, status, error);
    if (status != TEMPER_OK) {
        temper_batch_reader_close(made);
        return status;
    }
    batch_reader_set_width(made->reader, known->classes.count);
    *reader = made;
    return TEMPER_OK;
}

/* The next rows, to be freed before the reader is closed; *batch is NULL at the end. */
temper_status temper_batch_reader_next(temper_batch_reader *reader, temper_data **batch, temper_error *error)
{
    struct dataset *data = NULL;
    temper_status status = batch_reader_next(reader->reader, &data, error);
    return publish_data(reader->reader->options.comm, status, data, batch, error);
}

/* What the reader has inferred; complete after the last batch. */
const char *temper_batch_reader_notes(const temper_batch_reader *reader)
{
    return batch_reader_notes(reader->reader);
}

/* Rows left out for missing values so far. */
size_t temper_batch_reader_dropped_rows(const temper_batch_reader *reader)
{
    return batch_reader_dropped(reader->reader);
}

/* Known once the first lines were read. */
size_t temper_batch_reader_kept_columns(const temper_batch_reader *reader)
{
    return reader->reader->reader.kept.count;
}

const char *temper_batch_reader_kept_name(const temper_batch_reader *reader, size_t column)
{
    return reader->reader->reader.kept.name[column];
}

/* The texts of a row follow each other, each with its final zero. */
const char *temper_data_kept_cell(const temper_data *data, size_t row, size_t column)
{
    const struct kept_cells *kept = &dataset_of(data)->kept;
    const char *text = kept->bytes + kept->start[row];
    while (column-- > 0)
        text += strlen(text) + 1;
    return text;
}

/* NULL is allowed, and so is an incompletely opened reader. */
void temper_batch_reader_close(temper_batch_reader *reader)
{
    if (!reader)
        return;
    batch_reader_close(reader->reader);
    schema_free(reader->plain);
    mem_free(reader);
}
