/* A final fit that ends in another optimum than the models of the folds is repeated from their mean. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "search/tune_state.h"

enum { ROWS = 100, FOLDS = 2 };

/* Most rows say that x > 0 is class b; the others, further out, say the opposite, and win where the
 * way begins. Either is an optimum of a loss with a cap. */
struct made {
    struct dataset *data;
    temper_tune_options options;
    temper_tune_candidate candidate;
    temper_error error;
    uint16_t predicted[FOLDS * ROWS];
    double mean[2];
    struct fold_models models;
    struct tune_state t;
};

static void made_new(struct made *made, temper_loss_spec loss, double weight)
{
    double xy[2 * ROWS];
    const char *labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        bool right = i % 2, flipped = i % 10 >= 6;
        xy[2 * i] = (right ? 1 : -1) * (flipped ? 6 : 1);
        xy[2 * i + 1] = 0;
        labels[i] = right != flipped ? "b" : "a";
    }
    *made = (struct made){.data = made_points(ROWS, xy, labels)};
    made->options = temper_tune_defaults();
    made->candidate = (temper_tune_candidate){.loss = loss, .l2 = 1e-6, .stage = 2};
    uint16_t one = (uint16_t)classes_find(&made->data->classes, "b", 1);
    for (size_t i = 0; i < FOLDS * ROWS; i++) /* by models of that weight */
        made->predicted[i] = (xy[2 * (i % ROWS)] * weight > 0) == (one == 1);
    made->mean[0] = one == 1 ? weight : -weight;
    made->models = (struct fold_models){FOLDS, ROWS, made->predicted, made->mean};
    made->t = (struct tune_state){.request = {.data = made->data,
                                              .options = &made->options,
                                              .error = &made->error,
                                              .wants_model = true,
                                              .train = made_options()},
                                  .table = {.candidate = &made->candidate, .count = 1},
                                  .progress = {.phase = "final fit"}};
    made->t.request.train.scale = "none";
    made->t.request.train.no_intercept = 1;
    CHECK(scaled_features_new(made->data, "none", 1, &made->t.setup.features, &made->error) == TEMPER_OK);
}

static void made_free(struct made *made)
{
    model_free(made->t.model);
    scaled_features_free(&made->t.setup.features);
    dataset_free(made->data);
}

static const temper_loss_spec capped = {.method = TEMPER_TEMPERED, .t1 = 0.1, .t2 = 1};
static const temper_loss_spec convex = {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1};

TEST(a_fit_like_those_of_the_folds_is_kept)
{
    struct made made;
    made_new(&made, capped, -5);
    CHECK(tune_fit_all_rows(&made.t, &made.models) == TEMPER_OK && made.t.model);
    CHECKF(!made.t.report.refitted && made.t.report.warnings.count == 0, "%s",
           made_first_warning(&made.t.report.warnings));
    made_free(&made);
}

TEST(one_that_went_elsewhere_begins_at_their_mean)
{
    struct made made;
    made_new(&made, capped, 5);
    CHECK(tune_fit_all_rows(&made.t, &made.models) == TEMPER_OK);
    if (CHECK(made.t.model != NULL)) {
        CHECK(made.t.report.refitted);
        CHECK(made.t.model->weights[0] * made.mean[0] > 0);
        CHECK(made_warned(&made.t.report.warnings, TEMPER_WARNING_FOLDS_DISAGREE, "repeated from the mean"));
    }
    made_free(&made);
}

/* A warm start and another start exclude each other. */
TEST(the_mean_replaces_the_start_of_the_options)
{
    struct made made;
    made_new(&made, capped, 5);
    made.t.request.train.init = "normal:1e-9";
    CHECKF(tune_fit_all_rows(&made.t, &made.models) == TEMPER_OK, "%s", made.error.message);
    CHECK(made.t.report.refitted);
    made_free(&made);
}

TEST(where_there_is_no_other_optimum_that_is_said)
{
    struct made made;
    made_new(&made, convex, 5);
    CHECK(tune_fit_all_rows(&made.t, &made.models) == TEMPER_OK);
    if (CHECK(made.t.model != NULL)) {
        CHECK(!made.t.report.refitted && made.t.model->weights[0] * made.mean[0] < 0);
        CHECK(made_warned(&made.t.report.warnings, TEMPER_WARNING_FOLDS_DISAGREE, "ended there too"));
        CHECK(made_warned(&made.t.report.warnings, TEMPER_WARNING_FOLDS_DISAGREE,
                          "(100.0 % of the rows are predicted differently, 0.0 % among the folds)"));
    }
    made_free(&made);
}

TEST_LIST(LISTED(a_fit_like_those_of_the_folds_is_kept), LISTED(one_that_went_elsewhere_begins_at_their_mean),
          LISTED(the_mean_replaces_the_start_of_the_options), LISTED(where_there_is_no_other_optimum_that_is_said))
