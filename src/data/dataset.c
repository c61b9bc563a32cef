/* dataset: freeing, the final order of the classes, and the notes for the user. */
#include "data/dataset.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/path.h"
#include "data/memory/page_window.h"
#include "data/schema.h"

/* Frees an array of the dataset unless it is part of the mapping or of a temporary file, which are released as a
 * whole. */
void dataset_free_array(const struct dataset *data, void *array)
{
    const struct data_storage *storage = &data->storage;
    /* Arrays of a mapping are inside of it. */
    uintptr_t at = (uintptr_t)array, first = (uintptr_t)storage->mapping;
    bool mapped = storage->mapping && at >= first && at - first < storage->mapping_length;
    if (!mapped && !(storage->disk && disk_array_has(storage->disk, array)))
        mem_free(array);
}

/* Releases what only mapped files and data in temporary files have. After the arrays, since these may be part of it. */
static void storage_free(struct data_storage *storage)
{
    if (storage->pages)
        page_window_free(storage->pages);
    if (storage->disk)
        disk_array_free(storage->disk);
    if (storage->mapping)
        munmap(storage->mapping, storage->mapping_length);
    if (storage->held)
        storage->release_held(storage->held);
}

/* Also of a dataset that a reader has left half-filled. */
void dataset_free(struct dataset *data)
/* A mapping of the whole file, of which arrays are parts. */
{
    if (!data)
        return;
    matrix_free(&data->x); /* `owned` has no arrays of a mapping */
    dataset_free_array(data, data->label);
    dataset_free_array(data, data->weight);
    dataset_free_array(data, data->line);
    dataset_free_array(data, data->kept.start);
    mem_free(data->kept.bytes);
    mem_free(data->origin);
    classes_free(&data->classes);
    names_free(&data->features);
    schema_free(data->schema);
    mem_free(data->file.path);
    storage_free(&data->storage);
    mem_free(data);
}

void dataset_keep_state(struct dataset *data, const struct stat *file)
{
    data->storage.mapped = (struct file_state){.device = (uint64_t)file->st_dev,
                                               .number = (uint64_t)file->st_ino,
                                               .size = (uint64_t)file->st_size,
                                               .modified = (int64_t)file->st_mtime};
}

/* By name, so that no descriptor has to stay open. */
temper_status dataset_check_unchanged(const struct dataset *data, temper_error *error)
{
    const struct file_state *then = &data->storage.mapped;
    struct stat now;
    char shown[PATH_SHOWN];
    if (!data->storage.mapping || then->size == 0 || !data->file.path || stat(data->file.path, &now) != 0)
        return TEMPER_OK;
    bool same_file = (uint64_t)now.st_dev == then->device && (uint64_t)now.st_ino == then->number;
    if (!same_file || ((uint64_t)now.st_size == then->size && (int64_t)now.st_mtime == then->modified))
        return TEMPER_OK;
    return error_set(error, TEMPER_IO,
                     "%s: has changed while it was in use; run again when no other program writes to it",
                     path_shown(data->file.path, shown));
}

/* Whether one of the lines of `notes` is this sentence: repeated notes are dropped. */
static bool has_line(const char *notes, const char *sentence)
{
    /* Lines end at '\n'; the last one may have none. */
    size_t length = strlen(sentence);
    for (const char *line = notes; *line;) {
        const char *end = strchr(line, '\n');
        size_t here = end ? (size_t)(end - line) : strlen(line);
        /* Whole lines are compared, not parts of them. */
        if (here == length && memcmp(line, sentence, length) == 0)
            return true;
        line += here + (end != NULL);
    }
    return false;
}

/* Appends a sentence as a line, truncated to the space that is left. Notes have a fixed size, so that noting never
 * fails. */
void dataset_note(struct dataset *data, const char *format, ...)
{
    char sentence[sizeof data->notes];
    va_list arguments;
    va_start(arguments, format);
    /* Formatted first: a whole sentence is needed for the comparison with earlier ones. */
    int written = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    /* A note that would not fit with its newline is dropped or truncated. */
    size_t used = strlen(data->notes), left = sizeof data->notes - used;
    if (written <= 0 || left < 3 || has_line(data->notes, sentence))
        return;
    size_t length = strlen(sentence);
    if (length > left - 2) /* a newline and the final zero must fit behind it */
        length = left - 2;
    memcpy(data->notes + used, sentence, length);
    data->notes[used + length] = '\n';
    data->notes[used + length + 1] = '\0';
}

/* Class numbers are final only when all labels are read; numeric classes are then sorted and the labels renumbered. */
temper_status dataset_sort_classes(struct dataset *data, temper_error *error)
{
    uint32_t *new_number = mem_alloc(data->classes.count, sizeof *new_number);
    if (!new_number)
        return error_no_memory(error);
    temper_status status = classes_sort(&data->classes, new_number, error);
    for (uint64_t i = 0; status == TEMPER_OK && i < data->x.rows; i++)
        data->label[i] = new_number[data->label[i]];
    mem_free(new_number);
    return status;
}
