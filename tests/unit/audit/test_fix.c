/* The data put right as a file: the bytes of the user's text, but for the fixes. */
#include <stdio.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

/* Data, and an audit of it that finds row 1 (class 0 or b, called 1 or a) and row 3. */
struct found {
    temper_data *data;
    temper_audit_report report;
    temper_audit_suspect suspects[4];
};

static bool found_open(struct found *found, const char *path, const char *text, const temper_read_options *options)
{
    temper_error error = {0};
    *found = (struct found){.data = NULL};
    scratch_write(path, text, strlen(text));
    if (!CHECKF(temper_data_read(path, options, &found->data, &error) == TEMPER_OK, "%s", error.message))
        return false;
    const uint32_t *label = temper_data_labels(found->data);
    static const unsigned long long order[] = {1, 3, 0, 2};
    for (size_t i = 0; i < 4; i++)
        found->suspects[i] = (temper_audit_suspect){
            .row = order[i], .given = label[order[i]], .suggested = 1 - label[order[i]], .importance = 0.25};
    found->report = (temper_audit_report){
        .suspects = found->suspects, .rows = temper_data_rows(found->data), .classes = 2, .loss = {.t1 = 0.5, .t2 = 1}};
    return true;
}

static temper_status fix(struct found *found, const char *how, const char *path, temper_audit_fix_file *fixing,
                         temper_error *error)
{
    *fixing = (temper_audit_fix_file){.how = how, .path = path};
    return temper_audit_fix_write(found->data, &found->report, 2, fixing, error);
}

static void fixed_is(struct found *found, const char *how, const char *path, const char *wanted)
{
    temper_audit_fix_file fixing;
    temper_error error = {0};
    CHECKF(fix(found, how, path, &fixing, &error) == TEMPER_OK, "%s", error.message);
    CHECK_EQ_TEXT(scratch_text(path), wanted);
    CHECK(fixing.copied == 1);
}

static const char table[] = "\xef\xbb\xbf\r\n"
                            "id;y;\"a \"\"b\"\"\";x\r\n"
                            "123456789;\"no;\";red;1\r\n"
                            " \r\n"
                            "123456790; yes ;\"re\r\nd\";\r\n"
                            "123456791;yes;green;3.0\r\n"
                            "123456792;\"yes\" ;red;+4";

static const temper_read_options table_options = {
    .struct_size = sizeof(temper_read_options), .label = "y", .ignore = "id", .categorical = "all", .missing = "mean"};

TEST(tables)
{
    struct found found;
    scratch_enter();
    if (found_open(&found, "in.csv", table, &table_options)) {
        fixed_is(&found, "drop", "out.csv",
                 "\xef\xbb\xbf\r\nid;y;\"a \"\"b\"\"\";x\r\n123456789;\"no;\";red;1\r\n \r\n"
                 "123456791;yes;green;3.0\r\n");
        fixed_is(&found, "relabel", "out.csv",
                 "\xef\xbb\xbf\r\nid;y;\"a \"\"b\"\"\";x\r\n123456789;\"no;\";red;1\r\n \r\n"
                 "123456790; \"no;\" ;\"re\r\nd\";\r\n123456791;yes;green;3.0\r\n"
                 "123456792;\"no;\" ;red;+4");
        fixed_is(&found, "weight", "out.csv",
                 "\xef\xbb\xbf\r\nid;y;\"a \"\"b\"\"\";x;weight\r\n123456789;\"no;\";red;1;1\r\n"
                 " \r\n123456790; yes ;\"re\r\nd\";;0.25\r\n123456791;yes;green;3.0;1\r\n"
                 "123456792;\"yes\" ;red;+4;0.25");
    }
    temper_data_free(found.data);
    scratch_leave();
}

/* A column of weights is where they stay; rows that were left out have theirs. */
TEST(columns_of_weights)
{
    struct found found;
    temper_audit_fix_file fixing;
    temper_read_options options = {
        .struct_size = sizeof(temper_read_options), .header = "no", .weights = "1", .missing = "drop"};
    scratch_enter();
    if (found_open(&found, "in.tsv", "1\t5\t0\n\"4\" \t6\t1\n1\tNA\t1\n2\t7\t1\n2\t8\t0\n", &options))
        fixed_is(&found, "weight", "out.tsv", "1\t5\t0\n\"1\" \t6\t1\n1\tNA\t1\n2\t7\t1\n0.5\t8\t0\n");
    CHECK(fix(&found, "weight", "out.tsv", &fixing, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(fixing.weights, "1");
    temper_data_free(found.data);
    options.weights = NULL;
    if (found_open(&found, "in.csv", "5,0\n6,1\nNA,1\n7,1\n8,0\n", &options))
        fixed_is(&found, "weight", "out.csv", "5,0,1\n6,1,0.25\nNA,1,1\n7,1,1\n8,0,0.25\n");
    CHECK(fix(&found, "weight", "out.csv", &fixing, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(fixing.weights, "3");
    temper_data_free(found.data);
    scratch_leave();
}

TEST(sparse_text)
{
    static const char text[] = "# a comment\n+1 1:2 # one\n\n  -1\t2:3\r\n+1 \n-1 1:0.50";
    struct found found;
    temper_error error;
    temper_audit_fix_file fixing;
    scratch_enter();
    if (found_open(&found, "in.svm", text, NULL)) {
        fixed_is(&found, "drop", "out.svm", "# a comment\n+1 1:2 # one\n\n+1 \n");
        fixing = (temper_audit_fix_file){.how = "relabel", .path = "out.svm"};
        CHECK(temper_audit_fix_write(found.data, &found.report, 1, &fixing, NULL) == TEMPER_OK);
        const char *name = temper_data_class_name(found.data, found.suspects[0].suggested);
        char wanted[100];
        snprintf(wanted, sizeof wanted, "# a comment\n+1 1:2 # one\n\n  %s\t2:3\r\n+1 \n-1 1:0.50", name);
        CHECK_EQ_TEXT(scratch_text("out.svm"), wanted);
        CHECK(fix(&found, "weight", "out.svm", &fixing, &error) == TEMPER_USAGE);
        CHECK(strstr(error.message, "no place for weights") != NULL);
        CHECK(fix(&found, "drop", "out.csv", &fixing, &error) == TEMPER_OK);
        CHECK(!fixing.copied);
    }
    temper_data_free(found.data);
    scratch_leave();
}

/* Another file of the same name is not edited by the lines of the first; nothing is written. */
TEST(files_that_have_changed)
{
    static const char *const later[] = {"x,y\n1,0\n2,1\n", "x,y\n1,0\n2,1\n3,1,4\n4,0\n",
                                        "x,y\n1,0\n2,1\n3,1\n\"4,0\n"};
    struct found found;
    temper_error error;
    temper_audit_fix_file fixing;
    scratch_enter();
    CHECK(found_open(&found, "in.csv", "x,y\n1,0\n2,1\n3,1\n4,0\n", NULL));
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        scratch_write("in.csv", later[i], strlen(later[i]));
        CHECK(fix(&found, "drop", "out.csv", &fixing, &error) == TEMPER_BAD_DATA);
        CHECKF(strstr(error.message, "has changed") != NULL, "%s", error.message);
        CHECK_EQ_SIZE(scratch_count(), 1);
    }
    temper_data_free(found.data);
    scratch_leave();
}

/* Whichever call fails, the file is complete or absent, and an error is reported where it is absent. Some failures are
 * tolerated, such as a folder that cannot be synced. */
static void fails_at_each(struct found *found, const char *how, void (*arm)(size_t))
{
    temper_audit_fix_file fixing;
    char wanted[1000];
    CHECK(fix(found, how, "out.csv", &fixing, NULL) == TEMPER_OK);
    snprintf(wanted, sizeof wanted, "%s", scratch_text("out.csv"));
    for (size_t n = 1;; n++) {
        remove("out.csv");
        arm(n);
        temper_status status = fix(found, how, "out.csv", &fixing, NULL);
        fault_disarm();
        if (!fault_fired())
            break;
        bool there = scratch_count() == 2;
        CHECKF(there || status != TEMPER_OK, "%s: call %zu", how, n);
        CHECKF(!there || strcmp(scratch_text("out.csv"), wanted) == 0, "%s: call %zu", how, n);
        CHECKF(arm != fault_arm || status == TEMPER_NO_MEMORY, "%s: allocation %zu", how, n);
        CHECKF(scratch_count() <= 2, "%s: call %zu", how, n);
    }
}

TEST(failures)
{
    static void (*const arm[])(size_t) = {fault_arm, fault_arm_files, fault_arm_reads};
    struct found found;
    scratch_enter();
    CHECK(found_open(&found, "in.csv", table, &table_options));
    for (size_t kind = 0; kind < sizeof arm / sizeof *arm; kind++) {
        fails_at_each(&found, "drop", arm[kind]);
        fails_at_each(&found, "relabel", arm[kind]);
        fails_at_each(&found, "weight", arm[kind]);
    }
    temper_data_free(found.data);
    scratch_leave();
}

TEST_LIST(LISTED(tables), LISTED(columns_of_weights), LISTED(sparse_text), LISTED(files_that_have_changed),
          LISTED(failures))
