/* The growing string: what it holds, how it writes numbers in any locale, and how it fails. */
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/text.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

TEST(appends_and_stays_terminated)
{
    struct text text = {0};
    text_append(&text, "");
    CHECK_EQ_TEXT(text.bytes, "");
    text_append(&text, "one");
    text_append_bytes(&text, " two!", 4);
    text_format(&text, " %d %s %zu%%", -3, "four", (size_t)5);
    CHECK_EQ_TEXT(text.bytes, "one two -3 four 5%");
    CHECK_EQ_SIZE(text.length, strlen(text.bytes));
    CHECK(text.capacity > text.length);
    CHECK(!text.failed);
    text_free(&text);
    CHECK(text.bytes == NULL && text.length == 0 && text.capacity == 0);
    text_free(&text);
}

TEST(bytes_may_be_zero)
{
    struct text text = {0};
    text_append_bytes(&text, "a\0b", 3);
    CHECK_EQ_SIZE(text.length, 3);
    CHECK(memcmp(text.bytes, "a\0b", 4) == 0);
    text_free(&text);
}

/* Every length around the points where it grows; a sanitizer watches the edges. */
TEST(grows_by_any_amount)
{
    char piece[600];
    memset(piece, 'x', sizeof piece);
    for (size_t size = 0; size < sizeof piece; size++) {
        struct text text = {0};
        size_t expected = 0;
        for (int i = 0; i < 5; i++) {
            text_append_bytes(&text, piece, size);
            text_format(&text, "%d", i);
            expected += size + 1;
        }
        CHECK_EQ_SIZE(text.length, expected);
        CHECK_EQ_SIZE(strlen(text.bytes), expected);
        text_free(&text);
    }
}

static void check_number(double value, int decimals, const char *expected)
{
    struct text text = {0};
    text_append_number(&text, value, decimals);
    CHECK_EQ_TEXT(text.bytes, expected);
    CHECK_EQ_SIZE(text.length, strlen(expected));
    text_free(&text);
}

static void check_numbers(void)
{
    check_number(0, 3, "0");
    check_number(-0.0, 3, "0");
    check_number(-0.0004, 3, "0");
    check_number(1.5, 3, "1.5");
    check_number(1.5, 0, "2");
    check_number(0.01, 2, "0.01");
    check_number(-0.05, 2, "-0.05");
    check_number(-3, 2, "-3");
    check_number(0.999, 2, "1");
    check_number(100, 0, "100");
    check_number(1234567.125, 9, "1234567.125");
    check_number(1e-9, 9, "0.000000001");
    check_number(-12.3456789, 4, "-12.3457");
    check_number(1e15, 0, "1000000000000000");
    check_number(1e22, 6, "10000000000000000000000");
    check_number(-9007199254740993.0, 3, "-9007199254740992");
    check_number(INFINITY, 3, "inf");
    check_number(-INFINITY, 3, "-inf");
    check_number(NAN, 3, "nan");
    check_number(5e-324, 9, "0");
}

TEST(numbers)
{
    check_numbers();
}

/* DBL_MAX times a power of ten is infinite; its digits must come out all the same. */
TEST(huge_numbers_keep_their_digits)
{
    struct text text = {0};
    text_append_number(&text, 1.7976931348623157e308, 9);
    CHECK_EQ_SIZE(text.length, 309);
    CHECK(strncmp(text.bytes, "17976931348623157", 17) == 0);
    text_free(&text);
}

/* The text, read back, is within half a unit of the last decimal. */
TEST(numbers_are_rounded_to_the_last_decimal)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = ((double)(state >> 11) * 0x1p-53 - 0.5) * pow(10, i % 7);
        int decimals = i % 10;
        struct text text = {0};
        text_append_number(&text, value, decimals);
        double back = strtod(text.bytes, NULL);
        double unit = pow(10, -decimals);
        CHECKF(fabs(back - value) <= 0.5 * unit + 1e-15 * fabs(value), "%.17g as %s", value, text.bytes);
        const char *point = strchr(text.bytes, '.');
        if (point)
            CHECKF((int)strlen(point + 1) <= decimals && text.bytes[text.length - 1] != '0', "%.17g as %s", value,
                   text.bytes);
        text_free(&text);
    }
}

TEST(a_locale_with_a_comma_changes_nothing)
{
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    char sample[8] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names && strcmp(sample, "0,5") != 0; i++)
        if (setlocale(LC_ALL, names[i]))
            snprintf(sample, sizeof sample, "%.1f", 0.5);
    if (strcmp(sample, "0,5") == 0)
        check_numbers();
    setlocale(LC_ALL, "C");
    if (strcmp(sample, "0,5") != 0)
        SKIP("no locale with a decimal comma is installed");
}

static void write_much(struct text *text)
{
    for (int i = 0; i < 300; i++) {
        text_append(text, "words ");
        text_append_bytes(text, "bytes ", 6);
        text_format(text, "%d ", i);
        text_append_number(text, i / 8.0, 3);
    }
}

TEST(every_failing_allocation_is_noticed_once_and_for_all)
{
    size_t n = 1;
    for (;; n++) {
        struct text text = {0};
        fault_arm(n);
        write_much(&text);
        fault_disarm();
        CHECK(text.failed == fault_fired());
        if (!text.failed)
            CHECK_EQ_SIZE(strlen(text.bytes), text.length);
        size_t length = text.length;
        if (text.failed) {
            text_append(&text, "more"); /* there is memory again, but a gap would be worse */
            text_format(&text, "more");
            text_append_number(&text, 1, 0);
            CHECK_EQ_SIZE(text.length, length);
        }
        text_free(&text);
        if (!fault_fired())
            break;
    }
    CHECK(n > 3);
}

TEST(a_length_that_does_not_fit_is_a_failure)
{
    struct text text = {0};
    text_append(&text, "abc");
    text.length = SIZE_MAX - 2; /* as if so much were there */
    text_append(&text, "more");
    CHECK(text.failed);
    text_free(&text);
}

TEST(case_and_blanks_do_not_count)
{
    struct text text = {0};
    text_append_folded(&text, " New\tYORK \xc3\x84");
    CHECK_EQ_TEXT(text.bytes, "newyork\xc3\x84");
    text_free(&text);
    text_append_folded(&text, "");
    CHECK_EQ_TEXT(text.bytes, "");
    text_free(&text);
    CHECK(text_alike("New York", " newyork ") && text_alike("", " "));
    CHECK(!text_alike("a", "ab") && !text_alike("ab", "a") && !text_alike("a", "b"));
    CHECK_EQ_TEXT(plural(1), "");
    CHECK_EQ_TEXT(plural(0), "s");
}

TEST(counts_have_commas)
{
    CHECK_EQ_TEXT(count_shown(0).text, "0");
    CHECK_EQ_TEXT(count_shown(999).text, "999");
    CHECK_EQ_TEXT(count_shown(1000).text, "1,000");
    CHECK_EQ_TEXT(count_shown(1234567).text, "1,234,567");
    CHECK_EQ_TEXT(count_shown(18446744073709551615ull).text, "18,446,744,073,709,551,615");
}

/* The nearest of some names, or "". */
static const char *nearest(const char *typed)
{
    static const char *const names[] = {"income", "colour", "age", "sep", "temperatures"};
    struct suggestion found = {.typed = typed};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        suggestion_offer(&found, names[i]);
    return found.name ? found.name : "";
}

TEST(nearest_names)
{
    CHECK_EQ_TEXT(nearest("incme"), "income");
    CHECK_EQ_TEXT(nearest("INCOME"), "income");
    CHECK_EQ_TEXT(nearest("color"), "colour");
    CHECK_EQ_TEXT(nearest("coluor"), "colour");
    CHECK_EQ_TEXT(nearest("temp"), "temperatures");
    CHECK_EQ_TEXT(nearest("seperator"), "sep");
    CHECK_EQ_TEXT(nearest("weight"), "");
    CHECK_EQ_TEXT(nearest(""), "");
    CHECK_EQ_TEXT(nearest("a_name_of_a_column_that_is_longer_than_any_name_compared"), "");
}

/* The line and the column of the value that is wrong, both from 1. */
TEST(a_fault_of_json_has_a_place)
{
    static const char text[] = "{\n  \"a\": 1,\n  \"b\":  x}";
    struct json_reader json;
    temper_error error = {0};
    char key[JSON_KEY];
    double number;
    json_open(&json, "t.json", text, strlen(text), &error);
    CHECK(json_object(&json) && json_key(&json, key) && json_f64(&json, &number) && number == 1);
    CHECK(json_key(&json, key) && !json_f64(&json, &number));
    CHECKF(error.line == 3 && error.column == 9, "%s", error.message);
    CHECKF(strncmp(error.message, "t.json:3:9: ", 12) == 0, "%s", error.message);
}

TEST_LIST(LISTED(case_and_blanks_do_not_count), LISTED(appends_and_stays_terminated), LISTED(bytes_may_be_zero),
          LISTED(grows_by_any_amount), LISTED(numbers), LISTED(huge_numbers_keep_their_digits),
          LISTED(numbers_are_rounded_to_the_last_decimal), LISTED(a_locale_with_a_comma_changes_nothing),
          LISTED(every_failing_allocation_is_noticed_once_and_for_all), LISTED(a_length_that_does_not_fit_is_a_failure),
          LISTED(counts_have_commas), LISTED(nearest_names), LISTED(a_fault_of_json_has_a_place))
