/* Data as a model needs it: tables by their schema, other formats by their features. */
#include <stdlib.h>
#include <string.h>

#include "data/schema.h"
#include "fixtures/data/csv_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

static const char training[] = "id,age,town,height,kind\n"
                               "1,30,Rome,1.5,yes\n"
                               "2,,Oslo,2.5,no\n"
                               "3,50,Rome,,yes\n"
                               "4,40,Lima,2,no\n";

static const temper_read_options as_trained = {.ignore = "id", .categorical = "town", .missing = "mean", .threads = 1};

/* The schema that reading a table leaves. */
static struct schema *schema_of(const char *table, temper_read_options options)
{
    struct dataset *data = NULL;
    struct schema *schema = NULL;
    temper_error error = {0};
    options.format = "csv";
    scratch_write("train.csv", table, strlen(table));
    if (!CHECKF(dataset_read("train.csv", &options, &data, &error) == TEMPER_OK, "%s", error.message))
        abort();
    CHECK(schema_copy(data->schema, &schema, &error) == TEMPER_OK);
    dataset_free(data);
    return schema;
}

static temper_status read_like(const struct schema *schema, const char *text, temper_read_options options,
                               struct dataset **out, temper_error *error)
{
    options.threads = 1;
    scratch_write("new.txt", text, strlen(text));
    return dataset_read_like("new.txt", &options, schema, out, error);
}

/* The rows of a new table: "1 2|3 4". */
static void check_rows(const struct schema *schema, const char *text, temper_read_options options, const char *rows)
{
    struct dataset *data = NULL;
    temper_error error = {0};
    options.format = "csv";
    if (!CHECKF(read_like(schema, text, options, &data, &error) == TEMPER_OK, "%s: %s", text, error.message))
        return;
    CHECK_EQ_TEXT(csv_rows(data), rows);
    dataset_free(data);
}

static void check_refused(const struct schema *schema, const char *text, temper_read_options options, const char *words)
{
    struct dataset *data = NULL;
    temper_error error = {0};
    if (!options.format)
        options.format = "csv";
    CHECKF(read_like(schema, text, options, &data, &error) != TEMPER_OK && !data, "%s", text);
    CHECKF(strstr(error.message, words), "'%s' is not in: %s", words, error.message);
    dataset_free(data);
}

static void check_note(const struct schema *schema, const char *text, temper_read_options options, const char *words)
{
    struct dataset *data = NULL;
    temper_error error = {0};
    if (!options.format)
        options.format = "csv";
    if (CHECKF(read_like(schema, text, options, &data, &error) == TEMPER_OK, "%s", error.message))
        CHECKF(strstr(data->notes, words), "'%s' is not in: %s", words, data->notes);
    dataset_free(data);
}

/* ---- What reading leaves --------------------------------------------------------------------- */

TEST(a_table_leaves_its_schema)
{
    scratch_enter();
    struct schema *schema = schema_of(training, as_trained);
    CHECK_EQ_SIZE(schema->columns, 3);
    CHECK_EQ_SIZE(schema->features, 5);
    CHECK_EQ_SIZE(schema->file_columns, 5);
    CHECK_EQ_SIZE(schema->label_position, 4);
    CHECK_EQ_TEXT(schema->label, "kind");
    CHECK(schema->missing == SCHEMA_MEAN);
    CHECK_EQ_TEXT(schema->column[1].name, "town");
    CHECK_EQ_TEXT(schema->column[1].texts.name[2], "Lima");
    CHECK_CLOSE(schema->column[0].fill[0], 40, 0);
    CHECK_CLOSE(schema->column[1].fill[0], 0.5, 0);
    CHECK_CLOSE(schema->column[2].fill[0], 2, 0);
    schema_free(schema);
    schema = schema_of("1,a\n2,b\n", (temper_read_options){0});
    CHECK(!schema_has_names(schema) && !schema->label && schema->label_position == 1);
    CHECK(schema->missing == SCHEMA_REFUSE && !schema->column[0].fill);
    schema_free(schema);
    scratch_leave();
}

/* Means are kept though nothing was missing in training. */
TEST(means_for_later)
{
    scratch_enter();
    struct schema *schema = schema_of("a,b\n1,x\n3,y\n", (temper_read_options){.missing = "mean"});
    check_rows(schema, "a\n7\n?\n", (temper_read_options){0}, "7|2");
    schema_free(schema);
    scratch_leave();
}

/* ---- By name --------------------------------------------------------------------------------- */

TEST(columns_by_name)
{
    static const char rows[] = "31 0 0 1 1.75|40 1 0 0 2";
    temper_read_options plain = {0}, none = {.label = "none"};
    scratch_enter();
    struct schema *schema = schema_of(training, as_trained);
    check_rows(schema, "height,kind,age,town\n1.75,no,31,Lima\nNA,no,?,Rome\n", plain, rows);
    check_rows(schema, "height,town,age\n1.75,Lima,31\n,Rome,\n", plain, rows);
    check_rows(schema, "height,town,extra,age\n1.75,Lima,text,31\n,Rome,,\n", plain, rows);
    check_rows(schema, "id,age,town,height,kind\n9,31,Lima,1.75,\n9,,Rome,,?\n", none, rows);
    check_note(schema, "height,town,extra,age\n1.75,Lima,text,31\n", plain,
               "columns: 1 ignored that the model does not use, first column 'extra'");
    check_note(schema, training, plain, "label: column 'kind'");
    /* A missing text is its shares, one never seen is zeros. */
    check_rows(schema, "age,town,height\n1,,1\n2,Paris,2\n", plain, "1 0.5 0.25 0.25 1|2 0 0 0 2");
    check_note(schema, "age,town,height\n1,Bern,1\n2,Paris,2\n", plain, "categorical: 2 texts");
    check_refused(schema, "age,height\n1,2\n", plain, "no column 'town', which");
    check_refused(schema, "x,y\n1,2\n", plain, "no columns 'age', 'town' and 'height'");
    check_refused(schema, "age,age,town,height\n1,2,Rome,3\n", plain, "several columns");
    check_refused(schema, "height,town,age\n1,Rome,2\n", (temper_read_options){.ignore = "age"},
                  "the model needs column 'age'");
    schema_free(schema);
    scratch_leave();
}

TEST(labels_come_along)
{
    struct dataset *data = NULL;
    temper_error error = {0};
    scratch_enter();
    struct schema *schema = schema_of(training, as_trained);
    CHECK(read_like(schema, "kind,age,town,height\nno,1,Rome,2\nyes,2,Rome,3\n", (temper_read_options){.format = "csv"},
                    &data, &error) == TEMPER_OK);
    if (CHECK(data && data->label && data->classes.count == 2))
        CHECK_EQ_TEXT(data->classes.name[data->label[1]], "yes");
    CHECK(data && data->features.count == 5 && data->schema);
    dataset_free(data);
    data = NULL;
    CHECK(read_like(schema, "age,town,height\n1,Rome,2\n", (temper_read_options){.format = "csv"}, &data, &error) ==
          TEMPER_OK);
    CHECK(data && !data->label);
    dataset_free(data);
    schema_free(schema);
    scratch_leave();
}

/* A table may be read again though two of its columns have one name. */
TEST(the_same_table_needs_no_search)
{
    static const char twice[] = "a,a,b\n1,2,x\n3,4,y\n";
    scratch_enter();
    struct schema *schema = schema_of(twice, (temper_read_options){0});
    check_rows(schema, twice, (temper_read_options){0}, "1 2|3 4");
    schema_free(schema);
    scratch_leave();
}

/* ---- By position ----------------------------------------------------------------------------- */

TEST(columns_by_position)
{
    static const char rows[] = "5 6|7 8";
    temper_read_options plain = {0};
    scratch_enter();
    struct schema *schema = schema_of("x,1,2\ny,3,4\n", (temper_read_options){.label = "1"});
    check_rows(schema, "y,5,6\nx,7,8\n", plain, rows);
    check_rows(schema, "5,6\n7,8\n", plain, rows);
    check_rows(schema, "a,b\n5,6\n7,8\n", plain, rows); /* names mean nothing to it */
    check_refused(schema, "5\n7\n", plain, "uses 2 of them");
    check_refused(schema, "5,6,7,8\n", plain, "uses 2 of them");
    schema_free(schema);
    schema = schema_of("9,1,2,x\n9,3,4,y\n", (temper_read_options){.ignore = "1"});
    check_rows(schema, "0,5,6,x\n0,7,8,x\n", plain, rows);
    check_rows(schema, "5,6\n7,8\n", plain, rows);
    check_rows(schema, "0,5,6\n0,7,8\n", (temper_read_options){.ignore = "1"}, rows);
    check_refused(schema, "0,5,6\n0,7,8\n", plain, "3 columns"); /* which of them is left out? */
    schema_free(schema);
    scratch_leave();
}

/* ---- Missing values -------------------------------------------------------------------------- */

TEST(missing_values)
{
    temper_read_options plain = {0}, zero = {.missing = "zero"}, drop = {.missing = "drop"};
    scratch_enter();
    struct schema *schema = schema_of("a,b,c\n1,2,x\n3,4,y\n", plain);
    check_refused(schema, "a,b\n5,\n", plain, "no value in column 'b'");
    check_refused(schema, "a,b\n5,\n", (temper_read_options){.missing = "mean"}, "keeps no means");
    check_rows(schema, "a,b\n5,\n", zero, "5 0");
    check_rows(schema, "a,b\n5,\n6,7\n", drop, "6 7");
    schema_free(schema);
    schema = schema_of("a,b,c\n1,,x\n3,4,y\n", zero);
    check_rows(schema, "a,b\n,6\n", plain, "0 6");
    schema_free(schema);
    schema = schema_of("a,b,c\n1,,x\n3,4,y\n", drop);
    check_refused(schema, "a,b\n5,\n", plain, "no value in column 'b'");
    schema_free(schema);
    scratch_leave();
}

/* ---- Other formats --------------------------------------------------------------------------- */

TEST(sparse_rows_are_cut_or_widened)
{
    struct schema *schema = NULL; /* of a model that has a number of features, and no names */
    struct dataset *data = NULL;
    temper_error error = {0};
    CHECK(schema_plain(3, &(struct names){0}, &schema, &error) == TEMPER_OK);
    temper_read_options plain = {.format = "libsvm"};
    static const char wide[] = "1:1 3:3 4:4\n2:2\n5:5 9:9\n", narrow[] = "1 1:1\n0 2:2\n";
    scratch_enter();
    scratch_write("new.txt", wide, strlen(wide));
    CHECK(dataset_read_like("new.txt", &plain, schema, &data, &error) == TEMPER_OK);
    if (CHECK(data && data->x.columns == 3 && data->x.nonzeros == 3 && data->x.row_start[3] == 3))
        CHECKF(strstr(data->notes, "3 entries ignored, of features beyond the model's 3 (up to 9)"), "%s", data->notes);
    CHECK(data && !data->label);
    dataset_free(data);
    data = NULL;
    scratch_write("new.txt", narrow, strlen(narrow));
    CHECK(dataset_read_like("new.txt", &plain, schema, &data, &error) == TEMPER_OK);
    CHECK(data && data->x.columns == 3 && data->x.nonzeros == 2 && data->label);
    dataset_free(data);
    schema_free(schema);
    scratch_leave();
}

/* A model of numbers alone takes tables of d columns, and of one more for the label. */
TEST(tables_for_a_model_without_schema)
{
    struct names names = {0};
    struct schema *schema = NULL;
    temper_error error = {0};
    scratch_enter();
    CHECK(schema_plain(2, &names, &schema, &error) == TEMPER_OK);
    check_rows(schema, "5,6\n", (temper_read_options){0}, "5 6");
    check_rows(schema, "5,6,a\n", (temper_read_options){0}, "5 6");
    check_refused(schema, "5\n", (temper_read_options){0}, "1 column without");
    schema_free(schema);
    char *two[] = {(char[]){"b"}, (char[]){"a"}};
    names = (struct names){two, 2};
    CHECK(schema_plain(2, &names, &schema, &error) == TEMPER_OK);
    check_rows(schema, "a,label,b\n5,x,6\n", (temper_read_options){0}, "6 5");
    schema_free(schema);
    scratch_leave();
}

TEST(dense_rows_must_fit)
{
    struct schema *schema = NULL; /* of a model that has a number of features, and no names */
    struct dataset *data = NULL;
    temper_error error = {0};
    CHECK(schema_plain(3, &(struct names){0}, &schema, &error) == TEMPER_OK);
    static const char npy[] = "\x93NUMPY\x01\x00\x46\x00"
                              "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }"
                              "          \n\x01\x02";
    temper_read_options plain = {0};
    scratch_enter();
    scratch_write("new.npy", npy, sizeof npy - 1);
    CHECK(dataset_read_like("new.npy", &plain, schema, &data, &error) == TEMPER_BAD_DATA && !data);
    CHECKF(strstr(error.message, "2 features, and the model was trained on 3"), "%s", error.message);
    schema_free(schema);
    scratch_leave();
}

TEST(memory_runs_out)
{
    static const char table[] = "height,town,more,age\n1.75,Lima,x,31\n,Paris,y,\n";
    temper_error error = {0};
    scratch_enter();
    struct schema *schema = schema_of(training, as_trained);
    for (size_t n = 1;; n++) {
        struct dataset *data = NULL;
        temper_read_options options = {.format = "csv", .threads = 1};
        scratch_write("new.txt", table, strlen(table));
        fault_arm(n);
        temper_status status = dataset_read_like("new.txt", &options, schema, &data, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK);
            dataset_free(data);
            break;
        }
        /* What cannot be given back does no harm. */
        CHECKF(status == (data ? TEMPER_OK : TEMPER_NO_MEMORY), "%zu: %s", n, error.message);
        dataset_free(data);
    }
    for (size_t n = 1;; n++) {
        struct dataset *data = NULL;
        temper_read_options options = as_trained;
        options.format = "csv";
        fault_arm(n);
        temper_status status = dataset_read("train.csv", &options, &data, &error);
        fault_disarm();
        CHECK(!fault_fired() || status == (data ? TEMPER_OK : TEMPER_NO_MEMORY));
        dataset_free(data);
        if (!fault_fired())
            break;
    }
    schema_free(schema);
    scratch_leave();
}

/* Data that is no table and has names: another name in any place is refused, with that place. */
TEST(names_of_features_must_agree)
{
    char *trained[] = {(char[]){"a"}, (char[]){"b"}}, *other[] = {(char[]){"a"}, (char[]){"c"}};
    struct names names = {trained, 2};
    struct schema *schema = NULL;
    temper_error error = {0};
    CHECK(schema_plain(2, &names, &schema, &error) == TEMPER_OK);
    struct dataset data = {.x = {.kind = MATRIX_F32, .columns = 2}, .features = {trained, 2}};
    CHECKF(schema_fit(schema, &data, &error) == TEMPER_OK, "%s", error.message);
    data.features.name = other;
    CHECK(schema_fit(schema, &data, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "feature 2 is 'c', and that of the model is 'b'"), "%s", error.message);
    schema_free(schema);
}

TEST_LIST(LISTED(a_table_leaves_its_schema), LISTED(means_for_later), LISTED(columns_by_name),
          LISTED(labels_come_along), LISTED(the_same_table_needs_no_search), LISTED(columns_by_position),
          LISTED(missing_values), LISTED(sparse_rows_are_cut_or_widened), LISTED(tables_for_a_model_without_schema),
          LISTED(dense_rows_must_fit), LISTED(memory_runs_out), LISTED(names_of_features_must_agree))
