/* write: chooses the format, and writes all files of a dataset or none. */
#include "data/write/write.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "data/labels.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/idx.h"
#include "data/read/line_reader.h"
#include "temper_extra.h"

/* Refuses names that promise something the writers do not do. */
static temper_status check_path(const char *path, temper_error *error)
{
    struct stat there;
    size_t bare = path_bare_length(path);
    if (path[0] == '\0')
        return error_set(error, TEMPER_USAGE, "the name of the file is empty; give one");
    if (path[bare] != '\0')
        return error_set(error, TEMPER_USAGE,
                         "%s: temper compresses no files; write it without %s and compress it then",
                         place_text(path).text, path + bare);
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        return error_set(error, TEMPER_IO, "%s: is a folder; give the name of a file in it", place_text(path).text);
    return TEMPER_OK;
}

/* By name, else by the extension of the path. */
static temper_status choose_format(const char *path, const char *name, const struct format **format,
                                   temper_error *error)
{
    TRY(check_path(path, error));
    *format = name ? format_named(name) : format_of_path(path);
    if (*format)
        return TEMPER_OK;
    if (name)
        return error_set(error, TEMPER_USAGE, "there is no format '%.64s'; formats are %s", name, format_names);
    return error_set(error, TEMPER_USAGE,
                     "%s: the format cannot be inferred from the extension; use another, or pass --to with one of %s",
                     place_text(path).text, format_names);
}

/* Formats of numbers only: their labels go to a text of one per line, PATH.labels; for images of the MNIST family, to
 * the IDX file that the reader finds beside them. */
static bool keeps_labels_apart(const struct format *format)
{
    return format == format_named("npy") || format == format_named("idx");
}

/* Whether a class name can be read back from a line. */
static bool is_line(const char *name)
{
    size_t length = strlen(name), trimmed = length;
    line_trim(name, &trimmed);
    return length > 0 && trimmed == length && name[length - 1] != '\r' && !strchr(name, '\n');
}

/* One label per line. */
static temper_status write_labels(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; status == TEMPER_OK && i < data->x.rows; i++) {
        const char *name = data->classes.name[data->label[i]];
        if (!is_line(name))
            return error_set(error, TEMPER_BAD_DATA,
                             "class '%.64s' is empty, has a newline in it or a blank at one end, "
                             "which a list of labels cannot hold; write csv or tmpr",
                             name);
        status = atomic_file_write(sink, name, strlen(name), error);
        if (status == TEMPER_OK)
            status = atomic_file_write(sink, "\n", 1, error);
    }
    return status;
}

/* ---- All files, or none ---------------------------------------------------------------------- */

/* Files that are complete, and are renamed together. */
struct output_files {
    struct atomic_file *sink[3]; /* labels, an attachment, the data */
    size_t count;
};

/* Opens another file and writes data or labels to it; it appears when all are complete. */
static temper_status add_data(struct output_files *files, const struct dataset *data, const char *path,
                              writer_fn *write, temper_error *error)
{
    struct atomic_file *sink;
    TRY(atomic_file_open(path, &sink, error));
    files->sink[files->count++] = sink;
    return write(data, sink, error);
}

/* The same for a file of the caller. */
static temper_status add_attachment(struct output_files *files, const temper_attachment *with, temper_error *error)
{
    struct atomic_file *sink;
    TRY(atomic_file_open(with->path, &sink, error));
    files->sink[files->count++] = sink;
    return atomic_file_write(sink, with->bytes, with->length, error);
}

/* Removes the temporary files; the targets are untouched. */
static void drop_files(struct output_files *files)
{
    while (files->count > 0)
        atomic_file_drop(files->sink[--files->count]);
}

/* Where the labels go; NULL without memory. Freed by mem_free. */
static char *labels_path(const char *path, const struct format *format, writer_fn **write)
{
    const char *slash = strrchr(path, '/');
    bool images = format == format_named("idx") && strstr(slash ? slash : path, "images");
    *write = images ? write_idx_labels : write_labels;
    return images ? idx_labels_path(path) : labels_path_beside(path, "");
}

/* A reader would take an older file of that name for the labels of the new data, which has none. */
static temper_status refuse_stale(const char *labels, const char *path, temper_error *error)
{
    if (access(labels, F_OK) != 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "%s: exists, and would be read as the labels of %s, which has none; remove "
                     "it, or choose another name",
                     place_text(labels).text, place_text(path).text);
}

/* The file of labels beside the data. */
static temper_status add_labels(struct output_files *files, const struct dataset *data, const char *path,
                                const struct format *format, temper_error *error)
{
    writer_fn *write;
    char *name = labels_path(path, format, &write);
    if (!name)
        return error_no_memory(error);
    temper_status status = data->label ? add_data(files, data, name, write, error) : refuse_stale(name, path, error);
    mem_free(name);
    return status;
}

/* The standard output, a device or a pipe: there is no place for a second file beside it. */
static bool is_stream(const char *path)
{
    struct stat there;
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
           (stat(path, &there) == 0 && !S_ISREG(there.st_mode));
}

/* Labels, attachment and data appear together, or none of them. */
temper_status dataset_write_with(const struct dataset *data, const char *path, const char *format_name,
                                 const temper_attachment *with, temper_error *error)
{
    const struct format *format;
    struct output_files files = {.count = 0};
    temper_status status = choose_format(path, format_name, &format, error);
    if (status != TEMPER_OK)
        return status;
    bool streamed = is_stream(path), apart = keeps_labels_apart(format);
    if (streamed && apart && data->label)
        return error_set(error, TEMPER_USAGE,
                         "%s keeps labels in a second file; give a file to write to, or csv or tmpr", format->name);
    if (apart && !streamed)
        status = add_labels(&files, data, path, format, error);
    if (status == TEMPER_OK && with)
        status = add_attachment(&files, with, error);
    if (status == TEMPER_OK)
        status = add_data(&files, data, path, format->write, error);
    if (status == TEMPER_OK)
        return atomic_file_commit_all(files.sink, files.count, error);
    drop_files(&files);
    return status;
}

temper_status dataset_write(const struct dataset *data, const char *path, const char *format, temper_error *error)
{
    return dataset_write_with(data, path, format, NULL, error);
}

temper_status dataset_write_check(const char *path, const char *format, temper_error *error)
{
    const struct format *chosen;
    return choose_format(path, format, &chosen, error);
}

/* Only formats with a place for weights. */
temper_status dataset_write_check_weights(const char *path, const char *format, temper_error *error)
{
    static const char *const holding[] = {"csv", "tsv", "tmpr"};
    const struct format *chosen;
    TRY(choose_format(path, format, &chosen, error));
    for (size_t i = 0; i < sizeof holding / sizeof *holding; i++)
        if (chosen == format_named(holding[i]))
            return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "%s: %s has no place for weights; write csv, tsv or tmpr, or drop or relabel "
                     "the rows",
                     place_text(path).text, chosen->name);
}
