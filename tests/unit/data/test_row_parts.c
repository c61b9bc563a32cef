/* Divisions by class, group and time: sizes, shares, and that nothing is divided which belongs together. */
#include "data/split_file/row_parts.h"

#include <stdlib.h>
#include <string.h>

#include "data/split.h"
#include "data/split_file/json_members.h"
#include "fixtures/test.h"

enum { ROWS = 600, GROUPS = 60, CLASSES = 3 };

/* Rows of classes 0, 1, 2 in the shares 3 : 2 : 1, in groups of 5 to 15 rows. */
static void make_keys(struct row_keys *keys)
{
    static const char *const names[CLASSES] = {"a", "b", "c"};
    static const uint32_t class_of[] = {0, 0, 0, 1, 1, 2};
    *keys = (struct row_keys){.rows = ROWS, .groups = GROUPS};
    keys->class_of = calloc(ROWS, sizeof *keys->class_of);
    keys->group = calloc(ROWS, sizeof *keys->group);
    for (size_t c = 0; c < CLASSES; c++)
        classes_add(&keys->classes, names[c], 1);
    for (size_t row = 0; row < ROWS; row++) {
        keys->class_of[row] = class_of[row * 7 % 6];
        keys->group[row] = (uint32_t)(row < GROUPS ? row : (row * row + row / 11) % GROUPS);
    }
}

/* Whether each value of `of` is in one part. */
static bool is_undivided(const uint32_t *of, const uint32_t *part)
{
    uint32_t first[GROUPS];
    memset(first, 0xff, sizeof first);
    for (size_t row = 0; row < ROWS; row++) {
        if (first[of[row]] == UINT32_MAX)
            first[of[row]] = part[row];
        if (first[of[row]] != part[row])
            return false;
    }
    return true;
}

/* The share of the rows of a class in a part. */
static double share_of(const struct row_keys *keys, const uint32_t *part, uint32_t c, uint32_t p)
{
    double all = 0, here = 0;
    for (size_t row = 0; row < ROWS; row++)
        if (keys->class_of[row] == c) {
            all++;
            here += part[row] == p;
        }
    return here / all;
}

TEST(groups_stay_together_and_classes_even)
{
    struct row_keys keys;
    static uint32_t part[ROWS], other[ROWS];
    char note[256];
    make_keys(&keys);
    CHECK(rows_divide(&keys, &(struct division){.share = 0.2, .seed = 1}, part, note, NULL) == TEMPER_OK);
    CHECK(is_undivided(keys.group, part));
    for (uint32_t c = 0; c < CLASSES; c++)
        CHECK_NEAR(share_of(&keys, part, c, SPLIT_TEST), 0.2, 0.06);
    CHECK(rows_divide(&keys, &(struct division){.share = 0.2, .seed = 2}, other, note, NULL) == TEMPER_OK);
    CHECK(memcmp(part, other, sizeof part) != 0);
    CHECK(rows_divide(&keys, &(struct division){.folds = 4, .seed = 1}, part, note, NULL) == TEMPER_OK);
    CHECK(is_undivided(keys.group, part));
    for (uint32_t p = 0; p < 4; p++)
        for (uint32_t c = 0; c < CLASSES; c++)
            CHECK_NEAR(share_of(&keys, part, c, p), 0.25, 0.08);
    row_keys_free(&keys);
}

TEST(rows_without_groups_are_divided_exactly)
{
    struct row_keys keys;
    static uint32_t part[ROWS];
    char note[256];
    make_keys(&keys);
    free(keys.group);
    keys.group = NULL;
    CHECK(rows_divide(&keys, &(struct division){.share = 0.25, .seed = 1}, part, note, NULL) == TEMPER_OK);
    for (uint32_t c = 0; c < CLASSES; c++)
        CHECK_CLOSE(share_of(&keys, part, c, SPLIT_TEST), 0.25, 1e-12);
    CHECK(note[0] == '\0');
    row_keys_free(&keys);
}

/* Times 0, 0, 0, 1, 1, 1...: the boundary nearest to a share is between two of them. */
TEST(the_last_rows_by_time)
{
    struct row_keys keys = {.rows = ROWS};
    static uint32_t part[ROWS];
    char note[256];
    temper_error error = {0};
    keys.time = calloc(ROWS, sizeof *keys.time);
    keys.time_start = calloc(ROWS, sizeof *keys.time_start);
    text_append_bytes(&keys.time_text, "noon", 5);
    for (size_t row = 0; row < ROWS; row++)
        keys.time[row] = (double)((ROWS - 1 - row) / 3); /* the file has the last first */
    CHECK(rows_divide(&keys, &(struct division){.share = 0.1}, part, note, &error) == TEMPER_OK);
    for (size_t row = 0; row < ROWS; row++)
        CHECK(part[row] == (row < 60 ? SPLIT_TEST : SPLIT_TRAIN));
    CHECK(strstr(note, "noon") != NULL);
    CHECK(rows_divide(&keys, &(struct division){.share = 0.1025}, part, note, &error) == TEMPER_OK); /* 61.5 rows */
    CHECK(part[59] == SPLIT_TEST && part[60] == part[62] && part[63] == SPLIT_TRAIN);
    CHECK(rows_divide(&keys, &(struct division){.folds = 5}, part, note, &error) == TEMPER_OK);
    for (size_t row = 0; row + 1 < ROWS; row++) {
        size_t near_boundary = row % 100 < 2 || row % 100 > 97;
        CHECK(near_boundary || part[row] == 5 - row / 100);
        CHECK(part[row] >= part[row + 1] && (part[row] == part[row + 1] || keys.time[row] != keys.time[row + 1]));
    }
    memset(keys.time, 0, ROWS * sizeof *keys.time);
    CHECK(rows_divide(&keys, &(struct division){.share = 0.1}, part, note, &error) == TEMPER_BAD_DATA);
    keys.time[5] = 1;
    CHECK(rows_divide(&keys, &(struct division){.share = 0.1}, part, note, &error) == TEMPER_OK);
    CHECK(part[5] == SPLIT_TEST && part[4] == SPLIT_TRAIN);
    keys.rows = 3; /* fewer than the parts of four folds */
    CHECK(rows_divide(&keys, &(struct division){.folds = 4}, part, note, &error) == TEMPER_BAD_DATA);
    row_keys_free(&keys);
}

TEST(too_few_groups_are_refused)
{
    struct row_keys keys;
    static uint32_t part[ROWS];
    char note[256];
    temper_error error = {0};
    make_keys(&keys);
    for (size_t row = 0; row < ROWS; row++)
        keys.group[row] %= 2;
    keys.groups = 2;
    CHECK(rows_divide(&keys, &(struct division){.folds = 3, .seed = 1}, part, note, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "2 groups") != NULL, "%s", error.message);
    row_keys_free(&keys);
}

/* Members of an object as spans. */
TEST(json_members)
{
    static const char object[] = " { \"a\" : \"x\\\"}\" , \"b\":[1,{\"c\":\"]\"}],\"d\": -1.5e3 } \r\n";
    struct json_members members = {.at = object, .to = object + strlen(object)};
    static const char *const expected[][2] = {{"a", "\"x\\\"}\""}, {"b", "[1,{\"c\":\"]\"}]"}, {"d", "-1.5e3"}};
    for (size_t i = 0; i < 3; i++) {
        CHECK(json_members_next(&members));
        CHECKF(members.key_length == 1 && *members.key == *expected[i][0] &&
                   members.value_length == strlen(expected[i][1]) &&
                   memcmp(members.value, expected[i][1], members.value_length) == 0,
               "member %zu: %.*s", i, (int)members.value_length, members.value);
    }
    CHECK(!json_members_next(&members) && !members.malformed);
    static const char *const wrong[] = {"",           "[]",       "{",           "{\"a\"}",
                                        "{\"a\":}",   "{\"a\":1", "{\"a\":\"x}", "{\"a\":1 2}",
                                        "{\"a\":1}x", "{a:1}",    "{\"a\":[1}",  "{\"a\":1,}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct json_members other = {.at = wrong[i], .to = wrong[i] + strlen(wrong[i])};
        while (json_members_next(&other))
            continue;
        CHECKF(other.malformed, "%s", wrong[i]);
    }
    static const char none[] = "{ }";
    struct json_members empty = {.at = none, .to = none + 3};
    CHECK(!json_members_next(&empty) && !empty.malformed);
}

TEST_LIST(LISTED(groups_stay_together_and_classes_even), LISTED(rows_without_groups_are_divided_exactly),
          LISTED(the_last_rows_by_time), LISTED(too_few_groups_are_refused), LISTED(json_members))
