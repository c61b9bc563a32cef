/* Names and weights for the caller's arrays. */
#include <math.h>
#include <string.h>

#include "data/dataset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper.h"

static const double x[] = {1, 2, 3, 4, 5, 6};
static const int labels[] = {1, 0, 1};
static const char *const classes[] = {"no", "yes"};
static const char *const features[] = {"age", "height"};
static const double weights[] = {1, 0.5, 2};

static temper_data *made(void)
{
    temper_data *data = NULL;
    CHECK(temper_data_borrow_f64(x, 3, 2, labels, &data, NULL) == TEMPER_OK);
    return data;
}

TEST(names_and_weights)
{
    temper_data *data = made();
    CHECK(temper_data_set_class_names(data, classes, NULL) == TEMPER_OK);
    CHECK(temper_data_set_feature_names(data, features, NULL) == TEMPER_OK);
    CHECK(temper_data_set_weights(data, weights, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(temper_data_class_name(data, 0), "no");
    CHECK_EQ_TEXT(temper_data_class_name(data, 1), "yes");
    CHECK_EQ_TEXT(temper_data_feature_name(data, 1), "height");
    CHECK(temper_data_labels(data)[0] == 1 && temper_data_labels(data)[1] == 0);
    CHECK(temper_data_set_weights(data, weights, NULL) == TEMPER_OK);
    CHECK(((const struct dataset *)data)->weight[2] == 4); /* they multiply */
    temper_data_free(data);
}

TEST(bad_ones_are_refused_and_change_nothing)
{
    static const char *const same[] = {"1", "1.0"};
    static const double negative[] = {1, -1, 1}, hole[] = {1, NAN, 1}, none[] = {0, 0, 0};
    temper_data *data = made();
    temper_error error;
    CHECK(temper_data_set_class_names(data, same, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "same name, '1.0'") != NULL);
    CHECK_EQ_TEXT(temper_data_class_name(data, 1), "1");
    CHECK(temper_data_set_weights(data, negative, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "data: weight -1 of row 2 is refused; give numbers, 0 or more");
    CHECK(temper_data_set_weights(data, hole, &error) == TEMPER_BAD_DATA);
    CHECK(temper_data_set_weights(data, none, &error) == TEMPER_BAD_DATA);
    CHECK(!((const struct dataset *)data)->weight);
    temper_data_free(data);
}

TEST(memory_may_end)
{
    for (size_t n = 1;; n++) {
        temper_data *data = made();
        fault_arm(n);
        temper_status first = temper_data_set_class_names(data, classes, NULL);
        temper_status second = temper_data_set_feature_names(data, features, NULL);
        temper_status third = temper_data_set_weights(data, weights, NULL);
        fault_disarm();
        int failed = (first != TEMPER_OK) + (second != TEMPER_OK) + (third != TEMPER_OK);
        CHECK(failed == (fault_fired() ? 1 : 0));
        CHECK_EQ_TEXT(temper_data_class_name(data, 1), first == TEMPER_OK ? "yes" : "1");
        temper_data_free(data);
        if (!fault_fired())
            break;
    }
}

TEST_LIST(LISTED(names_and_weights), LISTED(bad_ones_are_refused_and_change_nothing), LISTED(memory_may_end))
