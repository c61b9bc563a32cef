/* train: the story of a training, in named steps. */
#include "train/train.h"

#include <math.h>
#include <time.h>

#include "base/memory.h"
#include "train/train_state.h"

double training_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void training_free(struct training_run *t)
{
    objective_free(t->objective);
    objective_free(t->valid);
    dataset_free(t->valid_data);
    scaled_features_free(&t->own_ground);
    preconditioner_free(&t->metric);
    mem_free(t->initial);
    mem_free(t->w);
    mem_free(t->gradient);
    mem_free(t->answer);
    mem_free(t->valid_gradient);
    mem_free(t->valid_w);
    mem_free(t->memory);
}

temper_status training_execute(struct training_run *t, struct model **model, temper_train_report *report)
{
    static temper_status (*const steps[])(struct training_run *) = {
        training_check, training_plan, training_validation, training_start, training_solve,
    };
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](t);
    if (status == TEMPER_OK)
        status = training_finish(t, model, report);
    training_free(t);
    return status;
}

temper_status train(const struct dataset *data, const temper_train_options *options, struct model **model,
                    temper_train_report *report, temper_error *error)
{
    struct training_run t = {.given = data,
                             .data = data,
                             .options = options,
                             .error = error,
                             .valid_best = INFINITY,
                             .started = training_clock()};
    return training_execute(&t, model, report);
}
