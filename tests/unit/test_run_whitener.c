/* The metric of many vectors: M^-1 v, and the same bits whoever else is there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "run/whitener.h"
#include "test.h"

enum { MOST = 150 };

/* A positive definite matrix that is far from a diagonal one. */
static void make_gram(size_t n, double *gram)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            gram[i * n + j] = 1 / (1 + fabs((double)i - (double)j)) + (i == j ? 0.5 : 0);
}

static double entry(size_t k, size_t j)
{
    return sin((double)(k * 131 + j * 7 + 1));
}

static void check_size(size_t n, size_t count)
{
    static double gram[MOST * MOST], v[WHITENER_WIDTH][MOST], alone[MOST];
    const double l2 = 0.25, bend = 2;
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    struct whitener whitener;
    struct whitener_space space;
    struct whitener_vector vectors[WHITENER_WIDTH];
    make_gram(n, gram);
    CHECK(whitener_new(gram, n, l2, true, &whitener) && whitener.inverse);
    CHECK(whitener_space_new(n, &space));
    for (size_t k = 0; k < count; k++) {
        vectors[k] = (struct whitener_vector){v[k], bend};
        for (size_t j = 0; j < n; j++)
            v[k][j] = entry(k, j);
    }
    whitener_apply(&whitener, kernel, vectors, count, &space);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++) { /* M x = v */
            double sum = i + 1 < n ? l2 * v[k][i] : 0;
            for (size_t j = 0; j < n; j++)
                sum += gram[i * n + j] * v[k][j];
            CHECKF(fabs(bend * sum - entry(k, i)) <= 1e-4, "%zu: %g, not %g", n, bend * sum,
                   entry(k, i));
        }
    for (size_t j = 0; j < n; j++)
        alone[j] = entry(count - 1, j);
    whitener_apply(&whitener, kernel, &(struct whitener_vector){alone, bend}, 1, &space);
    CHECK(memcmp(alone, v[count - 1], n * sizeof *alone) == 0);
    whitener_space_free(&space);
    whitener_free(&whitener);
}

TEST(vectors_are_turned)
{
    static const size_t sizes[] = {1, 2, 15, 16, 17, 64, 100, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t count = 1; count <= WHITENER_WIDTH; count += 31)
            check_size(sizes[i], count);
}

TEST(a_matrix_without_a_factor_makes_none)
{
    double gram[4] = {1, 0, 3, 1};
    struct whitener whitener;
    CHECK(whitener_new(gram, 2, 0, false, &whitener) && !whitener.inverse);
    gram[0] = NAN;
    CHECK(whitener_new(gram, 2, 1, false, &whitener) && !whitener.inverse);
}

TEST_LIST(LISTED(vectors_are_turned), LISTED(a_matrix_without_a_factor_makes_none))
