/* The public calls for files in pieces, and for numbers as text. test_base_sink has the rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "temper_extra.h"

TEST(pieces_appear_together)
{
    temper_file *file = NULL;
    scratch_enter();
    scratch_write("file", "old", 3);
    CHECK(temper_file_open("file", &file, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, "one ", 4, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, NULL, 0, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, "two", 3, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "old");
    CHECK(temper_file_commit(file, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(scratch_text("file"), "one two");
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

TEST(what_is_dropped_was_never_there)
{
    temper_file *file = NULL;
    scratch_enter();
    CHECK(temper_file_open("file", &file, NULL) == TEMPER_OK);
    CHECK(temper_file_write(file, "new", 3, NULL) == TEMPER_OK);
    temper_file_discard(file);
    temper_file_discard(NULL);
    CHECK_EQ_SIZE(scratch_count(), 0);
    scratch_leave();
}

TEST(refused_at_once)
{
    temper_file *file = NULL;
    temper_error error;
    scratch_enter();
    CHECK(temper_file_open(NULL, &file, &error) == TEMPER_USAGE);
    CHECK(temper_file_open("", &file, &error) == TEMPER_USAGE);
    CHECK(temper_file_open("nowhere/file", &file, &error) == TEMPER_IO);
    CHECK(strstr(error.message, "nowhere/file: cannot be written: ") != NULL);
    CHECK(file == NULL);
    CHECK(temper_file_open("file", &file, &error) == TEMPER_OK);
    CHECK(temper_file_write(file, NULL, 1, &error) == TEMPER_USAGE);
    temper_file_discard(file);
    scratch_leave();
}

TEST(numbers_read_back)
{
    static const double numbers[] = {0, -1, 0.1, 1.0 / 3, 1e-7, 1e300, 4.9e-324, 123456789012345680.0};
    char text[TEMPER_NUMBER_LENGTH];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t length = temper_format_number(numbers[i], text);
        CHECK_EQ_SIZE(length, strlen(text));
        CHECKF(strtod(text, NULL) == numbers[i], "%s", text);
    }
    temper_format_number(0.1, text);
    CHECK_EQ_TEXT(text, "0.1");
}

TEST_LIST(LISTED(pieces_appear_together), LISTED(what_is_dropped_was_never_there), LISTED(refused_at_once),
          LISTED(numbers_read_back))
