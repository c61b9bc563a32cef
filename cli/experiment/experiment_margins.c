/* experiment_margins: what two losses make of flipped labels: a picture for the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "html_draft.h"
#include "message.h"

/* The line whose margins tell most: large-margin noise of the first set that is there. */
static bool telling_line(const struct plan *plan, struct cell *line)
{
    struct cell each;
    bool found = false;
    for (size_t i = 0; plan_line(plan, i, &each); i++) {
        bool large = strcmp(each.noise, "large-margin") == 0;
        if (each.rate > 0 && strcmp(each.noise, "instance") != 0 && (!found || large)) {
            *line = each;
            found = true;
        }
        if (found && large)
            break;
    }
    return found;
}

static temper_status draw(struct draft *draft, const temper_model *model, const struct split_rows *rows,
                          const unsigned char *flipped, double *margins, const char *title)
{
    const uint32_t *given = temper_data_labels(rows->noisy);
    size_t count = (size_t)temper_data_rows(rows->noisy);
    temper_error error;
    char *svg = NULL;
    if (temper_predict(model, rows->noisy, TEMPER_PREDICT_DECISIONS, 0, margins, &error) != TEMPER_OK)
        return complain_error(&error);
    for (size_t i = 0; i < count; i++)
        margins[i] = given[i] ? margins[i] : -margins[i];
    const temper_margin_figure figure = {
        .title = title,
        .margins = margins,
        .marked = flipped,
        .count = count,
        .names = {"right label", "flipped label"},
        .loss = temper_model_loss(model),
    };
    temper_status status = temper_plot_margins(&figure, &svg, NULL, &error);
    return draft_picture(draft, status, svg, &error);
}

/* Trains as the record of the first split says, and draws. */
static temper_status draw_method(struct draft *draft, const struct plan *plan, const struct records *records,
                                 const struct cell *cell, const struct split_rows *rows, const unsigned char *flipped)
{
    char key[KEY_LENGTH];
    const struct record *record = records_find(records, plan_key(plan, cell, key));
    temper_train_options options = cell_training(plan, cell, NULL);
    temper_train_report report;
    temper_model *model;
    temper_error error;
    double *margins = calloc((size_t)temper_data_rows(rows->noisy), sizeof *margins);
    options.on_progress = NULL;
    if (!margins)
        return complain_no_memory();
    if (!record || isnan(record->t1)) {
        free(margins);
        return TEMPER_OK;
    }
    options.loss.method = cell->method->method;
    options.loss.t1 = record->t1;
    options.loss.t2 = record->t2;
    options.l2 = record->l2;
    temper_status status = temper_train(rows->noisy, &options, &model, &report, &error);
    if (status == TEMPER_OK) {
        status = draw(draft, model, rows, flipped, margins, cell->method->label);
        temper_model_free(model);
    } else {
        status = complain_error(&error);
    }
    free(margins);
    return status;
}

static temper_status draw_both(struct draft *draft, const struct plan *plan, const struct records *records,
                               struct cell line, const struct split_rows *rows, const temper_noise_change *changes)
{
    static const char *const names[] = {"logistic", "tempered"};
    temper_status status = TEMPER_OK;
    unsigned char *flipped = calloc((size_t)temper_data_rows(rows->noisy), 1);
    if (!flipped)
        return complain_no_memory();
    for (size_t i = 0; i < rows->changed; i++)
        flipped[changes[i].row - 1] = 1;
    for (size_t i = 0; status == TEMPER_OK && i < 2; i++) {
        size_t method = find_method(plan, names[i]);
        if (method == METHODS_MOST)
            continue;
        line.method = &plan->methods[method];
        status = draw_method(draft, plan, records, &line, rows, flipped);
    }
    free(flipped);
    return status;
}

temper_status results_margins(struct draft *draft, const struct plan *plan, const struct records *records)
{
    struct cell line;
    struct loaded loaded = {NULL, NULL};
    struct split_rows rows = {NULL, NULL, NULL, 0};
    temper_noise_change *changes = NULL;
    char name[LINE_TEXT], title[TITLE_TEXT];
    if (!telling_line(plan, &line))
        return TEMPER_OK;
    temper_status status = plan_load(plan, line.set, &loaded);
    if (status == TEMPER_OK && temper_data_classes(loaded.data) == 2) {
        status = split_part(plan, &loaded, line.split, &rows);
        if (status == TEMPER_OK)
            status = split_spoil(plan, &line, &loaded, &rows, &changes);
        if (status == TEMPER_OK) {
            draft_paragraph(draft,
                            "Training rows of %s (%s) by the margin of their given label, in the "
                            "first split, for models with the parameters chosen there.",
                            plan_title(plan, line.set, title), plan_line_text(plan, &line, name));
            status = draw_both(draft, plan, records, line, &rows, changes);
        }
    }
    temper_free(changes);
    experiment_split_free(&rows);
    loaded_free(&loaded);
    return status;
}
