/* bars: a few values side by side, with their names and figures. */
#include "report/bars.h"

#include <math.h>

#include "report/axis.h"
#include "report/palette.h"

static const double paper = 14, title_size = 15, font_size = 12.5;
static const double bar_height = 15, bar_gap = 3, group_gap = 12;
static const double title_room = 30, legend_room = 26;
static const double plot_width = 300, name_gap = 9, value_gap = 6;

/* Where everything is. */
struct sheet {
    const temper_bar_figure *figure;
    struct axis x;
    double names;  /* width of the names at the left */
    double values; /* room for a figure behind the longest bar, and before the lowest */
    double top;    /* of the first group */
    double group_height;
};

static double value_at(const temper_bar_figure *figure, size_t group, size_t series)
{
    return figure->values[group * figure->series_count + series];
}

static void append_value(struct text *out, const temper_bar_figure *figure, double value)
{
    if (!figure->shares) {
        append_quantity(out, value, 3);
        return;
    }
    if (value < 1 && value >= 0.9995) /* not quite all is not all */
        text_append(out, "> 99.9 %");
    else if (value > 0 && value < 0.0005)
        text_append(out, "< 0.1 %");
    else {
        text_append_number(out, 100 * value, 1);
        text_append(out, " %");
    }
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Bars begin at 0: their lengths are to be compared. */
static void set_axis(struct sheet *sheet)
{
    const temper_bar_figure *figure = sheet->figure;
    double low = 0, high = figure->shares ? 1 : 0;
    for (size_t i = 0; i < figure->group_count * figure->series_count; i++) {
        low = fmin(low, figure->values[i]);
        high = fmax(high, figure->values[i]);
    }
    if (low == high)
        high = 1;
    double left = paper + sheet->names + name_gap + (low < 0 ? sheet->values : 0);
    sheet->x = (struct axis){low, high, left, left + plot_width, false};
}

static void set_widths(struct sheet *sheet)
{
    const temper_bar_figure *figure = sheet->figure;
    for (size_t i = 0; i < figure->group_count; i++)
        sheet->names = fmax(sheet->names, svg_text_width(figure->groups[i], font_size));
    /* The widest figure: a sign, digits and a power of ten. */
    sheet->values = value_gap + svg_text_width(figure->shares ? "100.0 %" : "-0.00000", font_size);
}

static struct sheet lay_out(const temper_bar_figure *figure)
{
    struct sheet sheet = {.figure = figure};
    set_widths(&sheet);
    set_axis(&sheet);
    sheet.top = paper + title_room + (figure->series_count > 1 ? legend_room : 0);
    sheet.group_height = (double)figure->series_count * (bar_height + bar_gap) + group_gap;
    return sheet;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static struct colour series_colour(const temper_bar_figure *figure, size_t series)
{
    if (figure->series_count == 1)
        return palette_pale(palette_group(0), 0.2);
    /* What everyone knows is grey, so that colour is left for what is new. */
    return series == 0 ? palette_hinge : palette_group(series + 1);
}

static void draw_bar(struct text *out, const struct sheet *sheet, double value, double top, struct colour colour)
{
    struct font font = {.colour = palette_ink, .size = font_size, .anchor = "start"};
    double zero = axis_pixel(&sheet->x, 0), end = axis_pixel(&sheet->x, value);
    struct text words = {0};
    struct point at = {fmax(zero, end) + value_gap, top + bar_height / 2 + 0.35 * font_size};
    svg_fill(out, (struct box){fmin(zero, end), top, fabs(end - zero), bar_height}, colour);
    if (value < 0) {
        at.x = end - value_gap;
        font.anchor = "end";
    }
    append_value(&words, sheet->figure, value);
    svg_text(out, at, words_of(&words), &font);
    out->failed |= words.failed;
    text_free(&words);
}

static void draw_group(struct text *out, const struct sheet *sheet, size_t group)
{
    const struct font font = {.colour = palette_ink, .size = font_size, .anchor = "end"};
    const temper_bar_figure *figure = sheet->figure;
    double top = sheet->top + sheet->group_height * (double)group;
    double middle = top + (sheet->group_height - group_gap - bar_gap) / 2;
    struct point name = {paper + sheet->names, middle + 0.35 * font_size};
    svg_group_begin(out, figure->groups[group]);
    svg_text(out, name, figure->groups[group], &font);
    for (size_t i = 0; i < figure->series_count; i++) {
        draw_bar(out, sheet, value_at(figure, group, i), top, series_colour(figure, i));
        top += bar_height + bar_gap;
    }
    svg_group_end(out);
}

static void draw_legend(struct text *out, const struct sheet *sheet)
{
    const struct font font = {.colour = palette_ink, .size = font_size};
    const temper_bar_figure *figure = sheet->figure;
    struct point at = {sheet->x.pixel_from, paper + title_room + 8};
    for (size_t i = 0; figure->series_count > 1 && i < figure->series_count; i++) {
        svg_fill(out, (struct box){at.x, at.y - 6, 11, 11}, series_colour(figure, i));
        svg_text(out, (struct point){at.x + 17, at.y + 0.3 * font_size}, figure->series[i], &font);
        at.x += 17 + svg_text_width(figure->series[i], font_size) + 16;
    }
}

/* As wide as the bars, the title and the legend need. */
static double full_width(const struct sheet *sheet)
{
    const temper_bar_figure *figure = sheet->figure;
    double bars = sheet->x.pixel_to + sheet->values, legend = sheet->x.pixel_from;
    for (size_t i = 0; figure->series_count > 1 && i < figure->series_count; i++)
        legend += 33 + svg_text_width(figure->series[i], font_size);
    double title = paper + svg_text_width(figure->title, title_size);
    return fmax(bars, fmax(title, legend)) + paper;
}

/* For those who cannot see it. */
static void describe(struct text *out, const temper_bar_figure *figure)
{
    for (size_t i = 0; i < figure->group_count; i++) {
        text_format(out, "%s%s:", i ? ". " : "", figure->groups[i]);
        for (size_t j = 0; j < figure->series_count; j++) {
            text_format(out, "%s %s ", j ? ";" : "", figure->series[j]);
            append_value(out, figure, value_at(figure, i, j));
        }
    }
}

void bars_draw(struct text *out, const temper_bar_figure *figure)
{
    const struct font title = {.colour = palette_ink, .size = title_size};
    const struct stroke line = {.colour = palette_axis, .width = 1};
    struct sheet sheet = lay_out(figure);
    struct text words = {0};
    double bottom = sheet.top + sheet.group_height * (double)figure->group_count - group_gap;
    double zero = axis_pixel(&sheet.x, 0);
    describe(&words, figure);
    svg_begin(out, ceil(full_width(&sheet)), ceil(bottom + paper), figure->title, words_of(&words));
    svg_text(out, (struct point){paper, paper + title_size}, figure->title, &title);
    draw_legend(out, &sheet);
    for (size_t i = 0; i < figure->group_count; i++)
        draw_group(out, &sheet, i);
    svg_line(out, (struct point){zero, sheet.top - 4}, (struct point){zero, bottom + 2}, &line);
    svg_end(out);
    out->failed |= words.failed;
    text_free(&words);
}
