/* cmd_train: temper train. Reads data, fits a model, writes it and reports how the fit went.
 *
 * With --t1 auto or --t2 auto the fit is a tuning over the temperatures that are not given, whose final model is the
 * result. An interrupted training saves the weights reached, unless there was no iteration yet, and the exit code
 * reports the interruption. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_csv.h"
#include "message.h"
#include "number_format.h"
#include "options/file_roles.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* What the report is made from. */
struct train_result {
    const char *data_path, *model_path; /* as typed, and as typed or derived from it */
    const temper_data *data;            /* borrowed from the session */
    const temper_model *model;          /* likewise */
    const char *clean;                  /* --clean, or NULL */
    temper_train_report report;
    double seconds_read, seconds_write; /* of the data, and of the model */
    bool replaced;                      /* the model has replaced a file */
};

/* Options, results and inputs of one call; cmd_train frees all of it, whichever step has failed. */
struct train_session {
    const struct arguments *arguments;
    struct train_result result;
    temper_train_options options; /* points to valid and warm below */
    char *model_path;
    temper_data *data, *valid;  /* training and validation rows; the latter or NULL */
    temper_model *warm, *model; /* initial model of --warm-start or NULL; the fitted one */
};

/* ---- The report as a table --------------------------------------------------------------------- */

/* Prints why the optimiser stopped and what the fit cost. Passes over the data, of all kinds together, are the unit in
 * which solvers can be compared. */
static void print_effort(FILE *out, const struct train_result *result)
{
    const temper_train_report *report = &result->report;
    print_title(out, "stop");
    fprintf(out, "%s: %s\n", temper_stop_name(report->stop), temper_stop_text(report->stop));
    print_title(out, "passes");
    fprintf(out, "%.4g over the data in %zu iteration%s of %s%s\n", report->passes, report->iterations,
            report->iterations == 1 ? "" : "s", report->solver, report->resumed ? ", resumed" : "");
    print_title(out, "seconds");
    fprintf(out, "%.3g to read, %.3g to train, %.3g to write\n", result->seconds_read, report->seconds,
            result->seconds_write);
}

/* Prints what --clean has changed. */
static void print_cleaned(FILE *out, const struct train_result *result)
{
    static const char *const done[][2] = {
        {"drop", "dropped"}, {"weigh", "given smaller weights"}, {"relabel", "relabelled"}};
    char rows[FORMAT_LENGTH], all[FORMAT_LENGTH];
    size_t i = 0;
    if (!result->clean)
        return;
    /* the library has refused other words */
    while (i + 1 < sizeof done / sizeof *done && strcmp(done[i][0], result->clean) != 0)
        i++;
    print_title(out, "cleaned");
    fprintf(out, "%s of ", format_count(result->report.cleaned_rows, rows));
    fprintf(out, "%s rows %s; about ", format_count(temper_data_total_rows(result->data), all), done[i][1]);
    fprintf(out, "%s labels are expected to be wrong\n",
            format_count((size_t)llround(result->report.expected_wrong), rows));
}

/* Why there is no estimate of the accuracy on new rows, and what to do; reasons that need no words have none. */
static const struct {
    const char *why, *text;
} unestimated[] = {
    {"large", "not estimated, as the data is large; --holdout 0.2 or --holdout cv estimates it"},
    {"few-rows", "not estimated: the rows are too few"},
    {"validation", "not estimated with --valid; 'temper eval' measures the model on other rows"},
    {"clean", "not estimated with --clean; hold out rows by 'temper split', and measure it by 'temper eval'"},
    {"failed", "not estimated: a fit without some of the rows failed"},
};

/* Prints by what rows the expected accuracy was measured. */
static void print_source(FILE *out, const temper_expected_accuracy *expected)
{
    char rows[FORMAT_LENGTH];
    format_count(expected->rows, rows);
    if (strcmp(expected->by, "tuning") == 0)
        fputs("; cross-validation of the tuning", out);
    else if (strcmp(expected->by, "holdout") == 0)
        fprintf(out, "; %s rows held out of a further fit", rows);
    else
        fprintf(out, "; cross-validation of %s rows by %zu further fit%s", rows, expected->fits,
                expected->fits == 1 ? "" : "s");
}

/* Prints the accuracy to expect on new rows, beside that on the training rows, which is too high where features are
 * many. */
static void print_expected(FILE *out, const temper_expected_accuracy *expected)
{
    if (expected->by) {
        print_title(out, "expected accuracy");
        fprintf(out, "%.2f %% on new rows labelled like these, from %.2f to %.2f (Wilson's 95 %% interval)",
                100 * expected->accuracy, 100 * expected->low, 100 * expected->high);
        print_source(out, expected);
        fputc('\n', out);
        return;
    }
    for (size_t i = 0; i < sizeof unestimated / sizeof *unestimated; i++)
        if (expected->why && strcmp(expected->why, unestimated[i].why) == 0) {
            print_title(out, "expected accuracy");
            fprintf(out, "%s\n", unestimated[i].text);
        }
}

/* With an L1 penalty: how many weights and features it leaves. */
static void print_sparsity(FILE *out, const struct train_result *result)
{
    const temper_train_report *report = &result->report;
    const size_t features = temper_model_features(result->model);
    if (report->l1 == 0)
        return;
    print_title(out, "l1");
    fprintf(out, "%.7g\n", report->l1);
    print_title(out, "weights");
    fprintf(out, "%zu of %zu are not 0, of %zu of %zu features\n", report->nonzero,
            features * temper_model_weight_vectors(result->model), report->nonzero_features, features);
}

/* Prints one line for each quantity: data, loss, objective, accuracy, effort, file. */
static void print_table(FILE *out, const struct train_result *result)
{
    char percent[FORMAT_LENGTH];
    const temper_train_report *report = &result->report;
    /* Data, then the problem that was solved, then its solution. */
    print_data_size(out, result->data);
    print_cleaned(out, result);
    print_title(out, "loss");
    print_loss(out, report->loss);
    fputc('\n', out);
    print_title(out, "l2");
    fprintf(out, "%.7g\n", report->l2);
    print_sparsity(out, result);
    print_title(out, "objective");
    fprintf(out, "%.7g\n", report->objective);
    /* NAN without --valid. */
    if (!isnan(report->validation)) {
        print_title(out, "validation loss");
        fprintf(out, "%.7g\n", report->validation);
    }
    print_title(out, "accuracy");
    fprintf(out, "%s on these rows\n", format_percent(report->accuracy, percent));
    print_expected(out, &report->expected);
    print_probabilities(out, result->model);
    print_effort(out, result);
    print_title(out, "model");
    fprintf(out, "%s%s\n", result->model_path, result->replaced ? " (replaced)" : "");
}

/* ---- The report as JSON: released names never change -------------------------------------------- */

/* Prints the members that come from the library's report. "evaluations", "products" and "hessians" count objective
 * evaluations, Hessian-vector products and full Hessians. */
static void json_report(FILE *out, const temper_train_report *report)
{
    json_loss_fields(out, report->loss, report->l2);
    json_number_field(out, "l1", report->l1);
    json_count_field(out, "nonzero", report->nonzero);
    json_count_field(out, "nonzero_features", report->nonzero_features);
    json_number_field(out, "objective", report->objective);
    json_number_field(out, "train_loss", report->train_loss);
    json_number_field(out, "gradient_norm", report->gradient_norm);
    json_number_field(out, "accuracy", report->accuracy);
    json_number_field(out, "validation", report->validation);
    json_text_field(out, "stop", temper_stop_name(report->stop));
    json_text_field(out, "solver", report->solver);
    json_text_field(out, "precision", report->precision);
    json_count_field(out, "iterations", report->iterations);
    json_count_field(out, "evaluations", report->evaluations);
    json_count_field(out, "products", report->products);
    json_count_field(out, "hessians", report->hessians);
    json_number_field(out, "passes", report->passes);
    json_bool_field(out, "resumed", report->resumed);
}

/* The member clean: null without --clean. */
static void json_cleaned(FILE *out, const struct train_result *result)
{
    fputs(",\n  \"clean\": ", out);
    if (!result->clean) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"how\": \"%s\", \"rows\": %zu", result->clean, result->report.cleaned_rows);
    json_number_member(out, "expected_wrong", result->report.expected_wrong);
    fputc('}', out);
}

/* The member expected: the accuracy on new rows, with its 95 % interval; or null, and why. */
static void json_expected(FILE *out, const temper_expected_accuracy *expected)
{
    fputs(",\n  \"expected\": {\"accuracy\": ", out);
    json_number(out, expected->accuracy);
    json_number_member(out, "low", expected->low);
    json_number_member(out, "high", expected->high);
    fprintf(out, ", \"rows\": %zu, \"fits\": %zu", expected->rows, expected->fits);
    json_text_member(out, "by", expected->by);
    json_text_member(out, "why", expected->why);
    fputc('}', out);
}

/* Prints one object with all results. */
static void print_json(FILE *out, const struct train_result *result)
{
    json_begin_data(out, result->data);
    json_cleaned(out, result);
    json_report(out, &result->report);
    json_expected(out, &result->report.expected);
    json_probability_fields(out, result->model);
    json_seconds_field(out, result->seconds_read, "train", result->report.seconds, result->seconds_write);
    json_end_model(out, &result->report.warnings, result->model_path, result->replaced);
}

/* Composes the report in memory and prints it at once, so that a full disk or a closed pipe is noticed. */
static temper_status print_report(const struct train_session *session)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    (was_given(session->arguments, OPT_JSON) ? print_json : print_table)(buffer.stream, &session->result);
    return output_print(&buffer);
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Reads the small files first, so that errors in them come before the large file is read. Validation rows are read with
 * the columns and classes of the training data. */
static temper_status read_inputs(struct train_session *session)
{
    const char *warm = text_of(session->arguments, OPT_WARM_START), *valid = text_of(session->arguments, OPT_VALID);
    struct train_result *result = &session->result;
    temper_error error;
    /* The optimiser begins at the weights of this model instead of at 0. */
    if (warm)
        TRY(checked(temper_model_load(warm, &session->warm, &error), &error));
    session->options.warm_start = session->warm;
    TRY(read_data(session->arguments, result->data_path, &session->data, &result->seconds_read));
    result->data = session->data;
    print_notes(session->arguments, session->data);
    if (valid)
        TRY(read_data_like(session->arguments, session->data, valid, &session->valid));
    session->options.validation = session->valid;
    return TEMPER_OK;
}

/* Takes over the outcome of a finished tuning: prints notes, the reason of the choice and warnings, and keeps the
 * report of the final fit. An interrupted tuning has no model, which is an error. */
static temper_status take_tuned(struct train_session *session, const temper_tune_report *report)
{
    /* What can be done next depends on whether there is a checkpoint. */
    if (report->interrupted)
        return fail(TEMPER_INTERRUPTED, session->options.checkpoint
                                            ? "interrupted before the temperatures were chosen; run the same command "
                                              "with --resume to continue"
                                            : "interrupted before the temperatures were chosen; nothing is saved; with "
                                              "--checkpoint it would be");
    print_sentences(session->arguments, report->notes);
    if (!was_given(session->arguments, OPT_QUIET))
        note("temperatures were chosen by %s among %zu candidates: %s", report->decided_by, report->count,
             report->reason);
    print_warnings(&report->warnings);
    session->result.report = report->training;
    /* The folds of the tuning serve as those of an estimate. */
    if (strcmp(text_of(session->arguments, OPT_HOLDOUT), "none") != 0)
        session->result.report.expected = (temper_expected_accuracy){.by = "tuning",
                                                                     .accuracy = report->expected_accuracy,
                                                                     .low = report->expected_low,
                                                                     .high = report->expected_high,
                                                                     .rows = temper_data_total_rows(session->data),
                                                                     .fits = report->folds};
    return TEMPER_OK;
}

/* Handles --t1 auto or --t2 auto: tunes over a grid of the temperatures that are not given, with all other options as
 * they are. The tuning also fits the final model. */
static temper_status fit_tuned(struct train_session *session)
{
    struct progress_line progress;
    temper_error error;
    temper_tune_options options = temper_tune_defaults();
    char grid[TRAIN_GRID_LENGTH];
    temper_tune_report *report = calloc(1, sizeof *report); /* 19 KiB: too much for a small stack */
    if (!report)
        return fail_no_memory();
    /* A temperature that is given restricts the grid to that value. */
    auto_grid(session->arguments, &session->options, grid);
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), false);
    options.grid = grid;
    /* The tuning has fields of its own for checkpoint and resume, which cover all of its fits. */
    options.train = session->options;
    options.checkpoint = session->options.checkpoint;
    options.resume = session->options.resume;
    options.on_progress = progress_follow_tuning;
    options.progress_context = &progress;
    /* From here on Ctrl-C stops at the next iteration, so that the checkpoint is complete. */
    interrupt_defer();
    temper_status status = temper_tune(session->data, &options, &session->model, report, &error);
    progress_end(&progress);
    status = checked(status, &error);
    if (status == TEMPER_OK)
        status = take_tuned(session, report);
    temper_tune_report_free(report);
    free(report);
    return status;
}

/* Fits with the given temperatures. A status line on a terminal, or one log line for each iteration with --verbose. */
static temper_status fit(struct train_session *session)
{
    struct progress_line progress;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), was_given(session->arguments, OPT_VERBOSE));
    session->options.on_progress = progress_follow;
    session->options.progress_context = &progress;
    interrupt_defer();
    temper_status status =
        temper_train(session->data, &session->options, &session->model, &session->result.report, &error);
    progress_end(&progress);
    TRY(checked(status, &error));
    print_warnings(&session->result.report.warnings);
    return TEMPER_OK;
}

/* Writes the model in the first process; all processes have the same model and get the status of the writing.
 * `replaced` is determined before, when a file of that name is still the old one. */
static temper_status save(struct train_session *session)
{
    temper_error error;
    double start = seconds_now();
    temper_status status = TEMPER_OK;
    session->result.replaced = is_file(session->model_path);
    if (process_group_is_first())
        status = checked(temper_model_save(session->model, session->model_path, &error), &error);
    session->result.seconds_write = seconds_now() - start;
    return process_group_agree(status);
}

/* Whether the optimiser itself was stopped. The record of the model has that; the report has the stop of the last step.
 */
static bool training_was_interrupted(const temper_model_summary *summary)
{
    return strcmp(summary->stop, temper_stop_name(TEMPER_STOP_INTERRUPTED)) == 0;
}

/* Reports an interruption after the model is saved, and which of the later steps the model lacks. The signal may also
 * have come after the last step. */
static temper_status fail_interrupted(const struct train_session *session, const temper_model_summary *summary)
{
    const temper_train_options *options = &session->options;
    bool complete = session->result.report.stop != TEMPER_STOP_INTERRUPTED;
    bool calibrates = !options->calibrate || strcmp(options->calibrate, "none") != 0;
    bool no_calibration = !complete && calibrates && !(summary->calibration_order > 0);
    bool no_estimate = !complete && options->estimate_noise;
    return fail(
        TEMPER_INTERRUPTED, "interrupted; %s is in %s%s%s%s%s",
        training_was_interrupted(summary) ? "the best model so far" : "the training had ended by then: its model",
        session->model_path, no_calibration || no_estimate ? ", without " : "", no_calibration ? "the calibration" : "",
        no_calibration && no_estimate ? " and " : "", no_estimate ? "the estimate of the noise" : "");
}

/* The steps in order. After an interruption before the first iteration all weights are 0 or those of the initial model;
 * that model is not saved, because it would replace one that has learnt something. */
static temper_status run_steps(struct train_session *session)
{
    TRY(check_target(session->model_path));
    if (session->options.checkpoint)
        TRY(check_target(session->options.checkpoint));
    TRY(read_inputs(session));
    TRY(has_auto_temperatures(session->arguments) ? fit_tuned(session) : fit(session));
    session->result.model = session->model;
    /* An interrupted fit still returns its best model so far. */
    temper_model_summary summary;
    temper_model_summarise(session->model, &summary);
    if (training_was_interrupted(&summary) && session->result.report.iterations == 0)
        return fail(TEMPER_INTERRUPTED, "interrupted before the first iteration was done; nothing is saved");
    TRY(save(session));
    TRY(print_report(session));
    return interrupt_noted() ? fail_interrupted(session, &summary) : TEMPER_OK;
}

/* Parses the options, runs the steps and frees everything. The temperatures and paths are checked before any file is
 * read. */
temper_status cmd_train(const struct arguments *arguments)
{
    struct train_session *session = calloc(1, sizeof *session); /* 20 KiB: too much for a small stack */
    if (!session)
        return fail_no_memory();
    session->arguments = arguments;
    interrupt_prepare();
    /* All options are validated before the first file is opened. */
    temper_status status = train_options(arguments, &session->options);
    if (status == TEMPER_OK)
        status = name_model(arguments, &session->model_path);
    session->result.data_path = arguments->operand[0];
    session->result.model_path = session->model_path;
    session->result.clean = session->options.clean;
    if (status == TEMPER_OK)
        status = run_steps(session);
    temper_model_free(session->model);
    temper_model_free(session->warm);
    temper_data_free(session->valid);
    temper_data_free(session->data);
    free(session->model_path);
    free(session);
    return status;
}
