/* cmd_audit: temper audit. Ranks rows by how likely their labels are wrong; writes the list, a page and corrected data.
 *
 * One report of the library is shown in several forms: the table on a terminal, JSON Lines, the CSV file of -o, the
 * page of --report with a review of single rows, and corrected data of --fix. Under MPI the first process reads the
 * rows of all others again for the last two, which show or write whole rows. With --apply no audit is run: the
 * decisions of a review page are applied to the data. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_health.h"
#include "audit/audit_inputs.h"
#include "base/text.h"
#include "json_csv.h"
#include "message.h"
#include "number_format.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* What the reports are made from. */
struct audit_result {
    const char *data_path;      /* as typed: prefix of the places FILE:LINE */
    const char *proba_path;     /* as typed, or NULL: probabilities of other models */
    const temper_data *data;    /* borrowed from the session; source of the class names */
    temper_audit_report report; /* suspects of all rows, the most suspicious first */
    size_t listed;              /* the first so many suspects are printed and corrected */
    double seconds_read;
};

/* Options, results and data of one call; cmd_audit frees all of it, whichever step has failed. */
struct audit_session {
    const struct arguments *arguments;
    struct audit_result result;
    temper_audit_options options;
    struct audit_inputs inputs; /* the options point to them */
    temper_data *data;          /* all rows, or under MPI the rows of this process */
    temper_data *whole;         /* all rows, for the page and the corrected data; NULL: not in this process */
};

/* ---- The report as a table --------------------------------------------------------------------- */

/* The table is for a person and fits a screen; -o and --json list everything. NAME_WIDTH is in columns of a terminal.
 */
enum { SUSPECTS_SHOWN = 25, PAIRS_SHOWN = 5, CONFLICTS_SHOWN = 10, NAME_WIDTH = 18 };

/* The name of a class as it is spelled in the data. */
static const char *class_of(const struct audit_result *result, size_t class_number)
{
    return temper_data_class_name(result->data, class_number);
}

/* Prints the loss and penalty of the out-of-fold models, or where other probabilities come from. The accuracy is
 * measured against the given labels, so it cannot reach 100 % where labels are wrong. */
static void print_models(FILE *out, const struct audit_result *result)
{
    const temper_audit_report *report = &result->report;
    char text[FORMAT_LENGTH];
    print_title(out, "models");
    if (result->proba_path) {
        fprintf(out, "probabilities of %s", result->proba_path);
    } else {
        print_loss(out, report->loss);
        fprintf(out, ", l2 = %.4g, %zu folds", report->l2, report->folds);
    }
    fprintf(out, "; %s of the labels predicted\n", format_percent(report->accuracy, text));
}

/* Prints the rows, the out-of-fold models, and the estimated number of wrong labels with its
 * interval. */
static void print_summary(FILE *out, const struct audit_result *result)
{
    const temper_audit_report *report = &result->report;
    double rows = (double)report->rows;
    char text[FORMAT_LENGTH];
    print_title(out, "rows");
    fprintf(out, "%s of %zu classes", format_count(report->rows, text), report->classes);
    print_dropped(out, temper_data_dropped_rows(result->data));
    fputc('\n', out);
    print_models(out, result);
    print_title(out, "wrong labels");
    /* The estimate is a sum of probabilities; a fraction of a row would suggest a precision that it does not have. */
    fprintf(out, "about %s", format_count((size_t)llround(report->wrong), text));
    fprintf(out, " (%s", format_percent(report->wrong / rows, text));
    if (!isnan(report->wrong_low)) { /* an interval exists for two classes */
        fprintf(out, "; %s", format_percent(report->wrong_low / rows, text));
        fprintf(out, " to %s", format_percent(report->wrong_high / rows, text));
    }
    fprintf(out, "), %s\n", report->in_pairs ? "between certain classes" : "spread evenly as far as can be estimated");
}

/* Returns the index of the largest off-diagonal cell of the transition table [true class][given class] that comes after
 * the cell (limit, after) in descending order, or the number of cells if there is none. Ties are ordered by index. A
 * scan of the table for each of the few printed pairs needs no sorted copy of up to 256 x 256 cells. */
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

/* Prints the most frequent kinds of mistakes, at most PAIRS_SHOWN. A cell below half a row would be printed as "about
 * 0" and ends the list. */
static void print_pairs(FILE *out, const struct audit_result *result)
{
    const temper_audit_report *report = &result->report;
    size_t last = 0;
    double limit = INFINITY;
    /* The table is NULL where there are too many classes to estimate it. */
    for (size_t i = 0; report->transition && i < PAIRS_SHOWN; i++) {
        char from[NAME_SHOWN], to[NAME_SHOWN];
        size_t pair = next_pair(report, limit, last);
        if (pair == report->classes * report->classes || report->transition[pair] < 0.5)
            break;
        /* The next search continues behind this cell. */
        last = pair;
        limit = report->transition[pair];
        format_name(class_of(result, pair / report->classes), NAME_WIDTH, from);
        format_name(class_of(result, pair % report->classes), NAME_WIDTH, to);
        print_title(out, i ? "" : "most often");
        fprintf(out, "%s labelled %s: about %.0f\n", from, to, limit);
    }
}

/* Prints the expected share of truly wrong labels among the listed rows and among the first 10, 100, ...: it shows how
 * far down the list a check by hand is worthwhile. */
static void print_precision(FILE *out, const struct audit_result *result)
{
    const temper_audit_report *report = &result->report;
    char text[FORMAT_LENGTH];
    double low, high;
    print_title(out, "listed");
    fputs(format_count(result->listed, text), out);
    /* The scores of kind "row" are distances, not probabilities: a precision cannot be computed from them. */
    if (report->by_row) {
        fputs(", by their distance from other rows\n", out);
        return;
    }
    if (result->listed == 0) {
        fputs(": no label is more likely wrong than right\n", out);
        return;
    }
    temper_audit_precision_range(report, result->listed, &low, &high);
    fprintf(out, "; of these %s are expected to be wrong",
            format_percent(temper_audit_precision(report, result->listed), text));
    if (!isnan(low)) {
        fprintf(out, " (%s", format_percent(low, text));
        fprintf(out, " to %s)", format_percent(high, text));
    }
    /* Prefixes that are as long as the list itself would repeat the first figure. */
    for (size_t first = 10; first < result->listed; first *= 10)
        fprintf(out, ", and %s of the first %zu", format_percent(temper_audit_precision(report, first), text), first);
    fputc('\n', out);
}

/* Prints one line: score, given and suggested label, and the place as FILE:LINE, which editors and terminals can open;
 * formats without lines have a row number. */
static void print_suspect(FILE *out, const struct audit_result *result, const temper_audit_suspect *suspect)
{
    char name[NAME_SHOWN];
    /* Padding is computed from terminal columns: printf would count the bytes of UTF-8 instead. */
    size_t width = format_name(class_of(result, suspect->given), NAME_WIDTH, name);
    fprintf(out, "%9.4f  %s%*s", suspect->score, name, (int)(NAME_WIDTH - width + 2), "");
    width = format_name(class_of(result, suspect->suggested), NAME_WIDTH, name);
    fprintf(out, "%s%*s%11.4f  ", name, (int)(NAME_WIDTH - width + 2), "", suspect->probability);
    if (suspect->line)
        fprintf(out, "%s:%zu", result->data_path, suspect->line);
    else
        fprintf(out, "row %zu", suspect->file_row + 1);
    fputs(suspect->conflict ? "  conflict\n" : "\n", out);
}

/* Column titles; the widths are those of print_suspect. */
static void print_head(FILE *out)
{
    fprintf(out, "\n%9s  %-*s%-*s%11s  %s\n", "score", NAME_WIDTH + 2, "given", NAME_WIDTH + 2, "suggested",
            "probability", "where");
}

/* Prints rows with identical features and different labels. Conflicts of the whole ranking are included: one of the
 * labels is wrong for certain, even where the models cannot say which. */
static void print_conflicts(FILE *out, const struct audit_result *result)
{
    const temper_audit_report *report = &result->report;
    size_t shown = 0;
    if (report->conflicts == 0)
        return;
    fprintf(out, "\nconflicts: %s %s the features of another row, and not its label%s",
            count_shown(report->conflicts).text, report->conflicts == 1 ? "row has" : "rows have",
            report->conflicts > CONFLICTS_SHOWN ? "; the most suspicious:" : "");
    print_head(out);
    /* The ranking is in descending order of suspicion, so the first conflicts found are the most suspicious. */
    for (size_t i = 0; i < report->rows && shown < CONFLICTS_SHOWN; i++)
        if (report->suspects[i].conflict) {
            print_suspect(out, result, &report->suspects[i]);
            shown++;
        }
}

/* The report without --json. */
static void print_table(FILE *out, const struct audit_result *result)
{
    /* Estimates for the whole data come first, then single rows. */
    print_summary(out, result);
    print_pairs(out, result);
    print_precision(out, result);
    print_title(out, "seconds");
    fprintf(out, "%.3g to read, %.3g to audit\n", result->seconds_read, result->report.seconds);
    if (result->listed > 0)
        print_head(out);
    for (size_t i = 0; i < result->listed && i < SUSPECTS_SHOWN; i++)
        print_suspect(out, result, &result->report.suspects[i]);
    if (result->listed > SUSPECTS_SHOWN)
        fprintf(out, "... and %zu more; -o FILE lists all\n", result->listed - SUSPECTS_SHOWN);
    print_conflicts(out, result);
}

/* ---- The list for programs: released names never change ------------------------------------------- */

/* One suspect as an object on one line. Rows are counted from 1; "line" is missing in formats without lines. */
static void json_suspect(FILE *out, const struct audit_result *result, const temper_audit_suspect *suspect)
{
    fprintf(out, "{\"row\": %zu", suspect->file_row + 1);
    if (suspect->line)
        fprintf(out, ", \"line\": %zu", suspect->line);
    json_text_member(out, "given", class_of(result, suspect->given));
    json_text_member(out, "suggested", class_of(result, suspect->suggested));
    json_number_member(out, "score", suspect->score);
    json_number_member(out, "probability", suspect->probability);
    json_number_member(out, "margin", suspect->margin);
    json_number_member(out, "distance", suspect->distance);
    json_number_member(out, "importance", suspect->importance);
    fputs(suspect->conflict ? ", \"conflict\": true" : ", \"conflict\": false", out);
    if (!isnan(suspect->low)) { /* two classes */
        json_number_member(out, "low", suspect->low);
        json_number_member(out, "high", suspect->high);
    }
    fputs("}\n", out);
}

/* JSON Lines, one object for each suspect, so that a reader can process the list as a stream. */
static void print_json(FILE *out, const struct audit_result *result)
{
    for (size_t i = 0; i < result->listed; i++)
        json_suspect(out, result, &result->report.suspects[i]);
}

/* The file of -o. All columns are present in every file, even those that apply to two classes only, so that a script
 * can rely on them. */
static void print_csv(FILE *out, const struct audit_result *result)
{
    fputs("row,line,given,suggested,score,probability,margin,distance,importance,conflict,low,high\n", out);
    for (size_t i = 0; i < result->listed; i++) {
        const temper_audit_suspect *suspect = &result->report.suspects[i];
        /* Line 0 stands for a format without lines. */
        fprintf(out, "%zu,%zu,", suspect->file_row + 1, suspect->line);
        csv_cell(out, class_of(result, suspect->given));
        fputc(',', out);
        csv_cell(out, class_of(result, suspect->suggested));
        csv_number(out, suspect->score);
        csv_number(out, suspect->probability);
        csv_number(out, suspect->margin);
        csv_number(out, suspect->distance);
        csv_number(out, suspect->importance);
        fprintf(out, ",%d", suspect->conflict);
        csv_number(out, suspect->low);
        csv_number(out, suspect->high);
        fputc('\n', out);
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Whether the option has the value "auto", which is also the default of the options that have it. */
static bool is_auto(const struct arguments *arguments, enum option_id id)
{
    return strcmp(text_of(arguments, id), "auto") == 0;
}

/* Refuses an option that only modifies --fix where --fix is not given. */
static temper_status check_needs_fix(const struct arguments *arguments, enum option_id id)
{
    if (!was_given(arguments, id) || was_given(arguments, OPT_FIX))
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "audit: --%s has no effect without --fix; give that too, or drop it",
                option_table[id].name);
}

/* Fills the options of the library. Temperatures are tuned only if neither is given: a single given temperature means
 * that the user has a certain loss in mind, and the other takes its default. */
static temper_status read_options(struct audit_session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_audit_options *options = &session->options;
    temper_train_options *train = &options->train;
    *options = temper_audit_defaults();
    /* The solver's options are those of train; temperatures, penalty and tolerance have another default here. */
    solver_options(arguments, train);
    /* NAN lets the library choose a tolerance that suffices to rank rows. */
    train->tolerance = is_auto(arguments, OPT_AUDIT_TOL) ? (double)NAN : number_of(arguments, OPT_AUDIT_TOL);
    options->kind = text_of(arguments, OPT_AUDIT_KIND);
    options->folds = size_of(arguments, OPT_AUDIT_FOLDS);
    options->grid = text_of(arguments, OPT_AUDIT_GRID);
    /* The page has a section on it. */
    options->health = was_given(arguments, OPT_AUDIT_HEALTH) || was_given(arguments, OPT_AUDIT_REPORT);
    options->choose = is_auto(arguments, OPT_AUDIT_T1) && is_auto(arguments, OPT_AUDIT_T2);
    if (!is_auto(arguments, OPT_AUDIT_T1))
        train->loss.t1 = number_of(arguments, OPT_AUDIT_T1);
    if (!is_auto(arguments, OPT_AUDIT_T2))
        train->loss.t2 = number_of(arguments, OPT_AUDIT_T2);
    if (!is_auto(arguments, OPT_AUDIT_L2))
        train->l2 = number_of(arguments, OPT_AUDIT_L2);
    /* Combinations in which an option would silently have no effect are refused. */
    if (was_given(arguments, OPT_TOP) && was_given(arguments, OPT_THRESHOLD))
        return fail(TEMPER_USAGE, "audit: --top and --threshold both set how many rows to list; drop one of them");
    if (options->grid && !options->choose)
        return fail(TEMPER_USAGE, "audit: --grid has no effect where temperatures are given; drop it, or them");
    TRY(audit_inputs_check(arguments));
    TRY(check_needs_fix(arguments, OPT_FIX_HOW));
    return check_needs_fix(arguments, OPT_TO);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Where and how corrected data is written; .path is NULL without --fix. */
static temper_audit_fix_file fix_file_of(const struct arguments *arguments)
{
    return (temper_audit_fix_file){.how = text_of(arguments, OPT_FIX_HOW),
                                   .path = text_of(arguments, OPT_FIX),
                                   .format = text_of(arguments, OPT_TO)};
}

/* Checks that every output file can be written, before the fits, which may take hours. */
static temper_status check_files(const struct arguments *arguments)
{
    static const enum option_id targets[] = {OPT_FIX, OPT_AUDIT_REPORT, OPT_AUDIT_OUTPUT};
    temper_error error;
    temper_audit_fix_file fix = fix_file_of(arguments);
    /* Whether the data can be written in the requested format at all. */
    if (was_given(arguments, OPT_FIX))
        TRY(checked(temper_audit_fix_check(&fix, &error), &error));
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const char *path = text_of(arguments, targets[i]);
        if (path && strcmp(path, "-") != 0)
            TRY(check_target(path));
    }
    return TEMPER_OK;
}

/* Writes the file of -o, if given. */
static temper_status write_list(const struct audit_session *session)
{
    struct output_buffer buffer;
    if (!was_given(session->arguments, OPT_AUDIT_OUTPUT))
        return TEMPER_OK;
    TRY(output_open(&buffer));
    print_csv(buffer.stream, &session->result);
    return output_save(&buffer, text_of(session->arguments, OPT_AUDIT_OUTPUT));
}

/* Sets session->whole to all rows if a page or corrected data is wanted. Under MPI each process holds only its part of
 * the rows, so the first process reads the file once more without a communicator; the others keep NULL and write
 * nothing. */
static temper_status read_whole(struct audit_session *session)
{
    temper_read_options options = data_options(session->arguments);
    temper_error error;
    if (!was_given(session->arguments, OPT_FIX) && !was_given(session->arguments, OPT_AUDIT_REPORT))
        return TEMPER_OK;
    if (!options.comm || options.comm->size == 1) {
        session->whole = session->data;
        return TEMPER_OK;
    }
    /* Without a communicator the reader returns all rows in this process. */
    options.comm = NULL;
    if (!process_group_is_first())
        return TEMPER_OK;
    return checked(temper_data_read(session->result.data_path, &options, &session->whole, &error), &error);
}

/* A note with the name of a written file, unless it was the standard output or --quiet is given. */
static void note_path(const struct arguments *arguments, const char *what, const char *path)
{
    if (!was_given(arguments, OPT_QUIET) && strcmp(path, "-") != 0)
        note("%s is %s", what, path);
}

/* Writes the page of --report, in the process that has all rows. */
static temper_status write_page(const struct audit_session *session)
{
    const struct audit_result *result = &session->result;
    const char *path = text_of(session->arguments, OPT_AUDIT_REPORT);
    temper_error error;
    temper_text html = {0};
    if (!path || !session->whole)
        return TEMPER_OK;
    TRY(checked(temper_audit_page(session->whole, &result->report, result->listed, &session->options, &html, &error),
                &error));
    TRY(output_write_text(path, &html));
    note_path(session->arguments, "the page", path);
    return TEMPER_OK;
}

/* Writes the data with the listed rows relabelled, dropped or given smaller weights, as --fix-how specifies. */
static temper_status write_fixed(const struct audit_session *session)
{
    const struct audit_result *result = &session->result;
    temper_audit_fix_file fix = fix_file_of(session->arguments);
    temper_error error;
    if (!fix.path || !session->whole)
        return TEMPER_OK;
    TRY(checked(temper_audit_fix_write(session->whole, &result->report, result->listed, &fix, &error), &error));
    note_path(session->arguments, "the corrected data", fix.path);
    /* With --fix-how weight the file has an additional column; .weights is its name, else "". */
    if (fix.weights[0] && !was_given(session->arguments, OPT_QUIET))
        note("the listed rows have smaller weights there; train with --weights %s", fix.weights);
    return TEMPER_OK;
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Returns how many suspects to list: --top, all with a score of at least --threshold, or by default as many as the
 * evidence supports. */
static size_t count_listed(const struct arguments *arguments, const temper_audit_report *report)
{
    size_t listed = 0;
    if (was_given(arguments, OPT_TOP)) {
        double top = number_of(arguments, OPT_TOP);
        return top < (double)report->rows ? (size_t)top : report->rows;
    }
    if (!was_given(arguments, OPT_THRESHOLD))
        return report->supported;
    /* The suspects are in descending order of the score, so the first one below the threshold ends the list. */
    double threshold = number_of(arguments, OPT_THRESHOLD);
    while (listed < report->rows && report->suspects[listed].score >= threshold)
        listed++;
    return listed;
}

/* Runs the audit with a progress line. From interrupt_defer on, Ctrl-C stops the library at its next callback instead
 * of ending the process. */
static temper_status audit(struct audit_session *session)
{
    struct progress_line progress;
    struct audit_result *result = &session->result;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), false);
    session->options.on_progress = progress_follow_tuning;
    session->options.progress_context = &progress;
    interrupt_defer();
    temper_status status = temper_audit(session->data, &session->options, NULL, &result->report, &error);
    progress_end(&progress);
    TRY(checked(status, &error));
    print_sentences(session->arguments, result->report.notes);
    print_warnings(&result->report.warnings);
    result->listed = count_listed(session->arguments, &result->report);
    return TEMPER_OK;
}

/* The health of the data set for --json, else no text. */
static temper_status make_health_json(const struct audit_session *session, temper_text *json)
{
    temper_error error;
    if (!was_given(session->arguments, OPT_AUDIT_HEALTH) || !was_given(session->arguments, OPT_AUDIT_JSON))
        return TEMPER_OK;
    return checked(temper_audit_health_to_json(session->data, &session->result.report, json, &error), &error);
}

/* The report goes to the standard output last, when all files are written: a reader that sees it can rely on them. The
 * health of the data set follows the list. */
static temper_status print_report(const struct audit_session *session)
{
    const struct audit_result *result = &session->result;
    struct output_buffer buffer;
    temper_text health = {0};
    TRY(make_health_json(session, &health));
    temper_status status = output_open(&buffer);
    if (status == TEMPER_OK) {
        bool json = was_given(session->arguments, OPT_AUDIT_JSON);
        (json ? print_json : print_table)(buffer.stream, result);
        if (health.bytes)
            fprintf(buffer.stream, "{\"health\": %s}\n", health.bytes);
        else if (was_given(session->arguments, OPT_AUDIT_HEALTH))
            print_health(buffer.stream, result->data, &result->report, result->data_path);
        status = output_print(&buffer);
    }
    temper_text_free(&health);
    return status;
}

/* All outputs are made from one report; the calls return at once for what was not requested. */
static temper_status write_outputs(struct audit_session *session)
{
    TRY(read_whole(session));
    TRY(write_list(session));
    TRY(write_page(session));
    TRY(write_fixed(session));
    return print_report(session);
}

/* The steps in order. After the audit only the first process writes and can fail; process_group_agree gives all of them
 * the same exit code. */
static temper_status run_steps(struct audit_session *session)
{
    TRY(read_options(session));
    TRY(check_files(session->arguments));
    TRY(read_data(session->arguments, session->result.data_path, &session->data, &session->result.seconds_read));
    session->result.data = session->data;
    print_notes(session->arguments, session->data);
    TRY(process_group_agree(audit_inputs_read(session->arguments, session->data, &session->inputs, &session->options)));
    temper_status status = audit(session);
    return process_group_agree(status == TEMPER_OK ? write_outputs(session) : status);
}

/* ---- Corrections of a person ---------------------------------------------------------------------- */

/* Refuses options of the audit, which is not run for --apply. */
static temper_status check_apply_options(const struct arguments *arguments)
{
    static const enum option_id of_audit[] = {OPT_TOP,        OPT_THRESHOLD,   OPT_AUDIT_KIND,     OPT_AUDIT_FOLDS,
                                              OPT_AUDIT_T1,   OPT_AUDIT_T2,    OPT_AUDIT_L2,       OPT_AUDIT_GRID,
                                              OPT_AUDIT_TOL,  OPT_FIX_HOW,     OPT_AUDIT_REPORT,   OPT_AUDIT_OUTPUT,
                                              OPT_AUDIT_JSON, OPT_AUDIT_PROBA, OPT_AUDIT_FEATURES, OPT_AUDIT_HEALTH};
    if (!was_given(arguments, OPT_FIX))
        return fail(TEMPER_USAGE, "audit: --apply needs --fix OUT, the file to write");
    for (size_t i = 0; i < sizeof of_audit / sizeof *of_audit; i++)
        if (was_given(arguments, of_audit[i]))
            return fail(TEMPER_USAGE, "audit: --%s has no effect with --apply, which audits nothing; drop one of them",
                        option_table[of_audit[i]].name);
    return check_path(arguments, text_of(arguments, OPT_APPLY));
}

/* One line about the written file. */
static temper_status print_applied(const temper_corrections *found, const char *path)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    fprintf(buffer.stream, "%s label%s changed in %s; %s confirmed, %s unsure and left as %s\n",
            count_shown(found->changed).text, found->changed == 1 ? "" : "s", path, count_shown(found->right).text,
            count_shown(found->unsure).text, found->unsure == 1 ? "it is" : "they are");
    return output_print(&buffer);
}

/* temper audit DATA --apply FILE --fix OUT: DATA with the labels that were decided on a review page. */
static temper_status apply_corrections(struct audit_session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_audit_fix_file fix = fix_file_of(arguments);
    temper_corrections found;
    temper_error error;
    TRY(check_apply_options(arguments));
    TRY(check_files(arguments));
    TRY(read_data(arguments, session->result.data_path, &session->data, NULL));
    print_notes(arguments, session->data);
    TRY(checked(temper_audit_apply(session->data, text_of(arguments, OPT_APPLY), &fix, &found, &error), &error));
    /* The data itself may have gone to the standard output. */
    return is_stdout(fix.path) ? TEMPER_OK : print_applied(&found, fix.path);
}

/* Runs the steps, then frees in any case. Without MPI, `whole` is the same object as `data`. */
temper_status cmd_audit(const struct arguments *arguments)
{
    struct audit_session session = {.arguments = arguments};
    /* From here on an interruption has the exit codes that shells expect. */
    interrupt_prepare();
    session.result.data_path = arguments->operand[0];
    session.result.proba_path = text_of(arguments, OPT_AUDIT_PROBA);
    temper_status status = was_given(arguments, OPT_APPLY) ? apply_corrections(&session) : run_steps(&session);
    audit_inputs_free(&session.inputs);
    temper_audit_report_free(&session.result.report);
    if (session.whole != session.data)
        temper_data_free(session.whole);
    temper_data_free(session.data);
    return status;
}
