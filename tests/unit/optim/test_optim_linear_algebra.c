/* Vectors, the Cholesky factor and the ball-constrained parabola that minimisers are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fixtures/test.h"
#include "optim/cholesky.h"
#include "optim/trust_region.h"
#include "optim/vector.h"

static const struct random draws = {.seed = 11};

static double draw(size_t i)
{
    return random_normal(draws, i);
}

TEST(dot_has_a_fixed_order)
{
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = draw(i);
        y[i] = draw(100 + i);
    }
    for (size_t n = 0; n <= 32; n++) {
        /* Eight partial sums, folded in halves: written out, and wherever the vector begins. */
        double part[8] = {0};
        for (size_t i = 0; i < n; i++)
            part[i % 8] += x[i] * y[i];
        const double expected =
            ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
        CHECKF(vector_dot(x, y, n) == expected, "n = %zu", n);
        double moved[40];
        memcpy(moved + 1, x, n * sizeof *x);
        CHECKF(vector_dot(moved + 1, y, n) == expected, "n = %zu, elsewhere", n);
    }
    CHECK_CLOSE(vector_norm((const double[]){3, 4}, 2), 5, 0);
}

TEST(elementwise)
{
    double y[11], out[11], x[11];
    for (size_t i = 0; i < 11; i++) {
        x[i] = (double)i;
        y[i] = 1;
    }
    vector_add(y, 2, x, 11);
    CHECK(y[0] == 1 && y[10] == 21);
    vector_direction(y, -1, x, 11);
    CHECK(y[0] == -1 && y[10] == -11);
    vector_step(out, x, 3, y, 11);
    CHECK(out[0] == -3 && out[10] == -23);
    vector_subtract(out, out, x, 11);
    CHECK(out[0] == -3 && out[10] == -33);
    vector_scale(out, -1, 11);
    CHECK(out[0] == 3 && out[10] == 33);
    vector_copy(y, out, 11);
    CHECK(vector_equal(y, out, 11));
    y[10] = 0;
    CHECK(!vector_equal(y, out, 11) && vector_equal(y, out, 10));
}

/* All at once is what one after the other gives, bit for bit. */
TEST(advance)
{
    enum { MOST = 21 };
    double x[MOST], r[MOST], d[MOST], p[MOST], x_alone[MOST], r_alone[MOST];
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = x_alone[i] = 1.0 / (double)(i + 1);
            r[i] = r_alone[i] = 1.0 / (double)(i + 3);
            d[i] = (double)i / 7;
            p[i] = 2 - (double)i / 11;
        }
        double squares = vector_advance((struct vector_steps){x, r, d, p}, 0.3, n);
        vector_add(x_alone, 0.3, d, n);
        vector_add(r_alone, -0.3, p, n);
        CHECK(vector_equal(x, x_alone, n) && vector_equal(r, r_alone, n));
        CHECK(squares == vector_dot(r, r, n));
        vector_add(x_alone, 0.7, p, n);
        CHECK(vector_add_dot(x, 0.7, p, r, n) == vector_dot(x_alone, r, n));
        CHECK(vector_equal(x, x_alone, n));
    }
}

TEST(finite_or_not)
{
    double x[21] = {0};
    CHECK(vector_finite(x, 21));
    for (size_t i = 0; i < 21; i++) {
        const double bad[] = {NAN, INFINITY, -INFINITY};
        for (size_t k = 0; k < 3; k++) {
            x[i] = bad[k];
            CHECK(!vector_finite(x, 21) && vector_finite(x, i));
        }
        x[i] = 1e308; /* large numbers are finite, and so are many of them */
    }
    CHECK(vector_finite(x, 21));
}

TEST(within_a_limit)
{
    double x[600] = {0};
    const double outside[] = {0.6, -0.6, NAN, -INFINITY};
    for (size_t i = 0; i < 600; i += 37)
        for (size_t k = 0; k < 4; k++) {
            x[i] = outside[k];
            CHECK(!vector_within(x, 0.5, 600) && !vector_within(x, 0.5, i + 1) && vector_within(x, 0.5, i));
            x[i] = i % 2 ? 0.5 : -0.5;
            CHECK(vector_within(x, 0.5, 600));
        }
}

/* A = B B' + n, its upper triangle NaN. */
static double *positive_matrix(size_t n)
{
    double *a = malloc(2 * n * n * sizeof *a);
    if (!a)
        abort();
    double *b = a + n * n;
    for (size_t i = 0; i < n * n; i++)
        b[i] = draw(i);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = j > i ? NAN : vector_dot(b + i * n, b + j * n, n) + (i == j ? (double)n : 0);
    return a;
}

TEST(cholesky_gives_back_the_matrix)
{
    const size_t sizes[] = {1, 2, 3, 5, 8, 63, 64, 65, 66, 127, 128, 129, 131, 200};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        double *a = positive_matrix(n), *l = positive_matrix(n), worst = 0;
        CHECKF(cholesky_factor(kernel_best()->cholesky_update, l, n), "n = %zu", n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                worst = fmax(worst, fabs(vector_dot(l + i * n, l + j * n, j + 1) - a[i * n + j]));
        CHECKF(worst <= 1e-13 * (double)n * (double)n, "n = %zu: %g", n, worst);
        free(a);
        free(l);
    }
}

TEST(cholesky_solves)
{
    enum { N = 150 };
    double *a = positive_matrix(N), *l = positive_matrix(N), x[N], y[N];
    for (size_t i = 0; i < N; i++)
        x[i] = draw(7000 + i);
    for (size_t i = 0; i < N; i++) {
        y[i] = 0;
        for (size_t j = 0; j < N; j++)
            y[i] += a[i > j ? i * N + j : j * N + i] * x[j];
    }
    CHECK(cholesky_factor(kernel_best()->cholesky_update, l, N));
    cholesky_solve_full(l, N, y);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(y[i], x[i], 1e-11);
    free(a);
    free(l);
}

/* Together as alone, and each with bits of its own. */
TEST(cholesky_solves_several_vectors)
{
    enum { N = 77 };
    double *l = positive_matrix(N), *space = mem_aligned(CHOLESKY_TOGETHER * N, sizeof *space);
    double alone[CHOLESKY_TOGETHER][N], each[CHOLESKY_TOGETHER][N], full[N];
    double *x[CHOLESKY_TOGETHER];
    CHECK(cholesky_factor(kernel_best()->cholesky_update, l, N));
    for (size_t count = 1; count <= CHOLESKY_TOGETHER; count++) {
        for (size_t k = 0; k < count; k++) {
            x[k] = each[k];
            for (size_t i = 0; i < N; i++)
                each[k][i] = full[i] = alone[k][i] = draw(900 + 100 * k + i);
            double *one = alone[k];
            cholesky_solve_several(kernel_best(), l, N, &one, 1, space);
            cholesky_solve_full(l, N, full);
            for (size_t i = 0; i < N; i++)
                CHECK_NEAR(alone[k][i], full[i], 1e-13);
        }
        cholesky_solve_several(kernel_best(), l, N, x, count, space);
        for (size_t k = 0; k < count; k++)
            CHECK(memcmp(each[k], alone[k], sizeof each[k]) == 0);
    }
    free(l);
    mem_free(space);
}

/* The first row that makes the matrix indefinite is found, with its pivot. */
TEST(cholesky_finds_the_row_that_fails)
{
    enum { N = 130 };
    for (size_t bad = 43; bad < N; bad += 43) {
        double *a = positive_matrix(N), *l = positive_matrix(N), v[N], pivot = 1;
        a[bad * N + bad] = l[bad * N + bad] = 0.5;
        const size_t made = cholesky_try(kernel_best()->cholesky_update, l, N, &pivot);
        CHECK_EQ_SIZE(made, bad);
        if (made < N) {
            /* v = (L'^-1 row, -1) has v'Av = pivot. */
            CHECK(pivot < 0);
            memcpy(v, l + made * N, made * sizeof *v);
            cholesky_solve_upper(l, N, made, v);
            v[made] = -1;
            double curvature = 0;
            for (size_t i = 0; i <= made; i++)
                for (size_t j = 0; j <= made; j++)
                    curvature += v[i] * v[j] * a[i > j ? i * N + j : j * N + i];
            CHECK_NEAR(curvature, pivot, 1e-9 * fabs(pivot) + 1e-10);
        }
        free(a);
        free(l);
    }
}

TEST(cholesky_refuses)
{
    double zero[4] = {0}, nan[4] = {1, 0, NAN, 1}, infinite[4] = {INFINITY, 0, 0, 1};
    CHECK(!cholesky_factor(kernel_best()->cholesky_update, zero, 2));
    CHECK(!cholesky_factor(kernel_best()->cholesky_update, nan, 2));
    CHECK(!cholesky_factor(kernel_best()->cholesky_update, infinite, 2));
    CHECK(cholesky_factor(kernel_best()->cholesky_update, NULL, 0));
}

/* ---- The smallest value within a ball ----------------------------------------------------------
 */

enum { BALL = 5 };

static double model(const double *h, const double *g, const double *s)
{
    return vector_dot(g, s, BALL) + trust_region_curvature(h, s, BALL) / 2;
}

/* The exact smallest value for a diagonal matrix of increasing entries, by bisection for the
 * shift. */
static double exact_value(const double *k, const double *g, double radius)
{
    double low = fmax(0, -k[0]), high = low + vector_norm(g, BALL) / radius + 1, s[BALL], rest = 0;
    for (int step = 0; step < 200; step++) {
        const double shift = (low + high) / 2;
        double norm = 0;
        for (size_t i = 0; i < BALL; i++)
            norm += g[i] == 0 ? 0 : pow(g[i] / (k[i] + shift), 2);
        if (sqrt(norm) > radius)
            low = shift;
        else
            high = shift;
    }
    double value = 0, norm = 0;
    for (size_t i = 0; i < BALL; i++) {
        s[i] = g[i] == 0 ? 0 : -g[i] / (k[i] + high);
        value += g[i] * s[i] + k[i] * s[i] * s[i] / 2;
        norm += s[i] * s[i];
    }
    if (k[0] < 0) /* the hard case: the rest along the first coordinate */
        rest = fmax(0, radius * radius - norm);
    return value + k[0] * rest / 2;
}

static void check_region(const double *k, const double *g, double radius)
{
    double h[BALL * BALL], s[BALL], factor[BALL * BALL], z[BALL];
    for (size_t i = 0; i < BALL * BALL; i++)
        h[i] = i % (BALL + 1) == 0 ? k[i / (BALL + 1)] : i % BALL > i / BALL ? NAN : 0;
    const struct trust_region region = {BALL, h, g, radius, 0, s, factor, z, cholesky_update_plain};
    const bool edge = trust_region_solve(&region);
    const double best = exact_value(k, g, radius), norm = vector_norm(s, BALL);
    CHECKF(norm <= 1.1 * radius * (1 + 1e-12), "%g of %g", norm, radius);
    CHECKF(edge == (norm >= 0.9 * radius), "%g of %g", norm, radius);
    /* A radius that is off by a tenth is worth up to a fifth. */
    CHECKF(model(h, g, s) <= 0.8 * best + 1e-14, "%g, best %g", model(h, g, s), best);
}

TEST(region_is_solved)
{
    const double convex[BALL] = {1, 2, 3, 40, 500}, flat[BALL] = {0, 0, 1, 2, 3};
    const double indefinite[BALL] = {-3, -1, 0, 1, 20}, down[BALL] = {-5, -4, -3, -2, -1};
    const double *matrices[] = {convex, flat, indefinite, down};
    const double gradients[][BALL] = {
        {1, 1, 1, 1, 1}, {0, 1, -1, 2, 3}, {0, 0, 0, 0, 1}, {1e-9, 0, 0, 0, 30}, {0, 0, 1e-8, 1, 0}};
    const double radii[] = {1e-6, 0.1, 1, 30, 1e6};
    for (size_t m = 0; m < 4; m++)
        for (size_t g = 0; g < 5; g++)
            for (size_t r = 0; r < 5; r++)
                check_region(matrices[m], gradients[g], radii[r]);
}

/* At a saddle point itself there is no gradient, and still a way down. */
TEST(region_leaves_a_saddle)
{
    const double h[4] = {1, NAN, 0, -1}, g[2] = {0, 0};
    double s[2], factor[4], z[2];
    CHECK(trust_region_solve(&(struct trust_region){2, h, g, 2, 0, s, factor, z, cholesky_update_plain}));
    CHECK_NEAR(fabs(s[1]), 2, 0.2);
    CHECK_NEAR(s[0], 0, 0.01);
}

TEST(region_inside_is_newtons_step)
{
    const double h[4] = {2, NAN, 1, 3}, g[2] = {1, -1};
    double s[2], factor[4], z[2];
    CHECK(!trust_region_solve(&(struct trust_region){2, h, g, 100, 0, s, factor, z, cholesky_update_plain}));
    CHECK_CLOSE(s[0], -0.8, 1e-14);
    CHECK_CLOSE(s[1], 0.6, 1e-14);
}

/* No shift makes this positive definite: the step is the steepest descent, to the boundary. */
/* A curvature and a gradient that are rounding: their quotient would be a step of 1, and is none. */
TEST(region_takes_no_step_from_rounding)
{
    static const double h[] = {1, 0, 0, 1e-17}, g[] = {0.5, 1e-17};
    double s[2], factor[4], z[2];
    CHECK(!trust_region_solve(&(struct trust_region){2, h, g, 100, 0, s, factor, z, cholesky_update_plain}));
    CHECK_CLOSE(s[0], -0.5, 1e-12);
    CHECKF(fabs(s[1]) < 0.01, "%g", s[1]);
}

TEST(a_matrix_that_cannot_be_factored)
{
    const double h[4] = {NAN, 0, 0, 1}, g[2] = {3, 4};
    double s[2], factor[4], z[2];
    CHECK(trust_region_solve(&(struct trust_region){2, h, g, 2, 0, s, factor, z, cholesky_update_plain}));
    CHECK_CLOSE(s[0], -1.2, 1e-12);
    CHECK_CLOSE(s[1], -1.6, 1e-12);
}

TEST_LIST(LISTED(dot_has_a_fixed_order), LISTED(elementwise), LISTED(advance), LISTED(finite_or_not),
          LISTED(within_a_limit), LISTED(cholesky_gives_back_the_matrix), LISTED(cholesky_solves),
          LISTED(cholesky_solves_several_vectors), LISTED(cholesky_finds_the_row_that_fails), LISTED(cholesky_refuses),
          LISTED(region_is_solved), LISTED(region_leaves_a_saddle), LISTED(region_inside_is_newtons_step),
          LISTED(region_takes_no_step_from_rounding), LISTED(a_matrix_that_cannot_be_factored))
