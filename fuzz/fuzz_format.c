/* Any bytes as the beginning of a file: what it is called is within our words, and one answer does
 * not contradict another. */
#include <stdlib.h>

#include "bytes.h"
#include "data/read/format.h"

/* Advice says what the file is and, after the semicolon, what to do; it must fit into a message. */
static void check_words(const char *words)
{
    REQUIRE(!words || (strchr(words, ';') && strlen(words) < 160), "%s", words);
}

/* A file that is refused even if its format was given is refused with the same words without it; a recognised format is
 * one of the table. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(size + !size); /* of that size, so that no byte behind it is read */
    REQUIRE(bytes, "no memory");
    if (size > 0)
        memcpy(bytes, data, size);
    const char *given = unsupported_file(bytes, size, true), *guessed = unsupported_file(bytes, size, false);
    check_words(guessed);
    check_words(unsupported_table(bytes, size));
    REQUIRE(!given || given == guessed, "%s", given);
    const struct format *format = format_of_content(bytes, size);
    REQUIRE(!format || format_named(format->name) == format, "%s", format->name);
    free(bytes);
    return 0;
}
