/* cmd_eval: temper eval. */
#include "applying.h"
#include "evaluation.h"
#include "message.h"
#include "output.h"
#include "reading.h"
#include "team.h"

static temper_status add_batch(const struct arguments *arguments, temper_evaluator *evaluator, const temper_data *batch)
{
    temper_error error;
    temper_status status = TEMPER_OK;
    if (temper_data_rows(batch) > 0 && temper_data_classes(batch) == 0)
        status = complain(TEMPER_BAD_DATA,
                          "%s: eval needs labels, and the data has none; name their "
                          "column by --label or their file by --labels",
                          arguments->operand[0]);
    status = team_agree(status); /* other processes may have no rows in this batch */
    if (status != TEMPER_OK)
        return status;
    if (temper_evaluator_add(evaluator, batch, threads_of(arguments), &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

static temper_status add_all(struct application *application, temper_evaluator *evaluator)
{
    temper_data *batch;
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK) {
        status = application_next(application, &batch);
        if (status != TEMPER_OK || !batch)
            break;
        status = add_batch(application->arguments, evaluator, batch);
        temper_data_free(batch);
    }
    return status;
}

static temper_status show(const struct arguments *arguments, const struct evaluation *evaluation)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(arguments, OPT_JSON))
        evaluation_json(page.stream, evaluation);
    else
        evaluation_table(page.stream, evaluation);
    return page_print(&page);
}

static temper_status evaluate(struct application *application)
{
    struct evaluation evaluation = {.model = application->model};
    temper_evaluator *evaluator;
    temper_error error;
    if (temper_evaluator_new(application->model, &evaluator, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = add_all(application, evaluator);
    if (status != TEMPER_OK) {
        temper_evaluator_end(evaluator, NULL, &error); /* only to free it */
        return status;
    }
    if (temper_evaluator_end(evaluator, &evaluation.found, &error) != TEMPER_OK)
        return complain_error(&error);
    evaluation.dropped = temper_stream_dropped(application->stream);
    evaluation.seconds = seconds_now() - application->start;
    status = show(application->arguments, &evaluation);
    temper_evaluation_free(&evaluation.found);
    return status;
}

temper_status cmd_eval(const struct arguments *arguments)
{
    struct application application;
    temper_status status = application_begin(&application, arguments);
    if (status == TEMPER_OK)
        status = evaluate(&application);
    application_end(&application);
    return status;
}
