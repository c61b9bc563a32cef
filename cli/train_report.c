/* train_report: what a training did, for people and for programs. */
#include <math.h>
#include <string.h>

#include "figure.h"
#include "json.h"
#include "training.h"

/* ---- For people ------------------------------------------------------------------------------ */

static void size_lines(FILE *out, const struct training *training)
{
    char count[FIGURE_LENGTH];
    figure_title(out, "rows");
    fputs(figure_count(temper_data_rows_of_all(training->data), count), out);
    figure_dropped(out, temper_data_dropped(training->data));
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

void training_table(FILE *out, const struct training *training)
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

void training_json(FILE *out, const struct training *training)
{
    const temper_train_report *report = &training->report;
    fprintf(out,
            "{\n  \"rows\": %llu,\n  \"dropped_rows\": %llu,\n  \"features\": %llu,\n  "
            "\"classes\": %zu",
            temper_data_rows_of_all(training->data), temper_data_dropped(training->data),
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
