/* Elements of files: what is not finite is found wherever it is, and integers are what they are. */
#include <math.h>
#include <string.h>

#include "data/read/elements.h"
#include "fixtures/test.h"

enum { MOST = 9 };

/* The first of two values that are not finite is found, at every position and for every count: floats are tested in
 * pairs, and an odd one is left over. */
TEST(not_finite_floats_are_found)
{
    static const float wrong[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (size_t count = 0; count <= MOST; count++)
        for (size_t at = 0; at <= count; at++)
            for (size_t i = 0; i < 4; i++) {
                float value[MOST + 3] = {3e38f, -3e38f, 0, -0.0f, 1e-45f};
                value[at] = wrong[i];
                value[at + 2] = wrong[i]; /* in the same half of a pair */
                CHECK_EQ_SIZE(first_not_finite_f32(value, count), at);
            }
}

TEST(not_finite_doubles_are_found)
{
    static const double wrong[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t count = 0; count <= MOST; count++)
        for (size_t at = 0; at <= count; at++)
            for (size_t i = 0; i < 4; i++) {
                double value[MOST + 3] = {1.7e308, -1.7e308, 0, -0.0, 5e-324};
                value[at] = wrong[i];
                value[at + 2] = wrong[i]; /* in the same half of a pair */
                CHECK_EQ_SIZE(first_not_finite_f64(value, count), at);
            }
}

TEST(byte_order_is_reversed)
{
    unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    swap_elements(bytes, 4, 2);
    CHECK(memcmp(bytes, "\2\1\4\3\6\5\10\7", 8) == 0);
    swap_elements(bytes, 1, 8);
    CHECK(memcmp(bytes, "\7\10\5\6\3\4\1\2", 8) == 0);
    swap_elements(bytes, 8, 1);
    CHECK(bytes[0] == 7);
}

TEST(integers_that_doubles_hold)
{
    static const struct {
        uint64_t magnitude;
        bool fits;
    } cases[] = {
        {0, true},
        {1, true},
        {(UINT64_C(1) << 53) - 1, true},
        {UINT64_C(1) << 53, true},
        {(UINT64_C(1) << 53) + 1, false},
        {(UINT64_C(1) << 53) + 2, true},
        {UINT64_C(1) << 63, true},
        {UINT64_MAX, false},
        {UINT64_MAX << 11, true},
        {UINT64_MAX << 10, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct integer integer = {.magnitude = cases[i].magnitude};
        CHECKF(integer_fits_double(integer) == cases[i].fits, "case %zu", i);
    }
}

TEST_LIST(LISTED(not_finite_floats_are_found), LISTED(not_finite_doubles_are_found), LISTED(byte_order_is_reversed),
          LISTED(integers_that_doubles_hold))
