/* Where tables end: too many labels, too long names, no memory. */
#include "base/text.h"
#include "fixtures/data/csv_fixture.h"
#include "fixtures/fault_injection.h"

/* Text that comes after the first chunk was looked at for text columns. */
TEST(late_text)
{
    struct text text = {0};
    temper_error error;
    temper_read_options options = {.categorical = "all"};
    scratch_enter();
    text_append(&text, "x,k\n");
    for (size_t i = 0; i < 400000; i++)
        text_append(&text, "1,a\n");
    text_append(&text, "red,a\n");
    CHECK(csv_bytes(text.bytes, text.length, options, &error) == NULL);
    CHECK_EQ_TEXT(error.message, "t.csv:400002:1: text 'red' in column 'x'; if it is a column of numbers, correct the "
                                 "cell, or empty it and pass --missing; else pass --categorical x for "
                                 "a 0/1 feature of each text, or --ignore x");
    text_free(&text);
    scratch_leave();
}

/* One label more than there may be, counted over all chunks; the first row that has it is named. */
static void check_many(bool categories, const char *message)
{
    struct text text = {0};
    for (size_t i = 0; i < 1000000; i++)
        text_format(&text, categories ? "v%zu,1,a\n" : "1,v%zu\n", i);
    for (size_t threads = 1; threads < 4; threads += 2) {
        temper_error error;
        temper_read_options options = {.threads = threads, .categorical = categories ? "1" : NULL};
        CHECK(csv_bytes(text.bytes, text.length, options, &error) == NULL);
        CHECK_EQ_TEXT(error.message, message);
        CHECK_EQ_SIZE(error.line, 65537);
    }
    text_free(&text);
}

/* Such a column is rather an identifier than a label or a category. */
TEST(too_many_labels)
{
    scratch_enter();
    check_many(false, "t.csv:65537: more than 65,536 different labels in column 2; name another "
                      "--label");
    check_many(true, "t.csv:65537: more than 65,536 different texts in column 1; pass --ignore 1");
    scratch_leave();
}

/* A file's name may be as long as the system allows; the remedy stays. */
TEST(long_names)
{
    struct text path = {0};
    temper_error error;
    temper_read_options options = {.format = "csv"};
    struct dataset *data;
    scratch_enter();
    for (int i = 0; i < 1800; i++)
        text_append(&path, "./");
    text_append(&path, "t.csv");
    static const char text[] = "\"a name with \x02\x02\x02\x02\x02\x02 \",k\n1,2\n"
                               "\"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"
                               "\x01\x01\x01\x01\x01\x01\x01\x01\x01\",2\n";
    scratch_write("t.csv", text, sizeof text - 1);
    CHECK(dataset_read(path.bytes, &options, &data, &error) == TEMPER_BAD_DATA);
    const char *remedy = "for a 0/1 feature of each text, or --ignore 1";
    CHECKF(strlen(error.message) > strlen(remedy) &&
               strcmp(error.message + strlen(error.message) - strlen(remedy), remedy) == 0,
           "%s", error.message);
    text_free(&path);
    scratch_leave();
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Every allocation fails once; the answer is "out of memory", and nothing is left behind. */
static void check_memory(const char *text, temper_read_options options)
{
    size_t n = 1;
    for (bool fired = true; fired && n < 10000; n++) {
        struct dataset *data = NULL;
        temper_error error = {.status = TEMPER_OK};
        options.format = "csv";
        fault_arm(n);
        temper_status status = dataset_read("t.csv", &options, &data, &error);
        fault_disarm();
        fired = fault_fired();
        if (status == TEMPER_OK)
            dataset_free(data);
        else
            CHECKF(status == TEMPER_NO_MEMORY, "%zu: %s (%s)", n, error.message, text);
        CHECK(status == TEMPER_OK || data == NULL);
    }
    CHECKF(n > 10, "%zu", n);
}

TEST(no_memory)
{
    static const char text[] = "c,x,y,w,k\nu,1,2,1,\"a\"\"b\"\n\"v\"\"\",,3,2,b\nu,4,5,3,c\n,1,1,1,d\n";
    static const temper_read_options options[] = {
        {.threads = 1, .categorical = "c", .missing = "mean", .weights = "w"},
        {.threads = 2, .categorical = "c", .missing = "mean", .weights = "w"},
        {.threads = 1, .categorical = "all", .missing = "drop", .ignore = "y"},
    };
    scratch_enter();
    scratch_write("t.csv", text, sizeof text - 1);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        check_memory(text, options[i]);
    scratch_leave();
}

TEST_LIST(LISTED(late_text), LISTED(too_many_labels), LISTED(long_names), LISTED(no_memory))
