/* Corrections of a person: exactly the decided labels change; whichever call fails, the result is whole or absent. */
#include <stdio.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const char table[] = "x,y\n1,\"no, no\"\n2,yes\n3, yes \n4,\"no, no\"\n";
static const char decided[] = "row,line,given,decision,label\n"
                              "2,3,yes,wrong,\"no, no\"\n"
                              "3,4,yes,other,\"new \"\"one\"\"\"\n"
                              "4,5,\"no, no\",right,\n";

static temper_data *opened(const char *path, const char *text)
{
    temper_error error = {0};
    temper_data *data = NULL;
    scratch_write(path, text, strlen(text));
    CHECKF(temper_data_read(path, NULL, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

static temper_status apply(const temper_data *data, const char *path, temper_corrections *summary, temper_error *error)
{
    temper_audit_fix_file file = {.path = path};
    return temper_audit_apply(data, "corrections.csv", &file, summary, error);
}

TEST(a_table)
{
    temper_corrections summary = {0};
    temper_error error = {0};
    scratch_enter();
    temper_data *data = opened("in.csv", table);
    scratch_write("corrections.csv", decided, strlen(decided));
    CHECKF(data && apply(data, "out.csv", &summary, &error) == TEMPER_OK, "%s", error.message);
    CHECK_EQ_TEXT(scratch_text("out.csv"), "x,y\n1,\"no, no\"\n2,\"no, no\"\n3, \"new \"\"one\"\"\" \n4,\"no, no\"\n");
    CHECK(summary.rows == 3 && summary.changed == 2 && summary.right == 1 && summary.unsure == 0);
    temper_data_free(data);
    scratch_leave();
}

/* Numbers are classes by their values: 1.0 is the given label 1. */
TEST(numbers)
{
    static const char text[] = "row,given,decision,label\n1,1.0,wrong,2e0\n";
    temper_error error = {0};
    scratch_enter();
    temper_data *data = opened("in.csv", "5,1\n6,2\n7,1\n8,2\n");
    scratch_write("corrections.csv", text, strlen(text));
    CHECKF(data && apply(data, "out.csv", NULL, &error) == TEMPER_OK, "%s", error.message);
    CHECK_EQ_TEXT(scratch_text("out.csv"), "5,2\n6,2\n7,1\n8,2\n");
    temper_data_free(data);
    scratch_leave();
}

/* The place of the error, and no file. */
TEST(refusals)
{
    static const struct {
        const char *text, *words;
        size_t line, column;
    } cases[] = {
        {"", "no column 'row'", 1, 1},
        {"row,given,decision\n", "no column 'label'", 1, 1},
        {"row,given,decision,label\n5,yes,right,\n", "has no row 5", 2, 1},
        {"row,given,decision,label\n2,yes,right,\n2,yes,right,\n", "decision on line 2 already", 3, 1},
        {"\n\nrow,given,decision,label\n", "no column 'row'", 1, 1},
        {"row,note,given,decision,label\n\n2,\"a\nb\",no,right,\n", "'no' here and 'yes'", 4, 4},
        {"row,given,decision,label\n2,yes,right,\xff\n", "another label", 2, 13},
        {"row,given,decision,label\n2,yes\n", "expected 4 fields, found 2", 2, 0},
        {"row,given,decision,label\n2,y\"es,right,\n", "a quote inside a cell", 2, 4},
    };
    temper_error error;
    scratch_enter();
    temper_data *data = opened("in.csv", table);
    for (size_t i = 0; data && i < sizeof cases / sizeof *cases; i++) {
        temper_corrections summary = {.rows = 77};
        scratch_write("corrections.csv", cases[i].text, strlen(cases[i].text));
        CHECK(apply(data, "out.csv", &summary, &error) == TEMPER_BAD_DATA);
        CHECKF(strstr(error.message, cases[i].words), "%s", error.message);
        CHECKF(error.line == cases[i].line && error.column == cases[i].column, "%s", error.message);
        CHECK(scratch_count() == 2 && summary.rows == 77);
    }
    remove("corrections.csv");
    CHECK(apply(data, "out.csv", NULL, &error) == TEMPER_NO_INPUT);
    temper_data_free(data);
    scratch_leave();
}

/* Memory, files and reads that fail, for a copy of the text and for another format. */
static void fails_at_each(const temper_data *data, const char *path, void (*arm)(size_t))
{
    char wanted[400];
    CHECK(apply(data, path, NULL, NULL) == TEMPER_OK);
    snprintf(wanted, sizeof wanted, "%s", scratch_text(path));
    for (size_t n = 1;; n++) {
        remove(path);
        arm(n);
        temper_status status = apply(data, path, NULL, NULL);
        fault_disarm();
        if (!fault_fired())
            break;
        bool there = scratch_count() == 3;
        CHECKF(there || status != TEMPER_OK, "%s: call %zu", path, n);
        CHECKF(!there || strcmp(scratch_text(path), wanted) == 0, "%s: call %zu", path, n);
        CHECKF(arm != fault_arm || status == TEMPER_NO_MEMORY, "%s: allocation %zu", path, n);
        CHECKF(scratch_count() <= 3, "%s: call %zu", path, n);
    }
    remove(path);
}

TEST(failures)
{
    static void (*const arm[])(size_t) = {fault_arm, fault_arm_files, fault_arm_reads};
    static const char known[] = "row,given,decision,label\n2,yes,wrong,\"no, no\"\n";
    scratch_enter();
    temper_data *data = opened("in.csv", table);
    for (size_t kind = 0; data && kind < sizeof arm / sizeof *arm; kind++) {
        scratch_write("corrections.csv", decided, strlen(decided));
        fails_at_each(data, "out.csv", arm[kind]);
        scratch_write("corrections.csv", known, strlen(known));
        fails_at_each(data, "out.tsv", arm[kind]);
    }
    temper_data_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(a_table), LISTED(numbers), LISTED(refusals), LISTED(failures))
