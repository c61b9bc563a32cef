/* confusion: which classes are taken for which, as a heat map. */
#include "report/confusion.h"

#include <assert.h>
#include <math.h>

#include "report/palette.h"

enum { WITH_NUMBERS = 12 }; /* classes; more leave no room in the cells */

static const double paper = 14, title_size = 15, font_size = 12, title_room = 34;
static const double axis_room = 24; /* the words "given" and "predicted" */

/* Written on cells, which are the same on light and on dark pages; so these must be too. */
static const struct colour on_light = {0x1c, 0x1c, 0x1c}, on_dark = {0xfd, 0xfd, 0xfd};

struct grid {
    const struct confusion *confusion;
    double cell;
    struct point origin; /* of the first cell */
    double names;        /* room of the names of the rows */
};

static const char *title_of(const struct confusion *confusion)
{
    return confusion->title ? confusion->title : "Given and predicted classes";
}

static double row_sum(const struct confusion *confusion, size_t given)
{
    double sum = 0;
    for (size_t i = 0; i < confusion->classes; i++)
        sum += confusion->sums[given * confusion->classes + i];
    return sum;
}

static struct grid lay_out(const struct confusion *confusion)
{
    struct grid grid = {.confusion = confusion};
    double classes = (double)confusion->classes;
    grid.cell = confusion->classes <= WITH_NUMBERS ? fmin(62, fmax(44, 280 / classes)) : fmax(13, 400 / classes);
    for (size_t i = 0; i < confusion->classes; i++)
        grid.names = fmax(grid.names, svg_text_width(confusion->names[i], font_size));
    grid.origin = (struct point){paper + axis_room + grid.names + 8, paper + title_room};
    return grid;
}

/* Right ones blue, wrong ones red: the darker, the larger their share. */
static struct colour shade(double share, bool right)
{
    if (share == 0)
        return palette_grid;
    return palette_pale(palette_group(right ? 0 : 1), 0.94 - 0.9 * sqrt(share));
}

static void draw_cell(struct text *out, const struct grid *grid, size_t given, size_t predicted)
{
    const struct confusion *confusion = grid->confusion;
    double sum = confusion->sums[given * confusion->classes + predicted];
    double all = row_sum(confusion, given), share = all > 0 ? sum / all : 0;
    struct box box = {grid->origin.x + grid->cell * (double)predicted, grid->origin.y + grid->cell * (double)given,
                      grid->cell - 1, grid->cell - 1};
    svg_fill(out, box, shade(share, given == predicted));
    if (confusion->classes > WITH_NUMBERS || sum == 0)
        return;
    struct font font = {.colour = share > 0.35 ? on_dark : on_light, .size = font_size, .anchor = "middle"};
    struct text words = {0};
    text_append_number(&words, sum, sum < 100 ? 1 : 0);
    struct point at = {box.left + box.width / 2, box.top + box.height / 2 + 0.35 * font_size};
    if (svg_text_width(words_of(&words), font_size) < grid->cell)
        svg_text(out, at, words_of(&words), &font);
    out->failed |= words.failed;
    text_free(&words);
}

/* Names of the columns stand upright where they would not fit side by side. */
static bool names_are_turned(const struct grid *grid)
{
    return grid->names + 4 > grid->cell;
}

static void draw_names(struct text *out, const struct grid *grid)
{
    const struct confusion *confusion = grid->confusion;
    bool turned = names_are_turned(grid);
    const struct font row = {.colour = palette_grey, .size = font_size, .anchor = "end"};
    const struct font column = {
        .colour = palette_grey, .size = font_size, .anchor = turned ? "end" : "middle", .upwards = turned};
    double side = grid->cell * (double)confusion->classes;
    for (size_t i = 0; i < confusion->classes; i++) {
        double middle = grid->cell * ((double)i + 0.5);
        svg_text(out, (struct point){grid->origin.x - 8, grid->origin.y + middle + 0.35 * font_size},
                 confusion->names[i], &row);
        struct point below = {grid->origin.x + middle, grid->origin.y + side + 8};
        if (turned)
            below.x += 0.35 * font_size;
        else
            below.y += 0.8 * font_size;
        svg_text(out, below, confusion->names[i], &column);
    }
}

static double names_below(const struct grid *grid)
{
    return 8 + (names_are_turned(grid) ? grid->names : font_size);
}

static void draw_titles(struct text *out, const struct grid *grid)
{
    const struct font title = {.colour = palette_ink, .size = title_size};
    struct font axis = {.colour = palette_ink, .size = 13, .anchor = "middle"};
    const struct confusion *confusion = grid->confusion;
    double side = grid->cell * (double)confusion->classes;
    svg_text(out, (struct point){paper, paper + title_size}, title_of(confusion), &title);
    svg_text(out, (struct point){grid->origin.x + side / 2, grid->origin.y + side + names_below(grid) + axis_room - 4},
             confusion->column_word ? confusion->column_word : "predicted", &axis);
    axis.upwards = true;
    svg_text(out, (struct point){paper + 12, grid->origin.y + side / 2},
             confusion->row_word ? confusion->row_word : "given", &axis);
}

void confusion_draw(struct text *out, const struct confusion *confusion)
{
    assert(confusion->classes <= CONFUSION_CLASSES);
    struct grid grid = lay_out(confusion);
    double side = grid.cell * (double)confusion->classes;
    double width = fmax(grid.origin.x + side, paper + svg_text_width(title_of(confusion), title_size));
    double height = grid.origin.y + side + names_below(&grid) + axis_room;
    svg_begin(out, ceil(width + paper), ceil(height + paper), title_of(confusion), "A heat map of the confusion table");
    for (size_t i = 0; i < confusion->classes; i++)
        for (size_t j = 0; j < confusion->classes; j++)
            draw_cell(out, &grid, i, j);
    draw_names(out, &grid);
    draw_titles(out, &grid);
    svg_end(out);
}
