/* apply_model: a model and batches of rows for it. */
#include <string.h>

#include "apply_model.h"
#include "message.h"
#include "options/data_options.h"

static temper_status check_model(const struct arguments *arguments)
{
    const char *command = arguments->command->name, *data = arguments->operand[0];
    if (!was_given(arguments, OPT_MODEL))
        return complain(TEMPER_USAGE,
                        "%s: --model is missing; give the file that 'temper train' "
                        "has written",
                        command);
    if (strcmp(text_of(arguments, OPT_MODEL), "-") == 0 && strcmp(data, "-") == 0)
        return complain(TEMPER_USAGE,
                        "%s: model and data cannot both be the standard input; give "
                        "one of them as a file",
                        command);
    return check_path(arguments, data);
}

temper_status application_begin(struct application *application, const struct arguments *arguments)
{
    temper_error error;
    temper_read_options options = reading_options(arguments);
    *application = (struct application){.arguments = arguments, .start = seconds_now()};
    temper_status status = check_model(arguments);
    if (status != TEMPER_OK)
        return status;
    if (temper_model_load(text_of(arguments, OPT_MODEL), &application->model, &error) != TEMPER_OK ||
        temper_batch_reader_open(application->model, arguments->operand[0], &options, &application->stream, &error) !=
            TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

temper_status application_next(struct application *application, temper_data **batch)
{
    temper_error error;
    if (temper_batch_reader_next(application->stream, batch, &error) != TEMPER_OK)
        return complain_error(&error);
    if (*batch)
        application->rows += temper_data_total_rows(*batch);
    return TEMPER_OK;
}

void application_end(struct application *application)
{
    if (application->stream) {
        print_sentences(application->arguments, temper_batch_reader_notes(application->stream));
        temper_batch_reader_close(application->stream);
    }
    temper_model_free(application->model);
}

temper_status model_accuracy(const temper_model *model, const temper_data *test, size_t threads, double *accuracy)
{
    temper_evaluator *evaluator;
    temper_evaluation evaluation;
    temper_error error;
    if (temper_evaluator_new(model, &evaluator, &error) != TEMPER_OK)
        return complain_error(&error);
    if (temper_evaluator_add(evaluator, test, threads, &error) != TEMPER_OK) {
        temper_evaluator_finish(evaluator, NULL, NULL);
        return complain_error(&error);
    }
    if (temper_evaluator_finish(evaluator, &evaluation, &error) != TEMPER_OK)
        return complain_error(&error);
    *accuracy = evaluation.accuracy;
    temper_evaluation_free(&evaluation);
    return TEMPER_OK;
}
