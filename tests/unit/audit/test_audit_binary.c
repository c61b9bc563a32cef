/* An audit of two classes that overlap and that no line divides: planted mistakes are found, and it
 * is known how many there are. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 6000, COLUMNS = 4 };

struct planting {
    double x[ROWS * COLUMNS];
    int label[ROWS];
    bool wrong[ROWS];
    temper_data *data;
    temper_audit_report report;
};

/* The classes are separated by a parabola, with some overlap. */
static void draw(struct planting *p, double rate)
{
    for (size_t row = 0; row < ROWS; row++) {
        double *x = p->x + row * COLUMNS;
        for (size_t j = 0; j < COLUMNS; j++)
            x[j] = random_normal((struct random){11, 80}, row * COLUMNS + j);
        double logit = 3 * (x[0] + x[1] * x[1] - 1);
        p->label[row] = random_uniform((struct random){11, 81}, row) < 1 / (1 + exp(-logit));
        p->wrong[row] = random_uniform((struct random){11, 82}, row) < rate;
        p->label[row] ^= p->wrong[row];
    }
}

static double most_off(const struct planting *p)
{
    double true_ones = 0, worst = 0;
    for (size_t i = 0; i < p->report.supported; i++) {
        true_ones += p->wrong[p->report.suspects[i].row];
        double off = temper_audit_precision(&p->report, i + 1) - true_ones / (double)(i + 1);
        if (i >= 100 && fabs(off) > fabs(worst))
            worst = off;
    }
    return worst;
}

static void check_planted(double rate, double least)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_audit_options options = temper_audit_defaults();
    temper_error error = {0};
    double planted = 0;
    if (!CHECK(p))
        return;
    draw(p, rate);
    options.choose = 0;
    options.train.threads = 1;
    bool made = CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, &error) == TEMPER_OK) &&
                CHECKF(temper_audit(p->data, &options, NULL, &p->report, &error) == TEMPER_OK, "%s", error.message);
    if (made) {
        for (size_t row = 0; row < ROWS; row++)
            planted += p->wrong[row];
        double precision = made_precision(&p->report, p->wrong, ROWS);
        CHECKF(precision > least, "%g", precision);
        CHECKF(fabs(p->report.wrong - planted) < 0.03 * ROWS, "%g of %g", p->report.wrong, planted);
        CHECKF(fabs(most_off(p)) <= 0.13, "%g", most_off(p));
        CHECK(p->report.wrong_low < p->report.wrong && p->report.wrong < p->report.wrong_high);
    }
    temper_audit_report_free(&p->report);
    temper_data_free(p->data);
    free(p);
}

/* The scores of all rows with a precision of the fits; NULL: the default. */
static void audit_in(const char *precision, double tolerance, double *score)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_audit_options options = temper_audit_defaults();
    temper_error error = {0};
    if (!CHECK(p))
        return;
    draw(p, 0.1);
    options.train.threads = 1;
    options.train.precision = precision;
    options.train.tolerance = tolerance;
    if (CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, &error) == TEMPER_OK) &&
        CHECKF(temper_audit(p->data, &options, NULL, &p->report, &error) == TEMPER_OK, "%s", error.message))
        for (size_t i = 0; i < ROWS; i++)
            score[p->report.suspects[i].row] = p->report.suspects[i].score;
    temper_audit_report_free(&p->report);
    temper_data_free(p->data);
    free(p);
}

/* Standardised features are floats in the fits unless a tolerance is given; scores are hardly different. */
TEST(fits_are_in_floats)
{
    static double of_default[ROWS], f32[ROWS], f64[ROWS], given[ROWS];
    bool differs = false;
    audit_in(NULL, (double)NAN, of_default);
    audit_in("f32", (double)NAN, f32);
    audit_in("f64", (double)NAN, f64);
    audit_in(NULL, 1e-2, given);
    for (size_t row = 0; row < ROWS; row++) {
        CHECK(of_default[row] == f32[row] && given[row] == f64[row]);
        CHECKF(fabs(f32[row] - f64[row]) < 1e-5, "row %zu: %g and %g", row, f32[row], f64[row]);
        differs = differs || f32[row] != f64[row];
    }
    CHECK(differs);
}

TEST(a_tenth_is_wrong)
{
    check_planted(0.1, 0.75);
}

TEST(a_fifth_is_wrong)
{
    check_planted(0.2, 0.83);
}

TEST_LIST(LISTED(fits_are_in_floats), LISTED(a_tenth_is_wrong), LISTED(a_fifth_is_wrong))
