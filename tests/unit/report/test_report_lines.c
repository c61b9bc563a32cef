/* Lines with error bars: well formed whatever is drawn, wrong arguments refused with a clear word.
 */
#include <math.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "temper_extra.h"

static const double rates[] = {0, 0.1, 0.2};
static const double values[] = {99, 98, 91, 99, NAN, 97}, errors[] = {0.1, 0.5, 2, 0, NAN, 0.2};
static const char *const series[] = {"logistic", "a <b>"};

static const temper_line_figure lines = {
    .title = "Fashion-MNIST",
    .x = rates,
    .points = 3,
    .series = series,
    .series_count = 2,
    .values = values,
    .errors = errors,
};

static char *draw(const temper_line_figure *figure)
{
    temper_text svg = {0};
    temper_error error;
    temper_status status = temper_plot_lines(figure, &svg, &error);
    CHECKF(status == TEMPER_OK, "%s", status ? error.message : "");
    CHECK(svg.bytes && xml_is_well_formed(svg.bytes));
    return svg.bytes;
}

TEST(lines_and_their_names)
{
    char *svg = draw(&lines);
    CHECK(svg && strstr(svg, "Fashion-MNIST") && strstr(svg, "a &lt;b&gt;"));
    temper_free(svg);
}

TEST(lines_of_any_size)
{
    static const double sets[][6] = {
        {0, 0, 0, 0, 0, 0}, {1e300, -1e300, 0, 0, 0, 0}, {5, 5, 5, 5, 5, 5 + 1e-12}, {NAN, NAN, NAN, NAN, 1, NAN}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        temper_line_figure figure = lines;
        figure.values = sets[i];
        figure.errors = NULL;
        figure.title = NULL;
        temper_free(draw(&figure));
    }
}

static void refused(const temper_line_figure *figure, const char *words)
{
    temper_text svg = {0};
    temper_error error;
    CHECK(temper_plot_lines(figure, &svg, &error) == TEMPER_USAGE && !svg.bytes);
    CHECK_EQ_TEXT(error.message, words);
}

TEST(wrong_lines_are_refused)
{
    static const double same[] = {0, 0.1, 0.1}, below[] = {0, -1, 0, 0, 0, 0};
    static const double none[] = {NAN, NAN, NAN, NAN, NAN, NAN};
    temper_line_figure figure = lines;
    refused(NULL, "no figure, or nowhere to put it; give both");
    figure.x = same;
    refused(&figure, "place 3 is not beyond the one before it; give them rising");
    figure = lines;
    figure.errors = below;
    refused(&figure, "value 2 is 98 with an error of -1, which cannot be drawn; give finite "
                     "numbers up to 1e300, and errors that are not negative");
    figure = lines;
    figure.values = none;
    refused(&figure, "no value is known; give at least one");
    figure = lines;
    figure.points = 1;
    refused(&figure, "2 series of 1 points cannot be drawn; give 1 to 8 of 2 or more");
    figure = lines;
    figure.series = NULL;
    refused(&figure, "series 1 has no name; give one");
}

TEST(memory_may_end)
{
    for (size_t n = 1;; n++) {
        temper_text svg = {0};
        fault_arm(n);
        temper_status status = temper_plot_lines(&lines, &svg, NULL);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !svg.bytes : status == TEMPER_OK);
        temper_text_free(&svg);
        if (!fault_fired())
            break;
    }
}

/* For those who do not see the picture: its title, then the names of all lines, and of nothing else. */
TEST(the_description_names_every_line)
{
    char *svg = draw(&lines);
    const char *from = svg ? strstr(svg, "<desc") : NULL, *to = from ? strstr(from, "</desc>") : NULL;
    const char *first = from ? strstr(from, "logistic; a &lt;b&gt;") : NULL;
    CHECKF(first && first < to, "%.600s", from ? from : svg);
    temper_free(svg);
}

/* Each line is drawn once: the same path does not come again. */
TEST(no_path_is_drawn_twice)
{
    char *svg = draw(&lines);
    size_t paths = 0;
    for (const char *path = svg ? strstr(svg, "<path") : NULL; path; path = strstr(path + 1, "<path")) {
        size_t length = (size_t)(strchr(path, '>') - path) + 1;
        for (const char *other = strstr(path + 1, "<path"); other; other = strstr(other + 1, "<path"))
            CHECKF(strncmp(other, path, length) != 0, "%.*s", (int)length, path);
        paths++;
    }
    CHECKF(paths >= 2, "%zu", paths);
    temper_free(svg);
}

TEST(a_picture_changes_on_purpose_only)
{
    char *svg = draw(&lines);
    CHECK_EQ_TEXT(xml_checksum(svg), "a0d19fe62c9398ea");
    temper_free(svg);
}

TEST_LIST(LISTED(lines_and_their_names), LISTED(lines_of_any_size), LISTED(wrong_lines_are_refused),
          LISTED(memory_may_end), LISTED(the_description_names_every_line), LISTED(no_path_is_drawn_twice),
          LISTED(a_picture_changes_on_purpose_only))
