/* cmd_tune: temper tune. */
#include <stdlib.h>
#include <unistd.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "parse.h"
#include "progress.h"
#include "reading.h"
#include "team.h"
#include "training.h"
#include "tuning.h"
#include "writing.h"

/* All that a tuning has to give back at its end. */
struct session {
    const struct arguments *arguments;
    struct tuning tuning;
    temper_tune_options options;
    char *model_path, *checkpoint, *ask_path;
    temper_data *data;
    struct trusted_rows trusted;
    temper_model *model;
};

static void read_options(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_tune_options *options = &session->options;
    *options = temper_tune_defaults();
    options->grid = text_of(arguments, OPT_GRID);
    options->folds = (size_t)number_of(arguments, OPT_FOLDS);
    options->criterion = text_of(arguments, OPT_CRITERION);
    options->assume = text_of(arguments, OPT_ASSUME);
    if (was_given(arguments, OPT_ASK))
        options->ask = (size_t)number_of(arguments, OPT_ASK);
    options->resume = was_given(arguments, OPT_RESUME);
    solving_options(arguments, &options->train);
    options->train.checkpoint_seconds = number_of(arguments, OPT_TUNE_CHECKPOINT_SECONDS);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static temper_status name_files(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *checkpoint = text_of(arguments, OPT_TUNE_CHECKPOINT);
    const char *ask = text_of(arguments, OPT_ASK_OUTPUT);
    temper_status status = name_model(arguments, &session->model_path);
    if (status != TEMPER_OK)
        return status;
    session->checkpoint = joined(checkpoint ? checkpoint : session->model_path, checkpoint ? "" : ".tuning");
    session->ask_path = joined(ask ? ask : session->model_path, ask ? "" : ".ask.csv");
    if (!session->checkpoint || !session->ask_path)
        return TEMPER_NO_MEMORY;
    if (ask && !session->options.ask)
        return complain(TEMPER_USAGE, "tune: --ask-output means nothing without --ask; give that "
                                      "too, or drop it");
    session->options.checkpoint = session->checkpoint;
    session->tuning.model_path = session->model_path;
    session->tuning.ask_path = session->options.ask ? session->ask_path : NULL;
    return TEMPER_OK;
}

static temper_status check_files(const struct session *session)
{
    const char *report = text_of(session->arguments, OPT_TUNE_REPORT);
    temper_status status = check_targets(session->arguments, session->model_path, session->checkpoint);
    if (status == TEMPER_OK && session->tuning.ask_path)
        status = check_target(session->arguments, session->ask_path);
    if (status == TEMPER_OK && report)
        status = check_target(session->arguments, report);
    return status;
}

static temper_status read_all(struct session *session)
{
    const char *trusted = text_of(session->arguments, OPT_TRUSTED);
    temper_status status =
        read_data(session->arguments, session->tuning.data_path, &session->data, &session->tuning.seconds_read);
    if (status != TEMPER_OK)
        return status;
    session->tuning.data = session->data;
    print_notes(session->arguments, session->data);
    if (!trusted)
        return TEMPER_OK;
    status = trusted_read(session->arguments, session->data, trusted, &session->trusted);
    session->options.trusted = session->trusted.data;
    session->options.trusted_rows = session->trusted.row;
    session->options.trusted_labels = session->trusted.label;
    session->options.trusted_count = session->trusted.count;
    return status;
}

/* ---- Tuning ---------------------------------------------------------------------------------- */

static temper_status interrupted(const struct session *session)
{
    return complain(TEMPER_INTERRUPTED,
                    "interrupted; what is known of the candidates is in %s: the same command with "
                    "--resume goes on",
                    session->checkpoint);
}

static temper_status fit(struct session *session)
{
    struct progress progress;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), false);
    session->options.follow = progress_follow_tuning;
    session->options.follow_context = &progress;
    interrupt_defer();
    temper_status status =
        temper_tune(session->data, &session->options, &session->model, &session->tuning.report, &error);
    progress_end(&progress);
    if (status != TEMPER_OK)
        return complain_error(&error);
    if (session->tuning.report.interrupted)
        return interrupted(session);
    print_sentences(session->arguments, session->tuning.report.notes);
    print_warnings(session->tuning.report.warnings);
    return TEMPER_OK;
}

static temper_status save(struct session *session)
{
    const char *report = text_of(session->arguments, OPT_TUNE_REPORT);
    temper_error error;
    double start = seconds_now();
    temper_status status = TEMPER_OK;
    session->tuning.replaced = is_file(session->model_path);
    if (team_is_first() && temper_model_save(session->model, session->model_path, &error) != TEMPER_OK)
        status = complain_error(&error);
    if (status == TEMPER_OK && session->tuning.ask_path)
        status = tuning_write_ask(&session->tuning);
    if (status == TEMPER_OK && report)
        status = tuning_write_report(&session->tuning, report);
    if (status == TEMPER_OK && !text_of(session->arguments, OPT_TUNE_CHECKPOINT) && team_is_first())
        unlink(session->checkpoint); /* nobody asked for it, and all is done */
    session->tuning.seconds_write = seconds_now() - start;
    return team_agree(status);
}

static temper_status report(const struct session *session)
{
    bool json = was_given(session->arguments, OPT_JSON);
    struct page page;
    if (page_open(&page) == TEMPER_OK)
        (json ? tuning_json : tuning_table)(page.stream, &session->tuning);
    return page_print(&page);
}

static temper_status run(struct session *session)
{
    temper_status status = check_files(session);
    if (status == TEMPER_OK)
        status = read_all(session);
    if (status == TEMPER_OK)
        status = fit(session);
    if (status == TEMPER_OK)
        status = save(session);
    return status == TEMPER_OK ? report(session) : status;
}

temper_status cmd_tune(const struct arguments *arguments)
{
    struct session session = {.arguments = arguments};
    interrupt_prepare();
    read_options(&session);
    session.tuning.data_path = arguments->operand[0];
    temper_status status = name_files(&session);
    if (status == TEMPER_OK)
        status = run(&session);
    temper_tune_report_free(&session.tuning.report);
    temper_model_free(session.model);
    trusted_free(&session.trusted);
    temper_data_free(session.data);
    free(session.model_path);
    free(session.checkpoint);
    free(session.ask_path);
    return status;
}
