/* The report on a model, from training to page: rows in any number of calls, classes by their
 * names, nothing left behind when memory ends. */
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"
#include "temper_extra.h"

enum { ROWS = 60 };

static double x[2 * ROWS];
static int labels[ROWS];

/* Two or three classes around different places, with a little overlap. */
static temper_data *make_data(int classes)
{
    static const double centres[][2] = {{0, 0}, {3, 0}, {0, 3}};
    temper_data *data = NULL;
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i % classes;
        x[2 * i] = centres[labels[i]][0] + (i * 37 % 23) / 6.0;
        x[2 * i + 1] = centres[labels[i]][1] + (i * 53 % 29) / 7.0;
    }
    CHECK(temper_data_borrow_f64(x, ROWS, 2, labels, &data, NULL) == TEMPER_OK);
    return data;
}

static temper_model *train(const temper_data *data)
{
    temper_train_options options = temper_train_defaults();
    temper_train_report report;
    temper_model *model = NULL;
    temper_error error;
    options.l2 = 0.01;
    options.threads = 1;
    temper_status status = temper_train(data, &options, &model, &report, &error);
    CHECKF(status == TEMPER_OK, "%s", status ? error.message : "");
    return model;
}

/* Reports on the data, given in so many calls. */
static temper_status report(const temper_model *model, const temper_data *data, int as_svg, temper_text *text)
{
    temper_model_report *reporter;
    temper_status status = temper_model_report_new(model, &reporter, NULL);
    if (status != TEMPER_OK)
        return status;
    status = temper_model_report_add(reporter, data, 1, NULL);
    if (status == TEMPER_OK)
        return temper_model_report_finish(reporter, as_svg, text, NULL);
    temper_model_report_finish(reporter, 0, NULL, NULL);
    return status;
}

TEST(pages_and_pictures)
{
    for (int classes = 2; classes <= 3; classes++) {
        temper_data *data = make_data(classes);
        temper_model *model = train(data);
        temper_text html = {0}, svg = {0};
        if (!CHECK(model))
            return;
        CHECK(report(model, data, 0, &html) == TEMPER_OK);
        CHECK(report(model, data, 1, &svg) == TEMPER_OK);
        CHECK(html.bytes && xml_is_well_formed(strchr(html.bytes, '\n') + 1));
        CHECK(svg.bytes && xml_is_well_formed(svg.bytes));
        CHECK(html.bytes && strstr(html.bytes, "<th scope=\"row\">rows</th><td class=\"n\">60</td>"));
        CHECK(html.bytes && !strstr(html.bytes, "does not know"));
        temper_text_free(&html);
        temper_text_free(&svg);
        temper_model_free(model);
        temper_data_free(data);
    }
}

/* Rows in two calls are the same as in one; a class that the model does not know is counted. */
TEST(rows_come_in_any_number_of_calls)
{
    temper_data *data = make_data(3), *first = NULL, *second = NULL;
    temper_model *model = train(data);
    temper_model_report *reporter = NULL;
    temper_text whole = {0}, parts = {0};
    if (!CHECK(model && report(model, data, 0, &whole) == TEMPER_OK))
        return;
    CHECK(temper_data_borrow_f64(x, 20, 2, labels, &first, NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_f64(x + 40, 40, 2, labels + 20, &second, NULL) == TEMPER_OK);
    CHECK(temper_model_report_new(model, &reporter, NULL) == TEMPER_OK);
    CHECK(temper_model_report_add(reporter, first, 1, NULL) == TEMPER_OK);
    CHECK(temper_model_report_add(reporter, second, 1, NULL) == TEMPER_OK);
    CHECK(temper_model_report_finish(reporter, 0, &parts, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(parts.bytes, whole.bytes);
    temper_text_free(&whole);
    temper_text_free(&parts);
    temper_data_free(first);
    temper_data_free(second);
    temper_model_free(model);
    temper_data_free(data);
}

TEST(classes_are_found_by_name)
{
    static const int other[] = {2, 1, 9};
    temper_data *data = make_data(3), *odd = NULL;
    temper_model *model = train(data);
    temper_text html = {0};
    CHECK(temper_data_borrow_f64(x + 4, 3, 2, other, &odd, NULL) == TEMPER_OK);
    if (CHECK(model && report(model, odd, 0, &html) == TEMPER_OK))
        CHECK(strstr(html.bytes, "<th scope=\"row\">of a class that the model does not know</th>"
                                 "<td class=\"n\">1</td>") != NULL);
    temper_text_free(&html);
    temper_data_free(odd);
    temper_model_free(model);
    temper_data_free(data);
}

TEST(rows_without_labels_are_refused)
{
    temper_data *data = make_data(2), *bare = NULL;
    temper_model *model = train(data);
    temper_text html = {0};
    CHECK(temper_data_borrow_f64(x, 3, 2, NULL, &bare, NULL) == TEMPER_OK);
    CHECK(model && report(model, bare, 0, &html) == TEMPER_USAGE && !html.bytes);
    temper_data_free(bare);
    temper_model_free(model);
    temper_data_free(data);
}

TEST(memory_may_end)
{
    temper_data *data = make_data(3);
    temper_model *model = train(data);
    for (size_t n = 1; model; n++) {
        temper_text html = {0};
        fault_arm(n);
        temper_status status = report(model, data, 0, &html);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !html.bytes : status == TEMPER_OK);
        temper_text_free(&html);
        if (!fault_fired())
            break;
    }
    temper_model_free(model);
    temper_data_free(data);
}

TEST_LIST(LISTED(pages_and_pictures), LISTED(rows_come_in_any_number_of_calls), LISTED(classes_are_found_by_name),
          LISTED(rows_without_labels_are_refused), LISTED(memory_may_end))
