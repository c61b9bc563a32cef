/* annotators_report: prints the consensus and the annotators, as text, JSON and CSV.
 *
 * The text is a summary and two short lists, for two decisions: which annotators to examine, and what to label again.
 * JSON and CSV have all items and annotators, for programs. Numbers that a method does not estimate are NAN in the
 * report; they are a sentence or blanks in the text, null in JSON and an empty cell in CSV. */
#include "annotators_report.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "json_csv.h"
#include "message.h"
#include "number_format.h"

/* The text fits a screen; the files list everything. Widths are in columns of a terminal. */
enum {
    ANNOTATORS_SHOWN = 25,
    ITEMS_SHOWN = 10,
    CLASSES_SHOWN = 6,
    ANNOTATOR_WIDTH = 18,
    ITEM_WIDTH = 24,
    CLASS_WIDTH = 12
};

enum { ITEM_NAME = 32 };

/* The name of an item, or its number, from 1. */
static const char *item_name(const struct annotators_result *result, size_t item, char number[ITEM_NAME])
{
    const char *name = temper_votes_item_name(result->votes, item);
    snprintf(number, ITEM_NAME, "%zu", item + 1);
    return name ? name : number;
}

/* NULL for an item without a label. */
static const char *label_name(const struct annotators_result *result, uint32_t label)
{
    return label == TEMPER_NO_LABEL ? NULL : temper_votes_class_name(result->votes, label);
}

/* What is remarkable about an annotator; "" for nothing. */
static const char *flag_text(unsigned flags)
{
    if (flags & TEMPER_ANNOTATOR_CONSTANT)
        return "constant";
    if (flags & TEMPER_ANNOTATOR_INVERTED)
        return "inverted";
    return flags & TEMPER_ANNOTATOR_RANDOM ? "random" : "";
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* A name, shortened to its column and padded with blanks. The width of a UTF-8 text is not its number of bytes, which
 * is what printf would pad by. */
static void print_name(FILE *out, const char *name, size_t width)
{
    char text[NAME_SHOWN];
    size_t columns = format_name(name, width, text);
    fprintf(out, "%s%*s", text, (int)(width - columns), "");
}

/* How many votes, annotators, items and classes there are. The mean number of votes is that of items with votes: rows
 * of DATA that nobody has labelled would lower it. */
static void print_votes(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    char text[FORMAT_LENGTH], name[NAME_SHOWN];
    size_t votes = temper_votes_count(result->votes), labelled = 0;
    for (size_t i = 0; i < report->items; i++)
        labelled += report->item[i].votes > 0;
    print_title(out, "votes");
    fprintf(out, "%s", format_count(votes, text));
    fprintf(out, " by %s annotators", format_count(report->annotators, text));
    fprintf(out, " on %s items, %.3g each\n", format_count(labelled, text), (double)votes / (double)labelled);
    print_title(out, "classes");
    fprintf(out, "%zu", report->classes);
    for (size_t c = 0; report->classes <= CLASSES_SHOWN && c < report->classes; c++) {
        format_name(temper_votes_class_name(result->votes, c), CLASS_WIDTH, name);
        fprintf(out, "%s%s (%.3g %%)", c ? ", " : ": ", name, 100 * report->shares[c]);
    }
    fputc('\n', out);
}

/* What the consensus assumes: majority has no likelihood; an infinite strength stands for the one-coin model, where an
 * annotator has a single probability of being right; otherwise each has a confusion matrix (Dawid and Skene, 1979) with
 * a prior of so many labels. Then the weight that a model of the features has got, as its exponent. */
static void print_method(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    char text[FORMAT_LENGTH];
    print_title(out, "method");
    fputs(result->method, out);
    if (isnan(report->likelihood))
        fputs(": most votes, all annotators alike\n", out);
    else if (isinf(report->strength))
        fprintf(out, ": one ability for each annotator; %zu iterations\n", report->iterations);
    else
        fprintf(out, ": a matrix for each annotator, with a prior of %.4g labels a class; %zu iterations\n",
                report->strength, report->iterations);
    if (isnan(report->sharpness))
        return;
    print_title(out, "model");
    if (report->rounds)
        fprintf(out, "of %s features, fitted to the consensus in %zu round%s; ", format_count(result->features, text),
                report->rounds, report->rounds == 1 ? "" : "s");
    fprintf(out, "sharpness %.2g, gives %s of the labels\n", report->sharpness,
            format_percent(report->model_agreement, text));
}

/* The mean accuracy is weighted by labels: it is the expected share of right votes. `wrong` sums the probabilities that
 * a consensus is wrong, which are too small where annotators make the same mistakes, hence the condition in the
 * text. */
static void print_quality(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    char text[FORMAT_LENGTH];
    double low = 1, high = 0, sum = 0, labels = 0;
    for (size_t a = 0; a < report->annotators; a++) {
        const temper_annotator_summary *one = &report->annotator[a];
        low = fmin(low, one->accuracy);
        high = fmax(high, one->accuracy);
        sum += one->accuracy * (double)one->labels;
        labels += (double)one->labels;
    }
    print_title(out, "right votes");
    fprintf(out, "about %s", format_percent(sum / labels, text));
    fprintf(out, "; annotators from %s", format_percent(low, text));
    fprintf(out, " to %s\n", format_percent(high, text));
    print_title(out, "wrong consensus");
    if (isnan(report->wrong)) {
        fputs("not estimated by majority\n", out);
    } else {
        fprintf(out, "about %s items", format_count((size_t)llround(report->wrong), text));
        fprintf(out, " (%s), if annotators err independently\n",
                format_percent(report->wrong / (double)report->items, text));
    }
    print_title(out, "seconds");
    fprintf(out, "%.3g to read, %.3g for the consensus\n", result->seconds_read, report->seconds);
}

/* Sort key: flagged annotators first, then those of low accuracy. */
struct annotator_order {
    bool flagged;
    double accuracy;
    size_t annotator;
};

/* Ascending by number where all else is equal, so that the order does not depend on qsort. */
static int by_accuracy(const void *first, const void *second)
{
    const struct annotator_order *a = first, *b = second;
    if (a->flagged != b->flagged)
        return a->flagged ? -1 : 1;
    if (a->accuracy != b->accuracy)
        return a->accuracy < b->accuracy ? -1 : 1;
    return a->annotator < b->annotator ? -1 : a->annotator > b->annotator;
}

/* One line of the list. The most frequent mistake is shown if it is expected to have happened at least 0.5 times: the
 * counts are sums of probabilities. */
static void print_annotator(FILE *out, const struct annotators_result *result, size_t annotator)
{
    const temper_annotator_summary *one = &result->report.annotator[annotator];
    char text[FORMAT_LENGTH], from[NAME_SHOWN], to[NAME_SHOWN];
    print_name(out, temper_votes_annotator_name(result->votes, annotator), ANNOTATOR_WIDTH);
    fprintf(out, " %7s", format_count(one->labels, text));
    fprintf(out, "  %6.1f %%  %5.1f to %5.1f %%", 100 * one->accuracy, 100 * one->low, 100 * one->high);
    if (one->labels)
        fprintf(out, "  %6.1f %%", 100 * one->agreement);
    else
        fprintf(out, "  %8s", "");
    if (one->confused_labels >= 0.5) {
        format_name(temper_votes_class_name(result->votes, one->confused), CLASS_WIDTH, from);
        format_name(temper_votes_class_name(result->votes, one->confused_with), CLASS_WIDTH, to);
        fprintf(out, "  %-8s  %s labelled %s: %.0f\n", flag_text(one->flags), from, to, one->confused_labels);
    } else
        fprintf(out, "%s%s\n", one->flags ? "  " : "", flag_text(one->flags));
}

temper_status annotators_order(struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    result->order = calloc(report->annotators + 1, sizeof *result->order);
    result->rank = calloc(report->items + 1, sizeof *result->rank);
    if (!result->order || !result->rank)
        return fail_no_memory();
    for (size_t a = 0; a < report->annotators; a++)
        result->order[a] = (struct annotator_order){report->annotator[a].flags != 0, report->annotator[a].accuracy, a};
    qsort(result->order, report->annotators, sizeof *result->order, by_accuracy);
    for (size_t i = 0; i < result->again; i++)
        result->rank[report->again[i]] = i + 1;
    return TEMPER_OK;
}

/* The annotators to look at first. */
static void print_annotator_list(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    fprintf(out, "\n%-*s  labels  accuracy  90 %% interval    agreement  remark    most frequent mistake\n",
            ANNOTATOR_WIDTH, "annotator");
    for (size_t i = 0; i < report->annotators && i < ANNOTATORS_SHOWN; i++)
        print_annotator(out, result, result->order[i].annotator);
    if (report->annotators > ANNOTATORS_SHOWN)
        fprintf(out, "... and %zu more of higher accuracy; --annotators FILE lists all\n",
                report->annotators - ANNOTATORS_SHOWN);
}

/* The items that one more vote is expected to help most, in the order of their gain; the first ones on the screen, all
 * of them in the file of -o. */
static void print_again(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    char number[ITEM_NAME], name[NAME_SHOWN];
    if (result->again == 0)
        return;
    fprintf(out, "\n%-*s  votes  probability  label       (label these %zu again: one more vote helps most there)\n",
            ITEM_WIDTH, "item", result->again);
    for (size_t i = 0; i < result->again && i < ITEMS_SHOWN; i++) {
        const temper_item_consensus *item = &report->item[report->again[i]];
        const char *label = label_name(result, item->label);
        print_name(out, item_name(result, report->again[i], number), ITEM_WIDTH);
        format_name(label ? label : "", CLASS_WIDTH, name);
        fprintf(out, "  %5zu", item->votes);
        if (isnan(item->probability))
            fprintf(out, "  %11s", "");
        else
            fprintf(out, "  %9.1f %%", 100 * item->probability);
        fprintf(out, "  %s\n", name);
    }
    if (result->again > ITEMS_SHOWN)
        fprintf(out, "... and %zu more; -o FILE has all, in the column again\n", result->again - ITEMS_SHOWN);
}

/* Summary first, then the two lists. */
void annotators_print_text(FILE *out, const struct annotators_result *result)
{
    print_votes(out, result);
    print_method(out, result);
    print_quality(out, result);
    print_annotator_list(out, result);
    print_again(out, result);
}

/* ---- JSON: released names never change ------------------------------------------------------- */

/* The confusion matrix is a list of rows, one for each true class: entry [c][k] is the probability of label k. The
 * report has no matrices where there would be more than 2^25 numbers; null then. */
static void json_annotator(FILE *out, const struct annotators_result *result, size_t annotator)
{
    const temper_consensus_report *report = &result->report;
    const temper_annotator_summary *one = &report->annotator[annotator];
    size_t classes = report->classes;
    fputs("{\"annotator\": ", out);
    json_text(out, temper_votes_annotator_name(result->votes, annotator));
    fprintf(out, ", \"labels\": %zu", one->labels);
    json_number_member(out, "accuracy", one->accuracy);
    json_number_member(out, "low", one->low);
    json_number_member(out, "high", one->high);
    json_number_member(out, "chance", one->chance);
    json_number_member(out, "agreement", one->agreement);
    json_text_member(out, "flag", one->flags ? flag_text(one->flags) : NULL);
    bool mistakes = one->confused_labels > 0;
    json_text_member(out, "confused", mistakes ? temper_votes_class_name(result->votes, one->confused) : NULL);
    json_text_member(out, "confused_with",
                     mistakes ? temper_votes_class_name(result->votes, one->confused_with) : NULL);
    json_number_member(out, "confused_labels", one->confused_labels);
    fputs(", \"confusion\": ", out);
    for (size_t i = 0; report->confusion && i < classes * classes; i++) {
        fputs(i == 0 ? "[[" : i % classes == 0 ? "], [" : ", ", out);
        json_number(out, report->confusion[annotator * classes * classes + i]);
    }
    fputs(report->confusion ? "]]}" : "null}", out);
}

/* NaN becomes null: an item without votes has no probability, and majority estimates none. */
static void json_item(FILE *out, const struct annotators_result *result, size_t i)
{
    const temper_item_consensus *item = &result->report.item[i];
    char number[ITEM_NAME];
    fputs("{\"item\": ", out);
    json_text(out, item_name(result, i, number));
    json_text_member(out, "label", label_name(result, item->label));
    json_number_member(out, "probability", item->probability);
    fprintf(out, ", \"votes\": %zu", item->votes);
    json_number_member(out, "agreement", item->agreement);
    json_number_member(out, "entropy", item->entropy);
    json_number_member(out, "gain", item->gain);
    fputc('}', out);
}

/* One object with all results. Members are always present, whatever the method, so that a script needs no cases. */
void annotators_print_json(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    char number[ITEM_NAME];
    fprintf(out, "{\n  \"votes\": %zu", temper_votes_count(result->votes));
    json_text_field(out, "method", result->method);
    fputs(",\n  \"classes\": [", out);
    for (size_t c = 0; c < report->classes; c++) {
        fputs(c ? ", " : "", out);
        json_text(out, temper_votes_class_name(result->votes, c));
    }
    fputs("],\n  \"shares\": [", out);
    for (size_t c = 0; c < report->classes; c++) {
        fputs(c ? ", " : "", out);
        json_number(out, report->shares[c]);
    }
    fputc(']', out);
    json_number_field(out, "wrong", report->wrong);
    json_number_field(out, "strength", report->strength);
    json_number_field(out, "likelihood", report->likelihood);
    json_count_field(out, "iterations", report->iterations);
    json_number_field(out, "sharpness", report->sharpness);
    json_number_field(out, "model_agreement", report->model_agreement);
    fputs(",\n  \"again\": [", out);
    for (size_t i = 0; i < result->again; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, item_name(result, report->again[i], number));
    }
    fputs("],\n  \"annotators\": [", out);
    for (size_t a = 0; a < report->annotators; a++) {
        fputs(a ? ",\n    " : "\n    ", out);
        json_annotator(out, result, a);
    }
    fputs("\n  ],\n  \"items\": [", out);
    for (size_t i = 0; i < report->items; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        json_item(out, result, i);
    }
    fputs("\n  ]", out);
    json_seconds_field(out, result->seconds_read, "consensus", report->seconds, (double)NAN);
    fputs("\n}\n", out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* The column again has the rank of an item to label again, and is empty for the others. */
void annotators_print_consensus(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    char number[ITEM_NAME];
    fputs("item,label,probability,votes,agreement,entropy,gain,again\n", out);
    for (size_t i = 0; i < report->items; i++) {
        const temper_item_consensus *item = &report->item[i];
        const char *label = label_name(result, item->label);
        csv_cell(out, item_name(result, i, number));
        fputc(',', out);
        csv_cell(out, label ? label : "");
        csv_number(out, item->probability);
        fprintf(out, ",%zu", item->votes);
        csv_number(out, item->agreement);
        csv_number(out, item->entropy);
        csv_number(out, item->gain);
        fputc(',', out);
        if (result->rank[i])
            fprintf(out, "%zu", result->rank[i]);
        fputc('\n', out);
    }
}

/* The file of --annotators: a line for each annotator. */
void annotators_print_annotators(FILE *out, const struct annotators_result *result)
{
    const temper_consensus_report *report = &result->report;
    fputs("annotator,labels,accuracy,low,high,chance,agreement,flag,confused,confused_with,confused_labels\n", out);
    for (size_t a = 0; a < report->annotators; a++) {
        const temper_annotator_summary *one = &report->annotator[a];
        bool mistakes = one->confused_labels > 0;
        csv_cell(out, temper_votes_annotator_name(result->votes, a));
        fprintf(out, ",%zu", one->labels);
        csv_number(out, one->accuracy);
        csv_number(out, one->low);
        csv_number(out, one->high);
        csv_number(out, one->chance);
        csv_number(out, one->agreement);
        fprintf(out, ",%s,", flag_text(one->flags));
        csv_cell(out, mistakes ? temper_votes_class_name(result->votes, one->confused) : "");
        fputc(',', out);
        csv_cell(out, mistakes ? temper_votes_class_name(result->votes, one->confused_with) : "");
        csv_number(out, one->confused_labels);
        fputc('\n', out);
    }
}
