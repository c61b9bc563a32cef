/* demo_story: spoils a set, trains both methods on it, and compares them. */
#include <stdlib.h>

#include "apply_model.h"
#include "demo/demo.h"
#include "message.h"

const char *const method_names[METHODS] = {"logistic", "two-temperature"};
const double demo_noise = 0.1;

/* The temperatures that training takes if none are given. */
temper_loss_spec demo_loss(size_t method)
{
    temper_loss_spec loss = temper_train_defaults().loss;
    if (method == LOGISTIC)
        loss.method = TEMPER_LOGISTIC;
    return temper_loss_resolve(loss);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static temper_status to_data(const struct rows *rows, temper_data **data)
{
    temper_error error;
    if (temper_data_borrow_f64(rows->x, rows->count, rows->features, rows->label, data, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

static temper_status spoil(struct story *story, uint64_t seed)
{
    const temper_noise_options options = {.kind = "random", .rate = demo_noise, .seed = seed};
    temper_error error;
    if (temper_data_add_noise(story->clean, &options, &story->noisy, &story->changes, &story->flipped, &error) !=
        TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

/* Test rows follow those for training, and so are none of them. */
static temper_status make_data(struct story *story, row_maker *make, uint64_t seed)
{
    story->train.count = make == make_two_features ? 600 : 2000;
    story->test.count = 4000;
    temper_status status = make_rows(make, seed, 0, &story->train);
    if (status == TEMPER_OK)
        status = make_rows(make, seed, story->train.count, &story->test);
    if (status == TEMPER_OK)
        status = to_data(&story->train, &story->clean);
    if (status == TEMPER_OK)
        status = to_data(&story->test, &story->clean_test);
    return status == TEMPER_OK ? spoil(story, seed) : status;
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* All else is as 'temper train' has it: nothing is tuned for the story. */
static temper_status train(const struct story *story, const temper_data *data, size_t method, size_t threads,
                           struct fit *fit)
{
    temper_error error;
    temper_train_report report;
    temper_train_options options = temper_train_defaults();
    options.loss = demo_loss(method);
    options.threads = threads;
    if (temper_train(data, &options, &fit->model, &report, &error) != TEMPER_OK)
        return complain_error(&error);
    return model_accuracy(fit->model, story->clean_test, threads, &fit->accuracy);
}

/* ---- Suspects -------------------------------------------------------------------------------- */

struct suspect {
    double probability; /* of the given label */
    size_t row;
};

/* Equal ones in order of their rows: the result must not depend on the sort. */
static int by_probability(const void *left, const void *right)
{
    const struct suspect *a = left, *b = right;
    if (a->probability != b->probability)
        return a->probability < b->probability ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static bool was_flipped(const struct story *story, size_t row)
{
    for (size_t i = 0; i < story->flipped; i++)
        if (story->changes[i].row == row + 1)
            return true;
    return false;
}

/* `p` has room for two numbers a row. */
static temper_status rank(struct story *story, size_t method, size_t threads, double *p, struct suspect *suspects)
{
    temper_error error;
    const uint32_t *given = temper_data_labels(story->noisy);
    size_t count = story->train.count;
    if (temper_predict(story->on_noisy[method].model, story->noisy, TEMPER_PREDICT_RAW_PROBABILITIES, threads, p,
                       &error) != TEMPER_OK)
        return complain_error(&error);
    for (size_t i = 0; i < count; i++)
        suspects[i] = (struct suspect){p[2 * i + given[i]], i};
    qsort(suspects, count, sizeof *suspects, by_probability);
    for (size_t i = 0; i < story->flipped; i++)
        story->found[method] += was_flipped(story, suspects[i].row);
    return TEMPER_OK;
}

static temper_status find_wrong(struct story *story, size_t method, size_t threads)
{
    double *p = calloc(story->train.count, 2 * sizeof *p);
    struct suspect *suspects = calloc(story->train.count, sizeof *suspects);
    temper_status status = p && suspects ? rank(story, method, threads, p, suspects) : complain_no_memory();
    free(p);
    free(suspects);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

temper_status story_tell(struct story *story, row_maker *make, uint64_t seed, size_t threads)
{
    temper_status status = make_data(story, make, seed);
    for (size_t i = 0; status == TEMPER_OK && i < METHODS; i++) {
        status = train(story, story->clean, i, threads, &story->on_clean[i]);
        if (status == TEMPER_OK)
            status = train(story, story->noisy, i, threads, &story->on_noisy[i]);
        if (status == TEMPER_OK)
            status = find_wrong(story, i, threads);
    }
    return status;
}

void story_free(struct story *story)
{
    for (size_t i = 0; i < METHODS; i++) {
        temper_model_free(story->on_clean[i].model);
        temper_model_free(story->on_noisy[i].model);
    }
    temper_free(story->changes);
    temper_data_free(story->noisy); /* it borrows from the clean ones, and they from the rows */
    temper_data_free(story->clean);
    temper_data_free(story->clean_test);
    free_rows(&story->train);
    free_rows(&story->test);
}
