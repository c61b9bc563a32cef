/* slices: features stay where they are, labels and weights are copied. */
#include "data/batches/dataset_batches.h"

#include <string.h>

#include "base/memory.h"
#include "data/classes.h"

enum {
    SLICE_BYTES = 256 * 1024, /* of a number for each row and class */
    SLICE_MOST = 8192,
};

size_t dataset_batches_rows(size_t numbers)
{
    size_t rows = SLICE_BYTES / sizeof(double) / (numbers ? numbers : 1) / SLICE_LEAST * SLICE_LEAST;
    return rows < SLICE_LEAST ? SLICE_LEAST : rows > SLICE_MOST ? SLICE_MOST : rows;
}

static void *copy_of(const void *array, uint64_t from, size_t count, size_t size, bool *fine)
{
    void *copy = array ? mem_alloc(count, size) : NULL;
    if (copy)
        memcpy(copy, (const char *)array + from * size, count * size);
    *fine = *fine && (copy || !array);
    return copy;
}

temper_status dataset_batches_next(struct dataset_batches *slices, struct dataset *data, bool *some,
                                   temper_error *error)
{
    const struct dataset *whole = slices->whole;
    uint64_t from = slices->given, left = whole->x.rows - from;
    size_t count = left < slices->rows ? (size_t)left : slices->rows;
    bool fine = true;
    *some = count > 0;
    if (!*some)
        return TEMPER_OK;
    data->x = matrix_slice(&whole->x, from, count);
    data->file.format = whole->file.format;
    data->label = copy_of(whole->label, from, count, sizeof *whole->label, &fine);
    data->weight = copy_of(whole->weight, from, count, sizeof *whole->weight, &fine);
    data->line = copy_of(whole->line, from, count, sizeof *whole->line, &fine);
    data->file.path = copy_of(whole->file.path, 0, strlen(whole->file.path) + 1, 1, &fine);
    slices->given += count;
    return fine ? classes_copy(&whole->classes, &data->classes, error) : error_no_memory(error);
}
