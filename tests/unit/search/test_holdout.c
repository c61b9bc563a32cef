/* The accuracy to expect on new rows: by what it is measured, and that it leaves the model alone. */
#include "search/out_of_fold/holdout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/dist/scatter_rows.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"

TEST(shares_of_weights_with_their_interval)
{
    static const double score[] = {1, -1, 2, -3}, weight[] = {1, 1, 3, 0};
    static const uint32_t label[] = {1, 1, 1, 1};
    struct scored_rows rows = {score, 1, label, weight, 4};
    temper_expected_accuracy found = holdout_measure(&rows, "cv", 5);
    CHECK_CLOSE(found.accuracy, 0.8, 1e-15);
    CHECK(strcmp(found.by, "cv") == 0 && found.why == NULL && found.fits == 5 && found.rows == 4);
    CHECK(found.low < 0.35 && found.high > 0.9); /* the weights are worth 25/11 rows */
    rows.weight = NULL;
    CHECK_CLOSE(holdout_measure(&rows, "cv", 5).accuracy, 0.5, 1e-15);
    rows.weight = (const double[]){0, 0, 0, 0};
    found = holdout_measure(&rows, "cv", 5);
    CHECK(found.by == NULL && strcmp(found.why, "few-rows") == 0 && isnan(found.accuracy));
}

/* The model has the same bytes whatever is estimated beside it; each way reports what it did. */
TEST(the_model_stays_as_it_is)
{
    static const struct {
        const char *holdout, *calibrate, *by;
        size_t rows, fits;
    } ways[] = {{"none", "auto", NULL, 0, 0},      {"cv", "auto", "cv", 300, 5},
                {"0.2", "auto", "holdout", 60, 1}, {"auto", "auto", "calibration", 300, 5},
                {"auto", "train", "cv", 300, 5},   {"0.5", "train", "holdout", 150, 1}};
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        temper_train_options options = made_calibrated_options();
        temper_train_report report;
        options.calibrate = ways[i].calibrate;
        temper_model *plain = made_train(data, options, &report);
        CHECK(report.expected.by == NULL && strcmp(report.expected.why, "none") == 0); /* the default of the library */
        options.holdout = ways[i].holdout;
        temper_model *model = made_train(data, options, &report);
        const temper_expected_accuracy *expected = &report.expected;
        CHECKF(made_same_bytes(plain, model), "%s", ways[i].holdout);
        CHECKF(ways[i].by ? expected->by && strcmp(expected->by, ways[i].by) == 0 : !expected->by, "%s",
               ways[i].holdout);
        CHECKF(expected->fits == ways[i].fits && llabs((long long)expected->rows - (long long)ways[i].rows) <= 6,
               "%s: %zu rows", ways[i].holdout, expected->rows); /* equal rows stay together */
        if (ways[i].by)
            CHECK(expected->low < expected->accuracy && expected->accuracy < expected->high &&
                  expected->accuracy < report.accuracy + 0.05);
        temper_model_free(plain);
        temper_model_free(model);
    }
    dataset_free(data);
}

/* Labels at random, more features than rows, and every row five times: a model knows all rows by heart, and nothing
 * about new ones. Rows of which a copy was fitted to would count as right. */
TEST(equal_rows_are_held_out_together)
{
    enum { DISTINCT = 60, COPIES = 5, COLUMNS = 100 };
    static double x[DISTINCT * COPIES * COLUMNS];
    static const char *labels[DISTINCT * COPIES];
    const struct random random = {7, 1};
    for (size_t row = 0; row < DISTINCT; row++) {
        const char *label = random_bits(random, row) % 2 ? "b" : "a";
        for (size_t j = 0; j < COLUMNS; j++)
            x[row * COLUMNS + j] = random_normal(random, 1000 + row * COLUMNS + j);
        for (size_t copy = 0; copy < COPIES; copy++) {
            labels[copy * DISTINCT + row] = label;
            memcpy(x + (copy * DISTINCT + row) * COLUMNS, x + row * COLUMNS, COLUMNS * sizeof *x);
        }
    }
    struct dataset *data = table_make(MATRIX_F64, DISTINCT * COPIES, COLUMNS, x, labels);
    static const char *const ways[] = {"auto", "cv", "0.3"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        temper_train_options options = made_calibrated_options();
        temper_train_report report;
        options.holdout = ways[i];
        temper_model_free(made_train(data, options, &report));
        CHECKF(report.accuracy > 0.95 && report.expected.accuracy < 0.75, "%s: %g, %g", ways[i], report.accuracy,
               report.expected.accuracy);
    }
    dataset_free(data);
}

TEST(what_is_not_estimated)
{
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3), *few = made_data(MATRIX_F64, 15, 2, 2);
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    options.holdout = "cv";
    temper_model_free(made_train(few, options, &report));
    CHECK(report.expected.by == NULL && strcmp(report.expected.why, "few-rows") == 0);
    options.holdout = "auto";
    options.validation = made_public(data);
    temper_model_free(made_train(data, options, &report));
    CHECK(report.expected.by == NULL && strcmp(report.expected.why, "validation") == 0);
    options.holdout = "0.2";
    made_refused(data, options, TEMPER_USAGE, "--holdout and --valid");
    options.validation = NULL;
    options.clean = "drop";
    made_refused(data, options, TEMPER_USAGE, "--holdout and --clean");
    options.holdout = "auto";
    temper_model_free(made_train(data, options, &report));
    CHECK(report.expected.by == NULL && strcmp(report.expected.why, "clean") == 0);
    options.clean = NULL;
    static const char *const wrong[] = {"0", "1", "-0.5", "nan", "half", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.holdout = wrong[i];
        made_refused(data, options, TEMPER_USAGE, "is no share of rows");
    }
    dataset_free(data);
    dataset_free(few);
}

static int stop_in_holdout(void *context, const temper_train_progress *progress)
{
    size_t *calls = context;
    *calls += strcmp(progress->phase, TEMPER_PHASE_HOLDOUT) == 0;
    return *calls == 3;
}

/* The model is complete by then. */
TEST(it_can_be_interrupted)
{
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3);
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    size_t calls = 0;
    temper_model *plain = made_train(data, options, NULL);
    options.holdout = "cv";
    options.on_progress = stop_in_holdout;
    options.progress_context = &calls;
    temper_model *model = made_train(data, options, &report);
    CHECK(calls == 3 && report.stop == TEMPER_STOP_INTERRUPTED && made_same_bytes(plain, model));
    CHECK(report.expected.by == NULL && strcmp(report.expected.why, "interrupted") == 0);
    temper_model_free(plain);
    temper_model_free(model);
    dataset_free(data);
}

/* Several processes find what one does. */
struct holdout_team {
    temper_train_report report[3];
    temper_status status[3];
    const char *holdout;
};

static void train_in_team(void *context, const temper_comm *comm)
{
    struct holdout_team *team = context;
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3);
    temper_train_options options = made_calibrated_options();
    temper_model *model = NULL;
    options.holdout = team->holdout;
    team->status[comm->rank] = scatter_rows(data, comm, NULL);
    if (team->status[comm->rank] == TEMPER_OK)
        team->status[comm->rank] = temper_train(made_public(data), &options, &model, &team->report[comm->rank], NULL);
    temper_model_free(model);
    dataset_free(data);
}

TEST(several_processes_agree)
{
    static const char *const ways[] = {"auto", "cv", "0.2"};
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct holdout_team team = {.holdout = ways[i]};
        temper_train_options options = made_calibrated_options();
        temper_train_report alone;
        options.holdout = ways[i];
        temper_model_free(made_train(data, options, &alone));
        team_run(3, train_in_team, &team);
        for (size_t rank = 0; rank < 3; rank++)
            CHECKF(team.status[rank] == TEMPER_OK && team.report[rank].expected.by &&
                       team.report[rank].expected.accuracy == alone.expected.accuracy &&
                       team.report[rank].expected.rows == alone.expected.rows,
                   "%s, rank %zu: %g, alone %g", ways[i], rank, team.report[rank].expected.accuracy,
                   alone.expected.accuracy);
    }
    dataset_free(data);
}

TEST_LIST(LISTED(shares_of_weights_with_their_interval), LISTED(the_model_stays_as_it_is),
          LISTED(equal_rows_are_held_out_together), LISTED(what_is_not_estimated), LISTED(it_can_be_interrupted),
          LISTED(several_processes_agree))
