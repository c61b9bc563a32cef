/* cmd_annotators: temper annotators. The consensus of several annotators, how reliable each of them is, and which items
 * to label again. annotators_report.c has what is printed.
 *
 * VOTES alone gives the consensus by the votes. DATA, with a row for each item, adds a model of the features as a
 * further source of evidence, fitted by temper, or taken from the probabilities of --proba; its rows then are the
 * items. --labelled writes DATA with the consensus in place of labels. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "annotators_report.h"
#include "base/text.h"
#include "json_csv.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "progress.h"

/* Options, results and data of one call; cmd_annotators frees all of it. */
struct annotators_session {
    const struct arguments *arguments;
    struct annotators_result result;
    temper_votes *votes;
    temper_data *data; /* DATA; or NULL */
    double *probabilities;
};

/* ---- Options and files ----------------------------------------------------------------------- */

/* Combinations in which an option would silently have no effect. */
static temper_status check_options(const struct arguments *arguments)
{
    bool data = arguments->operand_count > 1, proba = was_given(arguments, OPT_ANNOTATORS_PROBA);
    bool majority = strcmp(text_of(arguments, OPT_ANNOTATORS_METHOD), "majority") == 0;
    static const enum option_id of_data[] = {OPT_FORMAT,      OPT_ANNOTATORS_LABEL, OPT_IGNORE,
                                             OPT_CATEGORICAL, OPT_MISSING,          OPT_LABELLED};
    for (size_t i = 0; !data && i < sizeof of_data / sizeof *of_data; i++)
        if (was_given(arguments, of_data[i]))
            return fail(TEMPER_USAGE, "annotators: --%s has no effect without DATA; give the data as well, or drop it",
                        option_table[of_data[i]].name);
    if (was_given(arguments, OPT_ID) && !data && !proba)
        return fail(TEMPER_USAGE,
                    "annotators: --id names a column of DATA or of the file of --proba; give one of them, "
                    "or use --columns for the columns of VOTES");
    if (majority && proba)
        return fail(TEMPER_USAGE, "annotators: --proba has no effect with --method majority; drop one of them");
    return TEMPER_OK;
}

/* Checks that every output can be written, before the work. */
static temper_status check_files(const struct arguments *arguments)
{
    static const enum option_id targets[] = {OPT_ANNOTATORS_OUTPUT, OPT_ANNOTATORS_FILE, OPT_LABELLED};
    temper_error error;
    if (was_given(arguments, OPT_LABELLED))
        TRY(checked(temper_data_write_check(text_of(arguments, OPT_LABELLED), text_of(arguments, OPT_TO), &error),
                    &error));
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const char *path = text_of(arguments, targets[i]);
        if (path && strcmp(path, "-") != 0)
            TRY(check_target(path));
    }
    return TEMPER_OK;
}

/* The columns to ignore, with that of --id, which has no features; to be freed. A name with a comma or a quote is
 * quoted as lists of names are. */
static char *ignored_columns(const struct arguments *arguments)
{
    const char *id = text_of(arguments, OPT_ID), *ignored = text_of(arguments, OPT_IGNORE);
    struct output_buffer buffer;
    if (output_open(&buffer) != TEMPER_OK)
        return NULL;
    if (ignored)
        fputs(ignored, buffer.stream);
    if (ignored && id)
        fputc(',', buffer.stream);
    if (id && strpbrk(id, ",=\" ")) {
        fputc('"', buffer.stream);
        for (const char *p = id; *p; p++)
            fputs(*p == '"' ? "\"\"" : (char[]){*p, '\0'}, buffer.stream);
        fputc('"', buffer.stream);
    } else if (id)
        fputs(id, buffer.stream);
    return output_close(&buffer) == TEMPER_OK ? buffer.bytes : NULL;
}

/* A column of --id is ignored as a feature: a message about it names the option that the user has given. */
static void name_id(temper_error *error)
{
    static const char wrong[] = "--ignore; pass", right[] = "--id; pass";
    char *found = strstr(error->message, wrong);
    if (!found)
        return;
    memcpy(found, right, strlen(right));
    memmove(found + strlen(right), found + strlen(wrong), strlen(found + strlen(wrong)) + 1);
}

/* Reads a table whose rows are the items: all columns are numbers, and none is a label unless the option names it. */
static temper_status read_rows(const struct annotators_session *session, const char *path, const char *label,
                               const char *header, temper_data **data)
{
    const struct arguments *arguments = session->arguments;
    temper_read_options options = data_options(arguments);
    temper_error error;
    char *ignored = NULL;
    TRY(check_path(arguments, path));
    if (was_given(arguments, OPT_ID) || was_given(arguments, OPT_IGNORE)) {
        ignored = ignored_columns(arguments);
        if (!ignored)
            return fail_no_memory();
    }
    options.ignore = ignored;
    options.label = label;
    options.header = header;
    temper_status status = temper_data_read(path, &options, data, &error);
    free(ignored);
    if (status == TEMPER_OK)
        print_notes(arguments, *data);
    else if (!was_given(arguments, OPT_IGNORE))
        name_id(&error);
    return checked(status, &error);
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Reads VOTES. Options that infer the layout are passed on as they are; the library checks them. */
static temper_status read_votes(struct annotators_session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *path = arguments->operand[0];
    temper_votes_options options = temper_votes_defaults();
    temper_error error;
    double start = seconds_now();
    options.layout = text_of(arguments, OPT_LAYOUT);
    options.columns = text_of(arguments, OPT_COLUMNS);
    options.header = text_of(arguments, OPT_VOTES_HEADER);
    TRY(check_path(arguments, path));
    TRY(checked(temper_votes_read(path, &options, &session->votes, &error), &error));
    session->result.votes = session->votes;
    session->result.seconds_read = seconds_now() - start;
    return TEMPER_OK;
}

/* DATA, whose rows become the items. A column `label` that no option mentions is hardly a feature. */
static temper_status read_features(struct annotators_session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *label = text_of(arguments, OPT_ANNOTATORS_LABEL);
    temper_error error;
    if (arguments->operand_count < 2)
        return TEMPER_OK;
    TRY(read_rows(session, arguments->operand[1], label, NULL, &session->data));
    for (size_t j = 0; !was_given(arguments, OPT_ANNOTATORS_LABEL) && j < temper_data_features(session->data); j++) {
        const char *name = temper_data_feature_name(session->data, j);
        if (name && strcmp(name, "label") == 0)
            return fail(TEMPER_USAGE,
                        "annotators: %s has a column label, which would be a feature; pass --label label if it holds "
                        "labels that the consensus replaces, or --label none if it is a feature",
                        arguments->operand[1]);
    }
    session->result.features = temper_data_features(session->data);
    return checked(temper_votes_match(session->votes, session->data, text_of(arguments, OPT_ID), &error), &error);
}

/* The file of --proba. Without DATA its rows are the items. */
static temper_status read_probabilities(struct annotators_session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *path = text_of(arguments, OPT_ANNOTATORS_PROBA);
    temper_data *table = NULL;
    temper_error error;
    if (!path)
        return TEMPER_OK;
    const char *header = temper_votes_names_columns(session->votes, path) ? "yes" : NULL;
    TRY(read_rows(session, path, "none", header, &table));
    temper_status status = TEMPER_OK;
    if (!session->data)
        status = checked(temper_votes_match(session->votes, table, text_of(arguments, OPT_ID), &error), &error);
    size_t items = temper_votes_items(session->votes), classes = temper_votes_classes(session->votes);
    if (status == TEMPER_OK) {
        session->probabilities = calloc(items, classes * sizeof(double));
        status =
            session->probabilities
                ? checked(temper_votes_probabilities(session->votes, table, session->probabilities, &error), &error)
                : fail_no_memory();
    }
    temper_data_free(table);
    return status;
}

/* Probabilities of another model take the place of temper's own. */
static temper_status find_consensus(struct annotators_session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_consensus_options options = temper_consensus_defaults();
    struct progress_line progress;
    temper_error error;
    options.method = text_of(arguments, OPT_ANNOTATORS_METHOD);
    bool majority = strcmp(options.method, "majority") == 0;
    options.data = session->probabilities || majority ? NULL : session->data;
    options.probabilities = session->probabilities;
    options.seed = (uint64_t)number_of(arguments, OPT_SEED);
    options.threads = threads_of(arguments);
    options.on_progress = progress_follow_tuning;
    options.progress_context = &progress;
    progress_begin(&progress, was_given(arguments, OPT_QUIET), false);
    interrupt_defer();
    temper_status status = temper_consensus(session->votes, &options, &session->result.report, &error);
    progress_end(&progress);
    TRY(checked(status, &error));
    session->result.method = options.method;
    print_sentences(arguments, temper_votes_notes(session->votes));
    print_sentences(arguments, session->result.report.notes);
    size_t again = session->result.report.suggested_again;
    if (was_given(arguments, OPT_AGAIN))
        again = size_of(arguments, OPT_AGAIN);
    session->result.again = again < session->result.report.items ? again : session->result.report.items;
    return TEMPER_OK;
}

/* ---- Outputs --------------------------------------------------------------------------------- */

/* Writes a table for programs, if its option is given. */
static temper_status write_table(const struct annotators_session *session, enum option_id id,
                                 void print(FILE *, const struct annotators_result *))
{
    struct output_buffer buffer;
    if (!was_given(session->arguments, id))
        return TEMPER_OK;
    TRY(output_open(&buffer));
    print(buffer.stream, &session->result);
    return output_save(&buffer, text_of(session->arguments, id));
}

/* DATA with the consensus as its label. */
static temper_status write_labelled(const struct annotators_session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *path = text_of(arguments, OPT_LABELLED);
    temper_data *labelled;
    temper_error error;
    if (!path)
        return TEMPER_OK;
    TRY(checked(temper_consensus_label(session->data, session->votes, &session->result.report, &labelled, &error),
                &error));
    temper_status status = temper_data_write(labelled, path, text_of(arguments, OPT_TO), &error);
    size_t rows = temper_data_rows(labelled), all = temper_data_rows(session->data);
    temper_data_free(labelled);
    if (status != TEMPER_OK)
        return output_failed(path, &error);
    if (rows < all && !was_given(arguments, OPT_QUIET))
        note("%s has the %s rows that were labelled; %s without a vote are left out", path, count_shown(rows).text,
             count_shown(all - rows).text);
    return TEMPER_OK;
}

/* Files before the standard output: a reader of the report can rely on them being there. */
static temper_status write_outputs(struct annotators_session *session)
{
    struct output_buffer buffer;
    TRY(annotators_order(&session->result));
    TRY(write_table(session, OPT_ANNOTATORS_OUTPUT, annotators_print_consensus));
    TRY(write_table(session, OPT_ANNOTATORS_FILE, annotators_print_annotators));
    TRY(write_labelled(session));
    TRY(output_open(&buffer));
    (was_given(session->arguments, OPT_JSON) ? annotators_print_json : annotators_print_text)(buffer.stream,
                                                                                              &session->result);
    return output_print(&buffer);
}

/* Checks that need no data come first, so that a typing error is reported before large files are read. */
static temper_status run_steps(struct annotators_session *session)
{
    TRY(check_options(session->arguments));
    TRY(check_files(session->arguments));
    TRY(read_votes(session));
    TRY(read_features(session));
    TRY(read_probabilities(session));
    TRY(find_consensus(session));
    return write_outputs(session);
}

/* Runs the steps, then frees in any case. */
temper_status cmd_annotators(const struct arguments *arguments)
{
    struct annotators_session session = {.arguments = arguments};
    interrupt_prepare();
    temper_status status = run_steps(&session);
    temper_consensus_report_free(&session.result.report);
    temper_votes_free(session.votes);
    temper_data_free(session.data);
    free(session.probabilities);
    free(session.result.order);
    free(session.result.rank);
    return status;
}
