/* What the text of a cell is read as: gaps, booleans, numbers in many notations, dates, words. */
#include <math.h>
#include <string.h>

#include "data/table/table_cells.h"
#include "fixtures/test.h"

static bool is_gap(const char *text, bool certain)
{
    return cell_is_gap(text, text + strlen(text), NULL, certain);
}

/* Words for no value, in any case; some of them may be the name of a class. */
TEST(gaps)
{
    static const char *const always[] = {"", "NA", "n/a", "#N/A", "<NA>", "null", "NULL", "NaN", "nan", "?", "NaT"};
    static const char *const weak[] = {"None", "none", "-", "--", "."};
    static const char *const never[] = {"0", "no", "nan1", "unknown", "N", "A", "- -", "nothing"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        CHECKF(is_gap(always[i], true) && is_gap(always[i], false), "%s", always[i]);
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        CHECKF(!is_gap(weak[i], true) && is_gap(weak[i], false), "%s", weak[i]);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        CHECKF(!is_gap(never[i], false), "%s", never[i]);
    char word[] = "-999", *list[] = {word};
    const struct names more = {list, 1};
    CHECK(cell_is_gap(word, word + 4, &more, true));
    CHECK(!cell_is_gap(word, word + 3, &more, true));
}

TEST(booleans)
{
    static const struct {
        const char *text;
        double value; /* -1: it is none */
    } cases[] = {{"true", 1}, {"FALSE", 0}, {"Yes", 1}, {"no", 0}, {"T", 1},  {"f", 0},     {"y", 1},
                 {"N", 0},    {"1", 1},     {"0", 0},   {"on", 1}, {"2", -1}, {"male", -1}, {"", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        unsigned pairs = cell_boolean_pairs(cases[i].text, cases[i].text + strlen(cases[i].text), &value);
        CHECKF((pairs != 0) == (cases[i].value >= 0) && value == cases[i].value, "%s", cases[i].text);
    }
    double ignored;
    static const char yes[] = "yes", word[] = "true";
    CHECK((cell_boolean_pairs(yes, yes + 3, &ignored) & cell_boolean_pairs(word, word + 4, &ignored)) == 0);
}

/* A number under a decimal mark, or NaN. */
static double number(const char *text, char decimal)
{
    double value;
    return cell_number(text, text + strlen(text), decimal, &value) ? value : (double)NAN;
}

TEST(numbers)
{
    static const struct {
        const char *text;
        double point, comma; /* NaN: not a number under that mark */
    } cases[] = {{"1234.5", 1234.5, (double)NAN},
                 {"1,234.50", 1234.5, (double)NAN},
                 {"1.234,50", (double)NAN, 1234.5},
                 {"1,5", (double)NAN, 1.5},
                 {"1,234", 1234, 1.234},
                 {"12", 12, 12},
                 {"0.123", 0.123, (double)NAN},
                 {"1,00,000", 100000, (double)NAN},
                 {"$5", 5, 5},
                 {"-$1,200.75", -1200.75, (double)NAN},
                 {"(12.5)", -12.5, (double)NAN},
                 {"45 %", 45, 45},
                 {"45.5%", 45.5, (double)NAN},
                 {"1'000", 1000, 1000},
                 {"1 000 000", 1000000, 1000000},
                 {"\xe2\x82\xac 7,5", (double)NAN, 7.5},
                 {"7\xc2\xa0"
                  "000,25",
                  (double)NAN, 7000.25},
                 {"EUR 12", 12, 12},
                 {"1e3", 1000, 1000},
                 {"-3", -3, -3},
                 {"+.5", .5, (double)NAN},
                 {"12,34,5", (double)NAN, (double)NAN},
                 {"1,,000", (double)NAN, (double)NAN},
                 {"--3", (double)NAN, (double)NAN},
                 {"", (double)NAN, (double)NAN},
                 {"$", (double)NAN, (double)NAN},
                 {"12 apples", (double)NAN, (double)NAN},
                 {"1.2.3", (double)NAN, (double)NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double point = number(cases[i].text, '.'), comma = number(cases[i].text, ',');
        CHECKF(point == cases[i].point || (isnan(point) && isnan(cases[i].point)), "%s: %g", cases[i].text, point);
        CHECKF(comma == cases[i].comma || (isnan(comma) && isnan(cases[i].comma)), "%s: %g", cases[i].text, comma);
    }
}

/* Days since 1970 under an order, or NaN. */
static double days(const char *text, enum date_order order)
{
    struct cell_date date;
    return cell_date(text, text + strlen(text), order, &date) && date.day ? date.days : (double)NAN;
}

/* All spellings of 2024-05-01, which is day 19844. */
TEST(dates)
{
    static const char *const any[] = {"2024-05-01",  "2024/5/1",    "2024.05.01", "1 May 2024",      "May 1, 2024",
                                      "01-May-2024", "1. May 2024", "1-May-24",   "Wed, 1 May 2024", "May 1st 2024"};
    static const char *const never[] = {"2024-13-01", "2024-02-30", "31.4.2024",   "12",  "1.5",     "hello",
                                        "2024",       "1/2/3/4",    "2024-05-01x", "May", "1234567", "10.0.0.1"};
    for (int order = 0; order < DATE_ORDERS; order++) {
        for (size_t i = 0; i < sizeof any / sizeof *any; i++)
            CHECKF(days(any[i], (enum date_order)order) == 19844, "%s: %g", any[i],
                   days(any[i], (enum date_order)order));
        for (size_t i = 0; i < sizeof never / sizeof *never; i++)
            CHECKF(isnan(days(never[i], (enum date_order)order)), "%s", never[i]);
    }
    CHECK(days("1.5.2024", DATE_DMY) == 19844);
    CHECK(days("5/1/2024", DATE_MDY) == 19844);
    CHECK(days("5/1/24", DATE_MDY) == 19844);
    CHECK(days("24-05-01", DATE_YMD) == 19844);
    CHECK(isnan(days("13/1/2024", DATE_MDY)));
    CHECK(days("1970-01-01", DATE_YMD) == 0);
    CHECK(days("1969-12-31", DATE_YMD) == -1);
    CHECK(days("2000-02-29", DATE_YMD) == 11016);
    CHECK(days("2024-05", DATE_YMD) == 19844);
}

TEST(times)
{
    struct cell_date date;
    static const char stamp[] = "2024-05-01T18:30:00Z";
    CHECK(cell_date(stamp, stamp + strlen(stamp), DATE_YMD, &date));
    CHECK(date.day && date.time && date.hour == 18.5 && date.days == 19844 + 18.5 / 24);
    CHECK(date.month == 5 && date.weekday == 2 && date.year == 2024); /* a Wednesday */
    static const char *const half_past_six[] = {"18:30", "6:30 PM", "18:30:00", "06:30pm", "18:30:00.000+02:00"};
    for (size_t i = 0; i < sizeof half_past_six / sizeof *half_past_six; i++) {
        const char *text = half_past_six[i];
        CHECKF(cell_date(text, text + strlen(text), DATE_YMD, &date) && !date.day && date.hour == 18.5, "%s", text);
    }
    static const char *const never[] = {"25:00", "12:60", "18:3x", "a:b", "13:00 PM", "1:2:3:4"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        CHECKF(!cell_date(never[i], never[i] + strlen(never[i]), DATE_YMD, &date), "%s", never[i]);
}

/* Words are compared without case and marks; pairs depend on their order; the length is 1. */
TEST(words)
{
    enum { COUNT = 64 };
    double a[COUNT], b[COUNT], c[COUNT], squares = 0;
    static const char one[] = "The cat, the DOG", two[] = "the CAT the dog!", three[] = "dog the cat the";
    cell_words(one, one + strlen(one), a, COUNT);
    cell_words(two, two + strlen(two), b, COUNT);
    cell_words(three, three + strlen(three), c, COUNT);
    CHECK(memcmp(a, b, sizeof a) == 0);
    CHECK(memcmp(a, c, sizeof a) != 0);
    for (size_t i = 0; i < COUNT; i++)
        squares += a[i] * a[i];
    CHECK_CLOSE(squares, 1, 1e-12);
    cell_words("", "", a, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(a[i] == 0);
    CHECK_EQ_SIZE(cell_count_words(one, one + strlen(one)), 4);
}

TEST_LIST(LISTED(gaps), LISTED(booleans), LISTED(numbers), LISTED(dates), LISTED(times), LISTED(words))
