/* cmd_eval: measures a model on labelled rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apply_model.h"
#include "json.h"
#include "message.h"
#include "number_format.h"
#include "options/data_options.h"
#include "output_paths.h"
#include "process_group.h"

struct evaluation {
    const temper_model *model;
    temper_evaluation found;
    unsigned long long dropped; /* rows with missing values */
    double seconds;
};

/* ---- The confusion matrix ----------------------------------------------------------------------- */

enum {
    CLASSES_SHOWN = 20, /* more make a table that nobody can read */
    PAIRS_SHOWN = 20,
    NAME_WIDTH = 18,
    HEAD_WIDTH = 7 /* of the name of a column */
};

static double cell(const struct evaluation *evaluation, size_t given, size_t said)
{
    return evaluation->found.confusion[given * evaluation->found.classes + said];
}

/* Sums of weights are whole numbers where there are no weights. */
static const char *amount(double weight, char out[FIGURE_LENGTH])
{
    snprintf(out, FIGURE_LENGTH, "%.6g", weight);
    return out;
}

/* Cuts it to the width and fills up with blanks, on the left for a column of numbers. */
static void padded_name(FILE *out, const struct evaluation *evaluation, size_t number, int width)
{
    char name[NAME_SHOWN];
    size_t most = (size_t)(width < 0 ? -width : width);
    size_t taken = figure_name(temper_model_class_name(evaluation->model, number), most, name);
    int blanks = (int)(most - taken);
    fprintf(out, "%*s%s%*s", width < 0 ? 0 : blanks, "", name, width < 0 ? blanks : 0, "");
}

/* ---- The table ------------------------------------------------------------------------------- */

static size_t widest_name(const struct evaluation *evaluation, size_t most)
{
    char name[NAME_SHOWN];
    size_t width = 1;
    for (size_t c = 0; c < evaluation->found.classes; c++) {
        size_t taken = figure_name(temper_model_class_name(evaluation->model, c), most, name);
        width = taken > width ? taken : width;
    }
    return width;
}

static size_t column_width(const struct evaluation *evaluation)
{
    char text[FIGURE_LENGTH];
    size_t classes = evaluation->found.classes, width = widest_name(evaluation, HEAD_WIDTH);
    for (size_t i = 0; i < classes * classes; i++) {
        size_t length = strlen(amount(evaluation->found.confusion[i], text));
        width = length > width ? length : width;
    }
    return width;
}

/* A dot for nothing: what there is stands out. */
static void table_row(FILE *out, const struct evaluation *evaluation, size_t given, int width)
{
    char text[FIGURE_LENGTH];
    for (size_t said = 0; said < evaluation->found.classes; said++) {
        double weight = cell(evaluation, given, said);
        fprintf(out, "  %*s", width, weight == 0 ? "." : amount(weight, text));
    }
    fputc('\n', out);
}

static void whole_table(FILE *out, const struct evaluation *evaluation)
{
    int width = (int)column_width(evaluation), names = (int)widest_name(evaluation, NAME_WIDTH);
    fputs("\nGiven (lines) and predicted (columns):\n", out);
    fprintf(out, "  %*s", names, "");
    for (size_t c = 0; c < evaluation->found.classes; c++) {
        fputs("  ", out);
        padded_name(out, evaluation, c, width);
    }
    fputc('\n', out);
    for (size_t c = 0; c < evaluation->found.classes; c++) {
        fputs("  ", out);
        padded_name(out, evaluation, c, -names);
        table_row(out, evaluation, c, width);
    }
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

struct pair {
    size_t given, said;
    double weight;
};

/* Keeps the largest in order; equal ones stay in the order of the classes. */
static size_t insert(struct pair pairs[PAIRS_SHOWN], size_t count, struct pair pair)
{
    size_t at = count;
    while (at > 0 && pairs[at - 1].weight < pair.weight)
        at--;
    if (at == PAIRS_SHOWN)
        return count;
    size_t kept = count < PAIRS_SHOWN ? count : PAIRS_SHOWN - 1;
    memmove(&pairs[at + 1], &pairs[at], (kept - at) * sizeof *pairs);
    pairs[at] = pair;
    return kept + 1;
}

static size_t find_pairs(const struct evaluation *evaluation, struct pair pairs[PAIRS_SHOWN])
{
    size_t classes = evaluation->found.classes, count = 0;
    for (size_t given = 0; given < classes; given++)
        for (size_t said = 0; said < classes; said++) {
            struct pair pair = {given, said, cell(evaluation, given, said)};
            if (given != said && pair.weight > 0)
                count = insert(pairs, count, pair);
        }
    return count;
}

static double given_weight(const struct evaluation *evaluation, size_t given)
{
    double sum = 0;
    for (size_t said = 0; said < evaluation->found.classes; said++)
        sum += cell(evaluation, given, said);
    return sum;
}

static void confused_pairs(FILE *out, const struct evaluation *evaluation)
{
    char text[FIGURE_LENGTH], percent[FIGURE_LENGTH];
    struct pair pairs[PAIRS_SHOWN];
    size_t count = find_pairs(evaluation, pairs);
    int names = (int)widest_name(evaluation, NAME_WIDTH);
    names = names < (int)strlen("predicted") ? (int)strlen("predicted") : names;
    fputs(count ? "\nConfused most; --json has all:\n" : "\nNothing is confused.\n", out);
    if (count)
        fprintf(out, "  %*s  %*s  %10s  of the given\n", -names, "given", -names, "predicted", "rows");
    for (size_t i = 0; i < count; i++) {
        fputs("  ", out);
        padded_name(out, evaluation, pairs[i].given, -names);
        fputs("  ", out);
        padded_name(out, evaluation, pairs[i].said, -names);
        double share = pairs[i].weight / given_weight(evaluation, pairs[i].given);
        fprintf(out, "  %10s  %s\n", amount(pairs[i].weight, text), figure_percent(share, percent));
    }
}

static void confusion_table(FILE *out, const struct evaluation *evaluation)
{
    if (evaluation->found.classes <= CLASSES_SHOWN)
        whole_table(out, evaluation);
    else
        confused_pairs(out, evaluation);
}

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

static void evaluation_table(FILE *out, const struct evaluation *evaluation)
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

static void evaluation_json(FILE *out, const struct evaluation *evaluation)
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

static temper_status add_batch(const struct arguments *arguments, temper_evaluator *evaluator, const temper_data *batch)
{
    temper_error error;
    temper_status status = TEMPER_OK;
    if (temper_data_rows(batch) > 0 && temper_data_classes(batch) == 0)
        status = complain(TEMPER_BAD_DATA,
                          "%s: eval needs labels, and the data has none; name their "
                          "column by --label or their file by --labels",
                          arguments->operand[0]);
    status = process_group_agree(status); /* other processes may have no rows in this batch */
    if (status != TEMPER_OK)
        return status;
    if (temper_evaluator_add(evaluator, batch, threads_of(arguments), &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

static temper_status add_all(struct application *application, temper_evaluator *evaluator)
{
    temper_data *batch;
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK) {
        status = application_next(application, &batch);
        if (status != TEMPER_OK || !batch)
            break;
        status = add_batch(application->arguments, evaluator, batch);
        temper_data_free(batch);
    }
    return status;
}

static temper_status show(const struct arguments *arguments, const struct evaluation *evaluation)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(arguments, OPT_JSON))
        evaluation_json(page.stream, evaluation);
    else
        evaluation_table(page.stream, evaluation);
    return page_print(&page);
}

static temper_status evaluate(struct application *application)
{
    struct evaluation evaluation = {.model = application->model};
    temper_evaluator *evaluator;
    temper_error error;
    if (temper_evaluator_new(application->model, &evaluator, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = add_all(application, evaluator);
    if (status != TEMPER_OK) {
        temper_evaluator_finish(evaluator, NULL, &error); /* only to free it */
        return status;
    }
    if (temper_evaluator_finish(evaluator, &evaluation.found, &error) != TEMPER_OK)
        return complain_error(&error);
    evaluation.dropped = temper_batch_reader_dropped_rows(application->stream);
    evaluation.seconds = seconds_now() - application->start;
    status = show(application->arguments, &evaluation);
    temper_evaluation_free(&evaluation.found);
    return status;
}

temper_status cmd_eval(const struct arguments *arguments)
{
    struct application application;
    temper_status status = application_begin(&application, arguments);
    if (status == TEMPER_OK)
        status = evaluate(&application);
    application_end(&application);
    return status;
}
