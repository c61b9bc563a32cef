/* What two halves tell, on rows where it can be counted by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "search/half_split_stats.h"

enum { ROWS = 40 };

/* Rows 0..19 are one half, the others the other; confidence rises within each. All labels are 0 for
 * even rows, 1 for odd ones, and the models right but where a test says otherwise. */
struct made {
    uint32_t label[ROWS], part[ROWS];
    uint16_t first[ROWS], second[ROWS];
    double confidence[ROWS], weight[ROWS];
};

static struct half_split made_halves(struct made *made)
{
    for (size_t row = 0; row < ROWS; row++) {
        made->part[row] = row >= ROWS / 2;
        made->label[row] = row % 2;
        made->first[row] = made->second[row] = (uint16_t)(row % 2);
        made->confidence[row] = (double)(row % (ROWS / 2)) + 1;
        made->weight[row] = 1;
    }
    return (struct half_split){ROWS, 2, made->label, NULL, made->part, {made->first, made->second}, made->confidence};
}

/* The model that has not seen the row says the other class. */
static void miss(struct made *made, size_t row)
{
    uint16_t *predicted = made->part[row] ? made->second : made->first;
    predicted[row] = !made->label[row];
}

static temper_tune_candidate measured(const struct half_split *halves)
{
    temper_tune_candidate out = {0};
    temper_error error;
    CHECK(half_split_measure(halves, &out, &error) == TEMPER_OK);
    return out;
}

TEST(all_right)
{
    struct made made;
    struct half_split halves = made_halves(&made);
    temper_tune_candidate out = measured(&halves);
    CHECK_CLOSE(out.half_accuracy, 1, 0);
    CHECK_CLOSE(out.agreement, 1, 0);
    CHECK_CLOSE(out.balance, 1, 0);
    CHECK_NEAR(out.top_error, 0, 0);
    CHECK_NEAR(out.top_ratio, 0, 0);
    for (size_t i = 0; i < TEMPER_CONFIDENCE_BANDS; i++)
        CHECK_NEAR(out.band_error[i], 0, 0);
    /* The median is that of 1 .. 20; 1 alone is below a tenth of it, hardly: 10 / 10. */
    CHECK_NEAR(out.undecided, 0, 0);
    made.confidence[0] = made.confidence[20] = 0.5;
    CHECK_CLOSE(measured(&halves).undecided, 2.0 / ROWS, 1e-15);
}

TEST(mistakes_are_found_where_they_are)
{
    struct made made;
    struct half_split halves = made_halves(&made);
    miss(&made, 19); /* the surest rows of either half: rank 19.5 / 20 */
    miss(&made, 39);
    miss(&made, 0); /* the least sure */
    temper_tune_candidate out = measured(&halves);
    CHECK_CLOSE(out.half_accuracy, 1 - 3.0 / ROWS, 1e-15);
    CHECK_CLOSE(out.agreement, 1 - 3.0 / ROWS, 1e-15);
    CHECK_CLOSE(out.band_error[0], 1.0 / 4, 1e-15); /* ranks below .1: two of each half */
    CHECK_CLOSE(out.band_error[6], 2.0 / 4, 1e-15); /* from .9 on */
    CHECK_NEAR(out.band_error[5], 0, 0);
    CHECK_CLOSE(out.top_error, 2.0 / 8, 1e-15);
    CHECK_CLOSE(out.top_ratio, (2.0 / 8) / (3.0 / ROWS), 1e-14);
    CHECK_CLOSE(out.balance, 19.0 / 20, 1e-15); /* class 1 has lost 2 and won 1 */
}

TEST(equal_confidences_share_a_rank)
{
    struct made made;
    struct half_split halves = made_halves(&made);
    for (size_t row = 0; row < ROWS; row++)
        made.confidence[row] = 1;
    miss(&made, 0);
    temper_tune_candidate out = measured(&halves);
    CHECK_CLOSE(out.band_error[3], 1.0 / ROWS, 1e-15); /* all of rank .5 */
    CHECK(isnan(out.band_error[0]) && isnan(out.band_error[6]));
    CHECK_NEAR(out.top_error, 0, 0);
}

/* Of a cell with counts 3 and 1: 1/2 3/4 5/6... by hand: p = G(1) G(3.5) G(1.5) / (G(5) G(.5)^2).
 */
TEST(the_code_length_is_that_of_the_cells)
{
    struct made made;
    struct half_split halves = made_halves(&made);
    for (size_t row = 0; row < ROWS; row++) {
        made.confidence[row] = 1; /* one decile */
        made.first[row] = made.second[row] = 0;
        made.weight[row] = row < 4; /* of one half */
        made.label[row] = row == 3;
    }
    halves.weight = made.weight;
    double p = tgamma(3.5) * tgamma(1.5) / (tgamma(5) * tgamma(0.5) * tgamma(0.5));
    CHECK_CLOSE(measured(&halves).code_length, -log(p) / 4, 1e-12);
    halves.classes = 3; /* alpha = 1/3 */
    p = tgamma(3 + 1.0 / 3) * tgamma(1 + 1.0 / 3) / (tgamma(5) * tgamma(1.0 / 3) * tgamma(1.0 / 3));
    CHECK_CLOSE(measured(&halves).code_length, -log(p) / 4, 1e-12);
}

TEST(a_weight_of_two_is_a_row_twice)
{
    struct made made;
    struct half_split halves = made_halves(&made);
    halves.weight = made.weight;
    for (size_t row = 0; row < ROWS; row++)
        made.weight[row] = row % 2 ? 2 : 0;
    miss(&made, 19);
    temper_tune_candidate out = measured(&halves);
    CHECK_CLOSE(out.half_accuracy, 1 - 1.0 / 20, 1e-15);
    CHECK_CLOSE(out.top_error, 1.0 / 4, 1e-15);
}

TEST(a_lack_of_memory_is_said)
{
    struct made made;
    struct half_split halves = made_halves(&made);
    for (size_t n = 1; n <= 4; n++) {
        temper_tune_candidate out;
        temper_error error;
        fault_arm(n);
        temper_status status = half_split_measure(&halves, &out, &error);
        fault_disarm();
        CHECK(status == TEMPER_NO_MEMORY);
    }
}

TEST_LIST(LISTED(all_right), LISTED(mistakes_are_found_where_they_are), LISTED(equal_confidences_share_a_rank),
          LISTED(the_code_length_is_that_of_the_cells), LISTED(a_weight_of_two_is_a_row_twice),
          LISTED(a_lack_of_memory_is_said))
