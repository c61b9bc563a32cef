/* legend: names the layers of a chart, in a corner that no line enters or else beneath the axes.
 *
 * Each corner of the frame is tried in the order that the chart prefers: the box of the legend, enlarged by a
 * clearance, must not meet a segment or a mark of any layer. If no corner is free, or the legend is too large, it is
 * set beneath the axes in as few columns as its number of rows allows. */
#include <math.h>

#include "report/chart.h"
#include "report/palette.h"

static const double font_size = 12.5;
static const double row_height = 18;
static const double key_width = 20;  /* the sample of the line before the name */
static const double key_gap = 7;     /* between the sample and the name */
static const double column_gap = 12; /* between columns */
static const double frame_gap = 9;   /* between the legend and the frame */
static const double beneath_gap = 8; /* between the axes and a legend beneath them */
static const double clearance = 8;   /* between the legend and the nearest curve */

enum { MOST_ROWS_INSIDE = 7 }; /* more would hide the picture */

/* The layers that have an entry. */
struct legend_entries {
    const struct chart_layer *list[CHART_LAYERS];
    size_t count;
    double width; /* of the widest, with its sample */
};

/* Layers without a name, and those that are empty, have no entry. */
static bool is_listed(const struct chart *chart, const struct chart_layer *layer)
{
    if (!layer->name.length)
        return false;
    return layer->kind == LAYER_LINE ? !chart->unlisted : layer->count > 0;
}

/* Collects the entries in the order in which the layers were added, and the width of the widest one. */
static struct legend_entries entries_of(const struct chart *chart)
{
    struct legend_entries entries = {.count = 0};
    for (size_t i = 0; i < chart->layer_count; i++) {
        const struct chart_layer *layer = &chart->layers[i];
        if (!is_listed(chart, layer))
            continue;
        double width = key_width + key_gap + svg_text_width(words_of(&layer->name), font_size);
        entries.width = fmax(entries.width, width);
        entries.list[entries.count++] = layer;
    }
    return entries;
}

/* Rows of a legend with that many columns, rounded up: the last column may be shorter. */
static size_t rows_in(const struct legend_entries *entries, size_t columns)
{
    return (entries->count + columns - 1) / columns;
}

/* ---- Placement ------------------------------------------------------------------------------- */

/* Whether a segment, in data units, has a part in the box, in pixels. */
static bool segment_meets(const struct frame *frame, struct point from, struct point to, struct box box)
{
    struct point start = frame_point(frame, from.x, from.y), end = frame_point(frame, to.x, to.y);
    return segment_clip(box, &start, &end);
}

/* Whether a layer has anything in the box. Marks are on lines. */
static bool layer_meets(const struct frame *frame, const struct chart_layer *layer, struct box box)
{
    bool meets = layer->kind == LAYER_LINE && path_meets(&layer->path, box);
    for (size_t i = 0; i < layer->count; i++) {
        const struct chart_item *item = &layer->items[i];
        if (layer->kind == LAYER_GUIDES)
            meets |= segment_meets(frame, item->from, item->to, box);
        else if (layer->kind == LAYER_LEVELS)
            meets |= segment_meets(frame, (struct point){frame->x.from, item->from.y},
                                   (struct point){frame->x.to, item->from.y}, box);
    }
    return meets;
}

/* The box of the legend in a corner of the frame. R and L: upper right and left; r and l: lower. */
static struct box corner_box(struct box frame, struct box size, char corner)
{
    bool right = corner == 'R' || corner == 'r', upper = corner == 'R' || corner == 'L';
    size.left = right ? frame.width - size.width - frame_gap : frame_gap;
    size.top = upper ? frame_gap : frame.height - size.height - frame_gap;
    return size;
}

/* The box enlarged on all sides by `by` pixels, so that curves keep a distance from the legend. */
static struct box grown(struct box box, double by)
{
    return (struct box){box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by};
}

/* Tries the corners in the order that the chart prefers. Returns false if the legend is too large or no corner is
 * free. */
static bool place_inside(const struct chart *chart, const struct legend_entries *entries, struct chart_legend *legend)
{
    struct box frame = frame_box(&chart->frame);
    struct box size = {.width = entries->width, .height = row_height * (double)entries->count};
    if (!chart->corners || entries->count > MOST_ROWS_INSIDE || size.width + 2 * frame_gap > frame.width)
        return false;
    for (const char *corner = chart->corners; *corner; corner++) {
        bool taken = false;
        legend->box = corner_box(frame, size, *corner);
        for (size_t i = 0; i < chart->layer_count; i++)
            taken |= layer_meets(&chart->frame, &chart->layers[i], grown(legend->box, clearance));
        if (!taken)
            return true;
    }
    return false;
}

/* In as many columns as there is width for. They begin at the frame, or further left if that saves a row. All entries
 * have the width of the widest, so that the columns are aligned. */
static void place_beneath(const struct chart *chart, const struct legend_entries *entries, struct chart_legend *legend)
{
    struct box frame = frame_box(&chart->frame);
    double right = frame.width + chart->margins.right;
    double step = entries->width + column_gap;
    double columns = fmax(1, floor((chart->margins.left + right + column_gap) / step));
    /* As few columns as that number of rows needs: 5 entries look better as 3 + 2 than as 4 + 1. */
    size_t rows = rows_in(entries, (size_t)columns);
    legend->beneath = true;
    legend->columns = rows_in(entries, rows);
    double width = step * (double)legend->columns - column_gap;
    legend->box = (struct box){
        .left = fmax(fmin(0, right - width), -chart->margins.left),
        .top = frame.height + chart->margins.bottom + beneath_gap,
        .width = width,
        .height = row_height * (double)rows,
    };
}

/* For charts in a row, of which another has its legend beneath. */
void legend_move_beneath(struct chart *chart)
{
    struct legend_entries entries = entries_of(chart);
    if (entries.count > 0)
        place_beneath(chart, &entries, &chart->legend);
}

/* Inside if possible, since that saves height. */
void legend_place(struct chart *chart)
{
    struct legend_entries entries = entries_of(chart);
    chart->legend = (struct chart_legend){.columns = 1};
    if (entries.count > 0 && !place_inside(chart, &entries, &chart->legend))
        place_beneath(chart, &entries, &chart->legend);
}

/* 0 for a legend inside the frame. */
double legend_height(const struct chart *chart)
{
    return chart->legend.beneath ? beneath_gap + chart->legend.box.height : 0;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* A sample of the layer; `at` is the left end of its centre line. */
static void draw_key(struct text *out, const struct chart_layer *layer, struct point at)
{
    const struct colour colour = layer->stroke.colour;
    const struct stroke thin = {.colour = colour, .width = 1.5};
    const struct point centre = {at.x + key_width / 2, at.y};
    double side = layer->kind == LAYER_BOXES ? 11 : 6.4;
    switch (layer->kind) {
    case LAYER_BOXES:
    case LAYER_SQUARES:
        svg_rect(out, (struct box){centre.x - side / 2, centre.y - side / 2, side, side}, &colour, NULL);
        break;
    case LAYER_DOTS:
        svg_circle(out, centre, 3.4, &colour, NULL);
        break;
    case LAYER_CIRCLES:
    case LAYER_MARKS:
        svg_circle(out, centre, layer->kind == LAYER_MARKS ? 3.2 : 4.6, NULL, &thin);
        break;
    default:
        svg_line(out, at, (struct point){at.x + key_width, at.y}, &layer->stroke);
    }
}

/* Column by column, so that the order is kept when it is read downwards. */
void legend_draw(struct text *out, const struct chart *chart)
{
    const struct font font = {.colour = palette_ink, .size = font_size};
    const struct chart_legend *legend = &chart->legend;
    struct legend_entries entries = entries_of(chart);
    if (entries.count == 0)
        return;
    size_t rows = rows_in(&entries, legend->columns);
    if (!legend->beneath) /* covers the grid */
        svg_rect(out, grown(legend->box, clearance), &palette_paper, NULL);
    for (size_t i = 0; i < entries.count; i++) {
        size_t column = i / rows, row = i % rows;
        struct point key = {legend->box.left + (entries.width + column_gap) * (double)column,
                            legend->box.top + row_height * ((double)row + 0.5)};
        draw_key(out, entries.list[i], key);
        /* The base line of letters is a third of their size below their middle. */
        struct point label = {key.x + key_width + key_gap, key.y + 0.35 * font_size};
        svg_text(out, label, words_of(&entries.list[i]->name), &font);
    }
}
