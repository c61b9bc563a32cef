/* Numbers of a table, read to the last bit. */
#include <math.h>

#include "fixtures/data/csv_fixture.h"

/* Values half-way between two floats, where rounding twice goes wrong. */
TEST(halfway_numbers)
{
    scratch_enter();
    struct dataset *data = csv_good("16777217,16777219.0000000001,1.00000005960464477539,a\n"
                                    "1e-45,1e-46,3.4028235e38,a\n-0,0.0,-0.0,a\n",
                                    (temper_read_options){0});
    CHECK(csv_value(data, 0, 0) == 16777216.0f);
    CHECK(csv_value(data, 0, 1) == 16777220.0f);
    CHECK(csv_value(data, 0, 2) == 1.0f);
    CHECK(csv_value(data, 1, 0) == 0x1p-149f); /* a denormal number is a number */
    CHECK(csv_value(data, 1, 1) == 0);
    CHECK(csv_value(data, 1, 2) == 3.4028235e38f);
    CHECK(signbit(csv_value(data, 2, 0)) && !signbit(csv_value(data, 2, 1)));
    dataset_free(data);
    scratch_leave();
}

TEST_LIST(LISTED(halfway_numbers))
