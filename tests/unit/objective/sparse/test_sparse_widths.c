/* Sparse rows in the types of other programs: trained on, asked, tuned, audited and written as they
 * are, and with the bits that floats and 32-bit columns give if the numbers are the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "data/dataset.h"
#include "data/duplicate_rows.h"
#include "data/matrix.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { MOST = 40000, WIDTHS = 8 };

/* The same matrix in both widths of every array. */
struct made {
    size_t rows, columns;
    uint64_t start64[2001], column64[MOST];
    uint32_t start32[2001], column32[MOST];
    double f64[MOST];
    float f32[MOST];
    int label[2000];
};

static struct made made;

/* Rows of a dozen entries that tell the class, some of them wrongly; values are not below 0, for
 * logarithms, and floats. Every tenth row is that before it once more. */
static void make(size_t rows, size_t columns, int classes)
{
    const struct random random = {.seed = 11};
    size_t count = 0, step = columns / 12;
    made.rows = rows;
    made.columns = columns;
    for (size_t i = 0; i < rows; i++) {
        size_t like = i % 10 == 9 ? i - 1 : i;
        int label = (int)(random_uniform(random, like) * classes);
        made.start64[i] = count;
        for (size_t k = 0; k < 12; k++) {
            double u = random_uniform(random, 5000 + like * 24 + k);
            size_t column = k * step + (size_t)(u * (double)step);
            double value = random_uniform(random, 90000 + like * 24 + k);
            made.f32[count] = (float)(value + ((int)column % classes == label ? 1 : 0));
            made.column64[count++] = column;
        }
        made.label[i] = random_uniform(random, 400000 + i) < 0.1 ? (label + 1) % classes : label;
    }
    made.start64[rows] = count;
    for (size_t i = 0; i <= rows; i++)
        made.start32[i] = (uint32_t)made.start64[i];
    for (size_t e = 0; e < count; e++) {
        made.column32[e] = (uint32_t)made.column64[e];
        made.f64[e] = (double)made.f32[e];
    }
}

/* The bits of `which`: 64-bit starts no more, 64-bit columns, doubles. */
static temper_csr_any arrays(unsigned which)
{
    return (temper_csr_any){
        .rows = made.rows,
        .columns = made.columns,
        .row_start = which & 1 ? (const void *)made.start32 : made.start64,
        .column = which & 2 ? (const void *)made.column64 : made.column32,
        .value = which & 4 ? (const void *)made.f64 : made.f32,
        .row_start_size = which & 1 ? 4 : 8,
        .column_size = which & 2 ? 8 : 4,
        .value_size = which & 4 ? 8 : 4,
    };
}

static temper_data *borrowed(unsigned which)
{
    temper_data *data = NULL;
    temper_error error = {0};
    const temper_csr_any x = arrays(which);
    if (!CHECK(temper_data_borrow_csr_any(&x, made.label, &data, &error) == TEMPER_OK))
        printf("%s\n", error.message);
    return data;
}

/* ---- Training -------------------------------------------------------------------------------- */

static bool same(temper_text a, temper_text b)
{
    return a.bytes && b.bytes && a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static temper_text trained(unsigned which, const char *solver, const char *scale, size_t threads)
{
    temper_train_options options = temper_train_defaults();
    temper_data *data = borrowed(which);
    temper_model *model = NULL;
    temper_error error = {0};
    temper_text text = {0};
    options.solver = solver;
    options.scale = scale;
    options.threads = threads;
    options.max_iterations = 12;
    options.l2 = 1e-3;
    if (!CHECK(data && temper_train(data, &options, &model, NULL, &error) == TEMPER_OK) ||
        !CHECK(temper_model_to_text(model, &text, &error) == TEMPER_OK))
        printf("%s\n", error.message);
    temper_model_free(model);
    temper_data_free(data);
    return text;
}

static void same_models(const char *solver, const char *scale)
{
    temper_text first = trained(0, solver, scale, 1);
    for (unsigned which = 1; which < WIDTHS; which += (unsigned)test_step(6)) {
        temper_text other = trained(which, solver, scale, 1 + which % 2);
        CHECK(same(first, other));
        temper_free(other.bytes);
    }
    temper_free(first.bytes);
}

TEST(two_classes)
{
    make(2000, 60, 2);
    same_models("newton", NULL); /* which takes moments of the rows */
    same_models("lbfgs", "maxabs");
    same_models("tron", NULL);
}

TEST(many_classes)
{
    make(2000, 60, 3);
    same_models("lbfgs", NULL);
    same_models("tron", "standard");
}

/* So wide that gradients are made through the transposed matrix. */
TEST(many_columns)
{
    make(1000, 120000, 2);
    same_models("lbfgs", NULL);
    make(1000, 24000, 4);
    same_models("tron", NULL);
}

/* Logarithms are new numbers, of the type that there was: floats round, doubles do not. */
TEST(logarithms_of_doubles_are_doubles)
{
    make(500, 60, 2);
    temper_data *data = borrowed(6), *scaled = NULL;
    if (CHECK(data && temper_data_scale(data, "log", 2, &scaled, NULL) == TEMPER_OK)) {
        const struct matrix *x = &((const struct dataset *)scaled)->x;
        CHECK(x->value64 && x->column && x->row_start && !x->column64);
        bool rounded = true;
        for (uint64_t e = 0; e < x->nonzeros; e++)
            rounded = rounded && x->value64[e] == (double)(float)x->value64[e];
        CHECK(!rounded);
        temper_data_free(scaled);
    }
    temper_data_free(data);
    temper_text four = trained(4, "lbfgs", "log", 1), seven = trained(7, "lbfgs", "log", 2);
    CHECK(same(four, seven));
    temper_free(four.bytes);
    temper_free(seven.bytes);
}

/* ---- Everything else ------------------------------------------------------------------------- */

TEST(predictions)
{
    static double out[WIDTHS][2000 * 3];
    make(2000, 60, 3);
    temper_train_options options = temper_train_defaults();
    temper_data *data = borrowed(0);
    temper_model *model = NULL;
    options.max_iterations = 3;
    if (CHECK(data && temper_train(data, &options, &model, NULL, NULL) == TEMPER_OK))
        for (unsigned which = 0; which < WIDTHS; which++) {
            temper_data *rows = borrowed(which);
            CHECK(temper_predict(model, rows, TEMPER_PREDICT_PROBABILITIES, 2, out[which], NULL) == TEMPER_OK);
            CHECK(memcmp(out[which], out[0], sizeof out[0]) == 0);
            temper_data_free(rows);
        }
    temper_model_free(model);
    temper_data_free(data);
}

TEST(tuning)
{
    temper_text text[2] = {{0}, {0}};
    make(600, 60, 2);
    for (unsigned i = 0; i < 2; i++) {
        temper_tune_options options = temper_tune_defaults();
        temper_data *data = borrowed(i ? 7 : 0);
        temper_model *model = NULL;
        options.grid = "t1=0.3,1 t2=1 l2=1e-3";
        options.folds = 3;
        CHECK(data && temper_tune(data, &options, &model, NULL, NULL) == TEMPER_OK);
        CHECK(model && temper_model_to_text(model, &text[i], NULL) == TEMPER_OK);
        temper_model_free(model);
        temper_data_free(data);
    }
    CHECK(same(text[0], text[1]));
    temper_text_free(&text[0]);
    temper_text_free(&text[1]);
}

TEST(audits)
{
    static double scores[2][600];
    make(600, 60, 2);
    for (unsigned i = 0; i < 2; i++) {
        temper_audit_options options = temper_audit_defaults();
        temper_audit_report report = {0};
        temper_data *data = borrowed(i ? 7 : 0);
        CHECK(data && temper_audit(data, &options, scores[i], &report, NULL) == TEMPER_OK);
        temper_audit_report_free(&report);
        temper_data_free(data);
    }
    CHECK(scores[0][0] > 0 && memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
}

TEST(duplicates_and_summaries)
{
    static uint64_t first[WIDTHS][500];
    static const char *const names[] = {"sparse float32", "sparse float64"};
    make(500, 60, 2);
    for (unsigned which = 0; which < WIDTHS; which++) {
        temper_data *data = borrowed(which);
        temper_data_summary summary = {0};
        if (CHECK(data && temper_data_summarise(data, 1, &summary, NULL) == TEMPER_OK)) {
            CHECK_EQ_TEXT(summary.storage, names[which / 4]);
            CHECK(summary.nonzeros == made.start64[made.rows]);
        }
        CHECK(duplicates_find(&((const struct dataset *)data)->x, 2, first[which], NULL) == TEMPER_OK);
        CHECK(first[which][9] == 8 && memcmp(first[which], first[0], sizeof first[0]) == 0);
        temper_data_summary_free(&summary);
        temper_data_free(data);
    }
}

/* ---- Rows that move, and files --------------------------------------------------------------- */

/* Rows of a matrix of doubles and of one of floats behind each other: doubles, and none rounded. */
TEST(rows_are_gathered)
{
    const size_t row[] = {3, 120, 0, 199, 100};
    struct matrix out;
    make(100, 60, 2);
    made.f64[0] = 0.1;
    temper_data *first = borrowed(7), *second = borrowed(0);
    const struct matrix *x = &((const struct dataset *)first)->x;
    const struct matrix *y = &((const struct dataset *)second)->x;
    if (CHECK(matrix_gather(x, y, row, 5, &out, NULL) == TEMPER_OK)) {
        CHECK(out.rows == 5 && out.value64 && out.column && out.row_start && !out.value);
        for (size_t i = 0; i < 5; i++) {
            double is[60], was[60];
            matrix_row_f64(&out, i, is);
            matrix_row_f64(row[i] < 100 ? x : y, row[i] % 100, was);
            CHECK(memcmp(is, was, sizeof is) == 0);
        }
        const size_t kept[] = {0, 2, 3};
        double is[60], was[60];
        matrix_keep(&out, kept, 3);
        matrix_row_f64(&out, 1, is);
        matrix_row_f64(x, 0, was);
        CHECK(out.rows == 3 && memcmp(is, was, sizeof is) == 0);
        matrix_free(&out);
    }
    temper_data_free(first);
    temper_data_free(second);
}

/* A file's text in `out`, which is cut off where it ends; its length. */
static size_t written(unsigned which, const char *format, char *out, size_t room)
{
    char path[] = "/tmp/temper-widths-XXXXXX", labels[64];
    int there = mkstemp(path);
    temper_data *data = borrowed(which);
    CHECK(there >= 0 && data && temper_data_write(data, path, format, NULL) == TEMPER_OK);
    close(there); /* of the file that was replaced */
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(out, 1, room, file) : 0;
    if (file)
        fclose(file);
    snprintf(labels, sizeof labels, "%s.labels", path);
    unlink(path);
    unlink(labels);
    temper_data_free(data);
    return length;
}

TEST(files)
{
    static char first[1 << 20], other[1 << 20];
    static const char *const formats[] = {"libsvm", "csv"};
    make(100, 60, 2);
    for (size_t f = 0; f < 2; f++) {
        size_t length = written(0, formats[f], first, sizeof first);
        CHECK(length > 1000 && written(3, formats[f], other, sizeof other) == length);
        CHECK(memcmp(first, other, length) == 0);
    }
    made.f64[0] = 0.1; /* of which a float has eight digits */
    size_t length = written(4, "libsvm", other, sizeof other - 1);
    other[length] = '\0';
    CHECK(strstr(other, ":0.1 ") != NULL);
    length = written(4, "npy", other, sizeof other);
    double value;
    memcpy(&value, other + 128 + made.column64[0] * sizeof value, sizeof value);
    CHECK(length == 128 + 100 * 60 * sizeof value && value == 0.1);
}

/* Which hold one type of sparse rows. */
TEST(binary_files_are_refused)
{
    temper_error error = {0};
    make(100, 60, 2);
    temper_data *data = borrowed(4);
    CHECK(temper_data_write(data, "/tmp/temper-widths.tmpr", NULL, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "convert them, or write libsvm") != NULL);
    CHECK(access("/tmp/temper-widths.tmpr", F_OK) != 0);
    temper_data_free(data);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void refuse(temper_csr_any x, const char *words)
{
    temper_data *data = NULL;
    temper_error error = {0};
    CHECK(temper_data_borrow_csr_any(&x, NULL, &data, &error) != TEMPER_OK && !data);
    if (!CHECK(strstr(error.message, words) != NULL))
        printf("%s\n", error.message);
}

TEST(wrong_arrays)
{
    make(100, 60, 2);
    temper_csr_any x = arrays(7);
    x.column_size = 2;
    refuse(x, "has elements of 2 bytes; give integers and floating point numbers of 4 or 8");
    x = arrays(7);
    x.value = NULL;
    refuse(x, "an array of the sparse rows is missing");
    x = arrays(7);
    x.columns = ((size_t)1 << 32) + 1;
    refuse(x, "at most 4294967296 are possible");
    made.column64[5] += (uint64_t)1 << 32; /* the low half alone would do */
    refuse(arrays(7), "is not below 60");
    made.column64[5] -= (uint64_t)1 << 32;
    made.f64[13] = 1e300; /* beyond floats, and finite */
    temper_data_free(borrowed(7));
    made.f64[13] = INFINITY;
    refuse(arrays(7), "the value in row 1, column");
    made.start32[1] = 50;
    refuse(arrays(1), "entry 2 of row_start is 24; begin with 0");
}

TEST(memory_may_end)
{
    make(60, 120000, 3);
    temper_data *data = borrowed(7);
    for (size_t n = 1;; n += test_step(7)) {
        temper_train_options options = temper_train_defaults();
        options.calibrate = "none"; /* test_train_faults has faults in a calibration */
        temper_model *model = NULL;
        options.threads = 1;
        options.max_iterations = 1;
        fault_arm(n);
        temper_status status = temper_train(data, &options, &model, NULL, NULL);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !model : status == TEMPER_OK);
        temper_model_free(model);
        if (!fault_fired())
            break;
    }
    temper_data_free(data);
}

TEST_LIST(LISTED(two_classes), LISTED(many_classes), LISTED(many_columns), LISTED(logarithms_of_doubles_are_doubles),
          LISTED(predictions), LISTED(tuning), LISTED(audits), LISTED(duplicates_and_summaries),
          LISTED(rows_are_gathered), LISTED(files), LISTED(binary_files_are_refused), LISTED(wrong_arrays),
          LISTED(memory_may_end))
