/* One of two processes has no memory, at each allocation of each kind of call: both end, and report it.
 *
 * The processes are threads (thread_comm_fixture), which notice a rank that ends while another waits for it: what would
 * hang fails instead. The sanitizers' build looks for what is not freed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/dist/scatter_rows.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"
#include "temper_tcp.h"

enum { RANKS = 2 };

struct job;

/* The call of one process; *model is left alone by calls that make none. */
typedef temper_status job_fn(const struct job *job, const temper_data *data, const temper_comm *comm,
                             temper_model **model, temper_error *error);

struct job {
    const char *name;
    job_fn *run;
    enum matrix_kind kind;
    size_t rows, columns, classes;
    temper_train_options options;
    const char *file;          /* a copy of it becomes the checkpoint, before each call; NULL: none */
    const temper_model *model; /* of calls that use one */
    const struct dataset *validation;
};

struct process_trial {
    const struct job *job;
    size_t victim, failing; /* the rank whose allocation of this number fails; 0: none */
    temper_status status[RANKS];
    temper_model *model[RANKS];
    temper_error error[RANKS];
};

static void run_share(void *context, const temper_comm *comm)
{
    struct process_trial *trial = context;
    const struct job *job = trial->job;
    size_t rank = comm->rank;
    struct dataset *data = made_data(job->kind, job->rows, job->columns, job->classes);
    temper_status status = scatter_rows(data, comm, NULL);
    if (rank == trial->victim)
        fault_arm_here(trial->failing);
    if (status == TEMPER_OK)
        status = job->run(job, made_public(data), comm, &trial->model[rank], &trial->error[rank]);
    if (rank == trial->victim)
        fault_disarm();
    trial->status[rank] = status;
    dataset_free(data);
}

/* Both have failed, with the same words, or both have what they have without a fault. */
static void check_ends(const struct process_trial *trial, const struct process_trial *whole)
{
    for (size_t r = 0; r < RANKS; r++) {
        bool same =
            trial->status[r] == TEMPER_OK && (!whole->model[r] || made_same_bytes(trial->model[r], whole->model[r]));
        bool reported = trial->status[r] == TEMPER_NO_MEMORY && !trial->model[r] &&
                        strcmp(trial->error[r].message, "out of memory") == 0;
        CHECKF(trial->status[r] == trial->status[0] && (same || reported),
               "%s, allocation %zu of rank %zu: %s in %zu: %s", trial->job->name, trial->failing, trial->victim,
               temper_status_name(trial->status[r]), r, trial->error[r].message);
    }
}

/* ---- Connected by TCP ----------------------------------------------------------------------------- */

struct tcp_rank {
    struct process_trial *trial;
    temper_tcp_options options;
    pthread_t thread;
    temper_status met;
};

static void *run_by_tcp(void *argument)
{
    struct tcp_rank *rank = argument;
    temper_tcp *tcp = NULL;
    rank->met = temper_tcp_meet(&rank->options, &tcp, NULL);
    if (rank->met == TEMPER_OK)
        run_share(rank->trial, temper_tcp_comm(tcp));
    temper_tcp_free(tcp);
    return NULL;
}

/* As team_run. A rank that ended before the others would close its connections, and their error would be that. */
static void tcp_run(struct process_trial *trial)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    struct tcp_rank rank[RANKS];
    temper_tcp_listener *listener = NULL;
    CHECK(temper_tcp_listen("127.0.0.1", 0, &listener, NULL) == TEMPER_OK);
    for (size_t r = 0; r < RANKS; r++) {
        rank[r] = (struct tcp_rank){.trial = trial, .options = temper_tcp_defaults()};
        rank[r].options.rank = r;
        rank[r].options.size = RANKS;
        rank[r].options.listener = r == 0 ? listener : NULL;
        rank[r].options.host = "127.0.0.1";
        rank[r].options.port = temper_tcp_listener_port(listener);
        rank[r].options.token = token;
        rank[r].options.token_length = sizeof token - 1;
        rank[r].options.meet_seconds = rank[r].options.silence_seconds = 3600;
        CHECK(pthread_create(&rank[r].thread, NULL, run_by_tcp, &rank[r]) == 0);
    }
    for (size_t r = 0; r < RANKS; r++) {
        pthread_join(rank[r].thread, NULL);
        CHECK(rank[r].met == TEMPER_OK);
    }
    temper_tcp_listener_free(listener);
}

/* ---- All allocations ------------------------------------------------------------------------------ */

static void free_models(struct process_trial *trial)
{
    for (size_t r = 0; r < RANKS; r++)
        temper_model_free(trial->model[r]);
}

/* A checkpoint, which a training replaces. */
static void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t length = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    CHECKF(out && length > 0 && length < sizeof bytes && fwrite(bytes, 1, length, out) == length, "%s: %zu", from,
           length);
    CHECK(in && fclose(in) == 0);
    CHECK(out && fclose(out) == 0);
}

/* Each allocation of each rank fails once. Returns how many there are. */
static size_t sweep(const struct job *job)
{
    struct process_trial whole = {.job = job, .victim = RANKS};
    size_t points = 0, reported = 0;
    bool fired = true;
    if (job->file)
        copy_file(job->file, job->options.checkpoint);
    team_run(RANKS, run_share, &whole);
    CHECKF(whole.status[0] == TEMPER_OK && whole.status[1] == TEMPER_OK, "%s: %s", job->name, whole.error[0].message);
    for (size_t victim = 0; victim < RANKS; victim++)
        for (size_t n = 1; n == 1 || fired; n += test_step(19)) {
            struct process_trial trial = {.job = job, .victim = victim, .failing = n};
            if (job->file)
                copy_file(job->file, job->options.checkpoint);
            team_run(RANKS, run_share, &trial);
            fired = fault_fired();
            check_ends(&trial, &whole);
            points += fired;
            reported += fired && trial.status[0] != TEMPER_OK;
            free_models(&trial);
        }
    free_models(&whole);
    CHECKF(reported > points / 2, "%s: %zu of %zu", job->name, reported, points);
    if (getenv("TEMPER_TEST_VERBOSE"))
        printf("%s: %zu allocations fail, %zu are reported\n", job->name, points, reported);
    return points;
}

/* ---- Trainings --------------------------------------------------------------------------------- */

static temper_status run_train(const struct job *job, const temper_data *data, const temper_comm *comm,
                               temper_model **model, temper_error *error)
{
    temper_train_report report;
    (void)comm;
    return temper_train(data, &job->options, model, &report, error);
}

static struct job training(const char *name, enum matrix_kind kind, size_t rows, size_t columns, size_t classes)
{
    struct job job = {
        .name = name, .run = run_train, .kind = kind, .rows = rows, .columns = columns, .classes = classes};
    job.options = made_options();
    job.options.max_iterations = 3;
    return job;
}

SCRATCH_TEST(trainings)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    for (size_t s = 0; s < 3; s++) {
        struct job job = training(solvers[s], s == 2 ? MATRIX_CSR : MATRIX_F32, 120, 5, 2);
        job.options.solver = solvers[s];
        sweep(&job);
    }
    struct job job = training("three classes", MATRIX_F64, 400, 9, 3);
    job.options.loss.method = TEMPER_LOGISTIC;
    job.options.max_iterations = 20; /* so far that there is a second preconditioner */
    job.options.tolerance = 1e-12;
    sweep(&job);
    job = training("scaled by logarithms", MATRIX_U8, 120, 5, 3);
    job.options.scale = "log";
    sweep(&job);
    job = training("l1", MATRIX_CSR, 120, 30, 3);
    job.options.l1 = 0.01;
    sweep(&job);
    job = training("starts", MATRIX_F32, 120, 5, 2);
    job.options.starts = 3;
    job.options.loss.t2 = 1.4;
    sweep(&job);
    job = training("hinge", MATRIX_F64, 120, 5, 2);
    job.options.loss.method = TEMPER_HINGE;
    sweep(&job);
}

/* Gradients are added column by column; the first phase is a dual coordinate ascent. */
SCRATCH_TEST(trainings_of_wide_sparse_rows)
{
    struct job job = training("wide", MATRIX_CSR, 90, 200, 2);
    sweep(&job);
    job = training("dual coordinate ascent", MATRIX_CSR, 120, 520, 2);
    job.options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    job.options.scale = "none";
    job.options.l2 = 2;
    sweep(&job);
}

/* Every process has all rows: one that fails leaves the others at work until they agree on something. */
SCRATCH_TEST(trainings_of_few_dense_rows)
{
    struct job job = training("few rows", MATRIX_F32, 120, 700, 2);
    job.options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    job.options.l2 = 1e-3;
    sweep(&job);
}

TEST(processes_that_are_connected_by_tcp)
{
    struct job job = training("tcp", MATRIX_F32, 120, 5, 2);
    struct process_trial whole = {.job = &job, .victim = RANKS};
    bool fired = true;
    tcp_run(&whole);
    CHECK(whole.status[0] == TEMPER_OK && whole.status[1] == TEMPER_OK);
    for (size_t n = 1; fired; n += 4) {
        struct process_trial trial = {.job = &job, .victim = n / 4 % RANKS, .failing = n};
        tcp_run(&trial);
        fired = fault_fired();
        check_ends(&trial, &whole);
        free_models(&trial);
    }
    free_models(&whole);
}

SCRATCH_TEST(what_follows_a_training)
{
    struct job job = training("calibration and expected accuracy", MATRIX_F32, 150, 4, 2);
    job.options.calibrate = NULL;
    sweep(&job);
    job = training("noise of the labels", MATRIX_F32, 60, 3, 2);
    job.options.estimate_noise = 1;
    sweep(&job);
    job = training("cleaned rows", MATRIX_F32, 60, 3, 2);
    job.options.clean = "drop";
    sweep(&job);
}

SCRATCH_TEST(checkpoints)
{
    struct job job = training("checkpoint", MATRIX_F32, 120, 5, 2);
    struct made_stop stop = {.after = 2};
    job.options.checkpoint = "going.resume";
    job.options.checkpoint_seconds = 0;
    sweep(&job);
    /* that of a training that was stopped, by one process: any number may resume */
    struct dataset *data = made_data(job.kind, job.rows, job.columns, job.classes);
    temper_train_options stopped = job.options;
    stopped.checkpoint = "stopped.resume";
    stopped.on_progress = made_follow;
    stopped.progress_context = &stop;
    temper_model_free(made_train(data, stopped, NULL));
    dataset_free(data);
    job.name = "resumed";
    job.file = "stopped.resume";
    job.options.resume = 1;
    sweep(&job);
}

/* ---- Other calls -------------------------------------------------------------------------------- */

/* Every process has all rows of validation. */
static temper_status run_validated(const struct job *job, const temper_data *data, const temper_comm *comm,
                                   temper_model **model, temper_error *error)
{
    temper_train_options options = job->options;
    (void)comm;
    options.validation = made_public(job->validation);
    return temper_train(data, &options, model, NULL, error);
}

static temper_status run_read(const struct job *job, const temper_data *data, const temper_comm *comm,
                              temper_model **model, temper_error *error)
{
    temper_read_options read = temper_read_defaults();
    temper_data *rows = NULL;
    (void)job;
    (void)data;
    (void)model;
    read.comm = comm;
    temper_status status = temper_data_read("rows.csv", &read, &rows, error);
    temper_data_free(rows);
    return status;
}

static temper_status run_tune(const struct job *job, const temper_data *data, const temper_comm *comm,
                              temper_model **model, temper_error *error)
{
    temper_tune_options options = temper_tune_defaults();
    temper_tune_report report;
    (void)comm;
    options.train = job->options;
    options.grid = "only t1=0.3,1 t2=1 l2=0.1x,10x";
    options.folds = 2;
    temper_status status = temper_tune(data, &options, model, &report, error);
    if (status == TEMPER_OK)
        temper_tune_report_free(&report);
    return status;
}

static temper_status run_audit(const struct job *job, const temper_data *data, const temper_comm *comm,
                               temper_model **model, temper_error *error)
{
    temper_audit_options options = temper_audit_defaults();
    temper_audit_report report;
    (void)comm;
    (void)model;
    options.train.threads = job->options.threads;
    temper_status status = temper_audit(data, &options, NULL, &report, error);
    if (status == TEMPER_OK)
        temper_audit_report_free(&report);
    return status;
}

/* The batches of a file, in turn. */
static temper_status run_batches(const struct job *job, const temper_data *data, const temper_comm *comm,
                                 temper_model **model, temper_error *error)
{
    temper_read_options read = temper_read_defaults();
    temper_batch_reader *reader = NULL;
    temper_data *batch = NULL;
    (void)data;
    (void)model;
    read.comm = comm;
    temper_status status = temper_batch_reader_open(job->model, "rows.csv", &read, &reader, error);
    bool more = status == TEMPER_OK;
    while (more) {
        status = temper_batch_reader_next(reader, &batch, error);
        more = status == TEMPER_OK && batch;
        temper_data_free(batch);
        batch = NULL;
    }
    temper_batch_reader_close(reader);
    return status;
}

static temper_status run_scale(const struct job *job, const temper_data *data, const temper_comm *comm,
                               temper_model **model, temper_error *error)
{
    temper_data *scaled = NULL;
    (void)job;
    (void)comm;
    (void)model;
    temper_status status = temper_data_scale(data, "standard", 1, &scaled, error);
    temper_data_free(scaled);
    return status;
}

/* rows.csv: labels, and three features without names. */
static void write_rows(size_t count)
{
    FILE *file = fopen("rows.csv", "w");
    if (!CHECK(file != NULL))
        return;
    fprintf(file, "label,f1,f2,f3\n");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%d,%zu,%zu,%zu\n", i % 3 == 0, i % 5, i % 7, i % 2);
    CHECK(fclose(file) == 0);
}

SCRATCH_TEST(other_calls)
{
    struct dataset *rows = made_data(MATRIX_F32, 60, 3, 2);
    temper_model *model = made_train(rows, made_options(), NULL);
    struct job job = training("validation", MATRIX_F32, 120, 3, 2);
    job.validation = rows;
    job.run = run_validated;
    sweep(&job);
    job.name = "scale";
    job.run = run_scale;
    sweep(&job);
    write_rows(40);
    job.name = "read";
    job.run = run_read;
    sweep(&job);
    job.name = "batches";
    job.model = model;
    job.run = run_batches;
    sweep(&job);
    temper_model_free(model);
    dataset_free(rows);
}

SCRATCH_TEST(searches_and_audits)
{
    struct job job = training("tune", MATRIX_F32, 60, 3, 2);
    job.run = run_tune;
    sweep(&job);
    job = training("audit", MATRIX_F32, 40, 3, 2);
    job.run = run_audit;
    sweep(&job);
}

TEST_LIST(LISTED(trainings), LISTED(trainings_of_wide_sparse_rows), LISTED(trainings_of_few_dense_rows),
          LISTED(processes_that_are_connected_by_tcp), LISTED(what_follows_a_training), LISTED(checkpoints),
          LISTED(other_calls), LISTED(searches_and_audits))
