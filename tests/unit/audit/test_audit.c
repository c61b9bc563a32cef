/* An audit of data with planted mistakes: what is found, how many, and how sure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 2000, COLUMNS = 8, CLASSES = 4 };

static const struct random source = {11, 5};

/* Clouds around the corners of a cube, in doubles. */
static void made_clouds(double *x, int *label, double spread)
{
    for (size_t row = 0; row < ROWS; row++) {
        label[row] = (int)(row % CLASSES);
        for (size_t j = 0; j < COLUMNS; j++) {
            double centre = j % CLASSES == row % CLASSES ? 1 : 0;
            x[row * COLUMNS + j] = centre + spread * random_normal(source, row * COLUMNS + j);
        }
    }
}

enum planted { EVENLY, IN_PAIRS };

/* Every fifth label becomes the next class, or any other. */
static void plant(int *label, bool *wrong, enum planted how)
{
    for (size_t row = 0; row < ROWS; row++) {
        wrong[row] = random_uniform((struct random){7, 9}, row) < 0.2;
        int step = how == IN_PAIRS ? 1 : 1 + (int)(row / CLASSES % (CLASSES - 1));
        if (wrong[row])
            label[row] = (label[row] + step) % CLASSES;
    }
}

struct planting {
    double x[ROWS * COLUMNS], score[ROWS];
    int label[ROWS];
    bool wrong[ROWS];
    temper_data *data;
    temper_audit_report report;
};

static bool planting_audit(struct planting *p, enum planted how, temper_audit_options options)
{
    temper_error error = {0};
    made_clouds(p->x, p->label, 0.42);
    plant(p->label, p->wrong, how);
    if (!CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, &error) == TEMPER_OK))
        return false;
    temper_status status = temper_audit(p->data, &options, p->score, &p->report, &error);
    return CHECKF(status == TEMPER_OK, "%s", error.message);
}

static void planting_free(struct planting *p)
{
    temper_audit_report_free(&p->report);
    temper_data_free(p->data);
    free(p);
}

static double truly_wrong(const struct planting *p, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += p->wrong[p->report.suspects[i].row];
    return sum / (double)count;
}

static temper_audit_options given_options(void)
{
    temper_audit_options options = temper_audit_defaults();
    options.choose = 0;
    options.train.threads = 1;
    return options;
}

static void check_planted(enum planted how)
{
    struct planting *p = calloc(1, sizeof *p);
    double planted = 0;
    if (!CHECK(p) || !planting_audit(p, how, given_options())) {
        free(p);
        return;
    }
    const temper_audit_report *report = &p->report;
    for (size_t row = 0; row < ROWS; row++)
        planted += p->wrong[row];
    double precision = made_precision(&p->report, p->wrong, ROWS);
    CHECKF(precision > 0.93, "%g", precision);
    CHECKF(fabs(report->wrong - planted) < 0.025 * ROWS, "%g of %g", report->wrong, planted);
    CHECK(report->in_pairs == (how == IN_PAIRS));
    CHECK_NEAR((double)report->supported, planted, 0.2 * planted);
    for (size_t count = 100; count <= report->supported; count += 50)
        CHECKF(fabs(temper_audit_precision(report, count) - truly_wrong(p, count)) <= 0.05,
               "first %zu: %g expected, %g true", count, temper_audit_precision(report, count), truly_wrong(p, count));
    planting_free(p);
}

TEST(finds_labels_that_are_wrong_evenly)
{
    check_planted(EVENLY);
}

TEST(finds_labels_that_are_wrong_in_pairs)
{
    check_planted(IN_PAIRS);
}

/* The list, the scores and the table tell the same. */
TEST(report_is_consistent)
{
    struct planting *p = calloc(1, sizeof *p);
    static bool seen[ROWS];
    double cells = 0, off = 0;
    if (!CHECK(p) || !planting_audit(p, IN_PAIRS, given_options())) {
        free(p);
        return;
    }
    const temper_audit_report *report = &p->report;
    const uint32_t *label = temper_data_labels(p->data);
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < ROWS; i++) {
        const temper_audit_suspect *s = &report->suspects[i];
        CHECK(!seen[s->row]);
        seen[s->row] = true;
        CHECK(s->score == p->score[s->row] && s->given == label[s->row]);
        CHECK(s->suggested != s->given && s->suggested < CLASSES);
        CHECK(s->probability <= s->score + 1e-12 && s->score <= 1 && s->score >= 0);
        CHECK(i == 0 || s->score <= report->suspects[i - 1].score);
        CHECK(s->line == 0 && s->importance >= 0 && s->importance <= 1);
    }
    for (size_t i = 0; i < CLASSES * CLASSES; i++) {
        cells += report->transition[i];
        off += i % (CLASSES + 1) ? report->transition[i] : 0;
    }
    CHECK_CLOSE(cells, ROWS, 1e-9);
    CHECK_CLOSE(off, report->wrong, 1e-9);
    CHECK(isnan(temper_audit_precision(report, 0)));
    CHECK(isnan(temper_audit_precision(report, ROWS + 1)));
    planting_free(p);
}

TEST(any_number_of_threads)
{
    struct planting *one = calloc(1, sizeof *one), *two = calloc(1, sizeof *two);
    temper_audit_options options = given_options();
    bool done = CHECK(one && two) && planting_audit(one, EVENLY, options);
    options.train.threads = 2;
    if (done && planting_audit(two, EVENLY, options))
        CHECK(memcmp(one->score, two->score, sizeof one->score) == 0);
    planting_free(one);
    planting_free(two);
}

TEST(combines_two_losses)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_audit_options options = given_options();
    options.choose = 1;
    if (CHECK(p) && planting_audit(p, EVENLY, options)) {
        CHECK(made_precision(&p->report, p->wrong, ROWS) > 0.93);
        CHECK(p->report.l2 > 0 && p->report.loss.t2 == 1 && (p->report.loss.t1 == 1 || p->report.loss.t1 == 0.3));
        CHECK(!p->report.undecided && p->report.gain > 4 && p->report.certainty > 0.6);
    }
    planting_free(p);
}

/* ---- Other things to find -------------------------------------------------------------------- */

TEST(rows_from_elsewhere)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_error error;
    temper_audit_options options = given_options();
    size_t found = 0;
    options.kind = "row";
    made_clouds(p->x, p->label, 0.2);
    for (size_t row = 0; row < 20; row++)
        p->x[row * 90 * COLUMNS] += 5;
    CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, &error) == TEMPER_OK);
    if (CHECK(temper_audit(p->data, &options, p->score, &p->report, &error) == TEMPER_OK)) {
        for (size_t i = 0; i < 20; i++)
            found += p->report.suspects[i].row % 90 == 0;
        CHECK_EQ_SIZE(found, 20);
        CHECK(p->report.supported >= 20 && p->report.supported < 60);
        CHECK(isnan(temper_audit_precision(&p->report, 10)));
    }
    planting_free(p);
}

TEST(conflicts)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_error error;
    temper_audit_options options = given_options();
    made_clouds(p->x, p->label, 0.42);
    memcpy(p->x + 8 * COLUMNS, p->x, COLUMNS * sizeof *p->x);                /* the same class */
    memcpy(p->x + 13 * COLUMNS, p->x + 2 * COLUMNS, COLUMNS * sizeof *p->x); /* another */
    CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, &error) == TEMPER_OK);
    if (CHECK(temper_audit(p->data, &options, NULL, &p->report, &error) == TEMPER_OK)) {
        CHECK_EQ_SIZE((size_t)p->report.conflicts, 2);
        for (size_t i = 0; i < ROWS; i++) {
            const temper_audit_suspect *s = &p->report.suspects[i];
            CHECK(s->conflict == (s->row == 2 || s->row == 13));
        }
    }
    planting_free(p);
}

/* ---- Putting right --------------------------------------------------------------------------- */

TEST(fixes)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_data *fixed = NULL;
    temper_error error;
    if (!CHECK(p) || !planting_audit(p, EVENLY, given_options())) {
        free(p);
        return;
    }
    const temper_audit_suspect *first = &p->report.suspects[0];
    CHECK(temper_audit_fix(p->data, &p->report, 30, "drop", &fixed, &error) == TEMPER_OK);
    CHECK_EQ_SIZE((size_t)temper_data_rows(fixed), ROWS - 30);
    temper_data_free(fixed);
    CHECK(temper_audit_fix(p->data, &p->report, 1, "relabel", &fixed, &error) == TEMPER_OK);
    for (size_t row = 0; row < ROWS; row++)
        CHECK(temper_data_labels(fixed)[row] ==
              (row == first->row ? first->suggested : temper_data_labels(p->data)[row]));
    temper_data_free(fixed);
    CHECK(temper_audit_fix(p->data, &p->report, 2, "weight", &fixed, &error) == TEMPER_OK);
    temper_data_summary summary;
    CHECK(temper_data_summarise(fixed, 1, &summary, &error) == TEMPER_OK);
    CHECK_CLOSE(summary.weight_sum, ROWS - 2 + first->importance + first[1].importance, 1e-9);
    temper_data_summary_free(&summary);
    temper_data_free(fixed);
    fixed = NULL;
    CHECK(temper_audit_fix(p->data, &p->report, 2, "burn", &fixed, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "drop, relabel or weight") && !fixed);
    /* Without temperatures that make importances: the probability that the label is right. */
    p->report.loss.t1 = 1;
    CHECK(temper_audit_fix(p->data, &p->report, 2, "weight", &fixed, &error) == TEMPER_OK);
    CHECK(temper_data_summarise(fixed, 1, &summary, &error) == TEMPER_OK);
    CHECK_CLOSE(summary.weight_sum, ROWS - first->score - first[1].score, 1e-9);
    temper_data_summary_free(&summary);
    temper_data_free(fixed);
    /* The scores of outliers are no probabilities. */
    p->report.by_row = 1;
    CHECK(temper_audit_fix(p->data, &p->report, 2, "weight", &fixed, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "distances"));
    planting_free(p);
}

TEST(page)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_error error;
    temper_text html = {0};
    if (CHECK(p) && planting_audit(p, IN_PAIRS, given_options()) &&
        CHECK(temper_audit_report_to_html(p->data, &p->report, 40, &html, &error) == TEMPER_OK)) {
        CHECK(strlen(html.bytes) == html.length);
        CHECK(strstr(html.bytes, "Labels to look at again") && strstr(html.bytes, "True classes, estimated"));
        CHECK(strstr(html.bytes, "Wrong labels keep to pairs of classes."));
        CHECK(!strstr(html.bytes, "<img")); /* no pictures */
        temper_text_free(&html);
    }
    planting_free(p);
}

/* ---- What is refused, and what fails --------------------------------------------------------- */

TEST(refusals)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 2);
    temper_audit_report report = {.rows = 99};
    temper_audit_options options = given_options();
    temper_error error;
    options.kind = "column";
    CHECK(temper_audit(made_public(data), &options, NULL, &report, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "label or row"));
    options = given_options();
    options.train.loss.method = TEMPER_HINGE;
    CHECK(temper_audit(made_public(data), &options, NULL, &report, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "hinge"));
    options = given_options();
    options.folds = 31;
    CHECK(temper_audit(made_public(data), &options, NULL, &report, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "too few for 31 folds"));
    options.folds = 1;
    CHECK(temper_audit(made_public(data), &options, NULL, &report, &error) == TEMPER_USAGE);
    CHECK_EQ_SIZE((size_t)report.rows, 99);
    dataset_free(data);
}

static int stop_at_once(void *context, const temper_tune_progress *progress)
{
    (void)context;
    return progress->seconds >= 0;
}

TEST(interruption)
{
    struct dataset *data = made_data(MATRIX_F32, 200, 4, 3);
    temper_audit_options options = given_options();
    temper_error error;
    options.on_progress = stop_at_once;
    for (int choose = 0; choose < 2; choose++) {
        options.choose = choose;
        CHECK(temper_audit(made_public(data), &options, NULL, NULL, &error) == TEMPER_INTERRUPTED);
    }
    dataset_free(data);
}

TEST(memory_ends)
{
    struct dataset *data = made_data(MATRIX_F64, 80, 40, 3);
    temper_audit_options options = given_options();
    options.folds = 2;
    for (size_t n = 1;; n += test_step(29)) {
        temper_audit_report report;
        fault_arm(n);
        temper_status status = temper_audit(made_public(data), &options, NULL, &report, NULL);
        fault_disarm();
        bool fired = fault_fired();
        if (status == TEMPER_OK)
            temper_audit_report_free(&report);
        if (!fired)
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu", n);
    }
    dataset_free(data);
}

/* distance[row] of an audit of features as they are, all moved by this much. */
static void distances_at(double moved, double *distance)
{
    struct planting *p = calloc(1, sizeof *p);
    temper_audit_options options = given_options();
    options.train.scale = "none";
    options.train.max_iterations = 3;
    if (!CHECK(p != NULL))
        return;
    made_clouds(p->x, p->label, 0.42);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        p->x[i] += moved;
    CHECK(temper_data_borrow_f64(p->x, ROWS, COLUMNS, p->label, &p->data, NULL) == TEMPER_OK);
    CHECK(temper_audit(p->data, &options, NULL, &p->report, NULL) == TEMPER_OK);
    for (size_t i = 0; p->report.suspects && i < ROWS; i++)
        distance[p->report.suspects[i].row] = p->report.suspects[i].distance;
    planting_free(p);
}

TEST(neighbours_far_from_zero_are_the_same)
{
    static double near[ROWS], far[ROWS];
    distances_at(0, near);
    distances_at(65536, far);
    for (size_t row = 0; row < ROWS; row++)
        CHECK_CLOSE(far[row], near[row], 1e-3);
}

TEST_LIST(LISTED(finds_labels_that_are_wrong_evenly), LISTED(finds_labels_that_are_wrong_in_pairs),
          LISTED(report_is_consistent), LISTED(any_number_of_threads), LISTED(combines_two_losses),
          LISTED(rows_from_elsewhere), LISTED(conflicts), LISTED(fixes), LISTED(page), LISTED(refusals),
          LISTED(interruption), LISTED(memory_ends), LISTED(neighbours_far_from_zero_are_the_same))
