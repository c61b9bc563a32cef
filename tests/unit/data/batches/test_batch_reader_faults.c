/* Errors in any batch are reported as if the file had been read whole; so are failures of the system. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/batches/batch_reader.h"
#include "data/schema.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

static const size_t batch_sizes[] = {1, 7, 20, 1 << 20};
enum { BATCH_SIZES = 4 };

/* A schema of numbers without names. */
static struct schema *plain_schema(size_t features)
{
    const struct names none = {0};
    struct schema *schema = NULL;
    CHECK(schema_plain(features, &none, &schema, NULL) == TEMPER_OK);
    return schema;
}

/* Reads all batches until the end or a failure; on failure the batch pointer must not be written. */
static temper_status read_all(const char *path, const struct schema *schema, size_t bytes, temper_error *error)
{
    struct batch_reader *reader = NULL;
    const temper_read_options options = {0};
    temper_status status = batch_reader_open(path, &options, schema, &reader, error);
    if (status == TEMPER_OK)
        batch_reader_set_bytes(reader, bytes);
    for (bool more = true; status == TEMPER_OK && more;) {
        struct dataset *const untouched = (struct dataset *)&status; /* any address */
        struct dataset *batch = untouched;
        status = batch_reader_next(reader, &batch, error);
        CHECK((status == TEMPER_OK) == (batch != untouched));
        more = status == TEMPER_OK && batch;
        if (more)
            dataset_free(batch);
    }
    batch_reader_close(reader);
    return status;
}

/* Message, line and column are those of reading the whole file, wherever batches end. */
static void check_error(const char *path, const char *text, const struct schema *schema, const char *words)
{
    temper_error whole = {0}, error;
    struct dataset *data = NULL;
    const temper_read_options options = {0};
    scratch_write(path, text, strlen(text));
    CHECK(dataset_read_like(path, &options, schema, &data, &whole) == TEMPER_BAD_DATA);
    CHECKF(strstr(whole.message, words) != NULL, "%s", whole.message);
    for (size_t p = 0; p < BATCH_SIZES; p++) {
        error = (temper_error){0};
        temper_status status = read_all(path, schema, batch_sizes[p], &error);
        CHECKF(status == TEMPER_BAD_DATA, "%s, batches of %zu bytes", path, batch_sizes[p]);
        CHECKF(error.line == whole.line && error.column == whole.column,
               "%s, batches of %zu bytes: %zu:%zu, not %zu:%zu", path, batch_sizes[p], error.line, error.column,
               whole.line, whole.column);
        CHECK_EQ_TEXT(error.message, whole.message);
    }
}

/* Lines count from the start of the file, also after comments, blank lines and quoted newlines. */
SCRATCH_TEST(errors_in_later_batches_have_their_place)
{
    struct schema *two = plain_schema(2);
    struct dataset *data = NULL;
    check_error("t.csv", "1,2,a\n3,4,b\n\n5,x6,a\n7,8,b\n", two, "t.csv:4:3");
    check_error("q.csv", "1,2,\"a\n\"\n3,4,b\n5,nan,a\n", two, "q.csv:4:3");
    check_error("short.csv", "1,2,a\n3,4,b\n5\n7,8,a\n", two, "short.csv:3");
    check_error("t.svm", "1 1:2\n# none\n\n-1 1:1 2:x\n1 1:1\n", two, "t.svm:4:");
    check_error("back.svm", "1 1:2\n-1 2:1\n1 2:1 1:1\n", two, "back.svm:3:");
    scratch_write("train.csv", "x,class,y\n1,a,2\n3,b,4\n", 22);
    const temper_read_options options = {.label = "class"};
    CHECK(dataset_read("train.csv", &options, &data, NULL) == TEMPER_OK);
    check_error("n.csv", "y,x,class\n1,2,a\n3,4,b\n5,?6,b\n", data->schema, "n.csv:4:3");
    dataset_free(data);
    schema_free(two);
}

/* Whether rows have labels is carried from batch to batch. */
SCRATCH_TEST(labels_are_in_all_batches_or_in_none)
{
    struct schema *two = plain_schema(2);
    check_error("less.svm", "1 1:2\n\n-1 2:1\n1:1\n", two, "less.svm:4:1: this row has no label");
    check_error("more.svm", "1:2\n\n2:1\n1 1:1\n", two, "more.svm:4:1: this row has a label");
    check_error("less.csv", "1,2,a\n3,4,b\n\n5,6\n", two, "less.csv:4:4: expected 3 fields, found 2");
    schema_free(two);
}

/* The same status and message as for the whole file, for each format. */
SCRATCH_TEST(files_without_rows_are_refused)
{
    struct schema *two = plain_schema(2);
    static const char *const texts[] = {"", "\n\n \n", "# nothing\n"};
    static const char *const formats[] = {NULL, "csv", "libsvm", "cifar"};
    for (size_t i = 0; i < 12; i++) {
        const temper_read_options options = {.format = formats[i / 3]};
        struct batch_reader *reader = NULL;
        struct dataset *batch = NULL, *whole = NULL;
        temper_error error = {0}, other = {0};
        scratch_write("t.svm", texts[i % 3], strlen(texts[i % 3]));
        temper_status status = batch_reader_open("t.svm", &options, two, &reader, &error);
        if (status == TEMPER_OK)
            status = batch_reader_next(reader, &batch, &error);
        temper_status wanted = dataset_read_like("t.svm", &options, two, &whole, &other);
        CHECKF(status == wanted && status != TEMPER_OK && !batch, "%zu: %s; %s", i, error.message, other.message);
        CHECK_EQ_TEXT(error.message, other.message);
        batch_reader_close(reader);
        dataset_free(batch);
        dataset_free(whole);
    }
    schema_free(two);
}

/* A truncated archive fails only when its end is read. */
SCRATCH_TEST(missing_or_truncated_files_are_refused)
{
    static const char text[] = "1,2,a\n3,4,b\n5,6,a\n7,8,a\n";
    struct schema *two = plain_schema(2);
    struct batch_reader *reader = NULL;
    struct blob gzip = {0};
    temper_error error = {0};
    CHECK(batch_reader_open("nowhere.csv", &(temper_read_options){0}, two, &reader, &error) == TEMPER_NO_INPUT);
    CHECK(!reader && strstr(error.message, "nowhere.csv"));
    blob_add_gzip(&gzip, text, strlen(text));
    scratch_write("t.csv.gz", gzip.bytes, gzip.length - 4);
    CHECK(read_all("t.csv.gz", two, 8, &error) != TEMPER_OK);
    CHECKF(strstr(error.message, "t.csv.gz") != NULL, "%s", error.message);
    batch_reader_close(NULL);
    blob_free(&gzip);
    schema_free(two);
}

/* ---- A lack of memory, and failing reads ----------------------------------------------------- */

/* Each allocation fails once: the status is right, and nothing leaks. */
static void check_memory(const char *path, const char *text, const struct schema *schema)
{
    scratch_write(path, text, strlen(text));
    for (size_t n = 1;; n++) {
        temper_error error = {0};
        fault_arm(n);
        temper_status status = read_all(path, schema, 9, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECKF(status == TEMPER_OK && n > 20, "%s", error.message);
            return;
        }
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "%s: %zu: %s", path, n, error.message);
    }
}

SCRATCH_TEST(batches_survive_a_lack_of_memory)
{
    struct schema *two = plain_schema(2);
    check_memory("t.csv", "x,y,class\n1,2,a\n3,4,b\n5,6,a\n", two);
    check_memory("t.svm", "1 1:2\n# none\n-1 1:1 2:3\n1 1:1\n", two);
    schema_free(two);
}

/* Each read fails once; short reads are not failures. */
SCRATCH_TEST(failing_reads_are_reported)
{
    static const char text[] = "1,2,a\n3,4,b\n5,6,a\n";
    struct schema *two = plain_schema(2);
    scratch_write("t.csv", text, strlen(text));
    for (size_t n = 1;; n++) {
        temper_error error = {0};
        fault_arm_reads(n);
        temper_status status = read_all("t.csv", two, 9, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_IO, "%zu: %s", n, error.message);
    }
    fault_hamper_reads();
    CHECK(read_all("t.csv", two, 9, NULL) == TEMPER_OK);
    fault_disarm();
    schema_free(two);
}

/* ---- For a model ----------------------------------------------------------------------------- */

/* Through the public functions, which take a model instead of a schema. */
static temper_status open_and_read(const temper_model *model, const char *path, size_t *rows, temper_error *error)
{
    temper_batch_reader *stream = NULL;
    temper_data *batch = NULL;
    *rows = 0;
    temper_status status = temper_batch_reader_open(model, path, NULL, &stream, error);
    while (status == TEMPER_OK) {
        status = temper_batch_reader_next(stream, &batch, error);
        if (status != TEMPER_OK || !batch)
            break;
        *rows += (size_t)((const struct dataset *)batch)->x.rows;
        CHECK(((const struct dataset *)batch)->x.columns == temper_model_features(model));
        temper_data_free(batch);
    }
    if (status == TEMPER_OK)
        CHECK(strstr(temper_batch_reader_notes(stream), "inferred from") != NULL);
    temper_batch_reader_close(stream);
    return status;
}

SCRATCH_TEST(a_model_without_a_schema_takes_its_columns_by_number)
{
    struct model *made = model_made(3, 2, (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, false);
    const temper_model *model = (const temper_model *)made;
    size_t rows = 0;
    temper_error error = {0};
    scratch_write("t.csv", "1,2\n3,4\n5,6\n", 12);
    scratch_write("wide.csv", "1,2,3,4\n3,4,5,6\n", 16);
    CHECKF(open_and_read(model, "t.csv", &rows, &error) == TEMPER_OK, "%s", error.message);
    CHECK(rows == 3);
    CHECK(open_and_read(model, "wide.csv", &rows, &error) == TEMPER_BAD_DATA);
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = open_and_read(model, "t.csv", &rows, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "%s", error.message);
    }
    model_free(made);
}

TEST_LIST(LISTED(errors_in_later_batches_have_their_place), LISTED(labels_are_in_all_batches_or_in_none),
          LISTED(files_without_rows_are_refused), LISTED(missing_or_truncated_files_are_refused),
          LISTED(batches_survive_a_lack_of_memory), LISTED(failing_reads_are_reported),
          LISTED(a_model_without_a_schema_takes_its_columns_by_number))
