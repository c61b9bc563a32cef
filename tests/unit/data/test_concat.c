/* Rows taken, joined and parted: every row once, classes by name, and all or nothing. */
#include <stdlib.h>
#include <string.h>

#include "data/subset.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
static const double top[] = {1, 0, 3, 2, 0, 5}, bottom[] = {7, 8, 9};
static const char *const top_labels[] = {"9", "10"}, *const bottom_labels[] = {"2"};

static struct dataset *first_of(enum matrix_kind kind)
{
    return table_make(kind, 2, 3, top, top_labels);
}

static struct dataset *second_of(enum matrix_kind kind)
{
    return table_make(kind, 1, 3, bottom, bottom_labels);
}

TEST(rows_below_rows)
{
    for (size_t k = 0; k < 4; k++) {
        struct dataset *a = first_of(kinds[k]), *b = second_of(kinds[k]), *whole = NULL;
        const double weights[] = {4};
        table_weigh(b, weights);
        if (!CHECK(dataset_concat(a, b, &whole, NULL) == TEMPER_OK))
            return;
        CHECK_EQ_SIZE(whole->x.rows, 3);
        CHECK_EQ_SIZE(whole->classes.count, 3);
        CHECK_EQ_TEXT(whole->classes.name[0], "2"); /* numbers, in their order */
        CHECK_EQ_TEXT(whole->classes.name[2], "10");
        CHECK(whole->label[0] == 1 && whole->label[1] == 2 && whole->label[2] == 0);
        CHECK(whole->weight[0] == 1 && whole->weight[2] == 4);
        CHECK(whole->line == NULL);
        CHECK(table_same_row(&whole->x, 1, &a->x, 1) && table_same_row(&whole->x, 2, &b->x, 0));
        dataset_free(a);
        dataset_free(b);
        dataset_free(whole);
    }
}

TEST(rows_without_labels)
{
    struct dataset *a = table_make(MATRIX_F32, 2, 3, top, NULL);
    struct dataset *b = table_make(MATRIX_F32, 1, 3, bottom, NULL), *whole = NULL;
    if (!CHECK(dataset_concat(a, b, &whole, NULL) == TEMPER_OK))
        return;
    CHECK(whole->x.rows == 3 && !whole->label && !whole->weight);
    dataset_free(a);
    dataset_free(b);
    dataset_free(whole);
}

static void refused(const struct dataset *a, const struct dataset *b, const char *message)
{
    struct dataset *whole = NULL;
    temper_error error = {0};
    CHECK(dataset_concat(a, b, &whole, &error) == TEMPER_BAD_DATA && !whole);
    CHECK_EQ_TEXT(error.message, message);
}

TEST(what_does_not_fit_is_refused)
{
    struct dataset *a = first_of(MATRIX_F32), *narrow = table_make(MATRIX_F32, 1, 2, bottom, NULL);
    struct dataset *bytes = second_of(MATRIX_U8);
    struct dataset *bare = table_make(MATRIX_F32, 1, 3, bottom, NULL);
    struct dataset *named = second_of(MATRIX_F32);
    refused(a, narrow, "table.csv has 3 features and table.csv has 2; give files of the same columns");
    refused(a, bytes,
            "table.csv and table.csv keep their numbers in different ways; give files of one "
            "format");
    refused(a, bare, "only one of table.csv and table.csv has labels; give both");
    table_name_columns(a);
    table_name_columns(named);
    named->features.name[1][0] = 'y';
    refused(a, named, "feature 2 is 'x2' in table.csv and 'y2' in table.csv; give files of the same columns");
    dataset_free(a);
    dataset_free(narrow);
    dataset_free(bytes);
    dataset_free(bare);
    dataset_free(named);
}

TEST(memory_may_end)
{
    struct dataset *a = first_of(MATRIX_CSR), *b = second_of(MATRIX_CSR);
    const double weights[] = {4};
    table_weigh(b, weights);
    table_name_columns(a);
    for (size_t n = 1;; n++) {
        struct dataset *whole = NULL;
        fault_arm(n);
        temper_status status = dataset_concat(a, b, &whole, NULL);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !whole : status == TEMPER_OK);
        dataset_free(whole);
        if (!fault_fired())
            break;
    }
    dataset_free(a);
    dataset_free(b);
}

/* ---- The public calls ------------------------------------------------------------------------ */

static const temper_data *public_of(const struct dataset *data)
{
    return (const temper_data *)data;
}

static const struct dataset *inside(const temper_data *data)
{
    return (const struct dataset *)data;
}

TEST(rows_that_are_taken)
{
    static const size_t rows[] = {1, 0, 1}, beyond[] = {2};
    struct dataset *a = first_of(MATRIX_F32);
    temper_data *taken = NULL;
    temper_error error = {0};
    CHECK(temper_data_select_rows(public_of(a), beyond, 1, &taken, &error) == TEMPER_USAGE && !taken);
    CHECK_EQ_TEXT(error.message, "row 2 is beyond the 2 rows of the data, which are counted from 0");
    if (!CHECK(temper_data_select_rows(public_of(a), rows, 3, &taken, &error) == TEMPER_OK))
        return;
    CHECK_EQ_SIZE(temper_data_rows(taken), 3);
    CHECK(table_same_row(&inside(taken)->x, 2, &a->x, 1));
    CHECK(temper_data_labels(taken)[1] == a->label[0]);
    temper_data_free(taken);
    dataset_free(a);
}

static const temper_split_options even = {.struct_size = sizeof(temper_split_options),
                                          .share = 0.1,
                                          .seed = 5,
                                          .stratified = 1},
                                  plain = {.struct_size = sizeof(temper_split_options), .share = 0.1, .seed = 6};

/* Every row is on one side; another seed parts them otherwise. */
TEST(rows_that_are_parted)
{
    struct dataset *data = table_pattern(MATRIX_F32, 100, 2, 2);
    temper_data *train = NULL, *test = NULL, *other = NULL, *rest = NULL, *joined = NULL;
    if (!CHECK(temper_data_split(public_of(data), &even, &train, &test, NULL) == TEMPER_OK))
        return;
    CHECK(temper_data_rows(train) == 90 && temper_data_rows(test) == 10);
    size_t ones = 0;
    for (size_t i = 0; i < 10; i++)
        ones += temper_data_labels(test)[i];
    CHECK_EQ_SIZE(ones, 5);
    CHECK(temper_data_concat(train, test, &joined, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(temper_data_rows(joined), 100);
    CHECK(temper_data_split(public_of(data), &plain, &rest, &other, NULL) == TEMPER_OK);
    CHECK(memcmp(inside(test)->line, inside(other)->line, 10 * sizeof(uint64_t)) != 0);
    temper_data_free(train);
    temper_data_free(test);
    temper_data_free(other);
    temper_data_free(rest);
    temper_data_free(joined);
    dataset_free(data);
}

TEST(memory_may_end_while_rows_are_parted)
{
    struct dataset *data = table_pattern(MATRIX_F32, 20, 2, 2);
    for (size_t n = 1;; n++) {
        temper_data *train = NULL, *test = NULL;
        fault_arm(n);
        temper_status status = temper_data_split(public_of(data), &even, &train, &test, NULL);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !train && !test : status == TEMPER_OK);
        temper_data_free(train);
        temper_data_free(test);
        if (!fault_fired())
            break;
    }
    dataset_free(data);
}

TEST_LIST(LISTED(rows_below_rows), LISTED(rows_without_labels), LISTED(what_does_not_fit_is_refused),
          LISTED(memory_may_end), LISTED(rows_that_are_taken), LISTED(rows_that_are_parted),
          LISTED(memory_may_end_while_rows_are_parted))
