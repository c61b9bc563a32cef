/* start: the initial weights: zero, small random numbers, or those of a model. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "train/train_state.h"
#include "train/train_streams.h"

static temper_status bad_init(const struct training_run *t)
{
    return error_set(t->error, TEMPER_USAGE,
                     "there is no init '%.64s'; there are zero and normal:STD, e.g. normal:0.001", t->options->init);
}

/* "normal:0.001" */
static temper_status start_random(struct training_run *t)
{
    static const char prefix[] = "normal:";
    const char *text = t->options->init;
    struct random random = {t->options->seed, STREAM_INIT};
    double deviation;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return bad_init(t);
    text += sizeof prefix - 1;
    if (number_f64(text, text + strlen(text), &deviation) != NUMBER_OK || !(deviation >= 0) || !isfinite(deviation))
        return bad_init(t);
    for (size_t i = 0; i < t->size; i++)
        t->initial[i] = deviation * random_normal(random, i);
    return TEMPER_OK;
}

/* ---- From a model ---------------------------------------------------------------------------- */

static temper_status warm_refused(const struct training_run *t, const char *why)
{
    return error_set(t->error, TEMPER_BAD_DATA,
                     "the model to start from does not fit the data: %s; train without a warm "
                     "start",
                     why);
}

static temper_status warm_fits(const struct training_run *t, const struct model *model)
{
    bool logs = t->ground->scale.kind == SCALE_LOG;
    if (model->features != t->data->x.columns)
        return warm_refused(t, "it has another number of features");
    if (model->classes.count != t->data->classes.count)
        return warm_refused(t, "it has another number of classes");
    if ((model->scale.kind == SCALE_LOG) != logs)
        return warm_refused(t, "one of them takes logarithms of the features");
    for (size_t c = 0; c < model->classes.count; c++)
        if (classes_find(&model->classes, t->data->classes.name[c], strlen(t->data->classes.name[c])) == CLASSES_NONE)
            return warm_refused(t, "it does not know all classes");
    return TEMPER_OK;
}

/* One vector of raw weights to the features as scaled: the inverse of what finish.c does. */
static void take_vector(struct training_run *t, const double *weights, double bias, size_t k, double sign)
{
    size_t columns = (size_t)t->data->x.columns, vectors = objective_vectors(t->objective);
    for (size_t j = 0; j < columns; j++) {
        double offset = t->ground->scale.offset ? t->ground->scale.offset[j] : 0;
        double factor = t->ground->scale.factor ? t->ground->scale.factor[j] : 1;
        t->initial[j * vectors + k] = sign * weights[j] / factor;
        bias += weights[j] * offset;
    }
    if (!t->options->no_intercept)
        t->initial[columns * vectors + k] = sign * bias;
}

static temper_status start_warm(struct training_run *t)
{
    const struct model *model = (const struct model *)t->options->warm_start;
    temper_status status = warm_fits(t, model);
    if (status != TEMPER_OK)
        return status;
    for (size_t k = 0; k < objective_vectors(t->objective); k++) {
        const char *name = t->data->classes.name[model->vectors == 1 ? 1 : k];
        uint32_t theirs = classes_find(&model->classes, name, strlen(name));
        if (model->vectors == 1) /* theirs may speak for the other class */
            take_vector(t, model->weights, model->bias[0], 0, theirs == 1 ? 1 : -1);
        else
            take_vector(t, model->weights + theirs * model->features, model->bias[theirs], k, 1);
    }
    return TEMPER_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What all classes have in common changes no loss and costs a penalty; the steps of matrices for
 * each class leave it as it is. */
static void centre_start(struct training_run *t)
{
    size_t vectors = objective_vectors(t->objective), n = t->size / vectors;
    if (t->whiten && preconditioner_by_class(t->data, t->loss, n))
        preconditioner_centre(t->initial, vectors, n);
}

temper_status training_start(struct training_run *t)
{
    const char *init = t->options->init;
    temper_status status = TEMPER_OK;
    t->initial = mem_zeroed(t->size, sizeof *t->initial);
    t->w = mem_zeroed(t->size, sizeof *t->w);
    t->gradient = mem_zeroed(t->size, sizeof *t->gradient);
    t->answer = mem_alloc(MOST_STARTS, t->size * sizeof *t->answer);
    if (!t->initial || !t->w || !t->gradient || !t->answer)
        return error_no_memory(t->error);
    if (t->begin)
        memcpy(t->initial, t->begin, t->size * sizeof *t->initial);
    else if (t->options->warm_start)
        status = start_warm(t);
    else if (init && strcmp(init, "zero") != 0)
        status = start_random(t);
    if (status != TEMPER_OK)
        return status;
    centre_start(t);
    schedule_fill(t);
    if (!t->options->checkpoint)
        return TEMPER_OK;
    if (!t->plan)
        status = dataset_fingerprint(t->given, t->threads, t->fingerprint, t->error);
    if (status == TEMPER_OK && t->valid)
        status = dataset_fingerprint(t->valid_data, t->threads, t->valid_fingerprint, t->error);
    return status == TEMPER_OK && t->options->resume ? checkpoint_load(t) : status;
}
