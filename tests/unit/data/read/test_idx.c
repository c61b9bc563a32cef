/* IDX: every type of number, any number of dimensions, and labels that are found beside the images.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/read/idx.h"
#include "fixtures/data/binary_format_fixture.h"

static const char images[] = "train-images-idx3-ubyte", labels[] = "train-labels-idx1-ubyte";

/* Magic and dimensions; a size of 0 ends the list. */
static struct blob idx_header(unsigned char type, const uint32_t *sizes, unsigned char count)
{
    struct blob blob = {0};
    unsigned char magic[] = {0, 0, type, count};
    blob_add(&blob, magic, 4);
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[] = {(unsigned char)(sizes[i] >> 24), (unsigned char)(sizes[i] >> 16),
                                 (unsigned char)(sizes[i] >> 8), (unsigned char)sizes[i]};
        blob_add(&blob, bytes, 4);
    }
    return blob;
}

static const uint32_t two_by_six[] = {2, 2, 3};

/* Two images of 2 x 3 pixels. */
static struct blob two_images(void)
{
    struct blob blob = idx_header(0x08, two_by_six, 3);
    blob_add(&blob,
             "\x00\x01\x02\x03\x04\xff"
             "abcdef",
             12);
    return blob;
}

/* An IDX file of labels, one byte each. */
static struct blob label_bytes(const char *bytes, uint32_t count)
{
    struct blob blob = idx_header(0x08, &count, 1);
    blob_add(&blob, bytes, count);
    return blob;
}

static void save(const char *path, struct blob blob)
{
    scratch_write(path, blob.bytes, blob.length);
    blob_free(&blob);
}

static void refused(struct blob blob, const char *words)
{
    binary_refused(read_idx, "x.idx", blob, words);
    blob_free(&blob);
}

/* The first dimension is rows, the product of the others columns. */
SCRATCH_TEST(dimensions_become_features)
{
    temper_error error = {0};
    struct blob blob = two_images();
    struct dataset *data = binary_read_bytes(read_idx, "x.idx", blob, &error);
    if (CHECKF(data != NULL, "%s", error.message)) {
        CHECK(data->x.kind == MATRIX_U8 && data->x.rows == 2 && data->x.columns == 6);
        CHECK(memcmp(data->x.dense, blob.bytes + 16, 12) == 0);
        CHECK(!data->label && data->notes[0] == '\0');
        CHECK_EQ_TEXT(data->file.format, "idx");
    }
    dataset_free(data);
    blob_free(&blob);
}

/* Two numbers of some type, and what they are. */
struct typed {
    unsigned char type;
    enum matrix_kind kind;
    size_t length;
    const char *bytes;
    double expected[2];
};

static void check_typed(const struct dataset *data, const struct typed *typed)
{
    CHECKF(data->x.kind == typed->kind, "type %d is of kind %d", typed->type, (int)data->x.kind);
    for (uint64_t j = 0; j < 2; j++) {
        double value;
        matrix_row_f64(&data->x, j, &value);
        CHECKF(value == typed->expected[j], "type %d: %g", typed->type, value);
    }
}

/* One column of each type; all are big-endian. */
SCRATCH_TEST(all_types)
{
    static const struct typed cases[] = {
        {0x08, MATRIX_U8, 2, "\x01\xff", {1, 255}},
        {0x09, MATRIX_F32, 2, "\x01\xff", {1, -1}},
        {0x0b, MATRIX_F32, 4, "\x01\x00\xff\xfe", {256, -2}},
        {0x0c, MATRIX_F32, 8, "\x00\x00\x01\x00\xff\xff\xff\xfe", {256, -2}},
        {0x0c, MATRIX_F64, 8, "\x7f\xff\xff\xff\x80\x00\x00\x00", {2147483647, -2147483648.0}},
        {0x0d, MATRIX_F32, 8, "\x3f\xc0\x00\x00\xc0\x00\x00\x00", {1.5, -2}},
        {0x0e, MATRIX_F64, 16, "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", {1.5, -2}},
    };
    static const uint32_t two = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        temper_error error = {0};
        struct blob blob = idx_header(cases[i].type, &two, 1);
        blob_add(&blob, cases[i].bytes, cases[i].length);
        struct dataset *data = binary_read_bytes(read_idx, "x.idx", blob, &error);
        if (CHECKF(data != NULL, "%zu: %s", i, error.message))
            check_typed(data, &cases[i]);
        dataset_free(data);
        blob_free(&blob);
    }
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static struct dataset *read_images(const char *path, temper_read_options options)
{
    temper_error error = {0};
    struct dataset *data = binary_read(read_idx, path, options, &error);
    CHECKF(data != NULL, "%s", error.message);
    return data;
}

static void has_labels(struct dataset *data, const char *from)
{
    if (!data)
        return;
    if (CHECK(data->label != NULL) && CHECK_EQ_SIZE(data->classes.count, 2)) {
        CHECK_EQ_TEXT(data->classes.name[data->label[0]], "9");
        CHECK_EQ_TEXT(data->classes.name[data->label[1]], "0");
        CHECKF(strstr(data->notes, from), "notes: %s", data->notes);
    }
    dataset_free(data);
}

/* By the name of the images, in any compression. */
SCRATCH_TEST(labels_are_found_beside)
{
    struct blob blob = label_bytes("\x09\x00", 2), packed = {0};
    blob_add_gzip(&packed, blob.bytes, blob.length);
    save(images, two_images());
    scratch_write(labels, blob.bytes, blob.length);
    has_labels(read_images(images, (temper_read_options){0}), "labels: from train-labels-idx1-ubyte");
    has_labels(read_images("./train-images-idx3-ubyte", (temper_read_options){0}), "labels: from ./");
    /* Images that are packed, labels that are not, and the other way round. */
    save("train-images-idx3-ubyte.gz", two_images());
    has_labels(read_images("train-images-idx3-ubyte.gz", (temper_read_options){0}),
               "labels: from train-labels-idx1-ubyte,");
    unlink(labels);
    scratch_write("train-labels-idx1-ubyte.gz", packed.bytes, packed.length);
    has_labels(read_images(images, (temper_read_options){0}), "train-labels-idx1-ubyte.gz,");
    has_labels(read_images("train-images-idx3-ubyte.gz", (temper_read_options){0}), ".gz,");
    blob_free(&packed);
    blob_free(&blob);
}

SCRATCH_TEST(labels_are_not_forced)
{
    save(images, two_images());
    struct dataset *data = read_images(images, (temper_read_options){0});
    CHECK(data && !data->label);
    CHECKF(data && strstr(data->notes, "there is no train-labels-idx1-ubyte beside"), "%s", data ? data->notes : "");
    dataset_free(data);
    save(labels, label_bytes("\x09\x00", 2));
    data = read_images(images, (temper_read_options){.label = "none"});
    CHECK(data && !data->label);
    dataset_free(data);
    data = read_images(images, (temper_read_options){.labels = "others.txt"});
    CHECK(data && !data->label); /* the others are read by somebody else */
    dataset_free(data);
    data = read_images(labels, (temper_read_options){0});
    CHECK(data && !data->label && data->x.columns == 1);
    dataset_free(data);
}

static void labels_refused(struct blob blob, const char *words)
{
    temper_error error = {0};
    save(labels, blob);
    CHECK(!binary_read(read_idx, images, (temper_read_options){0}, &error));
    CHECKF(error.status == TEMPER_BAD_DATA && strstr(error.message, words) &&
               strstr(error.message, "train-labels-idx1-ubyte"),
           "'%s' does not say '%s'", error.message, words);
}

/* One label per row, or the files do not belong together. */
SCRATCH_TEST(labels_must_fit)
{
    static const uint32_t two_by_two[] = {2, 2};
    save(images, two_images());
    labels_refused(label_bytes("abc", 3), "3 x 1 labels for 2 rows; pass the right file by --labels");
    labels_refused(label_bytes("a", 1), "1 x 1 labels for 2 rows");
    struct blob blob = label_bytes("ab", 2);
    blob_add_text(&blob, "c");
    labels_refused(blob, "there are 3 bytes of numbers");
    labels_refused(idx_header(0x08, two_by_two, 2), "2 x 2 labels for 2 rows");
    blob = (struct blob){0};
    blob_add_text(&blob, "no labels");
    labels_refused(blob, "does not begin like an IDX file");
}

SCRATCH_TEST(names_of_labels)
{
    static const struct {
        const char *images, *labels;
    } cases[] = {
        {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"},
        {"/a/images/t10k-images.idx3-ubyte.gz", "/a/images/t10k-labels.idx1-ubyte.gz"},
        {"images", "labels"},
        {"images/idx3/my-images-idx4-int", "images/idx3/my-labels-idx1-int"},
        {"images/digits-idx3-ubyte", NULL},
        {"-", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *found = idx_labels_path(cases[i].images);
        CHECK((found == NULL) == (cases[i].labels == NULL));
        if (found && cases[i].labels)
            CHECK_EQ_TEXT(found, cases[i].labels);
        mem_free(found);
    }
}

/* ---- What is wrong --------------------------------------------------------------------------- */

/* Headers and lengths that contradict each other. */
SCRATCH_TEST(damaged_files)
{
    static const uint32_t huge[] = {2, UINT32_MAX, UINT32_MAX, UINT32_MAX}, none[] = {0, 5},
                          large[] = {UINT32_MAX, 100000}, three = 3, flat[] = {2, 0};
    struct blob blob = {0};
    refused(blob, "cut off within its header");
    refused(idx_header(0x08, &three, 0), "no dimensions");
    refused(idx_header(0x0a, &three, 1), "does not begin like an IDX file");
    refused(idx_header(0x08, huge, 4), "larger than a machine can address");
    refused(idx_header(0x08, none, 2), "there are no numbers in it: 0 x 5");
    refused(idx_header(0x08, flat, 2), "there are no numbers in it: 2 x 0");
    refused(idx_header(0x0e, large, 2), "there are 0 bytes of numbers, but the header specifies 4294967295 x 100000");
    blob = two_images();
    blob.length--;
    refused(blob, "there are 11 bytes of numbers, but the header specifies 2 x 6 of 1 bytes each, 12");
    blob = two_images();
    blob_add_text(&blob, "gh");
    refused(blob, "there are 14 bytes of numbers, but the header specifies 2 x 6 of 1 bytes each, 12");
    blob = two_images();
    blob.length = 10;
    refused(blob, "cut off within its header");
    blob = idx_header(0x0d, &three, 1);
    blob_add(&blob, "\0\0\0\0\x7f\x80\0\0\0\0\0\0", 12);
    refused(blob, ":2:1: the value in row 2, column 1 is inf");
}

/* ---- Writing --------------------------------------------------------------------------------- */

SCRATCH_TEST(writes_what_it_reads)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        temper_error error = {0};
        enum matrix_kind kind = (enum matrix_kind)(seed % 4);
        struct dataset *data = binary_random(kind, 1 + seed, 1 + seed % 7, seed);
        struct blob blob = binary_written(write_idx, data);
        struct dataset *again = binary_read_bytes(read_idx, "x.idx", blob, &error);
        bool same = again && again->x.kind == (kind == MATRIX_CSR ? MATRIX_F32 : kind);
        for (uint64_t i = 0; same && i < data->x.rows; i++) {
            double a[16], b[16];
            matrix_row_f64(&data->x, i, a);
            matrix_row_f64(&again->x, i, b);
            same = memcmp(a, b, (size_t)data->x.columns * sizeof *a) == 0;
        }
        CHECKF(same, "seed %d: %s", (int)seed, error.message);
        dataset_free(again);
        dataset_free(data);
        blob_free(&blob);
    }
}

/* Labels as bytes, as integers, or not at all. */
SCRATCH_TEST(writes_labels)
{
    static const char *const names[][3] = {{"0", "7", "255"}, {"-1", "1", "300000"}, {"a", "b", "1"}};
    static const size_t lengths[] = {11, 20, 0};
    for (size_t i = 0; i < 3; i++) {
        temper_error error = {0};
        uint32_t label[] = {2, 0, 1};
        struct dataset data = {.x = {.rows = 3, .columns = 1}, .label = label};
        for (size_t j = 0; j < 3; j++)
            classes_add(&data.classes, names[i][j], strlen(names[i][j]));
        temper_status status = binary_write(write_idx_labels, &data, labels, &error);
        CHECKF((status == TEMPER_OK) == (i < 2), "%s", error.message);
        if (status == TEMPER_OK) {
            struct blob blob = binary_file(labels);
            CHECK_EQ_SIZE(blob.length, lengths[i]);
            blob_free(&blob);
            unlink(labels);
        } else {
            CHECK(strstr(error.message, "class 'a' is none; write .tmpr") && access(labels, F_OK) != 0);
        }
        classes_free(&data.classes);
    }
}

SCRATCH_TEST(survives_without_memory)
{
    save(images, two_images());
    save(labels, label_bytes("\x09\x00", 2));
    binary_survives_no_memory(read_idx, images, (temper_read_options){0});
    binary_survives_bad_files(read_idx, images);
}

TEST(fashion_mnist)
{
    static const struct {
        const char *name;
        size_t rows;
    } files[] = {{"fashion-mnist/train-images-idx3-ubyte.gz", 60000},
                 {"fashion-mnist/t10k-images-idx3-ubyte.gz", 10000}};
    for (size_t i = 0; i < 2; i++) {
        const char *path = binary_real_file(files[i].name);
        if (!path)
            SKIP("no real data here: set TEMPER_DATA");
        size_t count[10] = {0};
        struct dataset *data = read_images(path, (temper_read_options){0});
        if (!data || !CHECK(data->label != NULL))
            return;
        CHECK(data->x.kind == MATRIX_U8);
        CHECK_EQ_SIZE((size_t)data->x.rows, files[i].rows);
        CHECK_EQ_SIZE((size_t)data->x.columns, 784);
        CHECK_EQ_SIZE(data->classes.count, 10);
        for (size_t j = 0; j < files[i].rows; j++)
            count[data->label[j]]++;
        for (size_t j = 0; j < 10; j++)
            CHECK_EQ_SIZE(count[j], files[i].rows / 10);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(dimensions_become_features), LISTED(all_types), LISTED(labels_are_found_beside),
          LISTED(labels_are_not_forced), LISTED(labels_must_fit), LISTED(names_of_labels), LISTED(damaged_files),
          LISTED(writes_what_it_reads), LISTED(writes_labels), LISTED(survives_without_memory), LISTED(fashion_mnist))
