/* tune_report: the choice, the candidates next to it, and all of them as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "json.h"
#include "tuning.h"

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
    fputs(figure_count(temper_data_rows_of_all(tuning->data), count), out);
    figure_dropped(out, temper_data_dropped(tuning->data));
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
    const temper_candidate *candidate = &report->table[number];
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

static bool comes_first(const temper_candidate *a, const temper_candidate *b)
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
    const temper_candidate *best = &report->table[report->best];
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

static void setting_members(FILE *out, const temper_candidate *candidate)
{
    fprintf(out, "\"loss\": \"%s\"", temper_method_name(candidate->loss.method));
    bool hinge = candidate->loss.method == TEMPER_HINGE;
    number_member(out, "t1", hinge ? (double)NAN : candidate->loss.t1);
    number_member(out, "t2", hinge ? (double)NAN : candidate->loss.t2);
    number_member(out, "l2", candidate->l2);
}

static void candidate_object(FILE *out, const temper_candidate *candidate)
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
    for (size_t i = 0; i < TEMPER_BANDS; i++) {
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
            temper_data_rows_of_all(tuning->data), temper_data_dropped(tuning->data),
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
