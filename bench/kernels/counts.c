/* counts: how many instructions the hot loops take, for callgrind to count: a number that a busy
 * machine does not change. Run as
 *
 *     valgrind --tool=callgrind --collect-atstart=yes counts FOLDER
 *
 * it leaves one dump for each; bench/counts.py reads them. Valgrind knows no AVX-512: TEMPER_KERNEL
 * selects what runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "base/random.h"
#include "data/from_arrays.h"
#include "kernel/dispatch/kernel.h"
#include "kernels/bench_arrays.h"
#include "kernels/bench_read_files.h"
#include "objective/objective.h"
#include "temper.h"

enum { MARGINS = 4096, ROWS = 1024, COLUMNS = 100, CLASSES = 10, SOFTMAX = 1600, LINES = 300 };

static const temper_loss_spec LOGISTIC = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                              TEMPERED = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.12};

/* What was counted from begin() to here is dumped under this name. */
static void begin(void)
{
    CALLGRIND_ZERO_STATS;
}

static void end(const char *name)
{
    CALLGRIND_DUMP_STATS_AT(name);
    printf("%s\n", name);
}

static void count_margins(const struct kernel *kernel)
{
    static double margin[MARGINS], value[MARGINS], slope[MARGINS];
    static const double temperatures[][2] = {{1, 1}, {0.3, 1}, {0.3, 1.12}};
    const struct random random = {.seed = 1};
    struct margin_table *table = array_zeros(1, sizeof *table);
    char name[80];
    for (size_t i = 0; i < MARGINS; i++)
        margin[i] = 4 * random_normal(random, i);
    for (size_t i = 0; table && i < 3; i++) {
        margin_table_build(table, temperatures[i][0], temperatures[i][1]);
        snprintf(name, sizeof name, "%d margins (%g, %g)", MARGINS, temperatures[i][0], temperatures[i][1]);
        begin();
        kernel->margins(table, margin, MARGINS, value, slope, NULL);
        end(name);
    }
    free(table);
}

static void count_softmax(const struct kernel *kernel)
{
    static alignas(64) float activation[SOFTMAX * CLASSES], gradient[SOFTMAX * CLASSES], loss[SOFTMAX];
    static uint32_t label[SOFTMAX];
    const struct random random = {.seed = 2};
    struct softmax_f32 block = {.shape = {SOFTMAX, CLASSES, SOFTMAX, 0.3, 1.12},
                                .activation = activation,
                                .label = label,
                                .gradient = gradient,
                                .loss = loss};
    for (size_t i = 0; i < SOFTMAX * CLASSES; i++)
        activation[i] = (float)(3 * random_normal(random, i));
    begin();
    kernel->softmax_f32(&block);
    end("1600 tempered softmaxes of 10");
}

/* One evaluation at a point that is not 0. */
static void count_evaluation(const char *name, struct dataset *data, temper_loss_spec loss)
{
    struct objective *objective;
    temper_error error;
    struct objective_spec spec = {.data = data, .loss = loss, .l2 = 1e-4, .intercept = true, .threads = 1};
    if (objective_new(&spec, &objective, &error) != TEMPER_OK)
        return;
    size_t size = objective_size(objective);
    double *w = array_zeros(size, sizeof *w), *gradient = array_zeros(size, sizeof *w), value;
    const struct random random = {.seed = 7};
    double scale = data->x.kind == MATRIX_U8 ? 1e-3 : 0.1; /* activations of about 1 */
    for (size_t i = 0; w && i < size; i++)
        w[i] = scale * random_normal(random, i);
    if (w && gradient) {
        begin();
        objective_evaluate(objective, w, &value, gradient, &error);
        end(name);
    }
    free(w);
    free(gradient);
    objective_free(objective);
}

static void count_dense(const char *name, const struct matrix *x, int classes)
{
    static int label[ROWS];
    struct dataset *data;
    temper_error error;
    char text[80];
    for (int i = 0; i < ROWS; i++)
        label[i] = i % classes;
    if (dataset_from_matrix(x, label, &data, &error) != TEMPER_OK)
        return;
    snprintf(text, sizeof text, "%s, %d classes, logistic", name, classes);
    count_evaluation(text, data, LOGISTIC);
    snprintf(text, sizeof text, "%s, %d classes, tempered", name, classes);
    count_evaluation(text, data, TEMPERED);
    dataset_free(data);
}

static void count_objectives(void)
{
    float *x = array_normals(ROWS * COLUMNS, 1);
    uint8_t *byte = array_zeros(ROWS * COLUMNS, 1);
    struct matrix floats = {.kind = MATRIX_F32, .rows = ROWS, .columns = COLUMNS};
    floats.nonzeros = ROWS * COLUMNS;
    floats.dense = x;
    struct matrix bytes = floats;
    bytes.kind = MATRIX_U8;
    bytes.dense = byte;
    for (size_t i = 0; x && byte && i < ROWS * COLUMNS; i++)
        byte[i] = (uint8_t)(128 + 40 * x[i]);
    if (x && byte) {
        count_dense("1024 x 100 floats", &floats, 2);
        count_dense("1024 x 100 bytes", &bytes, 2);
        count_dense("1024 x 100 floats", &floats, CLASSES);
    }
    free(x);
    free(byte);
}

/* Reading, and an evaluation of what was read. */
static void count_file(const char *name, const struct file *file)
{
    const temper_read_options options = {.struct_size = sizeof(temper_read_options), .threads = 1};
    temper_data *data;
    temper_error error;
    char text[80];
    begin();
    temper_status status = temper_data_read(file->path, &options, &data, &error);
    snprintf(text, sizeof text, "reading %s", name);
    end(text);
    if (status != TEMPER_OK) {
        fprintf(stderr, "counts: %s\n", error.message);
        return;
    }
    snprintf(text, sizeof text, "an evaluation of %s", name);
    count_evaluation(text, (struct dataset *)data, LOGISTIC);
    temper_data_free(data);
    remove(file->path);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".", *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel) {
        fprintf(stderr, "counts: TEMPER_KERNEL=%s does not run here\n", wanted);
        return 2;
    }
    struct file libsvm = file_in(folder, "counts.libsvm", 1), csv = file_in(folder, "counts.csv", 1);
    count_margins(kernel);
    count_softmax(kernel);
    count_objectives();
    make_libsvm(&libsvm, LINES, LINES);
    count_file("300 lines of libsvm", &libsvm);
    make_csv(&csv, LINES, LINES);
    count_file("300 lines of CSV", &csv);
    return 0;
}
