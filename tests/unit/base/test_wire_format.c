/* What goes into a record comes out again; what is not there is never made up. */
#include "base/wire_format.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

#define KIND "testing1"

static struct text made(void)
{
    static const double numbers[] = {1.5, -0.0, INFINITY};
    struct text out = {0};
    wire_begin(&out, KIND);
    wire_put_count(&out, 3);
    wire_put_numbers(&out, numbers, 3);
    wire_put_text(&out, "");
    wire_put_text(&out, "two words");
    wire_put_number(&out, 0.1);
    wire_end(&out);
    return out;
}

TEST(all_comes_back)
{
    struct text text = made();
    struct wire_reader record;
    double numbers[3];
    CHECK(!text.failed && wire_open(&record, text.bytes, text.length, KIND));
    CHECK_EQ_SIZE(wire_take_length(&record, sizeof *numbers), 3);
    wire_take_numbers(&record, numbers, 3);
    CHECK(numbers[0] == 1.5 && signbit(numbers[1]) && isinf(numbers[2]));
    CHECK_EQ_TEXT(wire_take_text(&record), "");
    CHECK_EQ_TEXT(wire_take_text(&record), "two words");
    CHECK(!wire_done(&record)); /* not yet */
    CHECK(wire_take_number(&record) == 0.1);
    CHECK(wire_done(&record));
    CHECK(wire_take_count(&record) == 0 && record.failed && !wire_done(&record));
    text_free(&text);
}

TEST(other_kinds_and_other_bytes_are_refused)
{
    struct text text = made();
    struct wire_reader record;
    CHECK(!wire_open(&record, text.bytes, text.length, "testing2"));
    CHECK(!wire_open(&record, text.bytes, 15, KIND));
    for (size_t length = 16; length < text.length; length++)
        CHECKF(!wire_open(&record, text.bytes, length, KIND), "%zu bytes", length);
    text_free(&text);
}

/* A record that is whole may still lie. */
TEST(counts_beyond_the_end_fail_before_memory_is_asked_for)
{
    struct text text = {0};
    struct wire_reader record;
    wire_begin(&text, KIND);
    wire_put_count(&text, UINT64_MAX);
    wire_put_count(&text, 7);
    wire_end(&text);
    CHECK(wire_open(&record, text.bytes, text.length, KIND));
    CHECK_EQ_SIZE(wire_take_length(&record, sizeof(double)), 0);
    CHECK(record.failed && wire_take_count(&record) == 0); /* for good */
    CHECK(wire_open(&record, text.bytes, text.length, KIND));
    wire_take_count(&record);
    CHECK_EQ_SIZE(wire_take_length(&record, 1), 0); /* 7 bytes are not there */
    CHECK(wire_open(&record, text.bytes, text.length, KIND));
    record.end = record.at; /* nothing is left */
    CHECK(wire_take_text(&record) == NULL && record.failed);
    text_free(&text);
}

TEST(a_lack_of_memory_is_told_at_the_end)
{
    fault_arm(1);
    struct text text = made();
    fault_disarm();
    CHECK(fault_fired() && text.failed);
    text_free(&text);
}

TEST_LIST(LISTED(all_comes_back), LISTED(other_kinds_and_other_bytes_are_refused),
          LISTED(counts_beyond_the_end_fail_before_memory_is_asked_for), LISTED(a_lack_of_memory_is_told_at_the_end))
