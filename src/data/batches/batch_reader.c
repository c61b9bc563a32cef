/* stream: cuts a text where lines end, and lets the ordinary readers read the portions. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/batches/batch_reader_internal.h"
#include "data/memory/memory_limit.h"
#include "data/quote_text.h"
#include "data/read/file_list.h"
#include "data/read/line_boundary.h"

enum {
    PORTION = 8 * 1024 * 1024,
    PORTION_LEAST = 256 * 1024,
    PORTION_SHARE = 32,          /* of a limit of memory, */
    PORTION_TIMES = 12,          /* since text, copies and numbers together are so many portions */
    RESULT_TIMES = 16,           /* numbers, their text and its copies, of a slice */
    LONGEST = 256 * 1024 * 1024, /* of a line; the readers refuse longer ones too */
    CIFAR_RECORD = 3073,
};

/* ---- Opening --------------------------------------------------------------------------------- */

static bool add_note_line(struct text *notes, const char *line, size_t length)
{
    for (const char *old = notes->bytes; old && *old;) {
        size_t count = strcspn(old, "\n");
        if (count == length && memcmp(old, line, length) == 0)
            return true;
        old += count + (old[count] == '\n');
    }
    text_append_bytes(notes, line, length);
    text_append(notes, "\n");
    return !notes->failed;
}

bool batch_reader_add_notes(struct batch_reader *stream, const char *notes)
{
    size_t length;
    for (const char *line = notes; *line; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        if (!add_note_line(&stream->notes, line, length))
            return false;
    }
    return true;
}

bool batch_reader_can_split(const struct batch_reader *stream)
{
    reader_fn *read = stream->format->read;
    return (read == read_csv || read == read_libsvm || read == read_cifar) && !stream->options.labels &&
           !stream->options.weights && !stream->options.class_weight &&
           !stream->options.classes; /* not all of which are in every portion */
}

static temper_status find_format(struct batch_reader *stream, temper_error *error)
{
    struct dataset *first = mem_zeroed(1, sizeof *first);
    struct reading reading = {
        .path = stream->path, .source = stream->source, .options = &stream->options, .error = error};
    temper_status status = first ? read_format(&reading, first, &stream->format) : error_no_memory(error);
    if (first && status == TEMPER_OK && !batch_reader_add_notes(stream, first->notes))
        status = error_no_memory(error);
    dataset_free(first);
    return status;
}

temper_status batch_reader_open(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct batch_reader **out, temper_error *error)
{
    temper_status status = memory_limit_check(options, false, error);
    if (status == TEMPER_OK && is_file_list(path))
        status = error_set(error, TEMPER_USAGE,
                           "%s names several files, and rows are taken from one at a time here; "
                           "give them one by one, or make one of them: temper convert %s all.tmpr",
                           place_text(path).text, place_text(path).text);
    if (status != TEMPER_OK)
        return status;
    struct batch_reader *stream = mem_zeroed(1, sizeof *stream);
    if (!stream)
        return error_no_memory(error);
    *stream = (struct batch_reader){.path = path, .options = *options, .schema = schema, .portion = PORTION};
    batch_reader_set_width(stream, 1);
    if (options->memory && options->memory / PORTION_SHARE < PORTION)
        stream->portion = (size_t)(options->memory / PORTION_SHARE);
    if (stream->portion < PORTION_LEAST)
        stream->portion = PORTION_LEAST;
    status = source_open(path, &stream->source, error);
    if (status == TEMPER_OK)
        status = find_format(stream, error);
    if (status != TEMPER_OK) {
        batch_reader_close(stream);
        return status;
    }
    *out = stream;
    return TEMPER_OK;
}

void batch_reader_close(struct batch_reader *stream)
{
    if (!stream)
        return;
    source_close(stream->source);
    dataset_free(stream->slices.whole);
    text_free(&stream->rest);
    text_free(&stream->header);
    text_free(&stream->notes);
    mem_free(stream);
}

void batch_reader_set_portion(struct batch_reader *stream, size_t bytes)
{
    stream->portion = bytes;
}

const char *batch_reader_notes(const struct batch_reader *stream)
{
    return stream->notes.bytes ? stream->notes.bytes : "";
}

uint64_t batch_reader_dropped(const struct batch_reader *stream)
{
    return stream->dropped;
}

void batch_reader_set_width(struct batch_reader *stream, size_t numbers)
{
    stream->slices.rows = dataset_batches_rows(numbers);
    stream->width = numbers;
}

/* What rows and results take; `data` has the limit. */
static temper_status plan_memory(const struct batch_reader *stream, const struct dataset *data, temper_error *error)
{
    size_t threads = stream->options.threads ? stream->options.threads : thread_count_default();
    double slice = (double)stream->slices.rows * (double)stream->width * sizeof(double);
    struct memory_limit_plan plan = {.what = "reading the file", .needed = RESULT_TIMES * slice, .threads = threads};
    if (!stream->slices.whole)
        plan.needed += PORTION_TIMES * (double)stream->portion;
    return memory_limit_plan(data, &plan, error);
}

/* ---- Portions -------------------------------------------------------------------------------- */

/* Reads on until `rest` has so many bytes, or the source ends. */
static temper_status fill(struct batch_reader *stream, size_t wanted, temper_error *error)
{
    char piece[65536];
    while (stream->source && stream->rest.length < wanted) {
        size_t got, left = wanted - stream->rest.length;
        size_t asked = left < sizeof piece ? left : sizeof piece;
        temper_status status = source_read(stream->source, piece, asked, &got, error);
        if (status != TEMPER_OK)
            return status;
        text_append_bytes(&stream->rest, piece, got);
        if (stream->rest.failed)
            return error_no_memory(error);
        if (got < asked) {
            source_close(stream->source);
            stream->source = NULL;
        }
    }
    return TEMPER_OK;
}

/* Whether there is anything but blank lines, and comments of libsvm. */
static bool has_rows(const struct batch_reader *stream, const char *bytes, size_t length)
{
    if (stream->format->read == read_cifar)
        return length > 0;
    for (size_t i = 0; i < length; i++) {
        if (stream->format->read == read_libsvm && bytes[i] == '#')
            while (i < length && bytes[i] != '\n')
                i++;
        else if (!strchr(" \t\r\n", bytes[i]) || bytes[i] == '\0')
            return true;
    }
    return false;
}

/* The first portion of a table has names, perhaps, and a row. */
static size_t table_end(const struct batch_reader *stream, const char *bytes, size_t length)
{
    size_t end = last_cut(bytes, 0, length, odd_quotes(bytes, length));
    size_t first = stream->begun ? 0 : first_table_row(bytes, end);
    bool only_first = !stream->begun && has_rows(stream, bytes, end) && !has_rows(stream, bytes + first, end - first);
    return only_first ? 0 : end;
}

/* Where the portion ends; 0 if it must grow. Portions begin outside quotes. */
static size_t portion_end(const struct batch_reader *stream)
{
    const char *bytes = stream->rest.bytes;
    size_t length = stream->rest.length;
    if (!stream->source)
        return length;
    if (stream->format->read == read_cifar)
        return length / CIFAR_RECORD * CIFAR_RECORD;
    if (stream->format->read == read_libsvm)
        return last_newline(bytes, 0, length);
    return table_end(stream, bytes, length);
}

static temper_status next_portion(struct batch_reader *stream, size_t *end, temper_error *error)
{
    for (size_t wanted = stream->portion;; wanted *= 2) {
        temper_status status = fill(stream, wanted, error);
        if (status != TEMPER_OK)
            return status;
        *end = stream->rest.length ? portion_end(stream) : 0;
        if (*end || !stream->source)
            return TEMPER_OK;
        if (wanted >= LONGEST)
            return error_set(error, TEMPER_BAD_DATA,
                             "%s: a line of more than %d MiB; is a quote left open? close it, or "
                             "break the line",
                             place_text(stream->path).text, LONGEST / (1024 * 1024));
    }
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* The names of a table go before each of its portions. */
static temper_status keep_header(struct batch_reader *stream, const struct dataset *data, const char *bytes,
                                 size_t length, temper_error *error)
{
    if (stream->format->read != read_csv || stream->begun)
        return TEMPER_OK;
    stream->options.header = data->file.header ? "yes" : "no";
    if (!data->file.header)
        return TEMPER_OK;
    text_append_bytes(&stream->header, bytes, first_table_row(bytes, length));
    stream->header_lines = count_lines(stream->header.bytes, stream->header.length);
    return stream->header.failed ? error_no_memory(error) : TEMPER_OK;
}

/* Rows with labels and rows without are not of one file. */
static temper_status check_labels(struct batch_reader *stream, const struct dataset *data, temper_error *error)
{
    bool labelled = data->label != NULL;
    if (stream->begun && labelled != stream->labelled)
        return error_at(error, TEMPER_BAD_DATA, data->line ? (size_t)data->line[0] : 0, 1,
                        "%s:%llu: rows %s here, and those before %s; give all of them, or none",
                        place_text(stream->path).text, data->line ? (unsigned long long)data->line[0] : 0ULL,
                        labelled ? "have labels" : "have no labels", labelled ? "have none" : "have");
    stream->labelled = labelled;
    return TEMPER_OK;
}

static temper_status read_portion(struct batch_reader *stream, size_t end, struct dataset *data, temper_error *error)
{
    size_t header = stream->header.length;
    char *bytes = mem_alloc(header + end, 1);
    if (!bytes)
        return error_no_memory(error);
    if (header)
        memcpy(bytes, stream->header.bytes, header);
    if (end) /* an empty file may have no bytes at all */
        memcpy(bytes + header, stream->rest.bytes, end);
    struct reading reading = {.path = stream->path,
                              .options = &stream->options,
                              .schema = stream->schema,
                              .lines_before = stream->lines - stream->header_lines,
                              .is_portion = true,
                              .error = error};
    temper_status status = source_bytes(stream->path, bytes, header + end, &reading.source, error);
    if (status == TEMPER_OK)
        status = read_as(&reading, stream->format, data);
    if (status == TEMPER_OK)
        status = check_labels(stream, data, error);
    if (status == TEMPER_OK)
        status = keep_header(stream, data, stream->rest.bytes, end, error);
    return status;
}

/* What was given out makes room. */
static void drop_portion(struct batch_reader *stream, size_t end)
{
    struct text *rest = &stream->rest;
    if (end == 0)
        return;
    stream->lines += count_lines(rest->bytes, end);
    memmove(rest->bytes, rest->bytes + end, rest->length - end);
    rest->length -= end;
}

static temper_status whole_file(struct batch_reader *stream, struct dataset *data, temper_error *error)
{
    struct reading reading = {.path = stream->path,
                              .source = stream->source,
                              .options = &stream->options,
                              .schema = stream->schema,
                              .error = error};
    stream->source = NULL; /* the reader closes it */
    return read_as(&reading, stream->format, data);
}

/* A file that is read as a whole, and stays whole where it is in memory. */
static temper_status first_whole(struct batch_reader *stream, struct dataset *data, bool *some, temper_error *error)
{
    *some = true;
    if (stream->options.memory == 0 && stream->format->read != read_tmpr)
        return whole_file(stream, data, error);
    stream->slices.whole = mem_zeroed(1, sizeof *stream->slices.whole);
    temper_status status =
        stream->slices.whole ? whole_file(stream, stream->slices.whole, error) : error_no_memory(error);
    if (status == TEMPER_OK && !batch_reader_add_notes(stream, stream->slices.whole->notes))
        status = error_no_memory(error);
    if (status == TEMPER_OK)
        batch_reader_count(stream, 0, stream->slices.whole->file.missing_dropped, 0);
    if (status == TEMPER_OK)
        status = plan_memory(stream, stream->slices.whole, error);
    return status == TEMPER_OK ? dataset_batches_next(&stream->slices, data, some, error) : status;
}

temper_status batch_reader_rows(struct batch_reader *stream, struct dataset *data, bool *some, temper_error *error)
{
    *some = false;
    if (stream->slices.whole)
        return dataset_batches_next(&stream->slices, data, some, error);
    if (!batch_reader_can_split(stream))
        return stream->source ? first_whole(stream, data, some, error) : TEMPER_OK;
    const struct dataset limit = {.storage.memory_limit = stream->begun ? 0 : stream->options.memory};
    temper_status fits = plan_memory(stream, &limit, error);
    if (fits != TEMPER_OK)
        return fits;
    for (;;) {
        size_t end;
        temper_status status = next_portion(stream, &end, error);
        if (status != TEMPER_OK || (end == 0 && stream->begun))
            return status;
        /* A file without any rows is for its reader to refuse. */
        if (has_rows(stream, stream->rest.bytes, end) || (!stream->begun && !stream->source)) {
            *some = true;
            status = data ? read_portion(stream, end, data, error) : TEMPER_OK;
            stream->begun = true;
            if (status == TEMPER_OK)
                drop_portion(stream, end);
            return status;
        }
        drop_portion(stream, end);
    }
}
