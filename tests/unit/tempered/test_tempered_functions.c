/* log_t and exp_t: values near t = 1, inverses of each other, infinities and the edge of support.
 */
#include <float.h>
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper.h"

static const double temperatures[] = {0, 0.1, 0.5, 0.9, 1, 1.12, 1.5, 2, 3, 5};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures };

/* ---- Near t = 1, against 60-digit values
 * ---------------------------------------------------------- */

struct value {
    double x, t, y;
};

/* log_t x = y */
static const struct value logarithms[] = {
    {1e-300, 1 - 0x1p-53, -690.775527898187217}, {0.1, 1 - 0x1p-53, -2.30258509299404533},
    {3.5, 1 - 0x1p-53, 1.25276296849536808},     {1e200, 1 - 0x1p-53, 460.517018598820909},
    {1e-300, 1 + 0x1p-52, -690.775527898266682}, {0.1, 1 + 0x1p-52, -2.30258509299404622},
    {3.5, 1 + 0x1p-52, 1.25276296849536782},     {1e200, 1 + 0x1p-52, 460.517018598785592},
    {1e-300, 1 - 1e-12, -690.775527659633568},   {0.1, 1 - 1e-12, -2.30258509299139474},
    {3.5, 1 - 1e-12, 1.25276296849615269},       {1e200, 1 - 1e-12, 460.517018704844753},
    {1e-300, 1 + 1e-12, -690.775528136820331},   {0.1, 1 + 1e-12, -2.30258509299669681},
    {3.5, 1 + 1e-12, 1.25276296849458322},       {1e200, 1 + 1e-12, 460.517018492761748},
    {1e-300, 1 - 1e-8, -690.773142049545624},    {0.1, 1 - 1e-8, -2.30258506648455515},
    {3.5, 1 - 1e-8, 1.25276297634244334},        {1e200, 1 - 1e-8, 460.518078980064305},
    {1e-300, 1 + 1e-8, -690.777913757842562},    {0.1, 1 + 1e-8, -2.30258511950353622},
    {3.5, 1 + 1e-8, 1.2527629606482928},         {1e200, 1 + 1e-8, 460.515958220821227},
    {1e-300, 1 - 1e-4, -667.456992030092074},    {1.0000001, 1 - 1e-4, 9.99999950588870451e-8},
    {3.5, 1 - 1e-4, 1.25284144252507406},        {1e200, 1 - 1e-4, 471.28548050899413},
    {1e-300, 1 + 1e-4, -715.193052376061422},    {1.0000001, 1 + 1e-4, 9.99999950578870452e-8},
    {3.5, 1 + 1e-4, 1.25268450101934549},        {1e200, 1 + 1e-4, 450.074139785641635},
};

/* exp_t x = y */
static const struct value exponentials[] = {
    {-600, 1 - 0x1p-53, 2.65039655295134525e-261}, {-3.25, 1 - 0x1p-53, 0.0387742078317219872},
    {2.5, 1 - 0x1p-53, 12.1824939607034692},       {300, 1 - 0x1p-53, 1.94242639523155157e130},
    {-600, 1 + 0x1p-52, 2.65039655311024194e-261}, {-3.25, 1 + 0x1p-52, 0.0387742078317220554},
    {2.5, 1 + 0x1p-52, 12.1824939607034819},       {300, 1 + 0x1p-52, 1.94242639526066468e130},
    {-600, 1 - 1e-12, 2.65039607594352766e-261},   {-3.25, 1 - 1e-12, 0.0387742078315172381},
    {2.5, 1 - 1e-12, 12.182493960665404},          {300, 1 - 1e-12, 1.94242630783400378e130},
    {-600, 1 + 1e-12, 2.65039703011814503e-261},   {-3.25, 1 + 1e-12, 0.0387742078319268044},
    {2.5, 1 + 1e-12, 12.1824939607415471},         {300, 1 + 1e-12, 1.94242648265821643e130},
    {-600, 1 - 1e-8, 2.64563011120374098e-261},    {-3.25, 1 - 1e-8, 0.0387742057839591582},
    {2.5, 1 - 1e-8, 12.1824935800005475},          {300, 1 - 1e-8, 1.94155250174757582e130},
    {-600, 1 + 1e-8, 2.65517154387328456e-261},    {-3.25, 1 + 1e-8, 0.0387742098794848583},
    {2.5, 1 + 1e-8, 12.1824943414064197},          {300, 1 + 1e-8, 1.94330068556295081e130},
    {-600, 1 - 1e-4, 1.89904824033161088e-269},    {1e-5, 1 - 1e-4, 1.00001000004999517},
    {2.5, 1 - 1e-4, 12.1786881603148832},          {300, 1 - 1e-4, 2.35638935272788202e128},
    {-600, 1 + 1e-4, 8.73669857356286702e-254},    {1e-5, 1 + 1e-4, 1.00001000005000517},
    {2.5, 1 + 1e-4, 12.1863022197987537},          {300, 1 + 1e-4, 1.91715548997243616e132},
};

TEST(log_t_keeps_all_digits_near_1)
{
    for (size_t i = 0; i < sizeof logarithms / sizeof *logarithms; i++) {
        const struct value *v = &logarithms[i];
        double y = temper_log_t(v->x, v->t);
        CHECKF(fabs(y - v->y) <= 4 * DBL_EPSILON * fabs(v->y), "log_t(%g), t - 1 = %g: %.17g, not %.17g", v->x,
               v->t - 1, y, v->y);
    }
}

/* The last digit of an exponent of size |x| is worth |x| in the result. */
TEST(exp_t_keeps_all_digits_near_1)
{
    for (size_t i = 0; i < sizeof exponentials / sizeof *exponentials; i++) {
        const struct value *v = &exponentials[i];
        double y = temper_exp_t(v->x, v->t), bound = (2 + fabs(v->x)) * DBL_EPSILON;
        CHECKF(fabs(y - v->y) <= bound * v->y, "exp_t(%g), t - 1 = %g: %.17g, not %.17g", v->x, v->t - 1, y, v->y);
    }
}

/* Why it is not computed as printed: (x^(1-t) - 1)/(1-t). */
TEST(printed_form_loses_half_the_digits)
{
    double t = 1 + 1e-8, printed = (pow(3.5, 1 - t) - 1) / (1 - t), right = 1.2527629606482928;
    CHECK(fabs(printed - right) > 1e-10);
    CHECK_CLOSE(temper_log_t(3.5, t), right, 1e-15);
}

TEST(known_values)
{
    CHECK_CLOSE(temper_log_t(7, 0), 6, 1e-15); /* x - 1 */
    CHECK_CLOSE(temper_log_t(7, 1), log(7), 1e-15);
    CHECK_CLOSE(temper_log_t(4, 0.5), 2, 1e-15);   /* 2 (sqrt x - 1) */
    CHECK_CLOSE(temper_log_t(4, 2), 0.75, 1e-15);  /* 1 - 1/x */
    CHECK_CLOSE(temper_log_t(2, 3), 0.375, 1e-15); /* (1 - x^-2)/2 */
    CHECK_CLOSE(temper_exp_t(6, 0), 7, 1e-15);
    CHECK_CLOSE(temper_exp_t(1, 1), 2.718281828459045, 1e-15);
    CHECK_CLOSE(temper_exp_t(2, 0.5), 4, 1e-15);
    CHECK_CLOSE(temper_exp_t(-3, 2), 0.25, 1e-15);
    CHECK_CLOSE(temper_exp_t(-4, 3), 1.0 / 3, 1e-15);
}

/* ---- Inverses
 * ------------------------------------------------------------------------------------ */

/* Where log_t is flat (close to its bound) its inverse cannot have more digits than that leaves:
 * d log x = x^(t-1) d log_t x, so an error of 1/2 ulp of log_t x costs condition * ulp. */
static void check_there_and_back(double x, double t)
{
    double y = temper_log_t(x, t);
    double condition = fabs(y) * pow(x, t - 1) + fabs(log(x)) + 1;
    if (condition < 1e10)
        CHECKF(fabs(temper_exp_t(y, t) / x - 1) <= 8 * DBL_EPSILON * condition, "exp_t(log_t(%g)), t = %g, is %.17g", x,
               t, temper_exp_t(y, t));
}

static void check_back_and_there(double y, double t)
{
    double x = temper_exp_t(y, t), slope = 1 + (1 - t) * y; /* x dy/dx = x^(1-t) */
    if (x > 0 && isfinite(x))
        CHECKF(fabs(temper_log_t(x, t) - y) <= 8 * DBL_EPSILON * (fabs(y) + slope),
               "log_t(exp_t(%g)), t = %g, is %.17g", y, t, temper_log_t(x, t));
}

TEST(inverse_of_each_other)
{
    struct draw draw = draw_from(1);
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (int k = 0; k < 200; k++) {
            check_there_and_back(draw_scale(&draw, 1e-200, 1e200), temperatures[i]);
            check_there_and_back(draw_scale(&draw, 0.01, 100), temperatures[i]);
            check_back_and_there(draw_uniform(&draw, -5, 5), temperatures[i]);
            check_back_and_there(draw_uniform(&draw, -300, 300), temperatures[i]);
        }
}

TEST(both_increase)
{
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (double x = 0.02; x < 3; x += 0.01) {
            CHECK(temper_log_t(x + 0.01, temperatures[i]) > temper_log_t(x, temperatures[i]));
            double low = temper_exp_t(x - 3, temperatures[i]);
            double high = temper_exp_t(x - 2.99, temperatures[i]);
            CHECK(high > low || (high == 0 && temperatures[i] < 1));
        }
}

/* ---- Infinities and edges
 * ------------------------------------------------------------------------ */

/* Bounded below by -1/(1-t) for t < 1, above by 1/(t-1) for t > 1. */
TEST(log_t_at_0_and_infinity)
{
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i];
        CHECK_CLOSE(temper_log_t(0, t), t < 1 ? -1 / (1 - t) : -INFINITY, 1e-15);
        CHECK_CLOSE(temper_log_t(INFINITY, t), t > 1 ? 1 / (t - 1) : INFINITY, 1e-15);
        CHECK(temper_log_t(1, t) == 0);
        CHECK(isnan(temper_log_t(-1e-300, t)));
        CHECK(isnan(temper_log_t(-INFINITY, t)));
    }
    CHECK(temper_log_t(DBL_MIN * DBL_EPSILON, 5) == -INFINITY); /* beyond the double range */
    CHECK(temper_log_t(1e-100, 5) == -INFINITY);
}

TEST(exp_t_at_the_edge_of_support)
{
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i];
        CHECK(temper_exp_t(0, t) == 1);
        CHECK(temper_exp_t(-INFINITY, t) == 0);
        CHECK(temper_exp_t(INFINITY, t) == INFINITY);
        CHECK(temper_exp_t(-1e308, t) == 0 || t > 1.99);
    }
    CHECK(temper_exp_t(-2, 0.5) == 0);
    CHECK(temper_exp_t(-2 - 1e-9, 0.5) == 0);
    CHECK(temper_exp_t(-1e300, 0) == 0);
    CHECK_CLOSE(temper_exp_t(-2 + 0x1p-20, 0.5), 0x1p-42, 1e-14);
    CHECK(temper_exp_t(2, 1.5) == INFINITY);
    CHECK(temper_exp_t(1e300, 1.5) == INFINITY);
    CHECK_CLOSE(temper_exp_t(2 - 0x1p-20, 1.5), 0x1p42, 1e-14);
    CHECK_CLOSE(temper_exp_t(-1e300, 2), 1e-300, 1e-13); /* a heavy tail */
}

TEST(illegal_arguments_give_nan)
{
    const double illegal[] = {-1, -1e-300, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++) {
        CHECK(isnan(temper_log_t(2, illegal[i])));
        CHECK(isnan(temper_log_t(1, illegal[i])));
        CHECK(isnan(temper_exp_t(0.5, illegal[i])));
        CHECK(isnan(temper_exp_t(0, illegal[i])));
    }
    for (size_t i = 0; i < TEMPERATURES; i++) {
        CHECK(isnan(temper_log_t(NAN, temperatures[i])));
        CHECK(isnan(temper_exp_t(NAN, temperatures[i])));
    }
}

TEST_LIST(LISTED(log_t_keeps_all_digits_near_1), LISTED(exp_t_keeps_all_digits_near_1),
          LISTED(printed_form_loses_half_the_digits), LISTED(known_values), LISTED(inverse_of_each_other),
          LISTED(both_increase), LISTED(log_t_at_0_and_infinity), LISTED(exp_t_at_the_edge_of_support),
          LISTED(illegal_arguments_give_nan))
