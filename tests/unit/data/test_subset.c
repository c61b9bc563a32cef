/* Rows of a dataset with all that belongs to them; lists as the command line has them. */
#include <stdio.h>

#include "data/name_list.h"
#include "data/subset.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4 };

/* ---- Lists ----------------------------------------------------------------------------------- */

static void check_list(const char *text, bool pairs, size_t count, const char *const *expected)
{
    struct list list = {0};
    temper_error error = {0};
    if (!CHECKF(list_read("--option", text, pairs, &list, &error) == TEMPER_OK, "'%s': %s", text, error.message))
        return;
    CHECK_EQ_SIZE(list.count, count);
    for (size_t i = 0; i < list.count && i < count; i++) {
        CHECK_EQ_TEXT(list.item[i].name, expected[pairs ? 2 * i : i]);
        if (pairs)
            CHECK_EQ_TEXT(list.item[i].value, expected[2 * i + 1]);
    }
    list_free(&list);
}

TEST(lists)
{
    check_list("a", false, 1, (const char *const[]){"a"});
    check_list("a,b", false, 2, (const char *const[]){"a", "b"});
    check_list(" a b ,\tc ", false, 2, (const char *const[]){"a b", "c"});
    check_list("\"Paris, Texas\",Rome", false, 2, (const char *const[]){"Paris, Texas", "Rome"});
    check_list("\"say \"\"a,b\"\"\",5\"", false, 2, (const char *const[]){"say \"a,b\"", "5\""});
    check_list("\" a \" , b", false, 2, (const char *const[]){" a ", "b"});
    check_list("a=b", false, 1, (const char *const[]){"a=b"});
}

TEST(pairs)
{
    check_list("a=1", true, 1, (const char *const[]){"a", "1"});
    check_list("a=1, b=2e3", true, 2, (const char *const[]){"a", "1", "b", "2e3"});
    check_list("a=b=3", true, 1, (const char *const[]){"a=b", "3"});
    check_list("\"a=b,c\"=\"d,e\"", true, 1, (const char *const[]){"a=b,c", "d,e"});
}

static void check_refused(const char *text, bool pairs, const char *message)
{
    struct list list = {.count = 77};
    temper_error error = {0};
    CHECK(list_read("--option", text, pairs, &list, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, message);
    CHECK_EQ_SIZE(list.count, 77);
}

TEST(lists_that_are_refused)
{
    static const char missing[] = ": a name is missing; write names with a comma between them, as A,B";
    char message[256];
    check_refused("\"a", false, "--option \"a: a quote is not closed; put a second \" behind the name");
    check_refused("a=1,b", true, "--option a=1,b: a value is missing; write NAME=VALUE with a comma between them");
    check_refused("a=", true, "--option a=: a value is missing; write NAME=VALUE with a comma between them");
    static const char *const texts[] = {"", ",", "a,", "a,,b", " ", "\"\""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(message, sizeof message, "--option %s%s", texts[i], missing);
        check_refused(texts[i], false, message);
    }
    snprintf(message, sizeof message, "--option =1%s", missing);
    check_refused("=1", true, message);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

TEST(rows_come_with_all_that_belongs_to_them)
{
    static const size_t rows[] = {5, 1, 1};
    static const double weights[] = {1, 2, 3, 4, 5, 6};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_pattern(kinds[k], 6, 4, 3), *out = NULL;
        table_weigh(data, weights);
        table_name_columns(data);
        dataset_note(data, "a note");
        if (!CHECK(dataset_rows(data, rows, 3, &out, NULL) == TEMPER_OK))
            return;
        for (size_t i = 0; i < 3; i++) {
            CHECK(table_same_row(&out->x, i, &data->x, rows[i]));
            CHECK(out->label[i] == data->label[rows[i]] && out->weight[i] == weights[rows[i]]);
            CHECK(out->line[i] == data->line[rows[i]]);
        }
        CHECK_EQ_SIZE(out->classes.count, 3); /* c0 has no row left */
        CHECK_EQ_TEXT(out->features.name[3], "x4");
        CHECK_EQ_TEXT(out->file.path, "table.csv");
        CHECK_EQ_TEXT(out->notes, "a note\n");
        dataset_free(data); /* first: nothing is shared */
        CHECK_EQ_TEXT(out->classes.name[2], "c2");
        dataset_free(out);
    }
}

TEST(borrowed_rows_share_the_features_only)
{
    struct dataset *data = table_pattern(MATRIX_CSR, 6, 4, 3), *out = NULL;
    if (!CHECK(dataset_borrow(data, &out, NULL) == TEMPER_OK))
        return;
    CHECK(out->x.value == data->x.value && out->label != data->label);
    out->label[0] = 2;
    CHECK(data->label[0] == 0);
    dataset_free(out);
    CHECK(table_same_row(&data->x, 0, &data->x, 5));
    dataset_free(data);
}

TEST(features_from_a_second_dataset)
{
    static const size_t from[] = {0, 4, 2, 3};
    for (size_t k = 0; k < KINDS; k++) {
        const double values[] = {9, 8, 7};
        struct dataset *data = table_pattern(kinds[k], 4, 3, 2), *out = NULL;
        struct dataset *pool = table_make(kinds[k], 1, 3, values, NULL);
        if (!CHECK(dataset_replace(data, pool, from, &out, NULL) == TEMPER_OK))
            return;
        CHECK(table_same_row(&out->x, 1, &pool->x, 0));
        CHECK(table_same_row(&out->x, 3, &data->x, 3));
        CHECK(out->label[1] == data->label[1]);
        dataset_free(data);
        dataset_free(pool);
        dataset_free(out);
    }
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Rows 1, 4 and 7 have class c1, rows 2 and 5 class c2. */
static void check_selected(const struct dataset *data, const struct dataset *whole)
{
    static const size_t rows[] = {1, 2, 4, 5, 7};
    CHECK_EQ_SIZE((size_t)data->x.rows, 5);
    CHECK_EQ_SIZE(data->classes.count, 2);
    CHECK_EQ_TEXT(data->classes.name[0], "c1");
    CHECK_EQ_TEXT(data->classes.name[1], "c2");
    for (size_t i = 0; i < 5; i++) {
        CHECK(table_same_row(&data->x, i, &whole->x, rows[i]));
        CHECK(data->label[i] == whole->label[rows[i]] - 1);
        CHECK(data->line[i] == whole->line[rows[i]]);
        CHECK(!data->weight || data->weight[i] == (double)rows[i]);
    }
}

TEST(classes_keep_their_order)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_pattern(kinds[k], 8, 3, 3);
        struct dataset *whole = table_pattern(kinds[k], 8, 3, 3);
        table_weigh(data, (const double[]){0, 1, 2, 3, 4, 5, 6, 7});
        CHECK(select_classes(data, "c2,c1,c2", NULL) == TEMPER_OK);
        check_selected(data, whole);
        CHECK(data->weight != NULL);
        dataset_free(data);
        dataset_free(whole);
    }
}

/* Memory of others is left alone. */
TEST(classes_of_borrowed_data)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = NULL, *whole = table_pattern(kinds[k], 8, 3, 3);
        if (!CHECK(dataset_borrow(whole, &data, NULL) == TEMPER_OK))
            return;
        CHECK(select_classes(data, "c2, c1", NULL) == TEMPER_OK);
        check_selected(data, whole);
        dataset_free(data);
        CHECK_EQ_SIZE((size_t)whole->x.rows, 8);
        dataset_free(whole);
    }
}

TEST(classes_that_are_numbers)
{
    static const char *const labels[] = {"3", "-1", "+1", "1.0", "-1"};
    const double values[] = {1, 2, 3, 4, 5};
    struct dataset *data = table_make(MATRIX_F32, 5, 1, values, labels);
    CHECK(select_classes(data, "1e0,-1", NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(data->classes.name[0], "-1");
    CHECK_EQ_TEXT(data->classes.name[1], "1");
    CHECK_EQ_SIZE((size_t)data->x.rows, 4);
    CHECK(data->label[0] == 0 && data->label[1] == 1 && data->label[2] == 1);
    CHECK(select_classes(data, "1", NULL) == TEMPER_OK); /* one class: for the trainer to refuse */
    CHECK_EQ_SIZE((size_t)data->x.rows, 2);
    dataset_free(data);
}

TEST(unknown_classes_are_refused_with_those_that_exist)
{
    struct dataset *data = table_pattern(MATRIX_F32, 8, 3, 3);
    temper_error error;
    CHECK(select_classes(data, "c1,d\x01", &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "table.csv: --classes: there is no class 'd\\x01'; classes are c0, c1, c2");
    CHECK_EQ_SIZE((size_t)data->x.rows, 8);
    CHECK(select_classes(data, "c1,", &error) == TEMPER_USAGE);
    dataset_free(data);
    data = table_make(MATRIX_F32, 1, 1, (const double[]){1}, NULL);
    CHECK(select_classes(data, "c1", &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "table.csv: --classes names class 'c1', but the data has no "
                                 "labels; name their column by --label or their file by --labels");
    dataset_free(data);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

TEST(copies_survive_a_lack_of_memory)
{
    static const size_t rows[] = {3, 0};
    struct dataset *data = table_pattern(MATRIX_CSR, 6, 4, 3), *out = NULL;
    temper_error error;
    table_name_columns(data);
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = dataset_rows(data, rows, 2, &out, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && out == NULL);
    }
    dataset_free(out);
    dataset_free(data);
}

/* Giving memory back may fail without a word; all else is an error that changes nothing. */
TEST(selecting_survives_a_lack_of_memory)
{
    for (int borrowed = 0; borrowed < 2; borrowed++) {
        struct dataset *whole = table_pattern(MATRIX_CSR, 8, 3, 3);
        bool fired = true;
        for (size_t n = 1; fired; n++) {
            struct dataset *data = NULL;
            temper_error error;
            if (borrowed)
                CHECK(dataset_borrow(whole, &data, NULL) == TEMPER_OK);
            else
                data = table_pattern(MATRIX_CSR, 8, 3, 3);
            fault_arm(n);
            temper_status status = select_classes(data, "c2,c1", &error);
            fault_disarm();
            fired = fault_fired();
            if (status == TEMPER_OK)
                check_selected(data, whole);
            else
                CHECK(status == TEMPER_NO_MEMORY && data->x.rows == 8 && data->classes.count == 3);
            dataset_free(data);
        }
        dataset_free(whole);
    }
}

TEST_LIST(LISTED(lists), LISTED(pairs), LISTED(lists_that_are_refused), LISTED(rows_come_with_all_that_belongs_to_them),
          LISTED(borrowed_rows_share_the_features_only), LISTED(features_from_a_second_dataset),
          LISTED(classes_keep_their_order), LISTED(classes_of_borrowed_data), LISTED(classes_that_are_numbers),
          LISTED(unknown_classes_are_refused_with_those_that_exist), LISTED(copies_survive_a_lack_of_memory),
          LISTED(selecting_survives_a_lack_of_memory))
