/* Paired tests: against tables, published examples, and all signs counted one by one. */
#include <math.h>

#include "base/statistics.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

TEST(mean_and_deviation)
{
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    CHECK_CLOSE(temper_mean(values, 8), 5, 1e-15);
    CHECK_CLOSE(temper_standard_deviation(values, 8), sqrt(32.0 / 7), 1e-15);
    CHECK(isnan(temper_mean(values, 0)) && isnan(temper_standard_deviation(values, 1)));
}

/* As scipy.stats.binomtest gives it. */
TEST(wilson)
{
    struct interval most = wilson_interval(0.8, 10), all = wilson_interval(1, 20), none = wilson_interval(0, 20);
    CHECK_CLOSE(most.low, 0.4901624715366418, 1e-14);
    CHECK_CLOSE(most.high, 0.9433178485456248, 1e-14);
    CHECK_CLOSE(all.low, 0.8388748419471808, 1e-14);
    CHECK(all.high == 1 && none.low == 0);
    CHECK_CLOSE(none.high, 0.16112515805281935, 1e-14);
}

/* Quantiles as every table prints them. */
TEST(student_as_in_tables)
{
    CHECK_NEAR(student_p(12.706, 1), 0.05, 1e-5);
    CHECK_NEAR(student_p(2.262157, 9), 0.05, 1e-7);
    CHECK_NEAR(student_p(-3.249836, 9), 0.01, 1e-8);
    CHECK_NEAR(student_p(1.959964, 1e7), 0.05, 1e-6);
    CHECK_CLOSE(student_p(1, 1), 0.5, 1e-14);                /* Cauchy: 1 - 2 atan(t)/pi */
    CHECK_CLOSE(student_p(3, 2), 1 - 3 / sqrt(11.0), 1e-13); /* 1 - t/sqrt(2 + t^2) */
    CHECK(student_p(0, 5) == 1 && student_p(INFINITY, 5) == 0);
}

/* Darwin's maize, crossed less self-fertilised, in eighths of an inch (Fisher, 1935): t = 2.148
 * with 14 degrees of freedom, p = 0.0497; signed ranks: 24, p = 0.0413. */
TEST(darwins_maize)
{
    static const double less[] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
    static const double zero[15] = {0};
    temper_paired_test paired;
    CHECK(temper_paired_compare(less, zero, 15, &paired, NULL) == TEMPER_OK);
    CHECK_CLOSE(paired.mean, 20.933333333333334, 1e-14);
    CHECK_NEAR(paired.t, 2.148, 5e-4);
    CHECK_NEAR(paired.t_p, 0.0497, 5e-5);
    CHECK(paired.w == 24);
    CHECK_CLOSE(paired.w_p, 0.041259765625, 1e-15);
}

/* All signs of n ranks, one by one: how many give at most w? */
static double count_signs(const double *rank, int n, double w)
{
    double total = 0, found = 0;
    for (int i = 0; i < n; i++)
        total += rank[i];
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += signs >> i & 1u ? rank[i] : 0;
        found += fmin(sum, total - sum) <= w;
    }
    return found / (double)(1u << n);
}

TEST(ties_share_their_ranks)
{
    static const double a[] = {1, 2, 2, -2, 5, 0, 7, -1}, b[8] = {0};
    static const double ranks[] = {1.5, 1.5, 4, 4, 4, 6, 7}; /* of 1 1 2 2 2 5 7; 0 has none */
    temper_paired_test paired;
    CHECK(temper_paired_compare(a, b, 8, &paired, NULL) == TEMPER_OK);
    CHECK(paired.w == 5.5);
    CHECK_CLOSE(paired.w_p, count_signs(ranks, 7, 5.5), 1e-15);
}

TEST(ten_splits_that_all_agree)
{
    double a[10], b[10];
    temper_paired_test paired;
    for (int i = 0; i < 10; i++) {
        a[i] = 0.9 + 0.001 * i;
        b[i] = 0.8 + 0.002 * i;
    }
    CHECK(temper_paired_compare(a, b, 10, &paired, NULL) == TEMPER_OK);
    CHECK(paired.w == 0 && paired.w_p == 2.0 / 1024);
    CHECK(paired.t_p < 1e-9);
}

/* Two-sided p of a sum of the ranks 1..n, by counting. */
static double count_ranks(int n, int w)
{
    double ways[4000] = {1}, below = 0;
    for (int rank = 1, top = 0; rank <= n; rank++) {
        top += rank;
        for (int sum = top; sum >= rank; sum--)
            ways[sum] += ways[sum - rank];
    }
    for (int sum = 0; sum <= w; sum++)
        below += ways[sum];
    return 2 * below / pow(2, n);
}

/* Where counting ends, the normal approximation is good enough. */
TEST(many_pairs)
{
    double a[80], b[80] = {0};
    for (size_t n = TEMPER_WILCOXON_EXACT_PAIRS - 1; n <= 80; n++) {
        temper_paired_test paired;
        for (size_t i = 0; i < n; i++)
            a[i] = (i % 3 ? 1.0 : -1.0) * (double)(i + 1);
        CHECK(temper_paired_compare(a, b, n, &paired, NULL) == TEMPER_OK);
        double exact = count_ranks((int)n, (int)paired.w);
        CHECK_NEAR(paired.w_p, exact, n <= TEMPER_WILCOXON_EXACT_PAIRS ? 1e-15 : 1.5e-3);
    }
}

TEST(nothing_differs)
{
    static const double a[] = {1, 2, 3};
    temper_paired_test paired;
    CHECK(temper_paired_compare(a, a, 3, &paired, NULL) == TEMPER_OK);
    CHECK(paired.t_p == 1 && paired.w_p == 1 && paired.mean == 0);
    CHECK(temper_paired_compare(a, a, 1, &paired, NULL) == TEMPER_OK);
    CHECK(isnan(paired.t_p) && isnan(paired.deviation));
}

TEST(what_cannot_be_compared)
{
    static const double a[] = {1, NAN};
    temper_paired_test paired;
    temper_error error;
    CHECK(temper_paired_compare(a, a, 2, &paired, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "pair 2 is not of finite numbers; leave it out of both lists");
    CHECK(temper_paired_compare(a, a, 0, &paired, &error) == TEMPER_USAGE);
    for (size_t n = 1; n < 3; n++) {
        fault_arm(n);
        CHECK(temper_paired_compare(a, a, 1, &paired, &error) == TEMPER_NO_MEMORY);
        fault_disarm();
        CHECK(fault_fired());
    }
}

TEST_LIST(LISTED(mean_and_deviation), LISTED(wilson), LISTED(student_as_in_tables), LISTED(darwins_maize),
          LISTED(ties_share_their_ranks), LISTED(ten_splits_that_all_agree), LISTED(many_pairs),
          LISTED(nothing_differs), LISTED(what_cannot_be_compared))
