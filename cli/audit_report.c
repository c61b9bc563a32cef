/* audit_report: the list of suspects as a table, as CSV and as JSON. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "auditing.h"
#include "csv.h"
#include "figure.h"
#include "json.h"

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
    figure_dropped(out, temper_data_dropped(auditing->data));
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

static void suspect_place(FILE *out, const struct auditing *auditing, const temper_suspect *suspect)
{
    if (suspect->line)
        fprintf(out, "%s:%llu", auditing->data_path, suspect->line);
    else
        fprintf(out, "row %llu", suspect->file_row + 1);
}

static void suspect_line(FILE *out, const struct auditing *auditing, const temper_suspect *suspect)
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

void audit_table(FILE *out, const struct auditing *auditing)
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

static void suspect_object(FILE *out, const struct auditing *auditing, const temper_suspect *suspect)
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

void audit_json(FILE *out, const struct auditing *auditing)
{
    for (unsigned long long i = 0; i < auditing->listed; i++)
        suspect_object(out, auditing, &auditing->report.suspects[i]);
}

/* What is not known stays empty. */
static void number_cell(FILE *out, double number)
{
    char text[TEMPER_NUMBER_LENGTH];
    temper_number_text(number, text);
    fprintf(out, ",%s", isnan(number) ? "" : text);
}

void audit_csv(FILE *out, const struct auditing *auditing)
{
    fputs("row,line,given,suggested,score,probability,margin,distance,importance,conflict,low,high\n", out);
    for (unsigned long long i = 0; i < auditing->listed; i++) {
        const temper_suspect *suspect = &auditing->report.suspects[i];
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
