/* Columns of characters on a terminal. */
#include "base/display/display_width.h"

#include <string.h>

#include "fixtures/test.h"

TEST(characters)
{
    CHECK(display_width("") == 0 && display_width("abc") == 3);
    CHECK(display_width("caf\xc3\xa9") == 4);              /* é */
    CHECK(display_width("cafe\xcc\x81") == 4);             /* e and a combining acute accent */
    CHECK(display_width("\xe6\x97\xa5\xe6\x9c\xac") == 4); /* two Han characters */
    CHECK(display_width("\xea\xb0\x80") == 2);             /* a Hangul syllable */
    CHECK(display_width("\xf0\x9f\x90\x88") == 2);         /* a cat */
    CHECK(display_width("\xef\xbd\xb1") == 1);             /* half-width katakana */
    CHECK(display_width("\xd9\x85\xd9\x8e") == 1);         /* an Arabic letter and its vowel sign */
    CHECK(display_width("a\xe2\x80\x8d"
                        "b") == 2); /* a zero width joiner */
}

/* Bytes that are not UTF-8 take a column each, and so do control characters, which are shown as "?". */
TEST(other_bytes)
{
    CHECK(display_width("\xff\xfe") == 2 && display_width("a\tb\n") == 4);
    static const char half[] = "\xe6\x97";
    struct shown_character cut = display_character(half, half + 2);
    CHECK(cut.bytes == 1 && cut.columns == 1);
}

/* Checks a text with its control characters replaced. */
static void check_masked(const char *text, bool lines, const char *expected)
{
    char bytes[64];
    size_t length = strlen(text);
    memcpy(bytes, text, length + 1);
    length = display_mask_controls(bytes, length, lines);
    bytes[length] = '\0';
    CHECK_EQ_TEXT(bytes, expected);
}

TEST(controls)
{
    check_masked("caf\xc3\xa9 \xe6\x97\xa5", false, "caf\xc3\xa9 \xe6\x97\xa5");
    check_masked("a\033[31mb\x7f", false, "a?[31mb?");
    check_masked("a\xc2\x9b"
                 "31m",
                 false, "a?31m"); /* U+009B, the C1 form of ESC [ */
    check_masked("a\x9b"
                 "31m",
                 false, "a?31m");                              /* the same in an 8-bit encoding */
    check_masked("\xe2\x80\xae x\xe2\x81\xa6", false, "? x?"); /* a right-to-left override, an isolate */
    check_masked("a\tb\n\r", false, "a?b??");
    check_masked("a\tb\n\r", true, "a\tb\n?");
    check_masked("\xff\xa0", true, "\xff\xa0"); /* no UTF-8 and no control: Latin-1, perhaps */
    CHECK(display_width("\xe2\x80\xae") == 1 && display_width("\xc2\x9b") == 1);
}

/* How many characters take no column, and how many two, and the sums of their code points: as Python's unicodedata has
 * them for Unicode 14 by the definition of tools/make-display-widths. */
TEST(the_widths_of_all_characters)
{
    unsigned long long count[3] = {0}, sum[3] = {0};
    for (unsigned long code = 0x80; code < 0x40000; code++) {
        /* The bytes of four; shorter characters begin later, with another first byte. */
        char text[4] = {(char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)),
                        (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f))};
        size_t first = code < 0x800 ? 2 : code < 0x10000 ? 1 : 0;
        if (first > 0)
            text[first] = first == 2 ? (char)(0xc0 | code >> 6) : (char)(0xe0 | code >> 12);
        struct shown_character character = display_character(text + first, text + sizeof text);
        if (character.bytes > 1 && character.columns < 3) { /* a surrogate is no UTF-8 */
            count[character.columns]++;
            sum[character.columns] += code;
        }
    }
    CHECKF(count[0] == 6767 && count[2] == 131244, "%llu, %llu", count[0], count[2]);
    CHECKF(sum[0] == 624242020 && sum[2] == 15080146260, "%llu, %llu", sum[0], sum[2]);
}

TEST_LIST(LISTED(characters), LISTED(other_bytes), LISTED(controls), LISTED(the_widths_of_all_characters))
