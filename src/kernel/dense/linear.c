/* linear: sizes of blocks and workspace of the kernels of linear.h. Constants were measured
 * (docs/notes/2026-11-16-speed.md). */
#include "kernel/dense/linear.h"

#include "base/order.h"

enum {
    ROWS_STEP = 16,  /* rows of a panel, lanes of the longest vector */
    STRIP_STEP = 32, /* the columns of a strip, at most */
    MOST_ROWS = 1024,
    MOST_ROWS_MANY = 256,
    BLOCK_BYTES = 128 * 1024, /* two classes: a block is read twice, the second time from the cache */
    NEAR_BYTES = 32 * 1024,   /* the same of short rows: the first-level cache, */
    NEAR_DOUBLES = 2 * 1024,  /* which for doubles also holds the floats that they are converted from */
    LONG_STEP = 32,           /* rows whose losses are computed together */
    NARROW_BYTES = 512,
    FUSED_BYTES = 8 * 1024,
    FUSED_LEAST = 160, /* bytes of a row; shorter ones have loops in registers, longer ones no room in the cache */
    FUSED_MOST = 1024,
    BLOCK_BYTES_MANY = 800 * 1024, /* many classes: packed weights and gradients share the cache */
    WEIGHT_BYTES = 512 * 1024,     /* more weights than this exceed the cache in any case: */
    MOST_X = 4 << 20,              /* then blocks have as many rows as possible, up to this many numbers */
    MOST_ACTIVATIONS = 2 << 20,    /* numbers */
};

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

/* Rows of a block, a multiple of the vector length: both products (activations, then gradient) read the block, so
 * it should stay in the cache in between. */
size_t linear_block_rows(size_t columns, size_t classes, size_t number_size)
{
    size_t row = columns < MOST_X ? columns + !columns : MOST_X, rows; /* 1 .. MOST_X */
    size_t near = number_size == sizeof(double) ? NEAR_DOUBLES : NEAR_BYTES / number_size;
    if (classes <= 2 && row * number_size <= NARROW_BYTES)
        rows = min_size(near / row, MOST_ROWS);
    else if (classes <= 2)
        rows = BLOCK_BYTES / number_size / row;
    else if (row <= WEIGHT_BYTES / number_size / classes)
        rows = min_size(BLOCK_BYTES_MANY / number_size / row, MOST_ROWS_MANY);
    else
        rows = min_size(min_size(MOST_X / row, MOST_ACTIVATIONS / classes), MOST_ROWS);
    size_t step = rows < LONG_STEP ? ROWS_STEP : LONG_STEP;
    return rows > ROWS_STEP ? rows / step * step : ROWS_STEP;
}

/* Two calls are in the cache at the same time, beside weights and sums. */
size_t linear_fused_rows(size_t row_bytes, size_t step)
{
    size_t rows = FUSED_BYTES / (row_bytes + !row_bytes) / step * step;
    return row_bytes < FUSED_LEAST || row_bytes > FUSED_MOST ? 0 : max_size(rows, step);
}

size_t linear_fused_sums(size_t columns)
{
    return round_up(columns, ROWS_STEP);
}

/* Numbers of an array of rows that are padded to whole vectors. */
size_t linear_wide(size_t rows, size_t columns)
{
    return rows * ((columns + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP);
}

/* The largest of what the algorithms for this shape need, in numbers of the element type; only one of them uses
 * the workspace at a time. */
size_t linear_scratch(size_t rows, size_t columns, size_t classes)
{
    const size_t padded = round_up(rows, ROWS_STEP);
    const size_t strips = round_up(min_size(columns, LINEAR_PACKED_COLUMNS), STRIP_STEP);
    const size_t back = linear_packs_tiles(columns, classes) ? rows * strips : 0;
    const size_t few = LINEAR_FEW_CLASSES * round_up(min_size(columns, LINEAR_FEW_COLUMNS), ROWS_STEP);
    if (linear_as_dot(columns, classes))
        return max_size(max_size(back, few), classes * round_up(columns, ROWS_STEP));
    return max_size(back, (min_size(padded, LINEAR_PACKED_ROWS) + LINEAR_TILE) * min_size(columns, LINEAR_CHUNK));
}
