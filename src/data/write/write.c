/* write: chooses the format, and writes all files of a dataset or none.
 *
 * A dataset may be several files: formats of numbers alone have their labels in a second one, and noisy data has a list
 * of changes. All of them are written to temporary files and renamed together (base/atomic_file). A label file of
 * earlier data beside data without labels is an error, since a reader would combine the two. */
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
#include "data/schema.h"
#include "data/write/text_edit.h"
#include "temper_extra.h"

const char *written_label_name(const struct dataset *data)
{
    const char *name = data->schema ? data->schema->label : NULL;
    bool plain = name && *name && !strpbrk(name, "0123456789+-.");
    for (size_t i = 0; plain && i < data->features.count; i++)
        plain = strcmp(data->features.name[i], name) != 0;
    return plain ? name : "label";
}

/* Refuses paths that cannot be written to or that promise something the writers do not do: an empty name, an extension
 * of a compressed file, a folder. */
static temper_status check_path(const char *path, temper_error *error)
{
    struct stat there;
    /* The length of the path without .gz or .zst. */
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

/* Chooses the format by name, else by the extension of the path; the path is checked first. */
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

/* Whether a format holds only numbers. Its labels go to a second file: a text of one label per line, PATH.labels, or
 * for images of the MNIST family the IDX file that the reader looks for beside them. */
static bool keeps_labels_apart(const struct format *format)
{
    return format == format_named("npy") || format == format_named("idx");
}

/* Whether the reader of labels would return the name unchanged: it trims blanks and splits at newlines. */
static bool is_line(const char *name)
{
    size_t length = strlen(name), trimmed = length;
    line_trim(name, &trimmed);
    return length > 0 && trimmed == length && name[length - 1] != '\r' && !strchr(name, '\n');
}

/* Writes one label per line, in the order of the rows. */
static temper_status write_labels(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; status == TEMPER_OK && i < data->x.rows; i++) {
        const char *name = data->classes.name[data->label[i]];
        /* Checked for the labels in use only; other classes are not written. */
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

/* Temporary files that are renamed to their targets together, when all of them are complete. */
struct output_files {
    struct atomic_file *sink[3]; /* labels, an attachment, the data */
    size_t count;
};

/* Opens another output and writes data or labels to it by `write`. On failure the file stays in `files`, for
 * drop_files. */
static temper_status add_data(struct output_files *files, const struct dataset *data, const char *path,
                              writer_fn *write, temper_error *error)
{
    struct atomic_file *sink;
    TRY(atomic_file_open(path, &sink, error));
    /* Recorded before anything is written, so that a failure drops this file too. */
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

/* The path of the label file beside the data, and the function that writes it; NULL without memory. Freed by mem_free.
 * */
static char *labels_path(const char *path, const struct format *format, writer_fn **write)
{
    const char *slash = path_last_separator(path);
    /* The word is searched in the file's name, not in its folders. */
    bool images = format == format_named("idx") && strstr(slash ? slash : path, "images");
    *write = images ? write_idx_labels : write_labels;
    return images ? idx_labels_path(path) : labels_path_beside(path, "");
}

/* Data without labels must not be written beside an older label file: a reader would take it for the labels of the new
 * data. */
static temper_status refuse_stale(const char *labels, const char *path, temper_error *error)
{
    if (access(labels, F_OK) != 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "%s: exists, and would be read as the labels of %s, which has none; remove "
                     "it, or choose another name",
                     place_text(labels).text, place_text(path).text);
}

/* Writes the file of labels beside the data, or checks that there is none. */
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

/* Whether the path is the standard output, a device or a pipe, which has no place for a second file beside it. */
static bool is_stream(const char *path)
{
    struct stat there;
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
           (stat(path, &there) == 0 && !S_ISREG(there.st_mode));
}

/* Writes labels, attachment (`with`, may be NULL) and data. All of them appear together, or none if anything fails. */
temper_status dataset_write_with(const struct dataset *data, const char *path, const char *format_name,
                                 const temper_attachment *with, temper_error *error)
{
    const struct format *format;
    struct output_files files = {.count = 0};
    temper_status status = choose_format(path, format_name, &format, error);
    if (status != TEMPER_OK)
        return status;
    bool streamed = is_stream(path), apart = keeps_labels_apart(format);
    /* Refused before any file is opened. */
    if (streamed && apart && data->label)
        return error_set(error, TEMPER_USAGE,
                         "%s keeps labels in a second file; give a file to write to, or csv or tmpr", format->name);
    /* The data is written last, so that atomic_file_commit_all renames it last: a reader that sees the new data sees
     * the new labels too. */
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

/* A copy of the text that `original` was read from, with the labels of `relabelled`. */
static temper_status add_text_copy(struct output_files *files, const struct dataset *original,
                                   const struct dataset *relabelled, const char *path, temper_error *error)
{
    const struct text_changes changes = {.label = relabelled->label};
    char weights[TEXT_COLUMN];
    struct atomic_file *sink;
    TRY(atomic_file_open(path, &sink, error));
    files->sink[files->count++] = sink;
    return text_copy_to(original, &changes, sink, weights, error);
}

temper_status dataset_write_relabelled(const struct dataset *original, const struct dataset *relabelled,
                                       const char *path, const char *format, const temper_attachment *with,
                                       temper_error *error)
{
    struct output_files files = {.count = 0};
    if (original->origin || !text_can_copy(original, path, format))
        return dataset_write_with(relabelled, path, format, with, error);
    temper_status status = with ? add_attachment(&files, with, error) : TEMPER_OK;
    if (status == TEMPER_OK)
        status = add_text_copy(&files, original, relabelled, path, error);
    if (status == TEMPER_OK)
        return atomic_file_commit_all(files.sink, files.count, error);
    drop_files(&files);
    return status;
}

/* Without an attachment. */
temper_status dataset_write(const struct dataset *data, const char *path, const char *format, temper_error *error)
{
    return dataset_write_with(data, path, format, NULL, error);
}

/* For commands that compute for long before they write: a wrong path or format is reported first. */
temper_status dataset_write_check(const char *path, const char *format, temper_error *error)
{
    const struct format *chosen;
    return choose_format(path, format, &chosen, error);
}

/* The same for data with weights, which only some formats can hold. */
temper_status dataset_write_check_weights(const char *path, const char *format, temper_error *error)
{
    /* The others hold features and labels only. */
    static const char *const holding[] = {"csv", "tsv", "jsonl", "tmpr"};
    const struct format *chosen;
    TRY(choose_format(path, format, &chosen, error));
    /* Formats are compared by their entry in the table of formats. */
    for (size_t i = 0; i < sizeof holding / sizeof *holding; i++)
        if (chosen == format_named(holding[i]))
            return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "%s: %s has no place for weights; write csv, tsv, jsonl or tmpr, or drop or relabel "
                     "the rows",
                     place_text(path).text, chosen->name);
}
