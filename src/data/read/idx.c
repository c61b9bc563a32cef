/* idx: reads and writes the format of MNIST and its family: big-endian numbers after their dimensions. The first
 * dimension is rows, all others together are features. Labels are in a second file.
 *
 * The header has a type and up to four dimensions of 32 bits; dense_array.c reads the numbers. The file of labels is
 * found by the naming of MNIST ("images" becomes "labels", idx3 becomes idx1), compressed or not, and must have a label
 * for each row: a wrong pair of files, train and test, is the usual mistake. */
#include "data/read/idx.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "data/read/dense_array.h"
#include "data/read/read.h"

/* The number of dimensions is a byte of the header. */
enum { MAGIC = 4, MOST_DIMENSIONS = 255 };

/* The type codes of the format, as kind and size of struct element; all numbers are big-endian. */
static const struct idx_type {
    unsigned char code;
    char kind;
    unsigned char size;
} types[] = {
    {0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8},
};

/* ---- The header ------------------------------------------------------------------------------ */

/* An error in the header, with its remedy. */
static temper_status bad_header(const struct data_reader *reader, const char *what, const char *remedy)
{
    char place[PATH_SHOWN];
    return error_set(reader->error, TEMPER_BAD_DATA, "%s: %s; %s", path_shown(reader->path, place), what, remedy);
}

/* Reads exactly `length` bytes. */
static temper_status read_all(const struct data_reader *reader, void *bytes, size_t length)
{
    size_t got;
    temper_status status = source_read(reader->source, bytes, length, &got, reader->error);
    /* Fewer bytes than wanted mean the end of the file. */
    if (status != TEMPER_OK || got == length)
        return status;
    return bad_header(reader, "cut off within its header", "copy it again");
}

/* Big-endian. */
static uint32_t get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The inverse of get_u32. */
static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Reads the first four bytes: 0, 0, the type, the number of dimensions; fills out->element and *count. An unknown type
 * leaves element.size 0. */
static temper_status read_magic(const struct data_reader *reader, struct rectangle *out, size_t *count)
{
    unsigned char magic[MAGIC];
    TRY(read_all(reader, magic, sizeof magic));
    /* Types that are unknown leave the element's size at 0. */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == magic[2])
            out->element = (struct element){types[i].kind, types[i].size, true};
    if (magic[0] != 0 || magic[1] != 0 || out->element.size == 0)
        return bad_header(reader, "does not begin like an IDX file", "name its format with --format");
    if (magic[3] == 0)
        return bad_header(reader, "an IDX file of no dimensions has no rows", "copy it again");
    *count = magic[3];
    return TEMPER_OK;
}

/* Reads the header: the first dimension becomes rows, the product of all others columns. `picture` (or NULL) receives
 * height, width and channels if each row is a two-dimensional array of bytes, so that reports can draw the rows as
 * images. */
static temper_status read_header(const struct data_reader *reader, struct rectangle *out, uint32_t *picture)
{
    unsigned char sizes[4 * MOST_DIMENSIONS];
    size_t count = 0, columns = 1;
    *out = (struct rectangle){0};
    temper_status status = read_magic(reader, out, &count);
    if (status == TEMPER_OK)
        status = read_all(reader, sizes, 4 * count);
    if (status != TEMPER_OK)
        return status;
    /* An array of one dimension has one column. */
    for (size_t i = 1; i < count; i++)
        if (!mul_size(columns, get_u32(sizes + 4 * i), &columns))
            return bad_header(reader, "its dimensions are larger than a machine can address",
                              "it is damaged: copy it again");
    out->rows = get_u32(sizes);
    out->columns = columns;
    out->header_size = MAGIC + 4 * count;
    /* Three dimensions of bytes: rows, height, width. */
    if (picture && count == 3 && out->element.kind == 'u') {
        picture[0] = get_u32(sizes + 4);
        picture[1] = get_u32(sizes + 8);
        picture[2] = 1;
    }
    return TEMPER_OK;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* The last part of a path. Words are searched in it only, since a folder may be called "images" too. */
static const char *last_part(const char *path)
{
    const char *slash = path_last_separator(path);
    return slash ? slash + 1 : path;
}

/* Derives the name of the label file as the MNIST family has it: "images" becomes "labels", and idx3 becomes idx1,
 * because labels have one dimension. Both words have the same length, so that the copy has the size of the path. */
char *idx_labels_path(const char *path)
{
    size_t size = strlen(path) + 1;
    const char *images = strstr(last_part(path), "images");
    char *labels = images ? mem_alloc(size, 1) : NULL;
    if (!labels)
        return NULL;
    memcpy(labels, path, size);
    for (size_t i = 0; i < 6; i++) /* a word of the same length */
        labels[(size_t)(images - path) + i] = "labels"[i];
    /* The digit after "idx" is the number of dimensions. */
    char *idx = strstr(labels + (images - path), "idx");
    if (idx && idx[3] >= '2' && idx[3] <= '9')
        idx[3] = '1';
    return labels;
}

/* Opens the label file: by its name as it is, then without compression, as .gz and as .zst, since the two files need
 * not be compressed alike. TEMPER_NO_INPUT if there is no such file; else `path`, a buffer of `room` bytes, holds its
 * name. */
static temper_status open_labels(char *path, size_t room, struct source **source, temper_error *error)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    /* The length of the path without .gz or .zst. */
    size_t bare = path_bare_length(path);
    temper_status status = source_open(path, source, error);
    for (size_t i = 0; status == TEMPER_NO_INPUT && i < 3; i++) {
        snprintf(path + bare, room - bare, "%s", endings[i]);
        status = source_open(path, source, error);
    }
    return status;
}

/* Turns each distinct number of a one-column matrix into a class, named by its shortest decimal. */
static temper_status take_labels(const struct data_reader *reader, const struct matrix *column, struct dataset *data)
{
    char name[NUMBER_LENGTH], place[PATH_SHOWN];
    for (uint64_t i = 0; i < column->rows; i++) {
        /* Labels are exact as doubles; the reader has refused integers that are not. */
        double value;
        matrix_row_f64(column, i, &value);
        data->label[i] = classes_add(&data->classes, name, number_write_f64(value, name));
        if (data->label[i] == CLASSES_NO_MEMORY)
            return error_no_memory(reader->error);
        if (data->label[i] == CLASSES_FULL)
            return error_set(reader->error, TEMPER_BAD_DATA,
                             "%s: there are more than %s classes; pass the right file by --labels, "
                             "or --label none",
                             path_shown(reader->path, place), count_shown(MOST_CLASSES).text);
    }
    return TEMPER_OK;
}

/* There must be exactly one label for each row; more often than damage this is the wrong pair of files (train and
 * test). */
static temper_status check_labels(const struct data_reader *reader, const struct rectangle *labels,
                                  const struct dataset *data)
{
    char place[PATH_SHOWN];
    if (labels->columns == 1 && labels->rows == data->x.rows)
        return TEMPER_OK;
    return error_set(reader->error, TEMPER_BAD_DATA,
                     "%s: %llu x %llu labels for %llu rows; pass the right file by --labels, or "
                     "--label none",
                     path_shown(reader->path, place), (unsigned long long)labels->rows,
                     (unsigned long long)labels->columns, (unsigned long long)data->x.rows);
}

/* Reads the labels from another IDX file into data->label. `reader` is a copy of the image reader with the path and
 * source of the label file. */
static temper_status read_labels(const struct data_reader *reader, struct dataset *data)
{
    struct rectangle rectangle;
    struct matrix column = {0};
    temper_status status = read_header(reader, &rectangle, NULL);
    if (status == TEMPER_OK)
        status = check_labels(reader, &rectangle, data);
    if (status == TEMPER_OK)
        status = dense_read(reader, &rectangle, &column);
    if (status == TEMPER_OK && !(data->label = mem_alloc((size_t)data->x.rows, sizeof *data->label)))
        status = error_no_memory(reader->error);
    if (status == TEMPER_OK)
        status = take_labels(reader, &column, data);
    matrix_free(&column);
    return status;
}

/* Reads the label file beside the images, unless other labels were given or --label none. It is no error if there is
 * none, since the rows may be for prediction; a note says so. */
static temper_status find_labels(const struct data_reader *images, struct dataset *data)
{
    enum { ENDING = 4 }; /* room for one that is longer than that of the images */
    char place[PATH_SHOWN];
    const temper_read_options *options = images->options;
    if (options->labels || images->bytes || (options->label && strcmp(options->label, "none") == 0) ||
        !strstr(last_part(images->path), "images"))
        return TEMPER_OK;
    char *name = idx_labels_path(images->path);
    size_t room = strlen(images->path) + ENDING + 1;
    char *path = name ? mem_resize(name, room, 1) : NULL;
    if (!path) {
        mem_free(name);
        return error_no_memory(images->error);
    }
    /* The label file is read with the same options and reports to the same place. */
    struct data_reader labels = *images;
    labels.path = path;
    temper_status status = open_labels(path, room, &labels.source, images->error);
    if (status == TEMPER_OK) {
        status = read_labels(&labels, data);
        source_close(labels.source);
        dataset_note(data, "labels: from %s, beside the images", path_shown(path, place));
    } else if (status == TEMPER_NO_INPUT) {
        status = TEMPER_OK;
        dataset_note(data, "labels: none; there is no %.*s beside the images", (int)(path_bare_length(last_part(path))),
                     last_part(path));
    }
    mem_free(path);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The reader_fn of IDX: images, or any array of numbers; then the labels beside it. */
temper_status read_idx(struct data_reader *reader, struct dataset *data)
{
    struct rectangle rectangle;
    temper_status status = read_header(reader, &rectangle, data->file.image_shape);
    if (status == TEMPER_OK)
        status = dense_read(reader, &rectangle, &data->x);
    data_reader_close_source(reader);
    if (status != TEMPER_OK)
        return status;
    data->file.format = "idx";
    return find_labels(reader, data);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes the type, the number of dimensions (at most 3), and the size of each as 32 bits, big-endian. Larger sizes are
 * refused. */
static temper_status write_header(struct atomic_file *sink, unsigned char code, const uint64_t *sizes,
                                  unsigned char dimensions, temper_error *error)
{
    unsigned char header[MAGIC + 12] = {0, 0, code, dimensions};
    for (size_t i = 0; i < dimensions; i++) {
        if (sizes[i] > UINT32_MAX)
            return error_set(error, TEMPER_USAGE,
                             "IDX counts no further than 2^32 - 1, and there are %llu rows or "
                             "features; write .tmpr or .npy",
                             (unsigned long long)sizes[i]);
        put_u32(header + MAGIC + 4 * i, (uint32_t)sizes[i]);
    }
    return atomic_file_write(sink, header, MAGIC + 4u * dimensions, error);
}

/* The writer_fn of IDX. Grey images keep their height and width as dimensions; other features are one dimension. The
 * labels go to a second file, which write.c opens. */
temper_status write_idx(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    unsigned char code = data->x.kind == MATRIX_U8 ? 0x08 : matrix_has_doubles(&data->x) ? 0x0e : 0x0d;
    /* The shape is kept only for a single channel: IDX has no convention for colour planes. */
    bool pictures = data->x.kind == MATRIX_U8 && data->file.image_shape[2] == 1;
    uint64_t sizes[3] = {data->x.rows, data->x.columns};
    for (size_t i = 0; pictures && i < 2; i++)
        sizes[i + 1] = data->file.image_shape[i];
    temper_status status = write_header(sink, code, sizes, pictures ? 3 : 2, error);
    return status == TEMPER_OK ? dense_write(&data->x, true, sink, error) : status;
}

/* Converts class names to integers: value has classes->count elements. *wide is set if one needs more than an unsigned
 * byte. */
static temper_status class_integers(const struct classes *classes, int32_t *value, bool *wide, temper_error *error)
{
    for (size_t i = 0; i < classes->count; i++) {
        const char *name = classes->name[i];
        double number;
        /* The cast is defined only within the range of int32_t, which is tested before it. */
        if (number_f64(name, name + strlen(name), &number) != NUMBER_OK || number < INT32_MIN || number > INT32_MAX ||
            number != (double)(int32_t)number)
            return error_set(error, TEMPER_USAGE,
                             "IDX keeps labels as integers, and class '%.40s' is none; write .tmpr "
                             "or .csv",
                             name);
        value[i] = (int32_t)number;
        *wide = *wide || value[i] < 0 || value[i] > UINT8_MAX;
    }
    return TEMPER_OK;
}

/* Writes one label per row, as four big-endian bytes if `wide`, else as the last of them. */
static temper_status write_integers(const struct dataset *data, const int32_t *value, bool wide,
                                    struct atomic_file *sink, temper_error *error)
{
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; i < data->x.rows && status == TEMPER_OK; i++) {
        unsigned char bytes[4];
        put_u32(bytes, (uint32_t)value[data->label[i]]);
        status = wide ? atomic_file_write(sink, bytes, 4, error) : atomic_file_write(sink, bytes + 3, 1, error);
    }
    return status;
}

/* Writes the labels as an IDX file of one dimension: bytes if all classes are 0 to 255, as in MNIST, else four-byte
 * integers. */
temper_status write_idx_labels(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    uint64_t sizes[2] = {data->x.rows, 1};
    bool wide = false;
    int32_t *value = mem_alloc(data->classes.count, sizeof *value);
    if (!value)
        return error_no_memory(error);
    temper_status status = class_integers(&data->classes, value, &wide, error);
    if (status == TEMPER_OK)
        status = write_header(sink, wide ? 0x0c : 0x08, sizes, 1, error);
    if (status == TEMPER_OK)
        status = write_integers(data, value, wide, sink, error);
    mem_free(value);
    return status;
}
