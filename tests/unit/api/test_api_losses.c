/* Losses of rows by the public calls: what a row refuses is the result of the call, for floats and for doubles. */
#include <string.h>

#include "fixtures/test.h"
#include "temper.h"

enum { ROWS = 2, CLASSES = 3 };

TEST(a_target_below_zero_is_refused)
{
    static const double a64[ROWS * CLASSES] = {1, 0, 0, 0, 1, 0};
    static const float a32[ROWS * CLASSES] = {1, 0, 0, 0, 1, 0};
    double targets64[ROWS * CLASSES] = {1, 0, 0, 0.5, 0.5, 0}, losses64[ROWS];
    float targets32[ROWS * CLASSES] = {1, 0, 0, 0.5F, 0.5F, 0}, losses32[ROWS];
    const temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1};
    temper_loss_rows_options options = temper_loss_rows_defaults();
    temper_error error = {0};
    options.rows = ROWS;
    options.classes = CLASSES;
    options.threads = 1;
    for (int wrong = 0; wrong < 2; wrong++) {
        targets64[4] = wrong ? -0.5 : 0.5;
        targets32[4] = wrong ? -0.5F : 0.5F;
        options.targets = targets64;
        CHECK(temper_loss_rows_f64(loss, &options, a64, losses64, NULL, &error) ==
              (wrong ? TEMPER_BAD_DATA : TEMPER_OK));
        CHECK(!wrong || strstr(error.message, "the target of row"));
        options.targets = targets32;
        CHECK(temper_loss_rows_f32(loss, &options, a32, losses32, NULL, &error) ==
              (wrong ? TEMPER_BAD_DATA : TEMPER_OK));
    }
}

TEST_LIST(LISTED(a_target_below_zero_is_refused))
