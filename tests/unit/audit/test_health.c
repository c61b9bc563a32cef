/* The health of a data set: classes, overlaps, duplicates, outliers; and the same as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 600, COLUMNS = 3, CLASSES = 3 };

/* Classes 0 and 1 overlap, 2 is apart; a tenth of the labels is wrong. Rows 10 and 13 are equal, of class 1; 20 is
 * nearly 300, of another class; 40 is far from all others. */
struct odd_rows {
    double x[ROWS * COLUMNS];
    int label[ROWS];
    temper_data *data;
    temper_audit_report report;
};

static void copy_row(struct odd_rows *r, size_t to, size_t from, double moved)
{
    for (size_t j = 0; j < COLUMNS; j++)
        r->x[to * COLUMNS + j] = r->x[from * COLUMNS + j] + moved;
}

static bool make_rows(struct odd_rows *r, temper_audit_options options)
{
    static const double centre[CLASSES][COLUMNS] = {{0, 0, 0}, {1.5, 0, 0}, {0, 8, 8}};
    temper_error error = {0};
    for (size_t row = 0; row < ROWS; row++) {
        size_t class = row % CLASSES;
        r->label[row] = (int)(row % 10 == 5 ? class + 1 + row / 10 % 2 : class) % CLASSES;
        for (size_t j = 0; j < COLUMNS; j++)
            r->x[row * COLUMNS + j] = centre[class][j] + 0.5 * random_normal((struct random){4, 4}, row * COLUMNS + j);
    }
    copy_row(r, 13, 10, 0);
    copy_row(r, 300, 20, 1e-4);
    r->label[300] = 1;
    r->label[20] = 2;
    for (size_t j = 0; j < COLUMNS; j++)
        r->x[40 * COLUMNS + j] = -40;
    options.choose = 0;
    options.train.threads = 1;
    options.health = 1;
    if (!CHECK(temper_data_borrow_f64(r->x, ROWS, COLUMNS, r->label, &r->data, &error) == TEMPER_OK))
        return false;
    return CHECKF(temper_audit(r->data, &options, NULL, &r->report, &error) == TEMPER_OK, "%s", error.message);
}

static void rows_free(struct odd_rows *r)
{
    temper_audit_report_free(&r->report);
    temper_data_free(r->data);
    free(r);
}

TEST(what_is_odd_is_found)
{
    struct odd_rows *r = calloc(1, sizeof *r);
    if (!CHECK(r != NULL) || !make_rows(r, temper_audit_defaults()))
        return;
    const temper_audit_health *health = r->report.health;
    double rows = 0, wrong = 0;
    for (size_t c = 0; c < CLASSES; c++) {
        rows += (double)health->classes[c].rows;
        wrong += health->classes[c].wrong;
    }
    CHECK(rows == ROWS);
    CHECK_CLOSE(wrong, r->report.wrong, 1e-9);
    CHECKF(health->classes[0].wrong > 10 && health->classes[2].missed > 10, "%g %g", health->classes[0].wrong,
           health->classes[2].missed);
    CHECK(health->classes[2].predicted > health->classes[1].predicted && health->classes[1].predicted < 0.9);
    /* Classes 0 and 1 overlap; mistakes between 2 and others are no overlap. */
    CHECKF(health->overlap[1] > 0.03 && health->overlap[1] == health->overlap[3], "%g", health->overlap[1]);
    CHECKF(health->overlap[2] < 0.03 && health->overlap[0] == 0, "%g", health->overlap[2]);
    if (CHECKF(health->duplicate_count == 2, "%zu", health->duplicate_count)) {
        const temper_near_duplicate *pair = health->duplicates;
        CHECK(pair[0].row == 20 && pair[0].other == 300 && pair[0].across && pair[0].distance > 0);
        CHECK(pair[1].row == 13 && pair[1].other == 10 && !pair[1].across && pair[1].distance == 0);
    }
    CHECK(health->duplicate_rows == 4 && health->across_rows == 2 && health->classes[1].duplicates == 3);
    CHECK(health->outlier_count >= 1 && health->outliers[0] == 40 && health->outlier_scores[0] > 3.5);
    CHECK(health->classes[r->label[40]].outliers >= 1);
    rows_free(r);
}

TEST(as_json)
{
    struct odd_rows *r = calloc(1, sizeof *r);
    temper_text json = {0};
    temper_error error = {0};
    if (!CHECK(r != NULL) || !make_rows(r, temper_audit_defaults()))
        return;
    if (CHECK(temper_audit_health_to_json(r->data, &r->report, &json, &error) == TEMPER_OK)) {
        CHECK(!strchr(json.bytes, '\n'));
        CHECK(strstr(json.bytes, "{\"rows\": 600, \"expected_wrong\": ") == json.bytes);
        CHECK(strstr(json.bytes, "\"mislabelled\": [{\"true\": \""));
        CHECK(strstr(json.bytes, "\"overlaps\": [{\"a\": \"0\", \"b\": \"1\", \"share\": "));
        CHECK(strstr(json.bytes, "\"duplicates\": {\"rows\": 4, \"across_classes\": 2, \"pairs\": 2, \"list\": "
                                 "[{\"row\": 21, \"other_row\": 301, \"distance\": "));
        CHECK(strstr(json.bytes, "\"list\": [{\"row\": 41, \"score\": "));
        CHECK(strstr(json.bytes, "\"conflicts\": 0}"));
        temper_text_free(&json);
    }
    temper_audit_report_free(&r->report);
    temper_audit_options options = temper_audit_defaults();
    options.choose = 0;
    options.train.threads = 1;
    CHECK(temper_audit(r->data, &options, NULL, &r->report, &error) == TEMPER_OK && !r->report.health);
    CHECK(temper_audit_health_to_json(r->data, &r->report, &json, &error) == TEMPER_USAGE);
    rows_free(r);
}

/* Kind "row" has scores that are distances; sparse rows are compared by their entries. */
TEST(other_kinds)
{
    struct odd_rows *r = calloc(1, sizeof *r);
    temper_audit_options options = temper_audit_defaults();
    options.kind = "row";
    if (!CHECK(r != NULL) || !make_rows(r, options))
        return;
    CHECK(r->report.health->classes[0].wrong > 10 && r->report.health->classes[0].wrong < 100);
    rows_free(r);
    struct dataset *sparse = made_data(MATRIX_CSR, 200, 6, 2);
    temper_audit_report report = {0};
    options.kind = "label";
    options.choose = 0;
    options.health = 1;
    CHECK(temper_audit(made_public(sparse), &options, NULL, &report, NULL) == TEMPER_OK);
    CHECK(report.health && report.health->classes[0].rows + report.health->classes[1].rows == 200);
    temper_audit_report_free(&report);
    dataset_free(sparse);
}

/* The pairs of classes of a list, the largest value first. */
TEST(pairs_are_sorted)
{
    struct odd_rows *r = calloc(1, sizeof *r);
    temper_text json = {0};
    if (!CHECK(r != NULL) || !make_rows(r, temper_audit_defaults()))
        return;
    CHECK(temper_audit_health_to_json(r->data, &r->report, &json, NULL) == TEMPER_OK);
    const char *at = json.bytes ? strstr(json.bytes, "\"mislabelled\": [") : NULL, *end = at ? strchr(at, ']') : NULL;
    double before = INFINITY;
    size_t pairs = 0;
    while (at && (at = strstr(at, "\"expected_rows\": ")) && at < end) {
        at += strlen("\"expected_rows\": ");
        double value = strtod(at, NULL);
        CHECKF(value <= before, "%g after %g in %.400s", value, before, json.bytes);
        before = value;
        pairs++;
    }
    CHECKF(pairs >= 3, "%zu in %.900s", pairs, json.bytes);
    temper_text_free(&json);
    rows_free(r);
}

TEST_LIST(LISTED(what_is_odd_is_found), LISTED(as_json), LISTED(other_kinds), LISTED(pairs_are_sorted))
