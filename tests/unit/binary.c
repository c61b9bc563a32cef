/* binary: what the tests of the binary formats share. */
#include "binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "fault.h"
#include "scratch.h"

/* ---- Reading --------------------------------------------------------------------------------- */

struct dataset *binary_read(reader_fn *reader, const char *path, temper_read_options options,
                            temper_error *error)
{
    struct source *source;
    struct dataset *data = mem_zeroed(1, sizeof *data);
    temper_status status = data ? source_open(path, &source, error) : error_no_memory(error);
    if (status == TEMPER_OK) {
        struct reading reading = {
            .path = path, .source = source, .options = &options, .error = error};
        status = reader(&reading, data);
    }
    if (status == TEMPER_OK)
        return data;
    CHECKF(error->status == status, "%d and %d: %s", (int)error->status, (int)status,
           error->message);
    dataset_free(data);
    return NULL;
}

struct dataset *binary_read_bytes(reader_fn *reader, const char *path, struct blob bytes,
                                  temper_error *error)
{
    scratch_write(path, bytes.bytes, bytes.length);
    return binary_read(reader, path, (temper_read_options){0}, error);
}

struct dataset *binary_read_pipe(reader_fn *reader, struct blob bytes, temper_error *error)
{
    char path[32];
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], bytes.bytes, bytes.length) != (ssize_t)bytes.length) {
        perror("pipe");
        exit(2);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    struct dataset *data = binary_read(reader, path, (temper_read_options){0}, error);
    close(ends[0]);
    return data;
}

void binary_refused(reader_fn *reader, const char *path, struct blob bytes, const char *words)
{
    for (int piped = 0; piped < 2; piped++) {
        temper_error error = {0};
        struct dataset *data = piped ? binary_read_pipe(reader, bytes, &error)
                                     : binary_read_bytes(reader, path, bytes, &error);
        CHECKF(!data, "it was accepted, not refused with '%s'", words);
        CHECKF(error.status == TEMPER_BAD_DATA && strstr(error.message, words),
               "'%s' does not say '%s'", error.message, words);
        CHECKF(strstr(error.message, "; "), "no remedy: %s", error.message);
        dataset_free(data);
    }
}

void binary_survives_no_memory(reader_fn *reader, const char *path, temper_read_options options)
{
    for (size_t n = 1; n < 1000; n++) {
        temper_error error = {0};
        fault_arm(n);
        struct dataset *data = binary_read(reader, path, options, &error);
        fault_disarm();
        bool fired = fault_fired();
        CHECKF(fired ? !data && error.status == TEMPER_NO_MEMORY : data != NULL, "%zu: %s", n,
               error.message);
        dataset_free(data);
        if (!fired)
            return;
    }
}

/* One kind of failure; where a file cannot be mapped it is read, so that some are survived. */
static void survive(void (*arm)(size_t n), reader_fn *reader, const char *path)
{
    for (size_t n = 1; n < 1000; n++) {
        temper_error error = {0};
        arm(n);
        struct dataset *data = binary_read(reader, path, (temper_read_options){0}, &error);
        fault_disarm();
        bool fired = fault_fired();
        CHECKF(data || (fired && error.status == TEMPER_IO), "%zu: %s", n, error.message);
        dataset_free(data);
        if (!fired)
            return;
    }
}

void binary_survives_bad_files(reader_fn *reader, const char *path)
{
    survive(fault_arm_reads, reader, path);
    survive(fault_arm_files, reader, path);
    temper_error error = {0};
    fault_hamper_reads(); /* this one must not be noticed at all */
    struct dataset *data = binary_read(reader, path, (temper_read_options){0}, &error);
    fault_disarm();
    CHECKF(data != NULL, "%s", error.message);
    dataset_free(data);
}

/* ---- Writing --------------------------------------------------------------------------------- */

temper_status binary_write(writer_fn *writer, const struct dataset *data, const char *path,
                           temper_error *error)
{
    struct atomic_file *sink;
    temper_status status = atomic_file_open(path, &sink, error);
    if (status != TEMPER_OK)
        return status;
    status = writer(data, sink, error);
    if (status == TEMPER_OK)
        return atomic_file_commit(sink, error);
    atomic_file_drop(sink);
    return status;
}

struct blob binary_file(const char *path)
{
    struct blob blob = {0};
    char bytes[65536];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        blob_add(&blob, bytes, got);
    fclose(file);
    return blob;
}

struct blob binary_written(writer_fn *writer, const struct dataset *data)
{
    temper_error error = {0};
    struct blob blob = {0};
    if (CHECKF(binary_write(writer, data, "written", &error) == TEMPER_OK, "%s", error.message))
        blob = binary_file("written");
    return blob;
}

const char *binary_real_file(const char *name)
{
    static char path[512];
    const char *folders[] = {getenv("TEMPER_DATA"), TEMPER_SOURCE_DIR "/../shared/data"};
    for (size_t i = 0; i < 2; i++) {
        if (!folders[i])
            continue;
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

/* ---- Random datasets ------------------------------------------------------------------------- */

/* Any finite value: tiny, huge and denormal ones too. */
static double any_value(struct random random, uint64_t i)
{
    static const double special[] = {0, -0.0, 1, -1, 1e-40, 3e38, -3e38, 1e-310, 255};
    uint64_t bits = random_bits(random, i);
    return bits % 4 == 0 ? special[bits / 4 % 9] : random_normal(random, i);
}

static void *array(uint64_t count, size_t size)
{
    void *block = mem_zeroed((size_t)count, size);
    if (!block)
        exit(2);
    return block;
}

static void fill_dense(struct matrix *x, struct random random)
{
    x->nonzeros = x->rows * x->columns;
    float *f32 = array(x->nonzeros, sizeof(double));
    double *f64 = (void *)f32;
    unsigned char *u8 = (void *)f32;
    for (uint64_t i = 0; i < x->nonzeros; i++) {
        if (x->kind == MATRIX_F32)
            f32[i] = (float)any_value(random, i);
        else if (x->kind == MATRIX_F64)
            f64[i] = any_value(random, i);
        else
            u8[i] = (unsigned char)random_bits(random, i);
    }
    x->dense = x->owned[0] = f32;
}

/* About a third of the entries, rows without any among them. */
static void fill_sparse(struct matrix *x, struct random random)
{
    uint64_t *start = array(x->rows + 1, sizeof *start), n = 0;
    uint32_t *column = array(x->rows * x->columns, sizeof *column);
    float *value = array(x->rows * x->columns, sizeof *value);
    for (uint64_t i = 0; i < x->rows; i++) {
        for (uint64_t j = 0; j < x->columns; j++)
            if (random_bits(random, i * x->columns + j) % 3 == 0 && i % 5 != 3) {
                column[n] = (uint32_t)j;
                value[n++] = (float)any_value(random, i * x->columns + j);
            }
        start[i + 1] = n;
    }
    x->nonzeros = n;
    x->row_start = x->owned[0] = start;
    x->column = x->owned[1] = column;
    x->value = x->owned[2] = value;
}

static void add_labels(struct dataset *data, struct random random)
{
    static const char *const names[] = {"cat", "", "Hund", "\xc3\xa9", "1", "2.5", "a b\tc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        classes_add(&data->classes, names[i], strlen(names[i]));
    data->label = array(data->x.rows, sizeof *data->label);
    for (uint64_t i = 0; i < data->x.rows; i++)
        data->label[i] = (uint32_t)random_below(random, i, data->classes.count);
}

static void add_features(struct dataset *data)
{
    data->features.count = (size_t)data->x.columns;
    data->features.name = (char **)array(data->x.columns, sizeof *data->features.name);
    for (size_t i = 0; i < data->features.count; i++) {
        data->features.name[i] = array(32, 1);
        if (i % 7 != 2) /* that one is "" */
            snprintf(data->features.name[i], 32, "feature %zu", i);
    }
}

struct dataset *binary_random(enum matrix_kind kind, uint64_t rows, uint64_t columns, uint64_t seed)
{
    struct random random = {.seed = seed};
    struct dataset *data = array(1, sizeof *data);
    uint64_t parts = random_bits(random, UINT64_MAX);
    data->x = (struct matrix){.kind = kind, .rows = rows, .columns = columns};
    if (kind == MATRIX_CSR)
        fill_sparse(&data->x, random);
    else
        fill_dense(&data->x, random);
    if (parts & 1)
        add_labels(data, random);
    if (parts & 2)
        add_features(data);
    data->weight = parts & 4 ? array(rows, sizeof *data->weight) : NULL;
    for (uint64_t i = 0; data->weight && i < rows; i++)
        data->weight[i] = random_uniform(random, i);
    data->line = parts & 8 ? array(rows, sizeof *data->line) : NULL;
    for (uint64_t i = 0; data->line && i < rows; i++)
        data->line[i] = i + random_bits(random, i) % 2;
    return data;
}

uint64_t binary_full_seed(void)
{
    for (uint64_t seed = 1;; seed++) {
        struct dataset *data = binary_random(MATRIX_U8, 2, 2, seed);
        bool all = data->label && data->features.count && data->weight && data->line;
        dataset_free(data);
        if (all)
            return seed;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool same(const void *a, const void *b, uint64_t length)
{
    return (a == NULL) == (b == NULL) && (!a || memcmp(a, b, (size_t)length) == 0);
}

static bool same_names(char *const *a, char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool same_matrix(const struct matrix *a, const struct matrix *b)
{
    if (a->kind != b->kind || a->rows != b->rows || a->columns != b->columns ||
        a->nonzeros != b->nonzeros)
        return false;
    if (a->kind != MATRIX_CSR)
        return same(a->dense, b->dense, matrix_bytes(a));
    return same(a->row_start, b->row_start, (a->rows + 1) * sizeof *a->row_start) &&
           same(a->column, b->column, a->nonzeros * sizeof *a->column) &&
           same(a->value, b->value, a->nonzeros * sizeof *a->value);
}

bool binary_equal(const struct dataset *a, const struct dataset *b)
{
    uint64_t rows = a->x.rows;
    return same_matrix(&a->x, &b->x) && same(a->label, b->label, rows * sizeof *a->label) &&
           same(a->weight, b->weight, rows * sizeof *a->weight) &&
           same(a->line, b->line, rows * sizeof *a->line) && a->classes.count == b->classes.count &&
           same_names(a->classes.name, b->classes.name, a->classes.count) &&
           a->features.count == b->features.count &&
           same_names(a->features.name, b->features.name, a->features.count);
}
