/* apply_model: loads a model and opens a reader of batches for it, so that predict, eval and plot report need memory
 * for one batch of rows only, however large the file is. */
#include "apply_model.h"

#include <string.h>

#include "message.h"
#include "options/library_options.h"
#include "progress.h"
#include "temper_extra.h"

/* Checks the command line before anything is read: a missing model or two inputs from one stream would otherwise be
 * reported as a broken file after a long wait for input. */
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

/* The struct is cleared before the first check, so that application_end is safe after a failure at any point. */
temper_status application_begin(struct model_application *application, const struct arguments *arguments, bool labelled)
{
    temper_error error;
    temper_read_options options = data_options(arguments);
    if (!labelled && !options.label && options.automatic) /* a row without a label is predicted like the others */
        options.label = "none";
    options.allow_empty = !labelled; /* nothing is to be predicted of no rows, but nothing can be measured on them */
    *application = (struct model_application){.arguments = arguments, .start = seconds_now()};
    TRY(check_inputs(arguments));
    /* The model comes first: its columns and class names determine how the reader interprets the columns of DATA. */
    TRY(checked(temper_model_load(text_of(arguments, OPT_MODEL), &application->model, &error), &error));
    return checked(
        temper_batch_reader_open(application->model, arguments->operand[0], &options, &application->reader, &error),
        &error);
}

/* Prints what the reader has assumed, once. */
static void print_assumptions(struct model_application *application)
{
    if (application->reader && !application->noted)
        print_sentences(application->arguments, temper_batch_reader_notes(application->reader));
    application->noted = true;
}

/* Counts the rows of all processes: under MPI each process holds a part of the batch, and the report is about the whole
 * file. */
temper_status application_next(struct model_application *application, temper_data **batch)
{
    temper_error error;
    temper_status status = temper_batch_reader_next(application->reader, batch, &error);
    if (status != TEMPER_OK) {
        print_assumptions(application); /* before the error, which they may explain */
        return fail_with(&error);
    }
    if (*batch)
        application->rows += temper_data_total_rows(*batch);
    return TEMPER_OK;
}

/* What the reader assumed is complete only after the last batch, so its notes are printed at the end and not when it is
 * opened. */
void application_end(struct model_application *application)
{
    print_assumptions(application);
    temper_batch_reader_close(application->reader);
    temper_model_free(application->model);
}

/* Used by demo and experiment, where the test rows are in memory already: an evaluator with a single batch gives the
 * same number as 'temper eval' on the same rows. */
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
