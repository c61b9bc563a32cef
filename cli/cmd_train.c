/* cmd_train: temper train. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "parse.h"
#include "progress.h"
#include "reading.h"
#include "training.h"

/* All that a training has to give back at its end. */
struct session {
    const struct arguments *arguments;
    struct training training;
    temper_train_options options;
    char *model_path;
    temper_data *data, *valid; /* or NULL */
    temper_model *warm, *model;
};

/* ---- Files ----------------------------------------------------------------------------------- */

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* DATA.temper, or what was asked for. */
static temper_status name_model(struct session *session)
{
    static const char extension[] = ".temper";
    const char *given = text_of(session->arguments, OPT_TRAIN_MODEL);
    const char *data = session->arguments->operand[0];
    if (!given && strcmp(data, "-") == 0)
        return complain(TEMPER_USAGE, "train: the standard input has no name that the model could "
                                      "have; give one by -m");
    if (given && is_stream(given))
        return complain(TEMPER_USAGE, "train: the standard output has the report; give a file "
                                      "to -m");
    size_t size = strlen(given ? given : data) + sizeof extension;
    session->model_path = malloc(size);
    if (!session->model_path)
        return complain_no_memory();
    snprintf(session->model_path, size, "%s%s", given ? given : data, given ? "" : extension);
    return TEMPER_OK;
}

/* Devices are nobody's only copy. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* What is read must not be what is written. */
static temper_status check_not_input(const struct session *session, const char *written)
{
    const struct arguments *arguments = session->arguments;
    const char *const inputs[] = {arguments->operand[0], text_of(arguments, OPT_VALID),
                                  text_of(arguments, OPT_LABELS), text_of(arguments, OPT_WEIGHTS)};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (same_file(written, inputs[i]))
            return complain(TEMPER_USAGE,
                            "train: %s is read, and would be written over; choose "
                            "another name for the result",
                            written);
    return TEMPER_OK;
}

/* Better now than after hours. To open a pipe would begin a conversation with its reader. */
static temper_status check_writable(const char *path)
{
    struct stat there;
    temper_file *file;
    temper_error error;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return TEMPER_OK;
    if (temper_file_open(path, &file, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_file_drop(file);
    return TEMPER_OK;
}

static temper_status check_files(const struct session *session)
{
    const char *checkpoint = session->options.checkpoint;
    temper_status status = check_not_input(session, session->model_path);
    if (status == TEMPER_OK && checkpoint)
        status = check_not_input(session, checkpoint);
    if (status == TEMPER_OK && checkpoint &&
        (strcmp(checkpoint, session->model_path) == 0 ||
         same_file(checkpoint, session->model_path)))
        return complain(TEMPER_USAGE, "train: the checkpoint cannot be the model itself; give "
                                      "--checkpoint another file");
    if (status == TEMPER_OK)
        status = check_writable(session->model_path);
    if (status == TEMPER_OK && checkpoint)
        status = check_writable(checkpoint);
    return status;
}

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
    options.labels = options.label = options.ignore = options.categorical = NULL;
    if (options.weights && stat(options.weights, &there) == 0)
        options.weights = NULL;
    if (temper_data_read_like(session->data, path, &options, &session->valid, &error) != TEMPER_OK)
        return complain_error(&error);
    session->options.valid = session->valid;
    return TEMPER_OK;
}

static temper_status read_warm(struct session *session)
{
    const char *path = text_of(session->arguments, OPT_WARM_START);
    temper_error error;
    if (path && temper_model_load(path, &session->warm, &error) != TEMPER_OK)
        return complain_error(&error);
    session->options.warm = session->warm;
    return TEMPER_OK;
}

static temper_status read_all(struct session *session)
{
    struct training *training = &session->training;
    temper_status status = read_warm(session); /* the short ones first */
    if (status == TEMPER_OK)
        status = read_data(session->arguments, training->data_path, &session->data,
                           &training->seconds_read);
    if (status != TEMPER_OK)
        return status;
    training->data = session->data;
    print_notes(session->arguments, session->data);
    return read_valid(session);
}

/* ---- Training -------------------------------------------------------------------------------- */

static void print_warnings(const char *warnings)
{
    while (*warnings) {
        size_t length = strcspn(warnings, "\n");
        warn("%.*s", (int)length, warnings);
        warnings += length + (warnings[length] == '\n');
    }
}

static temper_status fit(struct session *session)
{
    struct progress progress;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET),
                   was_given(session->arguments, OPT_VERBOSE));
    session->options.follow = progress_follow;
    session->options.follow_context = &progress;
    interrupt_defer();
    temper_status status = temper_train(session->data, &session->options, &session->model,
                                        &session->training.report, &error);
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
    if (temper_model_save(session->model, session->model_path, &error) != TEMPER_OK)
        return complain_error(&error);
    session->training.seconds_write = seconds_now() - start;
    return TEMPER_OK;
}

static temper_status report(const struct session *session)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(session->arguments, OPT_JSON))
        training_json(page.stream, &session->training);
    else
        training_table(page.stream, &session->training);
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
    temper_status status = check_files(session);
    if (status == TEMPER_OK)
        status = read_all(session);
    if (status == TEMPER_OK)
        status = fit(session);
    if (status != TEMPER_OK)
        return status;
    const temper_train_report *done = &session->training.report;
    if (done->stop == TEMPER_STOP_INTERRUPTED && done->iterations == 0)
        return complain(TEMPER_INTERRUPTED,
                        "interrupted before the first iteration was done; nothing is saved");
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
        status = name_model(&session);
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
