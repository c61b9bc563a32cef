/* The figure of losses as SVG: well formed, whatever is drawn, and right to the pixel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "report/figures.h"
#include "temper_extra.h"

static const double temperatures[] = {0, 0.5, 1, 1.5, 2};
static const temper_loss_spec losses[] = {
    {.method = TEMPER_HINGE},
    {.method = TEMPER_LOGISTIC},
    {.method = TEMPER_T_LOGISTIC, .t2 = 1.6},
    {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.6},
};

/* Figure 1 of the paper. */
static const temper_loss_figure paper = {
    .temperatures = temperatures,
    .temperature_count = 5,
    .losses = losses,
    .loss_count = 4,
    .margin_from = -5,
    .margin_to = 5,
    .panels = "abc",
};

/* NULL, with a failed check, if it could not be drawn. */
static char *draw(const temper_loss_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_losses(figure, &svg, &error);
    if (!CHECKF(status == TEMPER_OK, "%s", status ? error.message : ""))
        return NULL;
    CHECK_EQ_SIZE(svg.length, strlen(svg.bytes));
    return svg.bytes;
}

/* ---- Well-formedness ------------------------------------------------------------------------- */

TEST(the_check_for_form_can_fail)
{
    CHECK(xml_is_well_formed("<a b=\"c\"><d/>x &amp; y<e>z</e></a>\n"));
    CHECK(!xml_is_well_formed("<a><b></a></b>"));
    CHECK(!xml_is_well_formed("<a>"));
    CHECK(!xml_is_well_formed("<a b=c></a>"));
    CHECK(!xml_is_well_formed("<a>&</a>"));
    CHECK(!xml_is_well_formed("<a>\001</a>"));
    CHECK(!xml_is_well_formed("<a b=\"nan\"/>"));
    CHECK(!xml_is_well_formed("<a/>b"));
}

TEST(svg_is_well_formed)
{
    static const char *const panels[] = {"a", "b", "c", "ab", "abc", "cba"};
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        temper_loss_figure figure = paper;
        figure.panels = panels[i];
        char *svg = draw(&figure);
        if (!svg)
            return;
        CHECKF(xml_is_well_formed(svg), "%s", panels[i]);
        CHECK(strstr(svg, "<title>") && strstr(svg, "<desc>") && strstr(svg, "role=\"img\""));
        temper_free(svg);
    }
}

static double random_value(unsigned *state)
{
    static const double special[] = {0, 1, 0.5, 2, 5, 1e-9, 1 + 1e-9, 1 - 1e-9, 40};
    *state = *state * 1664525u + 1013904223u;
    unsigned choice = *state >> 8;
    return choice % 3 ? (choice >> 4) % 3000 / 1000.0 : special[(choice >> 4) % 9];
}

TEST(any_figure_can_be_drawn)
{
    unsigned state = 7;
    for (int round = 0; round < 150; round++) {
        double t[CHART_CURVES];
        temper_loss_spec spec[CHART_CURVES];
        temper_loss_figure figure = {.temperatures = t, .losses = spec, .panels = "abc"};
        figure.temperature_count = 1 + (size_t)round % 12;
        figure.loss_count = 1 + (size_t)round % 11;
        for (size_t i = 0; i < 12; i++) {
            t[i] = random_value(&state);
            spec[i] = (temper_loss_spec){.method = (temper_method)((size_t)(state >> 9) % (TEMPER_SCE + 1)),
                                         .t1 = random_value(&state),
                                         .t2 = random_value(&state),
                                         .smoothing = random_value(&state),
                                         .alpha = random_value(&state),
                                         .beta = random_value(&state),
                                         .log_zero = -random_value(&state)};
        }
        double centre = pow(10, random_value(&state) * 2 - 2) * (round % 3 - 1);
        figure.margin_from = centre - pow(10, round % 17 - 6) - 1e-3 * fabs(centre);
        figure.margin_to = centre + pow(10, round % 13 - 5) + 1e-3 * fabs(centre);
        char *svg = draw(&figure);
        if (!svg)
            return;
        CHECKF(xml_is_well_formed(svg), "round %d", round);
        temper_free(svg);
    }
}

TEST(ends_of_the_double_range)
{
    static const double ends[][2] = {{-1e300, 1e300}, {0, 1e-300}, {-709.7, 0},
                                     {700, 800},      {-1e300, 0}, {1e6, 1e6 + 1.5}};
    static const temper_loss_spec steep[] = {{.method = TEMPER_TEMPERED, .t1 = 2, .t2 = 1},
                                             {.method = TEMPER_LOGISTIC}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        temper_loss_figure figure = {.losses = steep, .loss_count = 1 + i % 2, .panels = "c"};
        figure.margin_from = ends[i][0];
        figure.margin_to = ends[i][1];
        char *svg = draw(&figure);
        if (!svg)
            return;
        CHECKF(xml_is_well_formed(svg), "%g to %g", ends[i][0], ends[i][1]);
        temper_free(svg);
    }
}

/* ---- What it shows --------------------------------------------------------------------------- */

/* The value of an attribute in the element that begins at `element`. */
static double attribute(const char *element, const char *name)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s=\"", name);
    const char *at = strstr(element, pattern), *end = strchr(element, '>');
    return at && at < end ? strtod(at + strlen(pattern), NULL) : NAN;
}

/* The last element with `tag` that begins before the place where `words` stand. */
static const char *element_before(const char *svg, const char *words, const char *tag)
{
    const char *end = strstr(svg, words), *found = NULL;
    for (const char *at = svg; end && (at = strstr(at, tag)) != NULL && at < end; at++)
        found = at;
    return found;
}

/* Where a value is on the y axis, by the labels of two ticks: 4 pixels above the base line. */
static double pixel_of(const char *svg, double value)
{
    double zero = attribute(element_before(svg, " text-anchor=\"end\"><tspan>0<", "<text"), "y");
    double one = attribute(element_before(svg, " text-anchor=\"end\"><tspan>1<", "<text"), "y");
    return zero + value * (one - zero) - 0.35 * 12;
}

TEST(the_cap_is_at_its_pixel)
{
    temper_loss_figure figure = paper;
    figure.panels = "c";
    char *svg = draw(&figure);
    if (!svg)
        return;
    const char *line = element_before(svg, "stroke-dasharray=\"5 4\"", "<line");
    if (CHECK(line && strstr(svg, ">cap 2.5<"))) {
        CHECK_NEAR(attribute(line, "y1"), pixel_of(svg, 2.5), 0.1);
        CHECK_NEAR(attribute(line, "y2"), pixel_of(svg, 2.5), 0.1);
        CHECK_NEAR(attribute(line, "x1"), 0, 0.01);
        CHECK_NEAR(attribute(line, "x2"), CHART_WIDTH, 0.01);
        /* In the colour of the curve, the last one. */
        const char *curve = element_before(svg, "<text", "<path");
        CHECK(strncmp(strstr(line, "stroke=\"#"), strstr(curve, "stroke=\"#"), 15) == 0);
    }
    temper_free(svg);
}

TEST(the_inflection_is_on_its_curve)
{
    temper_loss_figure figure = paper;
    figure.panels = "c";
    figure.losses = losses + 3;
    figure.loss_count = 1;
    char *svg = draw(&figure);
    if (!svg)
        return;
    double margin = temper_inflection_margin(0.6, 1.6);
    double value = temper_margin_loss(margin, 0.6, 1.6, NULL, NULL);
    const char *ring = strstr(svg, "<circle");
    CHECK_NEAR(attribute(ring, "cx"), (margin + 5) / 10 * CHART_WIDTH, 0.02);
    CHECK_NEAR(attribute(ring, "cy"), pixel_of(svg, value), 0.1);
    temper_free(svg);
}

/* A loss without bound may not make a bounded one a flat line. */
TEST(high_curves_do_not_flatten_others)
{
    const temper_loss_spec specs[] = {{.method = TEMPER_TEMPERED, .t1 = 0, .t2 = 1},
                                      {.method = TEMPER_TEMPERED, .t1 = 2, .t2 = 1},
                                      {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 0.5}};
    temper_loss_figure figure = paper;
    figure.panels = "c";
    figure.losses = specs;
    figure.loss_count = 3;
    figure.margin_from = -20;
    char *svg = draw(&figure);
    if (!svg)
        return;
    const char *cap = element_before(svg, "stroke-dasharray=\"5 4\"", "<line");
    CHECK(pixel_of(svg, 0) - attribute(cap, "y1") > CHART_HEIGHT / 7.0);
    temper_free(svg);
}

/* The functions themselves, column by column, keep out of a legend inside the frame. */
static void check_legend_is_clear(const struct chart *chart, const temper_loss_figure *figure,
                                  double function(double, double))
{
    const struct axis *x = &chart->frame.x, *y = &chart->frame.y;
    struct box box = chart->legend.box;
    if (chart->legend.beneath) {
        CHECK(box.top > CHART_HEIGHT + 30);
        return;
    }
    for (int column = 0; 0.25 * column < box.width; column++)
        for (size_t i = 0; i < figure->temperature_count; i++) {
            double t = figure->temperatures[i], pixel = box.left + 0.25 * column;
            double value = x->from + (x->to - x->from) * pixel / CHART_WIDTH;
            double height = axis_pixel(y, function(value, t));
            CHECKF(!(height > box.top && height < box.top + box.height), "t = %g, x = %g", t, value);
        }
}

static void check_legends_are_clear(const temper_loss_figure *figure)
{
    for (char panel = 'a'; panel <= 'b'; panel++) {
        struct chart chart = {0};
        losses_describe(&chart, figure, panel);
        chart_arrange(&chart);
        check_legend_is_clear(&chart, figure, panel == 'a' ? temper_log_t : temper_exp_t);
        chart_free(&chart);
    }
}

TEST(legends_keep_clear_of_curves)
{
    static const double many[] = {0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 5};
    check_legends_are_clear(&paper);
    for (size_t count = 1; count <= 12; count++) {
        temper_loss_figure figure = {.temperatures = many + 12 - count, .temperature_count = count};
        check_legends_are_clear(&figure);
        figure.temperatures = many;
        check_legends_are_clear(&figure);
    }
}

static double constant(const void *context, double x)
{
    return *(const double *)context + 0 * x;
}

/* The legend of a chart with flat curves at these heights, from 0, the bottom, to 10. */
static struct chart_legend legend_among(const double *heights, size_t count)
{
    struct chart chart = {.title = "", .corners = "Rr"};
    chart_axes(&chart, 300, 200, (struct domain){0, 1}, (struct domain){0, 10});
    for (size_t i = 0; i < count; i++) {
        struct chart_layer *line = chart_add(&chart, LAYER_LINE, (struct stroke){.width = 1}, "name");
        path_sample(&line->path, &chart.frame, (struct domain){0, 1}, constant, &heights[i]);
    }
    chart_arrange(&chart);
    chart_free(&chart);
    return chart.legend;
}

TEST(a_legend_looks_for_a_free_corner)
{
    const double heights[] = {5, 9, 1};
    struct chart_legend legend = legend_among(heights, 1);
    CHECK(!legend.beneath && legend.box.top < 20);
    legend = legend_among(heights, 2);
    CHECK(!legend.beneath && legend.box.top > 120);
    legend = legend_among(heights, 3);
    CHECK(legend.beneath && legend.box.top > 200 && legend.columns == 3);
}

TEST(panels_come_in_the_order_asked_for)
{
    temper_loss_figure figure = paper;
    figure.panels = "ca";
    char *svg = draw(&figure);
    if (svg) {
        const char *c = strstr(svg, ">(c)<"), *a = strstr(svg, ">(a)<");
        CHECK(c && a && c < a && !strstr(svg, ">(b)<"));
    }
    temper_free(svg);
    figure.panels = "b";
    svg = draw(&figure);
    if (svg)
        CHECK(!strstr(svg, ">(b)<") && strstr(svg, "Tempered exponential"));
    temper_free(svg);
}

TEST_LIST(LISTED(the_check_for_form_can_fail), LISTED(svg_is_well_formed), LISTED(any_figure_can_be_drawn),
          LISTED(ends_of_the_double_range), LISTED(the_cap_is_at_its_pixel), LISTED(the_inflection_is_on_its_curve),
          LISTED(high_curves_do_not_flatten_others), LISTED(legends_keep_clear_of_curves),
          LISTED(a_legend_looks_for_a_free_corner), LISTED(panels_come_in_the_order_asked_for))
