/* model_report: what a model does on labelled rows, as a page or as one picture.
 *
 * Four pictures: margins with the loss over them, a reliability diagram, the confusion table and the strongest weights;
 * and two tables of facts, about the training and about these rows. src/api/reporter.c collects the numbers. */
#include "report/model_report.h"

#include <math.h>

#include "report/html.h"
#include "temper_extra.h"

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The histogram of margins; rows that the model predicts otherwise than they are labelled are to the left of 0, and
 * marked. */
static void draw_margins(struct text *out, const struct model_report *report)
{
    const temper_margin_figure figure = {
        .title = "Margins",
        .margins = report->margins,
        .marked = report->wrong,
        .count = report->rows,
        .names = {"predicted as given", "predicted otherwise"},
        .loss = report->loss,
    };
    if (report->rows > 0)
        histogram_draw(out, &figure);
}

/* The reliability diagram; only for losses with calibrated probabilities. */
static void draw_calibration(struct text *out, const struct model_report *report)
{
    if (report->calibrated && report->rows > 0)
        calibration_draw(out, &report->calibration);
}

/* The confusion table, unless there are more classes than can be distinguished in a picture. */
static void draw_confusion(struct text *out, const struct model_report *report)
{
    if (report->confusion.classes <= CONFUSION_CLASSES)
        confusion_draw(out, &report->confusion);
}

/* The strongest weights as bars from 0, in the scaled features: only there are weights comparable. */
static void draw_weights(struct text *out, const struct model_report *report)
{
    static const char *const series[] = {"weight"};
    const char *names[REPORT_WEIGHTS];
    double values[REPORT_WEIGHTS];
    for (size_t i = 0; i < report->weight_count; i++) {
        /* Borrowed from the report, which outlives the drawing. */
        names[i] = words_of(&report->weights[i].name);
        out->failed |= report->weights[i].name.failed;
        values[i] = report->weights[i].value; /* strongest first */
    }
    const temper_bar_figure figure = {
        .title = report->weights_scaled ? "Strongest weights, of features of equal spread" : "Strongest weights",
        .groups = names,
        .group_count = report->weight_count,
        .series = series,
        .series_count = 1,
        .values = values,
    };
    if (report->weight_count > 0)
        bars_draw(out, &figure);
}

/* Appends one picture, or nothing. */
typedef void drawer(struct text *out, const struct model_report *report);

/* In the order of the page, two in a row. Each may draw nothing, where it makes no sense for the model. */
static drawer *const drawers[] = {draw_margins, draw_calibration, draw_confusion, draw_weights};

enum { PICTURES = sizeof drawers / sizeof *drawers };

/* Arranges the pictures two in a row, each in the upper left corner of its cell. Empty ones have size 0. */
static void nest_pictures(struct text *out, const struct text pictures[PICTURES])
{
    struct box size[PICTURES] = {{0}};
    for (size_t i = 0; i < PICTURES; i++)
        size[i] = svg_size(words_of(&pictures[i]));
    /* Columns are as wide as their widest picture, rows as high as their highest. */
    double left = fmax(size[0].width, size[2].width), right = fmax(size[1].width, size[3].width);
    double upper = fmax(size[0].height, size[1].height);
    double lower = fmax(size[2].height, size[3].height);
    svg_begin(out, left + right, upper + lower, "Report on a model",
              "Margins, calibration, confusion and strongest weights");
    for (size_t i = 0; i < PICTURES; i++)
        svg_nest(out, (struct point){i % 2 ? left : 0, i < 2 ? 0 : upper}, &pictures[i]);
    svg_end(out);
}

/* All pictures as one document, for slides and papers. */
void model_report_svg(struct text *out, const struct model_report *report)
{
    struct text pictures[PICTURES] = {{0}};
    for (size_t i = 0; i < PICTURES; i++)
        drawers[i](&pictures[i], report);
    nest_pictures(out, pictures);
    for (size_t i = 0; i < PICTURES; i++) {
        out->failed |= pictures[i].failed;
        text_free(&pictures[i]);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A number as a page shows it: significant digits, no marks of svg.h. */
static void append_plain(struct text *out, double value)
{
    double size = fabs(value); /* NaN is handled by the caller */
    if (size == 0 || (size >= 1e-3 && size < 1e6)) {
        text_append_number(out, value, size >= 100 ? 1 : 4);
        return;
    }
    int power = (int)floor(log10(size)); /* very small or very large: 1.23e-9 */
    text_append_number(out, value * pow(10, -power), 2);
    text_format(out, "e%d", power);
}

/* NaN means that the measure is not defined for the model, and has no row. */
static void add_number(struct table_builder *facts, const char *name, double value)
{
    if (!isnan(value))
        append_plain(table_fact(facts, name), value);
}

/* A row with a percentage of two decimals. */
static void add_percent(struct table_builder *facts, const char *name, double share)
{
    struct text *words = table_fact(facts, name);
    text_append_number(words, 100 * share, 2);
    text_append(words, " %");
}

/* The table about the training of the model. */
static void model_facts(struct text *out, const struct model_report *report)
{
    const temper_model_summary *summary = &report->summary;
    struct table_builder facts = {.columns = 2};
    static const char *const head[] = {"Model", ""};
    table_head(&facts, head);
    append_loss(table_fact(&facts, "loss"), report->loss);
    add_number(&facts, "penalty (l2)", summary->l2);
    if (summary->l1 > 0)
        add_number(&facts, "penalty (l1)", summary->l1);
    text_format(table_fact(&facts, "classes"), "%zu", report->confusion.classes);
    text_format(table_fact(&facts, "features"), "%zu", report->features);
    text_format(table_fact(&facts, "weights that are not 0"), "%zu", summary->nonzeros);
    text_append(table_fact(&facts, "scaling"), summary->scale);
    text_format(table_fact(&facts, "trained on rows"), "%zu", summary->rows);
    text_format(table_fact(&facts, "solver"), "%s, %zu iterations, %s", summary->solver, summary->iterations,
                summary->stop);
    add_percent(&facts, "accuracy in training", summary->accuracy);
    if (summary->calibration_order > 0)
        text_format(table_fact(&facts, "probabilities"), "calibrated on %zu rows%s", summary->calibration_rows,
                    summary->calibration_folds ? " out of fold" : "");
    else
        text_append(table_fact(&facts, "probabilities"), "not calibrated");
    if (!isnan(summary->noise_rate))
        add_percent(&facts, "labels that are wrong, about", summary->noise_rate);
    table_end(out, &facts, NULL);
}

/* The table about the given rows: accuracy, losses, calibration. */
static void evaluation_facts(struct text *out, const struct model_report *report)
{
    const temper_evaluation *evaluation = &report->evaluation;
    struct table_builder facts = {.columns = 2};
    static const char *const head[] = {"On these rows", ""};
    table_head(&facts, head);
    text_format(table_fact(&facts, "rows"), "%zu", evaluation->rows);
    if (evaluation->unknown > 0) /* they count as wrong in the accuracy */
        text_format(table_fact(&facts, "of a class that the model does not know"), "%zu", evaluation->unknown);
    add_percent(&facts, "accuracy", evaluation->accuracy);
    add_percent(&facts, "balanced accuracy", evaluation->balanced_accuracy);
    add_number(&facts, "loss", evaluation->loss);
    add_number(&facts, "log loss", evaluation->log_loss);
    add_number(&facts, "Brier score", evaluation->brier);
    add_number(&facts, "expected calibration error", evaluation->ece); /* of the bins that are drawn */
    table_end(out, &facts, NULL);
}

/* A figure of four decimals; what is undefined has none. */
static void add_figure(struct table_builder *table, double figure)
{
    struct text *cell = table_cell(table);
    if (isnan(figure))
        text_append(cell, "undefined");
    else
        text_append_number(cell, figure, 4);
}

/* A line of the table of classes. */
static void add_quality(struct table_builder *table, const char *name, const temper_class_quality *quality)
{
    text_append(table_cell(table), name);
    append_plain(table_cell(table), quality->weight);
    add_figure(table, quality->precision);
    add_figure(table, quality->recall);
    add_figure(table, quality->f1);
    add_figure(table, quality->auc);
    add_figure(table, quality->average_precision);
}

/* Each class against all others, unless there are many, and the means. */
static void class_table(struct text *out, const struct model_report *report)
{
    static const char *const head[] = {"Class", "rows", "precision", "recall", "F1", "AUC", "average precision"};
    const temper_evaluation *evaluation = &report->evaluation;
    struct table_builder table = {.columns = sizeof head / sizeof *head};
    if (!evaluation->quality)
        return;
    table_head(&table, head);
    for (size_t c = 0; report->confusion.classes <= CONFUSION_CLASSES && c < report->confusion.classes; c++)
        add_quality(&table, report->confusion.names[c], &evaluation->quality[c]);
    add_quality(&table, "mean of classes", &evaluation->macro);
    add_quality(&table, "mean by rows", &evaluation->weighted);
    table_end(out, &table,
              "Each class against all others. A mean is over the classes for which the figure is defined.");
}

/* Two classes: what other thresholds of the probability of the second one would do. */
static void threshold_table(struct text *out, const struct model_report *report)
{
    static const char *const head[] = {"Threshold", "precision", "recall", "F1", "share taken for it"};
    const temper_threshold *line = report->evaluation.thresholds;
    struct table_builder table = {.columns = sizeof head / sizeof *head};
    struct text caption = {0};
    if (!line)
        return;
    line += TEMPER_THRESHOLDS + 1; /* of the second class */
    table_head(&table, head);
    for (size_t i = 0; i <= TEMPER_THRESHOLDS && !isnan(line[i].threshold); i++) {
        text_append_number(table_cell(&table), line[i].threshold, 4);
        add_figure(&table, line[i].precision);
        add_figure(&table, line[i].recall);
        add_figure(&table, line[i].f1);
        add_figure(&table, line[i].flagged);
    }
    text_append(&caption, "Rows taken for ");
    text_append(&caption, report->confusion.names[1]);
    text_append(&caption, " from this probability on. The last line has the largest F1 on these rows.");
    table_end(out, &table, words_of(&caption));
    out->failed |= caption.failed;
    text_free(&caption);
}

/* ---- Page ------------------------------------------------------------------------------------ */

/* Nothing where there is nothing to draw. */
static void put_picture(struct text *out, const struct model_report *report, drawer *draw)
{
    struct text picture = {0};
    draw(&picture, report);
    html_picture(out, words_of(&picture));
    out->failed |= picture.failed;
    text_free(&picture);
}

/* Two pictures, next to each other where there is space. */
static void put_pictures(struct text *out, const struct model_report *report, size_t from)
{
    html_open(out, "flow");
    for (size_t i = from; i < from + 2; i++)
        put_picture(out, report, drawers[i]);
    html_close(out);
}

/* Tables first, then the pictures with an explanation of each pair. */
void model_report_page(struct text *out, const struct model_report *report)
{
    html_begin(out, "Report on a model");
    html_source(out, &(struct html_source){.model = report->model,
                                           .data = report->data,
                                           .rows = report->evaluation.rows,
                                           .dropped = report->dropped,
                                           .class_names = report->confusion.names,
                                           .classes = report->confusion.classes});
    html_open(out, "flow"); /* tables may be next to each other as well */
    model_facts(out, report);
    evaluation_facts(out, report);
    html_close(out);
    html_open(out, "flow");
    class_table(out, report);
    threshold_table(out, report);
    html_close(out);
    html_heading(out, "How sure, and how right");
    html_paragraph(out, "The margin of a row is how far the model is on the side of its given "
                        "label: below 0 it would say otherwise. Rows far to the left are either "
                        "hard or labelled wrong; a loss that is flat there lets them be.");
    put_pictures(out, report, 0);
    if (!report->calibrated)
        html_paragraph(out, "This loss gives no calibrated probabilities, so there is no diagram "
                            "of them.");
    html_heading(out, "Confusions and weights");
    if (report->confusion.classes > CONFUSION_CLASSES)
        html_paragraph(out, "There are too many classes for a picture of all their confusions; "
                            "'temper eval' lists them.");
    put_pictures(out, report, 2);
    html_end(out);
}
