/* reporter: temper_model_report_*: collects what the report on a model shows, one batch of rows at a time.
 *
 * Memory grows by nine bytes a row: its margin, and whether it is predicted wrongly. Everything else is a sum: the
 * confusion table and the measures of temper_evaluator, and the bins of the calibration. So data that are larger than
 * memory can be reported on in batches. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "model/model.h"
#include "report/model_report.h"

/* The state between new and finish. */
struct temper_model_report {
    const temper_model *model;   /* borrowed */
    temper_evaluator *evaluator; /* measures and confusion table */
    struct model_report report;  /* what src/report draws */
    const char **class_names;    /* [classes]; the strings belong to the model */
    size_t capacity;             /* of margins and wrong */
};

/* ---- The model ------------------------------------------------------------------------------- */

/* A weight in the scaled features that the solver used: only there are weights comparable. */
static double solver_weight(const temper_model *model, size_t vector, size_t feature)
{
    const struct scale *scale = &((const struct model *)model)->scale;
    double weight = temper_model_weights(model, vector)[feature];
    return scale->factor ? weight / scale->factor[feature] : weight;
}

/* "petal width", or "petal width -> setosa" where each class has a weight vector. */
static void name_weight(const temper_model *model, struct strong_weight *weight)
{
    enum { NAME_CHARACTERS = 28 };
    const char *name = temper_model_feature_name(model, weight->feature);
    if (name)
        append_short(&weight->name, name, NAME_CHARACTERS);
    else
        text_format(&weight->name, "feature %zu", weight->feature + 1);
    if (temper_model_weight_vectors(model) == 1)
        return;
    text_append(&weight->name, " \xe2\x86\x92 ");
    append_short(&weight->name, temper_model_class_name(model, weight->vector), NAME_CHARACTERS);
}

/* Inserts a weight into the list of the strongest, which is sorted by absolute value; 0 is not listed. */
static void offer_weight(struct temper_model_report *reporter, size_t vector, size_t feature)
{
    struct model_report *report = &reporter->report;
    double value = solver_weight(reporter->model, vector, feature);
    size_t place = report->weight_count;
    while (place > 0 && fabs(report->weights[place - 1].value) < fabs(value))
        place--;
    if (place == REPORT_WEIGHTS || value == 0)
        return;
    report->weight_count += report->weight_count < REPORT_WEIGHTS;
    /* Insertion into a short sorted list; the weakest one drops out if it is full. */
    memmove(report->weights + place + 1, report->weights + place,
            (report->weight_count - 1 - place) * sizeof *report->weights);
    report->weights[place] = (struct strong_weight){.value = value, .vector = vector, .feature = feature};
}

/* Copies the facts about the model, and finds its strongest weights. */
static void take_model(struct temper_model_report *reporter)
{
    const temper_model *model = reporter->model;
    struct model_report *report = &reporter->report;
    report->loss = temper_model_loss(model);
    report->features = temper_model_features(model);
    report->calibrated = temper_prediction_width(model, TEMPER_PREDICT_PROBABILITIES) > 0;
    report->weights_scaled = ((const struct model *)model)->scale.factor != NULL;
    temper_model_summarise(model, &report->summary);
    report->confusion.classes = temper_model_classes(model);
    report->confusion.names = reporter->class_names;
    for (size_t i = 0; i < temper_model_classes(model); i++)
        reporter->class_names[i] = temper_model_class_name(model, i);
    for (size_t vector = 0; vector < temper_model_weight_vectors(model); vector++)
        for (size_t i = 0; i < report->features; i++)
            offer_weight(reporter, vector, i);
    for (size_t i = 0; i < report->weight_count; i++)
        name_weight(model, &report->weights[i]);
}

/* Frees everything but the model, which belongs to the caller. */
static void reporter_free(struct temper_model_report *reporter)
{
    temper_evaluation_free(&reporter->report.evaluation);
    for (size_t i = 0; i < reporter->report.weight_count; i++)
        text_free(&reporter->report.weights[i].name);
    mem_free(reporter->report.margins);
    mem_free(reporter->report.wrong);
    mem_free((void *)reporter->class_names);
    mem_free(reporter);
}

/* Begins a report. The model must stay alive until temper_model_report_finish. */
temper_status temper_model_report_new(const temper_model *model, temper_model_report **reporter, temper_error *error)
{
    struct temper_model_report *made = mem_zeroed(1, sizeof *made);
    if (!made)
        return error_no_memory(error);
    made->model = model;
    made->class_names = (const char **)mem_alloc(temper_model_classes(model), sizeof *made->class_names);
    temper_status status =
        made->class_names ? temper_evaluator_new(model, &made->evaluator, error) : error_no_memory(error);
    if (status != TEMPER_OK) {
        reporter_free(made);
        return status;
    }
    take_model(made);
    *reporter = made;
    return TEMPER_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The predictions for a batch, and its classes as the model numbers them. */
struct report_batch {
    const struct dataset *data;
    size_t width;          /* decision values of a row */
    double *decisions;     /* [rows][width] */
    double *probabilities; /* [rows][classes], or NULL */
    uint32_t *class_of;    /* class of the model for each class of the data; CLASSES_NONE: unknown */
};

/* Frees the predictions of a batch; the data belong to the caller. */
static void batch_free(struct report_batch *batch)
{
    mem_free(batch->decisions);
    mem_free(batch->probabilities);
    mem_free(batch->class_of);
}

/* Predicts one kind of output for all rows into a new array. */
static temper_status predict(const temper_model *model, const temper_data *data, temper_prediction output,
                             size_t threads, double **out, temper_error *error)
{
    size_t count;
    /* The product may overflow on 32-bit machines. */
    if (!mul_size((size_t)temper_data_rows(data), temper_prediction_width(model, output), &count) ||
        !(*out = mem_alloc(count, sizeof **out)))
        return error_no_memory(error);
    return temper_predict(model, data, output, threads, *out, error);
}

/* Matches the classes of the data with those of the model by name. */
static temper_status match_classes(const struct temper_model_report *reporter, struct report_batch *batch,
                                   temper_error *error)
{
    /* Class numbers of the data and of the model may differ: files name classes in the order of their appearance. */
    const struct classes *classes = &batch->data->classes;
    batch->class_of = mem_alloc(classes->count, sizeof *batch->class_of);
    if (!batch->class_of)
        return error_no_memory(error);
    for (size_t i = 0; i < classes->count; i++) {
        batch->class_of[i] = CLASSES_NONE;
        for (size_t j = 0; j < reporter->report.confusion.classes; j++)
            if (strcmp(classes->name[i], reporter->class_names[j]) == 0)
                batch->class_of[i] = (uint32_t)j;
    }
    return TEMPER_OK;
}

/* The index of the largest of n numbers, apart from one (n: none). */
static size_t largest(const double *values, size_t n, size_t excluded)
{
    /* Ties go to the first, as in prediction. */
    size_t best = excluded == 0 ? 1 : 0;
    for (size_t i = best + 1; i < n; i++)
        if (i != excluded && values[i] > values[best])
            best = i;
    return best;
}

/* The decision value of the given class minus the largest of the others. */
static double margin_of(const double *decisions, size_t width, uint32_t given)
{
    assert(decisions); /* the batch was predicted */
    if (width == 1)    /* two classes: one decision value, for the second class */
        return given == 1 ? decisions[0] : -decisions[0];
    return decisions[given] - decisions[largest(decisions, width, given)];
}

/* Adds a row to the margins and to the calibration; rows of a class that the model does not know are left out. */
static void add_row(struct temper_model_report *reporter, const struct report_batch *batch, size_t row)
{
    struct model_report *report = &reporter->report;
    size_t classes = report->confusion.classes;
    uint32_t given = batch->class_of[batch->data->label[row]];
    if (given == CLASSES_NONE)
        return;
    double margin = margin_of(batch->decisions + row * batch->width, batch->width, given);
    double weight = batch->data->weight ? batch->data->weight[row] : 1;
    /* Models of diverged fits may have infinite decision values, which no axis can show. */
    report->margins[report->rows] = fmin(fmax(margin, -LARGEST_DRAWN), LARGEST_DRAWN);
    report->wrong[report->rows++] = margin < 0;
    if (!batch->probabilities)
        return;
    const double *p = batch->probabilities + row * classes; /* of the row */
    size_t predicted = largest(p, classes, classes);
    /* Confidence is the probability of the predicted class, right or wrong. */
    calibration_add(&report->calibration, p[predicted], predicted == given, weight);
}

/* Grows margins and wrong by `more` rows; the capacity at least doubles, so that adding batches costs linear time.
 * False without memory. */
static bool reserve(struct temper_model_report *reporter, size_t more)
{
    struct model_report *report = &reporter->report;
    size_t needed, capacity = reporter->capacity;
    if (!add_size(report->rows, more, &needed))
        return false;
    if (needed <= capacity)
        return true;
    capacity = needed > 2 * capacity ? needed : 2 * capacity;
    double *margins = mem_resize(report->margins, capacity, sizeof *margins);
    report->margins = margins ? margins : report->margins; /* still owned if the second one fails */
    unsigned char *wrong = mem_resize(report->wrong, capacity, sizeof *wrong);
    report->wrong = wrong ? wrong : report->wrong;
    if (!margins || !wrong)
        return false;
    reporter->capacity = capacity;
    return true;
}

/* Decision values for all models; probabilities only where the loss gives calibrated ones. */
static temper_status predict_batch(const struct temper_model_report *reporter, const temper_data *data, size_t threads,
                                   struct report_batch *batch, temper_error *error)
{
    const temper_model *model = reporter->model;
    batch->width = temper_prediction_width(model, TEMPER_PREDICT_DECISIONS);
    TRY(match_classes(reporter, batch, error));
    TRY(predict(model, data, TEMPER_PREDICT_DECISIONS, threads, &batch->decisions, error));
    if (reporter->report.calibrated)
        TRY(predict(model, data, TEMPER_PREDICT_PROBABILITIES, threads, &batch->probabilities, error));
    return TEMPER_OK; /* the caller frees the batch in any case */
}

/* Adds labelled rows. The order of the calls does not matter for the tables; it does not change the pictures
 * either, as they show counts. */
temper_status temper_model_report_add(temper_model_report *reporter, const temper_data *data, size_t threads,
                                      temper_error *error)
{
    struct report_batch batch = {.data = (const struct dataset *)data};
    size_t rows = (size_t)batch.data->x.rows;
    if (!batch.data->label)
        return error_set(error, TEMPER_USAGE,
                         "the data has no labels, and a report is on how they are predicted; give labelled rows");
    temper_status status = temper_evaluator_add(reporter->evaluator, data, threads, error);
    if (status == TEMPER_OK)
        status = predict_batch(reporter, data, threads, &batch, error);
    if (status == TEMPER_OK && !reserve(reporter, rows))
        status = error_no_memory(error);
    for (size_t i = 0; status == TEMPER_OK && i < rows; i++)
        add_row(reporter, &batch, i);
    batch_free(&batch);
    return status;
}

/* Names of the files for the heading of the page; the strings are borrowed. */
void temper_model_report_set_source(temper_model_report *reporter, const char *model, const char *data, size_t dropped)
{
    reporter->report.model = model;
    reporter->report.data = data;
    reporter->report.dropped = dropped;
}

/* Writes the page or the picture, and frees the reporter in any case. Without `text` it only frees. */
temper_status temper_model_report_finish(temper_model_report *reporter, int as_svg, temper_text *text,
                                         temper_error *error)
{
    struct model_report *report = &reporter->report;
    struct text out = {0};
    temper_status status = temper_evaluator_finish(reporter->evaluator, text ? &report->evaluation : NULL, error);
    report->confusion.sums = report->evaluation.confusion; /* owned by the evaluation */
    if (status == TEMPER_OK && text)
        /* Both draw from the same sums; the picture leaves the tables out. */
        (as_svg ? model_report_svg : model_report_page)(&out, report);
    if (text)
        status = api_publish_text(&out, status, text, error);
    reporter_free(reporter);
    return status;
}
