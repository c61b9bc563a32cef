/* apply_model: opens a model and a reader of batches for it. */
#include "apply_model.h"

#include <string.h>

#include "message.h"
#include "options/library_options.h"
#include "progress.h"
#include "temper_extra.h"

static temper_status check_inputs(const struct arguments *arguments)
{
    const char *command = arguments->command->name, *data = arguments->operand[0];
    if (!was_given(arguments, OPT_MODEL))
        return fail(TEMPER_USAGE, "%s: --model is missing; give the file that 'temper train' has written", command);
    if (strcmp(text_of(arguments, OPT_MODEL), "-") == 0 && strcmp(data, "-") == 0)
        return fail(TEMPER_USAGE, "%s: model and data cannot both be the standard input; give one of them as a file",
                    command);
    return check_path(arguments, data);
}

temper_status application_begin(struct model_application *application, const struct arguments *arguments)
{
    temper_error error;
    temper_read_options options = data_options(arguments);
    *application = (struct model_application){.arguments = arguments, .start = seconds_now()};
    TRY(check_inputs(arguments));
    TRY(checked(temper_model_load(text_of(arguments, OPT_MODEL), &application->model, &error), &error));
    return checked(
        temper_batch_reader_open(application->model, arguments->operand[0], &options, &application->reader, &error),
        &error);
}

temper_status application_next(struct model_application *application, temper_data **batch)
{
    temper_error error;
    TRY(checked(temper_batch_reader_next(application->reader, batch, &error), &error));
    if (*batch)
        application->rows += temper_data_total_rows(*batch);
    return TEMPER_OK;
}

void application_end(struct model_application *application)
{
    if (application->reader) {
        print_sentences(application->arguments, temper_batch_reader_notes(application->reader));
        temper_batch_reader_close(application->reader);
    }
    temper_model_free(application->model);
}

temper_status model_accuracy(const temper_model *model, const temper_data *test, size_t threads, double *accuracy)
{
    temper_evaluator *evaluator;
    temper_evaluation evaluation;
    temper_error error;
    TRY(checked(temper_evaluator_new(model, &evaluator, &error), &error));
    if (temper_evaluator_add(evaluator, test, threads, &error) != TEMPER_OK) {
        temper_evaluator_finish(evaluator, NULL, NULL); /* frees it */
        return fail_with(&error);
    }
    TRY(checked(temper_evaluator_finish(evaluator, &evaluation, &error), &error));
    *accuracy = evaluation.accuracy;
    temper_evaluation_free(&evaluation);
    return TEMPER_OK;
}
