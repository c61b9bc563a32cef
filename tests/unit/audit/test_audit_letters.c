/* An audit of 26 classes that overlap, as those of letters do: planted mistakes are found, and where there are none
 * hardly any row is listed. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 1300, COLUMNS = 8, CLASSES = 26 };

struct planting {
    double x[ROWS * COLUMNS];
    int label[ROWS];
    bool wrong[ROWS];
    temper_data *data;
    temper_audit_report report;
};

/* Normal clusters around normal centres; a share of the labels is replaced by any other one. */
static void draw(struct planting *p, double rate)
{
    for (size_t row = 0; row < ROWS; row++) {
        size_t class = row % CLASSES;
        for (size_t j = 0; j < COLUMNS; j++)
            p->x[row * COLUMNS + j] = 1.6 * random_normal((struct random){26, 1}, class * COLUMNS + j) +
                                      random_normal((struct random){26, 2}, row * COLUMNS + j);
        p->wrong[row] = random_uniform((struct random){26, 3}, row) < rate;
        size_t away = 1 + (size_t)(random_uniform((struct random){26, 4}, row) * (CLASSES - 1));
        p->label[row] = (int)(p->wrong[row] ? (class + away) % CLASSES : class);
    }
}

/* NULL if that fails. */
static struct planting *audit_of(double rate)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_audit_options options = temper_audit_defaults();
    temper_error error = {0};
    options.train.threads = 1;
    if (!CHECK(p))
        return NULL;
    draw(p, rate);
    if (CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, &error) == TEMPER_OK) &&
        CHECKF(temper_audit(p->data, &options, NULL, &p->report, &error) == TEMPER_OK, "%s", error.message))
        return p;
    temper_data_free(p->data);
    free(p);
    return NULL;
}

static void planting_free(struct planting *p)
{
    temper_audit_report_free(&p->report);
    temper_data_free(p->data);
    free(p);
}

TEST(clean_labels_are_left_alone)
{
    struct planting *p = audit_of(0);
    if (!p)
        return;
    CHECKF((double)p->report.supported <= 0.005 * ROWS, "%zu listed", p->report.supported);
    CHECKF(p->report.accuracy < 0.99, "the classes do not overlap: accuracy %g", p->report.accuracy);
    planting_free(p);
}

TEST(a_twentieth_is_wrong)
{
    struct planting *p = audit_of(0.05);
    if (!p)
        return;
    double precision = made_precision(&p->report, p->wrong, ROWS), right = 0;
    CHECKF(precision >= 0.85, "average precision %g", precision);
    CHECK(!p->report.undecided && p->report.supported > 0);
    for (size_t i = 0; i < p->report.supported; i++)
        right += p->wrong[p->report.suspects[i].row] / (double)p->report.supported;
    CHECK_NEAR(temper_audit_precision(&p->report, p->report.supported), right, 0.1);
    planting_free(p);
}

TEST_LIST(LISTED(clean_labels_are_left_alone), LISTED(a_twentieth_is_wrong))
