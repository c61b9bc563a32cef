/* select: gathers rows with all that belongs to them. */
#include "data/subset.h"

#include <string.h>

#include "base/memory.h"
#include "data/class_names.h"
#include "data/gather_rows.h"
#include "data/memory/memory_limit.h"
#include "data/name_list.h"
#include "data/schema.h"

/* ---- Copies ---------------------------------------------------------------------------------- */

/* What the data does not have is copied by doing nothing. */
static bool copy_text(const char *from, char **to)
{
    if (!from)
        return true;
    *to = mem_alloc(strlen(from) + 1, 1);
    if (*to)
        memcpy(*to, from, strlen(from) + 1);
    return *to != NULL;
}

static bool copy_features(const struct names *from, struct names *to)
{
    if (from->count == 0)
        return true;
    to->name = (char **)mem_zeroed(from->count, sizeof *to->name);
    if (!to->name)
        return false;
    to->count = from->count;
    for (size_t i = 0; i < from->count; i++)
        if (!copy_text(from->name[i], &to->name[i]))
            return false;
    return true;
}

/* The entries of an array that belong to the rows; `row` NULL: all of them. */
static bool copy_entries(const void *from, size_t size, const size_t *row, size_t count, void **to)
{
    if (!from)
        return true;
    char *copy = mem_alloc(count, size);
    if (!copy)
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(copy + i * size, (const char *)from + (row ? row[i] : i) * size, size);
    *to = copy;
    return true;
}

/* Everything but the features; `row` NULL: all rows. */
static temper_status copy_rest(const struct dataset *data, const size_t *row, size_t count, struct dataset *copy,
                               temper_error *error)
{
    void *label = NULL, *weight = NULL, *line = NULL;
    bool done = copy_entries(data->label, sizeof *data->label, row, count, &label) &&
                copy_entries(data->weight, sizeof *data->weight, row, count, &weight) &&
                copy_entries(data->line, sizeof *data->line, row, count, &line);
    copy->label = label;
    copy->weight = weight;
    copy->line = line;
    copy->format = data->format;
    memcpy(copy->picture, data->picture, sizeof copy->picture);
    copy->compression = data->compression;
    copy->missing_filled = data->missing_filled;
    copy->missing_dropped = data->missing_dropped;
    memcpy(copy->notes, data->notes, sizeof copy->notes);
    if (!done || !copy_text(data->source, &copy->source) || !copy_features(&data->features, &copy->features))
        return error_no_memory(error);
    if (data->schema) {
        temper_status status = schema_copy(data->schema, &copy->schema, error);
        if (status != TEMPER_OK)
            return status;
    }
    return classes_copy(&data->classes, &copy->classes, error);
}

/* An empty dataset with everything but features. */
static temper_status start_copy(const struct dataset *data, const size_t *row, size_t count, struct dataset **out,
                                temper_error *error)
{
    struct dataset *copy = mem_zeroed(1, sizeof *copy);
    if (!copy)
        return error_no_memory(error);
    temper_status status = copy_rest(data, row, count, copy, error);
    if (status != TEMPER_OK) {
        dataset_free(copy);
        return status;
    }
    *out = copy;
    return TEMPER_OK;
}

temper_status dataset_rows(const struct dataset *data, const size_t *row, size_t count, struct dataset **out,
                           temper_error *error)
{
    struct dataset *copy = NULL;
    temper_status status = start_copy(data, row, count, &copy, error);
    if (status != TEMPER_OK)
        return status;
    status = matrix_gather(&data->x, NULL, row, count, &copy->x, error);
    if (status != TEMPER_OK) {
        dataset_free(copy);
        return status;
    }
    *out = copy;
    return TEMPER_OK;
}

temper_status dataset_borrow(const struct dataset *data, struct dataset **out, temper_error *error)
{
    temper_status status = start_copy(data, NULL, (size_t)data->x.rows, out, error);
    if (status != TEMPER_OK)
        return status;
    (*out)->x = data->x;
    (*out)->memory = data->memory;
    for (size_t i = 0; i < sizeof data->x.owned / sizeof *data->x.owned; i++)
        (*out)->x.owned[i] = NULL;
    (*out)->comm = data->comm;
    (*out)->first_row = data->first_row;
    (*out)->all_rows = data->all_rows;
    (*out)->all_nonzeros = data->all_nonzeros;
    return TEMPER_OK;
}

temper_status dataset_replace(const struct dataset *data, const struct dataset *pool, const size_t *from,
                              struct dataset **out, temper_error *error)
{
    struct dataset *copy = NULL;
    size_t rows = (size_t)data->x.rows;
    temper_status status = start_copy(data, NULL, rows, &copy, error);
    if (status != TEMPER_OK)
        return status;
    status = matrix_gather(&data->x, &pool->x, from, rows, &copy->x, error);
    if (status != TEMPER_OK) {
        dataset_free(copy);
        return status;
    }
    *out = copy;
    return TEMPER_OK;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* What becomes of a dataset when only some classes are kept. */
struct choice {
    uint32_t *new_number; /* of each old class; UINT32_MAX: dropped */
    struct classes classes;
    size_t *row;    /* those kept, ascending */
    size_t *origin; /* and which of the file they are */
    size_t count;
};

static void choice_free(struct choice *choice)
{
    mem_free(choice->new_number);
    mem_free(choice->row);
    mem_free(choice->origin);
    classes_free(&choice->classes);
}

/* Marks the named classes with 0, the others with UINT32_MAX. */
static temper_status mark_classes(const struct dataset *data, const struct list *names, struct choice *choice,
                                  temper_error *error)
{
    choice->new_number = mem_alloc(data->classes.count, sizeof *choice->new_number);
    if (!choice->new_number)
        return error_no_memory(error);
    for (size_t i = 0; i < data->classes.count; i++)
        choice->new_number[i] = UINT32_MAX;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t number = 0;
        temper_status status = class_named(data, "--classes", names->item[i].name, &number, error);
        if (status != TEMPER_OK)
            return status;
        choice->new_number[number] = 0;
    }
    return TEMPER_OK;
}

/* Numbers the marked classes in their old order. */
static temper_status number_classes(const struct dataset *data, struct choice *choice, temper_error *error)
{
    for (size_t i = 0; i < data->classes.count; i++) {
        const char *name = data->classes.name[i];
        if (choice->new_number[i] == UINT32_MAX)
            continue;
        choice->new_number[i] = classes_add(&choice->classes, name, strlen(name));
        if (choice->new_number[i] == UINT32_MAX)
            return error_no_memory(error);
    }
    return TEMPER_OK;
}

/* Counted first, so that the list is no larger than it must be: rows may be a billion. */
static temper_status choose_rows(const struct dataset *data, struct choice *choice, temper_error *error)
{
    size_t rows = (size_t)data->x.rows, kept = 0;
    for (size_t i = 0; i < rows; i++)
        kept += choice->new_number[data->label[i]] != UINT32_MAX;
    choice->row = mem_alloc(kept, sizeof *choice->row);
    choice->origin = mem_alloc(kept, sizeof *choice->origin);
    if (!choice->row || !choice->origin)
        return error_no_memory(error);
    for (size_t i = 0; i < rows; i++)
        if (choice->new_number[data->label[i]] != UINT32_MAX) {
            choice->origin[choice->count] = data->origin ? data->origin[i] : i;
            choice->row[choice->count++] = i;
        }
    return TEMPER_OK;
}

/* Moves what is kept to the front; needs no memory. */
static void keep_in_place(struct dataset *data, const struct choice *choice)
{
    for (size_t i = 0; i < choice->count; i++) {
        size_t from = choice->row[i];
        data->label[i] = data->label[from];
        if (data->weight)
            data->weight[i] = data->weight[from];
        if (data->line)
            data->line[i] = data->line[from];
    }
    matrix_keep(&data->x, choice->row, choice->count);
}

/* The memory is not ours to change, so a copy takes its place. */
static temper_status keep_copies(struct dataset *data, const struct choice *choice, temper_error *error)
{
    struct dataset *copy = NULL, whole = *data;
    struct memory_limit_plan plan = {.what = "--classes, which makes a copy of the rows,",
                                     .needed =
                                         (double)matrix_bytes(&data->x) / (double)data->x.rows * (double)choice->count,
                                     .threads = 1};
    temper_status status = memory_limit_plan(data, &plan, error);
    if (status == TEMPER_OK)
        status = dataset_rows(data, choice->row, choice->count, &copy, error);
    if (status != TEMPER_OK || !copy)
        return status;
    *data = *copy;
    data->memory = whole.memory;
    *copy = whole;
    dataset_free(copy);
    return TEMPER_OK;
}

/* The last step that can fail comes before the first that changes anything. */
static temper_status keep(struct dataset *data, struct choice *choice, temper_error *error)
{
    temper_status status = TEMPER_OK;
    if ((matrix_is_ours(&data->x) || data->spill) && !data->mapping)
        keep_in_place(data, choice);
    else
        status = keep_copies(data, choice, error);
    if (status != TEMPER_OK)
        return status;
    /* The rows are the right ones now, but still under their old numbers. */
    for (size_t i = 0; i < choice->count; i++)
        data->label[i] = choice->new_number[data->label[i]];
    mem_free(data->origin);
    data->origin = choice->origin;
    choice->origin = NULL;
    struct classes dropped = data->classes;
    data->classes = choice->classes;
    choice->classes = dropped;
    return TEMPER_OK;
}

temper_status select_classes(struct dataset *data, const char *names, temper_error *error)
{
    struct choice choice = {0};
    struct list list;
    temper_status status = list_read("--classes", names, false, &list, error);
    if (status != TEMPER_OK)
        return status;
    status = mark_classes(data, &list, &choice, error);
    if (status == TEMPER_OK)
        status = number_classes(data, &choice, error);
    if (status == TEMPER_OK)
        status = choose_rows(data, &choice, error);
    if (status == TEMPER_OK)
        status = keep(data, &choice, error);
    choice_free(&choice);
    list_free(&list);
    return status;
}
