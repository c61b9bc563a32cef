/* review_sources: fits the model that explains the suspects of an audit; finds predictions and neighbours of the rows
 * that a tuning asks about. */
#include "audit/review/review_sources.h"

#include <math.h>

#include "audit/audit_steps.h"
#include "audit/review/review.h"
#include "base/memory.h"
#include "base/thread.h"
#include "predict/predict.h"
#include "train/train.h"

/* ---- Audit ----------------------------------------------------------------------------------- */

/* Fits the loss and penalty of the audit to all rows. The five models out of fold are not kept, and this one is about
 * their mean. */
static temper_status fit_all_rows(const struct dataset *data, const temper_audit_report *report,
                                  const temper_train_options *given, struct model **model, temper_error *error)
{
    temper_train_options options = *given;
    temper_train_report training;
    options.loss = report->loss;
    options.l2 = report->l2;
    if (isnan(options.tolerance))
        options.tolerance = 1e-3; /* enough for figures of two digits */
    /* What refers to a single training of the user. */
    options.warm_start = NULL;
    options.validation = NULL;
    options.checkpoint = NULL;
    options.resume = 0;
    options.estimate_noise = 0;
    return train(data, &options, model, &training, error);
}

/* What the list is, in a sentence or two. */
static void describe_list(struct text *words, const temper_audit_report *report, size_t count, size_t shown)
{
    if (shown < count)
        text_format(words, "The first %zu of %zu listed rows. ", shown, count);
    text_append(words, report->by_row ? "Is the row what its label says? " : "Is the given label right? ");
    text_append(words, "Decisions stay in this browser. Export them, then write the corrected data: temper audit DATA "
                       "--apply corrections.csv --fix OUT.");
}

/* Where the scores come from, which is not the model that explains the labels. */
static const char *score_source(const temper_audit_report *report)
{
    if (report->by_row)
        return "";
    return report->folds ? " The score is from models that have not seen the row, and from its neighbours."
                         : " The score is from the given probabilities, and from neighbours.";
}

temper_status review_audit(const struct dataset *data, const temper_audit_report *report, size_t count,
                           const temper_train_options *train, struct text *out, temper_error *error)
{
    struct model *model = NULL;
    struct text words = {0};
    size_t shown = count < REVIEW_ITEMS ? count : (size_t)REVIEW_ITEMS;
    /* Rows without features, which given probabilities are audited by, have nothing that a model could explain. */
    if (shown > 0 && data->x.columns > 0)
        TRY(fit_all_rows(data, report, train, &model, error));
    describe_list(&words, report, count, shown);
    const struct review_request request = {.data = data,
                                           .items = report->suspects,
                                           .count = shown,
                                           .model = model,
                                           .neighbours = report->neighbours,
                                           .neighbour_count = report->neighbour_count,
                                           .mode = report->by_row ? "row" : "label",
                                           .output = "corrections.csv",
                                           .intro = words.bytes ? words.bytes : "",
                                           .score_source = score_source(report),
                                           .threads = train->threads ? train->threads : thread_count_default(),
                                           .error = error};
    temper_status status = review_write(&request, out);
    out->failed |= words.failed;
    text_free(&words);
    model_free(model);
    return status;
}

/* ---- Rows to label --------------------------------------------------------------------------- */

/* The class of the largest activation apart from the given one: what the label would be changed to. */
static uint32_t other_class(const struct model *model, const double *activation, uint32_t given)
{
    uint32_t best = given == 0;
    if (model->vectors == 1)
        return 1 - given;
    for (uint32_t c = best + 1; c < model->classes.count; c++)
        if (c != given && activation[c] > activation[best])
            best = c;
    return best;
}

/* Fills items[report->ask_count]. */
static temper_status fill_items(const struct dataset *data, const struct model *model, const temper_tune_report *report,
                                temper_audit_suspect *items, temper_error *error)
{
    double *activation = mem_alloc(model->vectors, sizeof *activation);
    temper_status status = activation ? TEMPER_OK : error_no_memory(error);
    for (size_t i = 0; status == TEMPER_OK && i < report->ask_count; i++) {
        const struct matrix row = matrix_slice(&data->x, report->ask[i], 1);
        status = decide(model, &row, 1, activation, error);
        if (status == TEMPER_OK)
            items[i] = (temper_audit_suspect){.row = report->ask[i],
                                              .given = report->ask_label[i],
                                              .suggested = other_class(model, activation, report->ask_label[i]),
                                              .score = (double)NAN};
    }
    mem_free(activation);
    return status;
}

temper_status review_ask(const struct dataset *data, const struct model *model, const temper_tune_report *report,
                         const char *output, struct text *out, temper_error *error)
{
    struct audit_neighbours near = {0};
    temper_audit_suspect *items = mem_alloc(report->ask_count, sizeof *items);
    temper_status status = items ? fill_items(data, model, report, items, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = audit_nearest(data, scale_name(model->scale.kind), &near, error);
    const struct review_request request = {
        .data = data,
        .items = items,
        .count = report->ask_count < REVIEW_ITEMS ? report->ask_count : (size_t)REVIEW_ITEMS,
        .model = model,
        .neighbours = near.neighbour,
        .neighbour_count = near.count,
        .mode = "ask",
        .output = output,
        .intro = "The true labels of these rows would tell which settings are best. Decisions stay in this browser. "
                 "Export them, and tune again with --trusted and that file.",
        .threads = thread_count_default(),
        .error = error};
    if (status == TEMPER_OK)
        status = review_write(&request, out);
    mem_free(near.neighbour);
    mem_free(near.distance);
    mem_free(items);
    return status;
}
