/* api: tuning. */
#include "search/tune.h"

#include "base/memory.h"
#include "temper.h"

temper_tune_options temper_tune_defaults(void)
{
    temper_tune_options options = {.folds = 10, .train = temper_train_defaults()};
    options.train.checkpoint_seconds = 2; /* a table is small */
    return options;
}

temper_status temper_tune(const temper_data *data, const temper_tune_options *options, temper_model **model,
                          temper_tune_report *report, temper_error *error)
{
    const temper_tune_options defaults = temper_tune_defaults();
    struct model *tuned = NULL;
    temper_tune_report made;
    temper_status status =
        tune((const struct dataset *)data, options ? options : &defaults, model ? &tuned : NULL, &made, error);
    if (status != TEMPER_OK)
        return status;
    if (model)
        *model = (temper_model *)tuned;
    if (report)
        *report = made;
    else
        temper_tune_report_free(&made);
    return TEMPER_OK;
}

void temper_tune_report_free(temper_tune_report *report)
{
    if (!report)
        return;
    mem_free(report->table);
    mem_free(report->fold);
    mem_free(report->ask);
    mem_free(report->ask_label);
    report->table = NULL;
    report->fold = NULL;
    report->ask = NULL;
    report->ask_label = NULL;
    report->count = report->ask_count = 0;
}
