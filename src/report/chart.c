/* chart: draws axes and layers, and arranges charts in a figure.
 *
 * The description of a chart says what is shown, in data units; everything about the look is here: fonts, gaps, the
 * order of drawing, grid lines and labels. Drawing has two passes. chart_arrange measures the labels, which gives the
 * margins, and places the legend; then the size of the document is known, and the charts are drawn at their places.
 * Text widths are estimates for the widest usual font (svg_text_width), so labels never overlap but margins may be a
 * little larger than needed. */
#include "report/chart.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/palette.h"

/* Sizes and distances in pixels. */
static const double title_size = 15, axis_title_size = 13, label_size = 12;
static const double tick_gap = 6;    /* from the frame to the labels of the ticks */
static const double title_rise = 14; /* from the frame up to the base line of the title */
static const double pixels_per_x_tick = 40, pixels_per_y_tick = 38; /* at least, so that labels are not crowded */
static const double level_gap = 8;                                  /* from the frame to the labels of levels */
static const double level_line = 15;                                /* from one such label to the next */
static const double paper_margin = 14, chart_gap = 26;              /* around the figure, and between its charts */

/* ---- The description ------------------------------------------------------------------------- */

/* The titles are kept: they may be set before. Both axes are linear until their scale is changed. */
void chart_axes(struct chart *chart, double width, double height, struct domain x, struct domain y)
{
    struct axis *axes[] = {&chart->frame.x, &chart->frame.y};
    *axes[0] = (struct axis){.from = x.from, .to = x.to, .pixel_to = width, .title = axes[0]->title};
    *axes[1] = (struct axis){.from = y.from, .to = y.to, .pixel_from = height, .title = axes[1]->title};
}

/* Called after chart_axes, which has set the pixels. */
void axis_categories(struct axis *axis, const char *const *names, size_t count)
{
    axis->scale = AXIS_CATEGORY;
    axis->names = names;
    axis->from = 0;
    axis->to = (double)count;
    axis->pixel_to += axis->pixel_from; /* from the top or the left; one of the two was 0 */
    axis->pixel_from = 0;
}

/* The name is copied. */
struct chart_layer *chart_add(struct chart *chart, enum layer_kind kind, struct stroke stroke, const char *name)
{
    assert(chart->layer_count < CHART_LAYERS);
    struct chart_layer *layer = &chart->layers[chart->layer_count++];
    *layer = (struct chart_layer){.kind = kind, .stroke = stroke};
    if (name)
        text_append(&layer->name, name);
    return layer;
}

/* In data units, ends included. */
static bool frame_holds(const struct frame *frame, struct point point)
{
    return point.x >= frame->x.from && point.x <= frame->x.to && point.y >= frame->y.from && point.y <= frame->y.to;
}

/* The capacity doubles. Items are copied, and may be moved by the next call. */
struct chart_item *chart_item(struct chart *chart, struct chart_layer *layer, struct chart_item item)
{
    /* Guides and marks outside the frame are dropped: they annotate curves, which define the frame. */
    bool clipped = layer->kind == LAYER_GUIDES || layer->kind == LAYER_MARKS; /* other kinds set the range */
    if (clipped &&
        !(frame_holds(&chart->frame, item.from) && (layer->kind == LAYER_MARKS || frame_holds(&chart->frame, item.to))))
        return NULL;
    if (layer->count == layer->capacity) {
        size_t capacity = layer->capacity ? 2 * layer->capacity : 16;
        struct chart_item *items = mem_resize(layer->items, capacity, sizeof *items);
        if (!items) {
            chart->failed = true;
            return NULL;
        }
        layer->items = items;
        layer->capacity = capacity;
    }
    layer->items[layer->count] = item;
    return &layer->items[layer->count++];
}

/* Labels that are too long are truncated; callers shorten names before. */
void chart_label(struct chart *chart, struct chart_item *item, struct text *words)
{
    if (item)
        snprintf(item->label, sizeof item->label, "%s", words_of(words));
    chart->failed |= words->failed;
    text_free(words);
}

/* Frees the layers; the struct itself belongs to the caller. */
void chart_free(struct chart *chart)
{
    for (size_t i = 0; i < chart->layer_count; i++) {
        path_free(&chart->layers[i].path);
        text_free(&chart->layers[i].name);
        mem_free(chart->layers[i].items);
    }
    text_free(&chart->description);
    chart->layer_count = 0;
}

/* Whether any allocation of the chart failed, so that it is checked once. */
static bool chart_failed(const struct chart *chart)
{
    bool failed = chart->failed || chart->description.failed;
    for (size_t i = 0; i < chart->layer_count; i++)
        failed |= chart->layers[i].path.failed || chart->layers[i].name.failed;
    return failed;
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* A chart without a second y axis has an empty range there. */
static bool has_right(const struct chart *chart)
{
    return chart->right.from < chart->right.to;
}

/* Categories have names, and neither grid lines nor a border. */
static bool is_category(const struct axis *axis)
{
    return axis->scale == AXIS_CATEGORY;
}

/* At least four intervals, so that low charts have more than one tick. */
static struct ticks y_ticks(const struct axis *axis)
{
    double height = fabs(axis->pixel_to - axis->pixel_from);
    return axis_ticks(axis, (size_t)fmax(4, height / pixels_per_y_tick));
}

/* A digit is 0.64 em wide at most. */
static double number_width(const struct ticks *ticks)
{
    return 0.64 * label_size * (double)tick_label_length(ticks);
}

/* As dense as is readable: labels must not touch. */
static struct ticks x_ticks(const struct axis *axis)
{
    double width = fabs(axis->pixel_to - axis->pixel_from);
    size_t most = (size_t)fmax(2, width / pixels_per_x_tick); /* intervals */
    struct ticks ticks = axis_ticks(axis, most);
    /* Fewer ticks have longer steps but perhaps shorter labels, so the width is checked again each time. */
    while (!is_category(axis) && most > 1 && number_width(&ticks) + tick_gap > width / (double)most)
        ticks = axis_ticks(axis, --most);
    return ticks;
}

/* The width of the widest label; 0 if the axis is hidden. */
static double widest_label(struct chart *chart, const struct ticks *ticks)
{
    struct text label = {0};
    double width = 0;
    for (size_t i = 0; i < ticks->count && !ticks->axis->hidden; i++) {
        label.length = 0;
        tick_label(&label, ticks, i);
        width = fmax(width, svg_text_width(words_of(&label), label_size));
    }
    chart->failed |= label.failed;
    text_free(&label);
    return width;
}

/* The height of the labels of the x axis. Names that would not fit next to each other are rotated. */
static double arrange_x_labels(struct chart *chart)
{
    const struct axis *x = &chart->frame.x;
    struct ticks ticks = x_ticks(x);
    double widest = is_category(x) ? widest_label(chart, &ticks) : 0;
    /* The space of one category is the width of the axis divided by their number, x->to. */
    chart->names_rotated = is_category(x) && widest + 4 > fabs(x->pixel_to - x->pixel_from) / x->to;
    return chart->names_rotated ? widest : label_size;
}

/* Grid lines at the ticks of one axis, across the other. Category axes have none. */
static void draw_grid(struct text *out, const struct ticks *ticks, const struct axis *across, bool vertical)
{
    const struct axis *axis = ticks->axis;
    for (size_t i = 0; !axis->hidden && !is_category(axis) && i < ticks->count; i++) {
        double value = tick_value(ticks, i), at = axis_pixel(axis, value);
        bool zero = value == 0 && axis->scale == AXIS_LINEAR; /* a stronger line; 10^0 is nothing special */
        const struct stroke stroke = {.colour = zero ? palette_axis : palette_grid, .width = 1};
        struct point from = {vertical ? at : across->pixel_from, vertical ? across->pixel_from : at};
        struct point to = {vertical ? at : across->pixel_to, vertical ? across->pixel_to : at};
        svg_line(out, from, to, &stroke);
    }
}

/* The labels of an axis: along it at the ticks, at the given pixel across it. The label of a tick is composed in one
 * text that is used again for the next: an axis has up to hundreds of categories. */
static void draw_labels(struct text *out, const struct ticks *ticks, double across, const struct font *font,
                        bool vertical)
{
    /* The base line of letters is about a third of their size below their middle. */
    double shift = vertical || font->upwards ? 0.35 * label_size : 0;
    struct text label = {0};
    for (size_t i = 0; i < ticks->count && !ticks->axis->hidden; i++) {
        double along = axis_pixel(ticks->axis, tick_value(ticks, i)) + shift;
        label.length = 0;
        tick_label(&label, ticks, i);
        svg_text(out, vertical ? (struct point){across, along} : (struct point){along, across}, words_of(&label), font);
    }
    out->failed |= label.failed;
    text_free(&label);
}

/* The title of an axis, with the power of ten that its labels omit. */
static void draw_axis_title(struct text *out, const struct ticks *ticks, struct point at, bool upwards)
{
    const struct font font = {.colour = palette_ink, .size = axis_title_size, .anchor = "middle", .upwards = upwards};
    struct text full = {0};
    if (!ticks->axis->title || ticks->axis->hidden) /* nothing to write */
        return;
    text_append(&full, ticks->axis->title);
    if (ticks->common_factor) {
        text_append(&full, " (in ");
        append_power(&full, ticks->common_factor);
        text_append(&full, ")");
    }
    svg_text(out, at, words_of(&full), &font);
    out->failed |= full.failed;
    text_free(&full);
}

/* The title of the chart with its letter, and the titles of all axes. */
static void draw_titles(struct text *out, const struct chart *chart)
{
    struct font font = {.colour = palette_ink, .size = title_size, .bold = true};
    struct box box = frame_box(&chart->frame);
    /* Where names are to the left of the frame, the title begins above them. */
    struct point at = {is_category(&chart->frame.y) ? -chart->margins.left : 0, -title_rise};
    if (chart->letter) {
        svg_text(out, at, chart->letter, &font);
        at.x += svg_text_width(chart->letter, title_size) + 0.5 * title_size;
    }
    font.bold = false; /* only the letter is */
    svg_text(out, at, chart->title, &font);
    struct ticks x = x_ticks(&chart->frame.x), y = y_ticks(&chart->frame.y);
    at = (struct point){box.width / 2, box.height + chart->margins.bottom - 8};
    draw_axis_title(out, &x, at, false);
    at = (struct point){axis_title_size - chart->margins.left, box.height / 2};
    draw_axis_title(out, &y, at, true);
    if (!has_right(chart))
        return;
    struct ticks right = y_ticks(&chart->right);
    at.x = box.width + chart->margins.right - 0.3 * axis_title_size;
    draw_axis_title(out, &right, at, true);
}

/* Labels are drawn after the layers, so that no line crosses them. */
static void draw_axes(struct text *out, const struct chart *chart)
{
    struct box box = frame_box(&chart->frame);
    struct ticks x = x_ticks(&chart->frame.x), y = y_ticks(&chart->frame.y);
    bool rotated = chart->names_rotated;
    struct font font = {.colour = palette_grey, .size = label_size, .anchor = "end"};
    draw_labels(out, &y, -tick_gap, &font, true);
    font.anchor = rotated ? "end" : "middle";
    font.upwards = rotated;
    draw_labels(out, &x, box.height + tick_gap + (rotated ? 0 : 0.8 * label_size), &font, false);
    if (has_right(chart)) {
        struct ticks right = y_ticks(&chart->right);
        font = (struct font){.colour = palette_grey, .size = label_size};
        draw_labels(out, &right, box.width + tick_gap, &font, true);
    }
    draw_titles(out, chart);
}

/* ---- Labels at the right of the frame -------------------------------------------------------- */

/* A label of a level, or of the end of a line. */
struct side_label {
    const struct chart_item *item;
    double line; /* the level, in pixels */
    double at;   /* the label: moved so that labels do not overlap */
};

enum { SIDE_LABELS = 2 * CHART_CURVES };

/* How many levels before the item are at the same height, and how many there are in total. */
static size_t count_same(const struct chart_layer *layer, size_t index, size_t *total)
{
    size_t before = 0;
    *total = 0;
    for (size_t i = 0; i < layer->count; i++)
        if (layer->items[i].from.y == layer->items[index].from.y) {
            before += i < index;
            ++*total;
        }
    return before;
}

/* One for each height, from the top down. */
static size_t list_labels(const struct chart *chart, struct side_label *labels)
{
    size_t count = 0;
    for (size_t l = 0; l < chart->layer_count; l++) {
        const struct chart_layer *layer = &chart->layers[l];
        bool bare = layer->kind == LAYER_ENDS;
        for (size_t i = 0; (bare || layer->kind == LAYER_LEVELS) && i < layer->count && count < SIDE_LABELS; i++) {
            size_t total, place = count;
            if (count_same(layer, i, &total) > 0 && !bare)
                continue;
            double line = axis_pixel(&chart->frame.y, layer->items[i].from.y);
            /* Insertion sort by height: there are few labels, and equal heights keep their order. */
            for (; place > 0 && labels[place - 1].line > line; place--)
                labels[place] = labels[place - 1];
            labels[place] = (struct side_label){.item = &layer->items[i], .line = line};
            count++;
        }
    }
    return count;
}

/* Downwards where the one above is too near, then upwards where the bottom was passed. */
static void spread_labels(struct side_label *labels, size_t count, double bottom)
{
    double least = label_size / 2, most = bottom; /* the highest and the lowest place that is free */
    for (size_t i = 0; i < count; i++) {
        labels[i].at = fmax(labels[i].line, least);
        least = labels[i].at + level_line;
    }
    for (size_t i = count; i-- > 0;) {
        labels[i].at = fmin(labels[i].at, most);
        most = labels[i].at - level_line;
    }
}

/* Levels above the frame are only named. */
static bool is_above(const struct chart *chart, const struct chart_item *item)
{
    return item->from.y > chart->frame.y.to;
}

/* A short coloured line connects the label to its level, unless that is above the frame. The labels are at the right of
 * the frame: of levels, horizontal lines across it, and of the last points of lines. spread_labels moves labels apart
 * that would overlap, so that the connecting line may be slanted. */
static void draw_side_labels(struct text *out, const struct chart *chart)
{
    const struct font font = {.colour = palette_ink, .size = label_size};
    struct side_label labels[SIDE_LABELS];
    size_t count = list_labels(chart, labels);
    struct box box = frame_box(&chart->frame);
    spread_labels(labels, count, box.height - label_size / 2);
    for (size_t i = 0; i < count; i++) {
        const struct chart_item *item = labels[i].item;
        const struct stroke lead = {.colour = item->colour, .width = 1.3};
        struct point at = {box.width + level_gap, labels[i].at + 0.35 * label_size};
        if (!is_above(chart, item))
            svg_line(out, (struct point){box.width, labels[i].line}, (struct point){at.x - 2, labels[i].at}, &lead);
        svg_text(out, at, item->label, &font);
    }
}

/* The margin that the labels need at the right of the frame. */
static double side_labels_width(const struct chart *chart)
{
    struct side_label labels[SIDE_LABELS];
    double width = 0;
    for (size_t i = list_labels(chart, labels); i-- > 0;)
        width = fmax(width, level_gap + svg_text_width(labels[i].item->label, label_size));
    return width;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Inside the box in black or white, or beyond its end in ink. */
static void draw_box_label(struct text *out, const struct chart_layer *layer, const struct chart_item *item,
                           struct box box)
{
    /* Centred in the box, on the base line that centres digits vertically. */
    struct font font = {.colour = palette_text_on(item->colour), .size = label_size, .anchor = "middle"};
    struct point at = {box.left + box.width / 2, box.top + box.height / 2 + 0.35 * label_size};
    if (layer->labels_beyond) {
        bool negative = item->to.x < item->from.x;
        font.colour = palette_ink;
        font.anchor = negative ? "end" : "start";
        at.x = negative ? box.left - tick_gap : box.left + box.width + tick_gap;
    }
    if (item->label[0])
        svg_text(out, at, item->label, &font);
}

/* A vertical line with a short horizontal one at either end, as a single path. */
static void draw_error_bar(struct text *out, struct point top, struct point bottom, struct colour colour)
{
    const double cap = 3.5; /* half the width of its ends */
    const struct stroke stroke = {.colour = colour, .width = 1.2};
    const struct point points[] = {
        {top.x - cap, top.y},       {top.x + cap, top.y},      {NAN, NAN}, top, bottom, {NAN, NAN},
        {bottom.x - cap, bottom.y}, {bottom.x + cap, bottom.y}};
    svg_path(out, points, sizeof points / sizeof *points, &stroke);
}

/* Levels of the same height share a dashed line, by turns. */
static void draw_level(struct text *out, const struct chart *chart, const struct chart_layer *layer, size_t index)
{
    const double dash = 5, period = 9;
    const struct chart_item *item = &layer->items[index];
    const struct axis *x = &chart->frame.x;
    size_t total, before = count_same(layer, index, &total);
    struct stroke stroke = {.colour = item->colour, .width = 1.3, .dash = dash};
    stroke.gap = period * (double)total - dash; /* leaves space for the dashes of the others */
    /* Each level draws its dashes in the gaps of the others, so all colours are visible on one line. */
    stroke.shift = before ? period * (double)(total - before) : 0;
    if (!is_above(chart, item))
        svg_line(out, frame_point(&chart->frame, x->from, item->from.y),
                 frame_point(&chart->frame, x->to, item->from.y), &stroke);
}

/* One element of a layer, by the kind of the layer. */
static void draw_item(struct text *out, const struct chart *chart, const struct chart_layer *layer, size_t index)
{
    const struct chart_item *item = &layer->items[index];
    const struct stroke thin = {.colour = item->colour, .width = layer->kind == LAYER_OUTLINES ? 2.5 : 1.5};
    const struct stroke dotted = palette_guide(item->colour); /* of a guide */
    struct point at = frame_point(&chart->frame, item->from.x, item->from.y);
    struct point to = frame_point(&chart->frame, item->to.x, item->to.y);
    struct box box = {fmin(at.x, to.x), fmin(at.y, to.y), fabs(to.x - at.x), fabs(to.y - at.y)};
    double side = 1.8 * item->radius; /* of a square with about the area of the dot */
    switch (layer->kind) {
    case LAYER_BOXES:
        svg_rect(out, box, &item->colour, NULL);
        draw_box_label(out, layer, item, box);
        break;
    case LAYER_OUTLINES:
        svg_rect(out, box, NULL, &thin);
        break;
    case LAYER_ERROR_BARS:
        draw_error_bar(out, at, to, item->colour);
        break;
    case LAYER_DOTS:
        svg_circle(out, at, item->radius, &item->colour, NULL);
        break;
    case LAYER_SQUARES:
        svg_rect(out, (struct box){at.x - side / 2, at.y - side / 2, side, side}, &item->colour, NULL);
        break;
    case LAYER_CIRCLES:
        svg_circle(out, at, item->radius, NULL, &thin);
        break;
    case LAYER_GUIDES:
        svg_line(out, at, to, &dotted);
        break;
    case LAYER_LEVELS:
        draw_level(out, chart, layer, index);
        break;
    case LAYER_MARKS:
        svg_circle(out, at, item->radius > 0 ? item->radius : 3.4, item->radius > 0 ? &item->colour : &palette_paper,
                   &thin);
        break;
    case LAYER_LINE: /* has no items */
    case LAYER_ENDS: /* drawn by draw_side_labels */
        break;
    }
}

/* Over points and boxes, a line in the colour of the paper separates the line from them. */
static void draw_line(struct text *out, const struct chart_layer *layer, bool separated)
{
    const struct stroke under = {.colour = palette_paper, .width = layer->stroke.width + 2.4};
    svg_group_begin(out, words_of(&layer->name));
    if (separated)
        svg_path(out, layer->path.points, layer->path.count, &under);
    svg_path(out, layer->path.points, layer->path.count, &layer->stroke);
    svg_group_end(out);
}

/* All layers of a range of kinds, kind by kind, so that points are above boxes and lines above points in whatever
 * order they were added. */
static void draw_layers(struct text *out, const struct chart *chart, enum layer_kind first, enum layer_kind last)
{
    bool separated = false; /* whether anything is below the lines that they must stand out from */
    for (size_t l = 0; l < chart->layer_count; l++)
        separated |= chart->layers[l].kind < LAYER_GUIDES && chart->layers[l].kind != LAYER_ERROR_BARS;
    for (unsigned kind = first; kind <= (unsigned)last; kind++)
        for (size_t l = 0; l < chart->layer_count; l++) {
            const struct chart_layer *layer = &chart->layers[l];
            if ((unsigned)layer->kind != kind)
                continue;
            if (layer->kind == LAYER_LINE)
                draw_line(out, layer, separated);
            for (size_t i = 0; i < layer->count; i++)
                draw_item(out, chart, layer, i);
        }
}

/* Grid, areas and points, border, lines and marks, texts: from the back to the front. */
static void draw_chart(struct text *out, const struct chart *chart)
{
    const struct stroke thin = {.colour = palette_axis, .width = 1};
    const struct axis *x = &chart->frame.x, *y = &chart->frame.y;
    struct ticks across = x_ticks(x), up = y_ticks(y);
    draw_grid(out, &across, y, true);
    draw_grid(out, &up, x, false);
    draw_layers(out, chart, LAYER_BOXES, LAYER_CIRCLES);
    /* Heat maps and bars have no border: their boxes end at the frame. */
    if (!is_category(y))
        svg_rect(out, frame_box(&chart->frame), NULL, &thin);
    else if (!is_category(x)) /* bars start here */
        svg_line(out, (struct point){axis_pixel(x, 0), -2}, (struct point){axis_pixel(x, 0), y->pixel_to + 2}, &thin);
    draw_layers(out, chart, LAYER_GUIDES, LAYER_ENDS);
    draw_side_labels(out, chart);
    draw_axes(out, chart);
    legend_draw(out, chart);
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* The space for the title of a y axis, beside its labels. */
static double title_room(const char *title)
{
    return title && *title ? 10 + axis_title_size : 0;
}

/* Margins depend on the labels, and the place of the legend on the margins. */
void chart_arrange(struct chart *chart)
{
    struct chart_margins *margins = &chart->margins;
    const struct frame *frame = &chart->frame;
    struct ticks x = x_ticks(&frame->x), y = y_ticks(&frame->y);
    margins->left = widest_label(chart, &y) + tick_gap + title_room(frame->y.title);
    /* The last label of the x axis may be centred on the edge of the frame. */
    margins->right = fmax(is_category(&frame->x) ? 0 : number_width(&x) / 2, side_labels_width(chart));
    if (has_right(chart)) {
        struct ticks right = y_ticks(&chart->right);
        margins->right = widest_label(chart, &right) + tick_gap + title_room(chart->right.title);
    }
    /* A title that is wider than the frame extends the right margin. */
    double title = svg_text_width(chart->title, title_size) - (is_category(&frame->y) ? margins->left : 0);
    margins->right = fmax(margins->right, title - frame_box(frame).width);
    margins->top = title_rise + title_size;
    margins->bottom = frame->x.hidden ? 4 : tick_gap + arrange_x_labels(chart) + 18 + 8;
    legend_place(chart);
}

/* For screen readers: the names of all layers, or what the chart says itself. The text is the alternative of the
 * picture in HTML, so that it has what the picture shows: titles, series and levels, not colours. */
static void describe(struct text *out, const struct chart *chart)
{
    text_append(out, out->length ? ". " : "");
    if (chart->description.length) {
        text_append(out, words_of(&chart->description));
        return;
    }
    text_format(out, "%s: ", chart->title);
    const char *separator = ""; /* before the first name */
    for (size_t i = 0; i < chart->layer_count; i++) {
        const struct chart_layer *layer = &chart->layers[i];
        if (!layer->name.length || (layer->kind != LAYER_LINE && !layer->count))
            continue;
        text_format(out, "%s%s", separator, words_of(&layer->name));
        separator = "; ";
    }
    for (size_t l = 0; l < chart->layer_count; l++)
        for (size_t i = 0; chart->layers[l].kind == LAYER_LEVELS && i < chart->layers[l].count; i++)
            text_format(out, "; %s", chart->layers[l].items[i].label);
}

/* With the legend, if that is beneath. */
static double chart_height(const struct chart *chart)
{
    return chart->margins.top + frame_box(&chart->frame).height + chart->margins.bottom + legend_height(chart);
}

/* A legend beneath may be wider than the frame and its margins. */
static double chart_width(const struct chart *chart)
{
    const struct chart_margins *margins = &chart->margins;
    double width = margins->left + frame_box(&chart->frame).width + margins->right;
    return fmax(width, chart->legend.beneath ? margins->left + chart->legend.box.left + chart->legend.box.width : 0);
}

/* In a row the legends are inside of all frames, or beneath all; in a column the frames have the same margins. */
static void align(struct chart *charts, size_t count, bool column)
{
    struct chart_margins most = {0}; /* left and right only */
    bool beneath = false;            /* whether any legend is */
    for (size_t i = 0; i < count; i++) {
        beneath |= charts[i].legend.beneath;
        most.left = fmax(most.left, charts[i].margins.left);
        most.right = fmax(most.right, charts[i].margins.right);
    }
    for (size_t i = 0; i < count; i++) {
        if (column) {
            charts[i].margins.left = most.left;
            charts[i].margins.right = most.right;
        } else if (beneath) {
            legend_move_beneath(&charts[i]);
        }
    }
}

/* Charts are measured first, as the size of the document comes before its contents. */
void figure_draw(struct text *out, const char *name, struct chart *charts, size_t count, bool column)
{
    struct text words = {0};
    double width = 0, height = 0; /* of all charts */
    double across = 0, down = 0;  /* where the next chart begins */
    for (size_t i = 0; i < count; i++) {
        chart_arrange(&charts[i]);
        describe(&words, &charts[i]);
        out->failed |= chart_failed(&charts[i]);
    }
    /* Alignment changes margins and legends, so sizes are summed afterwards. */
    align(charts, count, column);
    for (size_t i = 0; i < count; i++) {
        double gap = i ? chart_gap : 0;
        width = column ? fmax(width, chart_width(&charts[i])) : width + gap + chart_width(&charts[i]);
        height = column ? height + gap + chart_height(&charts[i]) : fmax(height, chart_height(&charts[i]));
    }
    svg_begin(out, ceil(width + 2 * paper_margin), ceil(height + 2 * paper_margin), name, words_of(&words));
    for (size_t i = 0; i < count; i++) {
        /* A chart is drawn in coordinates of its frame, whose upper left corner is the origin. */
        svg_shift_begin(out, (struct point){paper_margin + across + charts[i].margins.left,
                                            paper_margin + down + charts[i].margins.top});
        draw_chart(out, &charts[i]);
        svg_group_end(out);
        across += column ? 0 : chart_width(&charts[i]) + chart_gap;
        down += column ? chart_height(&charts[i]) + chart_gap : 0;
        chart_free(&charts[i]);
    }
    svg_end(out);
    out->failed |= words.failed;
    text_free(&words);
}
