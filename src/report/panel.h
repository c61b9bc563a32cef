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
    bool bare; /* the label alone, at the end of a curve */
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

/* What a panel shows beneath its curves, such as bars or points; and its entry in the legend. */
typedef void panel_layer(struct text *out, const struct frame *frame, const void *context);

enum key_shape { KEY_BOX, KEY_DOT, KEY_SQUARE, KEY_CIRCLE };

struct key {
    const char *label;
    struct colour colour;
    enum key_shape shape;
};

enum { PANEL_KEYS = 4 };

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
    struct axis right; /* a second scale for curves, if from < to */
    const char *right_title;
    panel_layer *layer; /* or NULL */
    const void *layer_context;
    struct key keys[PANEL_KEYS];
    size_t key_count;
    bool unlisted; /* no legend: labels at their ends name the curves */
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
void panel_frame(struct panel *panel, double width, double height, struct domain x, struct domain y);
/* A new curve, for the caller to fill; there must be fewer than PANEL_CURVES. */
struct curve *panel_add_curve(struct panel *panel, struct stroke stroke);
struct level *panel_add_level(struct panel *panel, double y, struct colour colour);
/* Both are left out where they lie outside the axes. */
void panel_add_guide(struct panel *panel, struct guide guide);
void panel_add_mark(struct panel *panel, struct mark mark);
/* There must be fewer than PANEL_KEYS. A panel with a layer has its legend beneath. */
void panel_add_key(struct panel *panel, struct key key);
/* A second scale at the right of the frame. */
void panel_right(struct panel *panel, struct domain y, const char *title);

void panel_arrange(struct panel *panel);
void panel_draw(struct text *out, const struct panel *panel);
bool panel_failed(const struct panel *panel);
void panel_free(struct panel *panel);

#endif
