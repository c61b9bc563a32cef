/* Labels: which spellings are one class, how they are named, and in which order they end up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "data/classes.h"
#include "data/string_table.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

static uint32_t add(struct classes *classes, const char *label)
{
    return classes_add(classes, label, strlen(label));
}

static uint32_t find(const struct classes *classes, const char *label)
{
    return classes_find(classes, label, strlen(label));
}

TEST(numbers_compare_as_numbers)
{
    static const char *const one[] = {
        "1", "+1", "1.0", "1e0", "1.", "01", "10e-1", "1.000000000", "1.000000000000000000e+00"};
    static const char *const zero[] = {"0", "-0", "+0.0", "0e5", "1e-400"};
    struct classes classes = {0};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof one / sizeof *one; i++)
            CHECKF(add(&classes, one[i]) == 0, "%s", one[i]);
        for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
            CHECKF(add(&classes, zero[i]) == 1, "%s", zero[i]);
    }
    CHECK(add(&classes, "-1") == 2);
    CHECK(add(&classes, "1.0000001") == 3);
    CHECK_EQ_SIZE(classes.count, 4);
    CHECK_EQ_TEXT(classes.name[0], "1");
    CHECK_EQ_TEXT(classes.name[1], "0");
    CHECK_EQ_TEXT(classes.name[2], "-1");
    classes_free(&classes);
}

TEST(text_compares_as_text)
{
    static const char *const labels[] = {"",      "a",        "A",         "ab",        "ba",  "abc",  "abcd",
                                         "abcde", "abcdefgh", "abcdefghi", "1x",        "x1",  "nan",  "inf",
                                         "1 ",    "1e400",    "0x1",       "abcdefghj", "aab", "aaab", "1,0",
                                         "é",     "e",        "abcdhgfe",  "--1"};
    enum { COUNT = sizeof labels / sizeof *labels };
    struct classes classes = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        CHECKF(add(&classes, labels[i]) == i, "'%s'", labels[i]);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECKF(add(&classes, labels[i]) == i && find(&classes, labels[i]) == i, "'%s'", labels[i]);
        CHECK_EQ_TEXT(classes.name[i], labels[i]);
    }
    classes_free(&classes);
}

/* 2^53 + 1 is no double; identifiers must not melt into their neighbours. */
TEST(long_identifiers_stay_apart)
{
    static const char *const labels[] = {"9007199254740993", "9007199254740992", "9007199254740994",
                                         "12345678901234567890", "12345678901234567891"};
    struct classes classes = {0};
    uint32_t new_number[5];
    for (uint32_t i = 0; i < 5; i++)
        CHECKF(add(&classes, labels[i]) == i, "%s", labels[i]);
    CHECK(add(&classes, "9.007199254740992e15") == 1);
    CHECK(add(&classes, "0.30000000000000004") == 5);
    CHECK(add(&classes, "0.3") == 6);
    classes_free(&classes);
    for (uint32_t i = 0; i < 5; i++)
        add(&classes, labels[4 - i]);
    CHECK(classes_sort(&classes, new_number, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(classes.name[0], "9007199254740992");
    CHECK_EQ_TEXT(classes.name[4], "12345678901234567891");
    classes_free(&classes);
}

TEST(finding_adds_nothing)
{
    struct classes classes = {0};
    CHECK(find(&classes, "a") == UINT32_MAX);
    add(&classes, "2");
    CHECK(find(&classes, "a") == UINT32_MAX);
    CHECK(find(&classes, "2.0") == 0 && find(&classes, "3") == UINT32_MAX);
    CHECK_EQ_SIZE(classes.count, 1);
    classes_free(&classes);
    classes_free(NULL);
}

TEST(numbers_are_sorted)
{
    static const char *const labels[] = {"10", "9", "-1", "+2.50", "1e2", "-1e-3"};
    static const char *const sorted[] = {"-1", "-0.001", "2.5", "9", "10", "100"};
    struct classes classes = {0};
    uint32_t new_number[6];
    for (size_t i = 0; i < 6; i++)
        add(&classes, labels[i]);
    if (!CHECK(classes_sort(&classes, new_number, NULL) == TEMPER_OK))
        return;
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQ_TEXT(classes.name[i], sorted[i]);
        CHECK(find(&classes, sorted[i]) == i);
        CHECK(find(&classes, labels[i]) == new_number[i]);
    }
    CHECK(add(&classes, "2.50") == 2 && add(&classes, "7") == 6);
    classes_free(&classes);
}

TEST(one_text_keeps_the_order_of_appearance)
{
    struct classes classes = {0};
    uint32_t new_number[3];
    add(&classes, "10");
    add(&classes, "9");
    add(&classes, "other");
    CHECK(classes_sort(&classes, new_number, NULL) == TEMPER_OK);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(new_number[i] == i);
    CHECK_EQ_TEXT(classes.name[0], "10");
    classes_free(&classes);
    CHECK(classes_sort(&classes, new_number, NULL) == TEMPER_OK);
}

TEST(labels_need_not_end_in_nul)
{
    const char text[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9', 'x'};
    struct classes classes = {0};
    for (uint32_t length = 1; length <= 10; length++)
        CHECK(classes_add(&classes, text, length) == length - 1);
    CHECK_EQ_TEXT(classes.name[9], "123456789x");
    CHECK_EQ_TEXT(classes.name[2], "123");
    classes_free(&classes);
}

/* As many as there may be, and one more; numbers, short and long text. */
TEST(as_many_as_allowed)
{
    static const char *const forms[] = {"%u", "c%u", "a long label, number %u"};
    static uint32_t new_number[MOST_CLASSES];
    for (size_t f = 0; f < 3; f++) {
        struct classes classes = {0};
        char label[64];
        uint32_t wrong = 0;
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t i = 0; i < MOST_CLASSES; i++) {
                int length = snprintf(label, sizeof label, forms[f], MOST_CLASSES - i);
                wrong += classes_add(&classes, label, (size_t)length) != i;
            }
        }
        CHECK_EQ_SIZE(wrong, 0);
        CHECK(add(&classes, "one too many") == UINT32_MAX - 1);
        CHECK(add(&classes, "1e99") == UINT32_MAX - 1);
        CHECK(classes_sort(&classes, new_number, NULL) == TEMPER_OK);
        CHECK(new_number[0] == (f == 0 ? MOST_CLASSES - 1 : 0));
        classes_free(&classes);
    }
}

/* More spellings than are remembered still find their class. */
TEST(endless_spellings_of_one_number)
{
    struct classes classes = {0};
    char label[64];
    uint32_t wrong = 0;
    for (unsigned i = 0; i < 300000; i++) {
        int length = snprintf(label, sizeof label, "%0*d", 1 + (int)(i % 60), 7);
        wrong += classes_add(&classes, label, (size_t)length) != 0;
    }
    CHECK_EQ_SIZE(wrong, 0);
    for (unsigned i = 0; i < 300000; i++) { /* each is 0 to the nearest double */
        int length = snprintf(label, sizeof label, "7e-%u", 400 + i);
        wrong += classes_add(&classes, label, (size_t)length) != 1;
    }
    CHECK_EQ_SIZE(wrong, 0);
    CHECK_EQ_SIZE(classes.count, 2);
    classes_free(&classes);
}

/* The inverse of an odd number modulo 2^64, by Newton's iteration. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* The eight bytes whose place in the table, under `seed`, is `hash`: the finaliser undone. */
static void craft(uint64_t hash, uint64_t seed, char text[8])
{
    hash = (hash ^ hash >> 33) * inverse(0xC4CEB9FE1A85EC53u);
    hash = (hash ^ hash >> 33) * inverse(0xFF51AFD7ED558CCDu);
    uint64_t key = hash ^ hash >> 33 ^ seed ^ 8 * 0x9E3779B97F4A7C15u;
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    memcpy(text, &low, 4);
    memcpy(text + 4, &high, 4);
}

/* An attacker who knows the hash makes labels that all want one slot of a table of 2^16; another
 * seed and a larger table must scatter them. */
TEST(crafted_collisions_are_scattered)
{
    enum { LABELS = 30000 };
    const size_t most = 1 << 16;
    struct string_table table = {0};
    uint64_t seed = 0;
    uint32_t wrong = 0;
    char text[8];
    for (size_t slots = 64; slots <= most; slots *= 2)
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    for (uint32_t i = 0; i < LABELS; i++) {
        craft((uint64_t)i << 20, seed, text);
        wrong += !string_table_add(&table, text, 8, i);
        CHECK(table.slots < most || table.seed == seed || table.slots == 2 * most);
    }
    CHECK_EQ_SIZE(table.slots, 2 * most);
    for (uint32_t i = 0; i < LABELS; i++) {
        craft((uint64_t)i << 20, seed, text);
        wrong += string_table_find(&table, text, 8) != i;
    }
    CHECK_EQ_SIZE(wrong, 0);
    string_table_free(&table);
}

TEST(a_list_of_names_fits_in_a_message)
{
    struct classes classes = {0};
    CHECK_EQ_TEXT(class_names_text(&classes).text, "");
    add(&classes, "setosa");
    add(&classes, "versi\ncolor");
    CHECK_EQ_TEXT(class_names_text(&classes).text, "setosa, versi\\x0acolor");
    for (unsigned i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "class number %u", i);
        add(&classes, name);
    }
    struct class_names_text list = class_names_text(&classes);
    const char *end = " more";
    CHECK(strlen(list.text) > strlen(end));
    CHECK_EQ_TEXT(list.text + strlen(list.text) - strlen(end), end);
    classes_free(&classes);
}

static temper_status fill(struct classes *classes)
{
    static const char *const labels[] = {"a long label that is text", "+1", "1", "2.0", "b", "c", "another long label"};
    char label[32];
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (add(classes, labels[i]) == UINT32_MAX)
            return TEMPER_NO_MEMORY;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(label, sizeof label, "%s%u", i % 2 ? "+" : "class number ", i);
        if (add(classes, label) == UINT32_MAX)
            return TEMPER_NO_MEMORY;
    }
    return TEMPER_OK;
}

TEST(survives_a_lack_of_memory)
{
    for (size_t n = 1;; n++) {
        struct classes classes = {0};
        fault_arm(n);
        temper_status status = fill(&classes);
        fault_disarm();
        if (fault_fired()) {
            CHECK(status == TEMPER_NO_MEMORY);
            status = fill(&classes); /* what is there is whole, and can go on */
        }
        CHECK(status == TEMPER_OK);
        CHECK_EQ_SIZE(classes.count, 105);
        classes_free(&classes);
        if (!fault_fired())
            break;
    }
}

TEST(sorting_and_copying_survive_a_lack_of_memory)
{
    struct classes classes = {0}, copy = {0};
    uint32_t new_number[3];
    temper_error error;
    add(&classes, "2");
    add(&classes, "1");
    fault_arm(1);
    CHECK(classes_sort(&classes, new_number, &error) == TEMPER_NO_MEMORY);
    fault_disarm();
    CHECK(find(&classes, "2") == 0);
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = classes_copy(&classes, &copy, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && copy.count == 0);
    }
    CHECK(find(&copy, "1.0") == 1 && copy.count == 2);
    classes_free(&classes);
    classes_free(&copy);
}

/* Numbers get the classes of their texts, more of them than are remembered, and each again. */
TEST(numbers_are_the_classes_of_their_decimals)
{
    static const double odd[] = {0, -0.0, 1, -1, 0.1, 1e300, 1e-300, 3e9, 1.0 / 3};
    enum { ODD = sizeof odd / sizeof *odd, MANY_NUMBERS = 3 * NUMBER_CLASSES };
    struct classes by_number = {0}, by_text = {0};
    static struct number_classes seen;
    for (size_t i = 0; i < 2 * MANY_NUMBERS; i++) {
        char text[NUMBER_LENGTH];
        double value = i % MANY_NUMBERS < ODD ? odd[i % MANY_NUMBERS] : (double)(i % MANY_NUMBERS) * 0.5;
        uint32_t expected = classes_add(&by_text, text, number_write_f64(value, text));
        CHECK(classes_add_number(&by_number, &seen, value) == expected);
    }
    CHECK(by_number.count == by_text.count);
    for (size_t c = 0; c < by_text.count; c++)
        CHECK_EQ_TEXT(by_number.name[c], by_text.name[c]);
    classes_free(&by_number);
    classes_free(&by_text);
}

TEST_LIST(LISTED(numbers_are_the_classes_of_their_decimals), LISTED(numbers_compare_as_numbers),
          LISTED(text_compares_as_text), LISTED(long_identifiers_stay_apart), LISTED(finding_adds_nothing),
          LISTED(numbers_are_sorted), LISTED(one_text_keeps_the_order_of_appearance),
          LISTED(labels_need_not_end_in_nul), LISTED(as_many_as_allowed), LISTED(endless_spellings_of_one_number),
          LISTED(crafted_collisions_are_scattered), LISTED(a_list_of_names_fits_in_a_message),
          LISTED(survives_a_lack_of_memory), LISTED(sorting_and_copying_survive_a_lack_of_memory))
