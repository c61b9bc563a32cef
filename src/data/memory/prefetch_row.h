/* prefetch_row: announces a sparse row to the caches. */
#ifndef DATA_PREFETCH_ROW_H
#define DATA_PREFETCH_ROW_H

#include "data/matrix.h"

/* A row that will be read soon. Nothing for rows of files that are read by windows: they are not in memory yet. */
static inline void prefetch_row(const struct matrix *matrix, uint64_t index)
{
    enum { LINE_ENTRIES = 16 };
    if (!matrix->column || !matrix->value || matrix->pages)
        return;
    const uint64_t end = matrix_start(matrix, index + 1);
    for (uint64_t e = matrix_start(matrix, index); e < end; e += LINE_ENTRIES) {
        __builtin_prefetch(matrix->column + e);
        __builtin_prefetch(matrix->value + e);
    }
}

#endif
