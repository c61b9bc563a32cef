/* cmd_train: fits a model and reports how. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "message.h"
#include "number_format.h"
#include "options/data_options.h"
#include "options/options.h"
#include "options/train_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"

struct training {
    const char *data_path, *model_path;
    const temper_data *data;
    temper_train_report report;
    double seconds_read, seconds_write;
    bool replaced; /* a file was there before the model */
};

/* ---- For people ------------------------------------------------------------------------------ */

static void size_lines(FILE *out, const struct training *training)
{
    char count[FIGURE_LENGTH];
    figure_title(out, "rows");
    fputs(figure_count(temper_data_total_rows(training->data), count), out);
    figure_dropped(out, temper_data_dropped_rows(training->data));
    fputc('\n', out);
    figure_title(out, "features");
    fprintf(out, "%s\n", figure_count(temper_data_features(training->data), count));
    figure_title(out, "classes");
    fputs(figure_count(temper_data_classes(training->data), count), out);
    figure_classes(out, training->data);
    fputc('\n', out);
}

static void effort_lines(FILE *out, const struct training *training)
{
    const temper_train_report *report = &training->report;
    figure_title(out, "stop");
    fprintf(out, "%s: %s\n", temper_stop_name(report->stop), temper_stop_text(report->stop));
    figure_title(out, "passes");
    fprintf(out, "%.4g over the data in %zu iteration%s of %s%s\n", report->passes, report->iterations,
            report->iterations == 1 ? "" : "s", report->solver, report->resumed ? ", resumed" : "");
    figure_title(out, "seconds");
    fprintf(out, "%.3g to read, %.3g to train, %.3g to write\n", training->seconds_read, report->seconds,
            training->seconds_write);
}

static void training_table(FILE *out, const struct training *training)
{
    char percent[FIGURE_LENGTH];
    const temper_train_report *report = &training->report;
    size_lines(out, training);
    figure_title(out, "loss");
    figure_loss(out, report->loss);
    fputc('\n', out);
    figure_title(out, "l2");
    fprintf(out, "%.7g\n", report->l2);
    figure_title(out, "objective");
    fprintf(out, "%.7g\n", report->objective);
    if (!isnan(report->validation)) {
        figure_title(out, "validation loss");
        fprintf(out, "%.7g\n", report->validation);
    }
    figure_title(out, "accuracy");
    fprintf(out, "%s on these rows\n", figure_percent(report->accuracy, percent));
    effort_lines(out, training);
    figure_title(out, "model");
    fprintf(out, "%s%s\n", training->model_path, training->replaced ? " (replaced)" : "");
}

/* ---- For programs: names stay as they are once released ------------------------------------- */

static void loss_members(FILE *out, const temper_train_report *report)
{
    bool hinge = report->loss.method == TEMPER_HINGE;
    json_text_field(out, "loss", temper_method_name(report->loss.method));
    json_number_field(out, "t1", hinge ? NAN : report->loss.t1);
    json_number_field(out, "t2", hinge ? NAN : report->loss.t2);
    json_number_field(out, "smoothing", hinge ? report->loss.smoothing : NAN);
    json_number_field(out, "l2", report->l2);
}

static void result_members(FILE *out, const temper_train_report *report)
{
    json_number_field(out, "objective", report->objective);
    json_number_field(out, "train_loss", report->train_loss);
    json_number_field(out, "gradient_norm", report->gradient_norm);
    json_number_field(out, "accuracy", report->accuracy);
    json_number_field(out, "validation", report->validation);
    json_text_field(out, "stop", temper_stop_name(report->stop));
    json_text_field(out, "solver", report->solver);
    json_text_field(out, "precision", report->precision);
    fprintf(out, ",\n  \"iterations\": %zu,\n  \"evaluations\": %zu", report->iterations, report->evaluations);
    fprintf(out, ",\n  \"products\": %zu,\n  \"hessians\": %zu", report->products, report->hessians);
    json_number_field(out, "passes", report->passes);
    fprintf(out, ",\n  \"resumed\": %s", report->resumed ? "true" : "false");
}

static void training_json(FILE *out, const struct training *training)
{
    const temper_train_report *report = &training->report;
    fprintf(out,
            "{\n  \"rows\": %llu,\n  \"dropped_rows\": %llu,\n  \"features\": %llu,\n  "
            "\"classes\": %zu",
            temper_data_total_rows(training->data), temper_data_dropped_rows(training->data),
            temper_data_features(training->data), temper_data_classes(training->data));
    loss_members(out, report);
    result_members(out, report);
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, training->seconds_read);
    fputs(", \"train\": ", out);
    json_number(out, report->seconds);
    fputs(", \"write\": ", out);
    json_number(out, training->seconds_write);
    fputs("},\n  \"warnings\": ", out);
    json_lines(out, report->warnings);
    json_text_field(out, "model", training->model_path);
    fprintf(out, ",\n  \"replaced\": %s\n}\n", training->replaced ? "true" : "false");
}

/* All that a training has to give back at its end. */
struct session {
    const struct arguments *arguments;
    struct training training;
    temper_train_options options;
    char *model_path;
    temper_data *data, *valid; /* or NULL */
    temper_model *warm, *model;
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Labels and weights of a file of their own are those of DATA, and what its columns are is known
 * from DATA too: the same text must become the same feature. */
static temper_status read_valid(struct session *session)
{
    temper_error error;
    temper_read_options options = reading_options(session->arguments);
    struct stat there;
    const char *path = text_of(session->arguments, OPT_VALID);
    if (!path)
        return TEMPER_OK;
    temper_status status = check_path(session->arguments, path);
    if (status != TEMPER_OK)
        return status;
    options.comm = NULL; /* all of it for every process */
    options.labels = options.label = options.ignore = options.categorical = NULL;
    if (options.weights && stat(options.weights, &there) == 0)
        options.weights = NULL;
    if (temper_data_read_like(session->data, path, &options, &session->valid, &error) != TEMPER_OK)
        return complain_error(&error);
    session->options.validation = session->valid;
    return TEMPER_OK;
}

static temper_status read_warm(struct session *session)
{
    const char *path = text_of(session->arguments, OPT_WARM_START);
    temper_error error;
    if (path && temper_model_load(path, &session->warm, &error) != TEMPER_OK)
        return complain_error(&error);
    session->options.warm_start = session->warm;
    return TEMPER_OK;
}

static temper_status read_all(struct session *session)
{
    struct training *training = &session->training;
    temper_status status = read_warm(session); /* the short ones first */
    if (status == TEMPER_OK)
        status = read_data(session->arguments, training->data_path, &session->data, &training->seconds_read);
    if (status != TEMPER_OK)
        return status;
    training->data = session->data;
    print_notes(session->arguments, session->data);
    return read_valid(session);
}

/* ---- Training -------------------------------------------------------------------------------- */

/* Chooses the temperatures first. */
static temper_status fit_automatic(struct session *session)
{
    struct progress progress;
    temper_error error;
    temper_tune_options options = temper_tune_defaults();
    temper_tune_report report;
    char grid[GRID_LENGTH];
    training_grid(session->arguments, &session->options, grid);
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), false);
    options.grid = grid;
    options.train = session->options;
    options.checkpoint = session->options.checkpoint;
    options.resume = session->options.resume;
    options.on_progress = progress_follow_tuning;
    options.progress_context = &progress;
    interrupt_defer();
    temper_status status = temper_tune(session->data, &options, &session->model, &report, &error);
    progress_end(&progress);
    if (status != TEMPER_OK)
        return complain_error(&error);
    if (report.interrupted) {
        status = complain(TEMPER_INTERRUPTED, options.checkpoint ? "interrupted before the temperatures were chosen; "
                                                                   "the same command with --resume goes on"
                                                                 : "interrupted before the temperatures were chosen; "
                                                                   "nothing is saved, but would be with --checkpoint");
    } else {
        print_sentences(session->arguments, report.notes);
        if (!was_given(session->arguments, OPT_QUIET))
            note("temperatures were chosen by %s among %zu candidates: %s", report.decided_by, report.count,
                 report.reason);
        print_warnings(report.warnings);
        session->training.report = report.training;
    }
    temper_tune_report_free(&report);
    return status;
}

static temper_status fit(struct session *session)
{
    struct progress progress;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), was_given(session->arguments, OPT_VERBOSE));
    session->options.on_progress = progress_follow;
    session->options.progress_context = &progress;
    interrupt_defer();
    temper_status status =
        temper_train(session->data, &session->options, &session->model, &session->training.report, &error);
    progress_end(&progress);
    if (status != TEMPER_OK)
        return complain_error(&error);
    print_warnings(session->training.report.warnings);
    return TEMPER_OK;
}

static temper_status save(struct session *session)
{
    temper_error error;
    double start = seconds_now();
    temper_status status = TEMPER_OK;
    session->training.replaced = is_file(session->model_path);
    if (process_group_is_first() && temper_model_save(session->model, session->model_path, &error) != TEMPER_OK)
        status = complain_error(&error);
    session->training.seconds_write = seconds_now() - start;
    return process_group_agree(status);
}

static temper_status report(const struct session *session)
{
    bool json = was_given(session->arguments, OPT_JSON);
    struct page page;
    if (page_open(&page) == TEMPER_OK)
        (json ? training_json : training_table)(page.stream, &session->training);
    return page_print(&page);
}

/* The last word on an interruption. A model that has not learnt anything yet replaces none. */
static temper_status interrupted(const struct session *session)
{
    bool done = session->training.report.stop != TEMPER_STOP_INTERRUPTED;
    return complain(TEMPER_INTERRUPTED,
                    done ? "interrupted; the training was done by then: its model is in %s"
                         : "interrupted; the best model so far is in %s",
                    session->model_path);
}

static temper_status run(struct session *session)
{
    temper_status status = check_targets(session->arguments, session->model_path, session->options.checkpoint);
    if (status == TEMPER_OK)
        status = read_all(session);
    if (status == TEMPER_OK)
        status = training_is_automatic(session->arguments) ? fit_automatic(session) : fit(session);
    if (status != TEMPER_OK)
        return status;
    const temper_train_report *done = &session->training.report;
    if (done->stop == TEMPER_STOP_INTERRUPTED && done->iterations == 0)
        return complain(TEMPER_INTERRUPTED, "interrupted before the first iteration was done; nothing is saved");
    status = save(session);
    if (status == TEMPER_OK)
        status = report(session);
    return status == TEMPER_OK && interrupt_noted() ? interrupted(session) : status;
}

temper_status cmd_train(const struct arguments *arguments)
{
    struct session session = {.arguments = arguments};
    interrupt_prepare();
    temper_status status = training_options(arguments, &session.options);
    if (status == TEMPER_OK)
        status = name_model(arguments, &session.model_path);
    session.training.data_path = arguments->operand[0];
    session.training.model_path = session.model_path;
    if (status == TEMPER_OK)
        status = run(&session);
    temper_model_free(session.model);
    temper_model_free(session.warm);
    temper_data_free(session.valid);
    temper_data_free(session.data);
    free(session.model_path);
    return status;
}
