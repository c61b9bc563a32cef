/* eval_json: an evaluation as one JSON object. Released names of members never change; NAN becomes null. */
#include "eval/eval_report.h"
#include "json_csv.h"
#include "temper_extra.h"

/* The rows of the confusion matrix, one array for each given class. */
static void json_confusion(FILE *out, const temper_evaluation *found)
{
    for (size_t given = 0; given < found->classes; given++) {
        fputs(given ? ",\n    [" : "\n    [", out);
        for (size_t predicted = 0; predicted < found->classes; predicted++) {
            fputs(predicted ? ", " : "", out);
            json_number(out, found->confusion[given * found->classes + predicted]);
        }
        fputc(']', out);
    }
}

/* The figures of a class, or their means, as members of an object that has begun. */
static void json_quality(FILE *out, const temper_class_quality *quality)
{
    json_number_member(out, "predicted", quality->predicted);
    json_number_member(out, "precision", quality->precision);
    json_number_member(out, "recall", quality->recall);
    json_number_member(out, "f1", quality->f1);
    json_number_member(out, "auc", quality->auc);
    json_number_member(out, "average_precision", quality->average_precision);
    fputc('}', out);
}

/* The figures of the classes in their order, then the means over those for which a figure is defined. */
static void json_classes(FILE *out, const struct eval_result *result)
{
    const temper_evaluation *found = &result->found;
    fputs(",\n  \"each_class\": [", out);
    for (size_t c = 0; c < found->classes; c++) {
        fputs(c ? ",\n    {\"class\": " : "\n    {\"class\": ", out);
        json_text(out, temper_model_class_name(result->model, c));
        json_number_member(out, "weight", found->quality[c].weight);
        json_quality(out, &found->quality[c]);
    }
    fputs("\n  ],\n  \"macro\": {\"weight\": ", out);
    json_number(out, found->macro.weight);
    json_quality(out, &found->macro);
    fputs(",\n  \"weighted\": {\"weight\": ", out);
    json_number(out, found->weighted.weight);
    json_quality(out, &found->weighted);
    json_bool_field(out, "grouped", found->grouped);
}

/* One threshold, as an object. */
static void json_threshold(FILE *out, const temper_threshold *line)
{
    fputs("{\"threshold\": ", out);
    json_number(out, line->threshold);
    json_number_member(out, "precision", line->precision);
    json_number_member(out, "recall", line->recall);
    json_number_member(out, "f1", line->f1);
    json_number_member(out, "flagged", line->flagged);
    fputc('}', out);
}

/* The members positive, thresholds and best_f1; null with more than two classes, or without probabilities. */
static void json_thresholds(FILE *out, const struct eval_result *result)
{
    const temper_threshold *line = eval_thresholds(result);
    json_text_field(out, "positive", line ? temper_model_class_name(result->model, result->positive) : NULL);
    if (!line) {
        fputs(",\n  \"thresholds\": null,\n  \"best_f1\": null", out);
        return;
    }
    fputs(",\n  \"thresholds\": [", out);
    for (size_t i = 0; i < TEMPER_THRESHOLDS; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        json_threshold(out, &line[i]);
    }
    fputs("\n  ],\n  \"best_f1\": ", out);
    json_threshold(out, &line[TEMPER_THRESHOLDS]);
}

void eval_print_json(FILE *out, const struct eval_result *result)
{
    const temper_evaluation *found = &result->found;
    fprintf(out, "{\n  \"rows\": %zu", found->rows);
    json_count_field(out, "dropped_rows", result->dropped);
    json_count_field(out, "unknown", found->unknown);
    json_number_field(out, "weight", found->weight);
    json_number_field(out, "accuracy", found->accuracy);
    json_number_field(out, "balanced_accuracy", found->balanced_accuracy);
    json_number_field(out, "loss", found->loss);
    json_number_field(out, "log_loss", found->log_loss);
    json_number_field(out, "brier", found->brier);
    json_number_field(out, "ece", found->ece);
    /* The order of the rows and columns of "confusion". */
    fputs(",\n  \"classes\": [", out);
    for (size_t c = 0; c < found->classes; c++) {
        fputs(c ? ", " : "", out);
        json_text(out, temper_model_class_name(result->model, c));
    }
    fputs("],\n  \"confusion\": [", out);
    json_confusion(out, found);
    fputs("\n  ]", out);
    json_classes(out, result);
    json_thresholds(out, result);
    json_number_field(out, "seconds", result->seconds);
    fputs("\n}\n", out);
}
