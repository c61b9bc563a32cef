/* cmd_eval: temper eval. Measures a model on labelled rows; eval_report.c prints what it finds.
 *
 * Rows are read and evaluated batch by batch, so that a file may be larger than the memory. */
#include <string.h>

#include "apply_model.h"
#include "eval/eval_report.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* The table, or JSON with --json, on the standard output. */
static temper_status print_report(const struct arguments *arguments, const struct eval_result *result)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    (was_given(arguments, OPT_JSON) ? eval_print_json : eval_print_table)(buffer.stream, result);
    return output_print(&buffer);
}

/* The class of --positive, by its name; the second one if it is not given. */
static temper_status find_positive(const struct arguments *arguments, const temper_model *model, size_t *positive)
{
    const char *name = text_of(arguments, OPT_POSITIVE);
    size_t classes = temper_model_classes(model);
    *positive = 1;
    if (!name)
        return TEMPER_OK;
    if (classes != 2)
        return fail(TEMPER_USAGE,
                    "eval: --positive is for the table of thresholds of two classes, and the model has %zu; drop it",
                    classes);
    for (size_t c = 0; c < classes; c++)
        if (strcmp(temper_model_class_name(model, c), name) == 0) {
            *positive = c;
            return TEMPER_OK;
        }
    return fail(TEMPER_USAGE, "eval: --positive %s: the model has no such class; its classes are %s and %s", name,
                temper_model_class_name(model, 0), temper_model_class_name(model, 1));
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Adds the rows of one batch to the metrics. An unlabelled file is noticed at its first batch. */
static temper_status add_batch(const struct arguments *arguments, temper_evaluator *evaluator, const temper_data *batch)
{
    temper_error error;
    temper_status status = TEMPER_OK;
    if (temper_data_rows(batch) > 0 && temper_data_classes(batch) == 0)
        status = fail(TEMPER_BAD_DATA,
                      "%s: eval needs labels, and the data has none; name their column by --label or their file by "
                      "--labels",
                      arguments->operand[0]);
    TRY(process_group_agree(status)); /* other processes may have no rows in this batch */
    return checked(temper_evaluator_add(evaluator, batch, threads_of(arguments), &error), &error);
}

/* Evaluates the whole file batch by batch. */
static temper_status add_batches(struct model_application *application, temper_evaluator *evaluator)
{
    temper_data *batch;
    for (;;) {
        TRY(application_next(application, &batch));
        if (!batch)
            return TEMPER_OK;
        temper_status status = add_batch(application->arguments, evaluator, batch);
        temper_data_free(batch);
        TRY(status);
    }
}

/* Computes all metrics, then prints them. temper_evaluator_finish releases the evaluator in both cases. */
static temper_status evaluate(struct model_application *application)
{
    struct eval_result result = {.model = application->model};
    temper_evaluator *evaluator;
    temper_error error;
    TRY(find_positive(application->arguments, application->model, &result.positive));
    /* The evaluator keeps sums, and scores of a bounded number of rows. */
    TRY(checked(temper_evaluator_new(application->model, &evaluator, &error), &error));
    temper_status status = add_batches(application, evaluator);
    if (status != TEMPER_OK) {
        temper_evaluator_finish(evaluator, NULL, &error); /* frees it */
        return status;
    }
    TRY(checked(temper_evaluator_finish(evaluator, &result.found, &error), &error));
    /* Known only after the last batch. */
    result.dropped = temper_batch_reader_dropped_rows(application->reader);
    result.seconds = seconds_now() - application->start;
    /* The report borrows the matrix, which is freed after it. */
    status = print_report(application->arguments, &result);
    temper_evaluation_free(&result.found);
    return status;
}

/* application_end also after a failed begin: it frees whatever was opened. */
temper_status cmd_eval(const struct arguments *arguments)
{
    struct model_application application;
    temper_status status = application_begin(&application, arguments, true);
    if (status == TEMPER_OK)
        status = evaluate(&application);
    application_end(&application);
    return status;
}
