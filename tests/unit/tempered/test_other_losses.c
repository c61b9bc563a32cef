/* The relatives of the two-temperature loss: hinge, the bi-tempered (Bregman) loss; and the methods
 * by name. Derivatives of all: test_derivatives.c. */
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { MOST = 5 };

/* ---- Hinge
 * ---------------------------------------------------------------------------------------- */

static temper_loss_spec hinge(double smoothing)
{
    return (temper_loss_spec){.method = TEMPER_HINGE, .t1 = NAN, .t2 = -1, .smoothing = smoothing};
}

/* z = 1 - m: 0, then z^2/(2 s) up to z = s, then z - s/2. */
TEST(hinge_of_the_margin)
{
    static const double smoothings[] = {0, 0.25, 1, 3};
    for (size_t i = 0; i < 4; i++)
        for (double m = -4; m < 4; m += 0.0625) {
            double s = smoothings[i], z = 1 - m, slope, curvature;
            double value = temper_margin_loss_of_spec(hinge(s), m, &slope, &curvature);
            CHECK(value == (z <= 0 ? 0 : z < s ? z * (z / s) / 2 : z - s / 2));
            CHECK(slope == (z <= 0 ? 0 : z < s ? -z / s : -1));
            CHECK(curvature == (z > 0 && z < s ? 1 / s : 0));
            CHECK(fmax(z, 0) - value <= s / 2 && value <= fmax(z, 0)); /* so near is it */
        }
}

/* Crammer and Singer: the margin over the best of the others. */
TEST(hinge_of_many_classes)
{
    const double a[4] = {1, 3, 2.5, -7};
    double g[4];
    CHECK(temper_loss_of_spec(hinge(0), a, 4, 2, g, NULL) == 1.5);
    CHECK(g[0] == 0 && g[1] == 1 && g[2] == -1 && g[3] == 0);
    CHECK(temper_loss_of_spec(hinge(0), a, 4, 1, g, NULL) == 0.5);
    CHECK(g[1] == -1 && g[2] == 1);
    CHECK(temper_loss_of_spec(hinge(0), a, 4, 3, NULL, NULL) == 11);
    const double clear[3] = {5, 3.5, 0};
    CHECK(temper_loss_of_spec(hinge(0.5), clear, 3, 0, g, NULL) == 0);
    CHECK(g[0] == 0 && g[1] == 0 && g[2] == 0);
}

/* The rounded hinge is the largest of sum q z - s/2 |q|^2: so no q that is allowed gives more, and
 * its own gradient, as a q, gives just that. */
TEST(hinge_of_many_classes_is_rounded_everywhere)
{
    enum { N = 5, LABEL = 2 };
    static const double smoothings[] = {1e-6, 0.25, 1, 3, 40};
    for (size_t trial = 0; trial < 2000; trial++) {
        double a[N], g[N], z[N], s = smoothings[trial % 5], own = 0, sum = 0, top = 0;
        for (size_t c = 0; c < N; c++)
            a[c] = round(16 * sin((double)(trial * 7 + c * c * 3))) / 8; /* with ties */
        double value = temper_loss_of_spec(hinge(s), a, N, LABEL, g, NULL);
        for (size_t c = 0; c < N; c++) {
            z[c] = 1 + a[c] - a[LABEL];
            top = c == LABEL ? top : fmax(top, z[c]);
            sum += g[c];
            if (c != LABEL)
                own += g[c] * z[c] - s / 2 * g[c] * g[c];
            CHECK(c == LABEL ? g[c] <= 0 && g[c] >= -1 : g[c] >= 0);
        }
        CHECK(fabs(sum) <= 1e-12);
        CHECKF(fabs(own - value) <= 1e-12 * (1 + top), "%.17g, not %.17g", value, own);
        CHECK(value <= top + 1e-12 && value >= top - s / 2 - 1e-12);
        for (size_t other = 0; other < 20; other++) {
            double q[N], total = 0, less = 0;
            for (size_t c = 0; c < N; c++) {
                double u = 0.5 + 0.5 * sin((double)(trial + other * 31 + c * 17) * 1.7);
                q[c] = c == LABEL ? 0 : other % 2 ? u * u * u : fmax(0, g[c] + 0.1 * (u - 0.5));
                total += q[c];
            }
            for (size_t c = 0; c < N; c++) {
                double scaled = total > 1 ? q[c] / total : q[c];
                less += scaled * z[c] - s / 2 * scaled * scaled;
            }
            CHECK(less <= value + 1e-12 * (1 + top));
        }
    }
}

TEST(hinge_at_the_rim)
{
    const double tie[3] = {0, 2, 2}, shifted[2] = {1e17, 1e17}, broken[3] = {1, NAN, 0}, one = 3;
    double g[3], slope;
    CHECK(temper_loss_of_spec(hinge(0), tie, 3, 0, g, NULL) == 3);
    CHECK(g[0] == -1 && g[1] == 1 && g[2] == 0); /* the first of equals takes it all */
    CHECK(temper_loss_of_spec(hinge(0), shifted, 2, 0, NULL, NULL) == 1);
    for (size_t label = 0; label < 3; label++)
        CHECK(isnan(temper_loss_of_spec(hinge(0), broken, 3, label, NULL, NULL)));
    CHECK(temper_loss_of_spec(hinge(0), &one, 1, 0, g, NULL) == 0 && g[0] == 0);
    CHECK(isnan(temper_margin_loss_of_spec(hinge(-1), 0, &slope, NULL)) && isnan(slope));
    CHECK(isnan(temper_margin_loss_of_spec(hinge(NAN), 0, NULL, NULL)));
    CHECK(temper_margin_loss_of_spec(hinge(0), -INFINITY, &slope, NULL) == INFINITY && slope == -1);
    CHECK(temper_margin_loss_of_spec(hinge(0), INFINITY, &slope, NULL) == 0 && slope == 0);
}

/* ---- Bregman
 * -------------------------------------------------------------------------------------- */

static temper_loss_spec bregman(double t1, double t2)
{
    return (temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = t1, .t2 = t2};
}

static const double pairs[][2] = {{0, 1}, {0.2, 4}, {0.5, 1},   {0.8, 1.2}, {0.9, 0.9}, {0.3, 0.6},
                                  {1, 1}, {1, 2},   {1.5, 1.5}, {1.9, 1},   {0, 0},     {0.7, 1.7}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* -log_t1 p_y - (1 - sum p^(2-t1))/(2-t1), as the sequel prints it. */
TEST(bregman_as_printed)
{
    struct draw draw = draw_from(60);
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t label = 0; label < MOST; label++) {
            double a[MOST], p[MOST], powers[MOST], t1 = pairs[i][0], t2 = pairs[i][1];
            draw_normals(&draw, a, MOST, t2 < 1 ? 0.05 : 1);
            temper_probabilities(a, MOST, t2, p);
            for (size_t c = 0; c < MOST; c++)
                powers[c] = pow(p[c], 2 - t1);
            double printed = -temper_log_t(p[label], t1) - (1 - sum_of(powers, MOST)) / (2 - t1);
            double loss = temper_loss_of_spec(bregman(t1, t2), a, MOST, label, NULL, NULL);
            CHECK_CLOSE(loss, printed, 1e-13);
            CHECK(loss > 0);
        }
}

/* Two classes at t2 = 1, margin m, from 60-digit arithmetic: near certainty only R^2 is left of it.
 */
static const struct {
    double m, t1, loss;
} certain[] = {
    {1, 0.0, 0.0723294881285132682},    {1, 0.5, 0.132988250104926158},     {1, 1.0, 0.313261687518222834},
    {1, 1.5, 1.08635808592622904},      {5, 0.0, 0.0000447942534947006454}, {5, 0.5, 0.000387474685450034355},
    {5, 1.0, 0.00671534848911806862},   {5, 1.5, 0.163642240239601029},     {20, 0.0, 4.24835423777856752e-18},
    {20, 0.5, 6.23862771098465284e-14}, {20, 1.0, 2.0611536203143807e-9},   {20, 1.5, 0.0000907998594313955977},
    {40, 0.0, 1.80485138784541516e-35}, {40, 0.5, 5.83767385082193713e-27}, {40, 1.0, 4.24835425529158899e-18},
    {40, 1.5, 4.12230724487711565e-9},
};

TEST(bregman_keeps_its_digits_near_certainty)
{
    for (size_t i = 0; i < sizeof certain / sizeof *certain; i++) {
        temper_loss_spec loss = bregman(certain[i].t1, 1);
        CHECK_CLOSE(temper_margin_loss_of_spec(loss, certain[i].m, NULL, NULL), certain[i].loss, 2e-14);
    }
}

/* Both sides of p = e^(-1/4), where a series takes over. */
TEST(bregman_series_meets_the_formula)
{
    for (double t1 = 0; t1 < 2; t1 += 0.125)
        for (double p = 0.77; p < 0.79; p += 0.0005) {
            double m = log(p / (1 - p)), q = 1 - p;
            double printed = -temper_log_t(p, t1) - (1 - pow(p, 2 - t1) - pow(q, 2 - t1)) / (2 - t1);
            CHECK_CLOSE(temper_margin_loss_of_spec(bregman(t1, 1), m, NULL, NULL), printed, 1e-13);
        }
}

TEST(bregman_at_1_is_logistic)
{
    for (double m = -30; m < 30; m += 0.7)
        CHECK_CLOSE(temper_margin_loss_of_spec(bregman(1, 1), m, NULL, NULL), temper_margin_loss(m, 1, 1, NULL, NULL),
                    1e-13);
}

static double expected_loss(temper_loss_spec loss, const double *p, const double *a, double *gradient)
{
    double value = 0, one[MOST];
    for (size_t c = 0; c < MOST; c++)
        gradient[c] = 0;
    for (size_t y = 0; y < MOST; y++) {
        value += p[y] * temper_loss_of_spec(loss, a, MOST, y, one, NULL);
        for (size_t c = 0; c < MOST; c++)
            gradient[c] += p[y] * one[c];
    }
    return value;
}

/* Proper: no activations do better than those that predict p itself, a_c = log_t2 p_c. */
TEST(bregman_is_proper)
{
    struct draw draw = draw_from(61);
    for (size_t i = 0; i < PAIRS; i++)
        for (int k = 0; k < 20; k++) {
            double p[MOST], a[MOST], b[MOST], g[MOST], away[MOST];
            temper_loss_spec loss = bregman(pairs[i][0], pairs[i][1]);
            draw_probabilities(&draw, p, MOST);
            for (size_t c = 0; c < MOST; c++)
                a[c] = temper_log_t(p[c], loss.t2);
            double least = expected_loss(loss, p, a, g);
            CHECK_NEAR(largest_size(g, MOST), 0, 1e-14);
            draw_normals(&draw, away, MOST, 0.3);
            for (size_t c = 0; c < MOST; c++)
                b[c] = a[c] + away[c];
            CHECKF(expected_loss(loss, p, b, g) > least, "(%g, %g): %g at p, less elsewhere", loss.t1, loss.t2, least);
        }
}

/* Bounded for t1 < 1: 1/(1-t1) - 1/(2-t1) for the label, 1/(2-t1) for a certain rival. */
TEST(bregman_at_the_rim)
{
    const double never[2] = {-INFINITY, 0}, a[2] = {0, 1};
    double g[2], h[4];
    for (double t1 = 0; t1 < 2; t1 += 0.25) {
        double cap = t1 < 1 ? 1 / (1 - t1) : INFINITY;
        CHECK_CLOSE(temper_loss_of_spec(bregman(t1, 1.5), never, 2, 0, g, h), cap, 1e-15);
        CHECK(temper_margin_loss_of_spec(bregman(t1, 0.5), 2, NULL, NULL) == 0);
        CHECK_CLOSE(temper_margin_loss_of_spec(bregman(t1, 0.5), -2, NULL, NULL), cap, 1e-15);
    }
    CHECK(isnan(temper_loss_of_spec(bregman(2, 1), a, 2, 0, g, h)) && isnan(g[0]) && isnan(h[3]));
    CHECK(isnan(temper_loss_of_spec(bregman(1, 1), (const double[]){NAN, 1}, 2, 1, g, h)));
    CHECK(isnan(g[0]) && isnan(g[1]) && isnan(h[0]) && isnan(h[3]));
}

/* ---- Names
 * ---------------------------------------------------------------------------------------- */

TEST(methods_by_name)
{
    temper_method method = TEMPER_HINGE;
    for (size_t m = 0; m < TEMPER_METHODS; m++)
        CHECK(temper_method_find(temper_method_name((temper_method)m), &method) && method == (temper_method)m);
    CHECK_EQ_TEXT(temper_method_name(TEMPER_T_LOGISTIC), "t-logistic");
    CHECK(!temper_method_find("logistics", &method) && (size_t)method == TEMPER_METHODS - 1);
    CHECK_EQ_TEXT(temper_method_name((temper_method)77), "?");
}

TEST(methods_fix_their_temperatures)
{
    static const struct {
        temper_method method;
        double t1, t2;
    } rows[] = {{TEMPER_TEMPERED, 0.25, 4},
                {TEMPER_LOGISTIC, 1, 1},
                {TEMPER_T_LOGISTIC, 1, 4},
                {TEMPER_GCE, 0.25, 1},
                {TEMPER_BREGMAN, 0.25, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        temper_loss_spec loss = {.method = rows[i].method, .t1 = 0.25, .t2 = 4, .smoothing = 0.5};
        loss = temper_loss_resolve(loss);
        CHECK(loss.t1 == rows[i].t1 && loss.t2 == rows[i].t2 && loss.smoothing == 0.5);
    }
    temper_loss_spec none = temper_loss_resolve((temper_loss_spec){.method = (temper_method)77});
    CHECK(isnan(none.t1) && isnan(none.t2));
}

TEST_LIST(LISTED(hinge_of_the_margin), LISTED(hinge_of_many_classes),
          LISTED(hinge_of_many_classes_is_rounded_everywhere), LISTED(hinge_at_the_rim), LISTED(bregman_as_printed),
          LISTED(bregman_keeps_its_digits_near_certainty), LISTED(bregman_series_meets_the_formula),
          LISTED(bregman_at_1_is_logistic), LISTED(bregman_is_proper), LISTED(bregman_at_the_rim),
          LISTED(methods_by_name), LISTED(methods_fix_their_temperatures))
