/* Any number of threads reads the same bits, and finds the same first fault. */
#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "fixtures/data/csv_fixture.h"
#include "fixtures/fault_injection.h"

enum {
    ROWS = 60000, /* several chunks */
    MOST_THREADS = 5
};

/* Rows with text, quoted newlines, missing values, weights and labels that come up late. */
static struct text make_table(size_t rows)
{
    struct text text = {0};
    struct random random = {.seed = 11, .stream = 1};
    text_append(&text, "num,colour,more,w,k\n");
    for (size_t i = 0; i < rows; i++) {
        uint64_t bits = random_bits(random, i);
        if (bits % 13 == 0)
            text_append(&text, "\n");
        text_format(&text, bits % 7 == 0 ? "NA," : "%d.%03u,", (int)(bits % 2001) - 1000,
                    (unsigned)(bits >> 12) % 1000);
        text_format(&text, bits % 5 == 0 ? "\"col\n%zu\"," : "c%zu,", (size_t)(bits >> 20) % (i / 2000 + 1));
        text_format(&text, "%u,%u,l%zu\n", (unsigned)(bits >> 30) % 10, (unsigned)(bits >> 40) % 3,
                    (size_t)(bits >> 24) % (i / 500 + 1));
    }
    return text;
}

/* Reads t.csv, which must succeed. */
static struct dataset *read_with(size_t threads, temper_read_options options)
{
    struct dataset *data = NULL;
    temper_error error;
    options.threads = threads;
    options.format = "csv";
    temper_status status = dataset_read("t.csv", &options, &data, &error);
    CHECKF(status == TEMPER_OK, "%s", error.message);
    return data;
}

/* Counts differences instead of reporting each, since there are thousands of names. */
static void check_same_names(char **a, char **b, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += strcmp(a[i], b[i]) != 0;
    CHECK_EQ_SIZE(different, 0);
}

/* Cells, labels, lines, weights, names and notes are equal, bit by bit. */
static void check_same(const struct dataset *a, const struct dataset *b)
{
    if (!CHECK(a && b) || !CHECK(a->x.rows == b->x.rows && a->x.columns == b->x.columns))
        return;
    CHECK(csv_same_bits(a->x.dense, b->x.dense, matrix_bytes(&a->x)));
    CHECK(csv_same_bits(a->label, b->label, a->x.rows * sizeof *a->label));
    CHECK(csv_same_bits(a->line, b->line, a->x.rows * sizeof *a->line));
    if (CHECK(!a->weight == !b->weight) && a->weight)
        CHECK(csv_same_bits(a->weight, b->weight, a->x.rows * sizeof *a->weight));
    CHECK_EQ_SIZE(a->classes.count, b->classes.count);
    check_same_names(a->classes.name, b->classes.name, a->classes.count);
    CHECK_EQ_SIZE(a->features.count, b->features.count);
    check_same_names(a->features.name, b->features.name, a->features.count);
    CHECK_EQ_TEXT(a->notes, b->notes);
}

/* Codes are merged from several chunks, which must give the numbering of one thread. */
TEST(same_bits)
{
    static const temper_read_options options[] = {
        {.categorical = "colour", .missing = "mean", .weights = "w"},
        {.categorical = "colour,more", .missing = "drop", .f64 = 1},
        {.ignore = "colour", .missing = "zero"},
    };
    scratch_enter();
    struct text text = make_table(ROWS);
    CHECK(text.length > 1 << 20);
    scratch_write("t.csv", text.bytes, text.length);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct dataset *one = read_with(1, options[i]);
        for (size_t threads = 2; threads <= MOST_THREADS; threads++) {
            struct dataset *many = read_with(threads, options[i]);
            check_same(one, many);
            dataset_free(many);
        }
        dataset_free(one);
    }
    text_free(&text);
    scratch_leave();
}

/* Two faults in different chunks: the first of the file is the one that is reported. */
TEST(first_fault_wins)
{
    scratch_enter();
    struct text text = {0};
    for (size_t i = 0; i < 300000; i++)
        text_append(&text, i == 250000 || i == 290000 ? "bad,a\n" : i % 2 ? "1,\"a\n\"\n" : "1,b\n");
    scratch_write("t.csv", text.bytes, text.length);
    for (size_t threads = 1; threads <= MOST_THREADS; threads++) {
        struct dataset *data = NULL;
        temper_error error;
        temper_read_options options = {.threads = threads, .format = "csv"};
        CHECK(dataset_read("t.csv", &options, &data, &error) == TEMPER_BAD_DATA);
        CHECK_EQ_TEXT(error.message,
                      "t.csv:375001:1: text 'bad' in column 1; if it is a column of numbers, correct the "
                      "cell, or empty it and pass --missing; else pass --categorical 1 for "
                      "a 0/1 feature of each text, or --ignore 1");
    }
    text_free(&text);
    scratch_leave();
}

/* Where the system gives no threads, the caller's own does it all. */
TEST(without_threads)
{
    temper_read_options options = {.categorical = "colour", .missing = "mean", .weights = "w"};
    scratch_enter();
    struct text text = make_table(ROWS / 4);
    scratch_write("t.csv", text.bytes, text.length);
    struct dataset *one = read_with(1, options);
    fault_arm_threads(1);
    struct dataset *many = read_with(4, options);
    fault_disarm();
    check_same(one, many);
    dataset_free(one);
    dataset_free(many);
    text_free(&text);
    scratch_leave();
}

TEST_LIST(LISTED(same_bits), LISTED(first_fault_wins), LISTED(without_threads))
