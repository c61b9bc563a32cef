/* read: opens a file, tells its format, and lets the reader of that format do its work. */
#include "data/read/read.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/columns/sanity_checks.h"
#include "data/dist/scatter_rows.h"
#include "data/labels.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"
#include "data/read/file_list.h"
#include "data/read/format.h"
#include "data/read/unsupported_formats.h"
#include "data/schema.h"
#include "data/subset.h"
#include "data/weights.h"

enum { PEEK = 16384 }; /* bytes that tell a format; a line or two */

static char *copy_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = mem_alloc(length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* ---- Which format
 * ----------------------------------------------------------------------------------- */

static temper_status unknown_format(const struct reading *reading)
{
    return error_set(
        reading->error, TEMPER_BAD_DATA,
        "%s: the format can be inferred neither from its content nor from its name; pass --format with one of "
        "%s",
        place_text(reading->path).text, format_names);
}

static temper_status named_format(const struct reading *reading, const struct format **format)
{
    *format = format_named(reading->options->format);
    if (*format)
        return TEMPER_OK;
    return error_set(reading->error, TEMPER_USAGE, "there is no format '%.64s'; formats are %s",
                     reading->options->format, format_names);
}

/* A format of others, which no reader of ours would have a sensible word for. */
static temper_status refuse_foreign(const struct reading *reading, const unsigned char *bytes, size_t length)
{
    const char *foreign = unsupported_file(bytes, length, reading->options->format != NULL);
    if (!foreign)
        return TEMPER_OK;
    return error_set(reading->error, TEMPER_BAD_DATA, "%s: this is %s", place_text(reading->path).text, foreign);
}

/* A table that a reader would take for another, or nobody could name. */
static temper_status refuse_table(const struct reading *reading, const unsigned char *bytes, size_t length)
{
    const char *table = unsupported_table(bytes, length);
    if (!table)
        return TEMPER_OK;
    return error_set(reading->error, TEMPER_BAD_DATA, "%s: this looks like %s, or name its format with --format",
                     place_text(reading->path).text, table);
}

static temper_status refuse_blank(const struct reading *reading, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", bytes[i]) || bytes[i] == '\0' || length == PEEK)
            return TEMPER_OK;
    return error_set(reading->error, TEMPER_BAD_DATA, "%s: the file is %s; give one with rows",
                     place_text(reading->path).text, length == 0 ? "empty" : "blank");
}

/* The content, else the extension; what was assumed becomes a note. */
static temper_status guess_format(const struct reading *reading, const unsigned char *bytes, size_t length,
                                  struct dataset *data, const struct format **format)
{
    temper_status status = refuse_blank(reading, bytes, length);
    *format = format_of_content(bytes, length);
    bool by_content = *format != NULL, is_table = !*format || (*format)->read == read_csv;
    if (status == TEMPER_OK && is_table && !bytes_are_binary(bytes, length))
        status = refuse_table(reading, bytes, length);
    if (status != TEMPER_OK)
        return status;
    if (!*format)
        *format = format_of_path(reading->path);
    if (!*format)
        return unknown_format(reading);
    dataset_note(data, "format: %s, inferred from the %s", (*format)->name, by_content ? "content" : "extension");
    return TEMPER_OK;
}

/* --format, else a guess. */
temper_status read_format(struct reading *reading, struct dataset *data, const struct format **format)
{
    const unsigned char *bytes;
    size_t length;
    const bool told = reading->options->format != NULL;
    temper_status status = told ? named_format(reading, format) : TEMPER_OK;
    if (status == TEMPER_OK)
        status = source_peek(reading->source, PEEK, &bytes, &length, reading->error);
    if (status == TEMPER_OK)
        status = refuse_foreign(reading, bytes, length);
    if (status != TEMPER_OK || told)
        return status;
    return guess_format(reading, bytes, length, data, format);
}

/* A fault may be none in another format: where the name does not say the same, the message says
 * what the file was taken for. */
static void say_what_was_assumed(const struct reading *reading, const struct format *format)
{
    temper_error *error = reading->error;
    if (!error || reading->options->format || format_of_path(reading->path) == format)
        return;
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used,
             " (read as %s, inferred from the content; --format names another)", format->name);
}

/* ---- After the reader
 * --------------------------------------------------------------------------------- */

/* Weights of the rows: a column was taken by the CSV reader, all else is a file. */
static temper_status add_weights(const temper_read_options *options, struct dataset *data, temper_error *error)
{
    if (!options->weights || data->weight)
        return TEMPER_OK;
    temper_status status = weights_read(options->weights, data, error);
    if (status == TEMPER_NO_INPUT && data->features.count > 0)
        return error_set(error, TEMPER_NO_INPUT, "--weights: '%.160s' is neither a column nor a file; check the name",
                         options->weights);
    return status;
}

/* Formats of numbers alone. The labels of IDX images have another name, and were looked for. */
static bool may_have_labels_beside(const struct reading *reading, const struct dataset *data)
{
    const char *label = reading->options->label;
    bool numbers = strcmp(data->file.format, "npy") == 0 || strcmp(data->file.format, "idx") == 0;
    return numbers && !data->label && strcmp(reading->path, "-") != 0 && !(label && strcmp(label, "none") == 0);
}

/* What the options ask for beyond the file itself, in the order that read.h says. */
temper_status read_complete(struct reading *reading, struct dataset *data)
{
    const temper_read_options *options = reading->options;
    temper_status status = TEMPER_OK;
    data->file.separate_labels = options->labels != NULL;
    if (options->labels)
        status = labels_read(options->labels, data, reading->error);
    else if (may_have_labels_beside(reading, data))
        status = labels_find(reading->path, data, reading->error);
    bool ordered = strcmp(data->file.format, "tmpr") == 0;
    if (status == TEMPER_OK && data->label && !ordered)
        status = dataset_sort_classes(data, reading->error);
    if (status == TEMPER_OK)
        status = add_weights(options, data, reading->error);
    if (status == TEMPER_OK && options->classes)
        status = select_classes(data, options->classes, reading->error);
    if (status == TEMPER_OK && options->class_weight)
        status = weights_by_class(options->class_weight, data, reading->error);
    return status;
}

/* The reader closes the source, whatever happens; until it is called we do. */
static temper_status read_all(struct reading *reading, const struct format *format, struct dataset *data)
{
    data->file.compression = source_compression(reading->source);
    data->file.path = copy_text(reading->path);
    if (!data->file.path) {
        source_close(reading->source);
        return error_no_memory(reading->error);
    }
    temper_status status = format->read(reading, data);
    if (status == TEMPER_BAD_DATA)
        say_what_was_assumed(reading, format);
    if (status == TEMPER_OK && reading->schema && format->read != read_csv) /* which knows it */
        status = schema_fit(reading->schema, data, reading->error);
    return status == TEMPER_OK ? read_complete(reading, data) : status;
}

/* Of a table, what columns become must not be told by later rows. */
static bool can_be_cut(const struct format *format, const temper_read_options *options)
{
    bool means = options->missing && strcmp(options->missing, "mean") == 0;
    return format->read == read_libsvm || (format->read == read_csv && !options->categorical && !means);
}

/* Whether processes can read parts of the text: what the options ask for must not need all rows. */
static bool comes_in_pieces(const struct reading *reading, const struct format *format)
{
    const temper_read_options *options = reading->options;
    return !comm_alone(options->comm) && can_be_cut(format, options) && !reading->schema &&
           source_file_size(reading->source) > 0 && !source_compression(reading->source) && !options->labels &&
           !options->weights && !options->classes && !options->class_weight;
}

/* ---- Within a limit -------------------------------------------------------------------------- */

/* Text that waits to be parsed, and what has become of it, for each thread. */
static const double BYTES_A_THREAD = 6.0 * 1024 * 1024;

/* What is no mapped file goes into temporary ones, but for what is small or has to be in memory at
 * once; a last look tells whether that was too much. */
temper_status read_as(struct reading *reading, const struct format *format, struct dataset *data)
{
    const temper_read_options *options = reading->options;
    size_t threads = options->threads ? options->threads : thread_count_default();
    struct memory_limit_plan plan = {.what = "reading the file", .threads = threads};
    if (options->memory == 0 || reading->is_portion)
        return read_all(reading, format, data);
    data->storage.memory_limit = options->memory;
    plan.needed = format->read == read_tmpr ? 0 : BYTES_A_THREAD * (double)threads;
    temper_status status = memory_limit_plan(data, &plan, reading->error);
    data->storage.disk = status == TEMPER_OK ? disk_array_new() : NULL;
    if (!data->storage.disk) {
        source_close(reading->source);
        return status == TEMPER_OK ? error_no_memory(reading->error) : status;
    }
    reading->spill = data->storage.disk;
    status = read_all(reading, format, data);
    if (status == TEMPER_NO_MEMORY && data->storage.disk && disk_array_has_failed(data->storage.disk))
        return disk_array_failure(data->storage.disk, reading->error);
    if (status != TEMPER_OK || data->storage.mapping || !data->storage.disk)
        return status;
    data->storage.pages = data->x.pages = page_window_of_disk_array(data->storage.disk);
    plan.needed = 0;
    return data->storage.pages ? memory_limit_plan(data, &plan, reading->error) : error_no_memory(reading->error);
}

static temper_status read_into(struct reading *reading, struct dataset *data)
{
    const struct format *format = NULL;
    temper_status status = read_format(reading, data, &format);
    if (status == TEMPER_OK)
        status = memory_limit_check(reading->options, format->read == read_tmpr, reading->error);
    if (status != TEMPER_OK) {
        source_close(reading->source);
        return status;
    }
    assert(format);
    bool whole = !comes_in_pieces(reading, format);
    if (!whole) {
        status = read_lines_of_all(reading, format->read, data, &whole);
        if (status == TEMPER_BAD_DATA)
            say_what_was_assumed(reading, format);
        if (status != TEMPER_OK)
            return status; /* that of all; or of one alone, whose end ends the others */
        if (whole)
            status = source_open(reading->path, &reading->source, reading->error);
    }
    if (status == TEMPER_OK && whole)
        status = read_as(reading, format, data);
    return comm_agree(reading->options->comm, status, reading->error);
}

temper_status dataset_read(const char *path, const temper_read_options *options, struct dataset **out,
                           temper_error *error)
{
    struct dataset *data;
    temper_status status = dataset_read_like(path, options, NULL, &data, error);
    if (status != TEMPER_OK)
        return status;
    status = comm_agree(options->comm, check_label_values(data, options, error), error);
    if (status == TEMPER_OK)
        check_feature_values(data);
    if (status == TEMPER_OK)
        *out = data;
    else
        dataset_free(data);
    return status;
}

temper_status dataset_read_like(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct dataset **out, temper_error *error)
{
    struct reading reading = {.path = path, .options = options, .error = error, .schema = schema};
    if (is_file_list(path))
        return file_list_read(path, options, schema, out, error);
    temper_status status = source_open(path, &reading.source, error);
    if (status != TEMPER_OK)
        return status;
    struct dataset *data = mem_zeroed(1, sizeof *data);
    if (!data) {
        source_close(reading.source);
        return error_no_memory(error);
    }
    status = read_into(&reading, data);
    if (status == TEMPER_OK && !data->ranks.comm)
        status = scatter_rows(data, options->comm, error);
    if (status != TEMPER_OK) {
        dataset_free(data);
        return status;
    }
    *out = data;
    return TEMPER_OK;
}
