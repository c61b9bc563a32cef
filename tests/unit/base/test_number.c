/* Numbers in text: correctly rounded, whatever the locale, and back by the shortest way. */
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "fixtures/test.h"

static enum number_result read64(const char *text, double *out)
{
    return number_f64(text, text + strlen(text), out);
}

static enum number_result read32(const char *text, float *out)
{
    return number_f32(text, text + strlen(text), out);
}

/* The C library in the C locale is the judge; the sign of zero counts. */
static void agree(const char *text)
{
    double d = -1, judge = strtod(text, NULL);
    float f = -1, judge32 = strtof(text, NULL);
    enum number_result result = read64(text, &d), result32 = read32(text, &f);
    CHECKF(isinf(judge) ? result == NUMBER_OVERFLOW : memcmp(&d, &judge, sizeof d) == 0, "'%s' became %.17g, not %.17g",
           text, d, judge);
    CHECKF(isinf(judge32) ? result32 == NUMBER_OVERFLOW : memcmp(&f, &judge32, sizeof f) == 0,
           "'%s' became %.9g, not %.9g", text, (double)f, (double)judge32);
}

TEST(what_people_write)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "-.5e1",
                                        "1e5",
                                        "1E-5",
                                        "1e+05",
                                        "00012",
                                        "0.000",
                                        "3.14159265358979",
                                        "123456789012345678901234567890",
                                        "0.1",
                                        "0.30000000000000004",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "16777217",
                                        "16777219",
                                        "1.00000005960464477539",
                                        "1.0000000596046448",
                                        "8.5899345920e9",
                                        "1e308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "1e400",
                                        "-1e400",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "1e-400",
                                        "1e-45",
                                        "7e-46",
                                        "1.17549435e-38",
                                        "1.17549428e-38",
                                        "3.4028235e38",
                                        "3.4028236e38",
                                        "1e39",
                                        "2.2250738585072011e-308",
                                        "0.0000000000000000000000000000000000001e37",
                                        "1e-99999999999",
                                        "1e99999999999",
                                        "0e99999999999",
                                        "6.0e-8",
                                        "72057594037927945",
                                        "9.5367431640625e-7"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        agree(texts[i]);
}

TEST(no_numbers)
{
    static const char *const texts[] = {"",      " ",   "+",    "-",    ".",  "e5",      "1e",  "1e+",
                                        "1 ",    " 1",  "1,5",  "0x1",  "1f", "1_000",   "--1", "1..2",
                                        "1.2.3", "one", "1e5.", "\x01", "in", "infinit", "nanx"};
    double d = 7;
    float f = 7;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECKF(read64(texts[i], &d) == NUMBER_NONE && d == 7, "'%s'", texts[i]);
        CHECKF(read32(texts[i], &f) == NUMBER_NONE && f == 7, "'%s'", texts[i]);
    }
    static const char *const words[] = {"nan", "NaN", "-nan", "inf", "+Inf", "-INF", "infinity", "Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CHECKF(read64(words[i], &d) == NUMBER_NOT_FINITE && d == 7, "'%s'", words[i]);
}

/* Digits in any number are read; the C library is the reference, which takes them all. */
TEST(very_long_tokens)
{
    static char text[5000];
    for (int point = 0; point < 3; point++) { /* behind the first digit, far behind, nowhere */
        memset(text, '1', sizeof text - 1);
        if (point < 2)
            text[point ? 3000 : 1] = '.';
        text[1200] = '\0';
        agree(text);
        text[1200] = '7';
        agree(text);
        memcpy(text + sizeof text - 7, "e-4500", 7);
        agree(text);
    }
}

/* 1 + 2^-53 is halfway between two doubles: a digit far to the right decides. */
TEST(the_last_of_many_digits_decides)
{
    static char text[4000];
    double d = 0;
    snprintf(text, sizeof text, "1.00000000000000011102230246251565404236316680908203125");
    size_t length = strlen(text);
    memset(text + length, '0', sizeof text - 1 - length);
    CHECK(read64(text, &d) == NUMBER_OK && d == 1);
    text[sizeof text - 2] = '1';
    CHECK(read64(text, &d) == NUMBER_OK && d == 1 + 0x1p-52);
    agree(text);
}

/* What a long row of zeros takes away, the exponent may give back. */
TEST(a_million_digits)
{
    enum { DIGITS = 1000000 };
    char *text = malloc(DIGITS + 64);
    double d = 7;
    float f = 7;
    CHECK(text != NULL);
    if (!text)
        return;
    memset(text, '0', DIGITS);
    text[1] = '.';
    snprintf(text + DIGITS, 64, "25e%d", DIGITS);
    CHECK(read64(text, &d) == NUMBER_OK && d == 25);
    CHECK(read32(text, &f) == NUMBER_OK && f == 25);
    snprintf(text + DIGITS, 64, "25e-99999999999999999999999");
    CHECK(read64(text, &d) == NUMBER_OK && d == 0);
    memset(text, '9', DIGITS);
    snprintf(text + DIGITS, 64, "e-%d", DIGITS - 3);
    CHECK(read64(text, &d) == NUMBER_OK && d == 1000);
    text[DIGITS] = '\0';
    d = 7;
    CHECK(read64(text, &d) == NUMBER_OVERFLOW && d == 7);
    text[0] = '-';
    CHECK(read32(text, &f) == NUMBER_OVERFLOW);
    text[DIGITS - 1] = 'x';
    CHECK(read64(text, &d) == NUMBER_NONE && d == 7);
    free(text);
}

/* Random doubles, floats and decimals of every length; near halfway cases of floats among them. */
TEST(random_decimals_agree)
{
    const struct random random = {.seed = 11};
    char text[64];
    for (uint64_t i = 0; i < 60000; i++) {
        uint64_t bits = random_bits(random, i);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (i % 3 == 1) /* numbers of everyday size */
            d = ldexp((double)(int64_t)bits, (int)(bits % 80) - 100);
        if (i % 3 == 2) { /* half between two floats, give or take */
            float f = (float)ldexp((double)(int64_t)bits, -60);
            d = ((double)f + (double)nextafterf(f, INFINITY)) / 2;
        }
        if (!isfinite(d))
            continue;
        snprintf(text, sizeof text, "%.*g", (int)(bits % 20) + 1, d);
        agree(text);
    }
}

static void write_and_read(double d)
{
    char text[NUMBER_LENGTH];
    double back = 0;
    float f = (float)d, back32 = 0;
    size_t length = number_write_f64(d, text);
    CHECKF(length == strlen(text) && length < NUMBER_LENGTH, "'%s'", text);
    CHECKF(read64(text, &back) == NUMBER_OK && back == d, "%.17g was written as '%s'", d, text);
    if (!isfinite(f))
        return;
    number_write_f32(f, text);
    CHECKF(read32(text, &back32) == NUMBER_OK && back32 == f, "%.9g was written as '%s'", (double)f, text);
}

TEST(what_is_written_reads_back)
{
    const struct random random = {.seed = 12};
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = random_bits(random, i);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (i % 2)
            d = ldexp((double)(int64_t)bits, (int)(bits % 80) - 100);
        if (isfinite(d))
            write_and_read(d);
    }
}

TEST(short_and_as_people_write_it)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1, "-1"},
                 {0.1, "0.1"},
                 {1.5, "1.5"},
                 {120, "120"},
                 {1e15, "1000000000000000"},
                 {1e16, "1e16"},
                 {1e-5, "0.00001"},
                 {1.5e-7, "1.5e-7"},
                 {-2.5e30, "-2.5e30"},
                 {123456.789, "123456.789"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {DBL_MAX, "1.7976931348623157e308"}};
    char text[NUMBER_LENGTH];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        number_write_f64(cases[i].value, text);
        CHECK_EQ_TEXT(text, cases[i].text);
    }
    number_write_f32(0.1f, text);
    CHECK_EQ_TEXT(text, "0.1");
    number_write_f32(16777216.0f, text);
    CHECK_EQ_TEXT(text, "16777216");
}

TEST(whole_numbers)
{
    unsigned long long n = 7;
    const char *text = "18446744073709551615x";
    CHECK(number_u64(text, text + 20, &n) && n == ULLONG_MAX);
    text = "18446744073709551616";
    CHECK(!number_u64(text, text + 20, &n) && n == ULLONG_MAX);
    const char *minus = "-1", *plus = "+1";
    CHECK(!number_u64(text, text, &n) && !number_u64(minus, minus + 2, &n));
    CHECK(!number_u64(plus, plus + 2, &n) && n == ULLONG_MAX);
}

/* The decimal comma of a German locale changes nothing. */
TEST(locale_does_not_matter)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        SKIP("no de_DE locale here");
    double d = 0;
    char text[NUMBER_LENGTH];
    bool held = read64("1.5", &d) == NUMBER_OK && d == 1.5 && read64("1,5", &d) == NUMBER_NONE &&
                read64("1.234567890123456789012", &d) == NUMBER_OK;
    number_write_f64(1.25, text);
    held = held && strcmp(text, "1.25") == 0;
    setlocale(LC_ALL, "C");
    CHECK(held);
}

TEST_LIST(LISTED(what_people_write), LISTED(no_numbers), LISTED(very_long_tokens),
          LISTED(the_last_of_many_digits_decides), LISTED(a_million_digits), LISTED(random_decimals_agree),
          LISTED(what_is_written_reads_back), LISTED(short_and_as_people_write_it), LISTED(whole_numbers),
          LISTED(locale_does_not_matter))
