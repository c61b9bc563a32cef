/* api: training. */
#include <math.h>

#include "temper.h"
#include "train/train.h"

temper_train_options temper_train_defaults(void)
{
    return (temper_train_options){.loss = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                                  .l2 = NAN,
                                  .patience = 10,
                                  .starts = 1,
                                  .tolerance = 1e-4,
                                  .max_iterations = 1000,
                                  .seed = 1,
                                  .checkpoint_seconds = 30};
}

static const struct {
    const char *name, *text;
} stops[] = {
#define STOP(name, word, text) {word, text},
    TEMPER_STOP_LIST(STOP)
#undef STOP
};

const char *temper_stop_name(temper_stop stop)
{
    return (size_t)stop < sizeof stops / sizeof *stops ? stops[stop].name : "?";
}

const char *temper_stop_text(temper_stop stop)
{
    return (size_t)stop < sizeof stops / sizeof *stops ? stops[stop].text : "?";
}

temper_status temper_train(const temper_data *data, const temper_train_options *options, temper_model **model,
                           temper_train_report *report, temper_error *error)
{
    const temper_train_options defaults = temper_train_defaults();
    struct model *trained;
    temper_train_report made;
    temper_status status = train((const struct dataset *)data, options ? options : &defaults, &trained, &made, error);
    if (status != TEMPER_OK)
        return status;
    if (report)
        *report = made;
    *model = (temper_model *)trained;
    return TEMPER_OK;
}
