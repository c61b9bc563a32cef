/* libsvm text: what is right becomes rows, what is wrong is said where and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "data/read/read.h"
#include "data/write/write.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

/* Every text goes through a file of this name, which messages then name. */
static const char path[] = "libsvm-test.txt";

/* Failures of the file system end the test program: nothing can be tested then. */
static void write_text(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* Reads by read_libsvm directly; NULL and *error if the text is refused. */
static struct dataset *read_bytes(const char *text, size_t length, temper_read_options options, temper_error *error)
{
    struct source *source;
    struct dataset *data = mem_zeroed(1, sizeof *data);
    write_text(text, length);
    if (source_open(path, &source, error) != TEMPER_OK)
        exit(2);
    struct data_reader reading = {.path = path, .source = source, .options = &options, .error = error};
    temper_status status = read_libsvm(&reading, data);
    if (status != TEMPER_OK) {
        CHECK(error->status == status);
        dataset_free(data);
        data = NULL;
    }
    unlink(path);
    return data;
}

/* A text that must be accepted. */
static struct dataset *read_text(const char *text)
{
    temper_error error = {0};
    struct dataset *data = read_bytes(text, strlen(text), (temper_read_options){0}, &error);
    CHECKF(data != NULL, "'%s': %s", text, error.message);
    return data;
}

/* The message behind the file's name, for one and for three threads. */
static void refused(const char *text, size_t length, const char *expected)
{
    for (size_t threads = 1; threads <= 3; threads += 2) {
        temper_error error = {0};
        struct dataset *data = read_bytes(text, length, (temper_read_options){.threads = threads}, &error);
        if (!CHECKF(data == NULL, "'%s' was accepted", text)) {
            dataset_free(data);
            continue;
        }
        const char *message = error.message + strlen(path);
        CHECKF(strncmp(error.message, path, strlen(path)) == 0, "%s", error.message);
        CHECK_EQ_TEXT(message, expected);
    }
}

#define REFUSED(text, expected) refused(text, sizeof(text) - 1, expected)

/* Whether a row has exactly these columns and values. */
static bool row_is(const struct dataset *data, uint64_t index, size_t count, const uint32_t *column, const float *value)
{
    struct row row = matrix_row(&data->x, index);
    return row.count == count && memcmp(row.column, column, count * sizeof *column) == 0 &&
           memcmp(row.value, value, count * sizeof *value) == 0;
}

TEST(rows_labels_and_lines)
{
    struct dataset *data = read_text("# a comment\n"
                                     "+1 1:0.5 3:-2e1\r\n"
                                     "\n"
                                     "  -1\t2:1 # behind a row\n"
                                     "1.0 qid:7 4:0.1\n"
                                     "-1\n");
    if (!data)
        return;
    CHECK_EQ_SIZE((size_t)data->x.rows, 4);
    CHECK_EQ_SIZE((size_t)data->x.columns, 4);
    CHECK_EQ_SIZE((size_t)data->x.nonzeros, 4);
    CHECK_EQ_SIZE(data->classes.count, 2);
    CHECK(row_is(data, 0, 2, (uint32_t[]){0, 2}, (float[]){0.5f, -20}));
    CHECK(row_is(data, 1, 1, (uint32_t[]){1}, (float[]){1}));
    CHECK(row_is(data, 2, 1, (uint32_t[]){3}, (float[]){0.1f}));
    CHECK(matrix_row(&data->x, 3).count == 0);
    CHECK(data->label[0] == data->label[2] && data->label[1] == data->label[3]);
    CHECK(data->line[0] == 2 && data->line[1] == 4 && data->line[2] == 5 && data->line[3] == 6);
    CHECK(strstr(data->notes, "qid") != NULL);
    dataset_free(data);
}

TEST(odd_but_right)
{
    struct dataset *data = read_text("\xef\xbb\xbf"
                                     "cat 1:1e-45 2:16777217 3:0 2147483647:1.5");
    if (data) {
        CHECK_EQ_TEXT(data->classes.name[0], "cat");
        CHECK(row_is(data, 0, 4, (uint32_t[]){0, 1, 2, 2147483646}, (float[]){1e-45f, 16777216, 0, 1.5f}));
        dataset_free(data);
    }
    data = read_text("1:1 2:2\n3:1\n"); /* no labels at all */
    if (data) {
        CHECK(data->label == NULL && data->x.rows == 2 && data->x.columns == 3);
        dataset_free(data);
    }
}

TEST(zero_based)
{
    temper_error error = {0};
    struct dataset *data = read_bytes("1 0:1 2:3\n", 10, (temper_read_options){.zero_based = 1}, &error);
    if (!CHECKF(data != NULL, "%s", error.message))
        return;
    CHECK(row_is(data, 0, 2, (uint32_t[]){0, 2}, (float[]){1, 3}));
    dataset_free(data);
}

TEST(bad_values)
{
    REFUSED("1 1:1\n1 2:nan\n", ":2:5: value 'nan' is not finite; drop the row or the entry");
    REFUSED("1 2:-Inf\n", ":1:5: value '-Inf' is not finite; drop the row or the entry");
    REFUSED("1 2:1e400\n", ":1:5: value '1e400' is too large for a float; rescale the feature");
    REFUSED("1 2:1e39\n", ":1:5: value '1e39' is too large for a float; rescale the feature");
    REFUSED("1 2:x\n", ":1:5: value 'x' is not a number; write index:value");
    REFUSED("1 2:1,5\n", ":1:5: value '1,5' is not a number; write index:value");
    REFUSED("1 2: 3:1\n", ":1:5: a value is missing after ':'; write index:value");
    REFUSED("1 2:1:1\n", ":1:5: value '1:1' is not a number; write index:value");
    REFUSED("1 2:0x10\n", ":1:5: value '0x10' is not a number; write index:value");
}

TEST(bad_indices)
{
    REFUSED("1 0:1\n", ":1:3: index 0; count indices from 1, or pass --zero-based");
    REFUSED("1 -3:1\n", ":1:3: index '-3:1' is negative; count indices from 1");
    REFUSED("1 2147483648:1\n", ":1:3: index 2147483648 is larger than 2147483647; renumber the features");
    REFUSED("1 1000000000000000000:1\n",
            ":1:3: index 1000000000000000000 is larger than 2147483647; renumber the features");
    REFUSED("1 99999999999999999999999:1\n",
            ":1:3: index '99999999999999999999999:1' is larger than 2147483647; renumber "
            "the features");
    REFUSED("1 3:1 3:2\n", ":1:7: index 3 comes twice in this row; keep one of them");
    REFUSED("1 3:1 2:2\n", ":1:7: index 2 comes after 3; sort the row by index");
    REFUSED("1 3\n", ":1:3: '3' has no value; write index:value");
    REFUSED("1 a:1\n", ":1:3: 'a:1' is not index:value; write a whole number before the ':'");
    REFUSED("1 1.5:1\n", ":1:3: '1.5:1' is not index:value; write a whole number before the ':'");
    REFUSED("1 :1\n", ":1:3: ':1' is not index:value; write a whole number before the ':'");
}

TEST(bad_labels_and_files)
{
    REFUSED("", ": no rows, only blanks and comments; give a file with rows");
    REFUSED("\n \n# x\n", ": no rows, only blanks and comments; give a file with rows");
    REFUSED("nan 1:1\n", ":1:1: label 'nan' is not finite; give the row a label or drop it");
    REFUSED("1e400 1:1\n", ":1:1: label '1e400' is not finite; give the row a label or drop it");
    REFUSED("1 1:1\n2:1\n", ":2:1: this row has no label, rows before it have; add one");
    REFUSED("1:1\n1 2:1\n", ":2:1: this row has a label, rows before it have none; remove it");
    REFUSED("1 1:1\n1 1:\0001\n", ":2:5: a NUL byte; convert the file to plain text, from UTF-16 perhaps");
    REFUSED("1 1:1\n\0001 1:1\n", ":2:1: a NUL byte; convert the file to plain text, from UTF-16 perhaps");
    REFUSED("1 1:1\n-1", ":2:3: the last line has a label, no features and no newline: the file "
                         "seems cut off; fetch it again, or end the line");
}

/* Many chunks, any number of threads: the same bytes, and the right line. */
TEST(threads_do_not_matter)
{
    enum { ROWS = 200000 };
    char *text = malloc(ROWS * 40), *end = text;
    temper_error error = {0};
    for (int i = 0; i < ROWS; i++)
        end += snprintf(end, 40, "%d %d:%d.%d %d:1\n", i % 17, i % 50 + 1, i, i % 10, i % 31 + 60);
    struct dataset *one = read_bytes(text, (size_t)(end - text), (temper_read_options){.threads = 1}, &error);
    for (size_t threads = 2; one && threads <= 5; threads += 3) {
        struct dataset *many =
            read_bytes(text, (size_t)(end - text), (temper_read_options){.threads = threads}, &error);
        if (!CHECKF(many != NULL, "%s", error.message))
            break;
        CHECK(many->x.rows == ROWS && many->x.nonzeros == one->x.nonzeros);
        CHECK(memcmp(many->x.column, one->x.column, many->x.nonzeros * 4) == 0);
        CHECK(memcmp(many->x.value, one->x.value, many->x.nonzeros * 4) == 0);
        CHECK(memcmp(many->x.row_start, one->x.row_start, (ROWS + 1) * 8) == 0);
        CHECK(memcmp(many->label, one->label, ROWS * 4) == 0);
        CHECK(memcmp(many->line, one->line, ROWS * 8) == 0);
        CHECK(many->line[ROWS - 1] == ROWS);
        dataset_free(many);
    }
    dataset_free(one);
    end[-5] = 'x';
    refused(text, (size_t)(end - text),
            ":200000:16: 'x8:1' is not index:value; write a whole number before the "
            "':'");
    free(text);
}

/* Each allocation in turn: no memory, said so, and nothing leaks or is lost. */
TEST(every_allocation_may_fail)
{
    static const char text[] = "a 1:1\nb 2:1.5 # c\na 3:0.123456789\n";
    const temper_read_options options = {.threads = 3};
    for (size_t n = 1; n < 200; n++) {
        temper_error error = {0};
        struct source *source;
        struct dataset *data = mem_zeroed(1, sizeof *data);
        write_text(text, sizeof text - 1);
        if (source_open(path, &source, &error) != TEMPER_OK)
            exit(2);
        struct data_reader reading = {.path = path, .source = source, .options = &options, .error = &error};
        fault_arm(n);
        temper_status status = read_libsvm(&reading, data);
        bool fired = fault_fired();
        fault_disarm();
        bool whole = status == TEMPER_OK && data->x.rows == 3 && data->classes.count == 2;
        CHECKF(whole || status == TEMPER_NO_MEMORY, "allocation %zu: %s", n, error.message);
        dataset_free(data);
        if (!fired)
            break;
    }
    unlink(path);
}

TEST_LIST(LISTED(rows_labels_and_lines), LISTED(odd_but_right), LISTED(zero_based), LISTED(bad_values),
          LISTED(bad_indices), LISTED(bad_labels_and_files), LISTED(threads_do_not_matter),
          LISTED(every_allocation_may_fail))
