/* demo_page: the page about both data sets: accuracies, decision boundaries, losses, margins, and flipped labels that
 * were found.
 *
 * It argues in steps: with clean labels both methods are equally accurate; with flipped labels logistic regression is
 * drawn towards them, which the boundary shows; the bounded loss has an upper limit, which the curves show; so flipped
 * labels stay at negative margins, where a search of the training rows finds them. */
#include <stdlib.h>

#include "base/text.h"
#include "demo/demo.h"
#include "html_draft.h"
#include "message.h"
#include "temper_extra.h"

enum { MOST_SEED = 1000000 }; /* the playground's seeds are smaller, and above 0 */

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Bars of the accuracies of both methods: four groups, each set with clean and with noisy labels. */
static temper_status add_accuracy(struct html_draft *draft, const struct demo_set sets[2])
{
    static const char *const groups[] = {"21 features, right labels", "21 features, 10 % flipped",
                                         "2 features, right labels", "2 features, 10 % flipped"};
    double values[4][METHODS]; /* [group][method], as shares */
    temper_text svg = {0};
    temper_error error;
    for (size_t i = 0; i < METHODS; i++)
        for (size_t set = 0; set < 2; set++) {
            values[2 * set][i] = sets[set].on_clean[i].accuracy;
            values[2 * set + 1][i] = sets[set].on_noisy[i].accuracy;
        }
    const temper_bar_figure figure = {
        .title = "Accuracy on clean test rows",
        .groups = groups,
        .group_count = 4,
        .series = demo_methods,
        .series_count = METHODS,
        /* The array is contiguous, so its first row is the whole. */
        .values = values[0],
        /* Drawn as percentages. */
        .shares = 1,
    };
    return draft_picture(draft, temper_plot_bars(&figure, &svg, &error), &svg, &error);
}

/* 1 for each training row whose label was flipped, to be freed; NULL without memory, which has been reported. */
static unsigned char *mark_flipped(const struct demo_set *set)
{
    unsigned char *flipped = calloc(set->train.count, 1);
    if (!flipped)
        fail_no_memory();
    for (size_t i = 0; flipped && i < set->flipped; i++)
        flipped[set->changes[i].row - 1] = 1;
    return flipped;
}

/* Rows of two features and the decision boundaries of both methods. `flipped` marks rows with wrong labels; NULL on
 * clean data. */
static temper_status add_boundary(struct html_draft *draft, const struct demo_set *set,
                                  const struct demo_fit fits[METHODS], const temper_data *data,
                                  const unsigned char *flipped)
{
    temper_boundary lines[METHODS];
    temper_error error;
    temper_text svg = {0};
    for (size_t i = 0; i < METHODS; i++) {
        const double *weights = temper_model_weights(fits[i].model, 0); /* two classes: one weight vector */
        lines[i] =
            (temper_boundary){demo_methods[i], {weights[0], weights[1]}, temper_model_intercept(fits[i].model, 0)};
    }
    const temper_boundary_figure figure = {
        .title = flipped ? "One label in ten flipped" : "All labels right",
        .points = set->train.x,
        .labels = temper_data_labels(data),
        .flipped = flipped,
        .count = set->train.count,
        /* The minus sign is split from the digit, which would extend the hexadecimal escape. */
        .class_names = {"labelled \xe2\x88\x92"
                        "1",
                        "labelled +1"},
        .boundaries = lines,
        .boundary_count = METHODS,
    };
    return draft_picture(draft, temper_plot_boundary(&figure, &svg, &error), &svg, &error);
}

/* Two pictures next to each other: the same rows with clean and with noisy labels. */
static temper_status add_boundaries(struct html_draft *draft, const struct demo_set *set)
{
    unsigned char *flipped = mark_flipped(set);
    if (!flipped)
        return TEMPER_NO_MEMORY;
    /* Clean labels first, so that the second picture shows the effect. */
    temper_status status = add_boundary(draft, set, set->on_clean, set->clean, NULL);
    if (status == TEMPER_OK)
        status = add_boundary(draft, set, set->on_noisy, set->noisy, flipped);
    free(flipped);
    return status;
}

/* Panel c alone: the losses as functions of the margin. */
static temper_status add_losses(struct html_draft *draft)
{
    const temper_loss_spec losses[METHODS] = {demo_loss(LOGISTIC), demo_loss(TEMPERED)};
    const temper_loss_figure figure = {
        .losses = losses, .loss_count = METHODS, .margin_from = -6, .margin_to = 4, .panels = "c"};
    temper_text svg = {0};
    temper_error error;
    return draft_picture(draft, temper_plot_losses(&figure, &svg, &error), &svg, &error);
}

/* A histogram of the margins of the given labels under one method; margins[rows] is working memory. */
static temper_status draw_margins(struct html_draft *draft, const struct demo_set *set, size_t method, size_t threads,
                                  double *margins, const unsigned char *flipped)
{
    const uint32_t *given = temper_data_labels(set->noisy);
    temper_text svg = {0};
    temper_error error;
    TRY(checked(
        temper_predict(set->on_noisy[method].model, set->noisy, TEMPER_PREDICT_DECISIONS, threads, margins, &error),
        &error));
    /* The decision value is for class 1; the margin is that of the given label. */
    for (size_t i = 0; margins && i < set->train.count; i++)
        margins[i] = given[i] ? margins[i] : -margins[i];
    const temper_margin_figure figure = {
        .title = demo_methods[method],
        .margins = margins,
        .marked = flipped,
        .count = set->train.count,
        .names = {"right label", "flipped label"},
        .loss = demo_loss(method),
    };
    return draft_picture(draft, temper_plot_margins(&figure, &svg, &error), &svg, &error);
}

/* Histograms of the margins for both methods, on the noisy training rows. */
static temper_status add_margins(struct html_draft *draft, const struct demo_set *set, size_t threads)
{
    unsigned char *flipped = mark_flipped(set);
    /* One array for both methods, one after the other. */
    double *margins = calloc(set->train.count, sizeof *margins);
    temper_status status = flipped && margins ? TEMPER_OK : fail_no_memory();
    for (size_t i = 0; status == TEMPER_OK && i < METHODS; i++)
        status = draw_margins(draft, set, i, threads, margins, flipped);
    free(flipped);
    free(margins);
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* The texts of the page, in the order of its sections. */
static const char opening[] =
    "Two synthetic data sets were made, and in a copy of each the labels of one row in ten were flipped at random. "
    "Logistic regression and the two-temperature loss were trained on both, with the defaults of temper and without "
    "tuning, and tested on 4,000 new rows with right labels.";

static const char long_servedio[] =
    "The first set is that of Long and Servedio (Machine Learning, 2010), in 21 features of \xc2\xb1"
    "1: the sign of their sum is always right, and with right labels both methods find such a classifier. Long and "
    "Servedio proved that boosting with any convex loss fails on such data once labels are flipped at random; so does "
    "logistic regression. The second set shows the same effect in two features. Both are made to be hard: where "
    "label errors are placed less adversarially, the difference is smaller.";

static const char boundaries[] =
    "Rows with a large margin have a large loss once their label is flipped, and the logistic loss grows without "
    "bound: it rotates the boundary and misclassifies rightly labelled rows near it. The two-temperature loss is "
    "bounded, and the flipped rows have little influence.";

static const char margins[] =
    "Rows by the margin of their given label, in the 21 features. With logistic regression, rows with right and with "
    "flipped labels overlap; with the two-temperature loss the flipped ones are separated, where the loss is nearly "
    "flat and its gradient small.";

static const char suspects[] =
    "A model can search its own training rows for label errors: rows whose given label is least likely under the "
    "model come first. The table shows how many of the flipped labels are among as many suspects.";

/* The table of flipped labels among as many suspects, for each set and method. */
static void add_suspects(struct html_draft *draft, const struct demo_set sets[2])
{
    draft_heading(draft, "The wrong labels");
    draft_paragraph(draft, "%s", suspects);
    draft_table(draft, 1 + METHODS, "Flipped labels found");
    /* The head of the table; rows follow. */
    draft_cell(draft, "set");
    for (size_t i = 0; i < METHODS; i++)
        draft_cell(draft, "%s", demo_methods[i]);
    for (size_t set = 0; set < 2; set++) {
        draft_cell(draft, "%s", sets[set].name);
        for (size_t i = 0; i < METHODS; i++)
            draft_cell(draft, "%zu of %zu", sets[set].found[i], sets[set].flipped);
    }
    draft_table_end(draft);
}

/* ---- The page -------------------------------------------------------------------------------- */

/* The settings of the playground are in the fragment of its address (docs/playground.md); the default temperatures are
 * those of this page. Its points are other ones of the same clusters. */
void demo_link(struct html_draft *draft, const char *playground, const char *kind, double rate, uint64_t seed)
{
    const temper_loss_spec loss = demo_loss(TEMPERED);
    struct text address = {0};
    if (!playground)
        return;
    draft_heading(draft, "The playground");
    draft_paragraph(draft, "Clusters like those of two features, with the same share of flipped labels and the same "
                           "temperatures, to be changed by hand; or drop a table on it.");
    text_append(&address, playground);
    text_format(&address, "#set=servedio&count=600&seed=%llu&kind=%s&rate=%.2f&t1=%.4g&t2=%.4g",
                (unsigned long long)(seed % MOST_SEED + !(seed % MOST_SEED)), kind, rate, loss.t1, loss.t2);
    draft_link(draft, "Open the playground with these settings", address.bytes ? address.bytes : "");
    draft->failed |= address.failed;
    text_free(&address);
}

/* The page from top to bottom. The second set has two features, so it has the boundaries; the first shows the margins.
 * */
static temper_status fill(struct html_draft *draft, const struct demo_set sets[2],
                          const struct demo_page_options *options)
{
    draft_paragraph(draft, "%s", opening);
    TRY(add_accuracy(draft, sets));
    draft_paragraph(draft, "%s", long_servedio);
    /* The picture of the effect: the boundary that noisy labels rotate. */
    draft_heading(draft, "The boundaries");
    draft_paragraph(draft, "%s", boundaries);
    TRY(add_boundaries(draft, &sets[1]));
    /* The reason: one loss grows without bound, the other does not. */
    draft_heading(draft, "The losses");
    TRY(add_losses(draft));
    /* The consequence for the rows, in the larger set. */
    draft_heading(draft, "The margins");
    draft_paragraph(draft, "%s", margins);
    TRY(add_margins(draft, &sets[0], options->threads));
    add_suspects(draft, sets);
    draft_heading(draft, "With your own rows");
    draft_command(draft, "temper demo --data train.csv\n"
                         "temper train train.csv -m model.temper\n"
                         "temper eval -m model.temper test.csv\n"
                         "temper plot report -m model.temper test.csv -o report.html");
    demo_link(draft, options->playground, "random", (double)sets[1].flipped / (double)sets[1].train.count,
              options->seed);
    return TEMPER_OK;
}

/* Completely or not at all: draft_save replaces the file at the end. */
temper_status demo_page(const struct demo_set sets[2], const struct demo_page_options *options)
{
    struct html_draft draft;
    draft_begin(&draft, "The effect of wrong labels, and a loss that limits it");
    temper_status status = fill(&draft, sets, options);
    if (status == TEMPER_OK)
        status = draft_save(&draft, options->path);
    draft_free(&draft);
    return status;
}
