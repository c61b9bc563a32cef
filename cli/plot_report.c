/* plot_report: temper plot report. Takes a model through labelled rows, a batch at a time. */
#include <string.h>

#include "applying.h"
#include "message.h"
#include "output.h"
#include "plot.h"
#include "reading.h"

static bool ends_in_svg(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

static temper_status add_batches(temper_reporter *reporter, struct application *application)
{
    temper_error error;
    for (;;) {
        temper_data *batch;
        temper_status status = application_next(application, &batch);
        if (status != TEMPER_OK || !batch)
            return status;
        status = temper_reporter_add(reporter, batch, threads_of(application->arguments), &error);
        temper_data_free(batch);
        if (status != TEMPER_OK)
            return complain_error(&error);
    }
}

static temper_status save(const struct application *application, temper_reporter *reporter)
{
    const struct arguments *arguments = application->arguments;
    const char *path = text_of(arguments, OPT_OUTPUT);
    temper_error error;
    char *text;
    size_t length;
    temper_reporter_source(reporter, text_of(arguments, OPT_MODEL), arguments->operand[0],
                           temper_stream_dropped(application->stream));
    if (temper_reporter_end(reporter, ends_in_svg(path), &text, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(path, text, length);
    temper_free(text);
    return status;
}

static temper_status report_on(struct application *application)
{
    temper_error error;
    temper_reporter *reporter;
    if (temper_reporter_new(application->model, &reporter, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = add_batches(reporter, application);
    if (status == TEMPER_OK)
        return save(application, reporter);
    temper_reporter_end(reporter, 0, NULL, NULL, NULL);
    return status;
}

/* The word "report" is not for who applies models to data, which is what stands behind it. */
temper_status plot_report(const struct arguments *arguments)
{
    struct application application;
    struct arguments shifted = *arguments;
    shifted.operand[0] = arguments->operand[1];
    shifted.operand_count = 1;
    temper_status status = application_begin(&application, &shifted);
    if (status == TEMPER_OK)
        status = report_on(&application);
    application_end(&application);
    return status;
}
