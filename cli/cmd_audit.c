/* cmd_audit: lists the rows whose labels look wrong. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

struct auditing {
    const char *data_path;
    const temper_data *data;
    temper_audit_report report;
    unsigned long long listed; /* suspects */
    double seconds_read;
};

enum { SHOWN = 25, PAIRS = 5, CONFLICTS = 10, NAME_WIDTH = 18 };

static const char *name_of(const struct auditing *auditing, size_t class_number)
{
    return temper_data_class_name(auditing->data, class_number);
}

/* ---- For people ------------------------------------------------------------------------------ */

/* Of two classes, whose shares are less certain than those of more. */
static void range_text(FILE *out, double low, double high)
{
    char share[FIGURE_LENGTH];
    if (isnan(low))
        return;
    fprintf(out, "; %s", figure_percent(low, share));
    fprintf(out, " to %s", figure_percent(high, share));
}

static void summary_lines(FILE *out, const struct auditing *auditing)
{
    const temper_audit_report *report = &auditing->report;
    char count[FIGURE_LENGTH], share[FIGURE_LENGTH];
    figure_title(out, "rows");
    fprintf(out, "%s of %zu classes", figure_count(report->rows, count), report->classes);
    figure_dropped(out, temper_data_dropped_rows(auditing->data));
    fputc('\n', out);
    figure_title(out, "models");
    figure_loss(out, report->loss);
    fprintf(out, ", l2 = %.4g, %zu folds; %s of the labels predicted\n", report->l2, report->folds,
            figure_percent(report->accuracy, share));
    figure_title(out, "wrong labels");
    fprintf(out, "about %s (%s", figure_count((unsigned long long)llround(report->wrong), count),
            figure_percent(report->wrong / (double)report->rows, share));
    range_text(out, report->wrong_low / (double)report->rows, report->wrong_high / (double)report->rows);
    fprintf(out, "), %s\n", report->in_pairs ? "between certain classes" : "spread evenly, as far as can be told");
}

/* The largest cell of the transition table that is below `limit`, off the diagonal. */
static size_t next_pair(const temper_audit_report *report, double limit, size_t after)
{
    size_t cells = report->classes * report->classes, best = cells;
    for (size_t i = 0; i < cells; i++) {
        double value = report->transition[i];
        bool later = value < limit || (value == limit && i > after);
        if (i % (report->classes + 1) != 0 && later && (best == cells || value > report->transition[best]))
            best = i;
    }
    return best;
}

static void pair_lines(FILE *out, const struct auditing *auditing)
{
    const temper_audit_report *report = &auditing->report;
    size_t last = 0;
    double limit = INFINITY;
    if (!report->transition)
        return;
    for (size_t i = 0; i < PAIRS; i++) {
        char from[NAME_SHOWN], to[NAME_SHOWN];
        size_t pair = next_pair(report, limit, last);
        if (pair == report->classes * report->classes || report->transition[pair] < 0.5)
            break;
        last = pair;
        limit = report->transition[pair];
        figure_name(name_of(auditing, pair / report->classes), NAME_WIDTH, from);
        figure_name(name_of(auditing, pair % report->classes), NAME_WIDTH, to);
        figure_title(out, i ? "" : "most often");
        fprintf(out, "%s called %s: about %.0f\n", from, to, limit);
    }
}

static void precision_line(FILE *out, const struct auditing *auditing)
{
    const temper_audit_report *report = &auditing->report;
    char count[FIGURE_LENGTH], share[FIGURE_LENGTH];
    figure_title(out, "listed");
    fprintf(out, "%s", figure_count(auditing->listed, count));
    if (report->by_row)
        fprintf(out, ", by their distance from other rows\n");
    else if (auditing->listed == 0)
        fprintf(out, ": no label is more likely wrong than right\n");
    else {
        double low, high;
        temper_audit_precision_range(report, auditing->listed, &low, &high);
        fprintf(out, "; %s of them are wrong, it is to be expected",
                figure_percent(temper_audit_precision(report, auditing->listed), share));
        if (!isnan(low)) {
            fprintf(out, " (%s", figure_percent(low, share));
            fprintf(out, " to %s)", figure_percent(high, share));
        }
        for (unsigned long long first = 10; first < auditing->listed; first *= 10)
            fprintf(out, ", and %s of the first %llu", figure_percent(temper_audit_precision(report, first), share),
                    first);
        fputc('\n', out);
    }
}

static void suspect_place(FILE *out, const struct auditing *auditing, const temper_audit_suspect *suspect)
{
    if (suspect->line)
        fprintf(out, "%s:%llu", auditing->data_path, suspect->line);
    else
        fprintf(out, "row %llu", suspect->file_row + 1);
}

static void suspect_line(FILE *out, const struct auditing *auditing, const temper_audit_suspect *suspect)
{
    char given[NAME_SHOWN], suggested[NAME_SHOWN];
    size_t width = figure_name(name_of(auditing, suspect->given), NAME_WIDTH, given);
    fprintf(out, "%9.4f  %s%*s", suspect->score, given, (int)(NAME_WIDTH - width + 2), "");
    width = figure_name(name_of(auditing, suspect->suggested), NAME_WIDTH, suggested);
    fprintf(out, "%s%*s%11.4f  ", suggested, (int)(NAME_WIDTH - width + 2), "", suspect->probability);
    suspect_place(out, auditing, suspect);
    fputs(suspect->conflict ? "  conflict\n" : "\n", out);
}

static void head_line(FILE *out)
{
    fprintf(out, "\n%9s  %-*s%-*s%11s  %s\n", "score", NAME_WIDTH + 2, "given", NAME_WIDTH + 2, "suggested",
            "probability", "where");
}

/* Those of the whole list, with a place of their own. */
static void conflict_lines(FILE *out, const struct auditing *auditing)
{
    const temper_audit_report *report = &auditing->report;
    size_t shown = 0;
    if (report->conflicts == 0)
        return;
    fprintf(out, "\nconflicts: %llu %s the features of another row, and not its label%s", report->conflicts,
            report->conflicts == 1 ? "row has" : "rows have",
            report->conflicts > CONFLICTS ? "; the most suspicious:" : "");
    head_line(out);
    for (unsigned long long i = 0; i < report->rows && shown < CONFLICTS; i++)
        if (report->suspects[i].conflict) {
            suspect_line(out, auditing, &report->suspects[i]);
            shown++;
        }
}

static void audit_table(FILE *out, const struct auditing *auditing)
{
    const temper_audit_report *report = &auditing->report;
    summary_lines(out, auditing);
    pair_lines(out, auditing);
    precision_line(out, auditing);
    figure_title(out, "seconds");
    fprintf(out, "%.3g to read, %.3g to audit\n", auditing->seconds_read, report->seconds);
    if (auditing->listed > 0)
        head_line(out);
    for (unsigned long long i = 0; i < auditing->listed && i < SHOWN; i++)
        suspect_line(out, auditing, &report->suspects[i]);
    if (auditing->listed > SHOWN)
        fprintf(out, "... and %llu more; -o FILE lists all\n", auditing->listed - SHOWN);
    conflict_lines(out, auditing);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void number_member(FILE *out, const char *name, double number)
{
    fputs(", \"", out); /* tens of thousands of them: formats would take as long as the digits */
    fputs(name, out);
    fputs("\": ", out);
    json_number(out, number);
}

static void suspect_object(FILE *out, const struct auditing *auditing, const temper_audit_suspect *suspect)
{
    fprintf(out, "{\"row\": %llu", suspect->file_row + 1);
    if (suspect->line)
        fprintf(out, ", \"line\": %llu", suspect->line);
    fputs(", \"given\": ", out);
    json_text(out, name_of(auditing, suspect->given));
    fputs(", \"suggested\": ", out);
    json_text(out, name_of(auditing, suspect->suggested));
    number_member(out, "score", suspect->score);
    number_member(out, "probability", suspect->probability);
    number_member(out, "margin", suspect->margin);
    number_member(out, "distance", suspect->distance);
    number_member(out, "importance", suspect->importance);
    fputs(suspect->conflict ? ", \"conflict\": true" : ", \"conflict\": false", out);
    if (!isnan(suspect->low)) { /* two classes */
        number_member(out, "low", suspect->low);
        number_member(out, "high", suspect->high);
    }
    fputs("}\n", out);
}

static void audit_json(FILE *out, const struct auditing *auditing)
{
    for (unsigned long long i = 0; i < auditing->listed; i++)
        suspect_object(out, auditing, &auditing->report.suspects[i]);
}

/* What is not known stays empty. */
static void number_cell(FILE *out, double number)
{
    char text[TEMPER_NUMBER_LENGTH];
    temper_format_number(number, text);
    fprintf(out, ",%s", isnan(number) ? "" : text);
}

static void audit_csv(FILE *out, const struct auditing *auditing)
{
    fputs("row,line,given,suggested,score,probability,margin,distance,importance,conflict,low,high\n", out);
    for (unsigned long long i = 0; i < auditing->listed; i++) {
        const temper_audit_suspect *suspect = &auditing->report.suspects[i];
        fprintf(out, "%llu,%llu,", suspect->file_row + 1, suspect->line);
        csv_cell(out, name_of(auditing, suspect->given));
        fputc(',', out);
        csv_cell(out, name_of(auditing, suspect->suggested));
        number_cell(out, suspect->score);
        number_cell(out, suspect->probability);
        number_cell(out, suspect->margin);
        number_cell(out, suspect->distance);
        number_cell(out, suspect->importance);
        fprintf(out, ",%d", suspect->conflict);
        number_cell(out, suspect->low);
        number_cell(out, suspect->high);
        fputc('\n', out);
    }
}

/* All that an audit has to give back at its end. */
struct session {
    const struct arguments *arguments;
    struct auditing auditing;
    temper_audit_options options;
    temper_data *data;
    temper_data *whole; /* all rows, for pages and files that need them; NULL: not in this process */
};

/* ---- Options --------------------------------------------------------------------------------- */

static bool is_auto(const struct arguments *arguments, enum option_id id)
{
    return strcmp(text_of(arguments, id), "auto") == 0;
}

/* Temperatures that are given leave nothing to choose but what the data says. */
static temper_status read_options(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_audit_options *options = &session->options;
    temper_train_options *train = &options->train;
    *options = temper_audit_defaults();
    solving_options(arguments, train);
    train->tolerance = is_auto(arguments, OPT_AUDIT_TOL) ? (double)NAN : number_of(arguments, OPT_AUDIT_TOL);
    options->kind = text_of(arguments, OPT_AUDIT_KIND);
    options->folds = (size_t)number_of(arguments, OPT_AUDIT_FOLDS);
    options->grid = text_of(arguments, OPT_AUDIT_GRID);
    options->choose = is_auto(arguments, OPT_AUDIT_T1) && is_auto(arguments, OPT_AUDIT_T2);
    if (!is_auto(arguments, OPT_AUDIT_T1))
        train->loss.t1 = number_of(arguments, OPT_AUDIT_T1);
    if (!is_auto(arguments, OPT_AUDIT_T2))
        train->loss.t2 = number_of(arguments, OPT_AUDIT_T2);
    if (!is_auto(arguments, OPT_AUDIT_L2))
        train->l2 = number_of(arguments, OPT_AUDIT_L2);
    if (was_given(arguments, OPT_TOP) && was_given(arguments, OPT_THRESHOLD))
        return complain(TEMPER_USAGE, "audit: --top and --threshold both say how many rows to "
                                      "list; drop one of them");
    if (options->grid && !options->choose)
        return complain(TEMPER_USAGE, "audit: --grid means nothing where temperatures are given; "
                                      "drop it, or them");
    if (was_given(arguments, OPT_FIX_HOW) && !was_given(arguments, OPT_FIX))
        return complain(TEMPER_USAGE, "audit: --fix-how means nothing without --fix; give that "
                                      "too, or drop it");
    if (was_given(arguments, OPT_TO) && !was_given(arguments, OPT_FIX))
        return complain(TEMPER_USAGE, "audit: --to means nothing without --fix; give that too, or drop it");
    return TEMPER_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static temper_audit_fix_file fixing_of(const struct arguments *arguments)
{
    return (temper_audit_fix_file){.how = text_of(arguments, OPT_FIX_HOW),
                                   .path = text_of(arguments, OPT_FIX),
                                   .format = text_of(arguments, OPT_TO)};
}

/* Better now than after the fits. */
static temper_status check_files(const struct session *session)
{
    static const enum option_id targets[] = {OPT_FIX, OPT_AUDIT_REPORT, OPT_AUDIT_OUTPUT};
    const struct arguments *arguments = session->arguments;
    temper_status status = TEMPER_OK;
    temper_error error;
    temper_audit_fix_file fixing = fixing_of(arguments);
    if (was_given(arguments, OPT_FIX) && temper_audit_fix_check(&fixing, &error) != TEMPER_OK)
        return complain_error(&error);
    for (size_t i = 0; status == TEMPER_OK && i < sizeof targets / sizeof *targets; i++) {
        const char *path = was_given(arguments, targets[i]) ? text_of(arguments, targets[i]) : NULL;
        if (path && strcmp(path, "-") != 0)
            status = check_target(arguments, path);
    }
    return status;
}

static temper_status write_list(const struct session *session)
{
    const struct arguments *arguments = session->arguments;
    struct page page;
    if (!was_given(arguments, OPT_AUDIT_OUTPUT))
        return TEMPER_OK;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    audit_csv(page.stream, &session->auditing);
    return page_save(&page, text_of(arguments, OPT_AUDIT_OUTPUT));
}

/* Several processes have a part of the rows each: the first reads them all, to write of them. */
static temper_status read_whole(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_read_options options = reading_options(arguments);
    temper_error error;
    if (!was_given(arguments, OPT_FIX) && !was_given(arguments, OPT_AUDIT_REPORT))
        return TEMPER_OK;
    if (!options.comm || options.comm->size == 1) {
        session->whole = session->data;
        return TEMPER_OK;
    }
    options.comm = NULL;
    if (process_group_is_first() &&
        temper_data_read(session->auditing.data_path, &options, &session->whole, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

static void say_where(const struct arguments *arguments, const char *what, const char *path)
{
    if (!was_given(arguments, OPT_QUIET) && strcmp(path, "-") != 0)
        note("%s is %s", what, path);
}

static temper_status write_page(const struct session *session)
{
    const struct auditing *auditing = &session->auditing;
    temper_error error;
    char *html;
    size_t length;
    if (!was_given(session->arguments, OPT_AUDIT_REPORT) || !session->whole)
        return TEMPER_OK;
    if (temper_audit_report_to_html(session->whole, &auditing->report, auditing->listed, &html, &length, &error) !=
        TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(text_of(session->arguments, OPT_AUDIT_REPORT), html, length);
    temper_free(html);
    if (status == TEMPER_OK)
        say_where(session->arguments, "the page", text_of(session->arguments, OPT_AUDIT_REPORT));
    return status;
}

static void say_fixed(const struct session *session, const temper_audit_fix_file *fixing)
{
    say_where(session->arguments, "the data put right", fixing->path);
    if (fixing->weights[0] && !was_given(session->arguments, OPT_QUIET))
        note("the listed rows weigh less there; train with --weights %s", fixing->weights);
}

static temper_status write_fixed(const struct session *session)
{
    const struct auditing *auditing = &session->auditing;
    temper_audit_fix_file fixing = fixing_of(session->arguments);
    temper_error error;
    if (!was_given(session->arguments, OPT_FIX) || !session->whole)
        return TEMPER_OK;
    if (temper_audit_fix_write(session->whole, &auditing->report, auditing->listed, &fixing, &error) != TEMPER_OK)
        return complain_error(&error);
    say_fixed(session, &fixing);
    return TEMPER_OK;
}

/* ---- The steps ------------------------------------------------------------------------------- */

static void count_listed(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_audit_report *report = &session->auditing.report;
    unsigned long long listed = report->supported;
    if (was_given(arguments, OPT_TOP)) {
        double top = number_of(arguments, OPT_TOP);
        listed = top < (double)report->rows ? (unsigned long long)top : report->rows;
    } else if (was_given(arguments, OPT_THRESHOLD)) {
        double threshold = number_of(arguments, OPT_THRESHOLD);
        for (listed = 0; listed < report->rows && report->suspects[listed].score >= threshold;)
            listed++;
    }
    session->auditing.listed = listed;
}

static temper_status find(struct session *session)
{
    struct progress progress;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), false);
    session->options.on_progress = progress_follow_tuning;
    session->options.progress_context = &progress;
    interrupt_defer();
    temper_status status = temper_audit(session->data, &session->options, NULL, &session->auditing.report, &error);
    progress_end(&progress);
    if (status != TEMPER_OK)
        return complain_error(&error);
    print_sentences(session->arguments, session->auditing.report.notes);
    print_warnings(session->auditing.report.warnings);
    count_listed(session);
    return TEMPER_OK;
}

static temper_status report(const struct session *session)
{
    bool json = was_given(session->arguments, OPT_AUDIT_JSON);
    struct page page;
    if (page_open(&page) == TEMPER_OK)
        (json ? audit_json : audit_table)(page.stream, &session->auditing);
    return page_print(&page);
}

static temper_status run(struct session *session)
{
    static temper_status (*const steps[])(const struct session *) = {write_list, write_page, write_fixed, report};
    temper_status status = check_files(session);
    if (status == TEMPER_OK)
        status =
            read_data(session->arguments, session->auditing.data_path, &session->data, &session->auditing.seconds_read);
    if (status != TEMPER_OK)
        return status;
    session->auditing.data = session->data;
    print_notes(session->arguments, session->data);
    status = find(session);
    if (status == TEMPER_OK)
        status = read_whole(session);
    for (size_t i = 0; status == TEMPER_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](session);
    return process_group_agree(status);
}

temper_status cmd_audit(const struct arguments *arguments)
{
    struct session session = {.arguments = arguments};
    interrupt_prepare();
    session.auditing.data_path = arguments->operand[0];
    temper_status status = read_options(&session);
    if (status == TEMPER_OK)
        status = run(&session);
    temper_audit_report_free(&session.auditing.report);
    if (session.whole != session.data)
        temper_data_free(session.whole);
    temper_data_free(session.data);
    return status;
}
