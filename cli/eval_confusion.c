/* eval_confusion: the confusion table, or, for many classes, the pairs that are confused most. */
#include <stdio.h>
#include <string.h>

#include "evaluation.h"
#include "figure.h"

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

void confusion_table(FILE *out, const struct evaluation *evaluation)
{
    if (evaluation->found.classes <= CLASSES_SHOWN)
        whole_table(out, evaluation);
    else
        confused_pairs(out, evaluation);
}
