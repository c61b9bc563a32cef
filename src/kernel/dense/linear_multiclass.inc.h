/* linear_multiclass: activations and gradients of many classes, and the Gram matrix, by register tiles. */
#include "kernel/dense/linear_dot.inc.h"
#if defined(__AVX512F__) && defined(SIMD_F32)
#define LINEAR_FEW
#include "kernel/dense/linear_few_classes.inc.h"
#endif
#include "kernel/dense/linear_tile.inc.h"
#include "kernel/loss/softmax.h"

enum { CHUNK = LINEAR_CHUNK }; /* columns that are packed at once */

/* ---- Activations ----------------------------------------------------------------------------------- */

/* Transposes some columns of LANES rows: to[column * LANES + row]. */
static void pack_panel(const real *const *row, size_t columns, real *to)
{
    vec transposed[QUARTER];
    size_t j = 0;
    for (; j + QUARTER <= columns; j += QUARTER) {
        load_transposed(row, j, transposed);
        UNROLL for (int q = 0; q < QUARTER; q++) vec_store(to + (j + (size_t)q) * LANES, transposed[q]);
    }
    for (; j < columns; j++)
        for (size_t k = 0; k < LANES; k++)
            to[j * LANES + k] = row[k][j];
}

/* Packs columns first .. first + count of all rows, panel (LANES rows) after panel. */
static void pack_chunk(const rows_type *block, size_t first, size_t count, real *to)
{
    for (size_t i = 0; i < block->rows; i += LANES, to += count * LANES) {
        const real *row[LANES];
        for (size_t k = 0; k < LANES; k++) /* past the end, the last again */
            row[k] = block->x + least(i + k, block->rows - 1) * block->columns + first;
        pack_panel(row, count, to);
    }
}

/* Adds the columns of a chunk to the activations of `width` classes. */
HOT void times_chunk(const many_type *many, struct tile tile, size_t width)
{
    size_t panels = (many->block.rows + LANES - 1) / LANES;
    for (size_t panel = 0; panel < panels; panel += TILE_VECTORS) {
        tile.fetch.lines = (const char *)(tile.out + TILE_VECTORS * LANES);
        tile_run_packed(&tile, width, least(panels - panel, TILE_VECTORS));
        tile.a += TILE_VECTORS * tile.a_next;
        tile.out += TILE_VECTORS * LANES;
    }
}

/* The softmax reads whole vectors of rows, so the rows after the last must hold finite numbers. */
static void clear_padding(const many_type *many, real *out)
{
    size_t rows = many->block.rows, padding = round_up(rows, SOFTMAX_PAD) - rows;
    for (size_t c = 0; padding && c < many->classes; c++)
        memset(out + c * many->stride + rows, 0, padding * sizeof *out);
}

/* Packs the weights of `width` classes contiguously, padded to LANES numbers a row; prefetches those of
 * the next tile. */
static void pack_weights(const real *w, size_t classes, size_t count, size_t width, real *to)
{
    const size_t whole_part = width / LANES * LANES, step = round_up(width, LANES);
    const part last = part_of(width - whole_part);
    for (size_t j = 0; j < count; j++, w += classes, to += step) {
        __builtin_prefetch(w + 2 * width - 1);
        for (size_t c = 0; c < width; c += LANES)
            vec_store(to + c, c < whole_part ? vec_load(w + c) : vec_load_part(w + c, last));
    }
}

/* Lanes run along the rows, which are packed for that, some columns at a time. */
static void times_some(const many_type *many, const real *w, real *out)
{
    const rows_type *block = &many->block;
    const size_t chunks = (block->columns + CHUNK - 1) / CHUNK + !block->columns;
    const size_t chunk = round_up((block->columns + chunks - 1) / chunks, QUARTER);
    const bool packs = linear_packs_tiles(block->columns, many->classes);
    real *weights = many->scratch + round_up(block->rows, LANES) * least(block->columns, chunk);
    size_t first = 0;
    do { /* at least once: without columns the activations are 0 */
        size_t count = least(block->columns - first, chunk), width;
        pack_chunk(block, first, count, many->scratch);
        for (size_t c = 0; c < many->classes; c += width) {
            width = tile_width(many->classes - c);
            const real *b = w + first * many->classes + c;
            if (packs)
                pack_weights(b, many->classes, count, width, weights);
            struct tile tile = {
                .a = many->scratch,
                .b = packs ? weights : b,
                .depth = count,
                .a_step = LANES,
                .a_next = count * LANES,
                .fetch = {.piece = (const char *)weights, .lines_step = many->stride * sizeof *out},
                .b_step = packs ? round_up(width, LANES) : many->classes,
                .last = part_of(LANES),
                .out = out + c * many->stride,
                .out_step = many->stride,
                .add = first > 0,
            };
            times_chunk(many, tile, width);
        }
        first += count;
    } while (first < block->columns);
}

/* The packed rows stay in the second-level cache. */
static void times_packed(const many_type *many, const real *w, real *out)
{
    many_type some = *many;
    for (size_t i = 0; i < many->block.rows; i += LINEAR_PACKED_ROWS) {
        some.block.x = many->block.x + i * many->block.columns;
        some.block.rows = least(many->block.rows - i, LINEAR_PACKED_ROWS);
        times_some(&some, w, out + i);
    }
}

/* The method does not depend on the number of rows, so that a row has the same activations in any block;
 * nor do the activations of a class depend on the other classes. */
static void linear_many_times(const many_type *many, const real *w, real *out)
{
    size_t columns = many->block.columns, of = many->of ? many->of : many->classes;
#ifdef LINEAR_FEW
    if (linear_of_few(columns, of)) {
        few_times(many, of, w, out);
        clear_padding(many, out);
        return;
    }
#endif
    if (linear_as_dot(columns, of)) {
        rows_type weights = {w, columns, many->classes};
        pack_chunk(&weights, 0, many->classes, many->scratch);
        dot_block(many, many->scratch, out);
    } else {
        times_packed(many, w, out);
    }
    clear_padding(many, out);
}

/* ---- The gradient ---------------------------------------------------------------------------------- */

enum { STRIP = TILE_VECTORS * LANES }; /* columns of a tile */

/* to[q * classes + k] += v[q][k], of each vector the first lanes. */
HOT void add_lanes(const vec *v, size_t vectors, size_t lanes, double *to, size_t classes)
{
#if defined(__AVX512F__) && defined(SIMD_F32)
    const __mmask8 low = (__mmask8)part_of(least(lanes, 8)), high = (__mmask8)(part_of(lanes) >> 8);
    __m512d sum[QUARTER], more[QUARTER]; /* all are loaded before any is stored: they overlap */
    for (size_t q = 0; q < vectors; q++) {
        const __m256 above = _mm512_extractf32x8_ps((__m512)v[q], 1);
        sum[q] = _mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v[q]));
        sum[q] = _mm512_add_pd(sum[q], _mm512_maskz_loadu_pd(low, to + q * classes));
        more[q] = _mm512_add_pd(_mm512_cvtps_pd(above), _mm512_maskz_loadu_pd(high, to + q * classes + 8));
    }
    for (size_t q = 0; q < vectors; q++) {
        _mm512_mask_storeu_pd(to + q * classes, low, sum[q]);
        _mm512_mask_storeu_pd(to + q * classes + 8, high, more[q]);
    }
#else
    for (size_t q = 0; q < vectors; q++)
        for (size_t k = 0; k < lanes; k++)
            to[q * classes + k] += (double)v[q][k];
#endif
}

/* gradient[j * classes + c] += the sums of a tile, transposed. */
static void add_transposed(const real *sums, size_t columns, size_t width, double *gradient, size_t classes)
{
    vec transposed[QUARTER];
    for (size_t c = 0; c < width; c += LANES) {
        const size_t lanes = least(width - c, LANES);
        double *to = gradient + c;
        const real *row[LANES];
        size_t j = 0;
        for (size_t k = 0; k < LANES; k++)
            row[k] = sums + least(c + k, width - 1) * STRIP;
        for (; j + QUARTER <= columns; j += QUARTER) {
            load_transposed(row, j, transposed);
            add_lanes(transposed, QUARTER, lanes, to + j * classes, classes);
        }
        if (j < columns) {
            load_transposed(row, j, transposed);
            add_lanes(transposed, columns - j, lanes, to + j * classes, classes);
        }
    }
}

/* Packs some columns of all rows, strip (STRIP columns) after strip, so that a strip is contiguous. */
static void pack_strips(const rows_type *block, size_t first, size_t columns, real *to)
{
    const size_t whole_part = columns / LANES * LANES;
    const part lanes = part_of(columns - whole_part);
    for (size_t i = 0; i < block->rows; i++, to += STRIP) {
        const real *from = block->x + i * block->columns + first;
        for (size_t j = 0; j < columns; j += LANES) {
            real *at = to + j / STRIP * STRIP * block->rows + j % STRIP;
            vec_store(at, j < whole_part ? vec_load(from + j) : vec_load_part(from + j, lanes));
        }
    }
}

/* Products of packed strips with all classes. While a tile is summed, its part of the gradient and a part
 * of the next residuals are prefetched. */
static void back_strips(const many_type *many, const real *r, size_t columns, double *gradient)
{
    const size_t rows = many->block.rows, classes = many->classes;
    const size_t runs = rows * ((columns + STRIP - 1) / STRIP) + !rows;
    const real *strips = many->scratch;
    real sums[TILE_WIDTH * STRIP];
    for (size_t c = 0, width; c < classes; c += width) {
        width = tile_width(classes - c);
        const char *next = (const char *)(r + least(c + width, classes - 1) * many->stride);
        const size_t step = c + width < classes ? width * many->stride * sizeof *r / runs + 1 : 0;
        for (size_t j = 0; j < columns; j += STRIP) {
            size_t count = least(columns - j, STRIP), vectors = (count + LANES - 1) / LANES;
            double *to = gradient + j * classes + c;
            struct tile tile = {
                .a = strips + j * rows,
                .b = r + c * many->stride,
                .depth = rows,
                .a_step = STRIP,
                .a_next = LANES,
                .fetch = {.lines = (const char *)to,
                          .piece = next + j / STRIP * rows * step,
                          .lines_step = classes * sizeof *to,
                          .piece_step = step},
                .b_step = many->stride,
                .last = part_of(LANES),
                .out = sums,
                .out_step = STRIP,
            };
            tile_run_transposed_packed(&tile, width, vectors);
            add_transposed(sums, count, width, to, classes);
        }
    }
}

/* gradient += X' r for weights that exceed the cache: columns are packed in groups that fit beside the residuals. */
static void back_packed(const many_type *many, const real *r, double *gradient)
{
    const rows_type *block = &many->block;
    for (size_t j = 0; j < block->columns; j += LINEAR_PACKED_COLUMNS) {
        size_t count = least(block->columns - j, LINEAR_PACKED_COLUMNS);
        pack_strips(block, j, count, many->scratch);
        back_strips(many, r, count, gradient + j * many->classes);
    }
}

/* gradient += X' r from the rows in place: a tile of STRIP columns times `width` classes is summed over all rows
 * of the block in registers, then added to the doubles. */
static void back_in_place(const many_type *many, const real *r, double *gradient)
{
    const rows_type *block = &many->block;
    real sums[TILE_WIDTH * STRIP];
    for (size_t j = 0; j < block->columns; j += STRIP) {
        size_t count = least(block->columns - j, STRIP), vectors = (count + LANES - 1) / LANES, width;
        for (size_t c = 0; c < many->classes; c += width) {
            width = tile_width(many->classes - c);
            struct tile tile = {
                .a = block->x + j,
                .b = r + c * many->stride,
                .depth = block->rows,
                .a_step = block->columns,
                .a_next = LANES,
                .ahead = c == 0 ? block->rows * block->columns : 0, /* prefetches the next block */
                .b_step = many->stride,
                .last = part_of(count - (vectors - 1) * LANES),
                .out = sums,
                .out_step = STRIP,
            };
            tile_run_transposed(&tile, width, vectors);
            add_transposed(sums, count, width, gradient + j * many->classes + c, many->classes);
        }
    }
}

/* Either method adds the rows in order: the same bits. */
static void linear_many_back(const many_type *many, const real *r, double *gradient)
{
    if (linear_packs_tiles(many->block.columns, many->classes))
        back_packed(many, r, gradient);
    else
        back_in_place(many, r, gradient);
}

/* ---- The Gram matrix ------------------------------------------------------------------------------- */

/* Adds a tile to rows j .. j + width of the lower triangle, from column k on. */
BINARY_PASS static void add_lower(const real *sums, size_t j, size_t k, size_t width, double *gram, size_t columns)
{
    for (size_t c = k > j ? k - j : 0; c < width; c++) {
        const real *from = sums + c * STRIP;
        double *to = gram + (j + c) * columns + k;
        const size_t count = least(STRIP, j + c - k + 1);
        for (size_t v = 0; v < count; v++)
            to[v] += (double)from[v];
    }
}

/* to = diag(weight) X for the columns of these lines, which makes the weighted Gram matrix a product of two
 * matrices. */
BINARY_PASS static void scale_rows(rows_type block, const real *weight, struct gram_lines lines, real *to)
{
    for (size_t i = 0; i < block.rows; i++)
        for (size_t j = lines.from; j < lines.to; j++)
            to[i * block.columns + j] = weight[i] * block.x[i * block.columns + j];
}

/* gram += X' diag(weight) X, lower triangle: tiles of `width` rows and STRIP columns, up to and including the
 * diagonal. Tiles on the diagonal compute a few entries above it, which add_lower drops. */
BINARY_PASS static void linear_gram(rows_type block, const real *weight, struct gram_lines lines, real *scratch,
                                    double *gram)
{
    real sums[TILE_WIDTH * STRIP];
    size_t columns = block.columns, width;
    scale_rows(block, weight, lines, scratch);
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
