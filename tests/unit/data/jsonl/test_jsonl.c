/* JSON lines: the same data as the same table in CSV, places in the original text, and every failure of memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/jsonl/jsonl_line.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const temper_read_options automatic = {.struct_size = sizeof automatic, .automatic = 1};

static const char table[] = "x,city,since,k\n1,Rome,2024-05-01,a\n,\"a,\nb\",2024-05-02,b\n2,\"q\"\"r\",2024-05-03,a\n"
                            "3,Rome,2024-05-09,b\n";
static const char objects[] = "{\"x\": 1, \"city\": \"Rome\", \"since\": \"2024-05-01\", \"k\": \"a\"}\n"
                              "{\"k\": \"b\", \"city\": \"a,\\nb\", \"since\": \"2024-05-02\"}\n"
                              "\n"
                              "{\"since\": \"2024-05-03\", \"x\": 2, \"k\": \"a\", \"city\": \"q\\\"r\"}\n"
                              "{\"x\": 3, \"city\": \"\\u0052ome\", \"since\": \"2024-05-09\", \"k\": \"b\"}";

static temper_data *read_bytes(const char *name, const char *text, const temper_read_options *options,
                               temper_error *error)
{
    temper_data *data = NULL;
    temper_data_read_memory(name, text, strlen(text), options, &data, error);
    return data;
}

/* What the data holds, as CSV; freed by the caller. */
static char *written(const temper_data *data)
{
    temper_error error;
    CHECK(data && temper_data_write(data, "out.csv", NULL, &error) == TEMPER_OK);
    return strdup(scratch_text("out.csv"));
}

TEST(the_same_data_as_csv)
{
    scratch_enter();
    temper_error error = {0};
    temper_data *csv = read_bytes("t.csv", table, &automatic, &error);
    temper_data *jsonl = read_bytes("t.jsonl", objects, &automatic, &error);
    char *expected = written(csv), *found = written(jsonl);
    CHECK_EQ_TEXT(found, expected);
    CHECK_EQ_TEXT(temper_data_format(jsonl), "jsonl");
    free(expected);
    free(found);
    temper_data_free(csv);
    temper_data_free(jsonl);
    scratch_leave();
}

/* What is written can be read again. */
TEST(written_and_read)
{
    scratch_enter();
    temper_error error = {0};
    temper_data *data = read_bytes("t.jsonl", objects, &automatic, &error), *again = NULL;
    CHECK(temper_data_write(data, "out.jsonl", NULL, &error) == TEMPER_OK);
    CHECKF(temper_data_read("out.jsonl", NULL, &again, &error) == TEMPER_OK, "%s", error.message);
    char *expected = written(data), *found = written(again);
    CHECK_EQ_TEXT(found, expected);
    free(expected);
    free(found);
    temper_data_free(data);
    temper_data_free(again);
    scratch_leave();
}

/* A cell that the reader of tables refuses is found in its object. */
TEST(places_are_those_of_the_objects)
{
    static const struct {
        const char *text, *message;
    } list[] = {
        {"{\"x\": 1, \"k\": \"a\\nb\"}\n{\"k\": \"b\", \"x\": null}\n",
         "t.jsonl:2:17: no value in column 'x'; drop the row, or pass --missing zero, mean or drop"},
        {"{\"x\": 1, \"k\": \"a\"}\n\n{\"k\": \"b\"}\n",
         "t.jsonl:3: no value in column 'x'; drop the row, or pass --missing zero, mean or drop"},
        {"{\"x\": 1, \"k\": \"a\"}\n{\"x\": 2, \"k\": \"b\", \"x\": 3}\n",
         "t.jsonl:2:20: a key that this object has already; remove one of the two"},
        {"{\"x\": \"a\\uD83D\"}\n", "t.jsonl:1:9: half of a pair of surrogates, which are one character; write both"},
        {"{\"x\": \"a\\u12g4\"}\n", "t.jsonl:1:9: \\u is not followed by four hexadecimal digits; write all of them"},
        {"{\"x\": {}}\n",
         "t.jsonl:1:7: an object within an object; a table has one value for each key: give its values "
         "keys of their own"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        temper_error error = {0};
        temper_data *data = read_bytes("t.jsonl", list[i].text, NULL, &error);
        CHECK(data == NULL);
        CHECK_EQ_TEXT(error.message, list[i].message);
        temper_data_free(data);
    }
}

/* Rows with keys of their own are no table, and do not fill the memory. */
TEST(too_many_keys)
{
    enum { KEYS = 65537, ROOM = 16 };
    char *text = malloc((size_t)KEYS * ROOM), *end = text;
    temper_error error = {0};
    CHECK(text != NULL);
    for (int i = 0; text && i < KEYS; i++)
        end += snprintf(end, ROOM, "{\"k%d\":1}\n", i);
    temper_data *data = read_bytes("t.jsonl", text, NULL, &error);
    CHECK(data == NULL);
    CHECK_EQ_TEXT(error.message,
                  "t.jsonl:65537: more than 65536 different keys; give all rows the same keys, which are the columns");
    temper_data_free(data);
    free(text);
}

/* Long texts with characters of several bytes at every position, so that no step of the check splits one. */
TEST(long_texts)
{
    for (size_t before = 0; before < 70; before++) {
        char text[300], letters[80] = "";
        memset(letters, 'a', before);
        snprintf(text, sizeof text, "{\"k\": \"%s\\ud83d\\ude00\xf0\x9f\x98\x80\\n\xc3\xa9\"}", letters);
        struct jsonl_line line;
        struct jsonl_member member;
        char decoded[300];
        jsonl_line_open(&line, text, text + strlen(text));
        CHECKF(jsonl_line_next(&line, &member), "%s", line.fault);
        CHECK_EQ_SIZE(jsonl_decode(&member.text, decoded), before + 11);
        CHECK(memcmp(decoded + before, "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\n\xc3\xa9", 11) == 0);
        CHECK(jsonl_string_is(&member.key, "k") && !jsonl_line_next(&line, &member) && !line.fault_at);
    }
}

TEST(every_allocation_may_fail)
{
    size_t n = 1;
    for (;; n++) {
        temper_error error = {0};
        fault_arm(n);
        temper_data *data = read_bytes("t.jsonl", objects, &automatic, &error);
        fault_disarm();
        CHECKF(data ? !fault_fired() || error.status == TEMPER_OK : error.status == TEMPER_NO_MEMORY, "%s",
               error.message);
        temper_data_free(data);
        if (!fault_fired())
            break;
    }
    CHECK(n > 20);
}

TEST_LIST(LISTED(the_same_data_as_csv), LISTED(written_and_read), LISTED(places_are_those_of_the_objects),
          LISTED(too_many_keys), LISTED(long_texts), LISTED(every_allocation_may_fail))
