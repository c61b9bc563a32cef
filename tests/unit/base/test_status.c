/* Statuses and errors: one list makes the numbers, the names, the words and the exit codes. */
#include <string.h>

#include "base/status.h"
#include "fixtures/test.h"
#include "temper_extra.h"

TEST(every_status_has_name_text_and_exit_code)
{
#define CHECK_ROW(name, exit_code, text)                                                                               \
    CHECK_EQ_TEXT(temper_status_name(TEMPER_##name), #name);                                                           \
    CHECK_EQ_TEXT(temper_status_text(TEMPER_##name), text);                                                            \
    CHECK(temper_status_exit_code(TEMPER_##name) == (exit_code));
    TEMPER_STATUS_LIST(CHECK_ROW)
#undef CHECK_ROW
}

/* Part of the interface: scripts rely on them (sysexits.h, and 128 + SIGINT). */
TEST(exit_codes_are_as_documented)
{
    CHECK(TEMPER_OK == 0);
    CHECK(temper_status_exit_code(TEMPER_OK) == 0);
    CHECK(temper_status_exit_code(TEMPER_USAGE) == 2);
    CHECK(temper_status_exit_code(TEMPER_BAD_DATA) == 65);
    CHECK(temper_status_exit_code(TEMPER_NO_INPUT) == 66);
    CHECK(temper_status_exit_code(TEMPER_BUG) == 70);
    CHECK(temper_status_exit_code(TEMPER_NO_MEMORY) == 71);
    CHECK(temper_status_exit_code(TEMPER_IO) == 74);
    CHECK(temper_status_exit_code(TEMPER_INTERRUPTED) == 130);
}

TEST(a_number_that_is_no_status_is_a_bug)
{
    /* By way of memory: a conversion out of range is what a sanitizer would object to. */
    const int wrong[] = {99, 8, 1 << 30};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        temper_status status;
        memcpy(&status, &wrong[i], sizeof status);
        CHECK_EQ_TEXT(temper_status_name(status), "BUG");
        CHECK(temper_status_exit_code(status) == 70);
    }
}

TEST(error_at_fills_everything)
{
    temper_error error = {0};
    temper_status status = error_at(&error, TEMPER_BAD_DATA, 201, 7, "value '%s' is no", "x");
    CHECK(status == TEMPER_BAD_DATA);
    CHECK(error.status == TEMPER_BAD_DATA);
    CHECK_EQ_SIZE(error.line, 201);
    CHECK_EQ_SIZE(error.column, 7);
    CHECK_EQ_TEXT(error.message, "value 'x' is no");
}

TEST(error_set_clears_the_place)
{
    temper_error error = {.line = 3, .column = 4};
    CHECK(error_set(&error, TEMPER_IO, "disk %d", 1) == TEMPER_IO);
    CHECK_EQ_SIZE(error.line, 0);
    CHECK_EQ_SIZE(error.column, 0);
    CHECK_EQ_TEXT(error.message, "disk 1");
}

TEST(no_error_struct_is_fine)
{
    CHECK(error_at(NULL, TEMPER_BAD_DATA, 1, 1, "%s", "x") == TEMPER_BAD_DATA);
    CHECK(error_set(NULL, TEMPER_USAGE, "%s", "x") == TEMPER_USAGE);
    CHECK(error_no_memory(NULL) == TEMPER_NO_MEMORY);
}

TEST(a_long_message_is_cut_not_overrun)
{
    char words[2 * sizeof((temper_error *)0)->message];
    memset(words, 'a', sizeof words);
    words[sizeof words - 1] = '\0';
    struct {
        temper_error error;
        char guard[16];
    } box = {.guard = "untouched"};
    error_set(&box.error, TEMPER_BUG, "%s", words);
    CHECK_EQ_SIZE(strlen(box.error.message), sizeof box.error.message - 1);
    CHECK_EQ_TEXT(box.guard, "untouched");
}

TEST(no_memory_has_its_words)
{
    temper_error error = {0};
    CHECK(error_no_memory(&error) == TEMPER_NO_MEMORY);
    CHECK(error.status == TEMPER_NO_MEMORY);
    CHECK_EQ_TEXT(error.message, "out of memory");
}

TEST_LIST(LISTED(every_status_has_name_text_and_exit_code), LISTED(exit_codes_are_as_documented),
          LISTED(a_number_that_is_no_status_is_a_bug), LISTED(error_at_fills_everything),
          LISTED(error_set_clears_the_place), LISTED(no_error_struct_is_fine),
          LISTED(a_long_message_is_cut_not_overrun), LISTED(no_memory_has_its_words))
