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

/* As integer_load converts them, up to the first that is too large. */
TEST(integers_become_floats)
{
    static const struct element types[] = {{'i', 8, false}, {'i', 4, false}, {'u', 4, false}, {'u', 8, false}};
    static const int64_t numbers[] = {1 << 24, -(1 << 24), (1 << 24) + 1, -(1 << 24) - 1};
    unsigned char raw[600 * sizeof(int64_t)];
    float out[600];
    for (size_t type = 0; type < 4; type++)
        for (size_t which = types[type].kind == 'u' ? 0 : 1; which < 4; which++)
            for (size_t at = 0; at < 600; at += 149) {
                size_t size = types[type].size;
                if (types[type].kind == 'u' && numbers[which] < 0)
                    continue;
                for (size_t i = 0; i < 600; i++) { /* the first bytes of a number of this machine are its last digits */
                    int64_t number = i == at ? numbers[which] : (int64_t)i;
                    int32_t half = (int32_t)number;
                    memcpy(raw + i * size, size == 8 ? (void *)&number : (void *)&half, size);
                }
                size_t done = integers_to_floats(raw, types[type], 600, out), wrong = 0;
                CHECK_EQ_SIZE(done, which < 2 ? 600 : at);
                for (size_t i = 0; i < done; i++)
                    wrong += out[i] != (float)(i == at ? numbers[which] : (int64_t)i);
                CHECK_EQ_SIZE(wrong, 0);
            }
}

TEST_LIST(LISTED(integers_become_floats), LISTED(not_finite_floats_are_found), LISTED(not_finite_doubles_are_found),
          LISTED(byte_order_is_reversed), LISTED(integers_that_doubles_hold))
