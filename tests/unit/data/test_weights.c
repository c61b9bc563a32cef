/* Weights from files and classes, and all that is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/read/line_reader.h"
#include "data/weights.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

static void write_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

/* Reads `text` as the weights of three rows. */
static temper_status read_weights(const char *text, struct dataset *data, temper_error *error)
{
    scratch_enter();
    write_text("w.txt", text);
    temper_status status = weights_read("w.txt", data, error);
    scratch_leave();
    return status;
}

static void check_read(const char *text)
{
    struct dataset *data = table_pattern(MATRIX_F32, 3, 2, 2);
    temper_error error = {0};
    if (CHECKF(read_weights(text, data, &error) == TEMPER_OK, "%s", error.message))
        CHECK(data->weight[0] == 1 && data->weight[1] == 0.5 && data->weight[2] == 0);
    dataset_free(data);
}

TEST(one_number_a_line)
{
    check_read("1\n0.5\n0\n");
    check_read("1\n0.5\n0");
    check_read("1\r\n0.5\r\n0\r\n");
    check_read("\xEF\xBB\xBF"
               "1\n 0.5\t\n-0\n");
    check_read("+1e0\n5e-1\n0\n\n \n\n");
}

static void check_refused(const char *text, size_t line, size_t column, const char *message)
{
    struct dataset *data = table_pattern(MATRIX_F32, 3, 2, 2);
    temper_error error = {0};
    CHECK(read_weights(text, data, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, message);
    CHECK_EQ_SIZE(error.line, line);
    CHECK_EQ_SIZE(error.column, column);
    CHECK(data->weight == NULL);
    dataset_free(data);
}

TEST(files_that_are_refused)
{
    check_refused("1\n2\n", 2, 0, "w.txt:2: 2 weights for 3 rows; write one for each row of table.csv");
    check_refused("1\n2\n3\n4\n5\n", 4, 0, "w.txt:4: 5 weights for 3 rows; write one for each row of table.csv");
    check_refused("", 1, 0, "w.txt:1: 0 weights for 3 rows; write one for each row of table.csv");
    check_refused("w\n1\n2\n3\n", 1, 1,
                  "w.txt:1:1: weight 'w' is refused; give numbers, 0 or more, one a line, "
                  "without a header");
    check_refused("1\n  -2\n3\n", 2, 3, "w.txt:2:3: weight '-2' is refused; give numbers, 0 or more, one a line");
    check_refused("1\nnan\n3\n", 2, 1, "w.txt:2:1: weight 'nan' is refused; give numbers, 0 or more, one a line");
    check_refused("1\n1e400\n3\n", 2, 1,
                  "w.txt:2:1: weight '1e400' is refused; give numbers, 0 or more, one a "
                  "line");
    check_refused("1\n2 3\n", 2, 1, "w.txt:2:1: weight '2 3' is refused; give numbers, 0 or more, one a line");
    check_refused("1\n\n2\n3\n", 2, 1, "w.txt:2:1: the line is empty; write one weight a line");
    check_refused("0\n0\n0\n", 0, 0,
                  "table.csv: all weights are 0, so that no row counts; give some row a weight "
                  "above 0");
}

TEST(a_nul_byte_and_a_missing_file)
{
    struct dataset *data = table_pattern(MATRIX_F32, 3, 2, 2);
    temper_error error = {0};
    scratch_enter();
    scratch_write("w.txt", "1\n2\0\n3\n", 7);
    CHECK(weights_read("w.txt", data, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "w.txt:2:2: a NUL byte; give a plain text, in UTF-8");
    CHECK(weights_read("missing.txt", data, &error) == TEMPER_NO_INPUT);
    scratch_leave();
    CHECK(data->weight == NULL);
    dataset_free(data);
}

/* Lines across the edges of the window, and one longer than it. */
TEST(lines_of_any_length)
{
    enum { LONG = 200000 };
    static char text[LONG + 100000];
    struct lines lines;
    const char *line;
    size_t length, count = 0, longest = 0, at = 0;
    for (size_t i = 0; at < 70000; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%zu\n", i);
    memset(text + at, 'x', LONG);
    at += LONG;
    at += (size_t)snprintf(text + at, sizeof text - at, "\nlast");
    scratch_enter();
    scratch_write("long.txt", text, at);
    if (CHECK(lines_open("long.txt", &lines, NULL) == TEMPER_OK)) {
        while (CHECK(lines_next(&lines, &line, &length, NULL) == TEMPER_OK) && line) {
            longest = length > longest ? length : longest;
            char expected[32];
            snprintf(expected, sizeof expected, "%zu", count++);
            if (length < 6)
                CHECK((strlen(expected) == length && memcmp(line, expected, length) == 0) ||
                      memcmp(line, "last", 4) == 0);
        }
        lines_close(&lines);
    }
    scratch_leave();
    CHECK_EQ_SIZE(longest, LONG);
}

TEST(balanced_classes_weigh_the_same)
{
    static const char *const labels[] = {"a", "b", "a", "a"};
    const double values[] = {1, 2, 3, 4};
    struct dataset *data = table_make(MATRIX_F32, 4, 1, values, labels);
    CHECK(weights_by_class("balanced", data, NULL) == TEMPER_OK);
    CHECK_CLOSE(data->weight[0], 4.0 / (2 * 3), 1e-15);
    CHECK_CLOSE(data->weight[1], 4.0 / (2 * 1), 1e-15);
    dataset_free(data);
}

TEST(weights_multiply)
{
    static const char *const labels[] = {"a", "b", "c=d"};
    const double values[] = {1, 2, 3}, weights[] = {2, 3, 5};
    struct dataset *data = table_make(MATRIX_F32, 3, 1, values, labels);
    table_weigh(data, weights);
    CHECK(weights_by_class("b=10,\"c=d\"=0", data, NULL) == TEMPER_OK);
    CHECK(data->weight[0] == 2 && data->weight[1] == 30 && data->weight[2] == 0);
    CHECK(read_weights("0.5\n2\n1\n", data, NULL) == TEMPER_OK);
    CHECK(data->weight[0] == 1 && data->weight[1] == 60 && data->weight[2] == 0);
    dataset_free(data);
}

static void check_class_weight(const char *text, temper_status status, const char *message)
{
    struct dataset *data = table_pattern(MATRIX_F32, 4, 1, 2);
    temper_error error = {0};
    CHECK(weights_by_class(text, data, &error) == status);
    CHECK_EQ_TEXT(error.message, message);
    CHECK(data->weight == NULL);
    dataset_free(data);
}

TEST(class_weights_that_are_refused)
{
    check_class_weight("c9=1", TEMPER_USAGE, "table.csv: --class-weight: there is no class 'c9'; classes are c0, c1");
    check_class_weight("c0=-1", TEMPER_USAGE,
                       "--class-weight: weight '-1' of class 'c0' is refused; give numbers, "
                       "0 or more");
    check_class_weight("c0=1,c0=2", TEMPER_USAGE, "--class-weight: class 'c0' has two weights; name it once");
    check_class_weight("balance", TEMPER_USAGE,
                       "--class-weight balance: a value is missing; write NAME=VALUE with a comma "
                       "between them");
    check_class_weight("c0=0,c1=0", TEMPER_BAD_DATA,
                       "table.csv: all weights are 0, so that no row counts; give some row a "
                       "weight above 0");
}

TEST(weights_that_come_in_another_way_are_checked)
{
    const double bad[] = {-1, NAN, INFINITY};
    static const char *const shown[] = {"-1", "nan", "inf"};
    for (size_t i = 0; i < 3; i++) {
        struct dataset *data = table_pattern(MATRIX_F32, 3, 1, 2);
        char expected[128];
        temper_error error = {0};
        table_weigh(data, (const double[]){1, bad[i], 1});
        CHECK(weights_check(data, &error) == TEMPER_BAD_DATA);
        snprintf(expected, sizeof expected, "table.csv:20: weight %s is refused; give numbers, 0 or more", shown[i]);
        CHECK_EQ_TEXT(error.message, expected);
        CHECK_EQ_SIZE(error.line, 20);
        dataset_free(data);
    }
}

/* Weights count in proportion, and sums of their squares must neither overflow nor underflow. */
TEST(weights_far_from_one_are_refused)
{
    struct dataset *data = table_pattern(MATRIX_F32, 3, 1, 2);
    temper_error error = {0};
    table_weigh(data, (const double[]){1, 1e31, 1});
    CHECK(weights_check(data, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message,
                  "table.csv:20: weight 1e31 is refused; weights count in proportion: divide all of them "
                  "by a common number");
    memcpy(data->weight, (const double[]){1e-31, 0, 1e-300}, 3 * sizeof(double));
    CHECK(weights_check(data, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message,
                  "table.csv: all weights are below 1e-30; they count in proportion: multiply all of them "
                  "by a common number");
    /* a small weight beside a usual one counts for nothing, which is right */
    memcpy(data->weight, (const double[]){1e-300, 1e30, 1e-30}, 3 * sizeof(double));
    CHECK(weights_check(data, &error) == TEMPER_OK);
    dataset_free(data);
}

/* Two factors in the range, and their product, which is not. */
TEST(products_are_checked_too)
{
    struct dataset *data = table_pattern(MATRIX_F32, 3, 1, 2);
    temper_error error = {0};
    table_weigh(data, (const double[]){1, 1e20, 1});
    CHECK(weights_by_class("c1=1e20", data, &error) == TEMPER_BAD_DATA);
    CHECK(data->weight[1] == 1e20);
    dataset_free(data);
}

TEST(survives_a_lack_of_memory)
{
    scratch_enter();
    write_text("w.txt", "1\n2\n3\n");
    struct dataset *data = table_pattern(MATRIX_F32, 3, 2, 2);
    temper_error error;
    for (int kind = 0; kind < 3; kind++) {
        for (size_t n = 1;; n++) {
            const double *before = data->weight;
            fault_arm(n);
            temper_status status = kind == 0   ? weights_read("w.txt", data, &error)
                                   : kind == 1 ? weights_by_class("balanced", data, &error)
                                               : weights_by_class("c0=3", data, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && data->weight == before);
        }
    }
    scratch_leave();
    dataset_free(data);
}

TEST_LIST(LISTED(one_number_a_line), LISTED(files_that_are_refused), LISTED(a_nul_byte_and_a_missing_file),
          LISTED(lines_of_any_length), LISTED(balanced_classes_weigh_the_same), LISTED(weights_multiply),
          LISTED(class_weights_that_are_refused), LISTED(weights_that_come_in_another_way_are_checked),
          LISTED(weights_far_from_one_are_refused), LISTED(products_are_checked_too), LISTED(survives_a_lack_of_memory))
