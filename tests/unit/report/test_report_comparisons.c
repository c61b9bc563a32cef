/* Paths of weights and bars: well formed whatever is drawn, the strongest named, wrong arguments
 * refused with a clear word. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "temper_extra.h"

static const double penalties[] = {1, 0.1, 0.01};
static const double weights[] = {0, 0, 0.1, 1, -2, 0.2, 3, -5, 0.3}; /* 3 steps of 3 */
static const double accuracy[] = {0.5, 0.8, 0.9};
static const char *const names[] = {"first", "sec<ond>", "a name that is far too long to stand beside a picture"};

static const temper_path_figure path = {
    .l2 = penalties,
    .steps = 3,
    .weights = weights,
    .names = names,
    .count = 3,
    .accuracy = accuracy,
};

static const char *const groups[] = {"clean", "noisy"};
static const char *const series[] = {"one", "two"};
static const double shares[] = {1, 0.99999, 0.727, 0.00001};

static const temper_bar_figure bars = {
    .groups = groups,
    .group_count = 2,
    .series = series,
    .series_count = 2,
    .values = shares,
    .shares = 1,
};

static char *draw_path(const temper_path_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_path(figure, &svg, &error);
    CHECKF(status == TEMPER_OK, "%s", status ? error.message : "");
    CHECK(svg.bytes && xml_is_well_formed(svg.bytes));
    return svg.bytes;
}

static char *draw_bars(const temper_bar_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_bars(figure, &svg, &error);
    CHECKF(status == TEMPER_OK, "%s", status ? error.message : "");
    CHECK(svg.bytes && xml_is_well_formed(svg.bytes));
    return svg.bytes;
}

static void refuse_path(const temper_path_figure *figure, const char *words)
{
    temper_text svg = {0};
    temper_error error;
    CHECK(temper_plot_path(figure, &svg, &error) == TEMPER_USAGE && !svg.bytes);
    CHECK_EQ_TEXT(error.message, words);
}

static void refuse_bars(const temper_bar_figure *figure, const char *words)
{
    temper_text svg = {0};
    temper_error error;
    CHECK(temper_plot_bars(figure, &svg, &error) == TEMPER_USAGE && !svg.bytes);
    CHECK_EQ_TEXT(error.message, words);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

TEST(weights_are_named_at_their_ends)
{
    char *svg = draw_path(&path);
    if (!svg)
        return;
    const char *strongest = strstr(svg, "<title>sec&lt;ond&gt;</title>");
    CHECK(strongest && strstr(strongest, "<title>first</title>")); /* in order of strength */
    CHECK(strstr(svg, "a name that is far too \xe2\x80\xa6"));
    CHECK(strstr(svg, "Accuracy") && strstr(svg, "training rows"));
    temper_free(svg);
    temper_path_figure figure = path;
    figure.names = NULL;
    figure.accuracy = NULL;
    svg = draw_path(&figure);
    if (svg)
        CHECK(strstr(svg, "<title>2</title>") && !strstr(svg, "Accuracy"));
    temper_free(svg);
}

/* The weakest penalty is at the right, where weights have their names. */
TEST(penalties_fall_to_the_right)
{
    char *svg = draw_path(&path);
    const char *line = svg ? strstr(svg, "<title>first</title>") : NULL;
    const char *drawn = line ? strstr(line, " d=\"M") : NULL;
    if (CHECK(drawn)) {
        const char *last = strchr(drawn + 4, '"');
        while (*last != 'L')
            last--;
        CHECK(strtod(drawn + strlen(" d=\"M"), NULL) == 0);
        CHECK(strtod(last + 1, NULL) == 460); /* the width of the frame */
    }
    temper_free(svg);
}

TEST(paths_of_any_size)
{
    static const double tops[] = {0, 1e-300, 1, 1e300};
    enum { COUNT = 2000 };
    double *many = calloc(2 * COUNT, sizeof *many);
    if (!CHECK(many))
        return;
    for (size_t i = 0; i < 4; i++) {
        const double two[] = {i == 3 ? 1e300 : 1e-5, i == 3 ? 1e-300 : 0.99999e-5};
        temper_path_figure figure = {.l2 = two, .steps = 2, .weights = many, .count = COUNT};
        for (size_t j = 0; j < COUNT; j++)
            many[COUNT + j] = tops[i] * ((double)j / COUNT - 0.5);
        temper_free(draw_path(&figure));
        figure.count = 1;
        temper_free(draw_path(&figure));
    }
    free(many);
}

TEST(both_accuracies)
{
    static const double flat[] = {1, 1, 1};
    temper_path_figure figure = path;
    figure.accuracy = flat;
    figure.test_accuracy = flat;
    char *svg = draw_path(&figure);
    if (svg)
        CHECK(strstr(svg, "test rows"));
    temper_free(svg);
}

TEST(wrong_paths_are_refused)
{
    static const double first_wrong[] = {NAN, 0, 0.1, 1, -2, 0.2, 3, -5, 0.3};
    temper_path_figure wrong = path;
    wrong.weights = first_wrong;
    refuse_path(&wrong, "weight 1 is nan, which cannot be drawn; give finite numbers up to 1e300");
    static const double rising[] = {1, 2, 3}, zero[] = {1, 0, -1}, above[] = {0.5, 1.5, 0};
    static const double holes[] = {0, 0, 0, 0, 0, 0, 0, 0, INFINITY};
    temper_path_figure figure = path;
    refuse_path(NULL, "no figure, or nowhere to put it; give both");
    figure.l2 = rising;
    refuse_path(&figure, "penalty 2 is not below the one before; give them falling");
    figure.l2 = zero;
    refuse_path(&figure, "penalty 2 is 0, and its axis is logarithmic; give one above 0");
    figure = path;
    figure.steps = 1;
    refuse_path(&figure, "one penalty makes no path; give at least 2");
    figure = path;
    figure.weights = holes;
    refuse_path(&figure, "weight 9 is inf, which cannot be drawn; give finite numbers up to 1e300");
    figure = path;
    figure.accuracy = above;
    refuse_path(&figure, "accuracy 2 is 1.5; give a share from 0 to 1");
    figure = path;
    figure.count = 0;
    refuse_path(&figure, "no weights to draw; give at least one");
}

/* ---- Bars ------------------------------------------------------------------------------------ */

TEST(bars_say_what_they_are)
{
    char *svg = draw_bars(&bars);
    if (!svg)
        return;
    CHECK(strstr(svg, ">100 %<") && strstr(svg, ">72.7 %<"));
    CHECK(strstr(svg, "&gt; 99.9 %") && strstr(svg, "&lt; 0.1 %")); /* not quite all, nor none */
    CHECK(strstr(svg, "clean: one 100 %; two"));
    temper_free(svg);
}

TEST(bars_of_any_size)
{
    static const double sets[][4] = {
        {0, 0, 0, 0}, {-1, 2, -3, 4}, {-1e300, 1e300, 0, 1}, {1e-300, -1e-300, 0, 0}, {-5, -5, -5, -5}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        temper_bar_figure figure = bars;
        figure.shares = 0;
        figure.values = sets[i];
        temper_free(draw_bars(&figure));
        figure.group_count = figure.series_count = 1;
        temper_free(draw_bars(&figure));
    }
}

TEST(wrong_bars_are_refused)
{
    static const double above[] = {0, 0, 2, 0}, holes[] = {0, 0, 0, NAN};
    temper_bar_figure figure = bars;
    refuse_bars(NULL, "no figure, or nowhere to put it; give both");
    figure.values = above;
    refuse_bars(&figure, "value 3 is 2; give a share from 0 to 1");
    figure.values = holes;
    refuse_bars(&figure, "value 4 is nan, which cannot be drawn; give finite numbers up to 1e300");
    figure = bars;
    figure.series_count = 7;
    refuse_bars(&figure, "2 groups of 7 bars are too many; give at most 64 of 6");
    figure = bars;
    figure.groups = NULL;
    refuse_bars(&figure, "group 1 has no name; give one");
    figure = bars;
    figure.group_count = 0;
    refuse_bars(&figure, "no values to draw; give at least one");
}

/* ---- Heat maps ------------------------------------------------------------------------------- */

static const double cells[] = {0.5, NAN, 0.91, 0.905, 0.1, 0.9};
static const char *const three_names[] = {"a", "b<c", "d"};

static const temper_heatmap_figure heat = {
    .rows = groups,
    .row_count = 2,
    .columns = three_names,
    .column_count = 3,
    .values = cells,
    .marked = 2,
    .shares = 1,
};

static char *draw_heat(const temper_heatmap_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_heatmap(figure, &svg, &error);
    CHECKF(status == TEMPER_OK, "%s", status ? error.message : "");
    CHECK(svg.bytes && xml_is_well_formed(svg.bytes));
    return svg.bytes;
}

static void refuse_heat(const temper_heatmap_figure *figure, const char *words)
{
    temper_text svg = {0};
    temper_error error;
    CHECK(temper_plot_heatmap(figure, &svg, &error) == TEMPER_USAGE && !svg.bytes);
    CHECK_EQ_TEXT(error.message, words);
}

TEST(maps_say_what_they_are)
{
    temper_heatmap_figure figure = heat;
    char *svg = draw_heat(&figure);
    CHECK(strstr(svg, "the largest value is 91.00; marked: clean, d") != NULL);
    CHECK(strstr(svg, ">90.50<") && strstr(svg, "b&lt;c") && strstr(svg, "Heat map"));
    temper_free(svg);
    figure.shares = 0;
    figure.marked = SIZE_MAX;
    svg = draw_heat(&figure);
    CHECK(strstr(svg, ">0.905<") && !strstr(svg, "marked"));
    temper_free(svg);
    static const double equal[] = {1, 1, 1, 1, 1, 1};
    figure.values = equal;
    temper_free(draw_heat(&figure));
}

TEST(wrong_maps_are_refused)
{
    static const double nothing[] = {NAN, NAN, NAN, NAN, NAN, NAN}, over[] = {1, 1, 1, 1, 1, 1.5};
    static const char *const unnamed[] = {"a", NULL, "c"};
    temper_heatmap_figure figure = heat;
    refuse_heat(NULL, "no figure, or nowhere to put it; give both");
    figure.values = nothing;
    refuse_heat(&figure, "all cells are empty; give some numbers");
    figure.values = over;
    refuse_heat(&figure, "value 1 is 1.5; give a share from 0 to 1");
    figure = heat;
    figure.columns = unnamed;
    refuse_heat(&figure, "column 2 has no name; give one");
    figure = heat;
    figure.row_count = 129;
    refuse_heat(&figure, "129 rows of 3 cells cannot be drawn; give 1 to 128 of each");
}

TEST(maps_need_memory)
{
    bool fired = true;
    for (size_t n = 1; fired; n++) {
        temper_text svg = {0};
        temper_error error;
        fault_arm(n);
        temper_status status = temper_plot_heatmap(&heat, &svg, &error);
        fault_disarm();
        fired = fault_fired();
        CHECK(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK));
        CHECK(fired == !svg.bytes);
        temper_text_free(&svg);
    }
}

TEST(memory_may_end)
{
    for (int kind = 0; kind < 2; kind++)
        for (size_t n = 1;; n++) {
            temper_text svg = {0};
            fault_arm(n);
            temper_status status = kind ? temper_plot_bars(&bars, &svg, NULL) : temper_plot_path(&path, &svg, NULL);
            fault_disarm();
            CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !svg.bytes : status == TEMPER_OK);
            temper_text_free(&svg);
            if (!fault_fired())
                break;
        }
}

/* Paths with and without names, bars, maps: every coordinate, colour and word. */
TEST(pictures_change_on_purpose_only)
{
    temper_path_figure unnamed = path;
    temper_bar_figure numbers = bars;
    temper_heatmap_figure unmarked = heat;
    unnamed.names = NULL;
    unnamed.accuracy = NULL;
    numbers.shares = 0;
    unmarked.marked = SIZE_MAX;
    char *const drawn[] = {draw_path(&path),    draw_path(&unnamed), draw_bars(&bars),
                           draw_bars(&numbers), draw_heat(&heat),    draw_heat(&unmarked)};
    static const char *const known[] = {"bcee270f43908bf0", "215392183667236a", "f7e27341aab760a3",
                                        "2430598aa6e6feca", "d98509fcaac599a3", "aa12a8242bd30b26"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        CHECK_EQ_TEXT(xml_checksum(drawn[i]), known[i]);
        temper_free(drawn[i]);
    }
}

TEST_LIST(LISTED(weights_are_named_at_their_ends), LISTED(penalties_fall_to_the_right), LISTED(paths_of_any_size),
          LISTED(both_accuracies), LISTED(wrong_paths_are_refused), LISTED(bars_say_what_they_are),
          LISTED(bars_of_any_size), LISTED(wrong_bars_are_refused), LISTED(maps_say_what_they_are),
          LISTED(wrong_maps_are_refused), LISTED(maps_need_memory), LISTED(memory_may_end),
          LISTED(pictures_change_on_purpose_only))
