/* panel: axes with curves, levels, marks and a legend; a figure is a row of panels.
 *
 * A panel has its own coordinates: the frame's upper left corner is the origin. Once everything is
 * in it, panel_arrange finds a place for the legend and says how much room the panel needs. */
#ifndef REPORT_PANEL_H
#define REPORT_PANEL_H

#include "report/curve.h"
#include "report/svg.h"

/* More could not be told apart. */
enum { PANEL_CURVES = 24 };

/* The frame of a panel, in pixels. */
enum { PANEL_WIDTH = 330, PANEL_HEIGHT = 280 };

struct curve {
    struct path path;
    struct stroke stroke;
    struct text label;
};

/* A horizontal line that a curve approaches. Its label stands outside the frame, at the right. */
struct level {
    double y;
    struct colour colour;
    struct text label;
};

/* A thin dotted line between two points, such as an asymptote. */
struct guide {
    struct point from, to;
    struct colour colour;
};

/* A point of interest on a curve. */
struct mark {
    struct point at;
    struct colour colour;
    bool hollow;
};

struct legend {
    struct box box;
    size_t columns;
    bool beneath; /* the axes, as no corner of the frame was free */
};

/* The room that a panel takes beyond its frame, not counting a legend beneath. */
struct margins {
    double left, right, top, bottom;
};

struct panel {
    const char *letter; /* "(a)", or NULL */
    const char *title, *x_title, *y_title;
    const char *mark_note;  /* what hollow marks and guides mean: the legend says it if there are */
    const char *guide_note; /* any */
    const char *corners;    /* where the legend would look best, e.g. "RLrl": upper right first */
    struct frame frame;
    struct curve curves[PANEL_CURVES];
    struct level levels[PANEL_CURVES];
    struct guide guides[PANEL_CURVES];
    struct mark marks[PANEL_CURVES];
    size_t curve_count, level_count, guide_count, mark_count;
    struct legend legend;
    struct margins margins;
    bool failed; /* memory ended while it was arranged */
};

/* The frame with its origin at 0, 0, and the ranges of both axes. */
void panel_frame(struct panel *panel, double width, double height, struct domain x,
                 struct domain y);
/* A new curve, for the caller to fill; there must be fewer than PANEL_CURVES. */
struct curve *panel_add_curve(struct panel *panel, struct stroke stroke);
struct level *panel_add_level(struct panel *panel, double y, struct colour colour);
/* Both are left out where they lie outside the axes. */
void panel_add_guide(struct panel *panel, struct guide guide);
void panel_add_mark(struct panel *panel, struct mark mark);

void panel_arrange(struct panel *panel);
void panel_draw(struct text *out, const struct panel *panel);
bool panel_failed(const struct panel *panel);
void panel_free(struct panel *panel);

#endif
