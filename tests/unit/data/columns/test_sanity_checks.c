/* Labels and values that are probably not what was meant. */
#include "data/columns/sanity_checks.h"

#include "fixtures/data/csv_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

/* "x,y" and rows whose labels are %d of i mod classes, with what stands around it. */
static const char *table_text(size_t rows, size_t classes, const char *before, const char *behind)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "x,y\n");
    for (size_t i = 0; i < rows; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu,%s%zu%s\n", i, before, i % classes, behind);
    return text;
}

static void check_read(const char *text, temper_read_options options, const char *refusal, const char *warning)
{
    temper_error error;
    struct dataset *data = csv_bytes(text, strlen(text), options, &error);
    CHECKF((data == NULL) == (refusal != NULL), "%s", error.message);
    if (refusal && !data)
        CHECK_EQ_TEXT(error.message, refusal);
    const char *found = data ? strstr(data->notes, "warning: ") : NULL;
    CHECKF((found != NULL) == (warning != NULL), "%s", data ? data->notes : "");
    if (found && warning)
        CHECKF(strncmp(found, warning, strlen(warning)) == 0, "%s", found);
    dataset_free(data);
}

TEST(many_classes)
{
    scratch_enter();
    check_read(table_text(80, 20, "", ".5"), (temper_read_options){0}, NULL, NULL);
    check_read(table_text(200, 21, "", ".5"), (temper_read_options){0},
               "t.csv: column 'y' has 21 different numbers in 200 rows: this looks like a regression target; --label "
               "NAME names another column, --label none says that there is none; --label y if it is the label",
               NULL);
    check_read(table_text(168, 21, "", ""), (temper_read_options){0}, NULL, NULL);
    check_read(table_text(168, 21, "", ".0"), (temper_read_options){0}, NULL, NULL);
    check_read(table_text(167, 21, "", ""), (temper_read_options){0},
               "t.csv: column 'y' has 21 different numbers in 167 rows: this looks like a regression target; --label "
               "NAME names another column, --label none says that there is none; --label y if it is the label",
               NULL);
    check_read(table_text(42, 21, "c", ".5"), (temper_read_options){0}, NULL, NULL);
    check_read(table_text(41, 21, "c", ".5"), (temper_read_options){.header = "yes"},
               "t.csv: 21 classes in 41 rows: is column 'y' the label? --label NAME names "
               "another, --label none says that there is none; --label y if it is",
               NULL);
    check_read(table_text(41, 21, "", "") + strlen("x,y\n"), (temper_read_options){0},
               "t.csv: column 2 has 21 different numbers in 41 rows: this looks like a regression target; --label "
               "NAME names another column, --label none says that there is none; --label 2 if it is the label",
               NULL);
    check_read(table_text(83, 21, "", ""), (temper_read_options){.label = "y"}, NULL,
               "warning: 21 classes in 83 rows: is column 'y' the label? this looks like a regression target; --label "
               "names another\n");
    scratch_leave();
}

TEST(names_that_are_nearly_the_same)
{
    scratch_enter();
    check_read("x,y\n1,no\n2,yes\n3,No\n", (temper_read_options){0}, NULL,
               "warning: labels 'no' and 'No' differ only in case or blanks, and");
    check_read("x,y\n1,no\n2,yes\n3,\" no\"\n4,YES\n5,y es\n", (temper_read_options){0}, NULL,
               "warning: labels 'no' and ' no' (and 2 more pairs) differ only in case or blanks");
    check_read("x,y\n1,no\n2,yes\n3,non\n", (temper_read_options){0}, NULL, NULL);
    scratch_leave();
}

/* The i-th row begins with first + i * step, and has a gap in line `gap`. */
static const char *counted_text(size_t rows, size_t first, size_t step, size_t gap)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, ",x,y\n");
    for (size_t i = 0; i < rows; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu,%s,%zu\n", first + i * step,
                                 i + 2 == gap ? "" : "5", i % 2);
    return text;
}

TEST(columns_that_count_the_rows)
{
    static const char warning[] =
        "warning: column 1 counts the rows, which tells nothing about " /* vocabulary: allowed */
        "others; pass --ignore 1 if it is an index\n";
    const temper_read_options drop = {.missing = "drop"};
    scratch_enter();
    check_read(counted_text(20, 0, 1, 0), (temper_read_options){0}, NULL, warning);
    check_read(counted_text(20, 1, 1, 0), (temper_read_options){.f64 = 1}, NULL, warning);
    check_read(counted_text(21, 0, 1, 9), drop, NULL, warning);
    check_read(counted_text(21, 0, 1, 2), drop, NULL, warning);
    check_read(counted_text(19, 0, 1, 0), (temper_read_options){0}, NULL, NULL);
    check_read(counted_text(20, 0, 2, 0), (temper_read_options){0}, NULL, NULL);
    check_read(counted_text(20, 7, 1, 0), (temper_read_options){0}, NULL, NULL);
    check_read(counted_text(20, 0, 1, 0), (temper_read_options){.ignore = "1"}, NULL, NULL);
    check_read(counted_text(20, 0, 1, 0), (temper_read_options){.ignore = "2"}, NULL, NULL);
    check_read(counted_text(20, 0, 1, 0), (temper_read_options){.categorical = "1"}, NULL, NULL);
    scratch_leave();
}

TEST(memory_may_fail)
{
    temper_error error;
    struct dataset *data = table_pattern(MATRIX_F32, 4, 1, 3);
    const temper_read_options options = {0};
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = check_label_values(data, &options, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    CHECK(fault_count() > 0);
    dataset_free(data);
}

/* A column of the rows, of each dense kind. */
static void check_outlier(const double *values, size_t rows, bool outlier, uint64_t row)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64};
    for (size_t k = 0; k < 2; k++) {
        struct dataset *data = table_make(kinds[k], rows, 1, values, NULL);
        struct outlier_value found = {0};
        if (CHECK(outlier_find(data, 0, &found) == outlier) && outlier) {
            CHECK_EQ_SIZE((size_t)found.row, (size_t)row);
            CHECK_NEAR(found.value, values[row], 0);
        }
        dataset_free(data);
    }
}

TEST(a_value_alone)
{
    static const double high[] = {1, 2, 4, 3005, 1}, low[] = {-3000, 2, 4, 2, 1};
    static const double near[] = {1, 2, 4, 3000, 1}, indicator[] = {0, 0, 0, 4096, 0};
    static const double twice[] = {1, 2, 4096, 4096, 1}, same[] = {5, 5, 5, 5, 5};
    check_outlier(high, 5, true, 3);
    check_outlier(low, 5, true, 0);
    check_outlier(near, 5, false, 0);
    check_outlier(indicator, 5, false, 0);
    check_outlier(twice, 5, false, 0);
    check_outlier(same, 5, false, 0);
    check_outlier(high, 1, false, 0);
}

TEST(rows_without_weight_do_not_count)
{
    static const double values[] = {1, 2, 4, 8192, 1}, weights[] = {1, 1, 1, 0, 1};
    struct dataset *data = table_make(MATRIX_F64, 5, 1, values, NULL);
    struct outlier_value found;
    CHECK(outlier_find(data, 0, &found));
    table_weigh(data, weights);
    CHECK(!outlier_find(data, 0, &found));
    dataset_free(data);
}

TEST_LIST(LISTED(many_classes), LISTED(names_that_are_nearly_the_same), LISTED(columns_that_count_the_rows),
          LISTED(memory_may_fail), LISTED(a_value_alone), LISTED(rows_without_weight_do_not_count))
