/* Any bytes as a file to be divided, with any options: every row is in one test file or in none, or it is refused with
 * advice. */
#define _GNU_SOURCE /* memfd_create */
#include "read_fixture.h"
#include "temper.h"

enum { FOLDS = 3 };

/* Rows of folds are tested once each; by time those of the first part never. */
static void check_report(const temper_split_file_report *report, const temper_split_file_options *options)
{
    size_t tested = 0;
    for (size_t i = 0; i < report->pairs; i++) {
        REQUIRE(report->test_rows[i] > 0, "no rows to test, pair %zu", i);
        tested += report->test_rows[i];
        bool all = report->train_rows[i] + report->test_rows[i] == report->rows;
        REQUIRE(all || (options->time && options->folds), "pair %zu: %zu rows of %zu", i, report->train_rows[i],
                report->rows);
    }
    REQUIRE(report->rows >= 2 && tested <= report->rows, "%zu of %zu rows", tested, report->rows);
    REQUIRE(!options->folds || options->time || tested == report->rows, "%zu of %zu rows", tested, report->rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const headers[] = {NULL, "yes", "no", "auto"};
    static const char *const columns[] = {NULL, "1", "2", "a"};
    static const char *const nowhere[FOLDS] = {"/dev/null", "/dev/null", "/dev/null"};
    struct bytes bytes = {data, size};
    unsigned first = take_byte(&bytes), second = take_byte(&bytes);
    temper_read_options read = temper_read_defaults();
    temper_split_file_options options = temper_split_file_defaults();
    temper_split_file_report report;
    temper_error error = {0};
    read.header = headers[first & 3];
    read.label = columns[first >> 2 & 3];
    read.threads = 1;
    options.group = columns[first >> 4 & 3];
    options.time = options.group ? NULL : columns[first >> 6 & 3];
    options.stratify = options.time ? NULL : second & 1 ? "none" : columns[second >> 1 & 3];
    options.folds = second & 8 ? FOLDS : 0;
    options.train = options.test = nowhere;
    temper_status status = temper_split_file(fuzz_file(bytes.at, bytes.left), &read, &options, &report, &error);
    if (status == TEMPER_OK) {
        check_report(&report, &options);
        temper_split_file_report_free(&report);
    } else {
        REQUIRE(status == TEMPER_BAD_DATA || status == TEMPER_USAGE, "%s", error.message);
        REQUIRE(strstr(error.message, "; "), "no advice: %s", error.message);
    }
    return 0;
}
