/* eval_report: prints an evaluation: one metric for each line, the figures of the classes, the confusion matrix or the
 * pairs of classes that are confused most, and thresholds. Names of classes are never shortened: they are what the
 * reader looks for. */
#include "eval/eval_report.h"

#include <math.h>
#include <string.h>

#include "base/display/display_width.h"
#include "json_csv.h"
#include "number_format.h"
#include "temper_extra.h"

enum {
    CLASSES_SHOWN = 20, /* larger tables are illegible */
    PAIRS_SHOWN = 20,
    MATRIX_WIDTH = 100 /* columns of a terminal; beyond, numbers replace the names above the columns */
};

static const char *class_name(const struct eval_result *result, size_t c)
{
    return temper_model_class_name(result->model, c);
}

/* Returns how many columns the widest class name takes, at least `least`. */
static size_t widest_name(const struct eval_result *result, size_t least)
{
    for (size_t c = 0; c < result->found.classes; c++) {
        size_t taken = display_width(class_name(result, c));
        least = taken > least ? taken : least;
    }
    return least;
}

/* Six significant digits: without row weights these are counts, printed as whole numbers up to 999,999. */
static const char *format_weight(double weight, char out[FORMAT_LENGTH])
{
    snprintf(out, FORMAT_LENGTH, "%.6g", weight);
    return out;
}

/* ---- The confusion matrix, or for many classes the pairs that are confused most ------------------ */

/* Returns the sum of the weights of the rows that are labelled `given` and predicted as `predicted`. */
static double confused_weight(const struct eval_result *result, size_t given, size_t predicted)
{
    return result->found.confusion[given * result->found.classes + predicted];
}

/* The layout of the matrix. */
struct matrix_layout {
    size_t names;  /* width of the names at the left */
    size_t digits; /* width of the number before each name; 0: the names themselves are above the columns */
    size_t width;  /* of all columns: enough for every number and head */
};

/* Decides between names and numbers above the columns, by the width of the whole. */
static struct matrix_layout lay_out(const struct eval_result *result)
{
    char text[FORMAT_LENGTH];
    size_t classes = result->found.classes, numbers = 1;
    struct matrix_layout layout = {.names = widest_name(result, 1)};
    for (size_t i = 0; i < classes * classes; i++) {
        size_t length = strlen(format_weight(result->found.confusion[i], text));
        numbers = length > numbers ? length : numbers;
    }
    layout.width = layout.names > numbers ? layout.names : numbers;
    if (2 + layout.names + classes * (2 + layout.width) > MATRIX_WIDTH) {
        layout.digits = classes < 10 ? 1 : 2; /* CLASSES_SHOWN is below 100 */
        layout.width = layout.digits > numbers ? layout.digits : numbers;
    }
    return layout;
}

/* Prints the head of the matrix: predicted classes. */
static void print_matrix_head(FILE *out, const struct eval_result *result, struct matrix_layout layout)
{
    fprintf(out, "  %*s", (int)(layout.names + layout.digits + (layout.digits > 0)), "");
    for (size_t c = 0; c < result->found.classes; c++) {
        fputs("  ", out);
        if (layout.digits)
            fprintf(out, "%*zu", (int)layout.width, c + 1);
        else
            print_whole_name(out, class_name(result, c), (int)layout.width);
    }
    fputc('\n', out);
}

/* Prints the confusion matrix. Zeros are dots, so that the cells with errors are visible at once. */
static void print_matrix(FILE *out, const struct eval_result *result)
{
    char text[FORMAT_LENGTH];
    size_t classes = result->found.classes;
    struct matrix_layout layout = lay_out(result);
    fprintf(out, "\nGiven (lines) and predicted (columns%s):\n", layout.digits ? ", by number" : "");
    print_matrix_head(out, result, layout);
    /* One line for each given class; its correct predictions are on the diagonal. */
    for (size_t given = 0; given < classes; given++) {
        fputs("  ", out);
        if (layout.digits)
            fprintf(out, "%*zu ", (int)layout.digits, given + 1);
        print_whole_name(out, class_name(result, given), -(int)layout.names);
        for (size_t predicted = 0; predicted < classes; predicted++) {
            double weight = confused_weight(result, given, predicted);
            fprintf(out, "  %*s", (int)layout.width, weight == 0 ? "." : format_weight(weight, text));
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

/* Prints the pairs of classes that are confused most, where a matrix would be too wide for a terminal. */
static void print_pairs(FILE *out, const struct eval_result *result)
{
    char text[FORMAT_LENGTH], percent[FORMAT_LENGTH];
    struct confused_pair pairs[PAIRS_SHOWN];
    size_t count = find_pairs(result, pairs);
    /* The column is at least as wide as its title. */
    int names = (int)widest_name(result, strlen("predicted"));
    /* A model without any error is worth a sentence. */
    fputs(count ? "\nConfused most; --json has all:\n" : "\nNothing is confused.\n", out);
    if (count)
        fprintf(out, "  %*s  %*s  %10s  of the given\n", -names, "given", -names, "predicted", "rows");
    for (size_t i = 0; i < count; i++) {
        fputs("  ", out);
        print_whole_name(out, class_name(result, pairs[i].given), -names);
        fputs("  ", out);
        print_whole_name(out, class_name(result, pairs[i].predicted), -names);
        /* The denominator is positive, since this pair itself contributes to it. */
        double share = pairs[i].weight / result->found.quality[pairs[i].given].weight;
        fprintf(out, "  %10s  %s\n", format_weight(pairs[i].weight, text), format_percent(share, percent));
    }
}

/* ---- The figures of the classes, and thresholds -------------------------------------------------- */

/* Prints one figure of four decimals; what is undefined is "-". */
static void print_figure(FILE *out, int width, double figure)
{
    if (isnan(figure))
        fprintf(out, "  %*s", width, "-");
    else
        fprintf(out, "  %*.4f", width, figure);
}

/* Prints a line of the table of classes, after the name. */
static void print_quality(FILE *out, const temper_class_quality *quality)
{
    char text[FORMAT_LENGTH];
    fprintf(out, "  %8s", format_weight(quality->weight, text));
    print_figure(out, 9, quality->precision);
    print_figure(out, 6, quality->recall);
    print_figure(out, 6, quality->f1);
    print_figure(out, 6, quality->auc);
    print_figure(out, 9, quality->average_precision);
    fputc('\n', out);
}

/* Whether a figure of a class is undefined. */
static bool has_undefined(const temper_class_quality *quality)
{
    return isnan(quality->precision) || isnan(quality->recall) || isnan(quality->f1) || isnan(quality->auc) ||
           isnan(quality->average_precision);
}

/* Prints the figures of each class, unless there are many, and their means. */
static void print_classes(FILE *out, const struct eval_result *result)
{
    static const char *const mean[] = {"mean of classes", "mean by rows"};
    const temper_evaluation *found = &result->found;
    bool each = found->classes <= CLASSES_SHOWN, undefined = false;
    int names = (int)widest_name(result, strlen(mean[0]));
    if (!each)
        names = (int)strlen(mean[0]);
    fprintf(out, "\nEach class against all others%s:\n", each ? "" : "; --json has all");
    fprintf(out, "  %*s  %8s  precision  recall      F1     AUC  avg.prec.\n", names, "", "rows");
    for (size_t c = 0; c < found->classes; c++) {
        undefined = undefined || has_undefined(&found->quality[c]);
        if (!each)
            continue;
        fputs("  ", out);
        print_whole_name(out, class_name(result, c), -names);
        print_quality(out, &found->quality[c]);
    }
    fprintf(out, "  %-*s", names, mean[0]);
    print_quality(out, &found->macro);
    fprintf(out, "  %-*s", names, mean[1]);
    print_quality(out, &found->weighted);
    if (undefined)
        fputs("  - is undefined: no row has the label, or none is predicted as it; means are of the others\n", out);
    if (found->grouped)
        fputs("  AUC and average precision are of probabilities in narrow steps, as the rows are many\n", out);
}

/* Prints one line of the table of thresholds. */
static void print_threshold(FILE *out, const temper_threshold *line, const char *end)
{
    char text[FORMAT_LENGTH];
    fprintf(out, "  %9.4g", line->threshold);
    print_figure(out, 9, line->precision);
    print_figure(out, 6, line->recall);
    print_figure(out, 6, line->f1);
    fprintf(out, "  %9s%s\n", format_percent(line->flagged, text), end);
}

/* Prints what different thresholds of the probability of one of two classes would do. */
static void print_thresholds(FILE *out, const struct eval_result *result)
{
    const temper_threshold *line = eval_thresholds(result);
    if (!line)
        return;
    fputs("\nTaken for ", out);
    print_whole_name(out, class_name(result, result->positive), 0);
    fputs(" from a probability on:\n  threshold  precision  recall      F1    flagged\n", out);
    for (size_t i = 0; i < TEMPER_THRESHOLDS; i++)
        print_threshold(out, &line[i], "");
    if (!isnan(line[TEMPER_THRESHOLDS].f1))
        print_threshold(out, &line[TEMPER_THRESHOLDS], "  largest F1 on these rows");
}

/* ---- The whole ------------------------------------------------------------------------------- */

const temper_threshold *eval_thresholds(const struct eval_result *result)
{
    const temper_threshold *all = result->found.thresholds;
    return all ? all + result->positive * (TEMPER_THRESHOLDS + 1) : NULL;
}

/* Prints a metric that needs calibrated probabilities; NAN where the model has none (hinge, t1 = 0). */
static void print_score(FILE *out, const char *name, double score)
{
    print_title(out, name);
    if (isnan(score))
        fputs("none: the model has no calibrated probabilities\n", out);
    else
        fprintf(out, "%.6g\n", score);
}

/* Metrics of all rows first, then tables. */
void eval_print_table(FILE *out, const struct eval_result *result)
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
    print_classes(out, result);
    /* The form depends on the number of classes only, so that reports of the same data always look alike. */
    if (found->classes <= CLASSES_SHOWN)
        print_matrix(out, result);
    else
        print_pairs(out, result);
    print_thresholds(out, result);
}
