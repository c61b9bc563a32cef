/* cifar: reads and writes the binary version of CIFAR-10: records of a label, then 1024 red, 1024 green and 1024 blue
 * bytes, and nothing else; the number of records follows from the length of the file. */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "data/read/read.h"
#include "data/write/write.h"

/* The layout of a record: 32 x 32 pixels, one plane of bytes per colour. */
enum {
    PIXELS = 1024,
    COLOURS = 3 * PIXELS,
    RECORD = 1 + COLOURS,
    CLASSES = 10,
    BLOCK = 64,           /* records that are read at a time */
    FIRST_CAPACITY = 1024 /* records, if the length of the stream is not known */
};

/* Extracts the features of one record from its three colour planes (COLOURS bytes) into `out`, which has as many bytes
 * as the channel has features. */
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

/* Luma of ITU-R BT.601 (0.299 R + 0.587 G + 0.114 B), rounded to the nearest integer; integer arithmetic gives the same
 * bytes on every machine. */
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

/* The values of --channel. The features stay bytes (MATRIX_U8), which takes a quarter of the memory of floats. */
static const struct channel {
    const char *name;
    size_t features;
    channel_fn *take;
} channels[] = {
    {"all", COLOURS, take_all},  {"red", PIXELS, take_red},   {"green", PIXELS, take_green},
    {"blue", PIXELS, take_blue}, {"grey", PIXELS, take_grey},
};

/* The rows of a batch while they are read. data->label grows together with the pixels. */
struct cifar_rows {
    struct data_reader *reader;
    const struct channel *channel;
    struct dataset *data;
    unsigned char *pixels; /* capacity * features bytes; moved to the matrix at the end */
    size_t rows, capacity; /* records */
};

/* The channel that --channel names; all of them by default. */
static temper_status find_channel(const struct data_reader *reader, const struct channel **out)
{
    const char *wanted = reader->options->channel ? reader->options->channel : "all";
    /* The message below lists the names of the table. */
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        if (strcmp(channels[i].name, wanted) == 0) {
            *out = &channels[i];
            return TEMPER_OK;
        }
    return error_set(reader->error, TEMPER_USAGE,
                     "there is no channel '%.40s'; channels are red, green, blue, grey, all", wanted);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Sets the capacity of pixels and labels to so many records. If only the pixels could be resized, they stay valid and
 * the old capacity still holds. */
static temper_status reserve(struct cifar_rows *r, size_t capacity)
{
    size_t size;
    assert(r->channel);
    if (!mul_size(capacity, r->channel->features, &size))
        return error_no_memory(r->reader->error);
    unsigned char *pixels = mem_resize(r->pixels, size, 1);
    if (pixels)
        r->pixels = pixels;
    /* The labels are resized last, so that `capacity` holds for both arrays or for none. */
    uint32_t *label = pixels ? mem_resize(r->data->label, capacity, sizeof *label) : NULL;
    if (!label)
        return error_no_memory(r->reader->error);
    r->data->label = label;
    r->capacity = capacity;
    return TEMPER_OK;
}

/* The number of the next record in the file, from 1; messages use it as the line number of a binary file. */
static size_t record_number(const struct cifar_rows *r)
{
    return (size_t)r->reader->rows + r->rows + 1;
}

/* Appends one record, a label byte and the pixels of the channel. A label above 9 is the only sign of a wrong file,
 * since any other byte sequence is valid. */
static temper_status take_record(struct cifar_rows *r, const unsigned char *record)
{
    char place[PATH_SHOWN], name[2] = {(char)('0' + record[0] % CLASSES), '\0'};
    if (record[0] >= CLASSES)
        return error_at(r->reader->error, TEMPER_BAD_DATA, record_number(r), 1,
                        "%s:%zu:1: record %zu has the label %d, and CIFAR-10 has 0 to 9; if it is another kind of "
                        "file, name its format with --format",
                        path_shown(r->reader->path, place), record_number(r), record_number(r), record[0]);
    /* Classes are numbered by first appearance; dataset_sort_classes orders them later. */
    uint32_t label = classes_add(&r->data->classes, name, 1);
    if (label == CLASSES_NO_MEMORY)
        return error_no_memory(r->reader->error);
    r->channel->take(record + 1, r->pixels + r->rows * r->channel->features);
    r->data->label[r->rows++] = label;
    return TEMPER_OK;
}

/* The last record is incomplete; the column of the message is the first byte that is missing within it. */
static temper_status refuse_truncated(const struct cifar_rows *r, size_t bytes)
{
    char place[PATH_SHOWN];
    return error_at(r->reader->error, TEMPER_BAD_DATA, record_number(r), bytes + 1,
                    "%s:%zu:%zu: record %zu has %zu bytes of %d; the file was cut off, or is not CIFAR-10: copy it "
                    "again, or name its format with --format",
                    path_shown(r->reader->path, place), record_number(r), bytes + 1, record_number(r), bytes, RECORD);
}

/* Appends all records of a block. An incomplete record can only occur at the end of the file and is an error. A skipped
 * batch is counted, not converted. */
static temper_status take_records(struct cifar_rows *r, const unsigned char *bytes, size_t length)
{
    size_t records = length / RECORD;
    if (r->reader->skip) {
        r->reader->rows += records;
        return TEMPER_OK;
    }
    /* Streams of unknown length grow here. Their capacity is at least FIRST_CAPACITY records, more than a block has, so
     * that doubling once is enough. */
    if (r->rows + records > r->capacity)
        TRY(reserve(r, r->capacity ? r->capacity * 2 : FIRST_CAPACITY));
    for (size_t i = 0; i < records; i++)
        TRY(take_record(r, bytes + i * RECORD));
    return length % RECORD != 0 ? refuse_truncated(r, length % RECORD) : TEMPER_OK;
}

/* Reads at most `most` records, BLOCK at a time; sets reader->ended if there was none. A short read means the end of
 * the file, and the source is closed. */
static temper_status read_records(struct cifar_rows *r, size_t most, unsigned char *block)
{
    struct data_reader *reader = r->reader;
    uint64_t length = source_file_size(reader->source);
    /* Sizes of archives are those of the compressed bytes, which say nothing. */
    bool known = length > 0 && length / RECORD < SIZE_MAX && !source_compression(reader->source);
    /* The length of a plain file gives the number of records, so that the arrays are allocated once. */
    if (known && !reader->skip && reader->batch_bytes == 0)
        TRY(reserve(r, (size_t)(length / RECORD)));
    reader->ended = true;
    /* `ended` becomes false with the first bytes of the batch. */
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

/* Moves the rows to the dataset as a 32 x 32 image with one or three channels, and returns memory that was reserved for
 * more. A file without any record is refused; a later batch may be empty. */
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

/* The reader_fn of CIFAR. The source stays open from batch to batch, so that no other state is needed. A batch has at
 * least one record, however small the limit. */
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

/* The byte that CIFAR-10 has for the class of a row; false if the class is not named by one digit. */
static bool class_byte(const struct dataset *data, uint64_t row, unsigned char *out)
{
    const char *name = data->classes.name[data->label[row]];
    *out = (unsigned char)(name[0] - '0');
    return name[0] >= '0' && name[0] <= '9' && name[1] == '\0';
}

/* Converts a row to a record of RECORD bytes. The features must be integers from 0 to 255, whatever type they are
 * stored as. `values` is scratch for one row. */
static temper_status make_record(const struct dataset *data, uint64_t row, double *values, unsigned char *record,
                                 temper_error *error)
{
    if (!class_byte(data, row, record))
        return error_set(error, TEMPER_USAGE,
                         "CIFAR-10 has the classes 0 to 9, and '%.40s' is none of them; write .tmpr",
                         data->classes.name[data->label[row]]);
    matrix_row_f64(&data->x, row, values);
    /* The negated comparison also catches NaN. */
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

/* The writer_fn of CIFAR: rows of 3072 integers from 0 to 255 with labels 0 to 9. Anything else is refused, since the
 * format could not represent it. */
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
