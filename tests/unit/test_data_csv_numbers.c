/* Numbers of a table, read to the last bit. */
#include <math.h>

#include "base/number.h"
#include "base/random.h"
#include "data/csv_plain.h"
#include "test_data_csv.h"

/* A random number as text, in one of many shapes. */
static void write_number(struct random random, uint64_t i, char *out, size_t size)
{
    uint64_t bits = random_bits(random, 3 * i), digits = random_bits(random, 3 * i + 1);
    digits >>= bits % 61; /* of any length */
    const char *sign = bits & 64 ? "-" : "";
    int decimals = (int)(bits >> 8 & 15), exponent = (int)(bits >> 16 & 63) - 32;
    switch (bits >> 24 & 3) {
    case 0:
        snprintf(out, size, "%s%llu", sign, (unsigned long long)digits);
        break;
    case 1:
        snprintf(out, size, "%s%llu.%0*llu", sign, (unsigned long long)(digits >> 40), decimals,
                 (unsigned long long)(digits & 0xffffffffff));
        break;
    case 2:
        snprintf(out, size, "%s%llu.%llue%d", sign, (unsigned long long)(digits % 10),
                 (unsigned long long)(digits / 10), exponent);
        break;
    default:
        snprintf(out, size, "%s.%0*llu", sign, decimals, (unsigned long long)digits);
    }
}

/* What the quick path takes it reads as base/number does, to the last bit. */
TEST(plain_numbers_are_exact)
{
    struct random random = {.seed = 3, .stream = 77};
    size_t taken = 0, wrong = 0;
    for (uint64_t i = 0; i < 300000; i++) {
        char text[96];
        struct csv_plain plain;
        float narrow = 0, same_narrow = 1;
        double wide = 0, same_wide = 1;
        write_number(random, i, text, sizeof text - 16);
        size_t length = strlen(text);
        memcpy(text + length, "\n", 2);
        const char *end = csv_plain_read(text, text + length + 1, &plain);
        if (!end)
            continue;
        taken++;
        wrong += end != text + length;
        if (csv_plain_f32(&plain, &narrow)) {
            number_f32(text, text + length, &same_narrow);
            wrong += !csv_same_bits(&narrow, &same_narrow, sizeof narrow);
        }
        if (csv_plain_f64(&plain, &wide)) {
            number_f64(text, text + length, &same_wide);
            wrong += !csv_same_bits(&wide, &same_wide, sizeof wide);
        }
    }
    CHECK_EQ_SIZE(wrong, 0);
    CHECKF(taken > 100000, "%zu", taken);
}

/* Values half-way between two floats, where rounding twice goes wrong. */
TEST(halfway_numbers)
{
    scratch_enter();
    struct dataset *data = csv_good("16777217,16777219.0000000001,1.00000005960464477539,a\n"
                                    "1e-45,1e-46,3.4028235e38,a\n-0,0.0,-0.0,a\n",
                                    (temper_read_options){0});
    CHECK(csv_value(data, 0, 0) == 16777216.0f);
    CHECK(csv_value(data, 0, 1) == 16777220.0f);
    CHECK(csv_value(data, 0, 2) == 1.0f);
    CHECK(csv_value(data, 1, 0) == 0x1p-149f); /* a denormal number is a number */
    CHECK(csv_value(data, 1, 1) == 0);
    CHECK(csv_value(data, 1, 2) == 3.4028235e38f);
    CHECK(signbit(csv_value(data, 2, 0)) && !signbit(csv_value(data, 2, 1)));
    dataset_free(data);
    scratch_leave();
}

TEST(eight_digits)
{
    uint64_t digits = 5;
    CHECK(csv_eight_digits("12345678", &digits) && digits == 512345678);
    for (int i = 0; i < 8; i++) {
        static const char other[] = "/:a.,\n \xb1\0";
        for (size_t k = 0; k < sizeof other - 1; k++) {
            char text[] = "00000000";
            text[i] = other[k];
            CHECKF(!csv_eight_digits(text, &digits), "%d %zu", i, k);
        }
    }
    digits = 0;
    CHECK(csv_eight_digits("99999999", &digits) && digits == 99999999);
}

TEST_LIST(LISTED(plain_numbers_are_exact), LISTED(halfway_numbers), LISTED(eight_digits))
