/* A table that several processes read, each its own lines. */
#include <stdio.h>
#include <string.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/distributed_read_fixture.h"
#include "fixtures/test.h"

enum { ROWS = 700 };

/* Classes turn up one after another; quoted cells have separators, quotes and newlines, some of
 * them longer than a piece of the file; blank lines; a missing value here and there. */
static void make_table(const char *path, size_t rows, const char *start, const char *end)
{
    FILE *out = fopen(path, "w");
    CHECK(out != NULL);
    if (!out)
        return;
    fputs(start, out);
    for (size_t i = 0; i < rows; i++) {
        fprintf(out, "%zu.5,\"%zu\",", i % 10, i % 7);
        if (i % 50 == 7)
            for (size_t j = 0; j < 40; j++)
                fputs(j ? "\"\" x,1\n" : "\"", out);
        fprintf(out, i % 50 == 7 ? "\"" : "note %zu", i);
        fprintf(out, ",%s,class %zu", i % 90 == 3 ? "" : "2", i * 5 / rows);
        fputs(i + 1 == rows ? end : i % 13 == 0 ? "\n\n" : i % 17 == 0 ? "\r\n" : "\n", out);
    }
    fclose(out);
}

static const char header[] = "x,y,words,z,label\n";

SCRATCH_TEST(pieces_of_a_table_are_the_whole)
{
    static const size_t rows[] = {1, 2, 3, 40, ROWS};
    temper_read_options plain = {.ignore = "3", .missing = "zero"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_table("named.csv", rows[i], header, "\n");
        check_file("named.csv", plain);
        make_table("bare.csv", rows[i], "", "");
        plain.header = "no";
        check_file("bare.csv", plain);
        make_table("marked.csv", rows[i], "\xef\xbb\xbf\n\n", "\n\n\n");
        check_file("marked.csv", plain);
        plain.header = NULL;
    }
}

SCRATCH_TEST(so_are_those_with_other_options)
{
    static const temper_read_options options[] = {
        {.ignore = "words", .missing = "drop"},
        {.ignore = "words", .missing = "mean"},
        {.categorical = "words", .missing = "zero"},
        {.ignore = "words", .missing = "zero", .f64 = 1},
        {.ignore = "words,label", .missing = "zero", .label = "none"},
        {.ignore = "words,label", .missing = "zero", .label = "y"},
        {.ignore = "words,y", .missing = "zero", .weights = "x"},
        {.ignore = "words", .missing = "zero", .classes = "class 1,class 4"},
        {.automatic = 1},
        {.automatic = 1, .ignore = "words"},
        {.automatic = 1, .ignore = "words,z"},
        {.automatic = 1, .ignore = "words", .missing = "drop"},
    };
    make_table("named.csv", ROWS, header, "\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        check_file("named.csv", options[i]);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void write_faulty(const char *start, size_t first, const char *line, size_t second, const char *other)
{
    FILE *out = fopen("faulty.csv", "w");
    CHECK(out != NULL);
    if (!out)
        return;
    fputs(start, out);
    for (size_t i = 1; i <= 400; i++)
        fprintf(out, "%s\n", i == first ? line : i == second ? other : "1,\"a,\n\",c");
    fclose(out);
}

SCRATCH_TEST(the_first_fault_of_a_table_is_that_of_all)
{
    static const size_t places[] = {1, 2, 99, 200, 201, 310, 400};
    static const char *const lines[] = {"x,a,c", "1,2", ",a,c", "1,\"a\"b,c", "1,a\"b,c", "1,\"a,c", "1e999,a,c"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
            write_faulty("number,text,label\n", places[i], lines[k], 399, "y,a,c");
            check_fault("faulty.csv");
        }
    write_faulty("\n\n", 1, "x,a,c", 0, "");
    check_fault("faulty.csv");
}

SCRATCH_TEST(tables_without_rows_are_refused_together)
{
    write_faulty("", 0, "", 0, ""); /* text where numbers are wanted, in every row */
    check_fault("faulty.csv");
    FILE *out = fopen("empty.csv", "w");
    if (out && fputs("a,b,c\n", out) >= 0)
        fclose(out);
    check_fault("empty.csv");
}

TEST_LIST(LISTED(pieces_of_a_table_are_the_whole), LISTED(so_are_those_with_other_options),
          LISTED(the_first_fault_of_a_table_is_that_of_all), LISTED(tables_without_rows_are_refused_together))
