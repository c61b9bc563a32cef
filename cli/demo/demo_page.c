/* demo_page: the page about both stories. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo/demo.h"
#include "message.h"
#include "output_paths.h"

enum { MOST_BLOCKS = 40, MOST_PICTURES = 12, CELL = 32 };

/* A page in the making; it owns its pictures. */
struct draft {
    temper_page_block blocks[MOST_BLOCKS];
    size_t count;
    char *pictures[MOST_PICTURES];
    size_t picture_count;
    struct story *stories;
    size_t threads;
};

static void add_text(struct draft *draft, temper_page_block_kind kind, const char *text)
{
    draft->blocks[draft->count++] = (temper_page_block){.kind = kind, .text = text};
}

/* Keeps a picture that a call has just made, or complains about why it has not. */
static temper_status add_picture(struct draft *draft, temper_status status, char *svg, const temper_error *error)
{
    if (status != TEMPER_OK)
        return complain_error(error);
    draft->pictures[draft->picture_count++] = svg;
    add_text(draft, TEMPER_PAGE_PICTURE, svg);
    return TEMPER_OK;
}

/* ---- Accuracy -------------------------------------------------------------------------------- */

static temper_status add_accuracy(struct draft *draft)
{
    static const char *const groups[] = {"21 features, right labels", "21 features, 10 % flipped",
                                         "2 features, right labels", "2 features, 10 % flipped"};
    double values[4][METHODS];
    char *svg = NULL;
    temper_error error;
    for (size_t i = 0; i < METHODS; i++)
        for (size_t set = 0; set < 2; set++) {
            values[2 * set][i] = draft->stories[set].on_clean[i].accuracy;
            values[2 * set + 1][i] = draft->stories[set].on_noisy[i].accuracy;
        }
    const temper_bar_figure figure = {
        .title = "Accuracy on clean test rows",
        .groups = groups,
        .group_count = 4,
        .series = method_names,
        .series_count = METHODS,
        .values = values[0],
        .shares = 1,
    };
    temper_status status = temper_plot_bars(&figure, &svg, NULL, &error);
    return add_picture(draft, status, svg, &error);
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

static temper_boundary boundary_of(const struct fit *fit, const char *name)
{
    const double *weights = temper_model_weights(fit->model, 0);
    return (temper_boundary){name, {weights[0], weights[1]}, temper_model_intercept(fit->model, 0)};
}

static temper_status add_boundary(struct draft *draft, const struct fit fits[METHODS], const temper_data *data,
                                  const unsigned char *flipped)
{
    const struct story *story = &draft->stories[1];
    temper_boundary lines[METHODS];
    temper_error error;
    char *svg = NULL;
    for (size_t i = 0; i < METHODS; i++)
        lines[i] = boundary_of(&fits[i], method_names[i]);
    const temper_boundary_figure figure = {
        .title = flipped ? "One label in ten flipped" : "All labels right",
        .points = story->train.x,
        .labels = temper_data_labels(data),
        .flipped = flipped,
        .count = story->train.count,
        .class_names = {"labelled \xe2\x88\x92"
                        "1",
                        "labelled +1"},
        .boundaries = lines,
        .boundary_count = METHODS,
    };
    temper_status status = temper_plot_boundary(&figure, &svg, NULL, &error);
    return add_picture(draft, status, svg, &error);
}

static unsigned char *mark_flipped(const struct story *story)
{
    unsigned char *flipped = calloc(story->train.count, 1);
    for (size_t i = 0; flipped && i < story->flipped; i++)
        flipped[story->changes[i].row - 1] = 1;
    return flipped;
}

static temper_status add_boundaries(struct draft *draft)
{
    const struct story *story = &draft->stories[1];
    unsigned char *flipped = mark_flipped(story);
    if (!flipped)
        return complain_no_memory();
    temper_status status = add_boundary(draft, story->on_clean, story->clean, NULL);
    if (status == TEMPER_OK)
        status = add_boundary(draft, story->on_noisy, story->noisy, flipped);
    free(flipped);
    return status;
}

/* ---- Losses and margins ---------------------------------------------------------------------- */

static temper_status add_losses(struct draft *draft)
{
    const temper_loss_spec losses[METHODS] = {demo_loss(LOGISTIC), demo_loss(TEMPERED)};
    const temper_loss_figure figure = {
        .losses = losses, .loss_count = METHODS, .margin_from = -6, .margin_to = 4, .panels = "c"};
    char *svg = NULL;
    temper_error error;
    temper_status status = temper_plot_losses(&figure, &svg, NULL, &error);
    return add_picture(draft, status, svg, &error);
}

/* Margins of the given labels; `margins` has room for a number a row. */
static temper_status draw_margins(struct draft *draft, const struct story *story, size_t method, double *margins,
                                  const unsigned char *flipped)
{
    const uint32_t *given = temper_data_labels(story->noisy);
    char *svg = NULL;
    temper_error error;
    if (temper_predict(story->on_noisy[method].model, story->noisy, TEMPER_PREDICT_DECISIONS, draft->threads, margins,
                       &error) != TEMPER_OK)
        return complain_error(&error);
    for (size_t i = 0; i < story->train.count; i++)
        margins[i] = given[i] ? margins[i] : -margins[i];
    const temper_margin_figure figure = {
        .title = method_names[method],
        .margins = margins,
        .marked = flipped,
        .count = story->train.count,
        .names = {"right label", "flipped label"},
        .loss = demo_loss(method),
    };
    temper_status status = temper_plot_margins(&figure, &svg, NULL, &error);
    return add_picture(draft, status, svg, &error);
}

static temper_status add_margins(struct draft *draft)
{
    const struct story *story = &draft->stories[0];
    unsigned char *flipped = mark_flipped(story);
    double *margins = calloc(story->train.count, sizeof *margins);
    temper_status status = TEMPER_OK;
    if (!flipped || !margins) {
        free(flipped);
        free(margins);
        return complain_no_memory();
    }
    for (size_t i = 0; status == TEMPER_OK && i < METHODS; i++)
        status = draw_margins(draft, story, i, margins, flipped);
    free(flipped);
    free(margins);
    return status;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const char opening[] =
    "Two sets of rows were made up, and in a copy of each the labels of one row in ten were "
    "flipped at random. Plain logistic regression and the two-temperature loss were trained on "
    "both, with the defaults of temper and nothing tuned, and tested on 4,000 new rows with right "
    "labels.";

static const char long_servedio[] =
    "The first set is that of Long and Servedio (Machine Learning, 2010), in 21 features of "
    "\xc2\xb1"
    "1: the sign of their sum is never wrong, and with right labels both methods find such a "
    "classifier. Long and Servedio proved that boosting with any convex loss fails on rows like "
    "these once labels are flipped at random; so does logistic regression. The second set is the "
    "same idea in two features, to be seen. Both are made to be hard: where wrong labels are not "
    "as awkwardly placed, the difference is smaller.";

static const char boundaries[] =
    "Rows far on their right side become very wrong when flipped, and logistic regression pays for "
    "each without a limit: it turns its boundary, and loses rows near it that are labelled right. "
    "The other loss has a cap, and lets them be.";

static const char margins[] =
    "Rows by the margin of their given label, in the 21 features. With logistic regression, rows "
    "with right and with flipped labels are mixed; with the other loss the flipped ones stand "
    "apart, where the loss is nearly flat and they pull no more.";

static const char suspects[] =
    "A model can look for wrong labels in its own training rows: those whose given label it finds "
    "least likely come first. Here is how many of the flipped ones are among as many suspects.";

static void add_suspects(struct draft *draft, const char **cells, char words[2][METHODS][CELL])
{
    cells[0] = "set";
    for (size_t i = 0; i < METHODS; i++)
        cells[1 + i] = method_names[i];
    for (size_t set = 0; set < 2; set++) {
        cells[(1 + METHODS) * (set + 1)] = draft->stories[set].name;
        for (size_t i = 0; i < METHODS; i++) {
            snprintf(words[set][i], CELL, "%zu of %zu", draft->stories[set].found[i], draft->stories[set].flipped);
            cells[(1 + METHODS) * (set + 1) + 1 + i] = words[set][i];
        }
    }
    add_text(draft, TEMPER_PAGE_HEADING, "The wrong labels");
    add_text(draft, TEMPER_PAGE_PARAGRAPH, suspects);
    draft->blocks[draft->count++] = (temper_page_block){
        .kind = TEMPER_PAGE_TABLE, .text = "Flipped labels found", .cells = cells, .rows = 3, .columns = 1 + METHODS};
}

static void add_next(struct draft *draft)
{
    add_text(draft, TEMPER_PAGE_HEADING, "With your own rows");
    add_text(draft, TEMPER_PAGE_COMMAND,
             "temper train train.csv -m model.temper\n"
             "temper eval -m model.temper test.csv\n"
             "temper plot report -m model.temper test.csv -o report.html");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static temper_status save(const struct draft *draft, const char *path)
{
    char *html;
    size_t length;
    temper_error error;
    if (temper_page_to_html("What wrong labels do, and what can be done", draft->blocks, draft->count, &html, &length,
                            &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(path, html, length);
    temper_free(html);
    return status;
}

static temper_status fill(struct draft *draft)
{
    add_text(draft, TEMPER_PAGE_PARAGRAPH, opening);
    temper_status status = add_accuracy(draft);
    add_text(draft, TEMPER_PAGE_PARAGRAPH, long_servedio);
    add_text(draft, TEMPER_PAGE_HEADING, "The boundaries");
    add_text(draft, TEMPER_PAGE_PARAGRAPH, boundaries);
    if (status == TEMPER_OK)
        status = add_boundaries(draft);
    add_text(draft, TEMPER_PAGE_HEADING, "The losses");
    if (status == TEMPER_OK)
        status = add_losses(draft);
    add_text(draft, TEMPER_PAGE_HEADING, "The margins");
    add_text(draft, TEMPER_PAGE_PARAGRAPH, margins);
    return status == TEMPER_OK ? add_margins(draft) : status;
}

temper_status demo_page(struct story stories[2], size_t threads, const char *path)
{
    const char *cells[3 * (1 + METHODS)];
    char words[2][METHODS][CELL];
    struct draft draft = {.stories = stories, .threads = threads};
    temper_status status = fill(&draft);
    add_suspects(&draft, cells, words);
    add_next(&draft);
    if (status == TEMPER_OK)
        status = save(&draft, path);
    for (size_t i = 0; i < draft.picture_count; i++)
        temper_free(draft.pictures[i]);
    return status;
}
