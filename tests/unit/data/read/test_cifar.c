/* CIFAR-10: records in, channels out. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "fixtures/data/binary_format_fixture.h"

enum { PIXELS = 1024, RECORD = 3073 };

static const char path[] = "x.bin";

/* Records whose labels and pixels follow from their number. */
static unsigned char pixel(size_t record, size_t i)
{
    return (unsigned char)(record * 31 + i * 7 + i / PIXELS * 50);
}

static struct blob records(size_t count)
{
    struct blob blob = {0};
    for (size_t i = 0; i < count; i++) {
        unsigned char record[RECORD] = {(unsigned char)(i % 2 ? 6 : 8)};
        for (size_t j = 1; j < RECORD; j++)
            record[j] = pixel(i, j - 1);
        blob_add(&blob, record, sizeof record);
    }
    return blob;
}

static unsigned char grey(size_t record, size_t i)
{
    double luma =
        0.299 * pixel(record, i) + 0.587 * pixel(record, PIXELS + i) + 0.114 * pixel(record, (size_t)2 * PIXELS + i);
    return (unsigned char)(luma + 0.5);
}

static unsigned char expected_pixel(const char *channel, size_t record, size_t i)
{
    if (strcmp(channel, "grey") == 0)
        return grey(record, i);
    if (strcmp(channel, "green") == 0)
        return pixel(record, PIXELS + i);
    return pixel(record, strcmp(channel, "blue") == 0 ? (size_t)2 * PIXELS + i : i);
}

/* Each channel has its own bytes; grey is computed. */
SCRATCH_TEST(channels)
{
    static const char *const names[] = {"red", "green", "blue", "grey", "all", NULL};
    struct blob blob = records(130); /* more than two batches */
    scratch_write(path, blob.bytes, blob.length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = names[i] ? names[i] : "all";
        temper_error error = {0};
        struct dataset *data = binary_read(read_cifar, path, (temper_read_options){.channel = names[i]}, &error);
        if (!CHECKF(data != NULL, "%s", error.message))
            break;
        size_t columns = strcmp(name, "all") == 0 ? 3 * PIXELS : PIXELS, wrong = 0;
        CHECK(data->x.kind == MATRIX_U8 && data->x.rows == 130 && data->x.columns == columns);
        CHECK_EQ_TEXT(data->file.format, "cifar");
        const unsigned char *got = data->x.dense;
        for (size_t j = 0; j < 130 * columns; j++)
            wrong += got[j] != expected_pixel(name, j / columns, j % columns);
        CHECKF(wrong == 0, "%s: %zu wrong", name, wrong);
        CHECK_EQ_SIZE(data->classes.count, 2);
        CHECK_EQ_TEXT(data->classes.name[data->label[0]], "8");
        CHECK_EQ_TEXT(data->classes.name[data->label[129]], "6");
        dataset_free(data);
    }
    blob_free(&blob);
}

/* The length of a pipe or an archive is not known; more records than were reserved for. */
SCRATCH_TEST(unknown_lengths)
{
    struct blob blob = records(1100), packed = {0};
    temper_error error = {0};
    blob_add_zstd(&packed, blob.bytes, blob.length);
    struct dataset *data = binary_read_bytes(read_cifar, path, packed, &error);
    if (CHECKF(data != NULL, "%s", error.message)) {
        const unsigned char *last = (const unsigned char *)data->x.dense + (size_t)1099 * 3072;
        CHECK(data->x.rows == 1100 && last[3071] == pixel(1099, 3071));
    }
    dataset_free(data);
    blob_free(&packed);
    blob_free(&blob);
}

/* The message lists all channels. */
SCRATCH_TEST(wrong_channel)
{
    struct blob blob = records(1);
    temper_error error = {0};
    scratch_write(path, blob.bytes, blob.length);
    CHECK(!binary_read(read_cifar, path, (temper_read_options){.channel = "gray"}, &error));
    CHECK(error.status == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "there is no channel 'gray'; channels are red, green, blue, grey, all");
    blob_free(&blob);
}

/* Places are record and byte within it, since there are no lines. */
SCRATCH_TEST(damaged_files)
{
    struct blob blob = {0};
    binary_refused(read_cifar, path, blob, "it contains no records");
    blob = records(3);
    blob.length -= 10;
    binary_refused(read_cifar, path, blob,
                   ":3:3064: record 3 has 3063 bytes of 3073; the file was "
                   "cut off");
    blob.length = 1;
    binary_refused(read_cifar, path, blob, ":1:2: record 1 has 1 bytes of 3073");
    blob.length = (size_t)3 * RECORD;
    blob.bytes[RECORD] = 10;
    binary_refused(read_cifar, path, blob, ":2:1: record 2 has the label 10, and CIFAR-10 has 0 to 9");
    blob_free(&blob);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* All channels are needed to write the same bytes. */
SCRATCH_TEST(writes_what_it_reads)
{
    struct blob blob = records(5);
    temper_error error = {0};
    struct dataset *data = binary_read_bytes(read_cifar, path, blob, &error);
    if (!CHECKF(data != NULL, "%s", error.message))
        return;
    struct blob again = binary_written(write_cifar, data);
    CHECK(blob.length == again.length && memcmp(blob.bytes, again.bytes, blob.length) == 0);
    dataset_free(data);
    blob_free(&again);
    blob_free(&blob);
}

/* The data is refused with advice, and no file appears. */
static void not_written(const struct dataset *data, const char *words)
{
    temper_error error = {0};
    CHECK(binary_write(write_cifar, data, path, &error) == TEMPER_USAGE);
    CHECKF(strstr(error.message, words) && strstr(error.message, "; "), "%s", error.message);
    CHECK(access(path, F_OK) != 0);
}

/* Features must be integers from 0 to 255, classes digits, and rows complete images. */
SCRATCH_TEST(what_it_cannot_hold)
{
    float *value = mem_zeroed(3072, sizeof *value);
    uint32_t label = 0;
    struct dataset data = {.x = {MATRIX_F32, 1, 3072, 3072, .dense = value}, .label = &label};
    classes_add(&data.classes, "3", 1);
    value[1] = 255;
    struct blob blob = binary_written(write_cifar, &data);
    CHECK(blob.length == RECORD && blob.bytes[0] == 3 && blob.bytes[2] == 255);
    blob_free(&blob);
    static const float wrong[] = {0.5f, -1, 256};
    for (size_t i = 0; i < 3; i++) {
        value[7] = wrong[i];
        not_written(&data, "row 1, feature 8 is none");
    }
    value[7] = 0;
    classes_add(&data.classes, "ten", 3);
    label = 1;
    not_written(&data, "'ten' is none of them");
    data.label = NULL;
    not_written(&data, "3072 without labels");
    data.label = &label;
    data.x.columns = 1024;
    not_written(&data, "these are 1024");
    classes_free(&data.classes);
    mem_free(value);
}

/* A plain file is allocated at once, an archive step by step. */
SCRATCH_TEST(survives_without_memory)
{
    struct blob blob = records(2), packed = {0};
    blob_add_gzip(&packed, blob.bytes, blob.length);
    scratch_write(path, blob.bytes, blob.length);
    binary_survives_no_memory(read_cifar, path, (temper_read_options){.channel = "grey"});
    scratch_write(path, packed.bytes, packed.length);
    binary_survives_no_memory(read_cifar, path, (temper_read_options){0});
    binary_survives_bad_files(read_cifar, path);
    blob_free(&packed);
    blob_free(&blob);
}

TEST(frogs_and_ships)
{
    temper_error error = {0};
    const char *real = binary_real_file("cifar10/frog-ship.bin.gz");
    if (!real)
        SKIP("no real data here: set TEMPER_DATA");
    struct dataset *data = binary_read(read_cifar, real, (temper_read_options){.channel = "all"}, &error);
    if (!CHECKF(data != NULL, "%s", error.message))
        return;
    size_t frogs = 0;
    CHECK_EQ_SIZE((size_t)data->x.rows, 12000);
    CHECK_EQ_SIZE((size_t)data->x.columns, 3072);
    CHECK_EQ_SIZE(data->classes.count, 2);
    for (size_t i = 0; i < 12000; i++)
        frogs += strcmp(data->classes.name[data->label[i]], "6") == 0;
    CHECK_EQ_SIZE(frogs, 6000);
    dataset_free(data);
}

TEST_LIST(LISTED(channels), LISTED(unknown_lengths), LISTED(wrong_channel), LISTED(damaged_files),
          LISTED(writes_what_it_reads), LISTED(what_it_cannot_hold), LISTED(survives_without_memory),
          LISTED(frogs_and_ships))
