/* labels: reads labels, one for each row, from a text, IDX or NPY file. */
#include "data/labels.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/line_reader.h"

enum { PEEK = 512 }; /* bytes from which the format is inferred */

/* Labels being read; they are given to the dataset when all are there. */
struct labelling {
    const char *path;
    struct dataset *data;
    temper_error *error;
    uint32_t *label;
    uint64_t count;
    struct classes classes;
    bool found; /* by their name, without an option */
};

/* The remedy depends on whether an option named the file. */
static temper_status wrong_count(const struct labelling *labelling, uint64_t count)
{
    return error_set(labelling->error, TEMPER_BAD_DATA,
                     "%s: %llu label%s for %llu row%s; give one label for each row%s", place_text(labelling->path).text,
                     (unsigned long long)count, plural(count), (unsigned long long)labelling->data->x.rows,
                     plural(labelling->data->x.rows), labelling->found ? ", or pass --label none" : "");
}

/* Appends one label. */
static temper_status add(struct labelling *labelling, const char *from, size_t length)
{
    if (labelling->count == labelling->data->x.rows)
        return wrong_count(labelling, labelling->count + 1);
    uint32_t class = classes_add(&labelling->classes, from, length);
    if (class == CLASSES_NO_MEMORY)
        return error_no_memory(labelling->error);
    if (class == CLASSES_FULL)
        return error_set(labelling->error, TEMPER_BAD_DATA,
                         "%s: more than %d different labels; give a file of classes, one a line",
                         place_text(labelling->path).text, MOST_CLASSES);
    labelling->label[labelling->count++] = class;
    return TEMPER_OK;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* One line without surrounding blanks; nan and 1e400 look like numbers, but are no labels. */
static temper_status add_line(struct labelling *labelling, const char *line, size_t length, size_t number)
{
    double ignored;
    const char *from = line_trim(line, &length), *to = from + length;
    enum number_result result = number_f64(from, to, &ignored);
    if (length == 0 || result == NUMBER_NOT_FINITE || result == NUMBER_OVERFLOW)
        return error_at(labelling->error, TEMPER_BAD_DATA, number, 1,
                        "%s:%zu:1: '%s' is no label; write one label a line", place_text(labelling->path).text, number,
                        token_text(from, to).text);
    return add(labelling, from, length);
}

/* One label a line. */
static temper_status read_text(struct labelling *labelling, struct source *source)
{
    struct lines lines;
    const char *line;
    size_t length;
    temper_status status = lines_from(source, labelling->path, &lines, labelling->error);
    if (status != TEMPER_OK)
        return status;
    while ((status = lines_next(&lines, &line, &length, labelling->error)) == TEMPER_OK && line)
        if ((status = add_line(labelling, line, length, lines.number)) != TEMPER_OK)
            break;
    lines_close(&lines);
    return status;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Numbers become class names by their shortest decimal. */
static temper_status add_column(struct labelling *labelling, const struct matrix *column)
{
    temper_status status = TEMPER_OK;
    if (column->columns != 1)
        return error_set(labelling->error, TEMPER_BAD_DATA, "%s: %llu numbers a row; give labels as one number a row",
                         place_text(labelling->path).text, (unsigned long long)column->columns);
    for (uint64_t i = 0; status == TEMPER_OK && i < column->rows; i++) {
        char text[NUMBER_LENGTH];
        double value;
        matrix_row_f64(column, i, &value);
        status = add(labelling, text, number_write_f64(value, text));
    }
    return status;
}

/* An IDX or NPY file through its reader, as data without labels. */
static temper_status read_numbers(struct labelling *labelling, const struct format *format, struct source *source)
{
    const temper_read_options options = {.labels = ""}; /* a file of labels has no labels itself */
    struct dataset *column = mem_zeroed(1, sizeof *column);
    struct data_reader reader = {
        .path = labelling->path, .source = source, .options = &options, .error = labelling->error};
    if (!column) {
        source_close(source);
        return error_no_memory(labelling->error);
    }
    temper_status status = format->read(&reader, column);
    if (status == TEMPER_OK)
        status = add_column(labelling, &column->x);
    dataset_free(column);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* The format is inferred from the content. */
static temper_status read_file(struct labelling *labelling)
{
    struct source *source;
    const unsigned char *bytes;
    size_t length;
    TRY(source_open(labelling->path, &source, labelling->error));
    temper_status status = source_peek(source, PEEK, &bytes, &length, labelling->error);
    if (status != TEMPER_OK) {
        source_close(source);
        return status;
    }
    const char *foreign = unsupported_file(bytes, length, true);
    if (foreign) {
        source_close(source);
        return error_set(labelling->error, TEMPER_BAD_DATA, "%s: this is %s", place_text(labelling->path).text,
                         foreign);
    }
    const struct format *format = format_of_content(bytes, length);
    if (format && (format == format_named("idx") || format == format_named("npy")))
        return read_numbers(labelling, format, source);
    return read_text(labelling, source);
}

/* Gives the labels to the dataset, if their number is right. */
static temper_status finish(struct labelling *labelling)
{
    struct dataset *data = labelling->data;
    if (labelling->count != data->x.rows)
        return wrong_count(labelling, labelling->count);
    dataset_free_array(data, data->label);
    classes_free(&data->classes);
    data->label = labelling->label;
    data->classes = labelling->classes;
    labelling->label = NULL;
    labelling->classes = (struct classes){0};
    return TEMPER_OK;
}

/* Reads the file; on failure the dataset is unchanged. */
static temper_status read_labels(struct labelling *labelling)
{
    labelling->label = mem_alloc((size_t)labelling->data->x.rows, sizeof *labelling->label);
    if (!labelling->label)
        return error_no_memory(labelling->error);
    temper_status status = read_file(labelling);
    if (status == TEMPER_OK)
        status = finish(labelling);
    mem_free(labelling->label);
    classes_free(&labelling->classes);
    return status;
}

temper_status labels_read(const char *path, struct dataset *data, temper_error *error)
{
    struct labelling labelling = {.path = path, .data = data, .error = error};
    return read_labels(&labelling);
}

/* ---- Beside the data ------------------------------------------------------------------------- */

char *labels_path_beside(const char *path, const char *ending)
{
    struct text name = {0};
    text_append(&name, path);
    text_append(&name, ".labels");
    text_append(&name, ending);
    if (!name.failed)
        return name.bytes;
    text_free(&name);
    return NULL;
}

/* A regular file only: opening a pipe would block. */
static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* A note tells the user where the labels come from. */
static temper_status take_beside(const char *path, struct dataset *data, temper_error *error)
{
    struct labelling labelling = {.path = path, .data = data, .error = error, .found = true};
    temper_status status = read_labels(&labelling);
    if (status == TEMPER_OK)
        dataset_note(data, "labels: from %s, beside the data", place_text(path).text);
    return status;
}

/* The first that exists: PATH.labels, then without .gz or .zst of the data, with each ending. */
temper_status labels_find(const char *path, struct dataset *data, temper_error *error)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    size_t bare_length = path_bare_length(path), size = strlen(path) + 1;
    temper_status status = TEMPER_OK;
    char *bare = mem_alloc(size, 1);
    if (!bare)
        return error_no_memory(error);
    for (size_t i = 0; i < 4 && status == TEMPER_OK && !data->label; i++) {
        memcpy(bare, path, size);
        bare[i > 0 ? bare_length : size - 1] = '\0';
        char *name = labels_path_beside(bare, i > 0 ? endings[i - 1] : "");
        if (!name)
            status = error_no_memory(error);
        else if (is_file(name))
            status = take_beside(name, data, error);
        mem_free(name);
    }
    mem_free(bare);
    return status;
}
