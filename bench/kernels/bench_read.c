/* Reading: libsvm, CSV, gzip and .tmpr, against other ways and against limits. */
#include <stdio.h>
#include <stdlib.h>

#include "data/tmpr/tmpr.h"
#include "kernels/bench.h"
#include "kernels/bench_read_files.h"
#include "peers/plain_peers.h"
#include "peers/read_process.h"
#include "temper.h"

/* ---- Contenders ------------------------------------------------------------------------------ */

static void run_temper(void *context)
{
    const struct file *file = context;
    const temper_read_options options = {.struct_size = sizeof(temper_read_options), .threads = file->threads};
    temper_data *data;
    temper_error error;
    if (temper_data_read(file->path, &options, &data, &error) == TEMPER_OK)
        temper_data_free(data);
    else
        fprintf(stderr, "bench: %s\n", error.message);
}

static void run_line_by_line(void *context)
{
    const struct file *file = context;
    line_by_line(file->path);
}

static void run_inflate(void *context)
{
    const struct file *file = context;
    only_inflate(file->path);
}

static void run_open(void *context)
{
    const struct file *file = context;
    struct dataset *data;
    temper_error error;
    if (tmpr_open(file->path, &data, &error) == TEMPER_OK)
        dataset_free(data);
}

/* One way of asking pandas. */
struct pandas {
    struct child *child;
    const char *type;
};

static void run_pandas(void *context)
{
    const struct pandas *pandas = context;
    char answer[64];
    if (!child_ask(pandas->child, pandas->type, answer, sizeof answer))
        fprintf(stderr, "bench: pandas has stopped answering\n");
}

/* ---- Speed ----------------------------------------------------------------------------------- */

static double megabytes_a_second(const struct contender *contender)
{
    return 1e9 / contender->nanoseconds; /* its work is counted in megabytes */
}

static void compare_libsvm(const char *folder)
{
    struct file one = file_in(folder, "bench.libsvm", 1);
    make_libsvm(&one, 20000, 20000);
    struct file two = one, packed = file_in(folder, "bench.libsvm.gz", 1);
    two.threads = 2;
    make_gzip(&one, &packed);
    struct contender c[] = {
        {"temper", run_temper, &one, one.megabytes, 1, 0, 0},
        {"line by line", run_line_by_line, &one, one.megabytes, 1, 0, 0},
        {"temper, two threads", run_temper, &two, one.megabytes, 1, 0, 0},
        {"temper, gzip", run_temper, &packed, one.megabytes, 1, 0, 0},
        {"inflate", run_inflate, &packed, one.megabytes, 1, 0, 0},
    };
    bench_time(c, 5);
    bench_times_faster("libsvm, one thread, against line by line as LIBLINEAR reads", &c[0], &c[1], 10);
    bench_rate("libsvm, one thread, MB/s", megabytes_a_second(&c[0]), 500);
    bench_times_faster("libsvm, two threads against one", &c[2], &c[0], 1.8);
    bench_at_most("libsvm.gz against zlib's inflate alone", &c[3], &c[4], 1.2);
    bench_rate("libsvm.gz, MB/s of text", megabytes_a_second(&c[3]), 160);
    bench_limit("inflating by zlib, of the text", megabytes_a_second(&c[4]), "MB/s");
    remove(one.path);
    remove(packed.path);
}

/* pandas in a process of its own; false if it is not there. */
static int pandas_start(struct child *child, const struct file *file)
{
    static char python[] = TEMPER_SOURCE_DIR "/build/venv-bench/bin/python",
                script[] = TEMPER_SOURCE_DIR "/bench/peers/pandas_read.py";
    char answer[64], path[sizeof file->path];
    snprintf(path, sizeof path, "%s", file->path);
    char *arguments[] = {python, script, path, NULL};
    if (child_start(child, arguments) && child_answer(child, answer, sizeof answer))
        return 1;
    child_end(child);
    return 0;
}

static void compare_csv(const char *folder)
{
    struct file one = file_in(folder, "bench.csv", 1);
    make_csv(&one, 60000, 60000);
    struct file two = one;
    struct child child;
    two.threads = 2;
    int has_pandas = pandas_start(&child, &one);
    struct pandas plain = {&child, "default"}, float32 = {&child, "float32"};
    struct contender c[] = {
        {"temper", run_temper, &one, one.megabytes, 1, 0, 0},
        {"temper, two threads", run_temper, &two, one.megabytes, 1, 0, 0},
        {"pandas", run_pandas, &plain, one.megabytes, 1, 0, 0},
        {"pandas, float32", run_pandas, &float32, one.megabytes, 1, 0, 0},
    };
    bench_time(c, has_pandas ? 4 : 2);
    bench_rate("CSV, one thread, MB/s", megabytes_a_second(&c[0]), 300);
    bench_times_faster("CSV, two threads against one", &c[1], &c[0], 1.8);
    if (has_pandas) {
        bench_times_faster("CSV, one thread, against pandas' C reader", &c[0], &c[2], 2);
        bench_times_faster("CSV, one thread, against pandas' C reader, as float32", &c[0], &c[3], 2);
    } else {
        printf("  %-62s %35s\n", "CSV, one thread, against pandas' C reader",
               "NOT MEASURED: no pandas; tools/setup bench");
    }
    child_end(&child);
    remove(one.path);
}

static void compare_tmpr(const char *folder)
{
    struct file one = file_in(folder, "bench.tmpr", 0);
    make_tmpr(&one);
    struct contender c[] = {{"open", run_open, &one, 1, 1, 0, 0}};
    bench_time(c, 1);
    bench_figure("opening a .tmpr of 1 GB, milliseconds", c[0].nanoseconds / 1e6, 10);
    remove(one.path);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The peak of a process that reads the file, over the size of the matrix. */
static double peak_over_matrix(const struct file *file, size_t threads)
{
    char program[600], path[sizeof file->path], number[32], answer[128] = "";
    struct child child;
    child_beside("peak_read", program, sizeof program);
    snprintf(path, sizeof path, "%s", file->path);
    snprintf(number, sizeof number, "%zu", threads);
    char *arguments[] = {program, path, number, NULL}, *end;
    if (child_start(&child, arguments))
        child_answer(&child, answer, sizeof answer);
    child_end(&child);
    double peak = strtod(answer, &end), matrix = strtod(end, NULL);
    return matrix > 0 ? peak / matrix : 1e9; /* no answer, and no target met */
}

static void measure_peak(const struct file *file, const char *name)
{
    for (size_t threads = 1; threads <= 4; threads *= 2) {
        char what[120];
        snprintf(what, sizeof what, "%s, %zu thread%s, peak memory over a matrix of 150 MB", name, threads,
                 threads > 1 ? "s" : "");
        bench_figure(what, peak_over_matrix(file, threads), 1.15);
    }
    remove(file->path);
}

static void measure_memory(const char *folder)
{
    struct file sparse = file_in(folder, "bench-large.libsvm", 0);
    make_libsvm(&sparse, 125000, 5000);
    measure_peak(&sparse, "libsvm");
    struct file dense = file_in(folder, "bench-large.csv", 0);
    make_csv(&dense, 750000, 15000);
    measure_peak(&dense, "CSV");
}

void bench_read(const char *folder)
{
    bench_section("Reading (time on the wall)");
    compare_libsvm(folder);
    compare_csv(folder);
    compare_tmpr(folder);
    bench_section("Reading (memory beyond that of a process that reads nothing)");
    measure_memory(folder);
}
