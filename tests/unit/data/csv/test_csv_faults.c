/* Every bad table is answered: where, what, and what to do. */
#include "fixtures/data/csv_fixture.h"

/* A table that must be refused, and the whole message. */
struct bad {
    const char *text;
    temper_read_options options;
    const char *message;
};

/* The message is compared in full: place, cause and remedy. */
static void check_bad(const struct bad *bad, size_t threads)
{
    temper_error error;
    temper_read_options options = bad->options;
    options.threads = threads;
    struct dataset *data = csv_bytes(bad->text, strlen(bad->text), options, &error);
    CHECKF(data == NULL, "%s", bad->message);
    CHECK_EQ_TEXT(error.message, bad->message);
    dataset_free(data);
}

/* Every table is refused with the same message by one thread and by three. */
static void check_list(const struct bad *list, size_t count)
{
    scratch_enter();
    for (size_t i = 0; i < count; i++) {
        check_bad(&list[i], 1);
        check_bad(&list[i], 3);
    }
    scratch_leave();
}

#define CHECK_LIST(list) check_list(list, sizeof(list) / sizeof *(list))

/* No rows: an empty file, blank lines, or a header alone. */
TEST(empty_files)
{
    static const struct bad list[] = {
        {"", {0}, "t.csv: no rows, it is empty or blank; give a file with rows"},
        {"\n\r\n \t\n", {0}, "t.csv: no rows, it is empty or blank; give a file with rows"},
        {"\xef\xbb\xbf", {0}, "t.csv: no rows, it is empty or blank; give a file with rows"},
        {"x,y,k\n", {0}, "t.csv: a header and no rows; add rows, or pass --header no if the line is one"},
        {"x,y,k", {.header = "yes"}, "t.csv: a header and no rows; add rows, or pass --header no if the line is one"},
        {",1,a\n2,,b\n", {.missing = "drop"}, "t.csv: every row has a missing value; pass --missing zero or mean"},
        {"1\n2\n",
         {0},
         "t.csv: no column is left for features; pass another --label or --ignore, or --format if this is not CSV"},
    };
    CHECK_LIST(list);
}

/* Quotes, carriage returns and numbers of fields that are wrong, with line and column. */
TEST(broken_lines)
{
    static const struct bad list[] = {
        {"1,2,a\n\n3,b\n", {0}, "t.csv:3:4: expected 3 fields, found 2; correct the line or remove it"},
        {"1,2,a\n3,4,b,c\n", {0}, "t.csv:2:7: expected 3 fields, found 4; correct the line or remove it"},
        {"1,2,a\n3,4,b\n5,6",
         {0},
         "t.csv:3:4: expected 3 fields, found 2; the file seems cut off: complete the last line or "
         "remove it"},
        {"x,y,k\n1,a\n", {0}, "t.csv:2:4: expected 3 fields, found 2; correct the line or remove it"},
        {"1,2,a\n3,\"4,b\n5,6,c\n",
         {0},
         "t.csv:2:3: the quote that opens here is never closed; close it, or double it and quote "
         "the "
         "cell"},
        {"\n\"x,y,k\n1,2,a\n",
         {0},
         "t.csv:2:1: the quote that opens here is never closed; close it, or double it and quote "
         "the "
         "cell"},
        {"1,a\n2,b\"c\n", {0}, "t.csv:2:4: a quote inside a cell; put the cell in quotes and double the quote"},
        {"1,a\n2,\"b\"c\n", {0}, "t.csv:2:6: text after a closing quote; double the quote if it belongs to the cell"},
        {"1,a\n2,\"b\nb\" \"c\n",
         {0},
         "t.csv:3:4: text after a closing quote; double the quote if it belongs to the cell"},
        {"1,a\r2,b\r3,c\n",
         {0},
         "t.csv:1:4: a carriage return inside a line; end lines by \\n or \\r\\n, or quote the "
         "cell"},
        {"x,k\n\"1\n\",a\n2,b\n",
         {.header = "yes"},
         "t.csv:2:2: text '1\\x0a' in column 'x'; pass --label x if it is the label, --categorical "
         "x "
         "for a 0/1 feature of each text, or --ignore x"},
    };
    CHECK_LIST(list);
}

/* NUL bytes need explicit lengths, and so are not part of the lists. */
TEST(nul_bytes)
{
    static const char *const texts[] = {"1,a\n2\0,b\n", "1,a\n2,b\0\n", "1,a\n2,\"b\0\"\n"};
    static const size_t lengths[] = {9, 9, 11};
    static const char *const places[] = {"t.csv:2:2: ", "t.csv:2:4: ", "t.csv:2:5: "};
    scratch_enter();
    for (size_t i = 0; i < 3; i++) {
        temper_error error;
        struct dataset *data = csv_bytes(texts[i], lengths[i], (temper_read_options){0}, &error);
        CHECK(data == NULL);
        CHECKF(strncmp(error.message, places[i], strlen(places[i])) == 0, "%s", error.message);
        CHECK_EQ_TEXT(error.message + strlen(places[i]),
                      "a NUL byte; convert the file to plain text, from UTF-16 perhaps");
        dataset_free(data);
    }
    scratch_leave();
}

/* Text where a number is expected; the remedy depends on the row, the header and the notation. */
TEST(features)
{
    static const struct bad list[] = {
        {"x,y,k\n1,2,a\n3,blue,b\n",
         {0},
         "t.csv:3:3: text 'blue' in column 'y'; if it is a column of numbers, correct the "
         "cell, or empty it and pass --missing; else pass --categorical y for a 0/1 feature of "
         "each "
         "text, "
         "or --ignore y"},
        {"the x,k\n1,2\nred,2\n",
         {0},
         "t.csv:3:1: text 'red' in column 'the x'; if it is a column of numbers, correct the "
         "cell, or empty it and pass --missing; else pass --categorical 1 for a 0/1 feature of "
         "each "
         "text, or --ignore 1"},
        {"x,x,k\n1,1,2\n1,red,2\n",
         {0},
         "t.csv:3:3: text 'red' in column 'x'; if it is a column of numbers, correct the "
         "cell, or empty it and pass --missing; else pass --categorical 2 for a 0/1 feature of "
         "each "
         "text, "
         "or --ignore 2"},
        {"1,a\n1,a\nx y,b\n",
         {0},
         "t.csv:3:1: text 'x y' in column 1; if it is a column of numbers, correct the "
         "cell, or empty it and pass --missing; else pass --categorical 1 for a 0/1 feature of "
         "each text, "
         "or "
         "--ignore 1"},
        {"1,x,a\n2,3,b\n",
         {0},
         "t.csv:1:3: text 'x' in column 2; pass --header yes if this is a header, or --label 2 if "
         "it is the label, --categorical 2, or --ignore 2"},
        {"1,a\n0x10,b\n",
         {0},
         "t.csv:2:1: text '0x10' in column 1; if it is a column of numbers, correct the "
         "cell, or empty it and pass --missing; else pass --categorical 1 for a 0/1 feature of "
         "each text, "
         "or "
         "--ignore 1"},
        {"1,a\n1\x01,b\n",
         {0},
         "t.csv:2:1: text '1\\x01' in column 1; if it is a column of numbers, correct the "
         "cell, or empty it and pass --missing; else pass --categorical 1 for a 0/1 feature of "
         "each "
         "text, "
         "or --ignore 1"},
        {"1,a\nabcdefghijklmnopqrstuvwxyz,b\n",
         {0},
         "t.csv:2:1: text 'abcdefghijklmnopqrst...' in column 1; if it is a column of numbers, "
         "correct the "
         "cell, or empty it and pass --missing; else pass --categorical 1 for a 0/1 "
         "feature of each text, or --ignore 1"},
    };
    CHECK_LIST(list);
}

/* All columns of text at once, those of later rows too, and none that has another role. */
TEST(several_texts)
{
    static const struct bad list[] = {
        {"name,x,home town,on,id,k\nann,1,,2,i7,a\n\nbob,2,Bonn,2020-01-01,i8,b\n",
         {.ignore = "id"},
         "t.csv:2:1: text in columns name, 3 ('home town'), on; pass --label NAME if one is the "
         "label, --categorical NAMES for a 0/1 feature of each text where these are few, and "
         "--ignore NAMES for the others; to leave all out: --ignore name,3,on"},
        {"name,x,x,k\n1,1,b,a\n2,c,d,b\n3,\"e,b\n",
         {0},
         "t.csv:2:5: text in columns 2 ('x'), 3 ('x'); pass --label NAME if one is the label, "
         "--categorical NAMES for a 0/1 feature "
         "of each text where these are few, and --ignore NAMES for the others; to leave all out: "
         "--ignore 2,3"},
        {"1,x,y,a\n2,x,y,b\n",
         {0},
         "t.csv:1:3: text in columns 2, 3; pass --header yes if this is a header, or --label NAME "
         "if one is the label, --categorical NAMES for a 0/1 feature of each text, and --ignore "
         "NAMES for the others; to leave all out: --ignore 2,3"},
        {"a_long_name_of_a_column,b_long_name_of_a_column,c_long_name_of_a_column,d,x,k\n"
         "a,b,c,d,1,y\n",
         {.label = "k"},
         "t.csv:2:1: text in columns a_long_name_of_a_column, b_long_name_of_a_column, "
         "c_long_name_of_a_column, ...; pass --categorical NAMES for a 0/1 feature of each text "
         "where these are few, and --ignore NAMES for the others; to leave all out: --ignore "
         "a_long_name_of_a_column,b_long_name_of_a_column,c_long_name_of_a_column,d"},
    };
    CHECK_LIST(list);
}

/* Numbers that are missing, not finite or too large for the type. */
TEST(values)
{
    static const struct bad list[] = {
        {"x,y,k\n1,,a\n", {0}, "t.csv:2:3: no value in column 'y'; drop the row, or pass --missing zero, mean or drop"},
        {"1,2,a\n1, NA ,a\n",
         {0},
         "t.csv:2:4: no value in column 2; drop the row, or pass --missing zero, mean or drop"},
        {"c,x,k\nu,1,a\n?,2,b\n",
         {.categorical = "c"},
         "t.csv:3:1: no value in column 'c'; drop the row, or pass --missing zero, mean or drop"},
        {"1,a\ninf,b\n",
         {.missing = "zero"},
         "t.csv:2:1: value 'inf' in column 1 is not finite; correct it, drop the row, or pass "
         "--ignore 1"},
        {"1,a\n-nan,b\n",
         {.missing = "zero"},
         "t.csv:2:1: value '-nan' in column 1 is not finite; correct it, drop the row, or pass "
         "--ignore 1"},
        {"1,a\n1e39,b\n", {0}, "t.csv:2:1: value '1e39' in column 1 is too large for a float; pass --type f64"},
        {"1,a\n1e400,b\n",
         {0},
         "t.csv:2:1: value '1e400' in column 1 is too large for a double; correct it or drop the "
         "row"},
        {"1,a\n1e400,b\n",
         {.f64 = 1},
         "t.csv:2:1: value '1e400' in column 1 is too large for a double; correct it or drop the "
         "row"},
        {"x,y,k\n1,,a\n2,,b\n", {.missing = "mean"}, "t.csv: no values at all in column 'y'; pass --ignore y"},
        {"c,x,y,k\nu,1,,a\nv,2,,b\n",
         {.missing = "mean", .categorical = "c"},
         "t.csv: no values at all in column 'y'; pass --ignore y"},
        {"c,x,k\nNA,1,a\n,2,b\n",
         {.missing = "zero", .categorical = "c"},
         "t.csv: no values at all in column 'c'; pass --ignore c"},
    };
    CHECK_LIST(list);
}

/* Labels and weights that are missing or not usable. */
TEST(labels_and_weights)
{
    static const struct bad list[] = {
        {"1,a\n2,\n",
         {0},
         "t.csv:2:3: no label in column 2; drop the row or pass --missing drop, or name another "
         "--label"},
        {"1,a\n2,nan\n",
         {.missing = "zero"},
         "t.csv:2:3: no label in column 2; drop the row or pass --missing drop, or name another "
         "--label"},
        {"1,a\n2,1e400\n", {0}, "t.csv:2:3: label '1e400' in column 2 is not finite; correct it or drop the row"},
        {"x,k\n1,a\n2,-inf\n", {0}, "t.csv:3:3: label '-inf' in column 'k' is not finite; correct it or drop the row"},
        {"x,w,k\n1,-1,a\n",
         {.weights = "w"},
         "t.csv:2:3: weight '-1' in column 'w' is not a number of at least 0; correct it or drop the row"},
        {"x,w,k\n1,inf,a\n",
         {.weights = "w"},
         "t.csv:2:3: weight 'inf' in column 'w' is not a number of at least 0; correct it or drop the "
         "row"},
        {"x,w,k\n1,heavy,a\n",
         {.weights = "w"},
         "t.csv:2:3: weight 'heavy' in column 'w' is not a number of at least 0; correct it or drop the "
         "row"},
        {"x,w,k\n1,,a\n",
         {.weights = "w", .missing = "mean"},
         "t.csv:2:3: no weight in column 'w'; drop the row or pass --missing drop"},
    };
    CHECK_LIST(list);
}

/* Options that name columns that do not exist, exist twice, or have another role. */
TEST(options)
{
    static const struct bad list[] = {
        {"a,b\nc,d\n",
         {0},
         "t.csv: no numbers in the first two rows, so the first may be a header or not; pass "
         "--header "
         "yes or --header no"},
        {"1,a\n", {.header = "maybe"}, "--header is none of yes, no and auto; pass one of them"},
        {"1,a\n", {.missing = "one"}, "--missing is none of zero, mean and drop; pass one of them"},
        {"x,k\n1,a\n",
         {.label = "z"},
         "t.csv: there is no column 'z' for --label; pass a name of the header: x, k, or a number "
         "from 1 "
         "to "
         "2"},
        {"1,a\n2,b\n",
         {.label = "k"},
         "t.csv: there is no column 'k' for --label; pass --header yes if the file has a header, "
         "or a "
         "number from 1 to 2"},
        {"1,a\n2,b\n",
         {.label = "3"},
         "t.csv: there is no column '3' for --label; pass --header yes if the file has a header, "
         "or a "
         "number from 1 to 2"},
        {"1,a\n2,b\n",
         {.label = "0"},
         "t.csv: there is no column '0' for --label; pass --header yes if the file has a header, "
         "or a "
         "number from 1 to 2"},
        {"x,k\n1,a\n",
         {.ignore = "z"},
         "t.csv: there is no column 'z' for --ignore; pass a name of the header: x, k, or a number "
         "from "
         "1 "
         "to 2"},
        {"x,k\n1,a\n",
         {.categorical = "z"},
         "t.csv: there is no column 'z' for --categorical; pass a name of the header: x, k, or a "
         "number "
         "from 1 to 2"},
        {"x,x,k\n1,2,a\n",
         {.ignore = "x"},
         "t.csv: 2 columns are named 'x'; name one of them for --ignore by its number"},
        {"x,y,k\n1,2,a\n",
         {.label = "y", .ignore = "y"},
         "t.csv: column 'y' is given two roles, one by --label; name it once"},
        {"x,y,k\n1,2,a\n",
         {.categorical = "k"},
         "t.csv: column 'k' is given two roles, one by --categorical; name it once"},
        {"x,y,k\n1,2,a\n",
         {.label = "y", .weights = "y"},
         "t.csv: column 'y' is given two roles, one by --label; name it once"},
        {"x,k\n1,a\n",
         {.ignore = "x"},
         "t.csv: no column is left for features; pass another --label or --ignore, or --format if this is not CSV"},
        {"x\tk\n1\ta\n",
         {.format = "tsv", .ignore = "x"},
         "t.tsv: no column is left for features; pass another --label or --ignore, or --format if this is not TSV"},
    };
    CHECK_LIST(list);
}

TEST_LIST(LISTED(empty_files), LISTED(broken_lines), LISTED(nul_bytes), LISTED(features), LISTED(several_texts),
          LISTED(values), LISTED(labels_and_weights), LISTED(options))
