/* Reading: libsvm, CSV, gzip and .tmpr, against other ways and against limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/random.h"
#include "bench.h"
#include "data/read.h"
#include "data/tmpr.h"
#include "data/write.h"
#include "peers.h"
#include "temper.h"

struct file {
    char path[512];
    double megabytes;
    size_t threads;
};

/* ---- Files ----------------------------------------------------------------------------------- */

/* Text like that of 20 Newsgroups: 150 entries a row of 50,000, six digits each. */
static void make_libsvm(struct file *file)
{
    const struct random random = {.seed = 1};
    FILE *out = fopen(file->path, "w");
    uint64_t draw = 0;
    for (int row = 0; out && row < 20000; row++) {
        fprintf(out, "%d", row % 20);
        for (uint64_t entry = 0, index = 0; entry < 150; entry++) {
            index += 1 + random_below(random, draw++, 600);
            fprintf(out, " %llu:%.6g", (unsigned long long)index, random_uniform(random, draw++));
        }
        fputc('\n', out);
    }
    file->megabytes = out ? (double)ftell(out) / 1e6 : 0;
    if (out)
        fclose(out);
}

/* Six digits, as instruments write them. */
static void make_csv(struct file *file)
{
    const struct random random = {.seed = 2};
    FILE *out = fopen(file->path, "w");
    uint64_t draw = 0;
    for (int row = 0; out && row < 60000; row++) {
        for (int column = 0; column < 50; column++)
            fprintf(out, "%.6g,", random_normal(random, draw++));
        fprintf(out, "%d\n", row % 7);
    }
    file->megabytes = out ? (double)ftell(out) / 1e6 : 0;
    if (out)
        fclose(out);
}

static void make_gzip(const struct file *plain, struct file *packed)
{
    FILE *in = fopen(plain->path, "r");
    gzFile out = gzopen(packed->path, "w6");
    char piece[65536];
    size_t got;
    while (in && out && (got = fread(piece, 1, sizeof piece, in)) > 0)
        gzwrite(out, piece, (unsigned)got);
    if (in)
        fclose(in);
    gzclose(out);
    packed->megabytes = plain->megabytes;
}

/* A gigabyte of bytes. */
static void make_tmpr(struct file *file)
{
    enum { ROWS = 1000000, COLUMNS = 1000 };
    uint8_t *pixels = malloc((size_t)ROWS * COLUMNS);
    temper_error error;
    if (!pixels)
        return;
    memset(pixels, 7, (size_t)ROWS * COLUMNS);
    struct dataset data = {.x = {.kind = MATRIX_U8,
                                 .rows = ROWS,
                                 .columns = COLUMNS,
                                 .nonzeros = (uint64_t)ROWS * COLUMNS,
                                 .dense = pixels}};
    if (dataset_write(&data, file->path, "tmpr", &error) != TEMPER_OK)
        fprintf(stderr, "bench: %s\n", error.message);
    free(pixels);
    file->megabytes = 1e3;
}

/* ---- Contenders ------------------------------------------------------------------------------ */

static void run_temper(void *context)
{
    const struct file *file = context;
    const temper_read_options options = {.threads = file->threads};
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

/* ---- Comparisons ----------------------------------------------------------------------------- */

static struct file file_in(const char *folder, const char *name, size_t threads)
{
    struct file file = {.threads = threads};
    snprintf(file.path, sizeof file.path, "%s/%s", folder, name);
    return file;
}

static double megabytes_a_second(const struct contender *contender)
{
    return 1e9 / contender->nanoseconds; /* its work is counted in megabytes */
}

static void compare_libsvm(const char *folder)
{
    struct file one = file_in(folder, "bench.libsvm", 1);
    make_libsvm(&one);
    struct file two = one, packed = file_in(folder, "bench.libsvm.gz", 1);
    two.threads = 2;
    make_gzip(&one, &packed);
    struct contender c[] = {
        {"temper", run_temper, &one, one.megabytes, 1, 0},
        {"line by line", run_line_by_line, &one, one.megabytes, 1, 0},
        {"temper, two threads", run_temper, &two, one.megabytes, 1, 0},
        {"temper, gzip", run_temper, &packed, one.megabytes, 1, 0},
        {"inflate", run_inflate, &packed, one.megabytes, 1, 0},
    };
    bench_time(c, 5);
    bench_times_faster("libsvm, one thread, against line by line as LIBLINEAR reads", &c[0], &c[1],
                       10);
    bench_rate("libsvm, one thread, MB/s", megabytes_a_second(&c[0]), 500);
    bench_times_faster("libsvm, two threads against one", &c[2], &c[0], 1.8);
    bench_at_most("libsvm.gz against zlib's inflate alone", &c[3], &c[4], 1.2);
    bench_rate("libsvm.gz, MB/s of text", megabytes_a_second(&c[3]), 160);
    remove(one.path);
    remove(packed.path);
}

static void compare_csv(const char *folder)
{
    struct file one = file_in(folder, "bench.csv", 1);
    make_csv(&one);
    struct file two = one;
    two.threads = 2;
    struct contender c[] = {
        {"temper", run_temper, &one, one.megabytes, 1, 0},
        {"temper, two threads", run_temper, &two, one.megabytes, 1, 0},
    };
    bench_time(c, 2);
    bench_rate("CSV, one thread, MB/s", megabytes_a_second(&c[0]), 300);
    bench_times_faster("CSV, two threads against one", &c[1], &c[0], 1.8);
    remove(one.path);
}

static void compare_tmpr(const char *folder)
{
    struct file one = file_in(folder, "bench.tmpr", 0);
    make_tmpr(&one);
    struct contender c[] = {{"open", run_open, &one, 1, 1, 0}};
    bench_time(c, 1);
    bench_figure("opening a .tmpr of 1 GB, milliseconds", c[0].nanoseconds / 1e6, 10);
    remove(one.path);
}

void bench_read(const char *folder)
{
    bench_section("Reading (time on the wall)");
    compare_libsvm(folder);
    compare_csv(folder);
    compare_tmpr(folder);
}
