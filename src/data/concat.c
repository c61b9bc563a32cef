/* join: rows below rows, classes by their names. */
#include "data/concat.h"

#include <string.h>

#include "base/memory.h"
#include "data/class_names.h"
#include "data/gather_rows.h"
#include "data/subset.h"

/* ---- Refusals -------------------------------------------------------------------------------- */

static temper_status check_names(const struct dataset *first, const struct dataset *second, temper_error *error)
{
    char a[PATH_SHOWN], b[PATH_SHOWN];
    for (size_t j = 0; j < first->features.count && j < second->features.count; j++)
        if (strcmp(first->features.name[j], second->features.name[j]) != 0)
            return error_set(error, TEMPER_BAD_DATA,
                             "feature %zu is '%.60s' in %s and '%.60s' in %s; give files of the "
                             "same columns",
                             j + 1, first->features.name[j], source_shown(first, a), second->features.name[j],
                             source_shown(second, b));
    return TEMPER_OK;
}

static temper_status check_alike(const struct dataset *first, const struct dataset *second, temper_error *error)
{
    char a[PATH_SHOWN], b[PATH_SHOWN];
    source_shown(first, a);
    source_shown(second, b);
    if (first->x.columns != second->x.columns)
        return error_set(error, TEMPER_BAD_DATA, "%s has %llu features and %s has %llu; give files of the same columns",
                         a, (unsigned long long)first->x.columns, b, (unsigned long long)second->x.columns);
    if (first->x.kind != second->x.kind)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s and %s keep their numbers in different ways; give files of one format", a, b);
    if (!first->label != !second->label)
        return error_set(error, TEMPER_BAD_DATA, "only one of %s and %s has labels; give both", a, b);
    return check_names(first, second, error);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of both, features apart. */
struct joint {
    struct classes classes;
    uint32_t *label;
    double *weight;
    size_t *row;
    size_t count;
};

static void joint_free(struct joint *joint)
{
    classes_free(&joint->classes);
    mem_free(joint->label);
    mem_free(joint->weight);
    mem_free(joint->row);
}

/* The labels of one of them, from `at` on, under the numbers of the joint classes. */
static bool add_labels(struct joint *joint, const struct dataset *data, size_t at)
{
    uint32_t *number = mem_alloc(data->classes.count, sizeof *number);
    bool done = number != NULL;
    for (size_t c = 0; done && c < data->classes.count; c++) {
        number[c] = classes_add(&joint->classes, data->classes.name[c], strlen(data->classes.name[c]));
        done = number[c] != CLASSES_NO_MEMORY && number[c] != CLASSES_FULL;
    }
    for (size_t i = 0; done && i < data->x.rows; i++)
        joint->label[at + i] = number[data->label[i]];
    mem_free(number);
    return done;
}

static temper_status sort_labels(struct joint *joint, temper_error *error)
{
    uint32_t *number = mem_alloc(joint->classes.count, sizeof *number);
    if (!number)
        return error_no_memory(error);
    temper_status status = classes_sort(&joint->classes, number, error);
    for (size_t i = 0; status == TEMPER_OK && i < joint->count; i++)
        joint->label[i] = number[joint->label[i]];
    mem_free(number);
    return status;
}

/* Two sets of at most MOST_CLASSES may have more together; that is told before memory is. */
static temper_status join_labels(struct joint *joint, const struct dataset *first, const struct dataset *second,
                                 temper_error *error)
{
    joint->label = mem_alloc(joint->count, sizeof *joint->label);
    if (!joint->label)
        return error_no_memory(error);
    if (!add_labels(joint, first, 0) || !add_labels(joint, second, (size_t)first->x.rows))
        return joint->classes.count < MOST_CLASSES
                   ? error_no_memory(error)
                   : error_set(error, TEMPER_BAD_DATA,
                               "the files have more than %d classes together; check their label "
                               "columns",
                               MOST_CLASSES);
    return sort_labels(joint, error);
}

static temper_status join_weights(struct joint *joint, const struct dataset *first, const struct dataset *second,
                                  temper_error *error)
{
    size_t rows = (size_t)first->x.rows;
    if (!first->weight && !second->weight)
        return TEMPER_OK;
    joint->weight = mem_alloc(joint->count, sizeof *joint->weight);
    if (!joint->weight)
        return error_no_memory(error);
    for (size_t i = 0; i < joint->count; i++) {
        const double *weight = i < rows ? first->weight : second->weight;
        joint->weight[i] = weight ? weight[i < rows ? i : i - rows] : 1;
    }
    return TEMPER_OK;
}

static temper_status join_rows(struct joint *joint, const struct dataset *first, const struct dataset *second,
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

/* What is not of the rows comes from `first`. Lines are those of one file, and so are left out. */
static temper_status publish(struct joint *joint, const struct dataset *first, const struct dataset *second,
                             struct dataset **out, temper_error *error)
{
    struct matrix x;
    struct dataset *whole;
    temper_status status = dataset_borrow(first, &whole, error);
    if (status != TEMPER_OK)
        return status;
    status = matrix_gather(&first->x, &second->x, joint->row, joint->count, &x, error);
    if (status != TEMPER_OK) {
        dataset_free(whole);
        return status;
    }
    struct classes old = whole->classes;
    uint32_t *label = whole->label;
    double *weight = whole->weight;
    whole->x = x; /* in the place of what was borrowed */
    whole->classes = joint->classes;
    whole->label = joint->label;
    whole->weight = joint->weight;
    joint->classes = old; /* freed with the rest */
    joint->label = label;
    joint->weight = weight;
    mem_free(whole->line);
    whole->line = NULL;
    whole->missing_filled += second->missing_filled;
    whole->missing_dropped += second->missing_dropped;
    *out = whole;
    return TEMPER_OK;
}

temper_status dataset_concat(const struct dataset *first, const struct dataset *second, struct dataset **out,
                             temper_error *error)
{
    struct joint joint = {0};
    temper_status status = check_alike(first, second, error);
    if (status != TEMPER_OK)
        return status;
    status = join_rows(&joint, first, second, error);
    if (status == TEMPER_OK)
        status = publish(&joint, first, second, out, error);
    joint_free(&joint);
    return status;
}
