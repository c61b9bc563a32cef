/* What is read from a table of text, and as what. */
#include <stdlib.h>

#include "fixtures/data/csv_fixture.h"

#define DEFAULTS ((temper_read_options){0})

/* Reads a text with the options, and compares rows, feature names and class names, each written as one text. */
static void check_table(const char *text, temper_read_options options, const char *rows, const char *features,
                        const char *classes)
{
    struct dataset *data = csv_good(text, options);
    if (!data)
        return;
    CHECK_EQ_TEXT(csv_rows(data), rows);
    CHECK_EQ_TEXT(csv_joined(data->features.name, data->features.count), features);
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), classes);
    dataset_free(data);
}

/* ---- Lines and cells ------------------------------------------------------------------------- */

/* Line ends, byte order mark, blank lines and blanks around cells do not change the table. */
TEST(plain_tables)
{
    scratch_enter();
    check_table("1,2,a\n3,4,b\n", DEFAULTS, "1 2|3 4", "", "a b");
    check_table("x,y,kind\n1,2,a\n3,4,b\n", DEFAULTS, "1 2|3 4", "x y", "a b");
    check_table("1,2,a\n3,4,b", DEFAULTS, "1 2|3 4", "", "a b");       /* no last newline */
    check_table("1,2,a\r\n3,4,b\r\n", DEFAULTS, "1 2|3 4", "", "a b"); /* CRLF */
    check_table("\xef\xbb\xbf"
                "x,y,k\n1,2,a\n",
                DEFAULTS, "1 2", "x y", "a");                                       /* a BOM */
    check_table("\n \n1,2,a\n\n\r\n\t\n3,4,b\n\n", DEFAULTS, "1 2|3 4", "", "a b"); /* blank lines */
    check_table(" 1 ,\t2\t, a \n", DEFAULTS, "1 2", "", "a");                       /* blanks around cells */
    check_table("-1.5,+2e3,7\n.5,5.,1e-3\n", DEFAULTS, "-1.5 2000|0.5 5", "", "0.001 7");
    check_table("1,+1\n2,1.0\n3,-1\n", DEFAULTS, "1|2|3", "", "-1 1"); /* labels are numbers */
    scratch_leave();
}

/* Quoted cells as in RFC 4180: separators, newlines and doubled quotes belong to the text. */
TEST(quotes)
{
    scratch_enter();
    check_table("\"x,1\",\"y\"\"z\"\"\",k\n1,2,\"a\nb\"\n", DEFAULTS, "1 2", "x,1 y\"z\"", "a\nb");
    check_table("\"1\",\"2\",\"a\"\n", DEFAULTS, "1 2", "", "a");
    check_table("1, \"a, b\" \n", DEFAULTS, "1", "", "a, b");
    check_table("1,\" a \"\n", DEFAULTS, "1", "", " a ");
    check_table("1,\"\"\"\"\n", DEFAULTS, "1", "", "\"");
    scratch_leave();
}

/* The separator is inferred from the first line, outside quotes; tsv fixes it, and the note names it. */
TEST(separators)
{
    scratch_enter();
    check_table("x;y;k\n1;2;a\n", DEFAULTS, "1 2", "x y", "a");
    check_table("x\ty\tk\n1\t2\ta\n", DEFAULTS, "1 2", "x y", "a");
    check_table("\"x;1\",y,k\n1,2,a\n", DEFAULTS, "1 2", "x;1 y", "a");
    check_table("x, the first\ty\tk\n1\t2\ta b\n", (temper_read_options){.format = "tsv"}, "1 2", "x, the first y",
                "a b");
    struct dataset *data = csv_good("x;y;k\n1;2;a\n", DEFAULTS);
    CHECK(strstr(data->notes, "separator: semicolon, inferred from the first line\n") != NULL);
    CHECK_EQ_TEXT(data->file.format, "csv");
    dataset_free(data);
    data = csv_good("x\ty\tk\n1\t2\ta\n", DEFAULTS);
    CHECK(strstr(data->notes, "separator: tab, inferred from the first line\n") != NULL);
    CHECK_EQ_TEXT(data->file.format, "tsv");
    dataset_free(data);
    scratch_leave();
}

/* Each row has the line of the file that it begins on, also after a header, blank lines and newlines within quotes. */
TEST(line_numbers)
{
    scratch_enter();
    struct dataset *data = csv_good("\n\"x\n\n1\",k\n\n1,a\n2,\"b\nb\nb\"\r\n\r\n3,c\n4,\"\n\"\n5,a", DEFAULTS);
    static const uint64_t lines[] = {6, 7, 11, 12, 14};
    for (size_t i = 0; data && i < sizeof lines / sizeof *lines; i++)
        CHECK_EQ_SIZE(data->line[i], lines[i]);
    CHECK_EQ_SIZE(data->x.rows, 5);
    dataset_free(data);
    scratch_leave();
}

/* ---- Headers --------------------------------------------------------------------------------- */

/* A table has feature names exactly if its first line was taken for a header. */
static void check_header(const char *text, temper_read_options options, bool header)
{
    struct dataset *data = csv_good(text, options);
    if (data)
        CHECKF((data->features.count > 0) == header, "%s", text);
    dataset_free(data);
}

/* The rules of csv.h for headers, one case each. */
TEST(headers)
{
    scratch_enter();
    check_header("x,y\n1,a\n", DEFAULTS, true);
    check_header("1,a\n2,b\n", DEFAULTS, false);
    check_header(",x,k\n0,1,a\n", DEFAULTS, true);                           /* a column without a name */
    check_header("1,,b\n", (temper_read_options){.missing = "zero"}, false); /* one line with a number */
    check_header("NA,a\n1,b\n", (temper_read_options){.missing = "zero"}, false);
    check_header("2019,2020,label\n1,2,a\n", DEFAULTS, true); /* as write_csv ends it */
    check_header("2019,2020,kind\n1,2,a\n", (temper_read_options){.label = "kind"}, true);
    check_header("2019,2020,kind\n1,2,a\n", (temper_read_options){.header = "yes"}, true);
    check_header("1,2,a\n3,4,b\n", (temper_read_options){.label = "3"}, false);
    check_header("a,b,c\nd,e,f\n", (temper_read_options){.header = "no", .label = "none", .categorical = "all"}, true);
    check_header("x,y\n1,a\n", (temper_read_options){.header = "auto"}, true);
    scratch_leave();
}

/* What an option gives is not noted; what was inferred is. */
TEST(notes_tell_what_was_assumed)
{
    scratch_enter();
    struct dataset *data = csv_good("x,y\n1,a\n", DEFAULTS);
    CHECK_EQ_TEXT(data->notes, "header: the first line, inferred from its text; --header no if it is a row\n"
                               "label: column 'y', the last one; --label names another\n");
    dataset_free(data);
    data = csv_good("1,a\n2,b\n", DEFAULTS);
    CHECK_EQ_TEXT(data->notes, "header: none, inferred from the first lines; --header yes if there is one\n"
                               "label: column 2, the last one; --label names another\n");
    dataset_free(data);
    data = csv_good("x,y\n1,a\n", (temper_read_options){.header = "yes", .label = "y"});
    CHECK_EQ_TEXT(data->notes, "");
    dataset_free(data);
    scratch_leave();
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* The label by name, by number, by default (the last column), and none. */
TEST(label_columns)
{
    static const char text[] = "k,x,y\na,1,2\nb,3,4\n";
    scratch_enter();
    check_table(text, (temper_read_options){.label = "k"}, "1 2|3 4", "x y", "a b");
    check_table(text, (temper_read_options){.label = "1"}, "1 2|3 4", "x y", "a b");
    check_table(text, (temper_read_options){.label = "none", .ignore = "k"}, "1 2|3 4", "x y", "");
    check_table(text, (temper_read_options){.label = "k", .ignore = "2"}, "2|4", "y", "a b");
    check_table("x,k,w\n1,a,9\n", (temper_read_options){.ignore = "w"}, "1", "x", "a");
    check_table("1,x,k\n5,6,a\n", (temper_read_options){.header = "yes", .ignore = "1"}, "6", "x",
                "a"); /* a name goes before a number */
    check_table("2,x,k\n5,6,a\n", (temper_read_options){.header = "yes", .ignore = "2"}, "6", "x", "a");
    scratch_leave();
}

TEST(no_labels)
{
    scratch_enter();
    struct dataset *data = csv_good("1,2\n3,4\n", (temper_read_options){.label = "none"});
    CHECK(data->label == NULL);
    CHECK_EQ_SIZE(data->classes.count, 0);
    CHECK_EQ_TEXT(csv_rows(data), "1 2|3 4");
    dataset_free(data);
    scratch_leave();
}

/* Cells of ignored columns are not parsed; only their quotes must be valid. */
TEST(ignored_columns_hold_anything)
{
    scratch_enter();
    check_table("id,x,k\n\"q, \"\"r\",1,a\n,2,b\nnan,3,a\n", (temper_read_options){.ignore = "id"}, "1|2|3", "x",
                "a b");
    check_table("a b,c,x,k\n1,2,3,a\n", (temper_read_options){.ignore = " \"a b\" , c "}, "3", "x", "a");
    scratch_leave();
}

/* A column of weights is neither a feature nor the default label. */
TEST(weight_columns)
{
    scratch_enter();
    struct dataset *data = csv_good("x,w,k\n1,0.5,a\n2,0,b\n3,1e30,a\n", (temper_read_options){.weights = "w"});
    CHECK_EQ_TEXT(csv_rows(data), "1|2|3");
    CHECK_EQ_TEXT(csv_joined(data->features.name, data->features.count), "x");
    CHECK(data->weight[0] == 0.5 && data->weight[1] == 0 && data->weight[2] == 1e30);
    dataset_free(data);
    data = csv_good("1,a,2\n2,b,3\n", (temper_read_options){.weights = "3"});
    CHECK(data->weight[0] == 2 && data->weight[1] == 3);
    CHECK_EQ_TEXT(csv_rows(data), "1|2");
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), "a b"); /* the last other one */
    dataset_free(data);
    scratch_leave();
}

/* One 0/1 feature for each text, in order of first appearance; 7 and 7.0 are two texts. */
TEST(categories)
{
    static const char text[] = "c,x,d,k\nred,1,7,a\n\"blue\",2,7.0,b\nred,3,8,a\n";
    scratch_enter();
    check_table(text, (temper_read_options){.categorical = "c"}, "1 0 1 7|0 1 2 7|1 0 3 8", "c=red c=blue x d", "a b");
    check_table(text, (temper_read_options){.categorical = "all"}, "1 0 1 7|0 1 2 7|1 0 3 8", "c=red c=blue x d",
                "a b");
    check_table(text, (temper_read_options){.categorical = "c,d"}, "1 0 1 1 0 0|0 1 2 0 1 0|1 0 3 0 0 1",
                "c=red c=blue x d=7 d=7.0 d=8", "a b");
    check_table(text, (temper_read_options){.categorical = "d,all"}, "1 0 1 1 0 0|0 1 2 0 1 0|1 0 3 0 0 1",
                "c=red c=blue x d=7 d=7.0 d=8", "a b");
    check_table("red,1,a\nblue,2,b\n", (temper_read_options){.categorical = "1"}, "1 0 1|0 1 2", "c1=red c1=blue c2",
                "a b");
    check_table("x,c,k\n1,\"a\"\"b\",0\n", (temper_read_options){.categorical = "c"}, "1 1", "x c=a\"b", "0");
    struct dataset *data = csv_good(text, (temper_read_options){.categorical = "all"});
    CHECK(strstr(data->notes, "categorical: 1 column became 2 features\n") != NULL);
    dataset_free(data);
    scratch_leave();
}

/* The expansion has a second code path for doubles. */
TEST(categories_in_doubles)
{
    static const double expected[] = {1, 0, 0.1, 0, 1, 0.2};
    scratch_enter();
    struct dataset *data = csv_good("c,x,k\nu,0.1,a\nv,0.2,a\n", (temper_read_options){.categorical = "c", .f64 = 1});
    CHECK(data->x.kind == MATRIX_F64);
    CHECK(csv_same_bits(data->x.dense, expected, sizeof expected));
    dataset_free(data);
    scratch_leave();
}

/* ---- Missing values -------------------------------------------------------------------------- */

/* All spellings of a missing value, under each of the rules. */
TEST(missing_values)
{
    static const char text[] = "x,y,k\n1,NA,a\n,2,b\n3,?,a\nnull,6,b\n";
    scratch_enter();
    check_table(text, (temper_read_options){.missing = "zero"}, "1 0|0 2|3 0|0 6", "x y", "a b");
    check_table(text, (temper_read_options){.missing = "mean"}, "1 4|2 2|3 4|2 6", "x y", "a b");
    check_table("x,y,k\n1,2,a\n,2,b\n3,4,\n5,6,c\n", (temper_read_options){.missing = "drop"}, "1 2|5 6", "x y", "a c");
    check_table("1,a\nN/A,a\nn/a,a\nNaN,a\nnan,a\nNAN,a\nNULL,a\n\"\",a\n\"NA\",a\n",
                (temper_read_options){.missing = "drop"}, "1", "", "a");
    struct dataset *data = csv_good(text, (temper_read_options){.missing = "mean"});
    CHECK(strstr(data->notes, "missing: 4 values became the mean of their column\n") != NULL);
    dataset_free(data);
    data = csv_good(text, (temper_read_options){.missing = "zero"});
    CHECK(strstr(data->notes, "missing: 4 values became 0\n") != NULL);
    dataset_free(data);
    data = csv_good("1,a\n,b\n2,\n", (temper_read_options){.missing = "drop"});
    CHECK(strstr(data->notes, "missing: 2 of 3 rows dropped\n") != NULL);
    CHECK_EQ_SIZE(data->classes.count, 1); /* b was in a dropped row only */
    dataset_free(data);
    scratch_leave();
}

/* A missing text becomes zeros, or the frequencies of the texts; a dropped row leaves no category. */
TEST(missing_categories)
{
    static const char text[] = "c,x,k\nu,1,a\nNA,2,a\nv,3,a\nu,4,a\nu,,a\n";
    scratch_enter();
    check_table(text, (temper_read_options){.missing = "zero", .categorical = "c"}, "1 0 1|0 0 2|0 1 3|1 0 4|1 0 0",
                "c=u c=v x", "a");
    check_table(text, (temper_read_options){.missing = "mean", .categorical = "c"},
                "1 0 1|0.75 0.25 2|0 1 3|1 0 4|1 0 2.5", "c=u c=v x", "a");
    check_table("c,x,k\nw,,a\nu,1,a\n", (temper_read_options){.missing = "drop", .categorical = "c"}, "1 1", "c=u x",
                "a"); /* w was in a dropped row only */
    scratch_leave();
}

/* The sum of a column may be too large for a double; its mean is not. */
TEST(mean_of_large_values)
{
    scratch_enter();
    struct dataset *data = csv_good("1.5e308,a\n1.5e308,a\n,a\n", (temper_read_options){.missing = "mean", .f64 = 1});
    CHECK_CLOSE(((const double *)data->x.dense)[2], 1.5e308, 1e-15);
    dataset_free(data);
    scratch_leave();
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* A line longer than a chunk makes the chunk grow, and more than 65,536 columns are no special case. */
TEST(long_lines)
{
    enum { CELLS = 600000 }; /* 1.2 MB: more than a chunk, more than 65,536 columns */
    char *text = malloc(4 * CELLS + 64);
    size_t used = 0;
    scratch_enter();
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i < CELLS; i++) {
            text[used++] = (char)('0' + (i + (size_t)line) % 10);
            text[used++] = ',';
        }
        text[used++] = 'a';
        text[used++] = '\n';
    }
    text[used] = '\0';
    struct dataset *data = csv_good(text, DEFAULTS);
    CHECK_EQ_SIZE(data->x.columns, CELLS);
    CHECK_EQ_SIZE(data->x.rows, 2);
    CHECK(csv_value(data, 0, CELLS - 1) == 9 && csv_value(data, 1, CELLS - 1) == 0);
    CHECK(data->line[0] == 1 && data->line[1] == 2);
    dataset_free(data);
    free(text);
    scratch_leave();
}

/* The Covertype sample, as its README counts it. */
TEST(real_table)
{
    const char *folder = getenv("TEMPER_DATA");
    char path[1024];
    struct dataset *data = NULL;
    temper_error error;
    temper_read_options options = {0};
    snprintf(path, sizeof path, "%s/covtype/covtype.data.gz", folder ? folder : TEMPER_SOURCE_DIR "/../shared/data");
    FILE *file = fopen(path, "r");
    if (!file)
        SKIP("no covtype.data.gz in $TEMPER_DATA or ../shared/data");
    fclose(file);
    if (!CHECKF(dataset_read(path, &options, &data, &error) == TEMPER_OK, "%s", error.message))
        return;
    CHECK_EQ_SIZE(data->x.rows, 92962);
    CHECK_EQ_SIZE(data->x.columns, 54);
    CHECK_EQ_TEXT(csv_joined(data->classes.name, data->classes.count), "1 2 3 4 5 6 7");
    dataset_free(data);
}

TEST_LIST(LISTED(plain_tables), LISTED(quotes), LISTED(separators), LISTED(line_numbers), LISTED(headers),
          LISTED(notes_tell_what_was_assumed), LISTED(label_columns), LISTED(no_labels),
          LISTED(ignored_columns_hold_anything), LISTED(weight_columns), LISTED(categories),
          LISTED(categories_in_doubles), LISTED(missing_values), LISTED(missing_categories),
          LISTED(mean_of_large_values), LISTED(long_lines), LISTED(real_table))
