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
    for (size_t i = 0; i < panel->curve_count; i++)
        text_format(out, "%s%s", i ? "; " : "", words_of(&panel->curves[i].label));
    for (size_t i = 0; i < panel->level_count; i++)
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

void figure_draw(struct text *out, const char *name, struct panel *panels, size_t count)
{
    struct text words = {0};
    double width, height = 0;
    for (size_t i = 0; i < count; i++) {
        panel_arrange(&panels[i]);
        describe(&words, &panels[i]);
        height = fmax(height, frame_box(&panels[i].frame).height);
        out->failed |= panel_failed(&panels[i]);
    }
    height += align_legends(panels, count);
    struct margins margins = row_margins(panels, count, &width);
    height += margins.top + margins.bottom + 2 * paper;
    svg_begin(out, ceil(width), ceil(height), name, words_of(&words));
    draw_panels(out, panels, count, paper + margins.top);
    svg_end(out);
    out->failed |= words.failed;
    text_free(&words);
}
