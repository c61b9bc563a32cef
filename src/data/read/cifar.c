/* cifar: the binary version of CIFAR-10: records of a label, then 1024 red, 1024 green and 1024
 * blue bytes, and nothing else; the file's length tells how many. */
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
    BATCH = 64,       /* records read at a time */
    FIRST_ROOM = 1024 /* records, where the length of the stream is not known */
};

/* Takes the features from the three colours of a record. */
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

/* Rows that are being gathered. */
struct gathering {
    const struct reading *reading;
    const struct channel *channel;
    struct dataset *data;
    unsigned char *pixels;
    size_t rows, room; /* records */
};

static temper_status find_channel(const struct reading *reading, const struct channel **out)
{
    const char *wanted = reading->options->channel ? reading->options->channel : "all";
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        if (strcmp(channels[i].name, wanted) == 0) {
            *out = &channels[i];
            return TEMPER_OK;
        }
    return error_set(reading->error, TEMPER_USAGE,
                     "there is no channel '%.40s'; channels are red, green, blue, grey, all", wanted);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Both arrays, so that `room` is true of both. */
static temper_status reserve(struct gathering *g, size_t room)
{
    size_t size;
    if (!mul_size(room, g->channel->features, &size))
        return error_no_memory(g->reading->error);
    unsigned char *pixels = mem_resize(g->pixels, size, 1);
    if (pixels)
        g->pixels = pixels;
    uint32_t *label = pixels ? mem_resize(g->data->label, room, sizeof *label) : NULL;
    if (!label)
        return error_no_memory(g->reading->error);
    g->data->label = label;
    g->room = room;
    return TEMPER_OK;
}

static temper_status take_record(struct gathering *g, const unsigned char *record)
{
    char place[PATH_SHOWN], name[2] = {(char)('0' + record[0] % CLASSES), '\0'};
    if (record[0] >= CLASSES)
        return error_at(g->reading->error, TEMPER_BAD_DATA, g->rows + 1, 1,
                        "%s:%zu:1: record %zu has the label %d, and CIFAR-10 has 0 to 9; if it is another kind of "
                        "file, name its format with --format",
                        path_shown(g->reading->path, place), g->rows + 1, g->rows + 1, record[0]);
    uint32_t label = classes_add(&g->data->classes, name, 1);
    if (label == CLASSES_NO_MEMORY)
        return error_no_memory(g->reading->error);
    g->channel->take(record + 1, g->pixels + g->rows * g->channel->features);
    g->data->label[g->rows++] = label;
    return TEMPER_OK;
}

static temper_status cut_record(const struct gathering *g, size_t bytes)
{
    char place[PATH_SHOWN];
    return error_at(g->reading->error, TEMPER_BAD_DATA, g->rows + 1, bytes + 1,
                    "%s:%zu:%zu: record %zu has %zu bytes of %d; the file was cut off, or is not CIFAR-10: copy it "
                    "again, or name its format with --format",
                    path_shown(g->reading->path, place), g->rows + 1, bytes + 1, g->rows + 1, bytes, RECORD);
}

static temper_status take_batch(struct gathering *g, const unsigned char *batch, size_t length)
{
    size_t records = length / RECORD;
    temper_status status = TEMPER_OK;
    if (g->rows + records > g->room)
        status = reserve(g, g->room ? g->room * 2 : FIRST_ROOM);
    for (size_t i = 0; i < records && status == TEMPER_OK; i++)
        status = take_record(g, batch + i * RECORD);
    if (status == TEMPER_OK && length % RECORD != 0)
        return cut_record(g, length % RECORD);
    return status;
}

static temper_status take_all_records(struct gathering *g, unsigned char *batch)
{
    const size_t size = (size_t)BATCH * RECORD;
    uint64_t length = source_file_size(g->reading->source);
    size_t got = size;
    temper_status status = TEMPER_OK;
    if (length > 0 && length / RECORD < SIZE_MAX && !source_compression(g->reading->source))
        status = reserve(g, (size_t)(length / RECORD));
    while (status == TEMPER_OK && got == size) {
        status = source_read(g->reading->source, batch, size, &got, g->reading->error);
        if (status == TEMPER_OK)
            status = take_batch(g, batch, got);
    }
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Hands the rows over, and gives back what was reserved for more. */
static temper_status finish(struct gathering *g)
{
    char place[PATH_SHOWN];
    struct matrix *x = &g->data->x;
    if (g->rows == 0)
        return error_set(g->reading->error, TEMPER_BAD_DATA,
                         "%s: it contains no records; give a file of CIFAR-10 records",
                         path_shown(g->reading->path, place));
    if (g->rows < g->room && reserve(g, g->rows) != TEMPER_OK)
        return TEMPER_NO_MEMORY;
    *x = (struct matrix){.kind = MATRIX_U8,
                         .rows = g->rows,
                         .columns = g->channel->features,
                         .nonzeros = (uint64_t)g->rows * g->channel->features,
                         .dense = g->pixels,
                         .owned = {g->pixels}};
    g->pixels = NULL;
    g->data->file.format = "cifar";
    g->data->file.image_shape[0] = g->data->file.image_shape[1] = 32;
    g->data->file.image_shape[2] = g->channel->features == COLOURS ? 3 : 1;
    return TEMPER_OK;
}

temper_status read_cifar(struct reading *reading, struct dataset *data)
{
    struct gathering g = {.reading = reading, .data = data};
    unsigned char *batch = mem_alloc((size_t)BATCH * RECORD, 1);
    temper_status status = batch ? find_channel(reading, &g.channel) : TEMPER_NO_MEMORY;
    if (!batch)
        error_no_memory(reading->error);
    else if (status == TEMPER_OK)
        status = take_all_records(&g, batch);
    source_close(reading->source);
    if (status == TEMPER_OK)
        status = finish(&g);
    mem_free(batch);
    mem_free(g.pixels);
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

/* Features must be bytes, whatever type they are kept as. */
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
