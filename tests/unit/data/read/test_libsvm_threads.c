/* libsvm text of many chunks: any number of threads reads the same, and says the same of a fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "data/read/read.h"
#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

enum { MOST_THREADS = 5 };

/* Rows of three entries, blank lines and comments among them; labels are words that come up late.
 */
static struct text make_rows(size_t rows)
{
    struct text text = {0};
    const struct random random = {.seed = 5, .stream = 9};
    for (size_t i = 0; i < rows; i++) {
        uint64_t bits = random_bits(random, i);
        if (bits % 11 == 0)
            text_append(&text, bits % 2 ? "\n" : "# a comment\n");
        text_format(&text, bits % 3 ? "k%zu" : "  k%zu", (size_t)(bits >> 20) % (i / 1000 + 1));
        text_format(&text, " %u:%u.%03u", (unsigned)(bits >> 8) % 50 + 1, (unsigned)(bits >> 16) % 9,
                    (unsigned)(bits >> 30) % 1000);
        text_format(&text, " %u:-%u %u:1e-%u\n", (unsigned)(bits >> 12) % 100 + 60, (unsigned)(bits >> 40) % 2000,
                    (unsigned)(bits >> 24) % 1000000 + 200, (unsigned)(bits >> 50) % 30);
    }
    return text;
}

static temper_status read_with(size_t threads, struct dataset **data, temper_error *error)
{
    const temper_read_options options = {.threads = threads, .format = "libsvm"};
    return dataset_read("rows", &options, data, error);
}

static void check_same(const struct dataset *one, const struct dataset *many)
{
    size_t rows = (size_t)one->x.rows, entries = (size_t)one->x.nonzeros, different = 0;
    if (!CHECK(many->x.rows == rows && many->x.nonzeros == entries && many->x.columns == one->x.columns &&
               many->classes.count == one->classes.count))
        return;
    CHECK(memcmp(one->x.row_start, many->x.row_start, (rows + 1) * sizeof *one->x.row_start) == 0);
    CHECK(memcmp(one->x.column, many->x.column, entries * sizeof *one->x.column) == 0);
    CHECK(memcmp(one->x.value, many->x.value, entries * sizeof *one->x.value) == 0);
    CHECK(memcmp(one->label, many->label, rows * sizeof *one->label) == 0);
    CHECK(memcmp(one->line, many->line, rows * sizeof *one->line) == 0);
    for (size_t i = 0; i < one->classes.count; i++)
        different += strcmp(one->classes.name[i], many->classes.name[i]) != 0;
    CHECK_EQ_SIZE(different, 0);
}

/* Reads the file "rows" on one thread and on several. */
static void check_threads(void)
{
    struct dataset *one = NULL, *many = NULL;
    temper_error error = {0};
    if (!CHECKF(read_with(1, &one, &error) == TEMPER_OK, "%s", error.message))
        return;
    for (size_t threads = 2; threads <= MOST_THREADS; threads += test_step(6)) {
        if (!CHECKF(read_with(threads, &many, &error) == TEMPER_OK, "%s", error.message))
            continue;
        check_same(one, many);
        dataset_free(many);
    }
    dataset_free(one);
}

TEST(same_bits)
{
    struct text text = make_rows(100000);
    struct blob archive = {0};
    CHECK(text.length > (size_t)3 << 20);
    scratch_enter();
    scratch_write("rows", text.bytes, text.length);
    check_threads();
    scratch_write("rows", text.bytes, text.length - 1); /* no newline at the end */
    check_threads();
    blob_add_gzip(&archive, text.bytes, text.length);
    scratch_write("rows", archive.bytes, archive.length);
    check_threads();
    scratch_leave();
    blob_free(&archive);
    text_free(&text);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* What is said of the file "rows", the same by any number of threads. */
static void check_refused(const char *expected)
{
    for (size_t threads = 1; threads <= MOST_THREADS; threads += test_step(4)) {
        struct dataset *data = NULL;
        temper_error error = {0};
        if (CHECK(read_with(threads, &data, &error) == TEMPER_BAD_DATA))
            CHECKF(strstr(error.message, expected) != NULL, "%zu threads: %s", threads, error.message);
    }
}

/* Rows "1 1:1", but for a few. */
struct odd_row {
    size_t row;
    const char *text;
};

static struct text make_odd(size_t rows, const struct odd_row *odd, size_t count)
{
    struct text text = {0};
    for (size_t i = 0; i < rows; i++) {
        const char *row = "1 1:1";
        for (size_t k = 0; k < count; k++)
            row = odd[k].row == i ? odd[k].text : row;
        text_append(&text, row);
        text_append(&text, "\n");
    }
    return text;
}

static void check_odd(const struct odd_row *odd, size_t count, const char *expected)
{
    struct text text = make_odd(300000, odd, count);
    scratch_enter();
    scratch_write("rows", text.bytes, text.length);
    check_refused(expected);
    scratch_leave();
    text_free(&text);
}

/* Each in a chunk in which another comes later, or in its first row. */
TEST(the_first_fault_is_told)
{
    static const struct odd_row two[] = {{200000, "1 1:x"}, {250000, "1 2:nan"}};
    static const struct odd_row unlabelled[] = {{250000, "  1:1"}, {250001, "1 1:x"}};
    check_odd(two, 2, "rows:200001:5: value 'x' is not a number");
    check_odd(unlabelled, 2, "rows:250001:3: this row has no label, rows before it have");
    /* Chunks are of 256 KiB: somewhere here the row is the first of one, and wrong itself. */
    for (size_t row = 43690; row <= 43692; row++) {
        const struct odd_row both[] = {{row, "1:x"}, {row + 1, "1 1:x"}};
        char expected[80];
        snprintf(expected, sizeof expected, "rows:%zu:1: this row has no label", row + 1);
        check_odd(both, 2, expected);
    }
}

TEST(one_label_too_many)
{
    struct text text = {0};
    for (size_t i = 0; i < 65536; i++)
        text_format(&text, "label-of-row-%zu 1:1\n", i);
    text_append(&text, "label-of-row-7 1:1\n  one-more 1:x\n1 1:x\n");
    scratch_enter();
    scratch_write("rows", text.bytes, text.length);
    check_refused("rows:65538:1: more than 65,536 different labels");
    scratch_leave();
    text_free(&text);
}

/* An archive that is cut, with and without a fault in what is left. */
TEST(a_fault_goes_before_a_cut)
{
    static const struct odd_row fault = {250000, "1 1:x"};
    for (size_t count = 0; count < 2; count++) {
        struct text text = make_odd(300000, &fault, count);
        struct blob archive = {0};
        blob_add_gzip(&archive, text.bytes, text.length);
        scratch_enter();
        scratch_write("rows", archive.bytes, archive.length - 4);
        check_refused(count ? "rows:250001:5: value 'x'" : "the gzip archive is cut off");
        scratch_leave();
        blob_free(&archive);
        text_free(&text);
    }
}

/* ---- What the system does not give ----------------------------------------------------------- */

TEST(without_threads)
{
    struct text text = make_rows(40000);
    struct dataset *one = NULL, *many = NULL;
    scratch_enter();
    scratch_write("rows", text.bytes, text.length);
    CHECK(read_with(1, &one, NULL) == TEMPER_OK);
    for (size_t n = 1; n <= 3; n++) {
        fault_arm_threads(n);
        CHECK(read_with(4, &many, NULL) == TEMPER_OK);
        fault_disarm();
        CHECK(fault_fired());
        check_same(one, many);
        dataset_free(many);
    }
    dataset_free(one);
    scratch_leave();
    text_free(&text);
}

/* Each allocation in turn, on several threads: said so, or done without. */
TEST(every_allocation_may_fail)
{
    struct text text = make_rows(30000);
    size_t told = 0;
    scratch_enter();
    scratch_write("rows", text.bytes, text.length);
    for (size_t n = 1; n < 2000; n++) {
        struct dataset *data = NULL;
        temper_error error = {0};
        fault_arm(n);
        temper_status status = read_with(3, &data, &error);
        fault_disarm();
        bool whole = status == TEMPER_OK && data->x.rows == 30000;
        CHECKF(whole || status == TEMPER_NO_MEMORY, "allocation %zu: %s", n, error.message);
        told += status == TEMPER_NO_MEMORY;
        if (status == TEMPER_OK)
            dataset_free(data);
        if (!fault_fired())
            break;
    }
    CHECKF(told > 20, "%zu", told);
    scratch_leave();
    text_free(&text);
}

TEST_LIST(LISTED(same_bits), LISTED(the_first_fault_is_told), LISTED(one_label_too_many),
          LISTED(a_fault_goes_before_a_cut), LISTED(without_threads), LISTED(every_allocation_may_fail))
