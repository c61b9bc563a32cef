/* The same search, byte by byte, for any number of processes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dist/scatter_rows.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"

struct trial {
    enum matrix_kind kind;
    size_t rows, columns, classes;
    bool weights;
    temper_tune_options options;
    size_t stop_rank, stop_after; /* that one wants to stop after so many calls; 0: nobody does */
    temper_model *model[TEAM_MOST];
    temper_tune_report report[TEAM_MOST];
    temper_error error[TEAM_MOST];
    temper_status status[TEAM_MOST];
};

static void add_weights(struct dataset *data)
{
    data->weight = malloc((size_t)data->x.rows * sizeof *data->weight);
    for (size_t i = 0; data->weight && i < data->x.rows; i++)
        data->weight[i] = (double)(i % 5) / 3;
}

static int stop_after(void *context, const temper_tune_progress *progress)
{
    size_t *left = context;
    (void)progress;
    return *left > 0 && --*left == 0;
}

static void tune_share(void *context, const temper_comm *comm)
{
    struct trial *trial = context;
    size_t rank = comm->rank, left = rank == trial->stop_rank ? trial->stop_after : 0;
    temper_tune_options options = trial->options;
    struct dataset *data = made_data(trial->kind, trial->rows, trial->columns, trial->classes);
    if (trial->weights)
        add_weights(data);
    options.on_progress = stop_after;
    options.progress_context = &left;
    trial->status[rank] = scatter_rows(data, comm, &trial->error[rank]);
    if (trial->status[rank] == TEMPER_OK)
        trial->status[rank] =
            temper_tune(made_public(data), &options, &trial->model[rank], &trial->report[rank], &trial->error[rank]);
    dataset_free(data);
}

static void trial_free(struct trial *trial)
{
    for (size_t r = 0; r < TEAM_MOST; r++) {
        temper_model_free(trial->model[r]);
        temper_tune_report_free(&trial->report[r]);
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_candidate(const temper_tune_candidate *a, const temper_tune_candidate *b)
{
    bool bands = true;
    for (size_t i = 0; i < TEMPER_CONFIDENCE_BANDS; i++)
        bands = bands && same(a->band_error[i], b->band_error[i]);
    return a->stage == b->stage && same(a->accuracy, b->accuracy) && same(a->log_loss, b->log_loss) &&
           same(a->bounded_loss, b->bounded_loss) && same(a->trusted, b->trusted) &&
           same(a->code_length, b->code_length) && same(a->undecided, b->undecided) && same(a->balance, b->balance) &&
           same(a->agreement, b->agreement) && same(a->top_ratio, b->top_ratio) && bands;
}

static void check_reports(const temper_tune_report *one, const temper_tune_report *other, const char *what, size_t rank)
{
    CHECKF(one->count == other->count && one->best == other->best, "%s, %zu", what, rank);
    for (size_t i = 0; i < one->count && i < other->count; i++)
        CHECKF(same_candidate(&one->table[i], &other->table[i]), "%s, %zu: candidate %zu", what, rank, i);
    CHECKF(same(one->gain, other->gain) && same(one->gain_error, other->gain_error), "%s", what);
    CHECKF(same(one->expected_accuracy, other->expected_accuracy) && one->averaged == other->averaged &&
               one->suggested_ask == other->suggested_ask,
           "%s, %zu", what, rank);
    CHECKF(made_same_warnings(&one->warnings, &other->warnings), "%s: %s", what, made_first_warning(&other->warnings));
    CHECKF(one->ask_count == other->ask_count, "%s, %zu: asks for %zu", what, rank, other->ask_count);
    for (size_t i = 0; i < one->ask_count && i < other->ask_count; i++)
        CHECKF(one->ask[i] == other->ask[i] && one->ask_label[i] == other->ask_label[i], "%s, %zu: row %zu", what, rank,
               i);
}

static void check_trial(struct trial trial, const char *what)
{
    struct trial alone = trial;
    team_run(1, tune_share, &alone);
    CHECKF(alone.model[0] != NULL, "%s: %s", what, alone.error[0].message);
    size_t step = test_step(3); /* 3 alone, or 2 to 4 */
    for (size_t size = step == 1 ? 2 : 3; alone.model[0] && size <= 4; size += step) {
        struct trial many = trial;
        team_run(size, tune_share, &many);
        for (size_t r = 0; r < size; r++) {
            CHECKF(many.model[r] && made_same_bytes(alone.model[0], many.model[r]), "%s, %zu of %zu: %s", what, r, size,
                   many.error[r].message);
            if (many.model[r])
                check_reports(&alone.report[0], &many.report[r], what, r);
        }
        trial_free(&many);
    }
    trial_free(&alone);
}

static struct trial made_trial(enum matrix_kind kind, size_t rows, size_t columns, size_t classes)
{
    struct trial trial = {.kind = kind, .rows = rows, .columns = columns, .classes = classes};
    trial.options = temper_tune_defaults();
    trial.options.train.max_iterations = 15;
    trial.options.train.threads = 1;
    trial.options.train.calibrate = "none"; /* as in a training, which other tests compare */
    trial.options.grid = "only t1=0.3,1 t2=1 l2=0.1x,10x";
    trial.options.folds = 3;
    return trial;
}

SCRATCH_TEST(tables_and_models_are_the_same_for_any_number_of_processes)
{
    struct trial dense = made_trial(MATRIX_F32, 5000, 9, 2);
    dense.options.ask = 5;
    check_trial(dense, "dense");
    dense.weights = true;
    dense.options.train.scale = "log";
    check_trial(dense, "weights and logarithms");
    check_trial(made_trial(MATRIX_CSR, 3000, 20, 2), "sparse");
    check_trial(made_trial(MATRIX_CSR, 1500 / test_step(3), 1400, 2), "wide");
    check_trial(made_trial(MATRIX_U8, 4000, 9, 3), "three classes");
    check_trial(made_trial(MATRIX_F32, 30, 3, 2), "few rows");
    struct trial mean = made_trial(MATRIX_F32, 3000, 6, 3);
    mean.options.grid = "only t1=1 t2=1 l2=0.1x..10x:6";
    mean.options.average = 1;
    check_trial(mean, "the mean of a path");
}

/* Rows of the data itself that are trusted, some of each process; fits that go one by one. */
SCRATCH_TEST(trusted_rows_count_where_they_are)
{
    static const size_t rows[] = {0, 1, 2000, 3999, 7, 2500};
    static const uint32_t labels[] = {1, 0, 1, 0, 1, 1};
    struct trial trial = made_trial(MATRIX_F32, 4000, 6, 2);
    trial.options.trusted_rows = rows;
    trial.options.trusted_labels = labels;
    trial.options.trusted_count = 6;
    trial.options.ask = 3;
    check_trial(trial, "trusted");
    trial.options.train.solver = "newton";
    check_trial(trial, "one by one");
    trial.options.grid = "only loss=hinge:0.1 l2=1x";
    check_trial(trial, "hinge");
}

/* One of them wants to stop: all do, and go on from what the first has saved, as another number of
 * them. */
static void check_resumed(struct trial trial, size_t after)
{
    struct trial whole = trial, stopped = trial, resumed = trial;
    team_run(1, tune_share, &whole);
    stopped.options.checkpoint = resumed.options.checkpoint = "search.tuning";
    stopped.options.train.checkpoint_seconds = 0;
    stopped.stop_rank = 1;
    stopped.stop_after = after;
    team_run(3, tune_share, &stopped);
    for (size_t r = 0; r < 3; r++)
        CHECKF(stopped.status[r] == TEMPER_OK && stopped.report[r].interrupted && !stopped.model[r], "%zu: %s", r,
               stopped.error[r].message);
    resumed.options.resume = 1;
    team_run(2, tune_share, &resumed);
    for (size_t r = 0; r < 2; r++) {
        CHECKF(resumed.model[r] && made_same_bytes(whole.model[0], resumed.model[r]), "%zu: %s", r,
               resumed.error[r].message);
        CHECK(resumed.report[r].resumed);
    }
    trial_free(&whole);
    trial_free(&stopped);
    trial_free(&resumed);
}

SCRATCH_TEST(a_search_that_one_of_them_stops_goes_on)
{
    check_resumed(made_trial(MATRIX_F32, 3000, 6, 2), 20);
    struct trial apart = made_trial(MATRIX_F32, 3000, 6, 3);
    apart.options.grid = "only t1=0.3,1 t2=1 l2=1x";
    check_resumed(apart, 40);
}

TEST_LIST(LISTED(tables_and_models_are_the_same_for_any_number_of_processes), LISTED(trusted_rows_count_where_they_are),
          LISTED(a_search_that_one_of_them_stops_goes_on))
