/* cmd_info: temper info. */
#include "info.h"
#include "message.h"
#include "output.h"
#include "parse.h"
#include "reading.h"

static temper_status show(const struct arguments *arguments, const struct info *info)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    if (was_given(arguments, OPT_JSON))
        info_json(page.stream, info);
    else
        info_table(page.stream, info);
    return page_print(&page);
}

static temper_status sum_up(const struct arguments *arguments, struct info *info)
{
    temper_error error;
    double start = seconds_now();
    if (temper_data_summary(info->data, threads_of(arguments), &info->summary, &error) != TEMPER_OK)
        return complain_error(&error);
    info->seconds_summary = seconds_now() - start;
    temper_status status = show(arguments, info);
    temper_summary_free(&info->summary);
    return status;
}

static temper_status show_model(const struct arguments *arguments, const char *path)
{
    struct page page;
    temper_model *model;
    temper_error error;
    if (temper_model_load(path, &model, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = page_open(&page);
    if (status == TEMPER_OK && was_given(arguments, OPT_JSON))
        info_model_json(page.stream, path, model);
    else if (status == TEMPER_OK)
        info_model_table(page.stream, model);
    temper_model_free(model);
    return status == TEMPER_OK ? page_print(&page) : status;
}

/* Who says what format the data has has data. */
temper_status cmd_info(const struct arguments *arguments)
{
    struct info info = {.path = arguments->operand[0]};
    temper_data *data;
    if (!was_given(arguments, OPT_FORMAT) && temper_model_is(info.path))
        return show_model(arguments, info.path);
    temper_status status = read_data(arguments, info.path, &data, &info.seconds_read);
    if (status != TEMPER_OK)
        return status;
    info.data = data;
    print_notes(arguments, data);
    status = sum_up(arguments, &info);
    temper_data_free(data);
    return status;
}
