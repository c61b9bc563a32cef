/* panel: axes with curves, levels, marks and a legend. */
#include "report/panel.h"

#include <assert.h>
#include <math.h>

#include "report/legend.h"
#include "report/level.h"
#include "report/palette.h"

static const double title_size = 15, axis_title_size = 13, tick_size = 12;
static const double tick_gap = 6;      /* from the frame to the labels of the ticks */
static const double title_rise = 14;   /* from the frame up to the base line of the title */
static const double x_title_drop = 36; /* from the frame down to that of the x axis */
static const double pixels_per_x_tick = 40, pixels_per_y_tick = 38;

void panel_frame(struct panel *panel, double width, double height, struct domain x, struct domain y)
{
    panel->frame = (struct frame){
        .x = {.from = x.from, .to = x.to, .pixel_to = width},
        .y = {.from = y.from, .to = y.to, .pixel_from = height},
    };
}

struct curve *panel_add_curve(struct panel *panel, struct stroke stroke)
{
    assert(panel->curve_count < PANEL_CURVES);
    struct curve *curve = &panel->curves[panel->curve_count++];
    *curve = (struct curve){.stroke = stroke};
    return curve;
}

struct level *panel_add_level(struct panel *panel, double y, struct colour colour)
{
    assert(panel->level_count < PANEL_CURVES);
    struct level *level = &panel->levels[panel->level_count++];
    *level = (struct level){.y = y, .colour = colour};
    return level;
}

static bool axis_holds(const struct axis *axis, double value)
{
    return value >= axis->from && value <= axis->to;
}

static bool frame_holds(const struct frame *frame, struct point point)
{
    return axis_holds(&frame->x, point.x) && axis_holds(&frame->y, point.y);
}

void panel_add_guide(struct panel *panel, struct guide guide)
{
    if (panel->guide_count < PANEL_CURVES && frame_holds(&panel->frame, guide.from) &&
        frame_holds(&panel->frame, guide.to))
        panel->guides[panel->guide_count++] = guide;
}

void panel_add_mark(struct panel *panel, struct mark mark)
{
    if (panel->mark_count < PANEL_CURVES && frame_holds(&panel->frame, mark.at))
        panel->marks[panel->mark_count++] = mark;
}

void panel_add_key(struct panel *panel, struct key key)
{
    assert(panel->key_count < PANEL_KEYS);
    panel->keys[panel->key_count++] = key;
}

void panel_right(struct panel *panel, struct domain y, const char *title)
{
    panel->right = panel->frame.y;
    panel->right.from = y.from;
    panel->right.to = y.to;
    panel->right_title = title;
}

static bool has_right(const struct panel *panel)
{
    return panel->right.from < panel->right.to;
}

bool panel_failed(const struct panel *panel)
{
    bool failed = panel->failed;
    for (size_t i = 0; i < panel->curve_count; i++)
        failed |= panel->curves[i].path.failed || panel->curves[i].label.failed;
    for (size_t i = 0; i < panel->level_count; i++)
        failed |= panel->levels[i].label.failed;
    return failed;
}

void panel_free(struct panel *panel)
{
    for (size_t i = 0; i < panel->curve_count; i++) {
        path_free(&panel->curves[i].path);
        text_free(&panel->curves[i].label);
    }
    for (size_t i = 0; i < panel->level_count; i++)
        text_free(&panel->levels[i].label);
    panel->curve_count = panel->level_count = 0;
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static struct ticks height_ticks(const struct axis *axis)
{
    double height = fabs(axis->pixel_to - axis->pixel_from);
    return axis_ticks(axis, (size_t)fmax(3, height / pixels_per_y_tick));
}

static struct ticks y_ticks(const struct panel *panel)
{
    return height_ticks(&panel->frame.y);
}

/* A digit is 0.64 em wide at most. */
static double x_label_width(const struct ticks *ticks)
{
    return 0.64 * tick_size * (double)tick_label_length(ticks);
}

/* As dense as is pleasant and as their labels, side by side, allow. */
static struct ticks x_ticks(const struct panel *panel)
{
    double width = frame_box(&panel->frame).width;
    size_t most = (size_t)fmax(2, width / pixels_per_x_tick);
    struct ticks ticks = axis_ticks(&panel->frame.x, most);
    while (most > 1 && x_label_width(&ticks) + tick_gap > width / (double)most)
        ticks = axis_ticks(&panel->frame.x, --most);
    return ticks;
}

static void draw_grid(struct text *out, const struct panel *panel)
{
    const struct stroke thin = {.colour = palette_grid, .width = 1};
    const struct stroke zero = {.colour = palette_axis, .width = 1};
    const struct axis *x = &panel->frame.x, *y = &panel->frame.y;
    struct ticks ticks = x_ticks(panel);
    for (size_t i = 0; i < ticks.count; i++) {
        double value = tick_value(&ticks, i), at = axis_pixel(x, value);
        svg_line(out, (struct point){at, y->pixel_from}, (struct point){at, y->pixel_to},
                 value == 0 && !ticks.powers ? &zero : &thin);
    }
    ticks = y_ticks(panel);
    for (size_t i = 0; i < ticks.count; i++) {
        double value = tick_value(&ticks, i), at = axis_pixel(y, value);
        svg_line(out, (struct point){x->pixel_from, at}, (struct point){x->pixel_to, at}, value == 0 ? &zero : &thin);
    }
}

static void draw_tick_label(struct text *out, struct point at, const char *label, const char *anchor)
{
    const struct font font = {.colour = palette_grey, .size = tick_size, .anchor = anchor};
    svg_text(out, at, label, &font);
}

/* Beside the frame: in front of its left side, or behind its right one. */
static void draw_height_labels(struct text *out, const struct axis *axis, double at_x, const char *anchor)
{
    struct text label = {0};
    struct ticks ticks = height_ticks(axis);
    for (size_t i = 0; i < ticks.count; i++) {
        label.length = 0;
        tick_label(&label, &ticks, i);
        struct point at = {at_x, axis_pixel(axis, tick_value(&ticks, i)) + 0.35 * tick_size};
        draw_tick_label(out, at, words_of(&label), anchor);
    }
    out->failed |= label.failed;
    text_free(&label);
}

static void draw_tick_labels(struct text *out, const struct panel *panel)
{
    const struct axis *x = &panel->frame.x, *y = &panel->frame.y;
    struct text label = {0};
    struct ticks ticks = x_ticks(panel);
    for (size_t i = 0; i < ticks.count; i++) {
        label.length = 0;
        tick_label(&label, &ticks, i);
        struct point at = {axis_pixel(x, tick_value(&ticks, i)), y->pixel_from + tick_gap + 0.8 * tick_size};
        draw_tick_label(out, at, words_of(&label), "middle");
    }
    out->failed |= label.failed;
    text_free(&label);
    struct box box = frame_box(&panel->frame);
    draw_height_labels(out, y, box.left - tick_gap, "end");
    if (has_right(panel))
        draw_height_labels(out, &panel->right, box.left + box.width + tick_gap, "start");
}

static double widest_label(struct panel *panel, const struct axis *axis)
{
    struct ticks ticks = height_ticks(axis);
    struct text label = {0};
    double width = 0;
    for (size_t i = 0; i < ticks.count; i++) {
        label.length = 0;
        tick_label(&label, &ticks, i);
        width = fmax(width, svg_text_width(words_of(&label), tick_size));
    }
    panel->failed |= label.failed;
    text_free(&label);
    return width;
}

/* The title of an axis, with the power of ten that its labels leave out. */
static void draw_axis_title(struct text *out, const char *title, int common_factor, struct point at, bool upwards)
{
    const struct font font = {.colour = palette_ink, .size = axis_title_size, .anchor = "middle", .upwards = upwards};
    struct text full = {0};
    text_append(&full, title);
    if (common_factor) {
        text_append(&full, " (in ");
        append_power(&full, common_factor);
        text_append(&full, ")");
    }
    svg_text(out, at, words_of(&full), &font);
    out->failed |= full.failed;
    text_free(&full);
}

static void draw_titles(struct text *out, const struct panel *panel)
{
    const struct font bold = {.colour = palette_ink, .size = title_size, .bold = true};
    const struct font font = {.colour = palette_ink, .size = title_size};
    struct box box = frame_box(&panel->frame);
    struct point at = {0, -title_rise};
    if (panel->letter) {
        svg_text(out, at, panel->letter, &bold);
        at.x += svg_text_width(panel->letter, title_size) + 0.5 * title_size;
    }
    svg_text(out, at, panel->title, &font);
    at = (struct point){box.width / 2, box.height + x_title_drop};
    draw_axis_title(out, panel->x_title, x_ticks(panel).common_factor, at, false);
    at = (struct point){axis_title_size - panel->margins.left, box.height / 2};
    draw_axis_title(out, panel->y_title, y_ticks(panel).common_factor, at, true);
    if (!has_right(panel))
        return;
    at.x = box.width + panel->margins.right - 0.3 * axis_title_size;
    draw_axis_title(out, panel->right_title, height_ticks(&panel->right).common_factor, at, true);
}

/* ---- The whole ------------------------------------------------------------------------------- */

void panel_arrange(struct panel *panel)
{
    struct margins *margins = &panel->margins;
    level_prepare(panel);
    margins->left = widest_label(panel, &panel->frame.y) + tick_gap + 10 + axis_title_size;
    struct ticks ticks = x_ticks(panel);
    /* The last one may be centred on the edge of the frame. */
    margins->right = fmax(x_label_width(&ticks) / 2, level_margin(panel));
    if (has_right(panel))
        margins->right = widest_label(panel, &panel->right) + tick_gap + 10 + axis_title_size;
    margins->top = title_rise + title_size;
    margins->bottom = x_title_drop + 8;
    legend_place(panel);
}

static void draw_guides(struct text *out, const struct panel *panel)
{
    for (size_t i = 0; i < panel->guide_count; i++) {
        const struct guide *guide = &panel->guides[i];
        const struct stroke dotted = palette_guide(guide->colour);
        svg_line(out, frame_point(&panel->frame, guide->from.x, guide->from.y),
                 frame_point(&panel->frame, guide->to.x, guide->to.y), &dotted);
    }
}

static void draw_curves(struct text *out, const struct panel *panel)
{
    for (size_t i = 0; i < panel->curve_count; i++) {
        const struct curve *curve = &panel->curves[i];
        svg_group_begin(out, words_of(&curve->label));
        svg_path(out, curve->path.points, curve->path.count, &curve->stroke);
        svg_group_end(out);
    }
}

static void draw_marks(struct text *out, const struct panel *panel)
{
    for (size_t i = 0; i < panel->mark_count; i++) {
        const struct mark *mark = &panel->marks[i];
        const struct stroke stroke = {.colour = mark->colour, .width = 1.6};
        struct point at = frame_point(&panel->frame, mark->at.x, mark->at.y);
        if (mark->hollow)
            svg_ring(out, at, 3.4, &stroke);
        else
            svg_dot(out, at, 3.2, mark->colour);
    }
}

void panel_draw(struct text *out, const struct panel *panel)
{
    const struct stroke thin = {.colour = palette_axis, .width = 1};
    draw_grid(out, panel);
    if (panel->layer)
        panel->layer(out, &panel->frame, panel->layer_context);
    svg_box(out, frame_box(&panel->frame), &thin);
    draw_guides(out, panel);
    level_draw_lines(out, panel);
    draw_curves(out, panel);
    draw_marks(out, panel);
    level_draw_labels(out, panel);
    draw_tick_labels(out, panel);
    draw_titles(out, panel);
    legend_draw(out, panel);
}
