/* The same model, byte by byte, for any number of processes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dist/row_partition.h"
#include "data/dist/scatter_rows.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/model_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"
#include "objective/objective.h"

struct trial {
    enum matrix_kind kind;
    size_t rows, columns, classes;
    bool weights, spike; /* spike, of doubles: a value of 1e9 in the second row */
    bool normal;         /* independent features, the first of which decide */
    size_t stop_after;   /* iterations of every rank; 0: it is not stopped */
    temper_train_options options;
    struct dataset *data[TEAM_MOST]; /* all rows, for each */
    temper_model *model[TEAM_MOST];
    temper_train_report report[TEAM_MOST];
    temper_error error[TEAM_MOST];
};

static void add_weights(struct dataset *data)
{
    data->weight = malloc((size_t)data->x.rows * sizeof *data->weight);
    for (size_t i = 0; data->weight && i < data->x.rows; i++)
        data->weight[i] = (double)(i % 5) / 3;
}

static void train_share(void *context, const temper_comm *comm)
{
    struct trial *trial = context;
    size_t rank = comm->rank;
    struct dataset *data = trial->data[rank];
    struct made_stop stop = {.after = trial->stop_after};
    temper_train_options options = trial->options;
    options.on_progress = made_follow;
    options.progress_context = &stop;
    if (scatter_rows(data, comm, &trial->error[rank]) == TEMPER_OK)
        temper_train(made_public(data), &options, &trial->model[rank], &trial->report[rank], &trial->error[rank]);
}

/* Rows at nearly right angles to each other. */
static struct dataset *normal_data(const struct trial *trial)
{
    double *x = calloc(trial->rows * trial->columns, sizeof *x);
    const char **label = malloc(trial->rows * sizeof *label);
    struct draw draw = draw_from(5);
    for (size_t i = 0; x && label && i < trial->rows; i++) {
        double *row = x + i * trial->columns;
        draw_normals(&draw, row, trial->columns, 1);
        label[i] = row[0] + row[1] + row[2] > 0 ? "1" : "0";
    }
    struct dataset *data = table_make(trial->kind, trial->rows, trial->columns, x, label);
    free(x);
    free(label);
    return data;
}

static struct dataset *trial_data(const struct trial *trial)
{
    return trial->normal ? normal_data(trial) : made_data(trial->kind, trial->rows, trial->columns, trial->classes);
}

static void train_team(struct trial *trial, size_t size)
{
    for (size_t r = 0; r < size; r++) {
        trial->data[r] = trial_data(trial);
        if (trial->weights)
            add_weights(trial->data[r]);
        if (trial->spike)
            ((double *)trial->data[r]->x.owned[0])[trial->columns] = 1e9;
    }
    team_run(size, train_share, trial);
    for (size_t r = 0; r < size; r++)
        dataset_free(trial->data[r]);
}

static void free_models(struct trial *trial)
{
    for (size_t r = 0; r < TEAM_MOST; r++) {
        temper_model_free(trial->model[r]);
        trial->model[r] = NULL;
    }
}

/* All ranks of so many have the model of one process, and what it says of it. */
static void check_team(struct trial many, const struct trial *alone, size_t size, const char *what)
{
    train_team(&many, size);
    for (size_t r = 0; r < size; r++) {
        CHECKF(many.model[r] != NULL, "%s, %zu of %zu: %s", what, r, size, many.error[r].message);
        CHECKF(many.model[r] && made_same_bytes(alone->model[0], many.model[r]), "%s, %zu of %zu", what, r, size);
        CHECKF(made_same_warnings(&alone->report[0].warnings, &many.report[r].warnings), "%s: %s", what,
               made_first_warning(&many.report[r].warnings));
    }
    free_models(&many);
}

static void check_trial(struct trial trial, const char *what)
{
    struct trial alone = trial;
    train_team(&alone, 1);
    CHECKF(alone.model[0] != NULL, "%s: %s", what, alone.error[0].message);
    static const size_t sizes[] = {3, 2, 5};
    for (size_t i = 0; alone.model[0] && i < 3; i += test_step(3))
        check_team(trial, &alone, sizes[i], what);
    free_models(&alone);
}

static struct trial made_trial(enum matrix_kind kind, size_t rows, size_t columns, size_t classes)
{
    struct trial trial = {.kind = kind, .rows = rows, .columns = columns, .classes = classes};
    trial.options = made_options();
    trial.options.max_iterations = 4;
    trial.options.calibrate = columns == 24 && classes == 2 ? NULL : "none"; /* one shape is enough */
    return trial;
}

SCRATCH_TEST(models_are_the_same_for_any_number_of_processes)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    char what[60];
    size_t number = 0;
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 4; classes++)
            for (size_t s = classes == 2 ? 0 : 1; s < 3; s++) {
                if (number++ % test_step(3) != 0)
                    continue;
                struct trial trial = made_trial(kinds[k], 6000, 24, classes);
                trial.options.solver = solvers[s];
                trial.options.scale = s == 2 ? "log" : NULL;
                trial.weights = s == 1;
                snprintf(what, sizeof what, "kind %d, %s, %zu", (int)kinds[k], solvers[s], classes);
                check_trial(trial, what);
            }
}

/* So many columns beside the rows that sparse gradients are taken column by column. */
SCRATCH_TEST(so_are_those_of_wide_sparse_rows)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t s = classes == 2 ? 0 : 1; s < 3; s++) {
            struct trial trial = made_trial(MATRIX_CSR, 900, 200, classes);
            trial.options.solver = solvers[s];
            trial.options.scale = s == 1 ? "standard" : NULL;
            check_trial(trial, solvers[s]);
        }
}

/* Every process has the rows of all, and makes the same steps. */
SCRATCH_TEST(so_are_those_that_begin_with_a_dual_coordinate_ascent)
{
    for (size_t weights = 0; weights < 2; weights++) {
        struct trial trial = made_trial(MATRIX_CSR, 300, 520, 2);
        trial.options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
        trial.options.scale = "none";
        trial.options.l2 = 2;
        trial.weights = weights;
        check_trial(trial, "dual");
    }
}

/* ---- Fewer dense rows than features ----------------------------------------------------------- */

/* A training that is long enough to see by which way it goes. */
static struct trial wide_trial(enum matrix_kind kind, size_t classes)
{
    struct trial trial = made_trial(kind, 120, 700, classes);
    trial.options.max_iterations = 200;
    trial.options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    trial.options.l2 = 1e-3;
    return trial;
}

/* The dual coordinate ascent: rows at right angles, a large tolerance. */
static struct trial normal_trial(enum matrix_kind kind)
{
    struct trial trial = wide_trial(kind, 2);
    trial.normal = true;
    trial.options.scale = "none";
    trial.options.tolerance = 1e-2;
    return trial;
}

/* Every process has the rows of all, and trains in their space, or begins with a dual coordinate ascent. */
SCRATCH_TEST(so_are_those_of_few_dense_rows)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8};
    char what[60];
    for (size_t k = 0; k < 3; k++)
        for (size_t classes = 2; classes < 4; classes++) {
            struct trial trial = wide_trial(kinds[k], classes);
            trial.weights = k == 1;
            trial.options.scale = k == 2 ? "log" : NULL;
            snprintf(what, sizeof what, "few rows of kind %d, %zu classes", (int)kinds[k], classes);
            check_trial(trial, what);
            trial.options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.2};
            trial.options.starts = 2;
            check_trial(trial, what);
        }
    check_trial(normal_trial(MATRIX_F32), "nearly independent features");
    check_trial(normal_trial(MATRIX_F64), "nearly independent features in doubles");
}

/* So many rows that several processes have some of them. */
SCRATCH_TEST(so_are_those_of_few_dense_rows_in_several_processes)
{
    struct trial trial = wide_trial(MATRIX_F32, 3);
    trial.rows = 600;
    trial.columns = 800;
    trial.options.max_iterations = 6;
    struct dataset shape = {.x = {.kind = trial.kind, .rows = trial.rows, .columns = trial.columns}};
    CHECK(row_partition_of(&shape).count > 1);
    struct trial alone = trial;
    train_team(&alone, 1);
    check_team(trial, &alone, 2, "600 rows");
    free_models(&alone);
}

/* Stopped with so many processes, resumed with as many others: one of them writes the checkpoint. */
static void check_resumed(struct trial trial, size_t before, size_t after)
{
    struct trial alone = trial, stopped = trial;
    train_team(&alone, 1);
    stopped.options.checkpoint = "going.resume";
    stopped.options.checkpoint_seconds = 0;
    stopped.stop_after = 3;
    train_team(&stopped, before);
    CHECKF(stopped.report[0].stop == TEMPER_STOP_INTERRUPTED, "%s", stopped.error[0].message);
    for (size_t r = 1; r < before; r++)
        CHECK(stopped.report[r].iterations == stopped.report[0].iterations);
    free_models(&stopped);
    stopped.options.resume = 1;
    stopped.stop_after = 0;
    train_team(&stopped, after);
    for (size_t r = 0; r < after; r++) {
        CHECKF(stopped.report[r].resumed == 1, "%zu of %zu: %s", r, after, stopped.error[r].message);
        CHECKF(stopped.model[r] && made_same_bytes(alone.model[0], stopped.model[r]), "%zu processes, then %zu", before,
               after);
    }
    free_models(&stopped);
    free_models(&alone);
}

SCRATCH_TEST(few_dense_rows_resume_with_any_number_of_processes)
{
    check_resumed(wide_trial(MATRIX_F32, 2), 1, 3);
    check_resumed(wide_trial(MATRIX_F32, 2), 2, 1);
    check_resumed(wide_trial(MATRIX_F64, 3), 3, 2);
}

/* The rows may stay in a file: a memory limit changes nothing, and one that is too small is refused. */
SCRATCH_TEST(few_dense_rows_train_the_same_within_a_memory_limit)
{
    const struct trial trials[] = {wide_trial(MATRIX_F32, 2), wide_trial(MATRIX_F64, 3), normal_trial(MATRIX_F32)};
    for (size_t i = 0; i < 3; i++) {
        const struct trial *trial = &trials[i];
        struct dataset *data = trial_data(trial);
        temper_model *wanted = made_train(data, trial->options, NULL);
        data->storage.memory_limit = (uint64_t)1 << 40;
        temper_model *limited = made_train(data, trial->options, NULL);
        CHECKF(wanted && limited && made_same_bytes(wanted, limited), "%zu", i);
        data->storage.memory_limit = 1;
        made_refused(data, trial->options, TEMPER_NO_MEMORY, "few rows");
        temper_model_free(wanted);
        temper_model_free(limited);
        dataset_free(data);
    }
}

/* ---- Exchanges that fail --------------------------------------------------------------------- */

/* A comm whose exchange of this number fails in all processes; 0: none. */
struct failing_comm {
    const temper_comm *comm;
    size_t calls, failing;
};

static int gather_or_fail(void *context, const void *mine, const size_t *bytes, void *all)
{
    struct failing_comm *failing = context;
    int failed = failing->comm->gather(failing->comm->context, mine, bytes, all);
    return ++failing->calls == failing->failing ? 1 : failed;
}

static int exchange_or_fail(void *context, const void *out, const size_t *out_bytes, void *in, const size_t *in_bytes)
{
    struct failing_comm *failing = context;
    int failed = failing->comm->exchange(failing->comm->context, out, out_bytes, in, in_bytes);
    return ++failing->calls == failing->failing ? 1 : failed;
}

struct failing_trial {
    struct trial trial;
    size_t failing, calls;
    temper_status status[2];
};

static void train_failing(void *context, const temper_comm *comm)
{
    struct failing_trial *failing = context;
    struct trial *trial = &failing->trial;
    struct failing_comm wrapped = {.comm = comm, .failing = failing->failing};
    const temper_comm own = {comm->rank, comm->size, &wrapped, gather_or_fail, exchange_or_fail};
    struct dataset *data = trial_data(trial);
    temper_status status = scatter_rows(data, &own, NULL);
    if (status == TEMPER_OK)
        status = temper_train(made_public(data), &trial->options, &trial->model[comm->rank], NULL, NULL);
    failing->status[comm->rank] = status;
    if (comm->rank == 0)
        failing->calls = wrapped.calls;
    dataset_free(data);
}

/* Each exchange of a training fails once, and the training with it. */
static void check_exchanges(struct trial trial)
{
    struct failing_trial whole = {.trial = trial};
    team_run(2, train_failing, &whole);
    CHECK(whole.status[0] == TEMPER_OK && whole.calls > 10);
    free_models(&whole.trial);
    for (size_t n = 1; n <= whole.calls; n++) {
        struct failing_trial failing = {.trial = whole.trial, .failing = n};
        team_run(2, train_failing, &failing);
        CHECKF(failing.status[0] == TEMPER_IO && failing.status[1] == TEMPER_IO, "exchange %zu of %zu: %d, %d", n,
               whole.calls, (int)failing.status[0], (int)failing.status[1]);
        free_models(&failing.trial);
    }
}

SCRATCH_TEST(an_exchange_that_fails_ends_a_training)
{
    struct trial trial = made_trial(MATRIX_CSR, 300, 520, 2);
    trial.options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    trial.options.scale = "none";
    trial.options.l2 = 2;
    check_exchanges(trial);
    trial = wide_trial(MATRIX_F32, 2);
    trial.options.max_iterations = 4;
    check_exchanges(trial);
}

/* ---- Gradients of sparse rows that are added up without a copy ------------------------------- */

enum { THIN_ROWS = 1500, THIN_COLUMNS = 300 };

/* One value of 97 is not 0: so few that gradients are not summed part by part. */
static struct dataset *thin_data(void)
{
    const size_t rows = THIN_ROWS, columns = THIN_COLUMNS;
    double *value = calloc(rows * columns, sizeof *value);
    const char **label = malloc(rows * sizeof *label);
    for (size_t i = 0; value && label && i < rows; i++) {
        label[i] = (i * 5 % 7 < 3) != (i % 11 == 0) ? "1" : "0";
        for (size_t j = 0; j < columns; j++)
            if ((31 * i + 17 * j) % 97 == 0)
                value[i * columns + j] = (double)((i + j) % 7) - 2;
    }
    struct dataset *made = table_make(MATRIX_CSR, rows, columns, value, label);
    free(value);
    free(label);
    return made;
}

struct evaluation {
    bool few_passes, no_copies;
    size_t threads;
    bool misses_copies;
    double value[TEAM_MOST], gradient[TEAM_MOST][THIN_COLUMNS + 1];
    temper_status status[TEAM_MOST]; /* checked by the test: threads of a team do not count checks */
};

static void evaluate_share(void *context, const temper_comm *comm)
{
    struct evaluation *to = context;
    struct dataset *data = thin_data();
    struct objective *objective = NULL;
    double w[THIN_COLUMNS + 1];
    for (size_t j = 0; j < THIN_COLUMNS + 1; j++)
        w[j] = (double)(j % 13) / 13 - 0.4;
    temper_status status = scatter_rows(data, comm, NULL);
    const struct objective_spec spec = {.data = data,
                                        .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                        .l2 = 1e-3,
                                        .intercept = true,
                                        .floats = true,
                                        .few_passes = to->few_passes,
                                        .no_copies = to->no_copies,
                                        .threads = to->threads};
    if (status == TEMPER_OK)
        status = objective_new(&spec, &objective, NULL);
    if (status == TEMPER_OK)
        status = objective_evaluate(objective, w, &to->value[comm->rank], to->gradient[comm->rank], NULL);
    to->status[comm->rank] = status;
    if (status == TEMPER_OK && comm->rank == 0)
        to->misses_copies = objective_misses_copies(objective);
    objective_free(objective);
    dataset_free(data);
}

/* One process adds up rows, several add up columns; with a copy the sums are in floats. */
static void check_without_copy(struct evaluation kind)
{
    static struct evaluation alone, copied;
    alone = kind;
    copied = (struct evaluation){.threads = 1};
    team_run(1, evaluate_share, &alone);
    team_run(1, evaluate_share, &copied);
    CHECK(alone.status[0] == TEMPER_OK && copied.status[0] == TEMPER_OK);
    CHECK(alone.misses_copies == kind.no_copies && !copied.misses_copies);
    for (size_t j = 0; j < THIN_COLUMNS + 1; j++)
        CHECK(fabs(alone.gradient[0][j] - copied.gradient[0][j]) < 1e-6);
    for (size_t size = 1; size < 5; size++) {
        static struct evaluation many;
        many = kind;
        many.threads = 1 + size % 3;
        team_run(size, evaluate_share, &many);
        for (size_t r = 0; r < size; r++)
            CHECK(many.status[r] == TEMPER_OK && many.value[r] == alone.value[0] &&
                  memcmp(many.gradient[r], alone.gradient[0], sizeof alone.gradient[0]) == 0);
    }
}

/* In ranges of rows, and in one range for a few evaluations. */
SCRATCH_TEST(so_are_gradients_that_are_added_up_without_a_copy)
{
    check_without_copy((struct evaluation){.few_passes = true, .threads = 1});
    check_without_copy((struct evaluation){.no_copies = true, .threads = 1});
}

SCRATCH_TEST(so_are_those_with_penalties_of_absolute_weights)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_CSR};
    for (size_t k = 0; k < 2; k++)
        for (size_t classes = 2; classes < 4; classes++) {
            struct trial trial = made_trial(kinds[k], 900, k ? 200 : 30, classes);
            trial.options.l1 = 0.01;
            check_trial(trial, "l1");
        }
}

/* Fewer parts than processes; convex losses of many classes, which have a preconditioner for each; starts,
 * classes that are given up, a hinge. */
SCRATCH_TEST(so_are_those_of_other_shapes_and_losses)
{
    struct trial few = made_trial(MATRIX_F32, 40, 6, 2);
    check_trial(few, "few rows");
    few.kind = MATRIX_CSR;
    check_trial(few, "few sparse rows");
    struct trial many = made_trial(MATRIX_F32, 6000, 24, 5);
    many.options.max_iterations = 40;
    many.options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC};
    check_trial(many, "logistic, five classes");
    struct trial wide = made_trial(MATRIX_F32, 2400, 64, 3); /* moments of some rows stand for all */
    wide.options = many.options;
    wide.options.max_iterations = 20;
    wide.options.l2 = 1e-4;
    check_trial(wide, "logistic, wide");
    many.options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.1, .t2 = 1.9};
    many.options.starts = 3;
    check_trial(many, "three starts");
    many.options.starts = 1;
    many.options.l2 = 50;
    check_trial(many, "collapse");
    struct trial hinge = made_trial(MATRIX_F64, 3000, 9, 2);
    hinge.options.loss.method = TEMPER_HINGE;
    check_trial(hinge, "hinge");
}

/* The warning of features that differ in size looks at the same rows: every second of these, and so not at the one with
 * a value that is far from all others. */
SCRATCH_TEST(warnings_are_those_of_the_same_rows)
{
    struct trial trial = made_trial(MATRIX_F64, 4096, 3, 2);
    trial.options.scale = "none";
    trial.spike = true;
    check_trial(trial, "a large value that is not looked at");
}

/* So many rows that there are more than 64 parts, whose sums have another tree; and column means
 * are taken in the same parts. Few processes, for each has a copy. */
SCRATCH_TEST(so_are_those_of_more_parts)
{
    struct trial trial = made_trial(MATRIX_U8, 128 * 16384, 1, 2), alone = trial;
    struct dataset shape = {.x = {.kind = trial.kind, .rows = trial.rows, .columns = 1}};
    CHECK(row_partition_of(&shape).count > PARTS_USUAL);
    train_team(&alone, 1);
    CHECKF(alone.model[0] != NULL, "%s", alone.error[0].message);
    trial.options.threads = 2;
    if (alone.model[0] && test_step(2) == 1)
        check_team(trial, &alone, 1, "two threads");
    if (alone.model[0])
        check_team(trial, &alone, test_step(2) == 1 ? 3 : 2, "several processes");
    free_models(&alone);
}

TEST_LIST(LISTED(an_exchange_that_fails_ends_a_training), LISTED(models_are_the_same_for_any_number_of_processes),
          LISTED(so_are_those_of_wide_sparse_rows), LISTED(so_are_those_that_begin_with_a_dual_coordinate_ascent),
          LISTED(so_are_those_of_few_dense_rows), LISTED(so_are_those_of_few_dense_rows_in_several_processes),
          LISTED(few_dense_rows_resume_with_any_number_of_processes),
          LISTED(few_dense_rows_train_the_same_within_a_memory_limit),
          LISTED(so_are_gradients_that_are_added_up_without_a_copy),
          LISTED(so_are_those_with_penalties_of_absolute_weights), LISTED(so_are_those_of_other_shapes_and_losses),
          LISTED(so_are_those_of_more_parts), LISTED(warnings_are_those_of_the_same_rows))
