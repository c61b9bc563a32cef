/* figures: bars, boundaries, heat maps, histograms, lines, paths, confusion and calibration as descriptions of charts.
 *
 * Each figure chooses the ranges of its axes and adds layers; how they look is decided by chart.c and palette.c. The
 * arguments have been checked by src/api/plots.c, so that all numbers are finite where they must be. */
#include "report/figures.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/palette.h"
#include "temper_extra.h"
#include "tempered/loss_family.h"

/* A stroke for layers that need a colour only. */
static struct stroke plain(struct colour colour)
{
    return (struct stroke){.colour = colour, .width = 1.5};
}

/* ---- Bars ------------------------------------------------------------------------------------ */

/* A value beyond the end of a bar: a percentage, or three significant digits. */
static void append_value(struct text *out, const temper_bar_figure *figure, double value)
{
    if (!figure->shares)
        append_quantity(out, value, 3);
    else if (value < 1 && value >= 0.9995) /* must not read as 100 % */
        text_append(out, "> 99.9 %");
    else if (value > 0 && value < 0.0005)
        text_append(out, "< 0.1 %");
    else {
        text_append_number(out, 100 * value, 1);
        text_append(out, " %");
    }
}

/* All values as text, for screen readers: "GROUP: SERIES VALUE; SERIES VALUE. GROUP: ...". */
static void describe_bars(struct text *out, const temper_bar_figure *figure)
{
    for (size_t i = 0; i < figure->group_count; i++) {
        text_format(out, "%s%s:", i ? ". " : "", figure->groups[i]);
        for (size_t j = 0; j < figure->series_count; j++) {
            text_format(out, "%s %s ", j ? ";" : "", figure->series[j]);
            append_value(out, figure, figure->values[i * figure->series_count + j]);
        }
    }
}

/* From 0, as the lengths are compared, with space for the values beyond the bars. */
static struct domain bar_range(const temper_bar_figure *figure)
{
    const double label_share = 0.24; /* of the length of the longest bar */
    struct domain range = range_of(figure->values, figure->group_count * figure->series_count, 1);
    double low = fmin(range.from, 0), high = fmax(range.to, figure->shares ? 1 : 0);
    /* All values are 0: any range will do. */
    if (low == high)
        high = 1;
    double space = label_share * (high - low);
    return (struct domain){low < 0 ? low - space : 0, high > 0 ? high + space : 0};
}

/* Groups are categories of the y axis; the series are bars within the space of a category. The x axis is hidden,
 * since the values are written. */
void bars_draw(struct text *out, const temper_bar_figure *figure)
{
    const double bar = 15, bar_step = 18, group_gap = 14; /* pixels: a bar, from bar to bar, between groups */
    size_t series = figure->series_count;
    double group = (double)series * bar_step + group_gap; /* pixels */
    struct chart chart = {.title = figure->title};
    chart_axes(&chart, 370, group * (double)figure->group_count, bar_range(figure), (struct domain){0, 1});
    axis_categories(&chart.frame.y, figure->groups, figure->group_count);
    chart.frame.x.hidden = true;
    for (size_t s = 0; s < series; s++) {
        /* A single series needs no legend, and has the neutral colour of data. */
        struct colour colour = series > 1 ? palette_series(figure->series[s], s).colour : palette_group(0);
        struct chart_layer *layer =
            chart_add(&chart, LAYER_BOXES, plain(colour), series > 1 ? figure->series[s] : NULL);
        layer->labels_beyond = true;
        for (size_t g = 0; g < figure->group_count; g++) {
            double value = figure->values[g * series + s];
            /* A category is one unit high. */
            double top = (double)g + (group_gap / 2 + bar_step * (double)s) / group;
            struct text words = {0};
            append_value(&words, figure, value);
            chart_label(
                &chart,
                chart_item(&chart, layer, (struct chart_item){{0, top}, {value, top + bar / group}, colour, 0, ""}),
                &words);
        }
    }
    describe_bars(&chart.description, figure);
    figure_draw(out, figure->title, &chart, 1, false);
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

enum { MOST_POINTS = 3000 }; /* more would hide each other, and make a slow page */

static const double dot_radius = 2.7;

/* The decision boundary w . x + b = 0 as a line, clipped to the frame. One that is not in view stays in the legend with
 * a remark, so that its absence is explained. */
static void add_boundary(struct chart *chart, const temper_boundary *boundary, size_t index)
{
    const struct axis *x = &chart->frame.x, *y = &chart->frame.y;
    const double *w = boundary->weights, b = boundary->intercept;
    struct chart_layer *layer = chart_add(chart, LAYER_LINE, palette_series(boundary->name, index), boundary->name);
    struct point from, to;
    /* w x + b = 0, solved for the feature that changes less, so that no weight near 0 is divided by. */
    if (fabs(w[1]) * (y->to - y->from) >= fabs(w[0]) * (x->to - x->from)) {
        from = frame_point(&chart->frame, x->from, -(b + w[0] * x->from) / w[1]);
        to = frame_point(&chart->frame, x->to, -(b + w[0] * x->to) / w[1]);
    } else {
        from = frame_point(&chart->frame, -(b + w[1] * y->from) / w[0], y->from);
        to = frame_point(&chart->frame, -(b + w[1] * y->to) / w[0], y->to);
    }
    /* Without weights there is no line; far away its ends overflow. */
    bool drawn = isfinite(from.x) && isfinite(from.y) && isfinite(to.x) && isfinite(to.y);
    if (!drawn || !segment_clip(frame_box(&chart->frame), &from, &to)) {
        text_append(&layer->name, " (not in view)");
        return;
    }
    path_append(&layer->path, from);
    path_append(&layer->path, to);
}

/* Rows at equal distances if there are too many. The classes differ in shape as well as in colour; wrong labels have a
 * circle around them. */
static void add_points(struct chart *chart, const temper_boundary_figure *figure)
{
    struct chart_layer *kinds[] = {
        chart_add(chart, LAYER_DOTS, plain(palette_group(0)), figure->class_names[0]),
        chart_add(chart, LAYER_SQUARES, plain(palette_group(1)), figure->class_names[1]),
        chart_add(chart, LAYER_CIRCLES, plain(palette_ink), "wrong label"),
    };
    /* A subset at equal distances keeps the proportions, and is the same every time. */
    size_t shown = figure->count < MOST_POINTS ? figure->count : MOST_POINTS;
    for (size_t i = 0; i < shown; i++) {
        size_t row = (size_t)((double)i * ((double)figure->count / (double)shown));
        uint32_t label = figure->labels[row];
        struct chart_item item = {.from = {figure->points[2 * row], figure->points[2 * row + 1]},
                                  .colour = palette_group(label),
                                  .radius = dot_radius};
        chart_item(chart, kinds[label], item);
        if (!figure->flipped || !figure->flipped[row])
            continue;
        item.colour = palette_ink;
        item.radius += 2.2; /* a circle around the point */
        chart_item(chart, kinds[2], item);
    }
}

/* Both axes span the points; lines are clipped to them. */
void boundary_draw(struct text *out, const temper_boundary_figure *figure)
{
    const double around = 0.05; /* free space, as a share of the range */
    struct chart chart = {.title = figure->title, .frame = {{.title = figure->x_title}, {.title = figure->y_title}}};
    chart_axes(&chart, CHART_WIDTH, CHART_HEIGHT, range_padded(range_of(figure->points, figure->count, 2), around),
               range_padded(range_of(figure->points + 1, figure->count, 2), around));
    add_points(&chart, figure);
    for (size_t i = 0; i < figure->boundary_count; i++)
        add_boundary(&chart, &figure->boundaries[i], i);
    figure_draw(out, figure->title, &chart, 1, false);
}

/* ---- Heat maps ------------------------------------------------------------------------------- */

/* From the largest value down to twice its distance from the median: a few bad cells must not make all others look the
 * same. False without memory. The largest value is the one that matters, as the chosen candidate is near it: half of
 * the values are in the upper half of the range of colours. */
static bool heat_range(const temper_heatmap_figure *figure, struct domain *range)
{
    size_t cells = figure->row_count * figure->column_count, count = 0;
    double *sorted = mem_alloc(cells, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < cells; i++)
        if (!isnan(figure->values[i]))
            sorted[count++] = figure->values[i];
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    range->to = sorted[count - 1];
    range->from = fmax(sorted[0], range->to - 2 * (range->to - sorted[count / 2]));
    mem_free(sorted);
    return true;
}

/* A number in a cell: a percentage with two decimals, or four decimals. */
static void append_cell(struct text *out, const temper_heatmap_figure *figure, double value)
{
    if (figure->shares) { /* the same number of digits in all cells, as they are compared */
        long long hundredths = llround(1e4 * value);
        text_format(out, "%lld.%02lld", hundredths / 100, hundredths % 100);
    } else {
        text_append_number(out, value, 4);
    }
}

/* The cell at a row and a column, with a gap of a pixel to the next; `size` is in pixels. */
static struct chart_item cell_item(size_t row, size_t column, struct point size, struct colour colour)
{
    struct point from = {(double)column, (double)row};
    return (struct chart_item){from, {from.x + 1 - 1 / size.x, from.y + 1 - 1 / size.y}, colour, 0, ""};
}

/* The square of the share makes the largest values stand out, which are the ones to compare. The marked cell has a
 * border. */
static void add_cells(struct chart *chart, const temper_heatmap_figure *figure, struct domain range, struct point size)
{
    struct chart_layer *cells = chart_add(chart, LAYER_BOXES, plain(palette_grid), NULL);
    struct chart_layer *marked = chart_add(chart, LAYER_OUTLINES, plain(palette_ink), NULL);
    for (size_t i = 0; i < figure->row_count * figure->column_count; i++) {
        double value = figure->values[i];
        /* Below the range it is negative, and the cell has the palest shade. */
        double share = range.to > range.from ? (value - range.from) / (range.to - range.from) : 0.5;
        struct colour colour = isnan(value) ? palette_grid : palette_heat(share * fabs(share), false);
        struct chart_item item = cell_item(i / figure->column_count, i % figure->column_count, size, colour);
        struct chart_item *added = chart_item(chart, cells, item);
        struct text words = {0};
        if (!isnan(value))
            append_cell(&words, figure, value);
        chart_label(chart, added, &words);
        if (i == figure->marked) {
            item.colour = palette_series("two-temperature", 0).colour;
            chart_item(chart, marked, item);
        }
    }
}

/* The size of the map, its largest value and the marked cell, for screen readers. */
static void describe_heat(struct text *out, const temper_heatmap_figure *figure, double largest)
{
    size_t columns = figure->column_count;
    text_format(out, "A heat map of %zu rows and %zu columns; the largest value is ", figure->row_count, columns);
    append_cell(out, figure, largest);
    if (figure->marked < figure->row_count * columns)
        text_format(out, "; marked: %s, %s", figure->rows[figure->marked / columns],
                    figure->columns[figure->marked % columns]);
}

/* The width of the widest of several names. */
static double widest_name(const char *const *names, size_t count, double size)
{
    double width = 0;
    for (size_t i = 0; i < count; i++)
        width = fmax(width, svg_text_width(names[i], size));
    return width;
}

/* Cells are as wide as the widest name of a column, so that names need not be rotated. */
void heat_draw(struct text *out, const temper_heatmap_figure *figure)
{
    assert(figure->row_count > 0 && figure->column_count > 0);
    struct point cell = {fmax(52, widest_name(figure->columns, figure->column_count, 12) + 8), 22};
    struct chart chart = {.title = figure->title, .frame = {{.title = figure->x_title}, {.title = figure->y_title}}};
    struct domain range = {0, 0};
    chart.failed = !heat_range(figure, &range);
    chart_axes(&chart, cell.x * (double)figure->column_count, cell.y * (double)figure->row_count, (struct domain){0, 1},
               (struct domain){0, 1});
    axis_categories(&chart.frame.x, figure->columns, figure->column_count);
    axis_categories(&chart.frame.y, figure->rows, figure->row_count);
    add_cells(&chart, figure, range, cell);
    describe_heat(&chart.description, figure, range.to);
    figure_draw(out, figure->title, &chart, 1, false);
}

/* ---- Confusion ------------------------------------------------------------------------------- */

/* The summed weight of all rows of a given class; counts are weighted like the loss. */
static double row_sum(const struct confusion *confusion, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < confusion->classes; i++)
        sum += confusion->sums[row * confusion->classes + i];
    return sum;
}

/* Shares of the row: blue on the diagonal, red elsewhere. Numbers only where the cells are large enough. */
static void add_confusions(struct chart *chart, const struct confusion *confusion, double side, bool numbers)
{
    struct chart_layer *cells = chart_add(chart, LAYER_BOXES, plain(palette_grid), NULL);
    for (size_t row = 0; row < confusion->classes; row++)
        for (size_t column = 0; column < confusion->classes; column++) {
            double sum = confusion->sums[row * confusion->classes + column], all = row_sum(confusion, row);
            /* The square root makes small shares of errors visible next to a diagonal near 1. */
            struct colour colour = sum > 0 && all > 0 ? palette_heat(sqrt(sum / all), row != column) : palette_grid;
            struct text words = {0};
            if (numbers && sum != 0)
                text_append_number(&words, sum, sum < 100 ? 1 : 0);
            if (words.bytes && svg_text_width(words.bytes, 12) >= side) /* too long: the shade must do */
                words.bytes[0] = '\0';
            chart_label(chart, chart_item(chart, cells, cell_item(row, column, (struct point){side, side}, colour)),
                        &words);
        }
}

/* Cells become smaller with more classes, and lose their numbers beyond twelve. */
void confusion_draw(struct text *out, const struct confusion *confusion)
{
    enum { WITH_NUMBERS = 12 }; /* classes */
    assert(confusion->classes <= CONFUSION_CLASSES);
    bool numbers = confusion->classes <= WITH_NUMBERS; /* in the cells */
    double classes = (double)confusion->classes;
    double side = numbers ? fmin(62, fmax(44, 280 / classes)) : fmax(14, 400 / classes);
    struct chart chart = {.title = confusion->title ? confusion->title : "Given and predicted classes"};
    chart.frame.x.title = confusion->column_title ? confusion->column_title : "predicted";
    chart.frame.y.title = confusion->row_title ? confusion->row_title : "given";
    chart_axes(&chart, side * classes, side * classes, (struct domain){0, 1}, (struct domain){0, 1});
    axis_categories(&chart.frame.x, confusion->names, confusion->classes);
    axis_categories(&chart.frame.y, confusion->names, confusion->classes);
    add_confusions(&chart, confusion, side, numbers);
    figure_draw(out, chart.title, &chart, 1, false);
}

/* ---- Calibration ----------------------------------------------------------------------------- */

/* Adds a row to the bin of its confidence (the probability of the predicted class). A probability of 1 belongs to the
 * last bin. Weighted sums are kept, so batches can be added in any order. */
void calibration_add(struct calibration_bins *calibration, double confidence, bool correct, double weight)
{
    double place = floor(confidence * CALIBRATION_BINS);
    size_t bin = (size_t)fmin(fmax(place, 0), CALIBRATION_BINS - 1);
    calibration->weight[bin] += weight;
    calibration->confidence[bin] += weight * confidence;
    calibration->correct[bin] += correct ? weight : 0;
}

/* A reliability diagram: accuracy against mean confidence of each bin, the area of a dot being its share of the rows.
 */
void calibration_draw(struct text *out, const struct calibration_bins *calibration)
{
    struct chart chart = {.title = "Calibration"};
    double total = 0; /* weight of all rows */
    chart.frame.x.title = "probability of the predicted class (%)";
    chart.frame.y.title = "predicted correctly (%)";
    chart_axes(&chart, CHART_WIDTH, CHART_HEIGHT, (struct domain){0, 102}, (struct domain){0, 104});
    struct chart_layer *bars = chart_add(&chart, LAYER_BOXES, plain(palette_grid), NULL);
    struct colour colour = palette_category(0).colour;
    struct chart_layer *dots = chart_add(&chart, LAYER_DOTS, plain(colour), "rows (area: their number)");
    struct chart_layer *ideal = chart_add(&chart, LAYER_GUIDES, palette_guide(palette_grey), "perfect calibration");
    chart_item(&chart, ideal, (struct chart_item){.to = {100, 100}, .colour = palette_grey});
    for (size_t i = 0; i < CALIBRATION_BINS; i++)
        total += calibration->weight[i];
    for (size_t i = 0; i < CALIBRATION_BINS; i++) {
        double weight = calibration->weight[i], step = 100.0 / CALIBRATION_BINS;
        if (weight <= 0)
            continue;
        double correct = 100 * calibration->correct[i] / weight;
        chart_item(&chart, bars,
                   (struct chart_item){
                       .from = {step * (double)i, 0}, .to = {step * (double)(i + 1), correct}, .colour = palette_grid});
        chart_item(&chart, dots,
                   (struct chart_item){.from = {100 * calibration->confidence[i] / weight, correct},
                                       .colour = colour,
                                       .radius = 2.5 + 9 * sqrt(weight / total)});
    }
    figure_draw(out, chart.title, &chart, 1, false);
}

/* ---- Histograms of margins ------------------------------------------------------------------- */

enum { BINS = 44 }; /* 7.5 pixels each */

/* The histogram of margins, of rows in two groups. */
struct margin_bins {
    struct domain range;
    size_t count[BINS][2]; /* not marked, and marked */
    size_t highest;        /* of both together */
    size_t beyond;         /* rows outside of the range, which are counted in the first and the last bin */
};

/* Extends the range so that both signs are shown and 0 is the edge of a bin, as it separates right from wrong: a bin
 * that contained 0 would mix both. */
static struct domain with_zero_on_edge(struct domain range)
{
    range.from = fmin(range.from, 0);
    range.to = fmax(range.to, 0);
    double step = (range.to - range.from) / (BINS - 1);
    double below = ceil(-range.from / step - 1e-9);
    return (struct domain){-below * step, (BINS - below) * step};
}

/* A few outliers must not squeeze all other rows into one bin. False without memory. */
static bool fill_bins(struct margin_bins *bins, const temper_margin_figure *figure)
{
    const double outlier_share = 0.002; /* on either side */
    struct domain range;
    if (!range_of_most(figure->margins, figure->count, outlier_share, &range))
        return false;
    bins->range = with_zero_on_edge(range_padded(range, 0.02));
    double step = (bins->range.to - bins->range.from) / BINS;
    for (size_t i = 0; i < figure->count; i++) {
        double place = floor((figure->margins[i] - bins->range.from) / step);
        bool marked = figure->marked && figure->marked[i];
        bins->beyond += place < 0 || place >= BINS;
        bins->count[(size_t)fmin(fmax(place, 0), BINS - 1)][marked]++;
    }
    for (size_t i = 0; i < BINS; i++)
        if (bins->count[i][0] + bins->count[i][1] > bins->highest)
            bins->highest = bins->count[i][0] + bins->count[i][1];
    return true;
}

/* Adds the bins as stacked boxes: marked rows are few, so they are at the bottom, where their heights can be compared.
 * */
static void add_bins(struct chart *chart, const struct margin_bins *bins, const temper_margin_figure *figure)
{
    double step = (bins->range.to - bins->range.from) / BINS, gap = step / 16; /* half a pixel between bins */
    for (size_t kind = 0; kind < (figure->marked ? 2 : 1); kind++) {
        struct chart_layer *layer = chart_add(chart, LAYER_BOXES, plain(palette_group(kind)), figure->names[kind]);
        for (size_t i = 0; i < BINS; i++) {
            double left = bins->range.from + step * (double)i, bottom = kind ? 0 : (double)bins->count[i][1];
            double top = bottom + (double)bins->count[i][kind];
            if (top > bottom)
                chart_item(
                    chart, layer,
                    (struct chart_item){{left + gap, bottom}, {left + step - gap, top}, palette_group(kind), 0, ""});
        }
    }
}

/* The loss at a margin, for path_sample; the context is the loss. */
static double loss_at(const void *context, double margin)
{
    return any_margin_loss(*(const temper_loss_spec *)context, margin).value;
}

/* The loss as a function of the margin, on an axis at the right. */
static void add_loss_curve(struct chart *chart, const temper_margin_figure *figure)
{
    struct domain margins = {chart->frame.x.from, chart->frame.x.to};
    double highest = 0; /* finite value of the loss in view */
    for (size_t i = 0; i <= BINS; i++) {
        double loss = loss_at(&figure->loss, margins.from + (margins.to - margins.from) * (double)i / BINS);
        highest = isfinite(loss) ? fmax(highest, loss) : highest;
    }
    /* The second y axis has the pixels of the first and its own range, since counts and losses have different units. */
    chart->right = chart->frame.y;
    chart->right.from = 0;
    chart->right.to = highest > 0 ? 1.08 * highest : 1;
    chart->right.title = "loss";
    struct frame frame = {chart->frame.x, chart->right}; /* the axes of the curve */
    struct chart_layer *layer = chart_add(chart, LAYER_LINE, palette_loss(figure->loss, 0), "loss: ");
    append_loss(&layer->name, figure->loss);
    path_sample(&layer->path, &frame, margins, loss_at, &figure->loss);
}

/* The title of the x axis states if outliers were moved into the outermost bins. */
void histogram_draw(struct text *out, const temper_margin_figure *figure)
{
    struct margin_bins bins = {.highest = 0};
    struct chart chart = {.title = figure->title};
    if (!fill_bins(&bins, figure)) {
        out->failed = true;
        return;
    }
    chart.frame.x.title =
        bins.beyond ? "margin of the given label (rows beyond are at the ends)" : "margin of the given label";
    chart.frame.y.title = "rows";
    chart_axes(&chart, CHART_WIDTH, CHART_HEIGHT, bins.range,
               (struct domain){0, 1.06 * (double)(bins.highest > 0 ? bins.highest : 1)});
    add_bins(&chart, &bins, figure);
    add_loss_curve(&chart, figure);
    figure_draw(out, figure->title, &chart, 1, false);
}

/* ---- Lines with error bars ------------------------------------------------------------------- */

/* The half-length of an error bar; 0 if the figure has no errors. */
static double error_of(const temper_line_figure *figure, size_t index)
{
    return figure->errors ? figure->errors[index] : 0;
}

/* From the lowest end of an error bar to the highest. */
static struct domain value_range(const temper_line_figure *figure)
{
    struct domain range = {INFINITY, -INFINITY}; /* empty; the caller has checked that some value is known */
    for (size_t i = 0; i < figure->series_count * figure->points; i++) {
        range.from = fmin(range.from, figure->values[i] - error_of(figure, i)); /* ignores NAN */
        range.to = fmax(range.to, figure->values[i] + error_of(figure, i));
    }
    return range;
}

/* Each series is shifted by a few pixels, or error bars would hide each other. */
static void add_series(struct chart *chart, const temper_line_figure *figure, size_t series)
{
    const struct axis *x = &chart->frame.x;
    struct stroke stroke = palette_series(figure->series[series], series);
    /* Symmetric around the true place: the middle series is not shifted. */
    double pixels = 3 * ((double)series - 0.5 * (double)(figure->series_count - 1));
    double shift = pixels / x->pixel_to * (x->to - x->from);
    stroke.width = 1.8;
    struct chart_layer *bars = chart_add(chart, LAYER_ERROR_BARS, stroke, NULL);
    struct chart_layer *points = chart_add(chart, LAYER_MARKS, stroke, NULL);
    struct chart_layer *line = chart_add(chart, LAYER_LINE, stroke, NULL);
    append_short(&line->name, figure->series[series], 40);
    for (size_t i = 0; i < figure->points; i++) {
        size_t at = series * figure->points + i;
        struct point point = {figure->x[i] + shift, figure->values[at]};
        double error = error_of(figure, at);
        /* A point of NaN interrupts the line. */
        path_append(&line->path, isnan(point.y) ? point : frame_point(&chart->frame, point.x, point.y));
        if (isnan(point.y))
            continue;
        if (error > 0)
            chart_item(
                chart, bars,
                (struct chart_item){{point.x, point.y + error}, {point.x, point.y - error}, stroke.colour, 0, ""});
        chart_item(chart, points, (struct chart_item){.from = point, .colour = stroke.colour, .radius = 2});
    }
}

/* A frame wider than the standard, for the legend of up to eight series. */
void lines_draw(struct text *out, const temper_line_figure *figure)
{
    struct domain x = {figure->x[0], figure->x[figure->points - 1]};
    struct chart chart = {.title = figure->title, .frame = {{.title = figure->x_title}, {.title = figure->y_title}}};
    chart_axes(&chart, 400, 280, range_padded(x, 0.05), range_padded(value_range(figure), 0.06));
    for (size_t s = 0; s < figure->series_count; s++)
        add_series(&chart, figure, s);
    figure_draw(out, figure->title, &chart, 1, false);
}

/* ---- Weights against the penalty ------------------------------------------------------------- */

enum {
    NAMED = 10,          /* strongest weights; more could not be distinguished */
    MOST_OTHERS = 400,   /* thin lines behind them */
    NAME_CHARACTERS = 24 /* of a label at the right of the frame */
};

/* The absolute value of a weight at the weakest penalty. */
static double end_size(const temper_path_figure *figure, size_t index)
{
    return fabs(figure->weights[(figure->steps - 1) * figure->count + index]);
}

/* The largest absolute weights at the weakest penalty, in falling order; zeros are left out. */
static size_t find_strongest(const temper_path_figure *figure, size_t strongest[NAMED])
{
    size_t count = 0;
    for (size_t i = 0; i < figure->count; i++) {
        double size = end_size(figure, i);
        size_t place = count;
        /* Insertion into a sorted list of at most NAMED; equal weights keep their order. */
        while (place > 0 && end_size(figure, strongest[place - 1]) < size)
            place--;
        if (place == NAMED || size == 0)
            continue;
        count += count < NAMED;
        memmove(strongest + place + 1, strongest + place, (count - 1 - place) * sizeof *strongest);
        strongest[place] = i;
    }
    return count;
}

/* Appends the points (log10 of the penalty, scale * values[step * stride]) of all steps, in pixels. */
static void append_path(struct path *path, const struct frame *frame, const temper_path_figure *figure,
                        const double *values, size_t stride, double scale)
{
    for (size_t i = 0; i < figure->steps; i++)
        path_append(path, frame_point(frame, log10(figure->l2[i]), scale * values[i * stride]));
}

/* Strong penalties at the left: weights grow to the right, where their names are. */
static void path_axes(struct chart *chart, const temper_path_figure *figure, double height, struct domain y)
{
    const double width = 460;
    struct domain x = {log10(figure->l2[figure->steps - 1]), log10(figure->l2[0])};
    if (x.to - x.from < 1e-3) /* nearly equal penalties */
        x = (struct domain){x.from - 5e-4, x.to + 5e-4};
    chart_axes(chart, width, height, x, y);
    chart->frame.x.pixel_from = width; /* reversed */
    chart->frame.x.pixel_to = 0;
    chart->frame.x.scale = AXIS_LOG10;
    chart->corners = "rlRL";
}

/* The strongest weights have a colour and a name at their right end; all others are thin grey lines, some of them
 * left out if there are very many. */
static void describe_weights(struct chart *chart, const temper_path_figure *figure)
{
    size_t strongest[NAMED], named = find_strongest(figure, strongest);
    size_t step = (figure->count + MOST_OTHERS - 1) / MOST_OTHERS; /* every step-th of the other weights */
    struct domain range = range_of(figure->weights, figure->steps * figure->count, 1);
    *chart = (struct chart){.title = figure->title, .unlisted = true};
    chart->frame.x.title = "penalty \xce\xbb, decreasing to the right";
    chart->frame.y.title = "weight";
    path_axes(chart, figure, 300, range_padded((struct domain){fmin(range.from, 0), fmax(range.to, 0)}, 0.04));
    struct chart_layer *others =
        chart_add(chart, LAYER_LINE, (struct stroke){.colour = palette_axis, .width = 0.8}, "other weights");
    struct chart_layer *ends = chart_add(chart, LAYER_ENDS, plain(palette_ink), NULL);
    for (size_t i = 0; i < figure->count; i += step) {
        append_path(&others->path, &chart->frame, figure, figure->weights + i, figure->count, 1);
        path_append(&others->path, (struct point){NAN, NAN}); /* the next line is a new segment */
    }
    for (size_t i = 0; i < named; i++) {
        size_t index = strongest[i];
        struct chart_layer *line = chart_add(chart, LAYER_LINE, palette_category(i), NULL);
        double end = figure->weights[(figure->steps - 1) * figure->count + index];
        line->stroke.width = 1.8;
        if (figure->names)
            append_short(&line->name, figure->names[index], NAME_CHARACTERS);
        else
            text_format(&line->name, "%zu", index + 1);
        append_path(&line->path, &chart->frame, figure, figure->weights + index, figure->count, 1);
        struct chart_item *label =
            chart_item(chart, ends, (struct chart_item){.from = {0, end}, .colour = line->stroke.colour});
        if (label)
            snprintf(label->label, sizeof label->label, "%s", words_of(&line->name));
    }
}

/* The lower chart; it has a legend only if there are two lines. */
static void describe_accuracy(struct chart *chart, const temper_path_figure *figure)
{
    struct domain range = range_of(figure->accuracy, figure->steps, 1);
    const double *accuracy[] = {figure->accuracy, figure->test_accuracy};
    static const char *const names[] = {"training rows", "test rows"};
    /* Both lines share the axis. */
    if (figure->test_accuracy) {
        struct domain test = range_of(figure->test_accuracy, figure->steps, 1);
        range = (struct domain){fmin(range.from, test.from), fmax(range.to, test.to)};
    }
    double around = fmax(0.1 * (range.to - range.from), 0.01); /* at least a percentage point */
    *chart = (struct chart){.title = "Accuracy", .unlisted = !figure->test_accuracy};
    chart->frame.x.title = "penalty \xce\xbb";
    chart->frame.y.title = "%";
    path_axes(chart, figure, 110, (struct domain){100 * (range.from - around), 100 * (range.to + around)});
    for (size_t i = 0; i < 2 && accuracy[i]; i++) {
        struct chart_layer *line = chart_add(chart, LAYER_LINE, palette_line(palette_ink, i), names[i]);
        append_path(&line->path, &chart->frame, figure, accuracy[i], 1, 100);
    }
}

/* Two charts with the same x axis, one above the other. */
void lambda_path_draw(struct text *out, const temper_path_figure *figure)
{
    struct chart charts[2];
    describe_weights(&charts[0], figure);
    if (figure->accuracy)
        describe_accuracy(&charts[1], figure);
    figure_draw(out, figure->title, charts, figure->accuracy ? 2 : 1, true);
}
