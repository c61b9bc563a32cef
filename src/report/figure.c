/* figure: a row of panels, side by side, as a whole picture. */
#include "report/figure.h"

#include <math.h>

#include "report/legend.h"

static const double paper = 14;   /* free space around the picture */
static const double between = 26; /* and between its panels */

/* For those who cannot see it: each panel with the names of its curves and levels. */
static void describe(struct text *out, const struct panel *panel)
{
    text_format(out, "%s%s: ", out->length ? ". " : "", panel->title);
    for (size_t i = 0; i < panel->key_count; i++)
        text_format(out, "%s%s", i ? "; " : "", panel->keys[i].label);
    for (size_t i = 0; i < panel->curve_count; i++)
        text_format(out, "%s%s", i || panel->key_count ? "; " : "", words_of(&panel->curves[i].label));
    for (size_t i = 0; i < panel->level_count; i++)
        if (!panel->levels[i].bare) /* it repeats the name of its curve */
            text_format(out, "; %s", words_of(&panel->levels[i].label));
}

/* Legends are inside all frames, or beneath all: anything else would look ragged. */
static double align_legends(struct panel *panels, size_t count)
{
    double room = 0;
    bool beneath = false;
    for (size_t i = 0; i < count; i++)
        beneath |= panels[i].legend.beneath;
    for (size_t i = 0; beneath && i < count; i++) {
        legend_move_beneath(&panels[i]);
        room = fmax(room, legend_room(&panels[i]));
    }
    return room;
}

/* The margins around the row, and the width of all of it. */
static struct margins row_margins(const struct panel *panels, size_t count, double *width)
{
    struct margins most = {0};
    *width = 2 * paper;
    for (size_t i = 0; i < count; i++) {
        const struct margins *margins = &panels[i].margins;
        most.top = fmax(most.top, margins->top);
        most.bottom = fmax(most.bottom, margins->bottom);
        *width += (i ? between : 0) + margins->left + margins->right;
        *width += frame_box(&panels[i].frame).width;
    }
    return most;
}

static void draw_panels(struct text *out, const struct panel *panels, size_t count, double top)
{
    double left = paper;
    for (size_t i = 0; i < count; i++) {
        left += (i ? between : 0) + panels[i].margins.left;
        svg_shift_begin(out, (struct point){left, top});
        panel_draw(out, &panels[i]);
        svg_group_end(out);
        left += frame_box(&panels[i].frame).width + panels[i].margins.right;
    }
}

/* Returns the height of the highest frame. */
static double arrange(struct text *out, struct text *words, struct panel *panels, size_t count)
{
    double height = 0;
    for (size_t i = 0; i < count; i++) {
        panel_arrange(&panels[i]);
        describe(words, &panels[i]);
        height = fmax(height, frame_box(&panels[i].frame).height);
        out->failed |= panel_failed(&panels[i]);
    }
    return height;
}

void figure_draw(struct text *out, const char *name, struct panel *panels, size_t count)
{
    struct text words = {0};
    double width, height = arrange(out, &words, panels, count);
    height += align_legends(panels, count);
    struct margins margins = row_margins(panels, count, &width);
    height += margins.top + margins.bottom + 2 * paper;
    svg_begin(out, ceil(width), ceil(height), name, words_of(&words));
    draw_panels(out, panels, count, paper + margins.top);
    svg_end(out);
    out->failed |= words.failed;
    text_free(&words);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Axes that stand under each other begin and end at the same place. */
static struct margins share_sides(struct panel *panels, size_t count)
{
    struct margins most = {0};
    for (size_t i = 0; i < count; i++) {
        most.left = fmax(most.left, panels[i].margins.left);
        most.right = fmax(most.right, panels[i].margins.right);
    }
    for (size_t i = 0; i < count; i++) {
        panels[i].margins.left = most.left;
        panels[i].margins.right = most.right;
    }
    return most;
}

static double panel_height(const struct panel *panel)
{
    return panel->margins.top + frame_box(&panel->frame).height + panel->margins.bottom + legend_room(panel);
}

void figure_stack(struct text *out, const char *name, struct panel *panels, size_t count)
{
    struct text words = {0};
    double height = 2 * paper, top = paper;
    arrange(out, &words, panels, count);
    struct margins sides = share_sides(panels, count);
    for (size_t i = 0; i < count; i++)
        height += panel_height(&panels[i]);
    double width = 2 * paper + sides.left + frame_box(&panels[0].frame).width + sides.right;
    svg_begin(out, ceil(width), ceil(height), name, words_of(&words));
    for (size_t i = 0; i < count; i++) {
        struct point origin = {paper + sides.left, top + panels[i].margins.top};
        svg_shift_begin(out, origin);
        panel_draw(out, &panels[i]);
        svg_group_end(out);
        top += panel_height(&panels[i]);
    }
    svg_end(out);
    out->failed |= words.failed;
    text_free(&words);
}
