/* The version that the library reports is that of its header. */
#include <stdio.h>

#include "fixtures/test.h"
#include "temper.h"

TEST(the_version_of_the_header)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", TEMPER_VERSION_MAJOR, TEMPER_VERSION_MINOR, TEMPER_VERSION_PATCH);
    CHECK_EQ_TEXT(temper_version(), text);
}

TEST_LIST(LISTED(the_version_of_the_header))
