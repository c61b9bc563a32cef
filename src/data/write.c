/* write: chooses the format, and keeps a dataset's files together. */
#include "data/write.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/format.h"
#include "data/idx.h"
#include "data/token.h"

static temper_status choose_format(const char *path, const char *name, const struct format **format,
                                   temper_error *error)
{
    *format = name ? format_named(name) : format_of_path(path);
    if (*format)
        return TEMPER_OK;
    if (name)
        return error_set(error, TEMPER_USAGE, "there is no format '%.64s'; formats are %s", name,
                         format_names);
    return error_set(error, TEMPER_USAGE,
                     "%s: the extension tells no format; use another, or pass --to with one of %s",
                     place_text(path).text, format_names);
}

/* Formats of numbers alone: their labels go to a text of one a line, PATH.labels; for images of the
 * MNIST family, to the IDX file that a reader finds beside them. */
static bool keeps_labels_apart(const struct format *format)
{
    return format == format_named("npy") || format == format_named("idx");
}

static temper_status write_labels(const struct dataset *data, struct sink *sink,
                                  temper_error *error)
{
    temper_status status = TEMPER_OK;
    for (uint64_t i = 0; status == TEMPER_OK && i < data->x.rows; i++) {
        const char *name = data->classes.name[data->label[i]];
        if (name[0] == '\0' || strchr(name, '\n'))
            return error_set(
                error, TEMPER_BAD_DATA,
                "class '%.64s' is empty or has a newline in it, which a list of labels "
                "cannot hold; write csv or tmpr",
                name);
        status = sink_write(sink, name, strlen(name), error);
        if (status == TEMPER_OK)
            status = sink_write(sink, "\n", 1, error);
    }
    return status;
}

/* ---- One file, or two ------------------------------------------------------------------------ */

/* Opens a sink and fills it; the caller commits or drops it. */
static temper_status fill(const struct dataset *data, const char *path, writer_fn *write,
                          struct sink **out, temper_error *error)
{
    struct sink *sink;
    temper_status status = sink_open(path, &sink, error);
    if (status != TEMPER_OK)
        return status;
    status = write(data, sink, error);
    if (status != TEMPER_OK) {
        sink_drop(sink);
        return status;
    }
    *out = sink;
    return TEMPER_OK;
}

static temper_status save(const struct dataset *data, const char *path, writer_fn *write,
                          temper_error *error)
{
    struct sink *sink;
    temper_status status = fill(data, path, write, &sink, error);
    return status == TEMPER_OK ? sink_commit(sink, error) : status;
}

/* Where the labels go; NULL without memory. Freed by mem_free. */
static char *labels_path(const char *path, const struct format *format, writer_fn **write)
{
    struct text name = {0};
    const char *slash = strrchr(path, '/');
    bool images = format == format_named("idx") && strstr(slash ? slash : path, "images");
    *write = images ? write_idx_labels : write_labels;
    if (images)
        return idx_labels_path(path);
    text_append(&name, path);
    text_append(&name, ".labels");
    if (!name.failed)
        return name.bytes;
    text_free(&name);
    return NULL;
}

/* Labels without data belong to nothing. Data that is there, the old or, where only its folder
 * could not be synced, the new, keeps them. */
static void tidy_up(const char *path, const char *labels_at)
{
    struct stat data;
    if (stat(path, &data) != 0 || !S_ISREG(data.st_mode))
        unlink(labels_at);
}

/* Fills the second sink while the first, of the labels, waits; then both appear. Labels come first:
 * data without them would be read as unlabelled. */
static temper_status save_beside(const struct dataset *data, const char *path,
                                 const struct format *format, struct sink *labels,
                                 temper_error *error)
{
    struct sink *rows;
    temper_status status = fill(data, path, format->write, &rows, error);
    if (status != TEMPER_OK) {
        sink_drop(labels);
        return status;
    }
    status = sink_commit(labels, error);
    if (status == TEMPER_OK)
        return sink_commit(rows, error);
    sink_drop(rows);
    return status;
}

static temper_status save_both(const struct dataset *data, const char *path,
                               const struct format *format, temper_error *error)
{
    writer_fn *write;
    struct sink *labels;
    char *second = labels_path(path, format, &write);
    if (!second)
        return error_no_memory(error);
    bool was_there = access(second, F_OK) == 0;
    temper_status status = fill(data, second, write, &labels, error);
    if (status == TEMPER_OK) {
        status = save_beside(data, path, format, labels, error);
        if (status != TEMPER_OK && !was_there)
            tidy_up(path, second);
    }
    mem_free(second);
    return status;
}

temper_status dataset_write(const struct dataset *data, const char *path, const char *format_name,
                            temper_error *error)
{
    const struct format *format;
    temper_status status = choose_format(path, format_name, &format, error);
    if (status != TEMPER_OK)
        return status;
    if (!data->label || !keeps_labels_apart(format))
        return save(data, path, format->write, error);
    if (strcmp(path, "-") == 0)
        return error_set(
            error, TEMPER_USAGE,
            "%s keeps labels in a second file; give a file to write to, or csv or tmpr",
            format->name);
    return save_both(data, path, format, error);
}
