/* The rows of a review page as JSON: cells of the file, evidence, nearest rows, pictures, texts; and hostile cells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/review/review_columns.h"
#include "audit/review/review_rows.h"
#include "audit/review/review_sources.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "report/review/review_page.h"
#include "temper_extra.h"

enum { ROWS = 40, NEAR = 3 };

/* An audit that lists rows 1 and 3; the nearest rows of a row are those after it. */
struct made_audit {
    temper_data *data;
    temper_audit_report report;
    temper_audit_suspect suspects[ROWS];
    uint32_t neighbours[ROWS * NEAR];
};

static void audit_of(struct made_audit *made, temper_data *data)
{
    *made = (struct made_audit){.data = data};
    size_t rows = temper_data_rows(data);
    const uint32_t *label = temper_data_labels(data);
    for (size_t i = 0; i < rows; i++) {
        size_t row = i == 0 ? 1 : i == 1 ? 3 : i == 3 ? 0 : i;
        made->suspects[i] = (temper_audit_suspect){.row = row,
                                                   .file_row = row,
                                                   .given = label[row],
                                                   .suggested = 1 - label[row],
                                                   .score = 0.75 - 0.01 * (double)i,
                                                   .conflict = i == 1};
        for (size_t j = 0; j < NEAR; j++)
            made->neighbours[i * NEAR + j] = (uint32_t)((i + j + 1) % rows);
    }
    made->report = (temper_audit_report){.suspects = made->suspects,
                                         .rows = rows,
                                         .classes = 2,
                                         .loss = {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1},
                                         .l2 = 0.01,
                                         .wrong_low = (double)NAN,
                                         .neighbours = made->neighbours,
                                         .neighbour_count = NEAR};
    made->report.warnings.count = 1;
    snprintf(made->report.warnings.list[0].text, sizeof made->report.warnings.list[0].text, "so & so");
}

/* The page on the first two suspects; NULL: it failed. To be freed by temper_text_free. */
static temper_text page_of(temper_data *data)
{
    struct made_audit made;
    temper_error error = {0};
    temper_text html = {0};
    audit_of(&made, data);
    CHECKF(temper_audit_report_to_html(data, &made.report, 2, &html, &error) == TEMPER_OK, "%s", error.message);
    return html;
}

/* Whether the page has these words; the JSON part of it is shown if not. */
static void page_has(const temper_text *html, const char *words)
{
    const char *json = html->bytes ? strstr(html->bytes, "id=\"review-data\">") : NULL;
    CHECKF(html->bytes && strstr(html->bytes, words), "no %s in %.3000s", words, json ? json : "");
}

/* Rows of two classes: a number of the class, an id, a category, a text with these words in row 1. */
static temper_data *table_with(const char *words, const char *ignored)
{
    static char text[16384];
    size_t at = (size_t)snprintf(text, sizeof text, "id,\"the <b> x\",colour,words,kind\n");
    temper_read_options options = {
        .struct_size = sizeof options, .ignore = ignored, .categorical = "colour", .header = "yes"};
    temper_error error = {0};
    temper_data *data = NULL;
    for (size_t i = 0; i < ROWS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "id%zu,%zu.50,%s,%s,%s\n", i, i % 2 * 4 + i % 3,
                               i % 3 ? "red" : "\"blue\"", i == 1 ? words : "a plain note in some few words of row",
                               i % 2 != (i == 1) ? "on" : "off");
    scratch_write("in.csv", text, at);
    CHECKF(temper_data_read("in.csv", &options, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

TEST(cells_of_the_file)
{
    scratch_enter();
    temper_data *data = table_with("\"</script><img src=x onerror=1> \xe2\x80\xa8 \xff \"\"so\"\" &\"", "id,words");
    temper_text html = page_of(data);
    /* The label is not among the values; numbers are as they are written; nothing can end the element. */
    page_has(&html, "\"r\":2,\"l\":3,\"g\":0,\"s\":1,\"p\":0.75,\"v\":[\"id1\",\"5.50\",\"red\",\""
                    "\\u003c/script\\u003e\\u003cimg src=x onerror=1\\u003e \\u2028 \xef\xbf\xbd \\u0022so\\u0022 "
                    "\\u0026\",null]");
    page_has(&html, "\"c\":1,\"v\":[\"id3\"");
    page_has(&html, "\"columns\":[\"id\",\"the \\u003cb\\u003e x\",\"colour\",\"words\",\"kind\"]");
    page_has(&html, "\"text\":3"); /* the column of texts */
    page_has(&html, "\"t\":\"a plain note");
    page_has(&html, "\"fresh\":true");
    page_has(&html, "<p>Warning: so &amp; so.</p>");
    page_has(&html, ">given probabilities<"); /* the report has no folds */
    /* The policy of the page names its own script. */
    const char *policy = html.bytes ? strstr(html.bytes, "script-src 'nonce-") : NULL;
    if (CHECK(policy)) {
        char element[64];
        policy += strlen("script-src 'nonce-");
        snprintf(element, sizeof element, "<script nonce=\"%.*s\">", (int)strcspn(policy, "'"), policy);
        page_has(&html, element);
    }
    page_has(&html, "Content-Security-Policy\" content=\"default-src 'none'");
    CHECK(!strstr(html.bytes, "<img src=x") && strlen(html.bytes) == html.length);
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

/* Without texts the nearest rows have the values of the columns that matter, categories as texts. */
TEST(values_of_nearest_rows)
{
    scratch_enter();
    temper_read_options options = {.struct_size = sizeof options, .categorical = "colour"};
    temper_data *data = NULL;
    temper_error error;
    char text[2048];
    size_t at = (size_t)snprintf(text, sizeof text, "x,colour,kind\n");
    for (size_t row = 0; row < ROWS; row++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%zu.25,%s,%s\n", row % 2 * 9, row % 2 ? "red" : "blue",
                               row % 2 ? "on" : "off");
    scratch_write("in.csv", text, at);
    CHECK(temper_data_read("in.csv", &options, &data, &error) == TEMPER_OK);
    temper_text html = page_of(data);
    page_has(&html, "\"n\":[{\"r\":3,\"l\":4,\"g\":0,\"v\":[");
    CHECK(html.bytes && (strstr(html.bytes, "[0.25,\"blue\"]") || strstr(html.bytes, "[\"blue\",0.25]")));
    page_has(&html, "\"usual\":{\"0\":4.75}");
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

/* The evidence and the rest are the difference of the activations. */
TEST(evidence_adds_up)
{
    static const char text[] = "3,1,a\n4,2,a\n5,1,a\n4,0,a\n1,5,b\n2,6,b\n1,7,b\n0,6,b\n1,6,a\n4,1,b\n";
    temper_error error;
    temper_data *data = NULL;
    temper_text html = {0};
    double first, second, rest;
    unsigned columns[2];
    scratch_enter();
    scratch_write("in.csv", text, strlen(text));
    CHECK(temper_data_read("in.csv", NULL, &data, &error) == TEMPER_OK);
    struct made_audit made;
    audit_of(&made, data);
    CHECK(temper_audit_report_to_html(data, &made.report, 1, &html, &error) == TEMPER_OK);
    const char *at = html.bytes ? strstr(html.bytes, "\"w\":[[") : NULL;
    if (CHECK(at) && CHECK(sscanf(at, "\"w\":[[%u,%lf],[%u,%lf]],\"b\":%lf", &columns[0], &first, &columns[1], &second,
                                  &rest) == 5)) {
        temper_train_options options = temper_train_defaults();
        temper_model *model = NULL;
        double decision[10];
        options.loss = made.report.loss;
        options.l2 = made.report.l2;
        CHECK(temper_train(data, &options, &model, NULL, &error) == TEMPER_OK);
        CHECK(temper_predict(model, data, TEMPER_PREDICT_DECISIONS, 1, decision, &error) == TEMPER_OK);
        /* Row 1 is of class a, and b is suggested: the decision value of b. */
        CHECK_NEAR(first + second + rest, decision[1], 0.02 * fabs(decision[1]) + 0.02);
        CHECK(fabs(first) >= fabs(second) && first < 0);
        temper_model_free(model);
    }
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

/* Bytes of a square number of columns are a picture; their pixels are not listed. */
TEST(pictures)
{
    static unsigned char pixels[ROWS * 16];
    static uint32_t labels[ROWS];
    temper_error error;
    temper_data *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = i % 2;
        memset(pixels + 16 * i, (int)(i % 2 ? 200 - i : 50 + i), 16);
    }
    char npy[81 + sizeof pixels];
    int head = snprintf(npy, sizeof npy, "%s%-69s\n", "\x93NUMPY\x01\x01\x46\x01",
                        "{'descr': '|u1', 'fortran_order': False, 'shape': (40, 16), }");
    npy[7] = npy[9] = '\0'; /* the version 1.0, and the second byte of the length of the head */
    memcpy(npy + head, pixels, sizeof pixels);
    scratch_enter();
    scratch_write("in.npy", npy, (size_t)head + sizeof pixels);
    char words[4 * ROWS];
    size_t at = 0;
    for (size_t i = 0; i < ROWS; i++)
        at += (size_t)snprintf(words + at, sizeof words - at, "%u\n", (unsigned)labels[i]);
    scratch_write("in.npy.labels", words, at);
    CHECKF(temper_data_read("in.npy", NULL, &data, &error) == TEMPER_OK, "%s", error.message);
    temper_text html = page_of(data);
    page_has(&html, "\"i\":0,\"e\":2,\"k\":[0,1,0],\"n\":[{\"r\":3,\"g\":0,\"i\":");
    page_has(&html, "\"pictures\":[\"data:image/png;base64,");
    page_has(&html, "\"columns\":[]");
    page_has(&html, "\"fresh\":false");
    CHECK(html.bytes && !strstr(html.bytes, "\"w\":[") && !strstr(html.bytes, "\"l\":"));
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

/* Sparse rows show the features that matter, by number. */
TEST(sparse_rows)
{
    char text[4096];
    size_t at = 0;
    temper_error error;
    temper_data *data = NULL;
    for (size_t i = 0; i < ROWS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu:1 %zu:2\n", i % 2 ? "a" : "b", 1 + i % 2, 5000 + i);
    scratch_enter();
    scratch_write("in.svm", text, at);
    CHECKF(temper_data_read("in.svm", NULL, &data, &error) == TEMPER_OK, "%s", error.message);
    temper_text html = page_of(data);
    page_has(&html, "\"wide\":true,\"width\":5039");
    page_has(&html, "[1,1]");
    page_has(&html, "\"columns\":{\"1\":\"feature 2\"");
    CHECK(html.bytes && html.length < 80000); /* not all 5,039 names */
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

TEST(strings)
{
    static const struct {
        const char *from, *to;
        size_t limit;
    } cases[] = {{"plain", "\"plain\"", 99},
                 {"a\"b\\c'", "\"a\\u0022b\\u005cc\\u0027\"", 99},
                 {"<!-- </script> ]]>", "\"\\u003c!-- \\u003c/script\\u003e ]]\\u003e\"", 99},
                 {"\xe2\x80\xa9\x7f\n", "\"\\u2029\\u007f\\u000a\"", 99},
                 {"\xc3\xa4\xc3", "\"\xc3\xa4\xef\xbf\xbd\"", 99},
                 {"\xc3\xa4\xc3\xa4\xc3\xa4", "\"\xc3\xa4\xc3\xa4\xe2\x80\xa6\"", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        review_string(&text, cases[i].from, strlen(cases[i].from), cases[i].limit);
        CHECK_EQ_TEXT(text.bytes, cases[i].to);
        text_free(&text);
    }
}

TEST(rounded_numbers)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},       {0.12345, "0.123"}, {-9.996, "-10"},   {123456, "123000"},
                 {1e-9, "1e-9"}, {1e300, "0"},       {0.0999999, "0.1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        review_append_rounded(&text, cases[i].value, 3);
        CHECK_EQ_TEXT(text.bytes, cases[i].text);
        text_free(&text);
    }
}

/* A file that has changed since it was read is refused; so is a report of other rows. */
TEST(refusals)
{
    struct made_audit made;
    temper_error error;
    temper_text html = {0};
    scratch_enter();
    temper_data *data = table_with("short", "id,words");
    audit_of(&made, data);
    scratch_write("in.csv", "a,b\n1,2\n", 8);
    CHECK(temper_audit_report_to_html(data, &made.report, 2, &html, &error) == TEMPER_BAD_DATA && !html.bytes);
    CHECKF(strstr(error.message, "has changed"), "%s", error.message);
    made.report.rows--;
    CHECK(temper_audit_report_to_html(data, &made.report, 2, &html, &error) == TEMPER_USAGE && !html.bytes);
    temper_data_free(data);
    scratch_leave();
}

/* The rows that a tuning asks about: counted as tune --trusted counts them. */
TEST(rows_to_label)
{
    temper_train_options options = temper_train_defaults();
    size_t ask[] = {7, 4};
    uint32_t label[] = {1, 0};
    const temper_tune_report report = {.ask = ask, .ask_label = label, .ask_count = 2};
    temper_error error;
    temper_model *model = NULL;
    temper_text section = {0};
    scratch_enter();
    temper_data *data = table_with("short", "id,words");
    CHECK(temper_train(data, &options, &model, NULL, &error) == TEMPER_OK);
    CHECKF(temper_tune_ask_section(data, model, &report, "m.ask.csv", &section, &error) == TEMPER_OK, "%s",
           error.message);
    page_has(&section, "\"mode\":\"ask\"");
    page_has(&section, "\"output\":\"m.ask.csv\"");
    page_has(&section, "{\"r\":8,\"l\":9,\"g\":1,\"s\":0,\"v\":[\"id7\"");
    temper_text_free(&section);
    for (size_t n = 1;; n += test_step(5)) { /* a read of the table that fails leaves no section */
        section = (temper_text){0};
        fault_arm_reads(n);
        temper_status status = temper_tune_ask_section(data, model, &report, "m.ask.csv", &section, NULL);
        fault_disarm();
        CHECKF(fault_fired() ? status == TEMPER_IO && !section.bytes : status == TEMPER_OK, "read %zu", n);
        temper_text_free(&section);
        if (!fault_fired())
            break;
    }
    temper_model_free(model);
    temper_data_free(data);
    scratch_leave();
}

/* Every allocation and every read of a page fails once. */
static void fails_at_each(void (*arm)(size_t), temper_status expected)
{
    struct made_audit made;
    temper_data *data = table_with("a text of some five words or more is here", "id,words");
    audit_of(&made, data);
    for (size_t n = 1;; n += test_step(5)) {
        temper_text html = {0};
        arm(n);
        temper_status status = temper_audit_report_to_html(data, &made.report, 2, &html, NULL);
        fault_disarm();
        bool fired = fault_fired();
        CHECKF(!fired || (status == expected && !html.bytes), "call %zu: %d", n, (int)status);
        temper_text_free(&html);
        if (!fired)
            break;
    }
    temper_data_free(data);
}

TEST(failures)
{
    scratch_enter();
    fails_at_each(fault_arm, TEMPER_NO_MEMORY);
    fails_at_each(fault_arm_reads, TEMPER_IO);
    scratch_leave();
}

/* The JSON of the page: brackets outside of texts close in their order, and nothing follows. */
static bool is_balanced(const char *json, const char *end)
{
    char open[64];
    size_t depth = 0;
    bool text = false;
    for (; json < end; json++) {
        if (text && *json == '\\')
            json++;
        else if (*json == '"')
            text = !text;
        else if (!text && (*json == '{' || *json == '[') && depth < sizeof open)
            open[depth++] = *json == '{' ? '}' : ']';
        else if (!text && (*json == '}' || *json == ']') && (depth == 0 || open[--depth] != *json))
            return false;
    }
    return depth == 0 && !text;
}

TEST(the_data_of_a_page_is_whole)
{
    scratch_enter();
    temper_data *data = table_with("some words of a text", "id,words");
    temper_text html = page_of(data);
    static const char mark[] = "id=\"review-data\">";
    const char *json = html.bytes ? strstr(html.bytes, mark) : NULL, *end = json ? strstr(json, "</script>") : NULL;
    if (CHECK(json && end))
        CHECKF(is_balanced(json + strlen(mark), end), "%.2000s", json);
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

/* Of ascending rows: the first, one in the middle, the last. */
TEST(rows_are_found_by_their_number)
{
    size_t numbers[] = {3, 5, 9, 12};
    struct review_rows rows = {.row = numbers, .count = 4};
    for (size_t i = 0; i < 4; i++)
        CHECK_EQ_SIZE(review_rows_find(&rows, numbers[i]), i);
}

/* Of a table with many columns a row has the first 16 cells that are no features, and of the others those that are its
 * evidence, each with the number of its column. */
TEST(cells_of_wide_tables)
{
    enum { OTHER = 20, NUMBERS = 250 };
    static char text[ROWS * 2000 + 4000], ignored[200];
    size_t at = 0, used = 0;
    temper_data *data = NULL;
    temper_error error = {0};
    for (size_t j = 0; j < OTHER; j++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "id%zu,", j);
        used += (size_t)snprintf(ignored + used, sizeof ignored - used, "%sid%zu", j ? "," : "", j);
    }
    for (size_t j = 0; j < NUMBERS; j++)
        at += (size_t)snprintf(text + at, sizeof text - at, "x%zu,", j);
    at += (size_t)snprintf(text + at, sizeof text - at, "kind\n");
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t j = 0; j < OTHER; j++)
            at += (size_t)snprintf(text + at, sizeof text - at, "i%zu.%zu,", row, j);
        for (size_t j = 0; j < NUMBERS; j++) /* the third alone differs from class to class */
            at += (size_t)snprintf(text + at, sizeof text - at, "%zu,", j == 2 ? row % 2 * 8 + row % 3 : (row * j) % 3);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\n", row % 2 ? "on" : "off");
    }
    scratch_enter();
    scratch_write("in.csv", text, at);
    temper_read_options options = {.struct_size = sizeof options, .ignore = ignored};
    CHECKF(temper_data_read("in.csv", &options, &data, &error) == TEMPER_OK, "%s", error.message);
    temper_text html = page_of(data);
    page_has(&html, "\"v\":[[0,\"i1.0\"],[1,\"i1.1\"]");
    page_has(&html, "[15,\"i1.15\"],[");
    CHECK(html.bytes && !strstr(html.bytes, "[16,\"i1.16\"]"));
    page_has(&html, "[22,\"9\"]"); /* the third number of row 1 is its evidence */
    size_t shown = 0;
    for (size_t j = OTHER; html.bytes && j < OTHER + NUMBERS; j++) {
        char cell[16];
        snprintf(cell, sizeof cell, "[%zu,\"", j);
        shown += strstr(html.bytes, cell) != NULL;
    }
    CHECKF(shown < NUMBERS / 2, "%zu of the numbers", shown); /* most are no evidence */
    temper_text_free(&html);
    temper_data_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(cells_of_the_file), LISTED(values_of_nearest_rows), LISTED(evidence_adds_up), LISTED(pictures),
          LISTED(sparse_rows), LISTED(strings), LISTED(rounded_numbers), LISTED(refusals), LISTED(rows_to_label),
          LISTED(failures), LISTED(the_data_of_a_page_is_whole), LISTED(rows_are_found_by_their_number),
          LISTED(cells_of_wide_tables))
