/* cmd_convert: temper convert. Writes data in another format, or a model as C or ONNX.
 *
 * IN is a model if it begins like one. The output and its format are checked before the input is read. Formats of
 * numbers alone have their labels in a second file, which a note names, because it is easily left behind. */
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "json_csv.h"
#include "message.h"
#include "options/file_roles.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "progress.h"
#include "temper_extra.h"

struct conversion {
    const struct arguments *arguments;
    const char *from, *to;              /* the operands IN and OUT; "-" is the standard input or output */
    const char *format;                 /* of --to, or NULL: inferred from the extension of OUT */
    double seconds_read, seconds_write; /* for the report of --json */
};

/* For both operands: "-" is the standard input as IN and the standard output as OUT. */
static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Whether IN certainly cannot be read: then the reader's error is more helpful than one about OUT. Lists of files
 * (@FILE) and the standard input are left to the reader. */
static bool is_missing(const char *from)
{
    struct stat found;
    return from[0] != '@' && from[0] && !is_dash(from) && stat(from, &found) != 0;
}

/* Formats that are legible on a terminal. */
static bool is_text_format(const char *format)
{
    return strcmp(format, "libsvm") == 0 || strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0 ||
           strcmp(format, "jsonl") == 0;
}

/* Checks OUT and its format before anything is read, because reading may take minutes. */
static temper_status check_output(const struct conversion *conversion)
{
    temper_error error;
    if (conversion->to[0] == '\0')
        return fail(TEMPER_USAGE, "convert: the name of OUT is empty; give one, or - for the standard output");
    if (is_dash(conversion->to) && !conversion->format)
        return fail(TEMPER_USAGE, "convert: the format cannot be inferred from the standard output; pass --to with one "
                                  "of libsvm, csv, tsv, jsonl, npy, idx, cifar, tmpr");
    /* --to is present here: the previous check has refused "-" without it. */
    if (output_is_terminal(conversion->to) && !is_text_format(conversion->format))
        return fail(TEMPER_USAGE,
                    "convert: %s is binary and cannot be shown on a terminal; give a file as OUT, or "
                    "use a pipe",
                    conversion->format);
    return checked(temper_data_write_check(conversion->to, conversion->format, &error), &error);
}

/* With --json, prints sizes and seconds on one line. Nothing is printed where the standard output is the data itself.
 */
static temper_status print_report(const struct conversion *conversion, const temper_data *data)
{
    struct output_buffer buffer;
    if (is_dash(conversion->to) || !was_given(conversion->arguments, OPT_JSON))
        return TEMPER_OK;
    TRY(output_open(&buffer));
    /* All on one line: a script that converts many files gets JSON Lines. */
    fputs("{\"file\": ", buffer.stream);
    json_text(buffer.stream, conversion->to);
    fprintf(buffer.stream,
            ", \"rows\": %zu, \"features\": %zu, \"classes\": %zu, \"seconds\": {\"read\": ", temper_data_rows(data),
            temper_data_features(data), temper_data_classes(data));
    json_number(buffer.stream, conversion->seconds_read);
    json_number_member(buffer.stream, "write", conversion->seconds_write);
    fputs("}}\n", buffer.stream);
    return output_print(&buffer);
}

/* Notes the name of a second file with the labels, which is easily left behind when the data is copied. */
static void note_labels(const struct conversion *conversion, const temper_data *data)
{
    if (labels_are_separate(conversion->to, conversion->format) && temper_data_classes(data) > 0 &&
        !was_given(conversion->arguments, OPT_QUIET))
        note("labels: in %s.labels; keep it beside the data, or pass it by --labels", conversion->to);
}

/* Writes OUT and reports. output_failed and not fail_with: a pipe into 'head' that closes early is no error. */
static temper_status write_data(struct conversion *conversion, const temper_data *data)
{
    temper_error error;
    double start = seconds_now();
    if (temper_data_write(data, conversion->to, conversion->format, &error) != TEMPER_OK)
        return output_failed(conversion->to, &error);
    conversion->seconds_write = seconds_now() - start;
    note_labels(conversion, data);
    return print_report(conversion, data);
}

/* Scales the features if --scale requests it. "none" is not passed to the library, because that would copy labels and
 * names of the whole data set for nothing. */
static temper_status scale_and_write(struct conversion *conversion, const temper_data *data)
{
    const char *scale = text_of(conversion->arguments, OPT_CONVERT_SCALE);
    temper_data *scaled;
    temper_error error;
    if (strcmp(scale, "none") == 0)
        return write_data(conversion, data);
    TRY(checked(temper_data_scale(data, scale, threads_of(conversion->arguments), &scaled, &error), &error));
    temper_status status = write_data(conversion, scaled);
    temper_data_free(scaled);
    return status;
}

/* Exports a model as C source or as ONNX, by the extension of OUT; the formats of data (--to) do not apply to models.
 */
static temper_status export_model(const struct conversion *conversion)
{
    temper_model *model;
    temper_error error;
    /* The extension is the only source of the format of a model, so a stream cannot be its target. */
    if (conversion->format || is_dash(conversion->to))
        return fail(TEMPER_USAGE,
                    "convert: %s is a model, which becomes C or ONNX; give OUT as NAME.c or NAME.onnx, without --to",
                    conversion->from);
    TRY(checked(temper_model_load(conversion->from, &model, &error), &error));
    temper_status status = checked(temper_model_export(model, conversion->to, NULL, &error), &error);
    temper_model_free(model);
    return status;
}

/* IN is taken for a model if it begins like one, unless --format states that it is data. */
temper_status cmd_convert(const struct arguments *arguments)
{
    struct conversion conversion = {.arguments = arguments,
                                    .from = arguments->operand[0],
                                    .to = arguments->operand[1],
                                    .format = text_of(arguments, OPT_TO)};
    temper_data *data;
    if (!was_given(arguments, OPT_FORMAT) && temper_is_model_file(conversion.from))
        return export_model(&conversion);
    /* A missing IN is left to read_data, which reports it before OUT is touched. */
    if (!is_missing(conversion.from))
        TRY(check_output(&conversion));
    TRY(read_data(arguments, conversion.from, &data, &conversion.seconds_read));
    print_notes(arguments, data);
    /* The file OUT appears only when it is complete. */
    temper_status status = scale_and_write(&conversion, data);
    temper_data_free(data);
    return status;
}
