/* .tmpr: what goes in comes out bit for bit, and no changed, missing or extra byte is accepted. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/tmpr/tmpr.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/fault_injection.h"

static const char path[] = "x.tmpr";

/* The opened data equals what was written. Frees it. */
static void opens_as(const struct dataset *expected, struct dataset *data, const temper_error *error)
{
    if (!CHECKF(data != NULL, "%s", error->message))
        return;
    CHECK(binary_equal(data, expected));
    CHECK_EQ_TEXT(data->file.format, "tmpr");
    dataset_free(data);
}

/* As a mapped file, through a pipe and compressed: three paths into memory. */
SCRATCH_TEST(round_trips)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        temper_error error = {0};
        enum matrix_kind kind = (enum matrix_kind)(seed % 4);
        struct dataset *data = binary_random(kind, 1 + seed % 37, 1 + seed % 11, seed);
        struct blob blob = binary_written(write_tmpr, data), packed = {0};
        opens_as(data, binary_read_bytes(read_tmpr, path, blob, &error), &error);
        opens_as(data, binary_read_pipe(read_tmpr, blob, &error), &error);
        if (seed % 2)
            blob_add_gzip(&packed, blob.bytes, blob.length);
        else
            blob_add_zstd(&packed, blob.bytes, blob.length);
        opens_as(data, binary_read_bytes(read_tmpr, path, packed, &error), &error);
        blob_free(&packed);
        blob_free(&blob);
        dataset_free(data);
    }
}

/* Rows without features, and a sparse matrix without entries. */
SCRATCH_TEST(empty_rows_round_trip)
{
    for (uint64_t columns = 0; columns < 2; columns++)
        for (int kind = MATRIX_F32; kind <= MATRIX_CSR; kind++) {
            temper_error error = {0};
            struct dataset *data = binary_random((enum matrix_kind)kind, 4, columns, 3);
            struct blob blob = binary_written(write_tmpr, data);
            opens_as(data, binary_read_bytes(read_tmpr, path, blob, &error), &error);
            blob_free(&blob);
            dataset_free(data);
        }
}

/* A file without rows could not be used, and is not written. */
SCRATCH_TEST(no_rows_are_refused)
{
    temper_error error = {0};
    struct dataset data = {.x = {.kind = MATRIX_F32, .columns = 3}};
    CHECK(binary_write(write_tmpr, &data, path, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "; ") != NULL);
    CHECK(access(path, F_OK) != 0);
}

/* Same data, same bytes: wherever it came from, and however it is held. */
SCRATCH_TEST(bytes_depend_on_the_data_alone)
{
    temper_error error = {0};
    struct dataset *data = binary_random(MATRIX_CSR, 50, 9, binary_full_seed());
    struct blob first = binary_written(write_tmpr, data);
    struct dataset *again = binary_read_bytes(read_tmpr, "elsewhere.tmpr", first, &error);
    dataset_note(again, "a note");
    struct blob second = binary_written(write_tmpr, again);
    CHECK(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
    blob_free(&first);
    blob_free(&second);
    dataset_free(again);
    dataset_free(data);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

/* Whether the file at `path`, in its present state, is refused with a message that names it and has advice. */
static bool is_refused(void)
{
    temper_error error = {0};
    struct dataset *data = binary_read(read_tmpr, path, (temper_read_options){0}, &error);
    bool refused =
        !data && error.status == TEMPER_BAD_DATA && strstr(error.message, path) && strstr(error.message, "; ");
    dataset_free(data);
    return refused;
}

/* Changes the file in place: writing it again each time would take minutes on a slow disk. */
static void poke(int file, size_t at, unsigned value)
{
    unsigned char byte = (unsigned char)value;
    if (pwrite(file, &byte, 1, (off_t)at) != 1)
        exit(2);
}

/* One changed bit and eight changed bits in every byte, padding included. */
SCRATCH_TEST(every_changed_byte_is_noticed)
{
    for (int kind = MATRIX_F32; kind <= MATRIX_CSR; kind++) {
        struct dataset *data = binary_random((enum matrix_kind)kind, 5, 3, binary_full_seed());
        struct blob blob = binary_written(write_tmpr, data);
        scratch_write(path, blob.bytes, blob.length);
        int file = open(path, O_RDWR);
        for (size_t i = 0; i < blob.length; i++) {
            poke(file, i, blob.bytes[i] ^ 1u << i % 8);
            CHECKF(is_refused(), "kind %d: a bit of byte %zu", kind, i);
            poke(file, i, ~(unsigned)blob.bytes[i]);
            CHECKF(is_refused(), "kind %d: all bits of byte %zu", kind, i);
            poke(file, i, blob.bytes[i]);
        }
        CHECK(!is_refused());
        close(file);
        blob_free(&blob);
        dataset_free(data);
    }
}

/* Every length but the right one is refused, for files and, in a sample, for pipes. */
SCRATCH_TEST(every_cut_and_every_addition_is_noticed)
{
    struct dataset *data = binary_random(MATRIX_CSR, 5, 3, binary_full_seed());
    struct blob blob = binary_written(write_tmpr, data);
    temper_error error = {0};
    size_t length = blob.length;
    blob_add(&blob, "", 1);
    binary_refused(read_tmpr, path, blob, "after its end");
    for (blob.length = length; blob.length-- > 0;) {
        if (truncate(path, (off_t)blob.length) != 0)
            exit(2);
        CHECKF(is_refused(), "cut at %zu", blob.length);
        if (blob.length % 64 == 0 || blob.length % 64 == 63)
            CHECKF(!binary_read_pipe(read_tmpr, blob, &error), "piped, cut at %zu", blob.length);
    }
    blob_free(&blob);
    dataset_free(data);
}

/* Damage in the middle of a large file is found by every check, and reported with its bytes. */
SCRATCH_TEST(the_damaged_block_is_named)
{
    static const char words[] = "damaged somewhere in bytes 1056768 to 2105343";
    struct dataset *data = binary_random(MATRIX_F64, 1000, 500, 1), *opened = NULL;
    temper_error error = {0};
    struct blob blob = binary_written(write_tmpr, data);
    blob.bytes[1500000] ^= 4;
    scratch_write(path, blob.bytes, blob.length);
    for (size_t threads = 0; threads < 4; threads++) {
        temper_read_options options = {.threads = threads};
        error = (temper_error){0};
        CHECK(!binary_read(read_tmpr, path, options, &error));
        CHECKF(strstr(error.message, words), "%s", error.message);
    }
    if (CHECK(tmpr_open(path, &opened, &error) == TEMPER_OK)) {
        CHECK(tmpr_verify_rows(opened, 0, 200, &error) == TEMPER_OK);
        CHECK(tmpr_verify_rows(opened, 200, 400, &error) == TEMPER_BAD_DATA);
        CHECK(tmpr_verify_rows(opened, 550, 1000, &error) == TEMPER_OK);
        CHECK(tmpr_verify_rows(opened, 999, 1001, &error) == TEMPER_USAGE);
        CHECK(memcmp(opened->x.dense, data->x.dense, 1 << 20) == 0);
    }
    dataset_free(opened);
    blob_free(&blob);
    dataset_free(data);
}

/* Rows can be verified and used although blocks of other rows are damaged. */
SCRATCH_TEST(rows_of_a_sparse_file_can_be_verified)
{
    struct dataset *data = binary_random(MATRIX_CSR, 4000, 300, binary_full_seed()), *opened = NULL;
    struct blob blob = binary_written(write_tmpr, data);
    temper_error error = {0};
    blob.bytes[blob.length - 70] ^= 1; /* in the last values */
    scratch_write(path, blob.bytes, blob.length);
    if (CHECK(tmpr_open(path, &opened, &error) == TEMPER_OK)) {
        CHECKF(tmpr_verify_rows(opened, 0, 2000, &error) == TEMPER_OK, "%s", error.message);
        CHECK(tmpr_verify_rows(opened, 3998, 4000, &error) == TEMPER_BAD_DATA);
        CHECK(tmpr_verify_rows(opened, 7, 7, &error) == TEMPER_OK);
    }
    dataset_free(opened);
    blob_free(&blob);
    dataset_free(data);
}

/* ---- The rest -------------------------------------------------------------------------------- */

/* The magic number distinguishes a truncated file from one of another format. */
SCRATCH_TEST(other_files_are_no_tmpr)
{
    struct blob blob = {0};
    binary_refused(read_tmpr, path, blob, "cut off");
    blob_add_text(&blob, "TMPR\n\x1a\n");
    binary_refused(read_tmpr, path, blob, "does not begin like a .tmpr file");
    while (blob.length < 300)
        blob_add_text(&blob, " ");
    binary_refused(read_tmpr, path, blob, "does not begin like a .tmpr file");
    blob_free(&blob);
    temper_error error = {0};
    struct dataset *data = NULL;
    CHECK(tmpr_open("missing.tmpr", &data, &error) == TEMPER_NO_INPUT);
    CHECK(!data);
    CHECK(tmpr_open(".", &data, &error) != TEMPER_OK);
}

/* Labels may be changed in place; the file stays as it is. */
SCRATCH_TEST(changes_stay_private)
{
    struct dataset *data = binary_random(MATRIX_U8, 5, 3, binary_full_seed()), *opened = NULL;
    struct blob blob = binary_written(write_tmpr, data);
    temper_error error = {0};
    scratch_write(path, blob.bytes, blob.length);
    if (CHECK(tmpr_open(path, &opened, &error) == TEMPER_OK))
        opened->label[0]++;
    dataset_free(opened);
    opens_as(data, binary_read(read_tmpr, path, (temper_read_options){0}, &error), &error);
    CHECK(tmpr_verify(data, 1, &error) == TEMPER_BUG); /* it was not opened */
    blob_free(&blob);
    dataset_free(data);
}

/* Each allocation fails once, when reading, opening and writing. */
SCRATCH_TEST(survives_without_memory)
{
    struct dataset *data = binary_random(MATRIX_CSR, 20, 6, binary_full_seed()), *opened = NULL;
    temper_error error = {0};
    if (!CHECK(binary_write(write_tmpr, data, path, &error) == TEMPER_OK))
        return;
    binary_survives_no_memory(read_tmpr, path, (temper_read_options){.threads = 2});
    binary_survives_bad_files(read_tmpr, path);
    for (size_t n = 1; n < 1000; n++) {
        fault_arm(n);
        temper_status status = tmpr_open(path, &opened, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && !opened);
    }
    dataset_free(opened);
    for (size_t n = 1; n < 1000; n++) {
        fault_arm(n);
        temper_status status = binary_write(write_tmpr, data, "y.tmpr", &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status != TEMPER_OK && access("y.tmpr", F_OK) != 0);
    }
    dataset_free(data);
}

TEST_LIST(LISTED(round_trips), LISTED(empty_rows_round_trip), LISTED(no_rows_are_refused),
          LISTED(bytes_depend_on_the_data_alone), LISTED(every_changed_byte_is_noticed),
          LISTED(every_cut_and_every_addition_is_noticed), LISTED(the_damaged_block_is_named),
          LISTED(rows_of_a_sparse_file_can_be_verified), LISTED(other_files_are_no_tmpr), LISTED(changes_stay_private),
          LISTED(survives_without_memory))
