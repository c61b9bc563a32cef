/* NPY: every type of number that is one, in either order of bytes and of axes; and a refusal with
 * the remedy for all that is none. */
#include <string.h>

#include "fixtures/data/npy_fixture.h"

static const char path[] = "x.npy";

/* Reads it as a file and through a pipe; both must hold these numbers. Frees the blob. */
static void holds(struct blob blob, enum matrix_kind kind, uint64_t rows, const double *expected)
{
    for (int piped = 0; piped < 2; piped++) {
        temper_error error = {0};
        double row[16];
        struct dataset *data =
            piped ? binary_read_pipe(read_npy, blob, &error) : binary_read_bytes(read_npy, path, blob, &error);
        if (!CHECKF(data != NULL, "%s", error.message))
            break;
        CHECK(data->x.kind == kind && data->x.rows == rows && !data->label);
        CHECK_EQ_TEXT(data->file.format, "npy");
        for (uint64_t i = 0; i < rows; i++) {
            size_t columns = (size_t)data->x.columns;
            matrix_row_f64(&data->x, i, row);
            CHECKF(memcmp(row, expected + i * columns, columns * sizeof *row) == 0, "row %d begins with %g", (int)i,
                   row[0]);
        }
        dataset_free(data);
    }
    blob_free(&blob);
}

/* ---- What is right --------------------------------------------------------------------------- */

/* Little-endian, big-endian and native byte order. */
SCRATCH_TEST(floats_of_both_orders)
{
    static const double expected[] = {1.5, -2, 0, 1e-40f, 3e38f, -0.1f};
    uint64_t f32[6], f64[6];
    for (int i = 0; i < 6; i++) {
        f32[i] = bits_f32((float)expected[i]);
        f64[i] = bits_f64(expected[i]);
    }
    for (int big = 0; big < 2; big++) {
        struct blob blob = npy_file(big ? ">f4" : "<f4", "False", "(2, 3)");
        add_numbers(&blob, f32, 6, 4, big);
        holds(blob, MATRIX_F32, 2, expected);
        blob = npy_file(big ? ">f8" : "<f8", "False", "(3, 2)");
        add_numbers(&blob, f64, 6, 8, big);
        holds(blob, MATRIX_F64, 3, expected);
    }
}

SCRATCH_TEST(integers_of_all_widths)
{
    static const double expected[] = {0, 1, -1, 100, -128, 127};
    static const char *const types[] = {"|i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "=i4"};
    uint64_t bits[6];
    for (int i = 0; i < 6; i++)
        bits[i] = (uint64_t)(int64_t)expected[i];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct blob blob = npy_file(types[i], "False", "(6,)");
        add_numbers(&blob, bits, 6, (size_t)(types[i][2] - '0'), types[i][0] == '>');
        holds(blob, MATRIX_F32, 6, expected);
    }
}

SCRATCH_TEST(unsigned_and_truth_values)
{
    static const double expected[] = {0, 1, 255, 3}, truth[] = {1, 0, 1, 1};
    static const uint64_t bits[] = {0, 1, 255, 3}, truth_bits[] = {1, 0, 1, 1};
    static const char *const types[] = {"<u2", ">u4", "<u8"};
    struct blob blob = npy_file("|u1", "False", "(2, 2)");
    add_numbers(&blob, bits, 4, 1, false);
    holds(blob, MATRIX_U8, 2, expected);
    blob = npy_file("|b1", "False", "(2, 2)");
    add_numbers(&blob, truth_bits, 4, 1, false);
    holds(blob, MATRIX_U8, 2, truth);
    for (size_t i = 0; i < 3; i++) {
        blob = npy_file(types[i], "False", "(2, 2)");
        add_numbers(&blob, bits, 4, (size_t)(types[i][2] - '0'), types[i][0] == '>');
        holds(blob, MATRIX_F32, 2, expected);
    }
}

/* 2^24 is a float; 2^24 + 1 makes doubles of all; 2^53 + 1 is nothing that a double holds. */
SCRATCH_TEST(large_integers)
{
    static const double narrow[] = {7, 16777216}, wide[] = {7, 16777217, 3}, widest[] = {9223372036854775808.0, 1};
    static const uint64_t narrow_bits[] = {7, 16777216}, wide_bits[] = {7, 16777217, 3},
                          widest_bits[] = {UINT64_C(1) << 63, 1}, lost[] = {1, 2, 3, (UINT64_C(1) << 53) + 1},
                          lost_too[] = {UINT64_MAX};
    struct blob blob = npy_file("<i8", "False", "(2, 1)");
    add_numbers(&blob, narrow_bits, 2, 8, false);
    holds(blob, MATRIX_F32, 2, narrow);
    blob = npy_file("<i4", "False", "(3, 1)");
    add_numbers(&blob, wide_bits, 3, 4, false);
    holds(blob, MATRIX_F64, 3, wide);
    blob = npy_file("<u8", "False", "(2, 1)");
    add_numbers(&blob, widest_bits, 2, 8, false);
    holds(blob, MATRIX_F64, 2, widest);
    static const double lowest[] = {-9223372036854775808.0, 1};
    blob = npy_file("<i8", "False", "(2, 1)");
    add_numbers(&blob, widest_bits, 2, 8, false);
    holds(blob, MATRIX_F64, 2, lowest);
    blob = npy_file("<i8", "False", "(2, 2)");
    add_numbers(&blob, lost, 4, 8, false);
    npy_refused(blob, ":2:2: the value in row 2, column 2 is an integer that no double holds");
    blob = npy_file("<u8", "False", "(1, 1)");
    add_numbers(&blob, lost_too, 1, 8, false);
    npy_refused(blob, "no double holds");
}

/* Many integers, of which the last makes all of them doubles: what was read before must survive. */
SCRATCH_TEST(widening_keeps_what_was_read)
{
    enum { COUNT = 100000 };
    struct blob blob = npy_file("<i4", "False", "(100000,)");
    temper_error error = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t bits = i == COUNT - 1 ? 33554433 : i;
        add_numbers(&blob, &bits, 1, 4, false);
    }
    struct dataset *data = binary_read_bytes(read_npy, path, blob, &error);
    if (CHECKF(data && data->x.kind == MATRIX_F64, "%s", error.message)) {
        const double *value = data->x.dense;
        size_t wrong = 0;
        for (size_t i = 0; i + 1 < COUNT; i++)
            wrong += value[i] != (double)i;
        CHECK_EQ_SIZE(wrong, 0);
        CHECK(value[COUNT - 1] == 33554433);
    }
    dataset_free(data);
    blob_free(&blob);
}

SCRATCH_TEST(fortran_order_is_transposed)
{
    static const uint64_t bits[] = {1, 4, 2, 5, 3, 6};
    static const double expected[] = {1, 2, 3, 4, 5, 6}, line[] = {1, 4, 2, 5, 3, 6};
    static const char *const types[] = {"|u1", "<i4", ">u2"};
    for (size_t i = 0; i < 3; i++) {
        struct blob blob = npy_file(types[i], "True", "(2, 3)");
        add_numbers(&blob, bits, 6, (size_t)(types[i][2] - '0'), types[i][0] == '>');
        holds(blob, i == 0 ? MATRIX_U8 : MATRIX_F32, 2, expected);
    }
    struct blob blob = npy_file("|u1", "True", "(6,)"); /* nothing to turn */
    add_numbers(&blob, bits, 6, 1, false);
    holds(blob, MATRIX_U8, 6, line);
    uint64_t wide[6];
    for (int i = 0; i < 6; i++)
        wide[i] = bits_f64((double)bits[i]);
    blob = npy_file("<f8", "True", "(2, 3)");
    add_numbers(&blob, wide, 6, 8, false);
    holds(blob, MATRIX_F64, 2, expected);
}

/* More than one tile in both directions. */
SCRATCH_TEST(large_fortran_order)
{
    enum { ROWS = 101, COLUMNS = 67 };
    struct blob blob = npy_file("<i4", "True", "(101, 67)");
    temper_error error = {0};
    for (uint64_t j = 0; j < COLUMNS; j++)
        for (uint64_t i = 0; i < ROWS; i++) {
            uint64_t bits = i * COLUMNS + j;
            add_numbers(&blob, &bits, 1, 4, false);
        }
    struct dataset *data = binary_read_bytes(read_npy, path, blob, &error);
    if (CHECKF(data != NULL, "%s", error.message)) {
        const float *value = data->x.dense;
        size_t wrong = 0;
        for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
            wrong += value[i] != (float)i;
        CHECK_EQ_SIZE(wrong, 0);
        CHECK(strstr(data->notes, "Fortran order") != NULL);
    }
    dataset_free(data);
    blob_free(&blob);
}

/* Versions differ in the size of the length field. */
SCRATCH_TEST(headers_of_all_versions)
{
    static const char *const texts[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1), }\n",
        "{\"shape\":(1,1),\"fortran_order\":False,\"descr\":\"|u1\"}",
        "{'descr': '<u1', 'shape': (1L, 1L), 'fortran_order': False}   \n",
        " { 'shape' : ( 1 , ) , 'descr' : '=u1' , 'fortran_order' : False , }\t\n",
    };
    static const double expected[] = {7};
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct blob blob = npy_header(version, texts[i]);
            blob_add(&blob, "\7", 1);
            holds(blob, MATRIX_U8, 1, expected);
        }
}

/* ---- Writing --------------------------------------------------------------------------------- */

SCRATCH_TEST(writes_what_it_reads)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        temper_error error = {0};
        enum matrix_kind kind = (enum matrix_kind)(seed % 4);
        struct dataset *data = binary_random(kind, 1 + seed, 1 + seed % 7, seed);
        struct blob blob = binary_written(write_npy, data);
        CHECK_EQ_SIZE(blob.length % 64, matrix_bytes(&data->x) % 64 * (kind != MATRIX_CSR) +
                                            data->x.rows * data->x.columns * 4 % 64 * (kind == MATRIX_CSR));
        struct dataset *again = binary_read_bytes(read_npy, path, blob, &error);
        if (CHECKF(again != NULL, "%s", error.message)) {
            double a[16], b[16];
            bool same = again->x.kind == (kind == MATRIX_CSR ? MATRIX_F32 : kind);
            for (uint64_t i = 0; i < data->x.rows; i++) {
                matrix_row_f64(&data->x, i, a);
                matrix_row_f64(&again->x, i, b);
                same = same && memcmp(a, b, (size_t)data->x.columns * sizeof *a) == 0;
            }
            CHECKF(same, "seed %d", (int)seed);
        }
        dataset_free(again);
        dataset_free(data);
        blob_free(&blob);
    }
}

SCRATCH_TEST(survives_without_memory)
{
    struct blob blob = npy_file("<i4", "True", "(2, 2)");
    static const uint64_t bits[] = {1, 2, 3, 33554433};
    add_numbers(&blob, bits, 4, 4, false);
    scratch_write(path, blob.bytes, blob.length);
    binary_survives_no_memory(read_npy, path, (temper_read_options){0});
    binary_survives_bad_files(read_npy, path);
    blob_free(&blob);
}

/* Up to a multiple of 64 bytes, with a line end last, as numpy writes it. */
SCRATCH_TEST(a_header_is_filled_with_blanks)
{
    static const double x[] = {1, 2, 3};
    temper_data *data = NULL;
    CHECK(temper_data_borrow_f64(x, 3, 1, NULL, &data, NULL) == TEMPER_OK);
    CHECK(temper_data_write(data, "out.npy", NULL, NULL) == TEMPER_OK);
    struct blob file = binary_file("out.npy");
    size_t header = file.length - sizeof x, at = 10;
    CHECK(header % 64 == 0 && file.bytes[header - 1] == '\n');
    while (at < header && file.bytes[at] != '}')
        at++;
    for (at++; at < header - 1; at++)
        CHECKF(file.bytes[at] == ' ', "%zu", at);
    blob_free(&file);
    temper_data_free(data);
}

TEST_LIST(LISTED(floats_of_both_orders), LISTED(integers_of_all_widths), LISTED(unsigned_and_truth_values),
          LISTED(large_integers), LISTED(widening_keeps_what_was_read), LISTED(fortran_order_is_transposed),
          LISTED(large_fortran_order), LISTED(headers_of_all_versions), LISTED(writes_what_it_reads),
          LISTED(survives_without_memory), LISTED(a_header_is_filled_with_blanks))
