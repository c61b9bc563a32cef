/* check: what cannot be trained, and why. */
#include <math.h>
#include <string.h>

#include "tempered/loss_family.h"
#include "train/train_state.h"

/* How many classes there are among the rows that count, as far as two, and the first of them. */
struct seen {
    uint32_t classes, first;
};

static void see_labels(void *context, void *state)
{
    const struct dataset *data = ((const struct training_run *)context)->given;
    struct seen *seen = state;
    for (uint64_t row = 0; row < data->x.rows && seen->classes < 2; row++) {
        if (data->weight && data->weight[row] == 0)
            continue;
        if (seen->classes == 0 || data->label[row] != seen->first)
            seen->classes++;
        if (seen->classes == 1)
            seen->first = data->label[row];
    }
}

static temper_status check_labels(struct training_run *t)
{
    const struct dataset *data = t->given;
    struct seen seen = {0, 0};
    if (!data->label)
        return error_set(t->error, TEMPER_BAD_DATA,
                         "%s: there are no labels to learn from; pass --label COLUMN or "
                         "--labels FILE",
                         data->file.path ? data->file.path : "data");
    temper_status status = comm_in_turn(data->ranks.comm, see_labels, t, &seen, sizeof seen, t->error);
    if (status != TEMPER_OK)
        return status;
    if (seen.classes < 2)
        return error_set(t->error, TEMPER_BAD_DATA,
                         "%s: all rows that count have one class, '%.40s'; a classifier needs two: "
                         "give rows of another, or name another column by --label",
                         data->file.path ? data->file.path : "data",
                         data->classes.count ? data->classes.name[seen.first] : "");
    if (data->x.columns == 0)
        return error_set(t->error, TEMPER_BAD_DATA, "%s: there are no features, only labels; nothing can be learnt",
                         data->file.path ? data->file.path : "data");
    return TEMPER_OK;
}

temper_status training_check_loss(temper_loss_spec loss, temper_error *error)
{
    bool temperatures = loss_has_temperatures(loss);
    if (temperatures && !(isfinite(loss.t1) && loss.t1 >= 0 && isfinite(loss.t2) && loss.t2 >= 0))
        return error_set(error, TEMPER_USAGE, "temperatures must be numbers >= 0; try --t1 0.3 --t2 1");
    if (!temperatures && !(isfinite(loss.smoothing) && loss.smoothing >= 0))
        return error_set(error, TEMPER_USAGE, "the smoothing must be a number >= 0; try 0");
    if (loss_is_two_temperature(loss) && !loss_shape(loss.t1, loss.t2).smooth)
        return error_set(error, TEMPER_USAGE,
                         "the loss or its slope is unbounded at these temperatures (t2 < 1 <= t1, "
                         "or t2 < t1 < 1), so they cannot be trained; raise t2 to at least t1, "
                         "and to at least 1 if t1 is");
    return TEMPER_OK;
}

static temper_status check_numbers(const struct training_run *t)
{
    const temper_train_options *options = t->options;
    if (!isnan(options->l2) && !(isfinite(options->l2) && options->l2 >= 0))
        return error_set(t->error, TEMPER_USAGE, "l2 must be a number >= 0; try --l2 auto");
    if (!(options->tolerance > 0) || !isfinite(options->tolerance))
        return error_set(t->error, TEMPER_USAGE, "tol must be a number > 0; try --tol 1e-4");
    if (options->starts < 1 || options->starts > MOST_STARTS)
        return error_set(t->error, TEMPER_USAGE, "starts must be 1, 2 or 3");
    if (options->warm_start && options->init && strcmp(options->init, "zero") != 0)
        return error_set(t->error, TEMPER_USAGE, "a warm start leaves no room for another init; give one of them");
    if (options->resume && !options->checkpoint)
        return error_set(t->error, TEMPER_USAGE, "there is no checkpoint to resume from; pass --checkpoint FILE too");
    return TEMPER_OK;
}

temper_status training_check(struct training_run *t)
{
    temper_status status = t->plan ? TEMPER_OK : check_labels(t); /* a plan was checked */
    t->loss = loss_resolve(t->options->loss);
    if (status == TEMPER_OK)
        status = training_check_loss(t->loss, t->error);
    return status == TEMPER_OK ? check_numbers(t) : status;
}
