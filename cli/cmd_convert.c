/* cmd_convert: temper convert. */
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "message.h"
#include "options/data_options.h"
#include "options/options.h"
#include "output_paths.h"

struct conversion {
    const struct arguments *arguments;
    const char *from, *to;
    double seconds_read, seconds_write;
};

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Reading is what has the words for it: better than a complaint about OUT. */
static bool is_missing(const char *from)
{
    struct stat there;
    return from[0] != '@' && from[0] && !is_stream(from) && stat(from, &there) != 0;
}

static bool is_text(const char *format)
{
    return strcmp(format, "libsvm") == 0 || strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0;
}

static temper_status check_output_format(const struct conversion *conversion)
{
    if (conversion->to[0] == '\0')
        return complain(TEMPER_USAGE, "convert: the name of OUT is empty; give one, or - for the "
                                      "standard output");
    temper_error error;
    if (is_stream(conversion->to) && !was_given(conversion->arguments, OPT_TO))
        return complain(TEMPER_USAGE, "convert: the standard output has no name that tells the "
                                      "format; pass --to with one of libsvm, csv, tsv, npy, idx, "
                                      "cifar, tmpr");
    if (output_is_terminal(conversion->to) && !is_text(text_of(conversion->arguments, OPT_TO)))
        return complain(TEMPER_USAGE,
                        "convert: %s is no text for a terminal; give a file as OUT, "
                        "or pipe it on",
                        text_of(conversion->arguments, OPT_TO));
    if (temper_data_write_check(conversion->to, text_of(conversion->arguments, OPT_TO), &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

/* The standard output may be the data itself, so that --json goes nowhere then. */
static temper_status report(const struct conversion *conversion, const temper_data *data)
{
    struct page page;
    if (is_stream(conversion->to) || !was_given(conversion->arguments, OPT_JSON))
        return TEMPER_OK;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fputs("{\"file\": ", page.stream);
    json_text(page.stream, conversion->to);
    fprintf(page.stream, ", \"rows\": %llu, \"features\": %llu, \"classes\": %zu", temper_data_rows(data),
            temper_data_features(data), temper_data_classes(data));
    fputs(", \"seconds\": {\"read\": ", page.stream);
    json_number(page.stream, conversion->seconds_read);
    fputs(", \"write\": ", page.stream);
    json_number(page.stream, conversion->seconds_write);
    fputs("}}\n", page.stream);
    return page_print(&page);
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* npy, and idx of any but the usual names, have labels in a file that belongs to them. */
static void note_labels(const struct conversion *conversion, const temper_data *data)
{
    const char *format = text_of(conversion->arguments, OPT_TO), *to = conversion->to;
    bool apart =
        format ? strcmp(format, "npy") == 0 || strcmp(format, "idx") == 0 : ends_in(to, ".npy") || ends_in(to, ".idx");
    if (apart && temper_data_classes(data) > 0 && !strstr(to, "images") && !was_given(conversion->arguments, OPT_QUIET))
        note("labels: in %s.labels; keep it beside the data, or pass it by --labels", to);
}

static temper_status write_data(struct conversion *conversion, const temper_data *data)
{
    temper_error error;
    double start = seconds_now();
    if (temper_data_write(data, conversion->to, text_of(conversion->arguments, OPT_TO), &error) != TEMPER_OK)
        return output_failed(conversion->to, &error);
    conversion->seconds_write = seconds_now() - start;
    note_labels(conversion, data);
    return report(conversion, data);
}

/* "none" costs nothing, and yet is not asked of the library: it would copy labels and names. */
static temper_status scale_and_write(struct conversion *conversion, const temper_data *data)
{
    const char *scale = text_of(conversion->arguments, OPT_CONVERT_SCALE);
    temper_data *scaled;
    temper_error error;
    if (strcmp(scale, "none") == 0)
        return write_data(conversion, data);
    if (temper_data_scale(data, scale, threads_of(conversion->arguments), &scaled, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = write_data(conversion, scaled);
    temper_data_free(scaled);
    return status;
}

/* A model becomes a program, or a graph that others can run, by the extension of OUT. */
static temper_status export_model(const struct conversion *conversion)
{
    temper_model *model;
    temper_error error;
    if (was_given(conversion->arguments, OPT_TO) || is_stream(conversion->to))
        return complain(TEMPER_USAGE,
                        "convert: %s is a model, which becomes C or ONNX; give OUT as "
                        "NAME.c or NAME.onnx, without --to",
                        conversion->from);
    if (temper_model_load(conversion->from, &model, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = temper_model_export(model, conversion->to, NULL, &error);
    temper_model_free(model);
    return status == TEMPER_OK ? status : complain_error(&error);
}

temper_status cmd_convert(const struct arguments *arguments)
{
    struct conversion conversion = {arguments, arguments->operand[0], arguments->operand[1], 0, 0};
    temper_data *data;
    if (!was_given(arguments, OPT_FORMAT) && temper_is_model_file(conversion.from))
        return export_model(&conversion);
    temper_status status = is_missing(conversion.from) ? TEMPER_OK : check_output_format(&conversion);
    if (status != TEMPER_OK)
        return status;
    status = read_data(arguments, conversion.from, &data, &conversion.seconds_read);
    if (status != TEMPER_OK)
        return status;
    print_notes(arguments, data);
    status = scale_and_write(&conversion, data);
    temper_data_free(data);
    return status;
}
