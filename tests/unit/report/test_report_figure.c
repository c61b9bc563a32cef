/* What a figure needs: the same bytes every time; a clear word where an argument is wrong; and that
 * nothing is given out when memory ends. Beneath it, the elements of SVG. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "report/svg.h"
#include "temper_extra.h"

static const double temperatures[] = {0, 0.5, 1, 2};
static const temper_loss_spec losses[] = {
    {.method = TEMPER_HINGE, .t1 = NAN, .t2 = -1}, /* neither counts */
    {.method = TEMPER_LOGISTIC, .t1 = NAN, .t2 = NAN},
    {.method = TEMPER_GCE, .t1 = 0.99, .t2 = NAN},
    {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.6},
};

static const temper_loss_figure paper = {
    .temperatures = temperatures,
    .temperature_count = 4,
    .losses = losses,
    .loss_count = 4,
    .margin_from = -5,
    .margin_to = 5,
    .panels = "abc",
};

/* ---- Elements -------------------------------------------------------------------------------- */

static void check_escaped(const char *string, const char *expected)
{
    struct text text = {0};
    text_append(&text, "");
    svg_escape(&text, string);
    CHECK_EQ_TEXT(text.bytes, expected);
    text_free(&text);
}

TEST(text_is_escaped)
{
    check_escaped("", "");
    check_escaped("a < b && \"c\" > d", "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
    check_escaped("log" SVG_SUB(SVG_ITALIC("t")) " x", "logt x");
    check_escaped("bell\a, tab\t, delete\x7f", "bell, tab, delete");
    check_escaped("\xe2\x88\x92 stays", "\xe2\x88\x92 stays");
}

/* The inside of the element that svg_text makes. */
static void check_text(const char *string, const char *expected)
{
    const struct font font = {.size = 100};
    struct text text = {0};
    svg_text(&text, (struct point){0, 0}, string, &font);
    char *inside = strchr(text.bytes, '>') + 1;
    *strstr(inside, "</text>") = '\0';
    CHECK_EQ_TEXT(inside, expected);
    text_free(&text);
}

TEST(scripts_and_italics)
{
    check_text("a<b", "<tspan>a&lt;b</tspan>");
    check_text("x" SVG_SUB("1") "y", "<tspan>x</tspan><tspan dy=\"22\" font-size=\"72\">1</tspan>"
                                     "<tspan dy=\"-22\">y</tspan>");
    check_text("10" SVG_SUP("9"), "<tspan>10</tspan><tspan dy=\"-38\" font-size=\"72\">9</tspan>");
    check_text(SVG_SUB(SVG_ITALIC("t")), "<tspan dy=\"22\" font-size=\"72\" font-style=\"italic\">t</tspan>");
    /* Marks without a partner do no harm, nor do more of them than anyone needs. */
    check_text("a\004b", "<tspan>a</tspan><tspan>b</tspan>");
    check_text("\003a", "<tspan font-style=\"italic\">a</tspan>");
    check_text("\003\003\003\003\003\003\003\003\003\003\003\003a\004", "<tspan font-style=\"italic\">a</tspan>");
    CHECK(svg_text_width("x" SVG_SUB("1"), 10) < svg_text_width("x1", 10));
    CHECK(svg_text_width("mm", 10) > svg_text_width("ii", 10));
    CHECK_CLOSE(svg_text_width("abc", 20), 2 * svg_text_width("abc", 10), 1e-15);
}

TEST(a_path_lifts_the_pen_at_nan)
{
    const struct point points[] = {{1, 2}, {3, 4.126}, {NAN, NAN}, {-5, 6}, {7, 8}};
    const struct stroke stroke = {.width = 1};
    struct text text = {0};
    svg_path(&text, points, 5, &stroke);
    CHECK(strstr(text.bytes, " d=\"M1 2L3 4.13M-5 6L7 8\"/>"));
    text_free(&text);
}

/* ---- The figure ------------------------------------------------------------------------------ */

static char *draw(const temper_loss_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_losses(figure, &svg, &error);
    CHECKF(status == TEMPER_OK, "%s", status ? error.message : "");
    return svg.bytes;
}

TEST(same_figure_same_bytes)
{
    char *first = draw(&paper);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed, numbers have commas */
    char *second = draw(&paper);
    setlocale(LC_ALL, "C");
    if (first && second)
        CHECK(strcmp(first, second) == 0);
    temper_free(first);
    temper_free(second);
}

static char untouched;

/* The figure is refused with these words, and nothing is given out. */
static void check_refused(const temper_loss_figure *figure, const char *words)
{
    temper_text svg = {&untouched, 12345};
    temper_error error = {.line = 9, .column = 9};
    CHECK(temper_plot_losses(figure, &svg, &error) == TEMPER_USAGE);
    CHECK(error.status == TEMPER_USAGE && error.line == 0 && error.column == 0);
    CHECK_EQ_TEXT(error.message, words);
    CHECK(svg.bytes == &untouched && svg.length == 12345);
    CHECK(temper_plot_losses(figure, &svg, NULL) == TEMPER_USAGE);
}

TEST(wrong_panels_are_refused)
{
    temper_loss_figure figure = paper;
    check_refused(NULL, "no figure, or nowhere to put it; give both");
    figure.panels = NULL;
    check_refused(&figure, "no panels to draw; name some of a, b and c");
    figure.panels = "";
    check_refused(&figure, "no panels to draw; name some of a, b and c");
    figure.panels = "abd";
    check_refused(&figure, "there is no panel 'd'; a is log_t, b is exp_t, c the losses");
    figure.panels = "aca";
    check_refused(&figure, "panel 'a' is named twice; name it once");
    CHECK(temper_plot_losses(&paper, NULL, NULL) == TEMPER_USAGE);
}

TEST(wrong_temperatures_are_refused)
{
    static const double wrong[][2] = {{1, -0.5}, {1, NAN}, {1, INFINITY}};
    static const char *const shown[] = {"-0.5", "nan", "inf"};
    temper_loss_figure figure = paper;
    for (size_t i = 0; i < 3; i++) {
        char words[120];
        snprintf(words, sizeof words, "temperature 2 is %s; give a finite number that is not negative", shown[i]);
        figure.temperatures = wrong[i];
        figure.temperature_count = 2;
        check_refused(&figure, words);
    }
    figure.temperature_count = 0;
    check_refused(&figure, "no temperatures to draw; give some, or leave their panel out");
    figure.temperature_count = 25;
    check_refused(&figure, "25 temperatures are too many for a panel; give at most 24");
    figure.temperature_count = 0;
    figure.panels = "c"; /* which does not need them */
    temper_free(draw(&figure));
}

static void check_loss_refused(temper_loss_spec loss, const char *words)
{
    temper_loss_spec specs[] = {losses[0], loss};
    temper_loss_figure figure = paper;
    figure.losses = specs;
    figure.loss_count = 2;
    check_refused(&figure, words);
}

TEST(wrong_losses_are_refused)
{
    temper_loss_spec unknown = {.t1 = 1, .t2 = 1};
    memset(&unknown.method, 0x7f, sizeof unknown.method);
    check_loss_refused(unknown, "loss 2 is of no known method; use a temper_method");
    check_loss_refused((temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = -1, .t2 = 1},
                       "loss 2 has t1 = -1; give a finite number that is not negative");
    check_loss_refused((temper_loss_spec){.method = TEMPER_T_LOGISTIC, .t2 = NAN},
                       "loss 2 has t2 = nan; give a finite number that is not negative");
    check_loss_refused((temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = 1, .t2 = INFINITY},
                       "loss 2 has t2 = inf; give a finite number that is not negative");
    check_loss_refused((temper_loss_spec){.method = TEMPER_HINGE, .smoothing = -2},
                       "loss 2 has smoothing = -2; give a finite number that is not negative");
    temper_loss_figure figure = paper;
    figure.losses = NULL;
    check_refused(&figure, "no losses to draw; give some, or leave their panel out");
    figure.panels = "ab"; /* which do not need them */
    temper_free(draw(&figure));
}

static void check_margins_refused(double from, double to, const char *words)
{
    temper_loss_figure figure = paper;
    figure.margin_from = from;
    figure.margin_to = to;
    check_refused(&figure, words);
}

TEST(wrong_margins_are_refused)
{
    check_margins_refused(5, -5, "margins from 5 to -5 are no range; give the smaller one first");
    check_margins_refused(1, 1, "margins from 1 to 1 are no range; give the smaller one first");
    check_margins_refused(NAN, 1, "margins from nan to 1 cannot be drawn; give two numbers up to 1e300");
    check_margins_refused(-INFINITY, 1, "margins from -inf to 1 cannot be drawn; give two numbers up to 1e300");
    check_margins_refused(1e6, 1e6 + 0.5, "margins from 1e+06 to 1e+06 are too close to each other; widen the range");
    check_margins_refused(0, 1e-310, "margins from 0 to 1e-310 are too close to each other; widen the range");
}

TEST(no_memory_gives_nothing_out)
{
    size_t n = 1;
    for (;; n++) {
        temper_text svg = {&untouched, 12345};
        temper_error error;
        fault_arm(n);
        temper_status status = temper_plot_losses(&paper, &svg, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK);
            temper_text_free(&svg);
            break;
        }
        CHECKF(status == TEMPER_NO_MEMORY && error.status == status, "allocation %zu", n);
        CHECKF(svg.bytes == &untouched && svg.length == 12345, "allocation %zu", n);
        if (status == TEMPER_OK)
            temper_text_free(&svg);
    }
    CHECK(n > 30);
}

/* All panels; and the colour of a temperature does not depend on whether 1 is among the others. */
TEST(pictures_change_on_purpose_only)
{
    static const double without[] = {0, 0.5, 2};
    temper_loss_figure other = paper;
    other.temperatures = without;
    other.temperature_count = 3;
    other.panels = "ba";
    char *const drawn[] = {draw(&paper), draw(&other)};
    static const char *const known[] = {"597bdc6bdbbf0c18", "5f06026e1ea808eb"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        CHECK_EQ_TEXT(xml_checksum(drawn[i]), known[i]);
        temper_free(drawn[i]);
    }
}

TEST_LIST(LISTED(text_is_escaped), LISTED(scripts_and_italics), LISTED(a_path_lifts_the_pen_at_nan),
          LISTED(same_figure_same_bytes), LISTED(wrong_panels_are_refused), LISTED(wrong_temperatures_are_refused),
          LISTED(wrong_losses_are_refused), LISTED(wrong_margins_are_refused), LISTED(no_memory_gives_nothing_out),
          LISTED(pictures_change_on_purpose_only))
