/* Files for training and testing: their bytes, and that they appear together or not at all. */
#include <stdio.h>
#include <string.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper.h"

static const char table[] = "id,day,y\n1,5,a\n2,4,a\n3,3,b\n4,2,b\n5,1,\"a\n\"\n";
static const char *const train[] = {"train.csv", "train2.csv"}, *const test[] = {"test.csv", "test2.csv"};

/* The defaults, with names of files and the label y. */
static temper_status split(const temper_split_file_options *options, const char *path, temper_split_file_report *report,
                           temper_error *error)
{
    temper_read_options read = temper_read_defaults();
    read.label = "y";
    read.header = "yes";
    return temper_split_file(path, &read, options, report, error);
}

static temper_split_file_options make_options(void)
{
    temper_split_file_options options = temper_split_file_defaults();
    options.train = train;
    options.test = test;
    return options;
}

SCRATCH_TEST(rows_are_copied_as_they_are)
{
    temper_split_file_options options = make_options();
    temper_split_file_report report;
    temper_error error = {0};
    scratch_write("t.csv", table, strlen(table));
    options.time = "day";
    options.share = 0.4;
    CHECKF(split(&options, "t.csv", &report, &error) == TEMPER_OK, "%s", error.message);
    CHECK(report.rows == 5 && report.pairs == 1 && report.train_rows[0] == 3 && report.test_rows[0] == 2);
    CHECK(report.copied && !report.reencoded && report.classes == 0);
    CHECK_EQ_TEXT(scratch_text("train.csv"), "id,day,y\n3,3,b\n4,2,b\n5,1,\"a\n\"\n");
    CHECK_EQ_TEXT(scratch_text("test.csv"), "id,day,y\n1,5,a\n2,4,a\n");
    temper_split_file_report_free(&report);
    CHECK(report.train_rows == NULL);
    options.time = NULL;
    options.group = "y";
    options.folds = 2;
    CHECKF(split(&options, "t.csv", &report, &error) == TEMPER_OK, "%s", error.message);
    CHECK(report.pairs == 2 && report.groups == 3 && report.train_rows[0] == report.test_rows[1]);
    CHECK(report.test_rows[0] + report.test_rows[1] == 5);
    temper_split_file_report_free(&report);
}

/* Whatever separates the columns, rows go where their label says, as they are. */
SCRATCH_TEST(any_separator)
{
    static const char separators[] = ",;\t|";
    for (const char *separator = separators; *separator; separator++) {
        temper_split_file_options options = make_options();
        temper_split_file_report report;
        temper_error error = {0};
        char text[] = "id,y,z\n1,a,0\n2,a,0\n3,b,0\n4,b,0\n";
        for (char *p = text; *p; p++)
            *p = *p == ',' ? *separator : *p;
        scratch_write("t.csv", text, strlen(text));
        options.group = "y";
        options.share = 0.5;
        if (!CHECKF(split(&options, "t.csv", &report, &error) == TEMPER_OK, "%s", error.message))
            continue;
        CHECK(report.copied && report.groups == 2 && report.train_rows[0] == 2 && report.test_rows[0] == 2);
        CHECK((strchr(scratch_text("test.csv"), 'a') == NULL) != (strchr(scratch_text("train.csv"), 'a') == NULL));
        CHECK(strlen(scratch_text("test.csv")) == strlen("id,y,z\n1,a,0\n2,a,0\n"));
        temper_split_file_report_free(&report);
    }
}

SCRATCH_TEST(contradictions_are_refused)
{
    temper_split_file_options options = make_options();
    temper_split_file_report report = {.rows = 4711};
    scratch_write("t.csv", table, strlen(table));
    options.share = 1;
    CHECK(split(&options, "t.csv", &report, NULL) == TEMPER_USAGE);
    options.share = 0.4;
    options.folds = 1;
    CHECK(split(&options, "t.csv", &report, NULL) == TEMPER_USAGE);
    options.folds = 0;
    options.time = options.group = "day";
    CHECK(split(&options, "t.csv", &report, NULL) == TEMPER_USAGE);
    options.time = NULL;
    options.train = NULL;
    CHECK(split(&options, "t.csv", &report, NULL) == TEMPER_USAGE);
    options.train = train;
    CHECK(split(&options, "-", &report, NULL) == TEMPER_USAGE);
    options.group = "nothing";
    CHECK(split(&options, "t.csv", &report, NULL) == TEMPER_USAGE);
    options.group = NULL;
    options.folds = 6;
    CHECK(split(&options, "t.csv", &report, NULL) == TEMPER_BAD_DATA);
    CHECK(report.rows == 4711 && scratch_count() == 1);
}

/* Whatever fails, no file is there; without a failure, all are. */
static void check_faults(void (*arm)(size_t n), const char *path, const temper_split_file_options *options)
{
    for (size_t n = 1;; n++) {
        temper_split_file_report report = {.rows = 4711};
        temper_error error = {0};
        arm(n);
        temper_status status = split(options, path, &report, &error);
        fault_disarm();
        if (status == TEMPER_OK) {
            CHECKF(scratch_count() == 3, "%zu: %zu files", n, scratch_count());
            temper_split_file_report_free(&report);
        } else {
            CHECKF(report.rows == 4711 && (status == TEMPER_NO_MEMORY || status == TEMPER_IO), "%zu: %s", n,
                   error.message);
        }
        remove(train[0]);
        remove(test[0]);
        CHECKF(scratch_count() == 1, "%zu: %zu files are left", n, scratch_count());
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && n > 5);
            break;
        }
    }
}

SCRATCH_TEST(failures_leave_nothing)
{
    temper_split_file_options options = make_options();
    options.share = 0.4;
    options.group = "id";
    scratch_write("t.csv", table, strlen(table));
    check_faults(fault_arm, "t.csv", &options);
    check_faults(fault_arm_files, "t.csv", &options);
    options.group = NULL;
    options.time = "day";
    check_faults(fault_arm, "t.csv", &options);
}

SCRATCH_TEST(json_lines_survive_a_lack_of_memory)
{
    static const char rows[] = "{\"id\":1,\"y\":\"a\"}\n{\"id\":2,\"y\":\"b\"}\n{\"id\":3,\"y\":\"a\"}\n"
                               "{\"id\":4,\"y\":\"b\"}\n";
    temper_split_file_options options = make_options();
    options.share = 0.5;
    scratch_write("t.jsonl", rows, strlen(rows));
    check_faults(fault_arm, "t.jsonl", &options);
}

TEST_LIST(LISTED(rows_are_copied_as_they_are), LISTED(any_separator), LISTED(contradictions_are_refused),
          LISTED(failures_leave_nothing), LISTED(json_lines_survive_a_lack_of_memory))
