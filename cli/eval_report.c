/* eval_report: how good a model is, for people and for programs. */
#include <math.h>

#include "evaluation.h"
#include "figure.h"
#include "json.h"

/* ---- For people ------------------------------------------------------------------------------ */

static void rows_lines(FILE *out, const struct evaluation *evaluation)
{
    const temper_evaluation *found = &evaluation->found;
    char count[FIGURE_LENGTH];
    figure_title(out, "rows");
    fputs(figure_count(found->rows, count), out);
    figure_dropped(out, evaluation->dropped);
    fputc('\n', out);
    if (found->unknown == 0)
        return;
    figure_title(out, "unknown classes");
    fprintf(out, "%s of these rows: counted as mistakes, and left out of all but the accuracy\n",
            figure_count(found->unknown, count));
}

static void score_line(FILE *out, const char *name, double score)
{
    figure_title(out, name);
    if (isnan(score))
        fputs("none: the model has no calibrated probabilities\n", out);
    else
        fprintf(out, "%.6g\n", score);
}

void evaluation_table(FILE *out, const struct evaluation *evaluation)
{
    char percent[FIGURE_LENGTH];
    const temper_evaluation *found = &evaluation->found;
    rows_lines(out, evaluation);
    figure_title(out, "accuracy");
    fprintf(out, "%s\n", figure_percent(found->accuracy, percent));
    figure_title(out, "balanced accuracy");
    fprintf(out, "%s\n", figure_percent(found->balanced_accuracy, percent));
    figure_title(out, "loss");
    fprintf(out, "%.6g  (", found->loss);
    figure_loss(out, temper_model_loss(evaluation->model));
    fputs(")\n", out);
    score_line(out, "log loss", found->log_loss);
    score_line(out, "Brier score", found->brier);
    score_line(out, "calibration error", found->ece);
    confusion_table(out, evaluation);
}

/* ---- For programs: names stay as they are once released ------------------------------------- */

static void class_names(FILE *out, const struct evaluation *evaluation)
{
    for (size_t c = 0; c < evaluation->found.classes; c++) {
        fputs(c ? ", " : "", out);
        json_text(out, temper_model_class_name(evaluation->model, c));
    }
}

/* A line for each class that was given. */
static void confusion_rows(FILE *out, const temper_evaluation *found)
{
    for (size_t given = 0; given < found->classes; given++) {
        fputs(given ? ",\n    [" : "\n    [", out);
        for (size_t said = 0; said < found->classes; said++) {
            fputs(said ? ", " : "", out);
            json_number(out, found->confusion[given * found->classes + said]);
        }
        fputc(']', out);
    }
}

void evaluation_json(FILE *out, const struct evaluation *evaluation)
{
    const temper_evaluation *found = &evaluation->found;
    fprintf(out, "{\n  \"rows\": %llu,\n  \"dropped_rows\": %llu,\n  \"unknown\": %llu", found->rows,
            evaluation->dropped, found->unknown);
    json_number_field(out, "weight", found->weight);
    json_number_field(out, "accuracy", found->accuracy);
    json_number_field(out, "balanced_accuracy", found->balanced_accuracy);
    json_number_field(out, "loss", found->loss);
    json_number_field(out, "log_loss", found->log_loss);
    json_number_field(out, "brier", found->brier);
    json_number_field(out, "ece", found->ece);
    fputs(",\n  \"classes\": [", out);
    class_names(out, evaluation);
    fputs("],\n  \"confusion\": [", out);
    confusion_rows(out, found);
    fputs("\n  ]", out);
    json_number_field(out, "seconds", evaluation->seconds);
    fputs("\n}\n", out);
}
