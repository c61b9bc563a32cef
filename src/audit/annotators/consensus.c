/* consensus: the steps from votes to labels. */
#include "audit/annotators/consensus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/dist/scatter_rows.h"
#include "data/subset.h"
#include "train/train.h"

static const double LEAST_PROBABILITY = 1e-6; /* of a model: none is certain */
static const double SUM_TOLERANCE = 0.02;     /* of the probabilities of a row, which may be rounded */

enum consensus_method { METHOD_DAWID_SKENE, METHOD_ONE_COIN, METHOD_MAJORITY, CONSENSUS_METHODS };
static const char *const method_words[CONSENSUS_METHODS] = {"dawid-skene", "one-coin", "majority"};

/* ---- Checks ---------------------------------------------------------------------------------- */

static temper_status find_method(const char *word, enum consensus_method *method, temper_error *error)
{
    size_t i = 0;
    while (word && i < CONSENSUS_METHODS && strcmp(word, method_words[i]) != 0)
        i++;
    if (i == CONSENSUS_METHODS)
        return error_set(error, TEMPER_USAGE, "unknown method '%.64s'; give dawid-skene, one-coin or majority", word);
    *method = (enum consensus_method)i;
    return TEMPER_OK;
}

static temper_status check(const struct votes *votes, const temper_consensus_options *options,
                           enum consensus_method method, temper_error *error)
{
    const struct dataset *data = (const struct dataset *)options->data;
    bool model = data || options->probabilities;
    if (method == METHOD_MAJORITY && model)
        return error_set(error, TEMPER_USAGE,
                         "the majority of votes uses no model; give another method, or no features "
                         "and no probabilities");
    if (options->folds < 2 || options->rounds < 1)
        return error_set(error, TEMPER_USAGE, "folds must be 2 or more, and rounds 1 or more");
    if (!data)
        return TEMPER_OK;
    TRY(scatter_refuse(data, "a consensus", error));
    if (data->x.rows != votes->items)
        return error_set(error, TEMPER_USAGE, "%s items for %s rows of data; match the votes with the data first",
                         count_shown(votes->items).text, count_shown(data->x.rows).text);
    return TEMPER_OK;
}

/* ---- Evidence of a model that is given ------------------------------------------------------- */

/* Logarithms of given probabilities, each row divided by its sum. */
static temper_status take_probabilities(const struct votes *votes, const double *given, double **out,
                                        temper_error *error)
{
    size_t classes = votes->classes.count;
    double *evidence = mem_alloc(votes->items, classes * sizeof *evidence);
    if (!evidence)
        return error_no_memory(error);
    for (size_t item = 0; item < votes->items; item++) {
        const double *p = given + item * classes;
        double sum = 0;
        bool legal = true;
        for (size_t c = 0; c < classes; c++) {
            legal = legal && p[c] >= 0 && isfinite(p[c]);
            sum += p[c];
        }
        if (!legal || sum <= 0) {
            mem_free(evidence);
            return error_set(error, TEMPER_BAD_DATA,
                             "row %zu of the probabilities has a number below 0, or none above it; give probabilities",
                             item + 1);
        }
        for (size_t c = 0; c < classes; c++)
            evidence[item * classes + c] = log(fmax(p[c] / sum, LEAST_PROBABILITY));
    }
    *out = evidence;
    return TEMPER_OK;
}

/* ---- The estimate ---------------------------------------------------------------------------- */

uint32_t crowd_best_class(const struct crowd *crowd, size_t item)
{
    const double *q = crowd->posterior + item * crowd->classes;
    size_t best = 0;
    for (size_t c = 1; c < crowd->classes; c++)
        if (q[c] > q[best] + 1e-12 || (q[c] > q[best] - 1e-12 && crowd->prior.bias[c] > crowd->prior.bias[best]))
            best = c;
    return (uint32_t)best;
}

/* Keeps the labels of all items; returns how many have changed. */
static size_t update_labels(const struct crowd *crowd, uint32_t *label)
{
    size_t changed = 0;
    for (size_t item = 0; item < crowd->items; item++) {
        uint32_t best = crowd_best_class(crowd, item);
        changed += best != label[item];
        label[item] = best;
    }
    return changed;
}

/* Models and consensus in turn, until no label changes. */
static temper_status run_rounds(struct crowd *crowd, struct consensus_model *model, uint32_t *label,
                                temper_consensus_report *report, temper_error *error)
{
    update_labels(crowd, label);
    model->all = model->options->rounds * model->options->folds;
    for (size_t round = 0; round < model->options->rounds; round++) {
        TRY(consensus_model_fit(model, crowd, error));
        row_prior_set_evidence(&crowd->prior, model->evidence);
        TRY(crowd_fit(crowd, error));
        report->rounds++;
        if (update_labels(crowd, label) == 0)
            break;
    }
    return TEMPER_OK;
}

/* With models of the features. */
static temper_status fit_with_data(struct crowd *crowd, const temper_consensus_options *options,
                                   struct consensus_model *model, temper_consensus_report *report, temper_error *error)
{
    bool usable;
    TRY(consensus_model_new(crowd, options, model, &usable, report, error));
    if (!usable)
        return TEMPER_OK;
    uint32_t *label = mem_zeroed(crowd->items, sizeof *label);
    temper_status status = label ? run_rounds(crowd, model, label, report, error) : error_no_memory(error);
    mem_free(label);
    return status;
}

/* Votes alone first: a model would have nothing to learn from, and its sharpness nothing to be compared with. */
static temper_status estimate(struct crowd *crowd, const temper_consensus_options *options, double **evidence,
                              struct consensus_model *model, temper_consensus_report *report, temper_error *error)
{
    TRY(crowd_fit(crowd, error));
    if (options->probabilities) {
        TRY(take_probabilities(crowd->votes, options->probabilities, evidence, error));
        row_prior_set_evidence(&crowd->prior, *evidence);
        return crowd_fit(crowd, error);
    }
    return options->data ? fit_with_data(crowd, options, model, report, error) : TEMPER_OK;
}

/* Majority: the shares of votes stay, and annotators are compared with them. */
static temper_status count_majority(struct crowd *crowd, temper_error *error)
{
    TRY(crowd_count(crowd, error));
    row_prior_fit(&crowd->prior, crowd->posterior);
    crowd_pool(crowd);
    crowd_maximise(crowd);
    return TEMPER_OK;
}

/* What the user should know. */
static void note_assumptions(const struct crowd *crowd, enum consensus_method method, temper_consensus_report *report)
{
    size_t most = 0;
    for (size_t item = 0; item < crowd->items; item++) {
        size_t votes = crowd->votes->item_start[item + 1] - crowd->votes->item_start[item];
        most = votes > most ? votes : most;
    }
    if (most < 2)
        sentence_append(report->notes, sizeof report->notes,
                        "warning: no item has more than one label, so that annotators cannot be compared with each "
                        "other");
    if (crowd->one_coin && method == METHOD_DAWID_SKENE)
        sentence_append(report->notes, sizeof report->notes,
                        "confusion matrices of %zu annotators and %zu classes are too large: each annotator has one "
                        "ability instead",
                        crowd->annotators, crowd->classes);
}

temper_status consensus(const struct votes *votes, const temper_consensus_options *options,
                        temper_consensus_report *report, temper_error *error)
{
    enum consensus_method method = METHOD_DAWID_SKENE;
    temper_consensus_report made = {.sharpness = (double)NAN, .model_agreement = (double)NAN};
    struct consensus_model model = {0};
    struct crowd crowd;
    double *evidence = NULL, started = train_clock();
    if (options->method)
        TRY(find_method(options->method, &method, error));
    TRY(check(votes, options, method, error));
    TRY(crowd_new(votes, method == METHOD_ONE_COIN, options->threads, &crowd, error));
    temper_status status = method == METHOD_MAJORITY ? count_majority(&crowd, error)
                                                     : estimate(&crowd, options, &evidence, &model, &made, error);
    if (status == TEMPER_OK) {
        note_assumptions(&crowd, method, &made);
        status = consensus_summarise(&crowd, method == METHOD_MAJORITY, &made, error);
    }
    crowd_free(&crowd);
    consensus_model_free(&model);
    mem_free(evidence);
    made.seconds = train_clock() - started;
    if (status == TEMPER_OK)
        *report = made;
    else
        temper_consensus_report_free(&made);
    return status;
}

/* ---- Tables of probabilities ----------------------------------------------------------------- */

/* The column of each class. */
static temper_status match_columns(const struct votes *votes, const struct dataset *table, size_t *column,
                                   temper_error *error)
{
    const struct classes *classes = &votes->classes;
    char file[PATH_SHOWN];
    if (table->features.count == 0 && table->x.columns != classes->count)
        return error_set(error, TEMPER_BAD_DATA, "%s: %zu columns for %zu classes (%s); give a column for each class",
                         source_shown(table, file), (size_t)table->x.columns, classes->count,
                         class_names_text(classes).text);
    for (size_t c = 0; c < classes->count; c++)
        column[c] = table->features.count ? SIZE_MAX : c;
    for (size_t j = 0; j < table->features.count; j++) {
        const char *name = table->features.name[j];
        uint32_t class = classes_find(classes, name, strlen(name));
        if (class != CLASSES_NONE)
            column[class] = j;
    }
    for (size_t c = 0; c < classes->count; c++)
        if (column[c] == SIZE_MAX)
            return error_set(error, TEMPER_BAD_DATA,
                             "%s: no column for class '%.64s'; name the columns as the labels, or give an array (npy) "
                             "with columns in the order of the classes: %s",
                             source_shown(table, file), classes->name[c], class_names_text(classes).text);
    return TEMPER_OK;
}

/* Whether the numbers of a row are probabilities. */
static bool are_probabilities(const double *values, size_t count)
{
    double sum = 0;
    bool legal = true;
    for (size_t j = 0; j < count; j++) {
        legal = legal && values[j] >= 0;
        sum += values[j];
    }
    return legal && fabs(sum - 1) <= SUM_TOLERANCE;
}

static temper_status refuse_row(const struct dataset *table, size_t row, temper_error *error)
{
    size_t line = table->line ? (size_t)table->line[row] : 0;
    char place[32] = "", file[PATH_SHOWN];
    if (line)
        snprintf(place, sizeof place, ":%zu", line);
    return error_at(error, TEMPER_BAD_DATA, line, 0,
                    "%s%s: the numbers of row %zu are no probabilities, which are from 0 to 1 and sum to 1; give a "
                    "column for each class, and pass --id COLUMN if one names the rows",
                    source_shown(table, file), place, row + 1);
}

temper_status consensus_probabilities(const struct votes *votes, const struct dataset *table, double *out,
                                      temper_error *error)
{
    size_t classes = votes->classes.count;
    if (table->x.rows != votes->items)
        return error_set(error, TEMPER_USAGE, "%s items for %s rows of probabilities; give a row for each item",
                         count_shown(votes->items).text, count_shown(table->x.rows).text);
    size_t *column = mem_alloc(classes, sizeof *column);
    double *values = mem_alloc((size_t)table->x.columns, sizeof *values);
    temper_status status = column && values ? match_columns(votes, table, column, error) : error_no_memory(error);
    for (size_t row = 0; status == TEMPER_OK && row < votes->items; row++) {
        matrix_row_f64(&table->x, row, values);
        if (!are_probabilities(values, (size_t)table->x.columns))
            status = refuse_row(table, row, error);
        for (size_t c = 0; status == TEMPER_OK && c < classes; c++)
            out[row * classes + c] = values[column[c]];
    }
    mem_free(column);
    mem_free(values);
    return status;
}

/* ---- Data with the consensus ----------------------------------------------------------------- */

/* Replaces the labels and classes of copied rows. */
static temper_status set_labels(struct dataset *made, const size_t *row, const struct votes *votes,
                                const temper_consensus_report *report, temper_error *error)
{
    size_t rows = (size_t)made->x.rows;
    struct classes classes = {0};
    uint32_t *label = mem_alloc(rows, sizeof *label);
    if (!label)
        return error_no_memory(error);
    temper_status status = classes_copy(&votes->classes, &classes, error);
    if (status != TEMPER_OK) {
        mem_free(label);
        return status;
    }
    for (size_t i = 0; i < rows; i++)
        label[i] = report->item[row[i]].label;
    dataset_free_array(made, made->label);
    classes_free(&made->classes);
    made->label = label;
    made->classes = classes;
    return TEMPER_OK;
}

temper_status consensus_label(const struct dataset *data, const struct votes *votes,
                              const temper_consensus_report *report, struct dataset **out, temper_error *error)
{
    struct dataset *made = NULL;
    size_t count = 0;
    if (report->items != data->x.rows || votes->items != report->items)
        return error_set(error, TEMPER_USAGE, "a consensus of %s items for %s rows of data; match the votes first",
                         count_shown(report->items).text, count_shown(data->x.rows).text);
    size_t *row = mem_alloc(report->items, sizeof *row);
    if (!row)
        return error_no_memory(error);
    for (size_t item = 0; item < report->items; item++)
        if (report->item[item].votes > 0)
            row[count++] = item;
    temper_status status = dataset_rows(data, row, count, &made, error);
    if (status == TEMPER_OK)
        status = set_labels(made, row, votes, report, error);
    mem_free(row);
    if (status == TEMPER_OK)
        *out = made;
    else
        dataset_free(made);
    return status;
}
