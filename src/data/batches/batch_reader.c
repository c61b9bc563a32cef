/* batch_reader: batches of a file from the iterator of data/read, or slices of a file that was read whole.
 *
 * Which of the two is decided when the file is opened, by its format and the options. Batches are parsed one after the
 * other, and each has its own arrays. Slices borrow the features of the whole file, and copy labels, weights and lines,
 * which are small. Notes are collected over all batches, each once; counts of dropped rows and missing values are added
 * up and reported at the end. */
#include "data/batches/batch_reader.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/classes.h"
#include "data/csv/csv.h"
#include "data/memory/memory_limit.h"
#include "data/quote_text.h"
#include "data/read/file_join.h"
#include "data/read/file_names.h"
#include "data/read/format.h"

/* Sizes in bytes, unless noted. */
enum {
    BATCH_BYTES = 8 * 1024 * 1024,
    BATCH_BYTES_LEAST = 256 * 1024,
    BATCH_SHARE = 32,         /* of a memory limit, since */
    BATCH_TIMES = 12,         /* text, copies and numbers together take so many times the bytes of a batch */
    RESULT_TIMES = 16,        /* the same for the results of a slice: numbers, their text and its copies */
    SLICE_BYTES = 256 * 1024, /* of one number for each row and class */
    SLICE_MOST = 8192         /* rows */
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* Adds one note unless it is present already, since every batch notes the same about the header. False without memory.
 * Notes are few, and so the search is linear. */
static bool add_note_line(struct text *notes, const char *line, size_t length)
{
    /* Each iteration compares with one line of the notes so far. */
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

/* Splits the notes of a batch into lines and adds each of them once. */
bool batch_reader_add_notes(struct batch_reader *batches, const char *notes)
{
    size_t length;
    for (const char *line = notes; *line; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        if (!add_note_line(&batches->notes, line, length))
            return false;
    }
    return true;
}

/* Whether batches can be read one by one: the format allows it, and no option needs all rows. Labels and weights of
 * other files refer to rows by number; --classes fails if a batch lacks one of the classes. */
static bool can_split(const struct batch_reader *batches)
{
    const struct format *format = batches->reader.format;
    const temper_read_options *options = &batches->options;
    return (format_is_table(format) || format->read == read_libsvm || format->read == read_cifar) && !options->labels &&
           !options->weights && !options->class_weight && !options->classes;
}

/* Opens the file and infers its format. The dataset exists only for the note about the format, which becomes the first
 * one. */
static temper_status open_file(struct batch_reader *batches, temper_error *error)
{
    struct dataset *first = mem_zeroed(1, sizeof *first);
    if (!first)
        return error_no_memory(error);
    temper_status status = data_reader_open(&batches->reader, first);
    if (status == TEMPER_OK && !batch_reader_add_notes(batches, first->notes))
        status = error_no_memory(error);
    dataset_free(first);
    return status;
}

/* The files of a list, a folder or a pattern, if they are parts of one table; those of other formats are refused. */
static temper_status join_files(const char *path, const temper_read_options *options, struct file_join **out,
                                temper_error *error)
{
    if (!names_several_files(path))
        return TEMPER_OK;
    TRY(file_join_find(path, options, out, error));
    if (*out)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "%s names several files, and rows are taken from one at a time here; "
                     "give them one by one, or make one of them: temper convert %s all.tmpr",
                     place_text(path).text, place_text(path).text);
}

/* Opens a file for reading in batches. Under a memory limit a batch is a fixed share of it, since text, parsed rows and
 * results together take a multiple of the batch. */
temper_status batch_reader_open(const char *path, const temper_read_options *options, const struct schema *schema,
                                struct batch_reader **out, temper_error *error)
{
    TRY(memory_limit_check(options, false, error));
    struct file_join *join = NULL;
    TRY(join_files(path, options, &join, error));
    struct batch_reader *batches = mem_zeroed(1, sizeof *batches);
    if (!batches) {
        file_join_free(join);
        return error_no_memory(error);
    }
    /* The reader keeps a pointer to the options, and so they are copied to where they stay. */
    batches->options = *options;
    batches->reader = (struct data_reader){
        .path = path, .join = join, .options = &batches->options, .schema = schema, .error = error};
    batches->batch_bytes = BATCH_BYTES;
    batch_reader_set_width(batches, 1);
    if (options->memory && options->memory / BATCH_SHARE < BATCH_BYTES)
        batches->batch_bytes = (size_t)(options->memory / BATCH_SHARE);
    /* Smaller batches would spend their time on overhead; the limit is then refused by plan_memory. */
    if (batches->batch_bytes < BATCH_BYTES_LEAST)
        batches->batch_bytes = BATCH_BYTES_LEAST;
    temper_status status = open_file(batches, error);
    if (status != TEMPER_OK) {
        batch_reader_close(batches);
        return status;
    }
    batches->splits = can_split(batches);
    *out = batches;
    return TEMPER_OK;
}

/* Batches that borrow from `whole` must be freed before. */
void batch_reader_close(struct batch_reader *batches)
{
    if (!batches)
        return;
    data_reader_close(&batches->reader);
    dataset_free(batches->whole);
    text_free(&batches->notes);
    mem_free(batches);
}

/* Effective until the first batch is read. */
void batch_reader_set_bytes(struct batch_reader *batches, size_t bytes)
{
    batches->batch_bytes = bytes;
}

const char *batch_reader_notes(const struct batch_reader *batches)
{
    return batches->notes.bytes ? batches->notes.bytes : "";
}

uint64_t batch_reader_dropped(const struct batch_reader *batches)
{
    return batches->dropped;
}

/* Chooses the rows of a slice so that the caller's results (`numbers` doubles per row) take about SLICE_BYTES, which
 * stay in the cache; a multiple of SLICE_LEAST, up to SLICE_MOST. */
void batch_reader_set_width(struct batch_reader *batches, size_t numbers)
{
    /* The divisions truncate, so that the result may be 0 for wide results. */
    size_t rows = SLICE_BYTES / sizeof(double) / (numbers ? numbers : 1) / SLICE_LEAST * SLICE_LEAST;
    batches->slice_rows = rows < SLICE_LEAST ? SLICE_LEAST : rows > SLICE_MOST ? SLICE_MOST : rows;
    batches->width = numbers;
}

/* ---- Slices of a file that was read whole ---------------------------------------------------- */

/* Copies the elements [from, from + count) of an array; NULL if the array is NULL. *fine becomes false without memory.
 * */
static void *copy_of(const void *array, uint64_t from, size_t count, size_t size, bool *fine)
{
    void *copy = array ? mem_alloc(count, size) : NULL;
    if (copy)
        memcpy(copy, (const char *)array + from * size, count * size);
    *fine = *fine && (copy || !array);
    return copy;
}

/* Fills `data` with the next slice of the whole file. It borrows the features, which are large, and has copies of
 * labels, weights and lines. *some is false after the last row. */
static temper_status next_slice(struct batch_reader *batches, struct dataset *data, bool *some, temper_error *error)
{
    const struct dataset *whole = batches->whole;
    uint64_t from = batches->sliced, left = whole->x.rows - from;
    size_t count = left < batches->slice_rows ? (size_t)left : batches->slice_rows;
    bool fine = true;
    *some = count > 0;
    if (!*some)
        return TEMPER_OK;
    /* No copy: the slice points into the matrix of the whole file. */
    data->x = matrix_slice(&whole->x, from, count);
    data->file.format = whole->file.format;
    data->label = copy_of(whole->label, from, count, sizeof *whole->label, &fine);
    data->weight = copy_of(whole->weight, from, count, sizeof *whole->weight, &fine);
    data->line = copy_of(whole->line, from, count, sizeof *whole->line, &fine);
    data->file.path = copy_of(whole->file.path, 0, strlen(whole->file.path) + 1, 1, &fine);
    batches->sliced += count;
    return fine ? classes_copy(&whole->classes, &data->classes, error) : error_no_memory(error);
}

/* Checks that a batch or slice and its results fit into the memory limit that `data` carries, and reports how much is
 * needed if not. */
static temper_status plan_memory(const struct batch_reader *batches, const struct dataset *data, temper_error *error)
{
    size_t threads = batches->options.threads ? batches->options.threads : thread_count_default();
    /* The caller's results for one slice, in bytes. */
    double slice = (double)batches->slice_rows * (double)batches->width * sizeof(double);
    struct memory_limit_plan plan = {.what = "reading the file", .needed = RESULT_TIMES * slice, .threads = threads};
    /* Batches that are read one by one also need memory for their text and rows. */
    if (!batches->whole)
        plan.needed += BATCH_TIMES * (double)batches->batch_bytes;
    return memory_limit_plan(data, &plan, error);
}

/* Reads a file that cannot be read in batches. It becomes one batch if it is in memory; a mapped file, or one in
 * temporary files, is handed out in slices. */
static temper_status read_whole(struct batch_reader *batches, struct dataset *data, bool *some, temper_error *error)
{
    struct data_reader *reader = &batches->reader;
    *some = reader->source != NULL;
    if (!*some)
        return TEMPER_OK;
    /* The data is in memory already, and slices would save nothing. */
    if (batches->options.memory == 0 && reader->format->read != read_tmpr)
        return data_reader_next(reader, data);
    batches->whole = mem_zeroed(1, sizeof *batches->whole);
    if (!batches->whole)
        return error_no_memory(error);
    TRY(data_reader_next_limited(reader, batches->whole));
    if (!batch_reader_add_notes(batches, batches->whole->notes))
        return error_no_memory(error);
    /* The rows are counted slice by slice, dropped ones here. */
    batch_reader_count(batches, 0, batches->whole->file.missing_dropped, 0);
    TRY(plan_memory(batches, batches->whole, error));
    return next_slice(batches, data, some, error);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Reads the next batch or slice. The size of batches is fixed, and the memory limit checked, when the first one is
 * read. */
temper_status batch_reader_rows(struct batch_reader *batches, struct dataset *data, bool skip, bool *some,
                                temper_error *error)
{
    struct data_reader *reader = &batches->reader;
    reader->error = error;
    if (batches->whole)
        return next_slice(batches, data, some, error);
    if (!batches->splits)
        return read_whole(batches, data, some, error);
    /* A dataset that only carries the limit; 0 after the first batch, which disables the check. */
    const struct dataset limit = {.storage.memory_limit = batches->begun ? 0 : batches->options.memory};
    TRY(plan_memory(batches, &limit, error));
    batches->begun = true;
    reader->batch_bytes = batches->batch_bytes;
    reader->skip = skip;
    TRY(data_reader_next(reader, data));
    *some = !reader->ended;
    return TEMPER_OK;
}

/* Reads the next batch, counts its rows and adds its notes; several processes read one each. */
static temper_status next_batch(struct batch_reader *batches, struct dataset *data, bool *some, temper_error *error)
{
    if (!comm_alone(batches->options.comm))
        return batch_reader_shared_rows(batches, data, some, error);
    TRY(batch_reader_rows(batches, data, false, some, error));
    if (!*some)
        return TEMPER_OK;
    batch_reader_count(batches, data->x.rows, data->file.missing_dropped, data->file.missing_filled);
    return batch_reader_add_notes(batches, data->notes) ? TEMPER_OK : error_no_memory(error);
}

/* After the last batch: adds the notes about missing values, which count those of all batches, and refuses a file in
 * which every row was dropped. Files that were read whole have their notes already. */
static temper_status finish(struct batch_reader *batches, temper_error *error)
{
    const struct schema *schema = batches->reader.schema;
    const char *rule = batches->options.missing;
    bool means = rule ? strcmp(rule, "mean") == 0 : schema && schema->missing == SCHEMA_MEAN;
    struct dataset all = {.file.missing_dropped = batches->dropped, .file.missing_filled = batches->filled};
    if (!batches->splits)
        return TEMPER_OK;
    if (batches->kept == 0 && batches->dropped > 0)
        return error_set(error, TEMPER_BAD_DATA, "%s: every row has a missing value; pass --missing zero or mean",
                         place_text(batches->reader.path).text);
    csv_note_missing(&all, batches->kept, means, true);
    return batch_reader_add_notes(batches, all.notes) ? TEMPER_OK : error_no_memory(error);
}

/* Returns the next batch, which the caller frees. One process passes over batches without rows; with several processes
 * an empty batch is returned, since all of them must make the same calls. */
temper_status batch_reader_next(struct batch_reader *batches, struct dataset **batch, temper_error *error)
{
    for (;;) {
        struct dataset *data = mem_zeroed(1, sizeof *data);
        bool some = false;
        if (!data)
            return error_no_memory(error);
        temper_status status = next_batch(batches, data, &some, error);
        /* All of its rows were dropped because of missing values. */
        bool empty = some && data->x.rows == 0 && comm_alone(batches->options.comm);
        if (status == TEMPER_OK && some && !empty) {
            *batch = data;
            return TEMPER_OK;
        }
        dataset_free(data);
        TRY(status);
        if (!some) {
            TRY(finish(batches, error));
            *batch = NULL;
            return TEMPER_OK;
        }
    }
}
