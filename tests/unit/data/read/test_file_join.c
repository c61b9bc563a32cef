/* Tables in several files: read as one, with places in the single files, and every failure of memory. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const temper_read_options automatic = {.struct_size = sizeof automatic, .automatic = 1};

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, strlen(text), file) == strlen(text) && fclose(file) == 0);
}

/* Two parts: the first ends without a newline, the second has a blank line before its header. */
static void make_parts(void)
{
    mkdir("parts", 0777);
    put("parts/a.csv", "x,city,k\n1,Rome,a\n2,Ulm,b");
    put("parts/b.csv", "\nx,city,k\n\n,Rome,b\n4,\"a\nb\",a\n");
    put("parts/empty.csv", "");
}

/* Removes the folders, so that the scratch folder has files alone. */
static void clear(void)
{
    static const char *const paths[] = {"parts/a.csv", "parts/b.csv", "parts/c.csv", "parts/empty.csv",
                                        "none/a.csv",  "parts",       "none"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        remove(paths[i]);
    scratch_leave();
}

/* The message about data that must be refused. */
static const char *refusal(const char *path, const temper_read_options *options)
{
    static temper_error error;
    temper_data *data = NULL;
    error = (temper_error){0};
    CHECK(temper_data_read(path, options, &data, &error) != TEMPER_OK);
    temper_data_free(data);
    return error.message;
}

TEST(one_table)
{
    static const char *const paths[] = {"parts", "parts/", "parts/*.csv", "p*s/?.csv", "@list"};
    scratch_enter();
    make_parts();
    put("list", "parts/a.csv\nparts/b.csv\n");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        temper_data *data = NULL;
        temper_error error = {0};
        CHECKF(temper_data_read(paths[i], &automatic, &data, &error) == TEMPER_OK, "%s: %s", paths[i], error.message);
        CHECK(data && temper_data_write(data, "out.csv", NULL, &error) == TEMPER_OK);
        CHECK_EQ_TEXT(scratch_text("out.csv"), "x,x:missing,city=Rome,city=Ulm,\"city=a\nb\",k\n1,0,1,0,0,a\n"
                                               "2,0,0,1,0,b\n2.3333333,1,1,0,0,b\n4,0,0,0,1,a\n");
        temper_data_free(data);
    }
    clear();
}

TEST(places)
{
    temper_read_options no_header = automatic;
    no_header.header = "no";
    scratch_enter();
    make_parts();
    put("parts/c.csv", "x,city,k\n1,Ulm,a\n5,Ulm,b,more\n");
    CHECK_EQ_TEXT(refusal("parts", &automatic),
                  "parts/c.csv:3:9: expected 3 fields, found 4; correct the line or remove it");
    put("parts/c.csv", "x,city,kind\n1,Ulm,a\n");
    CHECK_EQ_TEXT(refusal("parts", &automatic),
                  "parts/c.csv:1: the header is not that of parts/a.csv; give files with the same columns, in the same "
                  "order");
    put("parts/c.csv", "5,Ulm,b,more\n");
    CHECK_EQ_TEXT(refusal("parts", &no_header),
                  "parts/c.csv:1:9: expected 3 fields, found 4; correct the line or remove it");
    CHECK_EQ_TEXT(refusal("parts/x*", &automatic), "parts/x*: no file has a name of this pattern; check it");
    mkdir("none", 0777);
    CHECK_EQ_TEXT(refusal("none", &automatic), "none: the folder has no files; give one with data");
    put("none/a.csv", "");
    CHECK_EQ_TEXT(refusal("none", &automatic), "none: all of its files are empty; give some with rows");
    clear();
}

TEST(every_allocation_may_fail)
{
    size_t n = 1;
    scratch_enter();
    make_parts();
    put("parts/c.csv", "x,city,k\n1,Ulm,a\n");
    for (;; n++) {
        temper_data *data = NULL;
        temper_error error = {0};
        fault_arm(n);
        temper_status status = temper_data_read("parts", &automatic, &data, &error);
        fault_disarm();
        CHECKF(status == TEMPER_OK || status == TEMPER_NO_MEMORY, "%s", error.message);
        temper_data_free(data);
        if (!fault_fired())
            break;
    }
    CHECK(n > 50);
    clear();
}

TEST_LIST(LISTED(one_table), LISTED(places), LISTED(every_allocation_may_fail))
