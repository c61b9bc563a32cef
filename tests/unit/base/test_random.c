/* The generator: known answers, independence of order, and the distributions drawn from it.
 * Everything is a pure function of the seed, so the statistical bounds below cannot fail by chance:
 * they hold or they do not. Each is several standard deviations wide. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/test.h"

static const struct random stream = {.seed = 20190417, .stream = 3};

static void check_philox(const uint32_t counter[4], const uint32_t key[2], const uint32_t expected[4])
{
    uint32_t out[4];
    philox4x32(counter, key, out);
    for (size_t i = 0; i < 4; i++)
        CHECKF(out[i] == expected[i], "word %zu: %08" PRIx32 ", expected %08" PRIx32, i, out[i], expected[i]);
}

/* From the known-answer file of Random123, which defines the generator. */
TEST(philox_known_answers)
{
    check_philox((const uint32_t[]){0, 0, 0, 0}, (const uint32_t[]){0, 0},
                 (const uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check_philox((const uint32_t[]){0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                 (const uint32_t[]){0xffffffff, 0xffffffff},
                 (const uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    check_philox((const uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                 (const uint32_t[]){0xa4093822, 0x299f31d0},
                 (const uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

/* How counter and key are filled is part of every result ever printed with a seed. */
TEST(bits_are_philox_of_index_stream_and_seed)
{
    const struct random random = {.seed = 0x299f31d0a4093822u, .stream = 0x13198a2e};
    uint32_t out[4];
    philox4x32((const uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0}, (const uint32_t[]){0xa4093822, 0x299f31d0},
               out);
    CHECK(random_bits(random, 0x85a308d3243f6a88u) == ((uint64_t)out[1] << 32 | out[0]));
}

TEST(seed_stream_and_index_all_matter)
{
    struct random seed = stream, high_seed = stream, other = stream;
    seed.seed++;
    high_seed.seed ^= (uint64_t)1 << 63;
    other.stream++;
    uint64_t bits = random_bits(stream, 5);
    CHECK(bits == random_bits(stream, 5));
    CHECK(bits != random_bits(stream, 6));
    CHECK(bits != random_bits(stream, 5 + ((uint64_t)1 << 32)));
    CHECK(bits != random_bits(seed, 5));
    CHECK(bits != random_bits(high_seed, 5));
    CHECK(bits != random_bits(other, 5));
}

TEST(every_bit_is_set_half_of_the_time)
{
    enum { N = 20000 };
    for (int bit = 0; bit < 64; bit++) {
        int set = 0;
        for (uint64_t i = 0; i < N; i++)
            set += (int)(random_bits(stream, i) >> bit & 1);
        CHECK_NEAR(set, N / 2.0, 5 * sqrt(N / 4.0));
    }
}

TEST(uniform_moments_and_range)
{
    enum { N = 100000 };
    double sum = 0, square = 0, lag = 0, before = 0.5, least = 1, most = 0;
    for (uint64_t i = 0; i < N; i++) {
        double u = random_uniform(stream, i);
        sum += u;
        square += u * u;
        lag += (u - 0.5) * (before - 0.5);
        before = u;
        least = fmin(least, u);
        most = fmax(most, u);
    }
    CHECK(least >= 0 && most < 1);
    CHECK(least < 1e-4 && most > 1 - 1e-4);
    CHECK_NEAR(sum / N, 1.0 / 2, 5 * sqrt(1.0 / 12 / N));
    CHECK_NEAR(square / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
    CHECK_NEAR(lag / N, 0, 5.0 / 12 / sqrt(N));
}

TEST(below_has_no_bias)
{
    enum { N = 70000, BOUND = 7 };
    double count[BOUND] = {0}, chi_square = 0;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t k = random_below(stream, i, BOUND);
        if (!CHECK(k < BOUND))
            return;
        count[k]++;
    }
    for (int k = 0; k < BOUND; k++)
        chi_square += pow(count[k] - (double)N / BOUND, 2) / ((double)N / BOUND);
    CHECKF(chi_square < 22.5, "chi-square %g with 6 degrees of freedom", chi_square); /* p = 0.001 */
}

/* Just above 2^63 every second draw is rejected; without that, small numbers would come twice as
 * often: 3/4 of all would lie in the lower half. */
TEST(below_rejects_where_it_must)
{
    const uint64_t bound = ((uint64_t)1 << 63) + 1;
    enum { N = 20000 };
    int low = 0;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t k = random_below(stream, i, bound);
        if (!CHECK(k < bound))
            return;
        low += k < bound / 2;
    }
    CHECK_NEAR(low, N / 2.0, 5 * sqrt(N / 4.0));
    CHECK(random_below(stream, 0, 1) == 0);
    CHECK(random_below(stream, 0, UINT64_MAX) < UINT64_MAX);
    CHECK(random_below(stream, 9, (uint64_t)1 << 32) == (random_bits(stream, 9) & 0xffffffff));
}

TEST(normal_moments)
{
    enum { N = 100000 };
    double sum[5] = {0};
    int beyond_two = 0;
    for (uint64_t i = 0; i < N; i++) {
        double z = random_normal(stream, i);
        if (!CHECK(isfinite(z)))
            return;
        for (int k = 1; k <= 4; k++)
            sum[k] += pow(z, k);
        beyond_two += fabs(z) > 2;
    }
    CHECK_NEAR(sum[1] / N, 0, 5 * sqrt(1.0 / N));
    CHECK_NEAR(sum[2] / N, 1, 5 * sqrt(2.0 / N));
    CHECK_NEAR(sum[3] / N, 0, 5 * sqrt(15.0 / N));
    CHECK_NEAR(sum[4] / N, 3, 5 * sqrt(96.0 / N));
    CHECK_NEAR(beyond_two / (double)N, 0.04550026389635842, 5 * sqrt(0.0455 / N));
}

TEST(a_permutation_holds_everything_once)
{
    enum { MOST = 1000 };
    static const size_t sizes[] = {0, 1, 2, 3, 10, 97, MOST};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t order[MOST + 1], n = sizes[s];
        bool seen[MOST] = {false};
        order[n] = 12345; /* a guard */
        random_permutation(stream, order, n);
        for (size_t i = 0; i < n; i++) {
            if (!CHECK(order[i] < n && !seen[order[i]]))
                return;
            seen[order[i]] = true;
        }
        CHECK_EQ_SIZE(order[n], 12345);
    }
}

/* All 24 orders of four things, equally often. */
TEST(permutations_have_no_bias)
{
    enum { N = 48000, ORDERS = 24 };
    double count[256] = {0}, chi_square = 0;
    int orders = 0;
    for (uint32_t i = 0; i < N; i++) {
        size_t order[4];
        random_permutation((struct random){.seed = i, .stream = 1}, order, 4);
        count[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
    }
    for (int i = 0; i < 256; i++) {
        if (count[i] > 0)
            chi_square += pow(count[i] - (double)N / ORDERS, 2) / ((double)N / ORDERS);
        orders += count[i] > 0;
    }
    CHECK(orders == ORDERS);
    CHECKF(chi_square < 49.8, "chi-square %g with 23 degrees of freedom", chi_square); /* 0.001 */
}

TEST_LIST(LISTED(philox_known_answers), LISTED(bits_are_philox_of_index_stream_and_seed),
          LISTED(seed_stream_and_index_all_matter), LISTED(every_bit_is_set_half_of_the_time),
          LISTED(uniform_moments_and_range), LISTED(below_has_no_bias), LISTED(below_rejects_where_it_must),
          LISTED(normal_moments), LISTED(a_permutation_holds_everything_once), LISTED(permutations_have_no_bias))
