/* cmd_eval: temper eval. Measures a model on labelled rows and reports accuracy, losses and confusion matrix.
 *
 * Rows are read and evaluated batch by batch, and only sums are kept, so that a file may be larger than the memory. The
 * confusion matrix is printed where it fits the width of a terminal, and otherwise the pairs of classes that are
 * confused most. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apply_model.h"
#include "json_csv.h"
#include "message.h"
#include "number_format.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* What the report is made from. */
struct eval_result {
    const temper_model *model; /* borrowed; source of the class names and the loss */
    temper_evaluation found;   /* metrics and the confusion matrix [given][predicted] */
    size_t dropped;            /* rows with missing values */
    double seconds;            /* reading, predicting and measuring, which overlap */
};

/* ---- The confusion matrix, or for many classes the pairs that are confused most ------------------ */

enum {
    CLASSES_SHOWN = 20, /* a larger matrix is illegible */
    PAIRS_SHOWN = 20,
    NAME_WIDTH = 18,
    HEAD_WIDTH = 7 /* of the name of a column */
};

/* Returns the sum of the weights of the rows that are labelled `given` and predicted as `predicted`. */
static double confused_weight(const struct eval_result *result, size_t given, size_t predicted)
{
    return result->found.confusion[given * result->found.classes + predicted];
}

/* Six significant digits: without row weights these are counts, printed as whole numbers up to 999,999. */
static const char *format_weight(double weight, char out[FORMAT_LENGTH])
{
    snprintf(out, FORMAT_LENGTH, "%.6g", weight);
    return out;
}

/* Prints the name of a class, padded with blanks to |width| columns: on the left if width > 0, on the right if width <
 * 0, as printf does. printf itself would count bytes, which misaligns names with accents. */
static void print_padded(FILE *out, const struct eval_result *result, size_t class_number, int width)
{
    char name[NAME_SHOWN];
    size_t most = (size_t)(width < 0 ? -width : width);
    size_t taken = format_name(temper_model_class_name(result->model, class_number), most, name);
    /* format_name never returns more than `most` columns. */
    int blanks = (int)(most - taken);
    fprintf(out, "%*s%s%*s", width < 0 ? 0 : blanks, "", name, width < 0 ? blanks : 0, "");
}

/* Returns how many columns the widest class name takes, at least 1 and at most `most`. */
static size_t widest_name(const struct eval_result *result, size_t most)
{
    char name[NAME_SHOWN];
    size_t width = 1;
    for (size_t c = 0; c < result->found.classes; c++) {
        size_t taken = format_name(temper_model_class_name(result->model, c), most, name);
        width = taken > width ? taken : width;
    }
    return width;
}

/* Returns the width of all columns of the matrix: enough for every number and for the class names above them. */
static size_t column_width(const struct eval_result *result)
{
    char text[FORMAT_LENGTH];
    /* Head and numbers of all columns have the same width, so that the matrix is regular. */
    size_t classes = result->found.classes, width = widest_name(result, HEAD_WIDTH);
    for (size_t i = 0; i < classes * classes; i++) {
        size_t length = strlen(format_weight(result->found.confusion[i], text));
        width = length > width ? length : width;
    }
    return width;
}

/* Prints the confusion matrix. Zeros are dots, so that the cells with errors are visible at once. */
static void print_matrix(FILE *out, const struct eval_result *result)
{
    char text[FORMAT_LENGTH];
    size_t classes = result->found.classes;
    /* Names at the left may be longer than those above the columns. */
    int width = (int)column_width(result), names = (int)widest_name(result, NAME_WIDTH);
    fputs("\nGiven (lines) and predicted (columns):\n", out);
    fprintf(out, "  %*s", names, "");
    /* The head: predicted classes. */
    for (size_t c = 0; c < classes; c++) {
        fputs("  ", out);
        print_padded(out, result, c, width);
    }
    fputc('\n', out);
    /* One line for each given class; its correct predictions are on the diagonal. */
    for (size_t given = 0; given < classes; given++) {
        fputs("  ", out);
        print_padded(out, result, given, -names);
        for (size_t predicted = 0; predicted < classes; predicted++) {
            double weight = confused_weight(result, given, predicted);
            fprintf(out, "  %*s", width, weight == 0 ? "." : format_weight(weight, text));
        }
        fputc('\n', out);
    }
}

/* One off-diagonal cell of the confusion matrix. */
struct confused_pair {
    size_t given, predicted;
    double weight;
};

/* Inserts a pair into the list of the PAIRS_SHOWN largest, in descending order, and returns the new length. Ties keep
 * the order of the classes, so that the output does not depend on anything else. */
static size_t insert_pair(struct confused_pair pairs[PAIRS_SHOWN], size_t count, struct confused_pair pair)
{
    /* Strictly smaller pairs move down, so an equal pair that came earlier stays in front. */
    size_t at = count;
    while (at > 0 && pairs[at - 1].weight < pair.weight)
        at--;
    if (at == PAIRS_SHOWN)
        return count;
    /* A full list loses its last pair. */
    size_t kept = count < PAIRS_SHOWN ? count : PAIRS_SHOWN - 1;
    memmove(&pairs[at + 1], &pairs[at], (kept - at) * sizeof *pairs);
    pairs[at] = pair;
    return kept + 1;
}

/* Collects the off-diagonal cells with the largest weights and returns how many there are. Insertion into a short list
 * is linear in the number of cells, without a sorted copy of the C x C matrix. */
static size_t find_pairs(const struct eval_result *result, struct confused_pair pairs[PAIRS_SHOWN])
{
    size_t classes = result->found.classes, count = 0;
    for (size_t given = 0; given < classes; given++)
        for (size_t predicted = 0; predicted < classes; predicted++) {
            struct confused_pair pair = {given, predicted, confused_weight(result, given, predicted)};
            /* The diagonal has the correct predictions; cells of 0 are not confusions. */
            if (given != predicted && pair.weight > 0)
                count = insert_pair(pairs, count, pair);
        }
    return count;
}

/* Returns the sum of the weights of the rows with this label, the denominator of the share of confused rows. */
static double class_weight(const struct eval_result *result, size_t given)
{
    double sum = 0;
    for (size_t predicted = 0; predicted < result->found.classes; predicted++)
        sum += confused_weight(result, given, predicted);
    return sum;
}

/* Prints the pairs of classes that are confused most, where a matrix would be too wide for a terminal. */
static void print_pairs(FILE *out, const struct eval_result *result)
{
    char text[FORMAT_LENGTH], percent[FORMAT_LENGTH];
    struct confused_pair pairs[PAIRS_SHOWN];
    size_t count = find_pairs(result, pairs);
    int names = (int)widest_name(result, NAME_WIDTH);
    /* The column is at least as wide as its title. */
    names = names < (int)strlen("predicted") ? (int)strlen("predicted") : names;
    /* A model without any error is worth a sentence. */
    fputs(count ? "\nConfused most; --json has all:\n" : "\nNothing is confused.\n", out);
    if (count)
        fprintf(out, "  %*s  %*s  %10s  of the given\n", -names, "given", -names, "predicted", "rows");
    for (size_t i = 0; i < count; i++) {
        fputs("  ", out);
        print_padded(out, result, pairs[i].given, -names);
        fputs("  ", out);
        print_padded(out, result, pairs[i].predicted, -names);
        /* The denominator is positive, since this pair itself contributes to it. */
        double share = pairs[i].weight / class_weight(result, pairs[i].given);
        fprintf(out, "  %10s  %s\n", format_weight(pairs[i].weight, text), format_percent(share, percent));
    }
}

/* ---- The report ------------------------------------------------------------------------------ */

/* Prints a metric that needs calibrated probabilities; NAN where the model has none (hinge, t1 = 0). */
static void print_score(FILE *out, const char *name, double score)
{
    print_title(out, name);
    if (isnan(score))
        fputs("none: the model has no calibrated probabilities\n", out);
    else
        fprintf(out, "%.6g\n", score);
}

/* The report without --json: one metric for each line, then the confusion matrix or the list of pairs. */
static void print_table(FILE *out, const struct eval_result *result)
{
    char text[FORMAT_LENGTH];
    const temper_evaluation *found = &result->found;
    print_title(out, "rows");
    fputs(format_count(found->rows, text), out);
    print_dropped(out, result->dropped);
    fputc('\n', out);
    /* Rows with a class that the model has never seen have no column in the confusion matrix and no log loss. */
    if (found->unknown > 0) {
        print_title(out, "unknown classes");
        fprintf(out, "%s of these rows: counted as errors, and excluded from everything but the accuracy\n",
                format_count(found->unknown, text));
    }
    print_title(out, "accuracy");
    fprintf(out, "%s\n", format_percent(found->accuracy, text));
    /* The mean of the recalls of the classes, which large classes do not dominate. */
    print_title(out, "balanced accuracy");
    fprintf(out, "%s\n", format_percent(found->balanced_accuracy, text));
    /* The loss that the model was trained with, followed by scores that are comparable between losses. */
    print_title(out, "loss");
    fprintf(out, "%.6g  (", found->loss);
    print_loss(out, temper_model_loss(result->model));
    fputs(")\n", out);
    print_score(out, "log loss", found->log_loss);
    print_score(out, "Brier score", found->brier);
    print_score(out, "calibration error", found->ece);
    /* The form depends on the number of classes only, so that reports of the same data always look alike. */
    if (found->classes <= CLASSES_SHOWN)
        print_matrix(out, result);
    else
        print_pairs(out, result);
}

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

/* Released names of members never change; NAN becomes null. */
static void print_json(FILE *out, const struct eval_result *result)
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
    json_number_field(out, "seconds", result->seconds);
    fputs("\n}\n", out);
}

/* The table, or JSON with --json, on the standard output. */
static temper_status print_report(const struct arguments *arguments, const struct eval_result *result)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    (was_given(arguments, OPT_JSON) ? print_json : print_table)(buffer.stream, result);
    return output_print(&buffer);
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Adds the rows of one batch to the metrics. An unlabelled file is noticed at its first batch. */
static temper_status add_batch(const struct arguments *arguments, temper_evaluator *evaluator, const temper_data *batch)
{
    temper_error error;
    temper_status status = TEMPER_OK;
    if (temper_data_rows(batch) > 0 && temper_data_classes(batch) == 0)
        status = fail(TEMPER_BAD_DATA,
                      "%s: eval needs labels, and the data has none; name their column by --label or their file by "
                      "--labels",
                      arguments->operand[0]);
    TRY(process_group_agree(status)); /* other processes may have no rows in this batch */
    return checked(temper_evaluator_add(evaluator, batch, threads_of(arguments), &error), &error);
}

/* Evaluates the whole file batch by batch; only sums are kept, so memory does not grow with the rows. */
static temper_status add_batches(struct model_application *application, temper_evaluator *evaluator)
{
    temper_data *batch;
    for (;;) {
        TRY(application_next(application, &batch));
        if (!batch)
            return TEMPER_OK;
        temper_status status = add_batch(application->arguments, evaluator, batch);
        temper_data_free(batch);
        TRY(status);
    }
}

/* Computes all metrics, then prints them. temper_evaluator_finish releases the evaluator in both cases. */
static temper_status evaluate(struct model_application *application)
{
    struct eval_result result = {.model = application->model};
    temper_evaluator *evaluator;
    temper_error error;
    /* The evaluator keeps sums only: confusion matrix, losses and the bins of the calibration error. */
    TRY(checked(temper_evaluator_new(application->model, &evaluator, &error), &error));
    temper_status status = add_batches(application, evaluator);
    if (status != TEMPER_OK) {
        temper_evaluator_finish(evaluator, NULL, &error); /* frees it */
        return status;
    }
    TRY(checked(temper_evaluator_finish(evaluator, &result.found, &error), &error));
    /* Known only after the last batch. */
    result.dropped = temper_batch_reader_dropped_rows(application->reader);
    result.seconds = seconds_now() - application->start;
    /* The report borrows the matrix, which is freed after it. */
    status = print_report(application->arguments, &result);
    temper_evaluation_free(&result.found);
    return status;
}

/* application_end also after a failed begin: it frees whatever was opened. */
temper_status cmd_eval(const struct arguments *arguments)
{
    struct model_application application;
    temper_status status = application_begin(&application, arguments, true);
    if (status == TEMPER_OK)
        status = evaluate(&application);
    application_end(&application);
    return status;
}
