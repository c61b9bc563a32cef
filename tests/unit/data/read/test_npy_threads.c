/* A large NPY file: the same numbers and the same refusals by any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixtures/data/npy_fixture.h"

enum { ROWS = 70000, COLUMNS = 31, NUMBERS = ROWS * COLUMNS }; /* 8.7 MB of floats: three shares of a thread */

static const char path[] = "large.npy";

/* Floats in either order of bytes; `bad`, if below NUMBERS, is an infinity. */
static bool write_file(bool big, size_t bad)
{
    struct blob blob = npy_file(big ? ">f4" : "<f4", "False", "(70000, 31)");
    uint64_t *bits = malloc(NUMBERS * sizeof *bits);
    bool made = bits != NULL;
    for (size_t i = 0; made && i < NUMBERS; i++)
        bits[i] = bits_f32(i == bad ? INFINITY : (float)i * 0.25f);
    if (made)
        add_numbers(&blob, bits, NUMBERS, 4, big);
    free(bits);
    FILE *file = made ? fopen(path, "wb") : NULL;
    made = file && fwrite(blob.bytes, 1, blob.length, file) == blob.length;
    made = file && fclose(file) == 0 && made;
    blob_free(&blob);
    return CHECK(made);
}

static temper_status read_with(size_t threads, temper_data **data, temper_error *error)
{
    temper_read_options options = temper_read_defaults();
    options.threads = threads;
    options.label = "none";
    return temper_data_read(path, &options, data, error);
}

SCRATCH_TEST(the_same_numbers)
{
    for (int big = 0; big < 2; big++)
        for (size_t threads = 1; write_file(big, NUMBERS) && threads <= 5; threads += 2) {
            temper_data *data = NULL;
            temper_error error = {0};
            if (!CHECKF(read_with(threads, &data, &error) == TEMPER_OK, "%s", error.message))
                return;
            const struct matrix *x = &((struct dataset *)data)->x;
            const float *value = x->dense;
            size_t wrong = x->kind != MATRIX_F32 || x->nonzeros != NUMBERS;
            for (size_t i = 0; wrong == 0 && i < NUMBERS; i++)
                wrong += value[i] != (float)i * 0.25f;
            CHECKF(wrong == 0, "%zu threads", threads);
            temper_data_free(data);
        }
}

/* The first of the values that are not finite, wherever it is. */
SCRATCH_TEST(the_same_refusal)
{
    static const size_t bad[] = {0, 65535, 65536, NUMBERS / 2, NUMBERS - 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad && write_file(false, bad[i]); i++) {
        temper_error one = {0}, several = {0};
        temper_data *data = NULL;
        CHECK(read_with(1, &data, &one) == TEMPER_BAD_DATA);
        CHECK(read_with(3, &data, &several) == TEMPER_BAD_DATA);
        CHECK_EQ_TEXT(several.message, one.message);
        CHECK(several.line == one.line && several.column == one.column && one.line == bad[i] / COLUMNS + 1);
    }
}

/* ---- Integers and labels --------------------------------------------------------------------- */

enum { LABELS = 1200000 }; /* 9.6 MB */

/* Labels as int64: mostly 3, 1 and 2, some that occur late, and `odd` at one place. */
static int64_t label_of(size_t row, size_t place, int64_t odd)
{
    if (row == place)
        return odd;
    return row < 5000 || row % 70001 != 0 ? 3 - (int64_t)(row % 3) : 1000 - (int64_t)(row / 70001);
}

static bool write_labels(const char *name, size_t place, int64_t odd)
{
    struct blob blob = npy_file("<i8", "False", "(1200000,)");
    uint64_t *bits = malloc(LABELS * sizeof *bits);
    bool made = bits != NULL;
    for (size_t i = 0; made && i < LABELS; i++)
        bits[i] = (uint64_t)label_of(i, place, odd);
    if (made)
        add_numbers(&blob, bits, LABELS, 8, false);
    free(bits);
    FILE *file = made ? fopen(name, "wb") : NULL;
    made = file && fwrite(blob.bytes, 1, blob.length, file) == blob.length;
    made = file && fclose(file) == 0 && made;
    blob_free(&blob);
    return CHECK(made);
}

/* Integers that are floats, and one that only a double is. */
SCRATCH_TEST(the_same_integers)
{
    static const int64_t odd[] = {7, (1 << 24) + 1, INT64_MAX};
    for (size_t which = 0; which < 3 && write_labels(path, LABELS - 1, odd[which]); which++)
        for (size_t threads = 1; threads <= 3; threads++) {
            temper_data *data = NULL;
            temper_error error = {0};
            temper_status status = read_with(threads, &data, &error);
            if (which == 2) {
                CHECK(status == TEMPER_BAD_DATA && error.line == LABELS && error.column == 1);
                continue;
            }
            if (!CHECKF(status == TEMPER_OK, "%s", error.message))
                return;
            const struct matrix *x = &((struct dataset *)data)->x;
            size_t wrong = x->kind != (which == 0 ? MATRIX_F32 : MATRIX_F64) || x->rows != LABELS;
            for (size_t i = 0; wrong == 0 && i < LABELS; i++) {
                double value;
                matrix_row_f64(x, i, &value);
                wrong += value != (double)label_of(i, LABELS - 1, odd[which]);
            }
            CHECKF(wrong == 0, "%zu threads", threads);
            temper_data_free(data);
        }
}

/* Each row has the class of its number, also of numbers that only late rows have. */
SCRATCH_TEST(the_same_labels)
{
    static const char beside[] = "large.npy.labels";
    if (!write_labels(path, 0, 1) || !write_labels(beside, LABELS - 1, -5))
        return;
    for (size_t threads = 1; threads <= 3; threads++) {
        temper_read_options options = temper_read_defaults();
        temper_data *data = NULL;
        temper_error error = {0};
        options.threads = threads;
        if (!CHECKF(temper_data_read(path, &options, &data, &error) == TEMPER_OK, "%s", error.message))
            return;
        const struct dataset *rows = (struct dataset *)data;
        size_t wrong = rows->classes.count != 4 + LABELS / 70001;
        for (size_t i = 0; wrong == 0 && i < LABELS; i++)
            wrong += strtoll(rows->classes.name[rows->label[i]], NULL, 10) != label_of(i, LABELS - 1, -5);
        CHECKF(wrong == 0, "%zu threads, %zu classes", threads, rows->classes.count);
        temper_data_free(data);
    }
}

TEST_LIST(LISTED(the_same_integers), LISTED(the_same_labels), LISTED(the_same_numbers), LISTED(the_same_refusal))
