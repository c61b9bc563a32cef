/* linear: which blocks the kernels of linear.h want, and how much space. */
#include "kernel/dense/linear.h"

enum {
    ROWS_STEP = 16,  /* the rows of a panel, and of the longest vector */
    STRIP_STEP = 32, /* the columns of a strip, at most */
    MOST_ROWS = 1024,
    MOST_ROWS_MANY = 256,
    BLOCK_BYTES = 128 * 1024, /* two classes: read twice at once */
    NEAR_BYTES = 32 * 1024,   /* the same of short rows: from the nearest cache, */
    NEAR_DOUBLES = 2 * 1024,  /* where doubles have the floats beside them that they are made of */
    LONG_STEP = 32,           /* the losses of so many rows are made at once */
    NARROW_BYTES = 512,
    BLOCK_BYTES_MANY = 800 * 1024, /* many: beside it, the weights are packed and gradients added */
    WEIGHT_BYTES = 512 * 1024,     /* more weights than this do not stay in the cache anyway: */
    MOST_X = 4 << 20,              /* then the more rows to a block the better, up to so many */
    MOST_ACTIVATIONS = 2 << 20,    /* numbers */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t linear_block_rows(size_t columns, size_t classes, size_t number_size)
{
    size_t row = columns < MOST_X ? columns + !columns : MOST_X, rows; /* 1 .. MOST_X */
    size_t near = number_size == sizeof(double) ? NEAR_DOUBLES : NEAR_BYTES / number_size;
    if (classes <= 2 && row * number_size <= NARROW_BYTES)
        rows = least(near / row, MOST_ROWS);
    else if (classes <= 2)
        rows = BLOCK_BYTES / number_size / row;
    else if (row <= WEIGHT_BYTES / number_size / classes)
        rows = least(BLOCK_BYTES_MANY / number_size / row, MOST_ROWS_MANY);
    else
        rows = least(least(MOST_X / row, MOST_ACTIVATIONS / classes), MOST_ROWS);
    size_t step = rows < LONG_STEP ? ROWS_STEP : LONG_STEP;
    return rows > ROWS_STEP ? rows / step * step : ROWS_STEP;
}

size_t linear_wide(size_t rows, size_t columns)
{
    return rows * ((columns + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP);
}

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t linear_scratch(size_t rows, size_t columns, size_t classes)
{
    const size_t padded = round_up(rows, ROWS_STEP);
    const size_t strips = round_up(least(columns, LINEAR_PACKED_COLUMNS), STRIP_STEP);
    const size_t back = linear_packs_tiles(columns, classes) ? rows * strips : 0;
    const size_t few = LINEAR_FEW_CLASSES * round_up(least(columns, LINEAR_FEW_COLUMNS), ROWS_STEP);
    if (linear_as_dot(columns, classes))
        return most(most(back, few), classes * round_up(columns, ROWS_STEP));
    return most(back, (least(padded, LINEAR_PACKED_ROWS) + LINEAR_TILE) * least(columns, LINEAR_CHUNK));
}
