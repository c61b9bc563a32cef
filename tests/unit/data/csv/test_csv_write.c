/* What is written reads back as the same, to the last bit. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/write/write.h"
#include "fixtures/data/csv_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"

/* ---- Random tables --------------------------------------------------------------------------- */

enum { MOST_TEXT = 12 };

/* A text of awkward letters; not empty, no missing value, no number. */
static char *make_text(struct random random, uint64_t at, size_t number)
{
    static const char letters[] = "ab,;\t\" \n'=\\\xc3\xa9";
    char *text = malloc(MOST_TEXT + 32);
    size_t length = (size_t)(random_bits(random, at) % MOST_TEXT);
    for (size_t i = 0; i < length; i++)
        text[i] = letters[random_bits(random, at + i + 1) % (sizeof letters - 1)];
    snprintf(text + length, 32, "#%zu%s", number, random_bits(random, at) & 64 ? " " : "");
    return text;
}

/* Any finite bits, or a small integer. */
static float make_f32(uint64_t bits)
{
    uint32_t word = (uint32_t)(bits >> 32);
    float value;
    memcpy(&value, &word, sizeof value);
    if (bits & 1)
        return (float)(word % 20) - 5; /* small whole numbers are what most tables hold */
    return isfinite(value) ? value : -0.0f;
}

/* Any finite bits. */
static double make_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : (double)(bits % 100) / 8;
}

/* Random cells of the matrix's type; the dataset owns them. */
static void fill_cells(struct dataset *data, struct random random)
{
    size_t count = (size_t)(data->x.rows * data->x.columns);
    void *cells = mem_alloc(count, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = random_bits(random, i);
        if (data->x.kind == MATRIX_F64)
            ((double *)cells)[i] = make_f64(bits);
        else
            ((float *)cells)[i] = make_f32(bits);
    }
    data->x.dense = data->x.owned[0] = cells;
    data->x.nonzeros = count;
}

/* Up to five classes with awkward names. */
static void fill_labels(struct dataset *data, struct random random)
{
    size_t count = (size_t)(random_bits(random, 1) % 5) + 1, rows = (size_t)data->x.rows;
    for (size_t i = 0; i < count; i++) {
        char *name = make_text(random, 100 * (i + 1), i);
        classes_add(&data->classes, name, strlen(name));
        free(name);
    }
    data->label = mem_alloc(rows, sizeof *data->label);
    for (size_t i = 0; i < rows; i++) /* in order of first appearance, as they are read back */
        data->label[i] = i < count ? (uint32_t)i : (uint32_t)(random_bits(random, 5000 + i) % count);
}

/* Feature names and weights, which only some of the tables have. */
static void fill_rest(struct dataset *data, struct random random)
{
    size_t columns = (size_t)data->x.columns, rows = (size_t)data->x.rows;
    data->features.name = (char **)mem_alloc(columns, sizeof *data->features.name);
    for (size_t i = 0; i < columns; i++)
        data->features.name[data->features.count++] = make_text(random, 100000 + 100 * i, i);
    data->weight = mem_alloc(rows, sizeof *data->weight);
    for (size_t i = 0; i < rows; i++)
        data->weight[i] = random_uniform(random, 7000 + i) + DBL_MIN;
}

/* The seed determines size, type and content. */
static struct dataset *make_table(uint64_t seed)
{
    struct random random = {.seed = seed, .stream = 3};
    struct dataset *data = mem_zeroed(1, sizeof *data);
    data->x.kind = seed % 2 ? MATRIX_F64 : MATRIX_F32;
    data->x.rows = 5 + random_bits(random, 1u << 30) % 30;
    data->x.columns = 1 + random_bits(random, 1u << 29) % 9;
    fill_cells(data, (struct random){.seed = seed, .stream = 4});
    fill_labels(data, random);
    if (seed % 3 == 0)
        fill_rest(data, random);
    return data;
}

/* ---- Round trips ----------------------------------------------------------------------------- */

/* Writes by one writer, as dataset_write would do. */
static temper_status write_to(const struct dataset *data, writer_fn *write, const char *path, temper_error *error)
{
    struct atomic_file *sink;
    temper_status status = atomic_file_open(path, &sink, error);
    if (status != TEMPER_OK)
        return status;
    status = write(data, sink, error);
    if (status == TEMPER_OK)
        return atomic_file_commit(sink, error);
    atomic_file_drop(sink);
    return status;
}

static struct dataset *read_back(const char *path, temper_read_options options)
{
    struct dataset *data = NULL;
    temper_error error;
    temper_status status = dataset_read(path, &options, &data, &error);
    CHECKF(status == TEMPER_OK, "%s", error.message);
    return data;
}

static void check_names(char **a, char **b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK_EQ_TEXT(a[i], b[i]);
}

/* Types, bits and names survive a round trip. */
static void check_same(const struct dataset *was, const struct dataset *is)
{
    if (!CHECK(is && is->x.rows == was->x.rows && is->x.columns == was->x.columns))
        return;
    CHECK(csv_same_bits(was->x.dense, is->x.dense, matrix_bytes(&was->x)));
    CHECK(csv_same_bits(was->label, is->label, was->x.rows * sizeof *was->label));
    if (CHECK_EQ_SIZE(is->classes.count, was->classes.count))
        check_names(is->classes.name, was->classes.name, was->classes.count);
    if (was->features.count > 0 && CHECK_EQ_SIZE(is->features.count, was->features.count))
        check_names(is->features.name, was->features.name, was->features.count);
    if (was->weight && CHECK(is->weight != NULL))
        CHECK(csv_same_bits(was->weight, is->weight, was->x.rows * sizeof *was->weight));
}

/* Written as CSV or TSV, read back and compared. */
TEST(random_tables)
{
    temper_error error;
    scratch_enter();
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct dataset *was = make_table(seed);
        bool tabs = seed % 5 == 0;
        const char *path = tabs ? "t.tsv" : "t.csv";
        temper_read_options options = {
            .f64 = was->x.kind == MATRIX_F64, .format = tabs ? "tsv" : "csv", .weights = was->weight ? "weight" : NULL};
        CHECK(write_to(was, tabs ? write_tsv : write_csv, path, &error) == TEMPER_OK);
        struct dataset *is = read_back(path, options);
        check_same(was, is);
        dataset_free(is);
        dataset_free(was);
    }
    scratch_leave();
}

/* ---- What is written ------------------------------------------------------------------------- */

/* The text does not depend on the type of the matrix. */
TEST(written_text)
{
    static const double values[] = {1, 0, 0, 2, 3, 0};
    static const char *const labels[] = {"b", "a, \"c\"", "b"};
    static const double weights[] = {1, 0.5, 2};
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    temper_error error;
    scratch_enter();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct dataset *data = table_make(kinds[i], 3, 2, values, labels);
        CHECK(write_to(data, write_csv, "t.csv", &error) == TEMPER_OK);
        CHECK_EQ_TEXT(scratch_text("t.csv"), "f1,f2,label\n1,0,b\n0,2,\"a, \"\"c\"\"\"\n3,0,b\n");
        table_weigh(data, weights);
        table_name_columns(data);
        CHECK(write_to(data, write_tsv, "t.tsv", &error) == TEMPER_OK);
        CHECK_EQ_TEXT(scratch_text("t.tsv"), "x1\tx2\tweight\tlabel\n1\t0\t1\tb\n"
                                             "0\t2\t0.5\t\"a, \"\"c\"\"\"\n3\t0\t2\tb\n");
        dataset_free(data);
    }
    scratch_leave();
}

/* A table without labels has only feature columns. */
TEST(without_labels)
{
    static const double values[] = {1, 2};
    temper_error error;
    scratch_enter();
    struct dataset *data = table_make(MATRIX_F32, 2, 1, values, NULL);
    CHECK(write_to(data, write_csv, "t.csv", &error) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("t.csv"), "f1\n1\n2\n");
    dataset_free(data);
    data = read_back("t.csv", (temper_read_options){.label = "none"});
    CHECK_EQ_TEXT(csv_rows(data), "1|2");
    dataset_free(data);
    scratch_leave();
}

/* More than a buffer's worth, in one row. */
TEST(wide_rows)
{
    enum { COLUMNS = 50000 };
    float *values = mem_alloc(COLUMNS, sizeof *values);
    temper_error error;
    scratch_enter();
    for (size_t i = 0; i < COLUMNS; i++)
        values[i] = (float)i / 7;
    struct dataset data = {.x = {.kind = MATRIX_F32, .rows = 1, .columns = COLUMNS, .dense = values}};
    CHECK(write_to(&data, write_csv, "t.csv", &error) == TEMPER_OK);
    struct dataset *is = read_back("t.csv", (temper_read_options){.label = "none"});
    CHECK(is && csv_same_bits(is->x.dense, values, COLUMNS * sizeof *values));
    dataset_free(is);
    mem_free(values);
    scratch_leave();
}

/* Each allocation fails once; no file must appear. */
TEST(no_memory)
{
    scratch_enter();
    struct dataset *data = make_table(3);
    for (size_t n = 1;; n++) {
        temper_error error;
        fault_arm(n);
        temper_status status = write_to(data, write_csv, "t.csv", &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "%zu: %s", n, temper_status_name(status));
        CHECK_EQ_SIZE(scratch_count(), 0); /* nothing is left behind */
    }
    dataset_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(random_tables), LISTED(written_text), LISTED(without_labels), LISTED(wide_rows), LISTED(no_memory))
