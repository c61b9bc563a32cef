/* read_probabilities: a file with a column of probabilities for each class of some data. */
#include <stdlib.h>
#include <string.h>

#include "audit/given_probabilities.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/quote_text.h"
#include "data/read/read.h"

/* The file, and where each class is in it. */
struct probability_file {
    const char *path;
    const struct dataset *data; /* the rows that the probabilities are for */
    struct dataset *table;
    size_t *column; /* of each class */
    temper_error *error;
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the numbers as they are: a header is a line of class names, which may be numbers themselves. */
static temper_status read_table(struct probability_file *file, const char *header)
{
    temper_read_options options = {
        .struct_size = sizeof options, .label = "none", .header = header, .f64 = 1, .threads = 1};
    dataset_free(file->table);
    file->table = NULL;
    return dataset_read_like(file->path, &options, NULL, &file->table, file->error);
}

/* Whether what was taken for a header may be a row: numbers that are not the names of classes, or that sum to 1 as
 * those of the classes 0 and 1 do. */
static bool header_may_be_row(const struct probability_file *file)
{
    const struct names *names = &file->table->features;
    bool classes = true;
    double sum = 0, value;
    for (size_t j = 0; j < names->count; j++) {
        const char *name = names->name[j];
        if (number_f64(name, name + strlen(name), &value) != NUMBER_OK)
            return false;
        sum += value;
        classes = classes && classes_find(&file->data->classes, name, strlen(name)) != CLASSES_NONE;
    }
    return names->count > 0 && (!classes || sum == 1);
}

/* A header is expected. Names such as 0 and 1 look like probabilities, so that the number of rows decides. */
static temper_status read_rows(struct probability_file *file)
{
    TRY(read_table(file, "yes"));
    const struct dataset *table = file->table;
    uint64_t rows = file->data->x.rows;
    if (table->x.rows + 1 == rows && header_may_be_row(file))
        TRY(read_table(file, "no"));
    table = file->table;
    if (table->x.rows != rows)
        return error_set(file->error, TEMPER_BAD_DATA,
                         "%s: %s row%s of probabilities for %s row%s of data; give one for each row, in the same "
                         "order",
                         place_text(file->path).text, count_shown(table->x.rows).text, plural(table->x.rows),
                         count_shown(rows).text, plural(rows));
    return TEMPER_OK;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Finds the columns by their names: each must be a class, and each class must have one. */
static temper_status match_names(struct probability_file *file)
{
    const struct names *names = &file->table->features;
    const struct classes *classes = &file->data->classes;
    for (size_t c = 0; c < classes->count; c++)
        file->column[c] = SIZE_MAX;
    for (size_t j = 0; j < names->count; j++) {
        const char *name = names->name[j];
        uint32_t class = classes_find(classes, name, strlen(name));
        if (class == CLASSES_NONE)
            return error_set(file->error, TEMPER_BAD_DATA,
                             "%s: the column '%.80s' is no class of the data (%s); give one column for each class, "
                             "named as the class",
                             place_text(file->path).text, name, class_names_text(classes).text);
        if (file->column[class] != SIZE_MAX)
            return error_set(file->error, TEMPER_BAD_DATA, "%s: two columns are named '%.80s'; give one for each class",
                             place_text(file->path).text, name);
        file->column[class] = j;
    }
    for (size_t c = 0; c < classes->count; c++)
        if (file->column[c] == SIZE_MAX)
            return error_set(file->error, TEMPER_BAD_DATA,
                             "%s: there is no column for the class '%.80s'; give one for each class of the data (%s)",
                             place_text(file->path).text, classes->name[c], class_names_text(classes).text);
    return TEMPER_OK;
}

/* A class and its name, to be sorted. */
struct named_class {
    const char *name;
    size_t class;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named_class *)a)->name, ((const struct named_class *)b)->name);
}

/* Columns without names are in ascending order of the classes. Numbers are sorted already; other names are in the order
 * of their first rows. */
static temper_status match_order(struct probability_file *file)
{
    const struct classes *classes = &file->data->classes;
    if (file->table->x.columns != classes->count)
        return error_set(file->error, TEMPER_BAD_DATA,
                         "%s: %llu column%s for %zu classes (%s); give one column for each class",
                         place_text(file->path).text, (unsigned long long)file->table->x.columns,
                         plural(file->table->x.columns), classes->count, class_names_text(classes).text);
    struct named_class *order = mem_alloc(classes->count, sizeof *order);
    if (!order)
        return error_no_memory(file->error);
    for (size_t c = 0; c < classes->count; c++)
        order[c] = (struct named_class){classes->name[c], c};
    if (!classes_are_numbers(classes))
        qsort(order, classes->count, sizeof *order, by_name);
    for (size_t j = 0; j < classes->count; j++)
        file->column[order[j].class] = j;
    mem_free(order);
    return TEMPER_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Names the line of a text, or the row of an array, counted from 1. */
static temper_status refuse_row(const struct probability_file *file, size_t row, struct probability_fault fault)
{
    static const char remedy[] = "give probabilities >= 0 that sum to 1, one for each class";
    const uint64_t *line = file->table->line;
    if (line)
        return error_at(file->error, TEMPER_BAD_DATA, (size_t)line[row], 0, "%s:%llu: these probabilities %s %g; %s",
                        place_text(file->path).text, (unsigned long long)line[row], fault.what, fault.value, remedy);
    return error_set(file->error, TEMPER_BAD_DATA, "%s: the probabilities of row %zu %s %g; %s",
                     place_text(file->path).text, row + 1, fault.what, fault.value, remedy);
}

/* Copies the columns in the order of the classes. `space` has one number per column. */
static temper_status copy_values(const struct probability_file *file, double *space, double *out)
{
    size_t classes = file->data->classes.count;
    struct probability_fault fault;
    for (size_t row = 0; row < (size_t)file->data->x.rows; row++) {
        matrix_row_f64(&file->table->x, row, space);
        for (size_t c = 0; c < classes; c++)
            out[row * classes + c] = space[file->column[c]];
        if (probabilities_are_bad(out + row * classes, classes, &fault))
            return refuse_row(file, row, fault);
    }
    return TEMPER_OK;
}

/* The steps after reading. */
static temper_status take_values(struct probability_file *file, double *out, bool *named)
{
    double *space = mem_alloc((size_t)file->table->x.columns, sizeof *space);
    file->column = mem_alloc(file->data->classes.count, sizeof *file->column);
    temper_status status = space && file->column ? TEMPER_OK : error_no_memory(file->error);
    *named = file->table->features.count > 0;
    if (status == TEMPER_OK)
        status = *named ? match_names(file) : match_order(file);
    if (status == TEMPER_OK)
        status = copy_values(file, space, out);
    mem_free(space);
    mem_free(file->column);
    return status;
}

/* Frees what there is, whichever step has failed. */
temper_status probabilities_read(const char *path, const struct dataset *data, double *out, bool *named,
                                 temper_error *error)
{
    struct probability_file file = {.path = path, .data = data, .error = error};
    if (!data->label)
        return error_set(error, TEMPER_USAGE, "probabilities are for rows with labels, and these have none");
    temper_status status = read_rows(&file);
    if (status == TEMPER_OK)
        status = take_values(&file, out, named);
    dataset_free(file.table);
    return status;
}
