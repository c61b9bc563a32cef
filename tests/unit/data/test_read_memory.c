/* Reading from memory: the same data as from a file, and no file is opened by the name. */
#include <stdio.h>
#include <string.h>

#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const char text[] = "1,10,a\n2,20,b\n3,60,a\n4,20,c\n";

/* What the data holds, as CSV. */
static const char *written(const temper_data *data)
{
    temper_error error;
    CHECK(temper_data_write(data, "out.csv", NULL, &error) == TEMPER_OK);
    return scratch_text("out.csv");
}

/* A file as it is, appended to the blob. */
static void blob_add_file(struct blob *blob, const char *path)
{
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    for (size_t got; file && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        blob_add(blob, bytes, got);
    if (file)
        fclose(file);
}

TEST(a_table)
{
    scratch_enter();
    temper_data *data = NULL;
    temper_error error;
    CHECK(temper_data_read_memory("rows.csv", text, sizeof text - 1, NULL, &data, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(temper_data_rows(data), 4);
    CHECK_EQ_SIZE(temper_data_classes(data), 3);
    CHECK(strcmp(strchr(written(data), '\n') + 1, text) == 0); /* after the line of names */
    temper_data_free(data);
    scratch_leave();
}

TEST(an_archive)
{
    struct blob packed = {0};
    temper_data *data = NULL;
    temper_error error;
    blob_add_gzip(&packed, text, sizeof text - 1);
    CHECK(temper_data_read_memory(NULL, packed.bytes, packed.length, NULL, &data, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(temper_data_rows(data), 4);
    temper_data_free(data);
    data = NULL;
    CHECK(temper_data_read_memory(NULL, packed.bytes, packed.length - 4, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(data == NULL && strstr(error.message, "memory: the gzip archive is cut off"));
    blob_free(&packed);
}

TEST(mistakes_have_a_place)
{
    static const char bad[] = "1,2,a\nx,4,b\n";
    temper_data *data = NULL;
    temper_error error;
    CHECK(temper_data_read_memory("rows.csv", bad, sizeof bad - 1, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(data == NULL && error.line == 2 && error.column == 1);
    CHECK(strncmp(error.message, "rows.csv:2:1: ", 14) == 0);
    CHECK(temper_data_read_memory("rows.csv", "", 0, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(temper_data_read_memory("rows.csv", NULL, 0, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "the file is empty"));
    CHECK(temper_data_read_memory("rows.csv", NULL, 1, NULL, &data, &error) == TEMPER_USAGE);
    CHECK(data == NULL);
}

/* A mapped format, and one that looks for labels beside it, when files of these names exist and hold other rows. */
TEST(no_file_is_opened_by_the_name)
{
    static const char *const names[] = {"rows.tmpr", "rows.npy"};
    scratch_enter();
    temper_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        temper_data *data = NULL, *back = NULL;
        CHECK(temper_data_read_memory("rows.csv", text, sizeof text - 1, NULL, &data, &error) == TEMPER_OK);
        CHECK(temper_data_write(data, names[i], NULL, &error) == TEMPER_OK);
        temper_data_free(data);
        struct blob bytes = {0};
        blob_add_file(&bytes, names[i]);
        data = NULL;
        CHECK(temper_data_read_memory("rows.csv", "5,6,x\n7,8,y\n", 12, NULL, &data, &error) == TEMPER_OK);
        CHECK(temper_data_write(data, names[i], NULL, &error) == TEMPER_OK);
        CHECK(temper_data_read_memory(names[i], bytes.bytes, bytes.length, NULL, &back, &error) == TEMPER_OK);
        CHECK_EQ_SIZE(temper_data_rows(back), 4);
        CHECK_EQ_SIZE(temper_data_classes(back), i == 0 ? 3 : 0);
        temper_data_free(data);
        temper_data_free(back);
        blob_free(&bytes);
    }
    scratch_leave();
}

TEST(every_failing_allocation_is_reported)
{
    bool done = false;
    for (size_t n = 1; n < 300 && !done; n++) {
        temper_data *data = NULL;
        temper_error error;
        fault_arm(n);
        temper_status status = temper_data_read_memory("rows.csv", text, sizeof text - 1, NULL, &data, &error);
        fault_disarm();
        done = !fault_fired();
        CHECK(done || status == TEMPER_OK || (status == TEMPER_NO_MEMORY && !data));
        temper_data_free(data);
    }
    CHECK(done);
}

TEST_LIST(LISTED(a_table), LISTED(an_archive), LISTED(mistakes_have_a_place), LISTED(no_file_is_opened_by_the_name),
          LISTED(every_failing_allocation_is_reported))
