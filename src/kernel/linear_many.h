/* linear_many: many classes, and the Gram matrix; included by linear_body.h. */
#include "kernel/linear_dot.h"
#include "kernel/linear_tile.h"
#include "kernel/softmax.h"

enum { CHUNK = LINEAR_CHUNK }; /* columns that are packed at once */

/* ---- Activations
 * --------------------------------------------------------------------------------- */

/* Some columns of LANES rows, turned: to[column * LANES + row]. */
static void pack_panel(const real *const *row, size_t columns, real *to)
{
    vec turned[QUARTER];
    size_t j = 0;
    for (; j + QUARTER <= columns; j += QUARTER) {
        load_turned(row, j, turned);
        UNROLL for (int q = 0; q < QUARTER; q++) vec_store(to + (j + (size_t)q) * LANES, turned[q]);
    }
    for (; j < columns; j++)
        for (size_t k = 0; k < LANES; k++)
            to[j * LANES + k] = row[k][j];
}

/* Columns first .. first + count of the whole block, panel after panel. */
static void pack_chunk(const rows_type *block, size_t first, size_t count, real *to)
{
    for (size_t i = 0; i < block->rows; i += LANES, to += count * LANES) {
        const real *row[LANES];
        for (size_t k = 0; k < LANES; k++) /* past the end, the last again */
            row[k] = block->x + least(i + k, block->rows - 1) * block->columns + first;
        pack_panel(row, count, to);
    }
}

/* The activations of some classes: adds the columns of a chunk. */
HOT void times_chunk(const many_type *many, struct tile tile, size_t width)
{
    size_t panels = (many->block.rows + LANES - 1) / LANES;
    for (size_t panel = 0; panel < panels; panel += TILE_VECTORS) {
        tile_run(&tile, width, least(panels - panel, TILE_VECTORS));
        tile.a += TILE_VECTORS * tile.a_next;
        tile.out += TILE_VECTORS * LANES;
    }
}

static void clear_padding(const many_type *many, real *out)
{
    size_t rows = many->block.rows, padding = round_up(rows, SOFTMAX_PAD) - rows;
    for (size_t c = 0; padding && c < many->classes; c++)
        memset(out + c * many->stride + rows, 0, padding * sizeof *out);
}

/* Lanes run along the rows, which are packed so, some columns at a time. */
static void times_packed(const many_type *many, const real *w, real *out)
{
    const rows_type *block = &many->block;
    size_t first = 0;
    do { /* once at least: without columns there are zeros */
        size_t count = least(block->columns - first, CHUNK), width;
        pack_chunk(block, first, count, many->scratch);
        for (size_t c = 0; c < many->classes; c += width) {
            width = tile_width(many->classes - c);
            struct tile tile = {
                .a = many->scratch,
                .b = w + first * many->classes + c,
                .depth = count,
                .a_step = LANES,
                .a_next = count * LANES,
                .b_step = many->classes,
                .last = part_of(LANES),
                .out = out + c * many->stride,
                .out_step = many->stride,
                .add = first > 0,
            };
            times_chunk(many, tile, width);
        }
        first += CHUNK;
    } while (first < block->columns);
}

/* Which way it goes does not depend on the rows: a row has the same activations in any block. Nor
 * do those of a class depend on others, whichever way it goes. */
static void linear_many_times(const many_type *many, const real *w, real *out)
{
    size_t columns = many->block.columns;
    if (linear_as_dot(columns, many->of ? many->of : many->classes)) {
        rows_type weights = {w, columns, many->classes};
        pack_chunk(&weights, 0, many->classes, many->scratch);
        dot_block(many, many->scratch, out);
    } else {
        times_packed(many, w, out);
    }
    clear_padding(many, out);
}

/* ---- The gradient
 * -------------------------------------------------------------------------------- */

enum { STRIP = TILE_VECTORS * LANES }; /* columns of a tile */

/* gradient[j * classes + c] += sums of a tile. */
static void add_turned(const real *sums, size_t columns, size_t width, double *gradient,
                       size_t classes)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t c = 0; c < width; c++)
            gradient[j * classes + c] += (double)sums[c * STRIP + j];
}

static void linear_many_back(const many_type *many, const real *r, double *gradient)
{
    const rows_type *block = &many->block;
    real sums[TILE_WIDTH * STRIP];
    for (size_t j = 0; j < block->columns; j += STRIP) {
        size_t count = least(block->columns - j, STRIP), vectors = (count + LANES - 1) / LANES,
               width;
        for (size_t c = 0; c < many->classes; c += width) {
            width = tile_width(many->classes - c);
            struct tile tile = {
                .a = block->x + j,
                .b = r + c * many->stride,
                .depth = block->rows,
                .a_step = block->columns,
                .a_next = LANES,
                .ahead = c == 0 ? block->rows * block->columns : 0, /* the block that follows */
                .b_step = many->stride,
                .last = part_of(count - (vectors - 1) * LANES),
                .out = sums,
                .out_step = STRIP,
            };
            tile_run_turned(&tile, width, vectors);
            add_turned(sums, count, width, gradient + j * many->classes + c, many->classes);
        }
    }
}

/* ---- The Gram matrix
 * ----------------------------------------------------------------------------- */

/* Rows j .. j + width of the lower triangle, from column k on. */
static void add_lower(const real *sums, size_t j, size_t k, size_t width, double *gram,
                      size_t columns)
{
    for (size_t c = k > j ? k - j : 0; c < width; c++) {
        const real *from = sums + c * STRIP;
        double *to = gram + (j + c) * columns + k;
        const size_t count = least(STRIP, j + c - k + 1);
        for (size_t v = 0; v < count; v++)
            to[v] += (double)from[v];
    }
}

static void weigh_rows(rows_type block, const real *weight, struct gram_lines lines, real *to)
{
    for (size_t i = 0; i < block.rows; i++)
        for (size_t j = lines.from; j < lines.to; j++)
            to[i * block.columns + j] = weight[i] * block.x[i * block.columns + j];
}

static void linear_gram(rows_type block, const real *weight, struct gram_lines lines, real *scratch,
                        double *gram)
{
    real sums[TILE_WIDTH * STRIP];
    size_t columns = block.columns, width;
    weigh_rows(block, weight, lines, scratch);
    for (size_t j = lines.from; j < lines.to; j += width) {
        width = tile_width(lines.to - j);
        for (size_t k = 0; k < j + width; k += STRIP) {
            size_t count = least(columns - k, STRIP), vectors = (count + LANES - 1) / LANES;
            struct tile tile = {
                .a = block.x + k,
                .b = scratch + j,
                .depth = block.rows,
                .a_step = columns,
                .a_next = LANES,
                .b_step = columns,
                .last = part_of(count - (vectors - 1) * LANES),
                .out = sums,
                .out_step = STRIP,
            };
            tile_run(&tile, width, vectors);
            add_lower(sums, j, k, width, gram, columns);
        }
    }
}
