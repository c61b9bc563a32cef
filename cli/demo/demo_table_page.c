/* demo_table_page: the page of temper demo --data FILE: accuracies before and after the flips, the losses, what the
 * audit has found, and the listed rows that were not flipped. */
#include <stdbool.h>

#include "demo/demo_table.h"
#include "html_draft.h"
#include "number_format.h"

enum { SUSPECTS_SHOWN = 20 };

/* Two groups of bars: the labels as given, and the flipped ones. */
static temper_status add_accuracy(struct html_draft *draft, const struct demo_table *table)
{
    static const char *const groups[] = {"labels as given", "flipped labels"};
    double values[2][TABLE_METHODS];
    temper_text svg = {0};
    temper_error error;
    for (size_t i = 0; i < TABLE_METHODS; i++) {
        values[0][i] = table->on_given[i].accuracy;
        values[1][i] = table->on_noisy[i].accuracy;
    }
    const temper_bar_figure figure = {
        .title = "Accuracy on held-out rows, by what was trained on",
        .groups = groups,
        .group_count = 2,
        .series = demo_table_methods,
        .series_count = TABLE_METHODS,
        .values = values[0],
        .shares = 1,
    };
    return draft_picture(draft, temper_plot_bars(&figure, &svg, &error), &svg, &error);
}

static void add_row(struct html_draft *draft, const char *name, const struct demo_fit fits[TABLE_METHODS])
{
    draft_cell(draft, "%s", name);
    for (size_t i = 0; i < TABLE_METHODS; i++)
        draft_cell(draft, "%.2f\xc2\xa0%%", 100 * fits[i].accuracy); /* a number and its unit are not broken */
}

/* The numbers of the bars, and the size of their random errors. */
static void add_numbers(struct html_draft *draft, const struct demo_table *table)
{
    draft_table(draft, 1 + TABLE_METHODS, "Accuracy on held-out rows, labels as in the file");
    draft_cell(draft, "labels");
    for (size_t i = 0; i < TABLE_METHODS; i++)
        draft_cell(draft, "%s", demo_table_methods[i]);
    add_row(draft, "as given", table->on_given);
    add_row(draft, "flipped", table->on_noisy);
    draft_table_end(draft);
    draft_paragraph(draft,
                    "One standard error of an accuracy is %.2f points; smaller differences prove nothing. The labels "
                    "of the held-out rows were not checked by anybody here: where they are wrong, a model that "
                    "predicts the truth is counted as wrong. Tuning has chosen t1 = %.4g, t2 = %.4g on the flipped "
                    "labels.",
                    demo_standard_error(table), table->tuned.t1, table->tuned.t2);
}

static void add_opening(struct html_draft *draft, const struct demo_table *table)
{
    size_t train = temper_data_rows(table->train), test = temper_data_rows(table->test);
    draft_paragraph(draft,
                    "%s rows of %s were used%s: %s to train on, %s held out. Of the training labels %s were flipped "
                    "(kind %s). Logistic regression, the two-temperature loss with the defaults of temper, and the "
                    "same with tuned temperatures and penalty were trained twice, on the labels as given and on the "
                    "flipped ones.",
                    count_shown(train + test).text, table->path,
                    train + test < table->rows ? ", drawn at random from a larger table" : "", count_shown(train).text,
                    count_shown(test).text, count_shown(table->flipped).text, table->kind);
}

/* Whether tuning has chosen another loss than those of the other methods. */
static bool is_another(temper_loss_spec tuned)
{
    temper_loss_spec standard = demo_loss(TEMPERED);
    return tuned.method == TEMPER_TEMPERED && (tuned.t1 != standard.t1 || tuned.t2 != standard.t2) &&
           (tuned.t1 != 1 || tuned.t2 != 1);
}

/* The losses as functions of the margin, which show why flipped labels cost one method more than the other. */
static temper_status add_losses(struct html_draft *draft, const struct demo_table *table)
{
    const temper_loss_spec losses[TABLE_METHODS] = {demo_loss(LOGISTIC), demo_loss(TEMPERED), table->tuned};
    size_t count = is_another(table->tuned) ? TABLE_METHODS : METHODS;
    const temper_loss_figure figure = {
        .losses = losses, .loss_count = count, .margin_from = -6, .margin_to = 4, .panels = "c"};
    temper_text svg = {0};
    temper_error error;
    return draft_picture(draft, temper_plot_losses(&figure, &svg, &error), &svg, &error);
}

/* ---- The audit ------------------------------------------------------------------------------------- */

static void add_found(struct html_draft *draft, const struct demo_table *table)
{
    const temper_audit_report *report = &table->audit;
    draft_paragraph(draft, "An audit of the training rows with their labels as given lists %s of them.",
                    table->listed_before ? count_shown(table->listed_before).text : "none");
    if (report->undecided)
        draft_paragraph(draft, "With the flipped labels it lists nothing: the labels do not show whether any of them "
                               "are wrong. Its ranking is still the best order to look at them.");
    else
        draft_paragraph(draft, "With the flipped labels it lists %s, and %s of these were flipped.",
                        count_shown(report->supported).text, count_shown(table->listed_flipped).text);
    draft_paragraph(draft, "Of the first %s rows of its ranking, %s were flipped; in a random order it would be %.0f.",
                    count_shown(table->flipped).text, count_shown(table->first_flipped).text,
                    (double)table->flipped * (double)table->flipped / (double)report->rows);
}

static void add_suspect(void *context, const struct demo_table *table, const temper_audit_suspect *suspect)
{
    struct html_draft *draft = context;
    char place[DEMO_PLACE_LENGTH];
    demo_place(table, suspect, place);
    draft_cell(draft, "%s", place);
    draft_cell(draft, "%s", temper_data_class_name(table->noisy, suspect->given));
    draft_cell(draft, "%s", temper_data_class_name(table->noisy, suspect->suggested));
    draft_cell(draft, "%.0f\xc2\xa0%%", 100 * suspect->score);
}

/* Rows that the audit lists with the labels of the file. */
static void add_other_suspects(struct html_draft *draft, const struct demo_table *table)
{
    size_t others = demo_other_suspects(table);
    if (others == 0)
        return;
    draft_heading(draft, "Listed, and not flipped");
    draft_paragraph(draft,
                    "%s of the listed rows were not flipped. They are right labels of unusual rows, or labels that "
                    "were wrong before. Only a person can tell; %s worth a look.",
                    count_shown(others).text, others > SUSPECTS_SHOWN ? "the first of them are" : "they are");
    draft_table(draft, 4, NULL);
    draft_cell(draft, "where");
    draft_cell(draft, "label");
    draft_cell(draft, "suggested");
    draft_cell(draft, "score");
    demo_each_other_suspect(table, SUSPECTS_SHOWN, add_suspect, draft);
    draft_table_end(draft);
}

/* ---- The page -------------------------------------------------------------------------------------- */

static temper_status fill(struct html_draft *draft, const struct demo_table *table, const char *playground)
{
    add_opening(draft, table);
    TRY(add_accuracy(draft, table));
    add_numbers(draft, table);
    draft_heading(draft, "The losses");
    draft_paragraph(draft, "The logistic loss of a row grows without bound with its margin on the wrong side; with t1 "
                           "below 1 it is at most 1/(1 \xe2\x88\x92 t1).");
    TRY(add_losses(draft, table));
    draft_heading(draft, "The flipped labels");
    add_found(draft, table);
    add_other_suspects(draft, table);
    draft_heading(draft, "The file as it is");
    draft_command(draft, "temper audit %s --report review.html\ntemper train %s -m model.temper", table->path,
                  table->path);
    demo_link(draft, playground, table->kind, table->rate, 1);
    return TEMPER_OK;
}

temper_status demo_table_page(const struct demo_table *table, const char *playground, const char *path)
{
    struct html_draft draft;
    draft_begin(&draft, "The effect of flipped labels on a table");
    temper_status status = fill(&draft, table, playground);
    if (status == TEMPER_OK)
        status = draft_save(&draft, path);
    draft_free(&draft);
    return status;
}
