/* Columns of characters on a terminal. */
#include "base/display/display_width.h"
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

TEST_LIST(LISTED(characters), LISTED(other_bytes))
