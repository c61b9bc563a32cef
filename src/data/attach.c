/* attach: names and weights for a dataset that has none. All of them are copied. */
#include "data/attach.h"

#include <string.h>

#include "base/memory.h"
#include "data/schema.h"
#include "data/weights.h"

temper_status dataset_name_classes(struct dataset *data, const char *const *names, temper_error *error)
{
    struct classes named = {0};
    temper_status status = TEMPER_OK;
    for (size_t c = 0; status == TEMPER_OK && c < data->classes.count; c++) {
        uint32_t number = classes_add(&named, names[c], strlen(names[c]));
        if (number == CLASSES_NO_MEMORY)
            status = error_no_memory(error);
        else if (number != c)
            status = error_set(error, TEMPER_BAD_DATA,
                               "two classes have the same name, '%.80s', or the same number; give "
                               "them different ones",
                               names[c]);
    }
    if (status != TEMPER_OK) {
        classes_free(&named);
        return status;
    }
    classes_free(&data->classes);
    data->classes = named;
    return TEMPER_OK;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

temper_status dataset_name_features(struct dataset *data, const char *const *names, temper_error *error)
{
    size_t count = (size_t)data->x.columns;
    struct names named = {.name = (char **)mem_zeroed(count, sizeof *named.name), .count = count};
    if (!named.name)
        return error_no_memory(error);
    for (size_t j = 0; j < count; j++)
        if (!(named.name[j] = copy_text(names[j]))) {
            names_free(&named);
            return error_no_memory(error);
        }
    names_free(&data->features);
    data->features = named;
    return TEMPER_OK;
}

temper_status dataset_set_weights(struct dataset *data, const double *weights, temper_error *error)
{
    double *copy = mem_alloc((size_t)data->x.rows, sizeof *copy);
    if (!copy)
        return error_no_memory(error);
    memcpy(copy, weights, (size_t)data->x.rows * sizeof *copy);
    return weights_multiply(data, copy, error);
}
