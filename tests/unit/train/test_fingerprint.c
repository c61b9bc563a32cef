/* Fingerprints of data: equal for equal rows in whatever type they are held, different after any change. */
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "train/train.h"

enum { ROWS = 300, COLUMNS = 40 };

static void fingerprint(const struct dataset *data, char hex[33])
{
    temper_error error = {0};
    CHECKF(dataset_fingerprint(data, 1, hex, &error) == TEMPER_OK, "%s", error.message);
}

/* The same entries as doubles: all of them are floats, so that the fingerprint is the same; one that is none is not. */
TEST(sparse_values_of_either_type)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    float *narrow = (float *)data->x.value;
    size_t entries = (size_t)data->x.nonzeros;
    double *wide = calloc(entries, sizeof *wide);
    char by_float[33], by_double[33], changed[33];
    CHECK(entries > 4096); /* more than one piece */
    for (size_t i = 0; i < entries; i++)
        wide[i] = (double)narrow[i];
    fingerprint(data, by_float);
    data->x.value = NULL;
    data->x.value64 = wide;
    fingerprint(data, by_double);
    CHECK_EQ_TEXT(by_double, by_float);
    wide[entries - 1] += 1e-12;
    fingerprint(data, changed);
    CHECK(strcmp(changed, by_float) != 0);
    wide[entries - 1] = (double)narrow[entries - 1];
    wide[0] += 1;
    fingerprint(data, changed);
    CHECK(strcmp(changed, by_float) != 0);
    data->x.value = narrow;
    data->x.value64 = NULL;
    narrow[entries / 2] += 1;
    fingerprint(data, changed);
    CHECK(strcmp(changed, by_float) != 0);
    free(wide);
    dataset_free(data);
}

/* Labels, and every kind of matrix: another value in the last row is another fingerprint. */
TEST(every_row_counts)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_CSR};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct dataset *data = made_data(kinds[k], ROWS, COLUMNS, 3);
        char before[33], after[33];
        fingerprint(data, before);
        fingerprint(data, after);
        CHECK_EQ_TEXT(after, before);
        data->label[ROWS - 1] = (data->label[ROWS - 1] + 1) % 3;
        fingerprint(data, after);
        CHECK(strcmp(after, before) != 0);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(sparse_values_of_either_type), LISTED(every_row_counts))
