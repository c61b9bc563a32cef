/* Numbers that are read where they stand: what is taken is right to the last bit. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/number_fast.h"
#include "base/random.h"
#include "fixtures/test.h"

/* ---- Where digits and tokens end ------------------------------------------------------------- */

/* The look at every byte of a text, one at a time. */
static bool looks_right(const char *text, char separator)
{
    struct number_view view = number_look(text, separator);
    unsigned seen = view.ends && (view.ends & 0xffff) ? 16 : 32;
    for (unsigned i = 0; i < seen; i++) {
        char c = text[i];
        bool stop = c < '0' || c > '9', end = c == separator || c == '\n';
        if ((view.stops >> i & 1) != stop || (view.ends >> i & 1) != end)
            return false;
    }
    return true;
}

/* Each byte in each place, among digits. */
TEST(every_byte_is_seen_for_what_it_is)
{
    char text[NUMBER_PLAIN_AHEAD];
    size_t wrong = 0;
    memset(text, '5', sizeof text);
    text[9] = ',';
    if (!number_look(text, ',').ends)
        SKIP("no number is plain here");
    for (size_t place = 0; place < 32; place++) {
        for (int byte = 0; byte < 256; byte++) {
            text[place] = (char)byte;
            if (!looks_right(text, ',') || !looks_right(text, ' ') || !looks_right(text, '\t'))
                wrong++;
        }
        text[place] = '5';
    }
    CHECK_EQ_SIZE(wrong, 0);
}

TEST(random_bytes_are_seen_for_what_they_are)
{
    static const char letters[] = "0123456789.-+e,; \t\n\r:/\xb0\xff";
    struct random random = {.seed = 8, .stream = 2};
    size_t wrong = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        char text[NUMBER_PLAIN_AHEAD];
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = letters[random_below(random, i * sizeof text + k, sizeof letters)];
        if (!looks_right(text, ',') || !looks_right(text, ';'))
            wrong++;
    }
    CHECK_EQ_SIZE(wrong, 0);
}

TEST(digits_of_all_lengths)
{
    static const char digits[] = "9876543210.987-6543210000000";
    static const uint64_t right[] = {0, 9, 98, 987, 9876, 98765, 987654, 9876543, 98765432};
    for (unsigned count = 1; count <= 8; count++) {
        CHECK(number_eight(digits, count) == right[count]);
        for (unsigned more = 1; more <= 8; more++) {
            struct number_pair two = number_two(digits, count, digits + 1, more);
            CHECK(two.first == right[count] && two.second == number_eight(digits + 1, more));
        }
    }
    CHECK(number_eight("99999999", 8) == 99999999);
    CHECK(number_eight("00000000", 8) == 0);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A random number as text, in one of many shapes. */
static void write_number(struct random random, uint64_t i, char *out, size_t size)
{
    uint64_t bits = random_bits(random, 3 * i), digits = random_bits(random, 3 * i + 1);
    digits >>= bits % 61; /* of any length */
    const char *sign = bits & 64 ? "-" : "";
    int decimals = (int)(bits >> 8 & 15), exponent = (int)(bits >> 16 & 63) - 32;
    switch (bits >> 24 & 3) {
    case 0:
        snprintf(out, size, "%s%llu", sign, (unsigned long long)digits);
        break;
    case 1:
        snprintf(out, size, "%s%llu.%0*llu", sign, (unsigned long long)(digits >> 40), decimals,
                 (unsigned long long)(digits & 0xffffffffff));
        break;
    case 2:
        snprintf(out, size, "%s%llu.%llue%d", sign, (unsigned long long)(digits % 10),
                 (unsigned long long)(digits / 10), exponent);
        break;
    default:
        snprintf(out, size, "%s.%0*llu", sign, decimals, (unsigned long long)digits);
    }
}

/* The token at the beginning of a text, if it is plain. */
static bool read_plain(const char *text, struct number_fast *plain)
{
    struct number_view view = number_look(text, ',');
    return view.ends && number_fast_read(text, (unsigned)__builtin_ctz(view.ends), view.stops, plain);
}

/* Whether what the quick path took is what base/number reads. */
static bool is_exact(const char *text, size_t length, const struct number_fast *plain)
{
    float narrow = 0, same_narrow = 0;
    double wide = 0, same_wide = 0;
    if (number_f64(text, text + length, &same_wide) != NUMBER_OK)
        return false;
    if (number_fast_f64(plain, &wide) && memcmp(&wide, &same_wide, sizeof wide) != 0)
        return false;
    if (!number_fast_f32(plain, &narrow))
        return true;
    return number_f32(text, text + length, &same_narrow) == NUMBER_OK &&
           memcmp(&narrow, &same_narrow, sizeof narrow) == 0;
}

TEST(plain_numbers_are_exact)
{
    struct random random = {.seed = 3, .stream = 77};
    size_t taken = 0, wrong = 0;
    for (uint64_t i = 0; i < 300000; i++) {
        char text[96 + NUMBER_PLAIN_AHEAD] = "";
        struct number_fast plain;
        write_number(random, i, text, 80);
        size_t length = strlen(text);
        text[length] = i % 2 ? ',' : '\n';
        text[length + 1] = (char)('0' + i % 10); /* which does not belong to it */
        if (!read_plain(text, &plain))
            continue;
        taken++;
        wrong += !is_exact(text, length, &plain);
    }
    CHECK_EQ_SIZE(wrong, 0);
    CHECKF(taken > 100000, "%zu", taken);
}

TEST(what_is_no_number_is_not_taken)
{
    static const char *const texts[] = {",",      "-,",     ".,",    "-.,",     "--1,",     "1-,",    "1.2.3,",
                                        "1..2,",  "1e,",    "1e+,",  "e5,",     "1e5e5,",   "1 2,",   " 1,",
                                        "1 ,",    "0x10,",  "1:2,",  "nan,",    "1.2e--3,", "1.e5.,", "+,",
                                        "1e1.5,", "1.5-3,", "1.-5,", "1\0002,", "1_000,",   "1.5f,"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[NUMBER_PLAIN_AHEAD + 16] = "";
        struct number_fast plain;
        memcpy(text, texts[i], strlen(texts[i]) + 1);
        CHECKF(!read_plain(text, &plain), "'%s'", text);
    }
}

TEST_LIST(LISTED(every_byte_is_seen_for_what_it_is), LISTED(random_bytes_are_seen_for_what_they_are),
          LISTED(digits_of_all_lengths), LISTED(plain_numbers_are_exact), LISTED(what_is_no_number_is_not_taken))
