/* read: opens a file, recognises its format, and lets the reader of that format produce batches.
 *
 * Reading a whole file is the iterator with one unlimited batch. Several processes, memory limits and lists of files
 * are layers around that, which dataset_read_like enters once. */
#include "data/read/read.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/arrow/arrow_read.h"
#include "data/columns/sanity_checks.h"
#include "data/dist/scatter_rows.h"
#include "data/jsonl/jsonl.h"
#include "data/labels.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"
#include "data/read/file_join.h"
#include "data/read/file_list.h"
#include "data/read/file_names.h"
#include "data/read/format.h"
#include "data/read/reencode.h"
#include "data/schema.h"
#include "data/subset.h"
#include "data/weights.h"

enum { PEEK = 16384 }; /* bytes from which a format is inferred: a line or two */

/* NULL without memory; freed with the dataset. */
static char *copy_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = mem_alloc(length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* ---- The format ------------------------------------------------------------------------------ */

/* Refuses files of other programs by their first bytes, even if --format was given: the readers would only report a
 * wrong first line. A command that reads the file has its name, if no shell would change it. */
static temper_status refuse_unsupported(const struct data_reader *reader, const unsigned char *bytes, size_t length)
{
    const char *found = unsupported_file(bytes, length, reader->options->format != NULL);
    if (!found)
        return TEMPER_OK;
    const char *file = strstr(found, "'FILE'");
    if (!file || reader->path[strcspn(reader->path, "'\"\\$`!")] != '\0')
        return error_set(reader->error, TEMPER_BAD_DATA, "%s: this is %s", place_text(reader->path).text, found);
    return error_set(reader->error, TEMPER_BAD_DATA, "%s: this is %.*s'%.120s'%s", place_text(reader->path).text,
                     (int)(file - found), found, reader->path, file + strlen("'FILE'"));
}

/* Refuses tables in notations close to CSV that the reader would misunderstand: decimal commas, bars or blanks between
 * columns. */
static temper_status refuse_table(const struct data_reader *reader, const unsigned char *bytes, size_t length)
{
    const char *found = unsupported_table(bytes, length);
    if (!found)
        return TEMPER_OK;
    return error_set(reader->error, TEMPER_BAD_DATA, "%s: this looks like %s, or name its format with --format",
                     place_text(reader->path).text, found);
}

/* Whether a file is empty or blank, by its first bytes. If all PEEK bytes are blank, the rest may still contain rows.
 */
static bool is_blank(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", bytes[i]) || bytes[i] == '\0' || length == PEEK)
            return false;
    return true;
}

/* Refuses an empty or blank file. */
static temper_status refuse_blank(const struct data_reader *reader, const unsigned char *bytes, size_t length)
{
    if (!is_blank(bytes, length))
        return TEMPER_OK;
    return error_set(reader->error, TEMPER_BAD_DATA, "%s: the file is %s; give one with rows",
                     place_text(reader->path).text, length == 0 ? "empty" : "blank");
}

/* Sets reader->format by the content, else by the extension, and adds a note about it. Content comes first, since files
 * are often misnamed. Texts that could be tables are checked for unsupported notations. */
static temper_status infer_format(struct data_reader *reader, const unsigned char *bytes, size_t length,
                                  struct dataset *data)
{
    TRY(refuse_blank(reader, bytes, length));
    const struct format *format = format_of_content(bytes, length);
    bool by_content = format != NULL, is_table = !format || format->read == read_csv;
    bool text = !bytes_are_binary(bytes, length);
    if (is_table && text && !reader->options->automatic)
        TRY(refuse_table(reader, bytes, length));
    if (!format)
        format = format_of_path(reader->path);
    if (!format && text && reader->options->automatic) {
        format = format_named("csv");
        by_content = true;
    }
    if (!format)
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: the format can be inferred neither from its content nor from its name; pass --format "
                         "with one of %s",
                         place_text(reader->path).text, format_names);
    reader->format = format;
    dataset_note(data, "format: %s, inferred from the %s", format->name, by_content ? "content" : "extension");
    return TEMPER_OK;
}

/* Sets reader->format by --format, else by inference. The source is only peeked at: the reader of the format starts at
 * the first byte. */
static temper_status find_format(struct data_reader *reader, struct dataset *data)
{
    const unsigned char *bytes;
    size_t length;
    const char *name = reader->options->format;
    reader->format = name ? format_named(name) : NULL;
    if (name && !reader->format)
        return error_set(reader->error, TEMPER_USAGE, "there is no format '%.64s'; formats are %s", name, format_names);
    TRY(source_peek(reader->source, PEEK, &bytes, &length, reader->error));
    if (reader->options->allow_empty && is_blank(bytes, length)) {
        /* The format of no rows is any; without a source the first batch is the end. */
        reader->format = name ? reader->format : format_named("csv");
        data_reader_close_source(reader);
        return TEMPER_OK;
    }
    TRY(refuse_unsupported(reader, bytes, length));
    return name ? TEMPER_OK : infer_format(reader, bytes, length, data);
}

/* Appends to an error message which format was inferred, unless the file's name agrees with it: the data may be right
 * in another format. */
static void add_inferred_format(const struct data_reader *reader)
{
    temper_error *error = reader->error;
    if (!error || reader->arrow || reader->options->format || format_of_path(reader->path) == reader->format)
        return;
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used,
             " (read as %s, inferred from the content; --format names another)", reader->format->name);
}

/* ---- Labels and weights of other files ------------------------------------------------------- */

/* Reads the weights from the file that --weights names, unless the CSV reader has already taken a column of that name.
 * */
static temper_status add_weights(const temper_read_options *options, struct dataset *data, temper_error *error)
{
    if (!options->weights || data->weight)
        return TEMPER_OK;
    temper_status status = weights_read(options->weights, data, error);
    if (status != TEMPER_NO_INPUT || data->features.count == 0)
        return status;
    struct suggestion near = {.typed = options->weights};
    for (size_t i = 0; i < data->features.count; i++)
        suggestion_offer(&near, data->features.name[i]);
    if (near.name)
        return error_set(error, TEMPER_NO_INPUT,
                         "--weights: '%.160s' is neither a column nor a file; did you mean '%.80s'?", options->weights,
                         token_text(near.name, near.name + strlen(near.name)).text);
    return error_set(error, TEMPER_NO_INPUT, "--weights: '%.160s' is neither a column nor a file; check the name",
                     options->weights);
}

/* Whether to look for a file PATH.labels: the format holds only numbers and no labels were found. The IDX reader has
 * already looked for the labels of images, which have another name. The standard input and bytes in memory have no file
 * beside them. */
static bool may_have_labels_beside(const struct data_reader *reader, const struct dataset *data)
{
    const char *label = reader->options->label;
    bool numbers = strcmp(data->file.format, "npy") == 0 || strcmp(data->file.format, "idx") == 0;
    return numbers && !data->label && !reader->bytes && strcmp(reader->path, "-") != 0 &&
           !(label && strcmp(label, "none") == 0);
}

/* Applies the options beyond the file itself. The order matters: classes are sorted after labels were added; weights
 * refer to all rows and so come before the selection of classes; class weights count the selected rows. */
temper_status read_complete(struct data_reader *reader, struct dataset *data)
{
    const temper_read_options *options = reader->options;
    data->file.separate_labels = options->labels != NULL;
    if (options->labels)
        TRY(labels_read(options->labels, options->threads, data, reader->error));
    else if (may_have_labels_beside(reader, data))
        TRY(labels_find(reader->path, options->threads, data, reader->error));
    bool ordered = strcmp(data->file.format, "tmpr") == 0; /* the classes of a .tmpr file are sorted already */
    if (data->label && !ordered)
        TRY(dataset_sort_classes(data, reader->error));
    TRY(add_weights(options, data, reader->error));
    if (options->classes)
        TRY(select_classes(data, options->classes, reader->error));
    return options->class_weight ? weights_by_class(options->class_weight, data, reader->error) : TEMPER_OK;
}

/* ---- The iterator ---------------------------------------------------------------------------- */

/* Compressed sources are decompressed before the format is inferred. On failure nothing is left open. */
temper_status data_reader_open(struct data_reader *reader, struct dataset *data)
{
    static const struct format arrow = {.name = "arrow", .read = read_arrow};
    if (reader->arrow) {
        reader->format = &arrow;
        return TEMPER_OK;
    }
    if (reader->join)
        reader->options = file_join_options(reader->join);
    TRY(reader->bytes  ? source_borrow(reader->path, reader->bytes, reader->byte_count, &reader->source, reader->error)
        : reader->join ? file_join_open(reader->join, &reader->source, reader->error)
                       : source_open(reader->path, &reader->source, reader->error));
    temper_status status = reencode_source(reader, data);
    if (status == TEMPER_OK)
        status = find_format(reader, data);
    if (status != TEMPER_OK)
        data_reader_close_source(reader);
    return status;
}

/* Reads the next batch by the reader of the format, then completes it. A skipped, empty or last batch needs no
 * completion. */
temper_status data_reader_next(struct data_reader *reader, struct dataset *data)
{
    reader->ended = !reader->source && !reader->state && !reader->arrow;
    if (reader->ended)
        return TEMPER_OK;
    data->file.compression = reader->source ? source_compression(reader->source) : NULL;
    /* bytes in memory cannot be read again by a name, as the standard input */
    data->file.path = copy_text(reader->bytes || reader->arrow ? "-" : reader->path);
    data->file.reencoded = reader->reencoded;
    if (!data->file.path)
        return error_no_memory(reader->error);
    temper_status status = reader->format->read(reader, data);
    if (status == TEMPER_BAD_DATA)
        add_inferred_format(reader);
    if (reader->join) { /* lines are those of single files */
        dataset_free_array(data, data->line);
        data->line = NULL;
    }
    if (status != TEMPER_OK || reader->ended || reader->skip || (data->x.rows == 0 && reader->batch_bytes))
        return status;
    reader->rows += data->x.rows;
    if (reader->schema && !format_is_table(reader->format)) /* the reader has matched the columns itself */
        TRY(schema_fit(reader->schema, data, reader->error));
    return read_complete(reader, data);
}

/* The state may hold open files and threads, which end here. */
void data_reader_free_state(struct data_reader *reader)
{
    if (reader->state)
        reader->free_state(reader->state);
    reader->state = NULL;
}

/* May be called after the last batch or before it, and after failures. */
void data_reader_close(struct data_reader *reader)
{
    data_reader_free_state(reader);
    data_reader_close_source(reader);
    names_free(&reader->kept);
    jsonl_free(reader->jsonl);
    reader->jsonl = NULL;
    file_join_free(reader->join);
    reader->join = NULL;
}

/* ---- Several processes, and memory limits ---------------------------------------------------- */

/* The memory that reading takes for each thread: text that waits to be parsed, and the rows that were parsed from it.
 * */
static const double BYTES_PER_THREAD = 6.0 * 1024 * 1024;

/* Reads a batch under options->memory. Large arrays go to temporary files, whose pages are written back while they are
 * filled. The limit is checked before reading, for the buffers, and again afterwards, for the arrays that stay in
 * memory. A .tmpr file is mapped and needs neither. */
temper_status data_reader_next_limited(struct data_reader *reader, struct dataset *data)
{
    const temper_read_options *options = reader->options;
    size_t threads = options->threads ? options->threads : thread_count_default();
    struct memory_limit_plan plan = {.what = "reading the file", .threads = threads};
    if (options->memory == 0)
        return data_reader_next(reader, data);
    data->storage.memory_limit = options->memory;
    plan.needed = reader->format->read == read_tmpr ? 0 : BYTES_PER_THREAD * (double)threads;
    TRY(memory_limit_plan(data, &plan, reader->error));
    data->storage.disk = reader->spill = disk_array_new();
    if (!data->storage.disk)
        return error_no_memory(reader->error);
    temper_status status = data_reader_next(reader, data);
    /* A temporary file that cannot grow looks like missing memory; the real cause is a full disk. Other lacks of memory
     * have said what they need. */
    if (status == TEMPER_NO_MEMORY && data->storage.disk && disk_array_has_failed(data->storage.disk))
        return disk_array_failure(data->storage.disk, reader->error);
    if (status != TEMPER_OK || data->storage.mapping || !data->storage.disk)
        return status;
    /* Small arrays stayed in memory; a last check shows whether they were too large. */
    data->storage.pages = data->x.pages = page_window_of_disk_array(data->storage.disk);
    plan.needed = 0;
    return data->storage.pages ? memory_limit_plan(data, &plan, reader->error) : error_no_memory(reader->error);
}

/* Whether the rows of a text mean the same without the rest of it. In a table, categories and means depend on all rows.
 * */
static bool lines_are_independent(const struct format *format, const temper_read_options *options)
{
    bool means = options->missing && strcmp(options->missing, "mean") == 0;
    return format->read == read_libsvm || (format->read == read_csv && !options->categorical && !means);
}

/* Whether each process can read its own lines: the file can be read from any position, and no option needs all rows. */
static bool can_distribute(const struct data_reader *reader)
{
    const temper_read_options *options = reader->options;
    return !comm_alone(options->comm) && lines_are_independent(reader->format, options) && !reader->schema &&
           reader->source && source_file_size(reader->source) > 0 && !source_compression(reader->source) &&
           !options->labels && !options->weights && !options->classes && !options->class_weight;
}

/* Each process reads its own lines if it can, else all rows. read_distributed may find out late that the lines are not
 * independent, sets `whole`, and the file is opened again. */
static temper_status read_rows(struct data_reader *reader, struct dataset *data)
{
    temper_status status = TEMPER_OK;
    TRY(memory_limit_check(reader->options, reader->format->read == read_tmpr, reader->error));
    bool whole = !can_distribute(reader);
    if (!whole) {
        status = read_distributed(reader, reader->format->read, data, &whole);
        if (status == TEMPER_BAD_DATA)
            add_inferred_format(reader);
        if (status != TEMPER_OK)
            return status; /* that of all processes; or of this one alone, whose end then ends the others */
        if (whole)
            status = source_open(reader->path, &reader->source, reader->error);
    }
    if (status == TEMPER_OK && whole)
        status = data_reader_next_limited(reader, data);
    return comm_agree(reader->options->comm, status, reader->error);
}

/* Reads a file for several processes, or under a memory limit. If every process has read all rows, each keeps its part.
 * */
static temper_status read_in_layers(struct data_reader *reader, struct dataset *data)
{
    TRY(read_rows(reader, data));
    return data->ranks.comm ? TEMPER_OK : scatter_rows(data, reader->options->comm, reader->error);
}

/* ---- Whole files ----------------------------------------------------------------------------- */

/* Reads all rows of a reader that is not open yet. One process without a memory limit reads directly; everything else
 * is a layer around that. */
static temper_status read_all(struct data_reader *reader, struct dataset **out)
{
    struct dataset *data = mem_zeroed(1, sizeof *data);
    temper_status status = data ? data_reader_open(reader, data) : error_no_memory(reader->error);
    status = comm_agree(reader->options->comm, status, reader->error);
    bool layered = reader->options->comm || reader->options->memory;
    if (status == TEMPER_OK)
        status = layered ? read_in_layers(reader, data) : data_reader_next(reader, data);
    data_reader_close(reader);
    if (status == TEMPER_OK)
        *out = data;
    else
        dataset_free(data);
    return status;
}

/* Reads a whole file, with the features of `schema` if it is not NULL. */
temper_status dataset_read_like(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct dataset **out, temper_error *error)
{
    struct data_reader reader = {.path = path, .options = options, .error = error, .schema = schema};
    if (names_several_files(path)) {
        TRY(file_join_find(path, options, &reader.join, error));
        if (!reader.join)
            return file_list_read(path, options, schema, out, error);
    }
    return read_all(&reader, out);
}

/* Checks training data for labels and features that are probably mistakes, and publishes it. The first check can fail,
 * and all ranks agree on it; the second only adds notes. Frees the data on failure. */
static temper_status check_and_publish(struct dataset *data, const temper_read_options *options, struct dataset **out,
                                       temper_error *error)
{
    temper_status status = comm_agree(options->comm, check_label_values(data, options, error), error);
    if (status != TEMPER_OK) {
        dataset_free(data);
        return status;
    }
    check_feature_values(data);
    *out = data;
    return TEMPER_OK;
}

temper_status dataset_read(const char *path, const temper_read_options *options, struct dataset **out,
                           temper_error *error)
{
    struct dataset *data;
    TRY(dataset_read_like(path, options, NULL, &data, error));
    return check_and_publish(data, options, out, error);
}

temper_status dataset_read_arrow(const struct arrow_table *table, const temper_read_options *options,
                                 const struct schema *schema, struct dataset **out, temper_error *error)
{
    struct data_reader reader = {
        .path = table->name, .arrow = table, .options = options, .schema = schema, .error = error};
    struct dataset *data;
    TRY(read_all(&reader, &data));
    if (!schema)
        return check_and_publish(data, options, out, error);
    *out = data;
    return TEMPER_OK;
}

/* A NULL of length 0 is an empty file. */
temper_status dataset_read_memory(const char *name, const void *bytes, size_t length,
                                  const temper_read_options *options, struct dataset **out, temper_error *error)
{
    struct data_reader reader = {
        .path = name, .bytes = bytes ? bytes : "", .byte_count = length, .options = options, .error = error};
    struct dataset *data;
    TRY(read_all(&reader, &data));
    return check_and_publish(data, options, out, error);
}
