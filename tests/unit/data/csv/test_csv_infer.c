/* Tables as people have them: what is inferred about their columns, and that a model applies the same to other tables.
 */
#include <stdlib.h>

#include "data/csv/csv.h"
#include "data/schema.h"
#include "fixtures/data/csv_fixture.h"
#include "fixtures/fault_injection.h"
#include <string.h>

#define AUTOMATIC ((temper_read_options){.automatic = 1})

/* Reads a text, and compares rows, feature names and class names. */
static void check_table(const char *text, temper_read_options options, const char *rows, const char *features,
                        const char *classes)
{
    struct dataset *data = csv_good(text, options);
    CHECK_EQ_TEXT(csv_rows(data), rows);
    CHECK_EQ_TEXT(csv_joined(data->features.name, data->features.count), features);
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), classes);
    dataset_free(data);
}

static void check_refused(const char *text, temper_read_options options, const char *part)
{
    temper_error error;
    struct dataset *data = csv_bytes(text, strlen(text), options, &error);
    CHECKF(data == NULL && strstr(error.message, part), "%s", error.message);
    dataset_free(data);
}

/* A table of plain numbers has the schema, and so the model, that it has without inference. */
TEST(plain_numbers_are_as_before)
{
    scratch_enter();
    static const char text[] = "x,y,k\n1,2,a\n3,4,b\n5,6,a\n";
    struct dataset *strict = csv_good(text, (temper_read_options){0}), *data = csv_good(text, AUTOMATIC);
    CHECK(!data->schema->automatic && data->schema->missing == SCHEMA_REFUSE && !data->schema->column[0].fill);
    CHECK_EQ_TEXT(data->notes, strict->notes);
    CHECK(csv_same_bits(data->x.dense, strict->x.dense, 6 * sizeof(float)));
    dataset_free(strict);
    dataset_free(data);
    char longer[2000] = "index,y,k\n"; /* a name of identifiers, but values that recur */
    for (int i = 0; i < 40; i++)
        snprintf(longer + strlen(longer), sizeof longer - strlen(longer), "%d,%d,%c\n", i % 7, i * 3 % 11, 'a' + i % 2);
    data = csv_good(longer, AUTOMATIC);
    CHECK(!data->schema->automatic && data->schema->missing == SCHEMA_REFUSE && data->x.columns == 2);
    dataset_free(data);
    scratch_leave();
}

TEST(kinds)
{
    scratch_enter();
    check_table("x,c,k\n1,red,a\n2,blue,b\n3,red,a\n", AUTOMATIC, "1 1 0|2 0 1|3 1 0", "x c=red c=blue", "a b");
    check_table("x,c,k\n1,yes,a\n2,NO,b\n3,Yes,a\n", AUTOMATIC, "1 1|2 0|3 1", "x c", "a b");
    check_table("x;y;k\n1,5;2;a\n2,25;3;b\n", AUTOMATIC, "1.5 2|2.25 3", "x y", "a b");
    check_table("x,y,k\n\"1,200\",5%,a\n950,$7,b\n", AUTOMATIC, "1200 5|950 7", "x y", "a b");
    check_table("d,k\n2024-05-01,a\n2024-05-02,b\n", AUTOMATIC, "19844 5 2|19845 5 3", "d:days d:month d:weekday",
                "a b");
    check_table("t,k\n18:30,a\n06:00,b\n", AUTOMATIC, "18.5|6", "t:hour", "a b");
    check_table("x,y,k\n1,None,a\n2,4,b\n,6,a\n", AUTOMATIC, "1 0 5 1|2 0 4 0|1.5 1 6 0", "x x:missing y y:missing",
                "a b");
    scratch_leave();
}

/* Which order dates have, which mark decimals: by the cells, or by the option. */
TEST(options_decide)
{
    scratch_enter();
    check_table("d,k\n25/1/2024,a\n1/2/2024,b\n", AUTOMATIC, "19747 1 3|19754 2 3", "d:days d:month d:weekday", "a b");
    check_table("d,k\n1/2/2024,a\n1/3/2024,b\n", (temper_read_options){.automatic = 1, .date = "dmy"},
                "19754 2 3|19783 3 4", "d:days d:month d:weekday", "a b");
    check_table("x|k\n1,234|a\n2,345|b\n", AUTOMATIC, "1234|2345", "x", "a b");
    check_table("x|k\n1,234|a\n2,345|b\n", (temper_read_options){.automatic = 1, .decimal = ","}, "1.234|2.345", "x",
                "a b");
    check_table("x,y,k\n1,-9,a\n2,4,b\n3,8,a\n", (temper_read_options){.automatic = 1, .na = "-9"}, "1 6 1|2 4 0|3 8 0",
                "x y y:missing", "a b");
    check_table("x y  k\n1 2 a\n  3   4 b \n", AUTOMATIC, "1 2|3 4", "x y", "a b");
    check_table("x,y,k\n1,2,a\n", (temper_read_options){.automatic = 1, .separator = ","}, "1 2", "x y", "a");
    check_refused("x,k\n1,a\n", (temper_read_options){.automatic = 1, .separator = "."}, "--sep is none of");
    check_refused("x,k\nq,a\n", (temper_read_options){.automatic = 1, .decimal = ";"}, "--decimal is neither");
    check_refused("x,k\nq,a\n", (temper_read_options){.automatic = 1, .date = "my"}, "--date is none of");
    scratch_leave();
}

/* Rows without a label are dropped and counted, also where everything else is plain; a class may be named none. */
TEST(rows_without_a_label)
{
    scratch_enter();
    struct dataset *data = csv_good("x,k\n1,a\n2,\n3,b\n4,none\n", AUTOMATIC);
    CHECK_EQ_SIZE(data->x.rows, 3);
    CHECK_EQ_SIZE(data->file.missing_dropped, 1);
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), "a b none");
    CHECK(strstr(data->notes, "1 of 4 rows dropped, which have no label") != NULL);
    dataset_free(data);
    scratch_leave();
}

/* One odd cell in a column of numbers is a gap with its place, not hundreds of categories. */
TEST(odd_cells)
{
    scratch_enter();
    char text[4000] = "x,y,k\n";
    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), i == 7 ? "abc,%d.5,%c\n" : "%d.25,1.5,%c\n", i * 3,
                 i % 2 ? 'a' : 'b');
    struct dataset *data = csv_good(text, AUTOMATIC);
    CHECK_EQ_SIZE(data->x.columns, 2);
    CHECK(strstr(data->notes, "warning: 1 cell does not fit its column and became a gap: 'abc' in column 'x' (9:1)"));
    dataset_free(data);
    scratch_leave();
}

/* The table of R's write.csv: counts of rows without a name, texts beside; identifiers and names are left out. */
TEST(left_out)
{
    scratch_enter();
    char text[4000] = "\"\",\"id\",\"who\",\"c\",\"k\"\n";
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\"%d\",%d,\"person %d\",%s,%s\n", i + 1,
                 7919 * i + 3, i, i % 3 ? "u" : "v", i % 2 ? "a" : "b");
    struct dataset *data = csv_good(text, AUTOMATIC);
    CHECK_EQ_TEXT(csv_joined(data->features.name, data->features.count), "c=v c=u");
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), "b a");
    CHECK(strstr(data->notes, "counts the rows") &&
          strstr(data->notes, "identifies the rows (--strict uses it): 'id'"));
    CHECK(strstr(data->notes, "nearly every row (--text or --categorical NAME uses it): 'who'"));
    dataset_free(data);
    scratch_leave();
}

/* Texts alone: their words are the features. */
TEST(words_of_texts)
{
    scratch_enter();
    char text[6000] = "review,k\n";
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "it was %s indeed number %d,%s\n",
                 i % 2 ? "good and fine" : "bad and dull", i, i % 2 ? "a" : "b");
    struct dataset *data = csv_good(text, AUTOMATIC);
    CHECK_EQ_SIZE(data->x.columns, TEXT_FEATURES);
    CHECK_EQ_TEXT(data->features.name[0], "review:word1");
    dataset_free(data);
    scratch_leave();
}

/* ---- Headers, lines and names ---------------------------------------------------------------- */

TEST(headers_of_texts)
{
    scratch_enter();
    char text[2000] = "colour,size,kind\n";
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s,%s,%s\n", i % 2 ? "red" : "blue",
                 i % 3 ? "big" : "small", i % 5 ? "a" : "b");
    struct dataset *data = csv_good(text, AUTOMATIC);
    CHECK_EQ_SIZE(data->x.rows, 20);
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), "b a");
    dataset_free(data);
    data = csv_good(strchr(text, '\n') + 1, AUTOMATIC); /* the same without the header */
    CHECK_EQ_SIZE(data->x.rows, 20);
    CHECK(!data->file.header);
    dataset_free(data);
    check_refused("a,b\nc,d\n", AUTOMATIC, "pass --header yes or --header no");
    scratch_leave();
}

TEST(lines_before_the_table)
{
    scratch_enter();
    struct dataset *data = csv_good("Results of 2024\n\nx,y,k\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n", AUTOMATIC);
    CHECK_EQ_TEXT(csv_rows(data), "1 2|3 4|5 6|7 8");
    CHECK_EQ_SIZE(data->line[0], 4);
    CHECK_EQ_SIZE(data->file.skipped_lines, 1);
    dataset_free(data);
    data = csv_good("a,b,c\nx,y,k\n1,2,a\n3,4,b\n", (temper_read_options){.automatic = 1, .skip = 1});
    CHECK_EQ_TEXT(csv_rows(data), "1 2|3 4");
    CHECK_EQ_SIZE(data->line[0], 3);
    dataset_free(data);
    check_table("x y k\n1 1.5 2 a\n2 3.5 4 b\n", AUTOMATIC, "1 1.5 2|2 3.5 4", " x y", "a b"); /* write.table of R */
    scratch_leave();
}

TEST(names)
{
    scratch_enter();
    check_refused("x,x,k\n1,2,a\n", AUTOMATIC, "columns 1 and 2 are both named 'x'");
    check_table("class,x,y\na,1,2\nb,3,4\n", AUTOMATIC, "1 2|3 4", "x y", "a b"); /* the label by its name */
    scratch_leave();
}

TEST(encodings)
{
    scratch_enter();
    temper_error error;
    static const char wide[] = "\xff\xfex\0,\0k\0\n\0001\0,\0\xe4\0\n\0002\0,\0b\0\n\0";
    struct dataset *data = csv_bytes(wide, sizeof wide - 1, AUTOMATIC, &error);
    CHECKF(data != NULL, "%s", error.message);
    if (data)
        CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), "\xc3\xa4 b");
    dataset_free(data);
    check_table("x,k\n1,\xe4\n2,b\n", AUTOMATIC, "1|2", "x", "\xc3\xa4 b");
    check_table("x,k\r1,a\r2,b\r", AUTOMATIC, "1|2", "x", "a b");
    check_refused("x,k\n1,a\n", (temper_read_options){.encoding = "ebcdic"}, "--encoding is none of");
    scratch_leave();
}

/* ---- Other tables, as a model reads them ------------------------------------------------------- */

/* Reads another table by the schema of the first, whole. */
static struct dataset *read_like(const char *text, const struct schema *schema)
{
    struct dataset *data = NULL;
    temper_error error;
    const temper_read_options options = {.automatic = 1, .format = "csv", .label = "none"};
    scratch_write("new.csv", text, strlen(text));
    CHECKF(dataset_read_like("new.csv", &options, schema, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

/* Columns in another order; gaps, odd cells, unknown categories, and notations as in training. */
TEST(the_schema_applies_alike)
{
    scratch_enter();
    struct dataset *data = csv_good("x,c,d,p,ok,k\n1,red,2024-05-01,\"1,000\",yes,a\n3,blue,2024-05-03,\"2,000\",no,b\n"
                                    "None,,,,,a\n",
                                    AUTOMATIC);
    CHECK_EQ_TEXT(csv_joined(data->features.name, data->features.count),
                  "x x:missing c=red c=blue c:missing d:days d:month d:weekday d:missing p p:missing ok ok:missing");
    struct dataset *same = read_like("ok,p,d,c,x\nYES,\"3,500\",1 May 2024,green,what\n,,,red,7\n", data->schema);
    if (same) {
        CHECK_EQ_TEXT(csv_rows(same), "2 1 0 0 0 19844 5 2 0 3500 0 1 0|7 0 1 0 0 19845 5 3 1 1500 1 0.5 1");
        CHECK(strstr(same->notes, "'what' in column 'x' (2:"));
    }
    dataset_free(same);
    dataset_free(data);
    scratch_leave();
}

/* ---- Failures ---------------------------------------------------------------------------------- */

/* Every allocation that fails is reported as such, and nothing is left. */
TEST(no_memory)
{
    static const char text[] = "colour,day,price,t,kind\nred,2024-05-01,$5,yes,a\nblue,2024-05-02,$6,no,b\n"
                               "red,None,$7,no,a\nred,2024-05-03,x,no,a\nblue,2024-05-03,$4,yes,a\n";
    scratch_enter();
    for (size_t n = 1;; n++) {
        temper_error error;
        struct dataset *data = NULL;
        const temper_read_options options = {.automatic = 1, .format = "csv", .threads = 1, .na = "x,-1"};
        scratch_write("t.csv", text, strlen(text));
        fault_arm(n);
        temper_status status = dataset_read("t.csv", &options, &data, &error);
        fault_disarm();
        bool fired = fault_fired();
        CHECKF(status == (data ? TEMPER_OK : TEMPER_NO_MEMORY), "%zu: %s", n, error.message);
        dataset_free(data);
        if (!fired)
            break;
    }
    scratch_leave();
}

/* Lines of dashes, as databases draw them, among the three first; a single dash, or three, may be a cell. */
TEST(rulers)
{
    static const struct {
        const char *text;
        uint64_t line;
    } cases[] = {{"a|b\n----+----\n1|2\n", 2}, {"+-----+\n|a|\n", 1},   {"a b\n1 2\n---- ---\n", 3},
                 {"a,b\n-,-\n---,---\n", 0},   {"a\n1\n2\n-----\n", 0}, {"a,b\n----x\n", 0},
                 {"a,b\n++++\n", 0},           {"a|b\n--- ----\r\n", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECKF(csv_ruler_line(cases[i].text, cases[i].text + strlen(cases[i].text)) == cases[i].line, "%s",
               cases[i].text);
}

/* Lines before the table are counted, and the table begins behind them; without any it begins at the beginning. */
TEST(a_table_without_a_preamble_begins_at_once)
{
    static const char *const texts[] = {"1,2,3\n4,5,6\n7,8,9\n", "some words\n1,2,3\n4,5,6\n7,8,9\n", "a\nb\n"};
    struct csv_format format = {0};
    csv_format_set(&format, ',');
    for (size_t i = 0; i < 3; i++) {
        const char *next = NULL;
        CHECK_EQ_SIZE((size_t)csv_count_preamble(&format, texts[i], texts[i] + strlen(texts[i]), &next), i == 1);
        CHECK(next == texts[i] + (i == 1 ? strlen("some words\n") : 0));
    }
}

TEST_LIST(LISTED(plain_numbers_are_as_before), LISTED(kinds), LISTED(options_decide), LISTED(rows_without_a_label),
          LISTED(odd_cells), LISTED(left_out), LISTED(words_of_texts), LISTED(headers_of_texts),
          LISTED(lines_before_the_table), LISTED(names), LISTED(encodings), LISTED(the_schema_applies_alike),
          LISTED(no_memory), LISTED(rulers), LISTED(a_table_without_a_preamble_begins_at_once))
