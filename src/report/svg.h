/* svg: the few SVG elements that our pictures are made of, written into a text.
 *
 * No ids, style sheets, clip paths or scripts: a picture can be put into a page, or read by a
 * drawing program, as it is. Coordinates are pixels, y downwards. A failed allocation is noted in
 * the text, which the caller checks once at the end. */
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
    bool upwards; /* turned to be read from below */
};

/* Sub- and superscripts and italics inside a string: SVG_SUB("t"). Control characters mark them, as
 * no legal SVG text can hold any: names that come from data need no further quoting. */
#define SVG_SUB(string)    "\001" string "\004"
#define SVG_SUP(string)    "\002" string "\004"
#define SVG_ITALIC(string) "\003" string "\004"

/* A document on white paper. Name and description are for readers who cannot see it. */
void svg_begin(struct text *out, double width, double height, const char *name, const char *description);
void svg_end(struct text *out);
/* The size that a document was begun with, and the document as a part of another. */
struct box svg_size(const struct text *document);
void svg_nest(struct text *out, struct point at, const struct text *document);

/* A group; its name is shown where a pointer rests on it. */
void svg_group_begin(struct text *out, const char *name);
/* A group that is drawn as much further to the right and down. */
void svg_shift_begin(struct text *out, struct point shift);
void svg_group_end(struct text *out);

void svg_box(struct text *out, struct box box, const struct stroke *stroke);
/* Wipes a box clean. */
void svg_blank(struct text *out, struct box box);
void svg_fill(struct text *out, struct box box, struct colour colour);
void svg_line(struct text *out, struct point from, struct point to, const struct stroke *stroke);
/* A line through the points; a point with a NaN lifts the pen. */
void svg_path(struct text *out, const struct point *points, size_t count, const struct stroke *stroke);
void svg_dot(struct text *out, struct point centre, double radius, struct colour colour);
/* A ring filled with white, and one around what is there. */
void svg_ring(struct text *out, struct point centre, double radius, const struct stroke *stroke);
void svg_circle(struct text *out, struct point centre, double radius, const struct stroke *stroke);
void svg_text(struct text *out, struct point at, const char *string, const struct font *font);

/* What a text holds, for drawing: never NULL, not even if memory ended before its first letter. */
static inline const char *words_of(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

/* About as wide as the widest of the usual sans-serif fonts would set it. */
double svg_text_width(const char *string, double size);
/* The string without its marks, made harmless as names.h says. */
void svg_escape(struct text *out, const char *string);

#endif
