/* cifar: reads and writes the binary version of CIFAR-10: records of a label, then 1024 red, 1024 green and 1024 blue
 * bytes, and nothing else; the number of records follows from the length of the file. */
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "data/read/read.h"
#include "data/write/write.h"

enum {
    PIXELS = 1024,
    COLOURS = 3 * PIXELS,
    RECORD = 1 + COLOURS,
    CLASSES = 10,
    BLOCK = 64,           /* records that are read at a time */
    FIRST_CAPACITY = 1024 /* records, if the length of the stream is not known */
};

/* Extracts the features from the three colours of a record. */
typedef void channel_fn(const unsigned char *colours, unsigned char *out);

static void take_red(const unsigned char *colours, unsigned char *out)
{
    memcpy(out, colours, PIXELS);
}

static void take_green(const unsigned char *colours, unsigned char *out)
{
    memcpy(out, colours + PIXELS, PIXELS);
}

static void take_blue(const unsigned char *colours, unsigned char *out)
{
    memcpy(out, colours + (size_t)2 * PIXELS, PIXELS);
}

/* Luma as in ITU-R 601, to the nearest integer. */
static void take_grey(const unsigned char *colours, unsigned char *out)
{
    for (size_t i = 0; i < PIXELS; i++) {
        unsigned red = colours[i], green = colours[PIXELS + i], blue = colours[(size_t)2 * PIXELS + i];
        out[i] = (unsigned char)((299 * red + 587 * green + 114 * blue + 500) / 1000);
    }
}

static void take_all(const unsigned char *colours, unsigned char *out)
{
    memcpy(out, colours, COLOURS);
}

static const struct channel {
    const char *name;
    size_t features;
    channel_fn *take;
} channels[] = {
    {"all", COLOURS, take_all},  {"red", PIXELS, take_red},   {"green", PIXELS, take_green},
    {"blue", PIXELS, take_blue}, {"grey", PIXELS, take_grey},
};

/* The rows of a batch while they are read. */
struct cifar_rows {
    struct data_reader *reader;
    const struct channel *channel;
    struct dataset *data;
    unsigned char *pixels;
    size_t rows, capacity; /* records */
};

/* The channel that --channel names; all of them by default. */
static temper_status find_channel(const struct data_reader *reader, const struct channel **out)
{
    const char *wanted = reader->options->channel ? reader->options->channel : "all";
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        if (strcmp(channels[i].name, wanted) == 0) {
            *out = &channels[i];
            return TEMPER_OK;
        }
    return error_set(reader->error, TEMPER_USAGE,
                     "there is no channel '%.40s'; channels are red, green, blue, grey, all", wanted);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Resizes the pixels and the labels. */
static temper_status reserve(struct cifar_rows *r, size_t capacity)
{
    size_t size;
    if (!mul_size(capacity, r->channel->features, &size))
        return error_no_memory(r->reader->error);
    unsigned char *pixels = mem_resize(r->pixels, size, 1);
    if (pixels)
        r->pixels = pixels;
    uint32_t *label = pixels ? mem_resize(r->data->label, capacity, sizeof *label) : NULL;
    if (!label)
        return error_no_memory(r->reader->error);
    r->data->label = label;
    r->capacity = capacity;
    return TEMPER_OK;
}

/* The number of the next record in the file, from 1. */
static size_t record_number(const struct cifar_rows *r)
{
    return (size_t)r->reader->rows + r->rows + 1;
}

/* A label, then the pixels of the channel. */
static temper_status take_record(struct cifar_rows *r, const unsigned char *record)
{
    char place[PATH_SHOWN], name[2] = {(char)('0' + record[0] % CLASSES), '\0'};
    if (record[0] >= CLASSES)
        return error_at(r->reader->error, TEMPER_BAD_DATA, record_number(r), 1,
                        "%s:%zu:1: record %zu has the label %d, and CIFAR-10 has 0 to 9; if it is another kind of "
                        "file, name its format with --format",
                        path_shown(r->reader->path, place), record_number(r), record_number(r), record[0]);
    uint32_t label = classes_add(&r->data->classes, name, 1);
    if (label == CLASSES_NO_MEMORY)
        return error_no_memory(r->reader->error);
    r->channel->take(record + 1, r->pixels + r->rows * r->channel->features);
    r->data->label[r->rows++] = label;
    return TEMPER_OK;
}

/* The position is the byte within the record. */
static temper_status refuse_truncated(const struct cifar_rows *r, size_t bytes)
{
    char place[PATH_SHOWN];
    return error_at(r->reader->error, TEMPER_BAD_DATA, record_number(r), bytes + 1,
                    "%s:%zu:%zu: record %zu has %zu bytes of %d; the file was cut off, or is not CIFAR-10: copy it "
                    "again, or name its format with --format",
                    path_shown(r->reader->path, place), record_number(r), bytes + 1, record_number(r), bytes, RECORD);
}

/* All records of a block; a rest at the end of the file is an error. */
static temper_status take_records(struct cifar_rows *r, const unsigned char *bytes, size_t length)
{
    size_t records = length / RECORD;
    if (r->reader->skip) {
        r->reader->rows += records;
        return TEMPER_OK;
    }
    if (r->rows + records > r->capacity)
        TRY(reserve(r, r->capacity ? r->capacity * 2 : FIRST_CAPACITY));
    for (size_t i = 0; i < records; i++)
        TRY(take_record(r, bytes + i * RECORD));
    return length % RECORD != 0 ? refuse_truncated(r, length % RECORD) : TEMPER_OK;
}

/* Reads at most `most` records, a block at a time; reader->ended if there was none. The source is closed at its end. */
static temper_status read_records(struct cifar_rows *r, size_t most, unsigned char *block)
{
    struct data_reader *reader = r->reader;
    uint64_t length = source_file_size(reader->source);
    bool known = length > 0 && length / RECORD < SIZE_MAX && !source_compression(reader->source);
    if (known && !reader->skip && reader->batch_bytes == 0)
        TRY(reserve(r, (size_t)(length / RECORD)));
    reader->ended = true;
    for (size_t left = most; left > 0;) {
        size_t records = left < BLOCK ? left : BLOCK, got;
        TRY(source_read(reader->source, block, records * RECORD, &got, reader->error));
        TRY(take_records(r, block, got));
        reader->ended = reader->ended && got == 0;
        left -= records;
        if (got < records * RECORD) {
            data_reader_close_source(reader);
            break;
        }
    }
    return TEMPER_OK;
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Moves the rows to the dataset, and gives back memory that was reserved for more. */
static temper_status finish(struct cifar_rows *r)
{
    char place[PATH_SHOWN];
    struct data_reader *reader = r->reader;
    if (r->rows == 0 && reader->rows == 0 && !reader->skip)
        return error_set(reader->error, TEMPER_BAD_DATA, "%s: it contains no records; give a file of CIFAR-10 records",
                         path_shown(reader->path, place));
    if (r->rows == 0)
        return TEMPER_OK;
    if (r->rows < r->capacity && reserve(r, r->rows) != TEMPER_OK)
        return TEMPER_NO_MEMORY;
    r->data->x = (struct matrix){.kind = MATRIX_U8,
                                 .rows = r->rows,
                                 .columns = r->channel->features,
                                 .nonzeros = (uint64_t)r->rows * r->channel->features,
                                 .dense = r->pixels,
                                 .owned = {r->pixels}};
    r->pixels = NULL;
    r->data->file.format = "cifar";
    r->data->file.image_shape[0] = r->data->file.image_shape[1] = 32;
    r->data->file.image_shape[2] = r->channel->features == COLOURS ? 3 : 1;
    return TEMPER_OK;
}

/* The source stays open from batch to batch. */
temper_status read_cifar(struct data_reader *reader, struct dataset *data)
{
    struct cifar_rows r = {.reader = reader, .data = data};
    size_t most = reader->batch_bytes ? reader->batch_bytes / RECORD : SIZE_MAX;
    unsigned char *block = mem_alloc((size_t)BLOCK * RECORD, 1);
    temper_status status = block ? find_channel(reader, &r.channel) : error_no_memory(reader->error);
    if (status == TEMPER_OK)
        status = read_records(&r, most ? most : 1, block);
    if (status != TEMPER_OK || reader->batch_bytes == 0)
        data_reader_close_source(reader);
    if (status == TEMPER_OK)
        status = finish(&r);
    mem_free(block);
    mem_free(r.pixels);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* A class as the byte that CIFAR-10 has for it. */
static bool class_byte(const struct dataset *data, uint64_t row, unsigned char *out)
{
    const char *name = data->classes.name[data->label[row]];
    *out = (unsigned char)(name[0] - '0');
    return name[0] >= '0' && name[0] <= '9' && name[1] == '\0';
}

/* A row as a record; its features must be integers from 0 to 255, whatever type they are stored as. */
static temper_status make_record(const struct dataset *data, uint64_t row, double *values, unsigned char *record,
                                 temper_error *error)
{
    if (!class_byte(data, row, record))
        return error_set(error, TEMPER_USAGE,
                         "CIFAR-10 has the classes 0 to 9, and '%.40s' is none of them; write .tmpr",
                         data->classes.name[data->label[row]]);
    matrix_row_f64(&data->x, row, values);
    for (size_t i = 0; i < COLOURS; i++) {
        if (!(values[i] >= 0 && values[i] <= 255) || values[i] != (double)(int)values[i])
            return error_set(error, TEMPER_USAGE,
                             "CIFAR-10 keeps integers from 0 to 255, and row %llu, feature %zu is "
                             "none; write .tmpr",
                             (unsigned long long)row + 1, i + 1);
        record[1 + i] = (unsigned char)values[i];
    }
    return TEMPER_OK;
}

/* Rows of 3072 integers from 0 to 255, with labels 0 to 9; anything else is refused. */
temper_status write_cifar(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    unsigned char record[RECORD];
    if (data->x.columns != COLOURS || !data->label)
        return error_set(error, TEMPER_USAGE,
                         "CIFAR-10 keeps labelled rows of %d features, and these are %llu%s; write "
                         ".tmpr, or read with --channel all",
                         COLOURS, (unsigned long long)data->x.columns, data->label ? "" : " without labels");
    double *values = mem_alloc(COLOURS, sizeof *values);
    if (!values)
        return error_no_memory(error);
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; i < data->x.rows && status == TEMPER_OK; i++) {
        status = make_record(data, i, values, record, error);
        if (status == TEMPER_OK)
            status = atomic_file_write(sink, record, sizeof record, error);
    }
    mem_free(values);
    return status;
}
