/* The consensus and its report: labels, intervals, flags, items to label again, models of features. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { ITEMS = 400, ANNOTATORS = 8, CLASSES = 3, VOTES = ITEMS * ANNOTATORS };

/* Accuracies of the annotators: four are good; one is random, one inverted, one constant, one has three labels. */
static const double accuracy[ANNOTATORS] = {0.9, 0.8, 0.75, 0.7, 1.0 / 3, 0.05, 0, 0.9};

static uint32_t item[VOTES], annotator[VOTES], label[VOTES], truth[ITEMS];
static size_t count;

/* Most items have four labels or fewer. */
static void make_votes(void)
{
    count = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        truth[i] = (uint32_t)random_below((struct random){1, 70}, i, CLASSES);
        for (size_t a = 0; a < ANNOTATORS; a++) {
            size_t k = i * ANNOTATORS + a;
            bool right = random_uniform((struct random){1, 71}, k) < accuracy[a];
            uint32_t wrong = (uint32_t)random_below((struct random){1, 72}, k, CLASSES - 1);
            if (a == 7 ? i >= 3 : random_uniform((struct random){1, 73}, k) < 0.4)
                continue;
            item[count] = (uint32_t)i;
            annotator[count] = (uint32_t)a;
            label[count++] = a == 6 ? 1 : right ? truth[i] : (truth[i] + 1 + wrong) % CLASSES;
        }
    }
}

static temper_votes *votes_new(void)
{
    temper_votes *votes = NULL;
    make_votes();
    temper_vote_arrays arrays = {count, item, annotator, label, ITEMS, ANNOTATORS, CLASSES};
    CHECK(temper_votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK);
    return votes;
}

static size_t count_right(const temper_consensus_report *report)
{
    size_t right = 0;
    for (size_t i = 0; i < ITEMS; i++)
        right += report->item[i].label == truth[i];
    return right;
}

TEST(report_of_a_mixed_crowd)
{
    temper_votes *votes = votes_new();
    temper_consensus_options options = temper_consensus_defaults();
    temper_consensus_report report, majority;
    temper_error error = {0};
    options.method = "majority";
    CHECKF(temper_consensus(votes, &options, &majority, &error) == TEMPER_OK, "%s", error.message);
    CHECKF(temper_consensus(votes, NULL, &report, &error) == TEMPER_OK, "%s", error.message);
    CHECK(count_right(&report) > count_right(&majority) + 10);
    CHECK_NEAR(report.wrong, (double)(ITEMS - count_right(&report)), 20);
    CHECK(isnan(majority.wrong) && isnan(majority.likelihood));
    for (size_t a = 0; a < 6; a++) {
        const temper_annotator_summary *one = &report.annotator[a];
        CHECKF(one->low < accuracy[a] + 0.02 && one->high > accuracy[a] - 0.02, "annotator %zu: %g to %g", a, one->low,
               one->high);
        CHECK(one->low < one->accuracy && one->accuracy < one->high);
    }
    CHECK(report.annotator[0].flags == 0 && report.annotator[3].flags == 0);
    CHECK(report.annotator[4].flags == TEMPER_ANNOTATOR_RANDOM);
    CHECK(report.annotator[5].flags == TEMPER_ANNOTATOR_INVERTED);
    CHECK(report.annotator[6].flags == TEMPER_ANNOTATOR_CONSTANT);
    /* Three labels say little. */
    CHECK(report.annotator[7].flags == 0 && report.annotator[7].labels == 3);
    CHECK(report.annotator[7].high - report.annotator[7].low > 0.2);
    CHECK(report.annotator[6].confused_with == 1);
    temper_consensus_report_free(&report);
    temper_consensus_report_free(&majority);
    temper_votes_free(votes);
}

/* Rows of matrices and posteriors sum to 1; the list of items to label again is in the order of the gain. */
TEST(report_is_consistent)
{
    temper_votes *votes = votes_new();
    temper_consensus_report report;
    if (!CHECK(temper_consensus(votes, NULL, &report, NULL) == TEMPER_OK))
        return;
    for (size_t i = 0; i < ANNOTATORS * CLASSES; i++) {
        const double *row = report.confusion + i * CLASSES;
        CHECK_CLOSE(row[0] + row[1] + row[2], 1, 1e-12);
    }
    bool seen[ITEMS] = {false};
    for (size_t i = 0; i < ITEMS; i++) {
        const double *q = report.posterior + i * CLASSES;
        const temper_item_consensus *one = &report.item[i];
        CHECK_CLOSE(q[0] + q[1] + q[2], 1, 1e-12);
        CHECK((one->label == TEMPER_NO_LABEL) == (one->votes == 0));
        /* A vote cannot raise the largest probability beyond 1. */
        CHECK(one->gain <= 1 - fmax(q[0], fmax(q[1], q[2])) + 1e-12);
        if (one->label != TEMPER_NO_LABEL)
            CHECK(one->probability == q[one->label] && one->gain >= 0 && one->agreement <= 1);
        seen[report.again[i]] = true;
        if (i > 0)
            CHECK(report.item[report.again[i]].gain <= report.item[report.again[i - 1]].gain + 1e-9);
    }
    for (size_t i = 0; i < ITEMS; i++)
        CHECK(seen[i]);
    CHECK_EQ_SIZE(report.suggested_again, (size_t)ceil(report.wrong));
    CHECK_CLOSE(report.shares[0] + report.shares[1] + report.shares[2], 1, 1e-12);
    temper_consensus_report_free(&report);
    temper_consensus_report_free(&report);
    temper_votes_free(votes);
}

/* Ties go to the more frequent class, and items without votes have no label. */
TEST(majority_by_hand)
{
    static const uint32_t of_item[] = {0, 0, 1, 1, 1, 2}, by[] = {0, 1, 0, 1, 2, 0}, given[] = {0, 1, 1, 1, 0, 1};
    temper_vote_arrays arrays = {6, of_item, by, given, 4, 3, 2};
    temper_consensus_options options = temper_consensus_defaults();
    temper_consensus_report report;
    temper_votes *votes;
    options.method = "majority";
    if (!CHECK(temper_votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK))
        return;
    if (!CHECK(temper_consensus(votes, &options, &report, NULL) == TEMPER_OK))
        return;
    CHECK(report.item[0].label == 1 && report.item[0].probability == 0.5 && report.item[0].agreement == 0.5);
    CHECK(report.item[1].label == 1);
    CHECK_CLOSE(report.item[1].probability, 2.0 / 3, 1e-12);
    CHECK(report.item[2].label == 1 && report.item[2].votes == 1);
    CHECK(report.item[3].label == TEMPER_NO_LABEL && isnan(report.item[3].probability) &&
          isnan(report.item[3].agreement));
    CHECK_CLOSE(report.annotator[2].agreement, 0, 0);
    CHECK_EQ_SIZE(report.suggested_again, 1); /* 1/2 + 1/3 + 0 are expected to be wrong */
    temper_consensus_report_free(&report);
    temper_votes_free(votes);
}

/* The consensus by the default options, if there is one. */
static bool consensus_of_arrays(temper_vote_arrays arrays, temper_consensus_report *report)
{
    temper_votes *votes;
    if (!CHECK(temper_votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK))
        return false;
    temper_status status = temper_consensus(votes, NULL, report, NULL);
    temper_votes_free(votes);
    return CHECK(status == TEMPER_OK);
}

/* Labels that are right a little less often than by chance are random; only many wrong ones are inverted. */
TEST(slightly_worse_than_chance_is_random)
{
    enum { MANY = 4000, FOUR = 4 };
    static uint32_t of_item[MANY * FOUR], by[MANY * FOUR], given[MANY * FOUR];
    for (uint32_t i = 0; i < MANY * FOUR; i++) {
        uint32_t at = i / FOUR, class = at % 2;
        by[i] = i % FOUR;
        of_item[i] = at;
        bool right = by[i] < 3 ? at / 2 % 10 != by[i] : at / 2 % 20 < 9;
        given[i] = right ? class : 1 - class;
    }
    temper_vote_arrays arrays = {(size_t)MANY * FOUR, of_item, by, given, MANY, FOUR, 2};
    temper_consensus_report report;
    if (consensus_of_arrays(arrays, &report)) {
        const temper_annotator_summary *last = &report.annotator[3];
        CHECKF(last->accuracy < 0.48 && last->high < last->chance, "%g, %g", last->accuracy, last->high);
        CHECK(last->flags == TEMPER_ANNOTATOR_RANDOM && report.annotator[0].flags == 0);
        temper_consensus_report_free(&report);
    }
}

/* Where less than half an item is expected to be wrong, none has to be asked about again. */
TEST(annotators_who_agree_need_not_be_asked_again)
{
    static uint32_t of_item[40], by[40], given[40];
    for (uint32_t i = 0; i < 40; i++) {
        of_item[i] = i / 4;
        by[i] = i % 4;
        given[i] = of_item[i] % 2;
    }
    temper_vote_arrays arrays = {40, of_item, by, given, 10, 4, 2};
    temper_consensus_report report;
    if (consensus_of_arrays(arrays, &report)) {
        CHECKF(report.wrong > 0 && report.wrong < 0.5, "%g", report.wrong);
        CHECK_EQ_SIZE(report.suggested_again, 0);
        temper_consensus_report_free(&report);
    }
}

/* Features of which the first two separate the classes, and one vote for each item by a poor annotator. */
static temper_data *data_new(double x[ITEMS * 3])
{
    static const double centre[CLASSES][2] = {{0, 2.5}, {-2.2, -1.3}, {2.2, -1.3}};
    temper_data *data = NULL;
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t j = 0; j < 3; j++)
            x[i * 3 + j] = random_normal((struct random){1, 74}, i * 3 + j) + (j < 2 ? centre[truth[i]][j] : 0);
    CHECK(temper_data_borrow_f64(x, ITEMS, 3, NULL, &data, NULL) == TEMPER_OK);
    return data;
}

/* Models of good features correct the votes; probabilities that mean nothing get no weight. */
TEST(models_help_where_they_can)
{
    static double x[ITEMS * 3], noise[ITEMS * CLASSES], good[ITEMS * CLASSES];
    temper_votes *votes = votes_new();
    temper_data *data = data_new(x);
    temper_consensus_options options = temper_consensus_defaults();
    temper_consensus_report alone, joined, given, useless;
    temper_error error = {0};
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t c = 0; c < CLASSES; c++) {
            noise[i * CLASSES + c] = exp(2 * random_normal((struct random){1, 75}, i * CLASSES + c));
            good[i * CLASSES + c] = c == truth[i] ? 0.8 : 0.1;
        }
    CHECK(temper_consensus(votes, NULL, &alone, NULL) == TEMPER_OK);
    options.data = data;
    CHECKF(temper_consensus(votes, &options, &joined, &error) == TEMPER_OK, "%s", error.message);
    options.data = NULL;
    options.probabilities = good;
    CHECK(temper_consensus(votes, &options, &given, NULL) == TEMPER_OK);
    options.probabilities = noise;
    CHECK(temper_consensus(votes, &options, &useless, NULL) == TEMPER_OK);
    CHECK(count_right(&joined) > count_right(&alone));
    CHECK(joined.rounds >= 1 && joined.sharpness > 0.3 && joined.model_agreement > 0.8);
    CHECK(count_right(&given) > ITEMS - 5 && given.sharpness > 1);
    CHECK(useless.sharpness < 0.15 && count_right(&useless) + 5 > count_right(&alone));
    temper_consensus_report_free(&alone);
    temper_consensus_report_free(&joined);
    temper_consensus_report_free(&given);
    temper_consensus_report_free(&useless);
    temper_data_free(data);
    temper_votes_free(votes);
}

/* Rows with votes get the consensus as labels. */
TEST(data_gets_labels)
{
    static const uint32_t of_item[] = {0, 2, 2}, by[] = {0, 0, 1}, given[] = {1, 0, 0};
    static const double x[] = {1, 2, 3};
    temper_vote_arrays arrays = {3, of_item, by, given, 3, 2, 2};
    temper_votes *votes = NULL;
    temper_data *data = NULL, *labelled = NULL;
    temper_consensus_report report;
    CHECK(temper_votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK);
    CHECK(temper_data_from_f64(x, 3, 1, NULL, &data, NULL) == TEMPER_OK);
    CHECK(temper_consensus(votes, NULL, &report, NULL) == TEMPER_OK);
    if (CHECK(temper_consensus_label(data, votes, &report, &labelled, NULL) == TEMPER_OK)) {
        CHECK_EQ_SIZE(temper_data_rows(labelled), 2);
        CHECK(temper_data_labels(labelled)[0] == 1 && temper_data_labels(labelled)[1] == 0);
        CHECK_EQ_TEXT(temper_data_class_name(labelled, 1), "1");
    }
    temper_data_free(labelled);
    temper_data_free(data);
    temper_consensus_report_free(&report);
    temper_votes_free(votes);
}

TEST(wrong_calls_are_refused)
{
    static double negative[ITEMS * CLASSES] = {-1};
    static const double x[] = {1, 2};
    temper_votes *votes = votes_new();
    temper_data *data = NULL;
    temper_consensus_options options = temper_consensus_defaults();
    temper_consensus_report report = {.items = 77};
    temper_error error;
    options.method = "best";
    CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "unknown method 'best'") != NULL);
    options = temper_consensus_defaults();
    options.probabilities = negative;
    CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_BAD_DATA);
    options.method = "majority";
    CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_USAGE);
    options = temper_consensus_defaults();
    options.folds = 1;
    CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_USAGE);
    options.folds = 5;
    CHECK(temper_data_from_f64(x, 2, 1, NULL, &data, NULL) == TEMPER_OK);
    options.data = data;
    CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "400 items for 2 rows") != NULL);
    options.struct_size = 0;
    CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_USAGE);
    CHECK(report.items == 77);
    temper_data_free(data);
    temper_votes_free(votes);
}

/* A small crowd with features; every allocation fails once. */
TEST(no_memory)
{
    enum { ROWS = 24 };
    static double x[ROWS];
    static uint32_t of_item[ROWS], by[ROWS], given[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        of_item[i] = i;
        by[i] = i % 2;
        given[i] = i % 3 == 0;
        x[i] = given[i] + 0.1 * (i % 7);
    }
    temper_vote_arrays arrays = {ROWS, of_item, by, given, ROWS, 2, 2};
    temper_consensus_options options = temper_consensus_defaults();
    temper_votes *votes = NULL;
    temper_data *data = NULL;
    CHECK(temper_votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK);
    CHECK(temper_data_from_f64(x, ROWS, 1, NULL, &data, NULL) == TEMPER_OK);
    options.data = data;
    options.threads = 1;
    options.rounds = 1;
    for (size_t n = 1;; n += test_step(3)) {
        temper_consensus_report report;
        temper_error error = {0};
        fault_arm(n);
        temper_status status = temper_consensus(votes, &options, &report, &error);
        fault_disarm();
        if (status == TEMPER_OK)
            temper_consensus_report_free(&report);
        if (!fault_fired())
            break;
        /* Some allocations of a fit can be done without. */
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "allocation %zu: %s", n, error.message);
    }
    temper_data_free(data);
    temper_votes_free(votes);
}

/* One row among good ones with a number below 0, or without a bound, whatever its sum is. */
TEST(probabilities_of_any_row_are_checked)
{
    static double given[ITEMS * CLASSES];
    static const double wrong[] = {-0.25, NAN, INFINITY};
    temper_votes *votes = votes_new();
    temper_consensus_options options = temper_consensus_defaults();
    temper_consensus_report report = {.items = 77};
    temper_error error = {0};
    options.probabilities = given;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (size_t k = 0; k < (size_t)ITEMS * CLASSES; k++)
            given[k] = 1 / (double)CLASSES;
        given[7 * CLASSES + 1] = wrong[i];
        CHECK(temper_consensus(votes, &options, &report, &error) == TEMPER_BAD_DATA && report.items == 77);
        CHECKF(strstr(error.message, "row 8 of the probabilities"), "%s", error.message);
    }
    temper_votes_free(votes);
}

TEST_LIST(LISTED(report_of_a_mixed_crowd), LISTED(report_is_consistent), LISTED(majority_by_hand),
          LISTED(slightly_worse_than_chance_is_random), LISTED(annotators_who_agree_need_not_be_asked_again),
          LISTED(models_help_where_they_can), LISTED(data_gets_labels), LISTED(wrong_calls_are_refused),
          LISTED(no_memory), LISTED(probabilities_of_any_row_are_checked))
