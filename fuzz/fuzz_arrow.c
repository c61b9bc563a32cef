/* Any bytes as the values of a table by the Arrow C interface, of any types: a dataset that is right, or a refusal with
 * advice; and the table is released exactly once. The layout is always valid, as the interface demands. */
#include <stdlib.h>

#include "bytes.h"
#include "data/dataset.h"
#include "temper_arrow.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

enum { MOST_COLUMNS = 4, MOST_ROWS = 16, VALUE = 16, TEXT = 8 };

/* A column with room for every type. */
struct fuzz_column {
    const void *buffer[3];
    uint8_t bits[(MOST_ROWS + 7) / 8 + 1];
    _Alignas(16) uint8_t values[MOST_ROWS * VALUE];
    _Alignas(16) int64_t offsets[MOST_ROWS + 1];
    char text[MOST_ROWS * TEXT];
    char name[8];
};

static int released;

static void release_array(struct ArrowArray *array)
{
    released++;
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    released++;
    schema->release = NULL;
}

/* Texts of up to TEXT bytes, by offsets of 32 or 64 bits. */
static void fill_texts(struct fuzz_column *column, struct bytes *bytes, bool large)
{
    int64_t at = 0;
    for (size_t i = 0; i <= MOST_ROWS; i++) {
        int32_t narrow = (int32_t)at;
        if (large)
            column->offsets[i] = at;
        else
            memcpy((char *)column->offsets + i * sizeof narrow, &narrow, sizeof narrow);
        at += i < MOST_ROWS ? take_byte(bytes) % TEXT : 0;
    }
    for (size_t i = 0; i < sizeof column->text; i++)
        column->text[i] = (char)take_byte(bytes);
}

/* A column of the type that a byte selects. */
static void fill_column(struct fuzz_column *column, struct bytes *bytes, struct ArrowSchema *schema,
                        struct ArrowArray *array)
{
    static const char *const formats[] = {"n",   "b",       "c",    "C",   "s",     "S",        "i",       "I",   "l",
                                          "L",   "e",       "f",    "g",   "u",     "U",        "tdD",     "tdm", "tts",
                                          "ttn", "tss:UTC", "tsn:", "tsu", "d:9,2", "d:5,0,32", "d:38,38", "z",   "+l"};
    const char *format = formats[take_byte(bytes) % (sizeof formats / sizeof *formats)];
    bool text = *format == 'u' || *format == 'U';
    for (size_t i = 0; i < sizeof column->bits; i++)
        column->bits[i] = take_byte(bytes) | (uint8_t)(take_byte(bytes) & 1 ? 0xff : 0);
    if (text)
        fill_texts(column, bytes, *format == 'U');
    for (size_t i = 0; !text && i < sizeof column->values; i++)
        column->values[i] = take_byte(bytes);
    column->name[0] = (char)('a' + take_byte(bytes) % 26);
    column->buffer[0] = take_byte(bytes) % 2 ? column->bits : NULL;
    column->buffer[1] = text ? (const void *)column->offsets : column->values;
    column->buffer[2] = column->text;
    *schema = (struct ArrowSchema){.format = format, .name = column->name};
    *array = (struct ArrowArray){.length = MOST_ROWS,
                                 .null_count = -1,
                                 .n_buffers = *format == 'n' ? 0
                                              : text         ? 3
                                                             : 2,
                                 .buffers = column->buffer};
}

static void check_data(const temper_data *made)
{
    const struct dataset *data = (const struct dataset *)made;
    REQUIRE(data->x.rows > 0 && data->x.columns > 0, "an empty table");
    for (uint64_t i = 0; i < data->x.rows * data->x.columns; i++)
        REQUIRE(isfinite((double)((const float *)data->x.dense)[i]), "cell %d", (int)i);
    for (uint64_t i = 0; data->label && i < data->x.rows; i++)
        REQUIRE(data->label[i] < data->classes.count, "row %d", (int)i);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct bytes bytes = {input, size};
    struct fuzz_column column[MOST_COLUMNS] = {0};
    struct ArrowSchema child_schema[MOST_COLUMNS], *schemas[MOST_COLUMNS];
    struct ArrowArray child[MOST_COLUMNS], *children[MOST_COLUMNS];
    const void *no_bits[1] = {NULL};
    size_t columns = take_byte(&bytes) % MOST_COLUMNS + 1;
    int64_t offset = take_byte(&bytes) % 4, rows = take_byte(&bytes) % (MOST_ROWS - 3);
    for (size_t i = 0; i < columns; i++) {
        fill_column(&column[i], &bytes, &child_schema[i], &child[i]);
        schemas[i] = &child_schema[i];
        children[i] = &child[i];
    }
    struct ArrowSchema schema = {
        .format = "+s", .n_children = (int64_t)columns, .children = schemas, .release = release_schema};
    struct ArrowArray array = {.length = rows,
                               .offset = offset,
                               .n_buffers = 1,
                               .buffers = no_bits,
                               .n_children = (int64_t)columns,
                               .children = children,
                               .release = release_array};
    temper_data *data = NULL;
    temper_error error = {0};
    released = 0;
    temper_status status = temper_data_from_arrow(&schema, &array, NULL, &data, &error);
    if (status == TEMPER_OK)
        check_data(data);
    else
        REQUIRE((status == TEMPER_BAD_DATA || status == TEMPER_USAGE) && strstr(error.message, "; "), "%s",
                error.message);
    temper_data_free(data);
    REQUIRE(released == 2, "released %d times", released);
    return 0;
}
