/* Pictures of data and models: well formed whatever is drawn, a clear word where an argument is
 * wrong, nothing given out when memory ends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "temper_extra.h"

static const temper_loss_spec capped = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1};

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* The picture is well formed and named; NULL, with a failed check, if there is none. */
static char *checked(temper_status status, char *svg, size_t length, const temper_error *error)
{
    if (!CHECKF(status == TEMPER_OK, "%s", status ? error->message : ""))
        return NULL;
    CHECK_EQ_SIZE(length, strlen(svg));
    CHECK(xml_is_well_formed(svg));
    CHECK(strstr(svg, "<title>") && strstr(svg, "<desc>") && strstr(svg, "role=\"img\""));
    CHECK(!strstr(svg, "<script") && !strstr(svg, "href"));
    return svg;
}

static char untouched;

/* Refused with these words, and nothing given out. */
static void refuse_boundary(const temper_boundary_figure *figure, const char *words)
{
    temper_text svg = {&untouched, 12345};
    temper_error error;
    CHECK(temper_plot_boundary(figure, &svg, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, words);
    CHECK(svg.bytes == &untouched && svg.length == 12345);
    CHECK(temper_plot_boundary(figure, &svg, NULL) == TEMPER_USAGE);
}

static void refuse_margins(const temper_margin_figure *figure, const char *words)
{
    temper_text svg = {&untouched, 12345};
    temper_error error;
    CHECK(temper_plot_margins(figure, &svg, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, words);
    CHECK(svg.bytes == &untouched && svg.length == 12345);
    CHECK(temper_plot_margins(figure, NULL, NULL) == TEMPER_USAGE);
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

static const double points[] = {-1, 0, 1, 0.5, 0.5, -2, 2, 3};
static const uint32_t labels[] = {0, 1, 0, 1};
static const unsigned char flipped[] = {0, 0, 1, 0};
static const temper_boundary lines[] = {{"upright", {1, 0}, -0.5}, {"flat", {0, 2}, 0}};

static const temper_boundary_figure plane = {
    .points = points,
    .labels = labels,
    .flipped = flipped,
    .count = 4,
    .class_names = {"a", "b"},
    .boundaries = lines,
    .boundary_count = 2,
};

static char *draw_boundary(const temper_boundary_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_boundary(figure, &svg, &error);
    return checked(status, svg.bytes, svg.length, &error);
}

TEST(points_lines_and_rings)
{
    char *svg = draw_boundary(&plane);
    if (!svg)
        return;
    /* Two dots of class 0 and one in the legend; a ring and one in the legend; white paper, two
     * squares and one in the legend, the frame. */
    CHECK_EQ_SIZE(count_of(svg, "<circle"), 3 + 2);
    CHECK_EQ_SIZE(count_of(svg, "<rect"), 1 + 3 + 1);
    CHECK_EQ_SIZE(count_of(svg, "<path"), 2 * 2); /* each with a line in the colour of the paper beneath */
    CHECK(strstr(svg, "wrong label") && strstr(svg, "upright") && strstr(svg, "feature 2"));
    CHECK(!strstr(svg, "not in view"));
    temper_free(svg);
}

TEST(boundaries_that_are_not_there)
{
    static const temper_boundary odd[] = {
        {"nowhere", {0, 0}, 1}, {"far", {1, 0}, 1e6}, {"steep", {1e300, 1e-300}, 0}, {"none", {0, 0}, 0}};
    temper_boundary_figure figure = plane;
    figure.boundaries = odd;
    figure.boundary_count = 4;
    figure.flipped = NULL;
    char *svg = draw_boundary(&figure);
    if (!svg)
        return;
    CHECK(strstr(svg, "nowhere (not in view)") && strstr(svg, "far (not in view)"));
    CHECK(!strstr(svg, "steep (") && !strstr(svg, "wrong label"));
    temper_free(svg);
}

TEST(points_of_any_size)
{
    static const double places[][4] = {
        {0, 0, 0, 0},          {5, 5, 5, 5}, {1e300, 0, -1e300, 0}, {1e-300, 1, 2e-300, 1}, {1e9, 1, 1e9 + 1e-7, 1},
        {-3, 1e300, -3, 1e300}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t count = 1; count <= 2; count++) {
            temper_boundary_figure figure = plane;
            figure.points = places[i];
            figure.count = count;
            temper_free(draw_boundary(&figure));
        }
}

TEST(many_points_are_thinned)
{
    enum { ROWS = 1000000 };
    double *many = malloc(2 * ROWS * sizeof *many);
    uint32_t *classes = calloc(ROWS, sizeof *classes);
    if (!CHECK(many && classes)) {
        free(many);
        free(classes);
        return;
    }
    for (size_t i = 0; i < 2 * ROWS; i++)
        many[i] = (double)(i * 7919 % 100003);
    temper_boundary_figure figure = plane;
    figure.points = many;
    figure.labels = classes;
    figure.flipped = NULL;
    figure.count = ROWS;
    char *svg = draw_boundary(&figure);
    CHECK(svg && strlen(svg) < 300000);
    temper_free(svg);
    free(many);
    free(classes);
}

TEST(wrong_points_are_refused)
{
    static const double holes[] = {0, 1, NAN, 2};
    static const uint32_t three[] = {0, 2};
    temper_boundary_figure figure = plane;
    refuse_boundary(NULL, "no figure, or nowhere to put it; give both");
    figure.count = 0;
    refuse_boundary(&figure, "no coordinates to draw; give at least one");
    figure.count = 2;
    figure.points = holes;
    refuse_boundary(&figure, "coordinate 3 is nan, which cannot be drawn; give finite numbers up to 1e300");
    figure.points = points;
    figure.labels = three;
    refuse_boundary(&figure, "label 2 is 2; there are classes 0 and 1");
    figure.labels = NULL;
    refuse_boundary(&figure, "the points have no labels; give 0 or 1 for each");
}

TEST(wrong_boundaries_are_refused)
{
    static const temper_boundary bad[] = {{"x", {1, INFINITY}, 0}};
    temper_boundary_figure figure = plane;
    figure.boundaries = bad;
    figure.boundary_count = 1;
    refuse_boundary(&figure, "parameter 2 is inf, which cannot be drawn; give finite numbers up to 1e300");
    figure.boundary_count = 7;
    refuse_boundary(&figure, "7 boundaries are too many; give at most 6");
    figure = plane;
    figure.class_names[1] = NULL;
    refuse_boundary(&figure, "class 2 has no name; give one");
}

/* ---- Margins --------------------------------------------------------------------------------- */

static char *draw_margins(const temper_margin_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_margins(figure, &svg, &error);
    return checked(status, svg.bytes, svg.length, &error);
}

TEST(margins_are_counted)
{
    static const double margins[] = {-2, -1.99, 1, 1.01, 3};
    static const unsigned char marked[] = {1, 0, 0, 0, 0};
    temper_margin_figure figure = {
        .margins = margins, .marked = marked, .count = 5, .names = {"right & good", "wr<o>ng"}, .loss = capped};
    char *svg = draw_margins(&figure);
    if (!svg)
        return;
    /* Paper, frame, two keys; a bar for each of three places, one of them in two colours. */
    CHECK_EQ_SIZE(count_of(svg, "<rect"), 2 + 2 + 4);
    CHECK(strstr(svg, "right &amp; good") && strstr(svg, "wr&lt;o&gt;ng"));
    CHECK(strstr(svg, "loss: "));
    temper_free(svg);
}

TEST(margins_of_any_size)
{
    static const double sets[][3] = {{0, 0, 0},          {1, 1, 1},           {-7, -7, -7},
                                     {1e300, -1e300, 0}, {1e-300, 2e-300, 0}, {5e8, 5e8, 5e8 + 1}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int method = 0; method < TEMPER_METHODS; method++) {
            temper_margin_figure figure = {.margins = sets[i], .count = i % 2 ? 3 : 1};
            figure.loss = (temper_loss_spec){.method = (temper_method)method, .t1 = 0.5, .t2 = 1.5, .smoothing = 0.1};
            figure.names[0] = "rows";
            temper_free(draw_margins(&figure));
        }
}

/* All rows are in some bar, and a few far ones do not squeeze the others. */
TEST(a_million_margins)
{
    enum { ROWS = 1000000 };
    double *margins = malloc(ROWS * sizeof *margins);
    if (!CHECK(margins))
        return;
    for (size_t i = 0; i < ROWS; i++)
        margins[i] = (double)(i * 7919 % ROWS) / ROWS * 4 - 1;
    for (size_t i = 0; i < 1000; i++)
        margins[i] = -1e9;
    temper_margin_figure figure = {.margins = margins, .count = ROWS, .loss = capped};
    figure.names[0] = "rows";
    char *svg = draw_margins(&figure);
    if (svg)
        CHECK(count_of(svg, "<rect") > 40 && strstr(svg, "rows beyond are at the ends"));
    temper_free(svg);
    free(margins);
}

TEST(wrong_margins_are_refused)
{
    static const double margins[] = {1, NAN};
    temper_margin_figure figure = {.margins = margins, .count = 2, .loss = capped};
    figure.names[0] = "rows";
    refuse_margins(&figure, "margin 2 is nan, which cannot be drawn; give finite numbers up to 1e300");
    figure.count = 1;
    figure.loss.t1 = NAN;
    refuse_margins(&figure, "the loss has no value at the margin 0; give legal temperatures");
    figure.loss = capped;
    figure.names[0] = NULL;
    refuse_margins(&figure, "group 1 has no name; give one");
    figure.margins = NULL;
    refuse_margins(&figure, "no margins to draw; give at least one");
}

/* Each allocation fails once; nothing is given out then. */
TEST(memory_may_end)
{
    static const double margins[] = {-2, 1, 3};
    temper_margin_figure rows = {.margins = margins, .count = 3, .loss = capped};
    rows.names[0] = "rows";
    for (int kind = 0; kind < 2; kind++)
        for (size_t n = 1;; n++) {
            temper_text svg = {0};
            fault_arm(n);
            temper_status status =
                kind ? temper_plot_margins(&rows, &svg, NULL) : temper_plot_boundary(&plane, &svg, NULL);
            fault_disarm();
            CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !svg.bytes : status == TEMPER_OK);
            temper_text_free(&svg);
            if (!fault_fired())
                break;
        }
}

/* A plane with lines, and margins with a loss: every coordinate, colour and word. */
TEST(pictures_change_on_purpose_only)
{
    static const double margins[] = {-2, -1.99, 1, 1.01, 3};
    static const unsigned char marked[] = {1, 0, 0, 0, 0};
    const temper_margin_figure figure = {
        .margins = margins, .marked = marked, .count = 5, .names = {"right", "wrong"}, .loss = capped};
    char *boundary = draw_boundary(&plane), *counted = draw_margins(&figure);
    CHECK_EQ_TEXT(xml_checksum(boundary), "c3e56da826de2e40");
    CHECK_EQ_TEXT(xml_checksum(counted), "d0c96ab9e2724587");
    temper_free(boundary);
    temper_free(counted);
}

TEST_LIST(LISTED(points_lines_and_rings), LISTED(boundaries_that_are_not_there), LISTED(points_of_any_size),
          LISTED(many_points_are_thinned), LISTED(wrong_points_are_refused), LISTED(wrong_boundaries_are_refused),
          LISTED(margins_are_counted), LISTED(margins_of_any_size), LISTED(a_million_margins),
          LISTED(wrong_margins_are_refused), LISTED(memory_may_end), LISTED(pictures_change_on_purpose_only))
