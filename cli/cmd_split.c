/* cmd_split: temper split. Names the files, lets the library divide the rows, and reports how many each file has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "json_csv.h"
#include "message.h"
#include "number_format.h"
#include "options/file_roles.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "temper_extra.h"

/* The names of the files, in pairs, and what became of them. */
struct split_session {
    const struct arguments *arguments;
    size_t pairs;
    char **train, **test; /* [pairs] */
    temper_split_file_report report;
};

/* ---- Names ----------------------------------------------------------------------------------- */

/* The extension of DATA: from the last dot of its name, without .gz or .zst; its length is 0 if there is none. */
static const char *extension_of(const char *path, size_t *length)
{
    size_t bare = path_bare_length(path), at = bare;
    while (at > 0 && path[at - 1] != '.' && path[at - 1] != '/')
        at--;
    /* A name that begins with its only dot is that of a hidden file. */
    bool has_one = at > 1 && path[at - 1] == '.' && path[at - 2] != '/';
    *length = has_one ? bare - (at - 1) : 0;
    return path + bare - *length;
}

/* NAME.fold3.train.csv, or NAME.train.csv; to be freed. The numbers have equal widths, so that the names sort. */
static char *compose_name(const struct split_session *session, size_t pair, const char *role)
{
    const char *data = session->arguments->operand[0], *name = text_of(session->arguments, OPT_SPLIT_OUTPUT);
    size_t length, size;
    const char *extension = extension_of(data, &length);
    int stem = name ? (int)strlen(name) : (int)(extension - data);
    char fold[FORMAT_LENGTH] = "", widest[FORMAT_LENGTH];
    if (was_given(session->arguments, OPT_SPLIT_FOLDS)) {
        int width = snprintf(widest, sizeof widest, "%zu", session->pairs);
        snprintf(fold, sizeof fold, ".fold%0*zu", width, pair + 1);
    }
    size = (size_t)stem + strlen(fold) + strlen(role) + length + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s%s.%s%.*s", stem, name ? name : data, fold, role, (int)length, extension);
    else
        fail_no_memory();
    return path;
}

/* A copy of a given name, or a composed one. */
static char *name_file(const struct split_session *session, enum option_id given, size_t pair, const char *role)
{
    const char *name = text_of(session->arguments, given);
    return name ? concatenate(name, "") : compose_name(session, pair, role);
}

/* Refuses to overwrite what is read, and names that cannot be written. */
static temper_status check_name(const struct arguments *arguments, const char *path)
{
    const char *const inputs[] = {arguments->operand[0], text_of(arguments, OPT_LABELS)};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && same_result(path, inputs[i]))
            return fail(TEMPER_USAGE,
                        "split: %s is an input file and would be overwritten; choose another name for the result",
                        path);
    return check_target(path);
}

/* Names all files, and refuses names that would destroy something. */
static temper_status name_files(struct split_session *session)
{
    session->train = (char **)calloc(session->pairs, sizeof *session->train);
    session->test = (char **)calloc(session->pairs, sizeof *session->test);
    if (!session->train || !session->test)
        return fail_no_memory();
    for (size_t i = 0; i < session->pairs; i++) {
        session->train[i] = name_file(session, OPT_TRAIN_FILE, i, "train");
        session->test[i] = name_file(session, OPT_TEST_FILE, i, "test");
        if (!session->train[i] || !session->test[i])
            return TEMPER_NO_MEMORY; /* has been reported */
        TRY(check_name(session->arguments, session->train[i]));
        TRY(check_name(session->arguments, session->test[i]));
        if (same_result(session->train[i], session->test[i]))
            return fail(TEMPER_USAGE,
                        "split: %s would be both the file for training and that for testing; give two "
                        "names",
                        session->train[i]);
    }
    return TEMPER_OK;
}

/* Options that exclude each other, as far as the library does not know them. */
static temper_status check_options(const struct arguments *arguments)
{
    bool folds = was_given(arguments, OPT_SPLIT_FOLDS);
    static const enum option_id excluded[] = {OPT_SHARE, OPT_TRAIN_FILE, OPT_TEST_FILE};
    for (size_t i = 0; folds && i < sizeof excluded / sizeof *excluded; i++)
        if (was_given(arguments, excluded[i]))
            return fail(TEMPER_USAGE, "split: --folds and --%s cannot be combined; drop one%s",
                        option_table[excluded[i]].name,
                        excluded[i] == OPT_SHARE ? "" : ", and give the beginning of the names by -o");
    if (was_given(arguments, OPT_SPLIT_OUTPUT) && was_given(arguments, OPT_TRAIN_FILE) &&
        was_given(arguments, OPT_TEST_FILE))
        return fail(TEMPER_USAGE, "split: -o has no effect with --train and --test; drop it");
    return TEMPER_OK;
}

/* ---- The report ------------------------------------------------------------------------------ */

static void print_file(FILE *out, size_t rows, const char *path)
{
    char count[FORMAT_LENGTH];
    fprintf(out, "%s row%s in %s\n", format_count(rows, count), rows == 1 ? "" : "s", path);
}

/* One line for each file. */
static void print_files(FILE *out, const struct split_session *session)
{
    for (size_t i = 0; i < session->pairs; i++) {
        print_title(out, "train");
        print_file(out, session->report.train_rows[i], session->train[i]);
        print_title(out, "test");
        print_file(out, session->report.test_rows[i], session->test[i]);
    }
}

/* By what the rows were divided. */
static void print_method(FILE *out, const struct split_session *session)
{
    const temper_split_file_report *report = &session->report;
    const char *time = text_of(session->arguments, OPT_TIME), *group = text_of(session->arguments, OPT_GROUP);
    char count[FORMAT_LENGTH];
    print_title(out, "divided");
    if (time) {
        fprintf(out, "by time: %s\n", time);
        return;
    }
    fprintf(out, "at random, seed %s", text_of(session->arguments, OPT_SEED));
    if (report->classes > 0)
        fprintf(out, "; %s classes%s%s in %sequal shares", format_count(report->classes, count),
                report->stratified_by[0] ? " of " : "", report->stratified_by, group ? "about " : "");
    if (report->groups > 0)
        fprintf(out, "; %s groups of %s undivided", format_count(report->groups, count), group);
    fputc('\n', out);
}

static void print_table(FILE *out, const struct split_session *session)
{
    char rows[FORMAT_LENGTH];
    print_title(out, "rows");
    fprintf(out, "%s\n", format_count(session->report.rows, rows));
    print_method(out, session);
    print_files(out, session);
}

/* One object; released names never change. */
static void print_json(FILE *out, const struct split_session *session)
{
    const temper_split_file_report *report = &session->report;
    fprintf(out, "{\n  \"rows\": %zu", report->rows);
    json_count_field(out, "classes", report->classes);
    json_count_field(out, "groups", report->groups);
    json_text_field(out, "stratified_by", report->stratified_by[0] ? report->stratified_by : NULL);
    json_bool_field(out, "copied", report->copied && !report->reencoded);
    fputs(",\n  \"files\": [", out);
    for (size_t i = 0; i < session->pairs; i++) {
        fprintf(out, "%s\n    {\"train\": ", i ? "," : "");
        json_text(out, session->train[i]);
        fprintf(out, ", \"train_rows\": %zu", report->train_rows[i]);
        json_text_member(out, "test", session->test[i]);
        fprintf(out, ", \"test_rows\": %zu}", report->test_rows[i]);
    }
    fputs("\n  ]\n}\n", out);
}

/* Notes first, since they explain the numbers. */
static temper_status print_report(const struct split_session *session)
{
    struct output_buffer buffer;
    const struct arguments *arguments = session->arguments;
    bool quiet = was_given(arguments, OPT_QUIET);
    if (session->report.note[0] && !quiet)
        note("%s", session->report.note);
    if (session->report.copied && session->report.reencoded && !quiet)
        note("the files are in UTF-8, and %s is not", arguments->operand[0]);
    TRY(output_open(&buffer));
    (was_given(arguments, OPT_JSON) ? print_json : print_table)(buffer.stream, session);
    return output_print(&buffer);
}

/* ---- The steps ------------------------------------------------------------------------------- */

static temper_status run_steps(struct split_session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_read_options read = data_options(arguments);
    temper_split_file_options options = temper_split_file_defaults();
    temper_error error;
    TRY(check_options(arguments));
    TRY(check_path(arguments, arguments->operand[0]));
    if (was_given(arguments, OPT_SPLIT_FOLDS))
        options.folds = session->pairs = size_of(arguments, OPT_SPLIT_FOLDS);
    TRY(name_files(session));
    options.share = number_of(arguments, OPT_SHARE);
    options.seed = (uint64_t)number_of(arguments, OPT_SEED);
    options.stratify = text_of(arguments, OPT_STRATIFY);
    options.group = text_of(arguments, OPT_GROUP);
    options.time = text_of(arguments, OPT_TIME);
    options.train = (const char *const *)session->train;
    options.test = (const char *const *)session->test;
    TRY(checked(temper_split_file(arguments->operand[0], &read, &options, &session->report, &error), &error));
    return print_report(session);
}

temper_status cmd_split(const struct arguments *arguments)
{
    struct split_session session = {.arguments = arguments, .pairs = 1};
    temper_status status = run_steps(&session);
    for (size_t i = 0; i < session.pairs; i++) {
        free(session.train ? session.train[i] : NULL);
        free(session.test ? session.test[i] : NULL);
    }
    free((void *)session.train);
    free((void *)session.test);
    temper_split_file_report_free(&session.report);
    return status;
}
