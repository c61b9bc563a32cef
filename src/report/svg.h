/* svg: the SVG elements that the charts use, appended to a text.
 *
 * No ids, style sheets, clip paths or scripts, so that a picture can be embedded in a page or read by a drawing program
 * unchanged. Coordinates are pixels, y downwards. A failed allocation is noted in the text, which the caller checks
 * once at the end. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct point {
    double x, y;
};

struct box {
    double left, top, width, height;
};

struct colour {
    unsigned char red, green, blue;
};

struct stroke {
    struct colour colour;
    double width;
    double dash, gap; /* lengths; 0 for a solid line */
    double shift;     /* how far into the pattern the line begins */
};

struct font {
    struct colour colour;
    double size;
    const char *anchor; /* "start", "middle" or "end" */
    bool bold;
    bool upwards; /* rotated by 90 degrees, read from bottom to top */
};

/* Sub- and superscripts and italics inside a string: SVG_SUB("t"). They are marked by control characters, which legal
 * SVG text cannot contain, so that names from data need no quoting. */
#define SVG_SUB(string)    "\001" string "\004"
#define SVG_SUP(string)    "\002" string "\004"
#define SVG_ITALIC(string) "\003" string "\004"

/* A document on white paper. Name and description are for screen readers. */
void svg_begin(struct text *out, double width, double height, const char *name, const char *description);
void svg_end(struct text *out);
/* The size of a document, and the document as a part of another. */
struct box svg_size(const char *document);
void svg_nest(struct text *out, struct point at, const struct text *document);

/* A group; its name is shown as a tooltip. */
void svg_group_begin(struct text *out, const char *name);
/* A group that is drawn further to the right and down. */
void svg_shift_begin(struct text *out, struct point shift);
void svg_group_end(struct text *out);

/* NULL instead of a fill or a stroke: none. */
void svg_rect(struct text *out, struct box box, const struct colour *fill, const struct stroke *stroke);
void svg_circle(struct text *out, struct point centre, double radius, const struct colour *fill,
                const struct stroke *stroke);
void svg_line(struct text *out, struct point from, struct point to, const struct stroke *stroke);
/* A line through the points; a point with a NaN starts a new segment. */
void svg_path(struct text *out, const struct point *points, size_t count, const struct stroke *stroke);
void svg_text(struct text *out, struct point at, const char *string, const struct font *font);

/* The string of a text: never NULL, not even after a failed first allocation. */
static inline const char *words_of(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

/* About as wide as the widest of the usual sans-serif fonts would set it. */
double svg_text_width(const char *string, double size);

/* The string for XML and HTML: without control characters (and so without the marks above); <, >, & and quotes as
 * entities; U+FFFD for each byte that is not valid UTF-8. */
void svg_escape(struct text *out, const char *string);
/* At most so many characters; a longer name ends in an ellipsis. */
void append_short(struct text *out, const char *name, size_t characters);

#endif
