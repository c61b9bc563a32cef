/* Tables by the Arrow C interface: the same data as the same table in CSV, every type, slices, chunks, lists without a
 * copy; and everything is released exactly once, whatever fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_arrow.h"
#include "temper_extra.h"

enum { COLUMNS = 12, BUFFERS = 4 };

/* ---- Arrays ------------------------------------------------------------------------------------ */

/* A column, and the arrays that the interface wants. A dictionary or a list has its values in `inner`. */
struct test_column {
    const char *name, *format;
    const void *buffer[BUFFERS];
    int64_t buffers, length, nulls, offset;
    const struct test_column *dictionary, *list;
};

/* What a producer has to keep alive until it is released. */
struct test_table {
    struct ArrowSchema schema, child_schema[2 * COLUMNS], *schema_children[COLUMNS], *schema_lists[COLUMNS][1];
    struct ArrowArray array, child[2 * COLUMNS], *children[COLUMNS], *lists[COLUMNS][1];
    const void *top_buffer[1];
    size_t columns;
    int schema_released, array_released, stream_released;
    int chunks; /* of the stream, all of them this array */
    int given;
    int fails; /* at this chunk */
};

static void release_schema(struct ArrowSchema *schema)
{
    ++*(int *)schema->private_data;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    ++*(int *)array->private_data;
    array->release = NULL;
}

static void fill_child(const struct test_column *column, struct ArrowSchema *schema, struct ArrowArray *array)
{
    *schema = (struct ArrowSchema){.format = column->format, .name = column->name, .flags = ARROW_FLAG_NULLABLE};
    *array = (struct ArrowArray){.length = column->length,
                                 .null_count = column->nulls,
                                 .offset = column->offset,
                                 .n_buffers = column->buffers,
                                 .buffers = (const void **)column->buffer};
}

/* Builds the table; rows and offset are those of the struct. */
static void make_table(struct test_table *table, struct test_column *column, size_t columns, int64_t rows,
                       int64_t offset)
{
    *table = (struct test_table){.columns = columns, .chunks = 1, .fails = -1};
    for (size_t i = 0; i < columns; i++) {
        const struct test_column *inner = column[i].dictionary ? column[i].dictionary : column[i].list;
        struct ArrowSchema *schema = &table->child_schema[i], *inner_schema = &table->child_schema[COLUMNS + i];
        struct ArrowArray *array = &table->child[i], *inner_array = &table->child[COLUMNS + i];
        fill_child(&column[i], schema, array);
        if (inner)
            fill_child(inner, inner_schema, inner_array);
        if (column[i].dictionary) {
            schema->dictionary = inner_schema;
            array->dictionary = inner_array;
        } else if (inner) {
            schema->n_children = array->n_children = 1;
            table->schema_lists[i][0] = inner_schema;
            table->lists[i][0] = inner_array;
            schema->children = table->schema_lists[i];
            array->children = table->lists[i];
        }
        table->schema_children[i] = schema;
        table->children[i] = array;
    }
    table->schema = (struct ArrowSchema){.format = "+s",
                                         .name = "",
                                         .n_children = (int64_t)columns,
                                         .children = table->schema_children,
                                         .release = release_schema,
                                         .private_data = &table->schema_released};
    table->array = (struct ArrowArray){.length = rows,
                                       .offset = offset,
                                       .n_buffers = 1,
                                       .buffers = table->top_buffer,
                                       .n_children = (int64_t)columns,
                                       .children = table->children,
                                       .release = release_array,
                                       .private_data = &table->array_released};
}

/* ---- Streams ----------------------------------------------------------------------------------- */

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct test_table *table = stream->private_data;
    if (table->fails == 0)
        return 5;
    *out = table->schema;
    return 0;
}

static int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct test_table *table = stream->private_data;
    if (table->given + 1 == table->fails)
        return 5;
    if (table->given == table->chunks)
        *out = (struct ArrowArray){.release = NULL};
    else
        *out = table->array;
    table->given += table->given < table->chunks;
    return 0;
}

static const char *give_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the disk is gone";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ((struct test_table *)stream->private_data)->stream_released++;
    stream->release = NULL;
}

static struct ArrowArrayStream stream_of(struct test_table *table)
{
    return (struct ArrowArrayStream){give_schema, give_next, give_error, release_stream, table};
}

/* ---- The table of most tests ------------------------------------------------------------------- */

static const int32_t ages[] = {0, 31, 25, 0, 47, 52};
static const unsigned char age_bits[] = {0x36}; /* rows 1, 2, 4, 5 */
static const double incomes[] = {9, 1.5, 2, 2.25, 1e3, -4};
static const char letters[] = "Rome, ITUlma\"b";
static const int32_t letter_starts[] = {0, 0, 8, 11, 11, 14, 14};
static const unsigned char letter_bits[] = {0x3e};
static const unsigned char members[] = {0x2a};
static const int32_t days[] = {0, 19844, 19845, 19846, 19850, -1};
static const int64_t moments[] = {0, 86400000, 43200000, 1714564801250, 0, -1000};
static const int8_t codes[] = {0, 0, 1, 1, 0, 1};
static const char classes[] = "nono yes";
static const int64_t class_starts[] = {2, 4, 8}; /* "no", " yes" */

static const struct test_column class_texts = {
    .format = "U", .buffer = {NULL, class_starts, classes}, .buffers = 3, .length = 2};

static struct test_column mixed[] = {
    {"age", "i", {age_bits, ages}, 2, 6, 2, 0, NULL, NULL},
    {"income", "g", {NULL, incomes}, 2, 6, 0, 0, NULL, NULL},
    {"city", "u", {letter_bits, letter_starts, letters}, 3, 6, 1, 0, NULL, NULL},
    {"member", "b", {NULL, members}, 2, 6, 0, 0, NULL, NULL},
    {"day", "tdD", {NULL, days}, 2, 6, 0, 0, NULL, NULL},
    {"moment", "tsm:UTC", {NULL, moments}, 2, 6, 0, 0, NULL, NULL},
    {"kind", "c", {NULL, codes}, 2, 6, 0, 0, &class_texts, NULL},
};
enum { MIXED = sizeof mixed / sizeof *mixed };

/* The rows from the second on. */
static const char mixed_csv[] = "age,income,city,member,day,moment,kind\n"
                                "31,1.5,\"Rome, IT\",true,2024-05-01,1970-01-02,no\n"
                                "25,2.0,Ulm,false,2024-05-02,1970-01-01 12:00:00,yes\n"
                                ",2.25,,true,2024-05-03,2024-05-01 12:00:01.25,yes\n"
                                "47,1000.0,\"a\"\"b\",false,2024-05-07,1970-01-01,no\n"
                                "52,-4.0,,true,1969-12-31,1969-12-31 23:59:59,yes\n";

/* What the data holds, as CSV; freed by the caller. */
static char *written(const temper_data *data)
{
    temper_error error;
    CHECK(data && temper_data_write(data, "out.csv", NULL, &error) == TEMPER_OK);
    return strdup(data ? scratch_text("out.csv") : "");
}

static void check_released(const struct test_table *table, int arrays)
{
    CHECK_EQ_SIZE((size_t)table->schema_released, 1);
    CHECK_EQ_SIZE((size_t)table->array_released, (size_t)arrays);
}

/* Compares a table with a text. */
static void check_same(temper_data *data, const char *csv)
{
    temper_error error = {0};
    temper_data *expected = NULL;
    const temper_read_options options = {.struct_size = sizeof options, .automatic = 1};
    CHECKF(temper_data_read_memory("t.csv", csv, strlen(csv), &options, &expected, &error) == TEMPER_OK, "%s",
           error.message);
    char *found = written(data), *wanted = written(expected);
    CHECK_EQ_TEXT(found, wanted);
    free(found);
    free(wanted);
    temper_data_free(data);
    temper_data_free(expected);
}

TEST(a_slice_is_as_csv)
{
    scratch_enter();
    struct test_table table;
    temper_data *data = NULL;
    temper_error error = {0};
    make_table(&table, mixed, MIXED, 5, 1);
    CHECKF(temper_data_from_arrow(&table.schema, &table.array, NULL, &data, &error) == TEMPER_OK, "%s", error.message);
    CHECK(!table.schema.release && !table.array.release);
    check_released(&table, 1);
    CHECK_EQ_TEXT(temper_data_format(data), "arrow");
    check_same(data, mixed_csv);
    scratch_leave();
}

TEST(chunks_of_a_stream)
{
    scratch_enter();
    struct test_table table;
    temper_data *data = NULL;
    temper_error error = {0};
    char twice[2 * sizeof mixed_csv];
    make_table(&table, mixed, MIXED, 5, 1);
    table.chunks = 2;
    struct ArrowArrayStream stream = stream_of(&table);
    CHECK(temper_data_from_arrow_stream(&stream, NULL, &data, &error) == TEMPER_OK);
    CHECK(!stream.release && table.stream_released == 1);
    check_released(&table, 2);
    snprintf(twice, sizeof twice, "%s%s", mixed_csv, strchr(mixed_csv, '\n') + 1);
    check_same(data, twice);
    scratch_leave();
}

/* ---- Other types ------------------------------------------------------------------------------- */

TEST(numbers_of_every_size)
{
    static const uint8_t a[] = {1, 255};
    static const int16_t b[] = {-300, 7};
    static const uint64_t c[] = {16777217, 3};
    static const uint16_t half[] = {0x3e00, 0xc000}; /* 1.5, -2 */
    static const float f[] = {0.1f, 3e-39f};
    static const double tie[] = {1.0000000596046448, 1.0000001788139343}; /* half way between two floats */
    static const uint64_t decimal[] = {12345, 0, (uint64_t)-5, UINT64_MAX};
    static const uint64_t large[] = {0, 10ULL << 32, 1, 1}; /* 10 * 2^96 and 2^64 + 1 */
    static const int64_t label[] = {2, 1};
    struct test_column column[] = {
        {"a", "C", {NULL, a}, 2, 2, 0, 0, NULL, NULL},           {"b", "s", {NULL, b}, 2, 2, 0, 0, NULL, NULL},
        {"c", "L", {NULL, c}, 2, 2, 0, 0, NULL, NULL},           {"h", "e", {NULL, half}, 2, 2, 0, 0, NULL, NULL},
        {"f", "f", {NULL, f}, 2, 2, 0, 0, NULL, NULL},           {"t", "g", {NULL, tie}, 2, 2, 0, 0, NULL, NULL},
        {"d", "d:9,3", {NULL, decimal}, 2, 2, 0, 0, NULL, NULL}, {"k", "l", {NULL, label}, 2, 2, 0, 0, NULL, NULL},
        {"e", "d:38,0", {NULL, large}, 2, 2, 0, 0, NULL, NULL}};
    static const char csv[] = "a,b,c,h,f,t,d,k,e\n"
                              "1,-300,16777217,1.5,0.1,1.0000000596046448,12.345,2,792281625142643375935439503360\n"
                              "255,7,3,-2.0,3e-39,1.0000001788139343,-0.005,1,18446744073709551617\n";
    static const char plain[] = "a,b,c,h,f,t,k\n1,-300,16777217,1.5,0.1,1.0000000596046448,2\n"
                                "255,7,3,-2.0,3e-39,1.0000001788139343,1\n";
    scratch_enter();
    for (int copied = 0; copied < 2; copied++) { /* without the decimals all numbers are copied as they are */
        struct test_table table;
        temper_data *data = NULL;
        temper_error error = {0};
        if (copied)
            column[6] = column[7];
        make_table(&table, column, copied ? 7 : 9, 2, 0);
        CHECKF(temper_data_from_arrow(&table.schema, &table.array, NULL, &data, &error) == TEMPER_OK, "%s",
               error.message);
        check_same(data, copied ? plain : csv);
        check_released(&table, 1);
    }
    scratch_leave();
}

/* Texts as polars has them: short ones in the view, long ones in a buffer. */
TEST(views_of_texts)
{
    static const char bytes[] = "....a text of many letters";
    unsigned char view[3][16] = {{0}};
    static const int64_t lengths[] = {sizeof bytes};
    static const float x[] = {1, 2, 3};
    int32_t length = 5, where[2] = {0, 4};
    memcpy(view[0], &length, 4);
    memcpy(view[0] + 4, "short", 5);
    length = 22;
    memcpy(view[1], &length, 4);
    memcpy(view[1] + 8, where, 8);
    memcpy(view[2], view[0], 16);
    struct test_column column[] = {{"x", "f", {NULL, x}, 2, 3, 0, 0, NULL, NULL},
                                   {"k", "vu", {NULL, view, bytes, lengths}, 4, 3, 0, 0, NULL, NULL}};
    scratch_enter();
    struct test_table table;
    temper_data *data = NULL;
    temper_error error = {0};
    make_table(&table, column, 2, 3, 0);
    CHECKF(temper_data_from_arrow(&table.schema, &table.array, NULL, &data, &error) == TEMPER_OK, "%s", error.message);
    check_same(data, "x,k\n1,short\n2,a text of many letters\n3,short\n");
    scratch_leave();
}

/* ---- Lists ------------------------------------------------------------------------------------- */

static const float items[] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static const struct test_column list_items = {.format = "f", .buffer = {NULL, items}, .buffers = 2, .length = 10};
static const int16_t list_labels[] = {9, 1, 2, 1, 2};
static struct test_column lists[] = {{"x", "+w:2", {NULL}, 1, 5, 0, 0, NULL, &list_items},
                                     {"k", "s", {NULL, list_labels}, 2, 5, 0, 0, NULL, NULL}};

/* The numbers stay where they are, and so does the array, until the data is freed. */
TEST(a_list_is_borrowed)
{
    scratch_enter();
    struct test_table table;
    temper_data *data = NULL;
    temper_error error = {0};
    make_table(&table, lists, 2, 4, 1);
    CHECKF(temper_data_from_arrow(&table.schema, &table.array, NULL, &data, &error) == TEMPER_OK, "%s", error.message);
    CHECK_EQ_SIZE((size_t)table.array_released, 0);
    char *found = written(data);
    CHECK_EQ_TEXT(found, "x[0],x[1],label\n1,2,1\n3,4,2\n5,6,1\n7,8,2\n");
    free(found);
    temper_data_free(data);
    check_released(&table, 1);
    scratch_leave();
}

/* Labels of the caller, and the features of a model. */
TEST(labels_and_models)
{
    static const int labels[] = {1, 0, 1, 0};
    struct test_table table;
    temper_data *data = NULL, *other = NULL;
    temper_model *model = NULL;
    temper_error error = {0};
    temper_arrow_options options = temper_arrow_defaults();
    options.labels = labels;
    options.label_count = 4;
    make_table(&table, lists, 1, 4, 1);
    CHECK(temper_data_from_arrow(&table.schema, &table.array, &options, &data, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(temper_data_classes(data), 2);
    CHECKF(temper_train(data, NULL, &model, NULL, &error) == TEMPER_OK, "%s", error.message);
    options = temper_arrow_defaults();
    options.model = model;
    make_table(&table, lists, 2, 4, 1);
    CHECKF(temper_data_from_arrow(&table.schema, &table.array, &options, &other, &error) == TEMPER_OK, "%s",
           error.message);
    CHECK_EQ_SIZE(temper_data_features(other), 2);
    CHECK_EQ_SIZE(temper_data_rows(other), 4);
    check_released(&table, 1);
    temper_model_free(model);
    temper_data_free(data);
    temper_data_free(other);
    options.model = NULL;
    options.labels = labels;
    options.label_count = 3;
    make_table(&table, lists, 1, 4, 1);
    CHECK(temper_data_from_arrow(&table.schema, &table.array, &options, &data, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "there are 3 labels for 4 rows; give one for each");
    check_released(&table, 1);
}

/* ---- What is refused --------------------------------------------------------------------------- */

static void check_refused(struct test_table *table, const char *message)
{
    temper_data *data = NULL;
    temper_error error = {0};
    CHECK(temper_data_from_arrow(&table->schema, &table->array, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(data == NULL);
    CHECK_EQ_TEXT(error.message, message);
    check_released(table, 1);
}

TEST(refused_tables)
{
    struct test_table table;
    static const float x[] = {1, 2};
    struct test_column column[] = {{"x", "f", {NULL, x}, 2, 2, 0, 0, NULL, NULL},
                                   {"y", "+l", {NULL}, 2, 2, 0, 0, NULL, NULL}};
    make_table(&table, column, 2, 2, 0);
    check_refused(&table, "table: column 'y' is a list (Arrow format +l); leave it out, or make columns of numbers, "
                          "texts or dates of it");
    make_table(&table, column, 1, 2, 0);
    table.schema.format = "f";
    check_refused(&table, "table: an Arrow array, but no table of columns; give a record batch or a table");
    make_table(&table, column, 1, 3, 0);
    check_refused(&table, "table: the arrays are not what their schema says; report it to the program that made them");
    make_table(&table, column, 1, 2, 0);
    table.child[0].n_buffers = 1;
    check_refused(&table, "table: the arrays are not what their schema says; report it to the program that made them");
    make_table(&table, mixed, MIXED, 0, 0);
    check_refused(&table, "table: it has no rows; give some");
}

TEST(failing_streams)
{
    for (int fails = 0; fails < 3; fails++) {
        struct test_table table;
        temper_data *data = NULL;
        temper_error error = {0};
        make_table(&table, mixed, MIXED, 5, 1);
        table.fails = fails;
        table.chunks = 2;
        struct ArrowArrayStream stream = stream_of(&table);
        CHECK(temper_data_from_arrow_stream(&stream, NULL, &data, &error) == TEMPER_BAD_DATA);
        CHECK_EQ_TEXT(error.message, "table: the table cannot be read: the disk is gone");
        CHECK(table.stream_released == 1 && table.schema_released == (fails > 0));
        CHECK(table.array_released == (fails == 2 ? 1 : 0));
    }
}

/* Every allocation fails once, by each of the three ways. */
TEST(every_allocation_may_fail)
{
    static const size_t table_rows[] = {4, 3, 5};
    for (int way = 0; way < 3; way++) {
        static const float x[] = {1, 2, 5};
        struct test_column plain[] = {{"x", "f", {NULL, x}, 2, 3, 0, 0, NULL, NULL},
                                      {"k", "c", {NULL, codes + 1}, 2, 3, 0, 0, &class_texts, NULL}};
        size_t n = 1;
        for (;; n++) {
            struct test_table table;
            temper_data *data = NULL;
            temper_error error = {0};
            if (way == 2)
                make_table(&table, mixed, MIXED, 5, 1);
            else
                make_table(&table, way ? plain : lists, 2, way ? 3 : 4, way ? 0 : 1);
            fault_arm(n);
            temper_status status = temper_data_from_arrow(&table.schema, &table.array, NULL, &data, &error);
            fault_disarm();
            CHECKF(status == TEMPER_OK || status == TEMPER_NO_MEMORY, "%s", error.message);
            CHECKF(status != TEMPER_OK || temper_data_rows(data) == table_rows[way], "allocation %zu: fewer rows", n);
            temper_data_free(data);
            check_released(&table, 1);
            if (!fault_fired())
                break;
        }
        CHECK(n > 5);
    }
}

TEST_LIST(LISTED(a_slice_is_as_csv), LISTED(chunks_of_a_stream), LISTED(numbers_of_every_size), LISTED(views_of_texts),
          LISTED(a_list_is_borrowed), LISTED(labels_and_models), LISTED(refused_tables), LISTED(failing_streams),
          LISTED(every_allocation_may_fail))
