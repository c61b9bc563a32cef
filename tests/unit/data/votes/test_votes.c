/* Votes: both layouts and how they are recognised, gaps, repetitions, rows of data, and files that are refused. */
#include <stdio.h>
#include <string.h>

#include "data/votes/votes.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

static temper_votes *read_text(const char *text, const temper_votes_options *options)
{
    temper_votes *votes = NULL;
    temper_error error = {0};
    scratch_write("votes.csv", text, strlen(text));
    CHECKF(temper_votes_read("votes.csv", options, &votes, &error) == TEMPER_OK, "%s", error.message);
    return votes;
}

/* "item annotator label; ..." of all votes, in their order. */
static const char *votes_text(const temper_votes *given)
{
    static char text[512];
    const struct votes *votes = (const struct votes *)given;
    size_t used = 0;
    text[0] = '\0';
    for (size_t item = 0; item < votes->items; item++)
        for (size_t i = votes->item_start[item]; i < votes->item_start[item + 1]; i++) {
            const char *name = temper_votes_item_name(given, item);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %s; ", name ? name : "-",
                                     temper_votes_annotator_name(given, votes->of_item[i].other),
                                     temper_votes_class_name(given, votes->of_item[i].label));
        }
    return text;
}

static void reads_as(const char *text, const temper_votes_options *options, const char *wanted)
{
    temper_votes *votes = read_text(text, options);
    if (!CHECK(votes != NULL))
        return;
    CHECK_EQ_TEXT(votes_text(votes), wanted);
    temper_votes_free(votes);
}

TEST(layouts_are_recognised)
{
    scratch_enter();
    /* Words of the header, in any order of the columns, with others between them. */
    reads_as("worker,time,label,task\nann,3,x,1\nbob,4,y,1\nann,5,y,2\n", NULL, "1 ann x; 1 bob y; 2 ann y; ");
    /* Three columns without a header, or with names that mean nothing. */
    reads_as("q1,ann,x\nq1,bob,y\nq2,ann,y\n", NULL, "q1 ann x; q1 bob y; q2 ann y; ");
    reads_as("a;b;c\nq1;ann;x\nq1;bob;y\nq2;ann;y\n", NULL, "q1 ann x; q1 bob y; q2 ann y; ");
    /* Wide: annotators are columns, gaps are no votes, numbers are equal as numbers. */
    reads_as("ann,bob,eve\n1,,0\n1.0,0,\n0,NA,1\n,1,1\n", NULL,
             "- ann 1; - eve 0; - ann 1; - bob 0; - ann 0; - eve 1; - bob 1; - eve 1; ");
    reads_as("id,ann,bob\nx7,a,b\nx8,a,\n", NULL, "x7 ann a; x7 bob b; x8 ann a; ");
    reads_as("name,ann,bob\nx7,a,b\nx8,a,\nx9,,b\n", NULL, "x7 ann a; x7 bob b; x8 ann a; x9 bob b; ");
    reads_as(
        "a,b,a\nb,b,a\na,a,a\nb,b,b\n", NULL,
        "- column 1 a; - column 2 b; - column 3 a; - column 1 b; - column 2 b; - column 3 a; - column 1 a; - column "
        "2 a; - column 3 a; - column 1 b; - column 2 b; - column 3 b; ");
    scratch_leave();
}

TEST(options_decide)
{
    scratch_enter();
    temper_votes_options options = temper_votes_defaults();
    options.columns = "q,who,3";
    reads_as("who,q,what\nann,1,x\nbob,1,y\n", &options, "1 ann x; 1 bob y; ");
    options = temper_votes_defaults();
    options.layout = "wide";
    reads_as("item,annotator,label\n1,x,y\n2,x,x\n", &options, "1 annotator x; 1 label y; 2 annotator x; 2 label x; ");
    options.columns = "none";
    reads_as("ann,bob\nx,y\n", &options, "- ann x; - bob y; ");
    options = temper_votes_defaults();
    options.header = "no";
    reads_as("item,worker,label\nitem,other,y\nz,worker,y\n", &options,
             "item worker label; item other y; z worker y; ");
    scratch_leave();
}

/* Quotes, blank lines, ends of lines, a byte order mark; the last newline may be missing. */
TEST(text_as_in_other_tables)
{
    scratch_enter();
    reads_as("\xEF\xBB\xBF\nitem,worker,label\r\n\"a \"\"b\"\"\",\"x,y\",l\r\n\r\nc, d ,\"l\nm\"", NULL,
             "a \"b\" x,y l; c d l\nm; ");
    scratch_leave();
}

TEST(repetitions_count_once)
{
    scratch_enter();
    temper_votes *votes = read_text("item,worker,label\n1,a,y\n2,b,x\n1,a,y\n1,a,x\n1,a,x\n2,a,\n", NULL);
    CHECK_EQ_TEXT(votes_text(votes), "1 a y; 1 a x; 2 b x; ");
    CHECK_EQ_SIZE(temper_votes_count(votes), 3);
    CHECK(strstr(temper_votes_notes(votes), "2 repeat another and count once") != NULL);
    CHECK(strstr(temper_votes_notes(votes), "1 time an annotator gave an item a second label") != NULL);
    CHECK(strstr(temper_votes_notes(votes), "1 line without a label") != NULL);
    temper_votes_free(votes);
    scratch_leave();
}

static void refuses(const char *text, const temper_votes_options *options, temper_status wanted, const char *message)
{
    temper_votes *votes = NULL;
    temper_error error = {0};
    scratch_write("votes.csv", text, strlen(text));
    temper_status status = temper_votes_read("votes.csv", options, &votes, &error);
    CHECKF(status == wanted && !votes, "%s", text);
    CHECKF(strncmp(error.message, message, strlen(message)) == 0, "'%s' does not begin with '%s'", error.message,
           message);
    if (status == TEMPER_OK)
        temper_votes_free(votes);
}

TEST(bad_files_are_refused)
{
    scratch_enter();
    temper_votes_options options = temper_votes_defaults();
    refuses("", NULL, TEMPER_BAD_DATA, "votes.csv: no rows");
    refuses("item,worker,label\n", NULL, TEMPER_BAD_DATA, "votes.csv: no labels");
    refuses("item,worker,label\n1,a\n", NULL, TEMPER_BAD_DATA, "votes.csv:2: expected 3 fields, found 2");
    refuses("item,worker,label\n1,a,x\n2,b,y,z\n", NULL, TEMPER_BAD_DATA, "votes.csv:3: expected 3 fields, found 4");
    refuses("item,worker,label\n1,,x\n", NULL, TEMPER_BAD_DATA, "votes.csv:2:3: no annotator in column 'worker'");
    refuses("item,worker,label\n1,a,x\n,a,x\n", NULL, TEMPER_BAD_DATA, "votes.csv:3:1: no item in column 'item'");
    refuses("item,worker,label\n1,a,inf\n", NULL, TEMPER_BAD_DATA, "votes.csv:2:5: label 'inf'");
    refuses("item,worker,label\n1,a,\"x\n", NULL, TEMPER_BAD_DATA, "votes.csv:2:5: the quote that opens here");
    /* After a blank line, which a fuzzer has found to matter. */
    refuses("item,worker,label\n1,a,x\n\n\"c\nd\"y,z,1\n", NULL, TEMPER_BAD_DATA,
            "votes.csv:5:3: text after a closing");
    refuses("item,ann,bob\n1,x,y\n2,y,x\n1,x,x\n", NULL, TEMPER_BAD_DATA, "votes.csv:4:1: item '1' is on line 2");
    refuses("item,ann,ann\n1,x,y\n2,y,x\n", NULL, TEMPER_BAD_DATA, "votes.csv: two columns are called 'ann'");
    options.layout = "long";
    refuses("a,b,c,d\n1,x,y,z\n", &options, TEMPER_BAD_DATA, "votes.csv: which of the 4 columns");
    options.columns = "a,b,e";
    refuses("a,b,c,d\n1,x,y,z\n", &options, TEMPER_USAGE, "votes.csv: no column 'e'");
    options.columns = "a,b,a";
    refuses("a,b,c,d\n1,x,y,z\n", &options, TEMPER_USAGE, "votes.csv: item, annotator and label need a column each");
    options.columns = "a,b";
    refuses("a,b,c,d\n1,x,y,z\n", &options, TEMPER_USAGE, "--columns names 2 columns");
    options.columns = NULL;
    options.layout = "tall";
    refuses("a,b,c\n1,x,y\n", &options, TEMPER_USAGE, "--layout is none of");
    scratch_leave();
}

/* Items become rows: by number, or by a column of the data, of which some rows have no votes. */
TEST(items_are_rows)
{
    static const char data_text[] = "x,name,y\n1,ann,2\n3,bob,4\n5,eve,6\n7,\"a \"\"b\"\"\",8\n";
    temper_read_options options = temper_read_defaults();
    temper_data *data = NULL;
    temper_error error = {0};
    scratch_enter();
    scratch_write("data.csv", data_text, strlen(data_text));
    options.label = "none";
    options.ignore = "name";
    if (!CHECK(temper_data_read("data.csv", &options, &data, &error) == TEMPER_OK))
        return;
    temper_votes *votes = read_text("item,worker,label\n4,a,x\n2,b,y\n2,a,x\n", NULL);
    CHECK(temper_votes_match(votes, data, NULL, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(temper_votes_items(votes), 4);
    CHECK_EQ_TEXT(votes_text(votes), "- a x; - b y; - a x; ");
    CHECK(strstr(temper_votes_notes(votes), "2 of the 4 rows have no label") != NULL);
    temper_votes_free(votes);

    votes = read_text("item,worker,label\n\"a \"\"b\"\"\",a,x\nbob,b,y\n", NULL);
    CHECK(temper_votes_match(votes, data, "name", &error) == TEMPER_OK);
    CHECK_EQ_TEXT(votes_text(votes), "bob b y; a \"b\" a x; ");
    CHECK_EQ_TEXT(temper_votes_item_name(votes, 0), "ann");
    CHECK(temper_votes_match(votes, data, "nobody", &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "no column 'nobody'") != NULL);
    temper_votes_free(votes);

    votes = read_text("item,worker,label\n5,a,x\n", NULL);
    CHECK(temper_votes_match(votes, data, NULL, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message,
                  "votes.csv:2: item '5' is no row of the data, which has rows 1 to 4; number the items by "
                  "row, or pass --id COLUMN for the column of the data that names them");
    CHECK(temper_votes_match(votes, data, "name", &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "item '5' is not in column 'name' of the data") != NULL);
    temper_votes_free(votes);
    temper_data_free(data);
    scratch_leave();
}

TEST(arrays_are_checked)
{
    static const uint32_t item[] = {0, 3}, annotator[] = {0, 0}, label[] = {0, 1};
    temper_vote_arrays arrays = {2, item, annotator, label, 3, 1, 2};
    temper_votes *votes = NULL;
    temper_error error;
    CHECK(temper_votes_from_arrays(&arrays, &votes, &error) == TEMPER_USAGE && !votes);
    CHECK(strstr(error.message, "vote 2") != NULL);
    arrays.count = 0;
    CHECK(temper_votes_from_arrays(&arrays, &votes, &error) == TEMPER_BAD_DATA && !votes);
    temper_votes_free(NULL);
}

/* Reads and matches; every allocation fails once. */
static temper_status read_and_match(const temper_data *data, const char *id, temper_error *error)
{
    temper_votes *votes;
    temper_status status = temper_votes_read("votes.csv", NULL, &votes, error);
    if (status != TEMPER_OK)
        return status;
    status = temper_votes_match(votes, data, id, error);
    temper_votes_free(votes);
    return status;
}

TEST(no_memory)
{
    static const char votes_of[][80] = {"task,who,label\n\"a\"\"\",a,x\nb,b,y\nb,a,y\n",
                                        "id,ann,bob\n\"a\"\"\",y,x\nb,,\"y\"\"\"\n"};
    static const char data_text[] = "x,name\n1,\"a\"\"\"\n3,b\n4,c\n";
    temper_read_options options = temper_read_defaults();
    temper_data *data = NULL;
    scratch_enter();
    scratch_write("data.csv", data_text, strlen(data_text));
    options.label = "none";
    options.ignore = "name";
    CHECK(temper_data_read("data.csv", &options, &data, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 2; i++) {
        scratch_write("votes.csv", votes_of[i], strlen(votes_of[i]));
        for (size_t n = 1;; n++) {
            temper_error error = {0};
            fault_arm(n);
            temper_status status = read_and_match(data, "name", &error);
            fault_disarm();
            if (!fault_fired()) {
                CHECKF(status == TEMPER_OK, "%s", error.message);
                break;
            }
            CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu: %s", n, error.message);
        }
    }
    temper_data_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(layouts_are_recognised), LISTED(options_decide), LISTED(text_as_in_other_tables),
          LISTED(repetitions_count_once), LISTED(bad_files_are_refused), LISTED(items_are_rows),
          LISTED(arrays_are_checked), LISTED(no_memory))
