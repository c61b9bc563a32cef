/* cmd_tune: chooses temperatures and penalty, fits the model, and reports how. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd_tune.h"
#include "csv.h"
#include "json.h"
#include "message.h"
#include "number_format.h"
#include "options/data_options.h"
#include "options/options.h"
#include "options/train_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"

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
    session->options.on_progress = progress_follow_tuning;
    session->options.progress_context = &progress;
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
    if (process_group_is_first() && temper_model_save(session->model, session->model_path, &error) != TEMPER_OK)
        status = complain_error(&error);
    if (status == TEMPER_OK && session->tuning.ask_path)
        status = tuning_write_ask(&session->tuning);
    if (status == TEMPER_OK && report)
        status = tuning_write_report(&session->tuning, report);
    if (status == TEMPER_OK && !text_of(session->arguments, OPT_TUNE_CHECKPOINT) && process_group_is_first())
        unlink(session->checkpoint); /* nobody asked for it, and all is done */
    session->tuning.seconds_write = seconds_now() - start;
    return process_group_agree(status);
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

static const char head[] = "row,given,label\n";

/* ---- Out ------------------------------------------------------------------------------------- */

temper_status tuning_write_ask(const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fputs(head, page.stream);
    for (size_t i = 0; i < report->ask_count; i++) {
        fprintf(page.stream, "%llu,", report->ask[i] + 1);
        csv_cell(page.stream, temper_data_class_name(tuning->data, report->ask_label[i]));
        fputs(",\n", page.stream);
    }
    return page_save(&page, tuning->ask_path);
}

/* ---- In -------------------------------------------------------------------------------------- */

/* Whether the file is one of ours; "-" and what cannot be read is told by who reads it as data. */
static bool is_answered(const char *path)
{
    char line[sizeof head] = "";
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool ours = fgets(line, sizeof line, file) && strncmp(line, head, strlen(head) - 1) == 0;
    fclose(file);
    return ours;
}

/* The next cell of a line, in place and on to behind it; false if there is none. */
static bool next_cell(char **rest, char **cell)
{
    char *from = *rest, *to;
    if (!from)
        return false;
    *cell = to = from;
    if (*from == '"') {
        from++;
        while (*from && !(from[0] == '"' && from[1] != '"')) {
            from += from[0] == '"';
            *to++ = *from++;
        }
        from += *from == '"';
    } else {
        while (*from && *from != ',' && *from != '\r' && *from != '\n')
            *to++ = *from++;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return true;
}

static bool find_class(const temper_data *data, const char *name, uint32_t *number)
{
    size_t classes = temper_data_classes(data);
    for (*number = 0; *number < classes; ++*number)
        if (strcmp(temper_data_class_name(data, *number), name) == 0)
            return true;
    return false;
}

/* One line; a row without a label is not answered yet. */
static temper_status take_line(const temper_data *data, const char *path, size_t number, char *line,
                               struct trusted_rows *trusted)
{
    char *rest = line, *row, *given, *label, *end;
    uint32_t class_number;
    if (!next_cell(&rest, &row) || !next_cell(&rest, &given) || !next_cell(&rest, &label))
        return complain(TEMPER_BAD_DATA, "%s:%zu: this is not row,given,label; write it so", path, number);
    if (!*label)
        return TEMPER_OK;
    unsigned long long value = strtoull(row, &end, 10);
    if (*row < '0' || *row > '9' || *end || value == 0 || value > temper_data_total_rows(data))
        return complain(TEMPER_BAD_DATA, "%s:%zu: there is no row '%s'; rows count from 1 to %llu", path, number, row,
                        temper_data_total_rows(data));
    if (!find_class(data, label, &class_number))
        return complain(TEMPER_BAD_DATA, "%s:%zu: the data has no class '%s'; write it as there", path, number, label);
    unsigned long long *rows = realloc(trusted->row, (trusted->count + 1) * sizeof *rows);
    if (rows)
        trusted->row = rows;
    uint32_t *labels = realloc(trusted->label, (trusted->count + 1) * sizeof *labels);
    if (labels)
        trusted->label = labels;
    if (!rows || !labels)
        return complain_no_memory();
    rows[trusted->count] = value - 1;
    labels[trusted->count++] = class_number;
    return TEMPER_OK;
}

static temper_status read_answered(const temper_data *data, const char *path, struct trusted_rows *trusted)
{
    char *line = NULL;
    size_t size = 0, number = 0;
    temper_status status = TEMPER_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return complain(TEMPER_IO, "%s: cannot be read", path);
    while (status == TEMPER_OK && getline(&line, &size, file) > 0)
        if (++number > 1 && *line != '\n' && *line != '\r')
            status = take_line(data, path, number, line, trusted);
    free(line);
    fclose(file);
    if (status == TEMPER_OK && trusted->count == 0)
        return complain(TEMPER_BAD_DATA, "%s: no row has a label yet; fill in the column 'label'", path);
    return status;
}

/* What its columns are is known from DATA; files of labels and weights belong to that. */
static temper_status read_like(const struct arguments *arguments, const temper_data *data, const char *path,
                               struct trusted_rows *trusted)
{
    temper_error error;
    temper_read_options options = reading_options(arguments);
    struct stat there;
    options.comm = NULL; /* all of it for every process */
    options.labels = options.label = options.ignore = options.categorical = NULL;
    if (options.weights && stat(options.weights, &there) == 0)
        options.weights = NULL;
    if (temper_data_read_like(data, path, &options, &trusted->data, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

temper_status trusted_read(const struct arguments *arguments, const temper_data *data, const char *path,
                           struct trusted_rows *trusted)
{
    temper_status status = check_path(arguments, path);
    *trusted = (struct trusted_rows){0};
    if (status != TEMPER_OK)
        return status;
    return is_answered(path) ? read_answered(data, path, trusted) : read_like(arguments, data, path, trusted);
}

void trusted_free(struct trusted_rows *trusted)
{
    temper_data_free(trusted->data);
    free(trusted->row);
    free(trusted->label);
}

enum { SHOWN = 10 }; /* candidates, by accuracy */

/* ---- For people ------------------------------------------------------------------------------ */

static void size_lines(FILE *out, const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    char count[FIGURE_LENGTH];
    size_t on_folds = 0;
    for (size_t i = 0; i < report->count; i++)
        on_folds += report->table[i].stage == 2;
    figure_title(out, "rows");
    fputs(figure_count(temper_data_total_rows(tuning->data), count), out);
    figure_dropped(out, temper_data_dropped_rows(tuning->data));
    fputc('\n', out);
    figure_title(out, "features");
    fprintf(out, "%s\n", figure_count(temper_data_features(tuning->data), count));
    figure_title(out, "classes");
    fputs(figure_count(temper_data_classes(tuning->data), count), out);
    figure_classes(out, tuning->data);
    fputc('\n', out);
    figure_title(out, "settings tried");
    fprintf(out, "%zu", report->count);
    if (on_folds < report->count)
        fprintf(out, " on two halves of the rows, and the best %zu", on_folds);
    fprintf(out, " by cross-validation on %zu folds%s\n", report->folds, report->resumed ? ", resumed" : "");
}

/* "tempered 0.3 1" as columns. */
static void candidate_line(FILE *out, const temper_tune_report *report, size_t number)
{
    const temper_tune_candidate *candidate = &report->table[number];
    bool hinge = candidate->loss.method == TEMPER_HINGE;
    fprintf(out, "%c %-10s ", number == report->best ? '*' : ' ', temper_method_name(candidate->loss.method));
    if (hinge)
        fprintf(out, "%5s %5s", "-", "-");
    else
        fprintf(out, "%5.3g %5.3g", candidate->loss.t1, candidate->loss.t2);
    fprintf(out, " %10.3g  %6.2f +- %-5.2f", candidate->l2, 100 * candidate->accuracy, 100 * candidate->accuracy_error);
    if (!isnan(candidate->trusted))
        fprintf(out, "  %7.2f", 100 * candidate->trusted);
    fprintf(out, "  %9.2f  %9.2f%s\n", 100 * candidate->agreement, 100 * candidate->undecided,
            candidate->stage == 2 ? "" : "  (halves)");
}

static bool comes_first(const temper_tune_candidate *a, const temper_tune_candidate *b)
{
    if (a->stage != b->stage)
        return a->stage > b->stage;
    return a->accuracy > b->accuracy || (a->accuracy == b->accuracy && a->l2 > b->l2);
}

/* What the columns are. */
static void legend_lines(FILE *out, bool trusted, bool halves)
{
    fputs("\nThe line with * is the choice.  t1, t2: temperatures; 1 and 1 are logistic\n"
          "regression.  l2: penalty on large weights.  In %: accuracy, labels as given that\n"
          "are predicted in rows that the model has not seen, +- a standard error;\n",
          out);
    if (trusted)
        fputs("trusted, labels of the trusted rows that are predicted;\n", out);
    fputs("agreement, rows on which models of either half of the data say the same;\n"
          "undecided, rows on which the model hardly prefers a class.\n",
          out);
    if (halves)
        fputs("(halves): dropped after a trial on two halves, which its figures are from.\n", out);
}

/* The most accurate ones, and the best if it is not among them. */
static void candidate_lines(FILE *out, const temper_tune_report *report)
{
    size_t shown[SHOWN], count = 0;
    bool best = false, halves = false;
    for (size_t i = 0; i < report->count; i++) {
        size_t at = count < SHOWN ? count++ : SHOWN;
        while (at > 0 && comes_first(&report->table[i], &report->table[shown[at - 1]])) {
            if (at < SHOWN)
                shown[at] = shown[at - 1];
            at--;
        }
        if (at < SHOWN)
            shown[at] = i;
    }
    bool trusted = !isnan(report->table[report->best].trusted);
    fprintf(out, "\n  %-10s %5s %5s %10s  %-15s%s  %9s  %9s\n", "loss", "t1", "t2", "l2", "accuracy, %",
            trusted ? "  trusted" : "", "agreement", "undecided");
    for (size_t i = 0; i < count; i++) {
        candidate_line(out, report, shown[i]);
        halves = halves || report->table[shown[i]].stage != 2;
        best = best || shown[i] == report->best;
    }
    if (!best) {
        fputs("  ...\n", out);
        candidate_line(out, report, report->best);
    }
    legend_lines(out, trusted, halves);
    fputc('\n', out);
}

static void choice_lines(FILE *out, const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    const temper_tune_candidate *best = &report->table[report->best];
    figure_title(out, "choice");
    figure_loss(out, best->loss);
    fprintf(out, ", l2 = %.7g\n", best->l2);
    figure_title(out, "decided by");
    fprintf(out, "%s: %s\n", report->decided_by, report->reason);
    if (!isnan(report->gain)) {
        figure_title(out, "over logistic");
        fprintf(out, "%+.2f +- %.2f points of accuracy on the labels as given\n", 100 * report->gain,
                100 * report->gain_error);
    }
    if (tuning->ask_path) {
        figure_title(out, "to label");
        fprintf(out, "%zu row%s in %s%s\n", report->ask_count, report->ask_count == 1 ? "" : "s", tuning->ask_path,
                report->ask_count ? "; fill them in and pass --trusted" : ": the fits agree");
    }
}

void tuning_table(FILE *out, const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    size_lines(out, tuning);
    candidate_lines(out, report);
    choice_lines(out, tuning);
    figure_title(out, "stop");
    fprintf(out, "%s: %s%s\n", temper_stop_name(report->training.stop), temper_stop_text(report->training.stop),
            report->refitted ? ", from the mean of the fold models" : "");
    figure_title(out, "seconds");
    fprintf(out, "%.3g to read, %.3g to tune, %.3g to write\n", tuning->seconds_read, report->seconds,
            tuning->seconds_write);
    figure_title(out, "model");
    fprintf(out, "%s%s\n", tuning->model_path, tuning->replaced ? " (replaced)" : "");
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void number_member(FILE *out, const char *name, double number)
{
    fprintf(out, ", \"%s\": ", name);
    json_number(out, number);
}

static void setting_members(FILE *out, const temper_tune_candidate *candidate)
{
    fprintf(out, "\"loss\": \"%s\"", temper_method_name(candidate->loss.method));
    bool hinge = candidate->loss.method == TEMPER_HINGE;
    number_member(out, "t1", hinge ? (double)NAN : candidate->loss.t1);
    number_member(out, "t2", hinge ? (double)NAN : candidate->loss.t2);
    number_member(out, "l2", candidate->l2);
}

static void candidate_object(FILE *out, const temper_tune_candidate *candidate)
{
    fputc('{', out);
    setting_members(out, candidate);
    fprintf(out, ", \"stage\": %d", candidate->stage);
    number_member(out, "accuracy", candidate->accuracy);
    number_member(out, "accuracy_error", candidate->accuracy_error);
    number_member(out, "log_loss", candidate->log_loss);
    number_member(out, "bounded_loss", candidate->bounded_loss);
    number_member(out, "trusted", candidate->trusted);
    number_member(out, "half_accuracy", candidate->half_accuracy);
    number_member(out, "agreement", candidate->agreement);
    number_member(out, "balance", candidate->balance);
    fputs(", \"band_error\": [", out);
    for (size_t i = 0; i < TEMPER_CONFIDENCE_BANDS; i++) {
        fputs(i ? ", " : "", out);
        json_number(out, candidate->band_error[i]);
    }
    fputc(']', out);
    number_member(out, "top_error", candidate->top_error);
    number_member(out, "top_ratio", candidate->top_ratio);
    number_member(out, "undecided", candidate->undecided);
    number_member(out, "code_length", candidate->code_length);
    fputc('}', out);
}

static void choice_members(FILE *out, const temper_tune_report *report)
{
    fputs(",\n  \"best\": {", out);
    setting_members(out, &report->table[report->best]);
    number_member(out, "score", report->table[report->best].accuracy);
    fprintf(out, ", \"number\": %zu}", report->best);
    json_text_field(out, "decided_by", report->decided_by);
    json_text_field(out, "reason", report->reason);
    fprintf(out, ",\n  \"by_accuracy\": %zu", report->by_accuracy);
    json_number_field(out, "gain", report->gain);
    json_number_field(out, "gain_error", report->gain_error);
    json_number_field(out, "default_l2", report->default_l2);
    fprintf(out, ",\n  \"refitted\": %s,\n  \"resumed\": %s", report->refitted ? "true" : "false",
            report->resumed ? "true" : "false");
}

void tuning_json(FILE *out, const struct tuning *tuning)
{
    const temper_tune_report *report = &tuning->report;
    fprintf(out,
            "{\n  \"rows\": %llu,\n  \"dropped_rows\": %llu,\n  \"features\": %llu,\n  "
            "\"classes\": %zu,\n  \"folds\": %zu",
            temper_data_total_rows(tuning->data), temper_data_dropped_rows(tuning->data),
            temper_data_features(tuning->data), temper_data_classes(tuning->data), report->folds);
    choice_members(out, report);
    fputs(",\n  \"table\": [", out);
    for (size_t i = 0; i < report->count; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        candidate_object(out, &report->table[i]);
    }
    fputs("\n  ],\n  \"ask\": [", out);
    for (size_t i = 0; i < report->ask_count; i++)
        fprintf(out, "%s%llu", i ? ", " : "", report->ask[i] + 1);
    fputc(']', out);
    json_text_field(out, "stop", temper_stop_name(report->training.stop));
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, tuning->seconds_read);
    fputs(", \"tune\": ", out);
    json_number(out, report->seconds);
    fputs(", \"write\": ", out);
    json_number(out, tuning->seconds_write);
    fputs("},\n  \"notes\": ", out);
    json_lines(out, report->notes);
    fputs(",\n  \"warnings\": ", out);
    json_lines(out, report->warnings);
    json_text_field(out, "model", tuning->model_path);
    fprintf(out, ",\n  \"replaced\": %s", tuning->replaced ? "true" : "false");
    fputs("\n}\n", out);
}
