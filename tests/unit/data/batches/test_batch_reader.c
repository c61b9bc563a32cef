/* Batches have the rows of the whole file, wherever their boundaries are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/batches/batch_reader.h"
#include "data/schema.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"

/* Bytes of a batch: from one row per batch to the whole file. */
static const size_t batch_sizes[] = {1, 2, 5, 13, 64, 100, 1000, 1 << 20};
enum { BATCH_SIZES = 8 };

/* A schema of numbers without names. */
static struct schema *plain_schema(size_t features)
{
    const struct names none = {0};
    struct schema *schema = NULL;
    CHECK(schema_plain(features, &none, &schema, NULL) == TEMPER_OK);
    return schema;
}

/* Row `r` of a batch is row `s` of the whole, with its label, weight and line. */
static bool same_row(const struct dataset *a, size_t r, const struct dataset *b, size_t s)
{
    if (!table_same_row(&a->x, r, &b->x, s) || !a->label != !b->label || !a->line != !b->line)
        return false;
    if (a->label && strcmp(a->classes.name[a->label[r]], b->classes.name[b->label[s]]) != 0)
        return false;
    return !a->line || a->line[r] == b->line[s];
}

/* Compares all batches with the whole file, in order; returns the number of batches. */
static size_t compare(struct batch_reader *reader, const struct dataset *whole, const char *what)
{
    size_t batches = 0, row = 0;
    for (;; batches++) {
        temper_error error = {0};
        struct dataset *batch = NULL;
        if (!CHECKF(batch_reader_next(reader, &batch, &error) == TEMPER_OK, "%s: %s", what, error.message) || !batch)
            break;
        for (size_t i = 0; i < batch->x.rows; i++, row++)
            CHECKF(row < whole->x.rows && same_row(batch, i, whole, row), "%s: row %zu", what, row);
        dataset_free(batch);
    }
    CHECKF(row == whole->x.rows, "%s: %zu rows, not %zu", what, row, (size_t)whole->x.rows);
    return batches;
}

/* Reads the file whole and in batches of each size; returns the largest number of batches. */
static size_t check_file(const char *path, temper_read_options options, const struct schema *schema)
{
    struct dataset *whole = NULL;
    temper_error error = {0};
    size_t most = 0;
    char what[200];
    if (!CHECKF(dataset_read_like(path, &options, schema, &whole, &error) == TEMPER_OK, "%s", error.message))
        return 0;
    for (size_t p = 0; p < BATCH_SIZES; p++) {
        struct batch_reader *reader = NULL;
        if (!CHECKF(batch_reader_open(path, &options, schema, &reader, &error) == TEMPER_OK, "%s", error.message))
            break;
        batch_reader_set_bytes(reader, batch_sizes[p]);
        snprintf(what, sizeof what, "%s, batches of %zu bytes", path, batch_sizes[p]);
        size_t batches = compare(reader, whole, what);
        most = batches > most ? batches : most;
        CHECK(strstr(whole->notes, "inferred from") == NULL ||
              strstr(batch_reader_notes(reader), "inferred from") != NULL);
        batch_reader_close(reader);
    }
    dataset_free(whole);
    return most;
}

/* The same for a text that is written to `path` first. */
static size_t check_text(const char *path, const char *text, const struct schema *schema)
{
    scratch_write(path, text, strlen(text));
    return check_file(path, (temper_read_options){0}, schema);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* With batches of one byte every row is a batch, also rows of several lines. */
SCRATCH_TEST(tables_are_the_same_wherever_batches_end)
{
    struct schema *two = plain_schema(2);
    CHECK(check_text("plain.csv", "1,2,a\n3,4,b\n5,6,a\n7,8,b\n", two) == 4);
    CHECK(check_text("tail.csv", "1,2,a\n3,4,b\n5,6,a", two) == 3);
    CHECK(check_text("crlf.csv", "1,2,a\r\n3,4,b\r\n5,6,a\r\n", two) == 3);
    CHECK(check_text("blank.csv", "\n\n1,2,a\n\n\n3,4,b\n\n5,6,a\n\n\n\n", two) == 3);
    CHECK(check_text("bom.csv",
                     "\xef\xbb\xbf"
                     "1,2,a\n3,4,b\n5,6,a\n",
                     two) == 3);
    CHECK(check_text("unlabelled.csv", "1,2\n3,4\n5,6\n", two) == 3);
    CHECK(check_text("quoted.csv", "1,\"2\",\"a\nb\"\n3,4,\"c \"\"\n\n\"\n5,6,c\n", two) == 3);
    CHECK(check_text("one.csv", "1,2,a\n", two) == 1);
    schema_free(two);
}

/* Rows that are dropped are counted over all batches, and a batch may have no other rows. */
SCRATCH_TEST(dropped_rows_are_counted_wherever_batches_end)
{
    static const char text[] = "1,2,a\n,3,a\n4,,b\n,,\n5,6,b\n7,NA,a\n8,9,a\n";
    const temper_read_options options = {.missing = "drop"};
    struct schema *two = plain_schema(2);
    scratch_write("missing.csv", text, strlen(text));
    check_file("missing.csv", options, two);
    for (size_t p = 0; p < BATCH_SIZES; p++) {
        struct batch_reader *reader = NULL;
        struct dataset *batch = NULL;
        CHECK(batch_reader_open("missing.csv", &options, two, &reader, NULL) == TEMPER_OK);
        batch_reader_set_bytes(reader, batch_sizes[p]);
        do {
            dataset_free(batch);
            CHECK(batch_reader_next(reader, &batch, NULL) == TEMPER_OK);
        } while (batch);
        CHECK(batch_reader_dropped(reader) == 4);
        CHECKF(strstr(batch_reader_notes(reader), "missing: 4 of 7 rows dropped\n") != NULL, "%s",
               batch_reader_notes(reader));
        batch_reader_close(reader);
    }
    schema_free(two);
}

/* The fault is known only after the last batch. */
SCRATCH_TEST(all_rows_dropped_is_a_fault)
{
    static const char text[] = ",2,a\n,3,a\n4,,b\n";
    const temper_read_options options = {.missing = "drop"};
    struct schema *two = plain_schema(2);
    scratch_write("missing.csv", text, strlen(text));
    for (size_t p = 0; p < BATCH_SIZES; p++) {
        struct batch_reader *reader = NULL;
        struct dataset *batch = NULL;
        temper_error error = {0};
        CHECK(batch_reader_open("missing.csv", &options, two, &reader, &error) == TEMPER_OK);
        batch_reader_set_bytes(reader, batch_sizes[p]);
        CHECK(batch_reader_next(reader, &batch, &error) == TEMPER_BAD_DATA && !batch);
        CHECK_EQ_TEXT(error.message, "missing.csv: every row has a missing value; pass --missing zero or mean");
        batch_reader_close(reader);
    }
    schema_free(two);
}

/* The schema of a table with names, of which labels are one. */
static struct dataset *table_with_names(void)
{
    static const char text[] = "x,class,y\n1,a,2\n3,b,4\n";
    struct dataset *data = NULL;
    const temper_read_options options = {.label = "class"};
    scratch_write("train.csv", text, strlen(text));
    CHECK(dataset_read("train.csv", &options, &data, NULL) == TEMPER_OK);
    return data;
}

/* The header is in the first batch only, and its columns are matched for all. */
SCRATCH_TEST(names_are_those_of_every_batch)
{
    struct dataset *data = table_with_names();
    const struct schema *schema = data->schema;
    CHECK(check_text("same.csv", "x,class,y\n1,a,2\n3,b,4\n5,a,6\n", schema) == 3);
    CHECK(check_text("other.csv", "y,z,x,class\n1,7,2,a\n3,7,4,b\n5,7,6,b\n", schema) == 3);
    CHECK(check_text("bom.csv", "\xef\xbb\xbfy,x,class\r\n1,2,a\r\n3,4,b\r\n", schema) == 2);
    CHECK(check_text("late.csv", "\n\nx,y\n\n1,2\n3,4\n", schema) == 2);
    CHECK(check_text("quoted.csv", "x,\"class\",\"y\"\n1,\"a\nb\",2\n3,b,4\n", schema) == 2);
    CHECK(check_text("wide.csv", "\"a\n\"\"b\",x,y\n1,2,3\n4,5,6\n", schema) == 2);
    CHECK(check_text("no-names.csv", "1,a,2\n3,b,4\n5,a,6\n", schema) == 3);
    dataset_free(data);
}

/* ---- libsvm ---------------------------------------------------------------------------------- */

/* Comments and blank lines between rows give no batch of their own. */
SCRATCH_TEST(sparse_text_is_the_same_wherever_batches_end)
{
    struct schema *three = plain_schema(3);
    CHECK(check_text("plain.svm", "1 1:2 3:4\n-1 2:1\n1 1:1\n", three) == 3);
    CHECK(check_text("tail.svm", "1 1:2 3:4\n-1 2:1\n1 1:1", three) == 3);
    CHECK(check_text("crlf.svm", "1 1:2 3:4\r\n-1 2:1\r\n1 1:1\r\n", three) == 3);
    CHECK(check_text("noted.svm", "# one\n\n1 1:2 3:4 # two\n\n \n# three\n-1 2:1\n# end\n\n\n", three) == 2);
    CHECK(check_text("beyond.svm", "1 1:2 9:4\n-1 2:1 100:1\n", three) == 2);
    CHECK(check_text("unlabelled.svm", "1:2 3:4\n2:1\n", three) == 2);
    schema_free(three);
}

/* ---- Others ---------------------------------------------------------------------------------- */

/* A batch has whole records, at least one. */
SCRATCH_TEST(batches_of_pictures_end_between_records)
{
    enum { RECORD = 3073, RECORDS = 5 };
    unsigned char *bytes = calloc(RECORDS, RECORD);
    struct schema *schema = plain_schema(RECORD - 1);
    for (size_t i = 0; bytes && i < (size_t)RECORDS * RECORD; i++)
        bytes[i] = (unsigned char)(i % RECORD == 0 ? i / RECORD : i * 7 % 251);
    scratch_write("data_batch_1.bin", bytes, (size_t)RECORDS * RECORD);
    CHECK(check_file("data_batch_1.bin", (temper_read_options){.format = "cifar"}, schema) == RECORDS);
    free(bytes);
    schema_free(schema);
}

/* Text is decompressed as batches are read. */
SCRATCH_TEST(compressed_text_has_batches)
{
    static const char text[] = "1,2,a\n3,4,b\n5,6,\"a\n\"\n";
    struct schema *two = plain_schema(2);
    struct blob gzip = {0}, zstd = {0};
    blob_add_gzip(&gzip, text, strlen(text));
    blob_add_zstd(&zstd, text, strlen(text));
    scratch_write("t.csv.gz", gzip.bytes, gzip.length);
    scratch_write("t.csv.zst", zstd.bytes, zstd.length);
    CHECK(check_file("t.csv.gz", (temper_read_options){0}, two) == 3);
    CHECK(check_file("t.csv.zst", (temper_read_options){0}, two) == 3);
    blob_free(&gzip);
    blob_free(&zstd);
    schema_free(two);
}

/* Mapped files, and options that need all rows. */
SCRATCH_TEST(other_files_are_one_batch)
{
    struct schema *two = plain_schema(2);
    struct dataset *data = NULL;
    static const char text[] = "1,2,a\n3,4,b\n5,6,a\n";
    scratch_write("t.csv", text, strlen(text));
    scratch_write("w.txt", "1\n2\n3\n", 6);
    CHECK(dataset_read("t.csv", &(temper_read_options){0}, &data, NULL) == TEMPER_OK);
    CHECK(binary_write(write_tmpr, data, "t.tmpr", NULL) == TEMPER_OK);
    dataset_free(data);
    CHECK(check_file("t.tmpr", (temper_read_options){0}, two) == 1);
    CHECK(check_file("t.csv", (temper_read_options){.weights = "w.txt"}, two) == 1);
    CHECK(check_file("t.csv", (temper_read_options){.class_weight = "balanced"}, two) == 1);
    /* 'b' is not in every batch. */
    CHECK(check_file("t.csv", (temper_read_options){.classes = "a,b"}, two) >= 1);
    schema_free(two);
}

/* With the default size of batches. */
SCRATCH_TEST(a_large_file_comes_in_several_batches)
{
    struct schema *three = plain_schema(3);
    struct blob text = {0};
    for (size_t i = 0; text.length < 9 * 1024 * 1024; i++) {
        char line[64];
        int length = snprintf(line, sizeof line, "%s 1:%zu 3:%zu # row %zu\n", i % 3 ? "a" : "b", i % 17, i % 1001, i);
        blob_add(&text, line, (size_t)length);
    }
    scratch_write("large.svm", text.bytes, text.length);
    struct dataset *whole = NULL;
    struct batch_reader *reader = NULL;
    const temper_read_options options = {0};
    if (CHECK(dataset_read_like("large.svm", &options, three, &whole, NULL) == TEMPER_OK) &&
        CHECK(batch_reader_open("large.svm", &options, three, &reader, NULL) == TEMPER_OK))
        CHECK(compare(reader, whole, "large") == 2);
    batch_reader_close(reader);
    dataset_free(whole);
    blob_free(&text);
    schema_free(three);
}

TEST_LIST(LISTED(tables_are_the_same_wherever_batches_end), LISTED(dropped_rows_are_counted_wherever_batches_end),
          LISTED(all_rows_dropped_is_a_fault), LISTED(names_are_those_of_every_batch),
          LISTED(sparse_text_is_the_same_wherever_batches_end), LISTED(batches_of_pictures_end_between_records),
          LISTED(compressed_text_has_batches), LISTED(other_files_are_one_batch),
          LISTED(a_large_file_comes_in_several_batches))
