/* Where a chunk of text may end. */
#include <stdint.h>

#include "base/random.h"
#include "data/read/text_chunks.h"
#include "fixtures/test.h"

TEST(quotes_are_counted)
{
    struct random random = {7, 1};
    char bytes[100];
    for (size_t n = 0; n < 3000; n++) {
        size_t from = n % 9, to = from + n % 90;
        bool odd = false;
        for (size_t i = 0; i < sizeof bytes; i++) {
            uint64_t bits = random_bits(random, n * 100 + i);
            bytes[i] = (char)('"' ^ (bits % 3 == 0 ? 0 : 1 << bits / 4 % 8)); /* or nearly one */
        }
        for (size_t i = from; i < to; i++)
            odd ^= bytes[i] == '"';
        CHECK(odd_quotes(bytes + from, to - from) == odd);
    }
}

TEST(the_last_line_end_is_found)
{
    CHECK_EQ_SIZE(last_newline("a\nb\nc", 0, 5), 4);
    CHECK_EQ_SIZE(last_newline("a\nb\nc", 2, 3), 0);
    CHECK_EQ_SIZE(last_newline("a\nb\nc", 0, 2), 2);
    CHECK_EQ_SIZE(last_newline("", 0, 0), 0);
    CHECK_EQ_SIZE(last_line_end("a\nb\nc", 0, 5, false), 4);
    CHECK_EQ_SIZE(last_line_end("a\n\"b\nc", 0, 6, true), 2);
    CHECK_EQ_SIZE(last_line_end("a\n\"b\n\"\"c", 0, 8, true), 2);
    CHECK_EQ_SIZE(last_line_end("a\n\"b\nc\"\n", 0, 8, false), 8);
    CHECK_EQ_SIZE(last_line_end("\"b\nc\"", 0, 5, false), 0);
    CHECK_EQ_SIZE(last_line_end("b\nc\"x", 0, 5, false), 0); /* the first byte is within quotes */
}

TEST_LIST(LISTED(quotes_are_counted), LISTED(the_last_line_end_is_found))
