/* subset: gathers rows with their labels, weights, lines and names; selects classes; joins two datasets.
 *
 * Three ways to make a dataset from another: a copy of some rows, which is independent of it; a borrowed one, which
 * shares the features and has its own labels and weights; and a selection in place, where the arrays belong to the
 * dataset and kept rows can move to the front. Joining two datasets numbers their classes again, since the same name
 * may have different numbers in both. */
#include "data/subset.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/memory/memory_limit.h"
#include "data/name_list.h"
#include "data/schema.h"

/* ---- Copies ---------------------------------------------------------------------------------- */

/* The entries of an array for the given rows (`row` NULL: all), in memory that the caller frees; an array that does
 * not exist stays NULL. false without memory. */
static bool copy_entries(const void *from, size_t size, const size_t *row, size_t count, void **to)
{
    if (!from)
        return true;
    char *copy = mem_alloc(count, size);
    if (!copy)
        return false;
    /* Entries are copied one by one, since rows may be in any order. */
    for (size_t i = 0; i < count; i++)
        memcpy(copy + i * size, (const char *)from + (row ? row[i] : i) * size, size);
    *to = copy;
    return true;
}

/* Copies everything but the features for the given rows; `row` NULL: all. What was copied before a failure belongs to
 * `copy`. */
static temper_status copy_rest(const struct dataset *data, const size_t *row, size_t count, struct dataset *copy,
                               temper_error *error)
{
    /* Collected first, so that `copy` has all that was allocated even after a failure. */
    void *label = NULL, *weight = NULL, *line = NULL;
    bool done = copy_entries(data->label, sizeof *data->label, row, count, &label) &&
                copy_entries(data->weight, sizeof *data->weight, row, count, &weight) &&
                copy_entries(data->line, sizeof *data->line, row, count, &line);
    copy->label = label;
    copy->weight = weight;
    copy->line = line;
    /* Facts of the file stay true for any selection of its rows. */
    copy->file.format = data->file.format;
    memcpy(copy->file.image_shape, data->file.image_shape, sizeof copy->file.image_shape);
    copy->file.compression = data->file.compression;
    copy->file.missing_filled = data->file.missing_filled;
    copy->file.missing_dropped = data->file.missing_dropped;
    memcpy(copy->notes, data->notes, sizeof copy->notes);
    if (!done || !copy_string(data->file.path, &copy->file.path) || !names_copy(&data->features, &copy->features))
        return error_no_memory(error);
    /* Only tables have a schema. */
    if (data->schema) {
        temper_status status = schema_copy(data->schema, &copy->schema, error);
        if (status != TEMPER_OK)
            return status;
    }
    return classes_copy(&data->classes, &copy->classes, error);
}

/* A new dataset with everything but the features, which the caller adds. */
static temper_status start_copy(const struct dataset *data, const size_t *row, size_t count, struct dataset **out,
                                temper_error *error)
{
    /* Zeroed, so that a partial copy can be freed. */
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

/* A dataset with copies of some rows, in any order and with repetitions; independent of the original. */
temper_status dataset_rows(const struct dataset *data, const size_t *row, size_t count, struct dataset **out,
                           temper_error *error)
{
    struct dataset *copy = NULL;
    /* The copy has its labels before its features: if that fails, little was copied. */
    TRY(start_copy(data, row, count, &copy, error));
    temper_status status = matrix_gather(&data->x, NULL, row, count, &copy->x, error);
    if (status != TEMPER_OK) {
        dataset_free(copy);
        return status;
    }
    *out = copy;
    return TEMPER_OK;
}

/* A copy of all but the features, which are shared: cheap label changes. The copy does not own the arrays, so the
 * original must outlive it. Distribution over processes and memory limit are taken over. */
temper_status dataset_borrow(const struct dataset *data, struct dataset **out, temper_error *error)
{
    TRY(start_copy(data, NULL, (size_t)data->x.rows, out, error));
    (*out)->x = data->x;
    (*out)->storage.memory_limit = data->storage.memory_limit;
    /* Freed by the original only. */
    for (size_t i = 0; i < sizeof data->x.owned / sizeof *data->x.owned; i++)
        (*out)->x.owned[i] = NULL;
    /* Rows of other processes are the same for the copy. */
    (*out)->ranks.comm = data->ranks.comm;
    (*out)->ranks.first_row = data->ranks.first_row;
    (*out)->ranks.all_rows = data->ranks.all_rows;
    (*out)->ranks.all_nonzeros = data->ranks.all_nonzeros;
    return TEMPER_OK;
}

/* The weights of the copy are its own, and replace those that dataset_borrow has copied. */
temper_status dataset_without_part(const struct dataset *data, const uint32_t *part, uint32_t hidden,
                                   struct dataset **out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    double *weight = mem_alloc(rows, sizeof *weight);
    if (!weight)
        return error_no_memory(error);
    part += data->ranks.first_row;
    for (size_t row = 0; row < rows; row++)
        weight[row] = part[row] == hidden ? 0 : data->weight ? data->weight[row] : 1;
    temper_status status = dataset_borrow(data, out, error);
    if (status != TEMPER_OK) {
        mem_free(weight);
        return status;
    }
    mem_free((*out)->weight);
    (*out)->weight = weight;
    return TEMPER_OK;
}

/* A copy in which row i has the label of row i and the features of row from[i], counted through `data` and then
 * `pool`. */
temper_status dataset_replace(const struct dataset *data, const struct dataset *pool, const size_t *from,
                              struct dataset **out, temper_error *error)
{
    struct dataset *copy = NULL;
    size_t rows = (size_t)data->x.rows;
    TRY(start_copy(data, NULL, rows, &copy, error));
    /* Row numbers of the pool follow those of the data. */
    temper_status status = matrix_gather(&data->x, &pool->x, from, rows, &copy->x, error);
    if (status != TEMPER_OK) {
        dataset_free(copy);
        return status;
    }
    *out = copy;
    return TEMPER_OK;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* What --classes keeps: collected completely before the dataset is changed. */
struct class_subset {
    uint32_t *new_number; /* of each old class; UINT32_MAX: dropped */
    struct classes classes;
    size_t *row;    /* kept rows, ascending */
    size_t *origin; /* and their index in the file */
    size_t count;
};

static void choice_free(struct class_subset *choice)
{
    mem_free(choice->new_number);
    mem_free(choice->row);
    mem_free(choice->origin);
    classes_free(&choice->classes);
}

/* Marks the named classes with 0, the others with UINT32_MAX; an unknown name is an error. */
static temper_status mark_classes(const struct dataset *data, const struct list *names, struct class_subset *choice,
                                  temper_error *error)
{
    choice->new_number = mem_alloc(data->classes.count, sizeof *choice->new_number);
    if (!choice->new_number)
        return error_no_memory(error);
    /* Dropped unless named. */
    for (size_t i = 0; i < data->classes.count; i++)
        choice->new_number[i] = UINT32_MAX;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t number = 0;
        /* The message lists the classes of the data. */
        temper_status status = class_named(data, "--classes", names->item[i].name, &number, error);
        if (status != TEMPER_OK)
            return status;
        choice->new_number[number] = 0;
    }
    return TEMPER_OK;
}

/* Numbers the marked classes in their old order, so that the order of the names in the option does not matter. */
static temper_status number_classes(const struct dataset *data, struct class_subset *choice, temper_error *error)
{
    for (size_t i = 0; i < data->classes.count; i++) {
        const char *name = data->classes.name[i];
        /* In the order of the data, not of the option. */
        if (choice->new_number[i] == UINT32_MAX)
            continue;
        choice->new_number[i] = classes_add(&choice->classes, name, strlen(name));
        if (choice->new_number[i] == UINT32_MAX)
            return error_no_memory(error);
    }
    return TEMPER_OK;
}

/* Lists the kept rows. They are counted first, so that the list is not larger than needed: there may be a billion
 * rows. */
static temper_status choose_rows(const struct dataset *data, struct class_subset *choice, temper_error *error)
{
    size_t rows = (size_t)data->x.rows, kept = 0;
    /* A first pass to count. */
    for (size_t i = 0; i < rows; i++)
        kept += choice->new_number[data->label[i]] != UINT32_MAX;
    choice->row = mem_alloc(kept, sizeof *choice->row);
    choice->origin = mem_alloc(kept, sizeof *choice->origin);
    if (!choice->row || !choice->origin)
        return error_no_memory(error);
    for (size_t i = 0; i < rows; i++)
        if (choice->new_number[data->label[i]] != UINT32_MAX) {
            /* The index in the file, also after an earlier selection. */
            choice->origin[choice->count] = data->origin ? data->origin[i] : i;
            choice->row[choice->count++] = i;
        }
    return TEMPER_OK;
}

/* Moves the kept rows to the front of all arrays. Needs no memory, so that it cannot fail half-way. */
static void keep_in_place(struct dataset *data, const struct class_subset *choice)
{
    /* choice->row[i] >= i, so nothing is overwritten before it is read. */
    for (size_t i = 0; i < choice->count; i++) {
        /* Labels move with their rows; class numbers are changed afterwards. */
        size_t from = choice->row[i];
        data->label[i] = data->label[from];
        if (data->weight)
            data->weight[i] = data->weight[from];
        if (data->line)
            data->line[i] = data->line[from];
    }
    matrix_keep(&data->x, choice->row, choice->count);
}

/* Borrowed or mapped memory must not be changed: a copy of the kept rows replaces the contents of the dataset. */
static temper_status keep_copies(struct dataset *data, const struct class_subset *choice, temper_error *error)
{
    /* The old contents, to be freed at the end. */
    struct dataset *copy = NULL, whole = *data;
    struct memory_limit_plan plan = {.what = "--classes, which makes a copy of the rows,",
                                     .needed =
                                         (double)matrix_bytes(&data->x) / (double)data->x.rows * (double)choice->count,
                                     .threads = 1};
    /* Refused before anything is copied if it does not fit --memory. */
    temper_status status = memory_limit_plan(data, &plan, error);
    if (status == TEMPER_OK)
        status = dataset_rows(data, choice->row, choice->count, &copy, error);
    if (status != TEMPER_OK || !copy)
        return status;
    /* Exchanges the contents, so that freeing `copy` frees the old ones. */
    *data = *copy;
    data->storage.memory_limit = whole.storage.memory_limit;
    *copy = whole;
    dataset_free(copy);
    return TEMPER_OK;
}

/* Applies the choice. The last step that can fail comes before the first that changes anything. */
static temper_status keep(struct dataset *data, struct class_subset *choice, temper_error *error)
{
    temper_status status = TEMPER_OK;
    /* Owned arrays and temporary files can be changed in place. */
    if ((matrix_is_ours(&data->x) || data->storage.disk) && !data->storage.mapping)
        keep_in_place(data, choice);
    else
        status = keep_copies(data, choice, error);
    if (status != TEMPER_OK)
        return status;
    /* The labels still have the old class numbers. */
    for (size_t i = 0; i < choice->count; i++)
        data->label[i] = choice->new_number[data->label[i]];
    mem_free(data->origin);
    data->origin = choice->origin;
    choice->origin = NULL;
    /* Exchanged: choice_free frees the old classes. */
    struct classes dropped = data->classes;
    data->classes = choice->classes;
    choice->classes = dropped;
    return TEMPER_OK;
}

/* Reduces the dataset to the rows of the named classes; unchanged on failure. */
temper_status select_classes(struct dataset *data, const char *names, temper_error *error)
{
    struct class_subset choice = {0};
    struct list list;
    TRY(list_read("--classes", names, false, &list, error));
    /* Names, numbers, rows: none of these steps changes the dataset. */
    temper_status status = mark_classes(data, &list, &choice, error);
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

/* ---- Joining: checks -------------------------------------------------------------------------------- */

/* Features must have the same names in the same order; data without names is accepted. */
static temper_status check_names(const struct dataset *first, const struct dataset *second, temper_error *error)
{
    char a[PATH_SHOWN], b[PATH_SHOWN];
    /* Where one of them has no names, positions decide. */
    for (size_t j = 0; j < first->features.count && j < second->features.count; j++)
        if (strcmp(first->features.name[j], second->features.name[j]) != 0)
            return error_set(error, TEMPER_BAD_DATA,
                             "feature %zu is '%.60s' in %s and '%.60s' in %s; give files of the "
                             "same columns",
                             j + 1, first->features.name[j], source_shown(first, a), second->features.name[j],
                             source_shown(second, b));
    return TEMPER_OK;
}

/* Whether two datasets can be joined: columns, kind of matrix and presence of labels must agree. */
static temper_status check_alike(const struct dataset *first, const struct dataset *second, temper_error *error)
{
    char a[PATH_SHOWN], b[PATH_SHOWN];
    /* Both paths are needed in every message. */
    source_shown(first, a);
    source_shown(second, b);
    /* Models need equal columns; classes may differ. */
    if (first->x.columns != second->x.columns)
        return error_set(error, TEMPER_BAD_DATA, "%s has %s features and %s has %s; give files of the same columns", a,
                         count_shown(first->x.columns).text, b, count_shown(second->x.columns).text);
    if (first->x.kind != second->x.kind)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s and %s keep their numbers in different ways; give files of one format", a, b);
    if (!first->label != !second->label)
        return error_set(error, TEMPER_BAD_DATA, "only one of %s and %s has labels; give both", a, b);
    return check_names(first, second, error);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of both datasets without their features, while they are joined. */
struct joined_rows {
    struct classes classes;
    uint32_t *label;
    double *weight;
    size_t *row; /* 0, 1, ...: as matrix_gather takes them */
    size_t count;
};

static void joint_free(struct joined_rows *joint)
{
    classes_free(&joint->classes);
    mem_free(joint->label);
    mem_free(joint->weight);
    mem_free(joint->row);
}

/* Appends the labels of one dataset from row `at` on, numbered by the joint classes. false without memory or with too
 * many classes. */
static bool add_labels(struct joined_rows *joint, const struct dataset *data, size_t at)
{
    uint32_t *number = mem_alloc(data->classes.count, sizeof *number);
    bool done = number != NULL;
    /* Classes of the second dataset that the first one has get its numbers. */
    for (size_t c = 0; done && c < data->classes.count; c++) {
        number[c] = classes_add(&joint->classes, data->classes.name[c], strlen(data->classes.name[c]));
        done = number[c] != CLASSES_NO_MEMORY && number[c] != CLASSES_FULL;
    }
    /* Renumbered while they are copied. */
    for (size_t i = 0; done && i < data->x.rows; i++)
        joint->label[at + i] = number[data->label[i]];
    mem_free(number);
    return done;
}

/* Gives the joint classes their final order and renumbers the labels. */
static temper_status sort_labels(struct joined_rows *joint, temper_error *error)
{
    /* One number for each joint class. */
    uint32_t *number = mem_alloc(joint->classes.count, sizeof *number);
    if (!number)
        return error_no_memory(error);
    temper_status status = classes_sort(&joint->classes, number, error);
    for (size_t i = 0; status == TEMPER_OK && i < joint->count; i++)
        joint->label[i] = number[joint->label[i]];
    mem_free(number);
    return status;
}

/* The labels of both. Each dataset has an allowed number of classes, but together they may have too many. */
static temper_status join_labels(struct joined_rows *joint, const struct dataset *first, const struct dataset *second,
                                 temper_error *error)
{
    /* Labels of the first dataset, then those of the second. */
    joint->label = mem_alloc(joint->count, sizeof *joint->label);
    if (!joint->label)
        return error_no_memory(error);
    if (!add_labels(joint, first, 0) || !add_labels(joint, second, (size_t)first->x.rows))
        /* Whether it was memory follows from the number of classes. */
        return joint->classes.count < MOST_CLASSES
                   ? error_no_memory(error)
                   : error_set(error, TEMPER_BAD_DATA,
                               "the files have more than %s classes together; check their label "
                               "columns",
                               count_shown(MOST_CLASSES).text);
    return sort_labels(joint, error);
}

/* The weights of both; rows without weights count 1. None if neither has any. */
static temper_status join_weights(struct joined_rows *joint, const struct dataset *first, const struct dataset *second,
                                  temper_error *error)
{
    size_t rows = (size_t)first->x.rows;
    /* Unweighted data stays so. */
    if (!first->weight && !second->weight)
        return TEMPER_OK;
    joint->weight = mem_alloc(joint->count, sizeof *joint->weight);
    if (!joint->weight)
        return error_no_memory(error);
    /* The two arrays are concatenated; one of them may be missing. */
    for (size_t i = 0; i < joint->count; i++) {
        const double *weight = i < rows ? first->weight : second->weight;
        joint->weight[i] = weight ? weight[i < rows ? i : i - rows] : 1;
    }
    return TEMPER_OK;
}

/* Everything of the joint rows but their features. */
static temper_status join_rows(struct joined_rows *joint, const struct dataset *first, const struct dataset *second,
                               temper_error *error)
{
    if (!add_size((size_t)first->x.rows, (size_t)second->x.rows, &joint->count))
        return error_no_memory(error);
    joint->row = mem_alloc(joint->count, sizeof *joint->row);
    if (!joint->row)
        return error_no_memory(error);
    for (size_t i = 0; i < joint->count; i++)
        joint->row[i] = i;
    temper_status status = join_weights(joint, first, second, error);
    if (status == TEMPER_OK && first->label)
        status = join_labels(joint, first, second, error);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The joint dataset. All but the rows is copied from `first`. Line numbers refer to one file, so they are left out. */
static temper_status publish(struct joined_rows *joint, const struct dataset *first, const struct dataset *second,
                             struct dataset **out, temper_error *error)
{
    struct matrix x;
    struct dataset *whole;
    /* Borrowing gives a complete dataset, of which the parts are then replaced. */
    TRY(dataset_borrow(first, &whole, error));
    temper_status status = matrix_gather(&first->x, &second->x, joint->row, joint->count, &x, error);
    if (status != TEMPER_OK) {
        dataset_free(whole);
        return status;
    }
    struct classes old = whole->classes;
    uint32_t *label = whole->label;
    double *weight = whole->weight;
    whole->x = x; /* replaces the borrowed one */
    whole->classes = joint->classes;
    whole->label = joint->label;
    whole->weight = joint->weight;
    joint->classes = old; /* freed with the others */
    joint->label = label;
    joint->weight = weight;
    mem_free(whole->line);
    whole->line = NULL;
    /* Counts of both files. */
    whole->file.missing_filled += second->file.missing_filled;
    whole->file.missing_dropped += second->file.missing_dropped;
    *out = whole;
    return TEMPER_OK;
}

/* The rows of `first` followed by those of `second`, as a copy that the caller frees. */
temper_status dataset_concat(const struct dataset *first, const struct dataset *second, struct dataset **out,
                             temper_error *error)
{
    struct joined_rows joint = {0};
    /* Refused before anything is allocated. */
    TRY(check_alike(first, second, error));
    temper_status status = join_rows(&joint, first, second, error);
    if (status == TEMPER_OK)
        status = publish(&joint, first, second, out, error);
    joint_free(&joint);
    return status;
}
