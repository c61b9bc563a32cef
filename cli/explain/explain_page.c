/* explain_page: draws the strongest features of a model and those that moved its decisions on DATA, and lists the first
 * rows with what decided them. */
#include "explain/explain_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "html_draft.h"
#include "message.h"
#include "number_format.h"

enum {
    PAGE_BARS = 12,    /* of a picture */
    PAGE_CLASSES = 12, /* with a picture each */
    NAME_WIDTH = 34
};

/* Bars in construction: names are shortened to fit beside them. */
struct bar_list {
    char text[PAGE_BARS][NAME_SHOWN];
    const char *name[PAGE_BARS];
    double value[PAGE_BARS];
    size_t count;
};

/* The caller adds at most PAGE_BARS. */
static void add_bar(struct bar_list *bars, const char *name, double value)
{
    format_name(name, NAME_WIDTH, bars->text[bars->count]);
    bars->name[bars->count] = bars->text[bars->count];
    bars->value[bars->count++] = value;
}

/* A picture of one series; nothing if there are no bars. */
static temper_status draw_bars(struct html_draft *draft, const struct bar_list *bars, const char *title,
                               const char *series)
{
    temper_error error;
    temper_text svg = {0};
    const temper_bar_figure figure = {.title = title,
                                      .groups = bars->name,
                                      .group_count = bars->count,
                                      .series = &series,
                                      .series_count = 1,
                                      .values = bars->value};
    if (bars->count == 0)
        return TEMPER_OK;
    return draft_picture(draft, temper_plot_bars(&figure, &svg, &error), &svg, &error);
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The files, the number of rows and the classes, with which all pages begin. */
static temper_status add_source(struct html_draft *draft, const struct explain_subject *subject,
                                const struct explain_rows_shown *shown)
{
    size_t classes = temper_model_classes(subject->model);
    const char **names = (const char **)calloc(classes, sizeof *names);
    if (!names)
        return fail_no_memory();
    for (size_t i = 0; i < classes; i++)
        names[i] = temper_model_class_name(subject->model, i);
    html_source(&draft->html, &(struct html_source){.model = subject->model_path,
                                                    .data = subject->data_path,
                                                    .rows = shown ? shown->rows : 0,
                                                    .dropped = shown ? shown->dropped : 0,
                                                    .class_names = names,
                                                    .classes = classes});
    free((void *)names);
    return TEMPER_OK;
}

/* The strongest features of a weight vector, as bars. */
static temper_status add_vector(struct html_draft *draft, const struct explain_subject *subject, size_t vector)
{
    temper_effect list[PAGE_BARS];
    struct bar_list bars = {.count = 0};
    char title[NAME_SHOWN + 32], name[NAME_SHOWN];
    size_t count, class_number = temper_model_weight_vectors(subject->model) == 1 ? 1 : vector;
    temper_error error;
    TRY(checked(temper_explain_model(subject->explainer, vector, PAGE_BARS, list, &count, &error), &error));
    for (size_t i = 0; i < count; i++)
        add_bar(&bars, list[i].name, list[i].effect);
    format_name(temper_model_class_name(subject->model, class_number), NAME_WIDTH, name);
    snprintf(title, sizeof title, "Effects on the score of %s", name);
    return draw_bars(draft, &bars, title, "effect");
}

/* The numbers of all pictures, and those of further classes. */
static temper_status add_effect_table(struct html_draft *draft, const struct explain_subject *subject)
{
    size_t vectors = temper_model_weight_vectors(subject->model);
    temper_effect list[PAGE_BARS];
    temper_error error;
    draft_table(draft, 5, "Effects of the strongest features");
    draft_cell(draft, "class");
    draft_cell(draft, "feature");
    draft_cell(draft, "effect");
    draft_cell(draft, "weight");
    draft_cell(draft, "step");
    for (size_t v = 0; v < vectors; v++) {
        size_t count;
        TRY(checked(temper_explain_model(subject->explainer, v, PAGE_BARS, list, &count, &error), &error));
        for (size_t i = 0; i < count; i++) {
            draft_cell(draft, "%s", temper_model_class_name(subject->model, vectors == 1 ? 1 : v));
            draft_cell(draft, "%s", list[i].name);
            draft_cell(draft, "%.4g", list[i].effect);
            draft_cell(draft, "%.4g", list[i].weight);
            draft_cell(draft, "%.4g", list[i].step);
        }
    }
    draft_table_end(draft);
    return TEMPER_OK;
}

/* The part on the model: what the numbers mean, a picture for each of the first classes, and a table of all. */
static temper_status add_model(struct html_draft *draft, const struct explain_subject *subject)
{
    size_t vectors = temper_model_weight_vectors(subject->model);
    draft_heading(draft, "What the model decides by");
    draft_paragraph(draft,
                    "The effect of a feature is the change of the score of a class by a step of the feature, which is "
                    "%s; the weight is that by one unit. The class with the largest score is predicted.%s Features "
                    "that go together share an effect, or cancel each other's: an effect describes the model, not a "
                    "cause.",
                    temper_explainer_step(subject->explainer),
                    vectors == 1 ? " Of two classes, one has a score: below 0 the other one is predicted." : "");
    for (size_t v = 0; v < vectors && v < PAGE_CLASSES; v++)
        TRY(add_vector(draft, subject, v));
    return add_effect_table(draft, subject);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The terms that moved decisions most, by the mean of their absolute contributions. */
static temper_status add_moved(struct html_draft *draft, const struct explain_subject *subject,
                               const struct explain_rows_shown *shown)
{
    size_t terms = temper_explainer_terms(subject->explainer), place[PAGE_BARS], count = 0;
    struct bar_list bars = {.count = 0};
    for (size_t t = 0; t < terms; t++) {
        size_t at = count;
        while (at > 0 && shown->moved[place[at - 1]] < shown->moved[t])
            at--;
        if (shown->moved[t] == 0 || at == PAGE_BARS)
            continue;
        count += count < PAGE_BARS;
        memmove(place + at + 1, place + at, (count - 1 - at) * sizeof *place);
        place[at] = t;
    }
    for (size_t i = 0; i < count; i++)
        add_bar(&bars, temper_explainer_term(subject->explainer, place[i]),
                shown->moved[place[i]] / (double)shown->rows);
    return draw_bars(draft, &bars, "What moved the decisions", "mean absolute contribution");
}

/* One row: what decided it. */
static void add_row(struct html_draft *draft, const struct explain_subject *subject,
                    const struct explain_rows_shown *shown, size_t index)
{
    const temper_row_explanation *row = &shown->first[index];
    char value[VALUE_LENGTH], caption[3 * NAME_SHOWN], predicted[NAME_SHOWN], other[NAME_SHOWN];
    format_name(temper_model_class_name(subject->model, row->predicted), NAME_WIDTH, predicted);
    format_name(temper_model_class_name(subject->model, row->runner_up), NAME_WIDTH, other);
    snprintf(caption, sizeof caption, "Row %zu: %s rather than %s, by %.4g", index + 1, predicted, other, row->margin);
    draft_table(draft, 3, caption);
    draft_cell(draft, "feature");
    draft_cell(draft, "value");
    draft_cell(draft, "contribution");
    double rest = row->rest;
    for (size_t i = 0; i < row->count; i++) {
        const temper_contribution *one = &shown->list[index * shown->kept + i];
        if (i >= subject->top) {
            rest += one->contribution;
            continue;
        }
        draft_cell(draft, "%s", one->name);
        draft_cell(draft, "%s", contribution_value(one, value));
        draft_cell(draft, "%.4g", one->contribution);
    }
    draft_cell(draft, "all other features");
    draft_cell(draft, "%s", "");
    draft_cell(draft, "%.4g", rest);
    draft_cell(draft, "base");
    draft_cell(draft, "%s", "");
    draft_cell(draft, "%.4g", row->base);
    draft_table_end(draft);
}

/* The part on DATA: all rows in one picture, then the first ones one by one. */
static temper_status add_rows(struct html_draft *draft, const struct explain_subject *subject,
                              const struct explain_rows_shown *shown)
{
    draft_heading(draft, "What moved the decisions");
    draft_paragraph(draft,
                    "The contribution of a feature to a decision is what it adds to the lead of the predicted class "
                    "over the runner-up, compared with a row that has %s in it. The base is the lead in a row that has "
                    "that in all features; base and contributions add up to the lead.",
                    temper_explainer_has_means(subject->explainer) ? "the mean of the training rows" : "the value 0");
    if (shown->rows == 0) {
        draft_paragraph(draft, "There are no rows.");
        return TEMPER_OK;
    }
    TRY(add_moved(draft, subject, shown));
    if (shown->kept < temper_explainer_terms(subject->explainer))
        draft_paragraph(draft, "The means count the %zu largest contributions to each decision.", shown->kept);
    draft_heading(draft, shown->rows > PAGE_ROWS ? "The first rows" : "The rows");
    html_open(&draft->html, "flow");
    for (size_t i = 0; i < shown->rows && i < PAGE_ROWS; i++)
        add_row(draft, subject, shown, i);
    html_close(&draft->html);
    return TEMPER_OK;
}

/* Nothing is written unless all of the page could be made. */
temper_status explain_page_write(const struct explain_subject *subject, const struct explain_rows_shown *shown,
                                 const char *path)
{
    struct html_draft draft;
    draft_begin(&draft, "Explanation of a model");
    temper_status status = add_source(&draft, subject, shown);
    if (status == TEMPER_OK)
        status = add_model(&draft, subject);
    if (status == TEMPER_OK && shown)
        status = add_rows(&draft, subject, shown);
    if (status == TEMPER_OK)
        status = draft_save(&draft, path);
    draft_free(&draft);
    return status;
}
