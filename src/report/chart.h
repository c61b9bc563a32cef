/* chart: a diagram described by two axes and layers, which one renderer draws as SVG.
 *
 * A chart has coordinates of its own: the upper left corner of its frame is the origin. Start from {0}, set the titles,
 * call chart_axes, add layers with their items, then call figure_draw. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/axis.h"

/* The default frame in pixels; the largest number of curves that can be distinguished; the capacity of a chart. */
enum { CHART_WIDTH = 330, CHART_HEIGHT = 280, CHART_CURVES = 24, CHART_LAYERS = 32 };

/* In the order in which they are drawn: later kinds cover earlier ones. */
enum layer_kind {
    LAYER_BOXES,      /* bars, histogram steps, heat cells: between two corners */
    LAYER_OUTLINES,   /* borders of boxes */
    LAYER_ERROR_BARS, /* vertical, between two points */
    LAYER_DOTS,       /* data points of three shapes, with a radius in pixels */
    LAYER_SQUARES,
    LAYER_CIRCLES,
    LAYER_GUIDES, /* thin dotted lines, such as asymptotes */
    LAYER_LEVELS, /* horizontal lines at from.y; their labels are at the right of the frame */
    LAYER_LINE,   /* a path in pixels */
    LAYER_MARKS,  /* special points of lines: solid, or hollow if the radius is 0 */
    LAYER_ENDS    /* labels at the right of the frame, for lines that end at from.y */
};

enum { ITEM_LABEL = 104 }; /* bytes: 24 characters of UTF-8 and an arrow */

/* One element of a layer, in data units. */
struct chart_item {
    struct point from, to;
    struct colour colour;
    double radius; /* pixels */
    char label[ITEM_LABEL];
};

struct chart_layer {
    enum layer_kind kind;
    struct stroke stroke;     /* of a line; its colour in the legend for other kinds */
    struct text name;         /* the entry in the legend; "": none */
    struct path path;         /* LAYER_LINE only */
    struct chart_item *items; /* the other kinds */
    size_t count, capacity;
    bool labels_beyond; /* labels of boxes are beyond their right end (or left, if negative) instead of inside */
};

struct chart_legend {
    struct box box;
    size_t columns;
    bool beneath; /* below the axes, as no corner of the frame was free */
};

/* The space around the frame, not counting a legend beneath. */
struct chart_margins {
    double left, right, top, bottom;
};

struct chart {
    const char *letter; /* "(a)", or NULL */
    const char *title;
    struct text description; /* for screen readers; empty: the names of the layers */
    const char *corners;     /* for the legend in order of preference, e.g. "RLrl": upper right first; NULL: beneath */
    struct frame frame;
    struct axis right; /* a second y axis, if from < to */
    bool unlisted;     /* no legend for lines: labels at their ends name them */
    struct chart_layer layers[CHART_LAYERS];
    size_t layer_count;
    struct chart_legend legend;
    struct chart_margins margins;
    bool names_rotated; /* of the categories of the x axis */
    bool failed;        /* an allocation failed */
};

void chart_axes(struct chart *chart, double width, double height, struct domain x, struct domain y);
/* Categories on an axis: the range is [0, count], downwards for y. */
void axis_categories(struct axis *axis, const char *const *names, size_t count);
/* A new layer, at most CHART_LAYERS in total; `name` is its entry in the legend, NULL for none. */
struct chart_layer *chart_add(struct chart *chart, enum layer_kind kind, struct stroke stroke, const char *name);
/* Adds an item; guides and marks outside of the axes are left out. Returns it to be labelled, or NULL. */
struct chart_item *chart_item(struct chart *chart, struct chart_layer *layer, struct chart_item item);
/* Labels an item, which may be NULL, and frees the text. */
void chart_label(struct chart *chart, struct chart_item *item, struct text *words);
void chart_free(struct chart *chart);

/* Computes the margins and places the legend; figure_draw does it for its charts. */
void chart_arrange(struct chart *chart);
/* Draws the charts as one picture, in a row or in a column, and frees them. Failed allocations are noted in `out`. */
void figure_draw(struct text *out, const char *name, struct chart *charts, size_t count, bool column);

/* ---- The legend, in legend.c ----------------------------------------------------------------- */

/* Sets chart->legend, when the margins are known. */
void legend_place(struct chart *chart);
void legend_move_beneath(struct chart *chart);
/* The height that it takes beneath the axes and their titles. */
double legend_height(const struct chart *chart);
void legend_draw(struct text *out, const struct chart *chart);

#endif
