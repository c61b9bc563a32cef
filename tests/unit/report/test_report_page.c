/* Pages: well formed, escaped, self-contained; and the report on a model, in figures and pictures.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "report/model_report.h"
#include "report/svg.h"
#include "temper_extra.h"

static const char doctype[] = "<!DOCTYPE html>\n";

static bool is_page(const char *html)
{
    return strncmp(html, doctype, strlen(doctype)) == 0 && xml_is_well_formed(html + strlen(doctype)) &&
           !strstr(html, "<script") && !strstr(html, "href=") && !strstr(html, "src=") && !strstr(html, "url(");
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void check_escaped(const char *bytes, const char *expected)
{
    struct text text = {0};
    text_append(&text, "");
    svg_escape(&text, bytes);
    CHECK_EQ_TEXT(text.bytes, expected);
    text_free(&text);
}

TEST(what_is_no_utf8_is_replaced)
{
    check_escaped("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
    check_escaped("\xf0\x9f\x90\x88", "\xf0\x9f\x90\x88");
    check_escaped("latin \xfc", "latin \xef\xbf\xbd");
    check_escaped("cut \xc3", "cut \xef\xbf\xbd");
    check_escaped("cut \xe2\x82.", "cut \xef\xbf\xbd\xef\xbf\xbd.");
    check_escaped("long \xc0\xaf", "long \xef\xbf\xbd\xef\xbf\xbd"); /* a slash in two bytes */
    check_escaped("half \xed\xa0\x80", "half \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    check_escaped("none \xef\xbf\xbf", "none \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    check_escaped("far \xf4\x90\x80\x80", "far \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void check_short(const char *name, size_t characters, const char *expected)
{
    struct text text = {0};
    append_short(&text, name, characters);
    CHECK_EQ_TEXT(text.bytes, expected);
    text_free(&text);
}

TEST(names_are_cut_between_characters)
{
    check_short("abcd", 4, "abcd");
    check_short("abcde", 4, "abc\xe2\x80\xa6");
    check_short("\xc3\xbc\xc3\xbc\xc3\xbc", 3, "\xc3\xbc\xc3\xbc\xc3\xbc");
    check_short("\xc3\xbc\xc3\xbc\xc3\xbc", 2, "\xc3\xbc\xe2\x80\xa6");
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static const char *const cells[] = {"name", "rows", "a <b>", "12", "c & d", TEMPER_PAGE_BOLD "1.5 %"};
static const temper_page_block blocks[] = {
    {.kind = TEMPER_PAGE_HEADING, .text = "Head & shoulders"},
    {.kind = TEMPER_PAGE_PARAGRAPH, .text = "1 < 2"},
    {.kind = TEMPER_PAGE_COMMAND, .text = "temper info <train.csv\ntemper help\n"},
    {.kind = TEMPER_PAGE_PICTURE, .text = "<svg><g/></svg>"},
    {.kind = TEMPER_PAGE_PICTURE, .text = "<svg/>"},
    {.kind = TEMPER_PAGE_TABLE, .text = "Caption", .cells = cells, .rows = 3, .columns = 2},
    {.kind = TEMPER_PAGE_TABLE, .cells = cells, .rows = 1, .columns = 2},
    {.kind = TEMPER_PAGE_PICTURE, .text = "<svg/>"},
};

enum { BLOCKS = sizeof blocks / sizeof *blocks };

TEST(a_page_of_everything)
{
    temper_text html = {0};
    temper_error error;
    if (!CHECK(temper_page_to_html("A \"title\"", blocks, BLOCKS, &html, &error) == TEMPER_OK))
        return;
    CHECK(is_page(html.bytes));
    CHECK_EQ_SIZE(html.length, strlen(html.bytes));
    CHECK(strstr(html.bytes, "<title>A &quot;title&quot;</title>"));
    CHECK(strstr(html.bytes, "<h2>Head &amp; shoulders</h2>") && strstr(html.bytes, "<p>1 &lt; 2</p>"));
    CHECK(strstr(html.bytes, "<pre tabindex=\"0\">temper info &lt;train.csv\ntemper help\n</pre>"));
    CHECK(strstr(html.bytes, "<svg><g/></svg></div>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                             "aria-label=\"Picture 2\">\n<svg/></div>\n</div>"));
    CHECK(strstr(html.bytes, "<th scope=\"row\">a &lt;b&gt;</th><td class=\"n\">12</td>"));
    CHECK(strstr(html.bytes, "<thead><tr><th scope=\"col\">name</th>"));
    CHECK(strstr(html.bytes, "<main>") && strstr(html.bytes, "</main>") &&
          strstr(html.bytes, "aria-label=\"Table 3: Caption\""));
    CHECK(strstr(html.bytes, "<td class=\"n\"><b>1.5 %</b></td>"));
    CHECK(strstr(html.bytes, "prefers-color-scheme:dark"));
    temper_text_free(&html);
}

TEST(wrong_pages_are_refused)
{
    static const temper_page_block wrong[] = {{.kind = TEMPER_PAGE_HEADING},
                                              {.kind = TEMPER_PAGE_TABLE, .cells = cells, .columns = 2}};
    temper_text html = {0};
    temper_error error;
    CHECK(temper_page_to_html(NULL, NULL, 0, &html, &error) == TEMPER_USAGE);
    for (size_t i = 0; i < 2; i++)
        CHECK(temper_page_to_html("t", &wrong[i], 1, &html, &error) == TEMPER_USAGE && !html.bytes);
    CHECK_EQ_TEXT(error.message, "a table of the page is empty; give it a head");
}

TEST(an_empty_page)
{
    temper_text html = {0};
    CHECK(temper_page_to_html("", NULL, 0, &html, NULL) == TEMPER_OK && is_page(html.bytes));
    temper_text_free(&html);
}

TEST(memory_may_end)
{
    for (size_t n = 1;; n++) {
        temper_text html = {0};
        fault_arm(n);
        temper_status status = temper_page_to_html("t", blocks, BLOCKS, &html, NULL);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !html.bytes : status == TEMPER_OK);
        temper_text_free(&html);
        if (!fault_fired())
            break;
    }
}

/* ---- The report on a model ------------------------------------------------------------------- */

enum { MOST = 50 };

/* Of so many classes and rows, all of it made up. */
struct sample {
    struct model_report report;
    const char *names[MOST];
    char words[MOST][16];
    double sums[MOST * MOST], margins[100];
    unsigned char wrong[100];
};

static void fill_sample(struct sample *sample, size_t classes, size_t rows)
{
    struct model_report *report = &sample->report;
    *sample = (struct sample){.report = {.rows = rows, .calibrated = true, .features = 7}};
    for (size_t i = 0; i < classes; i++) {
        snprintf(sample->words[i], sizeof sample->words[i], "<%zu>", i);
        sample->names[i] = sample->words[i];
        for (size_t j = 0; j < classes; j++)
            sample->sums[i * classes + j] = i == j ? 1000.5 : (double)((i + j) % 3);
    }
    for (size_t i = 0; i < rows; i++) {
        sample->margins[i] = (double)i - 20;
        sample->wrong[i] = i < 20;
        calibration_add(&report->calibration, (double)i / 100, i % 2, 1);
    }
    report->margins = sample->margins;
    report->wrong = sample->wrong;
    report->loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1};
    report->summary = (temper_model_summary){.scale = "standard", .solver = "newton", .stop = "converged"};
    report->evaluation = (temper_evaluation){.rows = rows, .log_loss = NAN, .loss = 1e-9};
    report->confusion = (struct confusion){.sums = sample->sums, .names = sample->names, .classes = classes};
    report->weight_count = 2;
    report->weights[0].value = 3;
    report->weights[1].value = -2;
}

static char *write_report(const struct sample *sample, bool as_svg)
{
    struct text text = {0};
    (as_svg ? model_report_svg : model_report_page)(&text, &sample->report);
    CHECK(!text.failed);
    return text.bytes;
}

TEST(reports_of_any_size)
{
    static struct sample sample;
    static const size_t classes[] = {2, 3, 13, 40, 41}, rows[] = {0, 1, 100};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 3; j++) {
            fill_sample(&sample, classes[i], rows[j]);
            sample.report.calibrated = (i + j) % 2;
            char *html = write_report(&sample, false), *svg = write_report(&sample, true);
            CHECKF(is_page(html), "%zu classes, %zu rows", classes[i], rows[j]);
            CHECKF(xml_is_well_formed(svg), "%zu classes, %zu rows", classes[i], rows[j]);
            CHECK(!strstr(html, "log loss") && strstr(html, "1e-9"));
            free(html);
            free(svg);
        }
}

TEST(calibration_has_equal_bins)
{
    struct calibration_bins calibration = {.weight = {0}};
    calibration_add(&calibration, 0, true, 1);
    calibration_add(&calibration, 1, true, 2);
    calibration_add(&calibration, 0.5, false, 4); /* the middle of the eighth */
    CHECK(calibration.weight[0] == 1 && calibration.weight[CALIBRATION_BINS - 1] == 2);
    CHECK(calibration.weight[7] == 4 && calibration.correct[7] == 0);
    CHECK(calibration.confidence[7] == 2);
}

TEST(memory_may_end_in_a_report)
{
    static struct sample sample;
    fill_sample(&sample, 3, 50);
    for (int as_svg = 0; as_svg < 2; as_svg++)
        for (size_t n = 1;; n++) {
            struct text text = {0};
            fault_arm(n);
            (as_svg ? model_report_svg : model_report_page)(&text, &sample.report);
            fault_disarm();
            CHECK(text.failed == fault_fired());
            text_free(&text);
            if (!fault_fired())
                break;
        }
}

/* The page and its picture of three classes, with figures that differ. */
TEST(reports_change_on_purpose_only)
{
    static struct sample sample;
    temper_class_quality quality[3];
    fill_sample(&sample, 3, 100);
    for (size_t c = 0; c < 3; c++) {
        double at = (double)c / 10;
        quality[c] = (temper_class_quality){.weight = 30 + (double)c,
                                            .precision = 0.5 + at,
                                            .recall = 0.55 + at,
                                            .f1 = 0.52 + at,
                                            .auc = 0.7 + at,
                                            .average_precision = 0.6 + at};
    }
    sample.report.evaluation.quality = quality;
    char *html = write_report(&sample, false), *svg = write_report(&sample, true);
    char *footer = strstr(html, "<footer>"); /* has the version */
    if (CHECK(footer))
        *footer = '\0';
    CHECK_EQ_TEXT(xml_checksum(html), "e167d94291dc1040");
    CHECK_EQ_TEXT(xml_checksum(svg), "a844edd0d5b38df4");
    free(html);
    free(svg);
}

TEST_LIST(LISTED(what_is_no_utf8_is_replaced), LISTED(names_are_cut_between_characters), LISTED(a_page_of_everything),
          LISTED(wrong_pages_are_refused), LISTED(an_empty_page), LISTED(memory_may_end), LISTED(reports_of_any_size),
          LISTED(calibration_has_equal_bins), LISTED(memory_may_end_in_a_report),
          LISTED(reports_change_on_purpose_only))
