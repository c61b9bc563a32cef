/* heat: cells, their numbers, and the names of rows and columns. */
#include "report/heat.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/palette.h"

static const double paper = 14, title_size = 15, font_size = 12, title_room = 34, axis_room = 22;
static const double cell_height = 21, cell_least = 52, gap = 8;

/* Written on cells, which are the same on light and on dark pages; so these must be too. */
static const struct colour on_light = {0x1c, 0x1c, 0x1c}, on_dark = {0xfd, 0xfd, 0xfd};

struct map {
    const temper_heatmap_figure *figure;
    double low, high; /* what the palest and the darkest shade stand for */
    double cell;      /* width */
    double names;     /* room of the names of the rows */
    struct point origin;
};

static int by_value(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

/* From the largest to as far below the middle again: a few bad cells shall not make all others look
 * alike. */
static void set_shades(struct map *map, struct text *out)
{
    const temper_heatmap_figure *figure = map->figure;
    size_t cells = figure->row_count * figure->column_count, count = 0;
    double *sorted = mem_alloc(cells, sizeof *sorted);
    if (!sorted) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < cells; i++)
        if (!isnan(figure->values[i]))
            sorted[count++] = figure->values[i];
    qsort(sorted, count, sizeof *sorted, by_value);
    map->high = sorted[count - 1];
    map->low = fmax(sorted[0], map->high - 2 * (map->high - sorted[count / 2]));
    mem_free(sorted);
}

static struct map lay_out(const temper_heatmap_figure *figure, struct text *out)
{
    struct map map = {.figure = figure, .cell = cell_least};
    set_shades(&map, out);
    for (size_t i = 0; i < figure->row_count; i++)
        map.names = fmax(map.names, svg_text_width(figure->rows[i], font_size));
    for (size_t i = 0; i < figure->column_count; i++)
        map.cell = fmax(map.cell, svg_text_width(figure->columns[i], font_size) + gap);
    map.origin = (struct point){paper + axis_room + map.names + gap, paper + title_room};
    return map;
}

static double depth_of(const struct map *map, double value)
{
    if (!(map->high > map->low))
        return 0.5;
    return fmax(0, (value - map->low) / (map->high - map->low));
}

static void append_value(struct text *out, const struct map *map, double value)
{
    if (map->figure->shares) { /* as many digits in all cells: they are compared */
        long long hundredths = llround(1e4 * value);
        text_format(out, "%lld.%02lld", hundredths / 100, hundredths % 100);
    } else {
        text_append_number(out, value, 4);
    }
}

static void draw_cell(struct text *out, const struct map *map, size_t row, size_t column)
{
    const temper_heatmap_figure *figure = map->figure;
    size_t number = row * figure->column_count + column;
    double value = figure->values[number];
    struct box box = {map->origin.x + map->cell * (double)column, map->origin.y + cell_height * (double)row,
                      map->cell - 1, cell_height - 1};
    if (isnan(value)) {
        svg_fill(out, box, palette_grid);
        return;
    }
    double depth = depth_of(map, value);
    struct font font = {.colour = depth > 0.6 ? on_dark : on_light,
                        .size = font_size,
                        .anchor = "middle",
                        .bold = number == figure->marked};
    struct text words = {0};
    svg_fill(out, box, palette_pale(palette_group(0), 0.94 - 0.9 * depth * depth));
    append_value(&words, map, value);
    svg_text(out, (struct point){box.left + box.width / 2, box.top + 0.5 * cell_height + 4}, words_of(&words), &font);
    out->failed |= words.failed;
    text_free(&words);
    if (number == figure->marked) {
        const struct stroke ring = {.colour = palette_group(1), .width = 2.5};
        svg_box(out, box, &ring);
    }
}

static void draw_names(struct text *out, const struct map *map)
{
    const temper_heatmap_figure *figure = map->figure;
    const struct font row = {.colour = palette_grey, .size = font_size, .anchor = "end"};
    const struct font column = {.colour = palette_grey, .size = font_size, .anchor = "middle"};
    double bottom = map->origin.y + cell_height * (double)figure->row_count;
    for (size_t i = 0; i < figure->row_count; i++)
        svg_text(out, (struct point){map->origin.x - gap, map->origin.y + cell_height * ((double)i + 0.5) + 4},
                 figure->rows[i], &row);
    for (size_t i = 0; i < figure->column_count; i++)
        svg_text(out, (struct point){map->origin.x + map->cell * ((double)i + 0.5), bottom + font_size + 3},
                 figure->columns[i], &column);
}

static void draw_titles(struct text *out, const struct map *map)
{
    const temper_heatmap_figure *figure = map->figure;
    const struct font title = {.colour = palette_ink, .size = title_size};
    struct font axis = {.colour = palette_ink, .size = 13, .anchor = "middle"};
    double height = cell_height * (double)figure->row_count;
    svg_text(out, (struct point){paper, paper + title_size}, figure->title, &title);
    svg_text(out,
             (struct point){map->origin.x + map->cell * (double)figure->column_count / 2,
                            map->origin.y + height + font_size + axis_room},
             figure->x_title, &axis);
    axis.upwards = true;
    svg_text(out, (struct point){paper + 11, map->origin.y + height / 2}, figure->y_title, &axis);
}

/* For those who cannot see it: the largest. */
static void describe(struct text *out, const struct map *map)
{
    const temper_heatmap_figure *figure = map->figure;
    size_t columns = figure->column_count;
    text_format(out, "A heat map of %zu rows and %zu columns; the largest value is ", figure->row_count, columns);
    append_value(out, map, map->high);
    if (figure->marked < figure->row_count * columns)
        text_format(out, "; marked: %s, %s", figure->rows[figure->marked / columns],
                    figure->columns[figure->marked % columns]);
}

void heat_draw(struct text *out, const temper_heatmap_figure *figure)
{
    assert(figure->row_count > 0 && figure->column_count > 0);
    struct map map = lay_out(figure, out);
    struct text words = {0};
    double right = map.origin.x + map.cell * (double)figure->column_count;
    double bottom = map.origin.y + cell_height * (double)figure->row_count + font_size + axis_room;
    double width = fmax(right, paper + svg_text_width(figure->title, title_size));
    describe(&words, &map);
    svg_begin(out, ceil(width + paper), ceil(bottom + paper), figure->title, words_of(&words));
    for (size_t i = 0; i < figure->row_count; i++)
        for (size_t j = 0; j < figure->column_count; j++)
            draw_cell(out, &map, i, j);
    draw_names(out, &map);
    draw_titles(out, &map);
    svg_end(out);
    out->failed |= words.failed;
    text_free(&words);
}
