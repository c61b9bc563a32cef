/* The row view of the four kinds, gathering, and how a dataset is freed and noted. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "data/dataset.h"
#include "data/matrix.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4 };

TEST(all_kinds_show_the_same_numbers)
{
    const double values[] = {1, 0, 3, 0, 0, 0, 250, 5, 0};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_make(kinds[k], 3, 3, values, NULL);
        double row[3] = {-1, -1, -1};
        for (size_t i = 0; i < 3; i++) {
            matrix_row_f64(&data->x, i, row);
            for (size_t j = 0; j < 3; j++)
                CHECKF(row[j] == values[3 * i + j], "kind %zu, row %zu, column %zu: %g", k, i, j, row[j]);
        }
        dataset_free(data);
    }
}

TEST(a_row_knows_its_entries)
{
    const double values[] = {1, 0, 3, 0, 0, 0, 250, 5, 0};
    struct dataset *dense = table_make(MATRIX_U8, 3, 3, values, NULL);
    struct dataset *sparse = table_make(MATRIX_CSR, 3, 3, values, NULL);
    struct row row = matrix_row(&dense->x, 2);
    CHECK(row.kind == MATRIX_U8 && row.count == 3 && row.column == NULL);
    CHECK(((const uint8_t *)row.dense)[0] == 250);
    row = matrix_row(&sparse->x, 0);
    CHECK(row.kind == MATRIX_CSR && row.count == 2 && row.dense == NULL);
    CHECK(row.column[1] == 2 && row.value[1] == 3.0f);
    CHECK_EQ_SIZE(matrix_row(&sparse->x, 1).count, 0);
    dataset_free(dense);
    dataset_free(sparse);
}

TEST(bytes_are_those_of_the_arrays)
{
    const double values[] = {1, 0, 3, 0, 0, 0, 250, 5, 0};
    static const size_t expected[] = {36, 72, 9, 4 * 8 + 4 * 8};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_make(kinds[k], 3, 3, values, NULL);
        CHECK_EQ_SIZE((size_t)matrix_bytes(&data->x), expected[k]);
        dataset_free(data);
    }
}

TEST(gathers_rows_in_any_order)
{
    static const size_t rows[] = {6, 0, 4, 4, 5}; /* row 4 has no 0 */
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_pattern(kinds[k], 7, 4, 2);
        struct matrix out;
        if (!CHECK(matrix_gather(&data->x, NULL, rows, 5, &out, NULL) == TEMPER_OK))
            return;
        CHECK(out.rows == 5 && out.columns == 4);
        for (size_t i = 0; i < 5; i++) {
            CHECK(table_same_row(&out, i, &data->x, rows[i]));
            CHECK_EQ_SIZE(matrix_row(&out, i).count, matrix_row(&data->x, rows[i]).count);
        }
        matrix_free(&out);
        CHECK(matrix_gather(&data->x, NULL, rows, 0, &out, NULL) == TEMPER_OK);
        CHECK(out.rows == 0 && out.nonzeros == 0);
        matrix_free(&out);
        dataset_free(data);
    }
}

enum { KEPT_FROM = 6 };

/* Keeps the rows whose bits are set. */
static void keep_subset(const struct dataset *whole, unsigned set)
{
    struct dataset *data = table_pattern(whole->x.kind, KEPT_FROM, 3, 2);
    size_t row[KEPT_FROM], count = 0, entries = 0;
    for (size_t i = 0; i < KEPT_FROM; i++)
        if (set >> i & 1)
            row[count++] = i;
    matrix_keep(&data->x, row, count);
    CHECK_EQ_SIZE((size_t)data->x.rows, count);
    for (size_t i = 0; i < count; i++) {
        CHECK(table_same_row(&data->x, i, &whole->x, row[i]));
        entries += matrix_row(&data->x, i).count;
    }
    CHECK_EQ_SIZE((size_t)data->x.nonzeros, entries);
    dataset_free(data);
}

/* Every subset of the rows of a small matrix. */
TEST(keeps_rows_in_place)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *whole = table_pattern(kinds[k], KEPT_FROM, 3, 2);
        for (unsigned set = 0; set < 1u << KEPT_FROM; set++)
            keep_subset(whole, set);
        dataset_free(whole);
    }
}

TEST(borrowed_memory_is_not_freed)
{
    static const float values[] = {1, 2, 3, 4};
    struct matrix matrix = {.kind = MATRIX_F32, .rows = 2, .columns = 2, .nonzeros = 4, .dense = values};
    CHECK(!matrix_is_ours(&matrix));
    matrix_free(&matrix);
    matrix_free(NULL);
    CHECK(matrix.dense == NULL && values[3] == 4);
}

TEST(arrays_in_a_mapped_file_go_with_it)
{
    struct dataset *data = calloc(1, sizeof *data);
    if (!CHECK(data != NULL))
        return;
    data->storage.mapping_length = 4096;
    data->storage.mapping =
        mmap(NULL, data->storage.mapping_length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(data->storage.mapping != MAP_FAILED);
    data->label = (uint32_t *)data->storage.mapping + 16;
    data->weight = (double *)data->storage.mapping + 64;
    data->line = malloc(8);
    dataset_free(data); /* the sanitizer would see a wrong free, or a leak */
    dataset_free(NULL);
}

TEST(notes_are_taken_once)
{
    static struct dataset data;
    dataset_note(&data, "qid: ignored");
    dataset_note(&data, "%zu rows dropped", (size_t)3);
    dataset_note(&data, "qid: ignored");
    dataset_note(&data, "qid: ign");
    CHECK_EQ_TEXT(data.notes, "qid: ignored\n3 rows dropped\nqid: ign\n");
}

TEST(notes_end_where_they_are_full)
{
    static struct dataset data;
    for (int i = 0; i < 1000; i++)
        dataset_note(&data, "note number %d of many", i);
    size_t length = strlen(data.notes);
    CHECK(length > sizeof data.notes - 32 && length < sizeof data.notes);
    CHECK(data.notes[length - 1] == '\n');
}

TEST(gathering_survives_a_lack_of_memory)
{
    static const size_t rows[] = {1, 0};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_pattern(kinds[k], 3, 3, 2);
        struct matrix out = {.rows = 77};
        temper_error error;
        for (size_t n = 1;; n++) {
            fault_arm(n);
            temper_status status = matrix_gather(&data->x, NULL, rows, 2, &out, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && out.rows == 77);
        }
        CHECK(out.rows == 2);
        matrix_free(&out);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(all_kinds_show_the_same_numbers), LISTED(a_row_knows_its_entries),
          LISTED(bytes_are_those_of_the_arrays), LISTED(gathers_rows_in_any_order), LISTED(keeps_rows_in_place),
          LISTED(borrowed_memory_is_not_freed), LISTED(arrays_in_a_mapped_file_go_with_it),
          LISTED(notes_are_taken_once), LISTED(notes_end_where_they_are_full),
          LISTED(gathering_survives_a_lack_of_memory))
