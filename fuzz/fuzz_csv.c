/* Any bytes as a table, with any options: read, the same on several threads, or refused with
 * advice. */
#define _GNU_SOURCE /* memfd_create */
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "data/read/read.h"

/* Invariants of a table that was read: finite cells, ascending line numbers, labels within the classes, valid weights.
 * */
static void check_data(const struct dataset *data, bool f64)
{
    /* The matrix is always dense, of floats or of doubles. */
    size_t cells = (size_t)(data->x.rows * data->x.columns);
    REQUIRE(data->x.rows > 0 && data->x.columns > 0, "an empty table");
    REQUIRE(data->features.count == 0 || data->features.count == data->x.columns, "%zu names", data->features.count);
    for (size_t i = 0; i < cells; i++) {
        double value = f64 ? ((const double *)data->x.dense)[i] : (double)((const float *)data->x.dense)[i];
        REQUIRE(isfinite(value), "cell %zu is %g", i, value);
    }
    for (size_t i = 0; i < data->x.rows; i++) {
        REQUIRE(data->line[i] > (i > 0 ? data->line[i - 1] : 0), "row %zu", i);
        REQUIRE(!data->label || data->label[i] < data->classes.count, "row %zu", i);
        REQUIRE(!data->weight || (data->weight[i] >= 0 && isfinite(data->weight[i])), "row %zu", i);
    }
}

/* Two results of the same table must be equal bit by bit, whatever the number of threads. */
static void check_same(const struct dataset *a, const struct dataset *b)
{
    REQUIRE(a->x.rows == b->x.rows && a->x.columns == b->x.columns, "another size");
    REQUIRE(memcmp(a->x.dense, b->x.dense, (size_t)matrix_bytes(&a->x)) == 0, "other cells");
    REQUIRE(memcmp(a->line, b->line, (size_t)a->x.rows * sizeof *a->line) == 0, "other lines");
    REQUIRE(!a->label == !b->label, "labels or not");
    REQUIRE(!a->label || memcmp(a->label, b->label, (size_t)a->x.rows * sizeof *a->label) == 0, "other labels");
}

/* A refusal has a complete message with advice: a semicolon before the remedy, or an option. */
static void check_error(const temper_error *error, temper_status status)
{
    size_t length = strlen(error->message);
    REQUIRE(status == TEMPER_BAD_DATA || status == TEMPER_USAGE, "%s", error->message);
    REQUIRE(error->status == status, "%s", error->message);
    REQUIRE(length > 0 && length < sizeof error->message - 1, "cut off: %s", error->message);
    REQUIRE(strstr(error->message, "; ") || strstr(error->message, "--"), "no advice: %s", error->message);
}

/* Two bytes of the input choose among the options; names such as k, x and y exist in some inputs only. */
static temper_read_options take_options(struct bytes *bytes)
{
    static const char *const headers[] = {NULL, "yes", "no", "auto"};
    static const char *const labels[] = {NULL, "none", "1", "k"};
    static const char *const missing[] = {NULL, "zero", "mean", "drop"};
    static const char *const categorical[] = {NULL, "all", "2", "all,x"};
    static const char *const ignored[] = {NULL, NULL, "1", "y"};
    unsigned first = take_byte(bytes), second = take_byte(bytes);
    return (temper_read_options){.header = headers[first & 3],
                                 .label = labels[first >> 2 & 3],
                                 .missing = missing[first >> 4 & 3],
                                 .categorical = categorical[first >> 6 & 3],
                                 .ignore = ignored[second & 3],
                                 .format = second & 4 ? "tsv" : "csv",
                                 .f64 = second >> 3 & 1,
                                 .weights = second & 16 ? "3" : NULL,
                                 .automatic = second >> 5 & 1,
                                 .na = second & 64 ? "1,x" : NULL,
                                 .text = second & 128 ? "2" : NULL};
}

/* Reads the table by read_csv directly, so that no other format is inferred. */
static temper_status read_memory(int file, const temper_read_options *options, struct dataset *data,
                                 temper_error *error)
{
    char path[32];
    struct data_reader reading = {.path = path, .options = options, .error = error};
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    temper_status status = source_open(path, &reading.source, error);
    return status == TEMPER_OK ? read_csv(&reading, data) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* Reads the table on one thread and, if `twice`, on two: results and messages must be the same. */
static void check_table(int file, temper_read_options options, bool twice)
{
    /* Element 0 is the result of one thread, element 1 that of two. */
    temper_status status[2];
    temper_error error[2];
    struct dataset *data[2] = {NULL, NULL};
    /* Run 0 uses one thread, run 1 two. */
    for (size_t i = 0; i < 1u + twice; i++) {
        data[i] = calloc(1, sizeof *data[i]);
        options.threads = i + 1;
        status[i] = read_memory(file, &options, data[i], &error[i]);
        if (status[i] == TEMPER_OK)
            check_data(data[i], options.f64);
        else
            check_error(&error[i], status[i]);
    }
    REQUIRE(!twice || status[0] == status[1], "%s", temper_status_name(status[0]));
    if (twice && status[0] == TEMPER_OK)
        check_same(data[0], data[1]);
    else if (twice)
        REQUIRE(strcmp(error[0].message, error[1].message) == 0, "%s", error[1].message);
    dataset_free(data[0]);
    dataset_free(data[1]);
}

/* Writes blank lines before the table, as many as move its middle to the boundary after the first chunk, which has 1
 * MiB: only a table of several chunks is parsed by two threads. */
static void write_blank_lines(int file, size_t size)
{
    /* Static, since a megabyte is large for a stack under a sanitizer. */
    static char blank[1 << 20];
    size_t length = size / 2 < sizeof blank ? sizeof blank - size / 2 : 0;
    memset(blank, '\n', sizeof blank);
    REQUIRE(write(file, blank, length) == (ssize_t)length, "no file");
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct bytes bytes = {input, size};
    temper_read_options options = take_options(&bytes);
    /* A file without a disk: thousands of runs per second. */
    int file = memfd_create("csv", 0);
    /* Seldom, as it takes long. */
    bool twice = size > 0 && (31 * size + input[size / 2] + input[size - 1]) % 128 == 0;
    if (file >= 0 && twice)
        write_blank_lines(file, bytes.left);
    REQUIRE(file >= 0 && write(file, bytes.at, bytes.left) == (ssize_t)bytes.left, "no file");
    check_table(file, options, twice);
    close(file);
    return 0;
}
