/* svg: the few SVG elements that our pictures are made of. */
#include "report/svg.h"

#include <math.h>
#include <string.h>

#include "report/names.h"

/* Hundredths of a pixel are finer than any screen or printer. */
enum { DECIMALS = 2 };

/* The marks of SVG_SUB and its siblings. */
enum { MARK_SUB = 1, MARK_SUP, MARK_ITALIC, MARK_END };

/* Helvetica and its metric twins first: they come with every desktop, DejaVu with every Linux. */
static const char font_stack[] = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif";

static const double script_size = 0.72; /* of a sub- or superscript, relative to its line */
static const double sub_drop = 0.22;    /* in ems of the line */
static const double sup_rise = 0.38;

static void attribute(struct text *out, const char *name, double value)
{
    text_format(out, " %s=\"", name);
    text_append_number(out, value, DECIMALS);
    text_append(out, "\"");
}

static void colour_attribute(struct text *out, const char *name, struct colour colour)
{
    text_format(out, " %s=\"#%02x%02x%02x\"", name, (unsigned)colour.red, (unsigned)colour.green,
                (unsigned)colour.blue);
}

static void stroke_attributes(struct text *out, const struct stroke *stroke)
{
    colour_attribute(out, "stroke", stroke->colour);
    attribute(out, "stroke-width", stroke->width);
    if (stroke->dash <= 0)
        return;
    text_append(out, " stroke-dasharray=\"");
    text_append_number(out, stroke->dash, DECIMALS);
    text_append(out, " ");
    text_append_number(out, stroke->gap, DECIMALS);
    text_append(out, "\"");
    if (stroke->shift > 0)
        attribute(out, "stroke-dashoffset", stroke->shift);
}

void svg_escape(struct text *out, const char *string)
{
    escape_bytes(out, string, strlen(string));
}

void svg_begin(struct text *out, double width, double height, const char *name, const char *description)
{
    text_append(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    attribute(out, "width", width);
    attribute(out, "height", height);
    text_append(out, " viewBox=\"0 0 ");
    text_append_number(out, width, DECIMALS);
    text_append(out, " ");
    text_append_number(out, height, DECIMALS);
    /* Else renderers drop the blanks at the edges of a tspan. */
    text_append(out, "\" xml:space=\"preserve\"");
    text_format(out, " role=\"img\" font-family=\"%s\">\n<title>", font_stack);
    svg_escape(out, name);
    text_append(out, "</title>\n<desc>");
    svg_escape(out, description);
    text_append(out, "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

void svg_end(struct text *out)
{
    text_append(out, "</svg>\n");
}

/* A whole number behind the first `name` of the document, whose sizes are whole. */
static double whole_attribute(const char *document, const char *name)
{
    const char *at = strstr(document, name);
    double value = 0;
    for (at = at ? at + strlen(name) : ""; *at >= '0' && *at <= '9'; at++)
        value = 10 * value + (*at - '0');
    return value;
}

struct box svg_size(const struct text *document)
{
    const char *words = words_of(document);
    return (struct box){.width = whole_attribute(words, " width=\""), .height = whole_attribute(words, " height=\"")};
}

void svg_nest(struct text *out, struct point at, const struct text *document)
{
    const size_t opening = strlen("<svg");
    out->failed |= document->failed;
    if (document->length < opening)
        return;
    text_append(out, "<svg");
    attribute(out, "x", at.x);
    attribute(out, "y", at.y);
    text_append(out, document->bytes + opening);
}

void svg_group_begin(struct text *out, const char *name)
{
    text_append(out, "<g><title>");
    svg_escape(out, name);
    text_append(out, "</title>\n");
}

void svg_shift_begin(struct text *out, struct point shift)
{
    text_append(out, "<g transform=\"translate(");
    text_append_number(out, shift.x, DECIMALS);
    text_append(out, " ");
    text_append_number(out, shift.y, DECIMALS);
    text_append(out, ")\">\n");
}

void svg_group_end(struct text *out)
{
    text_append(out, "</g>\n");
}

static void box_attributes(struct text *out, struct box box)
{
    attribute(out, "x", box.left);
    attribute(out, "y", box.top);
    attribute(out, "width", box.width);
    attribute(out, "height", box.height);
}

void svg_box(struct text *out, struct box box, const struct stroke *stroke)
{
    text_append(out, "<rect fill=\"none\"");
    box_attributes(out, box);
    stroke_attributes(out, stroke);
    text_append(out, "/>\n");
}

void svg_blank(struct text *out, struct box box)
{
    text_append(out, "<rect fill=\"#ffffff\"");
    box_attributes(out, box);
    text_append(out, "/>\n");
}

void svg_fill(struct text *out, struct box box, struct colour colour)
{
    text_append(out, "<rect");
    box_attributes(out, box);
    colour_attribute(out, "fill", colour);
    text_append(out, "/>\n");
}

void svg_line(struct text *out, struct point from, struct point to, const struct stroke *stroke)
{
    text_append(out, "<line");
    attribute(out, "x1", from.x);
    attribute(out, "y1", from.y);
    attribute(out, "x2", to.x);
    attribute(out, "y2", to.y);
    stroke_attributes(out, stroke);
    text_append(out, "/>\n");
}

void svg_path(struct text *out, const struct point *points, size_t count, const struct stroke *stroke)
{
    text_append(out, "<path fill=\"none\" stroke-linejoin=\"round\"");
    stroke_attributes(out, stroke);
    text_append(out, " d=\"");
    bool down = false;
    for (size_t i = 0; i < count; i++) {
        bool drawn = !isnan(points[i].x) && !isnan(points[i].y);
        if (drawn) {
            text_append(out, down ? "L" : "M");
            text_append_number(out, points[i].x, DECIMALS);
            text_append(out, " ");
            text_append_number(out, points[i].y, DECIMALS);
        }
        down = drawn;
    }
    text_append(out, "\"/>\n");
}

static void circle(struct text *out, struct point centre, double radius)
{
    text_append(out, "<circle");
    attribute(out, "cx", centre.x);
    attribute(out, "cy", centre.y);
    attribute(out, "r", radius);
}

void svg_dot(struct text *out, struct point centre, double radius, struct colour colour)
{
    circle(out, centre, radius);
    colour_attribute(out, "fill", colour);
    text_append(out, "/>\n");
}

void svg_ring(struct text *out, struct point centre, double radius, const struct stroke *stroke)
{
    circle(out, centre, radius);
    text_append(out, " fill=\"#ffffff\"");
    stroke_attributes(out, stroke);
    text_append(out, "/>\n");
}

void svg_circle(struct text *out, struct point centre, double radius, const struct stroke *stroke)
{
    circle(out, centre, radius);
    text_append(out, " fill=\"none\"");
    stroke_attributes(out, stroke);
    text_append(out, "/>\n");
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* How a run of characters is set. */
struct run {
    double size;  /* relative to the line */
    double shift; /* downwards, in ems of the line */
    bool italic;
};

/* Runs may be nested, as in a subscript that is italic. */
struct runs {
    struct run stack[8];
    size_t depth;
};

static struct runs runs_begin(void)
{
    return (struct runs){.stack = {{.size = 1}}};
}

static struct run runs_top(const struct runs *runs)
{
    return runs->stack[runs->depth];
}

/* Takes in one mark. One that has no partner is as if it were not there. */
static void runs_mark(struct runs *runs, int mark)
{
    if (mark == MARK_END) {
        runs->depth -= runs->depth > 0;
        return;
    }
    if (runs->depth + 1 == sizeof runs->stack / sizeof *runs->stack)
        return;
    struct run run = runs_top(runs);
    if (mark == MARK_ITALIC) {
        run.italic = true;
    } else {
        run.shift += run.size * (mark == MARK_SUB ? sub_drop : -sup_rise);
        run.size *= script_size;
    }
    runs->stack[++runs->depth] = run;
}

static bool is_mark(char c)
{
    return c >= MARK_SUB && c <= MARK_END;
}

/* Shifts are relative (dy), because Firefox does not know baseline-shift. */
static void run_begin(struct text *out, struct run run, double size, double *shift)
{
    text_append(out, "<tspan");
    if (run.shift != *shift)
        attribute(out, "dy", (run.shift - *shift) * size);
    if (run.size != 1)
        attribute(out, "font-size", run.size * size);
    if (run.italic)
        text_append(out, " font-style=\"italic\"");
    text_append(out, ">");
    *shift = run.shift;
}

static void write_runs(struct text *out, const char *string, double size)
{
    struct runs runs = runs_begin();
    double shift = 0;
    while (*string) {
        for (; is_mark(*string); string++)
            runs_mark(&runs, *string);
        if (!*string)
            return;
        run_begin(out, runs_top(&runs), size, &shift);
        size_t length = strcspn(string, "\001\002\003\004");
        escape_bytes(out, string, length);
        string += length;
        text_append(out, "</tspan>");
    }
}

void svg_text(struct text *out, struct point at, const char *string, const struct font *font)
{
    text_append(out, "<text");
    attribute(out, "x", at.x);
    attribute(out, "y", at.y);
    attribute(out, "font-size", font->size);
    colour_attribute(out, "fill", font->colour);
    if (font->anchor)
        text_format(out, " text-anchor=\"%s\"", font->anchor);
    if (font->bold)
        text_append(out, " font-weight=\"bold\"");
    if (font->upwards) {
        text_append(out, " transform=\"rotate(-90 ");
        text_append_number(out, at.x, DECIMALS);
        text_append(out, " ");
        text_append_number(out, at.y, DECIMALS);
        text_append(out, ")\"");
    }
    text_append(out, ">");
    write_runs(out, string, font->size);
    text_append(out, "</text>\n");
}

/* In ems; DejaVu Sans, the widest font of the stack, rounded up. */
static double advance(char c)
{
    unsigned char byte = (unsigned char)c;
    if (byte < ' ' || (byte & 0xc0) == 0x80) /* a mark, or inside a UTF-8 sequence */
        return 0;
    if (byte >= 0x80 || strchr("mwMW=+<>%@", c))
        return 0.9;
    if (strchr("ijl.,:;'|! ", c))
        return 0.32;
    if (strchr("frt()-[]/", c))
        return 0.41;
    return byte >= 'A' && byte <= 'Z' ? 0.72 : 0.64;
}

double svg_text_width(const char *string, double size)
{
    struct runs runs = runs_begin();
    double width = 0;
    for (; *string; string++) {
        if (is_mark(*string))
            runs_mark(&runs, *string);
        else
            width += runs_top(&runs).size * advance(*string);
    }
    return width * size;
}
