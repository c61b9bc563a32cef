/* svg: writes the SVG elements that the charts use, with text that may contain sub- and superscripts.
 *
 * Everything is a presentation attribute: no classes and no ids, so that several pictures can be part of one page
 * without influencing each other. */
#include "report/svg.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Hundredths of a pixel are finer than any screen or printer. */
enum { DECIMALS = 2 };

/* The marks of SVG_SUB and its siblings. */
enum { MARK_SUB = 1, MARK_SUP, MARK_ITALIC, MARK_END };

/* Helvetica and its metric twins first: they come with every desktop, DejaVu with every Linux. */
static const char font_stack[] = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif";

static const double script_size = 0.72; /* of a sub- or superscript, relative to its line */
static const double sub_drop = 0.22;    /* in ems of the line */
static const double sup_rise = 0.38;

/* ` name="value"`; with a decimal point in every locale, as SVG requires. */
static void attribute(struct text *out, const char *name, double value)
{
    text_format(out, " %s=\"", name);
    text_append_number(out, value, DECIMALS);
    text_append(out, "\"");
}

/* Plain hexadecimal values: the style sheet of a page finds the neutral colours by them. */
static void colour_attribute(struct text *out, const char *name, struct colour colour)
{
    text_format(out, " %s=\"#%02x%02x%02x\"", name, (unsigned)colour.red, (unsigned)colour.green,
                (unsigned)colour.blue);
}

/* Colour, width and dashes of a line; a dash of 0 is a solid line. The shift moves the pattern, for lines that share a
 * place. */
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

/* ---- Words from data ------------------------------------------------------------------------- */

/* One ASCII byte. Control characters are dropped: XML 1.0 cannot represent most of them. */
static void escape_ascii(struct text *out, char c)
{
    if (c == '&')
        text_append(out, "&amp;");
    else if (c == '<')
        text_append(out, "&lt;");
    else if (c == '>')
        text_append(out, "&gt;");
    else if (c == '"')
        text_append(out, "&quot;");
    else if ((unsigned char)c >= ' ' && c != 127)
        text_append_bytes(out, &c, 1);
}

/* Valid characters are copied, others replaced one byte at a time. */
static void escape_bytes(struct text *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t count = utf8_length(bytes + i, bytes + length);
        if (count == 3 && memcmp(bytes + i, "\xef\xbf\xbe", 2) == 0 && (unsigned char)bytes[i + 2] >= 0xbe)
            count = 0; /* U+FFFE and U+FFFF are valid UTF-8, but not allowed in XML */
        if (count == 1)
            escape_ascii(out, bytes[i]);
        else if (count > 1)
            text_append_bytes(out, bytes + i, count);
        else
            text_append(out, "\xef\xbf\xbd");
        i += count ? count : 1;
    }
}

/* Counts characters, not bytes; combining marks count as characters. */
void append_short(struct text *out, const char *name, size_t characters)
{
    size_t seen = 0, end = 0, length = 0;
    for (; name[length]; length++) {
        if (((unsigned char)name[length] & 0xc0) == 0x80) /* inside a UTF-8 sequence */
            continue;
        if (seen + 1 == characters)
            end = length; /* where the ellipsis goes */
        if (seen++ == characters)
            break;
    }
    text_append_bytes(out, name, name[length] ? end : length);
    if (name[length])
        text_append(out, "\xe2\x80\xa6");
}

/* Suitable for element content and for attributes in double quotes. */
void svg_escape(struct text *out, const char *string)
{
    escape_bytes(out, string, strlen(string));
}

/* ---- The document ----------------------------------------------------------------------------- */

/* The background is a rectangle, as viewers with a dark background would otherwise show dark text on it. */
void svg_begin(struct text *out, double width, double height, const char *name, const char *description)
{
    text_append(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    attribute(out, "width", width);
    attribute(out, "height", height);
    text_append(out, " viewBox=\"0 0 ");
    text_append_number(out, width, DECIMALS);
    text_append(out, " ");
    text_append_number(out, height, DECIMALS);
    /* Otherwise renderers drop the blanks at the edges of a tspan. */
    text_append(out, "\" xml:space=\"preserve\"");
    text_format(out, " role=\"img\" font-family=\"%s\">\n<title>", font_stack);
    svg_escape(out, name);
    text_append(out, "</title>\n<desc>");
    svg_escape(out, description);
    text_append(out, "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

/* The counterpart of svg_begin. */
void svg_end(struct text *out)
{
    text_append(out, "</svg>\n");
}

/* The whole number after the first `name` of the document (figure sizes are rounded up to whole pixels). */
static double whole_attribute(const char *document, const char *name)
{
    /* The first occurrence is that of the outermost element, which begins the document. */
    const char *at = strstr(document, name);
    double value = 0;
    for (at = at ? at + strlen(name) : ""; *at >= '0' && *at <= '9'; at++)
        value = 10 * value + (*at - '0');
    return value;
}

/* Read back from the attributes, so that finished pictures can be arranged as text. */
struct box svg_size(const char *document)
{
    return (struct box){.width = whole_attribute(document, " width=\""),
                        .height = whole_attribute(document, " height=\"")};
}

/* An svg element within another, with a position added to its attributes. */
void svg_nest(struct text *out, struct point at, const struct text *document)
{
    const size_t opening = strlen("<svg"); /* where attributes can be inserted */
    out->failed |= document->failed;
    if (document->length < opening)
        return;
    text_append(out, "<svg");
    attribute(out, "x", at.x);
    attribute(out, "y", at.y);
    text_append(out, document->bytes + opening);
}

/* To be closed by svg_group_end. */
void svg_group_begin(struct text *out, const char *name)
{
    text_append(out, "<g><title>");
    svg_escape(out, name);
    text_append(out, "</title>\n");
}

/* To be closed by svg_group_end. */
void svg_shift_begin(struct text *out, struct point shift)
{
    text_append(out, "<g transform=\"translate(");
    text_append_number(out, shift.x, DECIMALS);
    text_append(out, " ");
    text_append_number(out, shift.y, DECIMALS);
    text_append(out, ")\">\n");
}

/* Closes a group of either kind. */
void svg_group_end(struct text *out)
{
    text_append(out, "</g>\n");
}

/* NULL: not filled. */
static void fill_attribute(struct text *out, const struct colour *fill)
{
    if (fill)
        colour_attribute(out, "fill", *fill);
    else
        text_append(out, " fill=\"none\"");
}

/* A rectangle in pixels; `fill` NULL: transparent; `stroke` NULL: without border. */
void svg_rect(struct text *out, struct box box, const struct colour *fill, const struct stroke *stroke)
{
    text_append(out, "<rect");
    attribute(out, "x", box.left);
    attribute(out, "y", box.top);
    attribute(out, "width", box.width);
    attribute(out, "height", box.height);
    fill_attribute(out, fill);
    if (stroke)
        stroke_attributes(out, stroke);
    text_append(out, "/>\n");
}

/* A straight line between two points. */
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

/* M starts a segment and L continues it; no separators are needed before letters. */
void svg_path(struct text *out, const struct point *points, size_t count, const struct stroke *stroke)
{
    text_append(out, "<path fill=\"none\" stroke-linejoin=\"round\"");
    stroke_attributes(out, stroke);
    text_append(out, " d=\"");
    bool down = false; /* whether a segment has been started */
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

/* A circle by centre and radius in pixels; `fill` and `stroke` may be NULL. */
void svg_circle(struct text *out, struct point centre, double radius, const struct colour *fill,
                const struct stroke *stroke)
{
    text_append(out, "<circle");
    attribute(out, "cx", centre.x);
    attribute(out, "cy", centre.y);
    attribute(out, "r", radius);
    fill_attribute(out, fill);
    if (stroke)
        stroke_attributes(out, stroke);
    text_append(out, "/>\n");
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* How a span of characters is set. */
struct text_span {
    double size;  /* relative to the line */
    double shift; /* downwards, in ems of the line */
    bool italic;
};

/* The open spans, innermost last; spans may be nested, as in an italic subscript. The depth is limited: titles never
 * need more. */
struct span_stack {
    struct text_span stack[8];
    size_t depth;
};

/* The outermost span: ordinary text. */
static struct span_stack spans_begin(void)
{
    return (struct span_stack){.stack = {{.size = 1}}};
}

/* The innermost open span. */
static struct text_span spans_top(const struct span_stack *spans)
{
    return spans->stack[spans->depth];
}

/* Opens or closes a span. An unmatched end, or a span that is nested too deeply, is ignored. */
static void spans_mark(struct span_stack *spans, int mark)
{
    if (mark == MARK_END) {
        spans->depth -= spans->depth > 0;
        return;
    }
    if (spans->depth + 1 == sizeof spans->stack / sizeof *spans->stack)
        return;
    struct text_span span = spans_top(spans);
    if (mark == MARK_ITALIC) {
        span.italic = true;
    } else {
        /* Nested scripts shift by ems of their own size. */
        span.shift += span.size * (mark == MARK_SUB ? sub_drop : -sup_rise);
        span.size *= script_size;
    }
    spans->stack[++spans->depth] = span;
}

/* Marks are control characters 1 to 4 within the string, which cannot occur in text (escape_ascii drops them). */
static bool is_mark(char c)
{
    return c >= MARK_SUB && c <= MARK_END;
}

/* Shifts are relative (dy), because Firefox does not know baseline-shift. */
static void span_begin(struct text *out, struct text_span span, double size, double *shift)
{
    text_append(out, "<tspan");
    if (span.shift != *shift)
        attribute(out, "dy", (span.shift - *shift) * size);
    if (span.size != 1)
        attribute(out, "font-size", span.size * size);
    if (span.italic)
        text_append(out, " font-style=\"italic\"");
    text_append(out, ">");
    *shift = span.shift;
}

/* One tspan for each sequence of characters between marks. */
static void write_spans(struct text *out, const char *string, double size)
{
    struct span_stack spans = spans_begin();
    double shift = 0; /* of the base line so far */
    while (*string) {
        for (; is_mark(*string); string++)
            spans_mark(&spans, *string);
        if (!*string)
            return;
        span_begin(out, spans_top(&spans), size, &shift);
        size_t length = strcspn(string, "\001\002\003\004");
        escape_bytes(out, string, length);
        string += length;
        text_append(out, "</tspan>");
    }
}

/* The anchor is the horizontal alignment at the point, which is on the base line. */
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
    /* Rotated around the anchor, so that `at` means the same as for horizontal text. */
    if (font->upwards) {
        text_append(out, " transform=\"rotate(-90 ");
        text_append_number(out, at.x, DECIMALS);
        text_append(out, " ");
        text_append_number(out, at.y, DECIMALS);
        text_append(out, ")\"");
    }
    text_append(out, ">");
    write_spans(out, string, font->size);
    text_append(out, "</text>\n");
}

/* The advance width of a character in ems: DejaVu Sans, the widest font of the stack, rounded up. */
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

/* An upper estimate, as the fonts of the viewer are not known: layouts must hold for all of them. */
double svg_text_width(const char *string, double size)
{
    struct span_stack spans = spans_begin();
    double width = 0; /* in ems */
    for (; *string; string++) {
        if (is_mark(*string))
            spans_mark(&spans, *string);
        else
            width += spans_top(&spans).size * advance(*string);
    }
    return width * size;
}
