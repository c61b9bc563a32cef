/* Splits: every row once, every class evenly, and a pure function of the seed. */
#include <stdlib.h>
#include <string.h>

#include "data/split.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { MOST_ROWS = 1000 };

/* Classes of very different sizes, mixed: half of the rows c0, a quarter c1... */
static struct dataset *uneven(size_t rows)
{
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4"};
    const char *labels[MOST_ROWS];
    double values[MOST_ROWS];
    for (size_t i = 0; i < rows; i++) {
        size_t c = 0;
        while (c < 4 && (i >> c & 1))
            c++;
        labels[i] = names[c];
        values[i] = (double)i;
    }
    return table_make(MATRIX_F32, rows, 1, values, labels);
}

/* Rows of class c in each part; `c` beyond the classes: of all. */
static void count_rows(const struct dataset *data, const struct split *split, uint32_t c, size_t *count)
{
    memset(count, 0, split->parts * sizeof *count);
    for (size_t i = 0; i < split->rows; i++)
        if (c >= data->classes.count || data->label[i] == c)
            count[split->part[i]]++;
}

static void check_even(const size_t *count, size_t parts)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t p = 0; p < parts; p++) {
        least = count[p] < least ? count[p] : least;
        most = count[p] > most ? count[p] : most;
    }
    CHECKF(most - least <= 1, "between %zu and %zu rows", least, most);
}

TEST(folds_are_even_in_every_class)
{
    for (size_t folds = 2; folds <= 10; folds++) {
        struct dataset *data = uneven(997);
        struct split split;
        size_t count[10];
        if (!CHECK(split_folds(data, folds, (struct split_options){7, true}, &split, NULL) == TEMPER_OK))
            return;
        CHECK_EQ_SIZE(split.parts, folds);
        for (uint32_t c = 0; c <= data->classes.count; c++) {
            count_rows(data, &split, c, count);
            check_even(count, folds);
        }
        CHECK_EQ_TEXT(split.note, "");
        split_free(&split);
        dataset_free(data);
    }
}

TEST(folds_without_classes_are_even)
{
    struct dataset *data = uneven(101);
    struct split split;
    size_t count[4];
    CHECK(split_folds(data, 4, (struct split_options){7, false}, &split, NULL) == TEMPER_OK);
    count_rows(data, &split, UINT32_MAX, count);
    check_even(count, 4);
    split_free(&split);
    free(data->label);
    data->label = NULL; /* stratified means nothing then */
    CHECK(split_folds(data, 4, (struct split_options){7, true}, &split, NULL) == TEMPER_OK);
    split_free(&split);
    dataset_free(data);
}

TEST(the_seed_decides)
{
    struct dataset *data = uneven(500);
    struct split a, b, other;
    CHECK(split_folds(data, 5, (struct split_options){7, true}, &a, NULL) == TEMPER_OK);
    CHECK(split_folds(data, 5, (struct split_options){7, true}, &b, NULL) == TEMPER_OK);
    CHECK(split_folds(data, 5, (struct split_options){8, true}, &other, NULL) == TEMPER_OK);
    CHECK(memcmp(a.part, b.part, 500 * sizeof *a.part) == 0);
    CHECK(memcmp(a.part, other.part, 500 * sizeof *a.part) != 0);
    split_free(&a);
    split_free(&b);
    split_free(&other);
    dataset_free(data);
}

/* Part of every result that was ever printed with a seed. */
TEST(known_answers)
{
    static const uint32_t expected[] = {0, 0, 1, 0, 1, 1, 0, 2, 2, 2, 2, 1};
    struct dataset *data = uneven(12);
    struct split split;
    CHECK(split_folds(data, 3, (struct split_options){20190417, true}, &split, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 12; i++)
        CHECKF(split.part[i] == expected[i], "row %zu: %u", i, split.part[i]);
    split_free(&split);
    dataset_free(data);
}

TEST(a_share_for_testing)
{
    static const double shares[] = {0.001, 0.1, 0.2, 1.0 / 3, 0.5, 0.9, 0.999};
    static const size_t sizes[] = {1, 100, 199, 332, 499, 897, 996};
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        struct dataset *data = uneven(997);
        struct split split;
        size_t count[2];
        if (!CHECK(split_test(data, shares[s], (struct split_options){7, true}, &split, NULL) == TEMPER_OK))
            return;
        count_rows(data, &split, UINT32_MAX, count);
        CHECK_EQ_SIZE(count[SPLIT_TEST], sizes[s]);
        for (uint32_t c = 0; c < data->classes.count; c++) {
            count_rows(data, &split, c, count);
            CHECK_NEAR((double)count[SPLIT_TEST], shares[s] * (double)(count[SPLIT_TEST] + count[SPLIT_TRAIN]), 1);
        }
        split_free(&split);
        dataset_free(data);
    }
}

TEST(a_share_of_plain_rows)
{
    struct dataset *data = uneven(10);
    struct split split;
    size_t count[2], row[10];
    CHECK(split_test(data, 0.25, (struct split_options){7, false}, &split, NULL) == TEMPER_OK);
    count_rows(data, &split, UINT32_MAX, count);
    CHECK_EQ_SIZE(count[SPLIT_TEST], 3); /* 2.5, rounded up */
    CHECK_EQ_SIZE(split_rows(&split, SPLIT_TEST, false, row), 3);
    CHECK(row[0] < row[1] && row[1] < row[2]);
    CHECK(split.part[row[0]] == SPLIT_TEST);
    CHECK_EQ_SIZE(split_rows(&split, SPLIT_TEST, true, row), 7);
    CHECK(split.part[row[6]] == SPLIT_TRAIN);
    split_free(&split);
    dataset_free(data);
}

TEST(thin_classes_are_noted)
{
    struct dataset *data = uneven(14); /* c2: 2 rows, c3: 1 */
    struct split split;
    CHECK(split_folds(data, 2, (struct split_options){7, true}, &split, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(split.note, "class 'c3' has fewer rows than there are folds: some folds go without");
    split_free(&split);
    CHECK(split_folds(data, 3, (struct split_options){7, true}, &split, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(split.note, "class 'c2' and 1 more have fewer rows than there are folds: some folds go without");
    split_free(&split);
    CHECK(split_test(data, 0.7, (struct split_options){7, true}, &split, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(split.note, "class 'c3' has no row left to train on");
    split_free(&split);
    dataset_free(data);
}

static void check_folds_refused(size_t rows, size_t folds, const char *message)
{
    struct dataset *data = uneven(rows);
    struct split split = {.rows = 77};
    temper_error error = {0};
    CHECK(split_folds(data, folds, (struct split_options){7, true}, &split, &error) != TEMPER_OK);
    CHECK_EQ_TEXT(error.message, message);
    CHECK_EQ_SIZE(split.rows, 77);
    dataset_free(data);
}

TEST(refusals)
{
    struct dataset *data = uneven(4);
    struct split split = {.rows = 77};
    temper_error error = {0};
    check_folds_refused(4, 1, "--folds 1: too few to split the rows; pass 2 or more");
    check_folds_refused(4, 5, "table.csv: 5 folds of 4 rows; use fewer folds than there are rows");
    check_folds_refused(0, 2, "table.csv: 2 folds of 0 rows; use fewer folds than there are rows");
    CHECK(split_test(data, 0, (struct split_options){0}, &split, &error) == TEMPER_USAGE);
    CHECK(split_test(data, 1, (struct split_options){0}, &split, &error) == TEMPER_USAGE);
    CHECK(split_test(data, 0.1, (struct split_options){0}, &split, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "table.csv: of 4 rows, 0 would be for testing; both sides need "
                                 "some, so change the share");
    CHECK(split_test(data, 0.9, (struct split_options){0}, &split, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_SIZE(split.rows, 77);
    dataset_free(data);
}

TEST(survives_a_lack_of_memory)
{
    for (int kind = 0; kind < 4; kind++) {
        struct dataset *data = uneven(20);
        struct split_options how = {3, kind % 2};
        struct split split = {.rows = 77};
        temper_error error;
        for (size_t n = 1;; n++) {
            fault_arm(n);
            temper_status status =
                kind < 2 ? split_folds(data, 2, how, &split, &error) : split_test(data, 0.5, how, &split, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && split.rows == 77);
        }
        split_free(&split);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(folds_are_even_in_every_class), LISTED(folds_without_classes_are_even), LISTED(the_seed_decides),
          LISTED(known_answers), LISTED(a_share_for_testing), LISTED(a_share_of_plain_rows),
          LISTED(thin_classes_are_noted), LISTED(refusals), LISTED(survives_a_lack_of_memory))
