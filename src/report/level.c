/* level: the horizontal lines of a panel, and their labels beside it. */
#include "report/level.h"

#include <math.h>

#include "report/palette.h"

static const double label_size = 12;
static const double label_gap = 8;   /* from the frame to the labels */
static const double label_line = 15; /* from one label to the next */
static const double dash = 5, period = 9;

static const char up_arrow[] = " \xe2\x86\x91";

static bool is_beyond(const struct panel *panel, const struct level *level)
{
    return level->y > panel->frame.y.to;
}

static double right_side(const struct panel *panel)
{
    struct box box = frame_box(&panel->frame);
    return box.left + box.width;
}

void level_prepare(struct panel *panel)
{
    for (size_t i = 0; i < panel->level_count; i++)
        if (is_beyond(panel, &panel->levels[i]))
            text_append(&panel->levels[i].label, up_arrow);
}

double level_margin(const struct panel *panel)
{
    double width = 0;
    for (size_t i = 0; i < panel->level_count; i++)
        width = fmax(width, svg_text_width(words_of(&panel->levels[i].label), label_size));
    return width > 0 ? label_gap + width : 0;
}

/* How many levels before the index-th are the same line, and how many there are in all. */
static size_t count_same(const struct panel *panel, size_t index, size_t *total)
{
    size_t before = 0;
    *total = 0;
    for (size_t i = 0; i < panel->level_count; i++) {
        if (panel->levels[i].y != panel->levels[index].y || (panel->levels[i].bare && i != index))
            continue;
        before += i < index;
        ++*total;
    }
    return before;
}

/* Curves that share a level share its dashes, in turns. */
static void draw_line(struct text *out, const struct panel *panel, size_t index)
{
    const struct level *level = &panel->levels[index];
    const struct axis *x = &panel->frame.x;
    size_t total, before = count_same(panel, index, &total);
    struct stroke stroke = {.colour = level->colour, .width = 1.3, .dash = dash};
    stroke.gap = period * (double)total - dash;
    stroke.shift = before ? period * (double)(total - before) : 0;
    svg_line(out, frame_point(&panel->frame, x->from, level->y), frame_point(&panel->frame, x->to, level->y), &stroke);
}

void level_draw_lines(struct text *out, const struct panel *panel)
{
    for (size_t i = 0; i < panel->level_count; i++)
        if (!is_beyond(panel, &panel->levels[i]) && !panel->levels[i].bare)
            draw_line(out, panel, i);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

struct label {
    const struct level *level;
    double line; /* of the level, in pixels */
    double at;   /* of its label: moved so that labels do not overlap */
    struct colour colour;
};

/* One for each line, from the top down. */
static size_t list_labels(const struct panel *panel, struct label *labels)
{
    size_t count = 0;
    for (size_t i = 0; i < panel->level_count; i++) {
        const struct level *level = &panel->levels[i];
        size_t total, place = count;
        if (count_same(panel, i, &total) > 0)
            continue;
        double line = axis_pixel(&panel->frame.y, level->y);
        for (; place > 0 && labels[place - 1].line > line; place--)
            labels[place] = labels[place - 1];
        labels[place] =
            (struct label){.level = level, .line = line, .colour = total > 1 ? palette_grey : level->colour};
        count++;
    }
    return count;
}

/* Down where the one above is too near, then up where the bottom was passed. */
static void spread_labels(struct label *labels, size_t count, double bottom)
{
    double least = label_size / 2, most = bottom;
    for (size_t i = 0; i < count; i++) {
        labels[i].at = fmax(labels[i].line, least);
        least = labels[i].at + label_line;
    }
    for (size_t i = count; i-- > 0;) {
        labels[i].at = fmin(labels[i].at, most);
        most = labels[i].at - label_line;
    }
}

/* A short lead ties the label to its line. */
static void draw_label(struct text *out, const struct panel *panel, const struct label *label)
{
    const struct font font = {.colour = label->colour, .size = label_size};
    const struct stroke lead = {.colour = label->colour, .width = 1};
    double right = right_side(panel);
    struct point at = {right + label_gap, label->at + 0.35 * label_size};
    if (!is_beyond(panel, label->level))
        svg_line(out, (struct point){right, label->line}, (struct point){at.x - 2, label->at}, &lead);
    svg_text(out, at, words_of(&label->level->label), &font);
}

void level_draw_labels(struct text *out, const struct panel *panel)
{
    struct label labels[PANEL_CURVES];
    size_t count = list_labels(panel, labels);
    spread_labels(labels, count, panel->frame.y.pixel_from - label_size / 2);
    for (size_t i = 0; i < count; i++)
        draw_label(out, panel, &labels[i]);
}
